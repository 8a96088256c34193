/* From CBUF to lines of elements with padding, or to transformed tiles. See csc_input.h. */
#include "model/csc_input.h"

#include "model/pra.h"
#include "nvdla/bytes.h"
#include "nvdla/sizes.h"

/* to[i] = element i of the bytes, 1 or 2 each, little endian. */
static inline void widen(int16_t *to, const uint8_t *bytes, size_t element, size_t n) {
    if (element == 1)
        for (size_t i = 0; i < n; i++)
            to[i] = (int8_t)bytes[i];
    else
        for (size_t i = 0; i < n; i++)
            to[i] = (int16_t)load_16(bytes + 2 * i);
}

static void fill(int16_t *to, int16_t value, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] = value;
}

/* One slice of feature input: the real channels of each pixel, contiguous. */
static void take_pixels(const struct csc_layer *layer, const struct cbuf *cbuf, const uint8_t *slice, int16_t *line) {
    size_t element = (size_t)nvdla_element_bytes(layer->precision), in_atom = cbuf->atom / element;
    size_t channels = layer->channels, surfaces = ceil_div(channels, in_atom);
    for (size_t surface = 0; surface < surfaces; surface++) {
        size_t first = surface * in_atom, n = channels - first < in_atom ? channels - first : in_atom;
        struct cbuf_atoms atoms = cbuf_surface_atoms(cbuf, layer->width, surfaces, surface);
        for (size_t x = 0; x < layer->width; x++)
            widen(line + x * channels + first, slice + atoms.first + x * atoms.step, element, n);
    }
}

/* One slice of image input with erratum E1: the row of elements of each output in turn, as NVIDIA's CSC takes them. */
static void take_rows(const struct csc_layer *layer, const struct cbuf *cbuf, const uint8_t *slice, int16_t *to) {
    const size_t element = (size_t)nvdla_element_bytes(layer->precision);
    for (size_t x = 0; x < layer->erratum.outputs; x++) {
        for (size_t i = 0; i < layer->erratum.row; i++, to++) {
            const long from = errata_element(&layer->erratum, x, i);
            *to = 0;
            if (from != ERRATA_ZERO && (size_t)from < layer->slice_entries * cbuf->entry / element)
                widen(to, slice + (size_t)from * element, element, 1);
        }
    }
}

/* Bytes of the entries that hold one slice. */
static size_t slice_bytes(const struct csc_layer *layer, const struct cbuf *cbuf) {
    size_t element = (size_t)nvdla_element_bytes(layer->precision);
    if (layer->mode == CSC_IMAGE)
        return layer->slice_entries * cbuf->entry;
    size_t surfaces = ceil_div(layer->channels * element, cbuf->atom);
    return cbuf_slice_size(cbuf, layer->width, surfaces);
}

/* Lines of feature or image input with the padding around them. */
static void read_lines(const struct csc_layer *layer, const struct cbuf *cbuf, const struct crep *table,
                       struct csc_input_buffers *buffers, int16_t *to) {
    const struct crep_shape *shape = &table->shape;
    struct cbuf_ring ring = cbuf_data_ring(cbuf, layer->data_banks);
    size_t element = (size_t)nvdla_element_bytes(layer->precision), size = slice_bytes(layer, cbuf);
    buffer_reserve(&buffers->slice, 1, size);
    uint8_t *slice = buffers->slice.bytes;
    for (size_t batch = 0; batch < layer->batches; batch++) {
        fill(to, layer->pad, shape->top * table->stored_line);
        to += shape->top * table->stored_line;
        for (size_t y = 0; y < shape->lines; y++, to += table->stored_line) {
            size_t entry = cbuf->data.read + (y * layer->batches + batch) * layer->slice_entries;
            cbuf_read(cbuf, ring, entry * cbuf->entry, slice, size);
            fill(to, layer->pad, shape->left);
            if (layer->erratum.row > 0)
                take_rows(layer, cbuf, slice, to + shape->left);
            else if (layer->mode == CSC_IMAGE)
                widen(to + shape->left, slice, element, shape->line);
            else
                take_pixels(layer, cbuf, slice, to + shape->left);
            fill(to + shape->left + shape->line, layer->pad, table->stored_line - shape->left - shape->line);
        }
        size_t below = table->stored_lines - shape->top - shape->lines;
        fill(to, layer->pad, below * table->stored_line);
        to += below * table->stored_line;
    }
}

/* Rearranges one superslice of CBUF to [line][x][channel]. */
static void take_superslice(const struct csc_layer *layer, const struct cbuf *cbuf, const uint8_t *slice, int16_t *to) {
    size_t element = (size_t)nvdla_element_bytes(layer->precision), in_piece = CBUF_PIECE / element;
    for (size_t piece = 0; piece < layer->channels / in_piece; piece++) {
        for (size_t y = 0; y < CBUF_SUPERSLICE; y++) {
            for (size_t x = 0; x < layer->width; x++) {
                widen(to + (y * layer->width + x) * layer->channels + piece * in_piece,
                      slice + cbuf_piece_offset(cbuf, layer->width, piece, x, y), element, in_piece);
            }
        }
    }
}

static void read_tiles(const struct csc_layer *layer, const struct cbuf *cbuf, const struct crep *table,
                       struct csc_input_buffers *buffers, int16_t *to) {
    struct cbuf_ring ring = cbuf_data_ring(cbuf, layer->data_banks);
    size_t element = (size_t)nvdla_element_bytes(layer->precision), channels = layer->channels;
    size_t size = CBUF_SUPERSLICE * layer->width * channels * element, line = layer->width * channels;
    buffer_reserve(&buffers->slice, 1, size);
    buffer_reserve(&buffers->pixels, layer->height * line, sizeof(int16_t));
    uint8_t *slice = buffers->slice.bytes;
    int16_t *pixels = buffers->pixels.bytes;
    for (size_t y = 0; y < layer->height; y += CBUF_SUPERSLICE) {
        cbuf_read(cbuf, ring, (cbuf->data.read + y * layer->slice_entries) * cbuf->entry, slice, size);
        take_superslice(layer, cbuf, slice, pixels + y * line);
    }
    for (size_t y = 0; y < table->shape.out_height; y++) {
        for (size_t x = 0; x < table->shape.out_width; x++, to += table->shape.column_step) {
            pra_transform(pixels + 2 * y * line + 2 * x * channels, line, channels, channels, layer->precision,
                          layer->pra_truncate, to);
        }
    }
}

void csc_input_read(const struct csc_layer *layer, const struct cbuf *cbuf, const struct crep *table,
                    struct csc_input_buffers *buffers, int16_t *to) {
    if (layer->mode == CSC_WINOGRAD)
        read_tiles(layer, cbuf, table, buffers, to);
    else
        read_lines(layer, cbuf, table, buffers, to);
}
