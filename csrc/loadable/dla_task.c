/* The lists of a task, found from its network descriptor and linked. See dla_task.h. */
#include "loadable/dla_task.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

enum { CUBE_SIDE_MAX = 8192 };

char *dla_layer_name(const struct dla_task *task, size_t operation, char text[LAYER_NAME]) {
    const unsigned type = task->operations[operation].type;
    snprintf(text, LAYER_NAME, "%s: task %zu, layer %zu (%s)", task->loadable->path, task->number, operation,
             type < TYPE_COUNT ? op_type_names[type] : "unknown");
    return text;
}

bool operation_needs_rdma(const struct operation *op) {
    bool needs = op->src.type != CUBE_ON_THE_FLY;
    for (int i = 0; op->type == TYPE_SDP && i < SDP_UNITS; i++)
        needs = needs || (op->sdp.units[i].enable && op->sdp.units[i].mode != 0);
    return needs;
}

static bool task_fail(const struct dla_task *task, struct error *err, const char *text) {
    return error_set(err, "%s: task %zu: %s", task->loadable->path, task->number, text);
}

/* ---- the lists ---- */

/* The memory that a list position refers to, with at least `bytes` bytes. NULL with a message. */
static const struct loadable_memory *list_memory(const struct dla_task *task, int position, uint64_t bytes,
                                                 const char *what, struct error *err) {
    if (position < 0 || (size_t)position >= task->task->address_count) {
        error_set(err, "%s: task %zu: found the %s at position %d of its address list, expected 0 to %zu",
                  task->loadable->path, task->number, what, position, task->task->address_count - 1);
        return NULL;
    }
    const struct loadable_address *address = &task->loadable->addresses[task->task->addresses[position]];
    const struct loadable_memory *memory = &task->loadable->memories[address->memory];
    if (address->offset != 0) {
        error_set(err, "%s: task %zu: found the %s at offset 0x%" PRIx64 " of memory %u, expected it at its start",
                  task->loadable->path, task->number, what, address->offset, memory->id);
        return NULL;
    }
    if (memory->size < bytes) {
        error_set(err, "%s: task %zu: found 0x%" PRIx64 " bytes of memory %u for the %s, expected at least 0x%" PRIx64,
                  task->loadable->path, task->number, memory->size, memory->id, what, bytes);
        return NULL;
    }
    return memory;
}

/* The bytes of a list with that many entries, NULL with a message. */
static uint8_t *list_bytes(const struct dla_task *task, int position, size_t count, size_t entry, const char *what,
                           struct error *err) {
    const struct loadable_memory *memory = list_memory(task, position, (uint64_t)count * entry, what, err);
    if (!memory)
        return NULL;
    uint8_t *bytes = xmalloc(count * entry);
    loadable_content(task->loadable, memory, 0, bytes, count * entry);
    return bytes;
}

static bool read_network(struct dla_task *task, struct error *err) {
    autofree uint8_t *bytes = list_bytes(task, 0, 1, NETWORK_BYTES, "network descriptor", err);
    if (!bytes)
        return false;
    task->network = network_decode(bytes);
    const struct network_descriptor *network = &task->network;
    task->count = network->operation_count;
    if (task->count == 0)
        return true;
    if (network->roi_count != 1 || network->dynamic_roi || network->statistics != -1)
        return error_set(
            err,
            "%s: task %zu: found %u regions of interest%s and statistics at position %d, expected 1, static, "
            "and -1 (none); nothing else is supported",
            task->loadable->path, task->number, network->roi_count, network->dynamic_roi ? ", dynamic," : "",
            network->statistics);
    if (task->count > OPERATIONS_MAX)
        return error_set(err, "%s: task %zu: found %zu operations, expected at most %d", task->loadable->path,
                         task->number, task->count, OPERATIONS_MAX);
    for (int type = 0; type < TYPE_COUNT; type++)
        if (network->heads[type] < -1 || network->heads[type] >= (int)task->count)
            return error_set(
                err, "%s: task %zu: found operation %d as the first of type %s, expected -1 or one of the task's %zu",
                task->loadable->path, task->number, network->heads[type], op_type_names[type], task->count);
    return true;
}

/* ---- layout of the cubes ---- */

static int cube_violations(const struct data_cube *cube, size_t addresses) {
    return (cube->type > CUBE_ON_THE_FLY) + (cube->position < -1 || cube->position >= (int)addresses) +
           (cube->width == 0 || cube->width > CUBE_SIDE_MAX) + (cube->height == 0 || cube->height > CUBE_SIDE_MAX) +
           (cube->channel == 0 || cube->channel > CUBE_SIDE_MAX);
}

static long layout_violations(struct dla_task *task, const uint8_t *operations, const uint8_t *surfaces, bool old) {
    long violations = 0;
    for (size_t i = 0; i < task->count; i++) {
        struct operation *op = &task->operations[i];
        operation_decode(operations + i * OPERATION_BYTES, surfaces + i * SURFACE_BYTES, old, op);
        if (op->type != TYPE_BDMA)
            violations += cube_violations(&op->src, task->task->address_count) +
                          cube_violations(&op->dst, task->task->address_count);
    }
    return violations;
}

/* True if the list's blob is of a version before 0.12. */
static bool old_version(const struct dla_task *task, int position) {
    const struct loadable_memory *memory =
        &task->loadable->memories[task->loadable->addresses[task->task->addresses[position]].memory];
    if (memory->content_count == 0)
        return false;
    const uint8_t *version = task->loadable->blobs[memory->contents[0].blob].version;
    return version[0] == 0 && version[1] < 12;
}

static void decode_operations(struct dla_task *task, const uint8_t *operations, const uint8_t *surfaces) {
    const long new_wrong = layout_violations(task, operations, surfaces, false);
    const long old_wrong = layout_violations(task, operations, surfaces, true);
    task->old_cubes = old_wrong == new_wrong ? old_version(task, task->network.surfaces) : old_wrong < new_wrong;
    if (!task->old_cubes)
        layout_violations(task, operations, surfaces, false);
}

/* ---- dependencies ---- */

static bool check_edge(const struct dla_task *task, size_t operation, struct op_edge edge, int type, const char *what,
                       struct error *err) {
    char name[LAYER_NAME];
    if (edge.operation == -1)
        return true;
    if (edge.operation < 0 || (size_t)edge.operation >= task->count)
        return error_set(err, "%s: found operation %d as its %s, expected -1 or one of the task's %zu",
                         dla_layer_name(task, operation, name), edge.operation, what, task->count);
    const unsigned found = task->operations[edge.operation].type;
    if (found != (unsigned)type)
        return error_set(err, "%s: found operation %d as its %s, which is of type %s; expected type %s",
                         dla_layer_name(task, operation, name), edge.operation, what,
                         found < TYPE_COUNT ? op_type_names[found] : "unknown",
                         type < 0 ? "none" : op_type_names[type]);
    if (edge.event < EVENT_COMPLETED || edge.event > EVENT_DATA_FETCHED)
        return error_set(err, "%s: found event %u of its %s, expected 1 to 5", dla_layer_name(task, operation, name),
                         edge.event, what);
    return true;
}

static bool check_edges(const struct dla_task *task, struct error *err) {
    char name[LAYER_NAME];
    for (size_t i = 0; i < task->count; i++)
        if (task->operations[i].type >= TYPE_COUNT)
            return error_set(err, "%s: found type %u, expected 0 to 5", dla_layer_name(task, i, name),
                             task->operations[i].type);
    for (size_t i = 0; i < task->count; i++) {
        const struct operation *op = &task->operations[i];
        for (int type = 0; type < TYPE_COUNT; type++)
            if (!check_edge(task, i, op->consumers[type], type, "consumer", err))
                return false;
        if (!check_edge(task, i, op->fused_parent, (int)op->type - 1, "fused parent", err))
            return false;
    }
    for (int type = 0; type < TYPE_COUNT; type++) {
        const int head = task->network.heads[type];
        if (head >= 0 && task->operations[head].type != (unsigned)type)
            return error_set(err, "%s: it is the first operation of type %s, but has another type",
                             dla_layer_name(task, (size_t)head, name), op_type_names[type]);
    }
    return true;
}

/* Counts the edges that name each operation. */
static void count_edges(const struct dla_task *task, unsigned *counts) {
    memset(counts, 0, task->count * sizeof *counts);
    for (size_t i = 0; i < task->count; i++) {
        const struct operation *op = &task->operations[i];
        for (int type = 0; type < TYPE_COUNT; type++)
            if (op->consumers[type].operation >= 0)
                counts[op->consumers[type].operation]++;
        if (op->fused_parent.operation >= 0)
            counts[op->fused_parent.operation]++;
    }
}

/* Removes the links of each type's chain that lead back into it. */
static void cut_links(struct dla_task *task) {
    autofree bool *met = xcalloc(task->count, sizeof *met);
    for (int type = 0; type < TYPE_COUNT; type++) {
        int at = task->network.heads[type];
        while (at >= 0) {
            struct op_edge *link = &task->operations[at].consumers[type];
            met[at] = true;
            if (link->operation >= 0 && met[link->operation])
                link->operation = -1;
            at = link->operation;
        }
    }
}

static void repair_counters(struct dla_task *task) {
    autofree unsigned *counts = xcalloc(task->count, sizeof *counts);
    count_edges(task, counts);
    for (size_t i = 0; i < task->count; i++)
        task->repaired = task->repaired || counts[i] != task->operations[i].counter;
    if (task->repaired) {
        cut_links(task);
        count_edges(task, counts);
        for (size_t i = 0; i < task->count; i++)
            task->operations[i].counter = counts[i];
    }
}

/* ---- addresses ---- */

struct resolving {
    const struct dla_task *task;
    size_t operation;
    struct error *err;
    bool failed;
};

/* Address of the byte at a list position, in the memory named by the type, and the size of the rest of that memory. */
static bool resolve(struct resolving *resolving, unsigned type, int position, uint32_t offset, const char *what,
                    uint64_t *address, uint64_t *room) {
    const struct dla_task *task = resolving->task;
    char name[LAYER_NAME];
    if (position < 0 || (size_t)position >= task->task->address_count)
        return error_set(resolving->err, "%s: found its %s at position %d of the address list, expected 0 to %zu",
                         dla_layer_name(task, resolving->operation, name), what, position,
                         task->task->address_count - 1);
    const struct loadable_address *entry = &task->loadable->addresses[task->task->addresses[position]];
    const struct loadable_memory *memory = &task->loadable->memories[entry->memory];
    if (entry->offset + offset >= memory->size)
        return error_set(resolving->err,
                         "%s: found its %s at 0x%" PRIx64 " of memory %u, expected it inside the 0x%" PRIx64 " bytes",
                         dla_layer_name(task, resolving->operation, name), what, entry->offset + offset, memory->id,
                         memory->size);
    if ((memory->space == SPACE_SECONDARY) != (type == CUBE_SRAM))
        return error_set(resolving->err, "%s: found its %s of type %u in memory %u of domain %u, expected type %u",
                         dla_layer_name(task, resolving->operation, name), what, type, memory->id, memory->domain,
                         memory->domain);
    *address = memory->base + entry->offset + offset;
    *room = memory->size - entry->offset - offset;
    return true;
}

static void resolve_cube(void *context, struct data_cube *cube, const char *name) {
    struct resolving *resolving = context;
    char layer[LAYER_NAME];
    if (resolving->failed || cube->type == CUBE_ON_THE_FLY)
        return;
    if (cube->type > CUBE_ON_THE_FLY)
        resolving->failed = !error_set(resolving->err, "%s: found type %u of its %s, expected 0, 1 or 2",
                                       dla_layer_name(resolving->task, resolving->operation, layer), cube->type, name);
    else
        resolving->failed =
            !resolve(resolving, cube->type, cube->position, cube->offset, name, &cube->address, &cube->room);
}

static void resolve_transfers(struct resolving *resolving, struct bdma_op *bdma) {
    for (unsigned i = 0; i < bdma->transfer_count && i < BDMA_TRANSFERS && !resolving->failed; i++) {
        struct bdma_transfer *transfer = &bdma->transfers[i];
        uint64_t room;
        resolving->failed =
            !resolve(resolving, bdma->source_type, transfer->source, 0, "source", &transfer->source_address, &room) ||
            !resolve(resolving, bdma->destination_type, transfer->destination, 0, "destination",
                     &transfer->destination_address, &room);
    }
}

static bool resolve_addresses(struct dla_task *task, struct error *err) {
    struct resolving resolving = {.task = task, .err = err};
    for (; resolving.operation < task->count && !resolving.failed; resolving.operation++) {
        struct operation *op = &task->operations[resolving.operation];
        if (op->type == TYPE_BDMA)
            resolve_transfers(&resolving, &op->bdma);
        else
            operation_cubes(op, resolve_cube, &resolving);
    }
    return !resolving.failed;
}

/* ---- the whole ---- */

static bool read_tables(struct dla_task *task, struct error *err) {
    if (task->network.table_count == 0)
        return true;
    autofree uint8_t *bytes =
        list_bytes(task, task->network.tables, task->network.table_count, TABLE_BYTES, "list of tables", err);
    if (!bytes)
        return false;
    task->table_count = task->network.table_count;
    task->tables = xcalloc(task->table_count, sizeof *task->tables);
    for (size_t i = 0; i < task->table_count; i++)
        lut_decode(bytes + i * TABLE_BYTES, &task->tables[i]);
    return true;
}

static bool read_operations(struct dla_task *task, struct error *err) {
    const struct network_descriptor *network = &task->network;
    autofree uint8_t *dependencies =
        list_bytes(task, network->dependencies, task->count, DEPENDENCY_BYTES, "list of dependencies", err);
    autofree uint8_t *operations =
        dependencies ? list_bytes(task, network->operations, task->count, OPERATION_BYTES, "list of operations", err)
                     : NULL;
    autofree uint8_t *surfaces =
        operations ? list_bytes(task, network->surfaces, task->count, SURFACE_BYTES, "list of surfaces", err) : NULL;
    bool good = false;
    if (surfaces) {
        task->operations = xcalloc(task->count, sizeof *task->operations);
        for (size_t i = 0; i < task->count; i++)
            dependency_decode(dependencies + i * DEPENDENCY_BYTES, &task->operations[i]);
        good = check_edges(task, err);
        if (good)
            decode_operations(task, operations, surfaces);
    }
    return good;
}

bool dla_task_read(const struct loadable *loadable, size_t number, struct dla_task *task, struct error *err) {
    *task =
        (struct dla_task){.loadable = loadable, .task = &loadable->tasks[loadable->order[number]], .number = number};
    if (task->task->interface != INTERFACE_DLA)
        return task_fail(task, err, "it is not a task for the engines");
    if (!read_network(task, err))
        return false;
    if (task->count == 0)
        return true;
    if (read_tables(task, err) && read_operations(task, err)) {
        repair_counters(task);
        if (resolve_addresses(task, err))
            return true;
    }
    dla_task_free(task);
    return false;
}

void dla_task_free(struct dla_task *task) {
    free(task->operations);
    free(task->tables);
    task->operations = NULL;
    task->tables = NULL;
    task->count = task->table_count = 0;
}
