/* What GTKWave shows when it opens a save file: a window of cycles, with named cycles in it. */
#pragma once

#include "nvdla/engines.h"

/* A named cycle: GTKWave's markers A, B, C, ... */
struct wave_marker {
    const char *name; /* "first wrong write" */
    uint64_t cycle;
};

/* What went wrong: the first group of the screen, and the groups of the engine after it. */
struct wave_focus {
    enum nvdla_engine engine; /* to blame; ENGINE_COUNT: none */
    const char *stream;       /* that is wrong first, "SDP_OUT", or the name of a check; NULL: none */
    const char *instance;     /* of a check that failed, "u_pdp.u_wdma"; NULL: none */
    const char *text;         /* "expected -119, got -10"; NULL: not known */
};

enum { WAVE_MARKERS = 26 /* further ones are dropped */ };

struct wave_view {
    uint64_t from, to; /* cycles on the screen */
    int64_t cursor;    /* cycle of GTKWave's primary marker, -1: none */
    const struct wave_marker *markers;
    size_t marker_count;
    const struct wave_focus *focus; /* NULL: nothing went wrong */
};

/* The lines of a save file that describe the view. free() them. */
char *wave_view_lines(const struct wave_view *view);

/* The same as commands of Surfer: the cursor, and the time in the middle of the screen. free() them. */
char *wave_view_commands(const struct wave_view *view);
