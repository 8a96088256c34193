/* A stream of results in hardware order (layers/result_order.h), for layers that only the model computes line by line:
 * Winograd, and layers with batches. */
#pragma once

#include "layers/result_order.h"
#include "model/buffer.h"
#include "observe/tap.h"

/* Reuses its memory from layer to layer. */
struct ordered_tap {
    struct tap_out to;
    struct result_order order; /* at the next position to send */
    struct buffer buffer;      /* of a band, or a line of all batches: [line][batch][column][lane] */
    size_t held;               /* positions in it */
};

/* A stream for the layer, whose positions may come in any order within a band. It is `to` itself if lines simply follow
 * one another or there are no listeners. */
struct tap_out ordered_tap_begin(struct ordered_tap *tap, const struct tap_out *to, const struct result_order *order);

void ordered_tap_free(struct ordered_tap *tap);
