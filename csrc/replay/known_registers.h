/* What reads of registers must give for certain: the bits that only writes of the trace change, neither time nor a
 * layer. These are of registers that exist once, what was written last, or the reset value; and of those of a group as
 * long as no layer of its unit has been armed, since a write to an armed group is lost. */
#pragma once

#include "nvdla/registers.h"

struct known_registers {
    const struct nvdla_config *config;
    uint32_t (*values)[2];        /* by place in the register map, and group */
    bool armed[NVDLA_UNIT_COUNT]; /* a layer of the unit */
};

/* The state after a reset. known_registers_free() frees it. */
void known_registers_reset(struct known_registers *known, const struct nvdla_config *config);
void known_registers_free(struct known_registers *known);

/* The device has accepted a write. */
void known_registers_write(struct known_registers *known, uint32_t address, uint32_t value);

/* The bits of a register that are known for certain; *value: theirs. */
uint32_t known_registers_look(const struct known_registers *known, uint32_t address, uint32_t *value);
