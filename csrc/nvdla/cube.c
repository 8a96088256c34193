/* Addresses of elements in the layouts of cubes. See cube.h. */
#include "nvdla/cube.h"

/* Bits that rounding clears. */
static uint64_t low_bits(const struct cube *cube) {
    return cube->align > 1 ? (uint64_t)cube->align - 1 : 0;
}

/* Where a line starts, before rounding. */
static uint64_t line_sum(const struct cube *cube, int surface, int line) {
    if (cube->packed_1x1)
        return cube->base + (uint64_t)surface * (uint64_t)cube->atom;
    return cube->base + (uint64_t)surface * cube->surface_stride + (uint64_t)line * cube->line_stride;
}

int cube_surfaces(const struct cube *cube) {
    const int surfaces = (cube->channels * cube->element_bytes + cube->atom - 1) / cube->atom;
    return surfaces < cube->min_surfaces ? cube->min_surfaces : surfaces;
}

uint64_t cube_atom_address(const struct cube *cube, int surface, int line, int column) {
    return (line_sum(cube, surface, line) + (uint64_t)column * (uint64_t)cube->atom) & ~low_bits(cube);
}

int cube_columns(const struct cube *cube) {
    return cube->width < cube->min_columns ? cube->min_columns : cube->width;
}

static int batches_of(const struct cube *cube) {
    return cube->batches > 1 ? cube->batches : 1;
}

static uint64_t line_bytes(const struct cube *cube) {
    return (uint64_t)cube_columns(cube) * (uint64_t)cube->atom;
}

/* The last line of a surface that starts at or below the address, -1 if all start above it. */
static int line_before(const struct cube *cube, int surface, uint64_t address) {
    /* A rounded start is at or below the address if the unrounded one does not exceed the address with all cleared bits
     * set. */
    const uint64_t start = line_sum(cube, surface, 0), reach = address | low_bits(cube);
    if (reach < start)
        return -1;
    uint64_t line = (uint64_t)cube->height - 1;
    if (cube->line_stride != 0 && (reach - start) / cube->line_stride < line)
        line = (reach - start) / cube->line_stride;
    return (int)line;
}

/* cube_locate in one batch. */
static bool locate(const struct cube *cube, uint64_t address, struct cube_element *element) {
    for (int surface = cube_surfaces(cube) - 1; surface >= 0; surface--) {
        /* Either that line holds the address, or no line does. */
        const int line = line_before(cube, surface, address);
        if (line < 0)
            continue;
        const uint64_t offset = address - cube_atom_address(cube, surface, line, 0);
        if (offset >= line_bytes(cube))
            continue;
        const int lane_byte = (int)(offset % (uint64_t)cube->atom);
        element->surface = surface;
        element->line = line;
        element->column = (int)(offset / (uint64_t)cube->atom);
        element->channel = surface * (cube->atom / cube->element_bytes) + lane_byte / cube->element_bytes;
        element->byte = lane_byte % cube->element_bytes;
        return true;
    }
    return false;
}

bool cube_locate(const struct cube *cube, uint64_t address, struct cube_element *element) {
    for (int batch = batches_of(cube) - 1; batch >= 0; batch--) {
        struct cube one = *cube;
        one.base += (uint64_t)batch * cube->batch_stride;
        element->batch = batch;
        if (locate(&one, address, element))
            return true;
    }
    return false;
}

bool cube_run(const struct cube *cube, uint64_t address, uint64_t *run) {
    *run = UINT64_MAX;
    for (int batch = batches_of(cube) - 1; batch >= 0; batch--) {
        struct cube one = *cube;
        one.base += (uint64_t)batch * cube->batch_stride;
        for (int surface = cube_surfaces(cube) - 1; surface >= 0; surface--) {
            const int line = line_before(&one, surface, address);
            const uint64_t offset = line < 0 ? 0 : address - cube_atom_address(&one, surface, line, 0);
            if (line >= 0 && offset < line_bytes(&one)) {
                *run = line_bytes(&one) - offset;
                return true;
            }
            /* Rounding may put atoms of the same line at one address; the next line's first atom ends the run. */
            const uint64_t next = line + 1 < cube->height ? cube_atom_address(&one, surface, line + 1, 0) : UINT64_MAX;
            if (next > address && next - address < *run)
                *run = next - address;
        }
    }
    return false;
}

uint64_t cube_extent(const struct cube *cube) {
    const uint64_t last = cube_atom_address(cube, cube_surfaces(cube) - 1, cube->height - 1, cube_columns(cube) - 1) +
                          (uint64_t)(batches_of(cube) - 1) * cube->batch_stride;
    return last + (uint64_t)cube->atom - cube_atom_address(cube, 0, 0, 0);
}
