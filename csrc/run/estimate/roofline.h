/* The roofline of an estimate as a picture: how many multiplications a clock each layer does, over those that it has
 * for each byte that it moves. */
#pragma once

#include <stdio.h>

#include "estimate/estimate.h"
#include "nvdla/config.h"
#include "nvdla/error.h"

/* Writes an SVG. title: of the picture; bytes: that the memory moves in a clock. */
void roofline_write(FILE *out, const char *title, const struct nvdla_config *config, double bytes,
                    const struct estimate *estimate);
