/* Launches in flight, by register writes and beats. Cases of flight.txt. */
#include "nvdla/registers.h"
#include "tb/observers/flight.h"
#include "tests/unit/register_steps.h"
#include "tests/unit/test.h"

enum { LATENCY = 100, BUS = 8 };

struct bench {
    const struct nvdla_config *config;
    struct flight *flight;
    struct observer observer;
    struct axi_listener beats;
    struct device_launch running[DEVICE_LAUNCHES];
    uint64_t cycle;
};

static void *begin(const char *title) {
    struct bench *b = test_new(sizeof *b);
    b->config = title_config(title);
    b->flight = flight_new(b->config, LATENCY);
    b->observer = flight_observer(b->flight);
    test_keep(b->observer.context, b->observer.release);
    b->beats = flight_axi(b->flight);
    b->observer.reset(b->observer.context);
    return b;
}

static bool act(void *context, const struct step *step, FILE *found) {
    struct bench *b = context;
    if (step_is_writes(step))
        FOR_WRITES(b->config, step, b->observer.write(b->observer.context, write_.address, write_.value, b->cycle))
    else if (step_is(step, "at"))
        b->cycle = step_number(step, 1);
    else if (step_is(step, "reads") || step_is(step, "writes")) { /* a beat of SDP's LAUNCH at a clock */
        const bool write = step_is(step, "writes");
        const struct axi_beat beat = {.write = write,
                                      .owner = {write ? NVDLA_SDP : NVDLA_SDP_RDMA, atoi(step->word[1])},
                                      .cycle = step_number(step, 2),
                                      .bytes = BUS,
                                      .strobe = write ? 0xff : UINT64_MAX};
        b->beats.beat(b->beats.context, &beat);
    } else if (step_is(step, "running")) {
        const size_t count = flight_at(b->flight, step_number(step, 1), b->running, DEVICE_LAUNCHES);
        for (size_t i = 0; i < count; i++)
            fprintf(found, "%s%s #%d %" PRIu64 "/%" PRIu64, i ? ", " : "", nvdla_unit_names[b->running[i].unit],
                    b->running[i].ordinal, b->running[i].armed, b->running[i].start);
    } else if (step_is(step, "reset"))
        b->observer.reset(b->observer.context);
    else
        return false;
    return true;
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/flight.txt", &(struct steps_player){begin, act});
}
