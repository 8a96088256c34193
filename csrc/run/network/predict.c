/* Computes a network for many pictures; see predict.h. */
#include "run/network/predict.h"

#include <stdlib.h>

#include "loadable/cpu_note.h"
#include "model/model.h"
#include "nvdla/xalloc.h"
#include "replay/player.h"
#include "report/json_text.h"
#include "run/network/outputs.h"
#include "trace/network.h"

/* What the network writes of one of its memories, and what is there before it is computed. */
struct restored {
    const struct loadable_memory *memory;
    uint64_t from, to; /* addresses; equal: nothing */
    uint8_t *before;
};

struct predictor {
    const struct loadable *loadable;
    struct input_options input; /* without sources */
    struct program *prog;       /* as compiled */
    struct program *steps;      /* what is done for each picture */
    struct program *content;    /* fills the memories; refers to prog */
    struct device *model;
    struct network network;
    const struct loadable_memory *place; /* of the input */
    struct restored *restored;           /* one for each memory */
    struct hearing {
        struct predictor *predictor;
        enum memory_space space;
    } hearing[SPACE_COUNT];
};

/* ---- what is written ---- */

static void note_range(struct predictor *predictor, enum memory_space space, uint64_t address, uint64_t n) {
    for (size_t i = 0; i < predictor->loadable->memory_count; i++) {
        struct restored *restored = &predictor->restored[i];
        const struct loadable_memory *memory = &predictor->loadable->memories[i];
        if (memory->space != space || address < memory->base || address - memory->base >= loadable_reserved(memory))
            continue;
        const bool first = restored->from == restored->to;
        restored->from = first || address < restored->from ? address : restored->from;
        restored->to = first || address + n > restored->to ? address + n : restored->to;
        return;
    }
}

static void hear_write(void *context, uint64_t address, size_t n, const struct memory_origin *origin) {
    const struct hearing *hearing = context;
    (void)origin;
    note_range(hearing->predictor, hearing->space, address, n);
}

static void listen(struct predictor *predictor, bool on) {
    for (int space = 0; space < SPACE_COUNT; space++) {
        predictor->hearing[space] = (struct hearing){predictor, (enum memory_space)space};
        if (predictor->model->memory[space])
            memory_listen(predictor->model->memory[space],
                          on ? (struct memory_listener){.written = hear_write, .context = &predictor->hearing[space]}
                             : (struct memory_listener){0});
    }
}

/* ---- playing ---- */

static void on_note(void *context, struct device *model, const char *text) {
    (void)context;
    cpu_note_run(text, model->memory);
}

static bool play_part(struct predictor *predictor, const struct program *part, struct error *err) {
    struct play_options options;
    struct play_result result;
    play_options_default(&options);
    options.note = on_note;
    const enum play_outcome outcome = play(part, predictor->model, &options, &result);
    const struct device *model = predictor->model;
    const char *why = result.message         ? result.message
                      : model->finding_count ? model->findings[0].text
                      : outcome == PLAY_HUNG ? "it waits for ever"
                                             : "a check failed";
    if (outcome != PLAY_PASSED)
        error_set(err, "%s: the model does not finish the network: %s", predictor->loadable->path, why);
    play_result_free(&result);
    return outcome == PLAY_PASSED;
}

/* An empty program for some of the operations of a sequential one. */
static struct program *part_of(const struct program *prog) {
    struct program *part = program_like(prog);
    part->sequential = true;
    program_stream(part, prog->streams[0]);
    return part;
}

/* Divides the program: what fills the memories, and what is done for each picture. Checks are left out, as they hold
 * for the compiled input only, and so are the constant results of the CPU, which are computed anew. */
static void divide(struct predictor *predictor) {
    const struct program *prog = predictor->prog;
    bool filling = true;
    predictor->content = part_of(prog);
    predictor->steps = part_of(prog);
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        const bool fills = op->kind == OP_MEM_LOAD || op->kind == OP_MEM_FILL || op->kind == OP_MEM_RESERVE;
        filling = filling && (fills || op->kind == OP_NOTE);
        if (filling)
            program_append(predictor->content, op);
        else if (op->kind == OP_WRITE || op->kind == OP_POLL || op->kind == OP_NOTE)
            program_append(predictor->steps, op);
        else if (op->kind == OP_MEM_LOAD)
            note_range(predictor, op->space, op->base, op->blob->extent);
    }
}

/* Computes the network once to learn what it writes, and keeps what was there before. */
static bool learn(struct predictor *predictor, struct error *err) {
    if (!play_part(predictor, predictor->content, err))
        return false;
    listen(predictor, true);
    const bool fine = play_part(predictor, predictor->steps, err);
    listen(predictor, false);
    if (!fine || !play_part(predictor, predictor->content, err))
        return false;
    for (size_t i = 0; i < predictor->loadable->memory_count; i++) {
        struct restored *restored = &predictor->restored[i];
        const size_t n = (size_t)(restored->to - restored->from);
        restored->before = xmalloc(n ? n : 1);
        memory_read(predictor->model->memory[restored->memory->space], restored->from, restored->before, n);
    }
    return true;
}

/* ---- the whole ---- */

/* The one input and the one output. False with a message. */
static bool find_ends(struct predictor *predictor, struct error *err) {
    const struct loadable *loadable = predictor->loadable;
    size_t inputs = 0;
    for (size_t i = 0; i < loadable->memory_count; i++)
        if (loadable->memories[i].flags & MEMORY_INPUT) {
            predictor->place = &loadable->memories[i];
            inputs++;
        }
    if (inputs != 1 || predictor->place->tensor == LOADABLE_NONE || loadable->tensors[predictor->place->tensor].n != 1)
        return error_set(err,
                         "%s: found %zu %s%s; expected one, for one picture: other networks are played by "
                         "`nvcosim run --input`",
                         loadable->path, inputs, text_plural(inputs, "input", "inputs"),
                         inputs != 1 ? "" : ", which is not the tensor of one picture");
    if (!network_read(predictor->prog, &predictor->network, err))
        return false;
    const struct network *network = &predictor->network;
    if (network->output_count == 1 && network_has_indices(&network->outputs[0]))
        return error_set(err,
                         "%s: found an output of indices, of an ArgMax; expected one whose elements are the classes: "
                         "take the network without its ArgMax",
                         loadable->path);
    return (network->output_count == 1 && network->outputs[0].tensor && network->outputs[0].n == 1) ||
           error_set(err, "%s: found %zu %s%s; expected one, whose elements are the classes", loadable->path,
                     network->output_count, text_plural(network->output_count, "output", "outputs"),
                     network->output_count != 1 ? "" : ", which is not the tensor of one picture");
}

static bool prepare(struct predictor *predictor, struct loadable *loadable, const struct compile_options *options,
                    struct error *err) {
    char zero[] = "zero", *sources[] = {zero, NULL};
    struct compile_options own = *options;
    own.input.sources = (struct words){.items = sources, .count = 1};
    own.no_layer_checks = true;
    predictor->loadable = loadable;
    predictor->input = options->input;
    predictor->prog = compile_loadable(loadable, &own, err);
    if (!predictor->prog)
        return false;
    predictor->restored = xcalloc(loadable->memory_count, sizeof *predictor->restored);
    for (size_t i = 0; i < loadable->memory_count; i++)
        predictor->restored[i].memory = &loadable->memories[i];
    const struct model_options model = {.threads = 1};
    predictor->model = model_new(predictor->prog->config, &model);
    if (!find_ends(predictor, err))
        return false;
    divide(predictor);
    return learn(predictor, err);
}

static void predictor_free(struct predictor *predictor) {
    if (!predictor)
        return;
    for (size_t i = 0; predictor->restored && i < predictor->loadable->memory_count; i++)
        free(predictor->restored[i].before);
    free(predictor->restored);
    if (predictor->model)
        predictor->model->ops->destroy(predictor->model);
    network_free(&predictor->network);
    program_free(predictor->content);
    program_free(predictor->steps);
    program_free(predictor->prog);
    free(predictor);
}

/* Compiles the network and computes it once. NULL with a message. */
static struct predictor *predictor_new(struct loadable *loadable, const struct compile_options *options,
                                       struct error *err) {
    struct predictor *predictor = xcalloc(1, sizeof *predictor);
    if (prepare(predictor, loadable, options, err))
        return predictor;
    predictor_free(predictor);
    return NULL;
}

/* The values of the classes for the picture in a file. The result depends on nothing but the picture. free() it. NULL
 * with a message. */
static float *predictor_run(struct predictor *predictor, const char *path, size_t *count, struct error *err) {
    const struct loadable *loadable = predictor->loadable;
    const struct network_output *output = &predictor->network.outputs[0];
    struct memory *const *memory = predictor->model->memory;
    struct words source = {0};
    words_put(&source, path);
    struct input_options input = predictor->input;
    input.sources = source;
    uint8_t **inputs = input_fill(loadable, &input, err);
    words_free(&source);
    if (!inputs)
        return NULL;
    for (int space = 0; space < SPACE_COUNT; space++)
        if (memory[space])
            memory_forget_origins(memory[space]);
    for (size_t i = 0; i < loadable->memory_count; i++) {
        const struct restored *restored = &predictor->restored[i];
        memory_write(memory[restored->memory->space], restored->from, restored->before,
                     (size_t)(restored->to - restored->from), NULL, NULL);
    }
    memory_write(memory[predictor->place->space], predictor->place->base, inputs[predictor->place - loadable->memories],
                 (size_t)predictor->place->size, NULL, NULL);
    input_free(loadable, inputs);
    if (!play_part(predictor, predictor->steps, err))
        return NULL;
    autofree uint8_t *bytes = xmalloc((size_t)output->size);
    memory_read(memory[output->space], output->base, bytes, (size_t)output->size);
    float *values = outputs_values(output, bytes, count);
    return values;
}

/* ---- lines ---- */

static void print_line(FILE *out, json_t *json) {
    autofree char *text = json_to_text(json, JSON_COMPACT | JSON_REAL_PRECISION(9));
    fprintf(out, "%s\n", text);
    fflush(out);
}

static void print_facts(FILE *out, const struct predictor *predictor) {
    const struct program *prog = predictor->prog;
    const struct network_output *output = &predictor->network.outputs[0];
    json_t *warnings = json_array();
    for (size_t i = 0; i < prog->warning_count; i++)
        json_array_append_new(warnings, json_text(prog->warnings[i].text));
    print_line(out, json_pack("{s:I, s:s, s:o}", "classes",
                              (json_int_t)output->c * (json_int_t)output->h * (json_int_t)output->w, "config",
                              prog->config->name, "warnings", warnings));
}

static void print_values(FILE *out, const float *values, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, values[i] == values[i] ? json_real((double)values[i]) : json_null());
    print_line(out, json_pack("{s:o}", "values", list));
}

bool predict_lines(FILE *in, FILE *out, struct loadable *loadable, const struct compile_options *options,
                   struct error *err) {
    struct predictor *predictor = predictor_new(loadable, options, err);
    autofree char *line = NULL;
    size_t size = 0;
    if (!predictor)
        return false;
    print_facts(out, predictor);
    for (ssize_t n; (n = getline(&line, &size, in)) > 0;) {
        struct error wrong;
        size_t count;
        line[n - 1] = line[n - 1] == '\n' ? '\0' : line[n - 1];
        autofree float *values = predictor_run(predictor, line, &count, &wrong);
        if (values)
            print_values(out, values, count);
        else
            print_line(out, json_pack("{s:o}", "error", json_text(wrong.text)));
    }
    predictor_free(predictor);
    return true;
}
