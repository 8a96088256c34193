/* Half-precision numbers of the runtime's processor operations: IEEE's, unlike those of the engines (nvdla/fp.h). Spec:
 * 87-loadables section 8. */
#pragma once

#include <stdint.h>

float half_to_float(uint16_t half);

/* Rounded to nearest, ties away from zero; too large a value becomes infinite. */
uint16_t float_to_half(float value);
