/* What GTKWave shows when it opens a save file: a window of cycles, with named cycles in it. */
#ifndef DEVICE_WAVE_VIEW_H
#define DEVICE_WAVE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"

/* A named cycle: GTKWave's markers A, B, C, ... */
struct wave_marker {
    const char *name; /* "first wrong write" */
    uint64_t cycle;
};

enum { WAVE_MARKERS = 26 /* further ones are dropped */ };

struct wave_view {
    uint64_t from, to; /* cycles on the screen */
    int64_t cursor;    /* cycle of GTKWave's primary marker, -1: none */
    const struct wave_marker *markers;
    size_t marker_count;
};

/* The lines of a save file that describe the view. free() them. */
char *wave_view_lines(const struct wave_view *view);

/* Replaces the view in a recording's save file (NAME.gtkw). False with a message if it cannot be read or written. */
bool wave_view_change(const char *save_path, const struct wave_view *view, struct error *err);

#endif
