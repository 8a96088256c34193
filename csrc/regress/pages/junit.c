/* The results of a night as JUnit XML. See junit.h. */
#include "regress/pages/junit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "report/markup.h"

static void attribute(FILE *out, const char *name, const char *value) {
    fprintf(out, " %s=\"", name);
    html_text(out, value);
    fputc('"', out);
}

static void property(FILE *out, const char *name, const char *value) {
    if (!value)
        return;
    fputs("    <property", out);
    attribute(out, "name", name);
    attribute(out, "value", value);
    fputs("/>\n", out);
}

static bool is_error(const struct review_test *test) {
    return test->verdict != VERDICT_FAIL && test->verdict != VERDICT_HANG;
}

/* Cases are grouped at the dots of their class. */
static char *without_dots(const char *name) {
    char *text = xstrdup(name);
    for (char *c = text; *c; c++)
        if (*c == '.')
            *c = '_';
    return text;
}

static void line(FILE *out, const char *name, const char *value) {
    if (!value || !value[0])
        return;
    fputs(name, out);
    html_text(out, value);
    fputc('\n', out);
}

static void write_outcome(FILE *out, const struct review *review, const struct review_test *test) {
    const char *element = is_error(test) ? "error" : "failure";
    const struct review_bucket *bucket = test->bucket >= 0 ? &review->buckets[test->bucket] : NULL;
    fprintf(out, "      <%s", element);
    attribute(out, "type", review_verdict_text(test->verdict));
    attribute(out, "message", test->reason && test->reason[0] ? test->reason : review_verdict_text(test->verdict));
    fputc('>', out);
    if (!test->reason || !test->mismatch || !strstr(test->reason, test->mismatch))
        line(out, "", test->mismatch);
    line(out, "signature: ", test->signature);
    line(out, "bucket: ", bucket ? bucket->title : NULL);
    if (review->before > 0)
        fprintf(out, "night %" PRId64 ": %s\n", review->before,
                test->was_there ? review_verdict_text(test->before) : "not in it");
    line(out, "report: ", test->page);
    fprintf(out, "</%s>\n", element);
}

static void write_case(FILE *out, const struct review *review, const char *suite, const struct review_test *test) {
    fputs("    <testcase", out);
    attribute(out, "classname", suite);
    attribute(out, "name", test->name);
    fprintf(out, " time=\"%.3f\"", test->seconds);
    if (test->state == REVIEW_PASSED) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n", out);
    if (test->state == REVIEW_FAILED)
        write_outcome(out, review, test);
    else {
        char *why = test->state == REVIEW_KNOWN
                        ? xprintf("known failure, %s%s%s: %s", review_verdict_text(test->verdict),
                                  test->excuse_until ? ", until " : "", test->excuse_until ? test->excuse_until : "",
                                  test->known)
                        : xprintf("not run: the night is %s",
                                  strcmp(review->state, "running") == 0 ? "still running" : review->state);
        fputs("      <skipped", out);
        attribute(out, "message", why);
        fputs("/>\n", out);
        free(why);
    }
    if (test->command) {
        fputs("      <system-out>", out);
        line(out, "", test->command);
        if (test->state != REVIEW_OPEN)
            line(out, "", test->debug_command);
        fputs("</system-out>\n", out);
    }
    fputs("    </testcase>\n", out);
}

struct counts {
    size_t tests, failures, errors, skipped;
    double seconds;
};

static struct counts count(const struct review *review, const char *item) {
    struct counts counts = {0};
    for (size_t i = 0; i < review->test_count; i++) {
        const struct review_test *test = &review->tests[i];
        if (item && strcmp(test->item, item) != 0)
            continue;
        counts.tests++;
        counts.failures += test->state == REVIEW_FAILED && !is_error(test);
        counts.errors += test->state == REVIEW_FAILED && is_error(test);
        counts.skipped += test->state == REVIEW_KNOWN || test->state == REVIEW_OPEN;
        counts.seconds += test->seconds;
    }
    return counts;
}

static void write_counts(FILE *out, const struct counts *counts) {
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\"", counts->tests, counts->failures,
            counts->errors, counts->seconds);
}

static void write_suite(FILE *out, const struct review *review, const char *item) {
    const struct counts counts = count(review, item);
    char *plan = without_dots(review->plan), *name = without_dots(item);
    char *suite = xprintf("%s.%s", plan, name);
    char *night = xprintf("%" PRId64, review->night), *seed = xprintf("%" PRIu64, review->seed);
    fputs("  <testsuite", out);
    attribute(out, "name", suite);
    write_counts(out, &counts);
    fprintf(out, " skipped=\"%zu\"", counts.skipped);
    /* Local time without a zone is what the readers expect; the database has UTC. */
    char *started = xstrndup(review->started, strcspn(review->started, "Z"));
    attribute(out, "timestamp", started);
    attribute(out, "hostname", review->host);
    fputs(">\n    <properties>\n", out);
    property(out, "night", night);
    property(out, "seed", seed);
    property(out, "revision", review->revision);
    property(out, "version", review->version);
    property(out, "command", review->command);
    fputs("    </properties>\n", out);
    for (size_t i = 0; i < review->test_count; i++)
        if (strcmp(review->tests[i].item, item) == 0)
            write_case(out, review, suite, &review->tests[i]);
    fputs("  </testsuite>\n", out);
    free(plan);
    free(name);
    free(suite);
    free(night);
    free(seed);
    free(started);
}

static void write_suites(FILE *out, const struct review *review) {
    const struct counts all = count(review, NULL);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out);
    attribute(out, "name", review->plan);
    write_counts(out, &all);
    fputs(">\n", out);
    /* Tests of an item follow each other. */
    for (size_t i = 0; i < review->test_count; i++)
        if (i == 0 || strcmp(review->tests[i].item, review->tests[i - 1].item) != 0)
            write_suite(out, review, review->tests[i].item);
    fputs("</testsuites>\n", out);
}

bool junit_write(const struct review *review, const char *path, struct error *err) {
    char *text = NULL;
    size_t size;
    FILE *out = xmemstream(&text, &size);
    write_suites(out, review);
    xmemstream_close(out);
    const bool written = file_write(path, text, size, err);
    free(text);
    return written;
}
