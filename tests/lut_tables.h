/* The tables behind the vectors of the look-up (docs/nvdla/vectors/lut.tsv), by the kind that a set of vectors names.
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "nvdla/fp.h"

enum { LE_SAMPLES = 65, LO_SAMPLES = 257 };

static inline uint16_t fp16_of(double value) {
    union {
        float number;
        uint32_t pattern;
    } fp32 = {(float)value};
    return fp32_to_fp16(fp32.pattern);
}

static inline void lut_tables(const char *kind, uint16_t le[LE_SAMPLES], uint16_t lo[LO_SAMPLES]) {
    const bool sigmoid = strcmp(kind, "sigmoid") == 0, sdp = strcmp(kind, "sdp") == 0;
    const bool sdp_fp16 = strcmp(kind, "sdp_fp16") == 0, cdp_fp16 = strcmp(kind, "cdp_fp16") == 0;
    for (int k = 0; k < LE_SAMPLES; k++)
        le[k] = sigmoid    ? 0
                : sdp      ? (uint16_t)(1000 * k - 32000)
                : sdp_fp16 ? fp16_of(-3 + k / 8.0)
                : cdp_fp16 ? fp16_of(pow(1 + 1e-4 * pow(2, k - 20), -0.75))
                           : (uint16_t)(30000 - 400 * k);
    for (int k = 0; k < LO_SAMPLES; k++)
        lo[k] = sigmoid    ? (k == 0     ? 11
                              : k == 256 ? 32756
                                         : 0)
                : sdp      ? (uint16_t)(k * k / 4 - 5000)
                : sdp_fp16 ? fp16_of(tanh((k - 128) / 32.0))
                : cdp_fp16 ? fp16_of(pow(1 + 1e-4 * k / 4, -0.75))
                           : (uint16_t)(100 * k - 10000);
}
