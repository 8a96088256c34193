/* Facts of this program as JSON. See facts.h. */
#include "run/list/facts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "gen/gen.h"
#include "nvdla/config_text.h"
#include "nvdla/engines.h"
#include "nvdla/registers.h"
#include "nvdla/xalloc.h"
#include "report/json_text.h"
#include "run/network/compile.h"
#include "run/options/foreign.h"
#include "run/options/options.h"
#include "run/simulators/install_paths.h"
#include "run/simulators/version.h"
#include "trace/formats.h"

static void print_line(FILE *out, json_t *json) {
    autofree char *text = json_to_text(json, JSON_COMPACT);
    fprintf(out, "%s\n", text);
}

/* ---- this program ---- */

static json_t *configuration(const struct nvdla_config *config) {
    const uint32_t engines = gen_config_engines(config);
    json_t *generators = json_array();
    json_t *json = json_pack("{s:s, s:s}", "name", config->name, "map", nvdla_register_maps[config->map].name);
    for (size_t i = 0; i < nvdla_parameter_count; i++)
        json_object_set_new(json, nvdla_parameters[i].column,
                            json_integer(nvdla_parameter_value(config, &nvdla_parameters[i])));
    for (int i = 0; i < GEN_ENGINE_COUNT; i++) {
        char name[GEN_ENGINES_NAME];
        if (engines >> i & 1u)
            json_array_append_new(generators, json_string(gen_engines_name(1u << i, name, sizeof name)));
    }
    json_object_set_new(json, "generators", generators);
    return json;
}

static json_t *engine(const struct nvdla_engine_facts *engine) {
    return json_pack("{s:s, s:s?, s:s?, s:s?}", "name", engine->name, "folder", engine->folder, "unit",
                     engine->unit == NVDLA_UNIT_COUNT ? NULL : nvdla_unit_names[engine->unit], "lane", engine->lane);
}

/* An option of nvcosim run, and the devices under test that it matters for. */
static json_t *option(const struct argument *row) {
    json_t *duts = json_array();
    const char letter[2] = {row->letter};
    autofree char *word = xprintf("--%s", row->name);
    static const char *const names[] = {[DUT_BOTH] = "both", [DUT_RTL] = "rtl", [DUT_MODEL] = "model"};
    for (enum dut dut = DUT_MODEL; dut <= DUT_BOTH; dut++)
        if (run_option_applies(word, dut))
            json_array_append_new(duts, json_string(names[dut]));
    return json_pack("{s:s, s:s, s:s?, s:b, s:s?, s:b, s:o}", "name", row->name, "letter", letter, "argument", row->arg,
                     "optional", row->optional, "text", row->hidden ? NULL : row->doc, "hidden", row->hidden, "duts",
                     duts);
}

/* Those for networks, which are compiled. */
static json_t *network_options(void) {
    json_t *list = json_array();
    for (const struct argument *row = compile_arguments; row->name; row++)
        json_array_append_new(list, option(row));
    return list;
}

static json_t *field(const struct nvdla_field *field) {
    static const char *const access[] = {"RW", "RO", "RW1C", "WO", "RW1S", "RWI", "RWT"};
    json_t *values = json_object();
    for (size_t i = 0; i < field->enum_count; i++)
        json_object_set_new(values, field->enums[i].name, json_integer(field->enums[i].value));
    return json_pack("{s:s, s:i, s:i, s:s, s:I, s:o, s:s?}", "name", field->name, "msb", field->msb, "lsb", field->lsb,
                     "access", access[field->access], "reset", (json_int_t)field->reset, "values", values, "text",
                     field->text);
}

static json_t *registers_of(const struct nvdla_register_map *map, json_t *list) {
    for (size_t i = 0; i < map->count; i++) {
        const struct nvdla_register *reg = &map->registers[i];
        json_t *fields = json_array();
        for (size_t k = 0; k < reg->field_count; k++)
            json_array_append_new(fields, field(&reg->fields[k]));
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:I, s:b, s:I, s:o}", "map", map->name, "unit",
                                              nvdla_unit_names[reg->unit], "name", reg->name, "address",
                                              (json_int_t)reg->address, "grouped", reg->grouped, "reset",
                                              (json_int_t)reg->reset, "fields", fields));
    }
    return list;
}

void facts_of_config(FILE *out, const struct nvdla_config *config) {
    const struct nvdla_config *base = nvdla_config_base(config);
    fprintf(out, "%s: register map of %s, %d MACs of INT8, %d KB of CBUF\n", config->name,
            nvdla_register_maps[config->map].name, config->atomic_c * config->atomic_k,
            config->cbuf_banks * config->cbuf_bank_bytes * config->cbuf_bank_depth / 1024);
    for (size_t i = 0; i < nvdla_parameter_count; i++) {
        const struct nvdla_parameter *parameter = &nvdla_parameters[i];
        const int value = nvdla_parameter_value(config, parameter), usual = nvdla_parameter_value(base, parameter);
        fprintf(out, "  %-18s %5d  %s", parameter->key, value, parameter->meaning);
        if (value != usual)
            fprintf(out, " (%s: %d)", base->name, usual);
        fputc('\n', out);
    }
}

/* Where sources are, and where simulators are built; null: nowhere. */
static json_t *folders(void) {
    struct install_paths paths;
    struct error err;
    if (!install_paths_find(&paths, &err))
        return json_object();
    json_t *json = json_pack("{s:s?, s:s?}", "sources", paths.sources, "build", paths.build);
    install_paths_free(&paths);
    return json;
}

void facts_print(FILE *out, const struct nvdla_config *chosen, bool brief) {
    json_t *json = json_pack("{s:s, s:o}", "version", nvcosim_version(), "folders", folders());
    json_t *configurations = json_array(), *engines = json_array(), *options = json_array();
    for (int i = 0; i < nvdla_config_count; i++)
        json_array_append_new(configurations, configuration(&nvdla_configs[i]));
    if (chosen && nvdla_config_base(chosen) != chosen)
        json_array_append_new(configurations, configuration(chosen));
    for (int i = 0; i < ENGINE_COUNT; i++)
        json_array_append_new(engines, engine(&nvdla_engines[i]));
    for (const struct argument *row = run_arguments; row->name || row->doc; row++)
        if (row->name)
            json_array_append_new(options, option(row));
    json_object_set_new(json, "configurations", configurations);
    if (chosen)
        json_object_set_new(json, "config", json_string(chosen->name));
    json_object_set_new(json, "engines", engines);
    json_object_set_new(json, "options", options);
    json_object_set_new(json, "network_options", network_options());
    if (!brief) {
        json_t *registers = json_array();
        for (int i = 0; i < NVDLA_MAP_COUNT; i++)
            registers_of(&nvdla_register_maps[i], registers);
        json_object_set_new(json, "registers", registers);
    }
    print_line(out, json);
}

/* ---- traces ---- */

void facts_of_traces(FILE *out, const struct words *traces) {
    for (size_t i = 0; i < traces->count; i++) {
        char name[400];
        bool named = false;
        struct error err;
        const struct nvdla_config *config = trace_config(traces->items[i], &named, &err);
        print_line(out, json_pack("{s:o, s:o, s:s?, s:b, s:o?}", "path", json_text(traces->items[i]), "name",
                                  json_text(trace_name(traces->items[i], name, sizeof name)), "config",
                                  config ? config->name : NULL, "named", named, "error",
                                  config ? NULL : json_text(err.text)));
    }
}

/* ---- options ---- */

static json_t *text_or_null(char *text) {
    json_t *json = text ? json_text(text) : json_null();
    free(text);
    return json;
}

/* The name of the simulator; NULL if there is none. */
static char *simulator_of(const struct run_options *options, const char **variant) {
    if (options->dut == DUT_MODEL || !options->config)
        return NULL;
    const enum simulator_variant which = run_variant(options, options->config->name);
    *variant = simulator_variant_names[which];
    return simulator_name(options->config->name, options->rtl_name, which);
}

/* Why that simulator can neither be found nor built; null if it can, or there is none. */
static json_t *simulator_error(const struct run_options *options) {
    struct error err;
    if (options->dut == DUT_MODEL || !options->config)
        return json_null();
    const char *config = options->config->name;
    const bool known = simulator_known(config, options->rtl_name, run_variant(options, config), &err) &&
                       foreign_can_play(options, config, &err);
    return known ? json_null() : json_text(err.text);
}

/* What the options ask for; NULL with a message if they cannot be used. */
static json_t *asked_for(const struct words *given, struct error *err) {
    static const char *const duts[] = {[DUT_BOTH] = "both", [DUT_RTL] = "rtl", [DUT_MODEL] = "model"};
    struct run_options options;
    autowords struct words words = {0};
    json_t *json = NULL;
    for (size_t i = 0; i < given->count; i++)
        words_put(&words, given->items[i]);
    words_put(&words, "trace");
    run_options_init(&options);
    if (run_options_read(&options, &words, err)) {
        const char *variant = "", *debug_variant = "";
        json = json_pack("{s:s?, s:s, s:s}", "config", options.config ? options.config->name : NULL, "dut",
                         duts[options.dut], "rtl", options.rtl_name);
        json_object_set_new(json, "simulator", text_or_null(simulator_of(&options, &variant)));
        json_object_set_new(json, "variant", json_string(variant));
        json_object_set_new(json, "simulator_error", simulator_error(&options));
        options.debug = true;
        json_object_set_new(json, "debug_simulator", text_or_null(simulator_of(&options, &debug_variant)));
        json_object_set_new(json, "debug_variant", json_string(debug_variant));
        json_object_set_new(json, "coverage", json_boolean(options.coverage));
    }
    run_options_free(&options);
    return json;
}

bool facts_of_options(FILE *out, const struct words *options, struct error *err) {
    json_t *json = asked_for(options, err);
    if (json)
        print_line(out, json);
    return json;
}

/* The words of a line; false if it is something else. */
static bool read_words(const char *line, struct words *words) {
    json_t *json = json_loads(line, 0, NULL);
    bool well = json_is_array(json);
    for (size_t i = 0; i < json_array_size(json); i++) {
        const char *word = json_string_value(json_array_get(json, i));
        well = well && word;
        words_put(words, word ? word : "");
    }
    json_decref(json);
    return well;
}

bool facts_of_lists(FILE *in, FILE *out, struct error *err) {
    autofree char *line = NULL;
    size_t size = 0, number = 0;
    bool well = true;
    while (well && getline(&line, &size, in) >= 0) {
        autowords struct words words = {0};
        struct error wrong;
        number++;
        well = read_words(line, &words) ||
               error_set(err, "line %zu: expected a list of options, [\"--NAME=VALUE\", ...]", number);
        json_t *json = well ? asked_for(&words, &wrong) : NULL;
        if (well)
            print_line(out, json ? json : json_pack("{s:o}", "error", json_text(wrong.text)));
    }
    return well;
}
