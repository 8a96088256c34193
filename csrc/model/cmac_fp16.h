/* CMAC on FP16: the products of an atomic operation, aligned to the largest exponent and added as integers, one lane
 * per kernel. What the alignment drops depends on how the multiplier represents a product (a pair of numbers from Booth
 * digits of the weight and trees of carry-save adders), so that is followed exactly.
 *
 * Spec: 40-convolution-core section 9.2.
 */
#ifndef MODEL_CMAC_FP16_H
#define MODEL_CMAC_FP16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/buffer.h"
#include "model/cmac.h"

enum {
    CMAC_FP16_LANES = 16, /* kernels computed together: a block */
    CMAC_FP16_DIGITS = 8, /* of a weight */
    CMAC_FP16_MOST = 256, /* elements of an atomic operation */
    CMAC_FP16_OUTPUTS = 4 /* of a Winograd tile */
};

/* The weights of a kernel group, element by element in hardware order. Tables of [block][element][..][lane]. */
struct cmac_fp16_weights {
    size_t blocks;
    size_t elements, atoms;
    struct buffer memory;
    int32_t *mantissas; /* [block][element][lane], with sign */
    int16_t *digits;    /* [block][element][digit][lane], with the weight's sign */
    int16_t *exponents; /* [block][element][lane]; of a weight that is zero, so low that it never counts */
    uint16_t *nans;     /* [block][atom][lane]: the first NaN of the atomic operation, or 0 */
};

/* For groups of at most `kernels` kernels of `elements` elements in `atoms` atomic operations. The structure is zero or
 * that of an earlier layer, whose memory it keeps. */
void cmac_fp16_weights_begin(struct cmac_fp16_weights *weights, size_t kernels, size_t elements, size_t atoms);
void cmac_fp16_weights_free(struct cmac_fp16_weights *weights);

/* All weights zero. */
void cmac_fp16_weights_clear(struct cmac_fp16_weights *weights);

/* Sets the weight of kernel k at element i, which is in atomic operation `atom`; each once in ascending order of i
 * after cmac_fp16_weights_clear(). value is an FP16 pattern. */
void cmac_fp16_weight(struct cmac_fp16_weights *weights, size_t k, size_t i, size_t atom, uint16_t value);

/* The data of one atomic operation of one position: elements that are not zero. */
struct cmac_fp16_data {
    size_t count;
    uint16_t nan;                     /* the first NaN, or 0 */
    uint16_t element[CMAC_FP16_MOST]; /* in the atomic operation */
    int16_t mantissa[CMAC_FP16_MOST]; /* with sign */
    int16_t exponent[CMAC_FP16_MOST];
};

/* Reads FP16 patterns from the pieces of a window. */
void cmac_fp16_data_read(struct cmac_fp16_data *data, const int16_t *window, const struct cmac_piece *pieces,
                         size_t count);

/* What a block of cells sends to CACC. A NaN has exponent 63 and its sign and mantissa in the top 11 of 38 bits. */
struct cmac_fp16_sums {
    int32_t exponent[CMAC_FP16_LANES];
    int64_t mantissa[CMAC_FP16_OUTPUTS][CMAC_FP16_LANES]; /* direct layers: [0] */
};

/* One atomic operation for one block of kernels. `first` is its first element, `tile` tells that it is one of Winograd:
 * four elements of each of the sixteen positions. */
void cmac_fp16_atom(const struct cmac_fp16_weights *weights, size_t block, size_t atom, size_t first,
                    const struct cmac_fp16_data *data, bool tile, struct cmac_fp16_sums *sums);

/* The same arithmetic with the vectors of different machines: how many kinds this one can run, from 0, the plain one,
 * to the best, which is chosen when the program starts. cmac_fp16_choose() is for tests. */
size_t cmac_fp16_kinds(void);
void cmac_fp16_choose(size_t kind);

#endif
