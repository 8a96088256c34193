/* The weights of a convolution in memory. They are random, so the order of elements does not matter, except for the
 * kernel groups of compressed weights. Spec: 20-data-formats sections 5 and 6. */
#include <stdlib.h>
#include <string.h>

#include "gen/conv_sizes.h"
#include "gen/engine.h"
#include "nvdla/xalloc.h"

enum { SIXTEENTHS = 16, GROUP_SIZE_BYTES = 4 };

/* Mask bits of compressed weights in stream order: four random bits decide each element. */
struct mask {
    struct rng rng;
    uint64_t random;
    int left; /* elements that `random` still decides */
};

static struct mask mask_start(const struct gen_layer *layer) {
    return (struct mask){.rng = rng_make((uint64_t)layer->seed, GEN_ROLE_MASKS)};
}

static bool mask_next(struct mask *mask, int64_t density) {
    if (mask->left == 0) {
        mask->random = rng_next(&mask->rng);
        mask->left = SIXTEENTHS;
    }
    int64_t drawn = (int64_t)(mask->random % SIXTEENTHS);
    mask->random /= SIXTEENTHS;
    mask->left--;
    return drawn < density;
}

/* Sixteenths of a group's elements that are present. */
static int64_t group_density(const struct gen_layer *layer, int64_t group) {
    if (layer->empty_groups && group % layer->empty_groups == layer->empty_groups - 1)
        return 0;
    if (layer->dense_groups && group % layer->dense_groups == layer->dense_groups - 1)
        return SIXTEENTHS;
    return layer->density;
}

static int64_t group_elements(const struct nvdla_config *config, const struct gen_layer *layer, int64_t group) {
    int64_t most = conv_kernel_group(config, layer), left = layer->k - group * most;
    return (left < most ? left : most) * conv_kernel_elements(config, layer);
}

struct conv_weight_sizes conv_weight_sizes(const struct nvdla_config *config, const struct gen_layer *layer) {
    struct conv_weight_sizes sizes = {.groups = cdiv(layer->k, conv_kernel_group(config, layer))};
    struct mask mask = mask_start(layer);
    int64_t elements = 0;
    for (int64_t g = 0; g < sizes.groups; g++) {
        int64_t all = group_elements(config, layer, g), density = group_density(layer, g), stored = 0;
        for (int64_t i = 0; layer->compressed && i < all; i++)
            stored += mask_next(&mask, density);
        int64_t bytes = (layer->compressed ? stored : all) * conv_element_bytes(layer);
        sizes.bytes += bytes;
        if (bytes > sizes.largest_group)
            sizes.largest_group = bytes;
        elements += all;
    }
    if (layer->compressed) {
        sizes.mask_bytes = cdiv(elements, 8);
        sizes.largest_mask_group = cdiv(group_elements(config, layer, 0), 8);
    }
    return sizes;
}

/* Elements of a style, with `nans` of the FP16 ones NaN and exponents lowered. */
static void fill_elements(const struct nvdla_config *config, uint8_t *bytes, size_t count,
                          const struct gen_layer *layer) {
    enum { EXPONENT = 0x7c00, ONE_EXPONENT = 0x0400 };
    struct rng rng = rng_make((uint64_t)layer->seed, GEN_ROLE_WEIGHTS);
    if (layer->full_r) {
        gen_deconv_weights(config, layer, bytes);
        return;
    }
    gen_fill(bytes, count, (enum nvdla_precision)layer->precision, layer->weights, &rng);
    if (layer->precision != NVDLA_FP16)
        return;
    for (size_t i = 0; i < count; i++) { /* denormals, zeros, infinities and NaN stay, normals stay normal */
        uint16_t element = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
        int exponent = (element & EXPONENT) / ONE_EXPONENT, lower = (int)layer->weight_exponent;
        if (exponent > 0 && (element & EXPONENT) != EXPONENT)
            bytes[2 * i + 1] = (uint8_t)(bytes[2 * i + 1] - (lower < exponent ? lower : exponent - 1) * 4);
    }
    gen_fill_nans(bytes, count, layer->weight_nans, &rng);
}

static void put_group_size(uint8_t *sizes, int64_t group, int64_t bytes) {
    for (int b = 0; b < GROUP_SIZE_BYTES; b++)
        sizes[group * GROUP_SIZE_BYTES + b] = (uint8_t)(bytes >> 8 * b);
}

void gen_weights(const struct nvdla_config *config, const struct gen_layer *layer, const struct gen_shape *shape,
                 uint8_t *const surfaces[GEN_WEIGHT_SURFACES]) {
    size_t width = (size_t)conv_element_bytes(layer);
    if (!layer->compressed) {
        fill_elements(config, surfaces[GEN_WEIGHTS], (size_t)shape->weight_size[GEN_WEIGHTS] / width, layer);
        return;
    }
    int64_t count = layer->k * conv_kernel_elements(config, layer),
            groups = cdiv(layer->k, conv_kernel_group(config, layer));
    uint8_t *elements = xmalloc((size_t)count * width), *stored = surfaces[GEN_WEIGHTS];
    struct mask mask = mask_start(layer);
    fill_elements(config, elements, (size_t)count, layer);
    for (int64_t g = 0, bit = 0; g < groups; g++) {
        int64_t end = bit + group_elements(config, layer, g), density = group_density(layer, g);
        const uint8_t *from = stored;
        for (; bit < end; bit++) {
            if (!mask_next(&mask, density))
                continue;
            surfaces[GEN_WEIGHT_MASKS][bit / 8] |= (uint8_t)(1 << bit % 8);
            memcpy(stored, elements + (size_t)bit * width, width);
            stored += width;
        }
        put_group_size(surfaces[GEN_WEIGHT_GROUPS], g, stored - from);
    }
    free(elements);
}
