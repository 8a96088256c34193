/* Banks and rings of the convolution buffer. See cbuf.h. */
#include "model/cbuf.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/sizes.h"
#include "nvdla/xalloc.h"

void cbuf_geometry(struct cbuf *cbuf, const struct nvdla_config *config) {
    /* An entry feeds all lanes of the MAC array: with 16-bit types it is twice the published width, and CBUF half as
     * deep. */
    size_t entry = (size_t)config->atomic_c * (nvdla_has_16_bits(config) ? 2 : 1);
    size_t bank = (size_t)config->cbuf_bank_bytes * (size_t)config->cbuf_bank_depth;
    *cbuf = (struct cbuf){
        .entry = entry,
        .atom = (size_t)config->mem_atom,
        .slots = entry / (size_t)config->mem_atom,
        .depth = bank / entry,
        .entries = (size_t)config->cbuf_banks * (bank / entry),
    };
}

void cbuf_init(struct cbuf *cbuf, const struct nvdla_config *config) {
    cbuf_geometry(cbuf, config);
    cbuf->bytes = xcalloc(cbuf->entries, cbuf->entry);
}

void cbuf_free(struct cbuf *cbuf) {
    free(cbuf->bytes);
    cbuf->bytes = NULL;
}

void cbuf_reset(struct cbuf *cbuf) {
    cbuf_free(cbuf);
    /* calloc: pages of zeros that are never read are never touched */
    cbuf->bytes = xcalloc(cbuf->entries, cbuf->entry);
    cbuf->data = (struct cbuf_data){.held = 0};
    cbuf->weights = (struct cbuf_weights){.held = 0};
}

struct cbuf_ring cbuf_data_ring(const struct cbuf *cbuf, size_t data_banks) {
    return (struct cbuf_ring){.first = 0, .entries = data_banks * cbuf->depth};
}

struct cbuf_ring cbuf_weight_ring(const struct cbuf *cbuf, size_t data_banks, size_t weight_banks) {
    return (struct cbuf_ring){.first = data_banks * cbuf->depth, .entries = weight_banks * cbuf->depth};
}

struct cbuf_ring cbuf_mask_ring(const struct cbuf *cbuf) {
    return (struct cbuf_ring){.first = cbuf->entries - cbuf->depth, .entries = cbuf->depth};
}

/* The longest contiguous piece of [at, at + n) of the ring, and where it is. */
static size_t piece(const struct cbuf *cbuf, struct cbuf_ring ring, size_t at, size_t n, size_t *where) {
    size_t all = cbuf->entries * cbuf->entry, size = ring.entries * cbuf->entry;
    at %= size;
    *where = (ring.first * cbuf->entry + at) % all;
    size_t room = size - at < all - *where ? size - at : all - *where;
    return n < room ? n : room;
}

void cbuf_write(struct cbuf *cbuf, struct cbuf_ring ring, size_t at, const uint8_t *bytes, size_t n) {
    while (n > 0) {
        size_t where, part = piece(cbuf, ring, at, n, &where);
        memcpy(cbuf->bytes + where, bytes, part);
        at += part;
        bytes += part;
        n -= part;
    }
}

void cbuf_read(const struct cbuf *cbuf, struct cbuf_ring ring, size_t at, uint8_t *bytes, size_t n) {
    while (n > 0) {
        size_t where, part = piece(cbuf, ring, at, n, &where);
        memcpy(bytes, cbuf->bytes + where, part);
        at += part;
        bytes += part;
        n -= part;
    }
}

/* Pixels that share an entry in the last, partial group of surfaces. With three and more atoms an entry is
 * not shared. */
static size_t tail_pixels(const struct cbuf *cbuf, size_t surfaces) {
    size_t tail = surfaces % cbuf->slots;
    return tail == 1 || tail == 2 ? cbuf->slots / tail : 1;
}

size_t cbuf_slice_size(const struct cbuf *cbuf, size_t width, size_t surfaces) {
    size_t pixels = tail_pixels(cbuf, surfaces);
    size_t entries = surfaces / cbuf->slots * width;
    if (surfaces % cbuf->slots != 0)
        entries += ceil_div(width, pixels);
    return entries * cbuf->entry;
}

struct cbuf_atoms cbuf_surface_atoms(const struct cbuf *cbuf, size_t width, size_t surfaces, size_t surface) {
    size_t group = surface / cbuf->slots, slot = surface % cbuf->slots;
    size_t pixels = group == surfaces / cbuf->slots ? tail_pixels(cbuf, surfaces) : 1;
    return (struct cbuf_atoms){.first = group * width * cbuf->entry + slot * cbuf->atom, .step = cbuf->entry / pixels};
}

size_t cbuf_piece_offset(const struct cbuf *cbuf, size_t width, size_t piece, size_t x, size_t line) {
    size_t entry = piece * (width / CBUF_SUPERSLICE) + x / CBUF_SUPERSLICE;
    return entry * cbuf->entry + (line * CBUF_SUPERSLICE + x % CBUF_SUPERSLICE) * CBUF_PIECE;
}
