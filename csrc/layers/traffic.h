/* What a launch moves over the memory ports and computes. */
#pragma once

#include "layers/tracker.h"
#include "nvdla/clients.h"

/* Atoms that a memory client moves for the launch; weights include WMB and WGS. 0 if the client is idle in this launch
 * or serves another unit. BDMA: 0, because each descriptor chooses its memory. */
uint64_t launch_atoms(const struct nvdla_config *config, const struct launch *launch, enum nvdla_client client);

/* Multiplications that the layer of a CSC launch needs: output positions x kernels x channels x kernel size, without
 * padding and partial groups. Winograd layers count as direct convolution on 4x4 tiles. 0 for other units. Spec:
 * 40-convolution-core section 10. */
uint64_t launch_macs(const struct launch *launch);

/* Least number of beats that a launch moves over the memory ports, both directions. */
uint64_t launch_beats(const struct nvdla_config *config, const struct launch *launch);

/* Simulation effort of these beats, in clocks: 1 for a read, 2 for a write (measured: 0.8 and 2 clocks of `small`, over
 * its conformance traces). */
uint64_t launch_work(const struct nvdla_config *config, const struct launch *launch);

/* Least number of clocks of a launch that never waits, given what the memory port and the MAC array or the pipe of its
 * unit can do per clock, including idle lanes of groups that are not full. A layer takes as long as its slowest
 * launch. */
uint64_t launch_clocks(const struct nvdla_config *config, const struct launch *launch);
