/* CDP of the model: the vectors of 62-cdp section 11, random layers of all types against a second computation by
 * element, counters, the access port of the tables, ping-pong groups, and programs that hang. */
#include "model_bench.h"

#include "model/cdp.h"
#include "nvdla/fp.h"
#include "tests/naive/naive_fp.h"
#include "tests/unit/second_lut.h"
#include "tests/unit/test.h"
#include "tests/vectors.h"

enum { SOURCE = 0x100000, DESTINATION = 0x200000, REGION = 0x40000 };

/* A layer for cdp_program(): register values as software writes them. */
struct normalisation {
    enum nvdla_precision precision;
    bool nan_to_zero;
    uint32_t width, height, channels;
    uint32_t bypass; /* bit 0 square sum, bit 1 multiplication */
    uint32_t length; /* NORMALZ_LEN */
    uint32_t in_offset, in_scale, in_shift, out_offset, out_scale, out_shift;
    uint32_t source, source_line, source_surface, destination, destination_line, destination_surface;
};

static uint32_t atom_of(const struct device *dev) {
    return (uint32_t)dev->config->mem_atom;
}

static uint32_t bytes_of(const struct normalisation *n) {
    return n->precision == NVDLA_INT8 ? 1 : 2;
}

/* Elements of an atom, and of a column. */
static uint32_t atom_lanes(const struct device *dev, const struct normalisation *n) {
    return atom_of(dev) / bytes_of(n);
}

static uint32_t lanes_of(const struct device *dev, const struct normalisation *n) {
    return (n->channels + atom_lanes(dev, n) - 1) / atom_lanes(dev, n) * atom_lanes(dev, n);
}

/* Packed strides, the usual places. */
static void place(const struct device *dev, struct normalisation *n) {
    n->source = SOURCE;
    n->destination = DESTINATION;
    n->source_line = n->destination_line = n->width * atom_of(dev);
    n->source_surface = n->destination_surface = n->height * n->source_line;
}

static void cdp_program(struct device *dev, const struct normalisation *n) {
    PUT(dev, NVDLA_CDP, {CDP_D_DATA_FORMAT, n->precision}, {CDP_D_NAN_FLUSH_TO_ZERO, n->nan_to_zero},
        {CDP_D_FUNC_BYPASS, n->bypass}, {CDP_D_DST_BASE_ADDR_LOW, n->destination}, {CDP_D_DST_BASE_ADDR_HIGH, 0},
        {CDP_D_DST_LINE_STRIDE, n->destination_line}, {CDP_D_DST_SURFACE_STRIDE, n->destination_surface},
        {CDP_D_DST_DMA_CFG, 1}, {CDP_D_LRN_CFG, n->length}, {CDP_D_DATIN_OFFSET, n->in_offset},
        {CDP_D_DATIN_SCALE, n->in_scale}, {CDP_D_DATIN_SHIFTER, n->in_shift}, {CDP_D_DATOUT_OFFSET, n->out_offset},
        {CDP_D_DATOUT_SCALE, n->out_scale}, {CDP_D_DATOUT_SHIFTER, n->out_shift});
    PUT(dev, NVDLA_CDP_RDMA, {CDP_RDMA_D_DATA_FORMAT, n->precision}, {CDP_RDMA_D_DATA_CUBE_WIDTH, n->width - 1},
        {CDP_RDMA_D_DATA_CUBE_HEIGHT, n->height - 1}, {CDP_RDMA_D_DATA_CUBE_CHANNEL, n->channels - 1},
        {CDP_RDMA_D_SRC_BASE_ADDR_LOW, n->source}, {CDP_RDMA_D_SRC_BASE_ADDR_HIGH, 0},
        {CDP_RDMA_D_SRC_LINE_STRIDE, n->source_line}, {CDP_RDMA_D_SRC_SURFACE_STRIDE, n->source_surface},
        {CDP_RDMA_D_SRC_DMA_CFG, 1});
}

static void cdp_arm(struct device *dev) {
    put(dev, NVDLA_CDP, CDP_D_OP_ENABLE, 1);
    put(dev, NVDLA_CDP_RDMA, CDP_RDMA_D_OP_ENABLE, 1);
}

static void cdp_group(struct device *dev, uint32_t group) {
    put(dev, NVDLA_CDP, CDP_S_POINTER, group);
    put(dev, NVDLA_CDP_RDMA, CDP_RDMA_S_POINTER, group);
}

/* Runs the layer in the group whose turn it is, which stays selected: its counters can be read. */
static void run_layer(struct device *dev, const struct normalisation *n) {
    uint32_t group = get(dev, NVDLA_CDP, CDP_S_POINTER) >> 16;
    cdp_group(dev, group);
    cdp_program(dev, n);
    cdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 4u << group);
    clear_interrupts(dev);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_S_STATUS), 0);
    assert_int_equal(get(dev, NVDLA_CDP_RDMA, CDP_RDMA_S_STATUS), 0);
    assert_int_equal(dev->finding_count, 0);
}

static void load_tables(struct device *dev, const struct lut_entries *entries) {
    put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG, 0x20000);
    for (int k = 0; k < LUT_LE_ENTRIES; k++)
        put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA, (uint16_t)entries->le[k]);
    put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG, 0x30000);
    for (int k = 0; k < LUT_LO_ENTRIES; k++)
        put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA, (uint16_t)entries->lo[k]);
}

static void put_wide(struct device *dev, uint32_t low, int64_t value) {
    put(dev, NVDLA_CDP, low, (uint32_t)value);
    put(dev, NVDLA_CDP, low + 4, (uint32_t)(value >> 32));
}

static void put_range(struct device *dev, const struct lut_range *range, uint32_t start, uint32_t end, uint32_t scale) {
    put_wide(dev, start, range->start);
    put_wide(dev, end, range->end);
    put(dev, NVDLA_CDP, scale, (uint16_t)range->under.scale | (uint32_t)(uint16_t)range->over.scale << 16);
    put(dev, NVDLA_CDP, scale + 4, ((uint32_t)range->under.shift & 31) | ((uint32_t)range->over.shift & 31) << 5);
}

static void put_settings(struct device *dev, const struct lut_settings *s) {
    put(dev, NVDLA_CDP, CDP_S_LUT_CFG,
        s->le_linear | (uint32_t)s->under_first_lo << 4 | (uint32_t)s->over_first_lo << 5 |
            (uint32_t)s->hybrid_first_lo << 6);
    put(dev, NVDLA_CDP, CDP_S_LUT_INFO,
        (uint8_t)s->le_index_offset | (uint32_t)(uint8_t)s->range[LUT_LE].select << 8 |
            (uint32_t)(uint8_t)s->range[LUT_LO].select << 16);
    put_range(dev, &s->range[LUT_LE], CDP_S_LUT_LE_START_LOW, CDP_S_LUT_LE_END_LOW, CDP_S_LUT_LE_SLOPE_SCALE);
    put_range(dev, &s->range[LUT_LO], CDP_S_LUT_LO_START_LOW, CDP_S_LUT_LO_END_LOW, CDP_S_LUT_LO_SLOPE_SCALE);
}

static struct device *cdp_device(const char *config) {
    struct device *dev = bench_new(config);
    memory_declare(dev->memory[SPACE_PRIMARY], SOURCE, REGION);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    return dev;
}

/* ---- vectors ---- */

TEST(convertor_vectors) {
    for (int half = 0; half < 2; half++) {
        const enum nvdla_precision precision = half ? NVDLA_INT16 : NVDLA_INT8;
        for (struct vectors v = vectors_of("cdp", half ? "input_int16" : "input_int8"); vectors_next(&v);) {
            const struct cdp_convertor convertor = {(int32_t)v.number[1], (int16_t)v.number[2], (unsigned)v.number[3]};
            const int32_t got = cdp_convert_input(&convertor, precision, (int32_t)v.number[0]);
            assert_true(vectors_equal(&v, got, v.number[4]));
        }
        for (struct vectors v = vectors_of("cdp", half ? "output_int16" : "output_int8"); vectors_next(&v);) {
            const struct cdp_convertor convertor = {(int32_t)v.number[1], (int16_t)v.number[2], (unsigned)v.number[3]};
            const int32_t got = cdp_convert_output(&convertor, precision, v.number[0]);
            assert_true(vectors_equal(&v, got, v.number[4]));
        }
    }
}

/* Section 11.2: one column of 8 channels; the base of all settings. */
static const struct normalisation column = {
    .width = 1, .height = 1, .channels = 8, .in_scale = 1, .out_scale = 1, .out_shift = 4};
static const int8_t column_input[8] = {1, 2, 3, 4, 5, 6, 7, -8};
static const struct lut_settings column_lut = {
    .le_linear = true,
    .under_first_lo = true,
    .over_first_lo = true,
    .hybrid_first_lo = true,
    .range = {{.end = 64}, {.end = 256}},
};

static void check_column(const char *config, const struct normalisation *setting, const struct lut_settings *lut,
                         const struct lut_entries *entries, const int8_t *want, size_t count) {
    struct device *dev = cdp_device(config);
    struct normalisation n = *setting;
    place(dev, &n);
    load_tables(dev, entries);
    put_settings(dev, lut);
    random_region(dev, &(uint64_t){62}, SOURCE, 64);
    memory_write(dev->memory[SPACE_PRIMARY], SOURCE, column_input, sizeof column_input, NULL, NULL);
    run_layer(dev, &n);
    for (size_t c = 0; c < count; c++)
        assert_int_equal((int8_t)byte_at(dev, DESTINATION + c), want[c]);
    bench_free(dev);
}

struct column_vector {
    uint32_t length, bypass, out_shift;
    int8_t want[10];
};

TEST(int8_layer_vectors) {
    static const struct column_vector falling[] = {
        {0, 0, 4, {16, 30, 43, 52, 56, 55, 47, -72, 0, 0}},   {1, 0, 4, {15, 28, 38, 42, 38, 25, 36, -54, 0, 0}},
        {2, 0, 4, {14, 25, 31, 29, 17, 21, 29, -41, 0, 0}},   {3, 0, 4, {13, 21, 22, 13, 16, 20, 25, -33, 0, 0}},
        {0, 1, 4, {16, 32, 47, 63, 78, 94, 109, -128, 0, 0}}, {0, 2, 2, {63, 61, 57, 52, 45, 37, 27, 36, 48, 64}},
    };
    static const int8_t identity[10] = {1, 2, 3, 4, 5, 6, 7, 0, 0, 0};
    static const int8_t sloped[10] = {1, 2, 3, 4, 5, 6, 7, -8, 0, 0};
    static const int8_t converted[10] = {-3, 3, 8, 10, 15, 18, 23, -35, 3, 3};
    static const int8_t steep[10] = {2, 5, 11, 19, 29, 41, 56, 42, 24, 0};
    static const struct {
        const char *config;
        size_t lanes;
    } runs[] = {{"small", 8}, {"medium_512", 10}, {"large", 10}, {"full", 10}};
    struct lut_entries down = {0}, up = {0}, three = {0};
    for (int k = 0; k < LUT_LO_ENTRIES; k++) {
        down.lo[k] = (int16_t)(256 - k);
        up.lo[k] = (int16_t)k;
        three.lo[k] = (int16_t)(3 * k);
    }
    for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
        const char *config = runs[r].config;
        size_t lanes = runs[r].lanes;
        struct normalisation n = column;
        struct lut_settings lut = column_lut;
        for (size_t i = 0; i < sizeof falling / sizeof falling[0]; i++) {
            n.length = falling[i].length;
            n.bypass = falling[i].bypass;
            n.out_shift = falling[i].out_shift;
            check_column(config, &n, &lut, &down, falling[i].want, lanes);
        }
        n = column;
        n.bypass = 3;
        n.out_shift = 0;
        check_column(config, &n, &lut, &up, identity, lanes);
        lut.range[LUT_LO].under.scale = 1;
        check_column(config, &n, &lut, &up, sloped, lanes);
        n.in_offset = 2;
        n.in_scale = 3;
        n.in_shift = 1;
        n.out_offset = UINT32_MAX;
        n.out_scale = 5;
        n.out_shift = 1;
        check_column(config, &n, &lut, &up, converted, lanes);
        n = column;
        n.bypass = 2;
        n.out_shift = 0;
        lut = column_lut;
        lut.range[LUT_LO].select = 3;
        lut.range[LUT_LO].end = 2048;
        check_column(config, &n, &lut, &three, steep, lanes);
    }
}

static void put_element(struct device *dev, uint64_t address, uint32_t bytes, uint32_t value) {
    memory_write(dev->memory[SPACE_PRIMARY], address, &value, bytes, NULL, NULL);
}

/* Pattern of an element: 8 or 16 bits. */
static uint32_t element_at(struct device *dev, uint64_t address, uint32_t bytes) {
    return bytes == 1 ? byte_at(dev, address) : byte_at(dev, address) | (uint32_t)byte_at(dev, address + 1) << 8;
}

/* Runs one column of 16-bit elements with garbage behind its channels, and compares its first lanes. */
static void check_column_16(const struct normalisation *setting, const struct lut_settings *lut,
                            const struct lut_entries *entries, const uint16_t *input, const uint16_t *want,
                            size_t count) {
    struct device *dev = cdp_device("full");
    struct normalisation n = *setting;
    place(dev, &n);
    load_tables(dev, entries);
    put_settings(dev, lut);
    random_region(dev, &(uint64_t){62}, SOURCE, 64);
    for (uint32_t c = 0; c < n.channels; c++)
        put_element(dev, SOURCE + 2 * c, 2, input[c]);
    run_layer(dev, &n);
    for (size_t c = 0; c < count; c++)
        assert_int_equal(element_at(dev, DESTINATION + 2 * c, 2), want[c]);
    bench_free(dev);
}

/* Section 11.3. */
TEST(int16_layer_vectors) {
    static const uint16_t small[4] = {1, 2, 3, 100}, roots[6] = {2250, 3750, 13222, 13222, 13221, 0};
    struct lut_entries falling = {0}, steps = {0};
    for (int k = 0; k < LUT_LO_ENTRIES; k++)
        falling.lo[k] = (int16_t)(32767 - 100 * k);
    for (int k = 0; k < LUT_LE_ENTRIES; k++)
        steps.le[k] = (int16_t)(k < 32 ? 1000 * k : 32000);
    struct normalisation n = {
        .precision = NVDLA_INT16, .width = 1, .height = 1, .in_scale = 1, .out_scale = 1, .out_shift = 15};
    struct lut_settings lut = column_lut;
    lut.range[LUT_LO].select = 11;
    lut.range[LUT_LO].end = 1 << 19;
    for (struct vectors v = vectors_of("cdp", "layer_int16"); vectors_next(&v);) {
        uint16_t elements[24]; /* the input, and behind it the output */
        for (int k = 0; k < 24; k++)
            elements[k] = (uint16_t)v.number[2 + k];
        n.channels = (uint32_t)v.number[0];
        n.length = (uint32_t)v.number[1];
        check_column_16(&n, &lut, &falling, elements, elements + n.channels, n.channels);
    }
    n = (struct normalisation){
        .precision = NVDLA_INT16, .width = 1, .height = 1, .channels = 4, .in_scale = 1, .out_scale = 1, .bypass = 2};
    lut = (struct lut_settings){.range = {{.end = INT64_C(1) << 36}, {.end = 256}}};
    check_column_16(&n, &lut, &steps, small, roots, 6);
}

/* Section 11.4. */
TEST(fp16_layer_vectors) {
    struct lut_entries entries = {0};
    for (int k = 0; k < LUT_LO_ENTRIES; k++) {
        union {
            float number;
            uint32_t pattern;
        } fp32 = {1 / (1 + (float)k / 16)};
        entries.lo[k] = (int16_t)fp32_to_fp16(fp32.pattern);
    }
    struct lut_settings lut = column_lut;
    lut.range[LUT_LE].end = 0x42800000;
    lut.range[LUT_LO].end = 0x41800000;
    lut.range[LUT_LO].select = -4;
    for (struct vectors v = vectors_of("cdp", "layer_fp16"); vectors_next(&v);) {
        struct normalisation n = {.precision = NVDLA_FP16, .width = 1, .height = 1, .channels = 4};
        const uint16_t input[4] = {0x3c00, (uint16_t)v.number[3], 0x3800, 0x4200};
        uint16_t want[6];
        for (int k = 0; k < 6; k++)
            want[k] = (uint16_t)v.number[4 + k];
        n.length = (uint32_t)v.number[0];
        n.bypass = (uint32_t)v.number[1];
        n.nan_to_zero = v.number[2];
        check_column_16(&n, &lut, &entries, input, want, 6);
    }
}

/* ---- random layers ---- */

static uint64_t element(const struct device *dev, const struct normalisation *n, uint32_t base, uint32_t line,
                        uint32_t surface, uint32_t x, uint32_t y, uint32_t c) {
    uint32_t lanes = atom_lanes(dev, n);
    return base + c / lanes * surface + y * line + x * atom_of(dev) + c % lanes * bytes_of(n);
}

/* Pattern of a channel of `cube`, a copy of the source; channels outside are 0. */
static uint32_t source_element(const struct device *dev, const struct normalisation *n, const uint8_t *cube, uint32_t x,
                               uint32_t y, int64_t c) {
    if (c < 0 || c >= n->channels)
        return 0;
    uint64_t at = element(dev, n, 0, n->source_line, n->source_surface, x, y, (uint32_t)c);
    return bytes_of(n) == 1 ? cube[at] : cube[at] | (uint32_t)cube[at + 1] << 8;
}

/* Converted element of an integer layer. */
static int64_t naive_input(const struct device *dev, const struct normalisation *n, const uint8_t *cube, uint32_t x,
                           uint32_t y, int64_t c) {
    if (c < 0 || c >= n->channels)
        return 0;
    int bits = n->precision == NVDLA_INT8 ? 8 : 16;
    wide value = naive_sign_extend(source_element(dev, n, cube, x, y, c), bits);
    wide product = (value - naive_sign_extend(n->in_offset, bits)) * naive_sign_extend(n->in_scale, 16);
    return (int64_t)naive_saturate(naive_round_shift(product, (int)n->in_shift), bits + 1);
}

/* One element of the output and what the tables answered: sections 4 to 8, integers. */
static uint32_t naive_integer(const struct device *dev, const struct normalisation *n, const struct lut_settings *lut,
                              const struct lut_entries *entries, const uint8_t *cube, uint32_t x, uint32_t y,
                              uint32_t c, struct lut_result *found) {
    bool int8 = n->precision == NVDLA_INT8;
    int64_t own = naive_input(dev, n, cube, x, y, c);
    int64_t q = own;
    if (!(n->bypass & 1)) {
        q = 0;
        int reach = (int)n->length + 1;
        for (int k = -reach; k <= reach; k++) {
            int64_t v = naive_input(dev, n, cube, x, y, (int64_t)c + k);
            q += v * v;
        }
    }
    *found = second_lut(false, n->precision, lut, entries, q);
    wide m = n->bypass & 2 ? found->value : (wide)found->value * own;
    m = (m - naive_sign_extend(n->out_offset, int8 ? 25 : 32)) * naive_sign_extend(n->out_scale, 16);
    m = naive_saturate(naive_round_shift(m, (int)n->out_shift), int8 ? 8 : 16);
    return (uint32_t)(int64_t)m & (int8 ? 0xff : 0xffff);
}

/* The same in FP16. */
static uint32_t naive_fp16(const struct device *dev, const struct normalisation *n, const struct lut_settings *lut,
                           const struct lut_entries *entries, const uint8_t *cube, uint32_t x, uint32_t y, uint32_t c,
                           struct lut_result *found) {
    uint32_t v[9], s[9];
    for (int k = 0; k < 9; k++) {
        uint16_t own = (uint16_t)source_element(dev, n, cube, x, y, (int64_t)c + k - 4);
        v[k] = fp16_to_fp17(n->nan_to_zero && fp16_is_nan(own) ? 0 : own);
        s[k] = fp32_mul(fp17_to_fp32(v[k]), fp17_to_fp32(v[k]));
    }
    uint32_t q = fp32_add(fp32_add(s[3], s[5]), s[4]);
    q = n->length > 0 ? fp32_add(q, fp32_add(s[2], s[6])) : q;
    q = n->length > 1 ? fp32_add(q, fp32_add(s[1], s[7])) : q;
    q = n->length > 2 ? fp32_add(q, fp32_add(s[0], s[8])) : q;
    *found = second_lut(false, NVDLA_FP16, lut, entries, n->bypass & 1 ? fp17_to_fp32(v[4]) : q);
    uint32_t factor = (uint32_t)found->value;
    if (n->bypass & 2)
        return fp17_to_fp16(fp17_is_nan(v[4]) ? v[4] : factor);
    return fp17_to_fp16(fp17_mul(v[4], factor));
}

/* The idle units of 16-bit layers: four of them in every beat of 8 bytes. */
static void count_idle(const struct device *dev, const struct normalisation *n, const struct lut_counters *idle,
                       struct lut_counters *want) {
    uint32_t beats = n->width * n->height * (lanes_of(dev, n) / atom_lanes(dev, n)) * 4;
    if (n->precision == NVDLA_FP16) {
        want->hybrid += 4 * beats;
    } else if (n->precision == NVDLA_INT16) {
        want->underflow += idle->underflow * beats;
        want->overflow += idle->overflow * beats;
        want->hybrid += idle->hybrid * beats;
        want->le_hit += idle->le_hit * beats;
        want->lo_hit += idle->lo_hit * beats;
    }
}

static void compare_counters(struct device *dev, const struct lut_counters *want) {
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_PERF_LUT_UFLOW), want->underflow);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_PERF_LUT_OFLOW), want->overflow);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_PERF_LUT_HYBRID), want->hybrid);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_PERF_LUT_LE_HIT), want->le_hit);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_PERF_LUT_LO_HIT), want->lo_hit);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_NAN_INPUT_NUM), 0);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_INF_INPUT_NUM), 0);
}

/* Compares all lanes of the layer that was just run, and its counters. idle: answers of the idle units, updated by INT8
 * layers. */
static void compare_layer(struct device *dev, const struct normalisation *n, const struct lut_settings *lut,
                          const struct lut_entries *entries, const uint8_t *cube, struct lut_counters *idle) {
    struct lut_counters want = {0}, last = {0};
    uint32_t nans = 0, largest = 0, lanes = lanes_of(dev, n);
    for (uint32_t c = 0; c < lanes; c++) {
        for (uint32_t y = 0; y < n->height; y++) {
            for (uint32_t x = 0; x < n->width; x++) {
                struct lut_result found;
                uint32_t value = n->precision == NVDLA_FP16
                                     ? naive_fp16(dev, n, lut, entries, cube, x, y, c, &found)
                                     : naive_integer(dev, n, lut, entries, cube, x, y, c, &found);
                uint64_t at = element(dev, n, n->destination, n->destination_line, n->destination_surface, x, y, c);
                assert_int_equal(element_at(dev, at, bytes_of(n)), value);
                lut_count(&want, &found);
                nans += fp16_is_nan((uint16_t)value);
                largest += (value & 0x7fff) == 0x7bff;
                if (c + 8 > lanes && (lanes - c) % 2 == 1 && y == n->height - 1 && x == n->width - 1)
                    lut_count(&last, &found);
            }
        }
    }
    count_idle(dev, n, idle, &want);
    compare_counters(dev, &want);
    if (n->precision == NVDLA_INT8)
        *idle = last;
    if (n->precision == NVDLA_FP16) {
        assert_int_equal(get(dev, NVDLA_CDP, CDP_D_OUT_SATURATION), largest);
        assert_int_equal(get(dev, NVDLA_CDP, CDP_D_NAN_OUTPUT_NUM), nans);
    } else {
        assert_int_equal(get(dev, NVDLA_CDP, CDP_D_NAN_OUTPUT_NUM), 0);
        if (!dev->config->int16)
            assert_int_equal(get(dev, NVDLA_CDP, CDP_D_OUT_SATURATION), 0);
    }
}

static struct lut_range random_range(uint64_t *state, int most_select, int64_t size) {
    int select = (int)below(state, (uint32_t)most_select + 3) - 2;
    int64_t start = (int64_t)below(state, 4096) - (below(state, 2) ? 2048 : 4096);
    return (struct lut_range){
        .start = start,
        .end = select < 0 ? start + (size >> -select) : start + (size << select),
        .select = select,
        .under = {(int16_t)rnd(state), (int)below(state, 32) - 16},
        .over = {(int16_t)rnd(state), (int)below(state, 32) - 16},
    };
}

static struct lut_settings random_lut(uint64_t *state, enum nvdla_precision precision) {
    int more = precision == NVDLA_INT16 ? 16 : 0;
    return (struct lut_settings){
        .le_linear = below(state, 2),
        .under_first_lo = below(state, 2),
        .over_first_lo = below(state, 2),
        .hybrid_first_lo = below(state, 2),
        .le_index_offset = (int)below(state, 24) - 8,
        .range = {random_range(state, 12 + more, 64), random_range(state, 10 + more, 256)},
    };
}

/* FP32 pattern of a magnitude between 2^-20 and 2^20, or anything at all. */
static uint32_t random_fp32(uint64_t *state) {
    uint32_t pattern = rnd(state);
    return below(state, 8) ? (pattern & 0x807fffff) | (107 + below(state, 40)) << 23 : pattern;
}

/* The integer fields with what FP16 layers put there. */
static struct lut_settings random_lut_fp16(uint64_t *state) {
    struct lut_settings lut = random_lut(state, NVDLA_FP16);
    lut.le_index_offset = (int)below(state, 40) - 30;
    for (int table = 0; table < LUT_TABLES; table++) {
        lut.range[table].select = (int)below(state, 30) - 15;
        lut.range[table].start = below(state, 2) ? 0 : random_fp32(state);
        lut.range[table].end = random_fp32(state);
    }
    return lut;
}

static struct normalisation random_layer(const struct device *dev, uint64_t *state, enum nvdla_precision precision) {
    uint32_t atom = atom_of(dev), shift = precision == NVDLA_INT16 ? 8 : 3;
    struct normalisation n = {
        .precision = precision,
        .nan_to_zero = below(state, 2),
        .width = 1 + below(state, below(state, 4) ? 6 : 20),
        .height = 1 + below(state, 4),
        .channels = 1 + below(state, below(state, 4) ? 3 * atom : 300),
        .bypass = below(state, 3) ? 0 : below(state, 4),
        .length = below(state, 4),
        .in_offset = rnd(state) & 0xffff,
        .in_scale = below(state, 2) ? 1 : rnd(state) & 0xffff,
        .out_offset = below(state, 2) ? below(state, 2000) : rnd(state),
        .out_scale = rnd(state) & 0xffff,
        .out_shift = 16 + below(state, 20),
    };
    n.in_shift = n.in_scale == 1 ? below(state, shift) : 6 + below(state, 12);
    if (below(state, 4) == 0)
        n.out_shift = below(state, 64);
    place(dev, &n);
    n.source_line += atom * below(state, 3);
    n.source_surface = n.height * n.source_line + atom * below(state, 3);
    n.destination_line += atom * below(state, 3);
    n.destination_surface = n.height * n.destination_line + atom * below(state, 3);
    return n;
}

static void random_layers(const char *config, enum nvdla_precision precisions, uint64_t seed, int count) {
    struct device *dev = cdp_device(config);
    uint8_t *cube = malloc(REGION);
    assert_non_null(cube);
    random_region(dev, &seed, SOURCE, REGION);
    memory_read(dev->memory[SPACE_PRIMARY], SOURCE, cube, REGION);
    struct lut_counters idle = {.hybrid = 4};
    for (int i = 0; i < count; i++) {
        struct lut_entries entries;
        for (int k = 0; k < LUT_LO_ENTRIES; k++) {
            entries.lo[k] = (int16_t)rnd(&seed);
            entries.le[k % LUT_LE_ENTRIES] = (int16_t)rnd(&seed);
        }
        enum nvdla_precision precision = (enum nvdla_precision)below(&seed, precisions + 1);
        struct lut_settings lut = precision == NVDLA_FP16 ? random_lut_fp16(&seed) : random_lut(&seed, precision);
        struct normalisation n = random_layer(dev, &seed, precision);
        load_tables(dev, &entries);
        put_settings(dev, &lut);
        run_layer(dev, &n);
        compare_layer(dev, &n, &lut, &entries, cube, &idle);
    }
    free(cube);
    bench_free(dev);
}

TEST(random_layers_atom_8) {
    random_layers("small", NVDLA_INT8, 1, 40);
}

TEST(random_layers_atom_16) {
    random_layers("medium_512", NVDLA_INT8, 2, 20);
}

TEST(random_layers_atom_32) {
    random_layers("medium_1024_full", NVDLA_INT8, 3, 15);
    random_layers("large", NVDLA_INT8, 4, 15);
}

TEST(random_layers_of_all_types) {
    random_layers("full", NVDLA_FP16, 5, 120);
}

TEST(longest_columns) {
    static const struct {
        const char *config;
        enum nvdla_precision precision;
    } cases[] = {{"small", NVDLA_INT8}, {"full", NVDLA_INT16}, {"full", NVDLA_FP16}};
    uint8_t *cube = malloc(4 * CDP_MAX_LANES);
    assert_non_null(cube);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device *dev = cdp_device(cases[i].config);
        uint64_t seed = 9;
        random_region(dev, &seed, SOURCE, 4 * CDP_MAX_LANES);
        memory_read(dev->memory[SPACE_PRIMARY], SOURCE, cube, 4 * CDP_MAX_LANES);
        struct lut_entries entries = {.le = {1000}, .lo = {2000}};
        struct lut_settings lut = {.le_index_offset = 2,
                                   .range = {{.under = {7, 3}}, {.start = 50000, .over = {-5, 2}}}};
        struct normalisation n = {.precision = cases[i].precision,
                                  .width = 2,
                                  .height = 1,
                                  .channels = CDP_MAX_LANES,
                                  .length = 3,
                                  .in_scale = 1,
                                  .out_scale = 3,
                                  .out_shift = 9};
        place(dev, &n);
        load_tables(dev, &entries);
        put_settings(dev, &lut);
        run_layer(dev, &n);
        compare_layer(dev, &n, &lut, &entries, cube, &(struct lut_counters){.hybrid = 4});
        bench_free(dev);
    }
    free(cube);
}

TEST(output_may_replace_the_input) {
    struct device *dev = cdp_device("small");
    uint64_t seed = 11;
    uint8_t cube[19 * 3 * 16];
    random_region(dev, &seed, SOURCE, sizeof cube);
    memory_read(dev->memory[SPACE_PRIMARY], SOURCE, cube, sizeof cube);
    struct lut_entries entries;
    for (int k = 0; k < LUT_LO_ENTRIES; k++)
        entries.lo[k] = entries.le[k % LUT_LE_ENTRIES] = (int16_t)(256 - k);
    struct lut_settings lut = {.range = {{0}, {.select = 8}}, .hybrid_first_lo = true};
    struct normalisation n = {
        .width = 19, .height = 3, .channels = 13, .length = 1, .in_scale = 1, .out_scale = 1, .out_shift = 8};
    place(dev, &n);
    n.destination = SOURCE;
    load_tables(dev, &entries);
    put_settings(dev, &lut);
    run_layer(dev, &n);
    compare_layer(dev, &n, &lut, &entries, cube, &(struct lut_counters){0});
    bench_free(dev);
}

/* RAM_TYPE chooses the memory. The table's underflow line makes the layer a copy. */
TEST(source_and_destination_in_cvsram) {
    for (int secondary = 0; secondary < 4; secondary++) {
        struct device *dev = bench_new("full");
        struct memory *from = dev->memory[secondary & 1 ? SPACE_SECONDARY : SPACE_PRIMARY];
        struct memory *to = dev->memory[secondary & 2 ? SPACE_SECONDARY : SPACE_PRIMARY];
        struct normalisation n = {.precision = NVDLA_INT16, .width = 1, .height = 1, .channels = 16, .in_scale = 1};
        n.bypass = 3;
        n.out_offset = (uint32_t)-0x4000;
        n.out_scale = 1;
        uint8_t bytes[32] = {0x34, 0x12, 0x78, 0x06}, copy[32];
        place(dev, &n);
        memory_declare(from, SOURCE, sizeof bytes);
        memory_declare(to, DESTINATION, sizeof bytes);
        memory_write(from, SOURCE, bytes, sizeof bytes, NULL, NULL);
        put_settings(dev, &(struct lut_settings){.le_linear = true,
                                                 .range = {{.start = 0x4000, .under = {1, 0}}, {.start = 0x4000}}});
        cdp_program(dev, &n);
        put(dev, NVDLA_CDP_RDMA, CDP_RDMA_D_SRC_DMA_CFG, !(secondary & 1));
        put(dev, NVDLA_CDP, CDP_D_DST_DMA_CFG, !(secondary & 2));
        cdp_arm(dev);
        assert_int_equal(advance(dev), DEVICE_INTERRUPT);
        assert_int_equal(dev->finding_count, 0);
        memory_read(to, DESTINATION, copy, sizeof copy);
        assert_memory_equal(copy, bytes, sizeof copy);
        bench_free(dev);
    }
}

/* ---- counters ---- */

/* A layer of FP16 without a table to speak of: its elements come back as they are. */
static void identity_fp16(struct device *dev, struct normalisation *n) {
    struct lut_entries entries = {.lo = {0x3c00}};
    *n = (struct normalisation){.precision = NVDLA_FP16, .width = 1, .height = 1, .channels = 4, .bypass = 1};
    place(dev, n);
    load_tables(dev, &entries);
    put_settings(dev, &(struct lut_settings){.under_first_lo = true,
                                             .hybrid_first_lo = true,
                                             .le_linear = true,
                                             .range = {{.start = 0x7f7fffff}, {.start = 0x7f7fffff}}});
}

TEST(nan_and_infinity_are_counted_as_written) {
    struct device *dev = cdp_device("full");
    struct normalisation n;
    static const uint16_t input[4] = {0x7e01, 0xfc00, 0x7bff, 0x0001};
    random_region(dev, &(uint64_t){1}, SOURCE, 32);
    for (uint32_t c = 0; c < 4; c++)
        put_element(dev, SOURCE + 2 * c, 2, input[c]);
    identity_fp16(dev, &n);
    run_layer(dev, &n);
    static const uint16_t plain[6] = {0x7e01, 0xfbff, 0x7bff, 0x0001, 0, 0};
    for (uint32_t c = 0; c < 6; c++)
        assert_int_equal(element_at(dev, DESTINATION + 2 * c, 2), plain[c]);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_NAN_INPUT_NUM), 0);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_INF_INPUT_NUM), 0);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_NAN_OUTPUT_NUM), 1);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_OUT_SATURATION), 2);
    n.nan_to_zero = true;
    run_layer(dev, &n);
    assert_int_equal(element_at(dev, DESTINATION, 2), 0);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_NAN_OUTPUT_NUM), 0);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_OUT_SATURATION), 2);
    bench_free(dev);
}

/* Integers: an element counts if it is more than 1 away from the shifted product; pad lanes count too. */
TEST(clipped_integers_are_counted) {
    static const struct {
        const char *config;
        enum nvdla_precision precision;
        uint32_t offset, scale, shift; /* of the output convertor, whose input is 0 */
        uint32_t want;
    } cases[] = {
        {"full", NVDLA_INT8, 0, 1, 0, 0},
        {"full", NVDLA_INT8, (uint32_t)-127, 1, 0, 0},
        {"full", NVDLA_INT8, (uint32_t)-128, 1, 0, 0},
        {"full", NVDLA_INT8, (uint32_t)-129, 1, 0, 32},
        {"full", NVDLA_INT8, 129, 1, 0, 0},
        {"full", NVDLA_INT8, 130, 1, 0, 32},
        {"full", NVDLA_INT8, (uint32_t)-129, 2, 1, 32},
        {"full", NVDLA_INT16, (uint32_t)-129, 1, 0, 0},
        {"full", NVDLA_INT16, (uint32_t)-32769, 1, 0, 16},
        {"full", NVDLA_INT16, 32768, 0x7fff, 15, 0},
        {"full", NVDLA_INT16, 32768, 0x8000, 14, 16},
        {"small", NVDLA_INT8, 1000, 1, 0, 0},
        {"large", NVDLA_INT8, 1000, 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device *dev = cdp_device(cases[i].config);
        struct normalisation n = {.precision = cases[i].precision,
                                  .width = 1,
                                  .height = 1,
                                  .channels = 5,
                                  .bypass = 2,
                                  .out_offset = cases[i].offset,
                                  .out_scale = cases[i].scale,
                                  .out_shift = cases[i].shift};
        place(dev, &n);
        run_layer(dev, &n);
        assert_int_equal(get(dev, NVDLA_CDP, CDP_D_OUT_SATURATION), cases[i].want);
        bench_free(dev);
    }
}

/* Section 9: INT8 layers leave an answer of each idle unit behind, which INT16 layers repeat in each beat of 8 bytes;
 * FP16 layers count as hybrid and change nothing; reset does. */
TEST(idle_units_repeat_the_latest_int8_layer) {
    struct device *dev = cdp_device("full");
    struct normalisation int8 = {.width = 2, .height = 1, .channels = 64, .in_scale = 1, .out_scale = 1, .bypass = 1};
    struct normalisation int16 = {.precision = NVDLA_INT16, .width = 3, .height = 1, .channels = 17};
    struct normalisation fp16;
    place(dev, &int8);
    place(dev, &int16);
    random_region(dev, &(uint64_t){1}, SOURCE, 128);
    for (uint32_t c = 0; c < 64; c++)
        put_element(dev, SOURCE + 64 * (c / 32) + 32 + c % 32, 1, c);
    /* 57 underflows in both tables, 59 over- and underflows, 61 hits LO only, 63 overflows in both. The sums of the
     * INT16 layer are 0: both underflow. */
    static const struct lut_settings lut = {.le_linear = true,
                                            .range = {{.start = 57, .select = -5}, {.start = 59, .select = -6}}};
    static const struct lut_counters fresh = {.underflow = 96, .hybrid = 96};
    static const struct lut_counters repeated = {.underflow = 120, .hybrid = 24, .lo_hit = 24, .overflow = 24};
    put_settings(dev, &lut);
    run_layer(dev, &int16);
    compare_counters(dev, &fresh);
    run_layer(dev, &int8);
    run_layer(dev, &int16);
    compare_counters(dev, &repeated);
    identity_fp16(dev, &fp16);
    run_layer(dev, &fp16);
    compare_counters(dev, &(struct lut_counters){.underflow = 16, .hybrid = 16});
    put_settings(dev, &lut);
    run_layer(dev, &int16);
    compare_counters(dev, &repeated);
    assert_true(dev->ops->reset(dev, NULL));
    put_settings(dev, &lut);
    run_layer(dev, &int16);
    compare_counters(dev, &fresh);
    bench_free(dev);
}

/* ---- access port ---- */

static uint32_t pointer(struct device *dev) {
    return get(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG);
}

static uint32_t entry(struct device *dev) {
    return get(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA);
}

TEST(tables_read_back) {
    struct device *dev = bench_new("small");
    struct lut_entries entries;
    for (int k = 0; k < LUT_LO_ENTRIES; k++) {
        entries.lo[k] = (int16_t)(k * 257 - 32768);
        entries.le[k % LUT_LE_ENTRIES] = (int16_t)(32767 - k * 100);
    }
    load_tables(dev, &entries);
    for (uint32_t table = 0; table < 2; table++) {
        uint32_t count = table ? LUT_LO_ENTRIES : LUT_LE_ENTRIES;
        const int16_t *want = table ? entries.lo : entries.le;
        put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG, table << 16);
        for (uint32_t k = 0; k < count; k++) {
            assert_int_equal(pointer(dev), table << 16 | k);
            assert_int_equal(entry(dev), (uint16_t)want[k]);
        }
        assert_int_equal(pointer(dev), table << 16 | (count - 1));
        assert_int_equal(entry(dev), (uint16_t)want[count - 1]);
    }
    bench_free(dev);
}

TEST(pointer_moves_in_its_own_direction_only) {
    struct device *dev = bench_new("small");
    put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG, 0x3003f);
    for (uint32_t k = 0; k < 3; k++)
        put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA, 0xabc0u + k);
    assert_int_equal(pointer(dev), 0x30042);
    assert_int_equal(entry(dev), 0);
    assert_int_equal(pointer(dev), 0x30042);
    put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG, 0x1003f);
    put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA, 0x1234);
    assert_int_equal(pointer(dev), 0x1003f);
    assert_int_equal(entry(dev), 0xabc0);
    assert_int_equal(entry(dev), 0xabc1);
    assert_int_equal(pointer(dev), 0x10041);
    bench_free(dev);
}

TEST(pointer_stops_at_the_last_entry) {
    struct device *dev = bench_new("small");
    put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG, 0x20000 | 63);
    for (uint32_t k = 0; k < 4; k++)
        put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA, 100 + k);
    assert_int_equal(pointer(dev), 0x20000 | 64);
    assert_int_equal(entry(dev), 103);
    put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG, 63);
    assert_int_equal(entry(dev), 100);
    assert_int_equal(entry(dev), 103);
    assert_int_equal(entry(dev), 103);
    /* Beyond the table: nothing is stored, and nothing else is hit. */
    put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG, 0x20000 | 1023);
    put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA, 7);
    assert_int_equal(pointer(dev), 0x20000 | 64);
    assert_int_equal(entry(dev), 103);
    put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG, 0x10000 | 257);
    assert_int_equal(entry(dev), 0);
    assert_int_equal(pointer(dev), 0x10000 | 256);
    bench_free(dev);
}

/* ---- scheduling ---- */

static void plain_layer(struct device *dev, struct normalisation *n) {
    struct lut_entries entries = {.lo = {5}};
    *n = (struct normalisation){.width = 3, .height = 2, .channels = 8, .in_scale = 1, .out_scale = 1, .bypass = 2};
    place(dev, n);
    load_tables(dev, &entries);
    put_settings(dev, &(struct lut_settings){.under_first_lo = true, .hybrid_first_lo = true});
}

TEST(a_layer_waits_for_both_units) {
    for (int first = 0; first < 2; first++) {
        struct device *dev = cdp_device("small");
        struct normalisation n;
        plain_layer(dev, &n);
        cdp_program(dev, &n);
        enum nvdla_unit unit[2] = {NVDLA_CDP, NVDLA_CDP_RDMA};
        const uint32_t enable[2] = {CDP_D_OP_ENABLE, CDP_RDMA_D_OP_ENABLE};
        put(dev, unit[first], enable[first], 1);
        assert_int_equal(advance(dev), DEVICE_IDLE);
        assert_int_equal(get(dev, unit[first], CDP_S_STATUS), 1);
        assert_int_equal(get(dev, unit[!first], CDP_S_STATUS), 0);
        put(dev, unit[!first], enable[!first], 1);
        assert_int_equal(advance(dev), DEVICE_INTERRUPT);
        assert_int_equal(pending_interrupts(dev), 4);
        assert_int_equal(byte_at(dev, DESTINATION), 5);
        bench_free(dev);
    }
}

TEST(two_layers_queue_up) {
    struct device *dev = cdp_device("small");
    struct normalisation n;
    plain_layer(dev, &n);
    cdp_program(dev, &n);
    cdp_arm(dev);
    cdp_group(dev, 1);
    n.destination += 0x1000;
    n.out_scale = 2;
    cdp_program(dev, &n);
    cdp_arm(dev);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_S_STATUS), 0x20001);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 4);
    assert_int_equal(byte_at(dev, DESTINATION + 47), 5);
    assert_int_equal(byte_at(dev, n.destination), 0);
    clear_interrupts(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 8);
    assert_int_equal(byte_at(dev, n.destination), 10);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_PERF_LUT_UFLOW), 48);
    cdp_group(dev, 0);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_PERF_LUT_UFLOW), 48);
    bench_free(dev);
}

TEST(counters_clear_when_a_layer_is_armed) {
    struct device *dev = cdp_device("small");
    struct normalisation n;
    plain_layer(dev, &n);
    run_layer(dev, &n);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_PERF_LUT_UFLOW), 48);
    put(dev, NVDLA_CDP, CDP_D_OP_ENABLE, 1);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_PERF_LUT_UFLOW), 0);
    bench_free(dev);
}

TEST(wrong_programs_hang) {
    static const struct {
        enum nvdla_unit unit;
        uint32_t offset, value;
    } changes[] = {
        {NVDLA_CDP, CDP_D_DST_DMA_CFG, 0},
        {NVDLA_CDP_RDMA, CDP_RDMA_D_SRC_DMA_CFG, 0},
        {NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_0, 0x00010101},
        {NVDLA_MCIF, MCIF_CFG_WR_WEIGHT_0, 0x00010101},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct device *dev = cdp_device("small");
        struct normalisation n;
        plain_layer(dev, &n);
        cdp_program(dev, &n);
        put(dev, changes[i].unit, changes[i].offset, changes[i].value);
        cdp_arm(dev);
        assert_int_equal(advance(dev), DEVICE_IDLE);
        assert_true(dev->ops->at_rest(dev));
        assert_int_equal(get(dev, NVDLA_CDP, CDP_S_STATUS), 1);
        assert_int_equal(get(dev, NVDLA_CDP_RDMA, CDP_RDMA_S_STATUS), 1);
        assert_int_equal(pending_interrupts(dev), 0);
        bench_free(dev);
    }
}

/* The two units have to agree in a data format that exists. */
TEST(data_formats_must_agree) {
    for (uint32_t cdp = 0; cdp < 4; cdp++) {
        for (uint32_t rdma = 0; rdma < 4; rdma++) {
            struct device *dev = cdp_device("full");
            struct normalisation n;
            plain_layer(dev, &n);
            cdp_program(dev, &n);
            put(dev, NVDLA_CDP, CDP_D_DATA_FORMAT, cdp);
            put(dev, NVDLA_CDP_RDMA, CDP_RDMA_D_DATA_FORMAT, rdma);
            cdp_arm(dev);
            bool runs = cdp == rdma && cdp < 3;
            assert_int_equal(advance(dev), runs ? DEVICE_INTERRUPT : DEVICE_IDLE);
            assert_int_equal(get(dev, NVDLA_CDP, CDP_S_STATUS), !runs);
            assert_int_equal(get(dev, NVDLA_CDP_RDMA, CDP_RDMA_S_STATUS), !runs);
            bench_free(dev);
        }
    }
}

/* Data formats, NaN flush and performance enables do nothing in INT8 configurations. */
TEST(settings_without_effect) {
    struct device *dev = cdp_device("small");
    struct normalisation n;
    plain_layer(dev, &n);
    cdp_program(dev, &n);
    PUT(dev, NVDLA_CDP, {CDP_D_DATA_FORMAT, 2}, {CDP_D_NAN_FLUSH_TO_ZERO, 1}, {CDP_D_PERF_ENABLE, 0});
    put(dev, NVDLA_CDP_RDMA, CDP_RDMA_D_DATA_FORMAT, 1);
    cdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(byte_at(dev, DESTINATION + 47), 5);
    assert_int_equal(byte_at(dev, DESTINATION + 48), 0);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_DATA_FORMAT), 2);
    bench_free(dev);
}
