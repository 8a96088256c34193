/* The bins of functional coverage (coverage/coverage.h): engines, their aspects with the possible values, crosses of
 * aspects. Each engine has its own file (coverage_ENGINE.c). */
#pragma once

#include "nvdla/config.h"

enum { COVERAGE_ASPECTS_MAX = 64, COVERAGE_CROSS_ASPECTS = 4 };

/* What a bin needs of a configuration; values can be combined by addition. */
enum {
    COVERAGE_NEEDS_INT16 = 1 << FEATURE_INT16,
    COVERAGE_NEEDS_FP16 = 1 << FEATURE_FP16,
    COVERAGE_NEEDS_COMPRESSION = 1 << FEATURE_COMPRESSION,
    COVERAGE_NEEDS_WINOGRAD = 1 << FEATURE_WINOGRAD,
    COVERAGE_NEEDS_BATCH = 1 << FEATURE_BATCHES,
    COVERAGE_NEEDS_EW = 1 << FEATURE_EW,
    COVERAGE_NEEDS_PDP = 1 << FEATURE_PDP,
    COVERAGE_NEEDS_CDP = 1 << FEATURE_CDP,
    COVERAGE_NEEDS_LUT = 1 << FEATURE_SDP_LUT,
    COVERAGE_NEEDS_SECONDARY = 1 << FEATURE_SECONDARY_MEMORY,
    COVERAGE_NEEDS_WIDE = 1 << FEATURE_COUNT, /* 16 or more input channels at a time */
    COVERAGE_NEEDS_BDMA = 1 << FEATURE_BDMA,
    COVERAGE_NEEDS_RUBIK = 1 << FEATURE_RUBIK,
    COVERAGE_NEEDS_C64 = 2 << FEATURE_COUNT, /* 64 input channels at a time; 16, 32 kernels; atoms of 16, 32 bytes */
    COVERAGE_NEEDS_K16 = 4 << FEATURE_COUNT,
    COVERAGE_NEEDS_K32 = 8 << FEATURE_COUNT,
    COVERAGE_NEEDS_A16 = 16 << FEATURE_COUNT,
    COVERAGE_NEEDS_A32 = 32 << FEATURE_COUNT,
    COVERAGE_IMPOSSIBLE = 1 << 30
};

struct coverage_aspect {
    const char *name;
    /* Names of the values in order, separated by blanks; "int16@int16" needs a feature, by its lower-case name. NULL:
     * the names of the configurations. */
    const char *values;
    unsigned needs; /* needed by all of its values */
};

struct coverage_cross {
    int aspects[COVERAGE_CROSS_ASPECTS], aspect_count;
    unsigned (*needs)(const int *values); /* needed by a combination beyond its values; NULL: nothing */
};

struct coverage_engine {
    const char *name;
    const char *what; /* what it counts: "layer", "trace" */
    const struct coverage_aspect *aspects;
    size_t aspect_count;
    const struct coverage_cross *crosses;
    size_t cross_count;
    unsigned needs; /* needed by all of its bins */
};

enum {
    COVERAGE_TRACE, /* a whole trace */
    COVERAGE_CHAIN, /* a chain from memory to memory, e.g. convolution, SDP and PDP */
    COVERAGE_CONV,  /* a convolution: CDMA, CSC, CMAC and CACC together */
    COVERAGE_SDP,
    COVERAGE_SDP_LUT, /* the table of SDP, for layers that use it */
    COVERAGE_SDP_RDMA,
    COVERAGE_PDP,
    COVERAGE_CDP,
    COVERAGE_BDMA,       /* a group: the copies of one launch */
    COVERAGE_BDMA_BLOCK, /* a descriptor */
    COVERAGE_RUBIK,
    COVERAGE_VALUES, /* an element stream of a launch: coverage/corners.h */
    COVERAGE_ENGINES
};
