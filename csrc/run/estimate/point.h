/* What estimates are made of: a network or trace, a configuration, a memory. */
#pragma once

#include "estimate/estimate.h"
#include "trace/formats.h"

/* A memory: "ddr4-2400[,KEY=VALUE...]", a file of one, or "latency=N", "bandwidth=PERMILLE", "gbs=GIGABYTES" and
 * "reads=N" with commas: a read latency in core clocks; data beats a thousand clocks, or gigabytes a second, reads and
 * writes together; beats that may be read at a time. */
struct point_memory {
    char name[96];
    double latency, bandwidth, gigabytes; /* bandwidth: beats a clock; gigabytes: 0, or instead of it */
    uint32_t reads;                       /* beats in flight; 0: no limit */
    struct dram_config dram;              /* name "": none */
};

/* False with a message. */
bool point_memory_read(const char *text, struct point_memory *memory, struct error *err);

/* Core clock in MHz: `mhz`, or if that is 0 the DRAM's, or 1000. */
double point_mhz(const struct point_memory *memory, double mhz);

/* A trace or network on a configuration. It must not move. */
struct point {
    const char *path;
    bool plan;
    const struct nvdla_config *config;
    struct nvdla_config as_given; /* with the text as its name */
    struct program *program; /* of a network with pictures of zeros, for clocks do not depend on data; plan: NULL */
};

/* Opens it. config: its text, or NULL: that of the trace; what was compiled for other atoms is refused. plan:
 * it is planned (run/estimate/plan.h). False with a message; point_close() it in any case. */
bool point_open(const char *path, const char *config, bool plan, const struct trace_options *trace, struct point *point,
                struct error *err);
void point_close(struct point *point);

/* Its clocks with that memory. As estimate_program(). */
bool point_estimate(const struct point *point, const struct point_memory *memory, const struct estimate_laws *laws,
                    const struct traffic_options *traffic, double mhz, struct estimate *estimate, struct error *err);

/* Bytes that the memory moves in a core clock. */
double point_bytes(const struct nvdla_config *config, const struct point_memory *memory, double mhz);
