/* Look-ups in the generated register table, and fields as text. See registers.h. */
#include "nvdla/registers.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "nvdla/buffer_sizes.h"
#include "nvdla/engines.h"

enum { WINDOW_BYTES = 0x1000 };

bool nvdla_has_unit(const struct nvdla_config *config, enum nvdla_unit unit) {
    return (unsigned)unit < NVDLA_UNIT_COUNT && nvdla_units[unit].windows[config->map] != NVDLA_NO_WINDOW &&
           nvdla_config_meets(config, nvdla_units[unit].condition);
}

const struct nvdla_register *nvdla_register_at(const struct nvdla_config *config, uint32_t address) {
    /* Consecutive look-ups mostly ask for the same register. */
    static _Thread_local size_t last[NVDLA_MAP_COUNT];
    const struct nvdla_register_map *map = &nvdla_register_maps[config->map];
    size_t low = 0, high = map->count;
    for (size_t middle = last[config->map]; low < high; middle = low + (high - low) / 2) {
        const struct nvdla_register *reg = &map->registers[middle];
        if (reg->address == address) {
            last[config->map] = middle;
            return nvdla_has_unit(config, reg->unit) ? reg : NULL;
        }
        if (reg->address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct nvdla_register *nvdla_register_find(const struct nvdla_config *config, enum nvdla_unit unit,
                                                 const char *name) {
    if (!nvdla_has_unit(config, unit))
        return NULL;
    const struct nvdla_register_map *map = &nvdla_register_maps[config->map];
    const uint32_t base = nvdla_unit_base(config, unit);
    size_t first = 0;
    for (size_t end = map->count; first < end;) { /* registers are sorted by address */
        const size_t middle = first + (end - first) / 2;
        if (map->registers[middle].address < base)
            first = middle + 1;
        else
            end = middle;
    }
    for (size_t i = first; i < map->count && map->registers[i].unit == unit; i++)
        if (strcmp(map->registers[i].name, name) == 0)
            return &map->registers[i];
    return NULL;
}

enum nvdla_unit nvdla_unit_find(const char *name) {
    if (strcasecmp(name, "RUBIK") == 0)
        return NVDLA_RBK;
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (strcasecmp(name, nvdla_unit_names[unit]) == 0)
            return (enum nvdla_unit)unit;
    return NVDLA_UNIT_COUNT;
}

uint32_t nvdla_stored_mask(const struct nvdla_config *config, const struct nvdla_register *reg) {
    enum { ATOM = 32, ENTRY = 128 }; /* of full */
    uint32_t mask = reg->stored_mask;
    if (mask == 0 || config->map != NVDLA_MAP_FULL || (config->mem_atom == ATOM && cbuf_entry_bytes(config) == ENTRY))
        return mask;
    const struct nvdla_register *other = nvdla_register_find(nvdla_config_find("small"), reg->unit, reg->name);
    for (size_t i = 0; other && i < other->field_count; i++)
        for (size_t j = 0; j < reg->field_count; j++)
            if (strcmp(other->fields[i].name, reg->fields[j].name) == 0)
                mask |= nvdla_field_mask(&other->fields[i]);
    return mask;
}

enum nvdla_unit nvdla_unit_at(const struct nvdla_config *config, uint32_t address) {
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (nvdla_units[unit].windows[config->map] == address / WINDOW_BYTES)
            return nvdla_has_unit(config, (enum nvdla_unit)unit) ? (enum nvdla_unit)unit : NVDLA_UNIT_COUNT;
    return NVDLA_UNIT_COUNT;
}

uint32_t nvdla_unit_base(const struct nvdla_config *config, enum nvdla_unit unit) {
    return (uint32_t)nvdla_units[unit].windows[config->map] * WINDOW_BYTES;
}

char *nvdla_register_name(const struct nvdla_config *config, uint32_t address, char *text, size_t size) {
    const struct nvdla_register *reg = nvdla_register_at(config, address);
    if (reg)
        snprintf(text, size, "%s.%s", nvdla_unit_names[reg->unit], reg->name);
    else
        snprintf(text, size, "0x%05x", (unsigned)address);
    return text;
}

/* Name of a field's value, NULL if it has none. The field's own name at its beginning is dropped (POOLING_METHOD_MAX:
 * "MAX"). */
static const char *enum_name(const struct nvdla_field *field, uint32_t value) {
    const size_t length = strlen(field->name);
    for (size_t i = 0; i < field->enum_count; i++) {
        const char *name = field->enums[i].name;
        if (field->enums[i].value == value)
            return strncmp(name, field->name, length) == 0 && name[length] == '_' ? name + length + 1 : name;
    }
    return NULL;
}

char *nvdla_register_decode(const struct nvdla_register *reg, uint32_t value, char *text, size_t size) {
    return nvdla_register_decode_bits(reg, value, UINT32_MAX, text, size);
}

char *nvdla_register_decode_bits(const struct nvdla_register *reg, uint32_t value, uint32_t of, char *text,
                                 size_t size) {
    if (size == 0)
        return text;
    text[0] = '\0';
    size_t used = 0;
    for (size_t i = 0; reg && i < reg->field_count && used < size; i++) {
        const struct nvdla_field *field = &reg->fields[i];
        const uint32_t bits = nvdla_field_value(field, value);
        if ((of & nvdla_field_mask(field)) == 0)
            continue;
        const char *gap = used ? " " : "";
        const char *name = enum_name(field, bits);
        int n;
        if (name)
            n = snprintf(text + used, size - used, "%s%s=%s", gap, field->name, name);
        else
            n = snprintf(text + used, size - used, bits < 10 ? "%s%s=%u" : "%s%s=0x%x", gap, field->name,
                         (unsigned)bits);
        used += n > 0 ? (size_t)n : 0;
    }
    return text;
}

int nvdla_interrupt_bit(const char *name) {
    for (int i = 0; i < INTERRUPT_COUNT; i++)
        for (int group = 0; group < 2; group++)
            if (strcasecmp(name, nvdla_interrupts[i].names[group]) == 0)
                return (int)nvdla_interrupts[i].bit + group;
    return -1;
}

const char *nvdla_interrupt_name(int bit) {
    const enum nvdla_interrupt interrupt = nvdla_interrupt_at(bit);
    return interrupt == INTERRUPT_COUNT ? NULL
                                        : nvdla_interrupts[interrupt].names[bit - (int)nvdla_interrupts[interrupt].bit];
}

bool nvdla_register_volatile(const struct nvdla_config *config, uint32_t address, uint32_t mask) {
    const struct nvdla_register *reg = nvdla_register_at(config, address);
    return reg && (reg->volatile_mask & mask);
}

bool nvdla_register_is(const struct nvdla_config *config, uint32_t address, enum nvdla_register_kind kind) {
    const struct nvdla_register *reg = nvdla_register_at(config, address);
    return reg && (reg->kinds & kind);
}

uint32_t nvdla_register_excess(const struct nvdla_config *config, uint32_t address, uint32_t value) {
    const struct nvdla_register *reg = nvdla_register_at(config, address);
    for (size_t i = 0; reg && i < reg->field_count; i++)
        value &= ~nvdla_field_mask(&reg->fields[i]);
    return reg && reg->field_count > 0 ? value : 0;
}
