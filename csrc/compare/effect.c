/* A table of settings that others make meaningless. See effect.h. */
#include "compare/effect.h"

#include <string.h>

/* A field of a register of the unit has a value; field NULL: all its fields have. */
struct condition {
    const char *reg, *field;
    uint32_t value;
};

/* Registers of a unit whose name begins with a prefix, or one field of them (NULL: all), are without effect if the
 * conditions hold, of which the second may be missing. */
struct idle {
    enum nvdla_unit unit;
    const char *prefix, *field;
    const char *why;
    struct condition when[2];
};

/* Registers, or one field of them, that only configurations with a feature use; FEATURE_COUNT: none does. */
struct unused {
    enum nvdla_unit unit;
    const char *prefix, *field;
    enum nvdla_feature needs;
    const char *why;
};

static const struct unused unuseds[] = {
    {NVDLA_CDMA, "D_MISC_CFG", "IN_PRECISION", FEATURE_INT16, "INT8 only"},
    {NVDLA_CDMA, "D_BATCH_STRIDE", NULL, FEATURE_BATCHES, "no batches"},
    {NVDLA_CDMA, "D_DATAIN_FORMAT", "PIXEL_MAPPING", FEATURE_COUNT, "has no function"},
    {NVDLA_CDMA, "D_PIXEL_OFFSET", "PIXEL_Y_OFFSET", FEATURE_COUNT, "has no function"},
    {NVDLA_CDMA, "D_ZERO_PADDING", "PAD_BOTTOM", FEATURE_COUNT, "follows from the height"},
    {NVDLA_CSC, "D_MISC_CFG", "IN_PRECISION", FEATURE_COUNT, "has no function"},
    {NVDLA_CSC, "D_MISC_CFG", "PROC_PRECISION", FEATURE_INT16, "INT8 only"},
    {NVDLA_CSC, "D_BATCH_NUMBER", NULL, FEATURE_BATCHES, "no batches"},
    {NVDLA_CSC, "D_DATAOUT_SIZE_1", NULL, FEATURE_COUNT, "has no function"},
    {NVDLA_CMAC_A, "D_MISC_CFG", NULL, FEATURE_INT16, "INT8 only"},
    {NVDLA_CMAC_B, "D_MISC_CFG", NULL, FEATURE_INT16, "INT8 only"},
    {NVDLA_CACC, "D_MISC_CFG", NULL, FEATURE_INT16, "INT8 only"},
    {NVDLA_CACC, "D_DATAOUT_MAP", NULL, FEATURE_COUNT, "has no function"},
    {NVDLA_CACC, "D_DATAOUT_", NULL, FEATURE_BATCHES, "no batches"},
    {NVDLA_CACC, "D_BATCH_NUMBER", NULL, FEATURE_BATCHES, "no batches"},
    {NVDLA_CACC, "D_LINE_STRIDE", NULL, FEATURE_BATCHES, "no batches"},
    {NVDLA_CACC, "D_SURF_STRIDE", NULL, FEATURE_BATCHES, "no batches"},
    {NVDLA_SDP_RDMA, "D_BS_BATCH_STRIDE", NULL, FEATURE_COUNT, "has no function"},
    {NVDLA_SDP_RDMA, "D_BN_BATCH_STRIDE", NULL, FEATURE_COUNT, "has no function"},
    {NVDLA_SDP_RDMA, "D_EW_BATCH_STRIDE", NULL, FEATURE_COUNT, "has no function"},
    {NVDLA_PDP, "D_SRC_", NULL, FEATURE_COUNT, "PDP_RDMA has its own"},
    {NVDLA_PDP, "D_DATA_FORMAT", NULL, FEATURE_INT16, "INT8 only"},
    {NVDLA_PDP_RDMA, "D_FLYING_MODE", NULL, FEATURE_COUNT, "has no function"},
    {NVDLA_PDP_RDMA, "D_POOLING_PADDING_CFG", NULL, FEATURE_COUNT, "has no function"},
    {NVDLA_PDP_RDMA, "D_DATA_FORMAT", NULL, FEATURE_INT16, "INT8 only"},
    {NVDLA_CDP, "D_DATA_FORMAT", NULL, FEATURE_INT16, "INT8 only"},
    {NVDLA_CDP_RDMA, "D_DATA_FORMAT", NULL, FEATURE_INT16, "INT8 only"},
};

/* clang-format off */
#define IN_SDP(stage, reg, field, by)                                                                                  \
    {NVDLA_SDP, "D_DP_" stage "_" reg, field, stage "_" by "=1", {{"D_DP_" stage "_CFG", stage "_" by, 1}}}
#define FROM_MEMORY(stage, part)                                                                                       \
    {NVDLA_SDP, "D_DP_" stage "_" part "_SRC_VALUE", NULL, stage "_" part "_SRC=MEM",                                  \
     {{"D_DP_" stage "_" part "_CFG", stage "_" part "_SRC", 1}}}
#define STAGE(stage)                                                                                                   \
    IN_SDP(stage, "", NULL, "BYPASS"),                                                                                 \
    IN_SDP(stage, "ALU_", NULL, "ALU_BYPASS"),                                                                         \
    IN_SDP(stage, "CFG", stage "_ALU_ALGO", "ALU_BYPASS"),                                                             \
    IN_SDP(stage, "MUL_SRC_VALUE", NULL, "MUL_BYPASS"),                                                                \
    IN_SDP(stage, "MUL_CFG", stage "_MUL_SRC", "MUL_BYPASS"),                                                          \
    IN_SDP(stage, "CFG", stage "_MUL_PRELU", "MUL_BYPASS"),                                                            \
    FROM_MEMORY(stage, "ALU"),                                                                                         \
    FROM_MEMORY(stage, "MUL")
#define OPERANDS(stage, dma)                                                                                           \
    {NVDLA_SDP_RDMA, "D_" stage "_", NULL, dma "_DISABLE=1", {{"D_" dma "_CFG", dma "_DISABLE", 1}}},                  \
    {NVDLA_SDP_RDMA, "D_" dma "_CFG", NULL, dma "_DISABLE=1", {{"D_" dma "_CFG", dma "_DISABLE", 1}}}

/* The text, and the condition. */
#define FP16_IN_SDP  "PROC_PRECISION=FP16", {{"D_DATA_FORMAT", "PROC_PRECISION", 2}}
#define FEATURES     "DATAIN_FORMAT=FEATURE", {{"D_DATAIN_FORMAT", "DATAIN_FORMAT", 0}}
#define PIXELS       "DATAIN_FORMAT=PIXEL", {{"D_DATAIN_FORMAT", "DATAIN_FORMAT", 1}}
#define DIRECT       "CONV_MODE=DIRECT", {{"D_MISC_CFG", "CONV_MODE", 0}}
#define WINOGRAD     "CONV_MODE=WINOGRAD", {{"D_MISC_CFG", "CONV_MODE", 1}}
#define UNCOMPRESSED "WEIGHT_FORMAT=UNCOMPRESSED", {{"D_WEIGHT_FORMAT", "WEIGHT_FORMAT", 0}}
#define ONE_BATCH    "BATCHES=0", {{"D_BATCH_NUMBER", "BATCHES", 0}}
#define NO_CONVERTOR "CVT_EN=DISABLE", {{"D_CVT_CFG", "CVT_EN", 0}}
#define MAX          "POOLING_METHOD=MAX", {{"D_OPERATION_MODE_CFG", "POOLING_METHOD", 1}}
#define MIN          "POOLING_METHOD=MIN", {{"D_OPERATION_MODE_CFG", "POOLING_METHOD", 2}}
#define WHOLE        "SPLIT_NUM=0", {{"D_OPERATION_MODE_CFG", "SPLIT_NUM", 0}}
#define RUBIK_SPLIT  "RUBIK_MODE=SPLIT", {{"D_MISC_CFG", "RUBIK_MODE", 1}}
#define RUBIK_MERGE  "RUBIK_MODE=MERGE", {{"D_MISC_CFG", "RUBIK_MODE", 2}}
/* clang-format on */

static const struct idle idles[] = {
    STAGE("BS"),
    STAGE("BN"),
    STAGE("EW"),
    /* BS and BN shift although their multiplier is bypassed; EW does not. */
    IN_SDP("EW", "MUL_", NULL, "MUL_BYPASS"),
    IN_SDP("EW", "TRUNCATE_VALUE", NULL, "MUL_BYPASS"),
    {NVDLA_SDP, "D_DP_BS_ALU_CFG", "BS_ALU_SHIFT_VALUE", FP16_IN_SDP},
    {NVDLA_SDP, "D_DP_BS_MUL_CFG", "BS_MUL_SHIFT_VALUE", FP16_IN_SDP},
    {NVDLA_SDP, "D_DP_BN_ALU_CFG", "BN_ALU_SHIFT_VALUE", FP16_IN_SDP},
    {NVDLA_SDP, "D_DP_BN_MUL_CFG", "BN_MUL_SHIFT_VALUE", FP16_IN_SDP},
    {NVDLA_SDP, "D_DP_EW_TRUNCATE_VALUE", NULL, FP16_IN_SDP},
    {NVDLA_SDP, "D_DP_EW_ALU_CVT_", NULL, "EW_ALU_CVT_BYPASS=1", {{"D_DP_EW_ALU_CFG", "EW_ALU_CVT_BYPASS", 1}}},
    {NVDLA_SDP, "D_DP_EW_MUL_CVT_", NULL, "EW_MUL_CVT_BYPASS=1", {{"D_DP_EW_MUL_CFG", "EW_MUL_CVT_BYPASS", 1}}},
    {NVDLA_SDP, "D_DP_EW_ALU_CVT_", NULL, "EW_ALU_SRC=REG", {{"D_DP_EW_ALU_CFG", "EW_ALU_SRC", 0}}},
    {NVDLA_SDP, "D_DP_EW_MUL_CVT_", NULL, "EW_MUL_SRC=REG", {{"D_DP_EW_MUL_CFG", "EW_MUL_SRC", 0}}},
    {NVDLA_SDP, "D_DP_EW_ALU_CFG", "EW_ALU_CVT_BYPASS", "EW_ALU_SRC=REG", {{"D_DP_EW_ALU_CFG", "EW_ALU_SRC", 0}}},
    {NVDLA_SDP, "D_DP_EW_MUL_CFG", "EW_MUL_CVT_BYPASS", "EW_MUL_SRC=REG", {{"D_DP_EW_MUL_CFG", "EW_MUL_SRC", 0}}},
    {NVDLA_SDP, "S_LUT_", NULL, "EW_BYPASS=1", {{"D_DP_EW_CFG", "EW_BYPASS", 1}}},
    {NVDLA_SDP, "S_LUT_", NULL, "EW_LUT_BYPASS=1", {{"D_DP_EW_CFG", "EW_LUT_BYPASS", 1}}},
    {NVDLA_SDP, "D_DST_", NULL, "OUTPUT_DST=PDP", {{"D_FEATURE_MODE_CFG", "OUTPUT_DST", 1}}},
    {NVDLA_SDP, "D_DST_BATCH_STRIDE", NULL, "BATCH_NUMBER=0", {{"D_FEATURE_MODE_CFG", "BATCH_NUMBER", 0}}},
    {NVDLA_SDP_RDMA, "D_SRC_", NULL, "FLYING_MODE=ON", {{"D_FEATURE_MODE_CFG", "FLYING_MODE", 1}}},
    OPERANDS("BS", "BRDMA"),
    OPERANDS("BN", "NRDMA"),
    OPERANDS("EW", "ERDMA"),
    {NVDLA_CDMA, "D_MEAN_GLOBAL_", NULL, "MEAN_FORMAT=DISABLE", {{"D_MEAN_FORMAT", "MEAN_FORMAT", 0}}},
    {NVDLA_CDMA, "D_MEAN_", NULL, FEATURES},
    {NVDLA_CDMA, "D_PIXEL_OFFSET", NULL, FEATURES},
    {NVDLA_CDMA, "D_DATAIN_FORMAT", NULL, FEATURES},
    {NVDLA_CDMA, "D_DAIN_ADDR_HIGH_1", NULL, FEATURES},
    {NVDLA_CDMA, "D_DAIN_ADDR_LOW_1", NULL, FEATURES},
    {NVDLA_CDMA, "D_LINE_UV_STRIDE", NULL, FEATURES},
    {NVDLA_CDMA, "D_SURF_STRIDE", NULL, PIXELS},
    {NVDLA_CDMA, "D_DAIN_MAP", NULL, PIXELS},
    {NVDLA_CDMA, "D_FETCH_GRAIN", NULL, PIXELS},
    {NVDLA_CDMA, "D_FETCH_GRAIN", NULL, WINOGRAD},
    {NVDLA_CDMA, "D_FETCH_GRAIN", NULL, "LINE_PACKED=FALSE", {{"D_DAIN_MAP", "LINE_PACKED", 0}}},
    {NVDLA_CDMA, "D_CVT_OFFSET", NULL, NO_CONVERTOR},
    {NVDLA_CDMA, "D_CVT_SCALE", NULL, NO_CONVERTOR},
    {NVDLA_CDMA, "D_CVT_CFG", "CVT_TRUNCATE", NO_CONVERTOR},
    {NVDLA_CDMA, "D_WGS_", NULL, UNCOMPRESSED},
    {NVDLA_CDMA, "D_WMB_", NULL, UNCOMPRESSED},
    {NVDLA_CDMA, "D_BATCH_STRIDE", NULL, ONE_BATCH},
    {NVDLA_CDMA, "D_DATAIN_SIZE_EXT_0", NULL, DIRECT},
    {NVDLA_CDMA, "D_CONV_STRIDE", NULL, DIRECT},
    {NVDLA_CDMA, "D_ZERO_PADDING", "PAD_TOP", DIRECT},
    {NVDLA_CDMA,
     "D_ZERO_PADDING",
     NULL,
     "CONV_MODE=DIRECT, DATAIN_FORMAT=FEATURE",
     {{"D_MISC_CFG", "CONV_MODE", 0}, {"D_DATAIN_FORMAT", "DATAIN_FORMAT", 0}}},
    {NVDLA_CSC, "D_PRA_CFG", NULL, DIRECT},
    {NVDLA_CSC, "D_WMB_BYTES", NULL, UNCOMPRESSED},
    {NVDLA_CSC, "D_DATAIN_SIZE_EXT_0", "DATAIN_WIDTH_EXT", PIXELS},
    {NVDLA_CSC, "D_DATAIN_SIZE_EXT_1", NULL, FEATURES},
    {NVDLA_CSC, "D_DATAOUT_SIZE_0", "DATAOUT_HEIGHT", FEATURES},
    {NVDLA_CSC, "D_ATOMICS", NULL, PIXELS},
    {NVDLA_CSC, "D_DILATION_EXT", NULL, PIXELS},
    {NVDLA_CSC, "D_ZERO_PADDING", "PAD_LEFT", PIXELS},
    {NVDLA_CSC, "D_ZERO_PADDING", NULL, WINOGRAD},
    {NVDLA_CSC, "D_WEIGHT_SIZE_EXT_0", NULL, WINOGRAD},
    {NVDLA_CSC, "D_CONV_STRIDE_EXT", NULL, WINOGRAD},
    {NVDLA_CSC, "D_DILATION_EXT", NULL, WINOGRAD},
    {NVDLA_CACC, "D_DATAOUT_", NULL, ONE_BATCH},
    {NVDLA_CACC, "D_LINE_STRIDE", NULL, ONE_BATCH},
    {NVDLA_CACC, "D_SURF_STRIDE", NULL, ONE_BATCH},
    {NVDLA_PDP, "D_RECIP_", NULL, MAX},
    {NVDLA_PDP, "D_RECIP_", NULL, MIN},
    {NVDLA_PDP, "D_POOLING_PADDING_VALUE_", NULL, MAX},
    {NVDLA_PDP, "D_POOLING_PADDING_VALUE_", NULL, MIN},
    {NVDLA_PDP, "D_POOLING_PADDING_VALUE_", NULL, "no padding", {{"D_POOLING_PADDING_CFG", NULL, 0}}},
    {NVDLA_PDP, "D_PARTIAL_WIDTH_", NULL, WHOLE},
    {NVDLA_PDP_RDMA, "D_PARTIAL_WIDTH_", NULL, WHOLE},
    {NVDLA_PDP_RDMA, "D_POOLING_KERNEL_CFG", NULL, WHOLE},
    {NVDLA_CDP, "S_LUT_", NULL, "MUL_BYPASS=ENABLE", {{"D_FUNC_BYPASS", "MUL_BYPASS", 1}}},
    {NVDLA_RBK, "D_CONTRACT_STRIDE_", NULL, RUBIK_SPLIT},
    {NVDLA_RBK, "D_CONTRACT_STRIDE_", NULL, RUBIK_MERGE},
    {NVDLA_RBK, "D_DECONV_STRIDE", NULL, RUBIK_SPLIT},
    {NVDLA_RBK, "D_DECONV_STRIDE", NULL, RUBIK_MERGE},
};

static bool holds(const struct nvdla_config *config, const struct launch *launch, const struct condition *when) {
    const struct nvdla_register *reg = nvdla_register_find(config, launch->unit, when->reg);
    bool is_there = false;
    for (size_t i = 0; reg && i < reg->field_count; i++) {
        if (when->field && strcmp(reg->fields[i].name, when->field) != 0)
            continue;
        is_there = true;
        if (nvdla_field_value(&reg->fields[i],
                              launch_register(launch, reg->address - nvdla_unit_base(config, launch->unit))) !=
            when->value)
            return false;
    }
    return is_there;
}

/* Whether a field is one that decides about the others. */
static bool decides(const struct idle *idle, const struct nvdla_register *reg, const struct nvdla_field *field) {
    return strcmp(reg->name, idle->when[0].reg) == 0 &&
           (!idle->when[0].field || strcmp(field->name, idle->when[0].field) == 0);
}

/* Of all launches: counters, and fields that no function of the configuration is tied to. */
static const char *always_idle(const struct nvdla_config *config, const struct nvdla_register *reg,
                               const struct nvdla_field *field) {
    if (strcmp(reg->name, "D_PERF_ENABLE") == 0)
        return "counts only";
    if (strcmp(reg->name, "D_CYA") == 0 || strncmp(reg->name, "D_RESERVED_", 11) == 0)
        return "has no function";
    if ((reg->kinds & REGISTER_ADDRESS_HIGH) && config->addr_bits <= 32)
        return "addresses have 32 bits";
    if (strstr(reg->name, "NAN_FLUSH") && !nvdla_has(config, FEATURE_FP16))
        return "no FP16";
    for (size_t i = 0; i < sizeof unuseds / sizeof *unuseds; i++) {
        const struct unused *unused = &unuseds[i];
        if (unused->unit == reg->unit && strncmp(reg->name, unused->prefix, strlen(unused->prefix)) == 0 &&
            (!unused->field || strcmp(field->name, unused->field) == 0) &&
            (unused->needs == FEATURE_COUNT || !nvdla_has(config, unused->needs)))
            return unused->why;
    }
    return NULL;
}

const char *field_without_effect(const struct nvdla_config *config, const struct launch *launch,
                                 const struct nvdla_register *reg, const struct nvdla_field *field) {
    const char *always = always_idle(config, reg, field);
    if (always)
        return always;
    for (size_t i = 0; i < sizeof idles / sizeof *idles; i++) {
        const struct idle *idle = &idles[i];
        if (idle->unit == launch->unit && strncmp(reg->name, idle->prefix, strlen(idle->prefix)) == 0 &&
            (!idle->field || strcmp(field->name, idle->field) == 0) && !decides(idle, reg, field) &&
            holds(config, launch, &idle->when[0]) && (!idle->when[1].reg || holds(config, launch, &idle->when[1])))
            return idle->why;
    }
    return NULL;
}
