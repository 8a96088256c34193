/* CACC on integers: accumulates the sums of CMAC with saturation and delivers them to SDP in 32 bits.
 *
 * Spec: 40-convolution-core sections 9.4 and 9.7.
 */
#ifndef MODEL_CACC_H
#define MODEL_CACC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/config.h"

/* Bits of the accumulator of kernel k of a group: 34 in configurations without 16-bit types; else 48, but 34 for the
 * odd kernels of INT8, which are in the high halves of the cells. */
int cacc_width(const struct nvdla_config *config, enum nvdla_precision precision, size_t k);

/* One step of accumulation: the exact sum of a signed accumulator of `bits` bits and an addend, saturated to them. */
int64_t cacc_add(int64_t accumulator, int64_t addend, int bits);

/* Delivers a sum of at most 48 bits: right shift by truncate (0..31), rounded to nearest, halves away from zero (for
 * negative sums and truncate > 16 only 15 bits below the half are looked at), clamped to 32 bits. *saturated tells that
 * the clamp acted; for negative sums it looks at the sum before rounding. */
int32_t cacc_deliver(int64_t sum, unsigned truncate, bool *saturated);

/* The same for `count` sums. Returns how many were saturated. */
uint64_t cacc_deliver_all(const int64_t *sums, int32_t *out, size_t count, unsigned truncate);

#endif
