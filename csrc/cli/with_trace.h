/* What the commands on one trace share: two of their options, and reading it.
 */
#ifndef CLI_WITH_TRACE_H
#define CLI_WITH_TRACE_H

#include <argp.h>

#include "trace/formats.h"

/* --config and --no-golden, to be a child of a command's parser; input: struct trace_options. */
extern const struct argp trace_options_argp;

/* Prints what the reader of a trace, or the compiler of a network, has warned of. NULL: nothing. */
void print_warnings(const struct program *prog);

/* Reads a trace, prints its warnings, and calls `use`. What either fails of is printed. Returns the exit status. */
int with_trace(const char *path, const struct trace_options *options,
               bool (*use)(struct program *prog, void *context, struct error *err), void *context);

#endif
