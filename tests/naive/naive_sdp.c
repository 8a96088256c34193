/* SDP as mathematics: every element through BS, BN, EW and the output convertor (chapter 50). */
#include "naive.h"
#include "naive_fp.h"
#include "naive_lut.h"

enum { BS, BN, EW, STAGES };
enum { ALU, MUL };
enum { MAX, MIN, SUM, EQUAL };

/* Operands of one stage as SDP_RDMA delivers them; memory NULL: the stage takes none from memory. */
struct operands {
    const struct memory *memory;
    int components, bytes; /* n and z of chapter 50 section 4 */
    bool per_element;
    uint64_t base, line_stride, surface_stride;
};

struct stage {
    bool bypass, alu_bypass, mul_bypass, prelu, relu_bypass, lut_bypass;
    int algorithm;
    bool alu_memory, mul_memory;
    uint32_t alu_register, mul_register; /* 16 bits, EW 32 */
    int alu_shift, mul_shift;            /* EW: mul_shift is EW_TRUNCATE */
    bool convert_bypass[2];              /* EW: by ALU, MUL */
    int64_t offset[2], scale[2];
    int truncate[2];
    struct operands operands;
};

struct sdp {
    int width, height, channels, surfaces, lanes, batches; /* lanes: E */
    bool flying, to_pdp, winograd, nan_to_zero, compare;
    enum nvdla_precision in, proc, out;
    struct stage stages[STAGES];
    struct naive_lut lut;
    bool lut_unsupported;
    int64_t cvt_offset, cvt_scale;
    int cvt_shift;
};

/* ---- registers ------------------------------------------------------------------------------- */

/* BS and BN have the same registers, BN's 0x14 behind (chapter 50 section 2.2). */
static struct stage read_x_stage(const struct naive *m, int which) {
    const uint32_t shift = which == BS ? 0 : SDP_D_DP_BN_CFG - SDP_D_DP_BS_CFG;
    const uint32_t cfg = naive_register(m, NVDLA_SDP, SDP_D_DP_BS_CFG + shift);
    const uint32_t alu = naive_register(m, NVDLA_SDP, SDP_D_DP_BS_ALU_CFG + shift);
    const uint32_t mul = naive_register(m, NVDLA_SDP, SDP_D_DP_BS_MUL_CFG + shift);
    return (struct stage){.bypass = cfg & 1,
                          .alu_bypass = cfg >> 1 & 1,
                          .algorithm = (int)(cfg >> 2 & 3),
                          .mul_bypass = cfg >> 4 & 1,
                          .prelu = cfg >> 5 & 1,
                          .relu_bypass = cfg >> 6 & 1,
                          .alu_memory = alu & 1,
                          .alu_shift = (int)(alu >> 8 & 63),
                          .mul_memory = mul & 1,
                          .mul_shift = (int)(mul >> 8 & 63),
                          .alu_register = naive_register(m, NVDLA_SDP, SDP_D_DP_BS_ALU_SRC_VALUE + shift) & 0xffff,
                          .mul_register = naive_register(m, NVDLA_SDP, SDP_D_DP_BS_MUL_SRC_VALUE + shift) & 0xffff};
}

static struct stage read_ew_stage(const struct naive *m) {
    const uint32_t cfg = naive_register(m, NVDLA_SDP, SDP_D_DP_EW_CFG);
    struct stage stage = {.bypass = cfg & 1,
                          .alu_bypass = cfg >> 1 & 1,
                          .algorithm = (int)(cfg >> 2 & 3),
                          .mul_bypass = cfg >> 4 & 1,
                          .prelu = cfg >> 5 & 1,
                          .lut_bypass = cfg >> 6 & 1,
                          .relu_bypass = true,
                          .alu_memory = NAIVE_FIELD(m, SDP, D_DP_EW_ALU_CFG, EW_ALU_SRC),
                          .mul_memory = NAIVE_FIELD(m, SDP, D_DP_EW_MUL_CFG, EW_MUL_SRC),
                          .alu_register = naive_register(m, NVDLA_SDP, SDP_D_DP_EW_ALU_SRC_VALUE),
                          .mul_register = naive_register(m, NVDLA_SDP, SDP_D_DP_EW_MUL_SRC_VALUE),
                          .mul_shift = NAIVE_FIELD(m, SDP, D_DP_EW_TRUNCATE_VALUE, EW_TRUNCATE)};
    stage.convert_bypass[ALU] = NAIVE_FIELD(m, SDP, D_DP_EW_ALU_CFG, EW_ALU_CVT_BYPASS);
    stage.convert_bypass[MUL] = NAIVE_FIELD(m, SDP, D_DP_EW_MUL_CFG, EW_MUL_CVT_BYPASS);
    stage.offset[ALU] = (int32_t)naive_register(m, NVDLA_SDP, SDP_D_DP_EW_ALU_CVT_OFFSET_VALUE);
    stage.offset[MUL] = (int32_t)naive_register(m, NVDLA_SDP, SDP_D_DP_EW_MUL_CVT_OFFSET_VALUE);
    stage.scale[ALU] = (int16_t)NAIVE_FIELD(m, SDP, D_DP_EW_ALU_CVT_SCALE_VALUE, EW_ALU_CVT_SCALE);
    stage.scale[MUL] = (int16_t)NAIVE_FIELD(m, SDP, D_DP_EW_MUL_CVT_SCALE_VALUE, EW_MUL_CVT_SCALE);
    stage.truncate[ALU] = NAIVE_FIELD(m, SDP, D_DP_EW_ALU_CVT_TRUNCATE_VALUE, EW_ALU_CVT_TRUNCATE);
    stage.truncate[MUL] = NAIVE_FIELD(m, SDP, D_DP_EW_MUL_CVT_TRUNCATE_VALUE, EW_MUL_CVT_TRUNCATE);
    return stage;
}

static bool takes(const struct stage *stage, int component) {
    return !stage->bypass &&
           (component == ALU ? !stage->alu_bypass && stage->alu_memory : !stage->mul_bypass && stage->mul_memory);
}

static void read_stages(const struct naive *m, struct stage stages[STAGES]) {
    stages[BS] = read_x_stage(m, BS);
    stages[BN] = read_x_stage(m, BN);
    stages[EW] = m->config->sdp_ew_throughput ? read_ew_stage(m) : (struct stage){.bypass = true};
}

bool naive_sdp_needs_rdma(const struct naive *m) {
    struct stage stages[STAGES];
    read_stages(m, stages);
    bool needed = !NAIVE_FIELD(m, SDP, D_FEATURE_MODE_CFG, FLYING_MODE);
    for (int i = BS; i <= EW; i++)
        needed |= takes(&stages[i], ALU) || takes(&stages[i], MUL);
    return needed;
}

/* The operand DMA of a stage; the three have the same registers 0x18 apart (chapter 50 section 2.3). */
static bool read_operands(struct naive *m, const struct sdp *sdp, int which, struct stage *stage) {
    static const char *const names[STAGES] = {"BRDMA", "NRDMA", "ERDMA"};
    const uint32_t shift = (uint32_t)which * (SDP_RDMA_D_NRDMA_CFG - SDP_RDMA_D_BRDMA_CFG);
    const bool alu = takes(stage, ALU), mul = takes(stage, MUL);
    const uint32_t cfg = naive_register(m, NVDLA_SDP_RDMA, SDP_RDMA_D_BRDMA_CFG + shift);
    const bool enabled = !(cfg & 1);
    const int use = (int)(cfg >> 1 & 3);
    if (which == EW && !m->config->sdp_ew_throughput)
        return true;
    if (!alu && !mul) {
        if (enabled)
            return naive_unsupported(m, "SDP: %s fetches operands that no stage takes", names[which]);
        return true;
    }
    if (!enabled || use != (alu && mul ? 2 : alu ? 1 : 0))
        return naive_unsupported(m, "SDP: %s enabled %d, DATA_USE %d; the stage takes ALU %d, MUL %d", names[which],
                                 enabled, use, alu, mul);
    struct operands *o = &stage->operands;
    o->memory = naive_memory(m, (int)(cfg >> 5 & 1));
    o->components = use == 2 ? 2 : 1;
    o->bytes = cfg >> 3 & 1 ? 2 : 1;
    o->per_element = cfg >> 4 & 1;
    o->base = naive_align(
        m, naive_address(m, NVDLA_SDP_RDMA, SDP_RDMA_D_BS_BASE_ADDR_LOW + shift, SDP_RDMA_D_BS_BASE_ADDR_HIGH + shift));
    o->line_stride = naive_align(m, naive_register(m, NVDLA_SDP_RDMA, SDP_RDMA_D_BS_LINE_STRIDE + shift));
    o->surface_stride = naive_align(m, naive_register(m, NVDLA_SDP_RDMA, SDP_RDMA_D_BS_SURFACE_STRIDE + shift));
    if (o->bytes == 1 && sdp->proc != NVDLA_INT8)
        return naive_unsupported(m, "SDP: operands of one byte in a 16-bit layer");
    if (sdp->batches > 1 && o->per_element) {
        const uint64_t odd = naive_register(m, NVDLA_SDP, SDP_D_DST_BASE_ADDR_LOW) |
                             naive_register(m, NVDLA_SDP, SDP_D_DST_LINE_STRIDE) |
                             naive_register(m, NVDLA_SDP, SDP_D_DST_SURFACE_STRIDE);
        if (odd % (2 * (uint64_t)m->config->mem_atom))
            return naive_unsupported(m, "SDP: operands per element in a batch layer that is not aligned to two atoms");
        if (sdp->width == 1 && sdp->height == 1 && sdp->surfaces > 1)
            return naive_unsupported(m, "SDP: operands per element in a 1x1 batch layer of several surfaces");
    }
    return o->memory != NULL;
}

static bool combination_works(const struct sdp *sdp) {
    if (sdp->out != sdp->proc && (sdp->to_pdp || sdp->compare || sdp->winograd || sdp->batches > 1))
        return false;
    if (!sdp->flying && sdp->in != sdp->proc &&
        ((sdp->in == NVDLA_INT8) || (sdp->proc == NVDLA_INT8 && sdp->in == NVDLA_FP16)))
        return false;
    switch (sdp->proc) {
    case NVDLA_INT8:
        return sdp->out == NVDLA_INT8 || sdp->out == NVDLA_INT16;
    case NVDLA_INT16:
    case NVDLA_FP16:
        return sdp->out == NVDLA_INT16 || sdp->out == NVDLA_FP16;
    }
    return false;
}

static bool read_layer(struct naive *m, struct sdp *sdp) {
    sdp->width = NAIVE_FIELD(m, SDP, D_DATA_CUBE_WIDTH, WIDTH) + 1;
    sdp->height = NAIVE_FIELD(m, SDP, D_DATA_CUBE_HEIGHT, HEIGHT) + 1;
    sdp->channels = NAIVE_FIELD(m, SDP, D_DATA_CUBE_CHANNEL, CHANNEL) + 1;
    sdp->flying = NAIVE_FIELD(m, SDP, D_FEATURE_MODE_CFG, FLYING_MODE);
    sdp->to_pdp = NAIVE_FIELD(m, SDP, D_FEATURE_MODE_CFG, OUTPUT_DST);
    sdp->cvt_offset = (int32_t)naive_register(m, NVDLA_SDP, SDP_D_CVT_OFFSET);
    sdp->cvt_scale = (int16_t)NAIVE_FIELD(m, SDP, D_CVT_SCALE, CVT_SCALE);
    sdp->cvt_shift = NAIVE_FIELD(m, SDP, D_CVT_SHIFT, CVT_SHIFT);
    sdp->batches = 1;
    if (naive_has_16(m)) {
        sdp->winograd = NAIVE_FIELD(m, SDP, D_FEATURE_MODE_CFG, WINOGRAD);
        sdp->batches = NAIVE_FIELD(m, SDP, D_FEATURE_MODE_CFG, BATCH_NUMBER) + 1;
        sdp->nan_to_zero = NAIVE_FIELD(m, SDP, D_FEATURE_MODE_CFG, NAN_TO_ZERO);
        sdp->proc = (enum nvdla_precision)NAIVE_FIELD(m, SDP, D_DATA_FORMAT, PROC_PRECISION);
        sdp->out = (enum nvdla_precision)NAIVE_FIELD(m, SDP, D_DATA_FORMAT, OUT_PRECISION);
        sdp->in = sdp->proc;
    }
    const uint32_t ew = naive_register(m, NVDLA_SDP, SDP_D_DP_EW_CFG);
    sdp->compare = !(ew & 1) && !(ew >> 1 & 1) && (ew >> 2 & 3) == EQUAL;
    read_stages(m, sdp->stages);
    sdp->lanes = m->config->mem_atom / naive_element_bytes(sdp->proc);
    sdp->surfaces = naive_divide_up(sdp->channels, sdp->lanes);
    if (naive_sdp_needs_rdma(m)) {
        if (naive_has_16(m) && !sdp->flying)
            sdp->in = (enum nvdla_precision)NAIVE_FIELD(m, SDP_RDMA, D_FEATURE_MODE_CFG, IN_PRECISION);
        const bool same =
            NAIVE_FIELD(m, SDP_RDMA, D_DATA_CUBE_WIDTH, WIDTH) + 1 == sdp->width &&
            NAIVE_FIELD(m, SDP_RDMA, D_DATA_CUBE_HEIGHT, HEIGHT) + 1 == sdp->height &&
            naive_divide_up(NAIVE_FIELD(m, SDP_RDMA, D_DATA_CUBE_CHANNEL, CHANNEL) + 1, sdp->lanes) == sdp->surfaces &&
            NAIVE_FIELD(m, SDP_RDMA, D_FEATURE_MODE_CFG, FLYING_MODE) == sdp->flying &&
            (!naive_has_16(m) || (NAIVE_FIELD(m, SDP_RDMA, D_FEATURE_MODE_CFG, WINOGRAD) == sdp->winograd &&
                                  NAIVE_FIELD(m, SDP_RDMA, D_FEATURE_MODE_CFG, PROC_PRECISION) == (int)sdp->proc &&
                                  NAIVE_FIELD(m, SDP_RDMA, D_FEATURE_MODE_CFG, BATCH_NUMBER) + 1 == sdp->batches));
        if (!same)
            return naive_unsupported(m, "SDP and SDP_RDMA are programmed differently");
        for (int i = BS; i <= EW; i++)
            if (!read_operands(m, sdp, i, &sdp->stages[i]))
                return false;
    }
    if (naive_has_16(m) && !combination_works(sdp))
        return naive_unsupported(m, "SDP: precisions %d, %d, %d", sdp->in, sdp->proc, sdp->out);
    if ((sdp->batches > 1 || sdp->winograd) &&
        (!sdp->flying || sdp->to_pdp || sdp->compare || (sdp->batches > 1 && sdp->winograd)))
        return naive_unsupported(m, "SDP: batch or Winograd in a mode without them");
    sdp->lut = naive_lut_sdp(m);
    return true;
}

/* ---- arithmetic ------------------------------------------------------------------------------------------------- */

/* The stage's operand for one element: 16-bit pattern, or an EW register's 32 bits. */
static uint32_t operand(const struct sdp *sdp, const struct stage *stage, int component, int s, int y, int x,
                        int lane) {
    if (component == ALU ? !stage->alu_memory : !stage->mul_memory)
        return component == ALU ? stage->alu_register : stage->mul_register;
    const struct operands *o = &stage->operands;
    const uint64_t atom = (uint64_t)(sdp->lanes * o->components * o->bytes);
    uint64_t address = o->base;
    if (o->per_element && !(sdp->width == 1 && sdp->height == 1))
        address += (uint64_t)s * o->surface_stride + (uint64_t)y * o->line_stride + (uint64_t)x * atom;
    else
        address += (uint64_t)s * atom;
    address += (uint64_t)((lane * o->components + (o->components == 2 ? component : 0)) * o->bytes);
    return (uint32_t)(uint16_t)naive_load(o->memory, address, o->bytes == 1 ? NVDLA_INT8 : NVDLA_INT16);
}

static int32_t x_stage_integer(const struct stage *stage, int32_t value, uint32_t alu, uint32_t mul) {
    wide d = value;
    if (!stage->alu_bypass) {
        const wide op = naive_saturate((wide)(int16_t)alu * ((wide)1 << stage->alu_shift), 32);
        d = stage->algorithm == MAX ? (d > op ? d : op) : stage->algorithm == MIN ? (d < op ? d : op) : d + op;
    }
    int32_t t;
    if (!stage->mul_bypass && stage->prelu && d >= 0)
        t = (int32_t)naive_sign_extend((uint64_t)d, 32);
    else
        t = (int32_t)naive_saturate(naive_round_shift(stage->mul_bypass ? d : d * (int16_t)mul, stage->mul_shift), 32);
    return !stage->relu_bypass && t < 0 ? 0 : t;
}

static uint32_t alu_fp32(int algorithm, uint32_t a, uint32_t b) {
    switch (algorithm) {
    case MAX:
        return naive_max32(a, b);
    case MIN:
        return naive_min32(a, b);
    case SUM:
        return naive_add(&naive_fp32, a, b);
    default:
        return a != b;
    }
}

static uint32_t operand_fp32(const struct sdp *sdp, uint32_t pattern) {
    return sdp->nan_to_zero && naive_fp16_is_nan(pattern) ? 0 : naive_from_fp16(&naive_fp32, pattern);
}

static uint32_t x_stage_fp16(const struct sdp *sdp, const struct stage *stage, uint32_t d, uint32_t alu, uint32_t mul) {
    if (!stage->alu_bypass)
        d = alu_fp32(stage->algorithm, d, operand_fp32(sdp, alu));
    if (!stage->mul_bypass && !(stage->prelu && !(d >> 31)))
        d = naive_mul(&naive_fp32, d, operand_fp32(sdp, mul));
    if (!stage->relu_bypass && d >> 31 && !naive_is_nan(&naive_fp32, d))
        d = 0;
    return d;
}

static int64_t ew_operand(const struct stage *stage, int component, uint32_t pattern) {
    if (component == ALU ? !stage->alu_memory : !stage->mul_memory)
        return (int32_t)pattern;
    if (stage->convert_bypass[component])
        return (int16_t)pattern;
    const wide product = ((wide)(int16_t)pattern - stage->offset[component]) * stage->scale[component];
    return (int64_t)naive_saturate(naive_round_shift(product, stage->truncate[component]), 32);
}

static int32_t ew_integer(struct sdp *sdp, const struct stage *stage, int32_t value, uint32_t alu, uint32_t mul) {
    wide d = value;
    if (!stage->mul_bypass && !(stage->prelu && d >= 0))
        d = naive_saturate(naive_round_shift(d * ew_operand(stage, MUL, mul), stage->mul_shift), 32);
    if (!stage->alu_bypass) {
        const wide op = ew_operand(stage, ALU, alu);
        d = stage->algorithm == MAX   ? (d > op ? d : op)
            : stage->algorithm == MIN ? (d < op ? d : op)
            : stage->algorithm == SUM ? naive_saturate(d + op, 32)
                                      : (wide)(d != op);
    }
    if (stage->lut_bypass)
        return (int32_t)d;
    const struct naive_lookup result = naive_look_up_sdp_integer(&sdp->lut, (int32_t)d);
    sdp->lut_unsupported |= result.unsupported;
    return (int32_t)result.value;
}

static uint32_t ew_fp16(const struct sdp *sdp, const struct stage *stage, uint32_t d, uint32_t alu, uint32_t mul) {
    if (!stage->mul_bypass && !(stage->prelu && !(d >> 31)))
        d = naive_mul(&naive_fp32, d, stage->mul_memory ? operand_fp32(sdp, mul) : mul);
    if (!stage->alu_bypass)
        d = alu_fp32(stage->algorithm, d, stage->alu_memory ? operand_fp32(sdp, alu) : alu);
    return stage->lut_bypass ? d : (uint32_t)naive_look_up_sdp_fp16(&sdp->lut, d).value;
}

/* True if the convertor flags the element (chapter 50 section 10); result is the output element. */
static bool saturates(const struct naive *m, const struct sdp *sdp, int32_t d, int32_t out) {
    if (sdp->out == NVDLA_FP16)
        return (out & 0x7fff) == 0x7bff;
    if (sdp->proc == NVDLA_FP16)
        return false;
    const wide product = ((wide)d - sdp->cvt_offset) * sdp->cvt_scale;
    const wide floor = product >> sdp->cvt_shift, rounded = naive_round_shift(product, sdp->cvt_shift);
    const wide t = naive_saturate(rounded, 17);
    if (naive_has_16(m))
        return floor - t > 1 || t - floor > 1;
    return !sdp->compare && (rounded != t || naive_saturate(floor, 17) != floor);
}

/* Output element: integer, or FP16 pattern. Chapter 50 sections 5.3 and 6.4. */
static int32_t output(const struct sdp *sdp, int32_t d) {
    if (sdp->proc == NVDLA_FP16) {
        const uint32_t h = naive_fp32_to_fp16((uint32_t)d);
        return sdp->out == NVDLA_FP16 ? (int32_t)h : naive_fp16_to_int16(h);
    }
    const wide product = ((wide)d - sdp->cvt_offset) * sdp->cvt_scale;
    const int32_t t = (int32_t)naive_saturate(naive_round_shift(product, sdp->cvt_shift), 17);
    switch (sdp->out) {
    case NVDLA_INT8:
        return (int32_t)naive_saturate(t, 8);
    case NVDLA_INT16:
        return (int32_t)naive_saturate(t, 16);
    case NVDLA_FP16:
        break;
    }
    return (int32_t)naive_int_to_fp16(t);
}

/* The value in front of the output convertor. */
static int32_t element(struct sdp *sdp, int32_t d, int s, int y, int x, int lane) {
    if (sdp->proc == NVDLA_FP16 && sdp->nan_to_zero && naive_is_nan(&naive_fp32, (uint32_t)d))
        d = 0;
    for (int i = BS; i <= EW; i++) {
        const struct stage *stage = &sdp->stages[i];
        if (stage->bypass)
            continue;
        const uint32_t alu = stage->alu_bypass ? 0 : operand(sdp, stage, ALU, s, y, x, lane);
        const uint32_t mul = stage->mul_bypass ? 0 : operand(sdp, stage, MUL, s, y, x, lane);
        if (sdp->proc == NVDLA_FP16)
            d = (int32_t)(i == EW ? ew_fp16(sdp, stage, (uint32_t)d, alu, mul)
                                  : x_stage_fp16(sdp, stage, (uint32_t)d, alu, mul));
        else
            d = i == EW ? ew_integer(sdp, stage, d, alu, mul) : x_stage_integer(stage, d, alu, mul);
    }
    return d;
}

/* ---- layer ----------------------------------------------------------------------------------- */

/* Chapter 50 section 3.2. */
static bool load_source(struct naive *m, const struct sdp *sdp, struct naive_stream *in) {
    const struct memory *mem = naive_memory(m, NAIVE_FIELD(m, SDP_RDMA, D_SRC_DMA_CFG, SRC_RAM_TYPE));
    if (!mem)
        return false;
    const int atom = m->config->mem_atom, bytes = naive_element_bytes(sdp->in), per_atom = atom / bytes;
    const uint64_t base =
        naive_align(m, naive_address(m, NVDLA_SDP_RDMA, SDP_RDMA_D_SRC_BASE_ADDR_LOW, SDP_RDMA_D_SRC_BASE_ADDR_HIGH));
    uint64_t line = naive_align(m, naive_register(m, NVDLA_SDP_RDMA, SDP_RDMA_D_SRC_LINE_STRIDE));
    uint64_t surface = naive_align(m, naive_register(m, NVDLA_SDP_RDMA, SDP_RDMA_D_SRC_SURFACE_STRIDE));
    if (sdp->width == 1 && sdp->height == 1)
        surface = (uint64_t)atom;
    const bool counts = sdp->in == NVDLA_FP16 && NAIVE_FIELD(m, SDP_RDMA, D_PERF_ENABLE, PERF_NAN_INF_COUNT_EN);
    if (counts)
        m->counters.sdp_nan_input = m->counters.sdp_inf_input = 0;
    size_t i = 0;
    for (int s = 0; s < sdp->surfaces; s++)
        for (int y = 0; y < sdp->height; y++)
            for (int x = 0; x < sdp->width; x++)
                for (int l = 0; l < sdp->lanes; l++) {
                    const int channel = s * sdp->lanes + l;
                    const uint64_t address = base + (uint64_t)(channel / per_atom) * surface + (uint64_t)y * line +
                                             (uint64_t)(x * atom + channel % per_atom * bytes);
                    const int32_t value = naive_load(mem, address, sdp->in);
                    m->counters.sdp_nan_input += counts && naive_fp16_is_nan((uint32_t)value);
                    m->counters.sdp_inf_input += counts && (value & 0x7fff) == 0x7c00;
                    in->values[i++] =
                        sdp->in == NVDLA_FP16 ? (int32_t)naive_from_fp16(&naive_fp32, (uint32_t)value) : value;
                }
    return true;
}

/* Chapter 50 section 8. */
static bool store(struct naive *m, const struct sdp *sdp, const struct naive_stream *out) {
    struct memory *mem = naive_memory(m, NAIVE_FIELD(m, SDP, D_DST_DMA_CFG, DST_RAM_TYPE));
    if (!mem)
        return false;
    const int atom = m->config->mem_atom, per_atom = atom / naive_element_bytes(sdp->out);
    const uint64_t base =
        naive_align(m, naive_address(m, NVDLA_SDP, SDP_D_DST_BASE_ADDR_LOW, SDP_D_DST_BASE_ADDR_HIGH));
    const uint64_t line = naive_align(m, naive_register(m, NVDLA_SDP, SDP_D_DST_LINE_STRIDE));
    const uint64_t batch = naive_register(m, NVDLA_SDP, SDP_D_DST_BATCH_STRIDE);
    uint64_t surface = naive_align(m, naive_register(m, NVDLA_SDP, SDP_D_DST_SURFACE_STRIDE));
    if (sdp->width == 1 && sdp->height == 1 && sdp->batches == 1)
        surface = (uint64_t)atom;
    uint8_t bytes[64];
    for (int s = 0; s < sdp->surfaces; s++)
        for (int y = 0; y < sdp->height; y++)
            for (int b = 0; b < sdp->batches; b++)
                for (int x = 0; x < sdp->width; x++) {
                    const int32_t *lanes =
                        &out->values[(((size_t)s * (size_t)sdp->batches + (size_t)b) * (size_t)out->positions +
                                      (size_t)(y * sdp->width + x)) *
                                     (size_t)out->lanes];
                    for (int first = 0; first < sdp->lanes; first += per_atom) {
                        for (int l = 0; l < per_atom; l++)
                            naive_put(bytes, l, sdp->out, lanes[first + l]);
                        const int t = (s * sdp->lanes + first) / per_atom;
                        naive_store(m, mem, NVDLA_SDP,
                                    base + (uint64_t)b * batch + (uint64_t)t * surface + (uint64_t)y * line +
                                        (uint64_t)(x * atom),
                                    bytes, (size_t)atom);
                    }
                }
    return true;
}

/* Chapter 50 section 10. */
static void set_status(struct naive *m, const struct sdp *sdp, size_t saturated, bool unequal, size_t nans) {
    if (NAIVE_FIELD(m, SDP, D_PERF_ENABLE, PERF_SAT_EN))
        m->counters.sdp_saturation = (uint32_t)saturated;
    naive_set_register(m, NVDLA_SDP, SDP_D_PERF_OUT_SATURATION, m->counters.sdp_saturation);
    naive_set_register(m, NVDLA_SDP, SDP_D_STATUS, unequal && !sdp->to_pdp);
    if (naive_has_16(m) && !sdp->to_pdp && !sdp->compare)
        naive_set_register(m, NVDLA_SDP, SDP_D_STATUS_NAN_OUTPUT_NUM, (uint32_t)nans);
}

bool naive_sdp(struct naive *m, const struct naive_stream *results, struct naive_stream *to_pdp) {
    struct sdp sdp = {0};
    if (!read_layer(m, &sdp))
        return false;
    struct naive_stream stream = {
        .surfaces = sdp.surfaces, .batches = sdp.batches, .positions = sdp.width * sdp.height, .lanes = sdp.lanes};
    if (results && (results->surfaces != stream.surfaces || results->batches != stream.batches ||
                    results->positions != stream.positions || results->lanes != stream.lanes))
        return naive_unsupported(
            m, "SDP takes %d surfaces, %d batches of %d positions, the convolution gives %d, %d, %d", stream.surfaces,
            stream.batches, stream.positions, results->surfaces, results->batches, results->positions);
    if (results && naive_has_16(m)) {
        const bool winograd = NAIVE_FIELD(m, CSC, D_MISC_CFG, CONV_MODE);
        if (winograd != sdp.winograd || NAIVE_FIELD(m, CSC, D_MISC_CFG, PROC_PRECISION) != (int)sdp.proc ||
            (winograd && NAIVE_FIELD(m, CSC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1 != sdp.width) ||
            (sdp.batches > 1 && NAIVE_FIELD(m, CSC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1 != sdp.width))
            return naive_unsupported(m, "SDP and the convolution are programmed differently");
        const uint32_t differ =
            (naive_register(m, NVDLA_SDP, SDP_D_DST_BASE_ADDR_LOW) ^
             naive_register(m, NVDLA_CACC, CACC_D_DATAOUT_ADDR)) |
            (naive_register(m, NVDLA_SDP, SDP_D_DST_LINE_STRIDE) ^ naive_register(m, NVDLA_CACC, CACC_D_LINE_STRIDE)) |
            (naive_register(m, NVDLA_SDP, SDP_D_DST_SURFACE_STRIDE) ^
             naive_register(m, NVDLA_CACC, CACC_D_SURF_STRIDE));
        if (sdp.batches > 1 && differ & 32)
            return naive_unsupported(m, "batch layer whose CACC and SDP addresses differ in bit 5");
    }
    const size_t count =
        (size_t)stream.surfaces * (size_t)stream.batches * (size_t)stream.positions * (size_t)stream.lanes;
    stream.values = xcalloc(count, sizeof(int32_t));
    bool done = true;
    if (results)
        memcpy(stream.values, results->values, count * sizeof(int32_t));
    else
        done = load_source(m, &sdp, &stream);
    size_t i = 0, saturated = 0, nans = 0;
    bool unequal = false;
    for (int s = 0; done && s < sdp.surfaces; s++)
        for (int b = 0; b < sdp.batches; b++)
            for (int y = 0; y < sdp.height; y++)
                for (int x = 0; x < sdp.width; x++)
                    for (int l = 0; l < sdp.lanes; l++, i++) {
                        const int32_t d = element(&sdp, stream.values[i], s, y, x, l);
                        stream.values[i] = output(&sdp, d);
                        saturated += saturates(m, &sdp, d, stream.values[i]);
                        unequal |=
                            ((uint32_t)(sdp.compare ? d : stream.values[i]) & (naive_has_16(m) ? 0xffff : 0xff)) != 0;
                        nans += sdp.out == NVDLA_FP16 && naive_fp16_is_nan((uint32_t)stream.values[i]);
                    }
    if (done && sdp.lut_unsupported)
        done = naive_unsupported(m, "SDP: LE_INDEX_SELECT above 31");
    if (done)
        set_status(m, &sdp, saturated, unequal, nans);
    if (done && sdp.to_pdp) {
        *to_pdp = stream;
        return true;
    }
    if (done && !sdp.compare)
        done = store(m, &sdp, &stream);
    free(stream.values);
    return done;
}
