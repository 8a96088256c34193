/* CMAC on FP16: the products of an atomic operation, aligned to the largest exponent and added as integers, one lane
 * per kernel. The bits that alignment drops depend on how the multiplier represents a product (a pair of numbers from
 * Booth digits of the weight and trees of carry-save adders), so that is modelled exactly.
 *
 * Spec: 40-convolution-core section 9.2. */
#pragma once

#include "model/cmac.h"
#include "model/cmac_fp16_operands.h"

/* For groups of at most `kernels` kernels of `elements` elements in `atoms` atomic operations. The structure is zero or
 * that of an earlier layer, whose memory it reuses. */
void cmac_fp16_weights_begin(struct cmac_fp16_weights *weights, size_t kernels, size_t elements, size_t atoms);
void cmac_fp16_weights_free(struct cmac_fp16_weights *weights);

/* To be called before the weights of a group are placed. */
void cmac_fp16_weights_clear(struct cmac_fp16_weights *weights);

/* Sets `count` weights, FP16 patterns, of each of the kernels 0 .. kernels-1 and no others, from element i on, all in
 * atomic operation `atom`. Those of kernel k start at from[k * step]. Every element once, in ascending order, after
 * cmac_fp16_weights_clear(). */
void cmac_fp16_weights_place(struct cmac_fp16_weights *weights, size_t i, size_t atom, const int16_t *from, size_t step,
                             size_t kernels, size_t count);

/* Reads FP16 patterns from the pieces of a window, to be multiplied by these weights. */
void cmac_fp16_data_read(struct cmac_fp16_data *data, const struct cmac_fp16_weights *weights, const int16_t *window,
                         const struct cmac_piece *pieces, size_t count);

/* One atomic operation for one block of kernels. `first` is its first element. `tile`: a Winograd operation, four
 * elements of each of the sixteen positions. */
void cmac_fp16_atom(const struct cmac_fp16_weights *weights, size_t block, size_t atom, size_t first,
                    const struct cmac_fp16_data *data, bool tile, struct cmac_fp16_sums *sums);

/* Variants with the vectors of different machines: how many this machine can run, from 0, the plain one, to the best,
 * which cmac_fp16_weights_begin() chooses. cmac_fp16_weights_choose() is for tests. */
size_t cmac_fp16_kinds(void);
void cmac_fp16_weights_choose(struct cmac_fp16_weights *weights, size_t kind);
