// Both CMAC units and CACC with 16-bit precisions behind a stand-in of CSC: random chains of layers of every mode, with
// gaps in the streams of atoms and weights and back-pressure of SDP. Sums of every cell and atom, results and their
// order, credits, interrupts and D_OUT_SATURATION against the arithmetic of the C model (cmac_fp16, cacc, cacc_fp16)
// and the sums of chapter 40 section 3.
//
// A layer is what CSC makes of one: stripe operations with the weights of some cells and atoms of random lanes. A seed
// is a chain of one to five of them. Directed cases: the vectors of chapter 40 section 11 and long accumulations.
#include <array>
#include <deque>

#include "common/chain.h"
#include "common/stream.h"
#include "tests/vectors.h"

extern "C" {
#include "model/cacc.h"
#include "model/cacc_fp16.h"
#include "model/cmac.h"
#include "model/cmac_fp16.h"
#include "nvdla/fixed.h"
}

const uint64_t usual_seeds = 60;

namespace {

enum { Int8, Int16, Fp16 };
const size_t lanes = 64, cells = 16, values = 4, atom_bytes = 128, value_bits = 44, row_bytes = 64;
const uint64_t value_mask = (UINT64_C(1) << value_bits) - 1;

using Atom = std::array<uint8_t, atom_bytes>;          // data, or the weights of a cell
using Sums = std::array<uint64_t, cells * values>;     // of an atom: value n of cell c at 4c + n
struct Accumulators {                                  // of an atom of a stripe
    std::array<int64_t, cells * values> low{}, high{}; // integers
    std::array<cacc_fp16, cells * values> fp{};
};

struct Operation {
    std::vector<Atom> weights; // of cells 0, 1, ...
    std::vector<Atom> atoms;
    bool channel_end = false, layer_end = false;
};

struct Layer {
    unsigned precision = Int8;
    bool tile = false;
    unsigned batches = 1, width = 1, height = 1, truncate = 0;
    unsigned odd = 0; // bit 5 of address, line stride, surface stride
    std::vector<Operation> operations;
    std::vector<Sums> sums;        // expected, of every atom
    std::vector<uint32_t> results; // expected, 16 a row
    uint64_t clipped = 0;
    size_t final_atoms = 0;

    unsigned rows() const { // of a final atom
        return (precision == Int8 ? 2 : 1) * (tile ? 4 : 1);
    }
};

int16_t word(const Atom &a, size_t lane) {
    return static_cast<int16_t>(a[2 * lane] | a[2 * lane + 1] << 8);
}
void set_word(Atom &a, size_t lane, unsigned value) {
    a[2 * lane] = static_cast<uint8_t>(value);
    a[2 * lane + 1] = static_cast<uint8_t>(value >> 8);
}

// ---- what must come out ----

// Adds the products of a cell to the outputs of a tile, or to output 0.
template <class Product> void integer_sums(const Layer &l, int64_t *sums, Product product) {
    for (size_t lane = 0; lane < lanes; lane++)
        for (size_t n = 0; n < (l.tile ? values : 1); n++)
            sums[n] += product(lane) * (l.tile ? cmac_coefficient(lane / 4, n) : 1);
}

class CellsFp16 {
  public:
    CellsFp16() {
        cmac_fp16_weights_begin(&weights_, cells, lanes, 1);
    }
    ~CellsFp16() {
        cmac_fp16_weights_free(&weights_);
    }
    CellsFp16(const CellsFp16 &) = delete;
    CellsFp16 &operator=(const CellsFp16 &) = delete;
    void load(const Operation &op) {
        std::array<int16_t, cells * lanes> kernels{};
        for (size_t c = 0; c < op.weights.size(); c++)
            for (size_t lane = 0; lane < lanes; lane++)
                kernels[c * lanes + lane] = word(op.weights[c], lane);
        cmac_fp16_weights_clear(&weights_);
        cmac_fp16_weights_place(&weights_, 0, 0, kernels.data(), lanes, op.weights.size(), lanes);
    }
    void multiply(const Atom &atom, bool tile, size_t loaded, Sums &sums) {
        int16_t window[lanes];
        for (size_t lane = 0; lane < lanes; lane++)
            window[lane] = word(atom, lane);
        const cmac_piece piece = {0, 0, lanes};
        cmac_fp16_data data;
        cmac_fp16_sums got;
        cmac_fp16_data_read(&data, &weights_, window, &piece, 1);
        cmac_fp16_atom(&weights_, 0, 0, 0, &data, tile, &got);
        for (size_t c = 0; c < loaded; c++)
            for (size_t n = 0; n < (tile ? values : 1); n++)
                sums[4 * c + n] = static_cast<uint64_t>(got.exponent[c]) << 38 |
                                  (static_cast<uint64_t>(got.mantissa[n][c]) & ((UINT64_C(1) << 38) - 1));
    }

  private:
    cmac_fp16_weights weights_ = {};
};

Sums integer_cells(const Layer &l, const Operation &op, const Atom &atom) {
    Sums result{};
    for (size_t c = 0; c < op.weights.size(); c++) {
        const Atom &w = op.weights[c];
        int64_t low[values] = {}, high[values] = {};
        if (l.precision == Int16) {
            integer_sums(l, low, [&](size_t lane) { return int64_t(word(atom, lane)) * word(w, lane); });
        } else {
            integer_sums(l, low, [&](size_t lane) { return int64_t(int8_t(atom[lane])) * int8_t(w[lane]); });
            integer_sums(l, high, [&](size_t lane) { return int64_t(int8_t(atom[lane])) * int8_t(w[lanes + lane]); });
        }
        for (size_t n = 0; n < (l.tile ? values : 1); n++)
            result[4 * c + n] = l.precision == Int16
                                    ? static_cast<uint64_t>(low[n]) & value_mask
                                    : (static_cast<uint64_t>(high[n]) & 0x3fffff) << 22 | (low[n] & 0x3fffff);
    }
    return result;
}

// Adds an atom's sums; the atoms of a stripe's first operation begin.
void accumulate(const Layer &l, const Sums &sums, Accumulators &acc) {
    for (size_t i = 0; i < cells * values; i++) {
        const uint64_t sum = sums[i];
        if (l.precision == Fp16)
            cacc_fp16_add(&acc.fp[i], static_cast<unsigned>(sum >> 38),
                          fixed_sign_extend(static_cast<int64_t>(sum), 38));
        else if (l.precision == Int16)
            acc.low[i] = cacc_add(acc.low[i], fixed_sign_extend(static_cast<int64_t>(sum), 38), 48);
        else {
            acc.low[i] = cacc_add(acc.low[i], fixed_sign_extend(static_cast<int64_t>(sum), 22), 48);
            acc.high[i] = cacc_add(acc.high[i], fixed_sign_extend(static_cast<int64_t>(sum >> 22), 22), 34);
        }
    }
}

// The rows of a final atom.
std::vector<uint32_t> deliver(Layer &l, const Accumulators &acc) {
    std::vector<uint32_t> rows;
    const auto round = [&](int64_t sum) {
        bool saturated;
        rows.push_back(static_cast<uint32_t>(cacc_deliver(sum, l.truncate, &saturated)));
        l.clipped += saturated;
    };
    for (size_t n = 0; n < (l.tile ? values : 1); n++)
        for (size_t c = 0; c < cells; c++) {
            const size_t i = 4 * c + n;
            if (l.precision == Fp16) {
                rows.push_back(cacc_fp16_deliver(&acc.fp[i]));
                continue;
            }
            round(acc.low[i]);
            if (l.precision == Int8)
                round(acc.high[i]);
        }
    return rows;
}

// Section 4.6: results by position and batch in the order in which they leave.
void order(Layer &l, const std::vector<std::vector<uint32_t>> &finals) {
    const auto emit = [&](size_t position, size_t b) {
        const std::vector<uint32_t> &rows = finals[position * l.batches + b];
        l.results.insert(l.results.end(), rows.begin(), rows.end());
    };
    const size_t positions = finals.size() / l.batches, surface = size_t(l.width) * l.height;
    for (size_t p = 0; p < positions;) {
        const size_t x = p % l.width, y = p / l.width % l.height, g = p / surface;
        const bool a = ((l.odd ^ x ^ (y & l.odd >> 1) ^ (g & l.odd >> 2)) & 1) != 0;
        const bool pair = l.batches > 1 && !a && x + 1 < l.width;
        for (size_t b = 0; b < l.batches; b++) {
            emit(p, b);
            if (pair)
                emit(p + 1, b);
        }
        p += pair ? 2 : 1;
    }
}

void compute(Layer &l) {
    CellsFp16 fp16;
    std::vector<Accumulators> stripe;
    std::vector<std::vector<uint32_t>> finals;
    bool fresh = true;
    for (const Operation &op : l.operations) {
        if (l.precision == Fp16)
            fp16.load(op);
        if (fresh)
            stripe.assign(op.atoms.size(), {});
        for (size_t a = 0; a < op.atoms.size(); a++) {
            Sums sums{};
            if (l.precision == Fp16)
                fp16.multiply(op.atoms[a], l.tile, op.weights.size(), sums);
            else
                sums = integer_cells(l, op, op.atoms[a]);
            l.sums.push_back(sums);
            accumulate(l, sums, stripe[a]);
            if (op.channel_end)
                finals.push_back(deliver(l, stripe[a]));
        }
        fresh = op.channel_end;
    }
    l.final_atoms = finals.size();
    order(l, finals);
}

// ---- the design and its surroundings ----

// CSC's place: weights and atoms of the layers, as fast as credits, loaded weights and its own mood allow.
class Csc : public Agent {
  public:
    int idle_percent = 0;

    Csc(Design &design, uint64_t seed) : design_(design), top(design.top), random(seed) {
        design.add(*this);
    }
    void begin(const std::vector<Layer> &chain) {
        layers = &chain;
        layer = op = loading = cell = atom = 0;
        wait = 0;
        top.eval();
        if (credits == SIZE_MAX)
            credits = top.credits_o;
    }
    void drive() override {
        top.atom_valid_i = top.wt_valid_i = 0;
        if (!layers || layer == layers->size())
            return;
        if (wait > 0) {
            wait--;
            return;
        }
        const Layer &l = (*layers)[layer];
        if (!top.run_o)
            return;
        const bool load_done = loading > op; // before this clock
        if (loading < l.operations.size() && (loading == op || (loading == op + 1 && atom > 0)) &&
            !random.percent(idle_percent))
            load(l.operations[loading]);
        if (load_done && !random.percent(idle_percent))
            issue(l);
    }
    void sample() override {
        if (top.credit_valid_o)
            credits++;
        if (top.sum_valid_o)
            compare_sums();
    }
    size_t credits_left() const {
        return credits;
    }

  private:
    Design &design_;
    Vbench &top;
    Random random;
    const std::vector<Layer> *layers = nullptr;
    size_t layer = 0, op = 0, atom = 0;  // that is issued next
    size_t loading = 0, cell = 0;        // weights that are loaded next
    size_t credits = SIZE_MAX, wait = 0; // clocks between layers
    std::deque<const Sums *> expected;
    size_t issued = 0; // atoms of the layer

    void load(const Operation &o) {
        const Atom &w = o.weights[cell];
        top.wt_valid_i = 1;
        top.wt_sel_i = static_cast<SData>(1u << cell);
        memcpy(&top.wt_data_i, w.data(), atom_bytes);
        if (++cell == o.weights.size()) {
            cell = 0;
            loading++;
        }
    }
    void issue(const Layer &l) {
        const Operation &o = l.operations[op];
        if (atom == 0 && o.channel_end) {
            const size_t cost = o.atoms.size() * l.rows();
            if (credits < cost + (l.batches > 1 ? l.rows() * l.batches : 0))
                return;
            credits -= cost;
        }
        const bool last = atom + 1 == o.atoms.size();
        top.atom_valid_i = 1;
        memcpy(&top.atom_data_i, o.atoms[atom].data(), atom_bytes);
        top.atom_flags_i =
            static_cast<CData>((atom == 0) << 3 | last << 2 | o.channel_end << 1 | (o.layer_end ? 1 : 0));
        expected.push_back(&l.sums[issued++]);
        atom++;
        if (last) {
            atom = 0;
            if (++op == l.operations.size()) {
                op = loading = issued = 0;
                layer++;
                wait = 48;
            }
        }
    }
    void compare_sums() {
        if (expected.empty()) {
            checks.fail("clock %" PRIu64 ": sums without an atom", design_.now);
            return;
        }
        for (size_t i = 0; i < cells * values; i++) {
            const bool b = i >= cells * values / 2;
            const size_t at = (i % (cells * values / 2)) * value_bits;
            const uint64_t got = (b ? Pin(top.sum_b_o, at, value_bits) : Pin(top.sum_a_o, at, value_bits)).value();
            if (got != (*expected.front())[i] && !checks.failing())
                checks.fail("clock %" PRIu64 ": value %zu of cell %zu is 0x%" PRIx64 ", expected 0x%" PRIx64,
                            design_.now, i % values, i / values, got, (*expected.front())[i]);
        }
        expected.pop_front();
    }
};

class Bench {
  public:
    enum { CmacA, CmacB, Cacc };
    Random &random;
    Design design;
    StreamSink sdp;
    Interrupts done;
    Csc csc;
    Csb csb;
    Chain chain;
    uint64_t expected_count = 0; // of D_OUT_SATURATION, after the layers before

    explicit Bench(Random &r)
        : random(r), sdp(design, STREAM_OUT(design.top, cacc), "stream to SDP", row_bytes, r.bits64()),
          done(design, design.top.done_intr_o), csc(design, r.bits64()),
          csb(design,
              {{NVDLA_CMAC_A, &design.top.csb_sel_i, 1, &design.top.csb_rdata_o},
               {NVDLA_CMAC_B, &design.top.csb_sel_i, 2, &design.top.csb_rdata_o},
               {NVDLA_CACC, &design.top.csb_sel_i, 4, &design.top.csb_rdata_o}},
              r.bits64()),
          chain(design, csb, done, 400000) {
        done.seen = [this](int) { taken_before.push_back(sdp.taken.size()); };
    }

    void play(std::vector<Layer> &layers) {
        for (Layer &l : layers) {
            compute(l);
            const bool alone = l.final_atoms == 1; // adds to the count of the layer before (section 9.7)
            expected_count = std::min<uint64_t>((alone ? expected_count : 0) + l.clipped, UINT32_MAX);
            counts.push_back(expected_count);
        }
        const size_t before = done.count();
        sdp.taken.clear();
        taken_before.clear();
        csc.begin(layers);
        for (size_t i = 0; i < layers.size(); i++) {
            for (unsigned unit : {CmacA, CmacB, Cacc})
                if (!chain.wait_free(unit))
                    return;
            if (i >= 2)
                check_count(before + i - 2);
            program(layers[i]);
        }
        if (!chain.wait_done(before + layers.size()))
            return;
        design.clocks(30);
        check(layers, before);
        for (size_t i = layers.size() > 2 ? layers.size() - 2 : 0; i < layers.size(); i++)
            check_count(before + i);
    }

  private:
    std::vector<size_t> taken_before; // bytes taken before each interrupt
    std::vector<uint64_t> counts;

    void program(const Layer &l) {
        const uint32_t junk = random.bits();
        for (unsigned unit : {CmacA, CmacB, Cacc}) {
            csb.write(unit, 4, chain.group(unit));
            csb.write(unit, 0x0c, l.tile | l.precision << 12);
        }
        csb.write(Cacc, CACC_D_DATAOUT_SIZE_0, (l.height - 1) << 16 | (l.width - 1));
        csb.write(Cacc, CACC_D_DATAOUT_SIZE_1, junk);
        csb.write(Cacc, CACC_D_DATAOUT_ADDR, (junk & ~0x20u) | (l.odd & 1) << 5);
        csb.write(Cacc, CACC_D_BATCH_NUMBER, l.batches - 1);
        csb.write(Cacc, CACC_D_LINE_STRIDE, (junk & ~0x20u) | (l.odd >> 1 & 1) << 5);
        csb.write(Cacc, CACC_D_SURF_STRIDE, (~junk & ~0x20u) | (l.odd >> 2 & 1) << 5);
        csb.write(Cacc, CACC_D_DATAOUT_MAP, junk);
        csb.write(Cacc, CACC_D_CLIP_CFG, l.truncate);
        std::array<unsigned, 3> units{Cacc, CmacA, CmacB};
        random.shuffle(units);
        for (unsigned unit : units) {
            csb.write(unit, 8, 1);
            chain.armed(unit);
        }
    }
    // D_OUT_SATURATION of the layer `which` of all; its group is idle.
    void check_count(size_t which) {
        csb.write(Cacc, 4, which & 1);
        const uint32_t count = csb.read(Cacc, CACC_D_OUT_SATURATION);
        if (count != counts[which])
            checks.fail("layer %zu: D_OUT_SATURATION is %u, expected %" PRIu64, which, count, counts[which]);
    }
    void check(const std::vector<Layer> &layers, size_t before) {
        size_t at = 0;
        for (size_t i = 0; i < layers.size(); i++) {
            const std::vector<uint32_t> &expected = layers[i].results;
            for (size_t e = 0; e < expected.size() && 4 * (at + e) < sdp.taken.size() && !checks.failing(); e++) {
                uint32_t got;
                memcpy(&got, &sdp.taken[4 * (at + e)], 4);
                if (got != expected[e])
                    checks.fail("layer %zu of %zu: lane %zu of row %zu of %zu is 0x%x, expected 0x%x", i, layers.size(),
                                e % cells, e / cells, expected.size() / cells, got, expected[e]);
            }
            at += expected.size();
            if (taken_before.size() > i && taken_before[i] < 4 * at)
                checks.fail("interrupt %zu came after %zu results, the layer ends at %zu", i, taken_before[i] / 4, at);
        }
        if (sdp.taken.size() != 4 * at)
            checks.fail("%zu results, expected %zu", sdp.taken.size() / 4, at);
        done.check(before + layers.size());
        checks.equal("credits when all is over", csc.credits_left(), design.top.credits_o);
    }
};

// ---- layers ----

// Numbers of one kind: what a layer may hold.
class Source {
  public:
    Source(Random &r, unsigned precision)
        : r_(r), precision_(precision), zeros_(r.percent(40) ? r.below(90) : 0),
          used_(r.percent(30) ? r.range(1, 64) : 64), bits_(r.percent(30) ? r.range(1, 16) : 16), lowest_(r.below(31u)),
          spread_(r.percent(75) ? 1 + r.below(9u) : 31), specials_(r.percent(15)) {
    }
    // both: lanes 0-63 and 64-127 of bytes are of two kernels.
    Atom draw(bool both) {
        Atom a{};
        for (size_t lane = 0; lane < size_t(used_); lane++) {
            if (precision_ == Int8) {
                a[lane] = byte();
                if (both)
                    a[lanes + lane] = byte();
            } else
                set_word(a, lane, precision_ == Int16 ? int16() : fp16());
        }
        return a;
    }

  private:
    Random &r_;
    unsigned precision_;
    int zeros_, used_, bits_;
    uint32_t lowest_, spread_;
    bool specials_;

    uint8_t byte() {
        return r_.percent(zeros_) ? 0 : r_.byte();
    }
    unsigned int16() {
        if (r_.percent(zeros_))
            return 0;
        return r_.percent(10) ? (r_.percent(50) ? 0x8000 : 0x7fff)
                              : static_cast<unsigned>(static_cast<int16_t>(r_.bits()) >> (16 - bits_));
    }
    unsigned fp16() {
        static const uint16_t special[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00, 0xbc00,
                                           0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xfe55, 0x7e01, 0xfd55};
        if (r_.percent(zeros_))
            return r_.bits() & 0x8000;
        if (specials_ && r_.percent(2))
            return special[r_.below(16u)];
        const uint32_t mantissa = r_.percent(20) ? r_.below(4u) * 0x155 : r_.bits() & 0x3ff;
        return (r_.bits() & 0x8000) | std::min(lowest_ + r_.below(spread_), 30u) << 10 | mantissa;
    }
};

struct Limits {
    size_t credits, stripe;
};
Limits limits() {
    static Vbench top;
    top.eval();
    return {top.credits_o, top.stripe_o};
}

Layer draw_layer(Random &r) {
    Layer l;
    l.precision = r.below(3u);
    l.tile = r.percent(35);
    l.batches = !l.tile && r.percent(35) ? r.range(2, 32u) : 1;
    l.truncate = r.percent(30) ? r.below(32u) : r.below(4u);
    l.odd = r.below(8u);
    l.width = r.range(1, r.percent(50) ? 4u : 30u);
    l.height = r.range(1, r.percent(50) ? 2u : 6u);
    const unsigned groups = r.range(1, 3u);
    // The delivery buffer takes a stripe; with batches it holds a column that waits for the next one, and CSC sees to
    // it that there is room for another.
    const Limits most = limits();
    const size_t columns = most.credits / l.rows();
    l.batches = std::min(l.batches, static_cast<unsigned>(columns / 3));
    const size_t room = columns - (l.batches > 1 ? 2 * l.batches : 0);
    const size_t longest = std::max<size_t>(1, std::min(most.stripe, room) / l.batches);
    Source data(r, l.precision), weights(r, l.precision);
    size_t budget = 300; // atoms, about
    for (unsigned g = 0; g < groups; g++) {
        const size_t loaded = r.percent(50) ? cells : r.range(size_t(1), cells);
        for (size_t left = size_t(l.width) * l.height; left > 0;) {
            const size_t take = std::min(left, r.percent(50) ? longest : r.range(size_t(1), longest));
            const unsigned count = budget > 0 ? r.range(1, r.percent(50) ? 2u : 5u) : 1;
            left -= take;
            for (unsigned i = 0; i < count; i++) {
                Operation op;
                op.channel_end = i + 1 == count;
                for (size_t c = 0; c < loaded; c++)
                    op.weights.push_back(weights.draw(true));
                for (size_t a = 0; a < take * l.batches; a++)
                    op.atoms.push_back(data.draw(false));
                budget -= std::min(budget, op.atoms.size());
                l.operations.push_back(op);
            }
        }
    }
    l.operations.back().layer_end = true;
    return l;
}

std::string describe(const Layer &l) {
    static const char *const names[] = {"INT8", "INT16", "FP16"};
    char text[200];
    snprintf(text, sizeof text, "%s%s, %u batches, %ux%u, %zu operations, truncate %u, odd %u", names[l.precision],
             l.tile ? " Winograd" : "", l.batches, l.width, l.height, l.operations.size(), l.truncate, l.odd);
    return text;
}

// ---- directed cases ----

// Operations of one atom with the same operands in all lanes of cell 0.
Layer long_sum(unsigned precision, size_t count, unsigned weight, unsigned data, unsigned truncate) {
    Layer l;
    l.precision = precision;
    l.truncate = truncate;
    Operation op;
    Atom w, d;
    for (size_t lane = 0; lane < lanes; lane++) {
        set_word(w, lane, weight);
        set_word(d, lane, data);
    }
    op.weights = {w};
    op.atoms = {d};
    l.operations.assign(count, op);
    l.operations.back().channel_end = l.operations.back().layer_end = true;
    return l;
}

void check_saturation() {
    checks.start("accumulators of 34 and 48 bits, saturation counter");
    Random random(3);
    Bench bench(random);
    std::vector<Layer> layers = {long_sum(Int8, 8300, 0x8080, 0x8080, 4), long_sum(Int16, 2100, 0x8000, 0x8000, 0),
                                 long_sum(Int16, 2100, 0x8000, 0x7fff, 16), long_sum(Int8, 5000, 0x8080, 0x8080, 1)};
    layers[3].width = 2; // restarts the counter
    for (Operation &op : layers[3].operations)
        op.atoms.push_back(op.atoms[0]);
    bench.play(layers);
    checks.equal("even kernel, 8300 atoms", layers[0].results[0], 543948800);
    checks.equal("odd kernel, 8300 atoms", layers[0].results[1], 536870912);
    checks.equal("layers of one atom add up", bench.expected_count, layers[3].clipped);
}

// Chapter 40 section 11.2 and 11.3: lanes {weight, data}.
struct Vector {
    unsigned precision;
    bool tile;
    std::vector<std::array<unsigned, 2>> lane;
    std::array<uint64_t, 4> value;
};

void check_vectors() {
    checks.start("vectors of chapter 40 sections 11.2 and 11.3");
    const auto all = [](unsigned w, unsigned d) { return std::vector<std::array<unsigned, 2>>(lanes, {w, d}); };
    std::vector<Vector> list = {
        {Int16, false, all(0x8000, 0x8000), {68719476736}},
        {Int16, false, all(0x7fff, 0x8000), {static_cast<uint64_t>(-INT64_C(68717379584)) & value_mask}},
    };
    const auto low = [](int64_t v) { return static_cast<uint64_t>(v) & value_mask; };
    Vector tile16 = {Int16, true, {}, {low(810), low(-414), low(-846), low(330)}};
    for (unsigned n = 0; n < lanes; n++)
        tile16.lane.push_back({n + 1, 1});
    list.push_back(tile16);
    // INT8: the low kernel's weights in the low bytes, the high kernel's in the high ones.
    const auto pair = [](int64_t l, int64_t h) {
        return (static_cast<uint64_t>(h) & 0x3fffff) << 22 | (static_cast<uint64_t>(l) & 0x3fffff);
    };
    list.push_back({Int8, false, all(0x8080, 0x80), {pair(1048576, 1048576)}});
    list.push_back({Int8, false, all(0xff7f, 0x80), {pair(-1040384, 8192)}});
    Vector tile8 = {Int8, true, {}, {pair(14, -4), pair(47, -6), pair(-1, -3), pair(8, -6)}};
    for (unsigned n = 0; n < lanes; n++)
        tile8.lane.push_back({((n % 7 - 3) & 0xff) | 0x100, ((n + 4) % 5 - 2) & 0xff});
    list.push_back(tile8);
    for (struct vectors v = vectors_of("cmac", "fp16"); vectors_next(&v);) {
        Vector row = {Fp16, false, {}, {uint64_t(v.number[0])}};
        for (int n = 1; n < v.cells; n += 2)
            row.lane.push_back({unsigned(v.number[n]), unsigned(v.number[n + 1])});
        list.push_back(row);
    }
    for (struct vectors v = vectors_of("cmac", "fp16_all"); vectors_next(&v);)
        list.push_back({Fp16, false, all(unsigned(v.number[1]), unsigned(v.number[2])), {uint64_t(v.number[0])}});

    Random random(5);
    Bench bench(random);
    for (size_t v = 0; v < list.size(); v++) {
        Layer l;
        l.precision = list[v].precision;
        l.tile = list[v].tile;
        Operation op;
        Atom w{}, d{};
        for (size_t lane = 0; lane < list[v].lane.size(); lane++) {
            const std::array<unsigned, 2> &its = list[v].lane[lane];
            if (l.precision == Int8) {
                w[lane] = static_cast<uint8_t>(its[0]);
                w[lanes + lane] = static_cast<uint8_t>(its[0] >> 8);
                d[lane] = static_cast<uint8_t>(its[1]);
            } else {
                set_word(w, lane, its[0]);
                set_word(d, lane, its[1]);
            }
        }
        op.weights.assign(cells, w);
        op.atoms = {d};
        op.channel_end = op.layer_end = true;
        l.operations = {op};
        std::vector<Layer> one = {l};
        bench.play(one);
        for (size_t n = 0; n < (l.tile ? values : 1); n++)
            if (one[0].sums[0][n] != list[v].value[n])
                checks.fail("the bench's own value %zu of vector %zu is 0x%" PRIx64 ", expected 0x%" PRIx64, n, v,
                            one[0].sums[0][n], list[v].value[n]);
    }
}

// Section 11.4 and random numbers: the functions of nvdla_cacc_pkg.
void check_arithmetic() {
    checks.start("integer arithmetic of CACC");
    struct Final {
        int64_t in, acc;
        unsigned t;
        int32_t out;
        bool sat;
    };
    std::vector<Final> known; // in 48 bits: those of 34 bits too where these are enough
    for (struct vectors v = vectors_of("cacc", "integer"); vectors_next(&v);)
        if (const int64_t sum = v.number[1] + v.number[2]; fixed_saturate(sum, int(v.number[0])) == sum)
            known.push_back({v.number[1], v.number[2], unsigned(v.number[3]), int32_t(v.number[4]), v.number[5] != 0});
    Random r(7);
    Vbench top;
    for (size_t i = 0; i < known.size() + 200000; i++) {
        Final v;
        if (i < known.size()) {
            v = known[i];
        } else {
            v = {r.corner(38), r.corner(48), r.below(32u), 0, false};
            if (r.percent(30)) // exact halves and their neighbours
                v.acc =
                    (v.acc >> v.t) * (INT64_C(1) << v.t) + (v.t ? INT64_C(1) << (v.t - 1) : 0) + r.range(-1, 1) - v.in;
            v.acc = fixed_saturate(v.acc, 48);
        }
        const int64_t acc = cacc_add(v.acc, v.in, 48);
        bool sat;
        const int32_t out = cacc_deliver(acc, v.t, &sat);
        if (i < known.size() && (out != v.out || sat != v.sat))
            checks.fail("the model on vector %zu", i);
        const uint64_t ones = (UINT64_C(1) << 48) - 1;
        top.f_acc_i = static_cast<uint64_t>(v.acc) & ones;
        top.f_sum_i = static_cast<uint64_t>(v.in) & ((UINT64_C(1) << 38) - 1);
        top.f_truncate_i = static_cast<CData>(v.t);
        top.eval();
        if (top.f_acc_o != (static_cast<uint64_t>(acc) & ones) || static_cast<int32_t>(top.f_deliver_o) != out ||
            top.f_saturates_o != sat)
            checks.fail("%" PRId64 " + %" PRId64 ", truncate %u: %d sat %d, expected %d sat %d", v.acc, v.in, v.t,
                        static_cast<int32_t>(top.f_deliver_o), top.f_saturates_o, out, sat);

        const int64_t narrow = r.corner(34), sum = r.corner(22);
        const uint64_t expected = static_cast<uint64_t>(cacc_add(narrow, sum, 34)) & ((UINT64_C(1) << 34) - 1);
        top.f_acc_i = static_cast<uint64_t>(narrow) & ones;
        top.f_sum_i = static_cast<uint64_t>(sum) & ((UINT64_C(1) << 38) - 1);
        top.eval();
        if (top.f_narrow_o != expected)
            checks.fail("%" PRId64 " + %" PRId64 " in 34 bits: 0x%" PRIx64 ", expected 0x%" PRIx64, narrow, sum,
                        static_cast<uint64_t>(top.f_narrow_o), expected);
    }
}

} // namespace

void directed_cases() {
    check_arithmetic();
    check_vectors();
    check_saturation();
}

void random_case(uint64_t seed) {
    Random random(seed);
    std::vector<Layer> layers;
    for (unsigned n = random.range(1, 5u); n > 0; n--)
        layers.push_back(draw_layer(random));
    for (const Layer &l : layers)
        checks.detail(describe(l));
    Bench bench(random);
    bench.sdp.percent = 100 - (random.percent(40) ? 0 : random.percent(50) ? random.below(60) : 60 + random.below(38));
    bench.csc.idle_percent = random.percent(50) ? 0 : random.below(90);
    bench.play(layers);
}
