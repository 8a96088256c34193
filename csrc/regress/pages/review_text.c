/* A night in words: its outcome, the sentence at its head, durations. See review.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nvdla/text.h"
#include "regress/pages/review.h"

const char *review_verdict_text(int verdict) {
    return verdict == REVIEW_NOT_RUN ? "not run" : verdict_names[verdict];
}

enum review_outcome review_outcome(const struct review *review) {
    if (review->failed > 0)
        return NIGHT_FAILED;
    if (strcmp(review->state, "done") != 0 || review->open > 0)
        return NIGHT_UNFINISHED;
    return review->survived + review->unreached > 0 ? NIGHT_SURVIVED : NIGHT_PASSED;
}

const char *review_outcome_text(const struct review *review) {
    switch (review_outcome(review)) {
    case NIGHT_FAILED:
        return "FAILED";
    case NIGHT_SURVIVED:
        return "SURVIVORS";
    case NIGHT_UNFINISHED:
        return strcmp(review->state, "running") == 0 ? "RUNNING" : "INTERRUPTED";
    case NIGHT_PASSED:
        break;
    }
    return "PASSED";
}

static void add_faults(const struct review *review, struct text *text) {
    const size_t blind = review->fault_count - review->equivalent;
    text_printf(text, "%zu of %zu faults are noticed", review->noticed, blind);
    if (blind > 0)
        text_printf(text, " (%.1f %%)", 100 * (double)review->noticed / (double)blind);
    if (review->survived > 0)
        text_printf(text, "; %zu survive%s", review->survived, review->survived == 1 ? "s" : "");
    if (review->unreached > 0)
        text_printf(text, "; %zu %s reached by no test", review->unreached,
                    text_plural(review->unreached, "is", "are"));
    if (review->equivalent > 0)
        text_printf(text, "; %zu more %s nothing, says the plan", review->equivalent,
                    text_plural(review->equivalent, "changes", "change"));
    if (review->fault_open > 0)
        text_printf(text, "; of %zu nothing is known yet", review->fault_open);
    text_printf(text, ". ");
}

char *review_sentence(const struct review *review) {
    struct text text = {0};
    if (review->fault_count > 0)
        add_faults(review, &text);
    if (review->failed > 0) {
        text_printf(&text, "%zu of %zu tests %s", review->failed, review->test_count,
                    text_plural(review->failed, "fails", "fail"));
        if (review->failed_buckets > 0)
            text_printf(&text, " in %zu %s", review->failed_buckets,
                        text_plural(review->failed_buckets, "bucket", "buckets"));
        if (review->new_failures > 0)
            text_printf(&text, ", %zu of them new since night %" PRId64, review->new_failures, review->before);
        else if (review->before > 0)
            text_printf(&text, ", none of them new since night %" PRId64, review->before);
        text_printf(&text, "; ");
    }
    if (review->open > 0)
        text_printf(&text, "%zu %s not run; ", review->open, text_plural(review->open, "test has", "tests have"));
    if (review->known > 0)
        text_printf(&text, "%zu %s as known; ", review->known, text_plural(review->known, "fails", "fail"));
    if (review->test_count > 0 && review->passed == review->test_count)
        text_printf(&text, review->passed == 1 ? "The test passes." : "All %zu tests pass.", review->passed);
    else if (review->test_count > 0)
        text_printf(&text, "%zu %s.", review->passed, text_plural(review->passed, "passes", "pass"));
    else if (review->fault_count == 0)
        text_printf(&text, "The night has no tests.");
    while (text.n > 0 && text.text[text.n - 1] == ' ')
        text.text[--text.n] = '\0';
    return text.text;
}

char *review_duration(double seconds, char text[REVIEW_DURATION]) {
    const int64_t whole = (int64_t)(seconds + 0.5);
    if (seconds < 1)
        snprintf(text, REVIEW_DURATION, "%.0f ms", seconds * 1e3);
    else if (seconds < 59.95)
        snprintf(text, REVIEW_DURATION, "%.1f s", seconds);
    else if (whole < 3600)
        snprintf(text, REVIEW_DURATION, "%" PRId64 " min %" PRId64 " s", whole / 60, whole % 60);
    else
        snprintf(text, REVIEW_DURATION, "%" PRId64 " h %" PRId64 " min", whole / 3600, whole % 3600 / 60);
    return text;
}
