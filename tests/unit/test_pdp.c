/* PDP of the model: the vectors of 60-pdp section 12, and its line buffer. Other layers are cases of model.txt. */
#include "model_steps.h"

#include "model/pdp.h"
#include "tests/unit/test.h"
#include "tests/vectors.h"

enum { SOURCE = 0x100000, DESTINATION = 0x200000, REGION = 0x40000, MOST = 9 /* elements of a plane */ };

/* A layer of one channel. */
struct pooling {
    uint32_t width, height, out_width, out_height, kernel_width, kernel_height, stride_height;
    uint32_t left, top, right, bottom, pad; /* pad: the value of one */
    uint32_t reciprocal_width, reciprocal_height;
    enum nvdla_precision format;
    uint32_t method; /* 0 average, 1 max, 2 min */
};

static struct device *plane_device(const char *config) {
    struct device *dev = bench_new(config);
    memory_declare(dev->memory[SPACE_PRIMARY], SOURCE, REGION);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    return dev;
}

/* Packed strides, the usual places. */
static void program(struct device *dev, const struct pooling *p) {
    const uint32_t atom = (uint32_t)dev->config->mem_atom, line = p->width * atom, out_line = p->out_width * atom;
    refused = false;
    legal_lines(dev->config, legal_named("pdp", 3), false, (struct legal_sink){try_write, dev});
    PUT(dev, NVDLA_PDP, {PDP_D_DATA_CUBE_IN_WIDTH, p->width - 1}, {PDP_D_DATA_CUBE_IN_HEIGHT, p->height - 1},
        {PDP_D_DATA_CUBE_IN_CHANNEL, 0}, {PDP_D_DATA_CUBE_OUT_WIDTH, p->out_width - 1},
        {PDP_D_DATA_CUBE_OUT_HEIGHT, p->out_height - 1}, {PDP_D_DATA_CUBE_OUT_CHANNEL, 0},
        {PDP_D_OPERATION_MODE_CFG, p->method | 1 << 4},
        {PDP_D_POOLING_KERNEL_CFG, (p->kernel_width - 1) | (p->kernel_height - 1) << 8 | (p->stride_height - 1) << 20},
        {PDP_D_RECIP_KERNEL_WIDTH, p->reciprocal_width}, {PDP_D_RECIP_KERNEL_HEIGHT, p->reciprocal_height},
        {PDP_D_POOLING_PADDING_CFG, p->left | p->top << 4 | p->right << 8 | p->bottom << 12},
        {PDP_D_POOLING_PADDING_VALUE_1_CFG, p->pad}, {PDP_D_DST_BASE_ADDR_LOW, DESTINATION},
        {PDP_D_DST_LINE_STRIDE, out_line}, {PDP_D_DST_SURFACE_STRIDE, p->out_height * out_line},
        {PDP_D_DATA_FORMAT, p->format});
    PUT(dev, NVDLA_PDP_RDMA, {PDP_RDMA_D_DATA_CUBE_IN_WIDTH, p->width - 1},
        {PDP_RDMA_D_DATA_CUBE_IN_HEIGHT, p->height - 1}, {PDP_RDMA_D_DATA_CUBE_IN_CHANNEL, 0},
        {PDP_RDMA_D_SRC_BASE_ADDR_LOW, SOURCE}, {PDP_RDMA_D_SRC_LINE_STRIDE, line},
        {PDP_RDMA_D_SRC_SURFACE_STRIDE, p->height * line}, {PDP_RDMA_D_DATA_FORMAT, p->format},
        {PDP_RDMA_D_POOLING_KERNEL_CFG, p->kernel_width - 1});
}

static void pdp_arm(struct device *dev) {
    put(dev, NVDLA_PDP_RDMA, PDP_RDMA_D_OP_ENABLE, 1);
    put(dev, NVDLA_PDP, PDP_D_OP_ENABLE, 1);
}

static void run_pooling(struct device *dev, const struct pooling *p) {
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
static struct pooling whole(uint32_t size, enum nvdla_precision format, uint32_t method) {
    return (struct pooling){.width = size,
                            .height = size,
                            .out_width = 1,
                            .out_height = 1,
                            .kernel_width = size,
                            .kernel_height = size,
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
        p.pad = (uint32_t)v.number[1] & 0x7ffff;
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
        struct pooling p = whole((uint32_t)v.number[2], (enum nvdla_precision)v.number[0], (uint32_t)v.number[1]);
        p.out_width = p.out_height = 3;
        p.left = p.right = p.top = p.bottom = 1;
        p.pad = (uint32_t)v.number[4] & 0x7ffff;
        p.reciprocal_width = p.reciprocal_height = (uint32_t)v.number[3];
        check_plane(dev, &p, &v, v.number + 5 + MOST, v.number + 5);
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
