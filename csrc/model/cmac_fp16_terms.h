/* The products of FP16 convolutions, for the vectors of one kind of machine; cmac_fp16.c includes it once for each,
 * with NAME(x) giving the names.
 */
#define shorts NAME(shorts)
#define ints NAME(ints)
#define words NAME(words)
#define pair NAME(pair)
#define load_shorts NAME(load_shorts)
#define load_ints NAME(load_ints)
#define add3 NAME(add3)
#define half NAME(half)
#define carry NAME(carry)
#define near_carry NAME(near_carry)
#define middle_carry NAME(middle_carry)
#define far_term NAME(far_term)
#define any NAME(any)
#define terms NAME(terms)
#define largest NAME(largest)
#define sum_of_terms NAME(sum_of_terms)
#define set_exponents NAME(set_exponents)
#define direct NAME(direct)
#define tile_of NAME(tile_of)

/* Vectors are passed between functions that are inlined only: how they are passed otherwise does not matter. */
#pragma GCC diagnostic ignored "-Wpsabi"
#define INLINED static inline __attribute__((always_inline))

/* A block of kernels; what follows is written for compilers that make one or two instructions of each operator. */
typedef int16_t shorts __attribute__((vector_size(LANES * sizeof(int16_t))));
typedef int32_t ints __attribute__((vector_size(LANES * sizeof(int32_t))));

INLINED shorts load_shorts(const int16_t *from) {
    shorts to;
    memcpy(&to, from, sizeof to);
    return to;
}

INLINED ints load_ints(const int32_t *from) {
    ints to;
    memcpy(&to, from, sizeof to);
    return to;
}

/* ---- products ----
 *
 * The multiplier gives a product as a pair of numbers whose sum is the product and BIAS; each of them is shifted right
 * by four times the distance of the product's exponent from the largest, and then they are added. So the term is the
 * product shifted, less one where the bits that both numbers lose would have carried: only these low bits of the pair
 * are needed. They take 16-bit arithmetic up to a distance of four, and up to two the lower half of the weight's
 * digits.
 */

/* Carry-save adder: the two results add up to the three operands. */
struct pair {
    shorts first, second;
};

INLINED struct pair add3(shorts a, shorts b, shorts c) {
    const shorts differ = a ^ b;
    return (struct pair){differ ^ c, ((a & b) | (differ & c)) << 1};
}

/* Four digits with their weights 1, 4, 16, 64, times the data: partial products in one's complement, and what is
 * missing from them. Low 16 bits. */
INLINED struct pair half(const int16_t *d, shorts data) {
    const shorts a = load_shorts(d) * data, b = load_shorts(d + LANES) * data, c = load_shorts(d + 2 * LANES) * data,
                 e = load_shorts(d + 3 * LANES) * data;
    const shorts ma = a >> 15, mb = b >> 15, mc = c >> 15, me = e >> 15; /* -1 where one is missing */
    const struct pair one = add3(a + ma, ((b + mb) << 2) - ma, ((c + mc) << 4) - (mb << 2));
    const struct pair two = add3(one.first, one.second, ((e + me) << 6) - (mc << 4));
    return add3(two.first, two.second, -(me << 6));
}

/* What the bits below `bits` of a pair carry, 0 or 1. */
INLINED shorts carry(struct pair pair, int bits) {
    const int16_t mask = (int16_t)((1 << bits) - 1);
    return ((pair.first & mask) + (pair.second & mask)) >> bits;
}

/* Of distances up to two: the upper half of the digits adds nothing below bit 8. */
INLINED shorts near_carry(const int16_t *d, shorts data, shorts distance) {
    const struct pair low = half(d, data);
    const struct pair one = add3(low.first, low.second, (shorts){0});
    const struct pair sum = add3(one.first, one.second, (shorts){0});
    return (carry(sum, 4) & (distance == 1)) | (carry(sum, 8) & (distance == 2));
}

/* Of distances up to four. */
INLINED shorts middle_carry(const int16_t *d, shorts data, shorts distance) {
    typedef uint16_t words __attribute__((vector_size(LANES * sizeof(uint16_t))));
    const struct pair low = half(d, data), high = half(d + 4 * LANES, data);
    const struct pair one = add3(low.first, low.second, high.first << 8);
    const struct pair sum = add3(one.first, one.second, high.second << 8);
    const shorts all = (shorts)((words)(sum.first + sum.second) < (words)sum.first);
    return (carry(sum, 4) & (distance == 1)) | (carry(sum, 8) & (distance == 2)) | (carry(sum, 12) & (distance == 3)) |
           (all & 1 & (distance == 4));
}

/* The same of one product in 32 bits, for any distance: its term. */
static int32_t far_term(const int16_t *d, int32_t data, int32_t distance) {
    uint32_t pair[2][2];
    for (int h = 0; h < 2; h++) {
        uint32_t numbers[5] = {0}, first, second;
        for (int i = 0; i < 4; i++) {
            const int32_t product = d[(4 * h + i) * LANES] * data;
            numbers[i] += (uint32_t)(65536 + product - (product < 0)) << 2 * i;
            numbers[i + 1] += (uint32_t)(product < 0) << 2 * i;
        }
        first = numbers[0];
        second = numbers[1];
        for (int i = 2; i < 5; i++) {
            const uint32_t differ = first ^ second, both = first & second;
            first = differ ^ numbers[i];
            second = (both | (differ & numbers[i])) << 1;
        }
        pair[h][0] = first;
        pair[h][1] = second;
    }
    uint32_t first = pair[0][0], second = pair[0][1];
    for (int i = 0; i < 2; i++) {
        const uint32_t more = pair[1][i] << 8, differ = first ^ second, both = first & second;
        first = differ ^ more;
        second = (both | (differ & more)) << 1;
    }
    const unsigned shift = (unsigned)(4 * distance);
    return (int32_t)((first >> shift) + (second >> shift) - (BIAS >> shift));
}

/* True if any lane is not 0. */
INLINED bool any(shorts lanes) {
#if defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)lanes, (__m256i)lanes);
#else
    uint64_t words_of[sizeof lanes / 8], all = 0;
    memcpy(words_of, &lanes, sizeof lanes);
    for (size_t i = 0; i < sizeof lanes / 8; i++)
        all |= words_of[i];
    return all != 0;
#endif
}

/* The terms of one data element, 0 in the lanes whose product is too small to count. */
INLINED ints terms(const struct cmac_fp16_weights *weights, size_t at, int16_t mantissa, shorts distance) {
    const int16_t *d = weights->digits + at * DIGITS * LANES;
    const ints product = load_ints(weights->mantissas + at * LANES) * (int32_t)mantissa;
    const ints from = __builtin_convertvector(distance, ints), counts = from < FAR;
    const shorts lost = (distance > 0) & (distance < FAR);
    if (!any(lost))
        return product & counts;
    const shorts data = (shorts){0} + mantissa;
    if (any(lost & (distance > 4))) {
        ints term = product & counts;
        for (size_t k = 0; k < LANES; k++)
            if (distance[k] > 0 && distance[k] < FAR)
                term[k] = far_term(d + k, mantissa, distance[k]);
        return term;
    }
    const shorts carried = any(lost & (distance > 2)) ? middle_carry(d, data, distance) : near_carry(d, data, distance);
    return ((product >> (4 * from & 31)) - __builtin_convertvector(carried, ints)) & counts;
}

/* Largest sum of exponents of each lane, 0 if no product counts. */
INLINED shorts largest(const int16_t *exponents, const struct cmac_fp16_data *data) {
    shorts most = {0};
    for (size_t n = 0; n < data->count; n++) {
        const shorts sum = load_shorts(exponents + data->element[n] * LANES) + data->exponent[n];
        const shorts larger = sum > most;
        most = (sum & larger) | (most & ~larger);
    }
    return most;
}

/* Sum of the terms of the data elements [n, end), at most FEW. at: of the atomic operation's first element. */
INLINED ints sum_of_terms(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                          size_t n, size_t end, shorts most) {
    ints sum = {0};
    for (; n < end; n++) {
        const size_t element = at + data->element[n];
        const shorts distance = most - load_shorts(weights->exponents + element * LANES) - data->exponent[n];
        sum += terms(weights, element, data->mantissa[n], distance);
    }
    return sum;
}

INLINED void set_exponents(shorts most, struct cmac_fp16_sums *sums) {
    const ints exponents = __builtin_convertvector(most, ints);
    memcpy(sums->exponent, &exponents, sizeof sums->exponent);
}

static void direct(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                   struct cmac_fp16_sums *sums) {
    const shorts most = largest(weights->exponents + at * LANES, data);
    set_exponents(most, sums);
    memset(sums->mantissa[0], 0, sizeof sums->mantissa[0]);
    for (size_t n = 0; n < data->count; n += FEW) {
        const ints some = sum_of_terms(weights, at, data, n, n + FEW < data->count ? n + FEW : data->count, most);
        for (size_t k = 0; k < LANES; k++)
            sums->mantissa[0][k] += some[k];
    }
}

static void tile_of(const struct cmac_fp16_weights *weights, size_t at, const struct cmac_fp16_data *data,
                    struct cmac_fp16_sums *sums) {
    const shorts most = largest(weights->exponents + at * LANES, data);
    set_exponents(most, sums);
    memset(sums->mantissa, 0, sizeof sums->mantissa);
    for (size_t n = 0; n < data->count;) {
        size_t e = data->element[n] / 4u, end = n; /* four channels of a position */
        while (end < data->count && data->element[end] / 4u == e)
            end++;
        const ints some = sum_of_terms(weights, at, data, n, end, most);
        for (size_t o = 0; o < CMAC_FP16_OUTPUTS; o++) {
            const int32_t c = cmac_coefficient(e, o);
            for (size_t k = 0; k < LANES; k++)
                sums->mantissa[o][k] += c * some[k];
        }
        n = end;
    }
}

#undef shorts
#undef ints
#undef words
#undef pair
#undef load_shorts
#undef load_ints
#undef add3
#undef half
#undef carry
#undef near_carry
#undef middle_carry
#undef far_term
#undef any
#undef terms
#undef largest
#undef sum_of_terms
#undef set_exponents
#undef direct
#undef tile_of
#undef INLINED
