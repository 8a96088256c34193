// The convolution core alone: CSC, CMAC_A, CMAC_B, CACC and CBUF behind a stand-in of CDMA, with random chains of
// layers, random pace of CDMA and random back-pressure of SDP. Atoms and weights of CSC in configurations with 16-bit
// precisions, and results everywhere, against the sums of chapter 40 section 3; FP16 in the arithmetic of the C model.
//
// A seed is a chain of one to five layers in alternating register groups, armed as their groups become free: feature or
// image input, reuse, skipped and partial release, changed banks, surplus weights, compressed weights where the
// configuration has them. The stand-in fills CBUF by the placement formulas of chapter 30 section 5 through its write
// ports, with garbage where a formula puts nothing, and keeps CDMA's counters, so that a release of too much or too
// little shows. Directed cases: the vectors of chapter 40 section 11.4 and random ones for the arithmetic of CACC, its
// saturation counter, and the throughput law of section 10 on some layers.
#include <array>

#include "common/chain.h"
#include "common/stream.h"
#include "tests/vectors.h"

extern "C" {
#include "model/cacc_fp16.h"
#include "model/cmac.h"
#include "model/cmac_fp16.h"
#include "model/pra.h"
}

const uint64_t usual_seeds = 200;

namespace {

const size_t atomic_c = size_t(config->atomic_c), atomic_k = size_t(config->atomic_k),
             mem_atom = size_t(config->mem_atom), lane_bytes = config->int16 ? 2 : 1,
             entry_bytes = atomic_c * lane_bytes, slots = entry_bytes / mem_atom,
             lanes = size_t(config->sdp_bs_throughput), banks = size_t(config->cbuf_banks),
             depth = size_t(config->cbuf_bank_depth) * size_t(config->cbuf_bank_bytes) / entry_bytes,
             cells = atomic_k / lane_bytes;

size_t ceil_div(size_t a, size_t b) {
    return (a + b - 1) / b;
}

// Lanes of an atom or of the weights of one kernel; idle ones are 0.
using Lanes = std::array<int16_t, 64>;

struct Operation {
    std::vector<Lanes> weights; // by kernel
    std::vector<Lanes> atoms;
    unsigned group, position; // of the first atom
    bool channel_end, layer_end;
};

// One layer as the registers describe it.
struct Layer {
    bool image, winograd;
    nvdla_precision precision;
    unsigned batches;                           // 1 but for feature input
    unsigned pra;                               // PRA_TRUNCATE
    unsigned address, line_stride, surf_stride; // CACC: in 32 bytes
    unsigned w, h, c;                           // feature input; image: w unused, c = S * Ci
    unsigned ci;                                // image: channels of a pixel
    unsigned line_bytes;                        // image: bytes of a padded line
    unsigned k, r, s, sx, sy, dx, dy, pl, pt, ow, oh, n;
    uint16_t pad;
    unsigned entries; // per line of a batch
    unsigned new_lines, rls;
    bool data_reuse, weight_reuse, skip_data, skip_weight;
    bool fetch_data, fetch_weight;
    unsigned data_bank, weight_bank; // true values
    unsigned weight_bytes;
    unsigned truncate;
    bool compressed;
    unsigned mask_bytes;                     // WMB_BYTES
    std::vector<std::vector<uint8_t>> lines; // fetched: feature h lines of w * c elements a batch, image line_bytes
    std::vector<uint8_t> weights;            // fetched: WEIGHT_BYTES of the stream
    std::vector<uint8_t> masks;              // fetched: WMB_BYTES of mask bits
    std::vector<size_t> group_end;           // compressed: bytes of the stream up to the end of each kernel group
    std::vector<uint32_t> expected;          // CACC's stream
    std::vector<Operation> operations;       // CSC's, where lanes have 16 bits
    unsigned law;                            // section 10: clocks from the first to the last atom

    // Bytes of an element.
    size_t bytes() const {
        return size_t(nvdla_element_bytes(precision));
    }
    // Kernels of a group, of a MAC cell.
    size_t group() const {
        return precision == NVDLA_INT8 ? atomic_k : atomic_k / 2;
    }
    size_t in_cell() const {
        return group() / cells;
    }
    size_t line_size() const { // bytes of a fetched line
        return image ? line_bytes : size_t(w) * c * bytes() * batches;
    }
};

// Element i of a string of bytes.
int element(const Layer &l, const uint8_t *bytes, size_t i) {
    return l.bytes() == 1 ? int8_t(bytes[i]) : int16_t(bytes[2 * i] | bytes[2 * i + 1] << 8);
}

unsigned feature_entries(unsigned w, size_t bytes) {
    const size_t a = ceil_div(bytes, mem_atom), full = a / slots, rest = a % slots;
    size_t e = full * w;
    if (rest == 1)
        e += ceil_div(w, slots);
    else if (rest == 2 && slots == 4)
        e += ceil_div(w, 2);
    else if (rest)
        e += w;
    return unsigned(e);
}

// Where CDMA puts atom a of pixel x: entry in the line, slot.
void feature_place(unsigned w, size_t bytes, unsigned x, unsigned a, size_t *entry, size_t *slot) {
    const size_t total = ceil_div(bytes, mem_atom), g = a / slots, q = a % slots, rest = total % slots;
    const bool tail = g == total / slots;
    if (tail && rest == 1) {
        *entry = g * w + x / slots;
        *slot = x % slots;
    } else if (tail && rest == 2 && slots == 4) {
        *entry = g * w + x / 2;
        *slot = (x % 2) * 2 + q;
    } else {
        *entry = g * w + x;
        *slot = q;
    }
}

int32_t deliver(int64_t acc, unsigned t, bool *sat) {
    const int64_t f = acc >> t, rem = acc - f * (INT64_C(1) << t), h = t ? INT64_C(1) << (t - 1) : 0;
    bool up = false;
    if (t > 0)
        up = acc >= 0 ? rem >= h : (rem >= h && ((rem - h) >> (t > 16 ? t - 16 : 0)) > 0);
    const int64_t value = f + up;
    *sat = acc >= 0 ? value > INT32_MAX : f < INT32_MIN;
    return int32_t(std::clamp<int64_t>(value, INT32_MIN, INT32_MAX));
}

// What is in CBUF from CSC's point of view, oldest first, and the entries that this takes.
struct Contents {
    std::deque<std::vector<uint8_t>> lines;
    std::deque<uint8_t> weights;
    long data = 0, weight = 0, mask = 0; // entries
    unsigned left = 0;                   // lines left by the last layer
    unsigned data_at = 0;                // entries of data appended since their ring was emptied
};

std::vector<unsigned> stripes_of(const Layer &l, unsigned p) {
    std::vector<unsigned> result;
    const unsigned max = unsigned(2 * atomic_k) / (l.winograd ? 2 : l.batches),
                   min = unsigned(ceil_div(cells, l.batches));
    while (p) {
        const unsigned take = p <= max ? p : p >= max + min ? max : min;
        result.push_back(take);
        p -= take;
    }
    return result;
}

// Kernels of group g.
unsigned group_kernels(const Layer &l, unsigned g) {
    return std::min<unsigned>(unsigned(l.group()), l.k - g * unsigned(l.group()));
}

// Weight of kernel ki of group g, by the addresses of chapter 20 section 5. Winograd: r, s are row and column in the
// transformed tile.
int weight_of(const Layer &l, const Contents &in, unsigned g, unsigned ki, unsigned r, unsigned s, unsigned c) {
    const unsigned kg = group_kernels(l, g);
    const size_t group = size_t(g) * l.group() * l.r * l.s * l.c;
    const size_t cb = c / atomic_c, cc = std::min<size_t>(atomic_c, l.c - cb * atomic_c);
    size_t at;
    if (l.winograd) {
        at = (size_t(c / 4) * kg + ki) * 64 + (size_t(r) * 4 + s) * 4 + c % 4;
    } else if (l.image && l.n > 1) {
        const unsigned q = r / l.n, eq = std::min(l.n, l.r - q * l.n);
        at = size_t(q) * l.n * kg * l.c + (size_t(ki) * eq + r % l.n) * l.c + c;
    } else if (l.image) {
        at = size_t(kg) * l.r * atomic_c * cb + (size_t(r) * kg + ki) * cc + c % atomic_c;
    } else {
        at = size_t(kg) * l.r * l.s * atomic_c * cb + ((size_t(r) * l.s + s) * kg + ki) * cc + c % atomic_c;
    }
    const size_t first = (group + at) * l.bytes();
    return l.bytes() == 1 ? int8_t(in.weights[first]) : int16_t(in.weights[first] | in.weights[first + 1] << 8);
}

int padding(const Layer &l) {
    return l.bytes() == 1 ? int8_t(l.pad) : int16_t(l.pad);
}

// The input element that this weight meets for the output at x, y of batch b.
int data_of(const Layer &l, const Contents &in, unsigned b, unsigned x, unsigned y, unsigned r, unsigned s,
            unsigned c) {
    const int iy = int(y * l.sy + r * l.dy) - int(l.pt), ix = int(x * l.sx + s * l.dx) - int(l.pl);
    if (iy < 0 || unsigned(iy) >= l.h)
        return padding(l);
    const uint8_t *line = in.lines[size_t(iy)].data();
    if (l.image)
        return element(l, line, size_t(x) * l.sx * l.ci + c);
    return ix >= 0 && unsigned(ix) < l.w ? element(l, line, (size_t(b) * l.w + size_t(ix)) * l.c + c) : padding(l);
}

// ---- what the core has to do, atom by atom ----

// Columns and lines of output position p; Winograd: of the tile's first output.
void place_of(const Layer &l, unsigned p, unsigned *x, unsigned *y) {
    *x = p % l.ow;
    *y = p / l.ow;
    if (l.winograd) {
        *y = *y * 4 + *x % 2 * 2;
        *x = *x / 2 * 2;
    }
}

Lanes data_lanes(const Layer &l, const Contents &in, unsigned b, unsigned p, unsigned block, unsigned r, unsigned s) {
    Lanes to{};
    unsigned x, y;
    place_of(l, p, &x, &y);
    if (l.winograd) {
        int16_t tile[16][4], out[16][4];
        for (unsigned e = 0; e < 16; e++)
            for (unsigned c = 0; c < 4; c++)
                tile[e][c] = int16_t(element(l, in.lines[y + e / 4].data(), size_t(x + e % 4) * l.c + block * 4 + c));
        pra_transform(tile[0], 16, 4, 4, l.precision, l.pra, out[0]);
        for (unsigned i = 0; i < 64; i++)
            to[i] = out[i / 4][i % 4];
        return to;
    }
    const unsigned channels = std::min(l.c - block * unsigned(atomic_c), unsigned(atomic_c));
    for (unsigned j = 0; j < l.n && r + j < l.r; j++)
        for (unsigned c = 0; c < channels; c++)
            to[j * atomic_c / l.n + c] = int16_t(data_of(l, in, b, x, y, r + j, s, block * unsigned(atomic_c) + c));
    return to;
}

Lanes weight_lanes(const Layer &l, const Contents &in, unsigned g, unsigned ki, unsigned block, unsigned r,
                   unsigned s) {
    Lanes to{};
    if (l.winograd) {
        for (unsigned i = 0; i < 64; i++)
            to[i] = int16_t(weight_of(l, in, g, ki, i / 16, i / 4 % 4, block * 4 + i % 4));
        return to;
    }
    const unsigned channels = std::min(l.c - block * unsigned(atomic_c), unsigned(atomic_c));
    for (unsigned j = 0; j < l.n && r + j < l.r; j++)
        for (unsigned c = 0; c < channels; c++)
            to[j * atomic_c / l.n + c] = int16_t(weight_of(l, in, g, ki, r + j, s, block * unsigned(atomic_c) + c));
    return to;
}

// The stripe operations of a layer, in order: one after the other to `take`.
template <class Take> void operations(const Layer &l, const Contents &in, Take take) {
    const unsigned groups = unsigned(ceil_div(l.k, l.group()));
    const unsigned blocks = unsigned(ceil_div(l.c, l.winograd ? 4 : atomic_c));
    // Steps of several kernel rows serve positions of one line.
    const bool by_line = l.n > 1 && l.ow >= cells;
    const unsigned runs = by_line ? l.oh : 1, positions = by_line ? l.ow : l.ow * l.oh / (l.winograd ? 4 : 1);
    const unsigned rows = l.winograd ? 1 : l.r, columns = l.winograd ? 1 : l.s;
    for (unsigned g = 0; g < groups; g++)
        for (unsigned run = 0; run < runs; run++) {
            unsigned from = run * positions;
            for (unsigned stripe : stripes_of(l, positions)) {
                for (unsigned block = 0; block < blocks; block++)
                    for (unsigned r = 0; r < rows; r += l.n)
                        for (unsigned s = 0; s < columns; s++) {
                            Operation op;
                            for (unsigned ki = 0; ki < group_kernels(l, g); ki++)
                                op.weights.push_back(weight_lanes(l, in, g, ki, block, r, s));
                            for (unsigned p = from; p < from + stripe; p++)
                                for (unsigned b = 0; b < l.batches; b++)
                                    op.atoms.push_back(data_lanes(l, in, b, p, block, r, s));
                            op.group = g;
                            op.position = from;
                            op.channel_end = block + 1 == blocks && r + l.n >= rows && s + 1 == columns;
                            op.layer_end = op.channel_end && g + 1 == groups && run + 1 == runs &&
                                           from + stripe == (run + 1) * positions;
                            take(op);
                        }
                from += stripe;
            }
        }
}

// ---- what CACC has to deliver ----

// Sums of one position (Winograd: of one tile) and batch, of the kernels of a group.
struct Sums {
    int64_t integer[64][4];
    cacc_fp16 floating[16][4];
};

// Adds an integer atom to the sums, saturating as CACC does (section 9.4).
void add_integer(const Layer &l, const Operation &op, const Lanes &data, Sums &sums) {
    for (size_t k = 0; k < op.weights.size(); k++) {
        int64_t tile[16] = {}, out[4] = {};
        for (size_t i = 0; i < 64; i++)
            tile[l.winograd ? i / 4 : 0] += int64_t(data[i]) * op.weights[k][i];
        out[0] = tile[0];
        if (l.winograd)
            cmac_post_add(tile, 1, 1, out);
        const unsigned bits = lane_bytes == 1 || (l.bytes() == 1 && k % 2) ? 34 : 48;
        const int64_t top = (INT64_C(1) << (bits - 1)) - 1;
        for (unsigned n = 0; n < 4; n++)
            sums.integer[k][n] = std::clamp<int64_t>(sums.integer[k][n] + out[n], -top - 1, top);
    }
}

// The weights of an operation in the form of the model.
struct FloatingWeights {
    cmac_fp16_weights model{};
    explicit FloatingWeights(const Operation &op) {
        cmac_fp16_weights_begin(&model, 16, 64, 1);
        cmac_fp16_weights_clear(&model);
        cmac_fp16_weights_place(&model, 0, 0, op.weights[0].data(), 64, op.weights.size(), 64);
    }
    ~FloatingWeights() {
        cmac_fp16_weights_free(&model);
    }
    FloatingWeights(const FloatingWeights &) = delete;
    FloatingWeights &operator=(const FloatingWeights &) = delete;
    void add(const Layer &l, const Lanes &atom, size_t kernels, Sums &to) const {
        cmac_fp16_data data;
        cmac_fp16_sums out;
        const cmac_piece whole = {0, 0, 64};
        cmac_fp16_data_read(&data, &model, atom.data(), &whole, 1);
        cmac_fp16_atom(&model, 0, 0, 0, &data, l.winograd, &out);
        for (size_t k = 0; k < kernels; k++)
            for (size_t n = 0; n < (l.winograd ? 4u : 1u); n++)
                cacc_fp16_add(&to.floating[k][n], unsigned(out.exponent[k]), out.mantissa[n][k]);
    }
};

// Results of all positions of a group, in the order of section 4.6. all[position * batches + batch].
void deliver_group(Layer &l, unsigned g, const std::vector<Sums> &all) {
    auto row = [&](unsigned p, unsigned b) {
        const Sums &sums = all[p * l.batches + b];
        for (unsigned n = 0; n < (l.winograd ? 4u : 1u); n++)
            for (unsigned k = 0; k < l.group(); k++) {
                bool sat;
                const bool there = k < group_kernels(l, g);
                l.expected.push_back(!there ? 0
                                     : l.precision == NVDLA_FP16
                                         ? cacc_fp16_deliver(&sums.floating[k][n])
                                         : uint32_t(deliver(sums.integer[k][n], l.truncate, &sat)));
            }
    };
    const unsigned positions = unsigned(all.size()) / l.batches;
    for (unsigned p = 0; p < positions;) {
        const unsigned x = p % l.ow, y = p / l.ow;
        const bool odd = (l.address ^ x ^ (y & l.line_stride) ^ (g & l.surf_stride)) & 1;
        const unsigned together = l.batches > 1 && !odd && x + 1 < l.ow ? 2 : 1;
        for (unsigned b = 0; b < l.batches; b++)
            for (unsigned i = 0; i < together; i++)
                row(p + i, b);
        p += together;
    }
}

// What the layer must deliver, and how long it may take.
void compute(Layer &l, const Contents &in) {
    const size_t positions = size_t(l.ow) * l.oh / (l.winograd ? 4 : 1);
    std::vector<Sums> all;
    std::vector<size_t> length, loads;
    l.expected.clear();
    l.operations.clear();
    operations(l, in, [&](const Operation &op) {
        if (lane_bytes == 2)
            l.operations.push_back(op);
        if (all.empty())
            all.assign(positions * l.batches, Sums{});
        Sums *to = &all[op.position * l.batches];
        if (l.precision == NVDLA_FP16) {
            const FloatingWeights weights(op);
            for (const Lanes &atom : op.atoms)
                weights.add(l, atom, op.weights.size(), *to++);
        } else {
            for (const Lanes &atom : op.atoms)
                add_integer(l, op, atom, *to++);
        }
        if (op.channel_end && op.position * l.batches + op.atoms.size() == all.size()) {
            deliver_group(l, op.group, all);
            all.clear();
        }
        length.push_back(op.atoms.size());
        loads.push_back(ceil_div(op.weights.size(), l.in_cell()));
    });
    // Section 10, with the weights of the next operation hidden behind the atoms of this one and no minimum length.
    l.law = unsigned(length.back());
    for (size_t i = 0; i + 1 < length.size(); i++)
        l.law += unsigned(std::max(length[i], loads[i + 1]));
}

// Elements of the layer's kernels, in stream order; their bytes.
size_t elements_of(const Layer &l) {
    return size_t(l.k) * l.r * l.s * l.c;
}
size_t stream_of(const Layer &l) {
    return elements_of(l) * l.bytes();
}

// Bytes of weights that the layer gives back when it ends or is dropped.
size_t taken_by(const Layer &l, bool dropped) {
    if (l.compressed)
        return stream_of(l);
    return dropped ? l.weight_bytes : ceil_div(stream_of(l), entry_bytes) * entry_bytes;
}

// One byte of a 16-bit element as a number of FP16 mostly is: no NaN, no infinity, exponents close to each other.
uint8_t random_byte(Random &random, const Layer &l, size_t i) {
    if (l.precision != NVDLA_FP16 || i % 2 == 0 || random.below(6000) == 0)
        return random.byte();
    return uint8_t(random.percent(5) ? 0 : (random.percent(50) ? 0x80 : 0) | random.range(0x28, 0x4f));
}

// Draws the weights of a compressed layer: mask bits and the elements that are present, zeros among them. Returns all
// elements (chapter 20 section 6).
std::vector<uint8_t> compress(Random &random, Layer &l) {
    const size_t count = elements_of(l), group = l.group() * l.r * l.s * l.c, bytes = l.bytes();
    const int present = random.percent(20) ? 0 : random.percent(20) ? 100 : random.range(1, 99);
    std::vector<uint8_t> all(count * bytes);
    l.masks.assign(ceil_div(count, 8 * entry_bytes) * entry_bytes, 0);
    for (size_t i = 0; i < count; i++) {
        if (random.percent(present)) {
            const bool zero = random.percent(5);
            l.masks[i / 8] |= uint8_t(1u << i % 8);
            for (size_t b = i * bytes; b < (i + 1) * bytes; b++) {
                all[b] = zero ? 0 : random_byte(random, l, b);
                l.weights.push_back(all[b]);
            }
        }
        if (i % group == group - 1 || i == count - 1)
            l.group_end.push_back(l.weights.size());
    }
    l.weights.resize(ceil_div(l.weights.size(), entry_bytes) * entry_bytes);
    l.weight_bytes = unsigned(l.weights.size());
    l.mask_bytes = unsigned(l.masks.size());
    return all;
}

// ---- the design and its surroundings ----

// CDMA's place: fetches what the layers say, at its own pace, into CBUF, reports it, and keeps the accounts.
class Cdma : public Agent {
  public:
    int idle_percent = 0;  // of the clocks in which it does nothing
    size_t programmed = 0; // layers whose registers it may look at
    uint64_t first_atom = 0, last_atom = 0;

    Cdma(Design &design, uint64_t seed) : design_(design), top(design.top), random(seed) {
        design.add(*this);
        // CBUF holds garbage: nothing may depend on what was not written. As after reset, the data port writes the
        // lower half of the banks, the weight port the upper one.
        const size_t half = banks * depth / 2;
        for (size_t e = 0; e < half; e++)
            for (size_t s = 0; s < slots; s++) {
                dat = {true, e, s, garbage()};
                wt = {true, half + e, s, garbage()};
                design.clock();
            }
    }
    // The next layers. keep_banks: the first one has the banks of the last one before.
    void begin(const std::vector<Layer> &chain, bool keep_banks) {
        layers = chain;
        at = programmed = 0;
        last_data_bank = keep_banks ? chain[0].data_bank : 0;
        last_weight_bank = keep_banks ? chain[0].weight_bank : 0;
    }
    void drive() override {
        if (at < programmed && at < layers.size()) {
            const Layer &l = layers[at];
            if (!begun) {
                begun = true;
                begin_layer(l);
            }
            if (dat_state == Pend)
                pend(top.dat_pending_req_o, top.dat_pending_ack_i, dat_asked, dat_state);
            else if (dat_state == Busy && !random.percent(idle_percent))
                fetch_data(l);
            if (wt_state == Pend)
                pend(top.wt_pending_req_o, top.wt_pending_ack_i, wt_asked, wt_state);
            else if (wt_state == Busy && !random.percent(idle_percent))
                fetch_weights(l);
            if (dat_state == Done && wt_state == Done) {
                last_data_bank = l.data_bank;
                last_weight_bank = l.weight_bank;
                begun = false;
                at++;
            }
        }
        put_pins();
    }
    void sample() override {
        release("data", data_valid, top.dat_rl_valid_o, top.dat_rl_entries_o);
        release("weight", weight_valid, top.wt_rl_valid_o, top.wt_rl_entries_o);
        release("mask", mask_valid, top.mask_rl_valid_o, top.mask_rl_entries_o);
        if (top.atom_valid_o) {
            first_atom = first_atom ? first_atom : design_.now;
            last_atom = design_.now;
        }
    }

  private:
    struct Write {
        bool valid = false;
        size_t entry, slot;
        std::vector<uint8_t> bytes;
    };
    struct Update {
        bool valid = false;
        unsigned entries, units; // slices, kernels
    };
    enum State { Pend, Busy, Done };
    Design &design_;
    Vbench &top;
    Random random;
    std::vector<Layer> layers;
    size_t at = 0;      // layer that is being fetched
    bool begun = false; // it was looked at
    unsigned last_data_bank = 0, last_weight_bank = 0;
    State dat_state = Done, wt_state = Done;
    bool dat_asked = false, wt_asked = false; // CSC's request was seen
    size_t line = 0, unit = 0;                // data: next line, next atom of it
    size_t weight_at = 0, mask_at = 0, groups_told = 0, entries_told = 0;
    // CDMA's accounts: valid entries in CBUF, where the next ones go.
    long data_valid = 0, weight_valid = 0, mask_valid = 0;
    size_t data_ptr = 0, weight_ptr = 0, mask_ptr = 0;
    Write dat, wt;
    Update dat_up, wt_up;

    std::vector<uint8_t> garbage() {
        std::vector<uint8_t> bytes(mem_atom);
        for (uint8_t &b : bytes)
            b = random.byte();
        return bytes;
    }
    void begin_layer(const Layer &l) {
        const bool data_changed = l.data_bank != last_data_bank;
        line = unit = weight_at = mask_at = groups_told = entries_told = 0;
        dat_state = data_changed ? Pend : l.fetch_data ? Busy : Done;
        wt_state = data_changed || l.weight_bank != last_weight_bank ? Pend : l.fetch_weight ? Busy : Done;
    }
    // The handshake of changed banks: CSC asks, and what CBUF held is dropped; when it has let go, the fetch begins.
    void pend(const CData &request, CData &acknowledge, bool &asked, State &state) {
        acknowledge = 1;
        if (request) {
            asked = true;
            if (&state == &dat_state) {
                data_valid = 0;
                data_ptr = 0;
            } else {
                weight_valid = mask_valid = 0;
                weight_ptr = mask_ptr = 0;
            }
        } else if (asked) {
            asked = false;
            state = Busy;
            acknowledge = 0;
        }
    }

    // One atom of data.
    void fetch_data(const Layer &l) {
        const size_t ring = l.data_bank * depth;
        if (line == l.lines.size()) {
            dat_state = Done;
            return;
        }
        // Winograd: four lines share their entries.
        const size_t together = l.winograd ? 4 : 1, all_entries = size_t(l.entries) * l.batches * together;
        if (unit == 0 && data_valid + long(all_entries) > long(ring))
            return;
        const size_t pixel = l.c * l.bytes(), atoms = ceil_div(pixel, mem_atom);
        const size_t units = l.image      ? ceil_div(l.line_bytes, mem_atom)
                             : l.winograd ? l.w / 4 * pixel / 8 * 4
                                          : size_t(l.w) * atoms * l.batches;
        size_t entry, slot;
        std::vector<uint8_t> bytes = garbage();
        if (l.image) {
            entry = unit / slots;
            slot = unit % slots;
            for (size_t i = 0; i < mem_atom; i++)
                if (unit * mem_atom + i < l.line_bytes)
                    bytes[i] = l.lines[line][unit * mem_atom + i];
        } else if (l.winograd) {
            // Four pixels of one line, eight bytes of each.
            entry = unit / 4;
            slot = unit % 4;
            const size_t q = entry / (l.w / 4), x = entry % (l.w / 4) * 4;
            for (size_t i = 0; i < mem_atom; i++)
                bytes[i] = l.lines[line + slot][(x + i / 8) * pixel + q * 8 + i % 8];
        } else {
            const unsigned x = unsigned(unit % l.w), a = unsigned(unit / l.w % atoms);
            const size_t batch = unit / l.w / atoms;
            feature_place(l.w, pixel, x, a, &entry, &slot);
            entry += batch * l.entries;
            for (size_t i = 0; i < mem_atom; i++)
                if (a * mem_atom + i < pixel)
                    bytes[i] = l.lines[line][(batch * l.w + x) * pixel + a * mem_atom + i];
        }
        dat = {true, (data_ptr + entry) % ring, slot, bytes};
        if (++unit == units) {
            unit = 0;
            line += together;
            data_ptr = (data_ptr + all_entries) % ring;
            data_valid += long(all_entries);
            dat_up = {true, unsigned(all_entries), unsigned(together)};
        }
    }

    // One atom of weights or masks, or the report of a group.
    void fetch_weights(const Layer &l) {
        const size_t weight_ring = l.weight_bank * depth, groups = ceil_div(l.k, l.group());
        if (groups_told == groups) {
            wt_state = Done;
        } else if (group_complete(l, groups)) {
            const size_t kernels = groups_told + 1 == groups ? (l.k - 1) % l.group() + 1 : l.group();
            const size_t now = weight_at / entry_bytes - entries_told;
            wt_up = {true, unsigned(now), unsigned(kernels)};
            entries_told += now;
            groups_told++;
        } else if (mask_at < l.mask_bytes && (weight_at == l.weight_bytes || random.percent(30))) {
            write_mask(l);
        } else if (weight_at < l.weight_bytes && (weight_at % entry_bytes || weight_valid < long(weight_ring))) {
            write_weight(l, weight_ring);
        }
    }
    // A group counts when the last entries of its bytes and of its mask bits are complete.
    bool group_complete(const Layer &l, size_t groups) const {
        const bool last = groups_told + 1 >= groups;
        const size_t end = (groups_told + 1) * l.group() * l.r * l.s * l.c;
        const size_t bytes_end = l.compressed && !last ? l.group_end[groups_told] : end * l.bytes();
        const size_t whole = ceil_div(bytes_end, entry_bytes) * entry_bytes;
        const size_t masks_whole = ceil_div(end, 8 * entry_bytes) * entry_bytes;
        const size_t need = last ? l.weight_bytes : std::min<size_t>(whole, l.weight_bytes);
        const size_t need_masks = last ? l.mask_bytes : std::min<size_t>(masks_whole, l.mask_bytes);
        return weight_at >= need && (!l.compressed || mask_at >= need_masks);
    }
    void write_mask(const Layer &l) { // all of a layer's masks fit
        if (mask_at % entry_bytes == 0)
            mask_valid++;
        wt = {true,
              (banks - 1) * depth + (mask_ptr + mask_at / entry_bytes) % depth,
              mask_at % entry_bytes / mem_atom,
              {l.masks.begin() + long(mask_at), l.masks.begin() + long(mask_at + mem_atom)}};
        mask_at += mem_atom;
        if (mask_at == l.mask_bytes)
            mask_ptr = (mask_ptr + l.mask_bytes / entry_bytes) % depth;
    }
    void write_weight(const Layer &l, size_t weight_ring) {
        if (weight_at % entry_bytes == 0)
            weight_valid++;
        wt = {true,
              l.data_bank * depth + (weight_ptr + weight_at / entry_bytes) % weight_ring,
              weight_at % entry_bytes / mem_atom,
              {l.weights.begin() + long(weight_at), l.weights.begin() + long(weight_at + mem_atom)}};
        weight_at += mem_atom;
        if (weight_at == l.weight_bytes) // positions in this layer are relative to the old pointer, and no more follow
            weight_ptr = (weight_ptr + l.weight_bytes / entry_bytes) % weight_ring;
    }

    void put_pins() {
        top.dat_wr_valid_i = dat.valid;
        if (dat.valid) {
            top.dat_wr_addr_i = uint16_t(dat.entry);
            top.dat_wr_slot_i = uint8_t(dat.slot);
            Pin(top.dat_wr_data_i).put(dat.bytes.data(), mem_atom);
        }
        top.wt_wr_valid_i = wt.valid;
        if (wt.valid) {
            top.wt_wr_addr_i = uint16_t(wt.entry);
            top.wt_wr_slot_i = uint8_t(wt.slot);
            Pin(top.wt_wr_data_i).put(wt.bytes.data(), mem_atom);
        }
        top.dat_up_valid_i = dat_up.valid;
        if (dat_up.valid) {
            top.dat_up_entries_i = uint16_t(dat_up.entries);
            top.dat_up_slices_i = uint16_t(dat_up.units);
        }
        top.wt_up_valid_i = wt_up.valid;
        if (wt_up.valid) {
            top.wt_up_entries_i = uint16_t(wt_up.entries);
            top.wt_up_kernels_i = uint16_t(wt_up.units);
        }
        dat.valid = wt.valid = dat_up.valid = wt_up.valid = false;
    }
    void release(const char *what, long &valid, bool now, unsigned entries) {
        if (!now)
            return;
        valid -= entries;
        if (valid < 0)
            checks.fail("clock %" PRIu64 ": more %s entries released than there are", design_.now, what);
    }
};

// What CSC sends to CMAC in configurations with 16-bit precisions, against the operations of the layers.
class Sent : public Agent {
  public:
    Sent(Design &design) : design_(design), top(design.top) {
        design.add(*this);
    }
    void begin(const std::vector<Layer> &chain) {
        layers = &chain;
        layer = at = atom = 0;
        loaded = 0;
    }
    // Layers whose last atom has left.
    size_t count() const {
        return layer;
    }
    void drive() override {
    }
    void sample() override {
        if (lane_bytes == 1 || checks.failing())
            return;
        if (top.atom_valid_o)
            take_atom();
        if (top.wt_valid_o) {
            const size_t cell = size_t(__builtin_ctz(top.wt_sel_o));
            Pin(top.wt_data_o).get(shadow[cell].data(), entry_bytes);
            loaded |= 1u << cell;
        }
    }

  private:
    using Bytes = std::array<uint8_t, 128>;
    Design &design_;
    Vbench &top;
    const std::vector<Layer> *layers = nullptr;
    size_t layer = 0, at = 0, atom = 0; // next atom
    std::array<Bytes, 64> shadow;
    uint32_t loaded = 0; // cells

    static void put(const Layer &l, const Lanes &lanes_of, uint8_t *to) {
        for (size_t i = 0; i < atomic_c; i++)
            for (size_t b = 0; b < l.bytes(); b++)
                to[i * l.bytes() + b] = uint8_t(lanes_of[i] >> 8 * b);
    }
    void different(const char *what, const Bytes &got, const Bytes &expected) {
        for (size_t i = 0; i < entry_bytes; i++)
            if (got[i] != expected[i]) {
                checks.fail("clock %" PRIu64
                            ": layer %zu, operation %zu, atom %zu: byte %zu of %s is %02x, expected %02x",
                            design_.now, layer, at, atom, i, what, got[i], expected[i]);
                return;
            }
    }
    void take_atom() {
        if (!layers || layer == layers->size()) {
            checks.fail("clock %" PRIu64 ": an atom after the last layer", design_.now);
            return;
        }
        const Layer &l = (*layers)[layer];
        const Operation &op = l.operations[at];
        if (atom == 0) {
            const size_t used = ceil_div(op.weights.size(), l.in_cell());
            checks.equal("cells that are loaded", loaded, (UINT64_C(1) << used) - 1);
            for (size_t c = 0; c < used; c++) {
                Bytes expected{};
                for (size_t k = 0; k < l.in_cell() && c * l.in_cell() + k < op.weights.size(); k++)
                    put(l, op.weights[c * l.in_cell() + k], expected.data() + k * entry_bytes / 2);
                different("weights", shadow[c], expected);
            }
            loaded = 0;
        }
        Bytes got, expected{};
        Pin(top.atom_data_o).get(got.data(), entry_bytes);
        put(l, op.atoms[atom], expected.data());
        different("data", got, expected);
        const bool last = atom + 1 == op.atoms.size();
        const unsigned flags = (atom == 0 ? 8u : 0) | (last ? 4u : 0) | (op.channel_end ? 2u : 0) | op.layer_end;
        if (top.atom_flags_o != flags)
            checks.fail("clock %" PRIu64 ": layer %zu, operation %zu, atom %zu of %zu: flags %x, expected %x",
                        design_.now, layer, at, atom, op.atoms.size(), top.atom_flags_o, flags);
        if (!last) {
            atom++;
            return;
        }
        atom = 0;
        if (++at == l.operations.size()) {
            at = 0;
            layer++;
        }
    }
};

class Bench {
  public:
    enum { Csc, CmacA, CmacB, Cacc };
    Random &random;
    Design design;
    StreamSink sdp;
    Interrupts done;
    Cdma cdma;
    Sent sent;
    Csb csb;
    Chain chain;

    explicit Bench(Random &r)
        : random(r), sdp(design, STREAM_OUT(design.top, cacc), "stream to SDP", lanes * 4, r.bits64()),
          done(design, design.top.done_intr_o), cdma(design, r.bits64()), sent(design),
          csb(design,
              {{NVDLA_CSC, &design.top.csb_sel_i, 1, &design.top.csb_rdata_o},
               {NVDLA_CMAC_A, &design.top.csb_sel_i, 2, &design.top.csb_rdata_o},
               {NVDLA_CMAC_B, &design.top.csb_sel_i, 4, &design.top.csb_rdata_o},
               {NVDLA_CACC, &design.top.csb_sel_i, 8, &design.top.csb_rdata_o}},
              r.bits64()),
          chain(design, csb, done, 2000000) {
        done.seen = [this](int) { results_before.push_back(sdp.taken.size() / 4); };
    }

    // Plays a chain of layers; the groups continue from the chain before. keep_banks: its first layer has the banks of
    // the last one before.
    void play(const std::vector<Layer> &layers, bool keep_banks = false) {
        sdp.taken.clear();
        results_before.clear();
        const size_t before = done.count();
        const unsigned gap = random.percent(70) ? 0 : 200;
        cdma.begin(layers, keep_banks);
        sent.begin(layers);
        for (size_t i = 0; i < layers.size(); i++) {
            // The next layer as soon as its group is free in every unit: the interrupt of two layers ago came.
            if (!chain.wait_done(before + (i >= 2 ? i - 1 : 0)))
                return;
            design.clocks(random.below(gap));
            const bool early = random.percent(50); // CDMA is programmed before the others
            cdma.programmed += early;
            program(layers[i]);
            cdma.programmed += !early;
        }
        if (!chain.wait_done(before + layers.size()))
            return;
        design.clocks(30);
        check(layers, before);
    }
    // Register of a group.
    uint32_t read(unsigned unit, unsigned group, uint32_t offset) {
        csb.write(unit, 4, group);
        return csb.read(unit, offset);
    }

  private:
    std::vector<size_t> results_before; // taken before each interrupt

    void program(const Layer &l);
    // Results and interrupts of a chain.
    void check(const std::vector<Layer> &layers, size_t before) {
        const auto *results = reinterpret_cast<const uint32_t *>(sdp.taken.data());
        const size_t count = sdp.taken.size() / 4;
        size_t at = 0;
        for (size_t i = 0; i < layers.size(); i++) {
            const std::vector<uint32_t> &expected = layers[i].expected;
            for (size_t e = 0; e < expected.size() && at + e < count && !checks.failing(); e++)
                if (results[at + e] != expected[e])
                    checks.fail("layer %zu of %zu: result %zu of %zu is %d, expected %d", i, layers.size(), e,
                                expected.size(), int32_t(results[at + e]), int32_t(expected[e]));
            at += expected.size();
            if (done.groups[before + i] != int((before + i) & 1))
                checks.fail("interrupt %zu has group %d", i, done.groups[before + i]);
            if (results_before[i] < at)
                checks.fail("interrupt %zu came after %zu results, the layer ends at %zu", i, results_before[i], at);
        }
        if (count != at)
            checks.fail("%zu results, expected %zu", count, at);
        if (lane_bytes == 2 && sent.count() != layers.size())
            checks.fail("the last atoms of %zu layers were sent, expected %zu", sent.count(), layers.size());
        if (done.count() != before + layers.size())
            checks.fail("%zu interrupts, expected %zu", done.count() - before, layers.size());
    }
};

// ---- chains of layers ----

unsigned small_or(Random &random, unsigned high) {
    return random.percent(60) ? random.range(1, std::min(high, 4u)) : random.range(1, high);
}

uint64_t macs(const Layer &l) {
    return uint64_t(l.ow) * l.oh * l.k * l.r * l.s * l.c * l.batches;
}
// The work of a layer is bounded, and what the bench keeps of it.
bool small_enough(const Layer &l) {
    const uint64_t positions = uint64_t(l.ow) * l.oh * l.batches / (l.winograd ? 4 : 1);
    const uint64_t atoms =
        positions * ceil_div(l.c, l.winograd ? 4 : atomic_c) * (l.winograd ? 1 : l.r * l.s) * ceil_div(l.k, l.group());
    return macs(l) <= (lane_bytes == 2 ? 4000000 : 400000) && (lane_bytes == 1 || atoms <= 4000);
}

bool random_shape(Random &random, Layer &l, bool same_data, const Layer *last) {
    if (!same_data) {
        l.precision = nvdla_has_16_bits(config) ? nvdla_precision(random.below(3)) : NVDLA_INT8;
        l.image = random.percent(35);
        l.winograd = config->winograd && !l.image && random.percent(35);
        l.batches = config->batch_max > 1 && !l.image && !l.winograd && random.percent(50)
                        ? random.percent(50) ? random.range(2, 5u) : random.range(2, unsigned(config->batch_max))
                        : 1;
        l.ci = std::array<unsigned, 3>{1, 3, 4}[random.below(3u)];
        l.w = small_or(random, 24);
        l.c = random.percent(50) ? random.range(1, unsigned(2 * atomic_c))
                                 : random.range(1, unsigned(3 * mem_atom + atomic_c));
        if (l.batches > 1) // small cubes
            l.w = std::min(l.w, 8u);
        if (l.winograd) {
            l.c = random.range(1, 3u) * unsigned(32 / l.bytes());
            l.w = 4 * random.range(2, 5u);
        }
    } else {
        l.precision = last->precision;
        l.image = last->image;
        l.winograd = last->winograd;
        l.batches = last->batches;
        l.ci = last->ci;
        l.w = last->w;
        l.c = last->c;
        l.line_bytes = last->line_bytes;
        l.entries = last->entries;
    }
    l.h = l.winograd ? 4 * random.range(2, 4u) : small_or(random, l.batches > 1 ? 6 : 20);
    l.k = random.percent(50) ? random.range(1, unsigned(atomic_k + 1)) : random.range(1, unsigned(3 * atomic_k));
    l.r = small_or(random, 6);
    l.s = small_or(random, 6);
    l.sx = small_or(random, 8);
    l.sy = small_or(random, 8);
    l.dx = l.dy = 1;
    l.n = 1;
    l.pt = random.percent(50) ? random.below(l.r) : random.percent(10) ? random.below(32u) : 0;
    l.pl = 0;
    l.pad = uint16_t(random.byte() << 8 | random.byte());
    l.pra = random.below(4u);
    l.address = random.bits();
    l.line_stride = random.bits();
    l.surf_stride = random.bits();
    l.truncate = random.percent(30) ? random.below(32u) : random.below(4u);
    return true;
}

// Completes a layer whose input height is known; false if it does not fit.
bool complete(Random &random, Layer &l, bool same_data) {
    if (l.winograd) {
        if (l.h < 8 || l.h % 4)
            return false;
        l.r = l.s = 4; // in the transformed tile
        l.sx = l.sy = l.dx = l.dy = l.n = 1;
        l.pl = l.pt = 0;
        l.ow = l.w - 4;
        l.oh = l.h - 4;
        if (!same_data)
            l.entries = l.w / 4 * unsigned(l.c * l.bytes() / 8) / 4 + (random.percent(10) ? random.below(4u) : 0);
    } else if (l.image) {
        const unsigned pixels = same_data ? l.line_bytes / l.ci / unsigned(l.bytes()) : 0;
        const unsigned parts[] = {1, 2, 4};
        l.n = parts[random.below(3u)];
        if (l.n > 1) { // limits of section 3.2
            const unsigned limit = unsigned(atomic_c) / l.n;
            if (l.ci > limit)
                l.n = 1;
            else {
                l.s = random.range(1, limit / l.ci);
                l.sx = random.range(1, std::min(8u, limit / l.ci));
            }
        }
        if (same_data)
            l.ow = (pixels >= l.s) ? (pixels - l.s) / l.sx + 1 : 0;
        else {
            l.ow = small_or(random, 20);
            l.line_bytes = ((l.ow - 1) * l.sx + l.s) * l.ci + random.below(6u) * l.ci;
            l.line_bytes *= unsigned(l.bytes());
            l.entries = unsigned(ceil_div(l.line_bytes, entry_bytes)) + (random.percent(20) ? random.below(3u) : 0);
        }
        if (!l.ow)
            return false;
        l.oh = random.percent(20) ? random.range(1, 12u)
                                  : std::max(1u, unsigned((int(l.h + l.pt) - int(l.r)) / int(l.sy) + 1));
        if (int(l.h + l.pt) < int(l.r))
            l.oh = 1;
        l.c = l.s * l.ci; // e of section 3.2
        l.s = 1;
        l.dy = l.dx = 1;
        l.w = 1;
    } else {
        if (random.percent(30)) {
            l.dx = random.range(1, 5u);
            l.dy = random.range(1, 5u);
        }
        l.pl = random.percent(50) ? random.below(l.s * l.dx) : random.percent(10) ? random.below(32u) : 0;
        l.pl = std::min(l.pl, 31u);
        // Right and bottom padding follow from the output size, which may be anything.
        const int fit_x = (int(l.w + l.pl) - int((l.s - 1) * l.dx + 1)) / int(l.sx) + 1;
        const int fit_y = (int(l.h + l.pt) - int((l.r - 1) * l.dy + 1)) / int(l.sy) + 1;
        l.ow = random.percent(30) ? random.range(1, 10u) : unsigned(std::max(1, fit_x + int(random.below(3u))));
        l.oh = random.percent(30) ? random.range(1, 10u) : unsigned(std::max(1, fit_y + int(random.below(3u))));
        if (!same_data)
            l.entries = feature_entries(l.w, l.c * l.bytes()) + (random.percent(10) ? random.below(4u) : 0);
    }
    return small_enough(l);
}

// Draws a chain in which every layer can run: what CBUF holds when it begins, and what it fetches, is what it needs.
class ChainDraw {
  public:
    explicit ChainDraw(Random &r) : random(r) {
    }
    std::vector<Layer> draw() {
        const unsigned count = random.range(1, 5u);
        while (chain.size() < count) {
            l = Layer{};
            last = chain.empty() ? nullptr : &chain.back();
            if (draw_layer() && enters() && fits())
                append();
        }
        return chain;
    }

  private:
    Random &random;
    std::vector<Layer> chain;
    Contents in; // CBUF after the last layer
    // The layer that is being drawn.
    Layer l;
    const Layer *last;                                         // the one before, nullptr: none
    bool same_data, data_changed, changed, mode_changed, kept; // kept: lines of the layer before stay
    unsigned surplus;                                          // entries of unused weights
    std::vector<uint8_t> fetched;                              // weights as CSC sees them
    Contents now;                                              // CBUF when the layer begins, and with what it fetches

    // Its shape and modes; false if they do not go together.
    bool draw_layer() {
        l.data_reuse = last && random.percent(40) && in.left > 0;
        same_data = l.data_reuse && random.percent(97);
        random_shape(random, l, same_data, last);
        draw_banks();
        if (l.data_reuse && !same_data && !mode_changed)
            l.data_reuse = false;
        // CDMA's decisions (chapter 30 section 9.3).
        l.fetch_data = data_changed || !(l.data_reuse && last->skip_data && !mode_changed);
        l.weight_reuse = last && random.percent(40);
        l.fetch_weight = changed || !(l.weight_reuse && last->skip_weight);
        if (l.weight_reuse && !l.fetch_weight) { // the same kernels, the whole stream kept
            if (last->winograd != l.winograd || last->precision != l.precision)
                return false;
            l.k = last->k;
            l.r = last->r;
            l.s = last->image ? last->c / std::max(1u, l.ci) : last->s;
            if (last->image != l.image || (!l.image && l.c != last->c) || (l.image && last->c % l.ci))
                return false;
        }
        l.compressed = l.fetch_weight ? config->weight_compression && random.percent(70) : last->compressed;
        draw_lines();
        if (!complete(random, l, kept && same_data))
            return false;
        enlarge_slices();
        l.rls = random.percent(50) ? l.h : random.range(1, l.h);
        if (l.winograd)
            l.rls = std::max(4u, l.rls / 4 * 4);
        l.skip_data = random.percent(30);
        l.skip_weight = random.percent(30);
        draw_weight_bytes();
        return true;
    }
    void draw_banks() {
        if (!last || random.percent(20)) {
            const unsigned usable = unsigned(banks) - (config->weight_compression ? 1 : 0);
            const unsigned few = random.percent(50) ? 3 : usable - 1;
            l.data_bank = last && random.percent(50) ? last->data_bank : random.range(1, few);
            l.weight_bank = random.range(1, usable - l.data_bank);
        } else {
            l.data_bank = last->data_bank;
            l.weight_bank = last->weight_bank;
        }
        data_changed = !last || l.data_bank != last->data_bank;
        changed = data_changed || l.weight_bank != last->weight_bank;
        mode_changed = last && (last->image != l.image || last->winograd != l.winograd);
    }
    void draw_lines() {
        kept = l.data_reuse && !data_changed && !mode_changed;
        if (!kept) {
            l.new_lines = l.h;
        } else if (l.fetch_data) {
            l.new_lines = l.winograd ? 4 * random.range(1, 2u) : random.range(1, 6u);
            l.h = in.left + l.new_lines;
        } else {
            l.new_lines = 0;
            l.h = random.percent(30) ? random.range(1, in.left) : in.left;
            if (l.winograd)
                l.h = in.left;
        }
    }
    // Slices larger than their data are legal. They take the ring round, some so that a line lies across its end.
    void enlarge_slices() {
        const unsigned ring = unsigned(l.data_bank * depth), room = ring / l.h / l.batches,
                       from = data_changed ? 0 : in.data_at % ring;
        if ((kept && same_data) || random.percent(60) || room <= l.entries)
            return;
        const unsigned line = l.batches * random.range(1, std::max(1u, l.h - 1)), across = random.below(l.entries);
        const unsigned aimed = ring > from + across ? (ring - from - across) / line : 0;
        l.entries = (random.percent(90) && aimed >= l.entries && aimed <= room) ? aimed : random.range(l.entries, room);
    }
    // Surplus weights, some a whole ring of them; compressed ones are drawn here.
    void draw_weight_bytes() {
        const unsigned ring = unsigned(l.weight_bank * depth);
        surplus = random.percent(30) ? random.below(random.percent(50) && ring <= 1536 ? ring : 20) : 0;
        l.weight_bytes = !l.fetch_weight ? last->weight_bytes : rounded() + surplus * unsigned(entry_bytes);
        l.mask_bytes = !l.fetch_weight ? last->mask_bytes : 0;
        fetched.clear();
        if (l.fetch_weight && l.compressed)
            fetched = compress(random, l);
    }
    unsigned rounded() const { // bytes of the weights that are used, whole entries
        return unsigned(ceil_div(stream_of(l), entry_bytes) * entry_bytes);
    }

    // What stays in CBUF when the layer begins; false if the layer could not make use of it.
    bool enters() {
        now = in;
        if (data_changed) {
            now.lines.clear();
            now.data = 0;
        } else if (!kept) {
            now.lines.erase(now.lines.begin(), now.lines.begin() + long(in.left));
            now.data -= long(in.left) * last->entries * last->batches;
        }
        if (changed) {
            now.weights.clear();
            now.weight = now.mask = 0;
        } else if (last->skip_weight && !l.weight_reuse) {
            now.weights.erase(now.weights.begin(), now.weights.begin() + long(taken_by(*last, true)));
            now.weight -= last->weight_bytes / entry_bytes;
            now.mask -= last->mask_bytes / entry_bytes;
        }
        if (l.compressed && !l.fetch_weight && (elements_of(l) != elements_of(*last) || l.precision != last->precision))
            return false;
        // Compressed weights never follow a surplus: it would be read as their first bytes.
        if (l.compressed && l.fetch_weight && !now.weights.empty())
            return false;
        // Lines that no layer will release: another geometry would read across them.
        return data_changed || kept || now.lines.empty();
    }
    // Is there room for what it fetches?
    bool fits() {
        now.data += long(l.new_lines) * l.entries * l.batches;
        const long before = now.weight;
        if (l.fetch_weight) {
            now.weight += l.weight_bytes / entry_bytes;
            now.mask += l.mask_bytes / entry_bytes;
        }
        // All weights fit, so that no group waits for ever; some chains need the release of earlier groups.
        const size_t ring = l.weight_bank * depth,
                     group = std::min<size_t>(l.k, l.group()) * l.r * l.s * l.c * l.bytes();
        const bool tight =
            !l.compressed && !l.skip_weight && !surplus && l.fetch_weight && before == 0 && random.percent(50);
        return now.data <= long(l.data_bank * depth) && now.mask <= long(depth) &&
               (tight ? 2 * (group / entry_bytes + 2) <= ring : now.weight <= long(ring));
    }
    // Integers of the greatest magnitudes, where they were chosen: sums of four of them reach the ends of Winograd's
    // transform.
    void make_extreme(std::vector<uint8_t> &line) {
        for (size_t b = 0; b + l.bytes() <= line.size(); b += l.bytes())
            if (random.percent(80)) {
                const uint8_t high = random.percent(50) ? 0x7f : 0x80;
                line[b] = uint8_t(high ^ 0x80 ? 0xff : 0);
                line[b + l.bytes() - 1] = high;
            }
    }
    // Random contents, and what the layer makes of them; it joins the chain.
    void append() {
        const bool extreme = l.precision != NVDLA_FP16 && random.percent(15);
        for (unsigned i = 0; i < l.new_lines; i++) {
            l.lines.emplace_back(l.line_size());
            for (size_t b = 0; b < l.lines.back().size(); b++)
                l.lines.back()[b] = random_byte(random, l, b);
            if (extreme)
                make_extreme(l.lines.back());
            now.lines.push_back(l.lines.back());
        }
        if (l.fetch_weight && !l.compressed) {
            for (unsigned i = 0; i < l.weight_bytes; i++)
                l.weights.push_back(random_byte(random, l, i));
            fetched = l.weights;
        }
        now.weights.insert(now.weights.end(), fetched.begin(), fetched.end());
        if (now.weights.size() < stream_of(l) || now.lines.size() < l.h)
            return;
        compute(l, now);
        if (!l.skip_data) {
            now.lines.erase(now.lines.begin(), now.lines.begin() + long(l.rls));
            now.data -= long(l.rls) * l.entries * l.batches;
        }
        now.left = l.skip_data ? l.h : l.h - l.rls;
        if (!l.skip_weight) {
            now.weights.erase(now.weights.begin(), now.weights.begin() + long(taken_by(l, false)));
            now.weight -= (l.compressed ? l.weight_bytes : rounded()) / entry_bytes;
            now.mask -= l.mask_bytes / entry_bytes;
        }
        now.data_at = (data_changed ? 0 : in.data_at) + l.new_lines * l.entries * l.batches;
        in = now;
        chain.push_back(l);
    }
};

// The registers of a layer into the next groups, and arms them.
void Bench::program(const Layer &l) {
    for (unsigned unit : {Csc, CmacA, CmacB, Cacc})
        csb.write(unit, 4, chain.group(unit));
    const uint32_t junk = random.bits();
    auto csc = [&](unsigned offset, uint32_t value) { csb.write(Csc, offset, value); };
    csc(0x0c, uint32_t(l.data_reuse) << 16 | uint32_t(l.weight_reuse) << 20 | uint32_t(l.skip_data) << 24 |
                  uint32_t(l.skip_weight) << 28 | uint32_t(l.precision) << 12 | l.winograd);
    csc(0x10, l.image);
    csc(0x14, (l.h - 1) << 16 | (l.image ? junk & 0x1fff : l.w - 1));
    csc(0x18, l.image ? (l.ci == 1 ? junk & 1 : l.ci - 1) : junk);
    csc(0x1c, (l.image || l.winograd) ? junk : l.batches - 1);
    csc(0x20, l.n == 4 ? 2 : l.n - 1);
    csc(0x24, l.entries - 1);
    csc(0x28, l.compressed);
    csc(0x2c, (l.r - 1) << 16 | (l.image ? 0 : l.s - 1));
    csc(0x30, (l.k - 1) << 16 | (l.c - 1));
    csc(0x34, l.weight_bytes);
    csc(0x38, l.mask_bytes);
    csc(0x3c, (l.oh - 1) << 16 | (l.ow - 1));
    csc(0x40, l.k - 1);
    csc(0x44, l.image ? junk : l.ow * l.oh - 1);
    csc(0x48, l.rls - 1);
    csc(0x4c, l.winograd ? junk : (l.sy - 1) << 16 | (l.sx - 1));
    csc(0x50, l.image || l.winograd ? junk : (l.dy - 1) << 16 | (l.dx - 1));
    csc(0x54, l.winograd ? junk : l.pt << 16 | (l.image ? junk & 31 : l.pl));
    csc(0x58, l.pad);
    csc(0x5c, (l.weight_bank - 1) << 16 | (l.data_bank - 1));
    csc(0x60, l.pra);
    for (unsigned unit : {CmacA, CmacB, Cacc})
        csb.write(unit, 0x0c, uint32_t(l.precision) << 12 | l.winograd);
    csb.write(Cacc, CACC_D_CLIP_CFG, l.truncate);
    csb.write(Cacc, CACC_D_DATAOUT_SIZE_0, (l.oh - 1) << 16 | (l.ow - 1));
    csb.write(Cacc, CACC_D_DATAOUT_SIZE_1, l.k - 1);
    csb.write(Cacc, CACC_D_DATAOUT_ADDR, l.address << 5);
    csb.write(Cacc, CACC_D_BATCH_NUMBER, l.batches - 1);
    csb.write(Cacc, CACC_D_LINE_STRIDE, l.line_stride << 5);
    csb.write(Cacc, CACC_D_SURF_STRIDE, l.surf_stride << 5);
    std::array<unsigned, 4> order{Cacc, CmacA, CmacB, Csc};
    random.shuffle(order);
    for (unsigned unit : order) {
        csb.write(unit, 8, 1);
        chain.armed(unit);
        if (random.percent(10)) // a late unit: nothing may leave CSC before
            design.clocks(random.below(1500u));
    }
}

std::string describe(const Layer &l) {
    char text[500];
    snprintf(text, sizeof text,
             "%s %s %u batches %ux%ux%u ci %u n %u line %u | k %u r %u s %u stride %ux%u dil %ux%u pad %u,%u | out "
             "%ux%u | E "
             "%u banks %u+%u lines "
             "%zu rls %u%s%s%s%s | weights %u of %zu%s",
             l.winograd ? "winograd"
             : l.image  ? "image"
                        : "feature",
             l.precision == NVDLA_INT8    ? "int8"
             : l.precision == NVDLA_INT16 ? "int16"
                                          : "fp16",
             l.batches, l.w, l.h, l.c, l.ci, l.n, l.line_bytes, l.k, l.r, l.s, l.sx, l.sy, l.dx, l.dy, l.pl, l.pt, l.ow,
             l.oh, l.entries, l.data_bank, l.weight_bank, l.lines.size(), l.rls, l.data_reuse ? " data_reuse" : "",
             l.weight_reuse ? " weight_reuse" : "", l.skip_data ? " skip_data" : "",
             l.skip_weight ? " skip_weight" : "", l.weight_bytes, l.weights.size(), l.compressed ? " compressed" : "");
    return text;
}

// ---- arithmetic of CACC ----

void check_arithmetic() {
    checks.start("arithmetic of CACC");
    Random random(7);
    Vbench top;
    struct Vector {
        int64_t in, acc;
        unsigned t;
        int32_t out;
        bool sat;
    };
    const int64_t top_acc = (INT64_C(1) << 33) - 1;
    const unsigned sum_bits = 16 + unsigned(__builtin_ctz(unsigned(atomic_c)));
    const int64_t sum_top = (INT64_C(1) << (sum_bits - 1)) - 1;
    std::vector<Vector> known; // chapter 40 section 11.4: those of 34 bits with a sum that CMAC can send here
    for (vectors v = vectors_of("cacc", "integer"); vectors_next(&v);)
        if (v.number[0] == 34 && v.number[1] <= sum_top && v.number[1] >= -sum_top - 1)
            known.push_back({v.number[1], v.number[2], unsigned(v.number[3]), int32_t(v.number[4]), v.number[5] != 0});
    for (size_t i = 0; i < known.size() + 200000; i++) {
        Vector v;
        if (i < known.size())
            v = known[i];
        else {
            v.in = random.percent(30) ? int64_t(random.below(9u)) - 4 : int64_t(random.bits64()) >> (64 - sum_bits);
            v.acc = int64_t(random.bits64()) >> random.range(30, 62u);
            if (random.percent(20))
                v.acc = random.percent(50) ? top_acc - random.below(4u) : -top_acc - 1 + random.below(4u);
            v.t = random.below(32u);
            if (random.percent(30)) // exact halves and their neighbours
                v.acc = (v.acc >> v.t) * (INT64_C(1) << v.t) + (v.t ? INT64_C(1) << (v.t - 1) : 0) +
                        int64_t(random.below(3u)) - 1;
            v.acc = std::clamp<int64_t>(v.acc, -top_acc - 1, top_acc);
        }
        v.in = std::clamp<int64_t>(v.in, -sum_top - 1, sum_top);
        const int64_t acc = std::clamp<int64_t>(v.acc + v.in, -top_acc - 1, top_acc);
        bool sat;
        const int32_t out = deliver(acc, v.t, &sat);
        if (i < known.size() && (out != v.out || sat != v.sat))
            checks.fail("the bench's own formula on vector %zu", i);
        top.f_acc_i = uint64_t(v.acc) & 0x3ffffffff;
        top.f_sum_i = uint32_t(v.in);
        top.f_truncate_i = uint8_t(v.t);
        top.eval();
        if (top.f_acc_o != (uint64_t(acc) & 0x3ffffffff) || int32_t(top.f_deliver_o) != out ||
            top.f_saturates_o != sat) {
            checks.fail("acc %" PRId64 " + %" PRId64 ", truncate %u: %d sat %d, expected %d sat %d", v.acc, v.in, v.t,
                        int32_t(top.f_deliver_o), top.f_saturates_o, out, sat);
        }
    }
}

// ---- saturation counter ----

// Sums beyond 32 bits, where CBUF is large enough for them: 20 x 8192 products of -128 by -128. D_OUT_SATURATION counts
// the lanes of a layer; a layer of one row adds to what the layer before it counted (chapter 40 section 9.7).
void check_saturation() {
    if (banks * depth * entry_bytes < 400000)
        return;
    checks.start("saturation counter");
    Random random(3);
    Bench bench(random);
    std::vector<Layer> chain;
    Contents in;
    const unsigned columns[] = {1, 1, 2};
    for (unsigned i = 0; i < 3; i++) {
        Layer l{};
        l.batches = 1;
        l.w = l.s = 5;
        l.h = l.r = 4;
        l.c = 8192;
        l.ci = l.n = l.sx = l.sy = l.dx = l.dy = l.oh = 1;
        l.k = 1;
        l.ow = columns[i];
        l.pad = 0x80;
        l.entries = feature_entries(l.w, l.c);
        l.new_lines = l.rls = l.h;
        l.fetch_data = l.fetch_weight = true;
        l.data_bank = unsigned(ceil_div(size_t(l.entries) * l.h, depth));
        l.weight_bank = unsigned(banks) - l.data_bank;
        l.weight_bytes = l.r * l.s * l.c;
        l.lines.assign(l.h, std::vector<uint8_t>(size_t(l.w) * l.c, 0x80));
        l.weights.assign(l.weight_bytes, 0x80);
        in.lines.assign(l.lines.begin(), l.lines.end());
        in.weights.assign(l.weights.begin(), l.weights.end());
        compute(l, in);
        chain.push_back(l);
    }
    // The third layer goes to the group of the first, whose count is read before.
    bench.play({chain[0], chain[1]});
    checks.equal("count of the first layer", bench.read(Bench::Cacc, 0, CACC_D_OUT_SATURATION), 1);
    checks.equal("count of the second layer", bench.read(Bench::Cacc, 1, CACC_D_OUT_SATURATION), 1 + 1);
    bench.play({chain[2]}, true);
    checks.equal("count of the third layer", bench.read(Bench::Cacc, 0, CACC_D_OUT_SATURATION), 2);
}

// ---- throughput ----

// A layer that nothing stalls: clocks from the first to the last atom against the law. SDP takes everything; the
// bench's layer must not be bound by the output.
void check_speed(const char *name, unsigned w, unsigned h, unsigned c, unsigned ci, unsigned k, unsigned r, unsigned s,
                 unsigned n, nvdla_precision precision = NVDLA_INT8, unsigned batches = 1, bool winograd = false) {
    checks.start(std::string("speed, ") + name);
    Random random(1);
    Bench bench(random);
    Layer l{};
    l.image = ci != 0;
    l.winograd = winograd;
    l.precision = precision;
    l.batches = batches;
    l.ci = ci;
    l.k = k;
    l.r = r;
    l.sx = l.sy = l.dx = l.dy = 1;
    l.n = n;
    l.h = h;
    l.ow = w - s + 1;
    l.oh = h - r + 1;
    l.s = ci ? 1 : s;
    l.c = ci ? s * ci : c;
    l.w = w;
    l.line_bytes = w * ci * unsigned(l.bytes());
    l.entries = ci         ? unsigned(ceil_div(l.line_bytes, entry_bytes))
                : winograd ? w / 4 * unsigned(c * l.bytes() / 32)
                           : feature_entries(w, c * l.bytes());
    if (winograd) {
        l.r = l.s = 4;
        l.ow = w - 4;
        l.oh = h - 4;
    }
    l.new_lines = l.h;
    l.rls = l.h;
    l.fetch_data = l.fetch_weight = true;
    l.data_bank = unsigned(ceil_div(size_t(l.entries) * h * batches, depth));
    l.weight_bytes = unsigned(ceil_div(stream_of(l), entry_bytes) * entry_bytes);
    l.weight_bank = unsigned(banks) - l.data_bank;
    Contents in;
    for (unsigned y = 0; y < h; y++) {
        l.lines.emplace_back();
        for (size_t b = 0; b < l.line_size(); b++)
            l.lines.back().push_back(random_byte(random, l, b));
        in.lines.push_back(l.lines.back());
    }
    for (unsigned i = 0; i < l.weight_bytes; i++)
        l.weights.push_back(random_byte(random, l, i));
    in.weights.assign(l.weights.begin(), l.weights.end());
    compute(l, in);
    bench.play({l});
    // N positions of a line take N clocks, also when fewer are left.
    const uint64_t law = l.law * (ceil_div(l.ow, n) * n) / l.ow;
    if (!checks.failing())
        checks.at_most("clocks from first to last atom", bench.cdma.last_atom - bench.cdma.first_atom + 1,
                       law + law / 30 + 8);
}

} // namespace

void directed_cases() {
    if (lane_bytes == 1)
        check_arithmetic();
    check_saturation();
    // Enough operations per position that SDP does not bound the layer.
    const unsigned ac = unsigned(atomic_c), ak = unsigned(atomic_k);
    check_speed("3x3, 4 blocks", 10, 10, 4 * ac, 0, 2 * ak, 3, 3, 1);
    check_speed("3x3, partial block", 9, 12, 3 * ac + ac / 2, 0, 2 * ak, 3, 3, 1);
    check_speed("fully connected", 1, 1, 128 * ac, 0, ak, 1, 1, 1);
    check_speed("fully connected, one kernel", 2, 1, 128 * ac, 0, 1, 1, 1, 1);
    check_speed("image, 3 channels", 30, 30, 0, 3, ak, 11, 11, 1);
    check_speed("image, 2 lines", ac / 2 + 26, 40, 0, 1, ak, 27, ac / 2, 2);
    check_speed("image, 4 lines", ac / 4 + 22, 60, 0, 1, ak, 31, ac / 4, 4);
    if (lane_bytes == 1)
        return;
    for (const nvdla_precision precision : {NVDLA_INT16, NVDLA_FP16}) {
        const std::string name = precision == NVDLA_INT16 ? "INT16, " : "FP16, ";
        check_speed((name + "3x3").c_str(), 10, 10, 2 * ac, 0, ak, 3, 3, 1, precision);
        check_speed((name + "fully connected").c_str(), 1, 1, 64 * ac, 0, ak / 2, 1, 1, 1, precision);
        check_speed((name + "image, 3 channels").c_str(), 30, 20, 0, 3, ak / 2, 5, 11, 1, precision);
        check_speed((name + "image, 4 lines").c_str(), ac / 4 + 22, 40, 0, 1, ak / 2, 16, ac / 4, 4, precision);
    }
    check_speed("3x3, 3 batches", 10, 10, ac, 0, 2 * ak, 3, 3, 1, NVDLA_INT8, 3);
    check_speed("fully connected, 32 batches", 1, 1, 32 * ac, 0, ak / 2, 1, 1, 1, NVDLA_INT16, 32);
    for (const nvdla_precision precision : {NVDLA_INT8, NVDLA_INT16, NVDLA_FP16})
        check_speed((std::string("Winograd, ") + (precision == NVDLA_INT8    ? "INT8"
                                                  : precision == NVDLA_INT16 ? "INT16"
                                                                             : "FP16"))
                        .c_str(),
                    20, 16, 2 * ac, 0, ak, 4, 4, 1, precision, 1, true);
}

void random_case(uint64_t seed) {
    Random random(seed);
    const std::vector<Layer> chain = ChainDraw(random).draw();
    for (const Layer &l : chain)
        checks.detail(describe(l));
    Bench bench(random);
    bench.sdp.percent = 100 - (random.percent(40) ? 0 : random.percent(50) ? random.below(60) : 60 + random.below(38));
    bench.cdma.idle_percent = random.percent(50) ? 0 : random.below(90);
    bench.csb.percent = random.percent(70) ? 100 : random.range(10, 100);
    bench.play(chain);
}
