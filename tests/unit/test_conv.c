/* Convolution of the model: the vectors of chapters 20, 30 and 95, random layers of every INT8 configuration
 * against a plain loop over the layouts of chapter 20, chains of layers that share CBUF, and programs that hang. */
#include "model_bench.h"

#include <zlib.h>

#include "model/cacc.h"
#include "model/cdma.h"
#include "model/cmac.h"
#include "model/crep.h"
#include "model/sdp.h"
#include "tests/unit/test.h"

static const char *const configs[] = {"small",      "small_256",        "small_256_full",
                                      "medium_512", "medium_1024_full", "large"};
enum { CONFIGS = sizeof configs / sizeof configs[0] };

/* ---- vectors ---- */

/* 95-compiled-representation section B.9: the formulas of its inputs. */
static int16_t input_value(size_t c, size_t y, size_t x) {
    return (int16_t)((7 * c + 13 * y + 29 * x + 5) % 255) - 127;
}

static int16_t weight_value(size_t k, size_t c, size_t row, size_t column) {
    return (int16_t)((11 * k + 3 * c + 17 * row + 31 * column + 2) % 255) - 127;
}

/* A convolution of section B.9. */
struct crep_vector {
    size_t w, h, c, k, kw, kh, sx, sy, dx, dy, left, top, out_w, out_h, block;
    int16_t pad;
    uint32_t crc;
};

static struct crep_shape shape_of(const struct crep_vector *v) {
    return (struct crep_shape){
        .line = v->w * v->c,
        .lines = v->h,
        .left = v->left * v->c,
        .top = v->top,
        .column_step = v->sx * v->c,
        .row_step = v->sy,
        .columns = v->kw,
        .column = v->c,
        .column_spacing = v->dx * v->c,
        .rows = v->kh,
        .row_spacing = v->dy,
        .block = v->block,
        .rows_together = 1,
        .out_width = v->out_w,
        .out_height = v->out_h,
    };
}

/* The input of section B.9 with its halo. */
static int16_t *stored_input(const struct crep_vector *v, const struct crep *table) {
    size_t size = table->stored_line * table->stored_lines;
    int16_t *input = calloc(size + 1, sizeof *input);
    assert_non_null(input);
    for (size_t i = 0; i < size; i++)
        input[i] = v->pad;
    for (size_t y = 0; y < v->h; y++) {
        for (size_t x = 0; x < v->w; x++)
            for (size_t i = 0; i < v->c; i++)
                input[(y + v->top) * table->stored_line + (x + v->left) * v->c + i] = input_value(i, y, x);
    }
    return input;
}

/* The weights of all kernels in hardware order, [k][element]: channel block, row, column, channel. */
static int16_t *ordered_weights(const struct crep_vector *v) {
    int16_t *weights = calloc(v->k * v->kw * v->kh * v->c, sizeof *weights), *to = weights;
    assert_non_null(weights);
    for (size_t k = 0; k < v->k; k++) {
        for (size_t first = 0; first < v->c; first += v->block) {
            for (size_t tap = 0; tap < v->kw * v->kh; tap++)
                for (size_t c = first; c < first + v->block && c < v->c; c++)
                    *to++ = weight_value(k, c, tap / v->kw, tap % v->kw);
        }
    }
    return weights;
}

static uint32_t crc_of(const int64_t *sums, size_t n) {
    uLong crc = crc32(0, NULL, 0);
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[8];
        for (int b = 0; b < 8; b++)
            bytes[b] = (uint8_t)((uint64_t)sums[i] >> 8 * b);
        crc = crc32(crc, bytes, sizeof bytes);
    }
    return (uint32_t)crc;
}

/* Both orders of the table give the sums of section B.9: the pieces as they stand, the runs through CMAC; no offset
 * leaves the copy. */
TEST(compiled_representation_vectors) {
    static const struct crep_vector vectors[] = {
        {4, 4, 1, 1, 3, 3, 1, 1, 1, 1, 0, 0, 2, 2, 1, 0, 0x1198ae7e},
        {5, 5, 8, 2, 3, 3, 1, 1, 1, 1, 1, 1, 5, 5, 8, 0, 0xf83101ca},
        {7, 5, 11, 3, 3, 2, 2, 1, 1, 1, 1, 0, 3, 5, 8, -5, 0x540a79bc},
        {9, 9, 16, 4, 3, 3, 2, 2, 2, 2, 2, 2, 5, 5, 8, 3, 0x4733ac6a},
        {6, 4, 70, 2, 2, 2, 1, 1, 1, 1, 0, 0, 6, 4, 64, 1, 0xd75ace65},
        {3, 3, 33, 5, 1, 1, 1, 1, 1, 1, 0, 0, 3, 3, 64, 0, 0x8890f69f},
    };
    enum { LANES = 8 };
    struct crep_cache cache = {.count = 0};
    for (size_t n = 0; n < sizeof vectors / sizeof vectors[0]; n++) {
        const struct crep_vector *v = &vectors[n];
        struct crep_shape shape = shape_of(v);
        const struct crep *table = crep_find(&cache, &shape);
        assert_non_null(table);
        assert_int_equal(table->elements, v->kw * v->kh * v->c);
        assert_int_equal(crep_stored(&shape), table->stored_line * table->stored_lines);
        int16_t *input = stored_input(v, table), *weights = ordered_weights(v);
        size_t positions = v->out_w * v->out_h;
        int64_t *pieces = calloc(v->k * positions, sizeof *pieces), *runs = calloc(v->k * positions, sizeof *runs);
        int64_t *lanes = calloc(positions * LANES, sizeof *lanes);
        const int16_t **windows = calloc(positions, sizeof *windows);
        struct cmac_weights packed = {.lanes = 0};
        assert_true(pieces && runs && lanes && windows);
        cmac_weights_begin(&packed, true, LANES, table->pairs, v->k * table->elements);
        for (size_t m = 0; m < positions; m++)
            windows[m] = input + table->row[m / v->out_w] + table->column[m % v->out_w];
        cmac_weights_take(&packed, weights, v->k * table->elements);
        for (size_t p = 0, at = 0; p < table->ends[table->atoms - 1]; at += table->pieces[p++].count) {
            const struct cmac_piece *piece = &table->pieces[p];
            cmac_weights_place(&packed, piece->packed, at, table->elements, v->k, piece->count);
            for (size_t i = 0; i < v->k * positions; i++) {
                const int16_t *from = windows[i % positions] + piece->offset;
                assert_true(from >= input && from + piece->count <= input + crep_stored(&shape));
                for (size_t e = 0; e < piece->count; e++)
                    pieces[i] += from[e] * weights[i / positions * table->elements + at + e];
            }
        }
        for (size_t c = 0; c < table->chunk_count; c++) {
            const struct crep_chunk *chunk = &table->chunks[c];
            cmac_multiply(&packed, 0, windows, positions, table->runs + chunk->run, chunk->runs, chunk->pair, lanes);
        }
        for (size_t i = 0; i < v->k * positions; i++)
            runs[i] = lanes[i % positions * LANES + i / positions];
        assert_int_equal(crc_of(pieces, v->k * positions), v->crc);
        assert_int_equal(crc_of(runs, v->k * positions), v->crc);
        cmac_weights_free(&packed);
        free(pieces);
        free(runs);
        free(lanes);
        free(windows);
        free(input);
        free(weights);
    }
    crep_cache_free(&cache);
}

/* The table of section B.3: the shipped convolution 8x8x128, 3x3, in atoms of eight channels. */
TEST(table_of_a_small_convolution) {
    static const struct crep_vector v = {8, 8, 128, 32, 3, 3, 1, 1, 1, 1, 1, 1, 8, 8, 8, 0, 0};
    struct crep_shape shape = shape_of(&v);
    struct crep_cache cache = {.count = 0};
    const struct crep *table = crep_find(&cache, &shape);
    assert_non_null(table);
    assert_int_equal(table->elements, 1152);
    assert_int_equal(table->atoms, 144);
    assert_int_equal(table->pairs, 576);
    /* One run per kernel row, cut where a chunk is full. */
    assert_int_equal(table->chunk_count, 3);
    assert_int_equal(table->runs[0].pairs, 192);
    assert_int_equal(table->runs[1].pairs, CMAC_PAIRS - 192);
    assert_int_equal(table->runs[1].offset, 10 * 128);
    /* Columns follow each other inside a channel block, then rows, then blocks. */
    assert_int_equal(table->pieces[1].offset, 128);
    assert_int_equal(table->pieces[3].offset, 10 * 128);
    assert_int_equal(table->pieces[9].offset, 8);
    crep_cache_free(&cache);
}

TEST(the_table_cache_keeps_the_shapes_used_last) {
    struct crep_cache cache = {.count = 0};
    struct crep_shape shape = {.line = 8,
                               .lines = 1,
                               .column_step = 1,
                               .row_step = 1,
                               .columns = 1,
                               .column = 1,
                               .column_spacing = 1,
                               .rows = 1,
                               .row_spacing = 1,
                               .block = 8,
                               .rows_together = 1,
                               .out_width = 1,
                               .out_height = 1};
    const struct crep *first = crep_find(&cache, &shape);
    for (size_t i = 1; i < 2 * CREP_CACHED; i++) {
        shape.out_width = i + 1;
        assert_int_equal(crep_find(&cache, &shape)->shape.out_width, i + 1);
        shape.out_width = 1;
        assert_ptr_equal(crep_find(&cache, &shape), first);
        assert_int_equal(cache.hits, i);
        assert_int_equal(cache.builds, i + 1);
    }
    assert_int_equal(cache.count, CREP_CACHED);
    crep_cache_free(&cache);
}

/* Windows beyond the input see padding alone, however far away they are. */
TEST(far_windows_need_no_memory) {
    struct crep_vector v = {4, 4, 8, 1, 3, 3, 8, 8, 32, 32, 31, 31, 8192, 8192, 8, 0, 0};
    struct crep_shape shape = shape_of(&v);
    assert_true(crep_stored(&shape) <= (31 + 4 + 65) * (31 + 4 + 65) * 8);
    v.out_w = v.out_h = 1;
    shape = shape_of(&v);
    assert_int_equal(crep_stored(&shape), 65 * 65 * 8);
}

/* The example of 30-cdma-cbuf section 5.1 (four slots, W = 5) as "surface.pixel" by slot, and the sizes of 5.6. */
TEST(slices_are_packed_by_slots) {
    static const char *const slots[] = {
        "0.0 0.1 0.2 0.3 0.4", "0.0 1.0 0.1 1.1 0.2 1.2 0.3 1.3 0.4 1.4",
        "0.0 1.0 2.0 -.- 0.1 1.1 2.1 -.- 0.2 1.2 2.2 -.- 0.3 1.3 2.3 -.- 0.4 1.4 2.4",
        "0.0 1.0 2.0 3.0 0.1 1.1 2.1 3.1 0.2 1.2 2.2 3.2 0.3 1.3 2.3 3.3 0.4 1.4 2.4 3.4",
        "0.0 1.0 2.0 3.0 0.1 1.1 2.1 3.1 0.2 1.2 2.2 3.2 0.3 1.3 2.3 3.3 0.4 1.4 2.4 3.4 4.0 4.1 4.2 4.3 4.4"};
    static const size_t entries[] = {2, 3, 5, 5, 7};
    struct cbuf cbuf;
    cbuf_init(&cbuf, nvdla_config_find("small_256"));
    for (size_t surfaces = 1; surfaces <= 5; surfaces++) {
        assert_int_equal(cbuf_slice_size(&cbuf, 5, surfaces), entries[surfaces - 1] * cbuf.entry);
        for (size_t surface = 0; surface < surfaces; surface++) {
            struct cbuf_atoms atoms = cbuf_surface_atoms(&cbuf, 5, surfaces, surface);
            for (size_t x = 0; x < 5; x++) {
                const char *cell = slots[surfaces - 1] + (atoms.first + x * atoms.step) / cbuf.atom * 4;
                assert_int_equal(cell[0], '0' + (int)surface);
                assert_int_equal(cell[2], '0' + (int)x);
            }
        }
    }
    cbuf_free(&cbuf);
    cbuf_init(&cbuf, nvdla_config_find("small"));
    assert_int_equal(cbuf_slice_size(&cbuf, 8, 5), 40 * cbuf.entry);
    cbuf_free(&cbuf);
}

TEST(rings_wrap) {
    struct cbuf cbuf;
    cbuf_init(&cbuf, nvdla_config_find("small"));
    uint8_t bytes[40], back[40];
    for (uint8_t i = 0; i < sizeof bytes; i++)
        bytes[i] = i;
    struct cbuf_ring data = cbuf_data_ring(&cbuf, 2);
    assert_int_equal(data.entries, 1024);
    cbuf_write(&cbuf, data, 1024 * 8 - 16, bytes, sizeof bytes);
    cbuf_read(&cbuf, data, 3 * 1024 * 8 - 16, back, sizeof back);
    assert_memory_equal(bytes, back, sizeof bytes);
    assert_memory_equal(cbuf.bytes, bytes + 16, 24);
    /* A weight area beyond the last bank continues in bank 0. */
    struct cbuf_ring weights = cbuf_weight_ring(&cbuf, 31, 2);
    cbuf_write(&cbuf, weights, 512 * 8 - 8, bytes, sizeof bytes);
    assert_memory_equal(cbuf.bytes + 32 * 512 * 8 - 8, bytes, 8);
    assert_memory_equal(cbuf.bytes, bytes + 8, 32);
    cbuf_free(&cbuf);
}

/* ---- whole layers ---- */

enum { SOURCE = 0x100000, UV = 0x180000, WEIGHTS = 0x200000, DESTINATION = 0x400000 };

/* A convolution with SDP behind it, true sizes. conv_default() gives a packed feature layer. */
struct conv {
    uint32_t width, height, channels, kernels;
    uint32_t kernel_width, kernel_height, stride_x, stride_y, dilation_x, dilation_y;
    uint32_t left, top, right, bottom;
    int32_t pad;
    uint32_t out_width, out_height;
    uint32_t truncate, shift; /* of CACC and of SDP's convertor */
    uint32_t line, surface, line_uv;
    uint32_t map, grain; /* D_DAIN_MAP, D_FETCH_GRAIN */
    uint32_t entries;    /* ENTRY_PER_SLICE */
    uint32_t data_banks, weight_banks;
    uint32_t weight_bytes;
    uint32_t source, weights, destination;
    uint32_t flags;         /* reuse and skip bits of D_MISC_CFG, both units */
    uint32_t fetch, rows;   /* lines that CDMA fetches; lines that CSC sees (height of the whole input: `height`) */
    uint32_t release;       /* slices */
    uint32_t image, format; /* image input: channels is that of the pixel */
    uint32_t x_offset, sign, means, mean0, mean1, extension;
    uint32_t convert, offset, scale, cvt_shift;
    uint32_t atomics; /* 0: what fits */
};

enum { DATA_REUSE = 1 << 16, WEIGHT_REUSE = 1 << 20, SKIP_DATA = 1 << 24, SKIP_WEIGHT = 1 << 28 };

static uint32_t up(uint32_t n, uint32_t unit) {
    return (n + unit - 1) / unit * unit;
}

static uint32_t out_size(uint32_t in, uint32_t pads, uint32_t kernel, uint32_t dilation, uint32_t stride) {
    return (in + pads - ((kernel - 1) * dilation + 1)) / stride + 1;
}

/* Fills in what follows from the sizes, the strides and the pads. */
static void conv_derive(const struct nvdla_config *config, struct conv *c) {
    uint32_t atom = (uint32_t)config->mem_atom, entry = (uint32_t)config->atomic_c, slots = entry / atom;
    uint32_t bytes = c->kernels * c->kernel_width * c->kernel_height * c->channels;
    c->out_width = out_size(c->width, c->left + c->right, c->kernel_width, c->dilation_x, c->stride_x);
    c->out_height = out_size(c->height, c->top + c->bottom, c->kernel_height, c->dilation_y, c->stride_y);
    if (c->image) {
        c->entries = up((c->left + c->width + c->right) * c->channels, entry) / entry;
    } else {
        /* 30-cdma-cbuf section 5.1 with the configuration's slots. */
        uint32_t surfaces = up(c->channels, atom) / atom, rest = surfaces % slots;
        c->entries = surfaces / slots * c->width;
        c->entries += rest == 0                   ? 0
                      : rest <= 2 && slots > rest ? up(c->width, slots / rest) / (slots / rest)
                                                  : c->width;
    }
    c->data_banks = up(c->entries * c->height, (uint32_t)config->cbuf_bank_depth) / (uint32_t)config->cbuf_bank_depth;
    c->weight_bytes = up(bytes, entry); /* more would stay in front of the next layer: chapter 98 section 8 */
    c->weight_banks =
        up(c->weight_bytes, (uint32_t)config->cbuf_bank_depth * entry) / ((uint32_t)config->cbuf_bank_depth * entry);
    c->fetch = c->rows = c->release = c->height;
}

static struct conv conv_feature(const struct nvdla_config *config, uint32_t width, uint32_t height, uint32_t channels,
                                uint32_t kernels, uint32_t kernel) {
    uint32_t atom = (uint32_t)config->mem_atom;
    struct conv c = {.width = width,
                     .height = height,
                     .channels = channels,
                     .kernels = kernels,
                     .kernel_width = kernel,
                     .kernel_height = kernel,
                     .stride_x = 1,
                     .stride_y = 1,
                     .dilation_x = 1,
                     .dilation_y = 1,
                     .shift = 8,
                     .line = width * atom,
                     .surface = width * height * atom,
                     .map = 0x10001,
                     .source = SOURCE,
                     .weights = WEIGHTS,
                     .destination = DESTINATION};
    conv_derive(config, &c);
    return c;
}

static uint32_t conv_atoms_out(const struct nvdla_config *config, const struct conv *c) {
    return c->out_width * c->out_height * (up(c->kernels, (uint32_t)config->atomic_k) / (uint32_t)config->atomic_k);
}

/* Programs the registers of the selected groups. */
static void conv_program(struct device *dev, const struct conv *c) {
    uint32_t channels = c->image ? c->channels * c->kernel_width : c->channels;
    uint32_t atomics = c->atomics ? c->atomics : c->out_width * c->out_height;
    uint32_t bank = (c->data_banks - 1) | (c->weight_banks - 1) << 16;
    PUT(dev, NVDLA_CDMA, {CDMA_D_MISC_CFG, c->flags}, {CDMA_D_DATAIN_FORMAT, c->image | c->format << 8 | c->sign << 20},
        {CDMA_D_DATAIN_SIZE_0, (c->width - 1) | (c->fetch - 1) << 16}, {CDMA_D_DATAIN_SIZE_1, c->channels - 1},
        {CDMA_D_PIXEL_OFFSET, c->x_offset}, {CDMA_D_DAIN_RAM_TYPE, 1}, {CDMA_D_DAIN_ADDR_LOW_0, c->source},
        {CDMA_D_DAIN_ADDR_LOW_1, UV}, {CDMA_D_LINE_STRIDE, c->line}, {CDMA_D_LINE_UV_STRIDE, c->line_uv},
        {CDMA_D_SURF_STRIDE, c->surface}, {CDMA_D_DAIN_MAP, c->map}, {CDMA_D_ENTRY_PER_SLICE, c->entries - 1},
        {CDMA_D_FETCH_GRAIN, c->grain},
        {CDMA_D_WEIGHT_SIZE_0, channels * c->kernel_height * (c->image ? 1 : c->kernel_width) - 1},
        {CDMA_D_WEIGHT_SIZE_1, c->kernels - 1}, {CDMA_D_WEIGHT_RAM_TYPE, 1}, {CDMA_D_WEIGHT_ADDR_LOW, c->weights},
        {CDMA_D_WEIGHT_BYTES, c->weight_bytes}, {CDMA_D_MEAN_FORMAT, c->means}, {CDMA_D_MEAN_GLOBAL_0, c->mean0},
        {CDMA_D_MEAN_GLOBAL_1, c->mean1}, {CDMA_D_CVT_CFG, c->convert | c->cvt_shift << 4},
        {CDMA_D_CVT_OFFSET, c->offset & 0xffff}, {CDMA_D_CVT_SCALE, c->scale & 0xffff},
        {CDMA_D_ZERO_PADDING, c->left | c->right << 8 | c->top << 16 | c->bottom << 24},
        {CDMA_D_ZERO_PADDING_VALUE, (uint32_t)c->pad & 0xffff}, {CDMA_D_BANK, bank});
    PUT(dev, NVDLA_CSC, {CSC_D_MISC_CFG, c->flags}, {CSC_D_DATAIN_FORMAT, c->image},
        {CSC_D_DATAIN_SIZE_EXT_0, (c->width - 1) | (c->rows - 1) << 16}, {CSC_D_DATAIN_SIZE_EXT_1, c->channels - 1},
        {CSC_D_POST_Y_EXTENSION, c->extension}, {CSC_D_ENTRY_PER_SLICE, c->entries - 1},
        {CSC_D_WEIGHT_SIZE_EXT_0, (c->image ? 0 : c->kernel_width - 1) | (c->kernel_height - 1) << 16},
        {CSC_D_WEIGHT_SIZE_EXT_1, (channels - 1) | (c->kernels - 1) << 16}, {CSC_D_WEIGHT_BYTES, c->weight_bytes},
        {CSC_D_DATAOUT_SIZE_0, (c->out_width - 1) | (c->out_height - 1) << 16}, {CSC_D_ATOMICS, atomics - 1},
        {CSC_D_RELEASE, c->release - 1}, {CSC_D_CONV_STRIDE_EXT, (c->stride_x - 1) | (c->stride_y - 1) << 16},
        {CSC_D_DILATION_EXT, (c->dilation_x - 1) | (c->dilation_y - 1) << 16},
        {CSC_D_ZERO_PADDING, c->left | c->top << 16}, {CSC_D_ZERO_PADDING_VALUE, (uint32_t)c->pad & 0xffff},
        {CSC_D_BANK, bank});
    put(dev, NVDLA_CACC, CACC_D_CLIP_CFG, c->truncate);
    sdp_copy(dev, c->out_width, c->out_height, c->kernels, 0, c->destination);
    put(dev, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, 1);
    put(dev, NVDLA_SDP, SDP_D_CVT_SHIFT, c->shift);
}

static void conv_group(struct device *dev, uint32_t group) {
    static const enum nvdla_unit units[] = {NVDLA_CDMA, NVDLA_CSC, NVDLA_CMAC_A, NVDLA_CMAC_B, NVDLA_CACC, NVDLA_SDP};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        put(dev, units[i], CSC_S_POINTER, group);
}

static void conv_arm_core(struct device *dev) {
    put(dev, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    put(dev, NVDLA_CACC, CACC_D_OP_ENABLE, 1);
    put(dev, NVDLA_CMAC_A, CMAC_A_D_OP_ENABLE, 1);
    put(dev, NVDLA_CMAC_B, CMAC_B_D_OP_ENABLE, 1);
}

static void conv_arm(struct device *dev) {
    conv_arm_core(dev);
    put(dev, NVDLA_CSC, CSC_D_OP_ENABLE, 1);
    put(dev, NVDLA_CDMA, CDMA_D_OP_ENABLE, 1);
}

/* One input element as the formulas of chapter 20 find it in memory; image elements converted. */
static int32_t input_at(struct device *dev, const struct conv *c, uint32_t y, uint32_t x, uint32_t channel) {
    uint32_t atom = (uint32_t)dev->config->mem_atom;
    int32_t value;
    int16_t offset = (int16_t)c->offset;
    if (c->image) {
        static const uint8_t order[][4] = {{0, 1, 2, 3}, {2, 1, 0, 3}, {1, 2, 3, 0}, {3, 2, 1, 0}};
        uint32_t at;
        if (c->channels == 3) {
            uint32_t pair = c->format == 0x1c ? 2 - channel : channel - 1;
            at = channel == 0 ? c->source + y * c->line + c->x_offset + x
                              : UV + y * c->line_uv + (c->x_offset % (atom / 2) + x) * 2 + pair;
        } else {
            uint32_t byte = c->channels == 4 ? order[(c->format - 0x0c) % 4][channel] : 0;
            at = c->source + y * c->line + (c->x_offset + x) * c->channels + byte;
        }
        value = c->sign ? (int8_t)byte_at(dev, at) : byte_at(dev, at);
        if (c->means) {
            uint32_t mean = channel < 2 ? c->mean0 : c->mean1;
            offset = (int16_t)(uint16_t)(mean >> channel % 2 * 16);
        }
    } else {
        value = (int8_t)byte_at(dev, c->source + channel / atom * c->surface + y * c->line + x * atom + channel % atom);
    }
    return c->convert
               ? (int8_t)cdma_to_precision(cdma_scale(value, offset, (int16_t)c->scale, c->cvt_shift), NVDLA_INT8)
               : (int8_t)value;
}

static int32_t weight_at(struct device *dev, const struct conv *c, uint32_t k, uint32_t channel, uint32_t row,
                         uint32_t column) {
    uint32_t block = (uint32_t)dev->config->atomic_c, kpg = (uint32_t)dev->config->atomic_k;
    uint32_t g = k / kpg, ki = k % kpg, kg = c->kernels - g * kpg < kpg ? c->kernels - g * kpg : kpg;
    uint32_t rows = c->kernel_height, columns = c->kernel_width, channels = c->channels, at;
    if (c->image) {
        channels *= columns;
        channel += column * c->channels;
        columns = 1;
        column = 0;
    }
    if (c->extension > 0) { /* 20-data-formats section 5.2 */
        uint32_t e = 1u << c->extension, q = row / e, eq = rows - q * e < e ? rows - q * e : e;
        at = g * kpg * rows * channels + q * e * kg * channels + (ki * eq + row % e) * channels + channel;
    } else { /* section 5.1 */
        uint32_t cb = channel / block, cc = channels - cb * block < block ? channels - cb * block : block;
        at = g * kpg * rows * columns * channels + kg * rows * columns * block * cb +
             ((row * columns + column) * kg + ki) * cc + channel % block;
    }
    return (int8_t)byte_at(dev, c->weights + at);
}

/* Compares the output cube with a plain loop. first_line: line of the source that is the first of the layer's input. */
static void conv_check_from(struct device *dev, const struct conv *c, uint32_t first_line) {
    uint32_t atom = (uint32_t)dev->config->mem_atom;
    uint32_t line = c->out_width * atom, surface = c->out_height * line;
    struct sdp_convertor convertor = {.offset = 0, .scale = 1, .shift = c->shift};
    int8_t *input = malloc((size_t)c->rows * c->width * c->channels);
    int8_t *weights = malloc((size_t)c->kernels * c->kernel_height * c->kernel_width * c->channels);
    assert_true(input && weights);
    size_t n = 0;
    for (uint32_t y = 0; y < c->rows; y++) {
        for (uint32_t x = 0; x < c->width; x++)
            for (uint32_t i = 0; i < c->channels; i++)
                input[n++] = (int8_t)input_at(dev, c, first_line + y, x, i);
    }
    n = 0;
    for (uint32_t k = 0; k < c->kernels; k++) {
        for (uint32_t r = 0; r < c->kernel_height; r++) {
            for (uint32_t s = 0; s < c->kernel_width; s++)
                for (uint32_t i = 0; i < c->channels; i++)
                    weights[n++] = (int8_t)weight_at(dev, c, k, i, r, s);
        }
    }
    for (uint32_t k = 0; k < up(c->kernels, atom); k++) {
        for (uint32_t p = 0; p < c->out_width * c->out_height; p++) {
            uint32_t oy = p / c->out_width, ox = p % c->out_width;
            int64_t sum = 0;
            for (uint32_t t = 0; k < c->kernels && t < c->kernel_height * c->kernel_width; t++) {
                uint32_t r = t / c->kernel_width, s = t % c->kernel_width;
                int64_t y = (int64_t)oy * c->stride_y - c->top + r * c->dilation_y;
                int64_t x = (int64_t)ox * c->stride_x - c->left + s * c->dilation_x;
                bool inside = y >= 0 && y < c->rows && x >= 0 && x < c->width;
                for (uint32_t i = 0; i < c->channels; i++) {
                    int32_t value = inside ? input[(y * c->width + x) * c->channels + i] : (int8_t)c->pad;
                    sum += value * weights[((size_t)k * c->kernel_height * c->kernel_width + t) * c->channels + i];
                }
            }
            bool saturated;
            int32_t delivered = cacc_deliver(sum, c->truncate, &saturated);
            uint8_t expected;
            sdp_convert(&convertor, &delivered, &expected, 1);
            uint8_t got = byte_at(dev, c->destination + k / atom * surface + oy * line + ox * atom + k % atom);
            if (got != expected) {
                fail_msg("%s: kernel %u, position %u,%u: %d instead of %d", dev->config->name, k, ox, oy, (int8_t)got,
                         (int8_t)expected);
            }
        }
    }
    free(input);
    free(weights);
}

static void conv_check(struct device *dev, const struct conv *c) {
    conv_check_from(dev, c, 0);
}

enum { GROUP_BITS = 0x150001 }; /* CACC, CDMA_WT, CDMA_DAT and SDP of group 0; group 1 is the bit above */

/* Lets everything run. */
static void settle(struct device *dev) {
    while (dev->ops->advance(dev, 1000, false, NULL) == DEVICE_RUNNING) {
    }
}

/* Programs and runs one layer in a group, whose interrupts must come, and compares. */
static void conv_run_group(struct device *dev, const struct conv *c, uint32_t group) {
    size_t out = (size_t)conv_atoms_out(dev->config, c) * (size_t)dev->config->mem_atom;
    memory_declare(dev->memory[SPACE_PRIMARY], c->destination, out);
    memory_fill(dev->memory[SPACE_PRIMARY], c->destination, out, 0xa5);
    conv_group(dev, group);
    conv_program(dev, c);
    conv_arm(dev);
    settle(dev);
    assert_int_equal(pending_interrupts(dev), GROUP_BITS << group);
    clear_interrupts(dev);
    assert_int_equal(dev->finding_count, 0);
}

/* A device with random source, second plane and weights. */
static struct device *conv_device(const char *config, uint64_t *seed) {
    struct device *dev = bench_new(config);
    random_region(dev, seed, SOURCE, 0x20000);
    random_region(dev, seed, UV, 0x20000);
    random_region(dev, seed, WEIGHTS, 0x20000);
    return dev;
}

static bool conv_fits(const struct nvdla_config *config, const struct conv *c) {
    return c->data_banks + c->weight_banks <= (uint32_t)config->cbuf_banks && c->weight_bytes <= 0x20000;
}

/* 0 in half of the cases, else below n. */
static uint32_t sometimes(uint64_t *seed, uint32_t n) {
    return below(seed, 2) ? below(seed, n) : 0;
}

static void random_feature(struct device *dev, uint64_t *seed, uint32_t group) {
    const struct nvdla_config *config = dev->config;
    uint32_t atom = (uint32_t)config->mem_atom;
    struct conv c;
    for (;;) {
        c = conv_feature(config, 1 + below(seed, 9), 1 + below(seed, 9), 1 + below(seed, below(seed, 3) ? 20 : 150),
                         1 + below(seed, 40), 1);
        c.kernel_width = 1 + below(seed, 4);
        c.kernel_height = 1 + below(seed, 4);
        c.dilation_x = 1 + sometimes(seed, 3);
        c.dilation_y = 1 + sometimes(seed, 3);
        c.stride_x = 1 + sometimes(seed, 4);
        c.stride_y = 1 + sometimes(seed, 4);
        c.left = sometimes(seed, 4);
        c.top = sometimes(seed, 4);
        c.right = sometimes(seed, 4);
        c.bottom = sometimes(seed, 4);
        if (c.width + c.left + c.right <= (c.kernel_width - 1) * c.dilation_x ||
            c.height + c.top + c.bottom <= (c.kernel_height - 1) * c.dilation_y)
            continue;
        c.pad = (int8_t)rnd(seed);
        c.line += atom * sometimes(seed, 3);
        c.surface = c.line * c.height + atom * sometimes(seed, 5);
        bool packed = c.line == c.width * atom;
        c.grain = packed ? below(seed, 4) : below(seed, 2);
        c.map = packed ? below(seed, 2) : 0;
        c.map |= c.surface == c.line * c.height ? below(seed, 2) << 16 : 0;
        c.convert = below(seed, 4) == 0;
        c.offset = rnd(seed) & 0xff;
        c.scale = rnd(seed) & 0xffff;
        c.cvt_shift = below(seed, 20);
        c.truncate = sometimes(seed, 12);
        c.shift = c.truncate > 9 ? 0 : 10 - c.truncate;
        conv_derive(config, &c);
        c.entries += sometimes(seed, 3);
        c.data_banks = up(c.entries * c.height, (uint32_t)config->cbuf_bank_depth) / (uint32_t)config->cbuf_bank_depth;
        if (conv_fits(config, &c))
            break;
    }
    conv_run_group(dev, &c, group);
    conv_check(dev, &c);
}

static void random_image(struct device *dev, uint64_t *seed, uint32_t group) {
    static const uint32_t formats[] = {0x00, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x1c, 0x1d};
    const struct nvdla_config *config = dev->config;
    uint32_t atom = (uint32_t)config->mem_atom, block = (uint32_t)config->atomic_c;
    struct conv c;
    for (;;) {
        c = conv_feature(config, 1 + below(seed, 40), 1 + below(seed, 9), 1, 1 + below(seed, 40), 1);
        c.image = 1;
        c.format = formats[below(seed, sizeof formats / sizeof formats[0])];
        c.channels = c.format == 0 ? 1 : c.format >= 0x1c ? 3 : 4;
        c.x_offset = below(seed, c.channels == 4 ? atom / 4 : atom);
        c.line = up((c.x_offset + c.width) * (c.channels == 4 ? 4 : 1), atom) + atom * below(seed, 2);
        c.line_uv = up((c.x_offset + c.width) * 2, atom) + atom * below(seed, 2);
        c.kernel_width = 1 + below(seed, 5);
        c.kernel_height = 1 + below(seed, 5);
        c.stride_x = 1 + sometimes(seed, 4);
        c.stride_y = 1 + sometimes(seed, 4);
        c.left = sometimes(seed, 4);
        c.top = sometimes(seed, 4);
        c.right = sometimes(seed, 4);
        c.bottom = sometimes(seed, 4);
        c.pad = (int8_t)rnd(seed);
        c.sign = below(seed, 2);
        c.convert = below(seed, 2);
        c.means = c.convert ? below(seed, 2) : 0;
        c.mean0 = rnd(seed) & 0x00ff00ff;
        c.mean1 = rnd(seed) & 0x00ff00ff;
        c.offset = rnd(seed) & 0xff;
        c.scale = below(seed, 512);
        c.cvt_shift = below(seed, 10);
        c.extension = below(seed, 3);
        uint32_t limit = block >> c.extension;
        if (c.extension > 0 && (c.kernel_width * c.channels > limit || c.stride_x * c.channels > limit))
            c.extension = 0;
        if (c.width + c.left + c.right < c.kernel_width || c.height + c.top + c.bottom < c.kernel_height)
            continue;
        conv_derive(config, &c);
        if (conv_fits(config, &c))
            break;
    }
    conv_run_group(dev, &c, group);
    conv_check(dev, &c);
}

TEST(random_layers_equal_a_plain_loop) {
    for (int i = 0; i < CONFIGS; i++) {
        uint64_t seed = (uint64_t)i + 1;
        struct device *dev = conv_device(configs[i], &seed);
        for (uint32_t layer = 0; layer < 60; layer++)
            if (below(&seed, 2))
                random_feature(dev, &seed, layer % 2);
            else
                random_image(dev, &seed, layer % 2);
        bench_free(dev);
    }
}

/* 20-data-formats sections 2.1, 2.2 and 9, 98-measured-rules section 3. */
TEST(flags_and_low_address_bits) {
    uint64_t seed = 3;
    struct device *dev = conv_device("small", &seed);
    struct conv c = conv_feature(dev->config, 1, 1, 40, 8, 1);
    c.surface = 0x40;
    c.map = 1;
    conv_run_group(dev, &c, 0);
    conv_check(dev, &c);
    /* SURF_PACKED on a 1x1 cube: the stride is ignored. */
    struct conv packed = c;
    packed.map = 0x10001;
    conv_run_group(dev, &packed, 1);
    packed.surface = 8;
    conv_check(dev, &packed);
    /* LINE_PACKED with grains on unpacked lines: a grain is one run of atoms. */
    struct conv lines = conv_feature(dev->config, 5, 4, 8, 8, 1);
    lines.line = 5 * 8 + 24;
    lines.surface = 4 * lines.line;
    lines.map = 1;
    lines.grain = 1;
    conv_run_group(dev, &lines, 0);
    uint8_t packed_lines[4][40];
    for (uint32_t y = 0; y < 4; y++)
        memory_read(dev->memory[SPACE_PRIMARY], SOURCE + y / 2 * 2 * lines.line + y % 2 * 40, packed_lines[y], 40);
    memory_declare(dev->memory[SPACE_PRIMARY], SOURCE + 0x30000, sizeof packed_lines);
    memory_write(dev->memory[SPACE_PRIMARY], SOURCE + 0x30000, packed_lines, sizeof packed_lines, NULL, NULL);
    struct conv same = lines;
    same.source = SOURCE + 0x30000;
    same.line = 40;
    conv_check(dev, &same);
    /* Low bits of base, strides and weight address are dropped. */
    struct conv low = conv_feature(dev->config, 3, 3, 20, 9, 2), plain = low;
    low.source += 7;
    low.line += 5;
    low.surface += 3;
    low.weights += 6;
    low.map = 0;
    conv_run_group(dev, &low, 1);
    conv_check(dev, &plain);
    bench_free(dev);
}

/* SDP may cut the same positions into other lines, and OP_ENABLE comes in any order. */
TEST(lines_of_sdp_and_order_of_arming_are_free) {
    uint64_t seed = 4;
    struct device *dev = conv_device("small", &seed);
    struct conv c = conv_feature(dev->config, 6, 4, 8, 10, 1);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, 6 * 4 * 16);
    conv_program(dev, &c);
    PUT(dev, NVDLA_SDP, {SDP_D_DATA_CUBE_WIDTH, 23}, {SDP_D_DATA_CUBE_HEIGHT, 0}, {SDP_D_DST_LINE_STRIDE, 24 * 8});
    static const enum nvdla_unit order[] = {NVDLA_CDMA, NVDLA_CSC, NVDLA_CMAC_B, NVDLA_CACC, NVDLA_CMAC_A};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        put(dev, order[i], order[i] == NVDLA_CDMA ? CDMA_D_OP_ENABLE : CSC_D_OP_ENABLE, 1);
        settle(dev);
    }
    assert_int_equal(pending_interrupts(dev), 0x50000); /* both fetches are done, no engine takes the results */
    put(dev, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    settle(dev);
    assert_int_equal(pending_interrupts(dev), GROUP_BITS);
    conv_check(dev, &c);
    bench_free(dev);
}

/* ---- CBUF across layers ---- */

/* Both groups armed at once: the second layer's fetch waits for room or goes ahead, results are the same. */
TEST(queued_layers_share_the_rings) {
    uint64_t seed = 5;
    for (uint32_t banks = 1; banks <= 2; banks++) {
        struct device *dev = conv_device("small", &seed);
        struct conv c = conv_feature(dev->config, 8, 8, 32, 16, 1); /* half a bank */
        memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, 0x10000);
        for (uint32_t layer = 0; layer < 5; layer++) {
            c.data_banks = banks;
            c.source = SOURCE + 0x800 * layer;
            c.weights = WEIGHTS + 0x200 * layer;
            c.destination = DESTINATION + 0x1000 * layer;
            conv_group(dev, layer % 2);
            conv_program(dev, &c);
            conv_arm(dev);
            if (layer % 2) {
                settle(dev);
                assert_int_equal(pending_interrupts(dev), GROUP_BITS * 3);
                clear_interrupts(dev);
            }
        }
        settle(dev);
        assert_int_equal(pending_interrupts(dev), GROUP_BITS);
        for (uint32_t layer = 0; layer < 5; layer++) {
            c.source = SOURCE + 0x800 * layer;
            c.weights = WEIGHTS + 0x200 * layer;
            c.destination = DESTINATION + 0x1000 * layer;
            conv_check(dev, &c);
        }
        bench_free(dev);
    }
}

/* More weights than their banks hold come group by group. */
TEST(weights_stream_through_their_ring) {
    uint64_t seed = 6;
    for (int i = 0; i < CONFIGS; i++) {
        struct device *dev = conv_device(configs[i], &seed);
        uint32_t ring = (uint32_t)(dev->config->cbuf_bank_depth * dev->config->cbuf_bank_bytes);
        uint32_t group = (uint32_t)dev->config->atomic_k;
        /* A group of odd size: about 2 of 5 of the ring. */
        struct conv c = conv_feature(dev->config, 2, 1, (ring * 2 / 5 / group) | 1, 5 * group + 1, 1);
        assert_true(c.weight_bytes > 2 * ring && c.weight_bytes <= 0x20000);
        c.weight_banks = 1;
        c.weights += (uint32_t)dev->config->mem_atom;
        conv_run_group(dev, &c, 0);
        conv_check(dev, &c);
        conv_run_group(dev, &c, 1);
        conv_check(dev, &c);
        bench_free(dev);
    }
}

static uint64_t data_beats(struct device *dev, int id) {
    struct device_statistics statistics;
    dev->ops->statistics(dev, &statistics);
    return statistics.read_beats[id];
}

enum { DATA_ID = 8, WEIGHT_ID = 9 };

/* 30-cdma-cbuf section 9.3, the observed sequence; fetches are counted, results compared. */
TEST(reuse_and_skip_bits) {
    uint64_t seed = 7;
    struct device *dev = conv_device("small", &seed);
    struct conv c = conv_feature(dev->config, 7, 5, 19, 11, 3);
    c.data_banks = 2;
    c.weight_banks = 2;
    const struct {
        uint32_t flags, data_banks, weight_banks;
        bool data, weights; /* fetched */
    } steps[] = {
        {0, 2, 2, true, true},
        {SKIP_DATA | SKIP_WEIGHT, 2, 2, true, true},
        {DATA_REUSE | WEIGHT_REUSE | SKIP_DATA | SKIP_WEIGHT, 2, 2, false, false},
        {DATA_REUSE | WEIGHT_REUSE, 2, 2, false, false},
        {SKIP_DATA, 2, 2, true, true},
        {DATA_REUSE | SKIP_DATA | SKIP_WEIGHT, 2, 2, false, true},
        {WEIGHT_REUSE | SKIP_DATA | SKIP_WEIGHT, 2, 2, true, false},
        {DATA_REUSE | WEIGHT_REUSE | SKIP_DATA, 2, 3, false, true},  /* weight banks only */
        {DATA_REUSE | WEIGHT_REUSE | SKIP_WEIGHT, 3, 3, true, true}, /* data banks: both */
        {WEIGHT_REUSE, 3, 3, true, false},
        {0, 3, 3, true, true},
    };
    uint64_t data = 0, weights = 0;
    for (uint32_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        c.flags = steps[i].flags;
        c.data_banks = steps[i].data_banks;
        c.weight_banks = steps[i].weight_banks;
        if (steps[i].data)
            c.source = SOURCE + 0x1000 * i;
        if (steps[i].weights)
            c.weights = WEIGHTS + 0x1000 * i;
        conv_run_group(dev, &c, i % 2);
        conv_check(dev, &c);
        assert_int_equal(data_beats(dev, DATA_ID) - data, steps[i].data ? 7 * 5 * 3 : 0);
        assert_int_equal(data_beats(dev, WEIGHT_ID) - weights, steps[i].weights ? c.weight_bytes / 8 : 0);
        data = data_beats(dev, DATA_ID);
        weights = data_beats(dev, WEIGHT_ID);
    }
    bench_free(dev);
}

/* Section 9.4: a window of lines slides down a taller input through a ring that holds little more than one of them. */
TEST(a_window_slides_over_the_lines) {
    uint64_t seed = 8;
    for (int i = 0; i < CONFIGS; i++) {
        struct device *dev = conv_device(configs[i], &seed);
        uint32_t atom = (uint32_t)dev->config->mem_atom;
        struct conv c = conv_feature(dev->config, 6, 40, 3 * atom - 2, 9, 3);
        uint32_t first = 0, fetched = 0;
        c.surface = c.line * c.height;
        c.map = 1;
        for (uint32_t layer = 0; layer < 8; layer++) {
            uint32_t keep = layer == 0 ? 0 : 2;
            c.rows = 6;
            c.fetch = c.rows - keep;
            c.release = 4;
            c.flags = layer == 0 ? 0 : DATA_REUSE;
            c.out_height = c.rows - 2;
            c.data_banks = 1;
            c.source = SOURCE + fetched * c.line;
            conv_run_group(dev, &c, layer % 2);
            struct conv whole = c;
            whole.source = SOURCE;
            conv_check_from(dev, &whole, first);
            first += c.release;
            fetched += c.fetch;
        }
        bench_free(dev);
    }
}

/* 98-measured-rules section 8: fewer lines of a kept input are its oldest ones, and what is not released stays. */
TEST(a_shorter_layer_uses_the_oldest_lines) {
    uint64_t seed = 9;
    struct device *dev = conv_device("small", &seed);
    struct conv c = conv_feature(dev->config, 4, 6, 8, 8, 1);
    c.flags = SKIP_DATA;
    conv_run_group(dev, &c, 0);
    conv_check(dev, &c);
    struct conv less = c;
    less.flags = DATA_REUSE;
    less.rows = less.fetch = less.release = less.out_height = 4;
    conv_run_group(dev, &less, 1);
    conv_check(dev, &less);
    /* Two lines of the old input precede the new one. */
    struct conv next = c;
    next.flags = 0;
    next.source = SOURCE + 0x1000;
    conv_run_group(dev, &next, 0);
    uint8_t lines[6 * 32];
    memory_read(dev->memory[SPACE_PRIMARY], SOURCE + 4 * 32, lines, 2 * 32);
    memory_read(dev->memory[SPACE_PRIMARY], SOURCE + 0x1000, lines + 2 * 32, 4 * 32);
    memory_write(dev->memory[SPACE_PRIMARY], SOURCE + 0x2000, lines, sizeof lines, NULL, NULL);
    next.source = SOURCE + 0x2000;
    conv_check(dev, &next);
    bench_free(dev);
}

/* The same section: CDMA appends WEIGHT_BYTES, CSC releases what it used; the surplus comes first in the next layer. */
TEST(surplus_weights_stay_in_front) {
    uint64_t seed = 10;
    struct device *dev = conv_device("small", &seed);
    struct conv c = conv_feature(dev->config, 3, 2, 5, 8, 1); /* 40 bytes of weights */
    c.weight_bytes = 128;
    conv_run_group(dev, &c, 0);
    conv_check(dev, &c);
    struct conv next = c;
    next.weights = WEIGHTS + 0x1000;
    conv_run_group(dev, &next, 1);
    next.weights = WEIGHTS + 40; /* what the first layer left: 88 bytes */
    conv_check(dev, &next);
    /* Skipped release gives WEIGHT_BYTES back. */
    struct conv skip = c;
    skip.weights = WEIGHTS + 0x2000;
    skip.flags = SKIP_WEIGHT;
    skip.weight_banks = 2;
    conv_run_group(dev, &skip, 0);
    conv_check(dev, &skip);
    struct conv after = skip;
    after.weights = WEIGHTS + 0x3000;
    after.flags = 0;
    conv_run_group(dev, &after, 1);
    conv_check(dev, &after);
    bench_free(dev);
}

/* ---- status ---- */

/* 40-convolution-core section 9.7: the counter of clamped results, and the layer of one delivery that adds. */
TEST(clamped_results_are_counted) {
    struct device *dev = bench_new("large");
    memory_declare(dev->memory[SPACE_PRIMARY], SOURCE, 0x1000);
    memory_fill(dev->memory[SPACE_PRIMARY], SOURCE, 0x1000, 0x80);
    memory_declare(dev->memory[SPACE_PRIMARY], WEIGHTS, 0x40000);
    memory_fill(dev->memory[SPACE_PRIMARY], WEIGHTS, 0x40000, 0x80);
    struct conv c = conv_feature(dev->config, 1, 1, 160, 1, 32);
    c.left = c.top = 31;
    c.right = c.bottom = 1;
    c.pad = -128;
    c.shift = 31;
    conv_derive(dev->config, &c); /* 4 results of 163840 products of 2^14 */
    for (uint32_t layer = 0; layer < 3; layer++) {
        if (layer == 1)
            c.out_width = c.out_height = 1;
        conv_run_group(dev, &c, layer % 2);
        conv_check(dev, &c);
        static const uint32_t counts[] = {4, 5, 6};
        assert_int_equal(get(dev, NVDLA_CACC, CACC_D_OUT_SATURATION), counts[layer]);
    }
    c.truncate = 1; /* 2^31 and more become less: nothing is clamped */
    c.out_width = 2;
    conv_run_group(dev, &c, 1);
    conv_check(dev, &c);
    assert_int_equal(get(dev, NVDLA_CACC, CACC_D_OUT_SATURATION), 0);
    bench_free(dev);
}

TEST(flush_is_done_and_masked_interrupts_stay) {
    uint64_t seed = 11;
    for (int i = 0; i < CONFIGS; i++) {
        struct device *dev = conv_device(configs[i], &seed);
        assert_int_equal(get(dev, NVDLA_CDMA, CDMA_S_CBUF_FLUSH_STATUS), 1);
        put(dev, NVDLA_CDMA, CDMA_S_CBUF_FLUSH_STATUS, 0);
        assert_int_equal(get(dev, NVDLA_CDMA, CDMA_S_CBUF_FLUSH_STATUS), 1);
        bench_free(dev);
    }
}

/* Interrupts come in the order of the hardware: fetches, then CACC and SDP. */
TEST(fetches_interrupt_before_results) {
    uint64_t seed = 12;
    struct device *dev = conv_device("small", &seed);
    struct conv c = conv_feature(dev->config, 4, 4, 8, 8, 1);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, 4 * 4 * 8);
    conv_program(dev, &c);
    conv_arm(dev);
    enum device_state now;
    while ((now = advance(dev)) == DEVICE_RUNNING) {
    }
    assert_int_equal(now, DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 0x50000);
    assert_int_equal(get(dev, NVDLA_CDMA, CDMA_S_STATUS), 0);
    assert_int_equal(get(dev, NVDLA_CDMA, CDMA_S_POINTER), 0x10000);
    assert_int_equal(get(dev, NVDLA_CSC, CSC_S_STATUS), 1);
    clear_interrupts(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 0x100001);
    assert_int_equal(get(dev, NVDLA_CSC, CSC_S_STATUS), 0);
    assert_int_equal(get(dev, NVDLA_CACC, CACC_S_POINTER), 0x10000);
    bench_free(dev);
}

/* CDMA goes ahead alone while the banks stay the same, and waits for CSC when they change. */
TEST(cdma_goes_ahead_of_csc) {
    uint64_t seed = 13;
    struct device *dev = conv_device("small", &seed);
    struct conv c = conv_feature(dev->config, 4, 4, 8, 8, 1);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, 4 * 4 * 8);
    conv_program(dev, &c);
    put(dev, NVDLA_CDMA, CDMA_D_OP_ENABLE, 1);
    settle(dev);
    assert_int_equal(pending_interrupts(dev), 0);
    assert_int_equal(get(dev, NVDLA_CDMA, CDMA_S_STATUS), 1);
    put(dev, NVDLA_CSC, CSC_D_OP_ENABLE, 1);
    settle(dev);
    assert_int_equal(pending_interrupts(dev), 0x50000);
    conv_arm_core(dev);
    settle(dev);
    assert_int_equal(pending_interrupts(dev), GROUP_BITS);
    clear_interrupts(dev);
    /* Same banks. */
    conv_group(dev, 1);
    conv_program(dev, &c);
    put(dev, NVDLA_CDMA, CDMA_D_OP_ENABLE, 1);
    settle(dev);
    assert_int_equal(pending_interrupts(dev), 0xa0000);
    bench_free(dev);
}

/* Programs one layer that must hang: every armed unit stays RUNNING, the device is idle. */
static void conv_hangs(struct device *dev, const struct conv *c) {
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, 0x1000);
    conv_program(dev, c);
    conv_arm(dev);
    settle(dev);
    assert_true(dev->ops->at_rest(dev));
    assert_int_equal(get(dev, NVDLA_CSC, CSC_S_STATUS), 1);
    assert_int_equal(get(dev, NVDLA_CACC, CACC_S_STATUS), 1);
    assert_int_equal(get(dev, NVDLA_SDP, SDP_S_STATUS), 1);
    assert_int_equal(pending_interrupts(dev) & 0x300003, 0);
    assert_int_equal(dev->finding_count, 0);
    bench_free(dev);
}

TEST(more_results_than_sdp_takes) {
    uint64_t seed = 15;
    struct device *dev = conv_device("small", &seed);
    struct conv c = conv_feature(dev->config, 4, 4, 8, 8, 1);
    c.atomics = c.out_width * c.out_height + 1;
    conv_run_group(dev, &c, 0);
    conv_check(dev, &c);
    const size_t told = dev->warning_count;
    c.atomics--;
    conv_group(dev, 1);
    conv_program(dev, &c);
    conv_arm(dev);
    settle(dev);
    assert_true(dev->warning_count > told);
    assert_non_null(strstr(dev->warnings[told].text, "has left results that SDP did not take"));
    assert_int_equal(dev->warnings[told].effect, RULE_REFUSED);
    bench_free(dev);
}

TEST(programs_that_hang) {
    uint64_t seed = 14;
    for (int i = 0; i < 8; i++) {
        struct device *dev = conv_device("small", &seed);
        struct conv c = conv_feature(dev->config, 16, 8, 40, 24, 1);
        assert_int_equal(c.data_banks, 2);
        switch (i) {
        case 0: /* the input does not fit the data banks */
            c.data_banks = 1;
            break;
        case 1: /* nor even with what would be reused */
            c.data_banks = 1;
            c.flags = DATA_REUSE | SKIP_DATA;
            break;
        case 2: /* a kernel group does not fit the weight banks */
            c = conv_feature(dev->config, 1, 1, 520, 24, 1);
            c.weight_banks = 1;
            break;
        case 3: /* fewer results than SDP takes */
            c.atomics = c.out_width * c.out_height - 1;
            break;
        case 4: /* CSC waits for a line that CDMA does not fetch */
            c.fetch--;
            break;
        case 5: /* weights that never come */
            put(dev, NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_2, 0);
            break;
        case 6: /* a grain that does not fit */
            c.grain = 7;
            c.entries = 200;
            break;
        default: /* data that never come */
            put(dev, NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_1, 0);
            break;
        }
        conv_hangs(dev, &c);
    }
    /* Memory that does not exist. */
    struct device *dev = conv_device("small", &seed);
    struct conv c = conv_feature(dev->config, 4, 4, 8, 8, 1);
    conv_program(dev, &c);
    put(dev, NVDLA_CDMA, CDMA_D_DAIN_RAM_TYPE, 0);
    conv_arm(dev);
    settle(dev);
    assert_int_equal(pending_interrupts(dev), 0x40000); /* weights only */
    assert_int_equal(get(dev, NVDLA_CDMA, CDMA_S_STATUS), 1);
    /* Reset brings everything back to life. */
    struct error err;
    assert_true(dev->ops->reset(dev, &err));
    conv_run_group(dev, &c, 0);
    conv_check(dev, &c);
    bench_free(dev);
}

/* Any register contents end, in an interrupt or idle. */
TEST(wild_registers_end) {
    uint64_t seed = 15;
    for (uint64_t i = 0, all = seeds_of(300); i < all; i++) {
        struct device *dev = bench_new(i % 2 ? "full" : configs[below(&seed, CONFIGS)]);
        random_region(dev, &seed, 0, 0x1000);
        struct conv c = conv_feature(dev->config, 4, 4, 8, 8, 1);
        static const enum nvdla_unit units[] = {NVDLA_CDMA,   NVDLA_CSC,  NVDLA_CMAC_A,
                                                NVDLA_CMAC_B, NVDLA_CACC, NVDLA_SDP};
        const struct nvdla_register_map *map = &nvdla_register_maps[dev->config->map];
        for (int round = 0; round < 4; round++) {
            conv_group(dev, (uint32_t)round % 2);
            conv_program(dev, &c);
            for (int n = below(&seed, 2) ? 3 : 300; n > 0; n--) {
                const struct nvdla_register *reg = &map->registers[below(&seed, (uint32_t)map->count)];
                for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
                    if (reg->unit == units[u] && reg->grouped && strcmp(reg->name, "D_OP_ENABLE") != 0 &&
                        strcmp(reg->name, "D_DATA_CUBE_HEIGHT") != 0 && strcmp(reg->name, "D_ATOMICS") != 0) {
                        uint32_t value = rnd(&seed) >> below(&seed, 32);
                        dev->ops->csb_write(dev, reg->address, value, false, NULL);
                    }
                }
            }
            conv_arm(dev);
            settle(dev);
        }
        assert_true(dev->ops->at_rest(dev));
        bench_free(dev);
    }
}
