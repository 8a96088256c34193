/* The driver's scheduler, with a fixed order of waiting instead of interrupts. See scheduler.h. */
#include "loadable/scheduler.h"

#include <stdlib.h>

#include "nvdla/engines.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

enum { NONE = -1, GROUPS = 2 };

/* One of the two groups of a type. */
struct type_group {
    bool taken;
    int operation;
    bool pending;     /* not programmed yet */
    bool programming; /* being programmed */
    bool armed;
    bool needs_rdma;
    unsigned rdma;
    int table;           /* the table it was programmed with, NONE */
    unsigned long since; /* order of arming */
};

struct schedule_state {
    struct scheduler *scheduler;
    const struct emitter *emitter;
    const struct dla_task *task;
    struct type_group groups[TYPE_COUNT][GROUPS];
    bool rdma_taken[TYPE_COUNT][GROUPS];
    int tails[TYPE_COUNT];
    int *counters;   /* edges that an operation still waits for */
    uint8_t *raised; /* bit per enum op_event: events raised by an operation */
    bool *submitted;
    int *launches; /* ordinal of each operation */
    size_t completed;
    int held;          /* layer to await before convolutions are programmed, NONE */
    unsigned long now; /* counts armings */
    struct error *err;
};

static const struct operation *op_of(const struct schedule_state *state, int operation) {
    return &state->task->operations[operation];
}

static struct type_group *group_of(struct schedule_state *state, int operation) {
    struct type_group *groups = state->groups[op_of(state, operation)->type];
    for (int g = 0; g < GROUPS; g++)
        if (groups[g].taken && groups[g].operation == operation)
            return &groups[g];
    return NULL;
}

static unsigned index_of(struct schedule_state *state, const struct type_group *group) {
    return (unsigned)(group - state->groups[op_of(state, group->operation)->type]);
}

static struct layer_groups layer_groups(struct schedule_state *state, const struct type_group *group) {
    return (struct layer_groups){.group = index_of(state, group), .rdma = group->rdma};
}

static int table_of(const struct operation *op) {
    return op->type == TYPE_SDP ? op->sdp.lut : op->type == TYPE_CDP ? op->cdp.lut : NONE;
}

static bool uses_rdma(const struct operation *op) {
    return op->type == TYPE_CDP || ((op->type == TYPE_SDP || op->type == TYPE_PDP) && operation_needs_rdma(op));
}

static bool moves_nothing(const struct operation *op) {
    return op->type == TYPE_BDMA && op->bdma.transfer_count == 0;
}

static void raise(struct schedule_state *state, int operation, enum op_event event);

static void arm(struct schedule_state *state, int operation) {
    struct type_group *group = group_of(state, operation);
    const struct operation *op = op_of(state, operation);
    if (!group || group->pending || group->programming || group->armed)
        return;
    if (!moves_nothing(op)) {
        emit_arm(state->emitter, op, layer_groups(state, group));
        state->launches[operation] = state->scheduler->launches[op->type]++;
    }
    group->armed = true;
    group->since = ++state->now;
    raise(state, operation, EVENT_ARMED);
}

static void release_edge(struct schedule_state *state, struct op_edge edge, enum op_event event) {
    if (edge.operation != NONE && edge.event == event && --state->counters[edge.operation] == 0)
        arm(state, edge.operation);
}

static void raise(struct schedule_state *state, int operation, enum op_event event) {
    const struct operation *op = op_of(state, operation);
    state->raised[operation] |= (uint8_t)(1 << event);
    for (int type = 0; type < TYPE_COUNT; type++)
        release_edge(state, op->consumers[type], event);
    release_edge(state, op->fused_parent, event);
}

/* Whether the operation of a pending group may be programmed, as far as the other group is concerned. */
static bool ready(struct schedule_state *state, const struct type_group *group) {
    const struct operation *op = op_of(state, group->operation);
    const struct type_group *other = &state->groups[op->type][index_of(state, group) ^ 1];
    const int table = table_of(op);
    if (op->type == TYPE_BDMA)
        return !(other->taken && !other->pending && !other->armed);
    if (table == NONE || (other->taken && other->table == table))
        return true;
    return !(other->taken && (other->table != NONE || other->armed));
}

static void program_if_ready(struct schedule_state *state, struct type_group *group) {
    if (!ready(state, group))
        return;
    const int operation = group->operation;
    const struct operation *op = op_of(state, operation);
    group->pending = false;
    group->programming = true;
    group->table = table_of(op);
    program_note(state->emitter->prog, "task %zu, layer %d: %s, group %u", state->task->number, operation,
                 op_type_names[op->type], index_of(state, group));
    if (!moves_nothing(op))
        emit_program(state->emitter, op, layer_groups(state, group));
    raise(state, operation, EVENT_PROGRAMMED);
    group->programming = false;
    if (state->counters[operation] == 0)
        arm(state, operation);
}

/* The next group: the engine's own if none is in use, otherwise the free one. */
static unsigned next_group(const bool taken[GROUPS], size_t done) {
    if (!taken[0] && !taken[1])
        return (unsigned)(done % GROUPS);
    return taken[0];
}

static bool submit(struct schedule_state *state, int operation) {
    const struct operation *op = op_of(state, operation);
    const unsigned type = op->type;
    struct type_group *groups = state->groups[type];
    const bool taken[GROUPS] = {groups[0].taken, groups[1].taken};
    char name[LAYER_NAME];
    if (taken[0] && taken[1])
        return true;
    if (state->submitted[operation])
        return error_set(state->err, "%s: the chain of its type contains it twice, expected once",
                         dla_layer_name(state->task, (size_t)operation, name));
    struct type_group *group = &groups[next_group(taken, type == TYPE_BDMA ? 0 : state->scheduler->done[type])];
    *group = (struct type_group){.taken = true, .operation = operation, .pending = true, .table = NONE};
    group->needs_rdma = uses_rdma(op);
    group->rdma = next_group(state->rdma_taken[type], state->scheduler->rdma_done[type]);
    if (group->needs_rdma)
        state->rdma_taken[type][group->rdma] = true;
    state->submitted[operation] = true;
    state->tails[type] = operation;
    program_if_ready(state, group);
    return true;
}

/* Submits the operation after the last one of a type. */
static bool submit_next(struct schedule_state *state, unsigned type) {
    if (state->tails[type] == NONE)
        return true;
    const int next = op_of(state, state->tails[type])->consumers[type].operation;
    return next == NONE || submit(state, next);
}

/* Whether a group's layer is the next one that its engine finishes. */
static bool may_end(const struct schedule_state *state, unsigned type, int g) {
    const struct type_group *group = &state->groups[type][g];
    if (!group->taken || !group->armed)
        return false;
    const int parent = op_of(state, group->operation)->fused_parent.operation;
    return (type == TYPE_BDMA || state->scheduler->done[type] % GROUPS == (size_t)g) &&
           (parent == NONE || state->raised[parent] >> EVENT_COMPLETED & 1);
}

/* Whether a layer's end arms another one that is programmed. */
static bool arms_one(struct schedule_state *state, int operation) {
    for (int type = 0; type < TYPE_COUNT; type++) {
        const struct op_edge edge = op_of(state, operation)->consumers[type];
        if (edge.operation == NONE || edge.event != EVENT_COMPLETED || state->counters[edge.operation] != 1)
            continue;
        const struct type_group *group = group_of(state, edge.operation);
        if (group && !group->pending)
            return true;
    }
    return false;
}

/* The layer of SDP that ends right after a convolution and whose end arms another layer. NONE: there is none. */
static int layer_to_hold_for(struct schedule_state *state, int convolution) {
    const int operation = op_of(state, convolution)->consumers[TYPE_SDP].operation;
    if (operation == NONE || op_of(state, operation)->fused_parent.operation != convolution)
        return NONE;
    struct type_group *group = group_of(state, operation);
    return group && may_end(state, TYPE_SDP, (int)index_of(state, group)) && arms_one(state, operation) ? operation
                                                                                                        : NONE;
}

/* Programs what waits for a free group of a type. */
static bool refill(struct schedule_state *state, unsigned type) {
    for (int g = 0; g < GROUPS; g++)
        if (state->groups[type][g].taken && state->groups[type][g].pending)
            program_if_ready(state, &state->groups[type][g]);
    return submit_next(state, type);
}

static bool complete(struct schedule_state *state, struct type_group *group) {
    const int operation = group->operation;
    const unsigned type = op_of(state, operation)->type;
    if (type == TYPE_CONV) {
        raise(state, operation, EVENT_WEIGHTS_FETCHED);
        raise(state, operation, EVENT_DATA_FETCHED);
    }
    state->completed++;
    state->scheduler->done[type]++;
    if (group->needs_rdma) {
        state->scheduler->rdma_done[type]++;
        state->rdma_taken[type][group->rdma] = false;
    }
    *group = (struct type_group){.table = NONE};
    raise(state, operation, EVENT_COMPLETED);
    if (state->completed == state->task->count)
        return true;
    if (type == TYPE_CONV && state->scheduler->prompt && state->held == NONE) {
        state->held = layer_to_hold_for(state, operation);
        if (state->held != NONE)
            return true;
    }
    const bool held = state->held != NONE;
    state->held = NONE;
    return (!held || refill(state, TYPE_CONV)) && refill(state, type);
}

/* ---- waiting ---- */

/* Whether any of an operation's edges has one of CDMA's own events. */
static bool has_fetch_edges(const struct operation *op) {
    bool has = op->fused_parent.operation != NONE && op->fused_parent.event >= EVENT_WEIGHTS_FETCHED;
    for (int type = 0; type < TYPE_COUNT; type++)
        has = has || (op->consumers[type].operation != NONE && op->consumers[type].event >= EVENT_WEIGHTS_FETCHED);
    return has;
}

static void await(struct schedule_state *state, const struct type_group *group) {
    const struct operation *op = op_of(state, group->operation);
    const unsigned g = index_of(state, group);
    const uint32_t own = nvdla_unit_interrupt(op_type_units[op->type], (int)g);
    const uint32_t fetches =
        GLB_S_INTR_STATUS__CDMA_DAT_DONE_STATUS0_MASK | GLB_S_INTR_STATUS__CDMA_WT_DONE_STATUS0_MASK;
    const uint32_t fetched = op->type == TYPE_CONV ? fetches << g : 0;
    const uint32_t wanted = own | (has_fetch_edges(op) ? fetched : 0);
    program_note(state->emitter->prog, "task %zu, layer %d: %s is done", state->task->number, group->operation,
                 op_type_names[op->type]);
    emit_poll(state->emitter, NVDLA_GLB, GLB_S_INTR_STATUS, wanted, RELATION_EQUAL, wanted);
    emit_write(state->emitter, NVDLA_GLB, GLB_S_INTR_STATUS, own | fetched);
}

/* The layer to wait for: first one that takes no time, otherwise the one armed first. NULL: none. */
static struct type_group *next_end(struct schedule_state *state) {
    struct type_group *found = NULL;
    if (state->held != NONE)
        return group_of(state, state->held);
    for (unsigned type = 0; type < TYPE_COUNT; type++)
        for (int g = 0; g < GROUPS; g++) {
            struct type_group *group = &state->groups[type][g];
            if (!may_end(state, type, g))
                continue;
            if (moves_nothing(op_of(state, group->operation)))
                return group;
            if (!found || group->since < found->since)
                found = group;
        }
    return found;
}

/* ---- a task that can never finish ---- */

/* An operation with an edge to `to` whose event has not occurred; NONE if there is none. */
static int waits_for(const struct schedule_state *state, int to, unsigned *event) {
    for (size_t i = 0; i < state->task->count; i++) {
        const struct operation *op = &state->task->operations[i];
        for (int type = 0; type <= TYPE_COUNT; type++) {
            const struct op_edge edge = type < TYPE_COUNT ? op->consumers[type] : op->fused_parent;
            if (edge.operation == to && !(state->raised[i] >> edge.event & 1)) {
                *event = edge.event;
                return (int)i;
            }
        }
    }
    return NONE;
}

static bool never_finishes(const struct schedule_state *state) {
    static const char *const events[] = {[EVENT_COMPLETED] = "done",
                                         [EVENT_PROGRAMMED] = "programmed",
                                         [EVENT_ARMED] = "armed",
                                         [EVENT_WEIGHTS_FETCHED] = "through with its weights",
                                         [EVENT_DATA_FETCHED] = "through with its data"};
    enum { CHAIN = 5 };
    const struct dla_task *task = state->task;
    autotext struct text text = {0};
    int at = NONE;
    for (size_t i = 0; i < task->count && at == NONE; i++)
        if (state->submitted[i] && !(state->raised[i] >> EVENT_ARMED & 1))
            at = (int)i;
    for (int i = 0; i < CHAIN && at != NONE; i++) {
        unsigned event = 0;
        const int on = waits_for(state, at, &event);
        if (on == NONE)
            break;
        text_printf(&text, "%s layer %d (%s) until layer %d (%s) is %s", i ? "," : "", at,
                    op_type_names[op_of(state, at)->type], on, op_type_names[op_of(state, on)->type], events[event]);
        at = on;
    }
    error_set(state->err, "%s: task %zu can never finish: %zu of its %zu layers get done%s%s", task->loadable->path,
              task->number, state->completed, task->count,
              text.n ? "; there wait" : ", and nothing leads to the others", text.n ? text.text : "");
    return false;
}

/* ---- the whole ---- */

static bool run(struct schedule_state *state, const struct scheduler_host *host) {
    for (unsigned type = 0; type < TYPE_COUNT; type++) {
        const int head = state->task->network.heads[type];
        if (head != NONE && !(submit(state, head) && submit_next(state, type)))
            return false;
    }
    while (state->completed < state->task->count) {
        struct type_group *group = next_end(state);
        if (!group)
            return never_finishes(state);
        const int operation = group->operation;
        if (!moves_nothing(op_of(state, operation)))
            await(state, group);
        if (host->completed &&
            !host->completed(host->context, state->task, (size_t)operation, state->launches[operation], state->err))
            return false;
        if (!complete(state, group))
            return false;
    }
    return true;
}

bool schedule_task(struct scheduler *scheduler, const struct dla_task *task, const struct scheduler_host *host,
                   struct error *err) {
    const size_t count = task->count;
    if (count == 0)
        return true;
    struct schedule_state state = {.scheduler = scheduler,
                                   .emitter = &scheduler->emitter,
                                   .task = task,
                                   .held = NONE,
                                   .err = err,
                                   .counters = xcalloc(count, sizeof *state.counters),
                                   .raised = xcalloc(count, 1),
                                   .submitted = xcalloc(count, sizeof *state.submitted),
                                   .launches = xcalloc(count, sizeof *state.launches)};
    scheduler->emitter.task = task;
    for (size_t i = 0; i < count; i++)
        state.counters[i] = (int)task->operations[i].counter;
    for (int type = 0; type < TYPE_COUNT; type++) {
        state.tails[type] = NONE;
        for (int g = 0; g < GROUPS; g++)
            state.groups[type][g].table = NONE;
    }
    const bool good = run(&state, host);
    free(state.counters);
    free(state.raised);
    free(state.submitted);
    free(state.launches);
    return good;
}
