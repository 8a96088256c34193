/* Whether something known explains why a trace fails: NVIDIA's errata (nvdla/errata.h), by a model that computes E1 as
 * NVIDIA's hardware does, or that another's RTL is of a configuration with the same ports, by the model of that. */
#pragma once

#include "report/outcome.h"
#include "run/options/options.h"

enum errata_part {
    ERRATA_NO_PART,
    ERRATA_POSSIBLE, /* a layer has one, and something else is wrong, too, or its bytes are not known (E2) */
    ERRATA_LIKELY,   /* E2, and the first wrong bytes are of its layer; or another configuration */
    ERRATA_CAUSE     /* with E1 the model computes what the RTL does, or what the trace expects */
};

/* Judges a failed run. text: one line that names it and its layer, to be freed; NULL for ERRATA_NO_PART.
 * foreign RTL: its writes are compared; otherwise what the trace expects. */
enum errata_part errata_part(const struct run_options *options, const struct report_input *input, char **text);
