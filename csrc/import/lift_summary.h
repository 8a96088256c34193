/* Summary of an import. */
#pragma once

#include "nvdla/text.h"

/* Counts and lines for the summary and the comments of the trace. */
struct lift_summary {
    uint64_t writes, reads, untils; /* of the capture */
    uint64_t polls, poll_reads, waits, checks, volatile_reads;
    uint64_t operations;                  /* launches that the driver counts as layers */
    uint64_t launches, tables;            /* armed groups; uploads of look-up tables */
    uint64_t unawaited;                   /* launches after the last wait or poll */
    uint64_t memory_reads, memory_writes; /* accesses */
    uint64_t loaded_bytes, seeded_bytes, golden_bytes;
    struct words guessed;    /* lines of text: what was assumed because the capture does not say */
    struct words incomplete; /* the same: what is missing according to the capture itself */
    struct words layers;     /* one line each: place in the capture, unit, group, cubes */
    uint64_t layers_dropped; /* not listed */
};
