/* FP16 as drivers compute it outside of the accelerator: pictures, tasks for the processor, results for people.
 * Rounding is theirs (87-loadables section 8): to nearest, ties away from zero; IEEE's infinities and denormals.
 */
#ifndef LOADABLE_HALF_H
#define LOADABLE_HALF_H

#include <stdint.h>

uint16_t half_from_float(float value);
float half_to_float(uint16_t half);

#endif
