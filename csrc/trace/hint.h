/* "did you mean" for misspelled names in a trace. */
#pragma once

#include "nvdla/registers.h"
#include "nvdla/text.h"
#include "trace/lex.h"

enum { HINT = 96 }; /* bytes of a hint */

/* "; did you mean SDP?", or "" if no unit of the configuration has a similar name. Returns text. */
char *unit_hint(const struct nvdla_config *config, struct span name, char text[HINT]);

/* The same for the registers of a unit. Ignores a "_0" at the end of the name, which some formats have. */
char *register_hint(const struct nvdla_config *config, enum nvdla_unit unit, struct span name, char text[HINT]);
