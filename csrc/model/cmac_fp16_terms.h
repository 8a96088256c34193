/* The products of FP16 convolutions, for the vectors of one kind of machine; cmac_fp16.c includes it once for each,
 * with NAME(x) giving the names and KIND what the machine has.
 */
#define nonzero_bits NAME(nonzero_bits)
#define read_elements NAME(read_elements)
#define read NAME(read)
#define larger NAME(larger)
#define spread NAME(spread)
#define largest NAME(largest)
#define find_distances NAME(find_distances)
#define look_up NAME(look_up)
#define sum_of NAME(sum_of)
#define near_terms NAME(near_terms)
#define collect_far NAME(collect_far)
#define terms_of_far NAME(terms_of_far)
#define add_far NAME(add_far)
#define sum_elements NAME(sum_elements)
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
        rows[c] = (uint16_t)((magnitude_of(value, mantissas[c]) & 255) * sizeof(struct carries));
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
    const bool nan = read_elements(from, all, data->mantissa, data->exponent, data->row, data->sign);
    data->nan = 0;
    for (size_t i = 0; nan && data->nan == 0; i++)
        if (fp16_is_nan((uint16_t)from[i]))
            data->nan = (uint16_t)from[i];
    data->count = all;
    for (size_t word = 0; word < all; word += 64) {
        data->nonzero[word / 64] = nonzero_bits(data->mantissa + word);
        if (all - word < 64) {
            data->nonzero[word / 64] &= (UINT64_C(1) << (all - word)) - 1;
            memset(data->exponent + all, ZERO_EXPONENT, 64 - (all - word));
        }
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
/* Exponents of four elements, 16 lanes each. */
INLINED __m512i spread(const int8_t *exponents) {
    int32_t four;
    memcpy(&four, exponents, sizeof four);
    const __m128i lane = _mm_setzero_si128(), one = _mm_set1_epi8(1);
    const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(lane), one, 1);
    const __m256i high = _mm256_add_epi8(low, _mm256_set1_epi8(2));
    const __m512i pattern = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    return _mm512_shuffle_epi8(_mm512_set1_epi32(four), pattern);
}
#endif

/* Largest sum of exponents of each lane, 0 if no product counts. at: of the atomic operation's first element. */
INLINED bytes largest(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data) {
    const int8_t *exponents = weights->exponents + at * LANES;
    bytes most = {0};
#if KIND == AVX512
    /* Four elements at a time. */
    __m512i four = _mm512_setzero_si512();
    for (size_t i = 0; i + 4 <= data->count; i += 4)
        four = _mm512_max_epi8(four,
                               _mm512_add_epi8(_mm512_loadu_si512(exponents + i * LANES), spread(data->exponent + i)));
    const __m256i two = _mm256_max_epi8(_mm512_castsi512_si256(four), _mm512_extracti64x4_epi64(four, 1));
    most = larger((bytes)_mm256_castsi256_si128(two), (bytes)_mm256_extracti128_si256(two, 1));
    for (size_t i = data->count / 4 * 4; i < data->count; i++)
        most = larger(most, load_bytes(exponents + i * LANES) + data->exponent[i]);
#else
    for (size_t i = 0; i < data->count; i++)
        most = larger(most, load_bytes(exponents + i * LANES) + data->exponent[i]);
#endif
    return most;
}

/* Distances of 64 elements, at and first those of the first one in the weights and in the data. What has no element
 * is far away. */
INLINED void find_distances(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                            size_t first, bytes most, struct distances *to) {
    const int8_t *exponents = weights->exponents + at * LANES;
    const uint8_t *bits = weights->bits + at * LANES;
#if KIND == AVX512
    const __m512i from = _mm512_broadcast_i32x4((__m128i)most);
    const __m512i step = _mm512_set1_epi8(STEP), twice = _mm512_set1_epi8(2 * STEP), far = _mm512_set1_epi8(FAR * STEP);
    for (size_t i = 0; i < 64; i += 4) {
        const __m512i sums =
            _mm512_add_epi8(_mm512_loadu_si512(exponents + i * LANES), spread(data->exponent + first + i));
        const __m512i distance = _mm512_sub_epi8(from, sums);
        const __mmask64 near = _mm512_cmple_epu8_mask(distance, twice);
        _mm512_storeu_si512(to->bits[i], distance);
        _mm512_storeu_si512(to->once[i],
                            _mm512_maskz_loadu_epi8(_mm512_cmpeq_epi8_mask(distance, step), bits + i * LANES));
        _mm512_storeu_si512(to->twice[i],
                            _mm512_maskz_loadu_epi8(_mm512_cmpeq_epi8_mask(distance, twice), bits + i * LANES));
        memcpy(to->near + i, &near, sizeof near);
        to->others[i / 4] = _mm512_cmplt_epu8_mask(distance, far) & ~near;
    }
#else
    memset(to->others, 0, sizeof to->others);
    for (size_t i = 0; i < 64; i++) {
        /* Of a zero and a zero it is above 127. */
        const bytes sum = load_bytes(exponents + i * LANES) + data->exponent[first + i];
        const bytes distance = (bytes)((unsigned_bytes)most - (unsigned_bytes)sum);
        const bytes of_weights = load_bytes((const int8_t *)bits + i * LANES);
        const bytes once = of_weights & (distance == STEP), twice = of_weights & (distance == 2 * STEP);
        memcpy(to->bits[i], &distance, sizeof distance);
        memcpy(to->once[i], &once, sizeof once);
        memcpy(to->twice[i], &twice, sizeof twice);
#if KIND == AVX2
        const __m128i base = _mm_sub_epi8((__m128i)distance, _mm_set1_epi8(3 * STEP));
        const __m128i limit = _mm_set1_epi8((FAR - 3) * STEP - 1);
        const uint64_t some = (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(base, limit), base));
#else
        uint64_t some = 0;
        for (size_t k = 0; k < LANES; k++)
            some |= (uint64_t)(to->bits[i][k] >= 3 * STEP && to->bits[i][k] < FAR * STEP) << k;
#endif
        to->others[i / 4] |= some << i % 4 * LANES;
    }
#endif
}

/* ---- terms that are near ---- */

/* The bytes of a row of carries that the keys pick. */
#if KIND == AVX2
INLINED __m128i look_up(const uint8_t *row, __m128i keys) {
    /* A shuffle takes 16 bytes; it gives 0 where the top bit of the index is set. */
    const __m128i *quarters = (const __m128i *)(const void *)row;
    __m128i picked = _mm_setzero_si128();
#pragma GCC unroll 4
    for (int q = 0; q < 4; q++) {
        const __m128i index = _mm_add_epi8(_mm_xor_si128(keys, _mm_set1_epi8((char)(16 * q))), _mm_set1_epi8(0x70));
        picked = _mm_or_si128(picked, _mm_shuffle_epi8(_mm_loadu_si128(quarters + q), index));
    }
    return picked;
}
#endif

/* Sums of terms, one for each lane. */
#if KIND == AVX512
typedef __m512i sum_of;
#elif KIND == AVX2
typedef struct {
    __m256i half[2];
} sum_of;
#else
typedef struct {
    int32_t lane[LANES];
} sum_of;
#endif

/* Adds the terms of element n, of the data and of the distances, where they are at most two below the largest. */
INLINED void near_terms(const struct cmac_fp16_cell *weights, const struct elements *data,
                        const struct distances *distances, size_t n, sum_of *sum) {
    const struct carries *row = (const struct carries *)(const void *)((const char *)carries + data->row[n]);
    const bytes keys = load_bytes((const int8_t *)weights->keys) ^ (int8_t)data->sign[n];
    const bytes once = load_bytes((const int8_t *)distances->once[n]);
    const bytes twice = load_bytes((const int8_t *)distances->twice[n]);
#if KIND == AVX512
    int32_t pair; /* the mantissa and whatever is behind it, which is multiplied by 0 */
    memcpy(&pair, &data->mantissa[n], sizeof pair);
    const __m256i mantissas = _mm256_loadu_si256((const __m256i *)(const void *)weights->mantissas);
    const __m512i product = _mm512_madd_epi16(_mm512_cvtepu16_epi32(mantissas), _mm512_set1_epi32(pair));
    const __m128i distance = _mm_loadu_si128((const __m128i *)(const void *)distances->bits[n]);
    const __m512i term = _mm512_srav_epi32(product, _mm512_cvtepu8_epi32(distance));
    const __m128i by4 = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)row->by4), (__m128i)keys);
    const __m512i by8 =
        _mm512_permutexvar_epi8(_mm512_castsi128_si512((__m128i)keys), _mm512_loadu_si512((const void *)row->by8));
    const bytes lost = ((bytes)by4 & once) | ((bytes)_mm512_castsi512_si128(by8) & twice);
    const __mmask16 near = _load_mask16((__mmask16 *)&distances->near[n]);
    const __mmask16 carried = _mm_test_epi8_mask((__m128i)lost, (__m128i)lost);
    const __m512i to = _mm512_mask_add_epi32(*sum, near, *sum, term);
    *sum = _mm512_mask_sub_epi32(to, carried, to, _mm512_set1_epi32(1));
#elif KIND == AVX2
    const __m128i far = _mm_loadu_si128((const __m128i *)(const void *)distances->bits[n]);
    const __m128i near = _mm_cmpeq_epi8(_mm_min_epu8(far, _mm_set1_epi8(2 * STEP)), far);
    const __m128i by4 = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)row->by4), (__m128i)keys);
    const __m128i by8 = look_up(row->by8, (__m128i)keys);
    const bytes lost = ((bytes)by4 & once) | ((bytes)by8 & twice);
    const __m128i carried = (__m128i)(lost != 0); /* -1 */
    const __m256i by = _mm256_set1_epi32((uint16_t)data->mantissa[n]);
#pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        const int16_t *from = weights->mantissas + 8 * h;
        const __m256i weight = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));
        const __m128i shifts = h ? _mm_srli_si128(far, 8) : far, nears = h ? _mm_srli_si128(near, 8) : near;
        const __m256i term = _mm256_srav_epi32(_mm256_madd_epi16(weight, by), _mm256_cvtepu8_epi32(shifts));
        sum->half[h] = _mm256_add_epi32(sum->half[h], _mm256_and_si256(term, _mm256_cvtepi8_epi32(nears)));
        sum->half[h] = _mm256_add_epi32(sum->half[h], _mm256_cvtepi8_epi32(h ? _mm_srli_si128(carried, 8) : carried));
    }
#else
    for (size_t k = 0; k < LANES; k++) {
        const uint8_t far = distances->bits[n][k], key = (uint8_t)keys[k];
        const bool lost = ((row->by4[key % 16] & (uint8_t)once[k]) | (row->by8[key] & (uint8_t)twice[k])) != 0;
        const int32_t product = weights->mantissas[k] * data->mantissa[n];
        sum->lane[k] += far < 3 * STEP ? (product >> far % 32) - lost : 0;
    }
#endif
}

/* ---- terms further away ---- */

/* Collects the products that near_terms() left over. Of a tile, each position has its own sums. */
INLINED void collect_far(struct far *far, const struct cmac_fp16_cell *weights, const struct elements *data,
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
        far->weight[c] = weights[n].mantissas[k];
        far->data[c] = data->mantissa[n];
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
        add3(&s[0], &s[1], s[2]);
        add3(&s[0], &s[1], s[3]);
        add3(&s[0], &s[1], s[4]);
        pair[h][0] = s[0];
        pair[h][1] = s[1];
    }
    add3(&pair[0][0], &pair[0][1], pair[1][0] << 8);
    add3(&pair[0][0], &pair[0][1], pair[1][1] << 8);
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

/* The near terms of the elements whose bits are set. */
INLINED void sum_elements(const struct cmac_fp16_cell *weights, const struct elements *data, uint64_t bits,
                          const struct distances *distances, int32_t *to) {
    sum_of sum;
    memset(&sum, 0, sizeof sum);
    for (; bits != 0; bits &= bits - 1) {
        const size_t n = (size_t)__builtin_ctzll(bits);
        near_terms(weights + n, data, distances, n, &sum);
    }
    memcpy(to, &sum, sizeof sum);
}

static void direct(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                   struct cmac_fp16_sums *sums) {
    const bytes most = largest(weights, at, data);
    int64_t *mantissas = sums->mantissa[0];
    struct distances distances;
    struct far far;
    memset(mantissas, 0, sizeof sums->mantissa[0]);
    for (size_t first = 0; first < data->count; first += 64) {
        const struct cmac_fp16_cell *cells = weights->cells + at + first;
        const struct elements elements = elements_from(data, first);
        find_distances(weights, at + first, data, first, most, &distances);
        /* These take long, but what follows does not wait for them. */
        int32_t distant[LANES] = {0};
        collect_far(&far, cells, &elements, &distances, false);
        add_far(&far, distant);
        for (uint64_t left = data->nonzero[first / 64], some; left != 0; left &= ~some) {
            some = left & FEW << __builtin_ctzll(left);
            int32_t sum[LANES];
            sum_elements(cells, &elements, some, &distances, sum);
            for (size_t k = 0; k < LANES; k++)
                mantissas[k] += sum[k];
        }
        for (size_t k = 0; k < LANES; k++)
            mantissas[k] += distant[k];
    }
    for (size_t k = 0; k < LANES; k++)
        sums->exponent[k] = most[k];
}

static void tile_of(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                    struct cmac_fp16_sums *sums) {
    const bytes most = largest(weights, at, data);
    const struct cmac_fp16_cell *cells = weights->cells + at;
    const struct elements elements = elements_from(data, 0);
    int32_t positions[TILE_POSITIONS][LANES];
    struct distances distances;
    struct far far;
    find_distances(weights, at, data, 0, most, &distances);
    for (size_t e = 0; e < TILE_POSITIONS; e++) {
        const uint64_t bits = data->nonzero[0] & UINT64_C(15) << 4 * e; /* four channels of a position */
        sum_elements(cells, &elements, bits, &distances, positions[e]);
    }
    collect_far(&far, cells, &elements, &distances, true);
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
        carries_of((int16_t)(256 + d), 8, carries[d].by8, 64);
        if (d < 16)
            carries_of((int16_t)(256 + d), 4, carries[d].by4, 16);
        else
            memcpy(carries[d].by4, carries[d % 16].by4, sizeof carries[d].by4);
    }
}

static const struct machine functions = {read, direct, tile_of, fill_tables};

#undef nonzero_bits
#undef read_elements
#undef read
#undef larger
#undef spread
#undef largest
#undef find_distances
#undef look_up
#undef sum_of
#undef near_terms
#undef collect_far
#undef terms_of_far
#undef add_far
#undef sum_elements
#undef direct
#undef tile_of
#undef carries_of
#undef fill_tables
#undef functions
