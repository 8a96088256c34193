/* CDP of the model: the vectors of 62-cdp section 11, and tables read back. Other layers are cases of model.txt. */
#include "model_bench.h"

#include "model/cdp.h"
#include "nvdla/fp.h"
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

static void put_element(struct device *dev, uint64_t address, uint32_t bytes, uint32_t value) {
    memory_write(dev->memory[SPACE_PRIMARY], address, &value, bytes, NULL, NULL);
}

/* Pattern of an element: 8 or 16 bits. */
static uint32_t element_at(struct device *dev, uint64_t address, uint32_t bytes) {
    return bytes == 1 ? byte_at(dev, address) : byte_at(dev, address) | (uint32_t)byte_at(dev, address + 1) << 8;
}

static const struct lut_settings column_lut = {
    .le_linear = true,
    .under_first_lo = true,
    .over_first_lo = true,
    .hybrid_first_lo = true,
    .range = {{.end = 64}, {.end = 256}},
};

/* Runs one column with garbage behind its channels, and compares its first lanes with those of a row. */
static void check_column(const char *config, const struct normalisation *setting, const struct lut_settings *lut,
                         const struct lut_entries *entries, const struct vectors *v, const int64_t *in,
                         const int64_t *out, size_t count) {
    struct device *dev = cdp_device(config);
    struct normalisation n = *setting;
    const uint32_t bytes = n.precision == NVDLA_INT8 ? 1 : 2;
    n.width = n.height = 1;
    place(dev, &n);
    load_tables(dev, entries);
    put_settings(dev, lut);
    random_region(dev, &(uint64_t){62}, SOURCE, 64);
    for (uint32_t c = 0; c < n.channels; c++)
        put_element(dev, SOURCE + bytes * c, bytes, (uint32_t)in[c]);
    run_layer(dev, &n);
    for (size_t c = 0; c < count; c++)
        assert_true(vectors_equal(v, element_at(dev, DESTINATION + bytes * c, bytes),
                                  bytes == 1 ? (uint8_t)out[c] : (uint16_t)out[c]));
}

/* Section 11.2. LO is first + step * k. */
TEST_FOR(int8_layer_vectors, "small", "medium_512", "large", "full") {
    static const int64_t column[8] = {1, 2, 3, 4, 5, 6, 7, -8};
    for (struct vectors v = vectors_of("cdp", "layer_int8"); vectors_next(&v);) {
        const int64_t *c = v.number;
        const struct normalisation n = {.channels = 8,
                                        .length = (uint32_t)c[0],
                                        .bypass = (uint32_t)c[1],
                                        .in_offset = (uint32_t)c[2],
                                        .in_scale = (uint32_t)c[3],
                                        .in_shift = (uint32_t)c[4],
                                        .out_offset = (uint32_t)c[5],
                                        .out_scale = (uint32_t)c[6],
                                        .out_shift = (uint32_t)c[7]};
        struct lut_settings lut = column_lut;
        struct lut_entries entries = {0};
        for (int k = 0; k < LUT_LO_ENTRIES; k++)
            entries.lo[k] = (int16_t)(c[8] + c[9] * k);
        lut.range[LUT_LO].select = (int)c[10];
        lut.range[LUT_LO].end = INT64_C(256) << c[10];
        lut.range[LUT_LO].under.scale = (int16_t)c[11];
        check_column(*state, &n, &lut, &entries, &v, column, c + 12, strcmp(*state, "small") == 0 ? 8 : 10);
    }
}

/* Section 11.3. */
TEST(int16_layer_vectors) {
    struct lut_entries falling = {0};
    for (int k = 0; k < LUT_LO_ENTRIES; k++)
        falling.lo[k] = (int16_t)(32767 - 100 * k);
    struct normalisation n = {.precision = NVDLA_INT16, .in_scale = 1, .out_scale = 1, .out_shift = 15};
    struct lut_settings lut = column_lut;
    lut.range[LUT_LO].select = 11;
    lut.range[LUT_LO].end = 1 << 19;
    for (struct vectors v = vectors_of("cdp", "layer_int16"); vectors_next(&v);) {
        n.channels = (uint32_t)v.number[0];
        n.length = (uint32_t)v.number[1];
        check_column("full", &n, &lut, &falling, &v, v.number + 2, v.number + 2 + n.channels, n.channels);
    }
}

/* The same section: LE exponential, of the elements themselves. */
TEST(int16_exponential_table) {
    struct lut_entries steps = {0};
    for (int k = 0; k < LUT_LE_ENTRIES; k++)
        steps.le[k] = (int16_t)(k < 32 ? 1000 * k : 32000);
    const struct normalisation n = {
        .precision = NVDLA_INT16, .channels = 4, .in_scale = 1, .out_scale = 1, .bypass = 2};
    const struct lut_settings lut = {.range = {{.end = INT64_C(1) << 36}, {.end = 256}}};
    for (struct vectors v = vectors_of("cdp", "exponential_int16"); vectors_next(&v);)
        check_column("full", &n, &lut, &steps, &v, v.number, v.number + 4, 6);
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
        const int64_t input[4] = {0x3c00, v.number[3], 0x3800, 0x4200};
        const struct normalisation n = {.precision = NVDLA_FP16,
                                        .channels = 4,
                                        .length = (uint32_t)v.number[0],
                                        .bypass = (uint32_t)v.number[1],
                                        .nan_to_zero = v.number[2]};
        check_column("full", &n, &lut, &entries, &v, input, v.number + 4, 6);
    }
}

/* ---- counters ---- */

/* Integers: an element counts if it is more than 1 away from the shifted product; pad lanes count too. */
TEST(clipped_integers_are_counted) {
    for (struct vectors v = vectors_of("cdp", "saturation"); vectors_next(&v);) {
        struct device *dev = cdp_device(v.cell[0]);
        struct normalisation n = {.precision = v.number[1] == 8 ? NVDLA_INT8 : NVDLA_INT16,
                                  .width = 1,
                                  .height = 1,
                                  .channels = 5,
                                  .bypass = 2,
                                  .out_offset = (uint32_t)v.number[2],
                                  .out_scale = (uint32_t)v.number[3],
                                  .out_shift = (uint32_t)v.number[4]};
        place(dev, &n);
        run_layer(dev, &n);
        assert_true(vectors_equal(&v, get(dev, NVDLA_CDP, CDP_D_OUT_SATURATION), v.number[5]));
    }
}

/* ---- access port ---- */

TEST_ON(tables_read_back, struct device *dev, bench_new("small")) {
    struct lut_entries entries;
    for (int k = 0; k < LUT_LO_ENTRIES; k++) {
        entries.lo[k] = (int16_t)(k * 257 - 32768);
        entries.le[k % LUT_LE_ENTRIES] = (int16_t)(32767 - k * 100);
    }
    load_tables(dev, &entries);
    for (uint32_t table = 0; table < 2; table++) {
        put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG, table << 16);
        for (uint32_t k = 0; k < (table ? LUT_LO_ENTRIES : LUT_LE_ENTRIES); k++) {
            assert_int_equal(get(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG), table << 16 | k);
            assert_int_equal(get(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA),
                             (uint16_t)(table ? entries.lo[k] : entries.le[k]));
        }
    }
}
