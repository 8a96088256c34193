/* The counter of timelines: clocks and beats find their buckets, however long the run and its standstills are, and
 * their launches. */
#include <stdlib.h>
#include <string.h>

#include "nvdla_offsets.h"
#include "tb/observers/timeline.h"
#include "tb/signals.h"
#include "tests/unit/register_text.h"
#include "tests/unit/test.h"

struct bench {
    const struct nvdla_config *config;
    struct timeline_counter *counter;
    const struct timeline *timeline;
    struct observer observer;
    struct axi_outputs out;
    struct axi_inputs in;
    struct sampled now;
};

static struct bench *bench_new(void) {
    struct bench *b = test_new(sizeof *b);
    b->config = nvdla_config_find("small");
    b->counter = timeline_counter_new(b->config, true);
    b->timeline = timeline_counted(b->counter);
    b->observer = timeline_observer(b->counter);
    test_keep(b->observer.context, b->observer.release);
    b->observer.reset(b->observer.context);
    b->now.out[0] = &b->out;
    b->now.in[0] = &b->in;
    return b;
}

static void write_register(struct bench *b, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    b->observer.write(b->observer.context, nvdla_unit_base(b->config, unit) + offset, value, b->now.cycle);
}

#define WRITE(b, unit, ...) FOR_ROWS(write_register(b, unit, offset_, value_), __VA_ARGS__)

/* The next clock, with these links and this level of dla_intr. */
static void clock_of(struct bench *b, uint32_t links, bool interrupt) {
    b->now.cycle++;
    b->now.flags = links << OUT_LINKS_LSB | (interrupt ? OUT_INTR : 0);
    b->observer.clock(b->observer.context, &b->now);
    b->observer.port(b->observer.context, &b->now, 0);
}

/* An SDP layer that writes 4 atoms. */
static void launch(struct bench *b) {
    WRITE(b, NVDLA_SDP, {SDP_D_DATA_CUBE_WIDTH, 3}, {SDP_D_DATA_CUBE_HEIGHT, 0}, {SDP_D_DATA_CUBE_CHANNEL, 7},
          {SDP_D_DST_DMA_CFG, 1}, {SDP_D_OP_ENABLE, 1});
}

static void beat(struct bench *b, int ordinal) {
    const struct axi_listener listener = timeline_axi(b->counter);
    const struct axi_beat beat = {.write = true, .id = 1, .owner = {NVDLA_SDP, ordinal}, .bytes = 8, .strobe = 0xff};
    listener.beat(listener.context, &beat);
}

static uint64_t sum(const struct timeline *timeline, size_t offset) {
    uint64_t total = 0;
    for (size_t i = 0; i < timeline->count; i++) {
        uint32_t value;
        memcpy(&value, (const char *)&timeline->buckets[i] + offset, sizeof value);
        total += value;
    }
    return total;
}
#define SUM(b, member) sum(timeline_counted((b)->counter), offsetof(struct timeline_bucket, member))

TEST(nothing_counts_before_the_first_arming) {
    (void)state;
    struct bench *b = bench_new();
    for (int i = 0; i < 1000; i++)
        clock_of(b, 1, false);
    assert_int_equal(b->timeline->count, 0);
    launch(b);
    clock_of(b, 1, false);
    clock_of(b, 3, false);
    assert_int_equal(b->timeline->origin, 1000);
    assert_int_equal(b->timeline->bucket, 1);
    assert_int_equal(SUM(b, links[0]), 2);
    assert_int_equal(SUM(b, links[1]), 1);
}

TEST(buckets_double_and_lose_nothing) {
    (void)state;
    struct bench *b = bench_new();
    launch(b);
    for (int i = 0; i < 5000; i++)
        clock_of(b, i % 2 ? 1 : 2, false);
    assert_true(b->timeline->count <= TIMELINE_BUCKETS);
    assert_int_equal(b->timeline->bucket, 4);
    assert_int_equal(SUM(b, links[0]), 2500);
    assert_int_equal(SUM(b, links[1]), 2500);
    assert_int_equal(b->timeline->buckets[100].links[0], 2);
}

/* A standstill takes no buckets unless something moves behind it; then what waited in it is spread over it. */
TEST(a_standstill_is_no_time_until_it_ends) {
    (void)state;
    struct bench *b = bench_new();
    launch(b);
    b->out = (struct axi_outputs){.awvalid = true, .awid = 1, .awlen = 3};
    b->in.awready = true;
    clock_of(b, 1, false);
    b->out.awvalid = false;
    for (int i = 0; i < 100000; i++)
        clock_of(b, 0, false);
    assert_int_equal(b->timeline->bucket, 1);
    assert_int_equal(b->timeline->count, 2);
    assert_int_equal(b->timeline->cycles, 100002);
    clock_of(b, 1, false);
    assert_int_equal(SUM(b, links[0]), 2);
    assert_int_equal(SUM(b, pending[NVDLA_WRITE_SDP]), 100001);
    assert_int_equal(SUM(b, outstanding[NVDLA_WRITE_SDP]), 100001);
    assert_int_equal(b->timeline->bucket, 64);
    assert_int_equal(b->timeline->buckets[7].pending[NVDLA_WRITE_SDP], 64);
}

TEST(launches_have_their_times_and_their_traffic) {
    (void)state;
    struct bench *b = bench_new();
    b->now.cycle = 99;
    launch(b);
    clock_of(b, 0, false);
    b->out = (struct axi_outputs){.awvalid = true, .awid = 1, .awlen = 3};
    for (int i = 0; i < 3; i++)
        clock_of(b, 0, false); /* 101 to 103: refused */
    b->in.awready = true;
    clock_of(b, 0, false);
    b->out.awvalid = false;
    b->out.wvalid = true;
    clock_of(b, 0, false); /* 105: data refused */
    b->in.wready = true;
    for (int i = 0; i < 4; i++) {
        clock_of(b, 0, false); /* 106 to 109 */
        beat(b, 0);
    }
    b->out.wvalid = false;
    b->in.bvalid = true;
    b->in.bid = 1;
    clock_of(b, 0, false); /* 110: the answer is not taken */
    b->out.bready = true;
    clock_of(b, 0, false);
    b->in.bvalid = false;
    clock_of(b, 0, true); /* 112 */
    const struct timeline_launch *sdp = &b->timeline->launches[0];
    assert_int_equal(sdp->unit, NVDLA_SDP);
    assert_int_equal(timeline_end(sdp), 109); /* complete, and its interrupt has not been read yet */
    write_register(b, NVDLA_GLB, GLB_S_INTR_STATUS, 1);
    assert_int_equal(sdp->armed, 99);
    assert_int_equal(sdp->first, 106);
    assert_int_equal(sdp->last, 109);
    assert_int_equal(sdp->done, 112);
    assert_int_equal(timeline_end(sdp), 112);
    const struct timeline_traffic *traffic = timeline_traffic_of(sdp, NVDLA_WRITE_SDP);
    assert_non_null(traffic);
    assert_int_equal(traffic->expected, 32);
    assert_int_equal(traffic->bytes, 32);
    assert_int_equal(traffic->beats, 4);
    assert_int_equal(traffic->refused, 4);
    assert_int_equal(traffic->untaken, 1);
    assert_int_equal(traffic->pending, 7); /* 105 to 111 */
    assert_int_equal(b->timeline->launch_count, 1);

    /* One that does not end. */
    launch(b);
    clock_of(b, 0, true);
    beat(b, 1);
    assert_int_equal(timeline_end(&b->timeline->launches[1]), 0);
}

static void read_register(struct bench *b, uint32_t offset, uint32_t value) {
    b->observer.read(b->observer.context, nvdla_unit_base(b->config, NVDLA_GLB) + offset, value, b->now.cycle);
}

/* Two bursts count twice as outstanding, but their clocks once as waiting. */
TEST(outstanding_bursts_are_counted) {
    (void)state;
    struct bench *b = bench_new();
    launch(b);
    b->out = (struct axi_outputs){.awvalid = true, .awid = 1, .awlen = 0};
    b->in.awready = true;
    clock_of(b, 1, false); /* 1, 2: the addresses */
    clock_of(b, 1, false);
    b->out.awvalid = false;
    for (int i = 0; i < 10; i++)
        clock_of(b, 1, false); /* 3 to 12 */
    assert_int_equal(SUM(b, pending[NVDLA_WRITE_SDP]), 11);
    assert_int_equal(SUM(b, outstanding[NVDLA_WRITE_SDP]), 21);
}

TEST(accesses_and_interrupts_are_kept) {
    (void)state;
    struct bench *b = bench_new();
    b->now.cycle = 10;
    write_register(b, NVDLA_GLB, GLB_S_INTR_MASK, 0);
    for (b->now.cycle = 20; b->now.cycle < 70; b->now.cycle += 10)
        read_register(b, GLB_S_INTR_STATUS, b->now.cycle < 60 ? 0 : 1);
    clock_of(b, 0, true); /* 71 */
    write_register(b, NVDLA_GLB, GLB_S_INTR_STATUS, 1);
    clock_of(b, 0, false);
    const struct timeline *timeline = timeline_counted(b->counter);
    assert_int_equal(timeline->access_count, 4);
    assert_true(timeline->accesses[0].write);
    assert_int_equal(timeline->accesses[0].cycle, 10);
    assert_int_equal(timeline->accesses[1].count, 4); /* equal reads are one */
    assert_int_equal(timeline->accesses[1].cycle, 20);
    assert_int_equal(timeline->accesses[1].last, 50);
    assert_int_equal(timeline->accesses[2].value, 1);
    assert_int_equal(timeline->interrupt_count, 1);
    assert_int_equal(timeline->interrupts[0].rise, 71);
    assert_int_equal(timeline->interrupts[0].fall, 72);
    assert_int_equal(timeline->interrupts[0].bits, 1);
    for (int i = 0; i < TIMELINE_EVENTS; i++)
        read_register(b, GLB_S_INTR_STATUS, (uint32_t)i);
    assert_int_equal(timeline_counted(b->counter)->access_count, TIMELINE_EVENTS);
    assert_int_equal(timeline_counted(b->counter)->accesses_dropped, 4);
}
