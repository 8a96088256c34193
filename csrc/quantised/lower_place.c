/* What is done when all nodes are lowered: banks, places in memory, links of operations. See lowering.h. */
#include <string.h>

#include "quantised/lowering.h"

enum { ALIGNMENT = 64 };

/* ---- place in memory ---- */

static bool overlap(const struct storage *a, const struct storage *b) {
    return a->first <= b->last && b->first <= a->last;
}

/* The lowest place where a storage meets none of those before it that live at the same time. */
static void place(struct lowered *lowered, size_t index) {
    struct storage *storage = &lowered->storages[index];
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < index; i++) {
            const struct storage *other = &lowered->storages[i];
            if (other->memory != MEMORY_OF_CUBES || !overlap(storage, other) ||
                storage->offset >= other->offset + other->size || other->offset >= storage->offset + storage->size)
                continue;
            storage->offset = (other->offset + other->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
            moved = true;
        }
    }
    if (storage->offset + storage->size > lowered->cube_bytes)
        lowered->cube_bytes = storage->offset + storage->size;
}

static void resolve_cube(void *context, struct data_cube *cube, const char *name) {
    const struct lowered *lowered = context;
    (void)name;
    if (cube->type != CUBE_MEMORY)
        return;
    if (cube->position == GRAPH_NONE) {
        cube->position = MEMORY_OF_CONSTANTS;
        return;
    }
    const struct storage *storage = &lowered->storages[cube->position];
    cube->position = storage->memory;
    cube->offset += (uint32_t)storage->offset;
}

/* ---- links ---- */

struct storage_search {
    int storage;
    bool found;
};

static void find_read(void *context, struct data_cube *cube, const char *name) {
    struct storage_search *search = context;
    if (strcmp(name, "destination") != 0 && cube->type == CUBE_MEMORY && cube->position == search->storage)
        search->found = true;
}

static bool reads(struct operation *op, int storage) {
    struct storage_search search = {.storage = storage};
    operation_cubes(op, find_read, &search);
    return search.found;
}

static void add_edge(struct lowered *lowered, const struct lowered_step *step, size_t from, size_t to,
                     enum op_event event) {
    struct operation *first = &lowered->ops[step->first + from].operation;
    struct operation *second = &lowered->ops[step->first + to].operation;
    first->consumers[second->type] = (struct op_edge){(int)to, event};
    second->counter++;
}

/* Links of a task's operations. Those of a type run in order, so a layer waits explicitly only for the one right before
 * it: two before it, its group would not be free. SDP of a convolution is armed early, which arms the convolution when
 * its input is complete. */
static void link_step(struct lowered *lowered, const struct lowered_step *step) {
    int last[TYPE_COUNT], before = GRAPH_NONE; /* before: layer that writes, SDP or PDP */
    bool waited = false;                       /* it waited for a PDP */
    for (int type = 0; type < TYPE_COUNT; type++)
        last[type] = GRAPH_NONE;
    for (size_t i = 0; i < step->count; i++) {
        struct operation *op = &lowered->ops[step->first + i].operation;
        const bool fused = op->type == TYPE_SDP && op->src.type == CUBE_ON_THE_FLY;
        const struct operation *earlier =
            before == GRAPH_NONE ? NULL : &lowered->ops[step->first + (size_t)before].operation;
        const bool alone = op->type != TYPE_CONV && !fused;
        /* A convolution may read what a PDP wrote, two layers before it. */
        const bool waits = earlier && ((alone && (earlier->type == TYPE_PDP || op->type == TYPE_PDP)) ||
                                       (op->type == TYPE_CONV && (earlier->type == TYPE_PDP || waited)) ||
                                       reads(op, earlier->dst.position));
        const bool linked = waits && last[op->type] == before;
        if (last[op->type] != GRAPH_NONE)
            add_edge(lowered, step, (size_t)last[op->type], i, linked ? EVENT_COMPLETED : EVENT_PROGRAMMED);
        if (waits && !linked)
            add_edge(lowered, step, (size_t)before, i, EVENT_COMPLETED);
        if (fused) {
            add_edge(lowered, step, i - 1, i, EVENT_PROGRAMMED);
            op->fused_parent = (struct op_edge){(int)i - 1, EVENT_ARMED};
            lowered->ops[step->first + i - 1].operation.counter++;
        }
        last[op->type] = (int)i;
        if (op->type == TYPE_CONV)
            continue;
        waited = alone && earlier && earlier->type == TYPE_PDP;
        before = (int)i;
    }
}

/* ---- the whole ---- */

/* Gives all convolutions the same banks, if they have room: a change of banks empties CBUF first (30-cdma-cbuf section
 * 9.3). */
static void share_banks(struct lowered *lowered) {
    const unsigned banks = (unsigned)lowered->config->cbuf_banks;
    unsigned data = 0, weight = 0;
    for (size_t i = 0; i < lowered->op_count; i++) {
        const struct lowered_op *op = &lowered->ops[i];
        if (op->operation.type != TYPE_CONV)
            continue;
        data = op->operation.conv.data_bank > data ? op->operation.conv.data_bank : data;
        weight = op->least_banks > weight ? op->least_banks : weight;
    }
    for (size_t i = 0; data + weight <= banks && i < lowered->op_count; i++)
        if (lowered->ops[i].operation.type == TYPE_CONV) {
            lowered->ops[i].operation.conv.data_bank = data;
            lowered->ops[i].operation.conv.weight_bank = banks - data;
        }
}

void lowered_finish(struct lowered *lowered) {
    share_banks(lowered);
    for (size_t i = 0; i < lowered->storage_count; i++)
        if (lowered->storages[i].memory == MEMORY_OF_CUBES)
            place(lowered, i);
    for (size_t i = 0; i < lowered->step_count; i++)
        if (!lowered->steps[i].cpu)
            link_step(lowered, &lowered->steps[i]);
    for (size_t i = 0; i < lowered->op_count; i++)
        operation_cubes(&lowered->ops[i].operation, resolve_cube, lowered);
}
