/* Launches that a text names, with their places in it. Launches count from 0 in each trace; who plays a part of one
 * (run/jobs/pieces.h) puts the numbers of the whole in these places. */
#pragma once

#include <stddef.h>

#include "device/beat.h"

enum { NAMED_MOST = 16 }; /* further ones are not kept */

struct named_launch {
    struct owner launch;
    size_t at; /* byte of the text at which its number stands */
};

struct named_launches {
    struct named_launch items[NAMED_MOST]; /* in the order of the text */
    size_t count;
};

static inline void named_add(struct named_launches *named, int unit, int ordinal, size_t at) {
    if (named->count == NAMED_MOST)
        return;
    struct named_launch *added = &named->items[named->count++];
    added->launch.unit = (int16_t)unit;
    added->launch.ordinal = ordinal;
    added->at = at;
}

/* Adds those of a text that stands at that byte of the other one. */
static inline void named_append(struct named_launches *named, const struct named_launches *of_part, size_t at) {
    for (size_t i = 0; i < of_part->count; i++)
        named_add(named, of_part->items[i].launch.unit, of_part->items[i].launch.ordinal, of_part->items[i].at + at);
}
