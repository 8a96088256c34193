/* The random generator and its draws. See rng.h. */
#include "gen/rng.h"

struct rng rng_make(uint64_t seed, uint64_t salt) {
    struct rng rng = {seed};
    rng.state = rng_next(&rng) ^ salt;
    rng.state = rng_next(&rng);
    return rng;
}

uint64_t rng_next(struct rng *rng) {
    uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t rng_range(struct rng *rng, int64_t lowest, int64_t highest) {
    if (highest <= lowest)
        return lowest;
    uint64_t span = (uint64_t)highest - (uint64_t)lowest + 1; /* 0: all 64 bits */
    uint64_t random = rng_next(rng);
    return (int64_t)((uint64_t)lowest + (span ? random % span : random));
}

bool rng_chance(struct rng *rng, int percent) {
    return rng_range(rng, 0, 99) < percent;
}

int64_t rng_pick(struct rng *rng, const int64_t *values, size_t count) {
    return values[rng_range(rng, 0, (int64_t)count - 1)];
}

int64_t rng_size(struct rng *rng, int64_t highest, int64_t unit) {
    int64_t size;
    switch (rng_range(rng, 0, 9)) {
    case 0:
    case 1:
        size = 1;
        break;
    case 2:
        size = highest;
        break;
    case 3:
    case 4:
        size = unit * rng_range(rng, 1, 4) + rng_range(rng, -1, 1);
        break;
    case 5:
    case 6:
        size = rng_range(rng, 1, 5);
        break;
    default:
        size = rng_range(rng, 1, highest < 4 * unit ? highest : 4 * unit);
        break;
    }
    return size < 1 ? 1 : size > highest ? highest : size;
}

int64_t rng_signed(struct rng *rng, int bits) {
    int64_t highest = ((int64_t)1 << (bits - 1)) - 1, lowest = -highest - 1, value;
    switch (rng_range(rng, 0, 7)) {
    case 0:
        return rng_chance(rng, 50) ? highest : lowest;
    case 1:
        return rng_range(rng, -1, 1);
    case 2:
        value = ((int64_t)1 << rng_range(rng, 0, bits - 2)) + rng_range(rng, -1, 1);
        break;
    case 3:
        value = rng_range(rng, lowest, highest);
        break;
    default:
        value = rng_range(rng, 0, ((int64_t)1 << rng_range(rng, 1, bits - 1)) - 1);
        break;
    }
    if (rng_chance(rng, 50))
        value = -value;
    return value < lowest ? lowest : value > highest ? highest : value;
}

void rng_shuffle(struct rng *rng, size_t *order, size_t count) {
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)rng_range(rng, 0, (int64_t)i - 1), kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
}
