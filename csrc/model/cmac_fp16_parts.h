/* Shared by the files of the products of FP16, private to csrc/model. */
#pragma once

#include <string.h>

/* The same code is compiled for several machines. */
#if defined(__x86_64__) && defined(__GNUC__)
#define SEVERAL_MACHINES
#include <immintrin.h>
#endif

#include "model/cmac.h"
#include "model/cmac_fp16_operands.h"
#include "nvdla/fp.h"
#include "nvdla/wide.h"

enum {
    LANES = CMAC_FP16_LANES,
    STEP = 4,            /* bits from one exponent to the next */
    ZERO_EXPONENT = -64, /* of zero: its products never count */
    FAR = 8,             /* distance of exponents, in steps, from which a product is dropped */
    TILE_POSITIONS = 16,
    GROUP = 4,    /* elements whose terms are computed together: those of a position of a tile */
    LINE = 64,    /* bytes of a cache line */
    KEY_SIGN = 2, /* in a key */
    NAN_EXPONENT = 63
};

/* Added to the product of a pair, so that both numbers are positive. */
#define BIAS UINT32_C(0x55550000)

/* The carry of the lowest bits of a pair when they are dropped. One row for each value of those bits of the data's
 * magnitude; one byte in it for each key (bits 7..4 and bit 3 of the weight's magnitude, with the product's sign,
 * KEY_SIGN, between them); one bit in a byte for each value of bits 2..0 of the weight. When only four bits are
 * dropped, two bits of the key suffice. */
struct cmac_fp16_carries {
    _Alignas(64) uint8_t by8[256][64];
    uint8_t by4[16][4];
};
extern struct cmac_fp16_carries cmac_fp16_carries;

/* Distances of the products of 64 elements from the largest, in bits; for a zero one that does not count. */
struct distances {
    uint8_t bits[64][LANES];
    uint64_t others[16]; /* more than two steps, but small enough to count: lanes of four elements each */
};

/* Products, among 64 elements, that are too far from the largest for the tables. */
struct far {
    size_t count;
    int16_t weight[64 * LANES], data[64 * LANES]; /* mantissas */
    uint8_t distance[64 * LANES];                 /* in bits */
    uint8_t place[64 * LANES];                    /* of the sum to which the term is added */
};

/* Functions compiled for each variant. */
struct cmac_fp16_machine {
    void (*read)(struct cmac_fp16_data *data, const int16_t *window, const struct cmac_piece *pieces, size_t count);
    void (*direct)(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                   struct cmac_fp16_sums *sums);
    void (*tile)(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                 struct cmac_fp16_sums *sums);
    void (*fill_tables)(void);
};

extern const struct cmac_fp16_machine cmac_fp16_plain, cmac_fp16_avx2, cmac_fp16_avx512;

/* ---- what all variants share ---- */

/* A block of kernels, written so that compilers make one or two instructions of each operator. */
typedef int8_t bytes __attribute__((vector_size(LANES * sizeof(int8_t))));
typedef uint8_t unsigned_bytes __attribute__((vector_size(LANES * sizeof(uint8_t))));
typedef int32_t ints __attribute__((vector_size(LANES * sizeof(int32_t))));
typedef uint32_t words __attribute__((vector_size(LANES * sizeof(uint32_t))));

INLINED bytes load_bytes(const int8_t *from) {
    bytes to;
    memcpy(&to, from, sizeof to);
    return to;
}

/* Carry-save adder: the two results sum to the three operands. By address, because clang cannot pass vectors by value
 * where the caller uses other ones. */
INLINED void add3(words *a, words *b, const words *c) {
    const words third = *c, differ = *a ^ *b;
    *b = ((*a & *b) | (differ & third)) << 1;
    *a = differ ^ third;
}

/* value = mantissa * 2^exponent * 2^-25; an infinity is the number 2^16; zero is 0, ZERO_EXPONENT. Returns whether it
 * is a NaN. */
INLINED uint16_t decode(uint16_t value, int16_t *mantissa, int8_t *exponent) {
    const uint16_t e = value >> 10 & 31, m = value & 1023, negative = (uint16_t)-(value >> 15);
    const uint16_t significand = (uint16_t)(m + (e == 0 ? m : 1024));
    /* Shifts left by e % 4, as multiplications: 16-bit vectors have no shifts that differ by lane. */
    const uint16_t once = (uint16_t)(significand * (e & 1 ? 2 : 1));
    const uint16_t magnitude = (uint16_t)(once * (e & 2 ? 4 : 1));
    *mantissa = (int16_t)((magnitude ^ negative) - negative);
    *exponent = (int8_t)((e & 28) + (magnitude == 0 ? ZERO_EXPONENT : 0));
    return (value & 0x7fff) > 0x7c00;
}

INLINED uint16_t magnitude_of(uint16_t value, int16_t mantissa) {
    const uint16_t negative = (uint16_t)-(value >> 15);
    return (uint16_t)(((uint16_t)mantissa ^ negative) - negative);
}

/* The outputs of a tile: 40-convolution-core section 3.3. */
INLINED void post_add(const int32_t (*restrict positions)[LANES], int64_t (*restrict out)[LANES]) {
    for (size_t k = 0; k < LANES; k++) {
        int64_t rows[4][2];
        for (size_t r = 0; r < 4; r++) {
            const int32_t *row = &positions[4 * r][k];
            rows[r][0] = (int64_t)row[0] + row[LANES] + row[2 * LANES];
            rows[r][1] = (int64_t)row[LANES] - row[2 * LANES] - row[3 * LANES];
        }
        for (size_t n = 0; n < 2; n++) {
            out[n][k] = rows[0][n] + rows[1][n] + rows[2][n];
            out[2 + n][k] = rows[1][n] - rows[2][n] - rows[3][n];
        }
    }
}
