// nvdla_rubik alone, with random layers of csrc/gen, contract, split and merge of all precisions, against the C model
// (common/engine.h). Directed cases: the rate of some layers.
#include "common/engine.h"

const uint64_t usual_seeds = 200;

namespace {

enum Mode { Contract = 1, Split, Merge };

class Bench : public Engine {
  public:
    Bench(const Program &program, const Behaviour &behaviour, uint64_t seed)
        : Engine({NVDLA_RBK, NVDLA_RBK, NVDLA_READ_RUBIK, "RUBIK_0"}, program, behaviour, seed) {
    }
};

// Clocks of one layer without stalls: no more than its atoms need on the side that has more of them, and `extra`.
// read_stall: what the counter must show, unless it is negative.
void rate(const char *name, const Settings &layer, uint64_t beats, int extra, int read_stall = -1) {
    checks.start(std::string("rate of ") + name);
    const Program program(layers_of({with(layer, {{"sdp", 0}, {"perf", read_stall >= 0}})}));
    Bench bench(program, Behaviour::quiet(32), 1);
    bench.play();
    if (checks.failing())
        return;
    if (read_stall >= 0) {
        bench.csb.write(Bench::Main, RBK_S_POINTER, 0);
        checks.equal("PERF_READ_STALL", bench.csb.read(Bench::Main, RBK_D_PERF_READ_STALL), uint64_t(read_stall));
    }
    checks.at_most("clocks", bench.done.times[0] - bench.front.armed_at, beats + uint64_t(extra));
}

Settings layer_of(Mode mode, nvdla_precision precision, int w, int h, int c, int x_stride, int y_stride) {
    return {{"rubik", mode},        {"precision", precision}, {"w", w}, {"h", h}, {"c", c},
            {"deconv_x", x_stride}, {"deconv_y", y_stride}};
}

} // namespace

void directed_cases() {
    // 32 clocks of memory latency, 4 to the response; a block is read before it is written
    rate("split of 64x8x32 INT8", layer_of(Split, NVDLA_INT8, 64, 8, 32, 1, 1), 8 * 32, 120);
    rate("contract of 2x1x40 by 2x2, eight requests", layer_of(Contract, NVDLA_INT8, 2, 1, 40, 2, 2), 8, 60, 7);
    rate("merge of 64x8x32 INT8", layer_of(Merge, NVDLA_INT8, 64, 8, 32, 1, 1), 8 * 32, 120);
    rate("split of 64x8x16 INT16", layer_of(Split, NVDLA_INT16, 64, 8, 16, 1, 1), 8 * 32, 120);
    rate("merge of 64x8x16 FP16", layer_of(Merge, NVDLA_FP16, 64, 8, 16, 1, 1), 8 * 32, 120);
    rate("contract of 32x4x32 by 2x2", layer_of(Contract, NVDLA_INT8, 32, 4, 32, 2, 2), 4 * 2 * 32, 120);
    rate("contract of 8x4x32 by 16x2", layer_of(Contract, NVDLA_INT8, 8, 4, 32, 16, 2), 4 * 2 * 64, 160);
    rate("contract of 9x4x32 by 3x1", layer_of(Contract, NVDLA_INT8, 9, 4, 32, 3, 1), 4 * 18, 120);
}

void random_case(uint64_t seed) {
    random_layers<Bench>(seed, "rubik", std::vector<Settings>(8, {{"rubik", Split}, {"sdp", 0}, {"serial", 0}}));
}
