/* The section of coverage: what no test of the night exercises, by engine. See page_parts.h. */
#include <string.h>

#include "nvdla/text.h"
#include "regress/pages/page_parts.h"

enum { VALUES = 60 /* of a row that are named */ };

static bool is_cross(const struct coverage_row *row) {
    return strchr(row->name, '*') != NULL;
}

static size_t engine_length(const struct coverage_row *row) {
    return strcspn(row->name, ".");
}

static double share(struct coverage_total total) {
    return total.reachable > 0 ? 100 * (double)total.exercised / (double)total.reachable : 100;
}

static void write_row(FILE *out, const struct coverage_row *row) {
    fputs("<tr><th scope=\"row\">", out);
    html_text(out, row->name + engine_length(row) + 1);
    fprintf(out, "</th><td>%zu of %zu</td><td>", row->total.exercised, row->total.reachable);
    if (row->total.exercised == 0)
        fputs("<em>none of them</em>", out);
    for (size_t i = 0; i < row->holes.count && i < VALUES && row->total.exercised > 0; i++) {
        fputs("<code>", out);
        html_text(out, row->holes.items[i]);
        fputs("</code> ", out);
    }
    if (row->holes.count > VALUES && row->total.exercised > 0)
        fprintf(out, "and %zu more", row->holes.count - VALUES);
    fputs("</td></tr>\n", out);
}

/* The rows of an engine that have holes; crosses apart from aspects. */
static void write_rows(FILE *out, const struct coverage *coverage, size_t first, size_t end, bool crosses) {
    bool any = false;
    for (size_t i = first; i < end; i++) {
        struct coverage_row row;
        if (!coverage_row(coverage, i, &row))
            break;
        if (is_cross(&row) == crosses && row.holes.count > 0) {
            if (!any)
                fprintf(out, "<table class=\"holes\"><caption>%s</caption><tbody>\n", crosses ? "crosses" : "aspects");
            any = true;
            write_row(out, &row);
        }
        words_free(&row.holes);
    }
    if (any)
        fputs("</tbody></table>\n", out);
}

/* An engine from its first row on. Returns the index after its last one. */
static size_t write_engine(FILE *out, const struct coverage *coverage, size_t first) {
    struct coverage_total total = {0};
    struct coverage_row row;
    char engine[32] = "";
    size_t end = first;
    for (; coverage_row(coverage, end, &row); end++) {
        words_free(&row.holes);
        if (end == first)
            snprintf(engine, sizeof engine, "%.*s", (int)engine_length(&row), row.name);
        else if (strlen(engine) != engine_length(&row) || strncmp(row.name, engine, engine_length(&row)) != 0)
            break;
        total.reachable += row.total.reachable;
        total.exercised += row.total.exercised;
    }
    if (total.reachable == 0)
        return end;
    fprintf(
        out,
        "<details><summary><b>%s</b> <span class=\"gauge\"><i style=\"width:%.1f%%\"></i></span> %.1f %% <small>%zu "
        "of %zu bins, %zu never</small></summary>\n",
        engine, share(total), share(total), total.exercised, total.reachable, total.reachable - total.exercised);
    write_rows(out, coverage, first, end, false);
    write_rows(out, coverage, first, end, true);
    fputs("</details>\n", out);
    return end;
}

void page_coverage(FILE *out, const struct review *review) {
    struct coverage_row row;
    if (!review->coverage)
        return;
    const struct coverage_total total = coverage_total(review->coverage);
    html_section(out, "coverage", "Coverage holes", NULL);
    fprintf(
        out,
        "<p class=\"about\">Kinds of layers that the registers of %zu tests ask for: %zu of %zu functional bins that "
        "the configurations can reach, %.1f %%. What no test asks for is below, by engine.</p>\n",
        review->covered, total.exercised, total.reachable, share(total));
    for (size_t i = 0; coverage_row(review->coverage, i, &row); i = write_engine(out, review->coverage, i))
        words_free(&row.holes);
    fputs("</section>\n", out);
}
