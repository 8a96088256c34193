/* Sizes that a convolution's check, registers, weights and drawing need. See conv_sizes.h. */
#include "gen/conv_sizes.h"

#include "nvdla/pixel.h"

enum nvdla_precision conv_in_precision(const struct nvdla_config *config, const struct gen_layer *layer) {
    return layer->conv == GEN_IMAGE ? nvdla_pixel_format(config, (uint32_t)layer->format)->precision
                                    : (enum nvdla_precision)layer->precision;
}

int64_t conv_channels(const struct nvdla_config *config, const struct gen_layer *layer) {
    switch (layer->conv) {
    case GEN_IMAGE:
        return layer->s * layer->c;
    case GEN_WINOGRAD: /* whole atoms of each phase of the strides */
        return round_up(layer->c, config->mem_atom / conv_element_bytes(layer)) * layer->stride_x * layer->stride_y;
    default:
        return layer->c;
    }
}

int64_t conv_kernel_elements(const struct nvdla_config *config, const struct gen_layer *layer) {
    return layer->conv == GEN_WINOGRAD ? GEN_TILE * GEN_TILE * conv_channels(config, layer)
                                       : layer->r * layer->s * layer->c;
}

int64_t conv_slice_entries(const struct nvdla_config *config, const struct gen_layer *layer) {
    int64_t bytes = conv_element_bytes(layer), surfaces = cdiv(layer->c * bytes, config->mem_atom);
    switch (layer->conv) {
    case GEN_IMAGE:
        return layer->eps_extra +
               cdiv((layer->pad_left + layer->w + layer->pad_right) * layer->c * bytes, conv_entry_bytes(config));
    case GEN_WINOGRAD: /* 30-cdma-cbuf section 5.5 */
        return conv_extended(layer->pad_left, layer->w, layer->pad_right, layer->stride_x) / GEN_TILE * surfaces *
               layer->stride_x * layer->stride_y;
    default:
        return layer->eps_extra + (int64_t)cbuf_line_entries(config, (size_t)layer->w, (size_t)surfaces);
    }
}
