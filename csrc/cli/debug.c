/* nvcosim debug: from a trace that fails to the engine that is to blame, with waves of the place. */
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

enum { KEY_OPEN = 0x1000 };

struct arguments {
    struct run_options run;
    bool open;
};

static const char doc[] =
    "Plays a trace on the RTL and on the model up to the first thing that goes wrong, follows the data path back to "
    "the engine that did it, and records what a person needs to see it.\v"
    "The run ends at the first wrong beat, failing check or standstill. A sleeping copy of it from shortly before is "
    "woken and plays on with all streams between the engines recorded, and waves; the first element in time that "
    "differs from the model's names the engine. A hang is followed along the chain of who waits for whom.\n"
    "\n"
    "DIR/TRACE then holds:\n"
    "  report.html   the verdict, the walk along the data path, layers, time line, map of mismatches\n"
    "  report.txt, report.json   the same for terminals and programs\n"
    "  wave.fst, wave.gtkw       the cycles around it, for GTKWave\n"
    "  taps/         every element of the streams, for nvcosim diff\n"
    "\n"
    "A simulator with waves is built when it is first needed.\n"
    "\n"
    "Examples:\n"
    "  nvcosim debug t.cfg\n"
    "  nvcosim debug --dut rtl:mine --latency 200 t.cfg\n"
    "  nvcosim debug --open t.cfg\n"
    "\n"
    "Exit status: as of nvcosim run; 0 if nothing goes wrong.";

static const struct argp_option own[] = {
    OPTION("open", KEY_OPEN, NULL, "Start GTKWave on the waves when something went wrong"),
    {0},
};

/* Options of run that make no sense here. */
static const char *const left_out[] = {"jobs",          "wave",       "wave-from", "wave-to",  "wave-layer",
                                       "wave-scope",    "wave-plain", "results",   "coverage", "coverage-kind",
                                       "histogram",     "checks",     "tap",       "taps",     "debug",
                                       "stop-at-first", "html",       NULL};

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
            argp_error(state, "one trace at a time is debugged, %zu are given", args->run.traces.count);
        else if (args->run.dut != DUT_BOTH)
            argp_error(state, "--dut: RTL and model are compared; use --dut both or --dut rtl:NAME");
        __attribute__((fallthrough));
    default:
        return run_option_parse_into(&args->run, key, arg, state);
    }
}

/* Replaces this process by GTKWave; returns only if that is not possible. */
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
