/* The weight stream of a layer as CSC takes it out of CBUF, kernel group by kernel group, compressed or not.
 *
 * The stream starts at an entry of the weight ring and has no gaps: groups, and elements of compressed weights, stand
 * anywhere in entries. A group that ends inside an entry has used up that entry: it is released with the group, and its
 * rest is kept for the next one. Mask bits (WMB) are a second stream, in their own ring. Spec: 40-convolution-core
 * sections 4.4, 4.5 and 6, 20-data-formats section 6.
 */
#ifndef MODEL_WEIGHTS_H
#define MODEL_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/buffer.h"
#include "model/cbuf.h"
#include "nvdla/config.h"

/* Entries of a ring that are read in order. */
struct weight_stream {
    struct cbuf_ring ring;
    size_t entry;        /* of the ring, behind those read so far */
    size_t entries;      /* first touched by the current group */
    size_t used;         /* bits of the last entry that groups so far have used; 0: all */
    struct buffer bytes; /* the entries of the current group; the first may have been touched by the one before */
    size_t size;         /* of them, entries */
};

struct weights {
    bool compressed;
    size_t element; /* bytes: 1 or 2 */
    struct weight_stream data, mask;
    struct buffer elements;
};

/* Starts the streams at CBUF's read pointers. data_banks and weight_banks are true counts, `most` is the number of
 * elements of the largest group. The structure is zero or that of an earlier layer, whose memory it keeps. */
void weights_begin(struct weights *weights, const struct cbuf *cbuf, size_t data_banks, size_t weight_banks,
                   enum nvdla_precision precision, bool compressed, size_t most);
void weights_free(struct weights *weights);

/* Reads the next group, `count` elements and at most `most`. The result has them in stream order, INT8 sign-extended,
 * FP16 as patterns. */
const int16_t *weights_next(struct weights *weights, const struct cbuf *cbuf, size_t count);

#endif
