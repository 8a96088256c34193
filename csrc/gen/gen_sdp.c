/* SDP layers: from memory or after a convolution, to memory or to PDP. Spec: 50-sdp. */
#include "gen/engine.h"
#include "nvdla/fixed.h"
#include "nvdla/fp.h"
#include "nvdla_offsets.h"

/* ---- shape ----------------------------------------------------------------------------------- */

enum { ALGORITHM_MAX, ALGORITHM_MIN, ALGORITHM_SUM, ALGORITHM_EQUAL };

static const char *const stage_names[GEN_STAGES] = {"bs", "bn", "ew"};

const struct gen_stage *gen_stage_of(const struct gen_layer *layer, int stage) {
    return stage == GEN_BS ? &layer->bs : stage == GEN_BN ? &layer->bn : &layer->ew;
}

bool gen_compares(const struct gen_layer *layer) {
    return layer->sdp && layer->ew.on && layer->ew.alu && layer->ew.algorithm == ALGORITHM_EQUAL;
}

static bool alu_from_memory(const struct gen_stage *stage) {
    return stage->on && stage->alu && stage->alu_memory;
}

static bool mul_from_memory(const struct gen_stage *stage) {
    return stage->on && stage->mul && stage->mul_memory;
}

static bool operand_shape(const struct gen_case *gen, int index, int number, struct gen_shape *shapes,
                          struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    const struct gen_stage *stage = gen_stage_of(layer, number);
    struct gen_shape *shape = &shapes[index];
    int components = alu_from_memory(stage) + mul_from_memory(stage);
    shape->components[number] = components;
    if (components == 0)
        return true;
    if (layer->precision != NVDLA_INT8 && !stage->two_bytes)
        return error_set(err, "operands of one byte are for INT8");
    struct cube *cube = &shape->operand[number];
    bool single = shape->middle.width == 1 && shape->middle.height == 1;
    if (stage->source) {
        if (stage->source > index)
            return error_set(err, "operands from layer %d, which is not before it", (int)stage->source - 1);
        const struct gen_shape *source = &shapes[stage->source - 1];
        if (components != 1 || !stage->element || source->out_precision != (enum nvdla_precision)layer->precision ||
            stage->two_bytes != (layer->precision != NVDLA_INT8))
            return error_set(err, "operands from another layer are one for each element, of the same precision");
        if (!source->out_exists)
            return error_set(err, "operands from layer %d, which writes none", (int)stage->source - 1);
        *cube = source->out;
        cube->width = shape->middle.width;
        cube->height = shape->middle.height;
        cube->channels = shape->middle.channels;
        cube->min_surfaces = 0;
        cube->packed_1x1 = single;
        shape->operand_secondary[number] = source->out_secondary;
        return (cube->width <= source->out.width && cube->height <= source->out.height &&
                cube_surfaces(cube) <= cube_surfaces(&source->out)) ||
               error_set(err, "operands from layer %d, whose output is smaller", (int)stage->source - 1);
    }
    int atom = gen->config->mem_atom, bytes = components * (stage->two_bytes ? 2 : 1);
    int atoms = bytes / shape->middle.element_bytes; /* memory atoms of an operand atom */
    *cube = shape->middle;
    cube->element_bytes = bytes;
    cube->atom = atom * atoms;
    if (!stage->element)
        cube->width = cube->height = 1;
    cube->packed_1x1 = single || !stage->element;
    cube->line_stride = (uint32_t)(((int64_t)cube->width * atoms + stage->line) * atom);
    cube->surface_stride = (uint32_t)(cube->height * (int64_t)cube->line_stride + stage->surface * atom);
    shape->operand_secondary[number] = stage->space != 0;
    return true;
}

/* What EW cannot do, and what precision conversion excludes. Spec: 50-sdp sections 7 and 9. */
static bool stages_legal(const struct gen_case *gen, int index, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    bool converts = layer->in_convert || layer->out_convert,
         ordered = layer->conv == GEN_WINOGRAD || layer->batches > 1;
    if (layer->bs.on && !nvdla_has(gen->config, FEATURE_BS))
        return error_set(err, "configuration %s has no BS stage", gen->config->name);
    if (layer->bn.on && !nvdla_has(gen->config, FEATURE_BN))
        return error_set(err, "configuration %s has no BN stage", gen->config->name);
    if (layer->ew.on && !nvdla_has(gen->config, FEATURE_EW))
        return error_set(err, "configuration %s has no EW stage", gen->config->name);
    if (layer->ew.on && layer->ew.lut && !nvdla_has(gen->config, FEATURE_SDP_LUT))
        return error_set(err, "configuration %s has no table in SDP", gen->config->name);
    if (layer->in_convert && (layer->conv || layer->precision != NVDLA_INT8))
        return error_set(err, "in_convert: only from memory to INT8");
    if (layer->out_convert && (layer->pdp || ordered))
        return error_set(err, "out_convert: not with PDP, Winograd or batches");
    if (layer->pdp && ordered)
        return error_set(err, "PDP takes no Winograd layer and no batches");
    if (layer->in_place && converts)
        return error_set(err, "in_place: the output has another precision");
    if (gen_compares(layer) && (layer->ew.lut || converts || layer->pdp || ordered || layer->in_place))
        return error_set(err, "a layer that compares has no table, conversion, PDP, Winograd, batches or output");
    return !gen_uses_table(layer) || gen_lut_shape(gen, index, err);
}

bool gen_sdp_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    const struct nvdla_config *config = gen->config;
    struct gen_shape *shape = &shapes[index];
    if (!stages_legal(gen, index, err))
        return false;
    if (!layer->conv) {
        if (!gen_input_shape(gen, index, shapes, layer->h, err))
            return false;
        shape->middle = (struct cube){.width = (int)layer->w,
                                      .height = (int)layer->h,
                                      .channels = (int)layer->c,
                                      .atom = config->mem_atom,
                                      .element_bytes = nvdla_element_bytes((enum nvdla_precision)layer->precision)};
        shape->in.packed_1x1 = layer->w == 1 && layer->h == 1;
        gen_pack_strides(&shape->in);
    }
    for (int i = 0; i < GEN_STAGES; i++)
        if (!operand_shape(gen, index, i, shapes, err))
            return error_prefix(err, "%s: ", stage_names[i]);
    const struct cube *middle = &shape->middle;
    bool single = middle->width == 1 && middle->height == 1;
    if (!layer->pdp && !gen_compares(layer))
        gen_output_shape(gen, index, shapes, middle->width, middle->height, middle->channels, single);
    shape->units |= 1u << NVDLA_SDP;
    if (!layer->conv || shape->components[GEN_BS] || shape->components[GEN_BN] || shape->components[GEN_EW])
        shape->units |= 1u << NVDLA_SDP_RDMA;
    int64_t atoms = (int64_t)middle->width * middle->height * cube_surfaces(middle);
    int throughput = layer->ew.on ? config->sdp_ew_throughput : nvdla_sdp_lanes(config);
    int64_t words = cdiv(config->mem_atom / middle->element_bytes, throughput); /* clocks of an atom */
    int64_t cycles = atoms * words + (int64_t)middle->height * cube_surfaces(middle) * 4;
    shape->cycles = cycles + shape->cycles;
    return true;
}

/* ---- registers ------------------------------------------------------------------------------- */

/* The five registers of BS are at these offsets; those of BN follow in the same order. */
static void put_stage(struct gen_writer *regs, int number) {
    const struct gen_stage *stage = gen_stage_of(regs->layer, number);
    uint32_t base = number == 0 ? SDP_D_DP_BS_CFG : SDP_D_DP_BN_CFG;
    if (!stage->on) {
        gen_put(regs, base, 1 | gen_noise(regs, 0x7e));
        gen_put(regs, base + 4, gen_noise(regs, 0x3f00));
        gen_put(regs, base + 8, gen_noise(regs, 0xffff));
        gen_put(regs, base + 12, gen_noise(regs, 0xff00));
        gen_put(regs, base + 16, gen_noise(regs, 0xffff));
        return;
    }
    gen_put(regs, base,
            (stage->alu ? stage->algorithm << 2 : 2u | gen_noise(regs, 0xc)) | (stage->mul ? 0 : 0x10u) |
                (stage->prelu ? 0x20u : 0) | (stage->relu ? 0 : 0x40u));
    gen_put(regs, base + 4, alu_from_memory(stage) | stage->alu_shift << 8);
    gen_put(regs, base + 8, stage->alu && !stage->alu_memory ? stage->alu_operand & 0xffff : gen_noise(regs, 0xffff));
    /* only the low six bits of the shift count */
    gen_put(regs, base + 12, mul_from_memory(stage) | stage->mul_shift << 8 | gen_noise(regs, 0xc000));
    gen_put(regs, base + 16, stage->mul && !stage->mul_memory ? stage->mul_operand & 0xffff : gen_noise(regs, 0xffff));
}

static void put_convertor(struct gen_writer *regs, uint32_t base, bool used, int64_t offset, int64_t scale,
                          int64_t truncate) {
    gen_put(regs, base, used ? offset : gen_noise(regs, UINT32_MAX));
    gen_put(regs, base + 4, used ? scale & 0xffff : gen_noise(regs, UINT32_MAX));
    gen_put(regs, base + 8, used ? truncate : gen_noise(regs, UINT32_MAX));
}

/* EW's registers have a different order. */
static void put_ew(struct gen_writer *regs) {
    const struct gen_stage *ew = &regs->layer->ew;
    if (!ew->on) {
        gen_put(regs, SDP_D_DP_EW_CFG, 1 | gen_noise(regs, 0x7e));
        gen_put_noise(regs, SDP_D_DP_EW_ALU_CFG, SDP_D_DP_EW_TRUNCATE_VALUE);
        return;
    }
    bool alu_memory = alu_from_memory(ew), mul_memory = mul_from_memory(ew);
    /* the algorithm of a bypassed ALU does not matter: even 3 does not compare */
    gen_put(regs, SDP_D_DP_EW_CFG,
            (ew->alu ? ew->algorithm << 2 : 2u | gen_noise(regs, 0xc)) | (ew->mul ? 0 : 0x10u) |
                (ew->prelu ? 0x20u : 0) | (ew->lut ? 0 : 0x40u));
    gen_put(regs, SDP_D_DP_EW_ALU_CFG, alu_memory | (ew->alu_cvt ? 0 : 2u));
    gen_put(regs, SDP_D_DP_EW_ALU_SRC_VALUE, ew->alu && !alu_memory ? ew->alu_operand : gen_noise(regs, UINT32_MAX));
    put_convertor(regs, SDP_D_DP_EW_ALU_CVT_OFFSET_VALUE, alu_memory && ew->alu_cvt, ew->alu_cvt_offset,
                  ew->alu_cvt_scale, ew->alu_cvt_truncate);
    gen_put(regs, SDP_D_DP_EW_MUL_CFG, mul_memory | (ew->mul_cvt ? 0 : 2u));
    gen_put(regs, SDP_D_DP_EW_MUL_SRC_VALUE, ew->mul && !mul_memory ? ew->mul_operand : gen_noise(regs, UINT32_MAX));
    put_convertor(regs, SDP_D_DP_EW_MUL_CVT_OFFSET_VALUE, mul_memory && ew->mul_cvt, ew->mul_cvt_offset,
                  ew->mul_cvt_scale, ew->mul_cvt_truncate);
    gen_put(regs, SDP_D_DP_EW_TRUNCATE_VALUE, ew->mul ? ew->mul_shift : gen_noise(regs, 0x3ff));
}

/* BRDMA is at D_BRDMA_CFG; NRDMA and ERDMA follow in the same order. */
static void put_operand(struct gen_writer *regs, int number) {
    static const uint32_t bases[] = {SDP_RDMA_D_BRDMA_CFG, SDP_RDMA_D_NRDMA_CFG, SDP_RDMA_D_ERDMA_CFG};
    const struct gen_shape *shape = regs->shape;
    uint32_t base = bases[number];
    if (shape->components[number] == 0) {
        gen_put(regs, base, 1 | gen_noise(regs, 0x3e));
        gen_put_noise(regs, base + 4, base + 20);
        return;
    }
    const struct gen_stage *stage = gen_stage_of(regs->layer, number);
    int64_t use = shape->components[number] == 2 ? 2 : alu_from_memory(stage);
    int64_t primary = !shape->operand_secondary[number];
    gen_put(regs, base, use << 1 | stage->two_bytes << 3 | stage->element << 4 | primary << 5);
    gen_put_cube(regs, base + 4, &shape->operand[number]);
    gen_put_noise(regs, base + 20, base + 20);
}

static void put_rdma(struct gen_writer *regs) {
    const struct gen_layer *layer = regs->layer;
    const struct gen_shape *shape = regs->shape;
    gen_put_size(regs, SDP_RDMA_D_DATA_CUBE_WIDTH, shape->middle.width, shape->middle.height, shape->middle.channels);
    if (layer->conv)
        gen_put_noise(regs, SDP_RDMA_D_SRC_BASE_ADDR_LOW, SDP_RDMA_D_SRC_SURFACE_STRIDE);
    else
        gen_put_cube(regs, SDP_RDMA_D_SRC_BASE_ADDR_LOW, &shape->in);
    gen_put(regs, SDP_RDMA_D_SRC_DMA_CFG, shape->in_secondary ? 0 : 1);
    gen_put(regs, SDP_RDMA_D_FEATURE_MODE_CFG,
            (layer->conv ? 1u : 0) | (layer->conv == GEN_WINOGRAD ? 2u : 0) | (uint32_t)gen_in_precision(layer) << 2 |
                layer->precision << 4 | (uint32_t)gen_out_precision(layer) << 6 | (layer->batches - 1) << 8);
    gen_put(regs, SDP_RDMA_D_PERF_ENABLE, layer->perf & 3);
    for (int i = 0; i < GEN_STAGES; i++)
        put_operand(regs, i);
}

void gen_sdp_registers(struct gen_writer *regs) {
    const struct gen_layer *layer = regs->layer;
    const struct gen_shape *shape = regs->shape;
    static const struct cube none;
    bool writes = shape->out_exists && !layer->pdp;
    gen_engine(regs, NVDLA_SDP);
    gen_unit(regs, NVDLA_SDP_RDMA);
    if (shape->units >> NVDLA_SDP_RDMA & 1u)
        put_rdma(regs);
    gen_unit(regs, NVDLA_SDP);
    gen_put_size(regs, SDP_D_DATA_CUBE_WIDTH, shape->middle.width, shape->middle.height, shape->middle.channels);
    gen_put_cube(regs, SDP_D_DST_BASE_ADDR_LOW, writes ? &shape->out : &none);
    gen_put(regs, SDP_D_DST_DMA_CFG, writes && shape->out_secondary ? 0 : 1);
    gen_put(regs, SDP_D_DST_BATCH_STRIDE,
            layer->batches > 1 ? (uint32_t)shape->out_batch_stride : gen_noise(regs, UINT32_MAX));
    put_stage(regs, GEN_BS);
    put_stage(regs, GEN_BN);
    put_ew(regs);
    gen_put(regs, SDP_D_FEATURE_MODE_CFG,
            (layer->conv ? 1u : 0) | (layer->pdp ? 2u : 0) | (layer->conv == GEN_WINOGRAD ? 4u : 0) |
                layer->nan_to_zero << 3 | (layer->batches - 1) << 8);
    gen_put(regs, SDP_D_DATA_FORMAT, layer->precision | (uint32_t)gen_out_precision(layer) << 2);
    gen_put(regs, SDP_D_CVT_OFFSET, layer->offset);
    gen_put(regs, SDP_D_CVT_SCALE, layer->scale & 0xffff);
    gen_put(regs, SDP_D_CVT_SHIFT, layer->shift);
    gen_put(regs, SDP_D_PERF_ENABLE, layer->perf);
}

/* ---- drawing --------------------------------------------------------------------------------- */

void gen_sdp_draw_size(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, int64_t cycles) {
    int64_t atom = config->mem_atom, lanes = atom / nvdla_element_bytes((enum nvdla_precision)layer->precision);
    int64_t words = cdiv(lanes, nvdla_sdp_lanes(config));
    int64_t atoms = cycles / words < 2 ? 2 : cycles / words; /* of the cube */
    int64_t room = atoms < GEN_SIZE_LIMIT ? atoms : GEN_SIZE_LIMIT;
    layer->w = layer->h = 1;
    switch (rng_range(rng, 0, 9)) {
    case 0:
        layer->c = rng_size(rng, room * lanes < GEN_SIZE_LIMIT ? room * lanes : GEN_SIZE_LIMIT, lanes);
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
    layer->c = rng_size(rng, surfaces < 1 ? lanes : surfaces > 12 ? 12 * lanes : surfaces * lanes, lanes);
}

/* A random FP16 pattern for a register, like an element of memory, or one of FP32 (no infinity, 50-sdp "Illegal or
 * undefined programming"). */
static int64_t draw_fp16(struct rng *rng) {
    uint8_t bytes[2];
    gen_fill(bytes, 1, NVDLA_FP16, gen_draw_style(rng, NVDLA_FP16), rng);
    return (int16_t)(bytes[0] | bytes[1] << 8);
}

static int64_t draw_fp32(struct rng *rng) {
    if (rng_chance(rng, 70))
        return (int32_t)fp16_to_fp32((uint16_t)draw_fp16(rng));
    uint32_t any = (uint32_t)rng_next(rng);
    return (int32_t)((any & 0x7fffff) == 0 && (any >> 23 & 0xff) == 0xff ? any ^ 0x800000 : any);
}

/* A stage that does something to inputs of `bits` bits; returns the bits of its result. */
static int draw_stage(struct rng *rng, struct gen_stage *stage, int64_t precision, int bits) {
    bool wild = rng_chance(rng, 20); /* any shift, any operand */
    stage->on = rng_chance(rng, 65);
    stage->alu = rng_chance(rng, 65);
    stage->algorithm = rng_chance(rng, 60) ? 2 : rng_range(rng, 0, 3);
    stage->mul = rng_chance(rng, 65);
    stage->relu = rng_chance(rng, 35);
    stage->prelu = stage->mul && (!stage->alu || rng_chance(rng, 30)) && rng_chance(rng, 35);
    if (stage->prelu)
        stage->alu = 0;                   /* its operand: 50-sdp, illegal programming */
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
    if (precision != NVDLA_INT8) {
        stage->two_bytes = 1;
        stage->data = gen_draw_style(rng, precision);
    }
    if (precision == NVDLA_FP16) {
        stage->alu_operand = draw_fp16(rng);
        stage->mul_operand = draw_fp16(rng);
    }
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

static void draw_ew_convertor(struct rng *rng, int64_t *on, int64_t *offset, int64_t *scale, int64_t *truncate) {
    *on = rng_chance(rng, 60);
    if (rng_chance(rng, 20)) {
        *offset = rng_signed(rng, 32);
        *scale = rng_signed(rng, 16);
        *truncate = rng_range(rng, 0, 63);
    } else { /* factors of 1/4 to 4 */
        *truncate = rng_range(rng, 2, 13);
        *scale = rng_range(rng, ((int64_t)1 << *truncate) / 4, ((int64_t)4 << *truncate) - 1);
        *scale = *scale > INT16_MAX ? INT16_MAX : rng_chance(rng, 25) ? -*scale : *scale;
        *offset = rng_chance(rng, 40) ? 0 : rng_signed(rng, 16);
    }
}

/* EW: multiplies, adds, looks up. A few layers compare instead. Spec: 50-sdp sections 5.2 and 9. */
static int draw_ew(struct rng *rng, struct gen_layer *layer, int bits) {
    struct gen_stage *ew = &layer->ew;
    bool wild = rng_chance(rng, 20);
    ew->on = rng_chance(rng, 50);
    ew->alu = rng_chance(rng, 60);
    ew->algorithm = rng_chance(rng, 50) ? ALGORITHM_SUM : rng_range(rng, ALGORITHM_MAX, ALGORITHM_SUM);
    ew->mul = rng_chance(rng, 60);
    ew->prelu = ew->mul && rng_chance(rng, 30);
    ew->lut = rng_chance(rng, 45);
    int from = (int)rng_range(rng, 0, 9);
    ew->alu_memory = from > 2 && (from < 9 || rng_chance(rng, 50));
    ew->mul_memory = from > 2 && (from < 9 || !ew->alu_memory);
    ew->element = rng_chance(rng, 60);
    ew->two_bytes = layer->precision != NVDLA_INT8 || rng_chance(rng, 40);
    ew->data = gen_draw_style(rng, layer->precision);
    ew->line = gen_draw_slack(rng);
    ew->surface = gen_draw_slack(rng);
    ew->alu_operand = rng_signed(rng, wild ? 32 : bits < 8 ? 8 : bits > 31 ? 32 : bits + 1);
    ew->mul_operand = rng_signed(rng, wild ? 32 : 16);
    if (layer->precision == NVDLA_FP16) {
        ew->alu_operand = draw_fp32(rng);
        ew->mul_operand = draw_fp32(rng);
    }
    draw_ew_convertor(rng, &ew->alu_cvt, &ew->alu_cvt_offset, &ew->alu_cvt_scale, &ew->alu_cvt_truncate);
    draw_ew_convertor(rng, &ew->mul_cvt, &ew->mul_cvt_offset, &ew->mul_cvt_scale, &ew->mul_cvt_truncate);
    int mul_bits = ew->mul_memory ? gen_style_bits(ew->data, ew->two_bytes ? 15 : 7) : 15;
    ew->mul_shift = wild ? rng_range(rng, 0, rng_chance(rng, 50) ? 1023 : 70)
                         : rng_range(rng, mul_bits > 6 ? mul_bits - 6 : 0, mul_bits);
    if (!ew->on)
        return bits;
    if (ew->mul && ew->mul_shift < bits + mul_bits)
        bits += mul_bits - (int)ew->mul_shift;
    bits = bits < 8 ? 8 : bits > 31 ? 31 : bits;
    if (ew->lut) {
        gen_lut_draw(rng, layer, layer->precision == NVDLA_FP16 ? (int)rng_range(rng, 2, 12) : bits);
        bits = 16;
    } else if (!layer->in_convert && !layer->out_convert && rng_chance(rng, 30)) { /* compares, often equal data */
        ew->alu = 1;
        ew->algorithm = ALGORITHM_EQUAL;
        if (rng_chance(rng, 60)) { /* with a cube */
            ew->alu_memory = 1;
            ew->mul = ew->prelu = ew->alu_cvt = 0;
            ew->element = 1;
        }
        if (rng_chance(rng, 50))
            layer->in_data = ew->data = rng_range(rng, STYLE_ZEROS, STYLE_ONES);
    }
    return bits;
}

static void draw_convertor(struct rng *rng, struct gen_layer *layer, int bits) {
    int more = gen_out_precision(layer) == NVDLA_INT8 ? 0 : 8; /* bits of an output beyond eight */
    if (rng_chance(rng, 10)) {                                 /* anything */
        layer->offset = rng_signed(rng, 32);
        layer->scale = rng_signed(rng, 16);
        layer->shift = rng_range(rng, 0, 63);
    } else if (bits <= 9 + more && rng_chance(rng, 30)) { /* neutral */
        layer->offset = 0;
        layer->scale = 1;
        layer->shift = 0;
    } else { /* results cover about the bits of an output, at times clipped */
        int scale_bits = (int)rng_range(rng, 1, 15);
        layer->scale = rng_range(rng, (int64_t)1 << (scale_bits - 1), ((int64_t)1 << scale_bits) - 1);
        if (rng_chance(rng, 25))
            layer->scale = -layer->scale;
        int64_t shift = bits + scale_bits - rng_range(rng, 6, 11) - more;
        layer->shift = shift < 0 ? 0 : shift > 63 ? 63 : shift;
        layer->offset = rng_chance(rng, 40) ? 0 : rng_range(rng, -((int64_t)1 << (bits - 1)), (int64_t)1 << (bits - 1));
    }
}

/* A value through a stage, with operands from memory drawn. Spec: 50-sdp section 5.1. */
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

/* An operand of EW from memory. */
static int64_t ew_operand(const struct gen_stage *ew, struct rng *rng, int64_t convert, int64_t offset, int64_t scale,
                          int64_t truncate) {
    int bits = gen_style_bits(ew->data, ew->two_bytes ? 15 : 7);
    int64_t value = rng_range(rng, -((int64_t)1 << bits), ((int64_t)1 << bits) - 1);
    return convert ? fixed_saturate(fixed_round_shift((value - offset) * scale, (unsigned)truncate), 32) : value;
}

/* An integer through EW. Spec: 50-sdp section 5.2. */
static int64_t ew_value(const struct gen_layer *layer, const struct lut_settings *settings,
                        const struct lut_entries *entries, int64_t value, struct rng *rng) {
    const struct gen_stage *ew = &layer->ew;
    int64_t mul = ew->mul_memory
                      ? ew_operand(ew, rng, ew->mul_cvt, ew->mul_cvt_offset, ew->mul_cvt_scale, ew->mul_cvt_truncate)
                      : ew->mul_operand;
    int64_t alu = ew->alu_memory
                      ? ew_operand(ew, rng, ew->alu_cvt, ew->alu_cvt_offset, ew->alu_cvt_scale, ew->alu_cvt_truncate)
                      : ew->alu_operand;
    if (ew->mul && !(ew->prelu && value >= 0))
        value = fixed_saturate(fixed_round_shift(value * mul, (unsigned)ew->mul_shift), 32);
    if (ew->alu)
        value = ew->algorithm == ALGORITHM_MAX   ? (value > alu ? value : alu)
                : ew->algorithm == ALGORITHM_MIN ? (value < alu ? value : alu)
                                                 : fixed_saturate(value + alu, 32);
    return ew->lut ? lut_look_up(&lut_sdp, settings, entries, value).value : value;
}

/* True if inputs of `bits` bits give enough different results. */
static bool is_lively(struct rng rng, const struct gen_layer *layer, int bits) {
    enum { SAMPLES = 32, WANTED = 8 };
    int wanted = bits < 4 ? 1 << bits : WANTED;
    bool seen[256] = {false};
    int count = 0, out_bits = gen_out_precision(layer) == NVDLA_INT8 ? 8 : 16;
    struct lut_settings settings = gen_lut_settings(layer);
    struct lut_entries entries;
    if (layer->precision == NVDLA_FP16 || gen_compares(layer))
        return true;
    if (gen_uses_table(layer))
        gen_lut_entries(layer, &entries);
    for (int i = 0; i < SAMPLES; i++) {
        int64_t value = rng_range(&rng, -((int64_t)1 << bits), ((int64_t)1 << bits) - 1);
        value = stage_value(&layer->bn, stage_value(&layer->bs, value, &rng), &rng);
        if (layer->ew.on)
            value = ew_value(layer, &settings, &entries, value, &rng);
        value = fixed_round_shift((value - layer->offset) * layer->scale, (unsigned)layer->shift);
        value = fixed_saturate(value, out_bits) & 0xff;
        count += !seen[value];
        seen[value] = true;
    }
    return count >= wanted;
}

void gen_sdp_draw(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, int bits) {
    enum { TRIES = 40 };
    layer->sdp = 1;
    if (nvdla_has_16_bits(config)) {
        layer->in_convert = !layer->conv && layer->precision == NVDLA_INT8 && rng_chance(rng, 30);
        layer->out_convert = rng_chance(rng, 25);
        layer->in_convert = layer->in_convert && nvdla_has_precision(config, gen_in_precision(layer));
        layer->out_convert = layer->out_convert && nvdla_has_precision(config, gen_out_precision(layer));
        if (layer->in_convert)
            bits = gen_style_bits(layer->in_data, 15);
    }
    bool wild = rng_chance(rng, 12);
    for (int i = 0; i < TRIES; i++) {
        int behind = nvdla_has(config, FEATURE_BS) ? draw_stage(rng, &layer->bs, layer->precision, bits) : bits;
        behind = nvdla_has(config, FEATURE_BN) ? draw_stage(rng, &layer->bn, layer->precision, behind) : behind;
        if (nvdla_has(config, FEATURE_EW))
            behind = draw_ew(rng, layer, behind);
        draw_convertor(rng, layer, behind);
        if (wild || is_lively(*rng, layer, bits))
            return;
    }
}
