/* The report for machines. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <jansson.h>

#include "report/outcome.h"

/* The whole report; free() it. */
char *report_json(const struct report *report);

/* A string of text that may hold a file name: where it is not UTF-8, bytes of 0x80 and above become '?'. */
json_t *json_text(const char *text);

#endif
