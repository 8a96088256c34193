/* The rwmmio trace events of Linux (80-trace-formats section 6.3): register accesses by virtual address, as ftrace or
 * trace-cmd prints them, with an arrow between two callers or without. A write is in rwmmio_write, or in
 * rwmmio_post_write alone; a read in rwmmio_post_read. Width is in bits. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/source_parts.h"

enum event { EVENT_WRITE, EVENT_POST_WRITE, EVENT_READ, EVENT_POST_READ, EVENTS };
static const char *const event_names[EVENTS] = {
    "rwmmio_write:", "rwmmio_post_write:", "rwmmio_read:", "rwmmio_post_read:"};

enum { OPEN = 64 /* accesses of all processors that have begun, and not ended */ };

struct open {
    enum event event;
    uint64_t line, offset, value;
};

struct state {
    struct open open[OPEN];
    size_t count;
};

static int likely(const char *text, size_t n) {
    const struct span head = {text, n};
    return span_find(head, "rwmmio_write:") || span_find(head, "rwmmio_post_read:") ? 90 : 0;
}

static void end_open(struct source *source, size_t index) {
    struct state *state = source->state;
    const struct open *open = &state->open[index];
    if (open->event == EVENT_READ)
        source_drop(source, open->line, "a read of 0x%05" PRIx64 " without its answer: dropped", open->offset);
    memmove(state->open + index, state->open + index + 1, (--state->count - index) * sizeof *open);
}

/* An access begins; one that nothing has ended makes room. */
static void begin(struct source *source, const struct open *open) {
    struct state *state = source->state;
    for (size_t i = 0; i < state->count; i++)
        if (open->event == EVENT_READ && state->open[i].event == EVENT_READ && state->open[i].offset == open->offset)
            end_open(source, i--);
    if (state->count == OPEN)
        end_open(source, 0);
    state->open[state->count++] = *open;
}

/* An access has ended; false if it had not begun. */
static bool end(struct state *state, enum event event, uint64_t offset, uint64_t value) {
    for (size_t i = 0; i < state->count; i++) {
        const struct open *open = &state->open[i];
        if (open->event == event && open->offset == offset && (event == EVENT_READ || open->value == value)) {
            memmove(state->open + i, state->open + i + 1, (--state->count - i) * sizeof *open);
            return true;
        }
    }
    return false;
}

/* The word NAME=HEX of a line, or NAME=DECIMAL. */
static bool take_number(struct span line, const char *name, bool decimal, uint64_t *value) {
    for (struct span word = span_token(&line); word.n; word = span_token(&line)) {
        const size_t n = strlen(name);
        if (!span_starts(word, name))
            continue;
        const struct span number = {word.at + n, word.n - n};
        return decimal ? span_number(number, false, value) : span_hex(number, value);
    }
    return false;
}

static int take_event(struct source *source, enum event event, struct span line, struct access *access,
                      struct error *err) {
    struct state *state = source->state;
    const uint64_t at = (uint64_t)source->lines.line;
    uint64_t address, offset, width = 0, value = 0;
    if (source->lines.cut) {
        source_drop(source, at, "the file ends with this line, which may be truncated: dropped");
        return 0;
    }
    if (!take_number(line, "addr=", false, &address))
        return source_object(source, at, err, "a line of rwmmio without an address (addr=0x...)");
    const int inside = source_offset(source, address, &offset, err);
    if (inside <= 0)
        return inside;
    if (!take_number(line, "width=", true, &width) || (width != 32 && width != 64))
        return source_object(source, at, err,
                             "an access of %" PRIu64 " bits to the registers, expected 32 (or 64, which are two)",
                             width);
    if (event != EVENT_READ && (!take_number(line, "val=", false, &value) || (width == 32 && value > UINT32_MAX)))
        return source_object(source, at, err, "a line of rwmmio without a value of %" PRIu64 " bits (val=0x...)",
                             width);
    if (event == EVENT_READ || event == EVENT_WRITE)
        begin(source, &(struct open){event, at, offset, value});
    if (event == EVENT_READ || (event == EVENT_POST_WRITE && end(state, EVENT_WRITE, offset, value)))
        return 0;
    if (event == EVENT_POST_READ)
        end(state, EVENT_READ, offset, 0);
    const enum access_kind kind = event == EVENT_POST_READ ? ACCESS_READ : ACCESS_WRITE;
    *access = source_register(kind, at, offset, (uint32_t)value);
    source->has_more = width == 64;
    source->more = source_register(kind, at, offset + 4, (uint32_t)(value >> 32));
    return 1;
}

static int next(struct source *source, struct access *access, struct error *err) {
    struct state *state = source->state;
    struct span line;
    while (source_line(source, &line)) {
        int status = 0;
        if (span_find(line, "EVENTS DROPPED]") || (span_find(line, "[LOST ") && span_find(line, " EVENTS]")))
            status = source_hole(source, (uint64_t)source->lines.line, access, err, "%.*s", (int)line.n, line.at);
        for (int i = 0; i < EVENTS && status == 0; i++)
            if (span_find_word(line, event_names[i]))
                status = take_event(source, (enum event)i, line, access, err);
        if (status != 0)
            return status;
    }
    while (state->count > 0)
        end_open(source, 0);
    return 0;
}

const struct source_format source_rwmmio = {
    "rwmmio", "rwmmio trace events of Linux", likely, NULL, next, NULL, "line", sizeof(struct state)};
