/* CMAC: the vectors of 40-convolution-core sections 11.2 and 11.3, and the packed form against single products. */
#include <stdlib.h>
#include <string.h>

#include "model/cmac.h"
#include "model/cmac_fp16.h"
#include "tests/unit/random.h"
#include "tests/unit/test.h"
#include "tests/vectors.h"

/* ---- integers ---- */

enum { ATOM = 64 };

static int64_t atom_of(int16_t data, int16_t weight) {
    int16_t elements[ATOM], weights[ATOM];
    for (size_t i = 0; i < ATOM; i++) {
        elements[i] = data;
        weights[i] = weight;
    }
    struct cmac_piece piece = {.offset = 0, .count = ATOM};
    int64_t sum = -1;
    cmac_atom(elements, &piece, 1, weights, 1, &sum);
    return sum;
}

/* Section 11.2, direct rows; the two kernels of a cell are two lanes here. */
TEST(integer_atoms_are_exact) {
    assert_int_equal(atom_of(-32768, -32768), 68719476736);
    assert_int_equal(atom_of(-32768, 32767), -68717379584);
    assert_int_equal(atom_of(-128, -128), 1048576);
    assert_int_equal(atom_of(-128, 127), -1040384);
    assert_int_equal(atom_of(-128, -1), 8192);
}

/* Section 11.2, Winograd rows: products of the sixteen positions of a tile, four channels each, then POA. */
TEST(post_addition) {
    int64_t sums[16 * 3] = {0}, out[4 * 3];
    for (size_t lane = 0; lane < ATOM; lane++) {
        int64_t data = (int64_t)((lane + 4) % 5) - 2;
        int64_t *at = sums + lane / 4 * 3;
        at[0] += (int64_t)lane + 1;
        at[1] += ((int64_t)(lane % 7) - 3) * data;
        at[2] += data;
    }
    cmac_post_add(sums, 3, 3, out);
    static const int64_t expected[4 * 3] = {810, 14, -4, -414, 47, -6, -846, -1, -3, 330, 8, -6};
    assert_memory_equal(out, expected, sizeof expected);
}

/* The packed form: all numbers of lanes, odd places, partial groups, chunks of several runs, extremes. */
TEST(packed_chunks_equal_single_products) {
    enum { POSITIONS = 11, PAIRS = CMAC_PAIRS, SIZE = 4 * PAIRS };
    static const struct {
        bool wide;
        size_t lanes;
    } forms[] = {{false, 8}, {false, 16}, {false, 32}, {true, 8}, {true, 16}};
    uint64_t seed = 1;
    int16_t *input = malloc((SIZE + 1) * sizeof *input);
    int16_t *weights = malloc(32 * 2 * PAIRS * sizeof *weights);
    int64_t *sums = malloc(POSITIONS * 32 * sizeof *sums);
    assert_true(input && weights && sums);
    for (size_t round = 0; round < 40; round++) {
        bool wide = forms[round % 5].wide, extreme = round % 3 == 0;
        size_t lanes = forms[round % 5].lanes, kernels = 1 + rnd(&seed) % lanes, pairs = 1 + rnd(&seed) % PAIRS;
        int16_t low = wide ? INT16_MIN : INT8_MIN;
        for (size_t i = 0; i <= SIZE; i++)
            input[i] = extreme ? low : wide ? (int16_t)rnd(&seed) : (int8_t)rnd(&seed);
        for (size_t i = 0; i < 32 * 2 * PAIRS; i++)
            weights[i] = extreme ? low : wide ? (int16_t)rnd(&seed) : (int8_t)rnd(&seed);
        /* Two runs; the second is one element short of its last pair. */
        struct cmac_run runs[2] = {{.offset = 3, .pairs = pairs / 2},
                                   {.offset = 2 * PAIRS, .pairs = pairs - pairs / 2}};
        size_t elements = 2 * pairs - 1, step = elements;
        struct cmac_weights packed = {.lanes = 0};
        cmac_weights_begin(&packed, wide, lanes, pairs, kernels * elements);
        cmac_weights_take(&packed, weights, kernels * elements);
        for (size_t at = 0, n; at < elements; at += n) {
            n = 1 + rnd(&seed) % 70;
            n = n < elements - at ? n : elements - at;
            cmac_weights_place(&packed, at, at, step, kernels, n);
        }
        const int16_t *windows[POSITIONS];
        for (size_t p = 0; p < POSITIONS; p++)
            windows[p] = input + rnd(&seed) % PAIRS;
        memset(sums, 0, POSITIONS * 32 * sizeof *sums);
        for (size_t block = 0; block < packed.blocks; block++)
            cmac_multiply(&packed, block, windows, POSITIONS, runs, 2, 0, sums);
        for (size_t i = 0; i < POSITIONS * lanes; i++) {
            int64_t sum = 0;
            for (size_t e = 0; e < elements && i % lanes < kernels; e++) {
                size_t in_second = 2 * runs[0].pairs;
                size_t from = e < in_second ? runs[0].offset + e : runs[1].offset + e - in_second;
                sum += windows[i / lanes][from] * weights[i % lanes * step + e];
            }
            assert_int_equal(sums[i], sum);
        }
        cmac_weights_free(&packed);
    }
    free(input);
    free(weights);
    free(sums);
}

/* ---- FP16 ---- */

/* An atomic operation of one kernel: lanes of a weight and a datum each. */
struct lanes {
    uint16_t weight[ATOM], data[ATOM];
    size_t absent; /* of the last ones, which are zero: the weights end before them */
};

/* The 44 bits that CMAC sends for kernel k, computed with vectors of that kind. */
static uint64_t send_kind(size_t kind, const struct lanes *lanes, size_t k, bool tile, size_t output) {
    struct cmac_fp16_weights weights = {.blocks = 0};
    const size_t count = ATOM - lanes->absent;
    cmac_fp16_weights_begin(&weights, 16, ATOM + count, 2);
    cmac_fp16_weights_choose(&weights, kind);
    cmac_fp16_weights_clear(&weights);
    int16_t window[ATOM], stream[16 * ATOM] = {0};
    memcpy(stream + k * ATOM, lanes->weight, sizeof lanes->weight);
    memcpy(window, lanes->data, sizeof lanes->data);
    cmac_fp16_weights_place(&weights, ATOM, 1, stream, ATOM, 16, count);
    struct cmac_piece pieces[2] = {{.offset = 0, .count = 12}, {.offset = 12, .count = count - 12}};
    struct cmac_fp16_data data;
    struct cmac_fp16_sums sums;
    cmac_fp16_data_read(&data, &weights, window, pieces, 2);
    cmac_fp16_atom(&weights, k / CMAC_FP16_LANES, 1, ATOM, &data, tile, &sums);
    cmac_fp16_weights_free(&weights);
    uint64_t mantissa = (uint64_t)sums.mantissa[output][k % CMAC_FP16_LANES] & ((UINT64_C(1) << 38) - 1);
    return (uint64_t)sums.exponent[k % CMAC_FP16_LANES] << 38 | mantissa;
}

static uint64_t send(const struct lanes *lanes, size_t k, bool tile, size_t output) {
    return send_kind(cmac_fp16_kinds() - 1, lanes, k, tile, output);
}

/* Section 11.3. */
TEST(fp16_atoms) {
    size_t kernel = 0;
    for (struct vectors v = vectors_of("cmac", "fp16"); vectors_next(&v); kernel++) {
        struct lanes lanes = {.absent = 0};
        for (int n = 0; 2 * n + 1 < v.cells; n++) {
            lanes.weight[n] = (uint16_t)v.number[1 + 2 * n];
            lanes.data[n] = (uint16_t)v.number[2 + 2 * n];
        }
        assert_true(vectors_equal(&v, (int64_t)send(&lanes, kernel % 16, false, 0), v.number[0]));
    }
    for (struct vectors v = vectors_of("cmac", "fp16_all"); vectors_next(&v);) {
        struct lanes lanes = {.absent = 0};
        for (size_t n = 0; n < ATOM; n++) {
            lanes.weight[n] = (uint16_t)v.number[1];
            lanes.data[n] = (uint16_t)v.number[2];
        }
        assert_true(vectors_equal(&v, (int64_t)send(&lanes, 3, false, 0), v.number[0]));
    }
}

/* A NaN counts even where its partner is zero; all outputs of a tile carry it. */
TEST(nans_poison_the_cell) {
    struct lanes lanes = {.absent = 0};
    lanes.data[63] = 0x7c01;
    assert_int_equal(send(&lanes, 0, false, 0), UINT64_C(63) << 38 | UINT64_C(1) << 27);
    lanes.weight[40] = 0xfe00;
    for (size_t n = 0; n < CMAC_FP16_OUTPUTS; n++)
        assert_int_equal(send(&lanes, 0, true, n), UINT64_C(63) << 38 | UINT64_C(0x600) << 27);
}

/* The product as section 9.2 generates it, written down digit by digit. */
static void multiplier(uint32_t weight, uint32_t data, bool negative, uint32_t pair[2]) {
    uint32_t halves[2][2];
    for (unsigned h = 0; h < 2; h++) {
        uint32_t s[4], n[4], list[8];
        for (unsigned k = 0; k < 4; k++) {
            static const int32_t digits[8] = {0, 1, 1, 2, -2, -1, -1, 0};
            uint32_t c = weight << 1 >> 2 * (4 * h + k) & 7;
            int32_t digit = digits[negative ? ~c & 7 : c];
            n[k] = digit < 0;
            s[k] = (uint32_t)(65536 + digit * (int32_t)data - (int32_t)n[k]);
        }
        list[0] = s[0];
        list[1] = 4 * s[1] + n[0];
        list[2] = 16 * s[2] + 4 * n[1];
        list[3] = 64 * s[3] + 16 * n[2];
        list[4] = 64 * n[3];
        for (unsigned length = 5; length > 2;) {
            uint32_t next[8] = {0};
            unsigned count = 0, i = 0;
            for (; i + 3 <= length; i += 3) {
                uint32_t a = list[i], b = list[i + 1], c = list[i + 2];
                next[count++] = a ^ b ^ c;
                next[count++] = 2 * ((a & b) | (a & c) | (b & c)) & 0xffffff;
            }
            for (; i < length; i++)
                next[count++] = list[i];
            memcpy(list, next, sizeof next);
            length = count;
        }
        halves[h][0] = list[0];
        halves[h][1] = list[1];
    }
    uint32_t a = halves[0][0], b = halves[0][1], c = 256 * halves[1][0], d = 256 * halves[1][1];
    uint32_t x = a ^ b ^ c, y = 2 * ((a & b) | (a & c) | (b & c));
    pair[0] = x ^ y ^ d;
    pair[1] = 2 * ((x & y) | (x & d) | (y & d));
}

static uint32_t mantissa_of(uint16_t h, int *exponent) {
    uint32_t e = h >> 10 & 31, m = h & 1023u;
    *exponent = (int)(e >> 2);
    return (e == 0 ? 2 * m : 1024 + m) << (e & 3);
}

static uint64_t expected(const struct lanes *lanes, bool tile, size_t output) {
    int most = 0, ew, ed;
    for (size_t i = 0; i < ATOM; i++)
        if (mantissa_of(lanes->weight[i], &ew) && mantissa_of(lanes->data[i], &ed) && ew + ed > most)
            most = ew + ed;
    int64_t sum = 0;
    for (size_t i = 0; i < ATOM; i++) {
        uint32_t w = mantissa_of(lanes->weight[i], &ew), d = mantissa_of(lanes->data[i], &ed), pair[2];
        int distance = most - ew - ed;
        if (w && d && distance < 8) {
            multiplier(w, d, (lanes->weight[i] ^ lanes->data[i]) >> 15, pair);
            int64_t t = (int64_t)(pair[0] >> 4 * distance) + (int64_t)(pair[1] >> 4 * distance);
            t -= UINT32_C(0x55550000) >> 4 * distance;
            sum += t * (tile ? cmac_coefficient(i / 4, output) : 1);
        }
    }
    return (uint64_t)most << 40 | ((uint64_t)sum & ((UINT64_C(1) << 38) - 1));
}

static void follow_the_multiplier(size_t kind, uint64_t seed) {
    for (int round = 0; round < 3000; round++) {
        struct lanes lanes = {.absent = round % 4 == 2 ? 3 : 0};
        unsigned spread = rnd(&seed) % 31 + 1, present = rnd(&seed) % 4;
        for (size_t i = 0; i < ATOM; i++) {
            lanes.weight[i] = (uint16_t)((rnd(&seed) & 0x83ff) | rnd(&seed) % spread << 10);
            lanes.data[i] = (uint16_t)((rnd(&seed) & 0x83ff) | rnd(&seed) % spread << 10);
            if (present == 0 && rnd(&seed) % 2)
                lanes.weight[i] &= 0x8000;
            if (present == 1 && rnd(&seed) % 2)
                lanes.data[i] &= 0x8000;
        }
        memset(lanes.weight + ATOM - lanes.absent, 0, lanes.absent * sizeof *lanes.weight);
        bool tile = round % 2;
        size_t output = tile ? rnd(&seed) % 4 : 0;
        assert_int_equal(send_kind(kind, &lanes, rnd(&seed) % 16, tile, output), expected(&lanes, tile, output));
    }
}

/* Whatever vectors the machine has, with every compiler. */
TEST(fp16_products_follow_the_multiplier) {
    const size_t kinds = cmac_fp16_kinds();
#ifdef __x86_64__
    assert_int_equal(kinds > 1, __builtin_cpu_supports("avx2") != 0);
#endif
    for (size_t kind = 0; kind < kinds; kind++)
        follow_the_multiplier(kind, 2 + kind);
}
