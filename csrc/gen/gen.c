/* Cases from seeds: choice of engines, and the resulting trace. See gen.h. */
#include "gen/gen.h"

#include "gen/engine.h"

bool gen_legal(const struct gen_case *gen, struct error *err) {
    struct gen_shape shapes[GEN_LAYERS];
    return gen_case_shape(gen, shapes, err);
}

int64_t gen_cycles(const struct gen_case *gen) {
    struct gen_shape shapes[GEN_LAYERS];
    int64_t cycles = 0;
    if (!gen_case_shape(gen, shapes, NULL))
        return 0;
    for (int i = 0; i < gen->count; i++)
        cycles += shapes[i].cycles;
    return cycles;
}

void gen_draw(struct gen_case *gen, const struct nvdla_config *config, uint32_t engines, uint64_t seed) {
    uint32_t built = engines & gen_config_engines(config);
    uint64_t salt = built;
    for (const char *c = config->name; *c; c++)
        salt = salt * 131 + (unsigned char)*c;
    struct rng rng = rng_make(seed, salt);
    *gen = (struct gen_case){.config = config, .seed = seed};
    gen_engines_name(engines, gen->engines, sizeof gen->engines);
    gen->place = rng_chance(&rng, 5) ? 0 : rng_next(&rng) >> 16 | 1;
    gen->expect_all = rng_chance(&rng, 30);
    gen_mix_draw(&rng, gen, built);
    if (engines & GEN_CORNERS)
        gen_aim(&rng, gen);
}
