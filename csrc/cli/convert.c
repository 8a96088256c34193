/* nvcosim convert: any trace format into the project's own. */
#include <string.h>

#include "cli/commands.h"
#include "nvdla/text.h"
#include "run/options/options.h"
#include "trace/formats.h"

enum { KEY_NO_GOLDEN = 0x100 };

struct convert_options {
    struct trace_options trace;
    const char *in, *out;
};

static const struct argp_option option_table[] = {
    {.name = "no-golden", .key = KEY_NO_GOLDEN, .doc = "Leave out the golden files that lie beside a .cfg"},
    {0},
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
        state->child_inputs[0] = (void *)&options->trace.config;
        return 0;
    case KEY_NO_GOLDEN:
        options->trace.no_golden = true;
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

int convert_main(int argc, char **argv) {
    static const struct argp_child children[] = {{.argp = &config_of_trace_argp}, {0}};
    static const struct argp argp = {
        .children = children, .options = option_table, .parser = parse, .args_doc = "IN OUT", .doc = doc};
    struct convert_options options = {0};
    struct error err;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        return EXIT_BAD_INPUT;
    struct program *prog = trace_read(options.in, &options.trace, &err);
    if (!prog) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    for (size_t i = 0; i < prog->warning_count; i++)
        fprintf(stderr, "nvcosim: warning: %s\n", prog->warnings[i]);
    int status = EXIT_OK;
    if (!trace_write(prog, options.out, &err)) {
        fprintf(stderr, "%s\n", err.text);
        status = EXIT_BAD_INPUT;
    }
    program_free(prog);
    return status;
}
