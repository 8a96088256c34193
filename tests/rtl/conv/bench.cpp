// The convolution core alone: CDMA, CBUF, CSC, CMAC_A, CMAC_B and CACC, with random layers of csrc/gen, memories with
// stalls and back-pressure of SDP, against the C model.
//
// A seed is a case of gen: chains of layers of all modes and precisions in both register groups, with reuse, skipped
// and partial release, changed banks, surplus and compressed weights. The model plays its program first; the player
// then plays the same program on the design, whose memories hold what the model's hold at the end. Checked: the atoms
// that CDMA reads, CBUF at the end, results and their order, interrupts, and all registers of both groups. Directed
// cases: the arithmetic of CACC, its saturation counter, the zero fill, the throughput law of chapter 40 section 10 and
// the time that CDMA takes.
#include "common/dma_client.h"
#include "common/front.h"
#include "common/interrupts.h"
#include "common/reference.h"
#include "common/stream.h"
#include "conv/cbuf.h"
#include "tests/vectors.h"

extern "C" {
#include "layers/conv_order.h"
#include "model/cacc.h"
#include "nvdla/fixed.h"
}

const uint64_t usual_seeds = 60;

namespace {

const bool wide = config->int16 != 0;
const size_t lanes = size_t(nvdla_sdp_lanes(config));

// A reading client with its interrupt; its waiting counters, of the layers that ran last in the groups.
struct Fetch {
    ReadClient client;
    Interrupts done;
    uint64_t stalled = 0, busy = 0; // clocks that are accounted for
    uint64_t stalls[2] = {}, latency[2] = {};

    Fetch(Design &design, Memory &memory, const char *name, const ReadPins &pins, const CData &interrupt)
        : client(design, memory, name, pins), done(design, interrupt, name) {
    }
    void ended(int group) {
        stalls[group] = client.stalled - stalled;
        latency[group] = client.busy - busy;
        stalled = client.stalled;
        busy = client.busy;
    }
};

// SDP's layers end with those of CACC.
class Bench {
  public:
    Random random;
    Design design;
    Memory memory;
    Fetch dat, wt;
    Written cbuf;
    StreamSink sdp;
    Interrupts done;
    Csb csb;
    Front front;

    Bench(const Program &program, const Behaviour &behaviour, uint64_t seed)
        : random(seed), memory(design, behaviour, seed ^ 0x5a5a5a5a),
          dat(design, memory, "data", read_port(design.top.dat_mif_o, design.top.dat_mif_i),
              design.top.dat_done_intr_o),
          wt(design, memory, "weights", read_port(design.top.wt_mif_o, design.top.wt_mif_i), design.top.wt_done_intr_o),
          cbuf(design), sdp(design, STREAM_OUT(design.top, cacc), "stream to SDP", lanes * 4, seed ^ 0xcacc),
          done(design, design.top.done_intr_o, "CACC"),
          csb(design,
              {window(NVDLA_CDMA, 1), window(NVDLA_CSC, 2), window(NVDLA_CMAC_A, 4), window(NVDLA_CMAC_B, 8),
               window(NVDLA_CACC, 16)},
              seed ^ 0xc5b),
          front(design, csb), program_(program), expected_cbuf_(cbuf_bytes, -1),
          reference_(program, {{TAP_CBUF_DAT, taker()}, {TAP_CBUF_WT, taker()}, {TAP_CBUF_MASK, taker()}}) {
        memory.tolerant = true; // reads are judged below
        for (bool primary : {true, false})
            if (memory.space(primary))
                memory_over(memory.space(primary), reference_.model->memory[primary ? SPACE_PRIMARY : SPACE_SECONDARY]);
        connect(dat, NVDLA_READ_CDMA_DAT, "CDMA_DAT_0");
        connect(wt, NVDLA_READ_CDMA_WT, "CDMA_WT_0");
        done.seen = [this](int group) {
            front.raise("CACC_0", group);
            front.raise("SDP_0", group);
            const size_t layer = done.count() - 1, results = sdp.taken.size() / 4;
            if (layer < reference_.ends.size() && results < reference_.ends[layer])
                checks.fail("interrupt %zu came after %zu results, the layer ends at %zu", layer, results,
                            reference_.ends[layer]);
        };
        front.at_rest = [this] { return dat.client.under_way() + wt.client.under_way() == 0; };
    }
    Bench(const Bench &) = delete;
    Bench &operator=(const Bench &) = delete;

    // Plays the program and compares everything with the model.
    void play() {
        if (checks.failing() || !front.play(program_))
            return;
        compare_results();
        const size_t layers = reference_.ends.size();
        for (Interrupts *unit : {&dat.done, &wt.done, &done})
            unit->check(layers);
        for (size_t i = 0; i < cbuf.bytes.size() && !checks.failing(); i++)
            if (expected_cbuf_[i] >= 0 && cbuf.bytes[i] != expected_cbuf_[i])
                checks.fail("byte %zu of entry %zu of CBUF is %d, expected %d", i % entry_bytes, i / entry_bytes,
                            cbuf.bytes[i], expected_cbuf_[i]);
        reference_.end_reads(NVDLA_CDMA);
        front.compare_registers(reference_.model, [this](size_t window, uint32_t offset, int group) {
            return waited(window, offset, group);
        });
    }

  private:
    const Program &program_;
    std::vector<int16_t> expected_cbuf_; // at the end; bytes that may be anything: -1
    Reference reference_;

    Window window(nvdla_unit unit, CData select) {
        return {unit, &design.top.csb_sel_i, select, &design.top.csb_rdata_o};
    }
    void connect(Fetch &f, nvdla_client client, const char *interrupt) {
        f.client.wanted = [this, client](bool primary, uint64_t address) {
            reference_.read(client, primary, address, int(beat_atoms() * mem_atom), design.now);
        };
        f.done.seen = [this, &f, interrupt](int group) {
            f.ended(group);
            front.raise(interrupt, group);
        };
    }
    // Of an atom that CDMA writes. Lanes behind it may be cleared.
    Reference::Rows taker() {
        return [this](const tap_position &at, const uint8_t *atom, size_t bytes) {
            const auto first = expected_cbuf_.begin() + long(at.place.address);
            std::fill(first, first + long(entry_bytes - at.place.address % entry_bytes), int16_t(-1));
            std::copy_n(atom, bytes, first);
        };
    }
    void compare_results() {
        const std::vector<uint32_t> &expected = reference_.results;
        for (size_t i = 0; i < expected.size() && 4 * i < sdp.taken.size() && !checks.failing(); i++) {
            uint32_t got;
            memcpy(&got, &sdp.taken[4 * i], 4);
            size_t layer = 0;
            while (i >= reference_.ends[layer])
                layer++;
            if (got != expected[i])
                checks.fail("result %zu of layer %zu is 0x%x, expected 0x%x",
                            i - (layer ? reference_.ends[layer - 1] : 0), layer, got, expected[i]);
        }
        if (sdp.taken.size() != 4 * expected.size())
            checks.fail("%zu results, expected %zu", sdp.taken.size() / 4, expected.size());
    }
    // A counter of clocks, by the clients of the bench: the model has no clock.
    uint32_t waited(size_t window, uint32_t offset, int group) {
        if (!(csb.read(window, CDMA_D_PERF_ENABLE) & 1))
            return 0;
        return uint32_t(offset == CDMA_D_PERF_DAT_READ_STALL     ? dat.stalls[group]
                        : offset == CDMA_D_PERF_WT_READ_STALL    ? wt.stalls[group]
                        : offset == CDMA_D_PERF_DAT_READ_LATENCY ? dat.latency[group]
                        : wide                                   ? wt.latency[group]
                                                                 : 0);
    }
};

// ---- directed cases ----

Settings cube(int64_t w, int64_t h, int64_t c, int64_t k, int64_t r, int64_t s) {
    return {{"conv", 1}, {"w", w}, {"h", h}, {"c", c}, {"k", k}, {"r", r}, {"s", s}};
}

// Sections 11.4 and 9.4, and random numbers: the functions of nvdla_cacc_pkg.
void check_arithmetic() {
    checks.start("integer arithmetic of CACC");
    const int acc_bits = wide ? 48 : 34, narrow_bits = 16 + __builtin_ctz(unsigned(config->atomic_c)),
              sum_bits = wide ? 38 : narrow_bits;
    const auto low = [](int64_t value, int bits) { return uint64_t(value) & ((UINT64_C(1) << bits) - 1); };
    struct Sum {
        int64_t in, acc;
        unsigned t;
    };
    std::vector<Sum> list; // of these, what CMAC can send here
    for (vectors v = vectors_of("cacc", "integer"); vectors_next(&v);)
        if (v.number[0] <= acc_bits && fixed_saturate(v.number[1], sum_bits) == v.number[1])
            list.push_back({v.number[1], v.number[2], unsigned(v.number[3])});
    Random r(7);
    Vbench top;
    for (size_t i = 0; i < list.size() + 200000; i++) {
        Sum v = i < list.size() ? list[i] : Sum{r.corner(sum_bits), r.corner(acc_bits), r.below(32u)};
        if (i >= list.size() && r.percent(30)) // exact halves and their neighbours
            v.acc = (v.acc >> v.t) * (INT64_C(1) << v.t) + (v.t ? INT64_C(1) << (v.t - 1) : 0) + r.range(-1, 1) - v.in;
        v.acc = fixed_saturate(v.acc, acc_bits);
        const int64_t acc = cacc_add(v.acc, v.in, acc_bits);
        bool sat;
        const int32_t out = cacc_deliver(acc, v.t, &sat);
        const int64_t narrow = fixed_sign_extend(v.acc, 34), narrow_in = fixed_sign_extend(v.in, narrow_bits);
        top.f_acc_i = low(v.acc, acc_bits);
        top.f_sum_i = std::decay_t<decltype(top.f_sum_i)>(low(v.in, sum_bits));
        top.f_truncate_i = CData(v.t);
        top.eval();
        if (top.f_acc_o != low(acc, acc_bits) || int32_t(top.f_deliver_o) != out || top.f_saturates_o != sat)
            checks.fail("%" PRId64 " + %" PRId64 ", truncate %u: %d sat %d, expected %d sat %d", v.acc, v.in, v.t,
                        int32_t(top.f_deliver_o), top.f_saturates_o, out, sat);
        if (top.f_narrow_o != low(cacc_add(narrow, narrow_in, 34), 34))
            checks.fail("%" PRId64 " + %" PRId64 " in 34 bits: 0x%" PRIx64, narrow, narrow_in,
                        uint64_t(top.f_narrow_o));
    }
}

// Sums beyond 32 and 48 bits, where CBUF is large enough for them. D_OUT_SATURATION counts the lanes of a layer; a
// layer of one row adds to what the layer before it counted (section 9.7).
void check_saturation() {
    if (config->cbuf_banks * config->cbuf_bank_depth * config->cbuf_bank_bytes < 400000)
        return;
    checks.start("saturation, and its counter");
    const Settings lowest = {{"in_data", STYLE_LOWEST}, {"weights", STYLE_LOWEST}, {"serial", 1}};
    const Settings one = with(cube(5, 4, 8192, 1, 4, 5), lowest);
    std::vector<Settings> list = {one, one, with(one, {{"w", 6}})};
    if (wide)
        list.push_back(with(one, {{"w", 4}, {"s", 4}, {"precision", NVDLA_INT16}}));
    const Program program(layers_of(list));
    Bench(program, Behaviour::quiet(32), 1).play();
}

// FLUSH_DONE comes when both ports have written their half. What they write is compared after every case.
void check_flush() {
    checks.start("zero fill");
    const Program program(layers_of({cube(1, 1, 1, 1, 1, 1)}));
    Bench bench(program, Behaviour::quiet(32), 1);
    while (!(bench.csb.read(0, CDMA_S_CBUF_FLUSH_STATUS) & 1)) {
    }
    const uint64_t entries = bench.cbuf.bytes.size() / entry_bytes, at = bench.design.now - 1;
    if (at < entries / 2 || at > entries / 2 + 10)
        checks.fail("FLUSH_DONE %" PRIu64 " clocks after reset", at);
}

// Clocks from the first atom to the last: section 10, with the weights of the next operation hidden behind the atoms of
// this one and no minimum length.
uint64_t throughput_law(const registers_view &view) {
    const struct conv_order order = conv_order(&view, false);
    uint64_t sum = 0;
    for (conv_operation op = conv_order_first(&order);;) {
        const size_t atoms = conv_operation_atoms(&order, &op);
        if (op.layer_end)
            return sum + atoms;
        op = conv_order_next(&order, &op);
        sum += std::max(atoms, (op.kernels - 1) / order.cell + 1);
    }
}

// A layer that nothing stalls. The output must not bound it.
void check_throughput(const std::string &name, const Settings &layer) {
    checks.start("speed, " + name);
    const Program program(layers_of({layer}));
    Bench bench(program, Behaviour::quiet(32), 1);
    bench.play();
    if (checks.failing())
        return;
    // N positions of a line take N clocks, also when fewer are left.
    const registers_view view = bench.front.view();
    const uint64_t n = uint64_t(program.layers.layers[0].post), ow = VALUE(&view, CSC, D_DATAOUT_SIZE_0) % 0x10000 + 1,
                   law = throughput_law(view) * ((ow + n - 1) / n * n) / ow;
    checks.at_most("clocks from first to last atom", bench.cbuf.last_atom - bench.cbuf.first_atom + 1,
                   law + law / 30 + 8);
}

// CDMA fetches an atom (a beat of several) a clock for data and weights side by side, when memory gives it.
void check_fetch(const std::string &name, const Settings &layer, int64_t data_atoms, int64_t spare = 0) {
    checks.start("fetch, " + name);
    const Program program(layers_of({layer}));
    Bench bench(program, Behaviour::quiet(32), 1);
    bench.play();
    if (checks.failing())
        return;
    const uint64_t beats = beat_atoms();
    const registers_view view = bench.front.view();
    checks.at_most("clocks for the data", bench.dat.done.times[0] - bench.front.armed_at,
                   uint64_t(data_atoms + spare) / beats + 62);
    checks.at_most("clocks for the weights", bench.wt.done.times[0] - bench.front.armed_at,
                   VALUE(&view, CDMA, D_WEIGHT_BYTES) / (mem_atom * beats) + 62);
}

void check_fetches() {
    const int64_t atom = config->mem_atom, y = atom / 2;
    const auto atoms = [&](int64_t bytes) { return (bytes + atom - 1) / atom; };
    const auto image = [&](int64_t w, int64_t h, int64_t c, int64_t format, int64_t offset, int64_t pad) {
        return with(cube(w, h, c, 8, 5, 5),
                    {{"conv", 2}, {"sign", 1}, {"format", format}, {"x_offset", offset}, {"pad_left", pad}});
    };
    const Settings lines = cube(16, 12, 8 * atom, 64, 3, 1);
    check_fetch("packed lines", with(lines, {{"grain", 5}}), 16 * 12 * 8);
    check_fetch("unpacked lines", with(lines, {{"grain", 5}, {"unpacked", 1}}), 16 * 12 * 8);
    check_fetch("single atoms", with(cube(1, 100, atom, 64, 3, 1), {{"unpacked", 1}, {"in_line", 1}}), 100,
                beat_atoms() > 1 ? 100 : 0);
    check_fetch("four-component pixels", image(64, 16, 4, 0x0c, 1, 3), atoms(65 * 4) * 16, 16 * atoms(3 * 4) + 16);
    check_fetch("single-component pixels", image(400, 16, 1, 0, 5, 3), atoms(405) * 16, 64);
    // Lines that begin with a burst.
    const int64_t luma = atoms(261), chroma = atoms((5 % y + 256) * 2), unit = 1024 / atom;
    check_fetch(
        "two planes",
        with(image(256, 16, 3, 0x1c, 5, 3), {{"in_line", unit - luma % unit}, {"uv_line", unit - chroma % unit}}),
        (luma + chroma) * 16, 12 * 16);
    for (int64_t stride = 1; stride <= 2 && config->winograd; stride++) {
        const int64_t size = 16 * stride - 2;
        // A line has one pixel at an odd place more than whole beats.
        check_fetch("Winograd, stride " + std::to_string(stride),
                    with(cube(size, size, 2 * atom, 64, 3, 3), {{"conv", 3},
                                                                {"stride_x", stride},
                                                                {"stride_y", stride},
                                                                {"pad_left", 1},
                                                                {"pad_top", 1},
                                                                {"pad_right", 1},
                                                                {"pad_bottom", 1}}),
                    16 * 16 * 2 * stride * stride, 4 * 16 * stride);
    }
    if (config->batch_max > 1)
        check_fetch("batches of 7x7", with(cube(7, 7, 6 * atom, 64, 3, 3), {{"batches", 3}, {"grain", 7}}),
                    7 * 7 * 6 * 3, 4 * 6 * 3);
}

void check_throughputs() {
    const int64_t ac = config->atomic_c, ak = config->atomic_k;
    // Enough operations per position that SDP does not bound the layer.
    const auto image = [&](int64_t w, int64_t h, int64_t c, int64_t k, int64_t r, int64_t s, int64_t post) {
        return with(cube(w, h, c, k, r, s), {{"conv", 2}, {"sign", 1}, {"post", post}, {"format", c == 1 ? 0 : 12}});
    };
    check_throughput("3x3, 4 blocks", cube(10, 10, 4 * ac, 2 * ak, 3, 3));
    check_throughput("3x3, partial block", cube(9, 12, 3 * ac + ac / 2, 2 * ak, 3, 3));
    check_throughput("fully connected", cube(1, 1, 128 * ac, ak, 1, 1));
    check_throughput("fully connected, one kernel", cube(2, 1, 128 * ac, 1, 1, 1));
    check_throughput("image, 4 channels", image(30, 30, 4, ak, 11, 11, 1));
    check_throughput("image, 2 lines", image(ac / 2 + 26, 40, 1, ak, 27, ac / 2, 2));
    check_throughput("image, 4 lines", image(ac / 4 + 22, 60, 1, ak, 31, ac / 4, 4));
    if (!wide)
        return;
    static const char *const names[] = {"INT8, ", "INT16, ", "FP16, "};
    for (const nvdla_precision precision : {NVDLA_INT8, NVDLA_INT16, NVDLA_FP16}) {
        const std::string name = names[precision];
        const Settings own = {{"precision", precision}};
        check_throughput(name + "Winograd", with(with(cube(20, 16, 2 * ac, ak, 4, 4), {{"conv", 3}}), own));
        if (precision == NVDLA_INT8)
            continue;
        check_throughput(name + "3x3", with(cube(10, 10, 2 * ac, ak, 3, 3), own));
        check_throughput(name + "fully connected", with(cube(1, 1, 64 * ac, ak / 2, 1, 1), own));
    }
    check_throughput("3x3, 3 batches", with(cube(10, 10, ac, 2 * ak, 3, 3), {{"batches", 3}}));
    check_throughput("fully connected, 32 batches",
                     with(cube(1, 1, 32 * ac, ak / 2, 1, 1), {{"batches", 32}, {"precision", NVDLA_INT16}}));
}

} // namespace

void directed_cases() {
    check_arithmetic();
    check_saturation();
    check_flush();
    check_throughputs();
    check_fetches();
}

void random_case(uint64_t seed) {
    Random r(seed);
    gen_case gen;
    gen_draw(&gen, config, gen_engines(r.percent(30) ? "conv,img,corners" : "conv,img"), seed);
    for (int i = 0; i < gen.count; i++)
        gen.layers[i].pdp = 0; // the bench has no PDP
    for (int i = 0; i < gen.count; i++)
        gen_layer_tidy(&gen.layers[i]);
    while (!gen_legal(&gen, nullptr))
        gen.count--;
    const Program program(gen);
    Bench bench(program, random_behaviour(r), seed);
    bench.csb.percent = r.percent(50) ? 100 : r.range(10, 100);
    bench.sdp.percent = 100 - (r.percent(40) ? 0 : r.percent(50) ? r.below(60) : 60 + r.below(38));
    bench.play();
}
