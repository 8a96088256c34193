/* nvcosim doctor: from the log of a driver to what stopped it. */
#include <stdlib.h>

#include "cli/commands.h"
#include "doctor/log_diagnosis.h"
#include "nvdla/text.h"
#include "run/network/compile.h"
#include "run/options/arguments.h"
#include "run/options/options.h"

enum { KEY_LOADABLE = 0x100, KEY_JSON };

struct arguments {
    const struct nvdla_config *config;
    const char *log, *loadable;
    bool json;
};

static const struct argp_option option_table[] = {
    OPTION("loadable", KEY_LOADABLE, "NET", "The compiled network (.nvdla) that ran: names the layer and its clocks"),
    OPTION("json", KEY_JSON, NULL, "Print JSON"),
    {0},
};

static const char doc[] =
    "Reads the log of NVIDIA's driver (dmesg, journalctl -k, a serial console; the runtime's lines may be in between): "
    "how far it came, what is armed, what can have stopped it, likeliest first.\v"
    "LOG is a file, packed with gzip or not, or - for standard input. Lines of other drivers are skipped; the log may "
    "be cut at both ends. Without --loadable only what the log shows is said.\n"
    "\n"
    "Examples:\n"
    "  nvcosim doctor log.txt --loadable lenet.nvdla\n"
    "  nvcosim doctor console.txt --loadable net.nvdla --config small\n"
    "  nvcosim doctor --json - <log.txt\n"
    "\n"
    "Exit status: 0 the log is that of a good run, 1 it is not or cannot show it, 2 bad input or usage.";

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = (void *)&arguments->config;
        return 0;
    case KEY_LOADABLE:
        arguments->loadable = argument_text(state, "loadable", arg, "the name of a compiled network");
        return 0;
    case KEY_JSON:
        arguments->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->log)
            argp_error(state, "found '%s', expected one log", arg);
        arguments->log = arg;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->log)
            argp_error(state, "expected the log of a driver (dmesg >log.txt), or - for standard input");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool examine(const struct arguments *arguments, struct loadable *loadable, struct driver_log *log,
                    struct log_diagnosis *diagnosis, struct error *err) {
    struct error undecided;
    const struct nvdla_config *config = arguments->config;
    if (arguments->loadable) {
        if (!loadable || !loadable_place(loadable, COMPILE_BASE, COMPILE_SECONDARY_BASE, 64, err))
            return false;
        config = config ? config : compile_config(loadable, &undecided);
    }
    return driver_log_read(log, arguments->log, err) && log_diagnose(log, loadable, config, diagnosis, err);
}

int doctor_main(int argc, char **argv) {
    static const struct argp_child children[] = {{.argp = &config_of_loadable_argp}, {0}};
    static const struct argp argp = {
        .children = children, .options = option_table, .parser = parse, .args_doc = "LOG", .doc = doc};
    struct arguments arguments = {0};
    struct driver_log log;
    struct log_diagnosis diagnosis = {0};
    struct error err;
    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0)
        return EXIT_BAD_INPUT;
    driver_log_begin(&log);
    struct loadable *loadable = arguments.loadable ? loadable_read(arguments.loadable, &err) : NULL;
    const bool fine = examine(&arguments, loadable, &log, &diagnosis, &err);
    if (!fine)
        fprintf(stderr, "nvcosim doctor: %s\n", err.text);
    else if (arguments.json)
        log_diagnosis_print_json(stdout, &diagnosis);
    else {
        char *shown = text_shown(arguments.log);
        log_diagnosis_print(stdout, shown, &log, &diagnosis);
        free(shown);
    }
    const bool good = diagnosis.verdict == VERDICT_GOOD;
    log_diagnosis_free(&diagnosis);
    driver_log_free(&log);
    loadable_free(loadable);
    return !fine ? EXIT_BAD_INPUT : good ? EXIT_OK : EXIT_DIFFERENT;
}
