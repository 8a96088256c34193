/* The order of the tests and their expected durations. See schedule.h. */
#include "regress/engine/schedule.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nvdla/xalloc.h"

/* Bytes of a trace; of a random layer, which is written when it runs, none. */
static double trace_size(const struct test *test) {
    struct stat status;
    return !test->generator && stat(test->trace, &status) == 0 ? (double)status.st_size : 0;
}

/* Tests that need about the same time for a trace of the same size. */
static bool alike(const struct test *a, const struct test *b) {
    return strcmp(a->config, b->config) == 0 && strcmp(a->dut, b->dut) == 0 && strcmp(a->memory, b->memory) == 0 &&
           !a->generator == !b->generator;
}

/* What is known about tests of one kind. */
struct kind {
    const struct test *example;
    double seconds, bytes; /* of those with a history */
    size_t known;
};

struct kinds {
    struct kind *kinds;
    size_t count;
};

static struct kind *kind_of(struct kinds *kinds, const struct test *test) {
    for (size_t i = 0; i < kinds->count; i++)
        if (alike(kinds->kinds[i].example, test))
            return &kinds->kinds[i];
    kinds->kinds = xgrow(kinds->kinds, kinds->count, sizeof *kinds->kinds);
    kinds->kinds[kinds->count] = (struct kind){.example = test};
    return &kinds->kinds[kinds->count++];
}

static void learn(struct kind *kind, double seconds, double bytes) {
    kind->seconds += seconds;
    kind->bytes += bytes;
    kind->known++;
}

/* By the size of the trace if it is known, else the mean. */
static double guess(const struct kind *kind, double bytes) {
    return kind->bytes > 0 && bytes > 0 ? kind->seconds * bytes / kind->bytes : kind->seconds / (double)kind->known;
}

struct entry {
    size_t test;
    double seconds, bytes;
};

static int longer_first(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? 1 : -1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->test > y->test) - (x->test < y->test);
}

struct schedule schedule_make(const struct test_list *tests, const bool *done) {
    struct schedule schedule = {.order = xcalloc(tests->count, sizeof *schedule.order),
                                .seconds = xcalloc(tests->count, sizeof *schedule.seconds)};
    struct entry *entries = xcalloc(tests->count, sizeof *entries);
    struct kinds kinds = {0};
    struct kind all = {0};
    for (size_t i = 0; i < tests->count; i++) {
        const struct test *test = &tests->tests[i];
        entries[i] = (struct entry){.test = i, .seconds = test->expected_seconds, .bytes = trace_size(test)};
        if (test->expected_seconds >= 0) {
            learn(kind_of(&kinds, test), test->expected_seconds, entries[i].bytes);
            learn(&all, test->expected_seconds, entries[i].bytes);
        }
    }
    for (size_t i = 0; i < tests->count; i++) {
        if (entries[i].seconds < 0) {
            const struct kind *kind = kind_of(&kinds, &tests->tests[i]);
            entries[i].seconds = kind->known ? guess(kind, entries[i].bytes)
                                 : all.known ? guess(&all, entries[i].bytes)
                                             : 0;
        }
        schedule.seconds[i] = entries[i].seconds;
    }
    qsort(entries, tests->count, sizeof *entries, longer_first);
    for (size_t i = 0; i < tests->count; i++) {
        if (done && done[entries[i].test])
            continue;
        schedule.order[schedule.count++] = entries[i].test;
        schedule.unknown += tests->tests[entries[i].test].expected_seconds < 0;
    }
    free(entries);
    free(kinds.kinds);
    return schedule;
}

void schedule_free(struct schedule *schedule) {
    free(schedule->order);
    free(schedule->seconds);
    *schedule = (struct schedule){0};
}

double schedule_span(const struct schedule *schedule, int jobs) {
    double *busy = xcalloc((size_t)jobs, sizeof *busy), span = 0;
    for (size_t i = 0; i < schedule->count; i++) {
        int first = 0;
        for (int job = 1; job < jobs; job++)
            if (busy[job] < busy[first])
                first = job;
        busy[first] += schedule->seconds[schedule->order[i]];
        if (busy[first] > span)
            span = busy[first];
    }
    free(busy);
    return span;
}
