/* What the trace events of a run (python/nvcosim/timeline.py) are made of, as JSON. */
#pragma once

#include <jansson.h>

#include "report/outcome.h"

/* Layers, launches, accesses, interrupts, findings and the timeline of a device that counted one; NULL: none did.
 * Release it. */
json_t *events_value(const struct report *report);
