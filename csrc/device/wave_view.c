/* The view in GTKWave's save files. See wave_view.h. Times are in picoseconds, 1000 per cycle. What is taken at the end
 * of a cycle is shown until there: markers and the cursor stand half a cycle before, so that the values beside them are
 * those. */
#include "device/wave_view.h"

#include <inttypes.h>
#include <math.h>

#include "nvdla/text.h"

/* GTKWave's zoom is a power of 2 of the time that this many pixels show; our windows are about that wide. */
#define ZOOM_PIXELS 200.0
#define SCREEN_PIXELS 1150.0

enum { CYCLE = 1000 /* units of time */ };

/* Where a marker of a cycle stands. */
static uint64_t middle(uint64_t cycle) {
    return cycle > 0 ? cycle * CYCLE - CYCLE / 2 : 0;
}

char *wave_view_lines(const struct wave_view *view) {
    struct text text = {0};
    const uint64_t cycles = view->to > view->from ? view->to - view->from : 1;
    const double zoom = -log2((double)cycles * CYCLE * ZOOM_PIXELS / SCREEN_PIXELS);
    text_printf(&text, "[timestart] %" PRIu64 "\n", view->from * CYCLE);
    /* The zoom, the primary marker and the named ones; -1 if not set. */
    text_printf(&text, "*%.6f %" PRId64, zoom, view->cursor < 0 ? -1 : (int64_t)middle((uint64_t)view->cursor));
    for (size_t i = 0; i < WAVE_MARKERS; i++)
        if (i < view->marker_count)
            text_printf(&text, " %" PRIu64, middle(view->markers[i].cycle));
        else
            text_printf(&text, " -1");
    text_printf(&text, "\n");
    for (size_t i = 0; i < view->marker_count && i < WAVE_MARKERS; i++)
        text_printf(&text, "[markername] %c%s\n", (char)('A' + i), view->markers[i].name);
    return text.text;
}

char *wave_view_commands(const struct wave_view *view) {
    struct text text = {0};
    if (view->cursor >= 0)
        text_printf(&text, "cursor_set %" PRIu64 "\n", middle((uint64_t)view->cursor));
    text_printf(&text, "goto_time %" PRIu64 "\n", (view->from + (view->to - view->from) / 2) * CYCLE);
    return text.text;
}
