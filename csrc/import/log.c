/* Text logs, which python/nvcosim/captures reads: the records that it prints (python/nvcosim/captures/source.py). */
#include "import/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"

struct log_state {
    pid_t pid;      /* of the program that reads the log; 0: it is waited for, or is none */
    char text[256]; /* of a hole */
};

static bool span_hex(struct span span, uint64_t *value) {
    *value = 0;
    for (size_t i = 0; i < span.n; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = memchr(digits, span.at[i], sizeof digits - 1);
        if (!digit)
            return false;
        *value = *value << 4 | (uint64_t)(digit - digits);
    }
    return span.n > 0 && span.n <= 16;
}

static bool take_number(struct span *rest, uint64_t *value) {
    return span_hex(span_token(rest), value);
}

/* Waits for the program. Returns its exit status, 128 + N if signal N ended it. */
static int end_program(struct source *source) {
    struct log_state *state = source->state;
    int status = 0;
    lines_close(&source->lines);
    if (state->pid > 0)
        while (waitpid(state->pid, &status, 0) < 0 && errno == EINTR)
            ;
    state->pid = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Found another line than a record, or the end: the program failed, and its last line says why. Returns -1. */
static int fail(struct source *source, struct span line, struct error *err) {
    autofree char *last = xstrndup(line.n ? line.at : "", line.n);
    while (lines_next(&source->lines, &line))
        if (span_trim(line).n > 0) {
            free(last);
            last = xstrndup(line.at, line.n);
        }
    const int status = end_program(source);
    if (status != 0 && *last)
        error_set(err, "%s%s", last, status == 127 ? "; nvcosim needs it: install the package python3" : "");
    else
        error_set(err, "nvcosim.captures: found \"%s\" and exit status %d, expected a record as in %s", last, status,
                  "python/nvcosim/captures/source.py");
    return -1;
}

/* Two hexadecimal digits or xx for each byte. */
static bool take_bytes(struct source *source, struct span digits, struct access *access) {
    if (digits.n == 0 || digits.n % 2 || digits.n > (size_t)2 * ACCESS_BYTES)
        return false;
    for (size_t i = 0; i < digits.n / 2; i++) {
        const struct span byte = {digits.at + 2 * i, 2};
        uint64_t value = 0;
        source->enabled[i] = !span_is(byte, "xx");
        if (source->enabled[i] && !span_hex(byte, &value))
            return false;
        source->bytes[i] = (uint8_t)value;
    }
    access->size = (uint32_t)(digits.n / 2);
    access->bytes = source->bytes;
    access->enabled = source->enabled;
    return true;
}

/* W|R LINE OFFSET VALUE, w|r LINE SPACE ADDRESS BYTES, i LINE LEVEL, h LINE TEXT */
static bool take_access(struct source *source, char kind, uint64_t line, struct span rest, struct access *access) {
    struct log_state *state = source->state;
    uint64_t value = 0;
    *access = (struct access){.line = line, .mask = UINT32_MAX};
    if (kind == 'W' || kind == 'R') {
        access->kind = kind == 'W' ? ACCESS_WRITE : ACCESS_READ;
        const bool good = take_number(&rest, &access->address) && take_number(&rest, &value) && value <= UINT32_MAX;
        access->value = (uint32_t)value;
        return good;
    }
    if (kind == 'i') {
        access->kind = ACCESS_INTERRUPT;
        const bool good = take_number(&rest, &value) && value <= 1;
        access->value = (uint32_t)value;
        return good;
    }
    if (kind == 'h') {
        access->kind = ACCESS_HOLE;
        access->text = state->text;
        snprintf(state->text, sizeof state->text, "%.*s", (int)rest.n, rest.at);
        source_drop(source, line, "%.*s", (int)rest.n, rest.at);
        return true;
    }
    access->kind = kind == 'w' ? ACCESS_MEMORY_WRITE : ACCESS_MEMORY_READ;
    const struct span space = span_token(&rest);
    access->space = span_is(space, "secondary") ? SPACE_SECONDARY : SPACE_PRIMARY;
    return (access->space == SPACE_SECONDARY || span_is(space, "primary")) && take_number(&rest, &access->address) &&
           take_bytes(source, span_token(&rest), access);
}

/* A record: 1: *access, 0: the end, -1: with a message, 2: another one follows. */
static int take_record(struct source *source, struct span line, struct access *access, struct error *err) {
    enum { MORE = 2 };
    struct span rest = line;
    const struct span word = span_token(&rest);
    const char kind = word.n == 1 ? word.at[0] : ' ';
    uint64_t first = 0, second;
    if (kind == 'X' && rest.n > 1)
        return error_set(err, "%.*s", (int)rest.n - 1, rest.at + 1) - 1;
    if (kind == 'f' && source->file + 1 < source->paths.count) {
        source->path = source->paths.items[++source->file];
        return MORE;
    }
    if (!memchr("WRwrihdgxpe", kind, strlen("WRwrihdgxpe")) || !take_number(&rest, &first))
        return fail(source, line, err);
    const struct span text = {rest.at + (rest.n > 0), rest.n - (rest.n > 0)}; /* without the blank in front */
    if (kind == 'x')
        return source_fail(source, first, err, "%.*s", (int)text.n, text.at);
    if (kind == 'd')
        source_drop(source, first, "%.*s", (int)text.n, text.at);
    else if (kind == 'g')
        source_guess(source, first, "%.*s", (int)text.n, text.at);
    else if (kind == 'p')
        source->done = first;
    else if (kind == 'e' && take_number(&rest, &second)) {
        source->notes.outside = first;
        source->notes.layers_done = second;
        return 0;
    } else
        return kind != 'e' && take_access(source, kind, first, kind == 'h' ? text : rest, access)
                   ? 1
                   : fail(source, line, err);
    return MORE;
}

static int next(struct source *source, struct access *access, struct error *err) {
    struct span line = {NULL, 0};
    for (;;) {
        source->lines.taken = 0; /* of records; the program checks the sizes of files */
        if (!lines_next(&source->lines, &line))
            return source->lines.failed ? -1 : fail(source, (struct span){NULL, 0}, err);
        const int status = take_record(source, line, access, err);
        if (status <= 1)
            return status;
    }
}

/* A path as another process has it. */
static void add_path(struct words *words, const char *path) {
    static const char *const own[] = {"/proc/self/", "/dev/"};
    const size_t n = strncmp(path, own[0], strlen(own[0])) == 0 ? strlen(own[0]) : strlen(own[1]);
    if (n == strlen(own[0]) || strncmp(path, "/dev/fd/", strlen("/dev/fd/")) == 0)
        words_add(words, "/proc/%d/%s", (int)getpid(), path + n);
    else
        words_put(words, path);
}

char *log_open(struct source *source, const char *format, int least, struct error *err) {
    const struct source_options *options = &source->options;
    struct log_state *state = source->state;
    autowords struct words words = {0};
    words_put(&words, format ? format : "");
    words_add(&words, "%d", least);
    const struct {
        const char *name, *value;
    } texts[] = {{"columns", options->columns},
                 {"separator", options->separator},
                 {"pattern", options->pattern},
                 {"force", options->force ? "" : NULL},
                 {"signal", options->signals.count > 0 ? "" : NULL}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].value)
            words_add(&words, "%s=%s", texts[i].name, texts[i].value);
    if (options->has_base)
        words_add(&words, "base=%" PRIu64, options->base);
    words_add(&words, "size=%" PRIu64, options->size);
    words_put(&words, "--");
    for (size_t i = 0; i < source->paths.count; i++)
        add_path(&words, source->paths.items[i]);
    const int from = options->start("captures", &words, &state->pid, err);
    source->lines = (struct lines){.path = "nvcosim.captures", .err = err, .piece = 1 << 16};
    source->lines.file = from < 0 ? NULL : file_reader_take(from, source->lines.path, err);
    struct span line, rest;
    if (!source->lines.file)
        return NULL;
    if (!lines_next(&source->lines, &line)) {
        if (!source->lines.failed)
            fail(source, (struct span){NULL, 0}, err);
        return NULL;
    }
    rest = line;
    if (span_is(span_token(&rest), "format")) {
        rest = span_trim(rest);
        return xstrndup(rest.n ? rest.at : "", rest.n);
    }
    struct access access;
    if (take_record(source, line, &access, err) >= 0)
        fail(source, line, err);
    return NULL;
}

static void close_state(struct source *source) {
    end_program(source);
}

const struct source_format source_log = {NULL, NULL, next, close_state, "line", sizeof(struct log_state)};
