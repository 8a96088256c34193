// Layers of csrc/gen as programs, for the C model and, behind common/front.h, for the design.
#pragma once
#include <string>
#include <vector>

#include "common/bench.h"

extern "C" {
#include "gen/gen.h"
#include "replay/player.h"
#include "report/hang_text.h"
}

// Settings of a layer by their names in gen (csrc/gen/spec.h).
using Settings = std::vector<std::pair<std::string, int64_t>>;

inline Settings with(Settings layer, const Settings &more) {
    layer.insert(layer.end(), more.begin(), more.end());
    return layer;
}

// Layers with these settings; all others are plain.
inline gen_case layers_of(const std::vector<Settings> &list) {
    gen_case gen{};
    gen.config = config;
    gen.expect_all = true;
    for (const Settings &settings : list) {
        gen_layer &layer = gen.layers[gen.count++];
        gen_layer_plain(&layer);
        layer.sdp = 1;
        layer.in_data = layer.weights = STYLE_UNIFORM;
        for (const auto &[name, value] : settings)
            *gen_field_of(&layer, gen_field_find(name.c_str(), name.size())) = value;
    }
    return gen;
}

// The layers of a case as a program.
class Program {
  public:
    gen_case layers;

    explicit Program(const gen_case &gen) : layers(gen), program_(gen_build(&gen, "bench", &err_)) {
        if (!program_)
            checks.fail("the bench's own layers are not legal: %s", err_.text);
        for (int i = 0; i < gen.count; i++)
            describe(layers.layers[i]);
    }
    ~Program() {
        if (program_)
            program_free(program_);
    }
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    // Plays it; false, and a failure, if that does not come to a good end.
    bool play(device *on) const {
        static const char *const outcomes[] = {"passes", "fails", "hangs", "is stopped", "breaks", "is refused"};
        play_options options;
        play_options_default(&options);
        play_result result;
        if (!program_)
            return false;
        const play_outcome outcome = ::play(program_, on, &options, &result);
        hang_explain(&result);
        if (outcome != PLAY_PASSED)
            checks.fail("the program %s on the %s: %s", outcomes[outcome], on->name,
                        result.message ? result.message : "");
        for (size_t i = 0; i < result.failure_count; i++) {
            char name[100];
            const play_failure &f = result.failures[i];
            checks.fail("%s is 0x%08x, expected 0x%08x",
                        nvdla_register_name(config, program_->ops[f.op].address, name, sizeof name), f.got, f.expected);
        }
        play_result_free(&result);
        return outcome == PLAY_PASSED;
    }

  private:
    // What fails shows the settings that are not plain.
    static void describe(gen_layer &layer) {
        std::string text;
        for (size_t i = 0; i < gen_field_count; i++)
            if (const int64_t value = *gen_field_of(&layer, &gen_fields[i]); value != gen_fields[i].plain)
                text += std::string(gen_fields[i].name) + "=" + std::to_string(value) + " ";
        checks.detail(text);
    }
    error err_{};
    program *program_;
};
