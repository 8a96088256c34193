/* The cubes in memory that a launch reads and writes. */
#ifndef LAYERS_CUBES_H
#define LAYERS_CUBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layers/tracker.h"
#include "nvdla/cube.h"

/* The cube that a launch writes to memory. Returns false if it writes none (RDMA units, SDP to PDP, compare mode) or
 * many (BDMA: launch_block). Units: SDP (with its batches), PDP (with split width), CDP, RUBIK (split: a planar cube).
 * Spec: 50-sdp section 8, 60-pdp section 3, 66-rubik section 2. */
bool launch_output_cube(const struct nvdla_config *config, const struct launch *launch, struct cube *cube,
                        bool *primary);

/* The main cube that a launch reads from memory (CDMA feature input with its batches, SDP_RDMA MRDMA, PDP_RDMA,
 * CDP_RDMA, RUBIK); false if it reads none. */
bool launch_input_cube(const struct nvdla_config *config, const struct launch *launch, struct cube *cube,
                       bool *primary);

/* What a descriptor of BDMA copies, as cubes of one-byte elements: columns are atoms of a line. Spec: 64-bdma sections
 * 2 and 3. */
struct launch_block {
    struct cube source, destination;
    bool source_primary, destination_primary;
};

/* The index-th descriptor of a launch; false if it has none of that number. */
bool launch_block(const struct nvdla_config *config, const struct launch *launch, size_t index,
                  struct launch_block *block);

/* ---- what csrc/layers shares -------------------------------------------------------------------------------------
 */

/* Sizes of an SDP or SDP_RDMA layer. */
struct sdp_layer {
    int width, height, channels;
    int in, proc, out; /* element bytes */
    int lanes;         /* elements of a processing group: E of chapter 50 */
    int groups;        /* NS of chapter 50 */
    int batches;
};

/* Sizes of a RUBIK layer. Spec: 66-rubik sections 2 and 3. */
struct rubik_layer {
    enum { RUBIK_CONTRACT, RUBIK_SPLIT, RUBIK_MERGE } mode;
    int width, height;      /* of the input */
    int channels, surfaces; /* of the output; contract: of one phase */
    int x_stride, y_stride; /* contract: deconvolution stride, else 1 */
    int element;            /* bytes */
    int planar_atoms;       /* of a planar line */
};

/* Bytes of an element; configurations without 16-bit types process INT8 whatever the registers say. */
int launch_element_bytes(const struct nvdla_config *config, uint32_t precision);

struct sdp_layer sdp_layer(const struct nvdla_config *config, const struct launch *launch);

/* Surfaces that a cube of elements of `bytes` has in an SDP layer: INT8 processing moves both 16-bit surfaces of every
 * group. */
int sdp_surfaces(const struct sdp_layer *layer, int bytes);

/* Columns that PDP_RDMA reads of one line of a surface: strips overlap by kernel width - stride. */
int64_t pdp_read_columns(const struct launch *launch);

struct rubik_layer rubik_layer(const struct nvdla_config *config, const struct launch *launch);

#endif
