// nvdla_pdp alone against the C model: random chains of layers through the register ports, both groups in use, each
// layer with its own geometry, from memory or from an SDP stream; a memory with stalls. At the end memories and
// registers must be equal. Directed cases: the rate of some layers, and registers with undefined contents.
#include "common/model_run.h"
#include "common/stream.h"

const uint64_t usual_seeds = 200;

namespace {

// ---- a layer ----

struct Layer {
    int precision; // 0 INT8, 1 INT16, 2 FP16
    bool memory;   // input from PDP_RDMA, else from SDP
    int method;    // 0 average, 1 max, 2 min
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

int element_bytes(const Layer &layer) {
    return layer.precision == 0 ? 1 : 2;
}

int surfaces_of(const Layer &layer, int atom) {
    return (layer.channels - 1) / (atom / element_bytes(layer)) + 1;
}

// Widest output line that the line buffer holds (chapter 60 section 9).
int widest(int kh, int sh) {
    int rows = (kh + sh - 1) / sh;
    return kh == 1 ? 400 : rows == 1 ? 128 : rows == 2 ? 64 : rows <= 4 ? 32 : 16;
}

std::string describe(const Layer &l) {
    char text[400];
    snprintf(text, sizeof text,
             "%s %s %s %dx%dx%d -> %dx%d kernel %dx%d stride %dx%d pads l%d r%d t%d b%d strips %d (in %d %d %d out %d "
             "%d %d) "
             "src %d:%" PRIx64 "+%x,%x dst %d:%" PRIx64 "+%x,%x",
             l.precision == 0   ? "int8"
             : l.precision == 1 ? "int16"
                                : "fp16",
             l.memory ? "memory" : "sdp",
             l.method == 0   ? "average"
             : l.method == 1 ? "max"
                             : "min",
             l.width, l.height, l.channels, l.out_width, l.out_height, l.kw, l.kh, l.sw, l.sh, l.pl, l.pr, l.pt, l.pb,
             l.strips, l.in[0], l.in[1], l.in[2], l.out[0], l.out[1], l.out[2], l.source_primary, l.source,
             l.source_line, l.source_surface, l.destination_primary, l.destination, l.destination_line,
             l.destination_surface);
    return text;
}

// Kinds of geometry that seeds walk through in turn.
enum Theme { ANY, TINY, NARROW, LIMIT, GAPS, ONE_COLUMN, WIDE, SPLIT, MANY_STRIPS, UNUSED, THEMES };

// Output columns of the three kinds of strips; false if the draw does not fit.
bool draw_strips(Random &r, Theme theme, Layer &l) {
    int limit = widest(l.kh, l.sh) < 40 ? widest(l.kh, l.sh) : 40;
    bool many = theme == MANY_STRIPS;
    l.strips = many ? (r.percent(25) ? 256 : r.range(2, 255)) : r.range(2, 6);
    for (int &out : l.out)
        out = r.range(1, many ? 2 : limit);
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
    const int lanes = atom / element_bytes(l);
    l.channels = theme == MANY_STRIPS ? r.range(1, lanes) : r.range(1, r.percent(50) ? lanes : 4 * lanes);
    int limit = widest(l.kh, l.sh);
    int small = theme == TINY ? 3 : 12;
    l.out_height = r.range(1, theme == MANY_STRIPS ? 2 : small);
    l.strips = 1;
    if (theme == SPLIT || theme == MANY_STRIPS) {
        if (!draw_strips(r, theme, l))
            return false;
    } else {
        l.out_width = theme == LIMIT        ? limit
                      : theme == ONE_COLUMN ? 1
                      : wide                ? r.range(100, 300)
                                            : r.range(1, small < limit ? small : limit);
        l.width = (l.out_width - 1) * l.sw + l.kw - l.pl - l.pr;
        if (theme == NARROW && l.width >= l.kw)
            return false;
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
    if (r.percent(40))
        return static_cast<uint32_t>(65536 / k);
    if (r.percent(40))
        return static_cast<uint32_t>(r.range(0x1f000, 0x1ffff));
    return r.percent(50) ? r.bits() & 0x1ffff : static_cast<uint32_t>(r.range(0x8000, 0x14000));
}

// T(n) with which a row sum of INT8 passes 11 bits, or a total 14 (chapter 60 section 5.3); of INT16 a total 22.
int edge_pad(Random &r, const Layer &l) {
    int elements = 32 * l.kw, sign = r.percent(50) ? 1 : -1;
    if (l.precision == 1)
        return sign * (0x3ffff - r.range(0, 1000));
    return sign * (r.percent(40) ? 1024 - r.range(0, 2 * elements)
                                 : (8192 + r.range(-elements * l.kh, elements * l.kh / 4)) / l.kw);
}

// A number of FP17 between 2^-6 and 2^6, or any pattern.
uint32_t fp17(Random &r) {
    return r.percent(70) ? static_cast<uint32_t>(r.range(25 << 10, 37 << 10)) | (r.bits() & 1) << 16
                         : r.bits() & 0x1ffff;
}

void draw_fp16(Random &r, Layer &l) {
    static const uint32_t usual[] = {0x7c00, 0x7800, 0x7555, 0x7400, 0x7266, 0x7155, 0x7092, 0x7000};
    l.recip_width = r.percent(60) ? usual[l.kw - 1] : fp17(r);
    l.recip_height = r.percent(60) ? usual[l.kh - 1] : fp17(r);
    const bool zero = r.percent(40);
    for (uint32_t &pad : l.pad_value)
        pad = (zero ? 0 : fp17(r)) | (r.bits() & 0x60000); // the two bits above count for nothing
}

void draw_arithmetic(Random &r, Layer &l) {
    l.method = r.percent(50) ? 0 : r.range(1, 2);
    if (l.precision == 2) {
        draw_fp16(r, l);
        return;
    }
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

// ---- programming ----

uint32_t three(const int (&w)[3]) { // first, last, mid
    return static_cast<uint32_t>(w[0] - 1) | static_cast<uint32_t>(w[2] - 1) << 10 |
           static_cast<uint32_t>(w[1] - 1) << 20;
}

std::vector<RegisterWrite> pdp_writes(Random &r, const Layer &l) {
    auto u = [](int value) { return static_cast<uint32_t>(value); };
    std::vector<RegisterWrite> w = {
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
        {PDP_D_DATA_FORMAT, u(l.precision)},
        {PDP_D_PERF_ENABLE, l.stall_counters},
        {PDP_D_CYA, r.bits()},
    };
    for (uint32_t n = 0; n < 7; n++)
        w.push_back({PDP_D_POOLING_PADDING_VALUE_1_CFG + 4 * n, l.pad_value[n]});
    return w;
}

std::vector<RegisterWrite> rdma_writes(Random &r, const Layer &l) {
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
        {PDP_RDMA_D_DATA_FORMAT, u(l.precision)},
        {PDP_RDMA_D_OPERATION_MODE_CFG, u(l.strips - 1)},
        {PDP_RDMA_D_POOLING_KERNEL_CFG, u(l.kw - 1) | u(l.sw - 1) << 4},
        {PDP_RDMA_D_POOLING_PADDING_CFG, r.bits()},
        {PDP_RDMA_D_PARTIAL_WIDTH_IN, three(l.in)},
        {PDP_RDMA_D_PERF_ENABLE, l.stall_counters},
        {PDP_RDMA_D_CYA, r.bits()},
    };
}

// A run of layers and the stream from SDP. The model has no ports: there a layer of SDP brings the same cube.
class Run : public ModelRun {
  public:
    StreamSource sdp;
    bool read_counted = false, write_counted = false;
    uint64_t armed_at = 0; // the last layer

    Run(const Behaviour &behaviour, uint64_t seed)
        : ModelRun(NVDLA_PDP, NVDLA_PDP_RDMA, behaviour, seed),
          sdp(design, STREAM_IN(design.top, sdp), static_cast<size_t>(nvdla_sdp_lanes(config) * lane_bytes()),
              seed ^ 0x3333) {
    }
    // Bytes that an element has in a beat of SDP.
    static int lane_bytes() {
        return config->int16 ? 2 : 1;
    }

    // Gives the layer its places in memory (region `index`) and random data. exact: no gaps.
    void place(Layer &l, int index, bool exact) {
        const int atom = config->mem_atom, n = surfaces_of(l, atom);
        l.source_primary = !config->secondary_memory || random.percent(50);
        l.destination_primary = !config->secondary_memory || random.percent(50);
        l.stall_counters = random.percent(50);
        // Bases, lines and surfaces with gaps; some with bits below the atom, which the model and the hardware carry
        // alike.
        auto low_bits = [&] { return !exact && random.percent(10) ? random.range(0, atom - 1) : 0; };
        auto stride = [&](int bytes) {
            return static_cast<uint32_t>(bytes + (exact ? 0 : random.range(0, 3) * atom) + low_bits());
        };
        auto base = [&](uint64_t region) {
            return region + static_cast<uint64_t>(random.range(0, 40) * atom + low_bits());
        };
        uint64_t region = UINT64_C(0x40000000) + static_cast<uint64_t>(index) * UINT64_C(0x08000000);
        if (config->addr_bits > 32 && random.percent(50))
            region += UINT64_C(0x100000000) * static_cast<uint64_t>(random.range(1, 15));
        l.source_line = stride((l.width + 8) * atom);
        l.source_surface = stride(l.height * static_cast<int>(l.source_line));
        l.destination_line = stride((l.out_width + 1) * atom);
        l.destination_surface = stride(l.out_height * static_cast<int>(l.destination_line));
        l.source = base(region);
        l.destination = base(region + UINT64_C(0x04000000));
        l.cube.resize(l.memory ? static_cast<size_t>(n) * l.source_surface + static_cast<size_t>(atom)
                               : static_cast<size_t>(n * l.width * l.height * atom));
        if (l.precision == 0)
            fill_bytes(l.cube);
        else
            fill_words(l);
        load(!l.memory || l.source_primary, memory.aligned(l.source), l.cube);
    }

    void fill_bytes(std::vector<uint8_t> &cube) {
        const int kind = random.range(0, 3);
        for (uint8_t &b : cube) {
            const uint32_t v = random.bits();
            b = static_cast<uint8_t>(kind == 0 ? (v & 1 ? 0x7f : 0x80) : kind == 1 ? (v & 0xff) % 17 - 8 : v);
        }
    }
    // Elements of 16 bits: limits, numbers of about the same size, anything. Infinity does not get through SDP.
    void fill_words(Layer &l) {
        static const uint16_t limits[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400,
                                          0x8400, 0x7bff, 0xfbff, 0x3c00, 0xbc00, 0x7fff, 0xffff,
                                          0x7e01, 0xfd02, 0x7c01, 0xfc00, 0x7c00};
        const int kind = random.range(0, 3), nans = random.range(0, 3), exponent = random.range(0, 28);
        const size_t most = sizeof limits / sizeof *limits - (l.memory ? 0 : 2);
        for (size_t i = 0; i + 1 < l.cube.size(); i += 2) {
            const uint32_t v = random.bits();
            uint32_t word = kind == 0   ? limits[v % most]
                            : kind == 1 ? (v & 0x8fff) + static_cast<uint32_t>(exponent << 10)
                            : kind == 2 ? (v & 0x83ff) | 0x3c00
                                        : v & 0xffff;
            if (l.precision == 2 && (word & 0x7fff) >= 0x7c00 && (!l.memory || nans == 0))
                word = (word & 0x7fff) == 0x7c00 || nans == 0 ? (word & 0x83ff) | 0x4000 : word;
            l.cube[i] = static_cast<uint8_t>(word);
            l.cube[i + 1] = static_cast<uint8_t>(word >> 8);
        }
    }
    // The cube as beats of SDP: where an element has room for 16 bits INT8 is the low byte, and the high byte is
    // random.
    void feed(const Layer &l) {
        std::vector<uint8_t> bytes;
        for (uint8_t b : l.cube) {
            bytes.push_back(b);
            if (element_bytes(l) < lane_bytes())
                bytes.push_back(static_cast<uint8_t>(random.bits()));
        }
        sdp.feed(bytes.data(), bytes.size());
    }

    // A layer of SDP on the model, from memory to PDP, that changes nothing.
    void model_stream(const Layer &l) {
        auto u = [](int value) { return static_cast<uint32_t>(value); };
        const uint32_t group = streams_++ & 1, line = u(l.width * config->mem_atom);
        const uint64_t from = memory.aligned(l.source);
        for (nvdla_unit unit : {NVDLA_SDP_RDMA, NVDLA_SDP})
            model.write(unit, 4, group);
        const RegisterWrite rdma[] = {{SDP_RDMA_D_DATA_CUBE_WIDTH, u(l.width - 1)},
                                      {SDP_RDMA_D_DATA_CUBE_HEIGHT, u(l.height - 1)},
                                      {SDP_RDMA_D_DATA_CUBE_CHANNEL, u(l.channels - 1)},
                                      {SDP_RDMA_D_SRC_BASE_ADDR_LOW, static_cast<uint32_t>(from)},
                                      {SDP_RDMA_D_SRC_BASE_ADDR_HIGH, static_cast<uint32_t>(from >> 32)},
                                      {SDP_RDMA_D_SRC_LINE_STRIDE, line},
                                      {SDP_RDMA_D_SRC_SURFACE_STRIDE, line * u(l.height)},
                                      {SDP_RDMA_D_BRDMA_CFG, 1}, // disabled
                                      {SDP_RDMA_D_NRDMA_CFG, 1},
                                      {SDP_RDMA_D_ERDMA_CFG, 1},
                                      {SDP_RDMA_D_FEATURE_MODE_CFG, u(l.precision) * 0x54},
                                      {SDP_RDMA_D_SRC_DMA_CFG, 1},
                                      {SDP_RDMA_D_OP_ENABLE, 1}};
        const RegisterWrite sdp_registers[] = {{SDP_D_DATA_CUBE_WIDTH, u(l.width - 1)},
                                               {SDP_D_DATA_CUBE_HEIGHT, u(l.height - 1)},
                                               {SDP_D_DATA_CUBE_CHANNEL, u(l.channels - 1)},
                                               {SDP_D_DP_BS_CFG, 1}, // bypassed
                                               {SDP_D_DP_BN_CFG, 1},
                                               {SDP_D_DP_EW_CFG, 1},
                                               {SDP_D_FEATURE_MODE_CFG, 1u << SDP_D_FEATURE_MODE_CFG__OUTPUT_DST_LSB},
                                               {SDP_D_DATA_FORMAT, u(l.precision) * 5},
                                               {SDP_D_CVT_OFFSET, 0},
                                               {SDP_D_CVT_SCALE, 1},
                                               {SDP_D_CVT_SHIFT, 0},
                                               {SDP_D_OP_ENABLE, 1}};
        for (const RegisterWrite &w : rdma)
            model.write(NVDLA_SDP_RDMA, w.offset, w.value);
        for (const RegisterWrite &w : sdp_registers)
            model.write(NVDLA_SDP, w.offset, w.value);
    }

    // Programs and arms a layer in the next groups, carries it out on the model.
    void launch(const Layer &l) {
        program(Main, pdp_writes(random, l));
        if (l.memory) {
            program(Rdma, rdma_writes(random, l));
        } else {
            feed(l);
            model_stream(l);
        }
        const bool rdma_first = random.percent(50);
        armed_at = design.now;
        if (l.memory && rdma_first)
            arm(Rdma);
        arm(Main);
        if (l.memory && !rdma_first)
            arm(Rdma);
        write_counted |= l.stall_counters;
        read_counted |= l.memory && l.stall_counters;
        run_model();
    }

    void check_all() {
        if (checks.failing())
            return;
        check(0xa4, [](size_t window, uint32_t offset) {
            return offset == (window == Main ? PDP_D_PERF_WRITE_STALL : PDP_RDMA_D_PERF_READ_STALL);
        });
        if (sdp.left() > 0)
            checks.fail("%zu bytes of SDP are left over", sdp.left());
        check_counter("D_PERF_WRITE_STALL", Main, write_counted);
        check_counter("D_PERF_READ_STALL", Rdma, read_counted);
    }

  private:
    uint32_t streams_ = 0;
    // Running totals: the group used last holds the larger one; nothing is counted without DMA_EN.
    void check_counter(const char *name, size_t window, bool counted) {
        const uint32_t *total = counts[window], last = (chain.launched(window) + 1) & 1;
        if ((!counted && total[0] + total[1] != 0) || (chain.launched(window) >= 2 && total[last] < total[!last]))
            checks.fail("%s %u %u, the last layer was in group %u", name, total[0], total[1], last);
    }
};

// ---- cases ----

// One layer without stalls must take no more clocks than the lanes of its input need, and `extra`. before, after: pads
// of both axes.
void rate(const char *name, int precision, bool memory, int w, int h, int c, int k, int stride, int before, int after,
          int extra) {
    checks.start(std::string("rate of ") + name);
    Run run(Behaviour::quiet(32), 1);
    Layer l = {};
    l.precision = precision;
    l.memory = memory;
    l.method = precision == 2 ? 0 : 1;
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
    for (int i = 0; i < 3; i++)
        l.in[i] = l.out[i] = 1;
    run.place(l, 0, true);
    run.launch(l);
    run.chain.wait_done(1);
    run.check_all();
    const int atoms = w * h * surfaces_of(l, config->mem_atom), lanes = config->mem_atom / element_bytes(l),
              beats = atoms * (lanes / config->pdp_throughput),
              from_sdp = memory ? 0 : atoms * (lanes / nvdla_sdp_lanes(config));
    if (!checks.failing()) {
        checks.at_most("clocks", run.done.times[0] - run.armed_at,
                       static_cast<uint64_t>(std::max(beats, from_sdp) + extra));
    }
}

} // namespace

void directed_cases() {
    // 32 clocks of memory latency, 4 to the response; the rows that a bottom pad completes overlap with the next
    // surface
    rate("1x1x1 from memory", 0, true, 1, 1, 1, 3, 1, 1, 1, 60);
    rate("28x28x8 max 2x2 stride 2", 0, true, 28, 28, 8, 2, 2, 0, 0, 60);
    rate("8x8x64 max 2x2 stride 1 pad 0/1", 0, true, 8, 8, 64, 2, 1, 0, 1, 130);
    rate("8x8x32 1x1 pass-through", 0, true, 8, 8, 32, 1, 1, 0, 0, 60);
    rate("8x8x32 1x1 pass-through on the fly", 0, false, 8, 8, 32, 1, 1, 0, 0, 30);
    rate("16x16x32 max 3x3 stride 1 pad 1 on the fly", 0, false, 16, 16, 32, 3, 1, 1, 1, 200);
    rate("16x16x32 max 5x5 stride 1 pad 2 on the fly", 0, false, 16, 16, 32, 5, 1, 2, 2, 320);
    if (config->int16) {
        rate("1x1x1 FP16 from memory", 2, true, 1, 1, 1, 3, 1, 1, 1, 70);
        rate("28x28x16 INT16 max 2x2 stride 2", 1, true, 28, 28, 16, 2, 2, 0, 0, 60);
        rate("29x29x32 FP16 average 3x3 stride 2 on the fly", 2, false, 29, 29, 32, 3, 2, 0, 0, 60);
        rate("16x16x32 FP16 average 3x3 stride 1 pad 1", 2, true, 16, 16, 32, 3, 1, 1, 1, 200);
    }
    checks.start("time passes with undefined registers");
    for (uint64_t seed = 0; seed < 20; seed++) {
        Run run(Behaviour::quiet(10), seed);
        const std::vector<uint8_t> cube(4096, 0x55);
        run.sdp.feed(cube.data(), cube.size());
        run.undefined_registers(2000);
    }
}

// A chain of layers.
void random_case(uint64_t seed) {
    Random r(seed);
    Behaviour behaviour = random_behaviour(r);
    const bool crowd = r.percent(8); // many finished layers that wait for their acknowledge
    const bool by_status = crowd || r.percent(30);
    if (crowd)
        behaviour.write_latency = 3000;
    Run run(behaviour, seed);
    run.csb.percent = r.percent(25) ? 100 : r.range(20, 100);
    run.sdp.percent = r.percent(25) ? 100 : r.range(20, 100);
    const size_t count = crowd ? 8 : r.range(1u, 4u);
    for (size_t i = 0; i < count; i++) {
        Layer l = {};
        l.precision = config->int16 ? run.random.range(0, 2) : 0;
        Theme theme = crowd ? TINY : static_cast<Theme>((seed + i * 7) % THEMES);
        for (int tries = 0; !draw_geometry(run.random, theme, config->mem_atom, 3000, l); tries++)
            theme = tries < 1000 ? theme : ANY;
        draw_arithmetic(run.random, l);
        run.place(l, static_cast<int>(i), false);
        checks.detail(describe(l));
        const bool free = by_status ? run.chain.wait_free(Run::Main) && (!l.memory || run.chain.wait_free(Run::Rdma))
                                    : run.chain.wait_done(i > 0 ? i - 1 : 0);
        if (!free)
            return;
        run.launch(l);
    }
    run.chain.wait_done(count);
    if (crowd)
        run.check_crowd();
    run.check_all();
}
