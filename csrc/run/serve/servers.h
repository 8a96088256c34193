/* The runner's side of serve.h: the running servers and their work. */
#pragma once

#include <sys/types.h>

#include "run/options/options.h"
#include "run/process/process.h"
#include "run/serve/serve.h"

struct server;

struct servers {
    struct server **items; /* one for each simulator and kind of reset that jobs have asked for */
    size_t count;
    bool groups;   /* process groups: struct pool */
    uint64_t used; /* number of requests */
};

/* The server for jobs with that simulator and these options, running or not; NULL if they must start their own
 * simulators. Valid until servers_free(). */
struct server *servers_find(struct servers *servers, const struct run_options *options,
                            const struct nvdla_config *config, const char *simulator);

/* Requests it for a job with these options. True if it is ready now. It is started on the second request if `to_come`
 * more jobs are worth it. */
bool server_ready(struct servers *servers, struct server *server, const struct run_options *options,
                  const struct nvdla_config *config, size_t to_come);

/* Starts it for jobs to come. */
void server_begin(struct servers *servers, struct server *server, const struct run_options *options,
                  const struct nvdla_config *config);

/* True if server_begin() started it and it will soon be ready: jobs should wait. */
bool server_coming(struct server *server);

/* The sockets of servers that will report when they are ready; returns the number, at most room. */
size_t servers_sockets(const struct servers *servers, int *sockets, size_t room);

/* Makes a copy of the server play: a child of this process, as if started by process_spawn(). Returns its ID, or -1 if
 * that failed. */
pid_t server_start(struct server *server, const struct process_program *program);

/* The IDs of running servers; returns the number, at most room. */
size_t servers_pids(const struct servers *servers, pid_t *pids, size_t room);

/* No further requests: all servers end, and what they started runs on. */
void servers_dismiss(const struct servers *servers);

/* Ends all. What they started runs on. */
void servers_free(struct servers *servers);
