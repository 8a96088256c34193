/* "did you mean" for misspelled names. See hint.h. */
#include "trace/hint.h"

char *unit_hint(const struct nvdla_config *config, struct span name, char text[HINT]) {
    const bool prefixed = span_starts(name, "NVDLA_");
    struct guess guess = {.word = name.at + (prefixed ? 6 : 0), .n = name.n - (prefixed ? 6 : 0)};
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (nvdla_has_unit(config, (enum nvdla_unit)unit))
            guess_try(&guess, nvdla_unit_names[unit]);
    return guess_hint(&guess, text);
}

char *register_hint(const struct nvdla_config *config, enum nvdla_unit unit, struct span name, char text[HINT]) {
    const struct nvdla_register_map *map = &nvdla_register_maps[config->map];
    const bool suffixed = name.n > 2 && name.at[name.n - 2] == '_' && name.at[name.n - 1] == '0';
    struct guess guess = {.word = name.at, .n = name.n - (suffixed ? 2 : 0)};
    for (size_t i = 0; i < map->count; i++)
        if (map->registers[i].unit == unit)
            guess_try(&guess, map->registers[i].name);
    return guess_hint(&guess, text);
}
