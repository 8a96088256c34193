/* What a diagnosis of a log says. */
#pragma once

#include "doctor/driver_log.h"
#include "nvdla/text.h"

enum verdict { VERDICT_HANG, VERDICT_DATA, VERDICT_GOOD, VERDICT_ERROR, VERDICT_UNKNOWN };
enum certainty { CERTAIN, LIKELY, POSSIBLE };

struct likely_cause {
    enum cause cause;
    enum certainty certainty;
    struct words evidence; /* lines of text */
};

struct log_diagnosis {
    enum verdict verdict;
    unsigned mixed_tasks; /* lines of so many cannot be told apart; 0: they can */
    int task;             /* number in the loadable, or of the log's tasks since the probe; LOG_NONE: unknown */
    int layer;            /* operation in its task, LOG_NONE */
    char *name;           /* of the layer; NULL: there is none */
    const char *engine;
    struct words armed, due, notes; /* "SDP 4"; events that must come; what else the log shows */
    uint64_t least_clocks;          /* of the layer; 0: unknown */
    uint64_t estimated_clocks;      /* of the layer on the RTL and those it feeds directly; 0: unknown */
    size_t cause_count;
    struct likely_cause causes[CAUSE_COUNT];
};
