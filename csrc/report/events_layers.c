/* Layers, launches and register groups as slices; who feeds whom as flows. See events_parts.h. */
#include <inttypes.h>

#include "layers/cubes.h"
#include "layers/extents.h"
#include "report/events_parts.h"

enum { PRODUCERS = 8 /* most flows into an extent */ };

static int group_track(enum nvdla_unit unit, int group) {
    return 2 * (int)unit + group + 1;
}

/* The end for drawing: what has not ended lasts until the end of the run. */
static uint64_t shown_end(const struct events *events, uint64_t end) {
    return end ? end : events->timeline->cycles;
}

static void put_cube(const struct events *events, const char *name, const struct cube *cube) {
    fprintf(events->out, ",\"%s\":\"%d x %d x %d (w, h, c)\"", name, cube->width, cube->height, cube->channels);
}

/* Traffic of each client, and the clocks in which it waited for the memory or the memory for it. */
static void put_traffic(const struct events *events, const struct timeline_traffic *traffic, int count) {
    for (int i = 0; i < count; i++) {
        const struct nvdla_client_facts *client = &nvdla_clients[traffic[i].client];
        if (traffic[i].bytes == 0 && traffic[i].expected == 0)
            continue;
        fprintf(events->out,
                ",\"%s %s\":{\"bytes\":%" PRIu64 ",\"beats\":%" PRIu64 ",\"waits for an answer\":%" PRIu64
                ",\"refused by the memory\":%" PRIu64 ",\"answer not taken\":%" PRIu64 "}",
                client->name, client->write ? "writes" : "reads", traffic[i].bytes, traffic[i].beats,
                traffic[i].pending, traffic[i].refused, traffic[i].untaken);
    }
}

/* ---- layers ---- */

static void put_sizes(const struct events *events, const struct report_layer *layer) {
    const struct nvdla_config *config = events->report->input.prog->config;
    struct cube cube;
    bool primary, input = false;
    for (int i = -1; i < layer->feeder_count; i++) {
        const struct launch *launch = i < 0 ? layer->launch : layer->feeders[i];
        if (!input && launch_input_cube(config, launch, &cube, &primary)) {
            put_cube(events, "input", &cube);
            input = true;
        }
        if (launch->unit == NVDLA_CDMA) {
            const struct registers_view view = launch_view(config, launch);
            const struct cdma_cubes cubes = cdma_cubes(&view);
            fprintf(events->out, ",\"kernels\":%" PRIu64 ",\"bytes of a kernel\":%" PRIu64, cubes.kernels,
                    cubes.kernel_bytes);
        }
    }
    if (launch_output_cube(config, layer->launch, &cube, &primary))
        put_cube(events, "output", &cube);
}

static void write_layer(struct events *events, const struct report_layer *layer) {
    char kind[64], name[96];
    const enum nvdla_unit unit = layer->launch->unit;
    report_layer_kind(layer, kind, sizeof kind);
    snprintf(name, sizeof name, "%s #%d %s", nvdla_unit_names[unit], layer->launch->ordinal, kind);
    events_slice(events, EVENTS_LAYERS, (int)unit + 1, layer->start, shown_end(events, layer->end),
                 layer->end ? "layer" : "unfinished", name);
    const struct network_layer *network = network_layer_of(&events->network, unit, layer->launch->ordinal);
    if (network)
        fprintf(events->out, ",\"layer of the network\":\"%u.%u %s\"", network->task, network->operation,
                network->type);
    put_sizes(events, layer);
    if (layer->macs > 0)
        fprintf(events->out, ",\"macs\":%" PRIu64 ",\"utilisation %%\":%.2f", layer->macs,
                100 * report_layer_utilisation(events->report, layer));
    fprintf(events->out, ",\"read bytes\":%" PRIu64 ",\"write bytes\":%" PRIu64, layer->read_bytes, layer->write_bytes);
    if (layer->wrong)
        fprintf(events->out, ",\"wrong bytes\":%" PRIu64, layer->wrong);
    put_traffic(events, layer->traffic, NVDLA_CLIENT_COUNT);
    fputs("}}", events->out);
}

/* ---- launches ---- */

static void put_launch(const struct events *events, const struct timeline_launch *launch) {
    fprintf(events->out, ",\"group\":%d", launch->group);
    if (launch->first)
        fprintf(events->out, ",\"first beat\":%" PRIu64 ",\"last beat\":%" PRIu64, launch->first, launch->last);
    put_traffic(events, launch->traffic, launch->traffic_count);
    fputs("}}", events->out);
}

/* A launch in its engine, from its start, and in its register group, from its arming until the group is armed again. */
static void write_launch(struct events *events, size_t index, uint64_t next_armed) {
    const struct timeline_launch *launch = &events->timeline->launches[index];
    const struct report_span *span = &events->layers.spans[index];
    const char *category = span->end ? "launch" : "unfinished";
    char name[64];
    uint64_t end = shown_end(events, span->end);
    snprintf(name, sizeof name, "%s #%d", nvdla_unit_names[launch->unit], launch->ordinal);
    events_slice(events, EVENTS_ENGINES, (int)launch->unit + 1, span->start, end, category, name);
    put_launch(events, launch);
    end = next_armed && next_armed < end ? next_armed : end;
    const int track = group_track(launch->unit, launch->group);
    events_slice(events, EVENTS_GROUPS, track, launch->armed, end, "armed", name);
    fputs("}}", events->out);
    const uint64_t start = span->start < end ? span->start : end;
    if (start > launch->armed) {
        events_slice(events, EVENTS_GROUPS, track, launch->armed, start, "wait", "waits for the other group");
        fputs("}}", events->out);
    }
}

static void write_unit(struct events *events, int unit) {
    const struct report_layers *layers = &events->layers;
    bool named[2] = {false, false};
    char name[64];
    if (layers->first[unit] == layers->first[unit + 1])
        return;
    events_track(events, EVENTS_ENGINES, unit + 1, nvdla_unit_names[unit]);
    for (size_t n = layers->first[unit]; n < layers->first[unit + 1]; n++) {
        const int group = events->timeline->launches[layers->places[n]].group;
        uint64_t next = 0;
        for (size_t m = n + 1; m < layers->first[unit + 1] && !next; m++)
            if (events->timeline->launches[layers->places[m]].group == group)
                next = events->timeline->launches[layers->places[m]].armed;
        if (!named[group]) {
            snprintf(name, sizeof name, "%s group %d", nvdla_unit_names[unit], group);
            events_track(events, EVENTS_GROUPS, group_track((enum nvdla_unit)unit, group), name);
            named[group] = true;
        }
        write_launch(events, layers->places[n], next);
    }
}

/* ---- flows ---- */

/* Streams between engines of a layer. */
static const struct {
    enum nvdla_unit from, to;
} streams[] = {{NVDLA_CDMA, NVDLA_CSC},     {NVDLA_CSC, NVDLA_CMAC_A},  {NVDLA_CSC, NVDLA_CMAC_B},
               {NVDLA_CMAC_A, NVDLA_CACC},  {NVDLA_CMAC_B, NVDLA_CACC}, {NVDLA_CACC, NVDLA_SDP},
               {NVDLA_SDP_RDMA, NVDLA_SDP}, {NVDLA_SDP, NVDLA_PDP},     {NVDLA_PDP_RDMA, NVDLA_PDP},
               {NVDLA_CDP_RDMA, NVDLA_CDP}};

static const struct report_span *span_of(const struct events *events, const struct report_layer *layer,
                                         enum nvdla_unit unit) {
    if (layer->launch->unit == unit)
        return report_layer_span(&events->layers, layer->launch);
    for (int i = 0; i < layer->feeder_count; i++)
        if (layer->feeders[i]->unit == unit)
            return report_layer_span(&events->layers, layer->feeders[i]);
    return NULL;
}

static void write_streams(struct events *events, const struct report_layer *layer) {
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        const struct report_span *from = span_of(events, layer, streams[i].from),
                                 *to = span_of(events, layer, streams[i].to);
        if (!from || !to)
            continue;
        const uint64_t clock = from->start > to->start ? from->start : to->start;
        if (clock < shown_end(events, from->end) && clock + 1 < shown_end(events, to->end))
            events_flow(events, "stream", EVENTS_ENGINES, (int)streams[i].from + 1, EVENTS_ENGINES,
                        (int)streams[i].to + 1, clock, clock + 1);
    }
}

/* The layer that ends with a launch; NULL: none. Layers are in order of arming, as their tags are. */
static const struct report_layer *layer_of(const struct report_layers *layers, const struct launch *launch) {
    size_t low = 0, high = layers->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (layers->items[middle].launch->tag < launch->tag)
            low = middle + 1;
        else
            high = middle;
    }
    return low < layers->count && layers->items[low].launch == launch ? &layers->items[low] : NULL;
}

/* Flows to a layer from those that last wrote what one of its launches reads, by their addresses. */
static void write_producers(struct events *events, const struct report_layer *layer, const struct launch *reader,
                            const struct memory_extent *extent) {
    size_t count;
    int flows = 0;
    const struct output *outputs = writers_outputs(events->report->writers, &count);
    const uint64_t last = extent->start + (extent->size - 1);
    const struct report_layer *before = NULL;
    for (size_t i = count; i-- > 0 && flows < PRODUCERS;) {
        const struct output *output = &outputs[i];
        if (output->launch->tag >= reader->tag || (output->space == SPACE_PRIMARY) != extent->primary ||
            output->first > last || output->last < extent->start)
            continue;
        const struct report_layer *from = layer_of(&events->layers, output->launch);
        if (from && from != before && from != layer && from->counted && from->end > from->start && layer->counted) {
            const uint64_t to = layer->start > from->end ? layer->start : from->end;
            if (to < shown_end(events, layer->end)) {
                events_flow(events, "memory", EVENTS_LAYERS, (int)from->launch->unit + 1, EVENTS_LAYERS,
                            (int)layer->launch->unit + 1, from->end - 1, to);
                flows++;
            }
            before = from;
        }
        if (output->first <= extent->start && output->last >= last)
            return;
    }
}

static void write_memory_flows(struct events *events, const struct report_layer *layer) {
    struct memory_extent extents[LAUNCH_EXTENTS];
    for (int i = -1; i < layer->feeder_count; i++) {
        const struct launch *launch = i < 0 ? layer->launch : layer->feeders[i];
        const size_t count = launch_reads(events->report->input.prog->config, launch, extents);
        for (size_t e = 0; e < count; e++)
            if (extents[e].size > 0)
                write_producers(events, layer, launch, &extents[e]);
    }
}

void events_layers(struct events *events) {
    const struct report_layers *layers = &events->layers;
    uint32_t named = 0;
    char name[64];
    for (size_t i = 0; i < layers->count; i++) {
        const struct report_layer *layer = &layers->items[i];
        const enum nvdla_unit unit = layer->launch->unit;
        if (!layer->counted)
            continue;
        if (!(named >> unit & 1)) {
            snprintf(name, sizeof name, "%s layers", nvdla_unit_names[unit]);
            events_track(events, EVENTS_LAYERS, (int)unit + 1, name);
        }
        named |= UINT32_C(1) << unit;
        write_layer(events, layer);
        write_memory_flows(events, layer);
        write_streams(events, layer);
    }
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        write_unit(events, unit);
}
