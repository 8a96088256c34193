/* A report on disk: what is wrong after a trace was played, where, and who wrote it. outcome.h judges, text.h and
 * json.h show. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>

#include "nvdla/error.h"
#include "report/html.h"
#include "report/json.h"
#include "report/outcome.h"
#include "report/text.h"

/* Writes report.txt, report.json, report.html (report_has_page), histogram.json and
 * histogram.svg where there are histograms, and raw dumps to a directory, which is made if it does not exist: both
 * memories for every area that differs, golden bytes and memory for every failed memory check (report_area_dump,
 * report_check_dump). The directory is the trace's own: what an earlier report left there goes first (report_clean). */
bool report_write(const struct report *report, const char *directory, struct error *err);

/* True if report_write writes report.html: of what did not pass, and where the input asks for it. */
bool report_has_page(const struct report *report);

/* Removes what report_write puts into a directory, and the directory if nothing else is in it. One that does not exist
 * is fine. Fails if a file cannot be removed. */
bool report_clean(const char *directory, struct error *err);

#endif
