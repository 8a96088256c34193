/* Deconvolution by software: the kernel is cut into sets of taps, each a convolution of stride 1 into the same cube,
 * which RUBIK contracts. Spec: 20-data-formats section 5.4. */
#include <stdlib.h>
#include <string.h>

#include "gen/conv_sizes.h"
#include "gen/engine.h"
#include "nvdla/xalloc.h"

enum { KERNEL_LIMIT = 1 << 22 }; /* elements of the whole kernel */

/* ---- shape ----------------------------------------------------------------------------------- */

bool gen_deconv_shape(const struct gen_layer *layer, struct error *err) {
    if (layer->conv != GEN_FEATURE || layer->stride_x != 1 || layer->stride_y != 1 || layer->dilation_x != 1 ||
        layer->dilation_y != 1)
        return error_set(err, "a set of a deconvolution is a direct convolution of stride 1");
    if (layer->compressed || layer->weight_nans || layer->weight_exponent)
        return error_set(err, "the weights of a deconvolution are given");
    if (layer->full_s == 0 || layer->set_x >= layer->deconv_x || layer->set_y >= layer->deconv_y)
        return error_set(err, "set %d, %d of a deconvolution of stride %d, %d", (int)layer->set_x, (int)layer->set_y,
                         (int)layer->deconv_x, (int)layer->deconv_y);
    if (layer->k * layer->full_r * layer->full_s * layer->c > KERNEL_LIMIT)
        return error_set(err, "a kernel of %dx%dx%dx%d", (int)layer->k, (int)layer->full_s, (int)layer->full_r,
                         (int)layer->c);
    return (layer->s == cdiv(layer->full_s, layer->deconv_x) && layer->r == cdiv(layer->full_r, layer->deconv_y)) ||
           error_set(err, "a set of a kernel of %dx%d has %dx%d taps", (int)layer->full_s, (int)layer->full_r,
                     (int)cdiv(layer->full_s, layer->deconv_x), (int)cdiv(layer->full_r, layer->deconv_y));
}

/* ---- weights --------------------------------------------------------------------------------- */

void gen_deconv_kernel(const struct gen_layer *layer, uint8_t *bytes) {
    struct rng rng = rng_make((uint64_t)layer->seed, GEN_ROLE_WEIGHTS);
    gen_fill(bytes, (size_t)(layer->k * layer->full_r * layer->full_s * layer->c),
             (enum nvdla_precision)layer->precision, layer->weights, &rng);
}

/* Place of an element in the layout of a direct convolution. Spec: 20-data-formats section 5.1. */
static int64_t element_place(const struct nvdla_config *config, const struct gen_layer *layer, int64_t k, int64_t r,
                             int64_t s, int64_t c) {
    int64_t most = conv_kernel_group(config, layer), block = config->atomic_c, taps = layer->r * layer->s;
    int64_t group = k / most, left = layer->k - group * most, kernels = left < most ? left : most;
    int64_t earlier = c / block * block, rest = layer->c - earlier, channels = rest < block ? rest : block;
    return group * most * taps * layer->c + kernels * taps * earlier +
           ((r * layer->s + s) * kernels + k % most) * channels + c % block;
}

void gen_deconv_weights(const struct nvdla_config *config, const struct gen_layer *layer, uint8_t *bytes) {
    size_t width = (size_t)conv_element_bytes(layer);
    autofree uint8_t *full = xmalloc((size_t)(layer->k * layer->full_r * layer->full_s * layer->c) * width);
    gen_deconv_kernel(layer, full);
    for (int64_t k = 0; k < layer->k; k++)
        for (int64_t m = 0; m < layer->r; m++)
            for (int64_t n = 0; n < layer->s; n++) {
                int64_t r = layer->set_y + layer->deconv_y * m, s = layer->set_x + layer->deconv_x * n;
                if (r >= layer->full_r || s >= layer->full_s)
                    continue; /* a shorter set: the tap is zero */
                const uint8_t *from = full + (size_t)(((k * layer->full_r + r) * layer->full_s + s) * layer->c) * width;
                for (int64_t c = 0; c < layer->c; c++)
                    memcpy(bytes +
                               (size_t)element_place(config, layer, k, layer->r - 1 - m, layer->s - 1 - n, c) * width,
                           from + (size_t)c * width, width);
            }
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* The first set; the others differ in set_x and set_y. */
static void draw_set(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, int64_t cycles,
                     int64_t most_sets) {
    int64_t lanes = config->mem_atom / conv_element_bytes(layer), group = conv_kernel_group(config, layer);
    layer->conv = GEN_FEATURE;
    layer->deconv_x = rng_chance(rng, 60) ? 2 : rng_range(rng, 1, 4);
    layer->deconv_y = rng_chance(rng, 60) ? 2 : rng_range(rng, 1, 4);
    while (layer->deconv_x * layer->deconv_y > most_sets)
        layer->deconv_x > 1 ? layer->deconv_x-- : layer->deconv_y--;
    int64_t sets = layer->deconv_x * layer->deconv_y;
    layer->full_s = rng_range(rng, 1, rng_chance(rng, 80) ? 2 * layer->deconv_x : 4 * layer->deconv_x);
    layer->full_r = rng_range(rng, 1, rng_chance(rng, 80) ? 2 * layer->deconv_y : 4 * layer->deconv_y);
    layer->s = cdiv(layer->full_s, layer->deconv_x);
    layer->r = cdiv(layer->full_r, layer->deconv_y);
    layer->c = rng_size(rng, rng_chance(rng, 80) ? 2 * lanes : 2 * (int64_t)config->atomic_c, lanes);
    layer->k = rng_size(rng, 2 * group, group);
    int64_t steps = cdiv(layer->c, config->atomic_c) * layer->r * layer->s * cdiv(layer->k, group);
    int64_t positions = (cycles / sets - 400) / steps;
    positions = positions < 1 ? 1 : positions;
    layer->w = rng_size(rng, positions < 20 ? positions : 20, 4);
    layer->h = rng_size(rng, positions / layer->w < 1 ? 1 : positions / layer->w < 16 ? positions / layer->w : 16, 4);
    /* borders: all of them, cropped, or anything */
    int64_t *const pads[] = {&layer->pad_left, &layer->pad_right, &layer->pad_top, &layer->pad_bottom};
    int kind = (int)rng_range(rng, 0, 2);
    for (int i = 0; i < 4; i++) {
        int64_t most = (i < 2 ? layer->s : layer->r) - 1;
        *pads[i] = kind == 0 ? most : kind == 1 ? 0 : rng_range(rng, 0, most);
    }
    layer->w = layer->w + layer->pad_left + layer->pad_right < layer->s ? layer->s : layer->w;
    layer->h = layer->h + layer->pad_top + layer->pad_bottom < layer->r ? layer->r : layer->h;
    layer->weights = gen_draw_style(rng, layer->precision);
    int width = layer->precision == NVDLA_INT8 ? 7 : 15;
    int bits = gen_style_bits(layer->in_data, width) + gen_style_bits(layer->weights, width) + 2;
    if (layer->precision == NVDLA_INT16 && bits > 24)
        layer->clip = rng_range(rng, bits - 24, bits - 12);
    bits = layer->precision == NVDLA_FP16 ? 14 : bits - (int)layer->clip;
    gen_sdp_draw(rng, config, layer, bits < 1 ? 1 : bits > 31 ? 31 : bits);
    if (gen_compares(layer)) /* something has to be contracted */
        layer->ew.on = 0;
    layer->out_convert = 0;
    layer->out_order = 0;
    if (layer->w + layer->pad_left + layer->pad_right == layer->s &&
        layer->h + layer->pad_top + layer->pad_bottom == layer->r)
        layer->out_line = layer->out_surface = 0; /* one pixel: SDP packs its atoms */
}

int gen_deconv_draw(struct rng *rng, const struct nvdla_config *config, int index, const struct gen_layer *common,
                    int64_t cycles, struct gen_layer *layers) {
    struct gen_layer first = *common;
    int count = 0;
    draw_set(rng, config, &first, cycles, GEN_LAYERS - index - 1);
    int64_t lanes = config->mem_atom / conv_element_bytes(&first), surfaces = cdiv(first.k, lanes);
    bool keep = rng_chance(rng, 40); /* the input stays in CBUF */
    first.room = first.deconv_x * first.deconv_y * surfaces;
    for (int64_t y = 0; y < first.deconv_y; y++)
        for (int64_t x = 0; x < first.deconv_x; x++) {
            struct gen_layer *layer = &layers[count];
            *layer = first;
            layer->set_x = x;
            layer->set_y = y;
            layer->skip_data = keep;
            if (count > 0) {
                layer->at = count * surfaces;
                layer->into = index + 1;
                layer->room = layer->lut = 0;
                layer->reuse_data = keep;
                layer->input_of = keep ? 0 : index + 1;
            }
            count++;
        }
    layers[count - 1].skip_data = 0;
    struct gen_layer *contract = &layers[count];
    *contract = *common;
    contract->rubik = GEN_CONTRACT;
    contract->source = index + 1;
    contract->w = first.w + first.pad_left + first.pad_right - first.s + 1;
    contract->h = first.h + first.pad_top + first.pad_bottom - first.r + 1;
    contract->c = first.k;
    contract->deconv_x = first.deconv_x;
    contract->deconv_y = first.deconv_y;
    return count + 1;
}
