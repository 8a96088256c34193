// Bench of the convolution core alone: CSC, CMAC_A, CMAC_B, CACC and CBUF behind a stand-in of CDMA, with random chains
// of layers, random pace of CDMA and random back-pressure of SDP. Results against the sums of chapter 40 section 3.
//
// usage: conv_bench CONFIG SEEDS [FIRST]     plays seeds FIRST .. FIRST + SEEDS - 1 (default 1 ..)
//
// A seed is a chain of one to five layers in alternating register groups, armed as their groups become free: feature or
// image input, reuse, skipped and partial release, changed banks, surplus weights, compressed weights where the
// configuration has them. The stand-in fills CBUF by the
// placement formulas of chapter 30 section 5 through its write ports, with garbage where a formula puts nothing, and
// keeps CDMA's counters, so that a release of too much or too little shows. Prints the vectors of chapter 40
// section 11.4 and random ones for the arithmetic of CACC first, then one line per seed that fails, the throughput law
// of section 10 on some layers, and "N passed, N failed". Exit status 0 if nothing failed.
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
#include "nvdla/config.h"
}

namespace {

constexpr unsigned kNobody = 4; // unit of a register access that is a clock of waiting

const nvdla_config *config;
size_t atomic_c, atomic_k, mem_atom, slots, lanes, depth, banks;
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
    unsigned below(unsigned n) {
        return n ? unsigned(engine() % n) : 0;
    }
    unsigned range(unsigned low, unsigned high) {
        return low + below(high - low + 1);
    }
    bool chance(unsigned percent) {
        return below(100) < percent;
    }
    uint8_t byte() {
        return chance(10) ? (chance(50) ? 0x80 : 0x7f) : uint8_t(engine());
    }
};

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

// What is in CBUF from CSC's point of view, oldest first.
struct Contents {
    std::deque<std::vector<uint8_t>> lines;
    std::deque<uint8_t> weights;
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

// The direct sum of chapter 40 section 3 with the weight addresses of chapter 20 section 5.
void compute(Layer &l, const Contents &in) {
    const unsigned groups = unsigned(ceil_div(l.k, atomic_k));
    l.expected.clear();
    for (unsigned g = 0; g < groups; g++) {
        const unsigned kg = std::min<unsigned>(unsigned(atomic_k), l.k - g * unsigned(atomic_k));
        for (unsigned p = 0; p < l.ow * l.oh; p++) {
            const unsigned x = p % l.ow, y = p / l.ow;
            for (unsigned ki = 0; ki < atomic_k; ki++) {
                int64_t acc = 0;
                if (ki < kg)
                    for (unsigned r = 0; r < l.r; r++)
                        for (unsigned s = 0; s < l.s; s++)
                            for (unsigned c = 0; c < l.c; c++) {
                                const int iy = int(y * l.sy + r * l.dy) - int(l.pt);
                                const int ix = int(x * l.sx + s * l.dx) - int(l.pl);
                                const size_t group = size_t(g) * atomic_k * l.r * l.s * l.c;
                                size_t at;
                                int8_t d = int8_t(l.pad);
                                if (l.image) {
                                    const unsigned q = r / l.n, eq = std::min(l.n, l.r - q * l.n);
                                    if (l.n > 1)
                                        at = size_t(q) * l.n * kg * l.c + (size_t(ki) * eq + r % l.n) * l.c + c;
                                    else {
                                        const size_t cb = c / atomic_c,
                                                     cc = std::min<size_t>(atomic_c, l.c - cb * atomic_c);
                                        at = size_t(kg) * l.r * atomic_c * cb + (size_t(r) * kg + ki) * cc +
                                             c % atomic_c;
                                    }
                                    if (iy >= 0 && unsigned(iy) < l.h)
                                        d = int8_t(in.lines[size_t(iy)][size_t(x) * l.sx * l.ci + c]);
                                } else {
                                    const size_t cb = c / atomic_c,
                                                 cc = std::min<size_t>(atomic_c, l.c - cb * atomic_c);
                                    at = size_t(kg) * l.r * l.s * atomic_c * cb +
                                         ((size_t(r) * l.s + s) * kg + ki) * cc + c % atomic_c;
                                    if (iy >= 0 && unsigned(iy) < l.h && ix >= 0 && unsigned(ix) < l.w)
                                        d = int8_t(in.lines[size_t(iy)][size_t(ix) * l.c + c]);
                                }
                                acc += int(int8_t(in.weights[group + at])) * int(d);
                            }
                bool sat;
                l.expected.push_back(uint32_t(deliver(acc, l.truncate, &sat)));
            }
        }
    }
    // Section 10, with the weights of the next operation hidden behind the atoms of this one and no minimum length.
    std::vector<unsigned> length, cells;
    for (unsigned g = 0; g < groups; g++) {
        const unsigned kg = std::min<unsigned>(unsigned(atomic_k), l.k - g * unsigned(atomic_k));
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
    const unsigned present = random.chance(20) ? 0 : random.chance(20) ? 100 : random.range(1, 99);
    std::vector<uint8_t> all(count);
    l.masks.assign(ceil_div(count, 8 * atomic_c) * atomic_c, 0);
    for (size_t i = 0; i < count; i++) {
        if (random.chance(present)) {
            all[i] = random.chance(5) ? 0 : random.byte();
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

// ---- device
// ---------------------------------------------------------------------------------------------------------------------

struct Bench {
    VerilatedContext context;
    std::unique_ptr<Vbench> top{new Vbench(&context)};
    Random &random;
    unsigned stall = 0; // percent of clocks in which SDP does not take
    unsigned wait = 0;  // percent of clocks in which CDMA does nothing
    uint64_t clock = 0;
    std::vector<uint32_t> out;
    std::vector<unsigned> interrupts;
    std::vector<size_t> interrupts_at; // results taken before the pulse
    uint64_t first_atom = 0, last_atom = 0;
    bool keep_banks = false; // the next chain continues with the banks of the last one
    // CDMA's counters.
    long data_valid = 0, weight_valid = 0, mask_valid = 0;
    size_t data_ptr = 0, weight_ptr = 0, mask_ptr = 0;
    struct Write {
        bool valid = false;
        size_t entry, slot;
        std::vector<uint8_t> bytes;
    } dat, wt;
    struct Update {
        bool valid = false;
        unsigned a, b;
    } dat_up, wt_up;

    explicit Bench(Random &r) : random(r) {
        top->rst_ni = 0;
        top->csb_sel_i = 0;
        top->cacc_ready_i = 0;
        for (int i = 0; i < 4; i++)
            step();
        top->rst_ni = 1;
        // CBUF holds garbage: nothing may depend on what was not written.
        for (size_t e = 0; e < banks * depth; e++)
            for (size_t s = 0; s < slots; s++) {
                dat = {true, e, s, {}};
                for (size_t i = 0; i < mem_atom; i++)
                    dat.bytes.push_back(random.byte());
                step();
            }
        clock = 0;
    }

    template <typename T> void drive(T &port, const std::vector<uint8_t> &bytes) {
        memcpy(&port, bytes.data(), std::min(sizeof(T), bytes.size()));
    }

    void step() {
        top->dat_wr_valid_i = dat.valid;
        if (dat.valid) {
            top->dat_wr_addr_i = uint16_t(dat.entry);
            top->dat_wr_slot_i = uint8_t(dat.slot);
            drive(top->dat_wr_data_i, dat.bytes);
        }
        top->wt_wr_valid_i = wt.valid;
        if (wt.valid) {
            top->wt_wr_addr_i = uint16_t(wt.entry);
            top->wt_wr_slot_i = uint8_t(wt.slot);
            drive(top->wt_wr_data_i, wt.bytes);
        }
        top->dat_up_valid_i = dat_up.valid;
        if (dat_up.valid) {
            top->dat_up_entries_i = uint16_t(dat_up.a);
            top->dat_up_slices_i = uint16_t(dat_up.b);
        }
        top->wt_up_valid_i = wt_up.valid;
        if (wt_up.valid) {
            top->wt_up_entries_i = uint16_t(wt_up.a);
            top->wt_up_kernels_i = uint16_t(wt_up.b);
        }
        dat.valid = wt.valid = dat_up.valid = wt_up.valid = false;
        top->cacc_ready_i = !random.chance(stall);
        top->clk_i = 0;
        top->eval();
        if (top->cacc_valid_o && top->cacc_ready_i)
            for (size_t i = 0; i < lanes; i++) {
                uint32_t value;
                memcpy(&value, reinterpret_cast<const char *>(&top->cacc_data_o) + 4 * i, 4);
                out.push_back(value);
            }
        for (unsigned g = 0; g < 2; g++)
            if (top->done_intr_o >> g & 1) {
                interrupts.push_back(g);
                interrupts_at.push_back(out.size());
            }
        if (top->dat_rl_valid_o)
            data_valid -= top->dat_rl_entries_o;
        if (top->wt_rl_valid_o)
            weight_valid -= top->wt_rl_entries_o;
        if (top->mask_rl_valid_o)
            mask_valid -= top->mask_rl_entries_o;
        if (data_valid < 0)
            fail("more data entries released than there are");
        if (weight_valid < 0)
            fail("more weight entries released than there are");
        if (mask_valid < 0)
            fail("more mask entries released than there are");
        if (top->atom_valid_o) {
            if (!first_atom)
                first_atom = clock;
            last_atom = clock;
        }
        top->clk_i = 1;
        top->eval();
        clock++;
    }

    // Register of a group, read when no access is under way.
    uint32_t read(unsigned unit, unsigned group, unsigned word) {
        uint32_t value = 0;
        for (unsigned i = 0; i < 3; i++) {
            top->csb_sel_i = i < 2 ? uint8_t(1 << unit) : 0;
            top->csb_write_i = i == 0;
            top->csb_addr_i = uint16_t(i ? word : 1);
            top->csb_wdata_i = group;
            step();
            value = i == 1 ? top->csb_rdata_o : value;
        }
        return value;
    }

    void write(unsigned unit, unsigned word, uint32_t value) {
        csb.push_back({unit, word, value});
    }
    struct Csb {
        unsigned unit, word;
        uint32_t value;
    };
    std::deque<Csb> csb;
};

// ---- chains of layers
// -----------------------------------------------------------------------------------------------------------

unsigned small_or(Random &random, unsigned high) {
    return random.chance(60) ? random.range(1, std::min(high, 4u)) : random.range(1, high);
}

uint64_t macs(const Layer &l) {
    return uint64_t(l.ow) * l.oh * l.k * l.r * l.s * l.c;
}

bool random_shape(Random &random, Layer &l, bool same_data, const Layer *last) {
    if (!same_data) {
        l.image = random.chance(35);
        l.ci = std::array<unsigned, 3>{1, 3, 4}[random.below(3)];
        l.w = small_or(random, 24);
        l.c = random.chance(50) ? random.range(1, unsigned(2 * atomic_c))
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
    l.k = random.chance(50) ? random.range(1, unsigned(atomic_k + 1)) : random.range(1, unsigned(3 * atomic_k));
    l.r = small_or(random, 6);
    l.s = small_or(random, 6);
    l.sx = small_or(random, 8);
    l.sy = small_or(random, 8);
    l.dx = l.dy = 1;
    l.n = 1;
    l.pt = random.chance(50) ? random.below(l.r) : random.chance(10) ? random.below(32) : 0;
    l.pl = 0;
    l.pad = random.byte();
    l.truncate = random.chance(30) ? random.below(32) : random.below(4);
    return true;
}

// Completes a layer whose input height is known; false if it does not fit.
bool complete(Random &random, Layer &l, bool same_data) {
    if (l.image) {
        const unsigned parts[] = {1, 2, 4};
        l.n = parts[random.below(3)];
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
            l.line_bytes = ((l.ow - 1) * l.sx + l.s) * l.ci + random.below(6) * l.ci;
            l.entries = unsigned(ceil_div(l.line_bytes, atomic_c)) + (random.chance(20) ? random.below(3) : 0);
        }
        if (!l.ow)
            return false;
        l.oh = random.chance(20) ? random.range(1, 12)
                                 : std::max(1u, unsigned((int(l.h + l.pt) - int(l.r)) / int(l.sy) + 1));
        if (int(l.h + l.pt) < int(l.r))
            l.oh = 1;
        l.c = l.s * l.ci; // e of section 3.2
        l.s = 1;
        l.dy = l.dx = 1;
        l.w = 1;
    } else {
        if (random.chance(30)) {
            l.dx = random.range(1, 5);
            l.dy = random.range(1, 5);
        }
        l.pl = random.chance(50) ? random.below(l.s * l.dx) : random.chance(10) ? random.below(32) : 0;
        l.pl = std::min(l.pl, 31u);
        // Right and bottom padding follow from the output size, which may be anything.
        const int fit_x = (int(l.w + l.pl) - int((l.s - 1) * l.dx + 1)) / int(l.sx) + 1;
        const int fit_y = (int(l.h + l.pt) - int((l.r - 1) * l.dy + 1)) / int(l.sy) + 1;
        l.ow = random.chance(30) ? random.range(1, 10) : unsigned(std::max(1, fit_x + int(random.below(3))));
        l.oh = random.chance(30) ? random.range(1, 10) : unsigned(std::max(1, fit_y + int(random.below(3))));
        if (!same_data)
            l.entries = feature_entries(l.w, l.c) + (random.chance(10) ? random.below(4) : 0);
    }
    return macs(l) <= 400000;
}

std::vector<Layer> random_chain(Random &random) {
    std::vector<Layer> chain;
    const unsigned count = random.range(1, 5);
    Contents in;
    unsigned left = 0; // lines left by the previous layer
    long data_valid = 0, weight_valid = 0, mask_valid = 0;
    unsigned data_at = 0; // entries appended since the ring was emptied
    while (chain.size() < count) {
        Layer l{};
        const Layer *last = chain.empty() ? nullptr : &chain.back();
        l.data_reuse = last && random.chance(40) && left > 0;
        const bool same_data = l.data_reuse && random.chance(97);
        random_shape(random, l, same_data, last);
        const bool new_banks = !last || random.chance(20);
        if (new_banks) {
            const unsigned usable = unsigned(banks) - (config->weight_compression ? 1 : 0);
            const unsigned few = random.chance(50) ? 3 : usable - 1;
            l.data_bank = last && random.chance(50) ? last->data_bank : random.range(1, few);
            l.weight_bank = random.range(1, usable - l.data_bank);
        } else {
            l.data_bank = last->data_bank;
            l.weight_bank = last->weight_bank;
        }
        const bool data_changed = !last || l.data_bank != last->data_bank;
        const bool changed = data_changed || l.weight_bank != last->weight_bank;
        const bool mode_changed = last && last->image != l.image;
        if (l.data_reuse && !same_data && !mode_changed)
            l.data_reuse = false;
        // CDMA's decisions (chapter 30 section 9.3).
        l.fetch_data = data_changed || !(l.data_reuse && last->skip_data && !mode_changed);
        l.weight_reuse = last && random.chance(40);
        l.fetch_weight = changed || !(l.weight_reuse && last->skip_weight);
        if (l.weight_reuse && !l.fetch_weight) { // the same kernels, the whole stream kept
            l.k = last->k;
            l.r = last->r;
            l.s = last->image ? last->c / std::max(1u, l.ci) : last->s;
            if (last->image != l.image || (!l.image && l.c != last->c) || (l.image && last->c % l.ci))
                continue;
        }
        l.compressed = l.fetch_weight ? config->weight_compression && random.chance(70) : last->compressed;
        const bool kept = l.data_reuse && !data_changed && !mode_changed;
        if (!kept) {
            l.new_lines = l.h;
        } else if (l.fetch_data) {
            l.new_lines = random.range(1, 6);
            l.h = left + l.new_lines;
        } else {
            l.new_lines = 0;
            l.h = random.chance(30) ? random.range(1, left) : left;
        }
        if (!complete(random, l, kept && same_data))
            continue;
        // Slices larger than their data are legal. They take the ring round, some so that a line lies across its end.
        const unsigned ring = unsigned(l.data_bank * depth), room = ring / l.h,
                       from = data_changed ? 0 : data_at % ring;
        if (!(kept && same_data) && random.chance(40) && room > l.entries) {
            const unsigned line = random.range(1, std::max(1u, l.h - 1)), across = random.below(l.entries);
            const unsigned aimed = ring > from + across ? (ring - from - across) / line : 0;
            l.entries =
                (random.chance(90) && aimed >= l.entries && aimed <= room) ? aimed : random.range(l.entries, room);
        }
        l.rls = random.chance(50) ? l.h : random.range(1, l.h);
        l.skip_data = random.chance(30);
        l.skip_weight = random.chance(30);
        const unsigned used = l.k * l.r * l.s * l.c;
        const unsigned rounded = unsigned(ceil_div(used, atomic_c) * atomic_c);
        // Surplus weights, some a whole ring of them.
        const unsigned weight_ring = unsigned(l.weight_bank * depth);
        const unsigned surplus =
            random.chance(30) ? random.below(random.chance(50) && weight_ring <= 1536 ? weight_ring : 20) : 0;
        l.weight_bytes = !l.fetch_weight ? last->weight_bytes : rounded + surplus * unsigned(atomic_c);
        l.mask_bytes = !l.fetch_weight ? last->mask_bytes : 0;
        std::vector<uint8_t> fetched;
        if (l.fetch_weight && l.compressed)
            fetched = compress(random, l);
        // What stays in CBUF when the layer begins.
        Contents now = in;
        long data_now = data_valid, weight_now = weight_valid, mask_now = mask_valid;
        if (data_changed) {
            now.lines.clear();
            data_now = 0;
        } else if (!kept) {
            for (unsigned i = 0; i < left; i++)
                now.lines.pop_front();
            data_now -= last ? long(left) * last->entries : 0;
        }
        if (changed) {
            now.weights.clear();
            weight_now = mask_now = 0;
        } else if (last && last->skip_weight && !l.weight_reuse) {
            now.weights.erase(now.weights.begin(), now.weights.begin() + long(taken_by(*last, true)));
            weight_now -= last->weight_bytes / atomic_c;
            mask_now -= last->mask_bytes / atomic_c;
        }
        if (l.compressed && !l.fetch_weight && elements_of(l) != elements_of(*last))
            continue;
        // Compressed weights stand behind no surplus: it would be read as their first bytes.
        if (l.compressed && l.fetch_weight && !now.weights.empty())
            continue;
        if (!data_changed && !kept &&
            !now.lines.empty()) // lines that nobody will release: another geometry would read across them
            continue;
        data_now += long(l.new_lines) * l.entries;
        if (data_now > long(l.data_bank * depth))
            continue;
        if (l.fetch_weight) {
            weight_now += l.weight_bytes / atomic_c;
            mask_now += l.mask_bytes / atomic_c;
        }
        // All weights fit, so that no group waits for ever; some chains need the release of earlier groups.
        const unsigned group_bytes = unsigned(std::min<size_t>(l.k, atomic_k)) * l.r * l.s * l.c;
        const bool tight = !l.compressed && !l.skip_weight && !surplus &&
                           weight_now - long(l.weight_bytes / atomic_c) == 0 && random.chance(50);
        if (tight ? 2 * (group_bytes / atomic_c + 2) > l.weight_bank * depth : weight_now > long(l.weight_bank * depth))
            continue;
        if (mask_now > long(depth))
            continue;
        for (unsigned i = 0; i < l.new_lines; i++) {
            l.lines.emplace_back();
            const size_t bytes = l.image ? l.line_bytes : size_t(l.w) * l.c;
            for (size_t b = 0; b < bytes; b++)
                l.lines.back().push_back(random.byte());
            now.lines.push_back(l.lines.back());
        }
        if (l.fetch_weight && !l.compressed) {
            for (unsigned i = 0; i < l.weight_bytes; i++)
                l.weights.push_back(random.byte());
            fetched = l.weights;
        }
        now.weights.insert(now.weights.end(), fetched.begin(), fetched.end());
        if (now.weights.size() < used || now.lines.size() < l.h)
            continue;
        compute(l, now);
        if (!l.skip_data) {
            for (unsigned i = 0; i < l.rls; i++)
                now.lines.pop_front();
            data_now -= long(l.rls) * l.entries;
        }
        left = l.skip_data ? l.h : l.h - l.rls;
        if (!l.skip_weight) {
            now.weights.erase(now.weights.begin(), now.weights.begin() + long(taken_by(l, false)));
            weight_now -= (l.compressed ? l.weight_bytes : rounded) / atomic_c;
            mask_now -= l.mask_bytes / atomic_c;
        }
        in = now;
        data_at = (data_changed ? 0 : data_at) + l.new_lines * l.entries;
        data_valid = data_now;
        weight_valid = weight_now;
        mask_valid = mask_now;
        chain.push_back(l);
    }
    return chain;
}

void program(Bench &bench, const Layer &l, unsigned group, Random &random) {
    for (unsigned unit = 0; unit < 4; unit++)
        bench.write(unit, 1, group);
    const uint32_t junk = uint32_t(random.engine());
    auto csc = [&](unsigned offset, uint32_t value) { bench.write(0, offset / 4, value); };
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
    bench.write(3, 0x2c / 4, l.truncate);
    unsigned order[4] = {3, 1, 2, 0};
    std::shuffle(order, order + 4, random.engine);
    for (unsigned unit : order) {
        bench.write(unit, 2, 1);
        if (random.chance(10)) // a late unit: nothing may leave CSC before
            for (unsigned wait = random.below(1500); wait; wait--)
                bench.write(kNobody, 0, 0);
    }
}

// Plays a chain. Returns false on a time-out (fault is set).
void play(Bench &bench, std::vector<Layer> &chain, Random &random) {
    size_t programmed = 0;
    // CDMA stand-in.
    enum { Idle, Pend, Busy, Done };
    size_t cdma = 0;
    int dat_state = Idle, wt_state = Idle;
    size_t line = 0, unit = 0, weight_at = 0, mask_at = 0, groups_told = 0, entries_told = 0;
    bool dat_seen = false, wt_seen = false, dat_was = false, wt_was = false;
    size_t total = 0;
    for (const Layer &l : chain)
        total += l.expected.size();
    unsigned idle = 0;
    size_t seen = 0;
    bench.out.clear();
    bench.interrupts.clear();
    bench.interrupts_at.clear();
    unsigned last_data_bank = bench.keep_banks ? chain[0].data_bank : 0;
    unsigned last_weight_bank = bench.keep_banks ? chain[0].weight_bank : 0;
    const unsigned gap = random.chance(70) ? 0 : 200;
    unsigned delay = 0;
    while (fault.empty() && (bench.out.size() < total || bench.interrupts.size() < chain.size())) {
        // Registers: the next layer as soon as its group is free in every unit, i.e. its interrupt of two layers ago
        // came.
        if (bench.csb.empty() && programmed < chain.size() && programmed < bench.interrupts.size() + 2) {
            if (delay) {
                delay--;
            } else {
                program(bench, chain[programmed], unsigned(programmed % 2), random);
                programmed++;
                delay = gap ? random.below(gap) : 0;
            }
        }
        if (!bench.csb.empty()) {
            const Bench::Csb access = bench.csb.front();
            bench.csb.pop_front();
            bench.top->csb_sel_i = access.unit == kNobody ? 0 : uint8_t(1 << access.unit);
            bench.top->csb_write_i = 1;
            bench.top->csb_addr_i = uint16_t(access.word);
            bench.top->csb_wdata_i = access.value;
        } else
            bench.top->csb_sel_i = 0;
        // CDMA.
        if (cdma < programmed && cdma < chain.size()) {
            Layer &l = chain[cdma];
            const size_t ring = l.data_bank * depth, weight_ring = l.weight_bank * depth;
            if (dat_state == Idle && !dat_seen) {
                line = unit = 0;
                dat_state = l.data_bank != last_data_bank ? Pend : l.fetch_data ? Busy : Done;
                dat_seen = true;
            }
            if (wt_state == Idle && !wt_seen) {
                weight_at = mask_at = groups_told = entries_told = 0;
                wt_state = (l.data_bank != last_data_bank || l.weight_bank != last_weight_bank) ? Pend
                           : l.fetch_weight                                                     ? Busy
                                                                                                : Done;
                wt_seen = true;
            }
            if (dat_state == Pend) {
                bench.top->dat_pending_ack_i = 1;
                if (bench.top->dat_pending_req_o) {
                    dat_was = true;
                    bench.data_valid = 0;
                    bench.data_ptr = 0;
                } else if (dat_was) {
                    dat_was = false;
                    dat_state = Busy;
                    bench.top->dat_pending_ack_i = 0;
                }
            } else if (dat_state == Busy && !random.chance(bench.wait)) {
                if (line == l.lines.size())
                    dat_state = Done;
                else if (unit || bench.data_valid + long(l.entries) <= long(ring)) {
                    const size_t per_line =
                        l.image ? ceil_div(l.line_bytes, mem_atom) : size_t(l.w) * ceil_div(l.c, mem_atom);
                    size_t entry, slot;
                    std::vector<uint8_t> bytes(mem_atom);
                    for (uint8_t &b : bytes)
                        b = random.byte();
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
                    bench.dat = {true, (bench.data_ptr + entry) % ring, slot, bytes};
                    if (++unit == per_line) {
                        unit = 0;
                        line++;
                        bench.data_ptr = (bench.data_ptr + l.entries) % ring;
                        bench.data_valid += l.entries;
                        bench.dat_up = {true, l.entries, 1};
                    }
                }
            }
            if (wt_state == Pend) {
                bench.top->wt_pending_ack_i = 1;
                if (bench.top->wt_pending_req_o) {
                    wt_was = true;
                    bench.weight_valid = bench.mask_valid = 0;
                    bench.weight_ptr = bench.mask_ptr = 0;
                } else if (wt_was) {
                    wt_was = false;
                    wt_state = Busy;
                    bench.top->wt_pending_ack_i = 0;
                }
            } else if (wt_state == Busy && !random.chance(bench.wait)) {
                const size_t group_elements = atomic_k * l.r * l.s * l.c;
                const size_t groups = ceil_div(l.k, atomic_k);
                // A group counts when the last entries of its bytes and of its mask bits are complete.
                const bool last_group = groups_told + 1 >= groups;
                const size_t end = (groups_told + 1) * group_elements;
                const size_t bytes_end = l.compressed && !last_group ? l.group_end[groups_told] : end;
                const size_t whole = ceil_div(bytes_end, atomic_c) * atomic_c;
                const size_t need = last_group ? l.weight_bytes : std::min<size_t>(whole, l.weight_bytes);
                const size_t masks_whole = ceil_div(end, 8 * atomic_c) * atomic_c;
                const size_t need_masks = last_group ? l.mask_bytes : std::min<size_t>(masks_whole, l.mask_bytes);
                const bool masks_next = mask_at < l.mask_bytes && (weight_at == l.weight_bytes || random.chance(30));
                if (groups_told == groups)
                    wt_state = Done;
                else if (weight_at >= need && (!l.compressed || mask_at >= need_masks)) {
                    const size_t kernels = groups_told + 1 == groups ? (l.k - 1) % atomic_k + 1 : atomic_k;
                    const size_t now = weight_at / atomic_c - entries_told;
                    bench.wt_up = {true, unsigned(now), unsigned(kernels)};
                    entries_told += now;
                    groups_told++;
                } else if (masks_next) { // all of a layer's masks fit
                    if (mask_at % atomic_c == 0)
                        bench.mask_valid++;
                    bench.wt = {true,
                                (banks - 1) * depth + (bench.mask_ptr + mask_at / atomic_c) % depth,
                                mask_at % atomic_c / mem_atom,
                                {l.masks.begin() + long(mask_at), l.masks.begin() + long(mask_at + mem_atom)}};
                    mask_at += mem_atom;
                    if (mask_at == l.mask_bytes)
                        bench.mask_ptr = (bench.mask_ptr + l.mask_bytes / atomic_c) % depth;
                } else if (weight_at < l.weight_bytes &&
                           (weight_at % atomic_c || bench.weight_valid < long(weight_ring))) {
                    if (weight_at % atomic_c == 0)
                        bench.weight_valid++;
                    std::vector<uint8_t> bytes(l.weights.begin() + long(weight_at),
                                               l.weights.begin() + long(weight_at + mem_atom));
                    bench.wt = {true, l.data_bank * depth + (bench.weight_ptr + weight_at / atomic_c) % weight_ring,
                                weight_at % atomic_c / mem_atom, bytes};
                    weight_at += mem_atom;
                    if (weight_at == l.weight_bytes && l.weight_bytes) {
                        bench.weight_ptr = (bench.weight_ptr + l.weight_bytes / atomic_c) % weight_ring;
                        // Positions in this layer are relative to the old pointer, and no more follow.
                    }
                }
            }
            if (dat_state == Done && wt_state == Done) {
                last_data_bank = l.data_bank;
                last_weight_bank = l.weight_bank;
                dat_state = wt_state = Idle;
                dat_seen = wt_seen = false;
                cdma++;
            }
        }
        bench.step();
        if (bench.out.size() != seen || bench.csb.size()) {
            seen = bench.out.size();
            idle = 0;
        } else if (++idle > 150000)
            fail("hangs after %zu of %zu results, %zu of %zu layers programmed", seen, total, programmed, chain.size());
    }
    for (int i = 0; i < 30; i++)
        bench.step();
    bench.top->csb_sel_i = 0;
    size_t at = 0;
    for (size_t i = 0; i < chain.size() && fault.empty(); i++) {
        const Layer &l = chain[i];
        for (size_t e = 0; e < l.expected.size() && fault.empty(); e++)
            if (bench.out[at + e] != l.expected[e])
                fail("layer %zu of %zu: result %zu of %zu is %d, expected %d", i, chain.size(), e, l.expected.size(),
                     int32_t(bench.out[at + e]), int32_t(l.expected[e]));
        at += l.expected.size();
        if (fault.empty() && bench.interrupts[i] != i % 2)
            fail("interrupt %zu has group %u", i, bench.interrupts[i]);
        if (fault.empty() && bench.interrupts_at[i] < at)
            fail("interrupt %zu came after %zu results, the layer ends at %zu", i, bench.interrupts_at[i], at);
    }
    if (fault.empty() && bench.out.size() != total)
        fail("%zu results, expected %zu", bench.out.size(), total);
}

void describe(const std::vector<Layer> &chain) {
    for (const Layer &l : chain)
        printf("      %s %ux%ux%u ci %u n %u line %u | k %u r %u s %u stride %ux%u dil %ux%u pad %u,%u | out %ux%u | E "
               "%u banks %u+%u lines "
               "%zu rls %u%s%s%s%s | weights %u of %zu%s\n",
               l.image ? "image" : "feature", l.w, l.h, l.c, l.ci, l.n, l.line_bytes, l.k, l.r, l.s, l.sx, l.sy, l.dx,
               l.dy, l.pl, l.pt, l.ow, l.oh, l.entries, l.data_bank, l.weight_bank, l.lines.size(), l.rls,
               l.data_reuse ? " data_reuse" : "", l.weight_reuse ? " weight_reuse" : "",
               l.skip_data ? " skip_data" : "", l.skip_weight ? " skip_weight" : "", l.weight_bytes, l.weights.size(),
               l.compressed ? " compressed" : "");
}

// ---- arithmetic of CACC
// ---------------------------------------------------------------------------------------------------------

int check_arithmetic(Random &random) {
    VerilatedContext context;
    Vbench top(&context);
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
    int bad = 0;
    const unsigned known = sizeof vectors / sizeof *vectors;
    for (unsigned i = 0; i < known + 200000; i++) {
        Vector v;
        if (i < known)
            v = vectors[i];
        else {
            v.in = random.chance(30) ? int64_t(random.below(9)) - 4 : int64_t(random.engine()) >> (64 - sum_bits);
            v.acc = int64_t(random.engine()) >> random.range(30, 62);
            if (random.chance(20))
                v.acc = random.chance(50) ? top_acc - random.below(4) : -top_acc - 1 + random.below(4);
            v.t = random.below(32);
            if (random.chance(30)) // exact halves and their neighbours
                v.acc = (v.acc >> v.t) * (INT64_C(1) << v.t) + (v.t ? INT64_C(1) << (v.t - 1) : 0) +
                        int64_t(random.below(3)) - 1;
            v.acc = std::clamp<int64_t>(v.acc, -top_acc - 1, top_acc);
        }
        v.in = std::clamp<int64_t>(v.in, -sum_top - 1, sum_top);
        const int64_t acc = std::clamp<int64_t>(v.acc + v.in, -top_acc - 1, top_acc);
        bool sat;
        const int32_t out = deliver(acc, v.t, &sat);
        if (i < known && (out != v.out || sat != v.sat)) {
            printf("FAIL  the bench's own formula on vector %u\n", i);
            bad++;
        }
        top.f_acc_i = uint64_t(v.acc) & 0x3ffffffff;
        top.f_sum_i = uint32_t(v.in);
        top.f_truncate_i = uint8_t(v.t);
        top.eval();
        if (top.f_acc_o != (uint64_t(acc) & 0x3ffffffff) || int32_t(top.f_deliver_o) != out ||
            top.f_saturates_o != sat) {
            if (bad++ < 3)
                printf("FAIL  acc %lld + %lld, truncate %u: %d sat %d, expected %d sat %d\n", (long long)v.acc,
                       (long long)v.in, v.t, int32_t(top.f_deliver_o), top.f_saturates_o, out, sat);
        }
    }
    if (!bad)
        printf("ok    arithmetic of CACC: %u vectors\n", known + 200000);
    return bad != 0;
}

// ---- saturation counter
// ---------------------------------------------------------------------------------------------------------

// Sums beyond 32 bits, where CBUF is large enough for them: 20 x 8192 products of -128 by -128. D_OUT_SATURATION counts
// the lanes of a layer; a layer of one row adds to what the layer before it counted (chapter 40 section 9.7).
int check_saturation(int *passed) {
    if (banks * depth * atomic_c < 400000)
        return 0;
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
    fault.clear();
    // The third layer goes to the group of the first, whose count is read before.
    unsigned read[3] = {};
    std::vector<Layer> two(chain.begin(), chain.begin() + 2), third(chain.begin() + 2, chain.end());
    play(bench, two, random);
    read[0] = bench.read(3, 0, 0x30 / 4);
    read[1] = bench.read(3, 1, 0x30 / 4);
    if (fault.empty()) {
        bench.keep_banks = true;
        play(bench, third, random);
        read[2] = bench.read(3, 0, 0x30 / 4);
    }
    const bool good = fault.empty() && read[0] == 1 && read[1] == 2 && read[2] == 2; // 1, 1 + 1, 2
    printf("%s  saturation counter: %u, %u, %u%s%s\n", good ? "ok  " : "FAIL", read[0], read[1], read[2],
           fault.empty() ? "" : ": ", fault.c_str());
    *passed += good;
    return !good;
}

// ---- throughput
// -----------------------------------------------------------------------------------------------------------------

// A layer that nothing stalls: clocks from the first to the last atom against the law. SDP takes everything; the
// bench's layer must not be bound by the output.
int check_speed(const char *name, unsigned w, unsigned h, unsigned c, unsigned ci, unsigned k, unsigned r, unsigned s,
                unsigned n) {
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
    std::vector<Layer> chain{l};
    fault.clear();
    bench.first_atom = bench.last_atom = 0;
    play(bench, chain, random);
    const unsigned span = unsigned(bench.last_atom - bench.first_atom + 1);
    l.law = unsigned(l.law * (ceil_div(l.ow, n) * n) /
                     l.ow); // N positions of a line take N clocks, also when fewer are left
    const bool good = fault.empty() && span <= l.law + l.law / 30 + 8;
    printf("%s  speed, %s: %u clocks from first to last atom, law %u%s%s\n", good ? "ok  " : "FAIL", name, span, l.law,
           fault.empty() ? "" : ": ", fault.c_str());
    return !good;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 3 || !(config = nvdla_config_find(argv[1]))) {
        fprintf(stderr, "usage: conv_bench CONFIG SEEDS [FIRST]\n");
        return 2;
    }
    atomic_c = size_t(config->atomic_c);
    atomic_k = size_t(config->atomic_k);
    mem_atom = size_t(config->mem_atom);
    slots = atomic_c / mem_atom;
    lanes = size_t(config->sdp_bs_throughput);
    depth = size_t(config->cbuf_bank_depth);
    banks = size_t(config->cbuf_banks);
    const uint64_t seeds = strtoull(argv[2], nullptr, 10), first = argc > 3 ? strtoull(argv[3], nullptr, 10) : 1;
    int passed = 0, failed = 0;
    Random arithmetic(7);
    failed += check_arithmetic(arithmetic);
    passed += !failed;
    const unsigned ac = unsigned(atomic_c), ak = unsigned(atomic_k);
    // Enough operations per position that SDP does not bound the layer.
    failed += check_saturation(&passed);
    int slow = check_speed("3x3, 4 blocks", 10, 10, 4 * ac, 0, 2 * ak, 3, 3, 1);
    slow += check_speed("3x3, partial block", 9, 12, 3 * ac + ac / 2, 0, 2 * ak, 3, 3, 1);
    slow += check_speed("fully connected", 1, 1, 128 * ac, 0, ak, 1, 1, 1);
    slow += check_speed("fully connected, one kernel", 2, 1, 128 * ac, 0, 1, 1, 1, 1);
    slow += check_speed("image, 3 channels", 30, 30, 0, 3, ak, 11, 11, 1);
    slow += check_speed("image, 2 lines", ac / 2 + 26, 40, 0, 1, ak, 27, ac / 2, 2);
    slow += check_speed("image, 4 lines", ac / 4 + 22, 60, 0, 1, ak, 31, ac / 4, 4);
    passed += 7 - slow;
    failed += slow;
    unsigned shown = 0;
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        Random random(seed * 1000003);
        fault.clear();
        std::vector<Layer> chain = random_chain(random);
        Bench bench(random);
        bench.stall = random.chance(40) ? 0 : random.chance(50) ? random.below(60) : 60 + random.below(38);
        bench.wait = random.chance(50) ? 0 : random.below(90);
        play(bench, chain, random);
        if (fault.empty())
            passed++;
        else {
            failed++;
            if (shown++ < 5) {
                printf("FAIL  seed %llu: %s\n", (unsigned long long)seed, fault.c_str());
                describe(chain);
            }
        }
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
