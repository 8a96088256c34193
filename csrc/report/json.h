/* The report as JSON; docs/results.md describes parts of it. */
#pragma once

#include <jansson.h>

#include "report/outcome.h"

/* The whole report, and its text as in report.json; release them. */
json_t *report_value(const struct report *report);
char *report_json(const struct report *report);
