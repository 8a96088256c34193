/* The program nvcosim: finds the command in its arguments and calls it. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/options/options.h"
#include "run/options/output.h"
#include "run/simulators/version.h"

enum { INTERNAL = 6 /* the last ones: for commands in Python, not listed */ };

static const struct {
    const char *name;
    int (*main)(int argc, char **argv); /* NULL: python/nvcosim/commands/NAME.py */
} commands[] = {
    {"run", run_main},
    {"regress", NULL},
    {"history", NULL},
    {"qualify", NULL},
    {"info", info_main},
    {"convert", convert_main},
    {"diff", NULL},
    {"build", NULL},
    {"gen", gen_main},
    {"shrink", shrink_main},
    {"coverage", NULL},
    {"calibrate", NULL},
    {"debug", debug_main},
    {"bisect", NULL},
    {"lint", lint_main},
    {"registers", NULL},
    {"import", import_main},
    {"export", export_main},
    {"compile", compile_main},
    {"split", split_main},
    {"doctor", doctor_main},
    {"serve", serve_main},
    {"linux", NULL},
    {"estimate", estimate_main},
    {"accuracy", NULL},
    {"sweep", NULL},
    {"play-list", play_list_main},
    {"programming", programming_main},
    {"streams", streams_main},
    {"simulators", simulators_main},
    {"doctor-network", doctor_network_main},
    {"coverage-bins", coverage_bins_main},
    {"calibration", calibration_main},
};

static const struct argp_option option_table[] = {
    {.name = "version", .key = 'V', .doc = "Print the version"},
    {0},
};

#define COMMANDS                                                                                                       \
    "Commands:\n"                                                                                                      \
    "  run TRACE...       play traces, compare, report\n"                                                              \
    "  qualify TRACE...   plant RTL faults, report which of them the traces catch\n"                                   \
    "  regress PLAN       run the tests of a plan, keep results, resume a night\n"                                     \
    "  history [TEST]     results of past nights of regressions, or of one test\n"                                     \
    "  debug TRACE        find the engine that causes a failure, record waves\n"                                       \
    "  bisect TRACE       find the commit of an RTL that made a trace fail\n"                                          \
    "  lint TRACE...      check traces against the rules of legal programming\n"                                       \
    "  registers NAME     look up registers, decode values, write their map for tools\n"                               \
    "  estimate NET       estimate the clocks of each layer without simulating it\n"                                   \
    "  sweep NET...       estimate networks on configurations and memories, one table\n"                               \
    "  accuracy NET       top-1, top-5 and confusions over labelled pictures\n"                                        \
    "  info TRACE         print registers, memory, layers and checks of a trace\n"                                     \
    "  import CAPTURE     turn a recording of driver accesses into a trace\n"                                          \
    "  export TRACE       write a trace as a C program, or for another testbench\n"                                    \
    "  convert IN OUT     convert any trace format into the project's own\n"                                           \
    "  compile NET        turn a compiled network (.nvdla) into a trace\n"                                             \
    "  split TRACE        cut a trace into pieces that run in parallel\n"                                              \
    "  serve              let a live driver drive a device: QEMU, another simulator\n"                                 \
    "  linux [NET]        run a network in Linux, in QEMU, by NVIDIA's driver\n"                                       \
    "  diff A B           compare two memory images, streams, traces or captures\n"                                    \
    "  doctor LOG         find what stopped a driver from its log\n"                                                   \
    "  build              build a simulator of another RTL\n"                                                          \
    "  gen                write random legal layers as traces\n"                                                       \
    "  shrink TRACE       make a failing trace smaller\n"                                                              \
    "  coverage TRACE...  count the kinds of layers in traces, list missing ones\n"                                    \
    "  calibrate TRACE    recommend convertor settings for the values of each layer\n"                                 \
    "  play-list          play tests that another program sends, one a line, for a runner\n"                           \
    "  help [COMMAND]     print this text, or the manual of a command\n"

static const char doc[] =
    "Replays register traces on NVDLA RTL (simulated with Verilator) and on a bit-exact C model, "
    "and compares the final memory. TRACE is a .nvt, .cfg or input.txn, or a network .nvdla.\v" COMMANDS "\n"
    "Examples:\n"
    "  nvcosim run traces/conformance/small/rand_sdp_000.nvt.gz\n"
    "  nvcosim run --config full --dut model traces/conformance/full/*.nvt.gz\n"
    "  nvcosim run --latency 200 --stall 300 --seed 7 --out reports t.cfg\n"
    "  nvcosim run --wave bad.fst t.cfg && gtkwave bad.gtkw\n"
    "  nvcosim debug t.cfg\n"
    "  nvcosim info t.cfg | less\n"
    "  nvcosim build --config small --filelist mine.f --name mine\n"
    "  nvcosim run --dut rtl:mine t.cfg\n"
    "\n"
    "`nvcosim COMMAND --help` explains the options of a command, docs/README.md the terms.\n"
    "Exit status: 0 all equal and every check passed; 1 mismatch or failed check; 2 bad input or "
    "usage, refused, or output cannot be written; 3 hang or time-out; 4 the simulator crashed. "
    "With several traces the worst counts, in the order 2, 4, 3, 1, 0.";

struct dispatch {
    int at; /* index of the command in argv, 0 none */
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct dispatch *dispatch = state->input;
    switch (key) {
    case 'V':
        printf("nvcosim %s\n", nvcosim_version());
        exit(EXIT_OK);
    case ARGP_KEY_ARG:
        (void)arg;
        dispatch->at = state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        if (dispatch->at == 0) {
            fputs("Usage: nvcosim COMMAND [ARGUMENT...]\n\n" COMMANDS, stderr);
            exit(EXIT_BAD_INPUT);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Runs the command whose name is argv[0]. */
static int run_command(int argc, char **argv) {
    const size_t count = sizeof commands / sizeof commands[0], listed = count - INTERNAL;
    struct guess guess = {.word = argv[0], .n = strlen(argv[0])};
    char hint[96];
    for (size_t i = 0; i < count; i++) {
        if (i < listed)
            guess_try(&guess, commands[i].name);
        if (strcmp(argv[0], commands[i].name) == 0) {
            if (!commands[i].main)
                return python_command(commands[i].name, argv);
            static char name[32]; /* argp and what runs at exit keep it */
            snprintf(name, sizeof name, "nvcosim %s", argv[0]);
            argv[0] = name;
            return commands[i].main(argc, argv);
        }
    }
    autofree char *shown = text_shown(argv[0]);
    fprintf(stderr, "nvcosim: there is no command '%s'; expected ", shown);
    for (size_t i = 0; i < listed; i++)
        fprintf(stderr, "%s, ", commands[i].name);
    fprintf(stderr, "or help%s (see nvcosim --help)\n", guess_hint(&guess, hint));
    return EXIT_BAD_INPUT;
}

int main(int argc, char **argv) {
    const struct argp argp = {
        .options = option_table, .parser = parse, .args_doc = "COMMAND [ARGUMENT...]", .doc = doc};
    struct dispatch dispatch = {0};
    char help[] = "--help";
    output_check_at_exit();
    argp_err_exit_status = EXIT_BAD_INPUT;
    if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &dispatch) != 0)
        return EXIT_BAD_INPUT;
    const int left = argc - dispatch.at;
    char **command = argv + dispatch.at;
    if (strcmp(command[0], "help") != 0)
        return run_command(left, command);
    if (left > 2) {
        fprintf(stderr, "nvcosim help: found '%s', expected one command\n", command[2]);
        return EXIT_BAD_INPUT;
    }
    if (left == 2)
        return run_command(2, (char *[]){command[1], help, NULL});
    return argp_parse(&argp, 2, (char *[]){argv[0], help, NULL}, 0, NULL, &dispatch);
}
