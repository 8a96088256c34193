/* Programs: the streams of chapter 80 section 3.3, and the checks of memory. Register checks are read and not compared.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naive.h"
#include "nvdla/random.h"

struct play {
    struct naive *m;
    const struct program *prog;
    uint64_t seed;
    struct error *err;
    size_t *cursor;       /* by stream: index of its next operation */
    bool *raised;         /* by event */
    bool news;            /* an event was raised since deferred operations were looked at */
    bool *from_interrupt; /* by event: an OP_INTR_NOTIFY raises it */
    bool *waiting;        /* by operation: deferred until its event, or a notification without its interrupt */
    uint64_t unclaimed[32];
};

static bool failed_at(struct play *p, const struct op *op, const char *what) {
    char position[512];
    return error_set(p->err, "%s: %s", op_position(p->prog, op, position, sizeof position), what);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void fill(const struct play *p, struct memory *mem, const struct op *op) {
    if (op->pattern == PATTERN_BYTE) {
        memory_fill(mem, op->base, op->size, op->fill);
        return;
    }
    uint64_t state = p->seed ^ op->base, word = 0;
    for (uint64_t at = 0; at < op->size; at++) {
        if (op->pattern == PATTERN_RANDOM && at % 8 == 0)
            word = random_next(&state);
        const uint8_t byte = op->pattern == PATTERN_RANDOM ? (uint8_t)(word >> at % 8 * 8) : (uint8_t)(op->base + at);
        memory_write(mem, op->base + at, &byte, 1, NULL, NULL);
    }
}

static bool check_bytes(struct play *p, const struct memory *mem, const struct op *op) {
    struct memory *golden = memory_new();
    for (size_t i = 0; i < op->blob->chunk_count; i++) {
        const struct blob_chunk *chunk = &op->blob->chunks[i];
        memory_write(golden, op->base + chunk->offset, op->blob->bytes + chunk->start, chunk->size, NULL, NULL);
        memory_declare(golden, op->base + chunk->offset, chunk->size);
    }
    bool equal = true;
    for (size_t i = 0; equal && i < memory_region_count(golden); i++) {
        uint64_t address, n;
        struct memory_difference diff;
        memory_region(golden, i, &address, &n);
        equal = memory_compare(golden, mem, address, n, &diff);
        if (!equal) {
            uint8_t want, got;
            char text[160];
            memory_read(golden, diff.first, &want, 1);
            memory_read(mem, diff.first, &got, 1);
            snprintf(text, sizeof text, "%" PRIu64 " bytes differ, first at %s 0x%" PRIx64 ": 0x%02x, expected 0x%02x",
                     diff.count, op->space == SPACE_PRIMARY ? "primary" : "secondary", diff.first, got, want);
            failed_at(p, op, text);
        }
    }
    memory_free(golden);
    return equal;
}

static bool execute_memory(struct play *p, const struct op *op) {
    struct memory *mem = p->m->memory[op->space];
    if (!mem)
        return failed_at(p, op, "the configuration has no secondary memory");
    switch (op->kind) {
    case OP_MEM_LOAD:
        for (size_t i = 0; i < op->blob->chunk_count; i++) {
            const struct blob_chunk *chunk = &op->blob->chunks[i];
            memory_write(mem, op->base + chunk->offset, op->blob->bytes + chunk->start, chunk->size, NULL, NULL);
        }
        return true;
    case OP_MEM_FILL:
        fill(p, mem, op);
        return true;
    case OP_MEM_CHECK:
        return check_bytes(p, mem, op);
    case OP_MEM_CRC: {
        const uint32_t crc = memory_crc32(mem, op->base, op->size);
        char text[128];
        snprintf(text, sizeof text, "CRC 0x%08x of %s 0x%" PRIx64 ", expected 0x%08x", crc,
                 op->space == SPACE_PRIMARY ? "primary" : "secondary", op->base, op->value);
        return crc == op->value || failed_at(p, op, text);
    }
    default:
        return true;
    }
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void raise_event(struct play *p, int event) {
    if (event < 0)
        return;
    p->raised[event] = true;
    p->news = true;
}

/* Gives one interrupt to the first notification that waits for it, or for any. */
static void route(struct play *p, int bit) {
    for (int any = 0; any < 2; any++)
        for (size_t i = 0; i < p->prog->count; i++) {
            const struct op *op = &p->prog->ops[i];
            if (op->kind != OP_INTR_NOTIFY || !p->waiting[i] || op->bit != (any ? -1 : bit))
                continue;
            p->waiting[i] = false;
            raise_event(p, op->event);
            return;
        }
    p->unclaimed[bit]++;
}

/* Services the interrupt line of a program with streams. */
static bool service(struct play *p) {
    const uint32_t mask = p->m->units[NVDLA_GLB].words[0][GLB_S_INTR_MASK / 4], bits = p->m->interrupts & ~mask;
    for (int bit = 0; bit < 32; bit++)
        if (bits >> bit & 1)
            route(p, bit);
    p->m->interrupts &= ~bits;
    return bits != 0;
}

static void notify(struct play *p, size_t index) {
    const struct op *op = &p->prog->ops[index];
    for (int bit = 0; bit < 32; bit++)
        if ((op->bit < 0 || op->bit == bit) && p->unclaimed[bit]) {
            p->unclaimed[bit]--;
            raise_event(p, op->event);
            return;
        }
    p->waiting[index] = true;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static bool relation_holds(const struct op *op, uint32_t got) {
    const uint32_t value = got & op->mask, expected = op->value & op->mask;
    return op->relation == RELATION_EQUAL        ? value == expected
           : op->relation == RELATION_LESS_EQUAL ? value <= expected
                                                 : value >= expected;
}

static bool is_memory(const struct op *op) {
    return op->kind >= OP_MEM_LOAD && op->kind <= OP_MEM_CRC;
}

/* Runs every layer that can run; false if there was none. All of them: while the program waits for one, hardware has
 * long done the others. */
static bool run_all(struct play *p) {
    bool any = false;
    while (naive_step(p->m))
        any = true;
    return any;
}

/* Status registers that are computed here are checked; of the others only the side effects count. */
static bool execute_read_check(struct play *p, const struct op *op) {
    const uint32_t got = naive_read(p->m, op->address);
    const struct nvdla_register *reg = nvdla_register_at(p->prog->config, op->address);
    if (!reg || !naive_computes(reg->unit, op->address & 0xfff) || p->prog->sequential || relation_holds(op, got))
        return true;
    char text[160];
    snprintf(text, sizeof text, "%s.%s is 0x%x, expected 0x%x", nvdla_unit_names[reg->unit], reg->name, got, op->value);
    return failed_at(p, op, text);
}

enum outcome { DONE, BLOCKED, FAILED };

static enum outcome execute(struct play *p, size_t index) {
    const struct op *op = &p->prog->ops[index];
    if (op->after >= 0 && !p->raised[op->after]) {
        p->waiting[index] = true;
        return DONE;
    }
    if (is_memory(op)) {
        if (p->prog->sequential)
            run_all(p); /* layers of a recorded program have ended by then */
        return execute_memory(p, op) ? DONE : FAILED;
    }
    switch (op->kind) {
    case OP_WRITE:
        naive_write(p->m, op->address, op->value);
        return DONE;
    case OP_READ:
        naive_read(p->m, op->address);
        return DONE;
    case OP_READ_CHECK:
        return execute_read_check(p, op) ? DONE : FAILED;
    case OP_POLL:
        /* A recorded program acknowledges interrupts in the order of the device it was recorded on. */
        if (relation_holds(op, naive_read(p->m, op->address)))
            return DONE;
        if (!p->prog->sequential)
            return BLOCKED;
        run_all(p);
        return DONE;
    case OP_WAIT:
        run_all(p);
        return DONE;
    case OP_INTR_NOTIFY:
        notify(p, index);
        return DONE;
    case OP_SYNC_NOTIFY:
        raise_event(p, op->event);
        return DONE;
    case OP_SYNC_WAIT:
        return p->raised[op->event] ? DONE : BLOCKED;
    default:
        return DONE;
    }
}

/* Executes deferred operations whose event is up. */
static bool execute_deferred(struct play *p) {
    if (!p->news)
        return true;
    p->news = false;
    for (size_t i = 0; i < p->prog->count; i++) {
        const struct op *op = &p->prog->ops[i];
        if (op->kind == OP_INTR_NOTIFY || !p->waiting[i] || !p->raised[op->after])
            continue;
        p->waiting[i] = false;
        if (is_memory(op) && !execute_memory(p, op))
            return false;
    }
    return true;
}

static void advance(struct play *p, size_t stream) {
    size_t i = p->cursor[stream] + 1;
    while (i < p->prog->count && (p->prog->ops[i].stream != stream || p->prog->ops[i].at_end))
        i++;
    p->cursor[stream] = i;
}

/* Executes the first operation in file order that can go. A wait for an interrupt that is to come holds what follows
 * it in the file, unless `overtake`. */
static enum outcome execute_one(struct play *p, bool overtake) {
    const size_t count = p->prog->count;
    bool *blocked = calloc(p->prog->stream_count + 1, sizeof *blocked);
    enum outcome outcome = BLOCKED;
    for (;;) {
        size_t stream = p->prog->stream_count, first = count;
        for (size_t s = 0; s < p->prog->stream_count; s++)
            if (!blocked[s] && p->cursor[s] < first) {
                first = p->cursor[s];
                stream = s;
            }
        if (first == count)
            break;
        outcome = execute(p, first);
        if (outcome != BLOCKED) {
            advance(p, stream);
            break;
        }
        blocked[stream] = true;
        const struct op *op = &p->prog->ops[first];
        if (!overtake && op->kind == OP_SYNC_WAIT && p->from_interrupt[op->event])
            break;
    }
    free(blocked);
    return outcome;
}

static bool finished(const struct play *p) {
    for (size_t s = 0; s < p->prog->stream_count; s++)
        if (p->cursor[s] < p->prog->count)
            return false;
    for (size_t i = 0; i < p->prog->count; i++)
        if (p->waiting[i])
            return false;
    return true;
}

static bool run(struct play *p) {
    for (;;) {
        if (!execute_deferred(p))
            return false;
        enum outcome outcome = execute_one(p, false);
        if (outcome == DONE)
            continue;
        if (outcome == FAILED)
            return false;
        if (!p->prog->sequential && service(p))
            continue;
        if (run_all(p))
            continue;
        if (p->m->failed)
            return error_set(p->err, "%s", p->m->message);
        outcome = execute_one(p, true);
        if (outcome == FAILED)
            return false;
        if (outcome == DONE)
            continue;
        const enum nvdla_unit stuck = naive_stuck(p->m);
        if (finished(p) && stuck == NVDLA_UNIT_COUNT)
            break;
        return error_set(p->err, "hangs: %s%s", stuck < NVDLA_UNIT_COUNT ? nvdla_unit_names[stuck] : "",
                         stuck < NVDLA_UNIT_COUNT ? " is armed and cannot run" : "an event never comes");
    }
    for (size_t i = 0; i < p->prog->count; i++) {
        const struct op *op = &p->prog->ops[i];
        if (op->at_end && is_memory(op) && !execute_memory(p, op))
            return false;
        if (op->at_end && op->kind == OP_WRITE)
            naive_write(p->m, op->address, op->value);
        if (op->at_end && op->kind == OP_READ_CHECK && !execute_read_check(p, op))
            return false;
    }
    return true;
}

bool naive_play(struct naive *m, const struct program *prog, uint64_t seed, struct error *err) {
    struct play p = {.m = m, .prog = prog, .seed = seed, .err = err};
    p.cursor = calloc(prog->stream_count + 1, sizeof *p.cursor);
    p.raised = calloc(prog->event_count + 1, sizeof *p.raised);
    p.from_interrupt = calloc(prog->event_count + 1, sizeof *p.from_interrupt);
    p.waiting = calloc(prog->count + 1, sizeof *p.waiting);
    for (size_t s = 0; s < prog->stream_count; s++) {
        p.cursor[s] = (size_t)-1;
        advance(&p, s);
    }
    for (size_t i = 0; i < prog->count; i++)
        if (prog->ops[i].kind == OP_INTR_NOTIFY && prog->ops[i].event >= 0)
            p.from_interrupt[prog->ops[i].event] = true;
    bool passed = run(&p);
    if (passed && m->failed)
        passed = error_set(err, "%s", m->message);
    free(p.cursor);
    free(p.raised);
    free(p.from_interrupt);
    free(p.waiting);
    return passed;
}
