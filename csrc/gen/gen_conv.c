/* Convolution layers, feature and image input, always with SDP behind. Spec: 30-cdma-cbuf, 40-convolution-core,
 * 20-data-formats sections 2, 4 and 5, 98-measured-rules section 8. */
#include <inttypes.h>

#include "gen/engine.h"
#include "nvdla/pixel.h"
#include "nvdla_offsets.h"

enum {
    BURST_ATOMS = 8,         /* of a weight request: issued when there is room for all of it */
    WEIGHT_UNIT = 128,       /* documented multiple of WEIGHT_BYTES */
    KERNEL_LIMIT = 1 << 18,  /* bytes of one kernel */
    ENTRIES_LIMIT = 1 << 14, /* of a slice */
    ATOMICS_LIMIT = 1 << 21, /* output positions */
};

/* ---- shape ---------------------------------------------------------------------------------------------------------
 */

/* CBUF entries of a line of a feature cube: an entry has `slots` atoms. Spec: 30-cdma-cbuf sections 5.1 and 5.2. */
static int64_t feature_entries(const struct nvdla_config *config, int64_t w, int64_t c) {
    int64_t slots = config->cbuf_bank_bytes / config->mem_atom, surfaces = cdiv(c, config->mem_atom);
    int64_t rest = surfaces % slots;
    int64_t tail = rest == 0 ? 0 : rest == 1 ? cdiv(w, slots) : rest == 2 && slots == 4 ? cdiv(w, 2) : w;
    return surfaces / slots * w + tail;
}

static int64_t image_entries(const struct nvdla_config *config, const struct gen_layer *layer) {
    return cdiv((layer->pad_left + layer->w + layer->pad_right) * layer->c, config->cbuf_bank_bytes);
}

static int64_t layer_entries(const struct nvdla_config *config, const struct gen_layer *layer) {
    return layer->eps_extra +
           (layer->conv == GEN_IMAGE ? image_entries(config, layer) : feature_entries(config, layer->w, layer->c));
}

static int64_t kernel_bytes(const struct gen_layer *layer) {
    return layer->r * layer->s * layer->c;
}

/* Output size along one dimension, at least 1. */
static bool window_size(const char *name, int64_t size, int64_t kernel, int64_t dilation, int64_t stride,
                        int64_t before, int64_t after, int64_t *result, struct error *err) {
    int64_t reach = (kernel - 1) * dilation + 1;
    if (before >= reach || after >= reach || size + before + after < reach)
        return error_set(err,
                         "%s: a kernel that reaches over %" PRId64 " on %" PRId64 " with pads %" PRId64 " and %" PRId64,
                         name, reach, size, before, after);
    *result = (size + before + after - reach) / stride + 1;
    return true;
}

static bool image_legal(const struct nvdla_config *config, const struct gen_layer *layer, struct error *err) {
    const struct nvdla_pixel_format *format = nvdla_pixel_format(config, (uint32_t)layer->format);
    if (!format || format->precision != NVDLA_INT8)
        return error_set(err, "format %d has no 8-bit components", (int)layer->format);
    if (layer->c != format->components)
        return error_set(err, "format %s has %d components", format->name, format->components);
    if (layer->x_offset >= config->mem_atom / format->pixel_bytes[0])
        return error_set(err, "x_offset %d: the pixel lies in the next atom", (int)layer->x_offset);
    if (layer->dilation_x != 1 || layer->dilation_y != 1)
        return error_set(err, "images have no dilation");
    if (!layer->sign && !layer->cvt)
        return error_set(err, "unsigned pixels need the convertor");
    if (layer->source)
        return error_set(err, "images lie in memory of their own");
    int64_t part = config->atomic_c / layer->post;
    if (layer->post == 3 || (layer->post > 1 && (layer->s * layer->c > part || layer->stride_x * layer->c > part)))
        return error_set(err, "post-extension %d: %" PRId64 " elements of a line, stride %" PRId64 ", at most %" PRId64,
                         (int)layer->post, layer->s * layer->c, layer->stride_x * layer->c, part);
    return layer->s * layer->c <= GEN_SIZE_LIMIT || error_set(err, "kernel line too long");
}

/* Kept lines and weights: what the layer before left in CBUF, and what this one leaves. */
static bool buffer_legal(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    const struct nvdla_config *config = gen->config;
    struct gen_shape *shape = &shapes[index];
    const struct gen_layer *last = shape->previous_conv < 0 ? NULL : &gen->layers[shape->previous_conv];
    const struct gen_shape *before = last ? &shapes[shape->previous_conv] : NULL;
    bool same_data = before && before->data_banks == shape->data_banks;
    bool same_weights = same_data && before->weight_banks == shape->weight_banks;
    int64_t entry = config->cbuf_bank_bytes;
    int64_t used = round_up(layer->k * kernel_bytes(layer), entry), group = config->atomic_k * kernel_bytes(layer);

    if (before && before->unfit && same_data)
        return error_set(err, "lines that CSC does not know of are left in the same banks");
    shape->lines = layer->h;
    shape->fetch = true;
    if (layer->reuse_data) {
        if (!same_data || last->conv != layer->conv || before->kept == 0 || before->entries != shape->entries ||
            last->w != layer->w || last->c != layer->c ||
            (layer->conv == GEN_IMAGE && (last->format != layer->format || last->pad_left != layer->pad_left ||
                                          last->pad_right != layer->pad_right)))
            return error_set(err, "reuse_data: the convolution before left no such lines");
        if (layer->source)
            return error_set(err, "reuse_data: lines of another layer's output");
        shape->fetch = !last->skip_data;
        shape->lines = layer->h - before->kept;
        if (shape->fetch ? shape->lines < 1 : shape->lines > 0)
            return error_set(err, "reuse_data: %" PRId64 " lines are kept, %" PRId64 " are used", before->kept,
                             layer->h);
    }
    shape->unfit = !shape->fetch && shape->lines < 0;
    if (!layer->skip_data && layer->keep >= layer->h)
        return error_set(err, "keep: at least one of %" PRId64 " lines is released", layer->h);
    shape->kept = layer->skip_data ? layer->h : layer->keep;
    if (layer->h * shape->entries > shape->data_banks * config->cbuf_bank_depth)
        return error_set(err, "%" PRId64 " lines of %" PRId64 " entries do not fit into %" PRId64 " banks", layer->h,
                         shape->entries, shape->data_banks);

    shape->weight_bytes = (uint64_t)(layer->weight_pad ? round_up(used, WEIGHT_UNIT) : used);
    shape->stale = same_weights ? before->stale : 0;
    shape->fetch_weights = !layer->reuse_weights;
    if (layer->reuse_weights &&
        (!same_weights || !last->skip_weights || last->k != layer->k || kernel_bytes(last) != kernel_bytes(layer) ||
         before->weight_bytes != shape->weight_bytes))
        return error_set(err, "reuse_weights: the convolution before left no such weights");
    bool whole = layer->skip_weights || layer->reuse_weights;
    if (whole && shape->stale)
        return error_set(err, "weights of an earlier layer lie in front of those to be kept");
    int64_t ring = shape->weight_banks * config->cbuf_bank_depth * entry;
    int64_t need = group + 2 * entry + BURST_ATOMS * config->mem_atom;
    if (whole || need > (int64_t)shape->weight_bytes)
        need = (int64_t)shape->weight_bytes;
    if (shape->stale * entry + need > ring)
        return error_set(err, "%" PRId64 " bytes of weights do not fit into %" PRId64 " banks",
                         shape->stale * entry + need, shape->weight_banks);
    if (!layer->skip_weights)
        shape->stale += ((int64_t)shape->weight_bytes - used) / entry;
    return true;
}

/* Clocks, roughly: the fetch, then the stripes, at least as long as the output takes. */
static int64_t conv_cycles(const struct nvdla_config *config, const struct gen_layer *layer,
                           const struct gen_shape *shape, int64_t positions) {
    int64_t groups = cdiv(layer->k, config->atomic_k);
    int64_t steps = layer->conv == GEN_IMAGE ? cdiv(layer->s * layer->c, config->atomic_c) * cdiv(layer->r, layer->post)
                                             : cdiv(layer->c, config->atomic_c) * layer->r * layer->s;
    int64_t stripe = positions < 8 ? 8 : positions;
    int64_t fetch = layer->h * layer->w * cdiv(layer->c, config->mem_atom) +
                    (int64_t)shape->weight_bytes / config->mem_atom + layer->h * 10;
    return 400 + fetch + groups * steps * stripe;
}

bool gen_conv_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    const struct nvdla_config *config = gen->config;
    struct gen_shape *shape = &shapes[index];
    int64_t w = 0, h = 0;
    if (!window_size("width", layer->w, layer->s, layer->dilation_x, layer->stride_x, layer->pad_left, layer->pad_right,
                     &w, err) ||
        !window_size("height", layer->h, layer->r, layer->dilation_y, layer->stride_y, layer->pad_top,
                     layer->pad_bottom, &h, err))
        return false;
    if (layer->conv == GEN_IMAGE ? !image_legal(config, layer, err) : layer->post != 1)
        return layer->conv == GEN_IMAGE ? false : error_set(err, "post-extension is for images");
    if (w * h > ATOMICS_LIMIT || w > GEN_SIZE_LIMIT || h > GEN_SIZE_LIMIT)
        return error_set(err, "output of %" PRId64 "x%" PRId64, w, h);
    if (kernel_bytes(layer) > KERNEL_LIMIT)
        return error_set(err, "kernels of %" PRId64 " bytes", kernel_bytes(layer));
    shape->data_banks = layer->data_banks ? layer->data_banks : config->cbuf_banks / 2;
    shape->weight_banks = layer->weight_banks ? layer->weight_banks : config->cbuf_banks / 2;
    if (shape->data_banks + shape->weight_banks > config->cbuf_banks)
        return error_set(err, "%" PRId64 " + %" PRId64 " banks, there are %d", shape->data_banks, shape->weight_banks,
                         config->cbuf_banks);
    shape->entries = layer_entries(config, layer);
    if (shape->entries > ENTRIES_LIMIT)
        return error_set(err, "%" PRId64 " entries per slice", shape->entries);
    if (!buffer_legal(gen, index, shapes, err))
        return false;
    if (layer->conv == GEN_IMAGE && shape->fetch) {
        const struct nvdla_pixel_format *format = nvdla_pixel_format(config, (uint32_t)layer->format);
        for (int plane = 0; plane < format->planes; plane++) {
            int64_t pixel = format->pixel_bytes[plane], atom = config->mem_atom;
            int64_t offset = plane == 0 ? layer->x_offset : layer->x_offset % (atom / pixel);
            int64_t bytes = round_up((offset + layer->w) * pixel, atom);
            int64_t slack = plane == 0 ? layer->in_line : layer->uv_line;
            shape->plane_line[plane] = (uint64_t)(bytes + slack * atom);
            shape->plane_size[plane] = (uint64_t)(shape->lines - 1) * shape->plane_line[plane] + (uint64_t)bytes;
        }
        shape->in_secondary = layer->in_space != 0;
    } else if (shape->fetch && !gen_input_shape(gen, index, shapes, shape->lines, err)) {
        return false;
    }
    shape->middle = (struct cube){
        .width = (int)w, .height = (int)h, .channels = (int)layer->k, .atom = config->mem_atom, .element_bytes = 1};
    shape->units |= 1u << NVDLA_CDMA | 1u << NVDLA_CSC | 1u << NVDLA_CMAC_A | 1u << NVDLA_CMAC_B | 1u << NVDLA_CACC;
    shape->cycles = conv_cycles(config, layer, shape, w * h);
    return true;
}

/* ---- registers -----------------------------------------------------------------------------------------------------
 */

static uint32_t sizes(int64_t low, int64_t high) {
    return ((uint32_t)low - 1) | ((uint32_t)high - 1) << 16;
}

static uint32_t two(int64_t low, int64_t high) {
    return ((uint32_t)low & 0xffff) | (uint32_t)high << 16;
}

static uint32_t reuse_flags(const struct gen_layer *layer) {
    return (uint32_t)layer->reuse_data << 16 | (uint32_t)layer->reuse_weights << 20 | (uint32_t)layer->skip_data << 24 |
           (uint32_t)layer->skip_weights << 28;
}

static void put_cdma_input(const struct gen_case *gen, int index, const struct gen_shape *shape, struct rng *noise,
                           struct gen_registers *regs) {
    const struct gen_layer *layer = &gen->layers[index];
    bool image = layer->conv == GEN_IMAGE;
    int64_t atom = gen->config->mem_atom;
    if (image) {
        gen_put(regs, CDMA_D_DATAIN_FORMAT, 1 | (uint32_t)layer->format << 8 | (uint32_t)layer->sign << 20);
        gen_put(regs, CDMA_D_PIXEL_OFFSET, (uint32_t)layer->x_offset);
        gen_put_address(gen, index, noise, regs, CDMA_D_DAIN_ADDR_LOW_0, CDMA_D_DAIN_ADDR_HIGH_0, shape->plane_base[0]);
        gen_put_address(gen, index, noise, regs, CDMA_D_DAIN_ADDR_LOW_1, CDMA_D_DAIN_ADDR_HIGH_1, shape->plane_base[1]);
        gen_put(regs, CDMA_D_LINE_STRIDE, (uint32_t)shape->plane_line[0]);
        gen_put(regs, CDMA_D_LINE_UV_STRIDE, (uint32_t)shape->plane_line[1]);
        gen_put(regs, CDMA_D_SURF_STRIDE, gen_noise(layer, noise, UINT32_MAX));
        gen_put(regs, CDMA_D_DAIN_MAP, 0);
    } else {
        const struct cube *in = &shape->in;
        bool lines = !layer->unpacked && in->line_stride == layer->w * atom;
        bool surfaces = !layer->unpacked && ((layer->w == 1 && shape->lines == 1) ||
                                             in->surface_stride == shape->lines * (int64_t)in->line_stride);
        gen_put(regs, CDMA_D_DATAIN_FORMAT, gen_noise(layer, noise, 0x103f00));
        gen_put(regs, CDMA_D_PIXEL_OFFSET, gen_noise(layer, noise, 0x1f));
        gen_put_address(gen, index, noise, regs, CDMA_D_DAIN_ADDR_LOW_0, CDMA_D_DAIN_ADDR_HIGH_0, in->base);
        gen_put(regs, CDMA_D_DAIN_ADDR_LOW_1, gen_noise(layer, noise, UINT32_MAX));
        gen_put(regs, CDMA_D_DAIN_ADDR_HIGH_1, gen_noise(layer, noise, UINT32_MAX));
        gen_put(regs, CDMA_D_LINE_STRIDE, in->line_stride);
        gen_put(regs, CDMA_D_LINE_UV_STRIDE, gen_noise(layer, noise, UINT32_MAX));
        gen_put(regs, CDMA_D_SURF_STRIDE, in->surface_stride);
        gen_put(regs, CDMA_D_DAIN_MAP, (uint32_t)lines | (uint32_t)surfaces << 16);
    }
    gen_put(regs, CDMA_D_DATAIN_SIZE_0, sizes(layer->w, shape->fetch ? shape->lines : layer->h));
    gen_put(regs, CDMA_D_DATAIN_SIZE_1, (uint32_t)layer->c - 1);
    gen_put(regs, CDMA_D_DATAIN_SIZE_EXT_0, sizes(layer->w, layer->h));
    gen_put(regs, CDMA_D_DAIN_RAM_TYPE, shape->in_secondary ? 0 : 1);
    gen_put(regs, CDMA_D_FETCH_GRAIN, (uint32_t)layer->grain - 1);
}

static void put_cdma(const struct gen_case *gen, int index, const struct gen_shape *shape, struct rng *noise,
                     struct gen_registers *regs) {
    const struct gen_layer *layer = &gen->layers[index];
    bool convert = layer->cvt != 0, mean = convert && layer->conv == GEN_IMAGE && layer->mean;
    gen_put(regs, CDMA_D_MISC_CFG, reuse_flags(layer));
    put_cdma_input(gen, index, shape, noise, regs);
    gen_put(regs, CDMA_D_BATCH_NUMBER, 0);
    gen_put(regs, CDMA_D_BATCH_STRIDE, gen_noise(layer, noise, UINT32_MAX));
    gen_put(regs, CDMA_D_ENTRY_PER_SLICE, (uint32_t)shape->entries - 1);
    gen_put(regs, CDMA_D_WEIGHT_FORMAT, 0);
    gen_put(regs, CDMA_D_WEIGHT_SIZE_0, (uint32_t)kernel_bytes(layer) - 1);
    gen_put(regs, CDMA_D_WEIGHT_SIZE_1, (uint32_t)layer->k - 1);
    gen_put(regs, CDMA_D_WEIGHT_RAM_TYPE, layer->weight_space ? 0 : 1);
    gen_put_address(gen, index, noise, regs, CDMA_D_WEIGHT_ADDR_LOW, CDMA_D_WEIGHT_ADDR_HIGH, shape->weight_base);
    gen_put(regs, CDMA_D_WEIGHT_BYTES, (uint32_t)shape->weight_bytes);
    for (uint32_t offset = CDMA_D_WGS_ADDR_HIGH; offset <= CDMA_D_WMB_BYTES; offset += 4)
        gen_put(regs, offset, gen_noise(layer, noise, UINT32_MAX));
    gen_put(regs, CDMA_D_MEAN_FORMAT, mean);
    gen_put(regs, CDMA_D_MEAN_GLOBAL_0, mean ? two(layer->mean_0, layer->mean_1) : gen_noise(layer, noise, UINT32_MAX));
    gen_put(regs, CDMA_D_MEAN_GLOBAL_1, mean ? two(layer->mean_2, layer->mean_3) : gen_noise(layer, noise, UINT32_MAX));
    gen_put(regs, CDMA_D_CVT_CFG,
            convert ? 1 | (uint32_t)layer->cvt_shift << 4 : gen_noise(layer, noise, CDMA_D_CVT_CFG__CVT_TRUNCATE_MASK));
    gen_put(regs, CDMA_D_CVT_OFFSET, convert ? (uint32_t)layer->cvt_offset & 0xffff : gen_noise(layer, noise, 0xffff));
    gen_put(regs, CDMA_D_CVT_SCALE, convert ? (uint32_t)layer->cvt_scale & 0xffff : gen_noise(layer, noise, 0xffff));
    gen_put(regs, CDMA_D_CONV_STRIDE, sizes(layer->stride_x, layer->stride_y));
    gen_put(regs, CDMA_D_ZERO_PADDING,
            (uint32_t)layer->pad_left | (uint32_t)layer->pad_right << 8 | (uint32_t)layer->pad_top << 16 |
                (uint32_t)layer->pad_bottom << 24);
    gen_put(regs, CDMA_D_ZERO_PADDING_VALUE, (uint32_t)layer->pad & 0xffff);
    gen_put(regs, CDMA_D_BANK, sizes(shape->data_banks, shape->weight_banks));
    gen_put(regs, CDMA_D_NAN_FLUSH_TO_ZERO, 0);
    gen_put(regs, CDMA_D_PERF_ENABLE, layer->perf ? 1 : 0);
    gen_put(regs, CDMA_D_CYA, gen_noise(layer, noise, UINT32_MAX));
}

static void put_csc(const struct gen_case *gen, int index, const struct gen_shape *shape, struct rng *noise,
                    struct gen_registers *regs) {
    const struct gen_layer *layer = &gen->layers[index];
    bool image = layer->conv == GEN_IMAGE;
    int64_t w = shape->middle.width, h = shape->middle.height;
    uint32_t post = layer->post == 4 ? 2 : layer->post == 2 ? 1 : 0;
    gen_put(regs, CSC_D_MISC_CFG, reuse_flags(layer));
    gen_put(regs, CSC_D_DATAIN_FORMAT, image);
    gen_put(regs, CSC_D_DATAIN_SIZE_EXT_0, sizes(layer->w, layer->h));
    gen_put(regs, CSC_D_DATAIN_SIZE_EXT_1, (uint32_t)layer->c - 1);
    gen_put(regs, CSC_D_BATCH_NUMBER, 0);
    gen_put(regs, CSC_D_POST_Y_EXTENSION, post);
    gen_put(regs, CSC_D_ENTRY_PER_SLICE, (uint32_t)shape->entries - 1);
    gen_put(regs, CSC_D_WEIGHT_FORMAT, 0);
    gen_put(regs, CSC_D_WEIGHT_SIZE_EXT_0, image ? sizes(1, layer->r) : sizes(layer->s, layer->r));
    gen_put(regs, CSC_D_WEIGHT_SIZE_EXT_1, sizes(image ? layer->s * layer->c : layer->c, layer->k));
    gen_put(regs, CSC_D_WEIGHT_BYTES, (uint32_t)shape->weight_bytes);
    gen_put(regs, CSC_D_WMB_BYTES, gen_noise(layer, noise, 0x0fffffff));
    gen_put(regs, CSC_D_DATAOUT_SIZE_0, sizes(w, h));
    gen_put(regs, CSC_D_DATAOUT_SIZE_1, (uint32_t)layer->k - 1);
    gen_put(regs, CSC_D_ATOMICS, (uint32_t)(w * h - 1));
    gen_put(regs, CSC_D_RELEASE, (uint32_t)(layer->skip_data ? layer->h : layer->h - layer->keep) - 1);
    gen_put(regs, CSC_D_CONV_STRIDE_EXT, sizes(layer->stride_x, layer->stride_y));
    gen_put(regs, CSC_D_DILATION_EXT, sizes(layer->dilation_x, layer->dilation_y));
    gen_put(regs, CSC_D_ZERO_PADDING, two(layer->pad_left, layer->pad_top));
    gen_put(regs, CSC_D_ZERO_PADDING_VALUE, (uint32_t)layer->pad & 0xffff);
    gen_put(regs, CSC_D_BANK, sizes(shape->data_banks, shape->weight_banks));
    gen_put(regs, CSC_D_PRA_CFG, 0);
    gen_put(regs, CSC_D_CYA, gen_noise(layer, noise, UINT32_MAX));
}

void gen_conv_registers(const struct gen_case *gen, int index, const struct gen_shape *shapes,
                        struct gen_registers *units) {
    const struct gen_layer *layer = &gen->layers[index];
    const struct gen_shape *shape = &shapes[index];
    struct rng noise = rng_make((uint64_t)layer->noise, NVDLA_CDMA);
    struct gen_registers *cacc = &units[NVDLA_CACC];
    bool single = shape->middle.width == 1 && shape->middle.height == 1;
    put_cdma(gen, index, shape, &noise, &units[NVDLA_CDMA]);
    put_csc(gen, index, shape, &noise, &units[NVDLA_CSC]);
    gen_put(&units[NVDLA_CMAC_A], CMAC_A_D_MISC_CFG, 0);
    gen_put(&units[NVDLA_CMAC_B], CMAC_A_D_MISC_CFG, 0);
    gen_put(cacc, CACC_D_MISC_CFG, 0);
    gen_put(cacc, CACC_D_DATAOUT_SIZE_0, sizes(shape->middle.width, shape->middle.height));
    gen_put(cacc, CACC_D_DATAOUT_SIZE_1, (uint32_t)layer->k - 1);
    gen_put(cacc, CACC_D_DATAOUT_ADDR, gen_noise(layer, &noise, UINT32_MAX));
    gen_put(cacc, CACC_D_BATCH_NUMBER, 0);
    gen_put(cacc, CACC_D_LINE_STRIDE, layer->pdp ? 0 : shape->out.line_stride & 0xffffff);
    gen_put(cacc, CACC_D_SURF_STRIDE, layer->pdp ? 0 : shape->out.surface_stride & 0xffffff);
    gen_put(cacc, CACC_D_DATAOUT_MAP, single ? 0x10001 : 0);
    gen_put(cacc, CACC_D_CLIP_CFG, (uint32_t)layer->clip);
    gen_put(cacc, CACC_D_CYA, gen_noise(layer, &noise, UINT32_MAX));
}

/* ---- drawing -------------------------------------------------------------------------------------------------------
 */

static int log2_of(int64_t value) {
    int bits = 0;
    while (value > 1) {
        value >>= 1;
        bits++;
    }
    return bits;
}

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

static void draw_format(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer) {
    const struct nvdla_pixel_format *format = NULL;
    while (!format || format->precision != NVDLA_INT8) {
        layer->format = rng_chance(rng, 30) ? 0 : rng_range(rng, 0x0c, 0x1d);
        format = nvdla_pixel_format(config, (uint32_t)layer->format);
    }
    layer->c = format->components;
    int64_t most = config->mem_atom / format->pixel_bytes[0] - 1;
    layer->x_offset = rng_chance(rng, 30) ? 0 : rng_chance(rng, 40) ? most : rng_range(rng, 0, most);
    layer->uv_line = gen_draw_slack(rng);
}

/* Size of one dimension from an output size: a bit more than the windows need at times. */
static int64_t draw_extent(struct rng *rng, int64_t out, int64_t kernel, int64_t dilation, int64_t stride,
                           int64_t *before, int64_t *after, int64_t most_before, int64_t most_after) {
    int64_t reach = (kernel - 1) * dilation + 1, most = reach - 1;
    *before = *after = 0;
    if (rng_chance(rng, 55)) {
        *before = rng_chance(rng, 30) ? most : rng_range(rng, 0, most);
        *after = rng_chance(rng, 30) ? most : rng_range(rng, 0, most);
    }
    if (*before > most_before)
        *before = most_before;
    if (*after > most_after)
        *after = most_after;
    int64_t size = (out - 1) * stride + reach - *before - *after;
    if (rng_chance(rng, 25))
        size += rng_range(rng, 0, stride - 1);
    return size < 1 ? 1 : size;
}

void gen_conv_draw(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, bool image,
                   int64_t cycles) {
    layer->conv = image ? GEN_IMAGE : GEN_FEATURE;
    layer->sdp = 1;
    bool large_kernel = rng_chance(rng, 10), deep = false;
    layer->r = rng_chance(rng, 35) ? 1 : rng_range(rng, 1, large_kernel ? 11 : 5);
    layer->s = rng_chance(rng, 35) ? 1 : rng_range(rng, 1, large_kernel ? 11 : 5);
    layer->stride_x = rng_chance(rng, 60) ? 1 : rng_chance(rng, 70) ? rng_range(rng, 1, 3) : rng_range(rng, 1, 8);
    layer->stride_y = rng_chance(rng, 60) ? 1 : rng_chance(rng, 70) ? rng_range(rng, 1, 3) : rng_range(rng, 1, 8);
    if (image) {
        draw_format(rng, config, layer);
        if (rng_chance(rng, 50)) {
            layer->post = rng_chance(rng, 50) ? 2 : 4;
            if (layer->s > config->atomic_c / (int)layer->post / layer->c)
                layer->s = config->atomic_c / (int)layer->post / layer->c;
            if (layer->stride_x > config->atomic_c / (int)layer->post / layer->c)
                layer->stride_x = config->atomic_c / (int)layer->post / layer->c;
            if (layer->s < 1)
                layer->s = layer->stride_x = layer->post = 1;
        }
    } else {
        int64_t most = (rng_chance(rng, 20) ? 12 : 4) * (int64_t)config->atomic_c;
        layer->c = rng_size(rng, most, rng_chance(rng, 50) ? config->atomic_c : config->mem_atom);
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
    layer->k = rng_size(rng, (deep ? 1 : 4) * (int64_t)config->atomic_k, config->atomic_k);
    int64_t steps = cdiv(layer->c, config->atomic_c) * layer->r * layer->s * cdiv(layer->k, config->atomic_k);
    int64_t positions = cycles / steps;
    int64_t outputs = cycles / (cdiv(layer->k, config->mem_atom) * cdiv(config->mem_atom, config->sdp_bs_throughput));
    if (positions > outputs)
        positions = outputs;
    int64_t out_w = rng_size(rng, positions < 1 ? 1 : positions > 40 ? 40 : positions, 8);
    int64_t out_h = rng_size(rng, positions / out_w < 1 ? 1 : positions / out_w > 24 ? 24 : positions / out_w, 4);
    layer->w = draw_extent(rng, out_w, layer->s, layer->dilation_x, layer->stride_x, &layer->pad_left,
                           &layer->pad_right, 31, 63);
    layer->h = draw_extent(rng, out_h, layer->r, layer->dilation_y, layer->stride_y, &layer->pad_top,
                           &layer->pad_bottom, 31, 63);
    layer->pad = rng_chance(rng, 40) ? 0 : rng_chance(rng, 80) ? rng_range(rng, -128, 127) : rng_signed(rng, 16);
    draw_convertor(rng, layer, image);
    layer->weights = gen_draw_style(rng);
    layer->grain = rng_chance(rng, 50) ? 1 : rng_range(rng, 1, layer->h + 1);
    layer->unpacked = rng_chance(rng, 15);
    layer->eps_extra = rng_chance(rng, 5) ? rng_range(rng, 1, 3) : 0;
    if (rng_chance(rng, 60)) {
        layer->in_line = 0; /* grains need packed lines */
        layer->in_order = 0;
    }
    int bits = gen_style_bits(layer->in_data, 7) + gen_style_bits(layer->weights, 7) + log2_of(kernel_bytes(layer)) / 2;
    layer->clip = rng_chance(rng, 50) ? 0 : rng_chance(rng, 85) ? rng_range(rng, 0, bits / 2) : rng_range(rng, 0, 31);
    bits -= (int)layer->clip;
    layer->weight_pad = rng_chance(rng, 15);
    int64_t entries = layer_entries(config, layer), slots = config->cbuf_bank_bytes / config->mem_atom;
    if (entries * 2 <= config->cbuf_bank_depth && rng_chance(rng, 20)) { /* lines that fill banks */
        int64_t most = cycles / (2 * config->cbuf_bank_depth * slots);
        int64_t banks = rng_range(rng, 1, most < config->cbuf_banks ? most : config->cbuf_banks - 1);
        layer->h = banks * config->cbuf_bank_depth / entries - rng_range(rng, 0, 1);
        layer->stride_y = rng_range(rng, 1, 8);
    }
    /* banks: half and half, as few as possible, or a few more */
    int64_t need = cdiv(layer->h * layer_entries(config, layer), config->cbuf_bank_depth);
    int64_t all =
        cdiv(round_up(layer->k * kernel_bytes(layer), WEIGHT_UNIT), config->cbuf_bank_depth * config->cbuf_bank_bytes);
    if (need > config->cbuf_banks / 2 || rng_chance(rng, 75)) {
        layer->data_banks = need + (rng_chance(rng, 70) ? 0 : rng_range(rng, 0, 2));
        int64_t room = config->cbuf_banks - layer->data_banks;
        layer->weight_banks = rng_chance(rng, 50) ? all : rng_range(rng, 1, room < 1 ? 1 : room);
        if (layer->weight_banks > room)
            layer->weight_banks = room < 1 ? 1 : room;
    }
    gen_sdp_draw(rng, layer, bits < 1 ? 1 : bits);
}
