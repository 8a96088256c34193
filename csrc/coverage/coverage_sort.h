/* Sorts the layers of a trace into the bins of coverage_bins.h. */
#pragma once

#include "coverage/coverage_bins.h"
#include "layers/tracker.h"
#include "trace/program.h"

/* Whether a configuration has these (nvdla_has); what it has but the devices do not run yet counts as never
 * exercised. */
unsigned coverage_features(const struct nvdla_config *config);

extern const struct coverage_engine *const coverage_engines[COVERAGE_ENGINES];

/* Index of a layer's value of each aspect of its engine, -1 if the aspect does not apply. */
struct coverage_sample {
    int engine;
    int values[COVERAGE_ASPECTS_MAX];
};

/* Calls take for the whole trace and for every layer in it. launches: of this program, complete. */
void coverage_sort(const struct program *prog, const struct layer_tracker *launches,
                   void (*take)(void *context, const struct coverage_sample *sample), void *context);
