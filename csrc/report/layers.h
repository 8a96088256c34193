/* The layers of a run and their costs: clocks, MAC utilisation, memory traffic of each client. A layer is a launch that
 * ends a chain: of SDP (unless it feeds PDP), PDP, CDP, BDMA or RUBIK, with the launches that feed it
 * (report_feeders). */
#pragma once

#include "device/activity.h"
#include "device/timeline.h"
#include "report/outcome.h"

struct report_layer {
    const struct launch *launch;
    const struct launch *feeders[REPORT_FEEDERS];
    int feeder_count;
    uint64_t macs;                         /* multiplications of its convolution */
    uint64_t expected[NVDLA_CLIENT_COUNT]; /* bytes requested by its registers, by client; BDMA: 0 */
    uint64_t wrong;                        /* bytes of its output that differ; at a wrong beat: of that */
    /* The rest is from the RTL's timeline, 0 without one. */
    bool counted;
    uint64_t start;  /* span of its launch */
    uint64_t end;    /* 0: not reached */
    uint64_t clocks; /* end - start; 0 if it has no end */
    uint64_t read_bytes, write_bytes;
    struct timeline_traffic traffic[NVDLA_CLIENT_COUNT];
};

/* When a launch ran by the timeline. Those of a unit do not overlap. */
struct report_span {
    uint64_t start; /* arming, or end of the unit's previous launch if later */
    uint64_t end;   /* its own, or that of the layer it feeds; 0: not reached */
};

struct report_layers {
    struct report_layer *items; /* in order of arming */
    size_t count;
    const struct timeline *timeline;    /* of the RTL, NULL: not counted */
    struct report_span *spans;          /* of timeline->launches */
    size_t *places;                     /* indices into timeline->launches, by unit and ordinal */
    size_t first[NVDLA_UNIT_COUNT + 1]; /* index into places of a unit's first launch */
    const struct activity *activity;    /* of the RTL's parts, over activity_clocks; NULL: not counted */
    uint64_t activity_clocks;
};

struct report_layers report_layers(const struct report *report);
void report_layers_free(struct report_layers *layers);

/* A launch in the timeline, and its span; NULL if the timeline does not have it. */
const struct timeline_launch *report_layer_counted(const struct report_layers *layers, const struct launch *launch);
const struct report_span *report_layer_span(const struct report_layers *layers, const struct launch *launch);

/* MAC utilisation of the layer, 0..1, for an RTL with atomic_c * atomic_k multiplications a clock; 0 if unknown or
 * without multiplications. */
double report_layer_utilisation(const struct report *report, const struct report_layer *layer);

/* "convolution + SDP + PDP": the parts of a layer. Returns text. */
char *report_layer_kind(const struct report_layer *layer, char *text, size_t size);
