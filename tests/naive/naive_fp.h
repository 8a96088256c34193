/* Numbers, as the chapters define them: rounding, saturation, FP16, FP17 and FP32.
 *
 * Integers are __int128 wherever a product might need it. Floating point is kept as patterns; every operation computes
 * the exact result in integers and rounds it once. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef __int128 wide;

/* Clamps to signed `bits` bits. */
wide naive_saturate(wide v, int bits);
/* Low `bits` bits as two's complement. */
int64_t naive_sign_extend(uint64_t v, int bits);
/* v / 2^shift rounded to nearest, ties away from zero; shift >= 0. Chapter 50, notation. */
wide naive_round_shift(wide v, int shift);

/* A format with 1 sign bit, no denormals and no infinity (chapter 60 section 6). */
struct naive_format {
    int exponent_bits, mantissa_bits;
};
extern const struct naive_format naive_fp17, naive_fp32;

bool naive_is_nan(const struct naive_format *format, uint32_t a);
uint32_t naive_add(const struct naive_format *format, uint32_t a, uint32_t b);
uint32_t naive_sub(const struct naive_format *format, uint32_t a, uint32_t b);
uint32_t naive_mul(const struct naive_format *format, uint32_t a, uint32_t b);
/* FP32: first NaN wins, sign-magnitude order, +0 above -0 (chapter 50 section 6.2). */
uint32_t naive_max32(uint32_t a, uint32_t b);
uint32_t naive_min32(uint32_t a, uint32_t b);

bool naive_fp16_is_nan(uint32_t h);
/* FP16 to FP17 or FP32: denormals exact, infinity to the largest finite number, NaN mantissa in the low ten bits. */
uint32_t naive_from_fp16(const struct naive_format *format, uint32_t h);
uint32_t naive_fp17_to_fp16(uint32_t f);
uint32_t naive_fp17_to_fp32(uint32_t f);
uint32_t naive_fp32_to_fp17(uint32_t f);
uint32_t naive_fp32_to_fp16(uint32_t f);
/* FP16 to a signed 16-bit integer, half away from zero, clamped, NaN to -32768 (chapter 50 section 6.4). */
int32_t naive_fp16_to_int16(uint32_t h);
/* Integer to FP16, to nearest even, never infinite (chapter 30 section 6.3). */
uint32_t naive_int_to_fp16(int32_t v);
/* numerator / 2^bits, 0 <= numerator <= 2^bits, as FP17 (F17 of chapter 55 section 6). */
uint32_t naive_fraction17(uint64_t numerator, int bits);

/* The adder of CSC's input transform: FP17 with truncating alignment (chapter 40 section 9.6). */
uint32_t naive_pra_add(uint32_t a, uint32_t b);
uint32_t naive_pra_from_fp16(uint32_t h);
uint32_t naive_pra_to_fp16(uint32_t f);
