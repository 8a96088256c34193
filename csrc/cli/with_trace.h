/* For commands that take one trace: two common options, and reading the trace. */
#pragma once

#include "run/options/options.h"
#include "trace/formats.h"

/* Rows of its table of options; offset: of a struct trace_options. */
#define NO_GOLDEN(offset)                                                                                              \
    OPTION("no-golden", NULL, "Ignore the golden files beside a .cfg",                                                 \
           FLAG_AT((offset) + offsetof(struct trace_options, no_golden)))
#define TRACE_OPTIONS(offset) CONFIG_OF_TRACE((offset) + offsetof(struct trace_options, config)), NO_GOLDEN(offset)

/* Reads a trace, prints its warnings, and calls `use`. Prints errors of either. Returns the exit status. */
int with_trace(const char *path, const struct trace_options *options,
               bool (*use)(struct program *prog, void *context, struct error *err), void *context);
