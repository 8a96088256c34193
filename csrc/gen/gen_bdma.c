/* BDMA layers: a copy, cut into descriptors, and groups of copies. Spec: 64-bdma. */
#include "gen/engine.h"
#include "nvdla_offsets.h"

enum { QUEUE = 20 };                                               /* most descriptors of a group */
enum { REPEATED_LINES = 1, OVERLAPPING_LINES, REPEATED_SURFACES }; /* of gen_layer.replicate */

/* ---- shape ----------------------------------------------------------------------------------- */

int gen_bdma_first(const struct gen_case *gen, int index) {
    int first = index;
    while (first >= 1 && gen->layers[first].join && gen->layers[first - 1].bdma)
        first--;
    return first;
}

/* A group has one destination memory, and nothing waits for a part of it. Spec: 64-bdma sections 3 and 8. */
static bool group_legal(const struct gen_case *gen, int index, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    int first = gen_bdma_first(gen, index);
    int64_t descriptors = 0;
    if (layer->join && first == index)
        return error_set(err, "join: the layer before is not of BDMA");
    for (int i = first; i <= index; i++)
        descriptors += gen->layers[i].parts;
    if (descriptors > QUEUE)
        return error_set(err, "%d descriptors in a group, at most %d", (int)descriptors, QUEUE);
    if (layer->out_space != gen->layers[first].out_space)
        return error_set(err, "join: another destination memory");
    return layer->source <= first || error_set(err, "join: reads what a layer of the same group writes");
}

/* Where part `part` of `parts` starts in `size`. */
static int64_t part_start(int64_t size, int64_t part, int64_t parts) {
    return size * part / parts;
}

bool gen_bdma_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    struct gen_shape *shape = &shapes[index];
    int atom = gen->config->mem_atom, bytes = nvdla_element_bytes((enum nvdla_precision)layer->precision);
    int64_t channels = layer->c * atom / bytes;
    if (!group_legal(gen, index, err) || !gen_read_shape(gen, index, shapes, layer->h, channels, err))
        return false;
    if (layer->parts > layer->c && layer->parts > layer->h && layer->parts > layer->w)
        return error_set(err, "%d parts of %dx%dx%d atoms", (int)layer->parts, (int)layer->w, (int)layer->h,
                         (int)layer->c);
    if (layer->replicate && layer->source)
        return error_set(err, "replicate: only memory of its own");
    if (layer->replicate == REPEATED_LINES)
        shape->in.line_stride = 0;
    if (layer->replicate == OVERLAPPING_LINES)
        shape->in.line_stride = (uint32_t)atom;
    if (layer->replicate == REPEATED_SURFACES)
        shape->in.surface_stride = 0;
    gen_output_shape(gen, index, shapes, layer->w, layer->h, channels, false);
    if (layer->source && shapes[layer->source - 1].out.channels < channels)
        shape->out.channels = shapes[layer->source - 1].out.channels; /* pad lanes are copied */
    shape->out.min_surfaces = (int)layer->c;                          /* and surfaces of pad lanes only */
    shape->units |= 1u << NVDLA_BDMA;
    shape->cycles = layer->w * layer->h * layer->c * 2 + layer->h * layer->c * 4;
    return true;
}

/* ---- registers ------------------------------------------------------------------------------- */

void gen_bdma_registers(struct gen_writer *regs, int64_t part) {
    const struct gen_layer *layer = regs->layer;
    const struct gen_shape *shape = regs->shape;
    const struct cube *in = &shape->in, *out = &shape->out;
    int64_t from[3] = {0, 0, 0}, size[3] = {layer->c, layer->h, layer->w}; /* surfaces, lines, columns */
    int cut = layer->c >= layer->parts ? 0 : layer->h >= layer->parts ? 1 : 2;
    from[cut] = part_start(size[cut], part, layer->parts);
    size[cut] = part_start(size[cut], part + 1, layer->parts) - from[cut];
    uint64_t source = cube_atom_address(in, (int)from[0], (int)from[1], (int)from[2]);
    uint64_t target = cube_atom_address(out, (int)from[0], (int)from[1], (int)from[2]);
    gen_engine(regs, NVDLA_BDMA);
    regs->unit->count = 0;
    gen_put_address(regs, BDMA_CFG_SRC_ADDR_LOW, BDMA_CFG_SRC_ADDR_HIGH, source);
    gen_put_address(regs, BDMA_CFG_DST_ADDR_LOW, BDMA_CFG_DST_ADDR_HIGH, target);
    gen_put(regs, BDMA_CFG_LINE, size[2] - 1);
    gen_put(regs, BDMA_CFG_CMD, (shape->in_secondary ? 0 : 1u) | (shape->out_secondary ? 0 : 2u));
    gen_put(regs, BDMA_CFG_LINE_REPEAT, size[1] - 1);
    gen_put(regs, BDMA_CFG_SRC_LINE, in->line_stride);
    gen_put(regs, BDMA_CFG_DST_LINE, out->line_stride);
    gen_put(regs, BDMA_CFG_SURF_REPEAT, size[0] - 1);
    gen_put(regs, BDMA_CFG_SRC_SURF, in->surface_stride);
    gen_put(regs, BDMA_CFG_DST_SURF, out->surface_stride);
    gen_put(regs, BDMA_CFG_STATUS, layer->perf & 1);
}

/* ---- drawing --------------------------------------------------------------------------------- */

void gen_bdma_draw(struct rng *rng, const struct gen_case *gen, int index, struct gen_layer *layer, int64_t cycles) {
    int64_t atoms = cycles / 3 < 1 ? 1 : cycles / 3;
    const struct gen_layer *last = index > 0 ? &gen->layers[index - 1] : NULL;
    layer->bdma = 1;
    layer->w = layer->h = layer->c = 1;
    switch (rng_range(rng, 0, 9)) {
    case 0: /* one long line */
        layer->w = rng_size(rng, atoms < GEN_SIZE_LIMIT ? atoms : GEN_SIZE_LIMIT, 8);
        break;
    case 1: /* many short ones */
        layer->h = rng_size(rng, atoms < GEN_SIZE_LIMIT ? atoms : GEN_SIZE_LIMIT, 8);
        break;
    default:
        layer->w = rng_size(rng, atoms < 64 ? atoms : 64, 8);
        layer->h = rng_size(rng, atoms / layer->w < 24 ? atoms / layer->w : 24, 4);
        layer->c = rng_size(rng, atoms / layer->w / layer->h < 12 ? atoms / layer->w / layer->h : 12, 4);
        break;
    }
    int64_t most = layer->c > layer->h ? layer->c : layer->h;
    most = most > layer->w ? most : layer->w;
    if (rng_chance(rng, 60))
        layer->parts = rng_size(rng, most < QUEUE ? most : QUEUE, 4);
    layer->replicate = rng_chance(rng, 15) ? rng_range(rng, REPEATED_LINES, REPEATED_SURFACES) : 0;
    layer->join = last && last->bdma && rng_chance(rng, 60);
    if (layer->join)
        layer->out_space = last->out_space;
}
