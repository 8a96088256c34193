/* The look-up of the second reading of the chapters (tests/naive), with the types of the library's. */
#ifndef TESTS_UNIT_SECOND_LUT_H
#define TESTS_UNIT_SECOND_LUT_H

#include <string.h>

#include "nvdla/lut.h"
#include "tests/naive/naive_lut.h"

/* precision: that of CDP; of SDP, FP16 or not. */
static inline struct lut_result second_lut(bool sdp, enum nvdla_precision precision, const struct lut_settings *s,
                                           const struct lut_entries *entries, int64_t x) {
    static const enum lut_answer answers[] = {LUT_HIT, LUT_UNDER, LUT_OVER}; /* of enum naive_answer */
    struct naive_tables tables;
    memcpy(tables.le, entries->le, sizeof tables.le);
    memcpy(tables.lo, entries->lo, sizeof tables.lo);
    struct naive_lut lut = {.tables = &tables,
                            .le_linear = s->le_linear,
                            .under_priority = s->under_first_lo,
                            .over_priority = s->over_first_lo,
                            .hybrid_priority = s->hybrid_first_lo,
                            .le_offset = s->le_index_offset};
    for (int t = 0; t < LUT_TABLES; t++) {
        const struct lut_slope slopes[2] = {s->range[t].under, s->range[t].over};
        lut.select[t] = s->range[t].select;
        lut.start[t] = s->range[t].start;
        lut.end[t] = s->range[t].end;
        for (int i = 0; i < 2; i++) {
            lut.scale[t][i] = (uint16_t)slopes[i].scale;
            lut.shift[t][i] = slopes[i].shift;
        }
    }
    const bool fp16 = precision == NVDLA_FP16;
    const struct naive_lookup found =
        sdp    ? fp16 ? naive_look_up_sdp_fp16(&lut, (uint32_t)x) : naive_look_up_sdp_integer(&lut, (int32_t)x)
           : fp16 ? naive_look_up_cdp_fp16(&lut, (uint32_t)x)
               : naive_look_up_cdp_integer(&lut, x, precision, false);
    return (struct lut_result){(int32_t)found.value,
                               (enum lut_table)found.table,
                               {answers[found.answers[0]], answers[found.answers[1]]},
                               (int)found.index,
                               found.fraction};
}

#endif
