/* nvcosim serve: a device for a live driver, over a socket. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "nvdla/text.h"
#include "run/options/foreign.h"
#include "run/options/options.h"
#include "run/process/process.h"
#include "run/session/live.h"

static const char doc[] =
    "Lets a live driver drive a device: its registers, its memory and its interrupt are those of a PCI function that "
    "an unmodified QEMU (from 10.1 on) or another simulator reaches over a socket, by vfio-user.\v"
    "BAR0 is the register window (256 KiB); interrupts use INTx or MSI; the device works in the guest's own "
    "memory. A client that leaves makes room for the next one, and the device is reset. Its clock stops while "
    "nothing is at work. -v prints each launch as it is armed and done.\n"
    "--record writes FILE.nvt.gz when the client leaves or resets the device, or a signal ends the server; the next "
    "one becomes FILE.2.nvt.gz. --timeline writes a timeline of each session in the same way.\n"
    "--judge runs each launch on the model too, on a copy-on-write image of the guest's memory, and compares what "
    "they wrote when the RTL ends the layer. --stop=hold stops at a wrong one, with the guest waiting for it, "
    "until the client leaves or SIGUSR1 arrives. A launch that waits while "
    "nothing moves and the driver is silent for 5 s is reported. --stop ends the session there, with status 3, and "
    "with "
    "--judge at the first wrong layer, with status 1.\n"
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
    "input or usage, or the device failed; 3 a session ended with a layer that never ends.";

static void device_option(void *options, const char *arg, struct argp_state *state) {
    if (strcmp(arg, "both") == 0)
        argp_error(state, "--dut: found 'both', expected rtl, model or rtl:NAME; a live driver drives one device");
    dut_argument(options, arg, state);
}

static void debug_option(void *debugger, const char *arg, struct argp_state *state) {
    (void)arg, (void)state;
    *(const char **)debugger = "/proc/self/exe";
}

static const struct argument own[] = {
    OPTION("dut", "DUT",
           "Device: the RTL (rtl, default), the C model (model), or an RTL built with `nvcosim build` (rtl:NAME)",
           TAKEN_AT(0, device_option)),
    OPTION("debug", NULL, "With --judge and --record: run nvcosim debug on a recording with a wrong layer",
           TAKEN_AT(offsetof(struct run_options, live.debugger), debug_option), .own = true),
    {0},
};

static void check(void *input, struct argp_state *state) {
    const struct run_options *options = input;
    if (!run_is_live(options))
        argp_error(state, "--socket is missing; expected the path of the socket to listen on");
    if (options->timeline && options->dut == DUT_MODEL)
        argp_error(state, "--timeline: the model has no clock; use --dut rtl");
    if (options->live.judge && options->dut == DUT_MODEL)
        argp_error(state, "--judge compares an RTL with the model; use --dut rtl");
    if (options->live.stop == STOP_HOLD && !options->live.judge)
        argp_error(state, "--stop=hold: expected --judge with it");
    if (options->tap_units && options->dut == DUT_MODEL)
        argp_error(state, "--tap: the streams of the RTL are recorded; use --dut rtl");
    if (options->live.last && !options->live.record)
        argp_error(state, "--last: expected --record with it");
    if (options->live.debugger && !(options->live.judge && options->live.record))
        argp_error(state, "--debug: expected --judge and --record with it");
}

/* Replaces this process by the simulator. Returns only on failure, with a message. */
static bool become_simulator(const struct run_options *options, struct error *err) {
    const char *config = options->config->name;
    const enum simulator_variant variant = run_variant(options, config);
    char path[SIMULATOR_PATH], program[PATH_MAX];
    autowords struct words words = {0};
    if (!foreign_can_play(options, config, err) || !ensure_simulator(config, options->rtl_name, variant, err) ||
        !simulator_path(config, options->rtl_name, variant, path, sizeof path, err))
        return false;
    foreign_announce_served(options, config);
    words_put(&words, path);
    run_options_pass(options, &words);
    if (options->live.debugger && realpath(options->live.debugger, program))
        words_add(&words, "--debugger=%s", program);
    process_exec(words.items);
    error_set(err, "%s: %m", path);
    return false;
}

int serve_main(int argc, char **argv) {
    static const struct command command = {
        .options = own, .doc = doc, .operands = {.expected = "only options"}, .check = check};
    struct run_options options;
    struct error err;
    int status = EXIT_BAD_INPUT;
    run_options_init(&options);
    if (run_command_read(&command, BY_SERVE, &options, argc, argv, &options)) {
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
