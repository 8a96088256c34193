/* Rules of RUBIK and of the descriptors of BDMA. Spec: 66-rubik section 9, 64-bdma section 8. */
#include "model/bdma.h"
#include "model/overlap.h"
#include "model/rubik.h"
#include "model/rules.h"
#include "model/rules_table.h"

/* ---- RUBIK ---- */

enum { MODE_UNKNOWN = 3, MOST_COLUMNS = 8192 };

static struct rubik_layer layer_of(const struct registers_view *view) {
    struct rubik_layer layer;
    rubik_layer_decode(&layer, view);
    return layer;
}

static bool mode_is(const struct registers_view *view, uint32_t mode) {
    return FIELD(view, RBK, D_MISC_CFG, RUBIK_MODE) == mode;
}

CONDITION(mode_unknown, mode_is(view, MODE_UNKNOWN))

static bool phases_apart(const struct registers_view *view) {
    struct rubik_cubes l = rubik_cubes(view);
    return mode_is(view, RUBIK_CONTRACT) && l.x_stride * l.y_stride > 1 &&
           l.phase != (uint64_t)l.surfaces * l.source.cube.surface_stride;
}

/* One side of a layer: a cube of atoms, or planes of lines. */
static struct extent side_of(const struct rubik_layer *layer, const struct memory_cube *at, bool planar, int planes) {
    const struct rubik_cubes *l = &layer->cubes;
    uint64_t atoms = planar ? l->planar_atoms : (uint64_t)at->cube.width;
    return extent_of(at, atoms * layer->atom, (uint64_t)at->cube.height, (uint64_t)(planar ? planes : l->surfaces));
}

static struct extent source_of(const struct rubik_layer *layer) {
    const struct rubik_cubes *l = &layer->cubes;
    struct extent source = side_of(layer, &l->source, l->mode == RUBIK_MERGE, l->in_channels);
    /* The phases of contract are more surfaces: exact if they follow each other. */
    source.surfaces *= (uint64_t)(l->x_stride * l->y_stride);
    return source;
}

static struct extent destination_of(const struct rubik_layer *layer) {
    const struct rubik_cubes *l = &layer->cubes;
    return side_of(layer, &l->destination, l->mode == RUBIK_SPLIT, l->out_channels);
}

static bool overwrites_input(const struct registers_view *view) {
    struct rubik_layer l = layer_of(view);
    struct extent source = source_of(&l), destination = destination_of(&l);
    return !mode_unknown(view) && extents_overlap(&destination, &source);
}

static bool destination_overlaps(const struct registers_view *view) {
    struct rubik_layer l = layer_of(view);
    struct extent destination = destination_of(&l);
    return !mode_unknown(view) && extent_overlaps_itself(&destination);
}

/* ---- BDMA ---- */

static bool copy_overlaps_itself(const struct registers_view *view) {
    struct bdma_cubes descriptor = bdma_cubes(view);
    struct extent destination = bdma_extent(&descriptor, &descriptor.destination);
    return extent_overlaps_itself(&destination);
}

#include "rules_move.inc"
