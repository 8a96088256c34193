/* The runner's side of serve.h: which servers there are, and what they are given to play. */
#ifndef RUN_SERVERS_H
#define RUN_SERVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "run/options.h"
#include "run/process.h"

struct server;

struct servers {
    struct server *items; /* one for each simulator and way to be reset that jobs have asked for */
    size_t count;
    bool groups; /* of processes: struct pool */
    uint64_t used;
};

/* The server for a job whose simulator and options these are, if it is ready now; NULL: the job has to start a
 * simulator of its own. What is asked for a second time gets a server if `to_come` more jobs are worth it. */
struct server *servers_find(struct servers *servers, const struct run_options *options,
                            const struct nvdla_config *config, const char *simulator, size_t to_come);

/* Begins the server for jobs that are still to come: it is ready when they are, or soon. */
void servers_begin(struct servers *servers, const struct run_options *options, const struct nvdla_config *config,
                   const char *simulator);

/* True if such a server is about to be ready for the job: waiting for it is worth while. */
bool servers_coming(struct servers *servers, const struct run_options *options, const struct nvdla_config *config,
                    const char *simulator);

/* The sockets of the servers that are about to be ready, which is what they say there; returns how many, at most room.
 */
size_t servers_sockets(const struct servers *servers, int *sockets, size_t room);

/* Has a copy of the server play: it becomes a child of this process, as if process_spawn() had started the program.
 * Returns its ID, -1 if that was not possible. */
pid_t server_start(struct server *server, const struct process_program *program);

/* The IDs of the servers that run; returns how many, at most room. */
size_t servers_pids(const struct servers *servers, pid_t *pids, size_t room);

/* Ends all. What they have started runs on. */
void servers_free(struct servers *servers);

#endif
