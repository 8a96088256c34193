/* The two-table look-up written a second time, digit by digit from 55-lut: slow, in 128 bits, without any of the
 * library's helpers. The tests of the library compare with it. */
#ifndef TESTS_NAIVE_LUT_H
#define TESTS_NAIVE_LUT_H

#include "nvdla/lut.h"

__extension__ typedef __int128 wide_t;

static inline wide_t naive_power(int exponent) {
    wide_t power = 1;
    for (int i = 0; i < exponent; i++) {
        power *= 2;
    }
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
    if (x <= start) {
        return (struct naive_position){LUT_UNDER, 0, 0};
    }
    wide_t u = x - start;
    if (table == LUT_LE && !s->le_linear) {
        int p = 0;
        while (naive_power(p + 1) <= u) {
            p++;
        }
        int i = p - s->le_index_offset;
        if (i < 0 || i >= 64) {
            return (struct naive_position){i < 0 ? LUT_UNDER : LUT_OVER, 0, 0};
        }
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
    if (i >= entries) {
        return (struct naive_position){LUT_OVER, 0, 0};
    }
    position.index = (int)i;
    return position;
}

static inline struct lut_result naive_lut(bool sdp, bool wide, const struct lut_settings *s,
                                          const struct lut_entries *entries, int64_t x) {
    struct naive_position position[LUT_TABLES];
    for (int t = 0; t < LUT_TABLES; t++) {
        position[t] = naive_index(sdp, wide, s, (enum lut_table)t, x);
    }
    enum lut_answer le = position[LUT_LE].answer, lo = position[LUT_LO].answer;
    bool take_lo;
    if (le == LUT_HIT && lo != LUT_HIT) {
        take_lo = false;
    } else if (le != LUT_HIT && lo == LUT_HIT) {
        take_lo = true;
    } else if (le == LUT_UNDER && lo == LUT_UNDER) {
        take_lo = s->under_first_lo;
    } else if (le == LUT_OVER && lo == LUT_OVER) {
        take_lo = s->over_first_lo;
    } else {
        take_lo = s->hybrid_first_lo;
    }
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
    if (sdp) {
        c = naive_clamp(c, 32);
    }
    result.value = (int32_t)naive_clamp(y + c, bits);
    return result;
}

#endif
