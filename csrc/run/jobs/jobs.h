/* Many traces: each is played by a process of its own, several at a time; what comes of it is printed, and written to
 * the file of --results, when it is there.
 */
#ifndef RUN_JOBS_JOBS_H
#define RUN_JOBS_JOBS_H

#include "run/options/options.h"
#include "run/result/result.h"

/* Reads every trace of the options, makes what is needed to play them (folders, simulators), plays them. Nothing is
 * played if one of them cannot be read. SIGINT and SIGTERM end all of it. Returns the exit status. */
int jobs_run(const struct run_options *options);

/* Who takes the results instead of the lines for people and of --results. */
struct jobs_listener {
    void (*ended)(void *context, struct result *result); /* takes over what is in it */
    void *context;
    const struct nvdla_config
        *config;  /* of all traces, which need not be read before they are played; NULL: read them */
    bool to_come; /* the traces are still being made: jobs_expect() names them, and each is there when jobs_there()
                     says so; needs config */
};

/* The same in steps, for who makes the traces while the first of them play. NULL, with messages, if they cannot be
 * played. From here to jobs_close() SIGINT and SIGTERM wait for the next look. */
struct jobs;
struct jobs *jobs_open(const struct run_options *options, const struct jobs_listener *listener);
/* These will come, in the order in which they are to be played. The paths stay the caller's. */
void jobs_expect(struct jobs *jobs, const struct words *paths);
/* The one of that index can be played. */
void jobs_there(struct jobs *jobs, size_t index);
/* Takes in what has happened and starts what is there, on all processors but the caller's. Does not wait. Returns 0, or
 * the exit status if a signal has ended all of it. */
int jobs_look(struct jobs *jobs);
/* Ends what runs, without a verdict. */
void jobs_abandon(struct jobs *jobs);
/* All traces are there: plays what is left. Returns the exit status. */
int jobs_close(struct jobs *jobs);

#endif
