/* nvcosim info: prints the contents of a trace or of a compiled network. */
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/with_trace.h"
#include "nvdla/text.h"
#include "report/explain.h"
#include "run/list/facts.h"
#include "run/network/network_info.h"
#include "run/network/open.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "run/simulators/build_info.h"

enum { KEY_JSON = 0x100, KEY_DOT, KEY_REPORT, KEY_BUILD, KEY_BRIEF };

struct info_options {
    struct trace_options trace;
    bool json, build, brief;
    struct network_info_options network;
    struct words traces;
    const char *path; /* the first of them */
};

static const struct argp_option option_table[] = {
    OPTION("json", KEY_JSON, NULL,
           "Print JSON. Without a trace: version, configurations, engines, options of run, registers of this program "
           "(docs/results.md)"),
    OPTION("brief", KEY_BRIEF, NULL,
           "With --json: only name and configuration of each TRACE, one a line; without a trace all but the registers"),
    OPTION("dot", KEY_DOT, NULL, "Print the graph of a network for Graphviz (dot -Tsvg)"),
    OPTION("report", KEY_REPORT, "FILE",
           "Add clocks and MAC utilisation of each layer of a network, from report.json of a run with --html"),
    OPTION("build", KEY_BUILD, NULL,
           "Instead of a trace: list the simulators with their compiler and options, profile, Verilator version, "
           "threads and RTL revision"),
    {0},
};

static const char doc[] =
    "Prints the contents of a trace: register writes per unit, decoded by name and field; memory regions; layers with "
    "their cubes; checks; waits and events. For a compiled network (NET.nvdla): its layers, memories and tensors.\v"
    "Examples:\n"
    "  nvcosim info t.cfg | less\n"
    "  nvcosim info --config full conformance/full/sanity3\n"
    "  nvcosim info --json t.nvt.gz\n"
    "  nvcosim info net.nvdla\n"
    "  nvcosim info --dot net.nvdla | dot -Tsvg >net.svg\n"
    "  nvcosim info --build\n"
    "\n"
    "Least clocks of a layer: the time of its multiplications if the MAC array never waits.";

static int info_network(struct info_options *options) {
    struct error err;
    options->network.config = options->trace.config;
    struct loadable *loadable = network_open(options->path, &options->network.config, &err);
    options->network.json = options->json;
    const bool fine = loadable && network_info(stdout, loadable, &options->network, &err);
    loadable_free(loadable);
    if (!fine)
        fprintf(stderr, "%s\n", err.text);
    return fine ? EXIT_OK : EXIT_BAD_INPUT;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct info_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->trace;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case KEY_DOT:
        options->network.dot = true;
        return 0;
    case KEY_REPORT:
        options->network.report = arg;
        return 0;
    case KEY_BUILD:
        options->build = true;
        return 0;
    case KEY_BRIEF:
        options->brief = true;
        return 0;
    case ARGP_KEY_ARG:
        words_put(&options->traces, arg);
        return 0;
    case ARGP_KEY_END:
        options->path = options->traces.count ? options->traces.items[0] : NULL;
        if (options->brief && !options->json)
            argp_error(state, "--brief needs --json");
        if (options->traces.count > 1 && !options->brief)
            argp_error(state, "found '%s', expected one trace", options->traces.items[1]);
        if (options->json && (options->brief || !options->path) && !options->build && !options->network.dot &&
            !options->network.report)
            return 0;
        if (options->build) {
            if (options->path || options->network.dot || options->network.report)
                argp_error(state,
                           "--build: found a trace or other options as well; expected --build alone or with --json");
            return 0;
        }
        if (!options->path)
            argp_error(state,
                       "no trace is given; expected a .cfg, .txn, .nvt or .nvt.gz file, or a directory that holds one");
        else if (options->json && options->network.dot)
            argp_error(state, "--dot and --json exclude each other");
        else if (!is_network(options->path) && (options->network.dot || options->network.report))
            argp_error(state, "--dot and --report are for networks; expected the name of one, NET.nvdla");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool print_trace(struct program *prog, void *context, struct error *err) {
    const struct info_options *options = context;
    (void)err;
    char *text = options->json ? explain_json(prog) : explain_text(prog);
    printf("%s%s", text, options->json ? "\n" : "");
    free(text);
    return true;
}

int info_main(int argc, char **argv) {
    static const struct argp_child children[] = {{.argp = &trace_options_argp}, {0}};
    static const struct argp argp = {.children = children,
                                     .options = option_table,
                                     .parser = parse,
                                     .args_doc = "TRACE\n--build\n--json [--brief [TRACE...]]",
                                     .doc = doc};
    struct info_options options = {0};
    struct error err;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        return EXIT_BAD_INPUT;
    if (options.build) {
        const bool fine = build_info_print(stdout, options.json, &err);
        if (!fine)
            fprintf(stderr, "nvcosim info: %s\n", err.text);
        return fine ? EXIT_OK : EXIT_BAD_INPUT;
    }
    int status = EXIT_OK;
    if (!options.path)
        facts_print(stdout, options.brief);
    else if (options.brief)
        facts_of_traces(stdout, &options.traces);
    else if (is_network(options.path))
        status = info_network(&options);
    else
        status = with_trace(options.path, &options.trace, print_trace, &options);
    words_free(&options.traces);
    return status;
}
