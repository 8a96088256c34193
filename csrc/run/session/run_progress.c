/* How much there is to do in a run, and how far it is; see watch.h. */
#include "run/session/run_progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "layers/tracker.h"
#include "layers/traffic.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/options/wave_layer.h"
#include "run/process/process.h"
#include "trace/launches.h"

void send_line(int fd, const char *text) {
    struct text line = {0};
    text_printf(&line, "%s\n", text);
    for (size_t n = 0; n < line.n;) {
        const ssize_t written = write(fd, line.text + n, line.n - n);
        if (written <= 0)
            break;
        n += (size_t)written;
    }
    free(line.text);
}

/* The part of a device's work that is done, by the clocks that the layers take at least, and the layer that it is at,
 * from 1: of the RTL by the memory traffic of the layers, of the model, which does one at a time, by the operations
 * done. 0: none. */
static double part_done(const struct watch *watch, struct device *dev, size_t done, size_t *layer) {
    struct device_statistics statistics = {0};
    const size_t count = watch->layer_count;
    const double bus = (double)dev->config->dbb_data_bits / 8;
    *layer = 0;
    if (count == 0)
        return 0;
    const double all = (double)watch->sums[count - 1].clocks + 1;
    dev->ops->statistics(dev, &statistics);
    while (*layer < count && watch->layers[*layer] < done)
        ++*layer;
    if (*layer == 0)
        return 0;
    if (!statistics.rtl || watch->bytes == 0)
        return *layer > 1 ? (double)watch->sums[*layer - 2].clocks / all : 0;
    const double moved = bus * (double)(device_beats(statistics.read_beats) + device_beats(statistics.write_beats));
    size_t at = 0; /* armed are some more */
    while (at + 1 < *layer && (double)watch->sums[at].bytes <= moved)
        at++;
    *layer = at + 1;
    const struct watch_layer before = at > 0 ? watch->sums[at - 1] : (struct watch_layer){0}, sum = watch->sums[at];
    double part = sum.bytes > before.bytes ? (moved - (double)before.bytes) / (double)(sum.bytes - before.bytes) : 0;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    return ((double)before.clocks + part * (double)(sum.clocks - before.clocks)) / all;
}

void send_progress(void *context, const struct device *dev, size_t done, size_t total) {
    struct watch *watch = context;
    const double now = process_clock();
    if (now - watch->last < 0.2)
        return;
    watch->last = now;
    struct device *device = (struct device *)dev;
    const uint64_t cycles = dev->ops->time(device);
    size_t layer;
    const double part = watch->from + watch->share * part_done(watch, device, done, &layer);
    const struct launch *launch = layer > 0 ? watch->launches[layer - 1] : NULL;
    const struct network_layer *of = launch ? network_layer_of(&watch->network, launch->unit, launch->ordinal) : NULL;
    char *name = of ? xprintf("\"name\":\"%u.%u %s\",", of->task, of->operation, of->type) : xstrdup("");
    char *text = xprintf("{%s\"device\":\"%s\",\"layer\":%zu,\"layers\":%zu,\"cycles\":%" PRIu64
                         ",\"rate\":%.0f,\"part\":%.4f,\"done\":%zu,\"operations\":%zu}",
                         name, dev->name, layer, watch->layer_count, cycles,
                         now > watch->start ? (double)cycles / (now - watch->start) : 0, part, done, total);
    send_line(watch->fd, text);
    free(text);
    free(name);
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

/* The operations of a program that arm a layer: a launch whose output goes to memory. Returns their number; free()
 * the lists. */
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

/* What the layers move and take, each launch with the layer that is armed next to it: engines of a chain are armed
 * together, in any order. */
static void sum_layers(const struct nvdla_config *config, const struct layer_tracker *tracker, struct watch *watch) {
    watch->sums = xcalloc(watch->layer_count + 1, sizeof *watch->sums);
    for (size_t i = 0, at = 0; watch->layer_count > 0 && i < layer_tracker_count(tracker); i++) {
        const struct launch *launch = layer_tracker_launch(tracker, i);
        while (at + 1 < watch->layer_count && watch->layers[at + 1] <= launch->tag)
            at++;
        const size_t before = launch->tag > watch->layers[at] ? launch->tag - watch->layers[at] : 0;
        const bool next = at + 1 < watch->layer_count && watch->layers[at + 1] - launch->tag < before;
        struct watch_layer *sum = &watch->sums[next ? at + 1 : at];
        const uint64_t clocks = launch_clocks(config, launch);
        sum->bytes += launch_bytes(config, launch);
        sum->clocks = clocks > sum->clocks ? clocks : sum->clocks; /* they work at the same time */
    }
    for (size_t i = 1; i < watch->layer_count; i++) {
        watch->sums[i].bytes += watch->sums[i - 1].bytes;
        watch->sums[i].clocks += watch->sums[i - 1].clocks;
    }
}

uint64_t program_clocks(const struct program *prog) {
    struct layer_tracker *tracker = program_launches(prog);
    struct watch watch = {0};
    watch.layer_count = find_layers(prog->config, tracker, &watch.layers, &watch.launches);
    sum_layers(prog->config, tracker, &watch);
    const uint64_t clocks = watch.layer_count > 0 ? watch.sums[watch.layer_count - 1].clocks : 0;
    watch_free(&watch);
    layer_tracker_free(tracker);
    return clocks;
}

void measure_work(const struct program *prog, const struct layer_tracker *tracker, struct result *result,
                  struct watch *watch) {
    result->operations = prog->count;
    result->launches = layer_tracker_count(tracker);
    result->layers = watch->layer_count = find_layers(prog->config, tracker, &watch->layers, &watch->launches);
    sum_layers(prog->config, tracker, watch);
    network_read(prog, &watch->network, NULL); /* what it does not say is not told */
    for (size_t i = 0; i < result->launches; i++) {
        const struct launch *launch = layer_tracker_launch(tracker, i);
        result->macs += launch_macs(launch);
        watch->bytes += launch_bytes(prog->config, launch);
    }
}

void watch_free(struct watch *watch) {
    free(watch->sums);
    free(watch->layers);
    free(watch->launches);
    network_free(&watch->network);
}
