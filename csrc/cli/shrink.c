/* nvcosim shrink: makes a failing trace smaller while it keeps failing. */
#include <string.h>

#include "cli/commands.h"
#include "run/options/arguments.h"
#include "run/shrink/search.h"

enum { ATTEMPTS = 300, ATTEMPTS_MAX = 100000, SECONDS_MAX = 1000000000 };

static const char doc[] =
    "Makes a failing trace smaller, step by step, and keeps each step that still fails in the same way: memory that "
    "differs, a failed check, a finding of the same rule, a hang of the same devices, or a crash with the same "
    "status; and the same side disagrees: the RTL, the model or the trace.\v"
    "A trace of `nvcosim gen` loses layers and gets smaller sizes, kernels of one element, and plain operands and "
    "settings. Any other trace only loses whole layers. Memory options (--stall, --latency, ...) that the failure does "
    "not need are dropped, unless --keep-options is given. A trace in which nothing moves for 200000 clocks counts as "
    "hung (--still).\n"
    "\n"
    "Examples:\n"
    "  nvcosim shrink cases/small_mix_17.nvt.gz\n"
    "  nvcosim shrink --stall 300 --seed 5 --attempts 1000 --out s.nvt t.nvt.gz\n"
    "\n"
    "Exit status: that of the smallest trace found, 1, 3 or 4; 0 if TRACE passes; 2 bad input or usage.";

#define OF(member) offsetof(struct shrink_search, member)

static const struct argument own[] = {
    OPTION("out", "FILE", "Where the smallest trace goes, .nvt or .nvt.gz (default: NAME-shrunk.nvt beside TRACE)",
           FILE_AT(OF(out), ".nvt or .nvt.gz"), .own = true, .letter = 'o'),
    OPTION("attempts", "N", "Maximum number of runs (default 300)", NUMBER_AT(OF(attempts), 1, ATTEMPTS_MAX),
           .own = true),
    OPTION("seconds", "N", "Stop the search after N seconds of wall time (default: no limit)",
           NUMBER_AT(OF(seconds), 1, SECONDS_MAX), .own = true),
    OPTION("keep-options", NULL, "Keep memory options that the failure does not need", FLAG_AT(OF(keep_options)),
           .own = true),
    OPTION("quiet", NULL, "Print the result only", FLAG_AT(OF(quiet)), .own = true, .letter = 'q'),
    {0},
};

static void check(void *input, struct argp_state *state) {
    const struct shrink_search *args = input;
    if (args->out && strlen(args->out) >= SHRINK_PATH_SIZE)
        argp_error(state, "--out: the path is too long");
}

int shrink_main(int argc, char **argv) {
    static const struct command command = {
        .options = own, .usage = "TRACE", .doc = doc, .operands = {.most = 1, .expected = "one trace"}, .check = check};
    struct shrink_search args = {.attempts = ATTEMPTS, .play = run_main};
    run_options_init(&args.run);
    int status = EXIT_BAD_INPUT;
    if (run_command_read(&command, BY_SHRINK, &args.run, argc, argv, &args)) {
        args.given = args.run.given;
        args.run.given = (struct words){0};
        status = shrink_search(&args);
    }
    words_free(&args.given);
    run_options_free(&args.run);
    return status;
}
