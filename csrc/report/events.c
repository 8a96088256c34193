/* A run's events as JSON. See events.h. */
#include "report/events.h"

#include <inttypes.h>

#include "layers/cubes.h"
#include "layers/extents.h"
#include "nvdla/engines.h"
#include "nvdla/text.h"
#include "replay/hang_triage.h"
#include "report/json_parts.h"
#include "trace/network.h"

enum { PRODUCERS = 8 /* most flows into an extent */ };
enum { TRACK_MARKS = 1, TRACK_FINDINGS };

/* ---- layers and launches ---- */

/* Traffic of each client: name and direction, bytes, beats, and the clocks in which it waited for the memory or the
 * memory for it. */
static json_t *json_traffic(const struct timeline_traffic *traffic, int count) {
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        const struct nvdla_client_facts *client = &nvdla_clients[traffic[i].client];
        if (traffic[i].bytes > 0 || traffic[i].expected > 0)
            json_array_append_new(
                list,
                json_pack("[o, o, o, o, o, o]", json_sprintf("%s %s", client->name, client->write ? "writes" : "reads"),
                          json_u64(traffic[i].bytes), json_u64(traffic[i].beats), json_u64(traffic[i].pending),
                          json_u64(traffic[i].refused), json_u64(traffic[i].untaken)));
    }
    return list;
}

static json_t *json_cube(const struct cube *cube) {
    return json_sprintf("%d x %d x %d (w, h, c)", cube->width, cube->height, cube->channels);
}

/* Cubes and kernels of a layer, by the names that are shown. */
static json_t *json_sizes(const struct nvdla_config *config, const struct report_layer *layer) {
    json_t *json = json_object();
    struct cube cube;
    bool primary, input = false;
    for (int i = -1; i < layer->feeder_count; i++) {
        const struct launch *launch = i < 0 ? layer->launch : layer->feeders[i];
        if (!input && launch_input_cube(config, launch, &cube, &primary)) {
            json_object_set_new(json, "input", json_cube(&cube));
            input = true;
        }
        if (launch->unit == NVDLA_CDMA) {
            const struct registers_view view = launch_view(config, launch);
            const struct cdma_cubes cubes = cdma_cubes(&view);
            json_object_set_new(json, "kernels", json_u64(cubes.kernels));
            json_object_set_new(json, "bytes of a kernel", json_u64(cubes.kernel_bytes));
        }
    }
    if (launch_output_cube(config, layer->launch, &cube, &primary))
        json_object_set_new(json, "output", json_cube(&cube));
    return json;
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

/* Adds the layers that last wrote what one launch of a layer reads, by their addresses: unit, last clock of the one,
 * clock from which the other has it. */
static void add_producers(json_t *list, const struct report *report, const struct report_layers *layers,
                          const struct report_layer *layer, const struct launch *reader,
                          const struct memory_extent *extent) {
    size_t count;
    int flows = 0;
    const struct launch_output *outputs = writers_outputs(report->writers, &count);
    const uint64_t last = extent->start + (extent->size - 1);
    const uint64_t layer_end = layer->end ? layer->end : layers->timeline->cycles;
    const struct report_layer *before = NULL;
    for (size_t i = count; i-- > 0 && flows < PRODUCERS;) {
        const struct launch_output *output = &outputs[i];
        if (output->launch->tag >= reader->tag || (output->space == SPACE_PRIMARY) != extent->primary ||
            output->first > last || output->last < extent->start)
            continue;
        const struct report_layer *from = layer_of(layers, output->launch);
        if (from && from != before && from != layer && from->counted && from->end > from->start && layer->counted) {
            const uint64_t to = layer->start > from->end ? layer->start : from->end;
            if (to < layer_end) {
                json_array_append_new(
                    list, json_pack("[i, o, o]", (int)from->launch->unit, json_u64(from->end - 1), json_u64(to)));
                flows++;
            }
            before = from;
        }
        if (output->first <= extent->start && output->last >= last)
            return;
    }
}

static json_t *json_layer_events(const struct report *report, const struct report_layers *layers,
                                 const struct report_layer *layer, const struct network *network) {
    const struct nvdla_config *config = report->input.prog->config;
    const struct network_layer *named = network_layer_of(network, layer->launch->unit, layer->launch->ordinal);
    struct memory_extent extents[LAUNCH_EXTENTS];
    char kind[64];
    json_t *parts = json_array(), *producers = json_array();
    for (int i = -1; i < layer->feeder_count; i++) {
        const struct launch *launch = i < 0 ? layer->launch : layer->feeders[i];
        const size_t count = launch_reads(config, launch, extents);
        json_array_append_new(parts, json_pack("[i, i]", (int)launch->unit, launch->ordinal));
        for (size_t e = 0; e < count; e++)
            if (extents[e].size > 0)
                add_producers(producers, report, layers, layer, launch, &extents[e]);
    }
    return json_pack("{s:i, s:i, s:s, s:o, s:o, s:o*, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "unit",
                     (int)layer->launch->unit, "launch", layer->launch->ordinal, "kind",
                     report_layer_kind(layer, kind, sizeof kind), "start", json_u64(layer->start), "end",
                     json_u64(layer->end), "network",
                     named ? json_sprintf("%u.%u %s", named->task, named->operation, named->type) : NULL, "sizes",
                     json_sizes(config, layer), "macs", json_u64(layer->macs), "utilisation",
                     report_layer_utilisation(report, layer), "read", json_u64(layer->read_bytes), "write",
                     json_u64(layer->write_bytes), "wrong", json_u64(layer->wrong), "traffic",
                     json_traffic(layer->traffic, NVDLA_CLIENT_COUNT), "parts", parts, "producers", producers);
}

static json_t *json_all_layers(const struct report *report, const struct report_layers *layers) {
    struct network network;
    struct error unnamed; /* reported where the trace is judged */
    json_t *list = json_array();
    if (!network_read(report->input.prog, &network, &unnamed))
        network = (struct network){0};
    for (size_t i = 0; i < layers->count; i++)
        if (layers->items[i].counted)
            json_array_append_new(list, json_layer_events(report, layers, &layers->items[i], &network));
    network_free(&network);
    return list;
}

/* ---- what happened when ---- */

/* Register accesses: first and last clock, register, value, number of equal ones, whether it writes. */
static json_t *json_accesses(const struct nvdla_config *config, const struct timeline *timeline) {
    json_t *list = json_array();
    for (size_t i = 0; i < timeline->access_count; i++) {
        const struct timeline_access *access = &timeline->accesses[i];
        char name[96];
        json_array_append_new(list, json_pack("[o, o, s, o, o, b]", json_u64(access->cycle), json_u64(access->last),
                                              nvdla_register_name(config, access->address, name, sizeof name),
                                              json_u64(access->value), json_u64(access->count), access->write));
    }
    return list;
}

/* Interrupts: first clock, first one after it, the bits that the trace cleared, and their names. */
static json_t *json_interrupts(const struct timeline *timeline) {
    json_t *list = json_array();
    for (size_t i = 0; i < timeline->interrupt_count; i++) {
        const struct timeline_interrupt *interrupt = &timeline->interrupts[i];
        json_t *names = json_array();
        for (int bit = 0; bit < 32; bit++)
            if (interrupt->bits >> bit & 1 && nvdla_interrupt_name(bit))
                json_array_append_new(names, json_string(nvdla_interrupt_name(bit)));
        json_array_append_new(list, json_pack("[o, o, o, o]", json_u64(interrupt->rise), json_u64(interrupt->fall),
                                              json_u64(interrupt->bits), names));
    }
    return list;
}

static void add_mark(json_t *list, int track, uint64_t clock, const char *category, const char *text) {
    json_array_append_new(list, json_pack("[i, o, s, o]", track, json_u64(clock), category, json_text(text)));
}

/* Where it went wrong, and findings: track, clock, category, text. */
static json_t *json_marks(const struct report *report, const struct report_layers *layers) {
    const struct report_input *in = &report->input;
    const struct mismatch *first = report->mismatch_count > 0 ? &report->mismatches[0] : NULL;
    const struct hang *hang = in->played[0].result->hang;
    const struct device *dev = in->played[0].dev;
    json_t *list = json_array();
    uint64_t clock = 0;
    const char *what = "first wrong byte";
    if (in->diagnosis && in->diagnosis->cycle)
        add_mark(list, TRACK_MARKS, in->diagnosis->cycle, "first sign", in->diagnosis->walk.sentence);
    if (in->wrong) {
        clock = in->wrong->beat.cycle;
        what = "first wrong beat";
    } else if (hang && hang->triage) {
        clock = hang->triage->cycle;
        what = "last movement";
    } else if (first) {
        clock = report_cycle(report, 0, first->space, first->first, first->output);
        const struct report_span *span = first->output ? report_layer_span(layers, first->output->launch) : NULL;
        if (!clock && span) { /* never written: at the latest, it should have been by then */
            clock = span->end;
            what = "end of the layer with the first wrong byte";
        }
    }
    if (clock)
        add_mark(list, TRACK_MARKS, clock, what, report_reason(report));
    for (size_t i = 0; i < dev->finding_count; i++)
        add_mark(list, TRACK_FINDINGS, dev->findings[i].cycle, dev->findings[i].rule, dev->findings[i].text);
    return list;
}

/* The link on which CSC hands atoms to the MACs, its first; NULL: it is not visible. */
static const char *macs_link(const struct timeline *timeline) {
    for (int i = 0; i < timeline->link_count; i++)
        if (timeline->links[i].from == ENGINE_CSC)
            return timeline->links[i].name;
    return NULL;
}

json_t *events_value(const struct report *report) {
    const struct report_input *in = &report->input;
    struct report_layers layers = report_layers(report);
    const struct timeline *timeline = layers.timeline;
    if (!timeline) {
        report_layers_free(&layers);
        return NULL;
    }
    json_t *units = json_array(), *lanes = json_object(), *traffic = json_array();
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        json_array_append_new(units, json_string(nvdla_unit_names[unit]));
    for (int engine = 0; engine < ENGINE_COUNT; engine++)
        if (nvdla_engines[engine].lane)
            json_object_set_new(lanes, nvdla_engines[engine].lane, json_integer(engine));
    for (size_t i = 0; i < timeline->launch_count; i++)
        json_array_append_new(traffic,
                              json_traffic(timeline->launches[i].traffic, timeline->launches[i].traffic_count));
    json_t *json = json_pack(
        "{s:o, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s?, s:o}", "trace", json_text(in->name),
        "configuration", in->prog->config->name, "device", json_text(in->played[0].dev->name), "status",
        report_status_text(report_status(report)), "layers", json_all_layers(report, &layers), "units", units, "lanes",
        lanes, "traffic", traffic, "accesses", json_accesses(in->prog->config, timeline), "accesses_dropped",
        json_u64(timeline->accesses_dropped), "interrupts", json_interrupts(timeline), "interrupts_dropped",
        json_u64(timeline->interrupts_dropped), "marks", json_marks(report, &layers), "macs_link", macs_link(timeline),
        "timeline", json_timeline(report, &layers));
    report_layers_free(&layers);
    return json;
}
