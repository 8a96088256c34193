/* From CBUF to the beats between CDMA, CBUF, CSC, CMAC and CACC. See conv_streams.h. */
#include "model/conv_streams.h"

#include <string.h>

#include "nvdla/sizes.h"

enum {
    MOST_LANES = 64, /* of an atom, for any configuration */
    MOST_CELLS = 64, /* kernels of both halves of CMAC */
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

void conv_streams_data(const struct tap_out *tap, const struct cbuf *cbuf, const struct cdma_layer *layer, size_t entry,
                       size_t y, size_t lines) {
    if (tap->count == 0)
        return;
    if (layer->cubes.mode == CDMA_FEATURE) {
        send_grain(tap, cbuf, layer, entry, y, lines);
        return;
    }
    if (layer->cubes.mode == CDMA_WINOGRAD) {
        send_superslice(tap, cbuf, layer, entry, y);
        return;
    }
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
    int8_t bytes[MOST_LANES];
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
struct operation {
    const struct conv_operation *at;
    const struct cmac_piece *pieces;
    size_t count;           /* of pieces, all of the same size */
    size_t elements;        /* of all pieces */
    size_t before;          /* elements of the operations before it */
    const int16_t *weights; /* [kernel][element] */
};

/* All lanes of each cell: CSC masks those outside the kernel's block, and so they are 0 here. The data in these lanes
 * does not matter. Section 4.6. */
static void send_weights(const struct conv_streams *streams, const struct operation *operation) {
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

/* The sums of one kernel; for a tile, of each result. */
static void add_up(const struct conv_order *order, const struct operation *operation, const int16_t *window, size_t k,
                   int64_t *sums) {
    int64_t products[CONV_TILE] = {0};
    const int16_t *weights = operation->weights + k * operation->elements;
    for (size_t part = 0; part < operation->count; part++)
        for (size_t i = 0; i < operation->pieces[part].count; i++)
            products[order->winograd ? part : 0] += (int64_t)window[operation->pieces[part].offset + i] * *weights++;
    if (order->winograd)
        cmac_post_add(products, 1, 1, sums);
    else
        sums[0] = products[0];
}

/* What CMAC sends in FP16: struct cmac_fp16_sums as TAP_CMAC_FP16. */
static void add_up_floating(const struct conv_order *order, const struct conv_source *source,
                            const struct operation *operation, const int16_t *window,
                            int64_t sums[CONV_OUTPUTS][MOST_CELLS]) {
    struct cmac_fp16_data data;
    cmac_fp16_data_read(&data, source->floating, window, operation->pieces, operation->count);
    for (size_t block = 0; block * CMAC_FP16_LANES < operation->at->kernels; block++) {
        struct cmac_fp16_sums sent;
        cmac_fp16_atom(source->floating, block, operation->at->index, operation->before, &data, order->winograd, &sent);
        for (size_t n = 0; n < (order->winograd ? CONV_OUTPUTS : 1); n++)
            for (size_t k = 0; k < CMAC_FP16_LANES; k++) {
                const uint64_t mantissa = (uint64_t)sent.mantissa[n][k] & ((UINT64_C(1) << MANTISSA_BITS) - 1);
                const uint64_t word = (uint64_t)sent.exponent[k] << MANTISSA_BITS | mantissa;
                sums[n][block * CMAC_FP16_LANES + k] = (int64_t)(word << ABOVE_WORD) >> ABOVE_WORD;
            }
    }
}

/* A row of sums of one half's cells. */
static void send_row(const struct tap_out *tap, struct tap_place place, const int64_t *sums, size_t kernels) {
    int32_t narrow[MOST_CELLS];
    if (tap->stream.format != TAP_INT32) {
        tap_send(tap, place, sums, 1, kernels, kernels);
        return;
    }
    for (size_t k = 0; k < kernels; k++)
        narrow[k] = (int32_t)sums[k];
    tap_send(tap, place, narrow, 1, kernels, kernels); // cppcheck-suppress uninitvar ; kernels are there
}

/* Sums of the cells, each with a kernel. */
static void send_sums(const struct conv_streams *streams, const struct conv_source *source,
                      const struct operation *operation, const int16_t *window, struct tap_place place) {
    const struct conv_order *order = &streams->order;
    const size_t kernels = operation->at->kernels, half = order->group / 2;
    int64_t sums[CONV_OUTPUTS][MOST_CELLS];
    if (order->precision == NVDLA_FP16)
        add_up_floating(order, source, operation, window, sums);
    else
        for (size_t k = 0; k < kernels; k++) {
            int64_t all[CONV_OUTPUTS] = {0};
            add_up(order, operation, window, k, all);
            for (size_t n = 0; n < CONV_OUTPUTS; n++)
                sums[n][k] = all[n];
        }
    for (size_t n = 0; n < (order->winograd ? CONV_OUTPUTS : 1); n++) {
        struct tap_place at = place;
        at.y += (int32_t)n / 2;
        at.x += (int32_t)n % 2;
        at.channel = (int32_t)operation->at->kernel;
        send_row(&streams->sums[0], at, sums[n], lesser(kernels, half));
        at.channel += (int32_t)half;
        if (kernels > half)
            send_row(&streams->sums[1], at, sums[n] + half, kernels - half);
    }
}

static void send_operation(const struct conv_streams *streams, const struct conv_source *source,
                           const struct operation *operation) {
    const struct conv_order *order = &streams->order;
    send_weights(streams, operation);
    for (size_t i = 0; i < conv_operation_atoms(order, operation->at); i++) {
        const struct conv_place at = conv_operation_place(order, operation->at, i);
        const struct tap_place place = {.batch = (int32_t)at.batch,
                                        .channel = (int32_t)operation->at->channel,
                                        .y = (int32_t)at.y,
                                        .x = (int32_t)at.x,
                                        .reduction = (int32_t)operation->at->index,
                                        .flags = conv_operation_flags(order, operation->at, i)};
        const int16_t *window = window_of(order, source, &at);
        for (size_t part = 0; part < operation->count; part++)
            send_elements(&streams->atoms, place, window + operation->pieces[part].offset, 1,
                          operation->pieces[part].count);
        if (streams->sums[0].count + streams->sums[1].count > 0)
            send_sums(streams, source, operation, window, place);
    }
}

void conv_streams_group(struct conv_streams *streams, const struct conv_source *source) {
    if (streams->atoms.count + streams->weights.count + streams->sums[0].count + streams->sums[1].count == 0)
        return;
    const struct crep *table = source->table;
    struct conv_operation at = streams->next;
    struct operation operation = {.at = &at};
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
