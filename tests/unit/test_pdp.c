/* PDP of the model: the vectors of 60-pdp section 12, random layers against a second computation by output element,
 * split width, input on the fly from SDP, and programs that hang. */
#include "model_bench.h"

#include "model/pdp.h"
#include "nvdla/fp.h"
#include "tests/unit/test.h"
#include "tests/vectors.h"

enum { INT8, INT16, FP16 };

enum { SOURCE = 0x100000, DESTINATION = 0x200000, REGION = 0x20000 };

static const uint32_t reciprocals[9] = {0, 0x10000, 0x8000, 0x5555, 0x4000, 0x3333, 0x2aaa, 0x2492, 0x2000};

static uint32_t lanes_of(const struct device *dev, const struct pooling *p) {
    return (uint32_t)dev->config->mem_atom / (p->format == INT8 ? 1 : 2);
}

static uint32_t surfaces(const struct device *dev, const struct pooling *p) {
    return (p->channels + lanes_of(dev, p) - 1) / lanes_of(dev, p);
}

static uint16_t half_at(struct device *dev, uint64_t address) {
    return (uint16_t)(byte_at(dev, address) | byte_at(dev, address + 1) << 8);
}

static void put_half(struct device *dev, uint64_t address, uint16_t value) {
    memory_fill(dev->memory[SPACE_PRIMARY], address, 1, (uint8_t)value);
    memory_fill(dev->memory[SPACE_PRIMARY], address + 1, 1, (uint8_t)(value >> 8));
}

/* Fills in packed strides and the usual places. */
static void place(const struct device *dev, struct pooling *p) {
    uint32_t atom = (uint32_t)dev->config->mem_atom;
    p->source = SOURCE;
    p->destination = DESTINATION;
    p->source_line = p->width * atom;
    p->source_surface = p->height * p->source_line;
    p->destination_line = p->out_width * atom;
    p->destination_surface = p->out_height * p->destination_line;
}

static void run_pooling(struct device *dev, const struct pooling *p) {
    pdp_program(dev, p);
    pdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev) & ~0x30u, 0);
    clear_interrupts(dev);
}

/* ---- vectors ---- */

/* Software selects the group that the units use next. */
static void next_group(struct device *dev) {
    uint32_t group = get(dev, NVDLA_PDP, PDP_S_POINTER) >> 16;
    put(dev, NVDLA_PDP, PDP_S_POINTER, group);
    put(dev, NVDLA_PDP_RDMA, PDP_RDMA_S_POINTER, group);
}

/* Puts one value per column atom into lane 0, runs the layer, compares lane 0 of the output. */
static void check_plane(struct device *dev, struct pooling *p, const int8_t *in, const int8_t *out) {
    place(dev, p);
    uint32_t atom = (uint32_t)dev->config->mem_atom;
    for (uint32_t i = 0; i < p->width * p->height; i++)
        memory_fill(dev->memory[SPACE_PRIMARY], SOURCE + i * atom, 1, (uint8_t)in[i]);
    run_pooling(dev, p);
    for (uint32_t i = 0; i < p->out_width * p->out_height; i++)
        assert_int_equal((int8_t)byte_at(dev, DESTINATION + i * atom), out[i]);
    next_group(dev);
}

/* The same with elements of 16 bits. */
static void check_plane_16(struct device *dev, struct pooling *p, const uint16_t *in, const uint16_t *out) {
    place(dev, p);
    uint32_t atom = (uint32_t)dev->config->mem_atom;
    for (uint32_t i = 0; i < p->width * p->height; i++)
        put_half(dev, SOURCE + i * atom, in[i]);
    run_pooling(dev, p);
    for (uint32_t i = 0; i < p->out_width * p->out_height; i++)
        assert_int_equal(half_at(dev, DESTINATION + i * atom), out[i]);
    next_group(dev);
}

static struct device *plane_device(const char *config) {
    struct device *dev = bench_new(config);
    memory_declare(dev->memory[SPACE_PRIMARY], SOURCE, REGION);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    return dev;
}

/* Windows of the same size in both directions, which divide the cube exactly. */
static struct pooling square(uint32_t out, uint32_t kernel, uint32_t stride, uint32_t format, uint32_t method) {
    const uint32_t size = (out - 1) * stride + kernel;
    return (struct pooling){.width = size,
                            .height = size,
                            .channels = 1,
                            .out_width = out,
                            .out_height = out,
                            .kernel_width = kernel,
                            .kernel_height = kernel,
                            .stride_width = stride,
                            .stride_height = stride,
                            .method = method,
                            .format = format,
                            .reciprocal_width = reciprocals[kernel],
                            .reciprocal_height = reciprocals[kernel]};
}

/* One window of the size of the cube. */
static struct pooling whole(uint32_t size, uint32_t format, uint32_t method) {
    return square(1, size, 1, format, method);
}

/* 4x4 pixels of 8 channels in windows of 2x2. */
static struct pooling quarters(void) {
    struct pooling p = square(2, 2, 2, INT8, PDP_MAX);
    p.channels = 8;
    return p;
}

/* Kernels one column wide, of 8 channels. */
static struct pooling tiled(uint32_t out_width, uint32_t out_height, uint32_t kernel_height, uint32_t stride_height) {
    struct pooling p = square(1, 1, 1, INT8, PDP_MAX);
    p.width = p.out_width = out_width;
    p.height = (out_height - 1) * stride_height + kernel_height;
    p.channels = 8;
    p.out_height = out_height;
    p.kernel_height = kernel_height;
    p.stride_height = stride_height;
    return p;
}

TEST_FOR(int8_averages_round_and_wrap, "small", "full") {
    struct device *dev = plane_device(*state);
    for (struct vectors v = vectors_of("pdp", "int8_average"); vectors_next(&v);) {
        struct pooling p = whole((uint32_t)v.number[0], INT8, PDP_AVERAGE);
        int8_t in[9], out = (int8_t)v.number[3];
        for (int k = 0; k < 9; k++)
            in[k] = (int8_t)v.number[4 + k];
        p.reciprocal_width = (uint32_t)v.number[1];
        p.reciprocal_height = (uint32_t)v.number[2];
        check_plane(dev, &p, in, &out);
    }
    bench_free(dev);
}

TEST_FOR(int8_pads_count_in_averages_only, "small", "full") {
    static const int8_t ascending[9] = {10, 20, 30, 40, 50, 60, 70, 80, 90};
    static const int8_t mixed[9] = {-10, 20, -30, 40, -50, 60, -70, 80, -90};
    static const int8_t positive[9] = {16, 25, 20, 31, 50, 38, 29, 45, 33};
    static const int8_t negative[9] = {11, 22, 16, 29, 50, 35, 24, 42, 29};
    static const int8_t unextended[9] = {25, 107, 30, 114, 50, 121, 39, 127, 43};
    static const int8_t largest[9] = {40, 60, 60, 80, 80, 80, 80, 80, 80};
    static const int8_t smallest[9] = {-50, -50, -50, -70, -90, -90, -70, -90, -90};
    struct device *dev = plane_device(*state);
    struct pooling p = whole(3, INT8, PDP_AVERAGE);
    p.out_width = p.out_height = 3;
    p.left = p.right = p.top = p.bottom = 1;
    for (uint32_t n = 1; n < 8; n++)
        p.pad[n] = 4 * n;
    check_plane(dev, &p, ascending, positive);
    for (uint32_t n = 1; n < 8; n++)
        p.pad[n] = -(4 * n) & 0x7ffff;
    check_plane(dev, &p, ascending, negative);
    memset(p.pad, 0, sizeof p.pad);
    p.pad[1] = 0x000fc;
    p.pad[2] = 0x001f8;
    check_plane(dev, &p, ascending, unextended);
    p.method = PDP_MAX;
    check_plane(dev, &p, mixed, largest);
    p.method = PDP_MIN;
    check_plane(dev, &p, mixed, smallest);
    bench_free(dev);
}

/* Section 5.3: a window of one column, one valid line and one line of vertical pad. The configurable generation reduces
 * both to 14 bits and keeps 15 of their sum and 31 of its product; full keeps 14 of the sum. */
TEST_FOR(int8_totals_wrap_by_generation, "small", "large", "full") {
    struct device *dev = plane_device(*state);
    for (struct vectors v = vectors_of("pdp", "int8_total"); vectors_next(&v);) {
        const int8_t in = (int8_t)v.number[0], out = (int8_t)v.number[dev->config->map == NVDLA_MAP_FULL ? 5 : 4];
        struct pooling p = whole(1, INT8, PDP_AVERAGE);
        p.kernel_height = 2;
        p.top = 1;
        p.pad[1] = (uint32_t)v.number[1] & 0x7ffff;
        p.reciprocal_width = (uint32_t)v.number[2];
        p.reciprocal_height = (uint32_t)v.number[3];
        check_plane(dev, &p, &in, &out);
        p.top = 0;
        p.bottom = 1;
        check_plane(dev, &p, &in, &out);
    }
    bench_free(dev);
}

TEST(int16_averages_round_and_wrap) {
    struct device *dev = plane_device("full");
    for (struct vectors v = vectors_of("pdp", "int16_average"); vectors_next(&v);) {
        struct pooling p = whole((uint32_t)v.number[0], INT16, PDP_AVERAGE);
        uint16_t in[9], out = (uint16_t)v.number[2];
        for (int k = 0; k < 9; k++)
            in[k] = (uint16_t)v.number[3 + k];
        p.reciprocal_width = p.reciprocal_height = (uint32_t)v.number[1];
        check_plane_16(dev, &p, in, &out);
    }
    bench_free(dev);
}

TEST(int16_pads_count_in_averages) {
    static const int16_t in[4] = {1000, 2000, 3000, 4000};
    static const int16_t out[9] = {25, 600, 275, 850, 2500, 1350, 525, 1600, 775};
    struct device *dev = plane_device("full");
    struct pooling p = whole(2, INT16, PDP_AVERAGE);
    p.out_width = p.out_height = 3;
    p.left = p.right = p.top = p.bottom = 1;
    for (uint32_t n = 1; n < 8; n++)
        p.pad[n] = -(300 * n) & 0x7ffff;
    check_plane_16(dev, &p, (const uint16_t *)in, (const uint16_t *)out);
    bench_free(dev);
}

TEST(fp16_windows_keep_zeros_infinities_and_nans) {
    struct device *dev = plane_device("full");
    for (struct vectors v = vectors_of("pdp", "fp16_windows"); vectors_next(&v);) {
        uint16_t n[7]; /* average, maximum, minimum; the window */
        for (int k = 0; k < 7; k++)
            n[k] = (uint16_t)v.number[k];
        for (uint32_t method = 0; method < 3; method++) {
            struct pooling p = whole(2, FP16, method);
            p.reciprocal_width = p.reciprocal_height = 0x7800;
            check_plane_16(dev, &p, n + 3, &n[method]);
        }
    }
    bench_free(dev);
}

TEST(fp16_pads_of_zero_count_in_the_denominator) {
    static const uint16_t in[9] = {0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00};
    static const uint16_t padded[9] = {0x371c, 0x3955, 0x371c, 0x3955, 0x3c00, 0x3955, 0x371c, 0x3955, 0x371c};
    struct device *dev = plane_device("full");
    struct pooling p = whole(3, FP16, PDP_AVERAGE);
    p.reciprocal_width = p.reciprocal_height = 0x7555;
    check_plane_16(dev, &p, in, in);
    p.out_width = p.out_height = 3;
    p.left = p.right = p.top = p.bottom = 1;
    check_plane_16(dev, &p, in, padded);
    bench_free(dev);
}

/* Section 5: +0 instead of NaN before anything else; infinities stay. Section 10: the input is not counted. */
TEST(nan_to_zero_clears_nans_from_memory) {
    static const uint16_t in[4] = {0x7e01, 0xbc00, 0xfd02, 0xfc00};
    static const uint16_t kept = 0xfd02, flushed = 0x0000;
    struct device *dev = plane_device("full");
    struct pooling p = whole(2, FP16, PDP_MAX);
    check_plane_16(dev, &p, in, &kept);
    put(dev, NVDLA_PDP, PDP_S_POINTER, 0);
    assert_int_equal(get(dev, NVDLA_PDP, PDP_D_NAN_OUTPUT_NUM), 1);
    assert_int_equal(get(dev, NVDLA_PDP, PDP_D_NAN_INPUT_NUM), 0);
    assert_int_equal(get(dev, NVDLA_PDP, PDP_D_INF_INPUT_NUM), 0);
    next_group(dev);
    p.nan_to_zero = 1;
    check_plane_16(dev, &p, in, &flushed);
    put(dev, NVDLA_PDP, PDP_S_POINTER, 1);
    assert_int_equal(get(dev, NVDLA_PDP, PDP_D_NAN_OUTPUT_NUM), 0);
    bench_free(dev);
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

/* ---- random layers ---- */

static int64_t wrap(int64_t value, int bits) {
    int64_t sign = INT64_C(1) << (bits - 1);
    return ((value & (2 * sign - 1)) ^ sign) - sign;
}

/* One output element by the definition of sections 4 and 5, from the whole input plane. */
static int8_t pooled(struct device *dev, const struct pooling *p, uint32_t surface, int ox, int oy, uint32_t lane) {
    uint32_t atom = (uint32_t)dev->config->mem_atom;
    int32_t total = 0, best = p->method == PDP_MAX ? -128 : 127, rows = 0;
    for (int y = oy * (int)p->stride_height - (int)p->top, j = 0; j < (int)p->kernel_height; j++, y++) {
        if (y < 0 || y >= (int)p->height)
            continue;
        int32_t row = 0, columns = 0;
        for (int x = ox * (int)p->stride_width - (int)p->left, i = 0; i < (int)p->kernel_width; i++, x++) {
            if (x < 0 || x >= (int)p->width)
                continue;
            uint32_t line = (p->source + surface * p->source_surface + (uint32_t)y * p->source_line) & ~(atom - 1);
            int8_t v = (int8_t)byte_at(dev, line + (uint32_t)x * atom + lane);
            row += v;
            columns++;
            best = p->method == PDP_MAX ? (v > best ? v : best) : (v < best ? v : best);
        }
        uint32_t missing = p->kernel_width - (uint32_t)columns;
        row += (int32_t)(missing ? p->pad[missing] : 0);
        row = ((row & 0x7ff) ^ 0x400) - 0x400;
        total += row;
        rows++;
    }
    if (p->method != PDP_AVERAGE)
        return (int8_t)best;
    uint32_t missing = p->kernel_height - (uint32_t)rows;
    int32_t pad = (int32_t)((missing ? p->pad[missing] : 0) ^ 0x40000) - 0x40000;
    pad *= (int32_t)p->kernel_width;
    bool full = dev->config->map == NVDLA_MAP_FULL;
    int64_t sum = full ? wrap(total + pad, 14) : wrap(total, 14) + wrap(pad, 14);
    int64_t product = sum * p->reciprocal_width;
    int64_t mean = pdp_round(full ? product : wrap(product, 31), 11);
    return (int8_t)pdp_round(mean * (int32_t)p->reciprocal_height, 8);
}

/* The valid elements of one lane of a window, by row and column. */
struct window {
    int rows, columns;
    uint16_t v[8][8];
};

static struct window window_of(struct device *dev, const struct pooling *p, uint32_t surface, int ox, int oy,
                               uint32_t lane) {
    struct window w = {0, 0, {{0}}};
    for (int y = oy * (int)p->stride_height - (int)p->top, j = 0; j < (int)p->kernel_height; j++, y++) {
        if (y < 0 || y >= (int)p->height)
            continue;
        w.columns = 0;
        for (int x = ox * (int)p->stride_width - (int)p->left, i = 0; i < (int)p->kernel_width; i++, x++) {
            if (x >= 0 && x < (int)p->width) {
                uint32_t at = p->source + surface * p->source_surface + (uint32_t)y * p->source_line;
                uint16_t v = half_at(dev, at + 32 * (uint32_t)x + 2 * lane);
                w.v[w.rows][w.columns++] = p->nan_to_zero && fp16_is_nan(v) ? 0 : v;
            }
        }
        w.rows++;
    }
    return w;
}

static uint16_t average_int16(const struct pooling *p, const struct window *w) {
    uint32_t nx = p->kernel_width - (uint32_t)w->columns, ny = p->kernel_height - (uint32_t)w->rows;
    int64_t total = wrap(wrap(ny ? p->pad[ny] : 0, 19) * p->kernel_width, 22);
    for (int y = 0; y < w->rows; y++) {
        int64_t row = wrap(nx ? p->pad[nx] : 0, 19);
        for (int x = 0; x < w->columns; x++)
            row += (int16_t)w->v[y][x];
        total += wrap(row, 22);
    }
    int64_t mean = pdp_round(wrap(total, 22) * p->reciprocal_width, 19);
    return (uint16_t)pdp_round(mean * p->reciprocal_height, 16);
}

static uint16_t average_fp16(const struct pooling *p, const struct window *w) {
    static const uint32_t widths[] = {0, 0x7c00, 0x8000, 0x8200, 0x8400, 0x8500, 0x8600, 0x8700, 0x8800};
    uint32_t nx = p->kernel_width - (uint32_t)w->columns, ny = p->kernel_height - (uint32_t)w->rows;
    uint32_t total = 0;
    for (int y = 0; y < w->rows; y++) {
        uint32_t row = fp16_to_fp17(w->v[y][0]);
        for (int x = 1; x < w->columns; x++)
            row = fp17_add(row, fp16_to_fp17(w->v[y][x]));
        row = fp17_add(row, nx ? p->pad[nx] & 0x1ffff : 0);
        total = y == 0 ? row : fp17_add(row, total);
    }
    total = fp17_add(total, fp17_mul(ny ? p->pad[ny] & 0x1ffff : 0, widths[p->kernel_width]));
    return fp17_to_fp16(fp17_mul(fp17_mul(total, p->reciprocal_width), p->reciprocal_height));
}

static uint16_t extreme_16(const struct pooling *p, const struct window *w) {
    bool smaller = p->method == PDP_MIN;
    uint16_t best = 0;
    for (int y = 0; y < w->rows; y++) {
        uint16_t row = w->v[y][0];
        for (int x = 1; x < w->columns; x++) {
            uint16_t v = w->v[y][x];
            if (p->format == FP16)
                row = smaller ? fp16_min(row, v) : fp16_max(row, v);
            else if (((int16_t)v < (int16_t)row) == smaller)
                row = v;
        }
        if (y == 0)
            best = row;
        else if (p->format == FP16)
            best = smaller ? fp16_min(row, best) : fp16_max(row, best);
        else if (((int16_t)row < (int16_t)best) == smaller)
            best = row;
    }
    return best;
}

/* One output element of 16 bits by the definition of sections 4 and 5. */
static uint16_t pooled_16(struct device *dev, const struct pooling *p, uint32_t surface, int ox, int oy,
                          uint32_t lane) {
    struct window w = window_of(dev, p, surface, ox, oy, lane);
    if (p->method != PDP_AVERAGE)
        return extreme_16(p, &w);
    return p->format == FP16 ? average_fp16(p, &w) : average_int16(p, &w);
}

static uint32_t output_address(const struct device *dev, const struct pooling *p, uint32_t surface, uint32_t ox,
                               uint32_t oy) {
    uint32_t atom = (uint32_t)dev->config->mem_atom;
    uint32_t line = p->destination + surface * p->destination_surface + oy * p->destination_line;
    return (line & ~(atom - 1)) + ox * atom;
}

static void check_pooling(struct device *dev, const struct pooling *p) {
    for (uint32_t s = 0; s < surfaces(dev, p); s++) {
        for (uint32_t oy = 0; oy < p->out_height; oy++) {
            for (uint32_t ox = 0; ox < p->out_width; ox++) {
                uint64_t at = output_address(dev, p, s, ox, oy);
                for (uint32_t lane = 0; lane < lanes_of(dev, p); lane++)
                    if (p->format == INT8)
                        assert_int_equal((int8_t)byte_at(dev, at + lane), pooled(dev, p, s, (int)ox, (int)oy, lane));
                    else
                        assert_int_equal(half_at(dev, at + 2 * lane), pooled_16(dev, p, s, (int)ox, (int)oy, lane));
            }
        }
    }
}

/* A legal layer: every window touches the cube, sizes divide exactly. */
static struct pooling make_pooling(struct device *dev, uint64_t *seed, uint32_t format, bool on_the_fly) {
    struct pooling p = {.kernel_width = 1 + below(seed, 8),
                        .kernel_height = 1 + below(seed, 8),
                        .stride_width = 1 + below(seed, below(seed, 4) ? 4 : 16),
                        .stride_height = 1 + below(seed, below(seed, 4) ? 4 : 16),
                        .out_width = 1 + below(seed, 6),
                        .out_height = 1 + below(seed, 6),
                        .channels = 1 + below(seed, 3 * (uint32_t)dev->config->mem_atom / (format == INT8 ? 1 : 2)),
                        .method = below(seed, 3),
                        .on_the_fly = on_the_fly,
                        .format = format};
    uint32_t span_x = (p.out_width - 1) * p.stride_width + p.kernel_width;
    uint32_t span_y = (p.out_height - 1) * p.stride_height + p.kernel_height;
    p.left = below(seed, p.kernel_width);
    p.top = below(seed, p.kernel_height);
    p.right = below(seed, p.kernel_width);
    p.bottom = below(seed, p.kernel_height);
    while (p.left + p.right >= span_x)
        p.left = p.right = 0;
    while (p.top + p.bottom >= span_y)
        p.top = p.bottom = 0;
    p.width = span_x - p.left - p.right;
    p.height = span_y - p.top - p.bottom;
    bool wild = below(seed, 3) == 0;
    p.reciprocal_width = wild ? rnd(seed) & 0x1ffff : reciprocals[p.kernel_width];
    p.reciprocal_height = wild ? rnd(seed) & 0x1ffff : reciprocals[p.kernel_height];
    for (uint32_t n = 1; n < 8; n++)
        p.pad[n] = wild ? rnd(seed) & 0x7ffff : (n * (below(seed, 256) - 128)) & 0x7ffff;
    place(dev, &p);
    return p;
}

static void random_layers(const char *config, uint32_t format, uint64_t seed, int count) {
    struct device *dev = bench_new(config);
    uint32_t atom = (uint32_t)dev->config->mem_atom;
    random_region(dev, &seed, SOURCE, 4 * REGION);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    for (int i = 0; i < count; i++) {
        struct pooling p = make_pooling(dev, &seed, format, false);
        p.nan_to_zero = format == FP16 && below(&seed, 2);
        /* Holes, and low bits that carry: PDP adds byte values as they are. */
        p.source += below(&seed, atom);
        p.source_line += below(&seed, 2 * atom);
        p.source_surface = p.height * p.source_line + below(&seed, 3 * atom);
        p.destination += below(&seed, atom);
        p.destination_line += atom * below(&seed, 3) + below(&seed, atom);
        p.destination_surface = p.out_height * p.destination_line + atom + below(&seed, atom);
        put(dev, NVDLA_PDP, PDP_S_POINTER, (uint32_t)i & 1);
        put(dev, NVDLA_PDP_RDMA, PDP_RDMA_S_POINTER, (uint32_t)i & 1);
        run_pooling(dev, &p);
        if (dev->config->map == NVDLA_MAP_FULL) { /* whose registers have no low bits */
            uint32_t *places[] = {&p.source,      &p.source_line,      &p.source_surface,
                                  &p.destination, &p.destination_line, &p.destination_surface};
            for (size_t k = 0; k < sizeof places / sizeof places[0]; k++)
                *places[k] &= ~31u;
        }
        check_pooling(dev, &p);
    }
    assert_int_equal(dev->finding_count, 0);
    bench_free(dev);
}

TEST(random_layers_atom_8) {
    random_layers("small", INT8, 1, 300);
}

TEST(random_layers_atom_16) {
    random_layers("medium_512", INT8, 2, 100);
}

TEST(random_layers_atom_32) {
    random_layers("large", INT8, 3, 60);
}

TEST(random_layers_of_full) {
    random_layers("full", INT8, 7, 40);
    random_layers("full", INT16, 8, 80);
    random_layers("full", FP16, 9, 80);
}

/* ---- split width ---- */

TEST(split_equals_whole) {
    struct device *dev = bench_new("small");
    uint64_t seed = 5;
    random_region(dev, &seed, SOURCE, REGION);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    for (uint32_t i = 0; i < 200; i++) {
        struct pooling p = {.kernel_width = 1 + below(&seed, 8),
                            .kernel_height = 1 + below(&seed, 4),
                            .stride_width = 1 + below(&seed, 9),
                            .stride_height = 1 + below(&seed, 3),
                            .channels = 1 + below(&seed, 16),
                            .method = below(&seed, 3),
                            .splits = 2 + below(&seed, 5)};
        p.left = below(&seed, p.kernel_width);
        p.right = below(&seed, p.kernel_width);
        uint32_t mid_out = 1 + below(&seed, 4), last_out = 2 + below(&seed, 4), first_out = 8 + below(&seed, 4);
        p.out_width = first_out + (p.splits - 2) * mid_out + last_out;
        p.out_height = 1 + below(&seed, 3);
        p.height = (p.out_height - 1) * p.stride_height + p.kernel_height;
        p.width = (p.out_width - 1) * p.stride_width + p.kernel_width - p.left - p.right;
        uint32_t first_in = (first_out - 1) * p.stride_width + p.kernel_width - p.left;
        uint32_t mid_in = mid_out * p.stride_width;
        uint32_t used = first_in + (p.splits - 2) * mid_in;
        /* The last strip starts at column used - overlap and needs at least one column of its own windows. */
        if (used >= p.width || p.width - used + p.kernel_width <= p.stride_width ||
            last_out * p.stride_width + p.kernel_width <= p.stride_width + p.right)
            continue;
        uint32_t last_in = p.width - used;
        p.partial_in = (first_in - 1) | (last_in - 1) << 10 | (mid_in - 1) << 20;
        p.partial_out = (first_out - 1) | (last_out - 1) << 10 | (mid_out - 1) << 20;
        p.reciprocal_width = reciprocals[p.kernel_width];
        p.reciprocal_height = reciprocals[p.kernel_height];
        for (uint32_t n = 1; n < 8; n++)
            p.pad[n] = i % 2 ? rnd(&seed) & 0x7ffff : 3 * n;
        place(dev, &p);
        uint32_t group = get(dev, NVDLA_PDP, PDP_S_POINTER) >> 16;
        put(dev, NVDLA_PDP, PDP_S_POINTER, group);
        put(dev, NVDLA_PDP_RDMA, PDP_RDMA_S_POINTER, group);
        run_pooling(dev, &p);
        check_pooling(dev, &p);
    }
    assert_int_equal(dev->finding_count, 0);
    bench_free(dev);
}

/* ---- on the fly ---- */

/* SDP copies the cube into PDP: the result is that of PDP reading the cube itself, but NAN_TO_ZERO does nothing. Both
 * interrupts come, the groups of PDP_RDMA stay. */
static void fuse(const char *config, uint32_t format, int count) {
    struct device *dev = bench_new(config);
    uint64_t seed = 6;
    random_region(dev, &seed, SOURCE, 4 * REGION);
    for (uint32_t i = 0; format == FP16 && i < 4 * REGION; i += 2)
        if ((half_at(dev, SOURCE + i) & 0x7fff) == 0x7c00) /* which SDP makes a number */
            put_half(dev, SOURCE + i, 0xfe01);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    for (uint32_t i = 0; i < (uint32_t)count; i++) {
        struct pooling p = make_pooling(dev, &seed, format, true);
        uint32_t group = i & 1;
        sdp_group(dev, group);
        put(dev, NVDLA_PDP, PDP_S_POINTER, group);
        sdp_copy(dev, p.width, p.height, p.channels, SOURCE, 0);
        put(dev, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, 2);
        put(dev, NVDLA_SDP, SDP_D_DST_DMA_CFG, 0); /* not used */
        put(dev, NVDLA_SDP, SDP_D_DATA_FORMAT, format | format << 2);
        put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG, format << 2 | format << 4 | format << 6);
        p.nan_to_zero = 1;
        pdp_program(dev, &p);
        p.nan_to_zero = 0;
        sdp_arm(dev);
        assert_int_equal(advance(dev), DEVICE_IDLE);
        put(dev, NVDLA_PDP, PDP_D_OP_ENABLE, 1);
        assert_int_equal(advance(dev), DEVICE_INTERRUPT);
        assert_int_equal(pending_interrupts(dev), 0x11u << group);
        clear_interrupts(dev);
        assert_int_equal(get(dev, NVDLA_SDP, SDP_D_STATUS), 0);
        assert_int_equal(get(dev, NVDLA_PDP_RDMA, PDP_RDMA_S_POINTER) >> 16, 0);
        check_pooling(dev, &p);
    }
    assert_int_equal(dev->finding_count, 0);
    bench_free(dev);
}

TEST(on_the_fly_equals_from_memory) {
    fuse("small", INT8, 60);
    fuse("full", INT8, 20);
    fuse("full", INT16, 20);
    fuse("full", FP16, 20);
}

TEST(on_the_fly_needs_the_same_cube) {
    struct device *dev = plane_device("small");
    struct pooling p = tiled(4, 4, 1, 1);
    p.on_the_fly = 1;
    place(dev, &p);
    pdp_program(dev, &p);
    put(dev, NVDLA_PDP, PDP_D_OP_ENABLE, 1);
    sdp_copy(dev, 4, 3, 8, SOURCE, 0);
    put(dev, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, 2);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_IDLE);
    bench_free(dev);
}

/* ---- behaviour ---- */

TEST(pooling_waits_for_both_units) {
    struct device *dev = plane_device("small");
    struct pooling p = quarters();
    place(dev, &p);
    pdp_program(dev, &p);
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
    bench_free(dev);
}

struct change {
    enum nvdla_unit unit;
    uint32_t offset, value;
};

TEST(wrong_programs_hang) {
    static const struct change changes[] = {
        {NVDLA_PDP_RDMA, PDP_RDMA_D_DATA_CUBE_IN_WIDTH, 2},
        {NVDLA_PDP_RDMA, PDP_RDMA_D_DATA_CUBE_IN_HEIGHT, 2},
        {NVDLA_PDP_RDMA, PDP_RDMA_D_DATA_CUBE_IN_CHANNEL, 8},
        {NVDLA_PDP, PDP_D_DATA_CUBE_OUT_CHANNEL, 8},
        {NVDLA_PDP_RDMA, PDP_RDMA_D_OPERATION_MODE_CFG, 1},
        {NVDLA_PDP_RDMA, PDP_RDMA_D_SRC_RAM_CFG, 0},
        {NVDLA_PDP, PDP_D_DST_RAM_CFG, 0},
        {NVDLA_PDP, PDP_D_OPERATION_MODE_CFG, 1},
        {NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_0, 0x01000101},
        {NVDLA_MCIF, MCIF_CFG_WR_WEIGHT_0, 0x01000101},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct device *dev = plane_device("small");
        struct pooling p = quarters();
        place(dev, &p);
        pdp_program(dev, &p);
        put(dev, changes[i].unit, changes[i].offset, changes[i].value);
        pdp_arm(dev);
        assert_int_equal(advance(dev), DEVICE_IDLE);
        assert_int_equal(get(dev, NVDLA_PDP, PDP_S_STATUS), 1);
        assert_int_equal(get(dev, NVDLA_PDP_RDMA, PDP_RDMA_S_STATUS), 1);
        bench_free(dev);
    }
}

/* Section 9: limit works, limit + 1 hangs when several output lines overlap. */
TEST(lines_longer_than_the_line_buffer_hang) {
    static const struct {
        uint32_t kernel_height, stride_height, limit;
    } rows[] = {{2, 1, 64}, {3, 1, 32}, {4, 1, 32}, {5, 1, 16}, {8, 1, 16}, {3, 2, 64}, {4, 2, 64}, {5, 2, 32},
                {8, 2, 32}, {4, 3, 64}, {6, 3, 64}, {7, 3, 32}, {8, 3, 32}, {8, 4, 64}, {8, 7, 64}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct device *dev = plane_device("small");
        struct pooling p = tiled(rows[i].limit, 3, rows[i].kernel_height, rows[i].stride_height);
        place(dev, &p);
        run_pooling(dev, &p);
        check_pooling(dev, &p);
        next_group(dev);
        p = tiled(rows[i].limit + 1, 3, rows[i].kernel_height, rows[i].stride_height);
        place(dev, &p);
        pdp_program(dev, &p);
        pdp_arm(dev);
        assert_int_equal(advance(dev), DEVICE_IDLE);
        bench_free(dev);
    }
}

TEST(lines_that_do_not_overlap_may_be_long) {
    struct device *dev = plane_device("small");
    struct pooling p = tiled(1000, 2, 1, 1);
    place(dev, &p);
    run_pooling(dev, &p);
    check_pooling(dev, &p);
    bench_free(dev);
}

/* Section 4, second row of the table, along W and along H. */
TEST(remainder_in_the_pad_hangs_if_the_first_window_passes_the_end) {
    for (int vertical = 0; vertical < 2; vertical++) {
        struct device *dev = plane_device("small");
        struct pooling p = tiled(1, 1, 1, 1);
        /* 3 + 2 + 7 - 8 = 4 = 3 + 1: two windows, one unused column of pad; the first covers columns -2 .. 5. */
        uint32_t *axis[2][6] = {
            {&p.width, &p.left, &p.right, &p.kernel_width, &p.stride_width, &p.out_width},
            {&p.height, &p.top, &p.bottom, &p.kernel_height, &p.stride_height, &p.out_height},
        };
        static const uint32_t values[6] = {3, 2, 7, 8, 3, 2};
        for (int i = 0; i < 6; i++)
            *axis[vertical][i] = values[i];
        place(dev, &p);
        pdp_program(dev, &p);
        pdp_arm(dev);
        assert_int_equal(advance(dev), DEVICE_IDLE);
        bench_free(dev);
    }
}

TEST(formats_of_both_units_must_agree) {
    for (uint32_t format = 0; format < 4; format++) {
        for (uint32_t rdma = 0; rdma < 4; rdma++) {
            struct device *dev = plane_device("full");
            struct pooling p = whole(2, format, PDP_MAX);
            place(dev, &p);
            pdp_program(dev, &p);
            put(dev, NVDLA_PDP_RDMA, PDP_RDMA_D_DATA_FORMAT, rdma);
            pdp_arm(dev);
            bool runs = format == rdma && format < 3;
            assert_int_equal(advance(dev), runs ? DEVICE_INTERRUPT : DEVICE_IDLE);
            bench_free(dev);
        }
    }
    /* Configurations of INT8 alone do not look. */
    struct device *dev = plane_device("small");
    struct pooling p = whole(2, INT8, PDP_MAX);
    place(dev, &p);
    pdp_program(dev, &p);
    put(dev, NVDLA_PDP, PDP_D_DATA_FORMAT, 2);
    pdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    bench_free(dev);
}

TEST(memories_are_chosen_by_each_unit) {
    struct device *dev = plane_device("full");
    struct pooling p = whole(2, INT16, PDP_MAX);
    uint16_t in[4 * 16] = {[0] = 5, [16] = 7, [32] = 6, [48] = 1};
    memory_declare(dev->memory[SPACE_SECONDARY], SOURCE, REGION);
    memory_write(dev->memory[SPACE_SECONDARY], SOURCE, in, sizeof in, NULL, NULL);
    place(dev, &p);
    pdp_program(dev, &p);
    put(dev, NVDLA_PDP_RDMA, PDP_RDMA_D_SRC_RAM_CFG, 0);
    pdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(half_at(dev, DESTINATION), 7);
    assert_int_equal(dev->finding_count, 0);
    bench_free(dev);
}

/* Wild kernels, pads, strips and places around a small cube: the layer ends or waits, nothing else. */
TEST(any_windows_end) {
    uint64_t seed = 12;
    int ran = 0;
    for (int i = 0; i < 400; i++) {
        struct device *dev = bench_lenient(i & 1 ? "full" : "small");
        uint32_t format = below(&seed, 3), split = below(&seed, 4) ? 0 : below(&seed, 8);
        uint32_t shape = rnd(&seed) & (below(&seed, 2) ? UINT32_MAX : 0x00330303);
        for (uint32_t offset = PDP_D_DATA_CUBE_IN_WIDTH; offset <= PDP_D_CYA; offset += 4) {
            put(dev, NVDLA_PDP, offset, rnd(&seed));
            put(dev, NVDLA_PDP_RDMA, offset, rnd(&seed));
        }
        struct pooling p = {.width = 1 + below(&seed, 20),
                            .height = 1 + below(&seed, 20),
                            .channels = 1 + below(&seed, 40),
                            .out_width = 1 + below(&seed, 20),
                            .out_height = 1 + below(&seed, 20),
                            .method = below(&seed, 4),
                            .format = format,
                            .splits = split,
                            .partial_in = rnd(&seed) & 0x01f07c1f,
                            .partial_out = rnd(&seed) & 0x01f07c1f,
                            .left = below(&seed, 8),
                            .top = below(&seed, 8),
                            .right = below(&seed, 8),
                            .bottom = below(&seed, 8),
                            .kernel_width = (shape & 15) + 1,
                            .kernel_height = (shape >> 8 & 15) + 1,
                            .stride_width = (shape >> 16 & 15) + 1,
                            .stride_height = (shape >> 20 & 15) + 1,
                            .source = rnd(&seed),
                            .destination = rnd(&seed),
                            .source_line = rnd(&seed),
                            .destination_line = rnd(&seed)};
        pdp_program(dev, &p);
        pdp_arm(dev);
        ran += advance(dev) == DEVICE_INTERRUPT;
        clear_interrupts(dev);
        assert_int_equal(advance(dev), DEVICE_IDLE);
        bench_free(dev);
    }
    assert_in_range(ran, 100, 400);
}
