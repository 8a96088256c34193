/* Fixed-point arithmetic shared by engines: saturation, sign extension, rounding right shift, convertor. */
#pragma once

#include <stdint.h>

/* Clamps value to the range of a signed number of `bits` bits, 1 <= bits <= 63.
 *
 * Spec: 50-sdp, "satN(v)". */
inline int64_t fixed_saturate(int64_t value, int bits) {
    int64_t highest = (INT64_C(1) << (bits - 1)) - 1;
    int64_t lowest = -highest - 1;
    return value > highest ? highest : value < lowest ? lowest : value;
}

/* The low `bits` bits of value read as two's complement, 1 <= bits <= 64. Wraps where fixed_saturate() clamps.
 *
 * Spec: 50-sdp and 60-pdp, "sxN(v)". */
inline int64_t fixed_sign_extend(int64_t value, int bits) {
    uint64_t sign = UINT64_C(1) << (bits - 1);
    uint64_t low = (uint64_t)value & (sign | (sign - 1));
    return (int64_t)((low ^ sign) - sign);
}

/* value / 2^shift rounded to nearest, ties away from zero (same for both signs); any shift, 0 leaves the value
 * unchanged.
 *
 * Spec: 50-sdp, "rnd(v,s)". */
inline int64_t fixed_round_shift(int64_t value, unsigned shift) {
    if (shift == 0)
        return value;
    if (shift > 64)
        return 0;
    uint64_t magnitude = value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value;
    uint64_t whole = shift == 64 ? 0 : magnitude >> shift;
    int64_t rounded = (int64_t)(whole + ((magnitude >> (shift - 1)) & 1));
    return value < 0 ? -rounded : rounded;
}

/* The convertor of CDMA, SDP and CDP: (value - offset) * scale / 2^shift, rounded like fixed_round_shift() and clamped
 * to `bits` bits. The product is exact and has at most 63 bits.
 *
 * Spec: 30-cdma-cbuf section 6.3, 50-sdp sections 5.2 and 5.3, 62-cdp sections 4 and 8. */
inline int64_t fixed_convert(int64_t value, int64_t offset, int64_t scale, unsigned shift, int bits) {
    return fixed_saturate(fixed_round_shift((value - offset) * scale, shift), bits);
}

/* fixed_round_shift() for loops with a common shift: has no branches, so compilers vectorise it.
 *
 * shift 0..63, |value| < 2^62. */
struct fixed_rounding {
    int64_t half; /* half a unit of the result */
    int64_t ties; /* -1: ties of negative numbers go down; 0 if shift is 0 */
    unsigned shift;
};

inline struct fixed_rounding fixed_rounding(unsigned shift) {
    return (struct fixed_rounding){shift > 0 ? INT64_C(1) << (shift - 1) : 0, shift > 0 ? -1 : 0, shift};
}

inline int64_t fixed_round(struct fixed_rounding rounding, int64_t value) {
    return (value + rounding.half + (-(int64_t)(value < 0) & rounding.ties)) >> rounding.shift;
}
