/* Clocks of the layers of a program without an RTL: the program is played on a flow of events (estimate/flow.h), which
 * has the times of report.json. */
#pragma once

#include "estimate/flow.h"
#include "trace/program.h"

enum estimate_engine {
    ESTIMATE_CONV, /* convolution and SDP */
    ESTIMATE_SDP,
    ESTIMATE_PDP,
    ESTIMATE_CDP,
    ESTIMATE_FUSED, /* PDP after SDP, perhaps after a convolution */
    ESTIMATE_MOVE,  /* BDMA, RUBIK */
    ESTIMATE_ENGINES
};

extern const char *const estimate_engine_names[ESTIMATE_ENGINES];

/* What a layer mostly spends its clocks on. */
enum estimate_limit {
    LIMIT_MACS,
    LIMIT_FILL, /* the MAC array, most of it empty: channels or kernels that are no multiple of its sides */
    LIMIT_LOAD, /* weights on their way into the MAC array, which are used for few positions */
    LIMIT_UNIT, /* the pipe of PDP or CDP, or copying */
    LIMIT_SDP,  /* the pipe of SDP */
    LIMIT_WEIGHTS,
    LIMIT_DATA,
    LIMIT_OPERANDS,
    LIMIT_WRITES,
    ESTIMATE_LIMITS
};

extern const char *const estimate_limit_names[ESTIMATE_LIMITS];

struct estimated_layer {
    enum nvdla_unit unit; /* of the launch that writes its result */
    int ordinal;
    size_t position; /* operation of the program that arms it */
    enum estimate_engine engine;
    double start, end; /* clocks since the first arming; start: its arming, or the end of the launch before */
    double clocks;     /* from start to end, as in report.json */
    enum estimate_limit limit;
    bool by_bandwidth; /* of weights, data, operands and writes: other transfers are in the way; else latency is */
    uint64_t macs, read_bytes, write_bytes;
};

struct estimate {
    struct estimated_layer *layers;
    size_t count;
    double clocks; /* from the first arming to the end of the last layer */
    uint64_t macs, read_bytes, write_bytes;
};

/* False with a message: the program does not end, or the memory cannot be opened. Free with estimate_free in any
 * case. */
bool estimate_program(const struct program *prog, const struct flow_options *options, struct estimate *estimate,
                      struct error *err);
void estimate_free(struct estimate *estimate);

/* Share of the multiplications that the array could do in those clocks, in percent. */
double estimate_use(const struct nvdla_config *config, uint64_t macs, double clocks);
