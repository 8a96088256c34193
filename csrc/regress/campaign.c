/* Which test is played with which fault, in rounds. See campaign.h.
 *
 * In a round every open fault is played with its next tests; a fault that is noticed is not played any more. Rounds
 * begin with one test for each fault and grow, since whoever has survived many will survive the next ones, too. What is
 * played depends on the results alone, not on time: the same campaign comes to the same end, and one that was
 * interrupted takes up what was played before.
 */
#include "regress/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/store_sql.h"
#include "run/process.h"
#include "run/progress.h"

/* A run with a fault is given up after this many times the clocks of the run without, and some more; likewise seconds,
 * which are a measure of the machine. */
enum { TIMES_AS_LONG = 4, MORE_CYCLES = 20000, TIMES_AS_SLOW = 50, MORE_SECONDS = 120, BATCH_MOST = 32 };
#define MEMORY_MOST (UINT64_C(4) << 30)

/* What a test does without a fault. */
struct base {
    bool known, passes;
    uint64_t cycles;
    double seconds;
};

/* One test with one fault. */
struct play {
    size_t test;
    bool known;
    enum verdict verdict;
    double seconds;
};

/* The tests that could notice a fault, the shortest first. */
struct plays {
    struct play *items;
    size_t count, next; /* next: the first that is not known */
};

struct state {
    struct campaign *campaign;
    struct base *bases;
    struct plays *plays; /* by fault */
    int log;             /* FOLDER/plays.jsonl */
    bool failed;         /* something could not be kept */
    char failure[sizeof((struct error *)NULL)->text];
    struct progress progress;
    size_t done, total; /* of the tests that are played now */
    /* of a round: whose play a test of the engine is */
    struct slot {
        size_t fault, play;
    } * slots;
    double left, span; /* clocks of all plays that may still come; of those since the start */
};

static bool fail(struct state *state, const struct error *err) {
    if (!state->failed)
        snprintf(state->failure, sizeof state->failure, "%s", err->text);
    state->failed = true;
    return false;
}

/* ---- without a fault ---- */

static void take_base(struct state *state, size_t number, const struct result *result) {
    struct base *base = &state->bases[number];
    base->known = true;
    base->passes = result->verdict == VERDICT_PASS;
    base->cycles = result->devices[0].cycles;
    base->seconds = result->seconds;
    for (size_t i = 0; base->passes && i < result->fault_count; i++) {
        const uint32_t fault = result->faults[i];
        if (fault == 0 || fault > state->campaign->faults->count)
            continue;
        struct plays *plays = &state->plays[fault - 1];
        plays->items = xgrow(plays->items, plays->count, sizeof *plays->items);
        plays->items[plays->count++] = (struct play){.test = number};
    }
}

static bool keep_base(void *context, size_t number, const char *host, const struct result *result) {
    struct state *state = context;
    struct campaign *campaign = state->campaign;
    struct error err;
    if (!store_result(campaign->store, campaign->night, number, host, result, &err))
        return fail(state, &err);
    take_base(state, number, result);
    state->done++;
    if (result->verdict != VERDICT_PASS) {
        progress_clear(&state->progress);
        fprintf(stderr, "%s %s: without any fault: %s; it is left out\n", verdict_names[result->verdict],
                campaign->tests->tests[number].key, result->reason);
    }
    return true;
}

static void show_bases(void *context) {
    struct state *state = context;
    progress_count(&state->progress, "without a fault", state->done, state->total, "tests");
}

/* What the database has of an earlier call. */
static bool read_bases(struct state *state, struct error *err) {
    static const char doing[] = "the results cannot be read";
    const struct campaign *campaign = state->campaign;
    sqlite3_stmt *row = store_prepare(
        campaign->store, "SELECT number, result FROM result WHERE night = :night AND verdict IS NOT NULL", doing, err);
    if (!row)
        return false;
    int code;
    set_number(row, ":night", campaign->night);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        struct result result;
        const size_t number = (size_t)sqlite3_column_int64(row, 0);
        const char *text = (const char *)sqlite3_column_text(row, 1);
        if (number >= campaign->tests->count || !text || !result_parse(text, &result))
            continue;
        take_base(state, number, &result);
        result_free(&result);
    }
    sqlite3_finalize(row);
    return code == SQLITE_DONE || store_error(campaign->store, doing, err);
}

static enum engine_end play_bases(struct state *state, int *signal, struct error *err) {
    const struct campaign *campaign = state->campaign;
    size_t *order = xcalloc(campaign->tests->count + 1, sizeof *order);
    if (campaign->done && !read_bases(state, err)) {
        free(order);
        return ENGINE_FAILED;
    }
    for (size_t i = 0; i < campaign->tests->count; i++)
        if (!state->bases[i].known)
            order[state->total++] = i;
    state->progress = progress_start();
    const struct engine_job job = {
        .tests = campaign->tests->tests,
        .order = order,
        .count = state->total,
        .jobs = campaign->jobs,
        .folder = campaign->folder,
        .listener = {.done = keep_base, .tick = state->progress.terminal ? show_bases : NULL, .context = state}};
    const enum engine_end end = engine_local(&job, signal, err);
    progress_clear(&state->progress);
    free(order);
    return end;
}

/* ---- what was played before ---- */

static void take_play(struct state *state, const json_t *json) {
    const size_t fault = (size_t)json_integer_value(json_object_get(json, "fault"));
    const size_t test = (size_t)json_integer_value(json_object_get(json, "test"));
    const char *verdict = json_string_value(json_object_get(json, "verdict"));
    if (fault == 0 || fault > state->campaign->faults->count || !verdict)
        return;
    struct plays *plays = &state->plays[fault - 1];
    for (size_t i = 0; i < plays->count; i++)
        for (int v = 0; plays->items[i].test == test && v < VERDICT_COUNT; v++)
            if (strcmp(verdict, verdict_names[v]) == 0)
                plays->items[i] = (struct play){.test = test,
                                                .known = true,
                                                .verdict = (enum verdict)v,
                                                .seconds = json_number_value(json_object_get(json, "seconds"))};
}

/* Opens the log and takes over what it has; a last line that is not whole is cut off. */
static bool open_log(struct state *state, struct error *err) {
    char *path = xprintf("%s/plays.jsonl", state->campaign->folder), *text = NULL;
    size_t n = 0, whole = 0;
    state->log = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    bool well = state->log >= 0 || error_set(err, "%s: %s", path, strerror(errno));
    well = well && file_read(path, &text, &n, err);
    for (char *end; well && (end = memchr(text + whole, '\n', n - whole)) != NULL; whole = (size_t)(end - text) + 1) {
        json_t *json = json_loadb(text + whole, (size_t)(end - text) - whole, 0, NULL);
        take_play(state, json);
        json_decref(json);
    }
    if (well && whole < n && ftruncate(state->log, (off_t)whole) != 0)
        well = error_set(err, "%s: %s", path, strerror(errno));
    free(text);
    free(path);
    return well;
}

/* ---- with faults ---- */

/* What can be said of a fault by now. */
static bool settle(struct state *state, size_t number) {
    struct campaign *campaign = state->campaign;
    struct fault *fault = &campaign->faults->items[number];
    struct plays *plays = &state->plays[number];
    struct error err;
    fault->reached = plays->count;
    while (plays->next < plays->count && plays->items[plays->next].known &&
           plays->items[plays->next].verdict == VERDICT_PASS)
        plays->next++;
    if (plays->next < plays->count && !plays->items[plays->next].known)
        return true;
    const struct play *noticed = plays->next < plays->count ? &plays->items[plays->next] : NULL;
    fault->state = noticed ? FAULT_NOTICED : plays->count ? FAULT_SURVIVED : FAULT_UNREACHED;
    if (noticed) {
        fault->noticed_by = xstrdup(campaign->tests->tests[noticed->test].key);
        fault->verdict = verdict_names[noticed->verdict];
    }
    fault->runs = plays->next + (noticed != NULL);
    for (size_t i = 0; i < plays->count; i++)
        fault->seconds += plays->items[i].known ? plays->items[i].seconds : 0;
    return faults_keep(campaign->store, campaign->night, number + 1, fault, &err) || fail(state, &err);
}

static bool settle_all(struct state *state) {
    bool well = true;
    state->left = 0;
    for (size_t i = 0; well && i < state->campaign->faults->count; i++) {
        if (state->campaign->faults->items[i].state != FAULT_OPEN)
            continue;
        well = settle(state, i);
        for (size_t k = state->plays[i].next;
             state->campaign->faults->items[i].state == FAULT_OPEN && k < state->plays[i].count; k++)
            state->left += (double)state->bases[state->plays[i].items[k].test].cycles;
    }
    return well;
}

static bool keep_play(void *context, size_t number, const char *host, const struct result *result) {
    struct state *state = context;
    const struct slot *slot = &state->slots[number];
    struct play *play = &state->plays[slot->fault].items[slot->play];
    struct error err;
    (void)host;
    if (result->verdict == VERDICT_ERROR) {
        error_set(&err, "%s with fault %zu: %s", state->campaign->tests->tests[play->test].key, slot->fault + 1,
                  result->reason);
        return fail(state, &err);
    }
    play->known = true;
    play->verdict = result->verdict;
    play->seconds = result->cpu_seconds;
    state->done++;
    state->span += (double)state->bases[play->test].cycles;
    char *line = xprintf("{\"fault\":%zu,\"test\":%zu,\"verdict\":\"%s\",\"seconds\":%.3f}\n", slot->fault + 1,
                         play->test, verdict_names[play->verdict], play->seconds);
    const ssize_t n = (ssize_t)strlen(line);
    const bool well = write(state->log, line, (size_t)n) == n;
    free(line);
    if (well)
        return true;
    error_set(&err, "%s/plays.jsonl: %s", state->campaign->folder, strerror(errno));
    return fail(state, &err);
}

static void show_plays(void *context) {
    struct state *state = context;
    const struct faults *faults = state->campaign->faults;
    size_t counts[FAULT_STATES] = {0};
    char left[48];
    if (!progress_due(&state->progress))
        return;
    for (size_t i = 0; i < faults->count; i++)
        counts[faults->items[i].state]++;
    progress_left(&state->progress, state->span, state->span + state->left, left, sizeof left);
    progress_show(&state->progress,
                  "%zu faults: %zu noticed, %zu survived, %zu open; %zu of %zu plays of this round%s%s", faults->count,
                  counts[FAULT_NOTICED], counts[FAULT_SURVIVED] + counts[FAULT_UNREACHED], counts[FAULT_OPEN],
                  state->done, state->total, left, left[0] ? " at most" : "");
}

/* The test with the fault, and with limits. */
static struct test with_fault(const struct state *state, size_t fault, size_t number) {
    const struct base *base = &state->bases[number];
    struct test test = state->campaign->tests->tests[number];
    const struct words *options = &test.options;
    struct words words = {0};
    for (size_t i = 0; i < options->count; i++)
        words_add(&words, "%s", options->items[i]);
    words_add(&words, "--fault=%zu", fault + 1);
    test.options = words;
    test.max_cycles = TIMES_AS_LONG * base->cycles + MORE_CYCLES;
    test.max_seconds = TIMES_AS_SLOW * base->seconds + MORE_SECONDS;
    test.max_memory = test.max_memory ? test.max_memory : MEMORY_MOST;
    return test;
}

/* Plays the next tests of all open faults. */
static enum engine_end play_round(struct state *state, size_t batch, int *signal, struct error *err) {
    const struct campaign *campaign = state->campaign;
    struct test *tests = NULL;
    size_t *order = NULL;
    state->done = state->total = 0;
    for (size_t i = 0; i < campaign->faults->count; i++) {
        const struct plays *plays = &state->plays[i];
        if (campaign->faults->items[i].state != FAULT_OPEN)
            continue;
        for (size_t k = plays->next; k < plays->count && k < plays->next + batch; k++) {
            if (plays->items[k].known)
                continue;
            tests = xgrow(tests, state->total, sizeof *tests);
            order = xgrow(order, state->total, sizeof *order);
            state->slots = xgrow(state->slots, state->total, sizeof *state->slots);
            tests[state->total] = with_fault(state, i, plays->items[k].test);
            order[state->total] = state->total;
            state->slots[state->total++] = (struct slot){i, k};
        }
    }
    const struct engine_job job = {
        .tests = tests,
        .order = order,
        .count = state->total,
        .jobs = campaign->jobs,
        .folder = campaign->folder,
        .listener = {.done = keep_play, .tick = state->progress.terminal ? show_plays : NULL, .context = state}};
    const enum engine_end end = engine_local(&job, signal, err);
    for (size_t i = 0; i < state->total; i++)
        words_free(&tests[i].options);
    free(tests);
    free(order);
    free(state->slots);
    state->slots = NULL;
    return end;
}

static bool any_open(const struct faults *faults) {
    bool any = false;
    for (size_t i = 0; i < faults->count; i++)
        any = any || faults->items[i].state == FAULT_OPEN;
    return any;
}

static const struct base *sorted_by; /* qsort has no context */

static int shorter(const void *a, const void *b) {
    const size_t left = ((const struct play *)a)->test, right = ((const struct play *)b)->test;
    const uint64_t cycles[] = {sorted_by[left].cycles, sorted_by[right].cycles};
    if (cycles[0] != cycles[1])
        return cycles[0] < cycles[1] ? -1 : 1;
    return (left > right) - (left < right);
}

static enum engine_end play_faults(struct state *state, int *signal, struct error *err) {
    const struct campaign *campaign = state->campaign;
    enum engine_end end = ENGINE_DONE;
    sorted_by = state->bases;
    for (size_t i = 0; i < campaign->faults->count; i++)
        if (state->plays[i].count)
            qsort(state->plays[i].items, state->plays[i].count, sizeof *state->plays[i].items, shorter);
    if (!open_log(state, err))
        return ENGINE_FAILED;
    state->progress = progress_start();
    size_t batch = 1;
    while (end == ENGINE_DONE && settle_all(state) && any_open(campaign->faults)) {
        end = play_round(state, batch, signal, err);
        batch = batch < BATCH_MOST ? batch * 2 : batch;
    }
    progress_clear(&state->progress);
    if (end == ENGINE_INTERRUPTED && !settle_all(state))
        end = ENGINE_FAILED;
    return end;
}

static void tell_bases(const struct state *state) {
    const struct campaign *campaign = state->campaign;
    size_t passing = 0, reached = 0;
    for (size_t i = 0; i < campaign->tests->count; i++)
        passing += state->bases[i].passes;
    for (size_t i = 0; i < campaign->faults->count; i++)
        reached += state->plays[i].count > 0;
    fprintf(stderr, "%zu of %zu tests pass without a fault; %zu of %zu faults would change something in one of them\n",
            passing, campaign->tests->count, reached, campaign->faults->count);
}

enum engine_end campaign_run(struct campaign *campaign, int *signal, struct error *err) {
    struct state state = {.campaign = campaign, .log = -1};
    state.bases = xcalloc(campaign->tests->count + 1, sizeof *state.bases);
    state.plays = xcalloc(campaign->faults->count + 1, sizeof *state.plays);
    enum engine_end end = play_bases(&state, signal, err);
    if (end == ENGINE_DONE) {
        tell_bases(&state);
        end = play_faults(&state, signal, err);
    }
    if (state.failed) {
        error_set(err, "%s", state.failure);
        end = ENGINE_FAILED;
    }
    for (size_t i = 0; i < campaign->faults->count; i++)
        free(state.plays[i].items);
    free(state.plays);
    free(state.bases);
    if (state.log >= 0)
        close(state.log);
    return end;
}
