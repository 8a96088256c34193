/* CDP of the model: the vectors of 62-cdp section 11, and tables read back. Other layers are cases of model.txt. */
#include "model_bench.h"

#include "nvdla/fixed.h"
#include "tests/lut_tables.h"
#include "tests/unit/test.h"
#include "tests/vectors.h"

static void put_one(void *dev, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    put(dev, unit, offset, value);
}

/* Runs a layer of one pixel, with these registers of CDP besides. */
static void run_layer(struct device *dev, enum nvdla_precision precision, uint32_t channels, const char *registers) {
    const int atom = dev->config->mem_atom;
    char *text =
        kept(xprintf("CDP_RDMA: D_DATA_FORMAT=%d D_DATA_CUBE_CHANNEL=%u D_SRC_BASE_ADDR_LOW=%d "
                     "D_SRC_LINE_STRIDE=%d D_SRC_SURFACE_STRIDE=%d D_SRC_DMA_CFG=1 D_OP_ENABLE=1 "
                     "CDP: D_DATA_FORMAT=%d D_DST_BASE_ADDR_LOW=%d D_DST_LINE_STRIDE=%d "
                     "D_DST_SURFACE_STRIDE=%d D_DST_DMA_CFG=1 %s D_OP_ENABLE=1",
                     precision, channels - 1, SOURCE, atom, atom, precision, DESTINATION, atom, atom, registers));
    register_text(dev->config, text, put_one, dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 4);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_S_STATUS), 0);
    assert_int_equal(get(dev, NVDLA_CDP_RDMA, CDP_RDMA_S_STATUS), 0);
    assert_int_equal(dev->finding_count, 0);
}

/* ---- vectors ---- */

static void put_element(struct device *dev, uint64_t address, uint32_t bytes, uint32_t value) {
    memory_write(dev->memory[SPACE_PRIMARY], address, &value, bytes, NULL, NULL);
}

/* Pattern of an element: 8 or 16 bits. */
static uint32_t element_at(struct device *dev, uint64_t address, uint32_t bytes) {
    return bytes == 1 ? byte_at(dev, address) : byte_at(dev, address) | (uint32_t)byte_at(dev, address + 1) << 8;
}

/* Runs one column with garbage behind its channels, and compares its first lanes with those of a row. */
static void check_column(const char *config, enum nvdla_precision precision, uint32_t channels, const char *registers,
                         const struct lut_entries *entries, const struct vectors *v, const int64_t *in,
                         const int64_t *out, size_t count) {
    struct device *dev = bench_of_layer(config);
    const uint32_t bytes = precision == NVDLA_INT8 ? 1 : 2;
    load_tables(dev, NVDLA_CDP, entries->le, entries->lo);
    random_region(dev, &(uint64_t){62}, SOURCE, 64);
    for (uint32_t c = 0; c < channels; c++)
        put_element(dev, SOURCE + bytes * c, bytes, (uint32_t)in[c]);
    run_layer(dev, precision, channels, registers);
    for (size_t c = 0; c < count; c++)
        assert_true(vectors_equal(v, element_at(dev, DESTINATION + bytes * c, bytes),
                                  bytes == 1 ? (uint8_t)out[c] : (uint16_t)out[c]));
}

/* Section 11.1. A table of ones; the output convertor takes off what the input convertor should give. */
TEST(convertor_vectors) {
    struct lut_entries ones;
    static const int64_t zero = 0;
    for (int k = 0; k < LUT_LO_ENTRIES; k++)
        ones.lo[k] = ones.le[k % LUT_LE_ENTRIES] = 1;
    for (int half = 0; half < 2; half++) {
        for (struct vectors v = vectors_of("cdp", half ? "input_int16" : "input_int8"); vectors_next(&v);)
            check_column("full", half ? NVDLA_INT16 : NVDLA_INT8, 1,
                         kept(xprintf("D_DATIN_OFFSET=%s D_DATIN_SCALE=%s D_DATIN_SHIFTER=%s "
                                      "D_DATOUT_OFFSET=%s D_DATOUT_SCALE=1",
                                      v.cell[1], v.cell[2], v.cell[3], v.cell[4])),
                         &ones, &v, v.number, &zero, 1);
        for (struct vectors v = vectors_of("cdp", half ? "output_int16" : "output_int8"); vectors_next(&v);) {
            const int64_t *n = v.number;
            const int64_t got = fixed_convert(n[0], (int32_t)n[1], (int16_t)n[2], (unsigned)n[3], half ? 16 : 8);
            assert_true(vectors_equal(&v, got, n[4]));
        }
    }
}

/* Section 11.2. LO is first + step * k. */
TEST_FOR(int8_layer_vectors, "small", "medium_512", "large", "full") {
    static const int64_t column[8] = {1, 2, 3, 4, 5, 6, 7, -8};
    for (struct vectors v = vectors_of("cdp", "layer_int8"); vectors_next(&v);) {
        const int64_t *c = v.number;
        struct lut_entries entries = {0};
        for (int k = 0; k < LUT_LO_ENTRIES; k++)
            entries.lo[k] = (int16_t)(c[8] + c[9] * k);
        char *registers = kept(xprintf("S_LUT_CFG=0x71 S_LUT_INFO=%d S_LUT_LE_END_LOW=64 S_LUT_LO_END_LOW=%d "
                                       "S_LUT_LO_SLOPE_SCALE=%d D_LRN_CFG=%s D_FUNC_BYPASS=%s "
                                       "D_DATIN_OFFSET=%s D_DATIN_SCALE=%s D_DATIN_SHIFTER=%s "
                                       "D_DATOUT_OFFSET=%s D_DATOUT_SCALE=%s D_DATOUT_SHIFTER=%s",
                                       (int)c[10] << 16, 256 << c[10], (uint16_t)c[11], v.cell[0], v.cell[1], v.cell[2],
                                       v.cell[3], v.cell[4], v.cell[5], v.cell[6], v.cell[7]));
        check_column(*state, NVDLA_INT8, 8, registers, &entries, &v, column, c + 12,
                     strcmp(*state, "small") == 0 ? 8 : 10);
    }
}

/* Section 11.3. */
TEST(int16_layer_vectors) {
    struct lut_entries falling = {0};
    for (int k = 0; k < LUT_LO_ENTRIES; k++)
        falling.lo[k] = (int16_t)(32767 - 100 * k);
    for (struct vectors v = vectors_of("cdp", "layer_int16"); vectors_next(&v);) {
        const uint32_t channels = (uint32_t)v.number[0];
        char *registers = kept(xprintf("S_LUT_CFG=0x71 S_LUT_INFO=0xb0000 S_LUT_LE_END_LOW=64 S_LUT_LO_END_LOW=0x80000 "
                                       "D_DATIN_SCALE=1 D_DATOUT_SCALE=1 D_DATOUT_SHIFTER=15 "
                                       "D_LRN_CFG=%s",
                                       v.cell[1]));
        check_column("full", NVDLA_INT16, channels, registers, &falling, &v, v.number + 2, v.number + 2 + channels,
                     channels);
    }
}

/* The same section: LE exponential, of the elements themselves. */
TEST(int16_exponential_table) {
    struct lut_entries steps = {0};
    for (int k = 0; k < LUT_LE_ENTRIES; k++)
        steps.le[k] = (int16_t)(k < 32 ? 1000 * k : 32000);
    for (struct vectors v = vectors_of("cdp", "exponential_int16"); vectors_next(&v);)
        check_column("full", NVDLA_INT16, 4,
                     "D_DATIN_SCALE=1 D_DATOUT_SCALE=1 D_FUNC_BYPASS=2 S_LUT_LE_END_HIGH=16 S_LUT_LO_END_LOW=256",
                     &steps, &v, v.number, v.number + 4, 6);
}

/* Section 11.4. */
TEST(fp16_layer_vectors) {
    struct lut_entries entries = {0};
    for (int k = 0; k < LUT_LO_ENTRIES; k++)
        entries.lo[k] = (int16_t)fp16_of(1 / (1 + (float)k / 16));
    for (struct vectors v = vectors_of("cdp", "layer_fp16"); vectors_next(&v);) {
        const int64_t input[4] = {0x3c00, v.number[3], 0x3800, 0x4200};
        char *registers = kept(xprintf("S_LUT_CFG=0x71 S_LUT_INFO=0xfc0000 S_LUT_LE_END_LOW=0x42800000 "
                                       "S_LUT_LO_END_LOW=0x41800000 D_LRN_CFG=%s D_FUNC_BYPASS=%s "
                                       "D_NAN_FLUSH_TO_ZERO=%s",
                                       v.cell[0], v.cell[1], v.cell[2]));
        check_column("full", NVDLA_FP16, 4, registers, &entries, &v, input, v.number + 4, 6);
    }
}

/* ---- counters ---- */

/* Integers: an element counts if it is more than 1 away from the shifted product; pad lanes count too. */
TEST(clipped_integers_are_counted) {
    for (struct vectors v = vectors_of("cdp", "saturation"); vectors_next(&v);) {
        struct device *dev = bench_of_layer(v.cell[0]);
        run_layer(dev, v.number[1] == 8 ? NVDLA_INT8 : NVDLA_INT16, 5,
                  kept(xprintf("D_FUNC_BYPASS=2 D_DATOUT_OFFSET=%s D_DATOUT_SCALE=%s D_DATOUT_SHIFTER=%s", v.cell[2],
                               v.cell[3], v.cell[4])));
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
    load_tables(dev, NVDLA_CDP, entries.le, entries.lo);
    for (uint32_t table = 0; table < 2; table++) {
        put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG, table << 16);
        for (uint32_t k = 0; k < (table ? LUT_LO_ENTRIES : LUT_LE_ENTRIES); k++) {
            assert_int_equal(get(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG), table << 16 | k);
            assert_int_equal(get(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA),
                             (uint16_t)(table ? entries.lo[k] : entries.le[k]));
        }
    }
}
