// nvdla_sdp alone, with random layers of csrc/gen from memory and from the convolution, to memory and to PDP, against
// the C model.
//
// The model plays the program of a seed first; it has all engines. The player then plays the same program on the
// design: CACC's stream is the model's, PDP takes everything at random times. Checked: the atoms that the four readers
// ask for, memory, the stream to PDP, interrupts, and all registers of both groups. Directed cases: the time of some
// layers.
#include <map>

#include "common/dma_client.h"
#include "common/front.h"
#include "common/interrupts.h"
#include "common/reference.h"
#include "common/stream.h"

const uint64_t usual_seeds = 100;

namespace {

const bool wide = nvdla_has_16_bits(config), has_ew = nvdla_has(config, FEATURE_EW);
const size_t atom = size_t(config->mem_atom), lanes = size_t(nvdla_sdp_lanes(config));
enum { Anything = 0x10000 }; // in the stream to PDP: a lane without a channel

class Bench {
  public:
    Design design;
    Memory memory;
    ReadClient source, operand_b, operand_n, operand_e;
    WriteClient writer;
    StreamSource cacc;
    StreamSink pdp;
    Interrupts done;
    Csb csb;
    Front front;

    Bench(const Program &program, const Behaviour &behaviour, uint64_t seed)
        : memory(design, behaviour, seed ^ 0x5a5a5a5a),
          source(design, memory, "MRDMA", read_port(design.top.m_mif_o, design.top.m_mif_i)),
          operand_b(design, memory, "BRDMA", read_port(design.top.b_mif_o, design.top.b_mif_i)),
          operand_n(design, memory, "NRDMA", read_port(design.top.n_mif_o, design.top.n_mif_i)),
          operand_e(design, memory, "ERDMA", read_port(design.top.e_mif_o, design.top.e_mif_i)),
          writer(design, memory, "WDMA", write_port(design.top.w_mif_o, design.top.w_mif_i)),
          cacc(design, STREAM_IN(design.top, cacc), lanes * 4, seed ^ 0xcacc),
          pdp(design, STREAM_OUT(design.top, pdp), "stream to PDP", lanes * (wide ? 2 : 1), seed ^ 0xbdb),
          done(design, design.top.done_intr_o, "SDP"),
          csb(design,
              {{NVDLA_SDP, &design.top.csb_req_i, 1, &design.top.csb_rdata_o},
               {NVDLA_SDP_RDMA, &design.top.csb_rdma_req_i, 1, &design.top.csb_rdma_rdata_o}},
              seed ^ 0xc5b),
          front(design, csb, &memory), program_(program),
          reference_(program, {{TAP_SDP_OUT, [this](const tap_position &at, const uint8_t *row, size_t bytes) {
                                    passed(at, row, bytes);
                                }}}) {
        memory.tolerant = true; // reads are judged, and memories compared
        cacc.feed(reference_.results.data(), reference_.results.size() * 4);
        done.in_turn = false; // a layer to PDP may end with one that waits for its acknowledge
        done.seen = [this](int group) { ended(group); };
        watch(source, NVDLA_READ_SDP);
        watch(operand_b, NVDLA_READ_SDP_B);
        watch(operand_n, NVDLA_READ_SDP_N);
        watch(operand_e, NVDLA_READ_SDP_E);
        front.at_rest = [this] {
            return source.under_way() + operand_b.under_way() + operand_n.under_way() + operand_e.under_way() +
                       writer.under_way() ==
                   0;
        };
        count_writes();
    }
    Bench(const Bench &) = delete;
    Bench &operator=(const Bench &) = delete;

    // Plays the program and compares everything with the model.
    void play() {
        if (checks.failing() || !front.play(program_))
            return;
        const size_t layers = size_t(program_.layers.count);
        if (done.count() != layers || group_ended_[0] != (layers + 1) / 2)
            checks.fail("%zu interrupts, %zu of group 0, after %zu layers", done.count(), group_ended_[0], layers);
        if (cacc.left() > 0)
            checks.fail("%zu bytes of CACC not taken", cacc.left());
        compare_stream();
        compare_memory(memory, reference_.model, NVDLA_SDP);
        for (nvdla_unit unit : {NVDLA_SDP, NVDLA_SDP_RDMA})
            reference_.end_reads(unit);
        front.compare_registers(reference_.model,
                                [this](size_t window, uint32_t offset, int) { return csb.read(window, offset); });
    }

  private:
    const Program &program_;
    std::vector<uint32_t> expected_pdp_; // elements
    Reference reference_;
    std::vector<uint64_t> written_; // by layer: atoms written at its end, with those of the layers before
    size_t group_ended_[2] = {};    // layers
    bool all_to_memory_ = true;

    void watch(ReadClient &reader, nvdla_client client) {
        reader.wanted = [this, client](bool primary, uint64_t address) {
            reference_.read(client, primary, address, int(beat_atoms() * atom), design.now);
        };
    }
    // A row of a layer to PDP.
    void passed(const tap_position &at, const uint8_t *row, size_t bytes) {
        if (!program_.layers.layers[at.stream.ordinal].pdp)
            return;
        const size_t size = tap_element_bytes(at.stream.format);
        for (size_t i = 0; i < atom / size; i++)
            expected_pdp_.push_back(i * size >= bytes ? uint32_t(Anything)
                                    : size == 2       ? uint32_t(row[2 * i] | row[2 * i + 1] << 8)
                                    : wide            ? uint32_t(int8_t(row[i])) & 0xffff
                                                      : row[i]);
    }
    void count_writes() {
        std::map<int, uint64_t> bytes;
        for (const memory_space space : {SPACE_PRIMARY, SPACE_SECONDARY}) {
            size_t next = 0;
            uint64_t n;
            for (int i; (i = journal_next(reference_.journal, NVDLA_SDP, space, &next, &n)) >= 0;)
                bytes[i] += n;
        }
        uint64_t atoms = 0;
        for (int i = 0; i < program_.layers.count; i++) {
            all_to_memory_ = all_to_memory_ && bytes[i] > 0;
            written_.push_back(atoms += bytes[i] / atom);
        }
    }
    // Where all layers write memory they end in order, and not before the last acknowledge.
    void ended(int group) {
        const size_t layer = 2 * group_ended_[group]++ + size_t(group);
        if (layer >= written_.size())
            return checks.fail("an interrupt of group %d after the last layer", group);
        if (all_to_memory_ && (layer != done.count() - 1 || writer.atoms < written_[layer]))
            checks.fail("interrupt %zu is that of layer %zu, after %" PRIu64 " of %" PRIu64 " atoms", done.count() - 1,
                        layer, writer.atoms, written_[layer]);
        front.raise("SDP_0", group);
        int before = 0;
        for (size_t i = 0; i < layer; i++)
            before += program_.layers.layers[i].pdp != 0;
        if (program_.layers.layers[layer].pdp)
            front.raise("PDP_0", before & 1);
    }
    void compare_stream() {
        const size_t size = wide ? 2 : 1;
        if (pdp.taken.size() != expected_pdp_.size() * size)
            checks.fail("%zu elements to PDP, expected %zu", pdp.taken.size() / size, expected_pdp_.size());
        for (size_t i = 0; i < expected_pdp_.size() && !checks.failing(); i++) {
            const unsigned got = pdp.taken[i * size] | (wide ? unsigned(pdp.taken[i * size + 1]) << 8 : 0);
            if (expected_pdp_[i] != Anything && got != expected_pdp_[i])
                checks.fail("element %zu to PDP is 0x%x, expected 0x%x", i, got, expected_pdp_[i]);
        }
    }
};

// ---- timing ----

// Clocks from the register write that arms the layer to the interrupt pulse, memory as in the reference bench (chapter
// 70 section 8) without stalls; SDP_RDMA, if it takes part, is armed last.
void check_time(const std::string &name, const Settings &layer, uint64_t limit) {
    checks.start("time of " + name);
    Behaviour behaviour = Behaviour::quiet(36); // with the clocks that the memory interface adds
    behaviour.write_latency = 6;
    const Program program(layers_of({layer}));
    Bench bench(program, behaviour, 1);
    bench.play();
    if (!checks.failing())
        checks.at_most("clocks", bench.done.times[0] + 1 - bench.front.armed_at, limit);
}

// Operands of a stage from memory: 0 for MUL, 1 for ALU, 2 for both.
Settings operands(const std::string &stage, int use, bool two_bytes, bool element) {
    Settings list = {{".on", 1},         {".alu", use != 0},        {".alu_memory", use != 0}, {".algorithm", 2},
                     {".mul", use != 1}, {".mul_memory", use != 1}, {".two_bytes", two_bytes}, {".element", element}};
    for (auto &[name, value] : list)
        name = stage + name;
    return list;
}

} // namespace

void directed_cases() {
    const int64_t beats = int64_t(atom / lanes);
    const uint64_t fill = 70; // memory latency and depth of the pipe
    const auto cube = [](int64_t w, int64_t h, int64_t c, nvdla_precision precision = NVDLA_INT8) -> Settings {
        return {{"w", w}, {"h", h}, {"c", c}, {"precision", precision}};
    };
    const int64_t all = 30 * 10 * 2; // columns
    const Settings plain = cube(30, 10, int64_t(2 * atom));
    check_time("one atom", cube(1, 1, int64_t(atom)), uint64_t(59 + beats));
    check_time("cube", plain, fill + uint64_t(all * beats));
    if (has_ew)
        check_time("cube with EW, operands per element", with(plain, operands("ew", 2, true, true)),
                   fill + 30 + uint64_t(all) * atom / uint64_t(config->sdp_ew_throughput));
    check_time("cube with operands per kernel",
               with(with(plain, operands("bs", 2, true, false)), operands("bn", 0, false, false)),
               fill + 10 + uint64_t(all * beats));
    check_time("cube with operands per element",
               with(with(plain, operands("bs", 1, false, true)), operands("bn", 0, true, true)),
               fill + 10 + uint64_t(all * std::max<int64_t>(beats, 2)));
    if (!wide)
        return;
    // 16 elements a clock in every precision.
    const Settings half = cube(30, 10, int64_t(2 * lanes), NVDLA_FP16);
    check_time("cube of FP16", half, fill + uint64_t(all));
    check_time("cube of FP16 with two operands per element", with(half, operands("bs", 2, true, true)),
               fill + 20 + uint64_t(all));
    check_time("INT8 to INT16", with(plain, {{"out_convert", 1}}), fill + 10 + uint64_t(all * beats));
    check_time("INT16 to INT8", with(plain, {{"in_convert", 1}}), fill + 20 + uint64_t(all * beats));
}

void random_case(uint64_t seed) {
    Random r(seed);
    const std::string engines = r.percent(50) ? "sdp" : "conv,sdp";
    gen_case gen;
    gen_draw(&gen, config, gen_engines((engines + (r.percent(30) ? ",corners" : "")).c_str()), seed);
    for (int i = 0; i < gen.count; i++) // PDP's output would have to be there for layers that read it
        for (int64_t from :
             {gen.layers[i].source, gen.layers[i].bs.source, gen.layers[i].bn.source, gen.layers[i].ew.source})
            if (from)
                gen.layers[from - 1].pdp = 0;
    for (int i = 0; i < gen.count; i++)
        gen_layer_tidy(&gen.layers[i]);
    gen.expect_all = false; // nor is the convolution there
    while (!gen_legal(&gen, nullptr))
        gen.count--;
    const Program program(gen);
    Bench bench(program, random_behaviour(r), seed);
    bench.csb.percent = r.percent(50) ? 100 : r.range(20, 100);
    bench.cacc.percent = r.percent(30) ? 100 : r.range(20, 100);
    bench.pdp.percent = r.percent(30) ? 100 : r.range(20, 100);
    bench.play();
}
