#include "model/csc.h"

#include <stdlib.h>
#include <string.h>

#include "model/cacc.h"
#include "model/cmac.h"
#include "nvdla_offsets.h"

/* ---- registers ---- */

/* All ones in a field of D_BANK, plus 1. */
#define BANKS_AFTER_RESET ((size_t)REGISTER_FIELD(UINT32_MAX, CSC_D_BANK__DATA_BANK) + 1)

/* No input that fits CBUF has more elements; registers that say so describe something else than what CDMA fetched. */
#define MOST_ELEMENTS ((size_t)1 << 26)

void csc_layer_decode(struct csc_layer *layer, const struct register_group *regs) {
    uint32_t misc = register_group_value(regs, CSC_D_MISC_CFG);
    uint32_t size = register_group_value(regs, CSC_D_DATAIN_SIZE_EXT_0);
    uint32_t kernel = register_group_value(regs, CSC_D_WEIGHT_SIZE_EXT_0);
    uint32_t weights = register_group_value(regs, CSC_D_WEIGHT_SIZE_EXT_1);
    uint32_t out = register_group_value(regs, CSC_D_DATAOUT_SIZE_0);
    uint32_t stride = register_group_value(regs, CSC_D_CONV_STRIDE_EXT);
    uint32_t dilation = register_group_value(regs, CSC_D_DILATION_EXT);
    uint32_t padding = register_group_value(regs, CSC_D_ZERO_PADDING);
    uint32_t bank = register_group_value(regs, CSC_D_BANK);
    *layer = (struct csc_layer){
        .image = register_group_value(regs, CSC_D_DATAIN_FORMAT) & CSC_D_DATAIN_FORMAT__DATAIN_FORMAT_MASK,
        .data_reuse = REGISTER_FIELD(misc, CSC_D_MISC_CFG__DATA_REUSE),
        .weight_reuse = REGISTER_FIELD(misc, CSC_D_MISC_CFG__WEIGHT_REUSE),
        .skip_data = REGISTER_FIELD(misc, CSC_D_MISC_CFG__SKIP_DATA_RLS),
        .skip_weights = REGISTER_FIELD(misc, CSC_D_MISC_CFG__SKIP_WEIGHT_RLS),
        .data_banks = REGISTER_FIELD(bank, CSC_D_BANK__DATA_BANK) + 1,
        .weight_banks = REGISTER_FIELD(bank, CSC_D_BANK__WEIGHT_BANK) + 1,
        .width = REGISTER_FIELD(size, CSC_D_DATAIN_SIZE_EXT_0__DATAIN_WIDTH_EXT) + 1,
        .height = REGISTER_FIELD(size, CSC_D_DATAIN_SIZE_EXT_0__DATAIN_HEIGHT_EXT) + 1,
        .channels = REGISTER_FIELD(weights, CSC_D_WEIGHT_SIZE_EXT_1__WEIGHT_CHANNEL_EXT) + 1,
        .kernel_width = REGISTER_FIELD(kernel, CSC_D_WEIGHT_SIZE_EXT_0__WEIGHT_WIDTH_EXT) + 1,
        .kernel_height = REGISTER_FIELD(kernel, CSC_D_WEIGHT_SIZE_EXT_0__WEIGHT_HEIGHT_EXT) + 1,
        .kernels = REGISTER_FIELD(weights, CSC_D_WEIGHT_SIZE_EXT_1__WEIGHT_KERNEL) + 1,
        .extension = 1,
        .slice_entries = (size_t)register_group_value(regs, CSC_D_ENTRY_PER_SLICE) + 1,
        .weight_bytes = register_group_value(regs, CSC_D_WEIGHT_BYTES),
        .out_width = REGISTER_FIELD(out, CSC_D_DATAOUT_SIZE_0__DATAOUT_WIDTH) + 1,
        .positions = (size_t)register_group_value(regs, CSC_D_ATOMICS) + 1,
        .release = (size_t)register_group_value(regs, CSC_D_RELEASE) + 1,
        .stride_x = REGISTER_FIELD(stride, CSC_D_CONV_STRIDE_EXT__CONV_X_STRIDE_EXT) + 1,
        .stride_y = REGISTER_FIELD(stride, CSC_D_CONV_STRIDE_EXT__CONV_Y_STRIDE_EXT) + 1,
        .dilation_x = REGISTER_FIELD(dilation, CSC_D_DILATION_EXT__X_DILATION_EXT) + 1,
        .dilation_y = REGISTER_FIELD(dilation, CSC_D_DILATION_EXT__Y_DILATION_EXT) + 1,
        .pad_left = REGISTER_FIELD(padding, CSC_D_ZERO_PADDING__PAD_LEFT),
        .pad_top = REGISTER_FIELD(padding, CSC_D_ZERO_PADDING__PAD_TOP),
        .pad = (int8_t)register_group_value(regs, CSC_D_ZERO_PADDING_VALUE),
    };
    if (layer->image) {
        uint32_t channel = register_group_value(regs, CSC_D_DATAIN_SIZE_EXT_1) & 3;
        uint32_t extension = register_group_value(regs, CSC_D_POST_Y_EXTENSION) & 3;
        layer->pixel = channel < 2 ? 1 : channel + 1;
        layer->kernel_width = 1;
        layer->extension = (size_t)1 << (extension > 2 ? 2 : extension);
        layer->positions = layer->out_width * (REGISTER_FIELD(out, CSC_D_DATAOUT_SIZE_0__DATAOUT_HEIGHT) + 1);
        layer->dilation_x = 1;
        layer->dilation_y = 1;
        layer->pad_left = 0; /* CDMA has inserted it */
    }
}

size_t csc_layer_groups(const struct csc_layer *layer, size_t kernel_group) {
    return (layer->kernels + kernel_group - 1) / kernel_group;
}

static size_t kernel_bytes(const struct csc_layer *layer) {
    return layer->kernel_height * layer->kernel_width * layer->channels;
}

uint64_t csc_layer_work(const struct csc_layer *layer) {
    return (uint64_t)layer->positions * layer->kernels * kernel_bytes(layer);
}

/* Elements of an input line as the core sees it. */
static size_t line_elements(const struct csc_layer *layer, const struct cbuf *cbuf) {
    return layer->image ? layer->slice_entries * cbuf->entry : layer->width * layer->channels;
}

static struct crep_shape shape_of(const struct csc_layer *layer, const struct cbuf *cbuf) {
    size_t pixel = layer->image ? layer->pixel : layer->channels;
    bool apart = layer->dilation_x > 1; /* the columns of a kernel row */
    return (struct crep_shape){
        .line = line_elements(layer, cbuf),
        .lines = layer->height,
        .column_step = layer->stride_x * pixel,
        .left = layer->pad_left * pixel,
        .runs = apart ? layer->kernel_width : 1,
        .run = apart ? layer->channels : layer->kernel_width * layer->channels,
        .run_spacing = layer->dilation_x * pixel,
        .rows = layer->kernel_height,
        .row_spacing = layer->dilation_y,
        .row_step = layer->stride_y,
        .top = layer->pad_top,
        .out_width = layer->out_width,
        .out_height = (layer->positions + layer->out_width - 1) / layer->out_width,
    };
}

/* ---- start and release ---- */

void csc_init(struct csc *csc, const struct nvdla_config *config) {
    *csc = (struct csc){.kernel_group = (size_t)config->atomic_k};
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

static void release_slices(struct cbuf *cbuf, size_t data_banks, size_t slices, size_t slice_entries) {
    struct cbuf_data *data = &cbuf->data;
    size_t entries = slices * slice_entries;
    data->slices = less(data->slices, slices);
    data->held = less(data->held, entries);
    data->read = (data->read + entries) % cbuf_data_ring(cbuf, data_banks).entries;
}

/* Takes entries off the weight accounts; the read pointer is the caller's. */
static void release_weights(struct cbuf_weights *weights, const struct cbuf *cbuf, size_t entries, size_t kernels) {
    weights->held = less(weights->held, entries * cbuf->slots);
    weights->kernels = less(weights->kernels, kernels);
}

bool csc_can_start(const struct csc *csc, const struct cdma *cdma, const struct register_group *regs) {
    if (csc->started || !register_group_running(regs)) {
        return false;
    }
    struct csc_layer layer;
    csc_layer_decode(&layer, regs);
    bool data = layer.data_banks != csc->last_data_banks;
    bool any = data || layer.weight_banks != csc->last_weight_banks;
    return !any || (cdma->weights.phase == CDMA_PEND && (!data || cdma->data == CDMA_PEND));
}

void csc_start(struct csc *csc, struct cdma *cdma, struct cbuf *cbuf, const struct register_group *regs) {
    struct csc_layer *layer = &csc->layer;
    csc_layer_decode(layer, regs);
    csc->started = true;
    if (csc->left > 0 && (!layer->data_reuse || layer->image != csc->last_image)) {
        release_slices(cbuf, csc->last_data_banks, csc->left, csc->last_entries);
    }
    if (csc->last_skip_weights && !layer->weight_reuse) {
        size_t entries = csc->last_weight_bytes / cbuf->entry;
        size_t ring = cbuf_weight_ring(cbuf, csc->last_data_banks, csc->last_weight_banks).entries;
        release_weights(&cbuf->weights, cbuf, entries, csc->last_kernels);
        cbuf->weights.read = (cbuf->weights.read + entries) % ring;
    }
    csc->left = 0;
    csc->last_skip_weights = false;
    bool data = layer->data_banks != csc->last_data_banks;
    if (data || layer->weight_banks != csc->last_weight_banks) {
        if (data) {
            cbuf->data = (struct cbuf_data){.held = 0};
        }
        cbuf->weights = (struct cbuf_weights){.held = 0};
        cdma_leave_pend(cdma, data);
    }
}

/* Kernels of group g. */
static size_t group_kernels(const struct csc_layer *layer, size_t kernel_group, size_t g) {
    size_t rest = layer->kernels - g * kernel_group;
    return rest < kernel_group ? rest : kernel_group;
}

static size_t entries_of(const struct cbuf *cbuf, size_t bytes) {
    return (bytes + cbuf->entry - 1) / cbuf->entry;
}

/* Plays the accounts of the layer's weights: does every group become available? */
static bool weights_flow(const struct csc *csc, const struct cdma *cdma, const struct cbuf *cbuf, bool weights_served) {
    const struct csc_layer *layer = &csc->layer;
    struct cbuf_weights account = cbuf->weights;
    struct cdma_weights progress = cdma->weights;
    size_t used = 0, released = 0, passed = 0;
    for (size_t g = 0; g < csc_layer_groups(layer, csc->kernel_group) && account.kernels < layer->kernels - passed;
         g++) {
        size_t kernels = group_kernels(layer, csc->kernel_group, g);
        size_t needed = layer->skip_weights ? g * csc->kernel_group + kernels : kernels;
        if (weights_served) {
            cdma_account_weights(cdma, cbuf, &progress, &account);
        }
        if (account.kernels < needed) {
            return false;
        }
        if (!layer->skip_weights) {
            used += kernels * kernel_bytes(layer);
            release_weights(&account, cbuf, entries_of(cbuf, used) - released, kernels);
            released = entries_of(cbuf, used);
            passed += kernels;
        }
    }
    return true;
}

bool csc_can_run(const struct csc *csc, const struct cdma *cdma, const struct cbuf *cbuf, bool weights_served) {
    const struct csc_layer *layer = &csc->layer;
    if (!csc->started || cbuf->data.slices < layer->height) {
        return false;
    }
    size_t group = (layer->kernels < csc->kernel_group ? layer->kernels : csc->kernel_group) * kernel_bytes(layer);
    size_t ring = cbuf_weight_ring(cbuf, layer->data_banks, layer->weight_banks).entries * cbuf->entry;
    return line_elements(layer, cbuf) * layer->height <= MOST_ELEMENTS && group <= ring &&
           weights_flow(csc, cdma, cbuf, weights_served);
}

/* ---- execution ---- */

enum { PANEL = 8 }; /* positions whose windows are computed together, a multiple of CMAC_POSITIONS */

struct csc_run {
    struct csc *csc;
    struct cdma *cdma;
    struct cbuf *cbuf;
    struct dma *client; /* NULL: the rest of the weights is in CBUF */
    unsigned truncate;
    const struct crep *table;
    size_t group, x, y, position; /* the next ones */
    size_t lanes;                 /* results of a position: AtomicK */
    size_t kernels;               /* of the current group */
    size_t entry;                 /* of the weight ring, behind those read so far */
    size_t entries;               /* read for the current group and not yet released */
    size_t used;                  /* weight bytes of the layer used so far */
    uint64_t saturated;
    int16_t *input;   /* the input cube, lines of pixels of channels */
    int16_t *weights; /* [kernels of a group][table->padded] in the order of windows */
    int16_t *windows; /* [PANEL][table->padded] */
    int32_t *partial; /* [PANEL][kernels of a group] */
    int64_t *sums;    /* [PANEL][lanes] */
    uint8_t *bytes;   /* weights of a group as they stand in CBUF, from an entry boundary on; between groups the entry
                       * in which the last group ended */
};

/* dst[i] = src[i], INT8 to 16 bits. */
static void widen(int16_t *dst, const uint8_t *src, size_t n) {
    for (size_t i = 0; i < n; i++) {
        dst[i] = (int8_t)src[i];
    }
}

/* Takes the input out of CBUF: of each slice the pixels' real channels side by side, or the bytes of the image line. */
static bool read_input(struct csc_run *run) {
    const struct csc_layer *layer = &run->csc->layer;
    const struct cbuf *cbuf = run->cbuf;
    struct cbuf_ring ring = cbuf_data_ring(cbuf, layer->data_banks);
    size_t surfaces = (layer->channels + cbuf->atom - 1) / cbuf->atom;
    size_t elements = line_elements(layer, cbuf);
    size_t size = layer->image ? elements : cbuf_slice_size(cbuf, layer->width, surfaces);
    run->input = malloc(elements * layer->height * sizeof *run->input);
    uint8_t *slice = malloc(size);
    if (!run->input || !slice) {
        free(slice);
        return false;
    }
    for (size_t y = 0; y < layer->height; y++) {
        int16_t *line = run->input + y * elements;
        cbuf_read(cbuf, ring, (cbuf->data.read + y * layer->slice_entries) * cbuf->entry, slice, size);
        if (layer->image) {
            widen(line, slice, elements);
            continue;
        }
        for (size_t surface = 0; surface < surfaces; surface++) {
            size_t first = surface * cbuf->atom, rest = layer->channels - first;
            size_t channels = rest < cbuf->atom ? rest : cbuf->atom;
            for (size_t x = 0; x < layer->width; x++) {
                widen(line + x * layer->channels + first,
                      slice + cbuf_atom_offset(cbuf, layer->width, surfaces, surface, x), channels);
            }
        }
    }
    free(slice);
    return true;
}

/* n rounded up to a multiple of unit. */
static size_t round_up(size_t n, size_t unit) {
    return (n + unit - 1) / unit * unit;
}

struct csc_run *csc_run_new(struct csc *csc, struct cdma *cdma, struct cbuf *cbuf, struct dma *client,
                            unsigned truncate) {
    struct csc_run *run = calloc(1, sizeof *run);
    if (!run) {
        return NULL;
    }
    const struct csc_layer *layer = &csc->layer;
    struct crep_shape shape = shape_of(layer, cbuf);
    run->csc = csc;
    run->cdma = cdma;
    run->cbuf = cbuf;
    run->client = client;
    run->truncate = truncate;
    run->lanes = csc->kernel_group;
    run->entry = cbuf->weights.read;
    run->table = crep_find(&csc->tables, &shape);
    size_t kernels = group_kernels(layer, csc->kernel_group, 0), rows = round_up(kernels, CMAC_KERNELS);
    if (run->table) {
        run->weights = calloc(rows * run->table->padded, sizeof *run->weights);
        run->windows = calloc(PANEL * run->table->padded, sizeof *run->windows);
        run->partial = malloc(PANEL * rows * sizeof *run->partial);
        run->sums = malloc(PANEL * run->lanes * sizeof *run->sums);
        run->bytes = malloc(kernels * kernel_bytes(layer) + 2 * cbuf->entry);
    }
    if (!run->weights || !run->windows || !run->partial || !run->sums || !run->bytes || !read_input(run)) {
        csc_run_free(run);
        return NULL;
    }
    return run;
}

void csc_run_free(struct csc_run *run) {
    if (run) {
        free(run->input);
        free(run->weights);
        free(run->windows);
        free(run->partial);
        free(run->sums);
        free(run->bytes);
        free(run);
    }
}

/* Puts the weights of a group, which stand in hardware order (chapter 40 section 4.4), into rows in window order. */
static void arrange_weights(struct csc_run *run, const uint8_t *from) {
    const struct csc_layer *layer = &run->csc->layer;
    size_t block = run->cbuf->entry, channels = layer->channels, columns = layer->kernel_width;
    for (size_t c = 0; c < channels; c += block) {
        size_t n = channels - c < block ? channels - c : block;
        for (size_t row = 0; row < layer->kernel_height; row += layer->extension) {
            size_t rest = layer->kernel_height - row;
            size_t rows = layer->extension < rest ? layer->extension : rest;
            for (size_t column = 0; column < columns; column++) {
                int16_t *to = run->weights + (row * columns + column) * channels + c;
                for (size_t k = 0; k < run->kernels; k++, to += run->table->padded) {
                    for (size_t r = 0; r < rows; r++) {
                        widen(to + r * columns * channels, from, n);
                        from += n;
                    }
                }
            }
        }
    }
}

static void release_group(struct csc_run *run) {
    if (!run->csc->layer.skip_weights) {
        release_weights(&run->cbuf->weights, run->cbuf, run->entries, run->kernels);
        run->cbuf->weights.read = run->entry;
    }
    run->entries = 0;
    run->kernels = 0;
}

/* Releases the weights of the last group and loads those of the next. */
static void next_group(struct csc_run *run) {
    const struct csc_layer *layer = &run->csc->layer;
    const struct cbuf *cbuf = run->cbuf;
    struct cbuf_ring ring = cbuf_weight_ring(cbuf, layer->data_banks, layer->weight_banks);
    release_group(run);
    if (run->client) {
        cdma_fetch_weights(run->cdma, run->cbuf, run->client);
    }
    run->kernels = group_kernels(layer, run->lanes, run->group);
    size_t needed = run->kernels * kernel_bytes(layer);
    size_t offset = run->used % cbuf->entry;
    size_t kept = offset > 0 ? cbuf->entry : 0;
    size_t size = round_up(offset + needed, cbuf->entry);
    cbuf_read(cbuf, ring, run->entry * cbuf->entry, run->bytes + kept, size - kept);
    arrange_weights(run, run->bytes + offset);
    memmove(run->bytes, run->bytes + size - cbuf->entry, cbuf->entry);
    run->entries = (size - kept) / cbuf->entry;
    run->entry = (run->entry + run->entries) % ring.entries;
    run->used += needed;
}

/* Sums of `count` positions from the next one on, at most PANEL, to run->sums. */
static void compute(struct csc_run *run, size_t count) {
    const struct crep *table = run->table;
    size_t rows = round_up(run->kernels, CMAC_KERNELS);
    for (size_t p = 0; p < count; p++) {
        crep_window(table, run->input, run->csc->layer.pad, run->x, run->y, run->windows + p * table->padded);
        if (++run->x == table->shape.out_width) {
            run->x = 0;
            run->y++;
        }
    }
    memset(run->sums, 0, count * run->lanes * sizeof *run->sums);
    for (size_t at = 0; at < table->padded; at += CMAC_LONGEST) {
        size_t n = table->padded - at < CMAC_LONGEST ? table->padded - at : CMAC_LONGEST;
        cmac_multiply(run->windows + at, round_up(count, CMAC_POSITIONS), run->weights + at, rows, table->padded, n,
                      run->partial);
        for (size_t p = 0; p < count; p++) {
            for (size_t k = 0; k < run->kernels; k++) {
                int64_t *sum = &run->sums[p * run->lanes + k];
                *sum = cacc_add(*sum, run->partial[p * rows + k]);
            }
        }
    }
}

void csc_run_next(struct csc_run *run, int32_t *results, size_t atoms) {
    size_t positions = run->csc->layer.positions;
    while (atoms > 0) {
        if (run->position == 0) {
            next_group(run);
        }
        size_t count = positions - run->position;
        count = count < atoms ? count : atoms;
        count = count < PANEL ? count : PANEL;
        compute(run, count);
        run->saturated += cacc_deliver_all(run->sums, results, count * run->lanes, run->truncate);
        results += count * run->lanes;
        atoms -= count;
        run->position += count;
        if (run->position == positions) {
            run->position = 0;
            run->x = 0;
            run->y = 0;
            run->group++;
        }
    }
}

uint64_t csc_run_saturated(const struct csc_run *run) {
    return run->saturated;
}

void csc_run_end(struct csc_run *run) {
    struct csc *csc = run->csc;
    const struct csc_layer *layer = &csc->layer;
    release_group(run);
    csc->left = layer->height;
    if (!layer->skip_data) {
        release_slices(run->cbuf, layer->data_banks, layer->release, layer->slice_entries);
        csc->left = less(layer->height, layer->release);
    }
    csc->last_entries = layer->slice_entries;
    csc->last_image = layer->image;
    csc->last_data_banks = layer->data_banks;
    csc->last_weight_banks = layer->weight_banks;
    csc->last_skip_weights = layer->skip_weights;
    csc->last_weight_bytes = layer->weight_bytes;
    csc->last_kernels = layer->kernels;
    csc->started = false;
}
