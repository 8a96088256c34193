/* Accumulation and delivery of integer sums. See cacc.h. */
#include "model/cacc.h"

#include <string.h>

#include "nvdla/fixed.h"
#include "nvdla/wide.h"

enum { NARROW_BITS = 34, WIDE_BITS = 48 };

int cacc_width(const struct nvdla_config *config, enum nvdla_precision precision, size_t k) {
    bool wide = nvdla_has_16_bits(config);
    return wide && (precision != NVDLA_INT8 || k % 2 == 0) ? WIDE_BITS : NARROW_BITS;
}

int64_t cacc_add(int64_t accumulator, int64_t addend, int bits) {
    return fixed_saturate(accumulator + addend, bits);
}

enum { SOME = 64 }; /* sums processed together */

/* Sums that fit 32 bits at every step. */
WIDE static void deliver_narrow(const int32_t *sums, int32_t *out, size_t count, unsigned truncate) {
    if (truncate == 0) {
        memcpy(out, sums, count * sizeof *out);
        return;
    }
    int32_t half = (int32_t)1 << (truncate - 1), mask = half - 1 + half;
    /* How far the remainder of a negative sum must exceed the half. */
    int32_t least = truncate > CACC_STICKY_BITS ? (int32_t)1 << (truncate - CACC_STICKY_BITS) : 1;
    for (size_t i = 0; i < count; i++) {
        int32_t rest = (sums[i] & mask) - half;
        out[i] = (sums[i] >> truncate) + (rest >= (sums[i] < 0 ? least : 0));
    }
}

/* Copies the low halves of the sums; returns false if that loses bits. */
WIDE static bool narrow(const int64_t *sums, int32_t *out, size_t count) {
    uint64_t high = 0;
    for (size_t i = 0; i < count; i++) {
        out[i] = (int32_t)sums[i];
        high |= (uint64_t)(sums[i] + INT32_MAX + 1) >> 32;
    }
    return high == 0;
}

uint64_t cacc_deliver_all(const int64_t *sums, int32_t *out, size_t count, unsigned truncate) {
    uint64_t flagged = 0;
    for (size_t first = 0; first < count; first += SOME) {
        size_t n = count - first < SOME ? count - first : SOME;
        int32_t low[SOME];
        if (narrow(sums + first, low, n)) {
            deliver_narrow(low, out + first, n, truncate);
            continue;
        }
        for (size_t i = first; i < first + n; i++) {
            bool saturated;
            out[i] = cacc_deliver(sums[i], truncate, &saturated);
            flagged += saturated;
        }
    }
    return flagged;
}
