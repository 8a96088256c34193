/* nvcosim info: what a trace holds. */
#include <stdlib.h>

#include "cli/commands.h"
#include "report/explain.h"
#include "run/options.h"
#include "trace/formats.h"

enum { KEY_NO_GOLDEN = 0x100, KEY_JSON };

struct info_options {
    struct trace_options trace;
    bool json;
    const char *path;
};

static const struct argp_option option_table[] = {
    {.name = "no-golden", .key = KEY_NO_GOLDEN, .doc = "Leave out the golden files that lie beside a .cfg"},
    {.name = "json", .key = KEY_JSON, .doc = "Print JSON"},
    {0},
};

static const char doc[] = "Prints what a trace holds: register writes per unit, decoded by name and field; memory "
                          "regions; layers with their cubes; checks; waits and events.\v"
                          "Examples:\n"
                          "  nvcosim info t.cfg | less\n"
                          "  nvcosim info --config full conformance/full/sanity3\n"
                          "  nvcosim info --json t.nvt.gz";

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct info_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = (void *)&options->trace.config;
        return 0;
    case KEY_NO_GOLDEN:
        options->trace.no_golden = true;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (options->path)
            argp_error(state, "found '%s', expected one trace", arg);
        options->path = arg;
        return 0;
    case ARGP_KEY_END:
        if (!options->path)
            argp_error(state,
                       "no trace is given; expected a .cfg, .txn, .nvt or .nvt.gz file, or a directory that holds one");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int info_main(int argc, char **argv) {
    static const struct argp_child children[] = {{.argp = &config_of_trace_argp}, {0}};
    static const struct argp argp = {
        .children = children, .options = option_table, .parser = parse, .args_doc = "TRACE", .doc = doc};
    struct info_options options = {0};
    struct error err;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        return EXIT_BAD_INPUT;
    struct program *prog = trace_read(options.path, &options.trace, &err);
    if (!prog) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    for (size_t i = 0; i < prog->warning_count; i++)
        fprintf(stderr, "nvcosim: warning: %s\n", prog->warnings[i]);
    char *text = options.json ? explain_json(prog) : explain_text(prog);
    int status = EXIT_OK;
    if (text)
        printf("%s%s", text, options.json ? "\n" : "");
    else {
        fprintf(stderr, "nvcosim: out of memory\n");
        status = EXIT_BAD_INPUT;
    }
    free(text);
    program_free(prog);
    return status;
}
