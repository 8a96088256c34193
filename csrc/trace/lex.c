/* Lines, tokens, numbers and side files for the trace readers. */
#include "trace/lex.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory/file.h"
#include "trace/formats.h"

void *trace_realloc(void *old, size_t n) {
    void *p = realloc(old, n ? n : 1);
    if (!p) {
        fprintf(stderr, "out of memory (%zu bytes)\n", n);
        abort();
    }
    return p;
}

void *trace_alloc(size_t n) {
    return trace_realloc(NULL, n);
}

char *trace_strndup(const char *text, size_t n) {
    char *copy = trace_alloc(n + 1);
    if (n)
        memcpy(copy, text, n);
    copy[n] = 0;
    return copy;
}

void *trace_grow(void *array, size_t count, size_t element) {
    if (count & (count - 1))
        return array;
    return trace_realloc(array, (count ? 2 * count : 1) * element);
}

void buffer_add(struct buffer *buf, const void *bytes, size_t n) {
    if (buf->n + n + 1 > buf->capacity) {
        buf->capacity = (buf->n + n + 1) * 2;
        buf->text = trace_realloc(buf->text, buf->capacity);
    }
    if (n)
        memcpy(buf->text + buf->n, bytes, n);
    buf->n += n;
    buf->text[buf->n] = 0;
}

void buffer_printf(struct buffer *buf, const char *format, ...) {
    char small[256];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof small) {
        buffer_add(buf, small, (size_t)n);
    } else if (n > 0) {
        char *big = trace_alloc((size_t)n + 1);
        vsnprintf(big, (size_t)n + 1, format, again);
        buffer_add(buf, big, (size_t)n);
        free(big);
    }
    va_end(again);
}

bool lines_open(struct lines *lines, const char *path, const char *text, size_t n, struct error *err) {
    *lines = (struct lines){.path = path, .at = text, .end = text + n};
    if (n >= TRACE_TEXT_LIMIT)
        return error_set(err, "%s: %zu bytes of text; at most %zu are read", path, n, TRACE_TEXT_LIMIT - 1);
    const char *zero = n ? memchr(text, 0, n) : NULL;
    if (zero) {
        int line = 1;
        for (const char *p = text; p < zero; p++)
            line += *p == '\n';
        return fail_at(err, path, line, "found a zero byte; expected a text file");
    }
    return true;
}

bool lines_next(struct lines *lines, struct span *line) {
    if (lines->at == lines->end)
        return false;
    const char *lf = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
    const char *end = lf ? lf : lines->end;
    *line = (struct span){lines->at, (size_t)(end - lines->at)};
    while (line->n && line->at[line->n - 1] == '\r')
        line->n--;
    lines->at = lf ? lf + 1 : end;
    lines->line++;
    return true;
}

bool span_is(struct span span, const char *text) {
    return span.n == strlen(text) && (!span.n || !memcmp(span.at, text, span.n));
}

bool span_starts(struct span span, const char *text) {
    size_t n = strlen(text);
    return span.n >= n && !memcmp(span.at, text, n);
}

static bool blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

struct span span_trim(struct span span) {
    while (span.n && blank(span.at[0]))
        span.at++, span.n--;
    while (span.n && blank(span.at[span.n - 1]))
        span.n--;
    return span;
}

struct span span_token(struct span *rest) {
    while (rest->n && blank(rest->at[0]))
        rest->at++, rest->n--;
    struct span token = {rest->at, 0};
    while (rest->n && !blank(rest->at[0]))
        rest->at++, rest->n--, token.n++;
    return token;
}

char *span_show(struct span span, char text[SPAN_SHOW]) {
    size_t n = 0;
    if (!span.n)
        return strcpy(text, "nothing");
    text[n++] = '"';
    for (size_t i = 0; i < span.n && i < 40; i++)
        text[n++] = (unsigned char)span.at[i] < 0x20 || span.at[i] == 0x7f ? '?' : span.at[i];
    if (span.n > 40)
        n += (size_t)snprintf(text + n, SPAN_SHOW - n, "...");
    text[n++] = '"';
    text[n] = 0;
    return text;
}

static unsigned digit_value(char c) {
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'z')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'Z')
        return (unsigned)(c - 'A') + 10;
    return 99;
}

bool span_number(struct span span, bool octal_too, uint64_t *value) {
    unsigned base = 10;
    if (span.n > 2 && span.at[0] == '0' && (span.at[1] == 'x' || span.at[1] == 'X')) {
        base = 16;
        span.at += 2;
        span.n -= 2;
    } else if (octal_too && span.n > 1 && span.at[0] == '0') {
        base = 8;
    }
    if (!span.n)
        return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < span.n; i++) {
        unsigned digit = digit_value(span.at[i]);
        if (digit >= base || sum > (UINT64_MAX - digit) / base)
            return false;
        sum = sum * base + digit;
    }
    *value = sum;
    return true;
}

bool fail_at(struct error *err, const char *path, int line, const char *format, ...) {
    char text[sizeof((struct error *)0)->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return error_set(err, "%s:%d: %s", path, line, text);
}

char *path_beside(const char *path, struct span name) {
    const char *slash = strrchr(path, '/');
    size_t n = slash && !(name.n && name.at[0] == '/') ? (size_t)(slash - path) + 1 : 0;
    char *joined = trace_alloc(n + name.n + 1);
    memcpy(joined, path, n);
    if (name.n)
        memcpy(joined + n, name.at, name.n);
    joined[n + name.n] = 0;
    return joined;
}

bool side_file_read(const char *path, char **bytes, size_t *n, struct error *err) {
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return error_set(err, "%s: is not a regular file", path);
    return file_read(path, bytes, n, err);
}

const struct blob *packet_files_get(struct packet_files *files, struct program *prog, const char *path, int line,
                                    struct span name, struct error *err) {
    for (size_t i = 0; i < files->count; i++)
        if (span_is(name, files->names[i]))
            return files->blobs[i];
    char *side = path_beside(path, name);
    char *bytes = NULL;
    size_t n = 0;
    struct blob *blob = NULL;
    if (!side_file_read(side, &bytes, &n, err)) {
        error_prefix(err, "%s:%d: ", path, line);
    } else {
        blob = trace_parse_packets(side, bytes, n, err);
        free(bytes);
    }
    free(side);
    if (!blob)
        return NULL;
    free(blob->name);
    blob->name = trace_strndup(name.at, name.n);
    if (!blob->chunk_count)
        program_warn(prog, "%s:%d: file \"%s\" holds no packet {offset:..., size:..., payload:...}", path, line,
                     blob->name);
    files->names = trace_grow(files->names, files->count, sizeof *files->names);
    files->blobs = trace_grow(files->blobs, files->count, sizeof *files->blobs);
    files->names[files->count] = trace_strndup(name.at, name.n);
    files->blobs[files->count++] = blob;
    return program_blob(prog, blob);
}

void packet_files_free(struct packet_files *files) {
    for (size_t i = 0; i < files->count; i++)
        free(files->names[i]);
    free(files->names);
    free(files->blobs);
}

struct blob *blob_cut(const struct blob *blob, uint64_t size) {
    struct blob *part = blob_new(blob->name);
    for (size_t i = 0; i < blob->chunk_count; i++) {
        const struct blob_chunk *chunk = &blob->chunks[i];
        if (chunk->offset < size) {
            uint64_t room = size - chunk->offset;
            blob_append(part, chunk->offset, blob->bytes + chunk->start,
                        chunk->size < room ? chunk->size : (size_t)room);
        }
    }
    return part;
}
