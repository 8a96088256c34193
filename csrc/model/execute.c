/* Runs layers that span several engines, and sets their registers afterwards. See execute.h. */
#include "model/execute.h"

#include "model/cacc.h"
#include "model/ports.h"
#include "nvdla/engines.h"
#include "nvdla_offsets.h"

static void raise_interrupt(struct model *model, enum nvdla_interrupt interrupt, unsigned group) {
    model->interrupt_status |= UINT32_C(1) << (nvdla_interrupts[interrupt].bit + group);
}

/* Ends the layer of a unit. Returns the released group. */
static unsigned end_layer(struct model *model, enum nvdla_unit unit) {
    int ordinal = register_group_ordinal(&model->units[unit]);
    unsigned group = register_group_done(&model->units[unit]);
    tap_done(&model->taps, unit, ordinal, group);
    return group;
}

/* A stream of the unit's layer, for listeners. */
static struct tap_out tap_of(const struct model *model, enum nvdla_unit unit, enum tap tap, enum tap_format format,
                             int width) {
    const struct tap_stream stream = {
        .unit = unit, .ordinal = model_ordinal(model, unit), .tap = tap, .format = format, .width = width};
    return tap_open(&model->taps, &stream);
}

/* The same, with elements in hardware order. */
static struct tap_out in_order(struct model *model, int index, struct tap_out to, const struct result_order *order) {
    return ordered_tap_begin(&model->ordered[index], &to, order);
}

/* Bits of an integer element; 0: floating point. */
static int element_bits(enum nvdla_precision precision) {
    return precision == NVDLA_INT8 ? 8 : precision == NVDLA_INT16 ? 16 : 0;
}

/* ---- convolution ---- */

/* Raises the interrupts of engines that have just finished, and ends the layer when both have. */
static void finish_cdma(struct model *model, enum cdma_phase data, enum cdma_phase weights) {
    struct register_group *group = &model->units[NVDLA_CDMA];
    if (data != CDMA_DONE && model->cdma.data == CDMA_DONE)
        raise_interrupt(model, INTERRUPT_CDMA_DAT, group->consumer);
    if (weights != CDMA_DONE && model->cdma.weights.phase == CDMA_DONE)
        raise_interrupt(model, INTERRUPT_CDMA_WT, group->consumer);
    if (cdma_layer_done(&model->cdma)) {
        register_group_load(group, CDMA_D_NAN_INPUT_DATA_NUM, model->cdma.data_specials.seen.nan);
        register_group_load(group, CDMA_D_NAN_INPUT_WEIGHT_NUM, model->cdma.weight_specials.seen.nan);
        register_group_load(group, CDMA_D_INF_INPUT_DATA_NUM, model->cdma.data_specials.seen.infinity);
        register_group_load(group, CDMA_D_INF_INPUT_WEIGHT_NUM, model->cdma.weight_specials.seen.infinity);
        cdma_end(&model->cdma);
        end_layer(model, NVDLA_CDMA);
    }
}

/* Opens the streams of CDMA into CBUF. */
static void open_cbuf_taps(struct model *model, enum nvdla_precision precision) {
    struct cdma *cdma = &model->cdma;
    if (model->taps.count == 0)
        return;
    const enum tap_format format = tap_format_of(precision);
    const int bits = element_bits(precision);
    cdma->data_tap = tap_of(model, NVDLA_CDMA, TAP_CBUF_DAT, format, bits);
    cdma->by_address = model->dev.specified_stripes && nvdla_has_16_bits(model->dev.config); /* NVIDIA's full */
    cdma->weight_tap = tap_of(model, NVDLA_CDMA, TAP_CBUF_WT, format, bits);
    if (nvdla_has(model->dev.config, FEATURE_COMPRESSION))
        cdma->mask_tap = tap_of(model, NVDLA_CDMA, TAP_CBUF_MASK, TAP_INT8, 8);
}

static void run_cdma(struct model *model) {
    struct register_group *group = &model->units[NVDLA_CDMA];
    struct registers_view view = model_view(model);
    struct cdma_cubes cubes = cdma_cubes(&view);
    struct cdma_served answered = schedule_cdma_served(model);
    struct cdma_clients clients;
    if (answered.data)
        client_open(model, &clients.data, NVDLA_READ_CDMA_DAT, cubes.data_primary);
    if (answered.weights)
        client_open(model, &clients.weights, NVDLA_READ_CDMA_WT, cubes.weight_primary);
    model->cdma.tap = tap_of(model, NVDLA_CDMA, TAP_CDMA_CVT,
                             cubes.pixel && cubes.in != NVDLA_FP16 ? TAP_INT32 : tap_format_of(cubes.in),
                             cubes.in == NVDLA_FP16 ? 0 : CDMA_CONVERTOR_BITS);
    open_cbuf_taps(model, cubes.proc);
    enum cdma_phase data = model->cdma.data, weights = model->cdma.weights.phase;
    cdma_step(&model->cdma, &model->cbuf, model->dev.config, group, answered, &clients);
    finish_cdma(model, data, weights);
}

/* Ends the layer of the convolution core: status register, groups, interrupt. */
static void finish_convolution(struct model *model, struct csc_run *run) {
    struct register_group *cacc = &model->units[NVDLA_CACC];
    const struct csc_layer *layer = &model->csc.layer;
    /* A layer of one delivery does not reset the counter: 40-convolution-core section 9.7. */
    size_t windows = layer->positions * layer->batches / (layer->mode == CSC_WINOGRAD ? 4 : 1);
    bool single = windows * csc_layer_groups(layer) == 1;
    model->cacc_saturation = csc_run_saturated(run) + (single ? model->cacc_saturation : 0);
    csc_run_end(run);
    register_group_done(&model->units[NVDLA_CSC]);
    register_group_done(&model->units[NVDLA_CMAC_A]);
    register_group_done(&model->units[NVDLA_CMAC_B]);
    register_group_load(cacc, CACC_D_OUT_SATURATION, model->cacc_saturation);
    raise_interrupt(model, INTERRUPT_CACC, end_layer(model, NVDLA_CACC));
}

/* ---- SDP, alone or between the convolution core and PDP ---- */

/* Releases the group of SDP_RDMA. */
static void finish_sdp_rdma(struct model *model) {
    struct register_group *rdma = &model->units[NVDLA_SDP_RDMA];
    register_group_load(rdma, SDP_RDMA_D_STATUS_NAN_INPUT_NUM, model->sdp_counted.input.nan);
    register_group_load(rdma, SDP_RDMA_D_STATUS_INF_INPUT_NUM, model->sdp_counted.input.infinity);
    end_layer(model, NVDLA_SDP_RDMA);
}

/* Loads the status registers of SDP and releases the groups of SDP and SDP_RDMA. A count that this layer does not make
 * keeps the value of an earlier one: 50-sdp section 10. */
static void finish_sdp(struct model *model, const struct sdp_layer *layer, const struct sdp_result *result) {
    struct register_group *sdp = &model->units[NVDLA_SDP];
    struct sdp_result *counted = &model->sdp_counted;
    if (layer->count_saturation)
        counted->saturated = result->saturated;
    if (layer->count_table)
        counted->table = result->table;
    if (layer->count_specials)
        counted->input = result->input;
    register_group_load(sdp, SDP_D_STATUS, result->unequal && !layer->to_pdp);
    register_group_load(sdp, SDP_D_STATUS_NAN_OUTPUT_NUM, result->nan_outputs);
    register_group_load(sdp, SDP_D_PERF_OUT_SATURATION, counted->saturated);
    register_group_load(sdp, SDP_D_PERF_LUT_UFLOW, counted->table.underflow);
    register_group_load(sdp, SDP_D_PERF_LUT_OFLOW, counted->table.overflow);
    register_group_load(sdp, SDP_D_PERF_LUT_HYBRID, counted->table.hybrid);
    register_group_load(sdp, SDP_D_PERF_LUT_LE_HIT, counted->table.le_hit);
    register_group_load(sdp, SDP_D_PERF_LUT_LO_HIT, counted->table.lo_hit);
    raise_interrupt(model, INTERRUPT_SDP, end_layer(model, NVDLA_SDP));
    if (layer->leftover)
        model->rdma_stuck = true;
    else if (layer->uses_rdma)
        finish_sdp_rdma(model);
}

static void finish_pdp(struct model *model, bool from_memory) {
    raise_interrupt(model, INTERRUPT_PDP, end_layer(model, NVDLA_PDP));
    if (from_memory)
        end_layer(model, NVDLA_PDP_RDMA);
}

/* A PDP layer with its open streams. */
static struct pdp_layer with_tap(struct model *model, const struct pdp_layer *layer) {
    struct pdp_layer tapped = *layer;
    const enum nvdla_precision precision = layer->kernel.precision;
    const enum tap_format format = tap_format_of(precision);
    const int bits = element_bits(precision);
    tapped.taps.input = tap_of(model, NVDLA_PDP, TAP_PDP_IN, format, bits);
    if (bits > 0)
        tapped.taps.row =
            tap_of(model, NVDLA_PDP, TAP_PDP_ROW, bits == 8 ? TAP_INT16 : TAP_INT32, pdp_row_bits(precision));
    tapped.taps.output = tap_of(model, NVDLA_PDP, TAP_PDP_OUT, format, bits);
    return tapped;
}

static void next_line(void *context, uint8_t *bytes) {
    sdp_run_line(context, bytes);
}

/* The streams of an SDP layer. */
static struct sdp_taps sdp_taps(struct model *model, const struct sdp_layer *layer) {
    struct sdp_taps taps = {.input = {.count = 0}};
    if (model->taps.count == 0)
        return taps;
    bool integer = layer->shape.proc != NVDLA_FP16;
    const struct sdp_stage *ew = &layer->stage[SDP_EW];
    enum tap_format format = integer ? TAP_INT32 : TAP_FP32, operand_format = integer ? TAP_INT16 : TAP_FP16;
    int width = integer ? 32 : 0, operand = integer ? 16 : 0;
    const struct registers_view view = model_view(model);
    const struct result_order order = result_order_sdp(&view);
    struct tap_out out = {.count = 0};
    if (!layer->compare)
        out = tap_of(model, NVDLA_SDP, TAP_SDP_OUT, tap_format_of(layer->shape.out), element_bits(layer->shape.out));
    taps.input = in_order(model, ORDERED_SDP_IN, tap_of(model, NVDLA_SDP, TAP_SDP_IN, format, width), &order);
    if (ew->alu.from_memory)
        taps.ew_alu = tap_of(model, NVDLA_SDP, TAP_EW_ALU_CVT, operand_format, operand);
    if (ew->mul.from_memory)
        taps.ew_mul = tap_of(model, NVDLA_SDP, TAP_EW_MUL_CVT, operand_format, operand);
    taps.stage[SDP_BS] =
        in_order(model, ORDERED_SDP_STAGES + SDP_BS, tap_of(model, NVDLA_SDP, TAP_SDP_X1, format, width), &order);
    taps.stage[SDP_BN] =
        in_order(model, ORDERED_SDP_STAGES + SDP_BN, tap_of(model, NVDLA_SDP, TAP_SDP_X2, format, width), &order);
    if (layer->table) {
        taps.table_in =
            in_order(model, ORDERED_SDP_LUT_IN, tap_of(model, NVDLA_SDP, TAP_SDP_LUT_IN, format, width), &order);
        taps.table_out =
            in_order(model, ORDERED_SDP_LUT_OUT, tap_of(model, NVDLA_SDP, TAP_SDP_LUT_OUT, format, width), &order);
    }
    taps.convertor =
        in_order(model, ORDERED_SDP_CVT_IN, tap_of(model, NVDLA_SDP, TAP_SDP_CVT_IN, format, width), &order);
    taps.output = in_order(model, ORDERED_SDP_OUT, out, &order);
    if (integer && !layer->compare) {
        int bits = element_bits(layer->shape.out);
        const struct convertor convertor = {.offset = layer->convertor.offset,
                                            .scale = layer->convertor.scale,
                                            .shift = layer->convertor.shift,
                                            .bits = bits ? bits : SDP_INTEGER_BITS};
        tap_convertor(&taps.convertor, &convertor, bits);
    }
    return taps;
}

/* Runs the SDP layer with its clients, into memory or through PDP. */
static void run_sdp_from(struct model *model, const struct work *work, struct sdp_clients *clients,
                         struct sdp_result *result) {
    const struct sdp_layer *layer = &work->sdp;
    clients->taps = sdp_taps(model, layer);
    struct sdp_run *run = sdp_run_new(layer, clients);
    if (work->action == ACTION_SDP_PDP) {
        struct dma output;
        uint64_t nans;
        client_open(model, &output, NVDLA_WRITE_PDP, work->pdp.destination.primary);
        const struct pdp_layer pdp = with_tap(model, &work->pdp);
        pdp_run(&pdp, (struct pdp_source){next_line, run}, &output, &nans);
        register_group_load(&model->units[NVDLA_PDP], PDP_D_NAN_OUTPUT_NUM, nans);
    } else {
        if (!layer->compare)
            client_open(model, &clients->output, NVDLA_WRITE_SDP, layer->destination.primary);
        sdp_run_to_memory(run);
    }
    *result = sdp_run_result(run);
    sdp_run_free(run);
}

static void next_results(void *context, int32_t *results, size_t atoms) {
    csc_run_next(context, results, atoms);
}

/* Opens the streams of CSC and CMAC. */
static void open_conv_taps(struct model *model, enum nvdla_precision precision, struct conv_streams *streams) {
    static const enum tap_format sums[] = {
        [NVDLA_INT8] = TAP_INT32, [NVDLA_INT16] = TAP_INT64, [NVDLA_FP16] = TAP_CMAC_FP16};
    const struct registers_view view = model_view(model);
    const enum tap_format format = tap_format_of(precision);
    const int bits = element_bits(precision), log_lanes = __builtin_ctz((unsigned)model->dev.config->atomic_c);
    const int width = bits ? 2 * bits + log_lanes : 0;
    streams->atoms = tap_of(model, NVDLA_CSC, TAP_CSC_DAT, format, bits);
    streams->weights = tap_of(model, NVDLA_CSC, TAP_CSC_WT, format, bits);
    streams->sums[0] = tap_of(model, NVDLA_CMAC_A, TAP_CMAC_SUM, sums[precision], width);
    streams->sums[1] = tap_of(model, NVDLA_CMAC_B, TAP_CMAC_SUM, sums[precision], width);
    conv_streams_begin(streams, &view, model->dev.specified_stripes);
}

/* Opens the streams of the convolution core. */
static void observe_convolution(struct model *model, struct csc_run *run) {
    enum nvdla_precision precision = model->csc.layer.precision;
    bool integer = precision != NVDLA_FP16;
    struct tap_out sums = {.count = 0}, results = {.count = 0};
    struct conv_streams streams = {.next = {0}};
    if (model->taps.count > 0) {
        const struct registers_view view = model_view(model);
        const struct result_order order = result_order_cacc(&view);
        const enum tap_format format = integer ? TAP_INT32 : TAP_FP32;
        if (integer)
            sums = in_order(
                model, ORDERED_CACC_OUT,
                tap_of(model, NVDLA_CACC, TAP_CACC_OUT, TAP_INT64, cacc_width(model->dev.config, precision, 0)),
                &order);
        results = in_order(model, ORDERED_CACC_SAT, tap_of(model, NVDLA_CACC, TAP_CACC_SAT, format, integer ? 32 : 0),
                           &order);
        open_conv_taps(model, precision, &streams);
    }
    csc_run_observe(run, &sums, &results, &streams);
}

/* Runs the convolution core and the SDP layer that uses its results. */
static void run_flying(struct model *model, const struct work *work, struct sdp_clients *clients,
                       struct sdp_result *result) {
    struct dma weights;
    bool come = schedule_weights_come(model);
    if (come)
        client_open(model, &weights, NVDLA_READ_CDMA_WT, model->cdma.layer.cubes.weight_primary);
    uint32_t clip = register_group_value(&model->units[NVDLA_CACC], CACC_D_CLIP_CFG);
    struct csc_run *run = model->core;
    csc_run_begin(run, &model->csc, &model->cdma, &model->cbuf, come ? &weights : NULL,
                  REGISTER_FIELD(clip, CACC_D_CLIP_CFG__CLIP_TRUNCATE));
    observe_convolution(model, run);
    enum cdma_phase data = model->cdma.data, phase = model->cdma.weights.phase;
    clients->results = next_results;
    clients->context = run;
    const size_t groups = csc_layer_groups(&model->csc.layer), delivered = model->csc.layer.positions * groups;
    run_sdp_from(model, work, clients, result);
    if (delivered * model->csc.layer.batches > sdp_layer_atoms(&work->sdp))
        model->checker.surplus = model_ordinal(model, NVDLA_CSC);
    finish_cdma(model, data, phase);
    finish_convolution(model, run);
}

static void run_sdp(struct model *model, const struct work *work) {
    const struct sdp_layer *layer = &work->sdp;
    model->checker.sdp.selected = false; /* the layer takes the clock from the table's port */
    struct sdp_clients clients = {.table = &model->sdp_table.entries};
    struct sdp_result result = {.saturated = 0};
    for (int i = 0; i < SDP_STAGES; i++)
        if (layer->operands[i].enabled)
            client_open(model, &clients.operands[i], client_operands[i], layer->operands[i].primary);
    if (layer->shape.flying) {
        run_flying(model, work, &clients, &result);
    } else {
        client_open(model, &clients.main, NVDLA_READ_SDP, layer->source.primary);
        run_sdp_from(model, work, &clients, &result);
    }
    finish_sdp(model, layer, &result);
    if (work->action == ACTION_SDP_PDP)
        finish_pdp(model, false);
}

/* ---- PDP, CDP, BDMA, RUBIK ---- */

static void run_pdp(struct model *model, const struct work *work) {
    struct dma input, output;
    client_open(model, &input, NVDLA_READ_PDP, work->pdp.source.primary);
    client_open(model, &output, NVDLA_WRITE_PDP, work->pdp.destination.primary);
    const struct pdp_layer layer = with_tap(model, &work->pdp);
    uint64_t nans;
    pdp_run_from_memory(&layer, &input, &output, &nans);
    register_group_load(&model->units[NVDLA_PDP], PDP_D_NAN_OUTPUT_NUM, nans);
    finish_pdp(model, true);
}

/* Loads the counters of CDP and releases both groups. */
static void finish_cdp(struct model *model, const struct cdp_counts *counts) {
    struct register_group *cdp = &model->units[NVDLA_CDP];
    cdp_counts_load(counts, cdp);
    raise_interrupt(model, INTERRUPT_CDP, end_layer(model, NVDLA_CDP));
    end_layer(model, NVDLA_CDP_RDMA);
}

/* A CDP layer with its open streams. */
static struct cdp_layer with_taps(struct model *model, const struct cdp_layer *layer) {
    struct cdp_layer tapped = *layer;
    if (model->taps.count == 0)
        return tapped;
    enum nvdla_precision precision = layer->kernel.precision;
    int bits = element_bits(precision);
    struct cdp_taps *taps = &tapped.taps;
    taps->input = tap_of(model, NVDLA_CDP, TAP_CDP_IN, tap_format_of(precision), bits);
    taps->sum = tap_of(model, NVDLA_CDP, TAP_CDP_SUM, bits > 0 ? TAP_INT64 : TAP_FP32, cdp_sum_bits(precision));
    taps->answer = tap_of(model, NVDLA_CDP, TAP_LUT_HIT, TAP_INT8, LUT_FLAG_BITS);
    taps->factor = tap_of(model, NVDLA_CDP, TAP_LUT_OUT, bits > 0 ? TAP_INT16 : TAP_FP32, bits > 0 ? 16 : 0);
    taps->convertor =
        tap_of(model, NVDLA_CDP, TAP_CDP_CVT_IN, bits > 0 ? TAP_INT64 : TAP_FP32, cdp_product_bits(precision));
    taps->output = tap_of(model, NVDLA_CDP, TAP_CDP_OUT, tap_format_of(precision), bits);
    if (bits > 0) {
        const struct cdp_convertor *in = &layer->kernel.input, *out = &layer->kernel.output;
        const struct convertor input = {in->offset, in->scale, in->shift, bits + 1};
        const struct convertor output = {out->offset, out->scale, out->shift, bits};
        /* Inside CDP elements have 9 or 17 bits; 90-statistics section B.9 uses 16. */
        tap_convertor(&taps->input, &input, bits == 8 ? 9 : 16);
        tap_convertor(&taps->convertor, &output, bits);
    }
    return tapped;
}

static void run_cdp(struct model *model, const struct work *work) {
    const struct cdp_layer layer = with_taps(model, &work->cdp);
    struct dma input, output;
    struct cdp_counts counts;
    client_open(model, &input, NVDLA_READ_CDP, work->cdp.source.primary);
    client_open(model, &output, NVDLA_WRITE_CDP, work->cdp.destination.primary);
    cdp_run(&layer, &model->lut, &model->cdp_idle, &input, &output, &counts);
    finish_cdp(model, &counts);
}

static void run_bdma(struct model *model) {
    struct bdma_served answered = schedule_bdma_served(model);
    struct bdma_clients clients;
    for (int primary = 0; primary < 2; primary++) {
        if (answered.read[primary])
            client_open(model, &clients.read[primary], NVDLA_READ_BDMA, primary);
        if (answered.write[primary])
            client_open(model, &clients.write[primary], NVDLA_WRITE_BDMA, primary);
    }
    bdma_run(&model->bdma, &clients);
    const int ordinal = model->bdma.ordinal;
    unsigned group;
    const bool raised = bdma_done(&model->bdma, &group);
    tap_done(&model->taps, NVDLA_BDMA, ordinal, group);
    if (raised)
        raise_interrupt(model, INTERRUPT_BDMA, group);
}

static void run_rubik(struct model *model, const struct work *work) {
    struct dma input, output;
    client_open(model, &input, NVDLA_READ_RUBIK, work->rubik.cubes.source.primary);
    client_open(model, &output, NVDLA_WRITE_RUBIK, work->rubik.cubes.destination.primary);
    rubik_run(&work->rubik, &input, &output);
    raise_interrupt(model, INTERRUPT_RUBIK, end_layer(model, NVDLA_RBK));
}

void execute(struct model *model, const struct work *work) {
    clock_t start = clock();
    switch (work->action) {
    case ACTION_NONE:
        break;
    case ACTION_CDMA:
        run_cdma(model);
        break;
    case ACTION_CSC_START:
        csc_start(&model->csc, &model->cdma, &model->cbuf, &model->units[NVDLA_CSC]);
        break;
    case ACTION_SDP_RDMA_EMPTY:
        finish_sdp_rdma(model);
        break;
    case ACTION_SDP:
    case ACTION_SDP_PDP:
        run_sdp(model, work);
        break;
    case ACTION_PDP:
        run_pdp(model, work);
        break;
    case ACTION_CDP:
        run_cdp(model, work);
        break;
    case ACTION_BDMA:
        run_bdma(model);
        break;
    case ACTION_RUBIK:
        run_rubik(model, work);
        break;
    }
    model->busy += clock() - start;
    model->steps++;
}
