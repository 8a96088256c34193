/* What a simulated RTL was seen doing, over time and by launch: plain data that the testbench counts
 * (tb/observers/timeline.h) and reports show. A device hands it out in its statistics where it was asked to count.
 *
 * Time, from the first arming to the last movement, is cut into buckets of equal length, a power of two of clocks,
 * which doubles when there would be more than TIMELINE_BUCKETS of them: any run fits, a short one is exact to the
 * clock, and the long standstill of one that hangs does not blur what came before it.
 */
#ifndef DEVICE_TIMELINE_H
#define DEVICE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/clients.h"
#include "nvdla/registers.h"

enum { TIMELINE_BUCKETS = 512, TIMELINE_LINKS = 16, TIMELINE_CLIENTS = 4 /* most clients that serve one unit */ };

/* Clocks of one bucket in which something is so, but for beats and accesses. */
struct timeline_bucket {
    uint32_t links[TIMELINE_LINKS];       /* something moves on the link */
    uint32_t beats[NVDLA_CLIENT_COUNT];   /* data beats of the client, both ports */
    uint32_t bytes[NVDLA_CLIENT_COUNT];   /* in them: of writes those enabled, of reads all */
    uint32_t pending[NVDLA_CLIENT_COUNT]; /* at least one request has not been answered */
    uint32_t refused[NVDLA_CLIENT_COUNT]; /* an address or data of its own is valid and the memory not ready */
    uint32_t untaken[NVDLA_CLIENT_COUNT]; /* an answer is valid and the design not ready */
    uint32_t accesses;                    /* register accesses */
    uint32_t interrupt;                   /* dla_intr is 1 */
};

/* What a client moved for a launch. */
struct timeline_traffic {
    enum nvdla_client client;
    uint64_t beats, bytes, pending, refused, untaken; /* as in struct timeline_bucket */
    uint64_t expected; /* bytes that the launch needs by its registers; 0 of BDMA, whose descriptors tell */
};

/* A launch, as layers/tracker.h numbers them. Cycles are 0 where it did not come to that. */
struct timeline_launch {
    enum nvdla_unit unit;
    int ordinal, group;
    uint64_t armed;       /* clock in which its D_OP_ENABLE (CFG_LAUNCH) was accepted */
    uint64_t first, last; /* data beats of its clients, accurate to a clock */
    /* Announced by dla_intr: its rise, or, where another unit's interrupt held it up, the last beat. Known once the
     * trace has cleared the interrupt. */
    uint64_t done;
    struct timeline_traffic traffic[TIMELINE_CLIENTS];
    int traffic_count;
};

struct timeline {
    uint64_t cycles; /* core clocks since reset */
    uint64_t origin; /* clock of the first arming, with which the first bucket begins */
    uint64_t bucket; /* clocks of a bucket */
    size_t count;    /* buckets, up to the last in which anything moved, which may be incomplete */
    struct timeline_bucket buckets[TIMELINE_BUCKETS];
    const char *const *link_names;    /* "CDMA to CBUF (data)" */
    int link_count;                   /* 0: the links of this RTL are not seen */
    struct timeline_launch *launches; /* in order of arming */
    size_t launch_count;
    int port_bytes[2]; /* data bus of primary and secondary port, 0: there is none */
};

/* Clocks of a bucket that have been counted. */
static inline uint64_t timeline_clocks(const struct timeline *timeline, size_t bucket) {
    const uint64_t start = timeline->origin + bucket * timeline->bucket;
    const uint64_t left = timeline->cycles > start ? timeline->cycles - start : 0;
    return left < timeline->bucket ? left : timeline->bucket;
}

/* The launch of that number, NULL if it was never armed. */
const struct timeline_launch *timeline_find(const struct timeline *timeline, enum nvdla_unit unit, int ordinal);

/* What a client moved for a launch, NULL if nothing was to be moved. */
const struct timeline_traffic *timeline_traffic_of(const struct timeline_launch *launch, enum nvdla_client client);

/* The end of a launch: done, else its last beat if all that it needs has moved; 0 if it did not come to its end. */
uint64_t timeline_end(const struct timeline_launch *launch);

#endif
