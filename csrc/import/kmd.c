/* Register prints of a patched kernel driver (80-trace-formats section 6.2) in dmesg or journal text: interleaved with
 * other lines, behind any prefix, broken by serial consoles.
 *
 *     dla_reg_write: addr(0x3010, 0xc04), wval(0x1)
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/source_parts.h"
#include "nvdla/xalloc.h"

enum { LONGEST = 512, PIECES = 4 /* that a console may break a line into */ };

/* A line that is put together again. */
struct state {
    struct text line;
    uint64_t number; /* of its first piece */
    bool has_next;   /* a line that has been read and belongs to the next one */
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

static bool open_state(struct source *source, struct error *err) {
    (void)err;
    source->state = xcalloc(1, sizeof(struct state));
    return true;
}

static void close_state(struct source *source) {
    struct state *state = source->state;
    if (state) {
        free(state->line.text);
        free(state->next.text);
    }
    free(state);
}

/* Takes text off the front. */
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

/* "addr(0xADDRESS, 0xWORD), wval(0xVALUE)" behind the word. */
static bool parse(struct span rest, bool is_write, uint64_t *address, uint64_t *value) {
    uint64_t word;
    return skip(&rest, " addr(") && skip_hex(&rest, address) && skip(&rest, ", ") && skip_hex(&rest, &word) &&
           skip(&rest, is_write ? "), wval(" : "), rval(") && skip_hex(&rest, value) && skip(&rest, ")") &&
           *value <= UINT32_MAX;
}

/* True if a line begins something new: a prefix of the kernel's, of a serial console or a journal. */
static bool begins_new(struct span line) {
    return line.n == 0 || line.at[0] == '[' || line.at[0] == '<' || span_find(line, " kernel:") != NULL;
}

/* The next line of the file, or the one that was read too much. */
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

static void take_driver(struct source *source, struct span line) {
    const char *at = span_find(line, " HWLs done");
    uint64_t value = 0, unit = 1;
    for (; at && at > line.at && isdigit((unsigned char)at[-1]) && unit < 1000000000; at--, unit *= 10)
        value += (uint64_t)(at[-1] - '0') * unit;
    if (value > source->notes.layers_done)
        source->notes.layers_done = value;
}

/* A register print that is not whole: what follows may be the rest of it. 1: *access, 0: dropped. */
static int complete(struct source *source, struct span line, bool cut, struct access *access) {
    struct state *state = source->state;
    uint64_t address, value, number;
    state->line.n = 0;
    text_add(&state->line, line.at, line.n);
    for (int pieces = 1;; pieces++) {
        const struct span whole = {state->line.text, state->line.n};
        const char *at = span_find_word(whole, write_word);
        const bool is_write = at != NULL;
        if (!at)
            at = span_find_word(whole, read_word);
        if (at) {
            at += strlen(is_write ? write_word : read_word);
            if (parse((struct span){at, (size_t)(whole.at + whole.n - at)}, is_write, &address, &value)) {
                *access =
                    source_register(is_write ? ACCESS_WRITE : ACCESS_READ, state->number, address, (uint32_t)value);
                return 1;
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
    source_drop(source, state->number, "%s: dropped (a cut number would be a wrong one)",
                cut ? "the file ends inside this line" : "a register access that is cut or mixed with other text");
    return 0;
}

static int next(struct source *source, struct access *access, struct error *err) {
    struct state *state = source->state;
    struct span line;
    bool cut;
    while (read_piece(source, &line, &state->number, &cut)) {
        uint64_t dropped;
        if (find_dropped(line, &dropped))
            return source_hole(source, state->number, access, err, "%" PRIu64 " printk messages dropped", dropped);
        if (!span_find_word(line, "dla_reg_")) {
            if (cut && line.n > 0 && span_find_word(line, "dla_r"))
                source_drop(source, state->number, "the file ends inside this line: dropped");
            take_driver(source, line);
            continue;
        }
        const int status = complete(source, line, cut, access);
        if (status != 0)
            return status;
    }
    return 0;
}

const struct source_format source_kmd = {
    "kmd", "register prints of the kernel driver, dmesg or journal", likely, open_state, next, close_state};
