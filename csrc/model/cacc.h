/* CACC on integers: accumulates the sums of CMAC with saturation and delivers them to SDP in 32 bits.
 *
 * Spec: 40-convolution-core sections 9.4 and 9.7. */
#pragma once

#include "nvdla/cacc_deliver.h"
#include "nvdla/config.h"

/* Accumulator bits of kernel k of a group: 34 in configurations without 16-bit types; otherwise 48, but 34 for the odd
 * kernels of INT8, which are in the high halves of the cells. */
int cacc_width(const struct nvdla_config *config, enum nvdla_precision precision, size_t k);

/* One accumulation step: the exact sum of a signed accumulator of `bits` bits and an addend, saturated to `bits`. */
int64_t cacc_add(int64_t accumulator, int64_t addend, int bits);

/* cacc_deliver() for `count` sums. Returns how many were saturated. */
uint64_t cacc_deliver_all(const int64_t *sums, int32_t *out, size_t count, unsigned truncate);
