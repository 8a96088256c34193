/* nvcosim debug: finds the engine that makes a trace fail, and records waves around the failure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "nvdla/xalloc.h"
#include "run/jobs/jobs.h"
#include "run/options/arguments.h"
#include "run/session/judge.h"
#include "run/session/session.h"
#include "run/simulators/simulators.h"
#include "trace/formats.h"

struct debug_command {
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
    "The simulator with waves is built on first use; for another RTL the verdict is printed first.\n"
    "\n"
    "Examples:\n"
    "  nvcosim debug t.cfg\n"
    "  nvcosim debug --dut rtl:mine --latency 200 t.cfg\n"
    "  nvcosim debug --open t.cfg\n"
    "\n"
    "Exit status: as for nvcosim run; 0 if nothing fails.";

static const struct argument own[] = {
    OPTION("open", NULL, "Open the waves of a failure in GTKWave", FLAG_AT(offsetof(struct debug_command, open)),
           .own = true),
    {0},
};

static void check(void *input, struct argp_state *state) {
    const struct run_options *run = &((const struct debug_command *)input)->run;
    if (run->traces.count > 1)
        argp_error(state, "found %zu traces, expected one", run->traces.count);
    else if (run->dut != DUT_BOTH)
        argp_error(state, "--dut: RTL and model are compared; use --dut both or --dut rtl:NAME");
}

/* Replaces this process by GTKWave; returns only on failure. */
static int open_waves(const struct run_options *options) {
    char name[512];
    char *folder =
        report_folder(options, options->name ? options->name : trace_name(options->traces.items[0], name, sizeof name));
    autofree char *save = xprintf("%s/wave.gtkw", folder);
    free(folder);
    if (access(save, R_OK) != 0) {
        fprintf(stderr, "nvcosim debug: --open: there are no waves (%s: %m)\n", save);
        return EXIT_BAD_INPUT;
    }
    fprintf(stderr, "starting GTKWave on %s\n", save);
    fflush(NULL);
    execlp("gtkwave", "gtkwave", save, (char *)NULL);
    fprintf(stderr, "nvcosim debug: --open: gtkwave: %m; `make setup` installs it\n");
    return EXIT_BAD_INPUT;
}

/* True if a verdict can be had before the simulator with waves is built: that of another's RTL shows no more. */
static bool verdict_first(const struct run_options *run) {
    struct error err;
    const bool can = run->rtl_name[0] && !run->no_waves && !run->simulators && run->traces.count == 1 &&
                     !(run->results && strcmp(run->results, "-") == 0);
    autoprogram struct program *prog = can ? read_trace(run, run->traces.items[0], &err) : NULL;
    return prog && simulator_is_foreign(prog->config->name, run->rtl_name) &&
           !simulator_is_current(prog->config->name, run->rtl_name, VARIANT_WAVES);
}

/* Plays, if need be first for the verdict alone. Returns the exit status. */
static int find_culprit(struct run_options *run) {
    autowords struct words shown = {0};
    int status = EXIT_DIFFERENT;
    if (verdict_first(run)) {
        struct run_options first = *run;
        first.no_waves = true;
        first.given = (struct words){0};
        for (size_t i = 0; i < run->given.count; i++)
            words_put(&first.given, run->given.items[i]);
        words_put(&first.given, "--no-waves");
        run->shown = first.shown = &shown;
        status = jobs_run(&first);
        words_free(&first.given);
    }
    if (status == EXIT_DIFFERENT || status == EXIT_HUNG) /* else there is nothing to record */
        status = jobs_run(run);
    return status;
}

int debug_main(int argc, char **argv) {
    static const struct command command = {
        .options = own, .usage = "TRACE", .doc = doc, .operands = {.most = SIZE_MAX}, .check = check};
    struct debug_command args = {.open = false};
    run_options_init(&args.run);
    args.run.debug = args.run.copies = args.run.play.stop_at_first = true;
    words_add(&args.run.given, "--debug");
    int status = EXIT_BAD_INPUT;
    if (run_command_read(&command, BY_DEBUG, &args.run, argc, argv, &args))
        status = find_culprit(&args.run);
    if (args.open && (status == EXIT_DIFFERENT || status == EXIT_HUNG))
        status = open_waves(&args.run);
    run_options_free(&args.run);
    return status;
}
