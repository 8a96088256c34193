#include "trace/alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
