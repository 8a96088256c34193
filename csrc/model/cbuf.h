/* CBUF, the convolution buffer: a memory of entries that CDMA fills and CSC reads as rings, one of input slices, one of
 * weights and one of mask bits, and both units' accounts of what the rings hold.
 *
 * An entry is AtomicC elements of the widest type (one channel block of one pixel) and has slots of one memory atom.
 * The low banks are the data ring, the banks after them the weight ring; the last bank is the ring of the mask bits
 * (WMB) of compressed weights. Contents, pointers and accounts persist from layer to layer; the accounts and pointers
 * of a ring go back to 0 only when the banks change.
 *
 * Spec: 30-cdma-cbuf sections 4, 5, 8 and 9, 40-convolution-core sections 5 and 6. */
#pragma once

#include "nvdla/config.h"

/* A range of entries that wraps around. */
struct cbuf_ring {
    size_t first, entries;
};

/* All counts are in entries of the ring, and pointers are 0 .. ring entries - 1. */
struct cbuf_data {
    size_t write;  /* CDMA: end of the last slice */
    size_t held;   /* CDMA: written and not released: ENTRY_PER_SLICE times batches for each slice */
    size_t read;   /* CSC: first entry of the oldest slice */
    size_t slices; /* CSC: available input lines (Winograd: of the extended cube), not multiplied by batches */
};

/* Weights come in memory atoms; a layer's weights start and end at entry boundaries. */
struct cbuf_weights {
    size_t write;   /* CDMA: end of the last atom in the ring */
    size_t held;    /* CDMA: atoms written and not released */
    size_t read;    /* CSC: entry of the ring where the weights of the next layer or group start */
    size_t kernels; /* CSC: complete kernels available */
    /* WMB of compressed weights, likewise; used only by layers with compressed weights. */
    size_t mask_write, mask_held; /* CDMA: end of the last atom in the mask ring; atoms written and not released */
    size_t mask_read;             /* CSC: entry of the mask ring */
};

struct cbuf {
    uint8_t *bytes;
    size_t entry; /* bytes of an entry */
    size_t atom;  /* bytes of a memory atom */
    size_t slots; /* atoms of an entry: 1, 2, 4 or 8 */
    size_t depth; /* entries of a bank */
    size_t entries;
    struct cbuf_data data;
    struct cbuf_weights weights;
};

/* Fills in the sizes only; bytes is NULL. */
void cbuf_geometry(struct cbuf *cbuf, const struct nvdla_config *config);

void cbuf_init(struct cbuf *cbuf, const struct nvdla_config *config);
void cbuf_free(struct cbuf *cbuf);

/* The state after reset and the zero fill that follows it. */
void cbuf_reset(struct cbuf *cbuf);

/* The rings of a bank split, true bank counts. A split beyond the last bank wraps to bank 0. */
struct cbuf_ring cbuf_data_ring(const struct cbuf *cbuf, size_t data_banks);
struct cbuf_ring cbuf_weight_ring(const struct cbuf *cbuf, size_t data_banks, size_t weight_banks);
struct cbuf_ring cbuf_mask_ring(const struct cbuf *cbuf);

/* Copies n bytes to / from byte `at` of the ring; both may pass the end any number of times. */
void cbuf_write(struct cbuf *cbuf, struct cbuf_ring ring, size_t at, const uint8_t *bytes, size_t n);
void cbuf_read(const struct cbuf *cbuf, struct cbuf_ring ring, size_t at, uint8_t *bytes, size_t n);

/* Bytes of the entries that a slice of `width` pixels of `surfaces` atoms occupies. */
size_t cbuf_slice_size(const struct cbuf *cbuf, size_t width, size_t surfaces);

/* Places of a surface's atoms in such a slice: atom of pixel x at byte first + x * step from its start. Full groups of
 * `slots` surfaces share an entry; the atoms of a last, partial group are packed.
 *
 * Spec: 30-cdma-cbuf sections 5.1 and 5.2, with the slots of the configuration instead of 4. */
struct cbuf_atoms {
    size_t first, step;
};

struct cbuf_atoms cbuf_surface_atoms(const struct cbuf *cbuf, size_t width, size_t surfaces, size_t surface);

/* Winograd input: pieces of 8 bytes of a pixel. A superslice is 4 lines of the extended cube. */
enum { CBUF_PIECE = 8, CBUF_SUPERSLICE = 4 };

/* Byte offset, from the superslice's start, of piece `piece` (8 * piece is its first byte in the channels of a pixel of
 * the extended cube) of column x, line 0 .. 3. An entry holds 4 x 4 pieces.
 *
 * width  of the extended cube, a multiple of 4 Spec: 30-cdma-cbuf section 5.5. */
size_t cbuf_piece_offset(const struct cbuf *cbuf, size_t width, size_t piece, size_t x, size_t line);
