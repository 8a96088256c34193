/* Functional coverage: layers land in the bins their registers name, bins know their configurations, counts survive a
 * file. */
#include "trace_test.h"

#include "nvdla_offsets.h"
#include "report/coverage.h"

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
    assert_true(coverage_add(coverage, prog));
    program_free(prog);
    return coverage;
}

static uint64_t count(const struct coverage *coverage, const char *bin) {
    uint64_t value = 0;
    if (!coverage_count(coverage, bin, &value))
        fail_msg("there is no bin %s", bin);
    return value;
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

static void sdp_layers_land_in_their_bins(void **state) {
    (void)state;
    struct program *prog = trace_for("small");
    add_sdp(prog, 32);
    set(prog, NVDLA_SDP, SDP_S_POINTER, 1);
    add_sdp(prog, 64);
    struct coverage *coverage = counted(prog);
    assert_int_equal(count(coverage, "sdp.layers"), 2);
    assert_int_equal(count(coverage, "sdp.group=0"), 1);
    assert_int_equal(count(coverage, "sdp.group=1"), 1);
    assert_int_equal(count(coverage, "sdp.source*destination=memory,memory"), 2);
    assert_int_equal(count(coverage, "sdp.width*channels=2..7,multiple"), 2);
    assert_int_equal(count(coverage, "sdp.bs_alu=sum"), 2);
    assert_int_equal(count(coverage, "sdp.bs_alu_operand=memory"), 2);
    assert_int_equal(count(coverage, "sdp.bs_alu*bs_mul=sum,off"), 2);
    assert_int_equal(count(coverage, "sdp.bn=bypass"), 2);
    assert_int_equal(count(coverage, "sdp.bn_alu=off"), 0); /* does not apply */
    assert_int_equal(count(coverage, "sdp.scale=other_negative"), 2);
    assert_int_equal(count(coverage, "sdp.lines*surfaces=packed,packed"), 1);
    assert_int_equal(count(coverage, "sdp.lines*surfaces=gap,packed"), 1);
    assert_int_equal(count(coverage, "chain.kind=sdp"), 2);
    assert_int_equal(count(coverage, "chain.kind*after=sdp,same_kind"), 1);
    assert_int_equal(count(coverage, "trace.config=small"), 1);
    assert_int_equal(count(coverage, "trace.groups=both"), 1);
    coverage_free(coverage);
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

static void convolutions_are_their_units_together(void **state) {
    (void)state;
    struct program *prog = trace_for("small");
    add_conv(prog, false);
    struct coverage *coverage = counted(prog);
    assert_int_equal(count(coverage, "conv.layers"), 1);
    assert_int_equal(count(coverage, "conv.input=feature"), 1);
    assert_int_equal(count(coverage, "conv.channels*kernels=ragged,ragged"), 1);
    assert_int_equal(count(coverage, "conv.kernel_width*kernel_height=3,2"), 1);
    assert_int_equal(count(coverage, "conv.input*stride_x*stride_y=feature,2,1"), 1);
    assert_int_equal(count(coverage, "conv.input*pad_left*pad_right=feature,on,off"), 1);
    assert_int_equal(count(coverage, "conv.input*pad_top*pad_bottom=feature,off,on"), 1);
    assert_int_equal(count(coverage, "conv.pad_value=negative"), 1);
    assert_int_equal(count(coverage, "conv.positions=8..15"), 1);
    assert_int_equal(count(coverage, "conv.data_reuse*data_release=on,some"), 1);
    assert_int_equal(count(coverage, "conv.banks=first"), 1);
    assert_int_equal(count(coverage, "conv.buffer=all_used"), 1);
    assert_int_equal(count(coverage, "conv.lines*surfaces=packed,gap"), 1);
    assert_int_equal(count(coverage, "conv.truncate=1..15"), 1);
    assert_int_equal(count(coverage, "conv.format=R8"), 0);      /* of images only */
    assert_int_equal(count(coverage, "conv.scale=positive"), 0); /* the convertor is off */
    coverage_free(coverage);
}

static void images_are_sorted_by_format(void **state) {
    (void)state;
    struct program *prog = trace_for("small");
    add_conv(prog, false);
    add_conv(prog, true);
    struct coverage *coverage = counted(prog);
    assert_int_equal(count(coverage, "conv.layers"), 2);
    assert_int_equal(count(coverage, "conv.format*x_offset=V8U8Y8A8,1.."), 1);
    assert_int_equal(count(coverage, "conv.components*y_extension=4,2"), 1);
    assert_int_equal(count(coverage, "conv.kernel_width=3"), 2);
    assert_int_equal(count(coverage, "conv.scale=positive"), 1);
    assert_int_equal(count(coverage, "conv.pixels=unsigned"), 1);
    assert_int_equal(count(coverage, "conv.banks=same"), 1);
    coverage_free(coverage);
}

static void fused_chains_count_once(void **state) {
    (void)state;
    struct program *prog = trace_for("small");
    set(prog, NVDLA_PDP, PDP_D_OPERATION_MODE_CFG, 1); /* max, from SDP */
    set(prog, NVDLA_PDP, PDP_D_OP_ENABLE, 1);
    set(prog, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG,
        SDP_D_FEATURE_MODE_CFG__FLYING_MODE_MASK | SDP_D_FEATURE_MODE_CFG__OUTPUT_DST_MASK);
    set(prog, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    add_conv(prog, true);
    struct coverage *coverage = counted(prog);
    assert_int_equal(count(coverage, "chain.layers"), 1);
    assert_int_equal(count(coverage, "chain.kind*conv_input=conv>sdp>pdp,image"), 1);
    assert_int_equal(count(coverage, "pdp.source*method=sdp,max"), 1);
    assert_int_equal(count(coverage, "sdp.source*destination=conv,pdp"), 1);
    coverage_free(coverage);
}

static void pdp_windows_and_padding(void **state) {
    (void)state;
    struct program *prog = trace_for("large");
    set(prog, NVDLA_PDP, PDP_D_OPERATION_MODE_CFG, 2 | PDP_D_OPERATION_MODE_CFG__FLYING_MODE_MASK | 1u << 8);
    set(prog, NVDLA_PDP, PDP_D_POOLING_KERNEL_CFG, 2 | 1u << 8 | 1u << 16 | 3u << 20);
    set(prog, NVDLA_PDP, PDP_D_POOLING_PADDING_CFG, 1);
    set(prog, NVDLA_PDP, PDP_D_POOLING_PADDING_VALUE_1_CFG, 0x7ffff);
    set(prog, NVDLA_PDP, PDP_D_OP_ENABLE, 1);
    struct coverage *coverage = counted(prog);
    assert_int_equal(count(coverage, "pdp.source*method=memory,min"), 1);
    assert_int_equal(count(coverage, "pdp.windows_x*windows_y=overlap,apart"), 1);
    assert_int_equal(count(coverage, "pdp.method*padding=min,horizontal"), 1);
    assert_int_equal(count(coverage, "pdp.method*pad_value=min,negative"), 1);
    assert_int_equal(count(coverage, "pdp.strips*pad_left*pad_right=2,on,off"), 1);
    assert_int_equal(count(coverage, "pdp.memory=secondary"), 1);
    coverage_free(coverage);
}

static void cdp_is_compared_with_its_reader(void **state) {
    (void)state;
    struct program *prog = trace_for("small");
    set(prog, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA, 5);
    set(prog, NVDLA_CDP, CDP_S_LUT_INFO, 0xff);
    set(prog, NVDLA_CDP, CDP_D_LRN_CFG, 3);
    set(prog, NVDLA_CDP, CDP_D_DST_BASE_ADDR_LOW, 0x1000);
    set(prog, NVDLA_CDP_RDMA, CDP_RDMA_D_SRC_BASE_ADDR_LOW, 0x1000);
    set(prog, NVDLA_CDP_RDMA, CDP_RDMA_D_DATA_CUBE_CHANNEL, 4);
    set(prog, NVDLA_CDP_RDMA, CDP_RDMA_D_OP_ENABLE, 1);
    set(prog, NVDLA_CDP, CDP_D_OP_ENABLE, 1);
    struct coverage *coverage = counted(prog);
    assert_int_equal(count(coverage, "cdp.length*channels=9,part"), 1);
    assert_int_equal(count(coverage, "cdp.destination=in_place"), 1);
    assert_int_equal(count(coverage, "cdp.le_index_offset=negative"), 1);
    assert_int_equal(count(coverage, "trace.cdp_lut_write=some"), 1);
    assert_int_equal(count(coverage, "trace.cdp_lut_read=none"), 1);
    coverage_free(coverage);
}

static void table_leaves_out_what_the_configuration_lacks(void **state) {
    (void)state;
    char text[400];
    struct coverage *coverage = coverage_new();
    assert_non_null(coverage);
    const struct coverage_total all = coverage_total(coverage);
    assert_int_equal(all.exercised, 0);
    row(coverage, "memory", text);
    assert_non_null(strstr(text, "0 of    2  none of them"));
    struct program *prog = trace_for("small");
    add_sdp(prog, 32);
    assert_true(coverage_add(coverage, prog));
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
    assert_true(coverage_add(coverage, prog));
    program_free(prog);
    assert_true(coverage_total(coverage).reachable > small.reachable);
    row(coverage, "ew", text);
    assert_non_null(strstr(text, "1 of    2  active"));
    coverage_free(coverage);
}

static void counts_survive_a_file_and_add_up(void **state) {
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

static void bad_files_add_nothing(void **state) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"sdp.layers 1\nsdp.nonsense=1 2\n", "bad.txt:2: there is no bin 'sdp.nonsense=1'"},
        {"sdp.layers\n", "bad.txt:1: expected the name of a bin and a count"},
        {"sdp.layers 3 4\n", "bad.txt:1: expected"},
        {"sdp.layers 3\nsdp.layers x\n", "bad.txt:2: expected"},
        {"sdp.layers -3\n", "bad.txt:1: expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error err = {{0}};
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
static void any_register_value_can_be_sorted(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int c = 0; c < nvdla_config_count; c++) {
        const struct nvdla_config *config = &nvdla_configs[c];
        struct program *prog = program_new(config, "t.cfg");
        const struct nvdla_register_map *map = &nvdla_register_maps[config->map];
        for (int round = 0; round < 20; round++)
            for (size_t i = 0; i < map->count; i++) {
                struct op op = op_make(OP_WRITE, 1);
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                op.address = map->registers[i].address;
                op.value = (uint32_t)(seed >> 32) | (strcmp(map->registers[i].name, "D_OP_ENABLE") == 0);
                program_append(prog, &op);
            }
        struct coverage *coverage = counted(prog);
        assert_true(count(coverage, "conv.layers") >= 20);
        assert_true(count(coverage, "cdp.layers") >= 20);
        coverage_free(coverage);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sdp_layers_land_in_their_bins),
        cmocka_unit_test(convolutions_are_their_units_together),
        cmocka_unit_test(images_are_sorted_by_format),
        cmocka_unit_test(fused_chains_count_once),
        cmocka_unit_test(pdp_windows_and_padding),
        cmocka_unit_test(cdp_is_compared_with_its_reader),
        cmocka_unit_test(table_leaves_out_what_the_configuration_lacks),
        directory_test(counts_survive_a_file_and_add_up),
        directory_test(bad_files_add_nothing),
        cmocka_unit_test(any_register_value_can_be_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
