/* Golden files next to a trace test. */
#pragma once

#include "trace/program.h"

/* Appends the checks of NAME_golden_ADDRESS.dat and NAME_regs.csv in the trace's directory, in the order of their
 * names. False with a message that names the file if one cannot be read, is truncated or empty, or has no address in
 * its name. */
bool cfg_read_goldens(struct program *prog, const char *path, struct error *err);
