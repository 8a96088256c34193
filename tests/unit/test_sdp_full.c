/* SDP of configuration full in the model: the layers of 50-sdp section 13.5, random layers of every precision against
 * addresses and operands found element by element, EW with its table, batches and Winograd, counters, and what hangs.
 */
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
    bench_free(dev);
}

TEST(operands_per_kernel) {
    struct device *dev = vector_bench();
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

TEST(int16_to_int8) {
    struct device *dev = vector_bench();
    sdp_copy(dev, 2, 1, 18, 0x1000, 0x3000);
    set_precisions(dev, NVDLA_INT16, NVDLA_INT8, NVDLA_INT8);
    put(dev, NVDLA_SDP, SDP_D_CVT_SHIFT, 8);
    run_to_end(dev);
    check_dump(dev, "int16_to_int8");
}

/* C = 5 needs only the first surface, both are written. */
TEST(int8_to_int16) {
    struct device *dev = vector_bench();
    sdp_copy(dev, 1, 2, 5, 0x1000, 0x3000);
    set_precisions(dev, NVDLA_INT8, NVDLA_INT8, NVDLA_INT16);
    put(dev, NVDLA_SDP, SDP_D_CVT_OFFSET, UINT32_MAX);
    put(dev, NVDLA_SDP, SDP_D_CVT_SCALE, 100);
    run_to_end(dev);
    check_dump(dev, "int8_to_int16");
}

/* ---- random layers ---- */

/* One of the eight combinations of section 7. */
struct precisions {
    uint32_t in, proc, out;
};

static const struct precisions legal[] = {
    {NVDLA_INT8, NVDLA_INT8, NVDLA_INT8},    {NVDLA_INT8, NVDLA_INT8, NVDLA_INT16},
    {NVDLA_INT16, NVDLA_INT8, NVDLA_INT8},   {NVDLA_INT16, NVDLA_INT8, NVDLA_INT16},
    {NVDLA_INT16, NVDLA_INT16, NVDLA_INT16}, {NVDLA_INT16, NVDLA_INT16, NVDLA_FP16},
    {NVDLA_FP16, NVDLA_FP16, NVDLA_FP16},    {NVDLA_FP16, NVDLA_FP16, NVDLA_INT16},
};

struct random_stage {
    bool bypass, alu_off, mul_off, prelu, last; /* last: RELU_BYPASS; EW leaves its table out */
    bool alu_memory, mul_memory;
    uint32_t algorithm, alu_value, mul_value, mul_shift;
    uint32_t use, size, mode; /* DATA_USE, DATA_SIZE, DATA_MODE */
    uint32_t base, line, surface;
};

struct random_layer {
    struct precisions types;
    uint32_t width, height, channels;
    uint32_t source_line, source_surface, destination_line, destination_surface;
    struct random_stage stage[SDP_STAGES];
    uint32_t offset, scale, shift;
    uint32_t alu_convertor, mul_convertor; /* CVT_BYPASS */
};

static uint32_t element_size(uint32_t precision) {
    return precision == NVDLA_INT8 ? 1 : 2;
}

static uint32_t lanes_of(uint32_t precision) {
    return ATOM / element_size(precision);
}

static uint32_t stride(uint64_t *seed, uint32_t least) {
    return least + below(seed, 3) * ATOM;
}

static struct random_stage make_stage(uint64_t *seed, const struct random_layer *l, uint32_t index) {
    struct random_stage s = {
        .bypass = below(seed, 4) == 0,
        .alu_off = below(seed, 3) == 0,
        .mul_off = below(seed, 3) == 0,
        .prelu = below(seed, 3) == 0,
        .last = index == SDP_EW || below(seed, 2),
        .alu_memory = below(seed, 2),
        .mul_memory = below(seed, 2),
        .algorithm = below(seed, index == SDP_EW ? 3 : 4), /* EW with EQUAL compares */
        .alu_value = rnd(seed),
        .mul_value = rnd(seed),
        .mul_shift = below(seed, 16),
        .size = l->types.proc == NVDLA_INT8 ? below(seed, 2) : 1,
        .mode = below(seed, 2),
        .base = OPERANDS + index * REGION + ATOM * below(seed, 5),
    };
    s.alu_memory = s.alu_memory && !s.bypass && !s.alu_off;
    s.mul_memory = s.mul_memory && !s.bypass && !s.mul_off;
    s.use = s.alu_memory && s.mul_memory ? 2 : s.alu_memory ? 1 : 0;
    uint32_t operand_atom = lanes_of(l->types.proc) * (s.use == 2 ? 2 : 1) * (s.size + 1);
    s.line = stride(seed, l->width * operand_atom);
    s.surface = stride(seed, l->height * s.line);
    return s;
}

static struct random_layer make_layer(uint64_t *seed) {
    struct random_layer l = {.types = legal[below(seed, COUNT(legal))]};
    l.width = below(seed, 3) ? 1 + below(seed, 6) : 1;
    l.height = below(seed, 3) ? 1 + below(seed, 5) : 1;
    l.channels = 1 + below(seed, 80);
    l.source_line = stride(seed, l.width * ATOM);
    l.source_surface = stride(seed, l.height * l.source_line);
    l.destination_line = stride(seed, l.width * ATOM);
    l.destination_surface = stride(seed, l.height * l.destination_line);
    for (uint32_t i = 0; i < SDP_STAGES; i++)
        l.stage[i] = make_stage(seed, &l, i);
    l.offset = below(seed, 256);
    l.scale = rnd(seed) & 0xffff;
    l.shift = below(seed, 32);
    l.alu_convertor = below(seed, 2);
    l.mul_convertor = below(seed, 2);
    return l;
}

/* Registers of the stages lie in equal distances, but for those of EW. */
static const struct {
    uint32_t cfg, alu, alu_value, mul, mul_value, rdma;
} registers[SDP_STAGES] = {
    {SDP_D_DP_BS_CFG, SDP_D_DP_BS_ALU_CFG, SDP_D_DP_BS_ALU_SRC_VALUE, SDP_D_DP_BS_MUL_CFG, SDP_D_DP_BS_MUL_SRC_VALUE,
     SDP_RDMA_D_BRDMA_CFG},
    {SDP_D_DP_BN_CFG, SDP_D_DP_BN_ALU_CFG, SDP_D_DP_BN_ALU_SRC_VALUE, SDP_D_DP_BN_MUL_CFG, SDP_D_DP_BN_MUL_SRC_VALUE,
     SDP_RDMA_D_NRDMA_CFG},
    {SDP_D_DP_EW_CFG, SDP_D_DP_EW_ALU_CFG, SDP_D_DP_EW_ALU_SRC_VALUE, SDP_D_DP_EW_MUL_CFG, SDP_D_DP_EW_MUL_SRC_VALUE,
     SDP_RDMA_D_ERDMA_CFG},
};

static void program_stage(struct device *dev, const struct random_layer *l, uint32_t index) {
    const struct random_stage *s = &l->stage[index];
    uint32_t step = registers[index].rdma - SDP_RDMA_D_BRDMA_CFG;
    bool fetch = s->alu_memory || s->mul_memory, ew = index == SDP_EW;
    PUT(dev, NVDLA_SDP,
        {registers[index].cfg, (uint32_t)s->bypass | (uint32_t)s->alu_off << 1 | s->algorithm << 2 |
                                   (uint32_t)s->mul_off << 4 | (uint32_t)s->prelu << 5 | (uint32_t)s->last << 6},
        {registers[index].alu, (uint32_t)s->alu_memory | (ew ? l->alu_convertor << 1 : 3 << 8)},
        {registers[index].mul, (uint32_t)s->mul_memory | (ew ? l->mul_convertor << 1 : s->mul_shift << 8)},
        {registers[index].alu_value, s->alu_value}, {registers[index].mul_value, s->mul_value});
    PUT(dev, NVDLA_SDP_RDMA,
        {SDP_RDMA_D_BRDMA_CFG + step, (fetch ? 0u : 1u) | s->use << 1 | s->size << 3 | s->mode << 4 | 1u << 5},
        {SDP_RDMA_D_BS_BASE_ADDR_LOW + step, s->base}, {SDP_RDMA_D_BS_LINE_STRIDE + step, s->line},
        {SDP_RDMA_D_BS_SURFACE_STRIDE + step, s->surface});
}

/* Convertors of EW: ALU (x - 10) * 3 >> 2, MUL (x - 1) * 2 >> 1. */
static void program_layer(struct device *dev, const struct random_layer *l) {
    sdp_copy(dev, l->width, l->height, l->channels, SOURCE, DESTINATION);
    set_precisions(dev, l->types.in, l->types.proc, l->types.out);
    put(dev, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, 1 << 3); /* NAN_TO_ZERO */
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_SRC_LINE_STRIDE, l->source_line);
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_SRC_SURFACE_STRIDE, l->source_surface);
    PUT(dev, NVDLA_SDP, {SDP_D_DST_LINE_STRIDE, l->destination_line},
        {SDP_D_DST_SURFACE_STRIDE, l->destination_surface}, {SDP_D_CVT_OFFSET, l->offset}, {SDP_D_CVT_SCALE, l->scale},
        {SDP_D_CVT_SHIFT, l->shift}, {SDP_D_DP_EW_ALU_CVT_OFFSET_VALUE, 10}, {SDP_D_DP_EW_ALU_CVT_SCALE_VALUE, 3},
        {SDP_D_DP_EW_ALU_CVT_TRUNCATE_VALUE, 2}, {SDP_D_DP_EW_MUL_CVT_OFFSET_VALUE, 1},
        {SDP_D_DP_EW_MUL_CVT_SCALE_VALUE, 2}, {SDP_D_DP_EW_MUL_CVT_TRUNCATE_VALUE, 1},
        {SDP_D_DP_EW_TRUNCATE_VALUE, l->stage[SDP_EW].mul_shift});
    for (uint32_t i = 0; i < SDP_STAGES; i++)
        program_stage(dev, l, i);
}

/* Address of an element of a cube by sections 3.2 and 8.1, lanes counted in PROC precision. */
static uint32_t element_address(const struct random_layer *l, uint32_t base, uint32_t line, uint32_t surface,
                                uint32_t precision, const uint32_t at[4]) {
    uint32_t s = at[0], h = at[1], w = at[2], e = at[3], size = element_size(precision);
    uint32_t t = size > element_size(l->types.proc) ? 2 * s + e / 16 : s;
    uint32_t inside = e % lanes_of(precision) * size;
    return base + inside + (l->width == 1 && l->height == 1 ? t * ATOM : t * surface + h * line + w * ATOM);
}

/* The operand of an element by section 4, in the form of the pipe. half: 0 ALU, 1 MUL. */
static int32_t operand_of(struct device *dev, const struct random_layer *l, uint32_t index, uint32_t half,
                          const uint32_t at[4]) {
    const struct random_stage *s = &l->stage[index];
    bool memory = half ? s->mul_memory : s->alu_memory, fp = l->types.proc == NVDLA_FP16, ew = index == SDP_EW;
    uint32_t value = half ? s->mul_value : s->alu_value;
    if (!memory && ew)
        return (int32_t)value;
    int16_t operand = (int16_t)value;
    if (memory) {
        uint32_t n = s->use == 2 ? 2 : 1, z = s->size + 1, oa = lanes_of(l->types.proc) * n * z;
        uint32_t address = s->base + (at[3] * n + (n == 2 ? half : 0)) * z;
        bool packed = s->mode == 0 || (l->width == 1 && l->height == 1);
        address += packed ? at[0] * oa : at[0] * s->surface + at[1] * s->line + at[2] * oa;
        uint8_t low = byte_at(dev, address);
        operand = z == 1 ? (int8_t)low : (int16_t)(low | byte_at(dev, address + 1) << 8);
    }
    struct sdp_operand_format format = {.form = half ? SDP_SIGNED : SDP_SHIFTED, .shift = 3};
    if (fp) {
        format.form = SDP_FP16_WITHOUT_NAN;
    } else if (ew && (half ? l->mul_convertor : l->alu_convertor)) {
        format.form = SDP_SIGNED;
    } else if (ew) {
        format = half ? (struct sdp_operand_format){SDP_CONVERTED, 1, 1, 2}
                      : (struct sdp_operand_format){SDP_CONVERTED, 2, 10, 3};
    }
    int32_t result;
    sdp_prepare_operands(&format, &operand, &result, 1);
    return result;
}

/* One element through the layer: its bytes at the output. */
static void expected_element(struct device *dev, const struct random_layer *l, const uint32_t at[4], uint8_t out[2]) {
    uint8_t in[2];
    memory_read(dev->memory[SPACE_PRIMARY],
                element_address(l, SOURCE, l->source_line, l->source_surface, l->types.in, at), in, 2);
    int32_t data;
    sdp_load(l->types.in, in, &data, 1);
    if (l->types.proc == NVDLA_FP16)
        sdp_flush_nans(&data, 1);
    for (uint32_t i = 0; i < SDP_STAGES; i++) {
        const struct random_stage *s = &l->stage[i];
        struct sdp_stage stage = {.bypass = s->bypass,
                                  .alu_bypass = s->alu_off,
                                  .mul_bypass = s->mul_off,
                                  .prelu = s->prelu,
                                  .relu = i != SDP_EW && !s->last,
                                  .ew = i == SDP_EW,
                                  .floating_point = l->types.proc == NVDLA_FP16,
                                  .algorithm = s->algorithm,
                                  .shift = s->mul_shift};
        int32_t alu = operand_of(dev, l, i, 0, at), mul = operand_of(dev, l, i, 1, at);
        sdp_stage_apply(&stage, &data, &alu, &mul, 1);
    }
    struct sdp_convertor convertor = {l->types.proc,     l->types.out, (int32_t)l->offset,
                                      (int16_t)l->scale, l->shift,     false};
    sdp_convert(&convertor, &data, out, 1);
}

static void check_layer(struct device *dev, const struct random_layer *l) {
    static uint8_t expected[REGION], got[REGION];
    uint32_t lanes = lanes_of(l->types.proc), surfaces = (l->channels + lanes - 1) / lanes;
    memset(expected, 0xee, sizeof expected);
    for (uint32_t s = 0; s < surfaces; s++) {
        for (uint32_t i = 0; i < l->width * l->height * lanes; i++) {
            const uint32_t at[4] = {s, i / lanes / l->width, i / lanes % l->width, i % lanes};
            uint8_t out[2];
            expected_element(dev, l, at, out);
            memcpy(expected + element_address(l, 0, l->destination_line, l->destination_surface, l->types.out, at), out,
                   element_size(l->types.out));
        }
    }
    memory_read(dev->memory[SPACE_PRIMARY], DESTINATION, got, sizeof got);
    assert_memory_equal(got, expected, sizeof got);
}

TEST(random_layers) {
    struct device *dev = bench_new("full");
    uint64_t seed = 11;
    random_region(dev, &seed, SOURCE, REGION);
    random_region(dev, &seed, OPERANDS, SDP_STAGES * REGION);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    for (uint32_t i = 0; i < 200; i++) {
        struct random_layer l = make_layer(&seed);
        memory_fill(dev->memory[SPACE_PRIMARY], DESTINATION, REGION, 0xee);
        sdp_group(dev, i & 1);
        program_layer(dev, &l);
        run_to_end(dev);
        check_layer(dev, &l);
    }
    bench_free(dev);
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
        bench_free(dev);
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
    bench_free(dev);
}

/* 55-lut section 3.1: the register shows what was written; configurations without EW have no table. */
TEST(access_port) {
    static const char *const configs[] = {"full", "large", "small"};
    for (size_t i = 0; i < COUNT(configs); i++) {
        struct device *dev = bench_new(configs[i]);
        PUT(dev, NVDLA_SDP, {SDP_S_LUT_ACCESS_CFG, 0x30000}, {SDP_S_LUT_ACCESS_DATA, 0x1234},
            {SDP_S_LUT_ACCESS_DATA, 0x5678});
        assert_int_equal(get(dev, NVDLA_SDP, SDP_S_LUT_ACCESS_CFG), 0x30000);
        put(dev, NVDLA_SDP, SDP_S_LUT_ACCESS_CFG, 0x10001);
        assert_int_equal(get(dev, NVDLA_SDP, SDP_S_LUT_ACCESS_DATA),
                         nvdla_has(dev->config, FEATURE_SDP_LUT) ? 0x5678 : 0);
        assert_int_equal(get(dev, NVDLA_SDP, SDP_S_LUT_ACCESS_DATA), 0);
        assert_int_equal(get(dev, NVDLA_SDP, SDP_S_LUT_ACCESS_CFG), 0x10001);
        bench_free(dev);
    }
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
TEST(compare_of_two_cubes) {
    struct device *dev = bench_new("full");
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
    bench_free(dev);
}

/* ---- counters of FP16 ---- */

TEST(nan_and_infinity_counters) {
    struct device *dev = bench_new("full");
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
    bench_free(dev);
}

/* ---- flying layers ---- */

/* SDP with registers of its own and results made up: element e of the n-th atom is n + e, low byte. */
struct flying_bench {
    struct device *dev; /* its memory */
    struct register_group sdp, rdma;
    struct sdp_clients clients;
    int32_t next;
    uint64_t beats;
    struct dma_outside outside;
};

static void made_up_results(void *context, int32_t *results, size_t atoms) {
    struct flying_bench *bench = context;
    for (size_t i = 0; i < atoms * ATOM; i++)
        results[i] = (int8_t)(bench->next + (int32_t)(i / ATOM) + (int32_t)(i % ATOM));
    bench->next += (int32_t)atoms;
}

static void flying_new(struct flying_bench *bench, uint32_t width, uint32_t height, uint32_t channels, uint32_t mode) {
    *bench = (struct flying_bench){.dev = bench_new("full")};
    struct device *dev = bench->dev;
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    memory_declare(dev->memory[SPACE_PRIMARY], OPERANDS, REGION);
    memory_fill(dev->memory[SPACE_PRIMARY], DESTINATION, REGION, 0xee);
    register_group_init(&bench->sdp, dev->config, NVDLA_SDP);
    register_group_init(&bench->rdma, dev->config, NVDLA_SDP_RDMA);
    const uint32_t sdp[][2] = {
        {SDP_D_DATA_CUBE_WIDTH, width - 1},
        {SDP_D_DATA_CUBE_HEIGHT, height - 1},
        {SDP_D_DATA_CUBE_CHANNEL, channels - 1},
        {SDP_D_DST_BASE_ADDR_LOW, DESTINATION},
        {SDP_D_DST_LINE_STRIDE, 0x100},
        {SDP_D_DST_SURFACE_STRIDE, 0x800},
        {SDP_D_DST_BATCH_STRIDE, 0x2000},
        {SDP_D_DP_BS_CFG, 1},
        {SDP_D_DP_BN_CFG, 1},
        {SDP_D_DP_EW_CFG, 1},
        {SDP_D_FEATURE_MODE_CFG, 1 | mode},
        {SDP_D_DST_DMA_CFG, 1},
        {SDP_D_CVT_SCALE, 1},
    };
    const uint32_t rdma[][2] = {
        {SDP_RDMA_D_DATA_CUBE_WIDTH, width - 1},
        {SDP_RDMA_D_DATA_CUBE_HEIGHT, height - 1},
        {SDP_RDMA_D_DATA_CUBE_CHANNEL, channels - 1},
        {SDP_RDMA_D_FEATURE_MODE_CFG, 1 | (mode & 1 << 2) >> 1 | (mode & 0x1f00)},
        {SDP_RDMA_D_BRDMA_CFG, 1},
        {SDP_RDMA_D_NRDMA_CFG, 1},
        {SDP_RDMA_D_ERDMA_CFG, 1},
        {SDP_RDMA_D_BS_BASE_ADDR_LOW, OPERANDS},
        {SDP_RDMA_D_BS_LINE_STRIDE, 0x100},
        {SDP_RDMA_D_BS_SURFACE_STRIDE, 0x800},
    };
    for (size_t i = 0; i < COUNT(sdp); i++)
        register_group_write(&bench->sdp, sdp[i][0], sdp[i][1]);
    for (size_t i = 0; i < COUNT(rdma); i++)
        register_group_write(&bench->rdma, rdma[i][0], rdma[i][1]);
    dma_init(&bench->clients.output, dev, &bench->outside, true, NVDLA_SDP, 1, 0, &bench->beats);
    dma_init(&bench->clients.operands[SDP_BS], dev, &bench->outside, true, NVDLA_SDP_RDMA, 5, 0, &bench->beats);
    bench->clients.results = made_up_results;
    bench->clients.context = bench;
}

/* BS adds operands per element from memory. */
static void flying_add(struct flying_bench *bench) {
    register_group_write(&bench->sdp, SDP_D_DP_BS_CFG, SDP_SUM << 2 | 1 << 4 | 1 << 6);
    register_group_write(&bench->sdp, SDP_D_DP_BS_ALU_CFG, 1);
    register_group_write(&bench->rdma, SDP_RDMA_D_BRDMA_CFG, 1 << 1 | 1 << 4 | 1 << 5);
}

static bool flying_run(struct flying_bench *bench) {
    struct sdp_layer layer;
    struct registers_view view = register_group_view(&bench->sdp, bench->dev->config);
    view.units[NVDLA_SDP_RDMA] = register_group_words(&bench->rdma, bench->rdma.consumer);
    sdp_layer_decode(&layer, &view);
    if (!layer.valid)
        return false;
    struct sdp_run *run = sdp_run_new(&layer, &bench->clients);
    assert_non_null(run);
    sdp_run_to_memory(run);
    sdp_run_free(run);
    assert_int_equal(bench->dev->finding_count, 0);
    return true;
}

static void flying_free(struct flying_bench *bench) {
    register_group_free(&bench->sdp);
    register_group_free(&bench->rdma);
    bench_free(bench->dev);
}

/* Section 8.3: each line of all batches, with the same operands. */
TEST(batches) {
    enum { WIDTH = 3, HEIGHT = 2, SURFACES = 2, BATCHES = 3 };
    struct flying_bench bench;
    flying_new(&bench, WIDTH, HEIGHT, SURFACES * ATOM, (BATCHES - 1) << 8);
    flying_add(&bench);
    fill_bytes(bench.dev, OPERANDS, REGION, 3, 0);
    assert_true(flying_run(&bench));
    int n = 0;
    for (uint32_t s = 0; s < SURFACES; s++) {
        for (uint32_t y = 0; y < HEIGHT; y++) {
            for (uint32_t b = 0; b < BATCHES; b++) {
                for (uint32_t x = 0; x < WIDTH; x++, n++) {
                    for (uint32_t e = 0; e < ATOM; e++) {
                        uint32_t at = s * 0x800 + y * 0x100 + x * ATOM + e;
                        int sum = (int8_t)(n + (int)e) + (int8_t)byte_at(bench.dev, OPERANDS + at);
                        int expected = sum > 127 ? 127 : sum < -128 ? -128 : sum;
                        assert_int_equal((int8_t)byte_at(bench.dev, DESTINATION + b * 0x2000 + at), expected);
                    }
                }
            }
        }
    }
    assert_int_equal(byte_at(bench.dev, DESTINATION + WIDTH * ATOM), 0xee);
    flying_free(&bench);
}

/* 1x1 cubes of batches are not packed; with operands per element and several surfaces they hang. */
TEST(batches_of_1x1) {
    struct flying_bench bench;
    flying_new(&bench, 1, 1, 2 * ATOM, 1 << 8);
    assert_true(flying_run(&bench));
    assert_int_equal(byte_at(bench.dev, DESTINATION), 0);
    assert_int_equal(byte_at(bench.dev, DESTINATION + ATOM), 0xee);
    assert_int_equal(byte_at(bench.dev, DESTINATION + 0x2000), 1);
    assert_int_equal(byte_at(bench.dev, DESTINATION + 0x800), 2);
    flying_add(&bench);
    assert_false(flying_run(&bench));
    register_group_write(&bench.rdma, SDP_RDMA_D_BRDMA_CFG, 1 << 1 | 1 << 5); /* per kernel */
    assert_true(flying_run(&bench));
    flying_free(&bench);
}

/* Section 8.2: memory holds an ordinary cube; bands of 4 lines and pairs of columns must be whole. */
TEST(winograd) {
    struct flying_bench bench;
    flying_new(&bench, 6, 4, ATOM, 1 << 2);
    assert_true(flying_run(&bench));
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 6; x++)
            assert_int_equal(byte_at(bench.dev, DESTINATION + y * 0x100 + x * ATOM), y * 6 + x);
    flying_free(&bench);
    static const uint32_t wrong[][3] = {{5, 4, 0}, {6, 6, 0}, {6, 4, 1 << 8}, {6, 4, 1 << 1}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        flying_new(&bench, wrong[i][0], wrong[i][1], ATOM, 1 << 2 | wrong[i][2]);
        assert_false(flying_run(&bench));
        flying_free(&bench);
    }
}

/* ---- programs that hang ---- */

struct change {
    enum nvdla_unit unit;
    uint32_t offset, value;
};

TEST(wrong_programs_hang) {
    static const struct change programs[][3] = {
        {{NVDLA_SDP, SDP_D_DATA_FORMAT, 5}}, /* precisions differ between the units */
        {{NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG, 1 << 6}},
        {{NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG, 1 << 1}},
        {{NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG, 1 << 8}},
        /* batches and Winograd from memory */
        {{NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, 1 << 8}, {NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG, 1 << 8}},
        {{NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, 1 << 2}, {NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG, 1 << 1}},
        /* EW takes an operand that is not fetched; both are fetched and one is taken */
        {{NVDLA_SDP, SDP_D_DP_EW_CFG, 0x58}, {NVDLA_SDP, SDP_D_DP_EW_ALU_CFG, 1}},
        {{NVDLA_SDP, SDP_D_DP_EW_CFG, 0x58},
         {NVDLA_SDP, SDP_D_DP_EW_ALU_CFG, 1},
         {NVDLA_SDP_RDMA, SDP_RDMA_D_ERDMA_CFG, 0x24}},
        /* ERDMA is not answered */
        {{NVDLA_SDP, SDP_D_DP_EW_CFG, 0x58},
         {NVDLA_SDP, SDP_D_DP_EW_ALU_CFG, 1},
         {NVDLA_SDP_RDMA, SDP_RDMA_D_ERDMA_CFG, 0x22}},
    };
    for (size_t i = 0; i < COUNT(programs); i++) {
        struct device *dev = bench_new("full");
        memory_declare(dev->memory[SPACE_PRIMARY], 0, 0x1000);
        put(dev, NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_1, 0x01000101);
        sdp_copy(dev, 4, 2, 8, 0, 0x800);
        for (int j = 0; j < 3; j++)
            if (programs[i][j].offset != 0)
                put(dev, programs[i][j].unit, programs[i][j].offset, programs[i][j].value);
        sdp_arm(dev);
        assert_int_equal(advance(dev), DEVICE_IDLE);
        assert_int_equal(get(dev, NVDLA_SDP, SDP_S_STATUS), 1);
        assert_int_equal(get(dev, NVDLA_SDP_RDMA, SDP_RDMA_S_STATUS), 1);
        bench_free(dev);
    }
}

/* Section 4: what ERDMA fetches and no one takes keeps SDP_RDMA running. */
TEST(operands_of_ew_left_over) {
    struct device *dev = bench_new("full");
    memory_declare(dev->memory[SPACE_PRIMARY], 0, 0x1000);
    sdp_copy(dev, 4, 2, 8, 0, 0x800);
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_ERDMA_CFG, 0x22);
    run_to_end(dev);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_S_STATUS), 0);
    assert_int_equal(get(dev, NVDLA_SDP_RDMA, SDP_RDMA_S_STATUS), 1);
    bench_free(dev);
}

/* Any register contents end: a layer that is ready runs, and none touches memory that is not its own. */
TEST(any_register_contents_end) {
    uint64_t seed = 21;
    for (int i = 0; i < 400; i++) {
        struct device *dev = bench_lenient("full");
        for (uint32_t offset = SDP_S_LUT_ACCESS_CFG; offset <= SDP_D_PERF_LUT_LO_HIT; offset += 4)
            put(dev, NVDLA_SDP, offset, offset == SDP_D_OP_ENABLE ? 0 : rnd(&seed));
        for (uint32_t offset = SDP_RDMA_D_DATA_CUBE_WIDTH; offset <= SDP_RDMA_D_PERF_ENABLE; offset += 4)
            put(dev, NVDLA_SDP_RDMA, offset, rnd(&seed));
        /* Small enough to be carried out, from memory to memory, sizes and types of the units alike. */
        uint32_t proc = below(&seed, 3), out = below(&seed, 3), in = below(&seed, 3);
        const uint32_t sizes[3] = {below(&seed, 9), below(&seed, 5), below(&seed, 100)};
        for (uint32_t k = 0; k < 3; k++) {
            put(dev, NVDLA_SDP, SDP_D_DATA_CUBE_WIDTH + 4 * k, sizes[k]);
            put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_DATA_CUBE_WIDTH + 4 * k, sizes[k]);
        }
        put(dev, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, (rnd(&seed) & 1) << 3);
        set_precisions(dev, in, proc, out);
        sdp_arm(dev);
        for (int steps = 0; steps < 4 && advance(dev) == DEVICE_RUNNING; steps++) {
        }
        assert_true(dev->ops->at_rest(dev));
        bench_free(dev);
    }
}
