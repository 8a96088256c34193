/* Operands and results of an atomic operation on FP16. See cmac_fp16.h.
 */
#ifndef MODEL_CMAC_FP16_OPERANDS_H
#define MODEL_CMAC_FP16_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/buffer.h"

enum {
    CMAC_FP16_LANES = 16, /* kernels computed together: a block */
    CMAC_FP16_MOST = 256, /* elements of an atomic operation */
    CMAC_FP16_OUTPUTS = 4 /* of a Winograd tile */
};

struct cmac_fp16_machine; /* cmac_fp16_parts.h */

/* The weights of a kernel group, element by element in hardware order. */
struct cmac_fp16_weights {
    size_t blocks;
    size_t elements, atoms;
    struct buffer memory;
    const struct cmac_fp16_machine *machine; /* what multiplies them: the vectors that this machine has */
    uint16_t *nans;                          /* [block][atom][lane]: the first NaN of the atomic operation, or 0 */
    bool *has_nan;                           /* [block][atom] */
    /* [block][element][lane], and three elements of zeros: */
    uint32_t *mantissas; /* the low 16 bits, with sign */
    int8_t *exponents;   /* of zero so low that it never counts */
    uint8_t *keys;       /* where the tables of carries have the weight */
    uint8_t *bits;       /* and its bit there */
};

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

/* What a block of cells sends to CACC. A NaN has exponent 63 and its sign and mantissa in the top 11 of 38 bits. */
struct cmac_fp16_sums {
    int32_t exponent[CMAC_FP16_LANES];
    int64_t mantissa[CMAC_FP16_OUTPUTS][CMAC_FP16_LANES]; /* direct layers: [0] */
};

#endif
