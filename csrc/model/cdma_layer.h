/* A layer of CDMA as its registers describe it.
 *
 * Spec: 30-cdma-cbuf section 2, 20-data-formats section 9. */
#pragma once

#include "layers/cubes.h"
#include "model/cbuf.h"

/* Sizes are true sizes. Members that a mode does not use are neutral: one batch, strides of 1. Reuse depends on the
 * mode. */
struct cdma_layer {
    struct cdma_cubes cubes; /* with an atom as surface stride if packed_1x1 */
    bool data_reuse, weight_reuse, skip_data, skip_weights;
    size_t data_banks, weight_banks;
    size_t surfaces;      /* to be fetched; not for images */
    size_t slice_entries; /* ENTRY_PER_SLICE */
    size_t grain;         /* lines fetched together; Winograd: a superslice */
    bool packed_lines;    /* a grain is one run of atoms, whatever the line stride is */
    uint16_t pad;         /* value; INT8: the low byte */
    size_t chunk;         /* image: bytes of AtomicC elements, to a multiple of which lines are filled up */
    size_t line_atoms;    /* image: memory atoms written per line */
    size_t extended_width, extended_height; /* Winograd: extended cube, in whole superslices and columns of 4 */
};

/* Reads the registers of CDMA. */
void cdma_layer_decode(struct cdma_layer *layer, const struct registers_view *view);

/* Lines that enter CBUF: those of the input; Winograd: of the extended cube. */
size_t cdma_layer_lines(const struct cdma_layer *layer);

/* Atoms of input that the layer moves (image: pixels); for Winograd at least those of a superslice, for which it needs
 * room. */
uint64_t cdma_layer_atoms(const struct cdma_layer *layer);
