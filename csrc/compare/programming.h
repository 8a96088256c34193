/* The programming of a trace or a capture as JSON, for nvcosim diff (python/nvcosim/compare). */
#pragma once

#include <stdio.h>

#include "trace/program.h"

/* Prints an object: config, its name; launches in order of arming, each with unit, ordinal, at (the operation that arms
 * it) and its line (0: unknown), registers by offset / 4, blocks (descriptors of BDMA), reads ([space, address, size]);
 * writes of registers, [operation, address, value]; memory that is loaded, for each space [address, bytes in hex]. */
void programming_print(FILE *out, const struct program *prog);
