// nvdla_cdma with nvdla_cbuf: chains of layers in both register groups, a memory with random stalls, and a stand-in for
// CSC that does the handshakes, takes the reports, reads CBUF and releases. What CBUF must hold is computed here from
// the placement formulas of chapter 30 section 5, the pixel formats of chapter 20 section 4 and the convertor of
// chapter 30 section 6. Layers have compressed weights too where the configuration has them: group sizes are laid into
// the memory.
//
// Checked: the zero fill; every entry of every slice, of the weights and of their mask bits, at the report and again
// before the release; numbers of the reports; that each atom that is needed is read exactly once and no other; requests
// stay while they wait; interrupts by group and order; status and counter registers; time on a memory without stalls.
#include <array>
#include <map>

#include "common/chain.h"
#include "common/dma_client.h"
#include "tests/vectors.h"

extern "C" {
#include "nvdla/fp.h"
#include "nvdla/pixel.h"
}

const uint64_t usual_seeds = 100;

namespace {

// An entry holds AtomicC lanes of the widest precision.
const bool wide_lanes = config->int16;
const int atom = config->mem_atom, entry_bytes = config->cbuf_bank_bytes * (wide_lanes ? 2 : 1),
          slots = entry_bytes / atom, depth = config->cbuf_bank_depth / (wide_lanes ? 2 : 1),
          banks = config->cbuf_banks, wr_atoms = int(beat_atoms()), superslice_lines = 4;
// Sizes of weight surfaces.
const int weight_unit = wide_lanes ? 128 : atom;
enum Precision { Int8, Int16, Fp16 };

using Bytes = std::vector<uint8_t>;

int cdiv(int a, int b) {
    return (a + b - 1) / b;
}

// Contents of both memories: what a chain has laid there, else a hash of the address, or its low byte.
bool plain_memory = false;
std::map<uint64_t, uint8_t> laid;
uint64_t laid_surfaces = 0;
bool some_infinities = false;
uint8_t memory_byte(uint64_t addr, bool ram) {
    if (config->addr_bits == 32)
        addr &= 0xffffffff;
    const auto found = laid.find(addr);
    if (found != laid.end())
        return found->second;
    if (plain_memory)
        return uint8_t(addr);
    if (some_infinities && ((addr >> 1) * 0x9e3779b1u >> 7) % 23 == 0)
        return addr & 1 ? uint8_t(0x7c | (addr & 2) << 6) : 0;
    uint64_t h = (addr ^ (ram ? UINT64_C(0x5bd1e995) << 33 : 0)) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    return uint8_t(h >> 56);
}

// A halfword. Where there is FP16, some are infinity.
uint16_t memory_half(uint64_t addr, bool ram) {
    return uint16_t(memory_byte(addr, ram) | memory_byte(addr + 1, ram) << 8);
}

// ---- a layer ----

struct Layer {
    // Registers, true values (not minus 1).
    bool image = false, winograd = false, data_reuse = false, weight_reuse = false, skip_data = false,
         skip_weight = false;
    int in_precision = Int8,
        proc_precision = Int8; // INT8 only: of PROC_PRECISION, Int16 stores the low byte of 16 bits
    int w = 1, h = 1, c = 1;   // h: lines to fetch
    int batches = 1;
    uint32_t batch_stride = 0;
    bool flush_nans = false;
    // Winograd: strides, size of the extended cube.
    int sx = 1, sy = 1, w_ext = 4, lines_ext = 4, pad_top = 0, pad_bottom = 0;
    uint64_t base0 = 0, base1 = 0, weight_base = 0;
    uint32_t line = 0, uv_line = 0, surface = 0;
    bool ram = true, weight_ram = true, line_packed = false, surf_packed = false;
    int grain = 1, eps = 1;
    int format = 0, x_offset = 0, pad_left = 0, pad_right = 0, pad_value = 0;
    bool sign_override = false, mean = false, cvt = false;
    std::array<int, 4> means{};
    int offset = 0, scale = 1, truncate = 0;
    int data_bank = 1, weight_bank = 1;
    int kernels = 1, kernel_bytes = 1;
    uint32_t weight_bytes = 0;
    bool compressed = false;
    uint64_t mask_base = 0, size_base = 0; // WMB, WGS
    uint32_t mask_bytes = 0;
    std::vector<uint32_t> group_end; // compressed: bytes up to the end of each kernel group
    bool perf = false;
    // CSC's side.
    int h_ext = 1; // lines of the layer, kept ones included
    int rls = 1;   // lines released at the end
    // Filled in by plan().
    bool dat_pend = false, wt_pend = false, dat_fetch = false, wt_fetch = false;
    int dat_entry = 0, wt_entry = 0; // ring entries of the first line and the first weight
    int mask_entry = 0;              // of the first mask bits

    int ring() const {
        return data_bank * depth;
    }
    int weight_ring() const {
        return weight_bank * depth;
    }
    const struct nvdla_pixel_format &pixel() const {
        return *nvdla_pixel_format(config, uint32_t(format));
    }
    int channels() const {
        return pixel().components;
    }
    bool wide() const {
        return wide_lanes && proc_precision != Int8;
    }
    int element_bytes() const {
        return wide() ? 2 : 1;
    }
    int kpg() const {
        return wide() ? config->atomic_k / 2 : config->atomic_k;
    }
    int mode() const {
        return winograd ? 2 : image;
    }
    // Of a feature cube.
    int surfaces() const {
        return cdiv(c * element_bytes(), atom);
    }
    int string_bytes() const {
        return (pad_left + w + pad_right) * channels() * element_bytes();
    }
    // Lines reported to CSC.
    int lines() const {
        return winograd ? lines_ext : h;
    }
    int line_entries() const {
        return eps * batches;
    }
    int needed_eps() const {
        if (image)
            return cdiv(string_bytes(), entry_bytes);
        if (winograd)
            return w_ext / 4 * surfaces() * sx * sy;
        const int a = surfaces(), r = a % slots;
        return a / slots * w + (r == 0 ? 0 : r == 1 ? cdiv(w, slots) : r == 2 ? cdiv(w, 2) : w);
    }
    int weight_entries() const {
        return cdiv(int(weight_bytes), entry_bytes);
    }
    int mask_entries() const {
        return cdiv(int(mask_bytes), entry_bytes);
    }
    int groups() const {
        return cdiv(kernels, kpg());
    }
    // Bytes of the weights of the first n groups.
    int used(int n) const {
        return compressed ? int(group_end[size_t(n) - 1]) : kernel_bytes * std::min(n * kpg(), kernels);
    }
    // Their mask bits.
    int mask_bits(int n) const {
        return compressed ? kernel_bytes * std::min(n * kpg(), kernels) / element_bytes() : 0;
    }
};

int sign16(int v) {
    return int16_t(uint16_t(v));
}

// Chapter 30 section 6.3 for one element. byte: INT8 only, the low byte of the result.
uint16_t convert(int x, int off, int scale, int truncate, Precision to) {
    const int64_t p = (int64_t(x) - off) * scale;
    const uint64_t magnitude = uint64_t(p < 0 ? -p : p);
    const uint64_t rounded = truncate == 0 ? magnitude : (magnitude + (UINT64_C(1) << (truncate - 1))) >> truncate;
    int64_t q = p < 0 ? -int64_t(rounded) : int64_t(rounded);
    q = std::clamp<int64_t>(q, -65536, 65535);
    if (to == Fp16)
        return fp16_from_integer(int32_t(q));
    const int64_t limit = to == Int8 ? 128 : 32768;
    return uint16_t(int16_t(std::clamp<int64_t>(q, -limit, limit - 1)));
}

const char *const precisions[] = {"int8", "int16", "fp16"};

uint16_t own_convertor(const vectors &v, Precision to) {
    return convert(int(v.number[0]), int(v.number[1]), int(v.number[2]), int(v.number[3]), to);
}

// NaN and infinity that CDMA counts.
struct Specials {
    uint64_t nan = 0, infinity = 0;
    void count(uint16_t value) {
        nan += (value & 0x7fff) > 0x7c00;
        infinity += (value & 0x7fff) == 0x7c00;
    }
};

// An element on its way into CBUF: `bytes` bytes of memory (10-bit components: two), of component i.
uint16_t element(const Layer &l, uint16_t raw, int bytes, int i, Specials *seen) {
    if (l.in_precision == Fp16) {
        if (seen)
            seen->count(raw);
        return l.flush_nans && (raw & 0x7fff) > 0x7c00 ? 0 : raw;
    }
    if (!l.cvt)
        return raw;
    const bool is_signed = !l.image || l.sign_override;
    const int x = !is_signed ? int(raw) : bytes == 1 ? int(int8_t(raw)) : int(int16_t(raw));
    return convert(x, l.image && l.mean ? l.means[size_t(i)] : l.offset, l.scale, l.truncate,
                   Precision(l.proc_precision));
}

void put_element(Bytes &out, size_t at, const Layer &l, uint16_t value) {
    out[at] = uint8_t(value);
    if (l.element_bytes() == 2)
        out[at + 1] = uint8_t(value >> 8);
}

uint64_t aligned(uint64_t a) {
    return a / uint64_t(atom) * uint64_t(atom);
}

// Address of atom a of pixel x of line y of batch b of a feature layer.
uint64_t feature_address(const Layer &l, int b, int a, int y, int x) {
    const uint64_t base = aligned(l.base0) + uint64_t(b) * aligned(l.batch_stride), line = aligned(l.line),
                   surface = aligned(l.surface);
    if (!l.winograd && l.surf_packed && l.w == 1 && l.h == 1)
        return base + uint64_t(a) * uint64_t(atom);
    const int g = !l.winograd && l.line_packed ? l.grain : 1; // a grain is one run of atoms
    return base + uint64_t(a) * surface + uint64_t(y / g * g) * line + uint64_t((y % g) * l.w + x) * uint64_t(atom);
}

// What component i of pixel x of line y reads: address of its (first) byte. 10-bit formats: of the pixel.
uint64_t pixel_address(const Layer &l, int y, int x, int i) {
    const struct nvdla_pixel_format &f = l.pixel();
    const int plane = f.planes == 2 && i > 0;
    const uint64_t base = plane ? l.base1 : l.base0, line = plane ? l.uv_line : l.line;
    const int bytes = f.pixel_bytes[plane], offset = plane ? l.x_offset % (atom / bytes) : l.x_offset;
    return aligned(base + uint64_t(y) * line) + uint64_t((offset + x) * bytes + (f.bits == 10 ? 0 : f.lsb[i] / 8));
}

// Its value in memory.
uint16_t pixel_value(const Layer &l, int y, int x, int i) {
    const struct nvdla_pixel_format &f = l.pixel();
    const uint64_t at = pixel_address(l, y, x, i);
    if (f.bits == 8)
        return memory_byte(at, l.ram);
    if (f.bits == 16)
        return memory_half(at, l.ram);
    const uint32_t word = memory_half(at, l.ram) | uint32_t(memory_half(at + 2, l.ram)) << 16;
    return uint16_t(i == 3 ? (word >> f.lsb[i] & 3) << 14 : (word >> f.lsb[i] & 1023) << 6);
}

uint64_t wrap_address(uint64_t a) {
    return config->addr_bits == 32 ? a & 0xffffffff : a;
}

// The elements of an atom, as they go into CBUF; nullptr: pad.
Bytes atom_bytes(const Layer &l, const uint64_t *address, Specials *seen) {
    const int bytes = l.element_bytes();
    Bytes out(size_t(atom), 0);
    for (int i = 0; i < atom; i += bytes) {
        uint16_t raw = uint16_t(bytes == 1 ? l.pad_value & 0xff : l.pad_value);
        if (address)
            raw = bytes == 1 ? memory_byte(*address + uint64_t(i), l.ram) : memory_half(*address + uint64_t(i), l.ram);
        put_element(out, size_t(i), l, element(l, raw, bytes, 0, seen));
    }
    return out;
}

// Place of atom a of pixel x in a line of a feature cube: entry and slot.
std::pair<int, int> feature_place(const Layer &l, int a, int x) {
    const int tail = l.surfaces() % slots, g = a / slots, q = a % slots;
    if (g == l.surfaces() / slots && tail == 1)
        return {g * l.w + x / slots, x % slots};
    if (g == l.surfaces() / slots && tail == 2 && slots == 4)
        return {g * l.w + x / 2, x % 2 * 2 + q};
    return {g * l.w + x, q};
}

// The superslice that line y of an extended cube belongs to: 4 * EPS entries. Chapter 30 section 5.5.
Bytes superslice(const Layer &l, int y, Specials *seen) {
    const int tiles = l.w_ext / 4, pieces = atom / 8;
    Bytes out(size_t(superslice_lines * l.eps * entry_bytes), 0);
    for (int row = 0; row < 4; row++)
        for (int ys = 0; ys < l.sy; ys++)
            for (int x = 0; x < l.w_ext * l.sx; x++)
                for (int s = 0; s < l.surfaces(); s++) {
                    const int line = (y / 4 * 4 + row) * l.sy + ys - l.pad_top, column = x - l.pad_left;
                    const bool inside = line >= 0 && line < l.h && column >= 0 && column < l.w;
                    const uint64_t at = inside ? feature_address(l, 0, s, line, column) : 0;
                    const Bytes a = atom_bytes(l, inside ? &at : nullptr, seen);
                    const int xe = x / l.sx, xs = x % l.sx;
                    for (int j = 0; j < pieces; j++) {
                        const int n = ((ys * l.sx + xs) * l.surfaces() + s) * pieces + j;
                        const int to = (n * tiles + xe / 4) * entry_bytes + row * 32 + xe % 4 * 8;
                        std::copy_n(a.begin() + j * 8, 8, out.begin() + to);
                    }
                }
    return out;
}

// Entries of one line of the fetched lines, in all batches.
Bytes slice(const Layer &l, int y, Specials *seen = nullptr) {
    if (l.winograd) {
        const Bytes all = superslice(l, y, y % 4 == 0 ? seen : nullptr);
        const auto from = all.begin() + y % 4 * l.eps * entry_bytes;
        return {from, from + l.eps * entry_bytes};
    }
    Bytes out(size_t((l.batches - 1) * l.eps + l.needed_eps()) * size_t(entry_bytes), 0);
    if (!l.image) {
        for (int b = 0; b < l.batches; b++)
            for (int a = 0; a < l.surfaces(); a++)
                for (int x = 0; x < l.w; x++) {
                    const auto [entry, slot] = feature_place(l, a, x);
                    const uint64_t at = feature_address(l, b, a, y, x);
                    const Bytes bytes = atom_bytes(l, &at, seen);
                    std::copy(bytes.begin(), bytes.end(),
                              out.begin() + (b * l.eps + entry) * entry_bytes + slot * atom);
                }
        return out;
    }
    const int n = l.channels(), bytes = l.element_bytes(), string = l.string_bytes();
    const int chunk = wide_lanes ? config->atomic_c * bytes : atom;
    const Precision to = Precision(l.proc_precision);
    const uint16_t tail =
        l.cvt && l.in_precision != Fp16 ? convert(0, l.mean ? 0 : l.offset, l.scale, l.truncate, to) : uint16_t(0);
    for (int j = 0; j < cdiv(string, chunk) * chunk; j += bytes) {
        const int x = j / bytes / n - l.pad_left, i = j / bytes % n;
        uint16_t value = tail;
        if (j < string && (x < 0 || x >= l.w))
            value = uint16_t(l.pad_value);
        else if (j < string)
            value = element(l, pixel_value(l, y, x, i), l.pixel().bits == 8 ? 1 : 2, i, seen);
        put_element(out, size_t(j), l, value);
    }
    return out;
}

uint8_t weight_byte(const Layer &l, uint32_t i) {
    return memory_byte(aligned(l.weight_base) + i, l.weight_ram);
}

// What CBUF holds of it.
uint8_t stored_weight_byte(const Layer &l, uint32_t i) {
    if (l.proc_precision == Fp16 && wide_lanes && l.flush_nans &&
        ((weight_byte(l, i & ~1u) | weight_byte(l, i | 1) << 8) & 0x7fff) > 0x7c00)
        return 0;
    return weight_byte(l, i);
}

// Counts of the registers of a layer: of data, of weights.
std::pair<Specials, Specials> specials(const Layer &l) {
    std::pair<Specials, Specials> all;
    if (wide_lanes && l.dat_fetch && l.in_precision == Fp16)
        for (int y = 0; y < l.lines(); y++)
            slice(l, y, &all.first);
    if (wide_lanes && l.wt_fetch && l.proc_precision == Fp16)
        for (uint32_t i = 0; i < l.weight_bytes; i += 2)
            all.second.count(uint16_t(weight_byte(l, i) | weight_byte(l, i + 1) << 8));
    return all;
}

// Atoms that must be read, with how often.
using Reads = std::map<std::pair<uint64_t, bool>, int>;

// Beats: with several atoms in one, one may come more than once, since a run begins and ends anywhere.
uint64_t beat_address(uint64_t a) {
    return wrap_address(a) / uint64_t(atom * wr_atoms) * uint64_t(atom * wr_atoms);
}

Reads data_reads(const Layer &l) {
    Reads reads;
    for (int y = 0; y < l.h; y++) {
        if (!l.image) {
            // Winograd: not beyond the extended cube.
            if (l.winograd && y >= l.lines_ext * l.sy - l.pad_top)
                break;
            const int width = l.winograd ? std::min(l.w, l.w_ext * l.sx - l.pad_left) : l.w;
            for (int b = 0; b < l.batches; b++)
                for (int a = 0; a < l.surfaces(); a++)
                    for (int x = 0; x < width; x++)
                        reads[{beat_address(feature_address(l, b, a, y, x)), l.ram}]++;
            continue;
        }
        std::map<uint64_t, int> line[2]; // by plane; an atom of a line is read once
        for (int x = 0; x < l.w; x++)
            for (int i = 0; i < l.channels(); i++)
                line[l.channels() == 3 && i > 0][beat_address(pixel_address(l, y, x, i))] = 1;
        for (const auto &plane : line)
            for (const auto &[address, one] : plane)
                reads[{address, l.ram}] += one;
    }
    return reads;
}

Reads weight_reads(const Layer &l) {
    Reads reads;
    for (uint32_t i = 0; i < l.weight_bytes; i += uint32_t(atom))
        reads[{beat_address(aligned(l.weight_base) + i), l.weight_ram}]++;
    if (l.compressed) {
        for (uint32_t i = 0; i < l.mask_bytes; i += uint32_t(atom))
            reads[{beat_address(aligned(l.mask_base) + i), l.weight_ram}]++;
        for (int i = 0; i < 4 * l.groups(); i += atom)
            reads[{beat_address(aligned(l.size_base) + uint32_t(i)), l.weight_ram}]++;
    }
    return reads;
}

// Decides by the rules of chapter 30 sections 3 and 9.3 what each layer fetches and where it goes.
void plan(std::vector<Layer> &layers) {
    int data_bank = 0, weight_bank = 0, dat_entry = 0, wt_entry = 0, mask_entry = 0;
    bool skip_data = false, skip_weight = false;
    int mode = 0;
    for (Layer &l : layers) {
        l.dat_pend = l.data_bank != data_bank;
        l.wt_pend = l.dat_pend || l.weight_bank != weight_bank;
        l.dat_fetch = l.dat_pend || !(l.data_reuse && skip_data && l.mode() == mode);
        l.wt_fetch = l.wt_pend || !(l.weight_reuse && skip_weight);
        if (l.dat_pend)
            dat_entry = 0;
        if (l.wt_pend)
            wt_entry = mask_entry = 0;
        l.dat_entry = dat_entry;
        l.wt_entry = wt_entry;
        l.mask_entry = mask_entry;
        if (l.dat_fetch)
            dat_entry = (dat_entry + l.lines() * l.line_entries()) % l.ring();
        if (l.wt_fetch)
            wt_entry = (wt_entry + l.weight_entries()) % l.weight_ring();
        if (l.wt_fetch)
            mask_entry = (mask_entry + l.mask_entries()) % depth;
        data_bank = l.data_bank;
        weight_bank = l.weight_bank;
        skip_data = l.skip_data;
        skip_weight = l.skip_weight;
        mode = l.mode();
    }
}

// ---- the design and its surroundings ----

// Both memories: bytes are a function of their address.
class FunctionMemory : public Memory {
  public:
    using Memory::Memory;
    void load(bool primary, uint64_t address, uint8_t *bytes, const char *) override {
        for (uint64_t i = 0; i < uint64_t(::atom); i++)
            bytes[i] = memory_byte(address + i, primary);
    }
};

// One of the two clients with its interrupt: what it may still read for the layer that it fetches.
struct Fetch {
    ReadClient client;
    Interrupts done;
    Reads wanted;
    Reads missing;                  // beats of several atoms: those of them that have not been read
    uint64_t stalled = 0, busy = 0; // clocks of the client that are accounted for
    Fetch(Design &design, Memory &memory, const char *name, const ReadPins &pins, const CData &interrupt)
        : client(design, memory, name, pins), done(design, interrupt, name) {
    }
};

// One entry of CBUF that must be read and compared.
struct Look {
    int entry, next; // global entry index and, for the data port, the one behind it in the ring (-1: none)
    Bytes want;      // entry_bytes, fewer: only these are compared
    Bytes want_next;
    bool compare_next;
    size_t layer;
};

struct Slice {
    int entry; // ring entry
    int eps;   // entries it takes
    Bytes content;
};

// CSC's place: takes the reports of CDMA, looks at what they promise, releases.
class Csc : public Agent {
  public:
    int delay_limit = 0; // largest number of clocks it lets pass between its steps
    Csc(Design &design, uint64_t seed) : top(&design.top), random(seed) {
        design.add(*this);
    }
    void begin(const std::vector<Layer> &list) {
        layers = list;
    }
    bool over() const {
        return csc.layer == layers.size() && dat_looks.empty() && wt_looks.empty() && !dat_looking && !wt_looking;
    }
    std::string state() const {
        return "layer " + std::to_string(csc.layer) + " state " + std::to_string(int(csc.state));
    }
    void drive() override {
        consumer();
        readers();
    }
    void sample() override {
        reports();
    }

  private:
    Vbench *top;
    Random random;
    std::vector<Layer> layers;
    struct Consumer {
        enum State { Start, Pend, Drop, Settle, Work, Groups, Check, Release, End } state = Start;
        size_t layer = 0;
        int delay = 0;
        bool dat_request = false, wt_request = false;
        int mode = 0;
        int leftover = 0; // lines kept
        int kept_weight_entries = 0, kept_mask_entries = 0;
        std::deque<Slice> slices; // reported and not released
        int kernels = 0;          // reported and not used
        int group = 0;
        int released_entries = 0; // weight entries of the layer
        int released_masks = 0;   // mask entries of the layer
    } csc;
    // Reports of the layer that CDMA is fetching.
    size_t up_dat_layer = 0, up_wt_layer = 0;
    int up_lines = 0, up_kernels = 0, up_entries = 0;
    uint32_t weights_seen = 0, masks_seen = 0; // bytes of the layer that were looked at
    std::deque<Look> dat_looks, wt_looks;
    bool dat_looking = false, wt_looking = false;
    Look dat_look, wt_look;

    int wait() {
        return random.below(delay_limit + 1);
    }

    void look_at_slice(const Slice &s, int ring, size_t layer) {
        const int n = int(s.content.size()) / entry_bytes;
        for (int e = 0; e < n; e++) {
            Look k{};
            k.entry = (s.entry + e) % ring;
            k.next = (s.entry + e + 1) % ring;
            k.want.assign(s.content.begin() + e * entry_bytes, s.content.begin() + (e + 1) * entry_bytes);
            k.compare_next = e + 1 < n;
            if (k.compare_next)
                k.want_next.assign(s.content.begin() + (e + 1) * entry_bytes,
                                   s.content.begin() + (e + 2) * entry_bytes);
            k.layer = layer;
            dat_looks.push_back(k);
        }
    }

    // Weight bytes [from, to) of a layer whose first weight is at ring entry `start`.
    void look_at_weights(size_t layer, uint32_t from, uint32_t to) {
        const Layer &l = layers[layer];
        for (uint32_t e = from / uint32_t(entry_bytes); e * uint32_t(entry_bytes) < to; e++) {
            Look k{};
            k.entry = l.ring() + (l.wt_entry + int(e)) % l.weight_ring();
            k.next = -1;
            const uint32_t end = std::min<uint32_t>((e + 1) * uint32_t(entry_bytes), to);
            for (uint32_t i = e * uint32_t(entry_bytes); i < end; i++)
                k.want.push_back(stored_weight_byte(l, i));
            k.layer = layer;
            wt_looks.push_back(k);
        }
    }

    // Likewise bytes of mask bits.
    void look_at_masks(size_t layer, uint32_t from, uint32_t to) {
        const Layer &l = layers[layer];
        for (uint32_t e = from / uint32_t(entry_bytes); e * uint32_t(entry_bytes) < to; e++) {
            Look k{};
            k.entry = (banks - 1) * depth + (l.mask_entry + int(e)) % depth;
            k.next = -1;
            const uint32_t end = std::min<uint32_t>((e + 1) * uint32_t(entry_bytes), to);
            for (uint32_t i = e * uint32_t(entry_bytes); i < end; i++)
                k.want.push_back(memory_byte(aligned(l.mask_base) + i, l.weight_ram));
            k.layer = layer;
            wt_looks.push_back(k);
        }
    }

    void reports() {
        if (top->dat_up_valid_o)
            data_report();
        if (top->wt_up_valid_o)
            weight_report();
    }
    void data_report() {
        {
            while (up_dat_layer < layers.size() && !layers[up_dat_layer].dat_fetch)
                up_dat_layer++;
            if (up_dat_layer >= layers.size())
                return checks.fail("data report after the last fetch");
            const Layer &l = layers[up_dat_layer];
            const int lines = top->dat_up_slices_o;
            const int want = l.image      ? 1
                             : l.winograd ? superslice_lines
                                          : std::min(l.line_packed ? l.grain : 1, l.h - up_lines);
            if (lines != want || top->dat_up_entries_o != lines * l.line_entries())
                checks.fail("layer %zu: report of %d slices, %d entries; %d lines of %d entries are due", up_dat_layer,
                            lines, int(top->dat_up_entries_o), want, l.line_entries());
            for (int i = 0; i < lines && !checks.failing(); i++) {
                Slice s;
                s.entry = (l.dat_entry + up_lines * l.line_entries()) % l.ring();
                s.eps = l.line_entries();
                s.content = slice(l, up_lines);
                look_at_slice(s, l.ring(), up_dat_layer);
                csc.slices.push_back(s);
                up_lines++;
            }
            if (up_lines == l.lines()) {
                up_dat_layer++;
                up_lines = 0;
            }
        }
    }
    void weight_report() {
        {
            while (up_wt_layer < layers.size() && !layers[up_wt_layer].wt_fetch)
                up_wt_layer++;
            if (up_wt_layer >= layers.size())
                return checks.fail("weight report after the last fetch");
            const Layer &l = layers[up_wt_layer];
            const bool last = l.kernels - up_kernels <= l.kpg();
            const int want = last ? l.kernels - up_kernels : l.kpg();
            if (top->wt_up_kernels_o != want)
                checks.fail("layer %zu: report of %d kernels, %d are due", up_wt_layer, int(top->wt_up_kernels_o),
                            want);
            up_kernels += want;
            up_entries += top->wt_up_entries_o;
            const uint32_t bytes = last ? l.weight_bytes : uint32_t(l.used(up_kernels / l.kpg()));
            const uint32_t masks = last ? l.mask_bytes : uint32_t(cdiv(l.mask_bits(up_kernels / l.kpg()), 8));
            look_at_weights(up_wt_layer, weights_seen, bytes);
            look_at_masks(up_wt_layer, masks_seen, masks);
            weights_seen = bytes;
            masks_seen = masks;
            if (uint32_t(up_entries) < bytes / uint32_t(entry_bytes) || up_entries > l.weight_entries() ||
                (last && up_entries != l.weight_entries()))
                checks.fail("layer %zu: %d entries reported with %d kernels, layer has %d", up_wt_layer, up_entries,
                            up_kernels, l.weight_entries());
            csc.kernels += want;
            if (last) {
                up_wt_layer++;
                up_kernels = up_entries = 0;
                weights_seen = masks_seen = 0;
            }
        }
    }

    void release_lines(int n) {
        if (n == 0)
            return;
        int entries = 0;
        for (int i = 0; i < n && !csc.slices.empty(); i++) {
            entries += csc.slices.front().eps;
            csc.slices.pop_front();
        }
        top->dat_rl_valid_i = 1;
        top->dat_rl_entries_i = uint16_t(entries);
        top->dat_rl_slices_i = uint16_t(n);
    }
    void release_weights(int entries) {
        if (entries == 0)
            return;
        top->wt_rl_valid_i = 1;
        top->wt_rl_entries_i = uint16_t(entries);
    }

    void release_masks(int entries) {
        if (entries == 0)
            return;
        top->mask_rl_valid_i = 1;
        top->mask_rl_entries_i = uint16_t(entries);
    }

    // Gives back what the layer before kept and this one does not use.
    void settle(const Layer &l) {
        if (csc.leftover && !(l.data_reuse && l.mode() == csc.mode)) {
            release_lines(csc.leftover);
            csc.leftover = 0;
        }
        if (csc.kept_weight_entries && !l.weight_reuse) {
            release_weights(csc.kept_weight_entries);
            release_masks(csc.kept_mask_entries);
        }
        if (csc.kept_weight_entries && l.weight_reuse)
            csc.kernels += l.kernels;
        else
            csc.kept_weight_entries = csc.kept_mask_entries = 0;
        csc.group = 0;
        csc.released_entries = csc.released_masks = 0;
        csc.state = Consumer::Work;
        csc.delay = wait();
    }
    // Takes the next kernel group when it was reported, releases what it leaves behind.
    void use_group(const Layer &l) {
        const int size = std::min(l.kpg(), l.kernels - csc.group * l.kpg());
        if (csc.kernels < size)
            return;
        csc.kernels -= size;
        csc.group++;
        const bool last = csc.group == l.groups();
        // What the group leaves behind it: complete entries, at the end the last one too.
        const int used = l.used(csc.group), bits = l.mask_bits(csc.group), entry_bits = 8 * entry_bytes;
        const int total = last ? cdiv(used, entry_bytes) : used / entry_bytes;
        const int masks = last ? cdiv(bits, entry_bits) : bits / entry_bits;
        if (!l.skip_weight) {
            release_weights(total - csc.released_entries);
            release_masks(masks - csc.released_masks);
            csc.released_entries = total;
            csc.released_masks = masks;
        }
        csc.delay = wait();
        if (last) {
            // The weights are still there, kept ones too, when nothing was released.
            if (l.skip_weight) {
                size_t owner = csc.layer;
                while (!layers[owner].wt_fetch)
                    owner--;
                look_at_weights(owner, 0, layers[owner].weight_bytes);
                look_at_masks(owner, 0, layers[owner].mask_bytes);
            }
            csc.state = Consumer::Check;
            for (int i = 0; i < l.h_ext; i++)
                look_at_slice(csc.slices[size_t(i)], l.ring(), csc.layer);
        }
    }

    void consumer() {
        top->dat_rl_valid_i = 0;
        top->wt_rl_valid_i = 0;
        top->mask_rl_valid_i = 0;
        if (csc.layer >= layers.size())
            return;
        if (csc.delay > 0) {
            csc.delay--;
            return;
        }
        const Layer &l = layers[csc.layer];
        switch (csc.state) {
        case Consumer::Start:
            if (l.wt_pend) {
                csc.wt_request = true;
                csc.dat_request = l.dat_pend;
                csc.state = Consumer::Pend;
            } else
                csc.state = Consumer::Settle;
            break;
        case Consumer::Pend:
            if (csc.dat_request) {
                csc.slices.clear();
                csc.leftover = 0;
            }
            csc.kernels = 0;
            csc.kept_weight_entries = csc.kept_mask_entries = 0;
            if (top->wt_pending_ack_o && (!csc.dat_request || top->dat_pending_ack_o)) {
                csc.state = Consumer::Drop;
                csc.delay = wait() % 4; // requests stay for a clock at least
            }
            break;
        case Consumer::Drop:
            csc.wt_request = csc.dat_request = false;
            csc.state = Consumer::Settle;
            break;
        case Consumer::Settle:
            settle(l);
            break;
        case Consumer::Work:
            if (int(csc.slices.size()) < l.h_ext)
                break;
            csc.state = Consumer::Groups;
            break;
        case Consumer::Groups:
            use_group(l);
            break;
        case Consumer::Check:
            if (!dat_looks.empty() || !wt_looks.empty() || dat_looking || wt_looking)
                break;
            csc.state = Consumer::Release;
            break;
        case Consumer::Release:
            if (!l.skip_data)
                release_lines(l.rls);
            csc.leftover = l.skip_data ? l.h_ext : l.h_ext - l.rls;
            csc.kept_weight_entries = l.skip_weight ? l.weight_entries() : 0;
            csc.kept_mask_entries = l.skip_weight ? l.mask_entries() : 0;
            csc.mode = l.mode();
            csc.delay = wait();
            csc.state = Consumer::End;
            break;
        case Consumer::End:
            csc.layer++;
            csc.state = Consumer::Start;
            break;
        }
        top->dat_pending_req_i = csc.dat_request;
        top->wt_pending_req_i = csc.wt_request;
    }

    void compare(const Look &k, const char *what, const void *port, const Bytes &want, int entry) {
        const Bytes got(static_cast<const uint8_t *>(port), static_cast<const uint8_t *>(port) + entry_bytes);
        for (size_t i = 0; i < want.size(); i++)
            if (got[i] != want[i])
                return checks.fail("layer %zu: %s entry %d byte %zu is %02x, not %02x", k.layer, what, entry, i, got[i],
                                   want[i]);
    }

    void readers() {
        if (dat_looking) {
            compare(dat_look, "data", &top->dat_rd_data_o, dat_look.want, dat_look.entry);
            if (dat_look.compare_next)
                compare(dat_look, "data (next port)", &top->dat_rd_next_data_o, dat_look.want_next, dat_look.next);
        }
        if (wt_looking)
            compare(wt_look, "weight", &top->wt_rd_data_o, wt_look.want, wt_look.entry);
        dat_looking = !dat_looks.empty();
        wt_looking = !wt_looks.empty();
        top->dat_rd_valid_i = dat_looking;
        top->dat_rd_next_valid_i = dat_looking;
        top->wt_rd_valid_i = wt_looking;
        if (dat_looking) {
            dat_look = dat_looks.front();
            dat_looks.pop_front();
            top->dat_rd_addr_i = uint16_t(dat_look.entry);
            top->dat_rd_next_addr_i = uint16_t(dat_look.next);
        }
        if (wt_looking) {
            wt_look = wt_looks.front();
            wt_looks.pop_front();
            top->wt_rd_addr_i = uint16_t(wt_look.entry);
        }
    }
};

class Bench {
  public:
    uint64_t armed_at = 0;   // clock of the last D_OP_ENABLE write
    uint64_t flushed_at = 0; // clocks from reset to FLUSH_DONE
    Random random;
    Design design;
    FunctionMemory memory;
    Fetch dat, wt;
    Csc csc;
    Csb csb;
    Chain chain;

    Bench(const Behaviour &behaviour, uint64_t seed)
        : random(seed), memory(design, behaviour, seed ^ 0x5a5a5a5a),
          dat(design, memory, "data", read_port(design.top.dat_mif_o, design.top.dat_mif_i),
              design.top.dat_done_intr_o),
          wt(design, memory, "weight", read_port(design.top.wt_mif_o, design.top.wt_mif_i), design.top.wt_done_intr_o),
          csc(design, seed ^ 0xc5c),
          csb(design, {{NVDLA_CDMA, &design.top.csb_req_i, 1, &design.top.csb_rdata_o}}, seed ^ 0xc5b),
          chain(design, csb, dat.done, 4000000) {
        connect(dat, true);
        connect(wt, false);
    }

    // Plays the layers to the end, or until something fails.
    void play(std::vector<Layer> list) {
        layers = std::move(list);
        plan(layers);
        stats.assign(layers.size(), {});
        csc.begin(layers);
        for (Fetch *f : {&dat, &wt})
            f->wanted = f->missing = reads_of(*f, 0);
        program();
        // Long enough for any stalls and delays: counted from the work that there is.
        uint64_t limit = 60000;
        for (const Layer &l : layers)
            limit += 400 *
                     uint64_t(l.lines() * l.line_entries() * slots + l.w * l.h * 4 + int(l.weight_bytes) / atom + 2000);
        const uint64_t end = design.now + limit;
        while (!checks.failing() && design.now < end && !over())
            design.clock();
        if (!checks.failing() && !over())
            checks.fail("no end after %" PRIu64 " clocks: data of %zu layers, weights of %zu layers, CSC %s", limit,
                        dat.done.count(), wt.done.count(), csc.state().c_str());
        read_back_rest();
        for (int i = 0; i < 50 && !checks.failing(); i++)
            design.clock(); // nothing may follow the end
        for (Fetch *f : {&dat, &wt})
            f->done.check(layers.size());
    }

    // Reads an entry after the last layer: those of the upper banks by the port of weights.
    Bytes peek(int entry) {
        Vbench &top = design.top;
        const bool upper = entry >= banks * depth / 2;
        top.dat_rd_valid_i = !upper;
        top.wt_rd_valid_i = upper;
        top.dat_rd_addr_i = top.wt_rd_addr_i = uint16_t(entry);
        for (const CData level : {CData(0), CData(1)}) {
            top.clk_i = level;
            top.eval();
        }
        top.dat_rd_valid_i = top.wt_rd_valid_i = 0;
        Bytes bytes(static_cast<size_t>(entry_bytes));
        Pin(upper ? top.wt_rd_data_o : top.dat_rd_data_o).get(bytes.data(), bytes.size());
        return bytes;
    }

  private:
    std::vector<Layer> layers;
    struct Stat {
        uint64_t dat_stall = 0, wt_stall = 0, dat_busy = 0, wt_busy = 0;
    };
    std::vector<Stat> stats;

    bool over() const {
        return csc.over() && dat.done.count() >= layers.size() && wt.done.count() >= layers.size();
    }
    // Atoms that a client may read for a layer.
    Reads reads_of(const Fetch &f, size_t layer) const {
        if (layer >= layers.size())
            return {};
        const Layer &l = layers[layer];
        return &f == &dat ? (l.dat_fetch ? data_reads(l) : Reads{}) : (l.wt_fetch ? weight_reads(l) : Reads{});
    }
    void connect(Fetch &f, bool data) {
        const char *name = data ? "data" : "weight";
        f.client.wanted = [&f, name](bool primary, uint64_t address) {
            const auto it = f.wanted.find({address, primary});
            if (it == f.wanted.end())
                checks.fail("%s: atom %" PRIx64 " (memory %d) read, not needed by layer %zu or read before", name,
                            address, primary, f.done.count());
            else if (wr_atoms > 1)
                f.missing.erase({address, primary});
            else if (--it->second == 0)
                f.wanted.erase(it);
        };
        f.done.seen = [this, &f, name, data](int) {
            const size_t layer = f.done.count() - 1;
            if (layer >= layers.size())
                return checks.fail("%s interrupt after the last layer", name);
            const Reads &left = wr_atoms > 1 ? f.missing : f.wanted;
            if (!left.empty())
                checks.fail("%s interrupt of layer %zu, %zu atoms not read, first %" PRIx64, name, layer, left.size(),
                            left.begin()->first.first);
            Stat &s = stats[layer];
            (data ? s.dat_stall : s.wt_stall) = f.client.stalled - f.stalled;
            (data ? s.dat_busy : s.wt_busy) = f.client.busy - f.busy;
            f.stalled = f.client.stalled;
            f.busy = f.client.busy;
            f.wanted = f.missing = reads_of(f, layer + 1);
        };
    }

    void write(uint32_t offset, uint32_t value) {
        csb.write(0, offset, value);
    }
    void program() {
        while (!checks.failing() && !(csb.read(0, CDMA_S_CBUF_FLUSH_STATUS) & 1)) {
        }
        flushed_at = design.now - 1;
        write(CDMA_S_ARBITER, random.percent(50) ? 0x0003000f : random.below(16u) << 16 | random.below(16u));
        for (size_t i = 0; i < layers.size(); i++) {
            if (!chain.wait_free(0))
                return;
            write(CDMA_S_POINTER, chain.group(0));
            if (i >= 2)
                read_back(i - 2);
            program(layers[i]);
            const uint32_t kept = csb.read(0, CDMA_D_WEIGHT_BYTES);
            if (kept != layers[i].weight_bytes)
                checks.fail("layer %zu: D_WEIGHT_BYTES reads %08x, not %08x", i, kept, layers[i].weight_bytes);
            write(CDMA_D_OP_ENABLE, 1);
            armed_at = design.now - 1;
            chain.armed(0);
            if (random.percent(20))
                write(CDMA_D_WEIGHT_BYTES, ~layers[i].weight_bytes); // dropped, the group is armed
        }
    }
    // Status registers of a layer that is over; its group is selected.
    void read_back(size_t i) {
        const Stat &s = stats[i];
        const bool perf = layers[i].perf;
        const auto [data_specials, weight_specials] = specials(layers[i]);
        const struct {
            uint32_t offset;
            uint64_t want;
        } registers[] = {{CDMA_D_PERF_DAT_READ_STALL, perf ? s.dat_stall : 0},
                         {CDMA_D_PERF_WT_READ_STALL, perf ? s.wt_stall : 0},
                         {CDMA_D_PERF_DAT_READ_LATENCY, perf ? s.dat_busy : 0},
                         {CDMA_D_PERF_WT_READ_LATENCY, perf && wide_lanes ? s.wt_busy : 0},
                         {CDMA_D_NAN_INPUT_DATA_NUM, data_specials.nan},
                         {CDMA_D_INF_INPUT_DATA_NUM, data_specials.infinity},
                         {CDMA_D_NAN_INPUT_WEIGHT_NUM, weight_specials.nan},
                         {CDMA_D_INF_INPUT_WEIGHT_NUM, weight_specials.infinity},
                         {CDMA_D_OP_ENABLE, 0}};
        for (const auto &r : registers) {
            const uint32_t got = csb.read(0, r.offset);
            if (got != r.want)
                checks.fail("layer %zu: status register %03x reads %u, not %" PRIu64, i, r.offset, got, r.want);
        }
    }
    void read_back_rest() {
        for (size_t i = layers.size() >= 2 ? layers.size() - 2 : 0; i < layers.size(); i++) {
            if (checks.failing() || !chain.wait_group(0, uint32_t(i & 1)))
                return;
            write(CDMA_S_POINTER, uint32_t(i & 1));
            read_back(i);
        }
    }
    void program(const Layer &l) {
        write(CDMA_D_MISC_CFG, uint32_t(l.winograd) | uint32_t(l.in_precision) << 8 | uint32_t(l.proc_precision) << 12 |
                                   uint32_t(l.data_reuse) << 16 | uint32_t(l.weight_reuse) << 20 |
                                   uint32_t(l.skip_data) << 24 | uint32_t(l.skip_weight) << 28);
        write(CDMA_D_DATAIN_FORMAT, uint32_t(l.image) | uint32_t(l.format) << 8 | uint32_t(l.sign_override) << 20);
        write(CDMA_D_DATAIN_SIZE_0, uint32_t(l.w - 1) | uint32_t(l.h - 1) << 16);
        write(CDMA_D_DATAIN_SIZE_1, uint32_t(l.c - 1));
        write(CDMA_D_DATAIN_SIZE_EXT_0, uint32_t(l.w_ext - 1) | uint32_t(l.lines_ext - 1) << 16);
        write(CDMA_D_CONV_STRIDE, uint32_t(l.sx - 1) | uint32_t(l.sy - 1) << 16);
        write(CDMA_D_BATCH_NUMBER, uint32_t(l.batches - 1));
        write(CDMA_D_BATCH_STRIDE, l.batch_stride);
        write(CDMA_D_NAN_FLUSH_TO_ZERO, l.flush_nans);
        write(CDMA_D_PIXEL_OFFSET, uint32_t(l.x_offset) | uint32_t(random.below(8)) << 16);
        write(CDMA_D_DAIN_RAM_TYPE, l.ram);
        write(CDMA_D_DAIN_ADDR_HIGH_0, uint32_t(l.base0 >> 32));
        write(CDMA_D_DAIN_ADDR_LOW_0, uint32_t(l.base0));
        write(CDMA_D_DAIN_ADDR_HIGH_1, uint32_t(l.base1 >> 32));
        write(CDMA_D_DAIN_ADDR_LOW_1, uint32_t(l.base1));
        write(CDMA_D_LINE_STRIDE, l.line);
        write(CDMA_D_LINE_UV_STRIDE, l.uv_line);
        write(CDMA_D_SURF_STRIDE, l.surface);
        write(CDMA_D_DAIN_MAP, uint32_t(l.line_packed) | uint32_t(l.surf_packed) << 16);
        write(CDMA_D_ENTRY_PER_SLICE, uint32_t(l.eps - 1));
        write(CDMA_D_FETCH_GRAIN, uint32_t(l.grain - 1));
        write(CDMA_D_WEIGHT_SIZE_0, uint32_t(l.kernel_bytes - 1));
        write(CDMA_D_WEIGHT_SIZE_1, uint32_t(l.kernels - 1));
        write(CDMA_D_WEIGHT_RAM_TYPE, l.weight_ram);
        write(CDMA_D_WEIGHT_ADDR_HIGH, uint32_t(l.weight_base >> 32));
        write(CDMA_D_WEIGHT_ADDR_LOW, uint32_t(l.weight_base));
        write(CDMA_D_WEIGHT_BYTES, l.weight_bytes);
        write(CDMA_D_WEIGHT_FORMAT, l.compressed);
        write(CDMA_D_WGS_ADDR_HIGH, uint32_t(l.size_base >> 32));
        write(CDMA_D_WGS_ADDR_LOW, uint32_t(l.size_base));
        write(CDMA_D_WMB_ADDR_HIGH, uint32_t(l.mask_base >> 32));
        write(CDMA_D_WMB_ADDR_LOW, uint32_t(l.mask_base));
        write(CDMA_D_WMB_BYTES, l.mask_bytes);
        write(CDMA_D_MEAN_FORMAT, l.mean);
        write(CDMA_D_MEAN_GLOBAL_0, uint32_t(uint16_t(l.means[0])) | uint32_t(uint16_t(l.means[1])) << 16);
        write(CDMA_D_MEAN_GLOBAL_1, uint32_t(uint16_t(l.means[2])) | uint32_t(uint16_t(l.means[3])) << 16);
        write(CDMA_D_CVT_CFG, uint32_t(l.cvt) | uint32_t(l.truncate) << 4);
        write(CDMA_D_CVT_OFFSET, uint16_t(l.offset));
        write(CDMA_D_CVT_SCALE, uint16_t(l.scale));
        write(CDMA_D_ZERO_PADDING, uint32_t(l.pad_left) | uint32_t(l.pad_right) << 8 |
                                       uint32_t(l.winograd ? l.pad_top : random.below(32)) << 16 |
                                       uint32_t(l.winograd ? l.pad_bottom : random.below(64)) << 24);
        write(CDMA_D_ZERO_PADDING_VALUE, uint32_t(l.pad_value));
        write(CDMA_D_BANK, uint32_t(l.data_bank - 1) | uint32_t(l.weight_bank - 1) << 16);
        write(CDMA_D_PERF_ENABLE, l.perf);
    }
};

// ---- random layers ----

uint64_t random_address(Random &r) {
    uint64_t a = 0x10000000 + (r.bits64() & 0xffffff);
    if (config->addr_bits == 64)
        a |= uint64_t(r.below(4)) << 32;
    if (r.percent(70) || wide_lanes)
        a = aligned(a);
    return a;
}

void random_convertor(Random &r, Layer &l) {
    l.cvt = r.percent(60);
    l.flush_nans = r.percent(50);
    if (!wide_lanes)
        l.proc_precision = r.percent(10) ? Int16 : Int8;
    l.offset = sign16(int(r.bits64()));
    l.scale = sign16(int(r.bits64()));
    if (r.percent(60)) {
        l.offset >>= r.below(16);
        l.scale >>= r.below(16);
    }
    if (r.percent(15))
        l.scale = r.percent(50) ? -32768 : 32767;
    if (r.percent(15))
        l.offset = r.percent(50) ? -32768 : 32767;
    l.truncate = r.percent(70) ? r.below(24) : r.below(64);
    l.mean = r.percent(30);
    for (int &m : l.means)
        m = sign16(int(r.bits64())) >> r.below(16);
}

// Of a cube.
void random_precision(Random &r, Layer &l) {
    l.in_precision = l.proc_precision = wide_lanes ? r.below(3) : int(Int8);
}

void random_feature(Random &r, Layer &l) {
    l.image = l.winograd = false;
    l.format = wide_lanes ? r.below(0x24) : 0;
    l.x_offset = r.below(32);
    l.batches = config->batch_max > 1 && r.percent(30) ? r.range(2, r.percent(30) ? 32 : 5) : 1;
    random_precision(r, l);
    const int ring = l.ring();
    do {
        l.w = r.percent(20) ? 1 : r.range(1, r.percent(20) ? 90 : 17);
        l.c = r.percent(20) ? r.range(1, 40 * atom) : r.range(1, 6 * atom);
        l.eps = l.needed_eps();
    } while (l.line_entries() > ring);
    if (l.batches == 1 && r.percent(10))
        l.eps = std::min(l.eps + r.below(4), ring);
    l.h = r.percent(20) ? 1 : r.range(1, std::min(ring / l.line_entries(), 40));
    if (r.percent(30))
        l.h = std::min(ring / l.line_entries(), 300); // the whole ring
    l.base0 = random_address(r);
    l.line_packed = r.percent(60);
    l.surf_packed = r.percent(50);
    l.line = uint32_t(l.w * atom);
    if (!l.line_packed || r.percent(10))
        l.line += uint32_t(r.below(4) * atom);
    l.surface = uint32_t(l.h) * l.line + (r.percent(50) ? uint32_t(r.below(5) * atom) : 0);
    if (r.percent(5))
        l.line = 0; // every line the same
    l.batch_stride = uint32_t(l.surfaces()) * l.surface + uint32_t(r.below(5) * atom);
    if (r.percent(30) && !wide_lanes) { // low bits that have no effect
        l.line += uint32_t(r.below(atom));
        l.surface += uint32_t(r.below(atom));
    }
    l.grain = r.percent(40) ? 1 : r.range(1, std::min(16, l.h + 2));
    while (l.line_packed && std::min(l.grain, l.h) * l.line_entries() > ring)
        l.grain--;
    random_convertor(r, l);
}

void random_image(Random &r, Layer &l) {
    l.image = true;
    l.winograd = false;
    l.batches = 1;
    do
        l.format = r.percent(30) ? 0x1c + r.below(wide_lanes ? 8 : 2) : r.percent(20) ? 0 : r.below(0x24);
    while (!nvdla_pixel_format(config, uint32_t(l.format)));
    l.in_precision = l.pixel().precision;
    l.proc_precision = l.in_precision == Fp16 ? Fp16 : wide_lanes && r.percent(60) ? r.below(3) : l.in_precision;
    const int ring = l.ring();
    do {
        l.w = r.percent(15) ? 1 : r.range(1, r.percent(20) ? 400 : 40);
        l.pad_left = r.percent(40) ? 0 : r.below(32);
        l.pad_right = r.percent(40) ? 0 : r.below(64);
        l.eps = l.needed_eps();
    } while (l.eps > ring);
    if (r.percent(10))
        l.eps = std::min(l.eps + r.below(4), ring);
    l.c = l.channels();
    const int *pixel_bytes = l.pixel().pixel_bytes;
    l.x_offset = r.below(std::min(atom / pixel_bytes[0], 32));
    l.pad_value = int(r.bits64() & 0xffff);
    l.h = r.percent(30) ? std::min(ring / l.eps, 60) : r.range(1, std::min(ring / l.eps, 24));
    l.base0 = random_address(r);
    l.base1 = random_address(r);
    l.line = uint32_t(cdiv((l.x_offset + l.w) * pixel_bytes[0], atom) * atom + r.below(3) * atom);
    l.uv_line = uint32_t(cdiv((l.x_offset + l.w) * pixel_bytes[1], atom) * atom + r.below(3) * atom);
    if (r.percent(20) && !wide_lanes) { // byte sums decide
        l.line += uint32_t(r.below(atom));
        l.uv_line += uint32_t(r.below(atom));
    }
    l.sign_override = r.percent(50);
    l.line_packed = r.percent(50);
    l.grain = r.range(1, 20);
    random_convertor(r, l);
    if (wide_lanes)
        l.cvt = l.cvt || l.in_precision != l.proc_precision;
}

void random_winograd(Random &r, Layer &l) {
    l.image = false;
    l.winograd = true;
    l.batches = 1;
    random_precision(r, l);
    const int ring = l.ring();
    do {
        l.sx = r.percent(50) ? 1 : r.range(1, 8);
        l.sy = r.percent(50) ? 1 : r.range(1, 8);
        l.c = r.range(1, (r.percent(20) ? 5 : 2) * atom);
        l.w_ext = 4 * r.range(1, 4);
        l.lines_ext = 4 * r.range(1, 4);
        l.eps = l.needed_eps();
    } while (l.eps * l.lines_ext > ring);
    // Padded sizes are exact; pads may take everything but one.
    const int width = l.w_ext * l.sx, height = l.lines_ext * l.sy;
    l.pad_left = r.percent(40) ? r.below(2) : r.below(std::min(width, 32));
    l.pad_right = r.percent(40) ? 0 : r.below(std::min(width - l.pad_left, 64));
    l.w = width - l.pad_left - l.pad_right;
    l.pad_top = r.percent(40) ? r.below(2) : r.below(std::min(height, 32));
    l.pad_bottom = r.percent(40) ? 0 : r.below(std::min(height - l.pad_top, 64));
    l.h = height - l.pad_top - l.pad_bottom;
    l.pad_value = int(r.bits64() & 0xffff);
    if (l.proc_precision == Fp16 && r.percent(30))
        l.pad_value = r.percent(50) ? 0x7c00 : 0xfe01;
    l.base0 = random_address(r);
    l.line = uint32_t(l.w * atom + r.below(3) * atom);
    l.surface = uint32_t(l.h) * l.line + uint32_t(r.below(5) * atom);
    l.line_packed = r.percent(50);
    l.surf_packed = r.percent(50);
    l.grain = r.range(1, 20);
    random_convertor(r, l);
}

// Sizes of the groups of a layer with compressed weights, laid into the memory; mask bits and weights are what the
// memory holds.
void random_compression(Random &r, Layer &l) {
    l.mask_bytes = uint32_t(cdiv(cdiv(l.kernels * l.kernel_bytes / l.element_bytes(), 8), weight_unit) * weight_unit);
    l.mask_base = random_address(r);
    l.size_base = (UINT64_C(0x5a5a) << 32) + ++laid_surfaces * 0x10000 + uint64_t(r.below(9) * atom);
    uint32_t end = 0;
    for (int g = 0; g < l.groups(); g++) {
        const int all = l.kernel_bytes * std::min(l.kpg(), l.kernels - g * l.kpg());
        uint32_t size = uint32_t(r.percent(15) ? 0 : r.percent(15) ? all : r.below(all + 1));
        size = size / uint32_t(l.element_bytes()) * uint32_t(l.element_bytes());
        if (g == 0 && size == 0)
            size = uint32_t(l.element_bytes()); // a layer of zeros alone has nothing that the stand-in could keep
        end += size;
        l.group_end.push_back(end);
        for (int i = 0; i < 4; i++)
            laid[aligned(l.size_base) + uint64_t(4 * g + i)] = uint8_t(size >> 8 * i);
    }
    l.weight_bytes = uint32_t(cdiv(int(end), weight_unit) * weight_unit);
}

void random_weights(Random &r, Layer &l) {
    const int room = (l.weight_bank * depth - 2) * entry_bytes;
    const int group = l.kpg(), unit = l.element_bytes();
    do {
        l.kernels = r.percent(50) ? r.range(1, 2 * group + 3) : r.range(1, 6 * group);
        l.kernel_bytes = r.range(1, r.percent(30) ? 900 : 120);
        if (r.percent(30)) // about the whole ring in a group
            l.kernel_bytes = std::max(1, room / std::min(l.kernels, group) - r.below(20));
        l.kernel_bytes = cdiv(l.kernel_bytes, unit) * unit;
    } while (std::min(l.kernels, group) * l.kernel_bytes > room || l.kernels * l.kernel_bytes > 60000);
    l.weight_bytes = uint32_t(cdiv(l.kernels * l.kernel_bytes, weight_unit) * weight_unit);
    l.weight_base = random_address(r);
    l.compressed = config->weight_compression && r.percent(70);
    l.mask_bytes = 0;
    l.group_end.clear();
    if (l.compressed)
        random_compression(r, l);
}

// A chain in which every layer can run: what CSC keeps has the shape of what it meets.
std::vector<Layer> random_chain(Random &r) {
    std::vector<Layer> chain;
    std::vector<int> modes = {0, 0, 1};
    if (config->winograd)
        modes.push_back(2);
    const int count = r.range(2, 12);
    int kept_lines = 0;        // by CSC after the last layer
    bool kept_weights = false; // the same
    for (int i = 0; i < count; i++) {
        const bool first = chain.empty();
        const int usable = banks - config->weight_compression; // the last bank is that of the mask bits
        Layer l;
        if (!first)
            l = chain.back();
        const Layer last = l;
        if (first || r.percent(15)) {
            l.data_bank = r.percent(70) ? r.range(1, 3) : r.range(1, usable - 2);
            l.weight_bank = r.percent(70) ? r.range(1, 3) : r.range(1, usable - l.data_bank - 1);
            l.weight_bank = std::min(l.weight_bank, usable - l.data_bank);
        } else if (r.percent(8))
            l.weight_bank = r.range(1, std::min(4, usable - l.data_bank));
        const bool dat_pend = first || l.data_bank != last.data_bank;
        const bool wt_pend = dat_pend || l.weight_bank != last.weight_bank;
        l.data_reuse = !first && r.percent(kept_lines ? 70 : 15);
        l.weight_reuse = !first && r.percent(kept_weights ? 70 : 15);
        // With the reuse bit and the other mode everything is fetched, and CSC drops what it kept.
        const bool other_mode = r.percent(20);
        const bool skips_fetch = !dat_pend && l.data_reuse && last.skip_data && kept_lines > 0 && !other_mode;
        if (skips_fetch) {
            // Same data. The height register does not matter.
            l.h_ext = kept_lines;
            if (r.percent(30))
                l.h = r.range(1, 20);
        } else if (!dat_pend && l.data_reuse && kept_lines > 0 && !other_mode) {
            // New lines after the kept ones, of the same shape, if there is room for one; else the kept ones go.
            const int room = l.winograd ? 0 : l.ring() / l.line_entries() - kept_lines;
            if (room > 0) {
                l.h = r.range(1, std::min(room, 20));
                l.base0 = random_address(r);
                l.h_ext = kept_lines + l.h;
            } else {
                l.data_reuse = false;
                l.h = std::min(l.h, l.ring() / l.line_entries());
                l.h_ext = l.lines();
            }
        } else {
            // Another mode than what is kept has, where that shall not be used.
            int mode;
            do
                mode = modes[size_t(r.below(int(modes.size())))];
            while (!dat_pend && l.data_reuse && kept_lines > 0 && mode == last.mode());
            if (mode == 0)
                random_feature(r, l);
            else if (mode == 1)
                random_image(r, l);
            else
                random_winograd(r, l);
            l.h_ext = l.lines();
        }
        if (l.mode() == 0 && l.line_packed)
            while (l.grain > 1 && std::min(l.grain, l.h) * l.line_entries() > l.ring())
                l.grain--;
        if (l.wide() != last.wide())
            l.weight_reuse = false; // groups of another size
        const bool skips_weights = !wt_pend && l.weight_reuse && last.skip_weight;
        if (!skips_weights)
            random_weights(r, l);
        l.skip_data = r.percent(30);
        l.rls = r.percent(60) ? l.h_ext : r.range(1, l.h_ext);
        // Kept weights must fit beside the next layer's, all of them.
        const int fit = l.weight_bank * depth - 2;
        l.skip_weight = r.percent(30) && l.weight_entries() <= fit;
        l.ram = l.weight_ram = true;
        if (config->secondary_memory) {
            l.ram = skips_fetch ? last.ram : r.percent(50);
            l.weight_ram = skips_weights ? last.weight_ram : r.percent(50);
        }
        if (first && config->secondary_memory)
            l.ram = r.percent(50);
        l.perf = r.percent(50);
        kept_lines = l.skip_data ? l.h_ext : l.h_ext - l.rls;
        kept_weights = l.skip_weight;
        chain.push_back(l);
    }
    return chain;
}

std::string describe(const Layer &l) {
    char text[500];
    snprintf(text, sizeof text,
             "%s %dx%dx%d, precision %d to %d, cvt %d, batches %d, winograd %dx%d by %dx%d, format %02x grain %d "
             "packed %d/%d "
             "eps %d (%d) pads %d %d %d x %d, h_ext %d rls %d, "
             "banks %d %d, data %s%s%s at %d, "
             "%d kernels of %d, %u bytes, %u of masks, %s%s%s at %d",
             l.image      ? "image"
             : l.winograd ? "Winograd"
                          : "cube",
             l.w, l.h, l.c, l.in_precision, l.proc_precision, l.cvt, l.batches, l.w_ext, l.lines_ext, l.sx, l.sy,
             unsigned(l.format), l.grain, l.line_packed, l.surf_packed, l.eps, l.needed_eps(), l.pad_left, l.pad_right,
             l.pad_top, l.x_offset, l.h_ext, l.rls, l.data_bank, l.weight_bank, l.dat_fetch ? "fetch" : "none",
             l.data_reuse ? " reuse" : "", l.skip_data ? " skip" : "", l.dat_entry, l.kernels, l.kernel_bytes,
             l.weight_bytes, l.mask_bytes, l.wt_fetch ? "fetch" : "none", l.weight_reuse ? " reuse" : "",
             l.skip_weight ? " skip" : "", l.wt_entry);
    return text;
}

// ---- directed cases ----

Layer simple_weights(Layer l) {
    l.kernels = config->atomic_k;
    l.kernel_bytes = atom;
    l.weight_bytes = uint32_t(config->atomic_k * atom);
    l.weight_base = 0x40000000;
    return l;
}

// Runs a layer of one line on a memory whose bytes are their addresses, and compares the beginning of CBUF with
// a given string.
void vector_case(const char *name, Layer l, const Bytes &want) {
    checks.start(name);
    plain_memory = true;
    l.line = l.uv_line = 0x1000;
    l.surface = 0x10000;
    l.eps = l.needed_eps();
    l = simple_weights(l);
    Bench bench(Behaviour::quiet(32), 1);
    bench.play({l});
    Bytes got;
    for (int e = 0; e < cdiv(int(want.size()), entry_bytes); e++) {
        const Bytes b = bench.peek(e);
        got.insert(got.end(), b.begin(), b.end());
    }
    for (size_t i = 0; i < want.size(); i++)
        if (got[i] != want[i])
            checks.fail("byte %zu is %02x, not %02x", i, got[i], want[i]);
    plain_memory = false;
}

// Vectors of configurations with 16-bit precisions.
void wide_vectors() {
    Layer cube;
    cube.base0 = 0x20000;
    cube.c = 20;
    cube.cvt = true;
    cube.offset = 3;
    Bytes atoms(128, 0);
    for (size_t i = 0; i < 32; i++)
        atoms[i] = uint8_t(i - 3);
    vector_case("INT8 cube of 20 channels (chapter 30, 6.5)", cube, atoms);

    // Each cell of 8 bytes: pixel (y, x), or the pad.
    Layer tiles;
    tiles.winograd = true;
    tiles.base0 = 0x20000;
    tiles.w = tiles.h = 6;
    tiles.c = 32;
    tiles.pad_left = tiles.pad_top = tiles.pad_right = tiles.pad_bottom = 1;
    tiles.w_ext = tiles.lines_ext = tiles.h_ext = tiles.rls = 8;
    tiles.pad_value = 0x55;
    Bytes all;
    for (int entry = 0; entry < 9; entry++) // entry: superslice, piece, tile
        for (int cell = 0; cell < 16; cell++) {
            const int y = entry / 8 * 4 + cell / 4 - 1, x = entry % 2 * 4 + cell % 4 - 1, piece = entry % 8 / 2;
            for (int k = 0; k < 8; k++)
                all.push_back(y < 0 || y > 5 || x < 0 || x > 5 ? uint8_t(0x55)
                                                               : uint8_t(y * 0x1000 + x * 32 + piece * 8 + k));
        }
    vector_case("Winograd 6x6x32 (chapter 30, 5.5)", tiles, all);

    checks.start("elements to INT16 and FP16 (chapter 30, 6.5): the bench's own convertor");
    for (const Precision to : {Int16, Fp16})
        for (vectors v = vectors_of("convertor", precisions[to]); vectors_next(&v);)
            if (!vectors_equal(&v, own_convertor(v, to), uint16_t(v.number[4])))
                checks.fail("%s:%d", v.path, v.line);
}

// The lines of pixels of a kind of image_lines.tsv.
void image_lines(const char *kind) {
    for (vectors v = vectors_of("image_lines", kind); vectors_next(&v);) {
        const auto precision = [&](int cell) {
            return v.cell[cell] == std::string("int8") ? Int8 : v.cell[cell] == std::string("int16") ? Int16 : Fp16;
        };
        Layer l;
        int *const fields[] = {&l.format,    nullptr,      &l.w,    &l.x_offset, &l.pad_left,
                               &l.pad_right, &l.pad_value, nullptr, &l.offset,   &l.truncate};
        for (size_t i = 0; i < std::size(fields); i++)
            if (fields[i])
                *fields[i] = int(v.number[2 + i]);
        l.image = true;
        l.in_precision = precision(0);
        l.proc_precision = precision(1);
        l.base0 = uint64_t(v.number[3]);
        l.base1 = 0x20080;
        l.cvt = v.number[9];
        l.mean = v.number[12];
        for (size_t i = 0; i < 4; i++)
            l.means[i] = sign16(int(v.number[12] >> 16 * i));
        Bytes want;
        const auto append = [&](const char *hex) {
            for (; hex[0]; hex += 2)
                want.push_back(uint8_t(std::stoul(std::string(hex, 2), nullptr, 16)));
        };
        append(v.cell[13]);
        const size_t chunk = size_t(wide_lanes ? config->atomic_c * l.element_bytes() : atom);
        while (v.cell[14][0] && want.size() % chunk)
            append(v.cell[14]);
        vector_case((std::string("line of pixels: ") + v.path + ":" + std::to_string(v.line)).c_str(), l, want);
    }
}

void vectors_of_chapters() {
    image_lines("any");
    if (atom == 8)
        image_lines("atom_8");
    if (atom == 32)
        image_lines("atom_32");
    if (wide_lanes)
        image_lines("wide");

    // Single elements: pixel x of a line of 256 holds x.
    checks.start("elements through the convertor (chapter 30, 6.5)");
    plain_memory = true;
    Bench bench(Behaviour::quiet(32), 1);
    std::vector<Layer> chain;
    for (vectors v = vectors_of("convertor", "int8"); vectors_next(&v);) {
        const int x = int(v.number[0]);
        Layer l;
        l.image = l.cvt = true;
        l.base0 = 0x20000;
        l.base1 = 0x20080;
        l.w = 256;
        l.sign_override = x < 0;
        l.offset = int(v.number[1]);
        l.scale = int(v.number[2]);
        l.truncate = int(v.number[3]);
        l.eps = l.needed_eps();
        l.data_bank = 1 + int(chain.size()) % 2; // each line begins at entry 0
        chain.push_back(simple_weights(l));
        if (!vectors_equal(&v, uint8_t(own_convertor(v, Int8)), uint8_t(v.number[4])))
            checks.fail("the bench's own convertor is wrong at %d", x);
        if (slice(l, 0)[size_t(x & 255)] != uint8_t(v.number[4]))
            checks.fail("the bench's own line is wrong at %d", x);
    }
    bench.play(chain);
    plain_memory = false;
}

// The sequence of chapter 30 section 9.3; plan() must come to what was measured, the design must follow.
void reuse_sequence() {
    checks.start("reuse and skip (chapter 30, 9.3)");
    Layer l;
    l.w = 5;
    l.h = l.h_ext = l.rls = 4;
    l.c = 5 * atom;
    l.eps = l.needed_eps();
    l.base0 = 0x20000;
    l.line = uint32_t(l.w * atom);
    l.surface = uint32_t(l.h) * l.line;
    l.line_packed = l.surf_packed = true;
    l.grain = 3;
    l.data_bank = 2;
    l.weight_bank = 2;
    l = simple_weights(l);
    std::vector<Layer> chain;
    const auto add = [&](bool reuse, bool skip, int data_bank, int weight_bank, int h) {
        l.data_reuse = l.weight_reuse = reuse;
        l.skip_data = l.skip_weight = skip;
        l.data_bank = data_bank;
        l.weight_bank = weight_bank;
        l.h = h;
        chain.push_back(l);
    };
    add(false, false, 2, 2, 4); // normal
    add(false, true, 2, 2, 4);  // skip both: appended
    add(true, false, 2, 2, 4);  // reuse both: no requests
    add(true, false, 2, 2, 4);  // reuse, the previous layer had no skip: full fetch
    add(false, true, 2, 2, 4);
    add(true, true, 3, 2, 4);  // data bank changed: full fetch of both from 0
    add(true, true, 3, 3, 4);  // weight bank changed: weights only
    add(true, false, 3, 3, 2); // another height: no fetch
    std::vector<Layer> copy = chain;
    plan(copy);
    static const bool fetch[][2] = {{1, 1}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, {1, 1}, {0, 1}, {0, 0}};
    for (size_t i = 0; i < chain.size(); i++)
        if (copy[i].dat_fetch != fetch[i][0] || copy[i].wt_fetch != fetch[i][1])
            checks.fail("the bench's own plan is wrong at layer %zu", i);
    Bench bench(Behaviour::quiet(32), 1);
    bench.play(chain);
}

// A weight size larger than what CSC uses: the surplus stays in the ring until the banks change.
void surplus_sequence() {
    checks.start("surplus weights");
    Layer l;
    l.w = 3;
    l.c = atom;
    l.eps = l.needed_eps();
    l.base0 = 0x20000;
    l.line = uint32_t(3 * atom);
    std::vector<Layer> chain;
    for (int i = 0; i < 7; i++) {
        l = simple_weights(l);
        l.kernels = config->atomic_k + 1;
        l.weight_bytes = uint32_t(cdiv(l.kernels * l.kernel_bytes, 128) * 128);
        l.weight_bank = i == 4 ? 2 : 1;
        chain.push_back(l);
    }
    Bench bench(Behaviour::quiet(32), 1);
    bench.play(chain);
}

// Zero fill: everything reads 0 when FLUSH_DONE is seen.
void flush() {
    checks.start("zero fill");
    Bench bench(Behaviour::quiet(32), 1);
    Layer l = simple_weights(Layer{});
    l.c = atom;
    l.eps = 1;
    l.base0 = 0x20000;
    bench.play({l});
    const int total = banks * depth;
    if (bench.flushed_at < uint64_t(total / 2) || bench.flushed_at > uint64_t(total / 2) + 10)
        checks.fail("FLUSH_DONE %" PRIu64 " clocks after reset", bench.flushed_at);
    for (int e = 0; e < total && !checks.failing(); e++) {
        if (e == 0 || (e >= depth && e < depth + config->atomic_k))
            continue; // what the layer wrote
        for (const uint8_t b : bench.peek(e))
            if (b != 0)
                checks.fail("entry %d is not zero", e);
    }
}

// One atom per clock for data and weights side by side, when memory gives it.
void speed(const char *name, Layer l, int data_atoms, int spare) {
    checks.start(name);
    l.eps = l.needed_eps();
    l.data_bank = banks / 2;
    l.weight_bank = banks / 2;
    l.kernels = 1;
    l.weight_bank -= config->weight_compression;
    l.kernel_bytes = int(std::min(data_atoms, l.weight_bank * depth * slots - 8)) * atom;
    l.weight_bytes = uint32_t(cdiv(l.kernel_bytes, weight_unit) * weight_unit);
    l.weight_base = 0x40000000;
    l.rls = l.h_ext = l.lines();
    Bench bench(Behaviour::quiet(32), 1);
    bench.play({l});
    if (checks.failing())
        return;
    checks.at_most("clocks for the data", bench.dat.done.times[0] - bench.armed_at,
                   uint64_t(data_atoms / wr_atoms + 60 + spare));
    checks.at_most("clocks for the weights", bench.wt.done.times[0] - bench.armed_at,
                   l.weight_bytes / uint64_t(atom * wr_atoms) + 60);
}

void speeds() {
    Layer l;
    l.base0 = 0x20000;
    l.base1 = 0x30000;
    l.w = 16;
    l.h = 12;
    l.c = 8 * atom;
    l.line = uint32_t(16 * atom);
    l.surface = 12 * l.line;
    l.line_packed = true;
    l.grain = 5;
    speed("speed of packed lines", l, 16 * 12 * 8, 0);
    l.line_packed = false;
    speed("speed of unpacked lines", l, 16 * 12 * 8, 0);
    l.w = 1;
    l.h = 100;
    l.c = atom;
    speed("speed of single atoms", l, 100, wr_atoms > 1 ? 50 : 0);
    if (config->winograd) {
        for (const int stride : {1, 2}) {
            Layer t;
            t.base0 = 0x20000;
            t.winograd = true;
            t.sx = t.sy = stride;
            t.w_ext = t.lines_ext = 16;
            t.pad_left = t.pad_right = t.pad_top = t.pad_bottom = 1;
            t.w = t.h = 16 * stride - 2;
            t.c = 2 * atom;
            t.line = uint32_t(t.w * atom);
            t.surface = uint32_t(t.h) * t.line;
            // A line has one pixel at an odd place more than whole beats.
            speed(stride == 1 ? "speed of Winograd" : "speed of Winograd with stride", t, 16 * 16 * 2 * stride * stride,
                  2 * 16 * stride);
        }
        l.batches = 3;
        l.w = 7;
        l.h = 7;
        l.c = 6 * atom;
        l.line = uint32_t(l.w * atom);
        l.surface = l.batch_stride = uint32_t(l.h) * l.line;
        l.batch_stride *= 6;
        l.line_packed = true;
        l.grain = 7;
        speed("speed of batches of 7x7", l, 7 * 7 * 6 * 3, 2 * 6 * 3);
    }
    l = Layer{};
    l.image = true;
    l.base0 = 0x20000;
    l.base1 = 0x30000;
    l.w = 64;
    l.h = 16;
    l.line = 0x400;
    l.uv_line = 0x800;
    l.format = 0x0c;
    l.x_offset = 1;
    l.pad_left = 3;
    speed("speed of four-component pixels", l, cdiv(65 * 4, atom) * 16, 16 * cdiv(3 * 4, atom) + 16);
    l.format = 0;
    l.w = 400;
    l.x_offset = 5;
    speed("speed of single-component pixels", l, cdiv(405, atom) * 16, 32);
    l.format = 0x1c;
    l.w = 256;
    speed("speed of two planes", l, (cdiv(261, atom) + cdiv((5 % (atom / 2) + 256) * 2, atom)) * 16, 48);
}

} // namespace

void directed_cases() {
    laid.clear();
    vectors_of_chapters();
    if (wide_lanes)
        wide_vectors();
    reuse_sequence();
    surplus_sequence();
    flush();
    speeds();
}

void random_case(uint64_t seed) {
    Random r(seed);
    laid.clear();
    some_infinities = wide_lanes && r.percent(50);
    std::vector<Layer> chain = random_chain(r);
    plan(chain);
    for (const Layer &l : chain)
        checks.detail(describe(l));
    Bench bench(random_behaviour(r), seed);
    bench.csb.percent = r.percent(50) ? 100 : r.range(10, 100);
    bench.csc.delay_limit = r.percent(40) ? 0 : r.range(1, 400);
    bench.play(chain);
}
