/* CDMA alone: the vectors of chapters 20 and 30 by what lies in CBUF afterwards, random layers against the placement
 * formulas of 30-cdma-cbuf section 5, accounts, reuse and counters. */
#include "model_bench.h"

#include "model/cdma.h"
#include "model/cdma_convertor.h"
#include "nvdla/fp.h"
#include "nvdla/pixel.h"
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

static void unit_init(struct unit *u, const char *config) {
    *u = (struct unit){.dev = bench_new(config)};
    register_group_init(&u->regs, u->dev->config, NVDLA_CDMA);
    cbuf_init(&u->cbuf, u->dev->config);
    cdma_init(&u->cdma, u->dev->config);
    dma_init(&u->clients.data, u->dev, &u->outside, true, NVDLA_CDMA, 8, 0, &u->data_beats);
    dma_init(&u->clients.weights, u->dev, &u->outside, true, NVDLA_CDMA, 9, 0, &u->weight_beats);
    u->clients.data.beat = u->clients.data.atom; /* the tests count atoms */
    u->clients.weights.beat = u->clients.weights.atom;
}

static void unit_free(struct unit *u) {
    assert_int_equal(u->dev->finding_count, 0);
    cdma_free(&u->cdma);
    cbuf_free(&u->cbuf);
    register_group_free(&u->regs);
    bench_free(u->dev);
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

static uint16_t half_at(struct unit *u, uint64_t address) {
    uint16_t half = 0;
    memory_read(u->dev->memory[SPACE_PRIMARY], address, &half, 2);
    return half;
}

static void write_half(struct unit *u, uint64_t address, uint16_t half) {
    memory_write(u->dev->memory[SPACE_PRIMARY], address, &half, 2, NULL, NULL);
}

static uint16_t half_in(const struct cbuf *cbuf, size_t at) {
    uint16_t half;
    memcpy(&half, cbuf->bytes + at, 2);
    return half;
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

/* ---- pixel formats ---- */

/* 20-data-formats section 4, naming rule: components from the most significant bits of the pixel to the least, those
 * of the second plane behind "___". Formats of one component name their width in bits but take the whole element. */
TEST(pixel_formats_follow_their_names) {
    const struct nvdla_config *config = nvdla_config_find("full");
    for (uint32_t id = 0; id <= 0x23; id++) {
        const struct nvdla_pixel_format *format = nvdla_pixel_format(config, id);
        assert_non_null(format);
        bool fp = strstr(format->name, "_F") != NULL;
        const char *second = strstr(format->name, "___");
        int planes = second ? 2 : 1, components = 0;
        assert_int_equal(format->planes, planes);
        for (int plane = planes - 1; plane >= 0; plane--) {
            const char *at = plane == 1 ? second + 3 : format->name;
            int letters[4] = {0}, widths[4] = {0}, n = 0, sum = 0;
            while (*at && *at != '_') {
                letters[n] = *at;
                widths[n++] = (int)strtol(at + 1, (char **)&at, 10);
            }
            bool packed10 = planes == 1 && n == 4 && (widths[0] == 10 || widths[1] == 10);
            assert_int_equal(format->bits == 10, packed10);
            for (int i = n - 1; i >= 0; i--) {
                int width = packed10 ? widths[i] : widths[i] > 8 ? 16 : 8;
                int c = strchr("RY", letters[i]) ? 0 : strchr("GU", letters[i]) ? 1 : strchr("BV", letters[i]) ? 2 : 3;
                assert_int_equal(format->lsb[c], sum);
                assert_true(packed10 || format->bits == width);
                sum += width;
                components++;
            }
            assert_int_equal(format->pixel_bytes[plane] * 8, sum);
        }
        assert_int_equal(format->components, components);
        assert_int_equal(format->precision, fp ? NVDLA_FP16 : format->bits == 8 ? NVDLA_INT8 : NVDLA_INT16);
    }
    assert_null(nvdla_pixel_format(config, 0x24));
    assert_null(nvdla_pixel_format(config, 0x3f));
}

TEST(int8_configurations_read_bytes_only) {
    int count = 0;
    for (uint32_t id = 0; id < 64; id++) {
        const struct nvdla_pixel_format *format = nvdla_pixel_format(nvdla_config_find("small"), id);
        assert_true(!format || format->bits == 8);
        count += format != NULL;
    }
    assert_int_equal(count, 13);
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
    struct unit u;
    unit_init(&u, v->config);
    count_up(&u, DATA, 0x1000);
    memset(u.cbuf.bytes, 0xee, u.cbuf.entries * u.cbuf.entry);
    program_line(&u, v);
    start(&u);
    assert_int_equal(u.cdma.data, CDMA_DONE);
    assert_int_equal(u.cbuf.data.slices, 1);
    assert_int_equal(u.cbuf.data.held, 16);
    check_hex(&u.cbuf, 0, v->bytes);
    size_t at = strlen(v->bytes) / 2;
    if (v->tail) {
        size_t chunk = (size_t)u.dev->config->atomic_c * (v->misc == INT8_LAYER ? 1 : 2);
        for (; at % chunk != 0; at += strlen(v->tail) / 2)
            check_hex(&u.cbuf, at, v->tail);
        for (; at % u.cbuf.entry != 0; at++)
            assert_int_equal(u.cbuf.bytes[at], 0);
        assert_int_equal(u.cbuf.bytes[at], 0xee);
    }
    unit_free(&u);
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

/* Sections 6.1 and 7: FP16 pixels pass the convertor; of NaN only those in pixels count and are flushed, pads stay. */
TEST(fp16_pixels_pass_the_convertor) {
    struct unit u;
    unit_init(&u, "full");
    count_up(&u, DATA, 0x1000);
    static const uint16_t pixels[] = {0x3c00, 0x7e00, 0xfc00, 0xffff};
    for (size_t i = 0; i < 4; i++)
        write_half(&u, DATA + 2 * i, pixels[i]);
    const struct line_vector v = {.misc = FP16_LAYER,
                                  .format = 0x05,
                                  .base = DATA,
                                  .width = 4,
                                  .left = 1,
                                  .pad = 0x7e01,
                                  .convert = true,
                                  .offset = 77,
                                  .shift = 3};
    for (uint32_t flush = 0; flush < 2; flush++) {
        program_line(&u, &v);
        set(&u, CDMA_D_NAN_FLUSH_TO_ZERO, flush);
        start(&u);
        finish(&u);
        check_hex(&u.cbuf, flush * 16 * 128, flush ? "017e003c000000fc0000" : "017e003c007e00fcffff");
        assert_int_equal(half_in(&u.cbuf, flush * 16 * 128 + 10), 0);
        assert_int_equal(u.cdma.data_specials.seen.nan, 2);
        assert_int_equal(u.cdma.data_specials.seen.infinity, 1);
    }
    unit_free(&u);
}

/* Random lines of every format, component by component: 20-data-formats section 4, 30-cdma-cbuf sections 5.4 and 6. */
TEST(random_lines_of_every_format) {
    uint64_t seed = 4;
    const struct nvdla_config *config = nvdla_config_find("full");
    for (int turn = 0; turn < 36 * 12; turn++) {
        struct unit u;
        unit_init(&u, "full");
        random_region(u.dev, &seed, DATA, 0x4000);
        uint32_t id = (uint32_t)turn % 36;
        const struct nvdla_pixel_format *format = nvdla_pixel_format(config, id);
        uint32_t in = format->precision, proc = in == NVDLA_FP16 ? NVDLA_FP16 : below(&seed, 3);
        struct line_vector v = {.misc = in << 8 | proc << 12,
                                .format = id,
                                .base = DATA,
                                .width = 1 + below(&seed, below(&seed, 2) ? 8 : 700),
                                .x_offset = below(&seed, 32 / (uint32_t)format->pixel_bytes[0]),
                                .left = below(&seed, 4),
                                .right = below(&seed, 4),
                                .pad = rnd(&seed) & 0xffff,
                                .sign = below(&seed, 2),
                                .convert = proc != in || below(&seed, 2),
                                .means = below(&seed, 2),
                                .offset = rnd(&seed) & 0xffff,
                                .shift = below(&seed, 8),
                                .mean0 = rnd(&seed),
                                .mean1 = rnd(&seed)};
        program_line(&u, &v);
        set(&u, CDMA_D_DAIN_ADDR_LOW_1, DATA + 0x2000);
        uint32_t scale = rnd(&seed) & 0xffff, n = (uint32_t)format->components, bytes = proc == NVDLA_INT8 ? 1 : 2;
        uint32_t entries = (n * bytes * (v.left + v.width + v.right) + 127) / 128;
        set(&u, CDMA_D_CVT_SCALE, scale);
        set(&u, CDMA_D_ENTRY_PER_SLICE, entries - 1);
        start(&u);
        assert_int_equal(u.cdma.data, CDMA_DONE);
        size_t at = 0;
        for (uint32_t x = 0; x < v.left + v.width + v.right; x++) {
            for (uint32_t c = 0; c < n; c++, at += bytes) {
                uint16_t expected = (uint16_t)v.pad;
                if (x >= v.left && x < v.left + v.width) {
                    uint32_t plane = format->planes == 2 && c > 0, pixel = (uint32_t)format->pixel_bytes[plane];
                    uint32_t first = plane ? v.x_offset % (32 / pixel) : v.x_offset;
                    uint64_t value = 0;
                    memory_read(u.dev->memory[SPACE_PRIMARY], DATA + plane * 0x2000 + (first + x - v.left) * pixel,
                                &value, pixel);
                    value >>= format->lsb[c];
                    value = format->bits == 8    ? value & 0xff
                            : format->bits == 16 ? value & 0xffff
                            : c == 3             ? (value & 3) << 14
                                                 : (value & 0x3ff) << 6;
                    expected = (uint16_t)value;
                    if (v.convert && in != NVDLA_FP16) {
                        int32_t wide = !v.sign ? (int32_t)value : format->bits == 8 ? (int8_t)value : (int16_t)value;
                        uint32_t mean = (c < 2 ? v.mean0 : v.mean1) >> c % 2 * 16;
                        int16_t offset = (int16_t)(uint16_t)(v.means ? mean : v.offset);
                        int32_t scaled = cdma_scale(wide, offset, (int16_t)(uint16_t)scale, v.shift);
                        expected = cdma_to_precision(scaled, (enum nvdla_precision)proc);
                    }
                }
                assert_int_equal(bytes == 1 ? u.cbuf.bytes[at] : half_in(&u.cbuf, at),
                                 bytes == 1 ? expected & 0xff : expected);
            }
        }
        unit_free(&u);
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

/* Compares CBUF, from entry `first` of the data ring on, with the formulas of section 5.1. */
static void check_cube(struct unit *u, const struct cube_layer *l, size_t first) {
    uint32_t atoms = cube_atoms(l);
    size_t ring = l->banks * 256;
    uint8_t *expected = calloc(l->entries, 128);
    assert_non_null(expected);
    for (uint32_t h = 0; h < l->height; h++) {
        for (uint32_t b = 0; b < l->batches; b++) {
            memset(expected, 0, (size_t)l->entries * 128);
            for (uint32_t a = 0; a < atoms; a++) {
                for (uint32_t w = 0; w < l->width; w++) {
                    uint32_t g = a / 4, q = a % 4, rest = g == atoms / 4 ? atoms % 4 : 0;
                    size_t entry = g * l->width + (rest == 1 ? w / 4 : rest == 2 ? w / 2 : w);
                    size_t byte = rest == 1 ? w % 4 * 32 : rest == 2 ? w % 2 * 64 + q * 32 : q * 32;
                    uint64_t at = DATA + (uint64_t)b * l->batch + (uint64_t)a * l->surface + (uint64_t)h * l->line;
                    memory_read(u->dev->memory[SPACE_PRIMARY], at + w * 32, expected + entry * 128 + byte, 32);
                }
            }
            for (size_t e = 0; e < l->entries; e++) {
                size_t entry = (first + (h * l->batches + b) * l->entries + e) % ring;
                assert_memory_equal(u->cbuf.bytes + entry * 128, expected + e * 128, 128);
            }
        }
    }
    free(expected);
}

/* Section 5.1: all classes of packing, both element sizes, batches, lines fetched in grains. */
TEST(feature_slices_are_packed_as_the_formulas_say) {
    uint64_t seed = 9;
    for (int turn = 0; turn < 400; turn++) {
        struct unit u;
        unit_init(&u, "full");
        uint32_t bytes = 1 + below(&seed, 2), batches = below(&seed, 3) ? 1 : 1 + below(&seed, 4);
        uint32_t misc = bytes == 1 ? INT8_LAYER : below(&seed, 2) ? INT16_LAYER : FP16_LAYER;
        struct cube_layer l =
            packed_cube(misc, 1 + below(&seed, 12), 1 + below(&seed, 6), 1 + below(&seed, 32 * 9 / bytes), batches);
        if (below(&seed, 2)) {
            l.map = below(&seed, 2) << 16;
            l.line += below(&seed, 3) * 32;
            l.surface = l.line * l.height + below(&seed, 3) * 32;
            l.batch = l.surface * cube_atoms(&l) + below(&seed, 3) * 32;
        }
        if (l.width == 1 && l.height == 1)
            l.map &= 1; /* section 2.2 of chapter 20 is another test */
        l.grain = below(&seed, l.height + 2);
        l.banks = (l.entries * l.batches * (l.height > l.grain ? l.height : l.grain + 1) + 255) / 256;
        random_region(u.dev, &seed, DATA, (size_t)l.batch * batches);
        memset(u.cbuf.bytes, 0xee, u.cbuf.entries * u.cbuf.entry);
        program_cube(&u, &l);
        start(&u);
        assert_int_equal(u.cdma.data, CDMA_DONE);
        assert_int_equal(u.cbuf.data.slices, l.height);
        assert_int_equal(u.cbuf.data.held, l.height * l.entries * batches);
        assert_int_equal(u.data_beats, l.width * l.height * cube_atoms(&l) * batches);
        check_cube(&u, &l, 0);
        unit_free(&u);
    }
}

/* 20-data-formats section 2.2: packed atoms whatever the surface stride says, and spread ones. */
TEST(single_pixels_are_packed_if_surfaces_are) {
    uint64_t seed = 2;
    for (uint32_t packed = 0; packed < 2; packed++) {
        struct unit u;
        unit_init(&u, "full");
        struct cube_layer l = packed_cube(INT16_LAYER, 1, 1, 40, 1);
        random_region(u.dev, &seed, DATA, 3 * 0x100);
        l.map = packed << 16;
        l.surface = 0x100;
        program_cube(&u, &l);
        start(&u);
        l.surface = packed ? 32 : 0x100;
        check_cube(&u, &l, 0);
        unit_free(&u);
    }
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
    struct unit u;
    unit_init(&u, "full");
    count_up(&u, DATA, 0x2000);
    struct line_vector v = {.format = 0x0c, .base = DATA, .width = 227};
    program_line(&u, &v);
    set(&u, CDMA_D_BANK, 1); /* ENTRY_PER_SLICE says 16: the next line starts there */
    start(&u);
    finish(&u);
    assert_int_equal(u.cbuf.data.write, 16);
    unit_free(&u);
}

/* Section 6.5: pad channels pass the convertor, slots without source are 0. */
TEST(pad_channels_are_converted_and_empty_slots_are_zero) {
    struct unit u;
    unit_init(&u, "full");
    count_up(&u, DATA, 0x100);
    memset(u.cbuf.bytes, 0xee, 256);
    struct cube_layer l = packed_cube(INT8_LAYER, 1, 1, 20, 1);
    program_cube(&u, &l);
    SET(&u, {CDMA_D_CVT_CFG, 1}, {CDMA_D_CVT_OFFSET, 3}, {CDMA_D_CVT_SCALE, 1});
    start(&u);
    for (int i = 0; i < 128; i++)
        assert_int_equal(u.cbuf.bytes[i], i < 32 ? (uint8_t)(i - 3) : 0);
    unit_free(&u);
}

/* Sections 6.1 and 6.3 on cubes: signed input of each precision. */
TEST(cubes_are_converted_element_by_element) {
    uint64_t seed = 11;
    for (int turn = 0; turn < 60; turn++) {
        struct unit u;
        unit_init(&u, "full");
        uint32_t misc = turn % 3 == 0 ? INT8_LAYER : turn % 3 == 1 ? INT16_LAYER : FP16_LAYER;
        uint32_t bytes = misc == INT8_LAYER ? 1 : 2, shift = below(&seed, turn % 2 ? 64 : 12);
        int16_t offset = (int16_t)(uint16_t)rnd(&seed), scale = (int16_t)(uint16_t)rnd(&seed);
        struct cube_layer l = packed_cube(misc, 8, 1, 32 / bytes, 1);
        random_region(u.dev, &seed, DATA, 256);
        program_cube(&u, &l);
        SET(&u, {CDMA_D_CVT_CFG, 1 | shift << 4}, {CDMA_D_CVT_OFFSET, (uint16_t)offset},
            {CDMA_D_CVT_SCALE, (uint16_t)scale});
        start(&u);
        for (uint32_t i = 0; i < 256; i += bytes) {
            uint16_t source = bytes == 1 ? byte_at(u.dev, DATA + i) : half_at(&u, DATA + i);
            int32_t value = bytes == 1 ? (int8_t)source : (int16_t)source;
            uint16_t out = source;
            if (misc != FP16_LAYER) {
                enum nvdla_precision proc = bytes == 1 ? NVDLA_INT8 : NVDLA_INT16;
                out = cdma_to_precision(cdma_scale(value, offset, scale, shift), proc);
            }
            assert_int_equal(bytes == 1 ? u.cbuf.bytes[i] : half_in(&u.cbuf, i), bytes == 1 ? out & 0xff : out);
        }
        unit_free(&u);
    }
}

/* ---- Winograd ---- */

struct winograd {
    uint32_t misc, width, height, channels, stride_x, stride_y, left, top, extended_width, extended_height, pad;
};

static void program_winograd(struct unit *u, const struct winograd *w, uint32_t surfaces) {
    uint32_t entries = w->extended_width / 4 * surfaces * w->stride_x * w->stride_y;
    SET(u, {CDMA_D_MISC_CFG, w->misc | 1}, {CDMA_D_DATAIN_SIZE_0, (w->width - 1) | (w->height - 1) << 16},
        {CDMA_D_DATAIN_SIZE_1, w->channels - 1},
        {CDMA_D_DATAIN_SIZE_EXT_0, (w->extended_width - 1) | (w->extended_height - 1) << 16}, {CDMA_D_DAIN_RAM_TYPE, 1},
        {CDMA_D_DAIN_ADDR_LOW_0, DATA}, {CDMA_D_LINE_STRIDE, w->width * 32},
        {CDMA_D_SURF_STRIDE, w->width * w->height * 32},
        {CDMA_D_CONV_STRIDE, (w->stride_x - 1) | (w->stride_y - 1) << 16},
        {CDMA_D_ZERO_PADDING, w->left | w->top << 16}, {CDMA_D_ZERO_PADDING_VALUE, w->pad},
        {CDMA_D_ENTRY_PER_SLICE, entries - 1}, {CDMA_D_BANK, 14});
}

/* The example of section 5.5, 6x6x32 INT8 with one pad on all sides. A cell is "P" or two digits, y and x. */
TEST(winograd_example) {
    static const char *const entries[][3] = {
        {"0", "P  P  P  P  P  00 01 02 P  10 11 12 P  20 21 22", "0"},
        {"1", "P  P  P  P  03 04 05 P  13 14 15 P  23 24 25 P", "0"},
        {"2", "P  P  P  P  P  00 01 02 P  10 11 12 P  20 21 22", "1"},
        {"8", "P  30 31 32 P  40 41 42 P  50 51 52 P  P  P  P", "0"},
    };
    struct unit u;
    uint64_t seed = 3;
    unit_init(&u, "full");
    random_region(u.dev, &seed, DATA, 36 * 32);
    const struct winograd w = {.width = 6,
                               .height = 6,
                               .channels = 32,
                               .stride_x = 1,
                               .stride_y = 1,
                               .left = 1,
                               .top = 1,
                               .extended_width = 8,
                               .extended_height = 8,
                               .pad = 0x1147};
    program_winograd(&u, &w, 1);
    start(&u);
    assert_int_equal(u.cdma.data, CDMA_DONE);
    assert_int_equal(u.cbuf.data.slices, 8);
    assert_int_equal(u.cbuf.data.held, 16);
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        size_t entry = strtoul(entries[i][0], NULL, 10), piece = strtoul(entries[i][2], NULL, 10);
        for (size_t cell = 0; cell < 16; cell++) {
            const char *name = entries[i][1] + 3 * cell;
            for (size_t k = 0; k < 8; k++) {
                uint8_t expected = 0x47;
                if (name[0] != 'P') {
                    size_t pixel = (size_t)(name[0] - '0') * 6 + (size_t)(name[1] - '0');
                    expected = byte_at(u.dev, DATA + pixel * 32 + piece * 8 + k);
                }
                assert_int_equal(u.cbuf.bytes[entry * 128 + cell * 8 + k], expected);
            }
        }
    }
    unit_free(&u);
}

/* Section 5.5 with strides, pads, convertor and NaN. */
TEST(winograd_layers_are_channel_extended) {
    uint64_t seed = 12;
    for (int turn = 0; turn < 150; turn++) {
        struct unit u;
        unit_init(&u, "full");
        struct winograd w = {.misc = turn % 3 == 0   ? INT8_LAYER
                                     : turn % 3 == 1 ? INT16_LAYER
                                                     : FP16_LAYER,
                             .channels = 1 + below(&seed, 70),
                             .stride_x = 1 + below(&seed, below(&seed, 2) ? 8 : 2),
                             .stride_y = 1 + below(&seed, below(&seed, 2) ? 8 : 2),
                             .extended_width = 4 + 4 * below(&seed, 3),
                             .extended_height = 4 + 4 * below(&seed, 2),
                             .pad = rnd(&seed) & 0xffff};
        uint32_t bytes = w.misc == INT8_LAYER ? 1 : 2, surfaces = (w.channels * bytes + 31) / 32;
        uint32_t all_x = w.extended_width * w.stride_x, all_y = w.extended_height * w.stride_y;
        w.left = below(&seed, all_x < 32 ? all_x : 32);
        w.top = below(&seed, all_y < 32 ? all_y : 32);
        w.width = 1 + below(&seed, all_x - w.left);
        w.height = 1 + below(&seed, all_y - w.top);
        if (w.stride_x * w.stride_y * surfaces * w.extended_width / 4 * w.extended_height > 15 * 256) {
            unit_free(&u);
            continue;
        }
        bool convert = below(&seed, 2), flush = below(&seed, 2);
        if (w.misc == FP16_LAYER && below(&seed, 2))
            w.pad = 0x7d00;
        random_region(u.dev, &seed, DATA, (size_t)w.width * w.height * surfaces * 32);
        program_winograd(&u, &w, surfaces);
        SET(&u, {CDMA_D_CVT_CFG, convert | 2 << 4}, {CDMA_D_CVT_OFFSET, 5}, {CDMA_D_CVT_SCALE, 3},
            {CDMA_D_NAN_FLUSH_TO_ZERO, flush});
        start(&u);
        assert_int_equal(u.cdma.data, CDMA_DONE);
        assert_int_equal(u.cbuf.data.slices, w.extended_height);
        uint64_t nan = 0, infinity = 0;
        uint32_t columns = w.extended_width / 4;
        for (uint32_t y = 0; y < all_y; y++) {
            for (uint32_t x = 0; x < all_x; x++) {
                for (uint32_t i = 0; i < surfaces * 32; i += bytes) {
                    uint32_t s = i / 32, j = i % 32 / 8, k = i % 8;
                    uint32_t ye = y / w.stride_y, xe = x / w.stride_x;
                    uint32_t phase = y % w.stride_y * w.stride_x + x % w.stride_x;
                    uint32_t n = (phase * surfaces + s) * 4 + j;
                    size_t entry =
                        (size_t)ye / 4 * 4 * columns * surfaces * w.stride_x * w.stride_y + n * columns + xe / 4;
                    size_t byte = ye % 4 * 32 + xe % 4 * 8 + k;
                    uint16_t source = (uint16_t)w.pad;
                    if (y >= w.top && y - w.top < w.height && x >= w.left && x - w.left < w.width) {
                        uint64_t at = DATA + (uint64_t)s * w.width * w.height * 32 +
                                      ((uint64_t)(y - w.top) * w.width + x - w.left) * 32 + i % 32;
                        source = bytes == 1 ? byte_at(u.dev, at) : half_at(&u, at);
                    }
                    int32_t value = bytes == 1 ? (int8_t)source : (int16_t)source;
                    if (w.misc == FP16_LAYER) {
                        nan += fp16_is_nan(source);
                        infinity += (source & 0x7fff) == 0x7c00;
                        source = flush && fp16_is_nan(source) ? 0 : source;
                    } else if (convert) {
                        source = cdma_to_precision(cdma_scale(value, 5, 3, 2), bytes == 1 ? NVDLA_INT8 : NVDLA_INT16);
                    }
                    size_t at = entry * 128 + byte;
                    assert_int_equal(bytes == 1 ? u.cbuf.bytes[at] : half_in(&u.cbuf, at),
                                     bytes == 1 ? source & 0xff : source);
                }
            }
        }
        assert_int_equal(u.cdma.data_specials.seen.nan, nan);
        assert_int_equal(u.cdma.data_specials.seen.infinity, infinity);
        unit_free(&u);
    }
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
        bench_free(dev);
    }
}

TEST(flushing_leaves_no_nan_in_cbuf) {
    uint64_t seed = 5;
    struct unit u;
    unit_init(&u, "full");
    struct cube_layer l = packed_cube(FP16_LAYER, 5, 3, 20, 1);
    random_region(u.dev, &seed, DATA, 960);
    random_region(u.dev, &seed, WEIGHTS, 256);
    write_half(&u, DATA + 2, 0x7c01);
    write_half(&u, WEIGHTS + 254, 0xfe00);
    program_cube(&u, &l);
    SET(&u, {CDMA_D_NAN_FLUSH_TO_ZERO, 1}, {CDMA_D_WEIGHT_RAM_TYPE, 1}, {CDMA_D_WEIGHT_ADDR_LOW, WEIGHTS},
        {CDMA_D_WEIGHT_BYTES, 256});
    start(&u);
    finish(&u);
    uint64_t weights = 0;
    for (uint32_t i = 0; i < 256; i += 2) {
        uint16_t value = half_at(&u, WEIGHTS + i);
        weights += fp16_is_nan(value);
        assert_int_equal(half_in(&u.cbuf, 256 * 128 + i), fp16_is_nan(value) ? 0 : value);
    }
    for (size_t i = 0; i < 9 * 128; i += 2)
        assert_false(fp16_is_nan(half_in(&u.cbuf, i)));
    assert_int_equal(u.cdma.weight_specials.seen.nan, weights);
    assert_true(u.cdma.data_specials.seen.nan > 0);
    unit_free(&u);
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
    struct unit u;
    unit_init(&u, "full");
    random_region(u.dev, &seed, DATA, 256);
    random_region(u.dev, &seed, WEIGHTS, 4096);
    for (uint32_t layer = 0; layer < 4; layer++) {
        struct weight_layer w = {.kernels = 1,
                                 .kernel_bytes = 256,
                                 .weight_bytes = 256,
                                 .address = WEIGHTS + 256 * layer,
                                 .bank = layer < 3 ? 1 | 0 << 16 : 2 | 1 << 16};
        program_weights(&u, &w);
        start(&u);
        finish(&u);
        check_ring(&u, layer < 3 ? 512 + 2 * layer : 768, WEIGHTS + 256 * layer, 256);
        assert_int_equal(u.cbuf.weights.kernels, layer < 3 ? layer + 1 : 1);
    }
    unit_free(&u);
}

/* Section 8.2, the example. */
TEST(compressed_weights_example) {
    static const uint32_t sizes[8] = {708, 510, 1612};
    uint64_t seed = 7;
    struct unit u;
    unit_init(&u, "full");
    random_region(u.dev, &seed, DATA, 32);
    random_region(u.dev, &seed, WEIGHTS, 2944);
    random_region(u.dev, &seed, MASKS, 768);
    memory_declare(u.dev->memory[SPACE_PRIMARY], SIZES, sizeof sizes);
    memory_write(u.dev->memory[SPACE_PRIMARY], SIZES, sizes, sizeof sizes, NULL, NULL);
    struct weight_layer w = {.misc = INT16_LAYER,
                             .kernels = 40,
                             .kernel_bytes = 288,
                             .weight_bytes = 2944,
                             .mask_bytes = 768,
                             .bank = 2 | 3 << 16};
    program_weights(&u, &w);
    start(&u);
    finish(&u);
    assert_int_equal(u.cbuf.weights.kernels, 40);
    assert_int_equal(u.cbuf.weights.held, 23 * 4);
    assert_int_equal(u.cbuf.weights.mask_held, 6 * 4);
    assert_int_equal(u.weight_beats, 1 + 24 + 92);
    check_ring(&u, 3 * 256, WEIGHTS, 2944);
    check_ring(&u, 15 * 256, MASKS, 768);
    unit_free(&u);
}

/* Section 8.2: a group is complete when its mask bits and the sum of the group sizes have come. The two rings wait on
 * their own. */
TEST(groups_of_compressed_weights_are_reported_as_they_come) {
    enum { GROUPS = 70, KERNELS = GROUPS * 16 - 3 };
    uint64_t seed = 8;
    struct unit u;
    unit_init(&u, "full");
    random_region(u.dev, &seed, DATA, 32);
    memory_declare(u.dev->memory[SPACE_PRIMARY], SIZES, 512);
    /* Groups of 1 KiB, one without any; 16 kernels of 1024 elements are 16 entries of mask bits. */
    for (uint32_t g = 0; g < GROUPS; g++) {
        uint32_t size = g == 5 ? 0 : 1024;
        memory_write(u.dev->memory[SPACE_PRIMARY], SIZES + 4 * g, &size, 4, NULL, NULL);
    }
    struct weight_layer w = {.misc = FP16_LAYER,
                             .kernels = KERNELS,
                             .kernel_bytes = 2048,
                             .weight_bytes = (GROUPS - 1) * 1024,
                             .mask_bytes = KERNELS * 128,
                             .bank = 0};
    random_region(u.dev, &seed, WEIGHTS, w.weight_bytes);
    random_region(u.dev, &seed, MASKS, w.mask_bytes);
    program_weights(&u, &w);
    start(&u);
    /* Both banks are full: of weights 256 entries, 32 groups and the empty one; of mask bits 256 entries, 16 groups. */
    struct cbuf_weights *account = &u.cbuf.weights;
    assert_int_equal(account->held, 1024);
    assert_int_equal(account->mask_held, 1024);
    assert_int_equal(account->kernels, 16 * 16);
    assert_false(step(&u));
    /* Mask bits go: those of 32 groups have come then, and the weights of 33. */
    account->mask_held = 0;
    struct cdma_weights progress = u.cdma.weights;
    struct cbuf_weights copy = *account;
    cdma_account_weights(&u.cdma, &u.cbuf, &progress, &copy);
    assert_int_equal(copy.kernels, 32 * 16);
    assert_true(step(&u));
    assert_int_equal(account->kernels, copy.kernels);
    assert_int_equal(account->mask_write, copy.mask_write);
    assert_int_equal(account->mask_held, copy.mask_held);
    /* All that remains, ring by ring. */
    for (int i = 0; i < 20 && u.cdma.weights.phase == CDMA_BUSY; i++) {
        account->held = 0;
        account->mask_held = 0;
        step(&u);
    }
    assert_int_equal(u.cdma.weights.phase, CDMA_DONE);
    assert_int_equal(account->kernels, KERNELS);
    assert_int_equal(account->mask_write, KERNELS * 4 % 1024);
    check_ring(&u, 15 * 256, MASKS + 4 * 256 * 128, (KERNELS - 4 * 256) * 128);
    unit_free(&u);
}

/* Section 8.1: what CSC does not know about yet does not count; too few bytes never complete a group before the last.
 */
TEST(missing_weights_never_come) {
    uint64_t seed = 10;
    struct unit u;
    unit_init(&u, "full");
    random_region(u.dev, &seed, DATA, 32);
    random_region(u.dev, &seed, WEIGHTS, 4096);
    struct weight_layer w = {.kernels = 96, .kernel_bytes = 64, .weight_bytes = 3968, .bank = 0};
    program_weights(&u, &w); /* groups of 32 kernels: 2048 bytes each */
    start(&u);
    assert_int_equal(u.cbuf.weights.kernels, 32);
    assert_int_equal(u.cdma.weights.phase, CDMA_BUSY);
    assert_false(step(&u));
    unit_free(&u);
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
    struct unit u;
    unit_init(&u, "full");
    random_region(u.dev, &seed, DATA, 4096);
    random_region(u.dev, &seed, WEIGHTS, 256);
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        u.data_beats = u.weight_beats = 0;
        struct weight_layer w = {.kernels = 1, .kernel_bytes = 256, .weight_bytes = 256, .bank = layers[i].bank};
        program_weights(&u, &w);
        SET(&u, {CDMA_D_MISC_CFG, layers[i].flags | layers[i].winograd}, {CDMA_D_DATAIN_SIZE_0, 3 | 1 << 16},
            {CDMA_D_LINE_STRIDE, 128}, {CDMA_D_DATAIN_SIZE_EXT_0, 3 | 3 << 16},
            {CDMA_D_ENTRY_PER_SLICE, layers[i].winograd ? 1 : 0});
        start(&u);
        finish(&u);
        assert_int_equal(u.data_beats, layers[i].data);
        assert_int_equal(u.weight_beats, layers[i].weights);
        assert_int_equal(u.cbuf.data.write, layers[i].data_write);
        assert_int_equal(u.cbuf.weights.write, layers[i].weight_write);
    }
    unit_free(&u);
}

/* Lines wait for room, exactly: corner case 2 of chapter 30. */
TEST(lines_wait_for_free_entries) {
    uint64_t seed = 14;
    struct unit u;
    unit_init(&u, "full");
    struct cube_layer l = packed_cube(INT8_LAYER, 16, 40, 64, 2); /* 8 entries a line and batch */
    l.grain = 4;
    l.banks = 2;
    random_region(u.dev, &seed, DATA, (size_t)l.batch * 2);
    program_cube(&u, &l);
    start(&u);
    assert_int_equal(u.cbuf.data.slices, 30); /* 6 grains of 5 lines, 80 entries each, in 512 */
    assert_int_equal(u.cbuf.data.held, 480);
    u.cbuf.data.held -= 47;
    assert_false(step(&u));
    u.cbuf.data.held -= 1;
    assert_true(step(&u));
    assert_int_equal(u.cbuf.data.slices, 35);
    assert_int_equal(u.cbuf.data.held, 512);
    u.cbuf.data.held = 0;
    assert_true(step(&u));
    assert_int_equal(u.cdma.data, CDMA_DONE);
    assert_int_equal(u.cbuf.data.write, 640 % 512);
    unit_free(&u);
}

/* What never fits, and formats that do not exist, wait for ever: chapter 30, illegal programming. */
TEST(what_never_fits_waits) {
    uint64_t seed = 15;
    for (int kind = 0; kind < 4; kind++) {
        struct unit u;
        unit_init(&u, "full");
        random_region(u.dev, &seed, DATA, 0x10000);
        struct cube_layer l = packed_cube(INT8_LAYER, 16, 4, 256, 1); /* 32 entries a line */
        l.banks = 1;
        const struct line_vector line = {.format = 0x24, .base = DATA, .width = 4};
        const struct winograd w = {.width = 16,
                                   .height = 4,
                                   .channels = 64,
                                   .stride_x = 1,
                                   .stride_y = 1,
                                   .extended_width = 16,
                                   .extended_height = 4};
        switch (kind) {
        case 0: /* a grain of two batches */
            l.grain = 3;
            l.batches = 3;
            program_cube(&u, &l);
            break;
        case 1: /* ENTRY_PER_SLICE beyond the banks */
            l.entries = 257;
            program_cube(&u, &l);
            break;
        case 2:
            program_line(&u, &line);
            break;
        default: /* a superslice */
            program_winograd(&u, &w, 2);
            set(&u, CDMA_D_ENTRY_PER_SLICE, 64);
            set(&u, CDMA_D_BANK, 0);
            break;
        }
        start(&u);
        assert_int_equal(u.cdma.data, CDMA_BUSY);
        assert_int_equal(u.cbuf.data.slices, 0);
        assert_false(step(&u));
        unit_free(&u);
    }
}

/* ENTRY_PER_SLICE is trusted: slices stand where it says. */
TEST(wrong_entries_per_slice_overlap) {
    struct unit u;
    unit_init(&u, "full");
    count_up(&u, DATA, 0x1000);
    struct cube_layer l = packed_cube(INT8_LAYER, 8, 2, 32, 1); /* needs 2 entries a line */
    l.entries = 1;
    program_cube(&u, &l);
    start(&u);
    assert_int_equal(u.cbuf.data.held, 2);
    for (size_t i = 0; i < 384; i++) {
        size_t from = i < 128 ? i : 256 + i - 128;
        assert_int_equal(u.cbuf.bytes[i], (uint8_t)from);
    }
    unit_free(&u);
}

/* Any register contents: CDMA stops after as many steps as there are releases, in all configurations. */
TEST(wild_registers_end) {
    static const char *const configs[] = {"full", "full", "small", "small_256", "large"};
    uint64_t seed = 16;
    for (int turn = 0; turn < 300; turn++) {
        struct unit u;
        unit_init(&u, configs[turn % 5]);
        u.outside.allowed = true;
        random_region(u.dev, &seed, DATA, 0x1000);
        const struct nvdla_register_map *map = &nvdla_register_maps[u.dev->config->map];
        for (int layer = 0; layer < 4; layer++) {
            struct cube_layer l = packed_cube(INT16_LAYER, 1 + below(&seed, 40), 1 + below(&seed, 8), 40, 1);
            program_cube(&u, &l);
            for (size_t i = 0; i < map->count; i++) {
                const struct nvdla_register *reg = &map->registers[i];
                if (reg->unit == NVDLA_CDMA && reg->grouped && below(&seed, 3) == 0 &&
                    strcmp(reg->name, "D_OP_ENABLE") != 0)
                    set(&u, reg->address & 0xfff, rnd(&seed) >> below(&seed, 32));
            }
            struct registers_view view = register_group_view(&u.regs, u.dev->config);
            struct cdma_layer decoded;
            cdma_layer_decode(&decoded, &view);
            if (cdma_layer_atoms(&decoded) > 1 << 18)
                continue; /* the model's own limit is higher; this test is to be fast */
            start(&u);
            for (int releases = 0; releases < 16; releases++) {
                u.cbuf.data.held = 0;
                u.cbuf.weights.held = u.cbuf.weights.mask_held = 0;
                step(&u);
            }
            if (cdma_layer_done(&u.cdma))
                finish(&u);
            else
                break; /* waits for ever, or for more releases */
        }
        unit_free(&u);
    }
}
