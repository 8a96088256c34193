/* The timeline of a run as trace events in JSON, the format of Chrome's tracing, which ui.perfetto.dev and its
 * trace_processor read. docs/timeline.md describes tracks and arguments. A microsecond of the file is a core clock. */
#pragma once

#include <stdbool.h>

#include "nvdla/error.h"
#include "report/outcome.h"

/* Writes the events of a device that counted a timeline; packed if the name ends in .gz. Fails with a message if no
 * device did, or if the file cannot be written; then no file is left. */
bool events_write(const struct report *report, const char *path, struct error *err);
