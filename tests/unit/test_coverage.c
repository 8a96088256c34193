/* Functional coverage: layers land in the bins their registers name, bins know their configurations, counts survive a
 * file. */
#include "nvdla/xalloc.h"
#include "trace_test.h"

#include <inttypes.h>

#include "coverage/coverage.h"
#include "nvdla/pixel.h"
#include "nvdla_offsets.h"
#include "tests/unit/random.h"
#include "tests/unit/test.h"
#include "trace/launches.h"

static struct program *trace_for(const char *config) {
    const struct nvdla_config *found = nvdla_config_find(config);
    assert_non_null(found);
    return program_new(found, "t.cfg");
}

static void set(struct program *prog, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    struct op op = op_make(OP_WRITE, 1);
    op.address = nvdla_unit_base(prog->config, unit) + offset;
    op.value = value;
    program_append(prog, &op);
}

/* Counts one trace, which is freed. */
static struct coverage *counted(struct program *prog) {
    struct coverage *coverage = coverage_new();
    assert_non_null(coverage);
    coverage_add(coverage, prog);
    program_free(prog);
    return coverage;
}

static uint64_t count(const struct coverage *coverage, const char *bin) {
    uint64_t value = 0;
    if (!coverage_count(coverage, bin, &value))
        fail_msg("there is no bin %s", bin);
    return value;
}

struct expected {
    const char *bin;
    uint64_t count;
};

/* Counts one trace, which is freed; these bins, up to one without a name, must have these counts. */
static void expect(struct program *prog, const struct expected *bins) {
    struct coverage *coverage = counted(prog);
    for (; bins->bin; bins++)
        if (count(coverage, bins->bin) != bins->count)
            fail_msg("%s is %" PRIu64 ", expected %" PRIu64, bins->bin, count(coverage, bins->bin), bins->count);
    coverage_free(coverage);
}

/* The row of the table that begins with these words, up to the end of its line. */
static void row(const struct coverage *coverage, const char *name, char text[400]) {
    char *table = coverage_text(coverage), start[100];
    assert_non_null(table);
    snprintf(start, sizeof start, "\n  %s ", name);
    const char *at = strstr(table, start);
    if (!at)
        fail_msg("no row %s in\n%s", name, table);
    snprintf(text, 400, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
    free(table);
}

/* SDP from memory, 4x2x16 at offset `base`, BS adds an operand from memory. */
static void add_sdp(struct program *prog, uint32_t line) {
    set(prog, NVDLA_SDP, SDP_D_DATA_CUBE_WIDTH, 3);
    set(prog, NVDLA_SDP, SDP_D_DATA_CUBE_HEIGHT, 1);
    set(prog, NVDLA_SDP, SDP_D_DATA_CUBE_CHANNEL, 15);
    set(prog, NVDLA_SDP, SDP_D_DST_LINE_STRIDE, line);
    set(prog, NVDLA_SDP, SDP_D_DST_SURFACE_STRIDE, 2 * line);
    set(prog, NVDLA_SDP, SDP_D_DST_DMA_CFG, 1);
    set(prog, NVDLA_SDP, SDP_D_DP_BS_CFG,
        2u << SDP_D_DP_BS_CFG__BS_ALU_ALGO_LSB | SDP_D_DP_BS_CFG__BS_MUL_BYPASS_MASK |
            SDP_D_DP_BS_CFG__BS_RELU_BYPASS_MASK);
    set(prog, NVDLA_SDP, SDP_D_DP_BS_ALU_CFG, SDP_D_DP_BS_ALU_CFG__BS_ALU_SRC_MASK);
    set(prog, NVDLA_SDP, SDP_D_DP_BN_CFG, SDP_D_DP_BN_CFG__BN_BYPASS_MASK);
    set(prog, NVDLA_SDP, SDP_D_DP_EW_CFG, SDP_D_DP_EW_CFG__EW_BYPASS_MASK);
    set(prog, NVDLA_SDP, SDP_D_CVT_SCALE, 0x8000);
    set(prog, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
}

TEST(sdp_layers_land_in_their_bins) {
    struct program *prog = trace_for("small");
    add_sdp(prog, 32);
    set(prog, NVDLA_SDP, SDP_S_POINTER, 1);
    add_sdp(prog, 64);
    expect(prog, (const struct expected[]){{"sdp.layers", 2},
                                           {"sdp.group=0", 1},
                                           {"sdp.group=1", 1},
                                           {"sdp.source*destination=memory,memory", 2},
                                           {"sdp.width*channels=2..7,multiple", 2},
                                           {"sdp.bs_alu=sum", 2},
                                           {"sdp.bs_alu_operand=memory", 2},
                                           {"sdp.bs_alu*bs_mul=sum,off", 2},
                                           {"sdp.bn=bypass", 2},
                                           {"sdp.bn_alu=off", 0}, /* does not apply */
                                           {"sdp.scale=other_negative", 2},
                                           {"sdp.lines*surfaces=packed,packed", 1},
                                           {"sdp.lines*surfaces=gap,packed", 1},
                                           {"chain.kind=sdp", 2},
                                           {"chain.kind*after=sdp,same_kind", 1},
                                           {"trace.config=small", 1},
                                           {"trace.groups=both", 1},
                                           {0}});
}

/* A convolution: 6x5x11 (WxHxC), kernels 3x2 in number 9, stride 2x1, pad left 1. */
static void add_conv(struct program *prog, bool image) {
    const uint32_t misc = image ? 0 : CSC_D_MISC_CFG__DATA_REUSE_MASK;
    set(prog, NVDLA_CACC, CACC_D_CLIP_CFG, 3);
    set(prog, NVDLA_CACC, CACC_D_OP_ENABLE, 1);
    set(prog, NVDLA_CSC, CSC_D_MISC_CFG, misc);
    set(prog, NVDLA_CSC, CSC_D_DATAIN_FORMAT, image);
    set(prog, NVDLA_CSC, CSC_D_DATAIN_SIZE_EXT_0, 5 | 4u << 16);
    set(prog, NVDLA_CSC, CSC_D_DATAIN_SIZE_EXT_1, 10);
    set(prog, NVDLA_CSC, CSC_D_WEIGHT_SIZE_EXT_0, (image ? 0 : 2) | 1u << 16);
    set(prog, NVDLA_CSC, CSC_D_WEIGHT_SIZE_EXT_1, (image ? 3 * 4 - 1 : 10) | 8u << 16);
    set(prog, NVDLA_CSC, CSC_D_POST_Y_EXTENSION, image);
    set(prog, NVDLA_CSC, CSC_D_CONV_STRIDE_EXT, 1);
    set(prog, NVDLA_CSC, CSC_D_ZERO_PADDING, 1);
    set(prog, NVDLA_CSC, CSC_D_ZERO_PADDING_VALUE, 0x80);
    /* columns -1 .. 5 in steps of 2 with 3 columns each: 3 outputs, all inside; lines 0 .. 4, 2 each: 5 with padding */
    set(prog, NVDLA_CSC, CSC_D_DATAOUT_SIZE_0, 2 | 4u << 16);
    set(prog, NVDLA_CSC, CSC_D_RELEASE, 2);
    set(prog, NVDLA_CSC, CSC_D_BANK, 1 | 29u << 16);
    set(prog, NVDLA_CSC, CSC_D_OP_ENABLE, 1);
    set(prog, NVDLA_CDMA, CDMA_D_DATAIN_FORMAT, (image ? 1 | 0x1bu << 8 : 0));
    set(prog, NVDLA_CDMA, CDMA_D_DAIN_MAP, 1);
    set(prog, NVDLA_CDMA, CDMA_D_CVT_CFG, image);
    set(prog, NVDLA_CDMA, CDMA_D_CVT_SCALE, 7);
    set(prog, NVDLA_CDMA, CDMA_D_PIXEL_OFFSET, 1);
    set(prog, NVDLA_CDMA, CDMA_D_OP_ENABLE, 1);
}

TEST(convolutions_are_their_units_together) {
    struct program *prog = trace_for("small");
    add_conv(prog, false);
    expect(prog, (const struct expected[]){{"conv.layers", 1},
                                           {"conv.input=feature", 1},
                                           {"conv.channels*kernels=ragged,ragged", 1},
                                           {"conv.kernel_width*kernel_height=3,2", 1},
                                           {"conv.input*stride_x*stride_y=feature,2,1", 1},
                                           {"conv.input*pad_left*pad_right=feature,on,off", 1},
                                           {"conv.input*pad_top*pad_bottom=feature,off,on", 1},
                                           {"conv.pad_value=negative", 1},
                                           {"conv.positions=8..15", 1},
                                           {"conv.data_reuse*data_release=on,some", 1},
                                           {"conv.banks=first", 1},
                                           {"conv.buffer=all_used", 1},
                                           {"conv.lines*surfaces=packed,gap", 1},
                                           {"conv.truncate=1..15", 1},
                                           {"conv.format=R8", 0},      /* of images only */
                                           {"conv.scale=positive", 0}, /* the convertor is off */
                                           {0}});
}

TEST(images_are_sorted_by_format) {
    struct program *prog = trace_for("small");
    add_conv(prog, false);
    add_conv(prog, true);
    expect(prog, (const struct expected[]){{"conv.layers", 2},
                                           {"conv.format*x_offset=V8U8Y8A8,1..", 1},
                                           {"conv.components*y_extension=4,2", 1},
                                           {"conv.kernel_width=3", 2},
                                           {"conv.scale=positive", 1},
                                           {"conv.pixels=unsigned", 1},
                                           {"conv.banks=same", 1},
                                           {0}});
}

TEST(fused_chains_count_once) {
    struct program *prog = trace_for("small");
    set(prog, NVDLA_PDP, PDP_D_OPERATION_MODE_CFG, 1); /* max, from SDP */
    set(prog, NVDLA_PDP, PDP_D_OP_ENABLE, 1);
    set(prog, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG,
        SDP_D_FEATURE_MODE_CFG__FLYING_MODE_MASK | SDP_D_FEATURE_MODE_CFG__OUTPUT_DST_MASK);
    set(prog, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    add_conv(prog, true);
    expect(prog, (const struct expected[]){{"chain.layers", 1},
                                           {"chain.kind*conv_input=conv>sdp>pdp,image", 1},
                                           {"pdp.source*method=sdp,max", 1},
                                           {"sdp.source*destination=conv,pdp", 1},
                                           {0}});
}

TEST(pdp_windows_and_padding) {
    struct program *prog = trace_for("large");
    set(prog, NVDLA_PDP, PDP_D_OPERATION_MODE_CFG, 2 | PDP_D_OPERATION_MODE_CFG__FLYING_MODE_MASK | 1u << 8);
    set(prog, NVDLA_PDP, PDP_D_POOLING_KERNEL_CFG, 2 | 1u << 8 | 1u << 16 | 3u << 20);
    set(prog, NVDLA_PDP, PDP_D_POOLING_PADDING_CFG, 1);
    set(prog, NVDLA_PDP, PDP_D_POOLING_PADDING_VALUE_1_CFG, 0x7ffff);
    set(prog, NVDLA_PDP, PDP_D_OP_ENABLE, 1);
    expect(prog, (const struct expected[]){{"pdp.source*method=memory,min", 1},
                                           {"pdp.windows_x*windows_y=overlap,apart", 1},
                                           {"pdp.method*padding=min,horizontal", 1},
                                           {"pdp.method*pad_value=min,negative", 1},
                                           {"pdp.strips*pad_left*pad_right=2,on,off", 1},
                                           {"pdp.memory=secondary", 1},
                                           {0}});
}

TEST(cdp_is_compared_with_its_reader) {
    struct program *prog = trace_for("small");
    set(prog, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA, 5);
    set(prog, NVDLA_CDP, CDP_S_LUT_INFO, 0xff);
    set(prog, NVDLA_CDP, CDP_D_LRN_CFG, 3);
    set(prog, NVDLA_CDP, CDP_D_DST_BASE_ADDR_LOW, 0x1000);
    set(prog, NVDLA_CDP_RDMA, CDP_RDMA_D_SRC_BASE_ADDR_LOW, 0x1000);
    set(prog, NVDLA_CDP_RDMA, CDP_RDMA_D_DATA_CUBE_CHANNEL, 4);
    set(prog, NVDLA_CDP_RDMA, CDP_RDMA_D_OP_ENABLE, 1);
    set(prog, NVDLA_CDP, CDP_D_OP_ENABLE, 1);
    expect(prog, (const struct expected[]){{"cdp.length*channels=9,part", 1},
                                           {"cdp.destination=in_place", 1},
                                           {"cdp.le_index_offset=negative", 1},
                                           {"trace.cdp_lut_write=some", 1},
                                           {"trace.cdp_lut_read=none", 1},
                                           {0}});
}

/* ---- full ------------------------------------------------------------------------------------ */

enum { INT8, INT16, FP16 };

/* Arms a convolution with what was set before; whatever it does not set is zero. */
static void arm_conv(struct program *prog, int precision) {
    set(prog, NVDLA_CACC, CACC_D_OP_ENABLE, 1);
    set(prog, NVDLA_CDMA, CDMA_D_MISC_CFG, (uint32_t)precision << CDMA_D_MISC_CFG__PROC_PRECISION_LSB);
    set(prog, NVDLA_CDMA, CDMA_D_OP_ENABLE, 1);
    set(prog, NVDLA_CSC, CSC_D_OP_ENABLE, 1);
}

static void set_csc_mode(struct program *prog, int precision, uint32_t mode) {
    set(prog, NVDLA_CSC, CSC_D_MISC_CFG, (uint32_t)precision << CSC_D_MISC_CFG__PROC_PRECISION_LSB | mode);
}

/* The bins of formats have the names of the formats, in their order. */
TEST(every_pixel_format_has_its_bins) {
    static const char *const precisions[] = {"int8", "int16", "fp16"};
    const struct nvdla_config *full = nvdla_config_find("full");
    char bin[100];
    for (uint32_t id = 0; id < 0x24; id++) {
        const struct nvdla_pixel_format *format = nvdla_pixel_format(full, id);
        const int to = format->precision == NVDLA_FP16 ? FP16 : (int)id % 3;
        struct program *prog = trace_for("full");
        set(prog, NVDLA_CSC, CSC_D_DATAIN_FORMAT, 1);
        set_csc_mode(prog, to, 0);
        set(prog, NVDLA_CDMA, CDMA_D_DATAIN_FORMAT, 1 | id << CDMA_D_DATAIN_FORMAT__PIXEL_FORMAT_LSB);
        arm_conv(prog, to);
        struct coverage *coverage = counted(prog);
        snprintf(bin, sizeof bin, "conv.format*precision=%s,%s", format->name, precisions[to]);
        assert_int_equal(count(coverage, bin), 1);
        snprintf(bin, sizeof bin, "conv.conversion=%s>%s", precisions[format->precision], precisions[to]);
        assert_int_equal(count(coverage, bin), 1);
        assert_int_equal(count(coverage, "conv.input*precision=image,int16"), to == INT16);
        coverage_free(coverage);
    }
}

/* CDMA pads and strides in Winograd (chapter 30 section 5.5): 10 lines after a pad of 1 fill 8 lines of stride 2. */
TEST(winograd_has_the_strides_and_pads_of_cdma) {
    struct program *prog = trace_for("full");
    set_csc_mode(prog, INT16, CSC_D_MISC_CFG__CONV_MODE_MASK);
    set(prog, NVDLA_CSC, CSC_D_WEIGHT_SIZE_EXT_1, 31);
    set(prog, NVDLA_CSC, CSC_D_PRA_CFG, 2);
    set(prog, NVDLA_CSC, CSC_D_DATAOUT_SIZE_0, 3 | 3u << 16);
    set(prog, NVDLA_CDMA, CDMA_D_DATAIN_SIZE_0, 7 | 9u << 16);
    set(prog, NVDLA_CDMA, CDMA_D_DATAIN_SIZE_1, 15);
    set(prog, NVDLA_CDMA, CDMA_D_DATAIN_SIZE_EXT_0, 7 | 7u << 16);
    set(prog, NVDLA_CDMA, CDMA_D_CONV_STRIDE, 1u << 16);
    set(prog, NVDLA_CDMA, CDMA_D_ZERO_PADDING, 1u << 16);
    set(prog, NVDLA_CDMA, CDMA_D_ZERO_PADDING_VALUE, 0x8000);
    arm_conv(prog, INT16);
    expect(prog, (const struct expected[]){{"conv.input*stride_x*stride_y=winograd,1,2", 1},
                                           {"conv.input*pad_top*pad_bottom=winograd,on,on", 1},
                                           {"conv.input*pad_left*pad_right=winograd,off,off", 1},
                                           {"conv.precision*pad_value=int16,negative", 1},
                                           {"conv.precision*pra_truncate=int16,2", 1},
                                           {"conv.precision*channels=int16,whole", 1},
                                           {"conv.width=8", 1},
                                           {"conv.height=9..31", 1},
                                           {"conv.positions=2..7", 1},
                                           {"conv.kernel_width=1", 0}, /* does not apply */
                                           {0}});
}

/* Products of INT16 pass 32 bits; as many of INT8, or shifted by 2 bits, do not. */
TEST(batches_and_saturation_by_precision) {
    struct program *prog = trace_for("full");
    for (int precision = INT8; precision <= FP16; precision++) {
        set_csc_mode(prog, precision, 0);
        set(prog, NVDLA_CSC, CSC_D_WEIGHT_SIZE_EXT_1, 3);
        set(prog, NVDLA_CSC, CSC_D_DATAIN_SIZE_EXT_1, 32);
        set(prog, NVDLA_CSC, CSC_D_BATCH_NUMBER, 6);
        set(prog, NVDLA_CDMA, CDMA_D_NAN_FLUSH_TO_ZERO, 1);
        arm_conv(prog, precision);
    }
    set(prog, NVDLA_CACC, CACC_D_CLIP_CFG, 2);
    set_csc_mode(prog, INT16, 0);
    arm_conv(prog, INT16);
    expect(prog, (const struct expected[]){{"conv.input*batch=feature,4..7", 4},
                                           {"conv.precision*saturation=int8,impossible", 1},
                                           {"conv.precision*saturation=int16,possible", 1},
                                           {"conv.precision*saturation=int16,impossible", 1},
                                           {"conv.precision*tail_atoms=int8,2", 1}, /* 33 channels: 2 atoms */
                                           {"conv.precision*tail_atoms=fp16,3", 1},
                                           {"conv.input*nan_flush=feature,on", 1}, /* of FP16 only */
                                           {0}});
}

/* Group sizes are what the trace loads: the first group is empty, the second has all elements, the third some. */
TEST(compressed_groups_are_looked_up_in_memory) {
    static const uint8_t sizes[] = {0, 0, 0, 0, 0, 1, 0, 0, 7, 0, 0, 0}; /* 0, 256, 7 bytes */
    struct program *prog = trace_for("full");
    struct op op = op_make(OP_MEM_LOAD, 1);
    struct blob *blob = program_blob(prog, blob_new("w.dat"));
    blob_append(blob, 0x40, sizes, sizeof sizes);
    op.space = SPACE_SECONDARY;
    op.base = 0x100001000;
    op.blob = blob;
    program_append(prog, &op);
    set_csc_mode(prog, FP16, 0);
    set(prog, NVDLA_CSC, CSC_D_WEIGHT_SIZE_EXT_1, 34u << 16); /* 35 kernels, 16 a group */
    set(prog, NVDLA_CDMA, CDMA_D_WEIGHT_FORMAT, 1);
    set(prog, NVDLA_CDMA, CDMA_D_WEIGHT_SIZE_0, 15);
    set(prog, NVDLA_CDMA, CDMA_D_WGS_ADDR_LOW, 0x1040);
    set(prog, NVDLA_CDMA, CDMA_D_WGS_ADDR_HIGH, 1);
    set(prog, NVDLA_CDMA, CDMA_D_WMB_BYTES, 3 * 128);
    arm_conv(prog, FP16);
    expect(prog, (const struct expected[]){{"conv.weights*input*precision=compressed,feature,fp16", 1},
                                           {"conv.weights*weight_memory=compressed,secondary", 1},
                                           {"conv.empty_groups*kernel_groups=some,2..8", 1},
                                           {"conv.dense_groups=some", 1},
                                           {"conv.mask_entries=2..255", 1},
                                           {0}});
}

TEST(sdp_conversions_take_their_input_from_the_rdma) {
    struct program *prog = trace_for("full");
    set(prog, NVDLA_SDP, SDP_D_DP_EW_CFG, SDP_D_DP_EW_CFG__EW_BYPASS_MASK);
    set(prog, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, SDP_D_FEATURE_MODE_CFG__FLYING_MODE_MASK);
    set(prog, NVDLA_SDP, SDP_D_DP_BS_CFG, SDP_D_DP_BS_CFG__BS_BYPASS_MASK);
    set(prog, NVDLA_SDP, SDP_D_DP_BN_CFG, SDP_D_DP_BN_CFG__BN_BYPASS_MASK);
    set(prog, NVDLA_SDP, SDP_D_OP_ENABLE, 1); /* of a convolution, without SDP_RDMA */
    set(prog, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, 0);
    set(prog, NVDLA_SDP, SDP_D_DATA_FORMAT, INT16 << SDP_D_DATA_FORMAT__OUT_PRECISION_LSB);
    set(prog, NVDLA_SDP, SDP_D_DATA_CUBE_CHANNEL, 32 + 16);
    set(prog, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    set(prog, NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG, INT16 << SDP_RDMA_D_FEATURE_MODE_CFG__IN_PRECISION_LSB);
    set(prog, NVDLA_SDP_RDMA, SDP_RDMA_D_SRC_DMA_CFG, 1);
    set(prog, NVDLA_SDP_RDMA, SDP_RDMA_D_OP_ENABLE, 1);
    expect(prog, (const struct expected[]){{"sdp.source*conversion=conv,int8>int8>int8", 1},
                                           {"sdp.source*conversion=memory,int16>int8>int16", 1},
                                           {"sdp.conversion*halves=int16>int8>int16,both", 1},
                                           {"sdp.source_memory*memory=primary,secondary", 1},
                                           {"sdp_rdma.precision=int8", 1},
                                           {"sdp_lut.layers", 0},
                                           {0}});
}

/* EW with an operand of every element and its convertor, and the table; then compare mode. */
TEST(sdp_ew_stage_and_table) {
    struct program *prog = trace_for("full");
    set(prog, NVDLA_SDP, SDP_S_LUT_ACCESS_DATA, 1);
    set(prog, NVDLA_SDP, SDP_S_LUT_CFG, SDP_S_LUT_CFG__LUT_LE_FUNCTION_MASK | SDP_S_LUT_CFG__LUT_HYBRID_PRIORITY_MASK);
    set(prog, NVDLA_SDP, SDP_S_LUT_INFO, 0xff00);
    set(prog, NVDLA_SDP, SDP_S_LUT_LO_SLOPE_SHIFT, 0x1f << 5);
    set(prog, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, SDP_D_FEATURE_MODE_CFG__FLYING_MODE_MASK | 4u << 8);
    set(prog, NVDLA_SDP, SDP_D_DATA_FORMAT, INT16 | INT16 << SDP_D_DATA_FORMAT__OUT_PRECISION_LSB);
    set(prog, NVDLA_SDP, SDP_D_DP_BS_ALU_CFG, 20 << SDP_D_DP_BS_ALU_CFG__BS_ALU_SHIFT_VALUE_LSB);
    set(prog, NVDLA_SDP, SDP_D_DP_EW_CFG, SDP_D_DP_EW_CFG__EW_ALU_BYPASS_MASK);
    set(prog, NVDLA_SDP, SDP_D_DP_EW_MUL_CFG, SDP_D_DP_EW_MUL_CFG__EW_MUL_SRC_MASK);
    set(prog, NVDLA_SDP, SDP_D_DP_EW_MUL_CVT_OFFSET_VALUE, 0x80000000);
    set(prog, NVDLA_SDP, SDP_D_DP_EW_MUL_CVT_SCALE_VALUE, 1);
    set(prog, NVDLA_SDP, SDP_D_DP_EW_MUL_CVT_TRUNCATE_VALUE, 16);
    set(prog, NVDLA_SDP, SDP_D_DP_EW_TRUNCATE_VALUE, 64);
    set(prog, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    set(prog, NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG,
        1 | INT16 << SDP_RDMA_D_FEATURE_MODE_CFG__PROC_PRECISION_LSB | 4u << 8);
    set(prog, NVDLA_SDP_RDMA, SDP_RDMA_D_BRDMA_CFG, 1);
    set(prog, NVDLA_SDP_RDMA, SDP_RDMA_D_NRDMA_CFG, 1);
    set(prog, NVDLA_SDP_RDMA, SDP_RDMA_D_ERDMA_CFG,
        SDP_RDMA_D_ERDMA_CFG__ERDMA_DATA_MODE_MASK | SDP_RDMA_D_ERDMA_CFG__ERDMA_DATA_SIZE_MASK);
    set(prog, NVDLA_SDP_RDMA, SDP_RDMA_D_OP_ENABLE, 1);
    set(prog, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, 0);
    set(prog, NVDLA_SDP, SDP_D_DP_EW_CFG,
        SDP_D_DP_EW_CFG__EW_LUT_BYPASS_MASK | SDP_D_DP_EW_CFG__EW_MUL_BYPASS_MASK |
            3u << SDP_D_DP_EW_CFG__EW_ALU_ALGO_LSB);
    set(prog, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    expect(prog, (const struct expected[]){{"sdp.mode*operands=batch,per_element", 1},
                                           {"sdp.bs_alu_shift=16..", 2},
                                           {"sdp.ew_alu*ew_mul=off,on", 1},
                                           {"sdp.ew_mul_shift=64..", 1},
                                           {"sdp.ew_mul_convertor=on", 1},
                                           {"sdp.ew_mul_convertor_offset=negative", 1},
                                           {"sdp.ew_mul_convertor_scale=one", 1},
                                           {"sdp.ew_mul_convertor_truncate=16..", 1},
                                           {"sdp.ew_alu_convertor=on", 0}, /* does not apply */
                                           {"sdp.destination*ew_lut=memory,on", 1},
                                           {"sdp.source*destination=memory,compare", 1},
                                           {"sdp_lut.layers", 1},
                                           {"sdp_lut.source*precision=conv,int16", 1},
                                           {"sdp_lut.le_function*hybrid_priority=linear,LO", 1},
                                           {"sdp_lut.le_index_select=negative", 1},
                                           {"sdp_lut.lo_overflow_shift=negative", 1},
                                           {"sdp_rdma.mode*ew_mode=batch,per_element", 1},
                                           {"trace.sdp_lut_write=some", 1},
                                           {"trace.cdp_lut_write=none", 1},
                                           {0}});
}

/* FP16 pads are FP17 patterns. */
TEST(pdp_and_cdp_by_precision) {
    struct program *prog = trace_for("full");
    set(prog, NVDLA_PDP, PDP_D_OPERATION_MODE_CFG, PDP_D_OPERATION_MODE_CFG__FLYING_MODE_MASK);
    set(prog, NVDLA_PDP, PDP_D_DATA_FORMAT, FP16);
    set(prog, NVDLA_PDP, PDP_D_DATA_CUBE_IN_CHANNEL, 15);
    set(prog, NVDLA_PDP, PDP_D_POOLING_PADDING_CFG, 1);
    set(prog, NVDLA_PDP, PDP_D_POOLING_PADDING_VALUE_1_CFG, 0x17c00);
    set(prog, NVDLA_PDP, PDP_D_NAN_FLUSH_TO_ZERO, 1);
    set(prog, NVDLA_PDP, PDP_D_OP_ENABLE, 1);
    set(prog, NVDLA_PDP_RDMA, PDP_RDMA_D_SRC_RAM_CFG, 1);
    set(prog, NVDLA_PDP_RDMA, PDP_RDMA_D_OP_ENABLE, 1);
    set(prog, NVDLA_CDP_RDMA, CDP_RDMA_D_OP_ENABLE, 1);
    set(prog, NVDLA_CDP, CDP_D_DATA_FORMAT, INT16);
    set(prog, NVDLA_CDP, CDP_D_DATIN_OFFSET, 0x100);
    set(prog, NVDLA_CDP, CDP_D_OP_ENABLE, 1);
    set(prog, NVDLA_CDP, CDP_D_DATA_FORMAT, FP16);
    set(prog, NVDLA_CDP, CDP_D_OP_ENABLE, 1);
    expect(prog, (const struct expected[]){{"pdp.source*precision*method=memory,fp16,average", 1},
                                           {"pdp.precision*channels=fp16,whole", 1},
                                           {"pdp.precision*pad_value=fp16,negative", 1},
                                           {"pdp.source*nan_to_zero=memory,on", 1},
                                           {"pdp.source_memory*memory=primary,secondary", 1},
                                           {"cdp.precision*length=int16,3", 1},
                                           {"cdp.in_offset=positive", 1}, /* FP16 has none */
                                           {"cdp.nan_to_zero=off", 1},
                                           {"chain.kind*precision=cdp,fp16", 1},
                                           {0}});
}

TEST(bdma_groups_and_descriptors) {
    struct program *prog = trace_for("full");
    set(prog, NVDLA_BDMA, BDMA_CFG_LINE, 1);
    set(prog, NVDLA_BDMA, BDMA_CFG_LINE_REPEAT, 2);
    set(prog, NVDLA_BDMA, BDMA_CFG_DST_LINE, 64);
    set(prog, NVDLA_BDMA, BDMA_CFG_SRC_LINE, 32);
    set(prog, NVDLA_BDMA, BDMA_CFG_CMD, 1);
    set(prog, NVDLA_BDMA, BDMA_CFG_OP, 1);
    set(prog, NVDLA_BDMA, BDMA_CFG_CMD, 2);
    set(prog, NVDLA_BDMA, BDMA_CFG_OP, 1);
    set(prog, NVDLA_BDMA, BDMA_CFG_LAUNCH1, 1);
    set(prog, NVDLA_BDMA, BDMA_CFG_OP, 1);
    set(prog, NVDLA_BDMA, BDMA_CFG_LAUNCH0, 1);
    expect(prog, (const struct expected[]){{"bdma.layers", 2},
                                           {"bdma.group*after=1,nothing", 1},
                                           {"bdma.group*after=0,other_group", 1},
                                           {"bdma.group*descriptors=1,2..7", 1},
                                           {"bdma.source_memories=both", 1},
                                           {"bdma_block.layers", 3},
                                           {"bdma_block.source*destination=primary,secondary", 1},
                                           {"bdma_block.source*destination=secondary,primary", 2},
                                           {"bdma_block.source_after=other", 1},
                                           {"bdma_block.source_after=same", 1},
                                           {"bdma_block.source_lines*destination_lines=overlap,packed", 3},
                                           {"bdma_block.source_surfaces=packed", 0}, /* there is one */
                                           {"chain.kind*after=bdma,same_kind", 1},
                                           {"trace.groups=both", 1},
                                           {0}});
}

TEST(rubik_modes) {
    struct program *prog = trace_for("full");
    set(prog, NVDLA_RBK, RBK_D_MISC_CFG, 0);
    set(prog, NVDLA_RBK, RBK_D_DATAIN_SIZE_0, 8);
    set(prog, NVDLA_RBK, RBK_D_DATAOUT_SIZE_1, 32);
    set(prog, NVDLA_RBK, RBK_D_DECONV_STRIDE, 8 | 1u << 16);
    set(prog, NVDLA_RBK, RBK_D_OP_ENABLE, 1);
    set(prog, NVDLA_RBK, RBK_D_MISC_CFG, 1 | FP16 << RBK_D_MISC_CFG__IN_PRECISION_LSB);
    set(prog, NVDLA_RBK, RBK_D_DATAIN_SIZE_0, 63 | 1u << 16);
    set(prog, NVDLA_RBK, RBK_D_DAOUT_LINE_STRIDE, 128);
    set(prog, NVDLA_RBK, RBK_D_DAOUT_PLANAR_STRIDE, 320);
    set(prog, NVDLA_RBK, RBK_D_DAIN_RAM_TYPE, 1);
    set(prog, NVDLA_RBK, RBK_D_OP_ENABLE, 1);
    expect(prog, (const struct expected[]){{"rubik.mode*precision=contract,int8", 1},
                                           {"rubik.mode*channels=contract,ragged", 1},
                                           {"rubik.deconv_x*deconv_y=9..,2..8", 1},
                                           {"rubik.deconv_x*contract_columns=9..,ragged", 1},
                                           {"rubik.mode*precision=split,fp16", 1},
                                           {"rubik.mode*planar_line=split,whole_atoms", 1},
                                           {"rubik.mode*width=split,64", 1},
                                           {"rubik.mode*lines*surfaces=split,packed,gap", 1},
                                           {"rubik.mode*source_memory*memory=split,primary,secondary", 1},
                                           {"chain.kind*precision=rubik,fp16", 1},
                                           {0}});
}

/* Engines and values that small lacks are in no row of its table, those of full are. */
TEST(engines_that_are_not_built_are_left_out) {
    for (int full = 0; full < 2; full++) {
        struct program *prog = trace_for(full ? "full" : "small");
        add_sdp(prog, 32);
        struct coverage *coverage = counted(prog);
        char *table = coverage_text(coverage);
        assert_int_equal(strstr(table, "\nbdma, ") != NULL, full);
        assert_int_equal(strstr(table, "\nrubik, 0 layers\n") != NULL, full);
        assert_int_equal(strstr(table, "\nsdp_lut, ") != NULL, full);
        assert_int_equal(strstr(table, "winograd") != NULL, full);
        assert_int_equal(strstr(table, "int16") != NULL, full);
        assert_int_equal(strstr(table, "\n  pra_truncate ") != NULL, full);
        free(table);
        coverage_free(coverage);
    }
}

TEST(table_leaves_out_what_the_configuration_lacks) {
    char text[400];
    struct coverage *coverage = coverage_new();
    assert_non_null(coverage);
    const struct coverage_total all = coverage_total(coverage);
    assert_int_equal(all.exercised, 0);
    row(coverage, "memory", text);
    assert_non_null(strstr(text, "0 of    2  none of them"));
    struct program *prog = trace_for("small");
    add_sdp(prog, 32);
    coverage_add(coverage, prog);
    program_free(prog);
    const struct coverage_total small = coverage_total(coverage);
    assert_true(small.reachable < all.reachable);
    assert_true(small.exercised > 0 && small.exercised < small.reachable);
    row(coverage, "bs_alu", text);
    assert_string_equal(text, "  bs_alu                                         1 of    4  off max min");
    row(coverage, "ew", text);
    assert_non_null(strstr(text, "1 of    1"));
    row(coverage, "bs_alu*bs_mul", text);
    assert_non_null(strstr(text, "1 of    9")); /* not PReLU with an ALU function */
    prog = trace_for("large");
    add_sdp(prog, 128);
    coverage_add(coverage, prog);
    program_free(prog);
    assert_true(coverage_total(coverage).reachable > small.reachable);
    row(coverage, "ew", text);
    assert_non_null(strstr(text, "1 of    2  active"));
    coverage_free(coverage);
}

TEST_IN_FOLDER(counts_survive_a_file_and_add_up) {
    struct error err;
    char path[700];
    struct program *prog = trace_for("small");
    add_sdp(prog, 32);
    struct coverage *coverage = counted(prog);
    assert_true(coverage_write(coverage, in_directory(state, "a.txt", path), &err));
    assert_true(coverage_merge(coverage, path, &err));
    assert_int_equal(count(coverage, "sdp.layers"), 2);
    assert_int_equal(count(coverage, "sdp.bs_alu*bs_mul=sum,off"), 2);
    assert_int_equal(count(coverage, "trace.config=small"), 2);
    coverage_free(coverage);
    coverage = coverage_new();
    put_file(state, "b.txt", "# comment\n\n  sdp.bs_alu=max \t 12 # more\nsdp.bs_alu=max 3");
    assert_true(coverage_merge(coverage, in_directory(state, "b.txt", path), &err));
    assert_int_equal(count(coverage, "sdp.bs_alu=max"), 15);
    coverage_free(coverage);
}

TEST_IN_FOLDER(bad_files_add_nothing) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"sdp.layers 1\nsdp.nonsense=1 2\n", "bad.txt:2: found the unknown bin 'sdp.nonsense=1'"},
        {"sdp.layers\n", "bad.txt:1: expected the name of a bin and a count"},
        {"sdp.layers 3 4\n", "bad.txt:1: expected"},
        {"sdp.layers 3\nsdp.layers x\n", "bad.txt:2: expected"},
        {"sdp.layers -3\n", "bad.txt:1: expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error err = {.text = ""};
        char path[700];
        struct coverage *coverage = coverage_new();
        put_file(state, "bad.txt", cases[i].text);
        assert_false(coverage_merge(coverage, in_directory(state, "bad.txt", path), &err));
        if (!strstr(err.text, cases[i].message))
            fail_msg("\"%s\" does not tell \"%s\"", err.text, cases[i].message);
        assert_int_equal(count(coverage, "sdp.layers"), 0);
        coverage_free(coverage);
    }
    uint64_t value;
    struct coverage *coverage = coverage_new();
    assert_false(coverage_count(coverage, "sdp", &value));
    coverage_free(coverage);
}

/* Whatever the registers hold, every value has a bin. */
TEST(any_register_value_can_be_sorted) {
    uint64_t seed = 1;
    for (int c = 0; c < nvdla_config_count; c++) {
        const struct nvdla_config *config = &nvdla_configs[c];
        struct program *prog = program_new(config, "t.cfg");
        const struct nvdla_register_map *map = &nvdla_register_maps[config->map];
        for (int round = 0; round < 20; round++)
            for (size_t i = 0; i < map->count; i++) {
                struct op op = op_make(OP_WRITE, 1);
                op.address = map->registers[i].address;
                const char *name = map->registers[i].name;
                op.value = rnd(&seed) | (strcmp(name, "D_OP_ENABLE") == 0 || strcmp(name, "CFG_OP") == 0);
                program_append(prog, &op);
            }
        struct coverage *coverage = counted(prog);
        assert_true(count(coverage, "conv.layers") >= 20);
        assert_true(count(coverage, "cdp.layers") >= 20);
        coverage_free(coverage);
    }
}

/* The bits of a trace, which is freed. */
static unsigned char *bits_of(struct program *prog, size_t *n) {
    struct layer_tracker *launches = program_launches(prog);
    unsigned char *bits = coverage_bits(prog, launches, n);
    layer_tracker_free(launches);
    program_free(prog);
    return bits;
}

TEST(bits_hold_what_a_trace_exercises) {
    size_t n, m;
    struct program *sdp = trace_for("small"), *again = trace_for("small"), *conv = trace_for("small");
    add_sdp(sdp, 32);
    add_sdp(again, 32);
    add_conv(conv, false);
    struct coverage *direct = counted(again), *both = coverage_new();
    unsigned char *a = bits_of(sdp, &n), *b = bits_of(conv, &m);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, COVERAGE_MARK);
    assert_true(coverage_add_bits(both, a, n));
    const struct coverage_total one = coverage_total(both), same = coverage_total(direct);
    assert_true(one.exercised == same.exercised && one.reachable == same.reachable && one.exercised > 10);
    assert_true(coverage_add_bits(both, b, n));
    assert_int_equal(count(both, "sdp.bs_alu=sum"), 1);
    assert_int_equal(count(both, "conv.pad_value=negative"), 1);
    assert_int_equal(count(both, "trace.config=small"), 2);
    /* What is missing is what the table counts as missing. */
    struct coverage_row row;
    struct coverage_total total = {0};
    bool found = false;
    for (size_t i = 0; coverage_row(both, i, &row); i++) {
        total.reachable += row.total.reachable;
        total.exercised += row.total.exercised;
        assert_int_equal(row.holes.count, row.total.reachable - row.total.exercised);
        for (size_t h = 0; h < row.holes.count; h++) {
            char *bin = xprintf("%s=%s", row.name, row.holes.items[h]);
            assert_int_equal(count(both, bin), 0);
            assert_null(strstr(bin, "fp16")); /* small has none */
            found = found || strcmp(bin, "sdp.bs_alu=max") == 0;
            free(bin);
        }
        words_free(&row.holes);
    }
    assert_true(found);
    assert_int_equal(total.reachable, coverage_total(both).reachable);
    assert_int_equal(total.exercised, coverage_total(both).exercised);
    /* Those of another list of bins, or a piece. */
    assert_false(coverage_add_bits(both, a, n - 1));
    a[0] ^= 1;
    assert_false(coverage_add_bits(both, a, n));
    assert_int_equal(count(both, "sdp.bs_alu=sum"), 1);
    free(a);
    free(b);
    coverage_free(both);
    coverage_free(direct);
}
