/* The order in which the results of a convolution leave CACC and pass SDP: all lanes of a surface for a position, then
 * the next x, y, surface. Winograd goes in bands of four lines, two columns of all four at a time, following its tiles.
 * With batches, pairs of columns that share 64 bytes of the first batch go together, batch by batch.
 *
 * Spec: 40-convolution-core section 4.6, 50-sdp section 3. */
#pragma once

#include "layers/view.h"

enum { RESULT_BAND = 4 }; /* lines of a Winograd band */

/* A layer, and a position in it. All members below `winograd` are 0 at the first position. */
struct result_order {
    size_t columns, lines, channels, batches; /* of the layer */
    size_t lanes;                             /* of a surface */
    size_t odd_base, odd_line, odd_surface;   /* atoms to the first batch's address and its strides, their lowest bit */
    bool winograd;
    size_t surface, y, x;      /* columns of the block that contains the position */
    size_t row, batch, column; /* position in its block */
};

/* From the registers of CACC, and of SDP. */
struct result_order result_order_cacc(const struct registers_view *view);
struct result_order result_order_sdp(const struct registers_view *view);

/* True if lines do not simply follow one another. */
static inline bool result_order_mixes(const struct result_order *order) {
    return order->winograd || order->batches > 1;
}

/* Columns of the current block, 1 or 2. */
size_t result_order_block(const struct result_order *order);

/* Goes to the next position; false after the last. */
bool result_order_next(struct result_order *order);
