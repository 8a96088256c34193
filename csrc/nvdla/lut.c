/* Interpolation, extrapolation and choice between the two tables. See lut.h. */
#include "nvdla/lut.h"

#include <string.h>

#include "nvdla/fixed.h"
#include "nvdla/fp.h"
#include "nvdla/wide.h"

const struct lut_arithmetic lut_cdp_int8 = {
    .compare_bits = 22,
    .select_bits = 6,
    .lo_shift_mask = 31,
    .fraction_bits = 16,
    .offset_end = 39,
    .weighted = false,
    .slope_bits = 0,
    .result_bits = 16,
};

const struct lut_arithmetic lut_cdp_int16 = {
    .compare_bits = 38,
    .select_bits = 7,
    .lo_shift_mask = 63,
    .fraction_bits = 16,
    .offset_end = 39,
    .weighted = false,
    .slope_bits = 0,
    .result_bits = 16,
};

const struct lut_arithmetic lut_sdp = {
    .compare_bits = 32,
    .select_bits = 8,
    .lo_shift_mask = 255,
    .fraction_bits = 35,
    .offset_end = 32,
    .weighted = true,
    .slope_bits = 32,
    .result_bits = 32,
};

/* START + 2^LE_INDEX_OFFSET has this many bits. */
enum { LINE_START_BITS = 39 };

/* Products to be shifted left are first clamped to this many bits: anything larger saturates the result anyway. */
enum { PRODUCT_BITS = 46 };

/* The answer of one table. */
struct position {
    enum lut_answer answer;
    int index;         /* of a hit */
    uint64_t fraction; /* of a hit */
};

static const struct position under = {LUT_UNDER, 0, 0};
static const struct position over = {LUT_OVER, 0, 0};

/* value * 2^shift without the fraction; the result fits. */
static inline uint64_t scale(uint64_t value, int shift) {
    if (shift >= 0)
        return value << shift;
    return shift > -64 ? value >> -shift : 0;
}

static inline int last_entry(enum lut_table table) {
    return (table == LUT_LE ? LUT_LE_ENTRIES : LUT_LO_ENTRIES) - 1;
}

/* Logarithmic index of u > 0. */
static inline struct position exponential(int fraction_bits, int offset, uint64_t u) {
    int power = 63 - __builtin_clzll(u);
    int index = power - offset;
    if (index < 0)
        return under;
    if (index >= last_entry(LUT_LE))
        return over;
    return (struct position){LUT_HIT, index, scale(u - (UINT64_C(1) << power), fraction_bits - power)};
}

/* Linear index of u > 0, u < 2^40. */
static inline struct position linear(const struct lut_arithmetic *arithmetic, enum lut_table table, int select,
                                     uint64_t u) {
    uint64_t end = (uint64_t)last_entry(table);
    int step = (int)fixed_sign_extend(select, arithmetic->select_bits);
    if (step >= 0) {
        uint64_t index = step < 64 ? u >> step : 0;
        if (index >= end)
            return over;
        uint64_t rest = step < 64 ? u - (index << step) : u;
        return (struct position){LUT_HIT, (int)index, scale(rest, arithmetic->fraction_bits - step)};
    }
    int shift = table == LUT_LO ? -step & arithmetic->lo_shift_mask : -step;
    /* 2^9 is beyond the end of both tables. */
    if (shift > 8 || u << shift >= end)
        return over;
    return (struct position){LUT_HIT, (int)(u << shift), 0};
}

static inline struct position locate(const struct lut_arithmetic *arithmetic, const struct lut_settings *settings,
                                     enum lut_table table, int64_t x) {
    const struct lut_range *range = &settings->range[table];
    int64_t start = fixed_sign_extend(range->start, arithmetic->compare_bits);
    if (x <= start)
        return under;
    uint64_t u = (uint64_t)(x - start);
    if (table == LUT_LE && !settings->le_linear)
        return exponential(arithmetic->fraction_bits, settings->le_index_offset, u);
    return linear(arithmetic, table, range->select, u);
}

/* Section 4.3. */
static inline enum lut_table select_table(const struct lut_settings *settings, enum lut_answer le, enum lut_answer lo) {
    if ((le == LUT_HIT) != (lo == LUT_HIT))
        return le == LUT_HIT ? LUT_LE : LUT_LO;
    bool first_lo = settings->hybrid_first_lo;
    if (le == lo && le != LUT_HIT)
        first_lo = le == LUT_UNDER ? settings->under_first_lo : settings->over_first_lo;
    return first_lo ? LUT_LO : LUT_LE;
}

static inline int32_t interpolate(const struct lut_arithmetic *arithmetic, const int16_t *samples,
                                  struct position position) {
    int64_t y0 = samples[position.index], y1 = samples[position.index + 1];
    int64_t fraction = (int64_t)position.fraction;
    unsigned bits = (unsigned)arithmetic->fraction_bits;
    int64_t y = arithmetic->weighted ? fixed_round_shift(y0 * (INT64_C(1) << bits) + (y1 - y0) * fraction, bits)
                                     : y0 + fixed_round_shift((y1 - y0) * fraction, bits);
    return (int32_t)fixed_saturate(y, arithmetic->result_bits);
}

/* y plus the line of that slope at a distance of at most 40 bits. */
static inline int32_t extrapolate(const struct lut_arithmetic *arithmetic, int64_t y, int64_t distance,
                                  struct lut_slope slope) {
    int64_t product = distance * slope.scale;
    int64_t term = slope.shift >= 0 ? fixed_round_shift(product, (unsigned)slope.shift)
                                    : fixed_saturate(product, PRODUCT_BITS) * (INT64_C(1) << -slope.shift);
    if (arithmetic->slope_bits > 0)
        term = fixed_saturate(term, arithmetic->slope_bits);
    return (int32_t)fixed_saturate(y + term, arithmetic->result_bits);
}

/* Where the underflow line of a table starts: START, or entry 0 of the logarithmic index. */
static inline int64_t line_start(const struct lut_arithmetic *arithmetic, const struct lut_settings *settings,
                                 enum lut_table table) {
    int64_t start = settings->range[table].start;
    int offset = settings->le_index_offset;
    if (table == LUT_LO || settings->le_linear || offset < 0 || offset >= arithmetic->offset_end)
        return start;
    return fixed_sign_extend(start + (INT64_C(1) << offset), LINE_START_BITS);
}

struct lut_result lut_look_up(const struct lut_arithmetic *arithmetic, const struct lut_settings *settings,
                              const struct lut_entries *entries, int64_t x) {
    struct position le = locate(arithmetic, settings, LUT_LE, x);
    struct position lo = locate(arithmetic, settings, LUT_LO, x);
    enum lut_table table = select_table(settings, le.answer, lo.answer);
    struct position position = table == LUT_LE ? le : lo;
    const int16_t *samples = table == LUT_LE ? entries->le : entries->lo;
    const struct lut_range *range = &settings->range[table];
    struct lut_result result = {.selected = table, .answer = {le.answer, lo.answer}};
    switch (position.answer) {
    case LUT_UNDER:
        result.value = extrapolate(arithmetic, samples[0], x - line_start(arithmetic, settings, table), range->under);
        break;
    case LUT_HIT:
        result.index = position.index;
        result.fraction = position.fraction;
        result.value = interpolate(arithmetic, samples, position);
        break;
    case LUT_OVER:
        result.index = last_entry(table);
        result.value = extrapolate(arithmetic, samples[result.index], x - range->end, range->over);
        break;
    }
    return result;
}

/* ---- FP16 layers ---- */

enum { SDP_FRACTION_BITS = 35, CDP_FRACTION_BITS = 16 };

enum { FP32_MANTISSA_BITS = 23, FP32_BIAS = 127, FP32_EXPONENTS = 256 };

static inline uint32_t bits_of(int64_t value) {
    return (uint32_t)value;
}

/* Index of the positive FP32 number f; exponent 255 is a number, too. */
static inline struct position locate_difference(const struct lut_settings *settings, enum lut_table table, uint32_t f,
                                                int fraction_bits) {
    uint32_t mantissa = f & ((UINT32_C(1) << FP32_MANTISSA_BITS) - 1);
    int power = (int)(f >> FP32_MANTISSA_BITS) - FP32_BIAS;
    if (table == LUT_LE && !settings->le_linear) {
        int index = power - settings->le_index_offset;
        if (index < 0)
            return under;
        if (index >= last_entry(LUT_LE))
            return over;
        return (struct position){LUT_HIT, index, scale(mantissa, fraction_bits - FP32_MANTISSA_BITS)};
    }
    power -= settings->range[table].select;
    if (power > 8) /* 2^9 is beyond the end of both tables */
        return over;
    uint64_t significand = UINT64_C(1) << FP32_MANTISSA_BITS | mantissa;
    int point = FP32_MANTISSA_BITS - power; /* fraction bits of the significand: 15 or more */
    uint64_t index = scale(significand, -point);
    if (index >= (uint64_t)last_entry(table))
        return over;
    uint64_t rest = index ? significand - (index << point) : significand;
    return (struct position){LUT_HIT, (int)index, scale(rest, fraction_bits - point)};
}

/* f: the input minus START. */
static inline struct position locate_fp16(const struct lut_settings *settings, enum lut_table table, uint32_t f,
                                          int fraction_bits) {
    if (f == 0 || f > FP32_NAN) /* or negative */
        return under;
    return locate_difference(settings, table, f, fraction_bits);
}

/* FP32 pattern of 2^offset. The exponent wraps: -128 gives infinity's, -127 gives 0. */
static inline uint32_t power_of_two(int offset) {
    return (uint32_t)(offset + FP32_BIAS) % FP32_EXPONENTS << FP32_MANTISSA_BITS;
}

/* The point on the underflow line of a table: START, or entry 0 of the logarithmic index. */
static uint32_t line_start_fp32(const struct lut_settings *settings, enum lut_table table, bool sdp) {
    uint32_t start = bits_of(settings->range[table].start);
    int offset = settings->le_index_offset;
    uint32_t distance = !sdp && offset <= -FP32_BIAS ? 0 : power_of_two(offset);
    return table == LUT_LE && !settings->le_linear ? fp32_add(start, distance) : start;
}

/* Inputs looked up together, and their answers. */
enum { BATCH = 64 };

struct batch {
    uint32_t x[BATCH], distance[LUT_TABLES][BATCH]; /* distance: from START; FP32 */
    uint64_t fraction[BATCH];
    uint16_t first[BATCH], second[BATCH]; /* samples, FP16: both of a hit, the first of a line */
    uint32_t from[BATCH];                 /* of lines: FP32 */
    uint16_t slope[BATCH];                /* FP16 */
    uint32_t hit[BATCH];
    uint32_t y[BATCH]; /* FP17 */
};

/* Arrays of numbers. Each loop does one operation: compilers vectorise only those. */

WIDE static void subtract_fp32(const uint32_t *restrict a, const uint32_t *restrict b, uint32_t *restrict to,
                               size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = fp32_sub(a[i], b[i]);
}

WIDE static void to_fp17(const uint16_t *restrict a, uint32_t *restrict to, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = fp16_to_fp17(a[i]);
}

WIDE static void to_fp32(const uint16_t *restrict a, uint32_t *restrict to, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = fp16_to_fp32(a[i]);
}

WIDE static void fp32_to_fp17_all(const uint32_t *restrict a, uint32_t *restrict to, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = fp32_to_fp17(a[i]);
}

WIDE static void fractions(const uint64_t *restrict a, int bits, uint32_t *restrict to, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = fp17_from_fraction(a[i], bits);
}

/* to *= a */
WIDE static void multiply(const uint32_t *restrict a, uint32_t *restrict to, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = fp17_mul(to[i], a[i]);
}

WIDE static void add(const uint32_t *restrict a, const uint32_t *restrict b, uint32_t *restrict to, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = fp17_add(a[i], b[i]);
}

/* y0*(1-f) + y1*f. Spec: 55-lut section 6. */
static void weigh(struct batch *batch, size_t count) {
    uint32_t first[BATCH], second[BATCH], sample[BATCH];
    uint64_t rest[BATCH];
    for (size_t i = 0; i < count; i++)
        rest[i] = (UINT64_C(1) << SDP_FRACTION_BITS) - batch->fraction[i];
    fractions(rest, SDP_FRACTION_BITS, first, count); // cppcheck-suppress uninitvar ; count are there
    to_fp17(batch->first, sample, count);
    multiply(sample, first, count);
    fractions(batch->fraction, SDP_FRACTION_BITS, second, count);
    to_fp17(batch->second, sample, count);
    multiply(sample, second, count);
    add(first, second, batch->y, count);
}

/* y0 + (y1-y0)*f, the difference in FP32. Spec: 55-lut section 7.3. */
static void interpolate_fp17(struct batch *batch, size_t count) {
    uint32_t first[BATCH], second[BATCH], difference[BATCH], product[BATCH], fraction[BATCH];
    to_fp32(batch->first, first, count);
    to_fp32(batch->second, second, count);
    subtract_fp32(second, first, difference, count);
    fp32_to_fp17_all(difference, product, count);
    fractions(batch->fraction, CDP_FRACTION_BITS, fraction, count);
    multiply(fraction, product, count);
    to_fp17(batch->first, first, count);
    add(product, first, batch->y, count);
}

/* y0 + slope * (x - from), added in the unit's order. */
static void draw_lines(struct batch *batch, bool sdp, size_t count) {
    uint32_t distance[BATCH], line[BATCH], other[BATCH];
    subtract_fp32(batch->x, batch->from, distance, count);
    fp32_to_fp17_all(distance, line, count);
    to_fp17(batch->slope, other, count);
    multiply(other, line, count);
    to_fp17(batch->first, other, count);
    if (sdp)
        add(other, line, distance, count);
    else
        add(line, other, distance, count);
    for (size_t i = 0; i < count; i++)
        batch->y[i] = batch->hit[i] ? batch->y[i] : distance[i];
}

/* Fills in the answer for input i and copies it to the result. */
static inline void find(const struct lut_settings *settings, const struct lut_entries *entries, int fraction_bits,
                        const uint32_t *line_starts, struct batch *batch, size_t i, struct lut_result *result) {
    const struct position le = locate_fp16(settings, LUT_LE, batch->distance[LUT_LE][i], fraction_bits);
    const struct position lo = locate_fp16(settings, LUT_LO, batch->distance[LUT_LO][i], fraction_bits);
    const enum lut_table table = select_table(settings, le.answer, lo.answer);
    const struct position position = table == LUT_LE ? le : lo;
    const struct lut_range *range = &settings->range[table];
    const int16_t *samples = table == LUT_LE ? entries->le : entries->lo;
    const bool hit = position.answer == LUT_HIT, beyond = position.answer == LUT_OVER;
    const int index = beyond ? last_entry(table) : position.index;
    *result = (struct lut_result){
        .selected = table, .answer = {le.answer, lo.answer}, .index = index, .fraction = position.fraction};
    batch->hit[i] = hit;
    batch->fraction[i] = position.fraction;
    batch->first[i] = (uint16_t)samples[index];
    batch->second[i] = (uint16_t)samples[hit ? index + 1 : index];
    batch->from[i] = beyond ? bits_of(range->end) : line_starts[table];
    batch->slope[i] = (uint16_t)(beyond ? range->over.scale : range->under.scale);
}

/* Looks up at most BATCH inputs. */
static void look_up_batch(const struct lut_settings *settings, const struct lut_entries *entries, bool sdp,
                          const uint32_t *x, struct lut_result *results, size_t count) {
    const uint32_t line_starts[] = {line_start_fp32(settings, LUT_LE, sdp), line_start_fp32(settings, LUT_LO, sdp)};
    struct batch batch;
    size_t hits = 0;
    memcpy(batch.x, x, count * sizeof *x);
    for (int t = 0; t < LUT_TABLES; t++) {
        for (size_t i = 0; i < count; i++)
            batch.from[i] = bits_of(settings->range[t].start);
        subtract_fp32(batch.x, batch.from, batch.distance[t], count);
    }
    for (size_t i = 0; i < count; i++) {
        find(settings, entries, sdp ? SDP_FRACTION_BITS : CDP_FRACTION_BITS, line_starts, &batch, i, &results[i]);
        hits += batch.hit[i];
    }
    if (sdp)
        weigh(&batch, count);
    else
        interpolate_fp17(&batch, count);
    if (hits < count)
        draw_lines(&batch, sdp, count);
    for (size_t i = 0; i < count; i++)
        results[i].value = (int32_t)(sdp ? fp17_to_fp32(batch.y[i]) : batch.y[i]);
}

void lut_look_up_fp16(const struct lut_settings *settings, const struct lut_entries *entries, bool sdp,
                      const uint32_t *x, struct lut_result *results, size_t count) {
    for (size_t i = 0; i < count; i += BATCH)
        look_up_batch(settings, entries, sdp, x + i, results + i, count - i < BATCH ? count - i : BATCH);
}

struct lut_result lut_look_up_sdp_fp16(const struct lut_settings *settings, const struct lut_entries *entries,
                                       uint32_t x) {
    struct lut_result result;
    look_up_batch(settings, entries, true, &x, &result, 1);
    return result;
}

struct lut_result lut_look_up_cdp_fp16(const struct lut_settings *settings, const struct lut_entries *entries,
                                       uint32_t x) {
    struct lut_result result;
    look_up_batch(settings, entries, false, &x, &result, 1);
    return result;
}

/* ---- counting ---- */

int lut_flags(const struct lut_result *result) {
    const enum lut_answer le = result->answer[LUT_LE], lo = result->answer[LUT_LO];
    if ((le == LUT_HIT) != (lo == LUT_HIT))
        return le == LUT_HIT ? LUT_LE_ONLY : LUT_LO_ONLY;
    return le != lo || le == LUT_HIT ? 0 : le == LUT_UNDER ? LUT_BOTH_UNDER : LUT_BOTH_OVER;
}

void lut_count(struct lut_counters *counters, const struct lut_result *result) {
    const int flags = lut_flags(result);
    counters->underflow += flags == LUT_BOTH_UNDER;
    counters->overflow += flags == LUT_BOTH_OVER;
    counters->le_hit += flags == LUT_LE_ONLY;
    counters->lo_hit += flags == LUT_LO_ONLY;
    counters->hybrid += flags == 0;
}

void lut_apply(const struct lut_arithmetic *arithmetic, const struct lut_settings *settings,
               const struct lut_entries *entries, const int64_t *x, int32_t *y, size_t count,
               struct lut_counters *counters) {
    for (size_t i = 0; i < count; i++) {
        struct lut_result result = lut_look_up(arithmetic, settings, entries, x[i]);
        y[i] = result.value;
        lut_count(counters, &result);
    }
}

void lut_apply_cdp_fp16(const struct lut_settings *settings, const struct lut_entries *entries, const uint32_t *x,
                        uint32_t *y, size_t count, struct lut_counters *counters) {
    struct lut_result results[BATCH];
    for (size_t at = 0; at < count; at += BATCH) {
        const size_t some = count - at < BATCH ? count - at : BATCH;
        lut_look_up_fp16(settings, entries, false, x + at, results, some);
        for (size_t i = 0; i < some; i++) {
            y[at + i] = (uint32_t)results[i].value;
            lut_count(counters, &results[i]);
        }
    }
}
