/* Look-ups in the generated register table, and fields as text. See registers.h. */
#include "nvdla/registers.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WINDOW_BYTES = 0x1000, NO_WINDOW = 0xffff };

/* Windows by 4-KiB number (address / 0x1000), chapter 10 section 4.3. */
static const uint16_t windows[NVDLA_MAP_COUNT][NVDLA_UNIT_COUNT] = {
    [NVDLA_MAP_FULL] = {[NVDLA_CFGROM] = NO_WINDOW,
                        [NVDLA_GLB] = 0x00,
                        [NVDLA_MCIF] = 0x02,
                        [NVDLA_CVIF] = 0x03,
                        [NVDLA_BDMA] = 0x04,
                        [NVDLA_CDMA] = 0x05,
                        [NVDLA_CSC] = 0x06,
                        [NVDLA_CMAC_A] = 0x07,
                        [NVDLA_CMAC_B] = 0x08,
                        [NVDLA_CACC] = 0x09,
                        [NVDLA_SDP_RDMA] = 0x0a,
                        [NVDLA_SDP] = 0x0b,
                        [NVDLA_PDP_RDMA] = 0x0c,
                        [NVDLA_PDP] = 0x0d,
                        [NVDLA_CDP_RDMA] = 0x0e,
                        [NVDLA_CDP] = 0x0f,
                        [NVDLA_RBK] = 0x10},
    [NVDLA_MAP_SMALL] = {[NVDLA_CFGROM] = 0x00,
                         [NVDLA_GLB] = 0x01,
                         [NVDLA_MCIF] = 0x02,
                         [NVDLA_CVIF] = 0x0f,
                         [NVDLA_BDMA] = 0x10,
                         [NVDLA_CDMA] = 0x03,
                         [NVDLA_CSC] = 0x04,
                         [NVDLA_CMAC_A] = 0x05,
                         [NVDLA_CMAC_B] = 0x06,
                         [NVDLA_CACC] = 0x07,
                         [NVDLA_SDP_RDMA] = 0x08,
                         [NVDLA_SDP] = 0x09,
                         [NVDLA_PDP_RDMA] = 0x0a,
                         [NVDLA_PDP] = 0x0b,
                         [NVDLA_CDP_RDMA] = 0x0c,
                         [NVDLA_CDP] = 0x0d,
                         [NVDLA_RBK] = 0x11},
};

/* Interrupt sources in the order of their group 0 bits, chapter 10 section 7. */
static const struct {
    const char *name[2];
    int bit; /* of group 0 */
} interrupts[] = {
    {{"SDP_0", "SDP_1"}, 0},          {{"CDP_0", "CDP_1"}, 2},     {{"PDP_0", "PDP_1"}, 4},
    {{"BDMA_0", "BDMA_1"}, 6},        {{"RUBIK_0", "RUBIK_1"}, 8}, {{"CDMA_DAT_0", "CDMA_DAT_1"}, 16},
    {{"CDMA_WT_0", "CDMA_WT_1"}, 18}, {{"CACC_0", "CACC_1"}, 20},
};
enum { INTERRUPT_SOURCES = sizeof interrupts / sizeof interrupts[0] };

bool nvdla_has_unit(const struct nvdla_config *config, enum nvdla_unit unit) {
    if ((unsigned)unit >= NVDLA_UNIT_COUNT || windows[config->map][unit] == NO_WINDOW)
        return false;
    /* BDMA and RBK have no rows in the small map: no configuration with that map builds them. */
    const bool full = config->map == NVDLA_MAP_FULL;
    switch (unit) {
    case NVDLA_CVIF:
        return nvdla_has(config, FEATURE_SECONDARY_MEMORY);
    case NVDLA_BDMA:
        return full && nvdla_has(config, FEATURE_BDMA);
    case NVDLA_RBK:
        return full && nvdla_has(config, FEATURE_RUBIK);
    default:
        return true;
    }
}

const struct nvdla_register *nvdla_register_at(const struct nvdla_config *config, uint32_t address) {
    /* One access asks for its register several times. */
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

enum nvdla_unit nvdla_unit_at(const struct nvdla_config *config, uint32_t address) {
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (windows[config->map][unit] == address / WINDOW_BYTES)
            return nvdla_has_unit(config, (enum nvdla_unit)unit) ? (enum nvdla_unit)unit : NVDLA_UNIT_COUNT;
    return NVDLA_UNIT_COUNT;
}

uint32_t nvdla_unit_base(const struct nvdla_config *config, enum nvdla_unit unit) {
    return (uint32_t)windows[config->map][unit] * WINDOW_BYTES;
}

char *nvdla_register_name(const struct nvdla_config *config, uint32_t address, char *text, size_t size) {
    const struct nvdla_register *reg = nvdla_register_at(config, address);
    if (reg)
        snprintf(text, size, "%s.%s", nvdla_unit_names[reg->unit], reg->name);
    else
        snprintf(text, size, "0x%05x", (unsigned)address);
    return text;
}

/* Name of a field's value, NULL if it has none; the field's own name in front of it is left out (POOLING_METHOD_MAX:
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
    for (size_t i = 0; i < INTERRUPT_SOURCES; i++)
        for (int group = 0; group < 2; group++)
            if (strcasecmp(name, interrupts[i].name[group]) == 0)
                return interrupts[i].bit + group;
    return -1;
}

const char *nvdla_interrupt_name(int bit) {
    for (size_t i = 0; i < INTERRUPT_SOURCES; i++)
        if (bit == interrupts[i].bit || bit == interrupts[i].bit + 1)
            return interrupts[i].name[bit - interrupts[i].bit];
    return NULL;
}

bool nvdla_register_volatile(const struct nvdla_config *config, uint32_t address, uint32_t mask) {
    const struct nvdla_register *reg = nvdla_register_at(config, address);
    if (!reg)
        return false;
    const char *name = reg->name;
    if (!strcmp(name, "S_POINTER"))
        return mask & 0x10000; /* CONSUMER */
    if (reg->unit == NVDLA_BDMA && (!strcmp(name, "STATUS") || strstr(name, "_STALL")))
        return true;
    return !strcmp(name, "S_STATUS") || !strcmp(name, "S_CBUF_FLUSH_STATUS") || !strncmp(name, "D_STATUS_", 9) ||
           (!strncmp(name, "D_PERF_", 7) && strcmp(name, "D_PERF_ENABLE")) ||
           (!strncmp(name, "D_NAN_", 6) && strcmp(name, "D_NAN_FLUSH_TO_ZERO")) || !strncmp(name, "D_INF_", 6);
}

bool nvdla_register_waits(const struct nvdla_config *config, uint32_t address) {
    const struct nvdla_register *reg = nvdla_register_at(config, address);
    if (!reg)
        return false;
    return strstr(reg->name, "_STALL") || (!strncmp(reg->name, "D_PERF_", 7) && strstr(reg->name, "_LATENCY"));
}
