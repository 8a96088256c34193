/* Shared by the readers of pictures, one per family of formats. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"

struct picture; /* loadable/picture.h */

/* Input of a reader. */
struct picture_source {
    const char *path;
    const uint8_t *bytes;
    size_t n;
    unsigned width, height; /* required; 0: any */
};

/* Checks the sizes of a header and allocates the samples. False with a message. */
bool picture_allocate(const struct picture_source *source, uint64_t width, uint64_t height, unsigned channels,
                      unsigned maximum, struct picture *picture, struct error *err);

/* Each decodes into *picture, which must be zero before; after an error the caller calls picture_free. */
bool picture_parse_pnm(const struct picture_source *source, struct picture *picture, struct error *err);
bool picture_parse_png(const struct picture_source *source, struct picture *picture, struct error *err);
bool picture_parse_jpeg(const struct picture_source *source, struct picture *picture, struct error *err);
