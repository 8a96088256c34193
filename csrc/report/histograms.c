/* Histograms as text, JSON and SVG. See histograms.h. */
#include "report/histograms.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "report/escape.h"

enum { BAR = 32 }; /* characters of the longest bar */

/* A chart of the SVG, in pixels. */
enum { COLUMNS = 3, CHART_WIDTH = 360, CHART_HEIGHT = 200, MARGIN = 16, PLOT_TOP = 52, PLOT_HALF = 60, HEADER = 56 };

/* Bins that an axis shows at least. */
enum { LEAST_BINS = 8, LABEL_STEP = 4 };

/* ---- order ---- */

static int compare(const void *a, const void *b) {
    const struct histogram_entry *left = *(struct histogram_entry *const *)a;
    const struct histogram_entry *right = *(struct histogram_entry *const *)b;
    if (left->layer != right->layer)
        return left->layer < 0 ? 1 : right->layer < 0 ? -1 : left->layer - right->layer;
    if (left->unit != right->unit || left->ordinal != right->ordinal)
        return left->unit != right->unit ? (int)left->unit - (int)right->unit : left->ordinal - right->ordinal;
    return (int)left->tap - (int)right->tap;
}

const struct histogram_entry **histograms_sorted(const struct histogram_set *set) {
    const struct histogram_entry **entries = xcalloc(set->count, sizeof *entries);
    for (size_t i = 0; i < set->count; i++)
        entries[i] = set->entries[i];
    qsort(entries, set->count, sizeof *entries, compare);
    return entries;
}

static uint64_t largest_count(const struct histogram *histogram) {
    uint64_t most = 0;
    for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
        most = histogram->positive[bin] > most ? histogram->positive[bin] : most;
        most = histogram->negative[bin] > most ? histogram->negative[bin] : most;
    }
    return most;
}

/* "34 bits" or "FP". */
static const char *width_text(const struct histogram *histogram, char text[16]) {
    if (histogram->width > 0)
        snprintf(text, 16, "%d bits", histogram->width);
    else
        snprintf(text, 16, "FP");
    return text;
}

/* "-5 .. 7", or "no data". */
static const char *range_text(const struct histogram *histogram, char text[80]) {
    if (histogram->count == histogram->nans + histogram->infinities)
        snprintf(text, 80, "no data");
    else if (histogram->width > 0)
        snprintf(text, 80, "%" PRId64 " .. %" PRId64, histogram->minimum, histogram->maximum);
    else
        snprintf(text, 80, "%g .. %g", histogram->fp_minimum, histogram->fp_maximum);
    return text;
}

/* ---- text ---- */

static void print_numbers(FILE *out, const struct histogram *histogram) {
    char width[16], range[80];
    fprintf(out, "%s, %" PRIu64 " values, %s; 0: %" PRIu64, width_text(histogram, width), histogram->count,
            range_text(histogram, range), histogram->zeros);
    if (histogram->width > 0)
        fprintf(out, ", -1: %" PRIu64, histogram->minus_ones);
    else
        fprintf(out, ", NaN: %" PRIu64 ", infinite: %" PRIu64, histogram->nans, histogram->infinities);
    fprintf(out, ", at the ends of the type: %" PRIu64, histogram->saturated);
    if (histogram->conversion.known)
        fprintf(out, ", saturated after it: %" PRIu64, histogram->conversion.clipped);
    fputc('\n', out);
    const struct histogram_moments moments = histogram_moments(histogram);
    if (histogram->count > 0)
        fprintf(out, "    mean %.6g, deviation %.6g", moments.mean, moments.deviation);
    if (histogram->count > 0 && histogram->width > 0) {
        fprintf(out, "; from the bins' lower edges %.6g, %.6g, from their middles %.6g, %.6g", moments.low_mean,
                moments.low_deviation, moments.middle_mean, moments.middle_deviation);
    }
    if (histogram->count > 0)
        fputc('\n', out);
}

/* Characters of a bar; any value gives at least one. */
static int bar_length(uint64_t count, uint64_t most) {
    return count == 0 ? 0 : 1 + (int)((double)count * (BAR - 1) / (double)most);
}

static void print_bars(FILE *out, const struct histogram *histogram) {
    static const char hashes[] = "################################";
    _Static_assert(sizeof hashes == BAR + 1, "a bar of full length");
    uint64_t most = largest_count(histogram);
    int lowest = 0, highest = histogram_highest(histogram);
    while (lowest < highest && histogram->positive[lowest] + histogram->negative[lowest] == 0)
        lowest++;
    for (int bin = highest; bin >= lowest; bin--) {
        uint64_t negative = histogram->negative[bin], positive = histogram->positive[bin];
        fprintf(out, "    %3d %10" PRIu64 " %*.*s|%-*.*s %" PRIu64 "\n", bin, negative, BAR, bar_length(negative, most),
                hashes, BAR, bar_length(positive, most), hashes, positive);
    }
}

void histograms_print(FILE *out, const struct histogram_set *set) {
    autofree const struct histogram_entry **entries = histograms_sorted(set);
    fprintf(out, "histograms: for each bin (leftmost bit that is not the sign; FP: exponent) the negative and the "
                 "positive values\n\n");
    for (size_t i = 0; i < set->count; i++) {
        const struct histogram_entry *entry = entries[i];
        fprintf(out, "%s #%d %s: ", nvdla_unit_names[entry->unit], entry->ordinal, tap_names[entry->tap]);
        print_numbers(out, &entry->histogram);
        print_bars(out, &entry->histogram);
        fputc('\n', out);
    }
}

/* ---- JSON ---- */

/* A counter as chapter 90 has it: 32 bits, saturating. */
static json_t *json_counter(uint64_t count, bool *overflow) {
    *overflow = *overflow || count > UINT32_MAX;
    return json_integer(count > UINT32_MAX ? UINT32_MAX : (json_int_t)count);
}

static json_t *json_bins(const uint64_t *counts, int bins, bool *overflow) {
    json_t *array = json_array();
    for (int bin = 0; bin < bins; bin++)
        json_array_append_new(array, json_counter(counts[bin], overflow));
    return array;
}

static json_t *json_extreme(const struct histogram *histogram, bool highest) {
    if (histogram->count == histogram->nans + histogram->infinities)
        return json_null();
    if (histogram->width > 0)
        return json_integer(highest ? histogram->maximum : histogram->minimum);
    return json_real(highest ? histogram->fp_maximum : histogram->fp_minimum);
}

static json_t *json_entry(const struct histogram_entry *entry) {
    const struct histogram *histogram = &entry->histogram;
    const struct histogram_moments moments = histogram_moments(histogram);
    bool overflow = false;
    int bins = histogram->width > 0 ? histogram->width - 1 : HISTOGRAM_FP_BINS;
    json_t *json = json_object();
    json_object_set_new(json, "layer", entry->layer < 0 ? json_null() : json_integer(entry->layer));
    json_object_set_new(json, "unit", json_string(nvdla_unit_names[entry->unit]));
    json_object_set_new(json, "ordinal", json_integer(entry->ordinal));
    json_object_set_new(json, "group", json_integer(entry->group));
    json_object_set_new(json, "tap", json_string(tap_names[entry->tap]));
    json_object_set_new(json, "width", json_integer(histogram->width));
    json_object_set_new(json, "m", json_integer((json_int_t)histogram->count));
    json_object_set_new(json, "zero", json_counter(histogram->zeros, &overflow));
    json_object_set_new(json, "minus1", json_counter(histogram->minus_ones, &overflow));
    json_object_set_new(json, "min", json_extreme(histogram, false));
    json_object_set_new(json, "max", json_extreme(histogram, true));
    json_object_set_new(json, "sp", json_bins(histogram->positive, bins, &overflow));
    json_object_set_new(json, "sn", json_bins(histogram->negative, bins, &overflow));
    json_object_set_new(json, "nan", json_integer((json_int_t)histogram->nans));
    json_object_set_new(json, "inf", json_integer((json_int_t)histogram->infinities));
    json_object_set_new(json, "at_ends", json_integer((json_int_t)histogram->saturated));
    if (histogram->conversion.known)
        json_object_set_new(json, "saturated", json_integer((json_int_t)histogram->conversion.clipped));
    json_object_set_new(json, "mean", json_real(moments.mean));
    json_object_set_new(json, "deviation", json_real(moments.deviation));
    json_object_set_new(json, "ovf", json_boolean(overflow));
    json_object_set_new(json, "lossy", json_false());
    return json;
}

char *histograms_json(const struct histogram_set *set) {
    char *text = NULL;
    size_t size;
    autofree const struct histogram_entry **entries = histograms_sorted(set);
    FILE *out = xmemstream(&text, &size);
    fputs("[", out);
    for (size_t i = 0; i < set->count; i++) {
        json_t *json = json_entry(entries[i]);
        fputs(i ? ",\n" : "\n", out);
        json_dumpf(json, out, JSON_COMPACT);
        json_decref(json);
    }
    fputs("\n]\n", out);
    xmemstream_close(out);
    return text;
}

/* ---- SVG ---- */

static const char positive_colour[] = "#2b6cb0", negative_colour[] = "#c05621";

/* One bar with its count as a tooltip. down: of negative values. */
static void put_bar(FILE *out, int bin, double left, double width, uint64_t count, uint64_t most, bool down) {
    double height = (double)PLOT_HALF * (double)count / (double)most;
    double axis = PLOT_TOP + PLOT_HALF;
    if (count > 0) {
        fprintf(out,
                "<rect fill=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>bin %d, %s: %" PRIu64
                "</title></rect>\n",
                down ? negative_colour : positive_colour, left, down ? axis : axis - height, width, height, bin,
                down ? "negative" : "positive", count);
    }
}

static void put_chart(FILE *out, const struct histogram_entry *entry, int x, int y) {
    const struct histogram *histogram = &entry->histogram;
    char width[16], range[80];
    int bins = histogram_highest(histogram) + 1 > LEAST_BINS ? histogram_highest(histogram) + 1 : LEAST_BINS;
    double step = (double)(CHART_WIDTH - 2 * MARGIN) / bins;
    uint64_t most = largest_count(histogram);
    fprintf(out,
            "<g transform=\"translate(%d,%d)\">\n<rect fill=\"#fff\" stroke=\"#ccc\" width=\"%d\" height=\"%d\" "
            "rx=\"4\"/>\n",
            x, y, CHART_WIDTH - MARGIN / 2, CHART_HEIGHT - MARGIN / 2);
    fprintf(out, "<text x=\"%d\" y=\"20\" font-size=\"13\">%s #%d %s</text>\n", MARGIN, nvdla_unit_names[entry->unit],
            entry->ordinal, tap_names[entry->tap]);
    fprintf(out, "<text x=\"%d\" y=\"36\">%s, %" PRIu64 " values, %s</text>\n", MARGIN, width_text(histogram, width),
            histogram->count, range_text(histogram, range));
    for (int bin = 0; bin < bins; bin++) {
        double left = MARGIN + bin * step;
        put_bar(out, bin, left + 0.1 * step, 0.8 * step, histogram->positive[bin], most, false);
        put_bar(out, bin, left + 0.1 * step, 0.8 * step, histogram->negative[bin], most, true);
        if (bin % LABEL_STEP == 0) {
            fprintf(out, "<text text-anchor=\"middle\" font-size=\"9\" x=\"%.1f\" y=\"%d\">%d</text>\n",
                    left + step / 2, PLOT_TOP + 2 * PLOT_HALF + 12, bin);
        }
    }
    fprintf(out, "<line stroke=\"#333\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n</g>\n", MARGIN,
            PLOT_TOP + PLOT_HALF, CHART_WIDTH - MARGIN, PLOT_TOP + PLOT_HALF);
}

char *histograms_svg(const struct histogram_set *set, const char *title) {
    char *text = NULL;
    size_t size;
    autofree const struct histogram_entry **entries = histograms_sorted(set);
    FILE *out = xmemstream(&text, &size);
    int rows = (int)((set->count + COLUMNS - 1) / COLUMNS);
    int width = COLUMNS * CHART_WIDTH + MARGIN, height = HEADER + rows * CHART_HEIGHT + MARGIN;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#f4f4f4\"/>\n"
            "<g font-family=\"sans-serif\" font-size=\"11\" fill=\"#333\">\n<text x=\"%d\" y=\"22\" font-size=\"14\">",
            width, height, width, height, MARGIN);
    escape_text(out, title);
    fprintf(out,
            "</text>\n<text x=\"%d\" y=\"42\">values by bin: the leftmost bit that is not the sign (FP: the exponent); "
            "positive ones up, negative ones down</text>\n",
            MARGIN);
    for (size_t i = 0; i < set->count; i++) {
        put_chart(out, entries[i], MARGIN + (int)(i % COLUMNS) * CHART_WIDTH,
                  HEADER + (int)(i / COLUMNS) * CHART_HEIGHT);
    }
    fputs("</g>\n</svg>\n", out);
    xmemstream_close(out);
    return text;
}

/* ---- files ---- */

static bool write_file(const char *directory, const char *name, char *text, struct error *err) {
    const bool good = file_write_in(directory, name, text, strlen(text), err);
    free(text);
    return good;
}

bool histograms_write(const struct histogram_set *set, const char *title, const char *directory, struct error *err) {
    return write_file(directory, "histogram.json", histograms_json(set), err) &&
           write_file(directory, "histogram.svg", histograms_svg(set, title), err);
}
