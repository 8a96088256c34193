/* SDP of configuration full in the model: the layers of 50-sdp section 13.5, EW's table, counters, and what hangs.
 * Random layers are compared by tests/naive; programs that hang are rows of rules.tsv. */
#include "model_bench.h"

#include "model/sdp.h"
#include "tests/unit/test.h"
#include "tests/vectors.h"

enum { ATOM = 32 };
enum { SOURCE = 0x100000, DESTINATION = 0x200000, OPERANDS = 0x300000, REGION = 0x10000 };

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void set_precisions(struct device *dev, uint32_t in, uint32_t proc, uint32_t out) {
    put(dev, NVDLA_SDP, SDP_D_DATA_FORMAT, proc | out << 2);
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG, in << 2 | proc << 4 | out << 6);
}

static void fill_bytes(struct device *dev, uint64_t at, size_t n, uint8_t factor, uint8_t offset) {
    for (size_t i = 0; i < n; i++) {
        uint8_t byte = (uint8_t)(factor * i + offset);
        memory_write(dev->memory[SPACE_PRIMARY], at + i, &byte, 1, NULL, NULL);
    }
}

static void run_to_end(struct device *dev) {
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    clear_interrupts(dev);
    assert_int_equal(dev->finding_count, 0);
}

/* ---- section 13.5 ---- */

static struct device *vector_bench(void) {
    struct device *dev = bench_new("full");
    memory_declare(dev->memory[SPACE_PRIMARY], 0x1000, 0x3000);
    fill_bytes(dev, 0x1000, 256, 7, 3);
    fill_bytes(dev, 0x2000, 256, 5, 256 - 20);
    memory_fill(dev->memory[SPACE_PRIMARY], 0x3000, 256, 0xee);
    return dev;
}

/* Compares with the row of the layer; nothing is written behind it. */
static void check_dump(struct device *dev, const char *layer) {
    int found = 0;
    for (struct vectors v = vectors_of("sdp", "layer"); vectors_next(&v);) {
        if (strcmp(v.cell[0], layer) != 0)
            continue;
        const char *hex = v.cell[1];
        for (size_t i = 0; i < 256; i++, hex += *hex ? 2 : 0) {
            const char digits[3] = {hex[0], hex[0] ? hex[1] : '\0'};
            assert_true(vectors_equal(&v, byte_at(dev, 0x3000 + i), *hex ? strtol(digits, NULL, 16) : 0xee));
        }
        found++;
    }
    assert_int_equal(found, 1);
}

TEST_ON(operands_per_kernel, struct device *dev, vector_bench()) {
    sdp_copy(dev, 2, 1, 3, 0x1000, 0x3000);
    put(dev, NVDLA_SDP, SDP_D_DP_BS_CFG, 2 << 2 | 1 << 6); /* ALU sum, MUL, no ReLU */
    put(dev, NVDLA_SDP, SDP_D_DP_BS_ALU_CFG, 1);
    put(dev, NVDLA_SDP, SDP_D_DP_BS_MUL_CFG, 1 | 1 << 8);
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_BRDMA_CFG, 2 << 1 | 1 << 5); /* both, one byte, per kernel */
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_BS_BASE_ADDR_LOW, 0x2000);
    PUT(dev, NVDLA_SDP, {SDP_D_CVT_OFFSET, 1}, {SDP_D_CVT_SCALE, 3}, {SDP_D_CVT_SHIFT, 3}, {SDP_D_PERF_ENABLE, 4});
    run_to_end(dev);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_D_PERF_OUT_SATURATION), 0);
    check_dump(dev, "operands_per_kernel");
}

TEST_ON(int16_to_int8, struct device *dev, vector_bench()) {
    sdp_copy(dev, 2, 1, 18, 0x1000, 0x3000);
    set_precisions(dev, NVDLA_INT16, NVDLA_INT8, NVDLA_INT8);
    put(dev, NVDLA_SDP, SDP_D_CVT_SHIFT, 8);
    run_to_end(dev);
    check_dump(dev, "int16_to_int8");
}

/* C = 5 needs only the first surface, both are written. */
TEST_ON(int8_to_int16, struct device *dev, vector_bench()) {
    sdp_copy(dev, 1, 2, 5, 0x1000, 0x3000);
    set_precisions(dev, NVDLA_INT8, NVDLA_INT8, NVDLA_INT16);
    put(dev, NVDLA_SDP, SDP_D_CVT_OFFSET, UINT32_MAX);
    put(dev, NVDLA_SDP, SDP_D_CVT_SCALE, 100);
    run_to_end(dev);
    check_dump(dev, "int8_to_int16");
}

/* ---- precisions ---- */

/* Section 7: legal ones, 16-bit types reinterpreted, and what was measured or is not defined. */
TEST(precision_combinations) {
    for (uint32_t code = 0; code < 64; code++) {
        uint32_t in = code & 3, proc = code >> 2 & 3, out = code >> 4;
        bool known = in < 3 && proc < 3 && out < 3;
        bool finishes = known && (proc == NVDLA_INT8 ? in != NVDLA_FP16 : in != NVDLA_INT8 && out != NVDLA_INT8);
        struct device *dev = bench_new("full");
        memory_declare(dev->memory[SPACE_PRIMARY], 0, 0x10000);
        sdp_copy(dev, 4, 2, 40, 0x1000, 0x4000);
        set_precisions(dev, in, proc, out);
        sdp_arm(dev);
        assert_int_equal(advance(dev), finishes ? DEVICE_INTERRUPT : DEVICE_IDLE);
    }
}

/* ---- EW ---- */

static void load_table(struct device *dev) {
    put(dev, NVDLA_SDP, SDP_S_LUT_ACCESS_CFG, 0x20000);
    for (int k = 0; k < LUT_LE_ENTRIES; k++)
        put(dev, NVDLA_SDP, SDP_S_LUT_ACCESS_DATA, (uint16_t)(1000 * k - 32000));
    put(dev, NVDLA_SDP, SDP_S_LUT_ACCESS_CFG, 0x30000);
    for (int k = 0; k < LUT_LO_ENTRIES; k++)
        put(dev, NVDLA_SDP, SDP_S_LUT_ACCESS_DATA, (uint16_t)(k * k / 4 - 5000));
    /* Set A of 55-lut section 10.1. */
    PUT(dev, NVDLA_SDP, {SDP_S_LUT_CFG, 1 | 1 << 5}, {SDP_S_LUT_INFO, 5 << 8 | 8 << 16},
        {SDP_S_LUT_LE_START, (uint32_t)-1024}, {SDP_S_LUT_LE_END, 1024}, {SDP_S_LUT_LO_START, (uint32_t)-32768},
        {SDP_S_LUT_LO_END, 32768}, {SDP_S_LUT_LE_SLOPE_SCALE, 100 | (uint32_t)-100 << 16});
    put(dev, NVDLA_SDP, SDP_S_LUT_LE_SLOPE_SHIFT, 3 | (30 << 5)); /* 3, -2 */
    put(dev, NVDLA_SDP, SDP_S_LUT_LO_SLOPE_SCALE, 7 | 9 << 16);
    put(dev, NVDLA_SDP, SDP_S_LUT_LO_SLOPE_SHIFT, 4);
}

/* 16 INT16 elements through the table, its counters, and the counters of layers that do not count. */
TEST(table_layer_and_its_counters) {
    static const int16_t in[16] = {-1024, -1023, 0, 1, 33, 1023, 1024, 1025, -2000, 30000, 32767, -32767, -32768};
    static const int16_t expected[16] = {
        -1156, -31969, 0, 31, 1031, 31969, -644, -644, -1389, 10029, 11384, -5000, -32768 /* clamped */, 0, 0, 0};
    struct device *dev = bench_new("full");
    memory_declare(dev->memory[SPACE_PRIMARY], 0x1000, 0x1000);
    memory_write(dev->memory[SPACE_PRIMARY], 0x1000, in, sizeof in, NULL, NULL);
    load_table(dev);
    static const uint32_t counts[5] = {1, 0, 15, 8, 15}; /* UFLOW, OFLOW, HYBRID, LE_HIT, LO_HIT */
    static const uint32_t offsets[5] = {SDP_D_PERF_LUT_UFLOW, SDP_D_PERF_LUT_OFLOW, SDP_D_PERF_LUT_HYBRID,
                                        SDP_D_PERF_LUT_LE_HIT, SDP_D_PERF_LUT_LO_HIT};
    /* The table not counted, counted, left out and not counted, left out and counted. */
    for (uint32_t i = 0; i < 4; i++) {
        sdp_group(dev, i & 1);
        sdp_copy(dev, 1, 1, 16, 0x1000, 0x1800);
        set_precisions(dev, NVDLA_INT16, NVDLA_INT16, NVDLA_INT16);
        put(dev, NVDLA_SDP, SDP_D_DP_EW_CFG, i < 2 ? 0x12 : 1); /* neither ALU nor MUL */
        put(dev, NVDLA_SDP, SDP_D_PERF_ENABLE, (i & 1) << 1);
        run_to_end(dev);
        for (int k = 0; k < 5; k++)
            assert_int_equal(get(dev, NVDLA_SDP, offsets[k]), i == 1 || i == 2 ? counts[k] : 0);
        if (i < 2) {
            int16_t got[16];
            memory_read(dev->memory[SPACE_PRIMARY], 0x1800, got, sizeof got);
            assert_memory_equal(got, expected, sizeof got);
        }
    }
}

/* 55-lut section 3.1: both directions advance with every access, whatever the direction set; a write where reading is
 * chosen is dropped. The register shows what was written. */
TEST_ON(access_port, struct device *dev, bench_new("full")) {
    table_port(dev, NVDLA_SDP, "C20003 W12345 E0 W7 P20003 C3 E2345 W99 E7 C4 E0");
    table_port(dev, NVDLA_SDP, "C20040 Wffff Wfffe C40 Effff E0 C10000 E0"); /* beyond the table */
    table_port(dev, NVDLA_SDP, "C30100 W5 C10100 E5 C303ff W1 W2 C10000 E2");
}

static void program_compare(struct device *dev) {
    sdp_copy(dev, 4, 3, 40, SOURCE, DESTINATION);
    put(dev, NVDLA_SDP, SDP_D_DP_EW_CFG, 3 << 2 | 1 << 4 | 1 << 6); /* ALU equal */
    put(dev, NVDLA_SDP, SDP_D_DP_EW_ALU_CFG, 1 | 1 << 1);
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_ERDMA_CFG, 1 << 1 | 1 << 4 | 1 << 5); /* ALU, one byte, per element */
    PUT(dev, NVDLA_SDP_RDMA, {SDP_RDMA_D_EW_BASE_ADDR_LOW, OPERANDS}, {SDP_RDMA_D_EW_LINE_STRIDE, 4 * ATOM},
        {SDP_RDMA_D_EW_SURFACE_STRIDE, 12 * ATOM});
    put(dev, NVDLA_SDP, SDP_D_CVT_OFFSET, 70000); /* all elements flag, which counts; the result does not show it */
    put(dev, NVDLA_SDP, SDP_D_PERF_ENABLE, 4);
}

/* Section 9: the last pad lane tells equal from unequal. */
TEST_ON(compare_of_two_cubes, struct device *dev, bench_new("full")) {
    struct memory *mem = dev->memory[SPACE_PRIMARY];
    uint64_t seed = 5;
    random_region(dev, &seed, SOURCE, REGION);
    memory_declare(mem, OPERANDS, REGION);
    uint8_t cube[24 * ATOM];
    memory_read(mem, SOURCE, cube, sizeof cube);
    memory_write(mem, OPERANDS, cube, sizeof cube, NULL, NULL);
    for (uint32_t unequal = 0; unequal < 2; unequal++) {
        cube[sizeof cube - 1] ^= (uint8_t)unequal;
        memory_write(mem, OPERANDS, cube, sizeof cube, NULL, NULL);
        sdp_group(dev, unequal);
        program_compare(dev);
        run_to_end(dev);
        assert_int_equal(get(dev, NVDLA_SDP, SDP_D_STATUS), unequal);
        assert_int_equal(get(dev, NVDLA_SDP, SDP_D_PERF_OUT_SATURATION), sizeof cube);
        assert_false(memory_origin_of(mem, DESTINATION, NULL));
    }
    struct device_statistics statistics;
    dev->ops->statistics(dev, &statistics);
    assert_int_equal(statistics.read_beats[7], 2 * 12); /* two atoms a beat */
}

/* ---- counters of FP16 ---- */

TEST_ON(nan_and_infinity_counters, struct device *dev, bench_new("full")) {
    struct memory *mem = dev->memory[SPACE_PRIMARY];
    memory_declare(mem, 0x1000, 0x1000);
    static const uint16_t in[16] = {0x7e01, 0xfc01, 0x7c00, 0xfc00, 0x7fff, 0x3c00};
    memory_write(mem, 0x1000, in, sizeof in, NULL, NULL);
    const struct {
        uint32_t precision, enable, flush;
        uint32_t nan_in, inf_in, nan_out;
    } layers[] = {
        {NVDLA_FP16, 0, 0, 0, 0, 3}, /* never counted so far; the output is always counted */
        {NVDLA_FP16, 2, 0, 3, 2, 3},  {NVDLA_FP16, 2, 1, 3, 2, 0}, /* the input is counted before the filter */
        {NVDLA_INT16, 2, 0, 3, 2, 0},                              /* does not count: the numbers of the layer before */
        {NVDLA_FP16, 0, 1, 3, 2, 0},
    };
    for (uint32_t i = 0; i < COUNT(layers); i++) {
        sdp_group(dev, i & 1);
        sdp_copy(dev, 1, 1, 16, 0x1000, 0x1800);
        set_precisions(dev, layers[i].precision, layers[i].precision, layers[i].precision);
        put(dev, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, layers[i].flush << 3);
        put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_PERF_ENABLE, layers[i].enable);
        run_to_end(dev);
        assert_int_equal(get(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_STATUS_NAN_INPUT_NUM), layers[i].nan_in);
        assert_int_equal(get(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_STATUS_INF_INPUT_NUM), layers[i].inf_in);
        assert_int_equal(get(dev, NVDLA_SDP, SDP_D_STATUS_NAN_OUTPUT_NUM), layers[i].nan_out);
        assert_int_equal(get(dev, NVDLA_SDP, SDP_D_STATUS_NAN_INPUT_NUM), 0);
    }
}

/* ---- programs that hang ---- */

/* Section 4: what ERDMA fetches and no one takes keeps SDP_RDMA running. */
TEST_ON(operands_of_ew_left_over, struct device *dev, bench_new("full")) {
    memory_declare(dev->memory[SPACE_PRIMARY], 0, 0x1000);
    sdp_copy(dev, 4, 2, 8, 0, 0x800);
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_ERDMA_CFG, 0x22);
    run_to_end(dev);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_S_STATUS), 0);
    assert_int_equal(get(dev, NVDLA_SDP_RDMA, SDP_RDMA_S_STATUS), 1);
}
