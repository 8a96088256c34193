/* CLIP_TRUNCATE: how CACC rounds and clamps a finished sum to the 32 bits that SDP gets.
 *
 * Spec: 40-convolution-core section 9.7. */
#pragma once

#include <stdbool.h>

#include "nvdla/fixed.h"

enum { CACC_STICKY_BITS = 16 }; /* dropped bits that rounding of negative sums considers, including the half */

/* Delivers a sum of at most 48 bits: shifted right by truncate (0..31), rounded to nearest with halves away from zero,
 * clamped to 32 bits. For negative sums and truncate > 16, only the 15 bits below the half count. *saturated: the clamp
 * acted; for negative sums it is judged before rounding. */
static inline int32_t cacc_deliver(int64_t sum, unsigned truncate, bool *saturated) {
    int64_t floor = sum >> truncate;
    int64_t up = 0;
    if (truncate > 0) {
        int64_t rest = sum & ((INT64_C(1) << truncate) - 1), half = INT64_C(1) << (truncate - 1);
        unsigned ignored = truncate > CACC_STICKY_BITS ? truncate - CACC_STICKY_BITS : 0;
        up = rest >= half && (sum >= 0 || (rest - half) >> ignored > 0);
    }
    int64_t rounded = floor + up;
    *saturated = sum >= 0 ? rounded > INT32_MAX : floor < INT32_MIN;
    return (int32_t)fixed_saturate(rounded, 32);
}
