/* Puts a program with cuts together. See line.h. */
#include "split/cut_program.h"

#include <stdlib.h>

#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"
#include "trace/exchange.h"

enum { NO_LAUNCH = -1, OFFSET = 0xfff, POSITION = 512 };
#define STAYS SIZE_MAX

/* Software's view of a unit on the way. */
struct unit_state {
    bool grouped;
    uint32_t enable; /* offset of D_OP_ENABLE */
    unsigned producer;
    int last[2];      /* launch of the tracker that was armed last in the group */
    bool deferred[2]; /* its arming has been put off */
};

/* A check that stands at the end of another piece. */
struct moved {
    size_t piece; /* STAYS: it does not */
    unsigned group;
};

struct walk {
    struct course *course;
    const size_t *cuts;
    size_t cut_count, piece;
    size_t *piece_of;    /* by layer */
    int *launch_at;      /* by operation: the launch that it arms */
    struct moved *moved; /* by operation */
    size_t *deferred;    /* launches, in the order of arming */
    size_t deferred_count;
    bool allowed;
    struct unit_state units[NVDLA_UNIT_COUNT];
    struct line *line; /* NULL in the first pass */
};

/* The piece cannot end where it does. */
static void forbid(struct walk *walk, const struct op *op, const char *why) {
    char position[POSITION];
    course_forbid(walk->course, walk->cuts[walk->piece], "%s %s",
                  op_position(walk->course->prog, op, position, sizeof position), why);
    walk->allowed = false;
}

/* ---- what goes out ---- */

static void put_write(struct walk *walk, enum nvdla_unit unit, uint32_t offset, uint32_t value, const struct op *from) {
    struct op op = op_make(OP_WRITE, from ? from->line : 0);
    op.address = nvdla_unit_base(walk->course->prog->config, unit) + offset;
    op.value = value;
    op.file = from ? from->file : 0;
    program_append(walk->line->prog, &op);
}

/* An operation in which the unit's PRODUCER is that group, and is what it was behind it. */
static void put_in_group(struct walk *walk, enum nvdla_unit unit, unsigned group, const struct op *op) {
    const struct unit_state *state = &walk->units[unit];
    const bool other = state->grouped && state->producer != group;
    struct op plain = *op;
    plain.at_end = false;
    if (other)
        put_write(walk, unit, SDP_S_POINTER, group, op);
    program_append(walk->line->prog, &plain);
    if (other)
        put_write(walk, unit, SDP_S_POINTER, state->producer, op);
}

/* Waits until a unit is idle. */
static void put_idle(struct walk *walk, enum nvdla_unit unit) {
    struct op op = op_make(OP_POLL, 0);
    op.address = nvdla_unit_base(walk->course->prog->config, unit);
    if (unit == NVDLA_BDMA) {
        op.address += BDMA_STATUS;
        op.value = BDMA_STATUS__IDLE_MASK;
        op.mask = BDMA_STATUS__IDLE_MASK | BDMA_STATUS__GRP0_BUSY_MASK | BDMA_STATUS__GRP1_BUSY_MASK;
    } else {
        op.address += SDP_S_STATUS;
    }
    program_append(walk->line->prog, &op);
}

/* ---- cuts ---- */

/* Units with launches in a piece. */
static uint32_t units_of(const struct walk *walk, size_t piece) {
    uint32_t units = 0;
    for (size_t i = 0; i < layer_tracker_count(walk->course->tracker); i++)
        if (walk->piece_of[walk->course->layer_of[i]] == piece)
            units |= UINT32_C(1) << layer_tracker_launch(walk->course->tracker, i)->unit;
    return units;
}

static void put_end_of_piece(struct walk *walk) {
    const struct program *prog = walk->course->prog;
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

/* Arms what the piece that begins was to have armed already. */
static void take_deferred(struct walk *walk) {
    const struct course *course = walk->course;
    size_t left = 0;
    for (size_t i = 0; i < walk->deferred_count; i++) {
        const size_t index = walk->deferred[i];
        const struct launch *launch = layer_tracker_launch(course->tracker, index);
        if (walk->piece_of[course->layer_of[index]] > walk->piece) {
            walk->deferred[left++] = index;
            continue;
        }
        walk->units[launch->unit].deferred[launch->group] = false;
        if (walk->line)
            put_in_group(walk, launch->unit, (unsigned)launch->group, &course->prog->ops[launch->tag]);
    }
    walk->deferred_count = left;
}

static void cut(struct walk *walk) {
    if (walk->line)
        put_end_of_piece(walk);
    walk->piece++;
    if (walk->line)
        walk->line->marks[walk->piece] = walk->line->prog->count;
    take_deferred(walk);
}

/* ---- operations ---- */

static bool is_check(const struct op *op) {
    return op->kind == OP_READ_CHECK || op->kind == OP_POLL;
}

/* An access to registers of a group whose arming has been put off. Returns true if it is to be left out. */
static bool meets_deferred(struct walk *walk, const struct op *op, const struct unit_state *state, uint32_t offset) {
    const bool of_group = offset >= state->enable;
    if (is_check(op) &&
        ((of_group && state->deferred[state->producer]) ||
         (offset == SDP_S_STATUS && ((state->deferred[0] && (op->mask & SDP_S_STATUS__STATUS_0_MASK)) ||
                                     (state->deferred[1] && (op->mask & SDP_S_STATUS__STATUS_1_MASK))))))
        forbid(walk, op, "looks at a unit that is armed for a layer behind the cut");
    /* The hardware drops what is written to an armed group. */
    return op->kind == OP_WRITE && of_group && state->deferred[state->producer];
}

static void defer(struct walk *walk, int index) {
    const struct launch *launch = layer_tracker_launch(walk->course->tracker, (size_t)index);
    walk->deferred[walk->deferred_count++] = (size_t)index;
    walk->units[launch->unit].deferred[launch->group] = true;
    if (launch->unit == NVDLA_BDMA) /* its descriptors are in the queue */
        forbid(walk, &walk->course->prog->ops[launch->tag], "launches descriptors behind the cut");
}

/* Counters keep what the last layer of their group has left. In the first pass: a check of one that a piece before has
 * left goes to the end of that piece. */
static void move_check(struct walk *walk, size_t i, const struct unit_state *state) {
    const struct program *prog = walk->course->prog;
    const struct op *op = &prog->ops[i];
    const struct nvdla_register *reg = nvdla_register_at(prog->config, op->address);
    const int last = state->last[state->producer];
    if (!is_check(op) || !reg || !reg->grouped || reg->stored_mask != 0 || (op->address & OFFSET) <= state->enable ||
        last == NO_LAUNCH)
        return;
    const size_t piece = walk->piece_of[walk->course->layer_of[last]];
    if (piece < walk->piece)
        walk->moved[i] = (struct moved){.piece = piece, .group = state->producer};
}

static void put(struct walk *walk, size_t i) {
    const struct op *op = &walk->course->prog->ops[i];
    const bool access = op->kind == OP_WRITE || op->kind == OP_READ || op->kind == OP_READ_CHECK || op->kind == OP_POLL;
    const enum nvdla_unit unit = access ? nvdla_unit_at(walk->course->prog->config, op->address) : NVDLA_UNIT_COUNT;
    struct unit_state *state = unit < NVDLA_UNIT_COUNT ? &walk->units[unit] : NULL;
    const uint32_t offset = op->address & OFFSET;
    if (state && op->kind == OP_WRITE && walk->launch_at[i] != NO_LAUNCH) {
        const int index = walk->launch_at[i];
        const struct launch *launch = layer_tracker_launch(walk->course->tracker, (size_t)index);
        state->last[launch->group] = index;
        if (walk->piece_of[walk->course->layer_of[index]] > walk->piece) {
            defer(walk, index);
            return;
        }
    } else if (state && state->grouped) {
        if (meets_deferred(walk, op, state, offset))
            return;
        if (op->kind == OP_WRITE && offset == SDP_S_POINTER)
            state->producer = op->value & SDP_S_POINTER__PRODUCER_MASK;
        if (!walk->line)
            move_check(walk, i, state);
    }
    if (walk->line && walk->moved[i].piece == STAYS)
        program_append(walk->line->prog, op);
}

static void walk_all(struct walk *walk) {
    const struct course *course = walk->course;
    walk->piece = walk->deferred_count = 0;
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        struct unit_state *state = &walk->units[unit];
        *state =
            (struct unit_state){.grouped = unit_has_groups(course->prog->config, unit), .last = {NO_LAUNCH, NO_LAUNCH}};
        if (state->grouped)
            state->enable = nvdla_register_find(course->prog->config, unit, "D_OP_ENABLE")->address & OFFSET;
    }
    for (size_t i = course->begin; i < course->end; i++) {
        while (walk->piece < walk->cut_count && course->boundaries[walk->cuts[walk->piece]].at <= i)
            cut(walk);
        put(walk, i);
    }
    while (walk->piece < walk->cut_count)
        cut(walk);
    if (walk->line) {
        put_end_of_piece(walk);
        walk->line->marks[walk->line->pieces] = walk->line->prog->count;
    }
    for (size_t i = course->end; i < course->prog->count; i++)
        put(walk, i);
}

struct line *line_new(struct course *course, const size_t *cuts, size_t count) {
    const size_t ops = course->prog->count, launches = layer_tracker_count(course->tracker);
    struct walk walk = {.course = course,
                        .cuts = cuts,
                        .cut_count = count,
                        .piece_of = xcalloc(course->layer_count + 1, sizeof *walk.piece_of),
                        .launch_at = xmalloc((ops + 1) * sizeof *walk.launch_at),
                        .moved = xmalloc((ops + 1) * sizeof *walk.moved),
                        .deferred = xcalloc(launches + 1, sizeof *walk.deferred),
                        .allowed = true};
    for (size_t l = 1; l < course->layer_count; l++)
        walk.piece_of[l] = walk.piece_of[l - 1] + (walk.piece_of[l - 1] < count && cuts[walk.piece_of[l - 1]] == l - 1);
    for (size_t i = 0; i < ops; i++) {
        walk.launch_at[i] = NO_LAUNCH;
        walk.moved[i].piece = STAYS;
    }
    for (size_t i = 0; i < launches; i++)
        walk.launch_at[layer_tracker_launch(course->tracker, i)->tag] = (int)i;
    walk_all(&walk);
    struct line *line = NULL;
    if (walk.allowed) {
        walk.line = line = xcalloc(1, sizeof *line);
        line->pieces = count + 1;
        line->marks = xcalloc(line->pieces + 1, sizeof *line->marks);
        line->exchanged = xcalloc(line->pieces, sizeof *line->exchanged);
        line->prog = program_new(course->prog->config, course->prog->files[0]);
        for (size_t i = 1; i < course->prog->file_count; i++)
            program_file(line->prog, course->prog->files[i]);
        program_stream(line->prog, "main");
        line->prog->sequential = true;
        for (size_t i = 0; i < course->begin; i++)
            program_append(line->prog, &course->prog->ops[i]);
        line->marks[0] = line->prog->count;
        walk_all(&walk);
    }
    free(walk.piece_of);
    free(walk.launch_at);
    free(walk.moved);
    free(walk.deferred);
    return line;
}

void line_free(struct line *line) {
    if (!line)
        return;
    program_free(line->prog);
    free(line->marks);
    free(line->exchanged);
    free(line);
}
