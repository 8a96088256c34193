/* Activity of a design for power tools: how long each bit was 0 and 1, and how often it changed, in SAIF (IEEE 1801,
 * annex I: version 2.0, backward). Counted from recorded waves, so every version of Verilator gives the same counts. */
#pragma once

#include <stdbool.h>

struct activity;
struct error;

#ifdef __cplusplus
extern "C" {
#endif

/* Counts all signals of `waves`, an FST file of this program, over the time that it holds, and writes them to `path`.
 * A change is one between two recorded values, which are those at each rising edge and half a clock later; times are
 * in picoseconds, 1,000 a core clock. Parameters, events, real numbers and the marks are left out. Members of
 * structures have the structure's name in theirs. Adds the sums of the design's parts to `activity`
 * (device/activity.h). Fails with a message, and then leaves no file, if the waves cannot be read or the file cannot be
 * written. */
bool wave_saif_write(const char *waves, const char *path, struct activity *activity, struct error *err);

#ifdef __cplusplus
}
#endif
