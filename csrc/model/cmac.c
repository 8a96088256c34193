/* Sums of products of integers, several kernels at a time. See cmac.h. */
#include "model/cmac.h"

#include <string.h>

#include "nvdla/sizes.h"
#include "nvdla/wide.h"

/* ---- weights ---- */

/* Numbers of a block from one pair to the next. */
static size_t pair_size(const struct cmac_weights *weights) {
    return weights->vectors * CMAC_VECTOR * 2;
}

void cmac_weights_begin(struct cmac_weights *weights, bool wide, size_t lanes, size_t pairs, size_t most) {
    size_t vectors = wide || lanes > CMAC_VECTOR ? 2 : 1;
    size_t kernels = wide ? CMAC_VECTOR : vectors * CMAC_VECTOR;
    *weights = (struct cmac_weights){.wide = wide,
                                     .lanes = lanes,
                                     .vectors = vectors,
                                     .kernels = kernels,
                                     .blocks = ceil_div(lanes, kernels),
                                     .pairs = pairs,
                                     .packed = weights->packed,
                                     .parts = weights->parts};
    buffer_reserve(&weights->packed, weights->blocks * pairs, pair_size(weights) * sizeof(int16_t));
    if (wide)
        buffer_reserve(&weights->parts, 2 * most, sizeof(int16_t));
    cmac_weights_clear(weights);
}

void cmac_weights_free(struct cmac_weights *weights) {
    buffer_free(&weights->packed);
    buffer_free(&weights->parts);
}

static int16_t *pair_of(const struct cmac_weights *weights, size_t block, size_t pair) {
    return (int16_t *)weights->packed.bytes + (block * weights->pairs + pair) * pair_size(weights);
}

void cmac_weights_clear(struct cmac_weights *weights) {
    memset(weights->packed.bytes, 0, weights->blocks * weights->pairs * pair_size(weights) * sizeof(int16_t));
}

/* weight = high * 256 + low, low is a signed byte. */
WIDE static void split(const int16_t *elements, size_t count, int16_t *restrict low, int16_t *restrict high) {
    for (size_t i = 0; i < count; i++) {
        low[i] = (int8_t)elements[i];
        high[i] = (int16_t)((elements[i] + 128) >> 8);
    }
}

void cmac_weights_take(struct cmac_weights *weights, const int16_t *elements, size_t count) {
    weights->part[0] = elements;
    if (weights->wide) {
        int16_t *low = weights->parts.bytes;
        split(elements, count, low, low + count);
        weights->part[0] = low;
        weights->part[1] = low + count;
    }
}

/* Packs weights of `kernels` kernels, `step` apart, into vectors `size` apart from pair to pair; the first goes to
 * place `at` (0 or 1) of the first pair. */
static inline void place(int16_t *to, size_t size, size_t at, const int16_t *from, size_t step, size_t kernels,
                         size_t count) {
    size_t i = 0;
    if (at == 1 && count > 0) {
        for (size_t k = 0; k < kernels; k++)
            to[2 * k + 1] = from[k * step];
        to += size;
        i = 1;
    }
    for (; i + 1 < count; i += 2, to += size)
        for (size_t k = 0; k < kernels; k++)
            memcpy(to + 2 * k, from + k * step + i, 2 * sizeof *to);
    if (i < count)
        for (size_t k = 0; k < kernels; k++)
            to[2 * k] = from[k * step + i];
}

void cmac_weights_place(struct cmac_weights *weights, size_t at, size_t first, size_t step, size_t kernels,
                        size_t count) {
    size_t size = pair_size(weights);
    for (size_t k = 0; k < kernels; k += weights->kernels) {
        size_t n = kernels - k < weights->kernels ? kernels - k : weights->kernels;
        int16_t *to = pair_of(weights, k / weights->kernels, at / 2);
        for (size_t part = 0; part < (weights->wide ? 2 : 1); part++) {
            const int16_t *from = weights->part[part] + first + k * step;
            /* A constant number of kernels makes the loops fast. */
            if (n == CMAC_VECTOR)
                place(to + part * CMAC_VECTOR * 2, size, at % 2, from, step, CMAC_VECTOR, count);
            else if (n == 2 * CMAC_VECTOR)
                place(to + part * CMAC_VECTOR * 2, size, at % 2, from, step, 2 * CMAC_VECTOR, count);
            else
                place(to + part * CMAC_VECTOR * 2, size, at % 2, from, step, n, count);
        }
    }
}

/* ---- chunks of windows ---- */

/* Positions that share each loaded vector of weights: six times two sums fill the registers of common machines. */
enum { TILE = 6, HALF_TILE = 3, VECTORS = 2 };

struct cmac_chunk {
    const struct cmac_run *runs;
    size_t count;
    const int16_t *weights; /* of the block, from the chunk's first pair on */
};

/* Sums of `positions` windows, one number per kernel and vector. */
typedef int32_t tile_sums[TILE][VECTORS][CMAC_VECTOR];

/* Operands of cmac_multiply(). */
struct cmac_job {
    const struct cmac_weights *weights;
    struct cmac_chunk chunk;
    const int16_t *const *windows;
    size_t positions;
    int64_t *sums; /* first kernel of the block */
};

/* Adds the sums of one position to its own. */
static inline __attribute__((always_inline)) void
add_sums(const struct cmac_weights *weights, const int32_t (*restrict tile)[CMAC_VECTOR], int64_t *restrict sums) {
    if (weights->wide) {
        for (size_t k = 0; k < CMAC_VECTOR; k++)
            sums[k] += tile[0][k] + (int64_t)tile[1][k] * 256;
    } else {
        for (size_t v = 0; v < weights->vectors; v++)
            for (size_t k = 0; k < CMAC_VECTOR; k++)
                sums[v * CMAC_VECTOR + k] += tile[v][k];
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

/* The kernel: with constant arguments the sums stay in registers and the loops over p and v vanish. */
AVX2 __attribute__((always_inline)) static inline void tile_avx2(const int16_t *const *windows, size_t positions,
                                                                 size_t vectors, const struct cmac_chunk *chunk,
                                                                 tile_sums out) {
    __m256i sums[TILE][VECTORS];
    const int16_t *weights = chunk->weights;
#pragma GCC unroll 6
    for (size_t p = 0; p < positions; p++) {
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++)
            sums[p][v] = _mm256_setzero_si256();
    }
    for (size_t r = 0; r < chunk->count; r++) {
        const int16_t *from[TILE];
#pragma GCC unroll 6
        for (size_t p = 0; p < positions; p++)
            from[p] = windows[p] + chunk->runs[r].offset;
        size_t end = 2 * chunk->runs[r].pairs;
        for (size_t i = 0; i < end; i += 2, weights += vectors * CMAC_VECTOR * 2) {
            __m256i by[VECTORS];
#pragma GCC unroll 2
            for (size_t v = 0; v < vectors; v++)
                by[v] = _mm256_loadu_si256((const __m256i *)(const void *)(weights + v * CMAC_VECTOR * 2));
#pragma GCC unroll 6
            for (size_t p = 0; p < positions; p++) {
                int32_t pair;
                memcpy(&pair, from[p] + i, sizeof pair);
                __m256i elements = _mm256_set1_epi32(pair);
#pragma GCC unroll 2
                for (size_t v = 0; v < vectors; v++)
                    sums[p][v] = _mm256_add_epi32(sums[p][v], _mm256_madd_epi16(elements, by[v]));
            }
        }
    }
#pragma GCC unroll 6
    for (size_t p = 0; p < positions; p++) {
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++)
            _mm256_storeu_si256((__m256i *)(void *)out[p][v], sums[p][v]);
    }
}

/* The sums of one tile of `positions` windows, 6, 3 or 1. */
AVX2 static void tile_of(const int16_t *const *windows, size_t positions, size_t vectors,
                         const struct cmac_chunk *chunk, tile_sums out) {
    if (vectors == 2) {
        if (positions == TILE)
            tile_avx2(windows, TILE, 2, chunk, out);
        else if (positions == HALF_TILE)
            tile_avx2(windows, HALF_TILE, 2, chunk, out);
        else
            tile_avx2(windows, 1, 2, chunk, out);
    } else if (positions == TILE) {
        tile_avx2(windows, TILE, 1, chunk, out);
    } else if (positions == HALF_TILE) {
        tile_avx2(windows, HALF_TILE, 1, chunk, out);
    } else {
        tile_avx2(windows, 1, 1, chunk, out);
    }
}

AVX2 static void multiply_avx2(const struct cmac_job *job) {
    for (size_t p = 0, n; p < job->positions; p += n) {
        size_t left = job->positions - p;
        n = left >= TILE ? TILE : left >= HALF_TILE ? HALF_TILE : 1;
        tile_sums tile;
        tile_of(job->windows + p, n, job->weights->vectors, &job->chunk, tile);
        for (size_t i = 0; i < n; i++)
            add_sums(job->weights, tile[i], job->sums + (p + i) * job->weights->lanes);
    }
}
#endif

/* The same for machines without those vectors. */
static void multiply_any(const struct cmac_job *job) {
    for (size_t p = 0; p < job->positions; p++) {
        const int16_t *weights = job->chunk.weights;
        int32_t sums[VECTORS][CMAC_VECTOR] = {{0}};
        for (size_t r = 0; r < job->chunk.count; r++) {
            const int16_t *from = job->windows[p] + job->chunk.runs[r].offset;
            for (size_t i = 0; i < job->chunk.runs[r].pairs; i++) {
                for (size_t v = 0; v < job->weights->vectors; v++, weights += CMAC_VECTOR * 2)
                    for (size_t k = 0; k < CMAC_VECTOR; k++)
                        sums[v][k] += from[2 * i] * weights[2 * k] + from[2 * i + 1] * weights[2 * k + 1];
            }
        }
        add_sums(job->weights, sums, job->sums + p * job->weights->lanes);
    }
}

void cmac_multiply(const struct cmac_weights *weights, size_t block, const int16_t *const *windows, size_t positions,
                   const struct cmac_run *runs, size_t count, size_t pair, int64_t *sums) {
    struct cmac_job job = {.weights = weights,
                           .chunk = {.runs = runs, .count = count, .weights = pair_of(weights, block, pair)},
                           .windows = windows,
                           .positions = positions,
                           .sums = sums + block * weights->kernels};
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2")) {
        multiply_avx2(&job);
        return;
    }
#endif
    multiply_any(&job);
}

/* ---- atomic operations ---- */

void cmac_atom(const int16_t *window, const struct cmac_piece *pieces, size_t count, const int16_t *weights,
               size_t lanes, int64_t *sums) {
    memset(sums, 0, lanes * sizeof *sums);
    for (size_t n = 0; n < count; n++) {
        const int16_t *elements = window + pieces[n].offset;
        for (size_t i = 0; i < pieces[n].count; i++, weights += lanes)
            for (size_t k = 0; k < lanes; k++)
                sums[k] += elements[i] * weights[k];
    }
}

INLINED void add_int8(const int16_t *window, const struct cmac_piece *pieces, size_t count, const int16_t *weights,
                      size_t lanes, int64_t *sums) {
    int32_t narrow[CMAC_CELLS];
    memset(narrow, 0, lanes * sizeof *narrow);
    for (size_t n = 0; n < count; n++) {
        const int16_t *elements = window + pieces[n].offset;
        for (size_t i = 0; i < pieces[n].count; i++, weights += lanes)
            for (size_t k = 0; k < lanes; k++)
                narrow[k] += elements[i] * weights[k];
    }
    for (size_t k = 0; k < lanes; k++)
        sums[k] = narrow[k];
}

WIDE static void atom_int8(const int16_t *window, const struct cmac_piece *pieces, size_t count, const int16_t *weights,
                           size_t lanes, int64_t *sums) {
    if (lanes == 8) /* a constant: the sums stay in registers */
        add_int8(window, pieces, count, weights, 8, sums);
    else
        add_int8(window, pieces, count, weights, lanes, sums);
}

/* Not WIDE itself: clang has no symbol of that name for callers in other files. */
void cmac_atom_int8(const int16_t *window, const struct cmac_piece *pieces, size_t count, const int16_t *weights,
                    size_t lanes, int64_t *sums) {
    atom_int8(window, pieces, count, weights, lanes, sums);
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
            for (size_t k = 0; k < lanes && c != 0; k++)
                out[n * lanes + k] += c * sums[e * step + k];
        }
    }
}
