/* PDP of the model: the INT8 vectors of 60-pdp section 12, random layers against a second computation by output
 * element, split width, input on the fly from SDP, and programs that hang. */
#include "model_bench.h"

#include "model/pdp.h"

enum { SOURCE = 0x100000, DESTINATION = 0x200000, REGION = 0x20000 };

static const uint32_t reciprocals[9] = {0, 0x10000, 0x8000, 0x5555, 0x4000, 0x3333, 0x2aaa, 0x2492, 0x2000};

static uint32_t surfaces(const struct device *dev, const struct pooling *p) {
    uint32_t atom = (uint32_t)dev->config->mem_atom;
    return (p->channels + atom - 1) / atom;
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

/* Puts one value per column atom into lane 0, runs the layer, compares lane 0 of the output. */
static void check_plane(struct device *dev, struct pooling *p, const int8_t *in, const int8_t *out) {
    place(dev, p);
    uint32_t atom = (uint32_t)dev->config->mem_atom;
    for (uint32_t i = 0; i < p->width * p->height; i++) {
        memory_fill(dev->memory[SPACE_PRIMARY], SOURCE + i * atom, 1, (uint8_t)in[i]);
    }
    run_pooling(dev, p);
    for (uint32_t i = 0; i < p->out_width * p->out_height; i++) {
        assert_int_equal((int8_t)byte_at(dev, DESTINATION + i * atom), out[i]);
    }
    /* Groups alternate. */
    uint32_t group = get(dev, NVDLA_PDP, PDP_S_POINTER) >> 16;
    put(dev, NVDLA_PDP, PDP_S_POINTER, group);
    put(dev, NVDLA_PDP_RDMA, PDP_RDMA_S_POINTER, group);
}

static struct device *plane_device(void) {
    struct device *dev = bench_new("small");
    memory_declare(dev->memory[SPACE_PRIMARY], SOURCE, REGION);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    return dev;
}

struct whole_vector {
    uint32_t size;
    int8_t in[9];
    uint32_t reciprocal_width, reciprocal_height;
    int8_t out;
};

static void average_vectors(void **state) {
    (void)state;
    static const struct whole_vector vectors[] = {
        {2, {1, 2, 3, 4}, 0x8000, 0x8000, 3},
        {2, {-1, -2, -3, -4}, 0x8000, 0x8000, -3},
        {2, {1, 1, 1, 0}, 0x8000, 0x8000, 1},
        {2, {1, 0, 1, 0}, 0x8000, 0x8000, 1},
        {2, {-1, 0, -1, 0}, 0x8000, 0x8000, -1},
        {2, {1, 1, 1, 2}, 0x8000, 0x8000, 2},
        {2, {5, -3, 2, -7}, 0x8000, 0x8000, -1},
        {3, {1, 2, 3, 4, 5, 6, 7, 8, 9}, 0x5555, 0x5555, 5},
        {3, {-128, -128, -128, -128, -128, -128, -128, -128, -128}, 0x5555, 0x5555, -128},
        {2, {127, 127, 127, 127}, 0xffff, 0x8000, 126},
        {2, {127, 127, 127, 127}, 0x10000, 0x10000, 124},
        {2, {-128, -128, -128, -128}, 0x10000, 0x10000, 0},
    };
    struct device *dev = plane_device();
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const struct whole_vector *v = &vectors[i];
        struct pooling p = {.width = v->size,
                            .height = v->size,
                            .channels = 1,
                            .out_width = 1,
                            .out_height = 1,
                            .kernel_width = v->size,
                            .kernel_height = v->size,
                            .stride_width = 1,
                            .stride_height = 1,
                            .reciprocal_width = v->reciprocal_width,
                            .reciprocal_height = v->reciprocal_height};
        check_plane(dev, &p, v->in, &v->out);
    }
    bench_free(dev);
}

static void padded_vectors(void **state) {
    (void)state;
    static const int8_t ascending[9] = {10, 20, 30, 40, 50, 60, 70, 80, 90};
    static const int8_t mixed[9] = {-10, 20, -30, 40, -50, 60, -70, 80, -90};
    static const int8_t positive[9] = {16, 25, 20, 31, 50, 38, 29, 45, 33};
    static const int8_t negative[9] = {11, 22, 16, 29, 50, 35, 24, 42, 29};
    static const int8_t unextended[9] = {25, 107, 30, 114, 50, 121, 39, 127, 43};
    static const int8_t largest[9] = {40, 60, 60, 80, 80, 80, 80, 80, 80};
    static const int8_t smallest[9] = {-50, -50, -50, -70, -90, -90, -70, -90, -90};
    struct device *dev = plane_device();
    struct pooling p = {.width = 3,
                        .height = 3,
                        .channels = 1,
                        .out_width = 3,
                        .out_height = 3,
                        .kernel_width = 3,
                        .kernel_height = 3,
                        .stride_width = 1,
                        .stride_height = 1,
                        .left = 1,
                        .top = 1,
                        .right = 1,
                        .bottom = 1,
                        .reciprocal_width = 0x5555,
                        .reciprocal_height = 0x5555};
    for (uint32_t n = 1; n < 8; n++) {
        p.pad[n] = 4 * n;
    }
    check_plane(dev, &p, ascending, positive);
    for (uint32_t n = 1; n < 8; n++) {
        p.pad[n] = -(4 * n) & 0x7ffff;
    }
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

static void round_wraps_by_sign(void **state) {
    (void)state;
    assert_int_equal(pdp_round(0x18000, 8), 2);   /* 1.5 */
    assert_int_equal(pdp_round(-0x18000, 8), -2); /* -1.5 */
    assert_int_equal(pdp_round(-0x8001, 8), -1);
    assert_int_equal(pdp_round(-0x7fff, 8), 0);
    assert_int_equal(pdp_round(508 * 0x10000, 8), 124);
    assert_int_equal(pdp_round(127 * 0x10000 + 0x8000, 8), -128); /* the carry reaches the sign */
    assert_int_equal(pdp_round(-129 * 0x10000, 8), 127);
}

/* ---- random layers ---- */

/* One output element by the definition of sections 4 and 5, from the whole input plane. */
static int8_t pooled(struct device *dev, const struct pooling *p, uint32_t surface, int ox, int oy, uint32_t lane) {
    uint32_t atom = (uint32_t)dev->config->mem_atom;
    int32_t total = 0, best = p->method == PDP_MAX ? -128 : 127, rows = 0;
    for (int y = oy * (int)p->stride_height - (int)p->top, j = 0; j < (int)p->kernel_height; j++, y++) {
        if (y < 0 || y >= (int)p->height) {
            continue;
        }
        int32_t row = 0, columns = 0;
        for (int x = ox * (int)p->stride_width - (int)p->left, i = 0; i < (int)p->kernel_width; i++, x++) {
            if (x < 0 || x >= (int)p->width) {
                continue;
            }
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
    if (p->method != PDP_AVERAGE) {
        return (int8_t)best;
    }
    uint32_t missing = p->kernel_height - (uint32_t)rows;
    int32_t pad = (int32_t)((missing ? p->pad[missing] : 0) ^ 0x40000) - 0x40000;
    total += pad * (int32_t)p->kernel_width;
    total = ((total & 0x3fff) ^ 0x2000) - 0x2000;
    int32_t mean = pdp_round(total * (int32_t)p->reciprocal_width, 11);
    return (int8_t)pdp_round(mean * (int32_t)p->reciprocal_height, 8);
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
                for (uint32_t lane = 0; lane < (uint32_t)dev->config->mem_atom; lane++) {
                    assert_int_equal((int8_t)byte_at(dev, output_address(dev, p, s, ox, oy) + lane),
                                     pooled(dev, p, s, (int)ox, (int)oy, lane));
                }
            }
        }
    }
}

/* A legal layer: every window touches the cube, sizes divide exactly. */
static struct pooling make_pooling(struct device *dev, uint64_t *seed, bool on_the_fly) {
    struct pooling p = {.kernel_width = 1 + below(seed, 8),
                        .kernel_height = 1 + below(seed, 8),
                        .stride_width = 1 + below(seed, below(seed, 4) ? 4 : 16),
                        .stride_height = 1 + below(seed, below(seed, 4) ? 4 : 16),
                        .out_width = 1 + below(seed, 6),
                        .out_height = 1 + below(seed, 6),
                        .channels = 1 + below(seed, 3 * (uint32_t)dev->config->mem_atom),
                        .method = below(seed, 3),
                        .on_the_fly = on_the_fly};
    uint32_t span_x = (p.out_width - 1) * p.stride_width + p.kernel_width;
    uint32_t span_y = (p.out_height - 1) * p.stride_height + p.kernel_height;
    p.left = below(seed, p.kernel_width);
    p.top = below(seed, p.kernel_height);
    p.right = below(seed, p.kernel_width);
    p.bottom = below(seed, p.kernel_height);
    while (p.left + p.right >= span_x) {
        p.left = p.right = 0;
    }
    while (p.top + p.bottom >= span_y) {
        p.top = p.bottom = 0;
    }
    p.width = span_x - p.left - p.right;
    p.height = span_y - p.top - p.bottom;
    bool wild = below(seed, 3) == 0;
    p.reciprocal_width = wild ? rnd(seed) & 0x1ffff : reciprocals[p.kernel_width];
    p.reciprocal_height = wild ? rnd(seed) & 0x1ffff : reciprocals[p.kernel_height];
    for (uint32_t n = 1; n < 8; n++) {
        p.pad[n] = wild ? rnd(seed) & 0x7ffff : (n * (below(seed, 256) - 128)) & 0x7ffff;
    }
    place(dev, &p);
    return p;
}

static void random_layers(const char *config, uint64_t seed, int count) {
    struct device *dev = bench_new(config);
    uint32_t atom = (uint32_t)dev->config->mem_atom;
    random_region(dev, &seed, SOURCE, 4 * REGION);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    for (int i = 0; i < count; i++) {
        struct pooling p = make_pooling(dev, &seed, false);
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
        check_pooling(dev, &p);
    }
    assert_int_equal(dev->finding_count, 0);
    bench_free(dev);
}

static void random_layers_atom_8(void **state) {
    (void)state;
    random_layers("small", 1, 300);
}

static void random_layers_atom_16(void **state) {
    (void)state;
    random_layers("medium_512", 2, 100);
}

static void random_layers_atom_32(void **state) {
    (void)state;
    random_layers("large", 3, 60);
}

/* ---- split width ---- */

static void split_equals_whole(void **state) {
    (void)state;
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
            last_out * p.stride_width + p.kernel_width <= p.stride_width + p.right) {
            continue;
        }
        uint32_t last_in = p.width - used;
        p.partial_in = (first_in - 1) | (last_in - 1) << 10 | (mid_in - 1) << 20;
        p.partial_out = (first_out - 1) | (last_out - 1) << 10 | (mid_out - 1) << 20;
        p.reciprocal_width = reciprocals[p.kernel_width];
        p.reciprocal_height = reciprocals[p.kernel_height];
        for (uint32_t n = 1; n < 8; n++) {
            p.pad[n] = 3 * n;
        }
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

/* SDP copies the cube into PDP: the result is that of PDP reading the cube itself. Both interrupts come, the groups of
 * PDP_RDMA stay. */
static void on_the_fly_equals_from_memory(void **state) {
    (void)state;
    struct device *dev = bench_new("small");
    uint64_t seed = 6;
    random_region(dev, &seed, SOURCE, 4 * REGION);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    for (uint32_t i = 0; i < 60; i++) {
        struct pooling p = make_pooling(dev, &seed, true);
        uint32_t group = i & 1;
        sdp_group(dev, group);
        put(dev, NVDLA_PDP, PDP_S_POINTER, group);
        sdp_copy(dev, p.width, p.height, p.channels, SOURCE, 0);
        put(dev, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, 2);
        put(dev, NVDLA_SDP, SDP_D_DST_DMA_CFG, 0); /* not used */
        pdp_program(dev, &p);
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

static void on_the_fly_needs_the_same_cube(void **state) {
    (void)state;
    struct device *dev = plane_device();
    struct pooling p = {.width = 4,
                        .height = 4,
                        .channels = 8,
                        .out_width = 4,
                        .out_height = 4,
                        .kernel_width = 1,
                        .kernel_height = 1,
                        .stride_width = 1,
                        .stride_height = 1,
                        .method = PDP_MAX,
                        .on_the_fly = 1};
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

static void pooling_waits_for_both_units(void **state) {
    (void)state;
    struct device *dev = plane_device();
    struct pooling p = {.width = 4,
                        .height = 4,
                        .channels = 8,
                        .out_width = 2,
                        .out_height = 2,
                        .kernel_width = 2,
                        .kernel_height = 2,
                        .stride_width = 2,
                        .stride_height = 2,
                        .method = PDP_MAX};
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

static void wrong_programs_hang(void **state) {
    (void)state;
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
        struct device *dev = plane_device();
        struct pooling p = {.width = 4,
                            .height = 4,
                            .channels = 8,
                            .out_width = 2,
                            .out_height = 2,
                            .kernel_width = 2,
                            .kernel_height = 2,
                            .stride_width = 2,
                            .stride_height = 2,
                            .method = PDP_MAX};
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(average_vectors),
        cmocka_unit_test(padded_vectors),
        cmocka_unit_test(round_wraps_by_sign),
        cmocka_unit_test(random_layers_atom_8),
        cmocka_unit_test(random_layers_atom_16),
        cmocka_unit_test(random_layers_atom_32),
        cmocka_unit_test(split_equals_whole),
        cmocka_unit_test(on_the_fly_equals_from_memory),
        cmocka_unit_test(on_the_fly_needs_the_same_cube),
        cmocka_unit_test(pooling_waits_for_both_units),
        cmocka_unit_test(wrong_programs_hang),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
