/* Draws convolution layers. Draws for features that only some configurations have are made only for these, so that the
 * cases of the others do not change. */
#include "gen/conv_sizes.h"
#include "gen/engine.h"
#include "nvdla/pixel.h"

enum {
    WEIGHT_UNIT = 128,
    MOST_BEFORE = 31, /* left and top pads */
    MOST_AFTER = 63,
    MOST_KERNEL = 32,      /* lines and columns */
    DRAWN_MASKS = 1 << 20, /* mask bits of a layer */
};

static bool has_wide_types(const struct nvdla_config *config) {
    return nvdla_has_16_bits(config);
}

static int log2_of(int64_t value) {
    int bits = 0;
    while (value > 1) {
        value >>= 1;
        bits++;
    }
    return bits;
}

/* ---- modes ----------------------------------------------------------------------------------- */

static void draw_mode(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, bool image) {
    layer->conv = image ? GEN_IMAGE : GEN_FEATURE;
    layer->sdp = 1;
    if (!image && nvdla_has(config, FEATURE_WINOGRAD) && rng_chance(rng, 40))
        layer->conv = GEN_WINOGRAD;
    if (layer->conv == GEN_FEATURE && nvdla_has(config, FEATURE_BATCHES) && rng_chance(rng, 30)) {
        static const int64_t batches[] = {2, 3, 4, 7, 8, 15, 16, 32};
        layer->batches =
            rng_chance(rng, 60) ? rng_pick(rng, batches, sizeof batches / sizeof batches[0]) : rng_range(rng, 2, 32);
        if (layer->batches > config->batch_max)
            layer->batches = config->batch_max;
        layer->in_batch = gen_draw_slack(rng);
        layer->out_batch = gen_draw_slack(rng);
    }
    if (nvdla_has(config, FEATURE_COMPRESSION) && rng_chance(rng, 35)) {
        layer->compressed = 1;
        layer->density = rng_chance(rng, 10) ? 16 * rng_range(rng, 0, 1) : rng_range(rng, 1, 15);
        layer->empty_groups = rng_chance(rng, 25) ? rng_range(rng, 1, 3) : 0;
        layer->dense_groups = rng_chance(rng, 25) ? rng_range(rng, 1, 3) : 0;
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static void draw_convertor(struct rng *rng, struct gen_layer *layer, bool image) {
    layer->cvt = rng_chance(rng, image ? 65 : 20);
    layer->sign = !layer->cvt || rng_chance(rng, 50);
    layer->mean = layer->cvt && image && rng_chance(rng, 40);
    int64_t *const mean[] = {&layer->mean_0, &layer->mean_1, &layer->mean_2, &layer->mean_3};
    for (int i = 0; i < 4; i++)
        *mean[i] = rng_chance(rng, 80) ? rng_range(rng, -128, 255) : rng_signed(rng, 16);
    layer->cvt_offset = rng_chance(rng, 40)   ? 128
                        : rng_chance(rng, 70) ? rng_range(rng, -128, 255)
                                              : rng_signed(rng, 16);
    if (rng_chance(rng, 75)) {
        layer->cvt_shift = rng_range(rng, 0, 14);
        layer->cvt_scale = rng_range(rng, 1, ((int64_t)2 << layer->cvt_shift) - 1);
        if (rng_chance(rng, 20))
            layer->cvt_scale = -layer->cvt_scale;
    } else {
        layer->cvt_shift = rng_range(rng, 0, 63);
        layer->cvt_scale = rng_signed(rng, 16);
    }
}

/* What the convertor needs, beyond pixels or processing of 16 bits. */
static void draw_wide_convertor(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer) {
    enum nvdla_precision in = conv_in_precision(config, layer), proc = (enum nvdla_precision)layer->precision;
    if (in != proc && !layer->cvt) {
        layer->cvt = 1;
        layer->sign = rng_chance(rng, 50);
    }
    if (in != NVDLA_INT8 && rng_chance(rng, 70)) { /* the middle of the range of unsigned pixels, or anything */
        layer->cvt_offset = rng_chance(rng, 40) ? INT16_MAX : rng_signed(rng, 16);
        layer->mean_0 = rng_signed(rng, 16);
        layer->mean_1 = rng_signed(rng, 16);
        layer->mean_2 = rng_signed(rng, 16);
        layer->mean_3 = rng_signed(rng, 16);
    }
    if (in == NVDLA_INT16 && proc == NVDLA_INT8 && layer->cvt_shift <= 20 && rng_chance(rng, 85))
        layer->cvt_shift += rng_range(rng, 5, 9);
    if (in == NVDLA_INT8 && proc == NVDLA_INT16 && rng_chance(rng, 60))
        layer->cvt_shift -= layer->cvt_shift < 8 ? layer->cvt_shift : rng_range(rng, 0, 8);
}

static void draw_pad(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer) {
    static const int64_t halves[] = {0x8000, 0x3c00, 0xc000, 0x0001, 0x83ff, 0x7bff, 0x7c00, 0xfe01};
    layer->pad = rng_chance(rng, 40) ? 0 : rng_chance(rng, 80) ? rng_range(rng, -128, 127) : rng_signed(rng, 16);
    if (!has_wide_types(config) || layer->precision == NVDLA_INT8 || layer->pad == 0)
        return;
    if (layer->precision == NVDLA_INT16 && rng_chance(rng, 50))
        layer->pad = rng_signed(rng, 16);
    if (layer->precision == NVDLA_FP16) /* mostly between 2^-7 and 2^5 in magnitude */
        layer->pad = rng_chance(rng, 70)
                         ? rng_range(rng, 0, 1) << 15 | rng_range(rng, 8, 20) << 10 | rng_range(rng, 0, 0x3ff)
                         : rng_pick(rng, halves, sizeof halves / sizeof halves[0]);
    layer->pad = (int16_t)layer->pad;
}

/* A NaN in the input affects all kernels, one in the weights a single kernel: draws few of them, or flushes them. */
static void draw_halves(struct rng *rng, struct gen_layer *layer) {
    if (!layer->nan_to_zero && layer->in_data == STYLE_SPECIAL && rng_chance(rng, 75))
        layer->in_data = STYLE_MIXED;
    if (!layer->nan_to_zero && layer->weights == STYLE_SPECIAL && rng_chance(rng, 75))
        layer->weights = STYLE_MIXED;
    if (rng_chance(rng, 15))
        layer->nans = rng_range(rng, 1, 3);
    if (rng_chance(rng, 15))
        layer->weight_nans = rng_range(rng, 1, 3);
    layer->weight_exponent = rng_chance(rng, 20) ? 0 : rng_range(rng, 1, 12);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static int64_t draw_format_id(struct rng *rng, const struct nvdla_config *config, const struct gen_layer *layer) {
    static const int64_t halves[] = {0x05, 0x08, 0x0b};
    if (!has_wide_types(config))
        return rng_chance(rng, 30) ? 0 : rng_range(rng, 0x0c, 0x1d);
    if (layer->precision == NVDLA_FP16 && rng_chance(rng, 40))
        return rng_pick(rng, halves, sizeof halves / sizeof halves[0]);
    return rng_chance(rng, 10) ? 0 : rng_range(rng, 0, 0x23);
}

static void draw_format(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer) {
    const struct nvdla_pixel_format *format = NULL;
    while (!format || (format->precision == NVDLA_FP16 && layer->precision != NVDLA_FP16)) {
        layer->format = draw_format_id(rng, config, layer);
        format = nvdla_pixel_format(config, (uint32_t)layer->format);
    }
    layer->c = format->components;
    int64_t most = config->mem_atom / format->pixel_bytes[0] - 1;
    layer->x_offset = rng_chance(rng, 30) ? 0 : rng_chance(rng, 40) ? most : rng_range(rng, 0, most);
    layer->uv_line = gen_draw_slack(rng);
}

/* Size of one dimension from an output size: at times a bit more than the windows need. */
static int64_t draw_extent(struct rng *rng, int64_t out, int64_t kernel, int64_t dilation, int64_t stride,
                           int64_t *before, int64_t *after) {
    int64_t reach = (kernel - 1) * dilation + 1, most = reach - 1;
    *before = *after = 0;
    if (rng_chance(rng, 55)) {
        *before = rng_chance(rng, 30) ? most : rng_range(rng, 0, most);
        *after = rng_chance(rng, 30) ? most : rng_range(rng, 0, most);
    }
    if (*before > MOST_BEFORE)
        *before = MOST_BEFORE;
    if (*after > MOST_AFTER)
        *after = MOST_AFTER;
    int64_t size = (out - 1) * stride + reach - *before - *after;
    if (rng_chance(rng, 25))
        size += rng_range(rng, 0, stride - 1);
    return size < 1 ? 1 : size;
}

/* Most output positions of steps clocks each within the budget, given the output's own clocks. */
static int64_t draw_positions(const struct nvdla_config *config, const struct gen_layer *layer, int64_t steps,
                              int64_t cycles) {
    int64_t lanes = config->mem_atom / conv_element_bytes(layer), positions = cycles / steps;
    int64_t outputs = cycles / (cdiv(layer->k, lanes) * cdiv(lanes, nvdla_sdp_lanes(config)));
    if (positions > outputs)
        positions = outputs;
    return positions / layer->batches;
}

static void draw_image(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer) {
    draw_format(rng, config, layer);
    if (!rng_chance(rng, 50))
        return;
    layer->post = rng_chance(rng, 50) ? 2 : 4;
    int64_t most = config->atomic_c / layer->post / layer->c;
    if (layer->s > most)
        layer->s = most;
    if (layer->stride_x > most)
        layer->stride_x = most;
    if (layer->s < 1)
        layer->s = layer->stride_x = layer->post = 1;
}

/* Compressed weights of many groups, or so many that mask bits wrap around their ring. */
static void draw_many_weights(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer) {
    int64_t group = conv_kernel_group(config, layer), lanes = config->mem_atom / conv_element_bytes(layer);
    if (rng_chance(rng, 50)) {
        layer->k = rng_range(rng, 9, 40) * group - rng_range(rng, 0, group - 1);
        layer->r = layer->s = 1;
        layer->c = layer->conv == GEN_IMAGE ? layer->c : rng_range(rng, 1, 2 * lanes);
    } else if (layer->conv == GEN_FEATURE) {
        int64_t ring = 8 * conv_bank_entries(config) * conv_entry_bytes(config); /* bits, more than a group has */
        layer->k = rng_range(rng, 2 * group, 3 * group);
        layer->r = layer->s = rng_range(rng, 1, 3);
        layer->c = ring * rng_range(rng, 45, 90) / (100 * group * layer->r * layer->s);
        if (layer->c > GEN_SIZE_LIMIT)
            layer->c = GEN_SIZE_LIMIT;
        layer->density = rng_range(rng, 1, 3);
        layer->dense_groups = 0;
    }
}

/* Sizes of a direct convolution. */
static void draw_direct(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, int64_t cycles) {
    int64_t lanes = config->mem_atom / conv_element_bytes(layer), group = conv_kernel_group(config, layer);
    bool deep = false;
    int64_t largest = rng_chance(rng, 10) ? 11 : 5;
    if (largest > 5 && has_wide_types(config) && rng_chance(rng, 40))
        largest = MOST_KERNEL;
    layer->r = rng_chance(rng, 35) ? 1 : rng_range(rng, 1, largest);
    layer->s = rng_chance(rng, 35) ? 1 : rng_range(rng, 1, largest);
    if (layer->conv == GEN_IMAGE && has_wide_types(config) && rng_chance(rng, 20)) /* lines of more than one block */
        layer->s = rng_range(rng, MOST_KERNEL / 2, MOST_KERNEL);
    layer->stride_x = rng_chance(rng, 60) ? 1 : rng_chance(rng, 70) ? rng_range(rng, 1, 3) : rng_range(rng, 1, 8);
    layer->stride_y = rng_chance(rng, 60) ? 1 : rng_chance(rng, 70) ? rng_range(rng, 1, 3) : rng_range(rng, 1, 8);
    if (layer->conv == GEN_IMAGE) {
        draw_image(rng, config, layer);
    } else {
        int64_t most = (rng_chance(rng, 20) ? 12 : 4) * (int64_t)config->atomic_c;
        layer->c = rng_size(rng, most, rng_chance(rng, 50) ? config->atomic_c : lanes);
        deep = rng_chance(rng, 3);
        if (deep) {
            layer->c = rng_chance(rng, 30) ? GEN_SIZE_LIMIT : rng_range(rng, 1, GEN_SIZE_LIMIT);
            layer->r = layer->s = 1;
        }
        if (rng_chance(rng, 20)) {
            layer->dilation_x = rng_range(rng, 1, rng_chance(rng, 80) ? 4 : 32);
            layer->dilation_y = rng_range(rng, 1, rng_chance(rng, 80) ? 4 : 32);
        }
    }
    layer->k = rng_size(rng, (deep ? 1 : 4) * group, group);
    if (layer->compressed && !deep && rng_chance(rng, 25))
        draw_many_weights(rng, config, layer);
    int64_t steps = cdiv(layer->c, config->atomic_c) * layer->r * layer->s * cdiv(layer->k, group);
    int64_t positions = draw_positions(config, layer, steps, cycles);
    int64_t widest = has_wide_types(config) && rng_chance(rng, 15) ? 300 : 40; /* stripes of images: 64 */
    int64_t out_w = rng_size(rng, positions < 1 ? 1 : positions > widest ? widest : positions, widest / 5);
    int64_t out_h = rng_size(rng, positions / out_w < 1 ? 1 : positions / out_w > 24 ? 24 : positions / out_w, 4);
    if (layer->batches > 1 && rng_chance(rng, 25)) /* fully connected */
        out_w = out_h = 1;
    layer->w =
        draw_extent(rng, out_w, layer->s, layer->dilation_x, layer->stride_x, &layer->pad_left, &layer->pad_right);
    layer->h =
        draw_extent(rng, out_h, layer->r, layer->dilation_y, layer->stride_y, &layer->pad_top, &layer->pad_bottom);
}

/* Pads and size of one dimension of Winograd input that is extended to `tiles` tiles. Returns the size. */
static int64_t draw_tiles(struct rng *rng, int64_t tiles, int64_t stride, int64_t *before, int64_t *after) {
    int64_t padded = tiles * GEN_TILE * stride, most = GEN_WINOGRAD_TAPS * stride - 1;
    *before = *after = 0;
    if (rng_chance(rng, 65)) {
        *before = rng_chance(rng, 30) ? most : rng_range(rng, 0, most);
        *after = rng_range(rng, 0, rng_chance(rng, 70) ? most : padded - *before - 1);
    }
    if (*before > MOST_BEFORE)
        *before = MOST_BEFORE;
    if (*after > MOST_AFTER)
        *after = MOST_AFTER;
    return padded - *before - *after;
}

static void draw_winograd(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, int64_t cycles) {
    int64_t lanes = config->mem_atom / conv_element_bytes(layer), group = conv_kernel_group(config, layer);
    layer->stride_x = rng_chance(rng, 55) ? 1 : rng_chance(rng, 70) ? rng_range(rng, 1, 3) : rng_range(rng, 1, 8);
    layer->stride_y = rng_chance(rng, 55) ? 1 : rng_chance(rng, 70) ? rng_range(rng, 1, 3) : rng_range(rng, 1, 8);
    layer->c = rng_size(rng, layer->stride_x * layer->stride_y > 4 ? 2 * lanes : 4 * (int64_t)config->atomic_c, lanes);
    layer->k = rng_size(rng, 4 * group, group);
    layer->pra = rng_range(rng, 0, 3);
    int64_t steps = cdiv(conv_channels(config, layer) * cdiv(layer->k, group), GEN_TILE);
    int64_t blocks = draw_positions(config, layer, steps, 4 * cycles) / (GEN_TILE * GEN_TILE);
    int64_t across = rng_size(rng, blocks < 1 ? 1 : blocks > 8 ? 8 : blocks, 2);
    int64_t down = rng_size(rng, blocks / across < 1 ? 1 : blocks / across > 6 ? 6 : blocks / across, 2);
    layer->w = draw_tiles(rng, across + 1, layer->stride_x, &layer->pad_left, &layer->pad_right);
    layer->h = draw_tiles(rng, down + 1, layer->stride_y, &layer->pad_top, &layer->pad_bottom);
}

static int64_t fitting_pad(int64_t before, int64_t size, int64_t stride) {
    int64_t padded = round_up(before + size, GEN_TILE * stride);
    if (padded < 2 * GEN_TILE * stride)
        padded = 2 * GEN_TILE * stride;
    return padded - before - size;
}

void gen_conv_fit(struct gen_layer *layer) {
    layer->pad_right = fitting_pad(layer->pad_left, layer->w, layer->stride_x);
    layer->pad_bottom = fitting_pad(layer->pad_top, layer->h, layer->stride_y);
}

/* ---- the layer ------------------------------------------------------------------------------- */

/* Banks: half each, as few as possible, or a few more. */
static void draw_banks(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer) {
    int64_t depth = conv_bank_entries(config), bank = depth * conv_entry_bytes(config);
    int64_t need = cdiv(conv_slices(layer) * layer->batches * conv_slice_entries(config, layer), depth);
    int64_t all = cdiv(round_up(conv_weight_sizes(config, layer).bytes, WEIGHT_UNIT), bank);
    if (need <= config->cbuf_banks / 2 && !rng_chance(rng, 75))
        return;
    layer->data_banks = need + (rng_chance(rng, 70) ? 0 : rng_range(rng, 0, 2));
    int64_t room = config->cbuf_banks - layer->compressed - layer->data_banks;
    layer->weight_banks = rng_chance(rng, 50) ? all : rng_range(rng, 1, room < 1 ? 1 : room);
    if (layer->weight_banks > room)
        layer->weight_banks = room < 1 ? 1 : room;
    if (layer->weight_banks < 1)
        layer->weight_banks = 1;
}

/* Lines that fill banks. */
static void draw_filling(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, int64_t cycles) {
    int64_t depth = conv_bank_entries(config), slots = conv_entry_bytes(config) / config->mem_atom;
    int64_t entries = conv_slice_entries(config, layer) * layer->batches;
    if (layer->conv == GEN_WINOGRAD || entries * 2 > depth || !rng_chance(rng, 20))
        return;
    int64_t most = cycles / (2 * depth * slots);
    int64_t banks = rng_range(rng, 1, most < config->cbuf_banks ? most : config->cbuf_banks - 1);
    layer->h = banks * depth / entries - rng_range(rng, 0, 1);
    layer->stride_y = rng_range(rng, 1, 8);
}

/* CLIP_TRUNCATE. Returns the bits of the results' magnitudes. */
static int draw_clip(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer) {
    int width = layer->precision == NVDLA_INT8 ? 7 : 15;
    int64_t elements = conv_kernel_elements(config, layer);
    if (layer->compressed)
        elements = cdiv(elements * layer->density, 16);
    int bits = gen_style_bits(layer->in_data, width) + gen_style_bits(layer->weights, width) + log2_of(elements) / 2;
    layer->clip = rng_chance(rng, 50) ? 0 : rng_chance(rng, 85) ? rng_range(rng, 0, bits / 2) : rng_range(rng, 0, 31);
    if (layer->precision == NVDLA_INT16 && bits > 31 && layer->clip == 0 && rng_chance(rng, 70))
        layer->clip = rng_range(rng, bits - 33, bits - 8);
    if (layer->precision == NVDLA_FP16) /* uniform elements are about 1 to 8, and CLIP_TRUNCATE does nothing */
        bits = 9 - (int)layer->weight_exponent + log2_of(elements) / 2;
    else
        bits -= (int)layer->clip;
    return bits < 1 ? 1 : bits > 31 ? 31 : bits;
}

void gen_conv_draw(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, bool image,
                   int64_t cycles) {
    draw_mode(rng, config, layer, image);
    if (layer->conv == GEN_WINOGRAD)
        draw_winograd(rng, config, layer, cycles);
    else
        draw_direct(rng, config, layer, cycles);
    if (layer->k * conv_kernel_elements(config, layer) > DRAWN_MASKS)
        layer->compressed = 0;
    draw_pad(rng, config, layer);
    draw_convertor(rng, layer, image);
    if (has_wide_types(config))
        draw_wide_convertor(rng, config, layer);
    layer->weights = gen_draw_style(rng, layer->precision);
    if (layer->precision == NVDLA_FP16)
        draw_halves(rng, layer);
    layer->grain = rng_chance(rng, 50) ? 1 : rng_range(rng, 1, layer->h + 1);
    layer->unpacked = rng_chance(rng, 15);
    int64_t extra = rng_chance(rng, 5) ? rng_range(rng, 1, 3) : 0;
    layer->eps_extra = config->map == NVDLA_MAP_FULL ? 0 : extra;
    if (rng_chance(rng, 60)) {
        layer->in_line = 0; /* grains need packed lines */
        layer->in_order = 0;
    }
    int bits = draw_clip(rng, config, layer);
    layer->weight_pad = rng_chance(rng, 15);
    draw_filling(rng, config, layer, cycles);
    draw_banks(rng, config, layer);
    gen_sdp_draw(rng, config, layer, bits);
}

/* ---- what stays in CBUF ---------------------------------------------------------------------- */

/* Keeps some of the slices for the next convolution. */
static void draw_keep(struct rng *rng, int percent, struct gen_layer *layer) {
    int64_t unit = layer->conv == GEN_WINOGRAD ? GEN_TILE : 1, parts = conv_slices(layer) / unit;
    if (parts > 1 && rng_chance(rng, percent))
        layer->keep = unit * rng_range(rng, 1, parts - 1);
}

/* Lines of Winograd: a tile or more after the kept ones, which contain the top pad; otherwise unchanged. */
static void draw_winograd_lines(struct rng *rng, const struct gen_layer *last, struct gen_layer *layer, bool data) {
    if (!data || last->skip_data)
        return;
    int64_t fresh = GEN_TILE * rng_range(rng, 1, conv_slices(last) / GEN_TILE) * layer->stride_y;
    layer->pad_top = 0;
    layer->pad_bottom = rng_chance(rng, 50) ? 0 : rng_range(rng, 0, fresh - 1);
    if (layer->pad_bottom > MOST_AFTER)
        layer->pad_bottom = MOST_AFTER;
    layer->h = last->keep * layer->stride_y + fresh - layer->pad_bottom;
}

static void draw_lines(struct rng *rng, const struct gen_layer *last, struct gen_layer *layer, bool data) {
    if (data && !last->skip_data) /* new lines after the kept ones */
        layer->h = last->keep + rng_range(rng, 1, last->h);
    else if (data && rng_chance(rng, 15))
        layer->h = rng_range(rng, 1, last->h);
    if (!data && layer->conv == GEN_FEATURE && rng_chance(rng, 30))
        layer->h = rng_range(rng, 1, last->h);
}

static void copy_sdp(struct gen_layer *to, const struct gen_layer *from) {
    struct gen_layer source = *from;
    for (size_t i = 0; i < gen_field_count; i++) {
        enum gen_part part = gen_fields[i].part;
        if ((part >= PART_SDP && part <= PART_EW_MUL_CVT) || part == PART_TABLE || part == PART_LUT)
            *gen_field_of(to, &gen_fields[i]) = *gen_field_of(&source, &gen_fields[i]);
    }
}

/* A convolution that reuses what the previous one left in CBUF: its data, its lines, its weights. */
static void draw_reuse(struct rng *rng, const struct nvdla_config *config, const struct gen_layer *last,
                       struct gen_layer *layer) {
    const struct gen_layer fresh = *layer;
    bool data = last->skip_data || last->keep, weights = last->skip_weights;
    if (data && weights && rng_chance(rng, 30))
        data = weights = rng_chance(rng, 50);
    *layer = *last;
    /* everything unrelated to CBUF comes from the fresh layer */
    layer->seed = fresh.seed;
    layer->in_data = fresh.in_data;
    layer->weights = fresh.weights;
    layer->noise = fresh.noise;
    layer->order = fresh.order;
    layer->arm = fresh.arm;
    layer->perf = fresh.perf;
    layer->status = fresh.status;
    layer->serial = fresh.serial;
    layer->out_line = fresh.out_line;
    layer->out_surface = fresh.out_surface;
    layer->out_order = fresh.out_order;
    layer->out_fill = fresh.out_fill;
    layer->clip = fresh.clip;
    if (fresh.precision == last->precision)
        copy_sdp(layer, &fresh);
    layer->pdp = layer->source = layer->input_of = layer->into = layer->at = layer->room = 0;
    layer->reuse_data = data;
    layer->reuse_weights = weights;
    layer->skip_data = rng_chance(rng, 40);
    layer->skip_weights = rng_chance(rng, 40);
    layer->keep = 0;
    if (!weights && has_wide_types(config) && rng_chance(rng, 15)) /* CDMA reuses all weights, but no data */
        layer->weight_banks = fresh.weight_banks;
    if (!weights) { /* other kernels */
        layer->k = fresh.k;
        if (rng_chance(rng, 50) && layer->conv != GEN_WINOGRAD) {
            layer->r = rng_range(rng, 1, 3);
            layer->stride_x = rng_range(rng, 1, 2);
            layer->stride_y = rng_range(rng, 1, 3);
        }
    }
    if (layer->conv == GEN_WINOGRAD)
        draw_winograd_lines(rng, last, layer, data);
    else
        draw_lines(rng, last, layer, data);
    if (!layer->skip_data)
        draw_keep(rng, 40, layer);
}

void gen_conv_draw_kept(struct rng *rng, const struct nvdla_config *config, const struct gen_layer *last,
                        struct gen_layer *layer) {
    layer->skip_data = rng_chance(rng, 25);
    layer->skip_weights = rng_chance(rng, 25);
    draw_keep(rng, 30, layer);
    if (last && rng_chance(rng, 60)) {
        layer->data_banks = last->data_banks;
        layer->weight_banks = last->weight_banks;
    }
    if (last && (last->skip_data || last->skip_weights || last->keep) && rng_chance(rng, 75))
        draw_reuse(rng, config, last, layer);
}
