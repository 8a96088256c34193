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

#include "nvdla/xalloc.h"
#include "replay/hang.h"
#include "replay/stream.h"

enum {
    WAIT_STEP = 4096, /* clocks per advance() when only an interrupt can continue the run */
    SETTLE_STEP = 16, /* clocks for dla_intr to follow a write to GLB (chapter 10 section 7: 14) */
    REST_STEP = 64,   /* clocks between two calls of at_rest() */
    REST_FIRST = 256, /* clocks after the last operation before at_rest() counts (chapter 80 section 9.7: 200) */
    REST_STILL = 200, /* clocks without movement inside the device at the end */
    PROGRESS_OPERATIONS = 64,
};

void play_options_default(struct play_options *options) {
    *options = (struct play_options){.poll_interval = 55, .seed = 1};
}

void play_result_free(struct play_result *result) {
    hang_free(result->hang);
    free(result->message);
    free(result->failures);
    *result = (struct play_result){0};
}

bool player_read(struct player *p, uint32_t address, uint32_t *value) {
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
    return relation == RELATION_LESS_EQUAL      ? got <= expected
           : relation == RELATION_GREATER_EQUAL ? got >= expected
                                                : got == expected;
}

/* Counts a check; records the failure if it does not hold. */
void player_check(struct player *p, bool holds, const struct play_failure *failure) {
    struct play_result *result = p->result;
    result->checks_done++;
    if (holds)
        return;
    result->failures = xgrow(result->failures, result->failure_count, sizeof *result->failures);
    result->failures[result->failure_count] = *failure;
    result->failures[result->failure_count++].cycle = p->dev->ops->time(p->dev);
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
        player_check(p, holds, &failure);
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
    if (!player_read(p, op->address, &got))
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
    if (!player_read(p, op->address, &got))
        return STEP_BROKEN;
    bool holds = holds_but_for_exceptions(p, op, got);
    uint32_t limit = op->attempts ? op->attempts : p->options->poll_attempts;
    stream->poll_tries++; /* NOLINT(clang-analyzer-core.NullDereference): no poll is deferred */
    if (!holds && (limit == 0 || stream->poll_tries < limit)) {
        if (stream->poll_tries > 1 && got != stream->poll_got)
            player_moved(p);
        stream->poll_got = got;
        stream->poll_failed = true;
        return STEP_BLOCKED;
    }
    stream->poll_tries = 0;
    note_read(p, op, got, holds);
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
            return player_clear(p, op) ? STEP_DONE : STEP_BROKEN;
        return write_register(p, op) ? STEP_DONE : STEP_BROKEN;
    case OP_READ: {
        uint32_t got;
        return player_read(p, op->address, &got) ? STEP_DONE : STEP_BROKEN;
    }
    case OP_READ_CHECK:
        return execute_read_check(p, op);
    case OP_POLL:
        return execute_poll(p, stream, op);
    case OP_WAIT:
        if (p->prog->sequential && op->level == 1)
            return player_await(p, op);
        return p->dev->ops->interrupt(p->dev) == (op->level != 0) ? STEP_DONE : STEP_BLOCKED;
    case OP_INTR_NOTIFY:
        player_notify(p, op);
        return STEP_DONE;
    case OP_SYNC_NOTIFY:
        player_raise(p, op->event);
        return STEP_DONE;
    case OP_SYNC_WAIT:
        return p->raised[op->event] ? STEP_DONE : STEP_BLOCKED;
    case OP_MEM_LOAD:
    case OP_MEM_FILL:
    case OP_MEM_RESERVE:
    case OP_MEM_RELEASE:
    case OP_MEM_CHECK:
    case OP_MEM_CRC:
        return player_memory(p, op) ? STEP_DONE : STEP_BROKEN;
    }
    return STEP_DONE;
}

static void count_done(struct player *p) {
    p->done++;
    player_went_on(p);
    if (p->done % PROGRESS_OPERATIONS == 0)
        player_show(p);
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
                player_note_goes(p, (size_t)(first - p->streams));
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

/* The outcome so far. */
enum ending { ENDING_NONE, ENDING_OVER, ENDING_HUNG, ENDING_BROKEN, ENDING_STOPPED };

/* True if the run must end now, whatever remains of the trace. */
static bool is_stopped(const struct player *p) {
    return p->dev->stop || (p->options->stop_at_first && (p->result->failure_count > 0 || p->dev->finding_count > 0));
}

/* True if a stream waits at a poll; limited: at one with a limited number of attempts. */
static bool waits_at_poll(const struct player *p, bool limited) {
    for (size_t i = 0; i < p->prog->stream_count; i++) {
        const struct stream *stream = &p->streams[i];
        const struct op *op = stream->next < stream->count ? &p->prog->ops[stream->ops[stream->next]] : NULL;
        if (op && op->kind == OP_POLL && (!limited || op->attempts || p->options->poll_attempts))
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
        if (!player_service(p, &found))
            return ENDING_BROKEN;
        if (found) /* repeated unexpected interrupts are a hang, too */
            return player_limit(p) ? ENDING_HUNG : ENDING_NONE;
        step = SETTLE_STEP;
    }
    if (player_limit(p))
        return ENDING_HUNG;
    if (waits_at_poll(p, false) && step > p->options->poll_interval)
        step = p->options->poll_interval ? p->options->poll_interval : 1;
    else if (high && step > SETTLE_STEP)
        step = SETTLE_STEP; /* the line is high, and the wait is for low or for more bits */
    else if (p->kept && step > REST_STEP)
        step = REST_STEP;
    enum device_state state = player_pass(p, step, !high);
    if (state == DEVICE_FAILED)
        return ENDING_BROKEN;
    if (state != DEVICE_IDLE || waits_at_poll(p, true))
        return ENDING_NONE;
    /* The device reports that nothing will ever change, so blocked streams stay blocked. */
    if (p->dev->ops->interrupt(p->dev) && !p->prog->sequential)
        return ENDING_NONE;
    enum step again = go_once(p);
    if (again == STEP_DONE)
        return ENDING_NONE;
    if (again == STEP_BROKEN)
        return ENDING_BROKEN;
    player_hung(p, HANG_IDLE, 0);
    return ENDING_HUNG;
}

/* True when the last layers are also done: one that computes from its buffers has no traffic for long. If the trace
 * expects a further interrupt, waits for it until nothing has moved for the time of a hang. */
static bool is_at_rest(struct player *p) {
    const bool noted = !p->prog->sequential && p->notify_count > 0;
    const uint64_t device = p->dev->ops->still ? p->dev->ops->still(p->dev) : UINT64_MAX;
    return p->dev->ops->at_rest(p->dev) && device >= REST_STILL &&
           (!noted || player_stillness(p) >= player_still_limit(p));
}

/* Runs the device until it is at rest, servicing late interrupts of programs with streams. */
static enum ending come_to_rest(struct player *p) {
    player_went_on(p);
    if (player_pass(p, REST_FIRST, false) == DEVICE_FAILED)
        return ENDING_BROKEN;
    for (;;) {
        if (is_stopped(p))
            return ENDING_STOPPED;
        bool high = !p->prog->sequential && p->dev->ops->interrupt(p->dev);
        if (high) {
            bool found;
            if (!player_service(p, &found))
                return ENDING_BROKEN;
            if (!found && player_pass(p, SETTLE_STEP, false) == DEVICE_FAILED)
                return ENDING_BROKEN;
            if (player_limit(p))
                return ENDING_HUNG;
        } else {
            if (is_at_rest(p))
                return ENDING_OVER;
            if (player_limit(p))
                return ENDING_HUNG;
            enum device_state state = player_pass(p, REST_STEP, !p->prog->sequential);
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
        player_hung(p, HANG_AT_END, 0);
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
            if (player_limit(p))
                return ENDING_HUNG;
            if (player_pass(p, p->options->poll_interval ? p->options->poll_interval : 1, false) == DEVICE_FAILED)
                return ENDING_BROKEN;
            if (is_stopped(p))
                return ENDING_STOPPED;
            step = execute(p, &alone, op);
        }
        if (step == STEP_BROKEN)
            return ENDING_BROKEN;
        if (step == STEP_BLOCKED) {
            player_hung(p, HANG_AT_END, 0);
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
        player_note_goes(&p, i);
    if (opened && dev->ops->reset(dev, &p.err)) {
        player_went_on(&p);
        ending = play_streams(&p);
        if (ending == ENDING_OVER)
            ending = come_to_rest(&p);
        if (ending == ENDING_OVER)
            ending = look_at_rest(&p);
        if (ending == ENDING_OVER && dev->ops->played)
            dev->ops->played(dev);
        if (ending == ENDING_OVER)
            ending = play_end(&p);
        player_show(&p);
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
