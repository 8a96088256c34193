/* What moved around the first wrong element, stream by stream: a small view of waves. Plain data, made by csrc/triage
 * and shown by the reports. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nvdla/engines.h"

/* One of the elements that moved in a clock: the first that is wrong, else the first. */
struct beat {
    uint64_t cycle;
    char *value;    /* of the RTL */
    char *expected; /* NULL: it is right, or not known */
    char *place;
};

struct beat_row {
    enum nvdla_engine engine;
    const char *stream;
    struct beat *beats;
    size_t count;
};

struct beat_rows {
    uint64_t from, to; /* clocks */
    struct beat_row *rows;
    size_t count;
};

void beat_rows_free(struct beat_rows *rows);
