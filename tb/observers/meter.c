/* Times the design's evaluation between the testbench and the simulator's clock; see meter.h. */
#include "tb/observers/meter.h"

#include <time.h>

enum {
    SAMPLE_INTERVAL = 31, /* clocks between two measured ones; a prime, so that periodic traffic is sampled evenly */
    SAMPLES_NEEDED = 100, /* fewer say nothing about the whole run */
    SAMPLE_LIMIT_NS = 500000, /* a longer one was interrupted by the operating system */
    TIMER_READS = 3,          /* in a measured interval */
};

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

double meter_cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void put_measured(void *arg) {
    struct meter *meter = arg;
    const uint64_t start = now_ns();
    meter->put_inputs(meter->put_arg);
    meter->put_ns = now_ns() - start;
}

static void clock_measured(void *context, void (*put_inputs)(void *arg), void *arg) {
    struct meter *meter = context;
    if (--meter->countdown) {
        meter->inner.clock(meter->inner.context, put_inputs, arg);
        return;
    }
    meter->countdown = SAMPLE_INTERVAL;
    meter->put_inputs = put_inputs;
    meter->put_arg = arg;
    const uint64_t start = now_ns();
    meter->inner.clock(meter->inner.context, put_measured, meter);
    const uint64_t ns = now_ns() - start - meter->put_ns;
    if (ns < SAMPLE_LIMIT_NS) {
        meter->eval_ns += (double)ns - TIMER_READS * meter->overhead_ns;
        meter->samples++;
    }
}

struct clock_source meter_wrap(struct meter *meter, struct clock_source inner) {
    *meter = (struct meter){.inner = inner, .countdown = SAMPLE_INTERVAL};
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 64; i++) {
        const uint64_t start = now_ns();
        for (int k = 0; k < 16; k++)
            now_ns();
        const uint64_t ns = now_ns() - start;
        best = ns < best ? ns : best;
    }
    meter->overhead_ns = (double)best / 17;
    return (struct clock_source){clock_measured, meter};
}

double meter_share(const struct meter *meter, uint64_t clocks, double cpu_seconds) {
    if (meter->samples < SAMPLES_NEEDED || cpu_seconds <= 0)
        return 0;
    const double share = 1e-9 * meter->eval_ns / (double)meter->samples * (double)clocks / cpu_seconds;
    return share > 1 ? 0 : share; /* over 1: the samples took longer than the run */
}
