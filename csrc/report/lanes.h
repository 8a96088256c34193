/* What the engines do over time, from the buckets of a timeline: when they are busy, when they wait, and for whom. The
 * one source of report.json's timeline, which the page draws, and of the trace events. */
#pragma once

#include "nvdla/engines.h"
#include "report/layers.h"

/* An engine in each bucket, in clocks. It is busy while it hands something on, to an engine or to memory. It waits
 * while it has work and neither takes nor gives. */
struct report_lane {
    enum nvdla_engine engine;
    enum nvdla_engine before; /* hands on to it; ENGINE_COUNT: none */
    uint32_t busy[TIMELINE_BUCKETS];
    uint32_t wait[2][TIMELINE_BUCKETS]; /* for the engine before it, for the memory: never both in a bucket */
};

enum { LANE_WAITS_BEFORE, LANE_WAITS_MEMORY };

struct report_lanes {
    struct report_lane *items; /* of the engines of which something can be seen, in the order of the data path */
    size_t count;
};

/* The layers need a timeline. */
struct report_lanes report_lanes(const struct report_layers *layers, const struct report *report);
void report_lanes_free(struct report_lanes *lanes);
