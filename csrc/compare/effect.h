/* Registers whose value cannot matter in a launch: settings of what is bypassed, disabled or not used. Spec: the
 * register tables of the chapters 30 to 66. A register that is not in the table counts as mattering. */
#pragma once

#include "layers/tracker.h"

/* Why a field of a register has no effect in a launch ("BS_BYPASS=1"), NULL: it can have one. */
const char *field_without_effect(const struct nvdla_config *config, const struct launch *launch,
                                 const struct nvdla_register *reg, const struct nvdla_field *field);
