/* PRA, the pre-addition of Winograd: the transform of input tiles in CSC, V = B^T d B with [d0-d2, d1+d2, d2-d1, d1-d3]
 * along the rows of each column, then along the columns of each row.
 *
 * Spec: 40-convolution-core sections 3.3 and 9.6. */
#pragma once

#include "nvdla/config.h"

enum { PRA_TILE = 4 }; /* rows and columns */

/* Transforms `count` channels of one tile, each independently.
 *
 * pixels     channel 0 of the pixel in row 0, column 0; pixels of a row are `pixel` elements apart, rows `line`
 * precision  integers are exact, shifted right by `truncate` (0..3; 3 acts as 2) with rounding, halves away from zero,
 *            and saturated; FP16 patterns are transformed in FP17 and rounded, truncate is ignored
 * out        [4 * row + column][count] */
void pra_transform(const int16_t *pixels, size_t line, size_t pixel, size_t count, enum nvdla_precision precision,
                   unsigned truncate, int16_t *out);
