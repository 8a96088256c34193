/* For commands that take one trace: two common options, and reading the trace. */
#ifndef CLI_WITH_TRACE_H
#define CLI_WITH_TRACE_H

#include <argp.h>

#include "trace/formats.h"

/* --config and --no-golden, as a child of a command's parser; input: struct trace_options. */
extern const struct argp trace_options_argp;

/* Prints the warnings of the reader of a trace or of the compiler of a network. NULL: nothing. */
void print_warnings(const struct program *prog);

/* Reads a trace, prints its warnings, and calls `use`. Prints errors of either. Returns the exit status. */
int with_trace(const char *path, const struct trace_options *options,
               bool (*use)(struct program *prog, void *context, struct error *err), void *context);

#endif
