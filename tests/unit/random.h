/* Random numbers of the unit tests: a small generator with its state in the caller's hands, the same on every machine.
 */
#pragma once

#include <stdint.h>
#include <stdlib.h>

static inline uint64_t rnd64(uint64_t *state) {
    return *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
}

static inline uint32_t rnd(uint64_t *state) {
    return (uint32_t)(rnd64(state) >> 32);
}

/* 0 .. n-1 */
static inline uint32_t below(uint64_t *state, uint64_t n) {
    return (uint32_t)(rnd(state) % n);
}

/* Seeds of a walk over random cases: all, or an eighth with UNIT_WALKS=short in the environment, for builds in which a
 * case takes long. */
static inline uint64_t seeds_of(uint64_t all) {
    return getenv("UNIT_WALKS") ? (all + 7) / 8 : all;
}
