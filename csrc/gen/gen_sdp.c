/* SDP layers: from memory or behind a convolution, to memory or to PDP. Spec: 50-sdp. */
#include "gen/engine.h"
#include "nvdla/fixed.h"
#include "nvdla_offsets.h"

/* ---- shape ---------------------------------------------------------------------------------------------------------
 */

static const struct gen_stage *stage_of(const struct gen_layer *layer, int stage) {
    return stage == 0 ? &layer->bs : &layer->bn;
}

static bool alu_from_memory(const struct gen_stage *stage) {
    return stage->on && stage->alu && stage->alu_memory;
}

static bool mul_from_memory(const struct gen_stage *stage) {
    return stage->on && stage->mul && stage->mul_memory;
}

static bool operand_shape(const struct gen_case *gen, int index, int number, struct gen_shape *shapes,
                          struct error *err) {
    const struct gen_stage *stage = stage_of(&gen->layers[index], number);
    struct gen_shape *shape = &shapes[index];
    int components = alu_from_memory(stage) + mul_from_memory(stage);
    shape->components[number] = components;
    if (components == 0)
        return true;
    struct cube *cube = &shape->operand[number];
    bool single = shape->middle.width == 1 && shape->middle.height == 1;
    if (stage->source) {
        if (stage->source > index)
            return error_set(err, "operands from layer %d, which does not come before it", (int)stage->source - 1);
        if (components != 1 || stage->two_bytes || !stage->element)
            return error_set(err, "operands from another layer are one byte for each element");
        const struct gen_shape *source = &shapes[stage->source - 1];
        *cube = source->out;
        if (cube->packed_1x1)
            cube->line_stride = cube->surface_stride = (uint32_t)cube->atom;
        cube->width = shape->middle.width;
        cube->height = shape->middle.height;
        cube->channels = shape->middle.channels;
        cube->packed_1x1 = single;
        shape->operand_secondary[number] = source->out_secondary;
        return (cube->width <= source->out.width && cube->height <= source->out.height &&
                cube_surfaces(cube) <= cube_surfaces(&source->out)) ||
               error_set(err, "operands from layer %d, whose output is smaller", (int)stage->source - 1);
    }
    int atom = gen->config->mem_atom;
    int64_t bytes = components * (stage->two_bytes ? 2 : 1); /* an operand atom has this many memory atoms */
    *cube = shape->middle;
    cube->element_bytes = (int)bytes;
    cube->atom = atom * (int)bytes;
    if (!stage->element)
        cube->width = cube->height = 1;
    cube->packed_1x1 = single || !stage->element;
    cube->line_stride = (uint32_t)((cube->width * bytes + stage->line) * atom);
    cube->surface_stride = (uint32_t)(cube->height * (int64_t)cube->line_stride + stage->surface * atom);
    shape->operand_secondary[number] = stage->space != 0;
    return true;
}

bool gen_sdp_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    const struct nvdla_config *config = gen->config;
    struct gen_shape *shape = &shapes[index];
    if (!layer->conv) {
        if (!gen_input_shape(gen, index, shapes, layer->h, err))
            return false;
        shape->middle = (struct cube){.width = (int)layer->w,
                                      .height = (int)layer->h,
                                      .channels = (int)layer->c,
                                      .atom = config->mem_atom,
                                      .element_bytes = 1};
        shape->in.packed_1x1 = layer->w == 1 && layer->h == 1;
    }
    for (int i = 0; i < GEN_STAGES; i++)
        if (!operand_shape(gen, index, i, shapes, err))
            return error_prefix(err, i == 0 ? "bs: " : "bn: ");
    const struct cube *middle = &shape->middle;
    bool single = middle->width == 1 && middle->height == 1;
    if (!layer->pdp)
        gen_output_shape(gen, index, shapes, middle->width, middle->height, middle->channels, single);
    shape->units |= 1u << NVDLA_SDP;
    if (!layer->conv || shape->components[0] || shape->components[1])
        shape->units |= 1u << NVDLA_SDP_RDMA;
    int64_t atoms = (int64_t)middle->width * middle->height * cube_surfaces(middle);
    int64_t words = cdiv(config->mem_atom, config->sdp_bs_throughput); /* clocks of an atom */
    int64_t cycles = atoms * words + (int64_t)middle->height * cube_surfaces(middle) * 4;
    shape->cycles = cycles + shape->cycles;
    return true;
}

/* ---- registers -----------------------------------------------------------------------------------------------------
 */

/* The five registers of BS lie at these offsets; those of BN in the same order behind. */
static void put_stage(const struct gen_layer *layer, int number, struct rng *noise, struct gen_registers *regs) {
    const struct gen_stage *stage = stage_of(layer, number);
    uint32_t base = number == 0 ? SDP_D_DP_BS_CFG : SDP_D_DP_BN_CFG;
    if (!stage->on) {
        gen_put(regs, base, 1 | gen_noise(layer, noise, 0x7e));
        gen_put(regs, base + 4, gen_noise(layer, noise, 0x3f00));
        gen_put(regs, base + 8, gen_noise(layer, noise, 0xffff));
        gen_put(regs, base + 12, gen_noise(layer, noise, 0xff00));
        gen_put(regs, base + 16, gen_noise(layer, noise, 0xffff));
        return;
    }
    uint32_t algorithm = (uint32_t)stage->algorithm << 2;
    gen_put(regs, base,
            (stage->alu ? algorithm : 2u | gen_noise(layer, noise, 0xc)) | (stage->mul ? 0 : 0x10u) |
                (stage->prelu ? 0x20u : 0) | (stage->relu ? 0 : 0x40u));
    gen_put(regs, base + 4, (uint32_t)alu_from_memory(stage) | (uint32_t)stage->alu_shift << 8);
    gen_put(regs, base + 8,
            stage->alu && !stage->alu_memory ? (uint32_t)stage->alu_operand & 0xffff : gen_noise(layer, noise, 0xffff));
    /* only the low six bits of the shift count */
    gen_put(regs, base + 12,
            (uint32_t)mul_from_memory(stage) | (uint32_t)stage->mul_shift << 8 | gen_noise(layer, noise, 0xc000));
    gen_put(regs, base + 16,
            stage->mul && !stage->mul_memory ? (uint32_t)stage->mul_operand & 0xffff : gen_noise(layer, noise, 0xffff));
}

/* BRDMA at D_BRDMA_CFG, NRDMA and ERDMA (never used) in the same order behind. */
static void put_operand(const struct gen_case *gen, int index, const struct gen_shape *shape, int number,
                        struct rng *noise, struct gen_registers *regs) {
    static const uint32_t bases[] = {SDP_RDMA_D_BRDMA_CFG, SDP_RDMA_D_NRDMA_CFG, SDP_RDMA_D_ERDMA_CFG};
    const struct gen_layer *layer = &gen->layers[index];
    uint32_t base = bases[number];
    if (number == GEN_STAGES || shape->components[number] == 0) {
        gen_put(regs, base, 1 | gen_noise(layer, noise, 0x3e));
        for (uint32_t offset = 4; offset <= 20; offset += 4)
            gen_put(regs, base + offset, gen_noise(layer, noise, UINT32_MAX));
        return;
    }
    const struct gen_stage *stage = stage_of(layer, number);
    const struct cube *cube = &shape->operand[number];
    uint32_t use = shape->components[number] == 2 ? 2 : alu_from_memory(stage);
    bool primary = !shape->operand_secondary[number];
    gen_put(regs, base,
            use << 1 | (uint32_t)stage->two_bytes << 3 | (uint32_t)stage->element << 4 | (uint32_t)primary << 5);
    gen_put_address(gen, index, noise, regs, base + 4, base + 8, cube->base);
    gen_put(regs, base + 12, cube->line_stride);
    gen_put(regs, base + 16, cube->surface_stride);
    gen_put(regs, base + 20, gen_noise(layer, noise, UINT32_MAX));
}

static void put_rdma(const struct gen_case *gen, int index, const struct gen_shape *shape, struct rng *noise,
                     struct gen_registers *regs) {
    const struct gen_layer *layer = &gen->layers[index];
    gen_put(regs, SDP_RDMA_D_DATA_CUBE_WIDTH, (uint32_t)shape->middle.width - 1);
    gen_put(regs, SDP_RDMA_D_DATA_CUBE_HEIGHT, (uint32_t)shape->middle.height - 1);
    gen_put(regs, SDP_RDMA_D_DATA_CUBE_CHANNEL, (uint32_t)shape->middle.channels - 1);
    if (layer->conv) {
        gen_put(regs, SDP_RDMA_D_SRC_BASE_ADDR_LOW, gen_noise(layer, noise, UINT32_MAX));
        gen_put(regs, SDP_RDMA_D_SRC_BASE_ADDR_HIGH, gen_noise(layer, noise, UINT32_MAX));
        gen_put(regs, SDP_RDMA_D_SRC_LINE_STRIDE, gen_noise(layer, noise, UINT32_MAX));
        gen_put(regs, SDP_RDMA_D_SRC_SURFACE_STRIDE, gen_noise(layer, noise, UINT32_MAX));
    } else {
        gen_put_address(gen, index, noise, regs, SDP_RDMA_D_SRC_BASE_ADDR_LOW, SDP_RDMA_D_SRC_BASE_ADDR_HIGH,
                        shape->in.base);
        gen_put(regs, SDP_RDMA_D_SRC_LINE_STRIDE, shape->in.line_stride);
        gen_put(regs, SDP_RDMA_D_SRC_SURFACE_STRIDE, shape->in.surface_stride);
    }
    gen_put(regs, SDP_RDMA_D_SRC_DMA_CFG, shape->in_secondary ? 0 : 1);
    gen_put(regs, SDP_RDMA_D_FEATURE_MODE_CFG, layer->conv ? 1 : 0);
    gen_put(regs, SDP_RDMA_D_PERF_ENABLE, layer->perf ? 3 : 0);
    for (int i = 0; i <= GEN_STAGES; i++)
        put_operand(gen, index, shape, i, noise, regs);
}

void gen_sdp_registers(const struct gen_case *gen, int index, const struct gen_shape *shapes,
                       struct gen_registers *units) {
    const struct gen_layer *layer = &gen->layers[index];
    const struct gen_shape *shape = &shapes[index];
    struct gen_registers *regs = &units[NVDLA_SDP];
    struct rng noise = rng_make((uint64_t)layer->noise, NVDLA_SDP);
    if (shape->units >> NVDLA_SDP_RDMA & 1u)
        put_rdma(gen, index, shape, &noise, &units[NVDLA_SDP_RDMA]);
    gen_put(regs, SDP_D_DATA_CUBE_WIDTH, (uint32_t)shape->middle.width - 1);
    gen_put(regs, SDP_D_DATA_CUBE_HEIGHT, (uint32_t)shape->middle.height - 1);
    gen_put(regs, SDP_D_DATA_CUBE_CHANNEL, (uint32_t)shape->middle.channels - 1);
    gen_put_address(gen, index, &noise, regs, SDP_D_DST_BASE_ADDR_LOW, SDP_D_DST_BASE_ADDR_HIGH,
                    layer->pdp ? 0 : shape->out.base);
    gen_put(regs, SDP_D_DST_LINE_STRIDE, layer->pdp ? 0 : shape->out.line_stride);
    gen_put(regs, SDP_D_DST_SURFACE_STRIDE, layer->pdp ? 0 : shape->out.surface_stride);
    gen_put(regs, SDP_D_DST_DMA_CFG, !layer->pdp && shape->out_secondary ? 0 : 1);
    gen_put(regs, SDP_D_DST_BATCH_STRIDE, gen_noise(layer, &noise, UINT32_MAX));
    for (int i = 0; i < GEN_STAGES; i++)
        put_stage(layer, i, &noise, regs);
    gen_put(regs, SDP_D_DP_EW_CFG, 1 | gen_noise(layer, &noise, 0x7e));
    for (uint32_t offset = SDP_D_DP_EW_ALU_CFG; offset <= SDP_D_DP_EW_TRUNCATE_VALUE; offset += 4)
        gen_put(regs, offset, gen_noise(layer, &noise, UINT32_MAX));
    gen_put(regs, SDP_D_FEATURE_MODE_CFG, (layer->conv ? 1u : 0) | (layer->pdp ? 2u : 0));
    gen_put(regs, SDP_D_DATA_FORMAT, 0);
    gen_put(regs, SDP_D_CVT_OFFSET, (uint32_t)layer->offset);
    gen_put(regs, SDP_D_CVT_SCALE, (uint32_t)layer->scale & 0xffff);
    gen_put(regs, SDP_D_CVT_SHIFT, (uint32_t)layer->shift);
    gen_put(regs, SDP_D_PERF_ENABLE, layer->perf ? 0xf : 0);
}

/* ---- drawing -------------------------------------------------------------------------------------------------------
 */

void gen_sdp_draw_size(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, int64_t cycles) {
    int64_t atom = config->mem_atom, words = cdiv(atom, config->sdp_bs_throughput);
    int64_t atoms = cycles / words < 2 ? 2 : cycles / words; /* of the cube */
    int64_t room = atoms < GEN_SIZE_LIMIT ? atoms : GEN_SIZE_LIMIT;
    layer->w = layer->h = 1;
    switch (rng_range(rng, 0, 9)) {
    case 0:
        layer->c = rng_size(rng, room * atom < GEN_SIZE_LIMIT ? room * atom : GEN_SIZE_LIMIT, atom);
        return;
    case 1:
        layer->w = rng_size(rng, room, 16);
        break;
    case 2:
        layer->h = rng_size(rng, room, 16);
        break;
    default:
        layer->w = rng_size(rng, room < 40 ? room : 40, 4);
        layer->h = rng_size(rng, room / layer->w < 24 ? room / layer->w : 24, 4);
        break;
    }
    int64_t surfaces = atoms / (layer->w * layer->h);
    layer->c = rng_size(rng, surfaces < 1 ? atom : surfaces > 12 ? 12 * atom : surfaces * atom, atom);
}

/* A stage that makes something of inputs of `bits` bits; returns the bits of its result. */
static int draw_stage(struct rng *rng, struct gen_stage *stage, int bits) {
    bool wild = rng_chance(rng, 20); /* any shift, any operand */
    stage->on = rng_chance(rng, 65);
    stage->alu = rng_chance(rng, 65);
    stage->algorithm = rng_chance(rng, 60) ? 2 : rng_range(rng, 0, 3);
    stage->mul = rng_chance(rng, 65);
    stage->relu = rng_chance(rng, 35);
    stage->prelu = stage->mul && (!stage->alu || rng_chance(rng, 30)) && rng_chance(rng, 35);
    int from = (int)rng_range(rng, 0, 9); /* 0..2 registers, 3..8 memory, 9 one of each */
    stage->alu_memory = from > 2 && (from < 9 || rng_chance(rng, 50));
    stage->mul_memory = from > 2 && (from < 9 || !stage->alu_memory);
    stage->element = rng_chance(rng, 45);
    stage->two_bytes = rng_chance(rng, 40);
    stage->data = gen_draw_style(rng, NVDLA_INT8);
    stage->line = gen_draw_slack(rng);
    stage->surface = gen_draw_slack(rng);
    stage->alu_operand = rng_signed(rng, 16);
    stage->mul_operand = rng_signed(rng, 16);
    int memory_bits = gen_style_bits(stage->data, stage->two_bytes ? 15 : 7);
    int alu_bits = stage->alu_memory ? memory_bits : 15, mul_bits = stage->mul_memory ? memory_bits : 15;
    stage->alu_shift = wild              ? rng_range(rng, 0, 63)
                       : bits > alu_bits ? rng_range(rng, 0, bits - alu_bits)
                                         : rng_range(rng, 0, 2);
    stage->mul_shift = wild         ? rng_range(rng, 0, 63)
                       : stage->mul ? rng_range(rng, mul_bits > 6 ? mul_bits - 6 : 0, mul_bits)
                                    : rng_range(rng, 0, 3);
    if (!stage->on)
        return bits;
    if (stage->alu && alu_bits + (int)stage->alu_shift > bits)
        bits = alu_bits + (int)stage->alu_shift;
    if (stage->mul)
        bits += mul_bits;
    bits -= (int)stage->mul_shift;
    return bits < 1 ? 1 : bits > 31 ? 31 : bits;
}

static void draw_convertor(struct rng *rng, struct gen_layer *layer, int bits) {
    if (rng_chance(rng, 10)) { /* anything */
        layer->offset = rng_signed(rng, 32);
        layer->scale = rng_signed(rng, 16);
        layer->shift = rng_range(rng, 0, 63);
    } else if (bits <= 9 && rng_chance(rng, 30)) { /* neutral */
        layer->offset = 0;
        layer->scale = 1;
        layer->shift = 0;
    } else { /* results spread over about 8 bits, somewhat clipped or not */
        int scale_bits = (int)rng_range(rng, 1, 15);
        layer->scale = rng_range(rng, (int64_t)1 << (scale_bits - 1), ((int64_t)1 << scale_bits) - 1);
        if (rng_chance(rng, 25))
            layer->scale = -layer->scale;
        int64_t shift = bits + scale_bits - rng_range(rng, 6, 11);
        layer->shift = shift < 0 ? 0 : shift > 63 ? 63 : shift;
        layer->offset = rng_chance(rng, 40) ? 0 : rng_range(rng, -((int64_t)1 << (bits - 1)), (int64_t)1 << (bits - 1));
    }
}

/* A value through a stage, operands from memory drawn. Spec: 50-sdp section 5.1. */
static int64_t stage_value(const struct gen_stage *stage, int64_t value, struct rng *rng) {
    int bits = gen_style_bits(stage->data, stage->two_bytes ? 15 : 7);
    int64_t low = -((int64_t)1 << bits), high = -low - 1;
    int64_t alu = stage->alu_memory ? rng_range(rng, low, high) : stage->alu_operand;
    int64_t mul = stage->mul_memory ? rng_range(rng, low, high) : stage->mul_operand;
    if (!stage->on)
        return value;
    if (stage->alu) {
        unsigned shift = stage->alu_shift > 31 ? 31 : (unsigned)stage->alu_shift;
        int64_t operand = fixed_saturate(alu * ((int64_t)1 << shift), 32);
        value = stage->algorithm == 0   ? (value > operand ? value : operand)
                : stage->algorithm == 1 ? (value < operand ? value : operand)
                                        : value + operand;
    }
    if (!(stage->mul && stage->prelu && value >= 0))
        value = fixed_saturate(fixed_round_shift(stage->mul ? value * mul : value, (unsigned)stage->mul_shift), 32);
    return stage->relu && value < 0 ? 0 : value;
}

/* True if inputs of `bits` bits make enough different results. */
static bool is_lively(struct rng rng, const struct gen_layer *layer, int bits) {
    enum { SAMPLES = 32, WANTED = 8 };
    int wanted = bits < 4 ? 1 << bits : WANTED;
    bool seen[256] = {false};
    int count = 0;
    for (int i = 0; i < SAMPLES; i++) {
        int64_t value = rng_range(&rng, -((int64_t)1 << bits), ((int64_t)1 << bits) - 1);
        value = stage_value(&layer->bn, stage_value(&layer->bs, value, &rng), &rng);
        value = fixed_round_shift((value - layer->offset) * layer->scale, (unsigned)layer->shift);
        value = fixed_saturate(value, 8) & 0xff;
        count += !seen[value];
        seen[value] = true;
    }
    return count >= wanted;
}

void gen_sdp_draw(struct rng *rng, struct gen_layer *layer, int bits) {
    enum { TRIES = 40 };
    layer->sdp = 1;
    bool wild = rng_chance(rng, 12);
    for (int i = 0; i < TRIES; i++) {
        int behind = draw_stage(rng, &layer->bs, bits);
        draw_convertor(rng, layer, draw_stage(rng, &layer->bn, behind));
        if (wild || is_lively(*rng, layer, bits))
            return;
    }
}
