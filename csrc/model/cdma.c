/* A layer of CDMA in progress: when input and weights are fetched, counted and released. See cdma.h. */
#include "model/cdma.h"

#include "model/cdma_input.h"
#include "model/conv_streams.h"
#include "nvdla_offsets.h"

/* All ones in a field of D_BANK, plus 1. */
#define BANKS_AFTER_RESET ((size_t)REGISTER_FIELD(UINT32_MAX, CDMA_D_BANK__DATA_BANK) + 1)

/* ---- data engine ---- */

/* Lines to fetch next: a grain, a superslice or the rest. */
static size_t next_lines(const struct cdma *cdma) {
    size_t rest = cdma_layer_lines(&cdma->layer) - cdma->lines;
    return cdma->layer.grain < rest ? cdma->layer.grain : rest;
}

/* Entries of a line, all batches. */
static size_t line_entries(const struct cdma_layer *layer) {
    return layer->slice_entries * layer->cubes.batches;
}

static bool data_fits(const struct cdma *cdma, const struct cbuf *cbuf) {
    size_t ring = cbuf_data_ring(cbuf, cdma->layer.data_banks).entries;
    return cbuf->data.held + next_lines(cdma) * line_entries(&cdma->layer) <= ring;
}

static void put(struct cdma *cdma, struct cbuf *cbuf, size_t size, size_t entries) {
    struct cbuf_ring ring = cbuf_data_ring(cbuf, cdma->layer.data_banks);
    cbuf_write(cbuf, ring, cbuf->data.write * cbuf->entry, cdma->slice.bytes, size);
    cbuf->data.write = (cbuf->data.write + entries) % ring.entries;
}

/* Fetches the next `lines` lines. ENTRY_PER_SLICE is trusted: it determines where the next slice is written, whatever
 * this one fills. */
static void fetch_lines(struct cdma *cdma, struct cbuf *cbuf, const struct cdma_input *input, size_t lines) {
    const struct cdma_layer *layer = &cdma->layer;
    if (layer->cubes.mode == CDMA_WINOGRAD) {
        put(cdma, cbuf, cdma_fetch_winograd(input, cdma->lines), lines * layer->slice_entries);
        return;
    }
    for (size_t y = cdma->lines; y < cdma->lines + lines; y++) {
        if (layer->cubes.mode == CDMA_IMAGE) {
            put(cdma, cbuf, cdma_fetch_image(input, y), layer->slice_entries);
            continue;
        }
        for (size_t batch = 0; batch < layer->cubes.batches; batch++)
            put(cdma, cbuf, cdma_fetch_feature(input, batch, y), layer->slice_entries);
    }
}

static void fetch_data(struct cdma *cdma, struct cbuf *cbuf, struct dma *client) {
    const struct cdma_layer *layer = &cdma->layer;
    const struct cdma_input input = {.layer = layer,
                                     .convertor = &cdma->convertor,
                                     .specials = &cdma->data_specials,
                                     .cbuf = cbuf,
                                     .client = client,
                                     .tap = &cdma->tap,
                                     .slice = cdma->slice.bytes,
                                     .line = cdma->line.bytes};
    size_t all = cdma_layer_lines(layer);
    while (cdma->lines < all && data_fits(cdma, cbuf)) {
        size_t lines = next_lines(cdma), entry = cbuf->data.write;
        fetch_lines(cdma, cbuf, &input, lines);
        conv_streams_data(&cdma->data_tap, cbuf, layer, entry, cdma->lines, lines, cdma->by_address);
        cbuf->data.held += lines * line_entries(layer);
        cbuf->data.slices += lines;
        cdma->lines += lines;
    }
    if (cdma->lines == all)
        cdma->data = CDMA_DONE;
}

/* ---- layers ---- */

void cdma_init(struct cdma *cdma, const struct nvdla_config *config) {
    *cdma = (struct cdma){.atom = (size_t)config->mem_atom};
    cdma_reset(cdma);
}

void cdma_reset(struct cdma *cdma) {
    cdma->data = CDMA_IDLE;
    cdma->weights.phase = CDMA_IDLE;
    cdma->last_data_banks = BANKS_AFTER_RESET;
    cdma->last_weight_banks = BANKS_AFTER_RESET;
    cdma->last_skip_data = false;
    cdma->last_skip_weights = false;
}

void cdma_free(struct cdma *cdma) {
    buffer_free(&cdma->slice);
    buffer_free(&cdma->line);
}

/* Reports the convertor of the input to the tap. FP16 results have no setting that suits a histogram of integers. */
static void observe(struct cdma *cdma) {
    const struct cdma_convertor *from = &cdma->convertor;
    if (cdma->tap.count > 0 && from->enabled && !from->means) {
        int bits = from->proc == NVDLA_INT8 ? 8 : 16;
        bool floating = from->proc == NVDLA_FP16;
        const struct convertor convertor = {.offset = from->offset[0],
                                            .scale = from->scale,
                                            .shift = from->shift,
                                            .bits = floating ? CDMA_CONVERTOR_BITS : bits};
        tap_convertor(&cdma->tap, &convertor, floating ? 0 : bits);
    }
}

/* Section 9.3. */
static void start(struct cdma *cdma, const struct nvdla_config *config, const struct register_group *regs) {
    struct cdma_layer *layer = &cdma->layer;
    struct registers_view view = register_group_view(regs, config);
    cdma_layer_decode(layer, &view);
    cdma_convertor_init(&cdma->convertor, &view, layer->cubes.in, layer->cubes.proc, layer->cubes.pixel);
    observe(cdma);
    bool flush = FIELD(&view, CDMA, D_NAN_FLUSH_TO_ZERO, NAN_TO_ZERO);
    cdma->data_specials = (struct cdma_specials){.watched = layer->cubes.in == NVDLA_FP16, .flush = flush};
    cdma->weight_specials = (struct cdma_specials){.watched = layer->cubes.proc == NVDLA_FP16, .flush = flush};
    cdma->sizes_known = false;
    cdma->lines = 0;
    cdma->weights = (struct cdma_weights){.phase = CDMA_BUSY};
    cdma->data = CDMA_BUSY;
    bool data_banks = layer->data_banks != cdma->last_data_banks;
    bool weight_banks = layer->weight_banks != cdma->last_weight_banks;
    if (data_banks)
        cdma->data = CDMA_PEND;
    else if (layer->data_reuse && cdma->last_skip_data && layer->cubes.mode == cdma->last_mode)
        cdma->data = CDMA_DONE;
    if (data_banks || weight_banks)
        cdma->weights.phase = CDMA_PEND;
    else if (layer->weight_reuse && cdma->last_skip_weights)
        cdma->weights.phase = CDMA_DONE;
}

static bool data_moves(const struct cdma *cdma, const struct cbuf *cbuf, struct cdma_served served) {
    const struct cdma_layer *layer = &cdma->layer;
    return cdma->data == CDMA_BUSY && served.data && (layer->cubes.mode != CDMA_IMAGE || layer->cubes.pixel) &&
           data_fits(cdma, cbuf);
}

bool cdma_can_step(const struct cdma *cdma, const struct cbuf *cbuf, const struct register_group *regs,
                   struct cdma_served served) {
    if (!register_group_running(regs))
        return false;
    return cdma->data == CDMA_IDLE || data_moves(cdma, cbuf, served) ||
           (served.weights && cdma_weights_move(cdma, cbuf));
}

void cdma_step(struct cdma *cdma, struct cbuf *cbuf, const struct nvdla_config *config,
               const struct register_group *regs, struct cdma_served served, struct cdma_clients *clients) {
    if (cdma->data == CDMA_IDLE)
        start(cdma, config, regs);
    if (data_moves(cdma, cbuf, served)) {
        buffer_reserve(&cdma->slice, 1, cdma_slice_room(&cdma->layer, cbuf));
        buffer_reserve(&cdma->line, 1, cdma_line_room(&cdma->layer, cbuf));
        fetch_data(cdma, cbuf, &clients->data);
    }
    if (served.weights)
        cdma_fetch_weights(cdma, cbuf, &clients->weights);
}

void cdma_leave_pend(struct cdma *cdma, bool data) {
    if (data && cdma->data == CDMA_PEND)
        cdma->data = CDMA_BUSY;
    if (cdma->weights.phase == CDMA_PEND)
        cdma->weights.phase = CDMA_BUSY;
}

bool cdma_layer_done(const struct cdma *cdma) {
    return cdma->data == CDMA_DONE && cdma->weights.phase == CDMA_DONE;
}

void cdma_end(struct cdma *cdma) {
    cdma->last_data_banks = cdma->layer.data_banks;
    cdma->last_weight_banks = cdma->layer.weight_banks;
    cdma->last_mode = cdma->layer.cubes.mode;
    cdma->last_skip_data = cdma->layer.skip_data;
    cdma->last_skip_weights = cdma->layer.skip_weights;
    cdma->data = CDMA_IDLE;
    cdma->weights.phase = CDMA_IDLE;
}
