/* Preparations before the first trace plays: reads all, and makes what they need. */
#pragma once

#include "run/jobs/job.h"
#include "run/process/progress.h"

/* Reads the traces of the jobs (job->path), sets their names and configurations; makes the folders of reports, waves
 * and coverage, and the simulators. False, with messages, if one of the jobs cannot be played. */
bool prepare_jobs(const struct run_options *options, struct job *jobs, size_t count, struct warning_kinds *warnings);

/* Sets unique names for jobs whose paths are known. */
void prepare_names(struct job *jobs, size_t count);
