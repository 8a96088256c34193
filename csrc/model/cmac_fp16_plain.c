/* Products of FP16 convolutions for any machine. */
#include "model/cmac_fp16_parts.h"

/* Bit i: mantissas[i] is not zero; i < 64. */
INLINED uint64_t nonzero_bits(const int16_t *mantissas) {
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++)
        bits |= (uint64_t)(mantissas[i] != 0) << i;
    return bits;
}

INLINED bytes larger(bytes a, bytes b) {
    const bytes mask = a > b;
    return (a & mask) | (b & ~mask);
}

/* Sums of terms, one per lane; numbers of carries, in lanes of one or several elements. */
typedef struct {
    int32_t lane[LANES];
} sum_of;
typedef struct {
    uint8_t lane[LANES];
} count_of;

/* Shared by the groups of an atomic operation. most: the largest exponent of each lane. */
struct steady {
    bytes most;
};

INLINED struct steady steady_of(bytes most) {
    return (struct steady){most};
}

/* The rows in the table of carries of four bits. */
INLINED void read_by4(struct cmac_fp16_data *data, size_t count) {
    for (size_t c = 0; c < count; c++)
        memcpy(&data->by4[c], cmac_fp16_carries.by4[data->by8[c] / sizeof cmac_fp16_carries.by8[0] % 16],
               sizeof data->by4[c]);
}

/* Largest sum of exponents of each lane, 0 if no product counts. at: of the atomic operation's first element. */
INLINED bytes largest(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data) {
    const int8_t *exponents = weights->exponents + at * LANES;
    bytes most = {0};
    for (size_t i = 0; i < data->count; i++)
        most = larger(most, load_bytes(exponents + i * LANES) + data->exponent[i]);
    return most;
}

/* Adds the terms of a group of elements that are at most two steps below the largest, and counts their carries, which
 * are to be subtracted. Also finds the distances of the group, the first of `to` and of `others`. Elements: `at` of the
 * weights, n of the data. */
INLINED void near_terms(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data, size_t n,
                        const struct steady *steady, uint8_t (*to)[LANES], uint64_t *others, sum_of *sum,
                        count_of *count) {
    const uint32_t *mantissas = weights->mantissas + at * LANES;
    const int8_t *exponents = weights->exponents + at * LANES;
    const uint8_t *keys = weights->keys + at * LANES, *bits = weights->bits + at * LANES;
    const uint8_t *by8 = cmac_fp16_carries.by8[0];
    const unsigned_bytes from = (unsigned_bytes)steady->most;
    *others = 0;
    for (size_t e = 0; e < GROUP; e++) {
        if (data->mantissa[n + e] == 0)
            continue;
        const unsigned_bytes distance =
            from - (unsigned_bytes)(load_bytes(exponents + e * LANES) + data->exponent[n + e]);
        const uint8_t *eight = by8 + data->by8[n + e];
        memcpy(to[e], &distance, sizeof distance);
        for (size_t k = 0; k < LANES; k++) {
            const size_t i = e * LANES + k;
            const uint8_t far = to[e][k], key = keys[i] ^ data->sign[n + e];
            const uint8_t of_once = (uint8_t)(data->by4[n + e] >> key % 4 * 8) & (uint8_t)-(far == STEP);
            const uint8_t of_twice = eight[key] & (uint8_t)-(far == 2 * STEP);
            const int32_t product = (int16_t)mantissas[i] * data->mantissa[n + e];
            sum->lane[k] += far < 3 * STEP ? product >> far % 32 : 0;
            count->lane[k] = (uint8_t)(count->lane[k] + (((of_once | of_twice) & bits[i]) != 0));
            *others |= (uint64_t)(far >= 3 * STEP && far < FAR * STEP) << i;
        }
    }
}

/* Adds the sums of a group to numbers in two parts; the upper part counts 2^16. */
INLINED void add_parts(const sum_of *sum, sum_of *low, sum_of *high) {
    for (size_t k = 0; k < LANES; k++) {
        low->lane[k] += sum->lane[k] & 0xffff;
        high->lane[k] += sum->lane[k] >> 16;
    }
}

/* Subtracts the carries, at most 64 of a lane. */
INLINED void subtract_counts(sum_of *sum, const count_of *count) {
    for (size_t k = 0; k < LANES; k++)
        sum->lane[k] -= count->lane[k];
}

#include "model/cmac_fp16_terms.h"

const struct cmac_fp16_machine cmac_fp16_plain = {read, direct, tile_of, fill_tables};
