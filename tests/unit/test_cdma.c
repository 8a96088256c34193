/* CDMA alone: the vectors of chapters 20 and 30 by what lies in CBUF afterwards, accounts, reuse and counters. Random
 * layers are compared by tests/naive. */
#include "model_bench.h"

#include "model/cdma.h"
#include "model/cdma_convertor.h"
#include "nvdla/fp.h"
#include "tests/unit/register_steps.h"
#include "tests/unit/test.h"
#include "tests/vectors.h"

/* ---- bench ---- */

enum { DATA = 0x20000, WEIGHTS = 0x100000 };
enum { INT8_LAYER = 0, FP16_LAYER = 0x2200 }; /* D_MISC_CFG: IN and PROC the same */

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

static uint32_t precision_of(const char *name) {
    return strcmp(name, "fp16") == 0 ? NVDLA_FP16 : strcmp(name, "int16") == 0 ? NVDLA_INT16 : NVDLA_INT8;
}

static void check_hex(const struct cbuf *cbuf, size_t at, const char *hex) {
    for (size_t i = 0; hex[2 * i]; i++) {
        const char digits[3] = {hex[2 * i], hex[2 * i + 1], 0};
        assert_int_equal(cbuf->bytes[at + i], strtoul(digits, NULL, 16));
    }
}

static void set_one(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    assert_int_equal(unit, NVDLA_CDMA);
    set(context, offset, value);
}

/* Registers of a row of image_lines.tsv. */
static char *line_registers(const struct vectors *v) {
    return kept(xprintf("CDMA: D_MISC_CFG=%u D_DATAIN_FORMAT=1,PIXEL_FORMAT:%s D_DATAIN_SIZE_0=%u D_PIXEL_OFFSET=%s "
                        "D_DAIN_RAM_TYPE=1 D_DAIN_ADDR_LOW_0=%s D_DAIN_ADDR_LOW_1=0x20080 D_LINE_STRIDE=0x100 "
                        "D_LINE_UV_STRIDE=0x100 D_ENTRY_PER_SLICE=15 D_MEAN_FORMAT=%d D_MEAN_GLOBAL_0=%u "
                        "D_MEAN_GLOBAL_1=%u D_CVT_CFG=%s,CVT_TRUNCATE:%s D_CVT_OFFSET=%s D_CVT_SCALE=1 "
                        "D_ZERO_PADDING=PAD_LEFT:%s,PAD_RIGHT:%s D_ZERO_PADDING_VALUE=%s",
                        precision_of(v->cell[0]) << 8 | precision_of(v->cell[1]) << 12, v->cell[2],
                        (uint32_t)v->number[4] - 1, v->cell[5], v->cell[3], v->number[12] != 0, (uint32_t)v->number[12],
                        (uint32_t)(v->number[12] >> 32), v->cell[9], v->cell[11], v->cell[10], v->cell[6], v->cell[7],
                        v->cell[8]));
}

/* Fetches one line from a memory whose byte n is n mod 256 and compares the bytes in CBUF: those of the line, then what
 * fills it up to the end of the chunk, byte or halfword, if the row has it. */
static void check_line(const char *config, const struct vectors *v) {
    struct unit *u = unit_new(config);
    const char *bytes = v->cell[13], *tail = v->cell[14];
    count_up(u, DATA, 0x1000);
    memset(u->cbuf.bytes, 0xee, u->cbuf.entries * u->cbuf.entry);
    register_text(u->dev->config, line_registers(v), set_one, u);
    start(u);
    assert_int_equal(u->cdma.data, CDMA_DONE);
    assert_int_equal(u->cbuf.data.slices, 1);
    assert_int_equal(u->cbuf.data.held, 16);
    check_hex(&u->cbuf, 0, bytes);
    size_t at = strlen(bytes) / 2;
    if (tail[0]) {
        const bool int8 = precision_of(v->cell[0]) == NVDLA_INT8 && precision_of(v->cell[1]) == NVDLA_INT8;
        size_t chunk = (size_t)u->dev->config->atomic_c * (int8 ? 1 : 2);
        for (; at % chunk != 0; at += strlen(tail) / 2)
            check_hex(&u->cbuf, at, tail);
        for (; at % u->cbuf.entry != 0; at++)
            assert_int_equal(u->cbuf.bytes[at], 0);
        assert_int_equal(u->cbuf.bytes[at], 0xee);
    }
}

/* 20-data-formats section 4.3, 30-cdma-cbuf sections 6.4 and 6.5. */
TEST(image_line_vectors) {
    static const char *const runs[][2] = {
        {"small", "any"}, {"small", "atom_8"}, {"full", "any"}, {"full", "atom_32"}, {"full", "wide"}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        for (struct vectors v = vectors_of("image_lines", runs[i][1]); vectors_next(&v);)
            check_line(runs[i][0], &v);
}

/* ---- cases of cdma.txt ---- */

static void *begin(const char *title) {
    return unit_new(title_config(title)->name);
}

/* Phases of both halves, then the accounts of CBUF. */
static void print_state(const struct unit *u, FILE *found) {
    static const char *const phases[] = {
        [CDMA_IDLE] = "idle", [CDMA_PEND] = "pend", [CDMA_BUSY] = "busy", [CDMA_DONE] = "done"};
    const struct cbuf_weights *weights = &u->cbuf.weights;
    fprintf(found, "data %s %zu lines %zu held at %zu, weights %s %zu kernels %zu held at %zu, masks %zu at %zu",
            phases[u->cdma.data], u->cbuf.data.slices, u->cbuf.data.held, u->cbuf.data.write,
            phases[u->cdma.weights.phase], weights->kernels, weights->held, weights->write, weights->mask_held,
            weights->mask_write);
}

/* Entries of CBUF from `first` on are those bytes of memory. */
static bool ring_is(struct unit *u, size_t first, uint64_t address, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (u->cbuf.bytes[first * u->cbuf.entry + i] != byte_at(u->dev, address + i))
            return false;
    return true;
}

/* What has come by the mask bits and the sizes of the groups, without a step. */
static size_t accounted(const struct unit *u) {
    struct cdma_weights progress = u->cdma.weights;
    struct cbuf_weights copy = u->cbuf.weights;
    cdma_account_weights(&u->cdma, &u->cbuf, &progress, &copy);
    return copy.kernels;
}

static bool act(void *context, const struct step *at, FILE *found) {
    struct unit *u = context;
    uint64_t seed = 6;
    if (step_is_writes(at))
        FOR_WRITES(u->dev->config, at, set(u, write_.offset, write_.value))
    else if (step_is(at, "random"))
        random_region(u->dev, &seed, step_number(at, 1), step_number(at, 2));
    else if (step_is(at, "up"))
        count_up(u, step_number(at, 1), step_number(at, 2));
    else if (step_is(at, "words")) /* COUNT words of memory of a value */
        for (uint64_t i = 0; i < step_number(at, 2); i++) {
            const uint32_t word = (uint32_t)step_number(at, 3);
            memory_declare(u->dev->memory[SPACE_PRIMARY], step_number(at, 1) + 4 * i, 4);
            memory_write(u->dev->memory[SPACE_PRIMARY], step_number(at, 1) + 4 * i, &word, 4, NULL, NULL);
        }
    else if (step_is(at, "start"))
        start(u);
    else if (step_is(at, "finish"))
        finish(u);
    else if (step_is(at, "step"))
        fprintf(found, "%d", step(u));
    else if (step_is(at, "state"))
        print_state(u, found);
    else if (step_is(at, "atoms")) {
        fprintf(found, "%llu %llu", (unsigned long long)u->data_beats, (unsigned long long)u->weight_beats);
        u->data_beats = u->weight_beats = 0;
    } else if (step_is(at, "free")) { /* CSC gives entries of data, of weights and of masks back */
        u->cbuf.data.held -= step_number(at, 1);
        u->cbuf.weights.held -= step_number(at, 2);
        u->cbuf.weights.mask_held -= step_number(at, 3);
    } else if (step_is(at, "rest")) /* all at once, until it is done */
        for (int i = 0; i < 20 && u->cdma.weights.phase == CDMA_BUSY; i++) {
            u->cbuf.weights.held = u->cbuf.weights.mask_held = 0;
            step(u);
        }
    else if (step_is(at, "accounted"))
        fprintf(found, "%zu", accounted(u));
    else if (step_is(at, "ring"))
        fprintf(found, "%d", ring_is(u, step_number(at, 1), step_number(at, 2), step_number(at, 3)));
    else if (step_is(at, "slice"))
        fprintf(found, "%zu", cbuf_slice_size(&u->cbuf, step_number(at, 1), step_number(at, 2)) / u->cbuf.entry);
    else
        return false;
    return true;
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/cdma.txt", &(struct steps_player){begin, act});
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
