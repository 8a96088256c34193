/* SDP of the INT8 configurations in the model: counters, memories and operands that no one takes. Its arithmetic is
 * tested in test_sdp_arithmetic.c, configuration full in test_sdp_full.c; random layers are compared by tests/naive,
 * and programs that hang are rows of rules.tsv. */
#include "model_bench.h"
#include "tests/unit/test.h"

enum { REGION = 0x10000, SOURCE = 0x100000, DESTINATION = 0x200000 };

TEST_ON(written_bytes_know_their_layer, struct device *dev, bench_new("small")) {
    uint64_t seed = 7;
    random_region(dev, &seed, SOURCE, REGION);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    for (int layer = 0; layer < 2; layer++) {
        sdp_group(dev, (uint32_t)layer);
        sdp_copy(dev, 4, 3, 16, SOURCE, DESTINATION + 0x1000 * (uint32_t)layer);
        sdp_arm(dev);
        assert_int_equal(advance(dev), DEVICE_INTERRUPT);
        clear_interrupts(dev);
    }
    struct memory_origin origin;
    assert_true(memory_origin_of(dev->memory[SPACE_PRIMARY], DESTINATION + 0x1000, &origin));
    assert_int_equal(origin.unit, NVDLA_SDP);
    assert_int_equal(origin.axi_id, 1);
    assert_int_equal(origin.ordinal, 1);
    struct device_statistics statistics;
    dev->ops->statistics(dev, &statistics);
    assert_int_equal(statistics.read_beats[1], 2 * 24);
    assert_int_equal(statistics.write_beats[1], 2 * 24);
}

/* PERF_SAT_EN = 0 reports the count of the last layer that counted; arming clears the register. */
TEST_ON(saturation_count_goes_stale, struct device *dev, bench_new("small")) {
    uint64_t seed = 9;
    random_region(dev, &seed, SOURCE, REGION);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    memory_fill(dev->memory[SPACE_PRIMARY], SOURCE, 64, 100);
    const struct {
        uint32_t enable, scale, expected;
    } layers[] = {{0, 30000, 0}, {4, 30000, 64}, {0, 1, 64}, {0, 30000, 64}, {4, 1, 0}, {0, 30000, 0}};
    for (uint32_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        sdp_group(dev, i & 1);
        sdp_copy(dev, 4, 2, 8, SOURCE, DESTINATION);
        put(dev, NVDLA_SDP, SDP_D_CVT_SCALE, layers[i].scale);
        put(dev, NVDLA_SDP, SDP_D_PERF_ENABLE, layers[i].enable);
        sdp_arm(dev);
        assert_int_equal(get(dev, NVDLA_SDP, SDP_D_PERF_OUT_SATURATION), 0);
        assert_int_equal(advance(dev), DEVICE_INTERRUPT);
        clear_interrupts(dev);
        assert_int_equal(get(dev, NVDLA_SDP, SDP_D_PERF_OUT_SATURATION), layers[i].expected);
    }
}

TEST_ON(unequal_tells_whether_any_byte_was_written_non_zero, struct device *dev, bench_new("small")) {
    memory_declare(dev->memory[SPACE_PRIMARY], 0, 0x1000);
    sdp_copy(dev, 4, 2, 3, 0, 0x800);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_D_STATUS), 0);
    clear_interrupts(dev);
    memory_fill(dev->memory[SPACE_PRIMARY], 63, 1, 1); /* a pad lane */
    sdp_group(dev, 1);
    sdp_copy(dev, 4, 2, 3, 0, 0x800);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_D_STATUS), 1);
}

/* Section 9, small: nothing is written, the convertor passes, UNEQUAL looks at the bytes. */
TEST_ON(compare_setting_writes_nothing, struct device *dev, bench_new("small")) {
    uint64_t seed = 9;
    random_region(dev, &seed, SOURCE, REGION);
    sdp_copy(dev, 4, 2, 8, SOURCE, DESTINATION);
    PUT(dev, NVDLA_SDP, {SDP_D_DP_EW_CFG, 3 << 2}, {SDP_D_CVT_SCALE, 0}, {SDP_D_DST_DMA_CFG, 0},
        {SDP_D_PERF_ENABLE, 4});
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_D_STATUS), 1);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_D_PERF_OUT_SATURATION), 0);
    assert_false(memory_origin_of(dev->memory[SPACE_PRIMARY], DESTINATION, NULL));
    assert_int_equal(dev->finding_count, 0);
}

TEST_ON(accesses_outside_regions_are_found, struct device *dev, bench_new("small")) {
    memory_declare(dev->memory[SPACE_PRIMARY], SOURCE, 4 * 8 - 7); /* one byte of the last atom of the first line */
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, 4 * 8 * 2 - 1);
    sdp_copy(dev, 4, 2, 8, SOURCE, DESTINATION);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    size_t reads = 0, writes = 0;
    for (size_t i = 0; i < dev->finding_count; i++) {
        reads += strcmp(dev->findings[i].rule, "region-read") == 0;
        writes += strcmp(dev->findings[i].rule, "region-write") == 0;
    }
    assert_int_equal(reads, 2); /* of four atoms: the first ones of a client are enough */
    assert_int_equal(writes, 1);
    assert_non_null(strstr(dev->findings[0].text, "SDP_RDMA launch 0 reads 8 bytes at 0x100020 on the primary port "
                                                  "(AXI ID 1), outside every declared or loaded region"));
    assert_non_null(strstr(dev->findings[2].text, "writes 8 bytes at 0x200038 on the primary port"));
    struct device_statistics statistics;
    dev->ops->statistics(dev, &statistics);
    assert_int_equal(statistics.outside, 5); /* the second line, and the last atom written */
}

TEST(accesses_outside_regions_that_are_allowed_are_counted) {
    struct error err = {.text = ""};
    struct model_options options = {.allow_outside = true};
    struct device *dev = bench_keep(model_new(nvdla_config_find("small"), &options));
    assert_true(dev->ops->reset(dev, &err));
    memory_declare(dev->memory[SPACE_PRIMARY], SOURCE, 4 * 8);
    sdp_copy(dev, 4, 2, 8, SOURCE, DESTINATION);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(dev->finding_count, 0);
    assert_int_equal(dev->findings_dropped, 0);
    struct device_statistics statistics;
    dev->ops->statistics(dev, &statistics);
    assert_int_equal(statistics.outside, 4 + 8);
    assert_true(dev->ops->reset(dev, &err));
    dev->ops->statistics(dev, &statistics);
    assert_int_equal(statistics.outside, 0);
}

TEST_ON(addresses_wrap_at_the_end_of_the_space, struct device *dev, bench_new("small")) {
    struct memory *mem = dev->memory[SPACE_PRIMARY];
    memory_declare(mem, 0, 0x1000);
    memory_declare(mem, 0xfffff000, 0x1000);
    memory_fill(mem, 0xfffffff8, 8, 5);
    memory_fill(mem, 0, 8, 6);
    sdp_copy(dev, 2, 1, 8, 0xfffffff8, 0x800);
    put(dev, NVDLA_SDP, SDP_D_DST_BASE_ADDR_HIGH, 7); /* stored, without effect in 32-bit configurations */
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(byte_at(dev, 0x800), 5);
    assert_int_equal(byte_at(dev, 0x808), 6);
    assert_int_equal(dev->finding_count, 0);
}

TEST_ON(high_address_counts_in_64_bit_configurations, struct device *dev, bench_new("large")) {
    struct memory *mem = dev->memory[SPACE_PRIMARY];
    memory_declare(mem, UINT64_C(0x300001000), 0x1000);
    memory_fill(mem, UINT64_C(0x300001000), 32, 9);
    sdp_copy(dev, 1, 1, 32, 0x1000, 0x1800);
    put(dev, NVDLA_SDP, SDP_D_DST_BASE_ADDR_HIGH, 3);
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_SRC_BASE_ADDR_HIGH, 3);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(byte_at(dev, UINT64_C(0x300001800)), 9);
    assert_int_equal(dev->finding_count, 0);
}

TEST_ON(secondary_memory_is_another_memory, struct device *dev, bench_new("large")) {
    memory_declare(dev->memory[SPACE_SECONDARY], 0x1000, 64);
    memory_declare(dev->memory[SPACE_PRIMARY], 0x1000, 64);
    memory_fill(dev->memory[SPACE_SECONDARY], 0x1000, 32, 9);
    sdp_copy(dev, 1, 1, 32, 0x1000, 0x1020);
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_SRC_DMA_CFG, 0);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(byte_at(dev, 0x1020), 9);
}

/* ---- programs that hang ---- */

TEST_ON(weight_0_only_delays, struct device *dev, bench_new("small")) {
    memory_declare(dev->memory[SPACE_PRIMARY], 0, 0x1000);
    put(dev, NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_0, 0);
    sdp_copy(dev, 4, 2, 8, 0, 0x800);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_IDLE);
    put(dev, NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_0, 0x0100);
    assert_false(dev->ops->at_rest(dev));
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
}

/* Operands that are not taken: SDP finishes, SDP_RDMA does not, and the next layer waits for it in vain. */
TEST_ON(operands_left_over_block_the_next_layer, struct device *dev, bench_new("small")) {
    memory_declare(dev->memory[SPACE_PRIMARY], 0, 0x1000);
    sdp_copy(dev, 4, 2, 8, 0, 0x800);
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_BRDMA_CFG, 0x20);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    clear_interrupts(dev);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_S_STATUS), 0);
    assert_int_equal(get(dev, NVDLA_SDP_RDMA, SDP_RDMA_S_STATUS), 1);
    sdp_group(dev, 1);
    sdp_copy(dev, 4, 2, 8, 0, 0x800);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_IDLE);
}

TEST_ON(rdma_with_nothing_to_read_is_done_at_once, struct device *dev, bench_new("small")) {
    sdp_copy(dev, 4, 2, 8, 0, 0x800);
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG, 1);
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_OP_ENABLE, 1);
    assert_false(dev->ops->at_rest(dev));
    assert_int_equal(advance(dev), DEVICE_RUNNING);
    assert_int_equal(get(dev, NVDLA_SDP_RDMA, SDP_RDMA_S_STATUS), 0);
    assert_int_equal(get(dev, NVDLA_SDP_RDMA, SDP_RDMA_S_POINTER), 0x10000);
    assert_int_equal(advance(dev), DEVICE_IDLE);
}
