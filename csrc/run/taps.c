/* Folders of recorded streams, and what a person is told of them; see taps.h. */
#include "run/taps.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "observe/recorder.h"
#include "run/judge.h"

static const char *const side_names[TAPS_SIDES] = {[TAPS_RTL] = "rtl", [TAPS_MODEL] = "model"};
static const char ending[] = ".tap.gz";

/* Removes the streams of an earlier run. */
static void empty(const char *folder) {
    DIR *directory = opendir(folder);
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        const size_t length = strlen(entry->d_name);
        if (length < sizeof ending || strcmp(entry->d_name + length + 1 - sizeof ending, ending) != 0)
            continue;
        char *path = xprintf("%s/%s", folder, entry->d_name);
        unlink(path);
        free(path);
    }
    if (directory)
        closedir(directory);
}

bool taps_open(struct taps *taps, const struct run_options *options, const char *trace, struct error *err) {
    char *report = report_folder(options, trace);
    char *folder = options->taps ? xprintf("%s/%s", options->taps, trace) : xprintf("%s/taps", report);
    free(report);
    bool good = true;
    for (int side = 0; side < TAPS_SIDES; side++) {
        taps->folder[side] = xprintf("%s/%s", folder, side_names[side]);
        good = good && directory_make(taps->folder[side], err);
        if (!good)
            continue;
        empty(taps->folder[side]);
        taps->recorder[side] = recorder_new(taps->folder[side]);
        tap_listen(&taps->listeners[side], recorder_listener(taps->recorder[side]));
    }
    free(folder);
    return good || error_prefix(err, "taps: ");
}

bool taps_close_side(struct taps *taps, enum taps_side side, struct error *err) {
    struct recorder *recorder = taps->recorder[side];
    taps->recorder[side] = NULL;
    return !recorder || recorder_close(recorder, err);
}

bool taps_close(struct taps *taps, struct error *err) {
    const bool rtl = taps_close_side(taps, TAPS_RTL, err);
    return taps_close_side(taps, TAPS_MODEL, rtl ? err : NULL) && rtl;
}

static void describe(struct words *lines, const char *name, const struct tap_difference *found) {
    const struct tap_element *known = &found->b; /* the model's, which knows every place */
    const struct tap_place *at = &known->at.place;
    if (!found->differs)
        words_add(lines, "tap %s: %" PRIu64 " elements, RTL and model equal", name, found->compared);
    else if (found->a_ended || found->b_ended)
        words_add(lines, "tap %s: %" PRIu64 " elements equal, then the %s has no more", name, found->compared,
                  found->a_ended ? "RTL" : "model");
    else
        words_add(lines,
                  "tap %s: %" PRIu64 " elements equal, then launch %d, channel %d, y %d, x %d: RTL %" PRId64
                  ", model %" PRId64,
                  name, found->compared, known->at.stream.ordinal, at->channel, at->y, at->x, found->a.value,
                  found->b.value);
    if (found->differs && !found->a_ended && !found->b_ended && found->a.value == found->b.value) {
        const struct tap_place *rtl = &found->a.at.place;
        words_add(
            lines,
            "tap %s: the RTL has it in launch %d, channel %d, y %d, x %d, operation %d (model %d), address 0x%" PRIx64
            " (0x%" PRIx64 "), flags 0x%x (0x%x)",
            name, found->a.at.stream.ordinal, rtl->channel, rtl->y, rtl->x, rtl->reduction, at->reduction, rtl->address,
            at->address, rtl->flags, at->flags);
    }
}

static void describe_board(struct words *lines, const struct scoreboard *board) {
    const struct scoreboard_difference *first = &board->first;
    char expected[2 * SCOREBOARD_BYTES + 1], got[2 * SCOREBOARD_BYTES + 1];
    if (first->port)
        words_add(lines, "CBUF: cycle %" PRIu64 ", %s reads entry 0x%" PRIx64 ": %s, last written there %s",
                  first->cycle, first->port, first->address,
                  scoreboard_number(first->got, 0, first->bytes, got, sizeof got),
                  scoreboard_number(first->expected, 0, first->bytes, expected, sizeof expected));
    else if (board->compared > 0)
        words_add(lines, "CBUF: %" PRIu64 " entries read, each as it was written", board->compared);
}

void taps_compare(const struct taps *taps, struct words *lines) {
    for (enum nvdla_unit unit = 0; taps->folder[0] && unit < NVDLA_UNIT_COUNT; unit++) {
        for (enum tap tap = 0; tap < TAP_COUNT; tap++) {
            const struct tap_stream stream = {.unit = unit, .tap = tap};
            struct tap_difference found;
            struct error err;
            char name[128];
            recorder_file_name(&stream, name, sizeof name);
            char *rtl = xprintf("%s/%s", taps->folder[TAPS_RTL], name);
            char *model = xprintf("%s/%s", taps->folder[TAPS_MODEL], name);
            if (access(rtl, F_OK) == 0 && access(model, F_OK) == 0) {
                name[strlen(name) + 1 - sizeof ending] = '\0';
                if (tap_compare(rtl, model, &found, &err))
                    describe(lines, name, &found);
                else
                    words_add(lines, "warning: %s", err.text);
            }
            free(rtl);
            free(model);
        }
    }
    describe_board(lines, &taps->cbuf);
}

void taps_free(struct taps *taps) {
    taps_close(taps, NULL);
    for (int side = 0; side < TAPS_SIDES; side++)
        free(taps->folder[side]);
}
