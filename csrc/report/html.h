/* The report as a page: one HTML file with styles, script and pictures inside, which needs no network and is complete
 * without its script. Names from traces are always escaped. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "report/outcome.h"

/* The whole page; free() it. Its size is bounded for every trace: large data is shown with fewer, larger cells in maps
 * and charts. */
char *report_html(const struct report *report);

#endif
