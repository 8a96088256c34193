/* nvcosim play-list: plays tests for another program. */
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "cli/commands.h"
#include "run/list/list.h"
#include "run/options/arguments.h"
#include "run/options/options.h"

enum { JOBS_MOST = 1024, LEDGER_LOWEST = 16 };

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

static void ledger_option(void *ledger, const char *arg, struct argp_state *state) {
    const int file = (int)argument_number(state, "ledger", arg, 3, INT_MAX), flags = fcntl(file, F_GETFL);
    if (flags < 0 || !(flags & O_APPEND) || (flags & O_ACCMODE) == O_RDONLY)
        argp_error(state, "--ledger: found '%s', expected the descriptor of a file that is open for appending", arg);
    *(int *)ledger = fcntl(file, F_DUPFD_CLOEXEC, LEDGER_LOWEST); /* with the same lock */
    close(file);
}

#define OF(member) offsetof(struct list_options, member)

static const struct argument option_table[] = {
    OPTION("jobs", "N", "Play N tests at a time (default 1)", NUMBER_32_AT(OF(jobs), 1, JOBS_MOST), .letter = 'j'),
    OPTION(
        "ledger", "FD",
        "Inherited descriptor of a file, open for appending, to which each result is added as a line at once, by the "
        "process of the test where it can: results that are in it survive any process that is killed",
        TAKEN_AT(OF(ledger), ledger_option)),
    OPTION("progress", NULL, "Report how far each test is", FLAG_AT(OF(progress))),
    OPTION("simulators", "DIR", "Folder of ready simulators to use (default: those that are built)",
           TEXT_AT(OF(simulators), "a folder")),
    {0},
};

int play_list_main(int argc, char **argv) {
    static const struct command command = {.options = option_table, .doc = doc};
    struct list_options options = {.jobs = 1};
    return command_read(&command, argc, argv, &options) ? list_play(&options) : EXIT_BAD_INPUT;
}
