/* A program with its cuts: one sequence in which each piece ends, with every unit idle, before the next one begins. */
#pragma once

#include "split/layer_order.h"
#include "trace/program.h"

struct cut_program {
    struct program *prog; /* sequential; shares blobs and texts with the order's program */
    size_t pieces;
    size_t *marks;       /* pieces + 1: first operation of each piece; the last entry: of the operations with `end` */
    uint32_t *exchanged; /* by piece: units (bit enum nvdla_unit) that begin it with group 1 */
};

/* Cuts the program at these boundaries, ascending. Layers after a cut are armed after it, and counters of layers before
 * it are checked before it. NULL: some boundaries cannot be cuts because the program accesses a unit that it has armed
 * for a layer after the cut; these are now forbidden. */
struct cut_program *cut_program_new(struct layer_order *order, const size_t *cuts, size_t count);
void cut_program_free(struct cut_program *sequence);
