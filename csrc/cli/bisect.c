/* nvcosim bisect: finds the commit that made a trace fail. */
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "nvdla/xalloc.h"
#include "regress/bisect/bisect.h"
#include "run/options/arguments.h"
#include "run/session/session.h"

enum {
    KEY_GOOD = 0x1000,
    KEY_BAD,
    KEY_REPO,
    KEY_FILELIST,
    KEY_TOP,
    KEY_TAPS,
    KEY_VERILATOR,
    KEY_PREPARE,
    KEY_FIRST_PARENT,
    KEY_ANY_FAILURE
};

struct arguments {
    struct run_options run; /* first: the parser of the run options fills it */
    struct bisect_options bisect;
};

static const char doc[] =
    "Finds the commit of an RTL that made a trace fail: git bisect over its repository, building and playing each "
    "revision.\v"
    "It works in its own temporary checkout, which it always removes; yours is not touched. The simulator of each tree "
    "is kept (build/nvcosim-CONFIG-bisect_*), so that no revision is built twice; the 32 most recently used stay for "
    "the next call. --bad must fail and --good must pass. A revision is skipped if it does not build, or if it fails "
    "in another way than --bad (another kind of failure or engine: signature in docs/database.md), unless "
    "--any-failure is given.\n"
    "In a repository of nvcosim no --filelist is needed: rtl/ of each revision is built with its own register tables.\n"
    "\n"
    "Examples:\n"
    "  nvcosim bisect t.cfg --good v1.2 --bad HEAD --repo ../rtl --filelist vmod.f\n"
    "  nvcosim bisect t.cfg --good HEAD~20 --bad HEAD --filelist out/vmod.f --prepare 'make vmod'\n"
    "  nvcosim bisect --stall 300 --seed 5 t.nvt.gz --good v1 --bad HEAD --first-parent\n"
    "\n"
    "Exit status: 0 the commit is found; 1 only skipped ones remain, which are named; 2 bad usage, --good fails, --bad "
    "passes or one of them cannot be built; 128 + N: ended by signal N.";

static const struct argp_option own[] = {
    OPTION("good", KEY_GOOD, "REV", "Commit that passes: a branch, a tag, a hash"),
    OPTION("bad", KEY_BAD, "REV", "Commit that fails"),
    OPTION("repo", KEY_REPO, "DIR", "Repository of the RTL (default: that of this folder)"),
    OPTION("filelist", KEY_FILELIST, "FILE.f", "File list as for nvcosim build, relative to the top of the repository"),
    OPTION("top", KEY_TOP, "MODULE", "Top module (default NV_nvdla)"),
    OPTION("taps", KEY_TAPS, "FILE.csv", "Table of taps, as for nvcosim build"),
    OPTION("verilator-option", KEY_VERILATOR, "OPTION", "Further option for Verilator; may be repeated"),
    OPTION("prepare", KEY_PREPARE, "COMMAND",
           "Shell command that runs in each checkout before the build; a revision on which it fails is skipped"),
    OPTION("first-parent", KEY_FIRST_PARENT, NULL, "Follow only the first parent of merges"),
    OPTION("any-failure", KEY_ANY_FAILURE, NULL, "Every failure is bad, also one that differs from that of --bad"),
    OPTION("out", 'o', "DIR", "Folder for logs and reports (default: nvcosim-bisect)"),
    {0},
};

/* Options of `run` that `bisect` does not take. */
static const char *const left_out[] = {
    "dut",        "out",        "only-failed", "jobs", "stats",     "verbose",       "quiet",
    "name",       "result-fd",  "progress",    "wave", "wave-from", "wave-to",       "results",
    "wave-layer", "wave-scope", "wave-plain",  "saif", "coverage",  "coverage-kind", "histogram",
    "tap",        "taps",       "debug",       "html", "timeline",  "fault",         NULL};

static void check(const struct arguments *args, struct argp_state *state) {
    if (args->run.traces.count > 1)
        argp_error(state, "found %zu traces, expected one", args->run.traces.count);
    else if (!args->bisect.good || !args->bisect.bad)
        argp_error(state, "--good REV and --bad REV are needed: a commit that passes, and one that fails");
    else if (args->bisect.filelist && args->bisect.filelist[0] == '/')
        argp_error(state,
                   "--filelist: found '%s', expected a path relative to the top of the repository: the list of each "
                   "revision is read",
                   args->bisect.filelist);
}

#define OF(member) offsetof(struct arguments, member)

static const struct argument settings[] = {
    {.key = KEY_FIRST_PARENT, FLAG_AT(OF(bisect.first_parent))},
    {.key = KEY_ANY_FAILURE, FLAG_AT(OF(bisect.any_failure))},
    {.key = KEY_GOOD, TEXT_AT(OF(bisect.good), "a value")},
    {.key = KEY_BAD, TEXT_AT(OF(bisect.bad), "a value")},
    {.key = KEY_REPO, TEXT_AT(OF(bisect.repo), "a value")},
    {.key = KEY_FILELIST, TEXT_AT(OF(bisect.filelist), "a value")},
    {.key = KEY_TOP, TEXT_AT(OF(bisect.top), "a value")},
    {.key = KEY_TAPS, TEXT_AT(OF(bisect.taps), "a value")},
    {.key = KEY_PREPARE, TEXT_AT(OF(bisect.prepare), "a value")},
    {.key = 'o', TEXT_AT(OF(bisect.out), "a value")},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct arguments *args = state->input;
    struct bisect_options *bisect = &args->bisect;
    if (argument_take(settings, sizeof settings / sizeof *settings, own, args, key, arg, state))
        return 0;
    switch (key) {
    case KEY_VERILATOR:
        words_add(&bisect->verilator, "%s", arg);
        return 0;
    case ARGP_KEY_END:
        check(args, state);
        __attribute__((fallthrough));
    default:
        return run_option_parse_into(&args->run, key, arg, state);
    }
}

/* Makes paths absolute: each revision is played in another folder. */
static int run_bisect(struct arguments *args) {
    struct error err;
    const char *path = args->run.traces.items[0];
    struct program *prog = read_trace(&args->run, path, &err);
    if (!prog) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    args->bisect.config = prog->config->name;
    program_free(prog);
    char *trace = realpath(path, NULL), *taps = args->bisect.taps ? realpath(args->bisect.taps, NULL) : NULL;
    int status = EXIT_BAD_INPUT;
    if (args->bisect.taps && !taps)
        fprintf(stderr, "nvcosim bisect: --taps: %s cannot be read\n", args->bisect.taps);
    else {
        args->bisect.trace = trace ? trace : path;
        args->bisect.taps = taps;
        for (size_t i = 0; i < args->run.given.count; i++)
            if (strncmp(args->run.given.items[i], "--config=", 9) != 0)
                words_add(&args->bisect.run, "%s", args->run.given.items[i]);
        status = bisect_run(&args->bisect);
    }
    free(trace);
    free(taps);
    return status;
}

int bisect_main(int argc, char **argv) {
    struct argp_option table[RUN_OPTIONS_MOST];
    run_option_table_with(table, own, left_out);
    const struct argp argp = {.options = table, .parser = parse, .args_doc = "TRACE --good REV --bad REV", .doc = doc};
    struct arguments args = {.bisect = {.repo = ".", .out = "nvcosim-bisect"}};
    run_options_init(&args.run);
    int status = EXIT_BAD_INPUT;
    if (argp_parse(&argp, argc, argv, 0, NULL, &args) == 0)
        status = run_bisect(&args);
    words_free(&args.bisect.verilator);
    words_free(&args.bisect.run);
    run_options_free(&args.run);
    return status;
}
