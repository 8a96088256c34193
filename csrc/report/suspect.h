/* Gathers who disagrees with whom about a trace that was played, and says so in a sentence. See dissent.h. */
#pragma once

#include "report/dissent.h"
#include "report/outcome.h"

/* Of a report whose memories are compared. failed: the trace did not pass. */
struct dissent suspect_find(const struct report *report, bool failed);
