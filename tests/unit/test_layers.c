/* Launches and what their registers say: cubes and memory traffic, rows of layers.tsv. Chapter 10 section 6, chapter 64
 * section 2. */
#include <inttypes.h>
#include <stdio.h>

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

TEST_KEEPS(keep_tracker, struct layer_tracker, layer_tracker_free)

static struct bench bench(const char *name) {
    struct bench b = {.config = nvdla_config_find(name), .unit = NVDLA_SDP};
    assert_non_null(b.config);
    b.tracker = keep_tracker(layer_tracker_new(b.config));
    assert_non_null(b.tracker);
    return b;
}

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

static void expect_size(const struct cube *cube, int width, int height, int channels, int element_bytes) {
    assert_int_equal(cube->width, width);
    assert_int_equal(cube->height, height);
    assert_int_equal(cube->channels, channels);
    assert_int_equal(cube->element_bytes, element_bytes);
}

TEST_ON(groups_are_filled_through_producer, struct bench b, bench("small")) {
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
}

TEST_ON(only_one_in_op_enable_arms, struct bench b, bench("small")) {
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
}

TEST_ON(bits_that_do_not_exist_are_not_kept, struct bench b, bench("full")) {
    set_all(&b, "SDP: D_DST_BASE_ADDR_LOW=0xffffffff D_DATA_CUBE_WIDTH=0xffffffff D_STATUS=0xffffffff "
                "S_POINTER=0x10000");
    const struct launch *launch = set(&b, SDP_D_OP_ENABLE, 1);
    assert_int_equal(launch_register(launch, SDP_D_DST_BASE_ADDR_LOW), 0xffffffe0);
    assert_int_equal(launch_register(launch, SDP_D_DATA_CUBE_WIDTH), 0x1fff);
    assert_int_equal(launch_register(launch, SDP_D_STATUS), 0);
    assert_int_equal(launch_register(launch, SDP_S_POINTER), 0);
    b = bench("small");
    b.unit = NVDLA_SDP_RDMA; /* reset values are there before anything is written */
    launch = set(&b, SDP_RDMA_D_OP_ENABLE, 1);
    assert_int_equal(launch_register(launch, SDP_RDMA_D_FEATURE_MODE_CFG), 0x14);
    assert_int_equal(launch_register(launch, SDP_RDMA_D_BRDMA_CFG) & 1, 1);
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
    }
}

TEST_ON(launches_are_numbered_per_unit_and_found_again, struct bench b, bench("small")) {
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
    layer_tracker_free(NULL);
}

TEST_ON(bdma_launches_have_the_group_of_their_register, struct bench b, bench("full")) {
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
}

/* A descriptor takes the registers as they stand at CFG_OP; a launch all descriptors since the one before, of which 21
 * fit. 64-bdma sections 2 to 4. */
TEST_ON(bdma_launches_have_their_descriptors, struct bench b, bench("full")) {
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
}

/* ---- rows ---- */

/* Is there a word that begins so, up to its "="? */
static bool expects(const char *text, const char *word) {
    const size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += n)
        if ((at == text || at[-1] == ' ') && strchr(" =", at[n]))
            return true;
    return false;
}

/* What a word behind "in" or "out" says of the cube: itself with what is found. */
static void find_of_cube(const struct cube *cube, const char *word, char *found, size_t size) {
    const int n = (int)strcspn(word, "=");
    int surface, line, column;
    struct cube_element e = {0};
    if (sscanf(word, "@%d,%d,%d", &surface, &line, &column) == 3)
        snprintf(found, size, "%.*s=0x%" PRIx64, n, word, cube_atom_address(cube, surface, line, column));
    else if (*word == ':' && cube_locate(cube, strtoull(word + 1, NULL, 0), &e))
        snprintf(found, size, "%.*s=%d,%d,%d,%d", n, word, e.batch, e.channel, e.line, e.column);
    else if (strncmp(word, ".surfaces", (size_t)n) == 0)
        snprintf(found, size, ".surfaces=%d", cube_surfaces(cube));
    else if (strncmp(word, ".extent", (size_t)n) == 0)
        snprintf(found, size, ".extent=%" PRIu64, (uint64_t)cube_extent(cube));
    else if (strncmp(word, ".batch", (size_t)n) == 0)
        snprintf(found, size, ".batch=%d,0x%" PRIx64, cube->batches, (uint64_t)cube->batch_stride);
    else
        snprintf(found, size, "%s", cube->packed_1x1 ? ".packed" : "");
}

/* The words about the cube that the launch reads or writes. */
static void check_cube(const struct bench *b, const struct launch *launch, const char *side, const char *text,
                       int line) {
    struct cube cube;
    bool primary;
    char packed[16], found[100];
    const size_t n = strlen(side);
    const bool any = strcmp(side, "in") == 0 ? launch_input_cube(b->config, launch, &cube, &primary)
                                             : launch_output_cube(b->config, launch, &cube, &primary);
    snprintf(packed, sizeof packed, "%s.packed", side);
    if (any != expects(text, side) || (any && cube.packed_1x1 != expects(text, packed)))
        fail_msg("layers.tsv:%d: found %s cube of '%s', packed %d", line, any ? "a" : "no", side,
                 any && cube.packed_1x1);
    for (const char *word = text; any && *word; word += strcspn(word, " "), word += *word == ' ') {
        if (strncmp(word, side, n) != 0)
            continue;
        if (word[n] == '=')
            snprintf(found, sizeof found, "=%c:%dx%dx%dx%d", primary ? 'p' : 's', cube.width, cube.height,
                     cube.channels, cube.element_bytes);
        else
            find_of_cube(&cube, word + n, found, sizeof found);
        if (strlen(found) != strcspn(word + n, " ") || strncmp(found, word + n, strlen(found)) != 0)
            fail_msg("layers.tsv:%d: found %s%s, expected '%s'", line, side, found, word);
    }
}

static void check_traffic(const struct bench *b, const struct launch *launch, const char *text, int line) {
    for (enum nvdla_client client = 0; client < NVDLA_CLIENT_COUNT; client++) {
        const struct nvdla_client_facts *facts = &nvdla_clients[client];
        char word[40];
        snprintf(word, sizeof word, "%s:%s=", facts->write ? "write" : "read", facts->name);
        const char *at = strstr(text, word), *number = at ? at + strlen(word) : "0";
        const uint64_t found = launch_atoms(b->config, launch, client);
        if (found != strtoull(number, NULL, 0))
            fail_msg("layers.tsv:%d: found %s%" PRIu64 ", expected %s", line, word, found, number);
    }
}

TEST(cubes_and_traffic) {
    char *rest = test_text("tests/unit/layers.tsv");
    int line = 0;
    for (char *row; (row = strsep(&rest, "\n")) != NULL;) {
        line++;
        if (!row[0] || row[0] == '#')
            continue;
        struct bench b = bench(strsep(&row, "\t"));
        for (char *registers; (registers = strsep(&row, "\t")) != NULL;) {
            const char *expected = strsep(&row, "\t");
            set_all(&b, registers);
            const struct launch *launch = layer_tracker_launch(b.tracker, layer_tracker_count(b.tracker) - 1);
            assert_true(expected && launch);
            check_cube(&b, launch, "in", expected, line);
            check_cube(&b, launch, "out", expected, line);
            check_traffic(&b, launch, expected, line);
        }
    }
}

TEST_ON(cdp_takes_its_size_from_an_rdma_that_is_programmed_later, struct bench b, bench("small")) {
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
TEST_ON(layers_are_paired_with_what_feeds_them, struct bench b, bench("full")) {
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
        const int lanes = has ? b.config->sdp_ew_throughput : nvdla_sdp_lanes(b.config);
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
    }
}
