/* Pictures: PGM and PPM (plain and raw), PNG and JPEG, detected by content. Everything in a file is checked;
 * allocations are limited by the file's header and the limits here. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nvdla/error.h"

enum { PICTURE_SIZE_MAX = 8192 };                      /* width, height: NVDLA's limit */
#define PICTURE_SAMPLES_MAX ((size_t)48 * 1024 * 1024) /* width * height * channels */

struct picture {
    unsigned width, height;
    unsigned channels; /* 1 grey; 3 red, green, blue */
    unsigned maximum;  /* value of white, 1 ... 65535 */
    uint16_t *samples; /* [y][x][channel] */
};

/* Decodes a file of n bytes; path is for messages. Alpha is dropped, palettes become colours; a JPEG is decoded with
 * the accurate integer DCT. If width is not 0 the picture must have that width and height. False with a message. */
bool picture_parse(const char *path, const uint8_t *bytes, size_t n, unsigned width, unsigned height,
                   struct picture *picture, struct error *err);
/* Reads a file. False with a message. */
bool picture_read(const char *path, unsigned width, unsigned height, struct picture *picture, struct error *err);
void picture_free(struct picture *picture);

/* True if all pixels are grey, as in grey pictures that programs save in colour. */
bool picture_is_grey(const struct picture *picture);

/* Prints the picture in characters (UTF-8, two lines of the picture per line of text) at most `columns` wide; light
 * parts are printed. */
void picture_show(FILE *out, const struct picture *picture, unsigned columns);
