/* The options of a run as a table, and what they do with their arguments. See options.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvdla/config_text.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/options/arguments.h"
#include "run/options/dump.h"
#include "run/options/exceptions.h"
#include "run/options/options.h"
#include "run/options/wave_layer.h"
#include "run/simulators/python_output.h"

enum { LATENCY_MOST = 1000000 /* clocks */, STALL_MOST = 999 /* per mille */ };

void config_argument(void *member, const char *arg, struct argp_state *state) {
    const struct nvdla_config **config = member;
    struct error err;
    *config = nvdla_config_read(arg, &err);
    if (!*config || !nvdla_config_legal(*config, &err))
        argp_error(state, "--config: %s", err.text);
    struct nvdla_config again;
    autotext struct text ignored = {0};
    if (text_ends_with(arg, ".spec") && nvdla_config_file(arg, &again, &ignored, &err) && ignored.n)
        fprintf(stderr, "nvcosim: %s: without effect here: %s\n", arg, ignored.text);
}

void dut_argument(void *member, const char *arg, struct argp_state *state) {
    struct run_options *options = member;
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

static void memory_option(void *member, const char *arg, struct argp_state *state) {
    struct run_options *options = member;
    struct error err;
    char *line = options->dram ? xstrdup(options->dram) : dram_config_line(arg, python_output, &err);
    free(options->dram_line);
    options->dram_line = line;
    if (!line || !dram_config_read(arg, line, &options->rtl.axi.dram, &err))
        argp_error(state, "--memory: %s", err.text);
}

void traffic_argument(void *traffic, const char *arg, struct argp_state *state) {
    struct error err;
    if (!traffic_read(arg, traffic, &err))
        argp_error(state, "--traffic: %s", err.text);
}

static void bus_fault_option(void *fault, const char *arg, struct argp_state *state) {
    char text[256];
    if (!bus_fault_parse(arg, fault, text, sizeof text))
        argp_error(state, "--bus-fault: %s", text);
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

static void tap_option(void *taps, const char *arg, struct argp_state *state) {
    char *names = xstrdup(arg), *rest = names;
    for (char *name; (name = strsep(&rest, ","));) {
        const uint32_t units = strcmp(name, "all") == 0 ? UINT32_MAX : *name ? units_named(name) : 0;
        if (!units)
            argp_error(state,
                       "--tap: found '%s', expected units such as CDMA, CSC, CMAC, CACC, SDP, PDP, CDP, separated by "
                       "commas, or all",
                       name);
        *(uint32_t *)taps |= units;
    }
    free(names);
}

static void pin_option(void *pins, const char *arg, struct argp_state *state) {
    const char *equal = strchr(arg, '=');
    uint64_t value;
    if (!equal || equal == arg || !text_number(equal + 1, UINT64_MAX, &value))
        argp_error(state, "--pin: found '%s', expected NAME=VALUE, the name of an input and a number", arg);
    else
        words_add(pins, "%s", arg);
}

static void except_option(void *except, const char *arg, struct argp_state *state) {
    struct error err;
    if (!exception_check(arg, &err))
        argp_error(state, "--except: %s", err.text);
    else
        words_add(except, "%s", arg);
}

static void dump_option(void *dumps, const char *arg, struct argp_state *state) {
    struct error err;
    if (!dump_check(arg, &err))
        argp_error(state, "--dump: %s", err.text);
    else
        words_add(dumps, "%s", arg);
}

static void fault_option(void *member, const char *arg, struct argp_state *state) {
    struct run_options *options = member;
    char *numbers = xstrdup(arg), *rest = numbers;
    for (char *number; (number = strsep(&rest, ","));) {
        uint64_t value;
        if (!text_number(number, INT32_MAX, &value) || value == 0)
            argp_error(state, "--fault: found '%s', expected numbers of faults, separated by commas", number);
        *xadd(options->faults, options->fault_count) = (uint32_t)value;
    }
    free(numbers);
}

static void scope_option(void *scopes, const char *arg, struct argp_state *state) {
    const char *colon = strrchr(arg, ':');
    uint64_t depth;
    if (arg[0] == '\0' || colon == arg || (colon && (!text_number(colon + 1, 1000, &depth) || depth == 0)))
        argp_error(state,
                   "--wave-scope: found '%s', expected PREFIX or PREFIX:DEPTH, a hierarchical name and 1 to 1000", arg);
    else
        words_add(scopes, "%s", arg);
}

static void stall_option(void *member, const char *arg, struct argp_state *state) {
    uint32_t *stalls = member;
    const uint32_t stall = (uint32_t)argument_number(state, "stall", arg, 0, STALL_MOST);
    for (int channel = STALL_AR; channel <= STALL_B; channel++)
        stalls[channel] = stall;
}

static void wave_layer_option(void *layer, const char *arg, struct argp_state *state) {
    if (!wave_layer_valid(arg))
        argp_error(state, "--wave-layer: found '%s', expected a number from 1, or a launch like SDP#0", arg);
    *(const char **)layer = arg;
}

static void errata_option(void *errata, const char *arg, struct argp_state *state) {
    if (strcmp(arg, "nvidia") != 0)
        argp_error(state, "--errata: found '%s', expected nvidia", arg);
    *(bool *)errata = true;
}

static void copies_option(void *member, const char *arg, struct argp_state *state) {
    struct run_options *options = member;
    options->copies = true;
    options->copies_every = arg ? argument_number(state, "copies", arg, 0, UINT64_MAX) : 0;
}

static void debug_option(void *member, const char *arg, struct argp_state *state) {
    struct run_options *options = member;
    (void)arg, (void)state;
    options->debug = options->copies = options->play.stop_at_first = options->rtl.timeline = true;
}

static void stop_option(void *stop, const char *arg, struct argp_state *state) {
    if (arg && strcmp(arg, "hold") != 0)
        argp_error(state, "--stop: found '%s', expected hold or nothing", arg);
    *(int *)stop = arg ? STOP_HOLD : STOP_END;
}

static void serve_option(void *member, const char *arg, struct argp_state *state) {
    struct run_serve *serve = member;
    if (sscanf(arg, "%d,%d", &serve->socket, &serve->runner) != 2)
        argp_error(state, "--serve: found '%s', expected FD,PID", arg);
}

static void layer_option(void *member, const char *arg, struct argp_state *state) {
    struct run_layer *layer = member;
    char *end;
    layer->seed = strtoull(arg, &end, 10);
    layer->generator = end + 1;
    if (end == arg || *end != ',')
        argp_error(state, "--layer: found '%s', expected SEED,GENERATOR", arg);
}

static void ledger_option(void *member, const char *arg, struct argp_state *state) {
    struct run_ledger *ledger = member;
    if (sscanf(arg, "%d,%zu,%lf", &ledger->file, &ledger->test, &ledger->start) != 3)
        argp_error(state, "--ledger: found '%s', expected FD,TEST,START", arg);
}

#define OF(member) offsetof(struct run_options, member)

const struct argument run_arguments[] = {
    HEADING("What is played"),
    OPTION("config", "NAME",
           "NVDLA configuration (default: small for .cfg, full for .txn, the header's for .nvt); for an .nvt one with "
           "the register map of the header's; an unknown NAME lists them",
           TAKEN_AT(OF(config), config_argument)),
    OPTION("dut", "DUT",
           "Device under test: only the RTL (rtl), only the C model (model), both compared (default), or an RTL built "
           "with `nvcosim build`, compared with the model (rtl:NAME)",
           TAKEN_AT(0, dut_argument), .left_out = BY_SERVE),
    OPTION("no-golden", NULL, "Ignore the golden files beside a .cfg", FLAG_AT(OF(no_golden)), .left_out = BY_SERVE),
    OPTION("strict", NULL,
           "Compare volatile reads too (status, performance counters), and fail a trace if nothing was compared: it "
           "has no check, and only one device played it",
           FLAG_AT(OF(play.strict)), .left_out = BY_SERVE),
    OPTION("pin", "NAME=VALUE", "Value of a static input of the RTL; may be repeated", TAKEN_AT(OF(pins), pin_option),
           .needs_rtl = true),
    OPTION("except", "FIELD[=MASK][:REASON]",
           "Do not compare a register or a field (GLB.S_INTR_MASK, or GLB.S_INTR_MASK.BDMA_DONE_MASK0), or the bits of "
           "MASK in it: a known difference of an RTL; may be repeated",
           TAKEN_AT(OF(except), except_option)),
    OPTION("fault", "N[,N...]",
           "For an RTL with planted faults (scripts/plant.py, `nvcosim qualify`): number of the active one, or of "
           "several (default: none)",
           TAKEN_AT(0, fault_option), .needs_rtl = true),
    OPTION("checks", NULL,
           "Enable the checks inside the RTL of its handshakes, queues and credits (a separate, slower build); a "
           "failing check is a finding",
           FLAG_AT(OF(rtl.checks)), .left_out = BY_DEBUG),
    OPTION("out", "DIR",
           "Write DIR/TRACE/report.txt and report.json for every trace (default: nvcosim-out, failed traces only), and "
           "report.html for failed ones",
           TEXT_AT(OF(out), "the name of a folder"), .letter = 'o', .left_out = BY_SERVE | BY_SHRINK),
    OPTION("only-failed", NULL, "With --out: reports only on traces that do not pass", FLAG_AT(OF(only_failed)),
           .left_out = BY_SERVE),
    OPTION(
        "background", NULL,
        "After a failure build the simulator that nvcosim debug needs in the background, as is done at a terminal if a "
        "core is free and CI is not set, in any case",
        FLAG_AT(OF(background)), .own = true, .left_out = BY_OTHERS),
    OPTION("no-background", NULL, "Do not build it", FLAG_AT(OF(no_background)), .own = true, .left_out = BY_OTHERS),
    HEADING("Limits"),
    OPTION("stop-at-first", NULL,
           "End a run on the RTL at the first beat that writes a wrong value or outside its layer's output (the model "
           "plays first), at the first failing check of the trace, or at the first finding. Memories are not compared "
           "then",
           FLAG_AT(OF(play.stop_at_first)), .needs_rtl = true, .left_out = BY_DEBUG | BY_SERVE),
    OPTION("max-cycles", "N",
           "Give up a trace after N core clocks since the reset (default: no limit). On the RTL the zero fill of CBUF "
           "takes the first of them, up to 8,200, whatever N is",
           NUMBER_AT(OF(play.max_cycles), 1, UINT64_MAX), .left_out = BY_SERVE),
    OPTION("max-seconds", "N", "Give up a trace after N seconds (default: no limit)",
           NUMBER_AT(OF(max_seconds), 1, 1000000000), .own = true, .left_out = BY_SERVE),
    OPTION("timeout", "N",
           "Report a hang after N clocks without a finished operation, even if data still moves (default: 1,000 times "
           "the minimum clocks of the longest layer, more if the memory is slower than the default)",
           NUMBER_AT(OF(play.timeout), 1, UINT64_MAX), .left_out = BY_SERVE),
    OPTION("still", "N",
           "Report a hang when nothing moves for N clocks: no register access except polls that read the same value "
           "again, no AXI beat, nothing on the links between engines; a pending answer of the memory counts as "
           "movement (default 100000 on this project's RTL; 2000000 on others, whose links are not visible)",
           NUMBER_AT(OF(play.still), 1, UINT64_MAX), .left_out = BY_SERVE),
    HEADING("Memory of the RTL; latencies in core clocks, shares in per mille of the clocks"),
    OPTION("seed", "N", "Seed of everything random (default 1)", NUMBER_AT(OF(seed), 0, UINT64_MAX)),
    OPTION(
        "memory", "MEMORY[,...]",
        "A DRAM behind the primary port instead of latencies: ddr4-2400, lpddr4-3200, zcu102, or a YAML file with its "
        "parameters; changes follow as ,KEY=VALUE (docs/memory.md)",
        TAKEN_AT(0, memory_option), .needs_rtl = true),
    OPTION("traffic", "STREAM",
           "With --memory: another master, KEY=VALUE,... for a stream of requests or a recorded list; may be repeated "
           "(docs/memory.md)",
           TAKEN_AT(OF(rtl.axi.traffic), traffic_argument), .needs_rtl = true),
    OPTION("latency", "N", "Read latency (default 32)", NUMBER_32_AT(OF(rtl.axi.read_latency), 0, LATENCY_MOST),
           .needs_rtl = true),
    OPTION("write-latency", "N", "Write latency (default 4)", NUMBER_32_AT(OF(rtl.axi.write_latency), 0, LATENCY_MOST),
           .needs_rtl = true),
    OPTION("latency-kind", "fixed|uniform|page", "Constant, uniform up to --latency-max, or a DRAM with open pages",
           CHOICE_AT(OF(rtl.axi.latency_kind), "fixed, uniform or page"), .least = LATENCY_FIXED, .needs_rtl = true),
    OPTION("latency-max", "N", "Kind uniform: largest read latency",
           NUMBER_32_AT(OF(rtl.axi.latency_max), 0, LATENCY_MOST), .also = OF(latency_max_given), .needs_rtl = true),
    OPTION("page-hit", "N", "Kind page: extra latency of an access to an open page",
           NUMBER_32_AT(OF(rtl.axi.page_hit), 0, LATENCY_MOST), .also = OF(page_given), .needs_rtl = true),
    OPTION("page-miss", "N", "Kind page: extra latency of any other access",
           NUMBER_32_AT(OF(rtl.axi.page_miss), 0, LATENCY_MOST), .also = OF(page_given), .needs_rtl = true),
    OPTION("stall", "PERMILLE", "Stall all five AXI channels at random", TAKEN_AT(OF(rtl.axi.stall), stall_option),
           .needs_rtl = true),
    OPTION("stall-ar", "PERMILLE", "Stall one channel; likewise -r, -aw, -w, -b",
           NUMBER_32_AT(OF(rtl.axi.stall[STALL_AR]), 0, STALL_MOST), .needs_rtl = true),
    HIDDEN("stall-r", "PERMILLE", NUMBER_32_AT(OF(rtl.axi.stall[STALL_R]), 0, STALL_MOST), .needs_rtl = true),
    HIDDEN("stall-aw", "PERMILLE", NUMBER_32_AT(OF(rtl.axi.stall[STALL_AW]), 0, STALL_MOST), .needs_rtl = true),
    HIDDEN("stall-w", "PERMILLE", NUMBER_32_AT(OF(rtl.axi.stall[STALL_W]), 0, STALL_MOST), .needs_rtl = true),
    HIDDEN("stall-b", "PERMILLE", NUMBER_32_AT(OF(rtl.axi.stall[STALL_B]), 0, STALL_MOST), .needs_rtl = true),
    OPTION("bandwidth", "PERMILLE", "Clocks in which a data beat may move (default 1000)",
           NUMBER_32_AT(OF(rtl.axi.bandwidth), 1, 1000), .needs_rtl = true),
    OPTION("reorder", NULL, "Let responses of different AXI IDs overtake each other", FLAG_AT(OF(rtl.axi.reorder)),
           .needs_rtl = true),
    OPTION("bus-fault", "KIND[:N]",
           "Break the memory on purpose: same-id, early-response, lost-beat, repeated-beat, strobes, address, wrap, "
           "stale, narrow, swapped or interrupt-edge (docs/run.md)",
           TAKEN_AT(OF(rtl.axi.fault), bus_fault_option), .needs_rtl = true),
    OPTION("allow-outside", NULL, "Do not fail on accesses outside the regions of the trace",
           FLAG_AT(OF(rtl.axi.allow_outside))),
    HEADING("Waves"),
    OPTION("wave", "FILE.fst", "Record waves of one trace, and FILE.gtkw for GTKWave; creates the folder",
           FILE_AT(OF(rtl.wave.path), ".fst"), .left_out = BY_DEBUG | BY_SHRINK),
    OPTION("wave-from", "CYCLE", "First cycle to record", NUMBER_AT(OF(rtl.wave.from), 0, UINT64_MAX),
           .left_out = BY_DEBUG | BY_SHRINK),
    OPTION("wave-to", "CYCLE", "Last cycle to record", NUMBER_AT(OF(rtl.wave.to), 0, UINT64_MAX),
           .left_out = BY_DEBUG | BY_SHRINK),
    OPTION("wave-layer", "N|UNIT#N",
           "Record one layer, from its arming until it is done: the N-th armed layer that writes memory, from 1, or a "
           "launch as in reports (SDP#0)",
           TAKEN_AT(OF(wave_layer), wave_layer_option), .left_out = BY_OTHERS),
    OPTION("wave-scope", "PREFIX[:DEPTH]",
           "Record only the signals below a hierarchical name (dut.u_sdp), DEPTH levels of it; may be repeated",
           TAKEN_AT(OF(wave_scopes), scope_option), .left_out = BY_DEBUG | BY_SHRINK),
    HIDDEN("wave-plain", NULL, FLAG_AT(OF(rtl.wave.plain)), .left_out = BY_DEBUG | BY_SHRINK),
    OPTION("saif", "FILE.saif",
           "Write the activity of every bit in these waves, for power tools; without --wave they are in FILE.fst",
           FILE_AT(OF(rtl.wave.saif), ".saif"), .left_out = BY_DEBUG | BY_SHRINK),
    OPTION("tap", "UNIT[,UNIT...]",
           "Record the element streams of units (CDMA, CSC, CMAC, CACC, SDP, PDP, CDP; all) into OUT/TRACE/taps/rtl "
           "and OUT/TRACE/taps/model, and name the first element that differs; with --histogram, count the RTL's "
           "values too",
           TAKEN_AT(OF(tap_units), tap_option), .left_out = BY_DEBUG),
    HEADING("Coverage of the RTL"),
    OPTION("coverage", "FILE.dat|DIR",
           "Count the RTL's coverage, for verilator_coverage; DIR/TRACE.dat for each of several traces",
           TEXT_AT(OF(coverage), "the name of a file, FILE.dat, or of a folder"), .own = true, .left_out = BY_OTHERS),
    OPTION("coverage-kind", "line|toggle",
           "Lines of the source (default), or toggles of every signal bit, which is very slow",
           CHOICE_AT(OF(coverage_kind), "line or toggle"), .least = VARIANT_COVERAGE, .own = true,
           .left_out = BY_OTHERS),
    HEADING("Running and printing"),
    OPTION("jobs", "N", "Play N traces at a time", NUMBER_32_AT(OF(jobs), 1, 1024), .letter = 'j', .own = true,
           .left_out = BY_OTHERS),
    OPTION("fresh", NULL,
           "Start and reset a simulator for each trace. Otherwise one simulator is reset, and copies of it play "
           "several traces. The results are the same",
           FLAG_AT(OF(fresh)), .own = true, .left_out = BY_SERVE),
    OPTION("threads", "N",
           "Let the model compute each convolution with N threads (default 1); the results are the same",
           NUMBER_32_AT(OF(threads), 1, 256), .needs_model = true, .left_out = BY_SERVE),
    OPTION("sim-threads", "N",
           "Threads that evaluate the design. Builds the simulator for that number if necessary, permanently (as "
           "`nvcosim build --sim-threads`); the results are the same",
           NUMBER_32_AT(OF(sim_threads), 1, SIM_THREADS_MOST), .own = true, .left_out = BY_SERVE),
    OPTION("allow-undefined", NULL,
           "Warn of settings whose result the spec leaves open instead of refusing the trace. The model does what it "
           "can with them, and may hang",
           FLAG_AT(OF(allow_undefined)), .needs_model = true),
    OPTION("errata", "nvidia",
           "Let the model compute the image layers of erratum E1 as NVIDIA's hardware does (docs/run.md)",
           TAKEN_AT(OF(errata), errata_option), .needs_model = true),
    OPTION("histogram", NULL,
           "Count the values of every layer and stream of the model by their leftmost bit: a report for every trace, "
           "with pictures in report.txt and histogram.svg, and histogram.json",
           FLAG_AT(OF(histogram)), .left_out = BY_OTHERS),
    OPTION("html", NULL,
           "Write DIR/TRACE/report.html for every trace, with the activity of engines and memory over time (failed "
           "traces always have the page, without that)",
           FLAG_AT(OF(html)), .also = OF(rtl.timeline), .left_out = BY_DEBUG | BY_SERVE),
    OPTION(
        "timeline", "FILE.json",
        "Write what layers, engines, memory and registers do over time, for ui.perfetto.dev (one trace; FILE.json.gz "
        "is packed; docs/timeline.md)",
        FILE_AT(OF(timeline), ".json or .json.gz"), .also = OF(rtl.timeline), .left_out = BY_SHRINK),
    OPTION("outputs", "DIR",
           "Write the bytes of each output of a network to DIR/TENSOR.bin (several traces: DIR/TRACE/TENSOR.bin), from "
           "the RTL if it plays, and print the largest elements",
           TEXT_AT(OF(outputs), "the name of a folder"), .own = true, .left_out = BY_SERVE),
    OPTION("dump", "RANGE=FILE",
           "Write a range of memory, ADDRESS:SIZE or secondary:ADDRESS:SIZE, when the trace has ended, from the RTL if "
           "it plays (one trace; FILE.gz is packed); may be repeated",
           TAKEN_AT(OF(dumps), dump_option), .left_out = BY_SERVE | BY_SHRINK),
    OPTION("labels", "FILE", "Names of an output's channels, or of an ArgMax's indices, for --outputs: one a line",
           TEXT_AT(OF(style.labels), "the name of a file"), .own = true, .left_out = BY_SERVE),
    OPTION("top", "N", "Number of an output's largest elements to print (default 5)",
           NUMBER_32_AT(OF(style.top), 1, 1000000), .own = true, .left_out = BY_SERVE),
    OPTION("npy", NULL, "Write DIR/TENSOR.npy too: the values of the elements, for numpy", FLAG_AT(OF(style.npy)),
           .own = true, .left_out = BY_SERVE),
    OPTION("dimg", NULL, "Write DIR/TENSOR.dimg too: the format of the driver's tests", FLAG_AT(OF(style.dimg)),
           .own = true, .left_out = BY_SERVE),
    OPTION("results", "FILE",
           "Write each trace's result to FILE as soon as it is known, one JSON object a line (docs/results.md); "
           "replaces an old FILE. With -, to stdout, and the other lines go to stderr",
           TEXT_AT(OF(results), "the name of a file, or - for stdout"), .own = true, .left_out = BY_OTHERS),
    OPTION("stats", NULL, "Print bus and speed statistics of every trace", FLAG_AT(OF(stats)), .also = OF(rtl.measure),
           .left_out = BY_SERVE | BY_SHRINK),
    OPTION("verbose", NULL, "Print findings of the checks, and the end of each layer of a network, to stderr",
           FLAG_AT(OF(verbose)), .letter = 'v', .left_out = BY_SHRINK),
    OPTION("quiet", NULL, "Print only traces that do not pass", FLAG_AT(OF(quiet)), .letter = 'q',
           .left_out = BY_SHRINK),
    HIDDEN("dram", "LINE", TEXT_AT(OF(dram), "a line of python/nvcosim/dram.py"), .own = true),
    HIDDEN("name", "NAME", TEXT_AT(OF(name), "a name"), .own = true, .left_out = BY_SERVE | BY_SHRINK),
    HIDDEN("simulators", "DIR", TEXT_AT(OF(simulators), "a folder"), .own = true, .left_out = BY_SERVE),
    HIDDEN("result-fd", "N", NUMBER_32_AT(OF(result_fd), 0, 1000), .own = true, .left_out = BY_SERVE | BY_SHRINK),
    HIDDEN("ledger", "FD,TEST,START", TAKEN_AT(OF(ledger), ledger_option), .own = true, .left_out = BY_SERVE),
    HIDDEN("debug", NULL, TAKEN_AT(0, debug_option), .left_out = BY_DEBUG | BY_SERVE),
    HIDDEN("no-waves", NULL, FLAG_AT(OF(no_waves)), .left_out = BY_SERVE | BY_SHRINK),
    HIDDEN("progress", NULL, FLAG_AT(OF(progress)), .own = true, .left_out = BY_SERVE | BY_SHRINK),
    HIDDEN("copies", "N", TAKEN_AT(0, copies_option), .optional = true, .needs_rtl = true, .left_out = BY_SERVE),
    HIDDEN("no-report", NULL, FLAG_AT(OF(no_report)), .left_out = BY_SERVE),
    HIDDEN("serve", "FD,PID", TAKEN_AT(OF(serve), serve_option), .own = true, .left_out = BY_SERVE),
    OPTION("socket", "PATH", "Listen on this Unix socket, which is made and removed", .hidden = true,
           TEXT_AT(OF(live.socket), "a path"), .left_out = BY_DEBUG, .shown = BY_SERVE),
    HIDDEN("connected", "FD", NUMBER_32_AT(OF(live.connected), 0, INT_MAX), .left_out = BY_DEBUG),
    OPTION("record", "FILE", "Write each session as a trace that replays it, .nvt or .nvt.gz", .hidden = true,
           FILE_AT(OF(live.record), ".nvt or .nvt.gz"), .left_out = BY_DEBUG, .shown = BY_SERVE),
    OPTION("once", NULL, "End after the first client", .hidden = true, FLAG_AT(OF(live.once)), .left_out = BY_DEBUG,
           .shown = BY_SERVE),
    OPTION("judge", NULL, "The model follows: report each layer that the RTL computes differently", .hidden = true,
           FLAG_AT(OF(live.judge)), .left_out = BY_DEBUG, .shown = BY_SERVE),
    OPTION("stop", "hold",
           "End at a layer that never ends; with --judge also at the first wrong one, or (hold) stop there",
           .hidden = true, TAKEN_AT(OF(live.stop), stop_option), .optional = true, .left_out = BY_DEBUG,
           .shown = BY_SERVE),
    OPTION("last", "N", "With --record: keep only the last N layers, or a few more", .hidden = true,
           NUMBER_AT(OF(live.last), 1, LIVE_LAST_MOST), .left_out = BY_DEBUG, .shown = BY_SERVE),
    HIDDEN("debugger", "PROGRAM", TEXT_AT(OF(live.debugger), "a program"), .left_out = BY_DEBUG | BY_SERVE),
    HIDDEN("layer", "SEED,GENERATOR", TAKEN_AT(OF(layer), layer_option), .own = true, .left_out = BY_SERVE),
    HIDDEN("functional-coverage", NULL, FLAG_AT(OF(functional)), .left_out = BY_SERVE),
    {0},
};

/* The row of an option as a word, --NAME or --NAME=VALUE; NULL: there is none. */
static const struct argument *row_of(const char *word) {
    const size_t n = strcspn(word + 2, "=");
    for (const struct argument *row = run_arguments; row->name || row->doc; row++)
        if (row->name && strlen(row->name) == n && memcmp(row->name, word + 2, n) == 0)
            return row;
    return NULL;
}

bool run_option_applies(const char *word, enum dut dut) {
    const struct argument *row = row_of(word);
    return !row || !(dut == DUT_MODEL ? row->needs_rtl : dut == DUT_RTL && row->needs_model);
}

bool run_option_is_left_out(const char *word, enum run_command command) {
    const struct argument *row = row_of(word);
    return row && (row->left_out & command);
}
