/* Which armed groups make a layer that can run. See schedule.h. */
#include "model/schedule.h"

#include <stdarg.h>
#include <stdio.h>

#include "model/ports.h"
#include "nvdla_offsets.h"

/* Bytes: weights that are no whole number of these never end where an atom has as many. 99-illegal-programming section
 * 4. */
enum { WEIGHT_ATOM = 8 };

static bool pdp_destination_ready(const struct model *model, const struct pdp_layer *layer) {
    return layer->valid && client_served(model, NVDLA_WRITE_PDP, layer->destination.primary);
}

/* Chooses a layer that is ready, unless it is too large. */
static bool take(struct work *work, enum action action, enum nvdla_unit unit, uint64_t atoms) {
    if (atoms > work->limits->atoms) {
        work->too_large = unit;
        work->size = atoms;
        work->most = work->limits->atoms;
        work->measure = "atoms";
        return false;
    }
    work->action = action;
    return true;
}

struct cdma_served schedule_cdma_served(const struct model *model) {
    struct registers_view view = model_view(model);
    struct cdma_cubes cubes = cdma_cubes(&view);
    return (struct cdma_served){.data = client_served(model, NVDLA_READ_CDMA_DAT, cubes.data_primary),
                                .weights = client_served(model, NVDLA_READ_CDMA_WT, cubes.weight_primary) &&
                                           (model->dev.config->mem_atom != WEIGHT_ATOM ||
                                            VALUE(&view, CDMA, D_WEIGHT_BYTES) % WEIGHT_ATOM == 0)};
}

static bool find_cdma(const struct model *model, struct work *work) {
    const struct register_group *cdma = &model->units[NVDLA_CDMA];
    if (!cdma_can_step(&model->cdma, &model->cbuf, cdma, schedule_cdma_served(model)))
        return false;
    struct registers_view view = model_view(model);
    struct cdma_layer layer;
    cdma_layer_decode(&layer, &view);
    return take(work, ACTION_CDMA, NVDLA_CDMA, cdma_layer_atoms(&layer));
}

static bool find_csc(const struct model *model, struct work *work) {
    if (!csc_can_start(&model->csc, &model->cdma, &model->units[NVDLA_CSC]))
        return false;
    work->action = ACTION_CSC_START;
    return true;
}

bool schedule_weights_come(const struct model *model) {
    return model->cdma.weights.phase == CDMA_BUSY && schedule_cdma_served(model).weights;
}

/* A ready convolution is not executed if it has more than `most` of something. */
static bool small_enough(struct work *work, uint64_t size, uint64_t most, const char *measure) {
    if (size > most) {
        work->too_large = NVDLA_CSC;
        work->size = size;
        work->most = most;
        work->measure = measure;
    }
    return size <= most;
}

/* True if CMAC_A, CMAC_B and CACC have the mode and precision of the layer; otherwise the result is undefined
 * (40-convolution-core section 12). Configurations with one mode and precision ignore these fields. */
static bool core_agrees(const struct model *model) {
    static const struct {
        enum nvdla_unit unit;
        uint32_t misc;
    } units[] = {{NVDLA_CMAC_A, CMAC_A_D_MISC_CFG}, {NVDLA_CMAC_B, CMAC_B_D_MISC_CFG}, {NVDLA_CACC, CACC_D_MISC_CFG}};
    const struct csc_layer *layer = &model->csc.layer;
    const struct nvdla_config *config = model->dev.config;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        uint32_t misc = register_group_value(&model->units[units[i].unit], units[i].misc);
        bool winograd = REGISTER_FIELD(misc, CACC_D_MISC_CFG__CONV_MODE);
        if ((nvdla_has(config, FEATURE_WINOGRAD) && winograd != (layer->mode == CSC_WINOGRAD)) ||
            nvdla_precision_of(config, REGISTER_FIELD(misc, CACC_D_MISC_CFG__PROC_PRECISION)) != layer->precision)
            return false;
    }
    return true;
}

/* Results of a batch that SDP takes, of a kernel group each. */
static size_t sdp_results(const struct sdp_layer *sdp) {
    return (size_t)sdp->shape.width * (size_t)sdp->shape.height * (size_t)sdp->shape.surfaces;
}

static bool same_cube(const struct csc_layer *layer, const struct sdp_layer *sdp) {
    return layer->positions * (size_t)sdp->shape.surfaces == sdp_results(sdp) &&
           csc_layer_groups(layer) == (size_t)sdp->shape.surfaces;
}

/* True if SDP takes what the convolution core delivers, or the first part of it. A kernel group is a surface of SDP;
 * lines must be the same only if the order of delivery depends on them. */
static bool same_results(const struct csc_layer *layer, const struct sdp_layer *sdp) {
    bool by_lines = sdp->shape.batches > 1 || sdp->shape.winograd;
    return layer->precision == sdp->shape.proc && layer->batches == (size_t)sdp->shape.batches &&
           (layer->mode == CSC_WINOGRAD) == sdp->shape.winograd &&
           (same_cube(layer, sdp) || layer->positions * csc_layer_groups(layer) > sdp_results(sdp)) &&
           !(by_lines && layer->out_width != (size_t)sdp->shape.width);
}

/* True if the convolution core delivers what the SDP layer takes. */
static bool convolution_ready(const struct model *model, const struct sdp_layer *sdp, struct work *work) {
    const struct csc_layer *layer = &model->csc.layer;
    if (!model->csc.started || !layer->valid || !register_group_running(&model->units[NVDLA_CMAC_A]) ||
        !register_group_running(&model->units[NVDLA_CMAC_B]) || !register_group_running(&model->units[NVDLA_CACC]) ||
        !core_agrees(model))
        return false;
    if (!same_results(layer, sdp))
        return false;
    /* The capacity of CBUF is far below the limit; wild registers must not make the model reserve more. */
    uint64_t weights = (uint64_t)csc_layer_group_kernels(layer, 0) * csc_layer_kernel_elements(layer);
    return small_enough(work, csc_layer_work(layer), work->limits->products, "products") &&
           small_enough(work, weights, work->limits->elements, "weights of a kernel group") &&
           small_enough(work, csc_layer_stored(layer, model->dev.config, &model->cbuf), work->limits->elements,
                        "input elements") &&
           csc_can_run(&model->csc, &model->cdma, &model->cbuf, schedule_weights_come(model));
}

/* All that an SDP layer needs, except for the destination. Operands that no stage takes may never come. */
static bool sdp_source_ready(const struct model *model, struct sdp_layer *layer, struct work *work) {
    if (!layer->valid)
        return false;
    if (layer->uses_rdma) {
        if (model->rdma_stuck || !register_group_running(&model->units[NVDLA_SDP_RDMA]))
            return false;
        for (int i = 0; i < SDP_STAGES; i++) {
            struct sdp_operands *operands = &layer->operands[i];
            const bool taken = layer->stage[i].alu.from_memory || layer->stage[i].mul.from_memory;
            if (operands->enabled && !client_served(model, client_operands[i], operands->primary)) {
                if (taken)
                    return false;
                operands->enabled = false;
            }
        }
    }
    return layer->shape.flying ? convolution_ready(model, layer, work)
                               : client_served(model, NVDLA_READ_SDP, layer->source.primary);
}

static bool find_sdp(const struct model *model, struct work *work) {
    const struct register_group *sdp = &model->units[NVDLA_SDP], *rdma = &model->units[NVDLA_SDP_RDMA];
    struct registers_view view = model_view(model);
    if (!model->rdma_stuck && register_group_running(rdma) && !sdp_rdma_busy(&view)) {
        work->action = ACTION_SDP_RDMA_EMPTY;
        return true;
    }
    if (!register_group_running(sdp))
        return false;
    struct sdp_layer *layer = &work->sdp;
    sdp_layer_decode(layer, &view);
    if (!sdp_source_ready(model, layer, work))
        return false;
    if (!layer->to_pdp) {
        bool ready = layer->compare || client_served(model, NVDLA_WRITE_SDP, layer->destination.primary);
        return ready && take(work, ACTION_SDP, NVDLA_SDP, sdp_layer_atoms(layer));
    }
    if (!register_group_running(&model->units[NVDLA_PDP]))
        return false;
    pdp_layer_decode(&work->pdp, &view);
    bool same_cube = layer->shape.width == work->pdp.width && layer->shape.height == work->pdp.height &&
                     layer->shape.surfaces == work->pdp.surfaces && layer->shape.out == work->pdp.kernel.precision;
    return !work->pdp.from_memory && same_cube && pdp_destination_ready(model, &work->pdp) &&
           take(work, ACTION_SDP_PDP, NVDLA_SDP, sdp_layer_atoms(layer) + pdp_layer_atoms(&work->pdp));
}

static bool find_pdp(const struct model *model, struct work *work) {
    const struct register_group *pdp = &model->units[NVDLA_PDP], *rdma = &model->units[NVDLA_PDP_RDMA];
    if (!register_group_running(pdp) || !register_group_running(rdma))
        return false;
    struct registers_view view = model_view(model);
    struct pdp_layer *layer = &work->pdp;
    pdp_layer_decode(layer, &view);
    return layer->from_memory && pdp_destination_ready(model, layer) &&
           client_served(model, NVDLA_READ_PDP, layer->source.primary) &&
           take(work, ACTION_PDP, NVDLA_PDP, pdp_layer_atoms(layer));
}

static bool find_cdp(const struct model *model, struct work *work) {
    const struct register_group *cdp = &model->units[NVDLA_CDP], *rdma = &model->units[NVDLA_CDP_RDMA];
    if (!register_group_running(cdp) || !register_group_running(rdma))
        return false;
    struct registers_view view = model_view(model);
    struct cdp_layer *layer = &work->cdp;
    cdp_layer_decode(layer, &view);
    return layer->valid && client_served(model, NVDLA_READ_CDP, layer->source.primary) &&
           client_served(model, NVDLA_WRITE_CDP, layer->destination.primary) &&
           take(work, ACTION_CDP, NVDLA_CDP, cdp_layer_atoms(layer));
}

struct bdma_served schedule_bdma_served(const struct model *model) {
    return (struct bdma_served){
        .read = {client_served(model, NVDLA_READ_BDMA, false), client_served(model, NVDLA_READ_BDMA, true)},
        .write = {client_served(model, NVDLA_WRITE_BDMA, false), client_served(model, NVDLA_WRITE_BDMA, true)},
    };
}

static bool find_bdma(const struct model *model, struct work *work) {
    struct bdma_served answered = schedule_bdma_served(model);
    return bdma_can_run(&model->bdma, &answered) && take(work, ACTION_BDMA, NVDLA_BDMA, bdma_atoms(&model->bdma));
}

static bool find_rubik(const struct model *model, struct work *work) {
    if (!register_group_running(&model->units[NVDLA_RBK]))
        return false;
    struct registers_view view = model_view(model);
    struct rubik_layer *layer = &work->rubik;
    rubik_layer_decode(layer, &view);
    return layer->valid && client_served(model, NVDLA_READ_RUBIK, layer->cubes.source.primary) &&
           client_served(model, NVDLA_WRITE_RUBIK, layer->cubes.destination.primary) &&
           take(work, ACTION_RUBIK, NVDLA_RBK, rubik_layer_atoms(layer));
}

void schedule_find(const struct model *model, struct work *work) {
    work->limits = &model->limits;
    work->action = ACTION_NONE;
    work->too_large = NVDLA_UNIT_COUNT;
    if (!find_cdma(model, work) && !find_csc(model, work) && !find_sdp(model, work) && !find_pdp(model, work) &&
        !find_cdp(model, work) && !find_bdma(model, work))
        find_rubik(model, work);
}

/* ---- why nothing runs ---- */

static void explain_client(struct model *model, enum nvdla_client client, bool primary) {
    struct device *dev = &model->dev;
    if (!dev->memory[primary ? SPACE_PRIMARY : SPACE_SECONDARY])
        return; /* a rule has reported it */
    int offset = client_blocked_by(model, client, primary);
    if (offset != CLIENT_NOT_BLOCKED) {
        const enum nvdla_unit unit = nvdla_clients[client].unit;
        enum nvdla_unit port = primary ? NVDLA_MCIF : NVDLA_CVIF;
        struct device_warning warning = {
            .unit = unit,
            .ordinal = model_ordinal(model, unit),
            .effect = RULE_HANGS,
            .registers = {{nvdla_unit_base(dev->config, port) + (uint32_t)offset,
                           register_group_value(&model->units[port], (uint32_t)offset), true}},
            .register_count = 1};
        const bool count = (uint32_t)offset == MCIF_CFG_OUTSTANDING_CNT;
        static const char *const rules[2][2] = {
            {"the requests of a client with weight 0 wait", "70-memory-interface section 3.1"},
            {"whole bursts never go out", "70-memory-interface section 3.3"}};
        snprintf(warning.rule, sizeof warning.rule, "%s", rules[count][0]);
        warning.section = rules[count][1];
        device_warn(dev, &warning);
    }
}

/* A unit waits for ever (printf text). */
static void explain_wait(struct model *model, enum nvdla_unit unit, const char *section, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void explain_wait(struct model *model, enum nvdla_unit unit, const char *section, const char *format, ...) {
    struct device_warning warning = {
        .unit = unit, .ordinal = register_group_ordinal(&model->units[unit]), .effect = RULE_HANGS, .section = section};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(warning.rule, sizeof warning.rule, format, arguments);
    va_end(arguments);
    device_warn(&model->dev, &warning);
}

static void explain_sdp(struct model *model) {
    const struct register_group *sdp = &model->units[NVDLA_SDP], *rdma = &model->units[NVDLA_SDP_RDMA];
    struct registers_view view = model_view(model);
    struct sdp_layer layer;
    sdp_layer_decode(&layer, &view);
    if (register_group_running(sdp) && !layer.to_pdp && !layer.compare)
        explain_client(model, NVDLA_WRITE_SDP, layer.destination.primary);
    if (!register_group_running(rdma))
        return;
    if (model->rdma_stuck)
        explain_wait(model, NVDLA_SDP_RDMA, "50-sdp section 4", "waits forever with operands that no stage takes");
    if (!layer.shape.flying)
        explain_client(model, NVDLA_READ_SDP, layer.source.primary);
    for (int i = 0; i < SDP_STAGES; i++)
        if (layer.operands[i].enabled)
            explain_client(model, client_operands[i], layer.operands[i].primary);
}

static void explain_convolution(struct model *model) {
    const struct register_group *cdma = &model->units[NVDLA_CDMA], *csc = &model->units[NVDLA_CSC];
    if (register_group_running(cdma)) {
        struct registers_view view = model_view(model);
        struct cdma_cubes cubes = cdma_cubes(&view);
        explain_client(model, NVDLA_READ_CDMA_DAT, cubes.data_primary);
        explain_client(model, NVDLA_READ_CDMA_WT, cubes.weight_primary);
    }
    if (!register_group_running(csc))
        return;
    const struct csc_layer *layer = &model->csc.layer;
    if (!model->csc.started) {
        explain_wait(model, NVDLA_CSC, "30-cdma-cbuf section 3", "waits for CDMA to agree to the change of banks");
    } else if (model->cbuf.data.slices < layer->height) {
        explain_wait(model, NVDLA_CSC, "30-cdma-cbuf section 9.2", "waits for input: CBUF has %zu lines of %zu",
                     model->cbuf.data.slices, layer->height);
    } else if (layer->valid && !csc_can_run(&model->csc, &model->cdma, &model->cbuf, schedule_weights_come(model))) {
        explain_wait(model, NVDLA_CSC, "30-cdma-cbuf section 8", "waits for weights: not all of its %zu kernels arrive",
                     layer->kernels);
    }
}

static void explain_pooling(struct model *model) {
    const struct register_group *pdp = &model->units[NVDLA_PDP], *rdma = &model->units[NVDLA_PDP_RDMA];
    struct registers_view view = model_view(model);
    struct pdp_layer layer;
    pdp_layer_decode(&layer, &view);
    if (register_group_running(pdp))
        explain_client(model, NVDLA_WRITE_PDP, layer.destination.primary);
    if (register_group_running(rdma))
        explain_client(model, NVDLA_READ_PDP, layer.source.primary);
}

static void explain_cdp(struct model *model) {
    const struct register_group *cdp = &model->units[NVDLA_CDP], *rdma = &model->units[NVDLA_CDP_RDMA];
    struct registers_view view = model_view(model);
    struct cdp_layer layer;
    cdp_layer_decode(&layer, &view);
    if (register_group_running(cdp))
        explain_client(model, NVDLA_WRITE_CDP, layer.destination.primary);
    if (register_group_running(rdma))
        explain_client(model, NVDLA_READ_CDP, layer.source.primary);
}

static void explain_movers(struct model *model) {
    if (register_group_running(&model->units[NVDLA_RBK])) {
        struct registers_view view = model_view(model);
        struct rubik_cubes cubes = rubik_cubes(&view);
        explain_client(model, NVDLA_READ_RUBIK, cubes.source.primary);
        explain_client(model, NVDLA_WRITE_RUBIK, cubes.destination.primary);
    }
    if (model->bdma.loading.count > 0) {
        explain_client(model, NVDLA_READ_BDMA, model->bdma.loading.descriptors[0].source.primary);
        explain_client(model, NVDLA_WRITE_BDMA, model->bdma.loading.descriptors[0].destination.primary);
    }
}

void schedule_explain(struct model *model) {
    explain_convolution(model);
    explain_sdp(model);
    explain_pooling(model);
    explain_cdp(model);
    explain_movers(model);
}
