#include "model/histogram.h"

#include <math.h>
#include <stdlib.h>

const char *const tap_names[TAP_COUNT] = {"CDMA_CVT", "CACC",    "CACC_OUT", "SDP_IN", "EW_ALU_CVT", "EW_MUL_CVT",
                                          "SDP_CVT",  "SDP_OUT", "PDP_OUT",  "CDP_IN", "CDP_CVT",    "CDP_OUT"};

/* Extremes and sums of a value that counts. */
static inline void include(struct histogram *histogram, double value) {
    if (histogram->minimum > value || histogram->count == histogram->nans + histogram->infinities + 1) {
        histogram->minimum = value;
    }
    if (histogram->maximum < value || histogram->count == histogram->nans + histogram->infinities + 1) {
        histogram->maximum = value;
    }
    histogram->sum += value;
    histogram->squares += value * value;
}

static inline void count_integer(struct histogram *histogram, int64_t x) {
    int64_t highest = (INT64_C(1) << (histogram->width - 1)) - 1;
    uint64_t magnitude = (uint64_t)(x ^ (x >> 63));
    histogram->count++;
    if (magnitude == 0) {
        histogram->zeros += x == 0;
        histogram->minus_ones += x != 0;
    } else {
        uint64_t *bins = x < 0 ? histogram->negative : histogram->positive;
        bins[63 - __builtin_clzll(magnitude)]++;
    }
    histogram->saturated += x >= highest || x <= -highest - 1;
    include(histogram, (double)x);
}

/* A value of FP16 range by its biased exponent. */
static inline void count_float(struct histogram *histogram, bool sign, int exponent, double magnitude) {
    histogram->count++;
    if (magnitude == 0.0) {
        histogram->zeros++;
    } else {
        uint64_t *bins = sign ? histogram->negative : histogram->positive;
        bins[exponent < 0 ? 0 : exponent > 30 ? 30 : exponent]++;
    }
    histogram->saturated += magnitude >= 65504.0;
    include(histogram, sign ? -magnitude : magnitude);
}

static inline void count_fp16(struct histogram *histogram, uint16_t x) {
    int exponent = x >> 10 & 31, mantissa = x & 0x3ff;
    if (exponent == 31) {
        histogram->count++;
        histogram->nans += mantissa != 0;
        histogram->infinities += mantissa == 0;
        return;
    }
    double magnitude = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    count_float(histogram, x >> 15, exponent, magnitude);
}

static inline void count_fp32(struct histogram *histogram, uint32_t x) {
    int exponent = (int)(x >> 23 & 255), mantissa = (int)(x & 0x7fffff);
    if (exponent == 255) {
        histogram->count++;
        histogram->nans += mantissa != 0;
        histogram->infinities += mantissa == 0;
        return;
    }
    double magnitude = exponent == 0 && mantissa == 0 ? 0.0 : ldexp(0x800000 + mantissa, exponent - 150);
    count_float(histogram, x >> 31, exponent - 112, magnitude);
}

#define COUNT_LANES(count)                                                                                             \
    for (size_t atom = 0; atom < atoms; atom++, values += lanes) {                                                     \
        for (size_t lane = 0; lane < valid; lane++) {                                                                  \
            count;                                                                                                     \
        }                                                                                                              \
    }

void histogram_int32(struct histogram *histogram, const int32_t *values, size_t atoms, size_t lanes, size_t valid) {
    COUNT_LANES(count_integer(histogram, values[lane]))
}

void histogram_int64(struct histogram *histogram, const int64_t *values, size_t atoms, size_t lanes, size_t valid) {
    COUNT_LANES(count_integer(histogram, values[lane]))
}

void histogram_fp16(struct histogram *histogram, const uint16_t *values, size_t atoms, size_t lanes, size_t valid) {
    COUNT_LANES(count_fp16(histogram, values[lane]))
}

void histogram_fp32(struct histogram *histogram, const int32_t *values, size_t atoms, size_t lanes, size_t valid) {
    COUNT_LANES(count_fp32(histogram, (uint32_t)values[lane]))
}

struct histogram *histogram_of(struct histogram_set *set, enum nvdla_unit unit, int ordinal, enum tap tap, int width) {
    if (!set) {
        return NULL;
    }
    for (size_t i = set->count; i-- > 0;) {
        struct histogram_entry *entry = set->entries[i];
        if (entry->unit == unit && entry->ordinal == ordinal && entry->tap == tap) {
            return &entry->histogram;
        }
    }
    if (set->count == set->capacity) {
        size_t capacity = set->capacity ? 2 * set->capacity : 16;
        struct histogram_entry **grown = realloc(set->entries, capacity * sizeof(struct histogram_entry *));
        if (!grown) {
            return NULL;
        }
        set->entries = grown;
        set->capacity = capacity;
    }
    struct histogram_entry *entry = calloc(1, sizeof *entry);
    if (!entry) {
        return NULL;
    }
    entry->unit = unit;
    entry->ordinal = ordinal;
    entry->tap = tap;
    entry->histogram.width = width;
    set->entries[set->count++] = entry;
    return &entry->histogram;
}

void histogram_set_free(struct histogram_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        free(set->entries[i]);
    }
    free(set->entries);
    *set = (struct histogram_set){NULL, 0, 0};
}

/* Mean and deviation with scale * 2^bin as representative of a bin. */
static void from_bins(const struct histogram *histogram, double scale, double *mean, double *deviation) {
    double count = (double)histogram->count, sum = 0, squares = 0;
    for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
        sum += ((double)histogram->positive[bin] - (double)histogram->negative[bin]) * scale * ldexp(1, bin);
    }
    *mean = sum / count;
    for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
        double edge = scale * ldexp(1, bin);
        squares += (double)histogram->positive[bin] * (edge - *mean) * (edge - *mean) +
                   (double)histogram->negative[bin] * (-edge - *mean) * (-edge - *mean);
    }
    squares += (double)(histogram->zeros + histogram->minus_ones) * *mean * *mean;
    *deviation = sqrt(squares / count);
}

struct histogram_moments histogram_moments(const struct histogram *histogram) {
    struct histogram_moments moments = {0};
    double count = (double)(histogram->count - histogram->nans - histogram->infinities);
    if (count == 0) {
        return moments;
    }
    moments.mean = histogram->sum / count;
    double variance = histogram->squares / count - moments.mean * moments.mean;
    moments.deviation = sqrt(variance > 0 ? variance : 0);
    if (histogram->width > 0) {
        from_bins(histogram, 1.0, &moments.low_mean, &moments.low_deviation);
        from_bins(histogram, 1.5, &moments.middle_mean, &moments.middle_deviation);
    }
    return moments;
}
