/* Logs of the virtual platform (80-trace-formats section 4): lines of csb_adaptor, dbb_adaptor and sram_adaptor, mixed
 * with any other console output. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/source_parts.h"

static const char mark[] = "_adaptor: GP:", ok_response[] = "TLM_OK_RESPONSE";

/* The rest of a line after a transaction: another one, if a line end is missing. */
struct state {
    struct text rest, line;
};

static void close_state(struct source *source) {
    struct state *state = source->state;
    free(state->rest.text);
    free(state->line.text);
}

static int likely(const char *text, size_t n) {
    const struct span head = {text, n};
    return span_find(head, mark) ? 90 : span_find(head, "sc_log control string") ? 50 : 0;
}

/* Removes "KEY=VALUE" from the front. */
static bool take_field(struct span *rest, const char *key, struct span *value) {
    struct span after = *rest;
    const struct span word = span_token(&after);
    const size_t n = strlen(key);
    if (!span_starts(word, key))
        return false;
    *value = (struct span){word.at + n, word.n - n};
    *rest = after;
    return true;
}

static int digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Two hex digits or XX. */
static bool take_byte(const char *at, uint8_t *byte, uint8_t *enabled) {
    *enabled = !(at[0] == 'X' && at[1] == 'X');
    const int high = digit(at[0]), low = digit(at[1]);
    const bool number = high >= 0 && low >= 0;
    *byte = number ? (uint8_t)(high << 4 | low) : 0;
    return number || !*enabled;
}

/* A word, "01020304" (the number, so its last two digits are the first byte), or bytes in memory order, "12_34_XX_XX",
 * possibly fewer than four at an unaligned end. Returns the number of bytes, 0 if it is neither. */
static size_t take_word(struct span word, uint8_t *bytes, uint8_t *enabled) {
    const bool grouped = word.n < 8 || memchr(word.at, '_', word.n);
    if (!grouped) {
        if (word.n != 8)
            return 0;
        for (size_t i = 0; i < 4; i++)
            if (!take_byte(word.at + 6 - 2 * i, &bytes[i], &enabled[i]))
                return 0;
        return 4;
    }
    size_t count = 0;
    for (size_t at = 0; at < word.n; at += 3) {
        if (count == 4 || at + 2 > word.n || (at + 2 < word.n && word.at[at + 2] != '_') ||
            !take_byte(word.at + at, &bytes[count], &enabled[count]))
            return 0;
        count++;
    }
    return count;
}

/* Words up to " resp=". Returns the number of bytes, 0 if they are incomplete. */
static size_t take_data(struct source *source, struct span rest, struct span *response) {
    size_t count = 0;
    for (struct span word = span_token(&rest); word.n; word = span_token(&rest)) {
        if (span_starts(word, "resp=")) {
            *response = (struct span){word.at + strlen("resp="), word.n - strlen("resp=")};
            if (span_starts(*response, ok_response)) /* other text may follow without a blank */
                response->n = strlen(ok_response);
            return count;
        }
        if (count + 4 > ACCESS_BYTES)
            return 0;
        const size_t got = take_word(word, source->bytes + count, source->enabled + count);
        if (got == 0)
            return 0;
        count += got;
    }
    return 0;
}

static uint32_t word_of(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* A line of an adaptor; rest: behind the mark. 1: *access, 0: dropped, -1. */
static int take_line(struct source *source, struct span line, struct span rest, struct access *access,
                     struct error *err) {
    const uint64_t number = (uint64_t)source->lines.line;
    struct span write = {NULL, 0}, field, response = {NULL, 0};
    uint64_t where = 0, size = 0;
    size_t count = 0;
    bool has_where = false, has_size = false;
    while (!(span_starts(rest, " data=0x") || span_starts(rest, "data=0x"))) {
        if (take_field(&rest, "iswrite=", &write))
            continue;
        if (take_field(&rest, "addr=", &field))
            has_where = span_hex(field, &where);
        else if (take_field(&rest, "len=", &field))
            has_size = span_number(field, false, &size);
        else if (span_token(&rest).n == 0)
            break;
    }
    if (take_field(&rest, "data=0x", &field))
        count = take_data(source, rest, &response);
    if (response.n >= strlen(ok_response) && !span_is(response, ok_response))
        return source_object(source, number, err, "response %.*s: the access did not happen", (int)response.n,
                             response.at);
    if (count == 0 || count != size || write.n != 1 || !has_where || !has_size || !span_is(response, ok_response)) {
        source_drop(source, number, "%s: dropped",
                    source->lines.cut ? "the file ends inside this line"
                                      : "a transaction that is truncated or mixed with other text");
        return 0;
    }
    const bool is_write = write.at[0] == '1';
    const size_t head = (size_t)(rest.at - line.at);
    const struct span reporter = {line.at, head < line.n ? head : line.n};
    if (span_find(reporter, "csb_adaptor")) {
        if (count != 4)
            return source_object(source, number, err, "a register access of %zu bytes, expected 4", count);
        *access = source_register(is_write ? ACCESS_WRITE : ACCESS_READ, number, where, word_of(source->bytes));
        return 1;
    }
    *access = (struct access){.kind = is_write ? ACCESS_MEMORY_WRITE : ACCESS_MEMORY_READ,
                              .line = number,
                              .address = where,
                              .space = span_find(reporter, "sram_adaptor") ? SPACE_SECONDARY : SPACE_PRIMARY,
                              .size = (uint32_t)count,
                              .bytes = source->bytes,
                              .enabled = source->enabled};
    return 1;
}

/* The next line, or the rest of the one before. */
static bool read_line(struct source *source, struct span *line) {
    struct state *state = source->state;
    if (state->rest.n == 0)
        return source_line(source, line);
    const struct text swap = state->line;
    state->line = state->rest;
    state->rest = swap;
    state->rest.n = 0;
    *line = (struct span){state->line.text, state->line.n};
    return true;
}

static int next(struct source *source, struct access *access, struct error *err) {
    struct state *state = source->state;
    struct span line;
    while (read_line(source, &line)) {
        const char *at = span_find(line, mark);
        if (!at) {
            const char *value = span_find(line, "IRQ: irq_line=") ? span_find(line, " value=") : NULL;
            if (value && value + strlen(" value=") < line.at + line.n) {
                *access = (struct access){.kind = ACCESS_INTERRUPT,
                                          .line = (uint64_t)source->lines.line,
                                          .value = value[strlen(" value=")] == '1'};
                return 1;
            }
            /* The file may end inside a transaction. */
            if (source->lines.cut && span_find(line, "nvdla."))
                source_drop(source, (uint64_t)source->lines.line, "the file ends inside this line: dropped");
            source_driver_line(source, line);
            continue;
        }
        const char *behind = at + strlen(mark);
        struct span rest = {behind, (size_t)(line.at + line.n - behind)};
        const char *another = span_find(rest, mark);
        if (another) {
            /* The name of the reporter is before the mark. */
            while (another > behind && another[-1] != '.' && another[-1] != ' ')
                another--;
            text_add(&state->rest, another, (size_t)(line.at + line.n - another));
            rest.n = (size_t)(another - behind);
            line.n = (size_t)(another - line.at);
        }
        const int status = take_line(source, line, rest, access, err);
        if (status != 0)
            return status;
    }
    return 0;
}

const struct source_format source_vp = {
    "vp", "log of the SystemC virtual platform", likely, NULL, next, close_state, "line", sizeof(struct state)};
