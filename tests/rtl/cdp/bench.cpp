// nvdla_cdp alone against the C model: random tables and layers through the register ports, a memory with stalls.
//
// usage: bench CONFIG COUNT [FIRST]      runs the rate checks and the random seeds FIRST .. FIRST+COUNT-1 (all checks
// and from seed 0 if FIRST is not given). A seed is one or two loads of the tables through the access port, reads and
// writes mixed, each followed by a chain of 1..4 layers in both groups; at the end both memories, all registers, the
// tables and the counters must be equal. Output: "ok ..." or "FAIL ..." a check, then "N passed, N failed"; exit status
// 0 if nothing failed. A seed always makes the same run.
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "Vnvdla_cdp.h"
#include "nvdla_offsets.h"
#include "reference.h"
#include "verilated.h"

namespace {

// ---- random numbers ------------------------------------------------------------------------------------------------

// splitmix64: every value is a function of the seed alone.
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed * UINT64_C(0x9e3779b97f4a7c15) + 1) {
    }
    uint32_t bits() {
        uint64_t z = state_ += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        return static_cast<uint32_t>(z >> 32);
    }
    // low .. high, both included
    int range(int low, int high) {
        return low + static_cast<int>(bits() % static_cast<uint32_t>(high - low + 1));
    }
    bool percent(int p) {
        return range(0, 99) < p;
    }

  private:
    uint64_t state_;
};

// ---- a layer -------------------------------------------------------------------------------------------------------

struct Layer {
    int width, height, channels;
    bool sum_bypass, multiply_bypass;
    int reach; // NORMALZ_LEN
    uint32_t in_offset, in_scale, in_shift, out_offset, out_scale, out_shift;
    bool source_primary, destination_primary, stall_counters;
    uint64_t source, destination;
    uint32_t source_line, source_surface, destination_line, destination_surface;
};

int surfaces_of(const Layer &layer, int atom) {
    return (layer.channels - 1) / atom + 1;
}

std::string describe(const Layer &l) {
    char text[400];
    snprintf(text, sizeof text,
             "%dx%dx%d reach %d bypass %d%d in -%x *%x >>%u out -%x *%x >>%u src %d:%" PRIx64 "+%x,%x dst %d:%" PRIx64
             "+%x,%x",
             l.width, l.height, l.channels, l.reach + 1, l.sum_bypass, l.multiply_bypass, l.in_offset, l.in_scale,
             l.in_shift, l.out_offset, l.out_scale, l.out_shift, l.source_primary, l.source, l.source_line,
             l.source_surface, l.destination_primary, l.destination, l.destination_line, l.destination_surface);
    return text;
}

// Kinds of geometry that seeds walk through in turn.
enum Theme { ANY, TINY, COLUMN, GROUPS, DEEP, ONE_SURFACE, THEMES };

void draw_geometry(Random &r, Theme theme, int atom, int budget, Layer &l) {
    do {
        l.width = theme == COLUMN || theme == DEEP ? 1
                  : theme == GROUPS                ? 8 * r.range(1, 5) + r.range(-1, 1)
                                                   : r.range(1, theme == TINY ? 3 : 20);
        l.height = r.range(1, theme == TINY ? 2 : 8);
        l.channels = theme == DEEP          ? r.range(1, 8192)
                     : theme == ONE_SURFACE ? r.range(1, atom)
                                            : r.range(1, r.percent(50) ? 2 * atom + 1 : 6 * atom);
    } while (l.width * l.height * surfaces_of(l, atom) > budget);
}

void draw_arithmetic(Random &r, Layer &l) {
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
    int bits = (l.multiply_bypass ? 8 : 15) + (plain ? 0 : 14);
    l.out_shift = static_cast<uint32_t>(r.percent(80) ? r.range(0, 10) + bits - 8 : r.range(0, 63)) & 63;
}

// ---- the tables ----------------------------------------------------------------------------------------------------

struct Write {
    uint32_t offset, value;
};

// CDP_S_LUT_CFG .. CDP_S_LUT_LO_SLOPE_SHIFT, such that inputs of some kind fall into or near the tables.
std::vector<Write> draw_tables(Random &r) {
    auto select = [&](int last) {
        int kind = r.range(0, 19);
        int value = kind < 15 ? r.range(-3, last) : kind == 15 ? -32 : kind == 16 ? -31 : r.range(-128, 127);
        return static_cast<uint32_t>(value) & 0xff;
    };
    auto start = [&]() -> uint64_t {
        int kind = r.range(0, 9);
        if (kind < 7) {
            return static_cast<uint64_t>(static_cast<int64_t>(kind < 2   ? 0
                                                              : kind < 5 ? r.range(-300, 300)
                                                                         : r.range(-300000, 300000)));
        }
        return kind == 7 ? r.bits() & 0x3fffff : (static_cast<uint64_t>(r.bits()) << 32 | r.bits());
    };
    auto scale = [&] {
        return r.percent(20) ? 0 : r.percent(50) ? static_cast<uint32_t>(r.range(-50, 50)) & 0xffff : r.bits() & 0xffff;
    };
    auto shifts = [&] { return r.percent(70) ? r.bits() : r.percent(50) ? 0x3ff : 0x3df; }; // -1 and -1, -1 and -2
    uint32_t le_select = select(15), lo_select = select(13);
    int offset_kind = r.range(0, 19); // START + B has 39 bits
    uint32_t offset = static_cast<uint32_t>(offset_kind < 14   ? r.range(-40, 20)
                                            : offset_kind < 18 ? r.range(36, 40)
                                                               : r.range(-128, 127)) &
                      0xff;
    uint64_t place[4] = {start(), start(), start(), start()}; // start and end of LE, of LO
    place[1] = r.percent(60) ? place[0] + (UINT64_C(64) << (le_select & 15)) : place[1];
    place[3] = r.percent(60) ? place[2] + (UINT64_C(256) << (lo_select & 15)) : place[3];
    std::vector<Write> writes = {
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

// ---- the design ----------------------------------------------------------------------------------------------------

struct Timing {
    int csb, accept, data, latency, write_latency; // chances in percent; latencies in clocks
};

// Quiet memory: everything accepted, answers after the given clocks.
Timing no_stalls(int latency) {
    return {100, 100, 100, latency, 4};
}

class Bench {
  public:
    Bench(reference *ref, const reference_shape &shape, const Timing &timing, uint64_t seed)
        : ref_(ref), shape_(shape), timing_(timing), random_(seed ^ UINT64_C(0x5a5a5a5a)) {
        top_.rst_ni = 0;
        set_quiet();
        for (int i = 0; i < 4; i++) {
            half_clock(0);
            half_clock(1);
        }
        top_.rst_ni = 1;
    }
    ~Bench() {
        top_.final();
    }

    // One clock: inputs, sampling, edge.
    void clock() {
        drive();
        half_clock(0);
        sample();
        half_clock(1);
        now_++;
    }
    void write(bool rdma, uint32_t offset, uint32_t value) {
        while (!random_.percent(timing_.csb)) {
            clock();
        }
        access_ = {true, rdma, true, offset, value};
        clock();
        access_ = {};
    }
    uint32_t read(bool rdma, uint32_t offset) {
        access_ = {true, rdma, false, offset, 0};
        clock();
        access_ = {};
        drive();
        half_clock(0);
        uint32_t value = rdma ? top_.csb_rdma_rdata_o : top_.csb_rdata_o;
        if ((rdma ? top_.csb_rdata_o : top_.csb_rdma_rdata_o) != 0) {
            fail("the window that was not addressed answers");
        }
        sample();
        half_clock(1);
        now_++;
        return value;
    }

    uint64_t now() const {
        return now_;
    }
    int done() const {
        return static_cast<int>(groups_.size());
    }
    int group(int layer) const {
        return groups_[static_cast<size_t>(layer)];
    }
    uint64_t done_at(int layer) const {
        return times_[static_cast<size_t>(layer)];
    }
    // What is left of the traffic when all layers are done: must be nothing.
    bool leftover() const {
        return !reads_.empty() || !writes_.empty() || !responses_.empty();
    }
    const std::string &failure() const {
        return failure_;
    }

  private:
    struct Access {
        bool valid, rdma, write;
        uint32_t offset, value;
    };
    struct Burst {
        bool primary;
        uint64_t address;
        int beats;
    };
    struct Answer {
        bool primary;
        uint64_t address, due;
    };

    void fail(const char *text) {
        if (failure_.empty()) {
            failure_ = std::string(text) + " at clock " + std::to_string(now_);
        }
    }
    void half_clock(int level) {
        top_.clk_i = static_cast<CData>(level);
        top_.eval();
    }
    void set_quiet() {
        top_.csb_req_i = top_.csb_rdma_req_i = top_.csb_write_i = 0;
        top_.csb_addr_i = 0;
        top_.csb_wdata_i = 0;
        top_.r_mif_ready_i = top_.r_mif_rsp_valid_i = top_.w_mif_ready_i = top_.w_mif_dat_ready_i = top_.w_mif_rsp_i =
            0;
    }

    void drive() {
        if (driven_) {
            return;
        }
        driven_ = true;
        set_quiet();
        if (access_.valid) {
            top_.csb_req_i = !access_.rdma;
            top_.csb_rdma_req_i = access_.rdma;
            top_.csb_write_i = access_.write;
            top_.csb_addr_i = static_cast<SData>(access_.offset / 4);
            top_.csb_wdata_i = access_.value;
        }
        top_.r_mif_ready_i = random_.percent(timing_.accept);
        top_.w_mif_ready_i = random_.percent(timing_.accept);
        top_.w_mif_dat_ready_i =
            !writes_.empty() && random_.percent(timing_.data); // data are taken after their request
        if (!reads_.empty() && reads_.front().due <= now_ && random_.percent(timing_.data)) {
            uint8_t atom[64];
            reference_read(ref_, REFERENCE_RTL, reads_.front().primary, reads_.front().address, atom,
                           static_cast<size_t>(shape_.atom));
            memcpy(&top_.r_mif_rsp_data_i, atom, static_cast<size_t>(shape_.atom));
            top_.r_mif_rsp_valid_i = 1;
            reads_.pop_front();
        }
        if (!responses_.empty() && responses_.front() <= now_ && random_.percent(timing_.data)) {
            top_.w_mif_rsp_i = 1;
            responses_.pop_front();
        }
    }

    // What was handed over in this clock.
    void sample() {
        driven_ = false;
        uint64_t mask = ~static_cast<uint64_t>(shape_.atom - 1);
        if (top_.r_mif_valid_o && top_.r_mif_ready_i) {
            for (int i = 0; i <= top_.r_mif_len_o; i++) {
                uint64_t due = now_ + static_cast<uint64_t>(timing_.latency);
                if (timing_.data < 100) {
                    due += static_cast<uint64_t>(random_.range(0, timing_.latency / 4));
                }
                reads_.push_back(
                    {top_.r_mif_ram_o != 0, (top_.r_mif_addr_o & mask) + static_cast<uint64_t>(i * shape_.atom), due});
            }
        }
        if (top_.w_mif_valid_o && top_.w_mif_ready_i) {
            writes_.push_back({top_.w_mif_ram_o != 0, top_.w_mif_addr_o & mask, top_.w_mif_len_o + 1});
        }
        if (top_.w_mif_dat_valid_o && top_.w_mif_dat_ready_i) {
            Burst &burst = writes_.front();
            uint8_t atom[64];
            memcpy(atom, &top_.w_mif_dat_data_o, static_cast<size_t>(shape_.atom));
            reference_write(ref_, REFERENCE_RTL, burst.primary, burst.address, atom, static_cast<size_t>(shape_.atom));
            burst.address += static_cast<uint64_t>(shape_.atom);
            if (--burst.beats == 0) {
                writes_.pop_front();
                responses_.push_back(now_ + static_cast<uint64_t>(timing_.write_latency));
            }
        }
        if (top_.done_intr_o) {
            if (top_.done_intr_o == 3) {
                fail("both done interrupts at once");
            }
            groups_.push_back(top_.done_intr_o >> 1);
            times_.push_back(now_);
        }
    }

    reference *ref_;
    reference_shape shape_;
    Timing timing_;
    Random random_;
    Vnvdla_cdp top_;
    Access access_ = {};
    bool driven_ = false;
    uint64_t now_ = 0;
    std::deque<Answer> reads_;
    std::deque<Burst> writes_;
    std::deque<uint64_t> responses_;
    std::vector<int> groups_;
    std::vector<uint64_t> times_;
    std::string failure_;
};

// ---- programming ---------------------------------------------------------------------------------------------------

std::vector<Write> cdp_writes(Random &r, const Layer &l) {
    auto u = [](int value) { return static_cast<uint32_t>(value); };
    return {
        {CDP_D_FUNC_BYPASS, u(l.sum_bypass) | u(l.multiply_bypass) << 1},
        {CDP_D_DST_BASE_ADDR_LOW, static_cast<uint32_t>(l.destination)},
        {CDP_D_DST_BASE_ADDR_HIGH, static_cast<uint32_t>(l.destination >> 32)},
        {CDP_D_DST_LINE_STRIDE, l.destination_line},
        {CDP_D_DST_SURFACE_STRIDE, l.destination_surface},
        {CDP_D_DST_DMA_CFG, l.destination_primary},
        {CDP_D_DATA_FORMAT, r.bits()},
        {CDP_D_NAN_FLUSH_TO_ZERO, r.bits()},
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

std::vector<Write> rdma_writes(Random &r, const Layer &l) {
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
        {CDP_RDMA_D_DATA_FORMAT, r.bits()},
        {CDP_RDMA_D_PERF_ENABLE, l.stall_counters},
        {CDP_RDMA_D_CYA, r.bits()},
    };
}

// A run of layers: both sides get the same accesses.
class Run {
  public:
    Run(const char *config, const Timing &timing, uint64_t seed)
        : random_(seed), ref_(reference_new(config, &shape_)), bench_(ref_, shape_, timing, seed) {
    }
    ~Run() {
        reference_free(ref_);
    }
    Random &random() {
        return random_;
    }
    const reference_shape &shape() const {
        return shape_;
    }
    int launched() const {
        return launched_;
    }

    // Loads both tables in random order, all entries; then port accesses of any kind; then the other S_LUT registers.
    void load_tables() {
        Random &r = random_;
        int kind = r.range(0, 3);
        uint32_t first = r.bits() & 1;
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t table = first ^ i, entries = table ? 257 : 65;
            write(false, CDP_S_LUT_ACCESS_CFG, 0x20000 | table << 16 | (r.bits() & 0xfff8fc00));
            for (uint32_t n = 0; n < entries + (r.percent(20) ? 3 : 0); n++) {
                uint32_t step = static_cast<uint32_t>(table ? 100 : 400) * n;
                uint32_t value = kind == 0   ? r.bits()
                                 : kind == 1 ? step
                                 : kind == 2 ? 30000 - step
                                             : (r.bits() & 1 ? 0x7fff : 0x8000);
                write(false, CDP_S_LUT_ACCESS_DATA, value | r.bits() << 16);
                if (r.percent(2)) {
                    compare(false, r.percent(50) ? CDP_S_LUT_ACCESS_CFG : CDP_S_LUT_ACCESS_DATA);
                }
            }
        }
        for (int n = r.range(0, 40); n > 0; n--) {
            int what = r.range(0, 9);
            if (what == 0) {
                uint32_t table = r.bits() & 1;
                uint32_t address = static_cast<uint32_t>(r.percent(50) ? r.range(0, table ? 256 : 64)
                                                         : table       ? 255
                                                                       : 63);
                write(false, CDP_S_LUT_ACCESS_CFG, address | table << 16 | (r.bits() & 1) << 17);
            } else if (what < 4) {
                write(false, CDP_S_LUT_ACCESS_DATA, r.bits());
            } else {
                compare(false, what < 6 ? CDP_S_LUT_ACCESS_CFG : CDP_S_LUT_ACCESS_DATA);
            }
        }
        all(false, draw_tables(r));
    }

    // Gives the layer its places in memory (region `index`) and random data.
    void place(Layer &l, int index, bool exact) {
        Random &r = random_;
        int atom = shape_.atom, n = surfaces_of(l, atom);
        l.source_primary = shape_.memories == 1 || r.percent(50);
        l.destination_primary = shape_.memories == 1 || r.percent(50);
        l.stall_counters = r.percent(50);
        // Bases, lines and surfaces with gaps; some with bits below the atom, which are carried.
        auto low_bits = [&] { return !exact && r.percent(10) ? r.range(0, atom - 1) : 0; };
        auto stride = [&](int bytes) {
            return static_cast<uint32_t>(bytes + (exact ? 0 : r.range(0, 3) * atom) + low_bits());
        };
        auto base = [&](uint64_t region) { return region + static_cast<uint64_t>(r.range(0, 40) * atom + low_bits()); };
        uint64_t region = UINT64_C(0x40000000) + static_cast<uint64_t>(index) * UINT64_C(0x08000000);
        if (atom > 8 && r.percent(50)) {
            region += UINT64_C(0x100000000) * static_cast<uint64_t>(r.range(1, 15));
        }
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
        reference_load(ref_, l.source_primary, l.source & ~static_cast<uint64_t>(atom - 1), bytes.data(), bytes.size());
    }

    // Programs and arms a layer in the next groups, runs it on the model. prompt: both groups are armed at once.
    void launch(const Layer &l, bool prompt) {
        uint32_t group = static_cast<uint32_t>(launched_ & 1);
        write(false, CDP_S_POINTER, group);
        write(true, CDP_RDMA_S_POINTER, group);
        all(false, cdp_writes(random_, l));
        all(true, rdma_writes(random_, l));
        bool rdma_first = random_.percent(50);
        armed_at_ = bench_.now();
        write(rdma_first, rdma_first ? CDP_RDMA_D_OP_ENABLE : CDP_D_OP_ENABLE, 1);
        for (int i = !prompt && random_.percent(20) ? random_.range(1, 200) : 0; i > 0; i--) {
            bench_.clock();
        }
        write(!rdma_first, rdma_first ? CDP_D_OP_ENABLE : CDP_RDMA_D_OP_ENABLE, 1);
        launched_++;
        counted_ |= l.stall_counters;
        if (!reference_run(ref_)) {
            failure_ = "the model refuses the layer";
        }
        if (random_.percent(20)) { // the port can be read while a layer runs
            compare(false, CDP_S_LUT_ACCESS_DATA);
            compare(false, CDP_S_LUT_ACCESS_CFG);
        }
    }

    // Lets time pass until so many layers are done; false after `limit` clocks.
    bool wait(int layers, uint64_t limit) {
        uint64_t end = bench_.now() + limit;
        while (bench_.done() < layers && bench_.now() < end && bench_.failure().empty()) {
            bench_.clock();
        }
        if (bench_.done() < layers && failure_.empty()) {
            failure_ = "hang: " + std::to_string(bench_.done()) + " of " + std::to_string(launched_) + " layers done";
        }
        return bench_.done() >= layers;
    }
    // Lets time pass until the groups that the next layer takes are free.
    bool wait_free(uint64_t limit) {
        uint64_t end = bench_.now() + limit;
        while (bench_.now() < end) {
            uint32_t status = bench_.read(false, CDP_S_STATUS) | bench_.read(true, CDP_RDMA_S_STATUS);
            if (((status >> (launched_ & 1 ? 16 : 0)) & 3) == 0) {
                return true;
            }
        }
        failure_ = "hang: a group is not released";
        return false;
    }

    // Everything that must hold when all layers are done. Returns an empty string or what is wrong.
    std::string check() {
        for (int i = 0; i < 60; i++) {
            bench_.clock();
        }
        if (!bench_.failure().empty()) {
            return bench_.failure();
        }
        if (!failure_.empty()) {
            return failure_;
        }
        if (bench_.done() != launched_) {
            return "more done interrupts than layers";
        }
        for (int i = 0; i < launched_; i++) {
            if (bench_.group(i) != (i & 1)) {
                return "done interrupt of layer " + std::to_string(i) + " in the wrong group";
            }
        }
        if (bench_.leftover()) {
            return "memory traffic is left over";
        }
        bool primary;
        uint64_t address;
        if (reference_difference(ref_, &primary, &address)) {
            uint8_t rtl, model;
            reference_read(ref_, REFERENCE_RTL, primary, address, &rtl, 1);
            reference_read(ref_, REFERENCE_MODEL, primary, address, &model, 1);
            char text[160];
            snprintf(text, sizeof text, "%s memory differs at 0x%" PRIx64 ": rtl %02x, model %02x",
                     primary ? "primary" : "secondary", address, rtl, model);
            return text;
        }
        for (uint32_t g = 0; g < 2; g++) {
            write(false, CDP_S_POINTER, g);
            write(true, CDP_RDMA_S_POINTER, g);
            for (uint32_t offset = 0; offset < 0xc0; offset += 4) {
                if (offset == CDP_D_PERF_WRITE_STALL || offset == CDP_RDMA_D_PERF_READ_STALL) {
                    bool rdma = offset == CDP_RDMA_D_PERF_READ_STALL;
                    if (bench_.read(rdma, offset) != 0 && !counted_) {
                        return "stalls are counted without DMA_EN";
                    }
                    compare(!rdma, offset);
                } else {
                    compare(false, offset);
                    compare(true, offset);
                }
            }
        }
        for (uint32_t table = 0; table < 2; table++) {
            write(false, CDP_S_LUT_ACCESS_CFG, table << 16);
            for (int n = table ? 257 : 65; n > 0; n--) {
                compare(false, CDP_S_LUT_ACCESS_DATA);
            }
        }
        return failure_;
    }
    uint64_t clocks(int layer) const {
        return bench_.done_at(layer) - armed_at_;
    }

  private:
    void write(bool rdma, uint32_t offset, uint32_t value) {
        reference_register_write(ref_, rdma, offset, value);
        bench_.write(rdma, offset, value);
    }
    void compare(bool rdma, uint32_t offset) {
        uint32_t rtl = bench_.read(rdma, offset), model = reference_register_read(ref_, rdma, offset);
        if (rtl != model && failure_.empty()) {
            char text[160];
            snprintf(text, sizeof text, "%s register 0x%02x reads 0x%08x, model 0x%08x", rdma ? "CDP_RDMA" : "CDP",
                     offset, rtl, model);
            failure_ = text;
        }
    }
    void all(bool rdma, std::vector<Write> writes) {
        for (size_t i = writes.size(); i > 1; i--) {
            std::swap(writes[i - 1], writes[random_.bits() % i]);
        }
        for (const Write &w : writes) {
            write(rdma, w.offset, w.value);
        }
    }

    Random random_;
    reference_shape shape_ = {};
    reference *ref_;
    Bench bench_;
    int launched_ = 0;
    bool counted_ = false;
    uint64_t armed_at_ = 0;
    std::string failure_;
};

// ---- tests ---------------------------------------------------------------------------------------------------------

int passed, failed;

void result(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));
void result(bool ok, const char *format, ...) {
    va_list args;
    va_start(args, format);
    printf("%s  ", ok ? "ok  " : "FAIL");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    (ok ? passed : failed)++;
}

// Chains of layers with tables of their own; prints only when it fails.
bool random_seed(const char *config, uint64_t seed) {
    Random r(seed);
    Timing timing = r.percent(25)
                        ? no_stalls(r.range(1, 40))
                        : Timing{r.range(20, 100), r.range(10, 100), r.range(10, 100), r.range(1, 80), r.range(1, 60)};
    bool crowd = r.percent(8); // many finished layers that wait for their acknowledge
    bool by_status = crowd || r.percent(30);
    if (crowd) {
        timing.write_latency = 3000;
    }
    Run run(config, timing, seed);
    std::vector<Layer> layers;
    bool going = true;
    for (int chain = r.range(1, 2); chain > 0 && going; chain--) {
        run.load_tables();
        for (int count = crowd ? 8 : r.range(1, 4); count > 0 && going; count--) {
            Layer l = {};
            int index = run.launched();
            Theme theme = crowd ? TINY : static_cast<Theme>((seed + static_cast<uint64_t>(index) * 5) % THEMES);
            draw_geometry(run.random(), theme, run.shape().atom, 1200, l);
            draw_arithmetic(run.random(), l);
            run.place(l, index, false);
            layers.push_back(l);
            going = by_status ? run.wait_free(2000000) : run.wait(index - 1, 2000000);
            if (going) {
                run.launch(l, false);
            }
        }
        going = run.wait(run.launched(), 2000000) && going;
    }
    std::string wrong = run.check();
    if (!wrong.empty()) {
        result(false, "%s seed %" PRIu64 ": %s", config, seed, wrong.c_str());
        for (const Layer &l : layers) {
            printf("      %s\n", describe(l).c_str());
        }
    }
    return wrong.empty();
}

// One layer without stalls must take no more clocks than its lanes need, and `extra`.
void rate(const char *config, int w, int h, int c, int extra) {
    Run run(config, no_stalls(32), 1);
    Layer l = {};
    l.width = w;
    l.height = h;
    l.channels = c;
    l.in_scale = l.out_scale = 1;
    run.load_tables();
    run.place(l, 0, true);
    run.launch(l, true);
    run.wait(1, 1000000);
    std::string wrong = run.check();
    if (!wrong.empty()) {
        result(false, "%s %dx%dx%d: %s", config, w, h, c, wrong.c_str());
        return;
    }
    long limit =
        static_cast<long>(w) * h * surfaces_of(l, run.shape().atom) * (run.shape().atom / run.shape().cdp) + extra;
    long clocks = static_cast<long>(run.clocks(0));
    result(clocks <= limit, "%s %dx%dx%d: %ld clocks, at most %ld", config, w, h, c, clocks, limit);
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: %s CONFIG COUNT [FIRST]\n", argv[0]);
        return 2;
    }
    const char *config = argv[1];
    uint64_t count = strtoull(argv[2], nullptr, 0), first = argc > 3 ? strtoull(argv[3], nullptr, 0) : 0;
    setvbuf(stdout, nullptr, _IOLBF, 0);
    if (argc <= 3) {
        // 32 clocks of memory latency, 4 to the response; the first surface waits for the second one
        rate(config, 1, 1, 1, 60);
        rate(config, 1, 9, 64, 70);
        rate(config, 8, 8, 32, 70);
        rate(config, 13, 3, 61, 70);
        rate(config, 64, 2, 8, 70);
    }
    uint64_t good = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        good += random_seed(config, seed);
    }
    passed += static_cast<int>(good);
    printf("ok    %s %" PRIu64 " random seeds agree with the model\n", config, good);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
