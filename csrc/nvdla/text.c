/* Strings. See text.h. */
#include "nvdla/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

void text_add(struct text *text, const void *bytes, size_t n) {
    if (text->n + n + 1 > text->capacity) {
        text->capacity = (text->n + n + 1) * 2;
        text->text = xrealloc(text->text, text->capacity);
    }
    if (n)
        memcpy(text->text + text->n, bytes, n);
    text->n += n;
    text->text[text->n] = 0;
}

void text_printf(struct text *text, const char *format, ...) {
    char small[256];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof small) {
        text_add(text, small, (size_t)n);
    } else if (n > 0) {
        char *big = xmalloc((size_t)n + 1);
        vsnprintf(big, (size_t)n + 1, format, again);
        text_add(text, big, (size_t)n);
        free(big);
    }
    va_end(again);
}

bool text_ends_with(const char *text, const char *suffix) {
    const size_t n = strlen(text), m = strlen(suffix);
    return n >= m && memcmp(text + n - m, suffix, m) == 0;
}

char *text_shown(const char *text) {
    struct text shown = {0};
    text_add(&shown, "", 0);
    for (const char *c = text; *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte == '\n')
            text_printf(&shown, "\\n");
        else if (byte == '\t')
            text_printf(&shown, "\\t");
        else if (byte < 0x20 || byte == 0x7f)
            text_printf(&shown, "\\x%02x", byte);
        else
            text_add(&shown, c, 1);
    }
    return shown.text;
}

char *text_quoted(const char *text) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
    struct text quoted = {0};
    const size_t n = strlen(text);
    if (n > 0 && strspn(text, plain) == n) {
        text_add(&quoted, text, n);
        return quoted.text;
    }
    text_add(&quoted, "'", 1);
    for (const char *c = text; *c; c++) {
        if (*c == '\'')
            text_printf(&quoted, "'\\''");
        else
            text_add(&quoted, c, 1);
    }
    text_add(&quoted, "'", 1);
    return quoted.text;
}

bool text_number(const char *text, uint64_t max, uint64_t *value) {
    if (text[0] < '0' || text[0] > '9')
        return false;
    char *end;
    errno = 0;
    const int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
    const unsigned long long parsed = strtoull(text, &end, base);
    if (errno || *end || end == text || parsed > max)
        return false;
    *value = parsed;
    return true;
}

void words_add(struct words *words, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *word = xvprintf(format, arguments);
    va_end(arguments);
    words->items = xrealloc(words->items, (words->count + 2) * sizeof *words->items);
    words->items[words->count++] = word;
    words->items[words->count] = NULL;
}

void words_free(struct words *words) {
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (struct words){0};
}
