/* Holds the lines of a band until it is complete. See ordered_tap.h. */
#include "model/ordered_tap.h"

#include <string.h>

static size_t band_of(const struct result_order *order) {
    return order->winograd ? RESULT_BAND : 1;
}

/* Place of a position in the band. */
static char *position_at(const struct ordered_tap *tap, size_t y, size_t batch, size_t x) {
    const struct result_order *order = &tap->order;
    const size_t position = (y % band_of(order) * order->batches + batch) * order->columns + x;
    return (char *)tap->buffer.bytes + position * order->lanes * tap_element_bytes(tap->to.stream.format);
}

/* Passes everything held to the listeners, block by block of columns. */
static void send_band(struct ordered_tap *tap, size_t lanes) {
    struct result_order *order = &tap->order;
    while (tap->held > 0) {
        const size_t columns = result_order_block(order);
        const struct tap_place place = {.batch = (int32_t)order->batch,
                                        .channel = (int32_t)(order->surface * order->lanes),
                                        .y = (int32_t)(order->y + order->row),
                                        .x = (int32_t)order->x};
        tap_send(&tap->to, place, position_at(tap, order->y + order->row, order->batch, order->x), columns, lanes,
                 order->lanes);
        for (size_t i = 0; i < columns; i++)
            result_order_next(order);
        tap->held -= columns < tap->held ? columns : tap->held;
    }
}

static void take(void *context, const struct tap_stream *stream, const struct tap_place *place, const void *values,
                 size_t rows, size_t lanes, size_t stride) {
    struct ordered_tap *tap = context;
    const struct result_order *order = &tap->order;
    const size_t size = tap_element_bytes(stream->format);
    for (size_t i = 0; i < rows; i++)
        memcpy(position_at(tap, (size_t)place->y, (size_t)place->batch, (size_t)place->x + i),
               (const char *)values + i * stride * size, lanes * size);
    tap->held += rows;
    if (tap->held == band_of(order) * order->batches * order->columns)
        send_band(tap, lanes);
}

static void pass_convertor(void *context, const struct convertor *convertor, int bits) {
    const struct ordered_tap *tap = context;
    tap_convertor(&tap->to, convertor, bits);
}

static void pass_clipped(void *context, uint64_t count) {
    const struct ordered_tap *tap = context;
    tap_clipped(&tap->to, count);
}

struct tap_out ordered_tap_begin(struct ordered_tap *tap, const struct tap_out *to, const struct result_order *order) {
    if (to->count == 0 || !result_order_mixes(order))
        return *to;
    tap->to = *to;
    tap->order = *order;
    tap->held = 0;
    buffer_reserve(&tap->buffer, band_of(order) * order->batches * order->columns * order->lanes,
                   tap_element_bytes(to->stream.format));
    struct tap_out out = {.count = 1, .stream = to->stream};
    out.sink[0] =
        (struct tap_sink){.elements = take, .convertor = pass_convertor, .clipped = pass_clipped, .context = tap};
    return out;
}

void ordered_tap_free(struct ordered_tap *tap) {
    buffer_free(&tap->buffer);
}
