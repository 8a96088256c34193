/* Memory that is reused from layer to layer: it grows and never shrinks. */
#pragma once

#include <stdlib.h>

#include "nvdla/xalloc.h"

struct buffer {
    void *bytes;
    size_t room;
};

/* Makes room for `count` items of `size` bytes; the contents are lost. Sizes have passed the limits of the model, so
 * the product does not overflow. */
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
