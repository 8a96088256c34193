/* What is done when all nodes are lowered: banks, places in memory. See lowering.h. */
#include <stdlib.h>

#include "loadable/link.h"
#include "nvdla/xalloc.h"
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
    autofree struct operation **ops = xcalloc(lowered->op_count, sizeof *ops);
    share_banks(lowered);
    for (size_t i = 0; i < lowered->storage_count; i++)
        if (lowered->storages[i].memory == MEMORY_OF_CUBES)
            place(lowered, i);
    for (size_t i = 0; i < lowered->op_count; i++)
        ops[i] = &lowered->ops[i].operation;
    for (size_t i = 0; i < lowered->step_count; i++)
        if (!lowered->steps[i].cpu)
            operations_link(ops + lowered->steps[i].first, lowered->steps[i].count);
    for (size_t i = 0; i < lowered->op_count; i++)
        operation_cubes(&lowered->ops[i].operation, resolve_cube, lowered);
}
