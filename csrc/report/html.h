/* The report as a page to look at: one file of HTML with its styles, script and pictures inside, which asks nothing of
 * a network and is whole without its script. What names in traces hold is shown, never obeyed.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "report/outcome.h"

/* The whole page; free() it. Its size is bounded whatever the trace holds: maps and charts show fewer, larger cells of
 * what is large. */
char *report_html(const struct report *report);

#endif
