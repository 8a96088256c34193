/* The streams of the convolution path in hardware order, for listeners (observe/tap.h: CBUF_DAT, CBUF_WT, CBUF_MASK,
 * CSC_DAT, CSC_WT, CMAC_SUM). The model computes a convolution in a different order; these functions follow the loops
 * of the spec, so that an RTL's streams can be compared element by element.
 *
 * Spec: 30-cdma-cbuf sections 5 and 8, 40-convolution-core sections 3 to 5 and 9. */
#pragma once

#include "layers/conv_order.h"
#include "model/cbuf.h"
#include "model/cdma_layer.h"
#include "model/cmac_fp16.h"
#include "model/crep.h"
#include "observe/tap.h"

/* ---- CDMA into CBUF ---- */

/* Lines [y, y + lines) of the layer's input (Winograd: of the extended cube), which were fetched together into CBUF
 * from entry `entry` of the data ring on, atom by atom: in the order in which rtl/ writes them, or slice by slice in
 * that of their addresses. */
void conv_streams_data(const struct tap_out *tap, const struct cbuf *cbuf, const struct cdma_layer *layer, size_t entry,
                       size_t y, size_t lines, bool by_address);

/* `count` atoms of weights or mask bits, which are in the ring from atom `first` on. */
void conv_streams_weights(const struct tap_out *tap, const struct cbuf *cbuf, struct cbuf_ring ring, size_t first,
                          size_t count);

/* ---- CSC to CMAC to CACC ---- */

struct conv_streams {
    struct tap_out atoms, weights; /* of CSC */
    struct tap_out sums[2];        /* of CMAC_A and CMAC_B */
    struct conv_order order;
    struct conv_operation next; /* the next group's first */
};

/* The open streams of a layer. specified: see conv_order(). */
void conv_streams_begin(struct conv_streams *streams, const struct registers_view *view, bool specified);

/* Operands of a kernel group. */
struct conv_source {
    const struct crep *table;
    const int16_t *input;                     /* of all batches, as csc_input_read() leaves it */
    const int16_t *weights;                   /* of the group, in the order of the stream */
    const struct cmac_fp16_weights *floating; /* the same, FP16 */
};

/* Delivers the next kernel group; nothing without listeners. */
void conv_streams_group(struct conv_streams *streams, const struct conv_source *source);
