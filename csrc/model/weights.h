/* The weight stream of a layer as CSC reads it from CBUF, kernel group by kernel group, compressed or not.
 *
 * The stream starts at an entry of the weight ring and has no gaps: groups, and elements of compressed weights, start
 * anywhere in entries. An entry in which a group ends is released with that group; its rest is copied for the next one.
 * Mask bits (WMB) are a second stream, in their own ring. Spec: 40-convolution-core sections 4.4, 4.5 and 6,
 * 20-data-formats section 6. */
#pragma once

#include "model/buffer.h"
#include "model/cbuf.h"
#include "nvdla/config.h"

/* Entries of a ring that are read in order. */
struct weight_stream {
    struct cbuf_ring ring;
    size_t entry;        /* of the ring, after those read so far */
    size_t entries;      /* first touched by the current group */
    size_t used;         /* bits of the last entry used by groups so far; 0: all */
    struct buffer bytes; /* the entries of the current group; the previous one may have touched the first */
    size_t size;         /* of them, entries */
};

struct weights {
    bool compressed;
    size_t element; /* bytes: 1 or 2 */
    struct weight_stream data, mask;
    struct buffer elements;
};

/* Starts the streams at CBUF's read pointers. data_banks and weight_banks are true counts, `most` is the number of
 * elements of the largest group. The structure is zero or that of an earlier layer, whose memory it reuses. */
void weights_begin(struct weights *weights, const struct cbuf *cbuf, size_t data_banks, size_t weight_banks,
                   enum nvdla_precision precision, bool compressed, size_t most);
void weights_free(struct weights *weights);

/* Reads the next group of `count` elements, 1 .. most, in stream order: INT8 sign-extended, FP16 as patterns. */
const int16_t *weights_next(struct weights *weights, const struct cbuf *cbuf, size_t count);
