/* Writer of trace tests: NAME.cfg with packet files and golden files (80-trace-formats section 3). */
#pragma once

#include "trace/program.h"

/* Converts a program with streams (streams.h) to the form it has after writing and reading NAME.cfg: the same
 * operations, except that
 *   - writes are posted, polls have no limit of attempts, and no read is informational: such a check becomes a read
 *     whose result is ignored (at the end it is dropped); *changed counts them;
 *   - reads are compared whole: masks that cover all fields of the register become all ones, others are refused;
 *   - fills with byte patterns that have no name become loads; names of events have only letters, digits and _;
 *   - CRCs at the end wait for an event that is raised after all interrupts;
 *   - other checks at the end come last: first memory by address, then registers. NULL with FILE:LINE and an
 *     alternative if an operation cannot be expressed. */
struct program *cfg_form(const struct program *streams, size_t *changed, struct error *err);

/* Writes such a program into a folder, which must be new or empty and names the test. Reads the trace back before the
 * folder gets its name. False with a message; then nothing is written. */
bool export_cfg(const struct program *form, const char *path, struct error *err);
