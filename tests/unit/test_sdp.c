/* SDP of the INT8 configurations in the model: random layers against a second, element-by-element computation,
 * counters, and programs that hang. Its arithmetic is tested in test_sdp_arithmetic.c, configuration full in
 * test_sdp_full.c. */
#include "model_bench.h"
#include "tests/unit/test.h"

/* ---- random layers ---- */

struct random_stage {
    bool bypass, alu_off, mul_off, prelu, relu_off, alu_memory, mul_memory;
    uint32_t algorithm, alu_shift, mul_shift;
    uint16_t alu_operand, mul_operand;
    uint32_t use, size, mode; /* DATA_USE, DATA_SIZE, DATA_MODE */
    uint32_t base, line, surface;
};

struct random_layer {
    uint32_t width, height, channels, atom;
    uint32_t source, source_line, source_surface, destination, destination_line, destination_surface;
    struct random_stage stage[2];
    int32_t offset;
    int16_t scale;
    uint32_t shift;
};

/* Regions far enough apart for the largest random cube: 6x5 atoms in 3 surfaces, strides with holes, operand atoms 4
 * times as large. */
enum { REGION = 0x10000, SOURCE = 0x100000, DESTINATION = 0x200000, OPERANDS = 0x300000 };

static uint32_t stride(uint64_t *seed, uint32_t least, uint32_t atom) {
    return least + below(seed, 3) * atom + below(seed, atom); /* low bits of SDP strides are dropped */
}

static struct random_stage make_stage(uint64_t *seed, const struct random_layer *layer, uint32_t index) {
    struct random_stage s = {
        .bypass = below(seed, 4) == 0,
        .alu_off = below(seed, 3) == 0,
        .mul_off = below(seed, 3) == 0,
        .prelu = below(seed, 3) == 0,
        .relu_off = below(seed, 2),
        .alu_memory = below(seed, 2),
        .mul_memory = below(seed, 2),
        .algorithm = below(seed, 4),
        .alu_shift = below(seed, 4) ? below(seed, 12) : below(seed, 64),
        .mul_shift = below(seed, 4) ? below(seed, 12) : below(seed, 64),
        .alu_operand = (uint16_t)rnd(seed),
        .mul_operand = (uint16_t)rnd(seed),
        .size = below(seed, 2),
        .mode = below(seed, 2),
        .base = OPERANDS + index * REGION + below(seed, 5),
    };
    bool alu = !s.bypass && !s.alu_off && s.alu_memory, mul = !s.bypass && !s.mul_off && s.mul_memory;
    s.use = alu && mul ? 2 : alu ? 1 : 0;
    uint32_t operand_atom = layer->atom * (s.use == 2 ? 2 : 1) * (s.size + 1);
    s.line = stride(seed, layer->width * operand_atom, layer->atom);
    s.surface = stride(seed, layer->height * s.line, layer->atom) & ~(layer->atom - 1);
    return s;
}

static bool takes_alu(const struct random_stage *s) {
    return !s->bypass && !s->alu_off && s->alu_memory;
}

static bool takes_mul(const struct random_stage *s) {
    return !s->bypass && !s->mul_off && s->mul_memory;
}

static struct random_layer make_layer(uint64_t *seed, uint32_t atom) {
    struct random_layer l = {.atom = atom};
    l.width = below(seed, 3) ? 1 + below(seed, 6) : 1;
    l.height = below(seed, 3) ? 1 + below(seed, 5) : 1;
    l.channels = 1 + below(seed, 3 * atom);
    l.source = SOURCE + below(seed, atom);
    l.source_line = stride(seed, l.width * atom, atom);
    l.source_surface = stride(seed, l.height * l.source_line, atom);
    l.destination = DESTINATION + below(seed, atom);
    l.destination_line = stride(seed, l.width * atom, atom);
    l.destination_surface = stride(seed, l.height * l.destination_line, atom);
    l.stage[0] = make_stage(seed, &l, 0);
    l.stage[1] = make_stage(seed, &l, 1);
    l.offset = below(seed, 4) ? (int32_t)below(seed, 256) - 128 : (int32_t)rnd(seed);
    l.scale = (int16_t)rnd(seed);
    l.shift = below(seed, 40);
    return l;
}

static void program_stage(struct device *dev, const struct random_stage *s, uint32_t index) {
    uint32_t step = index * (SDP_D_DP_BN_CFG - SDP_D_DP_BS_CFG);
    uint32_t rdma_step = index * (SDP_RDMA_D_NRDMA_CFG - SDP_RDMA_D_BRDMA_CFG);
    bool fetch = takes_alu(s) || takes_mul(s);
    PUT(dev, NVDLA_SDP,
        {SDP_D_DP_BS_CFG + step, (uint32_t)s->bypass | (uint32_t)s->alu_off << 1 | s->algorithm << 2 |
                                     (uint32_t)s->mul_off << 4 | (uint32_t)s->prelu << 5 | (uint32_t)s->relu_off << 6},
        {SDP_D_DP_BS_ALU_CFG + step, (uint32_t)s->alu_memory | s->alu_shift << 8},
        {SDP_D_DP_BS_ALU_SRC_VALUE + step, s->alu_operand},
        {SDP_D_DP_BS_MUL_CFG + step, (uint32_t)s->mul_memory | s->mul_shift << 8 | 0xc000},
        {SDP_D_DP_BS_MUL_SRC_VALUE + step, s->mul_operand});
    PUT(dev, NVDLA_SDP_RDMA,
        {SDP_RDMA_D_BRDMA_CFG + rdma_step, (fetch ? 0u : 1u) | s->use << 1 | s->size << 3 | s->mode << 4 | 1u << 5},
        {SDP_RDMA_D_BS_BASE_ADDR_LOW + rdma_step, s->base}, {SDP_RDMA_D_BS_LINE_STRIDE + rdma_step, s->line},
        {SDP_RDMA_D_BS_SURFACE_STRIDE + rdma_step, s->surface});
}

/* The operand of an element by the address formula of section 4; component 0 ALU, 1 MUL. */
static int64_t memory_operand(struct device *dev, const struct random_layer *l, const struct random_stage *s,
                              uint32_t surface, uint32_t y, uint32_t x, uint32_t lane, uint32_t component) {
    uint32_t n = s->use == 2 ? 2 : 1, z = s->size + 1, low = ~(l->atom - 1);
    uint32_t oa = l->atom * n * z, inside = (lane * n + (n == 2 ? component : 0)) * z;
    uint32_t at = (s->base & low) + inside;
    if (s->mode == 0 || (l->width == 1 && l->height == 1))
        at += surface * oa;
    else
        at += surface * (s->surface & low) + y * (s->line & low) + x * oa;
    return z == 1 ? (int8_t)byte_at(dev, at) : (int16_t)(byte_at(dev, at) | byte_at(dev, at + 1) << 8);
}

static int64_t clamp(int64_t v, int64_t low, int64_t high) {
    return v < low ? low : v > high ? high : v;
}

/* Section 5 with division instead of shifts. */
static int64_t divide(int64_t v, uint32_t shift) {
    __int128 divisor = (__int128)1 << shift, magnitude = v < 0 ? -(__int128)v : v;
    __int128 q = (2 * magnitude + divisor) / (2 * divisor);
    return (int64_t)(v < 0 ? -q : q);
}

static int64_t stage_result(const struct random_stage *s, int64_t d, int64_t alu, int64_t mul) {
    if (s->bypass)
        return d;
    if (!s->alu_off) {
        __int128 shifted = (__int128)alu * ((__int128)1 << s->alu_shift);
        int64_t op = shifted > INT32_MAX ? INT32_MAX : shifted < INT32_MIN ? INT32_MIN : (int64_t)shifted;
        d = s->algorithm == 0 ? (d > op ? d : op) : s->algorithm == 1 ? (d < op ? d : op) : d + op;
    }
    if (!s->mul_off && s->prelu && d >= 0)
        d = (int32_t)(uint32_t)d;
    else
        d = clamp(divide(s->mul_off ? d : d * mul, s->mul_shift), INT32_MIN, INT32_MAX);
    return !s->relu_off && d < 0 ? 0 : d;
}

static void check_layer(struct device *dev, const struct random_layer *l, const struct memory *before, uint32_t group) {
    uint32_t low = ~(l->atom - 1), surfaces = (l->channels + l->atom - 1) / l->atom;
    bool packed = l->width == 1 && l->height == 1;
    uint32_t flags = 0, any = 0;
    for (uint32_t s = 0; s < surfaces; s++) {
        for (uint32_t y = 0; y < l->height; y++) {
            for (uint32_t x = 0; x < l->width; x++) {
                for (uint32_t lane = 0; lane < l->atom; lane++) {
                    uint32_t in_surface = packed ? l->atom : l->source_surface & low;
                    uint32_t out_surface = packed ? l->atom : l->destination_surface & low;
                    uint32_t in = (l->source & low) + s * in_surface + y * (l->source_line & low) + x * l->atom + lane;
                    uint32_t out =
                        (l->destination & low) + s * out_surface + y * (l->destination_line & low) + x * l->atom + lane;
                    uint8_t byte;
                    memory_read(before, in, &byte, 1);
                    int64_t d = (int8_t)byte;
                    for (int i = 0; i < 2; i++) {
                        const struct random_stage *st = &l->stage[i];
                        int64_t alu =
                            takes_alu(st) ? memory_operand(dev, l, st, s, y, x, lane, 0) : (int16_t)st->alu_operand;
                        int64_t mul =
                            takes_mul(st) ? memory_operand(dev, l, st, s, y, x, lane, 1) : (int16_t)st->mul_operand;
                        d = stage_result(st, d, alu, mul);
                    }
                    int64_t p = (d - l->offset) * l->scale;
                    int64_t t = divide(p, l->shift), floor = p >> l->shift;
                    flags += t > 65535 || t < -65536 || floor > 65535 || floor < -65536;
                    int64_t expected = clamp(t, -128, 127);
                    any |= expected != 0;
                    assert_int_equal((int8_t)byte_at(dev, out), expected);
                }
            }
        }
    }
    sdp_group(dev, group);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_D_PERF_OUT_SATURATION), flags);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_D_STATUS), any);
}

static void random_layers(const char *config, uint64_t seed, int count) {
    struct device *dev = bench_new(config);
    random_region(dev, &seed, SOURCE, REGION);
    random_region(dev, &seed, OPERANDS, 2 * REGION);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    for (int i = 0; i < count; i++) {
        struct random_layer l = make_layer(&seed, (uint32_t)dev->config->mem_atom);
        uint32_t group = (uint32_t)i & 1;
        sdp_group(dev, group);
        sdp_copy(dev, l.width, l.height, l.channels, l.source, l.destination);
        put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_SRC_LINE_STRIDE, l.source_line);
        put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_SRC_SURFACE_STRIDE, l.source_surface);
        PUT(dev, NVDLA_SDP, {SDP_D_DST_LINE_STRIDE, l.destination_line},
            {SDP_D_DST_SURFACE_STRIDE, l.destination_surface}, {SDP_D_CVT_OFFSET, (uint32_t)l.offset},
            {SDP_D_CVT_SCALE, (uint16_t)l.scale}, {SDP_D_CVT_SHIFT, l.shift}, {SDP_D_PERF_ENABLE, 4});
        program_stage(dev, &l.stage[0], 0);
        program_stage(dev, &l.stage[1], 1);
        sdp_arm(dev);
        assert_int_equal(advance(dev), DEVICE_INTERRUPT);
        assert_int_equal(pending_interrupts(dev), 1u << group);
        clear_interrupts(dev);
        check_layer(dev, &l, dev->memory[SPACE_PRIMARY], group);
    }
    assert_int_equal(dev->finding_count, 0);
    bench_free(dev);
}

TEST(random_layers_atom_8) {
    random_layers("small", 1, 300);
}

TEST(random_layers_atom_16) {
    random_layers("medium_512", 2, 150);
}

TEST(random_layers_atom_32) {
    random_layers("large", 3, 100);
}

/* ---- behaviour ---- */

TEST(layer_in_place) {
    struct device *dev = bench_new("small");
    uint64_t seed = 7;
    random_region(dev, &seed, SOURCE, REGION);
    uint8_t before[2 * 3 * 4 * 8], after[sizeof before];
    memory_read(dev->memory[SPACE_PRIMARY], SOURCE, before, sizeof before);
    sdp_copy(dev, 4, 3, 16, SOURCE, SOURCE);
    put(dev, NVDLA_SDP, SDP_D_CVT_OFFSET, 1);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    memory_read(dev->memory[SPACE_PRIMARY], SOURCE, after, sizeof after);
    for (size_t i = 0; i < sizeof before; i++)
        assert_int_equal((int8_t)after[i], clamp((int8_t)before[i] - 1, -128, 127));
    bench_free(dev);
}

TEST(written_bytes_know_their_layer) {
    struct device *dev = bench_new("small");
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
    bench_free(dev);
}

/* PERF_SAT_EN = 0 reports the count of the last layer that counted; arming clears the register. */
TEST(saturation_count_goes_stale) {
    struct device *dev = bench_new("small");
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
    bench_free(dev);
}

TEST(unequal_tells_whether_any_byte_was_written_non_zero) {
    struct device *dev = bench_new("small");
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
    bench_free(dev);
}

/* Section 9, small: nothing is written, the convertor passes, UNEQUAL looks at the bytes. */
TEST(compare_setting_writes_nothing) {
    struct device *dev = bench_new("small");
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
    bench_free(dev);
}

TEST(accesses_outside_regions_are_found) {
    struct device *dev = bench_new("small");
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
    bench_free(dev);
}

TEST(accesses_outside_regions_that_are_allowed_are_counted) {
    struct error err = {.text = ""};
    struct model_options options = {.allow_outside = true};
    struct device *dev = model_new(nvdla_config_find("small"), &options);
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
    bench_free(dev);
}

TEST(addresses_wrap_at_the_end_of_the_space) {
    struct device *dev = bench_new("small");
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
    bench_free(dev);
}

TEST(high_address_counts_in_64_bit_configurations) {
    struct device *dev = bench_new("large");
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
    bench_free(dev);
}

TEST(secondary_memory_is_another_memory) {
    struct device *dev = bench_new("large");
    memory_declare(dev->memory[SPACE_SECONDARY], 0x1000, 64);
    memory_declare(dev->memory[SPACE_PRIMARY], 0x1000, 64);
    memory_fill(dev->memory[SPACE_SECONDARY], 0x1000, 32, 9);
    sdp_copy(dev, 1, 1, 32, 0x1000, 0x1020);
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_SRC_DMA_CFG, 0);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(byte_at(dev, 0x1020), 9);
    bench_free(dev);
}

/* ---- programs that hang ---- */

struct change {
    enum nvdla_unit unit;
    uint32_t offset, value;
};

TEST(wrong_programs_hang) {
    static const struct change programs[][3] = {
        {{NVDLA_SDP_RDMA, SDP_RDMA_D_DATA_CUBE_WIDTH, 2}},
        {{NVDLA_SDP_RDMA, SDP_RDMA_D_DATA_CUBE_HEIGHT, 2}},
        {{NVDLA_SDP_RDMA, SDP_RDMA_D_DATA_CUBE_CHANNEL, 8}},
        {{NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, 1}},
        {{NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG, 1}, {NVDLA_SDP_RDMA, SDP_RDMA_D_BRDMA_CFG, 0x20}},
        {{NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, 2}}, /* to a PDP that is not armed */
        {{NVDLA_SDP, SDP_D_DST_DMA_CFG, 0}},
        {{NVDLA_SDP_RDMA, SDP_RDMA_D_SRC_DMA_CFG, 0}},
        {{NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_0, 0x01010001}},
        {{NVDLA_MCIF, MCIF_CFG_WR_WEIGHT_0, 0x01010001}},
        /* ALU operand from memory: DMA off, only MUL there, both there */
        {{NVDLA_SDP, SDP_D_DP_BS_CFG, 0x58}, {NVDLA_SDP, SDP_D_DP_BS_ALU_CFG, 1}},
        {{NVDLA_SDP, SDP_D_DP_BS_CFG, 0x58},
         {NVDLA_SDP, SDP_D_DP_BS_ALU_CFG, 1},
         {NVDLA_SDP_RDMA, SDP_RDMA_D_BRDMA_CFG, 0x20}},
        {{NVDLA_SDP, SDP_D_DP_BS_CFG, 0x58},
         {NVDLA_SDP, SDP_D_DP_BS_ALU_CFG, 1},
         {NVDLA_SDP_RDMA, SDP_RDMA_D_BRDMA_CFG, 0x24}},
    };
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        struct device *dev = bench_new("small");
        memory_declare(dev->memory[SPACE_PRIMARY], 0, 0x1000);
        sdp_copy(dev, 4, 2, 8, 0, 0x800);
        for (int j = 0; j < 3; j++)
            if (programs[i][j].offset != 0)
                put(dev, programs[i][j].unit, programs[i][j].offset, programs[i][j].value);
        if (programs[i][0].unit == NVDLA_MCIF)
            put(dev, NVDLA_MCIF, programs[i][0].offset, programs[i][0].value);
        sdp_arm(dev);
        assert_int_equal(advance(dev), DEVICE_IDLE);
        assert_true(dev->ops->at_rest(dev));
        assert_int_equal(get(dev, NVDLA_SDP, SDP_S_STATUS), 1);
        assert_int_equal(get(dev, NVDLA_SDP_RDMA, SDP_RDMA_S_STATUS), 1);
        assert_int_equal(pending_interrupts(dev), 0);
        bench_free(dev);
    }
}

TEST(weight_0_only_delays) {
    struct device *dev = bench_new("small");
    memory_declare(dev->memory[SPACE_PRIMARY], 0, 0x1000);
    put(dev, NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_0, 0);
    sdp_copy(dev, 4, 2, 8, 0, 0x800);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_IDLE);
    put(dev, NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_0, 0x0100);
    assert_false(dev->ops->at_rest(dev));
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    bench_free(dev);
}

/* Operands that are not taken: SDP finishes, SDP_RDMA does not, and the next layer waits for it in vain. */
TEST(operands_left_over_block_the_next_layer) {
    struct device *dev = bench_new("small");
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
    bench_free(dev);
}

TEST(rdma_with_nothing_to_read_is_done_at_once) {
    struct device *dev = bench_new("small");
    sdp_copy(dev, 4, 2, 8, 0, 0x800);
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG, 1);
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_OP_ENABLE, 1);
    assert_false(dev->ops->at_rest(dev));
    assert_int_equal(advance(dev), DEVICE_RUNNING);
    assert_int_equal(get(dev, NVDLA_SDP_RDMA, SDP_RDMA_S_STATUS), 0);
    assert_int_equal(get(dev, NVDLA_SDP_RDMA, SDP_RDMA_S_POINTER), 0x10000);
    assert_int_equal(advance(dev), DEVICE_IDLE);
    bench_free(dev);
}
