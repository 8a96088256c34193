/* The model as a device: the cases of model.txt, registers of every implemented unit, and legal layers with wild
 * changes.
 */
#include "model_steps.h"

#include "model/register_group.h"
#include "tests/lut_tables.h"
#include "tests/unit/test.h"
#include "tests/vectors.h"

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

/* ---- cases of model.txt ---- */

static void *begin(const char *title) {
    refused = false;
    return bench_with(title_config(title)->name, strstr(title, " lenient,") != NULL);
}

/* Compares an output of 256 bytes with the row of a layer: 0xee follows it. */
static void compare_row(struct device *dev, const char *layer) {
    int found = 0;
    for (struct vectors v = vectors_of("sdp", "layer"); vectors_next(&v);) {
        const char *hex = v.cell[1];
        if (strcmp(v.cell[0], layer) != 0)
            continue;
        for (size_t i = 0; i < 256; i++, hex += *hex ? 2 : 0) {
            const char digits[3] = {hex[0], hex[0] ? hex[1] : '\0'};
            assert_true(vectors_equal(&v, byte_at(dev, LEGAL_DESTINATION + i), *hex ? strtol(digits, NULL, 16) : 0xee));
        }
        found++;
    }
    assert_int_equal(found, 1);
}

/* Steps of this file besides: tables UNIT KIND, row LAYER. */
static bool act(void *context, const struct step *step, FILE *found) {
    struct lut_entries entries;
    if (step_is(step, "tables")) {
        lut_tables(step->word[2], (uint16_t *)entries.le, (uint16_t *)entries.lo);
        load_tables(context, nvdla_unit_find(step->word[1]), entries.le, entries.lo);
    } else if (step_is(step, "row"))
        compare_row(context, step->word[1]);
    else
        return model_step(context, step, found);
    return true;
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/model.txt", &(struct steps_player){begin, act});
}

/* 50-sdp section 7: legal ones, 16-bit types reinterpreted, and what was measured or is not defined. */
TEST(precisions_that_finish) {
    for (uint32_t code = 0; code < 64; code++) {
        const uint32_t in = code & 3, proc = code >> 2 & 3, out = code >> 4;
        const bool known = in < 3 && proc < 3 && out < 3;
        const bool finishes = known && (proc == NVDLA_INT8 ? in != NVDLA_FP16 : in != NVDLA_INT8 && out != NVDLA_INT8);
        struct device *dev = bench_lenient("full");
        const struct legal_sink sink = {try_write, dev};
        refused = false;
        legal_lines(dev->config, legal_named("sdp", 3), false, sink);
        put(dev, NVDLA_SDP, SDP_D_DATA_FORMAT, proc | out << 2);
        put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG, in << 2 | proc << 4 | out << 6);
        sdp_arm(dev);
        assert_int_equal(advance(dev), finishes ? DEVICE_INTERRUPT : DEVICE_IDLE);
    }
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

/* Changes a register of any unit that has layers: a random value, one bit, or a small number. */
static void change_register(struct device *dev, uint64_t *seed) {
    const struct nvdla_register_map *map = &nvdla_register_maps[dev->config->map];
    const struct nvdla_register *reg = &map->registers[below(seed, (uint32_t)map->count)];
    if (!(dev->units >> reg->unit & 1) || reg->unit < NVDLA_MCIF || is(reg, "D_OP_ENABLE"))
        return;
    uint32_t value = read_register(dev, reg), kind = below(seed, 4);
    value = kind == 0 ? rnd(seed) : kind == 1 ? below(seed, 64) : value ^ UINT32_C(1) << below(seed, 32);
    try_write(dev, reg->unit, reg->address - nvdla_unit_base(dev->config, reg->unit), value);
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
        struct legal_sink sink = {try_write, dev};
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
