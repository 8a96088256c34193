/* Lines, tokens, numbers. See lex.h. */
#include "trace/lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

enum { PIECE = 64 * 1024 };

bool lines_open_file(struct lines *lines, const char *path, struct error *err) {
    *lines = (struct lines){.path = path, .err = err, .piece = PIECE};
    lines->file = file_reader_open(path, err);
    return lines->file != NULL;
}

void lines_open_text(struct lines *lines, const char *path, const char *text, size_t n, struct error *err) {
    *lines = (struct lines){.path = path, .err = err, .at = text, .end = text + n};
}

void lines_close(struct lines *lines) {
    file_reader_close(lines->file);
    free(lines->buffer);
    lines->file = NULL;
    lines->buffer = NULL;
    lines->at = lines->end = NULL;
}

/* Moves the rest of the buffer to its start and reads more after it. False at the end of the file or on an error. */
static bool read_on(struct lines *lines) {
    if (!lines->file)
        return false;
    const size_t kept = (size_t)(lines->end - lines->at);
    if (kept)
        memmove(lines->buffer, lines->at, kept);
    if (lines->room - kept < lines->piece) {
        lines->room = 2 * (kept + lines->piece);
        lines->buffer = xrealloc(lines->buffer, lines->room);
    }
    const ssize_t got = file_reader_read(lines->file, lines->buffer + kept, lines->piece, lines->err);
    lines->failed = got < 0;
    lines->at = lines->buffer;
    lines->end = lines->buffer + kept + (got > 0 ? got : 0);
    return got > 0;
}

static bool refuse_line(struct lines *lines, const char *what) {
    lines->failed = true;
    return fail_at(lines->err, lines->path, lines->line, "%s", what);
}

bool lines_next(struct lines *lines, struct span *line) {
    static const char mark[] = "\xef\xbb\xbf"; /* U+FEFF, which some editors put in front of UTF-8 */
    size_t seen = 0;                           /* bytes of the line without an LF */
    const char *lf = NULL;
    if (lines->failed)
        return false;
    for (;;) {
        const size_t there = (size_t)(lines->end - lines->at);
        lf = there > seen ? memchr(lines->at + seen, '\n', there - seen) : NULL;
        seen = lf ? (size_t)(lf - lines->at) : there;
        if (lf || seen > TRACE_LINE_LIMIT || !read_on(lines))
            break;
    }
    if (lines->failed || (!lf && seen == 0))
        return false;
    lines->line++;
    lines->cut = lf == NULL;
    *line = (struct span){lines->at, seen};
    lines->at += seen + (lf != NULL);
    lines->taken += seen + 1;
    if (line->n > TRACE_LINE_LIMIT)
        return refuse_line(lines,
                           "found a line of more than 1048576 bytes, the longest that is read; is this a trace?");
    if (lines->taken > TRACE_TEXT_LIMIT)
        return refuse_line(lines, "found more than 2147483648 bytes of text, the most that is read");
    if (line->n && memchr(line->at, 0, line->n))
        return refuse_line(lines, "found a zero byte; expected a text file");
    if (lines->line == 1 && span_starts(*line, mark)) {
        line->at += strlen(mark);
        line->n -= strlen(mark);
    }
    while (line->n && line->at[line->n - 1] == '\r')
        line->n--;
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
    size_t n = 0;
    while (n < rest->n && !blank(rest->at[n]))
        n++;
    const struct span token = {rest->at, n};
    rest->at += n;
    rest->n -= n;
    return token;
}

char *span_show(struct span span, char text[SPAN_SHOW]) {
    if (!span.n)
        return strcpy(text, "nothing");
    text[0] = '"';
    text_shown_bytes(span.at, span.n < SPAN_SHOWN ? span.n : SPAN_SHOWN, text + 1, SPAN_SHOW - 5);
    strcat(text, span.n > SPAN_SHOWN ? "...\"" : "\"");
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
        if (digit >= base || __builtin_mul_overflow(sum, (uint64_t)base, &sum) || sum > UINT64_MAX - digit)
            return false;
        sum += digit;
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
