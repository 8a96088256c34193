// The program around a bench: options, the cases in turn, the summary. BENCH_NAME and BENCH_CONFIG come from the build.
#include <cstdlib>
#include <cstring>

#include "common/bench.h"

extern "C" void nvdla_check_failed(const char *name, const char *scope);
extern "C" void nvdla_check_others_failed(const char *name, const char *scope);
extern "C" void nvdla_check_layer(const char *scope, int event_kind);

Checks checks;

namespace {

void usage(FILE *out) {
    fprintf(
        out,
        "usage: bench [--seeds N] [--seed FIRST] [--config NAME] [--verbose]\n\n"
        "Plays the directed cases of %s and %" PRIu64 " random ones in configuration " BENCH_CONFIG ".\n\n"
        "  --seeds N       N random cases\n"
        "  --seed FIRST    only random cases, from seed FIRST on, 1 unless --seeds says how many\n"
        "  --config NAME   fails unless the bench was built for this configuration\n"
        "  --verbose       a line for every case, with its layers\n\n"
        "Prints 'ok' or 'FAIL' lines, then 'N passed, N failed'. Exit status: 0 all passed, 1 not, 2 wrong usage.\n",
        BENCH_NAME, usual_seeds);
}

// Value of option argv[i]; ends the program if there is none.
const char *value(int argc, char **argv, int &i) {
    if (i + 1 >= argc) {
        fprintf(stderr, "bench: %s needs a value\n", argv[i]);
        exit(2);
    }
    return argv[++i];
}
uint64_t number(int argc, char **argv, int &i) {
    const char *option = argv[i], *text = value(argc, argv, i);
    char *end;
    const uint64_t n = strtoull(text, &end, 0);
    if (end == text || *end != 0 || *text == '-') {
        fprintf(stderr, "bench: %s %s: expected a number\n", option, text);
        exit(2);
    }
    return n;
}

} // namespace

// Called by the design (rtl/common/nvdla_check.svh): a check inside the RTL fails the case that is being played.
extern "C" void nvdla_check_failed(const char *name, const char *scope) {
    checks.rtl_check(name, scope);
}
extern "C" void nvdla_check_others_failed(const char *name, const char *scope) {
    checks.rtl_check(name, scope);
}
extern "C" void nvdla_check_layer(const char *, int) {
}

int main(int argc, char **argv) {
    uint64_t seeds = usual_seeds, first = 1;
    bool told_seeds = false, directed = true;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--seeds")) {
            seeds = number(argc, argv, i);
            told_seeds = true;
        } else if (!strcmp(argv[i], "--seed")) {
            first = number(argc, argv, i);
            directed = false;
        } else if (!strcmp(argv[i], "--config")) {
            const char *name = value(argc, argv, i);
            if (strcmp(name, BENCH_CONFIG) != 0) {
                fprintf(stderr, "bench: built for configuration " BENCH_CONFIG ", not %s\n", name);
                return 2;
            }
        } else if (!strcmp(argv[i], "--verbose")) {
            checks.verbose = true;
        } else {
            usage(!strcmp(argv[i], "--help") ? stdout : stderr);
            return !strcmp(argv[i], "--help") ? 0 : 2;
        }
    }
    if (!directed && !told_seeds)
        seeds = 1;
    setvbuf(stdout, nullptr, _IOLBF, 0);
    if (directed) {
        directed_cases();
        checks.end();
    }
    const int before = checks.failed();
    const std::string name = BENCH_NAME " " BENCH_CONFIG;
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        checks.start(name + " seed " + std::to_string(seed), true);
        random_case(seed);
        checks.end();
    }
    if (seeds > 0) {
        printf("%s  %s: seeds %" PRIu64 " .. %" PRIu64 "\n", checks.failed() > before ? "FAIL" : "ok  ", name.c_str(),
               first, first + seeds - 1);
    }
    return checks.finish();
}
