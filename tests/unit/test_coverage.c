/* Functional coverage: layers land in the bins their registers name, bins know their configurations, counts survive a
 * file. */
#include "nvdla/xalloc.h"
#include "trace_test.h"

#include <inttypes.h>

#include "coverage/coverage.h"
#include "nvdla/pixel.h"
#include "nvdla_offsets.h"
#include "tests/unit/random.h"
#include "tests/unit/register_text.h"
#include "tests/unit/test.h"
#include "trace/launches.h"

static struct program *trace_for(const char *config) {
    const struct nvdla_config *found = nvdla_config_find(config);
    assert_non_null(found);
    return keep_program(program_new(found, "t.cfg"));
}

TEST_KEEPS(keep_coverage, struct coverage, coverage_free)

static struct coverage *new_coverage(void) {
    return keep_coverage(coverage_new());
}

TEST_KEEPS(keep_launches, struct layer_tracker, layer_tracker_free)

static struct layer_tracker *launches_of(const struct program *prog) {
    return keep_launches(program_launches(prog));
}

static void set(struct program *prog, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    struct op op = op_make(OP_WRITE, 1);
    op.address = nvdla_unit_base(prog->config, unit) + offset;
    op.value = value;
    program_append(prog, &op);
}

#define SET(prog, unit, ...) FOR_ROWS(set(prog, unit, offset_, value_), __VA_ARGS__)

static void set_one(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    set(context, unit, offset, value);
}

static void set_all(struct program *prog, const char *text) {
    register_text(prog->config, text, set_one, prog);
}

static void add(struct coverage *coverage, const struct program *prog) {
    struct layer_tracker *launches = launches_of(prog);
    coverage_add(coverage, prog, launches, NULL);
}

/* Counts one trace. */
static struct coverage *counted(struct program *prog) {
    struct coverage *coverage = new_coverage();
    assert_non_null(coverage);
    add(coverage, prog);
    return coverage;
}

static uint64_t count(const struct coverage *coverage, const char *bin) {
    uint64_t value = 0;
    if (!coverage_count(coverage, bin, &value))
        fail_msg("there is no bin %s", bin);
    return value;
}

/* Counts one trace; words are names of bins behind the "COUNT:" that they must have. */
static void expect(struct program *prog, const char *const *words) {
    struct coverage *coverage = counted(prog);
    uint64_t wanted = 0;
    for (; *words; words++)
        if (strchr(*words, ':'))
            wanted = strtoull(*words, NULL, 10);
        else if (count(coverage, *words) != wanted)
            fail_msg("%s is %" PRIu64 ", expected %" PRIu64, *words, count(coverage, *words), wanted);
}

#define EXPECT(prog, ...) expect(prog, (const char *const[]){__VA_ARGS__, NULL})

/* The row of the table that begins with these words, up to the end of its line. */
static void row(const struct coverage *coverage, const char *name, char text[400]) {
    char *table = kept(coverage_text(coverage)), start[100];
    assert_non_null(table);
    snprintf(start, sizeof start, "\n  %s ", name);
    const char *at = strstr(table, start);
    if (!at)
        fail_msg("no row %s in\n%s", name, table);
    snprintf(text, 400, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
}

/* SDP from memory, 4x2x16 at offset `base`, BS adds an operand from memory. */
static void add_sdp(struct program *prog, uint32_t line) {
    set_all(prog, "SDP: D_DATA_CUBE_WIDTH=3 D_DATA_CUBE_HEIGHT=1 D_DATA_CUBE_CHANNEL=15");
    set(prog, NVDLA_SDP, SDP_D_DST_LINE_STRIDE, line);
    set(prog, NVDLA_SDP, SDP_D_DST_SURFACE_STRIDE, 2 * line);
    set_all(prog, "SDP: D_DST_DMA_CFG=1 D_DP_BS_CFG=BS_ALU_ALGO:2,BS_MUL_BYPASS:1,BS_RELU_BYPASS:1 "
                  "D_DP_BS_ALU_CFG=BS_ALU_SRC:1 D_DP_BN_CFG=BN_BYPASS:1 D_DP_EW_CFG=EW_BYPASS:1 D_CVT_SCALE=0x8000 "
                  "D_OP_ENABLE=1");
}

TEST_ON(sdp_layers_land_in_their_bins, struct program *prog, trace_for("small")) {
    add_sdp(prog, 32);
    set(prog, NVDLA_SDP, SDP_S_POINTER, 1);
    add_sdp(prog, 64);
    EXPECT(prog, "2:", "sdp.layers", "sdp.source*destination=memory,memory", "sdp.width*channels=2..7,multiple",
           "sdp.bs_alu=sum", "sdp.bs_alu_operand=memory", "sdp.bs_alu*bs_mul=sum,off", "sdp.bn=bypass",
           "sdp.scale=other_negative", "chain.kind=sdp", "1:", "sdp.group=0", "sdp.group=1",
           "sdp.lines*surfaces=packed,packed", "sdp.lines*surfaces=gap,packed", "chain.kind*after=sdp,same_kind",
           "trace.config=small", "trace.groups=both", "0:", "sdp.bn_alu=off" /* does not apply */);
}

/* A convolution: 6x5x11 (WxHxC), kernels 3x2 in number 9, stride 2x1, pad left 1. */
static void add_conv(struct program *prog, bool image) {
    const uint32_t misc = image ? 0 : CSC_D_MISC_CFG__DATA_REUSE_MASK;
    set_all(prog, "CACC: D_CLIP_CFG=3 D_OP_ENABLE=1");
    set(prog, NVDLA_CSC, CSC_D_MISC_CFG, misc);
    set(prog, NVDLA_CSC, CSC_D_DATAIN_FORMAT, image);
    set_all(prog, "CSC: D_DATAIN_SIZE_EXT_0=0x40005 D_DATAIN_SIZE_EXT_1=10");
    SET(prog, NVDLA_CSC, {CSC_D_WEIGHT_SIZE_EXT_0, (image ? 0 : 2) | 1u << 16},
        {CSC_D_WEIGHT_SIZE_EXT_1, (image ? 3 * 4 - 1 : 10) | 8u << 16}, {CSC_D_POST_Y_EXTENSION, image});
    set_all(prog, "CSC: D_CONV_STRIDE_EXT=1 D_ZERO_PADDING=1 D_ZERO_PADDING_VALUE=0x80");
    /* columns -1 .. 5 in steps of 2 with 3 columns each: 3 outputs, all inside; lines 0 .. 4, 2 each: 5 with padding */
    set_all(prog, "CSC: D_DATAOUT_SIZE_0=0x40002 D_RELEASE=2 D_BANK=0x1d0001 D_OP_ENABLE=1");
    SET(prog, NVDLA_CDMA, {CDMA_D_DATAIN_FORMAT, (image ? 1 | 0x1bu << 8 : 0)}, {CDMA_D_DAIN_MAP, 1},
        {CDMA_D_CVT_CFG, image});
    set_all(prog, "CDMA: D_CVT_SCALE=7 D_PIXEL_OFFSET=1 D_OP_ENABLE=1");
}

TEST_ON(convolutions_are_their_units_together, struct program *prog, trace_for("small")) {
    add_conv(prog, false);
    EXPECT(prog, "1:", "conv.layers", "conv.input=feature", "conv.channels*kernels=ragged,ragged",
           "conv.kernel_width*kernel_height=3,2", "conv.input*stride_x*stride_y=feature,2,1",
           "conv.input*pad_left*pad_right=feature,on,off", "conv.input*pad_top*pad_bottom=feature,off,on",
           "conv.pad_value=negative", "conv.positions=8..15", "conv.data_reuse*data_release=on,some",
           "conv.banks=first", "conv.buffer=all_used", "conv.lines*surfaces=packed,gap", "conv.truncate=1..15",
           "0:", "conv.format=R8", "conv.scale=positive" /* the convertor is off */);
}

TEST_ON(images_are_sorted_by_format, struct program *prog, trace_for("small")) {
    add_conv(prog, false);
    add_conv(prog, true);
    EXPECT(prog, "2:", "conv.layers", "conv.kernel_width=3", "1:", "conv.format*x_offset=V8U8Y8A8,1..",
           "conv.components*y_extension=4,2", "conv.scale=positive", "conv.pixels=unsigned", "conv.banks=same");
}

TEST_ON(fused_chains_count_once, struct program *prog, trace_for("small")) {
    set(prog, NVDLA_PDP, PDP_D_OPERATION_MODE_CFG, 1); /* max, from SDP */
    set_all(prog, "PDP: D_OP_ENABLE=1 SDP: D_FEATURE_MODE_CFG=FLYING_MODE:1,OUTPUT_DST:1 D_OP_ENABLE=1");
    add_conv(prog, true);
    EXPECT(prog, "1:", "chain.layers", "chain.kind*conv_input=conv>sdp>pdp,image", "pdp.source*method=sdp,max",
           "sdp.source*destination=conv,pdp");
}

TEST_ON(pdp_windows_and_padding, struct program *prog, trace_for("large")) {
    set_all(prog, "PDP: D_OPERATION_MODE_CFG=FLYING_MODE:1,0x102 D_POOLING_KERNEL_CFG=0x310102 "
                  "D_POOLING_PADDING_CFG=1 D_POOLING_PADDING_VALUE_1_CFG=0x7ffff D_OP_ENABLE=1");
    EXPECT(prog, "1:", "pdp.source*method=memory,min", "pdp.windows_x*windows_y=overlap,apart",
           "pdp.method*padding=min,horizontal", "pdp.method*pad_value=min,negative",
           "pdp.strips*pad_left*pad_right=2,on,off", "pdp.memory=secondary");
}

TEST_ON(cdp_is_compared_with_its_reader, struct program *prog, trace_for("small")) {
    set_all(prog, "CDP: S_LUT_ACCESS_DATA=5 S_LUT_INFO=0xff D_LRN_CFG=3 D_DST_BASE_ADDR_LOW=0x1000 "
                  "CDP_RDMA: D_SRC_BASE_ADDR_LOW=0x1000 D_DATA_CUBE_CHANNEL=4 D_OP_ENABLE=1 CDP: D_OP_ENABLE=1");
    EXPECT(prog, "1:", "cdp.length*channels=9,part", "cdp.destination=in_place", "cdp.le_index_offset=negative",
           "trace.cdp_lut_write=some", "trace.cdp_lut_read=none");
}

/* ---- full ------------------------------------------------------------------------------------ */

enum { INT8, INT16, FP16 };

/* Arms a convolution with what was set before; whatever it does not set is zero. */
static void arm_conv(struct program *prog, int precision) {
    set(prog, NVDLA_CACC, CACC_D_OP_ENABLE, 1);
    set(prog, NVDLA_CDMA, CDMA_D_MISC_CFG, (uint32_t)precision << CDMA_D_MISC_CFG__PROC_PRECISION_LSB);
    set_all(prog, "CDMA: D_OP_ENABLE=1 CSC: D_OP_ENABLE=1");
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
    }
}

/* CDMA pads and strides in Winograd (chapter 30 section 5.5): 10 lines after a pad of 1 fill 8 lines of stride 2. */
TEST_ON(winograd_has_the_strides_and_pads_of_cdma, struct program *prog, trace_for("full")) {
    set_csc_mode(prog, INT16, CSC_D_MISC_CFG__CONV_MODE_MASK);
    set_all(prog, "CSC: D_WEIGHT_SIZE_EXT_1=31 D_PRA_CFG=2 D_DATAOUT_SIZE_0=0x30003 CDMA: D_DATAIN_SIZE_0=0x90007 "
                  "D_DATAIN_SIZE_1=15 D_DATAIN_SIZE_EXT_0=0x70007 D_CONV_STRIDE=0x10000 D_ZERO_PADDING=0x10000 "
                  "D_ZERO_PADDING_VALUE=0x8000");
    arm_conv(prog, INT16);
    EXPECT(prog, "1:", "conv.input*stride_x*stride_y=winograd,1,2", "conv.input*pad_top*pad_bottom=winograd,on,on",
           "conv.input*pad_left*pad_right=winograd,off,off", "conv.precision*pad_value=int16,negative",
           "conv.precision*pra_truncate=int16,2", "conv.precision*channels=int16,whole", "conv.width=8",
           "conv.height=9..31", "conv.positions=2..7", "0:", "conv.kernel_width=1" /* does not apply */);
}

/* Products of INT16 pass 32 bits; as many of INT8, or shifted by 2 bits, do not. */
TEST_ON(batches_and_saturation_by_precision, struct program *prog, trace_for("full")) {
    for (int precision = INT8; precision <= FP16; precision++) {
        set_csc_mode(prog, precision, 0);
        set_all(prog, "CSC: D_WEIGHT_SIZE_EXT_1=3 D_DATAIN_SIZE_EXT_1=32 D_BATCH_NUMBER=6 CDMA: D_NAN_FLUSH_TO_ZERO=1");
        arm_conv(prog, precision);
    }
    set(prog, NVDLA_CACC, CACC_D_CLIP_CFG, 2);
    set_csc_mode(prog, INT16, 0);
    arm_conv(prog, INT16);
    EXPECT(prog, "4:", "conv.input*batch=feature,4..7", "1:", "conv.precision*saturation=int8,impossible",
           "conv.precision*saturation=int16,possible", "conv.precision*saturation=int16,impossible",
           "conv.precision*tail_atoms=int8,2" /* 33 channels: 2 atoms */, "conv.precision*tail_atoms=fp16,3",
           "conv.input*nan_flush=feature,on" /* of FP16 only */);
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
    set_all(prog, "CDMA: D_WEIGHT_FORMAT=1 D_WEIGHT_SIZE_0=15 D_WGS_ADDR_LOW=0x1040 D_WGS_ADDR_HIGH=1 "
                  "D_WMB_BYTES=0x180");
    arm_conv(prog, FP16);
    EXPECT(prog, "1:", "conv.weights*input*precision=compressed,feature,fp16",
           "conv.weights*weight_memory=compressed,secondary", "conv.empty_groups*kernel_groups=some,2..8",
           "conv.dense_groups=some", "conv.mask_entries=2..255");
}

TEST_ON(sdp_conversions_take_their_input_from_the_rdma, struct program *prog, trace_for("full")) {
    set_all(prog, "SDP: D_DP_EW_CFG=EW_BYPASS:1 D_FEATURE_MODE_CFG=FLYING_MODE:1 D_DP_BS_CFG=BS_BYPASS:1 "
                  "D_DP_BN_CFG=BN_BYPASS:1");
    set(prog, NVDLA_SDP, SDP_D_OP_ENABLE, 1); /* of a convolution, without SDP_RDMA */
    set_all(prog, "SDP: D_FEATURE_MODE_CFG=0 D_DATA_FORMAT=OUT_PRECISION:1 D_DATA_CUBE_CHANNEL=0x30 D_OP_ENABLE=1 "
                  "SDP_RDMA: D_FEATURE_MODE_CFG=IN_PRECISION:1 D_SRC_DMA_CFG=1 D_OP_ENABLE=1");
    EXPECT(prog, "1:", "sdp.source*conversion=conv,int8>int8>int8", "sdp.source*conversion=memory,int16>int8>int16",
           "sdp.conversion*halves=int16>int8>int16,both", "sdp.source_memory*memory=primary,secondary",
           "sdp_rdma.precision=int8", "0:", "sdp_lut.layers");
}

/* EW with an operand of every element and its convertor, and the table; then compare mode. */
TEST_ON(sdp_ew_stage_and_table, struct program *prog, trace_for("full")) {
    set_all(prog, "SDP: S_LUT_ACCESS_DATA=1 S_LUT_CFG=LUT_LE_FUNCTION:1,LUT_HYBRID_PRIORITY:1 S_LUT_INFO=0xff00 "
                  "S_LUT_LO_SLOPE_SHIFT=0x3e0 D_FEATURE_MODE_CFG=FLYING_MODE:1,0x400 "
                  "D_DATA_FORMAT=OUT_PRECISION:1,0x1 D_DP_BS_ALU_CFG=BS_ALU_SHIFT_VALUE:20 "
                  "D_DP_EW_CFG=EW_ALU_BYPASS:1 D_DP_EW_MUL_CFG=EW_MUL_SRC:1 D_DP_EW_MUL_CVT_OFFSET_VALUE=0x80000000 "
                  "D_DP_EW_MUL_CVT_SCALE_VALUE=1 D_DP_EW_MUL_CVT_TRUNCATE_VALUE=16 D_DP_EW_TRUNCATE_VALUE=64 "
                  "D_OP_ENABLE=1 SDP_RDMA: D_FEATURE_MODE_CFG=PROC_PRECISION:1,0x401 D_BRDMA_CFG=1 D_NRDMA_CFG=1 "
                  "D_ERDMA_CFG=ERDMA_DATA_MODE:1,ERDMA_DATA_SIZE:1 D_OP_ENABLE=1 SDP: D_FEATURE_MODE_CFG=0 "
                  "D_DP_EW_CFG=EW_LUT_BYPASS:1,EW_MUL_BYPASS:1,EW_ALU_ALGO:3 D_OP_ENABLE=1");
    EXPECT(prog, "1:", "sdp.mode*operands=batch,per_element", "sdp.ew_alu*ew_mul=off,on", "sdp.ew_mul_shift=64..",
           "sdp.ew_mul_convertor=on", "sdp.ew_mul_convertor_offset=negative", "sdp.ew_mul_convertor_scale=one",
           "sdp.ew_mul_convertor_truncate=16..", "sdp.destination*ew_lut=memory,on",
           "sdp.source*destination=memory,compare", "sdp_lut.layers", "sdp_lut.source*precision=conv,int16",
           "sdp_lut.le_function*hybrid_priority=linear,LO", "sdp_lut.le_index_select=negative",
           "sdp_lut.lo_overflow_shift=negative", "sdp_rdma.mode*ew_mode=batch,per_element", "trace.sdp_lut_write=some",
           "trace.cdp_lut_write=none", "2:", "sdp.bs_alu_shift=16..",
           "0:", "sdp.ew_alu_convertor=on" /* does not apply */);
}

/* FP16 pads are FP17 patterns. */
TEST_ON(pdp_and_cdp_by_precision, struct program *prog, trace_for("full")) {
    set_all(prog, "PDP: D_OPERATION_MODE_CFG=FLYING_MODE:1 D_DATA_FORMAT=2 D_DATA_CUBE_IN_CHANNEL=15 "
                  "D_POOLING_PADDING_CFG=1 D_POOLING_PADDING_VALUE_1_CFG=0x17c00 D_NAN_FLUSH_TO_ZERO=1 D_OP_ENABLE=1 "
                  "PDP_RDMA: D_SRC_RAM_CFG=1 D_OP_ENABLE=1 CDP_RDMA: D_OP_ENABLE=1 CDP: D_DATA_FORMAT=1 "
                  "D_DATIN_OFFSET=0x100 D_OP_ENABLE=1 D_DATA_FORMAT=2 D_OP_ENABLE=1");
    EXPECT(prog, "1:", "pdp.source*precision*method=memory,fp16,average", "pdp.precision*channels=fp16,whole",
           "pdp.precision*pad_value=fp16,negative", "pdp.source*nan_to_zero=memory,on",
           "pdp.source_memory*memory=primary,secondary", "cdp.precision*length=int16,3",
           "cdp.in_offset=positive" /* FP16 has none */, "cdp.nan_to_zero=off", "chain.kind*precision=cdp,fp16");
}

TEST_ON(bdma_groups_and_descriptors, struct program *prog, trace_for("full")) {
    set_all(prog, "BDMA: CFG_LINE=1 CFG_LINE_REPEAT=2 CFG_DST_LINE=64 CFG_SRC_LINE=32 CFG_CMD=1 CFG_OP=1 CFG_CMD=2 "
                  "CFG_OP=1 CFG_LAUNCH1=1 CFG_OP=1 CFG_LAUNCH0=1");
    EXPECT(prog, "2:", "bdma.layers", "bdma_block.source*destination=secondary,primary",
           "1:", "bdma.group*after=1,nothing", "bdma.group*after=0,other_group", "bdma.group*descriptors=1,2..7",
           "bdma.source_memories=both", "bdma_block.source*destination=primary,secondary",
           "bdma_block.source_after=other", "bdma_block.source_after=same", "chain.kind*after=bdma,same_kind",
           "trace.groups=both", "3:", "bdma_block.layers", "bdma_block.source_lines*destination_lines=overlap,packed",
           "0:", "bdma_block.source_surfaces=packed" /* there is one */);
}

TEST_ON(rubik_modes, struct program *prog, trace_for("full")) {
    set_all(prog, "RBK: D_MISC_CFG=0 D_DATAIN_SIZE_0=8 D_DATAOUT_SIZE_1=32 D_DECONV_STRIDE=0x10008 D_OP_ENABLE=1 "
                  "D_MISC_CFG=IN_PRECISION:2,0x1 D_DATAIN_SIZE_0=0x1003f D_DAOUT_LINE_STRIDE=128 "
                  "D_DAOUT_PLANAR_STRIDE=320 D_DAIN_RAM_TYPE=1 D_OP_ENABLE=1");
    EXPECT(prog, "1:", "rubik.mode*precision=contract,int8", "rubik.mode*channels=contract,ragged",
           "rubik.deconv_x*deconv_y=9..,2..8", "rubik.deconv_x*contract_columns=9..,ragged",
           "rubik.mode*precision=split,fp16", "rubik.mode*planar_line=split,whole_atoms", "rubik.mode*width=split,64",
           "rubik.mode*lines*surfaces=split,packed,gap", "rubik.mode*source_memory*memory=split,primary,secondary",
           "chain.kind*precision=rubik,fp16");
}

/* Engines and values that small lacks are in no row of its table, those of full are. */
TEST(engines_that_are_not_built_are_left_out) {
    for (int full = 0; full < 2; full++) {
        struct program *prog = trace_for(full ? "full" : "small");
        add_sdp(prog, 32);
        struct coverage *coverage = counted(prog);
        char *table = kept(coverage_text(coverage));
        assert_int_equal(strstr(table, "\nbdma, ") != NULL, full);
        assert_int_equal(strstr(table, "\nrubik, 0 layers\n") != NULL, full);
        assert_int_equal(strstr(table, "\nsdp_lut, ") != NULL, full);
        assert_int_equal(strstr(table, "winograd") != NULL, full);
        assert_int_equal(strstr(table, "int16") != NULL, full);
        assert_int_equal(strstr(table, "\n  pra_truncate ") != NULL, full);
    }
}

TEST(table_leaves_out_what_the_configuration_lacks) {
    char text[400];
    struct coverage *coverage = new_coverage();
    assert_non_null(coverage);
    const struct coverage_total all = coverage_total(coverage);
    assert_int_equal(all.exercised, 0);
    row(coverage, "memory", text);
    assert_non_null(strstr(text, "0 of    2  none of them"));
    struct program *prog = trace_for("small");
    add_sdp(prog, 32);
    add(coverage, prog);
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
    add(coverage, prog);
    assert_true(coverage_total(coverage).reachable > small.reachable);
    row(coverage, "ew", text);
    assert_non_null(strstr(text, "1 of    2  active"));
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
    coverage = new_coverage();
    put_file(state, "b.txt", "# comment\n\n  sdp.bs_alu=max \t 12 # more\nsdp.bs_alu=max 3");
    assert_true(coverage_merge(coverage, in_directory(state, "b.txt", path), &err));
    assert_int_equal(count(coverage, "sdp.bs_alu=max"), 15);
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
        struct coverage *coverage = new_coverage();
        put_file(state, "bad.txt", cases[i].text);
        assert_false(coverage_merge(coverage, in_directory(state, "bad.txt", path), &err));
        if (!strstr(err.text, cases[i].message))
            fail_msg("\"%s\" does not tell \"%s\"", err.text, cases[i].message);
        assert_int_equal(count(coverage, "sdp.layers"), 0);
    }
    uint64_t value;
    struct coverage *coverage = new_coverage();
    assert_false(coverage_count(coverage, "sdp", &value));
}

/* Whatever the registers hold, every value has a bin. */
TEST(any_register_value_can_be_sorted) {
    uint64_t seed = 1;
    for (int c = 0; c < nvdla_config_count; c++) {
        const struct nvdla_config *config = &nvdla_configs[c];
        struct program *prog = keep_program(program_new(config, "t.cfg"));
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
    }
}

/* The elements of a stream of the launch 0 of a unit, sorted. */
static void hear(struct corners *corners, enum nvdla_unit unit, enum tap tap, enum tap_format format, int width,
                 const struct convertor *convertor, const void *elements, size_t n) {
    const struct tap_listener listener = corners_listener(corners);
    const struct tap_stream stream = {unit, 0, tap, 0, format, width};
    const struct tap_sink sink = listener.open(listener.context, &stream);
    assert_non_null(sink.elements);
    if (sink.convertor)
        sink.convertor(sink.context, convertor, 0);
    sink.elements(sink.context, &stream, &(struct tap_place){.x = 0}, elements, 1, n, n);
}

TEST_ON(values_land_in_their_corners, struct program *prog, trace_for("full")) {
    set_all(prog, "SDP: D_OP_ENABLE=1 CACC: D_OP_ENABLE=1 CDP: S_LUT_CFG=LUT_LE_FUNCTION:1 S_LUT_LE_START_LOW=100 "
                  "S_LUT_LO_START_LOW=0xffffffff S_LUT_LO_START_HIGH=0x3f D_OP_ENABLE=1 "
                  "PDP: D_POOLING_KERNEL_CFG=KERNEL_WIDTH:1 D_RECIP_KERNEL_WIDTH=0x8000 D_OP_ENABLE=1");
    struct layer_tracker *launches = launches_of(prog);
    struct corners *corners = corners_new(launches);
    /* (x + 1) * -1 / 2: 254 and -257 are the last that are not clipped, 0 and -2 ties */
    const struct convertor convertor = {.offset = -1, .scale = -1, .shift = 1, .bits = 8};
    hear(corners, NVDLA_SDP, TAP_SDP_CVT_IN, TAP_INT32, 32, &convertor, (const int32_t[]){0, -2, 254, 256}, 4);
    hear(corners, NVDLA_CACC, TAP_CACC_SAT, TAP_INT32, 32, NULL, (const int32_t[]){INT32_MAX, 1 << 30, -1}, 3);
    hear(corners, NVDLA_CACC, TAP_CACC_SAT, TAP_FP32, 0, NULL, (const uint32_t[]){0xff800000, 1, 0x7f800001}, 3);
    hear(corners, NVDLA_SDP, TAP_SDP_OUT, TAP_FP16, 0, NULL, (const uint16_t[]){0x8000, 0xfbff, 0x03ff}, 3);
    hear(corners, NVDLA_CDP, TAP_CDP_SUM, TAP_INT64, 22, NULL, (const int64_t[]){101, 163, 255}, 3);
    hear(corners, NVDLA_PDP, TAP_PDP_ROW, TAP_INT16, 11, NULL, (const int16_t[]){-256, 7}, 2);
    struct coverage *coverage = new_coverage();
    coverage_add(coverage, prog, launches, corners);
    const char *const reached[] = {"sdp_convertor=tie_negative",
                                   "sdp_convertor=tie_positive",
                                   "sdp_convertor=lowest",
                                   "sdp_convertor=below",
                                   "cacc=highest",
                                   "cacc=high",
                                   "cacc=negative",
                                   "cacc_fp32=beyond",
                                   "cacc_fp32=denormal",
                                   "cacc_fp32=nan",
                                   "sdp_out_fp16=zero",
                                   "sdp_out_fp16=largest",
                                   "sdp_out_fp16=denormal",
                                   "cdp_table=le_first",
                                   "cdp_table=le_last",
                                   "cdp_table=le_above",
                                   "cdp_table=lo_inside",
                                   "cdp_table=lo_end",
                                   "pdp_average=lowest",
                                   "pdp_average=tie_positive"};
    for (size_t i = 0; i < sizeof reached / sizeof reached[0]; i++) {
        char *bin = kept(xprintf("values.%s", reached[i]));
        if (count(coverage, bin) != 1)
            fail_msg("%s was not reached", bin);
    }
    uint64_t all = 0;
    struct coverage_row row;
    for (size_t i = 0; coverage_row(coverage, i, &row); i++) {
        all += strncmp(row.name, "values.", 7) == 0 ? row.total.exercised : 0;
        words_free(&row.holes);
    }
    assert_int_equal(all, sizeof reached / sizeof reached[0]);
    assert_int_equal(count(coverage, "values.layers"), 6);
    corners_free(corners);
}

/* The bits of a trace. */
static unsigned char *bits_of(struct program *prog, size_t *n) {
    struct layer_tracker *launches = launches_of(prog);
    unsigned char *bits = coverage_bits(prog, launches, NULL, n);
    return bits;
}

TEST(bits_hold_what_a_trace_exercises) {
    size_t n, m;
    struct program *sdp = trace_for("small"), *again = trace_for("small"), *conv = trace_for("small");
    add_sdp(sdp, 32);
    add_sdp(again, 32);
    add_conv(conv, false);
    struct coverage *direct = counted(again), *both = new_coverage();
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
            char *bin = kept(xprintf("%s=%s", row.name, row.holes.items[h]));
            assert_int_equal(count(both, bin), 0);
            assert_null(strstr(bin, "fp16")); /* small has none */
            found = found || strcmp(bin, "sdp.bs_alu=max") == 0;
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
}
