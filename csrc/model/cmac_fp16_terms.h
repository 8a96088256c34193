/* The products of FP16 convolutions, for the vectors of one kind of machine; cmac_fp16.c includes it once for each,
 * with NAME(x) giving the names and KIND what the machine has.
 */
#define nonzero_bits NAME(nonzero_bits)
#define read_elements NAME(read_elements)
#define read_by4 NAME(read_by4)
#define read NAME(read)
#define larger NAME(larger)
#define spread NAME(spread)
#define largest NAME(largest)
#define look_up NAME(look_up)
#define sum_of NAME(sum_of)
#define count_of NAME(count_of)
#define held NAME(held)
#define spread_pattern NAME(spread_pattern)
#define steady NAME(steady)
#define steady_of NAME(steady_of)
#define near_terms NAME(near_terms)
#define add_parts NAME(add_parts)
#define subtract_counts NAME(subtract_counts)
#define collect_far NAME(collect_far)
#define terms_of_far NAME(terms_of_far)
#define add_far NAME(add_far)
#define direct NAME(direct)
#define tile_of NAME(tile_of)
#define carries_of NAME(carries_of)
#define fill_tables NAME(fill_tables)
#define functions NAME(functions)

/* ---- operands ---- */

/* Bit i: mantissas[i] is not zero; i < 64. */
INLINED uint64_t nonzero_bits(const int16_t *mantissas) {
#if KIND == AVX512
    const __m512i low = _mm512_loadu_si512(mantissas), high = _mm512_loadu_si512(mantissas + 32);
    return (uint64_t)_mm512_test_epi16_mask(high, high) << 32 | _mm512_test_epi16_mask(low, low);
#elif KIND == AVX2
    uint64_t zeros = 0;
    for (int i = 0; i < 64; i += 16) {
        const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)(mantissas + i));
        const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(mantissas + i + 8));
        const __m128i packed = _mm_packs_epi16(low, high);
        const int some = _mm_movemask_epi8(_mm_cmpeq_epi8(packed, _mm_setzero_si128()));
        zeros |= (uint64_t)(unsigned)some << i;
    }
    return ~zeros;
#else
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++)
        bits |= (uint64_t)(mantissas[i] != 0) << i;
    return bits;
#endif
}

/* The parts of `count` elements of the data. Returns whether there is a NaN among them. */
static __attribute__((noinline)) bool read_elements(const int16_t *restrict from, size_t count,
                                                    int16_t *restrict mantissas, int8_t *restrict exponents,
                                                    uint16_t *restrict rows, uint8_t *restrict signs) {
    uint16_t nans = 0;
    for (size_t c = 0; c < count; c++) {
        const uint16_t value = (uint16_t)from[c];
        nans |= decode(value, &mantissas[c], &exponents[c]);
        rows[c] = (uint16_t)((magnitude_of(value, mantissas[c]) & 255) * sizeof carries.by8[0]);
        signs[c] = (uint8_t)(value >> 15 << 1); /* KEY_SIGN */
    }
    return nans != 0;
}

/* The rows in the table of carries of four bits. */
INLINED void read_by4(struct cmac_fp16_data *data, size_t count) {
#if KIND == AVX512
    const __m512i table = _mm512_loadu_si512(carries.by4);
    for (size_t c = 0; c < count; c += 16) {
        const __m512i by8 = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(data->by8 + c)));
        const __m512i row = _mm512_srli_epi32(by8, 6); /* of 64 bytes; of its bits four count */
        _mm512_storeu_si512(data->by4 + c, _mm512_permutexvar_epi32(row, table));
    }
#else
    for (size_t c = 0; c < count; c++)
        memcpy(&data->by4[c], carries.by4[data->by8[c] / sizeof carries.by8[0] % 16], sizeof data->by4[c]);
#endif
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
    /* Elements that are not there count as zeros: whole groups. */
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

/* ---- distances ---- */

INLINED bytes larger(bytes a, bytes b) {
#if KIND >= AVX2
    return (bytes)_mm_max_epi8((__m128i)a, (__m128i)b);
#else
    const bytes mask = a > b;
    return (a & mask) | (b & ~mask);
#endif
}

#if KIND == AVX512
/* A constant that the compiler shall hold in a register and not make again in each round of a loop. */
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
#elif KIND == AVX2
/* Bytes of two elements, 16 lanes each. */
INLINED __m256i spread(const uint8_t *from) {
    return _mm256_setr_m128i(_mm_set1_epi8((char)from[0]), _mm_set1_epi8((char)from[1]));
}
#endif

/* Largest sum of exponents of each lane, 0 if no product counts. at: of the atomic operation's first element. */
INLINED bytes largest(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data) {
    const int8_t *exponents = weights->exponents + at * LANES;
    bytes most = {0};
#if KIND == AVX512
    const __m512i pattern = spread_pattern();
    __m512i four = _mm512_setzero_si512();
    for (size_t i = 0; i < data->count; i += GROUP) {
        const __m512i of_data = spread((const uint8_t *)data->exponent + i, pattern);
        four = _mm512_max_epi8(four, _mm512_add_epi8(_mm512_loadu_si512(exponents + i * LANES), of_data));
    }
    const __m256i two = _mm256_max_epi8(_mm512_castsi512_si256(four), _mm512_extracti64x4_epi64(four, 1));
    most = larger((bytes)_mm256_castsi256_si128(two), (bytes)_mm256_extracti128_si256(two, 1));
#else
    for (size_t i = 0; i < data->count; i++)
        most = larger(most, load_bytes(exponents + i * LANES) + data->exponent[i]);
#endif
    return most;
}

/* ---- terms that are near ---- */

/* Sums of terms, one for each lane; numbers of carries, in lanes of one element or some side by side. */
#if KIND == AVX512
typedef __m512i sum_of, count_of;
#elif KIND == AVX2
typedef struct {
    __m256i half[2];
} sum_of;
typedef __m256i count_of;
#else
typedef struct {
    int32_t lane[LANES];
} sum_of;
typedef struct {
    uint8_t lane[LANES];
} count_of;
#endif

#if KIND == AVX2
/* The bytes that the keys pick, 16 from each of two rows of carries. */
INLINED __m256i look_up(const uint8_t *low, const uint8_t *high, __m256i keys) {
    /* A shuffle takes 16 bytes; it gives 0 where the top bit of the index is set. */
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
#endif

/* What the groups of an atomic operation have in common. most: the largest exponent of each lane. */
#if KIND == AVX512
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
#else
struct steady {
    bytes most;
};

INLINED struct steady steady_of(bytes most) {
    return (struct steady){most};
}
#endif

/* Adds the terms of a group of elements that are at most two steps below the largest, and counts what they carry,
 * which is less. Finds the distances of the group, which is the first of `to` and of `others`. Elements: `at` of the
 * weights, n of the data. */
INLINED void near_terms(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data, size_t n,
                        const struct steady *steady, uint8_t (*to)[LANES], uint64_t *others, sum_of *sum,
                        count_of *count) {
    const uint32_t *mantissas = weights->mantissas + at * LANES;
    const int8_t *exponents = weights->exponents + at * LANES;
    const uint8_t *keys = weights->keys + at * LANES, *bits = weights->bits + at * LANES;
    const uint8_t *by8 = carries.by8[0];
#if KIND == AVX512
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
        int32_t pair; /* the mantissa and whatever is behind it, which is multiplied by 0 */
        memcpy(&pair, &data->mantissa[n + e], sizeof pair);
        const __m512i product = _mm512_madd_epi16(_mm512_loadu_si512(mantissas + e * LANES), _mm512_set1_epi32(pair));
        const __m512i shift = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)to[e]));
        const __mmask16 near = _mm512_cmple_epu32_mask(shift, steady->twice_wide);
        *sum = _mm512_mask_add_epi32(*sum, near, *sum, _mm512_srav_epi32(product, shift));
    }
#elif KIND == AVX2
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
#else
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
            const uint8_t of_once = (uint8_t)(data->by4[n + e] >> key % 4 * 8) & (uint8_t) - (far == STEP);
            const uint8_t of_twice = eight[key] & (uint8_t) - (far == 2 * STEP);
            const int32_t product = (int16_t)mantissas[i] * data->mantissa[n + e];
            sum->lane[k] += far < 3 * STEP ? product >> far % 32 : 0;
            count->lane[k] = (uint8_t)(count->lane[k] + (((of_once | of_twice) & bits[i]) != 0));
            *others |= (uint64_t)(far >= 3 * STEP && far < FAR * STEP) << i;
        }
    }
#endif
}

/* Adds the sums of a group to numbers in two parts, the upper one of which counts 2^16. */
INLINED void add_parts(const sum_of *sum, sum_of *low, sum_of *high) {
#if KIND == AVX512
    *low = _mm512_add_epi32(*low, _mm512_and_si512(*sum, _mm512_set1_epi32(0xffff)));
    *high = _mm512_add_epi32(*high, _mm512_srai_epi32(*sum, 16));
#elif KIND == AVX2
#pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        const __m256i part = _mm256_and_si256(sum->half[h], _mm256_set1_epi32(0xffff));
        low->half[h] = _mm256_add_epi32(low->half[h], part);
        high->half[h] = _mm256_add_epi32(high->half[h], _mm256_srai_epi32(sum->half[h], 16));
    }
#else
    for (size_t k = 0; k < LANES; k++) {
        low->lane[k] += sum->lane[k] & 0xffff;
        high->lane[k] += sum->lane[k] >> 16;
    }
#endif
}

/* Subtracts the carries, at most 64 of a lane. */
INLINED void subtract_counts(sum_of *sum, const count_of *count) {
#if KIND == AVX512
    const __m256i two = _mm256_add_epi8(_mm512_castsi512_si256(*count), _mm512_extracti64x4_epi64(*count, 1));
    const __m128i all = _mm_add_epi8(_mm256_castsi256_si128(two), _mm256_extracti128_si256(two, 1));
    *sum = _mm512_sub_epi32(*sum, _mm512_cvtepu8_epi32(all));
#elif KIND == AVX2
    const __m128i all = _mm_add_epi8(_mm256_castsi256_si128(*count), _mm256_extracti128_si256(*count, 1));
    sum->half[0] = _mm256_sub_epi32(sum->half[0], _mm256_cvtepu8_epi32(all));
    sum->half[1] = _mm256_sub_epi32(sum->half[1], _mm256_cvtepu8_epi32(_mm_srli_si128(all, 8)));
#else
    for (size_t k = 0; k < LANES; k++)
        sum->lane[k] -= count->lane[k];
#endif
}

/* ---- terms further away ---- */

/* Collects the products that near_terms() left over. Of a tile, each position has its own sums. */
INLINED void collect_far(struct far *far, const uint32_t *weights, const int16_t *data,
                         const struct distances *distances, bool tile) {
    uint16_t place[64 * LANES + 2]; /* 16 * element + lane */
    size_t count = 0;
    unsigned some = 0; /* numbers that have bits */
    for (unsigned i = 0; i < 16; i++)
        some |= (unsigned)(distances->others[i] != 0) << i;
    for (; some != 0; some &= some - 1) {
        const size_t i = (size_t)__builtin_ctz(some);
        uint64_t bits = distances->others[i];
        /* Mostly one or two bits: no branch on that. */
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

/* The terms of 16 products, any distance below eight: section 9.2 as it is written. */
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

/* Adds the terms of the noted products to the sums. */
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
        /* Higher bits of the data change nothing, but it has to be a number: a digit times nothing has no sign. */
        carries_of((int16_t)(256 + d), 8, carries.by8[d], 64);
        if (d < 16)
            carries_of((int16_t)(256 + d), 4, carries.by4[d], 4);
    }
}

static const struct machine functions = {read, direct, tile_of, fill_tables};

#undef nonzero_bits
#undef read_elements
#undef read_by4
#undef read
#undef larger
#undef spread
#undef largest
#undef look_up
#undef sum_of
#undef count_of
#undef held
#undef spread_pattern
#undef steady
#undef steady_of
#undef near_terms
#undef add_parts
#undef subtract_counts
#undef collect_far
#undef terms_of_far
#undef add_far
#undef direct
#undef tile_of
#undef carries_of
#undef fill_tables
#undef functions
