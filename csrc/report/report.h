/* Writes a report to disk: the errors after playing a trace, their places, and what wrote them. outcome.h judges,
 * text.h and json.h format. */
#pragma once

#include "nvdla/error.h"
#include "report/html.h"
#include "report/json.h"
#include "report/outcome.h"
#include "report/text.h"

/* Writes report.txt, report.json, report.html (report_has_page), histogram.json and histogram.svg if there are
 * histograms, and raw dumps: both memories for every area that differs, golden bytes and memory for every failed memory
 * check (report_area_dump, report_check_dump). Creates the directory, which must be only for this trace: removes an
 * earlier report first (report_clean). */
bool report_write(const struct report *report, const char *directory, struct error *err);

/* True if report_write writes report.html: if the trace did not pass, or the input requests it. */
bool report_has_page(const struct report *report);

/* Removes the files of report_write from a directory, and the directory if it is then empty. It need not exist. Fails
 * if a file cannot be removed. */
bool report_clean(const char *directory, struct error *err);
