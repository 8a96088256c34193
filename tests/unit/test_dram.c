/* The DRAM: commands obey JEDEC's rules (dram_checker.h), known sequences take the clocks that the parameters demand,
 * and bandwidth is what they allow. DRAM_REQUESTS: random requests in all (default 50,000); UNIT_WALKS: an eighth. */
#include "dram/dram.h"
#include "dram/system.h"
#include "dram/traffic.h"
#include "dram_checker.h"
#include "nvdla/random.h"
#include "tests/unit/memories.h"
#include "tests/unit/random.h"
#include "tests/unit/test.h"

/* A DRAM that is fed with requests as fast as it takes them, or as `gap` says. */
struct feed {
    struct dram *dram;
    struct dram_config config;
    struct dram_checker *checker;
    uint64_t clock, answered, random;
    uint32_t tag;
};

static void feed_open(struct feed *feed, const char *argument, uint64_t seed) {
    *feed = (struct feed){.config = memory_of(argument), .random = seed};
    feed->dram = dram_new(&feed->config);
    feed->checker = xcalloc(1, sizeof *feed->checker);
    checker_init(feed->checker, &feed->config);
    dram_listen(feed->dram, (struct dram_listener){checker_command, feed->checker});
}

static void feed_close(struct feed *feed) {
    if (feed->checker->violations)
        fail_msg("%llu violations, first: %s", (unsigned long long)feed->checker->violations, feed->checker->first);
    dram_free(feed->dram);
    free(feed->checker);
}

static void feed_answers(struct feed *feed) {
    uint32_t tag;
    while (dram_completion(feed->dram, feed->clock, &tag))
        feed->answered++;
}

static void feed_request(struct feed *feed, uint64_t address, bool write) {
    while (!dram_request(feed->dram, feed->clock, address, write, feed->tag)) {
        const uint64_t next = dram_next(feed->dram);
        assert_true(next != UINT64_MAX && next >= feed->clock);
        feed->clock = next;
        dram_advance(feed->dram, feed->clock);
        feed_answers(feed);
    }
    feed->tag++;
}

/* Lets everything end. */
static void feed_drain(struct feed *feed) {
    for (uint64_t next; (next = dram_next(feed->dram)) != UINT64_MAX;) {
        feed->clock = next;
        dram_advance(feed->dram, feed->clock);
        feed_answers(feed);
    }
    while (feed->answered < feed->tag) {
        assert_true(dram_answer_clock(feed->dram) != UINT64_MAX);
        feed->clock = dram_answer_clock(feed->dram);
        dram_advance(feed->dram, feed->clock);
        feed_answers(feed);
    }
}

static uint64_t requests_of_all(void) {
    const char *given = getenv("DRAM_REQUESTS");
    return given ? strtoull(given, NULL, 10) : seeds_of(50000);
}

/* Memories of every kind. */
static const char *const memories[] = {
    "ddr4-2400",
    "lpddr4-3200",
    "zcu102",
    "ddr4-2400,page=closed",
    "lpddr4-3200,page=closed,queue=8",
    "ddr4-2400,ranks=2,mapping=row rank bank column group",
    "ddr4-2400,ranks=4,channels=2,page=closed,mapping=row bank rank column group channel,queue=64",
    "ddr4-2400,mapping=row column bank group,queue=1,age=10",
    "zcu102,ranks=2,mapping=row bank column rank group,tCWL=5,tRTRS=3",
    "lpddr4-3200,refresh=no,mapping=bank row column:3 channel column,age=1",
};

enum { MEMORIES = sizeof memories / sizeof memories[0] };

/* Requests of changing character: streams, random ones, a few hot rows, few and many writes, pauses. */
static void play_random(struct feed *feed, uint64_t requests) {
    const uint64_t bytes = dram_burst_bytes(&feed->config);
    uint64_t at = 0;
    for (uint64_t i = 0; i < requests; i++) {
        const uint64_t mode = i / 512 % 5;
        at = mode == 0   ? at + bytes
             : mode == 1 ? random_next(&feed->random)
             : mode == 2 ? random_next(&feed->random) & 0xffff
             : mode == 3 ? (random_next(&feed->random) & 7) << 22 | (i & 3) * bytes
                         : at ^ (random_next(&feed->random) & 0x1fffff);
        feed_request(feed, at & 0xffffffffff, random_below(&feed->random, 100) < 10 * (i / 100 % 8));
        if (random_below(&feed->random, 8) == 0) {
            feed->clock += random_below(&feed->random, mode == 4 ? 3000 : 40);
            dram_advance(feed->dram, feed->clock);
            feed_answers(feed);
        }
    }
    feed_drain(feed);
}

TEST(no_rule_is_broken) {
    for (size_t m = 0; m < MEMORIES; m++) {
        struct feed feed;
        feed_open(&feed, memories[m], m + 1);
        play_random(&feed, requests_of_all() / MEMORIES);
        const struct dram_counts *counts = dram_counts(feed.dram);
        assert_int_equal(feed.answered, feed.tag);
        assert_int_equal(counts->reads + counts->writes, counts->hits + counts->misses + counts->conflicts);
        assert_int_equal(counts->reads + counts->writes + counts->forwarded + counts->joined, feed.tag);
        feed_close(&feed);
    }
}

/* Commands of a short run, to be changed. */
struct record {
    struct dram_command commands[1500];
    size_t count;
};

static void record_command(void *context, const struct dram_command *command) {
    struct record *record = context;
    if (record->count < 1500)
        record->commands[record->count++] = *command;
}

static uint64_t violations(const struct dram_config *config, const struct record *record, char first[200]) {
    static struct dram_checker checker;
    checker_init(&checker, config);
    for (size_t i = 0; i < record->count; i++)
        checker_command(&checker, &record->commands[i]);
    memcpy(first, checker.first, 200);
    return checker.violations;
}

/* A scheduler that ignores one parameter breaks its rule, and no other is found first. */
TEST(planted_violations_are_found) {
    static const struct {
        const char *memory, *changed; /* the checker's, the scheduler's */
        const char *rule;
    } faults[] = {
        {"ddr4-2400", "ddr4-2400,tRCD=15", "tRCD"},
        {"ddr4-2400", "ddr4-2400,tRP=15", "tRP"},
        {"ddr4-2400,tRAS=60,tRC=90", "ddr4-2400,tRAS=38,tRC=90", "tRAS"},
        {"ddr4-2400,tRC=80", "ddr4-2400", "tRC"},
        {"ddr4-2400,tFAW=40", "ddr4-2400", "tFAW"},
        {"ddr4-2400", "ddr4-2400,tRRD_L=4", "tRRD_L"},
        {"ddr4-2400,tRRD_S=6", "ddr4-2400", "tRRD_S"},
        {"ddr4-2400", "ddr4-2400,tCCD_L=5", "tCCD"},
        {"ddr4-2400", "ddr4-2400,tWTR_L=8", "tWTR"},
        {"ddr4-2400", "ddr4-2400,tRTP=8", "tRTP"},
        {"ddr4-2400", "ddr4-2400,tWR=10", "tWR"},
        {"ddr4-2400", "ddr4-2400,tRFC=300", "tRFC"},
        {"ddr4-2400", "ddr4-2400,refresh=no", "tREFI"},
        {"ddr4-2400", "ddr4-2400,tRTW=4", "the data pins are busy"},
        {"ddr4-2400,act_clocks=2", "ddr4-2400", "the command bus is busy"},
    };
    for (size_t f = 0; f < sizeof faults / sizeof faults[0]; f++) {
        struct feed feed;
        const struct dram_config config = memory_of(faults[f].memory);
        feed_open(&feed, faults[f].changed, f);
        checker_init(feed.checker, &config);
        play_random(&feed, 5000);
        if (!feed.checker->violations || !strstr(feed.checker->first, faults[f].rule))
            fail_msg("%s: found '%s'", faults[f].rule, feed.checker->first);
        feed.checker->violations = 0;
        feed_close(&feed);
    }
}

/* Commands that are lost or reach the wrong row. */
TEST(planted_commands_are_found) {
    static struct record good, bad;
    int planted = 0, missed = 0;
    static const char *const wanted[] = {
        [DRAM_ACT] = "row is not open",  [DRAM_PRE] = "bank is open",      [DRAM_PREA] = "open",
        [DRAM_READ] = "row is not open", [DRAM_WRITE] = "row is not open", [DRAM_REF] = ""};
    char first[200];
    struct feed feed;
    feed_open(&feed, "ddr4-2400", 3);
    dram_listen(feed.dram, (struct dram_listener){record_command, &good});
    play_random(&feed, 4000);
    assert_int_equal(violations(&feed.config, &good, first), 0);
    for (size_t i = 200; i < 1200; i += 14) {
        bad = good;
        const enum dram_command_kind kind = good.commands[i].kind;
        if (kind == DRAM_READ || kind == DRAM_WRITE)
            bad.commands[i].row ^= 1;
        else
            memmove(&bad.commands[i], &bad.commands[i + 1], (--bad.count - i) * sizeof bad.commands[0]);
        const bool found = violations(&feed.config, &bad, first);
        if (kind == DRAM_REF)
            continue;
        if (found && !strstr(first, wanted[kind]))
            fail_msg("command %zu of kind %d: found '%s'", i, kind, first);
        planted++;
        missed += !found;
    }
    if (planted < 60 || missed * 20 > planted) /* a row that is opened and closed without an access may be missing */
        fail_msg("%d of %d lost or changed commands were not found", missed, planted);
    feed_close(&feed);
}

/* Clocks from a request in an idle memory to its answer. */
static uint64_t answer_time(struct feed *feed, uint64_t address) {
    uint32_t tag;
    const uint64_t begin = feed->clock;
    dram_advance(feed->dram, begin);
    assert_true(dram_request(feed->dram, begin, address, false, 0));
    while (dram_next(feed->dram) != UINT64_MAX) {
        feed->clock = dram_next(feed->dram);
        dram_advance(feed->dram, feed->clock);
    }
    feed->clock = dram_answer_clock(feed->dram);
    dram_advance(feed->dram, feed->clock);
    assert_true(dram_completion(feed->dram, feed->clock, &tag));
    return feed->clock - begin;
}

TEST(known_sequences_take_their_clocks) {
    struct feed feed;
    feed_open(&feed, "ddr4-2400,refresh=no", 1);
    const struct dram_timing *t = &feed.config.t;
    const uint64_t row = 64 * 4 * 128 * 4; /* from one row of a bank to the next */
    assert_int_equal(answer_time(&feed, 0), 1 + t->tRCD + t->tCL + 4);
    assert_int_equal(answer_time(&feed, 256), 1 + t->tCL + 4); /* the same row */
    feed.clock += 100;
    assert_int_equal(answer_time(&feed, row), 1 + t->tRP + t->tRCD + t->tCL + 4);
    assert_int_equal(answer_time(&feed, 64), 1 + t->tRCD + t->tCL + 4); /* another group */
    const struct dram_counts *counts = dram_counts(feed.dram);
    assert_int_equal(counts->hits, 1);
    assert_int_equal(counts->misses, 2);
    assert_int_equal(counts->conflicts, 1);
    feed_close(&feed);

    feed_open(&feed, "ddr4-2400,refresh=no,page=closed", 1);
    assert_int_equal(answer_time(&feed, 0), 1 + t->tRCD + t->tCL + 4);
    feed.clock += 100;
    assert_int_equal(answer_time(&feed, row), 1 + t->tRCD + t->tCL + 4); /* closed by itself */
    feed_close(&feed);

    feed_open(&feed, "ddr4-2400", 1);
    feed.clock = t->tREFI - 1; /* just before a refresh, which comes first */
    assert_int_equal(answer_time(&feed, 0), 1 + t->tRFC + t->tRCD + t->tCL + 4);
    feed_close(&feed);
}

/* Share of the clocks in which the data pins move, with reads as fast as the queues take them. */
static double share_of_pins(const char *memory, bool random, uint64_t requests) {
    struct feed feed;
    feed_open(&feed, memory, 7);
    const uint64_t bytes = dram_burst_bytes(&feed.config), capacity = UINT64_C(1) << 32;
    for (uint64_t i = 0; i < requests; i++)
        feed_request(&feed, random ? random_next(&feed.random) % capacity & ~(bytes - 1) : i * bytes, false);
    feed_drain(&feed);
    const double share = (double)dram_counts(feed.dram)->data_clocks / (double)(feed.clock * feed.config.channels);
    feed_close(&feed);
    return share;
}

TEST(streams_reach_the_pins) {
    static const char *const named[] = {"ddr4-2400", "lpddr4-3200", "zcu102"};
    for (size_t i = 0; i < 3; i++) {
        const double share = share_of_pins(named[i], false, seeds_of(50000));
        if (share < 0.90)
            fail_msg("%s: %.3f of the pins", named[i], share);
    }
}

/* Random reads: what tRC and the banks, tFAW and the pins allow, without the time of refresh. */
TEST(random_reads_reach_the_limit) {
    static const char *const named[] = {"ddr4-2400",
                                        "lpddr4-3200",
                                        "zcu102",
                                        "ddr4-2400,page=closed",
                                        "lpddr4-3200,page=closed",
                                        "ddr4-2400,bank_groups=1,banks=1,mapping=row column",
                                        "ddr4-2400,tFAW=60"};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        const struct dram_config config = memory_of(named[i]);
        const struct dram_timing *t = &config.t;
        const double data = config.burst / 2.0, banks = (double)t->tRC / (config.groups * config.banks);
        const double faw = t->tFAW / 4.0, slowest = banks > faw ? banks : faw;
        const double limit =
            data / (slowest > data ? slowest : data) * (1 - (double)(t->tRFC + t->tRAS + t->tRP) / t->tREFI);
        const double share = share_of_pins(named[i], true, seeds_of(50000));
        if (share < 0.98 * limit || share > 1.02 * limit)
            fail_msg("%s: %.3f of the pins, expected %.3f", named[i], share, limit);
    }
}
