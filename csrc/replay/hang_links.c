/* The links between engines: required elements, progress, and the current launch of each. See hang_reasoning.h. */
#include "replay/hang_reasoning.h"

#include "layers/cubes.h"
#include "layers/traffic.h"
#include "nvdla/sizes.h"

const struct client_links hang_client_links[HANG_CLIENTS] = {
#define READING(c, u, e)                                                                                               \
    [L_##c] = {NVDLA_READ_##c, ENGINE_##e, WAIT_ASK_##c, WAIT_TAKE_##c, WAIT_DUE_##c, WAIT_READ_##c,                   \
               WAIT_DATA_##c,  WAIT_COUNT, WAIT_COUNT,   WAIT_COUNT,    WAIT_COUNT},
#define WRITING(c, u, e)                                                                                               \
    [L_##c##_W] = {NVDLA_WRITE_##c, ENGINE_##e,    WAIT_CMD_##c, WAIT_PUT_##c,  WAIT_PACK_##c, WAIT_WRITE_##c,         \
                   WAIT_BEAT_##c,   WAIT_LAST_##c, WAIT_ACK_##c, WAIT_DONE_##c, WAIT_INTR_##c},
    FOR_READ_CLIENTS(READING) FOR_WRITE_CLIENTS(WRITING)};

/* ---- required elements ---- */

uint64_t hang_beat_atoms(const struct nvdla_config *config) {
    return ceil_div((size_t)config->dbb_data_bits / 8, (size_t)config->mem_atom);
}

uint64_t hang_atom_beats(const struct nvdla_config *config) {
    return ceil_div((size_t)config->mem_atom, (size_t)config->dbb_data_bits / 8);
}

bool hang_beat_is_atom(const struct nvdla_config *config) {
    return config->dbb_data_bits == 8 * config->mem_atom;
}

uint64_t hang_row_results(const struct nvdla_config *config) {
    return (uint64_t)(nvdla_has_16_bits(config) ? nvdla_sdp_lanes(config) : config->atomic_k);
}

static struct conv_shape conv_shape(const struct nvdla_config *config, const struct registers_view *view) {
    const bool wide = nvdla_precision_of(config, FIELD(view, CSC, D_MISC_CFG, PROC_PRECISION)) != NVDLA_INT8;
    const bool winograd = nvdla_has(config, FEATURE_WINOGRAD) && FIELD(view, CSC, D_MISC_CFG, CONV_MODE);
    const bool image = !winograd && FIELD(view, CSC, D_DATAIN_FORMAT, DATAIN_FORMAT);
    const uint32_t extension = FIELD(view, CSC, D_POST_Y_EXTENSION, Y_EXTENSION);
    const uint64_t lines = FIELD(view, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_HEIGHT_EXT) + (uint64_t)1;
    const uint64_t columns = FIELD(view, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_WIDTH_EXT) + (uint64_t)1;
    const uint64_t channels = FIELD(view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_CHANNEL_EXT) + (uint64_t)1;
    const uint64_t kernels = FIELD(view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_KERNEL) + (uint64_t)1;
    const uint64_t atomics = VALUE(view, CSC, D_ATOMICS);
    struct conv_shape shape = {
        .group = (uint64_t)config->atomic_k / (wide ? 2 : 1),
        .operations = ceil_div(channels, winograd ? 4 : (size_t)config->atomic_c) * lines,
        .batches = 1,
    };
    if (image)
        shape.operations = ceil_div(channels, (size_t)config->atomic_c) * ceil_div(lines, extension == 0   ? 1
                                                                                          : extension == 1 ? 2
                                                                                                           : 4);
    else if (!winograd)
        shape.operations *= columns;
    if (config->batch_max > 1 && !image && !winograd)
        shape.batches = FIELD(view, CSC, D_BATCH_NUMBER, BATCHES) + (uint64_t)1;
    uint64_t positions = winograd ? atomics / 4 + 1 : atomics + 1;
    if (image)
        positions = (uint64_t)(FIELD(view, CSC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1) *
                    (FIELD(view, CSC, D_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1);
    shape.rows = positions * shape.batches * ceil_div(kernels, (size_t)shape.group);
    shape.results = shape.group / hang_row_results(config) * (winograd ? 4 : 1);
    return shape;
}

/* Transfers of the pipe for a cube of SDP. */
static uint64_t sdp_beats(const struct nvdla_config *config, const struct sdp_shape *shape) {
    const uint64_t batches = (uint64_t)(shape->batches > 1 ? shape->batches : 1);
    return (uint64_t)shape->width * (uint64_t)shape->height * (uint64_t)shape->surfaces * batches *
           (uint64_t)(shape->lanes / nvdla_sdp_lanes(config));
}

enum { UNKNOWN = -1 };

/* Elements that move on a link for a launch; UNKNOWN if the registers alone do not determine it. */
typedef int64_t required_fn(const struct nvdla_config *config, const struct launch *launch, int argument);

/* BDMA: of all descriptors; the same for reads and writes. */
static int64_t required_copies(const struct nvdla_config *config, const struct launch *launch) {
    uint64_t atoms = 0;
    for (size_t i = 0; i < launch->block_count; i++) {
        struct launch_block block;
        if (launch_block(config, launch, i, &block))
            atoms +=
                (uint64_t)block.source.width * (uint64_t)block.source.height * (uint64_t)cube_surfaces(&block.source);
    }
    return (int64_t)atoms;
}

static int64_t required_atoms(const struct nvdla_config *config, const struct launch *launch, int client) {
    return launch->unit == NVDLA_BDMA ? required_copies(config, launch)
                                      : (int64_t)launch_atoms(config, launch, (enum nvdla_client)client);
}

/* BDMA: none for a launch without descriptors. */
static int64_t required_one(const struct nvdla_config *config, const struct launch *launch, int argument) {
    (void)config;
    (void)argument;
    return launch->unit != NVDLA_BDMA || launch->block_count > 0;
}

static int64_t required_last(const struct nvdla_config *config, const struct launch *launch, int client) {
    return launch->unit == NVDLA_BDMA ? launch->block_count > 0 : required_atoms(config, launch, client) > 0;
}

static int64_t required_cbuf(const struct nvdla_config *config, const struct launch *launch, int client) {
    const struct registers_view view = launch_view(config, launch);
    const struct cdma_cubes cdma = cdma_cubes(&view);
    const bool same = !nvdla_has_16_bits(config) || cdma.in == cdma.proc;
    const bool known = client == NVDLA_READ_CDMA_DAT ? cdma.mode == CDMA_FEATURE && same : !cdma.compressed;
    return known ? required_atoms(config, launch, client) : UNKNOWN;
}

static int64_t required_slices(const struct nvdla_config *config, const struct launch *launch, int argument) {
    const struct registers_view view = launch_view(config, launch);
    (void)argument;
    const struct cdma_cubes cdma = cdma_cubes(&view);
    /* Winograd: lines of tiles, which are four. */
    const size_t lines = cdma.mode == CDMA_WINOGRAD ? ceil_div(cdma.extended_height, 4) * 4 : cdma.height;
    return launch->fetches_data ? (int64_t)lines : 0;
}

static int64_t required_kernels(const struct nvdla_config *config, const struct launch *launch, int argument) {
    const struct registers_view view = launch_view(config, launch);
    (void)argument;
    return launch->fetches_weights ? (int64_t)cdma_cubes(&view).kernels : 0;
}

static int64_t required_rows(const struct nvdla_config *config, const struct launch *launch, int atoms) {
    const struct registers_view view = launch_view(config, launch);
    const struct conv_shape shape = conv_shape(config, &view);
    return (int64_t)(shape.rows * (atoms ? shape.operations : 1));
}

static int64_t required_results(const struct nvdla_config *config, const struct launch *launch, int beats) {
    const struct registers_view view = launch_view(config, launch);
    const bool wide = nvdla_precision_of(config, FIELD(&view, CACC, D_MISC_CFG, PROC_PRECISION)) != NVDLA_INT8;
    const uint64_t group = (uint64_t)config->atomic_k / (wide ? 2 : 1);
    const uint64_t batches =
        config->batch_max > 1 ? FIELD(&view, CACC, D_BATCH_NUMBER, BATCHES) + (uint64_t)1 : (uint64_t)1;
    const uint64_t rows = (uint64_t)(FIELD(&view, CACC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1) *
                          (FIELD(&view, CACC, D_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1) * batches *
                          ceil_div(FIELD(&view, CACC, D_DATAOUT_SIZE_1, DATAOUT_CHANNEL) + 1, (size_t)group) *
                          (group / hang_row_results(config));
    return (int64_t)(rows * (beats ? hang_row_results(config) / (uint64_t)nvdla_sdp_lanes(config) : 1));
}

static int64_t required_operands(const struct nvdla_config *config, const struct launch *launch, int stage) {
    const struct registers_view view = launch_view(config, launch);
    const struct sdp_rdma_cubes rdma = sdp_rdma_cubes(&view);
    return rdma.operands[stage].enabled ? (int64_t)sdp_beats(config, &rdma.shape) : 0;
}

static int64_t required_sdp(const struct nvdla_config *config, const struct launch *launch, int to_pdp) {
    const struct registers_view view = launch_view(config, launch);
    const struct sdp_cubes sdp = sdp_cubes(&view);
    return to_pdp && !sdp.to_pdp ? 0 : (int64_t)sdp_beats(config, &sdp.shape);
}

static const struct flow_rule {
    enum nvdla_unit unit; /* whose launches count */
    required_fn *required;
    int argument;
    bool beats; /* of the memory interface: the number for a launch is known if they are atoms */
} flow_rules[WAIT_COUNT] = {
#define READER(c, u, e)                                                                                                \
    [WAIT_ASK_##c] = {NVDLA_##u, required_atoms, NVDLA_READ_##c, false},                                               \
    [WAIT_TAKE_##c] = {NVDLA_##u, required_atoms, NVDLA_READ_##c, false},                                              \
    [WAIT_READ_##c] = {NVDLA_##u, required_atoms, NVDLA_READ_##c, true},                                               \
    [WAIT_DATA_##c] = {NVDLA_##u, required_atoms, NVDLA_READ_##c, true},
#define WRITER(c, u, e)                                                                                                \
    [WAIT_CMD_##c] = {NVDLA_##u, required_atoms, NVDLA_WRITE_##c, false},                                              \
    [WAIT_PUT_##c] = {NVDLA_##u, required_atoms, NVDLA_WRITE_##c, false},                                              \
    [WAIT_WRITE_##c] = {NVDLA_##u, required_atoms, NVDLA_WRITE_##c, true},                                             \
    [WAIT_BEAT_##c] = {NVDLA_##u, required_atoms, NVDLA_WRITE_##c, true},                                              \
    [WAIT_LAST_##c] = {NVDLA_##u, required_last, NVDLA_WRITE_##c, false},                                              \
    [WAIT_DONE_##c] = {NVDLA_##u, required_last, NVDLA_WRITE_##c, false},
#define INTERRUPTING(i, u) [WAIT_INTR_##i] = {NVDLA_##u, required_one, 0, false},
#define LAYER(u) [WAIT_LAYER_##u] = {NVDLA_##u, required_one, 0, false},
    [WAIT_CBUF_DAT] = {NVDLA_CDMA, required_cbuf, NVDLA_READ_CDMA_DAT, false},
    [WAIT_CBUF_WT] = {NVDLA_CDMA, required_cbuf, NVDLA_READ_CDMA_WT, false},
    [WAIT_SLICES] = {NVDLA_CDMA, required_slices, 0, false},
    [WAIT_KERNELS] = {NVDLA_CDMA, required_kernels, 0, false},
    [WAIT_ATOMS] = {NVDLA_CSC, required_rows, 1, false},
    [WAIT_ROWS] = {NVDLA_CSC, required_rows, 0, false},
    [WAIT_SUMS] = {NVDLA_CSC, required_rows, 1, false},
    [WAIT_SUM_ROWS] = {NVDLA_CSC, required_rows, 0, false},
    [WAIT_RESULTS] = {NVDLA_CACC, required_results, 1, false},
    [WAIT_CREDITS] = {NVDLA_CACC, required_results, 0, false},
    [WAIT_SDP_MAIN] = {NVDLA_SDP_RDMA, required_atoms, NVDLA_READ_SDP, false},
    [WAIT_SDP_BS] = {NVDLA_SDP_RDMA, required_operands, SDP_BS, false},
    [WAIT_SDP_BN] = {NVDLA_SDP_RDMA, required_operands, SDP_BN, false},
    [WAIT_SDP_EW] = {NVDLA_SDP_RDMA, required_operands, SDP_EW, false},
    [WAIT_SDP_SOURCE] = {NVDLA_SDP, required_sdp, 0, false},
    [WAIT_SDP_X1] = {NVDLA_SDP, required_sdp, 0, false},
    [WAIT_SDP_X2] = {NVDLA_SDP, required_sdp, 0, false},
    [WAIT_SDP_OUT] = {NVDLA_SDP, required_sdp, 0, false},
    [WAIT_FLY] = {NVDLA_SDP, required_sdp, 1, false},
    [WAIT_PDP_MAIN] = {NVDLA_PDP_RDMA, required_atoms, NVDLA_READ_PDP, false},
    [WAIT_PDP_OUT] = {NVDLA_PDP, required_atoms, NVDLA_WRITE_PDP, false},
    [WAIT_CDP_MAIN] = {NVDLA_CDP_RDMA, required_atoms, NVDLA_READ_CDP, false},
    [WAIT_CDP_OUT] = {NVDLA_CDP, required_atoms, NVDLA_WRITE_CDP, false},
    FOR_READ_CLIENTS(READER) FOR_WRITE_CLIENTS(WRITER) FOR_GROUPED_UNITS(LAYER) FOR_INTERRUPTS(INTERRUPTING)};

/* ---- launches ---- */

const struct launch *hang_launch(const struct reasoning *r, enum nvdla_unit unit, int ordinal) {
    return r->waits->launches ? layer_tracker_find(r->waits->launches, unit, ordinal) : NULL;
}

int hang_launch_count(const struct reasoning *r, enum nvdla_unit unit) {
    int count = 0;
    while (unit < NVDLA_UNIT_COUNT && hang_launch(r, unit, count))
        count++;
    return count;
}

int hang_jobs(const struct reasoning *r, enum nvdla_unit unit) {
    int count = 0;
    if (unit == NVDLA_UNIT_COUNT)
        return 0;
    for (size_t i = 0; i < r->hang->armed_count; i++)
        count += r->hang->armed[i].unit == unit;
    return count;
}

int hang_current(const struct reasoning *r, enum nvdla_unit unit) {
    const int left = hang_jobs(r, unit);
    return left ? hang_launch_count(r, unit) - left : -1;
}

uint64_t hang_rows(const struct reasoning *r, uint64_t atoms) {
    uint64_t rows = 0, results = 1;
    const struct launch *launch;
    for (int ordinal = 0; atoms && (launch = hang_launch(r, NVDLA_CSC, ordinal)); ordinal++) {
        const struct registers_view view = launch_view(r->config, launch);
        const struct conv_shape shape = conv_shape(r->config, &view);
        const uint64_t here = atoms < shape.rows ? atoms : shape.rows;
        results = shape.results;
        rows += here * results;
        atoms -= here;
    }
    return rows + atoms * results;
}

struct conv_shape hang_conv_now(const struct reasoning *r) {
    const int now = hang_current(r, NVDLA_CSC), ordinal = now < 0 ? hang_launch_count(r, NVDLA_CSC) - 1 : now;
    const struct launch *launch = ordinal < 0 ? NULL : hang_launch(r, NVDLA_CSC, ordinal);
    if (!launch)
        return (struct conv_shape){.group = 1, .results = 1, .batches = 1};
    const struct registers_view view = launch_view(r->config, launch);
    return conv_shape(r->config, &view);
}

/* ---- how far links came ---- */

struct link_flow hang_flow_find(const struct reasoning *r, enum wait_index index) {
    const struct flow_rule *rule = &flow_rules[index];
    const struct wait_pair *pair = &r->waits->pairs[index];
    struct link_flow flow = {.moved = pair->moved, .ordinal = -1};
    if (!rule->required || !pair->counted || (rule->beats && r->waits->inside && !hang_beat_is_atom(r->config)))
        return flow;
    /* If the inside is not visible, writes into CBUF are counted by clock. */
    if (rule->required == required_cbuf && !r->waits->inside && !hang_beat_is_atom(r->config))
        return flow;
    uint64_t total = 0;
    const struct launch *launch;
    bool found = false;
    for (int ordinal = 0; (launch = hang_launch(r, rule->unit, ordinal)); ordinal++) {
        const int64_t required = rule->required(r->config, launch, rule->argument);
        if (required == UNKNOWN)
            return flow;
        if (required && !found) {
            flow.ordinal = ordinal;
            flow.moved_of = pair->moved - total;
            flow.required_of = (uint64_t)required;
            found = pair->moved < total + (uint64_t)required;
        }
        total += (uint64_t)required;
    }
    flow.known = true;
    flow.owed = total > pair->moved ? total - pair->moved : 0;
    /* From outside, beats of several atoms only give an upper limit of the number of atoms. */
    const bool most = rule->beats && hang_beat_atoms(r->config) > 1;
    flow.beyond = total < pair->moved && !most ? pair->moved - total : 0;
    if (flow.moved_of > flow.required_of && most)
        flow.moved_of = flow.required_of;
    return flow;
}

bool hang_owed(const struct reasoning *r, enum wait_index index) {
    const struct link_flow *f = &r->flows[index];
    const int now = f->known && f->owed ? hang_current(r, flow_rules[index].unit) : -1;
    return f->known && f->owed && (now < 0 || f->ordinal <= now);
}

bool hang_missing(const struct reasoning *r, enum wait_index index, enum nvdla_unit unit) {
    const struct link_flow *f = &r->flows[index];
    const int now = hang_current(r, unit);
    if (!f->known || !f->owed)
        return false;
    return now < 0 || f->ordinal <= now || hang_launch_count(r, unit) != hang_launch_count(r, flow_rules[index].unit);
}
