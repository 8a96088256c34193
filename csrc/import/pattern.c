/* Log lines with a format defined by the user: trace events, printks of other drivers (80-trace-formats section 6.4).
 *
 * The file of --pattern has one line per pattern; # starts a comment:
 *
 *     KIND addr=N[*4] value=N REGEX
 *
 * KIND: write, read; read-address and read-value if address and value of a read are in two lines; hole for lines that
 * report missing ones. N: number of a group of the extended regular expression; *4: a word address. Numbers are
 * hexadecimal, with or without 0x. The first pattern that matches counts. */
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "import/source_parts.h"
#include "nvdla/xalloc.h"

enum { SHAPES = 64, GROUPS = 10 };
enum kind { KIND_WRITE, KIND_READ, KIND_READ_ADDRESS, KIND_READ_VALUE, KIND_HOLE, KINDS };
static const char *const kind_names[KINDS] = {"write", "read", "read-address", "read-value", "hole"};

struct shape {
    enum kind kind;
    regex_t regex;
    size_t address, value; /* groups; 0: none */
    bool words;
};

struct state {
    struct shape shapes[SHAPES];
    size_t count;
    bool asked; /* the address of a read is known, its value not yet */
    uint64_t asked_at;
    struct text line; /* zero-terminated, for regexec */
};

static int likely_never(const char *text, size_t n) {
    (void)text;
    (void)n;
    return 0;
}

/* addr=N[*4] or value=N */
static bool take_group(struct span word, const char *key, size_t *group, bool *words) {
    uint64_t number;
    if (!span_starts(word, key))
        return false;
    word.at += strlen(key);
    word.n -= strlen(key);
    if (word.n > 2 && words && memcmp(word.at + word.n - 2, "*4", 2) == 0) {
        *words = true;
        word.n -= 2;
    }
    if (!span_number(word, false, &number) || number < 1 || number >= GROUPS)
        return false;
    *group = (size_t)number;
    return true;
}

static bool take_shape(struct state *state, const char *path, int number, struct span line, struct error *err) {
    struct shape *shape = &state->shapes[state->count];
    const struct span kind = span_token(&line);
    char shown[SPAN_SHOW];
    *shape = (struct shape){.kind = KINDS};
    for (int i = 0; i < KINDS; i++)
        if (span_is(kind, kind_names[i]))
            shape->kind = (enum kind)i;
    if (shape->kind == KINDS)
        return fail_at(err, path, number, "found %s; expected write, read, read-address, read-value or hole",
                       span_show(kind, shown));
    for (;;) {
        struct span rest = line;
        const struct span word = span_token(&rest);
        if (!take_group(word, "addr=", &shape->address, &shape->words) &&
            !take_group(word, "value=", &shape->value, NULL))
            break;
        line = rest;
    }
    line = span_trim(line);
    const bool needs_address = shape->kind != KIND_READ_VALUE && shape->kind != KIND_HOLE;
    const bool needs_value = shape->kind != KIND_READ_ADDRESS && shape->kind != KIND_HOLE;
    if (line.n == 0 || (needs_address && !shape->address) || (needs_value && !shape->value))
        return fail_at(err, path, number, "expected %s%s%s REGEX", kind_names[shape->kind],
                       needs_address ? " addr=N" : "", needs_value ? " value=N" : "");
    char *text = xstrndup(line.at, line.n), reason[128];
    const int status = regcomp(&shape->regex, text, REG_EXTENDED);
    free(text);
    if (status != 0) {
        regerror(status, &shape->regex, reason, sizeof reason);
        return fail_at(err, path, number, "the regular expression cannot be used: %s", reason);
    }
    state->count++;
    if (shape->address > shape->regex.re_nsub || shape->value > shape->regex.re_nsub)
        return fail_at(err, path, number, "the regular expression has %zu groups", shape->regex.re_nsub);
    return true;
}

static bool read_shapes(struct state *state, const char *path, struct error *err) {
    struct lines lines;
    struct span line;
    bool good = lines_open_file(&lines, path, err);
    while (good && lines_next(&lines, &line)) {
        line = span_trim(line);
        if (line.n == 0 || line.at[0] == '#')
            continue;
        good = state->count < SHAPES ? take_shape(state, path, lines.line, line, err)
                                     : fail_at(err, path, lines.line, "more than %d shapes", SHAPES);
    }
    good = good && !lines.failed && (state->count > 0 || error_set(err, "%s: holds no pattern", path));
    lines_close(&lines);
    return good;
}

static bool open_pattern(struct source *source, struct error *err) {
    struct state *state = source->state;
    if (!source->options.pattern)
        return error_set(err, "--from pattern needs --pattern FILE, with the patterns of the lines");
    return read_shapes(state, source->options.pattern, err) || error_prefix(err, "--pattern: ");
}

static void close_state(struct source *source) {
    struct state *state = source->state;
    for (size_t i = 0; i < state->count; i++)
        regfree(&state->shapes[i].regex);
    free(state->line.text);
}

/* A group as a number; false if it is not one. */
static bool get_group(const char *text, const regmatch_t *match, uint64_t *value) {
    return match->rm_so >= 0 &&
           span_hex((struct span){text + match->rm_so, (size_t)(match->rm_eo - match->rm_so)}, value);
}

/* The access of a line that matches a pattern. 1: *access, 0: none, -1: error. */
static int take_match(struct source *source, const struct shape *shape, const regmatch_t *groups, struct access *access,
                      struct error *err) {
    struct state *state = source->state;
    const uint64_t line = (uint64_t)source->lines.line;
    const char *text = state->line.text;
    uint64_t address = state->asked_at, value = 0, offset;
    if (shape->kind == KIND_HOLE)
        return source_hole(source, line, access, err, "%s", text);
    if ((shape->address && !get_group(text, &groups[shape->address], &address)) ||
        (shape->value && !get_group(text, &groups[shape->value], &value)) || value > UINT32_MAX)
        return source_object(source, line, err, "address or value is not a hexadecimal number of 32 bits");
    if (shape->words)
        address *= 4;
    if (shape->kind == KIND_READ_ADDRESS) {
        state->asked = true;
        state->asked_at = address;
        return 0;
    }
    if (shape->kind == KIND_READ_VALUE && !state->asked)
        return source_object(source, line, err, "the value of a read whose address is unknown");
    state->asked = false;
    const int inside = source_offset(source, address, &offset, err);
    if (inside <= 0)
        return inside;
    *access = source_register(shape->kind == KIND_WRITE ? ACCESS_WRITE : ACCESS_READ, line, offset, (uint32_t)value);
    return 1;
}

static int next(struct source *source, struct access *access, struct error *err) {
    struct state *state = source->state;
    struct span line;
    while (source_line(source, &line)) {
        regmatch_t groups[GROUPS];
        state->line.n = 0;
        text_add(&state->line, line.at, line.n);
        for (size_t i = 0; i < state->count; i++) {
            if (regexec(&state->shapes[i].regex, state->line.text, GROUPS, groups, 0) != 0)
                continue;
            if (source->lines.cut) {
                source_drop(source, (uint64_t)source->lines.line,
                            "the file ends with this line, which may be truncated: dropped");
                break;
            }
            const int status = take_match(source, &state->shapes[i], groups, access, err);
            if (status != 0)
                return status;
            break;
        }
    }
    return 0;
}

const struct source_format source_pattern = {
    "pattern",           "lines that --pattern describes", likely_never, open_pattern, next, close_state, "line",
    sizeof(struct state)};
