/* Clocks of the layer that does not end. See doctor_clocks.h. */
#include "cli/doctor_clocks.h"

#include "run/estimate/point.h"
#include "trace/network.h"

/* The memory that nvcosim estimate assumes without --memory. */
#define MEMORY "latency=32"

/* Whether an operation is the layer, or takes its results on the fly. */
static bool belongs(const struct driver_log *log, int layer, unsigned operation) {
    size_t steps = 0;
    while (layer >= 0 && (size_t)layer < log->count && steps++ < log->count) {
        if ((unsigned)layer == operation)
            return true;
        layer = log->operations[layer].feeds;
    }
    return false;
}

static void take_clocks(struct log_diagnosis *diagnosis, const struct driver_log *log, const struct network *network,
                        const struct estimate *estimate) {
    for (size_t i = 0; i < estimate->count && !diagnosis->estimated_clocks; i++) {
        const struct estimated_layer *layer = &estimate->layers[i];
        const struct network_layer *named = network_layer_of(network, layer->unit, layer->ordinal);
        if (named && named->task == (unsigned)diagnosis->task && belongs(log, diagnosis->layer, named->operation))
            diagnosis->estimated_clocks = (uint64_t)(layer->clocks + 0.5);
    }
}

void doctor_clocks(struct log_diagnosis *diagnosis, const struct driver_log *log, const char *path,
                   const struct nvdla_config *config) {
    struct estimate_laws laws;
    struct point_memory memory;
    struct point point;
    struct estimate estimate = {0};
    struct network network;
    struct error err;
    if (diagnosis->task == LOG_NONE || diagnosis->layer == LOG_NONE || !estimate_laws_read(NULL, &laws, &err) ||
        !point_memory_read(MEMORY, &memory, &err))
        return;
    if (point_open(path, config->name, false, NULL, &point, &err) &&
        point_estimate(&point, &memory, &laws, NULL, 0, &estimate, &err) &&
        network_read(point.program, &network, &err)) {
        take_clocks(diagnosis, log, &network, &estimate);
        network_free(&network);
    }
    estimate_free(&estimate);
    point_close(&point);
}
