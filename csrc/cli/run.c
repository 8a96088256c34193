/* nvcosim run: plays traces and compares. */
#include "cli/commands.h"
#include "run/jobs.h"

static const char doc[] =
    "Plays traces on the RTL and on the model and compares the memory they leave behind, every check of the trace "
    "included.\v"
    "All traces are read before the first is played: an error in one of them is reported with its line, and nothing "
    "runs.\n"
    "A line per trace goes to stdout when it is done (with --stats, statistics below it; after several traces, a line "
    "that counts them), everything else goes to stderr. Failed traces leave a report: OUT/TRACE/report.txt; what an "
    "earlier run left there is removed.\n"
    "SIGINT and SIGTERM end the simulators too; the exit status is then 128 + the signal's number.\n"
    "\n"
    "Examples:\n"
    "  nvcosim run t.cfg\n"
    "  nvcosim run --dut model -j 2 conformance/small/sdp_*/*.cfg\n"
    "  nvcosim run --latency 200 t.cfg\n"
    "  nvcosim run --latency 50 --stall 300 --reorder --seed 7 t.cfg\n"
    "  nvcosim run --dut rtl:mine --pin tmc2slcg_disable_clock_gating=1 t.cfg\n"
    "  nvcosim run --wave t.fst --wave-from 5000 t.cfg\n"
    "  nvcosim run -j 2 -q --results results.jsonl cases/*.nvt.gz\n"
    "  nvcosim run --coverage counts -j 2 traces/conformance/small/*.nvt.gz\n"
    "\n"
    "REFUSED: the spec leaves the result of a setting open, so the model does not play the trace (see "
    "--allow-undefined). Other settings against the rules are warned of, once for each kind (-v: every time).\n"
    "\n"
    "Exit status: 0 all equal and every check passed; 1 mismatch or failed check; 2 bad input or usage, refused; 3 "
    "hang or time-out; 4 CRASH: the simulator ended without a verdict (a signal, no memory, a library that is "
    "missing). Of several traces the worst counts, in the order 2, 4, 3, 1, 0.";

int run_main(int argc, char **argv) {
    static const struct argp argp = {
        .options = run_option_table, .parser = run_option_parse, .args_doc = "TRACE...", .doc = doc};
    struct run_options options;
    run_options_init(&options);
    const int status = argp_parse(&argp, argc, argv, 0, NULL, &options) == 0 ? jobs_run(&options) : EXIT_BAD_INPUT;
    run_options_free(&options);
    return status;
}
