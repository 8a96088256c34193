/* The comment of a trace that follows the constant result of a CPU operation: with it a run computes the operation
 * again, from what its device has in memory. See traces/FORMAT.md, "Networks". */
#pragma once

#include "loadable/cpu_task.h"
#include "trace/program.h"

/* The comment of an operation; the caller frees it. */
char *cpu_note(const struct cpu_operation *op);

/* Checks all such comments of a program. False with a message if one is malformed. */
bool cpu_notes_check(const struct program *prog, struct error *err);

/* Computes the operation of a comment that cpu_notes_check() has accepted; any other comment does nothing. */
void cpu_note_run(const char *comment, struct memory *const memories[SPACE_COUNT]);
