/* Fixed-point functions against exact arithmetic on wider types. */
#include "nvdla/fixed.h"
#include "tests/unit/random.h"
#include "tests/unit/test.h"

TEST(saturate_clamps_to_the_signed_range) {
    assert_int_equal(fixed_saturate(127, 8), 127);
    assert_int_equal(fixed_saturate(128, 8), 127);
    assert_int_equal(fixed_saturate(-128, 8), -128);
    assert_int_equal(fixed_saturate(-129, 8), -128);
    assert_int_equal(fixed_saturate(65535, 17), 65535);
    assert_int_equal(fixed_saturate(65536, 17), 65535);
    assert_int_equal(fixed_saturate(INT64_MIN, 32), INT32_MIN);
    assert_int_equal(fixed_saturate(INT64_MAX, 63), INT64_MAX >> 1);
    assert_int_equal(fixed_saturate(5, 1), 0);
    assert_int_equal(fixed_saturate(-5, 1), -1);
}

TEST(sign_extend_takes_the_low_bits) {
    assert_int_equal(fixed_sign_extend(0xff, 8), -1);
    assert_int_equal(fixed_sign_extend(0x17f, 8), 127);
    assert_int_equal(fixed_sign_extend(0x80, 8), -128);
    assert_int_equal(fixed_sign_extend(INT64_C(0x80000000), 32), INT32_MIN);
    assert_int_equal(fixed_sign_extend(INT64_MIN, 64), INT64_MIN);
    assert_int_equal(fixed_sign_extend(1, 1), -1);
}

TEST(round_shift_rounds_ties_away_from_zero) {
    assert_int_equal(fixed_round_shift(5, 1), 3);
    assert_int_equal(fixed_round_shift(-5, 1), -3);
    assert_int_equal(fixed_round_shift(-1, 1), -1);
    assert_int_equal(fixed_round_shift(-6, 2), -2);
    assert_int_equal(fixed_round_shift(7, 2), 2);
    assert_int_equal(fixed_round_shift(-5, 2), -1);
    assert_int_equal(fixed_round_shift(123, 0), 123);
    assert_int_equal(fixed_round_shift(INT64_MIN, 0), INT64_MIN);
}

TEST(round_shift_takes_any_shift) {
    assert_int_equal(fixed_round_shift(INT64_MAX, 63), 1);
    assert_int_equal(fixed_round_shift(INT64_MIN, 63), -1);
    assert_int_equal(fixed_round_shift(INT64_MIN, 64), -1);
    assert_int_equal(fixed_round_shift(INT64_MIN + 1, 64), 0);
    assert_int_equal(fixed_round_shift(INT64_MIN, 65), 0);
    assert_int_equal(fixed_round_shift(INT64_MAX, 1023), 0);
}

/* Rows of 50-sdp section 13.4 (to 8 bits), and of 13.3 (EW operands). */
TEST(convertor_subtracts_scales_rounds_and_clamps) {
    assert_int_equal(fixed_convert(1000, 10, 3, 4, 8), 127);
    assert_int_equal(fixed_convert(1000, 10, 3, 5, 8), 0x5d);
    assert_int_equal(fixed_convert(-1000, 10, 3, 5, 8), (int8_t)0xa1);
    assert_int_equal(fixed_convert(INT32_MIN, INT32_MAX, -32768, 40, 17), 128);
    assert_int_equal(fixed_convert(100, 10, 3, 2, 32), 68);
    assert_int_equal(fixed_convert(32767, INT32_MIN, 32767, 0, 32), INT32_MAX);
}

/* value / 2^shift by division: quotient and remainder of the magnitude. */
static int64_t by_division(int64_t value, unsigned shift) {
    int64_t divisor = INT64_C(1) << shift;
    int64_t magnitude = value < 0 ? -value : value;
    int64_t rounded = magnitude / divisor + (2 * (magnitude % divisor) >= divisor);
    return value < 0 ? -rounded : rounded;
}

TEST(rounding_without_branches_takes_any_shift_below_64) {
    assert_int_equal(fixed_round(fixed_rounding(0), -7), -7);
    assert_int_equal(fixed_round(fixed_rounding(63), (INT64_C(1) << 62) - 1), 0);
    assert_int_equal(fixed_round(fixed_rounding(62), (INT64_C(1) << 62) - 1), 1);
    assert_int_equal(fixed_round(fixed_rounding(62), 1 - (INT64_C(1) << 62)), -1);
}

TEST(round_shift_agrees_with_division) {
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        rnd64(&seed);
        unsigned bits = (unsigned)(seed >> 58);
        unsigned shift = (unsigned)(seed >> 52 & 63) % 50;
        int64_t value = (int64_t)(seed << 12) >> (12 + bits % 50);
        assert_int_equal(fixed_round_shift(value, shift), by_division(value, shift));
        assert_int_equal(fixed_round(fixed_rounding(shift), value), by_division(value, shift));
    }
}
