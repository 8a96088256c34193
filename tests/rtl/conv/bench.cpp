// The convolution core alone: CSC, CMAC_A, CMAC_B, CACC and CBUF behind a stand-in of CDMA, with random chains of
// layers, random pace of CDMA and random back-pressure of SDP. Results against the sums of chapter 40 section 3.
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

const uint64_t usual_seeds = 200;

namespace {

const size_t atomic_c = size_t(config->atomic_c), atomic_k = size_t(config->atomic_k),
             mem_atom = size_t(config->mem_atom), slots = atomic_c / mem_atom,
             lanes = size_t(config->sdp_bs_throughput), depth = size_t(config->cbuf_bank_depth),
             banks = size_t(config->cbuf_banks);

size_t ceil_div(size_t a, size_t b) {
    return (a + b - 1) / b;
}

// One layer as the registers describe it.
struct Layer {
    bool image;
    unsigned w, h, c;    // feature input; image: w unused, c = S * Ci
    unsigned ci;         // image: channels of a pixel
    unsigned line_bytes; // image: bytes of a padded line
    unsigned k, r, s, sx, sy, dx, dy, pl, pt, ow, oh, n;
    uint8_t pad;
    unsigned entries; // per line
    unsigned new_lines, rls;
    bool data_reuse, weight_reuse, skip_data, skip_weight;
    bool fetch_data, fetch_weight;
    unsigned data_bank, weight_bank; // true values
    unsigned weight_bytes;
    unsigned truncate;
    bool compressed;
    unsigned mask_bytes;                     // WMB_BYTES
    std::vector<std::vector<uint8_t>> lines; // fetched: feature h lines of w * c, image line_bytes
    std::vector<uint8_t> weights;            // fetched: WEIGHT_BYTES of the stream
    std::vector<uint8_t> masks;              // fetched: WMB_BYTES of mask bits
    std::vector<size_t> group_end;           // compressed: bytes of the stream up to the end of each kernel group
    std::vector<uint32_t> expected;          // CACC's stream
    unsigned law;                            // section 10: clocks from the first to the last atom
};

unsigned feature_entries(unsigned w, unsigned c) {
    const size_t a = ceil_div(c, mem_atom), full = a / slots, rest = a % slots;
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
void feature_place(unsigned w, unsigned c, unsigned x, unsigned a, size_t *entry, size_t *slot) {
    const size_t total = ceil_div(c, mem_atom), g = a / slots, q = a % slots, rest = total % slots;
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

std::vector<unsigned> stripes_of(unsigned p) {
    std::vector<unsigned> result;
    const unsigned max = unsigned(2 * atomic_k), min = unsigned(atomic_k);
    while (p) {
        const unsigned take = p <= max ? p : p >= max + min ? max : min;
        result.push_back(take);
        p -= take;
    }
    return result;
}

// Kernels of group g.
unsigned group_kernels(const Layer &l, unsigned g) {
    return std::min<unsigned>(unsigned(atomic_k), l.k - g * unsigned(atomic_k));
}

// Weight of kernel ki of group g, by the addresses of chapter 20 section 5.
int weight_of(const Layer &l, const Contents &in, unsigned g, unsigned ki, unsigned r, unsigned s, unsigned c) {
    const unsigned kg = group_kernels(l, g);
    const size_t group = size_t(g) * atomic_k * l.r * l.s * l.c;
    const size_t cb = c / atomic_c, cc = std::min<size_t>(atomic_c, l.c - cb * atomic_c);
    size_t at;
    if (l.image && l.n > 1) {
        const unsigned q = r / l.n, eq = std::min(l.n, l.r - q * l.n);
        at = size_t(q) * l.n * kg * l.c + (size_t(ki) * eq + r % l.n) * l.c + c;
    } else if (l.image) {
        at = size_t(kg) * l.r * atomic_c * cb + (size_t(r) * kg + ki) * cc + c % atomic_c;
    } else {
        at = size_t(kg) * l.r * l.s * atomic_c * cb + ((size_t(r) * l.s + s) * kg + ki) * cc + c % atomic_c;
    }
    return int8_t(in.weights[group + at]);
}

// The input element that this weight meets for the output at x, y.
int data_of(const Layer &l, const Contents &in, unsigned x, unsigned y, unsigned r, unsigned s, unsigned c) {
    const int iy = int(y * l.sy + r * l.dy) - int(l.pt), ix = int(x * l.sx + s * l.dx) - int(l.pl);
    if (iy < 0 || unsigned(iy) >= l.h)
        return int8_t(l.pad);
    const std::vector<uint8_t> &line = in.lines[size_t(iy)];
    if (l.image)
        return int8_t(line[size_t(x) * l.sx * l.ci + c]);
    return ix >= 0 && unsigned(ix) < l.w ? int8_t(line[size_t(ix) * l.c + c]) : int8_t(l.pad);
}

// The direct sum of chapter 40 section 3.
int64_t sum_of(const Layer &l, const Contents &in, unsigned g, unsigned ki, unsigned x, unsigned y) {
    int64_t acc = 0;
    for (unsigned r = 0; r < l.r; r++)
        for (unsigned s = 0; s < l.s; s++)
            for (unsigned c = 0; c < l.c; c++)
                acc += weight_of(l, in, g, ki, r, s, c) * data_of(l, in, x, y, r, s, c);
    return acc;
}

// What the layer must deliver, and how long it may take.
void compute(Layer &l, const Contents &in) {
    const unsigned groups = unsigned(ceil_div(l.k, atomic_k));
    l.expected.clear();
    for (unsigned g = 0; g < groups; g++)
        for (unsigned p = 0; p < l.ow * l.oh; p++)
            for (unsigned ki = 0; ki < atomic_k; ki++) {
                bool sat;
                const int64_t acc = ki < group_kernels(l, g) ? sum_of(l, in, g, ki, p % l.ow, p / l.ow) : 0;
                l.expected.push_back(uint32_t(deliver(acc, l.truncate, &sat)));
            }
    // Section 10, with the weights of the next operation hidden behind the atoms of this one and no minimum length.
    std::vector<unsigned> length, cells;
    for (unsigned g = 0; g < groups; g++) {
        const unsigned kg = group_kernels(l, g);
        for (unsigned stripe : stripes_of(l.ow * l.oh))
            for (size_t op = 0; op < ceil_div(l.c, atomic_c) * ceil_div(l.r, l.n) * l.s; op++) {
                length.push_back(stripe);
                cells.push_back(kg);
            }
    }
    l.law = length.back();
    for (size_t i = 0; i + 1 < length.size(); i++)
        l.law += std::max(length[i], cells[i + 1]);
}

// Elements of the layer's kernels, in stream order.
size_t elements_of(const Layer &l) {
    return size_t(l.k) * l.r * l.s * l.c;
}

// Elements that the layer gives back when it ends or is dropped.
size_t taken_by(const Layer &l, bool dropped) {
    if (l.compressed)
        return elements_of(l);
    return dropped ? l.weight_bytes : ceil_div(elements_of(l), atomic_c) * atomic_c;
}

// Draws the weights of a compressed layer: mask bits and the elements that are present, zeros among them. Returns all
// elements (chapter 20 section 6).
std::vector<uint8_t> compress(Random &random, Layer &l) {
    const size_t count = elements_of(l), group = atomic_k * l.r * l.s * l.c;
    const int present = random.percent(20) ? 0 : random.percent(20) ? 100 : random.range(1, 99);
    std::vector<uint8_t> all(count);
    l.masks.assign(ceil_div(count, 8 * atomic_c) * atomic_c, 0);
    for (size_t i = 0; i < count; i++) {
        if (random.percent(present)) {
            all[i] = random.percent(5) ? 0 : random.byte();
            l.masks[i / 8] |= uint8_t(1u << i % 8);
            l.weights.push_back(all[i]);
        }
        if (i % group == group - 1 || i == count - 1)
            l.group_end.push_back(l.weights.size());
    }
    l.weights.resize(ceil_div(l.weights.size(), atomic_c) * atomic_c);
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
        // CBUF holds garbage: nothing may depend on what was not written.
        for (size_t e = 0; e < banks * depth; e++)
            for (size_t s = 0; s < slots; s++) {
                dat = {true, e, s, garbage()};
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
        if (unit == 0 && data_valid + long(l.entries) > long(ring))
            return;
        const size_t per_line = l.image ? ceil_div(l.line_bytes, mem_atom) : size_t(l.w) * ceil_div(l.c, mem_atom);
        size_t entry, slot;
        std::vector<uint8_t> bytes = garbage();
        if (l.image) {
            entry = unit / slots;
            slot = unit % slots;
            for (size_t i = 0; i < mem_atom; i++)
                if (unit * mem_atom + i < l.line_bytes)
                    bytes[i] = l.lines[line][unit * mem_atom + i];
        } else {
            const unsigned x = unsigned(unit % l.w), a = unsigned(unit / l.w);
            feature_place(l.w, l.c, x, a, &entry, &slot);
            for (size_t i = 0; i < mem_atom; i++)
                if (a * mem_atom + i < l.c)
                    bytes[i] = l.lines[line][size_t(x) * l.c + a * mem_atom + i];
        }
        dat = {true, (data_ptr + entry) % ring, slot, bytes};
        if (++unit == per_line) {
            unit = 0;
            line++;
            data_ptr = (data_ptr + l.entries) % ring;
            data_valid += l.entries;
            dat_up = {true, l.entries, 1};
        }
    }

    // One atom of weights or masks, or the report of a group.
    void fetch_weights(const Layer &l) {
        const size_t weight_ring = l.weight_bank * depth, groups = ceil_div(l.k, atomic_k);
        if (groups_told == groups) {
            wt_state = Done;
        } else if (group_complete(l, groups)) {
            const size_t kernels = groups_told + 1 == groups ? (l.k - 1) % atomic_k + 1 : atomic_k;
            const size_t now = weight_at / atomic_c - entries_told;
            wt_up = {true, unsigned(now), unsigned(kernels)};
            entries_told += now;
            groups_told++;
        } else if (mask_at < l.mask_bytes && (weight_at == l.weight_bytes || random.percent(30))) {
            write_mask(l);
        } else if (weight_at < l.weight_bytes && (weight_at % atomic_c || weight_valid < long(weight_ring))) {
            write_weight(l, weight_ring);
        }
    }
    // A group counts when the last entries of its bytes and of its mask bits are complete.
    bool group_complete(const Layer &l, size_t groups) const {
        const bool last = groups_told + 1 >= groups;
        const size_t end = (groups_told + 1) * atomic_k * l.r * l.s * l.c;
        const size_t bytes_end = l.compressed && !last ? l.group_end[groups_told] : end;
        const size_t whole = ceil_div(bytes_end, atomic_c) * atomic_c;
        const size_t masks_whole = ceil_div(end, 8 * atomic_c) * atomic_c;
        const size_t need = last ? l.weight_bytes : std::min<size_t>(whole, l.weight_bytes);
        const size_t need_masks = last ? l.mask_bytes : std::min<size_t>(masks_whole, l.mask_bytes);
        return weight_at >= need && (!l.compressed || mask_at >= need_masks);
    }
    void write_mask(const Layer &l) { // all of a layer's masks fit
        if (mask_at % atomic_c == 0)
            mask_valid++;
        wt = {true,
              (banks - 1) * depth + (mask_ptr + mask_at / atomic_c) % depth,
              mask_at % atomic_c / mem_atom,
              {l.masks.begin() + long(mask_at), l.masks.begin() + long(mask_at + mem_atom)}};
        mask_at += mem_atom;
        if (mask_at == l.mask_bytes)
            mask_ptr = (mask_ptr + l.mask_bytes / atomic_c) % depth;
    }
    void write_weight(const Layer &l, size_t weight_ring) {
        if (weight_at % atomic_c == 0)
            weight_valid++;
        wt = {true,
              l.data_bank * depth + (weight_ptr + weight_at / atomic_c) % weight_ring,
              weight_at % atomic_c / mem_atom,
              {l.weights.begin() + long(weight_at), l.weights.begin() + long(weight_at + mem_atom)}};
        weight_at += mem_atom;
        if (weight_at == l.weight_bytes) // positions in this layer are relative to the old pointer, and no more follow
            weight_ptr = (weight_ptr + l.weight_bytes / atomic_c) % weight_ring;
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

class Bench {
  public:
    enum { Csc, CmacA, CmacB, Cacc };
    Random &random;
    Design design;
    StreamSink sdp;
    Interrupts done;
    Cdma cdma;
    Csb csb;
    Chain chain;

    explicit Bench(Random &r)
        : random(r), sdp(design, STREAM_OUT(design.top, cacc), "stream to SDP", lanes * 4, r.bits64()),
          done(design, design.top.done_intr_o), cdma(design, r.bits64()),
          csb(design,
              {{NVDLA_CSC, &design.top.csb_sel_i, 1, &design.top.csb_rdata_o},
               {NVDLA_CMAC_A, &design.top.csb_sel_i, 2, &design.top.csb_rdata_o},
               {NVDLA_CMAC_B, &design.top.csb_sel_i, 4, &design.top.csb_rdata_o},
               {NVDLA_CACC, &design.top.csb_sel_i, 8, &design.top.csb_rdata_o}},
              r.bits64()),
          chain(design, csb, done, 2000000) {
        done.seen = [this](int) { results_before.push_back(sdp.taken.size() / 4); };
    }

    // Plays a chain of layers; the groups go on from the chain before. keep_banks: its first layer has the banks of the
    // last one before.
    void play(const std::vector<Layer> &layers, bool keep_banks = false) {
        sdp.taken.clear();
        results_before.clear();
        const size_t before = done.count();
        const unsigned gap = random.percent(70) ? 0 : 200;
        cdma.begin(layers, keep_banks);
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
        if (done.count() != before + layers.size())
            checks.fail("%zu interrupts, expected %zu", done.count() - before, layers.size());
    }
};

// ---- chains of layers ----

unsigned small_or(Random &random, unsigned high) {
    return random.percent(60) ? random.range(1, std::min(high, 4u)) : random.range(1, high);
}

uint64_t macs(const Layer &l) {
    return uint64_t(l.ow) * l.oh * l.k * l.r * l.s * l.c;
}

bool random_shape(Random &random, Layer &l, bool same_data, const Layer *last) {
    if (!same_data) {
        l.image = random.percent(35);
        l.ci = std::array<unsigned, 3>{1, 3, 4}[random.below(3u)];
        l.w = small_or(random, 24);
        l.c = random.percent(50) ? random.range(1, unsigned(2 * atomic_c))
                                 : random.range(1, unsigned(3 * mem_atom + atomic_c));
    } else {
        l.image = last->image;
        l.ci = last->ci;
        l.w = last->w;
        l.c = last->c;
        l.line_bytes = last->line_bytes;
        l.entries = last->entries;
    }
    l.h = small_or(random, 20);
    l.k = random.percent(50) ? random.range(1, unsigned(atomic_k + 1)) : random.range(1, unsigned(3 * atomic_k));
    l.r = small_or(random, 6);
    l.s = small_or(random, 6);
    l.sx = small_or(random, 8);
    l.sy = small_or(random, 8);
    l.dx = l.dy = 1;
    l.n = 1;
    l.pt = random.percent(50) ? random.below(l.r) : random.percent(10) ? random.below(32u) : 0;
    l.pl = 0;
    l.pad = random.byte();
    l.truncate = random.percent(30) ? random.below(32u) : random.below(4u);
    return true;
}

// Completes a layer whose input height is known; false if it does not fit.
bool complete(Random &random, Layer &l, bool same_data) {
    if (l.image) {
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
            l.ow = (l.line_bytes / l.ci >= l.s) ? (l.line_bytes / l.ci - l.s) / l.sx + 1 : 0;
        else {
            l.ow = small_or(random, 20);
            l.line_bytes = ((l.ow - 1) * l.sx + l.s) * l.ci + random.below(6u) * l.ci;
            l.entries = unsigned(ceil_div(l.line_bytes, atomic_c)) + (random.percent(20) ? random.below(3u) : 0);
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
            l.entries = feature_entries(l.w, l.c) + (random.percent(10) ? random.below(4u) : 0);
    }
    return macs(l) <= 400000;
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
    Contents in; // CBUF behind the last layer
    // The layer that is being drawn.
    Layer l;
    const Layer *last;                                         // the one before, nullptr: none
    bool same_data, data_changed, changed, mode_changed, kept; // kept: lines of the layer before stay
    unsigned surplus;                                          // entries of weights that nobody uses
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
        mode_changed = last && last->image != l.image;
    }
    void draw_lines() {
        kept = l.data_reuse && !data_changed && !mode_changed;
        if (!kept) {
            l.new_lines = l.h;
        } else if (l.fetch_data) {
            l.new_lines = random.range(1, 6u);
            l.h = in.left + l.new_lines;
        } else {
            l.new_lines = 0;
            l.h = random.percent(30) ? random.range(1, in.left) : in.left;
        }
    }
    // Slices larger than their data are legal. They take the ring round, some so that a line lies across its end.
    void enlarge_slices() {
        const unsigned ring = unsigned(l.data_bank * depth), room = ring / l.h,
                       from = data_changed ? 0 : in.data_at % ring;
        if ((kept && same_data) || random.percent(60) || room <= l.entries)
            return;
        const unsigned line = random.range(1, std::max(1u, l.h - 1)), across = random.below(l.entries);
        const unsigned aimed = ring > from + across ? (ring - from - across) / line : 0;
        l.entries = (random.percent(90) && aimed >= l.entries && aimed <= room) ? aimed : random.range(l.entries, room);
    }
    // Surplus weights, some a whole ring of them; compressed ones are drawn here.
    void draw_weight_bytes() {
        const unsigned ring = unsigned(l.weight_bank * depth);
        surplus = random.percent(30) ? random.below(random.percent(50) && ring <= 1536 ? ring : 20) : 0;
        l.weight_bytes = !l.fetch_weight ? last->weight_bytes : rounded() + surplus * unsigned(atomic_c);
        l.mask_bytes = !l.fetch_weight ? last->mask_bytes : 0;
        fetched.clear();
        if (l.fetch_weight && l.compressed)
            fetched = compress(random, l);
    }
    unsigned rounded() const { // bytes of the weights that are used, whole entries
        return unsigned(ceil_div(elements_of(l), atomic_c) * atomic_c);
    }

    // What stays in CBUF when the layer begins; false if the layer could not make use of it.
    bool enters() {
        now = in;
        if (data_changed) {
            now.lines.clear();
            now.data = 0;
        } else if (!kept) {
            now.lines.erase(now.lines.begin(), now.lines.begin() + long(in.left));
            now.data -= long(in.left) * last->entries;
        }
        if (changed) {
            now.weights.clear();
            now.weight = now.mask = 0;
        } else if (last->skip_weight && !l.weight_reuse) {
            now.weights.erase(now.weights.begin(), now.weights.begin() + long(taken_by(*last, true)));
            now.weight -= last->weight_bytes / atomic_c;
            now.mask -= last->mask_bytes / atomic_c;
        }
        if (l.compressed && !l.fetch_weight && elements_of(l) != elements_of(*last))
            return false;
        // Compressed weights stand behind no surplus: it would be read as their first bytes.
        if (l.compressed && l.fetch_weight && !now.weights.empty())
            return false;
        // Lines that nobody will release: another geometry would read across them.
        return data_changed || kept || now.lines.empty();
    }
    // Is there room for what it fetches?
    bool fits() {
        now.data += long(l.new_lines) * l.entries;
        const long before = now.weight;
        if (l.fetch_weight) {
            now.weight += l.weight_bytes / atomic_c;
            now.mask += l.mask_bytes / atomic_c;
        }
        // All weights fit, so that no group waits for ever; some chains need the release of earlier groups.
        const size_t ring = l.weight_bank * depth, group = std::min<size_t>(l.k, atomic_k) * l.r * l.s * l.c;
        const bool tight =
            !l.compressed && !l.skip_weight && !surplus && l.fetch_weight && before == 0 && random.percent(50);
        return now.data <= long(l.data_bank * depth) && now.mask <= long(depth) &&
               (tight ? 2 * (group / atomic_c + 2) <= ring : now.weight <= long(ring));
    }
    // Random contents, and what the layer makes of them; it joins the chain.
    void append() {
        for (unsigned i = 0; i < l.new_lines; i++) {
            l.lines.emplace_back(l.image ? l.line_bytes : size_t(l.w) * l.c);
            for (uint8_t &b : l.lines.back())
                b = random.byte();
            now.lines.push_back(l.lines.back());
        }
        if (l.fetch_weight && !l.compressed) {
            for (unsigned i = 0; i < l.weight_bytes; i++)
                l.weights.push_back(random.byte());
            fetched = l.weights;
        }
        now.weights.insert(now.weights.end(), fetched.begin(), fetched.end());
        if (now.weights.size() < elements_of(l) || now.lines.size() < l.h)
            return;
        compute(l, now);
        if (!l.skip_data) {
            now.lines.erase(now.lines.begin(), now.lines.begin() + long(l.rls));
            now.data -= long(l.rls) * l.entries;
        }
        now.left = l.skip_data ? l.h : l.h - l.rls;
        if (!l.skip_weight) {
            now.weights.erase(now.weights.begin(), now.weights.begin() + long(taken_by(l, false)));
            now.weight -= (l.compressed ? l.weight_bytes : rounded()) / atomic_c;
            now.mask -= l.mask_bytes / atomic_c;
        }
        now.data_at = (data_changed ? 0 : in.data_at) + l.new_lines * l.entries;
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
                  uint32_t(l.skip_weight) << 28);
    csc(0x10, l.image);
    csc(0x14, (l.h - 1) << 16 | (l.image ? junk & 0x1fff : l.w - 1));
    csc(0x18, l.image ? (l.ci == 1 ? junk & 1 : l.ci - 1) : junk);
    csc(0x1c, 0);
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
    csc(0x4c, (l.sy - 1) << 16 | (l.sx - 1));
    csc(0x50, l.image ? junk : (l.dy - 1) << 16 | (l.dx - 1));
    csc(0x54, l.pt << 16 | (l.image ? junk & 31 : l.pl));
    csc(0x58, (junk & 0xff00) | l.pad);
    csc(0x5c, (l.weight_bank - 1) << 16 | (l.data_bank - 1));
    csb.write(Cacc, CACC_D_CLIP_CFG, l.truncate);
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
             "%s %ux%ux%u ci %u n %u line %u | k %u r %u s %u stride %ux%u dil %ux%u pad %u,%u | out %ux%u | E "
             "%u banks %u+%u lines "
             "%zu rls %u%s%s%s%s | weights %u of %zu%s",
             l.image ? "image" : "feature", l.w, l.h, l.c, l.ci, l.n, l.line_bytes, l.k, l.r, l.s, l.sx, l.sy, l.dx,
             l.dy, l.pl, l.pt, l.ow, l.oh, l.entries, l.data_bank, l.weight_bank, l.lines.size(), l.rls,
             l.data_reuse ? " data_reuse" : "", l.weight_reuse ? " weight_reuse" : "", l.skip_data ? " skip_data" : "",
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
    const Vector vectors[] = {
        {5, 0, 1, 3, false},
        {-5, 0, 1, -3, false},
        {3, 0, 1, 2, false},
        {-3, 0, 1, -2, false},
        {2, 0, 2, 1, false},
        {-2, 0, 2, -1, false},
        {-6, 0, 2, -2, false},
        {-7, 0, 2, -2, false},
        {1000, 2147482647, 0, 2147483647, false},
        {1001, 2147482647, 0, 2147483647, true},
        {0, -2147483648, 0, INT32_MIN, false},
        {-1, -2147483648, 0, INT32_MIN, true},
        {0, -4294967297, 1, INT32_MIN, true},
        {0, 4294967294, 1, 2147483647, false},
        {3, -8388610, 24, -1, false},
        {131071, -8589934590, 18, -32768, false},
        {0, 8589934591, 31, 4, false},
        {0, -8589934592, 31, -4, false},
    };
    const int64_t top_acc = (INT64_C(1) << 33) - 1;
    const unsigned sum_bits = 16 + unsigned(__builtin_ctz(unsigned(atomic_c)));
    const int64_t sum_top = (INT64_C(1) << (sum_bits - 1)) - 1;
    const unsigned known = sizeof vectors / sizeof *vectors;
    for (unsigned i = 0; i < known + 200000; i++) {
        Vector v;
        if (i < known)
            v = vectors[i];
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
        if (i < known && (out != v.out || sat != v.sat))
            checks.fail("the bench's own formula on vector %u", i);
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
    if (banks * depth * atomic_c < 400000)
        return;
    checks.start("saturation counter");
    Random random(3);
    Bench bench(random);
    std::vector<Layer> chain;
    Contents in;
    const unsigned columns[] = {1, 1, 2};
    for (unsigned i = 0; i < 3; i++) {
        Layer l{};
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
                 unsigned n) {
    checks.start(std::string("speed, ") + name);
    Random random(1);
    Bench bench(random);
    Layer l{};
    l.image = ci != 0;
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
    l.line_bytes = w * ci;
    l.entries = ci ? unsigned(ceil_div(l.line_bytes, atomic_c)) : feature_entries(w, c);
    l.new_lines = l.h;
    l.rls = l.h;
    l.fetch_data = l.fetch_weight = true;
    l.data_bank = unsigned(ceil_div(size_t(l.entries) * h, depth));
    l.weight_bytes = unsigned(ceil_div(size_t(l.k) * l.r * l.s * l.c, atomic_c) * atomic_c);
    l.weight_bank = unsigned(banks) - l.data_bank;
    Contents in;
    for (unsigned y = 0; y < h; y++) {
        l.lines.emplace_back();
        for (size_t b = 0; b < (ci ? l.line_bytes : size_t(w) * c); b++)
            l.lines.back().push_back(random.byte());
        in.lines.push_back(l.lines.back());
    }
    for (unsigned i = 0; i < l.weight_bytes; i++)
        l.weights.push_back(random.byte());
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
