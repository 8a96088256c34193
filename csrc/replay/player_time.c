/* The player lets time pass: within the limits of the run, with notes on what each stream waits for. */
#include <stdio.h>
#include <stdlib.h>

#include "nvdla/xalloc.h"
#include "replay/hang.h"
#include "replay/player.h"
#include "replay/stream.h"

enum {
    MOVED_LATELY = 5000,     /* clocks without movement that a memory or a clearing of CBUF may take */
    STILL_DEFAULT = 2000000, /* default still_limit of a device without its own */
};

/* Something has moved, although no operation completed. */
void player_moved(struct player *p) {
    p->moved_time = p->dev->ops->time(p->dev);
    p->still = 0;
}

void player_went_on(struct player *p) {
    player_moved(p);
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
uint64_t player_stillness(const struct player *p) {
    const uint64_t player = clocks_since(p, p->moved_time, p->still);
    const uint64_t device = p->dev->ops->still ? p->dev->ops->still(p->dev) : UINT64_MAX;
    return player < device ? player : device;
}

uint64_t player_still_limit(const struct player *p) {
    return p->options->still ? p->options->still : p->dev->still_limit ? p->dev->still_limit : STILL_DEFAULT;
}

void player_show(const struct player *p) {
    if (p->options->progress)
        p->options->progress(p->options->progress_context, p->dev, p->done, p->total);
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
void player_note_goes(struct player *p, size_t index) {
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
            player_note_goes(p, i);
    }
}

void player_hung(struct player *p, enum hang_reason reason, uint64_t clocks) {
    p->result->hang = hang_new(p, reason, clocks);
}

bool player_limit(struct player *p) {
    const uint64_t now = p->dev->ops->time(p->dev);
    const uint64_t standing = clocks_since(p, p->progress_time, p->waited), still = player_stillness(p);
    if (p->options->max_cycles && now >= p->options->max_cycles)
        player_hung(p, HANG_MAX_CYCLES, now);
    else if (p->options->timeout && standing >= p->options->timeout)
        player_hung(p, HANG_TIMEOUT, standing);
    else if (still >= player_still_limit(p))
        player_hung(p, HANG_STILL, still);
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
enum device_state player_pass(struct player *p, uint64_t cycles, bool until_interrupt) {
    note_waits(p);
    const uint64_t before = p->dev->ops->time(p->dev);
    cycles = at_most(cycles, player_still_limit(p), player_stillness(p));
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
    player_show(p);
    return state;
}
