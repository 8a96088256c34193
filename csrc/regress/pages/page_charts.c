/* Charts as plain SVG. See page_parts.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "regress/pages/page_parts.h"

/* A chart in its own units; a phone shows them as pixels. */
enum { WIDTH = 340, HEIGHT = 132, LEFT = 40, RIGHT = 12, TOP = 8, BOTTOM = 20, NAMES = 58, TICKS = 3 };

struct frame {
    FILE *out;
    double low, high; /* of the y axis */
    double left, right;
};

static double y_of(const struct frame *frame, double value) {
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - frame->low) / (frame->high - frame->low));
}

static double x_of(const struct frame *frame, size_t index, size_t count) {
    const double width = frame->right - frame->left;
    return count < 2 ? frame->left + width / 2 : frame->left + width * (double)index / (double)(count - 1);
}

/* The axis reaches over all values and ends at round numbers. Returns the step of its ticks. */
static double set_axis(struct frame *frame, const struct chart *chart) {
    double low = INFINITY, high = -INFINITY;
    for (int l = 0; l < chart->line_count; l++)
        for (size_t i = 0; i < chart->count; i++)
            if (!isnan(chart->lines[l].values[i])) {
                low = fmin(low, chart->lines[l].values[i]);
                high = fmax(high, chart->lines[l].values[i]);
            }
    if (!isnan(chart->least))
        low = fmin(low, chart->least);
    if (high <= low)
        low = high > 0 ? high * 0.9 : high - 1;
    const double step = html_step(high - low, TICKS);
    frame->low = floor(low / step) * step;
    frame->high = ceil(high / step - 1e-9) * step;
    return step;
}

static void write_axis(const struct frame *frame, const struct chart *chart, double step) {
    FILE *out = frame->out;
    fputs("<g class=\"axis\" aria-hidden=\"true\">", out);
    for (double at = frame->low; at <= frame->high + step / 2; at += step)
        fprintf(out, "<path d=\"M%.0f %.1fH%.0f\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>",
                frame->left, y_of(frame, at), frame->right, LEFT - 5, y_of(frame, at) + 3.5,
                fabs(at) < step / 1e6 ? 0 : at);
    /* The dates at both ends. */
    fprintf(out, "<text x=\"%.0f\" y=\"%d\">%.10s</text>", frame->left, HEIGHT - 5, chart->trends[0].started);
    if (chart->count > 1)
        fprintf(out, "<text x=\"%.0f\" y=\"%d\" text-anchor=\"end\">%.10s</text>", frame->right, HEIGHT - 5,
                chart->trends[chart->count - 1].started);
    fputs("</g>", out);
}

static void write_point(const struct frame *frame, const struct review *review, const struct chart *chart,
                        const struct chart_line *line, size_t index) {
    FILE *out = frame->out;
    const struct review_trend *trend = &chart->trends[index];
    char *page = trend->night == review->night ? NULL : page_of_night(review, trend->folder);
    if (page)
        page_link(out, page);
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"%s><title>", x_of(frame, index, chart->count),
            y_of(frame, line->values[index]), trend->night == review->night ? "4" : "2.6",
            strcmp(trend->state, "done") == 0 ? "" : " class=\"open\"");
    html_printf(out, "night %" PRId64 ", %.10s: %s%s%.4g%s%s", trend->night, trend->started, line->name,
                line->name[0] ? " " : "", line->values[index], chart->unit,
                strcmp(trend->state, "done") == 0 ? "" : " (not done)");
    fputs(page ? "</title></circle></a>" : "</title></circle>", out);
    free(page);
}

/* The names of lines, at their ends, moved apart. */
static void write_names(const struct frame *frame, const struct chart *chart) {
    double places[CHART_LINES];
    int order[CHART_LINES], count = 0;
    for (int l = 0; l < chart->line_count; l++) {
        size_t last = chart->count;
        while (last > 0 && isnan(chart->lines[l].values[last - 1]))
            last--;
        if (last == 0)
            continue;
        places[l] = y_of(frame, chart->lines[l].values[last - 1]) + 3.5;
        int at = count++;
        for (; at > 0 && places[order[at - 1]] > places[l]; at--)
            order[at] = order[at - 1];
        order[at] = l;
    }
    double above = -INFINITY;
    for (int i = 0; i < count; i++) {
        above = fmax(places[order[i]], above + 11);
        fprintf(frame->out, "<text class=\"l%d\" x=\"%.0f\" y=\"%.1f\">", order[i], frame->right + 8, above);
        html_printf(frame->out, "%.10s", chart->lines[order[i]].name);
        fputs("</text>", frame->out);
    }
}

void page_chart(FILE *out, const struct review *review, const struct chart *chart) {
    const bool named = chart->line_count > 1 || chart->lines[0].name[0];
    struct frame frame = {.out = out, .left = LEFT, .right = WIDTH - (named ? NAMES : RIGHT)};
    const struct chart_line *first = &chart->lines[0];
    fputs("<figure class=\"chart\"><figcaption><b>", out);
    html_text(out, chart->title);
    fputs("</b>", out);
    if (chart->about) {
        fputs(" <small>", out);
        html_text(out, chart->about);
        fputs("</small>", out);
    }
    fprintf(out, "</figcaption><svg role=\"img\" viewBox=\"0 0 %d %d\" aria-label=\"", WIDTH, HEIGHT);
    html_printf(out, "%s over %zu nights", chart->title, chart->count);
    if (!isnan(first->values[chart->count - 1]))
        html_printf(out, ", the last %s %.4g%s", first->name, first->values[chart->count - 1], chart->unit);
    fputs("\">", out);
    write_axis(&frame, chart, set_axis(&frame, chart));
    for (int l = 0; l < chart->line_count; l++) {
        const struct chart_line *line = &chart->lines[l];
        fprintf(out, "<g class=\"line l%d\"><path d=\"", l);
        bool on = false;
        for (size_t i = 0; i < chart->count; i++) {
            if (isnan(line->values[i]))
                continue;
            fprintf(out, "%c%.1f %.1f", on ? 'L' : 'M', x_of(&frame, i, chart->count), y_of(&frame, line->values[i]));
            on = true;
        }
        fputs("\"/>", out);
        for (size_t i = 0; i < chart->count; i++)
            if (!isnan(line->values[i]))
                write_point(&frame, review, chart, line, i);
        fputs("</g>", out);
    }
    if (named)
        write_names(&frame, chart);
    fputs("</svg></figure>\n", out);
}

/* ---- ratios ---- */

enum { COLUMNS = 140, ROWS = 45 /* odd: the middle one has those that are equal */, CELL_MOST = 9 };

static int cell_of(double value, double low, double high, int cells) {
    const int cell = (int)(cells * (value - low) / (high - low));
    return cell < 0 ? 0 : cell >= cells ? cells - 1 : cell;
}

void page_scatter(FILE *out, const struct scatter *scatter) {
    double low = INFINITY, high = 0, most = 0.05;
    for (size_t i = 0; i < scatter->count; i++) {
        low = fmin(low, log10(scatter->x[i]));
        high = fmax(high, log10(scatter->x[i]));
        most = fmax(most, fabs(log2(scatter->y[i] / scatter->x[i])));
    }
    if (scatter->count == 0)
        return;
    low = floor(low);
    high = fmax(ceil(high), low + 1);
    most = fmin(most * 1.08, 4); /* beyond a factor of 16 points are at the border */
    uint32_t *cells = xcalloc(COLUMNS * ROWS, sizeof *cells);
    for (size_t i = 0; i < scatter->count; i++)
        cells[cell_of(log2(scatter->y[i] / scatter->x[i]), -most, most, ROWS) * COLUMNS +
              cell_of(log10(scatter->x[i]), low, high, COLUMNS)]++;
    const struct frame frame = {.out = out, .low = -most, .high = most, .left = LEFT, .right = WIDTH - RIGHT};
    fputs("<figure class=\"chart scatter\"><figcaption><b>", out);
    html_text(out, scatter->title);
    fputs("</b> <small>", out);
    html_text(out, scatter->about);
    fprintf(out, "</small></figcaption><svg role=\"img\" viewBox=\"0 0 %d %d\" aria-label=\"", WIDTH, HEIGHT);
    html_printf(out, "%s over %s of %zu tests", scatter->y_name, scatter->x_name, scatter->count);
    fputs("\"><g class=\"axis\" aria-hidden=\"true\">", out);
    const double ratios[] = {exp2(-most * 0.8), 1, exp2(most * 0.8)};
    for (int i = 0; i < 3; i++)
        fprintf(out, "<path d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.2f</text>", LEFT,
                y_of(&frame, log2(ratios[i])), WIDTH - RIGHT, LEFT - 5, y_of(&frame, log2(ratios[i])) + 3.5, ratios[i]);
    for (double at = low; at <= high; at++) {
        const double x = frame.left + (frame.right - frame.left) * (at - low) / (high - low);
        fprintf(out, "<text x=\"%.0f\" y=\"%d\" text-anchor=\"%s\">%.0f%s</text>", x, HEIGHT - 5,
                at == low    ? "start"
                : at == high ? "end"
                             : "middle",
                at >= 6   ? pow(10, at - 6)
                : at >= 3 ? pow(10, at - 3)
                          : pow(10, at),
                at >= 6   ? " M"
                : at >= 3 ? " k"
                          : "");
    }
    fputs("</g><g class=\"dots\">", out);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) {
            const uint32_t n = cells[row * COLUMNS + column];
            if (n == 0)
                continue;
            const double y = y_of(&frame, -most + 2 * most * (row + 0.5) / ROWS);
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" class=\"%s\"/>",
                    frame.left + (frame.right - frame.left) * (column + 0.5) / COLUMNS, y,
                    1.4 + 0.25 * (n < CELL_MOST ? n : CELL_MOST),
                    row == ROWS / 2  ? "same"
                    : row > ROWS / 2 ? "more"
                                     : "less");
        }
    fputs("</g></svg></figure>\n", out);
    free(cells);
}
