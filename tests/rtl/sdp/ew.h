// The EW stage in the bench of SDP: how its settings, operands and table are drawn, and the registers that they mean.
#pragma once
#include <vector>

#include "common/bench.h"
#include "common/csb.h"

extern "C" {
#include "model/sdp_stage.h"
#include "model/sdp_table.h"
#include "nvdla/config.h"
#include "nvdla/lut.h"
#include "nvdla_offsets.h"
}

inline const bool has_ew = nvdla_has(config, FEATURE_EW);

// What EW has beside the settings of a stage.
struct Ew {
    bool look_up = false, count = false; // the table; PERF_LUT_EN
    sdp_table_counters answers{};        // expected
};

// The table, which all layers of a session share.
struct EwTable {
    lut_settings settings{};
    lut_entries entries{};
};

// A register operand: a number of 32 bits, or a pattern.
inline int32_t random_ew_operand(Random &random, bool floating_point) {
    if (!floating_point || random.percent(10))
        return int32_t(random.corner(random.percent(60) ? 12 : 32));
    return int32_t((random.bits() & 0x807fffff) | uint32_t(random.range(115, 140)) << 23);
}

inline sdp_operand random_ew_half(Random &random, bool active, bool floating_point, bool flush_nans) {
    sdp_operand half{};
    half.from_memory = active && random.percent(60);
    half.value = random_ew_operand(random, floating_point);
    sdp_operand_format &format = half.format;
    format.form = floating_point ? (flush_nans ? SDP_FP16_WITHOUT_NAN : SDP_FP16)
                                 : (random.percent(40) ? SDP_SIGNED : SDP_CONVERTED);
    format.offset = int32_t(random.corner(random.percent(70) ? 12 : 32));
    format.scale = int16_t(random.corner(random.percent(50) ? 6 : 16));
    format.shift = random.percent(80) ? random.below(12u) : random.below(64u);
    return half;
}

// Active settings; compare: those that compare.
inline sdp_stage random_ew_stage(Random &random, bool floating_point, bool flush_nans, bool compare) {
    sdp_stage s{};
    s.ew = true;
    s.floating_point = floating_point;
    s.alu_bypass = !compare && random.percent(30);
    s.mul_bypass = random.percent(30);
    s.prelu = random.percent(30);
    s.algorithm = compare ? SDP_EQUAL : sdp_algorithm(random.below(3));
    s.shift = random.percent(70) ? random.below(24u) : random.percent(80) ? random.below(66u) : random.below(1024u);
    s.alu = random_ew_half(random, !s.alu_bypass, floating_point, flush_nans);
    s.mul = random_ew_half(random, !s.mul_bypass, floating_point, flush_nans);
    return s;
}

// Tables and settings in the range of SDP's numbers, as integers and as patterns alike.
inline EwTable random_ew_table(Random &random) {
    EwTable table;
    const bool patterns = random.percent(50);
    const auto sample = [&](int n) {
        return int16_t(patterns             ? (random.bits() & 0x83ff) | uint32_t(random.range(8, 22)) << 10
                       : random.percent(30) ? uint32_t(n * 100)
                                            : random.bits());
    };
    for (int n = 0; n < LUT_LE_ENTRIES; n++)
        table.entries.le[n] = sample(n);
    for (int n = 0; n < LUT_LO_ENTRIES; n++)
        table.entries.lo[n] = sample(n);
    lut_settings &s = table.settings;
    s.le_linear = random.percent(50);
    s.under_first_lo = random.percent(50);
    s.over_first_lo = random.percent(50);
    s.hybrid_first_lo = random.percent(50);
    s.le_index_offset = random.range(-20, 31);
    for (lut_range &range : s.range) {
        range.start = random_ew_operand(random, patterns);
        range.end = random_ew_operand(random, patterns);
        range.select = random.range(-8, 25);
        range.under = {sample(3), random.range(-16, 15)};
        range.over = {sample(7), random.range(-16, 15)};
    }
    return table;
}

inline std::vector<RegisterWrite> ew_table_writes(const EwTable &table) {
    std::vector<RegisterWrite> writes;
    const auto entries = [&](uint32_t lo, const int16_t *values, int count) {
        writes.push_back({SDP_S_LUT_ACCESS_CFG, 0x20000 | lo << 16});
        for (int n = 0; n < count; n++)
            writes.push_back({SDP_S_LUT_ACCESS_DATA, uint16_t(values[n])});
    };
    entries(0, table.entries.le, LUT_LE_ENTRIES);
    entries(1, table.entries.lo, LUT_LO_ENTRIES);
    const lut_settings &s = table.settings;
    const lut_range &le = s.range[LUT_LE], &lo = s.range[LUT_LO];
    const auto byte = [](int value) { return uint32_t(value) & 0xff; };
    const auto scales = [](const lut_range &r) {
        return uint32_t(uint16_t(r.under.scale)) | uint32_t(uint16_t(r.over.scale)) << 16;
    };
    const auto shifts = [](const lut_range &r) {
        return (uint32_t(r.under.shift) & 31) | (uint32_t(r.over.shift) & 31) << 5;
    };
    writes.insert(writes.end(),
                  {{SDP_S_LUT_CFG, uint32_t(s.le_linear) | uint32_t(s.under_first_lo) << 4 |
                                       uint32_t(s.over_first_lo) << 5 | uint32_t(s.hybrid_first_lo) << 6},
                   {SDP_S_LUT_INFO, byte(s.le_index_offset) | byte(le.select) << 8 | byte(lo.select) << 16},
                   {SDP_S_LUT_LE_START, uint32_t(le.start)},
                   {SDP_S_LUT_LE_END, uint32_t(le.end)},
                   {SDP_S_LUT_LO_START, uint32_t(lo.start)},
                   {SDP_S_LUT_LO_END, uint32_t(lo.end)},
                   {SDP_S_LUT_LE_SLOPE_SCALE, scales(le)},
                   {SDP_S_LUT_LE_SLOPE_SHIFT, shifts(le)},
                   {SDP_S_LUT_LO_SLOPE_SCALE, scales(lo)},
                   {SDP_S_LUT_LO_SLOPE_SHIFT, shifts(lo)}});
    return writes;
}

// D_DP_EW_* of an active stage.
inline std::vector<RegisterWrite> ew_writes(const sdp_stage &s, const Ew &ew) {
    const auto cfg = [](const sdp_operand &half) {
        return uint32_t(half.from_memory) | uint32_t(half.format.form == SDP_SIGNED) << 1;
    };
    return {
        {SDP_D_DP_EW_CFG, uint32_t(s.alu_bypass) << 1 | uint32_t(s.algorithm) << 2 | uint32_t(s.mul_bypass) << 4 |
                              uint32_t(s.prelu) << 5 | uint32_t(!ew.look_up) << 6},
        {SDP_D_DP_EW_ALU_CFG, cfg(s.alu)},
        {SDP_D_DP_EW_ALU_SRC_VALUE, uint32_t(s.alu.value)},
        {SDP_D_DP_EW_ALU_CVT_OFFSET_VALUE, uint32_t(s.alu.format.offset)},
        {SDP_D_DP_EW_ALU_CVT_SCALE_VALUE, uint16_t(s.alu.format.scale)},
        {SDP_D_DP_EW_ALU_CVT_TRUNCATE_VALUE, s.alu.format.shift},
        {SDP_D_DP_EW_MUL_CFG, cfg(s.mul)},
        {SDP_D_DP_EW_MUL_SRC_VALUE, uint32_t(s.mul.value)},
        {SDP_D_DP_EW_MUL_CVT_OFFSET_VALUE, uint32_t(s.mul.format.offset)},
        {SDP_D_DP_EW_MUL_CVT_SCALE_VALUE, uint16_t(s.mul.format.scale)},
        {SDP_D_DP_EW_MUL_CVT_TRUNCATE_VALUE, s.mul.format.shift},
        {SDP_D_DP_EW_TRUNCATE_VALUE, s.shift},
    };
}
