/* A night from its plan to its exit status. See night.h. */
#include "regress/night/night.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/engine/builds.h"
#include "regress/engine/engine.h"
#include "regress/engine/schedule.h"
#include "regress/night/buckets.h"
#include "regress/night/dry_run.h"
#include "regress/night/live.h"
#include "regress/night/notify.h"
#include "regress/night/recover.h"
#include "regress/pages/junit.h"
#include "regress/pages/page.h"
#include "regress/pages/summary.h"
#include "regress/store/query.h"
#include "regress/store/store.h"
#include "run/process/process.h"
#include "run/result/ledger.h"
#include "run/simulators/version.h"

/* Seconds between two times that results go into the database, which costs milliseconds for the disk, and are told.
 * The ledger of the night has them at once. */
#define STORE_SECONDS 2.0

struct ended {
    size_t test;
    int64_t at; /* seconds since 1970 */
    char *host;
    struct result result;
};

struct night {
    const struct night_options *options;
    struct plan *plan;
    struct plan_settings settings;
    char *plan_text, *plan_path, *selected, *engine;
    uint64_t seed;
    char *database, *folder; /* folder: of the night, absolute */
    int jobs;
    struct store *store;
    int64_t id;
    int lock;   /* file that is locked while the night runs */
    int ledger; /* run/result/ledger.h; -1: not open */
    struct test_list tests;
    bool *done; /* by an earlier call; NULL: none */
    struct builds *builds;
    struct schedule schedule;
    struct live *live;
    struct ended *ended; /* results that are only in the ledger yet, and not printed */
    size_t ended_count;
    double stored; /* process_clock() of the last time */
    bool lost;     /* results could not be kept in the database */
    bool broken;   /* something that is to be written could not be */
    double start;
};

static bool on_slurm(const struct night *night) {
    return night->engine && strcmp(night->engine, "slurm") == 0;
}

static void complain(struct night *night, const char *text) {
    night->broken = true;
    if (night->live)
        live_message(night->live, text);
    else
        fprintf(stderr, "nvcosim: %s\n", text);
}

/* ---- what is to be done ---- */

static int cores(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* The path as an absolute one. free() it. */
static char *absolute(const char *path) {
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0), *whole = here ? xprintf("%s/%s", here, path) : xstrdup(path);
    free(here);
    return whole;
}

static bool read_plan(struct night *night, struct error *err) {
    night->plan = plan_read(night->options->plan, &night->plan_text, err);
    night->plan_path = absolute(night->options->plan);
    return night->plan != NULL;
}

static void settle(struct night *night) {
    const struct night_options *options = night->options;
    if (night->plan)
        night->settings = plan_settings(night->plan);
    night->jobs = options->jobs ? options->jobs : night->settings.jobs ? night->settings.jobs : cores();
    if (night->database)
        return;
    char *usual = xprintf("%s/" NIGHTS_DATABASE, options->out ? options->out : NIGHTS_FOLDER);
    night->database = absolute(options->database          ? options->database
                               : night->settings.database ? night->settings.database
                                                          : usual);
    free(usual);
}

/* The date as the seed of a night: 20261231, and as text. */
static uint64_t seed_of(const struct tm *date) {
    return (uint64_t)(date->tm_year + 1900) * 10000 + (uint64_t)(date->tm_mon + 1) * 100 + (uint64_t)date->tm_mday;
}

static bool expand(struct night *night, struct error *err) {
    char today[16];
    const time_t now = time(NULL);
    struct tm date;
    localtime_r(&now, &date);
    strftime(today, sizeof today, "%Y-%m-%d", &date);
    night->seed = night->options->seed_given ? night->options->seed : seed_of(&date);
    if (!plan_expand(night->plan, night->seed, today, night->options->select, &night->tests, err))
        return false;
    for (size_t i = 0; i < night->tests.warnings.count; i++)
        fprintf(stderr, "nvcosim: warning: %s\n", night->tests.warnings.items[i]);
    return night->tests.count > 0 ||
           error_set(err, "%s: no test%s%s", night->options->plan, night->options->select ? " is selected by " : "",
                     night->options->select ? night->options->select : "");
}

/* Expected durations, where there is a database already. */
static bool expect(struct night *night, struct error *err) {
    if (night->store)
        return store_expect(night->store, &night->tests, err);
    for (size_t i = 0; i < night->tests.count; i++)
        night->tests.tests[i].expected_seconds = -1;
    if (access(night->database, F_OK) != 0)
        return true;
    struct store *store = store_open_read_only(night->database, err);
    const bool well = store && store_expect(store, &night->tests, err);
    store_close(store);
    return well;
}

/* ---- the folder ---- */

static bool make_folder(struct night *night, const char *name, struct error *err) {
    char *path = xprintf("%s/%s", night->folder, name);
    const bool well = directory_make(path, err);
    free(path);
    return well;
}

/* Locks the night for this process, until it ends in whatever way; others of this machine, and of those that share the
 * folder, see that. */
static bool lock_night(struct night *night, struct error *err) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char *path = xprintf("%s/lock", night->folder);
    night->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    bool well = night->lock >= 0 || error_set(err, "%s: %s", path, strerror(errno));
    if (well && fcntl(night->lock, F_SETLK, &lock) != 0) {
        const bool taken = errno == EACCES || errno == EAGAIN;
        well = error_set(err, "%s: %s", path, strerror(errno));
        if (taken && fcntl(night->lock, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
            error_set(err, "night %" PRId64 " is still running as process %d; end that one first", night->id,
                      (int)lock.l_pid);
    }
    free(path);
    return well;
}

/* OUT/night-ID, which is known once the night has its number. */
static bool take_folder(struct night *night, const char *out, struct error *err) {
    char *name = xprintf("/night-%" PRId64, night->id);
    night->folder = text_ends_with(out, name) ? xstrdup(out) : xprintf("%s%s", out, name);
    free(name);
    const bool well = store_folder(night->store, night->id, night->folder, err);
    if (!well || !make_folder(night, "reports", err) || !lock_night(night, err))
        return false;
    night->ledger = ledger_open(night->folder, true, err);
    return night->ledger >= 0;
}

/* ---- beginning and going on ---- */

static bool begin(struct night *night, struct error *err) {
    char *out = absolute(night->options->out ? night->options->out : NIGHTS_FOLDER),
         *directory = builds_directory(night->builds);
    const struct night_facts facts = {.kind = "regress",
                                      .plan = night->settings.name,
                                      .plan_path = night->plan_path,
                                      .plan_text = night->plan_text,
                                      .selected = night->options->select,
                                      .version = nvcosim_version(),
                                      .engine = night->engine,
                                      .command = night->options->command,
                                      .folder = out,
                                      .seed = night->seed,
                                      .directory = directory};
    bool well = directory_make(out, err);
    night->store = well ? store_open(night->database, true, err) : NULL;
    well = night->store && expect(night, err);
    night->id = well ? store_begin(night->store, &facts, &night->tests, err) : -1;
    well = night->id > 0 && take_folder(night, out, err);
    free(directory);
    free(out);
    return well;
}

/* False with a message if the night cannot be resumed. */
static bool check_night(const struct night *night, struct query *row, struct error *err) {
    const char *kind = query_text(row, "kind"), *state = query_text(row, "state");
    if (strcmp(kind, "regress") != 0)
        return error_set(err, "night %" PRId64 " is one of nvcosim %s", night->id, kind);
    if (strcmp(state, "done") == 0)
        return error_set(err, "night %" PRId64 " is done: nothing is left to resume", night->id);
    if (strcmp(state, "running") != 0)
        return true;
    const char *host = query_text(row, "host");
    const int64_t pid = query_number(row, "pid");
    switch (store_runner(host, pid, query_text(row, "birth"))) {
    case RUNNER_ELSEWHERE:
        return error_set(err, "night %" PRId64 " runs on %s; resume it there", night->id, host);
    case RUNNER_LIVES:
        return error_set(err, "night %" PRId64 " is still running as process %" PRId64 "; end that one first",
                         night->id, pid);
    case RUNNER_GONE:
        break;
    }
    return true;
}

/* Takes the night as the database has it. */
static bool take_night(struct night *night, struct query *row, struct error *err) {
    plan_free(night->plan);
    free(night->plan_text);
    free(night->plan_path);
    night->plan_path = query_copy(row, "plan_path");
    night->plan_text = query_copy(row, "plan_text");
    night->selected = query_copy(row, "selected");
    night->seed = (uint64_t)query_number(row, "seed");
    night->engine = query_copy(row, "engine");
    night->plan = plan_parse(night->plan_path, night->plan_text, strlen(night->plan_text), err);
    if (!night->plan)
        return false;
    settle(night);
    return night->options->dry_run || take_folder(night, query_text(row, "folder"), err);
}

static bool read_night(struct night *night, struct error *err) {
    struct query row =
        query_begin(store_database(night->store), err,
                    "SELECT kind, plan_path, plan_text, selected, seed, state, host, pid, birth, engine, "
                    "folder FROM night WHERE id = ?",
                    "i", night->id);
    const bool found = query_next(&row), well = found && check_night(night, &row, err) && take_night(night, &row, err);
    if (query_end(&row) && !found)
        error_set(err, "%s: there is no night %" PRId64, night->database, night->id);
    return well;
}

/* A trace that is gone, or is seen from elsewhere, would be a failure that is none. */
static bool check_traces(const struct night *night, struct error *err) {
    for (size_t i = 0; i < night->tests.count; i++) {
        const struct test *test = &night->tests.tests[i];
        if (!night->done[i] && !test->generator && access(test->trace, R_OK) != 0)
            return error_set(err, "%s: %s: the trace of %s, which is still to run; nothing was resumed", test->trace,
                             strerror(errno), test->key);
    }
    return true;
}

static bool resume(struct night *night, struct error *err) {
    if (!recover_nights(night->database, err))
        return false;
    night->store = store_open(night->database, false, err);
    if (!night->store)
        return false;
    night->id = night->options->resumed;
    if (night->id == 0 && (night->id = store_unfinished(night->store, night->settings.name, err)) == 0)
        return error_set(err, "%s: no night of plan %s is left to resume", night->database, night->settings.name);
    if (night->id < 0 || !read_night(night, err) ||
        !store_tests(night->store, night->id, &night->tests, &night->done, err))
        return false;
    return check_traces(night, err) && expect(night, err) &&
           (night->options->dry_run || store_state(night->store, night->id, "running", 0, err));
}

/* ---- the tests ---- */

static void on_started(void *context, size_t test, const char *host) {
    struct night *night = context;
    (void)host;
    live_started(night->live, test);
}

static void on_progress(void *context, size_t test, double part) {
    live_progress(((struct night *)context)->live, test, part);
}

/* Keeps what stands in the ledger only, then tells it. */
static bool store_ended(struct night *night) {
    struct error err;
    night->stored = process_clock();
    if (night->ended_count == 0)
        return !night->lost;
    struct store_row *rows = xcalloc(night->ended_count, sizeof *rows);
    for (size_t i = 0; i < night->ended_count; i++)
        rows[i] = (struct store_row){.number = night->ended[i].test,
                                     .host = night->ended[i].host,
                                     .at = night->ended[i].at,
                                     .result = &night->ended[i].result};
    if (!store_results(night->store, night->id, rows, night->ended_count, &err)) {
        night->lost = true;
        complain(night, err.text);
    }
    for (size_t i = 0; i < night->ended_count; i++) {
        if (!night->lost)
            live_result(night->live, night->ended[i].test, &night->ended[i].result);
        result_free(&night->ended[i].result);
        free(night->ended[i].host);
    }
    free(rows);
    free(night->ended);
    night->ended = NULL;
    night->ended_count = 0;
    return !night->lost;
}

/* True if the result stands in the ledger: it is as the process of the test has noted it, or is noted now. */
static bool note(const struct night *night, size_t test, const char *host, const struct result *result) {
    if (result->line)
        return true;
    char *line = result_json(result);
    const bool noted = ledger_note(night->ledger, test, host, line);
    free(line);
    return noted;
}

static bool on_ended(void *context, size_t test, const char *host, struct result *result) {
    struct night *night = context;
    const bool noted = note(night, test, host, result);
    live_ended(night->live, test);
    night->ended = xgrow(night->ended, night->ended_count, sizeof *night->ended);
    night->ended[night->ended_count++] =
        (struct ended){.test = test, .at = time(NULL), .host = xstrdup(host), .result = *result};
    *result = (struct result){0};
    return noted && process_clock() - night->stored < STORE_SECONDS ? !night->lost : store_ended(night);
}

static void on_message(void *context, const char *line) {
    live_message(((struct night *)context)->live, line);
}

static void on_tick(void *context) {
    struct night *night = context;
    if (night->ended_count > 0 && process_clock() - night->stored >= STORE_SECONDS)
        store_ended(night);
    live_tick(night->live);
}

static void print_message(const char *line) {
    fprintf(stderr, "nvcosim: %s\n", line);
}

/* Gives the tests whose simulator could not be built their result, and takes them out of the order. */
static bool drop_unbuilt(struct night *night) {
    char host[256] = "";
    size_t kept = 0;
    gethostname(host, sizeof host - 1);
    for (size_t i = 0; i < night->schedule.count; i++) {
        const size_t number = night->schedule.order[i];
        struct result result;
        if (!builds_failed(night->builds, &night->tests.tests[number], night->folder, &result)) {
            night->schedule.order[kept++] = number;
            continue;
        }
        const bool well = on_ended(night, number, host, &result);
        result_free(&result);
        if (!well)
            return false;
    }
    night->schedule.count = kept;
    return store_ended(night);
}

static void print_beginning(const struct night *night, size_t before) {
    char time[LIVE_TIME];
    const double span = schedule_span(&night->schedule, on_slurm(night) ? 1 : night->jobs);
    char *name = text_shown(night->settings.name), *folder = text_shown(night->folder);
    printf("night %" PRId64 " of %s: %zu test%s", night->id, name, night->schedule.count,
           night->schedule.count == 1 ? "" : "s");
    if (before)
        printf(" left of %zu", night->tests.count);
    if (on_slurm(night))
        printf(", on Slurm");
    else
        printf(", %d at a time", night->jobs);
    printf(", seed %" PRIu64, night->seed);
    if (night->schedule.unknown == night->schedule.count)
        printf(", none with a history");
    else if (span >= 1)
        printf(", about %s%s%s", live_time(span, time), on_slurm(night) ? " of computing" : "",
               night->schedule.unknown ? " (not all have a history)" : "");
    printf("; %s\n", folder);
    fflush(stdout);
    free(name);
    free(folder);
}

static enum engine_end run_tests(struct night *night, int *signal, struct error *err) {
    const struct engine_listener listener = {.started = on_started,
                                             .progress = live_on_terminal(night->live) ? on_progress : NULL,
                                             .ended = on_ended,
                                             .message = on_message,
                                             .tick = on_tick,
                                             .context = night};
    const struct engine_job job = {
        .tests = night->tests.tests,
        .order = night->schedule.order,
        .ledger = night->ledger,
        .count = night->schedule.count,
        .jobs = night->jobs,
        .folder = night->folder,
        .end = night->settings.night_seconds > 0 ? night->start + night->settings.night_seconds : 0,
        .listener = listener,
        .slurm_options = night->options->slurm ? night->options->slurm : night->settings.slurm_options,
        .chunk_seconds = night->options->chunk_seconds,
        .seconds = night->schedule.seconds};
    return on_slurm(night) ? engine_slurm(&job, signal, err) : engine_local(&job, signal, err);
}

/* ---- after the tests ---- */

static void print_line(const char *line) {
    printf("%s\n", line);
    fflush(stdout);
}

/* Puts the failures into buckets, and looks at some of them if all tests have run. Returns whether it came to its end;
 * what goes wrong is told. */
static bool fill_buckets(struct night *night, bool look, int *signal) {
    const struct triage_job job = {.store = night->store,
                                   .night = night->id,
                                   .folder = night->folder,
                                   .tests = &night->tests,
                                   .builds = night->builds,
                                   .jobs = night->jobs,
                                   .settings = night->settings,
                                   .report = print_line};
    struct error err;
    const bool well = buckets_make(&job, look, signal, &err);
    if (!well)
        complain(night, err.text);
    return well && !*signal;
}

/* ---- what is written at the end ---- */

/* The exit status by the results. False with a message. */
static bool worst_status(struct night *night, int *status, struct error *err) {
    struct query query =
        query_begin(store_database(night->store), err,
                    "SELECT DISTINCT verdict FROM result WHERE night = ? AND known IS NULL AND verdict "
                    "IS NOT NULL",
                    "i", night->id);
    while (query_next(&query))
        for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
            if (strcmp(query_text(&query, "verdict"), verdict_names[verdict]) == 0)
                *status = worse_status(*status, verdict_status((enum verdict)verdict));
    return query_end(&query);
}

/* The command that goes on with the night. free() it. */
static char *resume_command(const struct night *night) {
    struct text text = {0};
    char *database = text_quoted(night->database);
    text_printf(&text, "nvcosim regress --database=%s", database);
    free(database);
    if (night->options->jobs)
        text_printf(&text, " --jobs=%d", night->options->jobs);
    if (night->options->slurm) {
        char *slurm = text_quoted(night->options->slurm);
        text_printf(&text, " --slurm-options=%s", slurm);
        free(slurm);
    }
    if (night->options->chunk_seconds)
        text_printf(&text, " --chunk-seconds=%d", night->options->chunk_seconds);
    if (night->options->notify) {
        char *notify = text_quoted(night->options->notify);
        text_printf(&text, " --notify=%s", notify);
        free(notify);
    }
    text_printf(&text, " --resume=%" PRId64, night->id);
    return text.text;
}

/* The files and the words about the night. Whatever fails is told, and nothing is lost by it. */
static void write_outputs(struct night *night, const char *state, bool notify) {
    struct error err;
    struct review *review = review_read(store_database(night->store), night->id, &err);
    if (!review) {
        complain(night, err.text);
        return;
    }
    review->state = state; /* a full disk may have kept it from the database */
    char *junit = xprintf("%s/junit.xml", night->folder), *page = xprintf("%s/index.html", night->folder);
    if (!junit_write(review, junit, &err))
        complain(night, err.text);
    const bool paged = page_write(review, page, &err);
    if (!paged)
        complain(night, err.text);
    char *summary = summary_text(review, paged ? page : NULL);
    review_free(review);
    free(junit);
    free(page);
    printf("%s", summary);
    fflush(stdout);
    if (notify && night->options->notify && !notify_run(night->options->notify, summary, &err)) {
        error_prefix(&err, "--notify: ");
        complain(night, err.text);
    }
    free(summary);
}

/* After the tests. Returns the exit status. */
static int end_night(struct night *night, enum engine_end end, int signal) {
    struct error err;
    const bool all_run = end == ENGINE_DONE;
    int ended = 0;
    if (!all_run && !night->lost && !recover_night(night->store, night->id, night->folder, night->ledger, &err))
        complain(night, err.text);
    process_obey_signals();
    const bool whole = fill_buckets(night, all_run, &ended) && all_run;
    signal = signal ? signal : ended;
    int status = whole ? EXIT_OK : EXIT_DIFFERENT;
    const char *state = whole ? "done" : "interrupted";
    if (!store_state(night->store, night->id, state, process_clock() - night->start, &err))
        complain(night, err.text);
    process_obey_signals(); /* Ctrl-C ends what follows */
    if (!worst_status(night, &status, &err))
        complain(night, err.text);
    write_outputs(night, state, !signal);
    if (whole)
        builds_remove(night->folder);
    else {
        char *command = resume_command(night);
        printf("\n%s. To go on: %s\n", all_run ? "The failures have not all been looked at" : "Not all tests have run",
               command);
        free(command);
    }
    ledger_close(night->ledger, night->folder, !night->lost);
    night->ledger = -1;
    return signal ? 128 + signal : night->broken ? EXIT_BAD_INPUT : status;
}

static int run_night(struct night *night) {
    struct error err;
    int signal = 0;
    size_t before = 0;
    for (size_t i = 0; night->done && i < night->tests.count; i++)
        before += night->done[i];
    night->schedule = schedule_make(&night->tests, night->done);
    print_beginning(night, before);
    night->live = live_open(&night->tests, &night->schedule, before, on_slurm(night) ? 1 : night->jobs);
    enum engine_end end = !drop_unbuilt(night)         ? ENGINE_FAILED
                          : night->schedule.count == 0 ? ENGINE_DONE
                                                       : run_tests(night, &signal, &err);
    if (!store_ended(night))
        end = ENGINE_FAILED;
    live_close(night->live);
    night->live = NULL;
    if (end == ENGINE_FAILED && !night->broken)
        complain(night, err.text);
    return end_night(night, end, signal);
}

static void night_free(struct night *night) {
    store_close(night->store);
    if (night->builds)
        builds_free(night->builds);
    schedule_free(&night->schedule);
    test_list_free(&night->tests);
    plan_free(night->plan);
    free(night->done);
    free(night->plan_text);
    free(night->plan_path);
    free(night->selected);
    free(night->engine);
    free(night->database);
    free(night->folder);
    if (night->ledger >= 0)
        ledger_close(night->ledger, night->folder, false);
    if (night->lock >= 0)
        close(night->lock);
}

/* Up to the first test. False with a message. */
static bool prepare(struct night *night, struct error *err) {
    const struct night_options *options = night->options;
    if (options->plan && !read_plan(night, err))
        return false;
    settle(night);
    if (options->resume) {
        if (!resume(night, err))
            return false;
    } else {
        night->engine = xstrdup(options->engine ? options->engine : "local");
        if (!expand(night, err))
            return false;
    }
    if (!on_slurm(night) && (options->slurm || options->chunk_seconds))
        return error_set(err, "%s is for nights on Slurm (--engine=slurm), and this one is not",
                         options->slurm ? "--slurm-options" : "--chunk-seconds");
    if (options->dry_run)
        return expect(night, err);
    if (!expect(night, err))
        return false;
    night->builds = builds_make(&night->tests, night->done, night->folder, print_message);
    return (options->resume || begin(night, err)) && builds_keep(night->builds, night->folder, err);
}

int night_run(const struct night_options *options) {
    struct night night = {.options = options, .lock = -1, .ledger = -1, .start = process_clock()};
    struct error err;
    int status = EXIT_BAD_INPUT;
    process_obey_signals();
    if (!prepare(&night, &err))
        fprintf(stderr, "nvcosim: %s\n", err.text);
    else if (options->dry_run) {
        dry_run_print(&night.tests, night.done, on_slurm(&night) ? 0 : night.jobs);
        status = builds_possible(&night.tests, night.done, print_message) ? EXIT_OK : EXIT_BAD_INPUT;
    } else
        status = run_night(&night);
    night_free(&night);
    return status;
}
