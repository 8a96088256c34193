/* nvcosim gen: writes random legal layers as traces. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "gen/gen.h"
#include "gen/vary.h"
#include "layers/image_errata.h"
#include "memory/file.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "run/process/progress.h"
#include "run/session/layer.h"
#include "run/session/model_plays.h"
#include "trace/formats.h"
#include "trace/launches.h"

enum { COUNT_MAX = 1000000, PATH_SIZE = 4096 };

struct gen_options {
    const struct nvdla_config *config;
    uint32_t engines;
    uint64_t seed, count;
    const char *out, *described; /* a trace whose comments describe the case; NULL: cases are drawn */
    struct gen_variations vary;
    bool list; /* combinations are printed, not written */
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
    "  nvcosim gen --engine mix,corners --count 100 --out corners\n"
    "  nvcosim gen --config full --engine deconv --seed 1 --count 10\n"
    "  nvcosim gen --case edited.nvt --out cases\n"
    "  nvcosim gen --engine conv --seed 7 --vary w=1:16 --vary s=1:3 --out cases";

/* An engine named by the user must exist. */
static void check(void *input, struct argp_state *state) {
    const struct gen_options *options = input;
    if (options->described && options->drawn)
        argp_error(state, "--case: the trace describes the case; expected no --engine, --seed or --count, "
                          "nor --without-errata");
    if (options->vary.count > 0 && (options->count > 1 || gen_variation_count(&options->vary) > COUNT_MAX))
        argp_error(state, "--vary: expected one case, and at most %d combinations", COUNT_MAX);
    if (options->list && options->vary.count == 0)
        argp_error(state, "--list: expected --vary");
    char name[GEN_ENGINES_NAME], names[GEN_ENGINES_NAME];
    const uint32_t has = gen_config_engines(options->config);
    uint32_t lacks = options->engines & GEN_ENGINES_ALL & ~has;
    if (!lacks || (options->engines & GEN_ENGINES_ALL) == GEN_ENGINES_ALL)
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
                   "between), or mix; then perhaps ,corners",
                   arg);
}

static void vary_option(void *vary, const char *arg, struct argp_state *state) {
    struct error err;
    if (!gen_variation_read(vary, arg, &err))
        argp_error(state, "--vary: %s", err.text);
}

#define OF(member) offsetof(struct gen_options, member)

static const struct argument option_table[] = {
    CONFIG_SMALL(OF(config)),
    OPTION("engine", "ENGINE",
           "conv (feature cubes), img (image input), sdp, pdp, cdp, bdma, rubik, deconv (convolutions and a RUBIK "
           "contract), several separated by commas, or mix: all that the configuration has (default). With ,corners at "
           "the "
           "end layers are aimed at corners of values (nvcosim coverage --play)",
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
    OPTION("vary", "[LAYER/]FIELD=FROM:TO[:STEP]",
           "Write the case once for every value of a setting that its comments name (\"# gen layer 0 w=5 ...\"); of "
           "several of them every combination that is legal, named by its values. Without LAYER a case that is drawn "
           "consists of its first layer alone; may be repeated",
           TAKEN_AT(OF(vary), vary_option)),
    OPTION("list", NULL, "Write nothing: print the combinations of --vary that are legal", FLAG_AT(OF(list))),
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
        layer_program(options->config, options->engines, seed, NULL, !options->without_errata, path, &gen, err);
    return write_case(options, &gen, prog, path, err);
}

/* The case that is varied, and its name. *described: the trace that describes it, to be freed, or NULL. */
static bool find_varied(const struct gen_options *options, struct gen_case *gen, char name[256],
                        struct program **described, struct error *err) {
    char engines[GEN_ENGINES_NAME];
    if (options->described) {
        *described = trace_read(options->described, &(struct trace_options){0}, err);
        trace_name(options->described, name, 256);
        const bool good = *described && gen_case_read(gen, *described, err);
        gen->described_in = *described;
        return good;
    }
    *described = NULL;
    gen_draw(gen, options->config, options->engines, options->seed);
    if (gen_variations_of_one_layer(&options->vary))
        gen->count = 1;
    snprintf(name, 256, "%s_%s_%" PRIu64, options->config->name,
             gen_engines_name(options->engines, engines, sizeof engines), options->seed);
    return true;
}

/* Writes, or lists, a combination. False with a message only if it could not be written. */
static bool write_combination(const struct gen_options *options, const struct gen_case *varied, const char *name,
                              const char *values, uint64_t *illegal, struct error *err) {
    char file[768], path[PATH_SIZE];
    snprintf(file, sizeof file, "%s_%s", name, values);
    for (char *at = file; *at; at++)
        *at = *at == '/' ? '.' : *at == ',' ? '_' : *at;
    if (!find_path(options, file, path, err))
        return false;
    struct program *prog = gen_legal(varied, err) ? gen_build(varied, path, err) : NULL;
    struct layer_tracker *launches = prog && options->without_errata ? program_launches(prog) : NULL;
    const bool left_out = !prog || (launches && launches_have_erratum(launches));
    layer_tracker_free(launches);
    *illegal += left_out;
    if (!left_out && !options->list)
        return write_case(options, varied, prog, path, err);
    if (!left_out)
        puts(values);
    program_free(prog);
    return true;
}

static bool write_varied(const struct gen_options *options, struct progress *progress, struct error *err) {
    const uint64_t count = gen_variation_count(&options->vary);
    struct gen_case gen;
    autoprogram struct program *described = NULL;
    char name[256], values[512];
    uint64_t illegal = 0;
    bool good = find_varied(options, &gen, name, &described, err);
    for (uint64_t i = 0; good && i < count; i++) {
        struct gen_case varied = gen;
        if (options->quiet || !isatty(STDOUT_FILENO))
            progress_count(progress, options->out, i, count, "cases");
        good = gen_variation_set(&options->vary, i, &varied, values, sizeof values, err) &&
               write_combination(options, &varied, name, values, &illegal, err);
    }
    if (good && illegal == count)
        return error_prefix(err, "--vary: none of %" PRIu64 " combinations is legal; the last: ", count);
    if (good && illegal > 0 && !options->quiet)
        fprintf(stderr, "nvcosim: %" PRIu64 " of %" PRIu64 " combinations are not legal; the last: %s\n", illegal,
                count, err->text);
    return good;
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
    bool good = options.list || directory_make(options.out, &err);
    struct progress progress = progress_start();
    if (good && options.vary.count > 0)
        good = write_varied(&options, &progress, &err);
    else if (good && options.described)
        good = write_described(&options, &err);
    for (uint64_t i = 0; good && !options.described && options.vary.count == 0 && i < options.count; i++) {
        if (options.quiet || !isatty(STDOUT_FILENO))
            progress_count(&progress, options.out, i, options.count, "cases");
        good = write_drawn(&options, options.seed + i, &err);
    }
    progress_clear(&progress);
    if (!good)
        fprintf(stderr, "nvcosim: %s\n", err.text);
    return good ? EXIT_OK : EXIT_BAD_INPUT;
}
