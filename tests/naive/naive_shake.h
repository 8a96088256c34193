/* Variations of a trace: the same layers with other data and other arithmetic. */
#pragma once

#include <stdint.h>

#include "trace/program.h"

/* Replaces the content of loads by random data of several kinds (masks and group sizes of compressed weights stay), and
 * values of registers that only arithmetic looks at. What remains is legal wherever the trace was. Checks of results
 * become reads and waits: the trace's own goldens hold no more. The same seed makes the same variation. */
void naive_shake(struct program *prog, uint64_t seed);
