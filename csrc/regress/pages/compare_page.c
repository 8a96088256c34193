/* The page of a comparison, of the same pieces as that of a night. See compare.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/pages/compare.embed.h"
#include "regress/pages/compare.h"
#include "regress/pages/page.embed.h"
#include "regress/pages/page_parts.h"
#include "regress/plan/paths.h"

enum { LISTED = 200 /* tests of a section; the table at the end has all */ };

struct view {
    FILE *out;
    const struct comparison *comparison;
    const char *folder; /* that the page is in, absolute */
};

/* ---- pieces ---- */

/* A path as it is seen from a folder; both absolute. free() it. */
static char *path_seen(const char *folder, const char *path) {
    size_t same = 0, at = 0; /* same: bytes of the folders that both begin with */
    for (; folder[at] && folder[at] == path[at]; at++)
        if (folder[at] == '/')
            same = at + 1;
    if (!folder[at] && path[at] == '/')
        same = at + 1;
    struct text text = {0};
    for (const char *c = folder + (same > strlen(folder) ? strlen(folder) : same); *c;) {
        text_printf(&text, "../");
        c += strcspn(c, "/");
        c += *c == '/';
    }
    text_printf(&text, "%s", path + same);
    return text.text;
}

/* The start of a link to a file of a night; nothing where the folder of the night is not known. */
static bool begin_link(const struct view *view, const struct compare_side *side, const char *file) {
    if (side->folder[0] != '/')
        return false;
    char *path = xprintf("%s/%s", side->folder, file), *seen = path_seen(view->folder, path);
    page_link(view->out, seen);
    free(seen);
    free(path);
    return true;
}

static void write_verdict(FILE *out, const struct compare_result *result) {
    if (result->there)
        page_badge(out, result->verdict, result->known);
}

/* good: what is better, 1 more, -1 less; 0: no colour. */
static void write_ratio(FILE *out, double ratio, int good, const char *name) {
    if (ratio <= 0) {
        fputs("<td></td>", out);
        return;
    }
    const double edge = 0.0005;
    const char *class = good == 0          ? ""
                        : ratio > 1 + edge ? (good > 0 ? "good" : "bad")
                        : ratio < 1 - edge ? (good > 0 ? "bad" : "good")
                                           : "";
    fprintf(out, "<td class=\"%s\" data-name=\"%s\">%.3f</td>", class, name, ratio);
}

static void write_count(FILE *out, int64_t value, const char *name) {
    char text[HTML_NUMBER];
    if (value > 0)
        fprintf(out, "<td data-name=\"%s\">%s</td>", name, html_count((uint64_t)value, text));
    else
        fputs("<td></td>", out);
}

/* ---- the head ---- */

static void tile(FILE *out, const char *target, const char *name, size_t value) {
    char text[HTML_NUMBER];
    html_count(value, text);
    if (value > 0 && target)
        fprintf(out, "<div><dt>%s</dt><dd><a href=\"#%s\">%s</a></dd></div>\n", name, target, text);
    else
        fprintf(out, "<div><dt>%s</dt><dd>%s</dd></div>\n", name, text);
}

static void write_side(const struct view *view, const struct compare_side *side, const char *letter) {
    FILE *out = view->out;
    fprintf(out, "<p><b>%s</b> ", letter);
    const bool linked = begin_link(view, side, "index.html");
    fprintf(out, "night %" PRId64 "%s", side->night, linked ? "</a>" : "");
    html_printf(out, "%s of %s, %.10s %.5s UTC; %zu tests; revision ", side->chosen, side->plan, side->started,
                strlen(side->started) > 11 ? side->started + 11 : "", side->tests);
    fputs("<code>", out);
    html_printf(out, "%.12s", side->revision ? side->revision : "not known");
    fputs("</code>", out);
    html_printf(out, "%s; nvcosim %s", side->dirty ? " with changes that are not committed" : "", side->version);
    if (strcmp(side->state, "done") != 0)
        html_printf(out, "; %s", side->state);
    fputs("</p>\n", out);
}

static const char *outcome(const struct comparison *comparison) {
    return compare_worse(comparison) ? "WORSE" : "NOT WORSE";
}

static void write_head(const struct view *view, const char *title) {
    FILE *out = view->out;
    const struct comparison *comparison = view->comparison;
    const size_t *changes = comparison->changes;
    char *sentence = compare_sentence(comparison);
    fprintf(out, "<header class=\"%s\">\n<p class=\"status\"><span aria-hidden=\"true\">%s</span> %s</p>\n<h1>",
            compare_worse(comparison) ? "fail" : "pass", compare_worse(comparison) ? "&#10007;" : "&#10003;",
            outcome(comparison));
    html_text(out, title);
    fputs("</h1>\n<p class=\"verdict\">", out);
    html_text(out, sentence);
    free(sentence);
    fputs("</p>\n<div class=\"sides\">\n", out);
    write_side(view, &comparison->a, "A");
    write_side(view, &comparison->b, "B");
    fputs("</div>\n<dl class=\"tiles\">\n", out);
    tile(out, "new", "New failures", changes[COMPARE_NEW_FAILURE]);
    tile(out, "fixed", "Fixed", changes[COMPARE_FIXED]);
    tile(out, changes[COMPARE_OTHERWISE] ? "otherwise" : "still", "Fail in both",
         changes[COMPARE_STILL] + changes[COMPARE_OTHERWISE]);
    tile(out, "all", "Pass in both", changes[COMPARE_PASSES]);
    if (changes[COMPARE_ONLY_A] + changes[COMPARE_ONLY_B] > 0)
        tile(out, changes[COMPARE_ONLY_A] ? "only-a" : "only-b", "Only in one",
             changes[COMPARE_ONLY_A] + changes[COMPARE_ONLY_B]);
    if (comparison->limit >= 0)
        tile(out, "cycles", "Over the limit", comparison->over);
    if (comparison->mean_count > 0) {
        const struct compare_mean *mean = &comparison->means[0];
        if (mean->cycles > 0)
            fprintf(out, "<div><dt>Cycles, B/A</dt><dd>%.3f <small>%zu more, %zu fewer of %zu</small></dd></div>\n",
                    mean->cycles, mean->slower, mean->faster, mean->count);
        if (mean->speed > 0)
            fprintf(out, "<div><dt>Speed, B/A</dt><dd>%.3f <small>cycles a CPU second</small></dd></div>\n",
                    mean->speed);
    }
    fputs("</dl>\n</header>\n", out);
}

/* ---- sections ---- */

static void write_signature(FILE *out, const char *before, const char *now) {
    fputs(" <span class=\"chip\">", out);
    html_text(out, now);
    fputs("</span>", out);
    if (before)
        html_printf(out, " was %s", before);
    fputc(' ', out);
}

static void write_test(const struct view *view, const struct compare_pair *pair) {
    FILE *out = view->out;
    const struct compare_result *told = pair->b.there ? &pair->b : &pair->a;
    fputs("<li>", out);
    write_verdict(out, &pair->a);
    if (pair->a.there && pair->b.there)
        fputs(" <span aria-label=\"then\">&rarr;</span> ", out);
    write_verdict(out, &pair->b);
    fputs(" <span class=\"test\">", out);
    html_text(out, pair->name);
    fputs("</span>", out);
    if (pair->a.signature && pair->b.signature && strcmp(pair->a.signature, pair->b.signature) != 0)
        write_signature(out, pair->a.signature, pair->b.signature);
    else if (told->signature)
        write_signature(out, NULL, told->signature);
    if (told->page && begin_link(view, pair->b.there ? &view->comparison->b : &view->comparison->a, told->page))
        fputs("report</a>", out);
    if (told->reason && told->reason[0]) {
        fputs("<p class=\"reason\">", out);
        html_text(out, told->reason);
        fputs("</p>", out);
    }
    const char *command = told->debug_command ? told->debug_command : told->command;
    if (told->verdict > VERDICT_PASS && command) {
        fputs("<details><summary>command</summary>", out);
        page_command(out, command, NULL);
        fputs("</details>", out);
    }
    fputs("</li>\n", out);
}

static void write_change(const struct view *view, enum compare_change change, const char *id, const char *title,
                         const char *about) {
    const struct comparison *comparison = view->comparison;
    FILE *out = view->out;
    size_t shown = 0;
    if (comparison->changes[change] == 0)
        return;
    char *head = xprintf("%s (%zu)", title, comparison->changes[change]);
    html_section(out, id, head, about);
    free(head);
    fputs("<ul class=\"tests\">\n", out);
    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->pairs[i].change == change && shown++ < LISTED)
            write_test(view, &comparison->pairs[i]);
    fputs("</ul>\n", out);
    if (shown > LISTED)
        fprintf(out, "<p class=\"about\">%zu more are in the table of all tests.</p>\n", shown - LISTED);
    fputs("</section>\n", out);
}

static void write_extremes(FILE *out, const char *title, const struct compare_pair *const *pairs, size_t count) {
    char before[HTML_NUMBER], now[HTML_NUMBER];
    if (count == 0)
        return;
    fprintf(out, "<table class=\"ratios\"><caption>%s</caption><tbody>\n", title);
    for (size_t i = 0; i < count && i < COMPARE_EXTREMES; i++) {
        fputs("<tr><th scope=\"row\">", out);
        html_text(out, pairs[i]->name);
        fprintf(out, " <small>%s &rarr; %s</small></th>", html_count((uint64_t)pairs[i]->a.cycles, before),
                html_count((uint64_t)pairs[i]->b.cycles, now));
        write_ratio(out, pairs[i]->cycles_ratio, -1, "B/A");
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

static void write_means(FILE *out, const struct comparison *comparison) {
    fputs(
        "<div class=\"scroll\"><table class=\"kinds\"><caption>Geometric means of B/A</caption><thead><tr><th "
        "scope=\"col\">of</th><th scope=\"col\">tests</th><th scope=\"col\">cycles</th><th scope=\"col\">more</th><th "
        "scope=\"col\">fewer</th><th scope=\"col\">speed</th></tr></thead><tbody>\n",
        out);
    for (size_t i = 0; i < comparison->mean_count; i++) {
        const struct compare_mean *mean = &comparison->means[i];
        fputs("<tr><th scope=\"row\">", out);
        if (mean->kind[0])
            fprintf(out, "<span class=\"of\">%s</span> ", mean->kind);
        html_text(out, mean->name);
        fprintf(out, "</th><td>%zu</td>", mean->count > mean->speed_count ? mean->count : mean->speed_count);
        write_ratio(out, mean->cycles, -1, "cycles");
        fprintf(out, "<td>%zu</td><td>%zu</td>", mean->slower, mean->faster);
        write_ratio(out, mean->speed, mean->speed_counts, "speed");
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void write_cycles(FILE *out, const struct comparison *comparison) {
    if (comparison->mean_count == 0)
        return;
    html_section(
        out, "cycles", "Cycles and speed",
        "Of tests that pass in both and do the same work. Cycles: core clocks of the RTL. Speed: those for each "
        "second of CPU time of the simulation, model and start included.");
    if (comparison->other_work > 0)
        fprintf(out, "<p class=\"about\">%zu %s in both with other layers or seeds, and are not compared.</p>\n",
                comparison->other_work, comparison->other_work == 1 ? "test passes" : "tests pass");
    double *x = xcalloc(comparison->count, sizeof *x), *y = xcalloc(comparison->count, sizeof *y);
    size_t count = 0;
    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->pairs[i].cycles_ratio > 0) {
            x[count] = (double)comparison->pairs[i].a.cycles;
            y[count++] = (double)comparison->pairs[i].b.cycles;
        }
    write_means(out, comparison);
    fputs("<div class=\"charts\">\n", out);
    page_scatter(out, &(struct scatter){.title = "Cycles, B / A",
                                        .about = "each dot a test, by its cycles in A",
                                        .x_name = "cycles in A",
                                        .y_name = "cycles in B",
                                        .count = count,
                                        .x = x,
                                        .y = y});
    write_extremes(out, "Slowed down most", comparison->slower, comparison->slower_count);
    write_extremes(out, "Sped up most", comparison->faster, comparison->faster_count);
    fputs("</div>\n</section>\n", out);
    free(x);
    free(y);
}

static void write_all(FILE *out, const struct comparison *comparison) {
    html_section(out, "all", "All tests", "By what changed, then by name.");
    fputs("<input id=\"pair-filter\" type=\"search\" placeholder=\"filter: words of a row\" aria-label=\"filter\" "
          "hidden> <small id=\"pair-count\"></small>\n<table class=\"pairs\"><thead><tr><th scope=\"col\">test</th><th "
          "scope=\"col\">A</th><th scope=\"col\">B</th><th scope=\"col\">cycles A</th><th scope=\"col\">cycles "
          "B</th><th scope=\"col\">B/A</th><th scope=\"col\">kHz A</th><th scope=\"col\">kHz B</th><th "
          "scope=\"col\">B/A</th></tr></thead><tbody>\n",
          out);
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compare_pair *pair = &comparison->pairs[i];
        fputs("<tr><th scope=\"row\">", out);
        html_text(out, pair->name);
        if (pair->change != COMPARE_PASSES)
            fprintf(out, " <small>%s</small>", compare_changes[pair->change]);
        fputs("</th><td>", out);
        write_verdict(out, &pair->a);
        fputs("</td><td>", out);
        write_verdict(out, &pair->b);
        fputs("</td>", out);
        write_count(out, pair->a.cycles, "cycles");
        write_count(out, pair->b.cycles, "&rarr;");
        write_ratio(out, pair->cycles_ratio, -1, "B/A");
        for (int side = 0; side < 2; side++) {
            const double speed = side ? pair->b.speed : pair->a.speed;
            if (speed > 0)
                fprintf(out, "<td data-name=\"%s\">%.1f</td>", side ? "&rarr;" : "kHz", speed / 1000);
            else
                fputs("<td></td>", out);
        }
        write_ratio(out, pair->speed_ratio, pair->speed_counts, "B/A");
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n</section>\n", out);
}

static void write_page(const struct view *view) {
    const struct comparison *comparison = view->comparison;
    FILE *out = view->out;
    char *title = xprintf("night %" PRId64 "%s to night %" PRId64 "%s", comparison->a.night, comparison->a.chosen,
                          comparison->b.night, comparison->b.chosen);
    char *css = xprintf("%s%s", page_css, compare_css), *js = xprintf("%s%s", page_js, compare_js);
    html_begin(out, outcome(comparison), title, css);
    write_head(view, title);
    fputs("<main>\n", out);
    write_change(view, COMPARE_NEW_FAILURE, "new", "New failures",
                 "They fail in B, and the plan does not know of it; in A they passed, did not run or were not there.");
    write_change(view, COMPARE_OTHERWISE, "otherwise", "Fails otherwise",
                 "They fail in both, and look different: perhaps for another cause.");
    write_change(view, COMPARE_FIXED, "fixed", "Fixed", "They failed in A and pass in B.");
    write_cycles(out, comparison);
    write_change(view, COMPARE_STILL, "still", "Fails in both", NULL);
    write_change(view, COMPARE_KNOWN, "known", "Now fails as known", NULL);
    write_change(view, COMPARE_OPEN, "open", "Not run in both", NULL);
    write_change(view, COMPARE_ONLY_A, "only-a", "Only in A", NULL);
    write_change(view, COMPARE_ONLY_B, "only-b", "Only in B", NULL);
    write_all(out, comparison);
    fputs("</main>\n", out);
    html_end(out, js);
    free(css);
    free(js);
    free(title);
}

/* Characters of a choice that a file name may have. */
static char *file_word(const char *text) {
    char *word = xstrdup(text);
    for (char *c = word; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.", *c))
            *c = '-';
    return word;
}

static char *default_path(const struct comparison *comparison) {
    const char *slash = strrchr(comparison->b.folder, '/');
    char *a = file_word(comparison->a.chosen), *b = file_word(comparison->b.chosen);
    char *path =
        xprintf("%.*scompare-%" PRId64 "%s-%" PRId64 "%s.html", slash ? (int)(slash - comparison->b.folder) + 1 : 0,
                comparison->b.folder, comparison->a.night, a, comparison->b.night, b);
    free(a);
    free(b);
    return path;
}

char *compare_page(const struct comparison *comparison, const char *path, struct error *err) {
    char *file = path ? xstrdup(path) : default_path(comparison), *text = NULL, *folder = paths_folder(file);
    size_t size;
    struct view view = {.out = xmemstream(&text, &size), .comparison = comparison, .folder = folder};
    write_page(&view);
    xmemstream_close(view.out);
    if (!file_write(file, text, size, err)) {
        free(file);
        file = NULL;
    }
    free(text);
    free(folder);
    return file;
}
