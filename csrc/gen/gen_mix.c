/* Cases of several layers: which engines, what reads what, what stays in CBUF between convolutions. */
#include "gen/engine.h"
#include "gen/gen.h"

enum { TRIES = 60 };

/* Clock budget of a case: mostly small, so that a case takes well under a second on RTL. */
static int64_t draw_budget(struct rng *rng) {
    return rng_chance(rng, 2) ? 80000 : rng_chance(rng, 15) ? 35000 : rng_chance(rng, 60) ? 14000 : 5000;
}

static enum gen_engine draw_engine(struct rng *rng, const struct nvdla_config *config, uint32_t engines) {
    int last = GEN_ENGINE_COUNT - 1;
    while (!(gen_config_engines(config) >> last & 1u))
        last--;
    for (;;) {
        int engine = (int)rng_range(rng, 0, last);
        if (engines >> engine & 1u)
            return (enum gen_engine)engine;
    }
}

/* Makes the layer read the output of an earlier one, whole or a corner of it, if it is not too large. */
static void draw_source(struct rng *rng, const struct gen_case *gen, int index, const struct gen_shape *shapes,
                        struct gen_layer *layer, int64_t atoms) {
    int from = rng_chance(rng, 60) ? index - 1 : (int)rng_range(rng, 0, index - 1);
    const struct cube *out = &shapes[from].out;
    int64_t cube = (int64_t)out->width * out->height * cube_surfaces(out);
    if (cube > 2 * atoms || gen->layers[from].in_place)
        return;
    layer->source = from + 1;
    layer->w = out->width;
    layer->h = out->height;
    layer->c = out->channels;
    if (rng_chance(rng, 15))
        layer->c = rng_range(rng, 1, cube_surfaces(out) * (int64_t)out->atom);
    if (rng_chance(rng, 15))
        layer->h = rng_range(rng, 1, out->height);
    if (rng_chance(rng, 15))
        layer->w = rng_range(rng, 1, out->width);
}

/* A per-element operand from an earlier output, where it is large enough. */
static void draw_operand_source(struct rng *rng, int index, const struct gen_shape *shapes, struct gen_stage *stage) {
    bool alu = stage->alu && stage->alu_memory, mul = stage->mul && stage->mul_memory;
    if (index == 0 || !stage->on || alu == mul || !rng_chance(rng, 50))
        return;
    int from = (int)rng_range(rng, 0, index - 1);
    const struct cube *out = &shapes[from].out, *middle = &shapes[index].middle;
    if (out->width < middle->width || out->height < middle->height || cube_surfaces(out) < cube_surfaces(middle))
        return;
    stage->source = from + 1;
    stage->element = 1;
    stage->two_bytes = 0;
}

/* Fuses a PDP behind the SDP of the last layer. */
static void draw_fusion(struct rng *rng, struct gen_case *gen, struct gen_shape *shapes) {
    struct gen_layer *layer = &gen->layers[gen->count - 1];
    gen_pdp_draw_behind(rng, layer, shapes[gen->count - 1].middle.width, shapes[gen->count - 1].middle.height);
    if (!gen_case_shape(gen, shapes, NULL)) {
        layer->pdp = 0;
        gen_case_shape(gen, shapes, NULL);
    }
}

/* Tables for a CDP layer: its own, or those that are loaded; then mostly with the convertors they were made for. */
static void draw_tables(struct rng *rng, const struct gen_case *gen, int index, struct gen_layer *layer) {
    const struct gen_layer *loaded = NULL;
    for (int i = 0; i < index; i++)
        if (gen->layers[i].cdp && gen->layers[i].lut)
            loaded = &gen->layers[i];
    if (!loaded || rng_chance(rng, 30)) {
        gen_cdp_draw_lut(rng, layer);
    } else if (rng_chance(rng, 70)) {
        layer->sqsum_bypass = loaded->sqsum_bypass;
        layer->mul_bypass = loaded->mul_bypass;
        layer->length = loaded->length;
        layer->in_offset = loaded->in_offset;
        layer->in_scale = loaded->in_scale;
        layer->in_shift = loaded->in_shift;
        layer->out_offset = loaded->out_offset;
        layer->out_scale = loaded->out_scale;
        layer->out_shift = loaded->out_shift;
    }
}

static void draw_layer(struct rng *rng, const struct gen_case *gen, int index, const struct gen_shape *shapes,
                       enum gen_engine engine, int64_t cycles, struct gen_layer *layer) {
    const struct nvdla_config *config = gen->config;
    bool linked = index > 0 && engine != GEN_ENGINE_IMG && rng_chance(rng, 45);
    gen_layer_plain(layer);
    gen_draw_common(rng, config, layer);
    switch (engine) {
    case GEN_ENGINE_CONV:
    case GEN_ENGINE_IMG:
        gen_conv_draw(rng, config, layer, engine == GEN_ENGINE_IMG, cycles);
        break;
    case GEN_ENGINE_SDP:
        gen_sdp_draw_size(rng, config, layer, cycles);
        gen_sdp_draw(rng, layer, gen_style_bits(layer->in_data, 7));
        layer->in_place = rng_chance(rng, 8);
        break;
    case GEN_ENGINE_PDP:
        gen_pdp_draw(rng, config, layer, cycles);
        break;
    default:
        gen_cdp_draw(rng, config, layer, cycles);
        break;
    }
    if (linked)
        draw_source(rng, gen, index, shapes, layer, cycles);
    if (layer->source) {
        layer->in_place = 0;
        layer->grain = 1;
        if (layer->pdp) {
            layer->splits = 1;
            gen_pdp_draw_behind(rng, layer, layer->w, layer->h);
        }
    }
    if (layer->cdp)
        draw_tables(rng, gen, index, layer);
}

/* A convolution that goes on with what the one before left in CBUF: its data, its lines, its weights. */
static void draw_reuse(struct rng *rng, const struct gen_layer *last, struct gen_layer *layer) {
    const struct gen_layer fresh = *layer;
    bool data = last->skip_data || last->keep, weights = last->skip_weights;
    if (data && weights && rng_chance(rng, 30))
        data = weights = rng_chance(rng, 50);
    *layer = *last;
    /* all that has nothing to do with CBUF comes from the fresh layer */
    layer->seed = fresh.seed;
    layer->in_data = fresh.in_data;
    layer->weights = fresh.weights;
    layer->noise = fresh.noise;
    layer->order = fresh.order;
    layer->arm = fresh.arm;
    layer->perf = fresh.perf;
    layer->serial = fresh.serial;
    layer->out_line = fresh.out_line;
    layer->out_surface = fresh.out_surface;
    layer->out_order = fresh.out_order;
    layer->out_fill = fresh.out_fill;
    layer->bs = fresh.bs;
    layer->bn = fresh.bn;
    layer->offset = fresh.offset;
    layer->scale = fresh.scale;
    layer->shift = fresh.shift;
    layer->clip = fresh.clip;
    layer->pdp = 0;
    layer->source = 0;
    layer->reuse_data = data;
    layer->reuse_weights = weights;
    layer->skip_data = rng_chance(rng, 40);
    layer->skip_weights = rng_chance(rng, 40);
    layer->keep = 0;
    if (!weights) { /* other kernels */
        layer->k = fresh.k;
        if (rng_chance(rng, 50)) {
            layer->r = rng_range(rng, 1, 3);
            layer->stride_x = rng_range(rng, 1, 2);
            layer->stride_y = rng_range(rng, 1, 3);
        }
    }
    if (data && !last->skip_data) /* new lines behind the kept ones */
        layer->h = last->keep + rng_range(rng, 1, last->h);
    else if (data && rng_chance(rng, 15))
        layer->h = rng_range(rng, 1, last->h);
    if (!data && layer->conv == GEN_FEATURE && rng_chance(rng, 30))
        layer->h = rng_range(rng, 1, last->h);
    if (!layer->skip_data && layer->h > 1 && rng_chance(rng, 40))
        layer->keep = rng_range(rng, 1, layer->h - 1);
}

/* What a convolution leaves for the next one, and in which banks: sometimes those of the convolution before. */
static void draw_legacy(struct rng *rng, const struct gen_case *gen, int index, struct gen_layer *layer) {
    const struct gen_layer *last = NULL;
    for (int i = 0; i < index; i++)
        if (gen->layers[i].conv)
            last = &gen->layers[i];
    layer->skip_data = rng_chance(rng, 25);
    layer->skip_weights = rng_chance(rng, 25);
    if (layer->h > 1 && rng_chance(rng, 30))
        layer->keep = rng_range(rng, 1, layer->h - 1);
    if (last && rng_chance(rng, 60)) {
        layer->data_banks = last->data_banks;
        layer->weight_banks = last->weight_banks;
    }
    if (last && (last->skip_data || last->skip_weights || last->keep) && rng_chance(rng, 75)) {
        draw_reuse(rng, last, layer);
    }
}

/* Adds one layer; false if none of the tries was legal and within the budget. */
static bool add_layer(struct rng *rng, struct gen_case *gen, uint32_t engines, int64_t cycles,
                      struct gen_shape *shapes) {
    int index = gen->count;
    for (int i = 0; i < TRIES; i++) {
        struct gen_layer *layer = &gen->layers[index];
        draw_layer(rng, gen, index, shapes, draw_engine(rng, gen->config, engines), cycles, layer);
        if (layer->conv)
            draw_legacy(rng, gen, index, layer);
        gen->count = index + 1;
        if (gen_case_shape(gen, shapes, NULL) && shapes[index].cycles <= 2 * cycles) {
            if (layer->sdp) {
                struct gen_layer kept = *layer;
                draw_operand_source(rng, index, shapes, &layer->bs);
                draw_operand_source(rng, index, shapes, &layer->bn);
                if (!gen_case_shape(gen, shapes, NULL)) {
                    *layer = kept;
                    gen_case_shape(gen, shapes, NULL);
                }
            }
            if (layer->sdp && !layer->in_place && rng_chance(rng, 25))
                draw_fusion(rng, gen, shapes);
            return true;
        }
        gen->count = index;
    }
    return false;
}

/* The smallest layer of an engine, legal in any case. */
static void add_smallest(struct gen_case *gen, enum gen_engine engine) {
    struct gen_layer *layer = &gen->layers[gen->count++];
    gen_layer_plain(layer);
    layer->conv = engine == GEN_ENGINE_CONV ? GEN_FEATURE : engine == GEN_ENGINE_IMG ? GEN_IMAGE : 0;
    layer->sdp = layer->conv || engine == GEN_ENGINE_SDP;
    layer->pdp = engine == GEN_ENGINE_PDP;
    layer->cdp = layer->lut = engine == GEN_ENGINE_CDP;
}

void gen_mix_draw(struct rng *rng, struct gen_case *gen, uint32_t engines) {
    struct gen_shape shapes[GEN_LAYERS];
    bool single = (engines & (engines - 1)) == 0;
    int64_t budget = draw_budget(rng);
    int64_t most = single ? 4 : 6;
    int64_t layers = single && rng_chance(rng, 55) ? 1 : rng_range(rng, 2, most);
    if (rng_chance(rng, 5))
        layers += rng_range(rng, 1, 5);
    for (int64_t i = 0; i < layers; i++)
        add_layer(rng, gen, engines, budget / layers + 200, shapes);
    if (gen->count == 0)
        add_smallest(gen, draw_engine(rng, gen->config, engines));
    for (int i = 0; i < gen->count; i++)
        gen_layer_tidy(&gen->layers[i]);
}
