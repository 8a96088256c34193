/* The runner's side of the lanes of serve.h: which there are, which jobs are in the queues of their servers, and what
 * the lanes say of them, which is read a few times a second, of many jobs at once.
 */
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
    } * entries; /* jobs that were put into a queue, by their IDs from `first` on */
    uint64_t first;
    size_t entry_count, open; /* open: entries that have a job */
};

/* Puts a job into the queue of the server. False if that is not possible now. */
bool lanes_queue(struct lanes *lanes, struct server *server, struct job *job, const struct run_options *options,
                 bool progress);

/* Starts a lane of the server, a group that the guard ends with this process; ledger: 0: there is none. If none can be
 * started what is in its queue is lost, and false returned. */
bool lanes_start(struct lanes *lanes, struct server *server, int ledger, const struct process_guard *guard,
                 const struct job_listener *listener);

/* How many lanes of that server run. */
size_t lanes_of(const struct lanes *lanes, const struct server *server);

/* Takes in what the lanes have said. Returns true if that was so much that they should be listened to again at once. */
bool lanes_hear(struct lanes *lanes, const struct job_listener *listener);

/* Lets those go that have ended. Returns whether one has. */
bool lanes_let_go(struct lanes *lanes, const struct process_guard *guard, const struct job_listener *listener);

/* Ends jobs that exceed a limit; to be called a few times a second. */
void lanes_check(struct lanes *lanes, const struct job_listener *listener);

/* Takes back what no lane has taken out of the queues yet: it is lost. */
void lanes_take_back(struct lanes *lanes, const struct servers *servers, const struct job_listener *listener);

/* Sends a signal to all lanes and what they play. */
void lanes_signal(const struct lanes *lanes, int number);

/* The IDs of their processes; returns how many, at most room. */
size_t lanes_pids(const struct lanes *lanes, pid_t *pids, size_t room);

/* No lane may run any more. */
void lanes_free(struct lanes *lanes);

#endif
