/* The path of a wrong value along the data path: streams in order, the result of comparing both sides in each, and the
 * step where the error began.
 *
 * Plain data; its creator keeps it until the reports are written. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nvdla/engines.h"

enum walk_state {
    WALK_EQUAL,
    WALK_PASSED, /* passed on unchanged; whether it was right is not compared here */
    WALK_DIFFERS,
    WALK_SHORT, /* one side ended before the other; equal up to there */
    WALK_UNSEEN /* nothing was recorded there */
};

struct walk_step {
    enum nvdla_engine engine;
    const char *stream; /* name of the tap */
    enum walk_state state;
    uint64_t elements; /* compared elements */
    uint64_t cycle;    /* clock of the first element that differs or is missing, in the RTL; 0: unknown */
    char text[256];    /* the result as text */
};

struct walk {
    struct walk_step *steps; /* in the order of the data path */
    size_t count;
    size_t first;        /* the guilty step; count: none */
    char sentence[1024]; /* the verdict */
};
