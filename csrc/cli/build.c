/* nvcosim build: another RTL behind the same harness. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "memory/file.h"
#include "run/simulators.h"

enum { KEY_CONFIG = 0x100, KEY_FILELIST, KEY_NAME, KEY_TOP, KEY_VERILATOR };

struct build_options {
    const struct nvdla_config *config;
    const char *filelist, *name, *top;
    struct words verilator;
};

static const struct argp_option option_table[] = {
    {.name = "config",
     .key = KEY_CONFIG,
     .arg = "NAME",
     .doc = "Configuration whose ports the RTL has (default small)"},
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
    "Builds a simulator of another RTL with NVDLA's published ports, to be run with --dut rtl:NAME.\v"
    "The testbench, the memory model, the player and the reference model stay the same. Static inputs (power, test, "
    "clock gating) have "
    "defaults and can be set at run time with --pin NAME=VALUE; public small RTL needs --pin "
    "tmc2slcg_disable_clock_gating=1 to run "
    "more than one layer.\n"
    "\n"
    "Example:\n"
    "  nvcosim build --config small --filelist vmod.f --name mine --verilator-option=-Wno-fatal\n"
    "  nvcosim run --dut rtl:mine t.cfg";

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct build_options *options = state->input;
    switch (key) {
    case KEY_CONFIG:
        options->config = config_option(arg, state);
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
        if (!words_add(&options->verilator, "%s", arg))
            argp_failure(state, EXIT_BAD_INPUT, 0, "out of memory");
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

static bool make_variables(const struct build_options *options, const char *filelist, struct words *variables) {
    bool ok = words_add(variables, "FILELIST=%s", filelist) && words_add(variables, "TOP=%s", options->top);
    size_t size = 1;
    for (size_t i = 0; i < options->verilator.count; i++)
        size += strlen(options->verilator.items[i]) + 1;
    char *joined = calloc(1, size);
    if (!ok || !joined) {
        free(joined);
        return false;
    }
    for (size_t i = 0; i < options->verilator.count; i++) {
        strcat(joined, i ? " " : "");
        strcat(joined, options->verilator.items[i]);
    }
    ok = words_add(variables, "VERILATOR_OPTIONS=%s", joined);
    free(joined);
    return ok;
}

/* Keeps the variables for the variants that are built later (waves, coverage). */
static bool keep_variables(const struct build_options *options, const struct words *variables, struct error *err) {
    char path[SIMULATOR_PATH], *text = NULL;
    size_t size;
    if (!variables_path(options->config->name, options->name, path, sizeof path, err))
        return false;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return error_set(err, "out of memory");
    for (size_t i = 0; i < variables->count; i++)
        fprintf(out, "%s\n", variables->items[i]);
    fclose(out);
    bool ok = file_write(path, text, size, err);
    free(text);
    return ok;
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
    bool ok = make_variables(options, filelist, &variables) ? true : error_set(&err, "out of memory");
    ok = ok && make_simulator(options->config->name, options->name, VARIANT_PLAIN, &variables, &err) &&
         keep_variables(options, &variables, &err);
    if (ok)
        printf("done; use it with: nvcosim run --config %s --dut rtl:%s TRACE\n", options->config->name, options->name);
    else
        fprintf(stderr, "nvcosim build: %s\n", err.text);
    words_free(&variables);
    free(filelist);
    return ok ? EXIT_OK : EXIT_BAD_INPUT;
}

int build_main(int argc, char **argv) {
    static const struct argp argp = {.options = option_table, .parser = parse, .doc = doc};
    struct build_options options = {.config = nvdla_config_find("small"), .top = "NV_nvdla"};
    int status = EXIT_BAD_INPUT;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) == 0) {
        char names[256];
        if (options.config->rtl)
            status = build(&options);
        else
            fprintf(stderr, "nvcosim build: configuration %s has no RTL; expected one of %s\n", options.config->name,
                    config_names(true, names, sizeof names));
    }
    words_free(&options.verilator);
    return status;
}
