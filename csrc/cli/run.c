/* nvcosim run: plays traces and compares the results; compiles networks to traces first. */
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/jobs/jobs.h"
#include "run/jobs/networks.h"
#include "run/jobs/pieces.h"
#include "run/list/facts.h"
#include "run/options/arguments.h"
#include "trace/network.h"

static const char doc[] =
    "Plays traces on the RTL and on the model, performs every check of the trace, and compares the final memory.\v"
    "All traces are read before the first is played: if one has an error, it is reported with its line, and nothing "
    "runs.\n"
    "Each finished trace prints a line to stdout (with --stats, followed by statistics; several traces end with a "
    "summary line). Everything else goes to stderr. A failed trace writes OUT/TRACE/report.txt; reports of earlier "
    "runs there are removed.\n"
    "\n"
    "A compiled network (NET.nvdla, a loadable) is first compiled into OUT/NET.nvt.gz, as by `nvcosim compile`, and "
    "then played. The network's outputs are printed and written to OUT/NET.outputs, or to the folder of --outputs.\n"
    "\n"
    "SIGINT and SIGTERM also end the simulators; the exit status is then 128 + the signal number.\n"
    "\n"
    "Examples:\n"
    "  nvcosim run t.cfg\n"
    "  nvcosim run --dut model -j 2 conformance/small/sdp_*/*.cfg\n"
    "  nvcosim run --latency 200 t.cfg\n"
    "  nvcosim run --latency 50 --stall 300 --reorder --seed 7 t.cfg\n"
    "  nvcosim run --dut rtl:mine --pin tmc2slcg_disable_clock_gating=1 t.cfg\n"
    "  nvcosim run --wave t.fst --wave-from 5000 t.cfg\n"
    "  nvcosim run --timeline t.json t.cfg\n"
    "  nvcosim run -j 2 -q --results results.jsonl cases/*.nvt.gz\n"
    "  nvcosim run lenet.nvdla --input seven.png --labels digits.txt\n"
    "  nvcosim run --pieces 8 -j 8 net.nvt.gz\n"
    "  nvcosim run --coverage counts -j 2 traces/conformance/small/*.nvt.gz\n"
    "\n"
    "REFUSED: the spec leaves the result of a setting undefined, so the model does not play the trace (see "
    "--allow-undefined). Other settings against the rules cause a warning, once for each kind (-v: every time).\n"
    "\n"
    "Exit status: 0 all equal and every check passed; 1 mismatch or failed check; 2 bad input or usage, refused; 3 "
    "hang or time-out; 4 CRASH: the simulator ended without a verdict (a signal, out of memory, a missing library). "
    "With several traces the worst counts, in the order 2, 4, 3, 1, 0.";

enum { SHOWN_COLUMNS = 64 }; /* of a picture */

struct run_call {
    struct run_options run;
    struct pieces_options pieces;
    bool in_pieces;
    struct compile_options compile;
    bool show_input;
};

static void check_options_option(void *member, const char *arg, struct argp_state *state) {
    (void)member, (void)arg;
    argp_error(state, "--check-options: expected before all other options");
}

#define OF(member) offsetof(struct run_call, member)

static const struct argument option_table[] = {
    {.doc = "Networks (NET.nvdla)", .group = 7},
    OPTION("show-input", NULL, "Print the input pictures as characters", FLAG_AT(OF(show_input))),
    {.doc = "Pieces (docs/split.md)", .group = 8},
    OPTION("pieces", "N",
           "Cut each trace into N pieces (all: as many as possible), as by `nvcosim split`, at the places that finish "
           "soonest with -j at a time, and play them in parallel: one verdict, one report, cycles summed",
           TAKEN_AT(OF(pieces.pieces), argument_pieces), .also = OF(in_pieces)),
    OPTION("sample", "K",
           "Play only K of the pieces, chosen at random by --seed, longer ones with higher probability, and estimate "
           "the total cycles with a standard error (default: of --pieces all)",
           NUMBER_AT(OF(pieces.sample), 1, PIECES_MOST), .also = OF(in_pieces)),
    {.doc = "For another program (docs/results.md)", .group = 9},
    OPTION("check-options", NULL,
           "As the first option: play nothing, but check the others, and print as JSON what they ask for. With - "
           "instead of options: check each line of stdin, a list of options as JSON",
           TAKEN_AT(0, check_options_option)),
    {0},
};

static void check(void *input, struct argp_state *state) {
    const struct run_call *arguments = input;
    size_t networks = 0;
    for (size_t i = 0; i < arguments->run.traces.count; i++)
        networks += is_network(arguments->run.traces.items[i]);
    if (arguments->in_pieces && arguments->run.timeline)
        argp_error(state, "--timeline and --pieces exclude each other: each piece has a time of its own");
    if (networks == 0 && (arguments->compile.input.sources.count > 0 || arguments->show_input))
        argp_error(state, "--input and --show-input are for networks; expected the name of one, NET.nvdla");
}

/* Prints the inputs that are pictures. */
static bool show_inputs(const struct input_options *input, struct error *err) {
    for (size_t i = 0; i < input->sources.count; i++) {
        const char *source = input->sources.items[i];
        struct picture picture;
        if (strcmp(source, "zero") == 0 || strncmp(source, "random:", 7) == 0 || strncmp(source, "raw:", 4) == 0 ||
            strncmp(source, "int8:", 5) == 0)
            continue;
        if (!picture_read(source, 0, 0, &picture, err))
            return false;
        picture_show(stdout, &picture, SHOWN_COLUMNS);
        picture_free(&picture);
    }
    fflush(stdout);
    return true;
}

/* Says what the bus does on purpose, and whether the rules of the bus allow it. */
static void announce_fault(const struct run_options *options) {
    const struct bus_fault *fault = &options->rtl.axi.fault;
    const struct bus_fault_info *info = &bus_fault_infos[fault->kind];
    if (fault->kind == BUS_FAULT_NONE || options->quiet)
        return;
    fprintf(stderr, "nvcosim: bus fault %s", info->name);
    if (info->unit)
        fprintf(stderr, " (%s: %u)", info->unit, fault->parameter);
    fprintf(stderr, ", %s%s; a monitor on the port sees %s\n",
            info->rule ? "forbidden by AXI: " : "which no rule of AXI forbids", info->rule ? info->rule : "",
            info->visible ? info->visible : "nothing wrong");
}

/* Checks the options in argv[2], ... Returns the exit status. */
static int check_options(char **argv) {
    autowords struct words words = {0};
    struct error err;
    for (size_t i = 2; argv[i]; i++)
        words_put(&words, argv[i]);
    const bool lists = words.count == 1 && strcmp(words.items[0], "-") == 0;
    const bool fine = lists ? facts_of_lists(stdin, stdout, &err) : facts_of_options(stdout, &words, &err);
    if (!fine)
        fprintf(stderr, "nvcosim run: %s\n", err.text);
    return fine ? EXIT_OK : EXIT_BAD_INPUT;
}

int run_main(int argc, char **argv) {
    static const struct command command = {
        .options = option_table,
        .usage = "TRACE...",
        .doc = doc,
        .more = {{.options = run_arguments, .parser = run_option_parse, .member = OF(run)},
                 {.options = compile_arguments, .member = OF(compile), .group = 7}},
        .check = check};
    struct run_call arguments = {0};
    struct error err;
    autofree char *outputs = NULL;
    if (argc > 1 && strcmp(argv[1], "--check-options") == 0)
        return check_options(argv);
    run_options_init(&arguments.run);
    compile_options_init(&arguments.compile);
    int status = EXIT_BAD_INPUT;
    if (command_read(&command, argc, argv, &arguments)) {
        announce_fault(&arguments.run);
        arguments.compile.config = arguments.run.config;
        if ((!arguments.show_input || show_inputs(&arguments.compile.input, &err)) &&
            networks_compile(&arguments.run, &arguments.compile, &outputs, &err))
            status = arguments.in_pieces ? pieces_run(&arguments.run, &arguments.pieces) : jobs_run(&arguments.run);
        else
            fprintf(stderr, "%s\n", err.text);
    }
    run_options_free(&arguments.run);
    compile_options_free(&arguments.compile);
    return status;
}
