/* Settings of convertors that suit a stream, from its histogram, and what a setting is expected to do to it.
 *
 * Spec: 90-statistics sections B.5, B.9 and B.10.
 */
#ifndef REPORT_CALIBRATE_H
#define REPORT_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#include "nvdla/convertor.h"
#include "observe/histogram.h"

/* What the bins say of a setting: values that it clips, taking those of a bin as spread evenly over it; root mean
 * square of what quantisation and clipping change, in units of the values; and the same of the values themselves. */
struct calibrate_estimate {
    double saturated, error, signal;
};

/* Of a setting whose scale is not 0, and a histogram of integers that is not empty. Section B.10; a step of 1 changes
 * no integer. */
struct calibrate_estimate calibrate_expect(const struct histogram *histogram, const struct convertor *setting);

/* The lowest bin with at most clip * count values in the bins above it, at least 0. Section B.5, step 2. */
int calibrate_bin(const struct histogram *histogram, double clip);

enum calibrate_kind {
    CALIBRATE_SYMMETRIC,
    CALIBRATE_ASYMMETRIC, /* streams without negative values: 0 becomes the lowest result */
    CALIBRATE_CENTRED     /* the middle of the extremes becomes 0 */
};

struct calibrate_options {
    double clip;              /* share of the values that may be clipped, 0..1 */
    bool minimum_error;       /* the bin of the least expected error instead */
    enum calibrate_kind kind; /* what the stream or the offset register does not allow becomes symmetric */
    int offset_bits;          /* of the signed offset register */
};

struct calibrate_setting {
    struct convertor convertor;
    bool present;       /* the present setting: it clips nothing and is expected to change less than another would */
    int bin;            /* that the other was made for */
    uint64_t above;     /* values in the bins above it */
    uint64_t saturated; /* exactly, of the values that were counted */
    struct calibrate_estimate expected;
};

/* The setting for a stream before a convertor. histogram: not empty, with candidates; present: the setting now. */
struct calibrate_setting calibrate_convertor(const struct histogram *histogram, const struct convertor *present,
                                             const struct calibrate_options *options);

/* CLIP_TRUNCATE for a histogram of accumulators: the smallest that saturates none of them. Section B.9. */
unsigned calibrate_truncate(const struct histogram *histogram);

#endif
