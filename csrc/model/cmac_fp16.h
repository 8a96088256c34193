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
    CMAC_FP16_MOST = 256, /* elements of an atomic operation */
    CMAC_FP16_OUTPUTS = 4 /* of a Winograd tile */
};

/* The weights of a kernel group, element by element in hardware order. */
struct cmac_fp16_weights {
    size_t blocks;
    size_t elements, atoms;
    struct buffer memory;
    uint16_t *nans; /* [block][atom][lane]: the first NaN of the atomic operation, or 0 */
    bool *has_nan;  /* [block][atom] */
    /* [block][element][lane], and three elements of zeros: */
    uint32_t *mantissas; /* the low 16 bits, with sign */
    int8_t *exponents;   /* of zero so low that it never counts */
    uint8_t *keys;       /* where the tables of carries have the weight */
    uint8_t *bits;       /* and its bit there */
};

/* For groups of at most `kernels` kernels of `elements` elements in `atoms` atomic operations. The structure is zero or
 * that of an earlier layer, whose memory it keeps. */
void cmac_fp16_weights_begin(struct cmac_fp16_weights *weights, size_t kernels, size_t elements, size_t atoms);
void cmac_fp16_weights_free(struct cmac_fp16_weights *weights);

/* Before the weights of a group are placed. */
void cmac_fp16_weights_clear(struct cmac_fp16_weights *weights);

/* Sets `count` weights, FP16 patterns, of each of the kernels 0 .. kernels-1 and of no others, from element i on; all
 * are in atomic operation `atom`. Those of kernel k start at from[k * step]. Every element once, in ascending order,
 * after cmac_fp16_weights_clear(). */
void cmac_fp16_weights_place(struct cmac_fp16_weights *weights, size_t i, size_t atom, const int16_t *from, size_t step,
                             size_t kernels, size_t count);

/* The data of one atomic operation of one position. */
struct cmac_fp16_data {
    size_t count;
    uint16_t nan;                          /* the first NaN, or 0 */
    uint64_t nonzero[CMAC_FP16_MOST / 64]; /* bits of the elements that are not zero */
    int16_t mantissa[CMAC_FP16_MOST + 1];  /* with sign */
    int8_t exponent[CMAC_FP16_MOST];
    uint8_t sign[CMAC_FP16_MOST]; /* as it is in the keys of weights */
    /* The rows in the tables of carries: */
    uint16_t by8[CMAC_FP16_MOST]; /* of eight bits: bytes from the table's begin */
    uint32_t by4[CMAC_FP16_MOST]; /* of four bits: the row itself */
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
