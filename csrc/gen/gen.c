/* Cases from seeds: which engines, and the trace that comes of them. See gen.h. */
#include "gen/gen.h"

#include <stdio.h>
#include <string.h>

#include "gen/engine.h"

static const char *const engine_names[GEN_ENGINE_COUNT] = {"conv", "img",  "sdp",   "pdp",
                                                           "cdp",  "bdma", "rubik", "deconv"};

uint32_t gen_engines(const char *name) {
    uint32_t engines = 0;
    if (strcmp(name, "mix") == 0)
        return GEN_ENGINES_ALL;
    for (;;) {
        size_t n = strcspn(name, ",");
        int engine = 0;
        while (engine < GEN_ENGINE_COUNT &&
               (strlen(engine_names[engine]) != n || memcmp(engine_names[engine], name, n) != 0))
            engine++;
        if (engine == GEN_ENGINE_COUNT || engines >> engine & 1u)
            return 0;
        engines |= 1u << engine;
        if (!name[n])
            return engines;
        name += n + 1;
    }
}

uint32_t gen_config_engines(const struct nvdla_config *config) {
    uint32_t lacks = 0;
    if (!nvdla_has_unit(config, NVDLA_BDMA))
        lacks |= 1u << GEN_ENGINE_BDMA;
    if (!nvdla_has_unit(config, NVDLA_RBK))
        lacks |= 1u << GEN_ENGINE_RUBIK | 1u << GEN_ENGINE_DECONV;
    return GEN_ENGINES_ALL & ~lacks;
}

char *gen_engines_name(uint32_t engines, char *text, size_t size) {
    size_t n = 0;
    text[0] = '\0';
    if (engines == GEN_ENGINES_ALL)
        snprintf(text, size, "mix");
    for (int i = 0; engines != GEN_ENGINES_ALL && i < GEN_ENGINE_COUNT; i++)
        if (engines >> i & 1u && n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "-" : "", engine_names[i]);
    return text;
}

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
}
