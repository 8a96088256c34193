#include "report/coverage_bins.h"

#include "nvdla_offsets.h"

/* Field of a register of a launch; the names are those of nvdla_offsets.h. */
#define FIELD(launch, reg, field) ((launch_register(launch, reg) & reg##__##field##_MASK) >> reg##__##field##_LSB)
#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define CROSS(...) .aspects = {__VA_ARGS__}, .aspect_count = (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int))

unsigned coverage_features(const struct nvdla_config *config) {
    return (config->int16 ? COVERAGE_NEEDS_INT16 : 0u) | (config->fp16 ? COVERAGE_NEEDS_FP16 : 0u) |
           (config->weight_compression ? COVERAGE_NEEDS_COMPRESSION : 0u) |
           (config->winograd ? COVERAGE_NEEDS_WINOGRAD : 0u) | (config->batch_max > 1 ? COVERAGE_NEEDS_BATCH : 0u) |
           (config->sdp_ew_throughput ? COVERAGE_NEEDS_EW : 0u) |
           (config->sdp_ew_throughput && config->sdp_lut ? COVERAGE_NEEDS_LUT : 0u) |
           (config->secondary_memory ? COVERAGE_NEEDS_SECONDARY : 0u) |
           (config->atomic_c >= 16 ? COVERAGE_NEEDS_WIDE : 0u);
}

/* ---- classes: the names of the values and the function that finds the index of one --------------------------------
 */

#define OFF_ON "off on"
#define GROUP "0 1"
#define PRECISION "int8 int16@int16 fp16@fp16"
#define MEMORY "primary secondary@secondary"
#define PACKING "packed gap"

#define SIGN "zero positive negative"
static int sign_class(uint32_t value, int bits) {
    value &= bits < 32 ? (1u << bits) - 1 : UINT32_MAX;
    return value == 0 ? 0 : value >> (bits - 1) ? 2 : 1;
}

#define SIZE "1 2..7 8 9..31 32.."
static int size_class(int n) {
    return n == 1 ? 0 : n < 8 ? 1 : n == 8 ? 2 : n < 32 ? 3 : 4;
}

/* Channels or kernels against the number that is processed or stored together. */
#define BLOCK "1 part whole multiple ragged"
static int block_class(int n, int block) {
    return n == 1 ? 0 : n < block ? 1 : n == block ? 2 : n % block == 0 ? 3 : 4;
}

#define SHIFT "0 1..15 16.."
static int shift_class(uint32_t shift) {
    return shift == 0 ? 0 : shift < 16 ? 1 : 2;
}

#define SCALE "one positive other_negative"
static int scale_class(uint32_t scale) {
    scale &= 0xffff;
    return scale == 1 ? 0 : scale >> 15 ? 2 : 1;
}

#define STEPS "1 2 3.."
static int step_class(int n) {
    return n == 1 ? 0 : n == 2 ? 1 : 2;
}

#define KERNEL "1 2 3 4..8 9.."
static int kernel_class(int n) {
    return n <= 3 ? n - 1 : n <= 8 ? 3 : 4;
}

static int precision_class(const struct nvdla_config *config, uint32_t code) {
    if (!config->int16 && !config->fp16)
        return 0;
    return code < 3 ? (int)code : -1;
}

/* Index into MEMORY of a RAM_TYPE field. */
static int memory_class(const struct nvdla_config *config, uint32_t ram_type) {
    return config->secondary_memory && ram_type == 0;
}

/* Elements of a memory atom. */
static int atom_elements(const struct nvdla_config *config, int precision) {
    return config->mem_atom / (precision > 0 ? 2 : 1);
}

/* Index into PACKING: whether units of `size` bytes follow each other without a gap, at this stride. A stride says
 * nothing where there is one unit. */
static int packing_class(uint32_t stride, int64_t size, int units) {
    return units == 1 ? -1 : (int64_t)stride != size;
}

/* ---- the whole trace ----------------------------------------------------------------------------------------------
 */

enum { TRACE_CONFIG = COVERAGE_TRACE_CONFIG, TRACE_ORDER, TRACE_LAYERS, TRACE_GROUPS, TRACE_LUT_WRITE, TRACE_LUT_READ };
static const struct coverage_aspect trace_aspects[] = {
    [TRACE_CONFIG] = {"config", NULL},
    [TRACE_ORDER] = {"order", "streams sequential"},
    [TRACE_LAYERS] = {"chains", "0..1 2..4 5.."},
    [TRACE_GROUPS] = {"groups", "one both"},
    [TRACE_LUT_WRITE] = {"cdp_lut_write", "none some"},
    [TRACE_LUT_READ] = {"cdp_lut_read", "none some"},
};

/* ---- chains -------------------------------------------------------------------------------------------------------
 */

enum { KIND_SDP, KIND_SDP_PDP, KIND_CONV_SDP, KIND_CONV_SDP_PDP, KIND_PDP, KIND_CDP };
enum { CHAIN_KIND, CHAIN_INPUT, CHAIN_AFTER };
static const struct coverage_aspect chain_aspects[] = {
    [CHAIN_KIND] = {"kind", "sdp sdp>pdp conv>sdp conv>sdp>pdp pdp cdp"},
    [CHAIN_INPUT] = {"conv_input", "feature image"},
    [CHAIN_AFTER] = {"after", "nothing same_kind other_kind"},
};

static unsigned input_of_conv(const int *values) {
    return values[0] == KIND_CONV_SDP || values[0] == KIND_CONV_SDP_PDP ? 0 : COVERAGE_IMPOSSIBLE;
}

static const struct coverage_cross chain_crosses[] = {
    {CROSS(CHAIN_KIND, CHAIN_INPUT), input_of_conv},
    {CROSS(CHAIN_KIND, CHAIN_AFTER)},
};

/* ---- convolution --------------------------------------------------------------------------------------------------
 */

enum {
    CONV_GROUP,
    CONV_INPUT,
    CONV_MODE,
    CONV_PRECISION,
    CONV_WIDTH,
    CONV_HEIGHT,
    CONV_CHANNELS,
    CONV_KERNELS,
    CONV_KERNEL_WIDTH,
    CONV_KERNEL_HEIGHT,
    CONV_STRIDE_X,
    CONV_STRIDE_Y,
    CONV_DILATION_X,
    CONV_DILATION_Y,
    CONV_PAD_LEFT,
    CONV_PAD_RIGHT,
    CONV_PAD_TOP,
    CONV_PAD_BOTTOM,
    CONV_PAD_VALUE,
    CONV_POSITIONS,
    CONV_BATCH,
    CONV_DATA_REUSE,
    CONV_DATA_RELEASE,
    CONV_WEIGHT_REUSE,
    CONV_WEIGHT_RELEASE,
    CONV_BANKS,
    CONV_BUFFER,
    CONV_WEIGHTS,
    CONV_LINES,
    CONV_SURFACES,
    CONV_GRAIN,
    CONV_CONVERTOR,
    CONV_SCALE,
    CONV_SHIFT,
    CONV_MEAN,
    CONV_FORMAT,
    CONV_COMPONENTS,
    CONV_SIGN,
    CONV_X_OFFSET,
    CONV_Y_EXTENSION,
    CONV_TRUNCATE,
    CONV_MEMORY,
    CONV_WEIGHT_MEMORY,
    CONV_COUNTERS,
};

static const struct coverage_aspect conv_aspects[] = {
    [CONV_GROUP] = {"group", GROUP},
    [CONV_INPUT] = {"input", "feature image"},
    [CONV_MODE] = {"mode", "direct winograd@winograd"},
    [CONV_PRECISION] = {"precision", PRECISION},
    [CONV_WIDTH] = {"width", SIZE},
    [CONV_HEIGHT] = {"height", SIZE},
    [CONV_CHANNELS] = {"channels", BLOCK},
    [CONV_KERNELS] = {"kernels", BLOCK},
    [CONV_KERNEL_WIDTH] = {"kernel_width", KERNEL},
    [CONV_KERNEL_HEIGHT] = {"kernel_height", KERNEL},
    [CONV_STRIDE_X] = {"stride_x", STEPS},
    [CONV_STRIDE_Y] = {"stride_y", STEPS},
    [CONV_DILATION_X] = {"dilation_x", STEPS},
    [CONV_DILATION_Y] = {"dilation_y", STEPS},
    [CONV_PAD_LEFT] = {"pad_left", OFF_ON},
    [CONV_PAD_RIGHT] = {"pad_right", OFF_ON},
    [CONV_PAD_TOP] = {"pad_top", OFF_ON},
    [CONV_PAD_BOTTOM] = {"pad_bottom", OFF_ON},
    [CONV_PAD_VALUE] = {"pad_value", SIGN},
    [CONV_POSITIONS] = {"positions", "1 2..7 8..15 16 17..31 32.."},
    [CONV_BATCH] = {"batch", "1 2..@batch"},
    [CONV_DATA_REUSE] = {"data_reuse", OFF_ON},
    [CONV_DATA_RELEASE] = {"data_release", "all some none"},
    [CONV_WEIGHT_REUSE] = {"weight_reuse", OFF_ON},
    [CONV_WEIGHT_RELEASE] = {"weight_release", "all none"},
    [CONV_BANKS] = {"banks", "first same changed"},
    [CONV_BUFFER] = {"buffer", "part_used all_used"},
    [CONV_WEIGHTS] = {"weights", "plain compressed@compression"},
    [CONV_LINES] = {"lines", PACKING},
    [CONV_SURFACES] = {"surfaces", PACKING},
    [CONV_GRAIN] = {"grain", "1 2.."},
    [CONV_CONVERTOR] = {"convertor", OFF_ON},
    [CONV_SCALE] = {"scale", SCALE},
    [CONV_SHIFT] = {"shift", SHIFT},
    [CONV_MEAN] = {"mean", OFF_ON},
    [CONV_FORMAT] = {"format", "R8 A8B8G8R8 A8R8G8B8 B8G8R8A8 R8G8B8A8 X8B8G8R8 X8R8G8B8 B8G8R8X8 R8G8B8X8 A8Y8U8V8 "
                               "V8U8Y8A8 Y8___U8V8_N444 Y8___V8U8_N444 10_bits@int16 16_bits@int16 16_bits_float@fp16"},
    [CONV_COMPONENTS] = {"components", "1 3 4"},
    [CONV_SIGN] = {"pixels", "unsigned signed"},
    [CONV_X_OFFSET] = {"x_offset", "0 1.."},
    [CONV_Y_EXTENSION] = {"y_extension", "1 2 4"},
    [CONV_TRUNCATE] = {"truncate", SHIFT},
    [CONV_MEMORY] = {"memory", MEMORY},
    [CONV_WEIGHT_MEMORY] = {"weight_memory", MEMORY},
    [CONV_COUNTERS] = {"counters", OFF_ON},
};

/* Lines x components must fit into the channels that are processed together (chapter 40 section 3.2). */
static unsigned post_extension(const int *values) {
    static const int components[] = {1, 3, 4}, lines[] = {1, 2, 4};
    return components[values[0]] * lines[values[1]] > 8 ? COVERAGE_NEEDS_WIDE : 0;
}

static const struct coverage_cross conv_crosses[] = {
    {CROSS(CONV_INPUT, CONV_GROUP)},
    {CROSS(CONV_INPUT, CONV_STRIDE_X, CONV_STRIDE_Y)},
    {CROSS(CONV_INPUT, CONV_PAD_LEFT, CONV_PAD_RIGHT)},
    {CROSS(CONV_INPUT, CONV_PAD_TOP, CONV_PAD_BOTTOM)},
    {CROSS(CONV_INPUT, CONV_TRUNCATE)},
    {CROSS(CONV_INPUT, CONV_KERNELS)},
    {CROSS(CONV_KERNEL_WIDTH, CONV_KERNEL_HEIGHT)},
    {CROSS(CONV_CHANNELS, CONV_KERNELS)},
    {CROSS(CONV_STRIDE_X, CONV_DILATION_X)},
    {CROSS(CONV_STRIDE_Y, CONV_DILATION_Y)},
    {CROSS(CONV_DATA_REUSE, CONV_DATA_RELEASE)},
    {CROSS(CONV_WEIGHT_REUSE, CONV_WEIGHT_RELEASE)},
    {CROSS(CONV_DATA_REUSE, CONV_WEIGHT_REUSE)},
    {CROSS(CONV_INPUT, CONV_CONVERTOR)},
    {CROSS(CONV_FORMAT, CONV_X_OFFSET)},
    {CROSS(CONV_COMPONENTS, CONV_Y_EXTENSION), post_extension},
    {CROSS(CONV_COMPONENTS, CONV_MEAN)},
    {CROSS(CONV_COMPONENTS, CONV_STRIDE_X)},
    {CROSS(CONV_LINES, CONV_SURFACES)},
};

/* ---- SDP ----------------------------------------------------------------------------------------------------------
 */

/* The BS, BN and EW stages have the same aspects. */
enum {
    STAGE,
    STAGE_ALU,
    STAGE_ALU_OPERAND,
    STAGE_MUL,
    STAGE_MUL_OPERAND,
    STAGE_SHIFT,
    STAGE_LAST, /* ReLU, in EW the LUT */
    STAGE_ASPECTS
};
enum {
    SDP_GROUP,
    SDP_SOURCE,
    SDP_DESTINATION,
    SDP_PRECISION,
    SDP_OUT_PRECISION,
    SDP_WIDTH,
    SDP_HEIGHT,
    SDP_CHANNELS,
    SDP_BATCH,
    SDP_LINES,
    SDP_SURFACES,
    SDP_OFFSET,
    SDP_SCALE,
    SDP_SHIFT,
    SDP_MEMORY,
    SDP_COUNTERS,
    SDP_BS,
    SDP_BN = SDP_BS + STAGE_ASPECTS,
    SDP_EW = SDP_BN + STAGE_ASPECTS,
};

#define STAGE_TABLE(first, prefix)                                                                                     \
    [(first) + STAGE] = {prefix, "bypass active"}, [(first) + STAGE_ALU] = {prefix "_alu", "off max min sum"},         \
               [(first) + STAGE_ALU_OPERAND] = {prefix "_alu_operand", "register memory"},                             \
               [(first) + STAGE_MUL] = {prefix "_mul", "off on prelu"},                                                \
               [(first) + STAGE_MUL_OPERAND] = {prefix "_mul_operand", "register memory"},                             \
               [(first) + STAGE_SHIFT] = {prefix "_mul_shift", SHIFT},                                                 \
               [(first) + STAGE_LAST] = {prefix "_relu", OFF_ON}

static const struct coverage_aspect sdp_aspects[] = {
    [SDP_GROUP] = {"group", GROUP},
    [SDP_SOURCE] = {"source", "memory conv"},
    [SDP_DESTINATION] = {"destination", "memory pdp"},
    [SDP_PRECISION] = {"precision", PRECISION},
    [SDP_OUT_PRECISION] = {"out_precision", PRECISION},
    [SDP_WIDTH] = {"width", SIZE},
    [SDP_HEIGHT] = {"height", SIZE},
    [SDP_CHANNELS] = {"channels", BLOCK},
    [SDP_BATCH] = {"batch", "1 2..@batch"},
    [SDP_LINES] = {"lines", PACKING},
    [SDP_SURFACES] = {"surfaces", PACKING},
    [SDP_OFFSET] = {"offset", SIGN},
    [SDP_SCALE] = {"scale", SCALE},
    [SDP_SHIFT] = {"shift", SHIFT},
    [SDP_MEMORY] = {"memory", MEMORY},
    [SDP_COUNTERS] = {"counters", OFF_ON},
    STAGE_TABLE(SDP_BS, "bs"),
    STAGE_TABLE(SDP_BN, "bn"),
    [SDP_EW + STAGE] = {"ew", "bypass active@ew"},
    [SDP_EW + STAGE_ALU] = {"ew_alu", "off@ew max@ew min@ew sum@ew equal@ew"},
    [SDP_EW + STAGE_ALU_OPERAND] = {"ew_alu_operand", "register@ew memory@ew"},
    [SDP_EW + STAGE_MUL] = {"ew_mul", "off@ew on@ew prelu@ew"},
    [SDP_EW + STAGE_MUL_OPERAND] = {"ew_mul_operand", "register@ew memory@ew"},
    [SDP_EW + STAGE_SHIFT] = {"ew_mul_shift", "0@ew 1..15@ew 16..@ew"},
    [SDP_EW + STAGE_LAST] = {"ew_lut", "off@lut on@lut"},
};

/* PReLU wants the ALU of its stage bypassed (chapter 50, illegal programming). */
static unsigned prelu_without_alu(const int *values) {
    return values[0] != 0 && values[1] == 2 ? COVERAGE_IMPOSSIBLE : 0;
}

static const struct coverage_cross sdp_crosses[] = {
    {CROSS(SDP_SOURCE, SDP_DESTINATION)},
    {CROSS(SDP_SOURCE, SDP_GROUP)},
    {CROSS(SDP_SOURCE, SDP_BS + STAGE, SDP_BN + STAGE, SDP_EW + STAGE)},
    {CROSS(SDP_WIDTH, SDP_HEIGHT)},
    {CROSS(SDP_WIDTH, SDP_CHANNELS)},
    {CROSS(SDP_BS + STAGE_ALU, SDP_BS + STAGE_MUL), prelu_without_alu},
    {CROSS(SDP_BN + STAGE_ALU, SDP_BN + STAGE_MUL), prelu_without_alu},
    {CROSS(SDP_EW + STAGE_ALU, SDP_EW + STAGE_MUL), prelu_without_alu},
    {CROSS(SDP_BS + STAGE_ALU_OPERAND, SDP_BS + STAGE_MUL_OPERAND)},
    {CROSS(SDP_BN + STAGE_ALU_OPERAND, SDP_BN + STAGE_MUL_OPERAND)},
    {CROSS(SDP_EW + STAGE_ALU_OPERAND, SDP_EW + STAGE_MUL_OPERAND)},
    {CROSS(SDP_LINES, SDP_SURFACES)},
};

enum {
    RDMA_GROUP,
    RDMA_INPUT,
    RDMA_LINES,
    RDMA_MEMORY,
    RDMA_COUNTERS,
    RDMA_BS, /* use, size, mode of each operand */
    RDMA_BN = RDMA_BS + 3,
    RDMA_EW = RDMA_BN + 3
};
enum { OPERAND_USE, OPERAND_SIZE, OPERAND_MODE };

static const struct coverage_aspect sdp_rdma_aspects[] = {
    [RDMA_GROUP] = {"group", GROUP},
    [RDMA_INPUT] = {"input", "cube none"},
    [RDMA_LINES] = {"lines", PACKING},
    [RDMA_MEMORY] = {"memory", MEMORY},
    [RDMA_COUNTERS] = {"counters", OFF_ON},
    [RDMA_BS + OPERAND_USE] = {"bs_use", "none mul alu both"},
    [RDMA_BS + OPERAND_SIZE] = {"bs_size", "one_byte two_bytes"},
    [RDMA_BS + OPERAND_MODE] = {"bs_mode", "per_kernel per_element"},
    [RDMA_BN + OPERAND_USE] = {"bn_use", "none mul alu both"},
    [RDMA_BN + OPERAND_SIZE] = {"bn_size", "one_byte two_bytes"},
    [RDMA_BN + OPERAND_MODE] = {"bn_mode", "per_kernel per_element"},
    [RDMA_EW + OPERAND_USE] = {"ew_use", "none mul@ew alu@ew both@ew"},
    [RDMA_EW + OPERAND_SIZE] = {"ew_size", "one_byte@ew two_bytes@ew"},
    [RDMA_EW + OPERAND_MODE] = {"ew_mode", "per_kernel@ew per_element@ew"},
};

static unsigned operand_used(const int *values) {
    return values[0] == 0 ? COVERAGE_IMPOSSIBLE : 0;
}

static const struct coverage_cross sdp_rdma_crosses[] = {
    {CROSS(RDMA_BS + OPERAND_USE, RDMA_BS + OPERAND_SIZE, RDMA_BS + OPERAND_MODE), operand_used},
    {CROSS(RDMA_BN + OPERAND_USE, RDMA_BN + OPERAND_SIZE, RDMA_BN + OPERAND_MODE), operand_used},
    {CROSS(RDMA_EW + OPERAND_USE, RDMA_EW + OPERAND_SIZE, RDMA_EW + OPERAND_MODE), operand_used},
    {CROSS(RDMA_BS + OPERAND_USE, RDMA_BN + OPERAND_USE)},
};

/* ---- PDP ----------------------------------------------------------------------------------------------------------
 */

enum {
    PDP_GROUP,
    PDP_SOURCE,
    PDP_METHOD,
    PDP_PRECISION,
    PDP_WIDTH,
    PDP_HEIGHT,
    PDP_OUT_WIDTH,
    PDP_CHANNELS,
    PDP_KERNEL_WIDTH,
    PDP_KERNEL_HEIGHT,
    PDP_STEP_X,
    PDP_STEP_Y,
    PDP_PAD_LEFT,
    PDP_PAD_RIGHT,
    PDP_PAD_TOP,
    PDP_PAD_BOTTOM,
    PDP_PADDING,
    PDP_PAD_VALUE,
    PDP_STRIPS,
    PDP_LINES,
    PDP_SURFACES,
    PDP_MEMORY,
    PDP_COUNTERS,
};

#define POOL_KERNEL "1 2 3 4 5 6 7 8"
/* Windows against each other along one axis, by the stride. */
#define POOL_STEP "overlap touch apart"

static const struct coverage_aspect pdp_aspects[] = {
    [PDP_GROUP] = {"group", GROUP},
    [PDP_SOURCE] = {"source", "sdp memory"},
    [PDP_METHOD] = {"method", "average max min"},
    [PDP_PRECISION] = {"precision", PRECISION},
    [PDP_WIDTH] = {"width", SIZE},
    [PDP_HEIGHT] = {"height", SIZE},
    [PDP_OUT_WIDTH] = {"out_width", SIZE},
    [PDP_CHANNELS] = {"channels", BLOCK},
    [PDP_KERNEL_WIDTH] = {"kernel_width", POOL_KERNEL},
    [PDP_KERNEL_HEIGHT] = {"kernel_height", POOL_KERNEL},
    [PDP_STEP_X] = {"windows_x", POOL_STEP},
    [PDP_STEP_Y] = {"windows_y", POOL_STEP},
    [PDP_PAD_LEFT] = {"pad_left", OFF_ON},
    [PDP_PAD_RIGHT] = {"pad_right", OFF_ON},
    [PDP_PAD_TOP] = {"pad_top", OFF_ON},
    [PDP_PAD_BOTTOM] = {"pad_bottom", OFF_ON},
    [PDP_PADDING] = {"padding", "none horizontal vertical both"},
    [PDP_PAD_VALUE] = {"pad_value", SIGN},
    [PDP_STRIPS] = {"strips", STEPS},
    [PDP_LINES] = {"lines", PACKING},
    [PDP_SURFACES] = {"surfaces", PACKING},
    [PDP_MEMORY] = {"memory", MEMORY},
    [PDP_COUNTERS] = {"counters", OFF_ON},
};

static const struct coverage_cross pdp_crosses[] = {
    {CROSS(PDP_SOURCE, PDP_METHOD)},       {CROSS(PDP_SOURCE, PDP_GROUP)},
    {CROSS(PDP_METHOD, PDP_KERNEL_WIDTH)}, {CROSS(PDP_METHOD, PDP_KERNEL_HEIGHT)},
    {CROSS(PDP_METHOD, PDP_PADDING)},      {CROSS(PDP_METHOD, PDP_PAD_VALUE)},
    {CROSS(PDP_METHOD, PDP_STRIPS)},       {CROSS(PDP_STEP_X, PDP_STEP_Y)},
    {CROSS(PDP_STRIPS, PDP_STEP_X)},       {CROSS(PDP_STRIPS, PDP_PAD_LEFT, PDP_PAD_RIGHT)},
};

/* ---- CDP ----------------------------------------------------------------------------------------------------------
 */

enum {
    CDP_GROUP,
    CDP_PRECISION,
    CDP_LENGTH,
    CDP_SUM,
    CDP_MULTIPLY,
    CDP_WIDTH,
    CDP_HEIGHT,
    CDP_CHANNELS,
    CDP_IN_OFFSET,
    CDP_IN_SCALE,
    CDP_IN_SHIFT,
    CDP_OUT_OFFSET,
    CDP_OUT_SCALE,
    CDP_OUT_SHIFT,
    CDP_LE_FUNCTION,
    CDP_LE_OFFSET,
    CDP_LE_SELECT,
    CDP_LO_SELECT,
    CDP_BELOW_PRIORITY,
    CDP_ABOVE_PRIORITY,
    CDP_HYBRID_PRIORITY,
    CDP_LE_BELOW_SLOPE,
    CDP_LE_ABOVE_SLOPE,
    CDP_LO_BELOW_SLOPE,
    CDP_LO_ABOVE_SLOPE,
    CDP_LE_BELOW_SHIFT,
    CDP_LE_ABOVE_SHIFT,
    CDP_LO_BELOW_SHIFT,
    CDP_LO_ABOVE_SHIFT,
    CDP_PLACE,
    CDP_LINES,
    CDP_SURFACES,
    CDP_MEMORY,
    CDP_COUNTERS,
};

#define LUT_TABLE "LE LO"

static const struct coverage_aspect cdp_aspects[] = {
    [CDP_GROUP] = {"group", GROUP},
    [CDP_PRECISION] = {"precision", PRECISION},
    [CDP_LENGTH] = {"length", "3 5 7 9"},
    [CDP_SUM] = {"square_sum", OFF_ON},
    [CDP_MULTIPLY] = {"multiply", OFF_ON},
    [CDP_WIDTH] = {"width", SIZE},
    [CDP_HEIGHT] = {"height", SIZE},
    [CDP_CHANNELS] = {"channels", BLOCK},
    [CDP_IN_OFFSET] = {"in_offset", SIGN},
    [CDP_IN_SCALE] = {"in_scale", SCALE},
    [CDP_IN_SHIFT] = {"in_shift", SHIFT},
    [CDP_OUT_OFFSET] = {"out_offset", SIGN},
    [CDP_OUT_SCALE] = {"out_scale", SCALE},
    [CDP_OUT_SHIFT] = {"out_shift", SHIFT},
    [CDP_LE_FUNCTION] = {"le_function", "exponent linear"},
    [CDP_LE_OFFSET] = {"le_index_offset", SIGN},
    [CDP_LE_SELECT] = {"le_index_select", SIGN},
    [CDP_LO_SELECT] = {"lo_index_select", SIGN},
    [CDP_BELOW_PRIORITY] = {"underflow_priority", LUT_TABLE},
    [CDP_ABOVE_PRIORITY] = {"overflow_priority", LUT_TABLE},
    [CDP_HYBRID_PRIORITY] = {"hybrid_priority", LUT_TABLE},
    [CDP_LE_BELOW_SLOPE] = {"le_underflow_scale", SIGN},
    [CDP_LE_ABOVE_SLOPE] = {"le_overflow_scale", SIGN},
    [CDP_LO_BELOW_SLOPE] = {"lo_underflow_scale", SIGN},
    [CDP_LO_ABOVE_SLOPE] = {"lo_overflow_scale", SIGN},
    [CDP_LE_BELOW_SHIFT] = {"le_underflow_shift", SIGN},
    [CDP_LE_ABOVE_SHIFT] = {"le_overflow_shift", SIGN},
    [CDP_LO_BELOW_SHIFT] = {"lo_underflow_shift", SIGN},
    [CDP_LO_ABOVE_SHIFT] = {"lo_overflow_shift", SIGN},
    [CDP_PLACE] = {"destination", "elsewhere in_place"},
    [CDP_LINES] = {"lines", PACKING},
    [CDP_SURFACES] = {"surfaces", PACKING},
    [CDP_MEMORY] = {"memory", MEMORY},
    [CDP_COUNTERS] = {"counters", OFF_ON},
};

static const struct coverage_cross cdp_crosses[] = {
    {CROSS(CDP_LENGTH, CDP_SUM, CDP_MULTIPLY)},
    {CROSS(CDP_LENGTH, CDP_CHANNELS)},
    {CROSS(CDP_WIDTH, CDP_CHANNELS)},
    {CROSS(CDP_LE_FUNCTION, CDP_BELOW_PRIORITY)},
    {CROSS(CDP_LE_FUNCTION, CDP_ABOVE_PRIORITY)},
    {CROSS(CDP_LE_FUNCTION, CDP_HYBRID_PRIORITY)},
    {CROSS(CDP_LE_FUNCTION, CDP_SUM)},
};

/* -------------------------------------------------------------------------------------------------------------------
 */

#define ENGINE(title, stem)                                                                                            \
    {                                                                                                                  \
        .name = (title), .aspects = stem##_aspects, .aspect_count = COUNT(stem##_aspects), .crosses = stem##_crosses,  \
        .cross_count = COUNT(stem##_crosses)                                                                           \
    }

const struct coverage_engine coverage_engines[COVERAGE_ENGINES] = {
    [COVERAGE_TRACE] = {.name = "trace", .aspects = trace_aspects, .aspect_count = COUNT(trace_aspects)},
    [COVERAGE_CHAIN] = ENGINE("chain", chain),
    [COVERAGE_CONV] = ENGINE("conv", conv),
    [COVERAGE_SDP] = ENGINE("sdp", sdp),
    [COVERAGE_SDP_RDMA] = ENGINE("sdp_rdma", sdp_rdma),
    [COVERAGE_PDP] = ENGINE("pdp", pdp),
    [COVERAGE_CDP] = ENGINE("cdp", cdp),
};

_Static_assert(COUNT(conv_aspects) <= COVERAGE_ASPECTS_MAX, "a sample holds every aspect");
_Static_assert(COUNT(sdp_aspects) <= COVERAGE_ASPECTS_MAX, "a sample holds every aspect");

/* ---- sorting ------------------------------------------------------------------------------------------------------
 */

static struct coverage_sample new_sample(int engine) {
    struct coverage_sample sample = {.engine = engine};
    for (int i = 0; i < COVERAGE_ASPECTS_MAX; i++)
        sample.values[i] = -1;
    return sample;
}

/* A size register of 13 bits, which holds size - 1. */
static int size_at(const struct launch *launch, uint32_t offset) {
    return (int)(launch_register(launch, offset) & 0x1fff) + 1;
}

/* Whether lines and surfaces of a cube that a layer writes follow each other without gaps. */
static void sort_cube(const struct nvdla_config *config, const struct launch *launch, int *lines, int *surfaces) {
    struct cube cube;
    bool primary;
    if (!launch_output_cube(config, launch, &cube, &primary) || cube.packed_1x1)
        return;
    const int64_t line = (int64_t)cube.width * cube.atom;
    *lines = packing_class(cube.line_stride, line, cube.height);
    *surfaces = packing_class(cube.surface_stride, (int64_t)cube.line_stride * cube.height, cube_surfaces(&cube));
}

/* A convolution as its units have it; all NULL: there is none. */
struct convolution {
    const struct launch *cdma, *csc, *cacc;
};

/* Index into the values of CONV_FORMAT of a PIXEL_FORMAT, and the components of the format. Chapter 20 section 4. */
static int format_class(uint32_t format, int *components) {
    enum { BITS_10 = 13, BITS_16, BITS_16_FLOAT };
    *components = format <= 5 ? 1 : format >= 0x1c ? 3 : 4;
    switch (format) {
    case 0x00:
        return 0;
    case 0x05:
    case 0x08:
    case 0x0b:
        return BITS_16_FLOAT;
    case 0x1a:
    case 0x1b:
    case 0x1c:
    case 0x1d:
        return 9 + (int)(format - 0x1a);
    default:
        if (format >= 0x0c && format <= 0x13)
            return 1 + (int)(format - 0x0c);
        if (format >= 0x14 && format <= 0x19)
            return BITS_10;
        return format <= 0x23 ? BITS_16 : -1;
    }
}

static void sort_image(const struct convolution *conv, struct coverage_sample *sample, int *kernel_width) {
    int *v = sample->values;
    int components;
    v[CONV_FORMAT] = format_class(FIELD(conv->cdma, CDMA_D_DATAIN_FORMAT, PIXEL_FORMAT), &components);
    v[CONV_COMPONENTS] = components == 1 ? 0 : components - 2;
    v[CONV_X_OFFSET] = FIELD(conv->cdma, CDMA_D_PIXEL_OFFSET, PIXEL_X_OFFSET) != 0;
    v[CONV_MEAN] = (int)FIELD(conv->cdma, CDMA_D_MEAN_FORMAT, MEAN_FORMAT);
    if (v[CONV_CONVERTOR] == 1)
        v[CONV_SIGN] = (int)FIELD(conv->cdma, CDMA_D_DATAIN_FORMAT, PIXEL_SIGN_OVERRIDE);
    const uint32_t extension = FIELD(conv->csc, CSC_D_POST_Y_EXTENSION, Y_EXTENSION);
    v[CONV_Y_EXTENSION] = extension < 3 ? (int)extension : -1;
    v[CONV_PAD_LEFT] = FIELD(conv->cdma, CDMA_D_ZERO_PADDING, PAD_LEFT) != 0;
    v[CONV_PAD_RIGHT] = FIELD(conv->cdma, CDMA_D_ZERO_PADDING, PAD_RIGHT) != 0;
    /* The pixels of a kernel row stand as channels (chapter 40 section 3.2). */
    *kernel_width = ((int)FIELD(conv->csc, CSC_D_WEIGHT_SIZE_EXT_1, WEIGHT_CHANNEL_EXT) + 1) / components;
}

static void sort_feature(const struct nvdla_config *config, const struct convolution *conv, int width, int kernel_width,
                         struct coverage_sample *sample) {
    int *v = sample->values;
    const int dilation_x = (int)FIELD(conv->csc, CSC_D_DILATION_EXT, X_DILATION_EXT) + 1;
    const int dilation_y = (int)FIELD(conv->csc, CSC_D_DILATION_EXT, Y_DILATION_EXT) + 1;
    const int stride = (int)FIELD(conv->csc, CSC_D_CONV_STRIDE_EXT, CONV_X_STRIDE_EXT) + 1;
    const int out_width = (int)FIELD(conv->csc, CSC_D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1;
    const int pad_left = (int)FIELD(conv->csc, CSC_D_ZERO_PADDING, PAD_LEFT);
    const int channels = (int)FIELD(conv->csc, CSC_D_DATAIN_SIZE_EXT_1, DATAIN_CHANNEL_EXT) + 1;
    const bool line_packed = FIELD(conv->cdma, CDMA_D_DAIN_MAP, LINE_PACKED) != 0;
    v[CONV_DILATION_X] = step_class(dilation_x);
    v[CONV_DILATION_Y] = step_class(dilation_y);
    v[CONV_CHANNELS] = block_class(channels, config->atomic_c);
    v[CONV_PAD_LEFT] = pad_left != 0;
    v[CONV_PAD_RIGHT] = (out_width - 1) * stride + (kernel_width - 1) * dilation_x + 1 > pad_left + width;
    v[CONV_LINES] = !line_packed;
    v[CONV_SURFACES] = FIELD(conv->cdma, CDMA_D_DAIN_MAP, SURF_PACKED) == 0;
    if (line_packed)
        v[CONV_GRAIN] = FIELD(conv->cdma, CDMA_D_FETCH_GRAIN, GRAINS) != 0;
}

static void sort_release(const struct convolution *conv, const struct convolution *before, int height,
                         struct coverage_sample *sample) {
    int *v = sample->values;
    const int released = (int)FIELD(conv->csc, CSC_D_RELEASE, RLS_SLICES) + 1;
    v[CONV_DATA_REUSE] = (int)FIELD(conv->csc, CSC_D_MISC_CFG, DATA_REUSE);
    v[CONV_WEIGHT_REUSE] = (int)FIELD(conv->csc, CSC_D_MISC_CFG, WEIGHT_REUSE);
    v[CONV_DATA_RELEASE] = FIELD(conv->csc, CSC_D_MISC_CFG, SKIP_DATA_RLS) ? 2 : released < height;
    v[CONV_WEIGHT_RELEASE] = (int)FIELD(conv->csc, CSC_D_MISC_CFG, SKIP_WEIGHT_RLS);
    if (!before->csc)
        v[CONV_BANKS] = 0;
    else
        v[CONV_BANKS] = launch_register(before->csc, CSC_D_BANK) == launch_register(conv->csc, CSC_D_BANK) ? 1 : 2;
}

static void sort_convolution(const struct nvdla_config *config, const struct convolution *conv,
                             const struct convolution *before, struct coverage_sample *sample) {
    int *v = sample->values;
    const struct launch *cdma = conv->cdma, *csc = conv->csc;
    const bool image = FIELD(csc, CSC_D_DATAIN_FORMAT, DATAIN_FORMAT) != 0;
    const int precision = precision_class(config, FIELD(csc, CSC_D_MISC_CFG, PROC_PRECISION));
    const int width = (int)FIELD(csc, CSC_D_DATAIN_SIZE_EXT_0, DATAIN_WIDTH_EXT) + 1;
    const int height = (int)FIELD(csc, CSC_D_DATAIN_SIZE_EXT_0, DATAIN_HEIGHT_EXT) + 1;
    const int kernels = (int)FIELD(csc, CSC_D_WEIGHT_SIZE_EXT_1, WEIGHT_KERNEL) + 1;
    const int kernel_height = (int)FIELD(csc, CSC_D_WEIGHT_SIZE_EXT_0, WEIGHT_HEIGHT_EXT) + 1;
    const int stride_x = (int)FIELD(csc, CSC_D_CONV_STRIDE_EXT, CONV_X_STRIDE_EXT) + 1;
    const int stride_y = (int)FIELD(csc, CSC_D_CONV_STRIDE_EXT, CONV_Y_STRIDE_EXT) + 1;
    const int dilation_y = image ? 1 : (int)FIELD(csc, CSC_D_DILATION_EXT, Y_DILATION_EXT) + 1;
    const int pad_top = (int)FIELD(csc, CSC_D_ZERO_PADDING, PAD_TOP);
    const int out_width = (int)FIELD(csc, CSC_D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1;
    const int out_height = (int)FIELD(csc, CSC_D_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1;
    const int positions = image ? out_width : out_width * out_height;
    int kernel_width = (int)FIELD(csc, CSC_D_WEIGHT_SIZE_EXT_0, WEIGHT_WIDTH_EXT) + 1;
    v[CONV_GROUP] = csc->group;
    v[CONV_INPUT] = image;
    v[CONV_MODE] = (int)FIELD(csc, CSC_D_MISC_CFG, CONV_MODE);
    v[CONV_PRECISION] = precision;
    v[CONV_WIDTH] = size_class(width);
    v[CONV_HEIGHT] = size_class(height);
    v[CONV_KERNELS] = block_class(kernels, precision > 0 ? config->atomic_k / 2 : config->atomic_k);
    v[CONV_STRIDE_X] = step_class(stride_x);
    v[CONV_STRIDE_Y] = step_class(stride_y);
    v[CONV_PAD_TOP] = pad_top != 0;
    v[CONV_PAD_BOTTOM] = (out_height - 1) * stride_y + (kernel_height - 1) * dilation_y + 1 > pad_top + height;
    v[CONV_POSITIONS] = positions == 1   ? 0
                        : positions < 8  ? 1
                        : positions < 16 ? 2
                        : positions < 17 ? 3
                        : positions < 32 ? 4
                                         : 5;
    v[CONV_BATCH] = config->batch_max > 1 && FIELD(csc, CSC_D_BATCH_NUMBER, BATCHES) != 0;
    /* The bank fields have 5 bits in the small map and 4 in the full one; bits that do not exist are not stored. */
    const uint32_t banks = launch_register(csc, CSC_D_BANK);
    const uint32_t used = (banks & 0x1f) + (banks >> CSC_D_BANK__WEIGHT_BANK_LSB & 0x1f) + 2;
    v[CONV_BUFFER] = (int)used >= config->cbuf_banks;
    v[CONV_WEIGHTS] = config->weight_compression && FIELD(csc, CSC_D_WEIGHT_FORMAT, WEIGHT_FORMAT) != 0;
    v[CONV_CONVERTOR] = (int)FIELD(cdma, CDMA_D_CVT_CFG, CVT_EN);
    if (v[CONV_CONVERTOR]) {
        v[CONV_SCALE] = scale_class(FIELD(cdma, CDMA_D_CVT_SCALE, CVT_SCALE));
        v[CONV_SHIFT] = shift_class(FIELD(cdma, CDMA_D_CVT_CFG, CVT_TRUNCATE));
    }
    v[CONV_TRUNCATE] = shift_class(FIELD(conv->cacc, CACC_D_CLIP_CFG, CLIP_TRUNCATE));
    v[CONV_MEMORY] = memory_class(config, FIELD(cdma, CDMA_D_DAIN_RAM_TYPE, DATAIN_RAM_TYPE));
    v[CONV_WEIGHT_MEMORY] = memory_class(config, FIELD(cdma, CDMA_D_WEIGHT_RAM_TYPE, WEIGHT_RAM_TYPE));
    v[CONV_COUNTERS] = (int)FIELD(cdma, CDMA_D_PERF_ENABLE, DMA_EN);
    if (image)
        sort_image(conv, sample, &kernel_width);
    else
        sort_feature(config, conv, width, kernel_width, sample);
    sort_release(conv, before, height, sample);
    v[CONV_KERNEL_WIDTH] = kernel_class(kernel_width);
    v[CONV_KERNEL_HEIGHT] = kernel_class(kernel_height);
    if (v[CONV_PAD_LEFT] || v[CONV_PAD_RIGHT] || v[CONV_PAD_TOP] || v[CONV_PAD_BOTTOM])
        v[CONV_PAD_VALUE] = sign_class(FIELD(csc, CSC_D_ZERO_PADDING_VALUE, PAD_VALUE), precision > 0 ? 16 : 8);
}

/* One stage of SDP; cfg, alu, mul: values of its D_DP_Bx_CFG, ALU_CFG and MUL_CFG, whose common fields lie alike. */
static void sort_stage(uint32_t cfg, uint32_t alu, uint32_t mul, uint32_t shift, bool equal, int *v) {
    const uint32_t algo = (cfg & SDP_D_DP_BS_CFG__BS_ALU_ALGO_MASK) >> SDP_D_DP_BS_CFG__BS_ALU_ALGO_LSB;
    v[STAGE] = (cfg & SDP_D_DP_BS_CFG__BS_BYPASS_MASK) == 0;
    if (!v[STAGE])
        return;
    v[STAGE_ALU] = 0;
    if ((cfg & SDP_D_DP_BS_CFG__BS_ALU_BYPASS_MASK) == 0) {
        v[STAGE_ALU] = algo < 3 || equal ? (int)algo + 1 : -1;
        v[STAGE_ALU_OPERAND] = (alu & SDP_D_DP_BS_ALU_CFG__BS_ALU_SRC_MASK) != 0;
    }
    v[STAGE_MUL] = 0;
    if ((cfg & SDP_D_DP_BS_CFG__BS_MUL_BYPASS_MASK) == 0) {
        v[STAGE_MUL] = (cfg & SDP_D_DP_BS_CFG__BS_MUL_PRELU_MASK) ? 2 : 1;
        v[STAGE_MUL_OPERAND] = (mul & SDP_D_DP_BS_MUL_CFG__BS_MUL_SRC_MASK) != 0;
        v[STAGE_SHIFT] = shift_class(shift);
    }
    v[STAGE_LAST] = (cfg & SDP_D_DP_BS_CFG__BS_RELU_BYPASS_MASK) == 0;
}

static void sort_sdp(const struct nvdla_config *config, const struct launch *launch, struct coverage_sample *sample) {
    int *v = sample->values;
    const int precision = precision_class(config, FIELD(launch, SDP_D_DATA_FORMAT, PROC_PRECISION));
    v[SDP_GROUP] = launch->group;
    v[SDP_SOURCE] = (int)FIELD(launch, SDP_D_FEATURE_MODE_CFG, FLYING_MODE);
    v[SDP_DESTINATION] = (int)FIELD(launch, SDP_D_FEATURE_MODE_CFG, OUTPUT_DST);
    v[SDP_PRECISION] = precision;
    v[SDP_OUT_PRECISION] = precision_class(config, FIELD(launch, SDP_D_DATA_FORMAT, OUT_PRECISION));
    v[SDP_WIDTH] = size_class(size_at(launch, SDP_D_DATA_CUBE_WIDTH));
    v[SDP_HEIGHT] = size_class(size_at(launch, SDP_D_DATA_CUBE_HEIGHT));
    v[SDP_CHANNELS] = block_class(size_at(launch, SDP_D_DATA_CUBE_CHANNEL), atom_elements(config, precision));
    v[SDP_BATCH] = config->batch_max > 1 && FIELD(launch, SDP_D_FEATURE_MODE_CFG, BATCH_NUMBER) != 0;
    sort_cube(config, launch, &v[SDP_LINES], &v[SDP_SURFACES]);
    v[SDP_OFFSET] = sign_class(launch_register(launch, SDP_D_CVT_OFFSET), 32);
    v[SDP_SCALE] = scale_class(FIELD(launch, SDP_D_CVT_SCALE, CVT_SCALE));
    v[SDP_SHIFT] = shift_class(FIELD(launch, SDP_D_CVT_SHIFT, CVT_SHIFT));
    if (v[SDP_DESTINATION] == 0)
        v[SDP_MEMORY] = memory_class(config, FIELD(launch, SDP_D_DST_DMA_CFG, DST_RAM_TYPE));
    v[SDP_COUNTERS] = launch_register(launch, SDP_D_PERF_ENABLE) != 0;
    sort_stage(launch_register(launch, SDP_D_DP_BS_CFG), launch_register(launch, SDP_D_DP_BS_ALU_CFG),
               launch_register(launch, SDP_D_DP_BS_MUL_CFG), FIELD(launch, SDP_D_DP_BS_MUL_CFG, BS_MUL_SHIFT_VALUE),
               false, &v[SDP_BS]);
    sort_stage(launch_register(launch, SDP_D_DP_BN_CFG), launch_register(launch, SDP_D_DP_BN_ALU_CFG),
               launch_register(launch, SDP_D_DP_BN_MUL_CFG), FIELD(launch, SDP_D_DP_BN_MUL_CFG, BN_MUL_SHIFT_VALUE),
               false, &v[SDP_BN]);
    if (config->sdp_ew_throughput)
        sort_stage(launch_register(launch, SDP_D_DP_EW_CFG), launch_register(launch, SDP_D_DP_EW_ALU_CFG),
                   launch_register(launch, SDP_D_DP_EW_MUL_CFG), FIELD(launch, SDP_D_DP_EW_TRUNCATE_VALUE, EW_TRUNCATE),
                   true, &v[SDP_EW]);
    else
        v[SDP_EW + STAGE] = 0;
}

/* cfg: D_BRDMA_CFG, D_NRDMA_CFG or D_ERDMA_CFG, which have the same fields. */
static void sort_operand(uint32_t cfg, int *v) {
    const bool disabled = (cfg & SDP_RDMA_D_BRDMA_CFG__BRDMA_DISABLE_MASK) != 0;
    const uint32_t use = (cfg & SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_USE_MASK) >> SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_USE_LSB;
    v[OPERAND_USE] = disabled ? 0 : use < 3 ? (int)use + 1 : -1;
    if (disabled)
        return;
    v[OPERAND_SIZE] = (cfg & SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_SIZE_MASK) != 0;
    v[OPERAND_MODE] = (cfg & SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_MODE_MASK) != 0;
}

static void sort_sdp_rdma(const struct nvdla_config *config, const struct launch *launch,
                          struct coverage_sample *sample) {
    int *v = sample->values;
    struct cube cube;
    bool primary;
    v[RDMA_GROUP] = launch->group;
    v[RDMA_INPUT] = !launch_input_cube(config, launch, &cube, &primary);
    if (!v[RDMA_INPUT]) {
        v[RDMA_MEMORY] = !primary;
        if (!cube.packed_1x1)
            v[RDMA_LINES] = packing_class(cube.line_stride, (int64_t)cube.width * cube.atom, cube.height);
    }
    v[RDMA_COUNTERS] = (int)FIELD(launch, SDP_RDMA_D_PERF_ENABLE, PERF_DMA_EN);
    sort_operand(launch_register(launch, SDP_RDMA_D_BRDMA_CFG), &v[RDMA_BS]);
    sort_operand(launch_register(launch, SDP_RDMA_D_NRDMA_CFG), &v[RDMA_BN]);
    if (config->sdp_ew_throughput)
        sort_operand(launch_register(launch, SDP_RDMA_D_ERDMA_CFG), &v[RDMA_EW]);
    else
        v[RDMA_EW + OPERAND_USE] = 0;
}

static int pool_step(uint32_t stride, uint32_t kernel) {
    return stride < kernel ? 0 : stride == kernel ? 1 : 2;
}

static void sort_pdp(const struct nvdla_config *config, const struct launch *launch, struct coverage_sample *sample) {
    int *v = sample->values;
    const uint32_t kernel_width = FIELD(launch, PDP_D_POOLING_KERNEL_CFG, KERNEL_WIDTH);
    const uint32_t kernel_height = FIELD(launch, PDP_D_POOLING_KERNEL_CFG, KERNEL_HEIGHT);
    const uint32_t method = FIELD(launch, PDP_D_OPERATION_MODE_CFG, POOLING_METHOD);
    const int strips = (int)FIELD(launch, PDP_D_OPERATION_MODE_CFG, SPLIT_NUM) + 1;
    const int precision = precision_class(config, FIELD(launch, PDP_D_DATA_FORMAT, INPUT_DATA));
    struct cube cube;
    bool primary;
    v[PDP_GROUP] = launch->group;
    v[PDP_SOURCE] = (int)FIELD(launch, PDP_D_OPERATION_MODE_CFG, FLYING_MODE);
    v[PDP_METHOD] = method < 3 ? (int)method : -1;
    v[PDP_PRECISION] = precision;
    if (strips == 1)
        v[PDP_WIDTH] = size_class(size_at(launch, PDP_D_DATA_CUBE_IN_WIDTH));
    v[PDP_HEIGHT] = size_class(size_at(launch, PDP_D_DATA_CUBE_IN_HEIGHT));
    if (launch_output_cube(config, launch, &cube, &primary))
        v[PDP_OUT_WIDTH] = size_class(cube.width);
    v[PDP_CHANNELS] = block_class(size_at(launch, PDP_D_DATA_CUBE_IN_CHANNEL), atom_elements(config, precision));
    v[PDP_KERNEL_WIDTH] = kernel_width < 8 ? (int)kernel_width : -1;
    v[PDP_KERNEL_HEIGHT] = kernel_height < 8 ? (int)kernel_height : -1;
    v[PDP_STEP_X] = pool_step(FIELD(launch, PDP_D_POOLING_KERNEL_CFG, KERNEL_STRIDE_WIDTH), kernel_width);
    v[PDP_STEP_Y] = pool_step(FIELD(launch, PDP_D_POOLING_KERNEL_CFG, KERNEL_STRIDE_HEIGHT), kernel_height);
    v[PDP_PAD_LEFT] = FIELD(launch, PDP_D_POOLING_PADDING_CFG, PAD_LEFT) != 0;
    v[PDP_PAD_RIGHT] = FIELD(launch, PDP_D_POOLING_PADDING_CFG, PAD_RIGHT) != 0;
    v[PDP_PAD_TOP] = FIELD(launch, PDP_D_POOLING_PADDING_CFG, PAD_TOP) != 0;
    v[PDP_PAD_BOTTOM] = FIELD(launch, PDP_D_POOLING_PADDING_CFG, PAD_BOTTOM) != 0;
    v[PDP_PADDING] = (v[PDP_PAD_LEFT] || v[PDP_PAD_RIGHT]) + 2 * (v[PDP_PAD_TOP] || v[PDP_PAD_BOTTOM]);
    if (v[PDP_PADDING])
        v[PDP_PAD_VALUE] = sign_class(FIELD(launch, PDP_D_POOLING_PADDING_VALUE_1_CFG, PAD_VALUE_1X), 19);
    v[PDP_STRIPS] = step_class(strips);
    sort_cube(config, launch, &v[PDP_LINES], &v[PDP_SURFACES]);
    v[PDP_MEMORY] = memory_class(config, FIELD(launch, PDP_D_DST_RAM_CFG, DST_RAM_TYPE));
    v[PDP_COUNTERS] = (int)FIELD(launch, PDP_D_PERF_ENABLE, DMA_EN);
}

/* rdma: the launch of CDP_RDMA that belongs to this one of CDP; NULL if the trace has none. */
static void sort_cdp(const struct nvdla_config *config, const struct launch *launch, const struct launch *rdma,
                     struct coverage_sample *sample) {
    int *v = sample->values;
    const int precision = precision_class(config, FIELD(launch, CDP_D_DATA_FORMAT, INPUT_DATA_TYPE));
    struct cube in, out;
    bool in_primary, out_primary;
    v[CDP_GROUP] = launch->group;
    v[CDP_PRECISION] = precision;
    v[CDP_LENGTH] = (int)FIELD(launch, CDP_D_LRN_CFG, NORMALZ_LEN);
    v[CDP_SUM] = FIELD(launch, CDP_D_FUNC_BYPASS, SQSUM_BYPASS) == 0;
    v[CDP_MULTIPLY] = FIELD(launch, CDP_D_FUNC_BYPASS, MUL_BYPASS) == 0;
    v[CDP_WIDTH] = size_class((int)launch->cube_size[0] + 1);
    v[CDP_HEIGHT] = size_class((int)launch->cube_size[1] + 1);
    v[CDP_CHANNELS] = block_class((int)launch->cube_size[2] + 1, atom_elements(config, precision));
    v[CDP_IN_OFFSET] = sign_class(launch_register(launch, CDP_D_DATIN_OFFSET), precision > 0 ? 16 : 8);
    v[CDP_IN_SCALE] = scale_class(FIELD(launch, CDP_D_DATIN_SCALE, DATIN_SCALE));
    v[CDP_IN_SHIFT] = shift_class(FIELD(launch, CDP_D_DATIN_SHIFTER, DATIN_SHIFTER));
    v[CDP_OUT_OFFSET] = sign_class(launch_register(launch, CDP_D_DATOUT_OFFSET), precision > 0 ? 32 : 25);
    v[CDP_OUT_SCALE] = scale_class(FIELD(launch, CDP_D_DATOUT_SCALE, DATOUT_SCALE));
    v[CDP_OUT_SHIFT] = shift_class(FIELD(launch, CDP_D_DATOUT_SHIFTER, DATOUT_SHIFTER));
    v[CDP_LE_FUNCTION] = (int)FIELD(launch, CDP_S_LUT_CFG, LUT_LE_FUNCTION);
    if (v[CDP_LE_FUNCTION] == 0)
        v[CDP_LE_OFFSET] = sign_class(FIELD(launch, CDP_S_LUT_INFO, LUT_LE_INDEX_OFFSET), 8);
    else
        v[CDP_LE_SELECT] = sign_class(FIELD(launch, CDP_S_LUT_INFO, LUT_LE_INDEX_SELECT), 8);
    v[CDP_LO_SELECT] = sign_class(FIELD(launch, CDP_S_LUT_INFO, LUT_LO_INDEX_SELECT), 8);
    v[CDP_BELOW_PRIORITY] = (int)FIELD(launch, CDP_S_LUT_CFG, LUT_UFLOW_PRIORITY);
    v[CDP_ABOVE_PRIORITY] = (int)FIELD(launch, CDP_S_LUT_CFG, LUT_OFLOW_PRIORITY);
    v[CDP_HYBRID_PRIORITY] = (int)FIELD(launch, CDP_S_LUT_CFG, LUT_HYBRID_PRIORITY);
    const uint32_t le_scale = launch_register(launch, CDP_S_LUT_LE_SLOPE_SCALE);
    const uint32_t lo_scale = launch_register(launch, CDP_S_LUT_LO_SLOPE_SCALE);
    const uint32_t le_shift = launch_register(launch, CDP_S_LUT_LE_SLOPE_SHIFT);
    const uint32_t lo_shift = launch_register(launch, CDP_S_LUT_LO_SLOPE_SHIFT);
    v[CDP_LE_BELOW_SLOPE] = sign_class(le_scale, 16);
    v[CDP_LE_ABOVE_SLOPE] = sign_class(le_scale >> 16, 16);
    v[CDP_LO_BELOW_SLOPE] = sign_class(lo_scale, 16);
    v[CDP_LO_ABOVE_SLOPE] = sign_class(lo_scale >> 16, 16);
    v[CDP_LE_BELOW_SHIFT] = sign_class(le_shift, 5);
    v[CDP_LE_ABOVE_SHIFT] = sign_class(le_shift >> 5, 5);
    v[CDP_LO_BELOW_SHIFT] = sign_class(lo_shift, 5);
    v[CDP_LO_ABOVE_SHIFT] = sign_class(lo_shift >> 5, 5);
    if (rdma && launch_input_cube(config, rdma, &in, &in_primary) &&
        launch_output_cube(config, launch, &out, &out_primary))
        v[CDP_PLACE] = in.base == out.base && in_primary == out_primary;
    sort_cube(config, launch, &v[CDP_LINES], &v[CDP_SURFACES]);
    v[CDP_MEMORY] = memory_class(config, FIELD(launch, CDP_D_DST_DMA_CFG, DST_RAM_TYPE));
    v[CDP_COUNTERS] = launch_register(launch, CDP_D_PERF_ENABLE) != 0;
}

/* Kind of the chain (KIND_...) that a launch stands for, -1 if it stands for none: SDP for itself and what is fused to
 * it, PDP and CDP where they read memory. */
static int chain_kind(const struct launch *launch) {
    if (launch->unit == NVDLA_CDP)
        return KIND_CDP;
    if (launch->unit == NVDLA_PDP)
        return FIELD(launch, PDP_D_OPERATION_MODE_CFG, FLYING_MODE) ? KIND_PDP : -1;
    if (launch->unit != NVDLA_SDP)
        return -1;
    const bool conv = FIELD(launch, SDP_D_FEATURE_MODE_CFG, FLYING_MODE) != 0;
    const bool pdp = FIELD(launch, SDP_D_FEATURE_MODE_CFG, OUTPUT_DST) != 0;
    return conv ? (pdp ? KIND_CONV_SDP_PDP : KIND_CONV_SDP) : pdp ? KIND_SDP_PDP : KIND_SDP;
}

/* What was counted of a trace on the way. */
struct walk {
    const struct nvdla_config *config;
    const struct layer_tracker *launches;
    struct convolution conv; /* the last one */
    int chains, fused;       /* chains; those of them that begin with a convolution */
    int kind;                /* of the last chain, -1 before the first */
};

static struct coverage_sample sort_chain(struct walk *walk, int kind) {
    struct coverage_sample sample = new_sample(COVERAGE_CHAIN);
    sample.values[CHAIN_KIND] = kind;
    sample.values[CHAIN_AFTER] = walk->kind < 0 ? 0 : walk->kind == kind ? 1 : 2;
    if (kind == KIND_CONV_SDP || kind == KIND_CONV_SDP_PDP) {
        const struct launch *csc = layer_tracker_find(walk->launches, NVDLA_CSC, walk->fused++);
        if (csc)
            sample.values[CHAIN_INPUT] = (int)FIELD(csc, CSC_D_DATAIN_FORMAT, DATAIN_FORMAT);
    }
    walk->chains++;
    walk->kind = kind;
    return sample;
}

/* The sample of a launch by itself. Returns false for launches that are counted with another one. */
static bool sort_launch(struct walk *walk, const struct launch *launch, struct coverage_sample *sample) {
    switch (launch->unit) {
    case NVDLA_CSC: {
        const struct convolution conv = {.cdma = layer_tracker_find(walk->launches, NVDLA_CDMA, launch->ordinal),
                                         .csc = launch,
                                         .cacc = layer_tracker_find(walk->launches, NVDLA_CACC, launch->ordinal)};
        if (!conv.cdma || !conv.cacc)
            return false;
        *sample = new_sample(COVERAGE_CONV);
        sort_convolution(walk->config, &conv, &walk->conv, sample);
        walk->conv = conv;
        return true;
    }
    case NVDLA_SDP:
        *sample = new_sample(COVERAGE_SDP);
        sort_sdp(walk->config, launch, sample);
        return true;
    case NVDLA_SDP_RDMA:
        *sample = new_sample(COVERAGE_SDP_RDMA);
        sort_sdp_rdma(walk->config, launch, sample);
        return true;
    case NVDLA_PDP:
        *sample = new_sample(COVERAGE_PDP);
        sort_pdp(walk->config, launch, sample);
        return true;
    case NVDLA_CDP:
        *sample = new_sample(COVERAGE_CDP);
        sort_cdp(walk->config, launch, layer_tracker_find(walk->launches, NVDLA_CDP_RDMA, launch->ordinal), sample);
        return true;
    default:
        return false;
    }
}

/* The trace as a whole. */
static struct coverage_sample sort_trace(const struct program *prog, const struct walk *walk) {
    struct coverage_sample sample = new_sample(COVERAGE_TRACE);
    int *v = sample.values;
    bool second_group = false;
    for (size_t i = 0; i < layer_tracker_count(walk->launches); i++)
        second_group = second_group || layer_tracker_launch(walk->launches, i)->group == 1;
    v[TRACE_CONFIG] = (int)(prog->config - nvdla_configs);
    v[TRACE_ORDER] = prog->sequential;
    v[TRACE_LAYERS] = walk->chains < 2 ? 0 : walk->chains < 5 ? 1 : 2;
    v[TRACE_GROUPS] = second_group;
    v[TRACE_LUT_WRITE] = v[TRACE_LUT_READ] = 0;
    const uint32_t lut = nvdla_unit_base(prog->config, NVDLA_CDP) + CDP_S_LUT_ACCESS_DATA;
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        if (op->kind == OP_WRITE && op->address == lut)
            v[TRACE_LUT_WRITE] = 1;
        if ((op->kind == OP_READ || op->kind == OP_READ_CHECK || op->kind == OP_POLL) && op->address == lut)
            v[TRACE_LUT_READ] = 1;
    }
    return sample;
}

void coverage_sort(const struct program *prog, const struct layer_tracker *launches,
                   void (*take)(void *context, const struct coverage_sample *sample), void *context) {
    struct walk walk = {.config = prog->config, .launches = launches, .kind = -1};
    struct coverage_sample sample;
    for (size_t i = 0; i < layer_tracker_count(launches); i++) {
        const struct launch *launch = layer_tracker_launch(launches, i);
        if (sort_launch(&walk, launch, &sample))
            take(context, &sample);
        const int kind = chain_kind(launch);
        if (kind >= 0) {
            sample = sort_chain(&walk, kind);
            take(context, &sample);
        }
    }
    sample = sort_trace(prog, &walk);
    take(context, &sample);
}
