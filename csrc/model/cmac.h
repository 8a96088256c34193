/* CMAC: the multiply-accumulate array on integers, one lane per kernel. Products and sums of an atomic operation are
 * exact, so a sum that CACC does not saturate does not depend on the order of additions, or on the split into atoms,
 * stripes and cells.
 *
 * Two forms: cmac_multiply() adds chunks of whole windows in the fastest order, for sums that cannot saturate: pairs of
 * elements times pairs of weights of eight kernels at once. cmac_atom() is one atomic operation. Spec:
 * 40-convolution-core sections 3 and 9.1, 95-compiled-representation sections B.4 and B.8. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/buffer.h"

enum {
    CMAC_VECTOR = 8, /* kernels of a vector; groups of kernels are multiples of it */
    CMAC_PAIRS = 252 /* most pairs of elements of a chunk: sums of one part of INT16 products stay below 2^31 */
};

/* Neighbouring elements of the input: pairs from the window's base + `offset` on. */
struct cmac_run {
    size_t offset, pairs;
};

/* Neighbouring elements of one atomic operation. */
struct cmac_piece {
    size_t offset; /* in the input, from the window's base */
    size_t packed; /* in the window, in the order of the runs */
    size_t count;
};

/* Weights of a group of kernels, packed for cmac_multiply(): block by block of kernels, in a block pair by pair, in a
 * pair two vectors (one if the group has only eight kernels of INT8) of eight times two weights. The vectors of INT8
 * are kernels 0-7 and 8-15 of the block; those of INT16 the low bytes (signed) and the high parts, divided by 256, of
 * the same eight weights. Places without element or kernel are 0. */
struct cmac_weights {
    bool wide;      /* INT16 */
    size_t lanes;   /* kernels of a full group */
    size_t vectors; /* of a block */
    size_t kernels; /* of a block */
    size_t blocks;
    size_t pairs; /* of a window */
    struct buffer packed;
    const int16_t *part[2]; /* the stream being packed: INT8 unchanged; INT16 in two parts: */
    struct buffer parts;
};

/* For groups of at most `most` weights, `pairs` pairs per window. All weights are 0. The structure is zero or that of
 * an earlier layer, whose memory it reuses. */
void cmac_weights_begin(struct cmac_weights *weights, bool wide, size_t lanes, size_t pairs, size_t most);
void cmac_weights_free(struct cmac_weights *weights);
void cmac_weights_clear(struct cmac_weights *weights);

/* The stream from which weights are placed, at most `most` elements, owned by the caller. */
void cmac_weights_take(struct cmac_weights *weights, const int16_t *elements, size_t count);

/* Places `count` weights of each of the kernels 0 .. kernels-1 at elements `at` and following of the window. Those of
 * kernel k start at element first + k * step of the stream. */
void cmac_weights_place(struct cmac_weights *weights, size_t at, size_t first, size_t step, size_t kernels,
                        size_t count);

/* sums[p * lanes + k] += sum of the products of a chunk, for the kernels k of one block.
 *
 * windows  the bases of the positions' windows; one element past a run's real elements may be read runs     `count`
 * runs of together at most CMAC_PAIRS pairs, the first of which has pair `pair` of the weights sums     64 bits,
 * `lanes` per position */
void cmac_multiply(const struct cmac_weights *weights, size_t block, const int16_t *const *windows, size_t positions,
                   const struct cmac_run *runs, size_t count, size_t pair, int64_t *sums);

/* One atomic operation of a direct or image layer: sums[k] = sum over the elements i of `count` pieces of the window,
 * in order, of element i times weights[i * lanes + k]. */
void cmac_atom(const int16_t *window, const struct cmac_piece *pieces, size_t count, const int16_t *weights,
               size_t lanes, int64_t *sums);

enum { CMAC_CELLS = 64 /* kernels of both halves, for any configuration */ };

/* The same for elements and weights of INT8 and at most CMAC_CELLS lanes: sums of 32 bits are exact. */
void cmac_atom_int8(const int16_t *window, const struct cmac_piece *pieces, size_t count, const int16_t *weights,
                    size_t lanes, int64_t *sums);

/* POA of Winograd: the four outputs n0..n3 of the sums of the sixteen positions (4 * row + column) of a tile. Sums of
 * position e start at sums[e * step]; out[n * lanes + k], 0 <= k < lanes. Section 3.3. */
void cmac_post_add(const int64_t *sums, size_t step, size_t lanes, int64_t *out);

/* The coefficient, -1, 0 or 1, of position e in output n. */
int cmac_coefficient(size_t e, size_t n);
