/* The journal of what launches leave in memory, and the beats that are judged by it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "memory/memory.h"
#include "nvdla_offsets.h"
#include "replay/first_wrong.h"

enum { OUTPUT = 0x80000000, BUS = 8, WIDTH = 4, LINE = 0x40, SURFACE = 0x100 };

struct bench {
    const struct nvdla_config *config;
    struct layer_tracker *launches;
    struct device model, rtl;
    struct journal *journal;
    struct tap_listener listener;
    struct first_wrong first;
    struct axi_listener judge;
    int group;
};

static void write_register(struct bench *b, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    layer_tracker_write(b->launches, nvdla_unit_base(b->config, unit) + offset, value, 0);
}

/* Arms SDP: 4 x 2 x 11 elements of a byte, surfaces of 8. */
static void arm(struct bench *b, uint32_t line_stride) {
    write_register(b, NVDLA_SDP, SDP_S_POINTER, (uint32_t)b->group);
    write_register(b, NVDLA_SDP, SDP_D_DATA_CUBE_WIDTH, WIDTH - 1);
    write_register(b, NVDLA_SDP, SDP_D_DATA_CUBE_HEIGHT, 2 - 1);
    write_register(b, NVDLA_SDP, SDP_D_DATA_CUBE_CHANNEL, 11 - 1);
    write_register(b, NVDLA_SDP, SDP_D_DST_BASE_ADDR_LOW, OUTPUT);
    write_register(b, NVDLA_SDP, SDP_D_DST_LINE_STRIDE, line_stride);
    write_register(b, NVDLA_SDP, SDP_D_DST_SURFACE_STRIDE, SURFACE);
    write_register(b, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, 0);
    write_register(b, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    b->group = !b->group;
}

/* The model has done the launch: all bytes have the value. */
static void model_done(struct bench *b, int ordinal, uint8_t value) {
    memory_fill(b->model.memory[SPACE_PRIMARY], OUTPUT - LINE, 4 * SURFACE, value);
    b->listener.done(b->listener.context, NVDLA_SDP, ordinal, (unsigned)(ordinal & 1));
}

static void bench_init(struct bench *b) {
    memset(b, 0, sizeof *b);
    b->config = nvdla_config_find("small");
    b->launches = layer_tracker_new(b->config);
    b->model.memory[SPACE_PRIMARY] = memory_new();
    b->rtl.memory[SPACE_PRIMARY] = memory_new();
    b->journal = journal_new(b->launches);
    b->listener = journal_listener(b->journal);
    journal_watch(b->journal, &b->model);
    b->first = (struct first_wrong){.config = b->config, .journal = b->journal, .dev = &b->rtl};
    b->judge = first_wrong_listener(&b->first);
}

static void bench_free(struct bench *b) {
    journal_free(b->journal);
    layer_tracker_free(b->launches);
    memory_free(b->model.memory[SPACE_PRIMARY]);
    memory_free(b->rtl.memory[SPACE_PRIMARY]);
}

/* The RTL writes a beat for a launch. Returns what is wrong with it. */
static enum wrong_kind beat_of(struct bench *b, struct owner owner, uint64_t address, const uint8_t *data,
                               uint8_t strobe) {
    memory_write(b->rtl.memory[SPACE_PRIMARY], address, data, BUS, &strobe, NULL);
    const struct axi_beat beat = {.write = true,
                                  .id = 1,
                                  .owner = owner,
                                  .cycle = 77,
                                  .address = address,
                                  .bytes = BUS,
                                  .data = data,
                                  .strobe = strobe};
    b->judge.beat(b->judge.context, &beat);
    assert_int_equal(b->rtl.stop, b->first.found.kind != WRONG_NONE);
    return b->first.found.kind;
}

static enum wrong_kind beat(struct bench *b, int ordinal, uint64_t address, uint8_t value) {
    uint8_t data[BUS];
    memset(data, value, sizeof data);
    return beat_of(b, (struct owner){NVDLA_SDP, ordinal}, address, data, 0xff);
}

static void right_beats_pass(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    arm(&b, LINE);
    arm(&b, LINE);
    model_done(&b, 0, 1);
    model_done(&b, 1, 2); /* to the same place */
    for (int ordinal = 0; ordinal < 2; ordinal++)
        for (int surface = 0; surface < 2; surface++)
            for (int line = 0; line < 2; line++)
                for (int x = 0; x < WIDTH; x++)
                    assert_int_equal(beat(&b, ordinal, OUTPUT + (uint64_t)(surface * SURFACE + line * LINE + x * BUS),
                                          (uint8_t)(ordinal + 1)),
                                     WRONG_NONE);
    assert_int_equal(b.first.beats, 2 * 2 * 2 * WIDTH);
    size_t launches;
    assert_true(journal_size(b.journal, &launches) >= 2 * 2 * 2 * WIDTH * BUS);
    assert_int_equal(launches, 2);
    bench_free(&b);
}

static void a_wrong_value_is_named(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    arm(&b, LINE);
    model_done(&b, 0, 1);
    const uint8_t data[BUS] = {1, 1, 1, 9, 1, 7, 1, 1};
    assert_int_equal(beat_of(&b, (struct owner){NVDLA_SDP, 0}, OUTPUT + LINE, data, 0xff), WRONG_VALUE);
    const struct wrong_beat *found = &b.first.found;
    assert_int_equal(found->address, OUTPUT + LINE + 3);
    assert_int_equal(found->wrong, 1u << 3 | 1u << 5);
    assert_int_equal(found->known, 0xff);
    assert_int_equal(found->got[3], 9);
    assert_int_equal(found->expected[3], 1);
    assert_int_equal(found->beat.cycle, 77);
    beat(&b, 0, OUTPUT, 5); /* nothing comes after the first */
    assert_int_equal(found->address, OUTPUT + LINE + 3);
    bench_free(&b);
}

static void a_beat_outside_its_output_is_wrong(void **state) {
    (void)state;
    static const uint64_t outside[] = {OUTPUT - BUS, OUTPUT + WIDTH * BUS, OUTPUT + 2 * LINE, OUTPUT + 2 * SURFACE};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        struct bench b;
        bench_init(&b);
        arm(&b, LINE);
        model_done(&b, 0, 1);
        assert_int_equal(beat(&b, 0, outside[i], 1), WRONG_OUTSIDE);
        assert_int_equal(b.first.found.known, 0);
        bench_free(&b);
    }
}

static void a_beat_of_nobody_is_wrong(void **state) {
    (void)state;
    for (int unit = -1; unit <= NVDLA_SDP; unit += NVDLA_SDP + 1) {
        struct bench b;
        bench_init(&b);
        arm(&b, LINE);
        model_done(&b, 0, 1);
        const uint8_t data[BUS] = {1, 1, 1, 1, 1, 1, 1, 1};
        assert_int_equal(beat_of(&b, (struct owner){(int16_t)unit, -1}, OUTPUT, data, 0xff), WRONG_OWNER);
        bench_free(&b);
    }
}

static void a_strobe_that_leaves_bytes_out(void **state) {
    (void)state;
    const uint8_t data[BUS] = {1, 1, 1, 1, 1, 1, 1, 99};
    struct bench b;
    bench_init(&b);
    arm(&b, LINE);
    model_done(&b, 0, 1);
    memory_fill(b.rtl.memory[SPACE_PRIMARY], OUTPUT, BUS, 1); /* it has its value already */
    assert_int_equal(beat_of(&b, (struct owner){NVDLA_SDP, 0}, OUTPUT, data, 0x7f), WRONG_NONE);
    assert_int_equal(beat_of(&b, (struct owner){NVDLA_SDP, 0}, OUTPUT + BUS, data, 0x7f), WRONG_LEFT_OUT);
    assert_int_equal(b.first.found.wrong, 0x80);
    assert_int_equal(b.first.found.got[7], 0);
    assert_int_equal(b.first.found.expected[7], 1);
    bench_free(&b);
}

/* Lines that overlap: what both write may be anything at first. */
static void bytes_that_are_written_twice(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    arm(&b, BUS * (WIDTH - 1));
    model_done(&b, 0, 1);
    assert_int_equal(beat(&b, 0, OUTPUT + BUS * (WIDTH - 1), 200), WRONG_NONE);
    assert_int_equal(beat(&b, 0, OUTPUT + BUS * (WIDTH - 2), 200), WRONG_VALUE);
    bench_free(&b);
}

/* What the model has not come to is not judged. */
static void launches_that_are_not_known(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    arm(&b, LINE);
    arm(&b, LINE);
    model_done(&b, 1, 1);
    assert_int_equal(beat(&b, 0, OUTPUT, 33), WRONG_NONE);
    assert_int_equal(beat(&b, 1, OUTPUT, 33), WRONG_VALUE);
    b.listener.reset(b.listener.context);
    uint8_t value;
    assert_int_equal(journal_look(b.journal, NVDLA_SDP, 1, SPACE_PRIMARY, OUTPUT, &value), JOURNAL_UNWRITTEN);
    bench_free(&b);
}

/* ---- BDMA, whose beats belong to no launch that is known ---- */

static void push_block(struct bench *b, uint32_t destination) {
    write_register(b, NVDLA_BDMA, BDMA_CFG_LINE, 1 - 1);
    write_register(b, NVDLA_BDMA, BDMA_CFG_CMD, BDMA_CFG_CMD__DST_RAM_TYPE_MASK);
    write_register(b, NVDLA_BDMA, BDMA_CFG_DST_ADDR_LOW, destination);
    write_register(b, NVDLA_BDMA, BDMA_CFG_LINE_REPEAT, 0);
    write_register(b, NVDLA_BDMA, BDMA_CFG_SURF_REPEAT, 0);
    write_register(b, NVDLA_BDMA, BDMA_CFG_OP, 1);
}

static void beats_of_bdma(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    layer_tracker_free(b.launches);
    journal_free(b.journal);
    b.config = b.first.config = nvdla_config_find("full");
    b.launches = layer_tracker_new(b.config);
    b.journal = journal_new(b.launches);
    b.first.journal = b.journal;
    b.listener = journal_listener(b.journal);
    journal_watch(b.journal, &b.model);
    push_block(&b, OUTPUT);
    push_block(&b, OUTPUT + SURFACE);
    write_register(&b, NVDLA_BDMA, BDMA_CFG_LAUNCH0, 1);
    memory_fill(b.model.memory[SPACE_PRIMARY], OUTPUT, SURFACE, 3);
    memory_fill(b.model.memory[SPACE_PRIMARY], OUTPUT + SURFACE, SURFACE, 4);
    b.listener.done(b.listener.context, NVDLA_BDMA, 0, 0);
    const struct owner bdma = {NVDLA_BDMA, -1};
    const uint8_t threes[BUS] = {3, 3, 3, 3, 3, 3, 3, 3}, fours[BUS] = {4, 4, 4, 4, 4, 4, 4, 4};
    assert_int_equal(beat_of(&b, bdma, OUTPUT + SURFACE, fours, 0xff), WRONG_NONE);
    assert_int_equal(beat_of(&b, bdma, OUTPUT + BUS, threes, 0xff), WRONG_NONE);
    assert_int_equal(beat_of(&b, bdma, OUTPUT + SURFACE + BUS, threes, 0xff), WRONG_VALUE);
    bench_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_beats_pass),
        cmocka_unit_test(a_wrong_value_is_named),
        cmocka_unit_test(a_beat_outside_its_output_is_wrong),
        cmocka_unit_test(a_beat_of_nobody_is_wrong),
        cmocka_unit_test(a_strobe_that_leaves_bytes_out),
        cmocka_unit_test(bytes_that_are_written_twice),
        cmocka_unit_test(launches_that_are_not_known),
        cmocka_unit_test(beats_of_bdma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
