/* Floating point by its definition: exact integers, then one rounding. */
#include "naive_fp.h"

const struct naive_format naive_fp17 = {6, 10}, naive_fp32 = {8, 23};

wide naive_saturate(wide v, int bits) {
    const wide top = ((wide)1 << (bits - 1)) - 1;
    return v > top ? top : v < -top - 1 ? -top - 1 : v;
}

int64_t naive_sign_extend(uint64_t v, int bits) {
    const uint64_t low = bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
    return low >> (bits - 1) & 1 ? (int64_t)(low - (bits == 64 ? 0 : UINT64_C(1) << bits)) : (int64_t)low;
}

wide naive_round_shift(wide v, int shift) {
    if (shift == 0)
        return v;
    if (shift > 120)
        return 0;
    const wide magnitude = ((v < 0 ? -v : v) + ((wide)1 << (shift - 1))) >> shift;
    return v < 0 ? -magnitude : magnitude;
}

/* v / 2^shift to nearest, ties to even. */
static uint64_t half_even(uint64_t v, int shift) {
    if (shift <= 0)
        return v << -shift;
    if (shift > 63)
        return 0;
    const uint64_t q = v >> shift, rest = v & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    return q + (rest > half || (rest == half && (q & 1)));
}

static int top_bit(uint64_t v) {
    int p = -1;
    for (; v; v >>= 1)
        p++;
    return p;
}

/* ---- FP17 and FP32 ---------------------------------------------------------------------------------------------- */

static uint32_t sign_of(const struct naive_format *f, uint32_t a) {
    return a >> (f->exponent_bits + f->mantissa_bits) & 1;
}

static int exponent_of(const struct naive_format *f, uint32_t a) {
    return (int)(a >> f->mantissa_bits & ((1u << f->exponent_bits) - 1));
}

static uint32_t mantissa_of(const struct naive_format *f, uint32_t a) {
    return a & ((1u << f->mantissa_bits) - 1);
}

static uint32_t pack(const struct naive_format *f, uint32_t sign, int exponent, uint64_t mantissa) {
    return sign << (f->exponent_bits + f->mantissa_bits) | (uint32_t)exponent << f->mantissa_bits | (uint32_t)mantissa;
}

static uint32_t zero(const struct naive_format *f, uint32_t sign) {
    return pack(f, sign, 0, 0);
}

static uint32_t largest(const struct naive_format *f, uint32_t sign) {
    return pack(f, sign, (1 << f->exponent_bits) - 2, (1u << f->mantissa_bits) - 1);
}

static bool is_zero(const struct naive_format *f, uint32_t a) {
    return exponent_of(f, a) == 0 && mantissa_of(f, a) == 0;
}

/* Significand with the hidden bit; an exponent of 0 with a mantissa is a number like any other. */
static uint64_t significand(const struct naive_format *f, uint32_t a) {
    return is_zero(f, a) ? 0 : UINT64_C(1) << f->mantissa_bits | mantissa_of(f, a);
}

bool naive_is_nan(const struct naive_format *f, uint32_t a) {
    return exponent_of(f, a) == (1 << f->exponent_bits) - 1 && mantissa_of(f, a) != 0;
}

uint32_t naive_add(const struct naive_format *f, uint32_t a, uint32_t b) {
    if (naive_is_nan(f, a))
        return a;
    if (naive_is_nan(f, b))
        return b;
    const int m = f->mantissa_bits, guard = m + 5, top = (1 << f->exponent_bits) - 1;
    const uint32_t magnitudes = (1u << (f->exponent_bits + m)) - 1;
    const bool b_larger = (b & magnitudes) > (a & magnitudes);
    const uint32_t large = b_larger ? b : a, small = b_larger ? a : b, sign = sign_of(f, large);
    const int distance = exponent_of(f, large) - exponent_of(f, small);
    const uint64_t x = significand(f, large) << guard, y = significand(f, small) << guard;
    uint64_t aligned = distance > 63 ? 0 : y >> distance;
    if (y != 0 && (distance > 63 || (aligned << distance) != y))
        aligned |= 1; /* sticky: far below anything that rounding looks at exactly */
    const uint64_t sum = sign_of(f, small) == sign ? x + aligned : x - aligned;
    if (sum == 0)
        return zero(f, sign);
    const int high = top_bit(sum), exponent = exponent_of(f, large) + high - (m + guard);
    if (exponent <= 0)
        return zero(f, sign);
    uint64_t rounded = half_even(sum, high - m);
    const bool carry = rounded >> (m + 1) != 0;
    if (carry)
        rounded >>= 1;
    const int final = exponent + carry;
    /* Only a carry reaches saturation: an operand with the exponent of all ones keeps it (chapter 50 6.2). */
    if (final > top || (final == top && exponent_of(f, large) < top))
        return largest(f, sign);
    return pack(f, sign, final, rounded & ((UINT64_C(1) << m) - 1));
}

uint32_t naive_sub(const struct naive_format *f, uint32_t a, uint32_t b) {
    return naive_add(f, a, b ^ 1u << (f->exponent_bits + f->mantissa_bits));
}

uint32_t naive_mul(const struct naive_format *f, uint32_t a, uint32_t b) {
    if (naive_is_nan(f, a))
        return a;
    if (naive_is_nan(f, b))
        return b;
    const int m = f->mantissa_bits, top = (1 << f->exponent_bits) - 1, bias = top / 2;
    const uint32_t sign = sign_of(f, a) ^ sign_of(f, b);
    const int exponents = exponent_of(f, a) + exponent_of(f, b);
    if (is_zero(f, a) || is_zero(f, b) || exponents < bias)
        return zero(f, sign);
    if (exponents >= top + bias)
        return largest(f, sign);
    const uint64_t product = significand(f, a) * significand(f, b);
    const int high = top_bit(product);
    int exponent = exponents - bias + high - 2 * m;
    if (exponent > top - 1)
        return largest(f, sign);
    uint64_t rounded = half_even(product, high - m);
    if (rounded >> (m + 1)) {
        rounded >>= 1;
        exponent++;
    }
    if (exponent > top - 1)
        return largest(f, sign);
    return exponent <= 0 ? zero(f, sign) : pack(f, sign, exponent, rounded & ((UINT64_C(1) << m) - 1));
}

/* Sign-magnitude order as a signed number: -0 just below +0. */
static int64_t order32(uint32_t a) {
    const int64_t magnitude = a & 0x7fffffffu;
    return a >> 31 ? -1 - magnitude : magnitude;
}

uint32_t naive_max32(uint32_t a, uint32_t b) {
    if (naive_is_nan(&naive_fp32, a))
        return a;
    if (naive_is_nan(&naive_fp32, b))
        return b;
    return order32(a) >= order32(b) ? a : b;
}

uint32_t naive_min32(uint32_t a, uint32_t b) {
    if (naive_is_nan(&naive_fp32, a))
        return a;
    if (naive_is_nan(&naive_fp32, b))
        return b;
    return order32(a) <= order32(b) ? a : b;
}

/* ---- conversions ------------------------------------------------------------------------------------------------ */

bool naive_fp16_is_nan(uint32_t h) {
    return (h >> 10 & 31) == 31 && (h & 1023) != 0;
}

uint32_t naive_from_fp16(const struct naive_format *f, uint32_t h) {
    const uint32_t sign = h >> 15 & 1, m = h & 1023;
    const int e = (int)(h >> 10 & 31), top = (1 << f->exponent_bits) - 1, bias = top / 2;
    if (e == 31)
        return m ? pack(f, sign, top, m) : largest(f, sign);
    if (e == 0 && m == 0)
        return zero(f, sign);
    /* significand * 2^(exponent - 25) */
    const uint64_t s = e == 0 ? m : 1024 + m;
    const int high = top_bit(s), exponent = (e == 0 ? 1 : e) - 25 + high + bias;
    return pack(f, sign, exponent, (s << (f->mantissa_bits - high)) & ((UINT64_C(1) << f->mantissa_bits) - 1));
}

uint32_t naive_fp17_to_fp16(uint32_t f) {
    const uint32_t sign = f >> 16 & 1, m = f & 1023;
    const int e = exponent_of(&naive_fp17, f);
    if (e == 63 && m)
        return sign << 15 | 31u << 10 | m;
    if (e >= 47)
        return sign << 15 | 0x7bff;
    if (e < 6)
        return sign << 15;
    if (e <= 16)
        return sign << 15 | (uint32_t)half_even(1024 + m, 17 - e);
    return sign << 15 | (uint32_t)(e - 16) << 10 | m;
}

uint32_t naive_fp17_to_fp32(uint32_t f) {
    const uint32_t sign = f >> 16 & 1, m = f & 1023;
    const int e = exponent_of(&naive_fp17, f);
    if (e == 0 && m == 0)
        return sign << 31;
    if (e == 63 && m)
        return pack(&naive_fp32, sign, 255, m);
    return pack(&naive_fp32, sign, e + 96, m << 13);
}

uint32_t naive_fp32_to_fp17(uint32_t f) {
    const uint32_t sign = f >> 31, m = f & 0x7fffff;
    const int e = exponent_of(&naive_fp32, f);
    if (e == 255 && m)
        return pack(&naive_fp17, sign, 63, m & 1023);
    if (e >= 159)
        return largest(&naive_fp17, sign);
    const uint64_t s = UINT64_C(1) << 23 | m;
    if (e < 97) /* in units of the smallest number's last place, 2^-40 */
        return e >= 86 && half_even(s, 110 - e) == 1024 ? pack(&naive_fp17, sign, 1, 0) : zero(&naive_fp17, sign);
    const uint64_t rounded = half_even(s, 13);
    const int exponent = e - 96 + (rounded >> 11 != 0);
    return exponent >= 63 ? largest(&naive_fp17, sign) : pack(&naive_fp17, sign, exponent, rounded & 1023);
}

uint32_t naive_fp32_to_fp16(uint32_t f) {
    const uint32_t sign = f >> 31 << 15, m = f & 0x7fffff;
    const int e = exponent_of(&naive_fp32, f);
    if (e == 255 && m)
        return sign | 31u << 10 | (m & 1023);
    if (e >= 143)
        return sign | 0x7bff;
    if (e < 102)
        return sign;
    const uint64_t s = UINT64_C(1) << 23 | m;
    if (e < 113) /* in units of 2^-24; 1024 is the pattern of the smallest normal number */
        return sign | (uint32_t)half_even(s, 126 - e);
    const uint64_t pattern = ((uint64_t)(e - 113) << 10) + half_even(s, 13);
    return sign | (pattern > 0x7bff ? 0x7bff : (uint32_t)pattern);
}

int32_t naive_fp16_to_int16(uint32_t h) {
    if (naive_fp16_is_nan(h))
        return -32768;
    const int e = (int)(h >> 10 & 31);
    /* value * 2^24 */
    const wide fixed = (wide)(e == 0 ? h & 1023 : 1024 + (h & 1023)) << (e == 0 ? 0 : e - 1);
    return (int32_t)naive_saturate(naive_round_shift(h >> 15 & 1 ? -fixed : fixed, 24), 16);
}

uint32_t naive_int_to_fp16(int32_t v) {
    const uint32_t sign = v < 0 ? 0x8000 : 0;
    const uint64_t magnitude = v < 0 ? (uint64_t)-(int64_t)v : (uint64_t)v;
    if (magnitude == 0)
        return 0;
    int exponent = top_bit(magnitude);
    uint64_t rounded = half_even(magnitude, exponent - 10);
    if (rounded >> 11) {
        rounded >>= 1;
        exponent++;
    }
    if (exponent > 15)
        return sign | 0x7bff;
    return sign | (uint32_t)(exponent + 15) << 10 | (uint32_t)(rounded & 1023);
}

uint32_t naive_fraction17(uint64_t numerator, int bits) {
    if (numerator == 0)
        return 0;
    const int high = top_bit(numerator);
    if (high - bits < -30)
        return 0;
    const uint64_t rounded = half_even(numerator, high - 10);
    const bool carry = rounded >> 11 != 0;
    return pack(&naive_fp17, 0, high - bits + 31 + carry, carry ? 0 : rounded & 1023);
}

/* ---- input transform -------------------------------------------------------------------------------------------- */

uint32_t naive_pra_from_fp16(uint32_t h) {
    return naive_from_fp16(&naive_fp17, h); /* the same: infinity becomes e = 62, m = 1023 */
}

uint32_t naive_pra_to_fp16(uint32_t f) {
    return naive_fp17_to_fp16(f);
}

uint32_t naive_pra_add(uint32_t a, uint32_t b) {
    const struct naive_format *f = &naive_fp17;
    if (naive_is_nan(f, a))
        return a;
    if (naive_is_nan(f, b))
        return b;
    const bool b_larger = (b & 0xffff) > (a & 0xffff);
    const uint32_t large = b_larger ? b : a, small = b_larger ? a : b, sign = sign_of(f, large);
    const int distance = exponent_of(f, large) - exponent_of(f, small);
    const uint64_t x = significand(f, large) << 12, y = significand(f, small) << 12 >> distance; /* bits 22:12 */
    uint64_t sum = sign_of(f, small) == sign ? x + y : x - y;
    int exponent = exponent_of(f, large);
    if (sum == 0)
        return zero(f, sign);
    if (sum >> 23) {
        sum >>= 1; /* the bit that falls out is dropped */
        exponent++;
    } else {
        const int zeros = 22 - top_bit(sum);
        if (exponent <= zeros)
            return zero(f, sign);
        sum <<= zeros;
        exponent -= zeros;
    }
    uint64_t rounded = half_even(sum, 12);
    if (rounded >> 11) {
        rounded >>= 1;
        exponent++;
    }
    return exponent > 62 ? largest(f, sign) : pack(f, sign, exponent, rounded & 1023);
}
