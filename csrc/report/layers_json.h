/* Layers and timeline of a run as members of report.json; docs/results.md describes them. */
#ifndef REPORT_LAYERS_JSON_H
#define REPORT_LAYERS_JSON_H

#include <jansson.h>

#include "report/layers.h"

/* An array with an object for each layer. */
json_t *json_layers(const struct report *report, const struct report_layers *layers);

/* Activity over time; layers->timeline must not be NULL. */
json_t *json_timeline(const struct report_layers *layers);

#endif
