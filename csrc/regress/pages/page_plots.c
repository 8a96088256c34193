/* Cycles against the night before; speed, pass rate and duration over nights. See page_parts.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "regress/pages/page_parts.h"

enum { WORST = 10 };

/* ---- cycles of the same test in two nights ---- */

static int slowest_first(const void *left, const void *right) {
    const double a = (*(const struct review_test *const *)left)->ratio,
                 b = (*(const struct review_test *const *)right)->ratio;
    return (a < b) - (a > b);
}

static void write_extremes(FILE *out, const char *title, const struct review_test *const *tests, size_t count,
                           bool last) {
    char before[HTML_NUMBER], now[HTML_NUMBER];
    fprintf(out, "<table class=\"ratios\"><caption>%s</caption><tbody>\n", title);
    for (size_t i = 0; i < count && i < WORST; i++) {
        const struct review_test *test = tests[last ? count - 1 - i : i];
        fprintf(out, "<tr><th scope=\"row\"><a class=\"test\" href=\"#test-%" PRId64 "\">", test->number);
        html_text(out, test->key);
        fprintf(out, "</a> <small>%s &rarr; %s</small></th><td class=\"%s\">%.3f</td></tr>\n",
                html_count((uint64_t)test->cycles_before, before), html_count((uint64_t)test->cycles, now),
                last ? "good" : "bad", test->ratio);
    }
    fputs("</tbody></table>\n", out);
}

static void write_cycles(FILE *out, const struct review *review) {
    const struct review_test **tests = xcalloc(review->test_count, sizeof(const struct review_test *));
    size_t count = 0, slower = 0, faster = 0;
    double logarithms = 0;
    for (size_t i = 0; i < review->test_count; i++)
        if (review->tests[i].ratio > 0) {
            tests[count++] = &review->tests[i];
            slower += review->tests[i].cycles > review->tests[i].cycles_before;
            faster += review->tests[i].cycles < review->tests[i].cycles_before;
            logarithms += log(review->tests[i].ratio);
        }
    if (count > 0) {
        fprintf(out, "<h3>Cycles against night %" PRId64 "</h3>\n<p class=\"about\" id=\"cycles\">", review->before);
        if (slower + faster == 0)
            fprintf(out, "%s that can be compared %s exactly the cycles of night %" PRId64 ".</p>\n",
                    count == 1 ? "The one test" : "All tests", count == 1 ? "takes" : "take", review->before);
        else
            fprintf(out,
                    "Of %zu tests that pass in both nights with the same seeds %zu take more cycles, %zu fewer, %zu "
                    "the same; geometric mean of the ratio %.4f.</p>\n",
                    count, slower, faster, count - slower - faster, exp(logarithms / (double)count));
    }
    if (slower + faster > 0) {
        double *x = xmalloc(count * sizeof *x), *y = xmalloc(count * sizeof *y);
        for (size_t i = 0; i < count; i++) {
            x[i] = (double)tests[i]->cycles_before;
            y[i] = (double)tests[i]->cycles;
        }
        qsort(tests, count, sizeof(const struct review_test *), slowest_first);
        fputs("<div class=\"charts\">\n", out);
        page_scatter(out, &(struct scatter){.title = "Cycles, now / before",
                                            .about = "each dot a test, by its cycles before",
                                            .x_name = "cycles before",
                                            .y_name = "cycles now",
                                            .count = count,
                                            .x = x,
                                            .y = y});
        if (slower > 0)
            write_extremes(out, "Slowed down most", tests, slower, false);
        if (faster > 0)
            write_extremes(out, "Sped up most", &tests[count - faster], faster, true);
        fputs("</div>\n", out);
        free(x);
        free(y);
    }
    free(tests);
}

/* ---- over nights ---- */

static void write_rates(FILE *out, const struct review *review) {
    const size_t count = review->trend_count;
    double *rate = xcalloc(count, sizeof *rate), *times = xcalloc(count, sizeof *times),
           *noticed = xcalloc(count, sizeof *noticed);
    static const struct {
        double seconds;
        const char *title, *unit;
    } units[] = {{1, "Duration, seconds", " s"}, {60, "Duration, minutes", " min"}, {3600, "Duration, hours", " h"}};
    double longest = 0;
    for (size_t i = 0; i < count; i++)
        longest = fmax(longest, review->trends[i].seconds);
    const int unit = longest > 3 * 3600 ? 2 : longest > 3 * 60;
    for (size_t i = 0; i < count; i++) {
        const struct review_trend *trend = &review->trends[i];
        const int64_t run = trend->tests - trend->open, faults = trend->faults - trend->equivalent;
        rate[i] = run > 0 ? 100 * (double)(trend->passed + trend->known) / (double)run : NAN;
        times[i] = trend->seconds > 0 ? trend->seconds / units[unit].seconds : NAN;
        noticed[i] = faults > 0 ? 100 * (double)trend->noticed / (double)faults : NAN;
    }
    struct chart chart = {.unit = " %", .least = NAN, .count = count, .trends = review->trends, .line_count = 1};
    if (review->fault_count > 0) {
        chart.title = "Faults noticed, %";
        chart.about = "of those that are not equivalent";
        chart.lines[0] = (struct chart_line){"", noticed};
        page_chart(out, review, &chart);
    }
    if (review->test_count > 0) {
        chart.title = "Pass rate, %";
        chart.about = "known failures count as passed";
        chart.lines[0] = (struct chart_line){"", rate};
        page_chart(out, review, &chart);
    }
    chart.title = units[unit].title;
    chart.unit = units[unit].unit;
    chart.about = "wall time of the night";
    chart.least = 0;
    chart.lines[0] = (struct chart_line){"", times};
    page_chart(out, review, &chart);
    free(rate);
    free(times);
    free(noticed);
}

static void write_speeds(FILE *out, const struct review *review) {
    const size_t count = review->trend_count;
    double *values = xmalloc(count * CHART_LINES * sizeof *values);
    struct chart chart = {.title = "Simulation speed, kHz",
                          .about = "core clocks a second of CPU time, by configuration",
                          .unit = " kHz",
                          .least = 0,
                          .count = count,
                          .trends = review->trends};
    for (size_t i = 0; i < review->speed_count; i++) {
        const struct review_speed *speed = &review->speeds[i];
        if (i == 0 || strcmp(speed->config, review->speeds[i - 1].config) != 0) {
            if (chart.line_count == CHART_LINES)
                break;
            double *line = &values[count * (size_t)chart.line_count];
            for (size_t n = 0; n < count; n++)
                line[n] = NAN;
            chart.lines[chart.line_count++] = (struct chart_line){speed->config, line};
        }
        values[count * (size_t)(chart.line_count - 1) + (size_t)speed->trend] = speed->hertz / 1000;
    }
    if (chart.line_count > 0)
        page_chart(out, review, &chart);
    free(values);
}

void page_plots(FILE *out, const struct review *review) {
    if (review->trend_count < 2) /* nothing to look back at */
        return;
    html_section(out, "plots", "Plots", NULL);
    write_cycles(out, review);
    fprintf(out,
            "<h3>Over nights</h3>\n<p class=\"about\">The last %zu of this plan and selection; a point leads to "
            "the page of its night.</p>\n<div class=\"charts\">\n",
            review->trend_count);
    write_rates(out, review);
    write_speeds(out, review);
    fputs("</div>\n</section>\n", out);
}
