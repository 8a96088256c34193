/* A layer of the convolution core in progress: CSC's loops over CMAC and CACC, from CBUF to the stream that CACC hands
 * to SDP.
 *
 * Results come in the order kernel group, output line, batch, column; one at a time is all kernels of the group at one
 * position. (The order of the hardware, stripes, Winograd tiles and pairs of batches, leaves no trace behind SDP.) What
 * is computed ahead of SDP is shared among the threads of a pool. Spec: 40-convolution-core sections 4, 6 and 9.
 */
#ifndef MODEL_CSC_RUN_H
#define MODEL_CSC_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "model/conv_streams.h"
#include "model/csc.h"
#include "model/pool.h"
#include "observe/tap.h"

/* Serves one layer after the other and keeps its memory from one to the next. */
struct csc_run;

/* pool outlives the run. multiplies: false leaves the arithmetic out, every result is 0. */
struct csc_run *csc_run_new(struct pool *pool, bool multiplies);
void csc_run_free(struct csc_run *run);

/* Starts the flow of results of a layer that can run.
 *
 * truncate  CLIP_TRUNCATE of CACC
 * client    CDMA's weight client, for weights that come while others are used; NULL if it is not served */
void csc_run_begin(struct csc_run *run, struct csc *csc, struct cdma *cdma, struct cbuf *cbuf, struct dma *client,
                   unsigned truncate);

/* Shows the accumulators before CLIP_TRUNCATE (integers only) and what CACC delivers to those who listen, kernels that
 * exist only, and what passes between CSC, CMAC and CACC; before the first result is taken. */
void csc_run_observe(struct csc_run *run, const struct tap_out *sums, const struct tap_out *results,
                     const struct conv_streams *streams);

/* The next `atoms` results of CACC: as many numbers as a full group has kernels each, integers or FP32 patterns, 0 in
 * the lanes that have no kernel; in all positions x batches x groups. */
void csc_run_next(struct csc_run *run, int32_t *results, size_t atoms);

/* Results that were clamped to 32 bits so far. */
uint64_t csc_run_saturated(const struct csc_run *run);

/* Ends the layer in CSC: csc_end(), after the weights of the last group are released. */
void csc_run_end(struct csc_run *run);

#endif
