/* Memory that cannot fail. See xalloc.h. */
#include "nvdla/xalloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void exhausted(size_t n) {
    if (n > 0)
        fprintf(stderr, "out of memory (%zu bytes)\n", n);
    else
        fprintf(stderr, "out of memory\n");
    abort();
}

_Noreturn void xexhausted(void) {
    exhausted(0);
}

void *xrealloc(void *old, size_t n) {
    void *p = realloc(old, n ? n : 1);
    if (!p)
        exhausted(n);
    return p;
}

void *xmalloc(size_t n) {
    return xrealloc(NULL, n);
}

void *xcalloc(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p)
        exhausted(count * size);
    return p;
}

char *xstrndup(const char *text, size_t n) {
    char *copy = xmalloc(n + 1);
    if (n)
        memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

char *xstrdup(const char *text) {
    return xstrndup(text, strlen(text));
}

char *xvprintf(const char *format, va_list arguments) {
    char *text;
    if (vasprintf(&text, format, arguments) < 0)
        exhausted(0);
    return text;
}

char *xprintf(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = xvprintf(format, args);
    va_end(args);
    return text;
}

FILE *xmemstream(char **text, size_t *size) {
    FILE *stream = open_memstream(text, size);
    if (!stream)
        exhausted(0);
    return stream;
}

void xmemstream_close(FILE *stream) {
    const bool failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || failed)
        exhausted(0);
}

void *xgrow(void *array, size_t count, size_t element) {
    if (count & (count - 1))
        return array;
    return xrealloc(array, (count ? 2 * count : 1) * element);
}
