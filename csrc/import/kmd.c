/* Register prints of a patched kernel driver (80-trace-formats section 6.2) in dmesg or journal text: interleaved with
 * other lines, with any prefix, broken by serial consoles.
 *
 *     dla_reg_write: addr(0x3010, 0xc04), wval(0x1) */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/source_parts.h"

enum { LONGEST = 512, PIECES = 4 /* maximum pieces of a line broken by a console */ };

/* A reassembled line. */
struct state {
    struct text line;
    uint64_t number; /* of its first piece */
    bool has_next;   /* a line read ahead, which starts the next print */
    struct text next;
    uint64_t next_number;
    bool next_cut;
};

static const char write_word[] = "dla_reg_write:", read_word[] = "dla_reg_read:";

static int likely(const char *text, size_t n) {
    const struct span head = {text, n};
    return span_find_word(head, write_word) || span_find_word(head, read_word) ? 95
           : span_find(head, "Probe NVDLA config")                             ? 60
                                                                               : 0;
}

static void close_state(struct source *source) {
    struct state *state = source->state;
    free(state->line.text);
    free(state->next.text);
}

/* Removes text from the front. */
static bool skip(struct span *rest, const char *text) {
    if (!span_starts(*rest, text))
        return false;
    rest->at += strlen(text);
    rest->n -= strlen(text);
    return true;
}

static bool skip_hex(struct span *rest, uint64_t *value) {
    size_t n = 0;
    while (n < rest->n && (isalnum((unsigned char)rest->at[n])))
        n++;
    const bool good = span_starts(*rest, "0x") && span_hex((struct span){rest->at, n}, value);
    rest->at += n;
    rest->n -= n;
    return good;
}

/* Parses and removes "addr(0xADDRESS, 0xWORD), wval(0xVALUE)" after the word. */
static bool parse(struct span *rest, bool is_write, uint64_t *address, uint64_t *value) {
    uint64_t word;
    return skip(rest, " addr(") && skip_hex(rest, address) && skip(rest, ", ") && skip_hex(rest, &word) &&
           skip(rest, is_write ? "), wval(" : "), rval(") && skip_hex(rest, value) && skip(rest, ")") &&
           *value <= UINT32_MAX;
}

/* The start of the first print, or NULL. *rest: the text after its word. */
static const char *find_print(struct span line, bool *is_write, struct span *rest) {
    const char *write = span_find_word(line, write_word), *read = span_find_word(line, read_word);
    *is_write = write && (!read || write < read);
    const char *at = *is_write ? write : read;
    if (at) {
        const char *behind = at + strlen(*is_write ? write_word : read_word);
        *rest = (struct span){behind, (size_t)(line.at + line.n - behind)};
    }
    return at;
}

/* True if the line ends with the first part of a print's word: a console may have broken it there. */
static bool ends_in_word(struct span line) {
    static const char common[] = "dla_reg_";
    for (size_t n = strlen(common) - 1; n > 0; n--) {
        const struct span end = {line.at + line.n - n, n};
        if (line.n >= n && memcmp(end.at, common, n) == 0)
            return line.n == n || !(isalnum((unsigned char)end.at[-1]) || end.at[-1] == '_');
    }
    return false;
}

/* True if a line begins a new message: prefix of the kernel, a serial console or a journal. */
static bool begins_new(struct span line) {
    return line.n == 0 || line.at[0] == '[' || line.at[0] == '<' || span_find(line, " kernel:") != NULL;
}

/* The next line of the file, or the one read ahead. */
static bool read_piece(struct source *source, struct span *line, uint64_t *number, bool *cut) {
    struct state *state = source->state;
    if (state->has_next) {
        state->has_next = false;
        *line = (struct span){state->next.text, state->next.n};
        *number = state->next_number;
        *cut = state->next_cut;
        return true;
    }
    if (!source_line(source, line))
        return false;
    *number = (uint64_t)source->lines.line;
    *cut = source->lines.cut;
    return true;
}

static void keep_for_later(struct state *state, struct span line, uint64_t number, bool cut) {
    state->next.n = 0;
    text_add(&state->next, line.at, line.n);
    state->next_number = number;
    state->next_cut = cut;
    state->has_next = true;
}

/* "** N printk messages dropped **" */
static bool find_dropped(struct span line, uint64_t *count) {
    const char *at = span_find(line, "printk messages dropped");
    const char *stars = span_find(line, "** ");
    if (!at || !stars || stars > at)
        return false;
    struct span rest = {stars + 3, (size_t)(at - stars) - 3};
    return span_number(span_token(&rest), false, count);
}

/* An incomplete register print: the next line may be the rest of it. 1: *access, 0: dropped. */
static int complete(struct source *source, struct span line, bool cut, struct access *access) {
    struct state *state = source->state;
    uint64_t address, value, number;
    state->line.n = 0;
    text_add(&state->line, line.at, line.n);
    for (int pieces = 1;; pieces++) {
        const struct span whole = {state->line.text, state->line.n};
        struct span rest, next_rest;
        bool is_write, next_write;
        if (find_print(whole, &is_write, &rest)) {
            const bool good = parse(&rest, is_write, &address, &value);
            const bool another = find_print(rest, &next_write, &next_rest) != NULL; /* a line feed is lost */
            if (another)
                keep_for_later(state, rest, state->number, cut);
            if (good) {
                *access =
                    source_register(is_write ? ACCESS_WRITE : ACCESS_READ, state->number, address, (uint32_t)value);
                return 1;
            }
            if (another) {
                cut = false;
                break;
            }
        }
        struct span more;
        if (cut || pieces == PIECES || state->line.n > LONGEST || !read_piece(source, &more, &number, &cut))
            break;
        if (begins_new(more)) {
            keep_for_later(state, more, number, cut);
            break;
        }
        text_add(&state->line, more.at, more.n);
    }
    source_drop(source, state->number, "%s: dropped (a truncated number would be wrong)",
                cut ? "the file ends inside this line"
                    : "a register access that is truncated or mixed with other text");
    return 0;
}

/* Appends the next line to this one if that makes a print; then they are parsed again. */
static bool join(struct source *source, struct span line) {
    struct state *state = source->state;
    struct span more, rest;
    uint64_t number;
    bool cut, is_write;
    state->line.n = 0;
    text_add(&state->line, line.at, line.n);
    if (!read_piece(source, &more, &number, &cut))
        return false;
    if (!begins_new(more)) {
        text_add(&state->line, more.at, more.n);
        const struct span whole = {state->line.text, state->line.n};
        if (find_print(whole, &is_write, &rest)) {
            keep_for_later(state, whole, state->number, cut);
            return true;
        }
    }
    keep_for_later(state, more, number, cut);
    return true; /* no line so far is a register print */
}

static int next(struct source *source, struct access *access, struct error *err) {
    struct state *state = source->state;
    struct span line;
    bool cut;
    while (read_piece(source, &line, &state->number, &cut)) {
        if (!span_find_word(line, "dla_reg_")) {
            uint64_t dropped;
            if (find_dropped(line, &dropped))
                return source_hole(source, state->number, access, err, "%" PRIu64 " printk messages dropped", dropped);
            if (!cut && ends_in_word(line) && join(source, line))
                continue;
            if (cut && line.n > 0 && span_find_word(line, "dla_r"))
                source_drop(source, state->number, "the file ends inside this line: dropped");
            source_driver_line(source, line);
            continue;
        }
        const int status = complete(source, line, cut, access);
        if (status != 0)
            return status;
    }
    return 0;
}

const struct source_format source_kmd = {"kmd",  "register prints of the kernel driver, dmesg or journal",
                                         likely, NULL,
                                         next,   close_state,
                                         "line", sizeof(struct state)};
