/* RUBIK: moves cubes between layouts, without converting data. Contract interleaves the channel groups of a
 * deconvolution in the plane; split turns a feature cube into planes; merge turns planes into a feature cube.
 *
 * Spec: 66-rubik.
 */
#ifndef MODEL_RUBIK_H
#define MODEL_RUBIK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/dma.h"
#include "model/register_group.h"

enum rubik_mode { RUBIK_CONTRACT, RUBIK_SPLIT, RUBIK_MERGE };

/* A layer as the armed register group describes it. */
struct rubik_layer {
    enum rubik_mode mode;
    bool valid; /* else the hardware never completes */
    bool source_primary, destination_primary;
    size_t atom, lanes, element; /* atom: bytes, elements; bytes of an element */
    int width, height;           /* of the input */
    int in_channels, out_channels;
    int surfaces;           /* of the feature cube: contract: of a phase; merge, split: of the output channels */
    size_t last_planes;     /* split: planes of the last surface, by the input channels */
    int x_stride, y_stride; /* of the deconvolution, 1..32 */
    size_t planar_atoms;    /* of a planar line */
    uint64_t source, destination;
    uint64_t source_line, source_surface, source_planar; /* strides, bytes */
    uint64_t destination_line, destination_surface, destination_planar;
    uint64_t phase; /* CONTRACT_STRIDE_0: distance of two phases in the input */
};

void rubik_layer_decode(struct rubik_layer *layer, const struct nvdla_config *config,
                        const struct register_group *rubik);

/* Atoms that the layer reads and writes. */
uint64_t rubik_layer_atoms(const struct rubik_layer *layer);

/* Runs a valid layer. Returns false only when memory is exhausted (before anything was written). */
bool rubik_run(const struct rubik_layer *layer, struct dma *input, struct dma *output);

#endif
