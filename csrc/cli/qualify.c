/* nvcosim qualify: plants faults in an RTL and counts how many of them a corpus of traces catches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "nvdla/xalloc.h"
#include "regress/faults/qualify.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "run/process/process.h"

enum {
    KEY_COUNT = 0x100,
    KEY_SEED,
    KEY_NAME,
    KEY_FOLDER,
    KEY_PLAN,
    KEY_SELECT,
    KEY_EQUIVALENTS,
    KEY_DATABASE,
    KEY_RESUME,
    KEY_AT_LEAST,
    KEY_TOGETHER,
};

static const struct argp_option option_table[] = {
    OPTION("count", KEY_COUNT, "N", "Plant N faults (default 200)"),
    OPTION("seed", KEY_SEED, "S", "Seed of the choice of faults (default 1)"),
    OPTION("folder", KEY_FOLDER, "FOLDER",
           "Plant only in this folder of the RTL; may be repeated, each then gets the same number (default: all places "
           "are equally likely)"),
    OPTION("name", KEY_NAME, "NAME", "Name of the simulator, rtl:NAME (default qualify)"),
    OPTION("plan", KEY_PLAN, "PLAN",
           "Play the tests of a plan (docs/plans.md) instead of traces, with its random layers and memories: tests of "
           "the configuration that use an RTL"),
    OPTION("select", KEY_SELECT, "EXPRESSION", "Only tests of the plan whose tags match"),
    OPTION("equivalents", KEY_EQUIVALENTS, "FILE.yml",
           "Faults known to change nothing, with reasons (docs/qualify.md); they are counted but not played"),
    OPTION("at-least", KEY_AT_LEAST, "PERCENT",
           "Exit status 1 if a smaller share of the faults that are not equivalent is noticed (default 0)"),
    OPTION("together", KEY_TOGETHER, "N",
           "Play faults that survived the first tests N at a time, and one by one only where a test then fails "
           "(default 32; 1: always one by one)"),
    OPTION("jobs", 'j', "N", "Run N processes at a time (default: one for each core)"),
    OPTION("out", 'o', "OUT",
           "Folder of the nights: random layers and what was played go to OUT/night-N (default: " NIGHTS_FOLDER ")"),
    OPTION("database", KEY_DATABASE, "FILE",
           "Database of all nights (default: the plan's, or OUT/" NIGHTS_DATABASE ")"),
    OPTION("resume", KEY_RESUME, NULL, "Continue the last interrupted campaign of the same command"),
    {0},
};

static const char doc[] =
    "Measures how good a corpus of traces is. Plants faults in a copy of the RTL (changed operators, constants and "
    "conditions, dropped assignments), compiles all of them into one simulator, activates one in each run, and prints "
    "which faults the traces notice and which survive.\v"
    "First every test is played without a fault, which shows which faults would change a value in which test. Then "
    "each fault is played with these tests, the shortest first, until one does not pass.\n"
    "\n"
    "noticed: a test does not pass; survived: all pass although the changed expression had another value in some; "
    "unreached: it never had; equivalent: listed in --equivalents as changing nothing. See docs/qualify.md.\n"
    "\n"
    "Examples:\n"
    "  nvcosim qualify --count 200 --seed 1 traces/conformance/small/*.nvt.gz\n"
    "  nvcosim qualify --plan plans/qualify.yml --equivalents plans/equivalents.yml --at-least 95\n"
    "  nvcosim qualify --config small --filelist vmod.f --count 1000 traces/*.cfg\n"
    "  nvcosim debug --dut rtl:qualify --fault 7 t.cfg\n"
    "\n"
    "Exit status: 0; 1 if less are noticed than --at-least asks for; 2 bad input or usage; 128 + N: ended by signal N.";

static void check(const struct qualify_options *options, struct argp_state *state) {
    if (!options->plan == !options->traces.count)
        argp_error(state, "expected traces, or --plan PLAN, and not both");
    else if (options->select && !options->plan)
        argp_error(state, "--select needs --plan PLAN");
}

#define OF(member) offsetof(struct qualify_options, member)

static const struct argument settings[] = {
    {.key = KEY_RESUME, FLAG_AT(OF(resume))},
    {.key = KEY_PLAN, TEXT_AT(OF(plan), "the name of a file")},
    {.key = KEY_SELECT, TEXT_AT(OF(select), "an expression such as 'conformance and not slow'")},
    {.key = KEY_EQUIVALENTS, TEXT_AT(OF(equivalents), "the name of a file")},
    {.key = 'o', TEXT_AT(OF(out), "the name of a folder")},
    {.key = KEY_DATABASE, TEXT_AT(OF(database), "the name of a file")},
    {.key = KEY_SEED, NUMBER_AT(OF(seed), 0, INT64_MAX)},
    {.key = KEY_COUNT, NUMBER_32_AT(OF(count), 1, 1000000)},
    {.key = KEY_AT_LEAST, NUMBER_32_AT(OF(at_least), 0, 100)},
    {.key = KEY_TOGETHER, NUMBER_32_AT(OF(together), 1, 1000)},
    {.key = 'j', NUMBER_32_AT(OF(jobs), 1, 1024)},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct qualify_options *options = state->input;
    if (argument_take(settings, sizeof settings / sizeof *settings, option_table, options, key, arg, state))
        return 0;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = (void *)&options->config;
        state->child_inputs[1] = &options->source;
        return 0;
    case KEY_NAME:
        if (!rtl_name_valid(arg))
            argp_error(state, "--name: found '%s', expected a-z, 0-9 and _, less than %d characters", arg,
                       RTL_NAME_MAX);
        options->name = arg;
        return 0;
    case KEY_FOLDER:
        words_add(&options->folders, "%s", argument_text(state, "folder", arg, "a folder of the RTL"));
        return 0;
    case ARGP_KEY_ARG:
        words_add(&options->traces, "%s", arg);
        return 0;
    case ARGP_KEY_END:
        check(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int qualify_main(int argc, char **argv) {
    static const struct argp_child children[] = {{.argp = &config_small_argp}, {.argp = &rtl_source_argp}, {0}};
    static const struct argp argp = {
        .children = children, .options = option_table, .parser = parse, .args_doc = "TRACE...", .doc = doc};
    struct text command = {0};
    for (int i = 0; i < argc; i++) {
        char *word = i ? text_quoted(argv[i]) : xstrdup(argv[i]);
        text_printf(&command, "%s%s", i ? " " : "", word);
        free(word);
    }
    struct qualify_options options = {.config = nvdla_config_find("small"),
                                      .count = 200,
                                      .seed = 1,
                                      .name = "qualify",
                                      .out = NIGHTS_FOLDER,
                                      .command = command.text,
                                      .together = 32,
                                      .jobs = process_cores()};
    const int status = argp_parse(&argp, argc, argv, 0, NULL, &options) == 0 ? qualify_run(&options) : EXIT_BAD_INPUT;
    rtl_source_free(&options.source);
    words_free(&options.folders);
    words_free(&options.traces);
    free(command.text);
    return status;
}
