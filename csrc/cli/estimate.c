/* nvcosim estimate: clocks of the layers of a trace or network, without RTL. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/with_trace.h"
#include "estimate/estimate.h"
#include "nvdla/text.h"
#include "run/network/compile.h"
#include "run/network/open.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "trace/launches.h"

enum { KEY_MEMORY = 0x100, KEY_LATENCY, KEY_MHZ, KEY_LAWS, KEY_CSV };

struct estimate_options {
    struct trace_options trace;
    struct compile_options compile;
    struct words traces, memories;
    uint64_t latency;
    const char *laws;
    uint64_t mhz; /* 0: that of the memory, or 1000 */
    bool csv;
};

static const struct argp_option option_table[] = {
    OPTION("memory", KEY_MEMORY, "MEMORY[,...]",
           "The DRAM as for `nvcosim run`; may be repeated (default: a read latency instead)"),
    OPTION("latency", KEY_LATENCY, "N", "Read latency without --memory (default 32)"),
    OPTION("mhz", KEY_MHZ, "N", "Clock of NVDLA, for frames a second (default: core_mhz of the memory, else 1000)"),
    OPTION("laws", KEY_LAWS, "FILE", "Coefficients of another RTL, as scripts/fit.py writes them"),
    OPTION("csv", KEY_CSV, NULL, "Print a line for each layer, as CSV"),
    {0},
};

static const char doc[] =
    "Estimates the clocks of each layer of traces or compiled networks without simulating the RTL: from what the layer "
    "computes and moves, and from laws that were fitted to layers played on the RTL. Prints what limits each layer, "
    "how "
    "busy the MAC array is, totals, and frames a second.\v"
    "Examples:\n"
    "  nvcosim estimate traces/conformance/small/rand_dc_000.nvt.gz\n"
    "  nvcosim estimate --memory lpddr4-3200 --mhz 800 net.nvdla\n"
    "  nvcosim estimate --csv --latency 200 t.nvt.gz\n"
    "\n"
    "docs/estimate.md says how good the estimates are.";

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct estimate_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->trace;
        return 0;
    case KEY_MEMORY:
        words_add(&options->memories, "%s", arg);
        return 0;
    case KEY_LATENCY:
        options->latency = argument_number(state, "latency", arg, 1, 1000000);
        return 0;
    case KEY_MHZ:
        options->mhz = argument_number(state, "mhz", arg, 1, 10000);
        return 0;
    case KEY_LAWS:
        options->laws = argument_text(state, "laws", arg, "the name of a file");
        return 0;
    case KEY_CSV:
        options->csv = true;
        return 0;
    case ARGP_KEY_ARG:
        words_add(&options->traces, "%s", arg);
        return 0;
    case ARGP_KEY_END:
        if (!options->traces.count)
            argp_error(state, "no trace is given; expected traces or compiled networks");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static struct program *read_program(struct estimate_options *options, const char *path, struct error *err) {
    if (!is_network(path))
        return trace_read(path, &options->trace, err);
    options->compile.config = options->trace.config;
    quantised_input(path, &options->compile);
    struct loadable *loadable = network_open(path, &options->compile.config, err);
    words_free(&options->compile.input.sources);
    options->compile.input.sources = (struct words){0};
    for (size_t m = 0; loadable && m < loadable->memory_count; m++) /* clocks do not depend on data */
        if (loadable->memories[m].flags & MEMORY_INPUT)
            words_put(&options->compile.input.sources, "zero");
    struct program *prog = loadable ? compile_loadable(loadable, &options->compile, err) : NULL;
    loadable_free(loadable);
    return prog;
}

/* Share of the array's multiplications over the clocks, in percent. */
static double use(const struct nvdla_config *config, uint64_t macs, double clocks) {
    return clocks > 0 ? 100.0 * (double)macs / (clocks * config->atomic_c * config->atomic_k) : 0;
}

static void print_layer(const struct estimate_options *options, const char *path, const char *memory,
                        const struct nvdla_config *config, const struct estimated_layer *layer) {
    const char *unit = nvdla_unit_names[layer->launch->unit];
    if (options->csv)
        printf("%s,%s,%s,%s,%d,%s,%.0f,%s,%" PRIu64 ",%.1f,%" PRIu64 ",%" PRIu64 "\n", path, config->name, memory, unit,
               layer->launch->ordinal, estimate_engine_names[layer->engine], layer->clocks,
               estimate_part_names[layer->limit], layer->macs, use(config, layer->macs, layer->clocks),
               layer->read_bytes, layer->write_bytes);
    else
        printf("  %s #%-4d %-5s %12.0f  %-8s %6.1f %12" PRIu64 " %12" PRIu64 "\n", unit, layer->launch->ordinal,
               estimate_engine_names[layer->engine], layer->clocks, estimate_part_names[layer->limit],
               use(config, layer->macs, layer->clocks), layer->read_bytes, layer->write_bytes);
}

/* A trace with one memory. */
static void print_trace(const struct estimate_options *options, const char *path, const struct program *prog,
                        const struct estimate_laws *laws, const struct estimate_memory *memory, const char *name,
                        double mhz) {
    struct layer_tracker *tracker = program_launches(prog);
    struct estimated_layer *layers;
    const size_t count = estimate_layers(tracker, laws, memory, &layers);
    double clocks = 0;
    uint64_t macs = 0;
    if (!options->csv) {
        printf("%s (%s, %s)\n", path, prog->config->name, name);
        printf("  layer     engine       clocks  limit     MAC %%   bytes read      written\n");
    }
    for (size_t i = 0; i < count; i++) {
        print_layer(options, path, name, prog->config, &layers[i]);
        clocks += layers[i].clocks;
        macs += layers[i].macs;
    }
    if (!options->csv)
        printf("  %zu %s: %.0f clocks, %.1f %% of the MAC array, %.2f frames a second at %.0f MHz\n", count,
               text_plural(count, "layer", "layers"), clocks, use(prog->config, macs, clocks),
               clocks > 0 ? mhz * 1e6 / clocks : 0, mhz);
    free(layers);
    layer_tracker_free(tracker);
}

static bool estimate_file(struct estimate_options *options, const char *path, const struct estimate_laws *laws,
                          struct error *err) {
    struct program *prog = read_program(options, path, err);
    print_warnings(prog);
    bool good = prog != NULL;
    for (size_t i = 0; good && i < options->memories.count; i++) {
        struct dram_config dram;
        good = dram_config_read(options->memories.items[i], &dram, err) || error_prefix(err, "--memory: ");
        if (!good)
            break;
        const struct estimate_memory memory = estimate_memory_dram(&dram);
        print_trace(options, path, prog, laws, &memory, dram.name,
                    options->mhz ? (double)options->mhz : dram.core_khz / 1e3);
    }
    if (good && !options->memories.count) {
        char name[48];
        snprintf(name, sizeof name, "latency %" PRIu64, options->latency);
        const struct estimate_memory memory = {.latency = (double)options->latency};
        print_trace(options, path, prog, laws, &memory, name, options->mhz ? (double)options->mhz : 1000);
    }
    program_free(prog);
    return good;
}

int estimate_main(int argc, char **argv) {
    static const struct argp_child children[] = {{.argp = &trace_options_argp}, {0}};
    static const struct argp argp = {
        .children = children, .options = option_table, .parser = parse, .args_doc = "TRACE|NET...", .doc = doc};
    struct estimate_options options = {.latency = 32};
    struct estimate_laws laws;
    struct error err;
    compile_options_init(&options.compile);
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        return EXIT_BAD_INPUT;
    bool good = estimate_laws_read(options.laws, &laws, &err);
    if (good && options.csv)
        puts("trace,config,memory,unit,launch,engine,clocks,limit,macs,mac_percent,bytes_read,bytes_written");
    for (size_t i = 0; good && i < options.traces.count; i++)
        good = estimate_file(&options, options.traces.items[i], &laws, &err);
    if (!good)
        fprintf(stderr, "nvcosim estimate: %s\n", err.text);
    words_free(&options.traces);
    words_free(&options.memories);
    compile_options_free(&options.compile);
    return good ? EXIT_OK : EXIT_BAD_INPUT;
}
