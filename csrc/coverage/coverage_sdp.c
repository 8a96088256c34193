/* SDP, its table, and SDP_RDMA. */
#include "coverage/coverage_engines.h"

/* ---- SDP ------------------------------------------------------------------------------------- */

/* Shared by the BS, BN and EW stages. */
enum {
    STAGE,
    STAGE_ALU,
    STAGE_ALU_OPERAND,
    STAGE_MUL,
    STAGE_MUL_OPERAND,
    STAGE_SHIFT,
    STAGE_LAST, /* ReLU; in EW the LUT */
    STAGE_ASPECTS
};

/* The convertor of an EW operand from memory. */
enum { CVT, CVT_OFFSET, CVT_SCALE, CVT_TRUNCATE, CVT_ASPECTS };

enum { TO_MEMORY, TO_PDP, COMPARED }; /* values of SDP_DESTINATION */

/* Conversions of SDP_CONVERSION, by precision IN, PROC and OUT (chapter 50 section 7). */
#define CONVERSIONS                                                                                                    \
    "int8>int8>int8 int8>int8>int16@int16 int16>int8>int8@int16 int16>int8>int16@int16 int16>int16>int16@int16 "       \
    "int16>int16>fp16@fp16 fp16>fp16>fp16@fp16 fp16>fp16>int16@fp16"
static const int conversions[][3] = {
    {NVDLA_INT8, NVDLA_INT8, NVDLA_INT8},    {NVDLA_INT8, NVDLA_INT8, NVDLA_INT16},
    {NVDLA_INT16, NVDLA_INT8, NVDLA_INT8},   {NVDLA_INT16, NVDLA_INT8, NVDLA_INT16},
    {NVDLA_INT16, NVDLA_INT16, NVDLA_INT16}, {NVDLA_INT16, NVDLA_INT16, NVDLA_FP16},
    {NVDLA_FP16, NVDLA_FP16, NVDLA_FP16},    {NVDLA_FP16, NVDLA_FP16, NVDLA_INT16},
};

/* EW_TRUNCATE has ten bits. */
#define EW_SHIFT "0 1..15 16..63 64.."

/* clang-format off */
#define STAGE_TABLE(first, prefix)                                                                                     \
    [(first) + STAGE] = ASPECT(prefix, "bypass active"),                                                               \
    [(first) + STAGE_ALU] = ASPECT(prefix "_alu", "off max min sum"),                                                  \
    [(first) + STAGE_ALU_OPERAND] = ASPECT(prefix "_alu_operand", "register memory"),                                  \
    [(first) + STAGE_MUL] = ASPECT(prefix "_mul", "off on prelu"),                                                     \
    [(first) + STAGE_MUL_OPERAND] = ASPECT(prefix "_mul_operand", "register memory"),                                  \
    [(first) + STAGE_SHIFT] = ASPECT(prefix "_mul_shift", SHIFT),                                                      \
    [(first) + STAGE_LAST] = ASPECT(prefix "_relu", OFF_ON)

#define CVT_TABLE(first, prefix)                                                                                       \
    [(first) + CVT] = ASPECT_IF(prefix "_convertor", OFF_ON, COVERAGE_NEEDS_EW),                                       \
    [(first) + CVT_OFFSET] = ASPECT_IF(prefix "_convertor_offset", SIGN, COVERAGE_NEEDS_EW),                           \
    [(first) + CVT_SCALE] = ASPECT_IF(prefix "_convertor_scale", SCALE, COVERAGE_NEEDS_EW),                            \
    [(first) + CVT_TRUNCATE] = ASPECT_IF(prefix "_convertor_truncate", SHIFT, COVERAGE_NEEDS_EW)
/* clang-format on */

/* clang-format off */
#define SDP_ASPECTS(A) \
    A(SDP_GROUP, ASPECT("group", GROUP)) \
    A(SDP_SOURCE, ASPECT("source", "memory conv")) \
    A(SDP_MODE, ASPECT("mode", "plain winograd@winograd batch@batch")) \
    A(SDP_DESTINATION, ASPECT("destination", "memory pdp compare@ew")) \
    A(SDP_PRECISION, ASPECT("precision", PRECISION)) \
    A(SDP_CONVERSION, ASPECT("conversion", CONVERSIONS)) \
    /* with conversion between INT8 and INT16: whether the last 32 channels use both of their 16-bit surfaces */ \
    A(SDP_HALVES, ASPECT_IF("halves", "lower both", COVERAGE_NEEDS_INT16)) \
    A(SDP_WIDTH, ASPECT("width", SIZE)) \
    A(SDP_HEIGHT, ASPECT("height", SIZE)) \
    A(SDP_CHANNELS, ASPECT("channels", BLOCK)) \
    A(SDP_LAST_CHANNELS, ASPECT("last_channels", LAST_32("a16", "a32"))) \
    A(SDP_LINES, ASPECT("lines", PACKING)) \
    A(SDP_SURFACES, ASPECT("surfaces", PACKING)) \
    A(SDP_OPERANDS, ASPECT("operands", "registers per_kernel per_element")) \
    A(SDP_NAN, ASPECT_IF("nan_to_zero", OFF_ON, COVERAGE_NEEDS_FP16)) \
    A(SDP_OFFSET, ASPECT("offset", SIGN)) \
    A(SDP_SCALE, ASPECT("scale", SCALE)) \
    A(SDP_SHIFT, ASPECT("shift", SHIFT)) \
    A(SDP_SOURCE_MEMORY, ASPECT("source_memory", MEMORY)) \
    A(SDP_MEMORY, ASPECT("memory", MEMORY)) \
    A(SDP_COUNTERS, ASPECT("counters", OFF_ON)) \
    A(SDP_BS_ALU_SHIFT, ASPECT("bs_alu_shift", SHIFT)) \
    A(SDP_BN_ALU_SHIFT, ASPECT("bn_alu_shift", SHIFT))
/* clang-format on */

enum {
    SDP_ASPECTS(ASPECT_INDEX) SDP_BS_STAGE,
    SDP_BN_STAGE = SDP_BS_STAGE + STAGE_ASPECTS,
    SDP_EW_STAGE = SDP_BN_STAGE + STAGE_ASPECTS,
    SDP_EW_ALU_CVT = SDP_EW_STAGE + STAGE_ASPECTS,
    SDP_EW_MUL_CVT = SDP_EW_ALU_CVT + CVT_ASPECTS,
};

static const struct coverage_aspect sdp_aspects[] = {
    STAGE_TABLE(SDP_BS_STAGE, "bs"),
    STAGE_TABLE(SDP_BN_STAGE, "bn"),
    [SDP_EW_STAGE + STAGE] = ASPECT("ew", "bypass active@ew"),
    [SDP_EW_STAGE + STAGE_ALU] = ASPECT_IF("ew_alu", "off max min sum equal", COVERAGE_NEEDS_EW),
    [SDP_EW_STAGE + STAGE_ALU_OPERAND] = ASPECT_IF("ew_alu_operand", "register memory", COVERAGE_NEEDS_EW),
    [SDP_EW_STAGE + STAGE_MUL] = ASPECT_IF("ew_mul", "off on prelu", COVERAGE_NEEDS_EW),
    [SDP_EW_STAGE + STAGE_MUL_OPERAND] = ASPECT_IF("ew_mul_operand", "register memory", COVERAGE_NEEDS_EW),
    [SDP_EW_STAGE + STAGE_SHIFT] = ASPECT_IF("ew_mul_shift", EW_SHIFT, COVERAGE_NEEDS_EW),
    [SDP_EW_STAGE + STAGE_LAST] = ASPECT_IF("ew_lut", OFF_ON, COVERAGE_NEEDS_LUT),
    CVT_TABLE(SDP_EW_ALU_CVT, "ew_alu"),
    CVT_TABLE(SDP_EW_MUL_CVT, "ew_mul"),
    SDP_ASPECTS(ASPECT_ROW)};

_Static_assert(COUNT(sdp_aspects) <= COVERAGE_ASPECTS_MAX, "a sample holds every aspect");

/* PReLU wants the ALU of its stage bypassed (chapter 50, illegal programming). */
static unsigned prelu_without_alu(const int *values) {
    return values[0] != 0 && values[1] == 2 ? COVERAGE_IMPOSSIBLE : 0;
}

/* Winograd and batches come from a convolution (chapter 50 sections 8.2 and 8.3). */
static unsigned mode_of_source(const int *values) {
    return values[0] == 0 && values[1] != 0 ? COVERAGE_IMPOSSIBLE : 0;
}

static unsigned mode_of_destination(const int *values) {
    return values[0] != TO_MEMORY && values[1] != 0 ? COVERAGE_IMPOSSIBLE : 0;
}

/* Convolutions deliver the precision of processing. There is no conversion on the way to PDP, and none with compare. */
static unsigned conversion_of_source(const int *values) {
    return values[0] == 1 && conversions[values[1]][0] != conversions[values[1]][1] ? COVERAGE_IMPOSSIBLE : 0;
}

static unsigned conversion_of_destination(const int *values) {
    const int *of = conversions[values[1]];
    const bool input = of[0] != of[1], output = of[1] != of[2];
    return (values[0] == TO_PDP && output) || (values[0] == COMPARED && (input || output)) ? COVERAGE_IMPOSSIBLE : 0;
}

/* Surfaces of 16 bits with INT8 processing. */
static unsigned halves_of_conversion(const int *values) {
    const int *of = conversions[values[0]];
    return of[1] == NVDLA_INT8 && (of[0] != NVDLA_INT8 || of[2] != NVDLA_INT8) ? 0 : COVERAGE_IMPOSSIBLE;
}

/* Compare mode has no table. */
static unsigned table_of_destination(const int *values) {
    return values[0] == COMPARED && values[1] == 1 ? COVERAGE_IMPOSSIBLE : 0;
}

static const struct coverage_cross sdp_crosses[] = {
    {CROSS(SDP_SOURCE, SDP_DESTINATION)},
    {CROSS(SDP_SOURCE, SDP_GROUP)},
    {CROSS(SDP_SOURCE, SDP_MODE), mode_of_source},
    {CROSS(SDP_SOURCE, SDP_CONVERSION), conversion_of_source},
    {CROSS(SDP_SOURCE, SDP_NAN)},
    {CROSS(SDP_SOURCE, SDP_BS_STAGE + STAGE, SDP_BN_STAGE + STAGE, SDP_EW_STAGE + STAGE)},
    {CROSS(SDP_DESTINATION, SDP_MODE), mode_of_destination},
    {CROSS(SDP_DESTINATION, SDP_CONVERSION), conversion_of_destination},
    {CROSS(SDP_DESTINATION, SDP_EW_STAGE + STAGE_LAST), table_of_destination},
    {CROSS(SDP_MODE, SDP_PRECISION)},
    {CROSS(SDP_MODE, SDP_OPERANDS)},
    {CROSS(SDP_MODE, SDP_EW_STAGE + STAGE)},
    {CROSS(SDP_CONVERSION, SDP_HALVES), halves_of_conversion},
    {CROSS(SDP_PRECISION, SDP_CHANNELS)},
    {CROSS(SDP_PRECISION, SDP_OPERANDS)},
    {CROSS(SDP_PRECISION, SDP_BS_STAGE + STAGE_ALU)},
    {CROSS(SDP_PRECISION, SDP_BS_STAGE + STAGE_MUL)},
    {CROSS(SDP_PRECISION, SDP_BN_STAGE + STAGE_ALU)},
    {CROSS(SDP_PRECISION, SDP_BN_STAGE + STAGE_MUL)},
    {CROSS(SDP_PRECISION, SDP_EW_STAGE + STAGE_ALU)},
    {CROSS(SDP_PRECISION, SDP_EW_STAGE + STAGE_MUL)},
    {CROSS(SDP_PRECISION, SDP_EW_STAGE + STAGE_LAST)},
    {CROSS(SDP_SOURCE_MEMORY, SDP_MEMORY)},
    {CROSS(SDP_WIDTH, SDP_HEIGHT)},
    {CROSS(SDP_WIDTH, SDP_CHANNELS)},
    {CROSS(SDP_BS_STAGE + STAGE_ALU, SDP_BS_STAGE + STAGE_MUL), prelu_without_alu},
    {CROSS(SDP_BN_STAGE + STAGE_ALU, SDP_BN_STAGE + STAGE_MUL), prelu_without_alu},
    {CROSS(SDP_EW_STAGE + STAGE_ALU, SDP_EW_STAGE + STAGE_MUL), prelu_without_alu},
    {CROSS(SDP_BS_STAGE + STAGE_ALU_OPERAND, SDP_BS_STAGE + STAGE_MUL_OPERAND)},
    {CROSS(SDP_BN_STAGE + STAGE_ALU_OPERAND, SDP_BN_STAGE + STAGE_MUL_OPERAND)},
    {CROSS(SDP_EW_STAGE + STAGE_ALU_OPERAND, SDP_EW_STAGE + STAGE_MUL_OPERAND)},
    {CROSS(SDP_EW_ALU_CVT + CVT, SDP_EW_MUL_CVT + CVT)},
    {CROSS(SDP_LINES, SDP_SURFACES)},
};

const struct coverage_engine coverage_sdp = {ENGINE("sdp", "layer", sdp)};

/* Registers of one stage; common fields are at the same places. */
struct stage {
    uint32_t cfg, alu, mul, shift;
};

/* ew: the stage is EW, which has one more ALU function and larger shifts. Shifts have no meaning in FP16. */
static void sort_stage(const struct stage *stage, bool ew, int precision, int *v) {
    const uint32_t algo = (stage->cfg & SDP_D_DP_BS_CFG__BS_ALU_ALGO_MASK) >> SDP_D_DP_BS_CFG__BS_ALU_ALGO_LSB;
    v[STAGE] = (stage->cfg & SDP_D_DP_BS_CFG__BS_BYPASS_MASK) == 0;
    if (!v[STAGE])
        return;
    v[STAGE_ALU] = 0;
    if ((stage->cfg & SDP_D_DP_BS_CFG__BS_ALU_BYPASS_MASK) == 0) {
        v[STAGE_ALU] = algo < 3 || ew ? (int)algo + 1 : -1;
        v[STAGE_ALU_OPERAND] = (stage->alu & SDP_D_DP_BS_ALU_CFG__BS_ALU_SRC_MASK) != 0;
    }
    v[STAGE_MUL] = 0;
    if ((stage->cfg & SDP_D_DP_BS_CFG__BS_MUL_BYPASS_MASK) == 0) {
        v[STAGE_MUL] = (stage->cfg & SDP_D_DP_BS_CFG__BS_MUL_PRELU_MASK) ? 2 : 1;
        v[STAGE_MUL_OPERAND] = (stage->mul & SDP_D_DP_BS_MUL_CFG__BS_MUL_SRC_MASK) != 0;
        if (precision != NVDLA_FP16)
            v[STAGE_SHIFT] = ew && stage->shift >= 64 ? 3 : shift_class(stage->shift);
    }
    v[STAGE_LAST] = (stage->cfg & SDP_D_DP_BS_CFG__BS_RELU_BYPASS_MASK) == 0;
}

/* The left shift of an operand of BS or BN; alu: D_DP_Bx_ALU_CFG. */
static int alu_shift(uint32_t alu, const int *stage, int precision) {
    if (stage[STAGE] != 1 || stage[STAGE_ALU] <= 0 || precision == NVDLA_FP16)
        return -1;
    return shift_class((alu & SDP_D_DP_BS_ALU_CFG__BS_ALU_SHIFT_VALUE_MASK) >>
                       SDP_D_DP_BS_ALU_CFG__BS_ALU_SHIFT_VALUE_LSB);
}

/* cfg: D_DP_EW_ALU_CFG or MUL_CFG. operand: value of the aspect that gives its source. */
static void sort_convertor(uint32_t cfg, uint32_t offset, uint32_t scale, uint32_t truncate, int operand, int *v) {
    if (operand != 1)
        return;
    v[CVT] = (cfg & SDP_D_DP_EW_ALU_CFG__EW_ALU_CVT_BYPASS_MASK) == 0;
    if (!v[CVT])
        return;
    v[CVT_OFFSET] = sign_class(offset, 32);
    v[CVT_SCALE] = scale_class(scale);
    v[CVT_TRUNCATE] = shift_class(truncate);
}

static void sort_stages(const struct registers_view *view, int *v) {
    const int precision = v[SDP_PRECISION];
    const struct stage bs = {.cfg = VALUE(view, SDP, D_DP_BS_CFG),
                             .alu = VALUE(view, SDP, D_DP_BS_ALU_CFG),
                             .mul = VALUE(view, SDP, D_DP_BS_MUL_CFG),
                             .shift = FIELD(view, SDP, D_DP_BS_MUL_CFG, BS_MUL_SHIFT_VALUE)};
    const struct stage bn = {.cfg = VALUE(view, SDP, D_DP_BN_CFG),
                             .alu = VALUE(view, SDP, D_DP_BN_ALU_CFG),
                             .mul = VALUE(view, SDP, D_DP_BN_MUL_CFG),
                             .shift = FIELD(view, SDP, D_DP_BN_MUL_CFG, BN_MUL_SHIFT_VALUE)};
    const struct stage ew = {.cfg = VALUE(view, SDP, D_DP_EW_CFG),
                             .alu = VALUE(view, SDP, D_DP_EW_ALU_CFG),
                             .mul = VALUE(view, SDP, D_DP_EW_MUL_CFG),
                             .shift = FIELD(view, SDP, D_DP_EW_TRUNCATE_VALUE, EW_TRUNCATE)};
    sort_stage(&bs, false, precision, &v[SDP_BS_STAGE]);
    sort_stage(&bn, false, precision, &v[SDP_BN_STAGE]);
    v[SDP_BS_ALU_SHIFT] = alu_shift(bs.alu, &v[SDP_BS_STAGE], precision);
    v[SDP_BN_ALU_SHIFT] = alu_shift(bn.alu, &v[SDP_BN_STAGE], precision);
    v[SDP_EW_STAGE + STAGE] = 0;
    if (!nvdla_has(view->config, FEATURE_EW))
        return;
    sort_stage(&ew, true, precision, &v[SDP_EW_STAGE]);
    if (precision == NVDLA_FP16)
        return;
    sort_convertor(ew.alu, VALUE(view, SDP, D_DP_EW_ALU_CVT_OFFSET_VALUE),
                   VALUE(view, SDP, D_DP_EW_ALU_CVT_SCALE_VALUE), VALUE(view, SDP, D_DP_EW_ALU_CVT_TRUNCATE_VALUE),
                   v[SDP_EW_STAGE + STAGE_ALU_OPERAND], &v[SDP_EW_ALU_CVT]);
    sort_convertor(ew.mul, VALUE(view, SDP, D_DP_EW_MUL_CVT_OFFSET_VALUE),
                   VALUE(view, SDP, D_DP_EW_MUL_CVT_SCALE_VALUE), VALUE(view, SDP, D_DP_EW_MUL_CVT_TRUNCATE_VALUE),
                   v[SDP_EW_STAGE + STAGE_MUL_OPERAND], &v[SDP_EW_MUL_CVT]);
}

/* Index into CONVERSIONS and, if it has 16-bit surfaces with INT8 processing, into the halves. */
static void sort_conversion(int in, int proc, int out, int channels, int *v) {
    for (size_t i = 0; i < COUNT(conversions); i++)
        if (conversions[i][0] == in && conversions[i][1] == proc && conversions[i][2] == out)
            v[SDP_CONVERSION] = (int)i;
    if (proc == NVDLA_INT8 && (in == NVDLA_INT16 || out == NVDLA_INT16))
        v[SDP_HALVES] = (channels - 1) % 32 >= 16;
}

/* rdma: NULL if unknown. */
static int operand_class(const struct sdp_rdma_cubes *rdma, const int *v) {
    static const int aspects[] = {SDP_BS_STAGE + STAGE_ALU_OPERAND, SDP_BS_STAGE + STAGE_MUL_OPERAND,
                                  SDP_BN_STAGE + STAGE_ALU_OPERAND, SDP_BN_STAGE + STAGE_MUL_OPERAND,
                                  SDP_EW_STAGE + STAGE_ALU_OPERAND, SDP_EW_STAGE + STAGE_MUL_OPERAND};
    bool memory = false, per_element = false;
    for (size_t i = 0; i < COUNT(aspects); i++)
        memory = memory || v[aspects[i]] == 1;
    if (!memory)
        return 0;
    if (!rdma)
        return -1;
    for (int i = 0; i < SDP_STAGES; i++)
        per_element = per_element || (rdma->operands[i].enabled && rdma->operands[i].per_element);
    return per_element ? 2 : 1;
}

static int mode_class(const struct sdp_shape *shape) {
    return shape->winograd ? 1 : shape->batches > 1 ? 2 : 0;
}

void sort_sdp(const struct registers_view *view, int group, int *v) {
    const struct nvdla_config *config = view->config;
    const struct sdp_cubes sdp = sdp_cubes(view);
    const struct sdp_rdma_cubes rdma = sdp_rdma_cubes(view);
    const bool has_rdma = view->units[NVDLA_SDP_RDMA].count > 0;
    const int proc = precision_class(config, FIELD(view, SDP, D_DATA_FORMAT, PROC_PRECISION));
    const int out = precision_class(config, FIELD(view, SDP, D_DATA_FORMAT, OUT_PRECISION));
    const int channels = sdp.shape.channels;
    v[SDP_GROUP] = group;
    v[SDP_SOURCE] = sdp.shape.flying;
    v[SDP_MODE] = mode_class(&sdp.shape);
    v[SDP_PRECISION] = proc;
    sort_stages(view, v);
    const bool compared = v[SDP_EW_STAGE + STAGE_ALU] == 4;
    v[SDP_DESTINATION] = sdp.to_pdp ? TO_PDP : compared ? COMPARED : TO_MEMORY;
    v[SDP_WIDTH] = size_class(sdp.shape.width);
    v[SDP_HEIGHT] = size_class(sdp.shape.height);
    v[SDP_CHANNELS] = block_class(channels, atom_elements(config, proc));
    v[SDP_LAST_CHANNELS] = last_class(channels, atom_elements(config, proc));
    v[SDP_OPERANDS] = operand_class(has_rdma ? &rdma : NULL, v);
    if (!sdp.to_pdp && !sdp.compare) {
        sort_cube(&sdp.destination.cube, &v[SDP_LINES], &v[SDP_SURFACES]);
        v[SDP_MEMORY] = memory_class(config, sdp.destination.primary);
    }
    if (v[SDP_SOURCE] == 1) {
        sort_conversion(proc, proc, out, channels, v);
    } else if (has_rdma) {
        sort_conversion(precision_class(config, rdma.shape.in), proc, out, channels, v);
        v[SDP_SOURCE_MEMORY] = memory_class(config, rdma.source.primary);
    }
    if (proc == NVDLA_FP16) {
        v[SDP_NAN] = (int)FIELD(view, SDP, D_FEATURE_MODE_CFG, NAN_TO_ZERO);
    } else if (!compared) {
        v[SDP_OFFSET] = sign_class(VALUE(view, SDP, D_CVT_OFFSET), 32);
        v[SDP_SCALE] = scale_class(FIELD(view, SDP, D_CVT_SCALE, CVT_SCALE));
        v[SDP_SHIFT] = shift_class(FIELD(view, SDP, D_CVT_SHIFT, CVT_SHIFT));
    }
    v[SDP_COUNTERS] = VALUE(view, SDP, D_PERF_ENABLE) != 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

enum { TABLE_PRECISION, TABLE_SOURCE, TABLE };

#define TABLE_ROW(index, ...) [TABLE + (index)] = __VA_ARGS__,
static const struct coverage_aspect sdp_lut_aspects[] = {[TABLE_PRECISION] = ASPECT("precision", PRECISION),
                                                         [TABLE_SOURCE] = ASPECT("source", "memory conv"),
                                                         FOR_LUT_ASPECTS(TABLE_ROW)};

static const struct coverage_cross sdp_lut_crosses[] = {
    {CROSS(TABLE_SOURCE, TABLE_PRECISION)},
    LUT_CROSSES(TABLE, TABLE_PRECISION),
};

const struct coverage_engine coverage_sdp_lut = {ENGINE("sdp_lut", "layer", sdp_lut), .needs = COVERAGE_NEEDS_LUT};

bool sort_sdp_lut(const struct registers_view *view, int *v) {
    if (!nvdla_has(view->config, FEATURE_SDP_LUT) || FIELD(view, SDP, D_DP_EW_CFG, EW_BYPASS) ||
        FIELD(view, SDP, D_DP_EW_CFG, EW_LUT_BYPASS))
        return false;
    const struct lut_settings lut = lut_of(view, NVDLA_SDP);
    v[TABLE_PRECISION] = precision_class(view->config, FIELD(view, SDP, D_DATA_FORMAT, PROC_PRECISION));
    v[TABLE_SOURCE] = (int)FIELD(view, SDP, D_FEATURE_MODE_CFG, FLYING_MODE);
    sort_lut(&lut, v[TABLE_PRECISION], &v[TABLE]);
    return true;
}

/* ---- SDP_RDMA -------------------------------------------------------------------------------- */

enum { OPERAND_USE, OPERAND_SIZE, OPERAND_MODE, OPERAND_MEMORY, OPERAND_ASPECTS };
enum {
    RDMA_GROUP,
    RDMA_INPUT,
    RDMA_MODE,
    RDMA_PRECISION,
    RDMA_LINES,
    RDMA_MEMORY,
    RDMA_COUNTERS,
    RDMA_BS,
    RDMA_BN = RDMA_BS + OPERAND_ASPECTS,
    RDMA_EW = RDMA_BN + OPERAND_ASPECTS
};

#define OPERAND_TABLE(first, prefix)                                                                                   \
    [(first) + OPERAND_USE] = ASPECT(prefix "_use", "none mul alu both"),                                              \
               [(first) + OPERAND_SIZE] = ASPECT(prefix "_size", "one_byte two_bytes"),                                \
               [(first) + OPERAND_MODE] = ASPECT(prefix "_mode", "per_kernel per_element"),                            \
               [(first) + OPERAND_MEMORY] = ASPECT(prefix "_memory", MEMORY)

static const struct coverage_aspect sdp_rdma_aspects[] = {
    [RDMA_GROUP] = ASPECT("group", GROUP),
    [RDMA_INPUT] = ASPECT("input", "cube none"),
    [RDMA_MODE] = ASPECT("mode", "plain winograd@winograd batch@batch"),
    [RDMA_PRECISION] = ASPECT("precision", PRECISION),
    [RDMA_LINES] = ASPECT("lines", PACKING),
    [RDMA_MEMORY] = ASPECT("memory", MEMORY),
    [RDMA_COUNTERS] = ASPECT("counters", OFF_ON),
    OPERAND_TABLE(RDMA_BS, "bs"),
    OPERAND_TABLE(RDMA_BN, "bn"),
    [RDMA_EW + OPERAND_USE] = ASPECT("ew_use", "none mul@ew alu@ew both@ew"),
    [RDMA_EW + OPERAND_SIZE] = ASPECT_IF("ew_size", "one_byte two_bytes", COVERAGE_NEEDS_EW),
    [RDMA_EW + OPERAND_MODE] = ASPECT_IF("ew_mode", "per_kernel per_element", COVERAGE_NEEDS_EW),
    [RDMA_EW + OPERAND_MEMORY] = ASPECT_IF("ew_memory", MEMORY, COVERAGE_NEEDS_EW),
};

static unsigned operand_used(const int *values) {
    return values[0] == 0 ? COVERAGE_IMPOSSIBLE : 0;
}

/* Processing of 16 bits takes operands of two bytes (chapter 50, illegal programming). */
static unsigned size_of_precision(const int *values) {
    return values[0] != NVDLA_INT8 && values[1] == 0 ? COVERAGE_IMPOSSIBLE : 0;
}

static const struct coverage_cross sdp_rdma_crosses[] = {
    {CROSS(RDMA_BS + OPERAND_USE, RDMA_BS + OPERAND_SIZE, RDMA_BS + OPERAND_MODE), operand_used},
    {CROSS(RDMA_BN + OPERAND_USE, RDMA_BN + OPERAND_SIZE, RDMA_BN + OPERAND_MODE), operand_used},
    {CROSS(RDMA_EW + OPERAND_USE, RDMA_EW + OPERAND_SIZE, RDMA_EW + OPERAND_MODE), operand_used},
    {CROSS(RDMA_PRECISION, RDMA_BS + OPERAND_SIZE), size_of_precision},
    {CROSS(RDMA_PRECISION, RDMA_BN + OPERAND_SIZE), size_of_precision},
    {CROSS(RDMA_PRECISION, RDMA_EW + OPERAND_SIZE), size_of_precision},
    {CROSS(RDMA_MODE, RDMA_BS + OPERAND_MODE)},
    {CROSS(RDMA_MODE, RDMA_BN + OPERAND_MODE)},
    {CROSS(RDMA_MODE, RDMA_EW + OPERAND_MODE)},
    {CROSS(RDMA_BS + OPERAND_USE, RDMA_BN + OPERAND_USE)},
    {CROSS(RDMA_BS + OPERAND_USE, RDMA_EW + OPERAND_USE)},
};

const struct coverage_engine coverage_sdp_rdma = {ENGINE("sdp_rdma", "layer", sdp_rdma)};

/* cfg: D_BRDMA_CFG, D_NRDMA_CFG or D_ERDMA_CFG, which have the same fields. */
static void sort_operand(const struct nvdla_config *config, const struct sdp_operands *operands, uint32_t cfg, int *v) {
    const uint32_t use = REGISTER_FIELD(cfg, SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_USE);
    v[OPERAND_USE] = !operands->enabled ? 0 : use < 3 ? (int)use + 1 : -1;
    if (!operands->enabled)
        return;
    v[OPERAND_SIZE] = operands->component_bytes == 2;
    v[OPERAND_MODE] = operands->per_element;
    v[OPERAND_MEMORY] = memory_class(config, operands->primary);
}

void sort_sdp_rdma(const struct registers_view *view, int group, int *v) {
    const struct nvdla_config *config = view->config;
    const struct sdp_rdma_cubes rdma = sdp_rdma_cubes(view);
    int surfaces;
    v[RDMA_GROUP] = group;
    v[RDMA_INPUT] = rdma.shape.flying;
    v[RDMA_MODE] = mode_class(&rdma.shape);
    v[RDMA_PRECISION] = precision_class(config, rdma.shape.proc);
    if (!v[RDMA_INPUT]) {
        v[RDMA_MEMORY] = memory_class(config, rdma.source.primary);
        sort_cube(&rdma.source.cube, &v[RDMA_LINES], &surfaces);
    }
    v[RDMA_COUNTERS] = (int)FIELD(view, SDP_RDMA, D_PERF_ENABLE, PERF_DMA_EN);
    sort_operand(config, &rdma.operands[SDP_BS], VALUE(view, SDP_RDMA, D_BRDMA_CFG), &v[RDMA_BS]);
    sort_operand(config, &rdma.operands[SDP_BN], VALUE(view, SDP_RDMA, D_NRDMA_CFG), &v[RDMA_BN]);
    sort_operand(config, &rdma.operands[SDP_EW], VALUE(view, SDP_RDMA, D_ERDMA_CFG), &v[RDMA_EW]);
}
