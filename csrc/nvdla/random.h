/* splitmix64: a random generator with the same numbers on every machine. 64 bits of state; any seed works. */
#pragma once

#include <stdint.h>

/* The next number; *state starts as the seed. */
static inline uint64_t random_next(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A number of 0 .. n-1. */
static inline uint32_t random_below(uint64_t *state, uint32_t n) {
    return (uint32_t)((random_next(state) >> 32) * n >> 32);
}
