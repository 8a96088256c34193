/* Layers and timeline of a run as JSON; docs/results.md describes them. */
#include "report/layers_json.h"

#include <string.h>

#include "report/json_text.h"

static json_t *number(uint64_t value) {
    return json_integer((json_int_t)value);
}

static json_t *json_client(const struct report_layer *layer, enum nvdla_client client) {
    json_t *json = json_pack("{s:s, s:b, s:o}", "client", nvdla_clients[client].name, "write",
                             (int)nvdla_clients[client].write, "expected", number(layer->expected[client]));
    const struct timeline_traffic *traffic = &layer->traffic[client];
    if (layer->counted)
        json_object_update_new(json, json_pack("{s:o, s:o, s:o, s:o, s:o}", "bytes", number(traffic->bytes), "beats",
                                               number(traffic->beats), "pending", number(traffic->pending), "refused",
                                               number(traffic->refused), "untaken", number(traffic->untaken)));
    return json;
}

static json_t *json_layer(const struct report *report, const struct report_layer *layer) {
    char position[REPORT_POSITION], kind[64];
    json_t *clients = json_array();
    for (int c = 0; c < NVDLA_CLIENT_COUNT; c++)
        if (layer->expected[c] > 0 || layer->traffic[c].bytes > 0)
            json_array_append_new(clients, json_client(layer, (enum nvdla_client)c));
    json_t *json = json_pack("{s:s, s:i, s:o, s:s, s:o, s:o, s:o}", "unit", nvdla_unit_names[layer->launch->unit],
                             "launch", layer->launch->ordinal, "position",
                             json_text(report_launch_position(report, layer->launch, position, sizeof position)),
                             "kind", report_layer_kind(layer, kind, sizeof kind), "macs", number(layer->macs), "wrong",
                             number(layer->wrong), "clients", clients);
    if (!layer->counted)
        return json;
    json_object_update_new(json, json_pack("{s:o, s:o, s:o}", "start", number(layer->start), "read_bytes",
                                           number(layer->read_bytes), "write_bytes", number(layer->write_bytes)));
    if (layer->clocks > 0)
        json_object_update_new(json,
                               json_pack("{s:o, s:o}", "end", number(layer->end), "clocks", number(layer->clocks)));
    if (layer->clocks > 0 && layer->macs > 0)
        json_object_set_new(json, "utilisation", json_real(report_layer_utilisation(report, layer)));
    return json;
}

json_t *json_layers(const struct report *report, const struct report_layers *layers) {
    json_t *list = json_array();
    for (size_t i = 0; i < layers->count; i++)
        json_array_append_new(list, json_layer(report, &layers->items[i]));
    return list;
}

/* One member of all buckets; omitted if all are 0. */
static void add_series(json_t *json, const char *name, const struct timeline *timeline, size_t offset) {
    json_t *series = json_array();
    bool any = false;
    for (size_t b = 0; b < timeline->count; b++) {
        uint32_t value;
        memcpy(&value, (const char *)&timeline->buckets[b] + offset, sizeof value);
        any = any || value > 0;
        json_array_append_new(series, number(value));
    }
    if (any)
        json_object_set(json, name, series);
    json_decref(series);
}

static json_t *json_clients(const struct timeline *timeline) {
    static const struct {
        const char *name;
        size_t offset;
    } members[] = {{"beats", offsetof(struct timeline_bucket, beats)},
                   {"bytes", offsetof(struct timeline_bucket, bytes)},
                   {"pending", offsetof(struct timeline_bucket, pending)},
                   {"outstanding", offsetof(struct timeline_bucket, outstanding)},
                   {"refused", offsetof(struct timeline_bucket, refused)},
                   {"untaken", offsetof(struct timeline_bucket, untaken)}};
    json_t *clients = json_array();
    for (size_t c = 0; c < NVDLA_CLIENT_COUNT; c++) {
        json_t *json = json_object();
        for (size_t m = 0; m < sizeof members / sizeof *members; m++)
            add_series(json, members[m].name, timeline, members[m].offset + c * sizeof(uint32_t));
        if (json_object_size(json) > 0) {
            json_object_set_new(json, "client", json_string(nvdla_clients[c].name));
            json_object_set_new(json, "write", json_boolean(nvdla_clients[c].write));
            json_array_append(clients, json);
        }
        json_decref(json);
    }
    return clients;
}

json_t *json_timeline(const struct report_layers *layers) {
    const struct timeline *timeline = layers->timeline;
    json_t *links = json_object(), *launches = json_array();
    for (int i = 0; i < timeline->link_count; i++)
        add_series(links, timeline->links[i].name, timeline,
                   offsetof(struct timeline_bucket, links) + (size_t)i * sizeof(uint32_t));
    for (size_t i = 0; i < timeline->launch_count; i++) {
        const struct timeline_launch *launch = &timeline->launches[i];
        json_array_append_new(launches, json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "unit",
                                                  nvdla_unit_names[launch->unit], "launch", launch->ordinal, "group",
                                                  launch->group, "armed", number(launch->armed), "first_beat",
                                                  number(launch->first), "last_beat", number(launch->last), "done",
                                                  number(launch->done), "start", number(layers->spans[i].start), "end",
                                                  number(layers->spans[i].end)));
    }
    json_t *json = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "cycles", number(timeline->cycles), "origin",
                             number(timeline->origin), "bucket", number(timeline->bucket), "links", links, "clients",
                             json_clients(timeline), "launches", launches);
    add_series(json, "accesses", timeline, offsetof(struct timeline_bucket, accesses));
    add_series(json, "interrupt", timeline, offsetof(struct timeline_bucket, interrupt));
    return json;
}
