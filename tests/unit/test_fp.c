/* NVDLA's floating point: the vectors of the chapters, random operands against the machine's own arithmetic where both
 * have to agree, and against the plain definitions of tests/naive. */
#include <math.h>

#include "nvdla/fp.h"
#include "tests/naive/naive_fp.h"
#include "tests/unit/random.h"
#include "tests/unit/test.h"
#include "tests/vectors.h"

/* Vectors of a kind, whose operands are a and b. */
#define FLOATS(kind, result)                                                                                           \
    for (struct vectors v = vectors_of("floats", #kind); vectors_next(&v);) {                                          \
        const uint32_t a = (uint32_t)v.number[0];                                                                      \
        __attribute__((unused)) const uint32_t b = (uint32_t)v.number[1];                                              \
        assert_true(vectors_equal(&v, result, (uint32_t)v.number[v.cells - 1]));                                       \
    }

TEST(vectors_of_the_chapters){
    FLOATS(fp16_max, fp16_extreme(a, b, false)) FLOATS(fp16_min, fp16_extreme(a, b, true))
        FLOATS(fp16_to_fp17, fp16_to_fp17((uint16_t)a)) FLOATS(fp16_to_fp32, fp16_to_fp32((uint16_t)a))
            FLOATS(fp17_add, fp17_add(a, b)) FLOATS(fp17_mul, fp17_mul(a, b)) FLOATS(fp17_to_fp16, fp17_to_fp16(a))
                FLOATS(fp17_to_fp32, fp17_to_fp32(a)) FLOATS(fp32_add, fp32_add(a, b))
                    FLOATS(fp32_add_fp16, fp32_add(a, fp16_to_fp32((uint16_t)b)))
                        FLOATS(fp32_max, fp32_extreme(a, b, false)) FLOATS(fp32_min, fp32_extreme(a, b, true))
                            FLOATS(fp32_mul, fp32_mul(a, b))
                                FLOATS(fp32_mul_fp16, fp32_mul(a, fp16_to_fp32((uint16_t)b)))
                                    FLOATS(fp32_sub, fp32_sub(a, b)) FLOATS(fp32_to_fp16, fp32_to_fp16(a))
                                        FLOATS(fp32_to_fp17, fp32_to_fp17(a))
                                            FLOATS(fp32_to_int16, (uint32_t)fp16_to_int16(fp32_to_fp16(a)))
                                                FLOATS(fraction_to_fp17, fp17_from_fraction(a, (int32_t)b))
                                                    FLOATS(integer_to_fp16, fp16_from_integer((int32_t)a))}

TEST(nans_are_known) {
    assert_true(fp16_is_nan(0xfc01) && fp17_is_nan(0x0fc01) && fp32_is_nan(0x7f800001));
    assert_false(fp16_is_nan(0xfc00) || fp17_is_nan(0x0fc00) || fp32_is_nan(0x7f800000));
}

TEST(wider_formats_hold_every_number) {
    for (uint32_t a = 0; a < 0x10000; a++) {
        uint16_t back = fp17_to_fp16(fp16_to_fp17((uint16_t)a));
        assert_int_equal(back, (a & 0x7fff) == 0x7c00 ? a - 1 : a);
    }
    for (uint32_t a = 0; a < 0x20000; a++) {
        uint32_t exponent = a >> 10 & 63;
        if (exponent > 0 && exponent < 63)
            assert_int_equal(fp32_to_fp17(fp17_to_fp32(a)), a);
    }
}

/* ---- against the machine ---- */

static float number_of(uint32_t pattern) {
    float number;
    memcpy(&number, &pattern, sizeof number);
    return number;
}

static uint32_t pattern_of(float number) {
    uint32_t pattern;
    memcpy(&pattern, &number, sizeof pattern);
    return pattern;
}

/* A normal number of an exponent that keeps sums and products of two normal; often one close to `other`. */
static uint32_t random_normal(uint64_t *state, uint32_t other) {
    uint32_t pattern = (rnd(state) & 0x807fffff) | (100 + rnd(state) % 55) << 23;
    switch (rnd(state) % 4) {
    case 0:
        return other ^ UINT32_C(0x80000000) ^ (rnd(state) & 7);
    case 1:
        return pattern & 0xfff00000;
    default:
        return pattern;
    }
}

TEST(fp32_agrees_with_the_machine) {
    uint64_t seed = 32;
    uint32_t b = 0x3f800000;
    for (int i = 0; i < 200000; i++) {
        uint32_t a = random_normal(&seed, b);
        b = random_normal(&seed, a);
        uint32_t sum = fp32_add(a, b);
        if (number_of(a) + number_of(b) != 0)
            assert_int_equal(sum, pattern_of(number_of(a) + number_of(b)));
        else
            assert_int_equal(sum, a & UINT32_C(0x80000000));
        assert_int_equal(fp32_sub(a, b), fp32_add(a, b ^ UINT32_C(0x80000000)));
        assert_int_equal(fp32_mul(a, b), pattern_of(number_of(a) * number_of(b)));
        assert_int_equal(fp32_extreme(a, b, false), number_of(a) > number_of(b) ? a : b);
        assert_int_equal(fp32_extreme(a, b, true), number_of(a) < number_of(b) ? a : b);
    }
}

/* Value of an FP17 pattern that is not a NaN. */
static double value_of(uint32_t a) {
    int exponent = (int)(a >> 10 & 63);
    double magnitude = exponent == 0 && (a & 0x3ff) == 0 ? 0 : ldexp(0x400 | (a & 0x3ff), exponent - 31 - 10);
    return a >> 16 ? -magnitude : magnitude;
}

/* FP17 pattern of a number, to nearest even, by the machine's rounding to integers. */
static uint32_t fp17_of(double number) {
    uint32_t sign = signbit(number) ? 0x10000 : 0;
    int exponent;
    double significand = nearbyint(ldexp(frexp(fabs(number), &exponent), 11)); /* 1024 to 2048 */
    if (number == 0)
        return sign;
    if (significand >= 2048) {
        significand /= 2;
        exponent++;
    }
    exponent += 30;
    if (exponent <= 0)
        return sign;
    return exponent >= 63 ? sign | 0xfbff : sign | (uint32_t)exponent << 10 | ((uint32_t)significand & 0x3ff);
}

/* A double is exact for products, and for sums as far as FP17 can see. */
TEST(fp17_agrees_with_the_machine) {
    uint64_t seed = 17;
    for (int i = 0; i < 200000; i++) {
        uint32_t a = (rnd(&seed) & 0x103ff) | (1 + rnd(&seed) % 62) << 10;
        uint32_t b = (rnd(&seed) & 0x103ff) | (1 + rnd(&seed) % 62) << 10;
        if (rnd(&seed) & 1)
            b = (b & 0x103ff) | (a & 0xfc00);
        double sum = value_of(a) + value_of(b);
        /* A sum that is below the smallest normal number before it is rounded is zero. */
        uint32_t want = fabs(sum) < ldexp(1, -30) ? ((b & 0xffff) > (a & 0xffff) ? b : a) & 0x10000 : fp17_of(sum);
        assert_int_equal(fp17_add(a, b), want);
        assert_int_equal(fp17_mul(a, b), fp17_of(value_of(a) * value_of(b)));
    }
}

/* ---- against the plain definitions of the chapters: conversions of every pattern, and many pairs of operands, most of
 * them with exponents near the places where results round, vanish and saturate ---- */

TEST(conversions_are_the_same) {
    for (uint32_t a = 0; a <= 0xffff; a++) {
        assert_int_equal(fp16_to_fp17((uint16_t)a), naive_from_fp16(&naive_fp17, a));
        assert_int_equal(fp16_to_fp32((uint16_t)a), naive_from_fp16(&naive_fp32, a));
        assert_int_equal(fp16_to_int16((uint16_t)a), naive_fp16_to_int16(a));
    }
    for (uint32_t a = 0; a <= 0x1ffff; a++) {
        assert_int_equal(fp17_to_fp16(a), naive_fp17_to_fp16(a));
        assert_int_equal(fp17_to_fp32(a), naive_fp17_to_fp32(a));
    }
    for (int32_t value = -0x10000; value <= 0xffff; value++)
        assert_int_equal(fp16_from_integer(value), naive_int_to_fp16(value));
}

/* Sign, exponent and the upper mantissa bits in any combination, with the lower ones all zero, all one, a half, and one
 * more and less. */
TEST(fp32_is_narrowed_the_same) {
    static const uint32_t rest[] = {0, 1, 0xfff, 0x1000, 0x1001, 0x1fff};
    for (uint32_t top = 0; top < 1u << 19; top++) {
        for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) {
            const uint32_t a = top << 13 | rest[i];
            assert_int_equal(fp32_to_fp16(a), naive_fp32_to_fp16(a));
            assert_int_equal(fp32_to_fp17(a), naive_fp32_to_fp17(a));
        }
    }
}

static void check_pair(uint32_t a, uint32_t b) {
    assert_int_equal(fp17_add(a, b), naive_add(&naive_fp17, a, b));
    assert_int_equal(fp17_mul(a, b), naive_mul(&naive_fp17, a, b));
    a &= 0xffff, b &= 0xffff;
    if ((a & FP16_MAGNITUDE) == FP16_INFINITY || (b & FP16_MAGNITUDE) == FP16_INFINITY)
        return; /* without a number in FP32 */
    const uint32_t x = naive_from_fp16(&naive_fp32, a), y = naive_from_fp16(&naive_fp32, b);
    assert_int_equal(fp16_extreme(a, b, false), naive_fp32_to_fp16(naive_max32(x, y)));
    assert_int_equal(fp16_extreme(a, b, true), naive_fp32_to_fp16(naive_min32(x, y)));
}

static void check_fp32_pair(uint32_t a, uint32_t b) {
    assert_int_equal(fp32_add(a, b), naive_add(&naive_fp32, a, b));
    assert_int_equal(fp32_sub(a, b), naive_sub(&naive_fp32, a, b));
    assert_int_equal(fp32_mul(a, b), naive_mul(&naive_fp32, a, b));
    assert_int_equal(fp32_extreme(a, b, false), naive_max32(a, b));
    assert_int_equal(fp32_extreme(a, b, true), naive_min32(a, b));
}

TEST(fp32_operations_are_the_same) {
    static const uint32_t corners[] = {0,          1,          0x007fffff, 0x00800000, 0x00800001, 0x34000000,
                                       0x3f7fffff, 0x3f800000, 0x3f800001, 0x40000000, 0x7f000000, 0x7f7ffffe,
                                       0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff};
    enum { CORNERS = sizeof corners / sizeof corners[0] };
    for (size_t i = 0; i < 4 * CORNERS * CORNERS; i++)
        check_fp32_pair(corners[i / 4 / CORNERS] | (uint32_t)(i & 1) << 31, corners[i / 4 % CORNERS] | (uint32_t)(i & 2)
                                                                                                           << 30);
    uint64_t seed = 3;
    for (uint64_t i = 0, all = seeds_of(300000); i < all; i++) {
        /* Short mantissas make ties. */
        const unsigned mask = i % 2 ? 0xffffffff : 0xffffffff << below(&seed, 23);
        uint32_t a = rnd(&seed) & mask, b = rnd(&seed) & mask, rest = b & 0x807fffff;
        uint32_t step = (below(&seed, 64) << 23) - (32u << 23);
        check_fp32_pair(a, b);
        check_fp32_pair(a, corners[below(&seed, CORNERS)]);
        check_fp32_pair(a, rest | ((a + step) & 0x7f800000));              /* sums that round */
        check_fp32_pair(a, rest | ((0x3f800000 - a + step) & 0x7f800000)); /* products around the smallest number */
        check_fp32_pair(a, rest | ((0xbf000000 - a + step) & 0x7f800000)); /* and around the largest */
    }
}

TEST(operations_are_the_same) {
    uint64_t seed = 1;
    for (uint64_t i = 0, all = seeds_of(300000); i < all; i++) {
        uint32_t a = rnd(&seed) & 0x1ffff, b = rnd(&seed) & 0x1ffff, rest = b & 0x103ff;
        uint32_t step = (rnd(&seed) & 31) * 0x400 - 16 * 0x400;
        check_pair(a, b);
        check_pair(a, rest | ((a + step) & 0xfc00));           /* sums that round */
        check_pair(a, rest | ((0x7c00 - a + step) & 0xfc00));  /* products around the smallest number */
        check_pair(a, rest | ((0x17800 - a + step) & 0xfc00)); /* and around the largest */
    }
}
