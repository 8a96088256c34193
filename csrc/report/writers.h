/* Finds the layer output that contains an address: all cubes written by the launches of a program, combined with the
 * memories' record of the writer of a byte.
 *
 * After a fault, this is called for millions of ascending addresses. So an answer includes the range for which it is
 * valid, and a walk keeps only the outputs around its address: the cost is proportional to the differing lines of
 * cubes, not to bytes times launches. */
#pragma once

#include "layers/tracker.h"
#include "memory/memory.h"
#include "memory/space.h"
#include "nvdla/cube.h"

/* The output of a launch: one cube; for BDMA one per descriptor. */
struct launch_output {
    const struct launch *launch;
    int block; /* descriptor of BDMA, else -1 */
    enum memory_space space;
    struct cube cube;
    uint64_t first, last; /* addresses of the cube's first and last byte */
};

struct writers;

/* Collects the outputs of all launches. The launches must outlive the result. */
struct writers *writers_new(const struct layer_tracker *launches);
void writers_free(struct writers *writers);

/* All outputs, in order of arming. */
const struct launch_output *writers_outputs(const struct writers *writers, size_t *count);

/* The output that contains a byte: that of the launch that wrote it according to the devices' memories, if its output
 * is there; if they name two launches, that of the one armed last. Else that of the last launch that writes there; for
 * BDMA the last descriptor. NULL if none does. */
const struct launch_output *writers_find(const struct writers *writers, enum memory_space space, uint64_t address,
                                         const struct memory *const *memories, int memory_count);

/* The output of one launch that contains a byte, NULL if it does not write there; for BDMA the last descriptor. */
const struct launch_output *writers_of_launch(const struct writers *writers, const struct launch *launch,
                                              enum memory_space space, uint64_t address);

/* Like writers_find for ascending addresses (a smaller one, or another space, restarts). *run: number of bytes from the
 * address on, at least, with the same answer. */
const struct launch_output *writers_walk(struct writers *writers, enum memory_space space, uint64_t address,
                                         const struct memory *const *memories, int memory_count, uint64_t *run);
