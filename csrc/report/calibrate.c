/* Recommends convertor settings from histograms. See calibrate.h. */
#include "report/calibrate.h"

#include <math.h>

#include "nvdla/cacc_deliver.h"

enum { MOST_TRUNCATE = 31 };

/* ---- expectation ---- */

/* Number of `count` values, spread evenly over low .. high, outside the interval. */
static double outside(uint64_t count, int64_t low, int64_t high, const struct convertor_interval *keeps) {
    if (count == 0 || low > high)
        return 0;
    double all = (double)high - (double)low + 1;
    double above = keeps->high < high ? (double)high - fmax((double)keeps->high, (double)low - 1) : 0;
    double below = keeps->low > low ? fmin((double)keeps->low, (double)high + 1) - (double)low : 0;
    return (double)count * fmin((above + below) / all, 1);
}

static int64_t lesser(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t greater(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static double saturated(const struct histogram *histogram, const struct convertor *setting) {
    const struct convertor_interval keeps = convertor_keeps(setting);
    double sum = outside(histogram->zeros, 0, 0, &keeps) + outside(histogram->minus_ones, -1, -1, &keeps);
    for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
        int64_t low = INT64_C(1) << bin, high = low - 1 + low;
        sum += outside(histogram->positive[bin], low, lesser(high, histogram->maximum), &keeps);
        sum += outside(histogram->negative[bin], greater(-high - 1, histogram->minimum), -low - 1, &keeps);
    }
    return sum;
}

/* Squared error of a value: half a step at most, or its distance beyond the range. */
static double change(double value, double low, double high, double step) {
    double beyond = value > high ? value - high : value < low ? low - value : 0;
    return beyond > 0 ? beyond * beyond : step == 1 ? 0 : step * step / 12;
}

struct calibrate_estimate calibrate_expect(const struct histogram *histogram, const struct convertor *setting) {
    const double step = convertor_step(setting);
    /* A symmetric setting does not use the lowest result. */
    int64_t highest = (INT64_C(1) << (setting->bits - 1)) - 1, lowest = setting->offset == 0 ? -highest : -highest - 1;
    double one = convertor_value(setting, highest), other = convertor_value(setting, lowest);
    double low = fmin(one, other), high = fmax(one, other), changes = 0, squares = 0;
    for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
        double middle = ldexp(1.5, bin);
        double positive = (double)histogram->positive[bin], negative = (double)histogram->negative[bin];
        squares += (positive + negative) * middle * middle;
        changes += positive * change(middle, low, high, step) + negative * change(-middle, low, high, step);
    }
    double count = (double)histogram->count;
    return (struct calibrate_estimate){
        .saturated = saturated(histogram, setting), .error = sqrt(changes / count), .signal = sqrt(squares / count)};
}

/* ---- recommendation ---- */

static uint64_t values_above(const struct histogram *histogram, int bin) {
    return histogram_up_to(histogram, HISTOGRAM_BINS - 1) - histogram_up_to(histogram, bin);
}

int calibrate_bin(const struct histogram *histogram, double clip) {
    double most = clip * (double)histogram->count;
    int bin = histogram_highest(histogram);
    while (bin > 0 && (double)values_above(histogram, bin - 1) <= most)
        bin--;
    return bin > 0 ? bin : 0;
}

/* True if a number fits into a signed register. */
static bool fits(int64_t value, int bits) {
    int64_t end = INT64_C(1) << (bits - 1);
    return -end <= value && value < end;
}

/* The middle of the extremes, and the bin that then holds all values. */
static int64_t centre(const struct histogram *histogram, int *bin) {
    int64_t middle = (histogram->minimum + histogram->maximum) >> 1, half = histogram->maximum - middle;
    *bin = 0;
    while (INT64_C(2) << *bin < half)
        (*bin)++;
    return middle;
}

static int least_error_bin(const struct histogram *histogram, bool asymmetric) {
    int best = histogram_highest(histogram) > 0 ? histogram_highest(histogram) : 0;
    double least = INFINITY;
    for (int bin = best; bin >= 0; bin--) {
        struct convertor setting = convertor_for_bin(bin, histogram->candidates.bits, asymmetric);
        double error = calibrate_expect(histogram, &setting).error;
        if (error < least) {
            least = error;
            best = bin;
        }
    }
    return best;
}

/* The convertor of step 5 or 8, independent of the present one. */
static struct calibrate_setting fresh(const struct histogram *histogram, const struct calibrate_options *options) {
    const struct histogram_candidates *candidates = &histogram->candidates;
    struct calibrate_setting setting = {.bin = 0};
    int bin;
    int64_t middle = centre(histogram, &bin);
    if (options->kind == CALIBRATE_CENTRED && fits(middle, options->offset_bits)) {
        setting.bin = bin;
        setting.convertor = convertor_for_bin(bin, candidates->bits, false);
        setting.convertor.offset = middle;
        return setting; /* which clips nothing */
    }
    bin = options->minimum_error ? least_error_bin(histogram, false) : calibrate_bin(histogram, options->clip);
    bool asymmetric = options->kind == CALIBRATE_ASYMMETRIC && histogram->minimum >= 0;
    if (asymmetric && options->minimum_error)
        bin = least_error_bin(histogram, true);
    asymmetric = asymmetric && fits(INT64_C(1) << bin, options->offset_bits);
    setting.bin = bin;
    setting.above = values_above(histogram, bin);
    setting.convertor = convertor_for_bin(bin, candidates->bits, asymmetric);
    const uint64_t *fit = candidates->fits[asymmetric ? HISTOGRAM_ASYMMETRIC : HISTOGRAM_SYMMETRIC];
    for (int first = bin + 1; first <= HISTOGRAM_BINS; first++)
        setting.saturated += fit[first];
    return setting;
}

struct calibrate_setting calibrate_convertor(const struct histogram *histogram, const struct convertor *present,
                                             const struct calibrate_options *options) {
    struct calibrate_setting setting = fresh(histogram, options);
    setting.expected = calibrate_expect(histogram, &setting.convertor);
    if (present->scale == 0)
        return setting;
    struct convertor_interval keeps = convertor_keeps(present);
    struct calibrate_estimate expected = calibrate_expect(histogram, present);
    if (keeps.low <= histogram->minimum && histogram->maximum <= keeps.high &&
        expected.error <= setting.expected.error) {
        setting.present = true;
        setting.convertor = *present;
        setting.saturated = 0;
        setting.expected = expected;
    }
    return setting;
}

unsigned calibrate_truncate(const struct histogram *histogram) {
    for (unsigned truncate = 0; truncate < MOST_TRUNCATE; truncate++) {
        bool low, high;
        cacc_deliver(histogram->minimum, truncate, &low);
        cacc_deliver(histogram->maximum, truncate, &high);
        if (!low && !high)
            return truncate;
    }
    return MOST_TRUNCATE;
}
