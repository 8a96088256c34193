// nvdla_pdp alone, with random layers of csrc/gen from memory and from an SDP stream, against the C model
// (common/engine.h). SDP's part of a layer is the model's: its stream feeds the design. Directed cases: the rate of
// some layers, and registers with undefined contents.
#include "common/engine.h"
#include "common/stream.h"

const uint64_t usual_seeds = 200;

namespace {

const bool wide = nvdla_has_16_bits(config);
const size_t atom = size_t(config->mem_atom), lanes = size_t(nvdla_sdp_lanes(config)), lane_bytes = wide ? 2 : 1;

struct FromSdp {
    std::vector<uint8_t> stream; // of all layers
    int ended = 0;               // layers
};

class Bench : private FromSdp, public Engine {
  public:
    StreamSource sdp;

    Bench(const Program &program, const Behaviour &behaviour, uint64_t seed)
        : Engine({NVDLA_PDP, NVDLA_PDP_RDMA, NVDLA_READ_PDP, "PDP_0"}, program, behaviour, seed,
                 {{TAP_SDP_OUT, taker()}}),
          sdp(design, STREAM_IN(design.top, sdp), lanes * lane_bytes, seed ^ 0x3333), layers_(program.layers) {
        sdp.feed(stream.data(), stream.size());
    }
    void hesitate(Random &r) override {
        Engine::hesitate(r);
        sdp.percent = r.percent(25) ? 100 : r.range(20, 100);
    }
    void play() override {
        Engine::play();
        if (!checks.failing() && sdp.left() > 0)
            checks.fail("%zu bytes of SDP are left over", sdp.left());
    }

  private:
    const gen_case &layers_;

    // The rows of SDP as its beats: where an element has room for 16 bits INT8 is the low byte, and the high byte is
    // random, as are the elements of lanes without a channel.
    Reference::Rows taker() {
        return [this](const tap_position &at, const uint8_t *row, size_t bytes) {
            const size_t size = tap_element_bytes(at.stream.format);
            for (size_t i = 0; i < atom; i++) {
                stream.push_back(i < bytes ? row[i] : uint8_t(random.bits()));
                if (size < lane_bytes)
                    stream.push_back(uint8_t(random.bits()));
            }
        };
    }
    void end_layer(int group) override {
        if (layers_.layers[ended_].sdp)
            front.raise("SDP_0", ended++ & 1);
        Engine::end_layer(group);
    }
};

// ---- cases ----

// One layer without stalls must take no more clocks than the lanes of its input need, and `extra`. before, after: pads
// of both axes.
void rate(const char *name, nvdla_precision precision, bool memory, int w, int h, int c, int k, int stride, int before,
          int after, int extra) {
    checks.start(std::string("rate of ") + name);
    const Program program(layers_of({{{"pdp", 1},
                                      {"sdp", !memory},
                                      {"method", precision == NVDLA_FP16 ? 0 : 1},
                                      {"precision", precision},
                                      {"w", w},
                                      {"h", h},
                                      {"c", c},
                                      {"kernel_w", k},
                                      {"kernel_h", k},
                                      {"step_x", stride},
                                      {"step_y", stride},
                                      {"pool_left", before},
                                      {"pool_top", before},
                                      {"pool_right", after},
                                      {"pool_bottom", after}}}));
    Bench bench(program, Behaviour::quiet(32), 1);
    bench.play();
    if (checks.failing())
        return;
    const int per_atom = int(atom) / nvdla_element_bytes(precision), atoms = w * h * ((c - 1) / per_atom + 1),
              beats = atoms * (per_atom / config->pdp_throughput),
              from_sdp = memory ? 0 : atoms * (per_atom / int(lanes));
    checks.at_most("clocks", bench.done.times[0] - bench.front.armed_at, uint64_t(std::max(beats, from_sdp) + extra));
}

// In whole atoms: what SDP gives in lanes without a channel is not in the model's stream.
void take_from_sdp(gen_layer &layer) {
    const int64_t channels = int64_t(atom) / nvdla_element_bytes(nvdla_precision(layer.precision));
    layer.sdp = 1;
    layer.c = (layer.c + channels - 1) / channels * channels;
}

} // namespace

void directed_cases() {
    // 32 clocks of memory latency, 4 to the response; the rows that a bottom pad completes overlap with the next
    // surface
    rate("1x1x1 from memory", NVDLA_INT8, true, 1, 1, 1, 3, 1, 1, 1, 59);
    rate("28x28x8 max 2x2 stride 2", NVDLA_INT8, true, 28, 28, 8, 2, 2, 0, 0, 59);
    rate("8x8x64 max 2x2 stride 1 pad 0/1", NVDLA_INT8, true, 8, 8, 64, 2, 1, 0, 1, 129);
    rate("8x8x32 1x1 pass-through", NVDLA_INT8, true, 8, 8, 32, 1, 1, 0, 0, 59);
    rate("8x8x32 1x1 pass-through on the fly", NVDLA_INT8, false, 8, 8, 32, 1, 1, 0, 0, 30);
    rate("16x16x32 max 3x3 stride 1 pad 1 on the fly", NVDLA_INT8, false, 16, 16, 32, 3, 1, 1, 1, 200);
    rate("16x16x32 max 5x5 stride 1 pad 2 on the fly", NVDLA_INT8, false, 16, 16, 32, 5, 1, 2, 2, 320);
    if (wide) {
        rate("1x1x1 FP16 from memory", NVDLA_FP16, true, 1, 1, 1, 3, 1, 1, 1, 69);
        rate("28x28x16 INT16 max 2x2 stride 2", NVDLA_INT16, true, 28, 28, 16, 2, 2, 0, 0, 59);
        rate("29x29x32 FP16 average 3x3 stride 2 on the fly", NVDLA_FP16, false, 29, 29, 32, 3, 2, 0, 0, 60);
        rate("16x16x32 FP16 average 3x3 stride 1 pad 1", NVDLA_FP16, true, 16, 16, 32, 3, 1, 1, 1, 199);
    }
    checks.start("time passes with undefined registers");
    const Program program(layers_of({{{"pdp", 1}, {"sdp", 0}}}));
    for (uint64_t seed = 0; seed < 20; seed++) {
        Bench bench(program, Behaviour::quiet(10), seed);
        const std::vector<uint8_t> cube(4096, 0x55);
        bench.sdp.feed(cube.data(), cube.size());
        bench.undefined_registers(2000);
    }
}

void random_case(uint64_t seed) {
    const Settings tiny = {{"pdp", 1}, {"sdp", 0}, {"serial", 0}, {"w", 3}, {"h", 2}, {"kernel_w", 2}};
    random_layers<Bench>(seed, "pdp", std::vector<Settings>(8, tiny), [](gen_case &gen, Random &r) {
        for (int i = 0; i < gen.count; i++) {
            const gen_layer before = gen.layers[i];
            if (r.percent(40))
                take_from_sdp(gen.layers[i]);
            if (!gen_legal(&gen, nullptr))
                gen.layers[i] = before;
        }
    });
}
