/* nvcosim serve: a device for a live driver, over a socket. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "nvdla/text.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "run/process/process.h"
#include "run/session/live.h"

enum { KEY_SOCKET = 0x1000, KEY_ONCE, KEY_CONNECTED, KEY_RECORD, KEY_LAST, KEY_JUDGE, KEY_STOP, KEY_DEBUG };

static const struct argp_option own[] = {
    OPTION("socket", KEY_SOCKET, "PATH", "Listen on this Unix socket, which is made and removed"),
    OPTION("dut", RUN_KEY_DUT, "DUT",
           "Device: the RTL (rtl, default), the C model (model), or an RTL built with `nvcosim build` (rtl:NAME)"),
    OPTION("once", KEY_ONCE, NULL, "End after the first client"),
    OPTION("record", KEY_RECORD, "FILE", "Write each session as a trace that replays it, .nvt or .nvt.gz"),
    OPTION("last", KEY_LAST, "N", "With --record: keep only the last N layers, or a few more"),
    OPTION("judge", KEY_JUDGE, NULL, "The model follows: tell each layer that the RTL computes otherwise"),
    {.name = "stop",
     .key = KEY_STOP,
     .arg = "hold",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = "With --judge: end at the first wrong layer; hold: stand still there"},
    OPTION("debug", KEY_DEBUG, NULL, "With --judge and --record: run nvcosim debug on a recording with a wrong layer"),
    {.name = "connected", .key = KEY_CONNECTED, .arg = "FD", .flags = OPTION_HIDDEN},
    {0},
};

/* Options of `run` that are about a trace. */
static const char *const left_out[] = {"record",        "jobs",       "no-golden",
                                       "strict",        "out",        "only-failed",
                                       "stop-at-first", "max-cycles", "max-seconds",
                                       "timeout",       "still",      "wave-layer",
                                       "results",       "coverage",   "coverage-kind",
                                       "histogram",     "taps",       "debug",
                                       "html",          "outputs",    "labels",
                                       "top",           "npy",        "dimg",
                                       "stats",         "fresh",      "functional-coverage",
                                       "result-fd",     "ledger",     "progress",
                                       "copies",        "no-report",  "serve",
                                       "layer",         "name",       "simulators",
                                       "socket",        "connected",  "dut",
                                       "once",          "threads",    "sim-threads",
                                       "judge",         "stop",       "last",
                                       "debugger",      NULL};

static const char doc[] =
    "Lets a live driver drive a device: its registers, its memory and its interrupt are those of a PCI function that "
    "an unmodified QEMU (from 10.1 on) or another simulator reaches over a socket, by vfio-user.\v"
    "BAR0 is the register window (256 KiB); interrupts come by INTx or MSI; the device works in the guest's own "
    "memory. A client that leaves makes room for the next one, and the device is reset. Its clock stands still while "
    "nothing is at work. -v prints each launch as it is armed and done.\n"
    "--record writes FILE.nvt.gz when the client leaves or resets the device, or a signal ends the server; the next "
    "one becomes FILE.2.nvt.gz. --timeline writes a timeline of each session in the same way.\n"
    "--judge runs each launch on the model too, on a copy-on-write image of the guest's memory, and compares what "
    "they wrote when the RTL ends the layer. --stop=hold stands still at a wrong one, with the guest waiting for it, "
    "until the client leaves or SIGUSR1 arrives.\n"
    "\n"
    "Of QEMU:\n"
    "  -object memory-backend-memfd,id=ram,size=1G,share=on -machine memory-backend=ram\n"
    "  -device \'{\"driver\":\"vfio-user-pci\",\"socket\":{\"type\":\"unix\",\"path\":\"PATH\"},"
    "\"x-msg-timeout\":3600000}\'\n"
    "\n"
    "Examples:\n"
    "  nvcosim serve --socket nvdla.sock --dut rtl\n"
    "  nvcosim serve --socket nvdla.sock --dut rtl:mine --once -v\n"
    "  nvcosim serve --socket nvdla.sock --dut model --config full\n"
    "  nvcosim serve --socket nvdla.sock --record session.nvt.gz\n"
    "  nvcosim serve --socket nvdla.sock --record session.nvt.gz --last 20\n"
    "  nvcosim serve --socket nvdla.sock --judge --stop\n"
    "  nvcosim serve --socket nvdla.sock --judge --debug --record session.nvt.gz\n"
    "\n"
    "Exit status: 0 ended by a signal, or by the client with --once; 1 the device had findings or wrong layers; 2 bad "
    "input or usage, "
    "or the device failed.";

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct run_options *options = state->input;
    switch (key) {
    case KEY_SOCKET:
        options->live.socket = argument_text(state, "socket", arg, "a path");
        words_add(&options->given, "--socket=%s", arg);
        return 0;
    case KEY_CONNECTED:
        options->live.connected = (int)argument_number(state, "connected", arg, 0, INT_MAX);
        words_add(&options->given, "--connected=%s", arg);
        return 0;
    case RUN_KEY_DUT:
        if (strcmp(arg, "both") == 0)
            argp_error(state, "--dut: found 'both', expected rtl, model or rtl:NAME; a live driver drives one device");
        return run_option_parse(key, arg, state);
    case KEY_RECORD:
        options->live.record = argument_text(state, "record", arg, "a trace to write, FILE.nvt or FILE.nvt.gz");
        if (!text_ends_with(arg, ".nvt") && !text_ends_with(arg, ".nvt.gz"))
            argp_error(state, "--record: found '%s', expected a name that ends in .nvt or .nvt.gz", arg);
        words_add(&options->given, "--record=%s", arg);
        return 0;
    case KEY_ONCE:
        options->live.once = true;
        words_add(&options->given, "--once");
        return 0;
    case KEY_JUDGE:
        options->live.judge = true;
        words_add(&options->given, "--judge");
        return 0;
    case KEY_STOP:
        if (arg && strcmp(arg, "hold") != 0)
            argp_error(state, "--stop: found '%s', expected hold or nothing", arg);
        options->live.stop = arg ? STOP_HOLD : STOP_END;
        words_add(&options->given, arg ? "--stop=hold" : "--stop");
        return 0;
    case KEY_LAST:
        options->live.last = argument_number(state, "last", arg, 1, LIVE_LAST_MOST);
        words_add(&options->given, "--last=%s", arg);
        return 0;
    case KEY_DEBUG:
        options->live.debugger = "/proc/self/exe";
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "found '%s', expected only options", arg);
        return 0;
    case ARGP_KEY_END:
        if (!run_is_live(options))
            argp_error(state, "--socket is missing; expected the path of the socket to listen on");
        if (options->timeline && options->dut == DUT_MODEL)
            argp_error(state, "--timeline: the model has no clock; use --dut rtl");
        if (options->live.judge && options->dut == DUT_MODEL)
            argp_error(state, "--judge compares an RTL with the model; use --dut rtl");
        if (options->live.stop && !options->live.judge)
            argp_error(state, "--stop: expected --judge with it");
        if (options->tap_units && options->dut == DUT_MODEL)
            argp_error(state, "--tap: the streams of the RTL are recorded; use --dut rtl");
        if (options->live.last && !options->live.record)
            argp_error(state, "--last: expected --record with it");
        if (options->live.debugger && !(options->live.judge && options->live.record))
            argp_error(state, "--debug: expected --judge and --record with it");
        __attribute__((fallthrough));
    default:
        return run_option_parse(key, arg, state);
    }
}

/* Replaces this process by the simulator. Returns only on failure, with a message. */
static bool become_simulator(const struct run_options *options, struct error *err) {
    const char *config = options->config->name;
    const enum simulator_variant variant = run_variant(options, config);
    char path[SIMULATOR_PATH], program[PATH_MAX];
    struct words words = {0};
    if (!ensure_simulator(config, options->rtl_name, variant, err) ||
        !simulator_path(config, options->rtl_name, variant, path, sizeof path, err))
        return false;
    words_put(&words, path);
    for (size_t i = 0; i < options->given.count; i++)
        words_put(&words, options->given.items[i]);
    if (options->live.debugger && realpath(options->live.debugger, program))
        words_add(&words, "--debugger=%s", program);
    process_exec(words.items);
    error_set(err, "%s: %s", path, strerror(errno));
    words_free(&words);
    return false;
}

int serve_main(int argc, char **argv) {
    struct argp_option table[RUN_OPTIONS_MOST];
    run_option_table_with(table, own, left_out);
    const struct argp argp = {.options = table, .parser = parse, .doc = doc};
    struct run_options options;
    struct error err;
    int status = EXIT_BAD_INPUT;
    run_options_init(&options);
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) == 0) {
        if (!options.config)
            options.config = nvdla_config_find("small");
        if (options.dut == DUT_MODEL)
            status = live_one(&options, "model", NULL, NULL);
        else if (!become_simulator(&options, &err))
            fprintf(stderr, "nvcosim serve: %s\n", err.text);
    }
    run_options_free(&options);
    return status;
}
