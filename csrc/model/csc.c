/* Layers of the convolution core from the registers of CSC, CMAC and CACC, and their accounts of CBUF. See csc.h. */
#include "model/csc.h"

#include "layers/image_errata.h"
#include "model/pra.h"
#include "nvdla/sizes.h"
#include "nvdla_offsets.h"

/* ---- registers ---- */

/* All ones in a field of D_BANK, plus 1. */
#define BANKS_AFTER_RESET ((size_t)REGISTER_FIELD(UINT32_MAX, CSC_D_BANK__DATA_BANK) + 1)

enum {
    QUAD = 4, /* channels of a Winograd block */
    KERNEL_TILE = PRA_TILE * PRA_TILE
};

static void decode_image(struct csc_layer *layer, const struct registers_view *view) {
    uint32_t out = VALUE(view, CSC, D_DATAOUT_SIZE_0);
    uint32_t channel = VALUE(view, CSC, D_DATAIN_SIZE_EXT_1) & 3;
    uint32_t extension = VALUE(view, CSC, D_POST_Y_EXTENSION) & 3;
    layer->mode = CSC_IMAGE;
    layer->pixel = channel < 2 ? 1 : channel + 1;
    layer->kernel_width = 1;
    layer->extension = (size_t)1 << (extension > 2 ? 2 : extension);
    layer->positions = layer->out_width * (REGISTER_FIELD(out, CSC_D_DATAOUT_SIZE_0__DATAOUT_HEIGHT) + 1);
    layer->dilation_x = 1;
    layer->dilation_y = 1;
    layer->pad_left = 0; /* CDMA has inserted it */
}

/* Tiles of 2 x 2 outputs, each from 4 x 4 inputs. Sizes that are not multiples of 4, or tiles that leave the input, are
 * undefined: 40-convolution-core section 12. */
static void decode_winograd(struct csc_layer *layer, size_t element) {
    size_t out_height = layer->positions / layer->out_width;
    layer->mode = CSC_WINOGRAD;
    layer->positions -= layer->positions % 4;
    layer->kernel_width = PRA_TILE;
    layer->kernel_height = PRA_TILE;
    layer->stride_x = layer->stride_y = 1;
    layer->dilation_x = layer->dilation_y = 1;
    layer->pad_left = layer->pad_top = 0;
    layer->valid = layer->valid && layer->positions > 0 && layer->out_width % 4 == 0 &&
                   layer->positions == layer->out_width * out_height && out_height % 4 == 0 && layer->width % 4 == 0 &&
                   layer->height % 4 == 0 && layer->out_width + 2 <= layer->width && out_height + 2 <= layer->height &&
                   layer->channels * element % CBUF_PIECE == 0;
}

void csc_layer_decode(struct csc_layer *layer, const struct registers_view *view) {
    const struct nvdla_config *config = view->config;
    uint32_t misc = VALUE(view, CSC, D_MISC_CFG);
    uint32_t size = VALUE(view, CSC, D_DATAIN_SIZE_EXT_0);
    uint32_t kernel = VALUE(view, CSC, D_WEIGHT_SIZE_EXT_0);
    uint32_t weights = VALUE(view, CSC, D_WEIGHT_SIZE_EXT_1);
    uint32_t out = VALUE(view, CSC, D_DATAOUT_SIZE_0);
    uint32_t stride = VALUE(view, CSC, D_CONV_STRIDE_EXT);
    uint32_t dilation = VALUE(view, CSC, D_DILATION_EXT);
    uint32_t padding = VALUE(view, CSC, D_ZERO_PADDING);
    uint32_t bank = VALUE(view, CSC, D_BANK);
    uint32_t pad = VALUE(view, CSC, D_ZERO_PADDING_VALUE);
    const enum nvdla_precision precision =
        nvdla_precision_of(config, REGISTER_FIELD(misc, CSC_D_MISC_CFG__PROC_PRECISION));
    bool winograd = nvdla_has(config, FEATURE_WINOGRAD) && REGISTER_FIELD(misc, CSC_D_MISC_CFG__CONV_MODE);
    bool image = !winograd && (VALUE(view, CSC, D_DATAIN_FORMAT) & CSC_D_DATAIN_FORMAT__DATAIN_FORMAT_MASK);
    size_t element = (size_t)nvdla_element_bytes(precision);
    *layer = (struct csc_layer){
        .precision = precision > NVDLA_FP16 ? NVDLA_INT8 : precision,
        .valid = precision <= NVDLA_FP16,
        .compressed = nvdla_has(config, FEATURE_COMPRESSION) && VALUE(view, CSC, D_WEIGHT_FORMAT),
        .data_reuse = REGISTER_FIELD(misc, CSC_D_MISC_CFG__DATA_REUSE),
        .weight_reuse = REGISTER_FIELD(misc, CSC_D_MISC_CFG__WEIGHT_REUSE),
        .skip_data = REGISTER_FIELD(misc, CSC_D_MISC_CFG__SKIP_DATA_RLS),
        .skip_weights = REGISTER_FIELD(misc, CSC_D_MISC_CFG__SKIP_WEIGHT_RLS),
        .data_banks = REGISTER_FIELD(bank, CSC_D_BANK__DATA_BANK) + 1,
        .weight_banks = REGISTER_FIELD(bank, CSC_D_BANK__WEIGHT_BANK) + 1,
        .width = REGISTER_FIELD(size, CSC_D_DATAIN_SIZE_EXT_0__DATAIN_WIDTH_EXT) + 1,
        .height = REGISTER_FIELD(size, CSC_D_DATAIN_SIZE_EXT_0__DATAIN_HEIGHT_EXT) + 1,
        .channels = REGISTER_FIELD(weights, CSC_D_WEIGHT_SIZE_EXT_1__WEIGHT_CHANNEL_EXT) + 1,
        .pixel = 1,
        .batches = 1,
        .kernel_width = REGISTER_FIELD(kernel, CSC_D_WEIGHT_SIZE_EXT_0__WEIGHT_WIDTH_EXT) + 1,
        .kernel_height = REGISTER_FIELD(kernel, CSC_D_WEIGHT_SIZE_EXT_0__WEIGHT_HEIGHT_EXT) + 1,
        .kernels = REGISTER_FIELD(weights, CSC_D_WEIGHT_SIZE_EXT_1__WEIGHT_KERNEL) + 1,
        .kernel_group = (size_t)config->atomic_k / element,
        .extension = 1,
        .slice_entries = (size_t)VALUE(view, CSC, D_ENTRY_PER_SLICE) + 1,
        .weight_bytes = VALUE(view, CSC, D_WEIGHT_BYTES),
        .mask_bytes = VALUE(view, CSC, D_WMB_BYTES),
        .out_width = REGISTER_FIELD(out, CSC_D_DATAOUT_SIZE_0__DATAOUT_WIDTH) + 1,
        .positions = (size_t)VALUE(view, CSC, D_ATOMICS) + 1,
        .release = (size_t)VALUE(view, CSC, D_RELEASE) + 1,
        .stride_x = REGISTER_FIELD(stride, CSC_D_CONV_STRIDE_EXT__CONV_X_STRIDE_EXT) + 1,
        .stride_y = REGISTER_FIELD(stride, CSC_D_CONV_STRIDE_EXT__CONV_Y_STRIDE_EXT) + 1,
        .dilation_x = REGISTER_FIELD(dilation, CSC_D_DILATION_EXT__X_DILATION_EXT) + 1,
        .dilation_y = REGISTER_FIELD(dilation, CSC_D_DILATION_EXT__Y_DILATION_EXT) + 1,
        .pad_left = REGISTER_FIELD(padding, CSC_D_ZERO_PADDING__PAD_LEFT),
        .pad_top = REGISTER_FIELD(padding, CSC_D_ZERO_PADDING__PAD_TOP),
        .pad = precision == NVDLA_INT8 ? (int8_t)pad : (int16_t)pad,
        .pra_truncate = VALUE(view, CSC, D_PRA_CFG) & CSC_D_PRA_CFG__PRA_TRUNCATE_MASK,
    };
    if (winograd)
        decode_winograd(layer, element);
    else if (image)
        decode_image(layer, view);
    else if (nvdla_has(config, FEATURE_BATCHES))
        layer->batches = (VALUE(view, CSC, D_BATCH_NUMBER) & CSC_D_BATCH_NUMBER__BATCHES_MASK) + (size_t)1;
}

size_t csc_layer_groups(const struct csc_layer *layer) {
    return ceil_div(layer->kernels, layer->kernel_group);
}

size_t csc_layer_group_kernels(const struct csc_layer *layer, size_t g) {
    size_t rest = layer->kernels - g * layer->kernel_group;
    return rest < layer->kernel_group ? rest : layer->kernel_group;
}

size_t csc_layer_kernel_elements(const struct csc_layer *layer) {
    return layer->kernel_height * layer->kernel_width * layer->channels;
}

uint64_t csc_layer_work(const struct csc_layer *layer) {
    uint64_t windows = (uint64_t)layer->positions * layer->batches / (layer->mode == CSC_WINOGRAD ? 4 : 1);
    return windows * layer->kernels * csc_layer_kernel_elements(layer);
}

struct crep_shape csc_layer_shape(const struct csc_layer *layer, const struct nvdla_config *config,
                                  const struct cbuf *cbuf) {
    size_t channels = layer->channels, block = (size_t)config->atomic_c;
    size_t out_height = ceil_div(layer->positions, layer->out_width);
    if (layer->mode == CSC_WINOGRAD) {
        size_t tile = KERNEL_TILE * channels; /* elements */
        return (struct crep_shape){
            .line = layer->out_width / 2 * tile,
            .lines = out_height / 2,
            .column_step = tile,
            .row_step = 1,
            .columns = KERNEL_TILE,
            .column = channels,
            .column_spacing = channels,
            .rows = 1,
            .row_spacing = 1,
            .block = QUAD,
            .rows_together = 1,
            .tile = 1,
            .out_width = layer->out_width / 2,
            .out_height = out_height / 2,
        };
    }
    bool image = layer->mode == CSC_IMAGE;
    size_t pixel = image ? layer->pixel : channels, element = (size_t)nvdla_element_bytes(layer->precision);
    size_t slice = layer->slice_entries * cbuf->entry / element;
    return (struct crep_shape){
        .line = layer->erratum.row > 0 ? layer->out_width * channels
                : image                ? slice
                                       : layer->width * channels,
        .lines = layer->height,
        .left = layer->pad_left * pixel,
        .top = layer->pad_top,
        .column_step = layer->erratum.row > 0 ? channels : layer->stride_x * pixel,
        .row_step = layer->stride_y,
        .columns = layer->kernel_width,
        .column = channels,
        .column_spacing = layer->dilation_x * pixel,
        .rows = layer->kernel_height,
        .row_spacing = layer->dilation_y,
        .block = block,
        .rows_together = layer->extension,
        .out_width = layer->out_width,
        .out_height = out_height,
    };
}

size_t csc_layer_stored(const struct csc_layer *layer, const struct nvdla_config *config, const struct cbuf *cbuf) {
    struct crep_shape shape = csc_layer_shape(layer, config, cbuf);
    size_t elements;
    if (__builtin_mul_overflow(crep_stored(&shape), layer->batches, &elements))
        return SIZE_MAX;
    size_t pixels = layer->mode == CSC_WINOGRAD ? layer->width * layer->height * layer->channels : 0;
    return elements > pixels ? elements : pixels;
}

/* ---- start and release ---- */

void csc_init(struct csc *csc, const struct nvdla_config *config) {
    *csc = (struct csc){.config = config};
    csc_reset(csc);
}

void csc_reset(struct csc *csc) {
    csc->started = false;
    csc->last_data_banks = BANKS_AFTER_RESET;
    csc->last_weight_banks = BANKS_AFTER_RESET;
    csc->left = 0;
    csc->last_skip_weights = false;
}

void csc_free(struct csc *csc) {
    crep_cache_free(&csc->tables);
}

static size_t less(size_t held, size_t released) {
    return held > released ? held - released : 0;
}

/* entries: of a slice, all batches. */
static void release_slices(struct cbuf *cbuf, size_t data_banks, size_t slices, size_t entries) {
    struct cbuf_data *data = &cbuf->data;
    data->slices = less(data->slices, slices);
    data->held = less(data->held, slices * entries);
    data->read = (data->read + slices * entries) % cbuf_data_ring(cbuf, data_banks).entries;
}

void csc_release_weights(struct cbuf_weights *weights, const struct cbuf *cbuf, size_t entries, size_t mask_entries,
                         size_t kernels) {
    weights->held = less(weights->held, entries * cbuf->slots);
    weights->mask_held = less(weights->mask_held, mask_entries * cbuf->slots);
    weights->kernels = less(weights->kernels, kernels);
}

bool csc_can_start(const struct csc *csc, const struct cdma *cdma, const struct register_group *regs) {
    if (csc->started || !register_group_running(regs))
        return false;
    struct registers_view view = register_group_view(regs, csc->config);
    struct csc_layer layer;
    csc_layer_decode(&layer, &view);
    bool data = layer.data_banks != csc->last_data_banks;
    bool any = data || layer.weight_banks != csc->last_weight_banks;
    return !any || (cdma->weights.phase == CDMA_PEND && (!data || cdma->data == CDMA_PEND));
}

/* Releases weights kept by the last layer if this layer does not use them. */
static void release_skipped_weights(const struct csc *csc, struct cbuf *cbuf) {
    struct cbuf_weights *weights = &cbuf->weights;
    size_t entries = csc->last_weight_bytes / cbuf->entry, mask_entries = csc->last_mask_bytes / cbuf->entry;
    csc_release_weights(weights, cbuf, entries, mask_entries, csc->last_kernels);
    weights->read =
        (weights->read + entries) % cbuf_weight_ring(cbuf, csc->last_data_banks, csc->last_weight_banks).entries;
    weights->mask_read = (weights->mask_read + mask_entries) % cbuf_mask_ring(cbuf).entries;
}

void csc_start(struct csc *csc, struct cdma *cdma, struct cbuf *cbuf, const struct register_group *regs) {
    struct registers_view view = register_group_view(regs, csc->config);
    struct csc_layer *layer = &csc->layer;
    csc_layer_decode(layer, &view);
    const struct errata_line line = image_errata_line(&view);
    if (csc->errata && errata_takes_others(&line))
        layer->erratum = line;
    csc->started = true;
    if (csc->left > 0 && (!layer->data_reuse || layer->mode != csc->last_mode))
        release_slices(cbuf, csc->last_data_banks, csc->left, csc->last_entries);
    if (csc->last_skip_weights && !layer->weight_reuse)
        release_skipped_weights(csc, cbuf);
    csc->left = 0;
    csc->last_skip_weights = false;
    bool data = layer->data_banks != csc->last_data_banks;
    if (data || layer->weight_banks != csc->last_weight_banks) {
        if (data)
            cbuf->data = (struct cbuf_data){.held = 0};
        cbuf->weights = (struct cbuf_weights){.held = 0};
        cdma_leave_pend(cdma, data);
    }
}

/* Entries of the two rings, from the layer's first ones on. */
struct weight_entries {
    size_t weights, masks;
};

static size_t entries_of(const struct cbuf *cbuf, uint64_t bytes) {
    return ceil_div(bytes, cbuf->entry);
}

/* Entries that the kernels up to the end of group g touch. For compressed groups whose sizes have not arrived yet, what
 * CDMA is programmed to fetch. */
static struct weight_entries touched(const struct csc *csc, const struct cdma *cdma, const struct cbuf *cbuf,
                                     size_t g) {
    const struct csc_layer *layer = &csc->layer;
    size_t kernels = g * layer->kernel_group + csc_layer_group_kernels(layer, g);
    size_t elements = kernels * csc_layer_kernel_elements(layer);
    if (!layer->compressed)
        return (struct weight_entries){entries_of(cbuf, elements * (size_t)nvdla_element_bytes(layer->precision)), 0};
    return (struct weight_entries){g < CDMA_GROUPS ? entries_of(cbuf, cdma->group_ends[g]) : 0,
                                   entries_of(cbuf, (elements + 7) / 8)};
}

/* Simulates the accounts of the layer's weights: does every group become available? */
static bool weights_flow(const struct csc *csc, const struct cdma *cdma, const struct cbuf *cbuf, bool weights_served) {
    const struct csc_layer *layer = &csc->layer;
    struct cbuf_weights account = cbuf->weights;
    struct cdma_weights progress = cdma->weights;
    struct weight_entries released = {0, 0};
    size_t passed = 0;
    for (size_t g = 0; g < csc_layer_groups(layer) && account.kernels < layer->kernels - passed; g++) {
        size_t kernels = csc_layer_group_kernels(layer, g);
        size_t needed = layer->skip_weights ? g * layer->kernel_group + kernels : kernels;
        if (weights_served)
            cdma_account_weights(cdma, cbuf, &progress, &account);
        if (account.kernels < needed)
            return false;
        if (!layer->skip_weights) {
            struct weight_entries now = touched(csc, cdma, cbuf, g);
            csc_release_weights(&account, cbuf, less(now.weights, released.weights), now.masks - released.masks,
                                kernels);
            released = now;
            passed += kernels;
        }
    }
    return true;
}

bool csc_can_run(const struct csc *csc, const struct cdma *cdma, const struct cbuf *cbuf, bool weights_served) {
    const struct csc_layer *layer = &csc->layer;
    if (!csc->started || !layer->valid || cbuf->data.slices < layer->height)
        return false;
    struct cbuf_ring weights = cbuf_weight_ring(cbuf, layer->data_banks, layer->weight_banks);
    struct cbuf_ring ring = layer->compressed ? cbuf_mask_ring(cbuf) : weights;
    struct weight_entries group = touched(csc, cdma, cbuf, 0);
    return (layer->compressed ? group.masks : group.weights) <= ring.entries &&
           weights_flow(csc, cdma, cbuf, weights_served);
}

void csc_end(struct csc *csc, struct cbuf *cbuf) {
    const struct csc_layer *layer = &csc->layer;
    size_t entries = layer->slice_entries * layer->batches;
    csc->left = layer->height;
    if (!layer->skip_data) {
        release_slices(cbuf, layer->data_banks, layer->release, entries);
        csc->left = less(layer->height, layer->release);
    }
    csc->last_entries = entries;
    csc->last_mode = layer->mode;
    csc->last_data_banks = layer->data_banks;
    csc->last_weight_banks = layer->weight_banks;
    csc->last_skip_weights = layer->skip_weights;
    csc->last_weight_bytes = layer->weight_bytes;
    csc->last_mask_bytes = layer->compressed ? layer->mask_bytes : 0;
    csc->last_kernels = layer->kernels;
    csc->started = false;
}
