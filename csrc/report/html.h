/* The report as a page: one HTML file that holds report.json, what the page needs beyond it, and the script that draws
 * it (report.js). It needs no network. Without JavaScript it shows the text of the report. */
#pragma once

#include <jansson.h>

#include "report/outcome.h"

/* The whole page; free() it. value: report_value() of the report, which this releases. Its size is bounded for every
 * trace: long lists are cut, large maps have fewer, larger cells. */
char *report_html(const struct report *report, json_t *value);

/* The maps of what differs: {title, about, items, more}; NULL if nothing does. */
json_t *html_maps(const struct report *report);
