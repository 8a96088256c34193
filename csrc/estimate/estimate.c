/* Layers from a run of events. See estimate.h. */
#include "estimate/estimate.h"

#include <stdlib.h>

#include "layers/cubes.h"
#include "layers/pairing.h"
#include "layers/traffic.h"
#include "nvdla/xalloc.h"
#include "replay/player.h"

#define CLOCKS_MOST UINT64_C(10000000000) /* of a program */

const char *const estimate_engine_names[ESTIMATE_ENGINES] = {"conv", "sdp", "pdp", "cdp", "fused", "move"};
const char *const estimate_limit_names[ESTIMATE_LIMITS] = {"MACs",    "fill", "load",     "unit",  "SDP",
                                                           "weights", "data", "operands", "writes"};

double estimate_use(const struct nvdla_config *config, uint64_t macs, double clocks) {
    return clocks > 0 ? 100.0 * (double)macs / (clocks * config->atomic_c * config->atomic_k) : 0;
}

static enum estimate_engine engine_of(const struct layer_tracker *tracker, const struct launch *launch) {
    if (launch->unit == NVDLA_BDMA || launch->unit == NVDLA_RBK)
        return ESTIMATE_MOVE;
    if (launch->unit == NVDLA_CDP)
        return ESTIMATE_CDP;
    if (launch->unit == NVDLA_PDP)
        return layer_tracker_feeder(tracker, launch, NVDLA_SDP) ? ESTIMATE_FUSED : ESTIMATE_PDP;
    return layer_tracker_feeder(tracker, launch, NVDLA_CSC) ? ESTIMATE_CONV : ESTIMATE_SDP;
}

static const struct flow_launch *flow_launch_of(const struct flow *flow, const struct launch *launch) {
    return launch ? flow->launches[launch->unit].items[launch->ordinal] : NULL;
}

/* Adds what a launch moves and computes. */
static void add_launch(const struct nvdla_config *config, const struct launch *launch, struct estimated_layer *layer) {
    for (int c = 0; c < NVDLA_CLIENT_COUNT; c++) {
        const uint64_t bytes = launch_atoms(config, launch, (enum nvdla_client)c) * (uint64_t)config->mem_atom;
        *(nvdla_clients[c].write ? &layer->write_bytes : &layer->read_bytes) += bytes;
    }
    struct launch_block block;
    for (size_t i = 0; launch_block(config, launch, i, &block); i++) {
        const uint64_t bytes = (uint64_t)block.source.width * (uint64_t)block.source.height *
                               (uint64_t)cube_surfaces(&block.source) * (uint64_t)config->mem_atom;
        layer->read_bytes += bytes;
        layer->write_bytes += bytes;
    }
    layer->macs += launch_macs(launch);
}

/* What the MAC array does most, if that is what limits a layer: its work, as if it were full, the rest, or loading. */
static enum estimate_limit array_limit(const struct flow *flow, const struct launch *csc) {
    const struct nvdla_config *config = flow->dev.config;
    const struct registers_view view = launch_view(config, csc);
    const double *clocks = flow_launch_of(flow, csc)->clocks;
    const int bytes = nvdla_precision_of(config, FIELD(&view, CSC, D_MISC_CFG, PROC_PRECISION)) != NVDLA_INT8 ? 2 : 1;
    const double full = bytes * (double)launch_macs(csc) / (config->atomic_c * config->atomic_k);
    const double fill = clocks[FLOW_MACS] - full;
    if (clocks[FLOW_LOAD] > fill && clocks[FLOW_LOAD] > full)
        return LIMIT_LOAD;
    return fill > full ? LIMIT_FILL : LIMIT_MACS;
}

/* The clocks of the parts that can limit a layer. */
static void weigh(const struct flow *flow, const struct launch *of[NVDLA_UNIT_COUNT], double parts[ESTIMATE_LIMITS]) {
    const struct flow_launch *csc = flow_launch_of(flow, of[NVDLA_CSC]), *sdp = flow_launch_of(flow, of[NVDLA_SDP]);
    static const enum nvdla_unit others[] = {NVDLA_PDP, NVDLA_CDP, NVDLA_BDMA, NVDLA_RBK};
    if (csc) {
        parts[LIMIT_MACS] += csc->clocks[FLOW_MACS] + csc->clocks[FLOW_LOAD];
        parts[LIMIT_WEIGHTS] += csc->clocks[FLOW_KERNELS];
        parts[LIMIT_DATA] += csc->clocks[FLOW_INPUT];
    }
    if (sdp) {
        parts[LIMIT_SDP] += sdp->clocks[FLOW_STAGES];
        parts[LIMIT_OPERANDS] += sdp->clocks[FLOW_OPERANDS];
        parts[LIMIT_WRITES] += sdp->clocks[FLOW_OUTPUT];
        parts[LIMIT_DATA] += csc ? 0 : sdp->clocks[FLOW_INPUT];
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct flow_launch *unit = flow_launch_of(flow, of[others[i]]);
        if (!unit)
            continue;
        parts[LIMIT_UNIT] += unit->clocks[FLOW_PIPE];
        parts[LIMIT_DATA] += sdp ? 0 : unit->clocks[FLOW_INPUT];
        parts[LIMIT_WRITES] += unit->clocks[FLOW_OUTPUT];
    }
}

static void find_limit(const struct flow *flow, const struct launch *of[NVDLA_UNIT_COUNT],
                       struct estimated_layer *layer) {
    double parts[ESTIMATE_LIMITS] = {0}, port = 0;
    weigh(flow, of, parts);
    for (int i = 1; i < ESTIMATE_LIMITS; i++)
        if (parts[i] > parts[layer->limit])
            layer->limit = (enum estimate_limit)i;
    const double most = parts[layer->limit];
    if (layer->limit == LIMIT_MACS && of[NVDLA_CSC])
        layer->limit = array_limit(flow, of[NVDLA_CSC]);
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        const struct flow_launch *launch = flow_launch_of(flow, of[unit]);
        port += launch ? launch->port : 0;
    }
    layer->by_bandwidth = layer->limit == LIMIT_WRITES || port > most / 4;
}

static void describe(const struct flow *flow, const struct launch *launch, struct estimated_layer *layer) {
    static const enum nvdla_unit feeders[] = {NVDLA_CDMA, NVDLA_CSC,      NVDLA_CMAC_A,   NVDLA_CMAC_B,  NVDLA_CACC,
                                              NVDLA_SDP,  NVDLA_SDP_RDMA, NVDLA_PDP_RDMA, NVDLA_CDP_RDMA};
    const struct launch *of[NVDLA_UNIT_COUNT] = {NULL};
    of[launch->unit] = launch;
    for (size_t i = 0; i < sizeof feeders / sizeof *feeders; i++)
        if (feeders[i] != launch->unit)
            of[feeders[i]] = layer_tracker_feeder(flow->tracker, launch, feeders[i]);
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (of[unit])
            add_launch(flow->dev.config, of[unit], layer);
    find_limit(flow, of, layer);
}

/* All layers in order of arming. False with a message if one has not ended. */
static bool collect(const struct flow *flow, const struct program *prog, struct estimate *estimate, struct error *err) {
    double first = -1, last = 0, ended[NVDLA_UNIT_COUNT] = {0};
    char position[512];
    for (size_t i = 0; i < layer_tracker_count(flow->tracker); i++) {
        const struct launch *launch = layer_tracker_launch(flow->tracker, i);
        const struct flow_launch *times = flow_launch_of(flow, launch);
        if (first < 0)
            first = times->armed;
        const double start = flow_later(times->armed, ended[launch->unit]);
        ended[launch->unit] = flow_later(ended[launch->unit], times->end);
        if (!launch_ends_chain(flow->dev.config, launch) || (launch->unit == NVDLA_BDMA && !launch->block_count))
            continue;
        if (times->end == 0)
            return error_set(err, "%s: %s #%d does not end%s",
                             op_position(prog, &prog->ops[launch->tag], position, sizeof position),
                             nvdla_unit_names[launch->unit], launch->ordinal,
                             flow->now >= CLOCKS_MOST ? " within ten thousand million clocks"
                                                      : ": something that it waits for is not programmed");
        struct estimated_layer *layer = xadd(estimate->layers, estimate->count);
        *layer = (struct estimated_layer){.unit = launch->unit,
                                          .ordinal = launch->ordinal,
                                          .position = launch->tag,
                                          .engine = engine_of(flow->tracker, launch),
                                          .start = start,
                                          .end = times->end};
        layer->clocks = layer->end - layer->start;
        last = flow_later(last, layer->end);
        describe(flow, launch, layer);
        estimate->macs += layer->macs;
        estimate->read_bytes += layer->read_bytes;
        estimate->write_bytes += layer->write_bytes;
    }
    for (size_t i = 0; i < estimate->count; i++) {
        estimate->layers[i].start -= first;
        estimate->layers[i].end -= first;
    }
    estimate->clocks = last > first ? last - first : 0;
    return true;
}

bool estimate_program(const struct program *prog, const struct flow_options *options, struct estimate *estimate,
                      struct error *err) {
    struct play_options play_options;
    struct play_result result;
    *estimate = (struct estimate){0};
    struct device *dev = flow_new(prog->config, options, err);
    if (!dev)
        return false;
    play_options_default(&play_options);
    play_options.max_cycles = CLOCKS_MOST;
    play(prog, dev, &play_options, &result);
    const bool good = collect(flow_of(dev), prog, estimate, err);
    play_result_free(&result);
    dev->ops->destroy(dev);
    return good;
}

void estimate_free(struct estimate *estimate) {
    free(estimate->layers);
    *estimate = (struct estimate){0};
}
