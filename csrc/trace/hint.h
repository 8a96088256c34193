/* "did you mean" for the names of a trace. */
#ifndef TRACE_HINT_H
#define TRACE_HINT_H

#include "nvdla/registers.h"
#include "nvdla/text.h"
#include "trace/lex.h"

enum { HINT = 96 }; /* bytes of a hint */

/* "; did you mean SDP?", or "" if no unit of the configuration has a name near to it. Returns text. */
char *unit_hint(const struct nvdla_config *config, struct span name, char text[HINT]);

/* The same for the registers of a unit. A "_0" at the end of the name, as some formats have it, does not count. */
char *register_hint(const struct nvdla_config *config, enum nvdla_unit unit, struct span name, char text[HINT]);

#endif
