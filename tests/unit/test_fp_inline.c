/* The operations of nvdla/fp_inline.h are those of nvdla/fp.h: conversions of every pattern, and many pairs of
 * operands, most of them with exponents near the places where results round, vanish and saturate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "nvdla/fp.h"
#include "nvdla/fp_inline.h"
#include "tests/unit/random.h"

static void conversions_are_the_same(void **state) {
    (void)state;
    for (uint32_t a = 0; a <= 0xffff; a++)
        assert_int_equal(fp16_to_fp17_inline((uint16_t)a), fp16_to_fp17((uint16_t)a));
    for (uint32_t a = 0; a <= 0x1ffff; a++)
        assert_int_equal(fp17_to_fp16_inline(a), fp17_to_fp16(a));
}

static void check_pair(uint32_t a, uint32_t b) {
    assert_int_equal(fp17_add_inline(a, b), fp17_add(a, b));
    assert_int_equal(fp17_mul_inline(a, b), fp17_mul(a, b));
    assert_int_equal(fp16_extreme_inline(a & 0xffff, b & 0xffff, false), fp16_max((uint16_t)a, (uint16_t)b));
    assert_int_equal(fp16_extreme_inline(a & 0xffff, b & 0xffff, true), fp16_min((uint16_t)a, (uint16_t)b));
}

static void operations_are_the_same(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 1000000; i++) {
        uint32_t a = rnd(&seed) & 0x1ffff, b = rnd(&seed) & 0x1ffff, rest = b & 0x103ff;
        uint32_t step = (rnd(&seed) & 31) * 0x400 - 16 * 0x400;
        check_pair(a, b);
        check_pair(a, rest | ((a + step) & 0xfc00));           /* sums that round */
        check_pair(a, rest | ((0x7c00 - a + step) & 0xfc00));  /* products around the smallest number */
        check_pair(a, rest | ((0x17800 - a + step) & 0xfc00)); /* and around the largest */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions_are_the_same),
        cmocka_unit_test(operations_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
