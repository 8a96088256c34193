/* The table of memory clients against chapter 70 section 3. */

#include "nvdla/clients.h"
#include "nvdla/registers.h"
#include "nvdla_offsets.h"
#include "tests/unit/test.h"

TEST(ids_of_configurations) {
    static const struct {
        const char *config;
        uint32_t reads, writes;
    } rows[] = {{"full", 0x3ff, 0x1f}, {"small", 0x36e, 0xe}, {"small_256_full", 0x3ee, 0xe}, {"large", 0x3ee, 0xe}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct nvdla_config *config = nvdla_config_find(rows[i].config);
        assert_non_null(config);
        assert_int_equal(nvdla_client_ids(config, false), rows[i].reads);
        assert_int_equal(nvdla_client_ids(config, true), rows[i].writes);
    }
}

TEST(names_and_ids) {
    for (int i = 0; i < NVDLA_CLIENT_COUNT; i++) {
        const struct nvdla_client_facts *facts = &nvdla_clients[i];
        assert_int_equal(nvdla_client_find(facts->id, facts->write), i);
        assert_string_equal(nvdla_client_name(facts->id, facts->write), facts->name);
    }
    assert_string_equal(nvdla_client_name(7, false), "SDP_E");
    assert_string_equal(nvdla_client_name(7, true), "ID7");
    assert_string_equal(nvdla_client_name(12, false), "ID12");
    assert_int_equal(nvdla_client_find(9, true), NVDLA_CLIENT_COUNT);
    assert_int_equal(nvdla_client_find(-1, false), NVDLA_CLIENT_COUNT);
}

/* Fields of configurations that have the client: a bit for the memory, 8 bits for the weight. */
TEST(fields) {
    for (int c = 0; c < nvdla_config_count; c++) {
        const struct nvdla_config *config = &nvdla_configs[c];
        for (int i = 0; i < NVDLA_CLIENT_COUNT; i++) {
            const struct nvdla_client_facts *facts = &nvdla_clients[i];
            if (!nvdla_client_exists(config, (enum nvdla_client)i))
                continue;
            const struct nvdla_register *ram =
                nvdla_register_at(config, nvdla_unit_base(config, facts->unit) + facts->ram_register);
            const struct nvdla_register *weight =
                nvdla_register_at(config, nvdla_unit_base(config, NVDLA_MCIF) + facts->weight_register);
            assert_non_null(ram);
            assert_non_null(weight);
            assert_true(facts->ram_mask != 0 && (facts->ram_mask & (facts->ram_mask - 1)) == 0);
            assert_int_equal(facts->weight_lsb % 8, 0);
        }
    }
    assert_int_equal(nvdla_clients[NVDLA_READ_CDMA_DAT].weight_register, MCIF_CFG_RD_WEIGHT_1);
    assert_int_equal(nvdla_clients[NVDLA_READ_CDMA_DAT].weight_lsb, 24);
    assert_int_equal(nvdla_clients[NVDLA_WRITE_RUBIK].unit, NVDLA_RBK);
}
