/* The counter of timelines: clocks and beats find their buckets, however long the run and its standstills are, and
 * their launches. Cases of timeline.txt. */
#include "tb/observers/timeline.h"
#include "tb/signals.h"
#include "tests/unit/axi_steps.h"
#include "tests/unit/register_steps.h"
#include "tests/unit/test.h"

struct bench {
    const struct nvdla_config *config;
    struct timeline_counter *counter;
    struct observer observer;
    struct axi_outputs out;
    struct axi_inputs in;
    struct sampled now;
};

static void *begin(const char *title) {
    struct bench *b = test_new(sizeof *b);
    (void)title;
    b->config = nvdla_config_find("small");
    b->counter = timeline_counter_new(b->config, true);
    b->observer = timeline_observer(b->counter);
    test_keep(b->observer.context, b->observer.release);
    b->observer.reset(b->observer.context);
    b->now.out[0] = &b->out;
    b->now.in[0] = &b->in;
    return b;
}

/* The next clock, with these links and this level of dla_intr. */
static void clock_of(struct bench *b, uint32_t links, bool interrupt) {
    b->now.cycle++;
    b->now.flags = links << OUT_LINKS_LSB | (interrupt ? OUT_INTR : 0);
    b->observer.clock(b->observer.context, &b->now);
    b->observer.port(b->observer.context, &b->now, 0);
}

/* Sums over all buckets: both links, waiting and open bursts of SDP's writes. */
static void print_sums(const struct timeline *timeline, FILE *found) {
    uint64_t links[2] = {0}, pending = 0, outstanding = 0;
    for (size_t i = 0; i < timeline->count; i++) {
        links[0] += timeline->buckets[i].links[0];
        links[1] += timeline->buckets[i].links[1];
        pending += timeline->buckets[i].pending[NVDLA_WRITE_SDP];
        outstanding += timeline->buckets[i].outstanding[NVDLA_WRITE_SDP];
    }
    fprintf(found,
            "%zu of %" PRIu64 " clocks from %" PRIu64 ", %" PRIu64 " in all: links %" PRIu64 " %" PRIu64
            ", pending %" PRIu64 ", outstanding %" PRIu64,
            timeline->count, (uint64_t)timeline->bucket, timeline->origin, timeline->cycles, links[0], links[1],
            pending, outstanding);
}

static void print_launch(const struct timeline_launch *launch, FILE *found) {
    const struct timeline_traffic *traffic = timeline_traffic_of(launch, NVDLA_WRITE_SDP);
    fprintf(found, "%s armed %" PRIu64 ", %" PRIu64 "..%" PRIu64 ", done %" PRIu64 ", end %" PRIu64,
            nvdla_unit_names[launch->unit], launch->armed, launch->first, launch->last, launch->done,
            timeline_end(launch));
    if (traffic)
        fprintf(found,
                ": %" PRIu64 " of %" PRIu64 " bytes in %" PRIu64 " beats, refused %" PRIu64 ", untaken %" PRIu64
                ", pending %" PRIu64,
                (uint64_t)traffic->bytes, (uint64_t)traffic->expected, (uint64_t)traffic->beats,
                (uint64_t)traffic->refused, (uint64_t)traffic->untaken, (uint64_t)traffic->pending);
}

static void print_accesses(const struct timeline *timeline, FILE *found) {
    for (size_t i = 0; i < timeline->access_count; i++) {
        const struct timeline_access *access = &timeline->accesses[i];
        fprintf(found, "%s%s 0x%x at %" PRIu64 "..%" PRIu64 " %u times", i ? ", " : "",
                access->write ? "write" : "read", access->value, access->cycle, access->last, access->count);
    }
    for (size_t i = 0; i < timeline->interrupt_count; i++)
        fprintf(found, ", interrupt 0x%x %" PRIu64 "..%" PRIu64, timeline->interrupts[i].bits,
                timeline->interrupts[i].rise, timeline->interrupts[i].fall);
}

static void access_registers(struct bench *b, const struct step *step) {
    for (size_t i = step_is(step, "read"); i < step->count; i++) {
        const struct legal_write write = legal_write_of(b->config, step->word[i]);
        (step_is(step, "read") ? b->observer.read : b->observer.write)(b->observer.context, write.address, write.value,
                                                                       b->now.cycle);
    }
}

static bool act(void *context, const struct step *step, FILE *found) {
    struct bench *b = context;
    const struct timeline *timeline = timeline_counted(b->counter);
    if (step_is_writes(step) || step_is(step, "read"))
        access_registers(b, step);
    else if (step_is(step, "clock") || step_is(step, "interrupt")) /* LINKS COUNT */
        for (uint64_t i = 0; i < (step->count > 2 ? step_number(step, 2) : 1); i++)
            clock_of(b, (uint32_t)strtoul(step->word[1], NULL, 0), step_is(step, "interrupt"));
    else if (step_is(step, "swing"))
        for (uint64_t i = 0; i < step_number(step, 1); i++)
            clock_of(b, i % 2 ? 1 : 2, false);
    else if (step_is(step, "at"))
        b->now.cycle = step_number(step, 1);
    else if (step_is(step, "beat")) {
        const struct axi_listener listener = timeline_axi(b->counter);
        const struct axi_beat beat = {
            .write = true, .id = 1, .owner = {NVDLA_SDP, atoi(step->word[1])}, .bytes = 8, .strobe = 0xff};
        listener.beat(listener.context, &beat);
    } else if (step_is(step, "take-w"))
        b->in.wready = true;
    else if (step_is(step, "no-w") || step_is(step, "no-b"))
        *(step_is(step, "no-w") ? &b->out.wvalid : &b->in.bvalid) = false;
    else if (step_is(step, "sums"))
        print_sums(timeline, found);
    else if (step_is(step, "bucket"))
        fprintf(found, "%u %u", timeline->buckets[step_number(step, 1)].links[0],
                timeline->buckets[step_number(step, 1)].pending[NVDLA_WRITE_SDP]);
    else if (step_is(step, "launch")) {
        assert_true(step_number(step, 1) < timeline->launch_count);
        print_launch(&timeline->launches[step_number(step, 1)], found);
    } else if (step_is(step, "accesses"))
        print_accesses(timeline, found);
    else if (step_is(step, "many")) { /* reads of different values; what is kept, and what is not */
        for (uint32_t i = 0; i < TIMELINE_EVENTS; i++)
            b->observer.read(b->observer.context, legal_write_of(b->config, "GLB.S_INTR_STATUS").address, i,
                             b->now.cycle);
        fprintf(found, "%d, %" PRIu64, timeline_counted(b->counter)->access_count == TIMELINE_EVENTS,
                (uint64_t)timeline_counted(b->counter)->accesses_dropped);
    } else
        return axi_design_step(&b->out, step) || axi_memory_step(&b->in, step);
    return true;
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/timeline.txt", &(struct steps_player){begin, act});
}
