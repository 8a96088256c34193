/* nvcosim build: another RTL behind the same harness. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "nvdla/text.h"
#include "run/nvidia.h"
#include "run/rtl_source.h"
#include "run/simulators.h"

enum { KEY_NVIDIA = 0x100, KEY_RAMS, KEY_NAME, KEY_TAPS };

struct build_options {
    const struct nvdla_config *config;
    struct rtl_source source;
    const char *name;
    const char *taps;          /* table of taps; NULL: none is given */
    const char *nvidia, *rams; /* a checkout of NVIDIA's repository instead of a file list; its RAM models */
};

static const struct argp_option option_table[] = {
    {.name = "nvidia",
     .key = KEY_NVIDIA,
     .arg = "CHECKOUT",
     .doc = "Instead of --filelist: NVIDIA's own RTL in a checkout of their repository, generated in "
            "CHECKOUT/outdir/nv_CONFIG/vmod (branch master) or checked in as CHECKOUT/vmod (branch nvdlav1, full)"},
    {.name = "nvidia-rams",
     .key = KEY_RAMS,
     .arg = "DIR",
     .doc = "RAM models for --nvidia: vmod/rams/fpga/model of branch master, or a checkout of it; needed for full"},
    {.name = "name",
     .key = KEY_NAME,
     .arg = "NAME",
     .doc = "Name for --dut rtl:NAME (a-z, 0-9 and _; default nvidia with --nvidia)"},
    {.name = "taps",
     .key = KEY_TAPS,
     .arg = "FILE.csv",
     .doc = "Where this RTL has the streams of run --tap: a table like rtl/taps.csv, with names below the top module "
            "(README, \"Element streams of another RTL\"). A copy of the RTL in rtl/ needs none"},
    {0},
};

static const char doc[] =
    "Builds a simulator of another RTL with NVDLA's published ports, to be run with --dut rtl:NAME. The configuration "
    "is the one whose ports it has; any will do, also those that this project has no RTL for.\v"
    "The testbench, the memory model, the player and the reference model stay the same.\n"
    "\n"
    "Examples:\n"
    "  nvcosim build --filelist vmod.f --name mine\n"
    "  nvcosim run --dut rtl:mine t.cfg\n"
    "  nvcosim build --config full --filelist vmod.f --name theirs\n"
    "  nvcosim build --config small --nvidia ../hw\n"
    "  nvcosim run --dut rtl:nvidia t.cfg";

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct build_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = (void *)&options->config;
        state->child_inputs[1] = &options->source;
        return 0;
    case KEY_NVIDIA:
        options->nvidia = arg;
        return 0;
    case KEY_RAMS:
        options->rams = arg;
        return 0;
    case KEY_NAME:
        if (!rtl_name_valid(arg))
            argp_error(
                state,
                "--name: found '%s', expected a-z, 0-9 and _, less than %d characters, not the name of a variant", arg,
                RTL_NAME_MAX);
        options->name = arg;
        return 0;
    case KEY_TAPS:
        options->taps = arg;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "found '%s', expected options only", arg);
        return 0;
    case ARGP_KEY_END:
        if (options->nvidia && options->source.filelist)
            argp_error(state, "--filelist and --nvidia exclude each other");
        if (options->rams && !options->nvidia)
            argp_error(state, "--nvidia-rams needs --nvidia");
        if (options->nvidia && !options->name)
            options->name = "nvidia";
        if ((!options->source.filelist && !options->nvidia) || !options->name)
            argp_error(state, "--filelist FILE.f and --name NAME, or --nvidia CHECKOUT, are needed");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* What make is told of the RTL; the build of the simulator keeps it for the variants that are made later. */
static void make_variables(const struct build_options *options, const char *filelist, const char *taps,
                           struct words *variables) {
    struct words pins = {0};
    for (size_t i = 0; options->nvidia && i < NVIDIA_PIN_COUNT; i++)
        words_add(&pins, "%s", nvidia_pins[i]);
    words_add(variables, "FILELIST=%s", filelist);
    words_add(variables, "TAPS=%s", taps);
    rtl_source_variables(&options->source, &pins, variables);
    words_free(&pins);
}

/* The absolute path of a file that can be read, malloc'd. */
static char *readable(const char *name, struct error *err) {
    char *path = realpath(name, NULL);
    if (path && access(path, R_OK) == 0)
        return path;
    error_set(err, "%s: %s", name, strerror(errno));
    free(path);
    return NULL;
}

/* The absolute path of the file list, malloc'd: the user's, or one written for NVIDIA's checkout into the build folder.
 */
static char *file_list(const struct build_options *options, struct error *err) {
    if (options->nvidia) {
        char relative[256], directory[SIMULATOR_PATH];
        snprintf(relative, sizeof relative, "nvidia/%s-%s", options->config->name, options->name);
        return simulator_side_path(relative, directory, sizeof directory, err)
                   ? nvidia_file_list(options->config, options->nvidia, options->rams, directory, err)
                   : NULL;
    }
    return readable(options->source.filelist, err);
}

static int build(const struct build_options *options) {
    struct error err;
    if (!simulators_can_be_built(&err)) {
        fprintf(stderr, "nvcosim build: %s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    char *filelist = file_list(options, &err), *taps = NULL;
    if (!filelist || (options->taps && !(taps = readable(options->taps, &err)))) {
        fprintf(stderr, "nvcosim build: %s\n", err.text);
        free(filelist);
        return EXIT_BAD_INPUT;
    }
    struct words variables = {0};
    printf("building %s as rtl:%s for configuration %s ...\n", filelist, options->name, options->config->name);
    fflush(stdout);
    make_variables(options, filelist, taps ? taps : "", &variables);
    const bool ok = make_simulator(options->config->name, options->name, VARIANT_PLAIN, &variables, &err);
    if (ok)
        printf("done; use it with: nvcosim run --config %s --dut rtl:%s TRACE\n", options->config->name, options->name);
    else
        fprintf(stderr, "nvcosim build: %s\n", err.text);
    words_free(&variables);
    free(filelist);
    free(taps);
    return ok ? EXIT_OK : EXIT_BAD_INPUT;
}

int build_main(int argc, char **argv) {
    static const struct argp_child children[] = {{.argp = &config_small_argp}, {.argp = &rtl_source_argp}, {0}};
    static const struct argp argp = {.children = children, .options = option_table, .parser = parse, .doc = doc};
    struct build_options options = {.config = nvdla_config_find("small")};
    const int status = argp_parse(&argp, argc, argv, 0, NULL, &options) == 0 ? build(&options) : EXIT_BAD_INPUT;
    rtl_source_free(&options.source);
    return status;
}
