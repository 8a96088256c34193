/* The sparse image: contents, provenance, regions, comparison. */

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "memory/memory.h"
#include "nvdla/random.h"
#include "tests/unit/test.h"

TEST_KEEPS(keep_memory, struct memory, memory_free)

static struct memory *new_memory(void) {
    return keep_memory(memory_new());
}

static struct memory *fresh(void) {
    struct memory *mem = new_memory();
    assert_non_null(mem);
    return mem;
}

static uint8_t byte_at(const struct memory *mem, uint64_t address) {
    uint8_t byte = 0xee;
    memory_read(mem, address, &byte, 1);
    return byte;
}

static void write_text(struct memory *mem, uint64_t address, const char *text) {
    memory_write(mem, address, text, strlen(text), NULL, NULL);
}

TEST_ON(unwritten_bytes_read_as_zero, struct memory *mem, fresh()) {
    uint8_t bytes[16];
    memset(bytes, 0xff, sizeof bytes);
    memory_read(mem, 0xffc, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        assert_int_equal(bytes[i], 0);
    assert_false(memory_origin_of(mem, 0xffc, NULL));
    write_text(mem, 0x1002, "ab");
    memory_read(mem, 0xffc, bytes, sizeof bytes);
    assert_memory_equal(bytes, "\0\0\0\0\0\0ab\0\0\0\0\0\0\0\0", sizeof bytes);
    memory_free(NULL);
}

TEST_ON(writes_cross_pages_and_chunks, struct memory *mem, fresh()) {
    const size_t n = 3 * MEMORY_PAGE;
    uint8_t *out = malloc(n), *in = malloc(n);
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(i * 7 + i / 251);
    const uint64_t address = UINT64_C(0x200000) * 5 - MEMORY_PAGE - 3; /* over a 2-MiB border */
    memory_write(mem, address, out, n, NULL, NULL);
    memory_read(mem, address, in, n);
    assert_memory_equal(in, out, n);
    assert_int_equal(byte_at(mem, address - 1), 0);
    assert_int_equal(byte_at(mem, address + n), 0);
    free(out);
    free(in);
}

TEST_ON(many_scattered_pages_stay_apart, struct memory *mem, fresh()) {
    for (uint64_t i = 0; i < 3000; i++) {
        const uint64_t address = (i * UINT64_C(0x9e3779b97f4a7c15)) & ~UINT64_C(0xfff);
        memory_write(mem, address + 8, &i, sizeof i, NULL, NULL);
    }
    for (uint64_t i = 0; i < 3000; i++) {
        uint64_t value;
        memory_read(mem, ((i * UINT64_C(0x9e3779b97f4a7c15)) & ~UINT64_C(0xfff)) + 8, &value, sizeof value);
        assert_true(value == i);
    }
    /* Every page but the one of i = 0 differs from memory that was not written. */
    struct memory *zero = fresh();
    uint64_t count = 0, from = 0, found = 0;
    while (count <= 3000 && memory_next_difference(mem, zero, from, &found)) {
        assert_true(found >= from);
        count++;
        from = (found & ~UINT64_C(0xfff)) + MEMORY_PAGE;
        if (from == 0)
            break;
    }
    assert_int_equal(count, 2999);
}

TEST_ON(strobes_select_bytes, struct memory *mem, fresh()) {
    memory_fill(mem, 0x100, 16, 0xcc);
    const uint8_t strobe[2] = {0x85, 0x01};
    const struct memory_origin origin = {.cycle = 12, .unit = 11, .axi_id = 1, .ordinal = 3};
    memory_write(mem, 0x100, "0123456789", 10, strobe, &origin);
    uint8_t bytes[10];
    memory_read(mem, 0x100, bytes, sizeof bytes);
    assert_memory_equal(bytes,
                        "0\xcc"
                        "2\xcc\xcc\xcc\xcc"
                        "78\xcc",
                        10);
    for (uint64_t i = 0; i < 10; i++) {
        struct memory_origin found;
        assert_true(memory_origin_of(mem, 0x100 + i, &found));
        const bool strobed = i == 0 || i == 2 || i == 7 || i == 8;
        assert_int_equal(found.unit, strobed ? 11 : -1);
        assert_int_equal(found.cycle, strobed ? 12 : 0);
        assert_int_equal(found.ordinal, strobed ? 3 : -1);
        assert_int_equal(found.axi_id, strobed ? 1 : -1);
    }
}

TEST_ON(a_write_without_strobes_leaves_no_page, struct memory *mem, fresh()) {
    const uint8_t none[2] = {0, 0};
    memory_write(mem, 0x7000, "0123456789abcdef", 16, none, NULL);
    assert_false(memory_origin_of(mem, 0x7000, NULL));
}

TEST_ON(the_last_writer_of_each_byte_is_known, struct memory *mem, fresh()) {
    struct memory_origin a = {.cycle = 100, .unit = 11, .axi_id = 1, .ordinal = 0},
                         b = {.cycle = 200, .unit = 13, .axi_id = 2, .ordinal = 4}, found;
    memory_write(mem, 0x1ff8, "aaaaaaaaaaaaaaaa", 16, NULL, &a); /* over a page border */
    memory_write(mem, 0x1ffc, "bbbb", 4, NULL, &b);
    memory_fill(mem, 0x2000, 2, 0);
    assert_false(memory_origin_of(mem, 0x1ff7, &found));
    assert_true(memory_origin_of(mem, 0x1ffb, &found));
    assert_int_equal(found.cycle, 100);
    assert_true(memory_origin_of(mem, 0x1ffc, &found));
    assert_int_equal(found.cycle, 200);
    assert_int_equal(found.unit, 13);
    assert_int_equal(found.axi_id, 2);
    assert_int_equal(found.ordinal, 4);
    assert_true(memory_origin_of(mem, 0x2001, &found));
    assert_int_equal(found.unit, -1);
    assert_int_equal(found.axi_id, -1);
    assert_int_equal(found.ordinal, -1);
    assert_true(memory_origin_of(mem, 0x2002, &found));
    assert_int_equal(found.unit, 11);
    assert_false(memory_origin_of(mem, 0x2008, &found));
    a.ordinal = 7;
    memory_write(mem, 0x1ff8, "a", 1, NULL, &a); /* one field differs: another writer */
    assert_true(memory_origin_of(mem, 0x1ff8, &found));
    assert_int_equal(found.ordinal, 7);
    assert_true(memory_origin_of(mem, 0x1ff9, &found));
    assert_int_equal(found.ordinal, 0);
}

TEST_ON(neighbouring_writers_are_told_apart, struct memory *mem, fresh()) {
    static const struct memory_origin origins[] = {
        {.cycle = 9, .unit = 11, .axi_id = 1, .ordinal = 0}, {.cycle = 9, .unit = 11, .axi_id = 1, .ordinal = 1},
        {.cycle = 9, .unit = 11, .axi_id = 2, .ordinal = 1}, {.cycle = 9, .unit = 13, .axi_id = 2, .ordinal = 1},
        {.cycle = 8, .unit = 13, .axi_id = 2, .ordinal = 1}, {.cycle = 8, .unit = 13, .axi_id = 2, .ordinal = 1},
    };
    enum { COUNT = sizeof origins / sizeof origins[0] };
    for (uint64_t i = 0; i < COUNT; i++)
        memory_write(mem, 0x40 + i, "x", 1, NULL, &origins[i]);
    for (uint64_t i = 0; i < COUNT; i++) {
        struct memory_origin found;
        assert_true(memory_origin_of(mem, 0x40 + i, &found));
        assert_int_equal(found.cycle, origins[i].cycle);
        assert_int_equal(found.unit, origins[i].unit);
        assert_int_equal(found.axi_id, origins[i].axi_id);
        assert_int_equal(found.ordinal, origins[i].ordinal);
    }
}

TEST_ON(provenance_of_whole_pages_splits_and_joins, struct memory *mem, fresh()) {
    struct memory_origin found;
    const struct memory_origin origin = {.cycle = 5, .unit = 11, .axi_id = 1, .ordinal = 0};
    memory_fill(mem, 0x10000, 3 * MEMORY_PAGE, 0x11);
    memory_write(mem, 0x11010, "x", 1, NULL, &origin);
    assert_true(memory_origin_of(mem, 0x1100f, &found));
    assert_int_equal(found.unit, -1);
    assert_true(memory_origin_of(mem, 0x11010, &found));
    assert_int_equal(found.unit, 11);
    memory_fill(mem, 0x11000, MEMORY_PAGE, 0x22);
    assert_true(memory_origin_of(mem, 0x11010, &found));
    assert_int_equal(found.unit, -1);
    assert_int_equal(byte_at(mem, 0x11010), 0x22);
    assert_int_equal(byte_at(mem, 0x12fff), 0x11);
    assert_int_equal(byte_at(mem, 0x13000), 0);
    uint8_t page[MEMORY_PAGE] = {0};
    memory_write(mem, 0x12000, page, sizeof page, NULL, &origin);
    assert_true(memory_origin_of(mem, 0x12fff, &found));
    assert_int_equal(found.unit, 11);
    memory_fill(mem, 0x12fff, 1, 1);
    assert_true(memory_origin_of(mem, 0x12ffe, &found));
    assert_int_equal(found.unit, 11);
    assert_true(memory_origin_of(mem, 0x12fff, &found));
    assert_int_equal(found.unit, -1);
}

TEST_ON(provenance_of_loads_is_theirs_alone, struct memory *mem, fresh()) {
    struct memory_origin found;
    const struct memory_origin origin = {.cycle = 5, .unit = 11, .axi_id = 1, .ordinal = 0};
    uint64_t run;
    memory_write(mem, 0x10010, "0123456789abcdef", 16, NULL, NULL);
    assert_false(memory_origin_run(mem, 0x10000, 64, &found, &run));
    assert_int_equal(run, 16);
    assert_true(memory_origin_run(mem, 0x10010, 64, &found, &run));
    assert_int_equal(run, 16);
    assert_int_equal(found.unit, -1);
    assert_false(memory_origin_of(mem, 0x10020, &found));
    memory_write(mem, 0x10018, "01234567", 8, NULL, &origin); /* a beat over it */
    assert_true(memory_origin_of(mem, 0x10017, &found));
    assert_int_equal(found.unit, -1);
    assert_true(memory_origin_run(mem, 0x10018, 64, &found, &run));
    assert_int_equal(run, 8);
    assert_int_equal(found.unit, 11);
    assert_false(memory_origin_of(mem, 0x10020, &found));
    uint8_t page[MEMORY_PAGE] = {0};
    memory_write(mem, 0x20000, page, sizeof page, NULL, &origin);
    memory_write(mem, 0x20008, "01234567", 8, NULL, NULL); /* a load over beats */
    assert_true(memory_origin_of(mem, 0x20007, &found));
    assert_int_equal(found.unit, 11);
    assert_true(memory_origin_of(mem, 0x20008, &found));
    assert_int_equal(found.unit, -1);
    memory_write(mem, 0x20000, page, 16, NULL, &origin);
    assert_true(memory_origin_of(mem, 0x20008, &found));
    assert_int_equal(found.unit, 11);
    memory_write(mem, 0x20009, "x", 1, NULL, NULL);
    assert_true(memory_origin_of(mem, 0x20009, &found));
    assert_int_equal(found.unit, -1);
    assert_true(memory_origin_of(mem, 0x2000a, &found));
    assert_int_equal(found.unit, 11);
}

/* Against an array and the origins of its bytes. */
TEST(fills_share_nothing_that_is_written) {
    enum { SIZE = 64 * 1024, ROUNDS = 3000, BASE = 0x7fff0180 };
    static uint8_t expected[SIZE];
    static int8_t unit[SIZE]; /* -2: never written */
    struct memory *mem = new_memory(), *copy = new_memory();
    uint64_t random = 7;
    memset(unit, -2, sizeof unit);
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t drawn = random_next(&random);
        const size_t at = drawn % SIZE, most = (drawn >> 20) % 8 == 0 ? 9000 : 20;
        const size_t n = (drawn >> 24) % most + 1 > SIZE - at ? SIZE - at : (drawn >> 24) % most + 1;
        const uint8_t value = (uint8_t)((drawn >> 40) % 3);
        const struct memory_origin origin = {.cycle = 1, .unit = (int16_t)((drawn >> 44) % 4), .axi_id = -1};
        if (drawn >> 63) {
            memory_fill(mem, BASE + at, n, value);
            memset(unit + at, -1, n);
        } else {
            uint8_t bytes[9000];
            memset(bytes, value, n);
            memory_write(mem, BASE + at, bytes, n, NULL, &origin);
            memset(unit + at, origin.unit, n);
        }
        memset(expected + at, value, n);
    }
    static uint8_t read[SIZE];
    memory_read(mem, BASE, read, SIZE);
    assert_memory_equal(read, expected, SIZE);
    assert_int_equal(memory_crc32(mem, BASE, SIZE), crc32(0, expected, SIZE));
    for (size_t i = 0; i < SIZE; i++) {
        struct memory_origin origin = {.unit = 9};
        assert_int_equal(memory_origin_of(mem, BASE + i, &origin), unit[i] != -2);
        assert_true(unit[i] == -2 || origin.unit == unit[i]);
    }
    struct memory_difference difference;
    memory_write(copy, BASE, expected, SIZE, NULL, NULL);
    assert_true(memory_compare(mem, copy, 0, UINT64_MAX, &difference));
}

TEST_ON(many_origins_are_kept, struct memory *mem, fresh()) {
    for (uint64_t i = 0; i < 20000; i++) {
        const struct memory_origin origin = {.cycle = i, .unit = 11, .axi_id = 1, .ordinal = (int32_t)(i / 100)};
        memory_write(mem, i * 8, &i, 8, NULL, &origin);
    }
    for (uint64_t i = 0; i < 20000; i++) {
        struct memory_origin found;
        assert_true(memory_origin_of(mem, i * 8 + 7, &found));
        assert_int_equal(found.cycle, i);
        assert_int_equal(found.ordinal, i / 100);
    }
}

TEST_ON(crc_is_that_of_zlib, struct memory *mem, fresh()) {
    write_text(mem, 0x1ffb, "123456789");
    assert_int_equal(memory_crc32(mem, 0x1ffb, 9), 0xcbf43926u);
    assert_int_equal(memory_crc32(mem, 0x1ffb, 0), 0);
    assert_int_equal(memory_crc32(mem, 0x900000, 4), 0x2144df1cu); /* four zero bytes */
    const uint32_t with_holes = memory_crc32(mem, 0, 0x8000);
    memory_fill(mem, 0x4000, 0x1000, 0);
    assert_int_equal(memory_crc32(mem, 0, 0x8000), with_holes);
}

static void expect_regions(const struct memory *mem, size_t count, const uint64_t regions[][2]) {
    assert_int_equal(memory_region_count(mem), count);
    for (size_t i = 0; i < count; i++) {
        uint64_t address, n;
        memory_region(mem, i, &address, &n);
        assert_true(address == regions[i][0]);
        assert_true(n == regions[i][1]);
    }
}

TEST_ON(regions_merge_when_they_touch, struct memory *mem, fresh()) {
    assert_int_equal(memory_region_count(mem), 0);
    memory_declare(mem, 0x1000, 0x100);
    memory_declare(mem, 0x3000, 0x100);
    memory_declare(mem, 0x2000, 0x100);
    memory_declare(mem, 0x5000, 0);
    expect_regions(mem, 3, (const uint64_t[][2]){{0x1000, 0x100}, {0x2000, 0x100}, {0x3000, 0x100}});
    memory_declare(mem, 0x1100, 0x80); /* neighbour above */
    memory_declare(mem, 0x1f80, 0x80); /* neighbour below */
    expect_regions(mem, 3, (const uint64_t[][2]){{0x1000, 0x180}, {0x1f80, 0x180}, {0x3000, 0x100}});
    memory_declare(mem, 0x1040, 0x10); /* inside */
    memory_declare(mem, 0x1181, 0x1);  /* one byte of gap stays */
    expect_regions(mem, 4, (const uint64_t[][2]){{0x1000, 0x180}, {0x1181, 1}, {0x1f80, 0x180}, {0x3000, 0x100}});
    memory_declare(mem, 0x1100, 0x1f01); /* over several, up to the inside of the last */
    expect_regions(mem, 1, (const uint64_t[][2]){{0x1000, 0x2100}});
    memory_declare(mem, 0, 0x1000);
    expect_regions(mem, 1, (const uint64_t[][2]){{0, 0x3100}});
}

TEST_ON(undeclaring_cuts_and_splits, struct memory *mem, fresh()) {
    memory_declare(mem, 0x1000, 0x1000);
    memory_declare(mem, 0x3000, 0x1000);
    memory_undeclare(mem, 0x1800, 0x100);
    expect_regions(mem, 3, (const uint64_t[][2]){{0x1000, 0x800}, {0x1900, 0x700}, {0x3000, 0x1000}});
    memory_undeclare(mem, 0x0, 0x1001);
    memory_undeclare(mem, 0x1fff, 0x1002);
    expect_regions(mem, 3, (const uint64_t[][2]){{0x1001, 0x7ff}, {0x1900, 0x6ff}, {0x3001, 0xfff}});
    memory_undeclare(mem, 0x1800, 0x100); /* nothing there */
    memory_undeclare(mem, 0x1001, 0);
    expect_regions(mem, 3, (const uint64_t[][2]){{0x1001, 0x7ff}, {0x1900, 0x6ff}, {0x3001, 0xfff}});
    memory_undeclare(mem, 0x1900, 0x6ff);
    expect_regions(mem, 2, (const uint64_t[][2]){{0x1001, 0x7ff}, {0x3001, 0xfff}});
    memory_undeclare(mem, 0, UINT64_MAX);
    assert_int_equal(memory_region_count(mem), 0);
}

TEST_ON(accesses_are_checked_against_regions, struct memory *mem, fresh()) {
    memory_declare(mem, 0x1000, 0x100);
    memory_declare(mem, 0x2000, 0x100);
    assert_true(memory_all_declared(mem, 0x1000, 0x100));
    assert_true(memory_all_declared(mem, 0x10ff, 1));
    assert_false(memory_all_declared(mem, 0x1000, 0x101));
    assert_false(memory_all_declared(mem, 0xfff, 2));
    assert_false(memory_all_declared(mem, 0x1080, 0x1000)); /* both ends declared, the middle not */
    assert_false(memory_all_declared(mem, 0x3000, 1));
    assert_true(memory_any_declared(mem, 0xfff, 2));
    assert_false(memory_any_declared(mem, 0xff8, 8));
    assert_true(memory_any_declared(mem, 0x10ff, 8));
    assert_false(memory_any_declared(mem, 0x1100, 8));
    assert_true(memory_any_declared(mem, 0x1100, 0xf01));
    assert_false(memory_any_declared(mem, 0x1000, 0));
}

TEST_ON(the_end_of_the_address_space_is_no_wrap, struct memory *mem, fresh()) {
    const uint64_t end = UINT64_MAX - 3; /* four bytes left */
    write_text(mem, end, "abcdefgh");
    uint8_t bytes[8];
    memset(bytes, 0xff, sizeof bytes);
    memory_read(mem, end, bytes, sizeof bytes);
    assert_memory_equal(bytes, "abcd\0\0\0\0", 8);
    assert_int_equal(byte_at(mem, 0), 0);
    assert_false(memory_origin_of(mem, 0, NULL));
    memory_fill(mem, end, 100, 'z');
    assert_int_equal(byte_at(mem, UINT64_MAX), 'z');
    assert_int_equal(byte_at(mem, 0), 0);
    assert_int_equal(memory_crc32(mem, end, 4), memory_crc32(mem, end, 4000));
    memory_declare(mem, end, 100);
    expect_regions(mem, 1, (const uint64_t[][2]){{end, 4}});
    assert_true(memory_all_declared(mem, end, 4));
    assert_false(memory_all_declared(mem, end, 5));
    assert_true(memory_any_declared(mem, UINT64_MAX, 8));
    memory_declare(mem, 0, 0x10);
    memory_declare(mem, 0x10, UINT64_MAX);
    expect_regions(mem, 1, (const uint64_t[][2]){{0, UINT64_MAX}}); /* 2^64 bytes cannot be said */
    memory_undeclare(mem, UINT64_MAX, 1);
    expect_regions(mem, 1, (const uint64_t[][2]){{0, UINT64_MAX}});
    assert_false(memory_any_declared(mem, UINT64_MAX, 1));
    struct memory *other = fresh();
    struct memory_difference diff;
    assert_false(memory_compare(mem, other, end - 8, UINT64_MAX, &diff));
    assert_int_equal(diff.count, 4);
    uint64_t address;
    assert_true(memory_next_difference(mem, other, 0, &address));
    assert_true(address == end);
    assert_true(memory_next_difference(mem, other, UINT64_MAX, &address));
    assert_true(address == UINT64_MAX);
}

TEST_ON(differences_are_found_in_order_of_address, struct memory *mem, fresh()) {
    static const uint64_t order[] = {0x500000, 0x3000, UINT64_C(0x7000000000), 0x4000, 0x0};
    static const uint64_t sorted[] = {0x4, 0x3001, 0x4003, 0x500000, UINT64_C(0x7000000002)};
    for (size_t i = 0; i < 5; i++)
        memory_write(mem, order[i] + i, &"abcde"[i], 1, NULL, NULL);
    struct memory *zero = fresh();
    uint64_t from = 0, found;
    for (size_t i = 0; i < 5; i++, from = found + 1) {
        uint8_t byte;
        assert_true(memory_next_difference(mem, zero, from, &found));
        assert_true(found == sorted[i]);
        memory_read(mem, found, &byte, 1);
        assert_int_equal(byte, "ebdac"[i]);
    }
    assert_false(memory_next_difference(mem, zero, from, &found));
}

TEST(comparing_counts_bytes_and_names_the_ends) {
    struct memory *a = fresh(), *b = fresh();
    struct memory_difference diff;
    assert_true(memory_compare(a, b, 0, UINT64_MAX, &diff));
    memory_fill(a, 0x1000, 0x4000, 0x55);
    memory_fill(b, 0x1000, 0x4000, 0x55);
    assert_true(memory_compare(a, b, 0, UINT64_MAX, &diff));
    assert_int_equal(diff.count, 0);
    write_text(b, 0x1ffe, "xyz");
    memory_fill(b, 0x4000, 1, 0x56);
    assert_false(memory_compare(a, b, 0x1000, 0x4000, &diff));
    assert_int_equal(diff.count, 4);
    assert_int_equal(diff.first, 0x1ffe);
    assert_int_equal(diff.last, 0x4000);
    assert_false(memory_compare(a, b, 0x1fff, 1, &diff)); /* exactly the ends of the range count */
    assert_int_equal(diff.count, 1);
    assert_int_equal(diff.first, 0x1fff);
    assert_int_equal(diff.last, 0x1fff);
    assert_true(memory_compare(a, b, 0x1000, 0xffe, &diff));
    assert_true(memory_compare(a, b, 0x2001, 0x1fff, &diff));
    assert_true(memory_compare(a, b, 0x1ffe, 0, &diff));
    assert_false(memory_compare(b, a, 0x2000, 0x3000, &diff));
    assert_int_equal(diff.count, 2);
}

TEST(a_page_that_only_one_side_has_compares_with_zeros) {
    struct memory *a = fresh(), *b = fresh();
    struct memory_difference diff;
    uint64_t address;
    memory_fill(a, 0x10000, MEMORY_PAGE, 0);
    assert_true(memory_compare(a, b, 0, UINT64_MAX, &diff));
    assert_false(memory_next_difference(a, b, 0, &address));
    write_text(b, 0x800010, "q");
    write_text(a, 0x10005, "p");
    assert_false(memory_compare(a, b, 0, UINT64_MAX, &diff));
    assert_int_equal(diff.count, 2);
    assert_int_equal(diff.first, 0x10005);
    assert_int_equal(diff.last, 0x800010);
    static const uint64_t from[] = {0, 0x10005, 0x10006, 0x11000, 0x800010},
                          next[] = {0x10005, 0x10005, 0x800010, 0x800010, 0x800010};
    for (size_t i = 0; i < 5; i++) {
        address = 0;
        assert_true(memory_next_difference(a, b, from[i], &address));
        assert_int_equal(address, next[i]);
        address = 0;
        assert_true(memory_next_difference(b, a, from[i], &address));
        assert_int_equal(address, next[i]);
    }
    assert_false(memory_next_difference(a, b, 0x800011, &address));
}

static uint8_t pages[4 * MEMORY_PAGE]; /* of another owner */

TEST(mapped_bytes_are_those_of_their_owner) {
    static const struct memory_origin origin = {.cycle = 7, .unit = 3, .axi_id = 1, .ordinal = 2};
    struct memory_origin found;
    struct memory *mem = fresh();
    memset(pages, 0, sizeof pages);
    pages[5] = 0x55;
    assert_true(memory_map(mem, 0x40000000, sizeof pages, pages, true));
    assert_true(memory_all_declared(mem, 0x40000000, sizeof pages));
    assert_int_equal(byte_at(mem, 0x40000005), 0x55);
    pages[5] = 0x56; /* at once, with no call */
    assert_int_equal(byte_at(mem, 0x40000005), 0x56);
    assert_false(memory_origin_of(mem, 0x40000005, NULL));
    memory_write(mem, 0x40000ffe, "abcd", 4, NULL, &origin); /* over a page */
    assert_memory_equal(pages + 0xffe, "abcd", 4);
    assert_true(memory_origin_of(mem, 0x40001001, &found));
    assert_int_equal(found.cycle, 7);
    assert_false(memory_origin_of(mem, 0x40001002, NULL));
    memory_fill(mem, 0x40002000, MEMORY_PAGE, 0xaa);
    assert_int_equal(pages[0x2fff], 0xaa);
    assert_int_equal(memory_crc32(mem, 0x40000000, sizeof pages), crc32(0, pages, sizeof pages));
    assert_int_equal(pages[0x2fff], 0xaa);
}

TEST(mappings_are_checked_and_end) {
    static const struct memory_origin origin = {.cycle = 1};
    struct memory *mem = fresh();
    assert_false(memory_map(mem, 0x1000, 0, pages, true));
    assert_false(memory_map(mem, 0x1001, MEMORY_PAGE, pages, true));
    assert_false(memory_map(mem, 0x1000, 100, pages, true));
    assert_false(memory_map(mem, UINT64_MAX - MEMORY_PAGE + 1, 2 * MEMORY_PAGE, pages, true));
    assert_true(memory_map(mem, 0x2000, MEMORY_PAGE, pages, false));
    assert_true(memory_map(mem, 0x1000, MEMORY_PAGE, pages + MEMORY_PAGE, true));
    assert_false(memory_map(mem, 0, 2 * MEMORY_PAGE, pages, true));
    assert_true(memory_map(mem, UINT64_MAX - MEMORY_PAGE + 1, MEMORY_PAGE, pages + 2 * MEMORY_PAGE, true));
    pages[0] = 1;
    pages[2 * MEMORY_PAGE - 1] = 2;
    memory_write(mem, 0x1fff, "xy", 2, NULL, &origin);
    assert_int_equal(pages[2 * MEMORY_PAGE - 1], 'x');
    assert_int_equal(pages[0], 1); /* not writable */
    assert_false(memory_writable(mem, 0x2000));
    assert_true(memory_writable(mem, 0x1000));
    assert_false(memory_unmap(mem, 0x3000));
    assert_true(memory_unmap(mem, 0x1000));
    assert_int_equal(byte_at(mem, 0x1fff), 0);
    assert_false(memory_origin_of(mem, 0x1fff, NULL));
    assert_false(memory_any_declared(mem, 0x1000, MEMORY_PAGE));
    assert_true(memory_all_declared(mem, 0x2000, MEMORY_PAGE));
    memory_write(mem, 0x1ffe, "z", 1, NULL, &origin); /* of the image now */
    assert_int_equal(byte_at(mem, 0x1ffe), 'z');
}

TEST(a_mapping_compares_with_an_image) {
    static const struct memory_origin origin = {.cycle = 1};
    struct memory_difference diff;
    struct memory *a = fresh(), *b = fresh();
    memset(pages, 0, sizeof pages);
    assert_true(memory_map(a, 0x8000, sizeof pages, pages, true));
    memory_write(b, 0x8100, "abc", 3, NULL, &origin);
    assert_false(memory_compare(a, b, 0x8000, sizeof pages, &diff));
    assert_int_equal(diff.count, 3);
    memcpy(pages + 0x100, "abd", 3);
    assert_false(memory_compare(a, b, 0x8000, sizeof pages, &diff));
    assert_int_equal(diff.first, 0x8102);
    pages[0x102] = 'c';
    assert_true(memory_compare(a, b, 0x8000, sizeof pages, &diff));
}

TEST(a_confined_memory_drops_what_is_outside) {
    static const struct memory_origin origin = {.cycle = 1};
    struct memory *mem = fresh();
    memory_declare(mem, 0x1000, 16);
    memory_confine(mem);
    memory_write(mem, 0x1008, "12345678", 8, NULL, &origin);
    memory_write(mem, 0x100c, "abcdefgh", 8, NULL, &origin); /* half of it */
    memory_write(mem, 0x9000, "a", 1, NULL, &origin);
    memory_write(mem, 0x9001, "b", 1, NULL, NULL); /* the back door may */
    assert_int_equal(byte_at(mem, 0x100f), '8');
    assert_int_equal(byte_at(mem, 0x9000), 0);
    assert_int_equal(byte_at(mem, 0x9001), 'b');
}

TEST_ON(origins_are_forgotten_and_begin_again, struct memory *mem, fresh()) {
    struct memory_origin origin = {.unit = 1, .ordinal = 1}, found;
    memset(pages, 0, sizeof pages);
    assert_true(memory_map(mem, 0x8000, MEMORY_PAGE, pages, true));
    memory_fill(mem, 0x20000, MEMORY_PAGE, 0); /* shared pages stay so */
    for (origin.cycle = 0; origin.cycle < 100; origin.cycle++)
        memory_write(mem, 0x8000 + origin.cycle * 3, "abc", 3, NULL, &origin);
    assert_int_equal(memory_origins(mem), 100);
    memory_forget_origins(mem);
    assert_int_equal(memory_origins(mem), 0);
    assert_true(memory_origin_of(mem, 0x8000, &found));
    assert_int_equal(found.unit, -1);
    assert_int_equal(byte_at(mem, 0x8000), 'a');
    origin.cycle = 500;
    memory_write(mem, 0x8008, "q", 1, NULL, &origin);
    assert_true(memory_origin_of(mem, 0x8008, &found));
    assert_int_equal(found.cycle, 500);
}

TEST(an_image_shows_its_base_until_it_is_written) {
    struct memory *base = new_memory(), *image = new_memory();
    struct memory_origin origin = {.unit = 3};
    char text[9] = "";
    memory_write(base, 0x81fc, "abcdefgh", 8, NULL, NULL); /* over the end of a page */
    memory_declare(base, 0x8000, 0x1000);
    memory_over(image, base);
    memory_write(image, 0x81fe, "CD", 2, NULL, &origin);
    memory_write(image, 0x8201, "F", 1, NULL, &origin);
    memory_write(base, 0x81fd, "xyz", 3, NULL, NULL);
    memory_read(image, 0x81fc, text, 8);
    assert_string_equal(text, "axCDeFgh");
    memory_read(base, 0x81fc, text, 8);
    assert_string_equal(text, "axyzefgh");
    memory_drop(image, 0x81ff, 3);
    memory_read(image, 0x81fc, text, 8);
    assert_string_equal(text, "axCzefgh");
    assert_true(memory_origin_of(image, 0x81fe, NULL));
    assert_false(memory_origin_of(image, 0x81ff, NULL));
    assert_true(memory_all_declared(image, 0x8000, 0x1000));
    assert_false(memory_any_declared(image, 0x9000, 8));
}
