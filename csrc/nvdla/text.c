/* Strings. See text.h. */
#include "nvdla/text.h"

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
