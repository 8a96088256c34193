/* What a launch moves over the memory ports and computes. */
#ifndef LAYERS_TRAFFIC_H
#define LAYERS_TRAFFIC_H

#include "layers/tracker.h"

/* Atoms that the launch moves on one AXI ID of chapter 70 section 3 (reads: SDP_RDMA 1, 5, 6, 7; PDP_RDMA 2; CDP_RDMA
 * 3; CDMA 8 data, 9 weights with WMB and WGS; writes: SDP 1, PDP 2, CDP 3; both: RUBIK 4). 0 if the client is idle in
 * this launch. BDMA: 0, its descriptors choose a memory each. */
uint64_t launch_atoms(const struct nvdla_config *config, const struct launch *launch, int axi_id, bool write);

/* Multiplications that the layer of a CSC launch needs: output positions x kernels x channels x kernel size, without
 * what padding or partial groups add. Winograd layers count as the direct convolution on 4x4 tiles that the hardware
 * does. 0 for other units. Spec: 40-convolution-core section 10. */
uint64_t launch_macs(const struct launch *launch);

#endif
