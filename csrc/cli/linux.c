/* nvcosim linux: a Linux guest, with a driver of NVDLA, on the device. */
#include <stddef.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/live_options.h"
#include "run/guest/guest.h"
#include "run/options/arguments.h"
#include "run/options/options.h"

enum { KEY_CONFIG = 0x1000, KEY_DUT, KEY_INPUT, KEY_SELFTEST, KEY_GUEST };

static const struct argp_option options[] = {
    OPTION("config", KEY_CONFIG, "NAME", "NVDLA configuration (default small); an unknown NAME lists them"),
    OPTION("dut", KEY_DUT, "DUT", "Device: rtl (default), model or rtl:NAME, as for nvcosim serve"),
    OPTION("input", KEY_INPUT, "PICTURE", "The network's input, a .pgm or .jpg that NVIDIA's runtime reads"),
    LIVE_OPTIONS,
    OPTION("selftest", KEY_SELFTEST, NULL,
           "Play the programs of the self-test, which are of small, by MSI and by INTx"),
    OPTION("guest", KEY_GUEST, "FOLDER", "What `make guest` wrote (default: guest/ in the build folder)"),
    OPTION("verbose", 'v', NULL, "Print each launch as it is armed and done"),
    {0},
};

static const char doc[] =
    "Starts an unmodified Linux for arm64 in QEMU (10.1 or later) whose NVDLA is the RTL or the model, and runs a "
    "compiled network there by NVIDIA's driver and runtime.\v"
    "Without NET: a shell in the guest. `make guest` makes the guest, with --selftest's programs; `make guest "
    "SW=CHECKOUT` adds NVIDIA's driver and runtime (docs/live.md).\n"
    "\n"
    "Examples:\n"
    "  nvcosim linux --selftest\n"
    "  nvcosim linux --dut model --selftest --record session.nvt.gz\n"
    "  nvcosim linux --config small net.nvdla --input picture.pgm\n"
    "\n"
    "Exit status: 0 all well; 1 a program of the self-test failed, or the device had findings; 2 bad input or usage, "
    "or "
    "the guest could not do its work.";

#define OF(member) offsetof(struct guest_options, member)

static const struct argument settings[] = {
    {.key = KEY_DUT, TEXT_AT(OF(dut), "rtl, model or rtl:NAME")},
    {.key = KEY_INPUT, TEXT_AT(OF(picture), "a picture")},
    {.key = KEY_SELFTEST, FLAG_AT(OF(selftest))},
    {.key = KEY_GUEST, TEXT_AT(OF(folder), "a folder")},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct guest_options *guest = state->input;
    if (argument_take(settings, sizeof settings / sizeof *settings, options, guest, key, arg, state))
        return 0;
    switch (key) {
    case KEY_RECORD:
    case KEY_LAST:
    case KEY_JUDGE:
    case KEY_STOP:
    case KEY_DEBUG:
    case 'v': /* for serve, which checks them */
        words_add(&guest->server, "--%s%s%s", argument_name(options, key), arg ? "=" : "", arg ? arg : "");
        return 0;
    case KEY_CONFIG:
        guest->config = nvdla_config_find(arg);
        if (!guest->config)
            argp_error(state, "--config: found '%s', expected a configuration such as small or full", arg);
        return 0;
    case ARGP_KEY_ARG:
        if (guest->network)
            argp_error(state, "found a second network '%s', expected one", arg);
        guest->network = arg;
        return 0;
    case ARGP_KEY_END:
        if (guest->network && guest->selftest)
            argp_error(state, "--selftest has programs of its own; expected no network with it");
        if (guest->selftest && strcmp(guest->config->name, "small") != 0)
            argp_error(state, "--selftest: found --config %s, expected small, of which its programs are",
                       guest->config->name);
        if (guest->network && !guest->picture)
            argp_error(state, "--input is missing; expected the picture that %s reads", guest->network);
        if (guest->picture && !guest->network)
            argp_error(state, "--input: expected a network with it");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int linux_main(int argc, char **argv) {
    const struct argp argp = {.options = options, .parser = parse, .args_doc = "[NET.nvdla]", .doc = doc};
    struct guest_options guest = {.config = nvdla_config_find("small")};
    const int status = argp_parse(&argp, argc, argv, 0, NULL, &guest) == 0 ? guest_run(&guest) : EXIT_BAD_INPUT;
    words_free(&guest.server);
    return status;
}
