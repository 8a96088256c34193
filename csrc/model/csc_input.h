/* The input of a layer as CSC sends it to CMAC, read from CBUF once: lines of elements with padding around them, or the
 * transformed tiles of Winograd.
 *
 * Spec: 40-convolution-core sections 3 and 5, 30-cdma-cbuf section 5. */
#pragma once

#include "model/buffer.h"
#include "model/cbuf.h"
#include "model/crep.h"
#include "model/csc.h"

/* Buffers between CBUF and the input; zero, or of an earlier layer. */
struct csc_input_buffers {
    struct buffer slice, pixels;
};

/* Fills `to` with csc_layer_stored() elements, one batch after the other, each in the table's layout: stored_lines
 * lines of stored_line elements. INT8 is sign-extended, FP16 are patterns. Elements of feature input are the real
 * channels of the pixels, those of image input the elements of the line in CBUF; tiles are
 * [row][column][position][channel]. */
void csc_input_read(const struct csc_layer *layer, const struct cbuf *cbuf, const struct crep *table,
                    struct csc_input_buffers *buffers, int16_t *to);
