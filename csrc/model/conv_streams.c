/* From CBUF to the beats between CDMA, CBUF, CSC, CMAC and CACC. See conv_streams.h. */
#include "model/conv_streams.h"

#include <string.h>

#include "nvdla/sizes.h"

enum {
    MOST_BYTES = 128, /* of an entry, any configuration */
    MOST_CELLS = 64   /* of both halves of CMAC */
};

/* ---- CDMA into CBUF ---- */

/* Byte address in CBUF of byte `at` of a ring. */
static uint64_t address_of(const struct cbuf *cbuf, struct cbuf_ring ring, size_t at) {
    return (ring.first * cbuf->entry + at % (ring.entries * cbuf->entry)) % (cbuf->entries * cbuf->entry);
}

/* One memory atom at byte `at` of the ring. */
static void send_atom(const struct tap_out *tap, const struct cbuf *cbuf, struct cbuf_ring ring, size_t at,
                      struct tap_place place) {
    place.address = address_of(cbuf, ring, at);
    tap_send(tap, place, cbuf->bytes + place.address, 1, cbuf->atom, cbuf->atom);
}

/* Surface by surface through all lines of the grain. 30-cdma-cbuf section 5.1. */
static void send_grain(const struct tap_out *tap, const struct cbuf *cbuf, const struct cdma_layer *layer, size_t entry,
                       size_t y, size_t lines) {
    const struct cbuf_ring ring = cbuf_data_ring(cbuf, layer->data_banks);
    for (size_t surface = 0; surface < layer->surfaces; surface++) {
        const struct cbuf_atoms atoms = cbuf_surface_atoms(cbuf, layer->cubes.width, layer->surfaces, surface);
        for (size_t line = 0; line < lines; line++) {
            const size_t first = (entry + line * layer->slice_entries) * cbuf->entry + atoms.first;
            struct tap_place place = {.channel = (int32_t)(surface * cbuf->atom), .y = (int32_t)(y + line)};
            for (size_t x = 0; x < layer->cubes.width; x++) {
                place.x = (int32_t)x;
                send_atom(tap, cbuf, ring, first + x * atoms.step, place);
            }
        }
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
    const struct cbuf_ring ring = cbuf_data_ring(cbuf, layer->data_banks);
    const size_t pixels = layer->cubes.pad_left + layer->cubes.width + layer->cubes.pad_right;
    const size_t atoms = ceil_div(pixels * (size_t)layer->cubes.pixel->components, cbuf->atom);
    for (size_t line = 0; line < lines; line++) {
        const struct tap_place place = {.channel = -1, .y = (int32_t)(y + line), .x = -1};
        for (size_t i = 0; i < atoms; i++)
            send_atom(tap, cbuf, ring, (entry + line * layer->slice_entries) * cbuf->entry + i * cbuf->atom, place);
    }
}

void conv_streams_weights(const struct tap_out *tap, const struct cbuf *cbuf, struct cbuf_ring ring, size_t first,
                          size_t count) {
    const struct tap_place place = {.channel = -1, .y = -1, .x = -1};
    for (size_t i = 0; tap->count > 0 && i < count; i++)
        send_atom(tap, cbuf, ring, (first + i) * cbuf->atom, place);
}

/* ---- CSC to CMAC to CACC ---- */

void conv_streams_begin(struct conv_streams *streams, const struct registers_view *view) {
    streams->order = conv_order(view);
    streams->next = conv_order_first(&streams->order);
}

/* The operation's elements of input line y that lie side by side in CBUF, at output column x; the pad value outside the
 * input. Section 5. */
static void read_line(const struct csc_layer *layer, const struct cbuf *cbuf, const struct conv_operation *operation,
                      size_t x, int64_t y, int8_t *to) {
    const struct cbuf_ring ring = cbuf_data_ring(cbuf, layer->data_banks);
    int64_t column = (int64_t)(x * layer->stride_x * layer->pixel);
    bool inside = y >= 0 && y < (int64_t)layer->height;
    size_t at = 0;
    if (layer->mode == CSC_IMAGE) {
        at = (size_t)column + operation->channel;
    } else {
        column += (int64_t)(operation->column * layer->dilation_x) - (int64_t)layer->pad_left;
        inside = inside && column >= 0 && column < (int64_t)layer->width;
        const struct cbuf_atoms atoms = cbuf_surface_atoms(cbuf, layer->width, ceil_div(layer->channels, cbuf->atom),
                                                           operation->channel / cbuf->atom);
        at = atoms.first + (size_t)(inside ? column : 0) * atoms.step;
    }
    if (!inside) {
        memset(to, layer->pad, operation->channels);
        return;
    }
    const size_t entry = cbuf->data.read + (size_t)y * layer->slice_entries;
    cbuf_read(cbuf, ring, entry * cbuf->entry + at, (uint8_t *)to, operation->channels);
}

/* The atom of an output position, the elements of all its lines side by side. */
static void read_atom(const struct conv_streams *streams, const struct csc_layer *layer, const struct cbuf *cbuf,
                      const struct conv_operation *operation, size_t position, int8_t *to) {
    const size_t x = position % streams->order.out_width, y = position / streams->order.out_width;
    const size_t row = operation->row * layer->dilation_y;
    const int64_t first = (int64_t)(y * layer->stride_y + row) - (int64_t)layer->pad_top;
    for (size_t line = 0; line < operation->lines; line++)
        read_line(layer, cbuf, operation, x, first + (int64_t)line, to + line * operation->channels);
}

/* All lanes of each cell: those outside the kernel's block are 0 in a mask of CSC, and so they are here. What the data
 * lanes hold there is don't-care, so read_atom knows those of the block alone. Section 4.6. */
static void send_weights(const struct conv_streams *streams, const struct conv_operation *operation,
                         const int8_t *weights) {
    const size_t lanes = conv_operation_lane(&streams->order, 1);
    for (size_t k = 0; k < operation->kernels; k++)
        for (size_t line = 0; line < streams->order.rows_together; line++) {
            const struct tap_place place = {.channel = (int32_t)(operation->kernel + k),
                                            .y = (int32_t)(operation->row + line),
                                            .x = (int32_t)operation->channel,
                                            .reduction = (int32_t)operation->index};
            int8_t row[MOST_BYTES] = {0};
            if (line < operation->lines)
                memcpy(row, weights + (k * operation->lines + line) * operation->channels,
                       lesser(operation->channels, lanes));
            tap_send(&streams->weights, place, row, lanes, 1, 1);
        }
}

/* Sums of the cells, each with a kernel. */
static void send_sums(const struct conv_streams *streams, const struct conv_operation *operation, const int8_t *atom,
                      const int8_t *weights, struct tap_place place) {
    const size_t elements = operation->lines * operation->channels, half = streams->order.atomic_k / 2;
    int32_t sums[MOST_CELLS];
    for (size_t k = 0; k < operation->kernels; k++) {
        sums[k] = 0;
        for (size_t i = 0; i < elements; i++)
            sums[k] += atom[i] * weights[k * elements + i];
    }
    place.channel = (int32_t)operation->kernel;
    tap_send(&streams->sums[0], place, sums, 1, lesser(operation->kernels, half), half);
    if (operation->kernels > half) {
        place.channel += (int32_t)half;
        tap_send(&streams->sums[1], place, sums + half, 1, operation->kernels - half, half);
    }
}

static void send_operation(const struct conv_streams *streams, const struct csc_layer *layer, const struct cbuf *cbuf,
                           const struct conv_operation *operation, const int8_t *weights) {
    send_weights(streams, operation, weights);
    for (size_t i = 0; i < operation->positions; i++) {
        const size_t position = operation->first + i;
        struct tap_place place = {.channel = (int32_t)operation->channel,
                                  .y = (int32_t)(position / streams->order.out_width),
                                  .x = (int32_t)(position % streams->order.out_width),
                                  .reduction = (int32_t)operation->index,
                                  .flags = conv_operation_flags(operation, i)};
        int8_t atom[MOST_BYTES];
        read_atom(streams, layer, cbuf, operation, position, atom);
        for (size_t line = 0; line < operation->lines; line++)
            tap_send(&streams->atoms, place, atom + line * operation->channels, 1, operation->channels,
                     operation->channels);
        if (streams->sums[0].count + streams->sums[1].count > 0)
            send_sums(streams, operation, atom, weights, place);
    }
}

void conv_streams_group(struct conv_streams *streams, const struct csc_layer *layer, const struct cbuf *cbuf,
                        const int16_t *weights) {
    if (streams->atoms.count + streams->weights.count + streams->sums[0].count + streams->sums[1].count == 0)
        return;
    struct conv_operation operation = streams->next;
    const int16_t *from = weights;
    for (bool more = true; more;) {
        int8_t bytes[MOST_CELLS * MOST_BYTES];
        const size_t elements = operation.kernels * operation.lines * operation.channels;
        from = operation.index == 0 ? weights : from; /* every stripe reads the group's weights again */
        for (size_t i = 0; i < elements; i++)
            bytes[i] = (int8_t)from[i];
        send_operation(streams, layer, cbuf, &operation, bytes);
        from += elements;
        more = !operation.layer_end;
        if (more) {
            operation = conv_order_next(&streams->order, &operation);
            more = !operation.group_first;
        }
    }
    streams->next = operation;
}
