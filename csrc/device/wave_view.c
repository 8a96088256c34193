/* The view in GTKWave's save files. See wave_view.h. Times are in picoseconds, 1000 per cycle. */
#include "device/wave_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

/* GTKWave's zoom is a power of 2 of the time that this many pixels show; our windows are about that wide. */
#define ZOOM_PIXELS 200.0
#define SCREEN_PIXELS 1150.0

enum { CYCLE = 1000 /* units of time */ };

char *wave_view_lines(const struct wave_view *view) {
    struct text text = {0};
    const uint64_t cycles = view->to > view->from ? view->to - view->from : 1;
    const double zoom = -log2((double)cycles * CYCLE * ZOOM_PIXELS / SCREEN_PIXELS);
    text_printf(&text, "[timestart] %" PRIu64 "\n", view->from * CYCLE);
    /* The zoom, the primary marker and the named ones; -1 if not set. */
    text_printf(&text, "*%.6f %" PRId64, zoom, view->cursor < 0 ? -1 : view->cursor * CYCLE);
    for (size_t i = 0; i < WAVE_MARKERS; i++)
        if (i < view->marker_count)
            text_printf(&text, " %" PRIu64, view->markers[i].cycle * CYCLE);
        else
            text_printf(&text, " -1");
    text_printf(&text, "\n");
    for (size_t i = 0; i < view->marker_count && i < WAVE_MARKERS; i++)
        text_printf(&text, "[markername] %c%s\n", (char)('A' + i), view->markers[i].name);
    return text.text;
}

/* True if the line is one that wave_view_lines writes. */
static bool of_view(const char *line) {
    return line[0] == '*' || strncmp(line, "[timestart]", 11) == 0 || strncmp(line, "[markername]", 12) == 0;
}

bool wave_view_change(const char *save_path, const struct wave_view *view, struct error *err) {
    char *old, *lines = wave_view_lines(view);
    size_t n;
    struct text text = {0};
    bool placed = false, good = file_read(save_path, &old, &n, err);
    for (const char *line = good ? old : ""; *line;) {
        const char *end = strchr(line, '\n');
        const size_t length = end ? (size_t)(end - line) + 1 : strlen(line);
        if (!of_view(line))
            text_add(&text, line, length);
        else if (!placed)
            text_printf(&text, "%s", lines);
        placed = placed || of_view(line);
        line += length;
    }
    if (good && !placed)
        good = error_set(err, "%s: found no line with a zoom ('*...'): is it the save file of a recording?", save_path);
    good = good && file_write(save_path, text.text, text.n, err);
    free(old);
    free(lines);
    free(text.text);
    return good;
}
