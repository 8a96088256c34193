/* Ranges of memory that a run writes to files when it has ended: --dump [SPACE:]ADDRESS:SIZE=FILE. */
#pragma once

#include "memory/memory.h"
#include "memory/space.h"
#include "nvdla/error.h"
#include "nvdla/text.h"

enum { DUMP_MOST = 1 << 30 /* bytes of a range */ };

/* Whether a text has that form. SPACE: primary (default) or secondary; SIZE: 1 byte to 1 GiB. False with a message. */
bool dump_check(const char *text, struct error *err);

/* Writes the ranges of checked texts; bytes that were never written are 0, and FILE.gz is packed. False with a message:
 * a file cannot be written, or there is no second memory. */
bool dumps_write(const struct words *texts, struct memory *const memory[SPACE_COUNT], struct error *err);
