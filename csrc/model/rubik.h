/* RUBIK: moves cubes between layouts, without converting data. Contract interleaves the channel groups of a
 * deconvolution in the plane; split turns a feature cube into planes; merge turns planes into a feature cube.
 *
 * Spec: 66-rubik. */
#pragma once

#include "layers/cubes.h"
#include "model/dma.h"

/* A layer as the armed register group describes it. */
struct rubik_layer {
    struct rubik_cubes cubes;
    bool valid;         /* otherwise the hardware never finishes */
    size_t atom;        /* bytes */
    size_t last_planes; /* split: planes of the last surface, from the input channels */
};

void rubik_layer_decode(struct rubik_layer *layer, const struct registers_view *view);

/* Atoms that the layer reads and writes. */
uint64_t rubik_layer_atoms(const struct rubik_layer *layer);

/* Runs a valid layer. */
void rubik_run(const struct rubik_layer *layer, struct dma *input, struct dma *output);
