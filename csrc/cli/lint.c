/* nvcosim lint: checks traces against the rules of legal programming, without a run. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "nvdla/xalloc.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "run/session/lint.h"
#include "trace/formats.h"

struct lint_options {
    struct trace_options trace;
    bool json, strict, quiet;
    uint64_t seed;
    struct words traces;
};

#define OF(member) offsetof(struct lint_options, member)

static const struct argument option_table[] = {
    CONFIG_OF_TRACE(OF(trace.config)),
    OPTION("json", NULL, "Print one JSON object per trace, one a line (docs/results.md)", FLAG_AT(OF(json))),
    OPTION("quiet", NULL, "Print findings only, no counts", FLAG_AT(OF(quiet)), .letter = 'q'),
    OPTION("seed", "N", "Seed of the trace's random fills (default 1)", NUMBER_AT(OF(seed), 0, UINT64_MAX)),
    OPTION("strict", NULL, "Warnings are errors", FLAG_AT(OF(strict))),
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

static void check(void *input, struct argp_state *state) {
    if (((const struct lint_options *)input)->traces.count == 0)
        argp_error(state,
                   "no trace is given; expected .cfg, .txn, .nvt or .nvt.gz files, or directories that hold one");
}

static void print_text(const struct program *prog, const struct lint *lint, bool quiet) {
    for (size_t i = 0; i < lint->count; i++) {
        autofree char *line = lint_text(&lint->findings[i]);
        puts(line);
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
    autoprogram struct program *prog = trace_read(path, &options->trace, &err);
    if (!prog) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    lint_program(prog, options->seed, &lint);
    const bool fails = options->strict ? lint.count > 0 : lint.errors > 0;
    if (options->json) {
        autofree char *json = lint_json(prog, &lint);
        puts(json);
    } else
        print_text(prog, &lint, options->quiet);
    lint_free(&lint);
    return fails ? EXIT_DIFFERENT : EXIT_OK;
}

int lint_main(int argc, char **argv) {
    static const struct command command = {
        .options = option_table, .usage = "TRACE...", .doc = doc, .operands = OPERANDS_AT(OF(traces)), .check = check};
    struct lint_options options = {.seed = 1};
    if (!command_read(&command, argc, argv, &options))
        return EXIT_BAD_INPUT;
    int status = EXIT_OK;
    for (size_t i = 0; i < options.traces.count; i++)
        status = worse_status(status, lint_one(&options, options.traces.items[i]));
    words_free(&options.traces);
    return status;
}
