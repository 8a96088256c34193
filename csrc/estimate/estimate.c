/* Clocks of layers from their sizes and the laws of the engines. See estimate.h. */
#include "estimate/estimate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimate/laws.embed.h"
#include "layers/conv_order.h"
#include "layers/cubes.h"
#include "layers/pairing.h"
#include "layers/traffic.h"
#include "memory/file.h"
#include "nvdla/sizes.h"
#include "nvdla/xalloc.h"

const char *const estimate_engine_names[ESTIMATE_ENGINES] = {"conv", "sdp", "pdp", "cdp", "fused", "move"};
const char *const estimate_part_names[ESTIMATE_PARTS] = {"unit", "weights", "data",   "operands",
                                                         "SDP",  "port",    "writes", "latency"};

/* ---- laws ---- */

bool estimate_laws_read(const char *path, struct estimate_laws *laws, struct error *err) {
    static const char head[] = "engine,start,trips,fill,sharp,unit,read,credit,hold,write,sdp";
    char *text = NULL, *rest;
    size_t n;
    unsigned number = 0, found = 0;
    bool good = true;
    if (!path)
        text = xstrdup(laws_csv);
    else if (!file_read(path, &text, &n, err))
        return false;
    rest = text;
    for (char *line; good && (line = strsep(&rest, "\n"));) {
        struct estimate_law law;
        char name[16], tail;
        int engine = 0;
        if (number++ == 0) {
            good =
                strcmp(line, head) == 0 || error_set(err, "%s:1: expected the line '%s'", path ? path : "laws", head);
            continue;
        }
        if (!*line)
            continue;
        const int fields =
            sscanf(line, "%15[a-z],%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf%c", name, &law.start, &law.trips, &law.fill,
                   &law.sharp, &law.unit, &law.read, &law.credit, &law.hold, &law.write, &law.sdp, &tail);
        while (fields == 11 && engine < ESTIMATE_ENGINES && strcmp(name, estimate_engine_names[engine]) != 0)
            engine++;
        if (fields != 11 || engine == ESTIMATE_ENGINES || law.sharp < 1 || law.credit <= 0) {
            good = error_set(err, "%s:%u: found '%s', expected conv, sdp, pdp, cdp, fused or move, and ten numbers",
                             path ? path : "laws", number, line);
            continue;
        }
        laws->engines[engine] = law;
        found |= 1U << engine;
    }
    if (good && found != (1U << ESTIMATE_ENGINES) - 1)
        good =
            error_set(err, "%s: expected a line for each of conv, sdp, pdp, cdp, fused and move", path ? path : "laws");
    free(text);
    return good;
}

struct estimate_memory estimate_memory_dram(const struct dram_config *config) {
    const double ratio = (double)config->core_khz / config->clock_khz;
    const double idle = 2 + config->t.tCL + config->burst / 2.0 + config->t.tRCD / 2.0; /* every other row is open */
    const double pins = 0.92 * dram_pin_bandwidth(config) / (config->core_khz * 1e3), bus = config->bus_width / 8.0;
    return (struct estimate_memory){.latency = config->latency + idle * ratio,
                                    .bytes = bus > 0 && bus < pins ? bus : pins};
}

/* ---- a layer ---- */

/* Beats that the clients of SDP_RDMA may have on their way in small; those of operands twice as many. Chapter 70
 * section 3. */
enum { SDP_CREDIT = 8 };

struct counting {
    const struct nvdla_config *config;
    const struct estimate_law *law;
    const struct estimate_memory *memory;
    struct estimated_layer *layer;
};

/* Beats of a client's atoms, which are packed into beats. */
static double beats_of(const struct nvdla_config *config, uint64_t atoms) {
    const double bytes = (double)(atoms * (uint64_t)config->mem_atom);
    return bytes * 8 / config->dbb_data_bits;
}

/* Adds what a launch reads and writes. */
static void add_launch(struct counting *counting, const struct launch *launch) {
    const struct nvdla_config *config = counting->config;
    struct estimated_layer *layer = counting->layer;
    const double scale = config->dbb_latency / 64.0; /* the laws are those of small */
    const double credit =
        (launch->unit == NVDLA_SDP_RDMA ? SDP_CREDIT : counting->law->credit) * (scale > 1 ? scale : 1);
    const double waits = (counting->memory->latency + counting->law->hold) / credit;
    for (int c = 0; c < NVDLA_CLIENT_COUNT; c++) {
        const enum nvdla_client client = (enum nvdla_client)c;
        const uint64_t atoms = launch_atoms(config, launch, client);
        const double beats = beats_of(config, atoms);
        if (nvdla_clients[client].write) {
            layer->write_bytes += atoms * (uint64_t)config->mem_atom;
            continue;
        }
        layer->read_bytes += atoms * (uint64_t)config->mem_atom;
        const enum estimate_part part =
            client == NVDLA_READ_CDMA_WT                                                             ? PART_WEIGHTS
            : client == NVDLA_READ_SDP_B || client == NVDLA_READ_SDP_N || client == NVDLA_READ_SDP_E ? PART_OPERANDS
                                                                                                     : PART_DATA;
        const double room = part == PART_OPERANDS ? waits / 2 : waits;
        const double clocks = counting->law->read * beats * (room > 1 ? room : 1);
        if (clocks > layer->parts[part]) /* operands are read side by side */
            layer->parts[part] = clocks;
    }
    layer->macs += launch_macs(launch);
}

/* Clocks of the MAC array: each operation takes its atoms, and at least one clock for each kernel whose weights are
 * loaded. */
static double array_clocks(const struct registers_view *view) {
    const struct conv_order order = conv_order(view);
    struct conv_operation operation = conv_order_first(&order);
    double clocks = 0;
    for (;;) {
        const size_t atoms = conv_operation_atoms(&order, &operation);
        const size_t load = ceil_div(operation.kernels, order.cell);
        clocks += (double)(atoms > load ? atoms : load);
        if (operation.layer_end)
            return clocks;
        operation = conv_order_next(&order, &operation);
    }
}

/* Beats before the first operation: the lines of a kernel, and the weights of a group. */
static double first_beats(const struct registers_view *view, const struct estimated_layer *layer,
                          const struct estimate_law *law) {
    const struct cdma_cubes cdma = cdma_cubes(view);
    const double lines = FIELD(view, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_HEIGHT_EXT) + 1;
    const double data = layer->parts[PART_DATA] / (law->read > 0 ? law->read : 1);
    const double part = cdma.height && lines < (double)cdma.height ? lines / (double)cdma.height : 1;
    const double groups = cdma.kernel_group ? (double)ceil_div(cdma.kernels, cdma.kernel_group) : 1;
    return data * part + layer->parts[PART_WEIGHTS] / (groups > 0 ? groups : 1);
}

static uint64_t elements(const struct nvdla_config *config, const struct launch *launch) {
    struct cube cube;
    bool primary;
    if (!launch_input_cube(config, launch, &cube, &primary))
        return 0;
    return (uint64_t)cube.width * (uint64_t)cube.height * (uint64_t)(cube.channels + 7) / 8 * 8;
}

/* Clocks of the pipe of PDP: each input line that belongs to a window takes the beats of every output column, and each
 * output line that the bottom pad completes takes them once more. The input takes an atom a clock. Spec: 60-pdp
 * sections 4, 5 and 7. */
static double pdp_clocks(const struct nvdla_config *config, const struct launch *launch) {
    const struct registers_view view = launch_view(config, launch);
    const struct pdp_cubes pdp = pdp_cubes(&view);
    const int kernel = (int)FIELD(&view, PDP, D_POOLING_KERNEL_CFG, KERNEL_HEIGHT) + 1;
    const int stride = (int)FIELD(&view, PDP, D_POOLING_KERNEL_CFG, KERNEL_STRIDE_HEIGHT) + 1;
    const int pad_top = (int)FIELD(&view, PDP, D_POOLING_PADDING_CFG, PAD_TOP);
    const int out_height = pdp.destination.cube.height;
    const int lanes = pdp.precision == NVDLA_INT8 ? config->mem_atom : config->mem_atom / 2;
    const double surfaces = (double)ceil_div((size_t)pdp.in_channels, (size_t)lanes);
    const double beats = (double)ceil_div((size_t)lanes, (size_t)config->pdp_throughput);
    double lines = 0;
    for (int y = 0; y < pdp.in_height; y++)
        lines += pdp_line_counts(y, kernel, stride, pad_top, out_height);
    for (int y = out_height - 1; y >= 0 && y * stride - pad_top + kernel > pdp.in_height; y--)
        lines++;
    const double pipe = surfaces * beats * pdp.destination.cube.width * lines;
    const double input = surfaces * pdp.in_width * pdp.in_height;
    return pipe > input ? pipe : input;
}

/* Clocks of the pipe of SDP, also if it writes to PDP. */
static double sdp_clocks(const struct nvdla_config *config, const struct launch *launch) {
    const struct registers_view view = launch_view(config, launch);
    const struct sdp_shape shape = sdp_cubes(&view).shape;
    const bool ew = nvdla_has(config, FEATURE_EW) && !FIELD(&view, SDP, D_DP_EW_CFG, EW_BYPASS);
    const double per_clock = ew ? config->sdp_ew_throughput : config->sdp_bs_throughput;
    const double channels = (double)ceil_div((size_t)shape.channels, (size_t)config->atomic_k) * config->atomic_k;
    return (double)shape.width * shape.height * channels * (shape.batches > 1 ? shape.batches : 1) / per_clock;
}

static void combine(struct counting *counting, double first) {
    const struct estimate_law *law = counting->law;
    struct estimated_layer *layer = counting->layer;
    const double bus = counting->config->dbb_data_bits / 8.0;
    const double bytes = counting->memory->bytes > 0 && counting->memory->bytes < bus ? counting->memory->bytes : bus;
    double reads = 0;
    layer->parts[PART_UNIT] *= law->unit;
    layer->parts[PART_SDP] *= law->sdp;
    layer->parts[PART_PORT] = law->read * (double)layer->read_bytes / bytes;
    layer->parts[PART_WRITES] = law->write * (double)layer->write_bytes / bytes;
    for (int part = 0; part < PART_LATENCY; part++) {
        const bool is_read = part == PART_WEIGHTS || part == PART_DATA || part == PART_OPERANDS || part == PART_PORT;
        if (is_read && layer->parts[part] > reads)
            reads = layer->parts[part]; /* the clients share the port: the slowest counts */
        if (layer->parts[part] > layer->parts[layer->limit])
            layer->limit = (enum estimate_part)part;
    }
    const double sum = pow(layer->parts[PART_UNIT], law->sharp) + pow(layer->parts[PART_SDP], law->sharp) +
                       pow(layer->parts[PART_WRITES], law->sharp) + pow(reads, law->sharp);
    layer->parts[PART_LATENCY] = law->start + law->trips * counting->memory->latency + law->fill * first;
    if (layer->parts[PART_LATENCY] > layer->parts[layer->limit])
        layer->limit = PART_LATENCY;
    layer->clocks = layer->parts[PART_LATENCY] + pow(sum, 1 / law->sharp);
}

/* Adds the launches that feed one, and returns the law of the layer. */
static enum estimate_engine engine_of(const struct layer_tracker *tracker, const struct launch *launch) {
    const struct launch *sdp = launch->unit == NVDLA_SDP ? launch : layer_tracker_feeder(tracker, launch, NVDLA_SDP);
    if (launch->unit == NVDLA_BDMA || launch->unit == NVDLA_RBK)
        return ESTIMATE_MOVE;
    if (launch->unit == NVDLA_CDP)
        return ESTIMATE_CDP;
    if (launch->unit == NVDLA_PDP)
        return sdp ? ESTIMATE_FUSED : ESTIMATE_PDP;
    return layer_tracker_feeder(tracker, launch, NVDLA_CSC) ? ESTIMATE_CONV : ESTIMATE_SDP;
}

static void estimate(struct counting *counting, const struct layer_tracker *tracker, const struct launch *launch) {
    static const enum nvdla_unit feeders[] = {NVDLA_CDMA, NVDLA_CSC,      NVDLA_CMAC_A,   NVDLA_CMAC_B,  NVDLA_CACC,
                                              NVDLA_SDP,  NVDLA_SDP_RDMA, NVDLA_PDP_RDMA, NVDLA_CDP_RDMA};
    const struct nvdla_config *config = counting->config;
    struct estimated_layer *layer = counting->layer;
    const struct launch *of[NVDLA_UNIT_COUNT] = {NULL};
    struct registers_view view = launch_view(config, launch);
    double first = 0;
    add_launch(counting, launch);
    of[launch->unit] = launch;
    for (size_t i = 0; i < sizeof feeders / sizeof *feeders; i++)
        if (feeders[i] != launch->unit && (of[feeders[i]] = layer_tracker_feeder(tracker, launch, feeders[i]))) {
            add_launch(counting, of[feeders[i]]);
            launch_view_add(&view, of[feeders[i]]);
        }
    if (of[NVDLA_SDP])
        layer->parts[PART_SDP] = sdp_clocks(config, of[NVDLA_SDP]);
    if (of[NVDLA_CSC]) {
        layer->parts[PART_UNIT] = array_clocks(&view);
        first = first_beats(&view, layer, counting->law);
    }
    if (launch->unit == NVDLA_PDP) { /* after a convolution the slower of the two counts */
        const double pipe = pdp_clocks(config, launch);
        if (pipe > layer->parts[PART_UNIT])
            layer->parts[PART_UNIT] = pipe;
    } else if (launch->unit == NVDLA_CDP)
        layer->parts[PART_UNIT] = (double)elements(config, launch) / config->cdp_throughput;
    else if (layer->engine == ESTIMATE_MOVE)
        layer->parts[PART_UNIT] = (double)launch_beats(config, launch);
    combine(counting, first);
}

size_t estimate_layers(const struct layer_tracker *tracker, const struct estimate_laws *laws,
                       const struct estimate_memory *memory, struct estimated_layer **layers) {
    const struct nvdla_config *config = layer_tracker_config(tracker);
    size_t count = 0;
    *layers = NULL;
    for (size_t i = 0; i < layer_tracker_count(tracker); i++) {
        const struct launch *launch = layer_tracker_launch(tracker, i);
        struct cube cube;
        bool primary;
        if (!launch->block_count && !launch_output_cube(config, launch, &cube, &primary))
            continue;
        *layers = xgrow(*layers, count, sizeof **layers);
        struct estimated_layer *layer = &(*layers)[count++];
        *layer = (struct estimated_layer){.launch = launch, .engine = engine_of(tracker, launch)};
        struct counting counting = {config, &laws->engines[layer->engine], memory, layer};
        estimate(&counting, tracker, launch);
    }
    return count;
}
