/* CMAC: the multiply-accumulate array. Products of INT8 operands are exact, and so is every sum that fits CBUF, so that
 * the order of additions and the split in atoms, stripes and cells leave no trace in the result.
 *
 * Spec: 40-convolution-core sections 3.1 and 9.1, 95-compiled-representation section B.8.
 */
#ifndef MODEL_CMAC_H
#define MODEL_CMAC_H

#include <stddef.h>
#include <stdint.h>

enum {
    CMAC_POSITIONS = 2,  /* output positions are taken in multiples of this, */
    CMAC_KERNELS = 4,    /* kernels in multiples of this, */
    CMAC_VECTOR = 16,    /* and the elements of a window in multiples of this */
    CMAC_LONGEST = 65536 /* elements of one call: sums stay below 2^30 */
};

/* sums[p * kernels + k] = sum over i of windows[p * stride + i] * weights[k * stride + i], 0 <= i < n.
 *
 * windows, weights  values -128..127 in 16 bits, rows of `stride` elements; what fills up a row is 0 in the weights
 * positions, kernels, n  multiples of the above, n <= CMAC_LONGEST */
void cmac_multiply(const int16_t *windows, size_t positions, const int16_t *weights, size_t kernels, size_t stride,
                   size_t n, int32_t *sums);

#endif
