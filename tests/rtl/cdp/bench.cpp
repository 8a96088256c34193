// nvdla_cdp alone against the C model: random tables and layers of all precisions through the register ports, a memory
// with stalls. A seed is one or two loads of the tables through the access port, reads and writes mixed, each followed
// by a chain of layers in both groups; at the end memories, all registers, the tables and the counters must be equal.
// Directed cases: the rate of some layers.
#include "common/model_run.h"

const uint64_t usual_seeds = 200;

namespace {

// ---- a layer -------------------------------------------------------------------------------------------------------

struct Layer {
    nvdla_precision precision;
    int width, height, channels;
    bool nan_to_zero, sum_bypass, multiply_bypass;
    int reach; // NORMALZ_LEN
    uint32_t in_offset, in_scale, in_shift, out_offset, out_scale, out_shift;
    bool source_primary, destination_primary, stall_counters;
    uint64_t source, destination;
    uint32_t source_line, source_surface, destination_line, destination_surface;
};

int element_bytes(nvdla_precision precision) {
    return precision == NVDLA_INT8 ? 1 : 2;
}

int surfaces_of(const Layer &layer, int atom) {
    return (layer.channels - 1) / (atom / element_bytes(layer.precision)) + 1;
}

// One of the precisions of the configuration.
nvdla_precision draw_precision(Random &r) {
    return nvdla_has_16_bits(config) ? static_cast<nvdla_precision>(r.range(NVDLA_INT8, NVDLA_FP16)) : NVDLA_INT8;
}

std::string describe(const Layer &l) {
    static const char *const precisions[] = {"INT8", "INT16", "FP16"};
    char text[400];
    snprintf(text, sizeof text,
             "%s %dx%dx%d reach %d bypass %d%d in -%x *%x >>%u out -%x *%x >>%u src %d:%" PRIx64
             "+%x,%x dst %d:%" PRIx64 "+%x,%x",
             precisions[l.precision], l.width, l.height, l.channels, l.reach + 1, l.sum_bypass, l.multiply_bypass,
             l.in_offset, l.in_scale, l.in_shift, l.out_offset, l.out_scale, l.out_shift, l.source_primary, l.source,
             l.source_line, l.source_surface, l.destination_primary, l.destination, l.destination_line,
             l.destination_surface);
    return text;
}

// Kinds of geometry that seeds walk through in turn.
enum Theme { ANY, TINY, COLUMN, GROUPS, DEEP, ONE_SURFACE, THEMES };

void draw_geometry(Random &r, Theme theme, int atom, int budget, Layer &l) {
    atom /= element_bytes(l.precision);
    do {
        l.width = theme == COLUMN || theme == DEEP ? 1
                  : theme == GROUPS                ? 8 * r.range(1, 5) + r.range(-1, 1)
                                                   : r.range(1, theme == TINY ? 3 : 20);
        l.height = r.range(1, theme == TINY ? 2 : 8);
        l.channels = theme == DEEP          ? r.range(1, 8192)
                     : theme == ONE_SURFACE ? r.range(1, atom)
                                            : r.range(1, r.percent(50) ? 2 * atom + 1 : 6 * atom);
    } while (l.width * l.height * ((l.channels - 1) / atom + 1) > budget);
}

void draw_arithmetic(Random &r, Layer &l) {
    const bool bits16 = l.precision == NVDLA_INT16;
    l.nan_to_zero = r.percent(40);
    l.sum_bypass = r.percent(30);
    l.multiply_bypass = r.percent(30);
    l.reach = r.range(0, 3);
    bool plain = r.percent(50);
    l.in_offset = plain ? 0 : r.percent(70) ? r.bits() & 0xff : r.bits() & 0xffff;
    l.in_scale = plain ? 1 : r.percent(60) ? static_cast<uint32_t>(r.range(-40, 40)) & 0xffff : r.bits() & 0xffff;
    l.in_shift = plain ? 0 : static_cast<uint32_t>(r.percent(60) ? r.range(0, 6) : r.range(0, 31));
    plain = r.percent(40);
    l.out_offset = plain ? 0 : r.percent(60) ? static_cast<uint32_t>(r.range(-30000, 30000)) : r.bits();
    l.out_scale = plain ? 1 : r.bits() & 0xffff;
    int bits = (l.multiply_bypass ? 8 : bits16 ? 23 : 15) + (plain ? 0 : 14) - (bits16 && r.percent(70) ? 7 : 0);
    l.out_shift = static_cast<uint32_t>(r.percent(80) ? r.range(0, 10) + bits - 8 : r.range(0, 63)) & 63;
}

// What tables give goes to memory as it is, so that each rounded half of theirs is there.
void show_tables(Random &r, Layer &l) {
    l.sum_bypass = r.percent(60);
    l.multiply_bypass = true;
    l.in_offset = l.out_offset = l.in_shift = l.out_shift = 0;
    l.in_scale = l.out_scale = 1;
}

// ---- the tables ----------------------------------------------------------------------------------------------------

// An FP16 pattern: an ordinary number in most cases, else any, a NaN, infinite, denormal or the largest.
uint32_t draw_fp16(Random &r) {
    int kind = r.range(0, 29);
    uint32_t sign = (r.bits() & 1) << 15;
    if (kind < 22)
        return sign | static_cast<uint32_t>(r.range(8, 22)) << 10 | (r.bits() & 0x3ff);
    if (kind < 26)
        return r.bits() & 0xffff;
    return sign | (kind == 26   ? 0x7c01 + r.bits() % 0x3ff
                   : kind == 27 ? 0x7c00
                   : kind == 28 ? r.bits() & 0x3ff
                                : 0x7bff);
}

// An FP32 pattern where sums of squares of such numbers are, or anywhere.
uint32_t draw_fp32(Random &r, bool positive) {
    int kind = r.range(0, 19);
    uint32_t sign = positive ? 0 : (r.bits() & 1) << 31;
    if (kind < 6)
        return sign;
    return kind < 18 ? sign | static_cast<uint32_t>(r.range(105, 150)) << 23 | (r.bits() & 0x7fffff) : r.bits();
}

// The settings of the tables that FP16 reads otherwise, INDEX_OFFSET and INDEX_SELECT.
int draw_exponent(Random &r) {
    return r.percent(90) ? r.range(-26, 20) : r.range(-128, 127);
}

// CDP_S_LUT_CFG .. CDP_S_LUT_LO_SLOPE_SHIFT, such that inputs of some kind fall into or near the tables. precision: of
// the layers that the settings suit; others have to work with them too. halves: integers whose results lie halfway
// between two numbers often, inside of the tables (steps of 2 and 4) and outside (slopes of halves and quarters).
std::vector<RegisterWrite> draw_tables(Random &r, nvdla_precision precision, bool halves) {
    const bool fp16 = precision == NVDLA_FP16, int16 = precision == NVDLA_INT16;
    auto select = [&](int last) {
        int kind = r.range(0, 19);
        int value = fp16         ? draw_exponent(r)
                    : halves     ? r.range(1, 2)
                    : kind < 15  ? r.range(-3, last + (int16 && r.percent(70) ? 16 : 0))
                    : kind == 15 ? (int16 ? -64 : -32)
                    : kind == 16 ? -31
                                 : r.range(-128, 127);
        return static_cast<uint32_t>(value) & 0xff;
    };
    auto start = [&]() -> uint64_t {
        int kind = r.range(0, 9);
        if (fp16)
            return draw_fp32(r, r.percent(70));
        if (halves)
            return static_cast<uint64_t>(static_cast<int64_t>(r.range(-100, 60)));
        if (int16 && kind >= 5 && r.percent(70))
            return static_cast<uint64_t>(static_cast<int64_t>(r.range(-300000, 300000)) * 1000);
        if (kind < 7) {
            return static_cast<uint64_t>(static_cast<int64_t>(kind < 2   ? 0
                                                              : kind < 5 ? r.range(-300, 300)
                                                                         : r.range(-300000, 300000)));
        }
        return kind == 7 ? r.bits() & 0x3fffff : (static_cast<uint64_t>(r.bits()) << 32 | r.bits());
    };
    auto scale = [&] {
        return fp16            ? draw_fp16(r)
               : halves        ? static_cast<uint32_t>(2 * r.range(-4, 3) + 1) & 0xffff
               : r.percent(20) ? 0
               : r.percent(50) ? static_cast<uint32_t>(r.range(-50, 50)) & 0xffff
                               : r.bits() & 0xffff;
    };
    auto shifts = [&]() -> uint32_t {
        if (halves)
            return static_cast<uint32_t>(r.range(1, 2) | r.range(1, 2) << 5);
        return r.percent(70) ? r.bits() : r.percent(50) ? 0x3ff : 0x3df; // -1 and -1, -1 and -2
    };
    uint32_t le_select = select(15), lo_select = select(13);
    int offset_kind = r.range(0, 19); // START + B has 39 bits
    uint32_t offset = static_cast<uint32_t>(fp16               ? draw_exponent(r)
                                            : offset_kind < 14 ? r.range(-40, 20)
                                            : offset_kind < 18 ? r.range(36, 40)
                                                               : r.range(-128, 127)) &
                      0xff;
    uint64_t place[4] = {start(), start(), start(), start()}; // start and end of LE, of LO
    place[1] = !fp16 && r.percent(60) ? place[0] + (UINT64_C(64) << (le_select & 31)) : place[1];
    place[3] = !fp16 && r.percent(60) ? place[2] + (UINT64_C(256) << (lo_select & 31)) : place[3];
    std::vector<RegisterWrite> writes = {
        {CDP_S_LUT_CFG, r.bits()},
        {CDP_S_LUT_INFO, offset | le_select << 8 | lo_select << 16 | r.bits() << 24},
        {CDP_S_LUT_LE_SLOPE_SCALE, scale() | scale() << 16},
        {CDP_S_LUT_LE_SLOPE_SHIFT, shifts()},
        {CDP_S_LUT_LO_SLOPE_SCALE, scale() | scale() << 16},
        {CDP_S_LUT_LO_SLOPE_SHIFT, shifts()},
    };
    const uint32_t low[4] = {CDP_S_LUT_LE_START_LOW, CDP_S_LUT_LE_END_LOW, CDP_S_LUT_LO_START_LOW,
                             CDP_S_LUT_LO_END_LOW};
    for (int i = 0; i < 4; i++) {
        writes.push_back({low[i], static_cast<uint32_t>(place[i])});
        writes.push_back({low[i] + 4, static_cast<uint32_t>(place[i] >> 32)});
    }
    return writes;
}

// ---- programming ---------------------------------------------------------------------------------------------------

// D_DATA_FORMAT of either unit; anything if there is only INT8.
uint32_t format(Random &r, const Layer &l) {
    return nvdla_has_16_bits(config) ? static_cast<uint32_t>(l.precision) | (r.bits() & ~3u) : r.bits();
}

std::vector<RegisterWrite> cdp_writes(Random &r, const Layer &l) {
    auto u = [](int value) { return static_cast<uint32_t>(value); };
    return {
        {CDP_D_FUNC_BYPASS, u(l.sum_bypass) | u(l.multiply_bypass) << 1},
        {CDP_D_DST_BASE_ADDR_LOW, static_cast<uint32_t>(l.destination)},
        {CDP_D_DST_BASE_ADDR_HIGH, static_cast<uint32_t>(l.destination >> 32)},
        {CDP_D_DST_LINE_STRIDE, l.destination_line},
        {CDP_D_DST_SURFACE_STRIDE, l.destination_surface},
        {CDP_D_DST_DMA_CFG, l.destination_primary},
        {CDP_D_DATA_FORMAT, format(r, l)},
        {CDP_D_NAN_FLUSH_TO_ZERO, u(l.nan_to_zero) | (r.bits() & ~1u)},
        {CDP_D_LRN_CFG, u(l.reach)},
        {CDP_D_DATIN_OFFSET, l.in_offset},
        {CDP_D_DATIN_SCALE, l.in_scale},
        {CDP_D_DATIN_SHIFTER, l.in_shift},
        {CDP_D_DATOUT_OFFSET, l.out_offset},
        {CDP_D_DATOUT_SCALE, l.out_scale},
        {CDP_D_DATOUT_SHIFTER, l.out_shift},
        {CDP_D_PERF_ENABLE, u(l.stall_counters) | (r.bits() & 2)},
        {CDP_D_CYA, r.bits()},
    };
}

std::vector<RegisterWrite> rdma_writes(Random &r, const Layer &l) {
    auto u = [](int value) { return static_cast<uint32_t>(value); };
    return {
        {CDP_RDMA_D_DATA_CUBE_WIDTH, u(l.width - 1)},
        {CDP_RDMA_D_DATA_CUBE_HEIGHT, u(l.height - 1)},
        {CDP_RDMA_D_DATA_CUBE_CHANNEL, u(l.channels - 1)},
        {CDP_RDMA_D_SRC_BASE_ADDR_LOW, static_cast<uint32_t>(l.source)},
        {CDP_RDMA_D_SRC_BASE_ADDR_HIGH, static_cast<uint32_t>(l.source >> 32)},
        {CDP_RDMA_D_SRC_LINE_STRIDE, l.source_line},
        {CDP_RDMA_D_SRC_SURFACE_STRIDE, l.source_surface},
        {CDP_RDMA_D_SRC_DMA_CFG, l.source_primary},
        {CDP_RDMA_D_DATA_FORMAT, format(r, l)},
        {CDP_RDMA_D_PERF_ENABLE, l.stall_counters},
        {CDP_RDMA_D_CYA, r.bits()},
    };
}

// A run of chains of layers, each with tables of its own.
class Run : public ModelRun {
  public:
    bool counted = false;
    uint64_t armed_at = 0; // the last layer

    Run(const Behaviour &behaviour, uint64_t seed) : ModelRun(NVDLA_CDP, NVDLA_CDP_RDMA, behaviour, seed) {
    }

    // Loads both tables in random order, all entries (halves: small ones); then port accesses of any kind; then the
    // other S_LUT registers.
    void load_tables(nvdla_precision precision, bool halves) {
        Random &r = random;
        const bool fp16 = precision == NVDLA_FP16;
        int kind = halves ? 4 : r.range(0, 3);
        uint32_t first = r.bits() & 1;
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t table = first ^ i, entries = table ? 257 : 65;
            write(Main, CDP_S_LUT_ACCESS_CFG, 0x20000 | table << 16 | (r.bits() & 0xfff8fc00));
            for (uint32_t n = 0; n < entries + (r.percent(20) ? 3 : 0); n++) {
                uint32_t step = static_cast<uint32_t>(table ? 100 : 400) * n;
                uint32_t value = kind == 0   ? r.bits()
                                 : fp16      ? (kind == 1 ? 0x3c00 - 2 * n : draw_fp16(r))
                                 : kind == 1 ? step
                                 : kind == 2 ? 30000 - step
                                 : kind == 3 ? (r.bits() & 1 ? 0x7fff : 0x8000)
                                             : static_cast<uint32_t>(r.range(-60, 60)) & 0xffff;
                write(Main, CDP_S_LUT_ACCESS_DATA, value | r.bits() << 16);
                if (r.percent(2))
                    compare(Main, r.percent(50) ? CDP_S_LUT_ACCESS_CFG : CDP_S_LUT_ACCESS_DATA);
            }
        }
        for (int n = r.range(0, 40); n > 0; n--) {
            int what = r.range(0, 9);
            if (what == 0) {
                uint32_t table = r.bits() & 1;
                uint32_t address = static_cast<uint32_t>(r.percent(50) ? r.range(0, table ? 256 : 64)
                                                         : table       ? 255
                                                                       : 63);
                write(Main, CDP_S_LUT_ACCESS_CFG, address | table << 16 | (r.bits() & 1) << 17);
            } else if (what < 4) {
                write(Main, CDP_S_LUT_ACCESS_DATA, r.bits());
            } else {
                compare(Main, what < 6 ? CDP_S_LUT_ACCESS_CFG : CDP_S_LUT_ACCESS_DATA);
            }
        }
        std::vector<RegisterWrite> writes = draw_tables(r, precision, halves);
        r.shuffle(writes);
        for (const RegisterWrite &w : writes)
            write(Main, w.offset, w.value);
    }

    // Gives the layer its places in memory (region `index`) and random data.
    void place(Layer &l, int index, bool exact) {
        Random &r = random;
        const int atom = config->mem_atom, n = surfaces_of(l, atom);
        l.source_primary = !config->secondary_memory || r.percent(50);
        l.destination_primary = !config->secondary_memory || r.percent(50);
        l.stall_counters = r.percent(50);
        // Bases, lines and surfaces with gaps; some with bits below the atom, which are carried.
        auto low_bits = [&] { return !exact && r.percent(10) ? r.range(0, atom - 1) : 0; };
        auto stride = [&](int bytes) {
            return static_cast<uint32_t>(bytes + (exact ? 0 : r.range(0, 3) * atom) + low_bits());
        };
        auto base = [&](uint64_t region) { return region + static_cast<uint64_t>(r.range(0, 40) * atom + low_bits()); };
        uint64_t region = UINT64_C(0x40000000) + static_cast<uint64_t>(index) * UINT64_C(0x08000000);
        if (config->addr_bits > 32 && r.percent(50))
            region += UINT64_C(0x100000000) * static_cast<uint64_t>(r.range(1, 15));
        l.source_line = stride((l.width + 1) * atom);
        l.source_surface = stride(l.height * static_cast<int>(l.source_line));
        l.destination_line = stride((l.width + 1) * atom);
        l.destination_surface = stride(l.height * static_cast<int>(l.destination_line));
        l.source = base(region);
        l.destination = base(region + UINT64_C(0x04000000));
        if (!exact && r.percent(15)) { // in place
            l.destination_primary = l.source_primary;
            l.destination_line = l.source_line;
            l.destination_surface = l.source_surface;
            l.destination = l.source;
        }
        int kind = r.range(0, 3);
        std::vector<uint8_t> bytes(static_cast<size_t>(n) * l.source_surface + static_cast<size_t>(2 * atom));
        for (uint8_t &b : bytes) {
            uint32_t v = r.bits();
            b = static_cast<uint8_t>(kind == 0 ? (v & 1 ? 0x7f : 0x80) : kind == 1 ? (v & 0xff) % 17 - 8 : v);
        }
        if (l.precision != NVDLA_INT8 && kind != 3) {
            for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
                uint32_t v = l.precision == NVDLA_FP16 ? (kind == 0 ? r.bits() : draw_fp16(r))
                             : kind == 0               ? (r.bits() & 1 ? 0x7fff : 0x8000)
                             : kind == 1               ? static_cast<uint32_t>(r.range(-20, 20))
                                                       : static_cast<uint32_t>(r.range(-3000, 3000));
                bytes[i] = static_cast<uint8_t>(v);
                bytes[i + 1] = static_cast<uint8_t>(v >> 8);
            }
        }
        load(l.source_primary, memory.aligned(l.source), bytes);
    }

    // Programs and arms a layer in the next groups, carries it out on the model. prompt: both units are armed at once.
    void launch(const Layer &l, bool prompt) {
        program(Main, cdp_writes(random, l));
        program(Rdma, rdma_writes(random, l));
        const bool rdma_first = random.percent(50);
        armed_at = design.now;
        arm(rdma_first ? Rdma : Main);
        design.clocks(!prompt && random.percent(20) ? random.range(1u, 200u) : 0);
        arm(rdma_first ? Main : Rdma);
        counted |= l.stall_counters;
        run_model();
        if (random.percent(20)) { // the port can be read while a layer runs
            compare(Main, CDP_S_LUT_ACCESS_DATA);
            compare(Main, CDP_S_LUT_ACCESS_CFG);
        }
    }

    void check_all() {
        if (checks.failing())
            return;
        check(0xbc, [](size_t window, uint32_t offset) {
            return offset == (window == Main ? CDP_D_PERF_WRITE_STALL : CDP_RDMA_D_PERF_READ_STALL);
        });
        for (const auto &window : counts)
            if (!counted && window[0] + window[1] != 0)
                checks.fail("stalls are counted without DMA_EN");
        for (uint32_t table = 0; table < 2; table++) {
            write(Main, CDP_S_LUT_ACCESS_CFG, table << 16);
            for (int n = table ? 257 : 65; n > 0; n--)
                compare(Main, CDP_S_LUT_ACCESS_DATA);
        }
    }
};

// ---- cases ----

// One layer without stalls must take no more clocks than its lanes need, and `extra`.
void rate(nvdla_precision precision, int w, int h, int c, int extra) {
    checks.start("rate of " + std::to_string(w) + "x" + std::to_string(h) + "x" + std::to_string(c) +
                 (precision == NVDLA_INT8    ? ""
                  : precision == NVDLA_INT16 ? " INT16"
                                             : " FP16"));
    Run run(Behaviour::quiet(32), 1);
    Layer l = {};
    l.width = w;
    l.height = h;
    l.channels = c;
    l.precision = precision;
    l.in_scale = l.out_scale = 1;
    run.load_tables(precision, false);
    run.place(l, 0, true);
    run.launch(l, true);
    run.chain.wait_done(1);
    run.check_all();
    if (!checks.failing()) {
        const int beats = w * h * surfaces_of(l, config->mem_atom) * (config->mem_atom / config->cdp_throughput);
        checks.at_most("clocks", run.done.times[0] - run.armed_at, static_cast<uint64_t>(beats + extra));
    }
}

} // namespace

void directed_cases() {
    // 32 clocks of memory latency, 4 to the response; the first surface waits for the second one
    for (nvdla_precision precision : {NVDLA_INT8, NVDLA_INT16, NVDLA_FP16}) {
        rate(precision, 1, 1, 1, 60);
        rate(precision, 1, 9, 64, 70);
        rate(precision, 8, 8, 32, 70);
        rate(precision, 13, 3, 61, 70);
        rate(precision, 64, 2, 8, 70);
        if (!nvdla_has_16_bits(config))
            break;
    }
}

void random_case(uint64_t seed) {
    Random r(seed);
    Behaviour behaviour = random_behaviour(r);
    const bool crowd = r.percent(8); // many finished layers that wait for their acknowledge
    const bool by_status = crowd || r.percent(30);
    if (crowd)
        behaviour.write_latency = 3000;
    Run run(behaviour, seed);
    run.csb.percent = r.percent(25) ? 100 : r.range(20, 100);
    size_t launched = 0;
    for (int chain = r.range(1, 2); chain > 0; chain--) {
        const nvdla_precision suited = draw_precision(run.random);
        const bool halves = suited != NVDLA_FP16 && run.random.percent(30);
        run.load_tables(suited, halves);
        for (int count = crowd ? 8 : r.range(1, 4); count > 0; count--, launched++) {
            Layer l = {};
            Theme theme = crowd ? TINY : static_cast<Theme>((seed + launched * 5) % THEMES);
            l.precision = r.percent(80) ? suited : draw_precision(run.random);
            draw_geometry(run.random, theme, config->mem_atom, 1200, l);
            draw_arithmetic(run.random, l);
            if (halves)
                show_tables(run.random, l);
            run.place(l, static_cast<int>(launched), false);
            checks.detail(describe(l));
            const bool free = by_status ? run.chain.wait_free(Run::Main) && run.chain.wait_free(Run::Rdma)
                                        : run.chain.wait_done(launched > 0 ? launched - 1 : 0);
            if (!free)
                return;
            run.launch(l, false);
        }
        if (!run.chain.wait_done(launched))
            return;
    }
    if (crowd)
        run.check_crowd();
    run.check_all();
}
