/* The products of FP16 convolutions, for the vectors of one kind of machine; cmac_fp16.c includes it once for each,
 * with NAME(x) giving the names and KIND what the machine has.
 */
#define nonzero_bits NAME(nonzero_bits)
#define read_elements NAME(read_elements)
#define read NAME(read)
#define functions NAME(functions)
#define larger NAME(larger)
#define largest NAME(largest)
#define near_terms NAME(near_terms)
#define look_up NAME(look_up)
#define collect_far NAME(collect_far)
#define terms_of_far NAME(terms_of_far)
#define add_far NAME(add_far)
#define sum_elements NAME(sum_elements)
#define direct NAME(direct)
#define tile_of NAME(tile_of)

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

/* Elements `at` and following of an atomic operation. Returns whether there is a NaN among them. */
static bool read_elements(struct cmac_fp16_data *restrict data, size_t at, const int16_t *restrict from, size_t count) {
    int16_t *mantissas = data->mantissa + at;
    int8_t *exponents = data->exponent + at;
    uint8_t *low = data->low + at, *sign = data->sign + at;
    int16_t nans = 0;
    for (size_t c = 0; c < count; c++) {
        const uint16_t value = (uint16_t)from[c];
        nans |= (int16_t)decode(value, &mantissas[c], &exponents[c]);
        const uint16_t mantissa = (uint16_t)mantissas[c];
        low[c] = (uint8_t)(value >> 15 ? -mantissa : mantissa);
        sign[c] = (uint8_t)(value >> 15) * KEY_SIGN;
    }
    return nans != 0;
}

/* See cmac_fp16_data_read(). */
static void read(struct cmac_fp16_data *data, const int16_t *window, const struct cmac_piece *pieces, size_t count) {
    size_t all = 0;
    data->nan = 0;
    for (size_t p = 0; p < count; all += pieces[p++].count) {
        const int16_t *from = window + pieces[p].offset;
        const bool nan = read_elements(data, all, from, pieces[p].count);
        for (size_t c = 0; nan && data->nan == 0 && c < pieces[p].count; c++)
            if (fp16_is_nan((uint16_t)from[c]))
                data->nan = (uint16_t)from[c];
    }
    data->count = all;
    for (size_t word = 0; word < all; word += 64) {
        data->nonzero[word / 64] = nonzero_bits(data->mantissa + word);
        if (all - word < 64)
            data->nonzero[word / 64] &= (UINT64_C(1) << (all - word)) - 1;
    }
}

/* ---- sums ---- */

INLINED bytes larger(bytes a, bytes b) {
#if KIND >= AVX2
    return (bytes)_mm_max_epi8((__m128i)a, (__m128i)b);
#else
    const bytes mask = a > b;
    return (a & mask) | (b & ~mask);
#endif
}

/* Largest sum of exponents of each lane, 0 if no product counts. at: of the atomic operation's first element. */
INLINED bytes largest(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data) {
    const int8_t *exponents = weights->exponents + at * LANES;
    bytes most = {0}, others = {0};
    size_t i = 0;
    for (; i + 2 <= data->count; i += 2) {
        most = larger(most, load_bytes(exponents + i * LANES) + data->exponent[i]);
        others = larger(others, load_bytes(exponents + (i + 1) * LANES) + data->exponent[i + 1]);
    }
    for (; i < data->count; i++)
        most = larger(most, load_bytes(exponents + i * LANES) + data->exponent[i]);
    return larger(most, others);
}

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

/* Adds the terms of element i of the data whose exponents are at most two below the largest. Returns in which lanes
 * there are others that count, a bit each. at: of the element in the weights. */
INLINED unsigned near_terms(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                            size_t i, bytes distance, ints *sum) {
    const int16_t mantissa = data->mantissa[i];
    const uint8_t *by4 = carries.by4[data->low[i] % 16], *by8 = carries.by8[data->low[i]];
    const int8_t sign = (int8_t)data->sign[i];
#if KIND == AVX512
    const __m128i far = (__m128i)distance;
    const __mmask16 near = _mm_cmplt_epu8_mask(far, _mm_set1_epi8(3 * STEP));
    const __mmask16 some = _mm_cmplt_epu8_mask(far, _mm_set1_epi8(FAR * STEP));
    const __mmask16 one = _mm_cmpeq_epi8_mask(far, _mm_set1_epi8(STEP));
    const __mmask16 two = _mm_cmpeq_epi8_mask(far, _mm_set1_epi8(2 * STEP));
    const __m256i weight = _mm256_loadu_si256((const __m256i *)(const void *)(weights->mantissas + at * LANES));
    /* Pairs of a product and nothing. */
    const __m512i product = _mm512_madd_epi16(_mm512_cvtepu16_epi32(weight), _mm512_set1_epi32((uint16_t)mantissa));
    const __m512i term = _mm512_srav_epi32(product, _mm512_cvtepu8_epi32(far));
    const __m128i keys = (__m128i)(load_bytes((const int8_t *)weights->keys + at * LANES) ^ sign);
    const __m128i bits = (__m128i)load_bytes((const int8_t *)weights->bits + at * LANES);
    const __m128i row4 = _mm_loadu_si128((const __m128i *)(const void *)by4);
    const __m128i lost4 = _mm_shuffle_epi8(row4, keys);
    const __m128i lost8 =
        _mm512_castsi512_si128(_mm512_permutexvar_epi8(_mm512_castsi128_si512(keys), _mm512_loadu_si512(by8)));
    const __mmask16 carried =
        (__mmask16)(_mm_mask_test_epi8_mask(one, lost4, bits) | _mm_mask_test_epi8_mask(two, lost8, bits));
    __m512i to = _mm512_mask_add_epi32((__m512i)*sum, near, (__m512i)*sum, term);
    *sum = (ints)_mm512_mask_sub_epi32(to, carried, to, _mm512_set1_epi32(1));
    return some & ~(unsigned)near;
#elif KIND == AVX2
    const __m128i far = (__m128i)distance;
    const __m128i near = _mm_cmpeq_epi8(_mm_min_epu8(far, _mm_set1_epi8(2 * STEP)), far);
    const __m128i some = _mm_cmpeq_epi8(_mm_min_epu8(far, _mm_set1_epi8(FAR * STEP - 1)), far);
    const __m128i keys = (__m128i)(load_bytes((const int8_t *)weights->keys + at * LANES) ^ sign);
    const __m128i bits = (__m128i)load_bytes((const int8_t *)weights->bits + at * LANES);
    const __m128i lost4 = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)by4), keys);
    const __m128i one = _mm_cmpeq_epi8(far, _mm_set1_epi8(STEP)), two = _mm_cmpeq_epi8(far, _mm_set1_epi8(2 * STEP));
    const __m128i lost = _mm_or_si128(_mm_and_si128(lost4, one), _mm_and_si128(look_up(by8, keys), two));
    const __m128i carried = _mm_cmpeq_epi8(_mm_and_si128(lost, bits), bits); /* -1 */
    const __m256i by = _mm256_set1_epi32((uint16_t)mantissa);
    __m256i halves[2];
    memcpy(halves, sum, sizeof halves);
#pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        const int16_t *from = weights->mantissas + at * LANES + 8 * h;
        const __m256i weight = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));
        const __m128i shifts = h ? _mm_srli_si128(far, 8) : far, nears = h ? _mm_srli_si128(near, 8) : near;
        const __m256i term = _mm256_srav_epi32(_mm256_madd_epi16(weight, by), _mm256_cvtepu8_epi32(shifts));
        halves[h] = _mm256_add_epi32(halves[h], _mm256_and_si256(term, _mm256_cvtepi8_epi32(nears)));
        halves[h] = _mm256_add_epi32(halves[h], _mm256_cvtepi8_epi32(h ? _mm_srli_si128(carried, 8) : carried));
    }
    memcpy(sum, halves, sizeof halves);
    return (unsigned)_mm_movemask_epi8(some) & ~(unsigned)_mm_movemask_epi8(near);
#else
    const int16_t *numbers = weights->mantissas + at * LANES;
    const uint8_t *keys = weights->keys + at * LANES, *bits = weights->bits + at * LANES;
    unsigned others = 0;
    for (size_t k = 0; k < LANES; k++) {
        const uint8_t far = (uint8_t)distance[k];
        const uint8_t key = keys[k] ^ (uint8_t)sign, row = far == STEP ? by4[key % 16] : far == 2 * STEP ? by8[key] : 0;
        const int32_t term = (numbers[k] * mantissa >> far % 32) - ((row & bits[k]) != 0);
        (*sum)[k] += far < 3 * STEP ? term : 0;
        others |= (unsigned)(far >= 3 * STEP && far < FAR * STEP) << k;
    }
    return others;
#endif
}

/* ---- terms further away ---- */

/* Collects the products that near_terms() left over in 64 elements: `others` has a bit for each lane of each. at,
 * first: of the first element in the weights and in the data. Of a tile, each position has its own sums. */
INLINED void collect_far(struct far *far, const struct cmac_fp16_weights *weights, size_t at,
                         const struct cmac_fp16_data *data, size_t first, bytes most, const uint16_t *others,
                         bool tile) {
    const int16_t *mantissas = weights->mantissas + at * LANES;
    const int8_t *exponents = weights->exponents + at * LANES;
    size_t count = 0;
    for (size_t i = 0; i < 64; i += 4) {
        uint64_t bits =
            (uint64_t)others[i + 3] << 48 | (uint64_t)others[i + 2] << 32 | (uint64_t)others[i + 1] << 16 | others[i];
        for (; bits != 0; bits &= bits - 1) {
            const size_t n = i * LANES + (size_t)__builtin_ctzll(bits), k = n % LANES, element = first + n / LANES;
            far->weight[count] = mantissas[n];
            far->data[count] = data->mantissa[element];
            far->distance[count] = (uint8_t)(most[k] - exponents[n] - data->exponent[element]);
            far->place[count++] = (uint8_t)(tile ? n / LANES / 4 * LANES + k : k);
        }
    }
    far->count = count;
}

/* The terms of 16 products, any distance below eight: section 9.2 as it is written. */
INLINED ints terms_of_far(const int16_t *weight, const int16_t *data, const uint8_t *distance) {
    ints w, d, shift;
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

/* Adds the near terms of the elements whose bits are set; the bits of the lanes of the others go to `others`. first: of
 * bit 0 in the data. */
INLINED ints sum_elements(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                          size_t first, uint64_t bits, bytes most, uint16_t *others) {
    ints sum = {0};
    for (; bits != 0; bits &= bits - 1) {
        const size_t n = (size_t)__builtin_ctzll(bits), i = first + n, element = at + i;
        const bytes distance = most - load_bytes(weights->exponents + element * LANES) - data->exponent[i];
        others[n] = (uint16_t)near_terms(weights, element, data, i, distance, &sum);
    }
    return sum;
}

static void direct(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                   struct cmac_fp16_sums *sums) {
    const bytes most = largest(weights, at, data);
    int64_t *mantissas = sums->mantissa[0];
    struct far far;
    memset(mantissas, 0, sizeof sums->mantissa[0]);
    for (size_t first = 0; first < data->count; first += 64) {
        int32_t distant[LANES] = {0};
        uint16_t others[64] = {0};
        for (uint64_t left = data->nonzero[first / 64], some; left != 0; left &= ~some) {
            some = left & FEW << __builtin_ctzll(left);
            const ints sum = sum_elements(weights, at, data, first, some, most, others);
            for (size_t k = 0; k < LANES; k++)
                mantissas[k] += sum[k];
        }
        collect_far(&far, weights, at + first, data, first, most, others, false);
        if (far.count > 0) {
            add_far(&far, distant);
            for (size_t k = 0; k < LANES; k++)
                mantissas[k] += distant[k];
        }
    }
    for (size_t k = 0; k < LANES; k++)
        sums->exponent[k] = most[k];
}

static void tile_of(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                    struct cmac_fp16_sums *sums) {
    const bytes most = largest(weights, at, data);
    int32_t positions[TILE_POSITIONS][LANES];
    uint16_t others[64] = {0};
    struct far far;
    for (size_t e = 0; e < TILE_POSITIONS; e++) {
        const uint64_t bits = data->nonzero[0] & UINT64_C(15) << 4 * e; /* four channels of a position */
        const ints sum = sum_elements(weights, at, data, 0, bits, most, others);
        memcpy(positions[e], &sum, sizeof sum);
    }
    collect_far(&far, weights, at, data, 0, most, others, true);
    add_far(&far, positions[0]);
    for (size_t k = 0; k < LANES; k++)
        sums->exponent[k] = most[k];
    post_add(positions, sums->mantissa);
}

static const struct machine functions = {read, direct, tile_of};

#undef nonzero_bits
#undef read_elements
#undef read
#undef functions
#undef larger
#undef largest
#undef near_terms
#undef look_up
#undef collect_far
#undef terms_of_far
#undef add_far
#undef sum_elements
#undef direct
#undef tile_of
