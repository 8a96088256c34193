/* The two-table look-up written a second time, digit by digit from 55-lut: slow, in 128 bits or in doubles, without any
 * of the library's helpers but, for FP16, its additions, multiplications and conversions. The tests of the library
 * compare with it. */
#ifndef TESTS_NAIVE_LUT_H
#define TESTS_NAIVE_LUT_H

#include <math.h>
#include <string.h>

#include "nvdla/fp.h"
#include "nvdla/lut.h"

__extension__ typedef __int128 wide_t;

static inline wide_t naive_power(int exponent) {
    wide_t power = 1;
    for (int i = 0; i < exponent; i++)
        power *= 2;
    return power;
}

/* Two's complement of the low bits, at most 64. */
static inline wide_t naive_wrap(wide_t value, int bits) {
    wide_t size = naive_power(bits);
    wide_t rest = ((value % size) + size) % size;
    return rest >= size / 2 ? rest - size : rest;
}

static inline wide_t naive_clamp(wide_t value, int bits) {
    wide_t end = naive_power(bits - 1);
    return value >= end ? end - 1 : value < -end ? -end : value;
}

/* To nearest, halves away from zero. */
static inline wide_t naive_round(wide_t value, int shift) {
    wide_t size = naive_power(shift);
    return value < 0 ? -((-value * 2 + size) / (2 * size)) : (value * 2 + size) / (2 * size);
}

struct naive_position {
    enum lut_answer answer;
    int index;
    wide_t fraction;
};

/* Sections 4.1 and 7.2: index of one table. sdp: SDP's widths, else CDP's of INT8 (wide: INT16). */
static inline struct naive_position naive_index(bool sdp, bool wide, const struct lut_settings *s, enum lut_table table,
                                                wide_t x) {
    int entries = table == LUT_LE ? 64 : 256;
    int bits = sdp ? 35 : 16;
    wide_t start = sdp ? s->range[table].start : naive_wrap(s->range[table].start, wide ? 38 : 22);
    if (x <= start)
        return (struct naive_position){LUT_UNDER, 0, 0};
    wide_t u = x - start;
    if (table == LUT_LE && !s->le_linear) {
        int p = 0;
        while (naive_power(p + 1) <= u)
            p++;
        int i = p - s->le_index_offset;
        if (i < 0 || i >= 64)
            return (struct naive_position){i < 0 ? LUT_UNDER : LUT_OVER, 0, 0};
        return (struct naive_position){LUT_HIT, i, (u - naive_power(p)) * naive_power(bits) / naive_power(p)};
    }
    int select = (int)naive_wrap(s->range[table].select, sdp ? 8 : wide ? 7 : 6);
    struct naive_position position = {LUT_HIT, 0, 0};
    wide_t i;
    if (select >= 0) {
        i = u / naive_power(select);
        position.fraction = u % naive_power(select) * naive_power(bits) / naive_power(select);
    } else if (table == LUT_LO && !sdp && !wide && select == -32) {
        i = u;
    } else {
        i = -select > 40 ? entries : u * naive_power(-select);
    }
    if (i >= entries)
        return (struct naive_position){LUT_OVER, 0, 0};
    position.index = (int)i;
    return position;
}

/* Section 4.3: true if LO is selected. */
static inline bool naive_selects_lo(const struct lut_settings *s, enum lut_answer le, enum lut_answer lo) {
    if (le == LUT_HIT && lo != LUT_HIT)
        return false;
    if (le != LUT_HIT && lo == LUT_HIT)
        return true;
    if (le == LUT_UNDER && lo == LUT_UNDER)
        return s->under_first_lo;
    if (le == LUT_OVER && lo == LUT_OVER)
        return s->over_first_lo;
    return s->hybrid_first_lo;
}

static inline struct lut_result naive_lut(bool sdp, bool wide, const struct lut_settings *s,
                                          const struct lut_entries *entries, int64_t x) {
    struct naive_position position[LUT_TABLES];
    for (int t = 0; t < LUT_TABLES; t++)
        position[t] = naive_index(sdp, wide, s, (enum lut_table)t, x);
    enum lut_answer le = position[LUT_LE].answer, lo = position[LUT_LO].answer;
    bool take_lo = naive_selects_lo(s, le, lo);
    enum lut_table t = take_lo ? LUT_LO : LUT_LE;
    const int16_t *samples = take_lo ? entries->lo : entries->le;
    const struct lut_range *range = &s->range[t];
    struct lut_result result = {.selected = t, .answer = {le, lo}};
    int bits = sdp ? 32 : 16;
    if (position[t].answer == LUT_HIT) {
        wide_t y0 = samples[position[t].index], y1 = samples[position[t].index + 1], f = position[t].fraction;
        wide_t y = sdp ? naive_round(y0 * (naive_power(35) - f) + y1 * f, 35) : y0 + naive_round((y1 - y0) * f, 16);
        result.index = position[t].index;
        result.fraction = (uint64_t)f;
        result.value = (int32_t)naive_clamp(y, bits);
        return result;
    }
    wide_t d, y;
    struct lut_slope slope;
    if (position[t].answer == LUT_UNDER) {
        bool exponential = t == LUT_LE && !s->le_linear && s->le_index_offset >= 0;
        wide_t b = exponential && !(sdp && s->le_index_offset > 31)
                       ? naive_power(s->le_index_offset > 100 ? 100 : s->le_index_offset)
                       : 0;
        d = x - (sdp ? range->start + b : naive_wrap(range->start + b, 39));
        y = samples[0];
        slope = range->under;
    } else {
        result.index = take_lo ? 256 : 64;
        d = (wide_t)x - range->end;
        y = samples[result.index];
        slope = range->over;
    }
    wide_t c =
        slope.shift >= 0 ? naive_round(d * slope.scale, slope.shift) : d * slope.scale * naive_power(-slope.shift);
    if (sdp)
        c = naive_clamp(c, 32);
    result.value = (int32_t)naive_clamp(y + c, bits);
    return result;
}

/* Sections 4.2 and 7.3: index of one table. The difference is a number of 24 bits, so doubles are exact. */
static inline struct naive_position naive_index_fp16(bool sdp, const struct lut_settings *s, enum lut_table table,
                                                     uint32_t x) {
    uint32_t difference = fp32_sub(x, (uint32_t)s->range[table].start);
    float number;
    memcpy(&number, &difference, sizeof number);
    if (isnan(number) || !(number > 0))
        return (struct naive_position){LUT_UNDER, 0, 0};
    double one = ldexp(1, sdp ? 35 : 16), v, i;
    if (table == LUT_LE && !s->le_linear) {
        int exponent;
        v = 2 * frexp(number, &exponent);
        i = exponent - 1 - s->le_index_offset;
        v += i - 1;
    } else {
        v = ldexp(number, -s->range[table].select);
        i = floor(v);
    }
    if (i < 0 || i >= (table == LUT_LE ? 64 : 256))
        return (struct naive_position){i < 0 ? LUT_UNDER : LUT_OVER, 0, 0};
    return (struct naive_position){LUT_HIT, (int)i, (wide_t)floor((v - i) * one)};
}

/* 2^exponent, -126 to 127, as FP32; else as the registers of the unit make it. */
static inline uint32_t naive_distance(bool sdp, int exponent) {
    if (exponent == -128)
        return sdp ? 0x7f800000 : 0;
    return exponent == -127 ? 0 : (uint32_t)(exponent + 127) << 23;
}

static inline struct lut_result naive_lut_fp16(bool sdp, const struct lut_settings *s,
                                               const struct lut_entries *entries, uint32_t x) {
    struct naive_position le = naive_index_fp16(sdp, s, LUT_LE, x), lo = naive_index_fp16(sdp, s, LUT_LO, x);
    bool take_lo = naive_selects_lo(s, le.answer, lo.answer);
    enum lut_table t = take_lo ? LUT_LO : LUT_LE;
    struct naive_position position = take_lo ? lo : le;
    const uint16_t *samples = (const uint16_t *)(take_lo ? entries->lo : entries->le);
    const struct lut_range *range = &s->range[t];
    struct lut_result result = {.selected = t, .answer = {le.answer, lo.answer}};
    uint32_t y;
    if (position.answer == LUT_HIT) {
        result.index = position.index;
        result.fraction = (uint64_t)position.fraction;
        uint16_t y0 = samples[result.index], y1 = samples[result.index + 1];
        if (sdp) {
            uint64_t one = UINT64_C(1) << 35;
            uint32_t a1 = fp17_from_fraction(result.fraction, 35);
            uint32_t a0 = result.fraction == 0 ? 0x07c00 : fp17_from_fraction(one - result.fraction, 35);
            y = fp17_add(fp17_mul(a0, fp16_to_fp17(y0)), fp17_mul(a1, fp16_to_fp17(y1)));
        } else {
            uint32_t difference = fp32_to_fp17(fp32_sub(fp16_to_fp32(y1), fp16_to_fp32(y0)));
            y = fp17_add(fp17_mul(difference, fp17_from_fraction(result.fraction, 16)), fp16_to_fp17(y0));
        }
    } else {
        bool under = position.answer == LUT_UNDER;
        uint32_t from = (uint32_t)(under ? range->start : range->end);
        if (under && t == LUT_LE && !s->le_linear)
            from = fp32_add(from, naive_distance(sdp, s->le_index_offset));
        result.index = under ? 0 : take_lo ? 256 : 64;
        uint32_t d = fp32_to_fp17(fp32_sub(x, from));
        uint32_t c = fp17_mul(d, fp16_to_fp17((uint16_t)(under ? range->under : range->over).scale));
        uint32_t sample = fp16_to_fp17(samples[result.index]);
        y = sdp ? fp17_add(sample, c) : fp17_add(c, sample);
    }
    result.value = (int32_t)(sdp ? fp17_to_fp32(y) : y);
    return result;
}

#endif
