/* From the registers of CDMA to the sizes and modes of a layer. See cdma_layer.h. */
#include "model/cdma_layer.h"

#include "layers/conv_order.h"
#include "nvdla/buffer_sizes.h"

static size_t element_bytes(const struct cdma_layer *layer) {
    return (size_t)nvdla_element_bytes(layer->cubes.proc);
}

static void set_surfaces(struct cdma_layer *layer, const struct nvdla_config *config) {
    layer->surfaces = (layer->cubes.channels - 1) * element_bytes(layer) / (size_t)config->mem_atom + 1;
}

static void decode_feature(struct cdma_layer *layer, const struct registers_view *view) {
    set_surfaces(layer, view->config);
    if (FIELD(view, CDMA, D_DAIN_MAP, LINE_PACKED)) {
        layer->packed_lines = true;
        layer->grain = (size_t)VALUE(view, CDMA, D_FETCH_GRAIN) + 1;
    }
    if (layer->cubes.packed_1x1)
        layer->cubes.surface_stride = (uint64_t)view->config->mem_atom;
}

static void decode_winograd(struct cdma_layer *layer, const struct nvdla_config *config) {
    set_surfaces(layer, config);
    layer->extended_width = layer->cubes.extended_width - layer->cubes.extended_width % CBUF_SUPERSLICE;
    layer->extended_height = layer->cubes.extended_height - layer->cubes.extended_height % CBUF_SUPERSLICE;
    layer->grain = CBUF_SUPERSLICE;
}

void cdma_layer_decode(struct cdma_layer *layer, const struct registers_view *view) {
    *layer = (struct cdma_layer){
        .cubes = cdma_cubes(view),
        .data_reuse = FIELD(view, CDMA, D_MISC_CFG, DATA_REUSE),
        .weight_reuse = FIELD(view, CDMA, D_MISC_CFG, WEIGHT_REUSE),
        .skip_data = FIELD(view, CDMA, D_MISC_CFG, SKIP_DATA_RLS),
        .skip_weights = FIELD(view, CDMA, D_MISC_CFG, SKIP_WEIGHT_RLS),
        .data_banks = FIELD(view, CDMA, D_BANK, DATA_BANK) + 1,
        .weight_banks = FIELD(view, CDMA, D_BANK, WEIGHT_BANK) + 1,
        .slice_entries = (size_t)VALUE(view, CDMA, D_ENTRY_PER_SLICE) + 1,
        .grain = 1,
        .pad = (uint16_t)VALUE(view, CDMA, D_ZERO_PADDING_VALUE),
    };
    switch (layer->cubes.mode) {
    case CDMA_FEATURE:
        decode_feature(layer, view);
        break;
    case CDMA_IMAGE:
        layer->chunk = cdma_fill_elements(view->config, layer->cubes.proc) * element_bytes(layer);
        layer->line_atoms = conv_image_atoms(view);
        break;
    case CDMA_WINOGRAD:
        decode_winograd(layer, view->config);
        break;
    }
}

size_t cdma_layer_lines(const struct cdma_layer *layer) {
    return layer->cubes.mode == CDMA_WINOGRAD ? layer->extended_height : layer->cubes.height;
}

uint64_t cdma_layer_atoms(const struct cdma_layer *layer) {
    const struct cdma_cubes *cubes = &layer->cubes;
    uint64_t pixels = (uint64_t)cubes->width * cubes->height, lines;
    switch (cubes->mode) {
    case CDMA_FEATURE:
        return pixels * layer->surfaces * cubes->batches;
    case CDMA_WINOGRAD:
        lines = layer->extended_height > CBUF_SUPERSLICE ? layer->extended_height : CBUF_SUPERSLICE;
        return (uint64_t)layer->extended_width * cubes->stride_x * lines * cubes->stride_y * layer->surfaces;
    case CDMA_IMAGE:
        break;
    }
    return pixels;
}
