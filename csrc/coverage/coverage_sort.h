/* Sorts the layers of a trace into the bins of coverage_bins.h.
 */
#ifndef COVERAGE_COVERAGE_SORT_H
#define COVERAGE_COVERAGE_SORT_H

#include "coverage/coverage_bins.h"
#include "layers/tracker.h"
#include "trace/program.h"

/* What a configuration has of these (nvdla_has): what it has and the devices here do not run yet counts as never
 * exercised. */
unsigned coverage_features(const struct nvdla_config *config);

extern const struct coverage_engine *const coverage_engines[COVERAGE_ENGINES];

/* The aspect of COVERAGE_TRACE whose values are configurations. */
enum { COVERAGE_TRACE_CONFIG = 0 };

/* Index of the value that a layer has of each aspect of its engine, -1 where the aspect does not apply. */
struct coverage_sample {
    int engine;
    int values[COVERAGE_ASPECTS_MAX];
};

/* Calls take for the trace as a whole and for every layer in it. launches: of this program, complete. */
void coverage_sort(const struct program *prog, const struct layer_tracker *launches,
                   void (*take)(void *context, const struct coverage_sample *sample), void *context);

#endif
