/* Moves addresses, in memory and in registers. See relocate.h. */
#include "import/relocate.h"

#include <inttypes.h>
#include <stdlib.h>

#include "nvdla/registers.h"
#include "nvdla/xalloc.h"

enum { WINDOW_WORDS = 1024 };

struct relocate {
    const struct nvdla_config *config;
    const struct lift_map *maps;
    size_t count;
    uint32_t *words[NVDLA_UNIT_COUNT]; /* values as captured; of the unit's window, by group */
};

static bool overlap(const struct lift_map *a, const struct lift_map *b) {
    return a->from < b->from + b->size && b->from < a->from + a->size;
}

struct relocate *relocate_new(const struct nvdla_config *config, const struct lift_map *maps, size_t count,
                              struct error *err) {
    const uint64_t top = config->addr_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << config->addr_bits) - 1;
    for (size_t i = 0; i < count; i++) {
        const struct lift_map *map = &maps[i];
        const bool fits = map->size > 0 && map->from + map->size - 1 >= map->from &&
                          map->to + map->size - 1 >= map->to && map->from + map->size - 1 <= top &&
                          map->to + map->size - 1 <= top;
        if (!fits) {
            error_set(err,
                      "--map 0x%" PRIx64 ":0x%" PRIx64 ":0x%" PRIx64
                      " leaves the %d address bits of configuration %s, or is empty",
                      map->from, map->to, map->size, config->addr_bits, config->name);
            return NULL;
        }
        if (map->from >> 32 != map->to >> 32 || (map->from + map->size - 1) >> 32 != map->from >> 32 ||
            (map->to + map->size - 1) >> 32 != map->to >> 32) {
            error_set(err,
                      "--map 0x%" PRIx64 ":0x%" PRIx64 ":0x%" PRIx64
                      " changes address bits above 31; expected both ranges in the same 4 GiB",
                      map->from, map->to, map->size);
            return NULL;
        }
        for (size_t k = 0; k < i; k++)
            if (overlap(map, &maps[k])) {
                error_set(err, "--map 0x%" PRIx64 ":... and --map 0x%" PRIx64 ":... overlap", maps[k].from, map->from);
                return NULL;
            }
    }
    struct relocate *relocate = xcalloc(1, sizeof *relocate);
    *relocate = (struct relocate){.config = config, .maps = maps, .count = count};
    for (int unit = 0; count > 0 && unit < NVDLA_UNIT_COUNT; unit++)
        relocate->words[unit] = xcalloc(2 * WINDOW_WORDS, sizeof(uint32_t));
    return relocate;
}

void relocate_free(struct relocate *relocate) {
    if (!relocate)
        return;
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        free(relocate->words[unit]);
    free(relocate);
}

uint64_t relocate_address(const struct relocate *relocate, uint64_t address, uint64_t *run) {
    *run = UINT64_MAX - address;
    for (size_t i = 0; i < relocate->count; i++) {
        const struct lift_map *map = &relocate->maps[i];
        if (address >= map->from && address - map->from < map->size) {
            *run = map->size - (address - map->from);
            return map->to + (address - map->from);
        }
        if (address < map->from && map->from - address < *run)
            *run = map->from - address;
    }
    return address;
}

uint32_t relocate_write(struct relocate *relocate, uint32_t address, uint32_t value) {
    const struct nvdla_config *config = relocate->config;
    const struct nvdla_register *reg = relocate->count > 0 ? nvdla_register_at(config, address) : NULL;
    if (!reg)
        return value;
    const uint32_t base = nvdla_unit_base(config, reg->unit);
    uint32_t *words = relocate->words[reg->unit];
    const uint32_t group = reg->grouped ? words[1] & 1 : 0; /* PRODUCER: all units have S_POINTER at 4 */
    words[group * WINDOW_WORDS + (address - base) / 4] = value;
    if (!(reg->kinds & REGISTER_ADDRESS))
        return value;
    const struct nvdla_register *high = reg->high;
    const uint64_t upper =
        high && config->addr_bits > 32 ? words[group * WINDOW_WORDS + (high->address - base) / 4] : 0;
    uint64_t run;
    return (uint32_t)relocate_address(relocate, upper << 32 | value, &run);
}
