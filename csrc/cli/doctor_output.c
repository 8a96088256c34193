/* nvcosim doctor --output; see doctor_output.h. */
#include "cli/doctor_output.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "cli/doctor_plays.h"
#include "cli/with_trace.h"
#include "doctor/output_pattern.h"
#include "loadable/dla_task.h"
#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/network/open.h"
#include "run/network/outputs.h"
#include "run/options/options.h"
#include "trace/network.h"

/* A pattern or a cause is printed from this share on. */
#define SHARE_LEAST 0.5

enum { FAULT_TEXT = 40, RANKS = 3 /* printed of the faults of a bus */ };

struct comparison {
    struct doctor_output *options;
    struct loadable *loadable;
    struct program *prog;
    const struct op *check; /* of the bytes that are right */
    char name[NETWORK_NAME];
    struct network_output output; /* tensor false: a layer, or bytes of unknown format */
    struct output_bytes bytes;
    uint8_t *expected;
    char *found, *before;
    struct words causes;
    size_t dumps;       /* compared, of a folder */
    char *layer, *path; /* of the dump that is compared, of a folder */
    size_t wrong, first;
    struct output_pattern patterns[PATTERN_KINDS];
    double features[FEATURES];
    struct fault_ranking ranking;
    unsigned runs;
};

/* The check of the cube that a layer wrote; NULL if there is none. */
static const struct op *check_of_layer(const struct program *prog, const char *layer) {
    char name[NETWORK_LAYER];
    bool is_there = false;
    const size_t n = strlen(layer);
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        if (op->kind == OP_NOTE && network_layer_name(op->text, name))
            is_there = strncmp(name, layer, n) == 0 && name[n] == ' ';
        else if (op->kind == OP_MEM_CHECK && is_there)
            return op;
    }
    return NULL;
}

/* The last check at an address: that of the final content. */
static const struct op *check_at(const struct program *prog, enum memory_space space, uint64_t base) {
    for (size_t i = prog->count; i-- > 0;)
        if (prog->ops[i].kind == OP_MEM_CHECK && prog->ops[i].space == space && prog->ops[i].base == base)
            return &prog->ops[i];
    return NULL;
}

static void take_shape(struct comparison *at, const struct network_output *output) {
    snprintf(at->name, sizeof at->name, "%s", output->name);
    at->output = *output;
    if (!output->tensor)
        return;
    at->bytes.element = output->type == NETWORK_HALF ? 0 : network_type_bytes(output->type);
    at->bytes.line = output->line;
    at->bytes.surface = output->surface;
}

static bool find_output(struct comparison *at, struct error *err) {
    struct network network;
    const char *name = at->options->name;
    if (!network_read(at->prog, &network, err))
        return false;
    size_t matches = 0;
    for (size_t i = 0; i < network.output_count; i++) {
        const struct network_output *output = &network.outputs[i];
        if (name && strcmp(name, output->name) != 0)
            continue;
        matches++;
        take_shape(at, output);
        at->check = check_at(at->prog, output->space, output->base);
    }
    const size_t count = network.output_count;
    network_free(&network);
    if (matches == 1 && at->check)
        return true;
    if (name)
        return error_set(err, "--name: found '%s', expected one of the %zu outputs that nvcosim info shows", name,
                         count);
    return error_set(err, "%s: found %zu outputs, expected --name NAME: which of them the file is",
                     at->options->loadable, count);
}

/* Bytes of an integer that an operation writes; 0: it writes FP16, or nothing by itself. */
static unsigned element_of(const struct operation *op) {
    const unsigned precision = op->type == TYPE_SDP   ? op->sdp.dst_precision
                               : op->type == TYPE_PDP ? op->pdp.precision
                               : op->type == TYPE_CDP ? op->cdp.out_precision
                                                      : 2;
    return precision == 0 ? 1 : precision == 1 ? 2 : 0;
}

static void take_layer_shape(struct comparison *at) {
    struct dla_task task;
    struct error err;
    size_t number, operation;
    if (sscanf(at->options->layer, "%zu.%zu", &number, &operation) != 2)
        return;
    if (dla_task_read(at->loadable, number, &task, &err) && operation < task.count) {
        const struct operation *op = &task.operations[operation];
        at->bytes.element = element_of(op);
        at->bytes.line = op->dst.line_stride;
        at->bytes.surface = op->dst.surface_stride;
    }
    dla_task_free(&task);
}

static bool find_check(struct comparison *at, struct error *err) {
    const char *layer = at->options->layer;
    if (!layer)
        return find_output(at, err);
    at->check = check_of_layer(at->prog, layer);
    snprintf(at->name, sizeof at->name, "layer %s", layer);
    if (at->check)
        take_layer_shape(at);
    return at->check || error_set(err,
                                  "--layer: found '%s', expected TASK.OPERATION, for example 0.3, of a layer of %s "
                                  "that writes memory (nvcosim info shows them)",
                                  layer, at->options->loadable);
}

static void copy_range(void *context, uint64_t offset, const uint8_t *bytes, size_t n, bool first) {
    (void)first;
    memcpy((uint8_t *)context + offset, bytes, n);
}

/* What the model has, and in the gaps between what it wrote the bytes that were found. */
static uint8_t *expected_bytes(const struct op *check, const void *found) {
    uint8_t *expected = xmalloc(check->blob->extent + 1);
    memcpy(expected, found, check->blob->extent);
    blob_ranges(check->blob, copy_range, expected);
    return expected;
}

static bool read_of_size(const char *option, const char *path, uint64_t size, char **bytes, struct error *err) {
    size_t n;
    if (!file_read(path, bytes, &n, err))
        return error_prefix(err, "%s", option);
    return n == size || error_set(err, "%s%s: found %zu bytes, expected %llu: the memory as the board has it", option,
                                  path, n, (unsigned long long)size);
}

/* An output as the driver's runtime writes it, in its places among the right bytes. */
static bool read_dimg(struct comparison *at, uint64_t size, struct error *err) {
    at->found = xcalloc(1, size + 1);
    blob_ranges(at->check->blob, copy_range, at->found);
    if (!at->output.tensor || at->output.size != size)
        return error_set(err, "--output: found %s, expected the bytes of the memory: the shape is not known",
                         at->options->found);
    return outputs_read_dimg(at->options->found, &at->output, (uint8_t *)at->found, err) ||
           error_prefix(err, "--output: ");
}

static bool read_files(struct comparison *at, struct error *err) {
    const uint64_t size = at->check->blob->extent;
    if (text_ends_with(at->options->found, ".dimg")) {
        if (!read_dimg(at, size, err))
            return false;
    } else if (!read_of_size("--output: ", at->options->found, size, &at->found, err))
        return false;
    if (at->options->before && !read_of_size("--before: ", at->options->before, size, &at->before, err))
        return false;
    at->expected = expected_bytes(at->check, at->found);
    at->bytes.found = (const uint8_t *)at->found;
    at->bytes.before = (const uint8_t *)at->before;
    at->bytes.expected = at->expected;
    at->bytes.n = size;
    at->bytes.atom = (size_t)at->prog->config->mem_atom;
    at->bytes.beat = (unsigned)at->prog->config->dbb_data_bits / 8;
    return true;
}

/* ---- causes that the model can try ---- */

/* Whether the model gets what was found with another form of the input. */
static bool explains(const struct comparison *at, const struct compile_options *compile) {
    struct error err;
    struct program *prog = compile_loadable(at->loadable, compile, &err);
    if (!prog)
        return false;
    const struct op *check = at->options->layer ? check_of_layer(prog, at->options->layer)
                                                : check_at(prog, at->check->space, at->check->base);
    bool same = check && check->blob->extent == at->bytes.n;
    if (same) {
        uint8_t *expected = expected_bytes(check, at->found);
        same = memcmp(expected, at->found, at->bytes.n) == 0;
        free(expected);
    }
    program_free(prog);
    return same;
}

/* Usual ways to prepare a picture, in options of nvcosim run. */
static const struct input_form {
    const char *text;
    float mean[3];
    size_t means;
    float norm, scale;
} input_forms[] = {
    {"--mean 0", {0}, 0, 0, 0},
    {"--mean 128", {128}, 1, 0, 0},
    {"--mean 0 --scale 1", {0}, 0, 0, 1},
    {"--mean 128 --scale 1", {128}, 1, 0, 1},
    {"--mean 104,117,123", {104, 117, 123}, 3, 0, 0},
    {"--mean 104,117,123 --scale 1", {104, 117, 123}, 3, 0, 1},
    {"--mean 0 --norm 255", {0}, 0, 255, 0},
    {"--mean 127.5 --norm 127.5", {127.5F}, 1, 127.5F, 0},
};

static bool is_given(const struct input_options *given, const struct input_form *form) {
    return given->mean_count == form->means && given->norm == form->norm && given->scale == form->scale &&
           (!form->means || memcmp(given->mean, form->mean, form->means * sizeof *form->mean) == 0);
}

static void try_inputs(struct comparison *at) {
    const struct compile_options *as_given = &at->options->compile;
    struct compile_options other = *as_given;
    other.input.rgb = !other.input.rgb;
    if (explains(at, &other))
        words_add(&at->causes,
                  "the input's channels are in the other order: the model gets the same bytes with "
                  "--channels %s",
                  other.input.rgb ? "rgb" : "bgr");
    for (size_t i = 0; i < sizeof input_forms / sizeof *input_forms; i++) {
        struct input_form form = input_forms[i];
        other = *as_given;
        other.input.mean = form.mean;
        other.input.mean_count = form.means;
        other.input.norm = form.norm;
        other.input.scale = form.scale;
        if (!is_given(&as_given->input, &form) && explains(at, &other))
            words_add(&at->causes, "the input has another mean or scale: the model gets the same bytes with %s",
                      form.text);
    }
    other = *as_given;
    char *zero[] = {"zero", NULL};
    other.input.sources = (struct words){zero, 1};
    if (as_given->input.sources.count == 1 && explains(at, &other))
        words_add(&at->causes, "the input is missing: the model gets the same bytes with --input zero");
}

/* Bytes of another layer. */
static void try_layers(struct comparison *at) {
    char name[NETWORK_LAYER] = "";
    for (size_t i = 0; i < at->prog->count; i++) {
        const struct op *op = &at->prog->ops[i];
        if (op->kind == OP_NOTE && network_layer_name(op->text, name))
            continue;
        if (op->kind != OP_MEM_CHECK || op == at->check || !name[0])
            continue;
        const double share = output_elsewhere(&at->bytes, op->blob->bytes, op->blob->size);
        if (share >= SHARE_LEAST)
            words_add(&at->causes, "%.0f %% of the wrong atoms are those of layer %s", share * 100, name);
        name[0] = '\0';
    }
}

/* ---- what is printed ---- */

/* "same-id:4" */
static char *fault_text(const struct bus_fault *fault, char text[FAULT_TEXT]) {
    const struct bus_fault_info *info = &bus_fault_infos[fault->kind];
    if (info->unit)
        snprintf(text, FAULT_TEXT, "%s:%u", info->name, fault->parameter);
    else
        snprintf(text, FAULT_TEXT, "%s", info->name);
    return text;
}

/* The most similar faults of a bus; of a right output those that leave it right. */
static void print_ranking(const struct comparison *at) {
    enum bus_fault_kind order[BUS_FAULT_KINDS - 1];
    char text[FAULT_TEXT];
    ranking_order(&at->ranking, order);
    if (at->wrong && at->runs)
        printf("most similar faults of a bus, from %u runs of this network on the RTL:\n", at->runs);
    else if (at->wrong)
        printf("most similar faults of a bus, from runs of other networks:\n");
    for (int i = 0; i < BUS_FAULT_KINDS - 1; i++) {
        const struct fault_likeness *kind = &at->ranking.kinds[order[i]];
        if (at->wrong && kind->likeness > 0 && (i < RANKS || kind->likeness == 1))
            printf("    %3.0f %%  %s%s\n", kind->likeness * 100, fault_text(&kind->fault, text),
                   kind->likeness == 1 ? ": the same bytes" : "");
        else if (!at->wrong && kind->likeness == 1)
            printf("a bus with the fault %s would leave the same bytes\n", fault_text(&kind->fault, text));
    }
}

static void print_text(const struct comparison *at) {
    char text[PATTERN_TEXT];
    if (at->dumps && at->wrong)
        printf("%s is the first wrong one of the dumps; %zu before it %s right\n", at->name, at->dumps - 1,
               at->dumps == 2 ? "is" : "are");
    else if (at->dumps)
        printf("all %zu dumps are right\n", at->dumps);
    if (!at->wrong) {
        text_print_line(stdout, "%s: %s is right: all %zu bytes are those of the model", at->options->found, at->name,
                        at->bytes.n);
        print_ranking(at);
        return;
    }
    text_print_line(stdout,
                    "%s: %s: %zu of %zu bytes differ from the model, first at byte %zu: 0x%02x, expected 0x%02x",
                    at->options->found, at->name, at->wrong, at->bytes.n, at->first, at->bytes.found[at->first],
                    at->bytes.expected[at->first]);
    size_t printed = 0;
    for (int kind = 0; kind < PATTERN_KINDS; kind++)
        if (at->patterns[kind].share >= SHARE_LEAST && ++printed)
            printf("%.0f %%: %s\n", at->patterns[kind].share * 100,
                   output_pattern_text(&at->bytes, &at->patterns[kind], text));
    for (size_t i = 0; i < at->causes.count; i++)
        printf("%s\n", at->causes.items[i]);
    if (!printed && !at->causes.count)
        printf("no pattern explains half of it\n");
    print_ranking(at);
}

static json_t *json_ranking(const struct comparison *at) {
    enum bus_fault_kind order[BUS_FAULT_KINDS - 1];
    json_t *list = json_array();
    ranking_order(&at->ranking, order);
    for (int i = 0; i < BUS_FAULT_KINDS - 1; i++) {
        const struct fault_likeness *kind = &at->ranking.kinds[order[i]];
        const struct bus_fault_info *info = &bus_fault_infos[order[i]];
        if (kind->likeness > 0)
            json_array_append_new(list,
                                  json_pack("{ss so sf ss}", "fault", info->name, "parameter",
                                            info->unit ? json_integer((json_int_t)kind->fault.parameter) : json_null(),
                                            "likeness", kind->likeness, "from", kind->played ? "run" : "atlas"));
    }
    return list;
}

static void print_json(const struct comparison *at) {
    char text[PATTERN_TEXT];
    json_t *list = json_array(), *causes = json_array(), *features = json_array();
    for (int kind = 0; kind < PATTERN_KINDS; kind++)
        if (at->patterns[kind].share >= SHARE_LEAST)
            json_array_append_new(list, json_pack("{ss sf}", "pattern",
                                                  output_pattern_text(&at->bytes, &at->patterns[kind], text), "share",
                                                  at->patterns[kind].share));
    for (size_t i = 0; i < at->causes.count; i++)
        json_array_append_new(causes, json_string(at->causes.items[i]));
    for (int i = 0; i < FEATURES; i++)
        json_array_append_new(features, json_real(at->features[i]));
    json_t *json = json_pack("{ss sI sI so so so sI so so}", "output", at->name, "bytes", (json_int_t)at->bytes.n,
                             "wrong", (json_int_t)at->wrong, "first",
                             at->wrong ? json_integer((json_int_t)at->first) : json_null(), "patterns", list, "causes",
                             causes, "runs", (json_int_t)at->runs, "faults", json_ranking(at), "features", features);
    if (!json)
        xexhausted();
    if (at->dumps)
        json_object_set_new(json, "dumps_compared", json_integer((json_int_t)at->dumps));
    json_dumpf(json, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(json);
}

/* Ranks the faults of a bus: by runs of the network, where they are possible; the others by the atlas. */
static bool rank_faults(struct comparison *at, struct error *err) {
    output_features(&at->bytes, at->patterns, at->features);
    if (at->wrong)
        ranking_by_atlas(&at->ranking, at->features);
    return !at->options->clocks || doctor_plays(at->prog, at->check, &at->bytes, at->options->clocks,
                                                at->wrong ? UINT_MAX : 1, &at->ranking, &at->runs, err);
}

static void forget_files(struct comparison *at) {
    free(at->expected);
    free(at->found);
    free(at->before);
    free(at->layer);
    free(at->path);
    at->expected = NULL;
    at->found = at->before = at->layer = at->path = NULL;
}

/* Finds the first layer, in the order of the program, whose dump in a folder differs; the last one if none does. */
static bool find_wrong_dump(struct comparison *at, struct error *err) {
    const char *folder = at->options->found;
    char name[NETWORK_LAYER];
    for (size_t i = 0; i < at->prog->count && !at->wrong; i++) {
        const struct op *op = &at->prog->ops[i];
        if (op->kind != OP_NOTE || !network_layer_name(op->text, name))
            continue;
        name[strcspn(name, " ")] = '\0';
        char *path = xprintf("%s/%s.bin", folder, name);
        if (access(path, F_OK) != 0 || !check_of_layer(at->prog, name)) {
            free(path);
            continue;
        }
        forget_files(at);
        at->path = path;
        at->options->found = path;
        at->options->layer = at->layer = xstrdup(name);
        if (!find_check(at, err) || !read_files(at, err))
            return false;
        at->dumps++;
        at->wrong = output_wrong(&at->bytes, &at->first);
    }
    return at->dumps || error_set(err,
                                  "--output: found no dump of a layer in %s, expected files named TASK.OPERATION.bin, "
                                  "for example 0.3.bin",
                                  folder);
}

static int compare(struct comparison *at) {
    struct error err;
    at->wrong = output_wrong(&at->bytes, &at->first);
    output_patterns(&at->bytes, at->patterns);
    if (at->wrong) {
        try_inputs(at);
        try_layers(at);
    }
    if (!rank_faults(at, &err)) {
        fprintf(stderr, "nvcosim doctor: %s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    (at->options->json ? print_json : print_text)(at);
    return at->wrong ? EXIT_DIFFERENT : EXIT_OK;
}

int doctor_output(struct doctor_output *options) {
    struct comparison at = {.options = options};
    struct error err;
    int status = EXIT_BAD_INPUT;
    const bool dumps = directory_exists(options->found);
    if (dumps && (options->layer || options->name || options->before)) {
        fprintf(stderr,
                "nvcosim doctor: --output: found the folder %s, expected a file with --layer, --name or --before\n",
                options->found);
        return status;
    }
    if (options->layer || dumps)
        options->compile.no_layer_checks = false;
    at.loadable = network_open(options->loadable, &options->compile.config, &err);
    at.prog = at.loadable ? compile_loadable(at.loadable, &options->compile, &err) : NULL;
    print_warnings(at.prog);
    if (at.prog && (dumps ? find_wrong_dump(&at, &err) : find_check(&at, &err) && read_files(&at, &err)))
        status = compare(&at);
    else
        fprintf(stderr, "nvcosim doctor: %s\n", err.text);
    words_free(&at.causes);
    forget_files(&at);
    program_free(at.prog);
    loadable_free(at.loadable);
    return status;
}
