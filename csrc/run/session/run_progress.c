/* The amount of work in a run, and its progress. See run_progress.h. */
#include "run/session/run_progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "layers/traffic.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/options/wave_layer.h"
#include "run/process/process.h"
#include "trace/launches.h"

void send_line(int fd, const char *text) {
    autotext struct text line = {0};
    text_printf(&line, "%s\n", text);
    for (size_t n = 0; n < line.n;) {
        const ssize_t written = write(fd, line.text + n, line.n - n);
        if (written <= 0)
            break;
        n += (size_t)written;
    }
}

/* Share of a device's work that is done, measured in minimum clocks of the layers, and the current layer, from 1 (0:
 * none). For the RTL, from the memory traffic of the layers; for the model, which plays one layer at a time, from the
 * operations done. */
static double part_done(const struct run_progress *progress, struct device *dev, size_t done, size_t *layer) {
    struct device_statistics statistics = {0};
    const size_t count = progress->layer_count;
    const double bus = (double)dev->config->dbb_data_bits / 8;
    *layer = 0;
    if (count == 0)
        return 0;
    const double all = (double)progress->sums[count - 1].clocks + 1;
    dev->ops->statistics(dev, &statistics);
    while (*layer < count && progress->layers[*layer] < done)
        ++*layer;
    if (*layer == 0)
        return 0;
    if (!statistics.rtl || progress->bytes == 0)
        return *layer > 1 ? (double)progress->sums[*layer - 2].clocks / all : 0;
    const double moved = bus * (double)(device_beats(statistics.read_beats) + device_beats(statistics.write_beats));
    size_t at = 0; /* further layers are armed */
    while (at + 1 < *layer && (double)progress->sums[at].bytes <= moved)
        at++;
    *layer = at + 1;
    const struct progress_layer before = at > 0 ? progress->sums[at - 1] : (struct progress_layer){0},
                                sum = progress->sums[at];
    double part = sum.bytes > before.bytes ? (moved - (double)before.bytes) / (double)(sum.bytes - before.bytes) : 0;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    return ((double)before.clocks + part * (double)(sum.clocks - before.clocks)) / all;
}

void run_progress_send(void *context, const struct device *dev, size_t done, size_t total) {
    struct run_progress *progress = context;
    const double now = process_clock();
    if (now - progress->last < 0.2)
        return;
    progress->last = now;
    struct device *device = (struct device *)dev;
    const uint64_t cycles = dev->ops->time(device);
    size_t layer;
    const double part = progress->from + progress->share * part_done(progress, device, done, &layer);
    const struct launch *launch = layer > 0 ? progress->launches[layer - 1] : NULL;
    const struct network_layer *of =
        launch ? network_layer_of(&progress->network, launch->unit, launch->ordinal) : NULL;
    autofree char *name = of ? xprintf("\"name\":\"%u.%u %s\",", of->task, of->operation, of->type) : xstrdup("");
    autofree char *text =
        xprintf("{%s\"device\":\"%s\",\"layer\":%zu,\"layers\":%zu,\"cycles\":%" PRIu64
                ",\"rate\":%.0f,\"part\":%.4f,\"done\":%zu,\"operations\":%zu}",
                name, dev->name, layer, progress->layer_count, cycles,
                now > progress->start ? (double)cycles / (now - progress->start) : 0, part, done, total);
    send_line(progress->fd, text);
}

void print_layer_end(void *context, struct device *dev, const char *text) {
    (void)context;
    struct device_statistics statistics = {0};
    char layer[NETWORK_LAYER];
    if (!network_layer_name(text, layer))
        return;
    dev->ops->statistics(dev, &statistics);
    fprintf(stderr, "  %s: layer %s done", dev->name, layer);
    if (statistics.rtl)
        fprintf(stderr, ", clock %" PRIu64, dev->ops->time(dev));
    putc('\n', stderr);
}

/* The operations of a program that arm a layer: a launch whose output goes to memory. Returns their number; free() the
 * lists. */
static size_t find_layers(const struct nvdla_config *config, const struct layer_tracker *tracker, size_t **layers,
                          const struct launch ***launches) {
    const size_t count = layer_tracker_count(tracker);
    size_t found = 0;
    *layers = xcalloc(count + 1, sizeof **layers);
    *launches = xcalloc(count + 1, sizeof **launches);
    for (size_t i = 0; i < count; i++) {
        const struct launch *launch = layer_tracker_launch(tracker, i);
        if (launch_is_layer(config, launch)) {
            (*launches)[found] = launch;
            (*layers)[found++] = launch->tag;
        }
    }
    return found;
}

static uint64_t launch_bytes(const struct nvdla_config *config, const struct launch *launch) {
    uint64_t atoms = 0;
    for (int client = 0; client < NVDLA_CLIENT_COUNT; client++)
        atoms += launch_atoms(config, launch, (enum nvdla_client)client);
    return atoms * (uint64_t)config->mem_atom;
}

/* Sums traffic and minimum time of the layers. Each launch counts with the next layer armed: engines of a chain are
 * armed together, in any order. */
static void sum_layers(const struct nvdla_config *config, const struct layer_tracker *tracker,
                       struct run_progress *progress) {
    progress->sums = xcalloc(progress->layer_count + 1, sizeof *progress->sums);
    for (size_t i = 0, at = 0; progress->layer_count > 0 && i < layer_tracker_count(tracker); i++) {
        const struct launch *launch = layer_tracker_launch(tracker, i);
        while (at + 1 < progress->layer_count && progress->layers[at + 1] <= launch->tag)
            at++;
        const size_t before = launch->tag > progress->layers[at] ? launch->tag - progress->layers[at] : 0;
        const bool next = at + 1 < progress->layer_count && progress->layers[at + 1] - launch->tag < before;
        struct progress_layer *sum = &progress->sums[next ? at + 1 : at];
        const uint64_t clocks = launch_clocks(config, launch);
        sum->bytes += launch_bytes(config, launch);
        sum->clocks = clocks > sum->clocks ? clocks : sum->clocks; /* they work at the same time */
    }
    for (size_t i = 1; i < progress->layer_count; i++) {
        progress->sums[i].bytes += progress->sums[i - 1].bytes;
        progress->sums[i].clocks += progress->sums[i - 1].clocks;
    }
}

uint64_t program_clocks(const struct program *prog) {
    struct layer_tracker *tracker = program_launches(prog);
    struct run_progress progress = {0};
    progress.layer_count = find_layers(prog->config, tracker, &progress.layers, &progress.launches);
    sum_layers(prog->config, tracker, &progress);
    const uint64_t clocks = progress.layer_count > 0 ? progress.sums[progress.layer_count - 1].clocks : 0;
    run_progress_free(&progress);
    layer_tracker_free(tracker);
    return clocks;
}

/* Factor by which accesses of a layer may be slower than with the memory of axi_options_default(). */
static double slowness(const struct axi_options *axi) {
    const uint32_t latency = axi->read_latency + axi->latency_max + axi->page_hit + axi->page_miss + axi->write_latency;
    const uint64_t dram = axi->dram.name[0] ? 32 * dram_read_clocks(&axi->dram) : 0; /* behind a full queue */
    double factor = (1 + ((double)dram + latency) / 32.0) * 1000 / (axi->bandwidth ? axi->bandwidth : 1000);
    for (int channel = 0; channel < 5; channel++)
        factor *= 1000.0 / (axi->stall[channel] < 1000 ? 1000 - axi->stall[channel] : 1);
    return factor;
}

uint64_t endless_clocks(const struct run_progress *progress, const struct axi_options *axi) {
    enum { TIMES = 1000, LEAST = 1000000 };
    uint64_t longest = 0;
    for (size_t i = 0, before = 0; i < progress->layer_count; before = progress->sums[i++].clocks)
        longest = progress->sums[i].clocks - before > longest ? progress->sums[i].clocks - before : longest;
    const double clocks = TIMES * slowness(axi) * (double)longest + LEAST;
    return clocks < (double)INT64_MAX ? (uint64_t)clocks : INT64_MAX;
}

void run_progress_measure(const struct program *prog, const struct layer_tracker *tracker, struct result *result,
                          struct run_progress *progress) {
    result->operations = prog->count;
    result->launches = layer_tracker_count(tracker);
    result->layers = progress->layer_count = find_layers(prog->config, tracker, &progress->layers, &progress->launches);
    sum_layers(prog->config, tracker, progress);
    network_read(prog, &progress->network, NULL); /* what the trace does not name is not printed */
    for (size_t i = 0; i < result->launches; i++) {
        const struct launch *launch = layer_tracker_launch(tracker, i);
        result->macs += launch_macs(launch);
        progress->bytes += launch_bytes(prog->config, launch);
    }
}

void run_progress_free(struct run_progress *progress) {
    free(progress->sums);
    free(progress->layers);
    free(progress->launches);
    network_free(&progress->network);
}
