/* nvcosim convert: converts any trace format into the project's own. */
#include <string.h>

#include "cli/commands.h"
#include "cli/with_trace.h"
#include "nvdla/text.h"
#include "run/options/options.h"

struct convert_options {
    struct trace_options trace;
    const char *in, *out;
};

static const char doc[] = "Converts a trace into the project's own format: one file, memory content inline, comments "
                          "kept; gzip if OUT ends in .gz.\v"
                          "Examples:\n"
                          "  nvcosim convert t.cfg t.nvt.gz\n"
                          "  nvcosim convert --config full conformance/full/sanity3 sanity3.nvt";

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct convert_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->trace;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num == 0)
            options->in = arg;
        else if (state->arg_num == 1)
            options->out = arg;
        else
            argp_error(state, "found '%s', expected IN and OUT only", arg);
        return 0;
    case ARGP_KEY_END:
        if (!options->out)
            argp_error(state, "expected two arguments: the trace to read, and the .nvt or .nvt.gz file to write");
        else if (!text_ends_with(options->out, ".nvt") && !text_ends_with(options->out, ".nvt.gz"))
            argp_error(state, "found '%s', expected the name of the output to end in .nvt or .nvt.gz", options->out);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool write_out(struct program *prog, void *context, struct error *err) {
    const struct convert_options *options = context;
    return trace_write(prog, options->out, err);
}

int convert_main(int argc, char **argv) {
    static const struct argp_child children[] = {{.argp = &trace_options_argp}, {0}};
    static const struct argp argp = {.children = children, .parser = parse, .args_doc = "IN OUT", .doc = doc};
    struct convert_options options = {0};
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        return EXIT_BAD_INPUT;
    return with_trace(options.in, &options.trace, write_out, &options);
}
