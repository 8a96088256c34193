/* The tests of a night as processes of this machine: one simulator each, or a copy of this process for the model alone.
 *
 * Tests cannot affect each other: all that a test starts ends with it, and with this process, however that ends; its
 * limits are enforced; what it prints is read in turns.
 *
 * Where simulators can be servers (run/serve/serve.h) tests are queued for them, a second of tests in advance, and
 * played by lanes: this process then wakes a few times a second, however short the tests are. There are as many lanes
 * and processes as tests may run at a time. The queue of a server gets the next tests of the order; when a lane starts,
 * also later tests of the same server, so that lanes do not change with each test. */
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

/* Seconds of tests that are queued for each lane, by how long they took the last time or, if that is not known, by how
 * long others of this night took; and how many tests are looked at for that. */
#define AHEAD_SECONDS 1.0
enum { AHEAD_MOST = 256 };

/* A test from its start until its result is kept. */
struct slot {
    struct job job;            /* first: a job of the pool is a slot */
    struct set_options played; /* how */
    char *path;
    const struct test *test;
    size_t number;
    struct server *server; /* whose lanes can play it; NULL: none */
    double seconds;        /* that it is expected to take; of those in a queue */
    bool started;          /* by a lane */
    bool alone;            /* no lane may play it again */
    char *why;             /* it cannot be played; NULL: it can */
    struct result result;
};

struct local {
    const struct engine_job *work;
    struct pool pool;
    struct option_sets sets;
    size_t next;           /* in work->order */
    struct slot **waiting; /* of the order before that: those that have not been started or queued */
    size_t waiting_count;
    size_t done;         /* tests that have a result */
    double seconds;      /* that those took */
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
    local->seconds += slot->result.seconds;
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
    if (!slot->why)
        slot->server = pool_server(&local->pool, &slot->job, &slot->played.options);
    return slot;
}

/* Adds the next test of the order to those waiting. */
static void read_next(struct local *local) {
    local->waiting = xgrow(local->waiting, local->waiting_count, sizeof(struct slot *));
    local->waiting[local->waiting_count++] = slot_read(local, local->work->order[local->next++]);
}

static struct slot *waiting(struct local *local, size_t index) {
    while (local->waiting_count <= index && local->next < local->work->count)
        read_next(local);
    return index < local->waiting_count ? local->waiting[index] : NULL;
}

static void take_out(struct local *local, size_t index) {
    local->waiting_count--;
    memmove(&local->waiting[index], &local->waiting[index + 1], (local->waiting_count - index) * sizeof(struct slot *));
}

/* Puts it where it is the next one. */
static void put_back(struct local *local, struct slot *slot) {
    local->waiting = xgrow(local->waiting, local->waiting_count, sizeof(struct slot *));
    memmove(&local->waiting[1], &local->waiting[0], local->waiting_count++ * sizeof(struct slot *));
    local->waiting[0] = slot;
}

static void report_started(void *context, struct job *job) {
    struct local *local = context;
    const struct slot *slot = (struct slot *)job;
    if (listener_of(local)->started)
        listener_of(local)->started(listener_of(local)->context, slot->number, local->host);
}

/* Starts a process for the test. */
static void start(struct local *local, struct slot *slot) {
    struct error err;
    if (slot->why)
        error_set(&err, "%s", slot->why);
    else if (pool_start_with(&local->pool, NULL, &slot->job, &slot->played.options, wants_progress(local), &err)) {
        report_started(local, &slot->job);
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

/* ---- lanes ---- */

static double expected(const struct local *local, const struct slot *slot) {
    const double *known = local->work->seconds;
    if (known && known[slot->number] > 0)
        return known[slot->number];
    return local->done ? local->seconds / (double)local->done : AHEAD_SECONDS;
}

static bool give(struct local *local, struct slot *slot) {
    if (!pool_queue(&local->pool, slot->server, &slot->job, &slot->played.options, wants_progress(local)))
        return false;
    slot->seconds = expected(local, slot);
    *server_ahead(slot->server) += slot->seconds;
    return true;
}

static void on_started(void *context, struct job *job) {
    struct slot *slot = (struct slot *)job;
    slot->started = true;
    *server_ahead(slot->server) -= slot->seconds;
    report_started(context, job);
}

/* A lane has lost it without a result: it is the next test that starts, in a process of its own. */
static void on_lost(void *context, struct job *job) {
    struct local *local = context;
    struct slot *slot = (struct slot *)job;
    if (!slot->started)
        *server_ahead(slot->server) -= slot->seconds;
    if (local->stopped) {
        slot_free(slot);
        return;
    }
    const size_t number = slot->number;
    slot_free(slot);
    put_back(local, slot_read(local, number));
    local->waiting[0]->alone = true;
    local->waiting[0]->job.clean = false;
}

static struct job_listener pool_listener(struct local *local) {
    return (struct job_listener){
        .started = on_started, .progress = on_progress, .ended = on_ended, .lost = on_lost, .context = local};
}

/* Queues the next tests of the order for the server; beyond: for one more lane, and also those that come after tests
 * that it cannot play. */
static void fill(struct local *local, struct server *server, bool beyond) {
    const double most = AHEAD_SECONDS * (double)(lanes_of(&local->pool.lanes, server) + beyond);
    for (size_t i = 0; i < AHEAD_MOST && *server_ahead(server) < most;) {
        struct slot *slot = waiting(local, i);
        if (slot && !slot->alone && slot->server == server) {
            if (!give(local, slot))
                break;
            take_out(local, i);
        } else if (slot && beyond)
            i++;
        else
            break;
    }
}

/* Lets one of the lanes, or a process of its own, play the test. */
static void let_play(struct local *local, struct slot *slot) {
    const struct job_listener listener = pool_listener(local);
    struct server *server = slot->alone ? NULL : slot->server;
    local->pool.to_come = local->work->count - local->next + local->waiting_count;
    if (server && pool_server_ready(&local->pool, server, &slot->job, &slot->played.options) && give(local, slot)) {
        fill(local, server, true);
        pool_lane(&local->pool, server, local->work->ledger, &listener);
    } else
        start(local, slot);
}

/* If nothing else remains to start, one more lane for what is queued. */
static void help(struct local *local) {
    const struct job_listener listener = pool_listener(local);
    const struct servers *servers = &local->pool.servers;
    for (size_t i = 0; i < servers->count; i++)
        if (server_has_queue(servers->items[i])) {
            pool_lane(&local->pool, servers->items[i], local->work->ledger, &listener);
            return;
        }
}

/* ---- all of them ---- */

/* From now on nothing starts. */
static void stop(struct local *local) {
    const struct job_listener listener = pool_listener(local);
    local->stopped = true;
    pool_take_back(&local->pool, &listener);
}

/* Tests that are played now, or that a lane has just taken. */
static size_t playing(const struct local *local) {
    return local->pool.count + local->pool.lanes.open;
}

static void start_more(struct local *local) {
    const struct engine_job *work = local->work;
    const size_t jobs = (size_t)work->jobs;
    if (work->end > 0 && process_clock() > work->end && !local->stopped) {
        stop(local);
        const size_t left = work->count - local->done - playing(local);
        if (left > 0)
            say(local, "the time of the night is over: %zu test%s not started, %zu running", left, left == 1 ? "" : "s",
                playing(local));
    }
    if (local->stopped)
        return;
    for (struct slot *slot; pool_playing(&local->pool) < jobs && (slot = waiting(local, 0)) != NULL;) {
        take_out(local, 0);
        let_play(local, slot);
    }
    if (pool_playing(&local->pool) < jobs)
        help(local);
    for (struct server *server = NULL, *last = NULL; waiting(local, 0); last = server) {
        server = waiting(local, 0)->server;
        if (!server || server == last || lanes_of(&local->pool.lanes, server) == 0)
            break;
        fill(local, server, false);
    }
}

/* Ends all that runs, now. */
static void kill_all(struct local *local) {
    const struct job_listener listener = pool_listener(local);
    stop(local);
    local->killed = true;
    pool_signal(&local->pool, SIGKILL);
    while (pool_playing(&local->pool) > 0)
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
    stop(local);
    const size_t left = playing(local);
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
    while (pool_playing(&local.pool) > 0) {
        const int number = pool_wait(&local.pool, listener_of(&local)->tick ? TICK_SECONDS : -1, &listener);
        if (number)
            obey(&local, number, signal);
        start_more(&local);
        keep_results(&local);
        if (listener_of(&local)->tick)
            listener_of(&local)->tick(listener_of(&local)->context);
    }
    keep_results(&local);
    for (size_t i = 0; i < local.waiting_count; i++)
        slot_free(local.waiting[i]);
    free(local.waiting);
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
