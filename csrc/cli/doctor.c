/* nvcosim doctor: from the log of a driver to what stopped it; from a wrong output to its pattern. */
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/doctor_output.h"
#include "cli/python.h"
#include "nvdla/text.h"
#include "run/options/arguments.h"
#include "run/options/options.h"

/* Of runs for the ranking, together, unless --run-clocks says otherwise. */
enum { RUN_CLOCKS = 5000000 };
#define RUN_CLOCKS_MOST UINT64_C(1000000000000)

struct arguments {
    const char *log;
    struct doctor_output output; /* its loadable, configuration and json are those of a log, too */
    bool run_clocks_given;
    double megahertz; /* 0: not given */
};

static const char doc[] =
    "Reads the log of NVIDIA's driver (dmesg, journalctl -k, a serial console; the runtime's lines may be in between): "
    "how far it came, what is armed, what can have stopped it, likeliest first. With --output: compares what a board "
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

#define OF(member) offsetof(struct arguments, member)

static const struct argument option_table[] = {
    CONFIG_OF_LOADABLE(OF(output.compile.config)),
    OPTION("loadable", "NET", "The compiled network (.nvdla) that ran: names the layer and its clocks",
           TEXT_AT(OF(output.loadable), "the name of a compiled network")),
    OPTION("output", "FILE",
           "Instead of a log: the bytes of the output memory that the board left, to compare with the model; needs "
           "--loadable and --input. FILE.dimg: as the runtime writes it. A folder: with dumps of layers, "
           "TASK.OPERATION.bin: the first wrong one counts",
           TEXT_AT(OF(output.found), "the name of a file")),
    OPTION("name", "NAME", "The output that FILE is, if the network has several",
           TEXT_AT(OF(output.name), "the name of an output")),
    OPTION("layer", "TASK.OPERATION",
           "FILE is the cube that this layer wrote, not an output: from its first byte to its last",
           TEXT_AT(OF(output.layer), "TASK.OPERATION")),
    OPTION("before", "FILE", "What the same memory held before the run, to recognise stale bytes",
           TEXT_AT(OF(output.before), "the name of a file")),
    OPTION("clock", "MHZ", "Of a log: the clock of NVDLA on the board (default: 100, as an assumption)",
           TAKEN_AT(OF(megahertz), clock_option)),
    OPTION(
        "run-clocks", "N",
        "With --output: rank the faults of a bus by runs of the network on the RTL that take about N clocks together "
        "(default 5000000); 0: no runs, compare with those of other networks",
        NUMBER_AT(OF(output.clocks), 0, RUN_CLOCKS_MOST), .also = OF(run_clocks_given)),
    OPTION("json", NULL, "Print JSON", FLAG_AT(OF(output.json))),
    {0},
};

static void check(void *input, struct argp_state *state) {
    const struct arguments *arguments = input;
    const struct doctor_output *output = &arguments->output;
    const size_t inputs = output->compile.input.sources.count;
    if (arguments->log && output->found)
        argp_error(state, "found '%s' and --output, expected a log or an output", arguments->log);
    else if (output->found && (!output->loadable || !inputs))
        argp_error(state, "--output: found no %s, expected the network that ran and its input",
                   output->loadable ? "--input" : "--loadable");
    else if (output->name && output->layer)
        argp_error(state, "found --name and --layer, expected one of them");
    else if (!output->found && (output->name || output->layer || output->before || arguments->run_clocks_given))
        argp_error(state, "--name, --layer, --before and --run-clocks: expected --output as well");
    else if (!output->found && output->compile.given)
        argp_error(state, "--%s: found a log, expected --output as well", output->compile.given);
    else if (output->found && arguments->megahertz > 0)
        argp_error(state, "--clock: found --output, expected a log");
    else if (!arguments->log && !output->found)
        argp_error(state, "expected the log of a driver (dmesg >log.txt), or - for standard input");
}

/* The diagnosis is written in Python. */
static int doctor_log(const struct arguments *arguments) {
    const struct nvdla_config *config = arguments->output.compile.config;
    struct words words = {0};
    words_put(&words, "doctor");
    if (arguments->output.json)
        words_put(&words, "--json");
    if (arguments->megahertz > 0)
        words_add(&words, "--clock=%.17g", arguments->megahertz);
    if (arguments->output.loadable)
        words_add(&words, "--loadable=%s", arguments->output.loadable);
    if (config)
        words_add(&words, "--config=%s", config->name);
    words_put(&words, "--");
    words_put(&words, arguments->log);
    const int status = python_command("doctor", words.items);
    words_free(&words);
    return status;
}

int doctor_main(int argc, char **argv) {
    static const struct command command = {.options = option_table,
                                           .usage = "[LOG]",
                                           .doc = doc,
                                           .operands = OPERAND_AT(OF(log), "one log"),
                                           .more = {{.options = compile_arguments,
                                                     .member = OF(output.compile),
                                                     .given = offsetof(struct compile_options, given)}},
                                           .check = check};
    struct arguments arguments = {.output.clocks = RUN_CLOCKS};
    compile_options_init(&arguments.output.compile);
    if (!command_read(&command, argc, argv, &arguments))
        return EXIT_BAD_INPUT;
    const int status = arguments.output.found ? doctor_output(&arguments.output) : doctor_log(&arguments);
    compile_options_free(&arguments.output.compile);
    return status;
}
