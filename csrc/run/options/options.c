/* The options of a run: their table, their parser, and which of them can be combined. */
#include "run/options/options.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/options/arguments.h"
#include "run/options/wave_layer.h"

enum {
    KEY_CONFIG = 0x100,
    KEY_DUT = RUN_KEY_DUT,
    KEY_MAX_CYCLES,
    KEY_TIMEOUT,
    KEY_STILL,
    KEY_SEED,
    KEY_MEMORY,
    KEY_TRAFFIC,
    KEY_LATENCY,
    KEY_WRITE_LATENCY,
    KEY_LATENCY_KIND,
    KEY_LATENCY_MAX,
    KEY_PAGE_HIT,
    KEY_PAGE_MISS,
    KEY_STALL,
    KEY_STALL_AR,
    KEY_STALL_R,
    KEY_STALL_AW,
    KEY_STALL_W,
    KEY_STALL_B,
    KEY_BANDWIDTH,
    KEY_REORDER,
    KEY_BUS_FAULT,
    KEY_ALLOW_OUTSIDE,
    KEY_ALLOW_UNDEFINED,
    KEY_PIN,
    KEY_WAVE,
    KEY_TAP,
    KEY_WAVE_FROM,
    KEY_WAVE_TO,
    KEY_WAVE_LAYER,
    KEY_WAVE_SCOPE,
    KEY_WAVE_PLAIN,
    KEY_SAIF,
    KEY_OUTPUTS,
    KEY_LABELS,
    KEY_TOP,
    KEY_NPY,
    KEY_DIMG,
    KEY_COVERAGE,
    KEY_COVERAGE_KIND,
    KEY_CHECKS,
    KEY_STRICT,
    KEY_NO_GOLDEN,
    KEY_STATS,
    KEY_NAME,
    KEY_SIMULATORS,
    KEY_RESULTS,
    KEY_RESULT_FD,
    KEY_LEDGER,
    KEY_PROGRESS,
    KEY_MAX_SECONDS,
    KEY_THREADS,
    KEY_SIM_THREADS,
    KEY_HISTOGRAM,
    KEY_DEBUG,
    KEY_STOP_AT_FIRST,
    KEY_COPIES,
    KEY_HTML,
    KEY_TIMELINE,
    KEY_ONLY_FAILED,
    KEY_FAULT,
    KEY_NO_REPORT,
    KEY_FUNCTIONAL,
    KEY_FRESH,
    KEY_SERVE,
    KEY_SOCKET,
    KEY_CONNECTED,
    KEY_ONCE,
    KEY_JUDGE,
    KEY_STOP,
    KEY_LAST,
    KEY_DEBUGGER,
    KEY_RECORD,
    KEY_LAYER,
};

enum { GROUP_MEMORY = 3, LATENCY_MOST = 1000000 /* clocks */, STALL_MOST = 999 /* per mille */ };

const struct argp_option run_option_table[] = {
    {.doc = "What is played", .group = 1},
    OPTION("config", KEY_CONFIG, "NAME",
           "NVDLA configuration (default: small for .cfg, full for .txn, the header's for .nvt); for an .nvt one with "
           "the register map of the header's; an unknown NAME lists them"),
    OPTION("dut", KEY_DUT, "DUT",
           "Device under test: only the RTL (rtl), only the C model (model), both compared (default), or an RTL built "
           "with `nvcosim build`, compared with the model (rtl:NAME)"),
    OPTION("no-golden", KEY_NO_GOLDEN, NULL, "Ignore the golden files beside a .cfg"),
    OPTION("strict", KEY_STRICT, NULL,
           "Compare volatile reads too (status, performance counters), and fail a trace if nothing was compared: it "
           "has no check, and only one device played it"),
    OPTION("pin", KEY_PIN, "NAME=VALUE", "Value of a static input of the RTL; may be repeated"),
    OPTION("fault", KEY_FAULT, "N[,N...]",
           "For an RTL with planted faults (scripts/plant.py, `nvcosim qualify`): number of the active one, or of "
           "several (default: none)"),
    OPTION("checks", KEY_CHECKS, NULL,
           "Enable the checks inside the RTL of its handshakes, queues and credits (a separate, slower build); a "
           "failing check is a finding"),
    OPTION("out", 'o', "DIR",
           "Write DIR/TRACE/report.txt and report.json for every trace (default: nvcosim-out, failed traces only), and "
           "report.html for failed ones"),
    OPTION("only-failed", KEY_ONLY_FAILED, NULL, "With --out: reports only on traces that do not pass"),
    {.doc = "Limits", .group = 2},
    OPTION("stop-at-first", KEY_STOP_AT_FIRST, NULL,
           "End a run on the RTL at the first beat that writes a wrong value or outside its layer's output (the model "
           "plays first), at the first failing check of the trace, or at the first finding. Memories are not compared "
           "then"),
    OPTION("max-cycles", KEY_MAX_CYCLES, "N",
           "Give up a trace after N core clocks, not counting those of the reset, up to 8,200 on the RTL (default: no "
           "limit)"),
    OPTION("max-seconds", KEY_MAX_SECONDS, "N", "Give up a trace after N seconds (default: no limit)"),
    OPTION("timeout", KEY_TIMEOUT, "N",
           "Report a hang when no operation is done for N clocks, though something moves (default: 1,000 times the "
           "minimum clocks of the longest layer, more if the memory is slower than the default)"),
    OPTION("still", KEY_STILL, "N",
           "Report a hang when nothing moves for N clocks: no register access except polls that read the same value "
           "again, no AXI beat, nothing on the links between engines; a pending answer of the memory counts as "
           "movement (default 100000 on this project's RTL; 2000000 on others, whose links are not visible)"),
    {.doc = "Memory of the RTL; latencies in core clocks, shares in per mille of the clocks", .group = GROUP_MEMORY},
    OPTION("seed", KEY_SEED, "N", "Seed of everything random (default 1)"),
    OPTION(
        "memory", KEY_MEMORY, "MEMORY[,...]",
        "A DRAM behind the primary port instead of latencies: ddr4-2400, lpddr4-3200, zcu102, or a YAML file with its "
        "parameters; changes follow as ,KEY=VALUE (docs/memory.md)"),
    OPTION("traffic", KEY_TRAFFIC, "STREAM",
           "With --memory: another master, KEY=VALUE,... for a stream of requests or a recorded list; may be repeated "
           "(docs/memory.md)"),
    OPTION("latency", KEY_LATENCY, "N", "Read latency (default 32)"),
    OPTION("write-latency", KEY_WRITE_LATENCY, "N", "Write latency (default 4)"),
    OPTION("latency-kind", KEY_LATENCY_KIND, "fixed|uniform|page",
           "Constant, uniform up to --latency-max, or a DRAM with open pages"),
    OPTION("latency-max", KEY_LATENCY_MAX, "N", "Kind uniform: largest read latency"),
    OPTION("page-hit", KEY_PAGE_HIT, "N", "Kind page: extra latency of an access to an open page"),
    OPTION("page-miss", KEY_PAGE_MISS, "N", "Kind page: extra latency of any other access"),
    OPTION("stall", KEY_STALL, "PERMILLE", "Stall all five AXI channels at random"),
    OPTION("stall-ar", KEY_STALL_AR, "PERMILLE", "Stall one channel; likewise -r, -aw, -w, -b"),
    {.name = "stall-r", .key = KEY_STALL_R, .arg = "PERMILLE", .flags = OPTION_HIDDEN},
    {.name = "stall-aw", .key = KEY_STALL_AW, .arg = "PERMILLE", .flags = OPTION_HIDDEN},
    {.name = "stall-w", .key = KEY_STALL_W, .arg = "PERMILLE", .flags = OPTION_HIDDEN},
    {.name = "stall-b", .key = KEY_STALL_B, .arg = "PERMILLE", .flags = OPTION_HIDDEN},
    OPTION("bandwidth", KEY_BANDWIDTH, "PERMILLE", "Clocks in which a data beat may move (default 1000)"),
    OPTION("reorder", KEY_REORDER, NULL, "Let responses of different AXI IDs overtake each other"),
    OPTION("bus-fault", KEY_BUS_FAULT, "KIND[:N]",
           "Break the memory on purpose: same-id, early-response, lost-beat, repeated-beat, strobes, address, wrap, "
           "stale, narrow, swapped or interrupt-edge (docs/run.md)"),
    OPTION("allow-outside", KEY_ALLOW_OUTSIDE, NULL, "Do not fail on accesses outside the regions of the trace"),
    {.doc = "Waves", .group = 4},
    OPTION("wave", KEY_WAVE, "FILE.fst", "Record waves of one trace, and FILE.gtkw for GTKWave; creates the folder"),
    OPTION("wave-from", KEY_WAVE_FROM, "CYCLE", "First cycle to record"),
    OPTION("wave-to", KEY_WAVE_TO, "CYCLE", "Last cycle to record"),
    OPTION("wave-layer", KEY_WAVE_LAYER, "N|UNIT#N",
           "Record one layer, from its arming until it is done: the N-th armed layer that writes memory, from 1, or a "
           "launch as in reports (SDP#0)"),
    OPTION("wave-scope", KEY_WAVE_SCOPE, "PREFIX[:DEPTH]",
           "Record only the signals below a hierarchical name (dut.u_sdp), DEPTH levels of it; may be repeated"),
    {.name = "wave-plain", .key = KEY_WAVE_PLAIN, .flags = OPTION_HIDDEN},
    OPTION("saif", KEY_SAIF, "FILE.saif",
           "Write the activity of every bit in these waves, for power tools; without --wave they are in FILE.fst"),
    OPTION("tap", KEY_TAP, "UNIT[,UNIT...]",
           "Record the element streams of units (CDMA, CSC, CMAC, CACC, SDP, PDP, CDP; all) into OUT/TRACE/taps/rtl "
           "and OUT/TRACE/taps/model, and name the first element that differs; with --histogram, count the RTL's "
           "values too"),
    {.doc = "Coverage of the RTL", .group = 5},
    OPTION("coverage", KEY_COVERAGE, "FILE.dat|DIR",
           "Count the RTL's coverage, for verilator_coverage; DIR/TRACE.dat for each of several traces"),
    OPTION("coverage-kind", KEY_COVERAGE_KIND, "line|toggle",
           "Lines of the source (default), or toggles of every signal bit, which is very slow"),
    {.doc = "Running and printing", .group = 6},
    OPTION("jobs", 'j', "N", "Play N traces at a time"),
    OPTION("fresh", KEY_FRESH, NULL,
           "Start and reset a simulator for each trace. Otherwise one simulator is reset, and copies of it play "
           "several traces. The results are the same"),
    OPTION("threads", KEY_THREADS, "N",
           "Let the model compute each convolution with N threads (default 1); the results are the same"),
    OPTION("sim-threads", KEY_SIM_THREADS, "N",
           "Threads that evaluate the design. Builds the simulator for that number if necessary, permanently (as "
           "`nvcosim build --sim-threads`); the results are the same"),
    OPTION("allow-undefined", KEY_ALLOW_UNDEFINED, NULL,
           "Warn of settings whose result the spec leaves open instead of refusing the trace. The model does what it "
           "can with them, and may hang"),
    OPTION("histogram", KEY_HISTOGRAM, NULL,
           "Count the values of every layer and stream of the model by their leftmost bit: a report for every trace, "
           "with pictures in report.txt and histogram.svg, and histogram.json"),
    OPTION("html", KEY_HTML, NULL,
           "Write DIR/TRACE/report.html for every trace, with the activity of engines and memory over time (failed "
           "traces always have the page, without that)"),
    OPTION(
        "timeline", KEY_TIMELINE, "FILE.json",
        "Write what layers, engines, memory and registers do over time, for ui.perfetto.dev (one trace; FILE.json.gz "
        "is packed; docs/timeline.md)"),
    OPTION("outputs", KEY_OUTPUTS, "DIR",
           "Write the bytes of each output of a network to DIR/TENSOR.bin (several traces: DIR/TRACE/TENSOR.bin), from "
           "the RTL if it plays, and print the largest elements"),
    OPTION("labels", KEY_LABELS, "FILE", "Names of an output's channels, for --outputs: one a line"),
    OPTION("top", KEY_TOP, "N", "Number of an output's largest elements to print (default 5)"),
    OPTION("npy", KEY_NPY, NULL, "Write DIR/TENSOR.npy too: the values of the elements, for numpy"),
    OPTION("dimg", KEY_DIMG, NULL, "Write DIR/TENSOR.dimg too: the format of the driver's tests"),
    OPTION("results", KEY_RESULTS, "FILE",
           "Write each trace's result to FILE as soon as it is known, one JSON object a line (docs/results.md); "
           "replaces an old FILE. With -, to stdout, and the other lines go to stderr"),
    OPTION("stats", KEY_STATS, NULL, "Print bus and speed statistics of every trace"),
    OPTION("verbose", 'v', NULL, "Print findings of the checks, and the end of each layer of a network, to stderr"),
    OPTION("quiet", 'q', NULL, "Print only traces that do not pass"),
    {.name = "name", .key = KEY_NAME, .arg = "NAME", .flags = OPTION_HIDDEN},
    {.name = "simulators", .key = KEY_SIMULATORS, .arg = "DIR", .flags = OPTION_HIDDEN},
    {.name = "result-fd", .key = KEY_RESULT_FD, .arg = "N", .flags = OPTION_HIDDEN},
    {.name = "ledger", .key = KEY_LEDGER, .arg = "FD,TEST,START", .flags = OPTION_HIDDEN},
    {.name = "debug", .key = KEY_DEBUG, .flags = OPTION_HIDDEN},
    {.name = "progress", .key = KEY_PROGRESS, .flags = OPTION_HIDDEN},
    {.name = "copies", .key = KEY_COPIES, .arg = "N", .flags = OPTION_ARG_OPTIONAL | OPTION_HIDDEN},
    {.name = "no-report", .key = KEY_NO_REPORT, .flags = OPTION_HIDDEN},
    {.name = "serve", .key = KEY_SERVE, .arg = "FD,PID", .flags = OPTION_HIDDEN},
    {.name = "socket", .key = KEY_SOCKET, .arg = "PATH", .flags = OPTION_HIDDEN},
    {.name = "connected", .key = KEY_CONNECTED, .arg = "FD", .flags = OPTION_HIDDEN},
    {.name = "record", .key = KEY_RECORD, .arg = "FILE", .flags = OPTION_HIDDEN},
    {.name = "once", .key = KEY_ONCE, .flags = OPTION_HIDDEN},
    {.name = "judge", .key = KEY_JUDGE, .flags = OPTION_HIDDEN},
    {.name = "stop", .key = KEY_STOP, .arg = "hold", .flags = OPTION_ARG_OPTIONAL | OPTION_HIDDEN},
    {.name = "last", .key = KEY_LAST, .arg = "N", .flags = OPTION_HIDDEN},
    {.name = "debugger", .key = KEY_DEBUGGER, .arg = "PROGRAM", .flags = OPTION_HIDDEN},
    {.name = "layer", .key = KEY_LAYER, .arg = "SEED,GENERATOR", .flags = OPTION_HIDDEN},
    {.name = "functional-coverage", .key = KEY_FUNCTIONAL, .flags = OPTION_HIDDEN},
    {0},
};

int worse_status(int a, int b) {
    static const int rank[] = {
        [EXIT_OK] = 0, [EXIT_DIFFERENT] = 1, [EXIT_HUNG] = 2, [EXIT_CRASHED] = 3, [EXIT_BAD_INPUT] = 4};
    return rank[a] >= rank[b] ? a : b;
}

void run_options_init(struct run_options *options) {
    *options = (struct run_options){.dut = DUT_BOTH,
                                    .jobs = 1,
                                    .threads = 1,
                                    .seed = 1,
                                    .result_fd = -1,
                                    .serve = {.socket = -1},
                                    .live = {.connected = -1},
                                    .style = {.top = 5}};
    play_options_default(&options->play);
    axi_options_default(&options->rtl.axi);
}

void run_options_free(struct run_options *options) {
    free(options->faults);
    words_free(&options->pins);
    words_free(&options->wave_scopes);
    words_free(&options->saif_waves);
    words_free(&options->traces);
    words_free(&options->given);
}

enum simulator_variant run_variant(const struct run_options *options, const char *config) {
    const bool internal = options->tap_units && simulator_has_taps(config, options->rtl_name); /* else its ports */
    if (options->rtl.wave.path || (internal && options->rtl.checks) || options->debug)
        return VARIANT_WAVES;
    if (internal)
        return VARIANT_TAPS;
    if (!options->coverage)
        return options->rtl.checks ? VARIANT_CHECKS : VARIANT_PLAIN;
    return options->coverage_kind == VARIANT_TOGGLE ? VARIANT_TOGGLE : VARIANT_COVERAGE;
}

char *config_names(char *text, size_t size) {
    size_t n = 0;
    text[0] = '\0';
    for (int i = 0; i < nvdla_config_count && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", nvdla_configs[i].name);
    return text;
}

/* The configuration of that name; otherwise ends the program with a usage error. */
static const struct nvdla_config *config_option(const char *name, struct argp_state *state) {
    const struct nvdla_config *config = nvdla_config_find(name);
    char names[256];
    if (!config)
        argp_error(state, "--config: there is no configuration '%s'; expected one of %s", name,
                   config_names(names, sizeof names));
    return config;
}

static error_t parse_config(int key, char *arg, struct argp_state *state) {
    const struct nvdla_config **config = state->input;
    if (key != KEY_CONFIG)
        return ARGP_ERR_UNKNOWN;
    *config = config_option(arg, state);
    return 0;
}

static const struct argp_option config_of_trace_table[] = {
    OPTION("config", KEY_CONFIG, "NAME",
           "NVDLA configuration (default: small for .cfg, full for .txn, the header's for .nvt); an unknown NAME lists "
           "them"),
    {0},
};
static const struct argp_option config_small_table[] = {
    OPTION("config", KEY_CONFIG, "NAME", "NVDLA configuration (default small); an unknown NAME lists them"),
    {0},
};
static const struct argp_option config_of_loadable_table[] = {
    OPTION("config", KEY_CONFIG, "NAME",
           "NVDLA configuration (default: the one that the network was compiled for, if the file shows it); an unknown "
           "NAME lists them"),
    {0},
};
const struct argp config_of_trace_argp = {.options = config_of_trace_table, .parser = parse_config};
const struct argp config_of_loadable_argp = {.options = config_of_loadable_table, .parser = parse_config};
const struct argp config_small_argp = {.options = config_small_table, .parser = parse_config};

bool run_option_applies(const char *word, enum dut dut) {
    int group = 0;
    for (const struct argp_option *option = run_option_table; option->name || option->doc; option++) {
        if (!option->name) {
            group = option->group;
            continue;
        }
        const size_t n = strlen(option->name);
        if (strncmp(word + 2, option->name, n) != 0 || (word[2 + n] != '=' && word[2 + n] != '\0'))
            continue;
        const bool memory = group == GROUP_MEMORY && option->key != KEY_SEED && option->key != KEY_ALLOW_OUTSIDE;
        if (memory || option->key == KEY_PIN || option->key == KEY_FAULT || option->key == KEY_STOP_AT_FIRST ||
            option->key == KEY_COPIES)
            return dut != DUT_MODEL;
        return dut != DUT_RTL || (option->key != KEY_THREADS && option->key != KEY_ALLOW_UNDEFINED);
    }
    return true;
}

static void dut_option(struct run_options *options, const char *arg, struct argp_state *state) {
    options->rtl_name[0] = '\0';
    if (strcmp(arg, "model") == 0)
        options->dut = DUT_MODEL;
    else if (strcmp(arg, "rtl") == 0)
        options->dut = DUT_RTL;
    else if (strcmp(arg, "both") == 0)
        options->dut = DUT_BOTH;
    else if (strncmp(arg, "rtl:", 4) == 0 && rtl_name_valid(arg + 4)) {
        options->dut = DUT_BOTH;
        snprintf(options->rtl_name, sizeof options->rtl_name, "%s", arg + 4);
    } else
        argp_error(state,
                   "--dut: found '%s', expected rtl, model, both or rtl:NAME (NAME of a-z, 0-9 and _, less than %d "
                   "characters)",
                   arg, RTL_NAME_MAX);
}

static void latency_kind_option(struct run_options *options, const char *arg, struct argp_state *state) {
    static const char *const names[] = {
        [LATENCY_FIXED] = "fixed", [LATENCY_UNIFORM] = "uniform", [LATENCY_PAGE] = "page"};
    for (int kind = LATENCY_FIXED; kind <= LATENCY_PAGE; kind++) {
        if (strcmp(arg, names[kind]) == 0) {
            options->rtl.axi.latency_kind = (enum latency_kind)kind;
            return;
        }
    }
    argp_error(state, "--latency-kind: found '%s', expected fixed, uniform or page", arg);
}

static void memory_option(struct run_options *options, const char *arg, struct argp_state *state) {
    struct error err;
    if (!dram_config_read(arg, &options->rtl.axi.dram, &err))
        argp_error(state, "--memory: %s", err.text);
}

static void traffic_option(struct run_options *options, const char *arg, struct argp_state *state) {
    struct error err;
    if (!traffic_read(arg, &options->rtl.axi.traffic, &err))
        argp_error(state, "--traffic: %s", err.text);
}

static void bus_fault_option(struct run_options *options, const char *arg, struct argp_state *state) {
    char text[256];
    if (!bus_fault_parse(arg, &options->rtl.axi.fault, text, sizeof text))
        argp_error(state, "--bus-fault: %s", text);
}

static void coverage_kind_option(struct run_options *options, const char *arg, struct argp_state *state) {
    if (strcmp(arg, "line") == 0)
        options->coverage_kind = VARIANT_COVERAGE;
    else if (strcmp(arg, "toggle") == 0)
        options->coverage_kind = VARIANT_TOGGLE;
    else
        argp_error(state, "--coverage-kind: found '%s', expected line or toggle", arg);
}

char *outputs_folder(const struct run_options *options, const char *name) {
    return options->traces.count > 1 ? xprintf("%s/%s", options->outputs, name) : xstrdup(options->outputs);
}

bool coverage_is_file(const char *coverage) {
    size_t n = strlen(coverage);
    return n > 4 && strcmp(coverage + n - 4, ".dat") == 0;
}

/* The units named NAME or NAME_*: SDP and SDP_RDMA, CMAC_A and CMAC_B. 0: there is none. */
static uint32_t units_named(const char *name) {
    const size_t length = strlen(name);
    uint32_t units = 0;
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (strncasecmp(nvdla_unit_names[unit], name, length) == 0 &&
            (nvdla_unit_names[unit][length] == '\0' || nvdla_unit_names[unit][length] == '_'))
            units |= UINT32_C(1) << unit;
    return units;
}

static void tap_option(struct run_options *options, const char *arg, struct argp_state *state) {
    char *names = xstrdup(arg), *rest = names;
    for (char *name; (name = strsep(&rest, ","));) {
        const uint32_t units = strcmp(name, "all") == 0 ? UINT32_MAX : *name ? units_named(name) : 0;
        if (!units)
            argp_error(state,
                       "--tap: found '%s', expected units such as CDMA, CSC, CMAC, CACC, SDP, PDP, CDP, separated by "
                       "commas, or all",
                       name);
        options->tap_units |= units;
    }
    free(names);
}

static void pin_option(struct run_options *options, const char *arg, struct argp_state *state) {
    const char *equal = strchr(arg, '=');
    uint64_t value;
    if (!equal || equal == arg || !text_number(equal + 1, UINT64_MAX, &value))
        argp_error(state, "--pin: found '%s', expected NAME=VALUE, the name of an input and a number", arg);
    else
        words_add(&options->pins, "%s", arg);
}

static void fault_option(struct run_options *options, const char *arg, struct argp_state *state) {
    char *numbers = xstrdup(arg), *rest = numbers;
    for (char *number; (number = strsep(&rest, ","));) {
        uint64_t value;
        if (!text_number(number, INT32_MAX, &value) || value == 0)
            argp_error(state, "--fault: found '%s', expected numbers of faults, separated by commas", number);
        options->faults = xgrow(options->faults, options->fault_count, sizeof *options->faults);
        options->faults[options->fault_count++] = (uint32_t)value;
    }
    free(numbers);
}

static void scope_option(struct run_options *options, const char *arg, struct argp_state *state) {
    const char *colon = strrchr(arg, ':');
    uint64_t depth;
    if (arg[0] == '\0' || colon == arg || (colon && (!text_number(colon + 1, 1000, &depth) || depth == 0)))
        argp_error(state,
                   "--wave-scope: found '%s', expected PREFIX or PREFIX:DEPTH, a hierarchical name and 1 to 1000", arg);
    else
        words_add(&options->wave_scopes, "%s", arg);
}

/* True if an option of the memory with latencies was given. */
static bool memory_is_slowed(const struct run_options *options) {
    struct axi_options usual;
    const struct axi_options *axi = &options->rtl.axi;
    axi_options_default(&usual);
    return axi->read_latency != usual.read_latency || axi->write_latency != usual.write_latency ||
           axi->latency_kind != usual.latency_kind || axi->bandwidth != usual.bandwidth || axi->reorder;
}

static void check_options(struct run_options *options, struct argp_state *state) {
    const struct axi_options *axi = &options->rtl.axi;
    if (options->rtl.wave.path && options->dut == DUT_MODEL)
        argp_error(state, "--wave: the model has no waves; use --dut rtl or --dut both");
    else if (options->rtl.wave.path && options->traces.count > 1)
        argp_error(state, "--wave: found %zu traces, expected one", options->traces.count);
    else if (options->timeline && options->dut == DUT_MODEL)
        argp_error(state, "--timeline: the model has no clock; use --dut rtl or --dut both");
    else if (options->timeline && options->traces.count > 1)
        argp_error(state, "--timeline: found %zu traces, expected one", options->traces.count);
    else if (!options->rtl.wave.path &&
             (options->rtl.wave.from || options->rtl.wave.to || options->wave_layer || options->wave_scopes.count))
        argp_error(state,
                   "--wave-from, --wave-to, --wave-layer and --wave-scope need --wave FILE.fst or --saif FILE.saif");
    else if (options->wave_layer && (options->rtl.wave.from || options->rtl.wave.to))
        argp_error(state, "--wave-layer and --wave-from or --wave-to exclude each other");
    else if (options->rtl.wave.to && options->rtl.wave.to < options->rtl.wave.from)
        argp_error(state, "--wave-to: %llu is before --wave-from %llu", (unsigned long long)options->rtl.wave.to,
                   (unsigned long long)options->rtl.wave.from);
    else if (options->play.stop_at_first && options->dut == DUT_MODEL)
        argp_error(state, "--stop-at-first: the model writes no beats; use --dut rtl or --dut both");
    else if (options->copies && (options->tap_units || options->coverage))
        argp_error(state, "--copies excludes --tap and --coverage: copies would write to the same files");
    else if (options->rtl.checks && options->dut == DUT_MODEL)
        argp_error(state, "--checks: the model has none; use --dut rtl or --dut both");
    else if (options->rtl.checks && options->coverage)
        argp_error(state, "--checks and --coverage exclude each other: the checks themselves would be counted");
    else if (!options->coverage && options->coverage_kind)
        argp_error(state, "--coverage-kind needs --coverage FILE.dat or DIR");
    else if (options->coverage && options->dut == DUT_MODEL)
        argp_error(state, "--coverage: the model has no line coverage; use --dut rtl or --dut both");
    else if (options->coverage && options->rtl.wave.path)
        argp_error(state, "--coverage and --wave exclude each other: each needs its own simulator");
    else if (options->coverage && coverage_is_file(options->coverage) && options->traces.count > 1)
        argp_error(state, "--coverage: found '%s', expected a directory for the files of %zu traces", options->coverage,
                   options->traces.count);
    else if (axi->latency_kind != LATENCY_UNIFORM && options->latency_max_given)
        argp_error(state, "--latency-max: needs --latency-kind uniform");
    else if (axi->latency_kind != LATENCY_PAGE && options->page_given)
        argp_error(state, "--page-hit and --page-miss need --latency-kind page");
    else if (axi->latency_kind == LATENCY_UNIFORM && axi->latency_max < axi->read_latency)
        argp_error(state, "--latency-max: kind uniform needs a value of at least the read latency, %u",
                   axi->read_latency);
    else if (axi->latency_kind == LATENCY_PAGE && axi->page_miss < axi->page_hit)
        argp_error(state, "--page-miss: expected at least the value of --page-hit, %u", axi->page_hit);
    else if (axi->traffic.count && !axi->dram.name[0])
        argp_error(state, "--traffic: needs --memory, whose DRAM the masters share");
    else if (axi->dram.name[0] && memory_is_slowed(options))
        argp_error(state,
                   "--memory excludes --latency, --write-latency, --latency-kind, --bandwidth and --reorder: the "
                   "DRAM and its interconnect decide");
    else if (axi->fault.kind && options->dut == DUT_MODEL)
        argp_error(state, "--bus-fault: the model has no bus; use --dut rtl or --dut both");
    else if (axi->fault.kind == BUS_FAULT_EARLY && axi->dram.name[0])
        argp_error(state, "--bus-fault=early-response: found --memory, whose DRAM decides when writes are answered");
    else if (options->histogram && options->dut == DUT_RTL && !options->tap_units)
        argp_error(state, "--histogram: the streams are those of the model; use --dut model, --dut both, or --tap UNIT "
                          "for those of the RTL");
    else if (options->verbose && options->quiet)
        argp_error(state, "-v and -q exclude each other");
}

static void config_of_run_option(struct run_options *options, const char *arg, struct argp_state *state) {
    options->config = config_option(arg, state);
}

static void stall_option(struct run_options *options, const char *arg, struct argp_state *state) {
    const uint32_t stall = (uint32_t)argument_number(state, "stall", arg, 0, STALL_MOST);
    for (int channel = STALL_AR; channel <= STALL_B; channel++)
        options->rtl.axi.stall[channel] = stall;
}

static void wave_option(struct run_options *options, const char *arg, struct argp_state *state) {
    const size_t n = strlen(arg);
    if (n < 5 || strcmp(arg + n - 4, ".fst") != 0)
        argp_error(state, "--wave: found '%s', expected a name that ends in .fst", arg);
    options->rtl.wave.path = arg;
}

static void timeline_option(struct run_options *options, const char *arg, struct argp_state *state) {
    if (!text_ends_with(arg, ".json") && !text_ends_with(arg, ".json.gz"))
        argp_error(state, "--timeline: found '%s', expected a name that ends in .json or .json.gz", arg);
    options->timeline = arg;
    options->rtl.timeline = true;
}

static void saif_option(struct run_options *options, const char *arg, struct argp_state *state) {
    const size_t n = strlen(arg);
    if (n < 6 || strcmp(arg + n - 5, ".saif") != 0)
        argp_error(state, "--saif: found '%s', expected a name that ends in .saif", arg);
    options->rtl.wave.saif = arg;
}

/* Activity is counted from waves. */
static void add_waves_of_saif(struct run_options *options) {
    if (!options->rtl.wave.saif || options->rtl.wave.path)
        return;
    words_add(&options->saif_waves, "%.*s.fst", (int)(strlen(options->rtl.wave.saif) - strlen(".saif")),
              options->rtl.wave.saif);
    options->rtl.wave.path = options->saif_waves.items[0];
}

static void wave_layer_option(struct run_options *options, const char *arg, struct argp_state *state) {
    if (!wave_layer_valid(arg))
        argp_error(state, "--wave-layer: found '%s', expected a number from 1, or a launch like SDP#0", arg);
    options->wave_layer = arg;
}

static void copies_option(struct run_options *options, const char *arg, struct argp_state *state) {
    options->copies = true;
    options->copies_every = arg ? argument_number(state, "copies", arg, 0, UINT64_MAX) : 0;
}

static void debug_option(struct run_options *options, const char *arg, struct argp_state *state) {
    (void)arg, (void)state;
    options->debug = options->copies = options->play.stop_at_first = options->rtl.timeline = true;
}

bool run_is_live(const struct run_options *options) {
    return options->live.socket || options->live.connected >= 0;
}

static void connected_option(struct run_options *options, const char *arg, struct argp_state *state) {
    options->live.connected = (int)argument_number(state, "connected", arg, 0, INT_MAX);
}

static void stop_option(struct run_options *options, const char *arg, struct argp_state *state) {
    if (arg && strcmp(arg, "hold") != 0)
        argp_error(state, "--stop: found '%s', expected hold or nothing", arg);
    options->live.stop = arg ? STOP_HOLD : STOP_END;
}

static void serve_option(struct run_options *options, const char *arg, struct argp_state *state) {
    if (sscanf(arg, "%d,%d", &options->serve.socket, &options->serve.runner) != 2)
        argp_error(state, "--serve: found '%s', expected FD,PID", arg);
}

static void layer_option(struct run_options *options, const char *arg, struct argp_state *state) {
    char *end;
    options->layer.seed = strtoull(arg, &end, 10);
    options->layer.generator = end + 1;
    if (end == arg || *end != ',')
        argp_error(state, "--layer: found '%s', expected SEED,GENERATOR", arg);
}

static void ledger_option(struct run_options *options, const char *arg, struct argp_state *state) {
    if (sscanf(arg, "%d,%zu,%lf", &options->ledger.file, &options->ledger.test, &options->ledger.start) != 3)
        argp_error(state, "--ledger: found '%s', expected FD,TEST,START", arg);
}

#define OF(member) offsetof(struct run_options, member)

static const struct argument arguments[] = {
    {.key = KEY_NO_GOLDEN, FLAG_AT(OF(no_golden))},
    {.key = KEY_STRICT, FLAG_AT(OF(play.strict))},
    {.key = KEY_CHECKS, FLAG_AT(OF(rtl.checks))},
    {.key = 'o', TEXT_AT(OF(out), "the name of a folder")},
    {.key = KEY_ONLY_FAILED, FLAG_AT(OF(only_failed))},
    {.key = KEY_STOP_AT_FIRST, FLAG_AT(OF(play.stop_at_first))},
    {.key = KEY_MAX_CYCLES, NUMBER_AT(OF(play.max_cycles), 1, UINT64_MAX)},
    {.key = KEY_MAX_SECONDS, NUMBER_AT(OF(max_seconds), 1, 1000000000), .own = true},
    {.key = KEY_TIMEOUT, NUMBER_AT(OF(play.timeout), 1, UINT64_MAX)},
    {.key = KEY_STILL, NUMBER_AT(OF(play.still), 1, UINT64_MAX)},
    {.key = KEY_SEED, NUMBER_AT(OF(seed), 0, UINT64_MAX)},
    {.key = KEY_LATENCY, NUMBER_32_AT(OF(rtl.axi.read_latency), 0, LATENCY_MOST)},
    {.key = KEY_WRITE_LATENCY, NUMBER_32_AT(OF(rtl.axi.write_latency), 0, LATENCY_MOST)},
    {.key = KEY_LATENCY_MAX, NUMBER_32_AT(OF(rtl.axi.latency_max), 0, LATENCY_MOST), .also = OF(latency_max_given)},
    {.key = KEY_PAGE_HIT, NUMBER_32_AT(OF(rtl.axi.page_hit), 0, LATENCY_MOST), .also = OF(page_given)},
    {.key = KEY_PAGE_MISS, NUMBER_32_AT(OF(rtl.axi.page_miss), 0, LATENCY_MOST), .also = OF(page_given)},
    {.key = KEY_STALL_AR, NUMBER_32_AT(OF(rtl.axi.stall[STALL_AR]), 0, STALL_MOST)},
    {.key = KEY_STALL_R, NUMBER_32_AT(OF(rtl.axi.stall[STALL_R]), 0, STALL_MOST)},
    {.key = KEY_STALL_AW, NUMBER_32_AT(OF(rtl.axi.stall[STALL_AW]), 0, STALL_MOST)},
    {.key = KEY_STALL_W, NUMBER_32_AT(OF(rtl.axi.stall[STALL_W]), 0, STALL_MOST)},
    {.key = KEY_STALL_B, NUMBER_32_AT(OF(rtl.axi.stall[STALL_B]), 0, STALL_MOST)},
    {.key = KEY_BANDWIDTH, NUMBER_32_AT(OF(rtl.axi.bandwidth), 1, 1000)},
    {.key = KEY_REORDER, FLAG_AT(OF(rtl.axi.reorder))},
    {.key = KEY_ALLOW_OUTSIDE, FLAG_AT(OF(rtl.axi.allow_outside))},
    {.key = KEY_ALLOW_UNDEFINED, FLAG_AT(OF(allow_undefined))},
    {.key = KEY_WAVE_FROM, NUMBER_AT(OF(rtl.wave.from), 0, UINT64_MAX)},
    {.key = KEY_WAVE_TO, NUMBER_AT(OF(rtl.wave.to), 0, UINT64_MAX)},
    {.key = KEY_WAVE_PLAIN, FLAG_AT(OF(rtl.wave.plain))},
    {.key = KEY_OUTPUTS, TEXT_AT(OF(outputs), "the name of a folder"), .own = true},
    {.key = KEY_LABELS, TEXT_AT(OF(style.labels), "the name of a file"), .own = true},
    {.key = KEY_TOP, NUMBER_32_AT(OF(style.top), 1, 1000000), .own = true},
    {.key = KEY_NPY, FLAG_AT(OF(style.npy)), .own = true},
    {.key = KEY_DIMG, FLAG_AT(OF(style.dimg)), .own = true},
    {.key = KEY_COVERAGE, TEXT_AT(OF(coverage), "the name of a file, FILE.dat, or of a folder"), .own = true},
    {.key = 'j', NUMBER_32_AT(OF(jobs), 1, 1024), .own = true},
    {.key = KEY_THREADS, NUMBER_32_AT(OF(threads), 1, 256)},
    {.key = KEY_SIM_THREADS, NUMBER_32_AT(OF(sim_threads), 1, SIM_THREADS_MOST), .own = true},
    {.key = KEY_HISTOGRAM, FLAG_AT(OF(histogram))},
    {.key = KEY_FUNCTIONAL, FLAG_AT(OF(functional))},
    {.key = KEY_HTML, FLAG_AT(OF(html)), .also = OF(rtl.timeline)},
    {.key = KEY_STATS, FLAG_AT(OF(stats)), .also = OF(rtl.measure)},
    {.key = 'v', FLAG_AT(OF(verbose))},
    {.key = 'q', FLAG_AT(OF(quiet))},
    {.key = KEY_NAME, TEXT_AT(OF(name), "a name"), .own = true},
    {.key = KEY_SIMULATORS, TEXT_AT(OF(simulators), "a folder"), .own = true},
    {.key = KEY_RESULTS, TEXT_AT(OF(results), "the name of a file, or - for stdout"), .own = true},
    {.key = KEY_RESULT_FD, NUMBER_32_AT(OF(result_fd), 0, 1000), .own = true},
    {.key = KEY_FRESH, FLAG_AT(OF(fresh)), .own = true},
    {.key = KEY_NO_REPORT, FLAG_AT(OF(no_report))},
    {.key = KEY_SOCKET, TEXT_AT(OF(live.socket), "a path")},
    {.key = KEY_RECORD, TEXT_AT(OF(live.record), "a trace to write")},
    {.key = KEY_ONCE, FLAG_AT(OF(live.once))},
    {.key = KEY_JUDGE, FLAG_AT(OF(live.judge))},
    {.key = KEY_LAST, NUMBER_AT(OF(live.last), 1, LIVE_LAST_MOST)},
    {.key = KEY_DEBUGGER, TEXT_AT(OF(live.debugger), "a program")},
    {.key = KEY_PROGRESS, FLAG_AT(OF(progress)), .own = true},
};

/* Options that do more than set a member. */
static const struct {
    int key;
    void (*take)(struct run_options *options, const char *arg, struct argp_state *state);
    bool own; /* as in struct argument */
} taken[] = {
    {KEY_CONFIG, config_of_run_option, false},
    {KEY_DUT, dut_option, false},
    {KEY_PIN, pin_option, false},
    {KEY_FAULT, fault_option, false},
    {KEY_LATENCY_KIND, latency_kind_option, false},
    {KEY_MEMORY, memory_option, false},
    {KEY_TRAFFIC, traffic_option, false},
    {KEY_BUS_FAULT, bus_fault_option, false},
    {KEY_STALL, stall_option, false},
    {KEY_TAP, tap_option, false},
    {KEY_WAVE, wave_option, false},
    {KEY_SAIF, saif_option, false},
    {KEY_TIMELINE, timeline_option, false},
    {KEY_WAVE_LAYER, wave_layer_option, false},
    {KEY_WAVE_SCOPE, scope_option, false},
    {KEY_COVERAGE_KIND, coverage_kind_option, true},
    {KEY_SERVE, serve_option, true},
    {KEY_CONNECTED, connected_option, false},
    {KEY_STOP, stop_option, false},
    {KEY_LAYER, layer_option, true},
    {KEY_LEDGER, ledger_option, true},
    {KEY_DEBUG, debug_option, false},
    {KEY_COPIES, copies_option, false},
};

/* Handles an option. *own: see struct argument. False: there is none with that key. */
static bool take_option(int key, const char *arg, struct argp_state *state, bool *own) {
    const struct argument *row =
        argument_take(arguments, sizeof arguments / sizeof *arguments, run_option_table, state->input, key, arg, state);
    *own = row && row->own;
    for (size_t i = 0; !row && i < sizeof taken / sizeof *taken; i++)
        if (taken[i].key == key) {
            taken[i].take(state->input, arg, state);
            *own = taken[i].own;
            return true;
        }
    return row;
}

error_t run_option_parse(int key, char *arg, struct argp_state *state) {
    struct run_options *options = state->input;
    if (key == ARGP_KEY_ARG) {
        words_add(&options->traces, "%s", arg);
        return 0;
    }
    if (key == ARGP_KEY_END) {
        if (options->traces.count == 0 && options->serve.socket < 0 && !run_is_live(options))
            argp_error(state, "no trace is given; expected at least one .cfg, .txn, .nvt or .nvt.gz file, or a "
                              "directory that has one");
        add_waves_of_saif(options);
        check_options(options, state);
        options->rtl.pins = (const char *const *)options->pins.items;
        options->rtl.faults = options->faults;
        options->rtl.fault_count = options->fault_count;
        options->rtl.wave.scopes = (const char *const *)options->wave_scopes.items;
        return 0;
    }
    bool own;
    if (!take_option(key, arg, state, &own))
        return ARGP_ERR_UNKNOWN;
    if (!own)
        words_add(&options->given, "--%s%s%s", argument_name(run_option_table, key), arg ? "=" : "", arg ? arg : "");
    return 0;
}

error_t run_option_parse_into(struct run_options *options, int key, char *arg, struct argp_state *state) {
    void *input = state->input;
    state->input = options;
    const error_t error = run_option_parse(key, arg, state);
    state->input = input;
    return error;
}

_Static_assert(sizeof run_option_table / sizeof *run_option_table + RUN_OPTIONS_OWN <= RUN_OPTIONS_MOST,
               "a command's table has room for all options of a run");

void run_option_table_with(struct argp_option table[RUN_OPTIONS_MOST], const struct argp_option *own,
                           const char *const *left_out) {
    size_t n = 0;
    for (; own[n].name; n++)
        table[n] = own[n];
    for (const struct argp_option *option = run_option_table; option->name || option->doc; option++) {
        const char *const *left = left_out;
        while (*left && option->name && strcmp(option->name, *left) != 0)
            left++;
        if (!*left && option->name) {
            table[n] = *option;
            table[n++].group = 1;
        }
    }
    table[n] = (struct argp_option){0};
}

/* ---- options from words ---- */

/* The parser of words: the parser of options, with its complaints collected in a text instead of ending the program. */
struct reading {
    struct run_options *options;
    FILE *complaints;
};

static error_t read_parse(int key, char *arg, struct argp_state *state) {
    (void)arg;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    const struct reading *reading = state->input;
    state->child_inputs[0] = reading->options;
    state->err_stream = reading->complaints;
    return 0;
}

/* Checks what getopt would complain about on stderr. */
static bool check_word(const char *word, struct error *err) {
    struct guess guess = {.word = word + 2, .n = strcspn(word + 2, "=")};
    char hint[96];
    if (word[0] != '-')
        return true;
    if (strncmp(word, "--", 2) != 0 || guess.n == 0)
        return error_set(err, "found '%s', expected an option as --NAME or --NAME=VALUE", word);
    for (const struct argp_option *option = run_option_table; option->name || option->doc; option++) {
        if (!option->name)
            continue;
        if (strlen(option->name) == guess.n && memcmp(option->name, guess.word, guess.n) == 0) {
            const bool has_value = guess.word[guess.n] == '=';
            if (option->arg && !has_value)
                return error_set(err, "found '%s', expected --%s=%s", word, option->name, option->arg);
            if (!option->arg && has_value)
                return error_set(err, "found '%s', expected --%s without a value", word, option->name);
            return true;
        }
        if (!(option->flags & OPTION_HIDDEN))
            guess_try(&guess, option->name);
    }
    return error_set(err, "found '%s', expected an option of nvcosim run%s", word, guess_hint(&guess, hint));
}

bool run_options_read(struct run_options *options, const struct words *words, struct error *err) {
    static const struct argp parser = {.options = run_option_table, .parser = run_option_parse};
    static const struct argp_child children[] = {{.argp = &parser}, {0}};
    static const struct argp argp = {.children = children, .parser = read_parse};
    static char name[] = "nvcosim";
    struct reading reading = {.options = options};
    char *complaints = NULL;
    size_t n = 0;
    for (size_t i = 0; i < words->count; i++)
        if (!check_word(words->items[i], err))
            return false;
    char **argv = xcalloc(words->count + 2, sizeof *argv);
    argv[0] = name;
    for (size_t i = 0; i < words->count; i++)
        argv[i + 1] = words->items[i];
    reading.complaints = xmemstream(&complaints, &n);
    const error_t failed = argp_parse(&argp, (int)words->count + 1, argv, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &reading);
    xmemstream_close(reading.complaints);
    free(argv);
    bool fine = n == 0 && failed == 0;
    if (!fine) { /* "nvcosim: WHAT", then a line that points to --help */
        const char *what = strncmp(complaints, "nvcosim: ", 9) == 0 ? complaints + 9 : complaints;
        error_set(err, "%.*s", (int)strcspn(what, "\n"), n ? what : strerror(failed));
    }
    free(complaints);
    return fine;
}

/* True for words that other commands handle in their own way. */
static bool is_recording(const char *word) {
    static const char *const beginnings[] = {"--wave",     "--tap",           "--histogram", "--html",
                                             "--timeline", "--stop-at-first", "--copies",    "--only-failed"};
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (strncmp(word, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

char *run_options_command(const struct run_options *options, const char *trace, const char *other, const char *more) {
    struct text text = {0};
    text_printf(&text, "nvcosim %s", other ? other : options->debug ? "debug" : "run");
    for (size_t i = 0; i < options->given.count; i++) {
        const char *word = options->given.items[i];
        if (strcmp(word, "--quiet") == 0 || strcmp(word, "--debug") == 0 ||
            strcmp(word, "--functional-coverage") == 0 ||
            ((other || more[0]) && (other ? is_recording(word) : strncmp(word, "--wave", strlen("--wave")) == 0)))
            continue;
        char *quoted = text_quoted(word);
        text_put(&text, " ");
        text_put(&text, quoted);
        free(quoted);
    }
    char *path = text_quoted(trace);
    text_put(&text, more);
    text_put(&text, " ");
    text_put(&text, path);
    free(path);
    return text.text;
}
