/* Plays one trace, compares, reports, and delivers the result. */
#pragma once

#include <stdio.h>

#include "device/rtl_options.h"
#include "run/options/options.h"

/* Reads the trace of a run. The requested configuration, if any, replaces that of an .nvt header; both must have the
 * same register map. NULL with a message. */
struct program *read_trace(const struct run_options *options, const char *path, struct error *err);
/* Prints the warnings of the reader of a trace or of the compiler of a network. NULL: nothing. */
void print_warnings(const struct program *prog);

/* Plays options->traces.items[0]. open and context provide the RTL; both NULL if only the model is played, as
 * options->dut must say. rtl_name is the device name in messages ("rtl", "rtl:mine"). The result goes to
 * options->result_fd as data, or is printed. A signal that ends the program is held until the result is delivered.
 * Returns the exit status. */
int play_one(const struct run_options *options, const char *rtl_name, rtl_open open, void *context);

/* Reports in the same way that the trace is not played, and why (printf text). Returns the exit status. */
int play_none(const struct run_options *options, const char *dut, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
