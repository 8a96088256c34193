/* Jobs that run in parallel: waits for all of them and for signals, reads what they send, enforces their limits. */
#ifndef RUN_JOBS_POOL_H
#define RUN_JOBS_POOL_H

#include <poll.h>

#include "run/jobs/job.h"
#include "run/jobs/lanes.h"
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
    struct lanes lanes;            /* of them */
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

/* Starts a job with that server; NULL: none. */
bool pool_start_with(struct pool *pool, struct server *server, struct job *job, const struct run_options *options,
                     bool progress, struct error *err);

/* The server that may play the job; NULL: none. */
struct server *pool_server(struct pool *pool, const struct job *job, const struct run_options *options);

/* True if that server is ready for it. */
bool pool_server_ready(struct pool *pool, struct server *server, const struct job *job,
                       const struct run_options *options);

/* Puts a job into the queue of a ready server, for its lanes. False if that is not possible now. */
bool pool_queue(struct pool *pool, struct server *server, struct job *job, const struct run_options *options,
                bool progress);

/* Starts one more lane of it, to play what is in the queue; ledger: that of its jobs. False if it cannot be started:
 * the queue is lost then unless another lane runs. */
bool pool_lane(struct pool *pool, struct server *server, int ledger, const struct job_listener *listener);

/* Takes back everything from the queues: it is lost. */
void pool_take_back(struct pool *pool, const struct job_listener *listener);

/* Number of players: jobs with their own process, and lanes. */
size_t pool_playing(const struct pool *pool);

/* Starts another program, see job_start_program(). */
bool pool_start_program(struct pool *pool, struct job *job, char *const *words, struct error *err);

/* Waits until something happens, for at most that many seconds (negative: without limit), and handles it. Returns the
 * signal that asks to end everything, or 0. SIGUSR1 is passed on to simulators that record waves. */
int pool_wait(struct pool *pool, double seconds, const struct job_listener *listener);

/* Sends a signal to all that run. */
void pool_signal(const struct pool *pool, int number);

#endif
