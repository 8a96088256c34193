/* Bit-position statistics of a stream of values: one histogram of leftmost non-sign bits for positive and one for
 * negative values, with zeros, -1, extremes and sums. Every element is counted, none is sampled.
 *
 * Bin of an integer x: floor(log2(x)) for x > 0, floor(log2(-x - 1)) for x < -1; 0 and -1 have no bin. Bin of a
 * floating point value: its biased FP16 exponent 0..30; NaN and infinities are counted apart, their extremes and sums
 * left out. Spec: 90-statistics sections A.3, B.2 and B.3.
 */
#ifndef MODEL_HISTOGRAM_H
#define MODEL_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/registers.h"

enum { HISTOGRAM_BINS = 63 };

struct histogram {
    int width;                                                   /* bits of the stream; 0: floating point */
    uint64_t count;                                              /* elements, all of them */
    uint64_t zeros, minus_ones;                                  /* integers equal to 0 and -1; +-0 of floating point */
    uint64_t positive[HISTOGRAM_BINS], negative[HISTOGRAM_BINS]; /* by bin */
    uint64_t nans, infinities;                                   /* floating point only */
    uint64_t saturated;                                          /* elements at either end of the stream's range */
    double minimum, maximum;                                     /* 0 while nothing is counted */
    double sum, squares;                                         /* of the values, for exact mean and variance */
};

/* Where a stream stands in the pipeline. Integers of `width` bits unless the layer is FP16. */
enum tap {
    TAP_CDMA_CVT,   /* input elements of a convolution before the input convertor; 17 bits */
    TAP_CACC,       /* accumulators before CLIP_TRUNCATE; 34 or 48 bits */
    TAP_CACC_OUT,   /* what CACC delivers; 32 bits */
    TAP_SDP_IN,     /* input of SDP; 32 bits */
    TAP_EW_ALU_CVT, /* operands from memory before their convertors; 16 bits */
    TAP_EW_MUL_CVT,
    TAP_SDP_CVT, /* before the output convertor of SDP; 32 bits */
    TAP_SDP_OUT, /* elements written or handed to PDP; 8 or 16 bits */
    TAP_PDP_OUT,
    TAP_CDP_IN,  /* elements before the input convertor */
    TAP_CDP_CVT, /* before the output convertor; 25 or 33 bits */
    TAP_CDP_OUT,
    TAP_COUNT
};

extern const char *const tap_names[TAP_COUNT]; /* "CACC_OUT", ... */

/* Counts `atoms` groups of `lanes` values of which the first `valid` ones of each belong to the cube: integers, and
 * patterns of FP16 or FP32. */
void histogram_int32(struct histogram *histogram, const int32_t *values, size_t atoms, size_t lanes, size_t valid);
void histogram_int64(struct histogram *histogram, const int64_t *values, size_t atoms, size_t lanes, size_t valid);
void histogram_fp16(struct histogram *histogram, const uint16_t *values, size_t atoms, size_t lanes, size_t valid);
void histogram_fp32(struct histogram *histogram, const int32_t *values, size_t atoms, size_t lanes, size_t valid);

/* Histograms of a run: one for each layer and tap, in the order of their first use. */
struct histogram_entry {
    enum nvdla_unit unit; /* whose launch it is */
    int ordinal;
    enum tap tap;
    struct histogram histogram;
};

struct histogram_set {
    struct histogram_entry **entries;
    size_t count, capacity;
};

/* The histogram of a launch's tap, made if it is new. Stays valid until histogram_set_free(). NULL if set is NULL
 * (nothing is collected) or memory is exhausted. width: 0 for floating point. */
struct histogram *histogram_of(struct histogram_set *set, enum nvdla_unit unit, int ordinal, enum tap tap, int width);
void histogram_set_free(struct histogram_set *set);

/* Mean and standard deviation: exact, and as the bins give them with the lower edge (2^bin) or the middle (1.5 * 2^bin)
 * of each as representative. Integers only; all 0 without elements.
 *
 * Spec: 90-statistics sections A.6 and A.7. */
struct histogram_moments {
    double mean, deviation;
    double low_mean, low_deviation;
    double middle_mean, middle_deviation;
};
struct histogram_moments histogram_moments(const struct histogram *histogram);

#endif
