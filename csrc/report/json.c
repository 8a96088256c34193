/* The report as JSON. See json.h. */
#include "report/json.h"

#include <stdio.h>

#include "nvdla/clients.h"
#include "report/json_parts.h"

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
static json_t *json_element(const struct launch_output *output, uint64_t address) {
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
                         const struct launch_output *output) {
    struct partial_beat beat;
    if (!report_beat(report, played, space, address, output, &beat))
        return json_null();
    return json_pack("{s:o, s:i, s:o, s:o, s:i}", "address", json_hex(beat.address), "bytes", beat.bytes, "strobe",
                     json_sprintf("0x%" PRIx64, beat.strobe), "cycle", json_u64(beat.origin.cycle), "axi_id",
                     (int)beat.origin.axi_id);
}

/* The layer of an output: its cube, its registers, and those of the launches that feed it. */
static void add_layer(json_t *json, const struct report *report, const struct launch_output *output, uint64_t first) {
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
    const struct launch_output *output = report_output(report, op->space, failure->first);
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

static json_t *json_finding(const struct finding *finding) {
    static const char *const kinds[] = {[FINDING_PINS] = "pins",
                                        [FINDING_AXI] = "axi",
                                        [FINDING_ACCESS] = "access",
                                        [FINDING_CHECK] = "check",
                                        [FINDING_SIZE] = "size"};
    json_t *json = json_pack("{s:o, s:s, s:s, s:s}", "cycle", json_u64(finding->cycle), "rule", finding->rule, "kind",
                             kinds[finding->kind], "text", finding->text);
    if (finding->owner.unit >= 0)
        json_object_update_new(json, json_pack("{s:s, s:i}", "unit", nvdla_unit_names[finding->owner.unit], "launch",
                                               finding->owner.ordinal));
    if (finding->kind == FINDING_CHECK)
        json_object_update_new(
            json, json_pack("{s:s*, s:b}", "instance", finding->instance, "of_others", (int)finding->of_others));
    return json;
}

static json_t *json_played(const struct report *report, int index) {
    const struct played *played = &report->input.played[index];
    const struct play_result *result = played->result;
    const struct device_statistics *statistics = &result->statistics;
    json_t *failures = json_array(), *findings = json_array(), *warnings = json_array();
    for (size_t i = 0; i < result->failure_count; i++)
        json_array_append_new(failures, json_failure(report, index, &result->failures[i]));
    for (size_t i = 0; i < played->dev->finding_count; i++)
        json_array_append_new(findings, json_finding(&played->dev->findings[i]));
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

/* What moved around the first sign. */
static json_t *json_beat_rows(const struct beat_rows *rows) {
    json_t *list = json_array();
    for (size_t i = 0; i < rows->count; i++) {
        const struct beat_row *row = &rows->rows[i];
        json_t *beats = json_array();
        for (size_t n = 0; n < row->count; n++)
            json_array_append_new(beats, json_pack("{s:o, s:o, s:o, s:o}", "cycle", json_u64(row->beats[n].cycle),
                                                   "value", json_text(row->beats[n].value), "expected",
                                                   json_text_or_null(row->beats[n].expected), "place",
                                                   json_text(row->beats[n].place)));
        json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "engine", nvdla_engine_folder(row->engine), "tap",
                                              json_text(row->stream), "beats", beats));
    }
    return json_pack("{s:o, s:o, s:o}", "from", json_u64(rows->from), "to", json_u64(rows->to), "rows", list);
}

/* The result of `nvcosim debug`. */
static json_t *json_verdict(const struct diagnosis *diagnosis) {
    static const char *const states[] = {[WALK_EQUAL] = "equal",
                                         [WALK_PASSED] = "passed on unchanged",
                                         [WALK_DIFFERS] = "differs",
                                         [WALK_SHORT] = "one side has ended",
                                         [WALK_UNSEEN] = "not recorded"};
    json_t *steps = json_array(), *evidence = json_array();
    for (size_t i = 0; i < diagnosis->walk.count; i++) {
        const struct walk_step *step = &diagnosis->walk.steps[i];
        json_array_append_new(steps, json_pack("{s:s, s:o, s:s, s:o, s:o, s:o}", "engine",
                                               nvdla_engine_folder(step->engine), "tap", json_text(step->stream),
                                               "state", states[step->state], "elements", json_u64(step->elements),
                                               "cycle", json_known(step->cycle), "text", json_text(step->text)));
    }
    for (size_t i = 0; i < diagnosis->evidence.count; i++)
        json_array_append_new(evidence, json_text(diagnosis->evidence.items[i]));
    json_t *json =
        json_pack("{s:s, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind",
                  diagnosis_kind_names[diagnosis->kind], "engine",
                  json_text_or_null(nvdla_engine_folder(diagnosis->engine)), "certainty",
                  diagnosis->engine == ENGINE_COUNT ? json_null() : json_string(certainty_names[diagnosis->certainty]),
                  "or_before", (int)diagnosis->or_before, "check", (int)diagnosis->check, "tap",
                  json_text_or_null(diagnosis->tap), "element", json_text_or_null(diagnosis->element), "cycle",
                  json_known(diagnosis->cycle), "expected", json_text_or_null(diagnosis->expected), "got",
                  json_text_or_null(diagnosis->got), "sentence", json_text(diagnosis->walk.sentence), "evidence",
                  evidence, "walk", steps, "first",
                  diagnosis->walk.first < diagnosis->walk.count ? json_u64(diagnosis->walk.first) : json_null());
    if (diagnosis->beats.count > 0)
        json_object_set_new(json, "beats", json_beat_rows(&diagnosis->beats));
    return json;
}

/* Who disagrees with whom. */
static json_t *json_dissent(const struct dissent *dissent) {
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o}", "who", dissent_names[dissent->kind], "certainty",
        certainty_names[dissent->certainty], "suspect", json_text_or_null(dissent->what), "suspect_certainty",
        dissent->what ? json_string(certainty_names[dissent->what_certainty]) : json_null(), "position",
        dissent->position[0] ? json_text(dissent->position) : json_null(), "sentence", json_text(dissent->sentence));
}

json_t *report_value(const struct report *report) {
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
        json_object_set_new(json, "timeline", json_timeline(report, &layers));
    if (layers.activity)
        json_object_set_new(json, "activity", json_activity(&layers));
    report_layers_free(&layers);
    if (report->dissent.kind != DISSENT_NONE)
        json_object_set_new(json, "disagrees", json_dissent(&report->dissent));
    if (in->diagnosis)
        json_object_set_new(json, "verdict", json_verdict(in->diagnosis));
    if (in->wrong)
        json_object_set_new(json, "first_wrong", json_wrong(report));
    return json;
}

char *report_json(const struct report *report) {
    return json_to_text(report_value(report), JSON_INDENT(1));
}
