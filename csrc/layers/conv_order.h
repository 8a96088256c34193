/* The order in which a convolution passes through the hardware, derived from its registers: what CDMA writes into CBUF,
 * and the atomic operations that CSC sends to CMAC. The streams of the convolution path (observe/tap.h) have this order
 * in the model and in an RTL.
 *
 * Spec: 30-cdma-cbuf section 5, 40-convolution-core sections 4.1 to 4.4. */
#pragma once

#include "layers/cubes.h"
#include "layers/view.h"

enum { CONV_TILE = 16, CONV_OUTPUTS = 4 }; /* positions of a Winograd tile; results of one */

/* A layer as CSC's registers describe its loops. */
struct conv_order {
    enum nvdla_precision precision;
    bool winograd;                    /* an output position is a tile of CONV_OUTPUTS results */
    size_t lanes;                     /* of an atom: AtomicC */
    size_t group, block;              /* most kernels of a group; most channels of a block */
    size_t cell;                      /* kernels whose weights are loaded into a CMAC cell together: 1 or 2 */
    size_t stripe_most, stripe_least; /* positions of a stripe, */
    size_t stripe_enough;             /* and those left from which on a stripe is a long one */
    size_t kernels, channels;         /* channels: image: elements of a kernel row; Winograd: of the extended cube */
    size_t rows, columns;             /* of a kernel; image: one column; Winograd: one of each */
    size_t rows_together;             /* image: kernel rows of one operation, 1, 2 or 4 */
    size_t out_width;                 /* results */
    size_t batches;                   /* atoms of a position */
    size_t positions;                 /* of a run of stripes */
    size_t runs;                      /* in a kernel group; stripes do not cross runs */
};

/* specified: stripes are those of section 4.2, as in NVIDIA's designs, not those of nvdla_conv_pkg.sv. */
struct conv_order conv_order(const struct registers_view *view, bool specified);

/* Bits of tap_place.flags. */
enum { CONV_STRIPE_START = 1, CONV_STRIPE_END = 2, CONV_CHANNEL_END = 4, CONV_LAYER_END = 8 };

/* A stripe operation: the weights of one block for every kernel of the group, then an atom per position. */
struct conv_operation {
    size_t kernel, kernels;    /* first of the group; kernels in it */
    size_t first, positions;   /* output positions, line by line; tiles band by band */
    size_t channel, channels;  /* block; in lane order, of each row */
    size_t row, column, lines; /* of the kernel; rows in the operation, 1 .. rows_together */
    size_t index;              /* of the operations of these positions, from 0 */
    bool group_first;          /* the group begins with it */
    bool channel_end;          /* its sums are final */
    bool layer_end;            /* the layer ends with it */
};

/* The first operation, and the one after `operation`, which must not be the last (layer_end). */
struct conv_operation conv_order_first(const struct conv_order *order);
struct conv_operation conv_order_next(const struct conv_order *order, const struct conv_operation *operation);

/* The first operation of the stripe after that of `operation`, which must not be the layer's last. */
struct conv_operation conv_order_next_stripe(const struct conv_order *order, const struct conv_operation *operation);

/* Atoms of the operation: one per batch and position. */
static inline size_t conv_operation_atoms(const struct conv_order *order, const struct conv_operation *operation) {
    return operation->positions * order->batches;
}

/* CONV_* of the operation's atom number `atom`. */
unsigned conv_operation_flags(const struct conv_order *order, const struct conv_operation *operation, size_t atom);

/* The result that atom number `atom` of the operation belongs to; Winograd: the upper left one of its tile. A band of
 * tiles goes column by column, the upper tile first. Section 4.2. */
struct conv_place {
    size_t batch, y, x;
};

struct conv_place conv_operation_place(const struct conv_order *order, const struct conv_operation *operation,
                                       size_t atom);

/* Parts of an atom of data or of a kernel's weights (kernel rows, or positions of a tile), and of an operation. */
static inline size_t conv_order_parts(const struct conv_order *order) {
    return order->winograd ? CONV_TILE : order->rows_together;
}

static inline size_t conv_operation_parts(const struct conv_order *order, const struct conv_operation *operation) {
    return order->winograd ? CONV_TILE : operation->lines;
}

/* Lane of the first element of part `part` in an atom. Sections 3.2, 3.3 and 4.3. */
static inline size_t conv_operation_lane(const struct conv_order *order, size_t part) {
    return part == 0 ? 0 : part * (order->lanes / conv_order_parts(order));
}

/* Memory atoms that CDMA writes into CBUF for a layer that reuses nothing, from CDMA's registers. */
struct conv_atoms {
    uint64_t data, weights, masks;
};

struct conv_atoms conv_atoms(const struct registers_view *view);

/* Memory atoms written for a line of an image, including pads. Section 5.4. */
size_t conv_image_atoms(const struct registers_view *view);

/* Elements of such a line. What follows them in the last atoms meets no weight. */
size_t conv_image_elements(const struct cdma_cubes *cubes);
