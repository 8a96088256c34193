/* Layers, timeline and activity of a run as JSON; docs/results.md describes them. */
#include <string.h>

#include "nvdla/engines.h"
#include "report/json_parts.h"
#include "report/lanes.h"

static json_t *json_client(const struct report_layer *layer, enum nvdla_client client) {
    json_t *json = json_pack("{s:s, s:b, s:o}", "client", nvdla_clients[client].name, "write",
                             (int)nvdla_clients[client].write, "expected", json_u64(layer->expected[client]));
    const struct timeline_traffic *traffic = &layer->traffic[client];
    if (layer->counted)
        json_object_update_new(json,
                               json_pack("{s:o, s:o, s:o, s:o, s:o}", "bytes", json_u64(traffic->bytes), "beats",
                                         json_u64(traffic->beats), "pending", json_u64(traffic->pending), "refused",
                                         json_u64(traffic->refused), "untaken", json_u64(traffic->untaken)));
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
                             "kind", report_layer_kind(layer, kind, sizeof kind), "macs", json_u64(layer->macs),
                             "wrong", json_u64(layer->wrong), "clients", clients);
    if (!layer->counted)
        return json;
    json_object_update_new(json, json_pack("{s:o, s:o, s:o}", "start", json_u64(layer->start), "read_bytes",
                                           json_u64(layer->read_bytes), "write_bytes", json_u64(layer->write_bytes)));
    if (layer->clocks > 0)
        json_object_update_new(json,
                               json_pack("{s:o, s:o}", "end", json_u64(layer->end), "clocks", json_u64(layer->clocks)));
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

/* A value of each bucket, `stride` bytes apart; omitted if all are 0. */
static void add_series(json_t *json, const char *name, size_t count, const void *values, size_t stride) {
    json_t *series = json_array();
    bool any = false;
    for (size_t b = 0; b < count; b++) {
        uint32_t value;
        memcpy(&value, (const char *)values + b * stride, sizeof value);
        any = any || value > 0;
        json_array_append_new(series, json_integer(value));
    }
    if (any)
        json_object_set(json, name, series);
    json_decref(series);
}

/* A member of all buckets. */
static void add_member(json_t *json, const char *name, const struct timeline *timeline, size_t offset) {
    add_series(json, name, timeline->count, (const char *)timeline->buckets + offset, sizeof *timeline->buckets);
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
            add_member(json, members[m].name, timeline, members[m].offset + c * sizeof(uint32_t));
        if (json_object_size(json) > 0) {
            json_object_set_new(json, "client", json_string(nvdla_clients[c].name));
            json_object_set_new(json, "write", json_boolean(nvdla_clients[c].write));
            json_array_append(clients, json);
        }
        json_decref(json);
    }
    return clients;
}

static json_t *json_engines(const struct report *report, const struct report_layers *layers) {
    struct report_lanes lanes = report_lanes(layers, report);
    json_t *engines = json_array();
    for (size_t i = 0; i < lanes.count; i++) {
        const struct report_lane *lane = &lanes.items[i];
        json_t *json = json_pack("{s:s, s:s*}", "engine", nvdla_engines[lane->engine].lane, "before",
                                 lane->before != ENGINE_COUNT ? nvdla_engines[lane->before].lane : NULL);
        add_series(json, "busy", layers->timeline->count, lane->busy, sizeof *lane->busy);
        add_series(json, "waits", layers->timeline->count, lane->wait[LANE_WAITS_BEFORE], sizeof **lane->wait);
        add_series(json, "waits_for_memory", layers->timeline->count, lane->wait[LANE_WAITS_MEMORY],
                   sizeof **lane->wait);
        json_array_append_new(engines, json);
    }
    report_lanes_free(&lanes);
    return engines;
}

static json_t *json_launches(const struct report_layers *layers) {
    json_t *launches = json_array();
    for (size_t i = 0; i < layers->timeline->launch_count; i++) {
        const struct timeline_launch *launch = &layers->timeline->launches[i];
        json_array_append_new(launches, json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "unit",
                                                  nvdla_unit_names[launch->unit], "launch", launch->ordinal, "group",
                                                  launch->group, "armed", json_u64(launch->armed), "first_beat",
                                                  json_u64(launch->first), "last_beat", json_u64(launch->last), "done",
                                                  json_u64(launch->done), "start", json_u64(layers->spans[i].start),
                                                  "end", json_u64(layers->spans[i].end)));
    }
    return launches;
}

json_t *json_timeline(const struct report *report, const struct report_layers *layers) {
    const struct timeline *timeline = layers->timeline;
    json_t *links = json_object();
    for (int i = 0; i < timeline->link_count; i++)
        add_member(links, timeline->links[i].name, timeline,
                   offsetof(struct timeline_bucket, links) + (size_t)i * sizeof(uint32_t));
    json_t *json = json_pack("{s:o, s:o, s:o, s:o, s:b, s:i, s:o, s:o, s:o, s:o}", "cycles", json_u64(timeline->cycles),
                             "origin", json_u64(timeline->origin), "bucket", json_u64(timeline->bucket), "count",
                             json_u64(timeline->count), "inside", timeline->link_count > 0, "port_bytes",
                             timeline->port_bytes[0] + timeline->port_bytes[1], "engines", json_engines(report, layers),
                             "links", links, "clients", json_clients(timeline), "launches", json_launches(layers));
    add_member(json, "accesses", timeline, offsetof(struct timeline_bucket, accesses));
    add_member(json, "interrupt", timeline, offsetof(struct timeline_bucket, interrupt));
    return json;
}

/* Name of the engine that is this instance; "" if it is none. */
static const char *engine_of(const char *instance) {
    for (size_t i = 0; i < nvdla_instance_count; i++)
        if (strcmp(nvdla_instances[i].name, instance) == 0)
            return nvdla_engines[nvdla_instances[i].engine].name;
    return "";
}

json_t *json_activity(const struct report_layers *layers) {
    json_t *parts = json_array();
    for (size_t i = 0; i < layers->activity->count; i++) {
        const struct activity_part *part = &layers->activity->parts[i];
        json_array_append_new(parts, json_pack("{s:s, s:o, s:o, s:o}", "engine", engine_of(part->instance), "instance",
                                               json_text(part->instance), "bits", json_u64(part->bits), "toggles",
                                               json_u64(part->toggles)));
    }
    return json_pack("{s:o, s:o}", "clocks", json_u64(layers->activity_clocks), "parts", parts);
}
