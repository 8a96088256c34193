/* Whether two cubes share bytes: for layers that write what they read. */
#pragma once

#include "layers/cubes.h"

/* The bytes of a cube: surfaces of lines. */
struct extent {
    bool primary; /* its memory port */
    uint64_t base;
    uint64_t line_bytes; /* > 0 */
    uint64_t lines, line_stride;
    uint64_t surfaces, surface_stride;
};

/* The bytes of a cube with that many surfaces and lines of line_bytes. */
struct extent extent_of(const struct memory_cube *at, uint64_t line_bytes, uint64_t lines, uint64_t surfaces);

/* True if a byte belongs to both. Exact unless both have very many lines that are not contiguous (more than 2^18
 * comparisons): then the ranges from first to last byte, including gaps, are compared. */
bool extents_overlap(const struct extent *a, const struct extent *b);

/* True if both have the same lines. */
bool extents_same(const struct extent *a, const struct extent *b);

/* True if lines of the cube overlap each other. */
bool extent_overlaps_itself(const struct extent *extent);

/* True if a layer that reads the one and writes the other can read what it has written. In place is legal: every byte
 * is read before it is written, if the lines do not overlap. */
bool extent_overwrites(const struct extent *destination, const struct extent *source);
