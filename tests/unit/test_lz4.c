/* Compression of recorded streams: whatever goes in comes out again, in the published format, and damage is noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>

#include "observe/lz4.h"

static uint64_t state = 1;

static uint32_t draw(uint32_t below) {
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state >> 33) % below;
}

/* Bytes of few values, runs, repetitions near and far, noise. */
static void fill(uint8_t *bytes, size_t size) {
    for (size_t n = 0; n < size;) {
        const uint32_t kind = draw(4), length = 1 + draw(draw(2) ? 20 : 2000);
        const size_t distance = n ? 1 + draw((uint32_t)(n < 70000 ? n : 70000)) : 0;
        for (uint32_t i = 0; i < length && n < size; i++, n++)
            bytes[n] = (uint8_t)(kind == 0               ? draw(256)
                                 : kind == 1             ? draw(3)
                                 : kind == 2 && distance ? bytes[n - distance]
                                                         : 7);
    }
}

static void what_goes_in_comes_out(void **unused) {
    (void)unused;
    enum { MOST = 200000 };
    uint8_t *from = malloc(MOST), *back = malloc(MOST), *packed = malloc(lz4_bound(MOST));
    size_t all = 0, held = 0;
    for (int turn = 0; turn < 2000; turn++) {
        const size_t size = turn < 400 ? (size_t)turn / 4 : draw(turn % 100 ? 3000 : MOST);
        fill(from, size);
        const size_t n = lz4_compress(packed, from, size);
        assert_true(n <= lz4_bound(size));
        assert_true(lz4_decompress(back, size, packed, n));
        assert_memory_equal(back, from, size);
        assert_false(lz4_decompress(back, size + 1, packed, n));
        assert_false(size > 0 && lz4_decompress(back, size - 1, packed, n));
        assert_false(lz4_decompress(back, size, packed, n - 1));
        all += size;
        held += n;
    }
    assert_true(held < all / 2);
    free(from);
    free(back);
    free(packed);
}

/* As the description of the format has it: token, literals, distance; the last five bytes are literals. */
static void the_format_is_that_of_lz4(void **unused) {
    (void)unused;
    static const uint8_t block[] = {0x35, 'a', 'b', 'c', 3, 0, 0x50, 'v', 'w', 'x', 'y', 'z'};
    uint8_t back[17], packed[64];
    assert_true(lz4_decompress(back, sizeof back, block, sizeof block));
    assert_memory_equal(back, "abcabcabcabcvwxyz", sizeof back);
    assert_int_equal(lz4_compress(packed, back, sizeof back), sizeof block);
    assert_memory_equal(packed, block, sizeof block);
    static const uint8_t before_the_start[] = {0x30, 'a', 'b', 'c', 4, 0, 0x50, 'v', 'w', 'x', 'y', 'z'};
    assert_false(lz4_decompress(back, 12, before_the_start, sizeof before_the_start));
    static const uint8_t no_distance[] = {0x30, 'a', 'b', 'c', 0, 0, 0x50, 'v', 'w', 'x', 'y', 'z'};
    assert_false(lz4_decompress(back, 12, no_distance, sizeof no_distance));
}

/* Any bytes are taken apart without a step outside; the sanitizers would tell. */
static void damage_is_contained(void **unused) {
    (void)unused;
    uint8_t from[500], back[500], packed[600];
    for (int turn = 0; turn < 20000; turn++) {
        fill(from, sizeof from);
        const size_t n = lz4_compress(packed, from, sizeof from);
        for (uint32_t i = 0; i <= draw(4); i++)
            packed[draw((uint32_t)n)] = (uint8_t)draw(256);
        lz4_decompress(back, sizeof back, packed, n);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(the_format_is_that_of_lz4),
        cmocka_unit_test(damage_is_contained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
