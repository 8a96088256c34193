/* The settings of the look-ups of SDP and CDP, as their registers have them. */
#include "naive_lut.h"

#include "naive_fp.h"

#define WORD(UNIT, NAME) naive_register(m, NVDLA_##UNIT, UNIT##_S_LUT_##NAME)
#define FIELD(UNIT, REGISTER, NAME) NAIVE_FIELD(m, UNIT, S_LUT_##REGISTER, LUT_##NAME)
#define SCALES(WORD) {(WORD) & 0xffff, (WORD) >> 16} /* below the first entry, beyond the last one */
#define SHIFTS(WORD) {(int)naive_sign_extend(WORD, 5), (int)naive_sign_extend((WORD) >> 5, 5)}

/* The registers that both units have: those of LE, then those of LO. */
#define LUT(UNIT, TABLES)                                                                                              \
    .tables = &m->TABLES, .le_linear = FIELD(UNIT, CFG, LE_FUNCTION),                                                  \
    .under_priority = FIELD(UNIT, CFG, UFLOW_PRIORITY), .over_priority = FIELD(UNIT, CFG, OFLOW_PRIORITY),             \
    .hybrid_priority = FIELD(UNIT, CFG, HYBRID_PRIORITY), .le_offset = (int8_t)FIELD(UNIT, INFO, LE_INDEX_OFFSET),     \
    .select = {(int8_t)FIELD(UNIT, INFO, LE_INDEX_SELECT), (int8_t)FIELD(UNIT, INFO, LO_INDEX_SELECT)},                \
    .scale = {SCALES(WORD(UNIT, LE_SLOPE_SCALE)), SCALES(WORD(UNIT, LO_SLOPE_SCALE))},                                 \
    .shift = {SHIFTS(WORD(UNIT, LE_SLOPE_SHIFT)), SHIFTS(WORD(UNIT, LO_SLOPE_SHIFT))}

struct naive_lut naive_lut_sdp(const struct naive *m) {
    return (struct naive_lut){
        LUT(SDP, sdp_tables),
        .start = {(int32_t)WORD(SDP, LE_START), (int32_t)WORD(SDP, LO_START)},
        .end = {(int32_t)WORD(SDP, LE_END), (int32_t)WORD(SDP, LO_END)},
    };
}

#define PAIR38(NAME) naive_sign_extend((uint64_t)WORD(CDP, NAME##_HIGH) << 32 | WORD(CDP, NAME##_LOW), 38)

struct naive_lut naive_lut_cdp(const struct naive *m) {
    return (struct naive_lut){
        LUT(CDP, cdp_tables),
        .start = {PAIR38(LE_START), PAIR38(LO_START)},
        .end = {PAIR38(LE_END), PAIR38(LO_END)},
    };
}
