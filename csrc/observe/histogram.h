/* Bit-position statistics of the streams between the engines: one histogram of leftmost non-sign bits for positive and
 * one for negative values, with zeros, -1, extremes and sums. Every element is counted; there is no sampling.
 *
 * Bin of an integer x: floor(log2(x)) for x > 0, floor(log2(-x - 1)) for x < -1; 0 and -1 have no bin. Bin of a
 * floating point value: its biased FP16 exponent 0..30, values beyond FP16 in the last bin on their side; NaN and
 * infinities are counted separately and excluded from extremes and sums. No count depends on the order of the elements.
 * Spec: 90-statistics sections A.3, B.2 and B.3. */
#pragma once

#include "nvdla/config.h"
#include "nvdla/convertor.h"
#include "nvdla/registers.h"
#include "observe/tap.h"

enum { HISTOGRAM_BINS = 63, HISTOGRAM_FP_BINS = 31 };

/* What the convertor at the end of a stream of integers does to it. */
struct histogram_conversion {
    bool known; /* the other members are valid */
    struct convertor convertor;
    struct convertor_interval keeps;
    uint64_t clipped;     /* elements outside its range */
    double error_squares; /* sum of (value - the value its result represents)^2; scales other than 0 */
};

/* How other settings would clip the stream: convertor_for_bin() for every bin. */
enum { HISTOGRAM_SYMMETRIC, HISTOGRAM_ASYMMETRIC, HISTOGRAM_KINDS };
struct histogram_candidates {
    int bits;                                                         /* of the results; 0: not counted */
    struct convertor_interval keeps[HISTOGRAM_KINDS][HISTOGRAM_BINS]; /* ranges by bin, nested */
    /* Elements by the first bin whose setting does not clip them; the last count: clipped by all. */
    uint64_t fits[HISTOGRAM_KINDS][HISTOGRAM_BINS + 1];
};

struct histogram {
    int width;                                                   /* bits of the stream, 1..63; 0: floating point */
    uint64_t count;                                              /* all elements */
    uint64_t zeros, minus_ones;                                  /* integers 0 and -1; +-0 of floating point */
    uint64_t positive[HISTOGRAM_BINS], negative[HISTOGRAM_BINS]; /* by bin */
    uint64_t nans, infinities;                                   /* floating point only */
    uint64_t saturated;        /* elements equal to the lowest or highest number of the stream's width */
    int64_t minimum, maximum;  /* of integers; 0 while nothing is counted */
    __int128 sum;              /* of integers */
    unsigned __int128 squares; /* of integers of at most 48 bits: exact for up to 2^32 elements */
    double fp_minimum, fp_maximum, fp_sum, fp_squares; /* floating point */
    struct histogram_conversion conversion;
    struct histogram_candidates candidates;
};

/* Prepares an empty histogram. */
void histogram_init(struct histogram *histogram, int width);

/* Sets the convertor that the stream enters; call it before counting. bits: of the results of candidate settings,
 * 2..17; 0: no candidates. */
void histogram_convertor(struct histogram *histogram, const struct convertor *convertor, int bits);

/* Counts `atoms` groups of `lanes` values, of which the first `valid` of each group are inside the cube. */
void histogram_int32(struct histogram *histogram, const int32_t *values, size_t atoms, size_t lanes, size_t valid);
void histogram_int64(struct histogram *histogram, const int64_t *values, size_t atoms, size_t lanes, size_t valid);
/* FP32 patterns. */
void histogram_fp32(struct histogram *histogram, const int32_t *patterns, size_t atoms, size_t lanes, size_t valid);
/* Elements in their memory format. */
void histogram_elements(struct histogram *histogram, enum nvdla_precision precision, const uint8_t *bytes, size_t atoms,
                        size_t lanes, size_t valid);

/* Mean and standard deviation: exact, and from the bins, represented by their lower edge (2^bin) or their middle (1.5 *
 * 2^bin). Those from the bins exist for integers only. All are 0 without elements.
 *
 * Spec: 90-statistics sections A.6 and A.7. */
struct histogram_moments {
    double mean, deviation;
    double low_mean, low_deviation;
    double middle_mean, middle_deviation;
};
struct histogram_moments histogram_moments(const struct histogram *histogram);

/* The highest bin that is not empty, -1 if all are empty. */
int histogram_highest(const struct histogram *histogram);

/* The histograms of a run: one per launch and tap, in order of first use. */
struct histogram_entry {
    enum nvdla_unit unit;
    int ordinal; /* of the launch */
    enum tap tap;
    int layer; /* position among the finished launches with histograms, from 0; -1: not finished */
    int group; /* of registers */
    struct histogram histogram;
};

struct histogram_set {
    struct histogram_entry **entries;
    size_t count;
    int layers; /* done */
};

/* A listener that counts every stream named by tap_has_statistics() in the set, which must outlive it. A reset of the
 * device empties the set. */
struct tap_listener histogram_listener(struct histogram_set *set);

/* The histogram of a launch's tap, created if new. Valid until histogram_set_free(). width: see struct histogram. */
struct histogram *histogram_of(struct histogram_set *set, enum nvdla_unit unit, int ordinal, enum tap tap, int width);

/* The same without creating one; NULL if there is none. */
const struct histogram *histogram_find(const struct histogram_set *set, enum nvdla_unit unit, int ordinal,
                                       enum tap tap);

/* The launch is finished: its histograms get a layer number. */
void histogram_set_done(struct histogram_set *set, enum nvdla_unit unit, int ordinal, unsigned group);

/* Frees the histograms; the set is then empty. */
void histogram_set_free(struct histogram_set *set);
