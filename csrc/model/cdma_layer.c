/* From the registers of CDMA to the sizes and modes of a layer. See cdma_layer.h. */
#include "model/cdma_layer.h"

#include "nvdla_offsets.h"

static size_t element_bytes(const struct cdma_layer *layer) {
    return (size_t)nvdla_element_bytes(layer->proc);
}

/* A cube: feature input and Winograd. Its addresses and strides lose their low bits, those of pixel planes do not. */
static void decode_cube(struct cdma_layer *layer, const struct nvdla_config *config,
                        const struct register_group *regs) {
    size_t last_channel = register_group_value(regs, CDMA_D_DATAIN_SIZE_1);
    layer->channels = last_channel + 1;
    layer->surfaces = last_channel * element_bytes(layer) / (size_t)config->mem_atom + 1;
    layer->base[0] = dma_aligned(config, layer->base[0]);
    layer->line_stride[0] = dma_aligned(config, layer->line_stride[0]);
    layer->surface_stride = dma_aligned(config, register_group_value(regs, CDMA_D_SURF_STRIDE));
}

static void decode_feature(struct cdma_layer *layer, const struct nvdla_config *config,
                           const struct register_group *regs) {
    uint32_t map = register_group_value(regs, CDMA_D_DAIN_MAP);
    decode_cube(layer, config, regs);
    if (config->batch_max > 1) {
        layer->batches =
            REGISTER_FIELD(register_group_value(regs, CDMA_D_BATCH_NUMBER), CDMA_D_BATCH_NUMBER__BATCHES) + 1;
        layer->batch_stride = dma_aligned(config, register_group_value(regs, CDMA_D_BATCH_STRIDE));
    }
    if (REGISTER_FIELD(map, CDMA_D_DAIN_MAP__LINE_PACKED)) {
        layer->packed_lines = true;
        layer->grain = (size_t)register_group_value(regs, CDMA_D_FETCH_GRAIN) + 1;
    }
    if (layer->width == 1 && layer->height == 1 && REGISTER_FIELD(map, CDMA_D_DAIN_MAP__SURF_PACKED)) {
        layer->surface_stride = (uint64_t)config->mem_atom;
    }
}

static void decode_winograd(struct cdma_layer *layer, const struct nvdla_config *config,
                            const struct register_group *regs) {
    uint32_t stride = register_group_value(regs, CDMA_D_CONV_STRIDE);
    uint32_t size = register_group_value(regs, CDMA_D_DATAIN_SIZE_EXT_0);
    size_t width = REGISTER_FIELD(size, CDMA_D_DATAIN_SIZE_EXT_0__DATAIN_WIDTH_EXT) + 1;
    size_t height = REGISTER_FIELD(size, CDMA_D_DATAIN_SIZE_EXT_0__DATAIN_HEIGHT_EXT) + 1;
    decode_cube(layer, config, regs);
    layer->stride_x = REGISTER_FIELD(stride, CDMA_D_CONV_STRIDE__CONV_X_STRIDE) + 1;
    layer->stride_y = REGISTER_FIELD(stride, CDMA_D_CONV_STRIDE__CONV_Y_STRIDE) + 1;
    layer->extended_width = width - width % CBUF_SUPERSLICE;
    layer->extended_height = height - height % CBUF_SUPERSLICE;
    layer->grain = CBUF_SUPERSLICE;
}

static void decode_image(struct cdma_layer *layer, const struct nvdla_config *config,
                         const struct register_group *regs) {
    uint32_t format = register_group_value(regs, CDMA_D_DATAIN_FORMAT);
    layer->pixel = nvdla_pixel_format(config, REGISTER_FIELD(format, CDMA_D_DATAIN_FORMAT__PIXEL_FORMAT));
    layer->base[1] = dma_address(config, regs, CDMA_D_DAIN_ADDR_LOW_1, CDMA_D_DAIN_ADDR_HIGH_1);
    layer->line_stride[1] = register_group_value(regs, CDMA_D_LINE_UV_STRIDE);
    layer->chunk = (size_t)config->atomic_c * element_bytes(layer);
    layer->x_offset =
        REGISTER_FIELD(register_group_value(regs, CDMA_D_PIXEL_OFFSET), CDMA_D_PIXEL_OFFSET__PIXEL_X_OFFSET);
}

static void decode_weights(struct cdma_layer *layer, const struct nvdla_config *config,
                           const struct register_group *regs) {
    uint64_t atom = (uint64_t)config->mem_atom;
    layer->weight_primary =
        register_group_value(regs, CDMA_D_WEIGHT_RAM_TYPE) & CDMA_D_WEIGHT_RAM_TYPE__WEIGHT_RAM_TYPE_MASK;
    layer->weights = dma_aligned(config, dma_address(config, regs, CDMA_D_WEIGHT_ADDR_LOW, CDMA_D_WEIGHT_ADDR_HIGH));
    layer->weight_atoms = register_group_value(regs, CDMA_D_WEIGHT_BYTES) / atom;
    layer->kernel_bytes = (uint64_t)register_group_value(regs, CDMA_D_WEIGHT_SIZE_0) + 1;
    layer->kernels = (uint64_t)register_group_value(regs, CDMA_D_WEIGHT_SIZE_1) + 1;
    layer->kernel_group = (uint64_t)config->atomic_k / element_bytes(layer);
    layer->compressed = config->weight_compression &&
                        (register_group_value(regs, CDMA_D_WEIGHT_FORMAT) & CDMA_D_WEIGHT_FORMAT__WEIGHT_FORMAT_MASK);
    if (layer->compressed) {
        layer->masks = dma_aligned(config, dma_address(config, regs, CDMA_D_WMB_ADDR_LOW, CDMA_D_WMB_ADDR_HIGH));
        layer->mask_atoms = register_group_value(regs, CDMA_D_WMB_BYTES) / atom;
        layer->sizes = dma_aligned(config, dma_address(config, regs, CDMA_D_WGS_ADDR_LOW, CDMA_D_WGS_ADDR_HIGH));
    }
}

static enum cdma_mode mode_of(const struct nvdla_config *config, const struct register_group *regs) {
    if (config->winograd &&
        REGISTER_FIELD(register_group_value(regs, CDMA_D_MISC_CFG), CDMA_D_MISC_CFG__CONV_MODE) != 0) {
        return CDMA_WINOGRAD;
    }
    uint32_t format = register_group_value(regs, CDMA_D_DATAIN_FORMAT);
    return REGISTER_FIELD(format, CDMA_D_DATAIN_FORMAT__DATAIN_FORMAT) ? CDMA_IMAGE : CDMA_FEATURE;
}

void cdma_layer_decode(struct cdma_layer *layer, const struct nvdla_config *config, const struct register_group *regs) {
    uint32_t misc = register_group_value(regs, CDMA_D_MISC_CFG);
    uint32_t size = register_group_value(regs, CDMA_D_DATAIN_SIZE_0);
    uint32_t bank = register_group_value(regs, CDMA_D_BANK);
    uint32_t padding = register_group_value(regs, CDMA_D_ZERO_PADDING);
    *layer = (struct cdma_layer){
        .mode = mode_of(config, regs),
        .data_reuse = REGISTER_FIELD(misc, CDMA_D_MISC_CFG__DATA_REUSE),
        .weight_reuse = REGISTER_FIELD(misc, CDMA_D_MISC_CFG__WEIGHT_REUSE),
        .skip_data = REGISTER_FIELD(misc, CDMA_D_MISC_CFG__SKIP_DATA_RLS),
        .skip_weights = REGISTER_FIELD(misc, CDMA_D_MISC_CFG__SKIP_WEIGHT_RLS),
        .data_banks = REGISTER_FIELD(bank, CDMA_D_BANK__DATA_BANK) + 1,
        .weight_banks = REGISTER_FIELD(bank, CDMA_D_BANK__WEIGHT_BANK) + 1,
        .data_primary = register_group_value(regs, CDMA_D_DAIN_RAM_TYPE) & CDMA_D_DAIN_RAM_TYPE__DATAIN_RAM_TYPE_MASK,
        .width = REGISTER_FIELD(size, CDMA_D_DATAIN_SIZE_0__DATAIN_WIDTH) + 1,
        .height = REGISTER_FIELD(size, CDMA_D_DATAIN_SIZE_0__DATAIN_HEIGHT) + 1,
        .slice_entries = (size_t)register_group_value(regs, CDMA_D_ENTRY_PER_SLICE) + 1,
        .batches = 1,
        .grain = 1,
        .base = {dma_address(config, regs, CDMA_D_DAIN_ADDR_LOW_0, CDMA_D_DAIN_ADDR_HIGH_0)},
        .line_stride = {register_group_value(regs, CDMA_D_LINE_STRIDE)},
        .pad_left = REGISTER_FIELD(padding, CDMA_D_ZERO_PADDING__PAD_LEFT),
        .pad_right = REGISTER_FIELD(padding, CDMA_D_ZERO_PADDING__PAD_RIGHT),
        .pad_top = REGISTER_FIELD(padding, CDMA_D_ZERO_PADDING__PAD_TOP),
        .pad = (uint16_t)register_group_value(regs, CDMA_D_ZERO_PADDING_VALUE),
    };
    if (nvdla_has_16_bits(config)) {
        layer->in = (enum nvdla_precision)REGISTER_FIELD(misc, CDMA_D_MISC_CFG__IN_PRECISION);
        layer->proc = (enum nvdla_precision)REGISTER_FIELD(misc, CDMA_D_MISC_CFG__PROC_PRECISION);
    }
    switch (layer->mode) {
    case CDMA_FEATURE:
        decode_feature(layer, config, regs);
        break;
    case CDMA_IMAGE:
        decode_image(layer, config, regs);
        break;
    case CDMA_WINOGRAD:
        decode_winograd(layer, config, regs);
        break;
    }
    decode_weights(layer, config, regs);
}

size_t cdma_layer_lines(const struct cdma_layer *layer) {
    return layer->mode == CDMA_WINOGRAD ? layer->extended_height : layer->height;
}

uint64_t cdma_layer_atoms(const struct cdma_layer *layer) {
    uint64_t pixels = (uint64_t)layer->width * layer->height;
    switch (layer->mode) {
    case CDMA_FEATURE:
        return pixels * layer->surfaces * layer->batches;
    case CDMA_WINOGRAD:
        pixels = (uint64_t)layer->extended_width * layer->stride_x * layer->extended_height * layer->stride_y;
        return pixels * layer->surfaces;
    case CDMA_IMAGE:
        break;
    }
    return pixels;
}
