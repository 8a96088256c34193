/* The journal of what launches leave in memory, and the beats that are judged by it. Cases of first_wrong.txt. */
#include "memory/memory.h"
#include "replay/first_wrong.h"
#include "tests/unit/steps.h"
#include "tests/unit/test.h"

enum { BUS = 8, WIDTH = 4, LINE = 0x40, SURFACE = 0x100, SDP_ID = 1, PDP_ID = 2, CDP_ID = 3 };
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

static void *begin(const char *title) {
    (void)title;
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

/* The RTL writes a beat. */
static void beat_of(struct bench *b, int id, uint64_t address, const uint8_t *data, uint8_t strobe) {
    memory_write(b->rtl.memory[SPACE_PRIMARY], address, data, BUS, &strobe, NULL);
    const struct axi_beat beat = {.write = true,
                                  .id = (uint8_t)id,
                                  .owner = {-1, -1}, /* what counts is the order */
                                  .cycle = 77,
                                  .address = address,
                                  .bytes = BUS,
                                  .data = data,
                                  .strobe = strobe};
    b->judge.beat(b->judge.context, &beat);
    assert_int_equal(b->rtl.stop, b->first.found.kind != WRONG_NONE);
}

/* The model reads atoms from an address on for a launch of CDP_RDMA. */
static void model_reads(struct bench *b, int ordinal, uint64_t address, size_t atoms) {
    uint8_t bytes[LINE];
    const struct memory_origin origin = {.unit = NVDLA_CDP_RDMA, .axi_id = CDP_ID, .ordinal = ordinal};
    memory_read_for(b->model.memory[SPACE_PRIMARY], address, bytes, atoms * BUS, &origin);
}

/* What is wrong: kind, launch, address, masks of wrong and of known bytes, and the wrong bytes, expected/got. */
static void print_wrong(const struct bench *b, FILE *found) {
    static const char *const kinds[] = {[WRONG_NONE] = "none",
                                        [WRONG_OWNER] = "owner",
                                        [WRONG_OUTSIDE] = "outside",
                                        [WRONG_LEFT_OUT] = "left out",
                                        [WRONG_VALUE] = "value"};
    const struct wrong_beat *wrong = &b->first.found;
    fputs(kinds[wrong->kind], found);
    if (wrong->kind == WRONG_NONE)
        return;
    fprintf(found, " #%d 0x%" PRIx64 " at %" PRIu64 ": 0x%" PRIx64 " of 0x%" PRIx64, wrong->beat.owner.ordinal,
            wrong->address, wrong->beat.cycle, wrong->wrong, wrong->known);
    for (int i = 0; i < BUS; i++)
        if (wrong->wrong >> i & wrong->known >> i & 1)
            fprintf(found, " %d/%d", wrong->expected[i], wrong->got[i]);
}

/* The first wrong read: kind, launch, its address and the expected one. */
static void print_read(const struct bench *b, FILE *found) {
    static const char *const kinds[] = {
        [READ_RIGHT] = "none",  [READ_NOBODY] = "unowned",  [READ_ELSEWHERE] = "elsewhere", [READ_OTHER] = "other",
        [READ_AGAIN] = "again", [READ_SKIPPED] = "skipped", [READ_MISSING] = "missing"};
    const struct wrong_read *read = &b->first.reads.first;
    fputs(kinds[read->kind], found);
    if (read->kind != READ_RIGHT)
        fprintf(found, " %s #%d 0x%" PRIx64 ", expected 0x%" PRIx64 "%s", nvdla_unit_names[read->beat.owner.unit],
                read->beat.owner.ordinal, read->beat.address, read->expected, read->awaited ? " awaited" : "");
}

static bool of_launches(void *context, enum nvdla_unit unit, int ordinal) {
    assert_int_equal(unit, NVDLA_CDP_RDMA);
    return ordinal < *(const int *)context;
}

static bool model_step(struct bench *b, const struct step *step) {
    if (step_is(step, "model")) /* a launch of SDP, done */
        model_done(b, atoi(step->word[1]), (uint32_t)step_number(step, 2), (uint8_t)step_number(step, 3));
    else if (step_is(step, "nothing")) /* a launch of SDP that writes nothing */
        b->listener.done(b->listener.context, NVDLA_SDP, atoi(step->word[1]), (unsigned)atoi(step->word[1]) & 1);
    else if (step_is(step, "undone"))
        model_writes(b, NVDLA_SDP, atoi(step->word[1]), OUTPUT, BUS, 1);
    else if (step_is(step, "reads"))
        model_reads(b, atoi(step->word[1]), step_number(step, 2), step_number(step, 3));
    else if (step_is(step, "read"))
        b->listener.done(b->listener.context, NVDLA_CDP_RDMA, atoi(step->word[1]), (unsigned)atoi(step->word[1]) & 1);
    else if (step_is(step, "partly"))
        b->first.complete = false;
    else if (step_is(step, "whole"))
        b->first.reads.complete = true;
    else if (step_is(step, "reset"))
        b->listener.reset(b->listener.context);
    else if (step_is(step, "fill"))
        memory_fill(b->rtl.memory[SPACE_PRIMARY], OUTPUT + step_number(step, 1), BUS, (uint8_t)step_number(step, 2));
    else
        return false;
    return true;
}

/* beat ID OFFSET STROBES BYTES, the last one for those that follow; all LAUNCH: a whole output with a value. */
static bool write_step(struct bench *b, const struct step *step) {
    uint8_t data[BUS] = {0};
    if (step_is(step, "beat")) {
        for (size_t i = 0; i < BUS; i++)
            data[i] = (uint8_t)step_number(step, 4 + i < step->count ? 4 + i : step->count - 1);
        beat_of(b, atoi(step->word[1]), OUTPUT + (uint64_t)strtoll(step->word[2], NULL, 0), data,
                (uint8_t)step_number(step, 3));
    } else if (step_is(step, "all")) {
        memset(data, (int)step_number(step, 1), sizeof data);
        for (int at = 0; at < 4 * WIDTH; at++)
            beat_of(b, SDP_ID, OUTPUT + (uint64_t)(at / 8 * SURFACE + at / 4 % 2 * LINE + at % 4 * BUS), data, 0xff);
    } else
        return false;
    return true;
}

static bool act(void *context, const struct step *step, FILE *found) {
    struct bench *b = context;
    size_t next = 0, launches;
    uint64_t bytes;
    if (step_is(step, "r")) { /* r ID UNIT LAUNCH ADDRESS BYTES: the RTL reads for an owner that is known by counting */
        const enum nvdla_unit unit = nvdla_unit_find(step->word[2]);
        const struct axi_beat read = {.id = (uint8_t)step_number(step, 1),
                                      .owner = {unit < NVDLA_UNIT_COUNT ? (int16_t)unit : -1, atoi(step->word[3])},
                                      .cycle = 14,
                                      .address = step_number(step, 4),
                                      .bytes = step->count > 5 ? (int)step_number(step, 5) : BUS};
        b->judge.beat(b->judge.context, &read);
    } else if (step_is(step, "end")) { /* end LAUNCHES 0|1: so many are done; all is played */
        int ended = atoi(step->word[1]);
        read_judge_end(&b->first.reads, step_number(step, 2), of_launches, &ended);
        assert_int_equal(b->first.reads.clients[NVDLA_READ_CDP].wrong.kind, b->first.reads.first.kind);
    } else if (step_is(step, "wrong"))
        print_wrong(b, found);
    else if (step_is(step, "wrong-read"))
        print_read(b, found);
    else if (step_is(step, "go")) {
        b->rtl.stop = false;
        b->first.reads.first.kind = READ_RIGHT;
    } else if (step_is(step, "judged"))
        fprintf(found, "%" PRIu64 " %" PRIu64, b->first.beats, b->first.reads.clients[NVDLA_READ_CDP].compared);
    else if (step_is(step, "journal")) {
        const int first = journal_next(b->journal, NVDLA_SDP, SPACE_PRIMARY, &next, &bytes);
        fprintf(found, "%d, %zu bytes", first, journal_size(b->journal, &launches));
        fprintf(found, " of %zu", launches);
    } else
        return model_step(b, step) || write_step(b, step);
    return true;
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/first_wrong.txt", &(struct steps_player){begin, act});
}
