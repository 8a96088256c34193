/* Plays many traces, each in a separate process, several at a time. Each result is printed, and written to the file of
 * --results, as soon as it is known. */
#pragma once

#include "run/options/options.h"
#include "run/result/result.h"

/* Reads all traces of the options, makes what they need (folders, simulators), plays them. Plays nothing if one of them
 * cannot be read. SIGINT and SIGTERM end everything. Returns the exit status. */
int jobs_run(const struct run_options *options);

/* Takes the results instead of printed lines and --results. */
struct jobs_listener {
    void (*ended)(void *context, struct result *result); /* takes over the contents */
    void *context;
    const struct nvdla_config
        *config;  /* of all traces, which then need not be read before they are played; NULL: read them */
    bool to_come; /* the traces are still being made: jobs_expect() names them, and jobs_there() announces each; needs
                     config */
};

/* The same in steps, for a caller that makes the traces while the first of them play. NULL, with messages, if they
 * cannot be played. Until jobs_close(), SIGINT and SIGTERM are handled in jobs_look(). */
struct jobs;
struct jobs *jobs_open(const struct run_options *options, const struct jobs_listener *listener);
/* Announces traces, in the order to play them. The caller keeps the paths. */
void jobs_expect(struct jobs *jobs, const struct words *paths);
/* The trace of that index can be played. */
void jobs_there(struct jobs *jobs, size_t index);
/* Handles events and starts what can start, on all processors except the caller's. Does not wait. Returns 0, or the
 * exit status if a signal ended everything. */
int jobs_look(struct jobs *jobs);
/* Ends what runs, without a verdict. */
void jobs_abandon(struct jobs *jobs);
/* No more traces come: plays the remaining ones. Returns the exit status. */
int jobs_close(struct jobs *jobs);
