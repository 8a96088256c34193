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

CONDITION(planes_missing,
          mode_is(view, RUBIK_MERGE) && layer_of(view).cubes.out_channels > layer_of(view).cubes.in_channels)

CONDITION(planes_left,
          mode_is(view, RUBIK_MERGE) && layer_of(view).cubes.out_channels < layer_of(view).cubes.in_channels)

CONDITION(planes_differ,
          mode_is(view, RUBIK_SPLIT) && layer_of(view).cubes.out_channels != layer_of(view).cubes.in_channels)

CONDITION(contract_too_wide, mode_is(view, RUBIK_CONTRACT) && rubik_cubes(view).destination.cube.width > MOST_COLUMNS)

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

static const struct rule rubik_list[] = {
    RULE(HANGS, mode_unknown, "RUBIK_MODE 3 reads without end", "66-rubik section 9", SHOWN(RBK, D_MISC_CFG)),
    RULE(HANGS, planes_missing, "merge waits for more planes than there are", "66-rubik section 9",
         SHOWN(RBK, D_DATAIN_SIZE_1), SHOWN(RBK, D_DATAOUT_SIZE_1)),
    RULE(WARNS, planes_left, "merge ends before the last planes", "66-rubik section 9", SHOWN(RBK, D_DATAIN_SIZE_1),
         SHOWN(RBK, D_DATAOUT_SIZE_1)),
    RULE(WARNS, planes_differ,
         "split takes the planes of its last surface from DATAIN_CHANNEL, its surfaces from DATAOUT_CHANNEL",
         "66-rubik section 9", SHOWN(RBK, D_DATAIN_SIZE_1), SHOWN(RBK, D_DATAOUT_SIZE_1)),
    RULE(REFUSED, contract_too_wide, "contract makes at most 8192 columns", "66-rubik section 9",
         SHOWN(RBK, D_DATAIN_SIZE_0), SHOWN(RBK, D_DECONV_STRIDE)),
    RULE(REFUSED, overwrites_input, "the destination overlaps the input", "66-rubik section 9",
         SHOWN(RBK, D_DAOUT_ADDR_LOW), SHOWN(RBK, D_DAIN_ADDR_LOW)),
    RULE(WARNS, phases_apart, "the phases of a deconvolution are consecutive surfaces", "66-rubik section 9",
         SHOWN(RBK, D_CONTRACT_STRIDE_0), SHOWN(RBK, D_DAIN_SURF_STRIDE)),
    RULE(WARNS, destination_overlaps, "lines or planes of the destination overlap, the last one written stays",
         "66-rubik section 9", SHOWN(RBK, D_DAOUT_LINE_STRIDE), SHOWN(RBK, D_DAOUT_SURF_STRIDE),
         SHOWN(RBK, D_DAOUT_PLANAR_STRIDE)),
};

const struct rule_set rules_rubik = {.units = {NVDLA_RBK}, .unit_count = 1, RULE_LIST(rubik_list)};

/* ---- BDMA ---- */

static bool too_many_repeats(const struct registers_view *view) {
    struct bdma_cubes descriptor = bdma_cubes(view);
    return descriptor.lines > BDMA_REPEATS || descriptor.surfaces > BDMA_REPEATS;
}

static bool copy_overlaps_itself(const struct registers_view *view) {
    struct bdma_cubes descriptor = bdma_cubes(view);
    struct extent destination = bdma_extent(&descriptor, &descriptor.destination);
    return extent_overlaps_itself(&destination);
}

static const struct rule bdma_list[] = {
    RULE(HANGS, too_many_repeats, "BDMA repeats lines and surfaces at most 8192 times", "64-bdma section 8",
         SHOWN(BDMA, CFG_LINE_REPEAT), SHOWN(BDMA, CFG_SURF_REPEAT)),
    RULE(WARNS, copy_overlaps_itself, "lines of the destination overlap, the last one written stays",
         "64-bdma section 8", SHOWN(BDMA, CFG_DST_LINE), SHOWN(BDMA, CFG_DST_SURF)),
};

const struct rule_set rules_of_descriptor = {.units = {NVDLA_BDMA}, .unit_count = 1, RULE_LIST(bdma_list)};
