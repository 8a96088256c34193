/* Compares two programs. */
#pragma once

#include "trace/program.h"

/* True if the operations of two programs are equal one by one: kind, stream, events, registers, memory, content of
 * blobs byte by byte. Ignores comments, lines and names of files and chunk boundaries, and reservations if
 * without_reservations. False with a message that names the first two that differ. */
bool program_same(const struct program *a, const struct program *b, bool without_reservations, struct error *err);
