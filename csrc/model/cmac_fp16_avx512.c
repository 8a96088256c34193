/* Products of FP16 convolutions with 512-bit vectors, function by function as in cmac_fp16_plain.c, which explains
 * them. */
#include "model/cmac_fp16_parts.h"

#ifdef SEVERAL_MACHINES
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi"))),                 \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")
#endif

INLINED uint64_t nonzero_bits(const int16_t *mantissas) {
    const __m512i low = _mm512_loadu_si512(mantissas), high = _mm512_loadu_si512(mantissas + 32);
    return (uint64_t)_mm512_test_epi16_mask(high, high) << 32 | _mm512_test_epi16_mask(low, low);
}

INLINED bytes larger(bytes a, bytes b) {
    return (bytes)_mm_max_epi8((__m128i)a, (__m128i)b);
}

/* A constant that the compiler keeps in a register instead of making it again in each round of a loop. */
INLINED __m512i held(__m512i constant) {
    __asm__("" : "+v"(constant));
    return constant;
}

/* How bytes of a group of elements are spread to 16 lanes each, from any four bytes of a lane. */
INLINED __m512i spread_pattern(void) {
    return held(_mm512_set_epi64(0x0303030303030303, 0x0303030303030303, 0x0202020202020202, 0x0202020202020202,
                                 0x0101010101010101, 0x0101010101010101, 0, 0));
}

INLINED __m512i spread(const uint8_t *from, __m512i pattern) {
    int32_t four;
    memcpy(&four, from, sizeof four);
    return _mm512_shuffle_epi8(_mm512_set1_epi32(four), pattern);
}

typedef __m512i sum_of, count_of;

struct steady {
    __m512i most, step, twice, twice_wide, far, minus_one, pattern, quarters;
};

INLINED struct steady steady_of(bytes most) {
    return (struct steady){.most = _mm512_broadcast_i32x4((__m128i)most),
                           .step = held(_mm512_set1_epi8(STEP)),
                           .twice = held(_mm512_set1_epi8(2 * STEP)),
                           .twice_wide = held(_mm512_set1_epi32(2 * STEP)),
                           .far = held(_mm512_set1_epi8(FAR * STEP)),
                           .minus_one = held(_mm512_set1_epi8(-1)),
                           .pattern = spread_pattern(),
                           .quarters = held(_mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0))};
}

INLINED void read_by4(struct cmac_fp16_data *data, size_t count) {
    const __m512i table = _mm512_loadu_si512(cmac_fp16_carries.by4);
    for (size_t c = 0; c < count; c += 16) {
        const __m512i by8 = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(data->by8 + c)));
        const __m512i row = _mm512_srli_epi32(by8, 6); /* of 64 bytes; four bits of each count */
        _mm512_storeu_si512(data->by4 + c, _mm512_permutexvar_epi32(row, table));
    }
}

INLINED bytes largest(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data) {
    const int8_t *exponents = weights->exponents + at * LANES;
    bytes most = {0};
    const __m512i pattern = spread_pattern();
    __m512i four = _mm512_setzero_si512();
    for (size_t i = 0; i < data->count; i += GROUP) {
        const __m512i of_data = spread((const uint8_t *)data->exponent + i, pattern);
        four = _mm512_max_epi8(four, _mm512_add_epi8(_mm512_loadu_si512(exponents + i * LANES), of_data));
    }
    const __m256i two = _mm256_max_epi8(_mm512_castsi512_si256(four), _mm512_extracti64x4_epi64(four, 1));
    most = larger((bytes)_mm256_castsi256_si128(two), (bytes)_mm256_extracti128_si256(two, 1));
    return most;
}

INLINED void near_terms(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data, size_t n,
                        const struct steady *steady, uint8_t (*to)[LANES], uint64_t *others, sum_of *sum,
                        count_of *count) {
    const uint32_t *mantissas = weights->mantissas + at * LANES;
    const int8_t *exponents = weights->exponents + at * LANES;
    const uint8_t *keys = weights->keys + at * LANES, *bits = weights->bits + at * LANES;
    const uint8_t *by8 = cmac_fp16_carries.by8[0];
    const __m512i sums =
        _mm512_add_epi8(_mm512_loadu_si512(exponents), spread((const uint8_t *)data->exponent + n, steady->pattern));
    const __m512i distance = _mm512_sub_epi8(steady->most, sums);
    _mm512_storeu_si512(to, distance);
    *others = _mm512_mask_cmplt_epu8_mask(_mm512_cmpgt_epu8_mask(distance, steady->twice), distance, steady->far);

    const __m512i key = _mm512_xor_si512(_mm512_loadu_si512(keys), spread(data->sign + n, steady->pattern));
    const __m128i rows = _mm_loadu_si128((const __m128i *)(const void *)(data->by4 + n));
    const __m512i four =
        _mm512_shuffle_epi8(_mm512_permutexvar_epi32(steady->quarters, _mm512_castsi128_si512(rows)), key);
    __m512i eight = _mm512_permutexvar_epi8(key, _mm512_load_si512(by8 + data->by8[n]));
#pragma GCC unroll 4
    for (int e = 1; e < GROUP; e++)
        eight = _mm512_mask_permutexvar_epi8(eight, UINT64_C(0xffff) << 16 * e, key,
                                             _mm512_load_si512(by8 + data->by8[n + (size_t)e]));
    const __m512i bit = _mm512_loadu_si512(bits);
    const __mmask64 carried = _mm512_mask_test_epi8_mask(_mm512_cmpeq_epi8_mask(distance, steady->step), four, bit) |
                              _mm512_mask_test_epi8_mask(_mm512_cmpeq_epi8_mask(distance, steady->twice), eight, bit);
    *count = _mm512_mask_sub_epi8(*count, carried, *count, steady->minus_one);

#pragma GCC unroll 4
    for (size_t e = 0; e < GROUP; e++) {
        int32_t pair; /* the mantissa and what follows it, which is multiplied by 0 */
        memcpy(&pair, &data->mantissa[n + e], sizeof pair);
        const __m512i product = _mm512_madd_epi16(_mm512_loadu_si512(mantissas + e * LANES), _mm512_set1_epi32(pair));
        const __m512i shift = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)to[e]));
        const __mmask16 near = _mm512_cmple_epu32_mask(shift, steady->twice_wide);
        *sum = _mm512_mask_add_epi32(*sum, near, *sum, _mm512_srav_epi32(product, shift));
    }
}

INLINED void add_parts(const sum_of *sum, sum_of *low, sum_of *high) {
    *low = _mm512_add_epi32(*low, _mm512_and_si512(*sum, _mm512_set1_epi32(0xffff)));
    *high = _mm512_add_epi32(*high, _mm512_srai_epi32(*sum, 16));
}

INLINED void subtract_counts(sum_of *sum, const count_of *count) {
    const __m256i two = _mm256_add_epi8(_mm512_castsi512_si256(*count), _mm512_extracti64x4_epi64(*count, 1));
    const __m128i all = _mm_add_epi8(_mm256_castsi256_si128(two), _mm256_extracti128_si256(two, 1));
    *sum = _mm512_sub_epi32(*sum, _mm512_cvtepu8_epi32(all));
}

#include "model/cmac_fp16_terms.h"

const struct cmac_fp16_machine cmac_fp16_avx512 = {read, direct, tile_of, fill_tables};

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
