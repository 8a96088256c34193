/* Recording of the element streams of a run (--taps): RTL and model each into a folder of its own, compared afterwards.
 */
#ifndef RUN_TAPS_H
#define RUN_TAPS_H

#include "nvdla/error.h"
#include "observe/scoreboard.h"
#include "observe/tap.h"
#include "run/options.h"

enum taps_side { TAPS_RTL, TAPS_MODEL, TAPS_SIDES };

struct taps {
    char *folder[TAPS_SIDES];
    struct recorder *recorder[TAPS_SIDES]; /* NULL: nothing is recorded */
    struct tap_listeners listeners[TAPS_SIDES];
    struct scoreboard cbuf; /* of the RTL */
};

/* Makes the folders, empty of streams of an earlier run: TAPS/TRACE/rtl and model in the folder of --taps, else
 * OUT/TRACE/taps/rtl and model beside the report. */
bool taps_open(struct taps *taps, const struct run_options *options, const char *trace, struct error *err);

/* Ends the recording. False with a message if something could not be written. */
bool taps_close(struct taps *taps, struct error *err);
bool taps_close_side(struct taps *taps, enum taps_side side, struct error *err);

/* Compares what both sides have recorded: a line for each tap that both have, with the first element that differs; then
 * one for the scoreboard of CBUF, if it saw anything. */
void taps_compare(const struct taps *taps, struct words *lines);

void taps_free(struct taps *taps);

#endif
