/* The page of a night: its frame and its head. See page.h. */
#include "regress/pages/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/pages/page.embed.h"
#include "regress/pages/page_parts.h"
#include "trace/formats.h"

/* ---- the head ---- */

static void tile(FILE *out, const char *target, const char *name, const char *value, const char *more) {
    fputs("<div>", out);
    fprintf(out, "<dt>%s</dt><dd>", name);
    if (target)
        fprintf(out, "<a href=\"#%s\">%s</a>", target, value);
    else
        fputs(value, out);
    if (more[0])
        fprintf(out, " <small>%s</small>", more);
    fputs("</dd></div>\n", out);
}

static void count_tile(FILE *out, const char *target, const char *name, size_t n, const char *more) {
    char value[HTML_NUMBER];
    tile(out, n > 0 ? target : NULL, name, html_count(n, value), more);
}

/* "3.4 G" of a large number, into text. */
static char *scaled(double value, char text[HTML_NUMBER]) {
    static const char *const units[] = {"", " k", " M", " G", " T"};
    size_t unit = 0;
    for (; value >= 10000 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1000;
    snprintf(text, HTML_NUMBER, unit == 0 ? "%.0f%s" : "%.1f%s", value, units[unit]);
    return text;
}

static void write_test_tiles(FILE *out, const struct review *review) {
    char more[96], value[HTML_NUMBER], duration[REVIEW_DURATION];
    const size_t run = review->test_count - review->open;
    snprintf(more, sizeof more, "of %zu, %.1f %%", run, run ? 100 * (double)review->passed / (double)run : 0);
    count_tile(out, "tests:show=passed", "Passed", review->passed, more);
    snprintf(more, sizeof more, "in %zu %s, %zu new", review->failed_buckets,
             review->failed_buckets == 1 ? "bucket" : "buckets", review->fresh_buckets);
    count_tile(out, "buckets", "Failed", review->failed, review->failed_buckets > 0 ? more : "");
    if (review->before > 0) {
        count_tile(out, "news", "New failures", review->new_failures, "");
        count_tile(out, "news", "New passes", review->new_passes, "");
    }
    snprintf(more, sizeof more, "%zu pass now, %zu expired", review->excused_pass, review->expired);
    if (review->known + review->excused_pass + review->expired > 0)
        count_tile(out, "known", "Known failures", review->known,
                   review->excused_pass + review->expired > 0 ? more : "");
    if (review->flaky > 0)
        count_tile(out, "flaky", "Flaky", review->flaky, "");
    if (review->open > 0)
        count_tile(out, "tests:show=open", "Not run", review->open, "");
    if (review->coverage) {
        const struct coverage_total total = coverage_total(review->coverage);
        snprintf(value, sizeof value, "%.1f %%",
                 total.reachable ? 100 * (double)total.exercised / (double)total.reachable : 0);
        snprintf(more, sizeof more, "%zu of %zu bins", total.exercised, total.reachable);
        tile(out, "coverage", "Coverage", value, more);
    }
    if (review->cpu_seconds > 0) {
        snprintf(more, sizeof more, "cycles in %s of CPU", review_duration(review->cpu_seconds, duration));
        tile(out, NULL, "Simulated", scaled((double)review->cycles, value), more);
    }
}

static void write_fault_tiles(FILE *out, const struct review *review) {
    char value[HTML_NUMBER], more[96];
    const size_t count = review->fault_count - review->equivalent;
    snprintf(value, sizeof value, "%.1f %%", count ? 100 * (double)review->noticed / (double)count : 100);
    snprintf(more, sizeof more, "%zu of %zu", review->noticed, count);
    tile(out, "faults", "Faults noticed", value, more);
    count_tile(out, "faults", "Survived", review->survived, "");
    count_tile(out, "faults", "Unreached", review->unreached, "");
    count_tile(out, "faults", "Equivalent", review->equivalent, "");
    if (review->fault_open > 0)
        count_tile(out, NULL, "Not known yet", review->fault_open, "");
}

/* How tests, or faults, are shared out, as a bar. */
static void write_bar(FILE *out, const struct review *review) {
    const struct {
        const char *class, *name;
        size_t count;
    } tests[] = {{"failed", "failed", review->failed},
                 {"known", "known to fail", review->known},
                 {"passed", "passed", review->passed},
                 {"open", "not run", review->open}},
      faults[] = {{"failed", "survived", review->survived},
                  {"known", "unreached", review->unreached},
                  {"passed", "noticed", review->noticed},
                  {"open", "not known yet", review->fault_open}},
      *parts = review->fault_count > 0 ? faults : tests;
    size_t all = 0;
    for (int i = 0; i < 4; i++)
        all += parts[i].count;
    if (all == 0)
        return;
    fputs("<div class=\"shares\" role=\"img\" aria-label=\"", out);
    for (int i = 0; i < 4; i++)
        fprintf(out, "%s%zu %s", i ? ", " : "", parts[i].count, parts[i].name);
    fputs("\">", out);
    for (int i = 0; i < 4; i++)
        if (parts[i].count > 0)
            fprintf(out, "<i class=\"%s\" style=\"flex-grow:%zu\" title=\"%zu %s\"></i>", parts[i].class,
                    parts[i].count, parts[i].count, parts[i].name);
    fputs("</div>\n", out);
}

/* One word of a command, quoted for a shell as text_quoted() does it: the bytes up to its end. */
static size_t word_length(const char *text) {
    bool quoted = false;
    size_t n = 0;
    for (; text[n] && (quoted || text[n] != ' '); n++)
        if (text[n] == '\'')
            quoted = !quoted;
        else if (text[n] == '\\' && !quoted && text[n + 1])
            n++;
    return n;
}

/* True if the word names the trace of a test. at: the test of the last such word; they have the same order. */
static bool names_trace(const struct review *review, const char *word, size_t n, size_t *at) {
    const bool quoted = word[0] == '\'' && n > 1;
    char *path = xstrndup(word + quoted, n - 2 * quoted), name[512];
    bool found = false;
    trace_name(path, name, sizeof name);
    for (size_t i = 0; !found && i < review->test_count; i++) {
        const size_t test = (*at + i) % review->test_count;
        if ((found = strcmp(review->tests[test].trace, name) == 0))
            *at = test;
    }
    free(path);
    return found;
}

/* The command of the night with many traces as their number, "nvcosim qualify --count 60 (313 traces)". free() it. */
static char *short_command(const struct review *review) {
    enum { NAMED = 3 };
    struct text all = {0}, text = {0};
    size_t traces = 0, at = 0, n;
    for (const char *word = review->command; *word; word += n + strspn(word + n, " ")) {
        n = word_length(word);
        text_printf(&all, "%s%.*s", all.n ? " " : "", (int)n, word);
        if (names_trace(review, word, n, &at))
            traces++;
        else
            text_printf(&text, "%s%.*s", text.n ? " " : "", (int)n, word);
    }
    if (traces <= NAMED) {
        free(text.text);
        return all.text;
    }
    free(all.text);
    text_printf(&text, " (%zu traces)", traces);
    return text.text;
}

static void write_head(FILE *out, const struct review *review) {
    static const struct {
        const char *class, *sign;
    } outcomes[] = {[NIGHT_PASSED] = {"pass", "&#10003;"},
                    [NIGHT_SURVIVED] = {"refused", "&#9888;&#65038;"},
                    [NIGHT_FAILED] = {"fail", "&#10007;"},
                    [NIGHT_UNFINISHED] = {"hang", "&#9646;&#9646;"}};
    const enum review_outcome outcome = review_outcome(review);
    char duration[REVIEW_DURATION], *sentence = review_sentence(review);
    fprintf(out, "<header class=\"%s\">\n<p class=\"status\"><span aria-hidden=\"true\">%s</span> %s",
            outcomes[outcome].class, outcomes[outcome].sign, review_outcome_text(review));
    if (outcome == NIGHT_FAILED && strcmp(review->state, "done") != 0)
        html_printf(out, " (%s)", review->state);
    fputs("</p>\n<h1>", out);
    html_printf(out, "%s, night %" PRId64, review->plan, review->night);
    fputs("</h1>\n<p class=\"verdict\">", out);
    html_text(out, sentence);
    fputs("</p>\n", out);
    free(sentence);
    write_bar(out, review);
    fputs("<p class=\"what\">", out);
    html_printf(out, "%.10s %.5s UTC on %s (%" PRId64 " cores, %s), %s; revision%s", review->started,
                strlen(review->started) > 11 ? review->started + 11 : "", review->host, review->cores, review->engine,
                review_duration(review->seconds, duration), review->revision ? " " : " not known");
    if (review->revision) {
        fputs("<code title=\"", out);
        html_text(out, review->revision);
        fputs("\">", out);
        html_printf(out, "%.12s", review->revision);
        fputs("</code>", out);
    }
    html_printf(out, "%s; seed %" PRIu64 "; nvcosim %s", review->dirty ? " with changes that are not committed" : "",
                review->seed, review->version);
    if (review->selected)
        html_printf(out, "; --select '%s'", review->selected);
    fputs("</p>\n", out);
    char *command = short_command(review);
    page_command(out, command, strcmp(command, review->command) == 0 ? NULL : review->command);
    free(command);
    fputs("<dl class=\"tiles\">\n", out);
    if (review->fault_count > 0)
        write_fault_tiles(out, review);
    if (review->test_count > 0)
        write_test_tiles(out, review);
    fputs("</dl>\n</header>\n", out);
}

/* ---- the whole ---- */

static void write_page(FILE *out, const struct review *review) {
    char *title = xprintf("%s, night %" PRId64, review->plan, review->night);
    html_begin(out, review_outcome_text(review), title, page_css);
    free(title);
    write_head(out, review);
    fputs("<main>\n", out);
    page_faults(out, review);
    page_buckets(out, review);
    page_news(out, review);
    page_known(out, review);
    page_flaky(out, review);
    page_tests(out, review);
    page_coverage(out, review);
    page_plots(out, review);
    fputs("</main>\n", out);
    html_end(out, page_js);
}

bool page_write(const struct review *review, const char *path, struct error *err) {
    char *text = NULL;
    size_t size;
    FILE *out = xmemstream(&text, &size);
    write_page(out, review);
    xmemstream_close(out);
    const bool written = file_write(path, text, size, err);
    free(text);
    return written;
}
