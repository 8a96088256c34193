// The look-up units of CDP and SDP against nvdla/lut.c: tables loaded and read through the access port, settings and
// inputs near their corners, every precision, beats with gaps and stalls. A seed is some settings of one unit.
#include <deque>
#include <functional>

#include "common/design.h"

extern "C" {
#include "model/sdp_table.h"
#include "nvdla/fp.h"
#include "nvdla/lut.h"
}

const uint64_t usual_seeds = 300;

namespace {

enum Unit { Cdp, Sdp };
enum Precision { Int8, Int16, Fp16 };
constexpr size_t lanes = 2, latency = 6;

class Bench {
  public:
    Design design;
    const Unit unit;

    explicit Bench(Unit unit) : unit(unit) {
        design.top.cfg_req_i = design.top.data_req_i = design.top.valid_i = 0;
        design.top.step_i = 0;
    }
    void write_cfg(uint32_t value) {
        access(true, true, value);
        design.clocks(2); // SDP's port takes a write of ACCESS_CFG that long
    }
    void write_data(uint32_t value) {
        access(false, true, value);
    }
    uint32_t read_data() {
        access(false, false, 0);
        return unit == Cdp ? design.top.cdp_rdata_o : design.top.sdp_rdata_o;
    }
    uint32_t read_cfg() {
        access(true, false, 0);
        return unit == Cdp ? design.top.cdp_rdata_o : design.top.sdp_rdata_o;
    }
    void set(const lut_settings &s, Precision precision) {
        auto &top = design.top;
        auto u8 = [](int value) { return static_cast<uint32_t>(value) & 0xff; };
        auto place = [](int64_t value) { return static_cast<uint64_t>(value) & UINT64_C(0x3fffffffff); };
        auto scale = [](const lut_range &r) {
            return static_cast<uint32_t>(static_cast<uint16_t>(r.under.scale)) |
                   static_cast<uint32_t>(static_cast<uint16_t>(r.over.scale)) << 16;
        };
        auto shift = [](const lut_range &r) {
            return static_cast<uint16_t>((r.under.shift & 31) | (r.over.shift & 31) << 5);
        };
        top.priorities_i =
            static_cast<uint8_t>(s.le_linear | s.under_first_lo << 1 | s.over_first_lo << 2 | s.hybrid_first_lo << 3);
        top.info_i = u8(s.le_index_offset) | u8(s.range[LUT_LE].select) << 8 | u8(s.range[LUT_LO].select) << 16;
        top.le_start_i = place(s.range[LUT_LE].start);
        top.le_end_i = place(s.range[LUT_LE].end);
        top.lo_start_i = place(s.range[LUT_LO].start);
        top.lo_end_i = place(s.range[LUT_LO].end);
        top.le_scale_i = scale(s.range[LUT_LE]);
        top.lo_scale_i = scale(s.range[LUT_LO]);
        top.le_shift_i = shift(s.range[LUT_LE]);
        top.lo_shift_i = shift(s.range[LUT_LO]);
        top.precision_i = static_cast<uint8_t>(precision);
    }

  private:
    void access(bool cfg, bool write, uint32_t value) {
        const uint8_t bit = static_cast<uint8_t>(1 << unit);
        (cfg ? design.top.cfg_req_i : design.top.data_req_i) = bit;
        design.top.write_i = write;
        design.top.wdata_i = value;
        design.clock();
        design.top.cfg_req_i = design.top.data_req_i = 0;
    }
};

// ---- tables
// -----------------------------------------------------------------------------------------------------------

int16_t draw_entry(Random &r, Precision precision, int kind, int n) {
    if (precision == Fp16 && kind > 1)
        return static_cast<int16_t>(r.percent(5) ? 0x7c00 | (r.bits() & 0x83ff)
                                                 : (r.bits() & 0x83ff) | static_cast<uint32_t>(r.range(10, 20)) << 10);
    return static_cast<int16_t>(kind == 0   ? (r.bits() & 1 ? 32767 : -32768)
                                : kind == 1 ? static_cast<int>(r.bits() & 0xffff)
                                : kind == 2 ? 100 * n - 12000
                                            : 12000 - 90 * n);
}

// Both tables, from entry 0, now and then a few writes more; some are read back.
void load(Bench &bench, Random &r, Precision precision, lut_entries &entries) {
    const int kind = r.range(0, 3);
    for (uint32_t lo : {0u, 1u}) {
        const int count = lo ? LUT_LO_ENTRIES : LUT_LE_ENTRIES;
        int16_t *table = lo ? entries.lo : entries.le;
        bench.write_cfg(0x20000 | lo << 16);
        for (int n = 0; n < count; n++) {
            table[n] = draw_entry(r, precision, kind, n);
            bench.write_data(static_cast<uint16_t>(table[n]));
        }
        const int first = r.range(0, count - 1);
        bench.write_cfg(lo << 16 | static_cast<uint32_t>(first));
        for (int n = first; n < count && n < first + 5; n++)
            checks.equal("entry", bench.read_data(), static_cast<uint16_t>(table[n]));
    }
}

// SDP's port against the model: accesses of any kind and order. The tables are known before.
void random_accesses(Bench &bench, Random &r, lut_entries &entries) {
    sdp_table table = {entries, 0};
    uint32_t cfg = r.bits() & 0x303ff;
    bench.write_cfg(cfg);
    sdp_table_select(&table, cfg);
    for (int n = 0; n < 60; n++) {
        switch (r.below(5)) {
        case 0:
            cfg = (r.bits() & 0x30000) | static_cast<uint32_t>(r.percent(50) ? r.range(60, 68) : r.range(250, 260));
            if (r.percent(20))
                cfg = (cfg & 0x30000) | 0x3fe;
            bench.write_cfg(cfg);
            sdp_table_select(&table, cfg);
            break;
        case 1: {
            const uint32_t value = r.bits();
            bench.write_data(value);
            sdp_table_write(&table, cfg, value);
            break;
        }
        case 2:
            checks.equal("ACCESS_CFG", bench.read_cfg(), cfg);
            break;
        default:
            checks.equal("ACCESS_DATA", bench.read_data(), sdp_table_read(&table, cfg));
            break;
        }
    }
    entries = table.entries;
}

// ---- settings and inputs
// ----------------------------------------------------------------------------------------------

uint32_t draw_fp32(Random &r) {
    switch (r.below(8)) {
    case 0:
        return r.bits();
    case 1:
        return (r.bits() & 0x80000000) | (r.percent(50) ? 0x7f800000u | (r.bits() & 0x3ff) : 0x7f7fffffu);
    case 2:
        return r.bits() & 0x80000000;
    default:
        return (r.bits() & 0x807fffff) | static_cast<uint32_t>(127 + r.range(-12, 12)) << 23;
    }
}

lut_settings draw_settings(Random &r, Unit unit, Precision precision) {
    const bool floating = precision == Fp16;
    const int start_bits = unit == Sdp ? 32 : precision == Int8 ? 22 : 38;
    const int input_bits = unit == Sdp ? 32 : precision == Int8 ? 21 : 37;
    auto draw_place = [&]() -> int64_t {
        if (floating)
            return static_cast<int64_t>(draw_fp32(r));
        return r.percent(30) ? r.range(-300, 300) : r.corner(start_bits);
    };
    auto draw_select = [&](int index_bits) {
        if (floating)
            return r.percent(80) ? r.range(-12, 8) : r.range(-128, 127);
        // Beyond the widths in section 8 the model is no judge of SDP and of CDP's INT16.
        return r.range(-9, input_bits - index_bits);
    };
    lut_settings s = {};
    s.le_linear = r.percent(50);
    s.under_first_lo = r.percent(50);
    s.over_first_lo = r.percent(50);
    s.hybrid_first_lo = r.percent(50);
    switch (r.below(10)) { // 2^offset leaves the width of START, or is no number
    case 0:
        s.le_index_offset = r.range(28, 40);
        break;
    case 1:
        s.le_index_offset = r.percent(50) ? r.range(-128, -126) : r.range(-128, 127);
        break;
    default:
        s.le_index_offset = r.range(-40, floating ? 20 : input_bits - 1);
        break;
    }
    for (int table : {LUT_LE, LUT_LO}) {
        lut_range &range = s.range[table];
        range.start = draw_place();
        range.select = draw_select(table == LUT_LE ? 6 : 8);
        if (unit == Cdp && !floating && r.percent(10))
            range.select = precision == Int8 ? -32 : -63;
        range.end = draw_place();
        if (!floating && r.percent(60) && range.select >= 0)
            range.end = range.start + (INT64_C(1) << (range.select + (table == LUT_LE ? 6 : 8)));
        const int width = unit == Sdp ? 32 : 38;
        range.end = floating ? range.end
                             : static_cast<int64_t>(static_cast<uint64_t>(range.end) << (64 - width)) >> (64 - width);
        range.under = {static_cast<int16_t>(r.bits()), r.range(-16, 15)};
        range.over = {static_cast<int16_t>(r.bits()), r.range(-16, 15)};
        if (r.percent(30))
            range.under.scale = static_cast<int16_t>(r.range(-4, 4));
        if (floating)
            range.over.scale = static_cast<int16_t>((r.bits() & 0x83ff) | static_cast<uint32_t>(r.range(10, 20)) << 10);
    }
    return s;
}

// An input that lies in or near a table, or anywhere.
int64_t draw_input(Random &r, const lut_settings &s, Unit unit, Precision precision) {
    const bool lo = r.percent(50);
    const lut_range &range = s.range[lo];
    const int index_bits = lo ? 8 : 6;
    if (precision == Fp16) {
        if (r.percent(25))
            return draw_fp32(r);
        const int step =
            !lo && !s.le_linear ? s.le_index_offset + r.range(-1, 65) : range.select + r.range(-3, index_bits);
        const uint32_t way =
            static_cast<uint32_t>(std::min(std::max(127 + step, 0), 254)) << 23 | (r.bits() & 0x7fffff);
        return fp32_add(static_cast<uint32_t>(range.start), way);
    }
    const int bits = unit == Sdp ? 32 : precision == Int8 ? 22 : 38;
    int64_t x = r.corner(bits);
    if (r.percent(70)) {
        const int64_t size = INT64_C(1) << std::min(40, std::max(0, range.select + index_bits));
        const int64_t way = r.percent(20)   ? r.range(-1, 1)
                            : r.percent(20) ? size + r.range(-1, 1)
                            : r.percent(30) ? (INT64_C(1) << r.range(0, bits - 2)) + r.range(-1, 1)
                                            : r.below(size);
        x = range.start + way;
    }
    const int64_t top = (INT64_C(1) << (bits - 1)) - 1;
    return std::min(std::max(x, -top - 1), top);
}

// ---- look-ups
// ---------------------------------------------------------------------------------------------------------

// What a beat has to answer.
struct Beat {
    bool valid = false;
    int64_t x[lanes] = {};
    uint32_t value[lanes] = {}, flags[lanes] = {};
};

using Input = std::function<int64_t()>; // draws the input of a lane

Beat make_beat(Unit unit, Precision precision, const lut_settings &s, const lut_entries &entries, const Input &input) {
    Beat beat;
    beat.valid = true;
    for (size_t l = 0; l < lanes; l++) {
        const int64_t x = beat.x[l] = input();
        const uint32_t pattern = static_cast<uint32_t>(x);
        const lut_result want = unit == Sdp         ? precision == Fp16 ? lut_look_up_sdp_fp16(&s, &entries, pattern)
                                                                        : lut_look_up(&lut_sdp, &s, &entries, x)
                                        : precision == Fp16 ? lut_look_up_cdp_fp16(&s, &entries, pattern)
                                : precision == Int8 ? lut_look_up(&lut_cdp_int8, &s, &entries, x)
                                                    : lut_look_up(&lut_cdp_int16, &s, &entries, x);
        const lut_answer selected = want.answer[want.selected];
        beat.value[l] = static_cast<uint32_t>(want.value) & (unit == Sdp ? UINT32_MAX : 0x1ffff);
        if (unit == Cdp)
            beat.flags[l] = static_cast<uint32_t>(lut_flags(&want)) & 15;
        else
            beat.flags[l] = static_cast<uint32_t>((selected == LUT_UNDER) | (selected == LUT_OVER) << 1 |
                                                  (selected == LUT_HIT) << 2 | (want.answer[LUT_LE] == LUT_HIT) << 3 |
                                                  (want.answer[LUT_LO] == LUT_HIT) << 4);
    }
    return beat;
}

void look_up(Bench &bench, Random &r, Precision precision, const lut_settings &s, const lut_entries &entries, int count,
             const Input &input) {
    auto &top = bench.design.top;
    const Unit unit = bench.unit;
    const int valid_percent = r.percent(50) ? 100 : 60, step_percent = r.percent(50) ? 100 : 70;
    std::deque<Beat> stages(latency); // [0]: has left the first stage
    for (int n = 0; n < count + 2 * static_cast<int>(latency); n++) {
        Beat next;
        if (n < count && r.percent(valid_percent))
            next = make_beat(unit, precision, s, entries, input);
        for (size_t l = 0; l < lanes; l++)
            Pin(top.data_i, 38 * l, 38).set(static_cast<uint64_t>(next.x[l]));
        top.valid_i = static_cast<uint8_t>(next.valid << unit);
        top.step_i = n >= count || r.percent(step_percent);
        const bool step = top.step_i;
        bench.design.clock();
        if (!step)
            continue;
        stages.push_front(next);
        stages.pop_back();
        for (size_t l = 0; l < lanes; l++) {
            const uint64_t flags =
                unit == Cdp ? Pin(top.cdp_flags_o, 4 * l, 4).value() : Pin(top.sdp_found_o, 5 * l, 5).value();
            const uint64_t value =
                unit == Cdp ? Pin(top.cdp_result_o, 17 * l, 17).value() : Pin(top.sdp_result_o, 32 * l, 32).value();
            const Beat &first = stages.front(), &last = stages.back();
            if (first.valid && flags != first.flags[l])
                checks.fail("answers to 0x%" PRIx64 " in lane %zu are 0x%" PRIx64 ", expected 0x%x",
                            static_cast<uint64_t>(first.x[l]), l, flags, first.flags[l]);
            if (last.valid && value != last.value[l])
                checks.fail("value of 0x%" PRIx64 " in lane %zu is 0x%" PRIx64 ", expected 0x%x",
                            static_cast<uint64_t>(last.x[l]), l, value, last.value[l]);
        }
    }
    top.valid_i = 0;
}

// Lines of SDP beyond LO's last entry whose value, distance * scale / 2, is within a half or so of an end of 32 bits.
// The entry leads back inside, so that what is saturated too early or too late shows.
void lines_at_the_ends() {
    const struct {
        int64_t distance;
        int16_t scale;
    } lines[] = {
        {16843009, 255},  // 2^31 - 1/2
        {6700417, 641},   // 2^31 + 1/2
        {2147483646, 2},  // 2^31 - 2
        {16843009, -255}, // -2^31 + 1/2
        {6700417, -641},  // -2^31 - 1/2
        {2147483647, -2}, // -2^31 + 1
    };
    Bench bench(Sdp);
    Random r(1);
    lut_entries entries;
    load(bench, r, Int8, entries);
    for (const auto &line : lines) {
        const uint32_t last = LUT_LO_ENTRIES - 1;
        entries.lo[last] = line.scale > 0 ? -5 : 5;
        bench.write_cfg(0x30000 | last);
        bench.write_data(static_cast<uint16_t>(entries.lo[last]));
        lut_settings s = {};
        s.le_linear = s.over_first_lo = true;
        s.range[LUT_LO].over = {line.scale, 1};
        bench.set(s, Int8);
        look_up(bench, r, Int8, s, entries, 4, [&] { return line.distance; });
    }
}

} // namespace

void directed_cases() {
    checks.start("SDP: lines that reach the ends of 32 bits");
    lines_at_the_ends();
}

void random_case(uint64_t seed) {
    Random r(seed);
    const Unit unit = seed % 2 ? Sdp : Cdp;
    const Precision precision = static_cast<Precision>(seed / 2 % 3);
    checks.detail(std::string(unit == Sdp ? "SDP" : "CDP") + (precision == Int8    ? " INT8"
                                                              : precision == Int16 ? " INT16"
                                                                                   : " FP16"));
    Bench bench(unit);
    for (int n = 0; n < 3; n++) {
        lut_entries entries;
        load(bench, r, precision, entries);
        if (unit == Sdp)
            random_accesses(bench, r, entries);
        for (int m = 0; m < 10; m++) {
            const lut_settings s = draw_settings(r, unit, precision);
            bench.set(s, precision);
            look_up(bench, r, precision, s, entries, 100, [&] { return draw_input(r, s, unit, precision); });
        }
    }
}
