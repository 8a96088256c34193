/* The register map as data, configurations and errors. Expected values: chapter 10 sections 1, 4.3, 6, 7. */
#include "nvdla/config.h"
#include "nvdla/error.h"
#include "nvdla/registers.h"
#include "nvdla_offsets.h"
#include "tests/unit/test.h"

static const struct nvdla_config *config(const char *name) {
    const struct nvdla_config *found = nvdla_config_find(name);
    assert_non_null(found);
    return found;
}

TEST(every_configuration_is_found_by_name) {
    static const char *const names[] = {
        "full", "small", "small_256", "small_256_full", "medium_512", "medium_1024_full", "large", "large_compressed"};
    assert_int_equal(nvdla_config_count, 8);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_string_equal(config(names[i])->name, names[i]);
    assert_null(nvdla_config_find("tiny"));
    assert_null(nvdla_config_find(""));
    assert_int_equal(config("full")->mem_atom, 32);
    assert_int_equal(config("small")->mem_atom, 8);
    assert_int_equal(config("medium_512")->mem_atom, 16);
    assert_int_equal(config("small")->addr_bits, 32);
    assert_int_equal(config("large")->addr_bits, 64);
}

TEST(windows_are_those_of_the_two_maps) {
    static const struct {
        enum nvdla_unit unit;
        uint32_t full, small;
    } bases[] = {
        {NVDLA_GLB, 0x00000, 0x01000},      {NVDLA_MCIF, 0x02000, 0x02000},     {NVDLA_CDMA, 0x05000, 0x03000},
        {NVDLA_CSC, 0x06000, 0x04000},      {NVDLA_CMAC_A, 0x07000, 0x05000},   {NVDLA_CMAC_B, 0x08000, 0x06000},
        {NVDLA_CACC, 0x09000, 0x07000},     {NVDLA_SDP_RDMA, 0x0a000, 0x08000}, {NVDLA_SDP, 0x0b000, 0x09000},
        {NVDLA_PDP_RDMA, 0x0c000, 0x0a000}, {NVDLA_PDP, 0x0d000, 0x0b000},      {NVDLA_CDP_RDMA, 0x0e000, 0x0c000},
        {NVDLA_CDP, 0x0f000, 0x0d000},
    };
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        assert_int_equal(nvdla_unit_base(config("full"), bases[i].unit), bases[i].full);
        assert_int_equal(nvdla_unit_base(config("small"), bases[i].unit), bases[i].small);
        assert_int_equal(nvdla_unit_at(config("full"), bases[i].full + 0xffc), bases[i].unit);
        assert_int_equal(nvdla_unit_at(config("small"), bases[i].small), bases[i].unit);
    }
    assert_int_equal(nvdla_unit_base(config("full"), NVDLA_BDMA), 0x04000);
    assert_int_equal(nvdla_unit_base(config("full"), NVDLA_RBK), 0x10000);
    assert_int_equal(nvdla_unit_base(config("large"), NVDLA_CVIF), 0x0f000);
    assert_int_equal(nvdla_unit_base(config("full"), NVDLA_CVIF), 0x03000);
    assert_int_equal(nvdla_unit_at(config("small"), 0x00000), NVDLA_CFGROM);
}

TEST(what_a_configuration_has) {
    static const char *const with_table[] = {"small_256_full", "medium_1024_full", "large", "large_compressed"};
    for (size_t i = 0; i < sizeof with_table / sizeof with_table[0]; i++)
        assert_true(nvdla_has(config(with_table[i]), FEATURE_EW) && nvdla_has(config(with_table[i]), FEATURE_SDP_LUT));
    assert_false(nvdla_has(config("medium_512"), FEATURE_EW) || nvdla_has(config("small_256"), FEATURE_SDP_LUT));
    for (enum nvdla_feature f = 0; f < FEATURE_COUNT; f++) {
        assert_true(nvdla_has(config("full"), f));
        assert_int_equal(nvdla_has(config("small"), f),
                         f == FEATURE_BS || f == FEATURE_BN || f == FEATURE_PDP || f == FEATURE_CDP);
    }
    assert_true(nvdla_has(config("large"), FEATURE_SECONDARY_MEMORY));
    assert_true(nvdla_has(config("large_compressed"), FEATURE_COMPRESSION));
}

TEST(windows_of_absent_units_are_not_decoded) {
    assert_false(nvdla_has_unit(config("small"), NVDLA_CVIF));
    assert_false(nvdla_has_unit(config("medium_512"), NVDLA_CVIF));
    assert_true(nvdla_has_unit(config("small_256_full"), NVDLA_CVIF));
    assert_true(nvdla_has_unit(config("large"), NVDLA_CVIF));
    assert_true(nvdla_has_unit(config("full"), NVDLA_CVIF));
    assert_false(nvdla_has_unit(config("full"), NVDLA_CFGROM));
    assert_true(nvdla_has_unit(config("full"), NVDLA_BDMA));
    assert_true(nvdla_has_unit(config("full"), NVDLA_RBK));
    assert_false(nvdla_has_unit(config("large"), NVDLA_BDMA));
    assert_false(nvdla_has_unit(config("large"), NVDLA_RBK));
    assert_false(nvdla_has_unit(config("full"), NVDLA_UNIT_COUNT));
    assert_int_equal(nvdla_unit_at(config("full"), 0x01000),
                     NVDLA_UNIT_COUNT); /* the window of GEC, which is not a unit */
    assert_int_equal(nvdla_unit_at(config("small"), 0x0e000), NVDLA_UNIT_COUNT);
    assert_int_equal(nvdla_unit_at(config("small"), 0x0f000), NVDLA_UNIT_COUNT);
    assert_int_equal(nvdla_unit_at(config("large"), 0x0f000), NVDLA_CVIF);
    assert_int_equal(nvdla_unit_at(config("small"), 0x3f000), NVDLA_UNIT_COUNT);
    assert_int_equal(nvdla_unit_at(config("small"), 0xffff000), NVDLA_UNIT_COUNT);
    assert_null(nvdla_register_at(config("small"), 0x0f000));
    assert_non_null(nvdla_register_at(config("large"), 0x0f000));
    assert_null(nvdla_register_find(config("small"), NVDLA_CVIF, "CFG_RD_WEIGHT_0"));
    assert_non_null(nvdla_register_find(config("large"), NVDLA_CVIF, "CFG_RD_WEIGHT_0"));
}

TEST(every_register_is_found_at_its_address_and_by_name) {
    for (int c = 0; c < nvdla_config_count; c++) {
        const struct nvdla_config *cfg = &nvdla_configs[c];
        const struct nvdla_register_map *map = &nvdla_register_maps[cfg->map];
        size_t found = 0;
        for (uint32_t address = 0; address < 0x40000; address += 4) {
            const struct nvdla_register *reg = nvdla_register_at(cfg, address);
            if (!reg)
                continue;
            found++;
            assert_int_equal(reg->address, address);
            assert_int_equal(nvdla_unit_at(cfg, address), reg->unit);
            assert_ptr_equal(nvdla_register_find(cfg, reg->unit, reg->name), reg);
            assert_int_equal(reg->grouped, strncmp(reg->name, "D_", 2) == 0);
        }
        size_t expected = 0;
        for (size_t i = 0; i < map->count; i++) {
            assert_true(i == 0 || map->registers[i - 1].address < map->registers[i].address);
            expected += nvdla_has_unit(cfg, map->registers[i].unit);
        }
        assert_int_equal(found, expected);
    }
    assert_int_equal(nvdla_register_maps[NVDLA_MAP_FULL].count, 395);
    assert_null(nvdla_register_at(config("small"), 0x09000 + 0xffc));
    assert_null(nvdla_register_at(config("small"), 0x09001));
    assert_null(nvdla_register_at(config("small"), UINT32_MAX));
}

TEST(resets_and_stored_bits_are_those_of_the_chapters) {
    static const struct {
        const char *config;
        enum nvdla_unit unit;
        const char *name;
        uint32_t reset, stored;
    } rows[] = {
        {"full", NVDLA_GLB, "S_NVDLA_HW_VERSION", 0x00303031, 0},
        {"small", NVDLA_GLB, "S_INTR_MASK", 0, 0x003f03ff},
        {"small", NVDLA_CFGROM, "CFGROM_HW_VERSION", 0x00010001, 0},
        {"full", NVDLA_BDMA, "STATUS", 0x00000114, 0},
        {"small", NVDLA_SDP_RDMA, "D_FEATURE_MODE_CFG", 0x14, 0x1fff},
        {"full", NVDLA_SDP_RDMA, "D_FEATURE_MODE_CFG", 0x14, 0x1fff},
        {"small", NVDLA_SDP, "D_DP_BS_CFG", 0x73, 0x7f},
        {"small", NVDLA_SDP, "D_DP_BN_CFG", 0x53, 0x7f},
        {"small", NVDLA_SDP, "D_DP_EW_CFG", 0x53, 0x7f},
        {"full", NVDLA_SDP, "D_DP_BS_CFG", 0, 0x7f},
        {"small", NVDLA_SDP, "D_DST_LINE_STRIDE", 0, 0xffffffff},
        {"full", NVDLA_SDP, "D_DST_LINE_STRIDE", 0, 0xffffffe0},
        {"small", NVDLA_SDP, "S_POINTER", 0, 0x1},
        {"small", NVDLA_SDP, "D_OP_ENABLE", 0, 0},
        {"full", NVDLA_PDP, "D_POOLING_KERNEL_CFG", 0, 0x00ff0f0f},
        {"small", NVDLA_PDP, "D_PARTIAL_WIDTH_IN", 0, 0x3fffffff},
        {"small", NVDLA_MCIF, "CFG_OUTSTANDING_CNT", 0xffff, 0xffff},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct nvdla_register *reg = nvdla_register_find(config(rows[i].config), rows[i].unit, rows[i].name);
        assert_non_null(reg);
        assert_int_equal(reg->reset, rows[i].reset);
        assert_int_equal(reg->stored_mask, rows[i].stored);
    }
    const struct nvdla_register *enable = nvdla_register_find(config("small"), NVDLA_CDP, "D_OP_ENABLE");
    assert_int_equal(enable->address, 0x0d000 + CDP_D_OP_ENABLE);
    assert_int_equal(enable->fields[0].access, NVDLA_ACCESS_RW1S);
    assert_null(nvdla_register_find(config("small"), NVDLA_SDP, "D_OP_ENABL"));
}

TEST(units_are_found_in_any_case) {
    assert_int_equal(nvdla_unit_find("SDP_RDMA"), NVDLA_SDP_RDMA);
    assert_int_equal(nvdla_unit_find("sdp"), NVDLA_SDP);
    assert_int_equal(nvdla_unit_find("Cmac_A"), NVDLA_CMAC_A);
    assert_int_equal(nvdla_unit_find("RBK"), NVDLA_RBK);
    assert_int_equal(nvdla_unit_find("rubik"), NVDLA_RBK);
    assert_int_equal(nvdla_unit_find("SDP_"), NVDLA_UNIT_COUNT);
    assert_int_equal(nvdla_unit_find(""), NVDLA_UNIT_COUNT);
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        assert_int_equal(nvdla_unit_find(nvdla_unit_names[unit]), unit);
}

TEST(addresses_read_as_unit_and_register) {
    char text[64];
    assert_string_equal(nvdla_register_name(config("small"), 0x09048, text, sizeof text), "SDP.D_DST_BASE_ADDR_LOW");
    assert_string_equal(nvdla_register_name(config("full"), 0x09048, text, sizeof text), "0x09048");
    assert_string_equal(nvdla_register_name(config("full"), 0x0b048, text, sizeof text), "SDP.D_DST_BASE_ADDR_LOW");
    assert_string_equal(nvdla_register_name(config("small"), 0x3f000, text, sizeof text), "0x3f000");
    assert_string_equal(nvdla_register_name(config("small"), 0x09048, text, 6), "SDP.D");
}

TEST(values_are_decoded_field_by_field) {
    char text[256];
    const struct nvdla_config *small = config("small");
    const struct nvdla_register *mode = nvdla_register_find(small, NVDLA_PDP, "D_OPERATION_MODE_CFG");
    assert_string_equal(nvdla_register_decode(mode, 0x1f11, text, sizeof text),
                        "POOLING_METHOD=MAX FLYING_MODE=OFF_FLYING SPLIT_NUM=0x1f");
    assert_string_equal(nvdla_register_decode(mode, 0x0900, text, sizeof text),
                        "POOLING_METHOD=AVERAGE FLYING_MODE=ON_FLYING SPLIT_NUM=9");
    assert_string_equal(nvdla_register_decode(mode, 0x0a02, text, sizeof text),
                        "POOLING_METHOD=MIN FLYING_MODE=ON_FLYING SPLIT_NUM=0xa");
    /* 3 is no pooling method: the number stays */
    assert_string_equal(nvdla_register_decode(mode, 0x3, text, sizeof text),
                        "POOLING_METHOD=3 FLYING_MODE=ON_FLYING SPLIT_NUM=0");
    const struct nvdla_register *offset = nvdla_register_find(small, NVDLA_SDP, "D_CVT_OFFSET");
    assert_string_equal(nvdla_register_decode(offset, 0xffffffff, text, sizeof text), "CVT_OFFSET=0xffffffff");
    assert_string_equal(nvdla_register_decode(NULL, 1, text, sizeof text), "");
    /* cut, and nothing beyond the size touched */
    memset(text, 'x', sizeof text);
    assert_string_equal(nvdla_register_decode(mode, 0x1f11, text, 24), "POOLING_METHOD=MAX FLYI");
    assert_int_equal(text[24], 'x');
}

TEST(interrupt_names_have_the_bits_of_glb) {
    static const struct {
        const char *name;
        int bit;
    } rows[] = {{"SDP_0", 0},       {"SDP_1", 1},       {"CDP_0", 2},      {"CDP_1", 3},
                {"PDP_0", 4},       {"PDP_1", 5},       {"BDMA_0", 6},     {"BDMA_1", 7},
                {"RUBIK_0", 8},     {"RUBIK_1", 9},     {"CACC_0", 20},    {"CACC_1", 21},
                {"CDMA_DAT_0", 16}, {"CDMA_DAT_1", 17}, {"CDMA_WT_0", 18}, {"CDMA_WT_1", 19}};
    uint32_t named = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(nvdla_interrupt_bit(rows[i].name), rows[i].bit);
        assert_string_equal(nvdla_interrupt_name(rows[i].bit), rows[i].name);
        named |= 1u << rows[i].bit;
    }
    for (int bit = -1; bit < 33; bit++)
        if (bit < 0 || bit > 31 || !(named >> bit & 1))
            assert_null(nvdla_interrupt_name(bit));
    assert_int_equal(nvdla_interrupt_bit("cdma_wt_1"), 19);
    assert_int_equal(nvdla_interrupt_bit("Sdp_1"), 1);
    assert_int_equal(nvdla_interrupt_bit("SDP_2"), -1);
    assert_int_equal(nvdla_interrupt_bit("SDP"), -1);
    assert_int_equal(nvdla_interrupt_bit("CSC_0"), -1);
}

TEST(errors_keep_one_message_and_are_cut) {
    struct error err;
    assert_false(error_set(&err, "line %d: %s", 7, "bad"));
    assert_string_equal(err.text, "line 7: bad");
    assert_false(error_prefix(&err, "%s:", "file.txt"));
    assert_string_equal(err.text, "file.txt:line 7: bad");
    assert_false(error_set(&err, "again: %s", err.text));
    assert_string_equal(err.text, "again: file.txt:line 7: bad");
    assert_false(error_set(NULL, "not read %d", 1));
    assert_false(error_prefix(NULL, "not read %d", 1));
    char longer[3000];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    error_set(&err, "%s", longer);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    error_prefix(&err, "%s", "bb");
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_memory_equal(err.text, "bbaa", 4);
    error_prefix(&err, "%s", longer);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}
