/* Floating point for loops over whole lines, which a compiler turns into vector code: operations of nvdla/fp.h once
 * more, bit for bit the same, without branches, and what lines are looked through for.
 *
 * The operations work because every FP17 and FP16 number is exact in float, and a sum rounded to float's 24 bits and
 * then to FP17's 11 is the same as the sum rounded once.
 */
#ifndef NVDLA_FP_INLINE_H
#define NVDLA_FP_INLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "nvdla/bytes.h"

enum { FP16_MAGNITUDE = 0x7fff, FP16_INFINITY = 0x7c00, FP16_LARGEST = 0x7bff };

enum {
    FP17_SIGN = 0x10000,
    FP17_LARGEST = 0x0fbff,
    FP17_NAN = 0x0fc00, /* magnitudes above it are NaNs */
    FP17_REBIAS = 96,   /* exponent field of float - that of FP17 */
    FP17_FEWER = 13     /* mantissa bits of float - those of FP17 */
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

/* FP17 that is no NaN as float. */
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

/* fp17_add() */
static inline uint32_t fp17_add_inline(uint32_t a, uint32_t b) {
    uint32_t magnitude_a = a & (FP17_SIGN - 1), magnitude_b = b & (FP17_SIGN - 1);
    uint32_t larger = magnitude_b > magnitude_a ? b : a;
    uint32_t bits = fp17_round(fp17_float(a) + fp17_float(b));
    int32_t exponent = (int32_t)(bits >> 23 & 0xff) - FP17_REBIAS;
    uint32_t sum = (uint32_t)exponent << 10 | (bits >> FP17_FEWER & 0x3ff);
    /* An operand with exponent 63 (undefined if its mantissa is 0) keeps it, a carry into 63 saturates. */
    sum = exponent >= 63 && exponent > (int32_t)(larger >> 10 & 63) ? (uint32_t)FP17_LARGEST : sum;
    sum = exponent <= 0 ? 0 : sum;
    sum |= larger & FP17_SIGN;
    sum = magnitude_b > FP17_NAN ? b : sum;
    return magnitude_a > FP17_NAN ? a : sum;
}

/* fp17_mul() */
static inline uint32_t fp17_mul_inline(uint32_t a, uint32_t b) {
    uint32_t magnitude_a = a & (FP17_SIGN - 1), magnitude_b = b & (FP17_SIGN - 1);
    uint32_t bits = fp17_round(fp17_float(a) * fp17_float(b));
    int32_t exponent = (int32_t)(bits >> 23 & 0xff) - FP17_REBIAS;
    uint32_t product = (uint32_t)exponent << 10 | (bits >> FP17_FEWER & 0x3ff);
    product = exponent >= 63 ? (uint32_t)FP17_LARGEST : product;
    /* Operands whose exponents are too small give 0 even if the product would carry into the smallest number. */
    product = exponent <= 0 || (magnitude_a >> 10) + (magnitude_b >> 10) < 31 ? 0 : product;
    product |= (a ^ b) & FP17_SIGN;
    product = magnitude_b > FP17_NAN ? b : product;
    return magnitude_a > FP17_NAN ? a : product;
}

/* fp16_to_fp17() */
static inline uint32_t fp16_to_fp17_inline(uint16_t a) {
    uint32_t magnitude = a & 0x7fffu;
    uint32_t bits = fp_bits((float)(int32_t)magnitude * 0x1p-24f); /* a denormal's value */
    uint32_t denormal = magnitude ? (bits - ((uint32_t)FP17_REBIAS << 23)) >> FP17_FEWER : 0;
    uint32_t value = magnitude < 0x400 ? denormal : magnitude + (16u << 10);
    value = magnitude == 0x7c00 ? (uint32_t)FP17_LARGEST : value;
    value = magnitude > 0x7c00 ? magnitude | FP17_NAN : value;
    return (a & 0x8000u) << 1 | value;
}

/* fp17_to_fp16() */
static inline uint16_t fp17_to_fp16_inline(uint32_t a) {
    uint32_t magnitude = a & (FP17_SIGN - 1);
    /* The unit of 0.5 .. 1 in float is the unit of FP16's denormals. */
    uint32_t denormal = fp_bits(fp17_float(magnitude) + 0.5f) - fp_bits(0.5f);
    uint32_t value = magnitude < 17u << 10 ? denormal : magnitude - (16u << 10);
    value = magnitude >= 47u << 10 ? 0x7bff : value;
    value = magnitude > FP17_NAN ? 0x7c00 | (magnitude & 0x3ff) : value;
    return (uint16_t)(a >> 1 & 0x8000u) | (uint16_t)value;
}

/* fp16_max(), or fp16_min() if smaller, on patterns in 32 bits. */
static inline uint32_t fp16_extreme_inline(uint32_t a, uint32_t b, bool smaller) {
    int32_t magnitude_a = (int32_t)(a & 0x7fff), magnitude_b = (int32_t)(b & 0x7fff);
    int32_t order_a = a & 0x8000 ? ~magnitude_a : magnitude_a, order_b = b & 0x8000 ? ~magnitude_b : magnitude_b;
    uint32_t best = smaller ? (order_a < order_b ? a : b) : (order_a > order_b ? a : b);
    best = magnitude_b > FP16_INFINITY ? b : best;
    return magnitude_a > FP16_INFINITY ? a : best;
}

/* NaNs and infinities among FP16 elements. */
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

#endif
