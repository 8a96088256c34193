/* The contents of a trace, decoded: register writes by unit, memory regions, layers, checks, waits and events. */
#pragma once

#include "trace/program.h"

/* As text / as JSON; free() the result. */
char *explain_text(const struct program *prog);
char *explain_json(const struct program *prog);
