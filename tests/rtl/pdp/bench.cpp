// nvdla_pdp alone against the C model: random layers through the register ports, a memory with stalls, an SDP stream.
//
// usage: bench CONFIG COUNT [FIRST]      runs the rate checks and the random seeds FIRST .. FIRST+COUNT-1 (FIRST 0 if
// not given) Every seed is a chain of 1..4 layers, both groups in use, each with its own geometry; at the end both
// memories must be equal. Output: "ok ..." or "FAIL ..." a check, then "N passed, N failed"; exit status 0 if nothing
// failed. A seed always makes the same run.
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "Vnvdla_pdp.h"
#include "nvdla_offsets.h"
#include "reference.h"
#include "verilated.h"

namespace {

// ---- random numbers ----

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

// ---- a layer ----

struct Layer {
    bool memory; // input from PDP_RDMA, else from SDP
    int method;  // 0 average, 1 max, 2 min
    int width, height, channels, out_width, out_height;
    int kw, kh, sw, sh; // kernel, stride
    int pl, pr, pt, pb; // pads
    int strips;         // 1: no split
    int in[3], out[3];  // first, mid, last widths of strips
    uint32_t recip_width, recip_height, pad_value[7];
    bool source_primary, destination_primary;
    uint64_t source, destination;
    uint32_t source_line, source_surface, destination_line, destination_surface;
    bool stall_counters;
    std::vector<uint8_t> cube; // from SDP, in processing order
};

int surfaces_of(const Layer &layer, int atom) {
    return (layer.channels - 1) / atom + 1;
}

// Widest output line that the line buffer holds (chapter 60 section 9).
int widest(int kh, int sh) {
    int rows = (kh + sh - 1) / sh;
    return kh == 1 ? 400 : rows == 1 ? 128 : rows == 2 ? 64 : rows <= 4 ? 32 : 16;
}

std::string describe(const Layer &l) {
    char text[400];
    snprintf(
        text, sizeof text,
        "%s %s %dx%dx%d -> %dx%d kernel %dx%d stride %dx%d pads l%d r%d t%d b%d strips %d (in %d %d %d out %d %d %d) "
        "src %d:%" PRIx64 "+%x,%x dst %d:%" PRIx64 "+%x,%x",
        l.memory ? "memory" : "sdp",
        l.method == 0   ? "average"
        : l.method == 1 ? "max"
                        : "min",
        l.width, l.height, l.channels, l.out_width, l.out_height, l.kw, l.kh, l.sw, l.sh, l.pl, l.pr, l.pt, l.pb,
        l.strips, l.in[0], l.in[1], l.in[2], l.out[0], l.out[1], l.out[2], l.source_primary, l.source, l.source_line,
        l.source_surface, l.destination_primary, l.destination, l.destination_line, l.destination_surface);
    return text;
}

// Kinds of geometry that seeds walk through in turn.
enum Theme { ANY, TINY, NARROW, LIMIT, GAPS, ONE_COLUMN, WIDE, SPLIT, MANY_STRIPS, UNUSED, THEMES };

// Output columns of the three kinds of strips; false if the draw does not fit.
bool draw_strips(Random &r, Theme theme, Layer &l) {
    int limit = widest(l.kh, l.sh) < 40 ? widest(l.kh, l.sh) : 40;
    bool many = theme == MANY_STRIPS;
    l.strips = many ? (r.percent(25) ? 256 : r.range(2, 255)) : r.range(2, 6);
    for (int &out : l.out) {
        out = r.range(1, many ? 2 : limit);
    }
    int ov = l.kw - l.sw, n = l.strips;
    l.out_width = l.out[0] + (n - 2) * l.out[1] + l.out[2];
    l.width = (l.out_width - 1) * l.sw + l.kw - l.pl - l.pr;
    l.in[0] = (l.out[0] - 1) * l.sw + l.kw - l.pl;
    l.in[1] = l.out[1] * l.sw;
    l.in[2] = l.width - l.in[0] - (n - 2) * l.in[1];
    return l.in[0] >= 1 && l.in[0] >= ov && l.in[1] + ov >= 1 && l.in[2] >= 1 && l.in[2] + ov >= 1 && l.in[0] <= 1024 &&
           l.in[1] <= 1024 && l.in[2] <= 1024;
}

bool draw_geometry(Random &r, Theme theme, int atom, int budget, Layer &l) {
    bool wide = theme == WIDE;
    l.kw = r.range(1, 8);
    l.kh = wide ? 1 : r.range(1, 8);
    l.sw = theme == GAPS ? r.range(l.kw, 16) : r.range(1, r.percent(70) ? l.kw : 16);
    l.sh = theme == GAPS ? r.range(l.kh, 16) : r.range(1, r.percent(70) ? l.kh : 16);
    l.pl = r.range(0, r.percent(60) ? (l.kw - 1 < 7 ? l.kw - 1 : 7) : 0);
    l.pr = r.range(0, r.percent(60) ? l.kw - 1 : 0);
    l.pt = r.range(0, r.percent(60) ? l.kh - 1 : 0);
    l.pb = r.range(0, r.percent(60) ? l.kh - 1 : 0);
    l.memory = theme == SPLIT || theme == MANY_STRIPS || r.percent(60);
    l.channels = theme == MANY_STRIPS ? r.range(1, atom) : r.range(1, r.percent(50) ? atom : 4 * atom);
    int limit = widest(l.kh, l.sh);
    int small = theme == TINY ? 3 : 12;
    l.out_height = r.range(1, theme == MANY_STRIPS ? 2 : small);
    l.strips = 1;
    if (theme == SPLIT || theme == MANY_STRIPS) {
        if (!draw_strips(r, theme, l)) {
            return false;
        }
    } else {
        l.out_width = theme == LIMIT        ? limit
                      : theme == ONE_COLUMN ? 1
                      : wide                ? r.range(100, 300)
                                            : r.range(1, small < limit ? small : limit);
        l.width = (l.out_width - 1) * l.sw + l.kw - l.pl - l.pr;
        if (theme == NARROW && l.width >= l.kw) {
            return false;
        }
        for (int i = 0; i < 3; i++) {
            l.in[i] = r.range(1, 1024);
            l.out[i] = r.range(1, 1024);
        }
    }
    l.height = (l.out_height - 1) * l.sh + l.kh - l.pt - l.pb;
    if (theme == UNUSED) {
        l.width += l.sw > 1 ? r.range(0, l.sw - 1) : 0;
        l.height += l.sh > 1 ? r.range(0, l.sh - 1) : 0;
    }
    long atoms = static_cast<long>(l.width) * l.height + static_cast<long>(l.out_width) * l.out_height;
    return l.width >= 1 && l.height >= 1 && l.width <= 8192 && atoms * surfaces_of(l, atom) <= budget;
}

// The usual one, any, one around 1, or one with which the first product passes 31 bits (chapter 60 section 5.3).
uint32_t reciprocal(Random &r, int k) {
    if (r.percent(40)) {
        return static_cast<uint32_t>(65536 / k);
    }
    if (r.percent(40)) {
        return static_cast<uint32_t>(r.range(0x1f000, 0x1ffff));
    }
    return r.percent(50) ? r.bits() & 0x1ffff : static_cast<uint32_t>(r.range(0x8000, 0x14000));
}

// T(n) with which a row sum passes 11 bits, or a total 14 (chapter 60 section 5.3).
int edge_pad(Random &r, const Layer &l) {
    int elements = 32 * l.kw, sign = r.percent(50) ? 1 : -1;
    return sign * (r.percent(40) ? 1024 - r.range(0, 2 * elements)
                                 : (8192 + r.range(-elements * l.kh, elements * l.kh / 4)) / l.kw);
}

void draw_arithmetic(Random &r, Layer &l) {
    l.method = r.percent(50) ? 0 : r.range(1, 2);
    l.recip_width = reciprocal(r, l.kw);
    l.recip_height = reciprocal(r, l.kh);
    int kind = r.range(0, 5), p = r.range(-128, 127);
    for (int n = 1; n <= 7; n++) {
        l.pad_value[n - 1] = (kind == 0   ? 0
                              : kind == 1 ? static_cast<uint32_t>(n * p)
                              : kind == 2 ? static_cast<uint32_t>(n * p) & 0x7ff
                              : kind == 3 ? r.bits()
                                          : static_cast<uint32_t>(edge_pad(r, l))) &
                             0x7ffff;
    }
}

// ---- the design ----

struct Timing {
    int csb, accept, data, latency, write_latency, sdp; // chances in percent; latencies in clocks
};

// Quiet memory: everything accepted, answers after the given clocks.
Timing no_stalls(int latency) {
    return {100, 100, 100, latency, 4, 100};
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
    void feed(const std::vector<uint8_t> &cube) {
        stream_.insert(stream_.end(), cube.begin(), cube.end());
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
    std::string leftover() const {
        if (stream_.empty() && reads_.empty() && writes_.empty() && responses_.empty()) {
            return "";
        }
        return std::to_string(stream_.size()) + " bytes of SDP, " + std::to_string(reads_.size()) + " atoms read, " +
               std::to_string(writes_.size()) + " writes, " + std::to_string(responses_.size()) +
               " write responses are left over";
    }
    const std::string &failure() const {
        return failure_;
    }

  private:
    struct Access {
        bool valid, rdma, write;
        uint32_t offset, value;
    };
    struct Run {
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
        top_.sdp_valid_i = 0;
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
        // valid stays up until it is accepted
        if (!stream_.empty() && (offered_ || random_.percent(timing_.sdp))) {
            offered_ = true;
            uint8_t beat[64];
            std::copy_n(stream_.begin(), shape_.sdp, beat);
            memcpy(&top_.sdp_data_i, beat, static_cast<size_t>(shape_.sdp));
            top_.sdp_valid_i = 1;
        }
        // Without a secondary memory nothing ever accepts a request to it (chapter 70 section 7).
        const bool both = shape_.memories == 2;
        top_.r_mif_ready_i = random_.percent(timing_.accept) && (both || top_.r_mif_ram_o);
        top_.w_mif_ready_i = random_.percent(timing_.accept) && (both || top_.w_mif_ram_o);
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
        if (top_.sdp_valid_i && top_.sdp_ready_o) {
            stream_.erase(stream_.begin(), stream_.begin() + shape_.sdp);
            offered_ = false;
        }
        if (top_.r_mif_valid_o && top_.r_mif_ready_i) {
            for (int i = 0; i <= top_.r_mif_len_o; i++) {
                uint64_t due = now_ + static_cast<uint64_t>(timing_.latency + random_.range(0, timing_.latency / 4));
                if (timing_.data == 100) {
                    due = now_ + static_cast<uint64_t>(timing_.latency);
                }
                reads_.push_back(
                    {top_.r_mif_ram_o != 0, (top_.r_mif_addr_o & mask) + static_cast<uint64_t>(i * shape_.atom), due});
            }
        }
        if (top_.w_mif_valid_o && top_.w_mif_ready_i) {
            writes_.push_back({top_.w_mif_ram_o != 0, top_.w_mif_addr_o & mask, top_.w_mif_len_o + 1});
        }
        if (top_.w_mif_dat_valid_o && top_.w_mif_dat_ready_i) {
            if (writes_.empty()) {
                fail("write data without a request");
            } else {
                Run &run = writes_.front();
                uint8_t atom[64];
                memcpy(atom, &top_.w_mif_dat_data_o, static_cast<size_t>(shape_.atom));
                reference_write(ref_, REFERENCE_RTL, run.primary, run.address, atom, static_cast<size_t>(shape_.atom));
                run.address += static_cast<uint64_t>(shape_.atom);
                if (--run.beats == 0) {
                    writes_.pop_front();
                    responses_.push_back(now_ + static_cast<uint64_t>(timing_.write_latency));
                }
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
    Vnvdla_pdp top_;
    Access access_ = {};
    bool offered_ = false, driven_ = false;
    uint64_t now_ = 0;
    std::deque<uint8_t> stream_;
    std::deque<Answer> reads_;
    std::deque<Run> writes_;
    std::deque<uint64_t> responses_;
    std::vector<int> groups_;
    std::vector<uint64_t> times_;
    std::string failure_;
};

// ---- programming ----

struct Write {
    uint32_t offset, value;
};

uint32_t three(const int (&w)[3]) { // first, last, mid
    return static_cast<uint32_t>(w[0] - 1) | static_cast<uint32_t>(w[2] - 1) << 10 |
           static_cast<uint32_t>(w[1] - 1) << 20;
}

std::vector<Write> pdp_writes(Random &r, const Layer &l) {
    auto u = [](int value) { return static_cast<uint32_t>(value); };
    std::vector<Write> w = {
        {PDP_D_DATA_CUBE_IN_WIDTH, l.strips > 1 ? r.bits() : u(l.width - 1)},
        {PDP_D_DATA_CUBE_IN_HEIGHT, u(l.height - 1)},
        {PDP_D_DATA_CUBE_IN_CHANNEL, u(l.channels - 1)},
        {PDP_D_DATA_CUBE_OUT_WIDTH, l.strips > 1 ? r.bits() : u(l.out_width - 1)},
        {PDP_D_DATA_CUBE_OUT_HEIGHT, u(l.out_height - 1)},
        {PDP_D_DATA_CUBE_OUT_CHANNEL, u(l.channels - 1)},
        {PDP_D_OPERATION_MODE_CFG, u(l.method) | u(l.memory) << 4 | u(l.strips - 1) << 8},
        {PDP_D_NAN_FLUSH_TO_ZERO, r.bits()},
        {PDP_D_PARTIAL_WIDTH_IN, three(l.in)},
        {PDP_D_PARTIAL_WIDTH_OUT, three(l.out)},
        {PDP_D_POOLING_KERNEL_CFG, u(l.kw - 1) | u(l.kh - 1) << 8 | u(l.sw - 1) << 16 | u(l.sh - 1) << 20},
        {PDP_D_RECIP_KERNEL_WIDTH, l.recip_width},
        {PDP_D_RECIP_KERNEL_HEIGHT, l.recip_height},
        {PDP_D_POOLING_PADDING_CFG, u(l.pl) | u(l.pt) << 4 | u(l.pr) << 8 | u(l.pb) << 12},
        {PDP_D_SRC_BASE_ADDR_LOW, r.bits()},
        {PDP_D_SRC_LINE_STRIDE, r.bits()},
        {PDP_D_DST_BASE_ADDR_LOW, static_cast<uint32_t>(l.destination)},
        {PDP_D_DST_BASE_ADDR_HIGH, static_cast<uint32_t>(l.destination >> 32)},
        {PDP_D_DST_LINE_STRIDE, l.destination_line},
        {PDP_D_DST_SURFACE_STRIDE, l.destination_surface},
        {PDP_D_DST_RAM_CFG, l.destination_primary},
        {PDP_D_DATA_FORMAT, 0},
        {PDP_D_PERF_ENABLE, l.stall_counters},
        {PDP_D_CYA, r.bits()},
    };
    for (uint32_t n = 0; n < 7; n++) {
        w.push_back({PDP_D_POOLING_PADDING_VALUE_1_CFG + 4 * n, l.pad_value[n]});
    }
    return w;
}

std::vector<Write> rdma_writes(Random &r, const Layer &l) {
    auto u = [](int value) { return static_cast<uint32_t>(value); };
    return {
        {PDP_RDMA_D_DATA_CUBE_IN_WIDTH, l.strips > 1 ? r.bits() : u(l.width - 1)},
        {PDP_RDMA_D_DATA_CUBE_IN_HEIGHT, u(l.height - 1)},
        {PDP_RDMA_D_DATA_CUBE_IN_CHANNEL, u(l.channels - 1)},
        {PDP_RDMA_D_FLYING_MODE, r.bits()},
        {PDP_RDMA_D_SRC_BASE_ADDR_LOW, static_cast<uint32_t>(l.source)},
        {PDP_RDMA_D_SRC_BASE_ADDR_HIGH, static_cast<uint32_t>(l.source >> 32)},
        {PDP_RDMA_D_SRC_LINE_STRIDE, l.source_line},
        {PDP_RDMA_D_SRC_SURFACE_STRIDE, l.source_surface},
        {PDP_RDMA_D_SRC_RAM_CFG, l.source_primary},
        {PDP_RDMA_D_DATA_FORMAT, 0},
        {PDP_RDMA_D_OPERATION_MODE_CFG, u(l.strips - 1)},
        {PDP_RDMA_D_POOLING_KERNEL_CFG, u(l.kw - 1) | u(l.sw - 1) << 4},
        {PDP_RDMA_D_POOLING_PADDING_CFG, r.bits()},
        {PDP_RDMA_D_PARTIAL_WIDTH_IN, three(l.in)},
        {PDP_RDMA_D_PERF_ENABLE, l.stall_counters},
        {PDP_RDMA_D_CYA, r.bits()},
    };
}

// A run of layers: both sides get the same writes.
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
    Bench &bench() {
        return bench_;
    }

    // Gives the layer its places in memory (region `index`) and random data.
    void place(Layer &l, int index, bool exact) {
        Random &r = random_;
        int atom = shape_.atom, n = surfaces_of(l, atom);
        l.source_primary = shape_.memories == 1 || r.percent(50);
        l.destination_primary = shape_.memories == 1 || r.percent(50);
        l.stall_counters = r.percent(50);
        // Bases, lines and surfaces with gaps; some with bits below the atom, which the model and the hardware carry
        // alike.
        auto stride = [&](int bytes) {
            int gap = exact ? 0 : r.range(0, 3) * atom + (r.percent(10) ? r.range(0, atom - 1) : 0);
            return static_cast<uint32_t>(bytes + gap);
        };
        uint64_t region = UINT64_C(0x40000000) + static_cast<uint64_t>(index) * UINT64_C(0x08000000);
        if (shape_.atom > 8 && r.percent(50)) {
            region += UINT64_C(0x100000000) * static_cast<uint64_t>(r.range(1, 15));
        }
        l.source_line = stride((l.width + 8) * atom);
        l.source_surface = stride(l.height * static_cast<int>(l.source_line));
        l.destination_line = stride((l.out_width + 1) * atom);
        l.destination_surface = stride(l.out_height * static_cast<int>(l.destination_line));
        l.source = region + static_cast<uint64_t>(r.range(0, 40) * atom + (exact           ? 0
                                                                           : r.percent(10) ? r.range(0, atom - 1)
                                                                                           : 0));
        l.destination = region + UINT64_C(0x04000000) +
                        static_cast<uint64_t>(r.range(0, 40) * atom + (exact           ? 0
                                                                       : r.percent(10) ? r.range(0, atom - 1)
                                                                                       : 0));
        int kind = r.range(0, 3);
        auto element = [&] {
            uint32_t v = r.bits();
            return static_cast<uint8_t>(kind == 0 ? (v & 1 ? 0x7f : 0x80) : kind == 1 ? (v & 0xff) % 17 - 8 : v);
        };
        if (l.memory) {
            std::vector<uint8_t> bytes(static_cast<size_t>(n) * l.source_surface + static_cast<size_t>(atom));
            for (uint8_t &b : bytes) {
                b = element();
            }
            reference_load(ref_, l.source_primary, l.source & ~static_cast<uint64_t>(atom - 1), bytes.data(),
                           bytes.size());
        } else {
            l.cube.resize(static_cast<size_t>(n) * static_cast<size_t>(l.width) * static_cast<size_t>(l.height) *
                          static_cast<size_t>(atom));
            for (uint8_t &b : l.cube) {
                b = element();
            }
        }
    }

    // Arms both units with whatever the registers may hold. Such a layer may hang or write anywhere, but time must go
    // on.
    void junk(int clocks) {
        for (uint32_t offset = 0xa4; offset >= 0x8; offset -= 4) { // D_OP_ENABLE last
            bench_.write(true, offset, offset == 0x8 ? 1 : random_.bits());
            bench_.write(false, offset, offset == 0x8 ? 1 : random_.bits());
        }
        bench_.feed(std::vector<uint8_t>(4096, 0x55));
        for (int i = 0; i < clocks; i++) {
            bench_.clock();
        }
    }

    // Programs and arms a layer in the next groups, runs it on the model.
    bool launch(const Layer &l) {
        uint32_t group = static_cast<uint32_t>(launched_ & 1), rdma_group = static_cast<uint32_t>(rdma_launched_ & 1);
        both(false, PDP_S_POINTER, group);
        all(false, pdp_writes(random_, l));
        if (l.memory) {
            both(true, PDP_RDMA_S_POINTER, rdma_group);
            all(true, rdma_writes(random_, l));
            rdma_launched_++;
        } else {
            bench_.feed(l.cube);
        }
        bool rdma_first = random_.percent(50);
        armed_at_ = bench_.now();
        if (l.memory && rdma_first) {
            both(true, PDP_RDMA_D_OP_ENABLE, 1);
        }
        both(false, PDP_D_OP_ENABLE, 1);
        if (l.memory && !rdma_first) {
            both(true, PDP_RDMA_D_OP_ENABLE, 1);
        }
        launched_++;
        write_counted_ |= l.stall_counters;
        read_counted_ |= l.memory && l.stall_counters;
        const char *reason = "";
        if (!reference_run(ref_, l.cube.data(), l.cube.size(), &reason)) {
            failure_ = std::string("the model refuses the layer: ") + reason;
            return false;
        }
        return true;
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
    // Lets time pass until the group that the next layer takes is free.
    bool wait_free(uint64_t limit) {
        uint64_t end = bench_.now() + limit;
        while (bench_.now() < end) {
            uint32_t status = bench_.read(false, PDP_S_STATUS);
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
        if (!bench_.leftover().empty()) {
            return bench_.leftover();
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
        uint32_t write_stall[2], read_stall[2];
        for (uint32_t g = 0; g < 2; g++) {
            both(false, PDP_S_POINTER, g);
            both(true, PDP_RDMA_S_POINTER, g);
            for (uint32_t offset = 0; offset < 0xa8; offset += 4) {
                uint32_t pdp = bench_.read(false, offset), rdma = bench_.read(true, offset);
                if (offset == PDP_D_PERF_WRITE_STALL) {
                    write_stall[g] = pdp;
                } else if (pdp != reference_register_read(ref_, false, offset)) {
                    return "PDP register " + std::to_string(offset) + " reads back wrong";
                }
                if (offset == PDP_RDMA_D_PERF_READ_STALL) {
                    read_stall[g] = rdma;
                } else if (rdma != reference_register_read(ref_, true, offset)) {
                    return "PDP_RDMA register " + std::to_string(offset) + " reads back wrong";
                }
            }
        }
        // Running totals: the group used last holds the larger one; nothing is counted without DMA_EN.
        if (counters_wrong(write_stall, launched_, write_counted_)) {
            return "D_PERF_WRITE_STALL " + std::to_string(write_stall[0]) + " " + std::to_string(write_stall[1]);
        }
        if (counters_wrong(read_stall, rdma_launched_, read_counted_)) {
            return "D_PERF_READ_STALL " + std::to_string(read_stall[0]) + " " + std::to_string(read_stall[1]);
        }
        return "";
    }
    uint64_t clocks(int layer) const {
        return bench_.done_at(layer) - armed_at_;
    }

  private:
    void both(bool rdma, uint32_t offset, uint32_t value) {
        reference_register_write(ref_, rdma, offset, value);
        bench_.write(rdma, offset, value);
    }
    void all(bool rdma, std::vector<Write> writes) {
        for (size_t i = writes.size(); i > 1; i--) {
            std::swap(writes[i - 1], writes[random_.bits() % i]);
        }
        for (const Write &w : writes) {
            both(rdma, w.offset, w.value);
        }
    }

    static bool counters_wrong(const uint32_t (&total)[2], int layers, bool counted) {
        bool last = ((layers + 1) & 1) != 0; // group of the last layer
        return (!counted && total[0] + total[1] != 0) || (layers >= 2 && total[last] < total[!last]);
    }

    Random random_;
    reference_shape shape_ = {};
    reference *ref_;
    Bench bench_;
    int launched_ = 0, rdma_launched_ = 0;
    bool write_counted_ = false, read_counted_ = false;
    uint64_t armed_at_ = 0;
    std::string failure_;
};

// ---- tests ----

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

// A chain of layers; prints only when it fails. Returns the sum of clocks.
bool random_seed(const char *config, uint64_t seed) {
    Random r(seed);
    Timing timing =
        r.percent(25) ? no_stalls(r.range(1, 40)) : Timing{r.range(20, 100), r.range(10, 100), r.range(10, 100),
                                                           r.range(1, 80),   r.range(1, 60),   r.range(20, 100)};
    Run run(config, timing, seed);
    int count = r.range(1, 4);
    bool by_status = r.percent(30);
    bool crowd = r.percent(8); // many finished layers that wait for their acknowledge
    if (crowd) {
        count = 8;
        by_status = true;
        timing.write_latency = 3000;
    }
    std::vector<Layer> layers;
    std::string wrong;
    for (int i = 0; i < count && wrong.empty(); i++) {
        Layer l = {};
        Theme theme = crowd ? TINY : static_cast<Theme>((seed + static_cast<uint64_t>(i) * 7) % THEMES);
        for (int tries = 0; !draw_geometry(run.random(), theme, run.shape().atom, 3000, l); tries++) {
            theme = tries < 1000 ? theme : ANY;
        }
        draw_arithmetic(run.random(), l);
        run.place(l, i, false);
        layers.push_back(l);
        if (!(by_status ? run.wait_free(2000000) : run.wait(i - 1, 2000000)) || !run.launch(layers.back())) {
            break;
        }
    }
    run.wait(static_cast<int>(layers.size()), 2000000);
    wrong = run.check();
    if (!wrong.empty()) {
        result(false, "%s seed %" PRIu64 ": %s", config, seed, wrong.c_str());
        for (const Layer &l : layers) {
            printf("      %s\n", describe(l).c_str());
        }
    }
    return wrong.empty();
}

// One layer without stalls must take no more clocks than the lanes of its input need, and `extra`. before, after: pads
// of both axes.
void rate(const char *config, const char *name, bool memory, int w, int h, int c, int k, int stride, int before,
          int after, int extra) {
    Run run(config, no_stalls(32), 1);
    const reference_shape &shape = run.shape();
    Layer l = {};
    l.memory = memory;
    l.method = 1;
    l.width = w;
    l.height = h;
    l.channels = c;
    l.kw = l.kh = k;
    l.sw = l.sh = stride;
    l.pl = l.pt = before;
    l.pr = l.pb = after;
    l.out_width = (w + before + after - k) / stride + 1;
    l.out_height = (h + before + after - k) / stride + 1;
    l.strips = 1;
    for (int i = 0; i < 3; i++) {
        l.in[i] = l.out[i] = 1;
    }
    run.place(l, 0, true);
    if (run.launch(l)) {
        run.wait(1, 1000000);
    }
    std::string wrong = run.check();
    int surfaces = surfaces_of(l, shape.atom);
    long beats = static_cast<long>(w) * h * surfaces * (shape.atom / shape.pdp);
    long sdp = memory ? 0 : static_cast<long>(w) * h * surfaces * (shape.atom / shape.sdp);
    long limit = (beats > sdp ? beats : sdp) + extra;
    if (!wrong.empty()) {
        result(false, "%s %s: %s", config, name, wrong.c_str());
        return;
    }
    long clocks = static_cast<long>(run.clocks(0));
    result(clocks <= limit, "%s %s: %ld clocks, at most %ld", config, name, clocks, limit);
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
        // 32 clocks of memory latency, 4 to the response; the rows that a bottom pad completes overlap with the next
        // surface
        rate(config, "1x1x1 from memory", true, 1, 1, 1, 3, 1, 1, 1, 60);
        rate(config, "28x28x8 max 2x2 stride 2", true, 28, 28, 8, 2, 2, 0, 0, 60);
        rate(config, "8x8x64 max 2x2 stride 1 pad 0/1", true, 8, 8, 64, 2, 1, 0, 1, 130);
        rate(config, "8x8x32 1x1 pass-through", true, 8, 8, 32, 1, 1, 0, 0, 60);
        rate(config, "8x8x32 1x1 pass-through on the fly", false, 8, 8, 32, 1, 1, 0, 0, 30);
        rate(config, "16x16x32 max 3x3 stride 1 pad 1 on the fly", false, 16, 16, 32, 3, 1, 1, 1, 200);
        rate(config, "16x16x32 max 5x5 stride 1 pad 2 on the fly", false, 16, 16, 32, 5, 1, 2, 2, 320);
    }
    for (uint64_t seed = 0; argc <= 3 && seed < 20; seed++) {
        Run(config, no_stalls(10), seed).junk(2000);
    }
    if (argc <= 3) {
        result(true, "%s time goes on with undefined registers", config);
    }
    int before = failed;
    uint64_t good = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        if (random_seed(config, seed)) {
            good++;
        }
    }
    passed += static_cast<int>(good);
    if (failed == before) {
        printf("ok    %s random layers, seeds %" PRIu64 " .. %" PRIu64 "\n", config, first, first + count - 1);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
