/* The runner's side of the lanes of serve.h: the lanes, the jobs in the queues of their servers, and what the lanes
 * report, which is read a few times a second, for many jobs at once. */
#ifndef RUN_JOBS_LANES_H
#define RUN_JOBS_LANES_H

#include "run/jobs/job.h"
#include "run/process/process.h"
#include "run/serve/servers.h"

struct lane;

struct lanes {
    struct lane **items;
    size_t count;
    struct lane_entry {
        struct job *job; /* NULL: it has ended */
        struct server *server;
    } *entries; /* jobs that were queued, by their IDs from `first` */
    uint64_t first;
    size_t entry_count, open; /* open: entries that have a job */
};

/* Puts a job into the queue of the server. False if that is not possible now. */
bool lanes_queue(struct lanes *lanes, struct server *server, struct job *job, const struct run_options *options,
                 bool progress);

/* Starts a lane of the server, a group that the guard ends with this process; ledger: 0: there is none. False if no
 * lane could be started: the jobs in the queue are lost then. */
bool lanes_start(struct lanes *lanes, struct server *server, int ledger, const struct process_guard *guard,
                 const struct job_listener *listener);

/* Number of running lanes of that server. */
size_t lanes_of(const struct lanes *lanes, const struct server *server);

/* Reads what the lanes have sent. Returns true if that was so much that they should be read again at once. */
bool lanes_hear(struct lanes *lanes, const struct job_listener *listener);

/* Removes lanes that have ended. Returns whether one has. */
bool lanes_let_go(struct lanes *lanes, const struct process_guard *guard, const struct job_listener *listener);

/* Ends jobs that exceed a limit. Call it a few times a second. */
void lanes_check(struct lanes *lanes, const struct job_listener *listener);

/* Takes back the jobs that no lane has taken from the queues: they are lost. */
void lanes_take_back(struct lanes *lanes, const struct servers *servers, const struct job_listener *listener);

/* Sends a signal to all lanes and what they play. */
void lanes_signal(const struct lanes *lanes, int number);

/* The IDs of their processes; returns the number, at most room. */
size_t lanes_pids(const struct lanes *lanes, pid_t *pids, size_t room);

/* No lane may be running. */
void lanes_free(struct lanes *lanes);

#endif
