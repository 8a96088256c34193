/* From memory into the order of CBUF: feature cubes, images, Winograd tiles. See cdma_input.h. */
#include "model/cdma_input.h"

#include <string.h>

#include "nvdla/sizes.h"

/* Copies n contiguous atoms to places `step` bytes apart. */
static inline void spread(uint8_t *to, size_t step, const uint8_t *from, size_t atom, size_t n) {
    for (size_t i = 0; i < n; i++)
        memcpy(to + i * step, from + i * atom, atom);
}

/* The same with the atom size as a constant, so the compiler knows the size of each copy. */
static void spread_atoms(uint8_t *to, size_t step, const uint8_t *from, size_t atom, size_t n) {
    switch (atom) {
    case 8:
        spread(to, step, from, 8, n);
        break;
    case 16:
        spread(to, step, from, 16, n);
        break;
    default:
        spread(to, step, from, 32, n);
        break;
    }
}

/* Writes n elements of `bytes` bytes with the same value. */
static void fill(uint8_t *to, size_t bytes, uint16_t value, size_t n) {
    if (bytes == 1) {
        memset(to, (uint8_t)value, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        memcpy(to + 2 * i, &value, 2);
}

/* ---- tap ---- */

/* Sends a line of a surface to the tap. */
static void show_atoms(const struct cdma_input *input, size_t batch, size_t surface, uint64_t y, const uint8_t *bytes,
                       size_t atoms) {
    size_t lanes = input->cbuf->atom / input->convertor->from;
    const struct tap_place place = {
        .batch = (int32_t)batch, .channel = (int32_t)(surface * lanes), .y = (int32_t)y, .x = 0};
    tap_send(input->tap, place, bytes, atoms, tap_lanes(input->layer->cubes.channels, lanes, surface), lanes);
}

/* ---- feature input ---- */

/* Slots of the last entries without source are 0 and not converted. Sections 5.1 to 5.3. */
size_t cdma_fetch_feature(const struct cdma_input *input, size_t batch, size_t y) {
    const struct cdma_layer *layer = input->layer;
    const struct cbuf *cbuf = input->cbuf;
    size_t width = layer->cubes.width, surfaces = layer->surfaces, bytes = width * cbuf->atom;
    size_t size = cbuf_slice_size(cbuf, width, surfaces);
    uint64_t line = y * layer->cubes.line_stride[0];
    if (layer->packed_lines) {
        size_t in_grain = y % layer->grain;
        line = (y - in_grain) * layer->cubes.line_stride[0] + in_grain * bytes;
    }
    if (surfaces % cbuf->slots != 0)
        memset(input->slice, 0, size);
    for (size_t surface = 0; surface < surfaces; surface++) {
        uint64_t at =
            layer->cubes.base[0] + batch * layer->cubes.batch_stride + surface * layer->cubes.surface_stride + line;
        struct cbuf_atoms atoms = cbuf_surface_atoms(cbuf, width, surfaces, surface);
        bool run = atoms.step == cbuf->atom;
        uint8_t *read = run ? input->slice + atoms.first : input->line;
        dma_read(input->client, at, read, width);
        show_atoms(input, batch, surface, y, read, width);
        cdma_convert_cube(input->convertor, read, bytes);
        cdma_watch(input->specials, read, bytes / 2);
        if (!run)
            spread_atoms(input->slice + atoms.first, atoms.step, read, cbuf->atom, width);
    }
    return size;
}

/* ---- Winograd ---- */

/* Atoms of a line of the padded input. */
static size_t padded_width(const struct cdma_layer *layer) {
    return layer->extended_width * layer->cubes.stride_x;
}

/* Reads row `row` of the padded input, converted, including the pad value outside the input. */
static void padded_line(const struct cdma_input *input, size_t surface, size_t row) {
    const struct cdma_layer *layer = input->layer;
    size_t atom = input->cbuf->atom, width = padded_width(layer),
           bytes = (size_t)nvdla_element_bytes(layer->cubes.proc);
    size_t left = layer->cubes.pad_left < width ? layer->cubes.pad_left : width;
    bool inside = row >= layer->cubes.pad_top && row - layer->cubes.pad_top < layer->cubes.height;
    size_t columns = !inside ? 0 : layer->cubes.width < width - left ? layer->cubes.width : width - left;
    fill(input->line, bytes, layer->pad, width * atom / bytes);
    if (columns > 0) {
        uint64_t y = row - layer->cubes.pad_top;
        dma_read(input->client,
                 layer->cubes.base[0] + surface * layer->cubes.surface_stride + y * layer->cubes.line_stride[0],
                 input->line + left * atom, columns);
        show_atoms(input, 0, surface, y, input->line + left * atom, columns);
    }
    cdma_convert_cube(input->convertor, input->line, width * atom);
    cdma_watch(input->specials, input->line, width * atom / 2);
}

/* The columns and rows of a step of the strides become channels of the extended cube. Section 5.5. */
size_t cdma_fetch_winograd(const struct cdma_input *input, size_t y) {
    const struct cdma_layer *layer = input->layer;
    const struct cbuf *cbuf = input->cbuf;
    size_t pieces = cbuf->atom / CBUF_PIECE, piece_step = cbuf_piece_offset(cbuf, layer->extended_width, 1, 0, 0);
    for (size_t surface = 0; surface < layer->surfaces; surface++) {
        for (size_t row = 0; row < CBUF_SUPERSLICE * layer->cubes.stride_y; row++) {
            padded_line(input, surface, y * layer->cubes.stride_y + row);
            for (size_t x = 0; x < padded_width(layer); x++) {
                size_t phase = row % layer->cubes.stride_y * layer->cubes.stride_x + x % layer->cubes.stride_x;
                size_t piece = (phase * layer->surfaces + surface) * pieces;
                size_t to = cbuf_piece_offset(cbuf, layer->extended_width, piece, x / layer->cubes.stride_x,
                                              row / layer->cubes.stride_y);
                for (size_t i = 0; i < pieces; i++) {
                    memcpy(input->slice + to + i * piece_step, input->line + x * cbuf->atom + i * CBUF_PIECE,
                           CBUF_PIECE);
                }
            }
        }
    }
    return cdma_slice_room(layer, cbuf);
}

/* ---- images ---- */

/* Atoms of a line of a plane, from the first pixel's atom on. */
static size_t plane_atoms(const struct cdma_layer *layer, const struct cbuf *cbuf, size_t offset, int plane) {
    size_t bytes = (offset + layer->cubes.width) * (size_t)layer->cubes.pixel->pixel_bytes[plane];
    return ceil_div(bytes, cbuf->atom);
}

/* Where a component of a line is in memory. */
struct component {
    const uint8_t *first; /* the first pixel */
    size_t step;          /* bytes from pixel to pixel */
    unsigned lsb;         /* of the component in a pixel */
    int bits;             /* 8, 16, or 10 and 2 of a 32-bit word */
};

/* Pixels that are converted at a time. */
enum { PART = 512 };

/* Reads n pixels' values from pixel x on: bits unchanged, 10-bit formats left-justified in 16. 20-data-formats section
 * 4.1. */
static void gather(const struct component *component, size_t x, uint16_t *values, size_t n) {
    size_t step = component->step;
    const uint8_t *from = component->first + x * step;
    if (component->bits == 8) {
        from += component->lsb / 8;
        for (size_t i = 0; i < n; i++)
            values[i] = from[i * step];
    } else if (component->bits == 16) {
        from += component->lsb / 8;
        for (size_t i = 0; i < n; i++)
            memcpy(&values[i], from + i * step, 2);
    } else {
        unsigned mask = (1u << component->bits) - 1;
        for (size_t i = 0; i < n; i++) {
            uint32_t word;
            memcpy(&word, from + i * step, 4);
            values[i] = (uint16_t)((word >> component->lsb & mask) << (16 - component->bits));
        }
    }
}

/* Writes n values as elements of `bytes` bytes, `step` bytes apart. */
static void scatter(uint8_t *to, size_t step, size_t bytes, const uint16_t *values, size_t n) {
    if (bytes == 1) {
        for (size_t i = 0; i < n; i++)
            to[i * step] = (uint8_t)values[i];
        return;
    }
    for (size_t i = 0; i < n; i++)
        memcpy(to + i * step, &values[i], 2);
}

/* Sends component c of all pixels of line y to the tap. */
static void show_component(const struct cdma_input *input, const struct component *component, int c, size_t y) {
    size_t width = input->layer->cubes.width;
    for (size_t x = 0; x < width && input->tap->count > 0; x += PART) {
        const struct tap_place place = {.channel = c, .y = (int32_t)y, .x = (int32_t)x};
        uint16_t values[PART];
        int32_t sources[PART];
        size_t n = width - x < PART ? width - x : PART;
        gather(component, x, values, n);
        if (input->layer->cubes.in == NVDLA_FP16) {
            tap_send(input->tap, place, values, n, 1, 1);
            continue;
        }
        for (size_t i = 0; i < n; i++)
            sources[i] = cdma_source(input->convertor, values[i]);
        tap_send(input->tap, place, sources, n, 1, 1); // cppcheck-suppress uninitvar ; n are there
    }
}

/* Writes component c of all pixels to `out`, `pixel` bytes apart. */
static void put_component(const struct cdma_input *input, const struct component *component, int c, uint8_t *out,
                          size_t pixel) {
    size_t width = input->layer->cubes.width, bytes = input->convertor->to;
    if (component->bits == 8 && bytes == 1) {
        cdma_convert_bytes(input->convertor, c, component->first + component->lsb / 8, component->step, out, pixel,
                           width);
        return;
    }
    uint16_t values[PART];
    for (size_t x = 0; x < width; x += PART) {
        size_t n = width - x < PART ? width - x : PART;
        gather(component, x, values, n);
        cdma_convert_component(input->convertor, c, values, n);
        cdma_watch(input->specials, (uint8_t *)values, n);
        scatter(out + x * pixel, pixel, bytes, values, n);
    }
}

/* Reads line y of a plane and writes its components to the pixels from `out` on. */
static void put_plane(const struct cdma_input *input, int plane, size_t y, uint8_t *out) {
    const struct cdma_layer *layer = input->layer;
    const struct nvdla_pixel_format *format = layer->cubes.pixel;
    size_t step = (size_t)format->pixel_bytes[plane], bytes = input->convertor->to;
    /* The second plane's first pixel is in its first atom: 20-data-formats section 4. */
    size_t offset = plane == 0 ? layer->cubes.x_offset : layer->cubes.x_offset % (input->cbuf->atom / step);
    dma_read(input->client, layer->cubes.base[plane] + y * layer->cubes.line_stride[plane], input->line,
             plane_atoms(layer, input->cbuf, offset, plane));
    int end = format->planes == 2 && plane == 0 ? 1 : format->components;
    for (int c = plane; c < end; c++) {
        const struct component component = {.first = input->line + offset * step,
                                            .step = step,
                                            .lsb = format->lsb[c],
                                            .bits = format->bits == 10 && c == 3 ? 2 : format->bits};
        show_component(input, &component, c, y);
        put_component(input, &component, c, out + (size_t)c * bytes, (size_t)format->components * bytes);
    }
}

/* Section 5.4. Without convertor the source elements are copied at their own width; pads have the processing
 * precision. */
size_t cdma_fetch_image(const struct cdma_input *input, size_t y) {
    const struct cdma_layer *layer = input->layer;
    size_t count = (size_t)layer->cubes.pixel->components, proc = (size_t)nvdla_element_bytes(layer->cubes.proc);
    size_t pixel = count * input->convertor->to;
    uint8_t *out = input->slice;
    fill(out, proc, layer->pad, layer->cubes.pad_left * count);
    out += layer->cubes.pad_left * count * proc;
    for (int plane = 0; plane < layer->cubes.pixel->planes; plane++)
        put_plane(input, plane, y, out);
    out += layer->cubes.width * pixel;
    fill(out, proc, layer->pad, layer->cubes.pad_right * count);
    out += layer->cubes.pad_right * count * proc;
    /* The converted zero up to the end of the chunk, then 0 up to the end of the entry. */
    size_t entry = input->cbuf->entry, size = (size_t)(out - input->slice);
    size_t tail = (layer->chunk - size % layer->chunk) % layer->chunk / proc;
    fill(out, proc, input->convertor->zero, tail);
    size += tail * proc;
    size_t rest = (entry - size % entry) % entry;
    memset(input->slice + size, 0, rest);
    return size + rest;
}

/* ---- room ---- */

size_t cdma_slice_room(const struct cdma_layer *layer, const struct cbuf *cbuf) {
    size_t pixels = layer->cubes.pad_left + layer->cubes.width + layer->cubes.pad_right;
    switch (layer->cubes.mode) {
    case CDMA_FEATURE:
        return cbuf_slice_size(cbuf, layer->cubes.width, layer->surfaces);
    case CDMA_WINOGRAD:
        return padded_width(layer) * layer->cubes.stride_y * CBUF_SUPERSLICE * layer->surfaces * cbuf->atom;
    case CDMA_IMAGE:
        break;
    }
    return pixels * (size_t)layer->cubes.pixel->components * 2 + cbuf->entry;
}

size_t cdma_line_room(const struct cdma_layer *layer, const struct cbuf *cbuf) {
    size_t atoms = layer->cubes.width;
    if (layer->cubes.mode == CDMA_WINOGRAD) {
        atoms = padded_width(layer);
    } else if (layer->cubes.mode == CDMA_IMAGE) {
        size_t other = layer->cubes.pixel->planes == 2 ? plane_atoms(layer, cbuf, layer->cubes.x_offset, 1) : 0;
        atoms = plane_atoms(layer, cbuf, layer->cubes.x_offset, 0);
        atoms = atoms > other ? atoms : other;
    }
    return atoms * cbuf->atom;
}
