/* Costs of the layers of a run; see layers.h. */
#include "report/layers.h"

#include <stdio.h>
#include <stdlib.h>

#include "layers/pairing.h"
#include "layers/traffic.h"
#include "nvdla/xalloc.h"

static const struct timeline *timeline_of(const struct report *report) {
    for (int i = 0; i < report->input.played_count; i++) {
        const struct rtl_statistics *rtl = report->input.played[i].result->statistics.rtl;
        if (rtl && rtl->timeline)
            return rtl->timeline;
    }
    return NULL;
}

/* ---- spans ---- */

/* Sorts the launches of the timeline by unit; those of a unit are in order. */
static void place_launches(struct report_layers *layers) {
    const struct timeline *timeline = layers->timeline;
    size_t next[NVDLA_UNIT_COUNT];
    for (size_t i = 0; i < timeline->launch_count; i++)
        layers->first[timeline->launches[i].unit + 1]++;
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        layers->first[unit + 1] += layers->first[unit];
        next[unit] = layers->first[unit];
    }
    layers->places = xcalloc(timeline->launch_count + 1, sizeof *layers->places);
    layers->spans = xcalloc(timeline->launch_count + 1, sizeof *layers->spans);
    for (size_t i = 0; i < timeline->launch_count; i++) {
        layers->places[next[timeline->launches[i].unit]++] = i;
        layers->spans[i].end = timeline_end(&timeline->launches[i]);
    }
}

/* Index of a launch in the timeline, its launch_count if that does not have it. */
static size_t place_of(const struct report_layers *layers, const struct launch *launch) {
    if (!layers->timeline)
        return 0;
    const size_t place = layers->first[launch->unit] + (size_t)launch->ordinal;
    return place < layers->first[launch->unit + 1] ? layers->places[place] : layers->timeline->launch_count;
}

/* Launches that feed a layer and have no end of their own end with it. */
static void end_feeders(struct report_layers *layers, const struct report_layer *layer) {
    const size_t count = layers->timeline->launch_count, last = place_of(layers, layer->launch);
    for (int i = 0; i < layer->feeder_count && last < count; i++) {
        const size_t place = place_of(layers, layer->feeders[i]);
        if (place < count && layers->spans[place].end == 0)
            layers->spans[place].end = layers->spans[last].end;
    }
}

static void start_launches(struct report_layers *layers) {
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        uint64_t free_from = 0;
        for (size_t n = layers->first[unit]; n < layers->first[unit + 1]; n++) {
            struct report_span *span = &layers->spans[layers->places[n]];
            const uint64_t armed = layers->timeline->launches[layers->places[n]].armed;
            span->start = free_from > armed ? free_from : armed;
            if (span->end && span->end < span->start)
                span->start = span->end;
            free_from = span->end > free_from ? span->end : free_from;
        }
    }
}

const struct timeline_launch *report_layer_counted(const struct report_layers *layers, const struct launch *launch) {
    const size_t place = place_of(layers, launch);
    return layers->timeline && place < layers->timeline->launch_count ? &layers->timeline->launches[place] : NULL;
}

const struct report_span *report_layer_span(const struct report_layers *layers, const struct launch *launch) {
    const size_t place = place_of(layers, launch);
    return layers->timeline && place < layers->timeline->launch_count ? &layers->spans[place] : NULL;
}

/* ---- layers ---- */

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

/* What its registers ask for. */
static void plan_layer(struct report_layer *layer, const struct report *report) {
    const struct nvdla_config *config = report->input.prog->config;
    layer->feeder_count = report_feeders(report, layer->launch, layer->feeders);
    for (int i = -1; i < layer->feeder_count; i++) {
        const struct launch *launch = part(layer, i);
        layer->macs += launch_macs(launch);
        for (int client = 0; client < NVDLA_CLIENT_COUNT; client++)
            layer->expected[client] +=
                launch_atoms(config, launch, (enum nvdla_client)client) * (uint64_t)config->mem_atom;
    }
    for (size_t i = 0; i < report->mismatch_count; i++)
        if (report->mismatches[i].output && report->mismatches[i].output->launch == layer->launch)
            layer->wrong += report->mismatches[i].count;
    if (report->input.wrong && report_wrong_launch(report) == layer->launch)
        layer->wrong = (uint64_t)__builtin_popcountll(report->input.wrong->wrong);
}

/* The activity of the RTL, if it was counted. */
static void find_activity(struct report_layers *layers, const struct report *report) {
    for (int i = 0; i < report->input.played_count; i++) {
        const struct rtl_statistics *rtl = report->input.played[i].result->statistics.rtl;
        if (!rtl || !rtl->activity || rtl->activity->count == 0)
            continue;
        layers->activity = rtl->activity;
        layers->activity_clocks = rtl->wave_cycles;
    }
}

/* What was counted. */
static void count_layer(struct report_layer *layer, const struct report_layers *layers) {
    const struct report_span *span = report_layer_span(layers, layer->launch);
    for (int i = -1; i < layer->feeder_count; i++) {
        const struct timeline_launch *counted = report_layer_counted(layers, part(layer, i));
        if (counted)
            add_traffic(layer, counted);
    }
    if (!span)
        return;
    layer->counted = true;
    layer->start = span->start;
    layer->end = span->end;
    layer->clocks = layer->end > layer->start ? layer->end - layer->start : 0;
}

struct report_layers report_layers(const struct report *report) {
    const struct layer_tracker *launches = report->input.launches;
    struct report_layers layers = {.timeline = timeline_of(report)};
    find_activity(&layers, report);
    for (size_t i = 0; i < layer_tracker_count(launches); i++) {
        const struct launch *launch = layer_tracker_launch(launches, i);
        if (!launch_ends_chain(report->input.prog->config, launch))
            continue;
        struct report_layer *layer = xadd(layers.items, layers.count);
        *layer = (struct report_layer){.launch = launch};
        plan_layer(layer, report);
    }
    if (!layers.timeline)
        return layers;
    place_launches(&layers);
    for (size_t i = 0; i < layers.count; i++)
        end_feeders(&layers, &layers.items[i]);
    start_launches(&layers);
    for (size_t i = 0; i < layers.count; i++)
        count_layer(&layers.items[i], &layers);
    return layers;
}

void report_layers_free(struct report_layers *layers) {
    free(layers->items);
    free(layers->spans);
    free(layers->places);
    layers->items = NULL;
    layers->count = 0;
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
