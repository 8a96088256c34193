/* Which launches belong to one layer. */
#pragma once

#include "layers/tracker.h"

/* The launch of `unit` that feeds `launch` in the same layer, NULL if there is none: SDP_RDMA, CDMA, CSC, CMAC_A,
 * CMAC_B and CACC for SDP, PDP_RDMA and all those of SDP for PDP, CDP_RDMA for CDP. Legal layers pair by their order:
 * the n-th launch of CACC belongs to the n-th one of SDP in flying mode, the n-th of SDP_RDMA to the n-th that reads
 * memory. Spec: 50-sdp sections 3, 4 and 11, 60-pdp section 2, 62-cdp section 1. */
const struct launch *layer_tracker_feeder(const struct layer_tracker *tracker, const struct launch *launch,
                                          enum nvdla_unit unit);

/* True if no launch continues what this one does: its layer is counted under its name. */
bool launch_ends_chain(const struct nvdla_config *config, const struct launch *launch);

/* True if the layer in SDP's registers waits for SDP_RDMA: it reads its input or operands from memory. */
bool sdp_uses_rdma(const struct registers_view *view);
