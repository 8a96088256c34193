/* A layer of the convolution core in progress: CSC's loops over CMAC and CACC, from CBUF to CACC's stream into SDP.
 *
 * Results come in the order kernel group, output line, batch, column; a result is all kernels of the group at one
 * position. (The hardware's order, with stripes, Winograd tiles and pairs of batches, is not visible after SDP.) The
 * threads of a pool share the work of computing ahead of SDP. Spec: 40-convolution-core sections 4, 6 and 9. */
#pragma once

#include "model/conv_streams.h"
#include "model/csc.h"
#include "model/pool.h"
#include "observe/tap.h"

/* Serves one layer after the other and reuses its memory. */
struct csc_run;

/* pool must outlive the run. multiplies: false skips the arithmetic, every result is 0. */
struct csc_run *csc_run_new(struct thread_pool *pool, bool multiplies);
void csc_run_free(struct csc_run *run);

/* Starts the results of a layer that can run.
 *
 * truncate  CLIP_TRUNCATE of CACC client    CDMA's weight client, for weights that arrive while others are in use; NULL
 * if it is not served */
void csc_run_begin(struct csc_run *run, struct csc *csc, struct cdma *cdma, struct cbuf *cbuf, struct dma *client,
                   unsigned truncate);

/* Sends the accumulators before CLIP_TRUNCATE (integers only), CACC's results and the streams between CSC, CMAC and
 * CACC to listeners, for existing kernels only; call it before the first result is taken. */
void csc_run_observe(struct csc_run *run, const struct tap_out *sums, const struct tap_out *results,
                     const struct conv_streams *streams);

/* The next `atoms` results of CACC: for each, as many integers or FP32 patterns as a full group has kernels, 0 in lanes
 * without kernel. In total there are positions x batches x groups results. */
void csc_run_next(struct csc_run *run, int32_t *results, size_t atoms);

/* Results clamped to 32 bits so far. */
uint64_t csc_run_saturated(const struct csc_run *run);

/* Ends the layer in CSC: csc_end(), after releasing the weights of the last group. */
void csc_run_end(struct csc_run *run);
