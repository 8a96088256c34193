/* Sizes of a convolution, shared by its checks, registers, weights and drawing; private to csrc/gen.
 *
 * Spec: 20-data-formats section 5, 30-cdma-cbuf sections 4 and 5. */
#pragma once

#include "gen/shape.h"
#include "nvdla/buffer_sizes.h"

enum {
    GEN_TILE = 4,         /* columns and lines of a Winograd tile; lines of a superslice; channels of a weight block */
    GEN_WINOGRAD_TAPS = 3 /* of the kernel after the channel extension, along one dimension */
};

/* Bytes of a CBUF entry and entries of a bank. */
static inline int64_t conv_entry_bytes(const struct nvdla_config *config) {
    return (int64_t)cbuf_entry_bytes(config);
}

static inline int64_t conv_bank_entries(const struct nvdla_config *config) {
    return (int64_t)cbuf_bank_entries(config);
}

/* Bytes of an element in CBUF and of a weight. */
static inline int64_t conv_element_bytes(const struct gen_layer *layer) {
    return nvdla_element_bytes((enum nvdla_precision)layer->precision);
}

/* Kernels of a group. */
static inline int64_t conv_kernel_group(const struct nvdla_config *config, const struct gen_layer *layer) {
    return config->atomic_k / conv_element_bytes(layer);
}

/* Precision of the input in memory: image formats have their own. The format must exist. */
enum nvdla_precision conv_in_precision(const struct nvdla_config *config, const struct gen_layer *layer);

/* Channels that CSC sees: for an image a whole line of the kernel, for Winograd those of the extended cube. */
int64_t conv_channels(const struct nvdla_config *config, const struct gen_layer *layer);

/* Weights of one kernel. */
int64_t conv_kernel_elements(const struct nvdla_config *config, const struct gen_layer *layer);

/* Size of the extended cube along one dimension: whole strides of padded input. */
static inline int64_t conv_extended(int64_t before, int64_t size, int64_t after, int64_t stride) {
    return (before + size + after) / stride;
}

/* Slices of the whole input: lines; for Winograd those of the extended cube. */
static inline int64_t conv_slices(const struct gen_layer *layer) {
    return layer->conv == GEN_WINOGRAD ? conv_extended(layer->pad_top, layer->h, layer->pad_bottom, layer->stride_y)
                                       : layer->h;
}

/* ENTRY_PER_SLICE, including eps_extra. */
int64_t conv_slice_entries(const struct nvdla_config *config, const struct gen_layer *layer);
