/* Memory that is used again from layer to layer: it grows and never shrinks. */
#ifndef MODEL_BUFFER_H
#define MODEL_BUFFER_H

#include <stddef.h>
#include <stdlib.h>

#include "nvdla/xalloc.h"

struct buffer {
    void *bytes;
    size_t room;
};

/* Makes room for `count` things of `size` bytes; what was in the buffer is lost. Sizes come from layers that the limits
 * of the model have let through, so that the product does not overflow. */
static inline void buffer_reserve(struct buffer *buffer, size_t count, size_t size) {
    if (count * size > buffer->room) {
        free(buffer->bytes);
        buffer->bytes = xmalloc(count * size);
        buffer->room = count * size;
    }
}

static inline void buffer_free(struct buffer *buffer) {
    free(buffer->bytes);
    buffer->bytes = NULL;
    buffer->room = 0;
}

#endif
