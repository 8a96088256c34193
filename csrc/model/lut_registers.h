/* The table settings in the S_LUT_* registers, which have the same fields in SDP and CDP. Spec: 55-lut section 2. */
#ifndef MODEL_LUT_REGISTERS_H
#define MODEL_LUT_REGISTERS_H

#include <stdint.h>

#include "nvdla/lut.h"

/* Register values; those of the tables in the order LE, LO. */
struct lut_registers {
    uint32_t cfg, info;
    uint32_t slope_scale[LUT_TABLES], slope_shift[LUT_TABLES];
    int64_t start[LUT_TABLES], end[LUT_TABLES]; /* sign-extended */
};

struct lut_settings lut_registers_decode(const struct lut_registers *registers);

#endif
