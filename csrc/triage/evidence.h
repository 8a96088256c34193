/* Evidence for a verdict: the arithmetic of the wrong element step by step, in RTL and model, and its inputs. */
#pragma once

#include "observe/tap_compare.h"
#include "report/diagnosis.h"
#include "triage/triage_input.h"

/* Adds the evidence about the differing element of that stream. */
void evidence(const struct triage_input *input, enum nvdla_unit unit, enum tap tap,
              const struct tap_difference *difference, struct diagnosis *to);
