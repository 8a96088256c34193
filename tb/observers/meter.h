/* Measures the share of the design's own evaluation in a simulator's time: times every 31st clock, without the
 * testbench's time to put inputs. */
#pragma once

#include "tb/simulator.h"

struct meter {
    struct clock_source inner;
    unsigned countdown;
    void (*put_inputs)(void *arg); /* of the clock being measured */
    void *put_arg;
    uint64_t put_ns;
    double overhead_ns; /* of one reading of the timer */
    double eval_ns;     /* sum over samples */
    uint64_t samples;
};

/* CPU time of this process, seconds. */
double meter_cpu_seconds(void);

/* A clock that calls inner and measures it. meter outlives it. */
struct clock_source meter_wrap(struct meter *meter, struct clock_source inner);

/* Share of the design's evaluation, 0..1, in the `cpu_seconds` spent on `clocks`; 0 if too little was measured or other
 * programs disturbed it. */
double meter_share(const struct meter *meter, uint64_t clocks, double cpu_seconds);
