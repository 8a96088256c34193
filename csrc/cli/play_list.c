/* nvcosim play-list: plays tests for another program. */
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "cli/commands.h"
#include "run/list/list.h"
#include "run/options/arguments.h"
#include "run/options/options.h"

enum { KEY_LEDGER = 0x100, KEY_PROGRESS, KEY_SIMULATORS };

enum { JOBS_MOST = 1024, LEDGER_LOWEST = 16 };

static const struct argp_option option_table[] = {
    OPTION("jobs", 'j', "N", "Play N tests at a time (default 1)"),
    OPTION(
        "ledger", KEY_LEDGER, "FD",
        "Inherited descriptor of a file, open for appending, to which each result is added as a line at once, by the "
        "process of the test where it can: results that are in it survive any process that is killed"),
    OPTION("progress", KEY_PROGRESS, NULL, "Report how far each test is"),
    OPTION("simulators", KEY_SIMULATORS, "DIR", "Folder of ready simulators to use (default: those that are built)"),
    {0},
};

static const char doc[] =
    "Plays tests for another program: a runner of regressions. Each line on stdin is a JSON object, a test or an "
    "order; "
    "each line on stdout one that says what has started or is done, with the result (docs/results.md). Tests start in "
    "the order of their lines.\v"
    "Everything that it has started ends with it, however it ends. It ends, with all tests, when its input ends before "
    "{\"end\": true}, or when no one reads its output: the other program is gone. SIGINT and SIGHUP are ignored; "
    "SIGTERM "
    "ends all tests at once.\n"
    "\n"
    "Exit status: 0 the list ended in order, whatever the verdicts; 2 bad input or usage; 128 + N: ended by "
    "signal N.";

static int ledger_option(const char *arg, struct argp_state *state) {
    const int file = (int)argument_number(state, "ledger", arg, 3, INT_MAX), flags = fcntl(file, F_GETFL);
    if (flags < 0 || !(flags & O_APPEND) || (flags & O_ACCMODE) == O_RDONLY)
        argp_error(state, "--ledger: found '%s', expected the descriptor of a file that is open for appending", arg);
    const int high = fcntl(file, F_DUPFD_CLOEXEC, LEDGER_LOWEST); /* with the same lock */
    close(file);
    return high;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct list_options *options = state->input;
    switch (key) {
    case 'j':
        options->jobs = (int)argument_number(state, "jobs", arg, 1, JOBS_MOST);
        return 0;
    case KEY_LEDGER:
        options->ledger = ledger_option(arg, state);
        return 0;
    case KEY_PROGRESS:
        options->progress = true;
        return 0;
    case KEY_SIMULATORS:
        options->simulators = argument_text(state, "simulators", arg, "a folder");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int play_list_main(int argc, char **argv) {
    static const struct argp argp = {.options = option_table, .parser = parse, .doc = doc};
    struct list_options options = {.jobs = 1};
    return argp_parse(&argp, argc, argv, 0, NULL, &options) == 0 ? list_play(&options) : EXIT_BAD_INPUT;
}
