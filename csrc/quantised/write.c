/* The lists of a loadable. See write.h. */
#include "quantised/write.h"

#include <stdlib.h>
#include <string.h>

#include "loadable/cpu_task.h"
#include "loadable/descriptors.h"
#include "loadable/flat_write.h"
#include "nvdla/xalloc.h"

enum { PAGE = 4096, CPU_LIST_BYTES = 256, CPU_OPERATION_BYTES = 24, CPU_BUFFERS = 2 };
enum { SUB_NETWORK = 1, SUB_DEPENDENCIES, SUB_OPERATIONS, SUB_SURFACES };

/* A memory that holds a list of a task, or constants. */
struct list {
    char *name;
    uint8_t *bytes;
    size_t n;
    unsigned interface, sub;
};

struct writing {
    const struct lowered *lowered;
    struct list *lists;
    size_t list_count;
    size_t ends; /* memories before the lists */
    struct text origins;
};

/* Position of a memory in address lists: its id. */
static size_t add_list(struct writing *at, char *name, uint8_t *bytes, size_t n, unsigned interface, unsigned sub) {
    at->lists = xgrow(at->lists, at->list_count, sizeof *at->lists);
    at->lists[at->list_count] = (struct list){name, bytes, n, interface, sub};
    return at->ends + at->list_count++;
}

/* ---- tasks ---- */

static void note_origin(struct writing *at, size_t task, size_t layer, size_t node) {
    const struct graph *graph = at->lowered->graph;
    if (node < graph->node_count)
        text_printf(&at->origins, "%zu.%zu %s %s\n", task, layer, node_names[graph->nodes[node].kind],
                    node_output(graph, &graph->nodes[node])->name);
    else
        text_printf(&at->origins, "%zu.%zu COPY an output\n", task, layer);
}

/* The lists of a task for the accelerator: descriptor, operations, surfaces, dependencies. */
static void add_dla_lists(struct writing *at, size_t number, const struct lowered_step *step) {
    const size_t count = step->count;
    uint8_t *network = xcalloc(1, NETWORK_BYTES), *operations = xcalloc(count, OPERATION_BYTES),
            *surfaces = xcalloc(count, SURFACE_BYTES), *dependencies = xcalloc(count, DEPENDENCY_BYTES);
    struct network_descriptor head = {
        .tables = -1, .roi_array = -1, .roi_surface = -1, .statistics = -1, .roi_count = 1};
    for (int type = 0; type < TYPE_COUNT; type++)
        head.heads[type] = -1;
    for (size_t i = 0; i < count; i++) {
        const struct lowered_op *op = &at->lowered->ops[step->first + i];
        if (head.heads[op->operation.type] < 0)
            head.heads[op->operation.type] = (int)i;
        operation_encode(&op->operation, operations + i * OPERATION_BYTES, surfaces + i * SURFACE_BYTES);
        dependency_encode(&op->operation, (int)i, dependencies + i * DEPENDENCY_BYTES);
        note_origin(at, number, i, op->node);
    }
    /* Positions of the lists: after the memories, in this order. */
    head.operations = (int)at->ends;
    head.surfaces = head.operations + 1;
    head.dependencies = head.operations + 2;
    head.operation_count = (unsigned)count;
    head.address_count = (unsigned)at->ends + 3;
    network_encode(&head, network);
    add_list(at, xprintf("task-%zu-addr0", number), network, NETWORK_BYTES, INTERFACE_DLA, SUB_NETWORK);
    add_list(at, xprintf("task-%zu-op_list", number), operations, count * OPERATION_BYTES, INTERFACE_DLA,
             SUB_OPERATIONS);
    add_list(at, xprintf("task-%zu-surf_list", number), surfaces, count * SURFACE_BYTES, INTERFACE_DLA, SUB_SURFACES);
    add_list(at, xprintf("task-%zu-dep_graph", number), dependencies, count * DEPENDENCY_BYTES, INTERFACE_DLA,
             SUB_DEPENDENCIES);
}

static void put(uint8_t *bytes, uint64_t value, size_t n) {
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static void put_float(uint8_t *bytes, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(bytes, bits, 4);
}

static void put_buffer(const struct lowered *lowered, uint8_t *b, const struct view *view) {
    const struct storage *storage = &lowered->storages[view->storage];
    const int atom = lowered_atom(lowered);
    put(b, (uint64_t)storage->memory, 2);
    put(b + 2, storage->offset + view->offset, 4);
    put(b + 6, (uint64_t)view->surface * (uint64_t)((view->c + atom - 1) / atom), 4);
    put(b + 10, atom == 8 ? 1 : 0, 2);
    put(b + 12, (uint64_t)view->w, 2);
    put(b + 14, (uint64_t)view->h, 2);
    put(b + 16, (uint64_t)view->c, 2);
    put(b + 18, view->line, 4);
    put(b + 22, view->surface, 4);
}

/* The lists of a task for the processor: descriptor, operations, their buffers. */
static void add_cpu_lists(struct writing *at, size_t number, const struct lowered_step *step) {
    const struct graph *graph = at->lowered->graph;
    const struct node *node = &graph->nodes[step->node];
    const struct tensor *in = node_input(graph, node, 0);
    static const enum cpu_type types[NODE_KINDS] = {[NODE_SOFTMAX] = CPU_SOFTMAX,
                                                    [NODE_LOG_SOFTMAX] = CPU_LOG_SOFTMAX,
                                                    [NODE_ARG_MAX] = CPU_ARG_MAX,
                                                    [NODE_LOGISTIC] = CPU_LOGISTIC};
    const struct tensor *out = node_output(graph, node);
    const bool logarithm = node->kind == NODE_LOG_SOFTMAX;
    const size_t count = (size_t)step->pixels;
    uint8_t *network = xcalloc(1, CPU_LIST_BYTES), *operations = xcalloc(count, CPU_OPERATION_BYTES),
            *buffers = xcalloc(count, CPU_BUFFERS * CPU_LIST_BYTES);
    put(network, at->ends, 2);
    put(network + 2, at->ends + 1, 2);
    put(network + 4, count, 2);
    for (size_t i = 0; i < count; i++) {
        uint8_t *operation = operations + i * CPU_OPERATION_BYTES, *buffer = buffers + i * CPU_BUFFERS * CPU_LIST_BYTES;
        struct view from = step->from, to = step->to;
        from.offset += (uint32_t)i * step->apart;
        to.offset += (uint32_t)i * step->to_apart;
        operation[0] = (uint8_t)types[node->kind];
        put_float(operation + 4, in->scales[0] * (node->kind == NODE_SOFTMAX ? node->beta : 1));
        put_float(operation + 8, logarithm ? out->scales[0] : CPU_STEP_SCALE);
        if (node->kind == NODE_SOFTMAX)
            operation[12] = 1;
        else
            put_float(operation + 12, (float)(logarithm ? out->zero : in->zero));
        put_buffer(at->lowered, buffer, &from);
        put_buffer(at->lowered, buffer + CPU_LIST_BYTES, &to);
        note_origin(at, number, i, step->node);
    }
    add_list(at, xprintf("task-%zu-addr0", number), network, CPU_LIST_BYTES, INTERFACE_CPU, SUB_NETWORK);
    add_list(at, xprintf("task-%zu-op_list", number), operations, count * CPU_OPERATION_BYTES, INTERFACE_CPU,
             SUB_OPERATIONS);
    add_list(at, xprintf("task-%zu-op_buf_list", number), buffers, count * CPU_BUFFERS * CPU_LIST_BYTES, INTERFACE_CPU,
             SUB_SURFACES);
}

/* ---- tables of the file ---- */

/* Records that live until the file is written. */
struct tables {
    struct flat_record *records;
    size_t count;
};

#define RECORD(...)                                                                                                    \
    (const struct flat_field[]){__VA_ARGS__},                                                                          \
        sizeof((const struct flat_field[]){__VA_ARGS__}) / sizeof(struct flat_field)

static void add_record(struct tables *tables, const struct flat_field *fields, size_t count) {
    struct flat_field *copy = xcalloc(count, sizeof *copy);
    memcpy(copy, fields, count * sizeof *copy);
    tables->records = xgrow(tables->records, tables->count, sizeof *tables->records);
    tables->records[tables->count++] = (struct flat_record){copy, count};
}

static void free_tables(struct tables *tables) {
    for (size_t i = 0; i < tables->count; i++)
        free((void *)tables->records[i].fields);
    free(tables->records);
}

static struct flat_field all(const struct tables *tables) {
    return flat_of_tables(tables->records, tables->count);
}

static void add_memory(struct tables *memories, struct tables *addresses, unsigned flags, uint64_t size,
                       char *const *content, unsigned bind, unsigned tensor) {
    static const uint64_t start = 0;
    const uint64_t id = memories->count, room = size ? size : PAGE;
    const size_t contents = content ? 1 : 0;
    add_record(memories,
               RECORD(flat_of_number(2, id), flat_of_number(1, 0), flat_of_number(2, flags), flat_of_number(8, room),
                      flat_of_number(4, PAGE), flat_of_texts(content, contents), flat_of_vector(8, &start, contents),
                      flat_of_number(2, bind), flat_of_number(2, tensor)));
    add_record(addresses,
               RECORD(flat_of_number(2, id), flat_of_number(2, id), flat_of_number(8, 0), flat_of_number(8, room)));
}

static void add_blob(struct tables *blobs, const char *name, const void *bytes, size_t n, unsigned interface,
                     unsigned sub) {
    /* Major, minor, sub: those of the layouts that descriptors.h calls new. */
    const uint64_t version = interface == INTERFACE_DLA   ? 0 | 12 << 8 | 5 << 16
                             : interface == INTERFACE_CPU ? 1 << 16
                                                          : 0;
    add_record(blobs, RECORD(flat_of_text(name), flat_of_number(8, n), flat_of_number(4, interface),
                             flat_of_number(4, sub), flat_of_number(3, version), flat_of_vector(1, bytes, n)));
}

static void add_tensor(const struct lowered *lowered, struct tables *tensors, const struct tensor *tensor,
                       size_t memory, const struct view *view) {
    enum { ATOMS = 3, FEATURE_CATEGORY = 2 };
    const bool index = tensor->type == TENSOR_INDEX;
    const uint64_t size = lowered->storages[view->storage].size;
    const unsigned format = lowered_atom(lowered) == 8 ? PIXEL_FEATURE_8 : PIXEL_FEATURE;
    const struct flat_field zero = flat_of_number(4, 0); /* strides of more dimensions */
    add_record(tensors,
               RECORD(flat_of_text(tensor->name), flat_of_number(2, tensors->count), flat_of_number(2, memory),
                      flat_of_number(8, size), flat_of_number(8, 0), flat_of_number(1, ATOMS),
                      flat_of_number(1, index ? DATA_INT16 : DATA_INT8), flat_of_number(1, FEATURE_CATEGORY),
                      flat_of_number(1, format), flat_of_number(1, 0), flat_of_number(4, 1),
                      flat_of_number(4, (uint64_t)(index ? 1 : view->c)), flat_of_number(4, (uint64_t)view->h),
                      flat_of_number(4, (uint64_t)view->w), flat_of_number(4, 1), flat_of_number(4, view->line),
                      flat_of_number(4, view->surface), zero, zero, zero, zero, zero));
}

static void add_event(struct tables *events, unsigned number, uint64_t value, bool signals) {
    add_record(events, RECORD(flat_of_number(2, number), flat_of_number(1, 0), flat_of_number(2, 0),
                              flat_of_number(4, value), flat_of_number(1, signals)));
}

/* Tasks in order, each after the one before it: an event that one signals and the next waits for. */
static void add_tasks(const struct writing *at, struct tables *tasks, struct tables *events, struct tables *submits,
                      uint16_t *numbers) {
    size_t list = 0;
    for (size_t t = 0; t < at->lowered->step_count; t++) {
        const bool cpu = at->lowered->steps[t].cpu;
        const size_t lists = cpu ? 2 : 3; /* besides the descriptor */
        uint16_t *addresses = numbers + t * (at->ends + 8), *ends = addresses + at->ends + 4;
        size_t count = 0;
        addresses[count++] = (uint16_t)(at->ends + list);
        for (size_t m = 1; m < at->ends; m++)
            addresses[count++] = (uint16_t)m;
        for (size_t i = 1; i <= lists; i++)
            addresses[count++] = (uint16_t)(at->ends + list + i);
        list += 1 + lists;
        ends[0] = (uint16_t)(2 * t - 1);
        ends[1] = (uint16_t)(2 * t);
        ends[2] = (uint16_t)t;
        add_record(tasks, RECORD(flat_of_number(2, t), flat_of_number(4, cpu ? INTERFACE_CPU : INTERFACE_DLA),
                                 flat_of_number(2, UINT16_MAX), flat_of_vector(2, addresses, count),
                                 flat_of_vector(2, ends, t > 0), flat_of_vector(2, ends + 1, 1)));
        if (t > 0)
            add_event(events, ends[0], t, false);
        add_event(events, ends[1], t + 1, true);
        add_record(submits, RECORD(flat_of_number(2, t), flat_of_vector(2, ends + 2, 1)));
    }
}

/* Memories: a page that is not used, constants, cubes, inputs, outputs, lists. Each has an address of its number. */
static void add_memories(const struct writing *at, struct tables *memories, struct tables *addresses,
                         struct tables *tensors, char *const *constants) {
    const struct lowered *lowered = at->lowered;
    const struct graph *graph = lowered->graph;
    const size_t inputs = graph->input_count;
    add_memory(memories, addresses, MEMORY_ALLOCATE, 0, NULL, 0, 0);
    add_memory(memories, addresses, MEMORY_ALLOCATE | MEMORY_CONTENT, lowered->constant_bytes, constants, 0, 0);
    add_memory(memories, addresses, MEMORY_ALLOCATE, lowered->cube_bytes, NULL, 0, 0);
    for (size_t i = 0; i < inputs + graph->output_count; i++) {
        const bool in = i < inputs;
        const int tensor = in ? graph->inputs[i] : graph->outputs[i - inputs];
        const struct view *view = in ? &lowered->views[tensor] : &lowered->outputs[i - inputs];
        add_tensor(lowered, tensors, graph_tensor(graph, tensor), memories->count, view);
        add_memory(memories, addresses, MEMORY_ALLOCATE | (in ? MEMORY_INPUT : MEMORY_OUTPUT),
                   lowered->storages[view->storage].size, NULL, (unsigned)(in ? i : i - inputs), (unsigned)i);
    }
    for (size_t i = 0; i < at->list_count; i++)
        add_memory(memories, addresses, MEMORY_ALLOCATE | MEMORY_CONTENT, at->lists[i].n, &at->lists[i].name, 0, 0);
}

static struct text write_tables(const struct writing *at) {
    const struct lowered *lowered = at->lowered;
    struct tables tasks = {0}, memories = {0}, addresses = {0}, events = {0}, blobs = {0}, tensors = {0}, submits = {0};
    uint16_t *numbers = xcalloc(lowered->step_count + 1, (at->ends + 8) * sizeof *numbers);
    char *constants[] = {(char *)"weights"};
    add_blob(&blobs, constants[0], lowered->constants, lowered->constant_bytes, INTERFACE_NONE, 0);
    for (size_t i = 0; i < at->list_count; i++)
        add_blob(&blobs, at->lists[i].name, at->lists[i].bytes, at->lists[i].n, at->lists[i].interface,
                 at->lists[i].sub);
    add_blob(&blobs, ORIGINS_BLOB, at->origins.text, at->origins.n, INTERFACE_NONE, 0);
    add_memories(at, &memories, &addresses, &tensors, constants);
    add_tasks(at, &tasks, &events, &submits, numbers);
    const struct flat_record root = {RECORD(flat_of_number(3, 0 | 7 << 8), all(&tasks), all(&memories), all(&addresses),
                                            all(&events), all(&blobs), all(&tensors), flat_of_tables(NULL, 0),
                                            all(&submits))};
    struct text file = flat_write(root, "NVDA");
    struct tables *const lists[] = {&tasks, &memories, &addresses, &events, &blobs, &tensors, &submits};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free_tables(lists[i]);
    free(numbers);
    return file;
}

struct text lowered_write(const struct lowered *lowered) {
    struct writing at = {.lowered = lowered};
    at.ends = MEMORY_OF_ENDS + lowered->graph->input_count + lowered->graph->output_count;
    for (size_t i = 0; i < lowered->step_count; i++)
        if (lowered->steps[i].cpu)
            add_cpu_lists(&at, i, &lowered->steps[i]);
        else
            add_dla_lists(&at, i, &lowered->steps[i]);
    struct text file = write_tables(&at);
    for (size_t i = 0; i < at.list_count; i++) {
        free(at.lists[i].name);
        free(at.lists[i].bytes);
    }
    free(at.lists);
    free(at.origins.text);
    return file;
}
