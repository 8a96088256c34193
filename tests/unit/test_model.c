/* The model as a device: registers of every implemented unit, ping-pong groups, GLB (the vectors of 10-system section
 * 10), and legal layers with wild changes. */
#include "legal_layers.h"
#include "model_bench.h"

#include "model/register_group.h"
#include "tests/unit/test.h"

static const char *const configs[] = {"small", "small_256", "small_256_full",  "medium_512", "medium_1024_full",
                                      "large", "full",      "large_compressed"};
enum { CONFIGS = sizeof configs / sizeof configs[0] };

/* ---- registers ---- */

/* GLB's interrupt registers, the data ports of tables and BDMA's status do more than store; the flush status is not 0
 * in the model. */
static bool plain_storage(const struct nvdla_register *reg) {
    return strcmp(reg->name, "S_INTR_SET") != 0 && strcmp(reg->name, "S_INTR_STATUS") != 0 &&
           strcmp(reg->name, "S_LUT_ACCESS_DATA") != 0 && strcmp(reg->name, "S_CBUF_FLUSH_STATUS") != 0 &&
           !(reg->unit == NVDLA_BDMA && strcmp(reg->name, "STATUS") == 0);
}

static uint32_t read_register(struct device *dev, const struct nvdla_register *reg) {
    uint32_t value = 0;
    dev->ops->csb_read(dev, reg->address, &value, NULL);
    return value;
}

static void select_groups(struct device *dev, uint32_t group) {
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if ((dev->units >> unit & 1) && nvdla_register_find(dev->config, unit, "D_OP_ENABLE"))
            put(dev, unit, SDP_S_POINTER, group);
}

static bool is(const struct nvdla_register *reg, const char *name) {
    return strcmp(reg->name, name) == 0;
}

TEST(registers_reset_and_keep_their_masked_bits) {
    static const uint32_t patterns[] = {0xffffffff, 0, 0xa5a5a5a5, 0x5a5a5a5a};
    for (int c = 0; c < CONFIGS; c++) {
        struct device *dev = bench_new(configs[c]);
        const struct nvdla_register_map *map = &nvdla_register_maps[dev->config->map];
        for (uint32_t group = 0; group < 2; group++) {
            select_groups(dev, group);
            for (size_t i = 0; i < map->count; i++) {
                const struct nvdla_register *reg = &map->registers[i];
                if (!(dev->units >> reg->unit & 1) || !plain_storage(reg))
                    continue;
                if (!is(reg, "S_POINTER") && (reg->grouped || group == 0))
                    assert_int_equal(read_register(dev, reg), reg->reset);
                if (is(reg, "D_OP_ENABLE") || is(reg, "S_POINTER"))
                    continue;
                for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
                    dev->ops->csb_write(dev, reg->address, patterns[p], p & 1, NULL);
                    uint32_t kept = reg->reset & ~reg->stored_mask;
                    assert_int_equal(read_register(dev, reg), kept | (patterns[p] & reg->stored_mask));
                }
            }
        }
        /* Writing group 1 left group 0 as it was, and reset brings both back. */
        struct error err;
        select_groups(dev, 0);
        assert_int_equal(get(dev, NVDLA_SDP, SDP_D_CVT_OFFSET), 0x5a5a5a5a);
        put(dev, NVDLA_SDP, SDP_D_CVT_OFFSET, 1);
        select_groups(dev, 1);
        assert_int_equal(get(dev, NVDLA_SDP, SDP_D_CVT_OFFSET), 0x5a5a5a5a);
        assert_true(dev->ops->reset(dev, &err));
        assert_int_equal(get(dev, NVDLA_SDP, SDP_D_CVT_OFFSET), 0);
        assert_int_equal(get(dev, NVDLA_SDP, SDP_D_DP_BS_CFG), dev->config->map == NVDLA_MAP_FULL ? 0 : 0x73);
    }
}

/* Configurations without EW have its registers, but no table behind them: it reads 0 and ignores writes. */
TEST(the_table_of_sdp_is_there_where_ew_is) {
    for (int i = 0; i < nvdla_config_count; i++) {
        struct device *dev = bench_new(nvdla_configs[i].name);
        table_port(dev, NVDLA_SDP,
                   nvdla_has(&nvdla_configs[i], FEATURE_SDP_LUT) ? "C20003 W1234 C3 E1234" : "C20003 W1234 C3 E0 P3");
    }
}

/* Everything without a register, in implemented units, absent units and unmapped windows: reads 0, ignores writes. */
TEST(addresses_without_register_read_zero) {
    for (int c = 0; c < CONFIGS; c++) {
        struct device *dev = bench_new(configs[c]);
        for (uint32_t address = 0; address < 0x40000; address += 4) {
            enum nvdla_unit unit = nvdla_unit_at(dev->config, address);
            bool implemented = unit < NVDLA_UNIT_COUNT && (dev->units >> unit & 1);
            if (implemented && nvdla_register_at(dev->config, address))
                continue;
            uint32_t value = 1;
            dev->ops->csb_write(dev, address, UINT32_MAX, true, NULL);
            dev->ops->csb_read(dev, address, &value, NULL);
            assert_int_equal(value, 0);
        }
        assert_int_equal(advance(dev), DEVICE_IDLE);
    }
}

/* ---- GLB ---- */

TEST_ON(glb_sets_masks_and_clears, struct device *dev, bench_new("small")) {
    assert_int_equal(get(dev, NVDLA_GLB, GLB_S_NVDLA_HW_VERSION), 0x00303031);
    put(dev, NVDLA_GLB, GLB_S_INTR_SET, 4);
    assert_int_equal(pending_interrupts(dev), 4);
    assert_true(dev->ops->interrupt(dev));
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(dev->ops->advance(dev, 1, false, NULL), DEVICE_IDLE);
    put(dev, NVDLA_GLB, GLB_S_INTR_STATUS, ~4u);
    assert_int_equal(pending_interrupts(dev), 4);
    put(dev, NVDLA_GLB, GLB_S_INTR_STATUS, 4);
    assert_int_equal(pending_interrupts(dev), 0);
    assert_false(dev->ops->interrupt(dev));

    put(dev, NVDLA_GLB, GLB_S_INTR_MASK, 1);
    put(dev, NVDLA_GLB, GLB_S_INTR_SET, 1);
    assert_false(dev->ops->interrupt(dev));
    put(dev, NVDLA_GLB, GLB_S_INTR_MASK, 0);
    assert_true(dev->ops->interrupt(dev));

    put(dev, NVDLA_GLB, GLB_S_INTR_SET, UINT32_MAX);
    assert_int_equal(pending_interrupts(dev), 0x003f003f);
    assert_int_equal(get(dev, NVDLA_GLB, GLB_S_INTR_SET), 0);
    put(dev, NVDLA_GLB, GLB_S_INTR_MASK, UINT32_MAX);
    assert_int_equal(get(dev, NVDLA_GLB, GLB_S_INTR_MASK), 0x003f03ff);
}

/* 10-system section 10: vectors 13, 14 and section 7. */
TEST_ON(full_has_bdma_and_its_interrupts_but_no_gec, struct device *dev, bench_new("full")) {
    assert_int_equal(get(dev, NVDLA_GLB, GLB_S_NVDLA_HW_VERSION), 0x00303031);
    assert_int_equal(get(dev, NVDLA_BDMA, BDMA_STATUS), 0x114);
    for (uint32_t address = 0x1000; address < 0x2000; address += 4) {
        uint32_t value = 1;
        assert_true(dev->ops->csb_write(dev, address, UINT32_MAX, true, NULL));
        assert_true(dev->ops->csb_read(dev, address, &value, NULL));
        assert_int_equal(value, 0);
    }
    put(dev, NVDLA_GLB, GLB_S_INTR_SET, UINT32_MAX);
    assert_int_equal(pending_interrupts(dev), 0x003f03ff);
    put(dev, NVDLA_GLB, GLB_S_INTR_MASK, UINT32_MAX);
    assert_int_equal(get(dev, NVDLA_GLB, GLB_S_INTR_MASK), 0x003f03ff);
    assert_false(dev->ops->interrupt(dev));
}

TEST_ON(masked_layer_interrupt_is_recorded, struct device *dev, bench_new("small")) {
    memory_declare(dev->memory[SPACE_PRIMARY], 0, 0x1000);
    put(dev, NVDLA_GLB, GLB_S_INTR_MASK, 1);
    sdp_copy(dev, 2, 2, 8, 0, 0x800);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_RUNNING);
    assert_int_equal(advance(dev), DEVICE_IDLE);
    assert_int_equal(pending_interrupts(dev), 1);
}

/* ---- groups ---- */

static uint32_t sdp_status(struct device *dev) {
    return get(dev, NVDLA_SDP, SDP_S_STATUS);
}

TEST_ON(arming_protects_the_group, struct device *dev, bench_new("small")) {
    put(dev, NVDLA_SDP, SDP_S_POINTER, 0x10001);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_S_POINTER), 1);
    put(dev, NVDLA_SDP, SDP_S_POINTER, 0);
    put(dev, NVDLA_SDP, SDP_D_OP_ENABLE, 0);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_D_OP_ENABLE), 0);

    PUT(dev, NVDLA_SDP, {SDP_D_DATA_CUBE_WIDTH, 0x12}, {SDP_D_OP_ENABLE, 1}, {SDP_D_OP_ENABLE, 0},
        {SDP_D_DATA_CUBE_WIDTH, 0x55});
    assert_int_equal(get(dev, NVDLA_SDP, SDP_D_OP_ENABLE), 1);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_D_DATA_CUBE_WIDTH), 0x12);
    put(dev, NVDLA_SDP, SDP_S_LUT_LE_START, 7); /* S registers stay open */
    assert_int_equal(get(dev, NVDLA_SDP, SDP_S_LUT_LE_START), 7);
    put(dev, NVDLA_SDP, SDP_S_STATUS, UINT32_MAX);
    assert_int_equal(sdp_status(dev), 1);

    put(dev, NVDLA_SDP, SDP_S_POINTER, 1); /* the other group is open */
    put(dev, NVDLA_SDP, SDP_D_DATA_CUBE_WIDTH, 0x55);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_D_DATA_CUBE_WIDTH), 0x55);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_D_OP_ENABLE), 0);
}

static void program_and_arm(struct device *dev, uint32_t group) {
    sdp_group(dev, group);
    sdp_copy(dev, 2, 2, 8, 0, 0x800);
    sdp_arm(dev);
}

TEST_ON(both_groups_in_turn, struct device *dev, bench_new("small")) {
    memory_declare(dev->memory[SPACE_PRIMARY], 0, 0x1000);
    program_and_arm(dev, 0);
    program_and_arm(dev, 1);
    assert_int_equal(sdp_status(dev), 0x00020001);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(sdp_status(dev), 0x00010000);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_S_POINTER), 0x00010001);
    sdp_group(dev, 0);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_D_OP_ENABLE), 0);
    program_and_arm(dev, 0); /* while group 1 runs */
    assert_int_equal(sdp_status(dev), 0x00010002);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT); /* group 0's interrupt has not been cleared: nothing runs */
    assert_int_equal(pending_interrupts(dev), 1);
    clear_interrupts(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 2);
    clear_interrupts(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 1);
    assert_int_equal(sdp_status(dev), 0);
    assert_int_equal(get(dev, NVDLA_SDP_RDMA, SDP_RDMA_S_POINTER), 0x00010000);
}

TEST_ON(group_1_first_waits_for_group_0, struct device *dev, bench_new("small")) {
    memory_declare(dev->memory[SPACE_PRIMARY], 0, 0x1000);
    program_and_arm(dev, 1);
    assert_int_equal(sdp_status(dev), 0x00020000);
    assert_int_equal(advance(dev), DEVICE_IDLE);
    program_and_arm(dev, 0);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 1);
    clear_interrupts(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 2);
}

TEST_ON(reset_ends_a_hang_and_keeps_the_memory, struct device *dev, bench_new("small")) {
    struct error err;
    memory_declare(dev->memory[SPACE_PRIMARY], 0, 0x1000);
    memory_fill(dev->memory[SPACE_PRIMARY], 0, 32, 7);
    put(dev, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    put(dev, NVDLA_GLB, GLB_S_INTR_SET, 1);
    assert_true(dev->ops->reset(dev, &err));
    assert_int_equal(pending_interrupts(dev), 0);
    assert_int_equal(sdp_status(dev), 0);
    program_and_arm(dev, 0);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(byte_at(dev, 0x800), 7);
    assert_true(dev->ops->time(dev) > 0);
}

/* ---- memory ---- */

/* 70-memory-interface section 7: addresses of small have 32 bits; a run of atoms continues at 0. */
TEST(runs_go_on_at_the_other_end_of_the_address_space) {
    static const struct {
        const char *config;
        uint64_t last; /* atom of the address space */
    } spaces[] = {{"small", 0xfffffff8}, {"full", UINT64_MAX - 31}};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        struct device *dev = bench_new(spaces[i].config);
        struct device_statistics before, after;
        uint32_t atom = (uint32_t)dev->config->mem_atom;
        uint64_t seed = 1, last = spaces[i].last;
        memory_declare(dev->memory[SPACE_PRIMARY], last, atom);
        memory_declare(dev->memory[SPACE_PRIMARY], 0, 3 * atom);
        random_region(dev, &seed, 0x1000, 4 * atom);
        dev->ops->statistics(dev, &before);
        for (int back = 0; back < 2; back++) { /* there, and from there to 0x2000 */
            memory_declare(dev->memory[SPACE_PRIMARY], 0x2000, 4 * atom);
            sdp_group(dev, (uint32_t)back);
            sdp_copy(dev, 4, 1, atom, back ? (uint32_t)last : 0x1000, back ? 0x2000 : (uint32_t)last);
            put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_SRC_BASE_ADDR_HIGH, back ? (uint32_t)(last >> 32) : 0);
            put(dev, NVDLA_SDP, SDP_D_DST_BASE_ADDR_HIGH, back ? 0 : (uint32_t)(last >> 32));
            sdp_arm(dev);
            clear_interrupts(dev);
            assert_int_equal(advance(dev), DEVICE_INTERRUPT);
        }
        dev->ops->statistics(dev, &after);
        for (uint32_t at = 0; at < 4 * atom; at++) {
            assert_int_equal(byte_at(dev, at < atom ? last + at : at - atom), byte_at(dev, 0x1000 + at));
            assert_int_equal(byte_at(dev, 0x2000 + at), byte_at(dev, 0x1000 + at));
        }
        /* Beats of full hold two atoms: the last one of the address space is half used. */
        assert_int_equal(after.write_beats[1] - before.write_beats[1], atom == 8 ? 8 : 3 + 2);
        assert_int_equal(after.read_beats[1] - before.read_beats[1], atom == 8 ? 8 : 2 + 3);
        assert_int_equal(dev->finding_count, 0);
    }
}

/* ---- units without each other ---- */

/* 50-sdp section 11: SDP_RDMA that is armed with nothing to read is done at once, and raises nothing. */
TEST_ON(rdma_with_nothing_to_read_ends_alone, struct device *dev, bench_new("full")) {
    memory_declare(dev->memory[SPACE_PRIMARY], 0, 0x1000);
    PUT(dev, NVDLA_SDP_RDMA, {SDP_RDMA_D_FEATURE_MODE_CFG, 1}, {SDP_RDMA_D_BRDMA_CFG, 1}, {SDP_RDMA_D_NRDMA_CFG, 1},
        {SDP_RDMA_D_ERDMA_CFG, 1}, {SDP_RDMA_D_OP_ENABLE, 1});
    while (advance(dev) == DEVICE_RUNNING) {
    }
    assert_int_equal(get(dev, NVDLA_SDP_RDMA, SDP_RDMA_S_STATUS), 0);
    assert_int_equal(get(dev, NVDLA_SDP_RDMA, SDP_RDMA_S_POINTER), 0x10000);
    assert_int_equal(pending_interrupts(dev), 0);
    /* SDP in group 0 with SDP_RDMA in group 1. */
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_S_POINTER, 1);
    sdp_copy(dev, 2, 2, 8, 0, 0x800);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 1);
    assert_int_equal(get(dev, NVDLA_SDP_RDMA, SDP_RDMA_S_POINTER), 1);
}

/* 98-measured-rules section 2: on the fly SDP and PDP both interrupt, each with its own group. */
TEST_ON(sdp_and_pdp_interrupt_with_their_own_groups, struct device *dev, bench_new("full")) {
    memory_declare(dev->memory[SPACE_PRIMARY], 0, 0x2000);
    program_and_arm(dev, 0);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    clear_interrupts(dev);
    const struct pooling p = {.width = 4,
                              .height = 4,
                              .channels = 32,
                              .out_width = 2,
                              .out_height = 2,
                              .method = 1,
                              .kernel_width = 2,
                              .kernel_height = 2,
                              .stride_width = 2,
                              .stride_height = 2,
                              .destination = 0x1000,
                              .destination_line = 64,
                              .destination_surface = 128,
                              .on_the_fly = 1};
    memory_fill(dev->memory[SPACE_PRIMARY], 0, 512, 1);
    pdp_program(dev, &p);
    sdp_group(dev, 1);
    sdp_copy(dev, 4, 4, 32, 0, 0x800);
    put(dev, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, SDP_D_FEATURE_MODE_CFG__OUTPUT_DST_MASK);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_IDLE); /* PDP does not take it yet */
    put(dev, NVDLA_PDP, PDP_D_OP_ENABLE, 1);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 1 << 1 | 1 << 4);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_D_STATUS), 0); /* though no byte is zero: 50-sdp section 9 */
}

/* 50-sdp section 10, 62-cdp section 9, 40-convolution-core section 9.7. */
TEST(counters_saturate_in_the_group_that_ends) {
    struct register_group cacc;
    register_group_init(&cacc, nvdla_config_find("full"), NVDLA_CACC);
    for (unsigned group = 0; group < 2; group++) {
        register_group_write(&cacc, CACC_S_POINTER, group);
        register_group_write(&cacc, CACC_D_OP_ENABLE, 1);
        assert_int_equal(register_group_read(&cacc, CACC_D_OUT_SATURATION), 0);
        register_group_load(&cacc, CACC_D_OUT_SATURATION, UINT32_MAX - UINT64_C(1) + group * UINT64_C(3));
        register_group_done(&cacc);
    }
    assert_int_equal(register_group_read(&cacc, CACC_D_OUT_SATURATION), UINT32_MAX);
    register_group_write(&cacc, CACC_S_POINTER, 0);
    assert_int_equal(register_group_read(&cacc, CACC_D_OUT_SATURATION), UINT32_MAX - 1);
    register_group_free(&cacc);
}

/* ---- wild registers ---- */

TEST_ON(layers_too_large_are_reported_once, struct device *dev, bench_new("small")) {
    sdp_copy(dev, 8192, 8192, 8192, 0, 0);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_IDLE);
    assert_int_equal(advance(dev), DEVICE_IDLE);
    assert_int_equal(dev->finding_count, 1);
    assert_string_equal(dev->findings[0].rule, "layer-size");
}

/* 70000 lines of one atom: next to each other they are few runs, with gaps they are as many runs. */
TEST_ON(layers_that_flood_the_memory_are_cut, struct device *dev, bench_new("small")) {
    sdp_copy(dev, 1, 7000, 80, 0, 0);
    put(dev, NVDLA_SDP, SDP_D_DST_LINE_STRIDE, 8);
    put(dev, NVDLA_SDP, SDP_D_DST_SURFACE_STRIDE, 0);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    clear_interrupts(dev);
    for (size_t i = 0; i < dev->finding_count; i++)
        assert_string_not_equal(dev->findings[i].rule, "region-flood"); /* pages are gathered: few runs */
    sdp_group(dev, 1);
    sdp_copy(dev, 1, 7000, 80, 0, 0);
    put(dev, NVDLA_SDP, SDP_D_DST_LINE_STRIDE, 16);
    put(dev, NVDLA_SDP, SDP_D_DST_SURFACE_STRIDE, 0);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_string_equal(dev->findings[dev->finding_count - 1].rule, "region-flood");
}

static bool refused; /* the program of the device at hand; nothing more is written to it */

static void write_wild(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    struct device *dev = context;
    struct error err = {.text = ""};
    if (!refused && !dev->ops->csb_write(dev, nvdla_unit_base(dev->config, unit) + offset, value, false, &err)) {
        assert_int_equal(err.kind, ERROR_REFUSED);
        refused = true;
    }
}

/* Changes a register of any unit that has layers: a random value, one bit, or a small number. */
static void change_register(struct device *dev, uint64_t *seed) {
    const struct nvdla_register_map *map = &nvdla_register_maps[dev->config->map];
    const struct nvdla_register *reg = &map->registers[below(seed, (uint32_t)map->count)];
    if (!(dev->units >> reg->unit & 1) || reg->unit < NVDLA_MCIF || is(reg, "D_OP_ENABLE"))
        return;
    uint32_t value = read_register(dev, reg), kind = below(seed, 4);
    value = kind == 0 ? rnd(seed) : kind == 1 ? below(seed, 64) : value ^ UINT32_C(1) << below(seed, 32);
    write_wild(dev, reg->unit, reg->address - nvdla_unit_base(dev->config, reg->unit), value);
}

/* True if a unit has a layer that its turn has come for. */
static bool anything_runs(struct device *dev) {
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        if (!(dev->units >> unit & 1) || !nvdla_register_find(dev->config, unit, "D_OP_ENABLE"))
            continue;
        uint32_t status = get(dev, unit, SDP_S_STATUS);
        if ((status & 3) == 1 || (status >> 16 & 3) == 1)
            return true;
    }
    return false;
}

/* Legal layers of all kinds, two in a row, with a few registers changed: the model ends, and whatever hangs is
 * explained. */
static void wild_changes(const char *config, uint64_t seed, int rounds) {
    struct error err = {.text = ""};
    int finished = 0;
    for (int i = 0; i < rounds; i++) {
        struct model_options options = {.allow_outside = true,
                                        .allow_undefined = i % 2,
                                        .limits = {.atoms = 1 << 14, .products = 1 << 22, .elements = 1 << 18}};
        struct device *dev = model_new(nvdla_config_find(config), &options);
        assert_true(dev->ops->reset(dev, &err));
        struct legal_sink sink = {write_wild, dev};
        memory_declare(dev->memory[SPACE_PRIMARY], 0, LEGAL_MEMORY);
        enum device_state last = DEVICE_IDLE;
        refused = false;
        for (int turn = 0; turn < 2; turn++) {
            const int layer = (int)below(&seed, LEGAL_LAYERS);
            if (!legal_layer_exists(dev->config, layer))
                continue;
            legal_layer(dev->config, layer, sink);
            for (uint32_t changes = below(&seed, 4); changes > 0; changes--)
                change_register(dev, &seed);
            legal_layer_enable(dev->config, layer, sink);
            int steps = 0;
            do {
                assert_true(++steps < 20);
                last = refused ? DEVICE_FAILED : dev->ops->advance(dev, 1000, false, &err);
                refused = refused || (last == DEVICE_FAILED && err.kind == ERROR_REFUSED);
            } while (last == DEVICE_RUNNING);
        }
        assert_true(last == DEVICE_IDLE || refused);
        if (!refused && anything_runs(dev)) {
            dev->ops->explain(dev);
            assert_true(dev->warning_count + dev->finding_count > 0);
        }
        finished += !refused && !anything_runs(dev);
        dev->ops->destroy(dev);
    }
    assert_true(finished > rounds / 4);
}

TEST(wild_changes_of_small) {
    wild_changes("small", 1, (int)seeds_of(1000));
}

TEST(wild_changes_of_large) {
    wild_changes("large", 2, (int)seeds_of(500));
}

TEST(wild_changes_of_full) {
    wild_changes("full", 3, (int)seeds_of(3000));
}
