/* Jobs that run at the same time: waits for all of them and for signals at once, takes in what they say, keeps their
 * limits.
 */
#ifndef RUN_JOBS_POOL_H
#define RUN_JOBS_POOL_H

#include "run/jobs/job.h"
#include "run/jobs/lanes.h"
#include "run/process/process.h"
#include "run/serve/servers.h"

struct pool {
    struct job **running;
    size_t count;
    int signals; /* signalfd of SIGINT, SIGTERM, SIGHUP unless that is ignored, SIGUSR1 and the ends of children, which
                    are blocked from now on */
    bool groups; /* each job leads a group of processes, and all that it has started ends with it */
    struct process_guard guard;
    struct servers servers;
    struct lanes lanes;           /* of them */
    size_t to_come;               /* jobs that are still to be started, as far as the owner of the pool says so */
    double pause;                 /* seconds between two times that it is listened to what the jobs say */
    double checked, heard, swept; /* process_clock() of the last look at the limits, at what the jobs say, and for
                                     processes that have lost their parent */
    bool busy;                    /* one of them says much */
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

/* Starts a job with that server; NULL: none. */
bool pool_start_with(struct pool *pool, struct server *server, struct job *job, const struct run_options *options,
                     bool progress, struct error *err);

/* Whether servers may play the job, and which; NULL: none. */
struct server *pool_server(struct pool *pool, const struct job *job, const struct run_options *options);

/* True if that server is ready for it. */
bool pool_server_ready(struct pool *pool, struct server *server, const struct job *job,
                       const struct run_options *options);

/* Puts a job into the queue of a server that is ready, for its lanes. False if that is not possible now. */
bool pool_queue(struct pool *pool, struct server *server, struct job *job, const struct run_options *options,
                bool progress);

/* Starts one more lane of it, which plays what is in the queue; ledger: that its jobs have. False if it cannot be: what
 * is in the queue is lost then unless another lane runs. */
bool pool_lane(struct pool *pool, struct server *server, int ledger, const struct job_listener *listener);

/* Takes back all that is in the queues: it is lost. */
void pool_take_back(struct pool *pool, const struct job_listener *listener);

/* How many play: jobs with a process of their own, and lanes. */
size_t pool_playing(const struct pool *pool);

/* Starts another program, see job_start_program(). */
bool pool_start_program(struct pool *pool, struct job *job, char *const *words, struct error *err);

/* Waits until something happens, at most that many seconds (negative: as long as it takes), and takes it in. Returns
 * the signal that asks to end all, 0 if none does. SIGUSR1 is handed on: it is for simulators that record waves. */
int pool_wait(struct pool *pool, double seconds, const struct job_listener *listener);

/* Sends a signal to all that run. */
void pool_signal(const struct pool *pool, int number);

#endif
