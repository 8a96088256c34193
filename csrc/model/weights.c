#include "model/weights.h"

#include <stdlib.h>
#include <string.h>

bool weights_init(struct weights *weights, const struct cbuf *cbuf, size_t data_banks, size_t weight_banks,
                  enum nvdla_precision precision, bool compressed, size_t most) {
    *weights = (struct weights){
        .compressed = compressed,
        .element = precision == NVDLA_INT8 ? 1 : 2,
        .data = {.ring = cbuf_weight_ring(cbuf, data_banks, weight_banks), .entry = cbuf->weights.read},
        .mask = {.ring = cbuf_mask_ring(cbuf), .entry = cbuf->weights.mask_read},
    };
    weights->elements = malloc(most * sizeof *weights->elements);
    weights->data.bytes = malloc(most * weights->element + 2 * cbuf->entry);
    weights->mask.bytes = compressed ? malloc(most / 8 + 2 * cbuf->entry) : NULL;
    return weights->elements && weights->data.bytes && (!compressed || weights->mask.bytes);
}

void weights_free(struct weights *weights) {
    free(weights->elements);
    free(weights->data.bytes);
    free(weights->mask.bytes);
}

/* Makes the next `bits` bits of the stream stand in stream->bytes. Returns the first of them. */
static size_t read_on(struct weight_stream *stream, const struct cbuf *cbuf, size_t bits) {
    size_t kept = stream->used > 0 ? 1 : 0, in_entry = 8 * cbuf->entry;
    size_t size = (stream->used + bits + in_entry - 1) / in_entry;
    size_t first = stream->used;
    if (kept > 0) {
        memmove(stream->bytes, stream->bytes + (stream->size - 1) * cbuf->entry, cbuf->entry);
    }
    stream->entries = size - kept;
    cbuf_read(cbuf, stream->ring, stream->entry * cbuf->entry, stream->bytes + kept * cbuf->entry,
              stream->entries * cbuf->entry);
    stream->entry = (stream->entry + stream->entries) % stream->ring.entries;
    stream->size = size;
    stream->used = (stream->used + bits) % in_entry;
    return first;
}

size_t weights_present(const uint8_t *mask, size_t from, size_t count) {
    size_t set = 0, i = from;
    for (; i < from + count && i % 8 != 0; i++) {
        set += (size_t)(mask[i / 8] >> i % 8 & 1);
    }
    for (; i + 8 <= from + count; i += 8) {
        set += (size_t)__builtin_popcount(mask[i / 8]);
    }
    for (; i < from + count; i++) {
        set += (size_t)(mask[i / 8] >> i % 8 & 1);
    }
    return set;
}

/* One element of the stream, 1 or 2 bytes, little endian. */
static inline int16_t element_at(const uint8_t *bytes, size_t size) {
    return size == 1 ? (int8_t)bytes[0] : (int16_t)(bytes[0] | bytes[1] << 8);
}

static inline void take(int16_t *to, const uint8_t *bytes, size_t size, size_t count) {
    for (size_t i = 0; i < count; i++) {
        to[i] = element_at(bytes + i * size, size);
    }
}

/* Elements whose mask bit is 0 are 0 and not in the stream. */
static void expand(int16_t *to, const uint8_t *bytes, size_t size, const uint8_t *mask, size_t from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool present = mask[(from + i) / 8] >> (from + i) % 8 & 1;
        to[i] = present ? element_at(bytes, size) : 0;
        bytes += present ? size : 0;
    }
}

void weights_next(struct weights *weights, const struct cbuf *cbuf, size_t count) {
    size_t present = count, bit = 0;
    if (weights->compressed) {
        bit = read_on(&weights->mask, cbuf, count);
        present = weights_present(weights->mask.bytes, bit, count);
    }
    size_t first = read_on(&weights->data, cbuf, 8 * weights->element * present);
    const uint8_t *bytes = weights->data.bytes + first / 8;
    if (weights->compressed) {
        expand(weights->elements, bytes, weights->element, weights->mask.bytes, bit, count);
    } else if (weights->element == 1) {
        take(weights->elements, bytes, 1, count);
    } else {
        take(weights->elements, bytes, 2, count);
    }
}
