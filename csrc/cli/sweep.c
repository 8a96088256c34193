/* nvcosim sweep: estimates of networks over configurations and memories, in one table. */
#include <stdlib.h>

#include "cli/commands.h"
#include "run/estimate/sweep.h"
#include "run/options/arguments.h"
#include "run/options/options.h"

enum { KEY_CONFIG = 0x100, KEY_MEMORY, KEY_MEASURE, KEY_MHZ, KEY_PLAN, KEY_LAWS, KEY_CSV, KEY_HTML };

struct arguments {
    struct sweep_options sweep;
    const char *laws;
};

static const struct argp_option option_table[] = {
    OPTION("config", KEY_CONFIG, "NAME[,...]",
           "Configuration, as for `nvcosim estimate`; may be repeated (default: that of each network)"),
    OPTION("memory", KEY_MEMORY, "MEMORY", "Memory, as for `nvcosim estimate`; may be repeated (default latency=32)"),
    OPTION("measure", KEY_MEASURE, "N|all", "Also play this point of the table on the RTL; may be repeated"),
    OPTION("mhz", KEY_MHZ, "N", "Clock of NVDLA, for frames a second (default: core_mhz of the memory, else 1000)"),
    OPTION("plan", KEY_PLAN, NULL, "Plan quantised networks from their sizes alone, as for `nvcosim estimate`"),
    OPTION("laws", KEY_LAWS, "FILE", "Laws of another RTL, as scripts/fit.py writes them"),
    OPTION("csv", KEY_CSV, "FILE", "Write the table as CSV"),
    OPTION("html", KEY_HTML, "FILE", "Write the table as a page"),
    {0},
};

static const char doc[] =
    "Estimates networks or traces on every configuration with every memory, and prints one table. Points that "
    "--measure names are played on the RTL as well, and show the error of the estimate.\v"
    "Examples:\n"
    "  nvcosim sweep --memory latency=32 --memory ddr4-2400 net.nvdla\n"
    "  nvcosim sweep --config small --config small,macs=256,cbuf=256K --html sweep.html net.tflite\n"
    "  nvcosim sweep --measure 1 net.nvdla\n"
    "\n"
    "docs/estimate.md explains the columns.";

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct arguments *args = state->input;
    struct sweep_options *sweep = &args->sweep;
    switch (key) {
    case KEY_CONFIG:
        words_add(&sweep->configs, "%s", arg);
        return 0;
    case KEY_MEMORY:
        words_add(&sweep->memories, "%s", arg);
        return 0;
    case KEY_MEASURE:
        words_add(&sweep->measure, "%s", arg);
        return 0;
    case KEY_MHZ:
        sweep->mhz = (double)argument_number(state, "mhz", arg, 1, 10000);
        return 0;
    case KEY_PLAN:
        sweep->plan = true;
        return 0;
    case KEY_LAWS:
        args->laws = argument_text(state, "laws", arg, "the name of a file");
        return 0;
    case KEY_CSV:
        sweep->csv = argument_text(state, "csv", arg, "the name of a file");
        return 0;
    case KEY_HTML:
        sweep->html = argument_text(state, "html", arg, "the name of a file");
        return 0;
    case ARGP_KEY_ARG:
        words_add(&sweep->networks, "%s", arg);
        return 0;
    case ARGP_KEY_END:
        if (!sweep->networks.count)
            argp_error(state, "no network is given; expected networks or traces");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int sweep_main(int argc, char **argv) {
    static const struct argp argp = {.options = option_table, .parser = parse, .args_doc = "NET|TRACE...", .doc = doc};
    struct arguments args = {0};
    struct error err;
    if (argp_parse(&argp, argc, argv, 0, NULL, &args) != 0)
        return EXIT_BAD_INPUT;
    if (!args.sweep.memories.count)
        words_add(&args.sweep.memories, "latency=32");
    const bool good = estimate_laws_read(args.laws, &args.sweep.laws, &err) && sweep_run(&args.sweep, &err);
    if (!good)
        fprintf(stderr, "nvcosim sweep: %s\n", err.text);
    words_free(&args.sweep.networks);
    words_free(&args.sweep.configs);
    words_free(&args.sweep.memories);
    words_free(&args.sweep.measure);
    return good ? EXIT_OK : EXIT_BAD_INPUT;
}
