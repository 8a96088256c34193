/* Decodes the S_LUT_* registers. See lut_registers.h. */
#include "layers/lut_registers.h"

#include "nvdla/fixed.h"
#include "nvdla_offsets.h"

static int sign_extend(uint32_t value, int bits) {
    return (int)fixed_sign_extend(value, bits);
}

/* START and END of LE, then of LO; in CDP each is a pair of 32 and 6 bits. */
static int64_t bound(const struct registers_view *view, enum nvdla_unit unit, uint32_t n) {
    enum { CDP_BITS = 38 };
    if (unit != NVDLA_CDP)
        return (int32_t)view_value(view, unit, SDP_S_LUT_LE_START + 4 * n);
    const uint32_t low = CDP_S_LUT_LE_START_LOW + 8 * n;
    return fixed_sign_extend((int64_t)((uint64_t)view_value(view, unit, low + 4) << 32 | view_value(view, unit, low)),
                             CDP_BITS);
}

struct lut_settings lut_of(const struct registers_view *view, enum nvdla_unit unit) {
    const uint32_t cfg = view_value(view, unit, SDP_S_LUT_CFG), info = view_value(view, unit, SDP_S_LUT_INFO);
    const uint32_t slopes = unit == NVDLA_CDP ? CDP_S_LUT_LE_SLOPE_SCALE : SDP_S_LUT_LE_SLOPE_SCALE;
    struct lut_settings lut = {
        .le_linear = REGISTER_FIELD(cfg, SDP_S_LUT_CFG__LUT_LE_FUNCTION),
        .under_first_lo = REGISTER_FIELD(cfg, SDP_S_LUT_CFG__LUT_UFLOW_PRIORITY),
        .over_first_lo = REGISTER_FIELD(cfg, SDP_S_LUT_CFG__LUT_OFLOW_PRIORITY),
        .hybrid_first_lo = REGISTER_FIELD(cfg, SDP_S_LUT_CFG__LUT_HYBRID_PRIORITY),
        .le_index_offset = sign_extend(REGISTER_FIELD(info, SDP_S_LUT_INFO__LUT_LE_INDEX_OFFSET), 8),
    };
    lut.range[LUT_LE].select = sign_extend(REGISTER_FIELD(info, SDP_S_LUT_INFO__LUT_LE_INDEX_SELECT), 8);
    lut.range[LUT_LO].select = sign_extend(REGISTER_FIELD(info, SDP_S_LUT_INFO__LUT_LO_INDEX_SELECT), 8);
    for (uint32_t table = 0; table < LUT_TABLES; table++) {
        struct lut_range *range = &lut.range[table];
        const uint32_t scale = view_value(view, unit, slopes + 8 * table);
        const uint32_t shift = view_value(view, unit, slopes + 8 * table + 4);
        range->start = bound(view, unit, 2 * table);
        range->end = bound(view, unit, 2 * table + 1);
        /* LE and LO have the same layout. */
        range->under.scale = (int16_t)REGISTER_FIELD(scale, SDP_S_LUT_LE_SLOPE_SCALE__LUT_LE_SLOPE_UFLOW_SCALE);
        range->over.scale = (int16_t)REGISTER_FIELD(scale, SDP_S_LUT_LE_SLOPE_SCALE__LUT_LE_SLOPE_OFLOW_SCALE);
        range->under.shift = sign_extend(REGISTER_FIELD(shift, SDP_S_LUT_LE_SLOPE_SHIFT__LUT_LE_SLOPE_UFLOW_SHIFT), 5);
        range->over.shift = sign_extend(REGISTER_FIELD(shift, SDP_S_LUT_LE_SLOPE_SHIFT__LUT_LE_SLOPE_OFLOW_SHIFT), 5);
    }
    return lut;
}
