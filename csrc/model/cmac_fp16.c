/* Sums of products of FP16: exponents, alignment, guard bits, NaN and infinity. See cmac_fp16.h. */
#include "model/cmac_fp16.h"

#include <string.h>

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

/* ---- operands ---- */

/* value = +-mantissa * 16^exponent * 2^-25; an infinity is the number 2^16. */
static int decode(uint16_t value, uint16_t *mantissa) {
    unsigned e = value >> 10 & 31, m = value & 1023u;
    *mantissa = (uint16_t)((e == 0 ? 2 * m : 1024 + m) << (e & 3));
    return (int)(e >> 2);
}

void cmac_fp16_weights_begin(struct cmac_fp16_weights *weights, size_t kernels, size_t elements, size_t atoms) {
    size_t blocks = ceil_div(kernels, LANES), exponents = blocks * elements * LANES;
    size_t digits = exponents * DIGITS, nans = blocks * atoms * LANES;
    *weights =
        (struct cmac_fp16_weights){.blocks = blocks, .elements = elements, .atoms = atoms, .memory = weights->memory};
    buffer_reserve(&weights->memory, 1, (digits + exponents) * sizeof(int32_t) + nans * sizeof(uint16_t));
    weights->digits = weights->memory.bytes;
    weights->exponents = weights->digits + digits;
    weights->nans = (uint16_t *)(weights->exponents + exponents);
}

void cmac_fp16_weights_free(struct cmac_fp16_weights *weights) {
    buffer_free(&weights->memory);
}

void cmac_fp16_weights_clear(struct cmac_fp16_weights *weights) {
    size_t elements = weights->blocks * weights->elements;
    memset(weights->digits, 0, elements * DIGITS * LANES * sizeof *weights->digits);
    for (size_t i = 0; i < elements * LANES; i++)
        weights->exponents[i] = ZERO_EXPONENT;
    memset(weights->nans, 0, weights->blocks * weights->atoms * LANES * sizeof *weights->nans);
}

void cmac_fp16_weight(struct cmac_fp16_weights *weights, size_t k, size_t i, size_t atom, uint16_t value) {
    static const int32_t booth[8] = {0, 1, 1, 2, -2, -1, -1, 0};
    uint16_t mantissa;
    int exponent = decode(value, &mantissa);
    if (mantissa == 0)
        return;
    size_t block = k / LANES, lane = k % LANES, at = block * weights->elements + i;
    uint16_t *nan = &weights->nans[(block * weights->atoms + atom) * LANES + lane];
    if (*nan == 0 && fp16_is_nan(value))
        *nan = value;
    weights->exponents[at * LANES + lane] = exponent;
    for (unsigned d = 0; d < DIGITS; d++) {
        int32_t digit = booth[(uint32_t)mantissa << 1 >> 2 * d & 7];
        weights->digits[(at * DIGITS + d) * LANES + lane] = value >> 15 ? -digit : digit;
    }
}

void cmac_fp16_data_read(struct cmac_fp16_data *data, const int16_t *window, const struct cmac_piece *pieces,
                         size_t count) {
    size_t n = 0, i = 0;
    data->nan = 0;
    for (size_t p = 0; p < count; p++) {
        const int16_t *from = window + pieces[p].offset;
        for (size_t c = 0; c < pieces[p].count; c++, i++) {
            uint16_t value = (uint16_t)from[c], mantissa;
            int exponent = decode(value, &mantissa);
            if (data->nan == 0 && fp16_is_nan(value))
                data->nan = value;
            data->element[n] = (uint16_t)i;
            data->mantissa[n] = value >> 15 ? -mantissa : mantissa;
            data->exponent[n] = exponent;
            n += mantissa != 0;
        }
    }
    data->count = n;
}

/* ---- products ---- */

struct pair {
    uint32_t first, second;
};

/* Carry-save adder: the two results add up to the three operands. */
static inline struct pair add3(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t differ = a ^ b;
    return (struct pair){differ ^ c, ((a & b) | (differ & c)) << 1};
}

/* The tree over five numbers, and over four. */
static inline struct pair add5(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e) {
    struct pair one = add3(a, b, c);
    struct pair two = add3(one.first, one.second, d);
    return add3(two.first, two.second, e);
}

static inline struct pair add4(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    struct pair one = add3(a, b, c);
    return add3(one.first, one.second, d);
}

/* Digit times data mantissa as a 17-bit number, negative products in one's complement. */
static inline uint32_t partial(int32_t product) {
    return (uint32_t)(65536 + product - (product < 0));
}

/* What is missing from the one's complement. */
static inline uint32_t missing(int32_t product) {
    return product < 0;
}

/* Four digits with their weights 1, 4, 16, 64. */
static inline struct pair half(int32_t a, int32_t b, int32_t c, int32_t d) {
    return add5(partial(a), 4 * partial(b) + missing(a), 16 * partial(c) + 4 * missing(b),
                64 * partial(d) + 16 * missing(c), 64 * missing(d));
}

/* The product of a data mantissa with a weight's digits d[0], d[LANES], .., shifted right by four times `distance`,
 * each number of the pair for itself. */
static inline int32_t term(const int32_t *d, int32_t data, int32_t distance) {
    struct pair low = half(d[0] * data, d[LANES] * data, d[2 * LANES] * data, d[3 * LANES] * data);
    struct pair high = half(d[4 * LANES] * data, d[5 * LANES] * data, d[6 * LANES] * data, d[7 * LANES] * data);
    struct pair sum = add4(low.first, low.second, high.first << 8, high.second << 8);
    uint32_t near = distance < FAR ? UINT32_MAX : 0, shift = (uint32_t)(4 * distance) & 31;
    return (int32_t)(((sum.first >> shift) + (sum.second >> shift) - (BIAS >> shift)) & near);
}

/* Largest sum of exponents of each lane, 0 if no product counts. */
static inline void largest(const int32_t *restrict exponents, const struct cmac_fp16_data *data,
                           int32_t *restrict most) {
    for (size_t k = 0; k < LANES; k++)
        most[k] = 0;
    for (size_t n = 0; n < data->count; n++) {
        const int32_t *restrict of = exponents + data->element[n] * LANES;
        for (size_t k = 0; k < LANES; k++) {
            int32_t sum = of[k] + data->exponent[n];
            most[k] = sum > most[k] ? sum : most[k];
        }
    }
}

/* Sum of the terms of the data elements [n, end), at most FEW. */
static inline void add_terms(const int32_t *restrict digits, const int32_t *restrict exponents,
                             const struct cmac_fp16_data *data, size_t n, size_t end, const int32_t *restrict most,
                             int32_t *restrict sums) {
    for (size_t k = 0; k < LANES; k++)
        sums[k] = 0;
    for (; n < end; n++) {
        const int32_t *restrict d = digits + data->element[n] * DIGITS * LANES;
        const int32_t *restrict of = exponents + data->element[n] * LANES;
        int32_t mantissa = data->mantissa[n], exponent = data->exponent[n];
        for (size_t k = 0; k < LANES; k++)
            sums[k] += term(d + k, mantissa, most[k] - of[k] - exponent);
    }
}

WIDE static void direct(const int32_t *digits, const int32_t *exponents, const struct cmac_fp16_data *data,
                        struct cmac_fp16_sums *sums) {
    largest(exponents, data, sums->exponent);
    memset(sums->mantissa[0], 0, sizeof sums->mantissa[0]);
    for (size_t n = 0; n < data->count; n += FEW) {
        int32_t some[LANES];
        add_terms(digits, exponents, data, n, n + FEW < data->count ? n + FEW : data->count, sums->exponent, some);
        for (size_t k = 0; k < LANES; k++)
            sums->mantissa[0][k] += some[k];
    }
}

WIDE static void tile_of(const int32_t *digits, const int32_t *exponents, const struct cmac_fp16_data *data,
                         struct cmac_fp16_sums *sums) {
    largest(exponents, data, sums->exponent);
    memset(sums->mantissa, 0, sizeof sums->mantissa);
    for (size_t n = 0; n < data->count;) {
        size_t e = data->element[n] / 4u, end = n; /* four channels of a position */
        while (end < data->count && data->element[end] / 4u == e)
            end++;
        int32_t some[LANES];
        add_terms(digits, exponents, data, n, end, sums->exponent, some);
        for (size_t o = 0; o < CMAC_FP16_OUTPUTS; o++) {
            int32_t c = cmac_coefficient(e, o);
            for (size_t k = 0; k < LANES; k++)
                sums->mantissa[o][k] += c * some[k];
        }
        n = end;
    }
}

void cmac_fp16_atom(const struct cmac_fp16_weights *weights, size_t block, size_t atom, size_t first,
                    const struct cmac_fp16_data *data, bool tile, struct cmac_fp16_sums *sums) {
    size_t at = block * weights->elements + first;
    const int32_t *digits = weights->digits + at * DIGITS * LANES, *exponents = weights->exponents + at * LANES;
    if (tile)
        tile_of(digits, exponents, data, sums);
    else
        direct(digits, exponents, data, sums);
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
