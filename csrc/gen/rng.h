/* Random numbers that are the same on every machine: splitmix64, 64 bits of state. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

/* A generator for a seed; salt distinguishes generators of the same seed. */
struct rng rng_make(uint64_t seed, uint64_t salt);

uint64_t rng_next(struct rng *rng);

/* lowest <= result <= highest; lowest if the range is empty. */
int64_t rng_range(struct rng *rng, int64_t lowest, int64_t highest);

/* True in `percent` of 100 cases. */
bool rng_chance(struct rng *rng, int percent);

/* One of count values. */
int64_t rng_pick(struct rng *rng, const int64_t *values, size_t count);

/* A size from 1 to highest; prefers small ones and borders: 1, highest, around a multiple of unit. */
int64_t rng_size(struct rng *rng, int64_t highest, int64_t unit);

/* A signed number of `bits` bits: plain ones, powers of two and their neighbours, extremes, any. */
int64_t rng_signed(struct rng *rng, int bits);

/* A permutation of 0 .. count-1 into order[]. */
void rng_shuffle(struct rng *rng, size_t *order, size_t count);
