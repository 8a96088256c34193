/* nvcosim lint: checks traces against the rules of legal programming, without a run. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "run/session/lint.h"
#include "run/session/session.h"
#include "trace/formats.h"

enum { KEY_JSON = 0x100, KEY_STRICT, KEY_SEED };

struct lint_options {
    struct trace_options trace;
    bool json, strict, quiet;
    uint64_t seed;
    struct words traces;
};

static const struct argp_option option_table[] = {
    OPTION("json", KEY_JSON, NULL, "Print one JSON object per trace, one a line (docs/results.md)"),
    OPTION("quiet", 'q', NULL, "Print findings only, no counts"),
    OPTION("seed", KEY_SEED, "N", "Seed of the trace's random fills (default 1)"),
    OPTION("strict", KEY_STRICT, NULL, "Warnings are errors"),
    {0},
};

static const char doc[] =
    "Checks traces against the lists \"Illegal or undefined programming\" in docs/nvdla, without a run. Prints which "
    "registers break which rule, where the trace arms them, and what the hardware then does.\v"
    "An error is programming that hangs or whose result is undefined; a warning is programming with a defined but "
    "unusual result. Nothing is computed or compared, so even a whole network takes only a moment.\n"
    "\n"
    "Examples:\n"
    "  nvcosim lint t.cfg\n"
    "  nvcosim lint --json traces/*.nvt.gz | jq .errors\n"
    "\n"
    "Exit status: 0 no errors; 1 errors, with --strict warnings too; 2 bad input or usage.";

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct lint_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = (void *)&options->trace.config;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case KEY_STRICT:
        options->strict = true;
        return 0;
    case KEY_SEED:
        options->seed = argument_number(state, "seed", arg, 0, UINT64_MAX);
        return 0;
    case ARGP_KEY_ARG:
        words_add(&options->traces, "%s", arg);
        return 0;
    case ARGP_KEY_END:
        if (options->traces.count == 0)
            argp_error(state,
                       "no trace is given; expected .cfg, .txn, .nvt or .nvt.gz files, or directories that hold one");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_text(const struct program *prog, const struct lint *lint, bool quiet) {
    for (size_t i = 0; i < lint->count; i++) {
        char *line = lint_text(&lint->findings[i]);
        puts(line);
        free(line);
    }
    if (quiet)
        return;
    const size_t warnings = lint->count - lint->errors;
    char *shown = text_shown(prog->files[0]);
    printf("%s: ", shown);
    free(shown);
    if (lint->count == 0)
        printf("no findings");
    else
        printf("%zu error%s, %zu warning%s", lint->errors, lint->errors == 1 ? "" : "s", warnings,
               warnings == 1 ? "" : "s");
    if (lint->dropped > 0)
        printf(", and %" PRIu64 " more that are not shown", lint->dropped);
    putchar('\n');
}

static int lint_one(const struct lint_options *options, const char *path) {
    struct error err;
    struct lint lint;
    struct program *prog = trace_read(path, &options->trace, &err);
    if (!prog) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    lint_program(prog, options->seed, &lint);
    const bool fails = options->strict ? lint.count > 0 : lint.errors > 0;
    if (options->json) {
        char *json = lint_json(prog, &lint);
        puts(json);
        free(json);
    } else
        print_text(prog, &lint, options->quiet);
    lint_free(&lint);
    program_free(prog);
    return fails ? EXIT_DIFFERENT : EXIT_OK;
}

int lint_main(int argc, char **argv) {
    static const struct argp_child children[] = {{.argp = &config_of_trace_argp}, {0}};
    static const struct argp argp = {
        .children = children, .options = option_table, .parser = parse, .args_doc = "TRACE...", .doc = doc};
    struct lint_options options = {.seed = 1};
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        return EXIT_BAD_INPUT;
    int status = EXIT_OK;
    for (size_t i = 0; i < options.traces.count; i++)
        status = worse_status(status, lint_one(&options, options.traces.items[i]));
    words_free(&options.traces);
    return status;
}
