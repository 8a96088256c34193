/* A program with its cuts: all of it in one sequence, in which each piece is over, with every unit idle, before the
 * next one begins. */
#ifndef SPLIT_CUT_PROGRAM_H
#define SPLIT_CUT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "split/layer_order.h"
#include "trace/program.h"

struct cut_program {
    struct program *prog; /* sequential; its blobs and texts are those of the order's program */
    size_t pieces;
    size_t *marks;       /* pieces + 1: first operation of each piece; the last: those with `end` */
    uint32_t *exchanged; /* by piece: units (bit enum nvdla_unit) that begin it with group 1 */
};

/* The program cut at these boundaries, ascending. Behind a cut stand the armings of layers behind it, and before it the
 * checks of counters that layers before it have left. NULL: some of the boundaries do not allow it, because the program
 * looks at a unit that it has armed for a layer behind the cut; these are forbidden now. */
struct cut_program *cut_program_new(struct layer_order *order, const size_t *cuts, size_t count);
void cut_program_free(struct cut_program *sequence);

#endif
