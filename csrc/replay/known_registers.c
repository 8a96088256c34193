/* Keeps what was written. See known_registers.h. */
#include "replay/known_registers.h"

#include <stdlib.h>

#include "layers/tracker.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"

void known_registers_reset(struct known_registers *known, const struct nvdla_config *config) {
    const struct nvdla_register_map *map = &nvdla_register_maps[config->map];
    *known = (struct known_registers){.config = config, .values = xcalloc(map->count, sizeof *known->values)};
    for (size_t i = 0; i < map->count; i++)
        known->values[i][0] = known->values[i][1] = map->registers[i].reset;
}

void known_registers_free(struct known_registers *known) {
    free(known->values);
    known->values = NULL;
}

static size_t place_of(const struct known_registers *known, const struct nvdla_register *reg) {
    return (size_t)(reg - nvdla_register_maps[known->config->map].registers);
}

/* The group that accesses to a register of a group reach. */
static int group_of(const struct known_registers *known, const struct nvdla_register *reg) {
    const struct nvdla_register *pointer =
        reg->grouped ? nvdla_register_find(known->config, reg->unit, "S_POINTER") : NULL;
    return pointer ? (int)(known->values[place_of(known, pointer)][0] & CACC_S_POINTER__PRODUCER_MASK) : 0;
}

void known_registers_write(struct known_registers *known, uint32_t address, uint32_t value) {
    const struct nvdla_register *reg = nvdla_register_at(known->config, address);
    if (!reg)
        return;
    uint32_t *kept = &known->values[place_of(known, reg)][group_of(known, reg)];
    const uint32_t mask = nvdla_stored_mask(known->config, reg);
    *kept = (*kept & ~mask) | (value & mask);
    if (register_write_arms(known->config, address, value))
        known->armed[reg->unit] = true;
}

uint32_t known_registers_look(const struct known_registers *known, uint32_t address, uint32_t *value) {
    const struct nvdla_register *reg = nvdla_register_at(known->config, address);
    uint32_t bits = 0;
    if (!reg || (reg->kinds & REGISTER_TABLE_PORT) || reg->unit == NVDLA_BDMA || reg->unit == NVDLA_CFGROM ||
        (reg->grouped && known->armed[reg->unit]))
        return 0;
    for (size_t i = 0; i < reg->field_count; i++)
        if (reg->fields[i].access == NVDLA_ACCESS_RW || (!reg->grouped && reg->fields[i].access == NVDLA_ACCESS_RO))
            bits |= nvdla_field_mask(&reg->fields[i]);
    *value = known->values[place_of(known, reg)][group_of(known, reg)];
    return bits & ~reg->volatile_mask;
}
