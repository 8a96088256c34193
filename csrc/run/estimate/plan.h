/* Clocks of a quantised network from its nodes alone, for configurations that exist only as numbers: the way in which
 * published figures of NVDLA are computed. No registers, no latencies.
 *
 * Assumptions, for each node:
 *   - A convolution takes its positions x taps x channel blocks x kernel groups; the channels of a picture's row of
 * taps lie side by side. SDP and PDP keep pace with the array and the memory.
 *   - Half of CBUF holds data, half weights. What does not fit is cut, and the other side is read again for each piece,
 *     whichever is less.
 *   - Memory and multiplications overlap if the pieces of two layers fit CBUF, else they follow each other.
 *   - A sum is computed with the convolution before it if SDP moves 4 or more elements a clock, and reads its other
 *     input; else it reads both and writes, by itself.
 *   - Pooling and softmax: memory only. */
#pragma once

#include "estimate/estimate.h"
#include "nvdla/config.h"
#include "nvdla/error.h"

/* bytes: that memory moves in a clock, both directions. Layers in the order of the nodes; `ordinal` counts those of a
 * unit. False with a message: not a quantised network. */
bool plan_estimate(const char *path, const struct nvdla_config *config, double bytes, struct estimate *estimate,
                   struct error *err);
