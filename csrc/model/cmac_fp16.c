/* Sums of products of FP16: exponents, alignment, guard bits, NaN and infinity. See cmac_fp16.h. */
#include "model/cmac_fp16.h"

#include <string.h>

/* gcc alone compiles one piece of code for several machines in a file. */
#if defined(__x86_64__) && !defined(__clang__)
#define SEVERAL_MACHINES
#include <immintrin.h>
#endif

#include "model/wide.h"
#include "nvdla/fp.h"
#include "nvdla/sizes.h"

enum {
    LANES = CMAC_FP16_LANES,
    DIGITS = CMAC_FP16_DIGITS,
    ZERO_EXPONENT = -64, /* products of it never count: differences of eight and more are dropped */
    FAR = 8,             /* difference of exponents from which on a product is dropped */
    FEW = 7,             /* terms, below 2^28 each, that 32 bits hold */
    NAN_EXPONENT = 63
};

/* Added to the product of a pair, so that both numbers are positive. */
#define BIAS UINT32_C(0x55550000)

typedef void atom_of(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                     struct cmac_fp16_sums *sums);

/* The same code for several machines: compilers make vectors of what the target has only where they are told before. */
#define NAME(name) name##_plain
#include "model/cmac_fp16_terms.h"
#undef NAME
#ifdef SEVERAL_MACHINES
#pragma GCC push_options
#pragma GCC target("avx2")
#define NAME(name) name##_avx2
#include "model/cmac_fp16_terms.h"
#undef NAME
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq")
#define NAME(name) name##_avx512
#include "model/cmac_fp16_terms.h"
#undef NAME
#pragma GCC pop_options
#endif

/* ---- operands ---- */

/* value = +-mantissa * 16^exponent * 2^-25; an infinity is the number 2^16. */
static int decode(uint16_t value, uint16_t *mantissa) {
    unsigned e = value >> 10 & 31, m = value & 1023u;
    *mantissa = (uint16_t)((e == 0 ? 2 * m : 1024 + m) << (e & 3));
    return (int)(e >> 2);
}

void cmac_fp16_weights_begin(struct cmac_fp16_weights *weights, size_t kernels, size_t elements, size_t atoms) {
    size_t blocks = ceil_div(kernels, LANES), exponents = blocks * elements * LANES;
    size_t digits = exponents * DIGITS, mantissas = exponents, nans = blocks * atoms * LANES;
    *weights =
        (struct cmac_fp16_weights){.blocks = blocks, .elements = elements, .atoms = atoms, .memory = weights->memory};
    buffer_reserve(&weights->memory, 1,
                   mantissas * sizeof(int32_t) + (digits + exponents) * sizeof(int16_t) + nans * sizeof(uint16_t));
    weights->mantissas = weights->memory.bytes;
    weights->digits = (int16_t *)(weights->mantissas + mantissas);
    weights->exponents = weights->digits + digits;
    weights->nans = (uint16_t *)(weights->exponents + exponents);
}

void cmac_fp16_weights_free(struct cmac_fp16_weights *weights) {
    buffer_free(&weights->memory);
}

void cmac_fp16_weights_clear(struct cmac_fp16_weights *weights) {
    size_t elements = weights->blocks * weights->elements;
    memset(weights->mantissas, 0, elements * LANES * sizeof *weights->mantissas);
    memset(weights->digits, 0, elements * DIGITS * LANES * sizeof *weights->digits);
    for (size_t i = 0; i < elements * LANES; i++)
        weights->exponents[i] = ZERO_EXPONENT;
    memset(weights->nans, 0, weights->blocks * weights->atoms * LANES * sizeof *weights->nans);
}

void cmac_fp16_weight(struct cmac_fp16_weights *weights, size_t k, size_t i, size_t atom, uint16_t value) {
    static const int16_t booth[8] = {0, 1, 1, 2, -2, -1, -1, 0};
    uint16_t mantissa;
    int exponent = decode(value, &mantissa);
    if (mantissa == 0)
        return;
    size_t block = k / LANES, lane = k % LANES, at = block * weights->elements + i;
    uint16_t *nan = &weights->nans[(block * weights->atoms + atom) * LANES + lane];
    if (*nan == 0 && fp16_is_nan(value))
        *nan = value;
    weights->exponents[at * LANES + lane] = (int16_t)exponent;
    weights->mantissas[at * LANES + lane] = value >> 15 ? -mantissa : mantissa;
    for (unsigned d = 0; d < DIGITS; d++) {
        int16_t digit = booth[(uint32_t)mantissa << 1 >> 2 * d & 7];
        weights->digits[(at * DIGITS + d) * LANES + lane] = value >> 15 ? (int16_t)-digit : digit;
    }
}

/* Mantissas with sign and exponents of FP16 patterns. Returns whether there is a NaN among them. */
WIDE static bool decode_all(const int16_t *restrict values, size_t count, int16_t *restrict mantissas,
                            int16_t *restrict exponents) {
    int16_t nans = 0;
    for (size_t c = 0; c < count; c++) {
        const uint16_t value = (uint16_t)values[c];
        const uint16_t e = value >> 10 & 31, m = value & 1023u;
        const uint16_t significand = e == 0 ? (uint16_t)(2 * m) : (uint16_t)(1024 + m), by = e & 3;
        /* Shifted by two steps of no or some bits: 16-bit vectors have no shifts that differ. */
        const uint16_t once = by & 1 ? (uint16_t)(significand << 1) : significand;
        const int16_t mantissa = (int16_t)(by & 2 ? once << 2 : once);
        mantissas[c] = (int16_t)(value >> 15 ? -mantissa : mantissa);
        exponents[c] = (int16_t)(e >> 2);
        nans |= (int16_t)((value & 0x7fff) > 0x7c00);
    }
    return nans != 0;
}

void cmac_fp16_data_read(struct cmac_fp16_data *data, const int16_t *window, const struct cmac_piece *pieces,
                         size_t count) {
    int16_t mantissas[CMAC_FP16_MOST], exponents[CMAC_FP16_MOST];
    size_t n = 0, all = 0;
    data->nan = 0;
    for (size_t p = 0; p < count; p++) {
        const int16_t *from = window + pieces[p].offset;
        const bool nan = decode_all(from, pieces[p].count, mantissas + all, exponents + all);
        for (size_t c = 0; nan && data->nan == 0 && c < pieces[p].count; c++)
            if (fp16_is_nan((uint16_t)from[c]))
                data->nan = (uint16_t)from[c];
        all += pieces[p].count;
    }
    for (size_t i = 0; i < all; i++) {
        data->element[n] = (uint16_t)i;
        data->mantissa[n] = mantissas[i];
        data->exponent[n] = exponents[i];
        n += mantissas[i] != 0;
    }
    data->count = n;
}

/* The kinds of machine, the best last: direct, tile. */
static atom_of *const kinds[][2] = {
    {direct_plain, tile_of_plain},
#ifdef SEVERAL_MACHINES
    {direct_avx2, tile_of_avx2},
    {direct_avx512, tile_of_avx512},
#endif
};

static atom_of *const *chosen = kinds[0];

size_t cmac_fp16_kinds(void) {
#ifdef SEVERAL_MACHINES
    if (!__builtin_cpu_supports("avx2"))
        return 1;
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512dq")
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

void cmac_fp16_atom(const struct cmac_fp16_weights *weights, size_t block, size_t atom, size_t first,
                    const struct cmac_fp16_data *data, bool tile, struct cmac_fp16_sums *sums) {
    size_t at = block * weights->elements + first;
    chosen[tile](weights, at, data, sums);
    const uint16_t *nans = weights->nans + (block * weights->atoms + atom) * LANES;
    for (size_t k = 0; k < LANES; k++) {
        uint16_t nan = nans[k] != 0 ? nans[k] : data->nan;
        if (nan != 0) {
            sums->exponent[k] = NAN_EXPONENT;
            for (size_t o = 0; o < (tile ? CMAC_FP16_OUTPUTS : 1); o++)
                sums->mantissa[o][k] = (int64_t)(nan >> 15 << 10 | (nan & 1023)) << 27;
        } else {
            sums->exponent[k] *= 4;
        }
    }
}
