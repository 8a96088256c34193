/* Hangs and the DRAM of a run as JSON. See json_parts.h. */
#include "nvdla/clients.h"
#include "nvdla/engines.h"
#include "replay/hang_triage.h"
#include "report/json_parts.h"

/* Operations by their line in the trace. */
static json_t *json_place(const struct program *prog, const struct op *op) {
    char position[REPORT_POSITION];
    return json_text(op_position(prog, op, position, sizeof position));
}

/* The chain of waits: replay/hang_triage.h. */
static json_t *json_triage(const struct hang_triage *triage) {
    const struct device_waits *waits = triage->waits;
    json_t *chain = json_array(), *engines = json_array(), *links = json_array(), *states = json_array(),
           *counters = json_array(), *bursts = json_array();
    for (size_t i = 0; i < triage->chain_count; i++) {
        const struct hang_step *step = &triage->chain[i];
        json_array_append_new(chain,
                              json_pack("{s:s, s:s, s:o, s:s}", "unit", step->engine->name, "engine",
                                        step->engine->folder, "since", json_known(step->since), "text", step->text));
    }
    for (size_t i = 0; i < triage->engine_count; i++) {
        const struct hang_engine *engine = &triage->engines[i];
        if (engine->seen)
            json_array_append_new(engines, json_pack("{s:s, s:s, s:i, s:s?, s:s}", "unit", engine->name, "engine",
                                                     engine->folder, "armed", engine->armed, "waits_for",
                                                     engine->waits_for, "text", engine->text));
    }
    for (size_t i = 0; i < triage->link_count; i++) {
        const struct hang_link *link = &triage->links[i];
        const struct wait_pair *pair = link->pair;
        json_t *json = json_pack("{s:s, s:s, s:s, s:b, s:b, s:o, s:o}", "name", pair->name, "from", pair->from, "to",
                                 pair->to, "stuck", (int)link->stuck, "counted", (int)pair->counted, "elements",
                                 json_u64(pair->moved), "last", json_known(pair->last));
        if (pair->seen)
            json_object_update_new(json, json_pack("{s:b, s:b, s:o}", "valid", (int)pair->valid, "ready",
                                                   (int)pair->ready, "since", json_u64(pair->since)));
        if (link->counted)
            json_object_update_new(json, json_pack("{s:i, s:o, s:o, s:o, s:I}", "launch", link->ordinal, "moved",
                                                   json_u64(link->moved), "required", json_u64(link->required), "owed",
                                                   json_u64(link->owed), "beyond", (json_int_t)link->beyond));
        json_array_append_new(links, json);
    }
    for (int i = 0; triage->inside && i < WAIT_STATE_COUNT; i++)
        json_array_append_new(states, json_pack("{s:s, s:s, s:s, s:o}", "unit", waits->states[i].engine, "name",
                                                waits->states[i].name, "value", waits->states[i].value, "since",
                                                json_u64(waits->states[i].since)));
    for (int i = 0; triage->inside && i < WAIT_COUNTER_COUNT; i++)
        json_array_append_new(counters,
                              json_pack("{s:s, s:s, s:o}", "unit", waits->counters[i].engine, "name",
                                        waits->counters[i].name, "value", json_u64(waits->counters[i].value)));
    for (size_t i = 0; i < waits->burst_count; i++) {
        const struct wait_burst *burst = &waits->bursts[i];
        json_array_append_new(bursts,
                              json_pack("{s:s, s:b, s:i, s:s, s:o, s:i, s:o, s:o}", "space",
                                        memory_space_name(burst->port), "write", (int)burst->write, "axi_id", burst->id,
                                        "client", nvdla_client_name(burst->id % AXI_IDS, burst->write), "address",
                                        json_hex(burst->address), "beats", burst->beats, "since",
                                        json_u64(burst->since), "age", json_u64(waits->cycle - burst->since)));
    }
    return json_pack(
        "{s:s?, s:s?, s:i, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "engine", nvdla_engine_folder(triage->engine),
        "unit", triage->engine < ENGINE_COUNT ? nvdla_engines[triage->engine].name : NULL, "launch", triage->ordinal,
        "cycle", json_u64(triage->cycle), "text", triage->sentence, "inside", (int)triage->inside, "chain", chain,
        "engines", engines, "links", links, "states", states, "counters", counters, "outstanding", bursts);
}

/* The hang as data, like the text of hang_text.h. */
json_t *json_hang(const struct hang *hang) {
    static const char *const reasons[] = {[HANG_STILL] = "still",
                                          [HANG_TIMEOUT] = "timeout",
                                          [HANG_MAX_CYCLES] = "max cycles",
                                          [HANG_IDLE] = "idle",
                                          [HANG_AT_END] = "at the end"};
    const struct program *prog = hang->prog;
    json_t *streams = json_array(), *events = json_array(), *armed = json_array(), *links = json_array();
    size_t link_count = 0;
    const struct device *dev = hang->dev;
    const struct device_link *link =
        dev->ops && dev->ops->links ? dev->ops->links((struct device *)dev, &link_count) : NULL;
    for (size_t i = 0; i < hang->stream_count; i++) {
        const struct hang_stream *stream = &hang->streams[i];
        json_array_append_new(streams,
                              json_pack("{s:o, s:o, s:o, s:o}", "stream", json_text(prog->streams[stream->stream]),
                                        "position", json_place(prog, &prog->ops[stream->op]), "done",
                                        json_u64(stream->index), "operations", json_u64(stream->count)));
    }
    for (size_t i = 0; i < hang->event_count; i++)
        json_array_append_new(events, json_text(prog->events[hang->events[i]]));
    for (size_t i = 0; i < hang->armed_count; i++)
        json_array_append_new(armed, json_pack("{s:s, s:s, s:i, s:b}", "unit", nvdla_unit_names[hang->armed[i].unit],
                                               "engine", nvdla_unit_folder(hang->armed[i].unit), "group",
                                               hang->armed[i].group, "behind", (int)hang->armed[i].behind));
    for (size_t i = 0; link && i < link_count; i++)
        json_array_append_new(links, json_pack("{s:s, s:s, s:s, s:o}", "link", link[i].link.name, "from",
                                               nvdla_engines[link[i].link.from].folder, "to",
                                               nvdla_engines[link[i].link.to].folder, "last",
                                               link[i].moved ? json_u64(link[i].last) : json_null()));
    json_t *json = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "reason", reasons[hang->reason], "cycle",
                             json_u64(hang->now), "last_done", json_u64(hang->last_done), "streams", streams,
                             "outstanding_events", events, "armed", armed);
    json_object_set_new(json, "links", links);
    if (hang->triage)
        json_object_set_new(json, "triage", json_triage(hang->triage));
    if (hang->answers) {
        json_object_set_new(json, "intr_status", json_hex(hang->intr_status));
        json_object_set_new(json, "intr_mask", json_hex(hang->intr_mask));
        json_object_set_new(json, "dla_intr", json_boolean(hang->intr_line));
    }
    return json;
}

static json_t *json_latency(const struct memory_latency *latency) {
    json_t *bins = json_array();
    for (int bin = 0; bin < LATENCY_BINS; bin++)
        if (latency->bins[bin])
            json_array_append_new(bins,
                                  json_pack("{s:i, s:o}", "below", 1 << bin, "count", json_u64(latency->bins[bin])));
    return json_pack("{s:o, s:f, s:o, s:o}", "count", json_u64(latency->count), "mean", memory_latency_mean(latency),
                     "most", json_u64(latency->most), "histogram", bins);
}

/* The DRAM behind the RTL. */
json_t *json_memory(const struct memory_statistics *memory) {
    const struct dram_counts *dram = &memory->dram;
    json_t *masters = json_array(), *clients = json_array();
    for (size_t m = 0; m < memory->master_count; m++) {
        const struct memory_master *master = &memory->masters[m];
        json_array_append_new(masters,
                              json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "name", master->name, "read_bytes",
                                        json_u64(master->read_bytes), "write_bytes", json_u64(master->write_bytes),
                                        "read_latency", json_latency(&master->read), "write_latency",
                                        json_latency(&master->write), "nvdla_waited_clocks", json_u64(master->waited)));
    }
    for (int client = 0; client < SYSTEM_CLIENTS; client++)
        if (memory->clients[client].count)
            json_array_append_new(
                clients, json_pack("{s:s, s:b, s:o}", "client", nvdla_client_name(client % AXI_IDS, client >= AXI_IDS),
                                   "write", client >= AXI_IDS, "latency", json_latency(&memory->clients[client])));
    return json_pack("{s:s, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", memory->name,
                     "core_mhz", memory->core_mhz, "pin_bytes_per_second", memory->pin_bandwidth, "reads",
                     json_u64(dram->reads), "writes", json_u64(dram->writes), "row_hits", json_u64(dram->hits),
                     "row_misses", json_u64(dram->misses), "row_conflicts", json_u64(dram->conflicts), "refreshes",
                     json_u64(dram->refreshes), "data_clocks", json_u64(dram->data_clocks), "shared_reads",
                     json_u64(memory->merged), "refresh_waited_clocks", json_u64(memory->waited_refresh), "masters",
                     masters, "clients", clients);
}
