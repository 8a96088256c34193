/* SDP and SDP_RDMA at work: single-point operations on cubes from memory or on sums from CACC, to memory or to PDP.
 *
 * The engine works on whole lines of atoms: input line -> BS -> BN -> EW and table -> output convertor -> output line.
 * All lanes of all atoms are processed, including those beyond the channel count. Spec: 50-sdp. */
#pragma once

#include "model/dma.h"
#include "model/sdp_layer.h"
#include "model/sdp_table.h"
#include "nvdla/fp.h"
#include "observe/tap.h"

/* A layer in progress. */
struct sdp_run;

/* A layer's streams, see enum tap. */
struct sdp_taps {
    struct tap_out input, ew_alu, ew_mul, table_in, table_out, convertor, output;
    struct tap_out stage[SDP_STAGES]; /* after each stage; EW's is not used */
};

/* Where a layer reads and writes; only members that it uses are valid. */
struct sdp_clients {
    struct dma main, operands[SDP_STAGES], output;
    /* Flying layers: the next `atoms` results of CACC in the order surface, line, batch, column, each with the layer's
     * lanes: integers or FP32 patterns. */
    void (*results)(void *context, int32_t *results, size_t atoms);
    void *context;
    const struct lut_entries *table;
    struct sdp_taps taps;
};

/* Counts of a layer for the status registers. */
struct sdp_result {
    uint64_t saturated;         /* lanes flagged by the convertor */
    struct fp16_specials input; /* of FP16 input, if the layer counts them */
    uint64_t nan_outputs;       /* of FP16 output to memory */
    struct sdp_table_counters table;
    bool unequal; /* any output byte that was not zero */
};

/* Starts a valid layer. clients must outlive the run. */
struct sdp_run *sdp_run_new(const struct sdp_layer *layer, struct sdp_clients *clients);
void sdp_run_free(struct sdp_run *run);

/* Computes the next line of a layer of one batch in processing order (surface, line): layer width * lanes elements at
 * out, in the output precision. At most height * surfaces calls. */
void sdp_run_line(struct sdp_run *run, uint8_t *out);

/* Runs a whole layer whose destination is memory. */
void sdp_run_to_memory(struct sdp_run *run);

/* Counts of the lines so far. */
struct sdp_result sdp_run_result(const struct sdp_run *run);
