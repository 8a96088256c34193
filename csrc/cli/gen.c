/* nvcosim gen: writes random legal layers as traces. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "gen/gen.h"
#include "memory/file.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "run/process/progress.h"
#include "run/session/layer.h"
#include "run/session/random_checks.h"
#include "trace/formats.h"

enum { COUNT_MAX = 1000000, PATH_SIZE = 4096 };

struct gen_options {
    const struct nvdla_config *config;
    uint32_t engines;
    uint64_t seed, count;
    const char *out, *described; /* a trace whose comments describe the case; NULL: cases are drawn */
    bool without_errata;
    bool drawn; /* an option about what is drawn was given */
    bool quiet;
};

static const char doc[] =
    "Writes random legal layers as traces, without golden results: `nvcosim run` plays them on RTL and model and "
    "compares the two. Expected values of status and counter reads come from the model.\v"
    "Corner cases are preferred: smallest and odd sizes, strides, pads, saturation, layers that reuse the convolution "
    "buffer, layers queued in both register groups, fused engines, all precisions. Each case is one file, "
    "DIR/CONFIG_ENGINE_SEED.nvt.gz; the same seed gives the same file everywhere. The file's comments describe the "
    "layers; `nvcosim shrink` makes a failing case smaller.\n"
    "\n"
    "Examples:\n"
    "  nvcosim gen --engine mix --seed 1 --count 100 --out cases\n"
    "  nvcosim run -j 2 cases/*.nvt.gz\n"
    "  nvcosim gen --config large --engine sdp,pdp --seed 7\n"
    "  nvcosim gen --config full --engine deconv --seed 1 --count 10\n"
    "  nvcosim gen --case edited.nvt --out cases";

/* An engine named by the user must exist. */
static void check(void *input, struct argp_state *state) {
    const struct gen_options *options = input;
    if (options->described && options->drawn)
        argp_error(state, "--case: the trace describes the case; expected no --engine, --seed or --count, "
                          "nor --without-errata");
    char name[GEN_ENGINES_NAME], names[GEN_ENGINES_NAME];
    const uint32_t has = gen_config_engines(options->config);
    uint32_t lacks = options->engines & ~has;
    if (!lacks || options->engines == GEN_ENGINES_ALL)
        return;
    gen_engines_name(has, names, sizeof names);
    for (char *at = names; (at = strchr(at, '-')) != NULL;)
        *at = ',';
    argp_error(state, "--engine: configuration %s has no %s; expected some of %s, or mix", options->config->name,
               gen_engines_name(lacks, name, sizeof name), names);
}

static void engine_option(void *engines, const char *arg, struct argp_state *state) {
    *(uint32_t *)engines = gen_engines(arg);
    if (*(uint32_t *)engines == 0)
        argp_error(state,
                   "--engine: found '%s', expected conv, img, sdp, pdp, cdp, bdma, rubik, deconv (several with commas "
                   "between), or mix",
                   arg);
}

#define OF(member) offsetof(struct gen_options, member)

static const struct argument option_table[] = {
    CONFIG_SMALL(OF(config)),
    OPTION("engine", "ENGINE",
           "conv (feature cubes), img (image input), sdp, pdp, cdp, bdma, rubik, deconv (convolutions and a RUBIK "
           "contract), several separated by commas, or mix: all that the configuration has (default)",
           TAKEN_AT(OF(engines), engine_option), .also = OF(drawn)),
    OPTION("seed", "N", "Seed of the first case (default 1)", NUMBER_AT(OF(seed), 0, UINT64_MAX - COUNT_MAX),
           .also = OF(drawn)),
    OPTION("count", "N", "Number of cases, seeds N, N+1, ... (default 1)", NUMBER_AT(OF(count), 1, COUNT_MAX),
           .also = OF(drawn)),
    OPTION(
        "case", "TRACE",
        "Draw nothing: write the case that the comments of TRACE describe (\"# gen ...\"), after they were edited, as "
        "DIR/TRACE.nvt.gz. Its other comments stay",
        TEXT_AT(OF(described), NULL)),
    OPTION("without-errata", NULL,
           "Draw no layer that NVIDIA's hardware computes wrongly (`nvcosim lint` names them): another case takes the "
           "place of one that has such a layer",
           FLAG_AT(OF(without_errata)), .also = OF(drawn)),
    OPTION("out", "DIR", "Directory of the traces, created if missing (default: the current one)",
           TEXT_AT(OF(out), NULL), .letter = 'o'),
    OPTION("quiet", NULL, "Print nothing", FLAG_AT(OF(quiet)), .letter = 'q'),
    {0},
};

static bool find_path(const struct gen_options *options, const char *name, char path[PATH_SIZE], struct error *err) {
    int n = snprintf(path, PATH_SIZE, "%s/%s.nvt.gz", options->out, name);
    return (n >= 0 && n < PATH_SIZE) || error_set(err, "--out: the path is too long");
}

/* Writes the program of a case, and frees it; NULL: it could not be made. */
static bool write_case(const struct gen_options *options, const struct gen_case *gen, struct program *prog,
                       const char *path, struct error *err) {
    if (prog)
        random_checks_add(prog);
    bool good = prog && trace_write(prog, path, err);
    program_free(prog);
    if (good && !options->quiet)
        printf("%s: %d layer%s, about %" PRId64 " cycles\n", path, gen->count, gen->count == 1 ? "" : "s",
               gen_cycles(gen));
    return good;
}

static bool write_drawn(const struct gen_options *options, uint64_t seed, struct error *err) {
    struct gen_case gen;
    char name[256], path[PATH_SIZE], engines[GEN_ENGINES_NAME];
    snprintf(name, sizeof name, "%s_%s_%" PRIu64, options->config->name,
             gen_engines_name(options->engines, engines, sizeof engines), seed);
    if (!find_path(options, name, path, err))
        return false;
    struct program *prog =
        layer_program(options->config, options->engines, seed, !options->without_errata, path, &gen, err);
    return write_case(options, &gen, prog, path, err);
}

static bool write_described(const struct gen_options *options, struct error *err) {
    struct gen_case gen;
    char name[256], path[PATH_SIZE];
    struct program *prog = trace_read(options->described, &(struct trace_options){0}, err);
    bool good = prog && gen_case_read(&gen, prog, err);
    if (good) {
        gen.described_in = prog;
        good = find_path(options, trace_name(options->described, name, sizeof name), path, err) &&
               write_case(options, &gen, gen_build(&gen, path, err), path, err);
    }
    program_free(prog);
    return good;
}

int gen_main(int argc, char **argv) {
    static const struct command command = {
        .options = option_table, .doc = doc, .operands = {.expected = "options only"}, .check = check};
    struct gen_options options = {
        .config = nvdla_config_find("small"), .engines = GEN_ENGINES_ALL, .seed = 1, .count = 1, .out = "."};
    struct error err;
    if (!command_read(&command, argc, argv, &options))
        return EXIT_BAD_INPUT;
    bool good = directory_make(options.out, &err);
    struct progress progress = progress_start();
    if (good && options.described)
        good = write_described(&options, &err);
    for (uint64_t i = 0; good && !options.described && i < options.count; i++) {
        if (options.quiet || !isatty(STDOUT_FILENO))
            progress_count(&progress, options.out, i, options.count, "cases");
        good = write_drawn(&options, options.seed + i, &err);
    }
    progress_clear(&progress);
    if (!good)
        fprintf(stderr, "nvcosim: %s\n", err.text);
    return good ? EXIT_OK : EXIT_BAD_INPUT;
}
