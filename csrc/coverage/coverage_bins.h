/* The bins of functional coverage (coverage/coverage.h): engines, their aspects with the possible values, crosses of
 * aspects. Each engine has its own file (coverage_ENGINE.c). */
#pragma once

#include "nvdla/config.h"

enum { COVERAGE_ASPECTS_MAX = 64, COVERAGE_CROSS_ASPECTS = 4 };

/* What a bin needs of a configuration; values can be combined by addition. F(NAME, its name in lists of values, bit).
 */
#define FOR_COVERAGE_FEATURES(F)                                                                                       \
    F(INT16, "int16", FEATURE_INT16)                                                                                   \
    F(FP16, "fp16", FEATURE_FP16)                                                                                      \
    F(COMPRESSION, "compression", FEATURE_COMPRESSION)                                                                 \
    F(WINOGRAD, "winograd", FEATURE_WINOGRAD)                                                                          \
    F(BATCH, "batch", FEATURE_BATCHES)                                                                                 \
    F(EW, "ew", FEATURE_EW)                                                                                            \
    F(PDP, "pdp", FEATURE_PDP)                                                                                         \
    F(CDP, "cdp", FEATURE_CDP)                                                                                         \
    F(LUT, "lut", FEATURE_SDP_LUT)                                                                                     \
    F(SECONDARY, "secondary", FEATURE_SECONDARY_MEMORY)                                                                \
    F(BDMA, "bdma", FEATURE_BDMA)                                                                                      \
    F(RUBIK, "rubik", FEATURE_RUBIK)                                                                                   \
    F(WIDE, "wide", FEATURE_COUNT)   /* 16 or more input channels at a time */                                         \
    F(C64, "c64", FEATURE_COUNT + 1) /* 64 input channels at a time; 16, 32 kernels; atoms of 16, 32 bytes */          \
    F(K16, "k16", FEATURE_COUNT + 2)                                                                                   \
    F(K32, "k32", FEATURE_COUNT + 3)                                                                                   \
    F(A16, "a16", FEATURE_COUNT + 4)                                                                                   \
    F(A32, "a32", FEATURE_COUNT + 5)

#define COVERAGE_NEED(name, word, bit) COVERAGE_NEEDS_##name = 1 << (bit),
enum { FOR_COVERAGE_FEATURES(COVERAGE_NEED) COVERAGE_IMPOSSIBLE = 1 << 30 };

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
