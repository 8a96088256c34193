/* nvcosim: finds the subcommand and hands over. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "run/options.h"

static const char version[] = "nvcosim 0.1.0";

static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
} commands[] = {
    {"run", run_main},       {"info", info_main},         {"convert", convert_main},
    {"diff", diff_main},     {"build", build_main},       {"gen", gen_main},
    {"shrink", shrink_main}, {"coverage", coverage_main}, {"calibrate", calibrate_main},
};

static const struct argp_option option_table[] = {
    {.name = "version", .key = 'V', .doc = "Print the version"},
    {0},
};

static const char doc[] = "Replays register traces on NVDLA RTL (simulated with Verilator) and on a bit-exact C model, "
                          "and compares the memory they leave behind.\v"
                          "Commands:\n"
                          "  run TRACE...       play traces, compare, report\n"
                          "  info TRACE         what a trace holds: registers decoded, memory, layers, checks\n"
                          "  convert IN OUT     any trace format into the project's own (.nvt, .nvt.gz)\n"
                          "  diff A B           compare two memory images, raw or gzip\n"
                          "  build              put another RTL behind the harness\n"
                          "  gen                write random legal layers as traces\n"
                          "  shrink TRACE       make a failing trace smaller\n"
                          "  coverage TRACE...  which kinds of layers the traces hold, and which they never do\n"
                          "  calibrate TRACE    convertor settings that suit the values of each layer\n"
                          "\n"
                          "Examples:\n"
                          "  nvcosim run traces/rand_sdp_000.nvt.gz\n"
                          "  nvcosim run --dut model conformance/small/sdp_*/*.cfg\n"
                          "  nvcosim run --latency 200 --stall 300 --seed 7 --out reports t.cfg\n"
                          "  nvcosim run --wave bad.fst t.cfg && gtkwave bad.gtkw\n"
                          "  nvcosim info t.cfg | less\n"
                          "  nvcosim build --config small --filelist mine.f --name mine\n"
                          "  nvcosim run --dut rtl:mine t.cfg\n"
                          "\n"
                          "`nvcosim COMMAND --help` explains the options of a command.\n"
                          "Exit status: 0 all equal and every check passed; 1 mismatch or failed check; 2 bad input or "
                          "usage, refused; 3 hang or time-out. "
                          "Of several traces the worst counts, in the order 2, 3, 1, 0.";

struct dispatch {
    int at; /* index of the subcommand in argv, 0 none */
    bool version;
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct dispatch *dispatch = state->input;
    switch (key) {
    case 'V':
        dispatch->version = true;
        return 0;
    case ARGP_KEY_ARG:
        (void)arg;
        dispatch->at = state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        if (dispatch->at == 0 && !dispatch->version)
            argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv) {
    const struct argp argp = {
        .options = option_table, .parser = parse, .args_doc = "COMMAND [ARGUMENT...]", .doc = doc};
    struct dispatch dispatch = {0};
    argp_err_exit_status = EXIT_BAD_INPUT;
    if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &dispatch) != 0)
        return EXIT_BAD_INPUT;
    if (dispatch.version) {
        puts(version);
        return EXIT_OK;
    }
    char *command = argv[dispatch.at];
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(command, commands[i].name) == 0) {
            char name[32];
            snprintf(name, sizeof name, "nvcosim %s", command);
            argv[dispatch.at] = name;
            return commands[i].main(argc - dispatch.at, argv + dispatch.at);
        }
    }
    const size_t count = sizeof commands / sizeof commands[0];
    fprintf(stderr, "nvcosim: there is no command '%s'; expected ", command);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", commands[i].name);
    fprintf(stderr, " (see nvcosim --help)\n");
    return EXIT_BAD_INPUT;
}
