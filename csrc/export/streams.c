/* Splits a sequence into streams. See streams.h. */
#include "export/streams.h"

#include <stdio.h>
#include <stdlib.h>

#include "nvdla/xalloc.h"

enum { POSITION = 512, INTERRUPTS = 32 };

struct splitter {
    const struct program *prog;
    struct program *out;
    struct error *err;
    int barrier;  /* event after everything waited for so far, -1 none */
    int *reached; /* by stream of out: the last barrier it waits for; memory has none */
    size_t reached_count;
    unsigned events;
    uint32_t seen; /* interrupts waited for and not cleared */
    uint32_t mask; /* S_INTR_MASK */
    uint32_t status, mask_address;
    size_t dropped; /* checks of bits that are masked */
};

static bool refuse(const struct splitter *splitter, const struct op *op, const char *text) {
    char at[POSITION];
    return error_set(splitter->err, "%s: %s", op_position(splitter->prog, op, at, sizeof at), text);
}

static int new_event(struct splitter *splitter) {
    char name[32];
    snprintf(name, sizeof name, "sync_%u", splitter->events++);
    return program_event(splitter->out, name);
}

static int stream_of(struct splitter *splitter, const char *name) {
    const int stream = program_stream(splitter->out, name);
    while (splitter->reached_count <= (size_t)stream)
        *xadd(splitter->reached, splitter->reached_count) = -1;
    return stream;
}

/* Makes the stream wait for everything waited for so far. */
static void catch_up(struct splitter *splitter, int stream, const struct op *from) {
    if (splitter->reached[stream] == splitter->barrier)
        return;
    struct op op = op_make(OP_SYNC_WAIT, from->line);
    op.file = from->file;
    op.stream = (uint16_t)stream;
    op.event = splitter->barrier;
    program_append(splitter->out, &op);
    splitter->reached[stream] = splitter->barrier;
}

/* Orders everything that follows after the operations of this stream. */
static void put_barrier(struct splitter *splitter, int stream, const struct op *from) {
    struct op op = op_make(OP_SYNC_NOTIFY, from->line);
    op.file = from->file;
    op.stream = (uint16_t)stream;
    op.event = splitter->barrier = new_event(splitter);
    program_append(splitter->out, &op);
    splitter->reached[stream] = splitter->barrier;
}

/* Waits for these interrupts, one event each; bit -1: for any. */
static void put_notify(struct splitter *splitter, int bit, const struct op *from) {
    const int glb = stream_of(splitter, "GLB");
    struct op op = op_make(OP_INTR_NOTIFY, from->line), wait = op_make(OP_SYNC_WAIT, from->line);
    op.file = wait.file = from->file;
    op.stream = (uint16_t)stream_of(splitter, "interrupt");
    op.bit = bit;
    op.event = wait.event = new_event(splitter);
    wait.stream = (uint16_t)glb;
    program_append(splitter->out, &op);
    catch_up(splitter, glb, from);
    program_append(splitter->out, &wait);
}

/* A check of S_INTR_STATUS. One that expects no pending interrupt always holds, because the player clears them. */
static bool split_status(struct splitter *splitter, const struct op *op) {
    const uint32_t bits = op->value & op->mask, fresh = bits & ~splitter->seen & ~splitter->mask;
    if (op->volatile_read || bits == 0)
        return true;
    if (op->relation != RELATION_EQUAL)
        return refuse(
            splitter, op,
            "S_INTR_STATUS is compared by size, which has no meaning if interrupts are events; check it for bits");
    splitter->dropped += (bits & splitter->mask) != 0;
    if (bits & splitter->mask && !(bits & ~splitter->mask))
        return refuse(splitter, op,
                      "waits for an interrupt that S_INTR_MASK masks, which causes no notification; clear its bit in "
                      "S_INTR_MASK");
    for (int bit = 0; bit < INTERRUPTS; bit++)
        if (fresh >> bit & 1)
            put_notify(splitter, bit, op);
    if (fresh)
        put_barrier(splitter, stream_of(splitter, "GLB"), op);
    splitter->seen |= bits;
    return true;
}

static void split_memory(struct splitter *splitter, struct op op) {
    const bool check = op.kind == OP_MEM_CHECK || op.kind == OP_MEM_CRC;
    if (!op.at_end) {
        if ((check || op.kind == OP_MEM_RELEASE) && splitter->barrier < 0)
            put_barrier(splitter, stream_of(splitter, "GLB"), &op);
        op.after = splitter->barrier;
    }
    op.stream = (uint16_t)stream_of(splitter, "memory");
    program_append(splitter->out, &op);
}

static bool split_register(struct splitter *splitter, struct op op) {
    const enum nvdla_unit unit = nvdla_unit_at(splitter->prog->config, op.address);
    if (unit == NVDLA_UNIT_COUNT)
        return refuse(splitter, &op, "an access outside all units has no stream");
    if (op.address == splitter->status && !op.at_end) {
        if (op.kind == OP_READ)
            return true;
        if (op.kind != OP_WRITE)
            return split_status(splitter, &op);
        splitter->seen = 0;
        op.value &= splitter->mask; /* interrupts not serviced */
        if (op.value == 0)
            return true;
    }
    if (op.kind == OP_WRITE && op.address == splitter->mask_address)
        splitter->mask = op.value;
    const int stream = stream_of(splitter, nvdla_unit_names[unit]);
    op.stream = (uint16_t)stream;
    if (!op.at_end)
        catch_up(splitter, stream, &op);
    program_append(splitter->out, &op);
    if (op.kind == OP_POLL && !op.at_end)
        put_barrier(splitter, stream, &op);
    return true;
}

static bool split_op(struct splitter *splitter, size_t index) {
    struct op op = splitter->prog->ops[index];
    if (op.event >= 0 || op.after >= 0)
        return refuse(splitter, &op, "an event in a trace without streams; leave it out, or write `mode streams`");
    switch (op.kind) {
    case OP_NOTE:
        op.stream = (uint16_t)stream_of(splitter, "memory");
        program_append(splitter->out, &op);
        return true;
    case OP_WRITE:
    case OP_READ:
    case OP_READ_CHECK:
    case OP_POLL:
        return split_register(splitter, op);
    case OP_WAIT:
        if (!op.level) /* the line falls when all interrupts are serviced */
            return true;
        if (program_wanted_bits(splitter->prog, index, splitter->status) == 0) {
            put_notify(splitter, -1, &op);
            put_barrier(splitter, stream_of(splitter, "GLB"), &op);
        }
        return true;
    default:
        split_memory(splitter, op);
        return true;
    }
}

struct program *program_in_streams(struct program *prog, size_t *changed, struct error *err) {
    struct splitter splitter = {
        .prog = prog,
        .out = program_like(prog),
        .err = err,
        .barrier = -1,
        .status = nvdla_register_find(prog->config, NVDLA_GLB, "S_INTR_STATUS")->address,
        .mask_address = nvdla_register_find(prog->config, NVDLA_GLB, "S_INTR_MASK")->address,
        .mask = nvdla_register_find(prog->config, NVDLA_GLB, "S_INTR_MASK")->reset,
    };
    bool good = true;
    for (size_t i = 0; !prog->sequential && i < prog->stream_count; i++)
        program_stream(splitter.out, prog->streams[i]);
    for (size_t i = 0; !prog->sequential && i < prog->event_count; i++)
        program_event(splitter.out, prog->events[i]);
    for (size_t i = 0; good && i < prog->count; i++)
        if (prog->sequential)
            good = split_op(&splitter, i);
        else
            program_append(splitter.out, &prog->ops[i]);
    free(splitter.reached);
    *changed = splitter.dropped;
    if (!good) {
        program_free(splitter.out);
        return NULL;
    }
    program_move_content(splitter.out, prog);
    return splitter.out;
}
