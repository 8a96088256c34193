/* Decodes the S_LUT_* registers, which have the same fields in SDP and CDP. See lut_registers.h. */
#include "layers/lut_registers.h"

#include "nvdla/fixed.h"

/* Register values; those of the tables in the order LE, LO. */
struct lut_registers {
    uint32_t cfg, info;
    uint32_t slope_scale[LUT_TABLES], slope_shift[LUT_TABLES];
    int64_t start[LUT_TABLES], end[LUT_TABLES]; /* sign-extended */
};

static int sign_extend(uint32_t value, int bits) {
    return (int)fixed_sign_extend(value, bits);
}

static struct lut_settings decode(const struct lut_registers *registers) {
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

struct lut_settings lut_of_sdp(const struct registers_view *view) {
    const struct lut_registers registers = {
        .cfg = VALUE(view, SDP, S_LUT_CFG),
        .info = VALUE(view, SDP, S_LUT_INFO),
        .slope_scale = {VALUE(view, SDP, S_LUT_LE_SLOPE_SCALE), VALUE(view, SDP, S_LUT_LO_SLOPE_SCALE)},
        .slope_shift = {VALUE(view, SDP, S_LUT_LE_SLOPE_SHIFT), VALUE(view, SDP, S_LUT_LO_SLOPE_SHIFT)},
        .start = {(int32_t)VALUE(view, SDP, S_LUT_LE_START), (int32_t)VALUE(view, SDP, S_LUT_LO_START)},
        .end = {(int32_t)VALUE(view, SDP, S_LUT_LE_END), (int32_t)VALUE(view, SDP, S_LUT_LO_END)},
    };
    return decode(&registers);
}

/* A pair of 32 and 6 bits. */
static int64_t wide(const struct registers_view *view, uint32_t low, uint32_t high) {
    enum { CDP_BITS = 38 };
    uint64_t value = (uint64_t)view_value(view, NVDLA_CDP, high) << 32 | view_value(view, NVDLA_CDP, low);
    return fixed_sign_extend((int64_t)value, CDP_BITS);
}

struct lut_settings lut_of_cdp(const struct registers_view *view) {
    const struct lut_registers registers = {
        .cfg = VALUE(view, CDP, S_LUT_CFG),
        .info = VALUE(view, CDP, S_LUT_INFO),
        .slope_scale = {VALUE(view, CDP, S_LUT_LE_SLOPE_SCALE), VALUE(view, CDP, S_LUT_LO_SLOPE_SCALE)},
        .slope_shift = {VALUE(view, CDP, S_LUT_LE_SLOPE_SHIFT), VALUE(view, CDP, S_LUT_LO_SLOPE_SHIFT)},
        .start = {wide(view, CDP_S_LUT_LE_START_LOW, CDP_S_LUT_LE_START_HIGH),
                  wide(view, CDP_S_LUT_LO_START_LOW, CDP_S_LUT_LO_START_HIGH)},
        .end = {wide(view, CDP_S_LUT_LE_END_LOW, CDP_S_LUT_LE_END_HIGH),
                wide(view, CDP_S_LUT_LO_END_LOW, CDP_S_LUT_LO_END_HIGH)},
    };
    return decode(&registers);
}
