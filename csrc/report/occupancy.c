/* What engines do over time; see occupancy.h. */
#include "report/occupancy.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

/* True if a client works for the engine: CDMA's, SDP's with those of SDP_RDMA. */
static bool serves(enum nvdla_client client, enum nvdla_engine engine) {
    return strcmp(nvdla_engines[nvdla_clients[client].engine].folder, nvdla_engines[engine].folder) == 0;
}

/* The clocks of each bucket in which a launch of the unit had started and was not done, as a share. An engine's part of
 * a layer ends before the layer does: with the last that moves at the engine. Not so in a layer that hangs. */
static void add_work(const struct report_layers *layers, const struct report *report, enum nvdla_unit unit,
                     const double *moves, double *work) {
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
            if (to > from)
                work[b] += (double)(to - from) / (double)(high - low);
        }
    }
}

/* What is seen of an engine in a bucket, as shares of its clocks. */
struct glance {
    double out, in;     /* it hands something on, it is given something */
    bool memory;        /* it has asked the memory for more than it got, or was refused */
    const char *before; /* the engine that hands on to it, NULL: none */
};

static double share_of(uint64_t clocks, uint64_t all) {
    return clocks < all ? (double)clocks / (double)all : 1;
}

/* What links and clients are to an engine. */
struct neighbours {
    struct neighbour {
        bool out, in;
        const char *before; /* of a link to it: the engine at the other end, NULL: none */
    } links[TIMELINE_LINKS];
    bool serves[NVDLA_CLIENT_COUNT];
};

static bool same_lane(enum nvdla_engine a, enum nvdla_engine b) {
    return strcmp(nvdla_engines[a].folder, nvdla_engines[b].folder) == 0;
}

static void find_neighbours(const struct timeline *timeline, enum nvdla_engine engine, struct neighbours *neighbours) {
    *neighbours = (struct neighbours){0};
    for (int i = 0; i < timeline->link_count; i++) {
        struct neighbour *link = &neighbours->links[i];
        link->out = same_lane(timeline->links[i].from, engine);
        link->in = same_lane(timeline->links[i].to, engine);
        for (int e = 0; link->in && e < ENGINE_COUNT; e++)
            if (nvdla_engines[e].lane && same_lane((enum nvdla_engine)e, timeline->links[i].from))
                link->before = nvdla_engines[e].lane;
    }
    for (int c = 0; c < NVDLA_CLIENT_COUNT; c++)
        neighbours->serves[c] = serves((enum nvdla_client)c, engine);
}

static struct glance look_at_bucket(const struct timeline *timeline, size_t index,
                                    const struct neighbours *neighbours) {
    const struct timeline_bucket *bucket = &timeline->buckets[index];
    const uint64_t clocks = timeline_clocks(timeline, index);
    struct glance now = {0};
    bool gives = timeline->link_count > 0;
    for (int i = 0; i < timeline->link_count; i++) {
        const struct neighbour *link = &neighbours->links[i];
        const double moved = share_of(bucket->links[i], clocks);
        if (link->out)
            now.out = moved > now.out ? moved : now.out;
        if (link->in)
            now.in = moved > now.in ? moved : now.in;
        now.before = link->before ? link->before : now.before;
    }
    for (int c = 0; c < NVDLA_CLIENT_COUNT; c++) {
        if (!neighbours->serves[c])
            continue;
        const double moved = share_of(bucket->beats[c], clocks);
        gives = gives || nvdla_clients[c].write;
        if (nvdla_clients[c].write) {
            now.out = moved > now.out ? moved : now.out;
            now.memory = now.memory || bucket->refused[c] > 0;
        } else {
            now.in = moved > now.in ? moved : now.in;
            now.memory = now.memory || bucket->pending[c] > bucket->beats[c];
        }
    }
    if (!gives)
        now.out = now.in;
    return now;
}

bool occupancy_of(const struct report_layers *layers, const struct report *report, enum nvdla_engine engine,
                  struct occupancy *occupancy) {
    const struct timeline *timeline = layers->timeline;
    double *work = xcalloc(timeline->count, sizeof *work), *moves = xcalloc(timeline->count, sizeof *moves);
    bool seen = false, gives = false;
    struct neighbours neighbours;
    find_neighbours(timeline, engine, &neighbours);
    for (size_t b = 0; b < timeline->count; b++) {
        const struct glance now = look_at_bucket(timeline, b, &neighbours);
        occupancy->busy[b] = now.out;
        occupancy->wait[b] = 0;
        gives = gives || now.out > 0;
        moves[b] = now.out > now.in ? now.out : now.in;
        occupancy->cause[b] = now.memory ? "the memory" : now.before ? now.before : "";
    }
    add_work(layers, report, nvdla_engines[engine].lane_unit, moves, work);
    for (size_t b = 0; b < timeline->count; b++) {
        const double share = work[b] < 1 ? work[b] : 1;
        if (occupancy->cause[b][0] && share > moves[b]) /* without a cause of waiting it has not begun */
            occupancy->wait[b] = share - moves[b];
        seen = seen || moves[b] > 0 || occupancy->wait[b] > 0;
    }
    free(work);
    free(moves);
    /* Where only ports are seen, what hands on to another engine looks idle however busy it is. */
    return seen && (gives || timeline->link_count > 0);
}
