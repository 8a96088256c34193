/* Recommends convertor settings for a stream from its histogram, and predicts the effect of a setting.
 *
 * Spec: 90-statistics sections B.5, B.9 and B.10. */
#pragma once

#include "nvdla/convertor.h"
#include "observe/histogram.h"

/* Expected effect of a setting, with values spread evenly over each bin: number of clipped values, root mean square of
 * the error by quantisation and clipping in units of the values, and root mean square of the values. */
struct calibrate_estimate {
    double saturated, error, signal;
};

/* For a scale other than 0 and a histogram of integers that is not empty. Section B.10; a step of 1 changes no
 * integer. */
struct calibrate_estimate calibrate_expect(const struct histogram *histogram, const struct convertor *setting);

/* The lowest bin with at most clip * count values in the bins above it, at least 0. Section B.5, step 2. */
int calibrate_bin(const struct histogram *histogram, double clip);

enum calibrate_kind {
    CALIBRATE_SYMMETRIC,
    CALIBRATE_ASYMMETRIC, /* streams without negative values: 0 becomes the lowest result */
    CALIBRATE_CENTRED     /* the middle of the range becomes 0 */
};

struct calibrate_options {
    double clip;              /* share of the values that may be clipped, 0..1 */
    bool minimum_error;       /* instead choose the bin with the smallest expected error */
    enum calibrate_kind kind; /* falls back to symmetric if the stream or the offset register does not allow it */
    int offset_bits;          /* width of the signed offset register */
};

struct calibrate_setting {
    struct convertor convertor;
    bool present;       /* the present setting: it clips nothing and has a smaller expected error than any other */
    int bin;            /* bin of the recommended setting */
    uint64_t above;     /* values in the bins above it */
    uint64_t saturated; /* exact, of the counted values */
    struct calibrate_estimate expected;
};

/* Recommends a setting for a stream before a convertor. histogram: not empty, with candidates; present: the setting
 * now. */
struct calibrate_setting calibrate_convertor(const struct histogram *histogram, const struct convertor *present,
                                             const struct calibrate_options *options);

/* CLIP_TRUNCATE for a histogram of accumulators: the smallest that saturates none of them. Section B.9. */
unsigned calibrate_truncate(const struct histogram *histogram);
