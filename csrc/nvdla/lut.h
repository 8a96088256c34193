/* The two-table look-up of SDP (stage EW) and CDP: a piecewise linear function.
 *
 * Every input is looked up in two tables at once: LE, 65 samples with a linear or a logarithmic ("exponential") index,
 * and LO, 257 samples with a linear index. Each table answers hit, underflow or overflow; priorities select one of the
 * two answers. A hit is interpolated between neighbouring samples; underflow and overflow are extrapolated with a slope
 * from the first or last sample. The units differ in widths and in the interpolation formula: struct lut_arithmetic.
 * Spec: 55-lut sections 1 to 7. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lut_table { LUT_LE, LUT_LO, LUT_TABLES };

enum { LUT_LE_ENTRIES = 65, LUT_LO_ENTRIES = 257 };

/* The samples, integers or patterns of FP16; undefined after reset in hardware. */
struct lut_entries {
    int16_t le[LUT_LE_ENTRIES];
    int16_t lo[LUT_LO_ENTRIES];
};

struct lut_slope {
    int16_t scale;
    int shift; /* -16..15: right shift if positive, otherwise left */
};

/* Where a table is on the input axis. */
struct lut_range {
    int64_t start; /* signed 32 (SDP) or 38 bits (CDP); inputs up to START underflow. FP16: FP32 pattern */
    int64_t end;   /* same width; only where the overflow slope starts */
    int select;    /* -128..127: log2 of the step, linear index; only the low select_bits count */
    struct lut_slope under, over;
};

/* The S_LUT_* registers, except the access port. */
struct lut_settings {
    bool le_linear;                     /* otherwise exponential */
    bool under_first_lo, over_first_lo; /* UFLOW and OFLOW priority: LO answers when both under- or overflow */
    bool hybrid_first_lo;               /* HYBRID priority: LO answers in all other ties */
    int le_index_offset;                /* -128..127: log2 of the distance from START to entry 0 of LE */
    struct lut_range range[LUT_TABLES];
};

/* How the units' tables differ. Spec: 55-lut sections 4, 5, 7 and 7.4. */
struct lut_arithmetic {
    int compare_bits;  /* low bits of START, signed, that the index uses; slopes use all bits */
    int select_bits;   /* low bits of INDEX_SELECT, signed */
    int lo_shift_mask; /* applied to the left shift of the LO index (a negative SELECT) */
    int fraction_bits; /* of the position between two samples */
    int offset_end;    /* the underflow line of LE exponential starts at START + 2^OFFSET if OFFSET is below this */
    bool weighted;     /* interpolates y0*(1-f) + y1*f with one rounding, otherwise y0 + round((y1-y0)*f) */
    int slope_bits;    /* the slope's term saturates to these bits before the addition; 0: exact */
    int result_bits;
};

/* CDP, INT8: inputs are the square sum (0 .. 2^21-1) or, bypassed, a signed 9-bit element. One index unit per element,
 * as in all INT8-only configurations; in `full` two elements share one, so a START of more than 22 bits is undefined
 * there. Results have 16 bits. */
extern const struct lut_arithmetic lut_cdp_int8;

/* CDP, INT16: inputs of 37 bits, results of 16. SELECT = -64 is undefined. */
extern const struct lut_arithmetic lut_cdp_int16;

/* SDP, INT8 and INT16 alike: inputs and results of 32 bits. SELECT above 31 is undefined. */
extern const struct lut_arithmetic lut_sdp;

enum lut_answer { LUT_UNDER, LUT_HIT, LUT_OVER };

struct lut_result {
    int32_t value; /* of result_bits; a pattern in layers of FP16 */
    enum lut_table selected;
    enum lut_answer answer[LUT_TABLES]; /* of each table, selected or not */
    int index;                          /* of the selected answer: first sample of a hit; 0 or the last one otherwise */
    uint64_t fraction;                  /* of the selected answer, in units of 2^-fraction_bits; 0 unless it is a hit */
};

/* Looks up x, whose width is given with the arithmetic above. */
struct lut_result lut_look_up(const struct lut_arithmetic *arithmetic, const struct lut_settings *settings,
                              const struct lut_entries *entries, int64_t x);

/* Looks up x in an FP16 layer. The entries and the slopes' scales are FP16 patterns; START and END are FP32 patterns in
 * the low 32 bits; all bits of SELECT count, the slopes' shifts do not. x is an FP32 pattern; a NaN gives a NaN with
 * its low ten bits. The result's value is a pattern: FP32 of SDP, FP17 of CDP; its fraction has 35 and 16 bits. The two
 * units interpolate and extrapolate in different orders.
 *
 * Spec: 55-lut sections 4.2 and 6 (SDP), 7.3 (CDP). */
struct lut_result lut_look_up_sdp_fp16(const struct lut_settings *settings, const struct lut_entries *entries,
                                       uint32_t x);
struct lut_result lut_look_up_cdp_fp16(const struct lut_settings *settings, const struct lut_entries *entries,
                                       uint32_t x);

/* The same for many inputs, of SDP or CDP. */
void lut_look_up_fp16(const struct lut_settings *settings, const struct lut_entries *entries, bool sdp,
                      const uint32_t *x, struct lut_result *results, size_t count);

/* How both tables answered an input, as reported by CDP: LUT_FLAG_BITS signed bits. No flag: hybrid. */
enum { LUT_FLAG_BITS = 4 };
enum lut_flags { LUT_BOTH_UNDER = 1, LUT_BOTH_OVER = 2, LUT_LE_ONLY = 4, LUT_LO_ONLY = -8 };

/* The one that holds, or 0. */
int lut_flags(const struct lut_result *result);

/* CDP's five counters of inputs, by the answers of the tables; their sum is the number of inputs. Spec: 62-cdp section
 * 9. */
struct lut_counters {
    uint64_t underflow, overflow; /* both tables under, both over */
    uint64_t le_hit, lo_hit;      /* this table hits, the other does not */
    uint64_t hybrid;              /* the rest: both hit, or one underflows and the other overflows */
};

void lut_count(struct lut_counters *counters, const struct lut_result *result);

/* lut_look_up() and lut_look_up_cdp_fp16() for x[0 .. count-1], results in y, counted. */
void lut_apply(const struct lut_arithmetic *arithmetic, const struct lut_settings *settings,
               const struct lut_entries *entries, const int64_t *x, int32_t *y, size_t count,
               struct lut_counters *counters);
void lut_apply_cdp_fp16(const struct lut_settings *settings, const struct lut_entries *entries, const uint32_t *x,
                        uint32_t *y, size_t count, struct lut_counters *counters);
