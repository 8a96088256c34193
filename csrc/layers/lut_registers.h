/* The settings of the look-up tables of SDP and CDP in a layer's S_LUT_* registers. Spec: 55-lut section 2. */
#pragma once

#include "layers/view.h"
#include "nvdla/lut.h"

/* unit: NVDLA_SDP or NVDLA_CDP. Their registers have the same fields in the same order; bounds have two in CDP. */
struct lut_settings lut_of(const struct registers_view *view, enum nvdla_unit unit);
