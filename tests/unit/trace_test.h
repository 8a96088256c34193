/* What the tests of the trace readers share: a directory of their own, parsing from strings, comparing programs. */
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/folder.h"
#include "tests/unit/golden.h"
#include "tests/unit/test.h"
#include "trace/formats.h"
#include "trace/nvt.h"

TEST_KEEPS(keep_program, struct program, program_free)

/* Makes a temporary directory; its path, ending in '/', is the test state. */
static inline int directory_setup(void **state) {
    *state = kept(xprintf("%s/", folder_new()));
    return 0;
}

/* Path of NAME in the directory; the caller's buffer. */
static inline const char *in_directory(void **state, const char *name, char path[700]) {
    snprintf(path, 700, "%s%s", (const char *)*state, name);
    return path;
}

static inline void put_file(void **state, const char *name, const char *text) {
    char path[700];
    struct error err;
    assert_true(file_write(in_directory(state, name, path), text, strlen(text), &err));
}

/* Parses text as if it were the file NAME in the directory. */
static inline struct program *parse_text(void **state, trace_reader *reader, const char *name, const char *text,
                                         const char *config, struct error *err) {
    char path[700];
    struct trace_options options = {.config = config ? nvdla_config_find(config) : NULL};
    return keep_program(trace_parse(reader, in_directory(state, name, path), text, strlen(text), &options, err));
}

static inline struct program *parse_good(void **state, trace_reader *reader, const char *name, const char *text) {
    struct error err = {.text = ""};
    struct program *prog = parse_text(state, reader, name, text, NULL, &err);
    if (!prog)
        fail_msg("unexpected error: %s", err.text);
    return prog;
}

/* Parsing must fail with "NAME:LINE: " and every part in the message. */
static inline void parse_wrong(void **state, trace_reader *reader, const char *name, const char *text, int line,
                               const char *const *parts) {
    struct error err = {.text = ""};
    if (parse_text(state, reader, name, text, NULL, &err))
        fail_msg("no error from: %s", text);
    char where[400];
    snprintf(where, sizeof where, "%s:%d: ", name, line);
    if (!strstr(err.text, where))
        fail_msg("\"%s\" does not tell %s", err.text, where);
    for (; *parts; parts++)
        if (!strstr(err.text, *parts))
            fail_msg("\"%s\" does not tell \"%s\"", err.text, *parts);
}

/* The same with parts as arguments up to NULL. */
#define parse_bad(state, reader, name, text, line, ...)                                                                \
    parse_wrong(state, reader, name, text, line, (const char *const[]){__VA_ARGS__})

/* Replaces \n, \\ and \xHH. */
static inline char *unescaped(char *text) {
    char *to = text;
    for (const char *from = text; *from; to++) {
        unsigned byte = 0;
        int used = 0;
        if (from[0] == '\\' && sscanf(from, "\\x%2x%n", &byte, &used) == 1) {
            *to = (char)byte;
            from += used;
        } else if (from[0] == '\\') {
            *to = from[1] == 'n' ? '\n' : from[1];
            from += 2;
        } else
            *to = *from++;
    }
    *to = '\0';
    return text;
}

/* Rows of a file: the line of the error, the text behind `head`, parts of the message, all with escapes. */
static inline void parse_wrong_rows(void **state, trace_reader *reader, const char *name, const char *head,
                                    const char *path) {
    char *rest = test_text(path);
    for (char *row; (row = test_row(&rest)) != NULL;) {
        const int line = atoi(strsep(&row, "\t"));
        char *text = kept(xprintf("%s%s", head, unescaped(strsep(&row, "\t"))));
        const char *parts[8] = {NULL};
        for (size_t i = 0; row && i < 7; i++)
            parts[i] = unescaped(strsep(&row, "\t"));
        assert_non_null(parts[0]);
        parse_wrong(state, reader, name, text, line, parts);
    }
}

/* Rows of a file: the name of a file beside an empty trace, its content, parts of the message, all with escapes. */
static inline void parse_wrong_files(void **state, trace_reader *reader, const char *name, const char *path) {
    char *rest = test_text(path), file[700];
    for (char *row; (row = test_row(&rest)) != NULL;) {
        struct error err = {.text = ""};
        const char *beside = strsep(&row, "\t");
        put_file(state, beside, unescaped(strsep(&row, "\t")));
        if (parse_text(state, reader, name, "", NULL, &err))
            fail_msg("no error from: %s", beside);
        unlink(in_directory(state, beside, file));
        assert_non_null(row);
        for (const char *part; (part = strsep(&row, "\t")) != NULL;)
            if (!strstr(err.text, part))
                fail_msg("%s: \"%s\" does not tell \"%s\"", beside, err.text, part);
    }
}

/* The n-th operation that is not a comment. */
static inline const struct op *op_at(const struct program *prog, size_t n) {
    for (size_t i = 0; i < prog->count; i++)
        if (prog->ops[i].kind != OP_NOTE && n-- == 0)
            return &prog->ops[i];
    fail_msg("the program is too short");
    return NULL;
}

static inline size_t op_count(const struct program *prog) {
    size_t n = 0;
    for (size_t i = 0; i < prog->count; i++)
        n += prog->ops[i].kind != OP_NOTE;
    return n;
}

static inline bool name_equal(char *const *a, int i, char *const *b, int k) {
    return i < 0 || k < 0 ? i == k : !strcmp(a[i], b[k]);
}

/* Content of two blobs as memory would hold it: chunk by chunk, contiguous chunks joined. */
static inline bool blob_equal(const struct blob *a, const struct blob *b) {
    if (!a || !b)
        return a == b;
    if (a->size != b->size || a->extent != b->extent ||
        (a->name && b->name ? strcmp(a->name, b->name) != 0 : a->name != b->name))
        return false;
    size_t i = 0, k = 0, ai = 0, bk = 0;
    while (i < a->chunk_count && k < b->chunk_count) {
        const struct blob_chunk *x = &a->chunks[i], *y = &b->chunks[k];
        if (x->offset + ai != y->offset + bk || a->bytes[x->start + ai] != b->bytes[y->start + bk])
            return false;
        if (++ai == x->size)
            ai = 0, i++;
        if (++bk == y->size)
            bk = 0, k++;
    }
    return i == a->chunk_count && k == b->chunk_count;
}

/* Two programs mean the same: everything but files and lines. */
static inline bool program_equal(const struct program *a, const struct program *b) {
    if (a->config != b->config || a->sequential != b->sequential || a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct op *x = &a->ops[i], *y = &b->ops[i];
        if (x->kind != y->kind || !name_equal(a->streams, x->stream, b->streams, y->stream) || x->at_end != y->at_end ||
            x->nposted != y->nposted || x->volatile_read != y->volatile_read || x->level != y->level ||
            x->relation != y->relation || x->space != y->space || x->pattern != y->pattern || x->fill != y->fill ||
            x->bit != y->bit || !name_equal(a->events, x->event, b->events, y->event) ||
            !name_equal(a->events, x->after, b->events, y->after) || x->address != y->address || x->value != y->value ||
            x->mask != y->mask || x->attempts != y->attempts || x->base != y->base || x->size != y->size ||
            !blob_equal(x->blob, y->blob) || (x->text ? strcmp(x->text, y->text) != 0 : y->text != NULL))
            return false;
    }
    return true;
}

/* Writes the program as .nvt text, reads that, and demands the same program and the same text again. */
static inline void check_round_trip(const struct program *prog) {
    size_t n, m;
    struct error err = {.text = ""};
    char *text = nvt_text(prog, &n);
    struct program *again = trace_parse(trace_read_nvt, "again.nvt", text, n, NULL, &err);
    if (!again)
        fail_msg("%s in\n%s", err.text, text);
    if (!program_equal(prog, again))
        fail_msg("another program came back from\n%s", text);
    char *second = nvt_text(again, &m);
    assert_int_equal(n, m);
    assert_memory_equal(text, second, n);
    free(text);
    free(second);
    program_free(again);
}

/* In the project's own format the program is a golden file. */
static inline void reads_as(const struct program *prog, const char *name) {
    size_t n;
    golden(name, kept(nvt_text(prog, &n)));
}

/* A warning that contains all the parts exists. */
static inline bool has_warning(const struct program *prog, const char *one, const char *two) {
    for (size_t i = 0; i < prog->warning_count; i++)
        if (strstr(prog->warnings[i].text, one) && strstr(prog->warnings[i].text, two))
            return true;
    return false;
}

#define TEST_IN_FOLDER(label) TEST_WITH(label, directory_setup)
