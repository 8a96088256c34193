/* Which layer's output an address belongs to: every cube that the launches of a program write, with what the memories
 * say about who wrote a byte.
 *
 * A memory that a fault has filled with wrong bytes asks this for millions of addresses in ascending order. So an
 * answer says how far it holds, and a walk keeps only the outputs around its address in hand: what it costs are the
 * lines of the cubes that differ, not bytes times launches.
 */
#ifndef REPORT_WRITERS_H
#define REPORT_WRITERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layers/tracker.h"
#include "memory/memory.h"
#include "memory/space.h"
#include "nvdla/cube.h"

/* What a launch writes: one cube, BDMA one for every descriptor. */
struct output {
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

/* The output that a byte belongs to: that of the launch which a memory (of a device) says wrote it, if it writes there;
 * of two that the memories name, the one armed last, which should not have written or should have. Else that of the
 * last launch that writes there; of BDMA the last descriptor. NULL if none does. */
const struct output *writers_find(const struct writers *writers, enum memory_space space, uint64_t address,
                                  const struct memory *const *memories, int memory_count);

/* The output of one launch that a byte belongs to, NULL if it does not write there; of BDMA the last descriptor. */
const struct output *writers_of_launch(const struct writers *writers, const struct launch *launch,
                                       enum memory_space space, uint64_t address);

/* The answer of writers_find for ascending addresses, each at or above those before (a smaller one, or another space,
 * starts anew). *run: for how many bytes from the address on, at least, the answer is the same. */
const struct output *writers_walk(struct writers *writers, enum memory_space space, uint64_t address,
                                  const struct memory *const *memories, int memory_count, uint64_t *run);

#endif
