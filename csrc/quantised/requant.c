/* TFLite's fixed-point multiplication. See requant.h. */
#include "quantised/requant.h"

#include <math.h>

#include "nvdla/fixed.h"

enum { MANTISSA_BITS = 31, EXPONENT_MIN = -31, EXPONENT_MAX = 30, WORD = 32 };

struct multiplier multiplier_of(double factor) {
    int exponent;
    const double fraction = frexp(factor, &exponent);
    int64_t mantissa = (int64_t)floor(ldexp(fraction, MANTISSA_BITS) + 0.5);
    if (mantissa == INT64_C(1) << MANTISSA_BITS) {
        mantissa /= 2;
        exponent++;
    }
    if (mantissa == 0 || exponent < EXPONENT_MIN)
        return (struct multiplier){0};
    if (exponent > EXPONENT_MAX)
        return (struct multiplier){INT32_MAX, EXPONENT_MAX};
    return (struct multiplier){(int32_t)mantissa, exponent};
}

double multiplier_value(struct multiplier multiplier) {
    return ldexp(multiplier.mantissa, multiplier.exponent - MANTISSA_BITS);
}

/* Halves go up in the first rounding, away from zero in the second. */
static int64_t apply_micro(struct multiplier multiplier, int64_t value) {
    const int left = multiplier.exponent > 0 ? multiplier.exponent : 0;
    const int right = multiplier.exponent < 0 ? -multiplier.exponent : 0;
    const int64_t shifted = fixed_saturate(value * (INT64_C(1) << left), WORD);
    const int64_t high = (shifted * multiplier.mantissa + (INT64_C(1) << (MANTISSA_BITS - 1))) >> MANTISSA_BITS;
    return fixed_round_shift(high, (unsigned)right);
}

int32_t multiplier_apply(struct multiplier multiplier, int64_t value, enum rounding_rule rule) {
    value = fixed_saturate(value, WORD);
    if (rule == RULE_MICRO)
        return (int32_t)fixed_saturate(apply_micro(multiplier, value), WORD);
    const int shift = MANTISSA_BITS - multiplier.exponent;
    return (int32_t)fixed_saturate((value * multiplier.mantissa + (INT64_C(1) << (shift - 1))) >> shift, WORD);
}
