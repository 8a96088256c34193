// The floating-point operations of rtl/fp against the C model's: conversions of FP16, FP17 and 17-bit integers for
// every operand; operations of two numbers for all pairs of corners (zeros, numbers with exponent 0, around 1, where
// rounding is a tie, largest numbers, infinities, NaNs) and, with every seed, pairs_per_seed random pairs that lean to
// corners and to each other; sums of products, accumulations, transforms and means in smaller numbers. Tables have a
// bench of their own, lut.
#include <array>

#include "common/design.h"

extern "C" {
#include "model/cacc_fp16.h"
#include "model/cmac.h"
#include "model/cmac_fp16.h"
#include "model/pra.h"
#include "nvdla/fp.h"
}

const uint64_t usual_seeds = 10;

namespace {

enum { Lanes = 8, pairs_per_seed = 100000, composed_per_seed = 2000, cells_per_seed = 300 };

// As in fp_bench.sv; the codes before are those of lane_ops.
enum OpCode {
    Fraction35 = 17,
    Dot,
    DotOfTile,
    Fp48Add,
    Fp48ToFp32,
    Winograd,
    SquareSum,
    Mean,
    DotInt8,
    DotInt8OfTile,
    DotInt16,
    DotInt16OfTile
};

struct Format {
    int exponent_bits, mantissa_bits;
    int bits() const {
        return 1 + exponent_bits + mantissa_bits;
    }
    uint32_t mask(int width) const {
        return static_cast<uint32_t>((UINT64_C(1) << width) - 1);
    }
    uint32_t exponents() const {
        return mask(exponent_bits);
    }
    uint32_t pack(uint32_t sign, uint32_t exponent, uint32_t mantissa) const {
        return (sign & 1) << (exponent_bits + mantissa_bits) | (exponent & exponents()) << mantissa_bits |
               (mantissa & mask(mantissa_bits));
    }
};
const Format fp16 = {5, 10}, fp17 = {6, 10}, fp32 = {8, 23};

// ---- operands ----

uint32_t draw_exponent(Random &r, const Format &f) {
    const uint32_t ones = f.exponents(), bias = ones / 2;
    switch (r.below(10)) {
    case 0:
        return r.below(3u);
    case 1:
        return ones - r.below(3u);
    case 2:
    case 3:
        return bias + r.below(5u) - 2;
    case 4: // products of such are about as small as numbers get
        return bias / 2 + r.below(7u) - 3;
    case 5: // as large
        return bias + bias / 2 + r.below(7u) - 3;
    case 6: // the ends of FP16 and FP17 in wider formats
        return bias + (r.percent(50) ? 15u : r.percent(50) ? -14u : r.percent(50) ? 31u : -30u) + r.below(13u) - 12;
    default:
        return r.bits() & ones;
    }
}

uint32_t draw_mantissa(Random &r, const Format &f) {
    const int n = f.mantissa_bits;
    switch (r.below(6)) {
    case 0:
        return 0;
    case 1:
        return f.mask(n) - r.below(3u);
    case 2: // few ones
        return UINT32_C(1) << r.below(n) | (r.percent(50) ? UINT32_C(1) << r.below(n) : 0);
    case 3: // ends where narrower formats round
        return r.bits() << (n - 10 > 0 ? n - 11 - r.below(2) : r.below(n)) | r.below(2u);
    default:
        return r.bits();
    }
}

uint32_t draw(Random &r, const Format &f) {
    return f.pack(r.bits(), draw_exponent(r, f), draw_mantissa(r, f));
}

// A second operand: any, or one that has to do with the first.
uint32_t draw_beside(Random &r, const Format &f, uint32_t a) {
    const uint32_t exponent = a >> f.mantissa_bits & f.exponents();
    switch (r.below(6)) {
    case 0: // cancels
        return a ^ f.pack(r.bits(), 0, r.below(4u));
    case 1: // within reach of the rounding
        return f.pack(r.bits(),
                      exponent + r.below(static_cast<uint32_t>(2 * f.mantissa_bits + 7)) -
                          static_cast<uint32_t>(f.mantissa_bits + 3),
                      draw_mantissa(r, f));
    case 2: // the product has an exponent near an end
        return f.pack(r.bits(), (r.percent(50) ? 1u : 3u) * (f.exponents() / 2) + r.below(5u) - 2 - exponent,
                      draw_mantissa(r, f));
    default:
        return draw(r, f);
    }
}

std::vector<uint32_t> corners(const Format &f) {
    const uint32_t ones = f.exponents(), bias = ones / 2;
    const uint32_t n = static_cast<uint32_t>(f.mantissa_bits);
    std::vector<uint32_t> list;
    for (uint32_t exponent :
         {0u, 1u, 2u, bias / 2, bias - 15, bias - 14, bias - n - 2, bias - n - 1, bias - n, bias - 1, bias, bias + 1,
          bias + n, bias + n + 1, bias + 15, bias + 16, ones - 2, ones - 1, ones})
        for (uint32_t mantissa :
             {0u, 1u, 1u << (n - 1), (1u << (n - 1)) + 1, f.mask(f.mantissa_bits) - 1, f.mask(f.mantissa_bits)})
            for (uint32_t sign : {0u, 1u})
                list.push_back(f.pack(sign, exponent, mantissa));
    return list;
}

// ---- the design ----

class Operations {
  public:
    Design design;
    void select(size_t op) {
        design.top.op_i = static_cast<CData>(op);
    }
    // Operands of up to 32 bits in their places.
    void put(size_t place, uint32_t a, uint32_t b) {
        design.top.a_i[place] = a;
        design.top.b_i[place] = b;
    }
    // A cell's operands, two in each place; its result comes with the clocks.
    void play(OpCode op, const std::array<uint16_t, 64> &w, const std::array<uint16_t, 64> &d) {
        select(op);
        for (size_t i = 0; i < 32; i++)
            put(i, w[2 * i] | static_cast<uint32_t>(w[2 * i + 1]) << 16,
                d[2 * i] | static_cast<uint32_t>(d[2 * i + 1]) << 16);
        design.clocks(8);
    }
    uint32_t result(size_t place) const {
        return design.top.z_o[place];
    }
    uint64_t result64(size_t place) const {
        return design.top.z_o[place] | static_cast<uint64_t>(design.top.z_o[place + 1]) << 32;
    }
};

struct LaneOp {
    const char *name;
    Format format;
    bool two;
    uint32_t (*want)(uint32_t a, uint32_t b);
};

// By their codes.
const LaneOp lane_ops[] = {
    {"fp17 add", fp17, true, [](uint32_t a, uint32_t b) { return fp17_add(a, b); }},
    {"fp17 mul", fp17, true, [](uint32_t a, uint32_t b) { return fp17_mul(a, b); }},
    {"fp32 add", fp32, true, [](uint32_t a, uint32_t b) { return fp32_add(a, b); }},
    {"fp32 mul", fp32, true, [](uint32_t a, uint32_t b) { return fp32_mul(a, b); }},
    {"fp32 max", fp32, true, [](uint32_t a, uint32_t b) { return fp32_extreme(a, b, false); }},
    {"fp32 min", fp32, true, [](uint32_t a, uint32_t b) { return fp32_extreme(a, b, true); }},
    {"fp16 max", fp16, true, [](uint32_t a, uint32_t b) { return fp16_extreme(a, b, false); }},
    {"fp16 min", fp16, true, [](uint32_t a, uint32_t b) { return fp16_extreme(a, b, true); }},
    {"fp16 to fp17", fp16, false, [](uint32_t a, uint32_t) { return fp16_to_fp17(static_cast<uint16_t>(a)); }},
    {"fp16 to fp32", fp16, false, [](uint32_t a, uint32_t) { return fp16_to_fp32(static_cast<uint16_t>(a)); }},
    {"fp17 to fp32", fp17, false, [](uint32_t a, uint32_t) { return fp17_to_fp32(a); }},
    {"fp17 to fp16", fp17, false, [](uint32_t a, uint32_t) { return uint32_t{fp17_to_fp16(a)}; }},
    {"fp32 to fp16", fp32, false, [](uint32_t a, uint32_t) { return uint32_t{fp32_to_fp16(a)}; }},
    {"fp32 to fp17", fp32, false, [](uint32_t a, uint32_t) { return fp32_to_fp17(a); }},
    {"fp16 to int16", fp16, false,
     [](uint32_t a, uint32_t) { return uint32_t{static_cast<uint16_t>(fp16_to_int16(static_cast<uint16_t>(a)))}; }},
    // an integer has the width of FP17, a fraction that of FP16
    {"int17 to fp16", fp17, false,
     [](uint32_t a, uint32_t) { return uint32_t{fp16_from_integer(static_cast<int32_t>(a << 15) >> 15)}; }},
    {"fraction of 16 bits to fp17", fp16, false, [](uint32_t a, uint32_t) { return fp17_from_fraction(a, 16); }},
    {"fraction of 35 bits to fp17",
     {2, 32},
     true,
     [](uint32_t a, uint32_t b) { return fp17_from_fraction(static_cast<uint64_t>(b & 7) << 32 | a, 35); }},
};

size_t code(const LaneOp &op) {
    return static_cast<size_t>(&op - lane_ops);
}

// Eight pairs at a time. The reasons of the first failures are kept.
class LaneRun {
  public:
    explicit LaneRun(const LaneOp &op) : op_(op) {
        operations_.select(code(op));
    }
    void add(uint32_t a, uint32_t b) {
        a_[count_] = a;
        b_[count_] = b;
        operations_.put(count_, a, b);
        if (++count_ == Lanes)
            flush();
    }
    void flush() {
        if (count_ == 0)
            return;
        operations_.design.clock();
        for (size_t i = 0; i < count_; i++) {
            const uint32_t got = operations_.result(i), want = op_.want(a_[i], b_[i]);
            if (got != want)
                checks.fail("%s of 0x%x and 0x%x is 0x%x, expected 0x%x", op_.name, a_[i], b_[i], got, want);
        }
        count_ = 0;
    }

  private:
    const LaneOp &op_;
    Operations operations_;
    std::array<uint32_t, Lanes> a_, b_;
    size_t count_ = 0;
};

uint64_t draw_fraction(Random &r) {
    const uint64_t some = r.bits64() >> (29 + r.below(35));
    return r.percent(25) ? (UINT64_C(1) << 35) - 1 - (some >> r.below(35)) : some;
}

void random_pairs(const LaneOp &op, Random &r) {
    LaneRun run(op);
    for (int n = 0; n < pairs_per_seed; n++) {
        if (code(op) == Fraction35) {
            const uint64_t fraction = draw_fraction(r);
            run.add(static_cast<uint32_t>(fraction), static_cast<uint32_t>(fraction >> 32));
        } else {
            const uint32_t a = draw(r, op.format);
            run.add(a, op.two ? draw_beside(r, op.format, a) : 0);
        }
    }
    run.flush();
}

void all_operands(const LaneOp &op) {
    checks.start(std::string(op.name) + ", every operand");
    LaneRun run(op);
    for (uint32_t a = 0; a < UINT32_C(1) << op.format.bits(); a++)
        run.add(a, 0);
    run.flush();
}

void all_corners(const LaneOp &op) {
    checks.start(std::string(op.name) + ", pairs of corners");
    const std::vector<uint32_t> list = corners(op.format);
    LaneRun run(op);
    for (uint32_t a : list)
        for (uint32_t b : list)
            run.add(a, op.two ? b : 0);
    run.flush();
}

// ---- CMAC ----

// FP16 patterns of one kind: what a layer may hold.
class Fp16Source {
  public:
    explicit Fp16Source(Random &r)
        : r_(r), lowest_(r.below(31u)), spread_(r.below(4u) ? 1 + r.below(9u) : 31),
          zeros_(r.percent(40) ? r.below(60) : 0), specials_(r.percent(15)) {
    }
    uint16_t draw() {
        if (r_.percent(zeros_))
            return static_cast<uint16_t>(r_.bits() & 0x8000);
        if (specials_ && r_.percent(3))
            return static_cast<uint16_t>(::draw(r_, fp16));
        const uint32_t exponent = std::min(lowest_ + r_.below(spread_), 30u);
        return static_cast<uint16_t>(fp16.pack(r_.bits(), exponent, draw_mantissa(r_, fp16)));
    }

  private:
    Random &r_;
    uint32_t lowest_, spread_;
    int zeros_;
    bool specials_;
};

// Atomic operations of 64 lanes, with the given operands in one kernel.
class CellRun {
  public:
    CellRun() {
        cmac_fp16_weights_begin(&weights_, 1, 64, 1);
    }
    ~CellRun() {
        cmac_fp16_weights_free(&weights_);
    }
    CellRun(const CellRun &) = delete;
    CellRun &operator=(const CellRun &) = delete;
    void play(const std::array<uint16_t, 64> &w, const std::array<uint16_t, 64> &d, bool tile) {
        cmac_fp16_weights_clear(&weights_);
        int16_t kernel[64], window[64];
        std::copy(w.begin(), w.end(), kernel);
        cmac_fp16_weights_place(&weights_, 0, 0, kernel, 64, 1, 64);
        std::copy(d.begin(), d.end(), window);
        const cmac_piece piece = {0, 0, 64};
        cmac_fp16_data data;
        cmac_fp16_sums sums;
        cmac_fp16_data_read(&data, &weights_, window, &piece, 1);
        cmac_fp16_atom(&weights_, 0, 0, 0, &data, tile, &sums);
        operations_.play(tile ? DotOfTile : Dot, w, d);
        const uint32_t exponent = operations_.result(0) & 63;
        if (exponent != static_cast<uint32_t>(sums.exponent[0]))
            checks.fail("exponent of a sum of products is %u, expected %d", exponent, sums.exponent[0]);
        for (size_t o = 0; o < (tile ? 4u : 1u); o++) {
            const uint64_t got = Pin(operations_.design.top.z_o, 6 + 38 * o, 38).value();
            const uint64_t want = static_cast<uint64_t>(sums.mantissa[o][0]) & ((UINT64_C(1) << 38) - 1);
            if (got != want)
                checks.fail("mantissa %zu of a sum of products is 0x%" PRIx64 ", expected 0x%" PRIx64 ", exponent %u",
                            o, got, want, exponent);
        }
    }

  private:
    Operations operations_;
    cmac_fp16_weights weights_ = {};
};

void random_cells(Random &r) {
    CellRun run;
    for (int n = 0; n < cells_per_seed; n++) {
        Fp16Source weight(r), datum(r);
        std::array<uint16_t, 64> w, d;
        for (size_t i = 0; i < 64; i++) {
            w[i] = weight.draw();
            d[i] = datum.draw();
        }
        run.play(w, d, r.percent(30));
    }
}

// The same of integers: INT16, or two kernels of INT8, whose weights are the low and the high half of w.
void check_integers(Operations &operations, const std::array<uint16_t, 64> &w, const std::array<uint16_t, 64> &d,
                    bool wide, bool tile) {
    const auto byte = [](const std::array<uint16_t, 64> &a, size_t i) {
        return static_cast<int8_t>(a[i / 2] >> (8 * (i % 2)));
    };
    std::array<int64_t, 4> low{}, high{};
    for (size_t lane = 0; lane < 64; lane++)
        for (size_t n = 0; n < (tile ? 4u : 1u); n++) {
            const int sign = tile ? cmac_coefficient(lane / 4, n) : 1;
            if (wide) {
                low[n] += int64_t{static_cast<int16_t>(w[lane])} * static_cast<int16_t>(d[lane]) * sign;
            } else {
                low[n] += byte(w, lane) * byte(d, lane) * sign;
                high[n] += byte(w, 64 + lane) * byte(d, lane) * sign;
            }
        }
    operations.play(wide ? (tile ? DotInt16OfTile : DotInt16) : tile ? DotInt8OfTile : DotInt8, w, d);
    for (size_t n = 0; n < 4; n++) {
        const uint64_t ones = (UINT64_C(1) << 44) - 1, got = Pin(operations.design.top.z_o, 44 * n, 44).value();
        const uint64_t want =
            wide ? static_cast<uint64_t>(low[n]) & ones
                 : (static_cast<uint64_t>(high[n]) & 0x3fffff) << 22 | (static_cast<uint64_t>(low[n]) & 0x3fffff);
        if (got != want)
            checks.fail("value %zu of a sum of %s products is 0x%" PRIx64 ", expected 0x%" PRIx64, n,
                        wide ? "INT16" : "INT8", got, want);
    }
}

void random_integers(Random &r) {
    Operations operations;
    for (int n = 0; n < cells_per_seed; n++) {
        std::array<uint16_t, 64> w, d;
        for (size_t i = 0; i < 64; i++) {
            w[i] = static_cast<uint16_t>(r.percent(30) ? r.corner(16) : r.bits());
            d[i] = static_cast<uint16_t>(r.percent(30) ? r.corner(16) : r.bits());
        }
        check_integers(operations, w, d, r.percent(50), r.percent(30));
    }
}

void directed_integers() {
    checks.start("sums of products of integers: the ends of the range in every lane");
    Operations operations;
    for (unsigned first : {0x8000u, 0x7fffu, 0x8080u, 0x7f7fu, 0xffffu, 0x0001u, 0x0000u, 0x80ffu})
        for (unsigned second : {0x8000u, 0x7fffu, 0x8080u, 0x7f7fu, 0xffffu, 0x0001u, 0x0000u, 0x7f80u})
            for (unsigned form = 0; form < 4; form++) {
                std::array<uint16_t, 64> w, d;
                w.fill(static_cast<uint16_t>(first));
                d.fill(static_cast<uint16_t>(second));
                check_integers(operations, w, d, (form & 1) != 0, (form & 2) != 0);
            }
}

// Chapter 40 section 11.3 and what the draws rarely meet.
void directed_cells() {
    checks.start("sums of products: zeros, infinities, NaNs, every distance of exponents");
    CellRun run;
    const uint16_t values[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00, 0xbc00,
                               0x3555, 0xc7ff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xfe55};
    for (uint16_t first : values)
        for (uint16_t second : values)
            for (size_t lane : {0u, 1u, 17u, 63u}) {
                std::array<uint16_t, 64> w = {}, d = {};
                w[lane] = first;
                d[lane] = second;
                w[(lane + 5) % 64] = 0x3d57;
                d[(lane + 5) % 64] = 0xc2ab;
                d[(lane + 9) % 64] = second;
                run.play(w, d, lane == 17);
            }
    for (uint32_t e = 0; e < 31; e++)
        for (uint32_t f = 0; f < 31; f++) {
            std::array<uint16_t, 64> w = {}, d = {};
            w[3] = static_cast<uint16_t>(fp16.pack(e, e, 0x155 + 37 * f));
            d[3] = static_cast<uint16_t>(fp16.pack(f, f, 0x2b3 + 91 * e));
            w[60] = d[60] = 0x7bff;
            run.play(w, d, false);
        }
}

// ---- CACC ----

uint64_t draw_accumulator(Random &r) {
    if (r.percent(10))
        return r.percent(50) ? 0 : UINT64_C(0xff) << 40 | static_cast<uint64_t>(r.bits() & 0x7ff) << 29;
    // no redundant sign bit, exponents that sums can have
    uint64_t mantissa = r.percent(30) ? r.bits64() & UINT64_C(0xffffffffff) << r.below(39) : r.bits64();
    if (r.percent(10)) // -2^39, about to round up, ...
        mantissa = r.percent(50) ? 0 : ~UINT64_C(0) - r.below(4u);
    mantissa &= (UINT64_C(1) << 40) - 1;
    const uint64_t sign = r.bits() & 1;
    mantissa = (mantissa & ((UINT64_C(1) << 38) - 1)) | sign << 39 | (sign ^ 1) << 38;
    return static_cast<uint64_t>(r.range(8, 130)) << 40 | mantissa;
}

uint64_t draw_sum(Random &r, uint64_t accumulator) {
    const uint64_t ones = (UINT64_C(1) << 38) - 1;
    if (r.percent(4))
        return UINT64_C(63) << 38 | (static_cast<uint64_t>(r.bits() & 0x7ff) << 27 & ones);
    const uint64_t exponent = static_cast<uint64_t>(4 * r.below(15));
    int64_t mantissa = static_cast<int64_t>(r.bits64()) >> (28 + r.below(36)); // 36 bits, sign-extended
    if (r.percent(15))                                                         // nearly cancels the accumulator
        mantissa = -(static_cast<int64_t>(accumulator << 24) >> (28 + r.below(12))) + r.range(-1, 1);
    mantissa = static_cast<int64_t>(static_cast<uint64_t>(mantissa) << 28) >> 28;
    return exponent << 38 | (static_cast<uint64_t>(mantissa) & ones);
}

cacc_fp16 accumulator_of(uint64_t bits) {
    return {static_cast<int32_t>(bits >> 40), static_cast<int64_t>(bits << 24) >> 24};
}

void check_accumulators(Operations &operations, OpCode op, const std::array<uint64_t, 4> &accumulators,
                        const std::array<uint64_t, 4> &sums) {
    operations.select(op);
    for (size_t i = 0; i < 4; i++) {
        operations.put(2 * i, static_cast<uint32_t>(accumulators[i]), static_cast<uint32_t>(sums[i]));
        operations.put(2 * i + 1, static_cast<uint32_t>(accumulators[i] >> 32), static_cast<uint32_t>(sums[i] >> 32));
    }
    operations.design.clock();
    for (size_t i = 0; i < 4; i++) {
        cacc_fp16 accumulator = accumulator_of(accumulators[i]);
        uint64_t want;
        if (op == Fp48ToFp32) {
            want = cacc_fp16_deliver(&accumulator);
        } else {
            cacc_fp16_lanes lanes = {{accumulator.exponent}, {accumulator.mantissa}};
            const int32_t exponents[CACC_FP16_LANES] = {static_cast<int32_t>(sums[i] >> 38)};
            const int64_t mantissas[CACC_FP16_LANES] = {static_cast<int64_t>(sums[i] << 26) >> 26};
            cacc_fp16_add_lanes(&lanes, exponents, mantissas);
            want = static_cast<uint64_t>(lanes.exponent[0]) << 40 |
                   (static_cast<uint64_t>(lanes.mantissa[0]) & ((UINT64_C(1) << 40) - 1));
        }
        const uint64_t got = operations.result64(2 * i);
        if (got != want)
            checks.fail("%s 0x%" PRIx64 " and 0x%" PRIx64 " is 0x%" PRIx64 ", expected 0x%" PRIx64,
                        op == Fp48Add ? "fp48 sum of" : "fp32 of fp48", accumulators[i], sums[i], got, want);
    }
}

void random_accumulators(Random &r) {
    Operations operations;
    std::array<uint64_t, 4> accumulators, sums;
    for (int n = 0; n < pairs_per_seed / 4; n++) {
        for (size_t i = 0; i < 4; i++) {
            accumulators[i] = draw_accumulator(r);
            sums[i] = draw_sum(r, accumulators[i]);
        }
        check_accumulators(operations, Fp48Add, accumulators, sums);
        check_accumulators(operations, Fp48ToFp32, accumulators, sums);
    }
}

// ---- composed operations ----

void random_tiles(Random &r) {
    Operations operations;
    operations.select(Winograd);
    for (int n = 0; n < composed_per_seed; n++) {
        int16_t in[16], out[16];
        Fp16Source pixel(r);
        for (int16_t &x : in)
            x = static_cast<int16_t>(pixel.draw());
        pra_transform(in, 4, 1, 1, NVDLA_FP16, 0, out);
        for (size_t i = 0; i < 8; i++)
            operations.put(
                i, static_cast<uint16_t>(in[2 * i]) | static_cast<uint32_t>(static_cast<uint16_t>(in[2 * i + 1])) << 16,
                0);
        operations.design.clocks(8);
        for (size_t i = 0; i < 16; i++) {
            const uint32_t got = operations.result(i / 2) >> 16 * (i % 2) & 0xffff;
            if (got != static_cast<uint16_t>(out[i]))
                checks.fail("element %zu of a transformed tile is 0x%x, expected 0x%x", i, got,
                            static_cast<uint16_t>(out[i]));
        }
    }
}

void random_square_sums(Random &r) {
    Operations operations;
    operations.select(SquareSum);
    for (int n = 0; n < composed_per_seed; n++) {
        uint32_t squares[16];
        Fp16Source value(r);
        const size_t reach = r.below(size_t{4});
        for (size_t i = 0; i < 16; i++) {
            const uint32_t v = r.percent(10) ? draw(r, fp17) : fp16_to_fp17(value.draw());
            Pin(operations.design.top.a_i, 17 * i, 17).set(v);
            squares[i] = fp32_mul(fp17_to_fp32(v), fp17_to_fp32(v));
        }
        operations.design.top.b_i[0] = static_cast<uint32_t>(reach);
        operations.design.clocks(7);
        for (size_t i = 0; i < 8; i++) {
            const uint32_t *own = squares + 4 + i;
            uint32_t want = fp32_add(fp32_add(own[-1], own[1]), own[0]);
            for (size_t k = 2; k <= reach + 1; k++)
                want = fp32_add(want, fp32_add(*(own - k), own[k]));
            if (operations.result(i) != want)
                checks.fail("sum of squares %zu with reach %zu is 0x%x, expected 0x%x", i, reach + 1,
                            operations.result(i), want);
        }
    }
}

void random_means(Random &r) {
    Operations operations;
    operations.select(Mean);
    for (int n = 0; n < composed_per_seed; n++) {
        uint32_t operands[4];
        for (size_t i = 0; i < 4; i++) {
            operands[i] = r.percent(20) ? draw(r, fp17)
                                        : fp17.pack(r.bits(), 31 + static_cast<uint32_t>(r.range(-6, 6)), r.bits());
            operations.put(i, operands[i], 0);
        }
        const uint16_t want =
            fp17_to_fp16(fp17_mul(fp17_mul(fp17_add(operands[0], operands[1]), operands[2]), operands[3]));
        operations.design.clocks(8);
        if (operations.result(0) != want)
            checks.fail("mean of 0x%x + 0x%x, times 0x%x and 0x%x, is 0x%x, expected 0x%x", operands[0], operands[1],
                        operands[2], operands[3], operations.result(0), want);
    }
}

} // namespace

void directed_cases() {
    for (const LaneOp &op : lane_ops)
        if (!op.two && op.format.bits() <= 17)
            all_operands(op);
        else if (code(op) != Fraction35)
            all_corners(op);
    directed_cells();
    directed_integers();
}

void random_case(uint64_t seed) {
    Random r(seed);
    for (const LaneOp &op : lane_ops)
        if (op.two || op.format.bits() > 17)
            random_pairs(op, r);
    random_cells(r);
    random_integers(r);
    random_accumulators(r);
    random_tiles(r);
    random_square_sums(r);
    random_means(r);
}
