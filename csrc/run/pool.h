/* Jobs that run at the same time: waits for all of them and for signals at once, takes in what they say, keeps their
 * limits.
 */
#ifndef RUN_POOL_H
#define RUN_POOL_H

#include "run/job.h"
#include "run/process.h"
#include "run/servers.h"

struct pool {
    struct job **running;
    size_t count;
    int signals; /* signalfd of SIGINT, SIGTERM, SIGHUP unless that is ignored, SIGUSR1 and the ends of children, which
                    are blocked from now on */
    bool groups; /* each job leads a group of processes, and all that it has started ends with it */
    struct process_guard guard;
    struct servers servers;
    size_t to_come;               /* jobs that are still to be started, as far as the owner of the pool says so */
    double checked, heard, swept; /* process_clock() of the last look at the limits, at what the jobs say, and for
                                     processes that have lost their parent */
    bool busy;                    /* one of them says much */
};

/* Who waits. */
struct pool_listener {
    /* The job has said something; printed: bytes at the end of job->output. NULL: nobody is interested. */
    void (*heard)(void *context, struct job *job, size_t printed);
    void (*ended)(void *context, struct job *job); /* its process is there to be waited for */
    void *context;
};

/* False with a message if the system refuses. */
bool pool_open(struct pool *pool, bool groups, struct error *err);
/* No job may run any more. */
void pool_close(struct pool *pool);

/* Starts a job, see job_start(). It is one of those running until `ended` was called for it. */
bool pool_start(struct pool *pool, struct job *job, const struct run_options *options, bool progress,
                struct error *err);

/* Begins what jobs of these options and this configuration are started by, before they are there. */
void pool_expect(struct pool *pool, const struct run_options *options, const struct nvdla_config *config);

/* False while that is not ready yet: the job starts sooner if it waits until pool_wait() returns. */
bool pool_ready(struct pool *pool, const struct job *job, const struct run_options *options);

/* Starts another program, see job_start_program(). */
bool pool_start_program(struct pool *pool, struct job *job, char *const *words, struct error *err);

/* Waits until something happens, at most that many seconds (negative: as long as it takes), and takes it in. Returns
 * the signal that asks to end all, 0 if none does. SIGUSR1 is handed on: it is for simulators that record waves. */
int pool_wait(struct pool *pool, double seconds, const struct pool_listener *listener);

/* Sends a signal to all that run. */
void pool_signal(const struct pool *pool, int number);

#endif
