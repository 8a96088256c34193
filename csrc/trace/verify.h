/* The rules that every program obeys, whatever file it came from; readers call this last. */
#ifndef TRACE_VERIFY_H
#define TRACE_VERIFY_H

#include "trace/program.h"

/* Checks events (each raised exactly once, whatever is waited for is raised by something), memory addresses (space
 * exists, range lies within the configuration's addr_bits, fills of at most 4 GiB), releases (of a declared region).
 * Warns about overlapping loads and, in programs with streams, about memory checks outside declared regions. False with
 * "FILE:LINE: ..." on an error. */
bool program_verify(struct program *prog, struct error *err);

/* False, with "FILE:LINE: ...", when a reader at that line has made more operations than a program may have. */
bool program_fits(const struct program *prog, const char *path, int line, struct error *err);

/* The operation addresses a register: OP_WRITE, OP_READ, OP_READ_CHECK, OP_POLL. */
bool op_is_register(enum op_kind kind);

#endif
