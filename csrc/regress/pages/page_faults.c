/* The section of planted faults of a qualify night. See page_parts.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "regress/pages/page_parts.h"

enum { LISTED = 200 };

static bool is(const struct review_fault *fault, const char *state) {
    return fault->state && strcmp(fault->state, state) == 0;
}

struct tally {
    size_t noticed, survived, unreached, equivalent, open;
};

static void tally_add(struct tally *tally, const struct review_fault *fault) {
    tally->noticed += is(fault, "noticed");
    tally->survived += is(fault, "survived");
    tally->unreached += is(fault, "unreached");
    tally->equivalent += is(fault, "equivalent");
    tally->open += !fault->state;
}

static void count_cell(FILE *out, size_t n, const char *class) {
    if (n > 0)
        fprintf(out, "<td class=\"%s\">%zu</td>", class, n);
    else
        fputs("<td>&ndash;</td>", out);
}

static void write_tally(FILE *out, const struct tally *tally) {
    const size_t count = tally->noticed + tally->survived + tally->unreached + tally->open;
    const double share = count > 0 ? 100 * (double)tally->noticed / (double)count : 100;
    fprintf(out, "<td>%zu</td><td><span class=\"gauge\"><i style=\"width:%.1f%%\"></i></span> %.1f %%</td>",
            count + tally->equivalent, share, share);
    count_cell(out, tally->survived, "bad");
    count_cell(out, tally->unreached, "wait");
    count_cell(out, tally->equivalent, "");
    count_cell(out, tally->open, "");
}

/* A row for each folder, and one for each of its modules. Faults are sorted by folder, file and line; a module has a
 * file of its own. */
static void write_places(FILE *out, const struct review *review) {
    fputs("<div class=\"scroll\"><table class=\"places\"><thead><tr><th scope=\"col\">folder, module</th><th "
          "scope=\"col\">faults</th><th scope=\"col\">noticed</th><th scope=\"col\">survived</th><th "
          "scope=\"col\">unreached</th><th scope=\"col\">equivalent</th><th scope=\"col\">open</th></tr></thead>\n",
          out);
    for (size_t i = 0; i < review->fault_count;) {
        const char *folder = review->faults[i].folder;
        struct tally all = {0};
        size_t end = i;
        for (; end < review->fault_count && strcmp(review->faults[end].folder, folder) == 0; end++)
            tally_add(&all, &review->faults[end]);
        fputs("<tbody><tr class=\"folder\"><th scope=\"row\">", out);
        html_text(out, folder[0] ? folder : "top");
        fputs("</th>", out);
        write_tally(out, &all);
        fputs("</tr>\n", out);
        while (i < end) {
            const char *module = review->faults[i].module;
            struct tally own = {0};
            for (; i < end && strcmp(review->faults[i].module, module) == 0; i++)
                tally_add(&own, &review->faults[i]);
            fputs("<tr><th scope=\"row\">", out);
            html_text(out, module);
            fputs("</th>", out);
            write_tally(out, &own);
            fputs("</tr>\n", out);
        }
        fputs("</tbody>\n", out);
    }
    fputs("</table></div>\n", out);
}

/* The statement with the place that is changed marked: in the text it is [[original -> changed]]. */
static void write_statement(FILE *out, const struct review_fault *fault) {
    char *mark = xprintf("[[%s -> %s]]", fault->original, fault->changed);
    const char *place = strstr(fault->statement, mark);
    fputs("<pre class=\"statement\">", out);
    if (place) {
        html_printf(out, "%.*s", (int)(place - fault->statement), fault->statement);
        fputs("<del>", out);
        html_text(out, fault->original);
        fputs("</del><ins>", out);
        html_text(out, fault->changed);
        fputs("</ins>", out);
        html_text(out, place + strlen(mark));
    } else {
        html_text(out, fault->statement);
    }
    fputs("</pre>", out);
    free(mark);
}

static void write_faults(FILE *out, const struct review *review, const char *state, const char *title, bool open) {
    size_t found = 0;
    for (size_t i = 0; i < review->fault_count; i++)
        found += is(&review->faults[i], state);
    if (found == 0)
        return;
    fprintf(out, "<details%s><summary><h3>%s <span class=\"n\">%zu</span></h3></summary>\n<ul class=\"faults\">\n",
            open ? " open" : "", title, found);
    size_t shown = 0;
    for (size_t i = 0; i < review->fault_count && shown < LISTED; i++) {
        const struct review_fault *fault = &review->faults[i];
        if (!is(fault, state))
            continue;
        shown++;
        fprintf(out, "<li id=\"fault-%" PRId64 "\"><b>", fault->number);
        html_printf(out, "%s:%" PRId64, fault->file, fault->line);
        fputs("</b> <code><del>", out);
        html_text(out, fault->original);
        fputs("</del> &rarr; <ins>", out);
        html_text(out, fault->changed);
        fprintf(out, "</ins></code> <small>fault %" PRId64 ", %" PRId64 " %s ran through it</small>", fault->number,
                fault->runs, fault->runs == 1 ? "test" : "tests");
        if (fault->reason) {
            fputs("<p class=\"reason\">", out);
            html_text(out, fault->reason);
            fputs("</p>", out);
        }
        write_statement(out, fault);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
    if (found > shown)
        fprintf(out, "<p>%zu more are in the database: SELECT * FROM fault WHERE night = %" PRId64 "</p>\n",
                found - shown, review->night);
    fputs("</details>\n", out);
}

void page_faults(FILE *out, const struct review *review) {
    if (review->fault_count == 0)
        return;
    html_section(out, "faults", "Planted faults",
                 "One fault at a time in a copy of the RTL. What no test notices is where the tests are blind; shares "
                 "are of the faults that are not equivalent.");
    write_places(out, review);
    write_faults(out, review, "survived", "Survived: tests ran through them and passed", true);
    write_faults(out, review, "unreached", "Unreached: no test ran through them", false);
    write_faults(out, review, "equivalent", "Equivalent: they change nothing, says the plan", false);
    fputs("</section>\n", out);
}
