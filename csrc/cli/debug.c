/* nvcosim debug: finds the engine that makes a trace fail, and records waves around the failure. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "nvdla/xalloc.h"
#include "run/jobs/jobs.h"
#include "run/options/arguments.h"
#include "run/process/process.h"
#include "run/session/judge.h"
#include "run/session/session.h"
#include "trace/formats.h"

enum { KEY_OPEN = 0x1000 };

struct arguments {
    struct run_options run;
    bool open;
};

static const char doc[] =
    "Plays a trace on the RTL and on the model up to the first failure, follows the data path back to the engine that "
    "caused it, and records evidence to look at.\v"
    "The run ends at the first wrong beat, failing check or hang. A copy of the process, forked shortly before, then "
    "repeats the last part with waves and all streams between the engines recorded. The first element, in time, that "
    "differs from the model's names the engine. A hang is traced along the chain of engines that wait for each other.\n"
    "\n"
    "DIR/TRACE then holds:\n"
    "  report.html   verdict, data path, layers, time line, map of mismatches\n"
    "  report.txt, report.json   the same as text and for programs\n"
    "  wave.fst, wave.gtkw       the cycles around the failure, for GTKWave\n"
    "  taps/         all elements of the streams, for nvcosim diff\n"
    "\n"
    "The simulator with waves is built on first use.\n"
    "\n"
    "Examples:\n"
    "  nvcosim debug t.cfg\n"
    "  nvcosim debug --dut rtl:mine --latency 200 t.cfg\n"
    "  nvcosim debug --open t.cfg\n"
    "\n"
    "Exit status: as of nvcosim run; 0 if nothing fails.";

static const struct argp_option own[] = {
    OPTION("open", KEY_OPEN, NULL, "Open the waves of a failure in GTKWave"),
    {0},
};

/* Options of `run` that `debug` does not take. */
static const char *const left_out[] = {"jobs",          "wave",          "wave-from", "wave-to", "wave-layer",
                                       "wave-scope",    "wave-plain",    "saif",      "results", "coverage",
                                       "coverage-kind", "histogram",     "checks",    "tap",     "taps",
                                       "debug",         "stop-at-first", "html",      NULL};

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct arguments *args = state->input;
    switch (key) {
    case KEY_OPEN:
        args->open = true;
        return 0;
    case ARGP_KEY_INIT:
        run_option_parse_into(&args->run, key, arg, state);
        return 0;
    case ARGP_KEY_END:
        if (args->run.traces.count > 1)
            argp_error(state, "found %zu traces, expected one", args->run.traces.count);
        else if (args->run.dut != DUT_BOTH)
            argp_error(state, "--dut: RTL and model are compared; use --dut both or --dut rtl:NAME");
        __attribute__((fallthrough));
    default:
        return run_option_parse_into(&args->run, key, arg, state);
    }
}

/* Replaces this process by GTKWave; returns only on failure. */
static int open_waves(const struct run_options *options) {
    char name[512];
    char *folder =
        report_folder(options, options->name ? options->name : trace_name(options->traces.items[0], name, sizeof name));
    char *save = xprintf("%s/wave.gtkw", folder);
    free(folder);
    if (access(save, R_OK) != 0) {
        fprintf(stderr, "nvcosim debug: --open: there are no waves (%s: %s)\n", save, strerror(errno));
        free(save);
        return EXIT_BAD_INPUT;
    }
    fprintf(stderr, "starting GTKWave on %s\n", save);
    fflush(NULL);
    execlp("gtkwave", "gtkwave", save, (char *)NULL);
    fprintf(stderr, "nvcosim debug: --open: gtkwave: %s; `make setup` installs it\n", strerror(errno));
    free(save);
    return EXIT_BAD_INPUT;
}

int debug_main(int argc, char **argv) {
    struct argp_option table[RUN_OPTIONS_MOST];
    run_option_table_with(table, own, left_out);
    const struct argp argp = {.options = table, .parser = parse, .args_doc = "TRACE", .doc = doc};
    struct arguments args = {.open = false};
    run_options_init(&args.run);
    args.run.debug = args.run.copies = args.run.play.stop_at_first = true;
    words_add(&args.run.given, "--debug");
    int status = EXIT_BAD_INPUT;
    if (argp_parse(&argp, argc, argv, 0, NULL, &args) == 0)
        status = jobs_run(&args.run);
    if (args.open && (status == EXIT_DIFFERENT || status == EXIT_HUNG))
        status = open_waves(&args.run);
    run_options_free(&args.run);
    return status;
}
