/* Table settings from the S_LUT_* registers of SDP and CDP. See lut_registers.h. */
#include "model/lut_registers.h"

#include "model/register_group.h"
#include "nvdla/fixed.h"
#include "nvdla_offsets.h"

static int sign_extend(uint32_t value, int bits) {
    return (int)fixed_sign_extend(value, bits);
}

struct lut_settings lut_registers_decode(const struct lut_registers *registers) {
    uint32_t cfg = registers->cfg, info = registers->info;
    struct lut_settings lut = {
        .le_linear = REGISTER_FIELD(cfg, SDP_S_LUT_CFG__LUT_LE_FUNCTION),
        .under_first_lo = REGISTER_FIELD(cfg, SDP_S_LUT_CFG__LUT_UFLOW_PRIORITY),
        .over_first_lo = REGISTER_FIELD(cfg, SDP_S_LUT_CFG__LUT_OFLOW_PRIORITY),
        .hybrid_first_lo = REGISTER_FIELD(cfg, SDP_S_LUT_CFG__LUT_HYBRID_PRIORITY),
        .le_index_offset = sign_extend(REGISTER_FIELD(info, SDP_S_LUT_INFO__LUT_LE_INDEX_OFFSET), 8),
    };
    lut.range[LUT_LE].select = sign_extend(REGISTER_FIELD(info, SDP_S_LUT_INFO__LUT_LE_INDEX_SELECT), 8);
    lut.range[LUT_LO].select = sign_extend(REGISTER_FIELD(info, SDP_S_LUT_INFO__LUT_LO_INDEX_SELECT), 8);
    for (int table = 0; table < LUT_TABLES; table++) {
        struct lut_range *range = &lut.range[table];
        uint32_t scale = registers->slope_scale[table], shift = registers->slope_shift[table];
        range->start = registers->start[table];
        range->end = registers->end[table];
        /* LE and LO have the same layout. */
        range->under.scale = (int16_t)REGISTER_FIELD(scale, SDP_S_LUT_LE_SLOPE_SCALE__LUT_LE_SLOPE_UFLOW_SCALE);
        range->over.scale = (int16_t)REGISTER_FIELD(scale, SDP_S_LUT_LE_SLOPE_SCALE__LUT_LE_SLOPE_OFLOW_SCALE);
        range->under.shift = sign_extend(REGISTER_FIELD(shift, SDP_S_LUT_LE_SLOPE_SHIFT__LUT_LE_SLOPE_UFLOW_SHIFT), 5);
        range->over.shift = sign_extend(REGISTER_FIELD(shift, SDP_S_LUT_LE_SLOPE_SHIFT__LUT_LE_SLOPE_OFLOW_SHIFT), 5);
    }
    return lut;
}
