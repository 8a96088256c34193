/* What the engines do over time, from the buckets of a timeline: when they are busy, when they wait, and for whom. */
#ifndef REPORT_OCCUPANCY_H
#define REPORT_OCCUPANCY_H

#include <stdbool.h>

#include "nvdla/engines.h"
#include "report/layers.h"

/* An engine in each bucket. It is busy while it hands something on, to an engine or to memory. It waits while it has
 * work and neither takes nor gives. */
struct occupancy {
    double busy[TIMELINE_BUCKETS], wait[TIMELINE_BUCKETS]; /* shares of the clocks, 0..1 */
    const char *cause[TIMELINE_BUCKETS];                   /* for whom it waits: "the memory", "CSC"; "": unknown */
};

/* The engine must have a lane. False if nothing can be seen of it. */
bool occupancy_of(const struct report_layers *layers, const struct report *report, enum nvdla_engine engine,
                  struct occupancy *occupancy);

#endif
