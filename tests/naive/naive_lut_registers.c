/* The settings of the look-ups of SDP and CDP, as their registers have them. */
#include "naive_lut.h"

#include "naive_fp.h"

enum { LE, LO };
enum { UNDER, OVER };

static uint32_t last_scale(uint32_t word, int which) {
    return which == UNDER ? word & 0xffff : word >> 16;
}

static int last_shift(uint32_t word, int which) {
    return (int)naive_sign_extend(which == UNDER ? word : word >> 5, 5);
}

struct naive_lut naive_lut_sdp(const struct naive *m) {
    struct naive_lut lut = {
        .tables = &m->sdp_tables,
        .le_linear = NAIVE_FIELD(m, SDP, S_LUT_CFG, LUT_LE_FUNCTION),
        .under_priority = NAIVE_FIELD(m, SDP, S_LUT_CFG, LUT_UFLOW_PRIORITY),
        .over_priority = NAIVE_FIELD(m, SDP, S_LUT_CFG, LUT_OFLOW_PRIORITY),
        .hybrid_priority = NAIVE_FIELD(m, SDP, S_LUT_CFG, LUT_HYBRID_PRIORITY),
        .le_offset = (int8_t)NAIVE_FIELD(m, SDP, S_LUT_INFO, LUT_LE_INDEX_OFFSET),
        .select = {(int8_t)NAIVE_FIELD(m, SDP, S_LUT_INFO, LUT_LE_INDEX_SELECT),
                   (int8_t)NAIVE_FIELD(m, SDP, S_LUT_INFO, LUT_LO_INDEX_SELECT)},
        .start = {(int32_t)naive_register(m, NVDLA_SDP, SDP_S_LUT_LE_START),
                  (int32_t)naive_register(m, NVDLA_SDP, SDP_S_LUT_LO_START)},
        .end = {(int32_t)naive_register(m, NVDLA_SDP, SDP_S_LUT_LE_END),
                (int32_t)naive_register(m, NVDLA_SDP, SDP_S_LUT_LO_END)},
    };
    for (int which = UNDER; which <= OVER; which++) {
        lut.scale[LE][which] = last_scale(naive_register(m, NVDLA_SDP, SDP_S_LUT_LE_SLOPE_SCALE), which);
        lut.scale[LO][which] = last_scale(naive_register(m, NVDLA_SDP, SDP_S_LUT_LO_SLOPE_SCALE), which);
        lut.shift[LE][which] = last_shift(naive_register(m, NVDLA_SDP, SDP_S_LUT_LE_SLOPE_SHIFT), which);
        lut.shift[LO][which] = last_shift(naive_register(m, NVDLA_SDP, SDP_S_LUT_LO_SLOPE_SHIFT), which);
    }
    return lut;
}

static int64_t pair38(const struct naive *m, uint32_t low, uint32_t high) {
    return naive_sign_extend((uint64_t)naive_register(m, NVDLA_CDP, high) << 32 | naive_register(m, NVDLA_CDP, low),
                             38);
}

struct naive_lut naive_lut_cdp(const struct naive *m) {
    struct naive_lut lut = {
        .tables = &m->cdp_tables,
        .le_linear = NAIVE_FIELD(m, CDP, S_LUT_CFG, LUT_LE_FUNCTION),
        .under_priority = NAIVE_FIELD(m, CDP, S_LUT_CFG, LUT_UFLOW_PRIORITY),
        .over_priority = NAIVE_FIELD(m, CDP, S_LUT_CFG, LUT_OFLOW_PRIORITY),
        .hybrid_priority = NAIVE_FIELD(m, CDP, S_LUT_CFG, LUT_HYBRID_PRIORITY),
        .le_offset = (int8_t)NAIVE_FIELD(m, CDP, S_LUT_INFO, LUT_LE_INDEX_OFFSET),
        .select = {(int8_t)NAIVE_FIELD(m, CDP, S_LUT_INFO, LUT_LE_INDEX_SELECT),
                   (int8_t)NAIVE_FIELD(m, CDP, S_LUT_INFO, LUT_LO_INDEX_SELECT)},
        .start = {pair38(m, CDP_S_LUT_LE_START_LOW, CDP_S_LUT_LE_START_HIGH),
                  pair38(m, CDP_S_LUT_LO_START_LOW, CDP_S_LUT_LO_START_HIGH)},
        .end = {pair38(m, CDP_S_LUT_LE_END_LOW, CDP_S_LUT_LE_END_HIGH),
                pair38(m, CDP_S_LUT_LO_END_LOW, CDP_S_LUT_LO_END_HIGH)},
    };
    for (int which = UNDER; which <= OVER; which++) {
        lut.scale[LE][which] = last_scale(naive_register(m, NVDLA_CDP, CDP_S_LUT_LE_SLOPE_SCALE), which);
        lut.scale[LO][which] = last_scale(naive_register(m, NVDLA_CDP, CDP_S_LUT_LO_SLOPE_SCALE), which);
        lut.shift[LE][which] = last_shift(naive_register(m, NVDLA_CDP, CDP_S_LUT_LE_SLOPE_SHIFT), which);
        lut.shift[LO][which] = last_shift(naive_register(m, NVDLA_CDP, CDP_S_LUT_LO_SLOPE_SHIFT), which);
    }
    return lut;
}
