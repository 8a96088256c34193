/* The report as JSON. See json.h. */
#include "report/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dram/system.h"
#include "nvdla/clients.h"
#include "nvdla/xalloc.h"
#include "replay/hang_triage.h"
#include "report/json_text.h"
#include "report/layers_json.h"
#include "report/outcome.h"

static json_t *json_u64(uint64_t value) {
    return json_integer((json_int_t)value);
}

static json_t *json_hex(uint64_t value) {
    return json_sprintf("0x%08" PRIx64, value);
}

static json_t *json_bytes(const struct memory *mem, uint64_t address) {
    uint8_t bytes[REPORT_WINDOW];
    char text[2 * sizeof bytes + 1] = "";
    memory_read(mem, address, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return json_string(text);
}

static void json_register(void *context, const struct nvdla_register *reg, uint32_t value) {
    json_t *list = context, *fields = json_object();
    for (size_t i = 0; i < reg->field_count; i++) {
        const struct nvdla_field *field = &reg->fields[i];
        json_object_set_new(fields, field->name, json_integer(nvdla_field_value(field, value)));
    }
    json_array_append_new(list, json_pack("{s:s, s:o, s:b, s:o}", "name", reg->name, "value", json_hex(value), "reset",
                                          value == reg->reset, "fields", fields));
}

static json_t *json_launch(const struct report *report, const struct launch *launch, int block) {
    char position[REPORT_POSITION];
    json_t *registers = json_array();
    report_each_register(report, launch, block, json_register, registers);
    return json_pack("{s:s, s:i, s:i, s:o, s:o}", "unit", nvdla_unit_names[launch->unit], "ordinal", launch->ordinal,
                     "group", launch->group, "position",
                     json_text(report_launch_position(report, launch, position, sizeof position)), "registers",
                     registers);
}

static json_t *json_origin(const struct memory *mem, uint64_t address) {
    struct memory_origin origin;
    if (!memory_origin_of(mem, address, &origin))
        return json_null();
    if (origin.unit < 0 || origin.unit >= NVDLA_UNIT_COUNT)
        return json_pack("{s:s}", "unit", "trace");
    return json_pack("{s:s, s:i, s:i, s:o}", "unit", nvdla_unit_names[origin.unit], "ordinal", (int)origin.ordinal,
                     "axi_id", (int)origin.axi_id, "cycle", json_u64(origin.cycle));
}

/* For BDMA, columns are atoms and channels are bytes. */
static json_t *json_element(const struct output *output, uint64_t address) {
    struct cube_element element;
    if (!cube_locate(&output->cube, address, &element))
        return json_null();
    json_t *json = json_pack("{s:i, s:i, s:i, s:i, s:i}", "surface", element.surface, "line", element.line, "column",
                             element.column, "channel", element.channel, "byte", element.byte);
    if (output->cube.batches > 1)
        json_object_set_new(json, "batch", json_integer(element.batch));
    if (output->block >= 0)
        json_object_set_new(json, "descriptor", json_integer(output->block));
    return json;
}

/* The beat that skipped a byte, or null. */
static json_t *json_beat(const struct report *report, int played, enum memory_space space, uint64_t address,
                         const struct output *output) {
    struct partial_beat beat;
    if (!report_beat(report, played, space, address, output, &beat))
        return json_null();
    return json_pack("{s:o, s:i, s:o, s:o, s:i}", "address", json_hex(beat.address), "bytes", beat.bytes, "strobe",
                     json_sprintf("0x%" PRIx64, beat.strobe), "cycle", json_u64(beat.origin.cycle), "axi_id",
                     (int)beat.origin.axi_id);
}

/* The layer of an output: its cube, its registers, and those of the launches that feed it. */
static void add_layer(json_t *json, const struct report *report, const struct output *output, uint64_t first) {
    const struct cube *cube = &output->cube;
    const struct launch *feeders[REPORT_FEEDERS];
    const int count = report_feeders(report, output->launch, feeders);
    json_t *inputs = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(inputs, json_launch(report, feeders[i], -1));
    json_object_set_new(json, "cube",
                        json_pack("{s:i, s:i, s:i, s:i, s:i, s:o, s:o}", "width", cube->width, "height", cube->height,
                                  "channels", cube->channels, "atom", cube->atom, "element_bytes", cube->element_bytes,
                                  "line_stride", json_u64(cube->line_stride), "surface_stride",
                                  json_u64(cube->surface_stride)));
    json_object_set_new(json, "element", json_element(output, first));
    json_object_set_new(json, "layer", json_launch(report, output->launch, output->block));
    json_object_set_new(json, "input_layers", inputs);
}

static json_t *json_mismatch(const struct report *report, const struct mismatch *mismatch) {
    const struct memory *got = report_memory(report, 0, mismatch->space);
    const struct memory *expected = report_memory(report, 1, mismatch->space);
    const uint64_t window = report_window(mismatch->first);
    char name[128];
    json_t *json =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "space", memory_space_name(mismatch->space), "kind",
                  mismatch->kind == AREA_LAUNCH   ? "layer output"
                  : mismatch->kind == AREA_REGION ? "region"
                                                  : "outside",
                  "base", json_hex(mismatch->base), "size", json_u64(mismatch->size), "count",
                  json_u64(mismatch->count), "first", json_hex(mismatch->first), "last", json_hex(mismatch->last));
    json_object_set_new(json, "window", json_hex(window));
    json_object_set_new(json, "expected", json_bytes(expected, window));
    json_object_set_new(json, "got", json_bytes(got, window));
    json_object_set_new(json, "got_origin", json_origin(got, mismatch->first));
    json_object_set_new(json, "expected_origin", json_origin(expected, mismatch->first));
    json_object_set_new(json, "got_partial_beat",
                        json_beat(report, 0, mismatch->space, mismatch->first, mismatch->output));
    json_object_set_new(json, "got_dump", json_text(report_area_dump(report, mismatch, 0, name, sizeof name)));
    json_object_set_new(json, "expected_dump", json_text(report_area_dump(report, mismatch, 1, name, sizeof name)));
    if (mismatch->output)
        add_layer(json, report, mismatch->output, mismatch->first);
    return json;
}

static json_t *json_row(const uint8_t *bytes, int count) {
    char text[2 * WRONG_BYTES + 1] = "";
    for (int i = 0; i < count; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return json_string(text);
}

/* The first wrong beat, with the known facts. */
static json_t *json_wrong(const struct report *report) {
    static const char *const kinds[] = {[WRONG_OWNER] = "no launch",
                                        [WRONG_OUTSIDE] = "outside",
                                        [WRONG_LEFT_OUT] = "left out",
                                        [WRONG_VALUE] = "value"};
    const struct wrong_beat *wrong = report->input.wrong;
    const struct axi_beat *beat = &wrong->beat;
    const struct launch *launch = report_wrong_launch(report);
    json_t *json =
        json_pack("{s:s, s:o, s:s, s:i, s:s, s:o}", "kind", kinds[wrong->kind], "cycle", json_u64(beat->cycle), "space",
                  memory_space_name((enum memory_space)beat->port), "axi_id", beat->id, "client",
                  nvdla_client_name(beat->id, true), "address", json_hex(wrong->address));
    json_object_set_new(json, "beat", json_hex(beat->address));
    json_object_set_new(json, "strobe", json_sprintf("0x%" PRIx64, beat->strobe));
    json_object_set_new(json, "got", json_row(wrong->got, beat->bytes));
    json_object_set_new(json, "expected", json_row(wrong->expected, beat->bytes));
    json_object_set_new(json, "expected_known", json_sprintf("0x%" PRIx64, wrong->known));
    json_object_set_new(json, "wrong", json_sprintf("0x%" PRIx64, wrong->wrong));
    if (report->wrong_output)
        add_layer(json, report, report->wrong_output, wrong->address);
    else if (launch)
        json_object_set_new(json, "layer", json_launch(report, launch, -1));
    return json;
}

/* A failed memory check: place, layer, and the files with the golden and the actual bytes. */
static void add_memory_check(json_t *json, const struct report *report, int played,
                             const struct play_failure *failure) {
    const struct op *op = &report->input.prog->ops[failure->op];
    const struct device *dev = report->input.played[played].dev;
    const struct output *output = report_output(report, op->space, failure->first);
    char name[128];
    json_object_set_new(json, "kind", json_string("memory"));
    json_object_set_new(json, "base", json_hex(op->base));
    json_object_set_new(json, "first", json_hex(failure->first));
    json_object_set_new(json, "count", json_u64(failure->count));
    json_object_set_new(json, "origin", json_origin(dev->memory[op->space], failure->first));
    json_object_set_new(json, "partial_beat", json_beat(report, played, op->space, failure->first, output));
    json_object_set_new(json, "golden_dump", json_text(report_check_dump(report, op, NULL, name, sizeof name)));
    json_object_set_new(json, "dump", json_text(report_check_dump(report, op, dev, name, sizeof name)));
    if (output) {
        json_object_set_new(json, "element", json_element(output, failure->first));
        json_object_set_new(json, "layer", json_launch(report, output->launch, output->block));
    }
}

static json_t *json_failure(const struct report *report, int index, const struct play_failure *failure) {
    const struct played *played = &report->input.played[index];
    const struct program *prog = report->input.prog;
    const struct op *op = &prog->ops[failure->op];
    char position[REPORT_POSITION], text[REPORT_LINE], name[64];
    json_t *json = json_pack("{s:o, s:o}", "position", json_text(op_position(prog, op, position, sizeof position)),
                             "text", json_text(report_failure(report, played, failure, text, sizeof text)));
    if (op->kind == OP_MEM_CHECK) {
        add_memory_check(json, report, index, failure);
    } else {
        json_object_set_new(json, "got", json_hex(failure->got));
        json_object_set_new(json, "expected", json_hex(failure->expected));
        json_object_set_new(json, "kind", json_string(op->kind == OP_MEM_CRC ? "crc" : "register"));
        if (op->kind == OP_MEM_CRC) {
            json_object_set_new(json, "base", json_hex(op->base));
            json_object_set_new(json, "size", json_u64(op->size));
        } else {
            json_object_set_new(json, "mask", json_hex(op->mask));
            json_object_set_new(json, "register",
                                json_string(nvdla_register_name(prog->config, op->address, name, sizeof name)));
        }
    }
    return json;
}

static json_t *json_beats(const uint64_t *beats, bool write) {
    json_t *json = json_object();
    for (int id = 0; id < AXI_IDS; id++)
        if (beats[id] > 0)
            json_object_set_new(json, nvdla_client_name(id, write), json_u64(beats[id]));
    return json;
}

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
        json_array_append_new(chain, json_pack("{s:s, s:s, s:o, s:s}", "unit", step->engine->name, "engine",
                                               step->engine->folder, "since",
                                               step->since ? json_u64(step->since) : json_null(), "text", step->text));
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
        json_t *json = json_pack("{s:s, s:s, s:s, s:b, s:o, s:o}", "name", pair->name, "from", pair->from, "to",
                                 pair->to, "stuck", (int)link->stuck, "elements", json_u64(pair->moved), "last",
                                 pair->last ? json_u64(pair->last) : json_null());
        if (pair->seen)
            json_object_update_new(json, json_pack("{s:b, s:b, s:o}", "valid", (int)pair->valid, "ready",
                                                   (int)pair->ready, "since", json_u64(pair->since)));
        if (link->counted)
            json_object_update_new(json, json_pack("{s:i, s:o, s:o, s:o}", "launch", link->ordinal, "moved",
                                                   json_u64(link->moved), "required", json_u64(link->required), "owed",
                                                   json_u64(link->owed)));
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
        json_array_append_new(
            bursts, json_pack("{s:s, s:b, s:i, s:s, s:o, s:i, s:o}", "space", memory_space_name(burst->port), "write",
                              (int)burst->write, "axi_id", burst->id, "client",
                              nvdla_client_name(burst->id % AXI_IDS, burst->write), "address", json_hex(burst->address),
                              "beats", burst->beats, "since", json_u64(burst->since)));
    }
    return json_pack("{s:s?, s:s?, s:i, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "engine", triage->engine, "unit",
                     triage->unit, "launch", triage->ordinal, "cycle", json_u64(triage->cycle), "text",
                     triage->sentence, "inside", (int)triage->inside, "chain", chain, "engines", engines, "links",
                     links, "states", states, "counters", counters, "outstanding", bursts);
}

/* The hang as data, like the text of hang_text.h. */
static json_t *json_hang(const struct hang *hang) {
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
        json_array_append_new(armed, json_pack("{s:s, s:i, s:b}", "unit", nvdla_unit_names[hang->armed[i].unit],
                                               "group", hang->armed[i].group, "behind", (int)hang->armed[i].behind));
    for (size_t i = 0; link && i < link_count; i++)
        json_array_append_new(links, json_pack("{s:s, s:o}", "link", link[i].link.name, "last",
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
static json_t *json_memory(const struct memory_statistics *memory) {
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

static json_t *json_played(const struct report *report, int index) {
    const struct played *played = &report->input.played[index];
    const struct play_result *result = played->result;
    const struct device_statistics *statistics = &result->statistics;
    json_t *failures = json_array(), *findings = json_array(), *warnings = json_array();
    for (size_t i = 0; i < result->failure_count; i++)
        json_array_append_new(failures, json_failure(report, index, &result->failures[i]));
    for (size_t i = 0; i < played->dev->finding_count; i++) {
        const struct finding *finding = &played->dev->findings[i];
        json_array_append_new(findings, json_pack("{s:o, s:s, s:s}", "cycle", json_u64(finding->cycle), "rule",
                                                  finding->rule, "text", finding->text));
    }
    json_t *json =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "device", played->dev->name, "outcome",
                  report_outcome_text(result->outcome), "checks_done", json_u64(result->checks_done),
                  "checks_not_compared", json_u64(result->checks_skipped), "volatile_mismatches",
                  json_u64(result->volatile_mismatches), "interrupts", json_u64(result->interrupts), "failures",
                  failures, "findings", findings, "findings_dropped", json_u64(played->dev->findings_dropped));
    for (size_t i = 0; i < played->dev->warning_count; i++) {
        char text[REPORT_LINE];
        report_warning(report, &played->dev->warnings[i], text, sizeof text);
        json_array_append_new(warnings, json_string(text));
    }
    json_object_set_new(json, "warnings", warnings);
    json_object_set_new(json, "cycles", json_u64(statistics->cycles));
    json_object_set_new(json, "op_cycles", json_u64(statistics->op_cycles));
    json_object_set_new(json, "accesses_outside", json_u64(statistics->outside));
    json_object_set_new(json, "read_beats", json_beats(statistics->read_beats, false));
    json_object_set_new(json, "write_beats", json_beats(statistics->write_beats, true));
    if (statistics->rtl && statistics->rtl->memory)
        json_object_set_new(json, "memory", json_memory(statistics->rtl->memory));
    if (result->message)
        json_object_set_new(json, "message", json_text(result->message));
    if (result->hang)
        json_object_set_new(json, "hang", json_hang(result->hang));
    return json;
}

static json_t *json_activity(const struct report_layers *layers) {
    json_t *parts = json_array();
    for (size_t i = 0; i < layers->activity->count; i++) {
        const struct activity_part *part = &layers->activity->parts[i];
        json_array_append_new(parts, json_pack("{s:o, s:o, s:o}", "instance", json_text(part->instance), "bits",
                                               json_u64(part->bits), "toggles", json_u64(part->toggles)));
    }
    return json_pack("{s:o, s:o}", "clocks", json_u64(layers->activity_clocks), "parts", parts);
}

static json_t *text_or_null(const char *text) {
    return text ? json_text(text) : json_null();
}

/* The result of `nvcosim debug`. */
static json_t *json_verdict(const struct diagnosis *diagnosis) {
    static const char *const states[] = {[WALK_EQUAL] = "equal",
                                         [WALK_DIFFERS] = "differs",
                                         [WALK_SHORT] = "one side has ended",
                                         [WALK_UNSEEN] = "not recorded"};
    json_t *steps = json_array(), *evidence = json_array();
    for (size_t i = 0; i < diagnosis->walk.count; i++) {
        const struct walk_step *step = &diagnosis->walk.steps[i];
        json_array_append_new(
            steps, json_pack("{s:s, s:o, s:s, s:o, s:o, s:o}", "engine", step->engine, "tap", json_text(step->stream),
                             "state", states[step->state], "elements", json_u64(step->elements), "cycle",
                             step->cycle ? json_u64(step->cycle) : json_null(), "text", json_text(step->text)));
    }
    for (size_t i = 0; i < diagnosis->evidence.count; i++)
        json_array_append_new(evidence, json_text(diagnosis->evidence.items[i]));
    return json_pack("{s:s, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind",
                     diagnosis_kind_names[diagnosis->kind], "engine", text_or_null(diagnosis->engine), "or_before",
                     (int)diagnosis->or_before, "tap", text_or_null(diagnosis->tap), "element",
                     text_or_null(diagnosis->element), "cycle",
                     diagnosis->cycle ? json_u64(diagnosis->cycle) : json_null(), "expected",
                     text_or_null(diagnosis->expected), "got", text_or_null(diagnosis->got), "sentence",
                     json_text(diagnosis->walk.sentence), "evidence", evidence, "walk", steps);
}

char *report_json(const struct report *report) {
    const struct report_input *in = &report->input;
    json_t *played = json_array(), *mismatches = json_array();
    for (int i = 0; i < in->played_count; i++)
        json_array_append_new(played, json_played(report, i));
    for (size_t i = 0; i < report->mismatch_count; i++)
        json_array_append_new(mismatches, json_mismatch(report, &report->mismatches[i]));
    json_t *json = json_pack("{s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o}", "trace", json_text(in->name), "file",
                             json_text(in->prog->files[0]), "configuration", in->prog->config->name, "status",
                             report_status_text(report->status), "reason", json_text(report->reason), "operations",
                             json_u64(in->prog->count), "devices", played, "mismatches", mismatches);
    struct report_layers layers = report_layers(report);
    json_object_set_new(json, "layers", json_layers(report, &layers));
    if (layers.timeline)
        json_object_set_new(json, "timeline", json_timeline(&layers));
    if (layers.activity)
        json_object_set_new(json, "activity", json_activity(&layers));
    report_layers_free(&layers);
    if (in->diagnosis)
        json_object_set_new(json, "verdict", json_verdict(in->diagnosis));
    if (in->wrong)
        json_object_set_new(json, "first_wrong", json_wrong(report));
    return json_to_text(json, JSON_INDENT(1));
}
