/* The settings of the look-up tables of SDP and CDP in a layer's S_LUT_* registers. Spec: 55-lut section 2. */
#pragma once

#include "layers/view.h"
#include "nvdla/lut.h"

struct lut_settings lut_of_sdp(const struct registers_view *view);
struct lut_settings lut_of_cdp(const struct registers_view *view);
