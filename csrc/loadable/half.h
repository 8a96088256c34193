/* Half-precision numbers as the processor's side of the runtime has them: IEEE's, unlike those of the engines
 * (nvdla/fp.h). Spec: 87-loadables section 8.
 */
#ifndef LOADABLE_HALF_H
#define LOADABLE_HALF_H

#include <stdint.h>

float half_to_float(uint16_t half);

/* Rounded to nearest, ties away from zero; what is too large becomes infinite. */
uint16_t float_to_half(float value);

#endif
