/* The runner's side of serve.h: which servers there are, and what they are given to play. */
#ifndef RUN_SERVE_SERVERS_H
#define RUN_SERVE_SERVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "run/options/options.h"
#include "run/process/process.h"
#include "run/serve/serve.h"

struct server;

struct servers {
    struct server **items; /* one for each simulator and way to be reset that jobs have asked for */
    size_t count;
    bool groups;   /* of processes: struct pool */
    uint64_t used; /* how often one was asked for */
};

/* The server for jobs with that simulator and these options, whether it runs or not; NULL: they have to start
 * simulators of their own. It is there until servers_free(). */
struct server *servers_find(struct servers *servers, const struct run_options *options,
                            const struct nvdla_config *config, const char *simulator);

/* The path of its program. */
const char *server_simulator(const struct server *server);

/* Asks for it for a job with these options: true if it is ready now. What is asked for a second time is started if
 * `to_come` more jobs are worth it. */
bool server_ready(struct servers *servers, struct server *server, const struct run_options *options,
                  const struct nvdla_config *config, size_t to_come);

/* Starts it for jobs that are still to come. */
void server_begin(struct servers *servers, struct server *server, const struct run_options *options,
                  const struct nvdla_config *config);

/* True if it was started in that way and is about to be ready: waiting for it is worth while. */
bool server_coming(struct server *server);

/* The sockets of those that are, where they tell it; returns how many, at most room. */
size_t servers_sockets(const struct servers *servers, int *sockets, size_t room);

/* Has a copy of the server play: it becomes a child of this process, as if process_spawn() had started the program.
 * Returns its ID, -1 if that was not possible. */
pid_t server_start(struct server *server, const struct process_program *program);

/* Puts a test into the queue of the server, which its lanes take it out of; its words are those of the program, and so
 * are its limits. number: in the ledger, if it is to note its result there. False if there is no room now. */
bool server_queue(struct server *server, const struct process_program *program, uint64_t id, const uint64_t *number);

/* Seconds that the tests in its queue take, for those who fill it. */
double *server_ahead(struct server *server);

/* True if a test is in the queue. */
bool server_has_queue(const struct server *server);

/* Takes a test out of the queue again. False if it is empty. */
bool server_take_back(struct server *server, uint64_t *id);

/* Has a copy of the server become a lane: a child of this process. files: what it gets as its descriptors up to
 * LANE_QUEUE, and the read end of the pipe of signals. Returns its ID, -1 if that was not possible. */
pid_t server_lane(struct server *server, const int files[LANE_QUEUE], int signals);

/* A lane of it has died. */
void server_lane_died(struct server *server);

/* The IDs of the servers that run; returns how many, at most room. */
size_t servers_pids(const struct servers *servers, pid_t *pids, size_t room);

/* Nobody asks for one any more: they end, and what they have started runs on. */
void servers_dismiss(const struct servers *servers);

/* Ends all. What they have started runs on. */
void servers_free(struct servers *servers);

#endif
