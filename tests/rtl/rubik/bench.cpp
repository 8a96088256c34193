// nvdla_rubik alone against the C model: random chains of contract, split and merge in both groups, all precisions and
// memories, a memory with stalls. At the end memories (gaps included) and registers must be equal. Directed cases: the
// requests of the chapter's examples, the rate of some layers.
#include "common/model_run.h"

const uint64_t usual_seeds = 200;

namespace {

enum Mode { Contract, Split, Merge };

struct Layer {
    int mode, precision, width, height, channels; // channels: of the output, in contract
    int x_stride, y_stride;
    bool source_primary, destination_primary, stall_counters;
    uint64_t source, destination;
    uint32_t source_line, source_surface, source_planar, destination_line, destination_surface, destination_planar,
        phase;
    int element() const {
        return precision == 0 ? 1 : 2;
    }
    int lanes() const {
        return 32 / element();
    }
    int surfaces() const {
        return (channels - 1) / lanes() + 1;
    }
    int planar_atoms() const {
        return (width * element() + 31) / 32;
    }
    bool planar_source() const {
        return mode == Merge;
    }
    bool planar_destination() const {
        return mode == Split;
    }
    int out_width() const {
        return mode == Contract ? width * x_stride : width;
    }
    int out_height() const {
        return mode == Contract ? height * y_stride : height;
    }
};

std::string describe(const Layer &l) {
    static const char *const names[] = {"contract", "split", "merge"};
    char text[300];
    snprintf(text, sizeof text,
             "%s precision %d %dx%dx%d stride %dx%d src %d:%" PRIx64 "+%x,%x,%x dst %d:%" PRIx64 "+%x,%x,%x phase %x",
             names[l.mode], l.precision, l.width, l.height, l.channels, l.x_stride, l.y_stride, l.source_primary,
             l.source, l.source_line, l.source_surface, l.source_planar, l.destination_primary, l.destination,
             l.destination_line, l.destination_surface, l.destination_planar, l.phase);
    return text;
}

uint64_t atoms(const Layer &l) {
    return static_cast<uint64_t>(l.surfaces()) * static_cast<uint64_t>(l.out_width()) *
           static_cast<uint64_t>(l.out_height());
}

Layer draw(Random &r, int mode, uint64_t budget) {
    Layer l = {};
    l.mode = mode;
    l.precision = r.percent(50) ? 0 : r.range(1, 3);
    do {
        if (mode == Contract) {
            static const int widths[] = {1, 7, 8, 9, 16, 17}, strides[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32};
            l.width = r.percent(50) ? widths[r.below(6)] : r.range(1, 40);
            l.height = r.range(1, 5);
            l.x_stride = r.percent(50) ? strides[r.below(12)] : r.range(1, 32);
            l.y_stride = r.percent(50) ? r.range(1, 4) : r.range(1, 32);
        } else {
            static const int widths[] = {1, 31, 32, 33, 63, 64, 65, 95, 96, 127, 128, 129};
            l.width = r.percent(50) ? widths[r.below(12)] : r.range(1, r.percent(50) ? 40 : 200);
            l.height = r.range(1, 5);
            l.x_stride = l.y_stride = 1;
        }
        const int lanes = l.lanes();
        l.channels =
            r.percent(30) ? 1 + r.below(3) * lanes - r.below(2) : r.range(1, r.percent(70) ? 2 * lanes + 2 : 5 * lanes);
        l.channels = l.channels < 1 ? 1 : l.channels;
    } while (atoms(l) > budget);
    return l;
}

std::vector<RegisterWrite> writes_of(Random &r, const Layer &l) {
    auto u = [](int value) { return static_cast<uint32_t>(value); };
    const uint32_t channels = u(l.channels - 1);
    return {
        {RBK_D_MISC_CFG, u(l.mode) | u(l.precision) << 8},
        {RBK_D_DAIN_RAM_TYPE, l.source_primary},
        {RBK_D_DATAIN_SIZE_0, u(l.width - 1) | u(l.height - 1) << 16},
        {RBK_D_DATAIN_SIZE_1, l.mode == Contract ? r.bits() : channels},
        {RBK_D_DAIN_ADDR_HIGH, static_cast<uint32_t>(l.source >> 32)},
        {RBK_D_DAIN_ADDR_LOW, static_cast<uint32_t>(l.source) | r.below(32u)},
        {RBK_D_DAIN_LINE_STRIDE, l.source_line | r.below(32u)},
        {RBK_D_DAIN_SURF_STRIDE, l.source_surface},
        {RBK_D_DAIN_PLANAR_STRIDE, l.source_planar},
        {RBK_D_DAOUT_RAM_TYPE, l.destination_primary},
        {RBK_D_DATAOUT_SIZE_1, channels},
        {RBK_D_DAOUT_ADDR_HIGH, static_cast<uint32_t>(l.destination >> 32)},
        {RBK_D_DAOUT_ADDR_LOW, static_cast<uint32_t>(l.destination)},
        {RBK_D_DAOUT_LINE_STRIDE, l.destination_line},
        {RBK_D_CONTRACT_STRIDE_0, l.phase},
        {RBK_D_CONTRACT_STRIDE_1, r.bits()},
        {RBK_D_DAOUT_SURF_STRIDE, l.destination_surface},
        {RBK_D_DAOUT_PLANAR_STRIDE, l.destination_planar},
        {RBK_D_DECONV_STRIDE, l.mode == Contract ? u(l.x_stride - 1) | u(l.y_stride - 1) << 16 : r.bits()},
        {RBK_D_PERF_ENABLE, l.stall_counters},
    };
}

class Run : public ModelRun {
  public:
    bool counted = false;
    uint64_t armed_at = 0;                              // the last layer
    uint32_t read_stalls[2] = {}, write_stalls[2] = {}; // of the groups' last layers

    Run(const Behaviour &behaviour, uint64_t seed) : ModelRun(NVDLA_RBK, NVDLA_RBK, behaviour, seed) {
    }

    // Gives the layer its places in memory (region `index`) and random data. Strides that the mode does not use have
    // any value.
    void place(Layer &l, int index, bool exact) {
        Random &r = random;
        l.source_primary = r.percent(50);
        l.destination_primary = r.percent(50);
        l.stall_counters = r.percent(50);
        auto stride = [&](uint64_t bytes) {
            return static_cast<uint32_t>(bytes + (exact ? 0 : 32 * r.below(UINT64_C(4))));
        };
        const auto height = static_cast<uint64_t>(l.height), surfaces = static_cast<uint64_t>(l.surfaces());
        const uint64_t in_line = 32 * static_cast<uint64_t>(l.planar_source() ? l.planar_atoms() : l.width);
        const uint64_t out_line = 32 * static_cast<uint64_t>(l.planar_destination() ? l.planar_atoms() : l.out_width());
        l.source_line = stride(in_line);
        l.destination_line = stride(out_line);
        l.source_surface = l.planar_source() ? r.bits() : stride(height * l.source_line);
        l.source_planar = l.planar_source() ? stride(height * l.source_line) : r.bits();
        l.destination_surface =
            l.planar_destination() ? r.bits() : stride(static_cast<uint64_t>(l.out_height()) * l.destination_line);
        l.destination_planar = l.planar_destination() ? stride(height * l.destination_line) : r.bits();
        l.phase = l.mode == Contract ? stride(surfaces * l.source_surface) : r.bits();
        uint64_t region = UINT64_C(0x10000000) * static_cast<uint64_t>(2 * index + 1);
        if (!exact && r.percent(50))
            region += UINT64_C(0x100000000) * r.range(UINT64_C(1), UINT64_C(0xffff)) - (r.percent(50) ? 0x400 : 0);
        auto base = [&](uint64_t from) { return from + (exact ? 0 : 32 * r.below(UINT64_C(64))); };
        l.source = base(region);
        l.destination = base(region + UINT64_C(0x10000000));
        uint64_t bytes =
            surfaces * (l.planar_source() ? static_cast<uint64_t>(l.lanes()) * l.source_planar : l.source_surface);
        if (l.mode == Contract)
            bytes += static_cast<uint64_t>(l.x_stride * l.y_stride) * l.phase;
        std::vector<uint8_t> data(bytes + 64);
        for (size_t i = 0; i < data.size(); i += 8) {
            const uint64_t v = r.bits64();
            memcpy(&data[i], &v, 8);
        }
        load(l.source_primary, l.source, data);
    }

    void launch(const Layer &l) {
        program(Main, writes_of(random, l));
        armed_at = design.now;
        arm(Main);
        counted |= l.stall_counters;
        run_model();
    }

    void check_all() {
        if (checks.failing())
            return;
        check(0x64, [](size_t, uint32_t offset) {
            return offset == RBK_D_PERF_READ_STALL || offset == RBK_D_PERF_WRITE_STALL;
        });
        for (uint32_t group = 0; group < 2; group++) {
            select(group);
            read_stalls[group] = csb.read(Main, RBK_D_PERF_READ_STALL);
            write_stalls[group] = csb.read(Main, RBK_D_PERF_WRITE_STALL);
        }
        if (!counted && (read_stalls[0] | read_stalls[1] | write_stalls[0] | write_stalls[1]) != 0)
            checks.fail("requests are counted without PERF_EN");
    }
};

// ---- cases ----

// Clocks of one layer without stalls: no more than its atoms need on the side that has more of them, and `extra`.
// read_stall: what the counter must show, unless it is negative.
void rate(const char *name, Layer l, uint64_t beats, int extra, int read_stall) {
    checks.start(std::string("rate of ") + name);
    Run run(Behaviour::quiet(32), 1);
    run.place(l, 0, true);
    l.stall_counters = read_stall >= 0;
    run.launch(l);
    run.chain.wait_done(1);
    run.check_all();
    if (checks.failing())
        return;
    if (read_stall >= 0)
        checks.equal("PERF_READ_STALL", run.read_stalls[0], static_cast<uint64_t>(read_stall));
    checks.at_most("clocks", run.done.times[0] - run.armed_at, beats + static_cast<uint64_t>(extra));
}

// The order of the beats that the chapter's examples read.
void requests(const char *name, const Layer &layer, const std::vector<uint64_t> &reads) {
    checks.start(std::string("requests of the chapter's example: ") + name);
    Run run(Behaviour::quiet(20), 2);
    Layer l = layer;
    run.place(l, 0, true);
    std::vector<uint64_t> seen;
    run.reader.wanted = [&](bool, uint64_t address) { seen.push_back(address - l.source); };
    run.launch(l);
    run.chain.wait_done(1);
    run.check_all();
    if (seen != reads)
        checks.fail("%zu beats are read, expected %zu, or another order", seen.size(), reads.size());
}

// The beats of requests of `count` atoms.
std::vector<uint64_t> runs(const std::vector<uint64_t> &starts, uint64_t count) {
    std::vector<uint64_t> list;
    for (uint64_t start : starts)
        for (uint64_t beat = start & ~UINT64_C(63); beat < start + 32 * count; beat += 64)
            list.push_back(beat);
    return list;
}

Layer layer_of(int mode, int precision, int width, int height, int channels, int x_stride, int y_stride) {
    Layer l = {};
    l.mode = mode;
    l.precision = precision;
    l.width = width;
    l.height = height;
    l.channels = channels;
    l.x_stride = x_stride;
    l.y_stride = y_stride;
    return l;
}

} // namespace

void directed_cases() {
    requests("contract", layer_of(Contract, 0, 2, 1, 40, 2, 2),
             runs({0x00, 0x80, 0x100, 0x180, 0x40, 0xc0, 0x140, 0x1c0}, 2));
    requests("split", layer_of(Split, 0, 33, 2, 34, 1, 1), runs({0, 0x420, 0x840, 0xc60}, 33));
    std::vector<uint64_t> planes;
    for (uint64_t channel : {0u, 32u})
        for (uint64_t line : {0u, 0x40u})
            for (uint64_t k = 0; k < (channel ? 2u : 32u); k++)
                planes.push_back((channel + k) * 0x80 + line);
    requests("merge", layer_of(Merge, 0, 33, 2, 34, 1, 1), runs(planes, 2));
    // 32 clocks of memory latency, 4 to the response; a block is read before it is written
    rate("split of 64x8x32 INT8", layer_of(Split, 0, 64, 8, 32, 1, 1), 8 * 32, 120, -1);
    rate("contract of 2x1x40 by 2x2, eight requests", layer_of(Contract, 0, 2, 1, 40, 2, 2), 8, 60, 7);
    rate("merge of 64x8x32 INT8", layer_of(Merge, 0, 64, 8, 32, 1, 1), 8 * 32, 120, -1);
    rate("split of 64x8x16 INT16", layer_of(Split, 1, 64, 8, 16, 1, 1), 8 * 32, 120, -1);
    rate("merge of 64x8x16 FP16", layer_of(Merge, 2, 64, 8, 16, 1, 1), 8 * 32, 120, -1);
    rate("contract of 32x4x32 by 2x2", layer_of(Contract, 0, 32, 4, 32, 2, 2), 4 * 2 * 32, 120, -1);
    rate("contract of 8x4x32 by 16x2", layer_of(Contract, 0, 8, 4, 32, 16, 2), 4 * 2 * 64, 160, -1);
    rate("contract of 9x4x32 by 3x1", layer_of(Contract, 0, 9, 4, 32, 3, 1), 4 * 18, 120, -1);
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
    for (int count = crowd ? 8 : r.range(1, 4); count > 0; count--, launched++) {
        Layer l = draw(run.random, static_cast<int>((seed + launched * 5) % 3), crowd ? 4 : 1500);
        run.place(l, static_cast<int>(launched), false);
        checks.detail(describe(l));
        if (!(by_status ? run.chain.wait_free(Run::Main) : run.chain.wait_done(launched > 0 ? launched - 1 : 0)))
            return;
        run.launch(l);
    }
    if (!run.chain.wait_done(launched))
        return;
    if (crowd)
        run.check_crowd();
    run.check_all();
}
