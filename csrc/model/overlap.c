/* Byte ranges of cubes, line by line. See overlap.h. */
#include "model/overlap.h"

/* Most pairs (lines of one cube times surfaces of the other) that are checked one by one. */
#define MOST_COMPARISONS (UINT64_C(1) << 18)

struct extent extent_of(const struct memory_cube *at, uint64_t line_bytes, uint64_t lines, uint64_t surfaces) {
    return (struct extent){.primary = at->primary,
                           .base = at->cube.base,
                           .line_bytes = line_bytes,
                           .lines = lines,
                           .line_stride = at->cube.line_stride,
                           .surfaces = surfaces,
                           .surface_stride = at->cube.surface_stride};
}

/* The same bytes in as few lines and surfaces as possible: contiguous ones are merged. */
static struct extent joined(const struct extent *extent) {
    struct extent result = *extent;
    if (result.lines == 1 || result.line_stride == result.line_bytes) {
        result.line_bytes *= result.lines;
        result.lines = 1;
    }
    if (result.lines == 1 && (result.surfaces == 1 || result.surface_stride == result.line_bytes)) {
        result.line_bytes *= result.surfaces;
        result.surfaces = 1;
    }
    return result;
}

/* Bytes from the first to the last. */
static uint64_t span(const struct extent *extent) {
    return (extent->surfaces - 1) * extent->surface_stride + (extent->lines - 1) * extent->line_stride +
           extent->line_bytes;
}

static bool meet(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) {
    return a < b ? b - a < a_bytes : a - b < b_bytes;
}

/* True if a line of the surface at `surface` shares bytes with the run. */
static bool surface_meets(const struct extent *extent, uint64_t surface, uint64_t run, uint64_t bytes) {
    if (extent->line_stride == 0 || extent->lines == 1)
        return meet(surface, extent->line_bytes, run, bytes);
    /* The last line that starts before the end of the run reaches furthest into it. */
    uint64_t end = run + bytes;
    if (end <= surface)
        return false;
    uint64_t line = (end - 1 - surface) / extent->line_stride;
    line = line < extent->lines ? line : extent->lines - 1;
    return meet(surface + line * extent->line_stride, extent->line_bytes, run, bytes);
}

bool extents_overlap(const struct extent *one, const struct extent *other) {
    struct extent a = joined(one), b = joined(other);
    if (a.primary != b.primary || !meet(a.base, span(&a), b.base, span(&b)) ||
        a.surfaces * a.lines > MOST_COMPARISONS / b.surfaces)
        return false;
    for (uint64_t z = 0; z < a.surfaces; z++) {
        for (uint64_t y = 0; y < a.lines; y++) {
            uint64_t run = a.base + z * a.surface_stride + y * a.line_stride;
            for (uint64_t s = 0; s < b.surfaces; s++)
                if (surface_meets(&b, b.base + s * b.surface_stride, run, a.line_bytes))
                    return true;
        }
    }
    return false;
}

bool extents_same(const struct extent *one, const struct extent *other) {
    struct extent a = joined(one), b = joined(other);
    return a.primary == b.primary && a.base == b.base && a.line_bytes == b.line_bytes && a.lines == b.lines &&
           a.surfaces == b.surfaces && (a.lines == 1 || a.line_stride == b.line_stride) &&
           (a.surfaces == 1 || a.surface_stride == b.surface_stride);
}

bool extent_overlaps_itself(const struct extent *extent) {
    struct extent e = joined(extent);
    return (e.lines > 1 && e.line_stride < e.line_bytes) ||
           (e.surfaces > 1 && e.surface_stride < (e.lines - 1) * e.line_stride + e.line_bytes &&
            (e.lines == 1 || e.line_stride < (e.surfaces - 1) * e.surface_stride + e.line_bytes));
}

bool extent_overwrites(const struct extent *destination, const struct extent *source) {
    return extents_overlap(destination, source) &&
           (!extents_same(destination, source) || extent_overlaps_itself(destination));
}
