/* PDP of the model: the vectors of 60-pdp section 12, and its line buffer. Other layers are cases of model.txt. */
#include "model_steps.h"

#include "model/pdp.h"
#include "tests/unit/test.h"
#include "tests/vectors.h"

enum { MOST = 9 /* elements of a plane */ };

/* A layer of one channel. */
struct pooling {
    enum nvdla_precision format;
    int width, height, out_width, out_height, kernel_width;
    const char *registers; /* of PDP besides */
};

/* Packed strides, the usual places. */
static void program(struct device *dev, const struct pooling *p) {
    const int atom = dev->config->mem_atom, line = p->width * atom, out_line = p->out_width * atom;
    char *text = kept(xprintf("PDP: D_DATA_FORMAT=%d D_DATA_CUBE_IN_WIDTH=%d D_DATA_CUBE_IN_HEIGHT=%d "
                              "D_DATA_CUBE_IN_CHANNEL=0 D_DATA_CUBE_OUT_WIDTH=%d D_DATA_CUBE_OUT_HEIGHT=%d "
                              "D_DATA_CUBE_OUT_CHANNEL=0 D_DST_BASE_ADDR_LOW=%d D_DST_LINE_STRIDE=%d "
                              "D_DST_SURFACE_STRIDE=%d %s PDP_RDMA: D_DATA_FORMAT=%d D_DATA_CUBE_IN_WIDTH=%d "
                              "D_DATA_CUBE_IN_HEIGHT=%d D_DATA_CUBE_IN_CHANNEL=0 D_SRC_BASE_ADDR_LOW=%d "
                              "D_SRC_LINE_STRIDE=%d D_SRC_SURFACE_STRIDE=%d D_POOLING_KERNEL_CFG=%d",
                              p->format, p->width - 1, p->height - 1, p->out_width - 1, p->out_height - 1, DESTINATION,
                              out_line, p->out_height * out_line, p->registers, p->format, p->width - 1, p->height - 1,
                              SOURCE, line, p->height * line, p->kernel_width - 1));
    refused = false;
    legal_lines(dev->config, legal_named("pdp", 3), false, (struct legal_sink){try_write, dev});
    register_text(dev->config, text, try_write, dev);
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

/* Puts the elements into lane 0 of an atom each, runs the layer, and compares lane 0 of the output with the row. */
static void check_plane(struct device *dev, const struct pooling *p, const struct vectors *v, const int64_t *in,
                        const int64_t *out) {
    const uint32_t atom = (uint32_t)dev->config->mem_atom, bytes = p->format == NVDLA_INT8 ? 1 : 2;
    const uint64_t mask = bytes == 1 ? 0xff : 0xffff;
    for (uint32_t i = 0; i < (uint32_t)(p->width * p->height); i++) {
        const uint16_t element = (uint16_t)in[i];
        memory_write(dev->memory[SPACE_PRIMARY], SOURCE + i * atom, &element, bytes, NULL, NULL);
    }
    run_pooling(dev, p);
    for (uint32_t i = 0; i < (uint32_t)(p->out_width * p->out_height); i++) {
        uint16_t element = 0;
        memory_read(dev->memory[SPACE_PRIMARY], DESTINATION + i * atom, &element, bytes);
        assert_true(vectors_equal(v, element, (int64_t)((uint64_t)out[i] & mask)));
    }
    next_group(dev);
}

/* Compares one window of the size of the cube. */
static void check_window(struct device *dev, enum nvdla_precision format, int size, const char *registers,
                         const struct vectors *v, const int64_t *in, const int64_t *out) {
    check_plane(dev, &(struct pooling){format, size, size, 1, 1, size, registers}, v, in, out);
}

/* A method, the size of a window, and its reciprocals. */
static char *window(unsigned method, const char *size, const char *width, const char *height) {
    const int reach = atoi(size) - 1;
    return xprintf("D_OPERATION_MODE_CFG=0x10,%u D_POOLING_KERNEL_CFG=%d D_RECIP_KERNEL_WIDTH=%s "
                   "D_RECIP_KERNEL_HEIGHT=%s",
                   method, reach | reach << 8, width, height);
}

TEST_FOR(int8_averages_round_and_wrap, "small", "full") {
    struct device *dev = bench_of_layer(*state);
    for (struct vectors v = vectors_of("pdp", "int8_average"); vectors_next(&v);)
        check_window(dev, NVDLA_INT8, (int)v.number[0], kept(window(PDP_AVERAGE, v.cell[0], v.cell[1], v.cell[2])), &v,
                     v.number + 4, v.number + 3);
}

/* Section 5.3: a window of one column, one valid line and one line of vertical pad. The configurable generation reduces
 * both to 14 bits and keeps 15 of their sum and 31 of its product; full keeps 14 of the sum. */
TEST_FOR(int8_totals_wrap_by_generation, "small", "large", "full") {
    static const char *const pads[] = {"PAD_TOP", "PAD_BOTTOM"};
    struct device *dev = bench_of_layer(*state);
    for (struct vectors v = vectors_of("pdp", "int8_total"); vectors_next(&v);)
        for (int i = 0; i < 2; i++) {
            char *registers = kept(xprintf("D_OPERATION_MODE_CFG=0x10 D_POOLING_KERNEL_CFG=0x100 "
                                           "D_POOLING_PADDING_CFG=%s:1 D_POOLING_PADDING_VALUE_1_CFG=%d "
                                           "D_RECIP_KERNEL_WIDTH=%s D_RECIP_KERNEL_HEIGHT=%s",
                                           pads[i], (int)v.number[1] & 0x7ffff, v.cell[2], v.cell[3]));
            check_window(dev, NVDLA_INT8, 1, registers, &v, v.number,
                         &v.number[dev->config->map == NVDLA_MAP_FULL ? 5 : 4]);
        }
}

TEST_ON(int16_averages_round_and_wrap, struct device *dev, bench_of_layer("full")) {
    for (struct vectors v = vectors_of("pdp", "int16_average"); vectors_next(&v);)
        check_window(dev, NVDLA_INT16, (int)v.number[0], kept(window(PDP_AVERAGE, v.cell[0], v.cell[1], v.cell[1])), &v,
                     v.number + 3, v.number + 2);
}

TEST_ON(fp16_windows_keep_zeros_infinities_and_nans, struct device *dev, bench_of_layer("full")) {
    for (struct vectors v = vectors_of("pdp", "fp16_windows"); vectors_next(&v);)
        for (unsigned method = 0; method < 3; method++)
            check_window(dev, NVDLA_FP16, 2, kept(window(method, "2", "0x7800", "0x7800")), &v, v.number + 3,
                         v.number + method);
}

/* Pads count in averages only. */
TEST_FOR(padded_windows, "small", "full") {
    struct device *dev = bench_of_layer(*state);
    for (struct vectors v = vectors_of("pdp", "padded"); vectors_next(&v);) {
        const int size = (int)v.number[2];
        if (v.number[0] != NVDLA_INT8 && !dev->config->int16)
            continue;
        char *registers = kept(window((unsigned)v.number[1], v.cell[2], v.cell[3], v.cell[3]));
        registers = kept(xprintf("%s D_POOLING_PADDING_CFG=0x1111 D_POOLING_PADDING_VALUE_1_CFG=%d", registers,
                                 (int)v.number[4] & 0x7ffff));
        check_plane(dev, &(struct pooling){(enum nvdla_precision)v.number[0], size, size, 3, 3, size, registers}, &v,
                    v.number + 5 + MOST, v.number + 5);
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
        int kernel_height, stride_height, limit;
    } rows[] = {{2, 1, 64}, {3, 1, 32}, {4, 1, 32}, {5, 1, 16}, {8, 1, 16}, {3, 2, 64}, {4, 2, 64}, {5, 2, 32},
                {8, 2, 32}, {4, 3, 64}, {6, 3, 64}, {7, 3, 32}, {8, 3, 32}, {8, 4, 64}, {8, 7, 64}, {1, 1, 1000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct device *dev = bench_of_layer("small");
        const int kernel = rows[i].kernel_height, stride = rows[i].stride_height;
        char *registers =
            kept(xprintf("D_OPERATION_MODE_CFG=0x11 D_POOLING_KERNEL_CFG=%d", (kernel - 1) << 8 | (stride - 1) << 20));
        struct pooling p = {NVDLA_INT8, rows[i].limit, 2 * stride + kernel, rows[i].limit, 3, 1, registers};
        run_pooling(dev, &p);
        next_group(dev);
        p.width = ++p.out_width;
        program(dev, &p);
        pdp_arm(dev);
        assert_int_equal(advance(dev), kernel > 1 ? DEVICE_IDLE : DEVICE_INTERRUPT);
    }
}
