/* Products of FP16 convolutions with 256-bit vectors, function by function as in cmac_fp16_plain.c, which explains
 * them. */
#include "model/cmac_fp16_parts.h"

#ifdef SEVERAL_MACHINES
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

INLINED uint64_t nonzero_bits(const int16_t *mantissas) {
    uint64_t zeros = 0;
    for (int i = 0; i < 64; i += 16) {
        const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)(mantissas + i));
        const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(mantissas + i + 8));
        const __m128i packed = _mm_packs_epi16(low, high);
        const int some = _mm_movemask_epi8(_mm_cmpeq_epi8(packed, _mm_setzero_si128()));
        zeros |= (uint64_t)(unsigned)some << i;
    }
    return ~zeros;
}

INLINED bytes larger(bytes a, bytes b) {
    return (bytes)_mm_max_epi8((__m128i)a, (__m128i)b);
}

/* Bytes of two elements, 16 lanes each. */
INLINED __m256i spread(const uint8_t *from) {
    return _mm256_setr_m128i(_mm_set1_epi8((char)from[0]), _mm_set1_epi8((char)from[1]));
}

typedef struct {
    __m256i half[2];
} sum_of;
typedef __m256i count_of;

struct steady {
    bytes most;
};

INLINED struct steady steady_of(bytes most) {
    return (struct steady){most};
}

/* The bytes selected by the keys, 16 from each of two rows of carries. */
INLINED __m256i look_up(const uint8_t *low, const uint8_t *high, __m256i keys) {
    /* A shuffle takes 16 bytes; the result is 0 where the top bit of the index is set. */
    const __m128i *lows = (const __m128i *)(const void *)low, *highs = (const __m128i *)(const void *)high;
    __m256i picked = _mm256_setzero_si256();
#pragma GCC unroll 4
    for (int q = 0; q < 4; q++) {
        const __m256i both =
            _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_load_si128(lows + q)), _mm_load_si128(highs + q), 1);
        const __m256i index =
            _mm256_add_epi8(_mm256_xor_si256(keys, _mm256_set1_epi8((char)(16 * q))), _mm256_set1_epi8(0x70));
        picked = _mm256_or_si256(picked, _mm256_shuffle_epi8(both, index));
    }
    return picked;
}

INLINED void read_by4(struct cmac_fp16_data *data, size_t count) {
    for (size_t c = 0; c < count; c++)
        memcpy(&data->by4[c], cmac_fp16_carries.by4[data->by8[c] / sizeof cmac_fp16_carries.by8[0] % 16],
               sizeof data->by4[c]);
}

INLINED bytes largest(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data) {
    const int8_t *exponents = weights->exponents + at * LANES;
    bytes most = {0};
    for (size_t i = 0; i < data->count; i++)
        most = larger(most, load_bytes(exponents + i * LANES) + data->exponent[i]);
    return most;
}

INLINED void near_terms(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data, size_t n,
                        const struct steady *steady, uint8_t (*to)[LANES], uint64_t *others, sum_of *sum,
                        count_of *count) {
    const uint32_t *mantissas = weights->mantissas + at * LANES;
    const int8_t *exponents = weights->exponents + at * LANES;
    const uint8_t *keys = weights->keys + at * LANES, *bits = weights->bits + at * LANES;
    const uint8_t *by8 = cmac_fp16_carries.by8[0];
    uint64_t all = 0;
#pragma GCC unroll 2
    for (size_t e = 0; e < GROUP; e += 2) {
        const __m256i *from = (const __m256i *)(const void *)(exponents + e * LANES);
        const __m256i sums = _mm256_add_epi8(_mm256_loadu_si256(from), spread((const uint8_t *)data->exponent + n + e));
        const __m256i distance = _mm256_sub_epi8(_mm256_broadcastsi128_si256((__m128i)steady->most), sums);
        const __m256i near = _mm256_cmpeq_epi8(_mm256_min_epu8(distance, _mm256_set1_epi8(2 * STEP)), distance);
        const __m256i base = _mm256_sub_epi8(distance, _mm256_set1_epi8(3 * STEP));
        const __m256i limit = _mm256_set1_epi8((FAR - 3) * STEP - 1);
        const __m256i other = _mm256_cmpeq_epi8(_mm256_min_epu8(base, limit), base);
        _mm256_storeu_si256((__m256i *)(void *)to[e], distance);
        all |= (uint64_t)(uint32_t)_mm256_movemask_epi8(other) << e * LANES;

        from = (const __m256i *)(const void *)(keys + e * LANES);
        const __m256i key = _mm256_xor_si256(_mm256_loadu_si256(from), spread(data->sign + n + e));
        const __m256i rows =
            _mm256_setr_m128i(_mm_set1_epi32((int32_t)data->by4[n + e]), _mm_set1_epi32((int32_t)data->by4[n + e + 1]));
        const __m256i four = _mm256_shuffle_epi8(rows, key);
        const __m256i eight = look_up(by8 + data->by8[n + e], by8 + data->by8[n + e + 1], key);
        const __m256i once = _mm256_cmpeq_epi8(distance, _mm256_set1_epi8(STEP));
        const __m256i twice = _mm256_cmpeq_epi8(distance, _mm256_set1_epi8(2 * STEP));
        from = (const __m256i *)(const void *)(bits + e * LANES);
        const __m256i bit = _mm256_loadu_si256(from);
        const __m256i picked = _mm256_or_si256(_mm256_and_si256(four, once), _mm256_and_si256(eight, twice));
        /* One of the bits, all or none. */
        const __m256i carried = _mm256_cmpeq_epi8(_mm256_and_si256(picked, bit), bit);
        *count = _mm256_sub_epi8(*count, carried);

#pragma GCC unroll 4
        for (size_t h = 0; h < 4; h++) {
            const __m128i far = h < 2 ? _mm256_castsi256_si128(distance) : _mm256_extracti128_si256(distance, 1);
            const __m128i is_near = h < 2 ? _mm256_castsi256_si128(near) : _mm256_extracti128_si256(near, 1);
            const __m128i shifts = h % 2 ? _mm_srli_si128(far, 8) : far;
            const __m128i nears = h % 2 ? _mm_srli_si128(is_near, 8) : is_near;
            from = (const __m256i *)(const void *)(mantissas + (e + h / 2) * LANES + h % 2 * 8);
            const __m256i by = _mm256_set1_epi32((uint16_t)data->mantissa[n + e + h / 2]);
            const __m256i product = _mm256_madd_epi16(_mm256_loadu_si256(from), by);
            const __m256i term = _mm256_srav_epi32(product, _mm256_cvtepu8_epi32(shifts));
            const __m256i some = _mm256_and_si256(term, _mm256_cvtepi8_epi32(nears));
            sum->half[h % 2] = _mm256_add_epi32(sum->half[h % 2], some);
        }
    }
    *others = all;
}

INLINED void add_parts(const sum_of *sum, sum_of *low, sum_of *high) {
#pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        const __m256i part = _mm256_and_si256(sum->half[h], _mm256_set1_epi32(0xffff));
        low->half[h] = _mm256_add_epi32(low->half[h], part);
        high->half[h] = _mm256_add_epi32(high->half[h], _mm256_srai_epi32(sum->half[h], 16));
    }
}

INLINED void subtract_counts(sum_of *sum, const count_of *count) {
    const __m128i all = _mm_add_epi8(_mm256_castsi256_si128(*count), _mm256_extracti128_si256(*count, 1));
    sum->half[0] = _mm256_sub_epi32(sum->half[0], _mm256_cvtepu8_epi32(all));
    sum->half[1] = _mm256_sub_epi32(sum->half[1], _mm256_cvtepu8_epi32(_mm_srli_si128(all, 8)));
}

#include "model/cmac_fp16_terms.h"

const struct cmac_fp16_machine cmac_fp16_avx2 = {read, direct, tile_of, fill_tables};

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
