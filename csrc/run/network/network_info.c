/* Layers, memories and tensors of a network; see network_info.h. */
#include "run/network/network_info.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "loadable/cpu_task.h"
#include "loadable/describe.h"
#include "loadable/scheduler.h"
#include "nvdla/engines.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "quantised/write.h"
#include "run/network/compile.h"

enum { NONE = -1, SOURCES_MAX = 8 };

/* Location of values. */
struct place {
    bool memory; /* otherwise on the fly, or none */
    enum memory_space space;
    uint64_t address, size;
};

/* Width, height and channels; 0: there is no cube. */
struct size {
    unsigned w, h, c;
};

/* A layer, on an engine or the CPU. */
struct layer {
    size_t task, operation;
    const char *type;
    char *what, *precision;
    struct size in, out;
    uint64_t macs, clocks; /* minimum clocks of the MAC array; 0: it does nothing, or not known */
    struct place reads[SOURCES_MAX], writes;
    int read_count;
    int fused;                /* layer that feeds it on the fly, or NONE */
    int sources[SOURCES_MAX]; /* layers whose results it reads */
    int source_count;
    enum nvdla_unit unit;
    int ordinal;  /* its launch, or NONE */
    char *origin; /* operator and tensor of a quantised network, "" if not known */
};

struct info {
    struct loadable *loadable;
    const struct nvdla_config *config;
    struct layer *layers;
    size_t count;
    struct scheduler scheduler;
    size_t first;   /* scheduled layer of the task */
    int cube_bytes; /* size of a cube in its descriptors: drivers know one; 0: none has a cube */
};

/* ---- reading ---- */

static struct size size_of(const struct data_cube *cube) {
    return (struct size){cube->width, cube->height, cube->channel};
}

static struct place place_of(const struct data_cube *cube) {
    return (struct place){.memory = cube->type <= CUBE_SRAM && cube->position >= 0,
                          .space = cube->type == CUBE_SRAM ? SPACE_SECONDARY : SPACE_PRIMARY,
                          .address = cube->address,
                          .size = cube->size ? cube->size : 1};
}

static void add_read(struct layer *layer, struct place place) {
    if (place.memory && layer->read_count < SOURCES_MAX)
        layer->reads[layer->read_count++] = place;
}

static char *precision_of(const struct operation *op) {
    switch ((enum op_type)op->type) {
    case TYPE_BDMA:
        return xstrdup("");
    case TYPE_CONV:
        return xstrdup(precision_name(op->conv.in_precision));
    case TYPE_SDP:
        return op->sdp.src_precision == op->sdp.dst_precision
                   ? xstrdup(precision_name(op->sdp.src_precision))
                   : xprintf("%s>%s", precision_name(op->sdp.src_precision), precision_name(op->sdp.dst_precision));
    case TYPE_PDP:
        return xstrdup(precision_name(op->pdp.precision));
    case TYPE_CDP:
        return xstrdup(precision_name(op->cdp.in_precision));
    default:
        return xstrdup(precision_name(op->rubik.precision));
    }
}

static void read_operation(struct info *info, struct layer *layer, const struct operation *op) {
    layer->type = op_type_names[op->type];
    layer->unit = op_type_units[op->type];
    layer->what = operation_description(op);
    layer->precision = precision_of(op);
    layer->macs = operation_multiplications(op);
    layer->clocks = info->config ? operation_mac_clocks(op, info->config) : 0;
    if (op->type == TYPE_BDMA)
        return;
    layer->in = size_of(&op->src);
    layer->out = size_of(&op->dst);
    add_read(layer, place_of(&op->src));
    layer->writes = place_of(&op->dst);
    for (int u = 0; op->type == TYPE_SDP && u < SDP_UNITS; u++)
        if (sdp_unit_reads(&op->sdp.units[u]) && op->sdp.units[u].mode == 2)
            add_read(layer, place_of(&op->sdp.units[u].cube));
}

static struct layer *new_layer(struct info *info, size_t task, size_t operation) {
    struct layer *layer = xadd(info->layers, info->count);
    *layer = (struct layer){.task = task, .operation = operation, .fused = NONE, .ordinal = NONE};
    return layer;
}

static bool note_launch(void *context, const struct dla_task *task, size_t operation, int launch, struct error *err) {
    struct info *info = context;
    (void)task;
    (void)err;
    info->layers[info->first + operation].ordinal = launch;
    return true;
}

static bool read_dla(struct info *info, size_t number, struct error *err) {
    struct dla_task task;
    if (!dla_task_read(info->loadable, number, &task, err))
        return false;
    info->first = info->count;
    info->cube_bytes = task.old_cubes ? OLD_CUBE_BYTES : CUBE_BYTES;
    for (size_t i = 0; i < task.count; i++)
        read_operation(info, new_layer(info, number, i), &task.operations[i]);
    for (size_t i = 0; i < task.count; i++) {
        const int parent = task.operations[i].fused_parent.operation;
        if (parent >= 0 && (size_t)parent < task.count && task.operations[i].src.type == CUBE_ON_THE_FLY)
            info->layers[info->first + i].fused = (int)info->first + parent;
    }
    bool fine = true;
    if (info->config) {
        const struct scheduler_host host = {.completed = note_launch, .context = info};
        fine = dla_task_check(&task, info->config, err) && schedule_task(&info->scheduler, &task, &host, err);
    }
    dla_task_free(&task);
    return fine;
}

static struct place place_of_buffer(const struct cpu_buffer *buffer) {
    return (struct place){
        .memory = true, .space = buffer->memory->space, .address = buffer->address, .size = buffer->bytes};
}

static bool read_cpu(struct info *info, size_t number, struct error *err) {
    struct cpu_task task;
    if (!cpu_task_read(info->loadable, number, &task, err))
        return false;
    for (size_t i = 0; i < task.count; i++) {
        const struct cpu_operation *op = &task.operations[i];
        struct layer *layer = new_layer(info, number, i);
        layer->type = "CPU";
        layer->what = xstrdup(cpu_type_names[op->type]);
        layer->in = (struct size){op->source.width, op->source.height, op->source.channel};
        layer->out = (struct size){op->destination.width, op->destination.height, op->destination.channel};
        layer->precision = xstrdup(op->source.half ? "fp16" : "int8");
        add_read(layer, place_of_buffer(&op->source));
        layer->writes = place_of_buffer(&op->destination);
    }
    cpu_task_free(&task);
    return true;
}

static bool overlap(const struct place *a, const struct place *b) {
    return a->memory && b->memory && a->space == b->space && a->address < b->address + b->size &&
           b->address < a->address + a->size;
}

/* Ids of the network's input memories that a layer reads, or of its output memories that it writes. */
static json_t *ends_of(const struct loadable *loadable, const struct layer *layer, bool outputs) {
    const struct place *places = outputs ? &layer->writes : layer->reads;
    const int count = outputs ? 1 : layer->read_count;
    json_t *list = json_array();
    for (size_t m = 0; m < loadable->memory_count; m++) {
        const struct loadable_memory *memory = &loadable->memories[m];
        const struct place place = {true, memory->space, memory->base, memory->size};
        bool any = false;
        for (int i = 0; i < count && (memory->flags & (outputs ? MEMORY_OUTPUT : MEMORY_INPUT)); i++)
            any = any || overlap(&places[i], &place);
        if (any)
            json_array_append_new(list, json_integer((json_int_t)memory->id));
    }
    return list;
}

/* Finds the source of each layer's input: the last earlier layer that wrote there. */
static void find_sources(struct info *info) {
    for (size_t i = 0; i < info->count; i++) {
        struct layer *layer = &info->layers[i];
        if (layer->fused != NONE)
            layer->sources[layer->source_count++] = layer->fused;
        for (int r = 0; r < layer->read_count && layer->source_count < SOURCES_MAX; r++)
            for (size_t before = i; before-- > 0;)
                if (overlap(&layer->reads[r], &info->layers[before].writes)) {
                    layer->sources[layer->source_count++] = (int)before;
                    break;
                }
    }
}

/* Reads the origins of all layers: lines "TASK.LAYER OPERATOR TENSOR". */
static void read_origins(struct info *info) {
    const struct loadable_blob *blob = loadable_blob_named(info->loadable, ORIGINS_BLOB);
    for (size_t i = 0; i < info->count; i++) {
        struct layer *layer = &info->layers[i];
        autofree char *start = xprintf("%zu.%zu ", layer->task, layer->operation);
        const size_t n = strlen(start);
        char shown[160] = "";
        for (size_t at = 0, end; blob && at < blob->n; at = end + 1) {
            for (end = at; end < blob->n && blob->bytes[end] != '\n'; end++)
                ;
            if (end - at > n && memcmp(blob->bytes + at, start, n) == 0)
                text_shown_bytes((const char *)blob->bytes + at + n, end - at - n, shown, sizeof shown);
        }
        layer->origin = xstrdup(shown);
    }
}

static const char *type_name(unsigned type) {
    static const char *const names[] = {"?", "float", "half", "int16", "int8", "uint8", "uint16"};
    return type < sizeof names / sizeof *names ? names[type] : "?";
}

/* ---- JSON ---- */

/* [width, height, channels]; null for none. */
static json_t *json_size(const struct size *size) {
    return size->w ? json_pack("[iii]", (int)size->w, (int)size->h, (int)size->c) : json_null();
}

static json_t *json_address(uint64_t address) {
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    return json_string(text);
}

static json_t *json_layer(const struct info *info, const struct layer *layer) {
    json_t *from = json_array();
    for (int s = 0; s < layer->source_count; s++) {
        const struct layer *source = &info->layers[layer->sources[s]];
        json_array_append_new(from, json_pack("{si si sb}", "task", (int)source->task, "layer", (int)source->operation,
                                              "on_the_fly", layer->sources[s] == layer->fused));
    }
    json_t *json =
        json_pack("{si si ss ss so so sb ss so so so sI}", "task", (int)layer->task, "layer", (int)layer->operation,
                  "type", layer->type, "description", layer->what, "in", json_size(&layer->in), "out",
                  json_size(&layer->out), "out_on_the_fly", layer->out.w > 0 && !layer->writes.memory, "precision",
                  layer->precision, "from", from, "inputs", ends_of(info->loadable, layer, false), "outputs",
                  ends_of(info->loadable, layer, true), "multiplications", (json_int_t)layer->macs);
    if (layer->ordinal != NONE)
        json_object_set_new(json, "launch",
                            json_pack("{ss si}", "unit", nvdla_unit_names[layer->unit], "number", layer->ordinal));
    if (layer->origin[0])
        json_object_set_new(json, "origin", json_string(layer->origin));
    if (layer->clocks)
        json_object_set_new(json, "least_clocks", json_integer((json_int_t)layer->clocks));
    return json;
}

static json_t *json_memory(const struct loadable *loadable, const struct loadable_memory *memory) {
    json_t *content = json_array();
    for (size_t c = 0; c < memory->content_count; c++)
        if (memory->contents[c].blob != LOADABLE_NONE)
            json_array_append_new(content, json_string(loadable->blobs[memory->contents[c].blob].name));
    json_t *json = json_pack("{si sI so sb sb sb so}", "id", (int)memory->id, "bytes", (json_int_t)memory->size,
                             "address", json_address(memory->base), "on_chip", memory->domain == 1, "input",
                             (memory->flags & MEMORY_INPUT) != 0, "output", (memory->flags & MEMORY_OUTPUT) != 0,
                             "content", content);
    if (memory->tensor != LOADABLE_NONE)
        json_object_set_new(json, "tensor", json_string(loadable->tensors[memory->tensor].name));
    return json;
}

static json_t *json_tensor(const struct loadable_tensor *tensor) {
    json_t *strides = json_array();
    for (unsigned i = 0; i < 3; i++)
        json_array_append_new(strides, json_integer((json_int_t)tensor->stride[i]));
    return json_pack("{ss si s[iiii] ss si so}", "name", tensor->name, "memory", (int)tensor->memory_id, "nchw",
                     tensor->n, tensor->c, tensor->h, tensor->w, "type", type_name(tensor->data_type), "format",
                     (int)tensor->pixel_format, "strides", strides);
}

static void print_json(FILE *out, const struct info *info) {
    const struct loadable *loadable = info->loadable;
    json_t *layers = json_array(), *memories = json_array(), *tensors = json_array();
    char version[32];
    for (size_t i = 0; i < info->count; i++)
        json_array_append_new(layers, json_layer(info, &info->layers[i]));
    for (size_t i = 0; i < loadable->memory_count; i++)
        json_array_append_new(memories, json_memory(loadable, &loadable->memories[i]));
    for (size_t i = 0; i < loadable->tensor_count; i++)
        json_array_append_new(tensors, json_tensor(&loadable->tensors[i]));
    snprintf(version, sizeof version, "%u.%u.%u", loadable->version[0], loadable->version[1], loadable->version[2]);
    autofree char *path = text_shown(loadable->path);
    json_t *json =
        json_pack("{ss ss ss* sb si si so so so}", "network", path, "version", version, "config",
                  info->config ? info->config->name : NULL, "quantised",
                  loadable_blob_named(loadable, ORIGINS_BLOB) != NULL, "tasks", (int)loadable->order_count,
                  "cube_bytes", info->cube_bytes, "layers", layers, "memories", memories, "tensors", tensors);
    if (!json)
        xexhausted();
    json_dumpf(json, out, JSON_INDENT(1));
    putc('\n', out);
    json_decref(json);
}

bool network_info(FILE *out, struct loadable *loadable, const struct nvdla_config *config, struct error *err) {
    struct info info = {.loadable = loadable, .config = config};
    struct error undecided;
    if (!loadable_place(loadable, COMPILE_BASE, COMPILE_SECONDARY_BASE, 64, err))
        return false;
    if (!info.config)
        info.config = compile_config(loadable, &undecided);
    struct program *prog = info.config ? program_new(info.config, loadable->path) : NULL;
    if (prog) {
        prog->sequential = true;
        program_stream(prog, "main");
    }
    info.scheduler = (struct scheduler){.emitter = {.prog = prog, .config = info.config}};
    bool fine = true;
    for (size_t i = 0; fine && i < loadable->order_count; i++)
        fine = loadable->tasks[loadable->order[i]].interface == INTERFACE_DLA ? read_dla(&info, i, err)
                                                                              : read_cpu(&info, i, err);
    if (fine) {
        find_sources(&info);
        read_origins(&info);
        print_json(out, &info);
    }
    for (size_t i = 0; i < info.count; i++) {
        free(info.layers[i].what);
        free(info.layers[i].precision);
        free(info.layers[i].origin);
    }
    free(info.layers);
    program_free(prog);
    return fine;
}
