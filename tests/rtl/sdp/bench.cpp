// Bench of nvdla_sdp alone: random chains of layers in both register groups, memories and streams with random stalls,
// results against the C model.
//
// usage: sdp_bench CONFIG SEEDS [FIRST]     plays seeds FIRST .. FIRST + SEEDS - 1 (default 1 ..), then the timing
// checks
//
// Each seed is a few rounds of one to six layers, armed as their groups become free. The bench reads the inputs of a
// layer out of its memory by the address formulas of chapters 20 and 50 and computes the result with the arithmetic of
// csrc/model/sdp.c. Rounds in which all layers go from memory to memory are also played on the whole C model through
// its registers; its memory and its registers must agree as well. Prints one line per seed that fails, a summary per
// part, and "N passed, N failed". Exit status 0 if nothing failed.
#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "Vbench.h"
#include "verilated.h"

extern "C" {
#include "model/model.h"
#include "model/sdp.h"
#include "nvdla/registers.h"
#include "nvdla_offsets.h"
}

namespace {

constexpr uint64_t kWindow = 1 << 18; // bytes of each memory that layers may use
constexpr uint64_t kBaseLow = 0x40000000;
constexpr uint64_t kBaseHigh = 0x12;  // 64-bit configurations; the others ignore the HIGH registers
constexpr unsigned kTimeout = 400000; // clocks of a round

const nvdla_config *config;
size_t atom, lanes;
uint64_t window_base;

std::string fault; // first thing that went wrong in this seed

void fail(const char *format, ...) {
    if (!fault.empty())
        return;
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fault = text;
}

struct Random {
    std::mt19937_64 engine;
    explicit Random(uint64_t seed) : engine(seed) {
    }
    uint64_t bits() {
        return engine();
    }
    unsigned below(unsigned n) {
        return unsigned(engine() % n);
    }
    bool chance(unsigned percent) {
        return below(100) < percent;
    }
    // Numbers of any magnitude up to `width` bits, and the corners.
    int64_t corner(int width) {
        const int64_t top = (INT64_C(1) << (width - 1)) - 1;
        switch (below(8)) {
        case 0:
            return top - int64_t(below(2));
        case 1:
            return -top - int64_t(below(2));
        case 2:
            return int64_t(below(5)) - 2;
        default: {
            const int64_t magnitude = int64_t(bits() & (UINT64_MAX >> (64 - width + below(unsigned(width)))));
            return below(2) ? std::min(magnitude, top) : -std::min(magnitude, top);
        }
        }
    }
};

using Bytes = std::vector<uint8_t>;

// How the surroundings behave in a round.
struct Surroundings {
    unsigned stall_percent = 0; // of every ready and every answer
    unsigned read_latency = 32, write_latency = 4;
};

// ---- the design under test and its surroundings ----

// One read or write client's port; the signals are references into the Verilated model.
template <class Addr> struct Port {
    const CData &valid;
    CData &ready;
    const CData &ram;
    const Addr &addr;
    const CData &len;
    bool waiting = false; // a request was offered and not accepted: it must stay as it is
    uint64_t held_addr = 0;
    unsigned held_other = 0;
    void check(const char *name) {
        const unsigned other = ram | unsigned(len) << 1;
        if (waiting && (!valid || held_addr != addr || held_other != other))
            fail("%s: request changed while it waited", name);
        waiting = valid && !ready;
        held_addr = addr;
        held_other = other;
    }
};

struct Bench {
    using Addr = std::remove_reference_t<decltype(Vbench::m_mif_addr_o)>;
    struct Answer {
        uint64_t due;
        Bytes data;
    };
    struct Read {
        const char *name;
        Port<Addr> port;
        CData &rsp_valid;
        uint8_t *rsp_data;
        std::deque<Answer> answers;
        uint64_t atoms = 0;
    };
    struct Burst {
        uint64_t address;
        bool primary;
        unsigned beats;
    };

    VerilatedContext context;
    std::unique_ptr<Vbench> top{new Vbench{&context}};
    std::vector<Read> reads;
    Port<Addr> write{top->w_mif_valid_o, top->w_mif_ready_i, top->w_mif_ram_o, top->w_mif_addr_o, top->w_mif_len_o};
    std::deque<Burst> bursts;       // accepted, beats missing
    std::deque<uint64_t> responses; // due times of B
    uint64_t atoms_answered = 0;    // written and acknowledged
    std::deque<unsigned> answered_beats;
    std::array<Bytes, 2> memory{Bytes(kWindow), Bytes(kWindow)}; // secondary, primary
    Surroundings world;
    Random random{1};
    uint64_t now = 0;
    std::deque<uint32_t> cacc;                        // elements to come from CACC
    Bytes pdp;                                        // bytes that went to PDP
    std::vector<std::pair<int, uint64_t>> interrupts; // group, atoms_answered then

    Bench() {
        Vbench &t = *top;
        reads.push_back({"MRDMA",
                         {t.m_mif_valid_o, t.m_mif_ready_i, t.m_mif_ram_o, t.m_mif_addr_o, t.m_mif_len_o},
                         t.m_mif_rsp_valid_i,
                         reinterpret_cast<uint8_t *>(&t.m_mif_rsp_data_i),
                         {}});
        reads.push_back({"BRDMA",
                         {t.b_mif_valid_o, t.b_mif_ready_i, t.b_mif_ram_o, t.b_mif_addr_o, t.b_mif_len_o},
                         t.b_mif_rsp_valid_i,
                         reinterpret_cast<uint8_t *>(&t.b_mif_rsp_data_i),
                         {}});
        reads.push_back({"NRDMA",
                         {t.n_mif_valid_o, t.n_mif_ready_i, t.n_mif_ram_o, t.n_mif_addr_o, t.n_mif_len_o},
                         t.n_mif_rsp_valid_i,
                         reinterpret_cast<uint8_t *>(&t.n_mif_rsp_data_i),
                         {}});
        t.rst_ni = 0;
        for (int i = 0; i < 4; i++)
            clock();
        t.rst_ni = 1;
        for (int i = 0; i < 4; i++)
            clock();
    }
    ~Bench() {
        top->final();
    }

    bool stall() {
        return world.stall_percent != 0 && random.chance(world.stall_percent);
    }

    // Bytes of one atom in a memory, nullptr outside the window.
    uint8_t *at(bool primary, uint64_t address, const char *who) {
        const uint64_t offset = (address & ~uint64_t(atom - 1)) - window_base;
        if (offset >= kWindow || (!config->secondary_memory && !primary)) {
            fail("%s: access to 0x%llx of memory %d", who, static_cast<unsigned long long>(address), primary);
            return nullptr;
        }
        return &memory[primary][offset];
    }

    void clock() {
        Vbench &t = *top;
        // Inputs of this clock.
        for (Read &r : reads) {
            r.port.ready = !stall();
            r.rsp_valid = !r.answers.empty() && r.answers.front().due <= now && !stall();
            if (r.rsp_valid) {
                memcpy(r.rsp_data, r.answers.front().data.data(), atom);
                r.answers.pop_front();
            }
        }
        t.w_mif_ready_i = !stall();
        t.w_mif_dat_ready_i = !bursts.empty() && !stall();
        t.w_mif_rsp_i = !responses.empty() && responses.front() <= now && !stall();
        if (t.w_mif_rsp_i) {
            responses.pop_front();
            atoms_answered += answered_beats.front();
            answered_beats.pop_front();
        }
        t.cacc_valid_i = cacc.size() >= lanes && !stall();
        if (t.cacc_valid_i) {
            std::vector<uint32_t> group(cacc.begin(), cacc.begin() + int(lanes));
            memcpy(&t.cacc_data_i, group.data(), lanes * 4);
        }
        t.pdp_ready_i = !stall();
        t.clk_i = 0;
        t.eval();
        // What happens at the edge.
        for (Read &r : reads) {
            r.port.check(r.name);
            if (!r.port.valid || !r.port.ready)
                continue;
            for (unsigned i = 0; i <= r.port.len; i++) {
                const uint8_t *data = at(r.port.ram, r.port.addr + i * atom, r.name);
                r.answers.push_back({now + world.read_latency, data ? Bytes(data, data + atom) : Bytes(atom)});
                r.atoms++;
            }
        }
        write.check("WDMA");
        if (t.w_mif_dat_valid_o && t.w_mif_dat_ready_i) {
            Burst &burst = bursts.front();
            uint8_t *data = at(burst.primary, burst.address, "WDMA");
            if (data)
                memcpy(data, &t.w_mif_dat_data_o, atom);
            burst.address += atom;
            if (--burst.beats == 0) {
                bursts.pop_front();
                responses.push_back(now + world.write_latency);
            }
        }
        if (write.valid && write.ready) {
            bursts.push_back({write.addr, write.ram != 0, unsigned(write.len) + 1});
            answered_beats.push_back(unsigned(write.len) + 1);
        }
        if (t.cacc_valid_i && t.cacc_ready_o)
            cacc.erase(cacc.begin(), cacc.begin() + int(lanes));
        if (t.pdp_valid_o && t.pdp_ready_i) {
            const uint8_t *data = reinterpret_cast<const uint8_t *>(&t.pdp_data_o);
            pdp.insert(pdp.end(), data, data + lanes);
        }
        for (int g = 0; g < 2; g++) {
            if (t.done_intr_o >> g & 1)
                interrupts.push_back({g, atoms_answered});
        }
        t.clk_i = 1;
        t.eval();
        now++;
    }

    void csb(bool rdma, bool is_write, uint32_t offset, uint32_t value) {
        top->csb_rdma_req_i = rdma;
        top->csb_req_i = !rdma;
        top->csb_write_i = is_write;
        top->csb_addr_i = SData(offset / 4);
        top->csb_wdata_i = value;
        clock();
        top->csb_rdma_req_i = top->csb_req_i = 0;
    }
    void write_register(bool rdma, uint32_t offset, uint32_t value) {
        csb(rdma, true, offset, value);
    }
    uint32_t read_register(bool rdma, uint32_t offset) {
        csb(rdma, false, offset, 0);
        const uint32_t value = rdma ? top->csb_rdma_rdata_o : top->csb_rdata_o;
        clock();
        return value;
    }
};

// ---- layers ----

// A cube or an operand surface in memory; addresses and strides in bytes, with low bits that the design drops.
struct Surface {
    uint64_t base = 0;
    uint32_t line = 0, surface = 0;
    bool primary = true;
    size_t atom_bytes = 0;
    bool packed = false; // atoms (per kernel: one per surface) follow each other, strides are ignored
    bool per_kernel = false;

    uint64_t address(unsigned s, unsigned h, unsigned w) const {
        const uint64_t mask = ~uint64_t(atom - 1);
        if (packed || per_kernel)
            return (base & mask) + s * atom_bytes;
        return (base & mask) + s * (surface & mask) + h * (line & mask) + w * atom_bytes;
    }
};

struct Operands {
    bool enabled = false;
    unsigned use = 0; // DATA_USE
    bool two_bytes = false, per_element = false;
    Surface where;
};

struct Layer {
    unsigned width, height, channels, surfaces;
    bool flying, to_pdp, compare, count_saturation, uses_rdma;
    Surface source, destination;
    sdp_stage stage[2];
    int16_t alu_operand[2], mul_operand[2]; // in the registers
    unsigned high_shift[2];                 // bits 7:6 of MUL_SHIFT_VALUE
    Operands operands[2];
    sdp_convertor convertor;
    uint32_t junk_ew; // EW configuration that must not matter
    std::vector<int32_t> from_cacc;

    // Expected.
    Bytes result; // in processing order
    uint64_t saturated;
    bool unequal;

    size_t atoms() const {
        return size_t(width) * height * surfaces;
    }
    bool to_memory() const {
        return !to_pdp && !compare;
    }
};

struct Allocator {
    Random &random;
    std::array<uint64_t, 2> next{0, 0};
    bool full = false;

    // Room for a surface; random gaps between atoms that the layer may not touch.
    Surface take(const Layer &layer, size_t atom_bytes, bool per_kernel) {
        Surface s;
        s.atom_bytes = atom_bytes;
        s.packed = layer.width == 1 && layer.height == 1;
        s.per_kernel = per_kernel;
        s.primary = !config->secondary_memory || random.chance(60);
        const auto gap = [&] { return random.chance(50) ? 0 : random.below(4) * unsigned(atom); };
        const unsigned line = unsigned(layer.width * atom_bytes) + gap();
        const unsigned surface = layer.height * line + gap();
        uint64_t &at = next[s.primary];
        at += gap();
        s.base = window_base + at + random.below(unsigned(atom));
        const auto junk = [&](unsigned stride) {
            return s.packed || per_kernel ? uint32_t(random.bits()) : stride + random.below(unsigned(atom));
        };
        s.line = junk(line);
        s.surface = junk(surface);
        at += (s.packed || per_kernel) ? layer.surfaces * atom_bytes : uint64_t(layer.surfaces) * surface;
        full = full || at > kWindow;
        return s;
    }
};

unsigned random_shift(Random &random, unsigned usual) {
    return random.chance(80) ? random.below(usual) : random.below(64);
}

const sdp_convertor neutral{NVDLA_INT8, NVDLA_INT8, 0, 1, 0, true};

Layer random_layer(Random &random, Allocator &memory, bool only_memory, bool tiny) {
    Layer l{};
    const bool one_by_one = tiny || random.chance(25);
    const bool border = !only_memory && random.chance(15); // results around the limits of 17 bits
    l.width = one_by_one ? 1 : 1 + random.below(random.chance(10) ? 40 : 6);
    l.height = one_by_one ? 1 : 1 + random.below(5);
    l.channels = 1 + random.below(unsigned(atom) * (tiny ? 2 : one_by_one ? 8 : 4));
    l.surfaces = unsigned((l.channels + atom - 1) / atom);
    l.flying = border || (!only_memory && random.chance(40));
    l.to_pdp = !only_memory && random.chance(30);
    l.compare = random.chance(10) && !l.to_pdp;
    l.count_saturation = random.chance(60);
    for (int i = 0; i < 2; i++) {
        sdp_stage &s = l.stage[i];
        s.bypass = border || random.chance(30);
        s.alu_bypass = random.chance(30);
        s.mul_bypass = random.chance(30);
        s.prelu = random.chance(30);
        s.relu = random.chance(40);
        s.algorithm = sdp_algorithm(random.below(4));
        s.alu.format.form = SDP_SHIFTED;
        s.alu.format.shift = random_shift(random, 8);
        s.mul.format.form = SDP_SIGNED;
        s.shift = random_shift(random, 20);
        s.alu.from_memory = !s.bypass && !s.alu_bypass && random.chance(60);
        s.mul.from_memory = !s.bypass && !s.mul_bypass && random.chance(60);
        l.alu_operand[i] = int16_t(random.corner(16));
        l.mul_operand[i] = int16_t(random.corner(16));
        l.high_shift[i] = random.below(4);
        Operands &o = l.operands[i];
        o.enabled = s.alu.from_memory || s.mul.from_memory;
        o.use = s.alu.from_memory ? (s.mul.from_memory ? 2 : 1) : 0;
        o.two_bytes = random.chance(50);
        o.per_element = random.chance(50);
        if (o.enabled) {
            const size_t bytes = atom * (o.use == 2 ? 2 : 1) * (o.two_bytes ? 2 : 1);
            o.where = memory.take(l, bytes, !o.per_element);
        }
    }
    l.convertor = neutral;
    l.convertor.offset = int32_t(random.corner(random.chance(80) ? 10 : 32));
    l.convertor.scale = int16_t(random.corner(16));
    l.convertor.shift = random_shift(random, 24);
    if (border) {
        l.convertor = neutral;
        l.convertor.scale = int16_t(random.chance(50) ? 1 : -1);
        l.convertor.shift = random.below(14);
    }
    l.junk_ew = random.chance(50) ? uint32_t(random.bits()) & ~(1u | (l.compare ? 0xeu : 0)) : 0;
    if (!l.compare)
        l.junk_ew |= 1; // EW_BYPASS
    else
        l.junk_ew |= 3u << SDP_D_DP_EW_CFG__EW_ALU_ALGO_LSB;
    if (l.flying) {
        for (size_t i = 0; i < l.atoms() * atom; i++) {
            int64_t value = random.corner(random.chance(70) ? 16 : 32);
            if (border) {
                value = (65534 + int64_t(random.below(4))) * (INT64_C(1) << l.convertor.shift) +
                        random.below(1u << l.convertor.shift);
                value = random.chance(50) ? value : -value;
            }
            l.from_cacc.push_back(int32_t(value));
        }
    } else {
        l.source = memory.take(l, atom, false);
    }
    if (!l.flying && random.chance(10))
        l.destination = l.source; // in place
    else
        l.destination = memory.take(l, atom, false);
    l.uses_rdma = !l.flying || l.operands[0].enabled || l.operands[1].enabled || random.chance(20);
    return l;
}

// Fills the operands of a layer with numbers that reach the corners.
void fill_operands(Bench &bench, Random &random, const Layer &layer) {
    for (const Operands &o : layer.operands) {
        if (!o.enabled)
            continue;
        for (unsigned s = 0; s < layer.surfaces; s++)
            for (unsigned h = 0; h < layer.height; h++)
                for (unsigned w = 0; w < layer.width; w++) {
                    uint8_t *at = &bench.memory[o.where.primary][o.where.address(s, h, w) - window_base];
                    for (size_t i = 0; i < o.where.atom_bytes; i += 2) {
                        const int64_t value = random.corner(16);
                        at[i] = uint8_t(value);
                        at[i + 1] = uint8_t(value >> 8);
                    }
                }
    }
}

// Component (0 ALU, 1 MUL) of element e of the operand atom at `bytes`.
int16_t operand(const Operands &o, const uint8_t *bytes, size_t e, unsigned component) {
    const unsigned n = o.use == 2 ? 2 : 1;
    const size_t index = e * n + (n == 2 ? component : 0);
    return o.two_bytes ? int16_t(bytes[2 * index] | bytes[2 * index + 1] << 8) : int16_t(int8_t(bytes[index]));
}

// Computes what the layer must produce from the memory as it is now.
void expect(const Bench &bench, Layer &layer) {
    const size_t count = layer.atoms() * atom;
    std::vector<int32_t> data(count);
    std::vector<int16_t> values[2][2]; // stage; ALU, MUL
    for (auto &stage : values)
        for (auto &v : stage)
            v.resize(count);
    size_t i = 0;
    for (unsigned s = 0; s < layer.surfaces; s++)
        for (unsigned h = 0; h < layer.height; h++)
            for (unsigned w = 0; w < layer.width; w++)
                for (size_t e = 0; e < atom; e++, i++) {
                    data[i] =
                        layer.flying
                            ? layer.from_cacc[i]
                            : int8_t(
                                  bench.memory[layer.source.primary][layer.source.address(s, h, w) - window_base + e]);
                    for (int k = 0; k < 2; k++) {
                        const Operands &o = layer.operands[k];
                        const sdp_stage &stage = layer.stage[k];
                        const uint8_t *at = o.enabled
                                                ? &bench.memory[o.where.primary][o.where.address(s, h, w) - window_base]
                                                : nullptr;
                        values[k][0][i] = stage.alu.from_memory ? operand(o, at, e, 0) : layer.alu_operand[k];
                        values[k][1][i] = stage.mul.from_memory ? operand(o, at, e, 1) : layer.mul_operand[k];
                    }
                }
    for (int k = 0; k < 2; k++) {
        std::vector<int32_t> alu(count), mul(count);
        sdp_prepare_operands(&layer.stage[k].alu.format, values[k][0].data(), alu.data(), count);
        sdp_prepare_operands(&layer.stage[k].mul.format, values[k][1].data(), mul.data(), count);
        sdp_stage_apply(&layer.stage[k], data.data(), alu.data(), mul.data(), count);
    }
    layer.result.resize(count);
    layer.saturated = sdp_convert(&layer.convertor, data.data(), layer.result.data(), count);
    if (layer.compare) {
        layer.saturated = 0;
        for (i = 0; i < count; i++)
            layer.result[i] = uint8_t(data[i]);
    }
    layer.unequal =
        !layer.to_pdp && std::any_of(layer.result.begin(), layer.result.end(), [](uint8_t b) { return b != 0; });
}

// Puts the layer's result where it belongs in an expected memory.
void place(std::array<Bytes, 2> &memory, const Layer &layer) {
    size_t i = 0;
    for (unsigned s = 0; s < layer.surfaces; s++)
        for (unsigned h = 0; h < layer.height; h++)
            for (unsigned w = 0; w < layer.width; w++, i += atom)
                memcpy(&memory[layer.destination.primary][layer.destination.address(s, h, w) - window_base],
                       &layer.result[i], atom);
}

// ---- one seed ----

struct Model {
    device *dev;
    Model() {
        error err{};
        model_options options{};
        options.allow_undefined = true; // engines are compared here, whatever the chapters leave open
        dev = model_new(config, &options, &err);
        if (!dev) {
            fprintf(stderr, "sdp_bench: %s\n", err.text);
            exit(2);
        }
        for (memory *mem : dev->memory)
            if (mem)
                memory_declare(mem, window_base, kWindow);
    }
    ~Model() {
        dev->ops->destroy(dev);
    }
    void run() {
        while (dev->ops->advance(dev, UINT64_MAX, false, nullptr) != DEVICE_IDLE) {
        }
    }
    void write(bool rdma, uint32_t offset, uint32_t value) {
        dev->ops->csb_write(dev, nvdla_unit_base(config, rdma ? NVDLA_SDP_RDMA : NVDLA_SDP) + offset, value, true,
                            nullptr);
    }
    uint32_t read(bool rdma, uint32_t offset) {
        uint32_t value = 0;
        dev->ops->csb_read(dev, nvdla_unit_base(config, rdma ? NVDLA_SDP_RDMA : NVDLA_SDP) + offset, &value, nullptr);
        return value;
    }
};

struct Session {
    Bench bench;
    std::unique_ptr<Model> model; // follows in seeds whose layers all go from memory to memory
    unsigned group[2] = {0, 0};   // next group of SDP, SDP_RDMA
    uint32_t saturation_left = 0; // by the last layer that counted

    void write(bool rdma, uint32_t offset, uint32_t value) {
        bench.write_register(rdma, offset, value);
        if (model)
            model->write(rdma, offset, value);
    }
    uint32_t read(bool rdma, uint32_t offset) {
        const uint32_t value = bench.read_register(rdma, offset);
        if (model) {
            const uint32_t expected = model->read(rdma, offset);
            if (value != expected)
                fail("%s register 0x%03x: 0x%08x, the model has 0x%08x", rdma ? "SDP_RDMA" : "SDP", offset, value,
                     expected);
        }
        return value;
    }

    void program_stage(const Layer &l, int k) {
        const uint32_t block = k ? SDP_D_DP_BN_CFG - SDP_D_DP_BS_CFG : 0;
        const sdp_stage &s = l.stage[k];
        write(false, block + SDP_D_DP_BS_CFG,
              uint32_t(s.bypass) | uint32_t(s.alu_bypass) << 1 | uint32_t(s.algorithm) << 2 |
                  uint32_t(s.mul_bypass) << 4 | uint32_t(s.prelu) << 5 | uint32_t(!s.relu) << 6);
        write(false, block + SDP_D_DP_BS_ALU_CFG, uint32_t(s.alu.from_memory) | s.alu.format.shift << 8);
        write(false, block + SDP_D_DP_BS_ALU_SRC_VALUE, uint16_t(l.alu_operand[k]));
        write(false, block + SDP_D_DP_BS_MUL_CFG, uint32_t(s.mul.from_memory) | (s.shift | l.high_shift[k] << 6) << 8);
        write(false, block + SDP_D_DP_BS_MUL_SRC_VALUE, uint16_t(l.mul_operand[k]));
    }

    void program_operands(const Operands &o, int k) {
        const uint32_t block = k ? SDP_RDMA_D_NRDMA_CFG - SDP_RDMA_D_BRDMA_CFG : 0;
        write(true, block + SDP_RDMA_D_BRDMA_CFG,
              uint32_t(!o.enabled) | o.use << 1 | uint32_t(o.two_bytes) << 3 | uint32_t(o.per_element) << 4 |
                  uint32_t(o.where.primary) << 5);
        write(true, block + SDP_RDMA_D_BS_BASE_ADDR_LOW, uint32_t(o.where.base));
        write(true, block + SDP_RDMA_D_BS_BASE_ADDR_HIGH, uint32_t(kBaseHigh));
        write(true, block + SDP_RDMA_D_BS_LINE_STRIDE, o.where.line);
        write(true, block + SDP_RDMA_D_BS_SURFACE_STRIDE, o.where.surface);
    }

    void program_sdp(const Layer &l) {
        write(false, SDP_S_POINTER, group[0]);
        write(false, SDP_D_DATA_CUBE_WIDTH, l.width - 1);
        write(false, SDP_D_DATA_CUBE_HEIGHT, l.height - 1);
        write(false, SDP_D_DATA_CUBE_CHANNEL, l.channels - 1);
        write(false, SDP_D_DST_BASE_ADDR_LOW, uint32_t(l.destination.base));
        write(false, SDP_D_DST_BASE_ADDR_HIGH, uint32_t(kBaseHigh));
        write(false, SDP_D_DST_LINE_STRIDE, l.destination.line);
        write(false, SDP_D_DST_SURFACE_STRIDE, l.destination.surface);
        program_stage(l, 0);
        program_stage(l, 1);
        write(false, SDP_D_DP_EW_CFG, l.junk_ew);
        write(false, SDP_D_FEATURE_MODE_CFG, uint32_t(l.flying) | uint32_t(l.to_pdp) << 1);
        write(false, SDP_D_DST_DMA_CFG, l.destination.primary);
        write(false, SDP_D_CVT_OFFSET, uint32_t(l.convertor.offset));
        write(false, SDP_D_CVT_SCALE, uint16_t(l.convertor.scale));
        write(false, SDP_D_CVT_SHIFT, l.convertor.shift);
        write(false, SDP_D_PERF_ENABLE, uint32_t(l.count_saturation) << 2);
        write(false, SDP_D_OP_ENABLE, 1);
        group[0] ^= 1;
    }

    void program_rdma(const Layer &l) {
        if (!l.uses_rdma)
            return;
        write(true, SDP_RDMA_S_POINTER, group[1]);
        write(true, SDP_RDMA_D_DATA_CUBE_WIDTH, l.width - 1);
        write(true, SDP_RDMA_D_DATA_CUBE_HEIGHT, l.height - 1);
        write(true, SDP_RDMA_D_DATA_CUBE_CHANNEL, l.channels - 1);
        write(true, SDP_RDMA_D_SRC_BASE_ADDR_LOW, uint32_t(l.source.base));
        write(true, SDP_RDMA_D_SRC_BASE_ADDR_HIGH, uint32_t(kBaseHigh));
        write(true, SDP_RDMA_D_SRC_LINE_STRIDE, l.source.line);
        write(true, SDP_RDMA_D_SRC_SURFACE_STRIDE, l.source.surface);
        program_operands(l.operands[0], 0);
        program_operands(l.operands[1], 1);
        write(true, SDP_RDMA_D_FEATURE_MODE_CFG, l.flying);
        write(true, SDP_RDMA_D_SRC_DMA_CFG, l.source.primary);
        write(true, SDP_RDMA_D_OP_ENABLE, 1);
        group[1] ^= 1;
    }

    void arm(const Layer &l, Random &random) {
        const bool rdma_first = random.chance(50);
        const unsigned pause = random.chance(70) ? 0 : random.below(100);
        if (rdma_first)
            program_rdma(l);
        else
            program_sdp(l);
        for (unsigned i = 0; i < pause; i++)
            bench.clock();
        if (rdma_first)
            program_sdp(l);
        else
            program_rdma(l);
    }

    // Waits until the group that the next layer of SDP or SDP_RDMA takes is idle.
    void wait_group(bool rdma, uint64_t limit) {
        while (bench.read_register(rdma, SDP_S_STATUS) >>
                   (group[rdma] ? SDP_S_STATUS__STATUS_1_LSB : SDP_S_STATUS__STATUS_0_LSB) &
               3)
            if (bench.now > limit) {
                fail("%s group %u stays busy", rdma ? "SDP_RDMA" : "SDP", group[rdma]);
                return;
            }
    }

    // Status registers of the layer that ran last in this group.
    void check_status(const Layer &l, unsigned g) {
        write(false, SDP_S_POINTER, g);
        if (l.count_saturation)
            saturation_left = uint32_t(l.saturated);
        const uint32_t saturation = read(false, SDP_D_PERF_OUT_SATURATION);
        const uint32_t unequal = read(false, SDP_D_STATUS);
        if (saturation != saturation_left)
            fail("group %u: OUT_SATURATION %u, expected %u", g, saturation, saturation_left);
        if (unequal != l.unequal)
            fail("group %u: STATUS_UNEQUAL %u, expected %u", g, unequal, l.unequal);
    }

    static uint64_t atoms_to_memory(const std::vector<Layer> &layers) {
        uint64_t atoms = 0;
        for (const Layer &l : layers)
            atoms += l.to_memory() ? l.atoms() : 0;
        return atoms;
    }

    // One interrupt of its group for each layer; where all layers write memory, in order and not before the layer's
    // last acknowledge.
    void check_interrupts(const std::vector<Layer> &layers, unsigned first_group, uint64_t atoms) {
        const auto &seen = bench.interrupts;
        size_t wanted[2] = {0, 0}, got[2] = {0, 0};
        for (size_t i = 0; i < layers.size(); i++)
            wanted[(first_group + i) & 1]++;
        for (const auto &interrupt : seen)
            got[interrupt.first]++;
        if (got[0] != wanted[0] || got[1] != wanted[1]) {
            fail("%zu and %zu interrupts of the groups, expected %zu and %zu", got[0], got[1], wanted[0], wanted[1]);
            return;
        }
        if (!std::all_of(layers.begin(), layers.end(), [](const Layer &l) { return l.to_memory(); }))
            return;
        for (size_t i = 0; i < layers.size(); i++) {
            atoms += layers[i].atoms();
            if (seen[i].first != int((first_group + i) & 1))
                fail("interrupt %zu is of group %d", i, seen[i].first);
            if (seen[i].second < atoms)
                fail("interrupt %zu before the layer's last write was acknowledged", i);
        }
    }

    void compare_memory(const Bytes &seen, const uint8_t *expected, const char *whose, bool primary) {
        for (size_t i = 0; i < kWindow; i++)
            if (seen[i] != expected[i]) {
                fail("byte 0x%zx of memory %d: 0x%02x, %s 0x%02x", i, primary, seen[i], whose, expected[i]);
                return;
            }
    }

    void round(Random &random) {
        const bool only_memory = model != nullptr;
        std::vector<Layer> layers;
        bench.world.stall_percent = random.chance(30) ? 0 : random.below(80);
        bench.world.read_latency = random.below(random.chance(20) ? 200 : 40);
        bench.world.write_latency = 1 + random.below(random.chance(40) ? 1500 : 10);
        const bool tiny = random.chance(20);
        for (bool again = true; again;) {
            Allocator allocator{random};
            layers.clear();
            for (unsigned n = 1 + random.below(6); n > 0; n--)
                layers.push_back(random_layer(random, allocator, only_memory, tiny));
            again = allocator.full;
        }
        for (Bytes &memory : bench.memory)
            for (size_t i = 0; i < kWindow; i += 8) {
                const uint64_t word = random.bits();
                memcpy(&memory[i], &word, 8);
            }
        for (const Layer &l : layers)
            fill_operands(bench, random, l);
        if (model) {
            for (int space = 0; space < SPACE_COUNT; space++)
                if (model->dev->memory[space])
                    memory_write(model->dev->memory[space], window_base, bench.memory[space == SPACE_PRIMARY].data(),
                                 kWindow, nullptr, nullptr);
        }
        for (Layer &l : layers)
            expect(bench, l);
        std::array<Bytes, 2> expected_memory = bench.memory;
        Bytes expected_pdp;
        for (const Layer &l : layers) {
            if (l.to_memory())
                place(expected_memory, l);
            if (l.to_pdp)
                expected_pdp.insert(expected_pdp.end(), l.result.begin(), l.result.end());
            for (int32_t v : l.from_cacc)
                bench.cacc.push_back(uint32_t(v));
        }
        bench.pdp.clear();
        bench.interrupts.clear();
        const uint64_t atoms_before = bench.atoms_answered;
        const unsigned first_group = group[0];
        const uint64_t limit = bench.now + kTimeout;

        for (size_t i = 0; i < layers.size(); i++) {
            if (i >= 2) {
                wait_group(false, limit);
                wait_group(true, limit);
                if (!fault.empty())
                    return;
                check_status(layers[i - 2], group[0]);
            }
            arm(layers[i], random);
            if (model)
                model->run();
        }
        while (bench.interrupts.size() < layers.size() && bench.now < limit)
            bench.clock();
        for (int i = 0; i < 20; i++)
            bench.clock();
        check_interrupts(layers, first_group, atoms_before);
        const uint64_t atoms = atoms_before + atoms_to_memory(layers);
        if (bench.atoms_answered != atoms)
            fail("%llu atoms written, expected %llu",
                 static_cast<unsigned long long>(bench.atoms_answered - atoms_before),
                 static_cast<unsigned long long>(atoms - atoms_before));
        if (!bench.cacc.empty())
            fail("%zu elements of CACC not taken", bench.cacc.size());
        if (bench.pdp != expected_pdp)
            fail("PDP stream differs (%zu bytes, expected %zu)", bench.pdp.size(), expected_pdp.size());
        for (int primary = 0; primary < 2; primary++)
            compare_memory(bench.memory[primary], expected_memory[primary].data(), "expected", primary);
        if (model) {
            for (int space = 0; space < SPACE_COUNT; space++)
                if (model->dev->memory[space]) {
                    Bytes seen(kWindow);
                    memory_read(model->dev->memory[space], window_base, seen.data(), kWindow);
                    compare_memory(bench.memory[space == SPACE_PRIMARY], seen.data(), "the model",
                                   space == SPACE_PRIMARY);
                }
        }
        for (bool rdma : {false, true}) {
            const uint32_t status = read(rdma, SDP_S_STATUS);
            if (status != 0)
                fail("%s S_STATUS 0x%08x after the last layer", rdma ? "SDP_RDMA" : "SDP", status);
        }
        for (size_t i = layers.size() < 2 ? 0 : layers.size() - 2; i < layers.size(); i++)
            check_status(layers[i], (first_group + unsigned(i)) & 1);
    }
};

bool play_seed(uint64_t seed) {
    fault.clear();
    Random random(seed);
    Session session;
    session.bench.random = Random(seed ^ UINT64_C(0x9e3779b97f4a7c15));
    if (seed % 2)
        session.model.reset(new Model);
    const unsigned rounds = 2 + random.below(4);
    for (unsigned r = 0; r < rounds && fault.empty(); r++)
        session.round(random);
    if (!fault.empty())
        printf("FAIL  sdp %s seed %llu: %s\n", config->name, static_cast<unsigned long long>(seed), fault.c_str());
    return fault.empty();
}

// ---- timing ----

// Clocks from the register write that arms the layer to the interrupt pulse, memory as in the reference bench (chapter
// 70 section 8) without stalls; SDP_RDMA, if it takes part, is armed last.
uint64_t time_layer(const Layer &l) {
    Session session;
    Bench &bench = session.bench;
    bench.world = {0, 36, 6}; // with the clocks that the memory interface adds
    for (int32_t v : l.from_cacc)
        bench.cacc.push_back(uint32_t(v));
    session.program_sdp(l);
    session.program_rdma(l);
    const uint64_t start = bench.now - 1;
    while (bench.interrupts.empty() && bench.now < start + kTimeout)
        bench.clock();
    return bench.now - start;
}

Layer timing_layer(unsigned width, unsigned height, unsigned channels) {
    Layer l{};
    l.width = width;
    l.height = height;
    l.channels = channels;
    l.surfaces = unsigned((channels + atom - 1) / atom);
    l.uses_rdma = true;
    l.junk_ew = 1;
    for (sdp_stage &s : l.stage) {
        s.bypass = true;
        s.shift = 0;
    }
    l.convertor = neutral;
    return l;
}

bool check_time(const char *name, const Layer &layer, uint64_t limit) {
    fault.clear();
    const uint64_t clocks = time_layer(layer);
    const bool ok = clocks <= limit && fault.empty();
    printf("%s  sdp %s timing, %s: %llu clocks, limit %llu %s\n", ok ? "ok  " : "FAIL", config->name, name,
           static_cast<unsigned long long>(clocks), static_cast<unsigned long long>(limit), fault.c_str());
    return ok;
}

// Operands from memory for stage k, in memory of their own.
void add_operands(Layer &l, Allocator &memory, int k, unsigned use, bool two_bytes, bool per_element) {
    l.stage[k].bypass = false;
    l.stage[k].relu = true;
    l.stage[k].alu_bypass = use == 0;
    l.stage[k].mul_bypass = use == 1;
    l.stage[k].algorithm = SDP_SUM;
    l.stage[k].alu.from_memory = use != 0;
    l.stage[k].mul.from_memory = use != 1;
    l.operands[k] = {true, use, two_bytes, per_element,
                     memory.take(l, atom * (use == 2 ? 2 : 1) * (two_bytes ? 2 : 1), !per_element)};
}

int check_timing() {
    int failed = 0;
    Random random(1);
    const uint64_t beats = atom / lanes;
    const uint64_t fill = 70; // memory latency and depth of the pipe
    Allocator memory{random};
    Layer l = timing_layer(1, 1, unsigned(atom));
    l.source = memory.take(l, atom, false);
    l.destination = memory.take(l, atom, false);
    failed += !check_time("one atom", l, 59 + beats);

    l = timing_layer(30, 10, unsigned(2 * atom));
    l.source = memory.take(l, atom, false);
    l.destination = memory.take(l, atom, false);
    failed += !check_time("cube", l, fill + l.atoms() * beats);

    Layer kernel = l;
    add_operands(kernel, memory, 0, 2, true, false);
    add_operands(kernel, memory, 1, 0, false, false);
    failed += !check_time("cube with operands per kernel", kernel, fill + 10 + l.atoms() * beats);

    Layer element = l;
    add_operands(element, memory, 0, 1, false, true);
    add_operands(element, memory, 1, 0, true, true);
    failed +=
        !check_time("cube with operands per element", element, fill + 10 + l.atoms() * std::max<uint64_t>(beats, 2));

    Layer flying = l;
    flying.flying = true;
    flying.uses_rdma = false;
    flying.from_cacc.assign(l.atoms() * atom, 77);
    failed += !check_time("cube from CACC", flying, 30 + l.atoms() * beats);
    return failed;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: sdp_bench CONFIG SEEDS [FIRST]\n");
        return 2;
    }
    config = nvdla_config_find(argv[1]);
    if (!config || sizeof(Vbench::pdp_data_o) < size_t(config->sdp_bs_throughput)) {
        fprintf(stderr, "sdp_bench: %s is not the configuration this bench was built for\n", argv[1]);
        return 2;
    }
    atom = size_t(config->mem_atom);
    lanes = size_t(config->sdp_bs_throughput);
    window_base = kBaseLow | (config->addr_bits > 32 ? kBaseHigh << 32 : 0);
    const uint64_t seeds = strtoull(argv[2], nullptr, 0);
    const uint64_t first = argc > 3 ? strtoull(argv[3], nullptr, 0) : 1;
    int passed = 0, failed = 0;
    for (uint64_t seed = first; seed < first + seeds; seed++)
        (play_seed(seed) ? passed : failed)++;
    printf("%s  sdp %s: seeds %llu..%llu\n", failed ? "FAIL" : "ok  ", config->name,
           static_cast<unsigned long long>(first), static_cast<unsigned long long>(first + seeds - 1));
    const int slow = check_timing();
    failed += slow;
    passed += 5 - slow;
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
