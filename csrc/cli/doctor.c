/* nvcosim doctor: from the log of a driver to what stopped it; from a wrong output to its pattern. */
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/doctor_clocks.h"
#include "cli/doctor_output.h"
#include "doctor/log_diagnosis.h"
#include "nvdla/text.h"
#include "run/network/open.h"
#include "run/options/arguments.h"
#include "run/options/options.h"

enum { KEY_LOADABLE = 0x100, KEY_JSON, KEY_OUTPUT, KEY_NAME, KEY_LAYER, KEY_BEFORE, KEY_RUN_CLOCKS, KEY_CLOCK };

/* Of runs for the ranking, together, unless --run-clocks says otherwise. */
enum { RUN_CLOCKS = 5000000 };
#define RUN_CLOCKS_MOST UINT64_C(1000000000000)

struct arguments {
    const char *log;
    struct doctor_output output; /* its loadable, configuration and json are those of a log, too */
    bool run_clocks_given;
    double megahertz; /* 0: not given */
};

static const struct argp_option option_table[] = {
    OPTION("loadable", KEY_LOADABLE, "NET", "The compiled network (.nvdla) that ran: names the layer and its clocks"),
    OPTION("output", KEY_OUTPUT, "FILE",
           "Instead of a log: the bytes of the output memory that the board left, to compare with the model; needs "
           "--loadable and --input. FILE.dimg: as the runtime writes it. A folder: with dumps of layers, "
           "TASK.OPERATION.bin: the first wrong one counts"),
    OPTION("name", KEY_NAME, "NAME", "The output that FILE is, if the network has several"),
    OPTION("layer", KEY_LAYER, "TASK.OPERATION",
           "FILE is the cube that this layer wrote, not an output: from its first byte to its last"),
    OPTION("before", KEY_BEFORE, "FILE", "What the same memory held before the run, to recognise stale bytes"),
    OPTION("clock", KEY_CLOCK, "MHZ", "Of a log: the clock of NVDLA on the board (default: 100, as an assumption)"),
    OPTION(
        "run-clocks", KEY_RUN_CLOCKS, "N",
        "With --output: rank the faults of a bus by runs of the network on the RTL that take about N clocks together "
        "(default 5000000); 0: no runs, compare with those of other networks"),
    OPTION("json", KEY_JSON, NULL, "Print JSON"),
    {0},
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

static double clock_argument(struct argp_state *state, const char *arg) {
    char *end;
    const double value = strtod(arg, &end);
    if (end == arg || *end || !(value >= 0.001 && value <= 100000))
        argp_error(state, "--clock: found '%s', expected megahertz from 0.001 to 100000", arg);
    return value;
}

static void check_arguments(const struct arguments *arguments, struct argp_state *state) {
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

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = (void *)&arguments->output.compile.config;
        state->child_inputs[1] = &arguments->output.compile;
        return 0;
    case KEY_LOADABLE:
        arguments->output.loadable = argument_text(state, "loadable", arg, "the name of a compiled network");
        return 0;
    case KEY_JSON:
        arguments->output.json = true;
        return 0;
    case KEY_OUTPUT:
        arguments->output.found = argument_text(state, "output", arg, "the name of a file");
        return 0;
    case KEY_NAME:
        arguments->output.name = argument_text(state, "name", arg, "the name of an output");
        return 0;
    case KEY_LAYER:
        arguments->output.layer = argument_text(state, "layer", arg, "TASK.OPERATION");
        return 0;
    case KEY_RUN_CLOCKS:
        arguments->output.clocks = argument_number(state, "run-clocks", arg, 0, RUN_CLOCKS_MOST);
        arguments->run_clocks_given = true;
        return 0;
    case KEY_CLOCK:
        arguments->megahertz = clock_argument(state, arg);
        return 0;
    case KEY_BEFORE:
        arguments->output.before = argument_text(state, "before", arg, "the name of a file");
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->log)
            argp_error(state, "found '%s', expected one log", arg);
        arguments->log = arg;
        return 0;
    case ARGP_KEY_END:
        check_arguments(arguments, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Reads the network that ran, with placed memories, and finds its configuration; NULL without one. False with a
 * message.
 */
static bool open_network(const struct doctor_output *options, struct loadable **loadable,
                         struct compile_options *compile, struct error *err) {
    struct error undecided;
    *loadable = NULL;
    *compile = options->compile;
    if (!options->loadable)
        return true;
    *loadable = network_open(options->loadable, &compile->config, err);
    if (!*loadable || !loadable_place(*loadable, COMPILE_BASE, COMPILE_SECONDARY_BASE, 64, err))
        return false;
    if (!compile->config)
        compile->config = compile_config(*loadable, &undecided);
    return true;
}

static int doctor_log(const struct arguments *arguments) {
    struct driver_log log;
    struct log_diagnosis diagnosis = {0};
    struct error err;
    struct compile_options compile;
    struct loadable *loadable;
    driver_log_begin(&log);
    const bool fine = open_network(&arguments->output, &loadable, &compile, &err) &&
                      driver_log_read(&log, arguments->log, &err) &&
                      log_diagnose(&log, loadable, compile.config, &diagnosis, &err);
    if (fine && loadable && compile.config)
        doctor_clocks(&diagnosis, &log, arguments->output.loadable, compile.config);
    if (!fine)
        fprintf(stderr, "nvcosim doctor: %s\n", err.text);
    else if (arguments->output.json)
        log_diagnosis_print_json(stdout, &log, &diagnosis, arguments->megahertz);
    else {
        char *shown = text_shown(arguments->log);
        log_diagnosis_print(stdout, shown, &log, &diagnosis, arguments->megahertz);
        free(shown);
    }
    const bool good = diagnosis.verdict == VERDICT_GOOD;
    log_diagnosis_free(&diagnosis);
    driver_log_free(&log);
    loadable_free(loadable);
    return !fine ? EXIT_BAD_INPUT : good ? EXIT_OK : EXIT_DIFFERENT;
}

int doctor_main(int argc, char **argv) {
    static const struct argp_child children[] = {{.argp = &config_of_loadable_argp}, {.argp = &compile_argp}, {0}};
    static const struct argp argp = {
        .children = children, .options = option_table, .parser = parse, .args_doc = "[LOG]", .doc = doc};
    struct arguments arguments = {.output.clocks = RUN_CLOCKS};
    compile_options_init(&arguments.output.compile);
    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0)
        return EXIT_BAD_INPUT;
    const int status = arguments.output.found ? doctor_output(&arguments.output) : doctor_log(&arguments);
    compile_options_free(&arguments.output.compile);
    return status;
}
