/* Chooses the cuts between layers, from the cost of the layers and the number of workers that play pieces in
 * parallel. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cuts_wanted {
    const uint64_t *work; /* by layer, above 0 */
    const bool *allowed;  /* by layer: a cut is allowed after it; ignored for the last layer */
    size_t layers;
    size_t pieces;  /* maximum; 0: as many as possible */
    size_t workers; /* that play pieces in parallel; 0: one per piece */
};

/* Chooses the cuts with which the last worker finishes soonest. The first worker begins by making the pieces, one by
 * one; the others take the first pieces as soon as they are made. The remaining pieces go to the next free worker, the
 * longest first. cuts: the layers before them, ascending; room for `layers`. Returns their number. */
size_t cuts_choose(const struct cuts_wanted *wanted, size_t *cuts);
