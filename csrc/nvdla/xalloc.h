/* Memory allocation that cannot fail, used everywhere. A run without memory can neither be trusted nor continue, so
 * these functions print a line and abort; callers need no error path. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* malloc, calloc, realloc (of at least one byte), strdup, strndup and asprintf (returns the text). */
void *xmalloc(size_t n) __attribute__((returns_nonnull, malloc));
void *xcalloc(size_t count, size_t size) __attribute__((returns_nonnull, malloc));
void *xrealloc(void *old, size_t n) __attribute__((returns_nonnull));
char *xstrdup(const char *text) __attribute__((returns_nonnull, malloc));
char *xstrndup(const char *text, size_t n) __attribute__((returns_nonnull, malloc));
char *xprintf(const char *format, ...) __attribute__((returns_nonnull, format(printf, 1, 2)));
char *xvprintf(const char *format, va_list arguments) __attribute__((returns_nonnull, format(printf, 1, 0)));

/* A local variable, initialised, whose memory is freed where its block ends: autofree char *text = xstrdup("a"); */
#define autofree __attribute__((cleanup(xfree_at)))
static inline void xfree_at(void *pointer) {
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

/* For an allocation that failed in a library. */
_Noreturn void xexhausted(void);

/* open_memstream, and the fclose that goes with it: *text is complete after that. */
FILE *xmemstream(char **text, size_t *size) __attribute__((returns_nonnull));
void xmemstream_close(FILE *stream);

/* Makes room for one more element in an array of `count` elements that only ever grew through this function: capacities
 * are powers of two, so no capacity member is needed. Returns the array, perhaps moved. */
void *xgrow(void *array, size_t count, size_t element) __attribute__((returns_nonnull));

/* The place of one more element, which counts from now on: *xadd(list->items, list->count) = element; */
#define xadd(array, count) ((array) = xgrow(array, count, sizeof *(array)), &(array)[(count)++])
