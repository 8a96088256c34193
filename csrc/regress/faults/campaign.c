/* Which test is played with which fault, in rounds. See campaign.h.
 *
 * In the first rounds every open fault is played alone with its next tests, until one notices it. A fault that has
 * survived these will survive most others too, so from then on a test is played with several faults at a time. If it
 * passes, none of them is noticed; else each half of them is played, down to single faults: a fault counts as noticed
 * only if a test fails with it alone. (One fault may hide another; that makes the share smaller, never larger.)
 *
 * What is played depends on the results alone, not on time: the same campaign gives the same result. */
#include "regress/faults/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/store/query.h"
#include "run/process/process.h"
#include "run/process/progress.h"

/* A run with a fault is given up after this many times the clocks of the run without, and some more; likewise seconds,
 * with a wider margin, because they depend on the machine. */
enum { TIMES_AS_LONG = 4, MORE_CYCLES = 20000, TIMES_AS_SLOW = 50, MORE_SECONDS = 120 };
/* Tests of a fault in the last round alone; the most tests of a round. */
enum { ALONE_MOST = 4, TESTS_OF_ROUND = 64 };
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

/* Faults that are played together with a test. */
struct group {
    size_t test, count;
    struct member {
        size_t fault, play;
    } *members;
};
struct groups {
    struct group *items;
    size_t count;
};

struct state {
    struct campaign *campaign;
    struct base *bases;
    struct plays *plays; /* by fault */
    int log;             /* FOLDER/plays.jsonl */
    bool failed;         /* something could not be kept */
    char failure[sizeof((struct error *)NULL)->text];
    struct progress progress;
    size_t done, total;        /* of the tests that are played now */
    size_t *order;             /* tests, the shortest first */
    struct groups round, next; /* that are played now; that have to be played because their whole did not pass */
    double left, span;         /* clocks of all plays that may still come; of those since the start */
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

static bool on_base_ended(void *context, size_t number, const char *host, struct result *result) {
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

/* Takes the results that the database has of an earlier call. */
static bool read_bases(struct state *state, struct error *err) {
    const struct campaign *campaign = state->campaign;
    struct query query =
        query_begin(store_database(campaign->store), err,
                    "SELECT number, result FROM result WHERE night = ? AND verdict IS NOT NULL", "i", campaign->night);
    while (query_next(&query)) {
        struct result result;
        const size_t number = (size_t)query_number(&query, "number");
        const char *text = query_text(&query, "result");
        if (number >= campaign->tests->count || !text || !result_parse(text, &result))
            continue;
        take_base(state, number, &result);
        result_free(&result);
    }
    return query_end(&query);
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
        .listener = {.ended = on_base_ended, .tick = state->progress.terminal ? show_bases : NULL, .context = state}};
    const enum engine_end end = engine_local(&job, signal, err);
    progress_clear(&state->progress);
    free(order);
    return end;
}

/* ---- plays of an earlier call ---- */

static void take_play(struct state *state, const json_t *json) {
    const size_t fault = (size_t)json_integer_value(json_object_get(json, "fault"));
    const size_t test = (size_t)json_integer_value(json_object_get(json, "test"));
    const int verdict = verdict_find(json_string_value(json_object_get(json, "verdict")));
    if (fault == 0 || fault > state->campaign->faults->count || verdict < 0)
        return;
    struct plays *plays = &state->plays[fault - 1];
    for (size_t i = 0; i < plays->count; i++)
        if (plays->items[i].test == test)
            plays->items[i] = (struct play){.test = test,
                                            .known = true,
                                            .verdict = (enum verdict)verdict,
                                            .seconds = json_number_value(json_object_get(json, "seconds"))};
}

/* Opens the log and reads it; a last line that is not whole is cut off. */
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

/* Sets the state of a fault as far as its plays decide it. */
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

static struct play *play_of(const struct state *state, const struct member *member) {
    return &state->plays[member->fault].items[member->play];
}

static void group_add(struct groups *groups, size_t test, const struct member *members, size_t count) {
    struct group group = {.test = test, .count = count, .members = xcalloc(count, sizeof *members)};
    memcpy(group.members, members, count * sizeof *members);
    groups->items = xgrow(groups->items, groups->count, sizeof *groups->items);
    groups->items[groups->count++] = group;
}

static void groups_free(struct groups *groups) {
    for (size_t i = 0; i < groups->count; i++)
        free(groups->items[i].members);
    free(groups->items);
    *groups = (struct groups){0};
}

/* Keeps what a fault does to a test. */
static bool know(struct state *state, const struct member *member, enum verdict verdict, double seconds) {
    struct play *play = play_of(state, member);
    struct error err;
    play->known = true;
    play->verdict = verdict;
    play->seconds = seconds;
    state->span += (double)state->bases[play->test].cycles;
    char *line = xprintf("{\"fault\":%zu,\"test\":%zu,\"verdict\":\"%s\",\"seconds\":%.4f}\n", member->fault + 1,
                         play->test, verdict_names[verdict], seconds);
    const ssize_t n = (ssize_t)strlen(line);
    const bool well = write(state->log, line, (size_t)n) == n;
    free(line);
    if (well)
        return true;
    error_set(&err, "%s/plays.jsonl: %s", state->campaign->folder, strerror(errno));
    return fail(state, &err);
}

static bool on_play_ended(void *context, size_t number, const char *host, struct result *result) {
    struct state *state = context;
    const struct group *group = &state->round.items[number];
    struct error err;
    (void)host;
    state->done++;
    if (result->verdict == VERDICT_ERROR) {
        error_set(&err, "%s with fault %zu: %s", state->campaign->tests->tests[group->test].key,
                  group->members[0].fault + 1, result->reason);
        return fail(state, &err);
    }
    if (result->verdict != VERDICT_PASS && group->count > 1) {
        const size_t half = group->count / 2;
        group_add(&state->next, group->test, group->members, half);
        group_add(&state->next, group->test, group->members + half, group->count - half);
        return true;
    }
    bool well = true;
    for (size_t i = 0; well && i < group->count; i++)
        well = know(state, &group->members[i], result->verdict, result->cpu_seconds / (double)group->count);
    return well;
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
    progress_show(&state->progress, "%zu faults: %zu noticed, %zu survived, %zu open; %zu of %zu plays%s%s",
                  faults->count, counts[FAULT_NOTICED], counts[FAULT_SURVIVED] + counts[FAULT_UNREACHED],
                  counts[FAULT_OPEN], state->done, state->total, left, left[0] ? " at most" : "");
}

/* The test with its faults, and with limits. */
static struct test with_faults(const struct state *state, const struct group *group) {
    const struct base *base = &state->bases[group->test];
    struct test test = state->campaign->tests->tests[group->test];
    struct words words = {0};
    struct text faults = {0};
    for (size_t i = 0; i < test.options.count; i++)
        words_add(&words, "%s", test.options.items[i]);
    for (size_t i = 0; i < group->count; i++)
        text_printf(&faults, "%s%zu", i ? "," : "", group->members[i].fault + 1);
    words_add(&words, "--fault=%s", faults.text);
    free(faults.text);
    test.options = words;
    test.max_cycles = TIMES_AS_LONG * base->cycles + MORE_CYCLES;
    test.max_seconds = TIMES_AS_SLOW * base->seconds + MORE_SECONDS;
    test.max_memory = test.max_memory ? test.max_memory : MEMORY_MOST;
    return test;
}

/* True if a test fails with the fault: it needs no later one. */
static bool fails(const struct play *play) {
    return play->known && play->verdict != VERDICT_PASS;
}

/* The next tests of each open fault alone. */
static void draw_alone(struct state *state, size_t batch) {
    for (size_t i = 0; i < state->campaign->faults->count; i++) {
        const struct plays *plays = &state->plays[i];
        if (state->campaign->faults->items[i].state != FAULT_OPEN)
            continue;
        for (size_t k = plays->next; k < plays->count && k < plays->next + batch && !fails(&plays->items[k]); k++)
            if (!plays->items[k].known)
                group_add(&state->round, plays->items[k].test, &(struct member){i, k}, 1);
    }
}

/* True if a test before that play fails with the fault. */
static bool is_noticed(const struct state *state, const struct member *member) {
    const struct plays *plays = &state->plays[member->fault];
    bool noticed = false;
    for (size_t k = plays->next; k < member->play; k++)
        noticed = noticed || fails(&plays->items[k]);
    return noticed;
}

/* The halves of groups that failed in the round before, without the faults that were noticed meanwhile. */
static void draw_halves(struct state *state) {
    for (size_t i = 0; i < state->next.count; i++) {
        struct group *group = &state->next.items[i];
        size_t kept = 0;
        for (size_t k = 0; k < group->count; k++)
            if (!is_noticed(state, &group->members[k]))
                group->members[kept++] = group->members[k];
        if (kept > 0)
            group_add(&state->round, group->test, group->members, kept);
    }
    groups_free(&state->next);
}

/* The shortest tests that open faults wait for, each with as many of them as may be played together. */
static void draw_together(struct state *state, size_t most) {
    const struct campaign *campaign = state->campaign;
    struct member *members = xcalloc(campaign->faults->count, sizeof *members);
    size_t drawn = 0;
    for (size_t o = 0; o < campaign->tests->count && drawn < most; o++) {
        const size_t test = state->order[o];
        size_t count = 0;
        for (size_t i = 0; i < campaign->faults->count; i++) {
            const struct plays *plays = &state->plays[i];
            if (campaign->faults->items[i].state != FAULT_OPEN)
                continue;
            for (size_t k = plays->next; k < plays->count && !fails(&plays->items[k]); k++)
                if (plays->items[k].test == test && !plays->items[k].known)
                    members[count++] = (struct member){i, k};
        }
        for (size_t i = 0; i < count; i += (size_t)campaign->together)
            group_add(&state->round, test, members + i,
                      count - i < (size_t)campaign->together ? count - i : (size_t)campaign->together);
        drawn += count > 0;
    }
    free(members);
}

/* Plays the groups of the round. */
static enum engine_end play_round(struct state *state, int *signal, struct error *err) {
    const struct campaign *campaign = state->campaign;
    struct test *tests = xcalloc(state->round.count + 1, sizeof *tests);
    size_t *order = xcalloc(state->round.count + 1, sizeof *order);
    state->done = 0;
    state->total = state->round.count;
    for (size_t i = 0; i < state->total; i++) {
        tests[i] = with_faults(state, &state->round.items[i]);
        order[i] = i;
    }
    const struct engine_job job = {
        .tests = tests,
        .order = order,
        .count = state->total,
        .jobs = campaign->jobs,
        .folder = campaign->folder,
        .listener = {.ended = on_play_ended, .tick = state->progress.terminal ? show_plays : NULL, .context = state}};
    const enum engine_end end = engine_local(&job, signal, err);
    for (size_t i = 0; i < state->total; i++)
        words_free(&tests[i].options);
    free(tests);
    free(order);
    groups_free(&state->round);
    return end;
}

static bool any_open(const struct faults *faults) {
    bool any = false;
    for (size_t i = 0; i < faults->count; i++)
        any = any || faults->items[i].state == FAULT_OPEN;
    return any;
}

static const struct base *sorted_by; /* qsort has no context */

static int shorter(size_t left, size_t right) {
    const uint64_t cycles[] = {sorted_by[left].cycles, sorted_by[right].cycles};
    if (cycles[0] != cycles[1])
        return cycles[0] < cycles[1] ? -1 : 1;
    return (left > right) - (left < right);
}

static int shorter_play(const void *a, const void *b) {
    return shorter(((const struct play *)a)->test, ((const struct play *)b)->test);
}

static int shorter_test(const void *a, const void *b) {
    return shorter(*(const size_t *)a, *(const size_t *)b);
}

/* The shortest tests first, everywhere. */
static void sort_all(struct state *state) {
    const struct campaign *campaign = state->campaign;
    sorted_by = state->bases;
    state->order = xcalloc(campaign->tests->count + 1, sizeof *state->order);
    for (size_t i = 0; i < campaign->tests->count; i++)
        state->order[i] = i;
    qsort(state->order, campaign->tests->count, sizeof *state->order, shorter_test);
    for (size_t i = 0; i < campaign->faults->count; i++)
        if (state->plays[i].count)
            qsort(state->plays[i].items, state->plays[i].count, sizeof *state->plays[i].items, shorter_play);
}

static enum engine_end play_faults(struct state *state, int *signal, struct error *err) {
    const struct campaign *campaign = state->campaign;
    enum engine_end end = ENGINE_DONE;
    sort_all(state);
    if (!open_log(state, err))
        return ENGINE_FAILED;
    state->progress = progress_start();
    size_t alone = 1, together = 1; /* tests of the next rounds */
    while (end == ENGINE_DONE && settle_all(state) && any_open(campaign->faults)) {
        draw_halves(state);
        if (state->round.count == 0 && (alone <= ALONE_MOST || campaign->together == 1)) {
            draw_alone(state, alone);
            alone = alone < TESTS_OF_ROUND ? 2 * alone : alone;
        } else if (state->round.count == 0) {
            draw_together(state, together);
            together = together < TESTS_OF_ROUND ? 2 * together : together;
        }
        end = play_round(state, signal, err);
    }
    progress_clear(&state->progress);
    if (end == ENGINE_INTERRUPTED && !settle_all(state))
        end = ENGINE_FAILED;
    return end;
}

static void print_bases(const struct state *state) {
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
        print_bases(&state);
        end = play_faults(&state, signal, err);
    }
    if (state.failed) {
        error_set(err, "%s", state.failure);
        end = ENGINE_FAILED;
    }
    for (size_t i = 0; i < campaign->faults->count; i++)
        free(state.plays[i].items);
    groups_free(&state.next);
    free(state.plays);
    free(state.bases);
    free(state.order);
    if (state.log >= 0)
        close(state.log);
    return end;
}
