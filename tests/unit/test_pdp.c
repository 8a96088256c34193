/* PDP of the model: the vectors of 60-pdp section 12, counters, and layers that wait. Random layers are compared by
 * tests/naive; programs that hang are rows of rules.tsv. */
#include "model_bench.h"

#include "model/pdp.h"
#include "tests/unit/test.h"
#include "tests/vectors.h"

enum { SOURCE = 0x100000, DESTINATION = 0x200000, REGION = 0x20000, MOST = 9 /* elements of a plane */ };

static struct device *plane_device(const char *config) {
    struct device *dev = bench_new(config);
    memory_declare(dev->memory[SPACE_PRIMARY], SOURCE, REGION);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    return dev;
}

/* Packed strides, the usual places. */
static void program(struct device *dev, struct pooling *p) {
    uint32_t atom = (uint32_t)dev->config->mem_atom;
    p->source = SOURCE;
    p->destination = DESTINATION;
    p->source_line = p->width * atom;
    p->source_surface = p->height * p->source_line;
    p->destination_line = p->out_width * atom;
    p->destination_surface = p->out_height * p->destination_line;
    pdp_program(dev, p);
}

static void run_pooling(struct device *dev, struct pooling *p) {
    program(dev, p);
    pdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev) & ~0x30u, 0);
    clear_interrupts(dev);
}

/* Software selects the group that the units use next. */
static void next_group(struct device *dev) {
    uint32_t group = get(dev, NVDLA_PDP, PDP_S_POINTER) >> 16;
    put(dev, NVDLA_PDP, PDP_S_POINTER, group);
    put(dev, NVDLA_PDP_RDMA, PDP_RDMA_S_POINTER, group);
}

/* One window of the size of the cube. */
static struct pooling whole(uint32_t size, uint32_t format, uint32_t method) {
    return (struct pooling){.width = size,
                            .height = size,
                            .channels = 1,
                            .out_width = 1,
                            .out_height = 1,
                            .kernel_width = size,
                            .kernel_height = size,
                            .stride_width = 1,
                            .stride_height = 1,
                            .method = method,
                            .format = format};
}

/* Puts the elements into lane 0 of an atom each, runs the layer, and compares lane 0 of the output with the row. */
static void check_plane(struct device *dev, struct pooling *p, const struct vectors *v, const int64_t *in,
                        const int64_t *out) {
    const uint32_t atom = (uint32_t)dev->config->mem_atom, bytes = p->format == NVDLA_INT8 ? 1 : 2;
    const uint64_t mask = bytes == 1 ? 0xff : 0xffff;
    for (uint32_t i = 0; i < p->width * p->height; i++) {
        const uint16_t element = (uint16_t)in[i];
        memory_write(dev->memory[SPACE_PRIMARY], SOURCE + i * atom, &element, bytes, NULL, NULL);
    }
    run_pooling(dev, p);
    for (uint32_t i = 0; i < p->out_width * p->out_height; i++) {
        uint16_t element = 0;
        memory_read(dev->memory[SPACE_PRIMARY], DESTINATION + i * atom, &element, bytes);
        assert_true(vectors_equal(v, element, (int64_t)((uint64_t)out[i] & mask)));
    }
    next_group(dev);
}

TEST_FOR(int8_averages_round_and_wrap, "small", "full") {
    struct device *dev = plane_device(*state);
    for (struct vectors v = vectors_of("pdp", "int8_average"); vectors_next(&v);) {
        struct pooling p = whole((uint32_t)v.number[0], NVDLA_INT8, PDP_AVERAGE);
        p.reciprocal_width = (uint32_t)v.number[1];
        p.reciprocal_height = (uint32_t)v.number[2];
        check_plane(dev, &p, &v, v.number + 4, v.number + 3);
    }
}

/* Section 5.3: a window of one column, one valid line and one line of vertical pad. The configurable generation reduces
 * both to 14 bits and keeps 15 of their sum and 31 of its product; full keeps 14 of the sum. */
TEST_FOR(int8_totals_wrap_by_generation, "small", "large", "full") {
    struct device *dev = plane_device(*state);
    for (struct vectors v = vectors_of("pdp", "int8_total"); vectors_next(&v);) {
        struct pooling p = whole(1, NVDLA_INT8, PDP_AVERAGE);
        p.kernel_height = 2;
        p.top = 1;
        p.pad[1] = (uint32_t)v.number[1] & 0x7ffff;
        p.reciprocal_width = (uint32_t)v.number[2];
        p.reciprocal_height = (uint32_t)v.number[3];
        const int64_t *out = &v.number[dev->config->map == NVDLA_MAP_FULL ? 5 : 4];
        check_plane(dev, &p, &v, v.number, out);
        p.top = 0;
        p.bottom = 1;
        check_plane(dev, &p, &v, v.number, out);
    }
}

TEST_ON(int16_averages_round_and_wrap, struct device *dev, plane_device("full")) {
    for (struct vectors v = vectors_of("pdp", "int16_average"); vectors_next(&v);) {
        struct pooling p = whole((uint32_t)v.number[0], NVDLA_INT16, PDP_AVERAGE);
        p.reciprocal_width = p.reciprocal_height = (uint32_t)v.number[1];
        check_plane(dev, &p, &v, v.number + 3, v.number + 2);
    }
}

TEST_ON(fp16_windows_keep_zeros_infinities_and_nans, struct device *dev, plane_device("full")) {
    for (struct vectors v = vectors_of("pdp", "fp16_windows"); vectors_next(&v);)
        for (uint32_t method = 0; method < 3; method++) {
            struct pooling p = whole(2, NVDLA_FP16, method);
            p.reciprocal_width = p.reciprocal_height = 0x7800;
            check_plane(dev, &p, &v, v.number + 3, v.number + method);
        }
}

/* Pads count in averages only. */
TEST_FOR(padded_windows, "small", "full") {
    struct device *dev = plane_device(*state);
    for (struct vectors v = vectors_of("pdp", "padded"); vectors_next(&v);) {
        if (v.number[0] != NVDLA_INT8 && !dev->config->int16)
            continue;
        struct pooling p = whole((uint32_t)v.number[2], (uint32_t)v.number[0], (uint32_t)v.number[1]);
        p.out_width = p.out_height = 3;
        p.left = p.right = p.top = p.bottom = 1;
        p.pad[1] = (uint32_t)v.number[4] & 0x7ffff;
        p.reciprocal_width = p.reciprocal_height = (uint32_t)v.number[3];
        check_plane(dev, &p, &v, v.number + 5 + MOST, v.number + 5);
    }
}

/* Section 5: +0 instead of NaN before anything else. Section 10: the input is not counted. */
TEST_ON(nan_to_zero_clears_nans_from_memory, struct device *dev, plane_device("full")) {
    for (uint32_t flush = 0; flush < 2; flush++) {
        struct pooling p = whole(1, NVDLA_FP16, PDP_MAX);
        const uint16_t nan = 0x7e01;
        memory_write(dev->memory[SPACE_PRIMARY], SOURCE, &nan, sizeof nan, NULL, NULL);
        p.nan_to_zero = flush;
        run_pooling(dev, &p);
        assert_int_equal(byte_at(dev, DESTINATION), flush ? 0 : 1);
        assert_int_equal(get(dev, NVDLA_PDP, PDP_D_NAN_OUTPUT_NUM), !flush);
        assert_int_equal(get(dev, NVDLA_PDP, PDP_D_NAN_INPUT_NUM), 0);
        assert_int_equal(get(dev, NVDLA_PDP, PDP_D_INF_INPUT_NUM), 0);
        next_group(dev);
    }
}

TEST(round_wraps_by_sign) {
    assert_int_equal(pdp_round(0x18000, 8), 2);   /* 1.5 */
    assert_int_equal(pdp_round(-0x18000, 8), -2); /* -1.5 */
    assert_int_equal(pdp_round(-0x8001, 8), -1);
    assert_int_equal(pdp_round(-0x7fff, 8), 0);
    assert_int_equal(pdp_round(508 * 0x10000, 8), 124);
    assert_int_equal(pdp_round(127 * 0x10000 + 0x8000, 8), -128); /* the carry reaches the sign */
    assert_int_equal(pdp_round(-129 * 0x10000, 8), 127);
    assert_int_equal(pdp_round(INT64_C(0x7fff8000), 16), -32768);
    assert_int_equal(pdp_round(INT64_C(-0x80010000), 16), 32767);
}

TEST_ON(pooling_waits_for_both_units, struct device *dev, plane_device("small")) {
    struct pooling p = whole(2, NVDLA_INT8, PDP_MAX);
    program(dev, &p);
    put(dev, NVDLA_PDP, PDP_D_OP_ENABLE, 1);
    assert_int_equal(advance(dev), DEVICE_IDLE);
    put(dev, NVDLA_PDP_RDMA, PDP_RDMA_D_OP_ENABLE, 1);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 0x10);
    assert_int_equal(get(dev, NVDLA_PDP, PDP_S_STATUS), 0);
    assert_int_equal(get(dev, NVDLA_PDP_RDMA, PDP_RDMA_S_POINTER), 0x10000);
    struct memory_origin origin;
    assert_true(memory_origin_of(dev->memory[SPACE_PRIMARY], DESTINATION, &origin));
    assert_int_equal(origin.unit, NVDLA_PDP);
    assert_int_equal(origin.axi_id, 2);
}

/* Section 9: limit works, limit + 1 hangs when several output lines overlap. */
TEST(lines_longer_than_the_line_buffer_hang) {
    static const struct {
        uint32_t kernel_height, stride_height, limit;
    } rows[] = {{2, 1, 64}, {3, 1, 32}, {4, 1, 32}, {5, 1, 16}, {8, 1, 16}, {3, 2, 64}, {4, 2, 64}, {5, 2, 32},
                {8, 2, 32}, {4, 3, 64}, {6, 3, 64}, {7, 3, 32}, {8, 3, 32}, {8, 4, 64}, {8, 7, 64}, {1, 1, 1000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct device *dev = plane_device("small");
        struct pooling p = whole(1, NVDLA_INT8, PDP_MAX);
        p.width = p.out_width = rows[i].limit;
        p.height = 2 * rows[i].stride_height + rows[i].kernel_height;
        p.out_height = 3;
        p.kernel_height = rows[i].kernel_height;
        p.stride_height = rows[i].stride_height;
        run_pooling(dev, &p);
        next_group(dev);
        p.width = ++p.out_width;
        program(dev, &p);
        pdp_arm(dev);
        assert_int_equal(advance(dev), p.kernel_height > 1 ? DEVICE_IDLE : DEVICE_INTERRUPT);
    }
}
