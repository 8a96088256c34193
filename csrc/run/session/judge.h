/* Judges a trace that was played: from devices and report to a result. */
#pragma once

#include "report/report.h"
#include "run/options/options.h"
#include "run/result/result.h"

/* Compares, writes the report if wanted, and fills the result: verdict, reason, devices, findings, warnings, notes.
 * Returns the launches that the reason names, if it is about wrong bytes. */
struct named_launches judge(const struct run_options *options, struct report_input *input, struct result *result);

/* Sets the verdict to ERROR, with the message as its reason. */
void result_not_played(struct result *result, const char *reason);

/* Adds to the notes what was recorded in that wave file, and how to open it. */
void name_recordings(const struct run_options *options, const char *wave, struct result *result);

/* Writes the timeline of a run as trace events in JSON, the format of Chrome's tracing, which ui.perfetto.dev and its
 * trace_processor read; packed if the name ends in .gz. docs/timeline.md describes tracks and arguments. False with a
 * message if no device counted one, or if the file cannot be written; then no file is left. */
bool timeline_write(const struct report *report, const char *path, struct error *err);

/* The folder of the report on a trace of that name; free() it. */
char *report_folder(const struct run_options *options, const char *name);
