/* Plays a trace only to check its rules. See lint.h. */
#include "run/session/lint.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "layers/tracker.h"
#include "model/model.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "replay/player.h"
#include "report/hang_text.h"
#include "trace/launches.h"

static struct lint_finding *add(struct lint *lint, enum rule_effect effect) {
    struct lint_finding *finding = xadd(lint->findings, lint->count);
    *finding = (struct lint_finding){.effect = effect, .unit = -1};
    lint->errors += effect > RULE_WARNS;
    return finding;
}

/* Sets words that are both the rule and the whole text. */
static void set_rule(struct lint_finding *finding, const char *rule) {
    finding->rule = xstrdup(rule);
    finding->text = xstrdup(rule);
}

static void set_place(struct lint_finding *finding, const struct program *prog, const struct op *op) {
    finding->file = xstrdup(prog->files[op->file]);
    finding->line = op->line;
}

/* Adds findings of the trace's reader. */
static void add_reader_warnings(struct lint *lint, const struct program *prog) {
    for (size_t i = 0; i < prog->warning_count; i++) {
        struct lint_finding *finding = add(lint, RULE_WARNS);
        finding->file = xstrdup(prog->warnings[i].file);
        finding->line = prog->warnings[i].line;
        set_rule(finding, prog->warnings[i].what);
    }
}

static void set_launch(struct lint_finding *finding, const struct program *prog, const struct layer_tracker *launches,
                       enum nvdla_unit unit, int ordinal) {
    const struct launch *launch = layer_tracker_find(launches, unit, ordinal);
    finding->unit = (int)unit;
    finding->launch = ordinal;
    if (launch)
        set_place(finding, prog, &prog->ops[launch->tag]);
}

/* Adds accesses outside the regions, one for each launch and direction, and layers beyond the limits of the model. */
static void add_device_findings(struct lint *lint, const struct program *prog, const struct layer_tracker *launches,
                                const struct device *dev) {
    const struct finding *last = NULL;
    for (size_t i = 0; i < dev->finding_count; i++) {
        const struct finding *found = &dev->findings[i];
        if (last && strcmp(found->rule, last->rule) == 0 && found->owner.unit == last->owner.unit &&
            found->owner.ordinal == last->owner.ordinal)
            continue;
        last = found;
        struct lint_finding *finding = add(lint, RULE_WARNS);
        set_launch(finding, prog, launches, (enum nvdla_unit)found->owner.unit, found->owner.ordinal);
        set_rule(finding, found->text + found->subject);
    }
}

static void add_device_warnings(struct lint *lint, const struct program *prog, const struct device *dev) {
    struct layer_tracker *launches = program_launches(prog);
    for (size_t i = 0; i < dev->warning_count; i++) {
        const struct device_warning *warning = &dev->warnings[i];
        struct lint_finding *finding = add(lint, warning->effect);
        set_launch(finding, prog, launches, warning->unit, warning->ordinal);
        memcpy(finding->registers, warning->registers, sizeof finding->registers);
        finding->register_count = warning->register_count;
        finding->section = warning->section;
        finding->rule = xstrdup(warning->rule);
        finding->text = xstrdup(warning->text);
    }
    add_device_findings(lint, prog, launches, dev);
    lint->dropped += dev->warnings_dropped;
    layer_tracker_free(launches);
}

/* Adds the place where a hanging trace waits: its first waiting operation. */
static void add_hang(struct lint *lint, const struct program *prog, const struct hang *hang) {
    bool open = false; /* what stopped the model may have another result on the hardware */
    for (size_t i = 0; i < lint->count; i++)
        open = open || lint->findings[i].effect == RULE_REFUSED;
    struct lint_finding *finding = add(lint, open ? RULE_REFUSED : RULE_HANGS);
    char *text = hang_text(hang);
    text[strcspn(text, "\n")] = '\0';
    if (hang->stream_count > 0)
        set_place(finding, prog, &prog->ops[hang->streams[0].op]);
    else if (hang->check_count > 0)
        set_place(finding, prog, &prog->ops[hang->checks[0]]);
    finding->rule = xprintf("the trace hangs: %s", text);
    finding->text = xprintf("%s; %s", finding->rule, open ? "the result is undefined" : "the hardware hangs");
    free(text);
}

/* Plays the program on a model; false if it did not reach the end. */
static bool play_on_model(const struct program *prog, uint64_t seed, bool registers_only, struct lint *lint) {
    const struct model_options model_options = {.allow_undefined = true, .registers_only = registers_only};
    struct play_options options;
    struct play_result result;
    play_options_default(&options);
    options.seed = seed;
    struct device *model = model_new(prog->config, &model_options);
    play(prog, model, &options, &result);
    const bool ended = result.outcome == PLAY_PASSED || result.outcome == PLAY_CHECK_FAILED;
    if (ended || !registers_only) {
        add_device_warnings(lint, prog, model);
        if (result.outcome == PLAY_HUNG)
            add_hang(lint, prog, result.hang);
        else if (!ended)
            set_rule(add(lint, RULE_REFUSED), result.message ? result.message : "the trace cannot be played");
    }
    play_result_free(&result);
    model->ops->destroy(model);
    return ended;
}

void lint_program(const struct program *prog, uint64_t seed, struct lint *lint) {
    *lint = (struct lint){0};
    add_reader_warnings(lint, prog);
    /* A poll for a status that depends on data never ends without the arithmetic. */
    if (!play_on_model(prog, seed, true, lint))
        play_on_model(prog, seed, false, lint);
}

void lint_free(struct lint *lint) {
    for (size_t i = 0; i < lint->count; i++) {
        struct lint_finding *finding = &lint->findings[i];
        free(finding->file);
        free(finding->rule);
        free(finding->text);
    }
    free(lint->findings);
    *lint = (struct lint){0};
}

char *lint_text(const struct lint_finding *finding) {
    struct text text = {0};
    if (finding->file) {
        autofree char *shown = text_shown(finding->file);
        text_printf(&text, finding->line ? "%s:%d: " : "%s: ", shown, finding->line);
    }
    text_printf(&text, "%s: ", finding->effect <= RULE_WARNS ? "warning" : "error");
    if (finding->unit >= 0)
        text_printf(&text, "%s launch %d: ", nvdla_unit_names[finding->unit], finding->launch);
    text_put(&text, finding->text);
    return text.text;
}

static json_t *json_registers(const struct nvdla_config *config, const struct lint_finding *finding) {
    json_t *list = json_array();
    for (size_t i = 0; i < finding->register_count; i++) {
        const struct warning_register *shown = &finding->registers[i];
        char name[64], fields[256];
        json_t *one = json_pack("{s:s, s:I}", "name", nvdla_register_name(config, shown->address, name, sizeof name),
                                "value", (json_int_t)shown->value);
        if (shown->fields)
            json_object_set_new(one, "fields",
                                json_string(nvdla_register_decode(nvdla_register_at(config, shown->address),
                                                                  shown->value, fields, sizeof fields)));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *json_finding(const struct nvdla_config *config, const struct lint_finding *finding) {
    static const char *const effects[] = {
        [RULE_ERRATUM] = "erratum", [RULE_WARNS] = "defined", [RULE_HANGS] = "hangs", [RULE_REFUSED] = "undefined"};
    json_t *json = json_object();
    json_object_set_new(json, "severity", json_string(finding->effect <= RULE_WARNS ? "warning" : "error"));
    json_object_set_new(json, "effect", json_string(effects[finding->effect]));
    if (finding->file)
        json_object_set_new(json, "file", json_string(finding->file));
    if (finding->line)
        json_object_set_new(json, "line", json_integer(finding->line));
    if (finding->unit >= 0) {
        json_object_set_new(json, "unit", json_string(nvdla_unit_names[finding->unit]));
        json_object_set_new(json, "launch", json_integer(finding->launch));
    }
    json_object_set_new(json, "registers", json_registers(config, finding));
    json_t *rule =
        finding->section ? json_sprintf("%s (%s)", finding->rule, finding->section) : json_string(finding->rule);
    json_object_set_new(json, "rule", rule);
    if (finding->section) {
        const bool measured = strncmp(finding->section, "98-", 3) == 0 || strncmp(finding->section, "99-", 3) == 0;
        json_object_set_new(json, "section", json_string(finding->section));
        json_object_set_new(json, "known", json_string(measured ? "measured" : "specified"));
    }
    return json;
}

char *lint_json(const struct program *prog, const struct lint *lint) {
    json_t *json = json_object(), *findings = json_array();
    for (size_t i = 0; i < lint->count; i++)
        json_array_append_new(findings, json_finding(prog->config, &lint->findings[i]));
    json_object_set_new(json, "trace", json_string(prog->files[0]));
    json_object_set_new(json, "config", json_string(prog->config->name));
    json_object_set_new(json, "errors", json_integer((json_int_t)lint->errors));
    json_object_set_new(json, "warnings", json_integer((json_int_t)(lint->count - lint->errors)));
    json_object_set_new(json, "dropped", json_integer((json_int_t)lint->dropped));
    json_object_set_new(json, "findings", findings);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    return text;
}
