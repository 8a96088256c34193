/* Reads the trace of a command. See with_trace.h. */
#include "cli/with_trace.h"

#include <stdio.h>

#include "run/options/arguments.h"
#include "run/options/options.h"

enum { KEY_NO_GOLDEN = 0x100 };

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct trace_options *options = state->input;
    (void)arg;
    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = (void *)&options->config;
    else if (key == KEY_NO_GOLDEN)
        options->no_golden = true;
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static const struct argp_child children[] = {{.argp = &config_of_trace_argp}, {0}};
static const struct argp_option option_table[] = {
    OPTION("no-golden", KEY_NO_GOLDEN, NULL, "Ignore the golden files beside a .cfg"),
    {0},
};
const struct argp trace_options_argp = {.children = children, .options = option_table, .parser = parse};

void print_warnings(const struct program *prog) {
    for (size_t i = 0; prog && i < prog->warning_count; i++)
        fprintf(stderr, "nvcosim: warning: %s\n", prog->warnings[i].text);
}

int with_trace(const char *path, const struct trace_options *options,
               bool (*use)(struct program *prog, void *context, struct error *err), void *context) {
    struct error err;
    struct program *prog = trace_read(path, options, &err);
    print_warnings(prog);
    const bool fine = prog && use(prog, context, &err);
    if (!fine)
        fprintf(stderr, "%s\n", err.text);
    program_free(prog);
    return fine ? EXIT_OK : EXIT_BAD_INPUT;
}
