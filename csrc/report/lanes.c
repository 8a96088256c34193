/* What engines do over time; see lanes.h. */
#include "report/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

/* Engines with one folder share a lane: CDMA's weights and data, SDP and SDP_RDMA. */
static bool same_lane(enum nvdla_engine a, enum nvdla_engine b) {
    return strcmp(nvdla_engines[a].folder, nvdla_engines[b].folder) == 0;
}

/* The engine that has the lane of this one. */
static enum nvdla_engine lane_of(enum nvdla_engine engine) {
    for (int e = 0; e < ENGINE_COUNT; e++)
        if (nvdla_engines[e].lane && same_lane((enum nvdla_engine)e, engine))
            return (enum nvdla_engine)e;
    return ENGINE_COUNT;
}

/* The clocks of each bucket in which a launch of the unit had started and was not done. An engine's part of a layer
 * ends before the layer does: with the last that moves at the engine. Not so in a layer that hangs. */
static void add_work(const struct report_layers *layers, const struct report *report, enum nvdla_unit unit,
                     const uint32_t *moves, uint64_t *work) {
    const struct timeline *timeline = layers->timeline;
    for (size_t n = layers->first[unit]; n < layers->first[unit + 1]; n++) {
        const uint64_t start = layers->spans[layers->places[n]].start, end = layers->spans[layers->places[n]].end;
        const size_t first = start > timeline->origin ? (size_t)((start - timeline->origin) / timeline->bucket) : 0;
        size_t last = timeline->count;
        if (end) {
            const uint64_t after = end > timeline->origin ? (end - timeline->origin) / timeline->bucket + 1 : 0;
            last = after < last ? (size_t)after : last;
        }
        if (end || report->status != REPORT_HUNG)
            while (last > first && moves[last - 1] == 0)
                last--;
        for (size_t b = first; b < last; b++) {
            const uint64_t low = timeline->origin + b * timeline->bucket, high = low + timeline_clocks(timeline, b);
            const uint64_t from = start > low ? start : low, to = end && end < high ? end : high;
            work[b] += to > from ? to - from : 0;
        }
    }
}

/* What links and clients are to an engine. */
struct neighbours {
    bool out[TIMELINE_LINKS], in[TIMELINE_LINKS];
    bool serves[NVDLA_CLIENT_COUNT];
    bool gives; /* it has a link, or a client that writes; else it is busy while it is given something */
};

static struct neighbours neighbours_of(const struct timeline *timeline, struct report_lane *lane) {
    struct neighbours neighbours = {.gives = timeline->link_count > 0};
    for (int i = 0; i < timeline->link_count; i++) {
        neighbours.out[i] = same_lane(timeline->links[i].from, lane->engine);
        neighbours.in[i] = same_lane(timeline->links[i].to, lane->engine);
        if (neighbours.in[i])
            lane->before = lane_of(timeline->links[i].from);
    }
    for (int c = 0; c < NVDLA_CLIENT_COUNT; c++) {
        neighbours.serves[c] = same_lane(nvdla_clients[c].engine, lane->engine);
        neighbours.gives = neighbours.gives || (neighbours.serves[c] && nvdla_clients[c].write);
    }
    return neighbours;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* What is seen of an engine in a bucket, in clocks. */
struct glance {
    uint32_t out, in; /* it hands something on, it is given something */
    bool memory;      /* it has asked the memory for more than it got, or was refused */
};

static struct glance look_at_bucket(const struct timeline *timeline, size_t index,
                                    const struct neighbours *neighbours) {
    const struct timeline_bucket *bucket = &timeline->buckets[index];
    const uint32_t clocks = (uint32_t)timeline_clocks(timeline, index);
    struct glance now = {0};
    for (int i = 0; i < timeline->link_count; i++) {
        now.out = neighbours->out[i] ? larger(now.out, bucket->links[i]) : now.out;
        now.in = neighbours->in[i] ? larger(now.in, bucket->links[i]) : now.in;
    }
    for (int c = 0; c < NVDLA_CLIENT_COUNT; c++) {
        if (!neighbours->serves[c])
            continue;
        if (nvdla_clients[c].write) {
            now.out = larger(now.out, bucket->beats[c]);
            now.memory = now.memory || bucket->refused[c] > 0;
        } else {
            now.in = larger(now.in, bucket->beats[c]);
            now.memory = now.memory || bucket->pending[c] > bucket->beats[c];
        }
    }
    now.out = now.out < clocks ? now.out : clocks; /* two ports have two beats a clock */
    now.in = now.in < clocks ? now.in : clocks;
    if (!neighbours->gives)
        now.out = now.in;
    return now;
}

/* Fills a lane whose engine is known; false if nothing can be seen of it. */
static bool fill(struct report_lane *lane, const struct report_layers *layers, const struct report *report) {
    const struct timeline *timeline = layers->timeline;
    const struct neighbours neighbours = neighbours_of(timeline, lane);
    autofree uint64_t *work = xcalloc(timeline->count, sizeof *work);
    autofree uint32_t *moves = xcalloc(timeline->count, sizeof *moves);
    bool *memory = xcalloc(timeline->count, sizeof *memory), seen = false, gives = false;
    for (size_t b = 0; b < timeline->count; b++) {
        const struct glance now = look_at_bucket(timeline, b, &neighbours);
        lane->busy[b] = now.out;
        memory[b] = now.memory;
        moves[b] = larger(now.out, now.in);
        gives = gives || now.out > 0;
        seen = seen || moves[b] > 0;
    }
    add_work(layers, report, nvdla_engines[lane->engine].lane_unit, moves, work);
    for (size_t b = 0; b < timeline->count; b++) {
        const uint64_t clocks = timeline_clocks(timeline, b), had = work[b] < clocks ? work[b] : clocks;
        if (had <= moves[b] || (!memory[b] && lane->before == ENGINE_COUNT)) /* without a cause it has not begun */
            continue;
        lane->wait[memory[b] ? LANE_WAITS_MEMORY : LANE_WAITS_BEFORE][b] = (uint32_t)had - moves[b];
        seen = true;
    }
    free(memory);
    /* Where only ports are seen, what hands on to another engine looks idle however busy it is. */
    return seen && (gives || timeline->link_count > 0);
}

struct report_lanes report_lanes(const struct report_layers *layers, const struct report *report) {
    struct report_lanes lanes = {.items = xcalloc(ENGINE_COUNT, sizeof *lanes.items)};
    for (int engine = 0; engine < ENGINE_COUNT; engine++) {
        struct report_lane *lane = &lanes.items[lanes.count];
        if (!nvdla_engines[engine].lane)
            continue;
        memset(lane, 0, sizeof *lane);
        lane->engine = (enum nvdla_engine)engine;
        lane->before = ENGINE_COUNT;
        lanes.count += fill(lane, layers, report);
    }
    return lanes;
}

void report_lanes_free(struct report_lanes *lanes) {
    free(lanes->items);
    lanes->items = NULL;
    lanes->count = 0;
}
