/* Records the element streams of a run (--tap): RTL and model each in a folder, compared afterwards. With --histogram
 * the RTL's values are counted too. */
#pragma once

#include "nvdla/error.h"
#include "observe/histogram.h"
#include "observe/scoreboard.h"
#include "observe/tap.h"
#include "run/options/options.h"

enum taps_side { TAPS_RTL, TAPS_MODEL, TAPS_SIDES };

struct taps {
    char *parent; /* of the folders */
    char *folder[TAPS_SIDES];
    struct recorder *recorder[TAPS_SIDES]; /* NULL: nothing is recorded */
    struct tap_listeners listeners[TAPS_SIDES];
    struct scoreboard cbuf;      /* of the RTL */
    struct account account;      /* of the RTL */
    struct histogram_set counts; /* of the RTL's streams */
    struct mif_client {          /* effect of its memory interface on the atoms of each client */
        bool seen, differs;
        char name[64];               /* "reads of CDMA_DAT" */
        struct mif_difference first; /* if it differs */
    } mif[NVDLA_CLIENT_COUNT];
};

/* Creates OUT/TRACE/taps/rtl and OUT/TRACE/taps/model, without streams of an earlier run. Records all units unless the
 * options name some. */
bool taps_open(struct taps *taps, const struct run_options *options, const char *trace, struct error *err);

/* Ends the recording. False with a message if something could not be written. */
bool taps_close(struct taps *taps, struct error *err);
bool taps_close_side(struct taps *taps, enum taps_side side, struct error *err);

/* Compares the recordings: a line for each tap that both sides have, with the first element that differs; then what
 * CBUF and the memory interface corrupted; then the histograms against the model's (NULL: none). */
void taps_compare(const struct taps *taps, const struct histogram_set *model, struct words *lines);

/* Ends a part of a recording in several: moves what there is since the last reset of the devices to
 * OUT/TRACE/taps.N/rtl and OUT/TRACE/taps.N/model, and compares it as above. False with a message. */
bool taps_part(struct taps *taps, int part, struct words *lines, struct error *err);

/* Ends such a recording. False as taps_close(). */
bool taps_close_parts(struct taps *taps, struct error *err);

void taps_free(struct taps *taps);
