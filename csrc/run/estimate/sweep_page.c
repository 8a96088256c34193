/* The page of a sweep: a table and a picture of clocks. See sweep.h. */
#include <string.h>

#include "report/markup.h"
#include "run/estimate/sweep.h"

enum { BAR = 420 /* pixels of the longest bar */ };

static const char css[] =
    "table{border-collapse:collapse}td,th{padding:.2em .7em;border-bottom:1px solid #ddd;text-align:left}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}.bar{display:inline-block;height:.8em;"
    "background:#2c7fb8;vertical-align:middle}.rtl{background:#e34a33}";

static double frames(const struct sweep_point *point, double clocks) {
    return clocks > 0 ? point->mhz * 1e6 / clocks : 0;
}

static const char *config_of(const struct sweep_point *point) {
    return point->config ? point->config : point->own;
}

static void write_cell(FILE *out, const char *text) {
    fprintf(out, "<td>");
    html_text(out, text);
    fprintf(out, "</td>");
}

static void write_row(FILE *out, size_t number, const struct sweep_point *point) {
    char clocks[HTML_NUMBER], measured[HTML_NUMBER], bytes[HTML_NUMBER];
    fprintf(out, "<tr><td class=\"n\">%zu</td>", number);
    write_cell(out, point->network);
    write_cell(out, config_of(point));
    write_cell(out, point->memory);
    fprintf(out, "<td class=\"n\">%s</td><td class=\"n\">%.2f</td><td class=\"n\">%.1f</td><td class=\"n\">%s</td>",
            html_count((uint64_t)point->clocks, clocks), frames(point, point->clocks), point->use,
            html_bytes(point->read_bytes + point->write_bytes, bytes));
    fprintf(out, "<td>%s, %.0f %%</td>", point->limit, point->share);
    if (point->measured > 0)
        fprintf(out, "<td class=\"n\">%s</td><td class=\"n\">%+.1f</td></tr>\n",
                html_count((uint64_t)point->measured, measured), 100 * (point->clocks / point->measured - 1));
    else
        fprintf(out, "<td></td><td></td></tr>\n");
}

/* Frames a second as bars, by network. */
static void write_bars(FILE *out, const struct sweep_point *points, size_t count) {
    for (size_t first = 0; first < count;) {
        size_t last = first;
        double most = 0;
        while (last < count && strcmp(points[last].network, points[first].network) == 0) {
            most =
                frames(&points[last], points[last].clocks) > most ? frames(&points[last], points[last].clocks) : most;
            last++;
        }
        fprintf(out, "<h3>");
        html_text(out, points[first].network);
        fprintf(out, "</h3>\n<table>\n");
        for (size_t i = first; i < last; i++) {
            const double value = frames(&points[i], points[i].clocks);
            fprintf(out, "<tr>");
            write_cell(out, config_of(&points[i]));
            write_cell(out, points[i].memory);
            fprintf(out, "<td><span class=\"bar\" style=\"width:%.0fpx\"></span> %.2f</td></tr>\n",
                    most > 0 ? BAR * value / most : 0, value);
        }
        fprintf(out, "</table>\n");
        first = last;
    }
}

void sweep_page(FILE *out, const struct sweep_point *points, size_t count) {
    html_begin(out, "", "Sweep", css);
    fprintf(out, "<h1>Sweep</h1>\n");
    html_section(out, "points", "Points", "Estimated clocks, and those of the RTL where they were measured.");
    fprintf(
        out,
        "<table>\n<tr><th class=\"n\"></th><th>network</th><th>configuration</th><th>memory</th><th class=\"n\">clocks"
        "</th><th class=\"n\">frames a second</th><th class=\"n\">MAC %%</th><th class=\"n\">moved a frame</th>"
        "<th>limit</th><th class=\"n\">measured</th><th class=\"n\">error %%</th></tr>\n");
    for (size_t i = 0; i < count; i++)
        write_row(out, i + 1, &points[i]);
    fprintf(out, "</table>\n</section>\n");
    html_section(out, "frames", "Frames a second", NULL);
    write_bars(out, points, count);
    fprintf(out, "</section>\n");
    html_end(out, "");
}
