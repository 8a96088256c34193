/* Sums of products of FP16: exponents, alignment, guard bits, NaN and infinity. See cmac_fp16.h.
 *
 * The multiplier gives a product as a pair of numbers whose sum is the product and BIAS; each of them is shifted right
 * by four times the distance of the product's exponent from the largest, and then they are added. So the term is the
 * product shifted, less one where the bits that both numbers lose would have carried. For the distances one and two,
 * which most products have, that is told by the low four and eight bits of weight and data: tables say it. Products
 * further away are noted and carried out together, kernels and elements mixed.
 */
#include "model/cmac_fp16.h"

#include <pthread.h>
#include <string.h>

/* One piece of code is compiled for several machines. */
#if defined(__x86_64__) && defined(__GNUC__)
#define SEVERAL_MACHINES
#include <immintrin.h>
#endif

#include "nvdla/fp.h"
#include "nvdla/sizes.h"
#include "nvdla/wide.h"

enum {
    LANES = CMAC_FP16_LANES,
    STEP = 4,            /* from exponent to exponent: bits */
    ZERO_EXPONENT = -64, /* of zero: products of it never count */
    FAR = 8,             /* distance of exponents, in steps, from which on a product is dropped */
    TILE_POSITIONS = 16,
    GROUP = 4,    /* elements whose terms are computed together: those of a position of a tile */
    LINE = 64,    /* bytes of a line of the cache */
    KEY_SIGN = 2, /* in a key */
    NAN_EXPONENT = 63
};

/* Added to the product of a pair, so that both numbers are positive. */
#define BIAS UINT32_C(0x55550000)

/* What the lowest bits of both numbers of a pair carry when they are dropped, a row for each number that those of the
 * data's magnitude can be. In a row bytes by a key, which is bits 7..4 and bit 3 of the weight's magnitude with the
 * product's sign (KEY_SIGN) between them; in a byte a bit for each number that bits 2..0 of the weight can be. When
 * only four bits are dropped, two bits of the key are enough. */
static struct {
    _Alignas(64) uint8_t by8[256][64];
    uint8_t by4[16][4];
} carries;

/* Distances of the products of 64 elements from the largest one, in bits; for a zero one that does not count. */
struct distances {
    uint8_t bits[64][LANES];
    uint64_t others[16]; /* more than two steps, but not too many to count: lanes of four elements each */
};

/* Products that are too far from the largest for the tables, of 64 elements. */
struct far {
    size_t count;
    int16_t weight[64 * LANES], data[64 * LANES]; /* mantissas */
    uint8_t distance[64 * LANES];                 /* in bits */
    uint8_t place[64 * LANES];                    /* of the sum to which the term is added */
};

/* What is compiled for each kind. */
struct machine {
    void (*read)(struct cmac_fp16_data *data, const int16_t *window, const struct cmac_piece *pieces, size_t count);
    void (*direct)(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                   struct cmac_fp16_sums *sums);
    void (*tile)(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                 struct cmac_fp16_sums *sums);
    void (*fill_tables)(void);
};

/* ---- what all kinds share ---- */

/* A block of kernels; what follows is written for compilers that make one or two instructions of each operator. */
typedef int8_t bytes __attribute__((vector_size(LANES * sizeof(int8_t))));
typedef uint8_t unsigned_bytes __attribute__((vector_size(LANES * sizeof(uint8_t))));
typedef int32_t ints __attribute__((vector_size(LANES * sizeof(int32_t))));
typedef uint32_t words __attribute__((vector_size(LANES * sizeof(uint32_t))));

INLINED bytes load_bytes(const int8_t *from) {
    bytes to;
    memcpy(&to, from, sizeof to);
    return to;
}

/* Carry-save adder: the two results add up to the three operands. By address: clang takes no values of vectors where
 * the caller has other ones. */
INLINED void add3(words *a, words *b, const words *c) {
    const words third = *c, differ = *a ^ *b;
    *b = ((*a & *b) | (differ & third)) << 1;
    *a = differ ^ third;
}

/* value = mantissa * 2^exponent * 2^-25; an infinity is the number 2^16; zero is 0, ZERO_EXPONENT. Returns whether it
 * is a NaN. */
INLINED uint16_t decode(uint16_t value, int16_t *mantissa, int8_t *exponent) {
    const uint16_t e = value >> 10 & 31, m = value & 1023, negative = (uint16_t) - (value >> 15);
    const uint16_t significand = (uint16_t)(m + (e == 0 ? m : 1024));
    /* Shifted by two steps of no or some bits: 16-bit vectors have no shifts that differ. */
    const uint16_t once = (uint16_t)(significand * (e & 1 ? 2 : 1));
    const uint16_t magnitude = (uint16_t)(once * (e & 2 ? 4 : 1));
    *mantissa = (int16_t)((magnitude ^ negative) - negative);
    *exponent = (int8_t)((e & 28) + (magnitude == 0 ? ZERO_EXPONENT : 0));
    return (value & 0x7fff) > 0x7c00;
}

INLINED uint16_t magnitude_of(uint16_t value, int16_t mantissa) {
    const uint16_t negative = (uint16_t) - (value >> 15);
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

/* ---- the kinds ---- */

#define PLAIN 0
#define AVX2 1
#define AVX512 2

#define NAME(name) name##_plain
#define KIND PLAIN
#include "model/cmac_fp16_terms.h"
#undef NAME
#undef KIND
#ifdef SEVERAL_MACHINES
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#define NAME(name) name##_avx2
#define KIND AVX2
#include "model/cmac_fp16_terms.h"
#undef NAME
#undef KIND
#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi"))),                 \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")
#endif
#define NAME(name) name##_avx512
#define KIND AVX512
#include "model/cmac_fp16_terms.h"
#undef NAME
#undef KIND
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

static const struct machine *const kinds[] = {
    &functions_plain,
#ifdef SEVERAL_MACHINES
    &functions_avx2,
    &functions_avx512,
#endif
};

static const struct machine *chosen = &functions_plain;

size_t cmac_fp16_kinds(void) {
#ifdef SEVERAL_MACHINES
    if (!__builtin_cpu_supports("avx2"))
        return 1;
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi")
               ? 3
               : 2;
#else
    return 1;
#endif
}

void cmac_fp16_choose(size_t kind) {
    chosen = kinds[kind];
}

__attribute__((constructor)) static void choose_best(void) {
    cmac_fp16_choose(cmac_fp16_kinds() - 1);
}

/* ---- tables ---- */

static void fill_once(void) {
    chosen->fill_tables();
}

/* ---- operands ---- */

/* The next `size` bytes of a memory. */
static void *take(uint8_t **memory, size_t size) {
    uint8_t *taken = *memory;
    *memory += size;
    return taken;
}

void cmac_fp16_weights_begin(struct cmac_fp16_weights *weights, size_t kernels, size_t elements, size_t atoms) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_once);
    const size_t blocks = ceil_div(kernels, LANES), nans = blocks * atoms;
    const size_t cells =
        (blocks * elements + GROUP) * LANES; /* a whole number of lines of the cache but for the last */
    *weights =
        (struct cmac_fp16_weights){.blocks = blocks, .elements = elements, .atoms = atoms, .memory = weights->memory};
    buffer_reserve(&weights->memory, 1,
                   LINE + cells * (sizeof *weights->mantissas + 3) + nans * (LANES * sizeof *weights->nans + 1));
    uint8_t *memory = weights->memory.bytes;
    memory += -(uintptr_t)memory % LINE;
    weights->mantissas = take(&memory, cells * sizeof *weights->mantissas);
    weights->exponents = take(&memory, cells);
    weights->keys = take(&memory, cells);
    weights->bits = take(&memory, cells);
    weights->nans = take(&memory, nans * LANES * sizeof *weights->nans);
    weights->has_nan = take(&memory, nans);
    const size_t end = blocks * elements * LANES, rest = cells - end;
    memset(weights->mantissas + end, 0, rest * sizeof *weights->mantissas);
    memset(weights->exponents + end, ZERO_EXPONENT, rest);
    memset(weights->keys + end, 0, rest);
    memset(weights->bits + end, 1, rest); /* as of a zero: the kind AVX2 wants a bit */
}

void cmac_fp16_weights_free(struct cmac_fp16_weights *weights) {
    buffer_free(&weights->memory);
}

void cmac_fp16_weights_clear(struct cmac_fp16_weights *weights) {
    memset(weights->nans, 0, weights->blocks * weights->atoms * LANES * sizeof *weights->nans);
    memset(weights->has_nan, 0, weights->blocks * weights->atoms * sizeof *weights->has_nan);
}

/* The weights of a block for an element. Returns whether there is a NaN among them. */
WIDE static bool place_lanes(const uint16_t *restrict values, uint32_t *restrict mantissas, int8_t *restrict exponents,
                             uint8_t *restrict keys, uint8_t *restrict bits) {
    uint16_t nans = 0;
    for (size_t k = 0; k < LANES; k++) {
        int16_t mantissa;
        nans |= decode(values[k], &mantissa, &exponents[k]);
        const uint16_t negative = values[k] >> 15, magnitude = magnitude_of(values[k], mantissa);
        mantissas[k] = (uint16_t)mantissa;
        keys[k] = (uint8_t)((magnitude >> 4 & 15) << 2 | negative << 1 | (magnitude >> 3 & 1));
        bits[k] = (uint8_t)((magnitude & 4 ? 16 : 1) * (magnitude & 2 ? 4 : 1) * (magnitude & 1 ? 2 : 1));
    }
    return nans != 0;
}

void cmac_fp16_weights_place(struct cmac_fp16_weights *weights, size_t i, size_t atom, const int16_t *from, size_t step,
                             size_t kernels, size_t count) {
    for (size_t block = 0; block < weights->blocks; block++, from += LANES * step) {
        const size_t first = block * LANES, some = kernels > first ? lesser(kernels - first, LANES) : 0;
        for (size_t n = 0; n < count; n++) {
            uint16_t values[LANES] = {0};
            for (size_t k = 0; k < some; k++)
                values[k] = (uint16_t)from[k * step + n];
            const size_t at = (block * weights->elements + i + n) * LANES, cell = block * weights->atoms + atom;
            if (!place_lanes(values, weights->mantissas + at, weights->exponents + at, weights->keys + at,
                             weights->bits + at))
                continue;
            weights->has_nan[cell] = true;
            for (size_t k = 0; k < some; k++) {
                uint16_t *nan = &weights->nans[cell * LANES + k];
                if (*nan == 0 && fp16_is_nan(values[k]))
                    *nan = values[k];
            }
        }
    }
}

void cmac_fp16_data_read(struct cmac_fp16_data *data, const int16_t *window, const struct cmac_piece *pieces,
                         size_t count) {
    chosen->read(data, window, pieces, count);
}

/* ---- atomic operations ---- */

/* A cell with a NaN sends the first one of its weights, else of the data. */
static void send_nans(const uint16_t *nans, uint16_t of_data, size_t outputs, struct cmac_fp16_sums *sums) {
    for (size_t k = 0; k < LANES; k++) {
        uint16_t nan = nans[k] != 0 ? nans[k] : of_data;
        if (nan == 0)
            continue;
        sums->exponent[k] = NAN_EXPONENT;
        for (size_t o = 0; o < outputs; o++)
            sums->mantissa[o][k] = (int64_t)(nan >> 15 << 10 | (nan & 1023)) << 27;
    }
}

void cmac_fp16_atom(const struct cmac_fp16_weights *weights, size_t block, size_t atom, size_t first,
                    const struct cmac_fp16_data *data, bool tile, struct cmac_fp16_sums *sums) {
    const size_t at = block * weights->elements + first, cell = block * weights->atoms + atom;
    if (data->nan == 0) /* else no cell sends a number */
        (tile ? chosen->tile : chosen->direct)(weights, at, data, sums);
    if (data->nan != 0 || weights->has_nan[cell])
        send_nans(weights->nans + cell * LANES, data->nan, tile ? CMAC_FP16_OUTPUTS : 1, sums);
}
