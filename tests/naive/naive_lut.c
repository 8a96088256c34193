/* The two-table look-up of chapter 55, written out step by step. The unit tests compare the library's with it. */
#include "tests/naive/naive_lut.h"

#include "tests/naive/naive_fp.h"

enum { LE, LO };
enum { UNDER, OVER };

static const int steps[2] = {64, 256}; /* index of the last entry */

static uint16_t entry(const struct naive_lut *lut, int table, int64_t index) {
    return table == LE ? lut->tables->le[index] : lut->tables->lo[index];
}

static int table_chosen(const struct naive_lut *lut, const enum naive_answer answers[2]) {
    if ((answers[LE] == NAIVE_HIT) != (answers[LO] == NAIVE_HIT))
        return answers[LE] == NAIVE_HIT ? LE : LO;
    if (answers[LE] == NAIVE_UNDER && answers[LO] == NAIVE_UNDER)
        return lut->under_priority;
    if (answers[LE] == NAIVE_OVER && answers[LO] == NAIVE_OVER)
        return lut->over_priority;
    return lut->hybrid_priority;
}

/* Where a value lies in a table: answer, and for a hit the entry below and the fraction in units of 2^-fraction_bits.
 */
struct place {
    enum naive_answer answer;
    int64_t index;
    uint64_t fraction;
};

/* The place that answers, into the result too. */
static const struct place *choose(const struct naive_lut *lut, struct naive_lookup *result,
                                  const struct place places[2]) {
    for (int t = LE; t <= LO; t++)
        result->answers[t] = places[t].answer;
    const int t = result->table = table_chosen(lut, result->answers);
    const enum naive_answer answer = places[t].answer;
    result->index = answer == NAIVE_HIT ? places[t].index : answer == NAIVE_UNDER ? 0 : steps[t];
    result->fraction = answer == NAIVE_HIT ? places[t].fraction : 0;
    return &places[t];
}

static int log2_floor(uint64_t v) {
    int p = -1;
    for (; v; v >>= 1)
        p++;
    return p;
}

/* u > 0: distance from START; exponential index of chapter 55 sections 4.1 and 7.2. */
static struct place place_exponential(const struct naive_lut *lut, uint64_t u, int fraction_bits) {
    const int p = log2_floor(u), i = p - lut->le_offset;
    struct place place = {.answer = i < 0 ? NAIVE_UNDER : i >= 64 ? NAIVE_OVER : NAIVE_HIT, .index = i};
    place.fraction = (uint64_t)((((unsigned __int128)u - ((unsigned __int128)1 << p)) << fraction_bits) >> p);
    return place;
}

static struct place place_linear(uint64_t u, int table, int select, int fraction_bits) {
    struct place place = {NAIVE_HIT, 0, 0};
    if (select >= 0) {
        place.index = select > 63 ? 0 : (int64_t)(u >> select);
        const uint64_t rest = select > 63 ? u : u & ((UINT64_C(1) << select) - 1);
        place.fraction = select > 120 ? 0 : (uint64_t)(((unsigned __int128)rest << fraction_bits) >> select);
        if (place.index >= steps[table])
            place.answer = NAIVE_OVER;
        return place;
    }
    if (-select >= 20 || u << -select >> -select != u || u << -select >= (uint64_t)steps[table])
        place.answer = NAIVE_OVER;
    else
        place.index = (int64_t)(u << -select);
    return place;
}

/* An FP32 distance f from START (chapter 55 sections 4.2 and 7.3). */
static struct place place_fp16(const struct naive_lut *lut, int table, uint32_t f, int fraction_bits) {
    struct place place = {NAIVE_UNDER, 0, 0};
    if (naive_is_nan(&naive_fp32, f) || f >> 31 || f == 0)
        return place;
    const int e = (int)(f >> 23) - 127;
    const uint64_t mantissa = f & 0x7fffff, significand = 1u << 23 | mantissa;
    place.answer = NAIVE_HIT;
    if (table == LE && !lut->le_linear) {
        const int i = e - lut->le_offset;
        place.answer = i < 0 ? NAIVE_UNDER : i >= 64 ? NAIVE_OVER : NAIVE_HIT;
        place.index = i;
        place.fraction = fraction_bits >= 23 ? mantissa << (fraction_bits - 23) : mantissa >> (23 - fraction_bits);
        return place;
    }
    const int right = 23 - e + lut->select[table]; /* v = significand / 2^right */
    if (right <= 0) {
        place.index = -right > 30 ? INT64_MAX : (int64_t)(significand << -right);
    } else if (right < 64) {
        place.index = (int64_t)(significand >> right);
        const uint64_t rest = significand & ((UINT64_C(1) << right) - 1);
        place.fraction = (uint64_t)(((unsigned __int128)rest << fraction_bits) >> right);
    }
    if (place.index >= steps[table])
        place.answer = NAIVE_OVER;
    return place;
}

/* ---- SDP --------------------------------------------------------------------------------------------------------- */

/* d * scale / 2^shift, a negative shift multiplies. */
static wide slope(wide d, uint32_t scale, int shift) {
    const wide product = d * (int16_t)scale;
    return shift >= 0 ? naive_round_shift(product, shift) : product * ((wide)1 << -shift);
}

struct naive_lookup naive_look_up_sdp_integer(const struct naive_lut *lut, int32_t x) {
    struct naive_lookup result = {0};
    struct place places[2];
    for (int t = LE; t <= LO; t++) {
        places[t] = (struct place){NAIVE_UNDER, 0, 0};
        if (x > lut->start[t]) {
            const uint64_t u = (uint64_t)(x - lut->start[t]);
            if (t == LE && !lut->le_linear) {
                places[t] = place_exponential(lut, u, 35);
            } else {
                places[t] = place_linear(u, t, lut->select[t], 35);
                result.unsupported |= t == LE && lut->select[t] >= 32 && u >> 31 != 0;
            }
        }
    }
    const struct place *place = choose(lut, &result, places);
    const int t = result.table;
    if (place->answer == NAIVE_HIT) {
        const wide y0 = (int16_t)entry(lut, t, place->index), y1 = (int16_t)entry(lut, t, place->index + 1);
        const wide fraction = (wide)place->fraction;
        result.value =
            (int64_t)naive_saturate(naive_round_shift(y0 * (((wide)1 << 35) - fraction) + y1 * fraction, 35), 32);
        return result;
    }
    const int which = place->answer == NAIVE_UNDER ? UNDER : OVER;
    wide d = (wide)x - lut->end[t];
    if (which == UNDER) {
        const bool jump = t == LE && !lut->le_linear && lut->le_offset >= 0 && lut->le_offset <= 31;
        d = (wide)x - lut->start[t] - (jump ? (wide)1 << lut->le_offset : 0);
    }
    const wide c = naive_saturate(slope(d, lut->scale[t][which], lut->shift[t][which]), 32);
    result.value = (int64_t)naive_saturate((int16_t)entry(lut, t, which == UNDER ? 0 : steps[t]) + c, 32);
    return result;
}

struct naive_lookup naive_look_up_sdp_fp16(const struct naive_lut *lut, uint32_t x) {
    struct naive_lookup result = {0};
    struct place places[2];
    for (int t = LE; t <= LO; t++)
        places[t] = place_fp16(lut, t, naive_sub(&naive_fp32, x, (uint32_t)lut->start[t]), 35);

    const struct place *place = choose(lut, &result, places);
    const int t = result.table;
    const struct naive_format *f = &naive_fp17;
    if (place->answer == NAIVE_HIT) {
        const uint32_t a1 = naive_fraction17(place->fraction, 35);
        const uint32_t a0 = naive_fraction17((UINT64_C(1) << 35) - place->fraction, 35);
        const uint32_t y0 = naive_from_fp16(f, entry(lut, t, place->index));
        const uint32_t y1 = naive_from_fp16(f, entry(lut, t, place->index + 1));
        result.value = naive_fp17_to_fp32(naive_add(f, naive_mul(f, a0, y0), naive_mul(f, a1, y1)));
        return result;
    }
    const int which = place->answer == NAIVE_UNDER ? UNDER : OVER;
    uint32_t from = (uint32_t)(which == UNDER ? lut->start[t] : lut->end[t]);
    if (which == UNDER && t == LE && !lut->le_linear)
        from = naive_add(&naive_fp32, from, (uint32_t)((lut->le_offset + 127) & 255) << 23);
    const uint32_t d = naive_fp32_to_fp17(naive_sub(&naive_fp32, x, from));
    const uint32_t y = naive_from_fp16(f, entry(lut, t, which == UNDER ? 0 : steps[t]));
    const uint32_t rise = naive_mul(f, d, naive_from_fp16(f, lut->scale[t][which]));
    result.value = naive_fp17_to_fp32(naive_add(f, y, rise));
    return result;
}

/* ---- CDP --------------------------------------------------------------------------------------------------------- */

struct naive_lookup naive_look_up_cdp_integer(const struct naive_lut *lut, int64_t q, enum nvdla_precision precision,
                                              bool full) {
    struct naive_lookup result = {0};
    struct place places[2];
    const int width = precision == NVDLA_INT8 ? 22 : 38, select_bits = precision == NVDLA_INT8 ? 6 : 7;
    for (int t = LE; t <= LO; t++) {
        const int64_t start = naive_sign_extend((uint64_t)lut->start[t], width);
        const int select = (int)naive_sign_extend((uint64_t)lut->select[t], select_bits);
        const bool logarithmic = t == LE && !lut->le_linear;
        result.unsupported |= full && start != lut->start[t];
        places[t] = (struct place){NAIVE_UNDER, 0, 0};
        if (q > start) {
            const uint64_t u = (uint64_t)(q - start);
            if (logarithmic) {
                places[t] = place_exponential(lut, u, 16);
            } else if (select == -(1 << (select_bits - 1))) {
                /* Measured on small only: LE shifts everything out, LO does not shift (chapter 98 section 8). */
                result.unsupported |= full;
                places[t] = t == LE ? (struct place){NAIVE_OVER, 0, 0} : place_linear(u, t, 0, 16);
            } else {
                places[t] = place_linear(u, t, select, 16);
            }
        }
    }
    const struct place *place = choose(lut, &result, places);
    const int t = result.table;
    if (place->answer == NAIVE_HIT) {
        const wide y0 = (int16_t)entry(lut, t, place->index), y1 = (int16_t)entry(lut, t, place->index + 1);
        result.value = (int64_t)naive_saturate(y0 + naive_round_shift((y1 - y0) * (wide)place->fraction, 16), 16);
        return result;
    }
    const int which = place->answer == NAIVE_UNDER ? UNDER : OVER;
    int64_t from = lut->end[t];
    if (which == UNDER) {
        const bool jump = t == LE && !lut->le_linear && lut->le_offset >= 0 && lut->le_offset < 39;
        from = naive_sign_extend((uint64_t)lut->start[t] + (jump ? UINT64_C(1) << lut->le_offset : 0), 39);
    }
    const wide c = slope((wide)q - from, lut->scale[t][which], lut->shift[t][which]);
    result.value = (int64_t)naive_saturate((int16_t)entry(lut, t, which == UNDER ? 0 : steps[t]) + c, 16);
    return result;
}

struct naive_lookup naive_look_up_cdp_fp16(const struct naive_lut *lut, uint32_t q) {
    struct naive_lookup result = {0};
    struct place places[2];
    for (int t = LE; t <= LO; t++)
        places[t] = place_fp16(lut, t, naive_sub(&naive_fp32, q, (uint32_t)lut->start[t]), 16);

    const struct place *place = choose(lut, &result, places);
    const int t = result.table;
    const struct naive_format *f = &naive_fp17, *single = &naive_fp32;
    if (place->answer == NAIVE_HIT) {
        const uint16_t y0 = entry(lut, t, place->index), y1 = entry(lut, t, place->index + 1);
        const uint32_t rise =
            naive_fp32_to_fp17(naive_sub(single, naive_from_fp16(single, y1), naive_from_fp16(single, y0)));
        result.value = naive_add(f, naive_mul(f, rise, naive_fraction17(place->fraction, 16)), naive_from_fp16(f, y0));
        return result;
    }
    const int which = place->answer == NAIVE_UNDER ? UNDER : OVER;
    uint32_t from = (uint32_t)(which == UNDER ? lut->start[t] : lut->end[t]);
    if (which == UNDER && t == LE && !lut->le_linear)
        from = naive_add(single, from, lut->le_offset <= -127 ? 0 : (uint32_t)(lut->le_offset + 127) << 23);
    const uint32_t d = naive_fp32_to_fp17(naive_sub(single, q, from));
    const uint32_t y = naive_from_fp16(f, entry(lut, t, which == UNDER ? 0 : steps[t]));
    result.value = naive_add(f, naive_mul(f, d, naive_from_fp16(f, lut->scale[t][which])), y);
    return result;
}
