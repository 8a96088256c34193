/* From CBUF to the beats between CDMA, CBUF, CSC, CMAC and CACC. See conv_streams.h. */
#include "model/conv_streams.h"

#include <string.h>

#include "nvdla/sizes.h"

enum {
    MOST_LANES = 64, /* of an atom, for any configuration */
    MOST_CELLS = CMAC_CELLS,
    MOST_ELEMENTS = MOST_LANES, /* of an operation, for each kernel */
    MOST_ROWS = 16,             /* positions that are sent together */
    MANTISSA_BITS = 38,
    ABOVE_WORD = 64 - 6 - MANTISSA_BITS /* bits above exponent and mantissa */
};

/* ---- CDMA into CBUF ---- */

/* Byte address in CBUF of byte `at` of a ring. */
static uint64_t address_of(const struct cbuf *cbuf, struct cbuf_ring ring, size_t at) {
    return (ring.first * cbuf->entry + at % (ring.entries * cbuf->entry)) % (cbuf->entries * cbuf->entry);
}

/* The first lanes of a memory atom at byte `at` of the ring. */
static void send_lanes(const struct tap_out *tap, const struct cbuf *cbuf, struct cbuf_ring ring, size_t at,
                       size_t lanes, struct tap_place place) {
    place.address = address_of(cbuf, ring, at);
    if (lanes > 0)
        tap_send(tap, place, cbuf->bytes + place.address, 1, lanes, lanes);
}

/* A whole atom. */
static void send_atom(const struct tap_out *tap, const struct cbuf *cbuf, struct cbuf_ring ring, size_t at,
                      struct tap_place place) {
    send_lanes(tap, cbuf, ring, at, cbuf->atom / tap_element_bytes(tap->stream.format), place);
}

/* Batch by batch and surface by surface through all lines of the grain. 30-cdma-cbuf sections 5.1 and 5.3. */
static void send_grain(const struct tap_out *tap, const struct cbuf *cbuf, const struct cdma_layer *layer, size_t entry,
                       size_t y, size_t lines) {
    const struct cbuf_ring ring = cbuf_data_ring(cbuf, layer->data_banks);
    const size_t lanes = cbuf->atom / tap_element_bytes(tap->stream.format), batches = layer->cubes.batches;
    for (size_t batch = 0; batch < batches; batch++)
        for (size_t surface = 0; surface < layer->surfaces; surface++) {
            const struct cbuf_atoms atoms = cbuf_surface_atoms(cbuf, layer->cubes.width, layer->surfaces, surface);
            for (size_t line = 0; line < lines; line++) {
                const size_t slice = line * batches + batch;
                const size_t first = (entry + slice * layer->slice_entries) * cbuf->entry + atoms.first;
                struct tap_place place = {
                    .batch = (int32_t)batch, .channel = (int32_t)(surface * lanes), .y = (int32_t)(y + line)};
                for (size_t x = 0; x < layer->cubes.width; x++) {
                    place.x = (int32_t)x;
                    send_atom(tap, cbuf, ring, first + x * atoms.step, place);
                }
            }
        }
}

/* A superslice, surface by surface and line by line of the padded input; four columns of the extended cube at a time,
 * by phase of the stride, piece by piece. 30-cdma-cbuf section 5.5. Two atoms are written at a time, one to an even and
 * one to an odd entry: if a row has an even number of tiles, a piece of two tiles side by side. */
static void send_superslice(const struct tap_out *tap, const struct cbuf *cbuf, const struct cdma_layer *layer,
                            size_t entry, size_t y) {
    const struct cbuf_ring ring = cbuf_data_ring(cbuf, layer->data_banks);
    const size_t pieces = cbuf->atom / CBUF_PIECE, width = layer->extended_width;
    const size_t lanes = CBUF_PIECE / tap_element_bytes(tap->stream.format);
    const size_t steps_x = layer->cubes.stride_x, steps_y = layer->cubes.stride_y;
    const size_t together = width / CBUF_SUPERSLICE % 2 == 0 ? 2 : 1;
    for (size_t surface = 0; surface < layer->surfaces; surface++)
        for (size_t row = 0; row < CBUF_SUPERSLICE * steps_y; row++)
            for (size_t tiles = 0; tiles < width; tiles += together * CBUF_SUPERSLICE)
                for (size_t i = 0; i < steps_x * pieces * together; i++) {
                    const size_t phase = row % steps_y * steps_x + i / together / pieces;
                    const size_t piece = (phase * layer->surfaces + surface) * pieces + i / together % pieces;
                    const size_t x = tiles + i % together * CBUF_SUPERSLICE;
                    const struct tap_place place = {
                        .channel = (int32_t)(piece * lanes), .y = (int32_t)(y + row / steps_y), .x = (int32_t)x};
                    send_atom(tap, cbuf, ring,
                              entry * cbuf->entry + cbuf_piece_offset(cbuf, width, piece, x, row / steps_y), place);
                }
}

/* The lines of an image, atom by atom. */
static void send_image(const struct tap_out *tap, const struct cbuf *cbuf, const struct cdma_layer *layer, size_t entry,
                       size_t y, size_t lines) {
    const struct cbuf_ring ring = cbuf_data_ring(cbuf, layer->data_banks);
    const size_t elements = conv_image_elements(&layer->cubes);
    const size_t lanes = cbuf->atom / tap_element_bytes(tap->stream.format);
    for (size_t line = 0; line < lines; line++) {
        const struct tap_place place = {.channel = -1, .y = (int32_t)(y + line), .x = -1};
        for (size_t i = 0; i < layer->line_atoms; i++)
            send_lanes(tap, cbuf, ring, (entry + line * layer->slice_entries) * cbuf->entry + i * cbuf->atom,
                       lesser(elements - lesser(i * lanes, elements), lanes), place);
    }
}

/* Slice by slice in the order of addresses: surfaces that share entries alternate pixel by pixel. */
static void send_slices(const struct tap_out *tap, const struct cbuf *cbuf, const struct cdma_layer *layer,
                        size_t entry, size_t y, size_t lines) {
    const struct cbuf_ring ring = cbuf_data_ring(cbuf, layer->data_banks);
    const size_t lanes = cbuf->atom / tap_element_bytes(tap->stream.format), batches = layer->cubes.batches;
    for (size_t slice = 0; slice < lines * batches; slice++)
        for (size_t group = 0; group < layer->surfaces; group += cbuf->slots)
            for (size_t i = 0; i < layer->cubes.width * lesser(layer->surfaces - group, cbuf->slots); i++) {
                const size_t together = lesser(layer->surfaces - group, cbuf->slots);
                const size_t surface = group + i % together, x = i / together;
                const struct cbuf_atoms atoms = cbuf_surface_atoms(cbuf, layer->cubes.width, layer->surfaces, surface);
                const struct tap_place place = {.batch = (int32_t)(slice % batches),
                                                .channel = (int32_t)(surface * lanes),
                                                .y = (int32_t)(y + slice / batches),
                                                .x = (int32_t)x};
                send_atom(tap, cbuf, ring,
                          (entry + slice * layer->slice_entries) * cbuf->entry + atoms.first + x * atoms.step, place);
            }
}

/* A superslice in the order of addresses: piece by piece, four columns and then four lines at a time. */
static void send_pieces(const struct tap_out *tap, const struct cbuf *cbuf, const struct cdma_layer *layer,
                        size_t entry, size_t y) {
    const struct cbuf_ring ring = cbuf_data_ring(cbuf, layer->data_banks);
    const size_t lanes = CBUF_PIECE / tap_element_bytes(tap->stream.format), width = layer->extended_width;
    const size_t pieces = layer->cubes.stride_x * layer->cubes.stride_y * layer->surfaces * (cbuf->atom / CBUF_PIECE);
    for (size_t piece = 0; piece < pieces; piece++)
        for (size_t x = 0; x < width; x += CBUF_SUPERSLICE)
            for (size_t line = 0; line < CBUF_SUPERSLICE; line++) {
                const struct tap_place place = {
                    .channel = (int32_t)(piece * lanes), .y = (int32_t)(y + line), .x = (int32_t)x};
                send_atom(tap, cbuf, ring, entry * cbuf->entry + cbuf_piece_offset(cbuf, width, piece, x, line), place);
            }
}

void conv_streams_data(const struct tap_out *tap, const struct cbuf *cbuf, const struct cdma_layer *layer, size_t entry,
                       size_t y, size_t lines, bool by_address) {
    if (tap->count == 0)
        return;
    if (layer->cubes.mode == CDMA_IMAGE)
        send_image(tap, cbuf, layer, entry, y, lines);
    else if (layer->cubes.mode == CDMA_FEATURE)
        (by_address ? send_slices : send_grain)(tap, cbuf, layer, entry, y, lines);
    else
        (by_address ? send_pieces : send_superslice)(tap, cbuf, layer, entry, y);
}

void conv_streams_weights(const struct tap_out *tap, const struct cbuf *cbuf, struct cbuf_ring ring, size_t first,
                          size_t count) {
    const struct tap_place place = {.channel = -1, .y = -1, .x = -1};
    for (size_t i = 0; tap->count > 0 && i < count; i++)
        send_atom(tap, cbuf, ring, (first + i) * cbuf->atom, place);
}

/* ---- CSC to CMAC to CACC ---- */

void conv_streams_begin(struct conv_streams *streams, const struct registers_view *view, bool specified) {
    streams->order = conv_order(view, specified);
    streams->next = conv_order_first(&streams->order);
}

/* The window of an output position in the input. */
static const int16_t *window_of(const struct conv_order *order, const struct conv_source *source,
                                const struct conv_place *at) {
    const struct crep *table = source->table;
    const size_t scale = order->winograd ? 2 : 1; /* results of a tile in a line */
    return source->input + at->batch * table->stored_line * table->stored_lines + table->row[at->y / scale] +
           table->column[at->x / scale];
}

/* Contiguous elements, in the format of the layer. */
static void send_elements(const struct tap_out *tap, struct tap_place place, const int16_t *from, size_t rows,
                          size_t lanes) {
    int8_t bytes[MOST_ROWS * MOST_LANES];
    if (tap->count == 0)
        return;
    if (tap->stream.format != TAP_INT8) {
        tap_send(tap, place, from, rows, lanes, lanes);
        return;
    }
    for (size_t i = 0; i < rows * lanes; i++)
        bytes[i] = (int8_t)from[i];
    tap_send(tap, place, bytes, rows, lanes, lanes); // cppcheck-suppress uninitvar ; rows * lanes are there
}

/* An operation: its pieces of every window, and the weights of every kernel for them. */
struct conv_pieces {
    const struct conv_operation *at;
    const struct cmac_piece *pieces;
    size_t count;           /* of pieces, all of the same size */
    size_t elements;        /* of all pieces */
    size_t before;          /* elements of the operations before it */
    const int16_t *weights; /* [kernel][element] */
    int16_t *turned;        /* [element][kernel]; only of integers whose sums are heard */
};

/* All lanes of each cell: CSC masks those outside the kernel's block, and so they are 0 here. The data in these lanes
 * does not matter. Section 4.6. */
static void send_weights(const struct conv_streams *streams, const struct conv_pieces *operation) {
    const struct conv_order *order = &streams->order;
    const size_t lanes = conv_operation_lane(order, 1), channels = operation->at->channels;
    for (size_t k = 0; k < operation->at->kernels && streams->weights.count > 0; k++)
        for (size_t part = 0; part < conv_order_parts(order); part++) {
            const struct tap_place place = {.channel = (int32_t)(operation->at->kernel + k),
                                            .y = (int32_t)(operation->at->row + part),
                                            .x = (int32_t)operation->at->channel,
                                            .reduction = (int32_t)operation->at->index};
            int16_t row[MOST_LANES] = {0};
            if (part < operation->count)
                memcpy(row, operation->weights + k * operation->elements + part * channels,
                       lesser(channels, lanes) * sizeof row[0]);
            send_elements(&streams->weights, place, row, lanes, 1);
        }
}

/* Weights in the order in which cmac_atom() adds up several kernels at once. */
static void turn_weights(const struct conv_pieces *operation) {
    int16_t *turned = operation->turned;
    for (size_t i = 0; i < operation->elements; i++)
        for (size_t k = 0; k < operation->at->kernels; k++)
            *turned++ = operation->weights[k * operation->elements + i];
}

/* sums[n * kernels + k]: of all kernels; for a tile, of each result n. */
static void add_up(const struct conv_order *order, const struct conv_pieces *operation, const int16_t *window,
                   int64_t *sums) {
    const size_t kernels = operation->at->kernels;
    const int16_t *turned = operation->turned;
    int64_t products[CONV_TILE * MOST_CELLS];
    if (!order->winograd) {
        (order->precision == NVDLA_INT8 ? cmac_atom_int8 : cmac_atom)(window, operation->pieces, operation->count,
                                                                      turned, kernels, sums);
        return;
    }
    for (size_t part = 0; part < operation->count; part++) {
        cmac_atom(window, operation->pieces + part, 1, turned, kernels, products + part * kernels);
        turned += operation->pieces[part].count * kernels;
    }
    cmac_post_add(products, kernels, kernels, sums);
}

/* What CMAC sends in FP16: struct cmac_fp16_sums as TAP_CMAC_FP16. */
static void add_up_floating(const struct conv_order *order, const struct conv_source *source,
                            const struct conv_pieces *operation, const int16_t *window, int64_t *sums) {
    const size_t kernels = operation->at->kernels;
    struct cmac_fp16_data data;
    cmac_fp16_data_read(&data, source->floating, window, operation->pieces, operation->count);
    for (size_t block = 0; block * CMAC_FP16_LANES < kernels; block++) {
        struct cmac_fp16_sums sent;
        cmac_fp16_atom(source->floating, block, operation->at->index, operation->before, &data, order->winograd, &sent);
        for (size_t n = 0; n < (order->winograd ? CONV_OUTPUTS : 1); n++)
            for (size_t k = 0; k < lesser(kernels - block * CMAC_FP16_LANES, CMAC_FP16_LANES); k++) {
                const uint64_t mantissa = (uint64_t)sent.mantissa[n][k] & ((UINT64_C(1) << MANTISSA_BITS) - 1);
                const uint64_t word = (uint64_t)sent.exponent[k] << MANTISSA_BITS | mantissa;
                sums[n * kernels + block * CMAC_FP16_LANES + k] = (int64_t)(word << ABOVE_WORD) >> ABOVE_WORD;
            }
    }
}

/* Positions of a line with the same flags, which are sent together. */
struct positions {
    size_t count;
    struct tap_place place; /* of the first */
    const int16_t *windows[MOST_ROWS];
};

/* The positions from atom number `first` on. Parts of an atom alternate, so such atoms are sent one by one. */
static struct positions positions_of(const struct conv_order *order, const struct conv_source *source,
                                     const struct conv_pieces *operation, size_t first) {
    const struct conv_place at = conv_operation_place(order, operation->at, first);
    const size_t atoms = conv_operation_atoms(order, operation->at);
    struct positions positions = {.count = 1,
                                  .place = {.batch = (int32_t)at.batch,
                                            .channel = (int32_t)operation->at->channel,
                                            .y = (int32_t)at.y,
                                            .x = (int32_t)at.x,
                                            .reduction = (int32_t)operation->at->index,
                                            .flags = conv_operation_flags(order, operation->at, first)},
                                  .windows = {window_of(order, source, &at)}};
    for (size_t i = first + 1; operation->count == 1 && i < atoms && positions.count < MOST_ROWS; i++) {
        const struct conv_place next = conv_operation_place(order, operation->at, i);
        if (next.batch != at.batch || next.y != at.y || next.x != at.x + positions.count ||
            conv_operation_flags(order, operation->at, i) != positions.place.flags)
            break;
        positions.windows[positions.count++] = window_of(order, source, &next);
    }
    return positions;
}

static void send_atoms(const struct conv_streams *streams, const struct conv_pieces *operation,
                       const struct positions *positions) {
    int16_t rows[MOST_ROWS * MOST_LANES];
    for (size_t part = 0; part < operation->count && streams->atoms.count > 0; part++) {
        const struct cmac_piece *piece = &operation->pieces[part];
        for (size_t i = 0; i < positions->count; i++)
            memcpy(rows + i * piece->count, positions->windows[i] + piece->offset, piece->count * sizeof rows[0]);
        send_elements(&streams->atoms, positions->place, rows, positions->count, piece->count);
    }
}

/* Rows of sums, `step` apart, of one half's cells. */
static void send_rows(const struct tap_out *tap, struct tap_place place, const int64_t *sums, size_t rows, size_t step,
                      size_t kernels) {
    int64_t wide[MOST_ROWS * MOST_CELLS];
    int32_t narrow[MOST_ROWS * MOST_CELLS];
    const bool is_narrow = tap->stream.format == TAP_INT32;
    for (size_t i = 0; i < rows && tap->count > 0; i++)
        for (size_t k = 0; k < kernels; k++)
            if (is_narrow)
                narrow[i * kernels + k] = (int32_t)sums[i * step + k];
            else
                wide[i * kernels + k] = sums[i * step + k];
    tap_send(tap, place, is_narrow ? (const void *)narrow : wide, rows, kernels, kernels);
}

/* Sums of the cells, each with a kernel. */
static void send_sums(const struct conv_streams *streams, const struct conv_source *source,
                      const struct conv_pieces *operation, const struct positions *positions) {
    const struct conv_order *order = &streams->order;
    const size_t kernels = operation->at->kernels, half = order->group / 2,
                 results = order->winograd ? CONV_OUTPUTS : 1;
    int64_t sums[MOST_ROWS * CONV_OUTPUTS * MOST_CELLS];
    for (size_t i = 0; i < positions->count; i++)
        if (order->precision == NVDLA_FP16)
            add_up_floating(order, source, operation, positions->windows[i], sums + i * kernels);
        else
            add_up(order, operation, positions->windows[i], sums + i * kernels);
    for (size_t n = 0; n < results; n++) {
        struct tap_place at = positions->place;
        at.y += (int32_t)n / 2;
        at.x += (int32_t)n % 2;
        at.channel = (int32_t)operation->at->kernel;
        send_rows(&streams->sums[0], at, sums + n * kernels, positions->count, kernels, lesser(kernels, half));
        at.channel += (int32_t)half;
        if (kernels > half)
            send_rows(&streams->sums[1], at, sums + n * kernels + half, positions->count, kernels, kernels - half);
    }
}

static void send_operation(const struct conv_streams *streams, const struct conv_source *source,
                           const struct conv_pieces *operation) {
    const struct conv_order *order = &streams->order;
    const bool sums = streams->sums[0].count + streams->sums[1].count > 0;
    if (sums && order->precision != NVDLA_FP16)
        turn_weights(operation);
    send_weights(streams, operation);
    for (size_t i = 0; i < conv_operation_atoms(order, operation->at);) {
        const struct positions positions = positions_of(order, source, operation, i);
        send_atoms(streams, operation, &positions);
        if (sums)
            send_sums(streams, source, operation, &positions);
        i += positions.count;
    }
}

void conv_streams_group(struct conv_streams *streams, const struct conv_source *source) {
    if (streams->atoms.count + streams->weights.count + streams->sums[0].count + streams->sums[1].count == 0)
        return;
    const struct crep *table = source->table;
    struct conv_operation at = streams->next;
    int16_t turned[MOST_ELEMENTS * MOST_CELLS];
    struct conv_pieces operation = {.at = &at, .turned = turned};
    for (bool more = true; more;) {
        const size_t piece = at.index == 0 ? 0 : table->ends[at.index - 1];
        if (at.index == 0) { /* every stripe reads the group's weights again */
            operation.before = 0;
            operation.weights = source->weights;
        }
        operation.pieces = table->pieces + piece;
        operation.count = table->ends[at.index] - piece;
        operation.elements = operation.count * operation.pieces->count;
        send_operation(streams, source, &operation);
        operation.before += operation.elements;
        operation.weights += at.kernels * operation.elements;
        more = !at.layer_end;
        if (more) {
            at = conv_order_next(&streams->order, &at);
            more = !at.group_first;
        }
    }
    streams->next = at;
}
