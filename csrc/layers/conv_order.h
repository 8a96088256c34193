/* The order in which a convolution passes through the hardware, out of its registers alone: what CDMA writes into CBUF,
 * and the atomic operations that CSC hands to CMAC. The streams of the convolution path (observe/tap.h) come in this
 * order, from the model and from an RTL. INT8, direct and image input.
 *
 * Spec: 30-cdma-cbuf section 5, 40-convolution-core sections 4.1 to 4.4.
 */
#ifndef LAYERS_CONV_ORDER_H
#define LAYERS_CONV_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layers/view.h"

/* True if the configuration's convolutions are walked here: those that know INT8 alone. */
bool conv_order_known(const struct nvdla_config *config);

/* A layer as CSC's registers describe its loops. Sizes are true sizes. */
struct conv_order {
    size_t atomic_c, atomic_k; /* channels of a block; kernels of a group */
    size_t kernels, channels;  /* channels: image: bytes of a kernel row */
    size_t rows, columns;      /* of a kernel; image: one column */
    size_t rows_together;      /* image: kernel rows of one operation, 1, 2 or 4 */
    size_t out_width;
    size_t positions; /* of a run of stripes */
    size_t runs;      /* in a kernel group: stripes do not go from one run into the next */
};

struct conv_order conv_order(const struct registers_view *view);

/* Bits of tap_place.flags. */
enum { CONV_STRIPE_START = 1, CONV_STRIPE_END = 2, CONV_CHANNEL_END = 4, CONV_LAYER_END = 8 };

/* A stripe operation: the weights of one block for every kernel of the group, then an atom for each position. */
struct conv_operation {
    size_t kernel, kernels;    /* first of the group; kernels in it */
    size_t first, positions;   /* output positions, line by line */
    size_t channel, channels;  /* block; in lane order, of each row */
    size_t row, column, lines; /* of the kernel; rows in the operation, 1 .. rows_together */
    size_t index;              /* of the operations of these positions, from 0 */
    bool group_first;          /* the group begins with it */
    bool channel_end;          /* its sums are final */
    bool layer_end;            /* the layer ends with it */
};

/* The first operation, and the one behind `operation`, which is not the last one (layer_end). */
struct conv_operation conv_order_first(const struct conv_order *order);
struct conv_operation conv_order_next(const struct conv_order *order, const struct conv_operation *operation);

/* CONV_* of the operation's atom number `atom`. */
unsigned conv_operation_flags(const struct conv_operation *operation, size_t atom);

/* Lane of the first element of kernel row `line` (0 .. lines - 1) in an atom. Sections 3.2 and 4.3. */
static inline size_t conv_operation_lane(const struct conv_order *order, size_t line) {
    return line * (order->atomic_c / order->rows_together);
}

/* Memory atoms that CDMA writes into CBUF for a layer that reuses nothing, of the registers of CDMA. */
struct conv_atoms {
    uint64_t data, weights, masks;
};

struct conv_atoms conv_atoms(const struct registers_view *view);

/* Memory atoms that a line of an image fills, pads included. Section 5.4. */
size_t conv_image_atoms(const struct registers_view *view);

#endif
