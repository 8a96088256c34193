#include "model/csc_input.h"

#include <stdlib.h>
#include <string.h>

#include "model/pra.h"

/* to[i] = element i of the bytes, 1 or 2 each, little endian. */
static inline void widen(int16_t *to, const uint8_t *bytes, size_t element, size_t n) {
    if (element == 1) {
        for (size_t i = 0; i < n; i++) {
            to[i] = (int8_t)bytes[i];
        }
    } else {
        for (size_t i = 0; i < n; i++) {
            to[i] = (int16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
        }
    }
}

static void fill(int16_t *to, int16_t value, size_t n) {
    for (size_t i = 0; i < n; i++) {
        to[i] = value;
    }
}

/* One slice of feature input: of each pixel the real channels side by side. */
static void take_pixels(const struct csc_layer *layer, const struct cbuf *cbuf, const uint8_t *slice, int16_t *line) {
    size_t element = layer->precision == NVDLA_INT8 ? 1 : 2, in_atom = cbuf->atom / element;
    size_t channels = layer->channels, surfaces = (channels + in_atom - 1) / in_atom;
    for (size_t surface = 0; surface < surfaces; surface++) {
        size_t first = surface * in_atom, n = channels - first < in_atom ? channels - first : in_atom;
        if (surface / cbuf->slots < surfaces / cbuf->slots) {
            /* Entries that pixels do not share. */
            const uint8_t *from = slice + cbuf_atom_offset(cbuf, layer->width, surfaces, surface, 0);
            for (size_t x = 0; x < layer->width; x++) {
                widen(line + x * channels + first, from + x * cbuf->entry, element, n);
            }
        } else {
            for (size_t x = 0; x < layer->width; x++) {
                widen(line + x * channels + first, slice + cbuf_atom_offset(cbuf, layer->width, surfaces, surface, x),
                      element, n);
            }
        }
    }
}

/* Bytes of the entries that hold one slice. */
static size_t slice_bytes(const struct csc_layer *layer, const struct cbuf *cbuf) {
    size_t element = layer->precision == NVDLA_INT8 ? 1 : 2;
    if (layer->mode == CSC_IMAGE) {
        return layer->slice_entries * cbuf->entry;
    }
    size_t surfaces = (layer->channels * element + cbuf->atom - 1) / cbuf->atom;
    return cbuf_slice_size(cbuf, layer->width, surfaces);
}

/* Lines of feature or image input with the padding around them. */
static bool read_lines(const struct csc_layer *layer, const struct cbuf *cbuf, const struct crep *table, int16_t *to) {
    const struct crep_shape *shape = &table->shape;
    struct cbuf_ring ring = cbuf_data_ring(cbuf, layer->data_banks);
    size_t element = layer->precision == NVDLA_INT8 ? 1 : 2, size = slice_bytes(layer, cbuf);
    uint8_t *slice = malloc(size);
    if (!slice) {
        return false;
    }
    for (size_t batch = 0; batch < layer->batches; batch++) {
        fill(to, layer->pad, shape->top * table->stored_line);
        to += shape->top * table->stored_line;
        for (size_t y = 0; y < shape->lines; y++, to += table->stored_line) {
            size_t entry = cbuf->data.read + (y * layer->batches + batch) * layer->slice_entries;
            cbuf_read(cbuf, ring, entry * cbuf->entry, slice, size);
            fill(to, layer->pad, shape->left);
            if (layer->mode == CSC_IMAGE) {
                widen(to + shape->left, slice, element, shape->line);
            } else {
                take_pixels(layer, cbuf, slice, to + shape->left);
            }
            fill(to + shape->left + shape->line, layer->pad, table->stored_line - shape->left - shape->line);
        }
        size_t below = table->stored_lines - shape->top - shape->lines;
        fill(to, layer->pad, below * table->stored_line);
        to += below * table->stored_line;
    }
    free(slice);
    return true;
}

/* Lines of a Winograd input that stand together in CBUF, bytes of a channel unit, and of a unit's 4 x 4 pixels. */
enum { BAND = 4, UNIT = 8, CELL = BAND * BAND * UNIT };

/* Puts one band of lines, as it stands in CBUF, to [line][x][channel]. */
static void take_band(const struct csc_layer *layer, const uint8_t *band, int16_t *to) {
    size_t element = layer->precision == NVDLA_INT8 ? 1 : 2, in_unit = UNIT / element;
    for (size_t unit = 0; unit < layer->channels / in_unit; unit++) {
        for (size_t x = 0; x < layer->width; x++) {
            const uint8_t *cell = band + (unit * (layer->width / BAND) + x / BAND) * CELL + x % BAND * UNIT;
            for (size_t y = 0; y < BAND; y++) {
                widen(to + (y * layer->width + x) * layer->channels + unit * in_unit, cell + y * BAND * UNIT, element,
                      in_unit);
            }
        }
    }
}

static bool read_tiles(const struct csc_layer *layer, const struct cbuf *cbuf, const struct crep *table, int16_t *to) {
    struct cbuf_ring ring = cbuf_data_ring(cbuf, layer->data_banks);
    size_t element = layer->precision == NVDLA_INT8 ? 1 : 2, channels = layer->channels;
    size_t size = BAND * layer->width * channels * element, line = layer->width * channels;
    uint8_t *band = malloc(size);
    int16_t *pixels = malloc(layer->height * line * sizeof *pixels);
    if (!band || !pixels) {
        free(band);
        free(pixels);
        return false;
    }
    for (size_t y = 0; y < layer->height; y += BAND) {
        cbuf_read(cbuf, ring, (cbuf->data.read + y * layer->slice_entries) * cbuf->entry, band, size);
        take_band(layer, band, pixels + y * line);
    }
    for (size_t y = 0; y < table->shape.out_height; y++) {
        for (size_t x = 0; x < table->shape.out_width; x++, to += table->shape.column_step) {
            pra_transform(pixels + 2 * y * line + 2 * x * channels, line, channels, channels, layer->precision,
                          layer->pra_truncate, to);
        }
    }
    free(band);
    free(pixels);
    return true;
}

bool csc_input_read(const struct csc_layer *layer, const struct cbuf *cbuf, const struct crep *table, int16_t *to) {
    return layer->mode == CSC_WINOGRAD ? read_tiles(layer, cbuf, table, to) : read_lines(layer, cbuf, table, to);
}
