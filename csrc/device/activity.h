/* How often the bits of a design's parts changed while waves were recorded: sums of the counts of a SAIF file. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* An instance in the design's top, with all instances inside it. A wire that leads through several instances counts in
 * each of them, as in a SAIF file. */
struct activity_part {
    char *instance; /* "u_sdp"; "": the wires of the top itself */
    uint64_t bits;
    uint64_t toggles; /* changes of these bits */
};

/* In the order of the design; all zero: nothing was counted. */
struct activity {
    struct activity_part *parts;
    size_t count;
};

void activity_add(struct activity *activity, const char *instance, uint64_t bits, uint64_t toggles);
void activity_free(struct activity *activity);
