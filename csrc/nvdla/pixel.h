/* Pixel formats of image input whose components have 8 bits: the ones that INT8 configurations read.
 *
 * Spec: 20-data-formats section 4.
 */
#ifndef NVDLA_PIXEL_H
#define NVDLA_PIXEL_H

#include <stdint.h>

struct nvdla_pixel_format {
    const char *name;    /* "A8B8G8R8": components from the highest byte of the pixel to the lowest */
    int components;      /* delivered to the convolution: 1, 3 or 4 */
    int planes;          /* 1, or 2: Y plane and interleaved UV plane */
    int pixel_bytes[2];  /* of each plane; [1] is 0 without second plane */
    uint8_t position[4]; /* byte of component 0..3 inside its plane's pixel; with two planes 1 and 2 are in plane 1 */
};

/* The format of a PIXEL_FORMAT value, NULL if it has components of other widths or does not exist. */
const struct nvdla_pixel_format *nvdla_pixel_format(uint32_t id);

#endif
