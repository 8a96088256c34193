/* Feature cubes: the cases of cube.txt, with the worked layouts of chapter 20 section 2.4. */
#include "nvdla/cube.h"
#include "tests/unit/steps.h"
#include "tests/unit/test.h"

/* BASE LINE SURFACE WIDTH HEIGHT CHANNELS ATOM BYTES, MEMBER=VALUE..., then "," and words. */
static void *begin(const char *title) {
    struct cube *cube = test_new(sizeof *cube);
    long long base;
    int packed = 0, used = 0;
    assert_int_equal(sscanf(title, "%lli %i %i %d %d %d %d %d%n", &base, (int *)&cube->line_stride,
                            (int *)&cube->surface_stride, &cube->width, &cube->height, &cube->channels, &cube->atom,
                            &cube->element_bytes, &used),
                     8);
    cube->base = (uint64_t)base;
    sscanf(title + used, " packed%n", &packed);
    cube->packed_1x1 = packed > 0;
    sscanf(title + used, " align=%d", &cube->align);
    sscanf(title + used, " surfaces=%d", &cube->min_surfaces);
    return cube;
}

/* Every byte of the atoms belongs to the last that has it, others to none. Returns how many have one. */
static int located(const struct cube *cube) {
    enum { BYTES = 4096, BEFORE = 64 };
    int owner[BYTES], count = 0;
    const uint64_t first = cube_atom_address(cube, 0, 0, 0) - BEFORE;
    uint64_t end = 0;
    memset(owner, -1, sizeof owner);
    for (int s = 0; s < cube_surfaces(cube); s++)
        for (int y = 0; y < cube->height; y++)
            for (int x = 0; x < cube->width; x++)
                for (int byte = 0; byte < cube->atom; byte++) {
                    const uint64_t at = cube_atom_address(cube, s, y, x) - first + (uint64_t)byte;
                    assert_true(at < BYTES);
                    owner[at] = ((s * cube->height + y) * cube->width + x) * cube->atom + byte;
                    end = at + 1 > end ? at + 1 : end;
                }
    assert_int_equal(cube_extent(cube), end - BEFORE);
    for (uint64_t at = 0; at < BYTES; at++) {
        struct cube_element e;
        assert_int_equal(cube_locate(cube, first + at, &e), owner[at] >= 0);
        if (owner[at] < 0)
            continue;
        const int lane = e.channel - e.surface * cube->atom / cube->element_bytes;
        assert_int_equal(((e.surface * cube->height + e.line) * cube->width + e.column) * cube->atom +
                             lane * cube->element_bytes + e.byte,
                         owner[at]);
        count++;
    }
    return count;
}

static bool act(void *context, const struct step *step, FILE *found) {
    struct cube *cube = context;
    struct cube_element e;
    if (step_is(step, "surfaces")) { /* of this cube, or of COUNT channels each */
        for (size_t i = 1; i < step->count || i == 1; i++) {
            cube->channels = step->count > 1 ? (int)step_number(step, i) : cube->channels;
            fprintf(found, "%s%d", i > 1 ? " " : "", cube_surfaces(cube));
        }
    } else if (step_is(step, "extent"))
        fprintf(found, "%" PRIu64, cube_extent(cube));
    else if (step_is(step, "atom")) /* SURFACE LINE COLUMN */
        fprintf(
            found, "0x%" PRIx64,
            cube_atom_address(cube, (int)step_number(step, 1), (int)step_number(step, 2), (int)step_number(step, 3)));
    else if (step_is(step, "find")) { /* ADDRESS: surface, line, column, channel and byte */
        if (cube_locate(cube, step_number(step, 1), &e))
            fprintf(found, "%d %d %d %d.%d", e.surface, e.line, e.column, e.channel, e.byte);
        else
            fputs("none", found);
    } else if (step_is(step, "located"))
        fprintf(found, "%d", located(cube));
    else
        return false;
    return true;
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/cube.txt", &(struct steps_player){begin, act});
}
