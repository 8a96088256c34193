/* The report as JSON. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "report/outcome.h"

/* The whole report; free() it. */
char *report_json(const struct report *report);

#endif
