/* Random configurations. See gen.h. */
#include <stdio.h>

#include "gen/gen.h"
#include "gen/rng.h"
#include "nvdla/config_text.h"

enum {
    SALT = 0xc0f1,
    MACS_MOST = 512, /* so that its simulator is built in a minute */
    FULL_EACH = 4    /* one seed in so many */
};

static unsigned power(struct rng *rng, unsigned least, unsigned most) {
    const unsigned value = least << rng_range(rng, 0, 5);
    return value > most ? most : value;
}

/* Elements a clock of what may be absent. */
static unsigned some(struct rng *rng, unsigned most) {
    return rng_chance(rng, 15) ? 0 : power(rng, 1, most);
}

/* Of the map of small. */
static void draw_small(struct rng *rng, unsigned c, unsigned k, char *text, size_t size) {
    const unsigned ew = rng_chance(rng, 50) ? power(rng, 1, 4) : 0;
    const unsigned bs = some(rng, 16), bn = some(rng, 16), pdp = some(rng, 8), cdp = some(rng, 8);
    const unsigned banks = power(rng, 16, 32), depth = power(rng, 128, 512), latency = power(rng, 64, 1024);
    const int burst = rng_chance(rng, 50) ? 4 : 1, address_bits = rng_chance(rng, 50) ? 64 : 32;
    const bool secondary = rng_chance(rng, 50), compression = rng_chance(rng, 30);
    const unsigned bus = power(rng, 64, 512);
    snprintf(text, size,
             "small,macs=%ux%u,banks=%u,bank_depth=%u,bs=%u,bn=%u,ew=%u,lut=%d,pdp=%u,cdp=%u,bus=%u,burst=%d,"
             "latency=%u,address_bits=%d,secondary=%d,compression=%d",
             c, k, banks, depth, bs, bn, ew, ew > 0, pdp, cdp, bus, burst, latency, address_bits, secondary,
             compression);
}

/* Of the map of full: Winograd, BDMA and RUBIK need more MACs. */
static void draw_full(struct rng *rng, unsigned c, unsigned k, char *text, size_t size) {
    const bool int16 = rng_chance(rng, 60), fp16 = rng_chance(rng, 60), compression = rng_chance(rng, 50);
    const bool batches = rng_chance(rng, 60), secondary = rng_chance(rng, 50);
    snprintf(text, size, "full,macs=%ux%u,int16=%d,fp16=%d,batch=%d,compression=%d,secondary=%d", c, k, int16, fp16,
             batches && (int16 || fp16) ? 32 : 1, compression, secondary);
}

const struct nvdla_config *gen_config_draw(uint64_t seed) {
    struct rng rng = rng_make(seed, SALT);
    for (;;) {
        const unsigned c = power(&rng, 8, 64), k = power(&rng, 8, 32);
        char text[256];
        (seed % FULL_EACH ? draw_small : draw_full)(&rng, c, k, text, sizeof text);
        const struct nvdla_config *config = nvdla_config_read(text, NULL);
        if (c * k <= MACS_MOST && config && nvdla_config_legal(config, NULL))
            return config;
    }
}
