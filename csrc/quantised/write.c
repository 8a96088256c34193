/* A lowered network as a loadable. See write.h. */
#include "quantised/write.h"

#include <stdlib.h>
#include <string.h>

#include "loadable/cpu_task.h"
#include "loadable/descriptors.h"
#include "loadable/loadable_write.h"
#include "nvdla/xalloc.h"

enum { PAGE = 4096 };
enum { SUB_NETWORK = 1, SUB_DEPENDENCIES, SUB_OPERATIONS, SUB_SURFACES };

struct writing {
    const struct lowered *lowered;
    struct loadable *to;
    size_t ends; /* memories before the lists of tasks: positions in each address list */
    struct text origins;
};

/* A memory and its address, both with its index as id. */
static struct loadable_memory *add_memory(struct loadable *to, unsigned flags, uint64_t size) {
    const unsigned id = (unsigned)to->memory_count;
    const uint64_t room = size ? size : PAGE;
    to->memories = xgrow(to->memories, to->memory_count, sizeof *to->memories);
    *xadd(to->addresses, to->address_count) = (struct loadable_address){.id = id, .memory = (int)id, .size = room};
    to->memories[id] = (struct loadable_memory){
        .id = id, .flags = MEMORY_ALLOCATE | flags, .size = room, .alignment = PAGE, .tensor = LOADABLE_NONE};
    return &to->memories[to->memory_count++];
}

static void add_blob(struct loadable *to, char *name, const void *bytes, size_t n, unsigned interface, unsigned sub) {
    /* Those of the layouts that descriptors.h calls new. */
    static const uint8_t versions[][3] = {[INTERFACE_DLA] = {0, 12, 5}, [INTERFACE_CPU] = {0, 0, 1}};
    struct loadable_blob *blob = xadd(to->blobs, to->blob_count);
    *blob = (struct loadable_blob){name, bytes, n, interface, sub, {0}};
    memcpy(blob->version, versions[interface], sizeof blob->version);
}

/* A blob and a memory that holds it. */
static void add_content(struct loadable *to, char *name, const void *bytes, size_t n, unsigned interface,
                        unsigned sub) {
    struct loadable_memory *memory = add_memory(to, MEMORY_CONTENT, n);
    memory->contents = xcalloc(1, sizeof *memory->contents);
    memory->contents[memory->content_count++].blob = (int)to->blob_count;
    add_blob(to, name, bytes, n, interface, sub);
}

/* ---- tasks ---- */

static void note_origin(struct writing *at, size_t layer, size_t node) {
    const struct graph *graph = at->lowered->graph;
    text_printf(&at->origins, "%zu.%zu ", at->to->task_count, layer);
    if (node < graph->node_count)
        text_printf(&at->origins, "%s %s\n", node_name(&graph->nodes[node]),
                    node_output(graph, &graph->nodes[node])->name);
    else
        text_printf(&at->origins, "COPY an output\n");
}

/* A list of the task that is being made, of zeros. */
static uint8_t *add_list(struct writing *at, enum loadable_interface interface, const char *name, unsigned sub,
                         size_t n) {
    uint8_t *bytes = xcalloc(1, n);
    add_content(at->to, xprintf("task-%zu-%s", at->to->task_count, name), bytes, n, interface, sub);
    return bytes;
}

/* For the accelerator: descriptor, operations, surfaces, dependencies. */
static void add_dla_lists(struct writing *at, const struct lowered_step *step) {
    const size_t count = step->count;
    uint8_t *network = add_list(at, INTERFACE_DLA, "addr0", SUB_NETWORK, NETWORK_BYTES);
    uint8_t *operations = add_list(at, INTERFACE_DLA, "op_list", SUB_OPERATIONS, count * OPERATION_BYTES);
    uint8_t *surfaces = add_list(at, INTERFACE_DLA, "surf_list", SUB_SURFACES, count * SURFACE_BYTES);
    uint8_t *dependencies = add_list(at, INTERFACE_DLA, "dep_graph", SUB_DEPENDENCIES, count * DEPENDENCY_BYTES);
    struct network_descriptor head = {.operations = (int)at->ends,
                                      .surfaces = (int)at->ends + 1,
                                      .dependencies = (int)at->ends + 2,
                                      .tables = -1,
                                      .roi_array = -1,
                                      .roi_surface = -1,
                                      .statistics = -1,
                                      .roi_count = 1,
                                      .operation_count = (unsigned)count,
                                      .address_count = (unsigned)at->ends + 3};
    for (int type = 0; type < TYPE_COUNT; type++)
        head.heads[type] = -1;
    for (size_t i = 0; i < count; i++) {
        const struct lowered_op *op = &at->lowered->ops[step->first + i];
        if (head.heads[op->operation.type] < 0)
            head.heads[op->operation.type] = (int)i;
        operation_encode(&op->operation, operations + i * OPERATION_BYTES, surfaces + i * SURFACE_BYTES);
        dependency_encode(&op->operation, (int)i, dependencies + i * DEPENDENCY_BYTES);
        note_origin(at, i, op->node);
    }
    network_encode(&head, network);
}

static void encode_view(const struct lowered *lowered, const struct view *view, uint32_t offset, uint8_t *bytes) {
    const struct storage *storage = &lowered->storages[view->storage];
    const int atom = lowered->config->mem_atom;
    const struct cpu_buffer buffer = {.address = storage->offset + view->offset + offset,
                                      .bytes = (uint64_t)view->surface * (uint64_t)((view->c + atom - 1) / atom),
                                      .width = (unsigned)view->w,
                                      .height = (unsigned)view->h,
                                      .channel = (unsigned)view->c,
                                      .line_stride = view->line,
                                      .surface_stride = view->surface,
                                      .lanes = (unsigned)atom};
    cpu_buffer_encode(&buffer, storage->memory, bytes);
}

/* For the processor: descriptor, operations, their buffers. */
static void add_cpu_lists(struct writing *at, const struct lowered_step *step) {
    static const enum cpu_type types[NODE_KINDS] = {[NODE_SOFTMAX] = CPU_SOFTMAX,
                                                    [NODE_LOG_SOFTMAX] = CPU_LOG_SOFTMAX,
                                                    [NODE_ARG_MAX] = CPU_ARG_MAX,
                                                    [NODE_LOGISTIC] = CPU_LOGISTIC};
    const struct graph *graph = at->lowered->graph;
    const struct node *node = &graph->nodes[step->node];
    const struct tensor *in = node_input(graph, node, 0), *out = node_output(graph, node);
    const struct cpu_operation op = {
        .type = types[node->kind],
        .in_scale = in->scales[0] * (node->kind == NODE_SOFTMAX ? node->beta : 1),
        .out_scale = node->kind == NODE_LOG_SOFTMAX ? out->scales[0] : CPU_STEP_SCALE,
        .shift = (float)out->zero,
        .zero = (float)in->zero,
    };
    const size_t count = (size_t)step->pixels, both = CPU_BUFFERS * CPU_BUFFER_BYTES;
    uint8_t *network = add_list(at, INTERFACE_CPU, "addr0", SUB_NETWORK, CPU_DESCRIPTOR_BYTES);
    uint8_t *operations = add_list(at, INTERFACE_CPU, "op_list", SUB_OPERATIONS, count * CPU_OPERATION_BYTES);
    uint8_t *buffers = add_list(at, INTERFACE_CPU, "op_buf_list", SUB_SURFACES, count * both);
    cpu_descriptor_encode(at->ends, at->ends + 1, count, network);
    for (size_t i = 0; i < count; i++) {
        cpu_operation_encode(&op, operations + i * CPU_OPERATION_BYTES);
        encode_view(at->lowered, &step->from, (uint32_t)i * step->apart, buffers + i * both);
        encode_view(at->lowered, &step->to, (uint32_t)i * step->to_apart, buffers + i * both + CPU_BUFFER_BYTES);
        note_origin(at, i, step->node);
    }
}

/* A task's address list: its descriptor, the memories that all tasks share, its other lists. */
static void add_task(struct writing *at, const struct lowered_step *step) {
    struct loadable *to = at->to;
    const size_t first = to->memory_count;
    if (step->cpu)
        add_cpu_lists(at, step);
    else
        add_dla_lists(at, step);
    struct loadable_task task = {.interface = step->cpu ? INTERFACE_CPU : INTERFACE_DLA};
    task.addresses = xcalloc(to->memory_count, sizeof *task.addresses);
    task.addresses[task.address_count++] = (int)first;
    for (size_t m = 1; m < to->memory_count; m++)
        if (m < at->ends || m > first)
            task.addresses[task.address_count++] = (int)m;
    *xadd(to->tasks, to->task_count) = task;
}

/* ---- the whole ---- */

static void add_tensor(const struct lowered *lowered, struct loadable *to, const struct tensor *tensor,
                       const struct view *view) {
    enum { ATOMS = 3, FEATURE_CATEGORY = 2 };
    const bool index = tensor->type == TENSOR_INDEX;
    to->tensors = xgrow(to->tensors, to->tensor_count, sizeof *to->tensors);
    to->tensors[to->tensor_count] =
        (struct loadable_tensor){.name = xstrdup(tensor->name),
                                 .id = (unsigned)to->tensor_count,
                                 .memory_id = (unsigned)to->memory_count,
                                 .size = lowered->storages[view->storage].size,
                                 .data_format = ATOMS,
                                 .data_type = index ? DATA_INT16 : DATA_INT8,
                                 .category = FEATURE_CATEGORY,
                                 .pixel_format = lowered->config->mem_atom == 8 ? PIXEL_FEATURE_8 : PIXEL_FEATURE,
                                 .n = 1,
                                 .c = index ? 1 : view->c,
                                 .h = view->h,
                                 .w = view->w,
                                 .stride = {1, view->line, view->surface}};
    to->tensor_count++;
}

/* Memories: a page that is not used, constants, cubes, inputs, outputs. */
static void add_memories(const struct lowered *lowered, struct loadable *to) {
    const struct graph *graph = lowered->graph;
    const size_t inputs = graph->input_count;
    add_memory(to, 0, 0);
    add_content(to, xstrdup("weights"), lowered->constants, lowered->constant_bytes, INTERFACE_NONE, 0);
    add_memory(to, 0, lowered->cube_bytes);
    for (size_t i = 0; i < inputs + graph->output_count; i++) {
        const bool in = i < inputs;
        const int tensor = in ? graph->inputs[i] : graph->outputs[i - inputs];
        const struct view *view = in ? &lowered->views[tensor] : &lowered->outputs[i - inputs];
        add_tensor(lowered, to, graph_tensor(graph, tensor), view);
        struct loadable_memory *memory =
            add_memory(to, in ? MEMORY_INPUT : MEMORY_OUTPUT, lowered->storages[view->storage].size);
        memory->bind = (unsigned)(in ? i : i - inputs);
        memory->tensor_id = (unsigned)i;
    }
}

struct text lowered_write(const struct lowered *lowered) {
    struct loadable *to = xcalloc(1, sizeof *to);
    struct writing at = {.lowered = lowered, .to = to};
    to->version[1] = 7;
    add_memories(lowered, to);
    at.ends = to->memory_count;
    for (size_t i = 0; i < lowered->step_count; i++)
        add_task(&at, &lowered->steps[i]);
    add_blob(to, xstrdup(ORIGINS_BLOB), at.origins.text, at.origins.n, INTERFACE_NONE, 0);
    struct text file = loadable_write(to);
    for (size_t i = 1; i < to->blob_count; i++) /* all but the constants, which are the network's */
        free((void *)to->blobs[i].bytes);
    loadable_free(to);
    return file;
}
