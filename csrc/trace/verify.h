/* The rules for programs from all formats; readers call this last. */
#pragma once

#include "trace/program.h"

/* Checks events (each raised exactly once, and every awaited event raised), memory addresses (space exists, range lies
 * within the configuration's addr_bits, fills of at most 4 GiB), releases (of a declared region). Warns about
 * overlapping loads and, in programs with streams, about memory checks outside declared regions. False with "FILE:LINE:
 * ..." on an error. */
bool program_verify(struct program *prog, struct error *err);

/* False with "FILE:LINE: ..." if a reader at that line has exceeded the number of operations of a program. */
bool program_fits(const struct program *prog, const char *path, int line, struct error *err);

/* True if the operation addresses a register: OP_WRITE, OP_READ, OP_READ_CHECK, OP_POLL. */
bool op_is_register(enum op_kind kind);
