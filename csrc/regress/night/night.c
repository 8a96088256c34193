/* The tests of a night, from the engine into the ledger and the database, and the frame around them. See night.h. */
#include "regress/night/night.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "regress/night/dry_run.h"
#include "regress/night/night_parts.h"
#include "run/process/process.h"
#include "run/result/ledger.h"

/* Results go into the database, which costs milliseconds for the disk, and are printed at this interval in seconds.
 * They are in the ledger of the night at once. */
#define STORE_SECONDS 2.0

bool night_on_slurm(const struct night *night) {
    return night->engine && strcmp(night->engine, "slurm") == 0;
}

void night_complain(struct night *night, const char *text) {
    night->broken = true;
    if (night->live)
        live_message(night->live, text);
    else
        fprintf(stderr, "nvcosim: %s\n", text);
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

/* Stores the results that are only in the ledger, then prints them. */
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
        night_complain(night, err.text);
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

/* True if the result is in the ledger: noted by the process of the test, or now. */
static bool note(const struct night *night, size_t test, const char *host, const struct result *result) {
    if (result->same)
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
    const double span = schedule_span(&night->schedule, night_on_slurm(night) ? 1 : night->jobs);
    char *name = text_shown(night->settings.name), *folder = text_shown(night->folder);
    printf("night %" PRId64 " of %s: %zu test%s", night->id, name, night->schedule.count,
           night->schedule.count == 1 ? "" : "s");
    if (before)
        printf(" left of %zu", night->tests.count);
    if (night_on_slurm(night))
        printf(", on Slurm");
    else
        printf(", %d at a time", night->jobs);
    printf(", seed %" PRIu64, night->seed);
    if (night->schedule.unknown == night->schedule.count)
        printf(", none with a history");
    else if (span >= 1)
        printf(", about %s%s%s", live_time(span, time), night_on_slurm(night) ? " of computing" : "",
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
    return night_on_slurm(night) ? engine_slurm(&job, signal, err) : engine_local(&job, signal, err);
}

static int run_night(struct night *night) {
    struct error err;
    int signal = 0;
    size_t before = 0;
    for (size_t i = 0; night->done && i < night->tests.count; i++)
        before += night->done[i];
    night->schedule = schedule_make(&night->tests, night->done);
    print_beginning(night, before);
    night->live = live_open(&night->tests, &night->schedule, before, night_on_slurm(night) ? 1 : night->jobs);
    enum engine_end end = !drop_unbuilt(night)         ? ENGINE_FAILED
                          : night->schedule.count == 0 ? ENGINE_DONE
                                                       : run_tests(night, &signal, &err);
    if (!store_ended(night))
        end = ENGINE_FAILED;
    live_close(night->live);
    night->live = NULL;
    if (end == ENGINE_FAILED && !night->broken)
        night_complain(night, err.text);
    return night_end(night, end, signal);
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

int night_run(const struct night_options *options) {
    struct night night = {.options = options, .lock = -1, .ledger = -1, .start = process_clock()};
    struct error err;
    int status = EXIT_BAD_INPUT;
    process_obey_signals();
    if (!night_prepare(&night, print_message, &err))
        fprintf(stderr, "nvcosim: %s\n", err.text);
    else if (options->dry_run) {
        dry_run_print(&night.tests, night.done, night_on_slurm(&night) ? 0 : night.jobs);
        status = builds_possible(&night.tests, night.done, print_message) ? EXIT_OK : EXIT_BAD_INPUT;
    } else
        status = run_night(&night);
    night_free(&night);
    return status;
}
