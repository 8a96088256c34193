/* Jobs that run in parallel: waits for all of them and for signals, reads what they send, enforces their limits. */
#pragma once

#include <poll.h>

#include "run/jobs/job.h"
#include "run/process/process.h"
#include "run/serve/servers.h"

enum { POOL_ALSO = 2 };

struct pool {
    struct job **running;
    size_t count;
    int signals; /* signalfd of SIGINT, SIGTERM, SIGHUP unless ignored, SIGUSR1 and SIGCHLD, all of which are blocked
                    from now on */
    bool groups; /* each job leads a process group, and everything that it started ends with it */
    struct process_guard guard;
    struct servers servers;
    size_t to_come;                /* jobs still to be started, if the owner of the pool says so */
    double pause;                  /* seconds between two reads of what the jobs send */
    double checked, heard, swept;  /* process_clock() of the last check, read, and search for orphans */
    bool busy;                     /* a job sends much */
    struct pollfd also[POOL_ALSO]; /* of the owner: what happens to them also ends a wait, which sets revents */
    size_t also_count;
};

/* False with a message if the system refuses. */
bool pool_open(struct pool *pool, bool groups, struct error *err);
/* No job may be running. */
void pool_close(struct pool *pool);

/* Starts a job, see job_start(). It counts as running until `ended` was called for it. */
bool pool_start(struct pool *pool, struct job *job, const struct run_options *options, bool progress,
                struct error *err);

/* Starts, in advance, the server that jobs of these options and this configuration will use. */
void pool_expect(struct pool *pool, const struct run_options *options, const struct nvdla_config *config);

/* False while that server is not ready: the job starts sooner if it waits until pool_wait() returns. */
bool pool_ready(struct pool *pool, const struct job *job, const struct run_options *options);

/* Waits until something happens, for at most that many seconds (negative: without limit), and handles it. Returns the
 * signal that asks to end everything, or 0. SIGUSR1 is passed on to simulators that record waves. */
int pool_wait(struct pool *pool, double seconds, const struct job_listener *listener);

/* Sends a signal to all that run. */
void pool_signal(const struct pool *pool, int number);
