/* Draws a roofline. See roofline.h. */
#include "run/estimate/roofline.h"

#include <inttypes.h>
#include <math.h>

#include "report/escape.h"

enum { WIDTH = 860, HEIGHT = 520, LEFT = 80, RIGHT = 190, TOP = 50, BOTTOM = 60, FEWEST = 4 /* pixels of a dot */ };

static const char *const colours[ESTIMATE_LIMITS] = {"#2c7fb8", "#7fcdbb", "#08519c", "#636363", "#756bb1",
                                                     "#e34a33", "#fd8d3c", "#31a354", "#c51b8a"};

/* Both axes are logarithmic: powers of two from `first` on. */
struct axis {
    double first, last, from, to;
};

static double place(const struct axis *axis, double value) {
    const double at = (log2(value) - log2(axis->first)) / (log2(axis->last) - log2(axis->first));
    return axis->from + at * (axis->to - axis->from);
}

static double intensity(const struct estimated_layer *layer) {
    return (double)layer->macs / (double)(layer->read_bytes + layer->write_bytes);
}

/* Ranges that hold all layers and the edge of the roof. */
static void fit_axes(const struct estimate *estimate, double peak, double edge, struct axis *x, struct axis *y) {
    double low = edge, high = edge, slow = peak;
    for (size_t i = 0; i < estimate->count; i++) {
        const struct estimated_layer *layer = &estimate->layers[i];
        if (!layer->macs)
            continue;
        low = fmin(low, intensity(layer));
        high = fmax(high, intensity(layer));
        slow = fmin(slow, (double)layer->macs / layer->clocks);
    }
    *x = (struct axis){exp2(floor(log2(low)) - 1), exp2(ceil(log2(high)) + 1), LEFT, WIDTH - RIGHT};
    *y = (struct axis){exp2(floor(log2(slow))), exp2(ceil(log2(peak)) + 1), HEIGHT - BOTTOM, TOP};
}

static void draw_axes(FILE *out, const struct axis *x, const struct axis *y) {
    for (double v = x->first; v <= x->last; v *= 4)
        fprintf(out,
                "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                place(x, v), TOP, place(x, v), HEIGHT - BOTTOM, place(x, v), HEIGHT - BOTTOM + 18, v);
    for (double v = y->first; v <= y->last; v *= 4)
        fprintf(out,
                "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                LEFT, place(y, v), WIDTH - RIGHT, place(y, v), LEFT - 8, place(y, v) + 4, v);
    fprintf(out,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">multiplications for each byte moved</text>\n"
            "<text transform=\"translate(20 %d) rotate(-90)\" text-anchor=\"middle\">multiplications a clock</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, (TOP + HEIGHT - BOTTOM) / 2);
}

static void draw_roof(FILE *out, const struct axis *x, const struct axis *y, double peak, double bytes) {
    const double left = fmax(x->first, y->first / bytes);
    fprintf(out, "<polyline class=\"roof\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n", place(x, left),
            place(y, left * bytes), place(x, peak / bytes), place(y, peak), place(x, x->last), place(y, peak));
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">%g a clock</text>\n", place(x, peak / bytes) + 6, place(y, peak) - 6,
            peak);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">%.3g bytes a clock</text>\n", place(x, left) + 6,
            place(y, left * bytes) - 10, bytes);
}

static void draw_layers(FILE *out, const struct axis *x, const struct axis *y, const struct estimate *estimate) {
    for (size_t i = 0; i < estimate->count; i++) {
        const struct estimated_layer *layer = &estimate->layers[i];
        if (!layer->macs)
            continue;
        const double radius = FEWEST + 30 * sqrt(layer->clocks / estimate->clocks);
        fprintf(out,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"><title>%s #%d: %.0f clocks, %" PRIu64
                " multiplications, %" PRIu64 " bytes, limit: %s</title></circle>\n",
                place(x, intensity(layer)), place(y, (double)layer->macs / layer->clocks), radius,
                colours[layer->limit], nvdla_unit_names[layer->unit], layer->ordinal, layer->clocks, layer->macs,
                layer->read_bytes + layer->write_bytes, estimate_limit_names[layer->limit]);
    }
}

/* What the colours mean, with the share of the clocks. */
static void draw_legend(FILE *out, const struct estimate *estimate) {
    double clocks[ESTIMATE_LIMITS] = {0}, all = 0;
    int line = 0;
    for (size_t i = 0; i < estimate->count; i++) {
        clocks[estimate->layers[i].limit] += estimate->layers[i].clocks;
        all += estimate->layers[i].clocks;
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\">limit, %% of the clocks</text>\n", WIDTH - RIGHT + 20, TOP);
    for (int i = 0; i < ESTIMATE_LIMITS; i++) {
        if (clocks[i] == 0)
            continue;
        const int y = TOP + 22 * ++line;
        fprintf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"6\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s %.1f</text>\n",
                WIDTH - RIGHT + 28, y - 4, colours[i], WIDTH - RIGHT + 42, y, estimate_limit_names[i],
                100 * clocks[i] / all);
    }
}

void roofline_write(FILE *out, const char *title, const struct nvdla_config *config, double bytes,
                    const struct estimate *estimate) {
    const double peak = config->atomic_c * config->atomic_k;
    struct axis x, y;
    fit_axes(estimate, peak, peak / bytes, &x, &y);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<style>.grid{stroke:#ddd}.roof{fill:none;stroke:#222;stroke-width:2}"
            "circle{fill-opacity:.6;stroke:#fff}</style>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    fprintf(out, "<text x=\"%d\" y=\"24\" font-size=\"16\">", LEFT);
    escape_text(out, title);
    fprintf(out, "</text>\n");
    draw_axes(out, &x, &y);
    draw_roof(out, &x, &y, peak, bytes);
    draw_layers(out, &x, &y, estimate);
    draw_legend(out, estimate);
    fprintf(out, "</svg>\n");
}
