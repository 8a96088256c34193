/* BDMA: groups and their descriptors. */
#include "coverage/coverage_engines.h"

/* ---- groups ---------------------------------------------------------------------------------- */

enum { BDMA_GROUP, BDMA_AFTER, BDMA_DESCRIPTORS, BDMA_SOURCES, BDMA_COUNTERS };

static const struct coverage_aspect bdma_aspects[] = {
    [BDMA_GROUP] = ASPECT("group", GROUP),
    [BDMA_AFTER] = ASPECT("after", "nothing same_group other_group"),
    [BDMA_DESCRIPTORS] = ASPECT("descriptors", "1 2..7 8..19 20.."), /* the queue has 20 entries */
    [BDMA_SOURCES] = ASPECT("source_memories", "one both@secondary"),
    [BDMA_COUNTERS] = ASPECT("counters", OFF_ON),
};

/* After another group: after group 1 - group. */
static const struct coverage_cross bdma_crosses[] = {
    {CROSS(BDMA_GROUP, BDMA_AFTER)},
    {CROSS(BDMA_GROUP, BDMA_DESCRIPTORS)},
};

const struct coverage_engine coverage_bdma = {ENGINE("bdma", "group", bdma), .needs = COVERAGE_NEEDS_BDMA};

static int descriptor_class(size_t n) {
    return n == 1 ? 0 : n < 8 ? 1 : n < 20 ? 2 : 3;
}

void sort_bdma(const struct nvdla_config *config, const struct launch *launch, const struct launch *before, int *v) {
    const struct registers_view view = launch_view(config, launch);
    struct launch_block block;
    int sources = 0;
    for (size_t i = 0; launch_block(config, launch, i, &block); i++)
        sources |= block.source_primary ? 1 : 2;
    v[BDMA_GROUP] = launch->group;
    v[BDMA_AFTER] = !before ? 0 : before->group == launch->group ? 1 : 2;
    if (launch->block_count > 0) {
        v[BDMA_DESCRIPTORS] = descriptor_class(launch->block_count);
        v[BDMA_SOURCES] = sources == 3;
    }
    v[BDMA_COUNTERS] = (int)FIELD(&view, BDMA, CFG_STATUS, STALL_COUNT_EN);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* Lines and surfaces: their stride against their size. */
#define SOURCE_STRIDE "packed gap overlap repeated"
static int source_stride(uint32_t stride, int64_t size, int units) {
    if (units == 1)
        return -1;
    return (int64_t)stride == size ? 0 : (int64_t)stride > size ? 1 : stride > 0 ? 2 : 3;
}

/* clang-format off */
#define BDMA_BLOCK_ASPECTS(A) \
    A(BLOCK_SOURCE, ASPECT("source", MEMORY)) \
    A(BLOCK_DESTINATION, ASPECT("destination", MEMORY)) \
    A(BLOCK_SOURCE_AFTER, ASPECT("source_after", "same other@secondary")) /* the previous descriptor */ \
    A(BLOCK_LINE, ASPECT("line", "1 2..8 9..64 65..")) /* atoms */ \
    A(BLOCK_LAST_ATOMS, ASPECT("last_atoms", LAST_8)) /* of a line's last burst */ \
    A(BLOCK_LINES, ASPECT("lines", "1 2..8 9..")) \
    A(BLOCK_SURFACES, ASPECT("surfaces", "1 2..8 9..")) \
    A(BLOCK_SOURCE_LINES, ASPECT("source_lines", SOURCE_STRIDE)) \
    A(BLOCK_DESTINATION_LINES, ASPECT("destination_lines", PACKING)) \
    A(BLOCK_SOURCE_SURFACES, ASPECT("source_surfaces", SOURCE_STRIDE)) \
    A(BLOCK_DESTINATION_SURFACES, ASPECT("destination_surfaces", PACKING))
/* clang-format on */

enum { BDMA_BLOCK_ASPECTS(ASPECT_INDEX) };

static const struct coverage_aspect bdma_block_aspects[] = {BDMA_BLOCK_ASPECTS(ASPECT_ROW)};

static const struct coverage_cross bdma_block_crosses[] = {
    {CROSS(BLOCK_SOURCE, BLOCK_DESTINATION)},
    {CROSS(BLOCK_LINES, BLOCK_SURFACES)},
    {CROSS(BLOCK_SOURCE_LINES, BLOCK_DESTINATION_LINES)},
    {CROSS(BLOCK_SOURCE_SURFACES, BLOCK_DESTINATION_SURFACES)},
};

const struct coverage_engine coverage_bdma_block = {ENGINE("bdma_block", "descriptor", bdma_block),
                                                    .needs = COVERAGE_NEEDS_BDMA};

static int repeat_class(int n) {
    return n == 1 ? 0 : n < 9 ? 1 : 2;
}

void sort_bdma_block(const struct launch_block *block, const struct launch_block *before, int *v) {
    const struct cube *source = &block->source, *destination = &block->destination;
    const int64_t line = (int64_t)source->width * source->atom;
    const int surfaces = cube_surfaces(source);
    v[BLOCK_SOURCE] = !block->source_primary;
    v[BLOCK_DESTINATION] = !block->destination_primary;
    if (before)
        v[BLOCK_SOURCE_AFTER] = before->source_primary != block->source_primary;
    v[BLOCK_LINE] = source->width < 9 ? source->width > 1 : source->width < 65 ? 2 : 3;
    v[BLOCK_LAST_ATOMS] = last_class(source->width, 8);
    v[BLOCK_LINES] = repeat_class(source->height);
    v[BLOCK_SURFACES] = repeat_class(surfaces);
    v[BLOCK_SOURCE_LINES] = source_stride(source->line_stride, line, source->height);
    v[BLOCK_SOURCE_SURFACES] =
        source_stride(source->surface_stride, (int64_t)source->line_stride * source->height, surfaces);
    sort_cube(destination, &v[BLOCK_DESTINATION_LINES], &v[BLOCK_DESTINATION_SURFACES]);
}
