/* The operations of nvdla/fp_inline.h are those of nvdla/fp.h: conversions of every pattern, and many pairs of
 * operands, most of them with exponents near the places where results round, vanish and saturate. */
#include <stdlib.h>

#include "nvdla/fp.h"
#include "nvdla/fp_inline.h"
#include "tests/unit/random.h"
#include "tests/unit/test.h"

TEST(conversions_are_the_same) {
    for (uint32_t a = 0; a <= 0xffff; a++) {
        assert_int_equal(fp16_to_fp17_inline((uint16_t)a), fp16_to_fp17((uint16_t)a));
        assert_int_equal(fp16_to_fp32_inline((uint16_t)a), fp16_to_fp32((uint16_t)a));
        assert_int_equal(fp16_to_int16_inline((uint16_t)a), fp16_to_int16((uint16_t)a));
    }
    for (uint32_t a = 0; a <= 0x1ffff; a++) {
        assert_int_equal(fp17_to_fp16_inline(a), fp17_to_fp16(a));
        assert_int_equal(fp17_to_fp32_inline(a), fp17_to_fp32(a));
    }
    for (int32_t value = -0x10000; value <= 0xffff; value++)
        assert_int_equal(fp16_from_integer_inline(value), fp16_from_integer(value));
}

/* Sign, exponent and the upper mantissa bits in any combination, with the lower ones all zero, all one, a half, and one
 * more and less. */
TEST(fp32_is_narrowed_the_same) {
    static const uint32_t rest[] = {0, 1, 0xfff, 0x1000, 0x1001, 0x1fff};
    for (uint32_t top = 0; top < 1u << 19; top++) {
        for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) {
            const uint32_t a = top << 13 | rest[i];
            assert_int_equal(fp32_to_fp16_inline(a), fp32_to_fp16(a));
            assert_int_equal(fp32_to_fp17_inline(a), fp32_to_fp17(a));
        }
    }
}

static void check_pair(uint32_t a, uint32_t b) {
    assert_int_equal(fp17_add_inline(a, b), fp17_add(a, b));
    assert_int_equal(fp17_mul_inline(a, b), fp17_mul(a, b));
    assert_int_equal(fp16_extreme_inline(a & 0xffff, b & 0xffff, false), fp16_max((uint16_t)a, (uint16_t)b));
    assert_int_equal(fp16_extreme_inline(a & 0xffff, b & 0xffff, true), fp16_min((uint16_t)a, (uint16_t)b));
}

static void check_fp32_pair(uint32_t a, uint32_t b) {
    assert_int_equal(fp32_add_inline(a, b), fp32_add(a, b));
    assert_int_equal(fp32_sub_inline(a, b), fp32_sub(a, b));
    assert_int_equal(fp32_mul_inline(a, b), fp32_mul(a, b));
    assert_int_equal(fp32_extreme_inline(a, b, false), fp32_max(a, b));
    assert_int_equal(fp32_extreme_inline(a, b, true), fp32_min(a, b));
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
    for (uint64_t i = 0, all = seeds_of(1000000); i < all; i++) {
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
    for (uint64_t i = 0, all = seeds_of(1000000); i < all; i++) {
        uint32_t a = rnd(&seed) & 0x1ffff, b = rnd(&seed) & 0x1ffff, rest = b & 0x103ff;
        uint32_t step = (rnd(&seed) & 31) * 0x400 - 16 * 0x400;
        check_pair(a, b);
        check_pair(a, rest | ((a + step) & 0xfc00));           /* sums that round */
        check_pair(a, rest | ((0x7c00 - a + step) & 0xfc00));  /* products around the smallest number */
        check_pair(a, rest | ((0x17800 - a + step) & 0xfc00)); /* and around the largest */
    }
}
