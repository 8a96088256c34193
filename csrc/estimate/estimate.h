/* Clocks of layers without an RTL: from what a layer computes and moves (layers/), and laws of each engine, whose
 * coefficients scripts/fit.py takes from random layers that were played on the RTL.
 *
 * A layer takes start + trips x latency + fill x (beats of the first data and weights) + the norm of order `sharp` of
 * its parts, which work side by side: the unit (MAC array, or pipe of PDP or CDP; the slower of two), the pipe of SDP,
 * the reads (the slowest client, or all of them at the port), and the writes. A client that may have `credit` beats on
 * their way (of small; in proportion to dbb_latency elsewhere) reads at most credit / (latency + hold) beats a clock.
 */
#ifndef ESTIMATE_ESTIMATE_H
#define ESTIMATE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dram/config.h"
#include "layers/tracker.h"
#include "nvdla/config.h"
#include "nvdla/error.h"

enum estimate_engine {
    ESTIMATE_CONV,
    ESTIMATE_SDP,
    ESTIMATE_PDP,
    ESTIMATE_CDP,
    ESTIMATE_FUSED,
    ESTIMATE_MOVE,
    ESTIMATE_ENGINES
};

extern const char *const estimate_engine_names[ESTIMATE_ENGINES]; /* as in the laws, and in tables */

struct estimate_law {
    double start, trips, fill, sharp, unit, read, credit, hold, write, sdp;
};

struct estimate_laws {
    struct estimate_law engines[ESTIMATE_ENGINES];
};

/* What limits a layer. */
enum estimate_part {
    PART_UNIT,     /* MAC array, or pipe of PDP or CDP */
    PART_WEIGHTS,  /* reads of one client: weights */
    PART_DATA,     /* input cube */
    PART_OPERANDS, /* operands of SDP */
    PART_SDP,      /* pipe of SDP */
    PART_PORT,     /* bandwidth of the memory, reads */
    PART_WRITES,
    PART_LATENCY, /* start and first data */
    ESTIMATE_PARTS
};

extern const char *const estimate_part_names[ESTIMATE_PARTS];

/* The memory as the laws see it. */
struct estimate_memory {
    double latency; /* core clocks of a read */
    double bytes;   /* per core clock and direction, if the port is not slower */
};

struct estimate_memory estimate_memory_dram(const struct dram_config *config);

struct estimated_layer {
    const struct launch *launch; /* the one that writes its result */
    enum estimate_engine engine;
    double parts[ESTIMATE_PARTS]; /* clocks of each alone */
    double clocks;
    enum estimate_part limit;
    uint64_t macs, read_bytes, write_bytes;
};

/* The laws in the program, or those of a file in the form of csrc/estimate/laws.csv. False with a message. */
bool estimate_laws_read(const char *path, struct estimate_laws *laws, struct error *err);

/* The layers of a trace, in order of arming. Returns their number; free() the array. The launches belong to the
 * tracker. */
size_t estimate_layers(const struct layer_tracker *tracker, const struct estimate_laws *laws,
                       const struct estimate_memory *memory, struct estimated_layer **layers);

#endif
