/* Programs of random layers, and their runs on the model. */
#pragma once

#include "gen/gen.h"
#include "model/model.h"
#include "replay/player.h"
#include "tests/unit/test.h"

/* program_free() it. */
static inline struct program *random_program(const struct nvdla_config *config, const char *engines, uint64_t seed) {
    struct gen_case gen;
    struct error err = {.text = ""};
    gen_draw(&gen, config, gen_engines(engines), seed);
    struct program *prog = gen_build(&gen, "t.nvt", &err);
    if (!prog)
        fail_msg("seed %d: %s", (int)seed, err.text);
    return prog;
}

/* The model after a run that passes; destroy it. */
static inline struct device *model_played(const struct program *prog, const struct model_options *options) {
    struct play_options play_options;
    struct play_result result;
    play_options_default(&play_options);
    struct device *dev = model_new(prog->config, options);
    assert_int_equal(play(prog, dev, &play_options, &result), PLAY_PASSED);
    play_result_free(&result);
    return dev;
}
