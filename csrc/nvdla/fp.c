/* NVDLA's floating point on bit patterns. See fp.h. */
#include "nvdla/fp.h"

/* A format: sign, E exponent bits, M mantissa bits. */
struct format {
    unsigned exponent_bits, mantissa_bits;
};

static const struct format fp16 = {5, 10}, fp17 = {6, 10}, fp32 = {8, 23};

static inline uint32_t mantissa_of(struct format f, uint32_t a) {
    return a & ((UINT32_C(1) << f.mantissa_bits) - 1);
}

static inline uint32_t exponent_of(struct format f, uint32_t a) {
    return a >> f.mantissa_bits & ((UINT32_C(1) << f.exponent_bits) - 1);
}

static inline uint32_t sign_of(struct format f, uint32_t a) {
    return a >> (f.exponent_bits + f.mantissa_bits) & 1;
}

static inline uint32_t exponent_ones(struct format f) {
    return (UINT32_C(1) << f.exponent_bits) - 1;
}

static inline int32_t bias_of(struct format f) {
    return (int32_t)(exponent_ones(f) >> 1);
}

static inline bool is_nan(struct format f, uint32_t a) {
    return exponent_of(f, a) == exponent_ones(f) && mantissa_of(f, a) != 0;
}

static inline bool is_zero(struct format f, uint32_t a) {
    return exponent_of(f, a) == 0 && mantissa_of(f, a) == 0;
}

static inline uint32_t compose(struct format f, uint32_t sign, uint32_t exponent, uint32_t mantissa) {
    return sign << (f.exponent_bits + f.mantissa_bits) | exponent << f.mantissa_bits | mantissa;
}

static inline uint32_t largest(struct format f, uint32_t sign) {
    return compose(f, sign, exponent_ones(f) - 1, (UINT32_C(1) << f.mantissa_bits) - 1);
}

/* Mantissa with its hidden 1. */
static inline uint64_t significand(struct format f, uint32_t a) {
    return is_zero(f, a) ? 0 : UINT64_C(1) << f.mantissa_bits | mantissa_of(f, a);
}

static inline unsigned leading_bit(uint64_t value) {
    return 63 - (unsigned)__builtin_clzll(value);
}

/* value / 2^shift to nearest even. */
static inline uint64_t round_even(uint64_t value, unsigned shift) {
    if (shift == 0)
        return value;
    if (shift > 63)
        return 0;
    uint64_t whole = value >> shift, rest = value & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    return whole + (rest > half || (rest == half && (whole & 1)));
}

/* value / 2^shift; the dropped bits become a sticky lowest bit. */
static inline uint64_t shift_sticky(uint64_t value, unsigned shift) {
    if (shift == 0)
        return value;
    if (shift > 63)
        return value != 0;
    return value >> shift | ((value & ((UINT64_C(1) << shift) - 1)) != 0);
}

enum { GUARD = 30 }; /* bits below the mantissa in sums */

static inline uint32_t add(struct format f, uint32_t a, uint32_t b) {
    if (is_nan(f, a))
        return a;
    if (is_nan(f, b))
        return b;
    uint32_t magnitude = (UINT32_C(1) << (f.exponent_bits + f.mantissa_bits)) - 1;
    bool swap = (b & magnitude) > (a & magnitude);
    uint32_t large = swap ? b : a, small = swap ? a : b;
    uint32_t sign = sign_of(f, large);
    uint32_t distance = exponent_of(f, large) - exponent_of(f, small);
    uint64_t sum = significand(f, large) << GUARD;
    uint64_t other = shift_sticky(significand(f, small) << GUARD, distance);
    sum = sign == sign_of(f, small) ? sum + other : sum - other;
    if (sum == 0)
        return compose(f, sign, 0, 0);
    unsigned top = leading_bit(sum), one = f.mantissa_bits + GUARD;
    int32_t exponent = (int32_t)exponent_of(f, large) + (int32_t)top - (int32_t)one;
    if (exponent <= 0)
        return compose(f, sign, 0, 0);
    uint64_t rounded = round_even(sum, top - f.mantissa_bits);
    if (rounded >> (f.mantissa_bits + 1)) {
        rounded >>= 1;
        exponent++;
    }
    /* Only a carry into an exponent of all ones saturates; an operand that already has that exponent keeps it. */
    bool carried = exponent > (int32_t)exponent_of(f, large);
    if (exponent >= (int32_t)exponent_ones(f) && (carried || exponent > (int32_t)exponent_ones(f)))
        return largest(f, sign);
    return compose(f, sign, (uint32_t)exponent, mantissa_of(f, (uint32_t)rounded));
}

static inline uint32_t mul(struct format f, uint32_t a, uint32_t b) {
    if (is_nan(f, a))
        return a;
    if (is_nan(f, b))
        return b;
    uint32_t sign = sign_of(f, a) ^ sign_of(f, b);
    int32_t exponent = (int32_t)(exponent_of(f, a) + exponent_of(f, b)) - bias_of(f);
    if (is_zero(f, a) || is_zero(f, b) || exponent < 0)
        return compose(f, sign, 0, 0);
    if (exponent >= (int32_t)exponent_ones(f))
        return largest(f, sign);
    uint64_t product = significand(f, a) * significand(f, b);
    unsigned top = leading_bit(product);
    exponent += (int32_t)top - 2 * (int32_t)f.mantissa_bits;
    uint64_t rounded = round_even(product, top - f.mantissa_bits);
    if (rounded >> (f.mantissa_bits + 1)) {
        rounded >>= 1;
        exponent++;
    }
    if (exponent <= 0)
        return compose(f, sign, 0, 0);
    if (exponent >= (int32_t)exponent_ones(f))
        return largest(f, sign);
    return compose(f, sign, (uint32_t)exponent, mantissa_of(f, (uint32_t)rounded));
}

/* True if a is below b in sign-magnitude order. */
static inline bool below(struct format f, uint32_t a, uint32_t b) {
    uint32_t magnitude = (UINT32_C(1) << (f.exponent_bits + f.mantissa_bits)) - 1;
    int64_t x = sign_of(f, a) ? -1 - (int64_t)(a & magnitude) : (int64_t)(a & magnitude);
    int64_t y = sign_of(f, b) ? -1 - (int64_t)(b & magnitude) : (int64_t)(b & magnitude);
    return x < y;
}

/* The larger or the smaller one. */
static inline uint32_t extreme(struct format f, uint32_t a, uint32_t b, bool smaller) {
    if (is_nan(f, a))
        return a;
    if (is_nan(f, b))
        return b;
    return below(f, a, b) == smaller ? a : b;
}

/* To a format with more exponent bits and at least as many mantissa bits. denormals: exponent 0 of `from` has no hidden
 * 1. */
static inline uint32_t widen(struct format from, struct format to, uint32_t a, bool denormals) {
    uint32_t sign = sign_of(from, a), exponent = exponent_of(from, a), mantissa = mantissa_of(from, a);
    unsigned more = to.mantissa_bits - from.mantissa_bits;
    int32_t shift = bias_of(to) - bias_of(from);
    if (is_nan(from, a))
        return compose(to, sign, exponent_ones(to), mantissa);
    if (is_zero(from, a))
        return compose(to, sign, 0, 0);
    if (denormals && exponent == exponent_ones(from))
        return largest(to, sign);
    if (denormals && exponent == 0) {
        unsigned top = leading_bit(mantissa), left = from.mantissa_bits - top;
        mantissa = mantissa_of(from, mantissa << left);
        return compose(to, sign, (uint32_t)(shift + 1 - (int32_t)left), mantissa << more);
    }
    return compose(to, sign, (uint32_t)((int32_t)exponent + shift), mantissa << more);
}

/* To a format with fewer exponent bits. denormals: `to` has them. */
static inline uint32_t narrow(struct format from, struct format to, uint32_t a, bool denormals) {
    uint32_t sign = sign_of(from, a);
    unsigned fewer = from.mantissa_bits - to.mantissa_bits;
    if (is_nan(from, a))
        return compose(to, sign, exponent_ones(to), mantissa_of(to, a));
    if (is_zero(from, a))
        return compose(to, sign, 0, 0);
    int32_t exponent = (int32_t)exponent_of(from, a) - bias_of(from) + bias_of(to);
    uint64_t value = significand(from, a);
    uint32_t one = UINT32_C(1) << to.mantissa_bits;
    if (exponent <= 0) {
        /* As a denormal: the hidden 1 is 1 - exponent places below its place at exponent 1. */
        uint32_t rounded = (uint32_t)round_even(value, fewer + (unsigned)(1 - exponent));
        if (rounded == one)
            return compose(to, sign, 1, 0);
        return compose(to, sign, 0, denormals ? rounded : 0);
    }
    uint32_t rounded = (uint32_t)round_even(value, fewer);
    if (rounded == 2 * one) {
        rounded = one;
        exponent++;
    }
    if (exponent >= (int32_t)exponent_ones(to))
        return largest(to, sign);
    return compose(to, sign, (uint32_t)exponent, mantissa_of(to, rounded));
}

bool fp16_is_nan(uint16_t a) {
    return is_nan(fp16, a);
}

bool fp17_is_nan(uint32_t a) {
    return is_nan(fp17, a);
}

bool fp32_is_nan(uint32_t a) {
    return is_nan(fp32, a);
}

uint32_t fp17_add(uint32_t a, uint32_t b) {
    return add(fp17, a, b);
}

uint32_t fp17_mul(uint32_t a, uint32_t b) {
    return mul(fp17, a, b);
}

uint32_t fp32_add(uint32_t a, uint32_t b) {
    return add(fp32, a, b);
}

uint32_t fp32_sub(uint32_t a, uint32_t b) {
    return add(fp32, a, b ^ UINT32_C(0x80000000));
}

uint32_t fp32_mul(uint32_t a, uint32_t b) {
    return mul(fp32, a, b);
}

uint32_t fp32_max(uint32_t a, uint32_t b) {
    return extreme(fp32, a, b, false);
}

uint32_t fp32_min(uint32_t a, uint32_t b) {
    return extreme(fp32, a, b, true);
}

uint16_t fp16_max(uint16_t a, uint16_t b) {
    return (uint16_t)extreme(fp16, a, b, false);
}

uint16_t fp16_min(uint16_t a, uint16_t b) {
    return (uint16_t)extreme(fp16, a, b, true);
}

uint32_t fp16_to_fp17(uint16_t a) {
    return widen(fp16, fp17, a, true);
}

uint32_t fp16_to_fp32(uint16_t a) {
    return widen(fp16, fp32, a, true);
}

uint32_t fp17_to_fp32(uint32_t a) {
    return widen(fp17, fp32, a, false);
}

uint16_t fp17_to_fp16(uint32_t a) {
    return (uint16_t)narrow(fp17, fp16, a, true);
}

uint16_t fp32_to_fp16(uint32_t a) {
    return (uint16_t)narrow(fp32, fp16, a, true);
}

uint32_t fp32_to_fp17(uint32_t a) {
    return narrow(fp32, fp17, a, false);
}

int16_t fp16_to_int16(uint16_t a) {
    if (is_nan(fp16, a))
        return INT16_MIN;
    int32_t exponent = (int32_t)exponent_of(fp16, a);
    uint64_t value = exponent == 0 ? mantissa_of(fp16, a) : significand(fp16, a);
    int32_t shift = (exponent == 0 ? 1 : exponent) - 25; /* value * 2^shift */
    int64_t magnitude;
    if (shift >= 0) {
        magnitude = (int64_t)(value << shift);
    } else {
        uint64_t whole = value >> -shift;
        magnitude = (int64_t)(whole + (value >> (-shift - 1) & 1));
    }
    if (sign_of(fp16, a))
        return magnitude > 32768 ? INT16_MIN : (int16_t)-magnitude;
    return magnitude > INT16_MAX ? INT16_MAX : (int16_t)magnitude;
}

uint16_t fp16_from_integer(int32_t value) {
    uint32_t sign = value < 0;
    uint64_t magnitude = sign ? (uint64_t)(-(int64_t)value) : (uint64_t)value;
    if (magnitude == 0)
        return 0;
    unsigned top = leading_bit(magnitude);
    uint32_t exponent = top + 15;
    uint64_t rounded = top <= 10 ? magnitude << (10 - top) : round_even(magnitude, top - 10);
    if (rounded >> 11) {
        rounded >>= 1;
        exponent++;
    }
    return (uint16_t)(exponent >= 31 ? largest(fp16, sign)
                                     : compose(fp16, sign, exponent, mantissa_of(fp16, (uint32_t)rounded)));
}

uint32_t fp17_from_fraction(uint64_t numerator, unsigned bits) {
    if (numerator == 0)
        return 0;
    unsigned top = leading_bit(numerator);
    int32_t exponent = (int32_t)top - (int32_t)bits + bias_of(fp17);
    uint64_t rounded = top <= 10 ? numerator << (10 - top) : round_even(numerator, top - 10);
    if (rounded >> 11) {
        rounded >>= 1;
        exponent++;
    }
    return exponent <= 0 ? 0 : compose(fp17, 0, (uint32_t)exponent, mantissa_of(fp17, (uint32_t)rounded));
}
