/* From a layer's number or name to its launches; see wave_layer.h. */
#include "run/options/wave_layer.h"

#include <stdlib.h>
#include <string.h>

#include "layers/cubes.h"
#include "layers/pairing.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

bool launch_is_layer(const struct nvdla_config *config, const struct launch *launch) {
    struct cube cube;
    bool primary;
    return launch->block_count > 0 || launch_output_cube(config, launch, &cube, &primary);
}

/* "SDP#3" or "3"; for the latter, unit is NVDLA_UNIT_COUNT. */
static bool parse(const char *text, enum nvdla_unit *unit, uint64_t *number) {
    const char *mark = strchr(text, '#');
    *unit = NVDLA_UNIT_COUNT;
    if (mark) {
        autofree char *name = xprintf("%.*s", (int)(mark - text), text);
        *unit = nvdla_unit_find(name);
        return *unit != NVDLA_UNIT_COUNT && text_number(mark + 1, INT32_MAX, number);
    }
    return text_number(text, INT32_MAX, number) && *number > 0;
}

bool wave_layer_valid(const char *text) {
    enum nvdla_unit unit;
    uint64_t number;
    return parse(text, &unit, &number);
}

/* The number-th launch that writes memory, from 1. *layers: number of them. */
static const struct launch *find_layer(const struct layer_tracker *tracker, uint64_t number, uint64_t *layers) {
    const struct launch *found = NULL;
    *layers = 0;
    for (size_t i = 0; i < layer_tracker_count(tracker); i++) {
        const struct launch *launch = layer_tracker_launch(tracker, i);
        if (launch_is_layer(layer_tracker_config(tracker), launch) && ++*layers == number)
            found = launch;
    }
    return found;
}

struct wave_launch *wave_layer_launches(const struct layer_tracker *tracker, const char *text, size_t *count,
                                        struct error *err) {
    enum nvdla_unit unit;
    uint64_t number = 0, layers = 0;
    const struct launch *launch = NULL;
    if (parse(text, &unit, &number))
        launch = unit == NVDLA_UNIT_COUNT ? find_layer(tracker, number, &layers)
                                          : layer_tracker_find(tracker, unit, (int)number);
    if (!launch && unit == NVDLA_UNIT_COUNT) {
        error_set(err, "--wave-layer %s: the trace has %llu layer%s that write%s memory; `nvcosim info` lists them",
                  text, (unsigned long long)layers, layers == 1 ? "" : "s", layers == 1 ? "s" : "");
        return NULL;
    }
    if (!launch) {
        error_set(err, "--wave-layer %s: the trace has no such launch; `nvcosim info` lists them", text);
        return NULL;
    }
    struct wave_launch *launches = xcalloc(NVDLA_UNIT_COUNT + 1, sizeof *launches);
    launches[(*count = 1) - 1] = (struct wave_launch){launch->unit, launch->ordinal};
    for (int u = 0; u < NVDLA_UNIT_COUNT; u++) {
        const struct launch *feeder = layer_tracker_feeder(tracker, launch, (enum nvdla_unit)u);
        if (feeder)
            launches[(*count)++] = (struct wave_launch){feeder->unit, feeder->ordinal};
    }
    return launches;
}
