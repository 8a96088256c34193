/* The report as text. */
#pragma once

#include "report/outcome.h"

/* The whole report; free() it. */
char *report_text(const struct report *report);
