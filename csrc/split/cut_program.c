/* Builds a program with cuts. See cut_program.h. */
#include "split/cut_program.h"

#include <stdlib.h>

#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"
#include "trace/exchange.h"

enum { NO_LAUNCH = -1, OFFSET = 0xfff, POSITION = 512 };
#define STAYS SIZE_MAX

/* State of a unit from the view of software. */
struct unit_program {
    bool grouped;
    uint32_t enable; /* offset of D_OP_ENABLE */
    unsigned producer;
    int last[2];      /* launch of the tracker armed last in the group */
    bool deferred[2]; /* its arming has been deferred */
};

/* A check that moves to the end of another piece. */
struct moved {
    size_t piece; /* STAYS: it does not move */
    unsigned group;
};

struct cut_walk {
    struct layer_order *order;
    const size_t *cuts;
    size_t cut_count, piece;
    size_t *piece_of;    /* by layer */
    int *launch_at;      /* by operation: the launch that it arms */
    struct moved *moved; /* by operation */
    size_t *deferred;    /* launches, in the order of arming */
    size_t deferred_count;
    bool allowed;
    struct unit_program units[NVDLA_UNIT_COUNT];
    struct cut_program *sequence; /* NULL in the first pass */
};

/* Forbids the boundary at the end of this piece. */
static void forbid(struct cut_walk *walk, const struct op *op, const char *why) {
    char position[POSITION];
    layer_order_forbid(walk->order, walk->cuts[walk->piece], "%s %s",
                       op_position(walk->order->prog, op, position, sizeof position), why);
    walk->allowed = false;
}

/* ---- output ---- */

static void put_write(struct cut_walk *walk, enum nvdla_unit unit, uint32_t offset, uint32_t value,
                      const struct op *from) {
    struct op op = op_make(OP_WRITE, from ? from->line : 0);
    op.address = nvdla_unit_base(walk->order->prog->config, unit) + offset;
    op.value = value;
    op.file = from ? from->file : 0;
    program_append(walk->sequence->prog, &op);
}

/* Appends an operation with the unit's PRODUCER set to a group, and restores it afterwards. */
static void put_in_group(struct cut_walk *walk, enum nvdla_unit unit, unsigned group, const struct op *op) {
    const struct unit_program *state = &walk->units[unit];
    const bool other = state->grouped && state->producer != group;
    struct op plain = *op;
    plain.at_end = false;
    if (other)
        put_write(walk, unit, SDP_S_POINTER, group, op);
    program_append(walk->sequence->prog, &plain);
    if (other)
        put_write(walk, unit, SDP_S_POINTER, state->producer, op);
}

/* Waits until a unit is idle. */
static void put_idle(struct cut_walk *walk, enum nvdla_unit unit) {
    struct op op = op_make(OP_POLL, 0);
    op.address = nvdla_unit_base(walk->order->prog->config, unit);
    if (unit == NVDLA_BDMA) {
        op.address += BDMA_STATUS;
        op.value = BDMA_STATUS__IDLE_MASK;
        op.mask = BDMA_STATUS__IDLE_MASK | BDMA_STATUS__GRP0_BUSY_MASK | BDMA_STATUS__GRP1_BUSY_MASK;
    } else {
        op.address += SDP_S_STATUS;
    }
    program_append(walk->sequence->prog, &op);
}

/* ---- cuts ---- */

/* Units with launches in a piece. */
static uint32_t units_of(const struct cut_walk *walk, size_t piece) {
    uint32_t units = 0;
    for (size_t i = 0; i < layer_tracker_count(walk->order->tracker); i++)
        if (walk->piece_of[walk->order->layer_of[i]] == piece)
            units |= UINT32_C(1) << layer_tracker_launch(walk->order->tracker, i)->unit;
    return units;
}

static void put_end_of_piece(struct cut_walk *walk) {
    const struct program *prog = walk->order->prog;
    const uint32_t units = units_of(walk, walk->piece);
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (units >> unit & 1)
            put_idle(walk, unit);
    for (size_t i = 0; i < prog->count; i++) {
        if (walk->moved[i].piece != walk->piece)
            continue;
        const enum nvdla_unit unit = nvdla_unit_at(prog->config, prog->ops[i].address);
        put_in_group(walk, unit, walk->moved[i].group, &prog->ops[i]);
    }
}

/* Performs the deferred armings of the piece that begins. */
static void take_deferred(struct cut_walk *walk) {
    const struct layer_order *order = walk->order;
    size_t left = 0;
    for (size_t i = 0; i < walk->deferred_count; i++) {
        const size_t index = walk->deferred[i];
        const struct launch *launch = layer_tracker_launch(order->tracker, index);
        if (walk->piece_of[order->layer_of[index]] > walk->piece) {
            walk->deferred[left++] = index;
            continue;
        }
        walk->units[launch->unit].deferred[launch->group] = false;
        if (walk->sequence)
            put_in_group(walk, launch->unit, (unsigned)launch->group, &order->prog->ops[launch->tag]);
    }
    walk->deferred_count = left;
}

static void cut(struct cut_walk *walk) {
    if (walk->sequence)
        put_end_of_piece(walk);
    walk->piece++;
    if (walk->sequence)
        walk->sequence->marks[walk->piece] = walk->sequence->prog->count;
    take_deferred(walk);
}

/* ---- operations ---- */

static bool is_check(const struct op *op) {
    return op->kind == OP_READ_CHECK || op->kind == OP_POLL;
}

/* An access to registers of a group with a deferred arming. Returns true if it must be dropped. */
static bool meets_deferred(struct cut_walk *walk, const struct op *op, const struct unit_program *state,
                           uint32_t offset) {
    const bool of_group = offset >= state->enable;
    if (is_check(op) &&
        ((of_group && state->deferred[state->producer]) ||
         (offset == SDP_S_STATUS && ((state->deferred[0] && (op->mask & SDP_S_STATUS__STATUS_0_MASK)) ||
                                     (state->deferred[1] && (op->mask & SDP_S_STATUS__STATUS_1_MASK))))))
        forbid(walk, op, "accesses a unit that is armed for a layer after the cut");
    /* The hardware drops writes to an armed group. */
    return op->kind == OP_WRITE && of_group && state->deferred[state->producer];
}

static void defer(struct cut_walk *walk, int index) {
    const struct launch *launch = layer_tracker_launch(walk->order->tracker, (size_t)index);
    walk->deferred[walk->deferred_count++] = (size_t)index;
    walk->units[launch->unit].deferred[launch->group] = true;
    if (launch->unit == NVDLA_BDMA) /* its descriptors are in the queue */
        forbid(walk, &walk->order->prog->ops[launch->tag], "launches descriptors after the cut");
}

/* Counters keep the value of the last layer of their group. In the first pass, a check of a counter from an earlier
 * piece moves to the end of that piece. */
static void move_check(struct cut_walk *walk, size_t i, const struct unit_program *state) {
    const struct program *prog = walk->order->prog;
    const struct op *op = &prog->ops[i];
    const struct nvdla_register *reg = nvdla_register_at(prog->config, op->address);
    const int last = state->last[state->producer];
    if (!is_check(op) || !reg || !reg->grouped || reg->stored_mask != 0 || (op->address & OFFSET) <= state->enable ||
        last == NO_LAUNCH)
        return;
    const size_t piece = walk->piece_of[walk->order->layer_of[last]];
    if (piece < walk->piece)
        walk->moved[i] = (struct moved){.piece = piece, .group = state->producer};
}

static void put(struct cut_walk *walk, size_t i) {
    const struct op *op = &walk->order->prog->ops[i];
    const bool access = op->kind == OP_WRITE || op->kind == OP_READ || op->kind == OP_READ_CHECK || op->kind == OP_POLL;
    const enum nvdla_unit unit = access ? nvdla_unit_at(walk->order->prog->config, op->address) : NVDLA_UNIT_COUNT;
    struct unit_program *state = unit < NVDLA_UNIT_COUNT ? &walk->units[unit] : NULL;
    const uint32_t offset = op->address & OFFSET;
    if (state && op->kind == OP_WRITE && walk->launch_at[i] != NO_LAUNCH) {
        const int index = walk->launch_at[i];
        const struct launch *launch = layer_tracker_launch(walk->order->tracker, (size_t)index);
        state->last[launch->group] = index;
        if (walk->piece_of[walk->order->layer_of[index]] > walk->piece) {
            defer(walk, index);
            return;
        }
    } else if (state && state->grouped) {
        if (meets_deferred(walk, op, state, offset))
            return;
        if (op->kind == OP_WRITE && offset == SDP_S_POINTER)
            state->producer = op->value & SDP_S_POINTER__PRODUCER_MASK;
        if (!walk->sequence)
            move_check(walk, i, state);
    }
    if (walk->sequence && walk->moved[i].piece == STAYS)
        program_append(walk->sequence->prog, op);
}

static void walk_all(struct cut_walk *walk) {
    const struct layer_order *order = walk->order;
    walk->piece = walk->deferred_count = 0;
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        struct unit_program *state = &walk->units[unit];
        *state = (struct unit_program){.grouped = unit_has_groups(order->prog->config, unit),
                                       .last = {NO_LAUNCH, NO_LAUNCH}};
        if (state->grouped)
            state->enable = nvdla_register_find(order->prog->config, unit, "D_OP_ENABLE")->address & OFFSET;
    }
    for (size_t i = order->begin; i < order->end; i++) {
        while (walk->piece < walk->cut_count && order->boundaries[walk->cuts[walk->piece]].at <= i)
            cut(walk);
        put(walk, i);
    }
    while (walk->piece < walk->cut_count)
        cut(walk);
    if (walk->sequence) {
        put_end_of_piece(walk);
        walk->sequence->marks[walk->sequence->pieces] = walk->sequence->prog->count;
    }
    for (size_t i = order->end; i < order->prog->count; i++)
        put(walk, i);
}

struct cut_program *cut_program_new(struct layer_order *order, const size_t *cuts, size_t count) {
    const size_t ops = order->prog->count, launches = layer_tracker_count(order->tracker);
    struct cut_walk walk = {.order = order,
                            .cuts = cuts,
                            .cut_count = count,
                            .piece_of = xcalloc(order->layer_count + 1, sizeof *walk.piece_of),
                            .launch_at = xmalloc((ops + 1) * sizeof *walk.launch_at),
                            .moved = xmalloc((ops + 1) * sizeof *walk.moved),
                            .deferred = xcalloc(launches + 1, sizeof *walk.deferred),
                            .allowed = true};
    for (size_t l = 1; l < order->layer_count; l++)
        walk.piece_of[l] = walk.piece_of[l - 1] + (walk.piece_of[l - 1] < count && cuts[walk.piece_of[l - 1]] == l - 1);
    for (size_t i = 0; i < ops; i++) {
        walk.launch_at[i] = NO_LAUNCH;
        walk.moved[i].piece = STAYS;
    }
    for (size_t i = 0; i < launches; i++)
        walk.launch_at[layer_tracker_launch(order->tracker, i)->tag] = (int)i;
    walk_all(&walk);
    struct cut_program *sequence = NULL;
    if (walk.allowed) {
        walk.sequence = sequence = xcalloc(1, sizeof *sequence);
        sequence->pieces = count + 1;
        sequence->marks = xcalloc(sequence->pieces + 1, sizeof *sequence->marks);
        sequence->exchanged = xcalloc(sequence->pieces, sizeof *sequence->exchanged);
        sequence->prog = program_new(order->prog->config, order->prog->files[0]);
        for (size_t i = 1; i < order->prog->file_count; i++)
            program_file(sequence->prog, order->prog->files[i]);
        program_stream(sequence->prog, "main");
        sequence->prog->sequential = true;
        for (size_t i = 0; i < order->begin; i++)
            program_append(sequence->prog, &order->prog->ops[i]);
        sequence->marks[0] = sequence->prog->count;
        walk_all(&walk);
    }
    free(walk.piece_of);
    free(walk.launch_at);
    free(walk.moved);
    free(walk.deferred);
    return sequence;
}

void cut_program_free(struct cut_program *sequence) {
    if (!sequence)
        return;
    program_free(sequence->prog);
    free(sequence->marks);
    free(sequence->exchanged);
    free(sequence);
}
