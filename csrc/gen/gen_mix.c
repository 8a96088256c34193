/* Cases of several layers: choice of engines and of what each layer reads. */
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

/* For RUBIK and BDMA the sizes follow from the cube differently. */
static void draw_moved(struct rng *rng, const struct gen_shape *source, int64_t lanes, struct gen_layer *layer) {
    const struct cube *out = &source->out;
    int64_t surfaces = cube_surfaces(out);
    if (layer->rubik == GEN_CONTRACT) {
        layer->deconv_x = rng_range(rng, 1, surfaces < 4 ? surfaces : 4);
        layer->deconv_y = rng_range(rng, 1, surfaces / layer->deconv_x < 4 ? surfaces / layer->deconv_x : 4);
        layer->c = rng_range(rng, 1, surfaces / (layer->deconv_x * layer->deconv_y) * lanes);
    } else if (layer->rubik == GEN_MERGE) {
        layer->w = rng_range(rng, 1, out->width) * lanes - rng_range(rng, 0, lanes - 1);
    } else if (layer->bdma) {
        layer->c = surfaces;
        layer->parts = rng_range(rng, 1, layer->h < 20 ? layer->h : 20);
        layer->replicate = 0;
    }
}

/* Makes the layer read the output of an earlier one, whole or a corner of it, if it is not too large. */
static void draw_source(struct rng *rng, const struct gen_case *gen, int index, const struct gen_shape *shapes,
                        struct gen_layer *layer, int64_t atoms) {
    int from = rng_chance(rng, 60) ? index - 1 : (int)rng_range(rng, 0, index - 1);
    const struct cube *out = &shapes[from].out;
    if (!shapes[from].out_exists || shapes[from].out_precision != gen_in_precision(layer) ||
        shapes[from].out_planar != (layer->rubik == GEN_MERGE))
        return;
    int64_t lanes = cube_surfaces(out) * (int64_t)out->atom / out->element_bytes;
    if (layer->in_convert) /* whole atoms of INT8 are two of INT16 */
        lanes = cube_surfaces(out) / 2 * (int64_t)out->atom;
    if (lanes == 0)
        return;
    int64_t cube = (int64_t)out->width * out->height * cube_surfaces(out);
    if (cube > 2 * atoms || gen->layers[from].in_place)
        return;
    layer->source = from + 1;
    layer->w = out->width;
    layer->h = out->height;
    layer->c = out->channels < lanes ? out->channels : lanes;
    if (rng_chance(rng, 15))
        layer->c = rng_range(rng, 1, lanes);
    if (rng_chance(rng, 15))
        layer->h = rng_range(rng, 1, out->height);
    if (rng_chance(rng, 15))
        layer->w = rng_range(rng, 1, out->width);
    if (layer->rubik || layer->bdma)
        draw_moved(rng, &shapes[from],
                   gen->config->mem_atom / nvdla_element_bytes((enum nvdla_precision)layer->precision), layer);
}

/* A per-element operand from an earlier output, if that is large enough. */
static void draw_operand_source(struct rng *rng, const struct gen_layer *layer, int index,
                                const struct gen_shape *shapes, struct gen_stage *stage) {
    bool alu = stage->alu && stage->alu_memory, mul = stage->mul && stage->mul_memory;
    bool itself = gen_compares(layer) && layer->source && stage == &layer->ew && rng_chance(rng, 70);
    if (index == 0 || !stage->on || alu == mul || (!itself && !rng_chance(rng, 50)))
        return;
    int from = itself ? (int)layer->source - 1 : (int)rng_range(rng, 0, index - 1);
    const struct cube *out = &shapes[from].out, *middle = &shapes[index].middle;
    if (!shapes[from].out_exists || shapes[from].out_precision != (enum nvdla_precision)layer->precision ||
        out->width < middle->width || out->height < middle->height || cube_surfaces(out) < cube_surfaces(middle))
        return;
    stage->source = from + 1;
    stage->element = 1;
    stage->two_bytes = layer->precision != NVDLA_INT8;
}

/* Adds a PDP after the SDP of the last layer. */
static void draw_fusion(struct rng *rng, struct gen_case *gen, struct gen_shape *shapes) {
    struct gen_layer *layer = &gen->layers[gen->count - 1];
    gen_pdp_draw_behind(rng, layer, shapes[gen->count - 1].middle.width, shapes[gen->count - 1].middle.height);
    if (!gen_case_shape(gen, shapes, NULL)) {
        layer->pdp = 0;
        gen_case_shape(gen, shapes, NULL);
    }
}

/* Tables for a CDP layer: its own, or the loaded ones; then mostly with the convertors they were made for. */
static void draw_tables(struct rng *rng, const struct gen_case *gen, int index, struct gen_layer *layer) {
    const struct gen_layer *loaded = gen_lut_loaded(gen, index - 1, true);
    bool other = loaded && (loaded->precision == NVDLA_FP16) != (layer->precision == NVDLA_FP16);
    if (!loaded || other || rng_chance(rng, 30)) {
        gen_cdp_draw_lut(rng, layer);
    } else if (rng_chance(rng, 70)) {
        layer->sqsum_bypass = loaded->sqsum_bypass;
        layer->mul_bypass = loaded->mul_bypass;
        layer->length = loaded->length;
        layer->in_offset = layer->precision == NVDLA_INT8 ? (int8_t)loaded->in_offset : loaded->in_offset;
        layer->in_scale = loaded->in_scale;
        layer->in_shift = loaded->in_shift;
        layer->out_offset = loaded->out_offset;
        layer->out_scale = loaded->out_scale;
        layer->out_shift = loaded->out_shift;
    }
}

/* Tables for an SDP layer: its own, already drawn, or the loaded ones. */
static void draw_sdp_tables(struct rng *rng, const struct gen_case *gen, int index, struct gen_layer *layer) {
    layer->lut = 0;
    const struct gen_layer *loaded = gen_lut_loaded(gen, index - 1, false);
    bool other = loaded && (loaded->precision == NVDLA_FP16) != (layer->precision == NVDLA_FP16);
    layer->lut = !loaded || other || rng_chance(rng, 40);
}

/* Precision: that of the previous layer if its output may be read. */
static void draw_types(struct rng *rng, const struct nvdla_config *config, int index, const struct gen_shape *shapes,
                       bool linked, struct gen_layer *layer) {
    int number = (int)rng_range(rng, 0, 9);
    layer->precision = number < 4 ? NVDLA_INT8 : number < 7 ? NVDLA_INT16 : NVDLA_FP16;
    if (!nvdla_has_precision(config, (uint32_t)layer->precision)) /* the other one of 16 bits */
        layer->precision = nvdla_has_16_bits(config) ? NVDLA_INT16 + NVDLA_FP16 - layer->precision : NVDLA_INT8;
    if (linked && shapes[index - 1].out_exists && rng_chance(rng, 80))
        layer->precision = shapes[index - 1].out_precision;
    layer->nan_to_zero = rng_chance(rng, 40);
    layer->status = rng_chance(rng, 35);
}

static void draw_layer(struct rng *rng, const struct gen_case *gen, int index, const struct gen_shape *shapes,
                       enum gen_engine engine, int64_t cycles, struct gen_layer *layer) {
    const struct nvdla_config *config = gen->config;
    bool linked = index > 0 && engine != GEN_ENGINE_IMG && rng_chance(rng, 45);
    gen_layer_plain(layer);
    if (nvdla_has_16_bits(config))
        draw_types(rng, config, index, shapes, linked, layer);
    gen_draw_common(rng, config, layer);
    switch (engine) {
    case GEN_ENGINE_CONV:
    case GEN_ENGINE_IMG:
        gen_conv_draw(rng, config, layer, engine == GEN_ENGINE_IMG, cycles);
        break;
    case GEN_ENGINE_SDP:
        gen_sdp_draw_size(rng, config, layer, cycles);
        gen_sdp_draw(rng, config, layer, gen_style_bits(layer->in_data, layer->precision == NVDLA_INT8 ? 7 : 15));
        layer->in_place = rng_chance(rng, 8) && !layer->in_convert && !layer->out_convert && !gen_compares(layer);
        break;
    case GEN_ENGINE_PDP:
        gen_pdp_draw(rng, config, layer, cycles);
        break;
    case GEN_ENGINE_BDMA:
        gen_bdma_draw(rng, gen, index, layer, cycles);
        break;
    case GEN_ENGINE_RUBIK:
        gen_rubik_draw(rng, config, layer, cycles);
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
        layer->batches = 1;
        if (layer->conv == GEN_WINOGRAD)
            gen_conv_fit(layer);
        if (layer->pdp) {
            layer->splits = 1;
            gen_pdp_draw_behind(rng, layer, layer->w, layer->h);
        }
    }
    if (layer->cdp)
        draw_tables(rng, gen, index, layer);
    else if (gen_uses_table(layer))
        draw_sdp_tables(rng, gen, index, layer);
}

static const struct gen_layer *last_convolution(const struct gen_case *gen, int index) {
    const struct gen_layer *last = NULL;
    for (int i = 0; i < index; i++)
        if (gen->layers[i].conv)
            last = &gen->layers[i];
    return last;
}

/* Adds a deconvolution if there is room for its layers; false if no try was legal and within the budget. */
static bool add_deconv(struct rng *rng, struct gen_case *gen, int64_t cycles, struct gen_shape *shapes) {
    int index = gen->count;
    for (int i = 0; i < TRIES && index + 2 <= GEN_LAYERS; i++) {
        struct gen_layer common;
        int64_t sum = 0;
        gen_layer_plain(&common);
        draw_types(rng, gen->config, index, shapes, false, &common);
        gen_draw_common(rng, gen->config, &common);
        gen->count = index + gen_deconv_draw(rng, gen->config, index, &common, 2 * cycles, &gen->layers[index]);
        if (gen_case_shape(gen, shapes, NULL)) {
            for (int j = index; j < gen->count; j++)
                sum += shapes[j].cycles;
            if (sum <= 4 * cycles + 4000)
                return true;
        }
        gen->count = index;
    }
    return false;
}

/* Adds one layer; false if no try was legal and within the budget. */
static bool add_layer(struct rng *rng, struct gen_case *gen, uint32_t engines, int64_t cycles,
                      struct gen_shape *shapes) {
    int index = gen->count;
    for (int i = 0; i < TRIES; i++) {
        struct gen_layer *layer = &gen->layers[index];
        draw_layer(rng, gen, index, shapes, draw_engine(rng, gen->config, engines), cycles, layer);
        if (layer->conv)
            gen_conv_draw_kept(rng, gen->config, last_convolution(gen, index), layer);
        gen->count = index + 1;
        if (gen_case_shape(gen, shapes, NULL) && shapes[index].cycles <= 2 * cycles) {
            if (layer->sdp) {
                struct gen_layer kept = *layer;
                draw_operand_source(rng, layer, index, shapes, &layer->bs);
                draw_operand_source(rng, layer, index, shapes, &layer->bn);
                draw_operand_source(rng, layer, index, shapes, &layer->ew);
                if (!gen_case_shape(gen, shapes, NULL)) {
                    *layer = kept;
                    gen_case_shape(gen, shapes, NULL);
                }
            }
            if (layer->sdp && !layer->in_place && !layer->out_convert && !gen_compares(layer) &&
                nvdla_has(gen->config, FEATURE_PDP) && rng_chance(rng, 25))
                draw_fusion(rng, gen, shapes);
            return true;
        }
        gen->count = index;
    }
    return false;
}

/* A layer, or the layers of a deconvolution. */
static void add_layers(struct rng *rng, struct gen_case *gen, uint32_t engines, int64_t cycles,
                       struct gen_shape *shapes) {
    const uint32_t deconv = 1u << GEN_ENGINE_DECONV, others = engines & ~deconv;
    if (engines & deconv && (!others || rng_chance(rng, 8)))
        add_deconv(rng, gen, cycles, shapes);
    else
        add_layer(rng, gen, others, cycles, shapes);
}

/* The smallest layer of an engine, always legal. */
static void add_smallest(struct gen_case *gen, enum gen_engine engine) {
    struct gen_layer *layer = &gen->layers[gen->count++];
    gen_layer_plain(layer);
    layer->conv = engine == GEN_ENGINE_CONV || engine == GEN_ENGINE_DECONV ? GEN_FEATURE
                  : engine == GEN_ENGINE_IMG                               ? GEN_IMAGE
                                                                           : 0;
    layer->sdp = layer->conv || engine == GEN_ENGINE_SDP;
    layer->pdp = engine == GEN_ENGINE_PDP;
    layer->cdp = layer->lut = engine == GEN_ENGINE_CDP;
    layer->bdma = engine == GEN_ENGINE_BDMA;
    layer->rubik = engine == GEN_ENGINE_RUBIK ? GEN_SPLIT : 0;
}

void gen_mix_draw(struct rng *rng, struct gen_case *gen, uint32_t engines) {
    struct gen_shape shapes[GEN_LAYERS] = {{0}};
    bool single = (engines & (engines - 1)) == 0;
    int64_t budget = draw_budget(rng);
    int64_t most = single ? 4 : 6;
    int64_t layers = single && rng_chance(rng, 55) ? 1 : rng_range(rng, 2, most);
    if (rng_chance(rng, 5))
        layers += rng_range(rng, 1, 5);
    for (int64_t i = 0; i < layers && gen->count < GEN_LAYERS; i++)
        add_layers(rng, gen, engines, budget / layers + 200, shapes);
    if (gen->count == 0)
        add_smallest(gen, draw_engine(rng, gen->config, engines));
    for (int i = 0; i < gen->count; i++)
        gen_layer_tidy(&gen->layers[i]);
}
