// nvdla_sdp alone: random chains of layers in both register groups, memories and streams with random stalls, results
// against the arithmetic of the C model.
//
// Each seed is a few rounds of one to six layers, armed as their groups become free. The bench reads the inputs of a
// layer out of its memory by the address formulas of chapters 20 and 50 and computes the result with the arithmetic of
// csrc/model/sdp.c. Rounds in which all layers go from memory to memory are also played on the whole C model through
// its registers; its memory and its registers must agree as well. Directed cases: the time of some layers.
#include <array>

#include "common/chain.h"
#include "common/dma_client.h"
#include "common/model.h"
#include "common/stream.h"
#include "ew.h"

extern "C" {
#include "model/sdp.h"
#include "nvdla/bytes.h"
}

const uint64_t usual_seeds = 400;

namespace {

constexpr uint64_t kWindow = 1 << 18; // bytes of each memory that layers may use
constexpr uint64_t kBaseLow = 0x40000000;
constexpr uint64_t kBaseHigh = 0x12;   // 64-bit configurations; the others ignore the HIGH registers
constexpr uint64_t kPatience = 200000; // clocks of a wait

const size_t atom = size_t(config->mem_atom), lanes = size_t(config->sdp_bs_throughput);
const uint64_t window_base = kBaseLow | (config->addr_bits > 32 ? kBaseHigh << 32 : 0);

using Bytes = std::vector<uint8_t>;

// Both memories as arrays: the window that layers may use.
class WindowMemory : public Memory {
  public:
    std::array<Bytes, 2> bytes{Bytes(kWindow), Bytes(kWindow)}; // secondary, primary
    using Memory::Memory;

    void load(bool primary, uint64_t address, uint8_t *to, const char *who) override {
        if (const uint8_t *from = at(primary, address, who))
            memcpy(to, from, atom);
    }
    void store(bool primary, uint64_t address, const uint8_t *from, const char *who) override {
        if (uint8_t *to = at(primary, address, who))
            memcpy(to, from, atom);
    }

  private:
    uint8_t *at(bool primary, uint64_t address, const char *who) {
        if (address - window_base < kWindow)
            return &bytes[primary][address - window_base];
        checks.fail("%s: access to 0x%" PRIx64 " of memory %d", who, address, primary);
        return nullptr;
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
    unsigned width, height, channels, surfaces; // surfaces of `lanes` channels
    nvdla_precision in, proc, out;
    size_t lanes;
    unsigned batches;
    uint32_t batch_stride;
    bool winograd, flush_nans, count_specials;
    bool flying, to_pdp, compare, count_saturation, uses_rdma;
    Surface source, destination;
    sdp_stage stage[3]; // BS, BN, EW
    Ew ew;
    int16_t alu_operand[2], mul_operand[2]; // in the registers
    unsigned high_shift[2];                 // bits 7:6 of MUL_SHIFT_VALUE
    Operands operands[3];
    sdp_convertor convertor;
    uint32_t junk_ew; // EW configuration that must not matter, with EW bypassed or absent
    std::vector<int32_t> from_cacc;

    // Expected.
    Bytes result; // in processing order
    uint64_t saturated;
    fp16_specials specials_in, specials_out;
    bool unequal;
    unsigned rdma_group;

    // Columns of all surfaces and batches.
    size_t columns() const {
        return size_t(width) * height * surfaces * batches;
    }
    // Memory atoms of a column.
    unsigned atoms_in() const {
        return unsigned(lanes * size_t(nvdla_element_bytes(in)) / atom);
    }
    unsigned atoms_out() const {
        return unsigned(lanes * size_t(nvdla_element_bytes(out)) / atom);
    }
    bool to_memory() const {
        return !to_pdp && !compare;
    }
};

// A column of a surface and batch.
struct Place {
    unsigned b, s, h, w;
};

// The columns of a layer in the order of the pipe (chapter 50 section 8).
std::vector<Place> pipe_order(const Layer &l) {
    std::vector<Place> order;
    for (unsigned s = 0; s < l.surfaces; s++)
        for (unsigned band = 0; band < l.height; band += l.winograd ? 4 : 1)
            for (unsigned w = 0, n = 0; w < l.width; w += n) {
                n = l.width - w;
                if (l.winograd)
                    n = 2;
                if (l.batches > 1) // pairs inside 64 bytes of batch 0
                    n = std::min(n, l.destination.address(s, band, w) % (2 * atom) ? 1u : 2u);
                for (unsigned h = band; h < band + (l.winograd ? 4 : 1); h++)
                    for (unsigned b = 0; b < l.batches; b++)
                        for (unsigned i = 0; i < n; i++)
                            order.push_back({b, s, h, w + i});
            }
    return order;
}

struct Allocator {
    Random &random;
    std::array<uint64_t, 2> next{0, 0};
    bool full = false;

    // Room for a cube of so many surfaces (per surface of the layer) or for operands; random gaps between atoms that
    // the layer may not touch.
    Surface take(const Layer &layer, size_t atom_bytes, bool per_kernel, unsigned surfaces = 1) {
        Surface s;
        s.atom_bytes = atom_bytes;
        s.packed = layer.width == 1 && layer.height == 1;
        s.per_kernel = per_kernel;
        s.primary = !config->secondary_memory || random.percent(60);
        const auto gap = [&] { return random.percent(50) ? 0 : random.below(4u) * unsigned(atom); };
        const unsigned line = unsigned(layer.width * atom_bytes) + gap();
        const unsigned surface = layer.height * line + gap();
        uint64_t &at = next[s.primary];
        at += gap();
        s.base = window_base + at + random.below(unsigned(atom));
        const auto junk = [&](unsigned stride) {
            return s.packed || per_kernel ? uint32_t(random.bits64()) : stride + random.below(unsigned(atom));
        };
        s.line = junk(line);
        s.surface = junk(surface);
        at += (s.packed || per_kernel) ? surfaces * layer.surfaces * atom_bytes
                                       : uint64_t(surfaces) * layer.surfaces * surface;
        full = full || at > kWindow;
        return s;
    }
    // Room for the cubes of all batches, never packed; even: strides and base are multiples of 64.
    Surface take_batches(Layer &layer, bool even) {
        const unsigned unit = unsigned(atom) * (even ? 2 : 1);
        const auto up = [&](uint64_t n) { return unsigned((n + unit - 1) / unit * unit); };
        Surface s;
        s.atom_bytes = atom;
        s.primary = random.percent(60);
        s.line = up(layer.width * atom) + random.below(2u) * unit;
        s.surface = layer.height * s.line + random.below(2u) * unit;
        layer.batch_stride = layer.surfaces * s.surface + random.below(3u) * unit;
        uint64_t &at = next[s.primary];
        at = up(at) + random.below(2u) * unit;
        s.base = window_base + at;
        at += uint64_t(layer.batches) * layer.batch_stride;
        full = full || at > kWindow;
        return s;
    }
};

std::string describe(const Layer &l) {
    static const char *const precisions[] = {"INT8", "INT16", "FP16"};
    char text[300];
    snprintf(text, sizeof text, "%ux%ux%u %s-%s-%s, %u batches%s, %s to %s%s, operands %s%s%s, stages %s%s%s%s",
             l.width, l.height, l.channels, precisions[l.in], precisions[l.proc], precisions[l.out], l.batches,
             l.winograd ? ", Winograd" : "",
             l.flying           ? "from CACC"
             : l.source.primary ? "from primary"
                                : "from secondary",
             l.to_pdp                ? "PDP"
             : l.compare             ? "nowhere (compare)"
             : l.destination.primary ? "primary"
                                     : "secondary",
             l.uses_rdma ? "" : ", no RDMA", l.operands[0].enabled ? "BS " : "", l.operands[1].enabled ? "BN " : "",
             l.operands[2].enabled ? "EW " : "", l.stage[0].bypass ? "" : "BS ", l.stage[1].bypass ? "" : "BN ",
             l.stage[2].bypass ? "" : "EW ", l.ew.look_up ? "with table" : "");
    return text;
}

unsigned random_shift(Random &random, unsigned usual) {
    return random.percent(80) ? random.below(usual) : random.below(64u);
}

const sdp_convertor neutral{NVDLA_INT8, NVDLA_INT8, 0, 1, 0, config->map == NVDLA_MAP_SMALL};
const bool wide = nvdla_has_16_bits(config);

// An FP16 pattern: any, or one of the borders.
uint16_t random_half(Random &random) {
    static const uint16_t borders[] = {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x8400, 0x7bff, 0xfbff,
                                       0x7c00, 0xfc00, 0x7e01, 0xfc01, 0x7c00, 0x3c00, 0xbc00, 0x3800};
    return random.percent(20) ? borders[random.below(16u)] : uint16_t(random.bits());
}
// An FP32 pattern as CACC delivers them: mostly of moderate size.
uint32_t random_single(Random &random) {
    static const uint32_t borders[] = {0x00000000, 0x80000000, 0x7f7fffff, 0xff7fffff, 0x7f800001, 0xffc00201,
                                       0x477fe000, 0x477ff000, 0x33000000, 0x33000001, 0x387ff000, 0x3f000000,
                                       0x46fffe00, 0xc7000000, 0x00800000, 0xbf800000};
    if (random.percent(15))
        return borders[random.below(16u)];
    return uint32_t(random.bits()) % (random.percent(80) ? 0x0a000000u : 0x7f000000u) +
           (random.percent(80) ? 0x3a000000u : 0) + (random.percent(50) ? 0x80000000u : 0);
}

// Precisions that go together (chapter 50 section 7), plain: without conversion.
void draw_precisions(Random &random, Layer &l, bool plain) {
    static const nvdla_precision triples[][3] = {
        {NVDLA_INT8, NVDLA_INT8, NVDLA_INT8},   {NVDLA_INT16, NVDLA_INT16, NVDLA_INT16},
        {NVDLA_FP16, NVDLA_FP16, NVDLA_FP16},   {NVDLA_INT8, NVDLA_INT8, NVDLA_INT16},
        {NVDLA_INT16, NVDLA_INT8, NVDLA_INT8},  {NVDLA_INT16, NVDLA_INT8, NVDLA_INT16},
        {NVDLA_INT16, NVDLA_INT16, NVDLA_FP16}, {NVDLA_FP16, NVDLA_FP16, NVDLA_INT16},
    };
    const nvdla_precision *t = triples[!wide ? 0 : random.below(plain || random.percent(40) ? 3u : 8u)];
    l.proc = t[1];
    l.in = l.flying ? l.proc : t[0]; // of flying layers it does not count
    l.out = t[2];
    l.lanes = atom / (l.proc == NVDLA_INT8 ? 1 : 2);
}

Layer random_layer(Random &random, Allocator &memory, bool only_memory, bool tiny) {
    Layer l{};
    const bool one_by_one = tiny || random.percent(25);
    bool border = !only_memory && random.percent(15); // results around the limits of 17 bits
    l.width = one_by_one ? 1 : 1 + random.below(random.percent(10) ? 40u : 6u);
    l.height = one_by_one ? 1 : 1 + random.below(5u);
    l.flying = border || (!only_memory && random.percent(40));
    l.to_pdp = !only_memory && random.percent(30);
    l.batches = 1;
    if (wide && l.flying && !l.to_pdp && !border && random.percent(40)) {
        l.winograd = random.percent(50);
        if (l.winograd) {
            l.width = 2 * (1 + random.below(5u));
            l.height = 4 * (1 + random.below(2u));
        } else {
            l.batches = random.range(2u, random.percent(10) ? 32u : 5u);
        }
    }
    draw_precisions(random, l, l.to_pdp || l.winograd || l.batches > 1);
    const bool floating_point = l.proc == NVDLA_FP16;
    border = border && !floating_point;
    l.channels = 1 + random.below(unsigned(l.lanes) * (tiny ? 2 : one_by_one ? 8 : l.batches > 1 ? 2 : 4));
    l.surfaces = unsigned((l.channels + l.lanes - 1) / l.lanes);
    l.compare = random.percent(10) && !l.to_pdp && l.in == l.out && l.in == l.proc && !l.winograd && l.batches == 1;
    l.count_saturation = random.percent(60);
    l.flush_nans = floating_point && random.percent(50);
    l.count_specials = wide && random.percent(60);
    for (int i = 0; i < 2; i++) {
        sdp_stage &s = l.stage[i];
        s.bypass = border || random.percent(30);
        s.alu_bypass = random.percent(30);
        s.mul_bypass = random.percent(30);
        s.prelu = random.percent(30);
        s.relu = random.percent(40);
        s.algorithm = sdp_algorithm(random.below(4));
        s.floating_point = floating_point;
        s.alu.format.form = SDP_SHIFTED;
        s.alu.format.shift = random_shift(random, 8);
        s.mul.format.form = SDP_SIGNED;
        if (floating_point)
            s.alu.format.form = s.mul.format.form = l.flush_nans ? SDP_FP16_WITHOUT_NAN : SDP_FP16;
        s.shift = random_shift(random, 20);
        s.alu.from_memory = !s.bypass && !s.alu_bypass && random.percent(60);
        s.mul.from_memory = !s.bypass && !s.mul_bypass && random.percent(60);
        l.alu_operand[i] = int16_t(floating_point ? random_half(random) : random.corner(16));
        l.mul_operand[i] = int16_t(floating_point ? random_half(random) : random.corner(16));
        l.high_shift[i] = random.below(4u);
    }
    l.stage[2] = random_ew_stage(random, floating_point, l.flush_nans, l.compare);
    l.stage[2].bypass = !has_ew || (!l.compare && (border || random.percent(50)));
    l.ew.look_up = !l.stage[2].bypass && !l.compare && random.percent(50);
    l.ew.count = random.percent(60);
    for (int i = 0; i < 3; i++) {
        const sdp_stage &s = l.stage[i];
        Operands &o = l.operands[i];
        if (s.bypass)
            continue;
        o.enabled = s.alu.from_memory || s.mul.from_memory;
        o.use = s.alu.from_memory ? (s.mul.from_memory ? 2 : 1) : 0;
        o.two_bytes = l.proc != NVDLA_INT8 || random.percent(50);
        o.per_element = random.percent(50);
        if (o.enabled) {
            const size_t bytes = l.lanes * (o.use == 2 ? 2 : 1) * (o.two_bytes ? 2 : 1);
            o.where = memory.take(l, bytes, !o.per_element);
        }
    }
    l.convertor = neutral;
    l.convertor.offset = int32_t(random.corner(random.percent(80) ? 10 : 32));
    l.convertor.scale = int16_t(random.corner(16));
    l.convertor.shift = random_shift(random, 24);
    if (border) {
        l.convertor = neutral;
        l.convertor.scale = int16_t(random.percent(50) ? 1 : -1);
        l.convertor.shift = random.below(14u);
    }
    l.convertor.proc = l.proc;
    l.convertor.out = l.out;
    l.junk_ew = random.percent(50) ? uint32_t(random.bits64()) & ~(1u | (l.compare ? 0xeu : 0)) : 0;
    if (!l.compare)
        l.junk_ew |= 1; // EW_BYPASS
    else
        l.junk_ew |= 3u << SDP_D_DP_EW_CFG__EW_ALU_ALGO_LSB;
    if (l.flying) {
        for (size_t i = 0; i < l.columns() * l.lanes; i++) {
            int64_t value =
                floating_point ? int64_t(random_single(random)) : random.corner(random.percent(70) ? 16 : 32);
            if (border) {
                value = (65534 + int64_t(random.below(4))) * (INT64_C(1) << l.convertor.shift) +
                        random.below(1u << l.convertor.shift);
                value = random.percent(50) ? value : -value;
            }
            l.from_cacc.push_back(int32_t(value));
        }
    } else {
        l.source = memory.take(l, atom, false, l.atoms_in());
    }
    if (!l.flying && l.in == l.out && random.percent(10))
        l.destination = l.source; // in place
    else if (l.batches > 1)
        l.destination =
            memory.take_batches(l, l.operands[0].per_element || l.operands[1].per_element || l.operands[2].per_element);
    else
        l.destination = memory.take(l, atom, false, l.atoms_out());
    l.uses_rdma =
        !l.flying || l.operands[0].enabled || l.operands[1].enabled || l.operands[2].enabled || random.percent(20);
    return l;
}

// Fills the operands and the FP16 input of a layer with numbers that reach the corners.
void fill(std::array<Bytes, 2> &memory, Random &random, const Layer &layer) {
    const bool floating_point = layer.proc == NVDLA_FP16;
    const auto put = [&](const Surface &where, unsigned s, unsigned h, unsigned w, bool halves) {
        uint8_t *at = &memory[where.primary][where.address(s, h, w) - window_base];
        for (size_t i = 0; i < where.atom_bytes; i += 2)
            store_16(at + i, halves ? random_half(random) : uint16_t(random.corner(16)));
    };
    for (unsigned s = 0; s < layer.surfaces; s++)
        for (unsigned h = 0; h < layer.height; h++)
            for (unsigned w = 0; w < layer.width; w++) {
                for (const Operands &o : layer.operands)
                    if (o.enabled)
                        put(o.where, s, h, w, floating_point);
                if (!layer.flying && layer.in == NVDLA_FP16)
                    put(layer.source, s, h, w, true);
            }
}

// Component (0 ALU, 1 MUL) of element e of the operand atom at `bytes`.
int16_t operand(const Operands &o, const uint8_t *bytes, size_t e, unsigned component) {
    const unsigned n = o.use == 2 ? 2 : 1;
    const size_t index = e * n + (n == 2 ? component : 0);
    return o.two_bytes ? int16_t(bytes[2 * index] | bytes[2 * index + 1] << 8) : int16_t(int8_t(bytes[index]));
}

// Computes what the layer must produce from the memory as it is now.
void expect(const std::array<Bytes, 2> &memory, const EwTable &table, Layer &layer) {
    const size_t count = layer.columns() * layer.lanes;
    std::vector<int32_t> data(count);
    std::vector<int16_t> values[3][2]; // stage; ALU, MUL
    for (auto &stage : values)
        for (auto &v : stage)
            v.resize(count);
    const auto at = [&](const Surface &where, unsigned s, const Place &p) {
        return &memory[where.primary][where.address(s, p.h, p.w) - window_base];
    };
    layer.specials_in = layer.specials_out = fp16_specials{};
    size_t first = 0;
    for (const Place &p : pipe_order(layer)) {
        if (layer.flying) {
            std::copy_n(&layer.from_cacc[first], layer.lanes, &data[first]);
        } else {
            Bytes column;
            for (unsigned i = 0; i < layer.atoms_in(); i++) {
                const uint8_t *part = at(layer.source, p.s * layer.atoms_in() + i, p);
                column.insert(column.end(), part, part + atom);
            }
            sdp_load(layer.in, column.data(), &data[first], layer.lanes);
            if (layer.in == NVDLA_FP16)
                fp16_count_specials(column.data(), layer.lanes, &layer.specials_in);
        }
        for (int k = 0; k < 3; k++) {
            const Operands &o = layer.operands[k];
            const bool alu = o.enabled && layer.stage[k].alu.from_memory,
                       mul = o.enabled && layer.stage[k].mul.from_memory;
            for (size_t e = 0; e < layer.lanes; e++) {
                const uint8_t *bytes = o.enabled ? at(o.where, p.s, p) : nullptr;
                values[k][0][first + e] = alu ? operand(o, bytes, e, 0) : k < 2 ? layer.alu_operand[k] : int16_t(0);
                values[k][1][first + e] = mul ? operand(o, bytes, e, 1) : k < 2 ? layer.mul_operand[k] : int16_t(0);
            }
        }
        first += layer.lanes;
    }
    if (layer.flush_nans)
        sdp_flush_nans(data.data(), count);
    for (int k = 0; k < 3; k++) {
        const sdp_stage &stage = layer.stage[k];
        std::vector<int32_t> alu(count, stage.alu.value), mul(count, stage.mul.value);
        if (k < 2 || stage.alu.from_memory)
            sdp_prepare_operands(&stage.alu.format, values[k][0].data(), alu.data(), count);
        if (k < 2 || stage.mul.from_memory)
            sdp_prepare_operands(&stage.mul.format, values[k][1].data(), mul.data(), count);
        sdp_stage_apply(&stage, data.data(), alu.data(), mul.data(), count);
    }
    layer.ew.answers = sdp_table_counters{};
    if (layer.ew.look_up)
        sdp_table_apply(&table.settings, &table.entries, layer.proc == NVDLA_FP16, data.data(), count,
                        &layer.ew.answers);
    layer.result.resize(count * size_t(nvdla_element_bytes(layer.out)));
    layer.saturated = sdp_convert(&layer.convertor, data.data(), layer.result.data(), count);
    if (layer.compare) {
        layer.saturated = config->map == NVDLA_MAP_SMALL ? 0 : layer.saturated;
        sdp_pass_low_bits(layer.out, data.data(), layer.result.data(), count);
    }
    if (layer.out == NVDLA_FP16 && layer.to_memory())
        fp16_count_specials(layer.result.data(), count, &layer.specials_out);
    layer.unequal =
        !layer.to_pdp && std::any_of(layer.result.begin(), layer.result.end(), [](uint8_t b) { return b != 0; });
}

// Puts the layer's result where it belongs in an expected memory.
void place(std::array<Bytes, 2> &memory, const Layer &layer) {
    const uint8_t *from = layer.result.data();
    const Surface &to = layer.destination;
    for (const Place &p : pipe_order(layer))
        for (unsigned i = 0; i < layer.atoms_out(); i++, from += atom)
            memcpy(&memory[to.primary][to.address(p.s * layer.atoms_out() + i, p.h, p.w) +
                                       uint64_t(p.b) * layer.batch_stride - window_base],
                   from, atom);
}

// The layer's result as PDP gets it: INT8 in the lanes of the widest precision.
void append_pdp(Bytes &stream, const Layer &layer) {
    for (const uint8_t b : layer.result) {
        stream.push_back(b);
        if (wide && layer.out == NVDLA_INT8)
            stream.push_back(b & 0x80 ? 0xff : 0);
    }
}

// ---- one seed ----

class Session {
  public:
    enum { Main, Rdma };
    Random random;
    Design design;
    WindowMemory memory;
    ReadClient source, operand_b, operand_n, operand_e;
    WriteClient writer;
    StreamSource cacc;
    StreamSink pdp;
    Csb csb;
    Interrupts done;
    Chain chain;
    std::unique_ptr<Model> model;      // follows in seeds whose layers all go from memory to memory
    uint32_t saturation_left = 0;      // by the last layer that counted
    fp16_specials specials_left{};     // the same, of the input
    sdp_table_counters answers_left{}; // the same, of the table
    EwTable table;
    std::vector<std::pair<int, uint64_t>> interrupts; // of the round: group, atoms written and acknowledged until then

    explicit Session(uint64_t seed)
        : random(seed), memory(design, Behaviour(), seed ^ 0x5a5a5a5a),
          source(design, memory, "MRDMA", read_port(design.top.m_mif_o, design.top.m_mif_i)),
          operand_b(design, memory, "BRDMA", read_port(design.top.b_mif_o, design.top.b_mif_i)),
          operand_n(design, memory, "NRDMA", read_port(design.top.n_mif_o, design.top.n_mif_i)),
          operand_e(design, memory, "ERDMA", read_port(design.top.e_mif_o, design.top.e_mif_i)),
          writer(design, memory, "WDMA", write_port(design.top.w_mif_o, design.top.w_mif_i)),
          cacc(design, STREAM_IN(design.top, cacc), lanes * 4, seed ^ 0xcacc),
          pdp(design, STREAM_OUT(design.top, pdp), "stream to PDP", lanes * (wide ? 2 : 1), seed ^ 0xbdb),
          csb(design,
              {{NVDLA_SDP, &design.top.csb_req_i, 1, &design.top.csb_rdata_o},
               {NVDLA_SDP_RDMA, &design.top.csb_rdma_req_i, 1, &design.top.csb_rdma_rdata_o}},
              seed ^ 0xc5b),
          done(design, design.top.done_intr_o), chain(design, csb, done, kPatience) {
        done.in_turn = false; // a layer to PDP may end with one that waits for its acknowledge
        done.seen = [this](int group) { interrupts.push_back({group, writer.atoms}); };
    }
    void follow() {
        model.reset(new Model);
        for (bool primary : {false, true})
            if (memory.space(primary))
                memory_declare(model->space(primary), window_base, kWindow);
    }

    void write(bool rdma, uint32_t offset, uint32_t value) {
        csb.write(rdma, offset, value);
        if (model)
            model->write(csb.unit(rdma), offset, value);
    }
    uint32_t read(bool rdma, uint32_t offset) {
        const uint32_t value = csb.read(rdma, offset);
        if (model) {
            const uint32_t expected = model->read(csb.unit(rdma), offset);
            if (value != expected)
                checks.fail("%s register 0x%03x: 0x%08x, the model has 0x%08x", csb.name(rdma), offset, value,
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
        const uint32_t block = uint32_t(k) * (SDP_RDMA_D_NRDMA_CFG - SDP_RDMA_D_BRDMA_CFG);
        write(true, block + SDP_RDMA_D_BRDMA_CFG,
              uint32_t(!o.enabled) | o.use << 1 | uint32_t(o.two_bytes) << 3 | uint32_t(o.per_element) << 4 |
                  uint32_t(o.where.primary) << 5);
        write(true, block + SDP_RDMA_D_BS_BASE_ADDR_LOW, uint32_t(o.where.base));
        write(true, block + SDP_RDMA_D_BS_BASE_ADDR_HIGH, uint32_t(kBaseHigh));
        write(true, block + SDP_RDMA_D_BS_LINE_STRIDE, o.where.line);
        write(true, block + SDP_RDMA_D_BS_SURFACE_STRIDE, o.where.surface);
    }

    void program_sdp(const Layer &l) {
        write(false, SDP_S_POINTER, chain.group(Main));
        write(false, SDP_D_DATA_CUBE_WIDTH, l.width - 1);
        write(false, SDP_D_DATA_CUBE_HEIGHT, l.height - 1);
        write(false, SDP_D_DATA_CUBE_CHANNEL, l.channels - 1);
        write(false, SDP_D_DST_BASE_ADDR_LOW, uint32_t(l.destination.base));
        write(false, SDP_D_DST_BASE_ADDR_HIGH, uint32_t(kBaseHigh));
        write(false, SDP_D_DST_LINE_STRIDE, l.destination.line);
        write(false, SDP_D_DST_SURFACE_STRIDE, l.destination.surface);
        program_stage(l, 0);
        program_stage(l, 1);
        if (l.stage[2].bypass)
            write(false, SDP_D_DP_EW_CFG, l.junk_ew);
        else
            for (const RegisterWrite &w : ew_writes(l.stage[2], l.ew))
                write(false, w.offset, w.value);
        write(false, SDP_D_FEATURE_MODE_CFG,
              uint32_t(l.flying) | uint32_t(l.to_pdp) << 1 | uint32_t(l.winograd) << 2 | uint32_t(l.flush_nans) << 3 |
                  (l.batches - 1) << 8);
        write(false, SDP_D_DST_BATCH_STRIDE, l.batch_stride);
        write(false, SDP_D_DATA_FORMAT, uint32_t(l.proc) | uint32_t(l.out) << 2);
        write(false, SDP_D_DST_DMA_CFG, l.destination.primary);
        write(false, SDP_D_CVT_OFFSET, uint32_t(l.convertor.offset));
        write(false, SDP_D_CVT_SCALE, uint16_t(l.convertor.scale));
        write(false, SDP_D_CVT_SHIFT, l.convertor.shift);
        write(false, SDP_D_PERF_ENABLE, uint32_t(l.ew.count) << 1 | uint32_t(l.count_saturation) << 2);
        write(false, SDP_D_OP_ENABLE, 1);
        chain.armed(Main);
    }

    void program_rdma(Layer &l) {
        if (!l.uses_rdma)
            return;
        l.rdma_group = chain.group(Rdma);
        write(true, SDP_RDMA_S_POINTER, chain.group(Rdma));
        write(true, SDP_RDMA_D_DATA_CUBE_WIDTH, l.width - 1);
        write(true, SDP_RDMA_D_DATA_CUBE_HEIGHT, l.height - 1);
        write(true, SDP_RDMA_D_DATA_CUBE_CHANNEL, l.channels - 1);
        write(true, SDP_RDMA_D_SRC_BASE_ADDR_LOW, uint32_t(l.source.base));
        write(true, SDP_RDMA_D_SRC_BASE_ADDR_HIGH, uint32_t(kBaseHigh));
        write(true, SDP_RDMA_D_SRC_LINE_STRIDE, l.source.line);
        write(true, SDP_RDMA_D_SRC_SURFACE_STRIDE, l.source.surface);
        program_operands(l.operands[0], 0);
        program_operands(l.operands[1], 1);
        program_operands(l.operands[2], 2);
        write(true, SDP_RDMA_D_FEATURE_MODE_CFG,
              uint32_t(l.flying) | uint32_t(l.winograd) << 1 | uint32_t(l.in) << 2 | uint32_t(l.proc) << 4 |
                  uint32_t(l.out) << 6 | (l.batches - 1) << 8);
        write(true, SDP_RDMA_D_PERF_ENABLE, uint32_t(l.count_specials) << 1);
        write(true, SDP_RDMA_D_SRC_DMA_CFG, l.source.primary);
        write(true, SDP_RDMA_D_OP_ENABLE, 1);
        chain.armed(Rdma);
    }

    void arm(Layer &l) {
        const bool rdma_first = random.percent(50);
        const unsigned pause = random.percent(70) ? 0 : random.below(100u);
        if (rdma_first)
            program_rdma(l);
        else
            program_sdp(l);
        design.clocks(pause);
        if (rdma_first)
            program_sdp(l);
        else
            program_rdma(l);
    }

    // Status registers of the layer that ran last in this group.
    void check_status(const Layer &l, unsigned g) {
        write(false, SDP_S_POINTER, g);
        if (l.count_saturation)
            saturation_left = uint32_t(l.saturated);
        const uint32_t saturation = read(false, SDP_D_PERF_OUT_SATURATION);
        const uint32_t unequal = read(false, SDP_D_STATUS);
        if (saturation != saturation_left)
            checks.fail("group %u: OUT_SATURATION %u, expected %u", g, saturation, saturation_left);
        if (unequal != l.unequal)
            checks.fail("group %u: STATUS_UNEQUAL %u, expected %u", g, unequal, l.unequal);
        const uint32_t nans = read(false, SDP_D_STATUS_NAN_OUTPUT_NUM);
        if (nans != l.specials_out.nan)
            checks.fail("group %u: NAN_OUTPUT_NUM %u, expected %" PRIu64, g, nans, l.specials_out.nan);
        if (has_ew)
            check_answers(l, g);
        if (!l.uses_rdma)
            return;
        if (l.count_specials && !l.flying && l.in == NVDLA_FP16)
            specials_left = l.specials_in;
        write(true, SDP_RDMA_S_POINTER, l.rdma_group);
        const uint32_t nans_in = read(true, SDP_RDMA_D_STATUS_NAN_INPUT_NUM);
        const uint32_t infinities_in = read(true, SDP_RDMA_D_STATUS_INF_INPUT_NUM);
        if (nans_in != specials_left.nan || infinities_in != specials_left.infinity)
            checks.fail("group %u: %u NaN and %u infinities read, expected %" PRIu64 " and %" PRIu64, l.rdma_group,
                        nans_in, infinities_in, specials_left.nan, specials_left.infinity);
    }

    // The counters of the table, of the layer that ran last in a group.
    void check_answers(const Layer &l, unsigned g) {
        if (l.ew.count)
            answers_left = l.ew.answers;
        const std::pair<uint32_t, uint64_t> counters[] = {
            {SDP_D_PERF_LUT_UFLOW, answers_left.underflow}, {SDP_D_PERF_LUT_OFLOW, answers_left.overflow},
            {SDP_D_PERF_LUT_HYBRID, answers_left.hybrid},   {SDP_D_PERF_LUT_LE_HIT, answers_left.le_hit},
            {SDP_D_PERF_LUT_LO_HIT, answers_left.lo_hit},
        };
        for (const auto &[offset, expected] : counters) {
            const uint32_t value = read(false, offset);
            if (value != expected)
                checks.fail("group %u: counter 0x%x of the table %u, expected %" PRIu64, g, offset, value, expected);
        }
    }

    // Loads the table that all layers use.
    void load_table() {
        if (!has_ew)
            return;
        table = random_ew_table(random);
        for (const RegisterWrite &w : ew_table_writes(table))
            write(false, w.offset, w.value);
    }

    static uint64_t atoms_to_memory(const std::vector<Layer> &layers) {
        uint64_t atoms = 0;
        for (const Layer &l : layers)
            atoms += l.to_memory() ? l.columns() * l.atoms_out() : 0;
        return atoms;
    }

    // One interrupt of its group for each layer; where all layers write memory, in order and not before the layer's
    // last acknowledge.
    void check_interrupts(const std::vector<Layer> &layers, unsigned first_group, uint64_t atoms) {
        const auto &seen = interrupts;
        size_t wanted[2] = {0, 0}, got[2] = {0, 0};
        for (size_t i = 0; i < layers.size(); i++)
            wanted[(first_group + i) & 1]++;
        for (const auto &interrupt : seen)
            got[interrupt.first]++;
        if (got[0] != wanted[0] || got[1] != wanted[1]) {
            checks.fail("%zu and %zu interrupts of the groups, expected %zu and %zu", got[0], got[1], wanted[0],
                        wanted[1]);
            return;
        }
        if (!std::all_of(layers.begin(), layers.end(), [](const Layer &l) { return l.to_memory(); }))
            return;
        for (size_t i = 0; i < layers.size(); i++) {
            atoms += layers[i].columns() * layers[i].atoms_out();
            if (seen[i].first != int((first_group + i) & 1))
                checks.fail("interrupt %zu is of group %d", i, seen[i].first);
            if (seen[i].second < atoms)
                checks.fail("interrupt %zu before the layer's last write was acknowledged", i);
        }
    }

    // Compares the window of a memory with what it must hold.
    void compare_window(bool primary, const uint8_t *expected, const char *whose) {
        const Bytes &seen = memory.bytes[primary];
        const auto differs = std::mismatch(seen.begin(), seen.end(), expected);
        if (differs.first != seen.end())
            checks.fail("byte 0x%zx of memory %d: 0x%02x, %s 0x%02x", size_t(differs.first - seen.begin()), primary,
                        *differs.first, whose, *differs.second);
    }
    // The model's memory: loaded before the round, compared after it.
    void load_model() {
        for (bool primary : {false, true})
            if (memory.space(primary))
                memory_write(model->space(primary), window_base, memory.bytes[primary].data(), kWindow, nullptr,
                             nullptr);
    }
    void compare_with_model() {
        for (bool primary : {false, true})
            if (memory.space(primary)) {
                Bytes expected(kWindow);
                memory_read(model->space(primary), window_base, expected.data(), kWindow);
                compare_window(primary, expected.data(), "the model");
            }
    }

    // Layers that fit into the memories, their operands, and what they must produce.
    std::vector<Layer> draw_layers() {
        const bool tiny = random.percent(20);
        std::vector<Layer> layers;
        for (bool again = true; again;) {
            Allocator allocator{random};
            layers.clear();
            for (unsigned n = random.range(1u, 6u); n > 0; n--)
                layers.push_back(random_layer(random, allocator, model != nullptr, tiny));
            again = allocator.full;
        }
        for (Bytes &bytes : memory.bytes)
            for (size_t i = 0; i < kWindow; i += 8) {
                const uint64_t word = random.bits64();
                memcpy(&bytes[i], &word, 8);
            }
        for (const Layer &l : layers)
            fill(memory.bytes, random, l);
        for (Layer &l : layers)
            expect(memory.bytes, table, l);
        return layers;
    }

    // A chain of layers on memories with contents of its own; the groups continue from the chain before.
    void round() {
        memory.behaviour = random_behaviour(random);
        csb.percent = random.percent(50) ? 100 : random.range(20, 100);
        cacc.percent = random.percent(30) ? 100 : random.range(20, 100);
        pdp.percent = random.percent(30) ? 100 : random.range(20, 100);
        std::vector<Layer> layers = draw_layers();
        if (model)
            load_model();
        std::array<Bytes, 2> expected = memory.bytes;
        Bytes expected_pdp;
        for (const Layer &l : layers) {
            checks.detail(describe(l));
            if (l.to_memory())
                place(expected, l);
            if (l.to_pdp)
                append_pdp(expected_pdp, l);
            cacc.feed(l.from_cacc.data(), l.from_cacc.size() * 4);
        }
        pdp.taken.clear();
        interrupts.clear();
        const uint64_t atoms_before = writer.atoms, atoms = atoms_before + atoms_to_memory(layers);
        const size_t done_before = done.count();
        const uint32_t first_group = chain.group(Main);
        for (size_t i = 0; i < layers.size(); i++) {
            if (i >= 2) {
                if (!chain.wait_free(Main) || !chain.wait_free(Rdma))
                    return;
                check_status(layers[i - 2], chain.group(Main));
            }
            arm(layers[i]);
            if (model)
                model->run();
        }
        if (!chain.wait_done(done_before + layers.size()))
            return;
        design.clocks(20);
        check_interrupts(layers, first_group, atoms_before);
        if (writer.atoms != atoms)
            checks.fail("%" PRIu64 " atoms written, expected %" PRIu64, writer.atoms - atoms_before,
                        atoms - atoms_before);
        if (cacc.left() > 0)
            checks.fail("%zu bytes of CACC not taken", cacc.left());
        if (pdp.taken != expected_pdp)
            checks.fail("PDP stream differs (%zu bytes, expected %zu)", pdp.taken.size(), expected_pdp.size());
        for (bool primary : {false, true})
            compare_window(primary, expected[primary].data(), "expected");
        if (model)
            compare_with_model();
        for (bool rdma : {false, true}) {
            const uint32_t status = read(rdma, SDP_S_STATUS);
            if (status != 0)
                checks.fail("%s S_STATUS 0x%08x after the last layer", csb.name(rdma), status);
        }
        for (size_t i = layers.size() < 2 ? 0 : layers.size() - 2; i < layers.size(); i++)
            check_status(layers[i], (first_group + unsigned(i)) & 1);
    }
};

// ---- timing ----

Layer timing_layer(unsigned width, unsigned height, unsigned channels, nvdla_precision precision = NVDLA_INT8) {
    Layer l{};
    l.in = l.proc = l.out = precision;
    l.lanes = atom / size_t(nvdla_element_bytes(precision));
    l.batches = 1;
    l.width = width;
    l.height = height;
    l.channels = channels;
    l.surfaces = unsigned((channels + l.lanes - 1) / l.lanes);
    l.uses_rdma = true;
    l.junk_ew = 1;
    for (sdp_stage &s : l.stage) {
        s.bypass = true;
        s.shift = 0;
    }
    l.convertor = neutral;
    l.convertor.proc = l.convertor.out = precision;
    return l;
}

// Clocks from the register write that arms the layer to the interrupt pulse, memory as in the reference bench (chapter
// 70 section 8) without stalls; SDP_RDMA, if it takes part, is armed last.
void check_time(const char *name, Layer l, uint64_t limit) {
    checks.start(std::string("time of ") + name);
    Session session(1);
    session.memory.behaviour = Behaviour::quiet(36); // with the clocks that the memory interface adds
    session.memory.behaviour.write_latency = 6;
    session.cacc.feed(l.from_cacc.data(), l.from_cacc.size() * 4);
    session.program_sdp(l);
    session.program_rdma(l);
    const uint64_t start = session.design.now - 1;
    if (session.chain.wait_done(1))
        checks.at_most("clocks", session.done.times[0] + 1 - start, limit);
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
                     memory.take(l, l.lanes * (use == 2 ? 2 : 1) * (two_bytes ? 2 : 1), !per_element)};
}

} // namespace

void directed_cases() {
    Random random(1);
    const uint64_t beats = atom / lanes;
    const uint64_t fill = 70; // memory latency and depth of the pipe
    Allocator memory{random};
    Layer l = timing_layer(1, 1, unsigned(atom));
    l.source = memory.take(l, atom, false);
    l.destination = memory.take(l, atom, false);
    check_time("one atom", l, 59 + beats);

    l = timing_layer(30, 10, unsigned(2 * atom));
    l.source = memory.take(l, atom, false);
    l.destination = memory.take(l, atom, false);
    check_time("cube", l, fill + l.columns() * beats);

    if (has_ew) { // the table's contents do not matter
        Layer ew = l;
        add_operands(ew, memory, 2, 2, true, true);
        ew.stage[2].ew = ew.ew.look_up = true;
        check_time("cube with EW, operands per element, table", ew,
                   fill + 30 + l.columns() * l.lanes / unsigned(config->sdp_ew_throughput));
    }

    Layer kernel = l;
    add_operands(kernel, memory, 0, 2, true, false);
    add_operands(kernel, memory, 1, 0, false, false);
    check_time("cube with operands per kernel", kernel, fill + 10 + l.columns() * beats);

    Layer element = l;
    add_operands(element, memory, 0, 1, false, true);
    add_operands(element, memory, 1, 0, true, true);
    check_time("cube with operands per element", element, fill + 10 + l.columns() * std::max<uint64_t>(beats, 2));

    Layer flying = l;
    flying.flying = true;
    flying.uses_rdma = false;
    flying.from_cacc.assign(l.columns() * l.lanes, 77);
    check_time("cube from CACC", flying, 30 + l.columns() * beats);
    if (!wide)
        return;

    // 16 elements a clock in every precision, order and with operands of 64 bytes.
    Allocator room{random};
    Layer half = timing_layer(30, 10, 2 * unsigned(lanes), NVDLA_FP16);
    half.source = room.take(half, atom, false);
    half.destination = room.take(half, atom, false);
    check_time("cube of FP16", half, fill + half.columns());

    Layer both = half;
    both.flying = true;
    both.from_cacc.assign(both.columns() * both.lanes, 0x3f800000);
    add_operands(both, room, 0, 2, true, true);
    check_time("cube of FP16 from CACC with two operands per element", both, fill + 20 + both.columns());

    Layer longer = timing_layer(30, 10, 2 * unsigned(atom));
    longer.out = longer.convertor.out = NVDLA_INT16;
    longer.source = room.take(longer, atom, false);
    longer.destination = room.take(longer, atom, false, 2);
    check_time("INT8 to INT16", longer, fill + 10 + longer.columns() * beats);

    Layer shorter = timing_layer(30, 10, 2 * unsigned(atom));
    shorter.in = NVDLA_INT16;
    shorter.source = room.take(shorter, atom, false, 2);
    shorter.destination = room.take(shorter, atom, false);
    check_time("INT16 to INT8", shorter, fill + 20 + shorter.columns() * beats);

    Layer winograd = timing_layer(30, 8, 2 * unsigned(lanes), NVDLA_INT16);
    winograd.flying = winograd.winograd = true;
    winograd.from_cacc.assign(winograd.columns() * winograd.lanes, 77);
    winograd.destination = room.take(winograd, atom, false);
    add_operands(winograd, room, 1, 1, true, true);
    check_time("Winograd with operands per element", winograd, fill + 20 + winograd.columns());

    Layer batches = timing_layer(11, 4, 2 * unsigned(lanes), NVDLA_INT16);
    batches.batches = 4;
    batches.flying = true;
    batches.from_cacc.assign(batches.columns() * batches.lanes, 77);
    batches.destination = room.take_batches(batches, true);
    add_operands(batches, room, 0, 2, true, true);
    check_time("batches with operands per element", batches, fill + 20 + batches.columns());
}

void random_case(uint64_t seed) {
    Session session(seed);
    if (seed % 2)
        session.follow();
    session.load_table();
    for (unsigned rounds = session.random.range(2u, 5u); rounds > 0 && !checks.failing(); rounds--)
        session.round();
}
