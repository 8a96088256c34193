/* The summary of a night for people. See summary.h. */
#include "regress/pages/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"

enum { BUCKETS = 10, TESTS = 20, LINE = 300 /* bytes of a line at most; the page has all */ };

/* A piece of a line: no control characters, bounded. */
static void put(struct text *text, const char *piece) {
    char shown[LINE];
    text_printf(text, "%s", text_shown_into(piece, shown, sizeof shown));
}

static void add_buckets(const struct review *review, struct text *text) {
    if (review->bucket_count == 0)
        return;
    text_printf(text, "\nBuckets:\n");
    for (size_t i = 0; i < review->bucket_count && i < BUCKETS; i++) {
        const struct review_bucket *bucket = &review->buckets[i];
        text_printf(text, "  %4" PRId64 "  %s", bucket->count, bucket->fresh ? "NEW " : "");
        put(text, bucket->title);
        text_printf(text, "\n        ");
        put(text, bucket->command);
        text_printf(text, "\n");
    }
    if (review->bucket_count > BUCKETS)
        text_printf(text, "  and %zu more\n", review->bucket_count - BUCKETS);
}

/* The tests that are among them. since: a night for the title, 0: none. */
static void add_tests(const struct review *review, struct text *text, const char *title, int64_t since,
                      bool (*among)(const struct review_test *test)) {
    size_t found = 0;
    for (size_t i = 0; i < review->test_count; i++) {
        const struct review_test *test = &review->tests[i];
        if (!among(test) || found++ >= TESTS)
            continue;
        if (found == 1) {
            text_printf(text, "\n%s", title);
            if (since > 0)
                text_printf(text, " since night %" PRId64, since);
            text_printf(text, ":\n");
        }
        text_printf(text, "  %-7s ", review_verdict_text(test->verdict));
        put(text, test->key);
        if (test->state == REVIEW_FAILED && test->reason && test->reason[0]) {
            text_printf(text, ": ");
            put(text, test->reason);
        }
        text_printf(text, "\n");
    }
    if (found > TESTS)
        text_printf(text, "  and %zu more\n", found - TESTS);
}

static bool is_new_failure(const struct review_test *test) {
    return test->new_failure;
}

/* Not in another list. */
static bool is_loose(const struct review_test *test) {
    return test->state == REVIEW_FAILED && test->bucket < 0 && !test->new_failure;
}

static bool is_new_pass(const struct review_test *test) {
    return test->new_pass;
}

static void add_survivors(const struct review *review, struct text *text) {
    size_t found = 0;
    for (size_t i = 0; i < review->fault_count; i++) {
        const struct review_fault *fault = &review->faults[i];
        if (!fault->state || strcmp(fault->state, "survived") != 0 || found++ >= TESTS)
            continue;
        if (found == 1)
            text_printf(text, "\nFaults that survive:\n");
        text_printf(text, "  ");
        put(text, fault->file);
        text_printf(text, ":%" PRId64 ": ", fault->line);
        put(text, fault->original);
        text_printf(text, " -> ");
        put(text, fault->changed);
        text_printf(text, "\n");
    }
    if (found > TESTS)
        text_printf(text, "  and %zu more\n", found - TESTS);
}

char *summary_text(const struct review *review, const char *page) {
    struct text text = {0};
    char *sentence = review_sentence(review), duration[REVIEW_DURATION];
    text_printf(&text, "%s ", review_outcome_text(review));
    put(&text, review->plan);
    text_printf(&text, " night %" PRId64 ": ", review->night);
    put(&text, sentence);
    text_printf(&text, "\n\n%s on ", review->started);
    put(&text, review->host);
    text_printf(&text, ", %s, revision %.12s%s, nvcosim %s, seed %" PRIu64 "\n",
                review_duration(review->seconds, duration), review->revision ? review->revision : "not known",
                review->dirty ? " with changes" : "", review->version, review->seed);
    add_buckets(review, &text);
    add_tests(review, &text, "New failures", review->before, is_new_failure);
    add_tests(review, &text, "Failures in no bucket", 0, is_loose);
    add_tests(review, &text, "New passes", review->before, is_new_pass);
    add_survivors(review, &text);
    if (page) {
        text_printf(&text, "\nPage: ");
        put(&text, page);
        text_printf(&text, "\n");
    }
    free(sentence);
    return text.text;
}
