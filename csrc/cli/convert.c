/* nvcosim convert: converts any trace format into the project's own. */

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

static void check(void *input, struct argp_state *state) {
    const char *out = ((const struct convert_options *)input)->out;
    if (!out)
        argp_error(state, "expected two arguments: the trace to read, and the .nvt or .nvt.gz file to write");
    else if (!text_ends_with(out, ".nvt") && !text_ends_with(out, ".nvt.gz"))
        argp_error(state, "found '%s', expected the name of the output to end in .nvt or .nvt.gz", out);
}

static bool write_out(struct program *prog, void *context, struct error *err) {
    const struct convert_options *options = context;
    return trace_write(prog, options->out, err);
}

int convert_main(int argc, char **argv) {
    static const struct argument options_table[] = {TRACE_OPTIONS(offsetof(struct convert_options, trace)), {0}};
    static const struct command command = {
        .options = options_table,
        .usage = "IN OUT",
        .doc = doc,
        .operands = {.member = offsetof(struct convert_options, in), .most = 2, .expected = "IN and OUT only"},
        .check = check};
    struct convert_options options = {0};
    if (!command_read(&command, argc, argv, &options))
        return EXIT_BAD_INPUT;
    return with_trace(options.in, &options.trace, write_out, &options);
}
