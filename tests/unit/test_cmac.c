/* CMAC: the vectors of 40-convolution-core sections 11.2 and 11.3, and the plain form of FP16 against those with vector
 * instructions. The packed form of integers is compared by tests/naive. */
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
    return send_kind(0, lanes, k, tile, output);
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
        lanes.absent = v.cells > 24 ? ATOM - (size_t)v.cells / 2 : 0; /* the weights end with the row */
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

/* Random atoms: weights and data of few exponents or many, without most lanes or the last ones, also of tiles. */
static void compare_kinds(size_t kind, uint64_t seed) {
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
        const size_t k = rnd(&seed) % 16;
        struct lanes whole = lanes;
        whole.absent = 0;
        assert_int_equal(send_kind(kind, &lanes, k, tile, output), send_kind(0, &whole, k, tile, output));
    }
}

/* Whatever vectors the machine has compute what the plain form does with all lanes. */
TEST(all_kinds_of_vectors_are_equal) {
    const size_t kinds = cmac_fp16_kinds();
#ifdef __x86_64__
    assert_int_equal(kinds > 1, __builtin_cpu_supports("avx2") != 0);
#endif
    for (size_t kind = 0; kind < kinds; kind++)
        compare_kinds(kind, 2 + kind);
}
