/* The two register groups of a unit in each other's place. */
#ifndef TRACE_EXCHANGE_H
#define TRACE_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/program.h"

/* True if the unit has two register groups in this configuration. */
bool unit_has_groups(const struct nvdla_config *config, enum nvdla_unit unit);

/* Changes an access so that it does with the groups of these units (bit enum nvdla_unit) exchanged what it did before:
 * S_POINTER, S_STATUS, the bits of the unit in GLB's interrupt registers. False if there is no such access: a
 * comparison other than for equality with bits of two groups. */
bool exchange_groups(const struct nvdla_config *config, uint32_t units, struct op *op);

#endif
