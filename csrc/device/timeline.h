/* Activity of a simulated RTL over time and by launch: plain data, counted by the testbench (tb/observers/timeline.h)
 * and shown in reports. If asked to count, a device has it in its statistics.
 *
 * Time, from the first arming to the last movement, is cut into buckets of equal length, a power of two of clocks,
 * which doubles when there would be more than TIMELINE_BUCKETS of them. So any run fits, a short one is exact to the
 * clock, and the long standstill of a hang does not blur what came before it. */
#pragma once

#include "device/link.h"
#include "nvdla/clients.h"
#include "nvdla/registers.h"

struct layer_tracker; /* layers/tracker.h */

enum {
    TIMELINE_BUCKETS = 2048,
    TIMELINE_LINKS = 16,
    TIMELINE_CLIENTS = 4,     /* most clients of one unit */
    TIMELINE_EVENTS = 1 << 18 /* most accesses, and most interrupts, that are kept; the rest is counted */
};

/* Number of clocks in a bucket for each condition, except for beats, bytes, accesses and outstanding bursts. */
struct timeline_bucket {
    uint32_t links[TIMELINE_LINKS];           /* something moves on the link */
    uint32_t beats[NVDLA_CLIENT_COUNT];       /* data beats of the client, both ports */
    uint32_t bytes[NVDLA_CLIENT_COUNT];       /* bytes in these beats: of writes the enabled ones, of reads all */
    uint32_t pending[NVDLA_CLIENT_COUNT];     /* at least one request is unanswered */
    uint32_t outstanding[NVDLA_CLIENT_COUNT]; /* the sum of its unanswered bursts over these clocks */
    uint32_t refused[NVDLA_CLIENT_COUNT];     /* its address or data is valid and the memory not ready */
    uint32_t untaken[NVDLA_CLIENT_COUNT];     /* an answer is valid and the design not ready */
    uint32_t accesses;                        /* register accesses */
    uint32_t interrupt;                       /* dla_intr is 1 */
};

/* Data that a client moved for a launch. */
struct timeline_traffic {
    enum nvdla_client client;
    uint64_t beats, bytes, pending, refused, untaken; /* as in struct timeline_bucket */
    uint64_t expected; /* bytes that the launch needs by its registers; 0 for BDMA, whose descriptors define it */
};

/* A launch, numbered as in layers/tracker.h. A cycle is 0 if its event did not happen. */
struct timeline_launch {
    enum nvdla_unit unit;
    int ordinal, group;
    uint64_t armed;       /* clock in which its D_OP_ENABLE (CFG_LAUNCH) was accepted */
    uint64_t first, last; /* data beats of its clients, accurate to a clock */
    /* Clock in which dla_intr announced it: its rise or, if another unit's interrupt held it up, the last beat. Known
     * once the trace has cleared the interrupt. */
    uint64_t done;
    struct timeline_traffic traffic[TIMELINE_CLIENTS];
    int traffic_count;
};

/* A register access, from the first clock of the run on; equal reads that directly follow each other (polls) are one.
 */
struct timeline_access {
    uint64_t cycle, last; /* clocks in which it was accepted or answered: the first, the last of equal ones */
    uint32_t address, value, count;
    bool write;
};

/* A time in which dla_intr is 1. */
struct timeline_interrupt {
    uint64_t rise, fall; /* clocks; fall: the first with 0, 0 if there is none */
    uint32_t bits;       /* of S_INTR_STATUS that the trace cleared in this time */
};

struct timeline {
    uint64_t cycles; /* core clocks since reset */
    uint64_t origin; /* clock of the first arming, where the first bucket begins */
    uint64_t bucket; /* clocks of a bucket */
    size_t count;    /* buckets, up to the last with any movement, which may be incomplete */
    struct timeline_bucket buckets[TIMELINE_BUCKETS];
    const struct link_facts *links;   /* TIMELINE_LINKS at most */
    int link_count;                   /* 0: the links of this RTL are not visible */
    struct timeline_launch *launches; /* in order of arming */
    size_t launch_count;
    struct timeline_access *accesses;
    size_t access_count;
    uint64_t accesses_dropped; /* after TIMELINE_EVENTS of them */
    struct timeline_interrupt *interrupts;
    size_t interrupt_count;
    uint64_t interrupts_dropped;
    const struct layer_tracker *tracker; /* the launches with their registers; tag: the clock of arming */
    int port_bytes[2];                   /* data bus of primary and secondary port, 0: absent */
};

/* Counted clocks of a bucket. */
static inline uint64_t timeline_clocks(const struct timeline *timeline, size_t bucket) {
    const uint64_t start = timeline->origin + bucket * timeline->bucket;
    const uint64_t left = timeline->cycles > start ? timeline->cycles - start : 0;
    return left < timeline->bucket ? left : timeline->bucket;
}

/* What a client moved for a launch, NULL if there was nothing to move. */
const struct timeline_traffic *timeline_traffic_of(const struct timeline_launch *launch, enum nvdla_client client);

/* The end of a launch: its interrupt, otherwise its last beat if all its data has moved; 0 if it did not end. */
uint64_t timeline_end(const struct timeline_launch *launch);
