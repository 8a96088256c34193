/* Engines by what they do, and counters, from the buckets of the timeline. See events_parts.h. */
#include <inttypes.h>
#include <string.h>

#include "report/events_parts.h"
#include "report/lanes.h"

/* ---- what engines do ---- */

/* What an engine mostly does in a bucket. */
enum state { IDLE, BUSY, WAITS_BEFORE, WAITS_MEMORY };

static enum state state_of(const struct report_lane *lane, size_t bucket) {
    const uint32_t memory = lane->wait[LANE_WAITS_MEMORY][bucket],
                   wait = lane->wait[LANE_WAITS_BEFORE][bucket] + memory;
    if (lane->busy[bucket] == 0 && wait == 0)
        return IDLE;
    return wait <= lane->busy[bucket] ? BUSY : memory ? WAITS_MEMORY : WAITS_BEFORE;
}

static uint64_t bucket_start(const struct timeline *timeline, size_t bucket) {
    const uint64_t start = timeline->origin + bucket * timeline->bucket;
    return start < timeline->cycles ? start : timeline->cycles;
}

/* A slice for each run of buckets with the same state. */
static void write_engine(struct events *events, const struct report_lane *lane) {
    const struct timeline *timeline = events->timeline;
    const int track = (int)lane->engine + 1;
    char name[64];
    events_track(events, EVENTS_OCCUPANCY, track, nvdla_engines[lane->engine].lane);
    for (size_t first = 0, end; first < timeline->count; first = end) {
        const enum state state = state_of(lane, first);
        uint64_t busy = 0, wait = 0, clocks = 0;
        for (end = first; end < timeline->count && state_of(lane, end) == state; end++) {
            busy += lane->busy[end];
            wait += lane->wait[LANE_WAITS_BEFORE][end] + lane->wait[LANE_WAITS_MEMORY][end];
            clocks += timeline_clocks(timeline, end);
        }
        if (state == IDLE || clocks == 0)
            continue;
        if (state != BUSY)
            snprintf(name, sizeof name, "waits for %s",
                     state == WAITS_MEMORY ? "the memory" : nvdla_engines[lane->before].lane);
        events_slice(events, EVENTS_OCCUPANCY, track, bucket_start(timeline, first), bucket_start(timeline, end),
                     state == BUSY ? "busy" : "wait", state == BUSY ? "busy" : name);
        fprintf(events->out, ",\"busy %%\":%.1f,\"waits %%\":%.1f}}", 100 * (double)busy / (double)clocks,
                100 * (double)wait / (double)clocks);
    }
}

/* ---- counters ---- */

/* A counter of several values: their shape in the buckets, and the last ones that were written. */
struct counter {
    const char *name;
    size_t offset; /* of the first of its values in a bucket */
    double scale;
    bool write; /* clients that write, otherwise those that read */
};

/* One event for each bucket in which a value changes, with those that do. */
static void write_clients(struct events *events, const struct counter *counter) {
    const struct timeline *timeline = events->timeline;
    double last[NVDLA_CLIENT_COUNT] = {0};
    for (size_t b = 0; b <= timeline->count; b++) {
        bool open = false;
        for (int c = 0; c < NVDLA_CLIENT_COUNT; c++) {
            uint32_t sum = 0;
            const uint64_t clocks = b < timeline->count ? timeline_clocks(timeline, b) : 0;
            if (clocks > 0)
                memcpy(&sum, (const char *)&timeline->buckets[b] + counter->offset + (size_t)c * sizeof sum,
                       sizeof sum);
            const double value = clocks > 0 ? counter->scale * (double)sum / (double)clocks : 0;
            if (nvdla_clients[c].write != counter->write || value == last[c])
                continue;
            last[c] = value;
            if (!open) {
                events_begin(events, 'C', EVENTS_MEMORY, 0, bucket_start(timeline, b));
                fprintf(events->out, ",\"name\":\"%s\",\"args\":{", counter->name);
            }
            fprintf(events->out, "%s\"%s\":%.4g", open ? "," : "", nvdla_clients[c].name, value);
            open = true;
        }
        if (open)
            fputs("}}", events->out);
    }
}

/* The share of clocks in which CSC hands an atom to the MACs: its first link, that of data. */
static void write_macs(struct events *events) {
    const struct timeline *timeline = events->timeline;
    double last = 0;
    int link = 0;
    while (link < timeline->link_count && timeline->links[link].from != ENGINE_CSC)
        link++;
    if (link == timeline->link_count)
        return;
    for (size_t b = 0; b <= timeline->count; b++) {
        const uint64_t clocks = b < timeline->count ? timeline_clocks(timeline, b) : 0;
        const double value = clocks > 0 ? 100.0 * timeline->buckets[b].links[link] / (double)clocks : 0;
        if (value == last)
            continue;
        last = value;
        events_begin(events, 'C', EVENTS_MEMORY, 0, bucket_start(timeline, b));
        fprintf(events->out, ",\"name\":\"MACs in use\",\"args\":{\"%%\":%.4g}}", value);
    }
}

void events_occupancy(struct events *events) {
    static const struct counter counters[] = {
        {"read bytes a clock", offsetof(struct timeline_bucket, bytes), 1, false},
        {"write bytes a clock", offsetof(struct timeline_bucket, bytes), 1, true},
        {"reads outstanding", offsetof(struct timeline_bucket, outstanding), 1, false},
        {"writes outstanding", offsetof(struct timeline_bucket, outstanding), 1, true},
        {"read: % of clocks refused", offsetof(struct timeline_bucket, refused), 100, false},
        {"write: % of clocks refused", offsetof(struct timeline_bucket, refused), 100, true}};
    struct report_lanes lanes = report_lanes(&events->layers, events->report);
    for (size_t i = 0; i < lanes.count; i++)
        write_engine(events, &lanes.items[i]);
    report_lanes_free(&lanes);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        write_clients(events, &counters[i]);
    write_macs(events);
}
