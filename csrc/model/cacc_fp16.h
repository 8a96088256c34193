/* CACC on FP16 layers: its own floating-point format for the accumulator, delivered to SDP as FP32.
 *
 * Spec: 40-convolution-core section 9.5. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { CACC_FP16_LANES = 16 };

/* mantissa * 2^(exponent - 101). The mantissa has 40 bits, signed and normalised (no redundant sign bit); zero is 0, 0.
 * Exponent 255: NaN, with sign and ten bits of payload on top of the mantissa. */
struct cacc_fp16 {
    int32_t exponent; /* 0..255 */
    int64_t mantissa;
};

/* Those of several kernels. */
struct cacc_fp16_lanes {
    int64_t exponent[CACC_FP16_LANES], mantissa[CACC_FP16_LANES];
};

/* Adds what CMAC sends: a 6-bit exponent (63: NaN) and a signed 38-bit mantissa, of which 36 bits count. */
void cacc_fp16_add_lanes(struct cacc_fp16_lanes *accumulators, const int32_t *exponents, const int64_t *mantissas);

/* The FP32 pattern; a NaN has its payload in the low bits. */
uint32_t cacc_fp16_deliver(const struct cacc_fp16 *accumulator);
