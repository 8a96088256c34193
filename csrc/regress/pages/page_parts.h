/* The parts of the pages of regressions (page.h): pieces that several sections need, charts, and the sections of the
 * page of a night, each group in a file of its own. */
#ifndef REGRESS_PAGES_PAGE_PARTS_H
#define REGRESS_PAGES_PAGE_PARTS_H

#include <stdio.h>

#include "regress/pages/review.h"
#include "report/markup.h"

/* ---- pieces (page_pieces.c) ---- */

/* The verdict with a sign of its own, so that it can be read without the colour. */
void page_badge(FILE *out, int verdict, bool known);
/* A command with a button that copies it. whole: what is copied if that is longer than what is shown; NULL: the same.
 */
void page_command(FILE *out, const char *command, const char *whole);
/* The results of a test in past nights (struct review_test), as a row of bars, those of failures marked. */
void page_past(FILE *out, const char *past);
/* The start of a link to a file, relative to the page, whatever its name holds; close it with "</a>". */
void page_link(FILE *out, const char *path);
/* Where the page of another night is, seen from this one's; NULL unless their folders lie side by side. free() it. */
char *page_of_night(const struct review *review, const char *folder);
/* "night 12", linked to its page if that is known. */
void page_night_link(FILE *out, const struct review *review, int64_t night, const char *folder);
/* Text as a string of JSON inside <script>. */
void page_json_text(FILE *out, const char *text, size_t n);

/* ---- charts (page_charts.c): plain SVG ---- */

enum { CHART_LINES = 6 };

/* Values over nights. */
struct chart {
    const char *title;
    const char *unit;  /* after numbers: " %", " kHz" */
    const char *about; /* a word below the title; NULL: none */
    double least;      /* the axis begins at or below it; NAN: at a round number below the values */
    size_t count;      /* of nights: trends */
    const struct review_trend *trends;
    struct chart_line {
        const char *name;     /* "" if it is alone */
        const double *values; /* count of them; NAN: none */
    } lines[CHART_LINES];
    int line_count;
};
void page_chart(FILE *out, const struct review *review, const struct chart *chart);

/* Two figures of each of many things against each other, both on logarithmic axes: y / x as the ratio. Points that
 * coincide are drawn as one. */
struct scatter {
    const char *title, *about, *x_name, *y_name;
    size_t count;
    const double *x, *y;
};
void page_scatter(FILE *out, const struct scatter *scatter);

/* ---- sections of the page of a night; each writes nothing where there is nothing to say ---- */

void page_buckets(FILE *out, const struct review *review);
void page_news(FILE *out, const struct review *review);
void page_known(FILE *out, const struct review *review);
void page_flaky(FILE *out, const struct review *review);
void page_faults(FILE *out, const struct review *review);
void page_tests(FILE *out, const struct review *review);
void page_coverage(FILE *out, const struct review *review);
void page_plots(FILE *out, const struct review *review);

#endif
