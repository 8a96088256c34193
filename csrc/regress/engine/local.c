/* The tests of a night as processes of this machine: one simulator each, or a copy of this process for the model alone.
 *
 * Tests cannot affect each other: all that a test starts ends with it, and with this process, however that ends; its
 * limits are enforced; what it prints is read in turns. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "regress/engine/builds.h"
#include "regress/engine/engine.h"
#include "regress/plan/option_sets.h"
#include "run/jobs/pool.h"

#define TICK_SECONDS 0.25

/* A test from its start until its result is kept. */
struct slot {
    struct job job;            /* first: a job of the pool is a slot */
    struct set_options played; /* how */
    char *path;
    const struct test *test;
    size_t number;
    char *why; /* it cannot be played; NULL: it can */
    struct result result;
};

struct local {
    const struct engine_job *work;
    struct pool pool;
    struct option_sets sets;
    size_t next;         /* in work->order */
    size_t done;         /* tests that have a result */
    struct slot **ended; /* whose results are to be kept */
    size_t ended_count;
    char host[256];
    char *simulators; /* folder of the night's copies */
    bool clean;       /* there was no report in the folder of the night */
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
    free(slot->why);
    free(slot);
}

/* Notes that a test is done; its result is kept when the next one has started. */
static void add_ended(struct local *local, struct slot *slot) {
    local->ended = xrealloc(local->ended, (local->ended_count + 1) * sizeof(struct slot *));
    local->ended[local->ended_count++] = slot;
    local->done++;
}

/* Fills in what is needed to play slot->test. */
static bool prepare(struct option_sets *sets, struct slot *slot, const char *folder, struct error *err) {
    const struct test *test = slot->test;
    slot->path = test_trace(test, folder);
    slot->job = (struct job){.path = slot->path,
                             .name = test_name(test),
                             .command = test_command(test),
                             .config = nvdla_config_find(test->config),
                             .max_seconds = test->max_seconds,
                             .max_memory = test->max_memory,
                             .layer = {.generator = test->generator, .seed = test->layer_seed},
                             .result_end = -1,
                             .output_end = -1};
    const bool read = set_options_take(sets, test, folder, &slot->played, err);
    return slot->job.config ? read : error_set(err, "there is no configuration '%s'", test->config);
}

static bool wants_progress(const struct local *local) {
    return listener_of(local)->progress != NULL;
}

static struct slot *slot_read(struct local *local, size_t number) {
    struct slot *slot = xcalloc(1, sizeof *slot);
    struct error err;
    slot->number = number;
    slot->test = &local->work->tests[number];
    if (!prepare(&local->sets, slot, local->work->folder, &err))
        slot->why = xstrdup(err.text);
    slot->played.options.simulators = local->simulators;
    slot->job.ledger = local->work->ledger;
    slot->job.number = number;
    slot->job.clean = local->clean;
    return slot;
}

static void report_started(const struct local *local, const struct slot *slot) {
    if (listener_of(local)->started)
        listener_of(local)->started(listener_of(local)->context, slot->number, local->host);
}

/* Starts a process for the test. */
static void start(struct local *local, struct slot *slot) {
    struct error err;
    if (slot->why)
        error_set(&err, "%s", slot->why);
    else if (pool_start(&local->pool, &slot->job, &slot->played.options, wants_progress(local), &err)) {
        report_started(local, slot);
        return;
    }
    slot->result = job_failed(&slot->job, &slot->played.options, err.text);
    add_ended(local, slot);
}

bool engine_noted(const struct test *test, const char *folder, const char *line, struct result *result) {
    struct slot *slot = xcalloc(1, sizeof *slot);
    struct option_sets sets = {0};
    struct error err;
    slot->test = test;
    const bool well = prepare(&sets, slot, folder, &err) && job_noted(&slot->job, &slot->played.options, line, result);
    slot_free(slot);
    option_sets_free(&sets);
    return well;
}

static void on_progress(void *context, struct job *job, size_t printed) {
    struct local *local = context;
    (void)printed;
    if (listener_of(local)->progress)
        listener_of(local)->progress(listener_of(local)->context, ((struct slot *)job)->number, job->part);
}

static void on_ended(void *context, struct job *job) {
    struct local *local = context;
    struct slot *slot = (struct slot *)job;
    if (local->killed) {
        job_abandon(job);
        slot_free(slot);
        return;
    }
    slot->result = job_result(job, &slot->played.options);
    add_ended(local, slot);
}

/* ---- all of them ---- */

static struct job_listener pool_listener(struct local *local) {
    return (struct job_listener){.progress = on_progress, .ended = on_ended, .context = local};
}

static void start_more(struct local *local) {
    const struct engine_job *work = local->work;
    const size_t jobs = (size_t)work->jobs;
    if (work->end > 0 && process_clock() > work->end && !local->stopped) {
        local->stopped = true;
        const size_t left = work->count - local->done - local->pool.count;
        if (left > 0)
            say(local, "the time of the night is over: %zu test%s not started, %zu running", left, left == 1 ? "" : "s",
                local->pool.count);
    }
    if (local->stopped)
        return;
    while (local->pool.count < jobs && local->next < work->count) {
        local->pool.to_come = work->count - local->next;
        start(local, slot_read(local, work->order[local->next++]));
    }
}

/* Ends all that runs, now. */
static void kill_all(struct local *local) {
    const struct job_listener listener = pool_listener(local);
    local->stopped = local->killed = true;
    pool_signal(&local->pool, SIGKILL);
    while (local->pool.count > 0)
        pool_wait(&local->pool, -1, &listener);
}

static void keep_results(struct local *local) {
    for (size_t i = 0; i < local->ended_count; i++) {
        struct slot *slot = local->ended[i];
        local->failed = local->failed || !listener_of(local)->ended(listener_of(local)->context, slot->number,
                                                                    local->host, &slot->result);
        slot_free(slot);
    }
    local->ended_count = 0;
    if (local->failed)
        kill_all(local);
}

/* The first Ctrl-C lets the running tests finish; the second one, or another signal, ends them. */
static void obey(struct local *local, int number, int *signal) {
    const bool patient = number == SIGINT && *signal == 0;
    *signal = number;
    local->stopped = true;
    const size_t left = local->pool.count;
    if (!patient)
        kill_all(local);
    else if (left > 0)
        say(local, "interrupted: waiting for the %zu running test%s; once more ends %s at once", left,
            left == 1 ? "" : "s", left == 1 ? "it" : "them");
}

static bool is_empty(const char *path) {
    DIR *folder = opendir(path);
    bool empty = folder || errno == ENOENT;
    for (const struct dirent *entry; folder && empty && (entry = readdir(folder)) != NULL;)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (folder)
        closedir(folder);
    return empty;
}

enum engine_end engine_local(const struct engine_job *job, int *signal, struct error *err) {
    struct local local = {.work = job};
    const struct job_listener listener = pool_listener(&local);
    *signal = 0;
    gethostname(local.host, sizeof local.host - 1);
    if (!pool_open(&local.pool, true, err))
        return ENGINE_FAILED;
    if (!wants_progress(&local))
        local.pool.pause = TICK_SECONDS;
    char *reports = xprintf("%s/reports", job->folder);
    local.clean = is_empty(reports);
    free(reports);
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
    free(local.ended);
    free(local.simulators);
    if (local.failed) {
        error_set(err, "a result could not be kept");
        return ENGINE_FAILED;
    }
    return *signal || local.done < job->count ? ENGINE_INTERRUPTED : ENGINE_DONE;
}
