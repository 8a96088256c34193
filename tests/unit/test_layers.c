/* Launches and what their registers say: cubes and memory traffic. Expected values: chapter 10 section 6, chapter 20
 * section 9, chapter 30 sections 5, 8.1 and 9.3, chapter 50 sections 3.2, 4, 8, 9, chapter 60 sections 2, 3, 7, chapter
 * 62 sections 2, 3, 9, chapter 64 section 2. */

#include "layers/cubes.h"
#include "layers/pairing.h"
#include "layers/tracker.h"
#include "layers/traffic.h"
#include "nvdla_offsets.h"
#include "tests/unit/register_text.h"
#include "tests/unit/test.h"

/* A tracker of one configuration, and the unit whose registers are being written. */
struct bench {
    const struct nvdla_config *config;
    struct layer_tracker *tracker;
    enum nvdla_unit unit;
};

static struct bench bench(const char *name) {
    struct bench b = {.config = nvdla_config_find(name), .unit = NVDLA_SDP};
    assert_non_null(b.config);
    b.tracker = layer_tracker_new(b.config);
    assert_non_null(b.tracker);
    return b;
}

static const enum nvdla_client operand_clients[3] = {NVDLA_READ_SDP_B, NVDLA_READ_SDP_N, NVDLA_READ_SDP_E};

static const struct launch *set(const struct bench *b, uint32_t offset, uint32_t value) {
    return layer_tracker_write(b->tracker, nvdla_unit_base(b->config, b->unit) + offset, value, 0);
}

#define SET(b, ...) FOR_ROWS(set(b, offset_, value_), __VA_ARGS__)

static void set_one(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    struct bench *b = context;
    b->unit = unit;
    set(b, offset, value);
}

static void set_all(struct bench *b, const char *text) {
    register_text(b->config, text, set_one, b);
}

static void set_size(const struct bench *b, uint32_t width_offset, uint32_t width, uint32_t height, uint32_t channels) {
    set(b, width_offset, width - 1);
    set(b, width_offset + 4, height - 1);
    set(b, width_offset + 8, channels - 1);
}

/* Base low, base high, line stride, surface stride: four registers in a row in every unit. */
static void set_place(const struct bench *b, uint32_t low_offset, uint64_t base, uint32_t line, uint32_t surface) {
    set(b, low_offset, (uint32_t)base);
    set(b, low_offset + 4, (uint32_t)(base >> 32));
    set(b, low_offset + 8, line);
    set(b, low_offset + 12, surface);
}

static struct cube output(const struct bench *b, const struct launch *launch, bool expected_primary) {
    struct cube cube;
    bool primary;
    assert_non_null(launch);
    assert_true(launch_output_cube(b->config, launch, &cube, &primary));
    assert_int_equal(primary, expected_primary);
    return cube;
}

static struct cube input(const struct bench *b, const struct launch *launch, bool expected_primary) {
    struct cube cube;
    bool primary;
    assert_non_null(launch);
    assert_true(launch_input_cube(b->config, launch, &cube, &primary));
    assert_int_equal(primary, expected_primary);
    return cube;
}

static void expect_size(const struct cube *cube, int width, int height, int channels, int element_bytes) {
    assert_int_equal(cube->width, width);
    assert_int_equal(cube->height, height);
    assert_int_equal(cube->channels, channels);
    assert_int_equal(cube->element_bytes, element_bytes);
}

TEST(groups_are_filled_through_producer) {
    struct bench b = bench("small");
    set_all(&b, "SDP: D_CVT_OFFSET=0x1111 S_POINTER=1 D_CVT_OFFSET=0x2222 S_LUT_INFO=0x00030201 S_POINTER=0");
    const struct launch *launch = set(&b, SDP_D_OP_ENABLE, 1);
    assert_non_null(launch);
    assert_int_equal(launch->unit, NVDLA_SDP);
    assert_int_equal(launch->group, 0);
    assert_int_equal(launch->ordinal, 0);
    assert_int_equal(launch_register(launch, SDP_D_CVT_OFFSET), 0x1111);
    assert_int_equal(launch_register(launch, SDP_S_LUT_INFO), 0x00030201);
    assert_int_equal(launch_register(launch, SDP_D_OP_ENABLE), 1);
    set(&b, SDP_S_POINTER, 1);
    launch = set(&b, SDP_D_OP_ENABLE, 1);
    assert_int_equal(launch->group, 1);
    assert_int_equal(launch->ordinal, 1);
    assert_int_equal(launch_register(launch, SDP_D_CVT_OFFSET), 0x2222);
    assert_int_equal(launch_register(launch, SDP_S_LUT_INFO), 0x00030201);
    assert_int_equal(launch_register(launch, SDP_S_POINTER), 1);
    assert_int_equal(launch_register(launch, 0xffc), 0);
    /* what was armed stays as it was, whatever is written later */
    set(&b, SDP_D_CVT_OFFSET, 0x3333);
    assert_int_equal(launch_register(layer_tracker_find(b.tracker, NVDLA_SDP, 1), SDP_D_CVT_OFFSET), 0x2222);
    layer_tracker_free(b.tracker);
}

TEST(only_one_in_op_enable_arms) {
    struct bench b = bench("small");
    assert_null(set(&b, SDP_D_OP_ENABLE, 0));
    assert_null(set(&b, SDP_D_OP_ENABLE, 0xfffffffe));
    assert_null(set(&b, SDP_S_POINTER, 1));
    assert_null(set(&b, SDP_D_CVT_SCALE, 1));
    assert_null(layer_tracker_write(b.tracker, 0x3f000, 1, 0)); /* no unit there */
    assert_null(layer_tracker_write(b.tracker, 0x09ffc, 1, 0)); /* no register there */
    assert_null(layer_tracker_write(b.tracker, 0x10008, 1, 0)); /* RBK of full */
    b.unit = NVDLA_GLB;
    assert_null(set(&b, GLB_S_INTR_MASK, 1));
    assert_int_equal(layer_tracker_count(b.tracker), 0);
    assert_null(layer_tracker_launch(b.tracker, 0));
    b.unit = NVDLA_SDP;
    assert_non_null(set(&b, SDP_D_OP_ENABLE, 1));
    b.unit = NVDLA_CDP; /* its D_OP_ENABLE is at 0x48, not at 0x08 */
    assert_null(set(&b, 0x08, 1));
    assert_non_null(set(&b, CDP_D_OP_ENABLE, 1));
    layer_tracker_free(b.tracker);
}

TEST(bits_that_do_not_exist_are_not_kept) {
    struct bench b = bench("full");
    set_all(&b, "SDP: D_DST_BASE_ADDR_LOW=0xffffffff D_DATA_CUBE_WIDTH=0xffffffff D_STATUS=0xffffffff "
                "S_POINTER=0x10000");
    const struct launch *launch = set(&b, SDP_D_OP_ENABLE, 1);
    assert_int_equal(launch_register(launch, SDP_D_DST_BASE_ADDR_LOW), 0xffffffe0);
    assert_int_equal(launch_register(launch, SDP_D_DATA_CUBE_WIDTH), 0x1fff);
    assert_int_equal(launch_register(launch, SDP_D_STATUS), 0);
    assert_int_equal(launch_register(launch, SDP_S_POINTER), 0);
    layer_tracker_free(b.tracker);
    b = bench("small");
    b.unit = NVDLA_SDP_RDMA; /* reset values are there before anything is written */
    launch = set(&b, SDP_RDMA_D_OP_ENABLE, 1);
    assert_int_equal(launch_register(launch, SDP_RDMA_D_FEATURE_MODE_CFG), 0x14);
    assert_int_equal(launch_register(launch, SDP_RDMA_D_BRDMA_CFG) & 1, 1);
    layer_tracker_free(b.tracker);
}

TEST(clocks_are_those_of_the_slowest_part) {
    for (int full = 0; full < 2; full++) {
        struct bench b = bench(full ? "full" : "small");
        b.unit = NVDLA_CSC;
        set(&b, CSC_D_WEIGHT_SIZE_EXT_0, 2 << 16 | 2);   /* 3x3 */
        set(&b, CSC_D_WEIGHT_SIZE_EXT_1, 32 << 16 | 64); /* 33 kernels of 65 channels */
        set(&b, CSC_D_DATAOUT_SIZE_0, 4 << 16 | 3);      /* 4x5 */
        set(&b, CSC_D_MISC_CFG, 0);
        const struct launch *launch = set(&b, CSC_D_OP_ENABLE, 1);
        assert_int_equal(launch_macs(launch), 20 * 9 * 33 * 65);
        assert_int_equal(launch_clocks(b.config, launch), 20 * 9 * (full ? 2 * 2 : 5 * 9));
        set_all(&b, "CSC: S_POINTER=1 D_WEIGHT_SIZE_EXT_0=0x20002 D_WEIGHT_SIZE_EXT_1=0x200040 "
                    "D_DATAOUT_SIZE_0=0x40003");
        set(&b, CSC_D_MISC_CFG, 1 << 12); /* INT16, where there is such a thing */
        launch = set(&b, CSC_D_OP_ENABLE, 1);
        assert_int_equal(launch_clocks(b.config, launch), 20 * 9 * (full ? 3 * 2 : 5 * 9));
        layer_tracker_free(b.tracker);
    }
}

TEST(launches_are_numbered_per_unit_and_found_again) {
    struct bench b = bench("small");
    for (int i = 0; i < 300; i++) {
        b.unit = i % 3 ? NVDLA_SDP : NVDLA_PDP;
        const uint32_t base = nvdla_unit_base(b.config, b.unit);
        const uint32_t enable = i % 3 ? SDP_D_OP_ENABLE : PDP_D_OP_ENABLE;
        const struct launch *launch = layer_tracker_write(b.tracker, base + enable, 1, (size_t)i * 10);
        assert_non_null(launch);
        assert_int_equal(launch->tag, i * 10);
        assert_ptr_equal(launch, layer_tracker_launch(b.tracker, (size_t)i));
    }
    assert_int_equal(layer_tracker_count(b.tracker), 300);
    assert_int_equal(layer_tracker_find(b.tracker, NVDLA_PDP, 99)->tag, 297 * 10);
    assert_int_equal(layer_tracker_find(b.tracker, NVDLA_SDP, 199)->tag, 299 * 10);
    assert_int_equal(layer_tracker_find(b.tracker, NVDLA_SDP, 2)->ordinal, 2);
    assert_null(layer_tracker_find(b.tracker, NVDLA_PDP, 100));
    assert_null(layer_tracker_find(b.tracker, NVDLA_PDP, -1));
    assert_null(layer_tracker_find(b.tracker, NVDLA_CDP, 0));
    assert_null(layer_tracker_find(b.tracker, NVDLA_UNIT_COUNT, 0));
    assert_null(layer_tracker_launch(b.tracker, 300));
    layer_tracker_free(b.tracker);
    layer_tracker_free(NULL);
}

TEST(bdma_launches_have_the_group_of_their_register) {
    struct bench b = bench("full");
    b.unit = NVDLA_BDMA;
    set_all(&b, "BDMA: CFG_LINE=5 STATUS=0");
    assert_null(set(&b, BDMA_CFG_OP, 1));
    assert_null(set(&b, BDMA_CFG_LAUNCH0, 0));
    const struct launch *launch = set(&b, BDMA_CFG_LAUNCH1, 1);
    assert_non_null(launch);
    assert_int_equal(launch->group, 1);
    assert_int_equal(launch_register(launch, BDMA_CFG_LINE), 5);
    assert_int_equal(launch_register(launch, BDMA_STATUS), 0x114); /* read-only */
    launch = set(&b, BDMA_CFG_LAUNCH0, 1);
    assert_int_equal(launch->group, 0);
    assert_int_equal(launch->ordinal, 1);
    struct cube cube;
    bool primary;
    assert_false(launch_output_cube(b.config, launch, &cube, &primary));
    assert_false(launch_input_cube(b.config, launch, &cube, &primary));
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_BDMA), 0);
    layer_tracker_free(b.tracker);
}

/* A descriptor takes the registers as they stand at CFG_OP; a launch all descriptors since the one before, of which 21
 * fit. 64-bdma sections 2 to 4. */
TEST(bdma_launches_have_their_descriptors) {
    struct bench b = bench("full");
    struct launch_block block;
    b.unit = NVDLA_BDMA;
    set_all(&b, "BDMA: CFG_SRC_ADDR_LOW=0x100 CFG_SRC_ADDR_HIGH=1 CFG_DST_ADDR_LOW=0x9000 CFG_LINE=1 "
                "CFG_LINE_REPEAT=2 CFG_SURF_REPEAT=1 CFG_SRC_LINE=0x60 CFG_SRC_SURF=0x140 CFG_DST_LINE=0x40 "
                "CFG_DST_SURF=0x100 CFG_CMD=1 CFG_OP=1 CFG_OP=0 CFG_LINE=7 CFG_CMD=2 CFG_OP=1");
    const struct launch *launch = set(&b, BDMA_CFG_LAUNCH0, 1);
    assert_int_equal(launch->block_count, 2);
    assert_true(launch_block(b.config, launch, 0, &block));
    assert_true(block.source_primary);
    assert_false(block.destination_primary);
    expect_size(&block.source, 2, 3, 2 * 32, 1);
    assert_int_equal(cube_atom_address(&block.source, 1, 2, 0), 0x100000300); /* section 6, last table */
    assert_int_equal(cube_atom_address(&block.destination, 1, 2, 0), 0x9180);
    assert_int_equal(launch_block_register(launch, 0, BDMA_CFG_LINE), 1);
    assert_int_equal(launch_block_register(launch, 0, BDMA_CFG_LAUNCH0), 1);
    assert_true(launch_block(b.config, launch, 1, &block));
    assert_false(block.source_primary);
    assert_true(block.destination_primary);
    assert_int_equal(block.destination.width, 8);
    assert_false(launch_block(b.config, launch, 2, &block));
    for (int i = 0; i < 22; i++)
        set(&b, BDMA_CFG_OP, 1);
    assert_int_equal(set(&b, BDMA_CFG_LAUNCH1, 1)->block_count, 21);
    assert_int_equal(set(&b, BDMA_CFG_LAUNCH1, 1)->block_count, 0);
    layer_tracker_free(b.tracker);
}

/* ---- RUBIK ----------------------------------------------------------------------------------- */

static void set_rubik(struct bench *b, uint32_t mode, uint32_t precision, uint32_t width, uint32_t height,
                      uint32_t channels) {
    b->unit = NVDLA_RBK;
    SET(b, {RBK_D_MISC_CFG, mode | precision << 8}, {RBK_D_DATAIN_SIZE_0, (width - 1) | (height - 1) << 16},
        {RBK_D_DATAIN_SIZE_1, channels - 1}, {RBK_D_DATAOUT_SIZE_1, channels - 1});
    set_all(b, "RBK: D_DAIN_ADDR_HIGH=1 D_DAIN_ADDR_LOW=0x1000 D_DAOUT_ADDR_HIGH=2 D_DAOUT_ADDR_LOW=0x2000 "
               "D_DAOUT_RAM_TYPE=1");
}

/* A plane of every channel, whose lines are moved in whole atoms. 66-rubik sections 2 to 5. */
TEST(rubik_splits_into_planes_and_merges_them) {
    struct bench b = bench("full");
    struct cube_element element;
    set_rubik(&b, 1, 1, 33, 2, 34); /* split */
    set_all(&b, "RBK: D_DAOUT_LINE_STRIDE=0x60 D_DAOUT_PLANAR_STRIDE=0xc0");
    const struct launch *launch = set(&b, RBK_D_OP_ENABLE, 1);
    struct cube cube = output(&b, launch, true);
    expect_size(&cube, 33, 2, 34, 2);
    assert_true(cube_locate(&cube, 0x200002000 + 0xd24, &element)); /* section 8 */
    assert_int_equal(element.channel, 17);
    assert_int_equal(element.line, 1);
    assert_int_equal(element.column, 2);
    assert_true(cube_locate(&cube, 0x200002000 + 0xd24 + 31 * 2, &element)); /* the zero tail of the line */
    assert_int_equal(element.column, 33);
    assert_int_equal(cube_extent(&cube), 33 * 0xc0 + 0x60 + 96);
    cube = input(&b, launch, false);
    assert_int_equal(cube.base, 0x100001000);
    assert_int_equal(cube.channels, 34);
    assert_int_equal(cube_surfaces(&cube), 3);
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_READ_RUBIK), 3 * 2 * 33);
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_RUBIK), 34 * 2 * 3);
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_BDMA), 0);
    set_rubik(&b, 2, 0, 33, 2, 34); /* merge */
    set_all(&b, "RBK: D_DAIN_LINE_STRIDE=0x40 D_DAIN_PLANAR_STRIDE=0x80");
    launch = set(&b, RBK_D_OP_ENABLE, 1);
    cube = input(&b, launch, false);
    assert_int_equal(cube_atom_address(&cube, 33, 1, 5), 0x100001000 + 0x10c5); /* section 8 */
    cube = output(&b, launch, true);
    assert_int_equal(cube.base, 0x200002000);
    assert_int_equal(cube_surfaces(&cube), 2);
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_READ_RUBIK), 34 * 2 * 2);
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_RUBIK), 2 * 2 * 33);
    layer_tracker_free(b.tracker);
}

TEST(rubik_contracts_into_an_enlarged_cube) {
    struct bench b = bench("full");
    struct cube cube;
    bool primary;
    set_rubik(&b, 0, 0, 5, 4, 40);
    set_all(&b, "RBK: D_DECONV_STRIDE=0x10002 D_DAIN_SURF_STRIDE=0x1000 D_CONTRACT_STRIDE_0=0x2000");
    const struct launch *launch = set(&b, RBK_D_OP_ENABLE, 1);
    assert_true(launch_input_cube(b.config, launch, &cube, &primary));
    assert_int_equal(cube_surfaces(&cube), 12);
    assert_int_equal(cube.width, 5);
    assert_true(launch_output_cube(b.config, launch, &cube, &primary));
    assert_int_equal(cube.width, 15);
    assert_int_equal(cube.height, 8);
    assert_int_equal(cube.channels, 40);
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_READ_RUBIK), 15 * 8 * 2);
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_RUBIK), 15 * 8 * 2);
    set(&b, RBK_D_CONTRACT_STRIDE_0, 0x3000); /* phases with gaps between are no cube */
    launch = set(&b, RBK_D_OP_ENABLE, 1);
    assert_false(launch_input_cube(b.config, launch, &cube, &primary));
    layer_tracker_free(b.tracker);
}

/* ---- SDP ------------------------------------------------------------------------------------- */

enum { INT8, INT16, FP16 };

static void set_sdp(struct bench *b, uint32_t width, uint32_t height, uint32_t channels, uint32_t proc, uint32_t out) {
    b->unit = NVDLA_SDP;
    set_size(b, SDP_D_DATA_CUBE_WIDTH, width, height, channels);
    set(b, SDP_D_DATA_FORMAT, proc | out << 2);
    set(b, SDP_D_DP_EW_CFG, 1);
}

static void set_sdp_rdma(struct bench *b, uint32_t width, uint32_t height, uint32_t channels, uint32_t in,
                         uint32_t proc, uint32_t out) {
    b->unit = NVDLA_SDP_RDMA;
    set_size(b, SDP_RDMA_D_DATA_CUBE_WIDTH, width, height, channels);
    set(b, SDP_RDMA_D_FEATURE_MODE_CFG, in << 2 | proc << 4 | out << 6);
    set_all(b, "SDP_RDMA: D_BRDMA_CFG=1 D_NRDMA_CFG=1 D_ERDMA_CFG=1");
}

TEST(sdp_output_of_small) {
    struct bench b = bench("small");
    set_sdp(&b, 3, 2, 20, INT16, FP16); /* small knows INT8 alone, whatever the registers say */
    set_place(&b, SDP_D_DST_BASE_ADDR_LOW, UINT64_C(0x5580001007), 0x1f, 0x47);
    const struct launch *launch = set(&b, SDP_D_OP_ENABLE, 1);
    const struct cube cube = output(&b, launch, true); /* no secondary memory: RAM_TYPE 0 is the primary one too */
    expect_size(&cube, 3, 2, 20, 1);
    /* 32 address bits; bits 2:0 of base and strides are dropped before anything is added */
    assert_true(cube_atom_address(&cube, 0, 0, 0) == 0x80001000);
    assert_true(cube_atom_address(&cube, 2, 1, 2) == 0x80001000 + 2 * 0x40 + 0x18 + 16);
    assert_int_equal(cube_surfaces(&cube), 3);
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_SDP), 18);
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_READ_SDP), 0);
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_PDP), 0);
    struct cube none;
    bool primary;
    assert_false(launch_input_cube(b.config, launch, &none, &primary));
    layer_tracker_free(b.tracker);
}

TEST(sdp_packs_one_by_one_cubes) {
    struct bench b = bench("small");
    set_sdp(&b, 1, 1, 41, INT8, INT8);
    set_place(&b, SDP_D_DST_BASE_ADDR_LOW, 0x1000, 0x100, 0x200);
    struct cube cube = output(&b, set(&b, SDP_D_OP_ENABLE, 1), true);
    assert_true(cube.packed_1x1);
    assert_int_equal(cube_atom_address(&cube, 5, 0, 0), 0x1028);
    assert_int_equal(cube_extent(&cube), 48);
    set_sdp(&b, 1, 2, 41, INT8, INT8);
    cube = output(&b, set(&b, SDP_D_OP_ENABLE, 1), true);
    assert_false(cube.packed_1x1);
    assert_int_equal(cube_atom_address(&cube, 5, 1, 0), 0x1000 + 5 * 0x200 + 0x100);
    set_sdp(&b, 2, 1, 41, INT8, INT8);
    assert_false(output(&b, set(&b, SDP_D_OP_ENABLE, 1), true).packed_1x1);
    layer_tracker_free(b.tracker);
}

TEST(sdp_to_pdp_and_compare_mode_write_nothing) {
    static const char *const names[] = {"small", "full"};
    for (int i = 0; i < 2; i++) {
        struct bench b = bench(names[i]);
        struct cube cube;
        bool primary;
        set_sdp(&b, 4, 4, 8, INT8, INT8);
        set(&b, SDP_D_FEATURE_MODE_CFG, 2);
        const struct launch *launch = set(&b, SDP_D_OP_ENABLE, 1);
        assert_false(launch_output_cube(b.config, launch, &cube, &primary));
        assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_SDP), 0);
        set(&b, SDP_D_FEATURE_MODE_CFG, 1);
        set(&b, SDP_D_DP_EW_CFG, 3 << 2 | 0x10); /* equal, nothing that matters bypassed */
        launch = set(&b, SDP_D_OP_ENABLE, 1);
        assert_false(launch_output_cube(b.config, launch, &cube, &primary));
        assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_SDP), 0);
        static const uint32_t writing[] = {3 << 2 | 1, 3 << 2 | 2, 2 << 2};
        for (int k = 0; k < 3; k++) {
            set(&b, SDP_D_DP_EW_CFG, writing[k]);
            assert_true(launch_output_cube(b.config, set(&b, SDP_D_OP_ENABLE, 1), &cube, &primary));
        }
        layer_tracker_free(b.tracker);
    }
}

TEST(sdp_output_of_full_by_precision) {
    static const struct {
        uint32_t proc, out, channels;
        int element_bytes, surfaces;
    } rows[] = {
        {INT8, INT8, 33, 1, 2},   {INT8, INT16, 5, 2, 2},  {INT8, INT16, 33, 2, 4}, {INT8, INT16, 20, 2, 2},
        {INT16, INT16, 20, 2, 2}, {INT16, FP16, 16, 2, 1}, {FP16, FP16, 17, 2, 2},  {FP16, INT16, 48, 2, 3},
    };
    struct bench b = bench("full");
    set_sdp(&b, 1, 1, 1, INT8, INT8);
    set_place(&b, SDP_D_DST_BASE_ADDR_LOW, UINT64_C(0x1234567880001234), 0x47, 0x10f);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        set_sdp(&b, 2, 3, rows[i].channels, rows[i].proc, rows[i].out);
        set(&b, SDP_D_DST_DMA_CFG, i & 1);
        const struct launch *launch = set(&b, SDP_D_OP_ENABLE, 1);
        const struct cube cube = output(&b, launch, i & 1);
        expect_size(&cube, 2, 3, (int)rows[i].channels, rows[i].element_bytes);
        assert_int_equal(cube_surfaces(&cube), rows[i].surfaces);
        assert_true(cube_atom_address(&cube, 1, 2, 1) == UINT64_C(0x1234567880001220) + 0x100 + 2 * 0x40 + 32);
        assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_SDP), 6 * rows[i].surfaces);
    }
    layer_tracker_free(b.tracker);
}

TEST(sdp_batches_multiply_writes_and_are_not_packed) {
    struct bench b = bench("full");
    set_sdp(&b, 1, 1, 64, INT8, INT8);
    set_all(&b, "SDP: D_FEATURE_MODE_CFG=0x401 D_DST_SURFACE_STRIDE=0x40 D_DST_BATCH_STRIDE=0x1000");
    const struct launch *launch = set(&b, SDP_D_OP_ENABLE, 1);
    const struct cube batches = output(&b, launch, false);
    struct cube_element element;
    assert_false(batches.packed_1x1);
    assert_int_equal(batches.batches, 5);
    assert_int_equal(cube_extent(&batches), 4 * 0x1000 + 0x40 + 32);
    assert_true(cube_locate(&batches, 0x3043, &element));
    assert_int_equal(element.batch, 3);
    assert_int_equal(element.channel, 32 + 3);
    assert_false(cube_locate(&batches, 0x5000, &element));
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_SDP), 10);
    layer_tracker_free(b.tracker);
    b = bench("large"); /* has no batches, and a secondary port */
    set_sdp(&b, 1, 1, 64, INT8, INT8);
    set_all(&b, "SDP: D_FEATURE_MODE_CFG=0x401 D_DST_BASE_ADDR_HIGH=0x12");
    launch = set(&b, SDP_D_OP_ENABLE, 1);
    const struct cube cube = output(&b, launch, false);
    assert_true(cube.packed_1x1);
    assert_true(cube.base == UINT64_C(0x1200000000));
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_SDP), 2);
    layer_tracker_free(b.tracker);
}

TEST(sdp_main_input) {
    static const struct {
        const char *config;
        uint32_t in, proc, channels;
        int element_bytes, surfaces;
    } rows[] = {
        {"small", INT16, INT16, 20, 1, 3},    {"full", INT8, INT8, 33, 1, 2},  {"full", INT16, INT8, 5, 2, 2},
        {"full", INT16, INT8, 40, 2, 4},      {"full", INT16, INT16, 5, 2, 1}, {"full", FP16, FP16, 40, 2, 3},
        {"medium_512", INT8, INT8, 17, 1, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench b = bench(rows[i].config);
        set_sdp_rdma(&b, 5, 3, rows[i].channels, rows[i].in, rows[i].proc, rows[i].proc);
        set_place(&b, SDP_RDMA_D_SRC_BASE_ADDR_LOW, 0x20000, 0x200, 0x1000);
        set(&b, SDP_RDMA_D_SRC_DMA_CFG, 1);
        const struct launch *launch = set(&b, SDP_RDMA_D_OP_ENABLE, 1);
        const struct cube cube = input(&b, launch, true);
        expect_size(&cube, 5, 3, (int)rows[i].channels, rows[i].element_bytes);
        assert_int_equal(cube_surfaces(&cube), rows[i].surfaces);
        assert_int_equal(cube.base, 0x20000);
        assert_int_equal(cube.line_stride, 0x200);
        assert_int_equal(cube.surface_stride, 0x1000);
        assert_int_equal(launch_atoms(b.config, launch, NVDLA_READ_SDP), 15 * rows[i].surfaces);
        assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_SDP), 0);
        for (int k = 0; k < 3; k++)
            assert_int_equal(launch_atoms(b.config, launch, operand_clients[k]), 0);
        /* 1x1 is packed; from the convolution core there is no input at all */
        set_size(&b, SDP_RDMA_D_DATA_CUBE_WIDTH, 1, 1, rows[i].channels);
        launch = set(&b, SDP_RDMA_D_OP_ENABLE, 1);
        assert_true(input(&b, launch, true).packed_1x1);
        assert_int_equal(launch_atoms(b.config, launch, NVDLA_READ_SDP), rows[i].surfaces);
        set(&b, SDP_RDMA_D_FEATURE_MODE_CFG, 1 | rows[i].in << 2 | rows[i].proc << 4);
        launch = set(&b, SDP_RDMA_D_OP_ENABLE, 1);
        struct cube none;
        bool primary;
        assert_false(launch_input_cube(b.config, launch, &none, &primary));
        assert_false(launch_output_cube(b.config, launch, &none, &primary));
        assert_int_equal(launch_atoms(b.config, launch, NVDLA_READ_SDP), 0);
        layer_tracker_free(b.tracker);
    }
}

/* D_xRDMA_CFG: DATA_USE 0 MUL, 1 ALU, 2 both; DATA_SIZE; DATA_MODE. */
static uint32_t operand(uint32_t use, uint32_t two_bytes, uint32_t per_element) {
    return use << 1 | two_bytes << 3 | per_element << 4;
}

TEST(sdp_operands) {
    static const struct {
        const char *config;
        uint32_t in, proc, width, height, channels, use, two_bytes, per_element;
        uint64_t atoms;
    } rows[] = {
        /* small: E = 8, atom 8, OA 8, 16 or 32 bytes */
        {"small", INT8, INT8, 5, 3, 20, 0, 0, 0, 3},
        {"small", INT8, INT8, 5, 3, 20, 1, 1, 0, 6},
        {"small", INT8, INT8, 5, 3, 20, 2, 0, 0, 6},
        {"small", INT8, INT8, 5, 3, 20, 2, 1, 0, 12},
        {"small", INT8, INT8, 5, 3, 20, 0, 0, 1, 45},
        {"small", INT8, INT8, 5, 3, 20, 2, 1, 1, 180},
        {"small", INT8, INT8, 1, 1, 20, 2, 1, 1, 12},   /* per element of a 1x1 cube: as per kernel */
        {"small", INT16, INT16, 5, 3, 20, 1, 1, 1, 90}, /* precisions mean nothing in small */
        /* full: OA 32, 64 or 128 bytes; E = 16 with 16-bit processing */
        {"full", INT8, INT8, 4, 2, 33, 1, 0, 1, 16},
        {"full", INT8, INT8, 4, 2, 33, 2, 1, 1, 64},
        {"full", INT16, INT16, 4, 2, 33, 1, 1, 1, 24},
        {"full", FP16, FP16, 4, 2, 33, 2, 1, 0, 6},
        {"full", INT16, INT8, 4, 2, 33, 1, 1, 1, 32}, /* processing decides: E = 32 */
        {"large", INT8, INT8, 4, 2, 33, 2, 1, 1, 64},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench b = bench(rows[i].config);
        set_sdp_rdma(&b, rows[i].width, rows[i].height, rows[i].channels, rows[i].in, rows[i].proc, rows[i].proc);
        const uint32_t cfg = operand(rows[i].use, rows[i].two_bytes, rows[i].per_element);
        static const uint32_t offsets[] = {SDP_RDMA_D_BRDMA_CFG, SDP_RDMA_D_NRDMA_CFG, SDP_RDMA_D_ERDMA_CFG};
        for (int which = 0; which < 3; which++) {
            for (int k = 0; k < 3; k++)
                set(&b, offsets[k], k == which ? cfg : cfg | 1);
            const struct launch *launch = set(&b, SDP_RDMA_D_OP_ENABLE, 1);
            for (int k = 0; k < 3; k++) {
                const bool absent = k == 2 && !nvdla_has(b.config, FEATURE_EW);
                assert_int_equal(launch_atoms(b.config, launch, operand_clients[k]),
                                 k == which && !absent ? rows[i].atoms : 0);
            }
        }
        layer_tracker_free(b.tracker);
    }
}

/* ---- PDP and CDP ----------------------------------------------------------------------------- */

TEST(pdp_cubes_of_small) {
    struct bench b = bench("small");
    b.unit = NVDLA_PDP;
    set_size(&b, PDP_D_DATA_CUBE_IN_WIDTH, 9, 7, 17);
    set_size(&b, PDP_D_DATA_CUBE_OUT_WIDTH, 4, 3, 17);
    set(&b, PDP_D_DATA_FORMAT, FP16);             /* ignored */
    set(&b, PDP_D_PARTIAL_WIDTH_OUT, 0x3fffffff); /* no split: no effect */
    set_place(&b, PDP_D_DST_BASE_ADDR_LOW, UINT64_C(0x9980001003), 0x45, 0x101);
    const struct launch *launch = set(&b, PDP_D_OP_ENABLE, 1);
    struct cube cube = output(&b, launch, true);
    expect_size(&cube, 4, 3, 17, 1);
    /* the byte sums are kept, the low bits of each request's sum are dropped */
    assert_true(cube_atom_address(&cube, 0, 0, 0) == 0x80001000);
    assert_true(cube_atom_address(&cube, 0, 1, 3) == 0x80001000 + 0x48 + 24);
    assert_true(cube_atom_address(&cube, 2, 2, 0) == ((0x80001003 + 2 * 0x101 + 2 * 0x45) & ~UINT64_C(7)));
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_PDP), 36);
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_READ_PDP), 0);
    b.unit = NVDLA_PDP_RDMA;
    set_size(&b, PDP_RDMA_D_DATA_CUBE_IN_WIDTH, 9, 7, 17);
    set_place(&b, PDP_RDMA_D_SRC_BASE_ADDR_LOW, 0x80002000, 0x50, 0x300);
    launch = set(&b, PDP_RDMA_D_OP_ENABLE, 1);
    cube = input(&b, launch, true);
    expect_size(&cube, 9, 7, 17, 1);
    assert_true(cube_atom_address(&cube, 2, 6, 8) == 0x80002000 + 2 * 0x300 + 6 * 0x50 + 64);
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_READ_PDP), 9 * 7 * 3);
    layer_tracker_free(b.tracker);
}

TEST(pdp_one_by_one_cubes_are_not_packed) {
    struct bench b = bench("small");
    b.unit = NVDLA_PDP;
    set_size(&b, PDP_D_DATA_CUBE_OUT_WIDTH, 1, 1, 16);
    set_place(&b, PDP_D_DST_BASE_ADDR_LOW, 0x1000, 0x100, 0x200);
    const struct cube cube = output(&b, set(&b, PDP_D_OP_ENABLE, 1), true);
    assert_int_equal(cube_atom_address(&cube, 1, 0, 0), 0x1200);
    layer_tracker_free(b.tracker);
}

/* FIRST[9:0], LAST[19:10], MID[29:20], each minus 1. */
static uint32_t partial(uint32_t first, uint32_t mid, uint32_t last) {
    return (first - 1) | (last - 1) << 10 | (mid - 1) << 20;
}

TEST(pdp_split_widths) {
    struct bench b = bench("small");
    /* kw 3, sw 2, pl 1, pr 0: OW = (W + 1 - 3) / 2 + 1. Strips of 4, 3, 3, 2 outputs: Fi = 3*2+3-1 = 8, Mi = 6, Li = W
     * - 20. */
    b.unit = NVDLA_PDP;
    set_size(&b, PDP_D_DATA_CUBE_OUT_WIDTH, 100, 5, 9); /* width ignored */
    set(&b, PDP_D_OPERATION_MODE_CFG, 0x10 | 3 << 8);
    set(&b, PDP_D_PARTIAL_WIDTH_OUT, partial(4, 3, 2));
    const struct launch *launch = set(&b, PDP_D_OP_ENABLE, 1);
    struct cube cube = output(&b, launch, true);
    expect_size(&cube, 12, 5, 9, 1);
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_PDP), 12 * 5 * 2);
    b.unit = NVDLA_PDP_RDMA;
    set_size(&b, PDP_RDMA_D_DATA_CUBE_IN_WIDTH, 100, 10, 9);
    set_all(&b, "PDP_RDMA: D_OPERATION_MODE_CFG=3 D_POOLING_KERNEL_CFG=0x12");
    set(&b, PDP_RDMA_D_PARTIAL_WIDTH_IN, partial(8, 6, 4));
    launch = set(&b, PDP_RDMA_D_OP_ENABLE, 1);
    cube = input(&b, launch, true);
    expect_size(&cube, 24, 10, 9, 1);
    /* every strip but the first reads kw - sw = 1 column again: 8 + 7 + 7 + 5 */
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_READ_PDP), 27 * 10 * 2);
    /* kw 2, sw 3: one column between strips is not read: 8 + 5 + 5 + 3 */
    set(&b, PDP_RDMA_D_POOLING_KERNEL_CFG, 1 | 2 << 4);
    launch = set(&b, PDP_RDMA_D_OP_ENABLE, 1);
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_READ_PDP), 21 * 10 * 2);
    /* two strips: MID is ignored */
    set_all(&b, "PDP_RDMA: D_OPERATION_MODE_CFG=1 D_POOLING_KERNEL_CFG=0x12");
    launch = set(&b, PDP_RDMA_D_OP_ENABLE, 1);
    assert_int_equal(launch_atoms(b.config, launch, NVDLA_READ_PDP), (8 + 5) * 10 * 2);
    assert_int_equal(input(&b, launch, true).width, 12);
    layer_tracker_free(b.tracker);
}

TEST(pdp_cubes_of_full_by_precision) {
    struct bench b = bench("full");
    for (uint32_t format = INT8; format <= FP16; format++) {
        const int surfaces = format == INT8 ? 2 : 3;
        b.unit = NVDLA_PDP;
        set_size(&b, PDP_D_DATA_CUBE_OUT_WIDTH, 4, 3, 40);
        set(&b, PDP_D_DATA_FORMAT, format);
        set(&b, PDP_D_DST_RAM_CFG, 1);
        set_place(&b, PDP_D_DST_BASE_ADDR_LOW, UINT64_C(0x100000000f), 0x1ff, 0x1000);
        const struct launch *launch = set(&b, PDP_D_OP_ENABLE, 1);
        struct cube cube = output(&b, launch, true);
        expect_size(&cube, 4, 3, 40, format == INT8 ? 1 : 2);
        assert_true(cube_atom_address(&cube, 1, 1, 0) == UINT64_C(0x10000011e0));
        assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_PDP), 12 * surfaces);
        b.unit = NVDLA_PDP_RDMA;
        set_size(&b, PDP_RDMA_D_DATA_CUBE_IN_WIDTH, 8, 6, 40);
        set(&b, PDP_RDMA_D_DATA_FORMAT, format);
        launch = set(&b, PDP_RDMA_D_OP_ENABLE, 1);
        cube = input(&b, launch, false);
        expect_size(&cube, 8, 6, 40, format == INT8 ? 1 : 2);
        assert_int_equal(launch_atoms(b.config, launch, NVDLA_READ_PDP), 48 * surfaces);
    }
    layer_tracker_free(b.tracker);
}

TEST(cdp_takes_its_size_from_its_rdma) {
    struct bench b = bench("full");
    for (uint32_t group = 0; group < 2; group++) {
        b.unit = NVDLA_CDP_RDMA;
        set(&b, CDP_RDMA_S_POINTER, group);
        set_size(&b, CDP_RDMA_D_DATA_CUBE_WIDTH, 5 + group, 3, 33);
        set(&b, CDP_RDMA_D_DATA_FORMAT, group ? FP16 : INT8);
        b.unit = NVDLA_CDP;
        set(&b, CDP_S_POINTER, group);
        set(&b, CDP_D_DATA_FORMAT, group ? FP16 : INT8);
        set_place(&b, CDP_D_DST_BASE_ADDR_LOW, 0x4000, 0x200, 0x1000);
    }
    for (int group = 0; group < 2; group++) {
        const int surfaces = group ? 3 : 2;
        b.unit = NVDLA_CDP;
        set(&b, CDP_S_POINTER, (uint32_t)group);
        const struct launch *launch = set(&b, CDP_D_OP_ENABLE, 1); /* either unit may be armed first */
        struct cube cube = output(&b, launch, false);
        expect_size(&cube, 5 + group, 3, 33, 1 + group);
        assert_int_equal(cube_atom_address(&cube, 1, 2, 1), 0x4000 + 0x1000 + 0x400 + 32);
        assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_CDP), (5 + group) * 3 * surfaces);
        assert_int_equal(launch_atoms(b.config, launch, NVDLA_READ_CDP), 0);
        b.unit = NVDLA_CDP_RDMA;
        set(&b, CDP_RDMA_S_POINTER, (uint32_t)group);
        launch = set(&b, CDP_RDMA_D_OP_ENABLE, 1);
        cube = input(&b, launch, false);
        expect_size(&cube, 5 + group, 3, 33, 1 + group);
        assert_int_equal(launch_atoms(b.config, launch, NVDLA_READ_CDP), (5 + group) * 3 * surfaces);
        assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_CDP), 0);
    }
    layer_tracker_free(b.tracker);
    b = bench("small"); /* D_DATA_FORMAT resets to INT16 and means nothing there */
    b.unit = NVDLA_CDP;
    assert_int_equal(output(&b, set(&b, CDP_D_OP_ENABLE, 1), true).element_bytes, 1);
    layer_tracker_free(b.tracker);
}

TEST(cdp_takes_its_size_from_an_rdma_that_is_programmed_later) {
    struct bench b = bench("small");
    for (int n = 0; n < 2; n++) {
        b.unit = NVDLA_CDP;
        set(&b, CDP_S_POINTER, (uint32_t)n);
        set_place(&b, CDP_D_DST_BASE_ADDR_LOW, 0x4000, 0x200, 0x1000);
        set(&b, CDP_D_OP_ENABLE, 1);
    }
    for (int n = 0; n < 2; n++) {
        b.unit = NVDLA_CDP_RDMA;
        set(&b, CDP_RDMA_S_POINTER, (uint32_t)n);
        set_size(&b, CDP_RDMA_D_DATA_CUBE_WIDTH, 7 + (uint32_t)n, 5, 19);
        set(&b, CDP_RDMA_D_OP_ENABLE, 1);
    }
    /* CDP_RDMA ahead of CDP, its registers filled again before CDP is armed. */
    set(&b, CDP_RDMA_S_POINTER, 0);
    set_size(&b, CDP_RDMA_D_DATA_CUBE_WIDTH, 9, 5, 19);
    set(&b, CDP_RDMA_D_OP_ENABLE, 1);
    set_size(&b, CDP_RDMA_D_DATA_CUBE_WIDTH, 99, 5, 19);
    b.unit = NVDLA_CDP;
    set_all(&b, "CDP: S_POINTER=0 D_OP_ENABLE=1");
    for (int n = 0; n < 3; n++) {
        const struct launch *launch = layer_tracker_find(b.tracker, NVDLA_CDP, n);
        struct cube cube = output(&b, launch, true);
        expect_size(&cube, 7 + n, 5, 19, 1);
        assert_int_equal(launch_atoms(b.config, launch, NVDLA_WRITE_CDP), (7 + n) * 5 * 3);
    }
    layer_tracker_free(b.tracker);
}

/* ---- CDMA ---- */

static void expect_fetches(const struct bench *b, const struct launch *launch, uint64_t data, uint64_t weights) {
    assert_non_null(launch);
    assert_int_equal(launch_atoms(b->config, launch, NVDLA_READ_CDMA_DAT), data);
    assert_int_equal(launch_atoms(b->config, launch, NVDLA_READ_CDMA_WT), weights);
    assert_int_equal(launch_atoms(b->config, launch, NVDLA_WRITE_SDP), 0);
}

TEST(cdma_feature_input) {
    struct bench b = bench("small");
    b.unit = NVDLA_CDMA;
    set_all(&b, "CDMA: D_DATAIN_SIZE_0=0x20004 D_DATAIN_SIZE_1=18 D_DAIN_ADDR_HIGH_0=7 D_DAIN_ADDR_LOW_0=0x8000 "
                "D_LINE_STRIDE=0x40 D_SURF_STRIDE=0x200 D_WEIGHT_BYTES=0x480");
    const struct launch *launch = set(&b, CDMA_D_OP_ENABLE, 1);
    struct cube cube = input(&b, launch, true);
    expect_size(&cube, 5, 3, 19, 1);
    assert_int_equal(cube_atom_address(&cube, 2, 1, 3), 0x8000 + 0x400 + 0x40 + 24);
    expect_fetches(&b, launch, 5 * 3 * 3, 0x480 / 8);
    set_all(&b, "CDMA: D_DATAIN_SIZE_0=0 D_DAIN_MAP=SURF_PACKED:1");
    cube = input(&b, set(&b, CDMA_D_OP_ENABLE, 1), true);
    assert_int_equal(cube_atom_address(&cube, 2, 0, 0), 0x8000 + 16);
    layer_tracker_free(b.tracker);
}

TEST(cdma_image_input) {
    static const struct {
        uint32_t format, offset, width, atoms;
    } rows[] = {
        {0, 0, 8, 1},  {0, 0, 9, 2},  {0, 7, 8, 2},   {0, 7, 10, 3}, /* R8 */
        {12, 0, 2, 1}, {12, 1, 2, 2}, {12, 1, 11, 6},                /* A8B8G8R8 */
        {28, 0, 8, 3}, {28, 3, 5, 3}, {28, 5, 6, 4},                 /* Y8 and U8V8: one byte, and two in plane 1 */
    };
    struct bench b = bench("small");
    struct cube cube;
    bool primary;
    b.unit = NVDLA_CDMA;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        SET(&b, {CDMA_D_DATAIN_FORMAT, 1 | rows[i].format << CDMA_D_DATAIN_FORMAT__PIXEL_FORMAT_LSB},
            {CDMA_D_PIXEL_OFFSET, rows[i].offset}, {CDMA_D_DATAIN_SIZE_0, (rows[i].width - 1) | 5u << 16});
        const struct launch *launch = set(&b, CDMA_D_OP_ENABLE, 1);
        expect_fetches(&b, launch, 6 * rows[i].atoms, 0);
        assert_false(launch_input_cube(b.config, launch, &cube, &primary));
    }
    layer_tracker_free(b.tracker);
}

TEST(cdma_fetches_nothing_that_it_reuses) {
    const uint32_t keep = CDMA_D_MISC_CFG__SKIP_DATA_RLS_MASK | CDMA_D_MISC_CFG__SKIP_WEIGHT_RLS_MASK;
    const uint32_t reuse = CDMA_D_MISC_CFG__DATA_REUSE_MASK | CDMA_D_MISC_CFG__WEIGHT_REUSE_MASK;
    const struct {
        uint32_t misc, format, banks;
        bool data, weights;
    } rows[] = {
        {reuse | keep, 0, 0x10001, true, true},         /* nothing came before */
        {reuse, 0, 0x10001, false, false},              /* what the first one kept */
        {reuse | keep, 0, 0x10001, true, true},         /* nothing was kept */
        {keep, 0, 0x10001, true, true},                 /* no reuse wanted */
        {reuse | keep, 0, 0x20001, false, true},        /* other weight banks */
        {reuse | keep, 0, 0x20002, true, true},         /* other data banks */
        {reuse | keep, 1, 0x20002, true, false},        /* an image after a feature cube */
        {reuse & ~(1u << 16), 1, 0x20002, true, false}, /* only weights */
    };
    struct bench b = bench("small");
    b.unit = NVDLA_CDMA;
    set(&b, CDMA_D_WEIGHT_BYTES, 128);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        SET(&b, {CDMA_D_MISC_CFG, rows[i].misc}, {CDMA_D_DATAIN_FORMAT, rows[i].format}, {CDMA_D_BANK, rows[i].banks});
        expect_fetches(&b, set(&b, CDMA_D_OP_ENABLE, 1), rows[i].data, rows[i].weights ? 16 : 0);
    }
    layer_tracker_free(b.tracker);
}

/* Every batch is fetched, with its own stride. 30-cdma-cbuf section 5.3. */
TEST(cdma_fetches_every_batch) {
    struct bench b = bench("full");
    b.unit = NVDLA_CDMA;
    set_all(&b, "CDMA: D_MISC_CFG=IN_PRECISION:1 D_DATAIN_SIZE_0=0x20004 D_DATAIN_SIZE_1=18 D_BATCH_NUMBER=6 "
                "D_BATCH_STRIDE=0x4000");
    const struct launch *launch = set(&b, CDMA_D_OP_ENABLE, 1);
    const struct cube cube = input(&b, launch, false);
    assert_int_equal(cube.batches, 7);
    assert_int_equal(cube.batch_stride, 0x4000);
    expect_fetches(&b, launch, 7 * 5 * 3 * 2, 0);
    set(&b, CDMA_D_DATAIN_FORMAT, 1 | 4u << CDMA_D_DATAIN_FORMAT__PIXEL_FORMAT_LSB); /* images have none */
    expect_fetches(&b, set(&b, CDMA_D_OP_ENABLE, 1), 3, 0);
    layer_tracker_free(b.tracker);
}

/* What follows the last tile is not fetched. 30-cdma-cbuf section 5.5. */
TEST(cdma_fetches_the_tiles_of_winograd) {
    struct bench b = bench("full");
    b.unit = NVDLA_CDMA;
    set_all(&b, "CDMA: D_MISC_CFG=CONV_MODE:1 D_DATAIN_SIZE_0=0x90009 D_DATAIN_SIZE_1=39 D_DATAIN_SIZE_EXT_0=0x30007 "
                "D_CONV_STRIDE=0x10000 D_ZERO_PADDING=0x20001");
    set(&b, CDMA_D_BATCH_NUMBER, 3); /* of no effect */
    expect_fetches(&b, set(&b, CDMA_D_OP_ENABLE, 1), (8 - 1) * (8 - 2) * 2, 0);
    set(&b, CDMA_D_DATAIN_SIZE_EXT_0, 11 | 7u << 16);
    expect_fetches(&b, set(&b, CDMA_D_OP_ENABLE, 1), 10 * 10 * 2, 0);
    layer_tracker_free(b.tracker);
}

/* The example of 30-cdma-cbuf section 8.2: mask bits and group sizes come through the same client. */
TEST(cdma_fetches_mask_bits_and_group_sizes) {
    struct bench b = bench("full");
    b.unit = NVDLA_CDMA;
    set_all(&b, "CDMA: D_MISC_CFG=PROC_PRECISION:1 D_DATAIN_FORMAT=1 D_WEIGHT_SIZE_1=39 D_WEIGHT_BYTES=2944 "
                "D_WMB_BYTES=768");
    expect_fetches(&b, set(&b, CDMA_D_OP_ENABLE, 1), 1, 2944 / 32);
    set(&b, CDMA_D_WEIGHT_FORMAT, 1);
    expect_fetches(&b, set(&b, CDMA_D_OP_ENABLE, 1), 1, 11 * 8 + 4 + 24 + 1);
    layer_tracker_free(b.tracker);
}

static const struct launch *arm(struct bench *b, enum nvdla_unit unit) {
    b->unit = unit;
    return set(b, unit == NVDLA_CDP ? CDP_D_OP_ENABLE : unit == NVDLA_SDP ? SDP_D_OP_ENABLE : PDP_D_OP_ENABLE, 1);
}

static int feeder(const struct bench *b, enum nvdla_unit of, int ordinal, enum nvdla_unit unit) {
    const struct launch *found = layer_tracker_feeder(b->tracker, layer_tracker_find(b->tracker, of, ordinal), unit);
    return found ? found->ordinal : -1;
}

/* SDP_RDMA is armed only if it has to read something. 50-sdp section 11. */
TEST(layers_are_paired_with_what_feeds_them) {
    struct bench b = bench("full");
    const uint32_t flying = SDP_D_FEATURE_MODE_CFG__FLYING_MODE_MASK, pdp = SDP_D_FEATURE_MODE_CFG__OUTPUT_DST_MASK;
    const struct {
        uint32_t mode, bn_alu, bn_bypass;
        int rdma, cacc;
    } rows[] = {
        {flying, 0, 0, -1, 0}, /* convolution */
        {0, 0, 0, 0, -1},      /* from memory */
        {flying, 1, 1, -1, 1}, /* an operand of a stage that is bypassed */
        {flying | pdp, 1, 0, 1, 2}, {pdp, 0, 0, 2, -1},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    assert_int_equal(PDP_D_OP_ENABLE, CACC_D_OP_ENABLE);
    for (int i = 0; i < ROWS; i++) {
        b.unit = NVDLA_SDP;
        SET(&b, {SDP_D_FEATURE_MODE_CFG, rows[i].mode}, {SDP_D_DP_BN_CFG, rows[i].bn_bypass},
            {SDP_D_DP_BN_ALU_CFG, rows[i].bn_alu});
        arm(&b, NVDLA_SDP);
        if (rows[i].rdma >= 0)
            arm(&b, NVDLA_SDP_RDMA);
        if (rows[i].cacc >= 0)
            arm(&b, NVDLA_CACC);
    }
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(feeder(&b, NVDLA_SDP, i, NVDLA_SDP_RDMA), rows[i].rdma);
        assert_int_equal(feeder(&b, NVDLA_SDP, i, NVDLA_CACC), rows[i].cacc);
        assert_int_equal(feeder(&b, NVDLA_SDP, i, NVDLA_CSC), -1); /* was never armed */
        assert_int_equal(feeder(&b, NVDLA_SDP, i, NVDLA_PDP_RDMA), -1);
    }
    b.unit = NVDLA_PDP;
    set(&b, PDP_D_OPERATION_MODE_CFG, PDP_D_OPERATION_MODE_CFG__FLYING_MODE_MASK); /* from memory */
    arm(&b, NVDLA_PDP);
    arm(&b, NVDLA_PDP_RDMA);
    b.unit = NVDLA_PDP;
    set(&b, PDP_D_OPERATION_MODE_CFG, 0);
    arm(&b, NVDLA_PDP);
    arm(&b, NVDLA_PDP);
    arm(&b, NVDLA_CDP);
    assert_int_equal(feeder(&b, NVDLA_CDP, 0, NVDLA_CDP_RDMA), -1);
    arm(&b, NVDLA_CDP_RDMA);
    assert_int_equal(feeder(&b, NVDLA_CDP, 0, NVDLA_CDP_RDMA), 0);
    assert_int_equal(feeder(&b, NVDLA_PDP, 0, NVDLA_PDP_RDMA), 0);
    assert_int_equal(feeder(&b, NVDLA_PDP, 0, NVDLA_SDP), -1);
    assert_int_equal(feeder(&b, NVDLA_PDP, 1, NVDLA_PDP_RDMA), -1);
    assert_int_equal(feeder(&b, NVDLA_PDP, 1, NVDLA_SDP), 3);
    assert_int_equal(feeder(&b, NVDLA_PDP, 1, NVDLA_CACC), 2);
    assert_int_equal(feeder(&b, NVDLA_PDP, 2, NVDLA_SDP), 4);
    assert_int_equal(feeder(&b, NVDLA_PDP, 2, NVDLA_SDP_RDMA), 2);
    layer_tracker_free(b.tracker);
}

/* EW takes an operand from memory: SDP_RDMA belongs to the layer and its ERDMA reads where there is an EW, and only
 * there. */
TEST(ew_counts_where_it_is) {
    for (int i = 0; i < nvdla_config_count; i++) {
        struct bench b = bench(nvdla_configs[i].name);
        const bool has = nvdla_has(b.config, FEATURE_EW);
        set(&b, SDP_D_FEATURE_MODE_CFG, 1); /* flying */
        set_all(&b, "SDP: D_DP_BS_CFG=1 D_DP_BN_CFG=1");
        set(&b, SDP_D_DP_EW_CFG, 0x10);  /* without MUL */
        set(&b, SDP_D_DP_EW_ALU_CFG, 1); /* from memory */
        set_size(&b, SDP_D_DATA_CUBE_WIDTH, 1, 1, 8);
        const struct launch *sdp = set(&b, SDP_D_OP_ENABLE, 1);
        const int lanes = has ? b.config->sdp_ew_throughput : b.config->sdp_bs_throughput;
        assert_int_equal(launch_clocks(b.config, sdp), (8 + lanes - 1) / lanes);
        const uint64_t written = launch_atoms(b.config, sdp, NVDLA_WRITE_SDP) * (uint64_t)b.config->mem_atom;
        const uint64_t beat = (uint64_t)b.config->dbb_data_bits / 8;
        assert_true(written > 0);
        assert_int_equal(launch_beats(b.config, sdp), (written + beat - 1) / beat);
        assert_int_equal(launch_work(b.config, sdp), (2 * written + beat - 1) / beat);
        b.unit = NVDLA_SDP_RDMA;
        set(&b, SDP_RDMA_D_FEATURE_MODE_CFG, 1);
        set(&b, SDP_RDMA_D_ERDMA_CFG, 1 << 1); /* ALU */
        set_size(&b, SDP_RDMA_D_DATA_CUBE_WIDTH, 1, 1, 8);
        const struct launch *rdma = set(&b, SDP_RDMA_D_OP_ENABLE, 1);
        assert_int_equal(launch_atoms(b.config, rdma, NVDLA_READ_SDP_E), has ? 1 : 0);
        assert_int_equal(launch_work(b.config, rdma), launch_beats(b.config, rdma));
        assert_int_equal(feeder(&b, NVDLA_SDP, 0, NVDLA_SDP_RDMA), has ? 0 : -1);
        layer_tracker_free(b.tracker);
    }
}
