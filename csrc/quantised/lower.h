/* From a quantised network to NVDLA's layers: operations, the constants they read, and the memory of tensors. Spec:
 * 88-quantised-networks section 3, 87-loadables section 4. */
#pragma once

#include "loadable/descriptors.h"
#include "nvdla/config.h"
#include "quantised/graph.h"

/* Memories in the order of a task's address list; inputs follow, then outputs. */
enum { MEMORY_OF_CONSTANTS = 1, MEMORY_OF_CUBES, MEMORY_OF_ENDS };

/* Room for cubes: part of a memory, in use from step `first` to step `last`. */
struct storage {
    int memory;
    uint64_t size, offset; /* offset: once placed */
    size_t first, last;
};

/* A cube in a storage; what a tensor looks like in memory. */
struct view {
    int storage; /* GRAPH_NONE: not in memory yet */
    uint32_t offset;
    int w, h, c;
    uint32_t line, surface; /* bytes */
};

/* A layer of the accelerator. Cubes name storages in `position` until lowered_place(). */
struct lowered_op {
    struct operation operation;
    size_t node;          /* index of the graph's node; node_count: a copy to an output */
    unsigned least_banks; /* of a convolution: for its weights */
};

/* Operations that the accelerator runs in one task, or one of the processor. */
struct lowered_step {
    bool cpu;
    size_t first, count; /* operations */
    size_t node;         /* of the processor */
    struct view from, to;
    int pixels;               /* as many operations, each of one pixel, whose channels are in a row */
    uint32_t apart, to_apart; /* bytes from one to the next */
};

/* What 1 of the result of a step of the processor stands for: its greatest value is 127. */
#define CPU_STEP_SCALE (1.0f / 127)

/* Whether a node reads a tensor, itself or reshaped. A result of the processor then gets the tensor's scale. */
bool lowered_result_read(const struct graph *graph, int tensor);

/* What became of a node, as text. */
struct lowered_note {
    size_t node;
    char *text;
};

struct lowered {
    const struct graph *graph;
    const struct nvdla_config *config;
    struct lowered_op *ops;
    size_t op_count;
    struct lowered_step *steps;
    size_t step_count;
    struct storage *storages;
    size_t storage_count;
    uint8_t *constants;
    size_t constant_bytes;
    struct view *views;   /* by tensor */
    struct view *outputs; /* by output of the graph */
    struct lowered_note *notes;
    size_t note_count;
    uint64_t cube_bytes; /* of all cubes together, once placed */
};

/* Lowers a network for a configuration. NULL with a message that names the node that does not fit. */
struct lowered *lower_graph(const struct graph *graph, const struct nvdla_config *config, struct error *err);
void lowered_free(struct lowered *lowered);
