/* Shared by all engine families: cubes of layers, content, lists of registers, draws that every layer makes. It does
 * not depend on any engine. */
#include "gen/shape.h"

#include <inttypes.h>

#include "nvdla/fp.h"

enum nvdla_precision gen_in_precision(const struct gen_layer *layer) {
    return layer->in_convert ? NVDLA_INT16 : (enum nvdla_precision)layer->precision;
}

enum nvdla_precision gen_out_precision(const struct gen_layer *layer) {
    static const enum nvdla_precision converted[] = {
        [NVDLA_INT8] = NVDLA_INT16, [NVDLA_INT16] = NVDLA_FP16, [NVDLA_FP16] = NVDLA_INT16};
    return layer->out_convert ? converted[layer->precision] : (enum nvdla_precision)layer->precision;
}

void gen_strides(struct cube *cube, int64_t line, int64_t surface, bool interleaved) {
    int64_t atom = cube->atom, line_stride, surface_stride;
    if (interleaved) {
        surface_stride = (cube->width + surface) * atom;
        line_stride = cube_surfaces(cube) * surface_stride + line * atom;
    } else {
        line_stride = (cube->width + line) * atom;
        surface_stride = cube->height * line_stride + surface * atom;
    }
    cube->line_stride = (uint32_t)line_stride;
    cube->surface_stride = (uint32_t)surface_stride;
}

/* A cube with its sizes set, of that precision, for a layer that may process another one: SDP converts whole atoms of
 * INT8, which are two of INT16 (50-sdp sections 3.2 and 8.1). */
static struct cube sized(const struct nvdla_config *config, const struct gen_layer *layer,
                         enum nvdla_precision precision, int64_t w, int64_t h, int64_t c) {
    struct cube cube = {.width = (int)w,
                        .height = (int)h,
                        .channels = (int)c,
                        .atom = config->mem_atom,
                        .element_bytes = nvdla_element_bytes(precision)};
    if (layer->precision == NVDLA_INT8 && precision != NVDLA_INT8)
        cube.min_surfaces = 2 * (int)cdiv(c, config->mem_atom);
    return cube;
}

void gen_pack_strides(struct cube *cube) {
    if (cube->packed_1x1)
        cube->line_stride = cube->surface_stride = (uint32_t)cube->atom;
}

bool gen_read_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, int64_t h, int64_t c,
                    struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    struct gen_shape *shape = &shapes[index];
    if (layer->input_of) {
        const struct gen_shape *owner = &shapes[layer->input_of - 1];
        if (layer->input_of > index || layer->source || !layer->conv || !owner->fetch || layer->batches != 1)
            return error_set(err, "no input of layer %d to share", (int)layer->input_of - 1);
        shape->in = owner->in;
        shape->in_secondary = owner->in_secondary;
        return (shape->in.width == layer->w && shape->in.height == h && shape->in.channels == c &&
                gen->layers[layer->input_of - 1].precision == layer->precision) ||
               error_set(err, "the input of layer %d has another size", (int)layer->input_of - 1);
    }
    if (layer->source == 0) {
        shape->in = sized(gen->config, layer, gen_in_precision(layer), layer->w, h, c);
        gen_strides(&shape->in, layer->in_line, layer->in_surface, layer->in_order != 0);
        shape->in_secondary = layer->in_space != 0;
        return true;
    }
    if (layer->source > index)
        return error_set(err, "reads the output of layer %d, which is not before it", (int)layer->source - 1);
    const struct gen_shape *source = &shapes[layer->source - 1];
    if (!source->out_exists || source->out_planar)
        return error_set(err, "reads the output of layer %d, which writes no feature cube", (int)layer->source - 1);
    if (source->out_precision != gen_in_precision(layer))
        return error_set(err, "reads the output of layer %d, which has another precision", (int)layer->source - 1);
    shape->in = sized(gen->config, layer, gen_in_precision(layer), layer->w, h, c);
    shape->in.line_stride = source->out.line_stride;
    shape->in.surface_stride = source->out.surface_stride;
    shape->in_secondary = source->out_secondary;
    if (layer->w > source->out.width || h > source->out.height ||
        cube_surfaces(&shape->in) > (layer->rubik == GEN_CONTRACT ? source->room : cube_surfaces(&source->out)))
        return error_set(err, "reads %" PRId64 "x%" PRId64 "x%" PRId64 " of the output of layer %d, which is %dx%dx%d",
                         layer->w, h, c, (int)layer->source - 1, source->out.width, source->out.height,
                         source->out.channels);
    return true;
}

bool gen_input_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, int64_t h, struct error *err) {
    return gen_read_shape(gen, index, shapes, h, gen->layers[index].c, err);
}

/* Strides of the output of batches: both columns of a pair are in one aligned block, the cubes are contiguous. */
static void batch_strides(const struct gen_layer *layer, struct gen_shape *shape) {
    int64_t atom = shape->out.atom, unit = shape->out_align ? (int64_t)shape->out_align / atom : 1;
    struct cube even = shape->out;
    even.width = (int)round_up(even.width, unit);
    gen_strides(&even, round_up(layer->out_line, unit), round_up(layer->out_surface, unit), layer->out_order != 0);
    shape->out.line_stride = even.line_stride;
    shape->out.surface_stride = even.surface_stride;
    shape->out_batch_stride =
        (uint64_t)round_up((int64_t)cube_extent(&shape->out) + layer->out_batch * atom, unit * atom);
}

void gen_output_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, int64_t w, int64_t h, int64_t c,
                      bool packed_1x1) {
    const struct gen_layer *layer = &gen->layers[index];
    struct gen_shape *shape = &shapes[index];
    if (layer->in_place) {
        shape->out = shape->in;
        shape->out_secondary = shape->in_secondary;
    } else {
        shape->out = sized(gen->config, layer, gen_out_precision(layer), w, h, c);
        gen_strides(&shape->out, layer->out_line, layer->out_surface, layer->out_order != 0);
        shape->out_secondary = layer->out_space != 0;
    }
    shape->out.packed_1x1 = packed_1x1 && layer->batches == 1;
    gen_pack_strides(&shape->out);
    if (layer->batches > 1)
        batch_strides(layer, shape);
    shape->out_exists = true;
    shape->out_precision = gen_out_precision(layer);
}

/* ---- content --------------------------------------------------------------------------------- */

static int64_t element(int64_t style, size_t index, int bits, struct rng *rng) {
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): bits is 8 times an element's bytes, 1 to 4 */
    const int64_t highest = ((int64_t)1 << (bits - 1)) - 1, lowest = -highest - 1;
    const int64_t extremes[] = {lowest, highest, lowest + 1, highest - 1, -1, 0, 1};
    switch (style) {
    case STYLE_ONES:
        return 1;
    case STYLE_RAMP:
        return (int64_t)index + 1;
    case STYLE_SMALL:
        return rng_range(rng, -3, 3);
    case STYLE_SPARSE:
        return rng_chance(rng, 80) ? 0 : rng_range(rng, lowest, highest);
    case STYLE_UNIFORM:
        return rng_range(rng, lowest, highest);
    case STYLE_EXTREME:
    case STYLE_SPECIAL:
        return rng_pick(rng, extremes, sizeof extremes / sizeof extremes[0]);
    case STYLE_LOWEST:
        return lowest;
    case STYLE_HIGHEST:
        return highest;
    default:
        return 0;
    }
}

/* A normal number with a magnitude of 2^-6 .. 2^7. */
static uint16_t fp16_moderate(struct rng *rng) {
    return (uint16_t)(rng_range(rng, 0, 1) << 15 | rng_range(rng, 9, 21) << 10 | rng_range(rng, 0, 0x3ff));
}

static uint16_t fp16_element(int64_t style, size_t index, struct rng *rng) {
    enum { ONE = 0x3c00, RAMP = 2048 };
    static const int64_t extremes[] = {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x8401, 0x3c00,
                                       0xbc00, 0x7bff, 0xfbff, 0x7bfe, 0x3bff, 0x03ff, 0xfbfe};
    static const int64_t specials[] = {0x7e00, 0xfe05, 0x7c01, 0xffff, 0x7c00, 0xfc00, 0x0000, 0x8000, 0x0001, 0x7bff};
    switch (style) {
    case STYLE_ONES:
        return ONE;
    case STYLE_RAMP:
        return fp16_from_integer((int32_t)(index % RAMP) + 1);
    case STYLE_SMALL:
        return fp16_from_integer((int32_t)rng_range(rng, -3, 3));
    case STYLE_SPARSE:
        return rng_chance(rng, 80) ? 0 : fp16_moderate(rng);
    case STYLE_UNIFORM:
        return fp16_moderate(rng);
    case STYLE_EXTREME:
        return (uint16_t)rng_pick(rng, extremes, sizeof extremes / sizeof extremes[0]);
    case STYLE_SPECIAL:
        return rng_chance(rng, 6) ? (uint16_t)rng_pick(rng, specials, sizeof specials / sizeof specials[0])
                                  : fp16_moderate(rng);
    case STYLE_LOWEST:
        return 0xfbff;
    case STYLE_HIGHEST:
        return 0x7bff;
    default:
        return 0;
    }
}

void gen_fill(uint8_t *bytes, size_t count, enum nvdla_precision precision, int64_t style, struct rng *rng) {
    enum { RUN = 16 };
    size_t element_bytes = (size_t)nvdla_element_bytes(precision);
    int64_t now = style;
    for (size_t i = 0; i < count; i++) {
        if (style == STYLE_MIXED && i % RUN == 0)
            now = rng_range(rng, STYLE_ZEROS, STYLE_EXTREME);
        uint64_t value = precision == NVDLA_FP16 ? fp16_element(now, i, rng)
                                                 : (uint64_t)element(now, i, (int)(8 * element_bytes), rng);
        for (size_t b = 0; b < element_bytes; b++)
            bytes[i * element_bytes + b] = (uint8_t)(value >> 8 * b);
    }
}

void gen_fill_nans(uint8_t *bytes, size_t count, int64_t nans, struct rng *rng) {
    for (int64_t i = 0; i < nans; i++) {
        size_t at = (size_t)rng_range(rng, 0, (int64_t)count - 1);
        int64_t pattern = rng_range(rng, 0, 1) << 15 | 0x7c00 | rng_range(rng, 1, 0x3ff);
        bytes[2 * at] = (uint8_t)pattern;
        bytes[2 * at + 1] = (uint8_t)(pattern >> 8);
    }
}

/* ---- registers ------------------------------------------------------------------------------- */

void gen_unit(struct gen_writer *regs, enum nvdla_unit unit) {
    regs->unit = &regs->units[unit];
}

void gen_engine(struct gen_writer *regs, enum nvdla_unit unit) {
    regs->noise = rng_make((uint64_t)regs->layer->noise, unit);
    gen_unit(regs, unit);
}

void gen_put(struct gen_writer *regs, uint32_t offset, int64_t value) {
    struct gen_registers *unit = regs->unit;
    unit->list[unit->count].offset = offset;
    unit->list[unit->count].value = (uint32_t)value;
    unit->count++;
}

uint32_t gen_noise(struct gen_writer *regs, uint32_t mask) {
    return regs->layer->noise ? (uint32_t)rng_next(&regs->noise) & mask : 0;
}

void gen_put_noise(struct gen_writer *regs, uint32_t first, uint32_t last) {
    for (uint32_t offset = first; offset <= last; offset += 4)
        gen_put(regs, offset, gen_noise(regs, UINT32_MAX));
}

void gen_put_size(struct gen_writer *regs, uint32_t first, int64_t width, int64_t height, int64_t channels) {
    gen_put(regs, first, width - 1);
    gen_put(regs, first + 4, height - 1);
    gen_put(regs, first + 8, channels - 1);
}

void gen_put_cube(struct gen_writer *regs, uint32_t first, const struct cube *cube) {
    gen_put_address(regs, first, first + 4, cube->base);
    gen_put(regs, first + 8, cube->line_stride);
    gen_put(regs, first + 12, cube->surface_stride);
}

void gen_put_address(struct gen_writer *regs, uint32_t low, uint32_t high, uint64_t address) {
    gen_put(regs, low, (uint32_t)address);
    gen_put(regs, high, regs->gen->config->addr_bits > 32 ? (uint32_t)(address >> 32) : gen_noise(regs, UINT32_MAX));
}

/* ---- drawing --------------------------------------------------------------------------------- */

int64_t gen_draw_slack(struct rng *rng) {
    return rng_chance(rng, 60) ? 0 : rng_chance(rng, 80) ? rng_range(rng, 1, 9) : rng_range(rng, 1, 64);
}

int64_t gen_draw_style(struct rng *rng, int64_t precision) {
    static const int64_t styles[] = {STYLE_UNIFORM, STYLE_UNIFORM, STYLE_UNIFORM, STYLE_UNIFORM,
                                     STYLE_UNIFORM, STYLE_EXTREME, STYLE_EXTREME, STYLE_MIXED,
                                     STYLE_MIXED,   STYLE_SPARSE,  STYLE_SMALL,   STYLE_RAMP};
    if (precision == NVDLA_FP16 && rng_chance(rng, 20))
        return STYLE_SPECIAL;
    return rng_chance(rng, 3) ? STYLE_ZEROS : rng_pick(rng, styles, sizeof styles / sizeof styles[0]);
}

int gen_style_bits(int64_t style, int bits) {
    switch (style) {
    case STYLE_ZEROS:
    case STYLE_ONES:
        return 1;
    case STYLE_RAMP:
        return bits < 8 ? bits : 8;
    case STYLE_SMALL:
        return 2;
    default:
        return bits;
    }
}

void gen_draw_common(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer) {
    layer->seed = (int64_t)(rng_next(rng) >> 32);
    layer->in_data = gen_draw_style(rng, layer->precision);
    layer->in_line = gen_draw_slack(rng);
    layer->in_surface = gen_draw_slack(rng);
    layer->in_order = rng_chance(rng, 10);
    layer->out_line = gen_draw_slack(rng);
    layer->out_surface = gen_draw_slack(rng);
    layer->out_order = rng_chance(rng, 10);
    layer->out_fill = rng_chance(rng, 50) ? 0xa5 : rng_range(rng, 0, 255);
    if (nvdla_has(config, FEATURE_SECONDARY_MEMORY)) {
        layer->in_space = rng_chance(rng, 40);
        layer->out_space = rng_chance(rng, 40);
        layer->weight_space = rng_chance(rng, 40);
        layer->bs.space = rng_chance(rng, 40);
        layer->bn.space = rng_chance(rng, 40);
        layer->ew.space = nvdla_has(config, FEATURE_EW) && rng_chance(rng, 40);
    }
    layer->noise = rng_chance(rng, 70) ? 1 + (int64_t)(rng_next(rng) >> 34) : 0;
    layer->order = rng_chance(rng, 50) ? 1 + (int64_t)(rng_next(rng) >> 34) : 0;
    layer->arm = rng_chance(rng, 30) ? 1 + (int64_t)(rng_next(rng) >> 34) : 0;
    int64_t perf = rng_range(rng, 0, 99); /* half of the layers; of these, mostly all */
    layer->perf = perf >= 50 ? 0 : perf >= 15 ? 15 : perf + 1;
    layer->serial = rng_chance(rng, 15);
}
