/* Memory that cannot fail, and a growing string. Without memory no trace can be trusted, so these abort.
 */
#ifndef TRACE_ALLOC_H
#define TRACE_ALLOC_H

#include <stddef.h>

/* malloc, realloc that abort when memory is exhausted. */
void *trace_alloc(size_t n) __attribute__((returns_nonnull));
void *trace_realloc(void *old, size_t n) __attribute__((returns_nonnull));
char *trace_strndup(const char *text, size_t n) __attribute__((returns_nonnull));

/* Makes room for one more element in an array that holds `count` of them and only ever grew through this function:
 * capacities are powers of two, so the array needs no capacity member. Returns the array, perhaps moved. */
void *trace_grow(void *array, size_t count, size_t element) __attribute__((returns_nonnull));

/* A growing string, always terminated. Zero-initialise; free text. */
struct buffer {
    char *text;
    size_t n, capacity;
};
void buffer_add(struct buffer *buf, const void *bytes, size_t n);
void buffer_printf(struct buffer *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
