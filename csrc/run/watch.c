/* How much there is to do in a run, and how far it is; see watch.h. */
#include "run/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "layers/tracker.h"
#include "layers/traffic.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/process.h"
#include "run/wave_layer.h"

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

/* The part of a device's work that is done: of the RTL's, by the memory traffic that the launches need; of the model's,
 * which is done a layer at a time, by layers. */
static double part_done(const struct watch *watch, struct device *dev, size_t layer) {
    struct device_statistics statistics = {0};
    dev->ops->statistics(dev, &statistics);
    if (!statistics.rtl || watch->bytes == 0)
        return watch->layer_count > 0 && layer > 0 ? (double)(layer - 1) / (double)watch->layer_count : 0;
    uint64_t beats = 0;
    for (int id = 0; id < AXI_IDS; id++)
        beats += statistics.read_beats[id] + statistics.write_beats[id];
    const double part = (double)beats * dev->config->dbb_data_bits / 8 / (double)watch->bytes;
    return part < 1 ? part : 1;
}

void send_progress(void *context, const struct device *dev, size_t done, size_t total) {
    struct watch *watch = context;
    const double now = process_clock();
    if (now - watch->last < 0.2)
        return;
    watch->last = now;
    struct device *device = (struct device *)dev;
    const uint64_t cycles = dev->ops->time(device);
    size_t layer = 0;
    while (layer < watch->layer_count && watch->layers[layer] < done)
        layer++;
    double part = part_done(watch, device, layer);
    part = watch->from + watch->share * part;
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

void measure_work(const struct program *prog, const struct layer_tracker *tracker, struct result *result,
                  struct watch *watch) {
    result->operations = prog->count;
    result->launches = layer_tracker_count(tracker);
    result->layers = watch->layer_count = find_layers(prog->config, tracker, &watch->layers, &watch->launches);
    network_read(prog, &watch->network, NULL); /* what it does not say is not told */
    for (size_t i = 0; i < result->launches; i++) {
        const struct launch *launch = layer_tracker_launch(tracker, i);
        result->macs += launch_macs(launch);
        for (int client = 0; client < NVDLA_CLIENT_COUNT; client++)
            watch->bytes +=
                launch_atoms(prog->config, launch, (enum nvdla_client)client) * (uint64_t)prog->config->mem_atom;
    }
}

void watch_free(struct watch *watch) {
    free(watch->layers);
    free(watch->launches);
    network_free(&watch->network);
}
