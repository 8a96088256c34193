/* What a trace holds, decoded: register writes by unit, memory regions, layers, checks, waits and events. */
#ifndef REPORT_EXPLAIN_H
#define REPORT_EXPLAIN_H

#include "trace/program.h"

/* For people / for machines; free() the result. */
char *explain_text(const struct program *prog);
char *explain_json(const struct program *prog);

#endif
