/* Atomic operations on FP16, the same for every vector variant: cmac_fp16_plain.c, cmac_fp16_avx2.c and
 * cmac_fp16_avx512.c include it after what differs, so it is compiled for each. */
#pragma once

#include "model/cmac_fp16_parts.h"

/* ---- operands ---- */

/* Splits `count` elements of the data. Returns whether there is a NaN among them. */
static __attribute__((noinline)) bool read_elements(const int16_t *restrict from, size_t count,
                                                    int16_t *restrict mantissas, int8_t *restrict exponents,
                                                    uint16_t *restrict rows, uint8_t *restrict signs) {
    uint16_t nans = 0;
    for (size_t c = 0; c < count; c++) {
        const uint16_t value = (uint16_t)from[c];
        nans |= decode(value, &mantissas[c], &exponents[c]);
        rows[c] = (uint16_t)((magnitude_of(value, mantissas[c]) & 255) * sizeof cmac_fp16_carries.by8[0]);
        signs[c] = (uint8_t)(value >> 15 << 1); /* KEY_SIGN */
    }
    return nans != 0;
}

/* See cmac_fp16_data_read(). */
static void read(struct cmac_fp16_data *data, const int16_t *window, const struct cmac_piece *pieces, size_t count) {
    int16_t together[CMAC_FP16_MOST];
    const int16_t *from = window + pieces[0].offset;
    size_t all = pieces[0].count;
    if (count > 1) {
        all = 0;
        for (size_t p = 0; p < count; all += pieces[p++].count) {
            /* Winograd has pieces of four. */
            if (pieces[p].count == 4)
                memcpy(together + all, window + pieces[p].offset, 4 * sizeof *together);
            else
                memcpy(together + all, window + pieces[p].offset, pieces[p].count * sizeof *together);
        }
        from = together;
    }
    const bool nan = read_elements(from, all, data->mantissa, data->exponent, data->by8, data->sign);
    data->nan = 0;
    for (size_t i = 0; nan && data->nan == 0; i++)
        if (fp16_is_nan((uint16_t)from[i]))
            data->nan = (uint16_t)from[i];
    data->count = all;
    /* Missing elements count as zeros, to fill whole groups. */
    for (; all % GROUP != 0; all++) {
        data->mantissa[all] = 0;
        data->exponent[all] = ZERO_EXPONENT;
        data->by8[all] = 0;
        data->sign[all] = 0;
    }
    read_by4(data, all);
    for (size_t word = 0; word < all; word += 64) {
        data->nonzero[word / 64] = nonzero_bits(data->mantissa + word);
        if (all - word < 64)
            data->nonzero[word / 64] &= (UINT64_C(1) << (all - word)) - 1;
    }
}

/* ---- terms further away ---- */

/* Collects the products that near_terms() skipped. Each position of a tile has its own sums. */
INLINED void collect_far(struct far *far, const uint32_t *weights, const int16_t *data,
                         const struct distances *distances, bool tile) {
    uint16_t place[64 * LANES + 2]; /* 16 * element + lane */
    size_t count = 0;
    unsigned some = 0; /* lanes with bits */
    for (unsigned i = 0; i < 16; i++)
        some |= (unsigned)(distances->others[i] != 0) << i;
    for (; some != 0; some &= some - 1) {
        const size_t i = (size_t)__builtin_ctz(some);
        uint64_t bits = distances->others[i];
        /* Mostly one or two bits, so no branch on that. */
        place[count] = (uint16_t)(64 * i + (size_t)__builtin_ctzll(bits));
        bits &= bits - 1;
        place[count + 1] = (uint16_t)(64 * i + (size_t)__builtin_ctzll(bits | UINT64_C(1) << 63));
        count += bits != 0 ? 2 : 1;
        for (bits &= bits - 1; bits != 0; bits &= bits - 1)
            place[count++] = (uint16_t)(64 * i + (size_t)__builtin_ctzll(bits));
    }
    for (size_t c = 0; c < count; c++) {
        const size_t n = place[c] / LANES, k = place[c] % LANES; /* cppcheck-suppress uninitvar ; count are there */
        far->weight[c] = (int16_t)weights[place[c]];
        far->data[c] = data[n];
        far->distance[c] = distances->bits[n][k];
        far->place[c] = (uint8_t)(tile ? n / 4 * LANES + k : k);
    }
    far->count = count;
}

/* The terms of 16 products, any distance below eight, directly as in section 9.2. */
INLINED ints terms_of_far(const int16_t *weight, const int16_t *data, const uint8_t *distance) {
    ints w = {0}, d = {0}, shift = {0};
    for (size_t k = 0; k < LANES; k++) {
        w[k] = weight[k];
        d[k] = data[k];
        shift[k] = distance[k];
    }
    const ints sign = w >> 31;
    /* The weight's digits are those of its magnitude; the data takes the sign of both. */
    const ints magnitude = ((w ^ sign) - sign) << 1, by = (d ^ sign) - sign;
    words pair[2][2];
#pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        words s[5] = {{0}};
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            const ints c = magnitude >> (8 * h + 2 * i);
            const ints product = ((c & 1) + (c >> 1 & 1) - (c >> 1 & 2)) * by, missing = product >> 31;
            s[i] += (words)(65536 + product + missing) << 2 * i;
            s[i + 1] += (words)-missing << 2 * i;
        }
        add3(&s[0], &s[1], &s[2]);
        add3(&s[0], &s[1], &s[3]);
        add3(&s[0], &s[1], &s[4]);
        pair[h][0] = s[0];
        pair[h][1] = s[1];
    }
    for (int i = 0; i < 2; i++) {
        const words above = pair[1][i] << 8;
        add3(&pair[0][0], &pair[0][1], &above);
    }
    const words shifts = (words)shift, bias = (words){0} + BIAS;
    return (ints)((pair[0][0] >> shifts) + (pair[0][1] >> shifts) - (bias >> shifts));
}

/* Adds the terms of the collected products to the sums. */
static void add_far(const struct far *far, int32_t *sums) {
    for (size_t n = 0; n < far->count; n += LANES) {
        const size_t end = far->count - n < LANES ? far->count - n : LANES;
        const ints term = terms_of_far(far->weight + n, far->data + n, far->distance + n);
        for (size_t k = 0; k < end; k++)
            sums[far->place[n + k]] += term[k];
    }
}

/* ---- atomic operations ---- */

static void direct(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                   struct cmac_fp16_sums *sums) {
    const bytes most = largest(weights, at, data);
    const struct steady steady = steady_of(most);
    int64_t *mantissas = sums->mantissa[0];
    sum_of low, high;
    int32_t lows[LANES], highs[LANES], distant[LANES] = {0};
    memset(&low, 0, sizeof low);
    memset(&high, 0, sizeof high);
    for (size_t first = 0; first < data->count; first += 64) {
        struct distances distances;
        struct far far;
        count_of count;
        memset(distances.others, 0, sizeof distances.others);
        memset(&count, 0, sizeof count);
        const uint64_t nonzero = data->nonzero[first / 64];
        for (size_t i = 0; i < 64 && nonzero >> i != 0; i += GROUP) {
            if ((nonzero >> i & ((1 << GROUP) - 1)) == 0)
                continue;
            sum_of sum;
            memset(&sum, 0, sizeof sum);
            near_terms(weights, at + first + i, data, first + i, &steady, distances.bits + i,
                       &distances.others[i / GROUP], &sum, &count);
            add_parts(&sum, &low, &high);
        }
        subtract_counts(&low, &count);
        collect_far(&far, weights->mantissas + (at + first) * LANES, data->mantissa + first, &distances, false);
        add_far(&far, distant);
    }
    memcpy(lows, &low, sizeof lows);
    memcpy(highs, &high, sizeof highs);
    for (size_t k = 0; k < LANES; k++) {
        sums->exponent[k] = most[k];
        mantissas[k] = (int64_t)highs[k] * 65536 + lows[k] + distant[k];
    }
}

static void tile_of(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                    struct cmac_fp16_sums *sums) {
    const bytes most = largest(weights, at, data);
    const struct steady steady = steady_of(most);
    int32_t positions[TILE_POSITIONS][LANES];
    struct distances distances;
    struct far far;
    for (size_t e = 0; e < TILE_POSITIONS; e++) {
        sum_of sum;
        count_of count;
        memset(&sum, 0, sizeof sum);
        memset(&count, 0, sizeof count);
        near_terms(weights, at + e * GROUP, data, e * GROUP, &steady, distances.bits + e * GROUP, &distances.others[e],
                   &sum, &count);
        subtract_counts(&sum, &count);
        memcpy(positions[e], &sum, sizeof positions[e]);
    }
    collect_far(&far, weights->mantissas + at * LANES, data->mantissa, &distances, true);
    add_far(&far, positions[0]);
    for (size_t k = 0; k < LANES; k++)
        sums->exponent[k] = most[k];
    post_add(positions, sums->mantissa);
}

/* ---- tables ---- */

/* Carries of `bits` bits for data of a magnitude, a byte for each key. */
INLINED void carries_of(int16_t data, unsigned bits, uint8_t *row, unsigned keys) {
    for (unsigned key = 0; key < keys; key += 2) {
        int16_t w[LANES], d[LANES];
        uint8_t distance[LANES];
        for (unsigned k = 0; k < LANES; k++) {
            const unsigned its = key + k / 8;
            w[k] = (int16_t)((its >> 2 << 4 | (its & 1) << 3 | k % 8) & ((1u << bits) - 1));
            d[k] = (int16_t)(its & KEY_SIGN ? -data : data);
            distance[k] = (uint8_t)bits;
        }
        const ints terms = terms_of_far(w, d, distance);
        row[key] = row[key + 1] = 0;
        for (unsigned k = 0; k < LANES; k++)
            row[key + k / 8] |= (uint8_t)(((w[k] * d[k] >> bits) - terms[k]) << k % 8);
    }
}

static void fill_tables(void) {
    for (int16_t d = 0; d < 256; d++) {
        /* Higher bits of the data change nothing, but it must not be 0: a digit times 0 has no sign. */
        carries_of((int16_t)(256 + d), 8, cmac_fp16_carries.by8[d], 64);
        if (d < 16)
            carries_of((int16_t)(256 + d), 4, cmac_fp16_carries.by4[d], 4);
    }
}
