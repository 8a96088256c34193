/* A table of settings that others make meaningless. See effect.h. */
#include "compare/effect.h"

#include <string.h>

/* Registers of a unit whose name begins with a prefix, or one field of them, are without effect if a field of another
 * register of the unit has that value. */
struct idle {
    enum nvdla_unit unit;
    const char *prefix;
    const char *field; /* NULL: all fields, except the deciding one */
    const char *decided_by, *by_field;
    uint32_t value;
    const char *why;
};

#define STAGE(unit, stage)                                                                                             \
    {unit, "D_DP_" stage "_", NULL, "D_DP_" stage "_CFG", stage "_BYPASS", 1, stage "_BYPASS=1"},                      \
        {unit, "D_DP_" stage "_ALU_", NULL, "D_DP_" stage "_CFG", stage "_ALU_BYPASS", 1, stage "_ALU_BYPASS=1"},      \
        {unit, "D_DP_" stage "_CFG", stage "_ALU_ALGO", "D_DP_" stage "_CFG", stage "_ALU_BYPASS",                     \
         1,    stage "_ALU_BYPASS=1"},                                                                                 \
        {unit, "D_DP_" stage "_MUL_", NULL, "D_DP_" stage "_CFG", stage "_MUL_BYPASS", 1, stage "_MUL_BYPASS=1"},      \
        {unit, "D_DP_" stage "_CFG", stage "_MUL_PRELU", "D_DP_" stage "_CFG", stage "_MUL_BYPASS",                    \
         1,    stage "_MUL_BYPASS=1"},                                                                                 \
        {unit,                                                                                                         \
         "D_DP_" stage "_ALU_SRC_VALUE",                                                                               \
         NULL,                                                                                                         \
         "D_DP_" stage "_ALU_CFG",                                                                                     \
         stage "_ALU_SRC",                                                                                             \
         1,                                                                                                            \
         stage "_ALU_SRC=MEM"},                                                                                        \
        {unit,                                                                                                         \
         "D_DP_" stage "_MUL_SRC_VALUE",                                                                               \
         NULL,                                                                                                         \
         "D_DP_" stage "_MUL_CFG",                                                                                     \
         stage "_MUL_SRC",                                                                                             \
         1,                                                                                                            \
         stage "_MUL_SRC=MEM"}

#define OPERANDS(stage, dma)                                                                                           \
    {NVDLA_SDP_RDMA, "D_" stage "_", NULL, "D_" dma "_CFG", dma "_DISABLE", 1, dma "_DISABLE=1"},                      \
        {NVDLA_SDP_RDMA, "D_" dma "_CFG", NULL, "D_" dma "_CFG", dma "_DISABLE", 1, dma "_DISABLE=1"}

static const struct idle idles[] = {
    STAGE(NVDLA_SDP, "BS"),
    STAGE(NVDLA_SDP, "BN"),
    STAGE(NVDLA_SDP, "EW"),
    {NVDLA_SDP, "D_DP_EW_ALU_CVT_", NULL, "D_DP_EW_ALU_CFG", "EW_ALU_CVT_BYPASS", 1, "EW_ALU_CVT_BYPASS=1"},
    {NVDLA_SDP, "D_DP_EW_MUL_CVT_", NULL, "D_DP_EW_MUL_CFG", "EW_MUL_CVT_BYPASS", 1, "EW_MUL_CVT_BYPASS=1"},
    {NVDLA_SDP, "S_LUT_", NULL, "D_DP_EW_CFG", "EW_BYPASS", 1, "EW_BYPASS=1"},
    {NVDLA_SDP, "S_LUT_", NULL, "D_DP_EW_CFG", "EW_LUT_BYPASS", 1, "EW_LUT_BYPASS=1"},
    {NVDLA_SDP, "D_DST_", NULL, "D_FEATURE_MODE_CFG", "OUTPUT_DST", 1, "OUTPUT_DST=PDP"},
    {NVDLA_SDP, "D_DST_BATCH_STRIDE", NULL, "D_FEATURE_MODE_CFG", "BATCH_NUMBER", 0, "BATCH_NUMBER=0"},
    {NVDLA_SDP_RDMA, "D_SRC_", NULL, "D_FEATURE_MODE_CFG", "FLYING_MODE", 1, "FLYING_MODE=ON"},
    OPERANDS("BS", "BRDMA"),
    OPERANDS("BN", "NRDMA"),
    OPERANDS("EW", "ERDMA"),
    {NVDLA_SDP_RDMA, "D_BS_BATCH_STRIDE", NULL, "D_FEATURE_MODE_CFG", "BATCH_NUMBER", 0, "BATCH_NUMBER=0"},
    {NVDLA_SDP_RDMA, "D_BN_BATCH_STRIDE", NULL, "D_FEATURE_MODE_CFG", "BATCH_NUMBER", 0, "BATCH_NUMBER=0"},
    {NVDLA_SDP_RDMA, "D_EW_BATCH_STRIDE", NULL, "D_FEATURE_MODE_CFG", "BATCH_NUMBER", 0, "BATCH_NUMBER=0"},
    {NVDLA_CDMA, "D_MEAN_GLOBAL_", NULL, "D_MEAN_FORMAT", "MEAN_FORMAT", 0, "MEAN_FORMAT=DISABLE"},
    {NVDLA_CDMA, "D_MEAN_", NULL, "D_DATAIN_FORMAT", "DATAIN_FORMAT", 0, "DATAIN_FORMAT=FEATURE"},
    {NVDLA_CDMA, "D_PIXEL_OFFSET", NULL, "D_DATAIN_FORMAT", "DATAIN_FORMAT", 0, "DATAIN_FORMAT=FEATURE"},
    {NVDLA_CDMA, "D_DATAIN_FORMAT", NULL, "D_DATAIN_FORMAT", "DATAIN_FORMAT", 0, "DATAIN_FORMAT=FEATURE"},
    {NVDLA_CDMA, "D_DAIN_ADDR_HIGH_1", NULL, "D_DATAIN_FORMAT", "DATAIN_FORMAT", 0, "DATAIN_FORMAT=FEATURE"},
    {NVDLA_CDMA, "D_DAIN_ADDR_LOW_1", NULL, "D_DATAIN_FORMAT", "DATAIN_FORMAT", 0, "DATAIN_FORMAT=FEATURE"},
    {NVDLA_CDMA, "D_LINE_UV_STRIDE", NULL, "D_DATAIN_FORMAT", "DATAIN_FORMAT", 0, "DATAIN_FORMAT=FEATURE"},
    {NVDLA_CDMA, "D_CVT_OFFSET", NULL, "D_CVT_CFG", "CVT_EN", 0, "CVT_EN=DISABLE"},
    {NVDLA_CDMA, "D_CVT_SCALE", NULL, "D_CVT_CFG", "CVT_EN", 0, "CVT_EN=DISABLE"},
    {NVDLA_CDMA, "D_WGS_", NULL, "D_WEIGHT_FORMAT", "WEIGHT_FORMAT", 0, "WEIGHT_FORMAT=UNCOMPRESSED"},
    {NVDLA_CDMA, "D_WMB_", NULL, "D_WEIGHT_FORMAT", "WEIGHT_FORMAT", 0, "WEIGHT_FORMAT=UNCOMPRESSED"},
    {NVDLA_CDMA, "D_BATCH_STRIDE", NULL, "D_BATCH_NUMBER", "BATCHES", 0, "BATCHES=0"},
    {NVDLA_CSC, "D_PRA_CFG", NULL, "D_MISC_CFG", "CONV_MODE", 0, "CONV_MODE=DIRECT"},
    {NVDLA_CSC, "D_WMB_BYTES", NULL, "D_WEIGHT_FORMAT", "WEIGHT_FORMAT", 0, "WEIGHT_FORMAT=UNCOMPRESSED"},
    {NVDLA_PDP, "D_RECIP_", NULL, "D_OPERATION_MODE_CFG", "POOLING_METHOD", 1, "POOLING_METHOD=MAX"},
    {NVDLA_PDP, "D_RECIP_", NULL, "D_OPERATION_MODE_CFG", "POOLING_METHOD", 2, "POOLING_METHOD=MIN"},
    {NVDLA_PDP, "D_PARTIAL_WIDTH_", NULL, "D_OPERATION_MODE_CFG", "SPLIT_NUM", 0, "SPLIT_NUM=0"},
    {NVDLA_PDP_RDMA, "D_PARTIAL_WIDTH_", NULL, "D_OPERATION_MODE_CFG", "SPLIT_NUM", 0, "SPLIT_NUM=0"},
    {NVDLA_CDP, "S_LUT_", NULL, "D_FUNC_BYPASS", "MUL_BYPASS", 1, "MUL_BYPASS=ENABLE"},
    {NVDLA_RBK, "D_CONTRACT_STRIDE_", NULL, "D_MISC_CFG", "RUBIK_MODE", 1, "RUBIK_MODE=SPLIT"},
    {NVDLA_RBK, "D_CONTRACT_STRIDE_", NULL, "D_MISC_CFG", "RUBIK_MODE", 2, "RUBIK_MODE=MERGE"},
    {NVDLA_RBK, "D_DECONV_STRIDE", NULL, "D_MISC_CFG", "RUBIK_MODE", 1, "RUBIK_MODE=SPLIT"},
    {NVDLA_RBK, "D_DECONV_STRIDE", NULL, "D_MISC_CFG", "RUBIK_MODE", 2, "RUBIK_MODE=MERGE"},
};

static bool has_value(const struct nvdla_config *config, const struct launch *launch, const char *name,
                      const char *field, uint32_t value) {
    const struct nvdla_register *reg = nvdla_register_find(config, launch->unit, name);
    for (size_t i = 0; reg && i < reg->field_count; i++)
        if (strcmp(reg->fields[i].name, field) == 0)
            return nvdla_field_value(&reg->fields[i],
                                     launch_register(launch, reg->address - nvdla_unit_base(config, launch->unit))) ==
                   value;
    return false;
}

/* Of all units: counters, and fields that no function is tied to. */
static const char *always_idle(const struct nvdla_config *config, const struct nvdla_register *reg) {
    if (strcmp(reg->name, "D_PERF_ENABLE") == 0)
        return "counts only";
    if (strcmp(reg->name, "D_CYA") == 0 || strncmp(reg->name, "D_RESERVED_", 11) == 0)
        return "has no function";
    if (strstr(reg->name, "ADDR_HIGH") && config->addr_bits <= 32)
        return "addresses have 32 bits";
    if (strstr(reg->name, "NAN_FLUSH") && !nvdla_has(config, FEATURE_FP16))
        return "no FP16";
    return NULL;
}

const char *field_without_effect(const struct nvdla_config *config, const struct launch *launch,
                                 const struct nvdla_register *reg, const struct nvdla_field *field) {
    const char *always = always_idle(config, reg);
    if (always)
        return always;
    for (size_t i = 0; i < sizeof idles / sizeof *idles; i++) {
        const struct idle *idle = &idles[i];
        const bool decides = strcmp(reg->name, idle->decided_by) == 0 && strcmp(field->name, idle->by_field) == 0;
        if (idle->unit == launch->unit && !decides && strncmp(reg->name, idle->prefix, strlen(idle->prefix)) == 0 &&
            (!idle->field || strcmp(field->name, idle->field) == 0) &&
            has_value(config, launch, idle->decided_by, idle->by_field, idle->value))
            return idle->why;
    }
    return NULL;
}
