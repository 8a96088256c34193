/* Networks, configurations and memories of estimates. See point.h. */
#include "run/estimate/point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/config_text.h"
#include "nvdla/xalloc.h"
#include "quantised/graph.h"
#include "run/estimate/plan.h"
#include "run/network/compile.h"
#include "run/network/open.h"
#include "run/simulators/python_output.h"
#include "trace/network.h"

enum { DEFAULT_LATENCY = 32, DEFAULT_MHZ = 1000, WRITE_LATENCY = 4 };

static bool is_plain(const char *text) {
    return strncmp(text, "latency=", 8) == 0 || strncmp(text, "bandwidth=", 10) == 0 || strncmp(text, "gbs=", 4) == 0 ||
           strncmp(text, "reads=", 6) == 0;
}

/* One value of a memory without DRAM. */
static bool read_value(const char *word, struct point_memory *memory, struct error *err) {
    char key[12], rest;
    double value;
    if (sscanf(word, "%11[a-z]=%lf%c", key, &value, &rest) != 2 || !(value > 0 && value <= 1e6))
        return error_set(err, "found '%s', expected latency=N, bandwidth=PERMILLE, gbs=GIGABYTES or reads=N", word);
    if (strcmp(key, "latency") == 0)
        memory->latency = value;
    else if (strcmp(key, "bandwidth") == 0)
        memory->bandwidth = value / 1000;
    else if (strcmp(key, "gbs") == 0)
        memory->gigabytes = value;
    else if (strcmp(key, "reads") == 0 && value >= 1 && value <= FLOW_FLIGHT)
        memory->reads = (uint32_t)value;
    else
        return error_set(err, "found '%s', expected latency, bandwidth, gbs, or reads of 1 to %d", word, FLOW_FLIGHT);
    return true;
}

bool point_memory_read(const char *text, struct point_memory *memory, struct error *err) {
    *memory = (struct point_memory){.latency = DEFAULT_LATENCY, .bandwidth = 1};
    snprintf(memory->name, sizeof memory->name, "%s", text);
    if (!is_plain(text)) {
        autofree char *line = dram_config_line(text, python_output, err);
        return (line && dram_config_read(text, line, &memory->dram, err)) || error_prefix(err, "--memory: ");
    }
    char *copy = xstrdup(text), *rest = copy;
    bool good = true;
    for (char *word; good && (word = strsep(&rest, ","));)
        good = read_value(word, memory, err);
    free(copy);
    return good || error_prefix(err, "--memory: ");
}

double point_mhz(const struct point_memory *memory, double mhz) {
    return mhz > 0 ? mhz : memory->dram.name[0] ? memory->dram.core_khz / 1e3 : DEFAULT_MHZ;
}

double point_bytes(const struct nvdla_config *config, const struct point_memory *memory, double mhz) {
    const double port = config->dbb_data_bits / 8.0, clock = point_mhz(memory, mhz) * 1e6;
    double bytes = port * memory->bandwidth;
    if (memory->gigabytes > 0)
        bytes = memory->gigabytes * 1e9 / clock;
    else if (memory->dram.name[0]) {
        const double pins = dram_pin_bandwidth(&memory->dram) / clock, bus = memory->dram.bus_width / 8.0;
        bytes = bus > 0 && bus < pins ? bus : pins;
    }
    return bytes < port ? bytes : port;
}

static struct program *network_program(const char *path, const struct nvdla_config *config, struct error *err) {
    struct compile_options options;
    compile_options_init(&options);
    options.config = config;
    quantised_input(path, &options);
    struct loadable *loadable = network_open(path, &options.config, err);
    for (size_t m = 0; loadable && m < loadable->memory_count; m++)
        if (loadable->memories[m].flags & MEMORY_INPUT)
            words_put(&options.input.sources, "zero");
    struct program *prog = loadable ? compile_loadable(loadable, &options, err) : NULL;
    loadable_free(loadable);
    compile_options_free(&options);
    return prog;
}

/* Whether a configuration by values has another array or other atoms than the one that its text begins with. */
static bool has_other_array(const char *text, const struct nvdla_config *config) {
    autofree char *name = xstrndup(text, strcspn(text, ",+"));
    const struct nvdla_config *base = nvdla_config_find(name);
    return base && (base->atomic_c != config->atomic_c || base->atomic_k != config->atomic_k ||
                    base->mem_atom != config->mem_atom);
}

bool point_open(const char *path, const char *config, bool plan, const struct trace_options *trace, struct point *point,
                struct error *err) {
    const bool quantised = is_quantised(path);
    *point = (struct point){.path = path, .plan = plan};
    const struct nvdla_config *chosen = config ? nvdla_config_read(config, err) : NULL;
    if (config && (!chosen || !nvdla_config_divides(chosen, err)))
        return error_prefix(err, "--config: ");
    if (chosen && !quantised && has_other_array(config, chosen))
        return error_set(err,
                         "%s: was compiled for one configuration; expected a quantised network (.tflite, .onnx) for "
                         "--config with macs=, c=, k= or atom=",
                         path);
    struct trace_options options = trace ? *trace : (struct trace_options){0};
    if (chosen) {
        point->as_given = *chosen;
        point->as_given.name = config;
        options.config = &point->as_given;
    }
    point->config = options.config ? options.config : nvdla_config_find("small");
    if (plan)
        return quantised || error_set(err, "%s: expected a quantised network (.tflite, .onnx) for --plan", path);
    point->program = is_network(path) ? network_program(path, options.config, err) : trace_read(path, &options, err);
    if (point->program)
        point->config = point->program->config;
    return point->program != NULL;
}

void point_close(struct point *point) {
    program_free(point->program);
    point->program = NULL;
}

bool point_estimate(const struct point *point, const struct point_memory *memory, const struct estimate_laws *laws,
                    const struct traffic_options *traffic, double mhz, struct estimate *estimate, struct error *err) {
    const double bytes = point_bytes(point->config, memory, mhz);
    struct flow_options options = {.laws = *laws,
                                   .latency = memory->latency,
                                   .write_latency = WRITE_LATENCY,
                                   .bandwidth = memory->bandwidth,
                                   .reads = memory->reads,
                                   .dram = memory->dram,
                                   .seed = 1};
    if (point->plan)
        return plan_estimate(point->path, point->config, bytes, estimate, err);
    if (traffic)
        options.traffic = *traffic;
    if (memory->gigabytes > 0)
        options.bandwidth = bytes * 8 / point->config->dbb_data_bits;
    return estimate_program(point->program, &options, estimate, err);
}
