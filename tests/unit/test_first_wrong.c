/* The journal of what launches leave in memory, and the beats that are judged by it. */

#include <string.h>

#include "memory/memory.h"
#include "replay/first_wrong.h"
#include "tests/unit/test.h"

enum { BUS = 8, WIDTH = 4, LINE = 0x40, SURFACE = 0x100, SDP_ID = 1, NO_ID = 13 };
#define OUTPUT UINT64_C(0x80000000)

struct bench {
    const struct nvdla_config *config;
    struct device model, rtl;
    struct journal *journal;
    struct tap_listener listener;
    struct first_wrong first;
    struct axi_listener judge;
};

static void model_writes(struct bench *b, enum nvdla_unit unit, int ordinal, uint64_t address, size_t n,
                         uint8_t value) {
    uint8_t bytes[LINE];
    const struct memory_origin origin = {.unit = (int16_t)unit, .axi_id = 1, .ordinal = ordinal};
    assert_true(n <= sizeof bytes);
    memset(bytes, value, n);
    memory_write(b->model.memory[SPACE_PRIMARY], address, bytes, n, NULL, &origin);
}

/* The model has done a launch of SDP: two surfaces of two lines, all bytes have the value. */
static void model_done(struct bench *b, int ordinal, uint32_t line_stride, uint8_t value) {
    for (int line = 0; line < 2 * 2; line++)
        model_writes(b, NVDLA_SDP, ordinal, OUTPUT + (uint64_t)(line / 2 * SURFACE) + (uint64_t)line % 2 * line_stride,
                     WIDTH * BUS, value);
    b->listener.done(b->listener.context, NVDLA_SDP, ordinal, (unsigned)(ordinal & 1));
}

static void bench_release(struct bench *b) {
    first_wrong_close(&b->first);
    memory_free(b->model.memory[SPACE_PRIMARY]);
    memory_free(b->rtl.memory[SPACE_PRIMARY]);
    journal_free(b->journal);
}
TEST_KEEPS(bench_keep, struct bench, bench_release)

static struct bench *bench_new(void) {
    struct bench *b = bench_keep(test_new(sizeof *b));
    b->config = nvdla_config_find("small");
    b->model.memory[SPACE_PRIMARY] = memory_new();
    b->rtl.memory[SPACE_PRIMARY] = memory_new();
    b->journal = journal_new();
    b->listener = journal_listener(b->journal);
    journal_watch(b->journal, &b->model);
    b->first = (struct first_wrong){.config = b->config, .journal = b->journal, .complete = true, .dev = &b->rtl};
    b->judge = first_wrong_listener(&b->first);
    return b;
}

/* The RTL writes a beat. Returns what is wrong with it. */
static enum wrong_kind beat_of(struct bench *b, int id, uint64_t address, const uint8_t *data, uint8_t strobe) {
    memory_write(b->rtl.memory[SPACE_PRIMARY], address, data, BUS, &strobe, NULL);
    const struct axi_beat beat = {.write = true,
                                  .id = id,
                                  .owner = {-1, -1}, /* what counts is the order */
                                  .cycle = 77,
                                  .address = address,
                                  .bytes = BUS,
                                  .data = data,
                                  .strobe = strobe};
    b->judge.beat(b->judge.context, &beat);
    assert_int_equal(b->rtl.stop, b->first.found.kind != WRONG_NONE);
    return b->first.found.kind;
}

/* One of SDP, all bytes alike. */
static enum wrong_kind beat(struct bench *b, uint64_t address, uint8_t value) {
    uint8_t data[BUS];
    memset(data, value, sizeof data);
    return beat_of(b, SDP_ID, address, data, 0xff);
}

/* All of a launch. */
static void beats_of_launch(struct bench *b, uint8_t value) {
    for (int surface = 0; surface < 2; surface++)
        for (int line = 0; line < 2; line++)
            for (int x = 0; x < WIDTH; x++)
                assert_int_equal(beat(b, OUTPUT + (uint64_t)(surface * SURFACE + line * LINE + x * BUS), value),
                                 WRONG_NONE);
}

TEST_ON(right_beats_pass, struct bench *b, bench_new()) {
    model_done(b, 2, LINE, 1);                              /* the other group is armed first, but comes second */
    b->listener.done(b->listener.context, NVDLA_SDP, 1, 1); /* writes nothing */
    model_done(b, 0, LINE, 2);                              /* to the same place */
    beats_of_launch(b, 1);
    beats_of_launch(b, 2);
    assert_int_equal(b->first.beats, 2 * 2 * 2 * WIDTH);
    size_t launches;
    assert_true(journal_size(b->journal, &launches) >= 2 * 2 * 2 * WIDTH * BUS);
    assert_int_equal(launches, 2);
}

TEST_ON(a_wrong_value_is_named, struct bench *b, bench_new()) {
    model_done(b, 0, LINE, 3);
    model_done(b, 1, LINE, 1);
    beats_of_launch(b, 3);
    const uint8_t data[BUS] = {1, 1, 1, 9, 1, 7, 1, 1};
    assert_int_equal(beat_of(b, SDP_ID, OUTPUT + LINE, data, 0xff), WRONG_VALUE);
    const struct wrong_beat *found = &b->first.found;
    assert_int_equal(found->address, OUTPUT + LINE + 3);
    assert_int_equal(found->wrong, 1u << 3 | 1u << 5);
    assert_int_equal(found->known, 0xff);
    assert_int_equal(found->got[3], 9);
    assert_int_equal(found->expected[3], 1);
    assert_int_equal(found->beat.cycle, 77);
    assert_int_equal(found->beat.owner.unit, NVDLA_SDP);
    assert_int_equal(found->beat.owner.ordinal, 1);
    beat(b, OUTPUT, 5); /* nothing comes after the first */
    assert_int_equal(found->address, OUTPUT + LINE + 3);
}

TEST(a_beat_outside_its_output_is_wrong) {
    static const uint64_t outside[] = {OUTPUT - BUS, OUTPUT + WIDTH * BUS, OUTPUT + 2 * LINE, OUTPUT + 2 * SURFACE};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        struct bench *b = bench_new();
        model_done(b, 0, LINE, 1);
        assert_int_equal(beat(b, outside[i], 1), WRONG_OUTSIDE);
        assert_int_equal(b->first.found.known, 0);
    }
}

TEST(a_beat_of_nobody_is_wrong) {
    const uint8_t data[BUS] = {1, 1, 1, 1, 1, 1, 1, 1};
    struct bench *b = bench_new();
    model_done(b, 0, LINE, 1);
    assert_int_equal(beat_of(b, NO_ID, OUTPUT, data, 0xff), WRONG_OWNER);
    b = bench_new();
    model_done(b, 0, LINE, 1);
    beats_of_launch(b, 1);
    assert_int_equal(beat(b, OUTPUT, 1), WRONG_OWNER); /* one too many */
}

TEST(a_strobe_that_leaves_bytes_out) {
    const uint8_t data[BUS] = {1, 1, 1, 1, 1, 1, 1, 99};
    struct bench *b = bench_new();
    model_done(b, 0, LINE, 1);
    memory_fill(b->rtl.memory[SPACE_PRIMARY], OUTPUT, BUS, 1); /* it has its value already */
    assert_int_equal(beat_of(b, SDP_ID, OUTPUT, data, 0x7f), WRONG_NONE);
    assert_int_equal(beat_of(b, SDP_ID, OUTPUT + BUS, data, 0x7f), WRONG_LEFT_OUT);
    assert_int_equal(b->first.found.wrong, 0x80);
    assert_int_equal(b->first.found.got[7], 0);
    assert_int_equal(b->first.found.expected[7], 1);
}

/* Lines that overlap: what both write may be anything at first. */
TEST_ON(bytes_that_are_written_twice, struct bench *b, bench_new()) {
    model_done(b, 0, BUS * (WIDTH - 1), 1);
    assert_int_equal(beat(b, OUTPUT + BUS * (WIDTH - 1), 200), WRONG_NONE);
    assert_int_equal(beat(b, OUTPUT + BUS * (WIDTH - 2), 200), WRONG_VALUE);
}

/* What the model has not come to is not judged. */
TEST_ON(launches_that_are_not_known, struct bench *b, bench_new()) {
    b->first.complete = false;
    model_done(b, 0, LINE, 1);
    model_writes(b, NVDLA_SDP, 1, OUTPUT, BUS, 1); /* not done */
    beats_of_launch(b, 1);
    assert_int_equal(beat(b, OUTPUT + 0x1000, 33), WRONG_NONE);
    assert_int_equal(b->first.beats, 2 * 2 * WIDTH);
    b->listener.reset(b->listener.context);
    uint64_t bytes;
    size_t next = 0;
    assert_int_equal(journal_next(b->journal, NVDLA_SDP, SPACE_PRIMARY, &next, &bytes), -1);
}

enum { PDP_ID = 2, CDP_ID = 3, INPUT = 0x9000 };

/* The model reads n atoms from an address on for a launch of CDP_RDMA. */
static void model_reads(struct bench *b, int ordinal, uint64_t address, size_t atoms) {
    uint8_t bytes[LINE];
    const struct memory_origin origin = {.unit = NVDLA_CDP_RDMA, .axi_id = CDP_ID, .ordinal = ordinal};
    memory_read_for(b->model.memory[SPACE_PRIMARY], address, bytes, atoms * BUS, &origin);
}

/* The RTL reads a beat for the owner that is known by counting. Returns what is wrong. */
static enum wrong_read_kind read_of(struct bench *b, int id, struct owner owner, uint64_t address, int bytes) {
    const struct axi_beat read = {.id = id, .owner = owner, .cycle = 14, .address = address, .bytes = bytes};
    b->judge.beat(b->judge.context, &read);
    assert_false(b->rtl.stop);
    return b->first.reads.first.kind;
}

static enum wrong_read_kind read_at(struct bench *b, uint64_t address) {
    return read_of(b, CDP_ID, (struct owner){NVDLA_CDP_RDMA, 0}, address, BUS);
}

TEST(reads_of_nobody) {
    const uint8_t data[BUS] = {9};
    struct bench *b = bench_new();
    model_done(b, 0, LINE, 1);
    assert_int_equal(read_of(b, PDP_ID, (struct owner){NVDLA_PDP_RDMA, 0}, INPUT, BUS), READ_RIGHT); /* not played */
    assert_int_equal(read_of(b, NO_ID, (struct owner){-1, -1}, INPUT, BUS), READ_RIGHT); /* a finding of its own */
    const struct owner none = {NVDLA_PDP_RDMA, -1};
    assert_int_equal(read_of(b, PDP_ID, none, INPUT, 2 * BUS), READ_RIGHT); /* atoms that no launch asked for */
    assert_int_equal(read_of(b, 0, (struct owner){NVDLA_BDMA, -1}, INPUT, BUS), READ_RIGHT); /* not counted */
    assert_int_equal(read_of(b, CDP_ID, (struct owner){NVDLA_CDP_RDMA, -1}, INPUT, BUS), READ_NOBODY);
    read_of(b, PDP_ID, none, INPUT, BUS);
    assert_int_equal(b->first.reads.first.beat.owner.unit, NVDLA_CDP_RDMA); /* the first stays */
    assert_int_equal(b->first.reads.first.beat.owner.ordinal, -1);
    b->first.reads.first.kind = READ_RIGHT;
    assert_int_equal(beat_of(b, SDP_ID, OUTPUT, data, 0xff), WRONG_VALUE);
    b->rtl.stop = false;
    assert_int_equal(read_of(b, PDP_ID, none, INPUT, BUS), READ_RIGHT); /* after the first wrong write */
}

/* In their order, launch by launch; a second time only where the model has read twice. */
TEST_ON(reads_are_those_of_the_launch, struct bench *b, bench_new()) {
    model_reads(b, 0, INPUT, 3);
    model_reads(b, 0, INPUT + 0x100, 2);
    model_reads(b, 0, INPUT + 0x108, 1);
    b->listener.done(b->listener.context, NVDLA_CDP_RDMA, 0, 0);
    model_reads(b, 1, INPUT + 0x200, 2);
    b->listener.done(b->listener.context, NVDLA_CDP_RDMA, 1, 1);
    static const uint64_t order[] = {0, 8, 0x10, 0x100, 0x108, 0x108, 0x200};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        assert_int_equal(read_at(b, INPUT + order[i]), READ_RIGHT);
    assert_int_equal(b->first.reads.clients[NVDLA_READ_CDP].compared, sizeof order / sizeof *order);
    assert_int_equal(read_at(b, INPUT + 0x200), READ_AGAIN);
    assert_int_equal(b->first.reads.first.beat.owner.ordinal, 1);
    assert_int_equal(b->first.reads.first.beat.address, INPUT + 0x200);
    assert_int_equal(b->first.reads.first.expected, INPUT + 0x208);
    b = bench_new();
    model_reads(b, 0, INPUT, 3);
    b->listener.done(b->listener.context, NVDLA_CDP_RDMA, 0, 0);
    assert_int_equal(read_at(b, INPUT + BUS), READ_OTHER);
    assert_true(b->first.reads.first.awaited);
    assert_int_equal(b->first.reads.first.expected, INPUT);
    static const uint64_t outside[] = {INPUT - BUS, INPUT + 3 * BUS, INPUT + 0x200, 0};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        b = bench_new();
        model_reads(b, 0, INPUT, 3);
        b->listener.done(b->listener.context, NVDLA_CDP_RDMA, 0, 0);
        assert_int_equal(read_at(b, INPUT), READ_RIGHT);
        assert_int_equal(read_at(b, outside[i]), READ_ELSEWHERE);
        assert_int_equal(b->first.reads.first.beat.owner.ordinal, 0);
    }
}

static bool of_launches(void *context, enum nvdla_unit unit, int ordinal) {
    assert_int_equal(unit, NVDLA_CDP_RDMA);
    return ordinal < *(const int *)context;
}

/* Two launches; the RTL reads `first` atoms of the first and `second` of the second, in beats of `bytes`; so many
 * launches end. Returns what is missed. */
static struct wrong_read missed(int first, int second, int bytes, int ended, bool all) {
    const int atoms[] = {first, second};
    struct bench *b = bench_new();
    b->first.reads.complete = true;
    for (int launch = 0; launch < 2; launch++) {
        model_reads(b, launch, INPUT + 0x200 * (uint64_t)launch, 4);
        b->listener.done(b->listener.context, NVDLA_CDP_RDMA, launch, (unsigned)launch);
    }
    for (int launch = 0; launch < 2; launch++)
        for (int at = 0; at < atoms[launch] * BUS; at += bytes)
            read_of(b, CDP_ID, (struct owner){NVDLA_CDP_RDMA, launch}, INPUT + (uint64_t)(0x200 * launch + at), bytes);
    read_judge_end(&b->first.reads, all, of_launches, &ended);
    const struct wrong_read found = b->first.reads.first;
    assert_int_equal(b->first.reads.clients[NVDLA_READ_CDP].wrong.kind, found.kind);
    return found;
}

/* What a launch needs and the RTL never asks. */
TEST(reads_that_never_come) {
    static const struct {
        int first, second, bytes, ended;
        bool all;
        enum wrong_read_kind kind;
        uint64_t expected;
        int ordinal;
    } cases[] = {
        {4, 4, BUS, 2, true, READ_RIGHT, 0, 0},
        {3, 4, BUS, 2, true, READ_SKIPPED, INPUT + 3 * BUS, 0},
        {4, 1, BUS, 2, false, READ_MISSING, INPUT + 0x200 + BUS, 1},
        {4, 1, BUS, 1, false, READ_RIGHT, 0, 0}, /* it still runs */
        {4, 0, BUS, 2, false, READ_RIGHT, 0, 0}, /* nor is it known whether it has begun */
        {4, 0, BUS, 2, true, READ_MISSING, INPUT + 0x200, 1},
        {4, 4, 2 * BUS, 2, true, READ_RIGHT, 0, 0},
        {2, 4, 2 * BUS, 2, true, READ_MISSING, INPUT + 2 * BUS, 0},
        {2, 4, 2 * BUS, 2, false, READ_RIGHT, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct wrong_read found =
            missed(cases[i].first, cases[i].second, cases[i].bytes, cases[i].ended, cases[i].all);
        assert_int_equal(found.kind, cases[i].kind);
        if (found.kind != READ_RIGHT) {
            assert_int_equal(found.expected, cases[i].expected);
            assert_int_equal(found.beat.owner.ordinal, cases[i].ordinal);
        }
    }
}
