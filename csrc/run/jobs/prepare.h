/* What is done before the first trace plays: all are read, and what is needed to play them is made. */
#ifndef RUN_JOBS_PREPARE_H
#define RUN_JOBS_PREPARE_H

#include "run/jobs/job.h"
#include "run/process/progress.h"

/* Reads the traces of the jobs (job->path), gives each its name and configuration; makes the folders of reports, waves
 * and coverage, and the simulators. False, with messages, if one of the jobs cannot be played. */
bool prepare_jobs(const struct run_options *options, struct job *jobs, size_t count, struct warning_kinds *warnings);

/* Names for jobs whose paths are known, all different. */
void prepare_names(struct job *jobs, size_t count);

#endif
