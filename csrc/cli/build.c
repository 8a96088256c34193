/* nvcosim build: another RTL behind the same harness. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "run/simulators.h"

enum { KEY_FILELIST = 0x100, KEY_NAME, KEY_TOP, KEY_VERILATOR };

struct build_options {
    const struct nvdla_config *config;
    const char *filelist, *name, *top;
    struct words verilator;
};

static const struct argp_option option_table[] = {
    {.name = "filelist",
     .key = KEY_FILELIST,
     .arg = "FILE.f",
     .doc = "What to compile: sources, +incdir+DIR, -v FILE, +define+NAME, as Verilator's -f reads it; paths relative "
            "to the file"},
    {.name = "name", .key = KEY_NAME, .arg = "NAME", .doc = "Name for --dut rtl:NAME (a-z, 0-9 and _)"},
    {.name = "top", .key = KEY_TOP, .arg = "MODULE", .doc = "Top module (default NV_nvdla)"},
    {.name = "verilator-option",
     .key = KEY_VERILATOR,
     .arg = "OPTION",
     .doc =
         "Further option for Verilator, may be repeated: --verilator-option=-Wno-WIDTH --verilator-option=-DSYNTHESIS"},
    {0},
};

static const char doc[] =
    "Builds a simulator of another RTL with NVDLA's published ports, to be run with --dut rtl:NAME. The configuration "
    "is the one whose ports it has; any will do, also those that this project has no RTL for.\v"
    "The testbench, the memory model, the player and the reference model stay the same. Static inputs (power, test, "
    "clock gating) have defaults and can be set at run time with --pin NAME=VALUE; public small RTL needs --pin "
    "tmc2slcg_disable_clock_gating=1 to run more than one layer.\n"
    "\n"
    "Examples:\n"
    "  nvcosim build --filelist vmod.f --name mine --verilator-option=-DX=1\n"
    "  nvcosim build --config full --filelist vmod.f --name theirs\n"
    "  nvcosim run --dut rtl:mine t.cfg";

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct build_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = (void *)&options->config;
        return 0;
    case KEY_FILELIST:
        options->filelist = arg;
        return 0;
    case KEY_NAME:
        if (!rtl_name_valid(arg))
            argp_error(
                state,
                "--name: found '%s', expected a-z, 0-9 and _, less than %d characters, not the name of a variant", arg,
                RTL_NAME_MAX);
        options->name = arg;
        return 0;
    case KEY_TOP:
        if (arg[0] == '\0' ||
            strspn(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(arg))
            argp_error(state, "--top: found '%s', expected the name of a module", arg);
        options->top = arg;
        return 0;
    case KEY_VERILATOR:
        if (strpbrk(arg, "\n'"))
            argp_error(state, "--verilator-option: quotes and line ends are not supported");
        words_add(&options->verilator, "%s", arg);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "found '%s', expected options only", arg);
        return 0;
    case ARGP_KEY_END:
        if (!options->filelist || !options->name)
            argp_error(state, "--filelist FILE.f and --name NAME are needed");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* What make is told of the RTL; the simulator's build keeps it for the variants that are made later. */
static void make_variables(const struct build_options *options, const char *filelist, struct words *variables) {
    struct text joined = {0};
    text_add(&joined, "", 0);
    for (size_t i = 0; i < options->verilator.count; i++)
        text_printf(&joined, "%s%s", i ? " " : "", options->verilator.items[i]);
    words_add(variables, "FILELIST=%s", filelist);
    words_add(variables, "TOP=%s", options->top);
    words_add(variables, "VERILATOR_OPTIONS=%s", joined.text);
    free(joined.text);
}

static int build(const struct build_options *options) {
    struct error err;
    char directory[SIMULATOR_PATH];
    if (!source_tree(directory, sizeof directory, &err)) {
        fprintf(stderr, "nvcosim build: %s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    char *filelist = realpath(options->filelist, NULL);
    if (!filelist || access(filelist, R_OK) != 0) {
        fprintf(stderr, "nvcosim build: %s: %s\n", options->filelist, strerror(errno));
        free(filelist);
        return EXIT_BAD_INPUT;
    }
    struct words variables = {0};
    printf("building %s as rtl:%s for configuration %s ...\n", options->filelist, options->name, options->config->name);
    fflush(stdout);
    make_variables(options, filelist, &variables);
    const bool ok = make_simulator(options->config->name, options->name, VARIANT_PLAIN, &variables, &err);
    if (ok)
        printf("done; use it with: nvcosim run --config %s --dut rtl:%s TRACE\n", options->config->name, options->name);
    else
        fprintf(stderr, "nvcosim build: %s\n", err.text);
    words_free(&variables);
    free(filelist);
    return ok ? EXIT_OK : EXIT_BAD_INPUT;
}

int build_main(int argc, char **argv) {
    static const struct argp_child children[] = {{.argp = &config_small_argp}, {0}};
    static const struct argp argp = {.children = children, .options = option_table, .parser = parse, .doc = doc};
    struct build_options options = {.config = nvdla_config_find("small"), .top = "NV_nvdla"};
    const int status = argp_parse(&argp, argc, argv, 0, NULL, &options) == 0 ? build(&options) : EXIT_BAD_INPUT;
    words_free(&options.verilator);
    return status;
}
