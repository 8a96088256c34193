/* The options of nvcosim doctor; python/nvcosim/commands/doctor.py does the work. */
#include <stdlib.h>

#include "cli/commands.h"
#include "run/network/compile.h"
#include "run/options/arguments.h"
#include "run/options/options.h"

#define RUN_CLOCKS_MOST UINT64_C(1000000000000)

struct doctor_command {
    const char *log, *loadable, *output, *name, *layer, *before;
    struct compile_options compile;
    uint64_t clocks;
    bool run_clocks_given, json;
    double megahertz; /* 0: not given */
};

static const char doc[] =
    "Reads the log of NVIDIA's driver (dmesg, journalctl -k, a serial console; the runtime's lines may be in between): "
    "how far it got, what is armed, what may have stopped it, likeliest first. With --output: compares what a board "
    "computed with the model, and names the pattern of the difference.\v"
    "LOG is a file, packed with gzip or not, or - for standard input. Lines of other drivers are skipped; the log may "
    "be cut at both ends. Without --loadable only what the log shows is said.\n"
    "\n"
    "Examples:\n"
    "  nvcosim doctor log.txt --loadable lenet.nvdla\n"
    "  nvcosim doctor console.txt --loadable net.nvdla --config small\n"
    "  nvcosim doctor --json - <log.txt\n"
    "  nvcosim doctor --output board.bin --loadable net.nvdla --input digit.png\n"
    "\n"
    "Exit status: 0 the log is that of a good run, or the output is right; 1 it is not, or the log cannot show it; 2 "
    "bad input or usage.";

static void clock_option(void *megahertz, const char *arg, struct argp_state *state) {
    char *end;
    const double value = strtod(arg, &end);
    if (end == arg || *end || !(value >= 0.001 && value <= 100000))
        argp_error(state, "--clock: found '%s', expected megahertz from 0.001 to 100000", arg);
    *(double *)megahertz = value;
}

#define OF(member) offsetof(struct doctor_command, member)

static const struct argument option_table[] = {
    CONFIG_OF_LOADABLE(OF(compile.config)),
    OPTION("loadable", "NET", "The compiled network (.nvdla) that ran: names the layer and its clocks",
           TEXT_AT(OF(loadable), "the name of a compiled network")),
    OPTION("output", "FILE",
           "Instead of a log: the bytes of the output memory that the board left, to compare with the model; needs "
           "--loadable and --input. FILE.dimg: as the runtime writes it. A folder: with dumps of layers, "
           "TASK.OPERATION.bin: the first wrong one counts",
           TEXT_AT(OF(output), "the name of a file")),
    OPTION("name", "NAME", "The output that FILE is, if the network has several",
           TEXT_AT(OF(name), "the name of an output")),
    OPTION("layer", "TASK.OPERATION",
           "FILE is the cube that this layer wrote, not an output: from its first byte to its last",
           TEXT_AT(OF(layer), "TASK.OPERATION")),
    OPTION("before", "FILE", "What the same memory held before the run, to recognise stale bytes",
           TEXT_AT(OF(before), "the name of a file")),
    OPTION("clock", "MHZ", "Of a log: the clock of NVDLA on the board (default: 100, as an assumption)",
           TAKEN_AT(OF(megahertz), clock_option)),
    OPTION(
        "run-clocks", "N",
        "With --output: rank the faults of a bus by runs of the network on the RTL that take about N clocks together "
        "(default 5000000); 0: no runs, compare with those of other networks",
        NUMBER_AT(OF(clocks), 0, RUN_CLOCKS_MOST), .also = OF(run_clocks_given)),
    OPTION("json", NULL, "Print JSON", FLAG_AT(OF(json))),
    {0},
};

static void check(void *input, struct argp_state *state) {
    const struct doctor_command *arguments = input;
    const size_t inputs = arguments->compile.input.sources.count;
    if (arguments->log && arguments->output)
        argp_error(state, "found '%s' and --output, expected a log or an output", arguments->log);
    else if (arguments->output && (!arguments->loadable || !inputs))
        argp_error(state, "--output: found no %s, expected the network that ran and its input",
                   arguments->loadable ? "--input" : "--loadable");
    else if (arguments->name && arguments->layer)
        argp_error(state, "found --name and --layer, expected one of them");
    else if (!arguments->output &&
             (arguments->name || arguments->layer || arguments->before || arguments->run_clocks_given))
        argp_error(state, "--name, --layer, --before and --run-clocks: expected --output as well");
    else if (!arguments->output && arguments->compile.given)
        argp_error(state, "--%s: found a log, expected --output as well", arguments->compile.given);
    else if (arguments->output && arguments->megahertz > 0)
        argp_error(state, "--clock: found --output, expected a log");
    else if (!arguments->log && !arguments->output)
        argp_error(state, "expected the log of a driver (dmesg >log.txt), or - for standard input");
}

int doctor_main(int argc, char **argv) {
    static const struct command command = {.options = option_table,
                                           .usage = "[LOG]",
                                           .doc = doc,
                                           .operands = OPERAND_AT(OF(log), "one log"),
                                           .more = {{.options = compile_arguments,
                                                     .member = OF(compile),
                                                     .given = offsetof(struct compile_options, given)}},
                                           .check = check};
    struct doctor_command arguments = {0};
    compile_options_init(&arguments.compile);
    const bool fine = command_read(&command, argc, argv, &arguments);
    compile_options_free(&arguments.compile);
    return fine ? python_command("doctor", argv) : EXIT_BAD_INPUT;
}
