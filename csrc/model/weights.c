/* Kernel groups from the weight stream, plain or compressed with mask bits. See weights.h. */
#include "model/weights.h"

#include <string.h>

#include "nvdla/bytes.h"
#include "nvdla/sizes.h"

/* Room for `most` bytes that start and end anywhere in entries. */
static void begin(struct weight_stream *stream, const struct cbuf *cbuf, struct cbuf_ring ring, size_t entry,
                  size_t most) {
    *stream = (struct weight_stream){.ring = ring, .entry = entry, .bytes = stream->bytes};
    buffer_reserve(&stream->bytes, 1, most + 2 * cbuf->entry);
}

void weights_begin(struct weights *weights, const struct cbuf *cbuf, size_t data_banks, size_t weight_banks,
                   enum nvdla_precision precision, bool compressed, size_t most) {
    const struct cbuf_weights *account = &cbuf->weights;
    weights->compressed = compressed;
    weights->element = (size_t)nvdla_element_bytes(precision);
    begin(&weights->data, cbuf, cbuf_weight_ring(cbuf, data_banks, weight_banks), account->read,
          most * weights->element);
    begin(&weights->mask, cbuf, cbuf_mask_ring(cbuf), account->mask_read, compressed ? most / 8 : 0);
    buffer_reserve(&weights->elements, most, sizeof(int16_t));
}

void weights_free(struct weights *weights) {
    buffer_free(&weights->data.bytes);
    buffer_free(&weights->mask.bytes);
    buffer_free(&weights->elements);
}

/* Loads the next `bits` bits of the stream into its buffer. Returns the number of the first one in it. */
static size_t read_on(struct weight_stream *stream, const struct cbuf *cbuf, size_t bits) {
    size_t kept = stream->used > 0 ? 1 : 0, in_entry = 8 * cbuf->entry;
    size_t size = ceil_div(stream->used + bits, in_entry);
    size_t first = stream->used;
    uint8_t *bytes = stream->bytes.bytes;
    if (kept > 0)
        memmove(bytes, bytes + (stream->size - 1) * cbuf->entry, cbuf->entry);
    stream->entries = size - kept;
    cbuf_read(cbuf, stream->ring, stream->entry * cbuf->entry, bytes + kept * cbuf->entry,
              stream->entries * cbuf->entry);
    stream->entry = (stream->entry + stream->entries) % stream->ring.entries;
    stream->size = size;
    stream->used = (stream->used + bits) % in_entry;
    return first;
}

/* Bits set in [from, from + count) of a bit stream whose first bit is the lowest of byte 0. */
static size_t bits_set(const uint8_t *mask, size_t from, size_t count) {
    size_t set = 0, i = from;
    for (; i < from + count && i % 8 != 0; i++)
        set += (size_t)(mask[i / 8] >> i % 8 & 1);
    for (; i + 8 <= from + count; i += 8)
        set += (size_t)__builtin_popcount(mask[i / 8]);
    for (; i < from + count; i++)
        set += (size_t)(mask[i / 8] >> i % 8 & 1);
    return set;
}

/* One element of the stream, 1 or 2 bytes. */
static inline int16_t element_at(const uint8_t *bytes, size_t size) {
    return size == 1 ? (int8_t)bytes[0] : (int16_t)load_16(bytes);
}

static inline void take(int16_t *to, const uint8_t *bytes, size_t size, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = element_at(bytes + i * size, size);
}

/* Elements whose mask bit is 0 are 0 and not in the stream. */
static void expand(int16_t *to, const uint8_t *bytes, size_t size, const uint8_t *mask, size_t from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool present = mask[(from + i) / 8] >> (from + i) % 8 & 1;
        to[i] = present ? element_at(bytes, size) : 0;
        bytes += present ? size : 0;
    }
}

const int16_t *weights_next(struct weights *weights, const struct cbuf *cbuf, size_t count) {
    int16_t *elements = weights->elements.bytes;
    const uint8_t *mask = weights->mask.bytes.bytes;
    size_t present = count, bit = 0;
    if (weights->compressed) {
        bit = read_on(&weights->mask, cbuf, count);
        present = bits_set(mask, bit, count);
    }
    size_t first = read_on(&weights->data, cbuf, 8 * weights->element * present);
    const uint8_t *bytes = (const uint8_t *)weights->data.bytes.bytes + first / 8;
    if (weights->compressed)
        expand(elements, bytes, weights->element, mask, bit, count);
    else if (weights->element == 1)
        take(elements, bytes, 1, count);
    else
        take(elements, bytes, 2, count);
    return elements;
}
