/* Patterns of wrong outputs: each kind made on purpose in a cube of random bytes. */
#include <string.h>

#include "random.h"

#include "doctor/output_pattern.h"
#include "tests/unit/test.h"

enum { SIZE = 4096, ATOM = 8, LINE = 128, SURFACE = 1024, BEAT = 8 };

struct cube {
    uint8_t expected[SIZE], found[SIZE], before[SIZE];
    struct output_bytes bytes;
    struct output_pattern patterns[PATTERN_KINDS];
};

static void make(struct cube *cube) {
    uint64_t random = 7;
    for (int i = 0; i < SIZE; i++) {
        cube->expected[i] = (uint8_t)below(&random, 120); /* never saturated */
        cube->before[i] = (uint8_t)below(&random, 120);
    }
    memcpy(cube->found, cube->expected, SIZE);
    cube->bytes = (struct output_bytes){cube->found, cube->expected, cube->before, SIZE, 1, BEAT, ATOM, LINE, SURFACE};
}

static const struct output_pattern *look(struct cube *cube, enum pattern_kind kind) {
    output_patterns(&cube->bytes, cube->patterns);
    return &cube->patterns[kind];
}

static void expect(struct cube *cube, enum pattern_kind kind, int64_t distance, unsigned phase) {
    const struct output_pattern *pattern = look(cube, kind);
    assert_true(pattern->kind == kind && pattern->share > 0.99);
    assert_int_equal(pattern->distance, distance);
    assert_int_equal(pattern->phase, phase);
}

/* The other kinds explain little; half and periodic only say where. */
static void expect_alone(const struct cube *cube, enum pattern_kind kind) {
    for (int other = 0; other < PATTERN_KINDS; other++)
        assert_true(other == (int)kind || cube->patterns[other].share < 0.1);
}

TEST(a_right_output_has_no_pattern) {
    struct cube cube;
    make(&cube);
    look(&cube, PATTERN_ZEROS);
    for (int kind = 0; kind < PATTERN_KINDS; kind++)
        assert_true(cube.patterns[kind].share == 0);
}

TEST(zeros_stale_bytes_and_saturation_are_found) {
    struct cube cube;
    make(&cube);
    memset(cube.found, 0, SIZE);
    expect(&cube, PATTERN_ZEROS, 0, 0);
    expect_alone(&cube, PATTERN_ZEROS);
    memcpy(cube.found, cube.before, SIZE);
    expect(&cube, PATTERN_STALE, 0, 0);
    expect_alone(&cube, PATTERN_STALE);
    cube.bytes.before = NULL;
    assert_true(look(&cube, PATTERN_STALE)->share == 0);
    for (int i = 0; i < SIZE; i++)
        cube.found[i] = i % 3 ? 0x7f : 0x80;
    expect(&cube, PATTERN_SATURATED, 0, 0);
    expect_alone(&cube, PATTERN_SATURATED);
    cube.bytes.element = 0;
    assert_true(look(&cube, PATTERN_SATURATED)->share == 0);
    cube.bytes.element = 2;
    for (int i = 0; i < SIZE; i += 2)
        memcpy(cube.found + i, i % 3 ? "\xff\x7f" : "\x00\x80", 2);
    expect(&cube, PATTERN_SATURATED, 0, 0);
}

TEST(shifts_are_found_in_both_directions) {
    static const size_t distances[] = {ATOM, LINE, SURFACE};
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        struct cube cube;
        const size_t distance = distances[i];
        make(&cube);
        memcpy(cube.found + distance, cube.expected, SIZE - distance);
        expect(&cube, PATTERN_SHIFTED, (int64_t)distance, 0);
        make(&cube);
        memcpy(cube.found, cube.expected + distance, SIZE - distance);
        expect(&cube, PATTERN_SHIFTED, -(int64_t)distance, 0);
    }
}

TEST(exchanged_and_reversed_words_are_found) {
    struct cube cube;
    for (int mask = 1; mask <= 32; mask *= 2) {
        make(&cube);
        for (int i = 0; i < SIZE; i++)
            cube.found[i] = cube.expected[i ^ mask];
        expect(&cube, PATTERN_EXCHANGED, mask, 0);
    }
    for (int size = 4; size <= 8; size *= 2) {
        make(&cube);
        for (int i = 0; i < SIZE; i++)
            cube.found[i] = cube.expected[i ^ (size - 1)];
        expect(&cube, PATTERN_REVERSED, size, 0);
        expect_alone(&cube, PATTERN_REVERSED);
    }
}

TEST(the_place_of_wrong_bytes_is_found) {
    struct cube cube;
    for (unsigned phase = 0; phase < 2; phase++) {
        make(&cube);
        for (unsigned i = 0; i < SIZE; i++)
            cube.found[i] ^= i / 4 % 2 == phase ? 0x55 : 0;
        expect(&cube, PATTERN_HALF, 4, phase);
        assert_true(cube.patterns[PATTERN_PERIODIC].share == 0);
    }
    make(&cube);
    for (int i = 5; i < SIZE / BEAT; i += 7)
        cube.found[i * BEAT] ^= 0x55;
    expect(&cube, PATTERN_PERIODIC, 7, 5);
    assert_true(cube.patterns[PATTERN_HALF].share == 0 || cube.patterns[PATTERN_HALF].distance < BEAT);
    cube.found[0] ^= 1;
    assert_true(look(&cube, PATTERN_PERIODIC)->share == 0);
}

TEST(bytes_of_another_cube_are_found) {
    struct cube cube;
    make(&cube);
    memcpy(cube.found, cube.before + LINE, SIZE - LINE);
    assert_true(output_elsewhere(&cube.bytes, cube.before, SIZE) == 1);
    assert_true(output_elsewhere(&cube.bytes, cube.expected, LINE) == 0);
    memset(cube.found, 3, SIZE);
    assert_true(output_elsewhere(&cube.bytes, cube.found, SIZE) == 0); /* atoms of equal bytes */
}

TEST(patterns_have_words) {
    struct cube cube;
    char text[PATTERN_TEXT];
    make(&cube);
    memcpy(cube.found + LINE, cube.expected, SIZE - LINE);
    assert_string_equal(output_pattern_text(&cube.bytes, look(&cube, PATTERN_SHIFTED), text),
                        "shifted by a line (128 bytes) to higher addresses");
}

/* Sizes around those of atoms, beats and words; run under sanitizers. */
TEST(any_size_is_taken) {
    struct cube cube;
    make(&cube);
    memset(cube.found, 0xa5, SIZE);
    for (size_t n = 0; n < 300; n++) {
        cube.bytes.n = n;
        cube.bytes.element = (unsigned)(n % 3);
        output_patterns(&cube.bytes, cube.patterns);
        size_t first = 0;
        assert_int_equal(output_wrong(&cube.bytes, &first), n);
    }
}
