/* nvcosim info: prints the contents of a trace or of a compiled network. */
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/with_trace.h"
#include "gen/gen.h"
#include "nvdla/config_text.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "report/explain.h"
#include "run/list/facts.h"
#include "run/network/network_info.h"
#include "run/network/open.h"
#include "run/options/arguments.h"
#include "run/options/options.h"

struct info_options {
    struct trace_options trace;
    bool json, build, brief, spec;
    bool dot;           /* of a network, as report: */
    const char *report; /* report.json of a run */
    struct words traces;
    const char *path; /* the first of them */
};

#define OF(member) offsetof(struct info_options, member)

static void draw_option(void *config, const char *arg, struct argp_state *state) {
    uint64_t seed;
    if (!text_number(arg, UINT64_MAX, &seed))
        argp_error(state, "--draw: found '%s', expected a number", arg);
    *(const struct nvdla_config **)config = gen_config_draw(seed);
}

static const struct argument option_table[] = {
    TRACE_OPTIONS(OF(trace)),
    OPTION("json", NULL,
           "Print JSON. Without a trace: version, configurations, engines, options of run, registers of this program "
           "(docs/results.md)",
           FLAG_AT(OF(json))),
    OPTION("brief", NULL,
           "With --json: only name and configuration of each TRACE, one a line; without a trace all but the registers",
           FLAG_AT(OF(brief))),
    OPTION("dot", NULL, "Print the graph of a network for Graphviz (dot -Tsvg)", FLAG_AT(OF(dot))),
    OPTION("report", "FILE",
           "Add clocks and MAC utilisation of each layer of a network, from report.json of a run with --html",
           TEXT_AT(OF(report), NULL)),
    OPTION("draw", "SEED",
           "Instead of --config: a legal configuration of at most 512 MACs; one seed in four is of the map full",
           TAKEN_AT(OF(trace.config), draw_option)),
    OPTION("spec", NULL, "With --config: print it as NVIDIA's NAME.spec", FLAG_AT(OF(spec))),
    OPTION("build", NULL,
           "Instead of a trace: list the simulators with their compiler and options, profile, Verilator version, "
           "threads and RTL revision",
           FLAG_AT(OF(build))),
    {0},
};

static const char doc[] =
    "Prints the contents of a trace: register writes per unit, decoded by name and field; memory regions; layers with "
    "their cubes; checks; waits and events. For a compiled network (NET.nvdla): its layers, memories and tensors. With "
    "--config alone: the values of a configuration.\v"
    "Examples:\n"
    "  nvcosim info t.cfg | less\n"
    "  nvcosim info --config full conformance/full/sanity3\n"
    "  nvcosim info --json t.nvt.gz\n"
    "  nvcosim info net.nvdla\n"
    "  nvcosim info --dot net.nvdla | dot -Tsvg >net.svg\n"
    "  nvcosim info --build\n"
    "  nvcosim info --config small,macs=16x16\n"
    "\n"
    "Least clocks of a layer: the time of its multiplications if the MAC array never waits.";

static int info_network(const struct info_options *options) {
    struct error err;
    const struct nvdla_config *config = options->trace.config;
    struct loadable *loadable = network_open(options->path, &config, &err);
    const bool fine = loadable && network_info(stdout, loadable, config, &err);
    loadable_free(loadable);
    if (!fine)
        fprintf(stderr, "%s\n", err.text);
    return fine ? EXIT_OK : EXIT_BAD_INPUT;
}

static void check(void *input, struct argp_state *state) {
    struct info_options *options = input;
    options->path = options->traces.count ? options->traces.items[0] : NULL;
    if (options->spec && (!options->trace.config || options->path || options->json))
        argp_error(state, "--spec: expected --config with it, and no trace");
    if (options->spec && options->trace.config->map != NVDLA_MAP_SMALL)
        argp_error(state, "--spec: found configuration %s; NVIDIA's .spec files are of the register map of small",
                   options->trace.config->name);
    if (options->brief && !options->json)
        argp_error(state, "--brief needs --json");
    if (options->traces.count > 1 && !options->brief)
        argp_error(state, "found '%s', expected one trace", options->traces.items[1]);
    if (options->json && (options->brief || !options->path) && !options->build && !options->dot && !options->report)
        return;
    if (options->build) {
        if (options->path || options->dot || options->report)
            argp_error(state, "--build: found a trace or other options as well; expected --build alone or with --json");
        return;
    }
    if (!options->path && options->trace.config && !options->dot && !options->report)
        return;
    if (!options->path)
        argp_error(state,
                   "no trace is given; expected a .cfg, .txn, .nvt or .nvt.gz file, or a directory that holds one");
    else if (options->json && options->dot)
        argp_error(state, "--dot and --json exclude each other");
    else if (!is_network(options->path) && (options->dot || options->report))
        argp_error(state, "--dot and --report are for networks; expected the name of one, NET.nvdla");
}

static bool print_trace(struct program *prog, void *context, struct error *err) {
    const struct info_options *options = context;
    (void)err;
    autofree char *text = options->json ? explain_json(prog) : explain_text(prog);
    printf("%s%s", text, options->json ? "\n" : "");
    return true;
}

int info_main(int argc, char **argv) {
    static const struct command command = {.options = option_table,
                                           .usage = "TRACE\n--build\n--config=NAME\n--json [--brief [TRACE...]]",
                                           .doc = doc,
                                           .operands = OPERANDS_AT(OF(traces)),
                                           .check = check};
    struct info_options options = {0};
    if (!command_read(&command, argc, argv, &options))
        return EXIT_BAD_INPUT;
    int status = EXIT_OK;
    if (options.build)
        status = python_command("info", argv);
    else if (!options.path && options.json)
        facts_print(stdout, options.trace.config, options.brief);
    else if (!options.path && options.spec)
        nvdla_config_print_spec(stdout, options.trace.config);
    else if (!options.path)
        facts_of_config(stdout, options.trace.config);
    else if (options.brief)
        facts_of_traces(stdout, &options.traces);
    else if (is_network(options.path))
        status = options.json && !options.report ? info_network(&options) : python_command("info", argv);
    else
        status = with_trace(options.path, &options.trace, print_trace, &options);
    words_free(&options.traces);
    return status;
}
