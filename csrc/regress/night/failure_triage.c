/* Debug and shrink of failures. See failure_triage.h. */
#include "regress/night/failure_triage.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/store/signature.h"
#include "run/jobs/pool.h"
#include "run/process/progress.h"

#define TICK_SECONDS 0.25

/* Seconds beyond its own limit in which shrink may write its trace; memory that it needs beside that of the run;
 * memory of debug, with waves and copies of the process, as a multiple of a run's. */
enum { SHRINK_GRACE = 30, SHRINK_MEMORY = 256 << 20, DEBUG_MEMORY = 2, SHRINK_ATTEMPTS = 100000 };

enum stage {
    STAGE_DEBUG,  /* nvcosim debug of the failure */
    STAGE_SHRINK, /* nvcosim shrink of it */
    STAGE_PLAY,   /* nvcosim run of what was shrunk */
    STAGE_CHECK,  /* nvcosim debug of it */
};

/* A failure and the process that looks at it. */
struct look {
    struct job job; /* first: a job of the pool is a look */
    struct run_options options;
    struct words words; /* that the options refer to */
    char *path;         /* of what is played */
    char *shrunk;       /* trace that shrink makes; NULL: it does not */
    uint64_t cycles;    /* of that */
    const struct triage_target *target;
    enum stage stage;
};

struct triage {
    const struct triage_job *job;
    const struct triage_target *targets;
    size_t count, next, done;
    enum discovery_kind kind;
    struct discoveries *discoveries;
    struct pool pool;
    double begin, before; /* process_clock(); seconds of earlier calls */
    char *simulators;
    bool stopped, killed;
    struct progress progress;
};

static const struct test *test_of(const struct triage *triage, const struct look *look) {
    return &triage->job->tests->tests[look->target->number];
}

static double spent(const struct triage *triage) {
    return triage->before + process_clock() - triage->begin;
}

static double debug_time_left(const struct triage *triage) {
    return triage->job->settings.debug_seconds - spent(triage);
}

/* ---- one look ---- */

/* Frees what the last stage used. */
static void look_clear(struct look *look) {
    job_free(&look->job);
    run_options_free(&look->options);
    words_free(&look->words);
    free(look->path);
    look->path = NULL;
    look->words = (struct words){0};
    run_options_init(&look->options);
    look->job = (struct job){.result_end = -1, .output_end = -1};
}

static void look_free(struct look *look) {
    look_clear(look);
    run_options_free(&look->options);
    free(look->shrunk);
    free(look);
}

/* Keeps a discovery and frees the look. */
static void finish(struct triage *triage, struct look *look, struct discovery *discovery) {
    struct error err;
    discovery->kind = triage->kind;
    discovery->test = look->target->number;
    discovery->spent = spent(triage);
    if (!discoveries_add(triage->discoveries, discovery, &err))
        triage->job->report(err.text);
    triage->done++;
    look_free(look);
}

static void give_up(struct triage *triage, struct look *look, char *note) {
    struct discovery discovery = {.note = note};
    if (triage->kind == DISCOVERY_SHRINK)
        discovery.signature = xstrdup(look->target->signature);
    finish(triage, look, &discovery);
}

/* Starts to play a trace as the test does. */
static bool start_play(struct triage *triage, struct look *look, char *path, bool debug, struct error *err) {
    const struct test *test = test_of(triage, look);
    char *name = test_name(test);
    look_clear(look);
    look->path = path;
    look->job = (struct job){.path = path,
                             .name = look->shrunk ? xprintf("%s-shrunk", name) : xstrdup(name),
                             .config = nvdla_config_find(test->config),
                             .max_seconds = test->max_seconds,
                             .max_memory = test->max_memory * (debug ? DEBUG_MEMORY : 1),
                             .result_end = -1,
                             .output_end = -1};
    free(name);
    if (look->stage == STAGE_DEBUG)
        look->job.max_seconds = fmax(debug_time_left(triage), 1);
    else if (debug)
        look->job.max_seconds = triage->job->settings.debug_seconds;
    test_options(test, &look->words);
    words_add(&look->words, "--out=%s/buckets/%s", triage->job->folder, debug ? "debug" : "shrunk");
    words_add(&look->words, "--name=%s", look->job.name);
    if (debug)
        words_add(&look->words, "--debug");
    words_add(&look->words, "%s", path);
    if (!look->job.config)
        return error_set(err, "there is no configuration '%s'", test->config);
    if (!run_options_read(&look->options, &look->words, err))
        return false;
    look->options.simulators = triage->simulators;
    return pool_start(&triage->pool, &look->job, &look->options, false, err);
}

static bool start_shrink(struct triage *triage, struct look *look, struct error *err) {
    const struct test *test = test_of(triage, look);
    const double seconds = ceil(triage->job->settings.shrink_seconds);
    char *name = test_name(test), *path = test_trace(test, triage->job->folder);
    struct words words = {0};
    look_clear(look);
    look->shrunk = xprintf("%s/buckets/%s.nvt", triage->job->folder, name);
    unlink(look->shrunk);
    words_add(&words, "/proc/self/exe");
    words_add(&words, "shrink");
    words_add(&words, "--quiet");
    words_add(&words, "--keep-options");
    words_add(&words, "--seconds=%.0f", seconds);
    words_add(&words, "--attempts=%d", SHRINK_ATTEMPTS);
    words_add(&words, "--simulators=%s", triage->simulators);
    words_add(&words, "--out=%s", look->shrunk);
    test_options(test, &words);
    words_add(&words, "--");
    words_add(&words, "%s", path);
    look->job.name = name;
    look->job.max_seconds = seconds + SHRINK_GRACE;
    look->job.max_memory = test->max_memory ? test->max_memory + SHRINK_MEMORY : 0;
    const bool started = pool_start_program(&triage->pool, &look->job, words.items, err);
    words_free(&words);
    free(path);
    return started;
}

/* ---- its results ---- */

/* The verdict of nvcosim debug, from its report; if there is none, the note says why. */
static void take_verdict(const char *folder, const struct result *result, struct discovery *discovery) {
    json_t *report = result->report ? json_load_file(result->report, 0, NULL) : NULL;
    const json_t *verdict = json_object_get(report, "verdict");
    const char *kind = json_string_value(json_object_get(verdict, "kind")),
               *engine = json_string_value(json_object_get(verdict, "engine")),
               *tap = json_string_value(json_object_get(verdict, "tap")),
               *sentence = json_string_value(json_object_get(verdict, "sentence"));
    const bool before = json_is_true(json_object_get(verdict, "or_before"));
    if (kind && engine && (result->verdict == VERDICT_FAIL || result->verdict == VERDICT_HANG)) {
        discovery->engine = xstrdup(engine);
        discovery->tap = tap ? xstrdup(tap) : NULL;
        discovery->what = xstrdup(kind);
        discovery->sentence = xstrdup(sentence ? sentence : result->reason);
        discovery->signature = strcmp(kind, "hang") == 0 ? xprintf("hang:%s", engine)
                               : tap                     ? xprintf("%s%s:%s", engine, before ? " or before" : "", tap)
                                                         : xstrdup(engine);
    } else if (result->verdict == VERDICT_PASS)
        discovery->note = xstrdup("nvcosim debug sees it pass");
    else if (kind && sentence)
        discovery->note = xprintf("nvcosim debug: %s", sentence);
    else
        discovery->note = xprintf("nvcosim debug: %s: %s", verdict_names[result->verdict], result->reason);
    const size_t n = strlen(folder);
    if (result->page && strncmp(result->page, folder, n) == 0 && result->page[n] == '/')
        discovery->page = xstrdup(result->page + n + 1);
    json_decref(report);
}

static void discovery_texts_free(struct discovery *discovery) {
    char *const texts[] = {discovery->signature, discovery->note,     discovery->engine, discovery->tap,
                           discovery->what,      discovery->sentence, discovery->page,   discovery->trace};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        free(texts[i]);
}

/* The shrunk trace is one of the bucket if it fails with its signature, and of use if it is smaller. */
static void judge_shrunk(struct triage *triage, struct look *look, const char *signature) {
    if (!signature || strcmp(signature, look->target->signature) != 0) {
        give_up(triage, look,
                signature ? xprintf("what nvcosim shrink made of it fails in another way: %s", signature)
                          : xstrdup("what nvcosim shrink made of it does not fail in the same way"));
        return;
    }
    if (look->cycles > 0 && look->target->cycles > 0 && look->cycles >= look->target->cycles) {
        unlink(look->shrunk);
        give_up(triage, look, xstrdup("nvcosim shrink cannot make it smaller"));
        return;
    }
    struct discovery discovery = {.signature = xstrdup(signature),
                                  .trace = xstrdup(look->shrunk + strlen(triage->job->folder) + 1),
                                  .cycles = look->cycles};
    finish(triage, look, &discovery);
}

static void next_stage(struct triage *triage, struct look *look, enum stage stage) {
    struct error err;
    look->stage = stage;
    if (!start_play(triage, look, xstrdup(look->shrunk), stage == STAGE_CHECK, &err))
        give_up(triage, look, xprintf("what nvcosim shrink made of it cannot be played: %s", err.text));
}

static void end_shrink(struct triage *triage, struct look *look) {
    const int status = job_abandon(&look->job);
    const bool fails = status == EXIT_DIFFERENT || status == EXIT_HUNG || status == EXIT_CRASHED;
    if (fails && access(look->shrunk, R_OK) == 0) {
        next_stage(triage, look, STAGE_PLAY);
        return;
    }
    char *words = text_last_line(look->job.output.text, look->job.output.n);
    give_up(triage, look,
            status == EXIT_OK
                ? xstrdup("nvcosim shrink sees it pass")
                : xprintf("nvcosim shrink ended with status %d%s%s", status, words[0] ? ": " : "", words));
    free(words);
}

static void end_play(struct triage *triage, struct look *look) {
    struct result result = job_result(&look->job, &look->options);
    look->cycles = result.device_count > 0 && result.devices[0].clocked ? result.devices[0].cycles : 0;
    if (look->target->debugged && (result.verdict == VERDICT_FAIL || result.verdict == VERDICT_HANG))
        next_stage(triage, look, STAGE_CHECK);
    else {
        char *signature = result_likeness(&result);
        judge_shrunk(triage, look, signature);
        free(signature);
    }
    result_free(&result);
}

static void end_debug(struct triage *triage, struct look *look) {
    struct result result = job_result(&look->job, &look->options);
    struct discovery discovery = {0};
    take_verdict(triage->job->folder, &result, &discovery);
    result_free(&result);
    if (look->stage == STAGE_DEBUG)
        finish(triage, look, &discovery);
    else {
        judge_shrunk(triage, look, discovery.signature);
        discovery_texts_free(&discovery);
    }
}

static void on_ended(void *context, struct job *job) {
    struct triage *triage = context;
    struct look *look = (struct look *)job;
    if (triage->killed) {
        job_abandon(job);
        look_free(look);
    } else if (look->stage == STAGE_SHRINK)
        end_shrink(triage, look);
    else if (look->stage == STAGE_PLAY)
        end_play(triage, look);
    else
        end_debug(triage, look);
}

/* ---- all of them ---- */

static void start(struct triage *triage, const struct triage_target *target) {
    struct look *look = xcalloc(1, sizeof *look);
    struct error err;
    run_options_init(&look->options);
    look->target = target;
    look->stage = triage->kind == DISCOVERY_DEBUG ? STAGE_DEBUG : STAGE_SHRINK;
    look->job = (struct job){.result_end = -1, .output_end = -1};
    const bool started =
        triage->kind == DISCOVERY_DEBUG
            ? start_play(triage, look, test_trace(test_of(triage, look), triage->job->folder), true, &err)
            : start_shrink(triage, look, &err);
    if (!started)
        give_up(triage, look,
                xprintf("nvcosim %s: %s", triage->kind == DISCOVERY_DEBUG ? "debug" : "shrink", err.text));
}

static void start_more(struct triage *triage) {
    while (!triage->stopped && triage->next < triage->count && triage->pool.count < (size_t)triage->job->jobs)
        if (triage->kind == DISCOVERY_DEBUG && debug_time_left(triage) <= 0)
            triage->stopped = true;
        else
            start(triage, &triage->targets[triage->next++]);
}

static void show(struct triage *triage) {
    if (progress_due(&triage->progress))
        progress_show(&triage->progress, "%s failures: %zu of %zu done, %zu running",
                      triage->kind == DISCOVERY_DEBUG ? "debugging" : "shrinking", triage->done, triage->count,
                      triage->pool.count);
}

static bool look_at(struct triage *triage, int *signal, struct error *err) {
    const struct job_listener listener = {.ended = on_ended, .context = triage};
    size_t before;
    *signal = 0;
    triage->begin = process_clock();
    triage->before = discoveries_spent(triage->discoveries, triage->kind, &before);
    triage->progress = progress_start();
    if (triage->count == 0)
        return true;
    if (!pool_open(&triage->pool, true, err))
        return false;
    triage->simulators = xprintf("%s/" BUILDS_FOLDER, triage->job->folder);
    start_more(triage);
    while (triage->pool.count > 0) {
        const int number = pool_wait(&triage->pool, TICK_SECONDS, &listener);
        if (number) { /* what was not finished is looked at again when the night is resumed */
            *signal = number;
            triage->stopped = triage->killed = true;
            pool_signal(&triage->pool, SIGKILL);
        }
        start_more(triage);
        show(triage);
    }
    progress_clear(&triage->progress);
    pool_close(&triage->pool);
    process_obey_signals();
    free(triage->simulators);
    return true;
}

bool triage_debug(const struct triage_job *job, const struct triage_target *targets, size_t count,
                  struct discoveries *discoveries, int *signal, struct error *err) {
    struct triage triage = {
        .job = job, .targets = targets, .count = count, .kind = DISCOVERY_DEBUG, .discoveries = discoveries};
    return look_at(&triage, signal, err);
}

bool triage_shrink(const struct triage_job *job, const struct triage_target *targets, size_t count,
                   struct discoveries *discoveries, int *signal, struct error *err) {
    struct triage triage = {
        .job = job, .targets = targets, .count = count, .kind = DISCOVERY_SHRINK, .discoveries = discoveries};
    return look_at(&triage, signal, err);
}
