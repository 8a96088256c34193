/* Exchanges the two register groups of a unit. */
#pragma once

#include "trace/program.h"

/* True if the unit has two register groups in this configuration. */
bool unit_has_groups(const struct nvdla_config *config, enum nvdla_unit unit);

/* Adapts an access to S_POINTER, S_STATUS or GLB's interrupt registers to exchanged groups of these units (mask of 1 <<
 * enum nvdla_unit), so that its effect stays the same. False if that is impossible: a comparison other than for
 * equality with bits of two groups. */
bool exchange_groups(const struct nvdla_config *config, uint32_t units, struct op *op);
