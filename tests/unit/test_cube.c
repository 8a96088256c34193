/* Feature cubes: the worked layouts of chapter 20 section 2.4 and the rules around them. */

#include "nvdla/cube.h"
#include "tests/unit/test.h"

static struct cube layout(uint64_t base, uint32_t line_stride, uint32_t surface_stride, int width, int height,
                          int channels, int atom, int element_bytes) {
    return (struct cube){.base = base,
                         .line_stride = line_stride,
                         .surface_stride = surface_stride,
                         .width = width,
                         .height = height,
                         .channels = channels,
                         .atom = atom,
                         .element_bytes = element_bytes};
}

/* Looks an offset up and checks all coordinates. */
static void expect(const struct cube *cube, uint64_t address, int surface, int line, int column, int channel,
                   int byte) {
    struct cube_element element;
    assert_true(cube_locate(cube, address, &element));
    assert_int_equal(element.surface, surface);
    assert_int_equal(element.line, line);
    assert_int_equal(element.column, column);
    assert_int_equal(element.channel, channel);
    assert_int_equal(element.byte, byte);
}

TEST(worked_layout_a_full_int16) {
    const struct cube cube = layout(0, 96, 192, 3, 2, 20, 32, 2);
    assert_int_equal(cube_surfaces(&cube), 2);
    assert_int_equal(cube_extent(&cube), 384);
    assert_int_equal(cube_atom_address(&cube, 1, 1, 2), 352);
    expect(&cube, 354, 1, 1, 2, 17, 0);
    expect(&cube, 355, 1, 1, 2, 17, 1);
    expect(&cube, 192 + 8, 1, 0, 0, 20, 0); /* first pad lane */
    expect(&cube, 383, 1, 1, 2, 31, 1);
    struct cube_element element;
    assert_false(cube_locate(&cube, 384, &element));
}

TEST(worked_layout_b_full_int8) {
    const struct cube cube = layout(0, 96, 192, 3, 2, 20, 32, 1);
    assert_int_equal(cube_surfaces(&cube), 1);
    assert_int_equal(cube_extent(&cube), 192);
    expect(&cube, 177, 0, 1, 2, 17, 0);
}

TEST(worked_layout_c_small_int8) {
    const struct cube cube = layout(0x80000000, 24, 48, 3, 2, 20, 8, 1);
    assert_int_equal(cube_surfaces(&cube), 3);
    assert_int_equal(cube_extent(&cube), 144);
    assert_true(cube_atom_address(&cube, 2, 1, 2) == UINT64_C(0x80000000) + 136);
    expect(&cube, UINT64_C(0x80000000) + 137, 2, 1, 2, 17, 0);
    struct cube_element element;
    assert_false(cube_locate(&cube, 0x7fffffff, &element));
    assert_false(cube_locate(&cube, UINT64_C(0x80000000) + 144, &element));
}

TEST(worked_layout_d_full_fp16_1x1) {
    struct cube cube = layout(0, 0x4000, 0x8000, 1, 1, 40, 32, 2);
    cube.packed_1x1 = true;
    assert_int_equal(cube_surfaces(&cube), 3);
    assert_int_equal(cube_extent(&cube), 96);
    assert_int_equal(cube_atom_address(&cube, 2, 0, 0), 64);
    expect(&cube, 66, 2, 0, 0, 33, 0);
    expect(&cube, 95, 2, 0, 0, 47, 1);
}

TEST(surfaces_count_whole_atoms) {
    struct cube cube = {.width = 1, .height = 1, .atom = 8, .element_bytes = 1};
    static const int channels[] = {1, 7, 8, 9, 16, 17, 8192}, surfaces[] = {1, 1, 1, 2, 2, 3, 1024};
    for (size_t i = 0; i < sizeof channels / sizeof channels[0]; i++) {
        cube.channels = channels[i];
        assert_int_equal(cube_surfaces(&cube), surfaces[i]);
    }
    cube = (struct cube){.width = 1, .height = 1, .channels = 5, .atom = 32, .element_bytes = 2, .min_surfaces = 2};
    assert_int_equal(cube_surfaces(&cube), 2);
    cube.channels = 33;
    assert_int_equal(cube_surfaces(&cube), 3);
}

TEST(holes_between_lines_and_surfaces_belong_to_nothing) {
    const struct cube cube = layout(0x1000, 64, 256, 3, 2, 16, 8, 1);
    struct cube_element element;
    assert_int_equal(cube_extent(&cube), 256 + 64 + 24);
    for (uint64_t offset = 0; offset < 0x300; offset++) {
        const uint64_t surface = offset / 256, line = offset % 256 / 64, in_line = offset % 64;
        if (surface < 2 && line < 2 && in_line < 24)
            expect(&cube, 0x1000 + offset, (int)surface, (int)line, (int)(in_line / 8),
                   (int)(surface * 8 + in_line % 8), 0);
        else
            assert_false(cube_locate(&cube, 0x1000 + offset, &element));
    }
    assert_false(cube_locate(&cube, 0xfff, &element));
    assert_false(cube_locate(&cube, 0, &element));
}

TEST(every_byte_is_located_whatever_the_strides) {
    /* Strides larger than natural, surfaces interleaved with lines, lines that overlap, lines on top of each other. */
    static const uint32_t strides[][2] = {{24, 72}, {24, 96}, {96, 24}, {16, 80}, {8, 8}, {0, 64}, {64, 0}, {0, 0}};
    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        const struct cube cube = layout(0x4000, strides[i][0], strides[i][1], 3, 3, 24, 8, 1);
        int owner[1024];
        for (int k = 0; k < 1024; k++)
            owner[k] = -1;
        uint64_t end = 0;
        for (int s = 0; s < 3; s++)
            for (int y = 0; y < 3; y++)
                for (int x = 0; x < 3; x++)
                    for (int lane = 0; lane < 8; lane++) {
                        const uint64_t address = cube_atom_address(&cube, s, y, x) + (uint64_t)lane;
                        owner[address - cube.base] = ((s * 3 + y) * 3 + x) * 8 + lane;
                        end = address + 1 - cube.base > end ? address + 1 - cube.base : end;
                    }
        assert_int_equal(cube_extent(&cube), end);
        for (int k = 0; k < 1024; k++) {
            struct cube_element e;
            const bool found = cube_locate(&cube, cube.base + (uint64_t)k, &e);
            assert_int_equal(found, owner[k] >= 0);
            if (found)
                assert_int_equal(((e.surface * 3 + e.line) * 3 + e.column) * 8 + e.channel % 8, owner[k]);
        }
    }
}

TEST(sums_are_rounded_down_where_the_unit_does_so) {
    /* PDP in small, chapter 20 section 9: line y at (BASE + y*LINE) & ~7. */
    struct cube cube = layout(0x1003, 0x1d, 0x105, 2, 3, 16, 8, 1);
    cube.align = 8;
    for (int s = 0; s < 2; s++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 2; x++) {
                const uint64_t atom = ((uint64_t)(0x1003 + s * 0x105 + y * 0x1d) & ~UINT64_C(7)) + (uint64_t)x * 8;
                assert_int_equal(cube_atom_address(&cube, s, y, x), atom);
                for (int lane = 0; lane < 8; lane++)
                    expect(&cube, atom + (uint64_t)lane, s, y, x, s * 8 + lane, 0);
            }
    assert_int_equal(cube_atom_address(&cube, 0, 1, 0), 0x1020); /* the low bits carry */
    struct cube_element element;
    assert_false(cube_locate(&cube, 0x0fff, &element));
    assert_false(cube_locate(&cube, 0x1010, &element));
    assert_int_equal(cube_extent(&cube), ((0x1003 + 0x105 + 2 * 0x1d) & ~7) + 16 - 0x1000);
}

TEST(high_addresses_and_long_strides_do_not_overflow) {
    const struct cube cube = layout(UINT64_C(0x123456789abcde00), 0xffffffe0, 0xffffffe0, 8192, 8192, 8192, 32, 1);
    const uint64_t last = cube.base + UINT64_C(255) * 0xffffffe0 + UINT64_C(8191) * 0xffffffe0 + 8191 * 32;
    assert_true(cube_atom_address(&cube, 255, 8191, 8191) == last);
    assert_true(cube_extent(&cube) == last + 32 - cube.base);
    expect(&cube, last + 31, 255, 8191, 8191, 8191, 0);
}
