/* Pixel formats of image input: where the components of a pixel are in memory and which IN_PRECISION they belong to.
 *
 * Spec: 20-data-formats section 4. */
#pragma once

#include "nvdla/config.h"

enum { PIXEL_COMPONENTS = 4 }; /* most components of a pixel */

struct nvdla_pixel_format {
    const char *name;               /* "A8B8G8R8": components from the highest byte of the pixel to the lowest */
    enum nvdla_precision precision; /* IN_PRECISION that goes with it */
    int bits;           /* of a component in memory: 8, 16, or 10 (a 32-bit word whose component 3 has 2 bits) */
    int components;     /* delivered to the convolution: 1, 3 or 4 */
    int planes;         /* 1, or 2: Y plane and interleaved UV plane */
    int pixel_bytes[2]; /* of each plane; [1] is 0 without second plane */
    uint8_t lsb[PIXEL_COMPONENTS]; /* lowest bit of component 0..3 inside its plane's pixel; with two planes 1 and 2 are
                                    * in plane 1 */
};

/* The format of a PIXEL_FORMAT value; NULL if it does not exist or the configuration does not read it (without 16-bit
 * types only components of 8 bits). */
const struct nvdla_pixel_format *nvdla_pixel_format(const struct nvdla_config *config, uint32_t id);
