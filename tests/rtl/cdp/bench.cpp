// nvdla_cdp alone, with random layers and tables of csrc/gen, against the C model (common/engine.h). At the end the
// tables are read back. Directed cases: the rate of some layers.
#include "common/engine.h"

const uint64_t usual_seeds = 300;

namespace {

class Bench : public Engine {
  public:
    Bench(const Program &program, const Behaviour &behaviour, uint64_t seed)
        : Engine({NVDLA_CDP, NVDLA_CDP_RDMA, NVDLA_READ_CDP, "CDP_0"}, program, behaviour, seed) {
    }
    void play() override {
        Engine::play();
        for (uint32_t table = 0; table < 2 && !checks.failing(); table++) {
            write(CDP_S_LUT_ACCESS_CFG, table << 16);
            for (int n = table ? 257 : 65; n > 0; n--)
                compare(CDP_S_LUT_ACCESS_DATA);
            compare(CDP_S_LUT_ACCESS_CFG);
        }
    }
};

// One layer without stalls must take no more clocks than its lanes need, and `extra`.
void rate(nvdla_precision precision, int w, int h, int c, int extra) {
    static const char *const names[] = {"INT8", "INT16", "FP16"};
    checks.start("rate of " + std::to_string(w) + "x" + std::to_string(h) + "x" + std::to_string(c) + " " +
                 names[precision]);
    const Program program(
        layers_of({{{"cdp", 1}, {"sdp", 0}, {"lut", 1}, {"precision", precision}, {"w", w}, {"h", h}, {"c", c}}}));
    Bench bench(program, Behaviour::quiet(32), 1);
    bench.play();
    const int lanes = config->mem_atom / nvdla_element_bytes(precision),
              beats = w * h * ((c - 1) / lanes + 1) * (config->mem_atom / config->cdp_throughput);
    if (!checks.failing())
        checks.at_most("clocks", bench.done.times[0] - bench.front.armed_at, uint64_t(beats + extra));
}

} // namespace

void directed_cases() {
    // 32 clocks of memory latency, 4 to the response; the first surface waits for the second one
    for (nvdla_precision precision : {NVDLA_INT8, NVDLA_INT16, NVDLA_FP16}) {
        rate(precision, 1, 1, 1, 59);
        rate(precision, 1, 9, 64, 69);
        rate(precision, 8, 8, 32, 69);
        rate(precision, 13, 3, 61, 69);
        rate(precision, 64, 2, 8, 69);
        if (!nvdla_has_16_bits(config))
            break;
    }
}

void random_case(uint64_t seed) {
    const Settings tiny = {{"cdp", 1}, {"sdp", 0}, {"serial", 0}, {"w", 2}, {"h", 2}};
    std::vector<Settings> crowd(8, tiny);
    crowd[0] = with(tiny, {{"lut", 1}});
    random_layers<Bench>(seed, "cdp", crowd);
}
