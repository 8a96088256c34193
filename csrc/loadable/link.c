/* Edges between the operations of a task. See link.h. */
#include "loadable/link.h"

#include <string.h>

enum { NONE = -1 };

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

static void add_edge(struct operation *const *ops, size_t from, size_t to, enum op_event event) {
    ops[from]->consumers[ops[to]->type] = (struct op_edge){(int)to, event};
    ops[to]->counter++;
}

void operations_link(struct operation *const *ops, size_t count) {
    int last[TYPE_COUNT], before = NONE; /* before: layer that writes, SDP or PDP */
    bool waited = false;                 /* it waited for a PDP */
    for (int type = 0; type < TYPE_COUNT; type++)
        last[type] = NONE;
    for (size_t i = 0; i < count; i++) {
        struct operation *op = ops[i];
        const bool fused = op->type == TYPE_SDP && op->src.type == CUBE_ON_THE_FLY;
        const struct operation *earlier = before == NONE ? NULL : ops[before];
        const bool alone = op->type != TYPE_CONV && !fused;
        /* A convolution may read what a PDP wrote, two layers before it. */
        const bool waits = earlier && ((alone && (earlier->type == TYPE_PDP || op->type == TYPE_PDP)) ||
                                       (op->type == TYPE_CONV && (earlier->type == TYPE_PDP || waited)) ||
                                       reads(op, earlier->dst.position));
        const bool linked = waits && last[op->type] == before;
        if (last[op->type] != NONE)
            add_edge(ops, (size_t)last[op->type], i, linked ? EVENT_COMPLETED : EVENT_PROGRAMMED);
        if (waits && !linked)
            add_edge(ops, (size_t)before, i, EVENT_COMPLETED);
        if (fused) {
            add_edge(ops, i - 1, i, EVENT_PROGRAMMED);
            op->fused_parent = (struct op_edge){(int)i - 1, EVENT_ARMED};
            ops[i - 1]->counter++;
        }
        last[op->type] = (int)i;
        if (op->type == TYPE_CONV)
            continue;
        waited = alone && earlier && earlier->type == TYPE_PDP;
        before = (int)i;
    }
}
