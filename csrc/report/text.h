/* The report as text. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "report/outcome.h"

/* The whole report; free() it. */
char *report_text(const struct report *report);

#endif
