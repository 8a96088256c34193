/* Counting of elements, and moments computed from the bins. See histogram.h. */
#include "observe/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

void histogram_init(struct histogram *histogram, int width) {
    *histogram = (struct histogram){.width = width};
}

void histogram_convertor(struct histogram *histogram, const struct convertor *convertor, int bits) {
    histogram->conversion =
        (struct histogram_conversion){.known = true, .convertor = *convertor, .keeps = convertor_keeps(convertor)};
    histogram->candidates.bits = bits;
    for (int kind = 0; kind < HISTOGRAM_KINDS && bits > 0; kind++) {
        for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
            struct convertor candidate = convertor_for_bin(bin, bits, kind == HISTOGRAM_ASYMMETRIC);
            histogram->candidates.keeps[kind][bin] = convertor_keeps(&candidate);
        }
    }
}

/* ---- elements ---- */

static inline bool holds(struct convertor_interval interval, int64_t x) {
    return interval.low <= x && x <= interval.high;
}

static inline void count_conversion(struct histogram_conversion *conversion, int64_t x) {
    const struct convertor *convertor = &conversion->convertor;
    conversion->clipped += !holds(conversion->keeps, x);
    if (convertor->scale != 0) {
        double error = (double)x - convertor_value(convertor, convertor_apply(convertor, x));
        conversion->error_squares += error * error;
    }
}

/* bin: of x, where the search starts; 0 if it has none. */
static inline void count_candidates(struct histogram_candidates *candidates, int64_t x, int bin) {
    for (int kind = 0; kind < HISTOGRAM_KINDS; kind++) {
        const struct convertor_interval *keeps = candidates->keeps[kind];
        int first = bin;
        while (first > 0 && holds(keeps[first - 1], x))
            first--;
        while (first < HISTOGRAM_BINS && !holds(keeps[first], x))
            first++;
        candidates->fits[kind][first]++;
    }
}

static inline void count_integer(struct histogram *histogram, int64_t x) {
    int64_t highest = (INT64_C(1) << (histogram->width - 1)) - 1;
    uint64_t magnitude = (uint64_t)(x ^ (x >> 63));
    int bin = 0;
    if (magnitude == 0) {
        histogram->zeros += x == 0;
        histogram->minus_ones += x != 0;
    } else {
        uint64_t *bins = x < 0 ? histogram->negative : histogram->positive;
        bin = 63 - __builtin_clzll(magnitude);
        bins[bin]++;
    }
    histogram->saturated += x == highest || x == -highest - 1;
    histogram->minimum = histogram->count == 0 || x < histogram->minimum ? x : histogram->minimum;
    histogram->maximum = histogram->count == 0 || x > histogram->maximum ? x : histogram->maximum;
    histogram->count++;
    histogram->sum += x;
    histogram->squares += (unsigned __int128)((__int128)x * x);
    if (histogram->conversion.known)
        count_conversion(&histogram->conversion, x);
    if (histogram->candidates.bits > 0)
        count_candidates(&histogram->candidates, x, bin);
}

/* exponent: biased as in FP16; outside 0..30 for values beyond FP16. */
static inline void count_float(struct histogram *histogram, bool sign, int exponent, double magnitude) {
    bool first = histogram->count == histogram->nans + histogram->infinities;
    double value = sign ? -magnitude : magnitude;
    histogram->count++;
    if (magnitude == 0.0) {
        histogram->zeros++;
    } else {
        uint64_t *bins = sign ? histogram->negative : histogram->positive;
        bins[exponent < 0 ? 0 : exponent >= HISTOGRAM_FP_BINS ? HISTOGRAM_FP_BINS - 1 : exponent]++;
    }
    histogram->saturated += magnitude >= 65504.0;
    histogram->fp_minimum = first || value < histogram->fp_minimum ? value : histogram->fp_minimum;
    histogram->fp_maximum = first || value > histogram->fp_maximum ? value : histogram->fp_maximum;
    histogram->fp_sum += value;
    histogram->fp_squares += value * value;
}

static inline void count_special(struct histogram *histogram, bool nan) {
    histogram->count++;
    histogram->nans += nan;
    histogram->infinities += !nan;
}

static inline void count_fp16(struct histogram *histogram, uint16_t x) {
    int exponent = x >> 10 & 31, mantissa = x & 0x3ff;
    if (exponent == 31) {
        count_special(histogram, mantissa != 0);
        return;
    }
    double magnitude = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    count_float(histogram, x >> 15, exponent, magnitude);
}

static inline void count_fp32(struct histogram *histogram, uint32_t x) {
    int exponent = (int)(x >> 23 & 255), mantissa = (int)(x & 0x7fffff);
    if (exponent == 255) {
        count_special(histogram, mantissa != 0);
        return;
    }
    double magnitude = exponent ? ldexp(0x800000 + mantissa, exponent - 150) : ldexp(mantissa, -149);
    count_float(histogram, x >> 31, exponent - 112, magnitude);
}

/* ---- arrays ---- */

/* A statement for every value[i] inside the cube. */
#define EACH_LANE(i, statement)                                                                                        \
    for (size_t atom = 0; atom < atoms; atom++)                                                                        \
        for (size_t i = atom * lanes; i < atom * lanes + valid; i++)                                                   \
            statement;

void histogram_int32(struct histogram *histogram, const int32_t *values, size_t atoms, size_t lanes, size_t valid) {
    EACH_LANE(i, count_integer(histogram, values[i]))
}

void histogram_int64(struct histogram *histogram, const int64_t *values, size_t atoms, size_t lanes, size_t valid) {
    EACH_LANE(i, count_integer(histogram, values[i]))
}

void histogram_fp32(struct histogram *histogram, const int32_t *patterns, size_t atoms, size_t lanes, size_t valid) {
    EACH_LANE(i, count_fp32(histogram, (uint32_t)patterns[i]))
}

static inline uint16_t half_at(const uint8_t *bytes, size_t i) {
    uint16_t half;
    memcpy(&half, bytes + i * sizeof half, sizeof half);
    return half;
}

void histogram_elements(struct histogram *histogram, enum nvdla_precision precision, const uint8_t *bytes, size_t atoms,
                        size_t lanes, size_t valid) {
    switch (precision) {
    case NVDLA_INT8:
        EACH_LANE(i, count_integer(histogram, (int8_t)bytes[i]))
        break;
    case NVDLA_INT16:
        EACH_LANE(i, count_integer(histogram, (int16_t)half_at(bytes, i)))
        break;
    case NVDLA_FP16:
        EACH_LANE(i, count_fp16(histogram, half_at(bytes, i)))
        break;
    }
}

/* ---- moments ---- */

/* Mean and deviation with scale * 2^bin as representative of a bin. */
static void from_bins(const struct histogram *histogram, double scale, double *mean, double *deviation) {
    double count = (double)histogram->count, sum = 0, squares = 0;
    for (int bin = 0; bin < HISTOGRAM_BINS; bin++)
        sum += ((double)histogram->positive[bin] - (double)histogram->negative[bin]) * ldexp(scale, bin);
    *mean = sum / count;
    for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
        double above = ldexp(scale, bin) - *mean, below = -ldexp(scale, bin) - *mean;
        squares += (double)histogram->positive[bin] * above * above + (double)histogram->negative[bin] * below * below;
    }
    /* 0 and -1 have no bin; both count as 0. */
    squares += (double)(histogram->zeros + histogram->minus_ones) * *mean * *mean;
    *deviation = sqrt(squares / count);
}

struct histogram_moments histogram_moments(const struct histogram *histogram) {
    struct histogram_moments moments = {0};
    double count = (double)(histogram->count - histogram->nans - histogram->infinities);
    if (count == 0)
        return moments;
    bool integer = histogram->width > 0;
    moments.mean = (integer ? (double)histogram->sum : histogram->fp_sum) / count;
    double variance =
        (integer ? (double)histogram->squares : histogram->fp_squares) / count - moments.mean * moments.mean;
    moments.deviation = sqrt(variance > 0 ? variance : 0);
    if (integer) {
        from_bins(histogram, 1.0, &moments.low_mean, &moments.low_deviation);
        from_bins(histogram, 1.5, &moments.middle_mean, &moments.middle_deviation);
    }
    return moments;
}

int histogram_highest(const struct histogram *histogram) {
    int bin = HISTOGRAM_BINS - 1;
    while (bin >= 0 && histogram->positive[bin] + histogram->negative[bin] == 0)
        bin--;
    return bin;
}

/* ---- sets ---- */

/* True if no entry before this one can belong to the launch: a unit runs its launches in order, except that two groups
 * can be armed at a time. */
static bool long_before(const struct histogram_entry *entry, enum nvdla_unit unit, int ordinal) {
    return entry->unit == unit && entry->ordinal + 1 < ordinal;
}

static struct histogram_entry *find(const struct histogram_set *set, enum nvdla_unit unit, int ordinal, enum tap tap) {
    for (size_t i = set->count; i-- > 0 && !long_before(set->entries[i], unit, ordinal);) {
        struct histogram_entry *entry = set->entries[i];
        if (entry->unit == unit && entry->ordinal == ordinal && entry->tap == tap)
            return entry;
    }
    return NULL;
}

struct histogram *histogram_of(struct histogram_set *set, enum nvdla_unit unit, int ordinal, enum tap tap, int width) {
    struct histogram_entry *entry = find(set, unit, ordinal, tap);
    if (!entry) {
        entry = xcalloc(1, sizeof *entry);
        *entry = (struct histogram_entry){.unit = unit, .ordinal = ordinal, .tap = tap, .layer = -1};
        histogram_init(&entry->histogram, width);
        *xadd(set->entries, set->count) = entry;
    }
    return &entry->histogram;
}

const struct histogram *histogram_find(const struct histogram_set *set, enum nvdla_unit unit, int ordinal,
                                       enum tap tap) {
    const struct histogram_entry *entry = find(set, unit, ordinal, tap);
    return entry ? &entry->histogram : NULL;
}

void histogram_set_done(struct histogram_set *set, enum nvdla_unit unit, int ordinal, unsigned group) {
    bool any = false;
    for (size_t i = set->count; i-- > 0 && !long_before(set->entries[i], unit, ordinal);) {
        struct histogram_entry *entry = set->entries[i];
        if (entry->unit == unit && entry->ordinal == ordinal) {
            entry->layer = set->layers;
            entry->group = (int)group;
            any = true;
        }
    }
    set->layers += any;
}

void histogram_set_free(struct histogram_set *set) {
    for (size_t i = 0; i < set->count; i++)
        free(set->entries[i]);
    free(set->entries);
    *set = (struct histogram_set){0};
}

/* ---- listening ---- */

static void take_elements(void *context, const struct tap_stream *stream, const struct tap_place *place,
                          const void *values, size_t rows, size_t lanes, size_t stride) {
    (void)place;
    switch (stream->format) {
    case TAP_INT8:
        histogram_elements(context, NVDLA_INT8, values, rows, stride, lanes);
        break;
    case TAP_INT16:
        histogram_elements(context, NVDLA_INT16, values, rows, stride, lanes);
        break;
    case TAP_FP16:
        histogram_elements(context, NVDLA_FP16, values, rows, stride, lanes);
        break;
    case TAP_INT32:
        histogram_int32(context, values, rows, stride, lanes);
        break;
    case TAP_FP32:
        histogram_fp32(context, values, rows, stride, lanes);
        break;
    case TAP_INT64:
        histogram_int64(context, values, rows, stride, lanes);
        break;
    case TAP_CMAC_FP16: /* CMAC_SUM is not counted */
    case TAP_FORMATS:
        break;
    }
}

static void take_convertor(void *context, const struct convertor *convertor, int bits) {
    histogram_convertor(context, convertor, bits);
}

static void take_clipped(void *context, uint64_t count) {
    struct histogram *histogram = context;
    histogram->conversion.clipped = count;
}

static struct tap_sink open_stream(void *context, const struct tap_stream *stream) {
    if (!tap_has_statistics(stream->tap))
        return (struct tap_sink){.elements = NULL};
    return (struct tap_sink){
        .elements = take_elements,
        .convertor = take_convertor,
        .clipped = take_clipped,
        .context = histogram_of(context, stream->unit, stream->ordinal, stream->tap, stream->width),
    };
}

static void launch_done(void *context, enum nvdla_unit unit, int ordinal, unsigned group) {
    histogram_set_done(context, unit, ordinal, group);
}

static void forget(void *context) {
    histogram_set_free(context);
}

struct tap_listener histogram_listener(struct histogram_set *set) {
    return (struct tap_listener){.context = set, .open = open_stream, .done = launch_done, .reset = forget};
}
