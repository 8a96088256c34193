/* CDP of the model: the INT8 vectors of 62-cdp section 11, random layers against a second computation by element, the
 * access port of the tables, ping-pong groups, and programs that hang. */
#include "model_bench.h"

#include "model/cdp.h"
#include "naive_lut.h"

enum { SOURCE = 0x100000, DESTINATION = 0x200000, REGION = 0x40000 };

/* A layer for cdp_program(): register values as software writes them. */
struct normalisation {
    uint32_t width, height, channels;
    uint32_t bypass; /* bit 0 square sum, bit 1 multiplication */
    uint32_t length; /* NORMALZ_LEN */
    uint32_t in_offset, in_scale, in_shift, out_offset, out_scale, out_shift;
    uint32_t source, source_line, source_surface, destination, destination_line, destination_surface;
};

static uint32_t atom_of(const struct device *dev) {
    return (uint32_t)dev->config->mem_atom;
}

static uint32_t lanes_of(const struct device *dev, const struct normalisation *n) {
    return (n->channels + atom_of(dev) - 1) / atom_of(dev) * atom_of(dev);
}

/* Packed strides, the usual places. */
static void place(const struct device *dev, struct normalisation *n) {
    n->source = SOURCE;
    n->destination = DESTINATION;
    n->source_line = n->destination_line = n->width * atom_of(dev);
    n->source_surface = n->destination_surface = n->height * n->source_line;
}

static void cdp_program(struct device *dev, const struct normalisation *n) {
    const uint32_t cdp[][2] = {
        {CDP_D_FUNC_BYPASS, n->bypass},
        {CDP_D_DST_BASE_ADDR_LOW, n->destination},
        {CDP_D_DST_BASE_ADDR_HIGH, 0},
        {CDP_D_DST_LINE_STRIDE, n->destination_line},
        {CDP_D_DST_SURFACE_STRIDE, n->destination_surface},
        {CDP_D_DST_DMA_CFG, 1},
        {CDP_D_LRN_CFG, n->length},
        {CDP_D_DATIN_OFFSET, n->in_offset},
        {CDP_D_DATIN_SCALE, n->in_scale},
        {CDP_D_DATIN_SHIFTER, n->in_shift},
        {CDP_D_DATOUT_OFFSET, n->out_offset},
        {CDP_D_DATOUT_SCALE, n->out_scale},
        {CDP_D_DATOUT_SHIFTER, n->out_shift},
    };
    const uint32_t rdma[][2] = {
        {CDP_RDMA_D_DATA_CUBE_WIDTH, n->width - 1},
        {CDP_RDMA_D_DATA_CUBE_HEIGHT, n->height - 1},
        {CDP_RDMA_D_DATA_CUBE_CHANNEL, n->channels - 1},
        {CDP_RDMA_D_SRC_BASE_ADDR_LOW, n->source},
        {CDP_RDMA_D_SRC_BASE_ADDR_HIGH, 0},
        {CDP_RDMA_D_SRC_LINE_STRIDE, n->source_line},
        {CDP_RDMA_D_SRC_SURFACE_STRIDE, n->source_surface},
        {CDP_RDMA_D_SRC_DMA_CFG, 1},
    };
    for (size_t i = 0; i < sizeof cdp / sizeof cdp[0]; i++) {
        put(dev, NVDLA_CDP, cdp[i][0], cdp[i][1]);
    }
    for (size_t i = 0; i < sizeof rdma / sizeof rdma[0]; i++) {
        put(dev, NVDLA_CDP_RDMA, rdma[i][0], rdma[i][1]);
    }
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
    for (int k = 0; k < LUT_LE_ENTRIES; k++) {
        put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA, (uint16_t)entries->le[k]);
    }
    put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG, 0x30000);
    for (int k = 0; k < LUT_LO_ENTRIES; k++) {
        put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA, (uint16_t)entries->lo[k]);
    }
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

static void convertor_vectors(void **state) {
    (void)state;
    static const struct {
        int8_t element;
        struct cdp_convertor convertor;
        int32_t want;
    } input[] = {
        {5, {3, 1, 0}, 2},         {-5, {3, 1, 0}, -8},       {3, {0, 1, 1}, 2},         {-3, {0, 1, 1}, -2},
        {5, {0, 1, 1}, 3},         {-5, {0, 1, 1}, -3},       {-1, {0, -0x8000, 15}, 1}, {-128, {127, 1, 0}, -255},
        {-128, {127, 2, 0}, -256}, {-128, {127, -2, 0}, 255}, {127, {0, 0x7fff, 31}, 0}, {-128, {127, -0x8000, 22}, 2},
    };
    static const struct {
        int32_t product;
        struct cdp_convertor convertor;
        int8_t want;
    } output[] = {
        {7, {0, 5, 3}, 4},
        {-7, {0, 5, 3}, -4},
        {100, {0, 0x7fff, 14}, 127},
        {-100, {0, 0x7fff, 14}, -128},
        {-16777216, {16777215, -0x8000, 40}, 1},
        {-16777216, {16777215, -0x8000, 41}, 0},
        {16777215, {-16777216, 0x7fff, 63}, 0},
    };
    for (size_t i = 0; i < sizeof input / sizeof input[0]; i++) {
        assert_int_equal(cdp_convert_input(&input[i].convertor, NVDLA_INT8, input[i].element), input[i].want);
    }
    for (size_t i = 0; i < sizeof output / sizeof output[0]; i++) {
        assert_int_equal(cdp_convert_output(&output[i].convertor, NVDLA_INT8, output[i].product), output[i].want);
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
    for (size_t c = 0; c < count; c++) {
        assert_int_equal((int8_t)byte_at(dev, DESTINATION + c), want[c]);
    }
    bench_free(dev);
}

struct column_vector {
    uint32_t length, bypass, out_shift;
    int8_t want[10];
};

static void layer_vectors(void **state) {
    (void)state;
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
    } runs[] = {{"small", 8}, {"medium_512", 10}, {"large", 10}};
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

/* ---- random layers ---- */

static uint64_t element(const struct device *dev, uint32_t base, uint32_t line, uint32_t surface, uint32_t x,
                        uint32_t y, uint32_t c) {
    uint32_t atom = atom_of(dev);
    return base + c / atom * surface + y * line + x * atom + c % atom;
}

/* Converted element; channels outside the cube are 0. */
static int32_t naive_input(struct device *dev, const struct normalisation *n, const int8_t *cube, uint32_t x,
                           uint32_t y, int64_t c) {
    if (c < 0 || c >= n->channels) {
        return 0;
    }
    uint64_t at = element(dev, 0, n->source_line, n->source_surface, x, y, (uint32_t)c);
    wide_t product = (cube[at] - naive_wrap(n->in_offset, 8)) * naive_wrap(n->in_scale, 16);
    return (int32_t)naive_clamp(naive_round(product, (int)n->in_shift), 9);
}

/* One element of the output and what the tables answered, from `cube`, a copy of the source. */
static int8_t naive_element(struct device *dev, const struct normalisation *n, const struct lut_settings *lut,
                            const struct lut_entries *entries, const int8_t *cube, uint32_t x, uint32_t y, uint32_t c,
                            struct lut_result *found) {
    int32_t own = naive_input(dev, n, cube, x, y, c);
    int64_t q = own;
    if (!(n->bypass & 1)) {
        q = 0;
        int reach = (int)n->length + 1;
        for (int k = -reach; k <= reach; k++) {
            int32_t v = naive_input(dev, n, cube, x, y, (int64_t)c + k);
            q += v * v;
        }
    }
    *found = naive_lut(false, false, lut, entries, q);
    wide_t m = n->bypass & 2 ? found->value : (wide_t)found->value * own;
    m = (m - naive_wrap(n->out_offset, 25)) * naive_wrap(n->out_scale, 16);
    return (int8_t)naive_clamp(naive_round(m, (int)n->out_shift), 8);
}

static void compare_layer(struct device *dev, const struct normalisation *n, const struct lut_settings *lut,
                          const struct lut_entries *entries, const int8_t *cube) {
    struct lut_counters want = {0};
    for (uint32_t c = 0; c < lanes_of(dev, n); c++) {
        for (uint32_t y = 0; y < n->height; y++) {
            for (uint32_t x = 0; x < n->width; x++) {
                struct lut_result found;
                int8_t value = naive_element(dev, n, lut, entries, cube, x, y, c, &found);
                uint64_t at =
                    element(dev, n->destination, n->destination_line, n->destination_surface, x, y, (uint32_t)c);
                assert_int_equal((int8_t)byte_at(dev, at), value);
                lut_count(&want, &found);
            }
        }
    }
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_PERF_LUT_UFLOW), want.underflow);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_PERF_LUT_OFLOW), want.overflow);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_PERF_LUT_HYBRID), want.hybrid);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_PERF_LUT_LE_HIT), want.le_hit);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_PERF_LUT_LO_HIT), want.lo_hit);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_OUT_SATURATION), 0);
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

static struct lut_settings random_lut(uint64_t *state) {
    return (struct lut_settings){
        .le_linear = below(state, 2),
        .under_first_lo = below(state, 2),
        .over_first_lo = below(state, 2),
        .hybrid_first_lo = below(state, 2),
        .le_index_offset = (int)below(state, 24) - 8,
        .range = {random_range(state, 12, 64), random_range(state, 10, 256)},
    };
}

static struct normalisation random_layer(const struct device *dev, uint64_t *state) {
    uint32_t atom = atom_of(dev);
    struct normalisation n = {
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
    n.in_shift = n.in_scale == 1 ? below(state, 3) : 6 + below(state, 12);
    if (below(state, 4) == 0) {
        n.out_shift = below(state, 64);
    }
    place(dev, &n);
    n.source_line += atom * below(state, 3);
    n.source_surface = n.height * n.source_line + atom * below(state, 3);
    n.destination_line += atom * below(state, 3);
    n.destination_surface = n.height * n.destination_line + atom * below(state, 3);
    return n;
}

static void random_layers(const char *config, uint64_t seed, int count) {
    struct device *dev = cdp_device(config);
    int8_t *cube = malloc(REGION);
    assert_non_null(cube);
    random_region(dev, &seed, SOURCE, REGION);
    memory_read(dev->memory[SPACE_PRIMARY], SOURCE, cube, REGION);
    for (int i = 0; i < count; i++) {
        struct lut_entries entries;
        for (int k = 0; k < LUT_LO_ENTRIES; k++) {
            entries.lo[k] = (int16_t)rnd(&seed);
            entries.le[k % LUT_LE_ENTRIES] = (int16_t)rnd(&seed);
        }
        struct lut_settings lut = random_lut(&seed);
        struct normalisation n = random_layer(dev, &seed);
        load_tables(dev, &entries);
        put_settings(dev, &lut);
        run_layer(dev, &n);
        compare_layer(dev, &n, &lut, &entries, cube);
    }
    free(cube);
    bench_free(dev);
}

static void random_layers_atom_8(void **state) {
    (void)state;
    random_layers("small", 1, 40);
}

static void random_layers_atom_16(void **state) {
    (void)state;
    random_layers("medium_512", 2, 20);
}

static void random_layers_atom_32(void **state) {
    (void)state;
    random_layers("medium_1024_full", 3, 15);
    random_layers("large", 4, 15);
}

static void longest_column(void **state) {
    (void)state;
    struct device *dev = cdp_device("small");
    uint64_t seed = 9;
    random_region(dev, &seed, SOURCE, 2 * CDP_MAX_LANES);
    int8_t *cube = malloc(2 * CDP_MAX_LANES);
    assert_non_null(cube);
    memory_read(dev->memory[SPACE_PRIMARY], SOURCE, cube, 2 * CDP_MAX_LANES);
    struct lut_entries entries = {.le = {1000}, .lo = {2000}};
    struct lut_settings lut = {.le_index_offset = 2, .range = {{.under = {7, 3}}, {.start = 50000, .over = {-5, 2}}}};
    struct normalisation n = {
        .width = 2, .height = 1, .channels = CDP_MAX_LANES, .length = 3, .in_scale = 1, .out_scale = 3, .out_shift = 9};
    place(dev, &n);
    load_tables(dev, &entries);
    put_settings(dev, &lut);
    run_layer(dev, &n);
    compare_layer(dev, &n, &lut, &entries, cube);
    free(cube);
    bench_free(dev);
}

static void output_may_replace_the_input(void **state) {
    (void)state;
    struct device *dev = cdp_device("small");
    uint64_t seed = 11;
    int8_t cube[19 * 3 * 16];
    random_region(dev, &seed, SOURCE, sizeof cube);
    memory_read(dev->memory[SPACE_PRIMARY], SOURCE, cube, sizeof cube);
    struct lut_entries entries;
    for (int k = 0; k < LUT_LO_ENTRIES; k++) {
        entries.lo[k] = entries.le[k % LUT_LE_ENTRIES] = (int16_t)(256 - k);
    }
    struct lut_settings lut = {.range = {{0}, {.select = 8}}, .hybrid_first_lo = true};
    struct normalisation n = {
        .width = 19, .height = 3, .channels = 13, .length = 1, .in_scale = 1, .out_scale = 1, .out_shift = 8};
    place(dev, &n);
    n.destination = SOURCE;
    load_tables(dev, &entries);
    put_settings(dev, &lut);
    run_layer(dev, &n);
    compare_layer(dev, &n, &lut, &entries, cube);
    bench_free(dev);
}

/* ---- access port ---- */

static uint32_t pointer(struct device *dev) {
    return get(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG);
}

static uint32_t entry(struct device *dev) {
    return get(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA);
}

static void tables_read_back(void **state) {
    (void)state;
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

static void pointer_moves_in_its_own_direction_only(void **state) {
    (void)state;
    struct device *dev = bench_new("small");
    put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG, 0x3003f);
    for (uint32_t k = 0; k < 3; k++) {
        put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA, 0xabc0u + k);
    }
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

static void pointer_stops_at_the_last_entry(void **state) {
    (void)state;
    struct device *dev = bench_new("small");
    put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_CFG, 0x20000 | 63);
    for (uint32_t k = 0; k < 4; k++) {
        put(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA, 100 + k);
    }
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

static void a_layer_waits_for_both_units(void **state) {
    (void)state;
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

static void two_layers_queue_up(void **state) {
    (void)state;
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

static void counters_clear_when_a_layer_is_armed(void **state) {
    (void)state;
    struct device *dev = cdp_device("small");
    struct normalisation n;
    plain_layer(dev, &n);
    run_layer(dev, &n);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_PERF_LUT_UFLOW), 48);
    put(dev, NVDLA_CDP, CDP_D_OP_ENABLE, 1);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_PERF_LUT_UFLOW), 0);
    bench_free(dev);
}

static void wrong_programs_hang(void **state) {
    (void)state;
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

/* Data formats, NaN flush and performance enables do nothing in INT8 configurations. */
static void settings_without_effect(void **state) {
    (void)state;
    struct device *dev = cdp_device("small");
    struct normalisation n;
    plain_layer(dev, &n);
    cdp_program(dev, &n);
    put(dev, NVDLA_CDP, CDP_D_DATA_FORMAT, 2);
    put(dev, NVDLA_CDP, CDP_D_NAN_FLUSH_TO_ZERO, 1);
    put(dev, NVDLA_CDP, CDP_D_PERF_ENABLE, 0);
    put(dev, NVDLA_CDP_RDMA, CDP_RDMA_D_DATA_FORMAT, 1);
    cdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(byte_at(dev, DESTINATION + 47), 5);
    assert_int_equal(byte_at(dev, DESTINATION + 48), 0);
    assert_int_equal(get(dev, NVDLA_CDP, CDP_D_DATA_FORMAT), 2);
    bench_free(dev);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convertor_vectors),
        cmocka_unit_test(layer_vectors),
        cmocka_unit_test(random_layers_atom_8),
        cmocka_unit_test(random_layers_atom_16),
        cmocka_unit_test(random_layers_atom_32),
        cmocka_unit_test(longest_column),
        cmocka_unit_test(output_may_replace_the_input),
        cmocka_unit_test(tables_read_back),
        cmocka_unit_test(pointer_moves_in_its_own_direction_only),
        cmocka_unit_test(pointer_stops_at_the_last_entry),
        cmocka_unit_test(a_layer_waits_for_both_units),
        cmocka_unit_test(two_layers_queue_up),
        cmocka_unit_test(counters_clear_when_a_layer_is_armed),
        cmocka_unit_test(wrong_programs_hang),
        cmocka_unit_test(settings_without_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
