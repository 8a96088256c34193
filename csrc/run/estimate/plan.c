/* A network as a plan of sizes. See plan.h. */
#include "run/estimate/plan.h"

#include <math.h>

#include "nvdla/sizes.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/network/open.h"

enum { PICTURE_CHANNELS = 4, SUM_WITH_CONVOLUTION = 4 /* elements a clock of SDP */ };

struct plan {
    const struct graph *graph;
    const struct nvdla_config *config;
    double bytes;
    struct estimate *estimate;
    int ordinals[NVDLA_UNIT_COUNT];
};

static uint64_t elements(const struct tensor *tensor) {
    return (uint64_t)tensor->h * (uint64_t)tensor->w * (uint64_t)tensor->c;
}

/* Clocks of the array for a convolution. */
static double array_clocks(const struct plan *plan, const struct node *node, size_t rows, size_t columns,
                           size_t channels) {
    const struct tensor *to = node_output(plan->graph, node);
    const bool picture = channels <= PICTURE_CHANNELS;
    const size_t block = (size_t)plan->config->atomic_c;
    const size_t taps =
        picture ? rows * ceil_div(columns * channels, block) : rows * columns * ceil_div(channels, block);
    return (double)to->h * to->w * (double)(taps * ceil_div((size_t)to->c, (size_t)plan->config->atomic_k));
}

/* Bytes that a convolution reads; *overlaps: the pieces of two layers fit CBUF. */
static uint64_t read_bytes(const struct plan *plan, uint64_t data, uint64_t weights, uint64_t kernel_bytes,
                           bool *overlaps) {
    const struct nvdla_config *config = plan->config;
    const uint64_t cbuf =
        (uint64_t)config->cbuf_banks * (uint64_t)config->cbuf_bank_bytes * (uint64_t)config->cbuf_bank_depth;
    const uint64_t half = cbuf / 2, groups = 2 * (uint64_t)config->atomic_k * kernel_bytes;
    const uint64_t again = data * ceil_div(weights, half) + weights, other = weights * ceil_div(data, half) + data;
    *overlaps = 2 * (lesser(data, half) + lesser(weights, groups)) <= cbuf;
    return again < other ? again : other;
}

/* Adds a layer of which work and memory overlap or follow each other. */
static void add_layer(struct plan *plan, enum nvdla_unit unit, struct estimated_layer layer, double work,
                      bool overlaps) {
    struct estimate *estimate = plan->estimate;
    const double memory = (double)(layer.read_bytes + layer.write_bytes) / plan->bytes;
    layer.unit = unit;
    layer.ordinal = plan->ordinals[unit]++;
    layer.clocks = overlaps ? fmax(work, memory) : work + memory;
    layer.start = estimate->clocks;
    layer.end = layer.start + layer.clocks;
    if (memory > work) {
        layer.limit = LIMIT_DATA;
        layer.by_bandwidth = true;
    }
    *xadd(estimate->layers, estimate->count) = layer;
    estimate->clocks = layer.end;
    estimate->macs += layer.macs;
    estimate->read_bytes += layer.read_bytes;
    estimate->write_bytes += layer.write_bytes;
}

static void add_convolution(struct plan *plan, const struct node *node, size_t rows, size_t columns, bool depthwise) {
    const struct tensor *from = node_input(plan->graph, node, 0), *to = node_output(plan->graph, node);
    const bool whole = node->kind == NODE_FULLY_CONNECTED;
    const size_t channels = (size_t)(from->c / node->groups),
                 kernel = rows * columns * (depthwise ? (size_t)plan->config->atomic_k : channels);
    const uint64_t weights = (uint64_t)to->c * kernel, data = elements(from);
    struct estimated_layer layer = {.engine = ESTIMATE_CONV, .write_bytes = elements(to)};
    bool overlaps;
    layer.macs =
        (whole ? 1 : (uint64_t)to->h * (uint64_t)to->w) * (uint64_t)to->c * rows * columns * (depthwise ? 1 : channels);
    layer.read_bytes = read_bytes(plan, data, weights, kernel, &overlaps);
    const size_t deep = depthwise ? lesser(channels, (size_t)plan->config->atomic_c) : channels;
    add_layer(plan, NVDLA_SDP, layer, array_clocks(plan, node, rows, columns, deep), overlaps);
}

/* A sum: with the convolution before it, which then reads one more cube, or by itself. */
static void add_sum(struct plan *plan, const struct node *node) {
    const uint64_t size = elements(node_output(plan->graph, node));
    const bool joined = nvdla_sdp_lanes(plan->config) >= SUM_WITH_CONVOLUTION;
    struct estimated_layer layer = {.engine = ESTIMATE_SDP, .limit = LIMIT_SDP};
    layer.read_bytes = joined ? size : 2 * size;
    layer.write_bytes = joined ? 0 : size;
    add_layer(plan, NVDLA_SDP, layer, 0, true);
}

static void add_pooling(struct plan *plan, const struct node *node) {
    const struct estimated_layer layer = {.engine = ESTIMATE_PDP,
                                          .limit = LIMIT_UNIT,
                                          .read_bytes = elements(node_input(plan->graph, node, 0)),
                                          .write_bytes = elements(node_output(plan->graph, node))};
    add_layer(plan, NVDLA_PDP, layer, 0, true);
}

static void add_node(struct plan *plan, const struct node *node) {
    const struct tensor *from = node_input(plan->graph, node, 0);
    switch (node->kind) {
    case NODE_CONV:
    case NODE_DEPTHWISE:
        add_convolution(plan, node, (size_t)node->y.size, (size_t)node->x.size, node->kind == NODE_DEPTHWISE);
        break;
    case NODE_FULLY_CONNECTED:
        add_convolution(plan, node, (size_t)from->h, (size_t)from->w, false);
        break;
    case NODE_ADD:
        add_sum(plan, node);
        break;
    case NODE_AVERAGE_POOL:
    case NODE_MAX_POOL:
    case NODE_MEAN:
    case NODE_SOFTMAX:
    case NODE_LOGISTIC:
        add_pooling(plan, node);
        break;
    default: /* views of memory, or part of the node before */
        break;
    }
}

bool plan_estimate(const char *path, const struct nvdla_config *config, double bytes, struct estimate *estimate,
                   struct error *err) {
    *estimate = (struct estimate){0};
    struct graph *graph = graph_read(path, err);
    struct plan plan = {.graph = graph, .config = config, .bytes = bytes, .estimate = estimate};
    for (size_t i = 0; graph && i < graph->node_count; i++)
        add_node(&plan, &graph->nodes[i]);
    const bool good = graph != NULL;
    graph_free(graph);
    return good;
}
