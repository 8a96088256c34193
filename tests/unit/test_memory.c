/* The sparse image: the cases of memory.txt, and many writes against an array. */
#include <zlib.h>

#include "memory/memory.h"
#include "nvdla/random.h"
#include "tests/unit/steps.h"
#include "tests/unit/test.h"

TEST_KEEPS(keep_memory, struct memory, memory_free)

static struct memory *fresh(void) {
    return keep_memory(memory_new());
}

/* ---- cases of memory.txt ---- */

static uint8_t pages[4 * MEMORY_PAGE]; /* of another owner */

struct bench {
    struct memory *a, *b;
};

static void *begin(const char *title) {
    struct bench *bench = test_new(sizeof *bench);
    (void)title;
    bench->a = fresh();
    bench->b = fresh();
    memset(pages, 0, sizeof pages);
    return bench;
}

static void print_origin(FILE *out, bool known, const struct memory_origin *origin) {
    if (!known)
        fputs("none", out);
    else if (origin->unit < 0 && origin->axi_id < 0 && origin->ordinal < 0)
        fputs("trace", out);
    else
        fprintf(out, "%" PRIu64 ",%d,%d,%d", (uint64_t)origin->cycle, origin->unit, origin->axi_id, origin->ordinal);
}

static void print_bytes(FILE *out, const uint8_t *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        fprintf(out, bytes[i] == 0 ? "." : bytes[i] > ' ' && bytes[i] < 127 ? "%c" : "\\x%02x", bytes[i]);
}

/* write AT TEXT, zeros AT COUNT; behind them may be the hexadecimal strobes, and "by" with the origin. */
static bool write_step(struct memory *mem, uint64_t at, const struct step *step) {
    static const uint8_t zeros[4 * MEMORY_PAGE];
    struct memory_origin origin = {0};
    uint8_t strobe[2] = {0xff, 0xff};
    const bool text = step_is(step, "write");
    if (!text && !step_is(step, "zeros"))
        return false;
    const size_t n = text ? strlen(step->word[2]) : step_number(step, 2);
    const bool by = step->count > 4 && strcmp(step->word[step->count - 2], "by") == 0;
    if (by)
        assert_int_equal(sscanf(step->word[step->count - 1], "%" SCNu64 ",%hd,%hd,%d", &origin.cycle, &origin.unit,
                                &origin.axi_id, &origin.ordinal),
                         4);
    const bool strobed = step->count == (by ? 6 : 4);
    for (size_t i = 0; strobed && i < 2; i++)
        strobe[i] = (uint8_t)(step_number(step, 3) >> 8 * i);
    memory_write(mem, at, text ? (const void *)step->word[2] : zeros, n, strobed ? strobe : NULL, by ? &origin : NULL);
    return true;
}

static bool region_step(struct memory *mem, uint64_t at, uint64_t n, const struct step *step, FILE *found) {
    if (step_is(step, "declare"))
        memory_declare(mem, at, n);
    else if (step_is(step, "undeclare"))
        memory_undeclare(mem, at, n);
    else if (step_is(step, "confine"))
        memory_confine(mem);
    else if (step_is(step, "declared"))
        fprintf(found, "%s",
                memory_all_declared(mem, at, n)   ? "all"
                : memory_any_declared(mem, at, n) ? "some"
                                                  : "none");
    else if (step_is(step, "any"))
        fprintf(found, "%d", memory_any_declared(mem, at, n));
    else if (step_is(step, "regions"))
        for (size_t i = 0; i < memory_region_count(mem); i++) {
            uint64_t address, size;
            memory_region(mem, i, &address, &size);
            fprintf(found, "%s0x%" PRIx64 "+0x%" PRIx64, i ? " " : "", address, size);
        }
    else if (step_is(step, "map"))
        fprintf(found, "%d",
                memory_map(mem, at, n, pages + step_number(step, 3) * MEMORY_PAGE, strcmp(step->word[4], "rw") == 0));
    else if (step_is(step, "unmap"))
        fprintf(found, "%d", memory_unmap(mem, at));
    else if (step_is(step, "writable"))
        fprintf(found, "%d", memory_writable(mem, at));
    else
        return false;
    return true;
}

static bool origin_step(struct memory *mem, uint64_t at, uint64_t n, const struct step *step, FILE *found) {
    struct memory_origin origin = {0};
    uint64_t run = 0;
    if (step_is(step, "origin"))
        print_origin(found, memory_origin_of(mem, at, &origin), &origin);
    else if (step_is(step, "run")) {
        print_origin(found, memory_origin_run(mem, at, n, &origin, &run), &origin);
        fprintf(found, " %" PRIu64, run);
    } else if (step_is(step, "forget"))
        memory_forget_origins(mem);
    else if (step_is(step, "origins"))
        fprintf(found, "%zu", (size_t)memory_origins(mem));
    else
        return false;
    return true;
}

static bool compare_step(const struct bench *bench, const struct step *step, FILE *found) {
    const bool next = step_is(step, "next");
    if (!next && !step_is(step, "compare"))
        return false;
    const uint64_t at = step_number(step, 1);
    struct memory_difference diff[2];
    uint64_t address[2] = {0, 0};
    for (int i = 0; i < 2; i++) { /* both ways alike */
        const struct memory *a = i ? bench->b : bench->a, *b = i ? bench->a : bench->b;
        if (next ? !memory_next_difference(a, b, at, &address[i])
                 : memory_compare(a, b, at, step_number(step, 2), &diff[i]))
            address[i] = UINT64_MAX - 1;
    }
    assert_true(address[0] == address[1]);
    if (address[0] == UINT64_MAX - 1)
        fputs(next ? "none" : "equal", found);
    else if (next)
        fprintf(found, "0x%" PRIx64, address[0]);
    else
        fprintf(found, "%" PRIu64 ": 0x%" PRIx64 "..0x%" PRIx64, diff[0].count, diff[0].first, diff[0].last);
    return true;
}

static bool act(void *context, const struct step *step, FILE *found) {
    const struct bench *bench = context;
    const bool second = strncmp(step->word[1], "b:", 2) == 0;
    struct memory *mem = second ? bench->b : bench->a;
    const uint64_t at = strtoull(step->word[1] + (second ? 2 : 0), NULL, 0), n = strtoull(step->word[2], NULL, 0);
    uint8_t bytes[64];
    assert_true(n <= sizeof bytes || (!step_is(step, "read") && !step_is(step, "peek")));
    if (step_is(step, "read")) {
        memset(bytes, 0xee, sizeof bytes);
        memory_read(mem, at, bytes, n);
        print_bytes(found, bytes, n);
    } else if (step_is(step, "fill"))
        memory_fill(mem, at, n, (uint8_t)step_number(step, 3));
    else if (step_is(step, "crc"))
        fprintf(found, "%08x", memory_crc32(mem, at, n));
    else if (step_is(step, "poke"))
        memcpy(pages + at, step->word[2], strlen(step->word[2]));
    else if (step_is(step, "peek"))
        print_bytes(found, pages + at, n);
    else if (step_is(step, "over"))
        memory_over(bench->b, bench->a);
    else if (step_is(step, "drop"))
        memory_drop(mem, at, n);
    else
        return write_step(mem, at, step) || region_step(mem, at, n, step, found) ||
               origin_step(mem, at, n, step, found) || compare_step(bench, step, found);
    return true;
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/memory.txt", &(struct steps_player){begin, act});
}

/* ---- many writes ---- */

TEST_ON(writes_cross_pages_and_chunks, struct memory *mem, fresh()) {
    const size_t n = 3 * MEMORY_PAGE;
    autofree uint8_t *out = xmalloc(n), *in = xmalloc(n);
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(i * 7 + i / 251);
    const uint64_t address = UINT64_C(0x200000) * 5 - MEMORY_PAGE - 3; /* over a 2-MiB border */
    memory_write(mem, address, out, n, NULL, NULL);
    memory_read(mem, address, in, n);
    assert_memory_equal(in, out, n);
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

/* Against an array and the origins of its bytes. */
TEST(fills_share_nothing_that_is_written) {
    enum { SIZE = 64 * 1024, ROUNDS = 3000, BASE = 0x7fff0180 };
    static uint8_t expected[SIZE];
    static int8_t unit[SIZE]; /* -2: never written */
    struct memory *mem = fresh(), *copy = fresh();
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
