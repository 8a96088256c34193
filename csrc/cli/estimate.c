/* nvcosim estimate: clocks of the layers of a trace or network, without RTL, as JSON.
 * python/nvcosim/commands/estimate.py prints the tables and draws the roofline. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "nvdla/xalloc.h"
#include "report/json_text.h"
#include "run/estimate/point.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "run/session/session.h"

struct estimate_options {
    struct trace_options trace;
    const char *config;
    struct words traces, memories;
    uint64_t latency, bandwidth;
    struct traffic_options traffic;
    struct estimate_laws laws;
    const char *laws_file, *roofline;
    uint64_t mhz; /* 0: that of the memory, or 1000 */
    bool csv, json, plan, limits;
};

#define OF(member) offsetof(struct estimate_options, member)

static const struct argument option_table[] = {
    OPTION("config", "NAME[,...]",
           "Configuration by name or by values, small,macs=256,cbuf=256K (docs/configurations.md; default: that of the "
           "trace; small for quantised networks)",
           TEXT_AT(OF(config), "a configuration")),
    OPTION("no-golden", NULL, "Ignore the golden files beside a .cfg", FLAG_AT(OF(trace.no_golden))),
    OPTION("memory", "MEMORY[,...]",
           "A DRAM as for `nvcosim run`, or latency=N, bandwidth=PERMILLE, gbs=GIGABYTES; may be repeated",
           WORDS_AT(OF(memories))),
    OPTION("latency", "N", "Read latency without --memory (default 32)", NUMBER_AT(OF(latency), 1, 1000000)),
    OPTION("bandwidth", "PERMILLE", "Without --memory: clocks in which a data beat may move (default 1000)",
           NUMBER_AT(OF(bandwidth), 1, 1000)),
    OPTION("traffic", "STREAM", "Another master at the DRAM, as for `nvcosim run`; may be repeated",
           TAKEN_AT(OF(traffic), traffic_argument)),
    OPTION("mhz", "N", "Clock of NVDLA, for frames a second (default: core_mhz of the memory, else 1000)",
           NUMBER_AT(OF(mhz), 1, 10000)),
    OPTION("laws", "FILE", "Laws of another RTL, as scripts/fit.py writes them",
           TEXT_AT(OF(laws_file), "the name of a file")),
    OPTION("plan", NULL,
           "Plan a quantised network from its sizes alone, without registers and latencies, as published figures are",
           FLAG_AT(OF(plan))),
    OPTION("csv", NULL, "Print a line for each layer, as CSV", FLAG_AT(OF(csv))),
    OPTION("json", NULL, "Print an object of JSON for each trace and memory, one a line", FLAG_AT(OF(json))),
    OPTION("roofline", "FILE", "Draw the layers below the roofline of the first memory, as SVG",
           TEXT_AT(OF(roofline), "the name of a file")),
    HIDDEN("limits", NULL, FLAG_AT(OF(limits))), /* a line before each: bytes and multiplications a clock at most */
    {0},
};

static const char doc[] =
    "Estimates the clocks of each layer of traces or compiled networks without simulating the RTL: the program is "
    "played on a flow of events, with laws that were fitted to layers played on the RTL. Prints what limits each "
    "layer, how busy the MAC array is, totals, and frames a second.\v"
    "Examples:\n"
    "  nvcosim estimate traces/conformance/small/rand_dc_000.nvt.gz\n"
    "  nvcosim estimate --memory lpddr4-3200 --mhz 800 net.nvdla\n"
    "  nvcosim estimate --config small,macs=128,cbuf=256K --memory gbs=2 net.tflite\n"
    "  nvcosim estimate --roofline net.svg net.nvdla\n"
    "\n"
    "docs/estimate.md says how good the estimates are.";

static void check(void *input, struct argp_state *state) {
    const struct estimate_options *options = input;
    if (!options->traces.count)
        argp_error(state, "no trace is given; expected traces or compiled networks");
    if (options->roofline && options->traces.count > 1)
        argp_error(state, "--roofline: found %zu traces, expected one", options->traces.count);
    if (options->csv && options->json)
        argp_error(state, "--csv and --json exclude each other");
}

static json_t *json_layer(const struct nvdla_config *config, const struct estimated_layer *layer) {
    const bool waits = layer->limit >= LIMIT_WEIGHTS;
    return json_pack("{s:s, s:i, s:s, s:f, s:f, s:f, s:s, s:s?, s:I, s:f, s:I, s:I}", "unit",
                     nvdla_unit_names[layer->unit], "launch", layer->ordinal, "engine",
                     estimate_engine_names[layer->engine], "start", layer->start, "end", layer->end, "clocks",
                     layer->clocks, "limit", estimate_limit_names[layer->limit], "by",
                     !waits                ? NULL
                     : layer->by_bandwidth ? "bandwidth"
                                           : "latency",
                     "macs", (json_int_t)layer->macs, "mac_percent", estimate_use(config, layer->macs, layer->clocks),
                     "bytes_read", (json_int_t)layer->read_bytes, "bytes_written", (json_int_t)layer->write_bytes);
}

static json_t *json_memory(const struct point_memory *memory) {
    const bool dram = memory->dram.name[0];
    json_t *json = json_pack("{s:o, s:b}", "name", json_text(memory->name), "dram", dram);
    if (dram)
        return json;
    json_object_set_new(json, "latency", json_real(memory->latency));
    json_object_set_new(json, "bandwidth", json_real(1000 * memory->bandwidth));
    if (memory->gigabytes > 0)
        json_object_set_new(json, "gbs", json_real(memory->gigabytes));
    if (memory->reads)
        json_object_set_new(json, "reads", json_integer(memory->reads));
    return json;
}

/* estimate: NULL if there is none because of an error. */
static void print_json(const struct estimate_options *options, const char *path, const struct nvdla_config *config,
                       const struct point_memory *memory, const struct estimate *estimate, const struct error *err) {
    const double mhz = point_mhz(memory, (double)options->mhz);
    if (options->limits)
        printf("[%.17g, %d]\n", point_bytes(config, memory, mhz), config->atomic_c * config->atomic_k);
    json_t *layers = json_array(), *json = json_pack("{s:o, s:s, s:o, s:f}", "trace", json_text(path), "config",
                                                     config->name, "memory", json_memory(memory), "mhz", mhz);
    for (size_t i = 0; estimate && i < estimate->count; i++)
        json_array_append_new(layers, json_layer(config, &estimate->layers[i]));
    json_t *more = estimate ? json_pack("{s:f, s:f, s:f, s:I, s:I, s:I, s:o}", "clocks", estimate->clocks,
                                        "frames_per_second", estimate->clocks > 0 ? mhz * 1e6 / estimate->clocks : 0.0,
                                        "mac_percent", estimate_use(config, estimate->macs, estimate->clocks), "macs",
                                        (json_int_t)estimate->macs, "bytes_read", (json_int_t)estimate->read_bytes,
                                        "bytes_written", (json_int_t)estimate->write_bytes, "layers", layers)
                            : json_pack("{s:o}", "error", json_text(err->text));
    json_object_update(json, more);
    json_decref(more);
    autofree char *text = json_to_text(json, JSON_COMPACT | JSON_REAL_PRECISION(15));
    puts(text);
    fflush(stdout);
}

static bool estimate_file(const struct estimate_options *options, const char *path, struct error *err) {
    struct point point;
    bool good = point_open(path, options->config, options->plan, &options->trace, &point, err);
    print_warnings(point.program);
    for (size_t i = 0; good && i < options->memories.count; i++) {
        struct point_memory memory;
        struct estimate estimate = {0};
        if (!point_memory_read(options->memories.items[i], &memory, err)) {
            good = false;
            break;
        }
        good = point_estimate(&point, &memory, &options->laws, &options->traffic, (double)options->mhz, &estimate, err);
        print_json(options, path, point.config, &memory, good ? &estimate : NULL, err);
        estimate_free(&estimate);
    }
    point_close(&point);
    return good;
}

int estimate_main(int argc, char **argv) {
    static const struct command command = {.options = option_table,
                                           .usage = "TRACE|NET...",
                                           .doc = doc,
                                           .operands = OPERANDS_AT(OF(traces)),
                                           .check = check};
    struct estimate_options options = {.latency = 32, .bandwidth = 1000};
    struct error err;
    if (!command_read(&command, argc, argv, &options))
        return EXIT_BAD_INPUT;
    if (!options.memories.count)
        words_add(&options.memories,
                  options.bandwidth < 1000 ? "latency=%" PRIu64 ",bandwidth=%" PRIu64 : "latency=%" PRIu64,
                  options.latency, options.bandwidth);
    bool good = estimate_laws_read(options.laws_file, &options.laws, &err);
    if (good && options.csv)
        puts("trace,config,memory,unit,launch,engine,start,end,clocks,limit,by,macs,mac_percent,bytes_read,bytes_"
             "written");
    if (good && (!options.json || options.roofline))
        return python_command("estimate", argv);
    for (size_t i = 0; good && i < options.traces.count; i++)
        good = estimate_file(&options, options.traces.items[i], &err);
    if (!good)
        fprintf(stderr, "nvcosim estimate: %s\n", err.text);
    words_free(&options.traces);
    words_free(&options.memories);
    return good ? EXIT_OK : EXIT_BAD_INPUT;
}
