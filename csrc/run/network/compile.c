/* Places a loadable's memories, runs its tasks symbolically and on the model, and writes the program. See compile.h. */
#include "run/network/compile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"
#include "loadable/cpu_note.h"
#include "loadable/scheduler.h"
#include "memory/file.h"
#include "memory/ranges.h"
#include "model/model.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "quantised/write.h"
#include "trace/network.h"

/* ---- what launches write ---- */

/* The bytes that a launch has written so far, in the order of its writes. */
struct written {
    enum nvdla_unit unit;
    int ordinal;
    enum memory_space space;
    struct ranges ranges;
    struct written *next;
};

struct compiler {
    struct loadable *loadable;
    const struct compile_options *options;
    const struct nvdla_config *config;
    struct program *prog;
    struct device *model;
    struct scheduler scheduler;
    size_t played; /* operations that the model has executed */
    struct written *written;
    uint8_t **inputs; /* bytes of each input memory */
    double *scales;   /* value of a 1 in each memory that the CPU has written */
    struct listening {
        struct compiler *compiler;
        enum memory_space space;
    } listening[SPACE_COUNT];
    struct error *err;
};

static void hear_write(void *context, uint64_t address, size_t n, const struct memory_origin *origin) {
    const struct listening *listening = context;
    struct written **list = &listening->compiler->written, *written;
    for (written = *list; written; written = written->next)
        if (written->unit == (enum nvdla_unit)origin->unit && written->ordinal == origin->ordinal &&
            written->space == listening->space)
            break;
    if (!written) {
        written = xcalloc(1, sizeof *written);
        written->unit = (enum nvdla_unit)origin->unit;
        written->ordinal = origin->ordinal;
        written->space = listening->space;
        written->next = *list;
        *list = written;
    }
    ranges_add(&written->ranges, address, n);
}

static void written_free(struct written *written) {
    ranges_free(&written->ranges);
    free(written);
}

/* ---- the program's memory operations ---- */

enum { PIECE = 1 << 16 }; /* bytes to copy at a time: memories are large */

/* A new blob of the program with content of a memory of the model. */
static struct blob *blob_of(struct compiler *compiler, enum memory_space space, const struct range *ranges,
                            size_t count) {
    struct blob *blob = program_blob(compiler->prog, blob_new(NULL));
    autofree uint8_t *piece = xmalloc(PIECE);
    for (size_t i = 0; i < count; i++)
        for (uint64_t at = 0; at < ranges[i].size; at += PIECE) {
            const size_t n = ranges[i].size - at < PIECE ? (size_t)(ranges[i].size - at) : PIECE;
            memory_read(compiler->model->memory[space], ranges[i].start + at, piece, n);
            blob_append(blob, ranges[i].start - ranges[0].start + at, piece, n);
        }
    return blob;
}

static void append_memory(struct compiler *compiler, enum op_kind kind, enum memory_space space, uint64_t base,
                          uint64_t size, const struct blob *blob) {
    struct op op = op_make(kind, 0);
    op.space = space;
    op.base = base;
    op.size = size;
    op.blob = blob;
    program_append(compiler->prog, &op);
}

/* Appends a check of what memory has on the model now, or a load of it. */
static void append_now(struct compiler *compiler, enum op_kind kind, enum memory_space space,
                       const struct range *ranges, size_t count) {
    if (count)
        append_memory(compiler, kind, space, ranges[0].start, 0, blob_of(compiler, space, ranges, count));
}

/* Names the tensor of an output in the trace. */
static void note_output(struct compiler *compiler, size_t number) {
    const struct loadable_memory *memory = &compiler->loadable->memories[number];
    const struct loadable_tensor *tensor =
        memory->tensor == LOADABLE_NONE ? NULL : &compiler->loadable->tensors[memory->tensor];
    struct network_output output = {.space = memory->space, .base = memory->base, .size = memory->size};
    autofree char *name = xprintf("output%u", memory->bind);
    network_name(tensor && tensor->name[0] ? tensor->name : name, output.name);
    const bool known =
        tensor && (tensor->data_type == DATA_INT8 || tensor->data_type == DATA_INT16 || tensor->data_type == DATA_HALF);
    if (known && (tensor->pixel_format == PIXEL_FEATURE || tensor->pixel_format == PIXEL_FEATURE_8)) {
        output.type = tensor->data_type == DATA_INT8    ? NETWORK_INT8
                      : tensor->data_type == DATA_INT16 ? NETWORK_INT16
                                                        : NETWORK_HALF;
        output.format = tensor->pixel_format;
        output.atom = (unsigned)compiler->config->mem_atom / network_type_bytes(output.type);
        output.n = (unsigned)tensor->n;
        output.c = (unsigned)tensor->c;
        output.h = (unsigned)tensor->h;
        output.w = (unsigned)tensor->w;
        output.line = tensor->stride[1];
        output.surface = tensor->stride[2];
        output.scale = compiler->scales[number] != 0 ? compiler->scales[number] : 1;
        if (compiler->scales[number] == 0) {
            output.real = (double)tensor->scale;
            output.zero = tensor->zero;
        }
        output.order = tensor->order;
        output.tensor = network_output_valid(&output);
    }
    network_note_output(compiler->prog, &output);
}

/* ---- playing on the model ---- */

/* The model is stuck. Its last warning says why. */
static bool stuck(struct compiler *compiler, const struct op *op) {
    struct device *model = compiler->model;
    char name[64];
    if (model->ops->explain)
        model->ops->explain(model);
    const char *why = model->warning_count ? model->warnings[model->warning_count - 1].text : NULL;
    if (!why && model->finding_count)
        why = model->findings[model->finding_count - 1].text;
    return error_set(compiler->err, "%s: on the model %s never becomes 0x%" PRIx32 "%s%s", compiler->loadable->path,
                     nvdla_register_name(compiler->config, op->address, name, sizeof name), op->value, why ? "; " : "",
                     why ? why : "");
}

static bool holds(const struct op *op, uint32_t value) {
    const uint32_t left = value & op->mask, right = op->value & op->mask;
    return op->relation == RELATION_EQUAL        ? left == right
           : op->relation == RELATION_LESS_EQUAL ? left <= right
                                                 : left >= right;
}

static bool play_poll(struct compiler *compiler, const struct op *op) {
    struct device *model = compiler->model;
    uint32_t value;
    for (;;) {
        if (!model->ops->csb_read(model, op->address, &value, compiler->err))
            return false;
        if (holds(op, value))
            return true;
        switch (model->ops->advance(model, 1, false, compiler->err)) {
        case DEVICE_IDLE:
            return stuck(compiler, op);
        case DEVICE_FAILED:
            return error_prefix(compiler->err, "%s: the model cannot execute it: ", compiler->loadable->path);
        case DEVICE_RUNNING:
        case DEVICE_INTERRUPT:
            break;
        }
    }
}

static bool play_op(struct compiler *compiler, const struct op *op) {
    struct device *model = compiler->model;
    switch (op->kind) {
    case OP_WRITE:
        return model->ops->csb_write(model, op->address, op->value, op->nposted, compiler->err) ||
               error_prefix(compiler->err, "%s: the model cannot execute it: ", compiler->loadable->path);
    case OP_POLL:
        return play_poll(compiler, op);
    case OP_MEM_LOAD:
        blob_write(model->memory[op->space], op->base, op->blob);
        memory_declare(model->memory[op->space], op->base, op->blob->extent);
        return true;
    case OP_MEM_FILL: /* with zeros: the content of memory that has never been written */
    case OP_MEM_RESERVE:
        memory_declare(model->memory[op->space], op->base, op->size);
        return true;
    default:
        return true;
    }
}

/* Plays what was appended to the program since the last call. */
static bool play_on(struct compiler *compiler) {
    while (compiler->played < compiler->prog->count)
        if (!play_op(compiler, &compiler->prog->ops[compiler->played++]))
            return false;
    return true;
}

/* ---- layers ---- */

/* After the end of a layer: the model runs it, and a check of what it wrote is appended. */
static bool layer_completed(void *context, const struct dla_task *task, size_t operation, int launch,
                            struct error *err) {
    struct compiler *compiler = context;
    const enum nvdla_unit unit = op_type_units[task->operations[operation].type];
    char name[LAYER_NAME];
    if (!play_on(compiler)) {
        const size_t path = strlen(task->loadable->path);
        autofree char *text = xstrdup(err->text);
        const char *rest = strncmp(text, task->loadable->path, path) == 0 ? text + path + 2 : text;
        error_set(err, "%s: %s", dla_layer_name(task, operation, name), rest);
        return false;
    }
    struct network_layer layer = {(unsigned)task->number, (unsigned)operation, "", unit, launch};
    snprintf(layer.type, sizeof layer.type, "%s", op_type_names[task->operations[operation].type]);
    network_note_layer(compiler->prog, &layer);
    if (compiler->options->completed)
        compiler->options->completed(compiler->options->context, task->number, operation, compiler->model->memory);
    for (struct written **at = &compiler->written; *at;) {
        struct written *written = *at;
        if (written->unit != unit || written->ordinal != launch) {
            at = &written->next;
            continue;
        }
        *at = written->next;
        ranges_sort(&written->ranges);
        if (!compiler->options->no_layer_checks)
            append_now(compiler, OP_MEM_CHECK, written->space, written->ranges.list, written->ranges.count);
        written_free(written);
    }
    return true;
}

static bool compile_dla(struct compiler *compiler, size_t number) {
    const struct scheduler_host host = {.completed = layer_completed, .context = compiler};
    struct dla_task task;
    if (!dla_task_read(compiler->loadable, number, &task, compiler->err))
        return false;
    if (task.repaired)
        program_warn(compiler->prog, compiler->loadable->path, 0,
                     "task %zu: the counters of its layers did not match their links and were repaired: some links led "
                     "to another task; NVIDIA's driver does not repair them, and refuses the network",
                     number);
    const bool good = dla_task_check(&task, compiler->config, compiler->err) &&
                      schedule_task(&compiler->scheduler, &task, &host, compiler->err) && play_on(compiler);
    dla_task_free(&task);
    return good;
}

static struct range buffer_range(const struct cpu_buffer *buffer) {
    return (struct range){buffer->address, buffer->bytes};
}

static bool compile_cpu(struct compiler *compiler, size_t number) {
    struct cpu_task task;
    if (!cpu_task_read(compiler->loadable, number, &task, compiler->err))
        return false;
    for (size_t i = 0; i < task.count; i++) {
        const struct cpu_operation *op = &task.operations[i];
        const struct range source = buffer_range(&op->source), destination = buffer_range(&op->destination);
        program_note(compiler->prog, "task %zu, layer %zu: %s on the CPU", number, i, cpu_type_names[op->type]);
        /* The result becomes a constant of the trace, right only if its source is, and a comment to compute it. */
        append_now(compiler, OP_MEM_CHECK, op->source.memory->space, &source, 1);
        cpu_operation_run(op, compiler->model->memory);
        append_now(compiler, OP_MEM_LOAD, op->destination.memory->space, &destination, 1);
        autofree char *text = cpu_note(op);
        program_note(compiler->prog, "%s", text);
        if (compiler->options->completed)
            compiler->options->completed(compiler->options->context, number, i, compiler->model->memory);
        /* The others write what their tensor says. */
        if (op->type < CPU_LOG_SOFTMAX)
            compiler->scales[op->destination.memory - compiler->loadable->memories] =
                op->destination.half ? 1 : (double)op->out_scale;
    }
    cpu_task_free(&task);
    return play_on(compiler);
}

/* ---- configuration ---- */

static bool is_spacious(const struct nvdla_config *config) {
    return config->map == NVDLA_MAP_FULL;
}

/* Whether the configuration has the memories that the loadable needs. */
static bool check_memories(const struct compiler *compiler) {
    for (size_t i = 0; i < compiler->loadable->memory_count; i++)
        if (compiler->loadable->memories[i].domain == 1 && !is_spacious(compiler->config))
            return error_set(compiler->err, "%s: memory %u is on-chip RAM, which configuration %s does not have",
                             compiler->loadable->path, compiler->loadable->memories[i].id, compiler->config->name);
    return true;
}

/* What the file shows about the configuration it was compiled for. */
static bool find_needs(struct compiler *compiler, struct dla_needs *needs) {
    const struct loadable *loadable = compiler->loadable;
    for (size_t i = 0; i < loadable->order_count; i++) {
        struct dla_task task;
        if (loadable->tasks[loadable->order[i]].interface != INTERFACE_DLA)
            continue;
        if (!dla_task_read(loadable, i, &task, compiler->err))
            return false;
        dla_task_needs(&task, needs);
        dla_task_free(&task);
    }
    for (size_t i = 0; i < loadable->memory_count; i++) {
        const struct loadable_memory *memory = &loadable->memories[i];
        needs->full = needs->full || memory->domain == 1;
        if (memory->tensor != LOADABLE_NONE && loadable->tensors[memory->tensor].pixel_format == PIXEL_FEATURE_8)
            needs->atom_8 = true;
    }
    return true;
}

static bool find_config(struct compiler *compiler) {
    struct dla_needs needs = {0};
    compiler->config = compiler->options->config;
    if (compiler->config) {
        const struct loadable *loadable = compiler->loadable;
        const bool known = loadable->tensor_count > 0 && loadable->tensors[0].atom > 0;
        return known || loadable_has_atoms(loadable->path, compiler->config, compiler->err);
    }
    if (!find_needs(compiler, &needs))
        return false;
    if (needs.full)
        compiler->config = nvdla_config_find("full");
    else if (needs.atom_8 && !needs.atom_32)
        compiler->config = nvdla_config_find("small");
    else
        return error_set(compiler->err, "%s: nothing in it shows whether it was compiled for %s; choose with --config",
                         compiler->loadable->path,
                         needs.atom_32 && !needs.atom_8 ? "full or large" : "small, large or full");
    return true;
}

const struct nvdla_config *compile_config(struct loadable *loadable, struct error *err) {
    const struct compile_options options = {0};
    struct compiler compiler = {.loadable = loadable, .options = &options, .err = err};
    return find_config(&compiler) ? compiler.config : NULL;
}

/* ---- the whole ---- */

static bool is_zero(const uint8_t *bytes, size_t n) {
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0;
}

/* Content or input of a memory, without pieces of zeros. Inputs of zeros are not looked at: on some kernels memory that
 * is only read takes room, too. */
static struct blob *content_of(struct compiler *compiler, const struct loadable_memory *memory) {
    const uint8_t *input = compiler->inputs[memory - compiler->loadable->memories];
    const struct words *sources = &compiler->options->input.sources;
    struct blob *blob = blob_new(NULL);
    if (input && sources->count == 1 && strcmp(sources->items[0], "zero") == 0)
        return blob;
    autofree uint8_t *content = xmalloc(PIECE);
    for (uint64_t at = 0; at < memory->size && (input || memory->content_count); at += PIECE) {
        const size_t n = memory->size - at < PIECE ? (size_t)(memory->size - at) : PIECE;
        const uint8_t *piece = input ? input + at : content;
        if (!input)
            loadable_content(compiler->loadable, memory, at, content, n);
        if (!is_zero(piece, n))
            blob_append(blob, at, piece, n);
    }
    return blob;
}

/* Content, input or zeros of a memory, and room up to a whole atom. */
static void declare_memory(struct compiler *compiler, const struct loadable_memory *memory) {
    if (memory->size == 0)
        return;
    struct blob *blob = program_blob(compiler->prog, content_of(compiler, memory));
    append_memory(compiler, blob->size < memory->size ? OP_MEM_FILL : OP_MEM_RESERVE, memory->space, memory->base,
                  loadable_reserved(memory), NULL);
    if (blob->size)
        append_memory(compiler, OP_MEM_LOAD, memory->space, memory->base, 0, blob);
}

static bool declare_memories(struct compiler *compiler) {
    const struct loadable *loadable = compiler->loadable;
    for (size_t i = 0; i < loadable->memory_count; i++) {
        const struct loadable_memory *memory = &loadable->memories[i];
        program_note(compiler->prog, "memory %u%s%s", memory->id, memory->flags & MEMORY_INPUT ? ", input" : "",
                     memory->flags & MEMORY_OUTPUT ? ", output" : "");
        declare_memory(compiler, memory);
    }
    return play_on(compiler);
}

static void check_outputs(struct compiler *compiler) {
    const struct loadable *loadable = compiler->loadable;
    for (size_t i = 0; i < loadable->memory_count; i++) {
        const struct loadable_memory *memory = &loadable->memories[i];
        if (!(memory->flags & MEMORY_OUTPUT) || memory->size == 0)
            continue;
        const struct range whole = {memory->base, memory->size};
        note_output(compiler, i);
        append_now(compiler, OP_MEM_CHECK, memory->space, &whole, 1);
    }
}

static bool compile_tasks(struct compiler *compiler) {
    const struct loadable *loadable = compiler->loadable;
    for (size_t i = 0; i < loadable->order_count; i++) {
        const bool dla = loadable->tasks[loadable->order[i]].interface == INTERFACE_DLA;
        if (!(dla ? compile_dla(compiler, i) : compile_cpu(compiler, i)))
            return false;
    }
    return true;
}

/* Warns of findings of the model that a run will fail for. */
static void warn_of_findings(struct compiler *compiler) {
    const struct device *model = compiler->model;
    for (size_t i = 0; i < model->finding_count; i++)
        program_warn(compiler->prog, compiler->loadable->path, 0, "%s", model->findings[i].text);
}

/* Warns of layers that NVIDIA's hardware computes otherwise. */
static void warn_of_errata(struct compiler *compiler) {
    const struct device *model = compiler->model;
    for (size_t i = 0; i < model->warning_count; i++)
        if (model->warnings[i].effect == RULE_ERRATUM)
            program_warn(compiler->prog, compiler->loadable->path, 0, "%s launch %d: %s (%s)",
                         nvdla_unit_names[model->warnings[i].unit], model->warnings[i].ordinal, model->warnings[i].rule,
                         model->warnings[i].section);
}

static bool compile(struct compiler *compiler) {
    const struct model_options model = {.threads = compiler->options->threads};
    compiler->prog = program_new(compiler->config, compiler->loadable->path);
    compiler->prog->sequential = true;
    program_stream(compiler->prog, "main");
    compiler->model = model_new(compiler->config, &model);
    compiler->scheduler = (struct scheduler){.emitter = {.prog = compiler->prog, .config = compiler->config},
                                             .prompt = loadable_blob_named(compiler->loadable, ORIGINS_BLOB) != NULL};
    for (int space = 0; space < SPACE_COUNT; space++) {
        compiler->listening[space] = (struct listening){.compiler = compiler, .space = (enum memory_space)space};
        if (compiler->model->memory[space])
            memory_listen(compiler->model->memory[space],
                          (struct memory_listener){.written = hear_write, .context = &compiler->listening[space]});
    }
    if (!compiler->model->ops->reset(compiler->model, compiler->err) || !declare_memories(compiler) ||
        !compile_tasks(compiler))
        return false;
    check_outputs(compiler);
    warn_of_findings(compiler);
    warn_of_errata(compiler);
    return true;
}

static void written_free_all(struct compiler *compiler) {
    while (compiler->written) {
        struct written *next = compiler->written->next;
        written_free(compiler->written);
        compiler->written = next;
    }
}

struct program *compile_loadable(struct loadable *loadable, const struct compile_options *options, struct error *err) {
    struct compiler compiler = {.loadable = loadable, .options = options, .err = err};
    const bool placed =
        loadable_place(loadable, options->base, options->secondary_base, 64, err) && find_config(&compiler) &&
        check_memories(&compiler) &&
        loadable_place(loadable, options->base, options->secondary_base, compiler.config->addr_bits, err);
    compiler.inputs = placed ? input_fill(loadable, &options->input, err) : NULL;
    compiler.scales = xcalloc(loadable->memory_count, sizeof *compiler.scales);
    const bool good = compiler.inputs && compile(&compiler);
    input_free(loadable, compiler.inputs);
    free(compiler.scales);
    if (compiler.model)
        compiler.model->ops->destroy(compiler.model);
    written_free_all(&compiler);
    if (good)
        return compiler.prog;
    program_free(compiler.prog);
    return NULL;
}

/* The name of a register as in the driver's lists: RUBIK is not shortened. */
static void append_register(struct text *text, const struct nvdla_config *config, uint32_t address) {
    const struct nvdla_register *reg = nvdla_register_at(config, address);
    text_printf(text, "%s.%s", reg->unit == NVDLA_RBK ? "RUBIK" : nvdla_unit_names[reg->unit], reg->name);
}

bool compile_list_writes(const struct program *prog, const char *path, struct error *err) {
    autotext struct text text = {0};
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        if (op->kind != OP_WRITE && op->kind != OP_POLL)
            continue;
        /* A poll is listed by the bits that it waits for; one of a count, by the minimum. */
        const bool bits = op->kind == OP_POLL && op->relation == RELATION_EQUAL;
        text_printf(&text, "%c ", op->kind == OP_WRITE ? 'W' : 'P');
        append_register(&text, prog->config, op->address);
        text_printf(&text, " 0x%08" PRIx32 "\n", bits ? op->mask : op->value);
    }
    return file_write(path, text.text ? text.text : "", text.n, err);
}

void compile_options_init(struct compile_options *options) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *options = (struct compile_options){
        .base = COMPILE_BASE,
        .secondary_base = COMPILE_SECONDARY_BASE,
        .threads = processors > 8   ? 8
                   : processors > 1 ? (size_t)processors
                                    : 1,
    };
}

void compile_options_free(struct compile_options *options) {
    input_options_free(&options->input);
}
