/* Plays programs. See player.h.
 *
 * Every stream has a cursor over its operations. Operations with `after` leave their stream when the cursor reaches
 * them, and are executed before anything else as soon as their event is raised, so that a region is checked before the
 * trace continues. Interrupts of a program with streams are serviced when no stream can continue, so the order of
 * accesses depends only on the trace and the device.
 *
 * Sequential programs acknowledge interrupts themselves, and the device of the recording may have raised them in
 * another order or grouping. The player therefore follows chapter 80 section 9 rules 1 and 2: before a write to
 * S_INTR_STATUS it reads the register, clears only the bits it has read, and remembers bits that the trace does not
 * expect yet ("kept"). A `wait` whose next check of S_INTR_STATUS expects S lasts until every bit of S is pending or
 * kept; a `wait` without such a check uses a kept bit once the device has long been idle without another interrupt. */
#include "replay/player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/space.h"
#include "nvdla/random.h"
#include "nvdla/xalloc.h"
#include "replay/hang.h"
#include "replay/stream.h"

enum {
    WAIT_STEP = 4096,  /* clocks per advance() when only an interrupt can continue the run */
    SETTLE_STEP = 16,  /* clocks for dla_intr to follow a write to GLB (chapter 10 section 7: 14) */
    REST_STEP = 64,    /* clocks between two calls of at_rest() */
    REST_FIRST = 256,  /* clocks after the last operation before at_rest() counts (chapter 80 section 9.7: 200) */
    REST_STILL = 200,  /* clocks without movement inside the device at the end */
    REST_LONG = 20000, /* idle clocks after which a sequential wait assumes that no further interrupt will arrive */
    PROGRESS_OPERATIONS = 64,
    MOVED_LATELY = 5000,     /* clocks without movement that a memory or a clearing of CBUF may take */
    STILL_DEFAULT = 2000000, /* default still_limit of a device without its own */
    POSITION = 512,          /* bytes of a "FILE:LINE" */
};

enum step { STEP_DONE, STEP_BLOCKED, STEP_BROKEN };

void play_options_default(struct play_options *options) {
    *options = (struct play_options){.poll_interval = 55, .seed = 1};
}

void play_result_free(struct play_result *result) {
    hang_free(result->hang);
    free(result->message);
    free(result->failures);
    *result = (struct play_result){0};
}

static bool read_register(struct player *p, uint32_t address, uint32_t *value) {
    struct strange_read *strange = &p->strange;
    if (!p->dev->ops->csb_read(p->dev, address, value, &p->err))
        return false;
    if (strange->found)
        return true;
    const uint32_t excess = nvdla_register_excess(p->prog->config, address, *value);
    uint32_t expected = 0, bits = unit_is_there(p, address) ? known_registers_look(&p->known, address, &expected) : 0;
    for (size_t i = 0; i < p->options->exception_count; i++)
        if (p->options->exceptions[i].address == address)
            bits &= ~p->options->exceptions[i].mask;
    bits = excess ? excess : (*value ^ expected) & bits;
    *strange = (struct strange_read){bits != 0, !excess, address, *value, bits, expected, p->dev->ops->time(p->dev)};
    return true;
}

static bool write_register(struct player *p, const struct op *op) {
    known_registers_write(&p->known, op->address, op->value);
    return p->dev->ops->csb_write(p->dev, op->address, op->value, op->nposted, &p->err);
}

static bool relation_holds(enum relation relation, uint32_t got, uint32_t expected) {
    switch (relation) {
    case RELATION_LESS_EQUAL:
        return got <= expected;
    case RELATION_GREATER_EQUAL:
        return got >= expected;
    case RELATION_EQUAL:
        break;
    }
    return got == expected;
}

/* Counts a check; records the failure if it does not hold. */
static void note_check(struct player *p, bool holds, const struct play_failure *failure) {
    struct play_result *result = p->result;
    result->checks_done++;
    if (holds)
        return;
    result->failures = xgrow(result->failures, result->failure_count, sizeof *result->failures);
    result->failures[result->failure_count] = *failure;
    result->failures[result->failure_count++].cycle = p->dev->ops->time(p->dev);
}

/* Something has moved, although no operation completed. */
static void moved(struct player *p) {
    p->moved_time = p->dev->ops->time(p->dev);
    p->still = 0;
}

static void made_progress(struct player *p) {
    moved(p);
    p->progress_time = p->moved_time;
    p->waited = 0;
}

/* Clocks since `since`. Reads of polls also take time, which only the device's clock includes; a device without one
 * counts fewer. */
static uint64_t clocks_since(const struct player *p, uint64_t since, uint64_t given) {
    const uint64_t passed = p->dev->ops->time(p->dev) - since;
    return passed > given ? passed : given;
}

/* Clocks without movement, see play_options.still. */
static uint64_t stillness(const struct player *p) {
    const uint64_t player = clocks_since(p, p->moved_time, p->still);
    const uint64_t device = p->dev->ops->still ? p->dev->ops->still(p->dev) : UINT64_MAX;
    return player < device ? player : device;
}

static uint64_t still_limit(const struct player *p) {
    return p->options->still ? p->options->still : p->dev->still_limit ? p->dev->still_limit : STILL_DEFAULT;
}

static void show_progress(const struct player *p) {
    if (p->options->progress)
        p->options->progress(p->options->progress_context, p->dev, p->done, p->total);
}

/* Memory of an operation's space; NULL with a message if the configuration has none. */
static struct memory *space_of(struct player *p, const struct op *op) {
    struct memory *mem = p->dev->memory[op->space];
    char position[POSITION];
    if (!mem)
        error_set(&p->err, "%s: %s memory is used, but configuration %s has no such port",
                  op_position(p->prog, op, position, sizeof position), memory_space_name(op->space),
                  p->prog->config->name);
    return mem;
}

static void fill(const struct player *p, struct memory *mem, const struct op *op) {
    memory_declare(mem, op->base, op->size);
    if (op->pattern == PATTERN_BYTE) {
        memory_fill(mem, op->base, op->size, op->fill);
        return;
    }
    uint8_t block[4096];
    uint64_t state = p->options->seed ^ op->base;
    for (uint64_t at = 0; at < op->size; at += sizeof block) {
        size_t n = op->size - at < sizeof block ? (size_t)(op->size - at) : sizeof block;
        for (size_t i = 0; i < n; i += 8) {
            uint64_t word = op->pattern == PATTERN_RANDOM ? random_next(&state) : 0;
            for (size_t b = i; b < i + 8 && b < n; b++)
                block[b] =
                    op->pattern == PATTERN_RANDOM ? (uint8_t)(word >> 8 * (b - i)) : (uint8_t)(op->base + at + b);
        }
        memory_write(mem, op->base + at, block, n, NULL, NULL);
    }
}

/* Extent of the region that an earlier operation declared at this base; 0 if there is none. */
static uint64_t declared_size(const struct program *prog, const struct op *release) {
    for (size_t i = (size_t)(release - prog->ops); i-- > 0;) {
        const struct op *op = &prog->ops[i];
        if (op->space != release->space || op->base != release->base)
            continue;
        if (op->kind == OP_MEM_FILL || op->kind == OP_MEM_RESERVE)
            return op->size;
        if (op->kind == OP_MEM_LOAD)
            return op->blob->extent;
    }
    return 0;
}

static void check_bytes(struct player *p, const struct memory *mem, const struct op *op) {
    /* The golden bytes as an image: later chunks win, and its declared regions are the disjoint ranges covered. */
    struct memory *golden = memory_new();
    blob_write(golden, op->base, op->blob);
    for (size_t i = 0; i < op->blob->chunk_count; i++)
        memory_declare(golden, op->base + op->blob->chunks[i].offset, op->blob->chunks[i].size);
    struct play_failure failure = {.op = (size_t)(op - p->prog->ops)};
    for (size_t i = 0; i < memory_region_count(golden); i++) {
        uint64_t address, n;
        memory_region(golden, i, &address, &n);
        struct memory_difference diff;
        if (memory_compare(golden, mem, address, n, &diff))
            continue;
        if (failure.count == 0)
            failure.first = diff.first;
        failure.count += diff.count;
    }
    memory_free(golden);
    note_check(p, failure.count == 0, &failure);
}

static bool execute_memory(struct player *p, const struct op *op) {
    struct memory *mem = space_of(p, op);
    if (!mem)
        return false;
    switch (op->kind) {
    case OP_MEM_LOAD:
        blob_write(mem, op->base, op->blob);
        if (op->blob->extent > 0)
            memory_declare(mem, op->base, op->blob->extent);
        return true;
    case OP_MEM_FILL:
        fill(p, mem, op);
        return true;
    case OP_MEM_RESERVE:
        memory_declare(mem, op->base, op->size);
        return true;
    case OP_MEM_RELEASE:
        memory_undeclare(mem, op->base, declared_size(p->prog, op));
        return true;
    case OP_MEM_CHECK:
        check_bytes(p, mem, op);
        return true;
    case OP_MEM_CRC: {
        uint32_t crc = memory_crc32(mem, op->base, op->size);
        const struct play_failure failure = {.op = (size_t)(op - p->prog->ops), .got = crc, .expected = op->value};
        note_check(p, crc == op->value, &failure);
        return true;
    }
    default:
        return true;
    }
}

/* Does (got & mask) satisfy the check? Sequential programs see S_INTR_STATUS merged with kept bits, as described
 * above. */
static bool value_holds(struct player *p, const struct op *op, uint32_t got) {
    uint32_t expected = op->value & op->mask;
    bool plain = relation_holds(op->relation, got & op->mask, expected);
    if (!p->prog->sequential || op->address != p->glb_status || op->relation != RELATION_EQUAL)
        return plain;
    bool holds = plain;
    if (!plain && expected != 0)
        holds = (expected & ~(p->kept | got)) == 0;
    else if (!plain && p->cleared_once)
        holds = (got & op->mask & p->last_cleared) == 0;
    if (holds && expected != 0) {
        p->kept &= ~(expected & ~got);
        p->asked |= expected;
    }
    return holds;
}

/* A register was compared. */
static void note_read(struct player *p, const struct op *op, uint32_t got, bool holds) {
    const struct play_failure failure = {.op = (size_t)(op - p->prog->ops), .got = got, .expected = op->value};
    if (op->volatile_read && !p->options->strict)
        p->result->volatile_mismatches += !holds;
    else
        note_check(p, holds, &failure);
}

/* A comparison without the bits that the options except; counts a read that differs in these. */
static bool holds_but_for_exceptions(struct player *p, const struct op *op, uint32_t got) {
    struct op compared = *op;
    for (size_t i = 0; i < p->options->exception_count; i++)
        if (p->options->exceptions[i].address == op->address)
            compared.mask &= ~p->options->exceptions[i].mask;
    const bool holds = value_holds(p, &compared, got);
    p->result->excepted += holds && ((got ^ op->value) & op->mask & ~compared.mask) != 0;
    return holds;
}

static enum step execute_read_check(struct player *p, const struct op *op) {
    uint32_t got;
    if (!read_register(p, op->address, &got))
        return STEP_BROKEN;
    if (!unit_is_there(p, op->address) ||
        (p->dev->timeless && nvdla_register_is(p->prog->config, op->address, REGISTER_WAIT))) {
        p->result->checks_skipped++;
        return STEP_DONE;
    }
    bool holds = holds_but_for_exceptions(p, op, got);
    note_read(p, op, got, holds);
    return STEP_DONE;
}

static enum step execute_poll(struct player *p, struct stream *stream, const struct op *op) {
    uint32_t got;
    if (!read_register(p, op->address, &got))
        return STEP_BROKEN;
    bool holds = holds_but_for_exceptions(p, op, got);
    uint32_t limit = op->attempts ? op->attempts : p->options->poll_attempts;
    stream->poll_tries++; /* NOLINT(clang-analyzer-core.NullDereference): no poll is deferred */
    if (!holds && (limit == 0 || stream->poll_tries < limit)) {
        if (stream->poll_tries > 1 && got != stream->poll_got)
            moved(p);
        stream->poll_got = got;
        stream->poll_failed = true;
        return STEP_BLOCKED;
    }
    stream->poll_tries = 0;
    note_read(p, op, got, holds);
    return STEP_DONE;
}

/* A write to S_INTR_STATUS of a sequential program. */
static bool clear_interrupts(struct player *p, const struct op *op) {
    uint32_t pending;
    if (!read_register(p, p->glb_status, &pending))
        return false;
    uint32_t cleared = pending & op->value;
    if (!p->dev->ops->csb_write(p->dev, op->address, cleared, op->nposted, &p->err))
        return false;
    uint32_t consumed = p->asked;
    if (consumed == 0 && p->waited_since_clear)
        consumed = cleared & (~cleared + 1); /* the trace took an unspecified interrupt */
    if (p->asked != 0 || p->waited_since_clear)
        p->kept |= cleared & ~consumed;
    p->asked = 0;
    p->waited_since_clear = false;
    p->last_cleared = cleared;
    p->cleared_once = true;
    return true;
}

static void raise_event(struct player *p, int event) {
    if (event >= 0) {
        p->raised[event] = true;
        moved(p);
    }
}

/* Interrupt sources are pairs of bits, one per ping-pong group. */
static int source_of(int bit) {
    return bit / 2;
}

static void forget_notify(struct player *p, size_t index) {
    p->notify_count--;
    memmove(&p->notifies[index], &p->notifies[index + 1], (p->notify_count - index) * sizeof p->notifies[0]);
}

/* Assigns an interrupt to the oldest notification of its source with this bit, among the first two of the source (one
 * swap of groups, chapter 80 section 3.3), else to one that takes any interrupt; else remembers it. */
static void route_interrupt(struct player *p, int bit) {
    int looked = 0;
    for (size_t i = 0; i < p->notify_count && looked < 2; i++) {
        const struct op *op = &p->prog->ops[p->notifies[i]];
        if (op->bit < 0 || source_of(op->bit) != source_of(bit))
            continue;
        looked++;
        if (op->bit != bit)
            continue;
        raise_event(p, op->event);
        forget_notify(p, i);
        return;
    }
    for (size_t i = 0; i < p->notify_count; i++) {
        const struct op *op = &p->prog->ops[p->notifies[i]];
        if (op->bit >= 0)
            continue;
        raise_event(p, op->event);
        forget_notify(p, i);
        return;
    }
    p->unclaimed[bit]++;
}

static void issue_notify(struct player *p, const struct op *op) {
    for (int bit = 0; bit < INTERRUPT_BITS; bit++) {
        if ((op->bit >= 0 && op->bit != bit) || p->unclaimed[bit] == 0)
            continue;
        p->unclaimed[bit]--;
        raise_event(p, op->event);
        return;
    }
    p->notifies[p->notify_count++] = (size_t)(op - p->prog->ops);
}

/* The interrupt queue of chapter 80 section 3.3. *found: there was an unmasked bit. */
static bool service_interrupt(struct player *p, bool *found) {
    uint32_t status, mask, after;
    if (!read_register(p, p->glb_status, &status) || !read_register(p, p->glb_mask, &mask))
        return false;
    uint32_t bits = status & ~mask;
    *found = bits != 0;
    if (bits == 0)
        return true;
    for (int bit = 0; bit < INTERRUPT_BITS; bit++) {
        if (bits >> bit & 1u) {
            route_interrupt(p, bit);
            p->result->interrupts++;
        }
    }
    if (!p->dev->ops->csb_write(p->dev, p->glb_status, bits, true, &p->err) || !read_register(p, p->glb_status, &after))
        return false;
    return true;
}

/* A wait of a sequential program for dla_intr = 1. */
static enum step sequential_wait(struct player *p, const struct op *op) {
    uint32_t wanted = program_wanted_bits(p->prog, (size_t)(op - p->prog->ops), p->glb_status);
    bool high = p->dev->ops->interrupt(p->dev);
    bool resting = p->rest_clocks >= REST_LONG;
    bool satisfied;
    if (wanted == 0) {
        satisfied = high || (resting && p->kept != 0);
        if (satisfied && !high)
            p->kept &= p->kept - 1;
    } else {
        uint32_t pending = 0;
        if (high && !read_register(p, p->glb_status, &pending))
            return STEP_BROKEN;
        satisfied = (wanted & ~(p->kept | pending)) == 0 || (resting && high);
    }
    if (!satisfied)
        return STEP_BLOCKED;
    p->waited_since_clear = true;
    return STEP_DONE;
}

static enum step execute(struct player *p, struct stream *stream, const struct op *op) {
    if (p->options->trying)
        p->options->trying(p->options->trying_context, p->dev, (size_t)(op - p->prog->ops));
    switch (op->kind) {
    case OP_NOTE:
        if (p->options->note)
            p->options->note(p->options->note_context, p->dev, op->text);
        return STEP_DONE;
    case OP_CHECK_EVENT:
        return STEP_DONE;
    case OP_WRITE:
        if (p->prog->sequential && op->address == p->glb_status)
            return clear_interrupts(p, op) ? STEP_DONE : STEP_BROKEN;
        return write_register(p, op) ? STEP_DONE : STEP_BROKEN;
    case OP_READ: {
        uint32_t got;
        return read_register(p, op->address, &got) ? STEP_DONE : STEP_BROKEN;
    }
    case OP_READ_CHECK:
        return execute_read_check(p, op);
    case OP_POLL:
        return execute_poll(p, stream, op);
    case OP_WAIT:
        if (p->prog->sequential && op->level == 1)
            return sequential_wait(p, op);
        return p->dev->ops->interrupt(p->dev) == (op->level != 0) ? STEP_DONE : STEP_BLOCKED;
    case OP_INTR_NOTIFY:
        issue_notify(p, op);
        return STEP_DONE;
    case OP_SYNC_NOTIFY:
        raise_event(p, op->event);
        return STEP_DONE;
    case OP_SYNC_WAIT:
        return p->raised[op->event] ? STEP_DONE : STEP_BLOCKED;
    case OP_MEM_LOAD:
    case OP_MEM_FILL:
    case OP_MEM_RESERVE:
    case OP_MEM_RELEASE:
    case OP_MEM_CHECK:
    case OP_MEM_CRC:
        return execute_memory(p, op) ? STEP_DONE : STEP_BROKEN;
    }
    return STEP_DONE;
}

/* 1 + the index of the operation that the stream waits at: the next one, or after its end one deferred until its event,
 * or a notification without its interrupt. 0: none. */
static size_t waits_at(const struct player *p, size_t index) {
    const struct stream *stream = &p->streams[index];
    if (stream->next < stream->count)
        return stream->ops[stream->next] + 1;
    for (size_t i = 0; i < p->deferred_count; i++)
        if (p->prog->ops[p->deferred[i]].stream == index)
            return p->deferred[i] + 1;
    for (size_t i = 0; i < p->notify_count; i++)
        if (p->prog->ops[p->notifies[i]].stream == index)
            return p->notifies[i] + 1;
    return 0;
}

/* Reports to the device that the stream waits at an operation. */
static void note_wait(struct player *p, size_t index, const struct op *op) {
    const struct program *prog = p->prog;
    char name[128], text[192];
    if (op->after >= 0)
        snprintf(text, sizeof text, "event %s", prog->events[op->after]);
    else if (op->kind == OP_SYNC_WAIT)
        snprintf(text, sizeof text, "event %s", prog->events[op->event]);
    else if (op->kind == OP_POLL)
        snprintf(text, sizeof text, "%s & 0x%x %s 0x%x",
                 nvdla_register_name(prog->config, op->address, name, sizeof name), op->mask,
                 relation_text(op->relation), op->value & op->mask);
    else if (op->kind == OP_WAIT)
        snprintf(text, sizeof text, "dla_intr = %d", op->level);
    else if (op->kind == OP_INTR_NOTIFY)
        snprintf(text, sizeof text, "interrupt %s", op->bit < 0 ? "of any unit" : nvdla_interrupt_name(op->bit));
    else
        snprintf(text, sizeof text, "its turn");
    autofree char *line = op->line > 0 ? xprintf("%s (line %d)", text, op->line) : xstrdup(text);
    p->dev->ops->note(p->dev, index, prog->streams[index], line);
}

/* Reports to the device that the stream continues. */
static void note_goes(struct player *p, size_t index) {
    p->streams[index].noted = 0;
    p->dev->ops->note(p->dev, index, p->prog->streams[index], "");
}

static void note_waits(struct player *p) {
    for (size_t i = 0; p->dev->ops->note && i < p->prog->stream_count; i++) {
        const size_t at = waits_at(p, i), before = p->streams[i].noted;
        if (at == before)
            continue;
        p->streams[i].noted = at;
        if (at)
            note_wait(p, i, &p->prog->ops[at - 1]);
        else
            note_goes(p, i);
    }
}

static void count_done(struct player *p) {
    p->done++;
    made_progress(p);
    if (p->done % PROGRESS_OPERATIONS == 0)
        show_progress(p);
}

/* Executes deferred operations whose event has been raised, in file order. */
static bool run_deferred(struct player *p) {
    for (size_t i = 0; i < p->deferred_count;) {
        const struct op *op = &p->prog->ops[p->deferred[i]];
        if (!p->raised[op->after]) {
            i++;
            continue;
        }
        p->deferred_count--;
        memmove(&p->deferred[i], &p->deferred[i + 1], (p->deferred_count - i) * sizeof p->deferred[0]);
        if (execute(p, NULL, op) == STEP_BROKEN)
            return false;
        count_done(p);
    }
    return true;
}

/* Keeps the deferred list in file order, whatever order the streams reach their operations in. */
static void defer(struct player *p, size_t index) {
    size_t at = p->deferred_count++;
    for (; at > 0 && p->deferred[at - 1] > index; at--)
        p->deferred[at] = p->deferred[at - 1];
    p->deferred[at] = index;
}

/* True for a wait for an interrupt whose notification has been issued. Software in file order blocks here until the
 * layer is done, and only then programs groups that the layer uses, in any stream. If the device becomes idle without
 * the interrupt, the program needs streams that overtake, and from then on they do. */
static bool holds_the_file(struct player *p, const struct op *op) {
    if (p->rest_clocks >= REST_LONG)
        p->overtake = true;
    bool issued = false;
    for (size_t i = 0; i < p->notify_count && op->kind == OP_SYNC_WAIT; i++)
        issued = issued || p->prog->ops[p->notifies[i]].event == op->event;
    return issued && !p->overtake;
}

/* Continues the stream whose next operation is first in the file. STEP_BLOCKED: none can. */
static enum step go_once(struct player *p) {
    size_t from = 0;   /* operations before this one were tried in this round */
    bool held = false; /* only operations that wait for their own event continue */
    for (;;) {
        struct stream *first = NULL;
        for (size_t i = 0; i < p->prog->stream_count; i++) {
            struct stream *stream = &p->streams[i];
            if (stream->next < stream->count && !stream->poll_failed && stream->ops[stream->next] >= from &&
                (!first || stream->ops[stream->next] < first->ops[first->next]))
                first = stream;
        }
        if (!first)
            return STEP_BLOCKED;
        size_t index = first->ops[first->next];
        const struct op *op = &p->prog->ops[index];
        if (op->after >= 0) {
            first->next++;
            defer(p, index);
            return STEP_DONE;
        }
        if (held) {
            from = index + 1;
            continue;
        }
        enum step step = execute(p, first, op);
        if (step == STEP_BROKEN)
            return STEP_BROKEN;
        if (step == STEP_DONE) {
            first->next++;
            if (first->noted)
                note_goes(p, (size_t)(first - p->streams));
            p->rest_clocks = 0;
            count_done(p);
            return STEP_DONE;
        }
        held = holds_the_file(p, op);
        from = index + 1;
    }
}

static bool all_done(const struct player *p) {
    for (size_t i = 0; i < p->prog->stream_count; i++)
        if (p->streams[i].next < p->streams[i].count)
            return false;
    return p->deferred_count == 0;
}

static void hung(struct player *p, enum hang_reason reason, uint64_t clocks) {
    p->result->hang = hang_new(p, reason, clocks);
}

static bool limit_reached(struct player *p) {
    const uint64_t now = p->dev->ops->time(p->dev);
    const uint64_t standing = clocks_since(p, p->progress_time, p->waited), still = stillness(p);
    if (p->options->max_cycles && now >= p->options->max_cycles)
        hung(p, HANG_MAX_CYCLES, now);
    else if (p->options->timeout && standing >= p->options->timeout)
        hung(p, HANG_TIMEOUT, standing);
    else if (still >= still_limit(p))
        hung(p, HANG_STILL, still);
    else
        return false;
    p->result->hang->cut = p->result->hang->reason == HANG_MAX_CYCLES && still < MOVED_LATELY;
    return true;
}

static uint64_t at_most(uint64_t cycles, uint64_t limit, uint64_t used) {
    const uint64_t left = limit > used ? limit - used : 1;
    return cycles < left ? cycles : left;
}

/* Advances at most `cycles` clocks, within the limits of the run, and lets polls try again. */
static enum device_state pass_time(struct player *p, uint64_t cycles, bool until_interrupt) {
    note_waits(p);
    const uint64_t before = p->dev->ops->time(p->dev);
    cycles = at_most(cycles, still_limit(p), stillness(p));
    if (p->options->timeout)
        cycles = at_most(cycles, p->options->timeout, clocks_since(p, p->progress_time, p->waited));
    if (p->options->max_cycles && p->options->max_cycles > before)
        cycles = at_most(cycles, p->options->max_cycles, before);
    const enum device_state state = p->dev->ops->advance(p->dev, cycles, until_interrupt, &p->err);
    const uint64_t passed = p->dev->ops->time(p->dev) - before;
    const uint64_t given = (state == DEVICE_RUNNING || state == DEVICE_IDLE) && passed < cycles ? cycles : passed;
    p->waited += given;
    p->still += given;
    p->rest_clocks = state == DEVICE_IDLE ? REST_LONG : p->dev->ops->at_rest(p->dev) ? p->rest_clocks + passed : 0;
    for (size_t i = 0; i < p->prog->stream_count; i++)
        p->streams[i].poll_failed = false;
    show_progress(p);
    return state;
}

/* The outcome so far. */
enum ending { ENDING_NONE, ENDING_OVER, ENDING_HUNG, ENDING_BROKEN, ENDING_STOPPED };

/* True if the run must end now, whatever remains of the trace. */
static bool is_stopped(const struct player *p) {
    return p->dev->stop || (p->options->stop_at_first && (p->result->failure_count > 0 || p->dev->finding_count > 0));
}

/* True if a stream waits at a poll with a limited number of attempts. */
static bool poll_with_limit(const struct player *p) {
    for (size_t i = 0; i < p->prog->stream_count; i++) {
        const struct stream *stream = &p->streams[i];
        if (stream->next < stream->count) {
            const struct op *op = &p->prog->ops[stream->ops[stream->next]];
            if (op->kind == OP_POLL && (op->attempts || p->options->poll_attempts))
                return true;
        }
    }
    return false;
}

static bool head_is(const struct player *p, enum op_kind kind) {
    for (size_t i = 0; i < p->prog->stream_count; i++) {
        const struct stream *stream = &p->streams[i];
        if (stream->next < stream->count && p->prog->ops[stream->ops[stream->next]].kind == kind)
            return true;
    }
    return false;
}

/* No stream can continue: service an interrupt or let time pass. */
static enum ending wait_once(struct player *p) {
    bool high = p->dev->ops->interrupt(p->dev);
    uint64_t step = WAIT_STEP;
    if (!p->prog->sequential && high) {
        bool found;
        if (!service_interrupt(p, &found))
            return ENDING_BROKEN;
        if (found) /* repeated unexpected interrupts are a hang, too */
            return limit_reached(p) ? ENDING_HUNG : ENDING_NONE;
        step = SETTLE_STEP;
    }
    if (limit_reached(p))
        return ENDING_HUNG;
    if (head_is(p, OP_POLL) && step > p->options->poll_interval)
        step = p->options->poll_interval ? p->options->poll_interval : 1;
    else if (high && step > SETTLE_STEP)
        step = SETTLE_STEP; /* the line is high, and the wait is for low or for more bits */
    else if (p->kept && step > REST_STEP)
        step = REST_STEP;
    enum device_state state = pass_time(p, step, !high);
    if (state == DEVICE_FAILED)
        return ENDING_BROKEN;
    if (state != DEVICE_IDLE || poll_with_limit(p))
        return ENDING_NONE;
    /* The device reports that nothing will ever change, so blocked streams stay blocked. */
    if (p->dev->ops->interrupt(p->dev) && !p->prog->sequential)
        return ENDING_NONE;
    enum step again = go_once(p);
    if (again == STEP_DONE)
        return ENDING_NONE;
    if (again == STEP_BROKEN)
        return ENDING_BROKEN;
    hung(p, HANG_IDLE, 0);
    return ENDING_HUNG;
}

/* True when the last layers are also done: one that computes from its buffers has no traffic for long. If the trace
 * expects a further interrupt, waits for it until nothing has moved for the time of a hang. */
static bool is_at_rest(struct player *p) {
    const bool noted = !p->prog->sequential && p->notify_count > 0;
    const uint64_t device = p->dev->ops->still ? p->dev->ops->still(p->dev) : UINT64_MAX;
    return p->dev->ops->at_rest(p->dev) && device >= REST_STILL && (!noted || stillness(p) >= still_limit(p));
}

/* Runs the device until it is at rest, servicing late interrupts of programs with streams. */
static enum ending come_to_rest(struct player *p) {
    made_progress(p);
    if (pass_time(p, REST_FIRST, false) == DEVICE_FAILED)
        return ENDING_BROKEN;
    for (;;) {
        if (is_stopped(p))
            return ENDING_STOPPED;
        bool high = !p->prog->sequential && p->dev->ops->interrupt(p->dev);
        if (high) {
            bool found;
            if (!service_interrupt(p, &found))
                return ENDING_BROKEN;
            if (!found && pass_time(p, SETTLE_STEP, false) == DEVICE_FAILED)
                return ENDING_BROKEN;
            if (limit_reached(p))
                return ENDING_HUNG;
        } else {
            if (is_at_rest(p))
                return ENDING_OVER;
            if (limit_reached(p))
                return ENDING_HUNG;
            enum device_state state = pass_time(p, REST_STEP, !p->prog->sequential);
            if (state == DEVICE_FAILED)
                return ENDING_BROKEN;
            if (state == DEVICE_IDLE)
                return ENDING_OVER;
        }
    }
}

bool player_group_armed(struct device *dev, enum nvdla_unit unit, int group, bool *armed) {
    const char *name = unit == NVDLA_BDMA ? "STATUS" : "S_STATUS";
    const struct nvdla_register *status = nvdla_register_find(dev->config, unit, name);
    struct error err;
    uint32_t value;
    if (!status || !dev->ops->csb_read(dev, status->address, &value, &err))
        return false;
    *armed = false;
    for (size_t i = 0; i < status->field_count; i++) {
        const char *digit = strpbrk(status->fields[i].name, "01"); /* STATUS_0, GRP1_BUSY */
        *armed = *armed || (digit && *digit == '0' + group && nvdla_field_value(&status->fields[i], value));
    }
    return true;
}

/* True if the group whose interrupt a notification expects is still armed. */
static bool never_ends(struct player *p, const struct op *notify) {
    const char *name = notify->bit < 0 ? NULL : nvdla_interrupt_name(notify->bit);
    bool armed;
    return name &&
           player_group_armed(p->dev, nvdla_interrupt_unit(notify->bit), name[strlen(name) - 1] - '0', &armed) && armed;
}

/* At rest: a layer whose interrupt the trace expects, but does not wait for, may stand still for ever. */
static enum ending look_at_rest(struct player *p) {
    for (size_t i = 0; i < p->notify_count; i++) {
        if (p->prog->sequential || !never_ends(p, &p->prog->ops[p->notifies[i]]))
            continue;
        hung(p, HANG_AT_END, 0);
        p->result->hang->op = p->notifies[i];
        return ENDING_HUNG;
    }
    return ENDING_OVER;
}

static enum ending play_streams(struct player *p) {
    for (;;) {
        if (!run_deferred(p))
            return ENDING_BROKEN;
        if (is_stopped(p))
            return ENDING_STOPPED;
        enum step step = go_once(p);
        if (step == STEP_BROKEN)
            return ENDING_BROKEN;
        if (step == STEP_DONE)
            continue;
        if (all_done(p))
            return ENDING_OVER;
        enum ending ending = wait_once(p);
        if (ending != ENDING_NONE)
            return ending;
    }
}

static enum ending play_end(struct player *p) {
    for (size_t i = 0; i < p->at_end_count; i++) {
        if (is_stopped(p))
            return ENDING_STOPPED;
        const struct op *op = &p->prog->ops[p->at_end[i]];
        struct stream alone = {0};
        enum step step = op->after >= 0 && !p->raised[op->after] ? STEP_BLOCKED : execute(p, &alone, op);
        while (step == STEP_BLOCKED && op->kind == OP_POLL) {
            if (limit_reached(p))
                return ENDING_HUNG;
            if (pass_time(p, p->options->poll_interval ? p->options->poll_interval : 1, false) == DEVICE_FAILED)
                return ENDING_BROKEN;
            if (is_stopped(p))
                return ENDING_STOPPED;
            step = execute(p, &alone, op);
        }
        if (step == STEP_BROKEN)
            return ENDING_BROKEN;
        if (step == STEP_BLOCKED) {
            hung(p, HANG_AT_END, 0);
            p->result->hang->op = p->at_end[i];
            return ENDING_HUNG;
        }
        count_done(p);
    }
    return is_stopped(p) ? ENDING_STOPPED : ENDING_OVER;
}

static bool player_open(struct player *p) {
    const struct program *prog = p->prog;
    size_t streams = prog->stream_count ? prog->stream_count : 1;
    p->streams = xcalloc(streams, sizeof *p->streams);
    p->raised = xcalloc(prog->event_count + 1, sizeof *p->raised);
    p->deferred = xcalloc(prog->count + 1, sizeof *p->deferred);
    p->notifies = xcalloc(prog->count + 1, sizeof *p->notifies);
    p->at_end = xcalloc(prog->count + 1, sizeof *p->at_end);
    for (size_t i = 0; i < prog->count; i++)
        if (!prog->ops[i].at_end)
            p->streams[prog->ops[i].stream].count++;
    for (size_t i = 0; i < prog->stream_count; i++) {
        p->streams[i].ops = xcalloc(p->streams[i].count + 1, sizeof *p->streams[i].ops);
        p->streams[i].count = 0;
    }
    for (size_t i = 0; i < prog->count; i++) {
        struct stream *stream = &p->streams[prog->ops[i].stream];
        if (prog->ops[i].at_end)
            p->at_end[p->at_end_count++] = i;
        else
            stream->ops[stream->count++] = i;
    }
    p->total = prog->count;
    const struct nvdla_register *status = nvdla_register_find(prog->config, NVDLA_GLB, "S_INTR_STATUS");
    const struct nvdla_register *mask = nvdla_register_find(prog->config, NVDLA_GLB, "S_INTR_MASK");
    if (!status || !mask)
        return error_set(&p->err, "configuration %s has no GLB", prog->config->name);
    p->glb_status = status->address;
    p->glb_mask = mask->address;
    return true;
}

static void player_close(struct player *p) {
    for (size_t i = 0; i < p->prog->stream_count; i++)
        free(p->streams[i].ops);
    free(p->streams);
    free(p->raised);
    free(p->deferred);
    free(p->notifies);
    free(p->at_end);
}

/* The device or the program cannot continue. */
static void explain_failure(const struct player *p) {
    struct play_result *result = p->result;
    const struct error *err = &p->err;
    result->outcome = err->kind == ERROR_REFUSED ? PLAY_REFUSED : PLAY_BROKEN;
    if (result->outcome == PLAY_BROKEN) {
        result->message = xstrdup(err->text);
        return;
    }
    struct device_warning *refusal = &result->refusal;
    refusal->unit = (enum nvdla_unit)err->unit;
    refusal->ordinal = err->ordinal;
    snprintf(refusal->text, sizeof refusal->text, "%.*s", (int)sizeof refusal->text - 1, err->text);
    result->message = xprintf("%s launch %d: %s", nvdla_unit_names[err->unit], err->ordinal, err->text);
}

enum play_outcome play(const struct program *prog, struct device *dev, const struct play_options *options,
                       struct play_result *result) {
    *result = (struct play_result){0};
    struct player p = {.prog = prog, .dev = dev, .options = options, .result = result};
    enum ending ending = ENDING_BROKEN;
    const bool opened = player_open(&p);
    known_registers_reset(&p.known, prog->config);
    for (size_t i = 0; opened && dev->ops->note && i < prog->stream_count; i++)
        note_goes(&p, i);
    if (opened && dev->ops->reset(dev, &p.err)) {
        made_progress(&p);
        ending = play_streams(&p);
        if (ending == ENDING_OVER)
            ending = come_to_rest(&p);
        if (ending == ENDING_OVER)
            ending = look_at_rest(&p);
        if (ending == ENDING_OVER && dev->ops->played)
            dev->ops->played(dev);
        if (ending == ENDING_OVER)
            ending = play_end(&p);
        show_progress(&p);
    }
    dev->ops->statistics(dev, &result->statistics);
    result->strange = p.strange;
    if (ending == ENDING_BROKEN)
        explain_failure(&p);
    else if (ending == ENDING_HUNG)
        result->outcome = PLAY_HUNG;
    else if (ending == ENDING_STOPPED)
        result->outcome = PLAY_STOPPED;
    else
        result->outcome = result->failure_count || dev->finding_count ? PLAY_CHECK_FAILED : PLAY_PASSED;
    known_registers_free(&p.known);
    player_close(&p);
    return result->outcome;
}
