/* Modules of python/nvcosim that work for the C program. */
#pragma once

#include <sys/types.h>

#include "nvdla/error.h"
#include "nvdla/text.h"

#define PYTHON "/usr/bin/python3"

/* Runs nvcosim.MODULE with the arguments. Returns the n bytes that it printed (malloc'd, with a 0 behind them), or NULL
 * with their last line if it failed. */
char *python_output(const char *module, const struct words *arguments, size_t *n, struct error *err);

/* Starts it, with its output and messages in a pipe. Returns the descriptor to read from, and its process, which has to
 * be waited for; -1 with a message. */
int python_start(const char *module, const struct words *arguments, pid_t *pid, struct error *err);
