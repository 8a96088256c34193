/* Properties of the convertor that CDMA, SDP and CDP share: which values it passes without clipping, and which settings
 * suit a stream of values.
 *
 *     result = saturate((value - offset) * scale / 2^shift, bits)      rounded to nearest, ties away from zero
 *
 * Spec: 30-cdma-cbuf section 6.3, 50-sdp section 5.3, 62-cdp sections 4 and 8, 90-statistics section B.5. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct convertor {
    int64_t offset; /* fewer than 48 bits */
    int32_t scale;  /* 16 bits */
    unsigned shift; /* 0..63 */
    int bits;       /* of the result, 1..32 */
};

/* The result for a value of fewer than 48 bits. */
int64_t convertor_apply(const struct convertor *convertor, int64_t value);

/* The value that a result represents: offset + result * 2^shift / scale. The scale is not 0. */
double convertor_value(const struct convertor *convertor, int64_t result);

/* Distance of neighbouring results in units of the value: 2^shift / |scale|. The scale is not 0. */
double convertor_step(const struct convertor *convertor);

/* The numbers from low to high; empty if low > high. */
struct convertor_interval {
    int64_t low, high;
};

/* The values that are not clipped. */
struct convertor_interval convertor_keeps(const struct convertor *convertor);

/* The setting that spreads the values of bins 0 .. bin, |value| <= 2^(bin + 1), over results of `bits` bits: symmetric
 * about 0 or, for values that are never negative, with 0 as the lowest result.
 *
 * bin 0..62; bits 2..17. Spec: 90-statistics section B.5, steps 3 to 5 and 8. */
struct convertor convertor_for_bin(int bin, int bits, bool asymmetric);
