/* A small legal layer of every kind, as register writes: what tests of the rules and the fuzzer of the registers start
 * from. Sources and destinations lie in pages of their own in LEGAL_MEMORY bytes from 0; groups and the enables are the
 * caller's. */
#ifndef TESTS_LEGAL_LAYERS_H
#define TESTS_LEGAL_LAYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/config.h"
#include "nvdla/lut.h"
#include "nvdla/registers.h"
#include "nvdla_offsets.h"

enum legal_layer {
    LEGAL_CONVOLUTION, /* 4x4 pixels, one atom deep, kernels of 2x2, through SDP */
    LEGAL_BATCHES,     /* the same of two cubes */
    LEGAL_COMPRESSED,  /* the same with compressed weights */
    LEGAL_IMAGE,       /* R8, 8x4 pixels, kernels of 2x2, through SDP */
    LEGAL_WINOGRAD,    /* 6x6 pixels, padded to 8x8, through SDP */
    LEGAL_SDP,         /* 4x4 pixels from memory, BS with operands of both kinds per kernel */
    LEGAL_TABLE,       /* the same with EW's table */
    LEGAL_POOLING,     /* 4x4 pixels, windows of 2x2 */
    LEGAL_STRIPS,      /* the same in two strips */
    LEGAL_SDP_POOLING, /* SDP to PDP on the fly */
    LEGAL_CDP,
    LEGAL_CONTRACT,
    LEGAL_SPLIT,
    LEGAL_MERGE,
    LEGAL_BDMA,
    LEGAL_LAYERS
};

enum {
    LEGAL_SOURCE = 0x1000,
    LEGAL_WEIGHTS = 0x2000,
    LEGAL_OPERANDS = 0x7000,
    LEGAL_DESTINATION = 0x8000,
    LEGAL_MASKS = 0x9000,
    LEGAL_SIZES = 0xa000,
    LEGAL_MEMORY = 0xb000
};

typedef void legal_write(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value);

/* Where the writes go. */
struct legal_sink {
    legal_write *write;
    void *context;
};

struct legal_setting {
    uint32_t offset, value;
};

static inline void legal_settings(struct legal_sink sink, enum nvdla_unit unit, const struct legal_setting *settings,
                                  size_t count) {
    for (size_t i = 0; i < count; i++)
        sink.write(sink.context, unit, settings[i].offset, settings[i].value);
}

#define LEGAL_SETTINGS(sink, unit, ...)                                                                                \
    do {                                                                                                               \
        const struct legal_setting settings_[] = {__VA_ARGS__};                                                        \
        legal_settings(sink, unit, settings_, sizeof settings_ / sizeof settings_[0]);                                 \
    } while (0)

/* True if the configuration has what the layer needs. */
static inline bool legal_layer_exists(const struct nvdla_config *config, enum legal_layer layer) {
    switch (layer) {
    case LEGAL_BATCHES:
        return config->batch_max > 1;
    case LEGAL_COMPRESSED:
        return config->weight_compression;
    case LEGAL_WINOGRAD:
        return config->winograd;
    case LEGAL_TABLE:
        return config->map == NVDLA_MAP_FULL;
    case LEGAL_CONTRACT:
    case LEGAL_SPLIT:
    case LEGAL_MERGE:
        return config->rubik;
    case LEGAL_BDMA:
        return config->bdma;
    default:
        return true;
    }
}

/* Writes what starts the layer: the D_OP_ENABLE of its units; CFG_OP and CFG_LAUNCH0 of BDMA. */
static inline void legal_layer_enable(enum legal_layer layer, struct legal_sink sink) {
    struct enable {
        enum nvdla_unit unit;
        uint32_t offset;
    };
    static const struct enable convolution[] = {{NVDLA_SDP, SDP_D_OP_ENABLE},       {NVDLA_CACC, CACC_D_OP_ENABLE},
                                                {NVDLA_CMAC_A, CMAC_A_D_OP_ENABLE}, {NVDLA_CMAC_B, CMAC_B_D_OP_ENABLE},
                                                {NVDLA_CSC, CSC_D_OP_ENABLE},       {NVDLA_CDMA, CDMA_D_OP_ENABLE}},
                               sdp[] = {{NVDLA_SDP_RDMA, SDP_RDMA_D_OP_ENABLE}, {NVDLA_SDP, SDP_D_OP_ENABLE}},
                               pdp[] = {{NVDLA_PDP_RDMA, PDP_RDMA_D_OP_ENABLE}, {NVDLA_PDP, PDP_D_OP_ENABLE}},
                               fused[] = {{NVDLA_SDP_RDMA, SDP_RDMA_D_OP_ENABLE},
                                          {NVDLA_PDP, PDP_D_OP_ENABLE},
                                          {NVDLA_SDP, SDP_D_OP_ENABLE}},
                               cdp[] = {{NVDLA_CDP_RDMA, CDP_RDMA_D_OP_ENABLE}, {NVDLA_CDP, CDP_D_OP_ENABLE}},
                               rubik[] = {{NVDLA_RBK, RBK_D_OP_ENABLE}},
                               bdma[] = {{NVDLA_BDMA, BDMA_CFG_OP}, {NVDLA_BDMA, BDMA_CFG_LAUNCH0}};
    static const struct {
        const struct enable *list;
        size_t count;
    } enables[LEGAL_LAYERS] = {[LEGAL_CONVOLUTION] = {convolution, 6},
                               [LEGAL_BATCHES] = {convolution, 6},
                               [LEGAL_COMPRESSED] = {convolution, 6},
                               [LEGAL_IMAGE] = {convolution, 6},
                               [LEGAL_WINOGRAD] = {convolution, 6},
                               [LEGAL_SDP] = {sdp, 2},
                               [LEGAL_TABLE] = {sdp, 2},
                               [LEGAL_POOLING] = {pdp, 2},
                               [LEGAL_STRIPS] = {pdp, 2},
                               [LEGAL_SDP_POOLING] = {fused, 3},
                               [LEGAL_CDP] = {cdp, 2},
                               [LEGAL_CONTRACT] = {rubik, 1},
                               [LEGAL_SPLIT] = {rubik, 1},
                               [LEGAL_MERGE] = {rubik, 1},
                               [LEGAL_BDMA] = {bdma, 2}};
    for (size_t i = 0; i < enables[layer].count; i++)
        sink.write(sink.context, enables[layer].list[i].unit, enables[layer].list[i].offset, 1);
}

/* SDP behind a convolution or on a cube of memory, everything bypassed. Sizes are true sizes. */
static inline void legal_sdp(const struct nvdla_config *config, struct legal_sink sink, uint32_t width, uint32_t height,
                             uint32_t mode) {
    uint32_t atom = (uint32_t)config->mem_atom, line = (width > 4 ? width : 4) * atom;
    LEGAL_SETTINGS(sink, NVDLA_SDP, {SDP_D_DATA_CUBE_WIDTH, width - 1}, {SDP_D_DATA_CUBE_HEIGHT, height - 1},
                   {SDP_D_DATA_CUBE_CHANNEL, atom - 1}, {SDP_D_DST_BASE_ADDR_LOW, LEGAL_DESTINATION},
                   {SDP_D_DST_BASE_ADDR_HIGH, 0}, {SDP_D_DST_LINE_STRIDE, line}, {SDP_D_DST_SURFACE_STRIDE, 4 * line},
                   {SDP_D_DST_BATCH_STRIDE, 16 * atom}, {SDP_D_DP_BS_CFG, 1}, {SDP_D_DP_BN_CFG, 1},
                   {SDP_D_DP_EW_CFG, 1}, {SDP_D_FEATURE_MODE_CFG, mode}, {SDP_D_DST_DMA_CFG, 1}, {SDP_D_DATA_FORMAT, 0},
                   {SDP_D_CVT_OFFSET, 0}, {SDP_D_CVT_SCALE, 1}, {SDP_D_CVT_SHIFT, 0});
    LEGAL_SETTINGS(sink, NVDLA_SDP_RDMA, {SDP_RDMA_D_DATA_CUBE_WIDTH, width - 1},
                   {SDP_RDMA_D_DATA_CUBE_HEIGHT, height - 1}, {SDP_RDMA_D_DATA_CUBE_CHANNEL, atom - 1},
                   {SDP_RDMA_D_SRC_BASE_ADDR_LOW, LEGAL_SOURCE}, {SDP_RDMA_D_SRC_BASE_ADDR_HIGH, 0},
                   {SDP_RDMA_D_SRC_LINE_STRIDE, 4 * atom}, {SDP_RDMA_D_SRC_SURFACE_STRIDE, 16 * atom},
                   {SDP_RDMA_D_BRDMA_CFG, 0x21}, {SDP_RDMA_D_NRDMA_CFG, 0x21}, {SDP_RDMA_D_ERDMA_CFG, 0x21},
                   {SDP_RDMA_D_BS_BASE_ADDR_LOW, LEGAL_OPERANDS}, {SDP_RDMA_D_BS_BASE_ADDR_HIGH, 0},
                   {SDP_RDMA_D_FEATURE_MODE_CFG, mode & 1}, {SDP_RDMA_D_SRC_DMA_CFG, 1});
}

/* CDMA, the core and SDP: a convolution of w x h x c (elements, INT8) with kernels of size r x s. entries: of a slice.
 */
struct legal_convolution {
    uint32_t width, height, channels, extended_width, extended_height, rows, columns, out_width, out_height, entries;
    uint32_t image, winograd, batches, compressed;
};

static inline void legal_convolution(const struct nvdla_config *config, struct legal_sink sink,
                                     const struct legal_convolution *l) {
    uint32_t atom = (uint32_t)config->mem_atom, kernels = (uint32_t)config->atomic_k;
    uint32_t kernel = l->rows * l->columns * l->channels, weights = (kernel * kernels + 127) / 128 * 128;
    uint32_t masks = l->compressed ? (kernel * kernels / 8 + 127) / 128 * 128 : 0;
    uint32_t pads = l->winograd ? 0x01010101 : 0, pack = l->image ? l->channels * l->columns : l->channels;
    LEGAL_SETTINGS(
        sink, NVDLA_CDMA, {CDMA_D_MISC_CFG, l->winograd}, {CDMA_D_DATAIN_FORMAT, l->image}, {CDMA_D_PIXEL_OFFSET, 0},
        {CDMA_D_DAIN_RAM_TYPE, 1}, {CDMA_D_DAIN_ADDR_HIGH_0, 0}, {CDMA_D_DAIN_ADDR_LOW_0, LEGAL_SOURCE},
        {CDMA_D_LINE_STRIDE, l->width * atom}, {CDMA_D_SURF_STRIDE, l->width * l->height * atom},
        {CDMA_D_DAIN_MAP, 0x10001}, {CDMA_D_BATCH_NUMBER, l->batches}, {CDMA_D_BATCH_STRIDE, 16 * atom},
        {CDMA_D_DATAIN_SIZE_0, (l->height - 1) << 16 | (l->width - 1)}, {CDMA_D_DATAIN_SIZE_1, l->channels - 1},
        {CDMA_D_DATAIN_SIZE_EXT_0, (l->extended_height - 1) << 16 | (l->extended_width - 1)},
        {CDMA_D_ENTRY_PER_SLICE, l->entries - 1}, {CDMA_D_FETCH_GRAIN, 0}, {CDMA_D_WEIGHT_FORMAT, l->compressed},
        {CDMA_D_WEIGHT_SIZE_0, kernel - 1}, {CDMA_D_WEIGHT_SIZE_1, kernels - 1}, {CDMA_D_WEIGHT_RAM_TYPE, 1},
        {CDMA_D_WEIGHT_ADDR_HIGH, 0}, {CDMA_D_WEIGHT_ADDR_LOW, LEGAL_WEIGHTS}, {CDMA_D_WEIGHT_BYTES, weights},
        {CDMA_D_WMB_ADDR_HIGH, 0}, {CDMA_D_WMB_ADDR_LOW, LEGAL_MASKS}, {CDMA_D_WMB_BYTES, masks},
        {CDMA_D_WGS_ADDR_HIGH, 0}, {CDMA_D_WGS_ADDR_LOW, LEGAL_SIZES}, {CDMA_D_CVT_CFG, 0}, {CDMA_D_CONV_STRIDE, 0},
        {CDMA_D_ZERO_PADDING, pads}, {CDMA_D_BANK, 0});
    LEGAL_SETTINGS(sink, NVDLA_CSC, {CSC_D_MISC_CFG, l->winograd}, {CSC_D_DATAIN_FORMAT, l->image},
                   {CSC_D_DATAIN_SIZE_EXT_0, (l->extended_height - 1) << 16 | (l->extended_width - 1)},
                   {CSC_D_DATAIN_SIZE_EXT_1, l->channels - 1}, {CSC_D_BATCH_NUMBER, l->batches},
                   {CSC_D_POST_Y_EXTENSION, 0}, {CSC_D_ENTRY_PER_SLICE, l->entries - 1},
                   {CSC_D_WEIGHT_FORMAT, l->compressed},
                   {CSC_D_WEIGHT_SIZE_EXT_0, (l->rows - 1) << 16 | (l->image ? 0 : l->columns - 1)},
                   {CSC_D_WEIGHT_SIZE_EXT_1, (kernels - 1) << 16 | (pack - 1)}, {CSC_D_WEIGHT_BYTES, weights},
                   {CSC_D_WMB_BYTES, masks}, {CSC_D_DATAOUT_SIZE_0, (l->out_height - 1) << 16 | (l->out_width - 1)},
                   {CSC_D_DATAOUT_SIZE_1, kernels - 1}, {CSC_D_ATOMICS, l->out_width * l->out_height - 1},
                   {CSC_D_RELEASE, l->extended_height - 1}, {CSC_D_CONV_STRIDE_EXT, 0}, {CSC_D_DILATION_EXT, 0},
                   {CSC_D_ZERO_PADDING, 0}, {CSC_D_BANK, 0}, {CSC_D_PRA_CFG, 0});
    sink.write(sink.context, NVDLA_CMAC_A, CMAC_A_D_MISC_CFG, l->winograd);
    sink.write(sink.context, NVDLA_CMAC_B, CMAC_B_D_MISC_CFG, l->winograd);
    sink.write(sink.context, NVDLA_CACC, CACC_D_MISC_CFG, l->winograd);
    sink.write(sink.context, NVDLA_CACC, CACC_D_CLIP_CFG, 0);
    legal_sdp(config, sink, l->out_width, l->out_height, 1 | l->winograd << 2 | l->batches << 8);
}

/* Entries of 64 or 128 bytes for `bytes` bytes of a slice. */
static inline uint32_t legal_entries(const struct nvdla_config *config, uint32_t bytes) {
    uint32_t entry = (uint32_t)config->atomic_c * (config->int16 || config->fp16 ? 2 : 1);
    return (bytes + entry - 1) / entry;
}

static inline void legal_pdp(const struct nvdla_config *config, struct legal_sink sink, uint32_t from_memory,
                             uint32_t strips) {
    uint32_t atom = (uint32_t)config->mem_atom, partial_in = strips ? 0x401 : 0;
    LEGAL_SETTINGS(
        sink, NVDLA_PDP, {PDP_D_DATA_CUBE_IN_WIDTH, 3}, {PDP_D_DATA_CUBE_IN_HEIGHT, 3},
        {PDP_D_DATA_CUBE_IN_CHANNEL, atom - 1}, {PDP_D_DATA_CUBE_OUT_WIDTH, 1}, {PDP_D_DATA_CUBE_OUT_HEIGHT, 1},
        {PDP_D_DATA_CUBE_OUT_CHANNEL, atom - 1}, {PDP_D_OPERATION_MODE_CFG, from_memory << 4 | strips << 8},
        {PDP_D_PARTIAL_WIDTH_IN, partial_in}, {PDP_D_PARTIAL_WIDTH_OUT, 0}, {PDP_D_POOLING_KERNEL_CFG, 0x110101},
        {PDP_D_RECIP_KERNEL_WIDTH, 0x8000}, {PDP_D_RECIP_KERNEL_HEIGHT, 0x8000}, {PDP_D_POOLING_PADDING_CFG, 0},
        {PDP_D_DST_BASE_ADDR_LOW, LEGAL_DESTINATION}, {PDP_D_DST_BASE_ADDR_HIGH, 0}, {PDP_D_DST_LINE_STRIDE, 2 * atom},
        {PDP_D_DST_SURFACE_STRIDE, 4 * atom}, {PDP_D_DST_RAM_CFG, 1}, {PDP_D_DATA_FORMAT, 0});
    LEGAL_SETTINGS(sink, NVDLA_PDP_RDMA, {PDP_RDMA_D_DATA_CUBE_IN_WIDTH, 3}, {PDP_RDMA_D_DATA_CUBE_IN_HEIGHT, 3},
                   {PDP_RDMA_D_DATA_CUBE_IN_CHANNEL, atom - 1}, {PDP_RDMA_D_FLYING_MODE, 1},
                   {PDP_RDMA_D_SRC_BASE_ADDR_LOW, LEGAL_SOURCE}, {PDP_RDMA_D_SRC_BASE_ADDR_HIGH, 0},
                   {PDP_RDMA_D_SRC_LINE_STRIDE, 4 * atom}, {PDP_RDMA_D_SRC_SURFACE_STRIDE, 16 * atom},
                   {PDP_RDMA_D_SRC_RAM_CFG, 1}, {PDP_RDMA_D_DATA_FORMAT, 0}, {PDP_RDMA_D_OPERATION_MODE_CFG, strips},
                   {PDP_RDMA_D_POOLING_KERNEL_CFG, 0x11}, {PDP_RDMA_D_PARTIAL_WIDTH_IN, partial_in});
}

/* Loads both tables; the access ports of SDP and CDP have the same layouts. */
static inline void legal_table(struct legal_sink sink, enum nvdla_unit unit) {
    sink.write(sink.context, unit, SDP_S_LUT_ACCESS_CFG, 0x20000);
    for (uint32_t i = 0; i < LUT_LE_ENTRIES; i++)
        sink.write(sink.context, unit, SDP_S_LUT_ACCESS_DATA, i);
    sink.write(sink.context, unit, SDP_S_LUT_ACCESS_CFG, 0x30000);
    for (uint32_t i = 0; i < LUT_LO_ENTRIES; i++)
        sink.write(sink.context, unit, SDP_S_LUT_ACCESS_DATA, 2 * i);
}

static inline void legal_cdp(const struct nvdla_config *config, struct legal_sink sink) {
    uint32_t atom = (uint32_t)config->mem_atom;
    legal_table(sink, NVDLA_CDP);
    LEGAL_SETTINGS(sink, NVDLA_CDP, {CDP_S_LUT_CFG, 0}, {CDP_S_LUT_INFO, 0}, {CDP_S_LUT_LE_START_LOW, 0},
                   {CDP_S_LUT_LE_START_HIGH, 0}, {CDP_S_LUT_LO_START_LOW, 0}, {CDP_S_LUT_LO_START_HIGH, 0},
                   {CDP_S_LUT_LE_END_LOW, 0x1000}, {CDP_S_LUT_LE_END_HIGH, 0}, {CDP_S_LUT_LO_END_LOW, 256},
                   {CDP_S_LUT_LO_END_HIGH, 0}, {CDP_D_FUNC_BYPASS, 0}, {CDP_D_DST_BASE_ADDR_LOW, LEGAL_DESTINATION},
                   {CDP_D_DST_BASE_ADDR_HIGH, 0}, {CDP_D_DST_LINE_STRIDE, 4 * atom},
                   {CDP_D_DST_SURFACE_STRIDE, 16 * atom}, {CDP_D_DST_DMA_CFG, 1}, {CDP_D_DATA_FORMAT, 0},
                   {CDP_D_LRN_CFG, 0}, {CDP_D_DATIN_OFFSET, 0}, {CDP_D_DATIN_SCALE, 1}, {CDP_D_DATIN_SHIFTER, 0},
                   {CDP_D_DATOUT_OFFSET, 0}, {CDP_D_DATOUT_SCALE, 1}, {CDP_D_DATOUT_SHIFTER, 0});
    LEGAL_SETTINGS(sink, NVDLA_CDP_RDMA, {CDP_RDMA_D_DATA_CUBE_WIDTH, 3}, {CDP_RDMA_D_DATA_CUBE_HEIGHT, 3},
                   {CDP_RDMA_D_DATA_CUBE_CHANNEL, atom - 1}, {CDP_RDMA_D_SRC_BASE_ADDR_LOW, LEGAL_SOURCE},
                   {CDP_RDMA_D_SRC_BASE_ADDR_HIGH, 0}, {CDP_RDMA_D_SRC_LINE_STRIDE, 4 * atom},
                   {CDP_RDMA_D_SRC_SURFACE_STRIDE, 16 * atom}, {CDP_RDMA_D_SRC_DMA_CFG, 1},
                   {CDP_RDMA_D_DATA_FORMAT, 0});
}

/* Two by two phases of 4x4 pixels (contract), or 4x4 pixels of 32 channels (split, merge). */
static inline void legal_rubik(const struct nvdla_config *config, struct legal_sink sink, uint32_t mode) {
    uint32_t atom = (uint32_t)config->mem_atom, planar = atom;
    bool contract = mode == 0, merge = mode == 2;
    LEGAL_SETTINGS(sink, NVDLA_RBK, {RBK_D_MISC_CFG, mode}, {RBK_D_DAIN_RAM_TYPE, 1}, {RBK_D_DATAIN_SIZE_0, 0x30003},
                   {RBK_D_DATAIN_SIZE_1, contract ? 4 * atom - 1 : atom - 1}, {RBK_D_DAIN_ADDR_HIGH, 0},
                   {RBK_D_DAIN_ADDR_LOW, LEGAL_SOURCE}, {RBK_D_DAIN_LINE_STRIDE, merge ? planar : 4 * atom},
                   {RBK_D_DAIN_SURF_STRIDE, 16 * atom}, {RBK_D_DAIN_PLANAR_STRIDE, 4 * planar},
                   {RBK_D_DAOUT_RAM_TYPE, 1}, {RBK_D_DATAOUT_SIZE_1, atom - 1}, {RBK_D_DAOUT_ADDR_HIGH, 0},
                   {RBK_D_DAOUT_ADDR_LOW, LEGAL_DESTINATION},
                   {RBK_D_DAOUT_LINE_STRIDE, contract ? 8 * atom
                                             : merge  ? 4 * atom
                                                      : planar},
                   {RBK_D_CONTRACT_STRIDE_0, 16 * atom}, {RBK_D_CONTRACT_STRIDE_1, 16 * atom},
                   {RBK_D_DAOUT_SURF_STRIDE, contract ? 64 * atom : 16 * atom}, {RBK_D_DAOUT_PLANAR_STRIDE, 4 * planar},
                   {RBK_D_DECONV_STRIDE, contract ? 0x10001 : 0});
}

static inline void legal_bdma(struct legal_sink sink) {
    LEGAL_SETTINGS(sink, NVDLA_BDMA, {BDMA_CFG_SRC_ADDR_LOW, LEGAL_SOURCE}, {BDMA_CFG_SRC_ADDR_HIGH, 0},
                   {BDMA_CFG_DST_ADDR_LOW, LEGAL_DESTINATION}, {BDMA_CFG_DST_ADDR_HIGH, 0}, {BDMA_CFG_LINE, 3},
                   {BDMA_CFG_CMD, 3}, {BDMA_CFG_LINE_REPEAT, 3}, {BDMA_CFG_SRC_LINE, 0x80}, {BDMA_CFG_DST_LINE, 0x80},
                   {BDMA_CFG_SURF_REPEAT, 1}, {BDMA_CFG_SRC_SURF, 0x200}, {BDMA_CFG_DST_SURF, 0x200});
}

/* Writes the registers of a layer that exists in the configuration. */
static inline void legal_layer(const struct nvdla_config *config, enum legal_layer layer, struct legal_sink sink) {
    uint32_t atom = (uint32_t)config->mem_atom;
    struct legal_convolution convolution = {.width = 4,
                                            .height = 4,
                                            .channels = atom,
                                            .extended_width = 4,
                                            .extended_height = 4,
                                            .rows = 2,
                                            .columns = 2,
                                            .out_width = 3,
                                            .out_height = 3,
                                            .entries = legal_entries(config, 4 * atom)};
    switch (layer) {
    case LEGAL_BATCHES:
        convolution.batches = 1;
        break;
    case LEGAL_COMPRESSED:
        convolution.compressed = 1;
        break;
    case LEGAL_IMAGE:
        convolution.image = 1;
        convolution.channels = 1;
        convolution.width = convolution.extended_width = 8;
        convolution.out_width = 7;
        convolution.entries = legal_entries(config, 8);
        break;
    case LEGAL_WINOGRAD:
        convolution.winograd = 1;
        convolution.width = convolution.height = 6;
        convolution.extended_width = convolution.extended_height = 8;
        convolution.rows = convolution.columns = 4;
        convolution.out_width = convolution.out_height = 4;
        convolution.entries = 2;
        break;
    default:
        break;
    }
    switch (layer) {
    case LEGAL_CONVOLUTION:
    case LEGAL_BATCHES:
    case LEGAL_COMPRESSED:
    case LEGAL_IMAGE:
    case LEGAL_WINOGRAD:
        legal_convolution(config, sink, &convolution);
        break;
    case LEGAL_SDP:
    case LEGAL_TABLE:
        legal_sdp(config, sink, 4, 4, 0);
        sink.write(sink.context, NVDLA_SDP, SDP_D_DP_BS_CFG, 0x48); /* sum, multiply, no ReLU */
        sink.write(sink.context, NVDLA_SDP, SDP_D_DP_BS_ALU_CFG, 1);
        sink.write(sink.context, NVDLA_SDP, SDP_D_DP_BS_MUL_CFG, 1);
        sink.write(sink.context, NVDLA_SDP_RDMA, SDP_RDMA_D_BRDMA_CFG, 0x24);
        if (layer == LEGAL_TABLE) {
            legal_table(sink, NVDLA_SDP);
            sink.write(sink.context, NVDLA_SDP, SDP_D_DP_EW_CFG, 0x12);
            sink.write(sink.context, NVDLA_SDP, SDP_S_LUT_LE_END, 0x1000);
            sink.write(sink.context, NVDLA_SDP, SDP_S_LUT_LO_END, 0x100);
        }
        break;
    case LEGAL_POOLING:
        legal_pdp(config, sink, 1, 0);
        break;
    case LEGAL_STRIPS:
        legal_pdp(config, sink, 1, 1);
        break;
    case LEGAL_SDP_POOLING:
        legal_sdp(config, sink, 4, 4, 2);
        legal_pdp(config, sink, 0, 0);
        break;
    case LEGAL_CDP:
        legal_cdp(config, sink);
        break;
    case LEGAL_CONTRACT:
    case LEGAL_SPLIT:
    case LEGAL_MERGE:
        legal_rubik(config, sink, (uint32_t)(layer - LEGAL_CONTRACT));
        break;
    case LEGAL_BDMA:
        legal_bdma(sink);
        break;
    case LEGAL_LAYERS:
        break;
    }
}

#endif
