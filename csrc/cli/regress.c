/* nvcosim regress: runs a plan, keeps the results, resumes an interrupted night; or compares two nights. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "nvdla/xalloc.h"
#include "regress/engine/worker.h"
#include "regress/night/night.h"
#include "regress/night/recover.h"
#include "regress/pages/compare.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "run/process/process.h"
#include "run/process/progress.h"

enum {
    KEY_SELECT = 0x100,
    KEY_DRY_RUN,
    KEY_RESUME,
    KEY_SEED,
    KEY_DATABASE,
    KEY_ENGINE,
    KEY_NOTIFY,
    KEY_SLURM,
    KEY_CHUNK,
    KEY_WORKER,
    KEY_COMPARE,
    KEY_LIMIT,
    KEY_PAGE,
    KEY_ALL,
    KEY_CSV,
    KEY_JSON
};

static const struct argp_option option_table[] = {
    OPTION("select", KEY_SELECT, "EXPRESSION",
           "Only matching tests: a word is a tag, the name of an item, configuration, dut or memory setting, a test "
           "(ITEM/NAME), or a pattern of these: 'conformance and not slow', 'own/rand_* or qemu'"),
    OPTION("dry-run", KEY_DRY_RUN, NULL, "Print what would run, and the expected time; run nothing"),
    {.name = "resume",
     .key = KEY_RESUME,
     .arg = "NIGHT",
     .flags = OPTION_ARG_OPTIONAL,
     .doc =
         "Continue a night that was interrupted, by its number (default: the last one of the plan): tests that have a "
         "result do not run again"},
    OPTION("jobs", 'j', "N", "Run N tests at a time (default: the plan's, or one for each core)"),
    OPTION("seed", KEY_SEED, "N", "Seed of all random choices of the night (default: the date as YYYYMMDD)"),
    OPTION("out", 'o', "OUT",
           "Folder of the nights: reports, pages and random layers go to OUT/night-N (default: " NIGHTS_FOLDER ")"),
    OPTION("database", KEY_DATABASE, "FILE",
           "Database of all nights (default: the plan's, or OUT/" NIGHTS_DATABASE ")"),
    OPTION("engine", KEY_ENGINE, "local|slurm",
           "Where tests run: processes of this machine (default), or jobs of a Slurm cluster (docs/slurm.md)"),
    OPTION("slurm-options", KEY_SLURM, "WORDS",
           "Further options for sbatch: '--partition=eda --mem=4G' (default: the plan's)"),
    OPTION("chunk-seconds", KEY_CHUNK, "N", "Give every job of Slurm tests for about N seconds (default 300)"),
    {.name = "worker", .key = KEY_WORKER, .arg = "FOLDER", .flags = OPTION_HIDDEN, .doc = "Be job CHUNK of a night"},
    OPTION("notify", KEY_NOTIFY, "COMMAND",
           "Run a command of the shell at the end, with a summary on its standard input: 'mail -s nightly rtl-team'"),
    OPTION("compare", KEY_COMPARE, "A",
           "Run nothing; compare night A with night B, or tests of them: NIGHT[:NAME=VALUE,...], NIGHT a number, "
           "latest, previous or a git revision, NAME item, config, dut, memory, tag or plan"),
    OPTION("limit", KEY_LIMIT, "PERCENT", "With --compare: a test whose cycles increase by more than this is an error"),
    {.name = "page",
     .key = KEY_PAGE,
     .arg = "FILE",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = "With --compare: also write a page (default: compare-A-B.html beside the folder of night B)"},
    OPTION("all", KEY_ALL, NULL, "With --compare: show every test, not only those that changed"),
    OPTION("csv", KEY_CSV, NULL, "With --compare: print comma-separated values"),
    OPTION("json", KEY_JSON, NULL, "With --compare: print one JSON object"),
    {0},
};

static const char doc[] =
    "Runs the tests of a plan (docs/plans.md), several at a time, the longest first, and keeps every result in a "
    "database as soon as it is there.\v"
    "Simulators are built, or brought up to date, before the first test, and copied into the folder of the night until "
    "it is done: later builds do not affect the night, and --resume uses the copies. A test that crashes, hangs, or "
    "exceeds its limits of time, cycles or memory gets that as its verdict; the others continue.\n"
    "At the end similar failures are grouped into buckets. `nvcosim debug` runs on some of each bucket, `nvcosim "
    "shrink` on the smallest, within the limits of the plan's `triage` (docs/nights.md).\n"
    "A line for each test that does not pass goes to stdout, and for each that passes although the plan expects it to "
    "fail. If stderr is a terminal, the running tests are shown below.\n"
    "\n"
    "Ctrl-C lets the running tests finish, twice ends them at once; --resume runs the rest, also after SIGTERM, kill "
    "-9 or a power cut: every printed result is on the disk.\n"
    "\n"
    "Examples:\n"
    "  nvcosim regress plans/nightly.yml\n"
    "  nvcosim regress plans/nightly.yml --dry-run --select 'random and not large'\n"
    "  nvcosim regress plans/nightly.yml --resume\n"
    "  nvcosim regress plans/nightly.yml -j 8 --notify 'mail -s nightly rtl-team'\n"
    "  nvcosim regress plans/nightly.yml --engine slurm --slurm-options '--partition=eda --mem=4G'\n"
    "  nvcosim regress --compare previous latest --page\n"
    "  nvcosim regress --compare v1.2 HEAD --limit 2\n"
    "  nvcosim regress --compare 12:dut=both 12:dut=rtl:mine\n"
    "\n"
    "Exit status: 0 all passed, or failed as the plan expects; else the worst of the others, as of nvcosim run (2, 4, "
    "3, 1), at least 1 if some did not run; 2 also if the plan is wrong, or something cannot be written; 128 + N: "
    "ended by signal N. With --compare: 0 B is not worse; 1 it has new failures, or tests over the limit; 2 bad usage.";

/* Of --compare. */
struct compare_arguments {
    const char *a, *page; /* page: file, NULL: the default */
    double limit;         /* per cent; negative: none */
    bool write_page, all, csv, json, given;
};

/* The options of a night, of one of its jobs on a cluster, or of a comparison of nights. */
struct arguments {
    struct night_options night; /* its plan is the second night of a comparison */
    const char *worker;         /* folder of the night; NULL: no job */
    struct compare_arguments compare;
};

static void check_compare(const struct arguments *arguments, struct argp_state *state) {
    const struct night_options *options = &arguments->night;
    if (!arguments->compare.a)
        argp_error(state, "--limit, --page, --all, --csv and --json need --compare A B");
    else if (!options->plan)
        argp_error(state, "--compare: found one night, '%s'; expected a second one after it", arguments->compare.a);
    else if (arguments->compare.csv && arguments->compare.json)
        argp_error(state, "--csv and --json exclude each other");
    else if (options->dry_run || options->resume || options->select || options->seed_given || options->jobs ||
             options->notify || options->engine || options->slurm || options->chunk_seconds)
        argp_error(state, "--compare runs nothing: of the other options it takes --database, --out, --limit, --page, "
                          "--all, --csv and --json");
}

static void check(const struct arguments *arguments, struct argp_state *state) {
    const struct night_options *options = &arguments->night;
    uint64_t chunk;
    if (arguments->worker) {
        if (!options->plan || !text_number(options->plan, SIZE_MAX, &chunk))
            argp_error(state, "--worker: found '%s', expected the number of a chunk",
                       options->plan ? options->plan : "");
    } else if (arguments->compare.given)
        check_compare(arguments, state);
    else if (!options->plan && !(options->resume && options->resumed))
        argp_error(state, "no plan is given; expected a file such as plans/nightly.yml%s",
                   options->resume ? ", or --resume=NIGHT" : "");
    else if (options->resume && options->seed_given)
        argp_error(state, "--seed: a night that is resumed has its seed already");
    else if (options->resume && options->engine)
        argp_error(state, "--engine: a night that is resumed has its engine already");
    else if (options->resume && options->select)
        argp_error(state, "--select: a night that is resumed has its tests already");
}

static error_t parse_compare(int key, char *arg, struct compare_arguments *compare, struct argp_state *state) {
    char *end;
    switch (key) {
    case KEY_COMPARE:
        compare->a = argument_text(state, "compare", arg, "a night such as 12, latest, previous or a git revision");
        break;
    case KEY_LIMIT:
        compare->limit = strtod(arg, &end);
        if (end == arg || *end || !(compare->limit >= 0 && compare->limit <= 1e6))
            argp_error(state, "--limit: found '%s', expected per cent, from 0", arg);
        break;
    case KEY_PAGE:
        compare->write_page = true;
        compare->page = arg ? argument_text(state, "page", arg, "the name of a file") : NULL;
        break;
    case KEY_ALL:
        compare->all = true;
        break;
    case KEY_CSV:
        compare->csv = true;
        break;
    case KEY_JSON:
        compare->json = true;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    compare->given = true;
    return 0;
}

#define OF(member) offsetof(struct arguments, member)

static const struct argument settings[] = {
    {.key = KEY_DRY_RUN, FLAG_AT(OF(night.dry_run))},
    {.key = KEY_SLURM, TEXT_AT(OF(night.slurm), NULL)},
    {.key = KEY_SELECT, TEXT_AT(OF(night.select), "an expression such as 'conformance and not slow'")},
    {.key = 'o', TEXT_AT(OF(night.out), "the name of a folder")},
    {.key = KEY_DATABASE, TEXT_AT(OF(night.database), "the name of a file")},
    {.key = KEY_NOTIFY, TEXT_AT(OF(night.notify), "a command")},
    {.key = 'j', NUMBER_32_AT(OF(night.jobs), 1, 1024)},
    {.key = KEY_CHUNK, NUMBER_32_AT(OF(night.chunk_seconds), 1, 1000000)},
    {.key = KEY_WORKER, TEXT_AT(OF(worker), NULL)},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct arguments *arguments = state->input;
    struct night_options *options = &arguments->night;
    if (argument_take(settings, sizeof settings / sizeof *settings, option_table, arguments, key, arg, state))
        return 0;
    switch (key) {
    case KEY_RESUME:
        options->resume = true;
        options->resumed = arg ? (int64_t)argument_number(state, "resume", arg, 1, INT64_MAX) : 0;
        return 0;
    case KEY_SEED:
        options->seed = argument_number(state, "seed", arg, 0, INT64_MAX);
        options->seed_given = true;
        return 0;
    case KEY_ENGINE:
        if (strcmp(arg, "local") != 0 && strcmp(arg, "slurm") != 0)
            argp_error(state, "--engine: found '%s', expected local or slurm", arg);
        options->engine = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (options->plan)
            argp_error(state, "found '%s', expected one %s", arg,
                       arguments->compare.a ? "night after --compare A" : "plan");
        options->plan = arg;
        return 0;
    case ARGP_KEY_END:
        check(arguments, state);
        return 0;
    default:
        return parse_compare(key, arg, &arguments->compare, state);
    }
}

static bool print_comparison(const struct comparison *comparison, const struct compare_arguments *arguments,
                             struct store *store, struct error *err) {
    const struct table_style style = {.out = stdout,
                                      .width = terminal_columns(STDOUT_FILENO),
                                      .colour = terminal_has_colour(STDOUT_FILENO),
                                      .utf8 = locale_is_utf8()};
    if (arguments->csv && !compare_csv(comparison, store, err))
        return false;
    if (arguments->json)
        compare_json(comparison);
    else if (!arguments->csv)
        compare_print(comparison, &style, arguments->all);
    if (!arguments->write_page)
        return true;
    char *page = compare_page(comparison, arguments->page, err);
    if (page)
        fprintf(arguments->csv || arguments->json ? stderr : stdout, "page: %s\n", page);
    free(page);
    return page != NULL;
}

static int compare_nights(const struct arguments *arguments) {
    const struct night_options *options = &arguments->night;
    struct error err;
    char *database = options->database ? xstrdup(options->database)
                                       : xprintf("%s/%s", options->out ? options->out : NIGHTS_FOLDER, NIGHTS_DATABASE);
    process_obey_signals();
    if (!recover_nights(database, &err)) /* existing results can be compared anyway */
        fprintf(stderr, "nvcosim: warning: %s\n", err.text);
    struct store *store = store_open_read_only(database, &err);
    struct comparison *comparison =
        store ? compare_read(store, arguments->compare.a, options->plan, arguments->compare.limit, &err) : NULL;
    int status = EXIT_BAD_INPUT;
    if (comparison && print_comparison(comparison, &arguments->compare, store, &err))
        status = compare_worse(comparison) ? EXIT_DIFFERENT : EXIT_OK;
    else {
        fflush(stdout);
        fprintf(stderr, "nvcosim regress: %s\n", err.text);
    }
    compare_free(comparison);
    store_close(store);
    free(database);
    return status;
}

int regress_main(int argc, char **argv) {
    static const struct argp argp = {
        .options = option_table, .parser = parse, .args_doc = "PLAN\n--compare A B", .doc = doc};
    struct text command = {0};
    for (int i = 0; i < argc; i++) {
        char *word = i ? text_quoted(argv[i]) : xstrdup(argv[i]);
        text_printf(&command, "%s%s", i ? " " : "", word);
        free(word);
    }
    struct arguments arguments = {.night.command = command.text, .compare.limit = -1};
    int status = EXIT_BAD_INPUT;
    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) == 0)
        status = arguments.compare.a ? compare_nights(&arguments)
                 : arguments.worker  ? worker_main(arguments.worker, strtoul(arguments.night.plan, NULL, 10))
                                     : night_run(&arguments.night);
    free(command.text);
    return status;
}
