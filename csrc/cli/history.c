/* nvcosim history: prints past results from the database of regressions. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "regress/night/recover.h"
#include "regress/pages/history.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "run/process/process.h"
#include "run/process/progress.h"

enum { KEY_DATABASE = 0x100, KEY_LIMIT, KEY_SQL, KEY_CSV, KEY_JSON };

struct history_arguments {
    const char *database, *sql;
    uint64_t limit;
    bool csv, json;
    struct words tests;
};

static const struct argp_option option_table[] = {
    OPTION("database", KEY_DATABASE, "FILE", "Database to read (default: " NIGHTS_FOLDER "/" NIGHTS_DATABASE ")"),
    OPTION("limit", KEY_LIMIT, "N", "Show the last N nights (default 20)"),
    OPTION("sql", KEY_SQL, "SELECT",
           "Print the result of a query; docs/database.md lists tables and columns, with examples. Read only: "
           "statements that would change data are refused"),
    OPTION("csv", KEY_CSV, NULL,
           "Print comma-separated values (default of --sql: aligned columns on a terminal, tab-separated values "
           "elsewhere)"),
    OPTION("json", KEY_JSON, NULL, "Print a list of JSON objects"),
    {0},
};

static const char doc[] =
    "Prints past results from the database of regressions: without TEST the nights; for a test its result in each "
    "night, and the course of its cycles and verdicts.\v"
    "TEST is the key of a test (ITEM/NAME[@MEMORY][+RESEED]), the name or the file of a trace, or a pattern of either "
    "with * and ?. In the line of verdicts a high block is a pass, a low one a failure, a medium one a known failure, "
    "a dot a night without the test. In the line of cycles the lowest block is the minimum.\n"
    "State of a night: done; running; stopped, by a signal or its time limit; killed, the runner no longer exists. "
    "regress --resume continues the last two. fail: mismatches, crashes, errors, refusals; known: failures of any kind "
    "that the plan lists; open: tests without a result.\n"
    "A star after a revision: the folder had uncommitted changes. Change: of the cycles against the night before, if "
    "the seeds are equal. cycles/s: per second of CPU time.\n"
    "Examples:\n"
    "  nvcosim history\n"
    "  nvcosim history 'conformance/rand_sdp_*' --limit 5\n"
    "  nvcosim history --sql 'SELECT key, max(cycles) FROM result GROUP BY key'";

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct history_arguments *arguments = state->input;
    switch (key) {
    case KEY_DATABASE:
        if (!arg[0])
            argp_error(state, "--database: found '', expected the name of a file");
        arguments->database = arg;
        return 0;
    case KEY_LIMIT:
        if (!text_number(arg, INT32_MAX, &arguments->limit) || arguments->limit == 0)
            argp_error(state, "--limit: found '%s', expected a number from 1", arg);
        return 0;
    case KEY_SQL:
        arguments->sql = arg;
        return 0;
    case KEY_CSV:
        arguments->csv = true;
        return 0;
    case KEY_JSON:
        arguments->json = true;
        return 0;
    case ARGP_KEY_ARG:
        words_add(&arguments->tests, "%s", arg);
        return 0;
    case ARGP_KEY_END:
        if (arguments->csv && arguments->json)
            argp_error(state, "--csv and --json exclude each other");
        else if (arguments->sql && arguments->tests.count)
            argp_error(state, "--sql and TEST exclude each other");
        else if ((arguments->csv || arguments->json) && arguments->tests.count > 1)
            argp_error(state, "--csv and --json print one TEST or pattern at a time");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool print_all(struct store *store, const struct history_arguments *arguments, struct error *err) {
    struct history_options options = {.limit = (int64_t)arguments->limit,
                                      .form = arguments->csv    ? QUERY_CSV
                                              : arguments->json ? QUERY_JSON
                                                                : QUERY_TABLE,
                                      .style = {.out = stdout,
                                                .width = terminal_columns(STDOUT_FILENO),
                                                .colour = terminal_has_colour(STDOUT_FILENO),
                                                .utf8 = locale_is_utf8()}};
    if (arguments->sql) {
        if (options.form == QUERY_TABLE && !isatty(STDOUT_FILENO))
            options.form = QUERY_TABS;
        return query_print_sql(store_database(store), arguments->sql, options.form, &options.style, err);
    }
    if (arguments->tests.count == 0)
        return history_nights(store, &options, err);
    for (size_t i = 0; i < arguments->tests.count; i++) {
        if (i > 0)
            putchar('\n');
        if (!history_tests(store, arguments->tests.items[i], &options, err))
            return false;
    }
    return true;
}

int history_main(int argc, char **argv) {
    static const struct argp argp = {.options = option_table, .parser = parse, .args_doc = "[TEST...]", .doc = doc};
    struct history_arguments arguments = {.database = NIGHTS_FOLDER "/" NIGHTS_DATABASE, .limit = 20};
    int status = EXIT_BAD_INPUT;
    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) == 0) {
        struct error err;
        process_obey_signals();                        /* a query may take very long */
        if (!recover_nights(arguments.database, &err)) /* existing results can be read anyway */
            fprintf(stderr, "nvcosim history: warning: %s\n", err.text);
        struct store *store = store_open_read_only(arguments.database, &err);
        if (store && print_all(store, &arguments, &err))
            status = EXIT_OK;
        else {
            fflush(stdout);
            fprintf(stderr, "nvcosim history: %s\n", err.text);
        }
        store_close(store);
    }
    words_free(&arguments.tests);
    return status;
}
