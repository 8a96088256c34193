/* The rules of legal programming: every rule is broken by a change of a legal layer that breaks nothing else, and the
 * model does what the rule says; then what the checker knows beyond registers. Spec: the lists "Illegal or undefined
 * programming" of the chapters 10 to 70, 98-measured-rules section 3. */
#include <stdio.h>

#include "legal_layers.h"
#include "model/overlap.h"
#include "model/rules.h"
#include "model/rules_table.h"
#include "model_bench.h"
#include "tests/unit/test.h"

enum { CHANGES = 16, TEXTS = 3 };

struct change {
    enum nvdla_unit unit;
    uint32_t offset, value;
};

/* A legal layer with changes. Behind `then` they are those of a second layer in group 1, which follows the first. */
struct rule_case {
    const char *config;
    enum legal_layer layer;
    enum rule_effect effect;
    const char *texts[TEXTS]; /* [0]: of the rule; others: told at the same time */
    struct change changes[CHANGES];
    struct change then[CHANGES];
};

#define SET(unit, reg, value) {NVDLA_##unit, unit##_##reg, value}

/* SDP and its RDMA processing INT16 or FP16, the operands of two bytes. */
#define SDP_INT16                                                                                                      \
    SET(SDP, D_DATA_FORMAT, 0x5), SET(SDP_RDMA, D_FEATURE_MODE_CFG, 0x54), SET(SDP_RDMA, D_BRDMA_CFG, 0x2c)
#define SDP_FP16 SET(SDP, D_DATA_FORMAT, 0xa), SET(SDP_RDMA, D_FEATURE_MODE_CFG, 0xa8), SET(SDP_RDMA, D_BRDMA_CFG, 0x2c)
#define CDP_FORMAT(format) SET(CDP, D_DATA_FORMAT, format), SET(CDP_RDMA, D_DATA_FORMAT, format)

/* A cube of one pixel and two surfaces. */
#define SDP_PIXEL                                                                                                      \
    SET(SDP, D_DATA_CUBE_WIDTH, 0), SET(SDP, D_DATA_CUBE_HEIGHT, 0), SET(SDP, D_DATA_CUBE_CHANNEL, 63),                \
        SET(SDP_RDMA, D_DATA_CUBE_WIDTH, 0), SET(SDP_RDMA, D_DATA_CUBE_HEIGHT, 0),                                     \
        SET(SDP_RDMA, D_DATA_CUBE_CHANNEL, 63)

#define REUSE_DATA 0x00010000u
#define REUSE_WEIGHTS 0x00100000u
#define SKIP_DATA 0x01000000u
#define SKIP_WEIGHTS 0x10000000u

static const struct rule_case rule_cases[] = {
    /* ---- CDMA ---- */
    {"full", LEGAL_CONVOLUTION, RULE_REFUSED, {"no precision 3 (30"}, {SET(CDMA, D_MISC_CFG, 0x3300)}, {{0}}},
    {"full", LEGAL_CONVOLUTION, RULE_REFUSED, {"IN and PROC precision"}, {SET(CDMA, D_MISC_CFG, 0x100)}, {{0}}},
    {"full", LEGAL_IMAGE, RULE_REFUSED, {"no such pixel format"}, {SET(CDMA, D_DATAIN_FORMAT, 0x3f01)}, {{0}}},
    {"small", LEGAL_IMAGE, RULE_REFUSED, {"no such pixel format"}, {SET(CDMA, D_DATAIN_FORMAT, 0x101)}, {{0}}},
    {"full",
     LEGAL_IMAGE,
     RULE_REFUSED,
     {"that of the pixel format"},
     {SET(CDMA, D_MISC_CFG, 0x100), SET(CDMA, D_CVT_CFG, 1)},
     {{0}}},
    {"full", LEGAL_IMAGE, RULE_REFUSED, {"another width than PROC"}, {SET(CDMA, D_MISC_CFG, 0x1000)}, {{0}}},
    {"full",
     LEGAL_IMAGE,
     RULE_WARNS,
     {"pixels are copied unchanged"},
     {SET(CDMA, D_MISC_CFG, 0x2100), SET(CDMA, D_DATAIN_FORMAT, 0x201), SET(CDMA, D_WEIGHT_SIZE_0, 7),
      SET(CDMA, D_WEIGHT_BYTES, 256), SET(CSC, D_MISC_CFG, 0x2000), SET(CMAC_A, D_MISC_CFG, 0x2000),
      SET(CMAC_B, D_MISC_CFG, 0x2000), SET(CACC, D_MISC_CFG, 0x2000), SET(SDP, D_DATA_FORMAT, 0xa)},
     {{0}}},
    {"full",
     LEGAL_IMAGE,
     RULE_REFUSED,
     {"PIXEL_X_OFFSET must lie"},
     {SET(CDMA, D_DATAIN_FORMAT, 0xc01), SET(CDMA, D_PIXEL_OFFSET, 8)},
     {{0}}},
    {"small", LEGAL_CONVOLUTION, RULE_REFUSED, {"no Winograd convolution (30"}, {SET(CDMA, D_MISC_CFG, 1)}, {{0}}},
    {"small", LEGAL_CONVOLUTION, RULE_REFUSED, {"no weight compression (30"}, {SET(CDMA, D_WEIGHT_FORMAT, 1)}, {{0}}},
    {"small", LEGAL_CONVOLUTION, RULE_REFUSED, {"has no batches"}, {SET(CDMA, D_BATCH_NUMBER, 1)}, {{0}}},
    {"full", LEGAL_IMAGE, RULE_WARNS, {"only layers with feature input"}, {SET(CDMA, D_BATCH_NUMBER, 1)}, {{0}}},
    {"full", LEGAL_WINOGRAD, RULE_REFUSED, {"Winograd takes no image input"}, {SET(CDMA, D_DATAIN_FORMAT, 1)}, {{0}}},
    {"full",
     LEGAL_WINOGRAD,
     RULE_REFUSED,
     {"extended sizes of Winograd"},
     {SET(CDMA, D_DATAIN_SIZE_EXT_0, 0x70006)},
     {{0}}},
    {"full", LEGAL_WINOGRAD, RULE_REFUSED, {"must be the padded size"}, {SET(CDMA, D_ZERO_PADDING, 0)}, {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_HANGS,
     {"fetches at a time never fits", "must hold the whole input"},
     {SET(CDMA, D_ENTRY_PER_SLICE, 256), SET(CSC, D_ENTRY_PER_SLICE, 256)},
     {{0}}},
    {"small", LEGAL_CONVOLUTION, RULE_HANGS, {RULE_NO_PORT}, {SET(CDMA, D_DAIN_RAM_TYPE, 0)}, {{0}}},
    {"small", LEGAL_CONVOLUTION, RULE_HANGS, {RULE_NO_PORT}, {SET(CDMA, D_WEIGHT_RAM_TYPE, 0)}, {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_HANGS,
     {"end before the last kernel group"},
     {SET(CDMA, D_WEIGHT_SIZE_1, 63), SET(CDMA, D_WEIGHT_BYTES, 2048), SET(CSC, D_WEIGHT_SIZE_EXT_1, 0x3f001f),
      SET(SDP, D_DATA_CUBE_CHANNEL, 63)},
     {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_WARNS,
     {"end inside the last kernel group"},
     {SET(CDMA, D_WEIGHT_BYTES, 1024)},
     {{0}}},
    {"full", LEGAL_COMPRESSED, RULE_WARNS, {"end inside the last kernel group"}, {SET(CDMA, D_WMB_BYTES, 256)}, {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_WARNS,
     {"CBUF has fewer banks"},
     {SET(CDMA, D_BANK, 0xf), SET(CSC, D_BANK, 0xf)},
     {{0}}},
    {"small",
     LEGAL_CONVOLUTION,
     RULE_WARNS,
     {"a line fills more entries"},
     {SET(CDMA, D_ENTRY_PER_SLICE, 2), SET(CSC, D_ENTRY_PER_SLICE, 2)},
     {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_WARNS,
     {"LINE_PACKED with another line stride"},
     {SET(CDMA, D_FETCH_GRAIN, 1), SET(CDMA, D_LINE_STRIDE, 0xa0)},
     {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_WARNS,
     {"SURF_PACKED with spread surfaces"},
     {SET(CDMA, D_DATAIN_SIZE_0, 0), SET(CDMA, D_DATAIN_SIZE_1, 63), SET(CDMA, D_SURF_STRIDE, 0x100),
      SET(CDMA, D_WEIGHT_SIZE_0, 63), SET(CSC, D_DATAIN_SIZE_EXT_0, 0), SET(CSC, D_DATAIN_SIZE_EXT_1, 63),
      SET(CSC, D_WEIGHT_SIZE_EXT_0, 0), SET(CSC, D_WEIGHT_SIZE_EXT_1, 0x1f003f), SET(CSC, D_DATAOUT_SIZE_0, 0),
      SET(CSC, D_ATOMICS, 0), SET(CSC, D_RELEASE, 0), SET(SDP, D_DATA_CUBE_WIDTH, 0), SET(SDP, D_DATA_CUBE_HEIGHT, 0)},
     {{0}}},
    {"small", LEGAL_CONVOLUTION, RULE_WARNS, {RULE_MISALIGNED}, {SET(CDMA, D_LINE_STRIDE, 0x21)}, {{0}}},

    /* ---- CSC ---- */
    {"full", LEGAL_CONVOLUTION, RULE_REFUSED, {"no precision 3 (40"}, {SET(CSC, D_MISC_CFG, 0x3000)}, {{0}}},
    {"full", LEGAL_IMAGE, RULE_REFUSED, {"no Y_EXTENSION 3"}, {SET(CSC, D_POST_Y_EXTENSION, 3)}, {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_REFUSED,
     {"only image input has a post-extension"},
     {SET(CSC, D_POST_Y_EXTENSION, 1)},
     {{0}}},
    {"full",
     LEGAL_IMAGE,
     RULE_REFUSED,
     {"must fit the lanes of one line"},
     {SET(CSC, D_POST_Y_EXTENSION, 2), SET(CSC, D_WEIGHT_SIZE_EXT_1, 0x1f0010)},
     {{0}}},
    {"small", LEGAL_CONVOLUTION, RULE_REFUSED, {"no Winograd convolution (40"}, {SET(CSC, D_MISC_CFG, 1)}, {{0}}},
    {"small", LEGAL_CONVOLUTION, RULE_REFUSED, {"no weight compression (40"}, {SET(CSC, D_WEIGHT_FORMAT, 1)}, {{0}}},
    {"full", LEGAL_WINOGRAD, RULE_REFUSED, {"Winograd takes no image input"}, {SET(CSC, D_DATAIN_FORMAT, 1)}, {{0}}},
    {"full", LEGAL_WINOGRAD, RULE_REFUSED, {"output sizes of Winograd"}, {SET(CSC, D_DATAOUT_SIZE_0, 0x30002)}, {{0}}},
    {"full",
     LEGAL_WINOGRAD,
     RULE_REFUSED,
     {"channels of Winograd fill whole atoms"},
     {SET(CSC, D_WEIGHT_SIZE_EXT_1, 0x1f000f)},
     {{0}}},
    {"full", LEGAL_WINOGRAD, RULE_REFUSED, {"ATOMICS must be the outputs"}, {SET(CSC, D_ATOMICS, 11)}, {{0}}},
    {"full", LEGAL_CONVOLUTION, RULE_REFUSED, {"fewer slices to release"}, {SET(CSC, D_RELEASE, 4)}, {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_HANGS,
     {"weight banks must hold a kernel group"},
     {SET(CSC, D_WEIGHT_SIZE_EXT_0, 0x70007), SET(CDMA, D_WEIGHT_SIZE_0, 2047), SET(CDMA, D_WEIGHT_BYTES, 65536)},
     {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_WARNS,
     {"CSC makes ATOMICS + 1 outputs"},
     {SET(CSC, D_ATOMICS, 5), SET(SDP, D_DATA_CUBE_HEIGHT, 1)},
     {{0}}},
    {"full", LEGAL_IMAGE, RULE_WARNS, {"image input ignores dilation"}, {SET(CSC, D_DILATION_EXT, 1)}, {{0}}},
    {"full",
     LEGAL_WINOGRAD,
     RULE_WARNS,
     {"Winograd ignores stride and dilation"},
     {SET(CSC, D_CONV_STRIDE_EXT, 1)},
     {{0}}},
    {"full", LEGAL_IMAGE, RULE_WARNS, {"the layer ignores batches"}, {SET(CSC, D_BATCH_NUMBER, 1)}, {{0}}},
    {"small", LEGAL_CONVOLUTION, RULE_WARNS, {"the layer ignores batches"}, {SET(CSC, D_BATCH_NUMBER, 1)}, {{0}}},
    {"full", LEGAL_CONVOLUTION, RULE_WARNS, {"windows lie completely"}, {SET(CSC, D_ZERO_PADDING, 2)}, {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_WARNS,
     {"lines kept by the layer before"},
     {SET(CDMA, D_MISC_CFG, SKIP_DATA), SET(CSC, D_MISC_CFG, SKIP_DATA)},
     {SET(CDMA, D_MISC_CFG, REUSE_DATA), SET(CSC, D_MISC_CFG, REUSE_DATA), SET(CDMA, D_DATAIN_SIZE_0, 0x30002),
      SET(CSC, D_DATAIN_SIZE_EXT_0, 0x30002), SET(CSC, D_DATAOUT_SIZE_0, 0x20001), SET(CSC, D_ATOMICS, 5),
      SET(SDP, D_DATA_CUBE_WIDTH, 1)}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_WARNS,
     {"weights kept by the layer before"},
     {SET(CDMA, D_MISC_CFG, SKIP_WEIGHTS), SET(CSC, D_MISC_CFG, SKIP_WEIGHTS)},
     {SET(CDMA, D_MISC_CFG, REUSE_WEIGHTS), SET(CSC, D_MISC_CFG, REUSE_WEIGHTS), SET(CDMA, D_WEIGHT_SIZE_0, 63),
      SET(CSC, D_WEIGHT_SIZE_EXT_0, 1), SET(CSC, D_DATAOUT_SIZE_0, 0x30002), SET(CSC, D_ATOMICS, 11),
      SET(SDP, D_DATA_CUBE_HEIGHT, 3)}},

    /* ---- CSC with CDMA, CMAC and CACC ---- */
    {"full",
     LEGAL_CONVOLUTION,
     RULE_REFUSED,
     {"same in CSC and CDMA"},
     {SET(CDMA, D_MISC_CFG, 0x1100), SET(CDMA, D_ENTRY_PER_SLICE, 1), SET(CSC, D_ENTRY_PER_SLICE, 1)},
     {{0}}},
    {"full", LEGAL_CONVOLUTION, RULE_REFUSED, {"same in CSC and CMAC_A"}, {SET(CMAC_A, D_MISC_CFG, 0x1000)}, {{0}}},
    {"full", LEGAL_CONVOLUTION, RULE_REFUSED, {"same in CSC and CMAC_B"}, {SET(CMAC_B, D_MISC_CFG, 1)}, {{0}}},
    {"full", LEGAL_CONVOLUTION, RULE_REFUSED, {"same in CSC and CACC"}, {SET(CACC, D_MISC_CFG, 0x2000)}, {{0}}},
    {"small", LEGAL_CONVOLUTION, RULE_REFUSED, {"agree on feature or image"}, {SET(CDMA, D_DATAIN_FORMAT, 1)}, {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_REFUSED,
     {"agree on the format of the weights"},
     {SET(CDMA, D_WEIGHT_FORMAT, 1), SET(CDMA, D_WMB_BYTES, 512)},
     {{0}}},
    {"full", LEGAL_CONVOLUTION, RULE_REFUSED, {"must have the same batches"}, {SET(CDMA, D_BATCH_NUMBER, 1)}, {{0}}},
    {"full", LEGAL_CONVOLUTION, RULE_REFUSED, {"must have the same banks"}, {SET(CDMA, D_BANK, 1)}, {{0}}},
    {"full",
     LEGAL_WINOGRAD,
     RULE_REFUSED,
     {"must have the same extended width"},
     {SET(CDMA, D_DATAIN_SIZE_0, 0x50009), SET(CDMA, D_DATAIN_SIZE_EXT_0, 0x7000b), SET(CDMA, D_ENTRY_PER_SLICE, 2),
      SET(CSC, D_ENTRY_PER_SLICE, 2)},
     {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_REFUSED,
     {"more than the data banks hold"},
     {SET(CSC, D_ENTRY_PER_SLICE, 99)},
     {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_HANGS,
     {"data banks must hold the whole input"},
     {SET(CDMA, D_ENTRY_PER_SLICE, 99), SET(CSC, D_ENTRY_PER_SLICE, 99)},
     {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_HANGS,
     {"waits for more lines than CDMA fetches"},
     {SET(CDMA, D_DATAIN_SIZE_0, 0x20003)},
     {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_HANGS,
     {"waits for more kernels than CDMA fetches"},
     {SET(CDMA, D_WEIGHT_SIZE_1, 15)},
     {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_WARNS,
     {"fetches more lines than CSC takes"},
     {SET(CDMA, D_DATAIN_SIZE_0, 0x40003)},
     {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_WARNS,
     {"fetches more kernels than CSC takes"},
     {SET(CDMA, D_WEIGHT_SIZE_1, 63), SET(CDMA, D_WEIGHT_BYTES, 8192)},
     {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_WARNS,
     {"lines of another width than CDMA writes"},
     {SET(CDMA, D_DATAIN_SIZE_0, 0x30002)},
     {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_WARNS,
     {"CSC reads the slices elsewhere"},
     {SET(CSC, D_ENTRY_PER_SLICE, 1)},
     {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_WARNS,
     {"another size than BYTE_PER_KERNEL"},
     {SET(CDMA, D_WEIGHT_SIZE_0, 63)},
     {{0}}},
    {"full",
     LEGAL_CONVOLUTION,
     RULE_WARNS,
     {"kept weights must have the same size"},
     {SET(CDMA, D_MISC_CFG, SKIP_WEIGHTS), SET(CSC, D_MISC_CFG, SKIP_WEIGHTS), SET(CSC, D_WEIGHT_BYTES, 128)},
     {{0}}},
    {"full", LEGAL_IMAGE, RULE_WARNS, {"another number of components"}, {SET(CSC, D_DATAIN_SIZE_EXT_1, 3)}, {{0}}},

    /* ---- SDP ---- */
    {"full", LEGAL_SDP, RULE_REFUSED, {"no precision 3 (50"}, {SET(SDP, D_DATA_FORMAT, 3)}, {{0}}},
    {"full",
     LEGAL_SDP,
     RULE_HANGS,
     {"16 bits has no INT8 output"},
     {SET(SDP, D_DATA_FORMAT, 1), SET(SDP_RDMA, D_FEATURE_MODE_CFG, 0x14), SET(SDP_RDMA, D_BRDMA_CFG, 0x2c)},
     {{0}}},
    {"full", LEGAL_SDP, RULE_REFUSED, {"INT8 processing has no FP16"}, {SET(SDP, D_DATA_FORMAT, 8)}, {{0}}},
    {"full", LEGAL_SDP, RULE_REFUSED, {"come from CACC only"}, {SET(SDP, D_FEATURE_MODE_CFG, 0x100)}, {{0}}},
    {"full", LEGAL_BATCHES, RULE_REFUSED, {"go to memory only"}, {SET(SDP, D_FEATURE_MODE_CFG, 0x103)}, {{0}}},
    {"full", LEGAL_WINOGRAD, RULE_REFUSED, {"exclude each other"}, {SET(SDP, D_FEATURE_MODE_CFG, 0x105)}, {{0}}},
    {"full", LEGAL_BATCHES, RULE_REFUSED, {"take no conversion"}, {SET(SDP, D_DATA_FORMAT, 4)}, {{0}}},
    {"full", LEGAL_WINOGRAD, RULE_REFUSED, {"needs an even width"}, {SET(SDP, D_DATA_CUBE_WIDTH, 2)}, {{0}}},
    {"full", LEGAL_TABLE, RULE_REFUSED, {"compare mode excludes"}, {SET(SDP, D_DP_EW_CFG, 0x1c)}, {{0}}},
    {"small", LEGAL_SDP, RULE_HANGS, {RULE_NO_PORT}, {SET(SDP, D_DST_DMA_CFG, 0)}, {{0}}},
    {"small", LEGAL_SDP, RULE_WARNS, {"has no EW stage"}, {SET(SDP, D_DP_EW_CFG, 0x12)}, {{0}}},
    {"small", LEGAL_SDP, RULE_WARNS, {"cannot compare"}, {SET(SDP, D_DP_EW_CFG, 0x1c)}, {{0}}},
    {"small", LEGAL_SDP, RULE_WARNS, {"PReLU acts on the result"}, {SET(SDP, D_DP_BS_CFG, 0x68)}, {{0}}},
    {"full",
     LEGAL_SDP,
     RULE_WARNS,
     {"FP32 operand with the pattern of infinity"},
     {SDP_FP16, SET(SDP, D_DP_EW_CFG, 0x58), SET(SDP, D_DP_EW_ALU_SRC_VALUE, 0x7f800000)},
     {{0}}},
    {"full", LEGAL_BATCHES, RULE_WARNS, {"begin lines with a single"}, {SET(SDP, D_DST_BASE_ADDR_LOW, 0x8020)}, {{0}}},
    {"small", LEGAL_SDP, RULE_WARNS, {RULE_MISALIGNED}, {SET(SDP, D_DST_LINE_STRIDE, 0x21)}, {{0}}},
    {"full",
     LEGAL_SDP,
     RULE_WARNS,
     {"whatever the stride says (50-sdp section 8.1)"},
     {SDP_PIXEL, SET(SDP_RDMA, D_SRC_SURFACE_STRIDE, 32)},
     {{0}}},

    /* ---- SDP_RDMA ---- */
    {"small", LEGAL_SDP, RULE_REFUSED, {"no DATA_USE 3"}, {SET(SDP_RDMA, D_BRDMA_CFG, 0x26)}, {{0}}},
    {"full",
     LEGAL_SDP,
     RULE_REFUSED,
     {"takes operands of two bytes"},
     {SDP_INT16, SET(SDP_RDMA, D_BRDMA_CFG, 0x24)},
     {{0}}},
    {"small", LEGAL_SDP, RULE_HANGS, {RULE_NO_PORT}, {SET(SDP_RDMA, D_BRDMA_CFG, 0x04)}, {{0}}},
    {"small", LEGAL_SDP, RULE_HANGS, {RULE_NO_PORT}, {SET(SDP_RDMA, D_SRC_DMA_CFG, 0)}, {{0}}},
    {"small", LEGAL_SDP, RULE_WARNS, {RULE_MISALIGNED}, {SET(SDP_RDMA, D_SRC_LINE_STRIDE, 0x21)}, {{0}}},
    {"small", LEGAL_SDP, RULE_WARNS, {RULE_MISALIGNED}, {SET(SDP_RDMA, D_BS_BASE_ADDR_LOW, 0x7001)}, {{0}}},
    {"full",
     LEGAL_SDP,
     RULE_WARNS,
     {"whatever the stride says (50-sdp section 3.2)"},
     {SDP_PIXEL, SET(SDP, D_DST_SURFACE_STRIDE, 32)},
     {{0}}},

    /* ---- SDP with SDP_RDMA ---- */
    {"small", LEGAL_SDP, RULE_HANGS, {"must have the same cube (50"}, {SET(SDP_RDMA, D_DATA_CUBE_WIDTH, 2)}, {{0}}},
    {"small", LEGAL_SDP, RULE_HANGS, {"must have the same cube (50"}, {SET(SDP_RDMA, D_DATA_CUBE_CHANNEL, 8)}, {{0}}},
    {"small", LEGAL_SDP, RULE_HANGS, {"the same FLYING_MODE"}, {SET(SDP_RDMA, D_FEATURE_MODE_CFG, 1)}, {{0}}},
    {"full", LEGAL_SDP, RULE_REFUSED, {"same PROC and OUT"}, {SET(SDP_RDMA, D_FEATURE_MODE_CFG, 0x40)}, {{0}}},
    {"full", LEGAL_SDP, RULE_REFUSED, {"agree on Winograd order"}, {SET(SDP_RDMA, D_FEATURE_MODE_CFG, 0x100)}, {{0}}},
    {"full", LEGAL_SDP, RULE_REFUSED, {"no precision 3 (50"}, {SET(SDP_RDMA, D_FEATURE_MODE_CFG, 0xc)}, {{0}}},
    {"full",
     LEGAL_SDP,
     RULE_REFUSED,
     {"INT8 input has no processing"},
     {SDP_INT16, SET(SDP_RDMA, D_FEATURE_MODE_CFG, 0x50)},
     {{0}}},
    {"full", LEGAL_SDP, RULE_HANGS, {"FP16 input has no INT8"}, {SET(SDP_RDMA, D_FEATURE_MODE_CFG, 8)}, {{0}}},
    {"full",
     LEGAL_SDP,
     RULE_WARNS,
     {"interpreted as FP16 or the reverse"},
     {SDP_FP16, SET(SDP_RDMA, D_FEATURE_MODE_CFG, 0xa4)},
     {{0}}},
    {"small", LEGAL_SDP, RULE_HANGS, {"SDP_RDMA does not fetch"}, {SET(SDP_RDMA, D_BRDMA_CFG, 0x21)}, {{0}}},
    {"small",
     LEGAL_SDP,
     RULE_HANGS,
     {"SDP_RDMA does not fetch"},
     {SET(SDP, D_DP_BN_CFG, 0x58), SET(SDP, D_DP_BN_ALU_CFG, 1)},
     {{0}}},
    {"full",
     LEGAL_SDP,
     RULE_HANGS,
     {"SDP_RDMA does not fetch"},
     {SET(SDP, D_DP_EW_CFG, 0x58), SET(SDP, D_DP_EW_ALU_CFG, 1)},
     {{0}}},
    {"small", LEGAL_SDP, RULE_HANGS, {"fetches a component"}, {SET(SDP, D_DP_BS_CFG, 0x58)}, {{0}}},
    {"small",
     LEGAL_SDP,
     RULE_HANGS,
     {"fetches a component"},
     {SET(SDP, D_DP_BN_CFG, 0x58), SET(SDP, D_DP_BN_ALU_CFG, 1), SET(SDP_RDMA, D_NRDMA_CFG, 0x24)},
     {{0}}},
    {"full",
     LEGAL_SDP,
     RULE_HANGS,
     {"fetches a component"},
     {SET(SDP, D_DP_EW_CFG, 0x58), SET(SDP, D_DP_EW_ALU_CFG, 1), SET(SDP_RDMA, D_ERDMA_CFG, 0x24)},
     {{0}}},
    {"small", LEGAL_SDP, RULE_WARNS, {"operands that the stage does not take"}, {SET(SDP, D_DP_BS_CFG, 1)}, {{0}}},
    {"small",
     LEGAL_SDP,
     RULE_WARNS,
     {"operands that the stage does not take"},
     {SET(SDP_RDMA, D_NRDMA_CFG, 0x22)},
     {{0}}},
    {"full",
     LEGAL_SDP,
     RULE_WARNS,
     {"operands that the stage does not take"},
     {SET(SDP_RDMA, D_ERDMA_CFG, 0x22)},
     {{0}}},
    {"full",
     LEGAL_BATCHES,
     RULE_REFUSED,
     {"batches with operands per element", "begin lines with a single"},
     {SET(SDP, D_DP_BS_CFG, 0x58), SET(SDP, D_DP_BS_ALU_CFG, 1), SET(SDP, D_DST_BASE_ADDR_LOW, 0x8020),
      SET(SDP_RDMA, D_FEATURE_MODE_CFG, 0x101), SET(SDP_RDMA, D_BRDMA_CFG, 0x32), SET(SDP_RDMA, D_OP_ENABLE, 1)},
     {{0}}},
    {"full",
     LEGAL_BATCHES,
     RULE_HANGS,
     {"batches of 1x1 cubes", "does not deliver the cube that SDP takes"},
     {SDP_PIXEL, SET(SDP, D_DP_BS_CFG, 0x58), SET(SDP, D_DP_BS_ALU_CFG, 1), SET(SDP_RDMA, D_FEATURE_MODE_CFG, 0x101),
      SET(SDP_RDMA, D_BRDMA_CFG, 0x32), SET(SDP_RDMA, D_OP_ENABLE, 1), SET(CSC, D_DATAOUT_SIZE_0, 0x20000),
      SET(CSC, D_ATOMICS, 2)},
     {{0}}},
    {"small",
     LEGAL_SDP,
     RULE_REFUSED,
     {"overlaps the input or the operands"},
     {SET(SDP, D_DST_BASE_ADDR_LOW, LEGAL_SOURCE + 8)},
     {{0}}},

    /* ---- SDP after the convolution core, before PDP, its table ---- */
    {"full", LEGAL_CONVOLUTION, RULE_REFUSED, {"that of the convolution"}, {SET(SDP, D_DATA_FORMAT, 5)}, {{0}}},
    {"full", LEGAL_CONVOLUTION, RULE_REFUSED, {"SDP and CSC must agree"}, {SET(SDP, D_FEATURE_MODE_CFG, 0x101)}, {{0}}},
    {"small", LEGAL_CONVOLUTION, RULE_HANGS, {"does not deliver the cube"}, {SET(SDP, D_DATA_CUBE_WIDTH, 1)}, {{0}}},
    {"full", LEGAL_SDP_POOLING, RULE_REFUSED, {"must be the data type of PDP"}, {SET(PDP, D_DATA_FORMAT, 1)}, {{0}}},
    {"small",
     LEGAL_SDP_POOLING,
     RULE_HANGS,
     {"does not deliver the cube that PDP takes"},
     {SET(PDP, D_DATA_CUBE_IN_HEIGHT, 5), SET(PDP, D_DATA_CUBE_OUT_HEIGHT, 2)},
     {{0}}},
    {"full",
     LEGAL_TABLE,
     RULE_WARNS,
     {"START or END with the pattern of infinity"},
     {SDP_FP16, SET(SDP, S_LUT_LE_START, 0xff800000)},
     {{0}}},
    {"full", LEGAL_TABLE, RULE_WARNS, {"makes the base of underflows"}, {SDP_FP16, SET(SDP, S_LUT_INFO, 0x80)}, {{0}}},
    {"full",
     LEGAL_TABLE,
     RULE_WARNS,
     {"a NaN as START or END makes"},
     {SDP_FP16, SET(SDP, S_LUT_LO_END, 0x7fc00000)},
     {{0}}},
    {"full", LEGAL_TABLE, RULE_WARNS, {"INDEX_SELECT above 31"}, {SET(SDP, S_LUT_INFO, 0x200000)}, {{0}}},

    /* ---- PDP ---- */
    {"small", LEGAL_POOLING, RULE_REFUSED, {"no POOLING_METHOD 3"}, {SET(PDP, D_OPERATION_MODE_CFG, 0x13)}, {{0}}},
    {"full", LEGAL_POOLING, RULE_REFUSED, {"no data type 3 (60"}, {SET(PDP, D_DATA_FORMAT, 3)}, {{0}}},
    {"small", LEGAL_POOLING, RULE_REFUSED, {"at most 8 rows"}, {SET(PDP, D_POOLING_KERNEL_CFG, 0x110108)}, {{0}}},
    {"small", LEGAL_POOLING, RULE_REFUSED, {"completely in padding"}, {SET(PDP, D_POOLING_PADDING_CFG, 2)}, {{0}}},
    {"small", LEGAL_POOLING, RULE_REFUSED, {"not that of the windows"}, {SET(PDP, D_DATA_CUBE_OUT_WIDTH, 0)}, {{0}}},
    {"small",
     LEGAL_STRIPS,
     RULE_REFUSED,
     {"widths of the strips"},
     {SET(PDP, D_PARTIAL_WIDTH_IN, 0x402), SET(PDP_RDMA, D_PARTIAL_WIDTH_IN, 0x402)},
     {{0}}},
    {"small",
     LEGAL_POOLING,
     RULE_REFUSED,
     {"without the rest the padding makes fewer"},
     {SET(PDP, D_POOLING_KERNEL_CFG, 0x110102), SET(PDP, D_POOLING_PADDING_CFG, 2 << 8)},
     {{0}}},
    {"small",
     LEGAL_POOLING,
     RULE_HANGS,
     {"even the first one passes its end"},
     {SET(PDP, D_POOLING_KERNEL_CFG, 0x120104), SET(PDP, D_POOLING_PADDING_CFG, 5 << 8)},
     {{0}}},
    {"small",
     LEGAL_POOLING,
     RULE_WARNS,
     {"rows that no window uses"},
     {SET(PDP, D_DATA_CUBE_IN_HEIGHT, 4), SET(PDP_RDMA, D_DATA_CUBE_IN_HEIGHT, 4)},
     {{0}}},
    {"small",
     LEGAL_SDP_POOLING,
     RULE_WARNS,
     {"columns that no window uses"},
     {SET(SDP, D_DATA_CUBE_WIDTH, 4), SET(SDP_RDMA, D_DATA_CUBE_WIDTH, 4), SET(PDP, D_DATA_CUBE_IN_WIDTH, 4),
      SET(PDP, D_POOLING_PADDING_CFG, 1 << 12)},
     {{0}}},
    {"small",
     LEGAL_POOLING,
     RULE_REFUSED,
     {"line buffer holds fewer"},
     {SET(PDP, D_DATA_CUBE_IN_WIDTH, 257), SET(PDP, D_DATA_CUBE_OUT_WIDTH, 128), SET(PDP, D_DST_LINE_STRIDE, 0x1000)},
     {{0}}},
    {"small",
     LEGAL_POOLING,
     RULE_HANGS,
     {"line buffer holds fewer"},
     {SET(PDP, D_POOLING_KERNEL_CFG, 0x110201), SET(PDP, D_DATA_CUBE_IN_HEIGHT, 4),
      SET(PDP_RDMA, D_DATA_CUBE_IN_HEIGHT, 4), SET(PDP, D_DATA_CUBE_IN_WIDTH, 129),
      SET(PDP_RDMA, D_DATA_CUBE_IN_WIDTH, 129), SET(PDP, D_DATA_CUBE_OUT_WIDTH, 64),
      SET(PDP, D_DST_LINE_STRIDE, 0x1000)},
     {{0}}},
    {"small",
     LEGAL_STRIPS,
     RULE_HANGS,
     {"a strip without input columns"},
     {SET(PDP, D_POOLING_KERNEL_CFG, 0x110100), SET(PDP_RDMA, D_POOLING_KERNEL_CFG, 0x10),
      SET(PDP, D_POOLING_PADDING_CFG, 1 << 8), SET(PDP, D_PARTIAL_WIDTH_IN, 0), SET(PDP_RDMA, D_PARTIAL_WIDTH_IN, 0)},
     {{0}}},
    {"small",
     LEGAL_SDP_POOLING,
     RULE_HANGS,
     {"no strips on the fly"},
     {SET(PDP, D_OPERATION_MODE_CFG, 0x100), SET(PDP, D_PARTIAL_WIDTH_IN, 0x401)},
     {{0}}},
    {"small", LEGAL_POOLING, RULE_HANGS, {"the same surfaces"}, {SET(PDP, D_DATA_CUBE_OUT_CHANNEL, 8)}, {{0}}},
    {"small", LEGAL_POOLING, RULE_HANGS, {RULE_NO_PORT}, {SET(PDP, D_DST_RAM_CFG, 0)}, {{0}}},
    {"full",
     LEGAL_POOLING,
     RULE_REFUSED,
     {"reciprocals of FP16 layers must be finite"},
     {SET(PDP, D_DATA_FORMAT, 2), SET(PDP_RDMA, D_DATA_FORMAT, 2), SET(PDP, D_RECIP_KERNEL_WIDTH, 0x1fc00)},
     {{0}}},
    {"small", LEGAL_POOLING, RULE_WARNS, {"lines of the destination"}, {SET(PDP, D_DST_LINE_STRIDE, 8)}, {{0}}},
    {"small", LEGAL_POOLING, RULE_WARNS, {RULE_MISALIGNED}, {SET(PDP, D_DST_LINE_STRIDE, 0x11)}, {{0}}},
    {"small", LEGAL_POOLING, RULE_HANGS, {RULE_NO_PORT}, {SET(PDP_RDMA, D_SRC_RAM_CFG, 0)}, {{0}}},
    {"small", LEGAL_POOLING, RULE_WARNS, {RULE_MISALIGNED}, {SET(PDP_RDMA, D_SRC_LINE_STRIDE, 0x21)}, {{0}}},
    {"small", LEGAL_POOLING, RULE_HANGS, {"same cube (60"}, {SET(PDP_RDMA, D_DATA_CUBE_IN_WIDTH, 4)}, {{0}}},
    {"small", LEGAL_STRIPS, RULE_HANGS, {"the same strips"}, {SET(PDP_RDMA, D_PARTIAL_WIDTH_IN, 0)}, {{0}}},
    {"full", LEGAL_POOLING, RULE_HANGS, {"the same data type (60"}, {SET(PDP_RDMA, D_DATA_FORMAT, 1)}, {{0}}},
    {"small",
     LEGAL_STRIPS,
     RULE_WARNS,
     {"to the left of column 0"},
     {SET(PDP, D_POOLING_KERNEL_CFG, 0x100103), SET(PDP_RDMA, D_POOLING_KERNEL_CFG, 3),
      SET(PDP, D_POOLING_PADDING_CFG, 3), SET(PDP, D_PARTIAL_WIDTH_IN, 0x800), SET(PDP_RDMA, D_PARTIAL_WIDTH_IN, 0x800),
      SET(PDP, D_PARTIAL_WIDTH_OUT, 0x800), SET(PDP, D_DATA_CUBE_OUT_WIDTH, 3), SET(PDP, D_DST_LINE_STRIDE, 0x20)},
     {{0}}},
    {"small",
     LEGAL_POOLING,
     RULE_REFUSED,
     {"without being the same (60"},
     {SET(PDP, D_DST_BASE_ADDR_LOW, LEGAL_SOURCE + 8)},
     {{0}}},

    /* ---- CDP ---- */
    {"full", LEGAL_CDP, RULE_REFUSED, {"no data type 3 (62"}, {SET(CDP, D_DATA_FORMAT, 3)}, {{0}}},
    {"small", LEGAL_CDP, RULE_HANGS, {RULE_NO_PORT}, {SET(CDP, D_DST_DMA_CFG, 0)}, {{0}}},
    {"small", LEGAL_CDP, RULE_WARNS, {"only the low 8 bits"}, {SET(CDP, D_DATIN_OFFSET, 0x1234)}, {{0}}},
    {"small", LEGAL_CDP, RULE_HANGS, {RULE_NO_PORT}, {SET(CDP_RDMA, D_SRC_DMA_CFG, 0)}, {{0}}},
    {"full", LEGAL_CDP, RULE_REFUSED, {"the same data type (62"}, {SET(CDP_RDMA, D_DATA_FORMAT, 1)}, {{0}}},
    {"small",
     LEGAL_CDP,
     RULE_REFUSED,
     {"without being the same (62"},
     {SET(CDP, D_DST_BASE_ADDR_LOW, LEGAL_SOURCE + 8)},
     {{0}}},
    {"full", LEGAL_CDP, RULE_REFUSED, {"INDEX_SELECT -64"}, {CDP_FORMAT(1), SET(CDP, S_LUT_INFO, 0x400000)}, {{0}}},
    {"small", LEGAL_CDP, RULE_WARNS, {"INDEX_SELECT -32"}, {SET(CDP, S_LUT_INFO, 0x200000)}, {{0}}},
    {"full",
     LEGAL_CDP,
     RULE_REFUSED,
     {"must be finite (62"},
     {CDP_FORMAT(2), SET(CDP, S_LUT_LO_START_LOW, 0x7f800000)},
     {{0}}},
    {"full",
     LEGAL_CDP,
     RULE_WARNS,
     {"a NaN as START or END propagates"},
     {CDP_FORMAT(2), SET(CDP, S_LUT_LO_START_LOW, 0x7fc00000)},
     {{0}}},
    {"full",
     LEGAL_CDP,
     RULE_WARNS,
     {"a slope that is NaN propagates"},
     {CDP_FORMAT(2), SET(CDP, S_LUT_LE_SLOPE_SCALE, 0x7c000000)},
     {{0}}},
    {"small", LEGAL_CDP, RULE_WARNS, {RULE_MISALIGNED}, {SET(CDP_RDMA, D_SRC_LINE_STRIDE, 0x21)}, {{0}}},

    /* ---- RUBIK, BDMA ---- */
    {"full", LEGAL_SPLIT, RULE_HANGS, {"RUBIK_MODE 3"}, {SET(RBK, D_MISC_CFG, 3)}, {{0}}},
    {"full", LEGAL_MERGE, RULE_HANGS, {"more planes than there are"}, {SET(RBK, D_DATAOUT_SIZE_1, 63)}, {{0}}},
    {"full", LEGAL_MERGE, RULE_WARNS, {"before the last planes"}, {SET(RBK, D_DATAIN_SIZE_1, 63)}, {{0}}},
    {"full", LEGAL_SPLIT, RULE_WARNS, {"split takes the planes"}, {SET(RBK, D_DATAIN_SIZE_1, 15)}, {{0}}},
    {"full",
     LEGAL_CONTRACT,
     RULE_REFUSED,
     {"at most 8192 columns"},
     {SET(RBK, D_DATAIN_SIZE_0, 0x31fff), SET(RBK, D_DAOUT_ADDR_LOW, 0x10000000)},
     {{0}}},
    {"full", LEGAL_SPLIT, RULE_REFUSED, {"overlaps the input (66"}, {SET(RBK, D_DAOUT_ADDR_LOW, LEGAL_SOURCE)}, {{0}}},
    {"full", LEGAL_CONTRACT, RULE_WARNS, {"phases of a deconvolution"}, {SET(RBK, D_CONTRACT_STRIDE_0, 0x400)}, {{0}}},
    {"full",
     LEGAL_CONTRACT,
     RULE_WARNS,
     {"planes of the destination overlap"},
     {SET(RBK, D_DAOUT_LINE_STRIDE, 0x20)},
     {{0}}},
    {"full",
     LEGAL_BDMA,
     RULE_HANGS,
     {"at most 8192 times"},
     {SET(BDMA, CFG_LINE_REPEAT, 8192), SET(BDMA, CFG_SURF_REPEAT, 0), SET(BDMA, CFG_DST_ADDR_LOW, 0x10000000)},
     {{0}}},
    {"full", LEGAL_BDMA, RULE_WARNS, {"overlap, the last one written"}, {SET(BDMA, CFG_DST_LINE, 0x20)}, {{0}}},
};

enum { RULE_CASES = sizeof rule_cases / sizeof rule_cases[0] };

/* ---- bench ---- */

/* The refusal of the device at hand. */
static bool refused;
static struct device_warning refusal;

static void note_refusal(const struct error *err) {
    assert_int_equal(err->kind, ERROR_REFUSED);
    refused = true;
    refusal.unit = (enum nvdla_unit)err->unit;
    refusal.ordinal = err->ordinal;
    snprintf(refusal.text, sizeof refusal.text, "%.*s", (int)sizeof refusal.text - 1, err->text);
}

/* A device that refuses, with memory for the layers. */
static struct device *rules_bench(const char *config) {
    struct error err = {.text = ""};
    struct model_options options = {.allow_outside = true};
    struct device *dev = model_new(nvdla_config_find(config), &options);
    assert_true(dev->ops->reset(dev, &err));
    refused = false;
    for (int space = 0; space < SPACE_COUNT; space++) {
        if (dev->memory[space]) {
            memory_declare(dev->memory[space], 0, LEGAL_MEMORY);
            memory_fill(dev->memory[space], LEGAL_MASKS, LEGAL_SIZES - LEGAL_MASKS, 0xff);
            for (uint32_t i = 0; i < 64; i++) { /* sizes of compressed groups */
                uint32_t size = 128;
                memory_write(dev->memory[space], LEGAL_SIZES + 4 * i, &size, sizeof size, NULL, NULL);
            }
        }
    }
    return dev;
}

/* A write that may be refused; nothing is written after that. */
static void try_write(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    struct device *dev = context;
    struct error err = {.text = ""};
    if (!refused && !dev->ops->csb_write(dev, nvdla_unit_base(dev->config, unit) + offset, value, false, &err))
        note_refusal(&err);
}

/* Lets all layers run that can. */
static void run_out(struct device *dev) {
    struct error err = {.text = ""};
    enum device_state state = DEVICE_RUNNING;
    while (!refused && state == DEVICE_RUNNING) {
        state = dev->ops->advance(dev, 1000, false, &err);
        if (state == DEVICE_FAILED)
            note_refusal(&err);
    }
    assert_true(state == DEVICE_IDLE || refused);
}

static void select_groups(struct device *dev, uint32_t group) {
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if ((dev->units >> unit & 1) && nvdla_register_find(dev->config, unit, "D_OP_ENABLE"))
            try_write(dev, unit, SDP_S_POINTER, group);
}

static void run_layer(struct device *dev, enum legal_layer layer, const struct change *changes) {
    struct legal_sink sink = {try_write, dev};
    legal_layer(dev->config, layer, sink);
    for (size_t i = 0; i < CHANGES && (changes[i].unit || changes[i].offset); i++)
        try_write(dev, changes[i].unit, changes[i].offset, changes[i].value);
    legal_layer_enable(layer, sink);
    run_out(dev);
}

/* True if the unit has a layer that is not done. */
static bool is_busy(struct device *dev, enum nvdla_unit unit) {
    uint32_t value = 0;
    struct error err = {.text = ""};
    uint32_t offset = unit == NVDLA_BDMA ? BDMA_STATUS : SDP_S_STATUS;
    assert_true(dev->ops->csb_read(dev, nvdla_unit_base(dev->config, unit) + offset, &value, &err));
    return unit == NVDLA_BDMA ? REGISTER_FIELD(value, BDMA_STATUS__GRP0_BUSY) : value != 0;
}

/* All that has been reported: warnings, and last the refusal. */
static size_t told_count(const struct device *dev) {
    return dev->warning_count + refused;
}

static const struct device_warning *told(const struct device *dev, size_t i) {
    return i < dev->warning_count ? &dev->warnings[i] : &refusal;
}

static bool is_told(const struct device *dev, const char *text) {
    for (size_t i = 0; i < told_count(dev); i++)
        if (strstr(told(dev, i)->text, text))
            return true;
    return false;
}

/* ---- rules about registers ---- */

TEST(legal_layers_break_no_rule_and_finish) {
    static const struct change none[CHANGES];
    for (int c = 0; c < nvdla_config_count; c++) {
        for (enum legal_layer layer = 0; layer < LEGAL_LAYERS; layer++) {
            if (!legal_layer_exists(&nvdla_configs[c], layer))
                continue;
            struct device *dev = rules_bench(nvdla_configs[c].name);
            run_layer(dev, layer, none);
            if (told_count(dev) > 0)
                fail_msg("%s layer %d: %s", nvdla_configs[c].name, (int)layer, told(dev, 0)->text);
            for (enum nvdla_unit unit = NVDLA_BDMA; unit < NVDLA_UNIT_COUNT; unit++)
                assert_false((dev->units >> unit & 1) && is_busy(dev, unit));
            assert_true(get(dev, NVDLA_GLB, GLB_S_INTR_STATUS) != 0);
            bench_free(dev);
        }
    }
}

/* Every message is an expected one, and every expected one has come. */
static void check_texts(const struct rule_case *c, int number, const struct device *dev) {
    for (size_t i = 0; i < told_count(dev); i++) {
        bool expected = false;
        for (size_t t = 0; t < TEXTS && c->texts[t]; t++)
            expected |= strstr(told(dev, i)->text, c->texts[t]) != NULL;
        if (!expected)
            fail_msg("case %d, %s: found also '%s'", number, c->texts[0], told(dev, i)->text);
    }
    for (size_t t = 0; t < TEXTS && c->texts[t]; t++)
        if (!is_told(dev, c->texts[t]))
            fail_msg("case %d: '%s' has not been reported", number, c->texts[t]);
}

/* What the message says is what happened. */
static void check_effect(const struct rule_case *c, int number, struct device *dev) {
    bool leftover = strstr(c->texts[0], "operands that the stage does not take") != NULL;
    for (size_t i = 0; i < told_count(dev); i++) {
        const struct device_warning *message = told(dev, i);
        bool hangs = strstr(message->text, "; the hardware hangs") != NULL;
        if (!strstr(message->text, c->texts[0]))
            continue;
        if (refused != (c->effect == RULE_REFUSED) || hangs != (c->effect == RULE_HANGS))
            fail_msg("case %d, %s: refused %d, text %s", number, c->texts[0], refused, message->text);
        if (!refused && is_busy(dev, message->unit) != (c->effect == RULE_HANGS)) {
            fail_msg("case %d, %s: %s is %s", number, c->texts[0], nvdla_unit_names[message->unit],
                     hangs ? "done" : "busy");
        }
        /* Registers with their values in front of the rule. */
        assert_non_null(strstr(message->text, " = 0x"));
    }
    assert_true(!leftover || is_busy(dev, NVDLA_SDP_RDMA));
}

static struct device *run_case(const struct rule_case *c) {
    struct device *dev = rules_bench(c->config);
    run_layer(dev, c->layer, c->changes);
    if (c->then[0].unit) {
        assert_int_equal(told_count(dev), 0);
        select_groups(dev, 1);
        run_layer(dev, c->layer, c->then);
    }
    return dev;
}

TEST(every_rule_is_told_and_what_it_says_happens) {
    for (int i = 0; i < RULE_CASES; i++) {
        struct device *dev = run_case(&rule_cases[i]);
        check_texts(&rule_cases[i], i, dev);
        check_effect(&rule_cases[i], i, dev);
        bench_free(dev);
    }
}

/* A case names the rule by part of its text and, as several rules share texts, by the register that it shows first. */
static bool has_case(const struct rule *rule) {
    char text[600];
    snprintf(text, sizeof text, "%s (%s)", rule->text, rule->section);
    for (int i = 0; i < RULE_CASES; i++) {
        const struct rule_case *c = &rule_cases[i];
        const struct nvdla_config *config = nvdla_config_find(c->config);
        if (!strstr(text, c->texts[0]) || rule->effect != c->effect)
            continue;
        struct device *dev = run_case(c);
        char shown[80];
        nvdla_register_name(config, nvdla_unit_base(config, rule->shown[0].unit) + rule->shown[0].offset, shown,
                            sizeof shown);
        strcat(shown, " = 0x");
        bool found = false;
        for (size_t m = 0; m < told_count(dev); m++)
            found |= strncmp(told(dev, m)->text, shown, strlen(shown)) == 0 && strstr(told(dev, m)->text, text);
        bench_free(dev);
        if (found)
            return true;
    }
    return false;
}

TEST(every_rule_has_a_case) {
    for (size_t s = 0; s <= RULE_SETS; s++) {
        const struct rule_set *set = s < RULE_SETS ? rule_sets[s] : &rules_of_descriptor;
        for (size_t i = 0; i < set->rule_count; i++)
            if (!has_case(&set->rules[i]))
                fail_msg("no case for the rule '%s' of %s", set->rules[i].text, nvdla_unit_names[set->units[0]]);
    }
}

TEST(undefined_settings_are_carried_out_where_that_is_allowed) {
    struct device *dev = bench_new("small"); /* allows them */
    sdp_copy(dev, 2, 2, 8, 0, 8);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(dev->warning_count, 1);
    assert_non_null(strstr(dev->warnings[0].text, "overlaps the input or the operands"));
    bench_free(dev);
}

/* ---- groups ---- */

TEST(writes_to_an_armed_group_are_told_once_per_launch) {
    struct device *dev = rules_bench("small");
    put(dev, NVDLA_SDP, SDP_D_DATA_CUBE_WIDTH, 3);
    put(dev, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    size_t before = told_count(dev);
    put(dev, NVDLA_SDP, SDP_D_DATA_CUBE_WIDTH, 3); /* changes nothing */
    assert_int_equal(told_count(dev), before);
    put(dev, NVDLA_SDP, SDP_D_DATA_CUBE_WIDTH, 5);
    put(dev, NVDLA_SDP, SDP_D_DATA_CUBE_HEIGHT, 5);
    put(dev, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    assert_int_equal(told_count(dev), before + 1);
    assert_non_null(strstr(told(dev, before)->text, "SDP.D_DATA_CUBE_WIDTH = 0x5: dropped"));
    bench_free(dev);
}

/* Legal, and what the driver of whole networks does; it is reported only where the other group never comes. */
TEST(arming_the_other_group_first_is_told_if_it_hangs) {
    struct device *dev = rules_bench("small");
    sdp_group(dev, 1);
    sdp_copy(dev, 2, 2, 8, LEGAL_SOURCE, LEGAL_DESTINATION);
    sdp_arm(dev);
    run_out(dev);
    assert_int_equal(told_count(dev), 0);
    dev->ops->explain(dev);
    assert_int_equal(told_count(dev), 2);
    assert_non_null(
        strstr(told(dev, 0)->text, "SDP_RDMA.S_POINTER = 0x1: group 1 is armed, but it is the turn of group 0"));
    assert_non_null(strstr(told(dev, 1)->text, "SDP.S_POINTER = 0x1: group 1 is armed, but it is the turn of group 0"));
    sdp_group(dev, 0);
    sdp_copy(dev, 2, 2, 8, LEGAL_SOURCE, LEGAL_DESTINATION + 64);
    sdp_arm(dev);
    run_out(dev);
    assert_false(is_busy(dev, NVDLA_SDP));
    assert_int_equal(told_count(dev), 2);
    bench_free(dev);
}

/* ---- CMAC ---- */

static uint32_t enable_of(const struct device *dev, enum nvdla_unit unit) {
    return nvdla_register_find(dev->config, unit, "D_OP_ENABLE")->address - nvdla_unit_base(dev->config, unit);
}

/* Programs a convolution and arms its units in this order; a 0 lets time pass. */
static void convolve(struct device *dev, const enum nvdla_unit order[8]) {
    legal_layer(dev->config, LEGAL_CONVOLUTION, (struct legal_sink){try_write, dev});
    for (size_t i = 0; i < 8; i++)
        if (order[i])
            put(dev, order[i], enable_of(dev, order[i]), 1);
        else
            run_out(dev);
    run_out(dev);
    assert_false(is_busy(dev, NVDLA_SDP));
}

/* Section 2 of 98-measured-rules. */
TEST(cmac_that_is_armed_late_is_told) {
    static const struct {
        enum nvdla_unit order[8], late[2];
    } cases[] = {
        {{NVDLA_CDMA, NVDLA_CSC, NVDLA_CACC, NVDLA_SDP, NVDLA_CMAC_A, NVDLA_CMAC_B}, {0}},
        {{NVDLA_CDMA, NVDLA_CMAC_A, NVDLA_CMAC_B, 0, NVDLA_CSC, NVDLA_CACC, NVDLA_SDP}, {0}},
        {{NVDLA_CSC, NVDLA_CACC, NVDLA_SDP, 0, NVDLA_CMAC_B, NVDLA_CMAC_A, NVDLA_CDMA}, {0}},
        {{NVDLA_CDMA, 0, NVDLA_CMAC_A, NVDLA_CMAC_B, NVDLA_CACC, NVDLA_SDP, 0, NVDLA_CSC}, {0}},
        {{NVDLA_CMAC_A, NVDLA_CMAC_B, NVDLA_CSC, NVDLA_CDMA, 0, NVDLA_CACC, NVDLA_SDP}, {0}},
        {{NVDLA_CDMA, NVDLA_CSC, NVDLA_CMAC_A, NVDLA_CACC, NVDLA_SDP, 0, NVDLA_CMAC_B}, {NVDLA_CMAC_B}},
        {{NVDLA_CSC, NVDLA_CDMA, NVDLA_CMAC_B, 0, NVDLA_CMAC_A, NVDLA_CACC, NVDLA_SDP}, {NVDLA_CMAC_A}},
        {{NVDLA_CSC, NVDLA_CDMA, NVDLA_CACC, 0, NVDLA_CMAC_B, NVDLA_CMAC_A, NVDLA_SDP}, {NVDLA_CMAC_B, NVDLA_CMAC_A}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device *dev = rules_bench("small");
        size_t told_before = 0;
        for (int layer = 0; layer < 3; layer++) {
            select_groups(dev, layer & 1);
            convolve(dev, cases[i].order);
            const size_t late = !cases[i].late[0] ? 0 : cases[i].late[1] ? 2 : 1;
            assert_int_equal(told_count(dev), told_before + late);
            for (size_t w = 0; w < late; w++) {
                assert_int_equal(told(dev, told_before + w)->unit, cases[i].late[w]);
                assert_int_equal(told(dev, told_before + w)->ordinal, layer);
                assert_non_null(strstr(told(dev, told_before + w)->text, ".D_OP_ENABLE = 0x1: armed after a wait at"));
            }
            told_before += late;
            assert_false(refused);
        }
        bench_free(dev);
    }
}

static void all_but_sdp(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    if (unit != NVDLA_SDP)
        try_write(context, unit, offset, value);
}

/* A layer that waits for the one before it: its data has not passed yet. */
TEST(cmac_of_a_layer_that_waits_may_be_armed_later) {
    struct device *dev = rules_bench("small");
    struct legal_sink sink = {try_write, dev};
    legal_layer(dev->config, LEGAL_CONVOLUTION, sink);
    legal_layer_enable(LEGAL_CONVOLUTION, (struct legal_sink){all_but_sdp, dev});
    select_groups(dev, 1);
    legal_layer(dev->config, LEGAL_CONVOLUTION, sink);
    put(dev, NVDLA_CSC, CSC_D_OP_ENABLE, 1);
    put(dev, NVDLA_CDMA, CDMA_D_OP_ENABLE, 1);
    run_out(dev);
    put(dev, NVDLA_CMAC_A, CMAC_A_D_OP_ENABLE, 1);
    assert_int_equal(told_count(dev), 0);
    select_groups(dev, 0);
    put(dev, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    run_out(dev);
    select_groups(dev, 1);
    put(dev, NVDLA_CMAC_B, CMAC_B_D_OP_ENABLE, 1);
    assert_int_equal(told_count(dev), 1);
    assert_int_equal(told(dev, 0)->ordinal, 1);
    assert_true(dev->ops->reset(dev, NULL));
    put(dev, NVDLA_CMAC_B, CMAC_B_D_OP_ENABLE, 1);
    assert_int_equal(told_count(dev), 1);
    bench_free(dev);
}

/* ---- tables ---- */

TEST(tables_in_use_are_not_to_be_written) {
    struct device *dev = rules_bench("small");
    struct legal_sink sink = {try_write, dev};
    legal_layer(dev->config, LEGAL_CDP, sink);
    put(dev, NVDLA_CDP, CDP_D_OP_ENABLE, 1);
    put(dev, NVDLA_CDP, CDP_S_LUT_INFO, 1); /* nothing runs without CDP_RDMA */
    put(dev, NVDLA_CDP_RDMA, CDP_RDMA_D_OP_ENABLE, 1);
    put(dev, NVDLA_CDP, CDP_S_LUT_INFO, 1); /* as it is */
    assert_int_equal(told_count(dev), 0);
    try_write(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA, 1);
    assert_true(refused);
    assert_non_null(strstr(refusal.text, "CDP.S_LUT_ACCESS_DATA = 0x1: written while a layer uses the table"));
    bench_free(dev);

    dev = rules_bench("full");
    sink.context = dev;
    legal_layer(dev->config, LEGAL_TABLE, sink);
    legal_layer_enable(LEGAL_TABLE, sink);
    try_write(dev, NVDLA_SDP, SDP_S_LUT_LE_START, 5);
    assert_true(refused);
    bench_free(dev);
}

TEST(entries_that_are_missing_are_told) {
    static const struct change none[CHANGES];
    struct device *dev = rules_bench("small");
    struct legal_sink sink = {try_write, dev};
    legal_layer(dev->config, LEGAL_CDP, sink);
    assert_true(dev->ops->reset(dev, NULL));
    put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG, 0x30000 | 257);
    put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG, 0x30000);
    put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA, 1);
    put(dev, NVDLA_CDP, CDP_S_POINTER, 0);
    legal_layer_enable(LEGAL_CDP, sink);
    run_out(dev);
    assert_true(is_told(dev, "CDP.S_LUT_ACCESS_CFG = 0x30101: the table has no such entry"));
    assert_true(is_told(dev, "321 entries of the look-up table have not been written"));
    bench_free(dev);

    dev = rules_bench("full");
    put(dev, NVDLA_SDP, SDP_S_LUT_ACCESS_DATA, 1);
    put(dev, NVDLA_SDP, SDP_S_LUT_ACCESS_DATA, 1);
    assert_int_equal(told_count(dev), 1);
    assert_true(is_told(dev, "without S_LUT_ACCESS_CFG since reset"));
    run_layer(dev, LEGAL_TABLE, none);
    put(dev, NVDLA_SDP, SDP_S_LUT_ACCESS_DATA, 1);
    assert_int_equal(told_count(dev), 2);
    bench_free(dev);
}

/* ---- BDMA ---- */

/* Pushes a copy of one line; source and destination are its own unless told otherwise. */
static void push(struct device *dev, uint32_t source, uint32_t destination, uint32_t ports) {
    put(dev, NVDLA_BDMA, BDMA_CFG_SRC_ADDR_LOW, source);
    put(dev, NVDLA_BDMA, BDMA_CFG_DST_ADDR_LOW, destination);
    put(dev, NVDLA_BDMA, BDMA_CFG_CMD, ports);
    put(dev, NVDLA_BDMA, BDMA_CFG_OP, 1);
}

TEST(bdma_hazards_are_told) {
    struct device *dev = rules_bench("full");
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH0, 1);
    assert_true(is_told(dev, "BDMA.CFG_LAUNCH0 = 0x1: launched without descriptors"));
    assert_true(dev->ops->reset(dev, NULL));
    for (uint32_t i = 0; i < 22; i++)
        push(dev, LEGAL_SOURCE, LEGAL_DESTINATION + 0x20 * i, i == 3 ? 1 : 3);
    assert_int_equal(told_count(dev), 2);
    assert_true(is_told(dev, "FREE_SLOT is 0"));
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH0, 1);
    assert_true(is_told(dev, "writes both memories"));
    push(dev, LEGAL_SOURCE, LEGAL_DESTINATION, 3);
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH1, 1);
    assert_int_equal(told_count(dev), 3);
    push(dev, LEGAL_SOURCE, LEGAL_DESTINATION, 3);
    assert_true(is_told(dev, "the descriptor joins that launch"));
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH0, 1);
    assert_true(is_told(dev, "it replaces that launch"));
    bench_free(dev);

    dev = rules_bench("full");
    push(dev, LEGAL_SOURCE, LEGAL_DESTINATION, 3);
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH0, 1);
    push(dev, LEGAL_SOURCE, LEGAL_DESTINATION, 3);
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH0, 1);
    assert_int_equal(told_count(dev), 1);
    assert_true(is_told(dev, "one of the two interrupts is lost"));
    bench_free(dev);

    dev = rules_bench("full");
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH1, 1);
    push(dev, LEGAL_SOURCE, LEGAL_DESTINATION, 3);
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH0, 1);
    push(dev, LEGAL_SOURCE, LEGAL_DESTINATION, 3);
    assert_true(is_told(dev, "pushed while both groups are busy"));
    bench_free(dev);
}

TEST(bdma_groups_do_not_read_what_they_write) {
    struct device *dev = rules_bench("full");
    push(dev, LEGAL_SOURCE, LEGAL_DESTINATION, 3);
    push(dev, LEGAL_DESTINATION, LEGAL_MASKS, 1); /* of the other memory */
    push(dev, LEGAL_DESTINATION, LEGAL_MASKS, 3);
    try_write(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH1, 1);
    assert_true(refused);
    assert_non_null(strstr(refusal.text, "BDMA.CFG_LAUNCH1 = 0x1: the group reads bytes that it writes"));
    bench_free(dev);
}

/* ---- why a run hangs ---- */

static void explain(struct device *dev) {
    run_out(dev);
    assert_int_equal(told_count(dev), 0);
    dev->ops->explain(dev);
}

TEST(partners_that_are_not_armed_are_told) {
    static const struct {
        enum legal_layer layer;
        enum nvdla_unit unit;
        uint32_t enable;
        const char *text;
    } cases[] = {
        {LEGAL_SDP, NVDLA_SDP, SDP_D_OP_ENABLE, "waits for SDP_RDMA, which is not armed"},
        {LEGAL_SDP, NVDLA_SDP_RDMA, SDP_RDMA_D_OP_ENABLE, "waits for SDP, which"},
        {LEGAL_POOLING, NVDLA_PDP, PDP_D_OP_ENABLE, "waits for PDP_RDMA, which"},
        {LEGAL_SDP_POOLING, NVDLA_PDP, PDP_D_OP_ENABLE, "waits for SDP, which"},
        {LEGAL_SDP_POOLING, NVDLA_SDP, SDP_D_OP_ENABLE, "waits for PDP, which"},
        {LEGAL_CDP, NVDLA_CDP, CDP_D_OP_ENABLE, "waits for CDP_RDMA, which"},
        {LEGAL_CDP, NVDLA_CDP_RDMA, CDP_RDMA_D_OP_ENABLE, "waits for CDP, which"},
        {LEGAL_CONVOLUTION, NVDLA_SDP, SDP_D_OP_ENABLE, "waits for CSC, which"},
        {LEGAL_CONVOLUTION, NVDLA_CSC, CSC_D_OP_ENABLE, "waits for CACC, which"},
        {LEGAL_CONVOLUTION, NVDLA_CMAC_A, CMAC_A_D_OP_ENABLE, "waits for CSC, which"},
        {LEGAL_CONVOLUTION, NVDLA_CDMA, CDMA_D_OP_ENABLE, "waits for CSC, which"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device *dev = rules_bench("small");
        struct legal_sink sink = {try_write, dev};
        legal_layer(dev->config, cases[i].layer, sink);
        put(dev, cases[i].unit, cases[i].enable, 1);
        explain(dev);
        if (!is_told(dev, cases[i].text))
            fail_msg("case %zu: '%s' has not been reported", i, cases[i].text);
        bench_free(dev);
    }
}

TEST(clients_that_are_not_answered_are_told) {
    static const struct {
        enum legal_layer layer;
        enum nvdla_unit port;
        uint32_t offset, value;
        const char *text;
    } cases[] = {
        {LEGAL_SDP, NVDLA_MCIF, MCIF_CFG_WR_WEIGHT_0, 0, "MCIF.CFG_WR_WEIGHT_0 = 0x0"},
        {LEGAL_SDP, NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_0, 0, "MCIF.CFG_RD_WEIGHT_0 = 0x0"},
        {LEGAL_SDP, NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_1, 0, "MCIF.CFG_RD_WEIGHT_1 = 0x0"},
        {LEGAL_POOLING, NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_0, 0, "MCIF.CFG_RD_WEIGHT_0 = 0x0"},
        {LEGAL_POOLING, NVDLA_MCIF, MCIF_CFG_WR_WEIGHT_0, 0, "MCIF.CFG_WR_WEIGHT_0 = 0x0"},
        {LEGAL_CDP, NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_0, 0, "MCIF.CFG_RD_WEIGHT_0 = 0x0"},
        {LEGAL_CONVOLUTION, NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_1, 0, "MCIF.CFG_RD_WEIGHT_1 = 0x0"},
        {LEGAL_CONVOLUTION, NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_2, 0, "MCIF.CFG_RD_WEIGHT_2 = 0x0"},
        {LEGAL_SPLIT, NVDLA_MCIF, MCIF_CFG_WR_WEIGHT_1, 0, "MCIF.CFG_WR_WEIGHT_1 = 0x0"},
        {LEGAL_BDMA, NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_0, 0, "MCIF.CFG_RD_WEIGHT_0 = 0x0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device *dev = rules_bench("full");
        struct legal_sink sink = {try_write, dev};
        put(dev, cases[i].port, cases[i].offset, cases[i].value);
        legal_layer(dev->config, cases[i].layer, sink);
        legal_layer_enable(cases[i].layer, sink);
        explain(dev);
        if (!is_told(dev, cases[i].text))
            fail_msg("case %zu: '%s' has not been reported", i, cases[i].text);
        bench_free(dev);
    }
}

/* Section 3.3 of 70-memory-interface: bursts of four beats of CVIF need a count of 3. */
TEST(bursts_beyond_the_outstanding_count_hang) {
    for (uint32_t count = 2; count <= 3; count++) {
        struct device *dev = rules_bench("full");
        struct legal_sink sink = {try_write, dev};
        put(dev, NVDLA_CVIF, CVIF_CFG_OUTSTANDING_CNT, 0xff00 | count);
        put(dev, NVDLA_MCIF, MCIF_CFG_OUTSTANDING_CNT, 0);
        legal_layer(dev->config, LEGAL_CDP, sink);
        put(dev, NVDLA_CDP_RDMA, CDP_RDMA_D_SRC_DMA_CFG, 0);
        legal_layer_enable(LEGAL_CDP, sink);
        explain(dev);
        assert_int_equal(is_busy(dev, NVDLA_CDP), count < 3);
        assert_int_equal(is_told(dev, "CVIF.CFG_OUTSTANDING_CNT = 0xff02"), count < 3);
        bench_free(dev);
    }
}

TEST(convolutions_tell_what_they_wait_for) {
    struct device *dev = rules_bench("small");
    run_layer(dev, LEGAL_CONVOLUTION, rule_cases[0].then);
    select_groups(dev, 1);
    struct legal_sink sink = {try_write, dev};
    legal_layer(dev->config, LEGAL_CONVOLUTION, sink);
    put(dev, NVDLA_CSC, CSC_D_BANK, 1);
    put(dev, NVDLA_CSC, CSC_D_OP_ENABLE, 1);
    put(dev, NVDLA_CACC, CACC_D_OP_ENABLE, 1);
    put(dev, NVDLA_CMAC_A, CMAC_A_D_OP_ENABLE, 1);
    put(dev, NVDLA_CMAC_B, CMAC_B_D_OP_ENABLE, 1);
    put(dev, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    explain(dev);
    assert_true(is_told(dev, "waits for CDMA to agree to the change of banks"));
    bench_free(dev);

    dev = rules_bench("small");
    run_layer(dev, LEGAL_CONVOLUTION, (const struct change[CHANGES]){SET(CDMA, D_DATAIN_SIZE_0, 0x20003)});
    dev->ops->explain(dev);
    assert_true(is_told(dev, "waits for input: CBUF has 3 lines of 4"));
    bench_free(dev);

    dev = rules_bench("small");
    run_layer(dev, LEGAL_CONVOLUTION, (const struct change[CHANGES]){SET(CDMA, D_WEIGHT_SIZE_1, 3)});
    dev->ops->explain(dev);
    assert_true(is_told(dev, "waits for weights: not all of its 8 kernels come"));
    bench_free(dev);

    dev = rules_bench("small");
    run_layer(dev, LEGAL_SDP, (const struct change[CHANGES]){SET(SDP, D_DP_BS_CFG, 1)});
    dev->ops->explain(dev);
    assert_true(is_told(dev, "operands that no stage has taken"));
    bench_free(dev);
}

/* ---- cubes that share bytes ---- */

static struct extent cube(uint64_t base, uint64_t line_bytes, uint64_t lines, uint64_t line_stride, uint64_t surfaces,
                          uint64_t surface_stride) {
    return (struct extent){.primary = true,
                           .base = base,
                           .line_bytes = line_bytes,
                           .lines = lines,
                           .line_stride = line_stride,
                           .surfaces = surfaces,
                           .surface_stride = surface_stride};
}

TEST(cubes_overlap_where_they_share_bytes) {
    uint64_t seed = 1;
    for (int round = 0; round < 2000; round++) {
        struct extent e[2];
        bool used[2][512] = {{false}}, own[2] = {false, false}, share = false;
        for (int i = 0; i < 2; i++) {
            e[i] = cube(below(&seed, 64), 1 + below(&seed, 6), 1 + below(&seed, 5), below(&seed, 20),
                        1 + below(&seed, 4), below(&seed, 60));
            for (uint64_t z = 0; z < e[i].surfaces; z++) {
                for (uint64_t y = 0; y < e[i].lines; y++) {
                    for (uint64_t x = 0; x < e[i].line_bytes; x++) {
                        uint64_t at = e[i].base + z * e[i].surface_stride + y * e[i].line_stride + x;
                        own[i] |= used[i][at];
                        used[i][at] = true;
                    }
                }
            }
        }
        for (size_t at = 0; at < 512; at++)
            share |= used[0][at] && used[1][at];
        assert_int_equal(extents_overlap(&e[0], &e[1]), share);
        assert_int_equal(extents_overlap(&e[1], &e[0]), share);
        /* Surfaces that interleave in odd ways are not looked at line by line. */
        assert_true(extent_overlaps_itself(&e[0]) || !own[0] || e[0].surfaces > 1);
        assert_true(extents_same(&e[0], &e[0]));
    }
    struct extent a = cube(0, 8, 4, 8, 1, 0), b = cube(0, 32, 1, 0, 1, 7), far = a;
    assert_true(extents_same(&a, &b));
    far.primary = false;
    assert_false(extents_overlap(&a, &far));
    assert_false(extents_same(&a, &far));
    struct extent huge = cube(0, 1, UINT64_C(1) << 13, 64, UINT64_C(1) << 13, UINT64_C(1) << 19);
    assert_false(extents_overlap(&huge, &huge));
}
