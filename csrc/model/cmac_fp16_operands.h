/* Operands and results of an atomic operation on FP16. See cmac_fp16.h. */
#pragma once

#include <stdbool.h>
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
    const struct cmac_fp16_machine *machine; /* functions for the vectors of this machine */
    uint16_t *nans;                          /* [block][atom][lane]: the first NaN of the atomic operation, or 0 */
    bool *has_nan;                           /* [block][atom] */
    /* [block][element][lane], followed by three elements of zeros: */
    uint32_t *mantissas; /* the low 16 bits, signed */
    int8_t *exponents;   /* that of zero is so low that it never counts */
    uint8_t *keys;       /* row of the weight in the tables of carries */
    uint8_t *bits;       /* and its bit in them */
};

/* The data of one atomic operation of one position. */
struct cmac_fp16_data {
    size_t count;
    uint16_t nan;                          /* the first NaN, or 0 */
    uint64_t nonzero[CMAC_FP16_MOST / 64]; /* bits of the elements that are not zero */
    int16_t mantissa[CMAC_FP16_MOST + 1];  /* signed */
    int8_t exponent[CMAC_FP16_MOST];
    uint8_t sign[CMAC_FP16_MOST]; /* as in the keys of weights */
    /* The rows in the tables of carries: */
    uint16_t by8[CMAC_FP16_MOST]; /* for eight bits: bytes from the table's beginning */
    uint32_t by4[CMAC_FP16_MOST]; /* for four bits: the row itself */
};

/* What a block of cells sends to CACC. A NaN has exponent 63 and its sign and mantissa in the top 11 of 38 bits. */
struct cmac_fp16_sums {
    int32_t exponent[CMAC_FP16_LANES];
    int64_t mantissa[CMAC_FP16_OUTPUTS][CMAC_FP16_LANES]; /* direct layers: [0] */
};
