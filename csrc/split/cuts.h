/* Between which layers a program is cut, by what the layers cost and how many play the pieces at a time. */
#ifndef SPLIT_CUTS_H
#define SPLIT_CUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cuts_wanted {
    const uint64_t *work; /* by layer, above 0 */
    const bool *allowed;  /* by layer: a cut may stand behind it; that of the last layer does not count */
    size_t layers;
    size_t pieces;  /* at most; 0: as many as there can be */
    size_t workers; /* that play pieces side by side; 0: as many as there are pieces */
};

/* Chooses the cuts by which all is done soonest. cuts: the layers before them, ascending; room for `layers`. Returns
 * how many there are. */
size_t cuts_choose(const struct cuts_wanted *wanted, size_t *cuts);

/* Work that is done by the time when the last worker is done. The pieces are made one after the other, which takes the
 * first worker a while; the others take the first pieces at once. What is left then goes to whoever is free, the
 * longest first. */
uint64_t cuts_last(const struct cuts_wanted *wanted, const size_t *cuts, size_t count);

#endif
