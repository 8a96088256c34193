/* Judges the result of playing a trace. */
#pragma once

#include "report/outcome.h"

/* Compares all memory of both spaces, collects the results of the checks, and says who disagrees with whom. */
struct report *report_new(const struct report_input *input);
void report_free(struct report *report);
