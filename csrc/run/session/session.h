/* Plays one trace, compares, reports, and says what came of it. */
#ifndef RUN_SESSION_SESSION_H
#define RUN_SESSION_SESSION_H

#include <stdio.h>

#include "device/rtl_options.h"
#include "run/options/options.h"

/* Name of a trace for people and for report directories: the file name without directory and suffix; the directory's
 * name where the file is called input.txn or a directory is given. Returns text. */
char *trace_name(const char *path, char *text, size_t size);

/* Reads the trace of a run. The configuration asked for, if any, takes the place of the one that an .nvt header names;
 * both must have the same register map. NULL with a message. */
struct program *read_trace(const struct run_options *options, const char *path, struct error *err);

/* Plays options->traces.items[0]. open and context give the RTL; both NULL where only the model is played (options->dut
 * must say so). rtl_name is the device name for messages ("rtl", "rtl:mine"). The result goes to options->result_fd as
 * data, else it is printed. A signal to end does not interrupt that and the report. Returns the exit status. */
int play_one(const struct run_options *options, const char *rtl_name, rtl_open open, void *context);

/* Says by the same way that the trace is not played, and why (printf text). Returns the exit status. */
int play_none(const struct run_options *options, const char *dut, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
