/* Collects what moved around the first sign of an error from recorded streams. */
#pragma once

#include "report/diagnosis.h"
#include "triage/steps.h"

/* The streams that moved in the clocks around `cycle`: those of read clients, with their addresses, then those of the
 * walk. What cannot be read is left out. */
void beats_collect(const struct triage_input *input, const struct walk *walk, const struct step_facts *found,
                   uint64_t cycle, struct beat_rows *rows);
