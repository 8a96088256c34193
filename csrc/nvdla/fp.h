/* Floating point as NVDLA computes it, on bit patterns: FP16, FP17 (1 sign, 6 exponent, 10 mantissa bits, bias 31) and
 * FP32. Not IEEE: there is no infinity (results saturate to the largest finite number), operations never produce
 * denormals of FP17 and FP32, the first NaN operand wins with its payload, and -1 + 1 is -0.
 *
 * A pattern with exponent 0 and a mantissa other than 0 (only a register can hold one) is the normal number 1.m *
 * 2^-bias, unless a function says otherwise. Spec: 50-sdp section 6, 60-pdp section 6, 62-cdp section 5. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Exponent all ones, mantissa not 0. */
bool fp16_is_nan(uint16_t a);
bool fp17_is_nan(uint32_t a);
bool fp32_is_nan(uint32_t a);

/* a + b and a * b, rounded to nearest even. sub(a, b) is add(a, b with its sign inverted), also if b is a NaN. */
uint32_t fp17_add(uint32_t a, uint32_t b);
uint32_t fp17_mul(uint32_t a, uint32_t b);
uint32_t fp32_add(uint32_t a, uint32_t b);
uint32_t fp32_sub(uint32_t a, uint32_t b);
uint32_t fp32_mul(uint32_t a, uint32_t b);

/* Sign-magnitude order, -0 below +0. A NaN wins, a before b. */
uint32_t fp32_max(uint32_t a, uint32_t b);
uint32_t fp32_min(uint32_t a, uint32_t b);
uint16_t fp16_max(uint16_t a, uint16_t b);
uint16_t fp16_min(uint16_t a, uint16_t b);

/* Infinity becomes the largest number, denormals become exact normals, a NaN keeps its ten mantissa bits as the low
 * bits. */
uint32_t fp16_to_fp17(uint16_t a);
uint32_t fp16_to_fp32(uint16_t a);
uint32_t fp17_to_fp32(uint32_t a);

/* Rounded to nearest even. Too large a number becomes the largest one, a NaN keeps its low ten mantissa bits. FP16 has
 * denormals, FP17 has none: below the smallest normal number the result is that number or signed zero. */
uint16_t fp17_to_fp16(uint32_t a);
uint16_t fp32_to_fp16(uint32_t a);
uint32_t fp32_to_fp17(uint32_t a);

/* FP16 to a 16-bit integer: halves away from zero, clamped; a NaN gives -32768. Spec: 50-sdp section 6.4. */
int16_t fp16_to_int16(uint16_t a);

/* A signed 17-bit integer to FP16: nearest even, magnitudes above 65504 become +-65504. Spec: 50-sdp section 5.3. */
uint16_t fp16_from_integer(int32_t value);

/* FP17 of numerator / 2^bits, 0 <= numerator < 2^bits <= 2^62, to nearest even; below 2^-30 it is 0 (F17, 55-lut
 * section 6). */
uint32_t fp17_from_fraction(uint64_t numerator, unsigned bits);
