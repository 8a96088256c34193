/* Text logs: python/nvcosim/captures finds the accesses in them; internal to csrc/import. */
#pragma once

#include "import/source_parts.h"

extern const struct source_format source_log;

/* Starts the program that reads source->paths. format: one of its own; NULL: the most likely one, if that is at least
 * `least` (0 to 100) likely. Returns its name, "" if others are more likely, NULL with a message; free() it. Close the
 * source in any case. */
char *log_open(struct source *source, const char *format, int least, struct error *err);
