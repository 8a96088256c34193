/* Networks x configurations x memories, estimated; chosen points also measured on the RTL. */
#ifndef RUN_ESTIMATE_SWEEP_H
#define RUN_ESTIMATE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "estimate/laws.h"
#include "nvdla/error.h"
#include "nvdla/text.h"

struct sweep_options {
    struct words networks, configs, memories; /* configs empty: that of each network */
    struct words measure;                     /* numbers of points from 1, as the table shows them, or "all" */
    struct estimate_laws laws;
    double mhz;
    bool plan;              /* run/estimate/plan.h */
    const char *csv, *html; /* files; NULL: none */
};

struct sweep_point {
    const char *network, *config, *memory;
    char own[32];                      /* configuration, if it is that of the network */
    double clocks, measured, mhz, use; /* measured: 0 if not; use: of the MAC array, in percent */
    uint64_t macs, read_bytes, write_bytes;
    char limit[32]; /* what limits the layers with most of the clocks, and their share */
    double share;
};

/* Estimates and measures all points, prints the table, writes the files. False with a message. */
bool sweep_run(const struct sweep_options *options, struct error *err);

/* Writes the page. */
void sweep_page(FILE *out, const struct sweep_point *points, size_t count);

#endif
