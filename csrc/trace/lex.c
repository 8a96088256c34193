#include "trace/lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool lines_open(struct lines *lines, const char *path, const char *text, size_t n, struct error *err) {
    static const char mark[] = "\xef\xbb\xbf"; /* U+FEFF, which some editors put in front of UTF-8 */
    *lines = (struct lines){.path = path, .at = text, .end = text + n};
    if (n >= strlen(mark) && !memcmp(text, mark, strlen(mark)))
        lines->at += strlen(mark);
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
    for (size_t i = 0; i < span.n && i < SPAN_SHOWN; i++)
        if (span.at[i] >= 0x20 && span.at[i] < 0x7f)
            text[n++] = span.at[i];
        else
            n += (size_t)snprintf(text + n, SPAN_SHOW - n, "\\x%02x", (unsigned char)span.at[i]);
    if (span.n > SPAN_SHOWN)
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
