/* What runs inside a job of a Slurm cluster: `nvcosim regress --worker=FOLDER CHUNK`, for engine_slurm() alone. */
#ifndef REGRESS_ENGINE_WORKER_H
#define REGRESS_ENGINE_WORKER_H

#include <stddef.h>

/* Runs the tests of a chunk (slurm_files.h) with engine_local(), as many at a time as the job has processors
 * (--cpus-per-task), and reports their results in slurm/results/CHUNK. folder: of the night. Returns the exit status:
 * 0 if it ran all tests, whatever their verdicts. */
int worker_main(const char *folder, size_t chunk);

#endif
