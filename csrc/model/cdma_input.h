/* Input of convolution layers: each function fetches one piece, converts it and builds the bytes for one run of entries
 * in CBUF.
 *
 * Spec: 30-cdma-cbuf section 5. */
#pragma once

#include "model/cbuf.h"
#include "model/cdma_convertor.h"
#include "model/cdma_layer.h"
#include "model/dma.h"
#include "observe/tap.h"

struct cdma_input {
    const struct cdma_layer *layer;
    const struct cdma_convertor *convertor;
    struct cdma_specials *specials; /* counts the elements */
    const struct cbuf *cbuf;        /* for its layout only */
    struct dma *client;
    const struct tap_out *tap; /* the input elements as fetched, without padding */
    uint8_t *slice;            /* the result, cdma_slice_room() bytes */
    uint8_t *line;             /* for a line of a surface or plane as read, cdma_line_room() bytes */
};

/* Sizes of the two buffers in bytes; an image's format must exist. */
size_t cdma_slice_room(const struct cdma_layer *layer, const struct cbuf *cbuf);
size_t cdma_line_room(const struct cdma_layer *layer, const struct cbuf *cbuf);

/* Line y of a batch, a superslice from line y of the extended cube on, or line y of an image. The result is in
 * input->slice. Returns its bytes. */
size_t cdma_fetch_feature(const struct cdma_input *input, size_t batch, size_t y);
size_t cdma_fetch_winograd(const struct cdma_input *input, size_t y);
size_t cdma_fetch_image(const struct cdma_input *input, size_t y);
