/* The sections of failures: buckets, new ones, known ones, flaky tests. See page_parts.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "regress/pages/page_parts.h"

enum { LISTED = 40 /* tests of a list; the table has all */ };

/* ---- lists of tests ---- */

static void write_test(FILE *out, const struct review *review, const struct review_test *test, const char *more) {
    fputs("<li>", out);
    page_badge(out, test->verdict, test->state == REVIEW_KNOWN);
    fprintf(out, " <a class=\"test\" href=\"#test-%" PRId64 "\">", test->number);
    html_text(out, test->key);
    fputs("</a> ", out);
    page_past(out, test->past);
    if (more && more[0]) {
        fputs(" <small>", out);
        html_text(out, more);
        fputs("</small>", out);
    }
    if (test->page && test->state != REVIEW_PASSED) {
        fputs(" ", out);
        page_link(out, test->page);
        fputs("report</a>", out);
    }
    if (test->bucket >= 0)
        fprintf(out, " <a href=\"#bucket-%" PRId64 "\">bucket %" PRId64 "</a>", review->buckets[test->bucket].number,
                review->buckets[test->bucket].number);
    else if (test->state != REVIEW_PASSED && test->reason && test->reason[0]) {
        fputs("<p class=\"reason\">", out);
        html_text(out, test->reason);
        fputs("</p>", out);
    }
    fputs("</li>\n", out);
}

/* A list of the tests that are among them. about: a text after each, free() it; NULL: none. */
static void write_list(FILE *out, const struct review *review, const char *filter,
                       bool (*among)(const struct review_test *test),
                       char *(*about)(const struct review *review, const struct review_test *test)) {
    size_t found = 0;
    fputs("<ul class=\"tests\">\n", out);
    for (size_t i = 0; i < review->test_count; i++) {
        const struct review_test *test = &review->tests[i];
        if (!among(test) || found++ >= LISTED)
            continue;
        char *more = about ? about(review, test) : NULL;
        write_test(out, review, test, more);
        free(more);
    }
    fputs("</ul>\n", out);
    if (found > LISTED)
        fprintf(out, "<p><a href=\"#tests:show=%s\">%zu more in the table</a></p>\n", filter, found - LISTED);
}

/* ---- buckets ---- */

static void write_bucket_facts(FILE *out, const struct review *review, const struct review_bucket *bucket) {
    const char *const words[] = {bucket->engine, bucket->tap, bucket->kind};
    fputs("<p class=\"facts\">", out);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i]) {
            fputs("<span class=\"chip\">", out);
            html_text(out, words[i]);
            fputs("</span> ", out);
        }
    fprintf(out, "<small>bucket %" PRId64, bucket->number);
    if (bucket->nights > 1)
        fprintf(out, "; in %" PRId64 " nights, first in night %" PRId64, bucket->nights, bucket->first);
    else if (review->before > 0)
        fputs("; in no night before", out);
    if (bucket->known > 0)
        fprintf(out, "; %zu of them %s known", bucket->known, bucket->known == 1 ? "is" : "are");
    fputs("</small></p>\n", out);
}

static void write_smallest(FILE *out, const struct review *review, const struct review_bucket *bucket) {
    char number[HTML_NUMBER];
    fputs("<p>Smallest case: ", out);
    if (bucket->smallest >= 0) {
        const struct review_test *test = &review->tests[bucket->smallest];
        fprintf(out, "<a class=\"test\" href=\"#test-%" PRId64 "\">", test->number);
        html_text(out, test->key);
        fputs("</a>", out);
        if (test->cycles > 0)
            fprintf(out, ", %s cycles", html_count((uint64_t)test->cycles, number));
    }
    if (bucket->shrunk) {
        fputs(", shrunk to ", out);
        page_link(out, bucket->shrunk);
        html_text(out, bucket->shrunk);
        fputs("</a>", out);
        if (bucket->shrunk_cycles > 0)
            fprintf(out, " (%s cycles)", html_count((uint64_t)bucket->shrunk_cycles, number));
    }
    fputs("</p>\n", out);
}

static void write_bucket(FILE *out, const struct review *review, size_t index) {
    const struct review_bucket *bucket = &review->buckets[index];
    fprintf(out, "<article class=\"bucket%s\" id=\"bucket-%" PRId64 "\"><h3><span class=\"many\">%" PRId64 "</span> ",
            bucket->fresh ? " fresh" : "", bucket->number, bucket->count);
    if (bucket->fresh)
        fprintf(out, "<span class=\"new\">%s</span> ", bucket->nights > 1 ? "back" : "new");
    html_text(out, bucket->title);
    fputs("</h3>\n", out);
    write_bucket_facts(out, review, bucket);
    write_smallest(out, review, bucket);
    page_command(out, bucket->command, NULL);
    if (bucket->shrunk_command) {
        fputs("<p>What it was shrunk to:</p>\n", out);
        page_command(out, bucket->shrunk_command, NULL);
    }
    if (bucket->note) {
        fputs("<p class=\"reason\">", out);
        html_text(out, bucket->note);
        fputs("</p>\n", out);
    }
    fputs("<p class=\"links\">", out);
    if (bucket->page) {
        page_link(out, bucket->page);
        fputs("debug report</a> ", out);
    }
    fprintf(out, "<a href=\"#tests:bucket=%" PRId64 "\">its tests in the table</a></p>\n", bucket->number);
    fputs("</article>\n", out);
}

static bool is_loose(const struct review_test *test) {
    return test->state == REVIEW_FAILED && test->bucket < 0;
}

static char *about_loose(const struct review *review, const struct review_test *test) {
    (void)review;
    return test->signature ? xstrdup(test->signature) : NULL;
}

void page_buckets(FILE *out, const struct review *review) {
    size_t loose = 0;
    for (size_t i = 0; i < review->test_count; i++)
        loose += is_loose(&review->tests[i]);
    if (review->bucket_count == 0 && loose == 0)
        return;
    html_section(out, "buckets", "Buckets",
                 "Failures that look alike, those first that the night before did not have. The command does the "
                 "smallest case again.");
    for (size_t i = 0; i < review->bucket_count; i++)
        write_bucket(out, review, i);
    if (loose > 0) {
        fprintf(out, "<article class=\"bucket\"><h3><span class=\"many\">%zu</span> in no bucket</h3>\n", loose);
        write_list(out, review, "failed", is_loose, about_loose);
        fputs("</article>\n", out);
    }
    fputs("</section>\n", out);
}

/* ---- what is new ---- */

static bool is_new_failure(const struct review_test *test) {
    return test->new_failure;
}

static bool is_new_pass(const struct review_test *test) {
    return test->new_pass;
}

static char *about_before(const struct review *review, const struct review_test *test) {
    if (!test->was_there)
        return xprintf("not in night %" PRId64, review->before);
    return xprintf("%s in night %" PRId64 "%s", review_verdict_text(test->before), review->before,
                   test->same     ? ""
                   : test->random ? ", with another layer"
                                  : ", with other seeds");
}

void page_news(FILE *out, const struct review *review) {
    if (review->before == 0 || review->test_count == 0)
        return;
    fputs("<section id=\"news\" aria-labelledby=\"news-title\"><h2 id=\"news-title\">New since ", out);
    page_night_link(out, review, review->before, review->before_folder);
    fputs("</h2>\n<p class=\"about\">", out);
    html_printf(out, "The last night of the same plan and selection that was done, %.10s, revision %.12s.",
                review->before_started, review->before_revision ? review->before_revision : "not known");
    if (review->gone > 0)
        fprintf(out, " <strong>%zu of its tests %s not in this night.</strong>", review->gone,
                review->gone == 1 ? "is" : "are");
    fputs("</p>\n", out);
    if (review->new_failures > 0) {
        fprintf(out, "<h3>New failures <span class=\"n\">%zu</span></h3>\n", review->new_failures);
        write_list(out, review, "new-failures", is_new_failure, about_before);
    } else {
        fputs("<p>No new failures.</p>\n", out);
    }
    if (review->new_passes > 0) {
        fprintf(out, "<h3>New passes <span class=\"n\">%zu</span></h3>\n", review->new_passes);
        write_list(out, review, "new-passes", is_new_pass, about_before);
    }
    fputs("</section>\n", out);
}

/* ---- known failures ---- */

static bool is_known(const struct review_test *test) {
    return test->state == REVIEW_KNOWN;
}

static bool is_excused_pass(const struct review_test *test) {
    return test->known && test->state == REVIEW_PASSED;
}

static bool is_expired(const struct review_test *test) {
    return test->excuse && !test->known;
}

static char *about_known(const struct review *review, const struct review_test *test) {
    (void)review;
    return xprintf("%s%s%s", test->excuse ? test->excuse : test->known, test->excuse_until ? "; until " : "",
                   test->excuse_until ? test->excuse_until : "");
}

void page_known(FILE *out, const struct review *review) {
    if (review->known + review->excused_pass + review->expired == 0)
        return;
    html_section(out, "known", "Known failures", "What the plan names as such. They do not fail the night.");
    if (review->expired > 0) {
        fprintf(out, "<h3>Expired, no longer an excuse <span class=\"n\">%zu</span></h3>\n", review->expired);
        write_list(out, review, "expired", is_expired, about_known);
    }
    if (review->excused_pass > 0) {
        fprintf(out, "<h3>Pass now: take them out of the plan <span class=\"n\">%zu</span></h3>\n",
                review->excused_pass);
        write_list(out, review, "known", is_excused_pass, about_known);
    }
    if (review->known > 0) {
        fprintf(out, "<h3>Fail as known <span class=\"n\">%zu</span></h3>\n", review->known);
        write_list(out, review, "known", is_known, about_known);
    }
    fputs("</section>\n", out);
}

/* ---- flaky tests ---- */

static bool is_flaky(const struct review_test *test) {
    return test->flaky != REVIEW_STEADY;
}

static char *about_flaky(const struct review *review, const struct review_test *test) {
    (void)review;
    return xstrdup(test->flaky_text);
}

void page_flaky(FILE *out, const struct review *review) {
    if (review->flaky == 0)
        return;
    html_section(out, "flaky", "Flaky",
                 "Verdicts that differ though revision and seeds are the same, or that come and go.");
    write_list(out, review, "flaky", is_flaky, about_flaky);
    fputs("</section>\n", out);
}
