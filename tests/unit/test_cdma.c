/* CDMA alone: the vectors of chapters 20 and 30 by what lies in CBUF afterwards, accounts, reuse and counters. Random
 * layers are compared by tests/naive. */
#include "model_bench.h"

#include "model/cdma.h"
#include "model/cdma_convertor.h"
#include "nvdla/fp.h"
#include "tests/unit/test.h"
#include "tests/vectors.h"

/* ---- bench ---- */

enum { DATA = 0x20000, WEIGHTS = 0x100000, MASKS = 0x180000, SIZES = 0x1c0000 };
enum { INT8_LAYER = 0, INT16_LAYER = 0x1100, FP16_LAYER = 0x2200 }; /* D_MISC_CFG: IN and PROC the same */

/* A CDMA of its own, with CBUF and registers, between a memory and a CSC that only answers the handshake. */
struct unit {
    struct device *dev;
    struct register_group regs;
    struct cbuf cbuf;
    struct cdma cdma;
    struct cdma_clients clients;
    uint64_t data_beats, weight_beats;
    struct dma_outside outside;
};

static void unit_release(struct unit *u) {
    assert_int_equal(u->dev->finding_count, 0);
    cdma_free(&u->cdma);
    cbuf_free(&u->cbuf);
    register_group_free(&u->regs);
}
TEST_KEEPS(unit_keep, struct unit, unit_release)

static struct unit *unit_new(const char *config) {
    struct device *dev = bench_new(config);
    struct unit *u = unit_keep(test_new(sizeof *u));
    u->dev = dev;
    register_group_init(&u->regs, u->dev->config, NVDLA_CDMA);
    cbuf_init(&u->cbuf, u->dev->config);
    cdma_init(&u->cdma, u->dev->config);
    dma_init(&u->clients.data, u->dev, &u->outside, true, NVDLA_CDMA, 8, 0, &u->data_beats);
    dma_init(&u->clients.weights, u->dev, &u->outside, true, NVDLA_CDMA, 9, 0, &u->weight_beats);
    u->clients.data.beat = u->clients.data.atom; /* the tests count atoms */
    u->clients.weights.beat = u->clients.weights.atom;
    return u;
}

static void set(struct unit *u, uint32_t offset, uint32_t value) {
    u->regs.producer = u->regs.consumer;
    register_group_write(&u->regs, offset, value);
}

#define SET(u, ...) FOR_ROWS(set(u, offset_, value_), __VA_ARGS__)

static const struct cdma_served served = {.data = true, .weights = true};

static bool step(struct unit *u) {
    bool can = cdma_can_step(&u->cdma, &u->cbuf, &u->regs, served);
    if (can)
        cdma_step(&u->cdma, &u->cbuf, u->dev->config, &u->regs, served, &u->clients);
    return can;
}

/* Starts the layer of the consumer group and fetches what fits; CSC answers where banks changed. */
static void start(struct unit *u) {
    set(u, CDMA_D_OP_ENABLE, 1);
    assert_true(step(u));
    if (u->cdma.weights.phase == CDMA_PEND) {
        bool data = u->cdma.data == CDMA_PEND;
        if (data)
            u->cbuf.data = (struct cbuf_data){.held = 0};
        u->cbuf.weights = (struct cbuf_weights){.held = 0};
        cdma_leave_pend(&u->cdma, data);
    }
    while (step(u)) {
    }
}

static void finish(struct unit *u) {
    assert_true(cdma_layer_done(&u->cdma));
    cdma_end(&u->cdma);
    register_group_done(&u->regs);
}

/* Fills memory with bytes that are their own address, modulo 256. */
static void count_up(struct unit *u, uint64_t address, size_t n) {
    memory_declare(u->dev->memory[SPACE_PRIMARY], address, n);
    for (size_t i = 0; i < n; i++) {
        uint8_t byte = (uint8_t)(address + i);
        memory_write(u->dev->memory[SPACE_PRIMARY], address + i, &byte, 1, NULL, NULL);
    }
}

/* ---- convertor ---- */

/* 30-cdma-cbuf section 6.5. */
TEST(convertor_vectors) {
    static const char *const kinds[] = {"int8", "int16", "fp16"};
    for (size_t precision = 0; precision < sizeof kinds / sizeof kinds[0]; precision++)
        for (struct vectors v = vectors_of("convertor", kinds[precision]); vectors_next(&v);) {
            const int64_t *n = v.number;
            int32_t scaled = cdma_scale((int32_t)n[0], (int16_t)n[1], (int16_t)n[2], (unsigned)n[3]);
            assert_true(vectors_equal(&v, cdma_to_precision(scaled, (enum nvdla_precision)precision), (uint16_t)n[4]));
        }
}

/* Section 6.3: the value behind the shift saturates to 17 bits. */
TEST(scaled_values_have_17_bits) {
    assert_int_equal(cdma_scale(65535, -32768, 32767, 0), 65535);
    assert_int_equal(cdma_scale(65535, -32768, -32768, 0), -65536);
    assert_int_equal(cdma_scale(-32768, 0, 2, 0), -65536);
    assert_int_equal(cdma_scale(-32768, 1, 2, 0), -65536);
}

/* ---- image lines ---- */

struct line_vector {
    const char *config;
    uint32_t misc, format, base, width, x_offset, left, right, pad;
    bool sign, convert, means;
    uint32_t offset, shift, mean0, mean1;
    const char *bytes; /* hexadecimal, in the order of the line */
    const char *tail;  /* what fills the line up to the end of the chunk, byte or halfword; NULL: not looked at */
};

static void check_hex(const struct cbuf *cbuf, size_t at, const char *hex) {
    for (size_t i = 0; hex[2 * i]; i++) {
        const char digits[3] = {hex[2 * i], hex[2 * i + 1], 0};
        assert_int_equal(cbuf->bytes[at + i], strtoul(digits, NULL, 16));
    }
}

static void program_line(struct unit *u, const struct line_vector *v) {
    SET(u, {CDMA_D_MISC_CFG, v->misc}, {CDMA_D_DATAIN_FORMAT, 1 | v->format << 8 | (uint32_t)v->sign << 20},
        {CDMA_D_DATAIN_SIZE_0, v->width - 1}, {CDMA_D_PIXEL_OFFSET, v->x_offset}, {CDMA_D_DAIN_RAM_TYPE, 1},
        {CDMA_D_DAIN_ADDR_LOW_0, v->base}, {CDMA_D_DAIN_ADDR_LOW_1, 0x20080}, {CDMA_D_LINE_STRIDE, 0x100},
        {CDMA_D_LINE_UV_STRIDE, 0x100}, {CDMA_D_ENTRY_PER_SLICE, 15}, {CDMA_D_MEAN_FORMAT, v->means},
        {CDMA_D_MEAN_GLOBAL_0, v->mean0}, {CDMA_D_MEAN_GLOBAL_1, v->mean1},
        {CDMA_D_CVT_CFG, (uint32_t)v->convert | v->shift << 4}, {CDMA_D_CVT_OFFSET, v->offset}, {CDMA_D_CVT_SCALE, 1},
        {CDMA_D_ZERO_PADDING, v->left | v->right << 8}, {CDMA_D_ZERO_PADDING_VALUE, v->pad});
}

/* Fetches one line from a memory whose byte n is n mod 256 and compares the bytes in CBUF. */
static void check_line(const struct line_vector *v) {
    struct unit *u = unit_new(v->config);
    count_up(u, DATA, 0x1000);
    memset(u->cbuf.bytes, 0xee, u->cbuf.entries * u->cbuf.entry);
    program_line(u, v);
    start(u);
    assert_int_equal(u->cdma.data, CDMA_DONE);
    assert_int_equal(u->cbuf.data.slices, 1);
    assert_int_equal(u->cbuf.data.held, 16);
    check_hex(&u->cbuf, 0, v->bytes);
    size_t at = strlen(v->bytes) / 2;
    if (v->tail) {
        size_t chunk = (size_t)u->dev->config->atomic_c * (v->misc == INT8_LAYER ? 1 : 2);
        for (; at % chunk != 0; at += strlen(v->tail) / 2)
            check_hex(&u->cbuf, at, v->tail);
        for (; at % u->cbuf.entry != 0; at++)
            assert_int_equal(u->cbuf.bytes[at], 0);
        assert_int_equal(u->cbuf.bytes[at], 0xee);
    }
}

static uint32_t precision_of(const char *name) {
    return strcmp(name, "fp16") == 0 ? NVDLA_FP16 : strcmp(name, "int16") == 0 ? NVDLA_INT16 : NVDLA_INT8;
}

/* 20-data-formats section 4.3, 30-cdma-cbuf sections 6.4 and 6.5. */
TEST(image_line_vectors) {
    static const char *const runs[][2] = {
        {"small", "any"}, {"small", "atom_8"}, {"full", "any"}, {"full", "atom_32"}, {"full", "wide"}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        for (struct vectors v = vectors_of("image_lines", runs[i][1]); vectors_next(&v);) {
            uint32_t n[12];
            for (int k = 2; k < 12; k++)
                n[k] = (uint32_t)v.number[k];
            check_line(&(struct line_vector){.config = runs[i][0],
                                             .misc = precision_of(v.cell[0]) << 8 | precision_of(v.cell[1]) << 12,
                                             .format = n[2],
                                             .base = n[3],
                                             .width = n[4],
                                             .x_offset = n[5],
                                             .left = n[6],
                                             .right = n[7],
                                             .pad = n[8],
                                             .convert = n[9],
                                             .offset = n[10],
                                             .shift = n[11],
                                             .means = v.number[12] != 0,
                                             .mean0 = (uint32_t)v.number[12],
                                             .mean1 = (uint32_t)(v.number[12] >> 32),
                                             .bytes = v.cell[13],
                                             .tail = v.cell[14][0] ? v.cell[14] : NULL});
        }
}

/* ---- feature cubes ---- */

/* A cube, true sizes; batches of them one behind the other. */
struct cube_layer {
    uint32_t misc, width, height, channels, batches;
    uint32_t line, surface, batch; /* strides */
    uint32_t map, grain, entries, banks;
};

static uint32_t cube_bytes(const struct cube_layer *l) {
    return l->misc == INT8_LAYER ? 1 : 2;
}

static uint32_t cube_atoms(const struct cube_layer *l) {
    return (l->channels * cube_bytes(l) + 31) / 32;
}

/* ENTRY_PER_SLICE of 30-cdma-cbuf section 5.1. */
static uint32_t slice_entries(uint32_t atoms, uint32_t width) {
    uint32_t rest = atoms % 4;
    return atoms / 4 * width + (rest == 0 ? 0 : rest == 1 ? (width + 3) / 4 : rest == 2 ? (width + 1) / 2 : width);
}

static void program_cube(struct unit *u, const struct cube_layer *l) {
    SET(u, {CDMA_D_MISC_CFG, l->misc}, {CDMA_D_DATAIN_FORMAT, 0},
        {CDMA_D_DATAIN_SIZE_0, (l->width - 1) | (l->height - 1) << 16}, {CDMA_D_DATAIN_SIZE_1, l->channels - 1},
        {CDMA_D_DAIN_RAM_TYPE, 1}, {CDMA_D_DAIN_ADDR_LOW_0, DATA}, {CDMA_D_LINE_STRIDE, l->line},
        {CDMA_D_SURF_STRIDE, l->surface}, {CDMA_D_BATCH_NUMBER, l->batches - 1}, {CDMA_D_BATCH_STRIDE, l->batch},
        {CDMA_D_DAIN_MAP, l->map}, {CDMA_D_FETCH_GRAIN, l->grain}, {CDMA_D_ENTRY_PER_SLICE, l->entries - 1},
        {CDMA_D_BANK, l->banks - 1});
}

/* A packed cube. */
static struct cube_layer packed_cube(uint32_t misc, uint32_t width, uint32_t height, uint32_t channels,
                                     uint32_t batches) {
    struct cube_layer l = {.misc = misc,
                           .width = width,
                           .height = height,
                           .channels = channels,
                           .batches = batches,
                           .line = width * 32,
                           .surface = width * height * 32,
                           .map = 0x10001};
    l.batch = l.surface * cube_atoms(&l);
    l.entries = slice_entries(cube_atoms(&l), width);
    l.banks = (l.entries * height * batches + 255) / 256;
    return l;
}

/* Section 5.6, the rows of full. */
TEST(entries_per_slice) {
    struct cbuf cbuf;
    cbuf_init(&cbuf, nvdla_config_find("full"));
    assert_int_equal(cbuf_slice_size(&cbuf, 224, 2), 112 * 128);
    assert_int_equal(cbuf_slice_size(&cbuf, 56, 4), 56 * 128);
    assert_int_equal(cbuf_slice_size(&cbuf, 7, 26), 46 * 128);
    assert_int_equal(cbuf_slice_size(&cbuf, 13, 2), 7 * 128);
    cbuf_free(&cbuf);
    struct unit *u = unit_new("full");
    count_up(u, DATA, 0x2000);
    struct line_vector v = {.format = 0x0c, .base = DATA, .width = 227};
    program_line(u, &v);
    set(u, CDMA_D_BANK, 1); /* ENTRY_PER_SLICE says 16: the next line starts there */
    start(u);
    finish(u);
    assert_int_equal(u->cbuf.data.write, 16);
}

/* ---- NaN and infinity ---- */

/* Section 7, the example: 480 elements with 44 NaN and 45 infinities, weights of 256 bytes with 26 NaN. */
TEST(specials_are_counted_and_flushed) {
    static const uint16_t nans[] = {0x7c01, 0xfc01, 0x7fff, 0xffff, 0x7e00};
    for (uint32_t flush = 0; flush < 2; flush++) {
        struct device *dev = bench_new("full");
        struct memory *mem = dev->memory[SPACE_PRIMARY];
        memory_declare(mem, DATA, 960);
        memory_declare(mem, WEIGHTS, 256);
        for (uint32_t i = 0; i < 480; i++) {
            uint16_t value = i % 10 == 3 && i < 440   ? nans[i % 5]
                             : i % 10 == 7 && i < 450 ? (uint16_t)(i % 20 == 7 ? 0x7c00 : 0xfc00)
                                                      : (uint16_t)i;
            memory_write(mem, DATA + 2 * i, &value, 2, NULL, NULL);
        }
        for (uint32_t i = 0; i < 128; i++) {
            uint16_t value = i >= 102 ? nans[i % 5] : 0x0001;
            memory_write(mem, WEIGHTS + 2 * i, &value, 2, NULL, NULL);
        }
        PUT(dev, NVDLA_CDMA, {CDMA_D_MISC_CFG, FP16_LAYER}, {CDMA_D_DATAIN_FORMAT, 0},
            {CDMA_D_DATAIN_SIZE_0, 4 | 2 << 16}, {CDMA_D_DATAIN_SIZE_1, 19}, {CDMA_D_DAIN_RAM_TYPE, 1},
            {CDMA_D_DAIN_ADDR_LOW_0, DATA}, {CDMA_D_LINE_STRIDE, 160}, {CDMA_D_SURF_STRIDE, 480},
            {CDMA_D_DAIN_MAP, 0x10001}, {CDMA_D_ENTRY_PER_SLICE, 2}, {CDMA_D_WEIGHT_RAM_TYPE, 1},
            {CDMA_D_WEIGHT_ADDR_LOW, WEIGHTS}, {CDMA_D_WEIGHT_BYTES, 256}, {CDMA_D_WEIGHT_SIZE_0, 39},
            {CDMA_D_NAN_FLUSH_TO_ZERO, flush}, {CDMA_D_OP_ENABLE, 1});
        put(dev, NVDLA_CSC, CSC_D_OP_ENABLE, 1);
        while (advance(dev) == DEVICE_RUNNING) {
        }
        assert_int_equal(get(dev, NVDLA_CDMA, CDMA_D_NAN_INPUT_DATA_NUM), 44);
        assert_int_equal(get(dev, NVDLA_CDMA, CDMA_D_NAN_INPUT_WEIGHT_NUM), 26);
        assert_int_equal(get(dev, NVDLA_CDMA, CDMA_D_INF_INPUT_DATA_NUM), 45);
        assert_int_equal(get(dev, NVDLA_CDMA, CDMA_D_INF_INPUT_WEIGHT_NUM), 0);
        assert_int_equal(dev->finding_count, 0);
    }
}

/* ---- weights ---- */

struct weight_layer {
    uint32_t misc, kernels, kernel_bytes, weight_bytes, mask_bytes;
    uint32_t address;
    uint32_t bank; /* D_BANK */
};

/* Programs weights, with a data half of one pixel. */
static void program_weights(struct unit *u, const struct weight_layer *w) {
    struct cube_layer l = packed_cube(w->misc, 1, 1, 1, 1);
    program_cube(u, &l);
    SET(u, {CDMA_D_WEIGHT_RAM_TYPE, 1}, {CDMA_D_WEIGHT_FORMAT, w->mask_bytes > 0},
        {CDMA_D_WEIGHT_ADDR_LOW, w->address ? w->address : WEIGHTS}, {CDMA_D_WEIGHT_BYTES, w->weight_bytes},
        {CDMA_D_WEIGHT_SIZE_0, w->kernel_bytes - 1}, {CDMA_D_WEIGHT_SIZE_1, w->kernels - 1},
        {CDMA_D_WMB_ADDR_LOW, MASKS}, {CDMA_D_WMB_BYTES, w->mask_bytes}, {CDMA_D_WGS_ADDR_LOW, SIZES},
        {CDMA_D_BANK, w->bank});
}

static void check_ring(struct unit *u, size_t first, uint64_t address, size_t n) {
    for (size_t i = 0; i < n; i++)
        assert_int_equal(u->cbuf.bytes[first * 128 + i], byte_at(u->dev, address + i));
}

/* Section 4.2: pointers persist from layer to layer and go back to 0 when banks change. */
TEST(weight_pointers_persist) {
    uint64_t seed = 6;
    struct unit *u = unit_new("full");
    random_region(u->dev, &seed, DATA, 256);
    random_region(u->dev, &seed, WEIGHTS, 4096);
    for (uint32_t layer = 0; layer < 4; layer++) {
        struct weight_layer w = {.kernels = 1,
                                 .kernel_bytes = 256,
                                 .weight_bytes = 256,
                                 .address = WEIGHTS + 256 * layer,
                                 .bank = layer < 3 ? 1 | 0 << 16 : 2 | 1 << 16};
        program_weights(u, &w);
        start(u);
        finish(u);
        check_ring(u, layer < 3 ? 512 + 2 * layer : 768, WEIGHTS + 256 * layer, 256);
        assert_int_equal(u->cbuf.weights.kernels, layer < 3 ? layer + 1 : 1);
    }
}

/* Section 8.2: a group is complete when its mask bits and the sum of the group sizes have come. The two rings wait on
 * their own. */
TEST(groups_of_compressed_weights_are_reported_as_they_come) {
    enum { GROUPS = 70, KERNELS = GROUPS * 16 - 3 };
    uint64_t seed = 8;
    struct unit *u = unit_new("full");
    random_region(u->dev, &seed, DATA, 32);
    memory_declare(u->dev->memory[SPACE_PRIMARY], SIZES, 512);
    /* Groups of 1 KiB, one without any; 16 kernels of 1024 elements are 16 entries of mask bits. */
    for (uint32_t g = 0; g < GROUPS; g++) {
        uint32_t size = g == 5 ? 0 : 1024;
        memory_write(u->dev->memory[SPACE_PRIMARY], SIZES + 4 * g, &size, 4, NULL, NULL);
    }
    struct weight_layer w = {.misc = FP16_LAYER,
                             .kernels = KERNELS,
                             .kernel_bytes = 2048,
                             .weight_bytes = (GROUPS - 1) * 1024,
                             .mask_bytes = KERNELS * 128,
                             .bank = 0};
    random_region(u->dev, &seed, WEIGHTS, w.weight_bytes);
    random_region(u->dev, &seed, MASKS, w.mask_bytes);
    program_weights(u, &w);
    start(u);
    /* Both banks are full: of weights 256 entries, 32 groups and the empty one; of mask bits 256 entries, 16 groups. */
    struct cbuf_weights *account = &u->cbuf.weights;
    assert_int_equal(account->held, 1024);
    assert_int_equal(account->mask_held, 1024);
    assert_int_equal(account->kernels, 16 * 16);
    assert_false(step(u));
    /* Mask bits go: those of 32 groups have come then, and the weights of 33. */
    account->mask_held = 0;
    struct cdma_weights progress = u->cdma.weights;
    struct cbuf_weights copy = *account;
    cdma_account_weights(&u->cdma, &u->cbuf, &progress, &copy);
    assert_int_equal(copy.kernels, 32 * 16);
    assert_true(step(u));
    assert_int_equal(account->kernels, copy.kernels);
    assert_int_equal(account->mask_write, copy.mask_write);
    assert_int_equal(account->mask_held, copy.mask_held);
    /* All that remains, ring by ring. */
    for (int i = 0; i < 20 && u->cdma.weights.phase == CDMA_BUSY; i++) {
        account->held = 0;
        account->mask_held = 0;
        step(u);
    }
    assert_int_equal(u->cdma.weights.phase, CDMA_DONE);
    assert_int_equal(account->kernels, KERNELS);
    assert_int_equal(account->mask_write, KERNELS * 4 % 1024);
    check_ring(u, 15 * 256, MASKS + 4 * 256 * 128, (KERNELS - 4 * 256) * 128);
}

/* Section 8.1: what CSC does not know about yet does not count; too few bytes never complete a group before the last.
 */
TEST(missing_weights_never_come) {
    uint64_t seed = 10;
    struct unit *u = unit_new("full");
    random_region(u->dev, &seed, DATA, 32);
    random_region(u->dev, &seed, WEIGHTS, 4096);
    struct weight_layer w = {.kernels = 96, .kernel_bytes = 64, .weight_bytes = 3968, .bank = 0};
    program_weights(u, &w); /* groups of 32 kernels: 2048 bytes each */
    start(u);
    assert_int_equal(u->cbuf.weights.kernels, 32);
    assert_int_equal(u->cdma.weights.phase, CDMA_BUSY);
    assert_false(step(u));
}

/* ---- reuse and room ---- */

/* Section 9.3, the observed sequence. */
TEST(reuse_rules) {
    enum { DATA_REUSE = 1 << 16, WEIGHT_REUSE = 1 << 20, SKIP_DATA = 1 << 24, SKIP_WEIGHT = 1 << 28 };
    static const struct {
        uint32_t flags, bank;
        bool winograd;
        uint64_t data, weights; /* atoms */
        size_t data_write, weight_write;
    } layers[] = {
        {0, 0x10001, false, 8, 8, 2, 8},
        {SKIP_DATA | SKIP_WEIGHT, 0x10001, false, 8, 8, 4, 16},
        {DATA_REUSE | WEIGHT_REUSE, 0x10001, false, 0, 0, 4, 16},
        {DATA_REUSE | WEIGHT_REUSE | SKIP_DATA | SKIP_WEIGHT, 0x10001, false, 8, 8, 6, 24},
        {DATA_REUSE | WEIGHT_REUSE | SKIP_DATA, 0x10002, false, 8, 8, 2, 8},
        {DATA_REUSE | WEIGHT_REUSE | SKIP_DATA | SKIP_WEIGHT, 0x20002, false, 0, 8, 2, 8},
        /* Another mode is another layout: the data is fetched, the weights are kept. */
        {DATA_REUSE | WEIGHT_REUSE, 0x20002, true, 8, 0, 10, 8},
    };
    uint64_t seed = 13;
    struct unit *u = unit_new("full");
    random_region(u->dev, &seed, DATA, 4096);
    random_region(u->dev, &seed, WEIGHTS, 256);
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        u->data_beats = u->weight_beats = 0;
        struct weight_layer w = {.kernels = 1, .kernel_bytes = 256, .weight_bytes = 256, .bank = layers[i].bank};
        program_weights(u, &w);
        SET(u, {CDMA_D_MISC_CFG, layers[i].flags | layers[i].winograd}, {CDMA_D_DATAIN_SIZE_0, 3 | 1 << 16},
            {CDMA_D_LINE_STRIDE, 128}, {CDMA_D_DATAIN_SIZE_EXT_0, 3 | 3 << 16},
            {CDMA_D_ENTRY_PER_SLICE, layers[i].winograd ? 1 : 0});
        start(u);
        finish(u);
        assert_int_equal(u->data_beats, layers[i].data);
        assert_int_equal(u->weight_beats, layers[i].weights);
        assert_int_equal(u->cbuf.data.write, layers[i].data_write);
        assert_int_equal(u->cbuf.weights.write, layers[i].weight_write);
    }
}

/* Lines wait for room, exactly: corner case 2 of chapter 30. */
TEST(lines_wait_for_free_entries) {
    uint64_t seed = 14;
    struct unit *u = unit_new("full");
    struct cube_layer l = packed_cube(INT8_LAYER, 16, 40, 64, 2); /* 8 entries a line and batch */
    l.grain = 4;
    l.banks = 2;
    random_region(u->dev, &seed, DATA, (size_t)l.batch * 2);
    program_cube(u, &l);
    start(u);
    assert_int_equal(u->cbuf.data.slices, 30); /* 6 grains of 5 lines, 80 entries each, in 512 */
    assert_int_equal(u->cbuf.data.held, 480);
    u->cbuf.data.held -= 47;
    assert_false(step(u));
    u->cbuf.data.held -= 1;
    assert_true(step(u));
    assert_int_equal(u->cbuf.data.slices, 35);
    assert_int_equal(u->cbuf.data.held, 512);
    u->cbuf.data.held = 0;
    assert_true(step(u));
    assert_int_equal(u->cdma.data, CDMA_DONE);
    assert_int_equal(u->cbuf.data.write, 640 % 512);
}

/* ENTRY_PER_SLICE is trusted: slices stand where it says. */
TEST(wrong_entries_per_slice_overlap) {
    struct unit *u = unit_new("full");
    count_up(u, DATA, 0x1000);
    struct cube_layer l = packed_cube(INT8_LAYER, 8, 2, 32, 1); /* needs 2 entries a line */
    l.entries = 1;
    program_cube(u, &l);
    start(u);
    assert_int_equal(u->cbuf.data.held, 2);
    for (size_t i = 0; i < 384; i++) {
        size_t from = i < 128 ? i : 256 + i - 128;
        assert_int_equal(u->cbuf.bytes[i], (uint8_t)from);
    }
}
