/* Trace tests, NAME.cfg with packet files and goldens (80-trace-formats section 3). */
#ifndef EXPORT_CFG_H
#define EXPORT_CFG_H

#include "trace/program.h"

/* What a program with streams (streams.h) is when it has been written as NAME.cfg and read again: the same operations,
 * but
 *   - writes are posted, polls have no limit of attempts, no read is informational: an informational check is a read
 *     whose result is not used (at the end: gone), *changed counts those;
 *   - reads are compared as a whole: masks that cover all fields of the register are all ones, others are refused;
 *   - fills of bytes that have no name are loads; names of events have letters, digits and _ only;
 *   - CRCs at the end come behind an event that is raised when all interrupts have come;
 *   - other checks at the end come last, those of memory by address, then those of registers.
 * NULL with FILE:LINE and what would fit if an operation cannot be said. */
struct program *cfg_form(const struct program *streams, size_t *changed, struct error *err);

/* Writes such a program into a folder, which must be new or empty and whose name is that of the test. The trace is read
 * again before the folder gets its name. False with a message; nothing is left behind then. */
bool export_cfg(const struct program *form, const char *path, struct error *err);

#endif
