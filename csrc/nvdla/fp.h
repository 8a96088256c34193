/* Floating point as NVDLA computes it, on bit patterns: FP16, FP17 (1 sign, 6 exponent, 10 mantissa bits, bias 31) and
 * FP32. Not IEEE: there is no infinity (results saturate to the largest finite number), operations never produce
 * denormals of FP17 and FP32, the first NaN operand wins with its payload, and -1 + 1 is -0.
 *
 * A pattern with exponent 0 and a mantissa other than 0 (only a register can hold one) is the normal number 1.m *
 * 2^-bias, unless a function says otherwise. Spec: 50-sdp section 6, 60-pdp section 6, 62-cdp section 5.
 *
 * Without branches, for loops over whole lines, so that compilers vectorise them; and searches for NaNs and infinities.
 * Every FP17 and FP16 number is exact in float, and a sum rounded to float's 24 bits and then to FP17's 11 equals the
 * sum rounded once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "nvdla/bytes.h"

enum { FP16_MAGNITUDE = 0x7fff, FP16_INFINITY = 0x7c00, FP16_LARGEST = 0x7bff };

enum {
    FP17_SIGN = 0x10000,
    FP17_LARGEST = 0x0fbff,
    FP17_NAN = 0x0fc00, /* larger magnitudes are NaNs */
    FP17_REBIAS = 96,   /* exponent field of float minus that of FP17 */
    FP17_FEWER = 13     /* mantissa bits of float minus those of FP17 */
};

static inline float fp_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t fp_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Exponent all ones, mantissa not 0. */
static inline bool fp16_is_nan(uint16_t a) {
    return (a & FP16_MAGNITUDE) > FP16_INFINITY;
}

static inline bool fp17_is_nan(uint32_t a) {
    return (a & (FP17_SIGN - 1)) > FP17_NAN;
}

/* FP17, not a NaN, as float. */
static inline float fp17_float(uint32_t a) {
    uint32_t magnitude = a & (FP17_SIGN - 1);
    uint32_t bits = magnitude ? (magnitude << FP17_FEWER) + ((uint32_t)FP17_REBIAS << 23) : 0;
    return fp_float((a & FP17_SIGN) << 15 | bits);
}

/* The bits of a float, rounded to FP17's mantissa (nearest even). */
static inline uint32_t fp17_round(float value) {
    uint32_t bits = fp_bits(value);
    return bits + (1u << (FP17_FEWER - 1)) - 1 + (bits >> FP17_FEWER & 1);
}

/* a + b and a * b, rounded to nearest even. */
static inline uint32_t fp17_add(uint32_t a, uint32_t b) {
    uint32_t magnitude_a = a & (FP17_SIGN - 1), magnitude_b = b & (FP17_SIGN - 1);
    uint32_t larger = magnitude_b > magnitude_a ? b : a;
    uint32_t bits = fp17_round(fp17_float(a) + fp17_float(b));
    int32_t exponent = (int32_t)(bits >> 23 & 0xff) - FP17_REBIAS;
    uint32_t sum = (uint32_t)exponent << 10 | (bits >> FP17_FEWER & 0x3ff);
    /* An operand with exponent 63 (undefined if its mantissa is 0) keeps it; a carry into 63 saturates. */
    sum = exponent >= 63 && exponent > (int32_t)(larger >> 10 & 63) ? (uint32_t)FP17_LARGEST : sum;
    sum = exponent <= 0 ? 0 : sum;
    sum |= larger & FP17_SIGN;
    sum = magnitude_b > FP17_NAN ? b : sum;
    return magnitude_a > FP17_NAN ? a : sum;
}

static inline uint32_t fp17_mul(uint32_t a, uint32_t b) {
    uint32_t magnitude_a = a & (FP17_SIGN - 1), magnitude_b = b & (FP17_SIGN - 1);
    uint32_t bits = fp17_round(fp17_float(a) * fp17_float(b));
    int32_t exponent = (int32_t)(bits >> 23 & 0xff) - FP17_REBIAS;
    uint32_t product = (uint32_t)exponent << 10 | (bits >> FP17_FEWER & 0x3ff);
    product = exponent >= 63 ? (uint32_t)FP17_LARGEST : product;
    /* Exponents that are too small give 0, even if the product would carry into the smallest number. */
    product = exponent <= 0 || (magnitude_a >> 10) + (magnitude_b >> 10) < 31 ? 0 : product;
    product |= (a ^ b) & FP17_SIGN;
    product = magnitude_b > FP17_NAN ? b : product;
    return magnitude_a > FP17_NAN ? a : product;
}

/* To wider formats: infinity becomes the largest number, denormals become exact normals, a NaN keeps its ten mantissa
 * bits as the low bits. */
static inline uint32_t fp16_to_fp17(uint16_t a) {
    uint32_t magnitude = a & 0x7fffu;
    uint32_t bits = fp_bits((float)(int32_t)magnitude * 0x1p-24f); /* a denormal's value */
    uint32_t denormal = magnitude ? (bits - ((uint32_t)FP17_REBIAS << 23)) >> FP17_FEWER : 0;
    uint32_t value = magnitude < 0x400 ? denormal : magnitude + (16u << 10);
    value = magnitude == 0x7c00 ? (uint32_t)FP17_LARGEST : value;
    value = magnitude > 0x7c00 ? magnitude | FP17_NAN : value;
    return (a & 0x8000u) << 1 | value;
}

/* To narrower formats, rounded to nearest even: too large a number becomes the largest one, a NaN keeps its low ten
 * mantissa bits. FP16 has denormals, FP17 has none: below the smallest normal number the result is that number or
 * signed zero. */
static inline uint16_t fp17_to_fp16(uint32_t a) {
    uint32_t magnitude = a & (FP17_SIGN - 1);
    /* The unit of 0.5 .. 1 in float is the unit of FP16's denormals. */
    uint32_t denormal = fp_bits(fp17_float(magnitude) + 0.5f) - fp_bits(0.5f);
    uint32_t value = magnitude < 17u << 10 ? denormal : magnitude - (16u << 10);
    value = magnitude >= 47u << 10 ? 0x7bff : value;
    value = magnitude > FP17_NAN ? 0x7c00 | (magnitude & 0x3ff) : value;
    return (uint16_t)(a >> 1 & 0x8000u) | (uint16_t)value;
}

/* The larger one, or the smaller one, of patterns in 32 bits: sign-magnitude order, -0 below +0. A NaN wins, a before
 * b.
 */
static inline uint32_t fp16_extreme(uint32_t a, uint32_t b, bool smaller) {
    int32_t magnitude_a = (int32_t)(a & 0x7fff), magnitude_b = (int32_t)(b & 0x7fff);
    int32_t order_a = a & 0x8000 ? ~magnitude_a : magnitude_a, order_b = b & 0x8000 ? ~magnitude_b : magnitude_b;
    uint32_t best = smaller ? (order_a < order_b ? a : b) : (order_a > order_b ? a : b);
    best = magnitude_b > FP16_INFINITY ? b : best;
    return magnitude_a > FP16_INFINITY ? a : best;
}

/* ---- FP32 ----
 *
 * The same in double: every FP32 number is exact there, and a sum rounded to 53 bits and then to 24 equals the sum
 * rounded once. */

enum {
    FP32_REBIAS = 896, /* exponent field of double minus that of FP32 */
    FP32_FEWER = 29    /* mantissa bits of double minus those of FP32 */
};

#define FP32_SIGN_BIT UINT32_C(0x80000000)
#define FP32_MAGNITUDE UINT32_C(0x7fffffff)
#define FP32_NAN UINT32_C(0x7f800000) /* larger magnitudes are NaNs */
#define FP32_LARGEST UINT32_C(0x7f7fffff)

static inline bool fp32_is_nan(uint32_t a) {
    return (a & FP32_MAGNITUDE) > FP32_NAN;
}

/* FP32, not a NaN, as double. */
static inline double fp32_double(uint32_t a) {
    uint64_t magnitude = a & FP32_MAGNITUDE;
    uint64_t bits = magnitude ? (magnitude << FP32_FEWER) + ((uint64_t)FP32_REBIAS << 52) : 0;
    double value;
    bits |= (uint64_t)(a & FP32_SIGN_BIT) << 32;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The bits of a double, rounded to FP32's mantissa (nearest even). */
static inline uint64_t fp32_round(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits + (UINT64_C(1) << (FP32_FEWER - 1)) - 1 + (bits >> FP32_FEWER & 1);
}

static inline uint32_t fp32_add(uint32_t a, uint32_t b) {
    uint32_t magnitude_a = a & FP32_MAGNITUDE, magnitude_b = b & FP32_MAGNITUDE;
    uint32_t larger = magnitude_b > magnitude_a ? b : a;
    uint64_t bits = fp32_round(fp32_double(a) + fp32_double(b));
    int32_t exponent = (int32_t)(bits >> 52 & 0x7ff) - FP32_REBIAS;
    uint32_t sum = (uint32_t)exponent << 23 | (uint32_t)(bits >> FP32_FEWER & 0x7fffff);
    /* An operand with exponent 255 (undefined if its mantissa is 0) keeps it; a carry into 255 saturates. */
    sum = exponent >= 255 && exponent > (int32_t)(larger >> 23 & 255) ? FP32_LARGEST : sum;
    sum = exponent <= 0 ? 0 : sum;
    sum |= larger & FP32_SIGN_BIT;
    sum = magnitude_b > FP32_NAN ? b : sum;
    return magnitude_a > FP32_NAN ? a : sum;
}

/* Add with the sign of b inverted, also if b is a NaN. */
static inline uint32_t fp32_sub(uint32_t a, uint32_t b) {
    return fp32_add(a, b ^ FP32_SIGN_BIT);
}

static inline uint32_t fp32_mul(uint32_t a, uint32_t b) {
    uint32_t magnitude_a = a & FP32_MAGNITUDE, magnitude_b = b & FP32_MAGNITUDE;
    uint64_t bits = fp32_round(fp32_double(a) * fp32_double(b));
    int32_t exponent = (int32_t)(bits >> 52 & 0x7ff) - FP32_REBIAS;
    uint32_t product = (uint32_t)exponent << 23 | (uint32_t)(bits >> FP32_FEWER & 0x7fffff);
    product = exponent >= 255 ? FP32_LARGEST : product;
    /* Exponents that are too small give 0, even if the product would carry into the smallest number. */
    product = exponent <= 0 || (magnitude_a >> 23) + (magnitude_b >> 23) < 127 ? 0 : product;
    product |= (a ^ b) & FP32_SIGN_BIT;
    product = magnitude_b > FP32_NAN ? b : product;
    return magnitude_a > FP32_NAN ? a : product;
}

static inline uint32_t fp32_extreme(uint32_t a, uint32_t b, bool smaller) {
    uint32_t magnitude_a = a & FP32_MAGNITUDE, magnitude_b = b & FP32_MAGNITUDE;
    int32_t order_a = (int32_t)(a & FP32_SIGN_BIT ? ~magnitude_a : magnitude_a);
    int32_t order_b = (int32_t)(b & FP32_SIGN_BIT ? ~magnitude_b : magnitude_b);
    uint32_t best = smaller ? (order_a < order_b ? a : b) : (order_a > order_b ? a : b);
    best = magnitude_b > FP32_NAN ? b : best;
    return magnitude_a > FP32_NAN ? a : best;
}

static inline uint32_t fp16_to_fp32(uint16_t a) {
    uint32_t magnitude = a & (uint32_t)FP16_MAGNITUDE;
    uint32_t denormal = fp_bits((float)(int32_t)magnitude * 0x1p-24f);
    uint32_t value = magnitude < 0x400 ? denormal : (magnitude << 13) + (112u << 23);
    value = magnitude == FP16_INFINITY ? FP32_LARGEST : value;
    value = magnitude > FP16_INFINITY ? FP32_NAN | (magnitude & 0x3ff) : value;
    return (a & 0x8000u) << 16 | value;
}

static inline uint32_t fp17_to_fp32(uint32_t a) {
    uint32_t magnitude = a & (FP17_SIGN - 1);
    uint32_t value = magnitude ? (magnitude << FP17_FEWER) + ((uint32_t)FP17_REBIAS << 23) : 0;
    value = magnitude > FP17_NAN ? FP32_NAN | (magnitude & 0x3ff) : value;
    return (a & FP17_SIGN) << 15 | value;
}

static inline uint16_t fp32_to_fp16(uint32_t a) {
    uint32_t magnitude = a & FP32_MAGNITUDE, rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    /* The unit of 0.5 .. 1 in float is the unit of FP16's denormals. */
    uint32_t small = magnitude < 113u << 23 ? magnitude : 0, denormal = fp_bits(fp_float(small) + 0.5f) - fp_bits(0.5f);
    uint32_t value = magnitude < 113u << 23 ? denormal : (rounded >> 13) - (112u << 10);
    value = rounded >= 143u << 23 ? (uint32_t)FP16_LARGEST : value;
    value = magnitude > FP32_NAN ? FP16_INFINITY | (a & 0x3ff) : value;
    return (uint16_t)(a >> 16 & 0x8000u) | (uint16_t)value;
}

static inline uint32_t fp32_to_fp17(uint32_t a) {
    uint32_t magnitude = a & FP32_MAGNITUDE;
    uint32_t rounded = magnitude + (1u << (FP17_FEWER - 1)) - 1 + (magnitude >> FP17_FEWER & 1);
    uint32_t value = (rounded >> FP17_FEWER) - (FP17_REBIAS << 10);
    /* Results below the smallest number are 0, except those next to it, which are rounded to it. */
    uint32_t least = ((uint32_t)FP17_REBIAS << 23) + 0x7fe000;
    value = magnitude < (FP17_REBIAS + 1u) << 23 ? (magnitude >= least ? 0x400 : 0) : value;
    value = rounded >= (FP17_REBIAS + 63u) << 23 ? (uint32_t)FP17_LARGEST : value;
    value = magnitude > FP32_NAN ? FP17_NAN | (a & 0x3ff) : value;
    return (a >> 15 & FP17_SIGN) | value;
}

/* FP17 of numerator / 2^bits, 0 <= numerator <= 2^bits <= 2^51, to nearest even; below 2^-30 it is 0 (F17, 55-lut
 * section 6). */
static inline uint32_t fp17_from_fraction(uint64_t numerator, int32_t bits) {
    /* Adding 2^52 gives a double with the number in its mantissa. */
    const uint64_t offset = UINT64_C(0x4330000000000000);
    uint64_t pattern = offset | numerator;
    double value;
    memcpy(&value, &pattern, sizeof value);
    value -= 0x1p52;
    memcpy(&pattern, &value, sizeof pattern);
    pattern += (UINT64_C(1) << 41) - 1 + (pattern >> 42 & 1);
    int32_t exponent = (int32_t)(pattern >> 52) - 1023 - bits + 31;
    return exponent <= 0 ? 0 : (uint32_t)exponent << 10 | (uint32_t)(pattern >> 42 & 0x3ff);
}

/* A signed 17-bit integer to FP16: nearest even, magnitudes above 65504 become +-65504. Spec: 50-sdp section 5.3. */
static inline uint16_t fp16_from_integer(int32_t value) {
    return fp32_to_fp16(fp_bits((float)value));
}

/* FP16 to a 16-bit integer: halves away from zero, clamped; a NaN gives -32768. Spec: 50-sdp section 6.4. */
static inline int16_t fp16_to_int16(uint16_t a) {
    uint32_t magnitude = a & (uint32_t)FP16_MAGNITUDE;
    uint32_t finite = magnitude < FP16_INFINITY ? magnitude : (uint32_t)FP16_INFINITY;
    uint32_t normal = (finite << 13) + (112u << 23);
    float value = finite < 0x400 ? 0 : fp_float(normal);
    int32_t whole = (int32_t)(value + 0.5f);
    int32_t positive = whole < INT16_MAX ? whole : INT16_MAX, negative = whole < 32768 ? -whole : INT16_MIN;
    int32_t result = a & 0x8000 ? negative : positive;
    return (int16_t)(magnitude > FP16_INFINITY ? INT16_MIN : result);
}

/* Counts of NaNs and infinities in FP16 elements. */
struct fp16_specials {
    uint64_t nan, infinity;
};

/* Adds those of `count` elements. */
static inline void fp16_count_specials(const uint8_t *elements, size_t count, struct fp16_specials *specials) {
    size_t nan = 0, infinity = 0;
    for (size_t i = 0; i < count; i++) {
        uint16_t magnitude = load_16(elements + 2 * i) & FP16_MAGNITUDE;
        nan += magnitude > FP16_INFINITY;
        infinity += magnitude == FP16_INFINITY;
    }
    specials->nan += nan;
    specials->infinity += infinity;
}

/* NAN_TO_ZERO: NaNs among `count` FP16 elements become +0. */
static inline void fp16_flush_nans(uint8_t *elements, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint16_t element = load_16(elements + 2 * i);
        store_16(elements + 2 * i, (element & FP16_MAGNITUDE) > FP16_INFINITY ? 0 : element);
    }
}
