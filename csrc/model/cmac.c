#include "model/cmac.h"

#include <stdlib.h>
#include <string.h>

/* ---- weights ---- */

bool cmac_weights_init(struct cmac_weights *weights, bool wide, size_t lanes, size_t pairs) {
    size_t vectors = wide || lanes > CMAC_VECTOR ? 2 : 1;
    size_t kernels = wide ? CMAC_VECTOR : vectors * CMAC_VECTOR;
    *weights = (struct cmac_weights){.wide = wide,
                                     .lanes = lanes,
                                     .vectors = vectors,
                                     .kernels = kernels,
                                     .blocks = (lanes + kernels - 1) / kernels,
                                     .pairs = pairs};
    weights->packed = calloc(weights->blocks * pairs * vectors * CMAC_VECTOR * 2, sizeof *weights->packed);
    return weights->packed != NULL;
}

void cmac_weights_free(struct cmac_weights *weights) {
    free(weights->packed);
    weights->packed = NULL;
}

/* Numbers of a block from one pair to the next. */
static size_t pair_size(const struct cmac_weights *weights) {
    return weights->vectors * CMAC_VECTOR * 2;
}

static int16_t *pair_of(const struct cmac_weights *weights, size_t block, size_t pair) {
    return weights->packed + (block * weights->pairs + pair) * pair_size(weights);
}

void cmac_weights_clear(struct cmac_weights *weights) {
    memset(weights->packed, 0, weights->blocks * weights->pairs * pair_size(weights) * sizeof *weights->packed);
}

/* weight = high * 256 + low, low a signed byte. */
static inline int16_t low_part(int16_t weight) {
    return (int8_t)weight;
}

static inline int16_t high_part(int16_t weight) {
    return (int16_t)((weight - (int8_t)weight) / 256);
}

static inline void place(int16_t *to, bool wide, int16_t weight) {
    if (wide) {
        to[0] = low_part(weight);
        to[CMAC_VECTOR * 2] = high_part(weight);
    } else {
        *to = weight;
    }
}

static inline void place_all(const struct cmac_weights *weights, bool wide, size_t block, size_t at,
                             const int16_t *from, size_t step, size_t kernels, size_t count) {
    size_t size = pair_size(weights), first = at % 2 < count ? at % 2 : count;
    int16_t *to = pair_of(weights, block, at / 2);
    if (first > 0) {
        for (size_t k = 0; k < kernels; k++) {
            place(to + 2 * k + 1, wide, from[k * step]);
        }
        to += size;
    }
    size_t i = first;
    for (; i + 1 < count; i += 2, to += size) {
        for (size_t k = 0; k < kernels; k++) {
            place(to + 2 * k, wide, from[k * step + i]);
            place(to + 2 * k + 1, wide, from[k * step + i + 1]);
        }
    }
    if (i < count) {
        for (size_t k = 0; k < kernels; k++) {
            place(to + 2 * k, wide, from[k * step + i]);
        }
    }
}

void cmac_weights_place(struct cmac_weights *weights, size_t at, const int16_t *from, size_t step, size_t kernels,
                        size_t count) {
    for (size_t first = 0; first < kernels; first += weights->kernels) {
        size_t n = kernels - first < weights->kernels ? kernels - first : weights->kernels;
        size_t block = first / weights->kernels;
        if (weights->wide) {
            place_all(weights, true, block, at, from + first * step, step, n, count);
        } else {
            place_all(weights, false, block, at, from + first * step, step, n, count);
        }
    }
}

/* ---- chunks of windows ---- */

/* Positions that share each loaded vector of weights: six times two sums fill the registers of the usual machines. */
enum { TILE = 6, VECTORS = 2 };

struct chunk {
    const struct cmac_run *runs;
    size_t count;
    const int16_t *weights; /* of the block, from the chunk's first pair on */
};

/* Sums of `positions` windows, one number per kernel and vector. */
typedef int32_t tile_sums[TILE][VECTORS][CMAC_VECTOR];

/* Adds the tile's sums to those of the positions. */
static inline void add_sums(const struct cmac_weights *weights, size_t block, size_t positions, const tile_sums tile,
                            int64_t *sums) {
    sums += block * weights->kernels;
    for (size_t p = 0; p < positions; p++, sums += weights->lanes) {
        if (weights->wide) {
            for (size_t k = 0; k < CMAC_VECTOR; k++) {
                sums[k] += tile[p][0][k] + (int64_t)tile[p][1][k] * 256;
            }
        } else {
            for (size_t v = 0; v < weights->vectors; v++) {
                for (size_t k = 0; k < CMAC_VECTOR; k++) {
                    sums[v * CMAC_VECTOR + k] += tile[p][v][k];
                }
            }
        }
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

/* The kernel: with constant arguments the sums stay in registers and the loops over p and v vanish. */
AVX2 __attribute__((always_inline)) static inline void
tile_avx2(const int16_t *const *windows, size_t positions, size_t vectors, const struct chunk *chunk, tile_sums out) {
    __m256i sums[TILE][VECTORS];
    const int16_t *weights = chunk->weights;
#pragma GCC unroll 6
    for (size_t p = 0; p < positions; p++) {
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++) {
            sums[p][v] = _mm256_setzero_si256();
        }
    }
    for (size_t r = 0; r < chunk->count; r++) {
        const int16_t *from[TILE];
#pragma GCC unroll 6
        for (size_t p = 0; p < positions; p++) {
            from[p] = windows[p] + chunk->runs[r].offset;
        }
        size_t end = 2 * chunk->runs[r].pairs;
        for (size_t i = 0; i < end; i += 2, weights += vectors * CMAC_VECTOR * 2) {
            __m256i by[VECTORS];
#pragma GCC unroll 2
            for (size_t v = 0; v < vectors; v++) {
                by[v] = _mm256_loadu_si256((const __m256i *)(const void *)(weights + v * CMAC_VECTOR * 2));
            }
#pragma GCC unroll 6
            for (size_t p = 0; p < positions; p++) {
                int32_t pair;
                memcpy(&pair, from[p] + i, sizeof pair);
                __m256i elements = _mm256_set1_epi32(pair);
#pragma GCC unroll 2
                for (size_t v = 0; v < vectors; v++) {
                    sums[p][v] = _mm256_add_epi32(sums[p][v], _mm256_madd_epi16(elements, by[v]));
                }
            }
        }
    }
#pragma GCC unroll 6
    for (size_t p = 0; p < positions; p++) {
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++) {
            _mm256_storeu_si256((__m256i *)(void *)out[p][v], sums[p][v]);
        }
    }
}

/* Sums of the first windows, as many as fit a tile. Returns how many. */
AVX2 static size_t multiply_avx2(const int16_t *const *windows, size_t positions, size_t vectors,
                                 const struct chunk *chunk, tile_sums out) {
    if (positions >= TILE) {
        if (vectors == 2) {
            tile_avx2(windows, TILE, 2, chunk, out);
        } else {
            tile_avx2(windows, TILE, 1, chunk, out);
        }
        return TILE;
    }
    if (positions >= 3) {
        if (vectors == 2) {
            tile_avx2(windows, 3, 2, chunk, out);
        } else {
            tile_avx2(windows, 3, 1, chunk, out);
        }
        return 3;
    }
    if (vectors == 2) {
        tile_avx2(windows, 1, 2, chunk, out);
    } else {
        tile_avx2(windows, 1, 1, chunk, out);
    }
    return 1;
}
#endif

/* The same for machines without those vectors: one position. */
static size_t multiply_any(const int16_t *const *windows, size_t vectors, const struct chunk *chunk, tile_sums out) {
    const int16_t *weights = chunk->weights;
    memset(out[0], 0, sizeof out[0]);
    for (size_t r = 0; r < chunk->count; r++) {
        const int16_t *from = windows[0] + chunk->runs[r].offset;
        for (size_t i = 0; i < chunk->runs[r].pairs; i++) {
            for (size_t v = 0; v < vectors; v++, weights += CMAC_VECTOR * 2) {
                for (size_t k = 0; k < CMAC_VECTOR; k++) {
                    out[0][v][k] += from[2 * i] * weights[2 * k] + from[2 * i + 1] * weights[2 * k + 1];
                }
            }
        }
    }
    return 1;
}

static size_t multiply(const int16_t *const *windows, size_t positions, size_t vectors, const struct chunk *chunk,
                       tile_sums out) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2")) {
        return multiply_avx2(windows, positions, vectors, chunk, out);
    }
#endif
    return multiply_any(windows, vectors, chunk, out);
}

void cmac_multiply(const struct cmac_weights *weights, size_t block, const int16_t *const *windows, size_t positions,
                   const struct cmac_run *runs, size_t count, size_t pair, int64_t *sums) {
    struct chunk chunk = {.runs = runs, .count = count, .weights = pair_of(weights, block, pair)};
    for (size_t p = 0; p < positions;) {
        tile_sums tile;
        size_t done = multiply(windows + p, positions - p, weights->vectors, &chunk, tile);
        add_sums(weights, block, done, tile, sums + p * weights->lanes);
        p += done;
    }
}

/* ---- atomic operations ---- */

void cmac_atom(const int16_t *window, const struct cmac_piece *pieces, size_t count, const int16_t *weights,
               size_t lanes, int64_t *sums) {
    memset(sums, 0, lanes * sizeof *sums);
    for (size_t n = 0; n < count; n++) {
        const int16_t *elements = window + pieces[n].offset;
        for (size_t i = 0; i < pieces[n].count; i++, weights += lanes) {
            for (size_t k = 0; k < lanes; k++) {
                sums[k] += elements[i] * weights[k];
            }
        }
    }
}

int cmac_coefficient(size_t e, size_t n) {
    /* Rows of the transposed output transform: [1 1 1 0] and [0 1 -1 -1]. */
    static const int8_t along[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
    return along[n / 2][e / 4] * along[n % 2][e % 4];
}

void cmac_post_add(const int64_t *sums, size_t step, size_t lanes, int64_t *out) {
    memset(out, 0, 4 * lanes * sizeof *out);
    for (size_t e = 0; e < 16; e++) {
        for (size_t n = 0; n < 4; n++) {
            int c = cmac_coefficient(e, n);
            for (size_t k = 0; k < lanes && c != 0; k++) {
                out[n * lanes + k] += c * sums[e * step + k];
            }
        }
    }
}
