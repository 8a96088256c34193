/* The tests of a night as processes of this machine: one simulator each, or a copy of this process for the model alone.
 *
 * Nothing that a test does touches another: each leads a group of processes of its own, which ends with it, and with
 * this process, however that ends; its limits are kept; what it prints is read in turns.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "regress/builds.h"
#include "regress/engine.h"
#include "regress/option_sets.h"
#include "run/pool.h"

#define TICK_SECONDS 0.25

/* A test from its start until its result is kept. */
struct slot {
    struct job job;            /* first: a job of the pool is a slot */
    struct set_options played; /* how */
    char *path;
    const struct test *test;
    size_t number;
    struct result result;
};

struct local {
    const struct engine_job *work;
    struct pool pool;
    struct option_sets sets;
    size_t next;            /* in work->order */
    struct slot **finished; /* whose results are to be kept */
    size_t finished_count;
    char host[256];
    char *simulators; /* folder of the night's copies */
    bool stopped;     /* nothing more starts */
    bool killed;      /* those that ran were ended without a result */
    bool failed;      /* a result could not be kept */
};

static const struct engine_listener *listener_of(const struct local *local) {
    return &local->work->listener;
}

__attribute__((format(printf, 2, 3))) static void say(const struct local *local, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *line = xvprintf(format, arguments);
    va_end(arguments);
    if (listener_of(local)->message)
        listener_of(local)->message(listener_of(local)->context, line);
    else
        fprintf(stderr, "nvcosim: %s\n", line);
    free(line);
}

/* ---- one test ---- */

static void slot_free(struct slot *slot) {
    job_free(&slot->job);
    set_options_leave(&slot->played);
    result_free(&slot->result);
    free(slot->path);
    free(slot);
}

static void set_command(struct result *result, const struct test *test) {
    free(result->command);
    result->command = test_command(test);
}

/* Notes that a test is done; its result is kept when the next one has started. */
static void finish(struct local *local, struct slot *slot) {
    set_command(&slot->result, slot->test);
    local->finished = xrealloc(local->finished, (local->finished_count + 1) * sizeof(struct slot *));
    local->finished[local->finished_count++] = slot;
}

/* Fills in what playing slot->test takes. */
static bool prepare(struct option_sets *sets, struct slot *slot, const char *folder, struct error *err) {
    const struct test *test = slot->test;
    slot->path = test_trace(test, folder);
    slot->job = (struct job){.path = slot->path,
                             .name = test_name(test),
                             .config = nvdla_config_find(test->config),
                             .max_seconds = test->max_seconds,
                             .max_memory = test->max_memory,
                             .layer = {.generator = test->generator, .seed = test->layer_seed},
                             .result_end = -1,
                             .output_end = -1};
    const bool read = set_options_take(sets, test, folder, &slot->played, err);
    return slot->job.config ? read : error_set(err, "there is no configuration '%s'", test->config);
}

static void start(struct local *local, size_t number) {
    struct slot *slot = xcalloc(1, sizeof *slot);
    struct error err;
    slot->number = number;
    slot->test = &local->work->tests[number];
    bool well = prepare(&local->sets, slot, local->work->folder, &err);
    slot->played.options.simulators = local->simulators;
    slot->job.ledger = local->work->ledger;
    slot->job.number = number;
    local->pool.to_come = local->work->count - local->next;
    well =
        well && pool_start(&local->pool, &slot->job, &slot->played.options, listener_of(local)->progress != NULL, &err);
    if (well) {
        if (listener_of(local)->started)
            listener_of(local)->started(listener_of(local)->context, number, local->host);
        return;
    }
    slot->result = job_failed(&slot->job, &slot->played.options, err.text);
    finish(local, slot);
}

bool engine_noted(const struct test *test, const char *folder, const char *line, struct result *result) {
    struct slot *slot = xcalloc(1, sizeof *slot);
    struct option_sets sets = {0};
    struct error err;
    slot->test = test;
    const bool well = prepare(&sets, slot, folder, &err) && job_noted(&slot->job, &slot->played.options, line, result);
    if (well)
        set_command(result, test);
    slot_free(slot);
    option_sets_free(&sets);
    return well;
}

static void heard(void *context, struct job *job, size_t printed) {
    struct local *local = context;
    (void)printed;
    if (listener_of(local)->progress)
        listener_of(local)->progress(listener_of(local)->context, ((struct slot *)job)->number, job->part);
}

static void ended(void *context, struct job *job) {
    struct local *local = context;
    struct slot *slot = (struct slot *)job;
    if (local->killed) {
        job_abandon(job);
        slot_free(slot);
        return;
    }
    slot->result = job_result(job, &slot->played.options);
    finish(local, slot);
}

/* ---- all of them ---- */

static void start_more(struct local *local) {
    const struct engine_job *work = local->work;
    if (work->end > 0 && process_clock() > work->end && !local->stopped) {
        local->stopped = true;
        if (local->next < work->count)
            say(local, "the time of the night is over: %zu test%s not started, %zu running", work->count - local->next,
                work->count - local->next == 1 ? "" : "s", local->pool.count);
    }
    while (!local->stopped && local->next < work->count && local->pool.count < (size_t)work->jobs)
        start(local, work->order[local->next++]);
}

/* Ends all that runs, now. */
static void kill_all(struct local *local) {
    const struct pool_listener listener = {.ended = ended, .context = local};
    local->stopped = local->killed = true;
    pool_signal(&local->pool, SIGKILL);
    while (local->pool.count > 0)
        pool_wait(&local->pool, -1, &listener);
}

static void keep_results(struct local *local) {
    for (size_t i = 0; i < local->finished_count; i++) {
        struct slot *slot = local->finished[i];
        local->failed = local->failed || !listener_of(local)->done(listener_of(local)->context, slot->number,
                                                                   local->host, &slot->result);
        slot_free(slot);
    }
    local->finished_count = 0;
    if (local->failed)
        kill_all(local);
}

/* The first Ctrl-C lets the running tests come to their end; whoever asks twice, or asks by another signal, does not
 * wait. */
static void obey(struct local *local, int number, int *signal) {
    const bool patient = number == SIGINT && *signal == 0;
    *signal = number;
    local->stopped = true;
    if (!patient)
        kill_all(local);
    else if (local->pool.count > 0)
        say(local, "interrupted: waiting for the %zu running test%s; once more ends %s at once", local->pool.count,
            local->pool.count == 1 ? "" : "s", local->pool.count == 1 ? "it" : "them");
}

enum engine_end engine_local(const struct engine_job *job, int *signal, struct error *err) {
    struct local local = {.work = job};
    const struct pool_listener listener = {.heard = heard, .ended = ended, .context = &local};
    *signal = 0;
    gethostname(local.host, sizeof local.host - 1);
    if (!pool_open(&local.pool, true, err))
        return ENGINE_FAILED;
    local.simulators = xprintf("%s/" BUILDS_FOLDER, job->folder);
    start_more(&local);
    keep_results(&local);
    while (local.pool.count > 0) {
        const int number = pool_wait(&local.pool, listener_of(&local)->tick ? TICK_SECONDS : -1, &listener);
        if (number)
            obey(&local, number, signal);
        start_more(&local);
        keep_results(&local);
        if (listener_of(&local)->tick)
            listener_of(&local)->tick(listener_of(&local)->context);
    }
    keep_results(&local);
    pool_close(&local.pool);
    option_sets_free(&local.sets);
    free(local.finished);
    free(local.simulators);
    if (local.failed) {
        error_set(err, "a result could not be kept");
        return ENGINE_FAILED;
    }
    return *signal || local.next < job->count ? ENGINE_INTERRUPTED : ENGINE_DONE;
}
