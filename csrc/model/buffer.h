/* Memory that is used again from layer to layer: it grows and never shrinks. */
#ifndef MODEL_BUFFER_H
#define MODEL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct buffer {
    void *bytes;
    size_t room;
};

/* Makes room for `count` things of `size` bytes; what was in the buffer is lost. Returns false when memory is
 * exhausted.
 */
static inline bool buffer_reserve(struct buffer *buffer, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        return false;
    }
    if (bytes > buffer->room) {
        free(buffer->bytes);
        buffer->bytes = malloc(bytes);
        buffer->room = buffer->bytes ? bytes : 0;
    }
    return bytes == 0 || buffer->bytes;
}

static inline void buffer_free(struct buffer *buffer) {
    free(buffer->bytes);
    buffer->bytes = NULL;
    buffer->room = 0;
}

#endif
