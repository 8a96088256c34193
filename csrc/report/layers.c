/* Costs of the layers of a run; see layers.h. */
#include "report/layers.h"

#include <stdio.h>
#include <stdlib.h>

#include "layers/cubes.h"
#include "layers/traffic.h"
#include "nvdla/xalloc.h"

static bool ends_chain(const struct nvdla_config *config, const struct launch *launch) {
    switch (launch->unit) {
    case NVDLA_SDP: {
        const struct registers_view view = launch_view(config, launch);
        return !sdp_cubes(&view).to_pdp;
    }
    case NVDLA_PDP:
    case NVDLA_CDP:
    case NVDLA_BDMA:
    case NVDLA_RBK:
        return true;
    default:
        return false;
    }
}

static const struct timeline *timeline_of(const struct report *report) {
    for (int i = 0; i < report->input.played_count; i++) {
        const struct rtl_statistics *rtl = report->input.played[i].result->statistics.rtl;
        if (rtl && rtl->timeline)
            return rtl->timeline;
    }
    return NULL;
}

/* Start of a launch by its own unit. */
static uint64_t start_of(const struct timeline *timeline, const struct timeline_launch *launch) {
    const struct timeline_launch *before =
        launch->ordinal > 0 ? timeline_find(timeline, launch->unit, launch->ordinal - 1) : NULL;
    const uint64_t free_from = before ? timeline_end(before) : 0;
    return free_from > launch->armed ? free_from : launch->armed;
}

static void add_traffic(struct report_layer *layer, const struct timeline_launch *counted) {
    for (int i = 0; i < counted->traffic_count; i++) {
        const struct timeline_traffic *from = &counted->traffic[i];
        struct timeline_traffic *to = &layer->traffic[from->client];
        *to = *from;
        if (nvdla_clients[from->client].write)
            layer->write_bytes += from->bytes;
        else
            layer->read_bytes += from->bytes;
    }
}

/* The layer's own launch (-1) or one of its feeders. */
static const struct launch *part(const struct report_layer *layer, int index) {
    return index < 0 ? layer->launch : layer->feeders[index];
}

static void fill_layer(struct report_layer *layer, const struct report *report, const struct timeline *timeline) {
    const struct nvdla_config *config = report->input.prog->config;
    layer->feeder_count = report_feeders(report, layer->launch, layer->feeders);
    for (int i = -1; i < layer->feeder_count; i++) {
        const struct launch *launch = part(layer, i);
        layer->macs += launch_macs(launch);
        for (int client = 0; client < NVDLA_CLIENT_COUNT; client++)
            layer->expected[client] +=
                launch_atoms(config, launch, (enum nvdla_client)client) * (uint64_t)config->mem_atom;
        const struct timeline_launch *counted =
            timeline ? timeline_find(timeline, launch->unit, launch->ordinal) : NULL;
        if (counted)
            add_traffic(layer, counted);
        if (counted && i < 0) {
            layer->counted = true;
            layer->start = start_of(timeline, counted);
            layer->end = timeline_end(counted);
            layer->clocks = layer->end > layer->start ? layer->end - layer->start : 0;
        }
    }
    for (size_t i = 0; i < report->mismatch_count; i++)
        if (report->mismatches[i].output && report->mismatches[i].output->launch == layer->launch)
            layer->wrong += report->mismatches[i].count;
    if (report->input.wrong && report_wrong_launch(report) == layer->launch)
        layer->wrong = (uint64_t)__builtin_popcountll(report->input.wrong->wrong);
}

struct report_layers report_layers(const struct report *report) {
    const struct layer_tracker *launches = report->input.launches;
    struct report_layers layers = {.timeline = timeline_of(report)};
    for (size_t i = 0; i < layer_tracker_count(launches); i++) {
        const struct launch *launch = layer_tracker_launch(launches, i);
        if (!ends_chain(report->input.prog->config, launch))
            continue;
        layers.items = xgrow(layers.items, layers.count, sizeof *layers.items);
        layers.items[layers.count] = (struct report_layer){.launch = launch};
        fill_layer(&layers.items[layers.count++], report, layers.timeline);
    }
    return layers;
}

void report_layers_free(struct report_layers *layers) {
    free(layers->items);
    layers->items = NULL;
    layers->count = 0;
}

bool report_layer_span(const struct report_layers *layers, const struct launch *launch, uint64_t *start,
                       uint64_t *end) {
    const struct timeline_launch *counted =
        layers->timeline ? timeline_find(layers->timeline, launch->unit, launch->ordinal) : NULL;
    if (!counted)
        return false;
    *start = start_of(layers->timeline, counted);
    *end = timeline_end(counted);
    for (size_t l = 0; l < layers->count && !*end; l++)
        for (int i = 0; i < layers->items[l].feeder_count; i++)
            if (layers->items[l].feeders[i] == launch)
                *end = layers->items[l].end;
    return true;
}

double report_layer_utilisation(const struct report *report, const struct report_layer *layer) {
    const struct nvdla_config *config = report->input.prog->config;
    return layer->clocks ? (double)layer->macs / ((double)layer->clocks * config->atomic_c * config->atomic_k) : 0;
}

char *report_layer_kind(const struct report_layer *layer, char *text, size_t size) {
    bool convolution = false, sdp = false;
    for (int i = 0; i < layer->feeder_count; i++) {
        convolution = convolution || layer->feeders[i]->unit == NVDLA_CSC;
        sdp = sdp || layer->feeders[i]->unit == NVDLA_SDP;
    }
    snprintf(text, size, "%s%s%s", convolution ? "convolution + " : "", sdp ? "SDP + " : "",
             nvdla_unit_names[layer->launch->unit]);
    return text;
}
