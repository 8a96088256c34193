/* Arithmetic of PDP on whole lines: pooling along W, then along H, in three precisions.
 *
 * Lines are rows of atoms of `lanes` elements, little-endian in the precision of the layer. Between the two stages a
 * pooled row holds one number per element: int16_t (INT8), int32_t (INT16), FP17 patterns in uint32_t (average of FP16)
 * or FP16 patterns in uint32_t (max and min of FP16). Spec: 60-pdp sections 4 and 5. */
#pragma once

#include "nvdla/config.h"

enum pdp_method { PDP_AVERAGE, PDP_MAX, PDP_MIN };

enum { PDP_PADS = 8 }; /* entries of the padding table, T(0) = 0 */

/* Windows and arithmetic of a layer. */
struct pdp_kernel {
    enum nvdla_precision precision;
    enum pdp_method method;
    int width, height;                            /* 1..16 (legal 1..8) */
    int stride_width, stride_height;              /* 1..16 */
    int pad_left, pad_right, pad_top, pad_bottom; /* 0..7 */
    uint32_t reciprocal_width, reciprocal_height; /* 17 bits: unsigned / 65536, or FP17 */
    int32_t pad[PDP_PADS];                        /* T(n), signed 19 bits; FP16: FP17 in the low 17 */
    bool wide_total; /* INT8 averages: rows and vertical pad have 14 bits each, their sum 15; else 14 */
};

/* Rounds product / 65536 to nearest, ties away from zero, and reduces it to `bits` bits like the hardware: without
 * saturation, wrapping differently for each sign.
 *
 * Spec: 60-pdp section 5.3, "RND". */
int64_t pdp_round(int64_t product, int bits);

/* Bytes of an element of a pooled row. */
size_t pdp_row_element(enum nvdla_precision precision);

/* Bits of an integer element; 0: floating point. */
int pdp_row_bits(enum nvdla_precision precision);

/* 1-D pooling of one line: row gets out_width atoms, pooled from the `width` atoms of `in`; output column 0 begins
 * pad_left columns before the line. A window without a valid column (illegal) gives pads only. */
void pdp_pool_width(const struct pdp_kernel *kernel, const void *in, int width, int pad_left, void *row, int out_width,
                    size_t lanes);

/* 2-D pooling: combines `row_count` pooled rows (the valid ones of a window, top first; 0 only in illegal programs) of
 * `elements` elements into one output line. total: scratch, 4 bytes per element. */
void pdp_pool_height(const struct pdp_kernel *kernel, const void *const *rows, int row_count, size_t elements,
                     void *total, void *out);
