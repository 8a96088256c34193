/* nvcosim build: builds simulators of other RTLs, and sets how simulators are compiled. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/list/facts.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "run/simulators/python_output.h"
#include "run/simulators/simulators.h"

struct build_options {
    const struct nvdla_config *config;
    struct rtl_source {
        const char *filelist; /* NULL: not given */
        const char *top;      /* module; NULL: NV_nvdla */
        struct words verilator, pins;
    } source;
    const char *name;
    const char *taps;                              /* table of taps or NULL */
    const char *compiler, *optimize, *sim_threads; /* NULL: as before */
    bool profile, no_profile, update, known, json, print;
    enum simulator_variant variant; /* with update or known */
    struct words training;          /* traces for the profile; none: random layers */
    const char *vmod, *nvidia;      /* instead of a file list: a tree of RTL, by either option */
    const char *rams;               /* its RAM models */
    const char *adapter, *port_map; /* of a wrapper: its register bus, other names of its ports */
    bool adapted;                   /* an adapter is the top */
};

static const char doc[] =
    "Builds a simulator of another RTL with NVDLA's published ports, for use with --dut rtl:NAME. Without a file list, "
    "rebuilds a known simulator with other settings: the one of the RTL in rtl/, or with --name one built before. "
    "--config names the configuration whose ports the RTL has; every configuration works.\v"
    "The testbench, the memory model, the player and the reference model stay the same. `nvcosim info --build` lists "
    "the simulators and their settings.\n"
    "\n"
    "Examples:\n"
    "  nvcosim build --filelist vmod.f --name mine\n"
    "  nvcosim run --dut rtl:mine t.cfg\n"
    "  nvcosim build --config full --filelist vmod.f --name theirs\n"
    "  nvcosim build --config large --profile\n"
    "  nvcosim build --name mine --compiler g++ --optimize=-O2\n"
    "  nvcosim build --config small --vmod ../hw\n"
    "  nvcosim run --dut rtl:nvidia t.cfg";

/* Characters that the shell interprets. */
static const char SPECIAL[] = " \t\n'\"`$\\#;&|<>()*?[]{}~!";

/* True if no new RTL is given: this project's, or one built before. */
static bool is_known(const struct build_options *options) {
    return !options->source.filelist && !options->vmod && !options->nvidia;
}

/* A word that make and the shell do not change. */
static void take_word(void *member, const char *option, const char *arg, const char *expected,
                      struct argp_state *state) {
    if (!arg[0] || strpbrk(arg, SPECIAL))
        argp_error(state, "%s: found '%s', expected %s", option, arg, expected);
    *(const char **)member = arg;
}

static void compiler_option(void *compiler, const char *arg, struct argp_state *state) {
    take_word(compiler, "--compiler", arg, "the name of a compiler", state);
}

static void optimize_option(void *optimize, const char *arg, struct argp_state *state) {
    take_word(optimize, "--optimize", arg, "an option of the compiler", state);
}

static void name_option(void *name, const char *arg, struct argp_state *state) {
    if (!rtl_name_valid(arg))
        argp_error(state,
                   "--name: found '%s', expected a-z, 0-9 and _, less than %d characters, not the name of a variant",
                   arg, RTL_NAME_MAX);
    *(const char **)name = arg;
}

static void threads_option(void *threads, const char *arg, struct argp_state *state) {
    if (strspn(arg, "0123456789") != strlen(arg) || atoi(arg) < 1 || atoi(arg) > SIM_THREADS_MOST)
        argp_error(state, "--sim-threads: found '%s', expected 1 to %d", arg, SIM_THREADS_MOST);
    *(const char **)threads = arg;
}

static void top_option(void *top, const char *arg, struct argp_state *state) {
    if (arg[0] == '\0' || strspn(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(arg))
        argp_error(state, "--top: found '%s', expected the name of a module", arg);
    *(const char **)top = arg;
}

static void adapter_option(void *adapter, const char *arg, struct argp_state *state) {
    if (strcmp(arg, "apb") != 0 && strcmp(arg, "axi4lite") != 0)
        argp_error(state, "--adapter: found '%s', expected apb or axi4lite", arg);
    *(const char **)adapter = arg;
}

static void verilator_option(void *options, const char *arg, struct argp_state *state) {
    if (strpbrk(arg, "\n'"))
        argp_error(state, "--verilator-option: quotes and line ends are not supported");
    words_put(options, arg);
}

static void pin_option(void *pins, const char *arg, struct argp_state *state) {
    if (!strchr(arg, '=') || arg[0] == '=' || strpbrk(arg, " ,\n'\"$\\"))
        argp_error(state, "--pin: found '%s', expected NAME=VALUE", arg);
    words_put(pins, arg);
}

static void variant_option(void *variant, const char *arg, struct argp_state *state) {
    for (int i = VARIANT_PLAIN + 1; i < VARIANT_COUNT; i++)
        if (strcmp(arg, simulator_variant_names[i]) == 0)
            *(enum simulator_variant *)variant = (enum simulator_variant)i;
    if (*(enum simulator_variant *)variant == VARIANT_PLAIN && strcmp(arg, "plain") != 0 && arg[0])
        argp_error(state, "--variant: found '%s', expected plain, waves, taps, coverage, toggle or checks", arg);
}

#define OF(member) offsetof(struct build_options, member)

static const struct argument option_table[] = {
    CONFIG_SMALL(OF(config)),
    OPTION("filelist", "FILE.f",
           "Sources to compile, +incdir+DIR, -v FILE, +define+NAME, in the format of Verilator's -f; paths are "
           "relative to the file",
           TEXT_AT(OF(source.filelist), NULL)),
    OPTION("top", "MODULE", "Top module (default NV_nvdla)", TAKEN_AT(OF(source.top), top_option)),
    OPTION("wrapper", "MODULE", "The same as --top", TAKEN_AT(OF(source.top), top_option)),
    OPTION("adapter", "apb|axi4lite",
           "The top module is a wrapper with this register bus instead of CSB: an adapter connects it",
           TAKEN_AT(OF(adapter), adapter_option)),
    OPTION("port-map", "FILE",
           "Other names of the top module's ports: lines of NVDLA's name, or the bus's, and the top's. "
           "`nvdla_core2dbb_* m_axi_*` stands for all signals of an AXI port, with AXI's names",
           TEXT_AT(OF(port_map), NULL)),
    OPTION(
        "verilator-option", "OPTION",
        "Further option for Verilator; may be repeated: --verilator-option=-Wno-WIDTH --verilator-option=-DSYNTHESIS",
        TAKEN_AT(OF(source.verilator), verilator_option)),
    OPTION("pin", "NAME=VALUE",
           "Value of a static input of this RTL unless run --pin changes it, or of any other input of its top module; "
           "may be repeated. tmc2slcg_disable_clock_gating=1 keeps all clocks of NVIDIA's RTL running, which is slower",
           TAKEN_AT(OF(source.pins), pin_option)),
    OPTION("vmod", "DIR",
           "Instead of --filelist: a folder with NVDLA's RTL. NVIDIA's checkout (whose RTL of --config is generated in "
           "outdir/nv_CONFIG/vmod, or checked in as vmod on branch nvdlav1), a copy of a vmod, or a flat folder",
           TEXT_AT(OF(vmod), NULL)),
    OPTION("nvidia", "CHECKOUT", "The same as --vmod", TEXT_AT(OF(nvidia), NULL)),
    OPTION("nvidia-rams", "DIR",
           "RAM models for --vmod: vmod/rams/fpga/model of branch master, or its checkout; needed for full",
           TEXT_AT(OF(rams), NULL)),
    OPTION("print-filelist", NULL,
           "Print the list of files that --vmod would build with, for --filelist; build nothing", FLAG_AT(OF(print))),
    OPTION("name", "NAME", "Name for --dut rtl:NAME (a-z, 0-9 and _; default nvidia with --vmod)",
           TAKEN_AT(OF(name), name_option)),
    OPTION("taps", "FILE.csv",
           "Table of the signals that `run --tap` records in this RTL, in the format of rtl/taps.csv, with names "
           "relative to the top module (docs/taps.md). Not needed for a copy of the RTL in rtl/",
           TEXT_AT(OF(taps), NULL)),
    OPTION("compiler", "CXX",
           "C++ compiler of the simulator, clang++ or g++ of any version; stays set until changed. auto: the fastest "
           "one installed (clang++; with a profile g++)",
           TAKEN_AT(OF(compiler), compiler_option)),
    OPTION(
        "optimize", "OPTION",
        "Its optimisation, such as --optimize=-O2; stays set until changed. auto: the best measured for that compiler",
        TAKEN_AT(OF(optimize), optimize_option)),
    OPTION("profile", NULL,
           "Profile-guided build: compile with counters, play the TRACEs (default: random layers), and compile again "
           "with the profile. Simulates 1.2 to 1.4 times as fast, builds two to three times as long. The profile is "
           "used until the RTL, the compiler or the TRACEs change. NVIDIA's small and small_256 have one from their "
           "first build with --vmod",
           FLAG_AT(OF(profile))),
    OPTION("no-profile", NULL, "Make no profile, and forget the one there is", FLAG_AT(OF(no_profile))),
    OPTION("sim-threads", "N",
           "Threads that evaluate the design (default 1); stays set until changed. More than one pays off only for "
           "large designs on an otherwise idle machine",
           TAKEN_AT(OF(sim_threads), threads_option)),
    {.doc = "For another program (docs/results.md)", .group = 1},
    OPTION("update", NULL,
           "Build the simulator if it is missing or its sources have changed, and print where it is, or why it cannot "
           "be built",
           FLAG_AT(OF(update))),
    OPTION("known", NULL, "Build nothing; print whether there is such a simulator, or it can be built",
           FLAG_AT(OF(known))),
    OPTION("variant", "VARIANT", "With these: plain (default), waves, taps, coverage, toggle or checks",
           TAKEN_AT(OF(variant), variant_option)),
    OPTION("json", NULL, "Print JSON; needed with these", FLAG_AT(OF(json))),
    {0},
};

/* Checks the options for another program. */
static void check_questions(const struct build_options *options, struct argp_state *state) {
    const bool asked = options->update || options->known;
    if (options->update && options->known)
        argp_error(state, "--update and --known exclude each other");
    if (asked != options->json)
        argp_error(state, asked ? "--update and --known need --json" : "--json needs --update or --known");
    if (options->variant != VARIANT_PLAIN && !asked)
        argp_error(state, "--variant needs --update or --known");
    if (asked && (!is_known(options) || options->training.count > 0 || options->compiler || options->optimize ||
                  options->sim_threads || options->no_profile || (options->profile && options->known)))
        argp_error(state,
                   "--update and --known take only --config, --name, --variant and --json; --update also --profile");
}

/* Checks where the RTL comes from. */
static void check_source(struct build_options *options, struct argp_state *state) {
    const bool tree = options->vmod || options->nvidia;
    if (tree + (options->vmod && options->nvidia) + (options->source.filelist != NULL) > 1)
        argp_error(state, "--filelist, --vmod and --nvidia exclude each other");
    if (options->rams && !tree)
        argp_error(state, "--nvidia-rams needs --vmod");
    if (options->print && !tree)
        argp_error(state, "--print-filelist needs --vmod");
    if (tree && !options->name)
        options->name = "nvidia";
    if (options->source.filelist && !options->name)
        argp_error(state, "--filelist FILE.f and --name NAME, or --nvidia CHECKOUT, are needed");
}

static void check(void *input, struct argp_state *state) {
    struct build_options *options = input;
    check_questions(options, state);
    if (options->training.count > 0 && !options->profile)
        argp_error(state, "found '%s', expected options only, or --profile", options->training.items[0]);
    if (options->profile && options->no_profile)
        argp_error(state, "--profile and --no-profile exclude each other");
    check_source(options, state);
    if (is_known(options) && (options->taps || options->source.top || options->source.verilator.count ||
                              options->source.pins.count || options->adapter || options->port_map))
        argp_error(state, "--taps, --top, --verilator-option and --pin need --filelist or --nvidia (--vmod); so do "
                          "--adapter and --port-map");
}

/* Variables of make for the RTL; the build stores them for variants built later. */
static void make_variables(const struct build_options *options, const char *filelist, const char *taps,
                           struct words *variables) {
    const struct rtl_source *source = &options->source;
    struct text verilator = {0}, pins = {0};
    for (size_t i = 0; i < source->verilator.count; i++)
        text_printf(&verilator, "%s%s", i ? " " : "", source->verilator.items[i]);
    for (size_t i = 0; i < source->pins.count && !options->adapted; i++) /* an adapter has them */
        text_printf(&pins, "%s%s", pins.n ? " " : "", source->pins.items[i]);
    words_add(variables, "FILELIST=%s", filelist);
    words_add(variables, "TAPS=%s", taps);
    words_add(variables, "TOP=%s", options->adapted ? "nvcosim_adapter" : source->top ? source->top : "NV_nvdla");
    words_add(variables, "VERILATOR_OPTIONS=%s", verilator.text ? verilator.text : "");
    words_add(variables, "PINS=%s", pins.text ? pins.text : "");
    free(verilator.text);
    free(pins.text);
}

/* The absolute path of a readable file, malloc'd. */
static char *readable(const char *name, struct error *err) {
    char *path = realpath(name, NULL);
    if (path && access(path, R_OK) == 0)
        return path;
    error_set(err, "%s: %s", name, strerror(errno));
    free(path);
    return NULL;
}

/* Variables of make for how to compile. False with a message. */
static bool compile_variables(const struct build_options *options, struct words *variables, struct error *err) {
    autotext struct text traces = {0};
    bool fine = true;
    if (options->compiler)
        words_add(variables, "CXX=%s", options->compiler);
    if (options->optimize)
        words_add(variables, "OPT=%s", options->optimize);
    if (options->sim_threads)
        words_add(variables, "SIM_THREADS=%s", options->sim_threads);
    if (options->profile || options->no_profile)
        words_add(variables, "PROFILE=%d", options->profile);
    else if (options->vmod || options->nvidia)
        words_add(variables, "PROFILE=auto");
    for (size_t i = 0; fine && i < options->training.count; i++) {
        autofree char *path = readable(options->training.items[i], err);
        fine = path && (!strpbrk(path, SPECIAL) ||
                        error_set(err, "%s: the path of a trace for a profile must have no spaces or quotes", path));
        if (fine)
            text_printf(&traces, "%s%s", i ? " " : "", path);
    }
    if (fine && traces.text)
        words_add(variables, "TRAINING=%s", traces.text);
    return fine;
}

/* Builds a known RTL with other settings. */
static int rebuild(const struct build_options *options) {
    struct error err;
    autowords struct words variables = {0};
    const char *name = options->name ? options->name : "";
    bool ok = simulators_can_be_built(&err) && compile_variables(options, &variables, &err);
    if (ok) {
        printf("building the simulator of %s%s for configuration %s ...\n", name[0] ? "rtl:" : "the RTL in rtl/", name,
               options->config->name);
        fflush(stdout);
        ok = remake_simulator(options->config->name, name, VARIANT_PLAIN, &variables, &err);
    }
    if (ok)
        printf("done; nvcosim info --build shows how it was built\n");
    else
        fprintf(stderr, "nvcosim build: %s\n", err.text);
    return ok ? EXIT_OK : EXIT_BAD_INPUT;
}

/* Runs nvcosim.rtl.MODULE and prints what it says. False with a message. */
static bool run_module(const char *module, const struct words *arguments, struct error *err) {
    size_t n;
    char *said = python_output(module, arguments, &n, err);
    if (said)
        fputs(said, stdout);
    free(said);
    return said != NULL;
}

/* Looks at the RTL before Verilator reads it. Writes the list of a tree, and adapter.f if the top needs an adapter
 * (else there is none), into `directory`; checks that there is memory for the build. list: absolute path of the user's
 * list, NULL: a tree is given. Prints what the user should know of the RTL. False with a message that says what is
 * missing. */
static bool prepare_rtl(const struct build_options *options, const char *list, const char *directory,
                        struct error *err) {
    const char *const given[] = {options->vmod     ? "--vmod"
                                 : options->nvidia ? "--nvidia"
                                                   : "--filelist",
                                 options->config->name,
                                 options->vmod     ? options->vmod
                                 : options->nvidia ? options->nvidia
                                                   : list,
                                 directory,
                                 options->source.top ? options->source.top : "NV_nvdla",
                                 options->rams ? options->rams : "",
                                 options->print ? "print" : "",
                                 options->adapter ? options->adapter : "",
                                 options->port_map ? options->port_map : ""};
    autowords struct words arguments = {0};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        words_put(&arguments, given[i]);
    for (size_t i = 0; i < options->source.pins.count; i++)
        words_put(&arguments, options->source.pins.items[i]);
    return run_module("rtl.prepare", &arguments, err);
}

/* The absolute path of the file list, malloc'd: the user's, or one written for a tree into the build folder. */
static char *file_list(struct build_options *options, struct error *err) {
    char relative[256], directory[SIMULATOR_PATH];
    char *list = options->source.filelist ? readable(options->source.filelist, err) : NULL;
    snprintf(relative, sizeof relative, "nvidia/%s-%s%s", options->config->name, options->name,
             options->print ? "-printed" : ""); /* not the one of a simulator */
    if ((options->source.filelist && !list) || !simulator_side_path(relative, directory, sizeof directory, err))
        return list;
    const bool well = prepare_rtl(options, list, directory, err);
    autofree char *adapter = xprintf("%s/adapter.f", directory);
    options->adapted = well && !options->print && access(adapter, R_OK) == 0;
    if (!well || !list || options->adapted) {
        free(list);
        list = !well ? NULL : options->adapted ? xstrdup(adapter) : xprintf("%s/vmod.f", directory);
    }
    return list;
}

/* Compares CFGROM of the new simulator with the configuration, and prints a warning if it has other values. False with
 * a message. */
static bool say_cfgrom(const struct build_options *options, struct error *err) {
    if (options->config->map == NVDLA_MAP_FULL) /* has none */
        return true;
    autowords struct words arguments = {0};
    words_put(&arguments, options->config->name);
    words_put(&arguments, options->name);
    return run_module("rtl.cfgrom", &arguments, err);
}

static int build(struct build_options *options) {
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
    if (options->print) {
        free(filelist);
        return EXIT_OK;
    }
    autowords struct words variables = {0};
    printf("building %s as rtl:%s for configuration %s ...\n", filelist, options->name, options->config->name);
    fflush(stdout);
    make_variables(options, filelist, taps ? taps : "", &variables);
    const bool ok = compile_variables(options, &variables, &err) &&
                    make_simulator(options->config->name, options->name, VARIANT_PLAIN, &variables, &err) &&
                    say_cfgrom(options, &err);
    if (ok)
        printf("done; use it with: nvcosim run --config %s --dut rtl:%s TRACE\n", options->config->name, options->name);
    else
        fprintf(stderr, "nvcosim build: %s\n", err.text);
    free(filelist);
    free(taps);
    return ok ? EXIT_OK : EXIT_BAD_INPUT;
}

static int answer(const struct build_options *options) {
    const struct facts_simulator simulator = {
        .config = options->config->name, .rtl_name = options->name ? options->name : "", .variant = options->variant};
    if (options->known)
        facts_of_simulator(stdout, &simulator);
    else
        facts_update_simulator(stdout, &simulator, options->profile);
    return EXIT_OK;
}

int build_main(int argc, char **argv) {
    static const struct command command = {.options = option_table,
                                           .usage = "[TRACE...]",
                                           .doc = doc,
                                           .operands = OPERANDS_AT(OF(training)),
                                           .check = check};
    struct build_options options = {.config = nvdla_config_find("small")};
    int status = EXIT_BAD_INPUT;
    if (command_read(&command, argc, argv, &options))
        status = options.json ? answer(&options) : is_known(&options) ? rebuild(&options) : build(&options);
    words_free(&options.training);
    words_free(&options.source.verilator);
    words_free(&options.source.pins);
    return status;
}
