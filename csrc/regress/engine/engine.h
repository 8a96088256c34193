/* Where the tests of a night run: processes of this machine (local.c), or jobs of a Slurm cluster (slurm.c). */
#ifndef REGRESS_ENGINE_ENGINE_H
#define REGRESS_ENGINE_ENGINE_H

#include "regress/plan/test.h"
#include "run/result/result.h"

/* The events of an engine, of which each layer reports the same: a job of the pool, a test of the engine and a test of
 * the night has started, made progress, and ended. */
struct engine_listener {
    void (*started)(void *context, size_t test, const char *host);
    /* part: of its work that is done, 0 to 1. */
    void (*progress)(void *context, size_t test, double part);
    /* The final result, which the listener may take over (and leave empty). When it returns true the result outlives
     * this process; after false the engine ends everything and returns. */
    bool (*ended)(void *context, size_t test, const char *host, struct result *result);
    /* A line for a person. NULL: it goes to stderr. */
    void (*message)(void *context, const char *line);
    /* A few times a second. started, progress and tick may be NULL. */
    void (*tick)(void *context);
    void *context;
};

struct engine_job {
    const struct test *tests; /* of the night */
    const size_t *order;      /* indices of those to run, the longest first */
    size_t count;
    int jobs;           /* processes at a time */
    const char *folder; /* of the night: absolute path, exists */
    double end;         /* process_clock() after which nothing starts, 0: never */
    int ledger;         /* of the night, in which tests note their results themselves (run/result/ledger.h); 0: none */
    struct engine_listener listener;
    /* For Slurm: */
    const char *slurm_options; /* words for sbatch; NULL: none */
    double chunk_seconds;      /* wall time that one job is to take; 0: the default */
    const double *seconds;     /* wall time of each test of the night, as far as it is known; 0: it is not */
};

/* The result of a test that has noted it in the ledger, as a line of JSON, and whose runner is gone. False if the line
 * is not a result. */
bool engine_noted(const struct test *test, const char *folder, const char *line, struct result *result);

enum engine_end { ENGINE_DONE, ENGINE_INTERRUPTED /* by a signal, or the end of the night */, ENGINE_FAILED };

/* Run the tests. Tests that have started and have no result yet are not reported. ENGINE_FAILED with a message;
 * signal: that ended it, or 0. */
enum engine_end engine_local(const struct engine_job *job, int *signal, struct error *err);
enum engine_end engine_slurm(const struct engine_job *job, int *signal, struct error *err);

#endif
