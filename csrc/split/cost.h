/* How many clocks launches are expected to take, out of their registers. */
#ifndef SPLIT_COST_H
#define SPLIT_COST_H

#include <stdint.h>

#include "layers/tracker.h"

/* Of one launch while nothing keeps it waiting; a layer takes as long as the slowest of its launches, and
 * LAYER_CLOCKS for beginning and end. */
uint64_t launch_clocks(const struct nvdla_config *config, const struct launch *launch);

enum { LAYER_CLOCKS = 200 };

#endif
