// What every bench has: a configuration, cases of its own and random ones. bench_main.cpp does the rest.
#pragma once
#include "common/checks.h"
#include "common/random.h"

extern "C" {
#include "nvdla/config.h"
}

// That the bench was built for.
inline const nvdla_config *const config = nvdla_config_find(BENCH_CONFIG);

// To be defined by the bench. usual_seeds: random cases that it plays by default.
extern const uint64_t usual_seeds;
// Cases of its own, each begun with checks.start().
void directed_cases();
// The random case of a seed, begun by the caller: plays it and tells `checks` what is wrong.
void random_case(uint64_t seed);
