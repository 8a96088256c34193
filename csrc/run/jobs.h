/* Many traces: each is played by a process of its own, several at a time; what comes of it is printed, and written to
 * the file of --results, when it is there.
 */
#ifndef RUN_JOBS_H
#define RUN_JOBS_H

#include "run/options.h"
#include "run/result.h"

/* Reads every trace of the options, makes what is needed to play them (folders, simulators), plays them. Nothing is
 * played if one of them cannot be read. SIGINT and SIGTERM end all of it. Returns the exit status. */
int jobs_run(const struct run_options *options);

/* Who takes the results instead of the lines for people and of --results. */
struct jobs_listener {
    void (*ended)(void *context, struct result *result); /* takes over what is in it */
    void *context;
    const struct nvdla_config
        *config; /* of all traces, which need not be read before they are played; NULL: read them */
};
int jobs_run_for(const struct run_options *options, const struct jobs_listener *listener);

#endif
