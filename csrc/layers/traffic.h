/* What a launch moves over the memory ports and computes. */
#ifndef LAYERS_TRAFFIC_H
#define LAYERS_TRAFFIC_H

#include "layers/tracker.h"
#include "nvdla/clients.h"

/* Atoms that a memory client moves for the launch; weights with WMB and WGS. 0 if the client is idle in this launch or
 * serves another unit. BDMA: 0, its descriptors choose a memory each. */
uint64_t launch_atoms(const struct nvdla_config *config, const struct launch *launch, enum nvdla_client client);

/* Multiplications that the layer of a CSC launch needs: output positions x kernels x channels x kernel size, without
 * what padding or partial groups add. Winograd layers count as the direct convolution on 4x4 tiles that the hardware
 * does. 0 for other units. Spec: 40-convolution-core section 10. */
uint64_t launch_macs(const struct launch *launch);

/* Beats of the memory ports that a launch moves at least, both directions. */
uint64_t launch_beats(const struct nvdla_config *config, const struct launch *launch);

/* What a simulator has to do for these beats, in clocks: one for a beat that is read, two for one that is written (0.8
 * and 2 times what a clock of `small` takes, over its conformance traces). */
uint64_t launch_work(const struct nvdla_config *config, const struct launch *launch);

/* Clocks that a launch takes at least, while nothing keeps it waiting: by what the memory port, and the MAC array or
 * the pipe of its unit, can do in a clock; what is idle in groups that are not full counts. A layer takes as long as
 * the slowest of its launches. */
uint64_t launch_clocks(const struct nvdla_config *config, const struct launch *launch);

#endif
