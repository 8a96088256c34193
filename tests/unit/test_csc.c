/* The convolution core alone: layers whose input and weights are put into CBUF by the formulas of 40-convolution-core
 * sections 4.4, 4.5 and 5, against the sums of section 3, in every mode and precision, with one and with several
 * threads; accumulators that saturate; the accounts of weights; layers from wild registers. */
#include <stdlib.h>
#include <string.h>

#include "model/cacc.h"
#include "model/csc_run.h"
#include "nvdla/fixed.h"
#include "nvdla/fp.h"
#include "nvdla_offsets.h"
#include "tests/unit/random.h"
#include "tests/unit/test.h"

/* ---- a core with its CBUF ---- */

struct core {
    const struct nvdla_config *config;
    struct cbuf cbuf;
    struct cdma cdma;
    struct csc csc;
    struct pool *pool[2];   /* of one thread, of four */
    struct csc_run *run[2]; /* with each */
    uint64_t seed;
};

static void core_new(struct core *core, const char *config, uint64_t seed) {
    *core = (struct core){.config = nvdla_config_find(config), .seed = seed};
    cbuf_init(&core->cbuf, core->config);
    cdma_init(&core->cdma, core->config);
    csc_init(&core->csc, core->config);
    core->pool[0] = pool_new(1);
    core->pool[1] = pool_new(4);
    for (int i = 0; i < 2; i++) {
        core->run[i] = csc_run_new(core->pool[i], true);
        assert_true(core->pool[i] && core->run[i]);
    }
}

static void core_free(struct core *core) {
    for (int i = 0; i < 2; i++) {
        csc_run_free(core->run[i]);
        pool_free(core->pool[i]);
    }
    csc_free(&core->csc);
    cdma_free(&core->cdma);
    cbuf_free(&core->cbuf);
}

/* Every byte of CBUF is something. */
static void scribble(struct core *core) {
    for (size_t i = 0; i < core->cbuf.entries * core->cbuf.entry; i++)
        core->cbuf.bytes[i] = (uint8_t)rnd(&core->seed);
}

static size_t element_of(const struct csc_layer *layer) {
    return layer->precision == NVDLA_INT8 ? 1 : 2;
}

/* An operand: FP16 takes integers of one exponent, whose products are added exactly. */
static int16_t random_operand(struct core *core, enum nvdla_precision precision) {
    uint32_t value = rnd(&core->seed);
    switch (precision) {
    case NVDLA_INT8:
        return value % 8 == 0 ? -128 : (int8_t)(value >> 8);
    case NVDLA_INT16:
        return value % 8 == 0 ? INT16_MIN : (int16_t)(value >> 8);
    case NVDLA_FP16:
        break;
    }
    int32_t magnitude = value % 4 == 0 ? 0 : (int32_t)(value >> 8) % 30 + 2;
    return (int16_t)fp16_from_integer(value >> 31 ? -magnitude : magnitude);
}

static int64_t number(int16_t operand, enum nvdla_precision precision) {
    return precision == NVDLA_FP16 ? fp16_to_int16((uint16_t)operand) : operand;
}

static void put_operand(struct core *core, struct cbuf_ring ring, size_t byte, int16_t value, size_t element) {
    uint8_t bytes[2] = {(uint8_t)value, (uint8_t)((uint16_t)value >> 8)};
    cbuf_write(&core->cbuf, ring, byte, bytes, element);
}

/* ---- input: section 5 ---- */

/* Byte of channel c of a pixel in the slice, `full` feature input: the table of section 5. */
static size_t full_byte(const struct csc_layer *layer, size_t x, size_t c) {
    size_t w = layer->width, channels = layer->channels, j = c / 64;
    size_t in_block = channels - j * 64 < 64 ? channels - j * 64 : 64;
    if (element_of(layer) == 2) {
        size_t share = in_block > 32 ? 1 : in_block > 16 ? 2 : 4;
        return (j * w + x / share) * 128 + x % share * (128 / share) + 2 * (c % 64);
    }
    size_t m = j / 2;
    if (j % 2 == 1 || channels > (j + 1) * 64)
        return (m * w + x) * 128 + j % 2 * 64 + c % 64;
    size_t share = in_block > 32 ? 2 : 4;
    return (m * w + x / share) * 128 + x % share * (128 / share) + c % 64;
}

/* Bytes of a slice of section 5, to find ENTRY_PER_SLICE. */
static size_t slice_end(const struct core *core, const struct csc_layer *layer) {
    size_t last = 0;
    for (size_t x = 0; x < layer->width; x++) {
        for (size_t c = 0; c < layer->channels; c++) {
            size_t byte =
                core->config->map == NVDLA_MAP_FULL ? full_byte(layer, x, c) : (c / 8 * layer->width + x) * 8 + c % 8;
            last = byte > last ? byte : last;
        }
    }
    return last + 1;
}

/* The input as the sums of section 3 see it: [batch][line][element]. */
struct operands {
    int16_t *data, *weights;
    size_t line; /* elements */
};

/* Element of image or feature line y, PAD_VALUE outside; at: position in the line, negative in the left padding. */
static int16_t data_at(const struct csc_layer *layer, const struct operands *o, size_t batch, int64_t y, int64_t at) {
    bool inside = y >= 0 && y < (int64_t)layer->height && at >= 0 && at < (int64_t)o->line;
    return inside ? o->data[(batch * layer->height + (size_t)y) * o->line + (size_t)at] : layer->pad;
}

static void fill_data(struct core *core, struct operands *o) {
    const struct csc_layer *layer = &core->csc.layer;
    struct cbuf *cbuf = &core->cbuf;
    struct cbuf_ring ring = cbuf_data_ring(cbuf, layer->data_banks);
    size_t element = element_of(layer), channels = layer->channels;
    o->line = layer->mode == CSC_IMAGE ? layer->slice_entries * cbuf->entry / element : layer->width * channels;
    o->data = malloc(layer->batches * layer->height * o->line * sizeof *o->data);
    assert_non_null(o->data);
    cbuf->data.read = below(&core->seed, ring.entries);
    cbuf->data.slices = layer->height;
    int16_t *to = o->data;
    for (size_t b = 0; b < layer->batches; b++) {
        for (size_t y = 0; y < layer->height; y++) {
            size_t entry = cbuf->data.read + (y * layer->batches + b) * layer->slice_entries;
            for (size_t i = 0; i < o->line; i++) {
                size_t x = i / channels, c = i % channels, byte = i * element;
                if (layer->mode == CSC_FEATURE && core->config->map == NVDLA_MAP_FULL) {
                    byte = full_byte(layer, x, c);
                } else if (layer->mode == CSC_FEATURE) {
                    byte = (c / 8 * layer->width + x) * 8 + c % 8;
                } else if (layer->mode == CSC_WINOGRAD) {
                    size_t q = c * element / 8;
                    entry = cbuf->data.read + y / 4 * 4 * layer->slice_entries;
                    byte = (q * (layer->width / 4) + x / 4) * 128 + 8 * (4 * (y % 4) + x % 4) + c * element % 8;
                }
                *to = random_operand(core, layer->precision);
                put_operand(core, ring, entry * cbuf->entry + byte, *to++, element);
            }
        }
    }
}

/* ---- weights: sections 4.4 and 4.5 ---- */

/* Appends a weight to the stream and its mask bit to the other. */
struct streams {
    struct core *core;
    struct cbuf_ring data, mask;
    size_t bytes, bits; /* behind the start of the layer */
    uint8_t mask_byte;
};

static void append_weight(struct streams *s, int16_t value) {
    const struct csc_layer *layer = &s->core->csc.layer;
    struct cbuf *cbuf = &s->core->cbuf;
    size_t element = element_of(layer);
    bool present = !layer->compressed || value != 0 || below(&s->core->seed, 9) == 0;
    if (present) {
        put_operand(s->core, s->data, cbuf->weights.read * cbuf->entry + s->bytes, value, element);
        s->bytes += element;
    }
    if (layer->compressed) {
        s->mask_byte = (uint8_t)(s->bits % 8 == 0 ? present : s->mask_byte | present << s->bits % 8);
        cbuf_write(cbuf, s->mask, cbuf->weights.mask_read * cbuf->entry + s->bits / 8, &s->mask_byte, 1);
        s->bits++;
    }
}

/* Weights are kept as [kernel][row][column][channel], those of Winograd as [kernel][position][channel]. */
static void fill_weights(struct core *core, struct operands *o) {
    const struct csc_layer *layer = &core->csc.layer;
    struct cbuf_weights *account = &core->cbuf.weights;
    struct streams s = {.core = core,
                        .data = cbuf_weight_ring(&core->cbuf, layer->data_banks, layer->weight_banks),
                        .mask = cbuf_mask_ring(&core->cbuf)};
    size_t of = csc_layer_kernel_elements(layer), channels = layer->channels, columns = layer->kernel_width;
    size_t rows = layer->kernel_height, group = layer->kernel_group;
    o->weights = malloc(layer->kernels * of * sizeof *o->weights);
    assert_non_null(o->weights);
    for (size_t i = 0; i < layer->kernels * of; i++) {
        bool zero = layer->compressed && below(&core->seed, 3) != 0;
        o->weights[i] = zero ? 0 : random_operand(core, layer->precision);
    }
    account->read = below(&core->seed, s.data.entries);
    account->mask_read = below(&core->seed, s.mask.entries);
    account->kernels = layer->kernels;
    for (size_t g = 0; g < layer->kernels; g += group) {
        size_t end = g + group < layer->kernels ? g + group : layer->kernels;
        size_t block = layer->mode == CSC_WINOGRAD ? 4 : (size_t)core->config->atomic_c;
        for (size_t cb = 0; cb < channels; cb += block) {
            size_t last = cb + block < channels ? cb + block : channels;
            if (layer->mode == CSC_WINOGRAD) {
                for (size_t k = g; k < end; k++)
                    for (size_t i = 0; i < 64; i++)
                        append_weight(&s, o->weights[k * of + i / 4 * channels + cb + i % 4]);
                continue;
            }
            for (size_t r = 0; r < rows; r += layer->extension) {
                for (size_t column = 0; column < columns; column++) {
                    for (size_t k = g; k < end; k++) {
                        for (size_t rr = r; rr < r + layer->extension && rr < rows; rr++)
                            for (size_t c = cb; c < last; c++)
                                append_weight(&s, o->weights[k * of + (rr * columns + column) * channels + c]);
                    }
                }
            }
        }
    }
    account->held = (s.bytes + core->cbuf.entry - 1) / core->cbuf.entry * core->cbuf.slots;
    account->mask_held = (s.bits / 8 + core->cbuf.entry) / core->cbuf.entry * core->cbuf.slots;
}

/* ---- sums: section 3 ---- */

static int64_t direct_sum(const struct csc_layer *layer, const struct operands *o, size_t k, size_t b, size_t y,
                          size_t x) {
    int64_t sum = 0;
    size_t pixel = layer->mode == CSC_IMAGE ? layer->pixel : layer->channels;
    const int16_t *weight = o->weights + k * csc_layer_kernel_elements(layer);
    for (size_t r = 0; r < layer->kernel_height; r++) {
        for (size_t s = 0; s < layer->kernel_width; s++) {
            int64_t line = (int64_t)(y * layer->stride_y + r * layer->dilation_y) - (int64_t)layer->pad_top;
            int64_t column = (int64_t)(x * layer->stride_x + s * layer->dilation_x) - (int64_t)layer->pad_left;
            for (size_t c = 0; c < layer->channels; c++) {
                int16_t value = data_at(layer, o, b, line, column * (int64_t)pixel + (int64_t)c);
                sum += number(value, layer->precision) * number(*weight++, layer->precision);
            }
        }
    }
    return sum;
}

/* P of section 3.3 on values that are `step` apart. */
static void pre_add(int64_t *d, size_t step) {
    int64_t a = d[0], b = d[step], c = d[2 * step], e = d[3 * step];
    d[0] = a - c;
    d[step] = b + c;
    d[2 * step] = c - b;
    d[3 * step] = b - e;
}

static int64_t tile_sum(const struct csc_layer *layer, const struct operands *o, size_t k, size_t y, size_t x) {
    static const int64_t along[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
    unsigned truncate = layer->pra_truncate < 2 ? layer->pra_truncate : 2;
    int64_t sum = 0;
    for (size_t c = 0; c < layer->channels; c++) {
        int64_t d[16];
        for (size_t e = 0; e < 16; e++) {
            size_t line = y / 2 * 2 + e / 4, column = x / 2 * 2 + e % 4;
            d[e] = o->data[line * o->line + column * layer->channels + c];
        }
        for (size_t j = 0; j < 4; j++)
            pre_add(d + j, 4);
        for (size_t i = 0; i < 4; i++)
            pre_add(d + 4 * i, 1);
        for (size_t e = 0; e < 16; e++) {
            int64_t v = fixed_saturate(fixed_round_shift(d[e], truncate), layer->precision == NVDLA_INT8 ? 8 : 16);
            int64_t u = o->weights[k * 16 * layer->channels + e * layer->channels + c];
            sum += along[y % 2][e / 4] * along[x % 2][e % 4] * v * u;
        }
    }
    return sum;
}

static int32_t expected(const struct csc_layer *layer, int64_t sum, unsigned truncate) {
    if (layer->precision == NVDLA_FP16) {
        float value = (float)sum;
        int32_t bits;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    bool saturated;
    return cacc_deliver(sum, truncate, &saturated);
}

/* Runs the layer that core->csc.layer describes, and compares. */
static void check_layer(struct core *core) {
    const struct csc_layer *layer = &core->csc.layer;
    struct operands o;
    unsigned truncate = below(&core->seed, 20);
    scribble(core);
    fill_data(core, &o);
    fill_weights(core, &o);
    assert_true(csc_layer_stored(layer, core->config, &core->cbuf) < 1 << 26);
    size_t groups = csc_layer_groups(layer), lanes = layer->kernel_group;
    size_t count = layer->positions * layer->batches, height = layer->positions / layer->out_width;
    int32_t *results[2];
    for (int i = 0; i < 2; i++) {
        struct cbuf_weights before = core->cbuf.weights;
        struct cbuf_data data = core->cbuf.data;
        struct csc_run *run = core->run[i];
        results[i] = malloc(groups * count * lanes * sizeof *results[i]);
        csc_run_begin(run, &core->csc, &core->cdma, &core->cbuf, NULL, truncate);
        assert_non_null(results[i]);
        for (size_t done = 0, n; done < groups * count; done += n) {
            n = 1 + below(&core->seed, 70);
            n = n < groups * count - done ? n : groups * count - done;
            csc_run_next(run, results[i] + done * lanes, n);
        }
        csc_run_end(run);
        if (layer->skip_weights) {
            assert_memory_equal(&core->cbuf.weights, &before, sizeof before);
        } else {
            assert_int_equal(core->cbuf.weights.kernels, 0);
            assert_int_equal(core->cbuf.weights.held, 0);
        }
        core->cbuf.weights = before;
        core->cbuf.data = data; /* the layer runs again on the same input */
        core->csc.left = 0;
    }
    assert_memory_equal(results[0], results[1], groups * count * lanes * sizeof *results[0]);
    const int32_t *at = results[0];
    for (size_t k = 0; k < groups * lanes; k += lanes) {
        for (size_t i = 0; i < height * layer->batches * layer->out_width; i++) {
            size_t x = i % layer->out_width, b = i / layer->out_width % layer->batches;
            size_t y = i / layer->out_width / layer->batches;
            for (size_t lane = 0; lane < lanes; lane++) {
                int32_t want = 0;
                if (k + lane < layer->kernels) {
                    int64_t sum = layer->mode == CSC_WINOGRAD ? tile_sum(layer, &o, k + lane, y, x)
                                                              : direct_sum(layer, &o, k + lane, b, y, x);
                    want = expected(layer, sum, truncate);
                }
                if (*at != want) {
                    fail_msg("%s, mode %d, precision %d: kernel %zu, batch %zu, position %zu,%zu: %d instead of %d",
                             core->config->name, (int)layer->mode, (int)layer->precision, k + lane, b, x, y, *at, want);
                }
                at++;
            }
        }
    }
    free(results[0]);
    free(results[1]);
    free(o.data);
    free(o.weights);
}

/* ---- layers ---- */

static size_t among(struct core *core, size_t low, size_t high) {
    return low + below(&core->seed, high - low + 1);
}

static size_t out_of(size_t size, size_t kernel, size_t stride) {
    return (size - kernel) / stride + 1;
}

static struct csc_layer common_layer(struct core *core, enum nvdla_precision precision) {
    size_t element = precision == NVDLA_INT8 ? 1 : 2, group = (size_t)core->config->atomic_k / element;
    return (struct csc_layer){
        .precision = precision,
        .valid = true,
        .compressed = core->config->weight_compression && below(&core->seed, 2),
        .skip_weights = below(&core->seed, 4) == 0,
        .data_banks = (size_t)core->config->cbuf_banks / 2,
        .weight_banks = (size_t)core->config->cbuf_banks / 2 - 1,
        .pixel = 1,
        .batches = 1,
        .kernels = among(core, 1, 2 * group + 1),
        .kernel_group = group,
        .extension = 1,
        .stride_x = 1,
        .stride_y = 1,
        .dilation_x = 1,
        .dilation_y = 1,
        .release = 1,
        .pad = random_operand(core, precision),
    };
}

static void feature_layer(struct core *core, enum nvdla_precision precision) {
    struct csc_layer layer = common_layer(core, precision);
    static const size_t channels[] = {1, 3, 8, 16, 17, 32, 33, 63, 64, 65, 96, 97, 128, 129};
    layer.mode = CSC_FEATURE;
    layer.channels = channels[below(&core->seed, sizeof channels / sizeof channels[0])];
    layer.width = among(core, 1, 9);
    layer.height = among(core, 1, 7);
    layer.kernel_width = among(core, 1, 4);
    layer.kernel_height = among(core, 1, 4);
    layer.pad_left = among(core, 0, 4);
    layer.pad_top = among(core, 0, 4);
    layer.stride_x = among(core, 1, 3);
    layer.stride_y = among(core, 1, 3);
    layer.dilation_x = below(&core->seed, 3) ? 1 : among(core, 1, 4);
    layer.dilation_y = below(&core->seed, 3) ? 1 : among(core, 1, 4);
    size_t across = (layer.kernel_width - 1) * layer.dilation_x + 1;
    size_t down = (layer.kernel_height - 1) * layer.dilation_y + 1;
    layer.out_width = out_of(layer.width + layer.pad_left + across, across, layer.stride_x);
    layer.positions = layer.out_width * out_of(layer.height + layer.pad_top + down, down, layer.stride_y);
    layer.slice_entries = (slice_end(core, &layer) + core->cbuf.entry - 1) / core->cbuf.entry + below(&core->seed, 2);
    /* As many batches as fit the data banks. */
    size_t most = layer.data_banks * core->cbuf.depth / (layer.slice_entries * layer.height);
    if (core->config->batch_max > 1 && below(&core->seed, 2))
        layer.batches = among(core, 1, most < 32 ? most : 32);
    core->csc.layer = layer;
    check_layer(core);
}

static void image_layer(struct core *core, enum nvdla_precision precision) {
    struct csc_layer layer = common_layer(core, precision);
    static const size_t pixels[] = {1, 3, 4};
    size_t element = element_of(&layer), width = among(core, 1, 90), columns;
    layer.mode = CSC_IMAGE;
    layer.pixel = pixels[below(&core->seed, 3)];
    columns = among(core, 1, 10);
    columns = columns < width ? columns : width;
    layer.channels = columns * layer.pixel;
    layer.kernel_width = 1;
    layer.kernel_height = among(core, 1, 6);
    layer.height = among(core, 1, 7);
    layer.pad_top = among(core, 0, 4);
    layer.stride_x = among(core, 1, 5);
    layer.stride_y = among(core, 1, 3);
    while (2 * layer.extension * layer.channels <= (size_t)core->config->atomic_c && layer.extension < 4 &&
           below(&core->seed, 2))
        layer.extension *= 2;
    layer.out_width = out_of(width, columns, layer.stride_x);
    layer.positions = layer.out_width *
                      out_of(layer.height + layer.pad_top + layer.kernel_height, layer.kernel_height, layer.stride_y);
    layer.slice_entries = (width * layer.pixel * element + core->cbuf.entry - 1) / core->cbuf.entry;
    core->csc.layer = layer;
    check_layer(core);
}

static void winograd_layer(struct core *core, enum nvdla_precision precision) {
    struct csc_layer layer = common_layer(core, precision);
    size_t element = element_of(&layer), out_height = 4 * among(core, 1, 2);
    layer.mode = CSC_WINOGRAD;
    layer.channels = 32 / element * among(core, 1, 3);
    layer.kernel_width = layer.kernel_height = 4;
    layer.kernels = among(core, 1, layer.kernel_group + 3);
    layer.out_width = 4 * among(core, 1, 5);
    layer.positions = layer.out_width * out_height;
    layer.width = layer.out_width + 4;
    layer.height = out_height + 4;
    layer.pra_truncate = below(&core->seed, 4);
    layer.slice_entries = layer.width / 4 * layer.channels * element / 8 / 4;
    core->csc.layer = layer;
    check_layer(core);
}

TEST(feature_layers) {
    struct core core;
    core_new(&core, "full", 1);
    for (uint64_t i = 0, all = seeds_of(90); i < all; i++)
        feature_layer(&core, (enum nvdla_precision)(i % 3));
    core_free(&core);
    core_new(&core, "small", 2);
    for (uint64_t i = 0, all = seeds_of(30); i < all; i++)
        feature_layer(&core, NVDLA_INT8);
    core_free(&core);
}

TEST(image_layers) {
    struct core core;
    core_new(&core, "full", 3);
    for (uint64_t i = 0, all = seeds_of(60); i < all; i++)
        image_layer(&core, (enum nvdla_precision)(i % 3));
    core_free(&core);
    core_new(&core, "small", 4);
    for (uint64_t i = 0, all = seeds_of(20); i < all; i++)
        image_layer(&core, NVDLA_INT8);
    core_free(&core);
}

TEST(winograd_layers) {
    struct core core;
    core_new(&core, "full", 5);
    for (uint64_t i = 0, all = seeds_of(20); i < all; i++)
        winograd_layer(&core, (enum nvdla_precision)(i % 2));
    core_free(&core);
}

/* Section 9.4: sums that leave 48 bits saturate at the atomic operation where they do; what comes later counts from
 * there. 95-compiled-representation section B.4: the slow path. */
TEST(wide_accumulators_saturate) {
    struct core core;
    core_new(&core, "full", 6);
    struct csc_layer layer = common_layer(&core, NVDLA_INT16);
    layer.mode = CSC_FEATURE;
    layer.compressed = false;
    layer.kernels = 1;
    layer.channels = 8192;
    layer.width = layer.height = 1;
    layer.kernel_width = layer.kernel_height = 5;
    layer.pad_left = layer.pad_top = 4; /* the only pixel is the last of the first window */
    layer.pad = INT16_MIN;
    layer.out_width = 1;
    layer.positions = 1;
    layer.data_banks = 1;
    layer.weight_banks = 14;
    layer.slice_entries = 8192 / 64;
    core.csc.layer = layer;
    struct cbuf_ring ring = cbuf_weight_ring(&core.cbuf, 1, 14);
    int64_t sum = 0;
    size_t byte = 0;
    for (size_t block = 0; block < 8192; block += 64) {
        for (size_t tap = 0; tap < 25; tap++) {
            int64_t atom = 0;
            for (size_t c = 0; c < 64; c++, byte += 2) {
                int16_t weight = block < 8192 - 320 ? INT16_MIN : 12345;
                int16_t data = tap == 24 ? (int16_t)(block + c) : INT16_MIN;
                put_operand(&core, ring, byte, weight, 2);
                put_operand(&core, cbuf_data_ring(&core.cbuf, 1), 2 * (block + c), (int16_t)(block + c), 2);
                atom += data * weight;
            }
            sum = cacc_add(sum, atom, 48);
        }
    }
    bool saturated;
    int32_t want = cacc_deliver(sum, 17, &saturated), result[16];
    assert_true(sum < (INT64_C(1) << 47) - 1); /* came back from the limit */
    csc_run_begin(core.run[0], &core.csc, &core.cdma, &core.cbuf, NULL, 17);
    csc_run_next(core.run[0], result, 1);
    assert_int_equal(result[0], want);
    for (size_t k = 1; k < 16; k++)
        assert_int_equal(result[k], 0);
    core_free(&core);
}

/* Whatever the registers say, a layer is not valid, is too large, or runs to its end. */
TEST(wild_layers_end) {
    static const char *const configs[] = {"full", "full", "full", "small", "medium_512", "large"};
    struct core core = {.config = NULL};
    struct register_group regs;
    uint64_t ran = 0;
    const uint64_t turn = seeds_of(500), all = turn * sizeof configs / sizeof configs[0];
    for (uint64_t i = 0; i < all; i++) {
        if (i % turn == 0) {
            if (core.config) {
                register_group_free(&regs);
                core_free(&core);
            }
            core_new(&core, configs[i / turn], 7 + i);
            scribble(&core);
            register_group_init(&regs, core.config, NVDLA_CSC);
        }
        const struct nvdla_register_map *map = &nvdla_register_maps[core.config->map];
        register_group_reset(&regs);
        for (size_t n = 0; n < map->count; n++) {
            const struct nvdla_register *reg = &map->registers[n];
            if (reg->unit == NVDLA_CSC && reg->grouped && strcmp(reg->name, "D_OP_ENABLE") != 0) {
                unsigned shift = below(&core.seed, 32);
                uint32_t value = (rnd(&core.seed) & 0x00ff00ff) >> shift | (rnd(&core.seed) & 0x000f000f) >> shift / 2;
                register_group_write(&regs, reg->address & 0xfff, value);
            }
        }
        struct csc_layer *layer = &core.csc.layer;
        struct registers_view view = register_group_view(&regs, core.config);
        csc_layer_decode(layer, &view);
        core.cbuf.data.slices = layer->height;
        core.cbuf.weights.kernels = layer->kernels;
        core.csc.started = true;
        if (!layer->valid || csc_layer_work(layer) > 1 << 20 ||
            csc_layer_stored(layer, core.config, &core.cbuf) > 1 << 20 ||
            !csc_can_run(&core.csc, &core.cdma, &core.cbuf, false))
            continue;
        struct csc_run *run = core.run[i % 2];
        csc_run_begin(run, &core.csc, &core.cdma, &core.cbuf, NULL, 3);
        size_t count = layer->positions * layer->batches * csc_layer_groups(layer);
        for (size_t n = 0; n < count; n++) {
            int32_t results[64];
            csc_run_next(run, results, 1);
        }
        csc_run_end(run);
        ran++;
    }
    assert_true(ran > all / 10);
    register_group_free(&regs);
    core_free(&core);
}
