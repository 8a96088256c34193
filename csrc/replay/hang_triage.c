/* The chain of waits; see hang_triage.h. Every engine is judged by itself from the links around it; then the chain is
 * followed from the engine whose end does not come. */
#include "replay/hang_triage.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layers/cubes.h"
#include "layers/traffic.h"
#include "layers/view.h"
#include "nvdla/config.h"
#include "nvdla/sizes.h"
#include "nvdla/xalloc.h"
#include "replay/hang.h"

/* In the order of the data path. */
enum engine {
    E_MEMORY,
    E_MCIF,
    E_CDMA_DAT,
    E_CDMA_WT,
    E_CSC,
    E_CMAC,
    E_CACC,
    E_SDP_RDMA,
    E_SDP,
    E_PDP_RDMA,
    E_PDP,
    E_CDP_RDMA,
    E_CDP,
    E_BDMA,
    E_RUBIK,
    E_GLB,
    E_TRACE,
    ENGINES,
    NOBODY = ENGINES,
    E_FIRST = E_CDMA_DAT, /* engines with layers of their own, in the order of the data path */
    E_LAST = E_RUBIK,
};

static const struct engine_facts {
    const char *name, *folder;
    enum nvdla_unit unit; /* whose launches it works on; NVDLA_UNIT_COUNT: none's */
} engine_facts[ENGINES] = {
    [E_MEMORY] = {"memory", "memory", NVDLA_UNIT_COUNT},
    [E_MCIF] = {"MCIF", "mcif", NVDLA_UNIT_COUNT},
    [E_CDMA_DAT] = {"CDMA data", "cdma", NVDLA_CDMA},
    [E_CDMA_WT] = {"CDMA weights", "cdma", NVDLA_CDMA},
    [E_CSC] = {"CSC", "csc", NVDLA_CSC},
    [E_CMAC] = {"CMAC", "cmac", NVDLA_CMAC_A},
    [E_CACC] = {"CACC", "cacc", NVDLA_CACC},
    [E_SDP_RDMA] = {"SDP_RDMA", "sdp", NVDLA_SDP_RDMA},
    [E_SDP] = {"SDP", "sdp", NVDLA_SDP},
    [E_PDP_RDMA] = {"PDP_RDMA", "pdp", NVDLA_PDP_RDMA},
    [E_PDP] = {"PDP", "pdp", NVDLA_PDP},
    [E_CDP_RDMA] = {"CDP_RDMA", "cdp", NVDLA_CDP_RDMA},
    [E_CDP] = {"CDP", "cdp", NVDLA_CDP},
    [E_BDMA] = {"BDMA", "bdma", NVDLA_BDMA},
    [E_RUBIK] = {"RUBIK", "rubik", NVDLA_RBK},
    [E_GLB] = {"GLB", "glb", NVDLA_UNIT_COUNT},
    [E_TRACE] = {"trace", "trace", NVDLA_UNIT_COUNT},
};

/* How sure it is that an engine is the guilty one. */
enum strength {
    IDLE,     /* it stands still though nothing is in its way */
    COMPLETE, /* it has all its input, and owes output */
    LOST,     /* it owes what the elements that it took make due */
    EXCESS,   /* it gave more than its registers say */
};

/* What became of an engine. */
struct finding_of {
    enum { NOTHING, WAITS, GUILTY } kind;
    enum engine on; /* WAITS */
    enum strength strength;
    uint64_t since;
    int ordinal;
    char text[200];
};

/* A link against the registers of the launches that were armed. */
struct flow {
    bool known;
    uint64_t moved, owed, beyond;
    int ordinal;                    /* of the launch that the next element belongs to, or the last one; -1: no launch */
    uint64_t moved_of, required_of; /* of that launch */
};

/* Places in client_links: readers, then writers. */
enum client_place {
    L_CDMA_DAT,
    L_CDMA_WT,
    L_SDP,
    L_SDP_B,
    L_SDP_N,
    L_SDP_E,
    L_PDP,
    L_CDP,
    L_BDMA,
    L_RUBIK,
    L_SDP_W,
    L_PDP_W,
    L_CDP_W,
    L_BDMA_W,
    L_RUBIK_W,
};

/* What a memory client moves, from the engine's side to the port. */
struct client_links {
    enum nvdla_client client;
    enum engine engine;
    enum wait_index ask, take;                           /* atoms; of writers: commands and atoms given */
    enum wait_index due;                                 /* beats of that: of requests, of atoms with their commands */
    enum wait_index request, data;                       /* behind the DMA client, beats: pieces, data */
    enum wait_index last, acknowledged, done, interrupt; /* of readers: WAIT_COUNT */
};

static const struct client_links client_links[] = {
#define READING(c, e)                                                                                                  \
    {                                                                                                                  \
        NVDLA_READ_##c, e, WAIT_ASK_##c, WAIT_TAKE_##c, WAIT_DUE_##c, WAIT_READ_##c, WAIT_DATA_##c, WAIT_COUNT,        \
            WAIT_COUNT, WAIT_COUNT, WAIT_COUNT                                                                         \
    }
#define WRITING(c, e)                                                                                                  \
    {                                                                                                                  \
        NVDLA_WRITE_##c, e, WAIT_CMD_##c, WAIT_PUT_##c, WAIT_PACK_##c, WAIT_WRITE_##c, WAIT_BEAT_##c, WAIT_LAST_##c,   \
            WAIT_ACK_##c, WAIT_DONE_##c, WAIT_INTR_##c                                                                 \
    }
    [L_CDMA_DAT] = READING(CDMA_DAT, E_CDMA_DAT),
    [L_CDMA_WT] = READING(CDMA_WT, E_CDMA_WT),
    [L_SDP] = READING(SDP, E_SDP_RDMA),
    [L_SDP_B] = READING(SDP_B, E_SDP_RDMA),
    [L_SDP_N] = READING(SDP_N, E_SDP_RDMA),
    [L_SDP_E] = READING(SDP_E, E_SDP_RDMA),
    [L_PDP] = READING(PDP, E_PDP_RDMA),
    [L_CDP] = READING(CDP, E_CDP_RDMA),
    [L_BDMA] = READING(BDMA, E_BDMA),
    [L_RUBIK] = READING(RUBIK, E_RUBIK),
    [L_SDP_W] = WRITING(SDP, E_SDP),
    [L_PDP_W] = WRITING(PDP, E_PDP),
    [L_CDP_W] = WRITING(CDP, E_CDP),
    [L_BDMA_W] = WRITING(BDMA, E_BDMA),
    [L_RUBIK_W] = WRITING(RUBIK, E_RUBIK),
};
enum { CLIENTS = sizeof client_links / sizeof client_links[0] };

struct reasoning {
    const struct hang *hang;
    const struct device_waits *waits;
    const struct nvdla_config *config;
    struct flow flows[WAIT_COUNT];
    bool moving; /* elements may be on their way between two engines: what one has given and the next not got is not
                    lost */
};

/* ---- what the registers require ---- */

/* Atoms of a beat of the memory interfaces. */
static uint64_t beat_atoms(const struct nvdla_config *config) {
    return (uint64_t)(config->dbb_data_bits / 8 / config->mem_atom);
}

/* A convolution as CSC's registers describe it. Spec: 40-convolution-core section 4. */
struct conv_shape {
    uint64_t group;      /* kernels of a group */
    uint64_t rows;       /* atoms that complete rows of results */
    uint64_t operations; /* atoms that go into one of these: blocks of channels, columns and lines of a kernel */
    uint64_t results;    /* rows of results of one of these */
    uint64_t batches;
};

/* Results of a row of CACC. */
static uint64_t row_results(const struct nvdla_config *config) {
    return (uint64_t)(nvdla_has_16_bits(config) ? config->sdp_bs_throughput : config->atomic_k);
}

static struct conv_shape conv_shape(const struct nvdla_config *config, const struct registers_view *view) {
    const bool wide = nvdla_has_16_bits(config) && FIELD(view, CSC, D_MISC_CFG, PROC_PRECISION) != NVDLA_INT8;
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
    shape.results = shape.group / row_results(config) * (winograd ? 4 : 1);
    return shape;
}

/* Transfers of the pipe for a cube of SDP. */
static uint64_t sdp_beats(const struct nvdla_config *config, const struct sdp_shape *shape) {
    const uint64_t batches = (uint64_t)(shape->batches > 1 ? shape->batches : 1);
    return (uint64_t)shape->width * (uint64_t)shape->height * (uint64_t)shape->surfaces * batches *
           (uint64_t)(shape->lanes / config->sdp_bs_throughput);
}

enum {
    UNKNOWN = -1,
    STILL_CLOCKS = 1000, /* without movement, after which nothing is on its way any more */
};

/* Elements that move on a link for a launch, UNKNOWN if that does not follow from the registers alone. */
typedef int64_t required_fn(const struct nvdla_config *config, const struct launch *launch, int argument);

static int64_t required_atoms(const struct nvdla_config *config, const struct launch *launch, int client) {
    return (int64_t)launch_atoms(config, launch, (enum nvdla_client)client);
}

/* BDMA: of all descriptors, the same to read and to write. */
static int64_t required_copies(const struct nvdla_config *config, const struct launch *launch, int argument) {
    uint64_t atoms = 0;
    (void)argument;
    for (size_t i = 0; i < launch->block_count; i++) {
        struct launch_block block;
        if (launch_block(config, launch, i, &block))
            atoms +=
                (uint64_t)block.source.width * (uint64_t)block.source.height * (uint64_t)cube_surfaces(&block.source);
    }
    return (int64_t)atoms;
}

static int64_t required_group(const struct nvdla_config *config, const struct launch *launch, int argument) {
    (void)config;
    (void)argument;
    return launch->block_count > 0;
}

static int64_t required_one(const struct nvdla_config *config, const struct launch *launch, int argument) {
    (void)config;
    (void)launch;
    (void)argument;
    return 1;
}

static int64_t required_last(const struct nvdla_config *config, const struct launch *launch, int client) {
    return required_atoms(config, launch, client) > 0;
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
    const bool wide = nvdla_has_16_bits(config) && FIELD(&view, CACC, D_MISC_CFG, PROC_PRECISION) != NVDLA_INT8;
    const uint64_t group = (uint64_t)config->atomic_k / (wide ? 2 : 1);
    const uint64_t batches =
        config->batch_max > 1 ? FIELD(&view, CACC, D_BATCH_NUMBER, BATCHES) + (uint64_t)1 : (uint64_t)1;
    const uint64_t rows = (uint64_t)(FIELD(&view, CACC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1) *
                          (FIELD(&view, CACC, D_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1) * batches *
                          ceil_div(FIELD(&view, CACC, D_DATAOUT_SIZE_1, DATAOUT_CHANNEL) + 1, (size_t)group) *
                          (group / row_results(config));
    return (int64_t)(rows * (beats ? row_results(config) / (uint64_t)config->sdp_bs_throughput : 1));
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
    bool beats; /* of the memory interface: what they hold of a launch is known if they are atoms */
} flow_rules[WAIT_COUNT] = {
#define READER_OF(c, u, f)                                                                                             \
    [WAIT_ASK_##c] = {u, f, NVDLA_READ_##c, false}, [WAIT_TAKE_##c] = {u, f, NVDLA_READ_##c, false},                   \
    [WAIT_READ_##c] = {u, f, NVDLA_READ_##c, true}, [WAIT_DATA_##c] = {u, f, NVDLA_READ_##c, true}
#define READER(c, u) READER_OF(c, u, required_atoms)
#define WRITER_OF(c, u, f, one)                                                                                        \
    [WAIT_CMD_##c] = {u, f, NVDLA_WRITE_##c, false}, [WAIT_PUT_##c] = {u, f, NVDLA_WRITE_##c, false},                  \
    [WAIT_WRITE_##c] = {u, f, NVDLA_WRITE_##c, true}, [WAIT_BEAT_##c] = {u, f, NVDLA_WRITE_##c, true},                 \
    [WAIT_LAST_##c] = {u, one, NVDLA_WRITE_##c, false}, [WAIT_DONE_##c] = {u, one, NVDLA_WRITE_##c, false}
#define WRITER(c) WRITER_OF(c, NVDLA_##c, required_atoms, required_last)
#define LAYER(u) [WAIT_LAYER_##u] = {NVDLA_##u, required_one, 0, false}
    READER(CDMA_DAT, NVDLA_CDMA),
    READER(CDMA_WT, NVDLA_CDMA),
    READER(SDP, NVDLA_SDP_RDMA),
    READER(SDP_B, NVDLA_SDP_RDMA),
    READER(SDP_N, NVDLA_SDP_RDMA),
    READER(SDP_E, NVDLA_SDP_RDMA),
    READER(PDP, NVDLA_PDP_RDMA),
    READER(CDP, NVDLA_CDP_RDMA),
    READER(RUBIK, NVDLA_RBK),
    READER_OF(BDMA, NVDLA_BDMA, required_copies),
    WRITER(SDP),
    WRITER(PDP),
    WRITER(CDP),
    WRITER_OF(RUBIK, NVDLA_RBK, required_atoms, required_last),
    WRITER_OF(BDMA, NVDLA_BDMA, required_copies, required_group),
    [WAIT_LAYER_RUBIK] = {NVDLA_RBK, required_one, 0, false},
    LAYER(CDMA),
    LAYER(CSC),
    LAYER(CMAC_A),
    LAYER(CMAC_B),
    LAYER(CACC),
    LAYER(SDP_RDMA),
    LAYER(SDP),
    LAYER(PDP_RDMA),
    LAYER(PDP),
    LAYER(CDP_RDMA),
    LAYER(CDP),
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
    [WAIT_INTR_CDMA_DAT] = {NVDLA_CDMA, required_one, 0, false},
    [WAIT_INTR_CDMA_WT] = {NVDLA_CDMA, required_one, 0, false},
    [WAIT_INTR_CACC] = {NVDLA_CACC, required_one, 0, false},
    [WAIT_INTR_SDP] = {NVDLA_SDP, required_one, 0, false},
    [WAIT_INTR_PDP] = {NVDLA_PDP, required_one, 0, false},
    [WAIT_INTR_CDP] = {NVDLA_CDP, required_one, 0, false},
    [WAIT_INTR_BDMA] = {NVDLA_BDMA, required_group, 0, false},
    [WAIT_INTR_RUBIK] = {NVDLA_RBK, required_one, 0, false},
};

static const struct launch *launch_of(const struct reasoning *r, enum nvdla_unit unit, int ordinal) {
    return r->waits->launches ? layer_tracker_find(r->waits->launches, unit, ordinal) : NULL;
}

static int launch_count(const struct reasoning *r, enum nvdla_unit unit) {
    int count = 0;
    while (unit < NVDLA_UNIT_COUNT && launch_of(r, unit, count))
        count++;
    return count;
}

static struct flow flow_find(const struct reasoning *r, enum wait_index index) {
    const struct flow_rule *rule = &flow_rules[index];
    const struct wait_pair *pair = &r->waits->pairs[index];
    struct flow flow = {.moved = pair->moved, .ordinal = -1};
    if (!rule->required || !pair->counted || (rule->beats && r->waits->inside && beat_atoms(r->config) > 1))
        return flow;
    uint64_t total = 0;
    const struct launch *launch;
    bool found = false;
    for (int ordinal = 0; (launch = launch_of(r, rule->unit, ordinal)); ordinal++) {
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
    /* Of beats that hold several atoms it is known from outside how many atoms they hold at most. */
    const bool most = rule->beats && beat_atoms(r->config) > 1;
    flow.beyond = total < pair->moved && !most ? pair->moved - total : 0;
    if (flow.moved_of > flow.required_of && most)
        flow.moved_of = flow.required_of;
    return flow;
}

/* ---- questions about links ---- */

static const struct flow *flow(const struct reasoning *r, enum wait_index index) {
    return &r->flows[index];
}

static const struct wait_pair *pair(const struct reasoning *r, enum wait_index index) {
    return &r->waits->pairs[index];
}

/* The receiver does not take what is offered. */
static bool refused(const struct reasoning *r, enum wait_index index) {
    const struct wait_pair *p = pair(r, index);
    return p->seen && p->valid && !p->ready;
}

static uint32_t counter(const struct reasoning *r, enum wait_counter_index index) {
    return r->waits->counters[index].value;
}

static bool in_state(const struct reasoning *r, enum wait_state_index index, const char *value) {
    return r->waits->inside && !strcmp(r->waits->states[index].value, value);
}

/* Launches of a unit that were armed and have not ended. */
static int jobs(const struct reasoning *r, enum nvdla_unit unit) {
    int count = 0;
    if (unit == NVDLA_UNIT_COUNT)
        return 0;
    for (size_t i = 0; i < r->hang->armed_count; i++)
        count += r->hang->armed[i].unit == unit;
    return count;
}

/* The launch that a unit works on, -1 if it has ended all. */
static int current(const struct reasoning *r, enum nvdla_unit unit) {
    const int left = jobs(r, unit);
    return left ? launch_count(r, unit) - left : -1;
}

/* Rows of results of the first `atoms` atoms that complete rows. */
static uint64_t rows_of(const struct reasoning *r, uint64_t atoms) {
    uint64_t rows = 0, results = 1;
    const struct launch *launch;
    for (int ordinal = 0; atoms && (launch = launch_of(r, NVDLA_CSC, ordinal)); ordinal++) {
        const struct registers_view view = launch_view(r->config, launch);
        const struct conv_shape shape = conv_shape(r->config, &view);
        const uint64_t here = atoms < shape.rows ? atoms : shape.rows;
        results = shape.results;
        rows += here * results;
        atoms -= here;
    }
    return rows + atoms * results;
}

/* The convolution that CSC works on, or the last one. */
static struct conv_shape conv_now(const struct reasoning *r) {
    const int now = current(r, NVDLA_CSC), ordinal = now < 0 ? launch_count(r, NVDLA_CSC) - 1 : now;
    const struct launch *launch = ordinal < 0 ? NULL : launch_of(r, NVDLA_CSC, ordinal);
    if (!launch)
        return (struct conv_shape){.group = 1, .results = 1, .batches = 1};
    const struct registers_view view = launch_view(r->config, launch);
    return conv_shape(r->config, &view);
}

/* Credits that CSC begins with: rows of the delivery buffer. */
static uint64_t all_credits(const struct nvdla_config *config) {
    return (nvdla_has_16_bits(config) ? 8 : 4) * (uint64_t)config->atomic_k;
}

/* Elements are missing of the launch that the link's unit works on; what launches behind it need does not count yet. */
static bool owed(const struct reasoning *r, enum wait_index index) {
    const struct flow *f = &r->flows[index];
    const int now = f->known && f->owed ? current(r, flow_rules[index].unit) : -1;
    return f->known && f->owed && (now < 0 || f->ordinal <= now);
}

/* Elements are missing that the launch which a unit works on takes in. Where the unit at the other end had other
 * launches, so that their numbers say nothing: that any launch takes in. */
static bool missing(const struct reasoning *r, enum wait_index index, enum nvdla_unit unit) {
    const struct flow *f = &r->flows[index];
    const int now = current(r, unit);
    if (!f->known || !f->owed)
        return false;
    return now < 0 || f->ordinal <= now || launch_count(r, unit) != launch_count(r, flow_rules[index].unit);
}

/* ---- answers ---- */

static void answer(struct finding_of *f, const char *format, va_list args) {
    vsnprintf(f->text, sizeof f->text, format, args);
}

static struct finding_of nothing(const char *format, ...) __attribute__((format(printf, 1, 2)));
static struct finding_of waits_for(enum engine on, uint64_t since, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static struct finding_of guilty(enum strength strength, int ordinal, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static struct finding_of nothing(const char *format, ...) {
    struct finding_of f = {.kind = NOTHING, .on = NOBODY, .ordinal = -1};
    va_list args;
    va_start(args, format);
    answer(&f, format, args);
    va_end(args);
    return f;
}

static struct finding_of waits_for(enum engine on, uint64_t since, const char *format, ...) {
    struct finding_of f = {.kind = WAITS, .on = on, .since = since, .ordinal = -1};
    va_list args;
    va_start(args, format);
    answer(&f, format, args);
    va_end(args);
    return f;
}

static struct finding_of guilty(enum strength strength, int ordinal, const char *format, ...) {
    struct finding_of f = {.kind = GUILTY, .on = NOBODY, .strength = strength, .ordinal = ordinal};
    va_list args;
    va_start(args, format);
    answer(&f, format, args);
    va_end(args);
    return f;
}

/* Since when a receiver has waited on a link: since its last element. */
static uint64_t waited(const struct reasoning *r, enum wait_index index) {
    const struct wait_pair *p = pair(r, index);
    return p->seen && p->since > p->last ? p->since : p->last;
}

/* The elements of a link have not all come: the engine waits for the one before it, or, where that one has not been
 * armed, for the program. */
static struct finding_of waits_for_input(const struct reasoning *r, enum engine from, enum wait_index index) {
    const struct flow *f = flow(r, index);
    return waits_for(from, waited(r, index), "waits for %s: has got %" PRIu64 " of %" PRIu64, pair(r, index)->name,
                     f->moved_of, f->required_of);
}

static struct finding_of waits_for_output(const struct reasoning *r, enum engine to, enum wait_index index) {
    return waits_for(to, pair(r, index)->since, "offers %s that %s does not take", pair(r, index)->name,
                     engine_facts[to].name);
}

/* All input is there and an output is not. */
static struct finding_of owes(const struct reasoning *r, enum wait_index index) {
    const struct flow *f = flow(r, index);
    return guilty(COMPLETE, f->ordinal, "has all its input and has given %" PRIu64 " of %" PRIu64 " %s", f->moved_of,
                  f->required_of, pair(r, index)->name);
}

static struct finding_of ended_early(const struct reasoning *r, enum wait_index index) {
    const struct flow *f = flow(r, index);
    return guilty(COMPLETE, f->ordinal, "has ended its layer after %" PRIu64 " of %" PRIu64 " %s", f->moved_of,
                  f->required_of, pair(r, index)->name);
}

static struct finding_of too_many(const struct reasoning *r, enum wait_index index) {
    return guilty(EXCESS, flow(r, index)->ordinal, "has given %" PRIu64 " %s more than its registers say",
                  flow(r, index)->beyond, pair(r, index)->name);
}

static struct finding_of does_not_end(const struct reasoning *r, enum nvdla_unit unit) {
    return guilty(COMPLETE, current(r, unit), "has got and given everything, and does not end its layer");
}

/* ---- the memory interface, seen from one client ---- */

static uint64_t on_ports(const uint64_t counts[2][16], int id) {
    return counts[0][id] + counts[1][id];
}

static bool memory_owes(const struct reasoning *r, bool write, int id) {
    for (size_t i = 0; i < r->waits->burst_count; i++) {
        const struct wait_burst *burst = &r->waits->bursts[i];
        if (burst->write == write && burst->id == id && (!write || burst->beats == 0))
            return true;
    }
    return false;
}

/* The address of a write was taken, and its data has not all come. */
static bool announced(const struct reasoning *r, int id) {
    for (size_t i = 0; i < r->waits->burst_count; i++)
        if (r->waits->bursts[i].write && r->waits->bursts[i].beats && r->waits->bursts[i].id == id)
            return true;
    return false;
}

static const struct hang_blocked *blocked(const struct reasoning *r, enum nvdla_client client) {
    const struct nvdla_client_facts *facts = &nvdla_clients[client];
    for (size_t i = 0; i < r->hang->blocked_count; i++) {
        const struct hang_blocked *b = &r->hang->blocked[i];
        if ((b->reg->address & 0xfff) == facts->weight_register && (unsigned)b->field->lsb == facts->weight_lsb)
            return b;
    }
    return NULL;
}

/* Beats in flight that the interface counts, against those that the memory owes. */
static bool flight_wrong(const struct reasoning *r, bool write) {
    uint64_t open = 0;
    for (int id = 0; id < 16; id++)
        open += write ? 0 : on_ports(r->waits->read_asked, id) - on_ports(r->waits->read_given, id);
    for (size_t i = 0; write && i < r->waits->burst_count; i++)
        open += r->waits->bursts[i].write;
    const uint64_t counted = write ? counter(r, WAIT_COUNTER_MCIF_WRITE) + (uint64_t)counter(r, WAIT_COUNTER_CVIF_WRITE)
                                   : counter(r, WAIT_COUNTER_MCIF_READ) + (uint64_t)counter(r, WAIT_COUNTER_CVIF_READ);
    return open == 0 && counted != 0;
}

static struct finding_of judge_read(const struct reasoning *r, const struct client_links *c) {
    const int id = nvdla_clients[c->client].id;
    const char *name = nvdla_clients[c->client].name;
    const uint64_t asked = on_ports(r->waits->read_asked, id), given = on_ports(r->waits->read_given, id);
    const uint64_t request = pair(r, c->request)->moved, data = pair(r, c->data)->moved;
    const uint64_t atoms = pair(r, c->ask)->moved, taken = pair(r, c->take)->moved;
    const uint64_t due = beat_atoms(r->config) > 1 ? pair(r, c->due)->moved : atoms;
    const int ordinal = flow(r, c->ask)->ordinal;
    if (taken > atoms)
        return guilty(EXCESS, ordinal, "has given %s %" PRIu64 " atoms, which asked for %" PRIu64, name, taken, atoms);
    if (!r->moving && asked != request && !refused(r, c->request))
        return guilty(LOST, ordinal,
                      "has accepted requests of %s for %" PRIu64 " beats and asked the memory for %" PRIu64, name,
                      request, asked);
    if (!r->moving && given != data)
        return guilty(LOST, ordinal, "has got %" PRIu64 " beats for %s from the memory and handed on %" PRIu64, given,
                      name, data);
    if (refused(r, c->take))
        return waits_for(c->engine, pair(r, c->take)->since, "holds atoms that %s does not take",
                         engine_facts[c->engine].name);
    if (asked > given)
        return waits_for(E_MEMORY, waited(r, c->data), "waits for %" PRIu64 " beats from the memory", asked - given);
    if (!r->moving && taken != atoms && data >= due)
        return guilty(LOST, ordinal,
                      "DMA client of %s has got all %" PRIu64 " beats and handed on %" PRIu64 " of %" PRIu64 " atoms",
                      name, data, taken, atoms);
    const uint64_t held = beat_atoms(r->config) - 1; /* may wait for the first half of the next beat */
    if (!r->moving && (taken + held < data || taken > data * beat_atoms(r->config)))
        return guilty(LOST, ordinal, "DMA client of %s has got %" PRIu64 " beats and handed on %" PRIu64 " atoms", name,
                      data, taken);
    if (due > request || refused(r, c->ask)) {
        if (refused(r, c->request) && blocked(r, c->client))
            return waits_for(E_TRACE, pair(r, c->request)->since, "never answers %s, whose arbiter weight is 0", name);
        if (refused(r, c->request) && flight_wrong(r, false))
            return guilty(LOST, ordinal,
                          "counts beats in flight that the memory does not owe, and takes no request of %s", name);
        if (refused(r, c->request))
            return guilty(COMPLETE, ordinal, "does not take the requests of %s, with nothing in flight", name);
        return guilty(COMPLETE, ordinal,
                      "DMA client of %s has requests for %" PRIu64 " beats and has passed on %" PRIu64, name, due,
                      request);
    }
    if (due < request)
        return guilty(LOST, ordinal, "DMA client of %s was asked for %" PRIu64 " beats and has asked for %" PRIu64,
                      name, due, request);
    return nothing("has answered all that %s asked for", name);
}

static struct finding_of judge_write(const struct reasoning *r, const struct client_links *c) {
    const int id = nvdla_clients[c->client].id;
    const char *name = nvdla_clients[c->client].name;
    const uint64_t commands = pair(r, c->ask)->moved, put = pair(r, c->take)->moved;
    const uint64_t request = pair(r, c->request)->moved, beats = pair(r, c->data)->moved;
    const uint64_t written = on_ports(r->waits->written, id);
    const int ordinal = flow(r, c->ask)->ordinal;
    if (written > beats)
        return guilty(EXCESS, ordinal, "has written %" PRIu64 " beats for %s, which gave %" PRIu64, written, name,
                      beats);
    if (announced(r, id) && request == written && !r->moving)
        return guilty(LOST, ordinal, "has announced a write for %s that nobody asked for", name);
    if (memory_owes(r, true, id))
        return waits_for(E_MEMORY, waited(r, c->acknowledged), "waits for the acknowledges of %s", name);
    if (!r->moving && written != beats)
        return guilty(LOST, ordinal, "has taken %" PRIu64 " beats of %s and written %" PRIu64, beats, name, written);
    if (!r->moving && request < beats)
        return guilty(LOST, ordinal, "has taken %" PRIu64 " beats of %s for requests of %" PRIu64, beats, name,
                      request);
    /* Where a request is longer than a burst it has several answers. */
    if (!r->moving && beat_atoms(r->config) == 1 &&
        pair(r, c->acknowledged)->moved != on_ports(r->waits->acknowledged, id))
        return guilty(LOST, ordinal, "has got %" PRIu64 " acknowledges for %s and handed on %" PRIu64,
                      on_ports(r->waits->acknowledged, id), name, pair(r, c->acknowledged)->moved);
    const uint64_t atoms = commands < put ? commands : put; /* have their command and their data */
    const uint64_t due = beat_atoms(r->config) > 1 ? pair(r, c->due)->moved : atoms;
    /* One may wait for the other half of its beat. */
    if (!r->moving && due * beat_atoms(r->config) + beat_atoms(r->config) - 1 < atoms)
        return guilty(LOST, ordinal,
                      "DMA client of %s has got %" PRIu64 " atoms with their commands and made %" PRIu64 " beats", name,
                      atoms, due);
    if (beats < due) {
        if (refused(r, c->request) && blocked(r, c->client))
            return waits_for(E_TRACE, pair(r, c->request)->since, "never takes writes of %s, whose arbiter weight is 0",
                             name);
        if (flight_wrong(r, true))
            return guilty(LOST, ordinal,
                          "counts beats in flight that the memory does not owe, and takes no write of %s", name);
        return guilty(COMPLETE, ordinal, "has %" PRIu64 " beats of %s with their commands and has written %" PRIu64,
                      due, name, beats);
    }
    if (beats > due)
        return guilty(LOST, ordinal, "has written %" PRIu64 " beats of %s, which gave %" PRIu64 " with commands", beats,
                      name, due);
    if (pair(r, c->last)->moved > pair(r, c->done)->moved && commands == put)
        return guilty(COMPLETE, ordinal, "has acknowledged all writes of %s but not the layer", name);
    if (put > commands || commands > put)
        return waits_for(c->engine, waited(r, c->take), "has %" PRIu64 " atoms of %s and commands for %" PRIu64, put,
                         name, commands);
    return nothing("has written all that %s gave", name);
}

static struct finding_of judge_client(const struct reasoning *r, const struct client_links *c) {
    return c->interrupt == WAIT_COUNT ? judge_read(r, c) : judge_write(r, c);
}

/* ---- engines ---- */

/* A reader of memory: what it asked for and got. True if that explains its stop. */
static bool judge_asking(const struct reasoning *r, enum wait_index ask, enum wait_index take, enum nvdla_unit unit,
                         struct finding_of *f) {
    if (flow(r, ask)->beyond) {
        *f = too_many(r, ask);
        return true;
    }
    if (refused(r, ask)) {
        *f = waits_for_output(r, E_MCIF, ask);
        return true;
    }
    if (pair(r, take)->moved < pair(r, ask)->moved && !refused(r, take)) {
        *f = waits_for(E_MCIF, waited(r, take), "waits for %s: has got %" PRIu64 " of the %" PRIu64 " it asked for",
                       pair(r, take)->name, pair(r, take)->moved, pair(r, ask)->moved);
        return true;
    }
    if (owed(r, ask) && jobs(r, unit) == 0) {
        *f = ended_early(r, ask);
        return true;
    }
    return false;
}

/* The layer changes the banks of data, or those of weights too: CDMA and CSC empty their accounts of CBUF together.
 * Spec: 30-cdma-cbuf section 3. */
static bool changes_banks(const struct reasoning *r, int ordinal, bool data) {
    const struct launch *launch = launch_of(r, NVDLA_CDMA, ordinal), *before = launch_of(r, NVDLA_CDMA, ordinal - 1);
    if (!launch || !before)
        return launch;
    const uint32_t banks = launch_register(launch, CDMA_D_BANK) ^ launch_register(before, CDMA_D_BANK);
    return data ? (banks & CDMA_D_BANK__DATA_BANK_MASK) != 0 : banks != 0;
}

/* CDMA takes no part in a change of banks that CSC waits for, or is in one that its registers do not ask for. */
static bool judge_change(const struct reasoning *r, struct finding_of *f) {
    const int cdma = current(r, NVDLA_CDMA), csc = current(r, NVDLA_CSC);
    const bool data = in_state(r, WAIT_STATE_CDMA_DAT, "Pending"), weights = in_state(r, WAIT_STATE_CDMA_WT, "Pending");
    if ((data && !changes_banks(r, cdma, true)) || (weights && !changes_banks(r, cdma, false))) {
        *f = guilty(COMPLETE, cdma, "changes banks that its registers leave as they were");
        return true;
    }
    if (!in_state(r, WAIT_STATE_CSC, "Pend") || (cdma >= 0 && cdma < csc) || !launch_of(r, NVDLA_CDMA, csc) ||
        ((data || !changes_banks(r, csc, true)) && (weights || !changes_banks(r, csc, false))))
        return false;
    *f = guilty(COMPLETE, csc, "takes no part in the change of banks that its registers ask for");
    return true;
}

/* A reader of which only the port is seen, whose data has not all come. */
static bool judge_reading(const struct reasoning *r, const struct client_links *c, struct finding_of *f) {
    const int id = nvdla_clients[c->client].id;
    const struct flow *data = flow(r, c->data);
    if (blocked(r, c->client))
        *f = waits_for(E_TRACE, waited(r, c->data), "reads as %s, whose arbiter weight is 0",
                       nvdla_clients[c->client].name);
    else if (on_ports(r->waits->read_asked, id) > on_ports(r->waits->read_given, id))
        *f = waits_for(E_MEMORY, waited(r, c->data), "waits for %s: has got %" PRIu64 " of %" PRIu64,
                       pair(r, c->data)->name, data->moved_of, data->required_of);
    else
        *f = guilty(IDLE, data->ordinal, "has read %" PRIu64 " of %" PRIu64 " atoms and asks for no more",
                    data->moved_of, data->required_of);
    return true;
}

/* CDMA has room in CBUF for what it reads, so a layer of which it has read everything ends by itself. Spec:
 * 30-cdma-cbuf section 3. */
static bool cdma_does_not_end(const struct reasoning *r) {
    const struct launch *launch = launch_of(r, NVDLA_CDMA, current(r, NVDLA_CDMA));
    return launch &&
           launch_atoms(r->config, launch, NVDLA_READ_CDMA_DAT) + launch_atoms(r->config, launch, NVDLA_READ_CDMA_WT) &&
           !owed(r, WAIT_DATA_CDMA_DAT) && !owed(r, WAIT_DATA_CDMA_WT);
}

static struct finding_of judge_cdma_data(const struct reasoning *r) {
    struct finding_of f;
    if (!r->waits->inside && owed(r, WAIT_DATA_CDMA_DAT) && judge_reading(r, &client_links[L_CDMA_DAT], &f))
        return f;
    if (!r->waits->inside)
        return cdma_does_not_end(r) ? does_not_end(r, NVDLA_CDMA) : nothing("has read all its data");
    if (flow(r, WAIT_SLICES)->beyond)
        return too_many(r, WAIT_SLICES);
    if (judge_change(r, &f))
        return f;
    if (judge_asking(r, WAIT_ASK_CDMA_DAT, WAIT_TAKE_CDMA_DAT, NVDLA_CDMA, &f))
        return f;
    const int ordinal = current(r, NVDLA_CDMA);
    if (in_state(r, WAIT_STATE_CDMA_DAT, "Pending") || in_state(r, WAIT_STATE_CDMA_WT, "Pending")) {
        if (launch_count(r, NVDLA_CSC) <= ordinal)
            return waits_for(E_TRACE, 0, "waits for CSC to agree to the change of banks, which has not been armed");
        if (current(r, NVDLA_CSC) >= 0 && current(r, NVDLA_CSC) <= ordinal && !in_state(r, WAIT_STATE_CSC, "Pend"))
            return waits_for(E_CSC, r->waits->states[WAIT_STATE_CDMA_DAT].since,
                             "waits for CSC to agree to the change of banks");
        return guilty(IDLE, ordinal, "stays in the change of banks");
    }
    if (owed(r, WAIT_ASK_CDMA_DAT)) {
        const struct flow *ask = flow(r, WAIT_ASK_CDMA_DAT);
        if (in_state(r, WAIT_STATE_CDMA_DAT, "Done") && ask->ordinal <= ordinal)
            return ended_early(r, WAIT_ASK_CDMA_DAT);
        if (in_state(r, WAIT_STATE_CDMA_DAT, "Busy") && !counter(r, WAIT_COUNTER_SPACE) &&
            counter(r, WAIT_COUNTER_USED))
            return waits_for(E_CSC, waited(r, WAIT_FREE_SLICES), "waits for room in CBUF: %u of %u entries are in use",
                             counter(r, WAIT_COUNTER_USED), counter(r, WAIT_COUNTER_RING));
        if (!in_state(r, WAIT_STATE_CDMA_DAT, "Done"))
            return guilty(IDLE, ask->ordinal, "asks for no more after %" PRIu64 " of %" PRIu64 " atoms", ask->moved_of,
                          ask->required_of);
    }
    if (refused(r, WAIT_TAKE_CDMA_DAT))
        return guilty(IDLE, ordinal, "does not take the atoms that have come");
    if (!r->moving && flow(r, WAIT_CBUF_DAT)->known &&
        pair(r, WAIT_CBUF_DAT)->moved < pair(r, WAIT_TAKE_CDMA_DAT)->moved)
        return guilty(LOST, ordinal, "has got %" PRIu64 " atoms and written %" PRIu64 " into CBUF",
                      pair(r, WAIT_TAKE_CDMA_DAT)->moved, pair(r, WAIT_CBUF_DAT)->moved);
    if (owed(r, WAIT_SLICES) && !owed(r, WAIT_ASK_CDMA_DAT))
        return owes(r, WAIT_SLICES);
    if (owed(r, WAIT_SLICES) || owed(r, WAIT_INTR_CDMA_DAT))
        return guilty(IDLE, ordinal, "has given everything that it can, and goes no further");
    return nothing("has fetched all its data");
}

static struct finding_of judge_cdma_weights(const struct reasoning *r) {
    struct finding_of f;
    if (!r->waits->inside)
        return owed(r, WAIT_DATA_CDMA_WT) && judge_reading(r, &client_links[L_CDMA_WT], &f)
                   ? f
                   : nothing("has read all its weights");
    if (flow(r, WAIT_KERNELS)->beyond)
        return too_many(r, WAIT_KERNELS);
    if (judge_asking(r, WAIT_ASK_CDMA_WT, WAIT_TAKE_CDMA_WT, NVDLA_CDMA, &f))
        return f;
    const int ordinal = current(r, NVDLA_CDMA);
    if (in_state(r, WAIT_STATE_CDMA_WT, "Pending"))
        return judge_cdma_data(r);
    if (owed(r, WAIT_ASK_CDMA_WT)) {
        const struct flow *ask = flow(r, WAIT_ASK_CDMA_WT);
        if (in_state(r, WAIT_STATE_CDMA_WT, "Done") && ask->ordinal <= ordinal)
            return ended_early(r, WAIT_ASK_CDMA_WT);
        if (in_state(r, WAIT_STATE_CDMA_WT, "Busy") && !counter(r, WAIT_COUNTER_WT_FREE))
            return waits_for(E_CSC, waited(r, WAIT_FREE_WEIGHTS), "waits for room in CBUF for weights");
        if (!in_state(r, WAIT_STATE_CDMA_WT, "Done"))
            return guilty(IDLE, ask->ordinal, "asks for no more after %" PRIu64 " of %" PRIu64 " atoms", ask->moved_of,
                          ask->required_of);
    }
    if (!r->moving && flow(r, WAIT_CBUF_WT)->known && pair(r, WAIT_CBUF_WT)->moved < pair(r, WAIT_TAKE_CDMA_WT)->moved)
        return guilty(LOST, ordinal, "has got %" PRIu64 " atoms and written %" PRIu64 " into CBUF",
                      pair(r, WAIT_TAKE_CDMA_WT)->moved, pair(r, WAIT_CBUF_WT)->moved);
    if (owed(r, WAIT_KERNELS) && !owed(r, WAIT_ASK_CDMA_WT))
        return owes(r, WAIT_KERNELS);
    if (owed(r, WAIT_KERNELS) || owed(r, WAIT_INTR_CDMA_WT))
        return guilty(IDLE, ordinal, "has given everything that it can, and goes no further");
    return nothing("has fetched all its weights");
}

/* CSC begins a layer: with CDMA's answer while banks change, then when the engines behind it run. */
static bool judge_csc_begin(const struct reasoning *r, struct finding_of *f) {
    static const struct {
        enum wait_index layer;
        enum nvdla_unit unit;
        enum engine engine;
    } partners[] = {{WAIT_LAYER_CMAC_A, NVDLA_CMAC_A, E_CMAC},
                    {WAIT_LAYER_CMAC_B, NVDLA_CMAC_B, E_CMAC},
                    {WAIT_LAYER_CACC, NVDLA_CACC, E_CACC}};
    const int ordinal = current(r, NVDLA_CSC);
    if (in_state(r, WAIT_STATE_CSC, "Pend")) {
        if (launch_count(r, NVDLA_CDMA) <= ordinal)
            *f = waits_for(E_TRACE, r->waits->states[WAIT_STATE_CSC].since,
                           "waits for CDMA to agree to the change of banks, which has not been armed");
        else if (!changes_banks(r, ordinal, false))
            *f = guilty(COMPLETE, ordinal, "changes banks that its registers leave as they were");
        else if (current(r, NVDLA_CDMA) == ordinal &&
                 in_state(r, WAIT_STATE_CDMA_DAT, "Pending") == changes_banks(r, ordinal, true) &&
                 in_state(r, WAIT_STATE_CDMA_WT, "Pending"))
            *f = guilty(IDLE, ordinal, "stays in the change of banks, to which CDMA agrees");
        else
            *f = waits_for(E_CDMA_DAT, r->waits->states[WAIT_STATE_CSC].since,
                           "waits for CDMA to agree to the change of banks");
        return true;
    }
    if (!in_state(r, WAIT_STATE_CSC, "Wait"))
        return false;
    for (size_t i = 0; i < sizeof partners / sizeof partners[0]; i++) {
        if (pair(r, partners[i].layer)->valid)
            continue;
        const char *name = nvdla_unit_names[partners[i].unit];
        if (launch_count(r, partners[i].unit) <= ordinal)
            *f = waits_for(E_TRACE, r->waits->states[WAIT_STATE_CSC].since, "waits for %s, which has not been armed",
                           name);
        else
            *f = waits_for(partners[i].engine, r->waits->states[WAIT_STATE_CSC].since,
                           "waits for %s to begin its layer", name);
        return true;
    }
    *f = guilty(IDLE, ordinal, "does not begin its layer, with CMAC and CACC ready");
    return true;
}

/* CSC has no operation: for each group of kernels it waits for its weights, for all the input before the first. */
static struct finding_of judge_csc_input(const struct reasoning *r) {
    const int ordinal = current(r, NVDLA_CSC);
    const struct flow *slices = flow(r, WAIT_SLICES), *kernels = flow(r, WAIT_KERNELS);
    const uint32_t left = counter(r, WAIT_COUNTER_LEFT), group = (uint32_t)conv_now(r).group;
    const uint32_t want = counter(r, WAIT_COUNTER_SEEN) + (left < group ? left : group);
    if (launch_count(r, NVDLA_CDMA) <= ordinal)
        return waits_for(E_TRACE, 0, "waits for CDMA, which has not been armed");
    if (slices->known && slices->owed && slices->ordinal <= ordinal &&
        counter(r, WAIT_COUNTER_SLICES) < counter(r, WAIT_COUNTER_HEIGHT))
        return waits_for(E_CDMA_DAT, waited(r, WAIT_SLICES), "waits for input: CBUF has %u of %u lines",
                         counter(r, WAIT_COUNTER_SLICES), counter(r, WAIT_COUNTER_HEIGHT));
    if (kernels->known && kernels->owed && kernels->ordinal <= ordinal && counter(r, WAIT_COUNTER_KERNELS) < want)
        return waits_for(E_CDMA_WT, waited(r, WAIT_KERNELS), "waits for weights: CBUF has %u of %u kernels",
                         counter(r, WAIT_COUNTER_KERNELS), want);
    return guilty(COMPLETE, ordinal,
                  "has its input and weights (%u of %u lines, %u of %u kernels) and has given %" PRIu64 " of %" PRIu64
                  " atoms",
                  counter(r, WAIT_COUNTER_SLICES), counter(r, WAIT_COUNTER_HEIGHT), counter(r, WAIT_COUNTER_KERNELS),
                  want, flow(r, WAIT_ATOMS)->moved_of, flow(r, WAIT_ATOMS)->required_of);
}

static struct finding_of judge_csc(const struct reasoning *r) {
    struct finding_of f;
    const int ordinal = current(r, NVDLA_CSC);
    if (flow(r, WAIT_ATOMS)->beyond)
        return too_many(r, WAIT_ATOMS);
    if (flow(r, WAIT_ROWS)->beyond)
        return too_many(r, WAIT_ROWS);
    if (r->waits->inside && !r->moving) {
        const uint64_t all = all_credits(r->config), out = rows_of(r, pair(r, WAIT_ROWS)->moved);
        if (pair(r, WAIT_CREDITS)->moved <= out &&
            counter(r, WAIT_COUNTER_CREDITS) + out != all + pair(r, WAIT_CREDITS)->moved)
            return guilty(LOST, ordinal,
                          "has %u credits, though it has spent %" PRIu64 " and got back %" PRIu64 " of %" PRIu64,
                          counter(r, WAIT_COUNTER_CREDITS), out, pair(r, WAIT_CREDITS)->moved, all);
    }
    if (owed(r, WAIT_ATOMS) || owed(r, WAIT_ROWS)) {
        if (jobs(r, NVDLA_CSC) == 0)
            return ended_early(r, owed(r, WAIT_ATOMS) ? WAIT_ATOMS : WAIT_ROWS);
        if (!r->waits->inside) {
            if (missing(r, WAIT_DATA_CDMA_DAT, NVDLA_CSC))
                return waits_for_input(r, E_CDMA_DAT, WAIT_DATA_CDMA_DAT);
            if (missing(r, WAIT_DATA_CDMA_WT, NVDLA_CSC))
                return waits_for_input(r, E_CDMA_WT, WAIT_DATA_CDMA_WT);
            return owes(r, WAIT_ATOMS);
        }
        if (judge_csc_begin(r, &f))
            return f;
        if (!in_state(r, WAIT_STATE_CSC, "Run"))
            return owed(r, WAIT_ROWS) && in_state(r, WAIT_STATE_CSC, "Drain")
                       ? ended_early(r, WAIT_ROWS)
                       : guilty(IDLE, ordinal, "has an armed layer and does not begin it");
        const struct conv_shape shape = conv_now(r);
        const uint64_t room = shape.results * (shape.batches > 1 ? shape.batches + 1 : 1);
        if (refused(r, WAIT_ATOMS) && refused(r, WAIT_ROWS) && counter(r, WAIT_COUNTER_CREDITS) < room)
            return waits_for(E_CACC, pair(r, WAIT_ATOMS)->since,
                             "waits for credits: %u of %" PRIu64 " rows of CACC are free, %" PRIu64 " are needed",
                             counter(r, WAIT_COUNTER_CREDITS), all_credits(r->config), room);
        if (refused(r, WAIT_ATOMS) && (counter(r, WAIT_COUNTER_LOADED) || pair(r, WAIT_WEIGHTS)->valid))
            return guilty(COMPLETE, ordinal, "holds an atom back, with credits (%u) and its weights",
                          counter(r, WAIT_COUNTER_CREDITS));
        return judge_csc_input(r);
    }
    if (jobs(r, NVDLA_CSC) > 0)
        return does_not_end(r, NVDLA_CSC);
    return nothing("has given all its atoms");
}

static struct finding_of judge_cmac(const struct reasoning *r) {
    const struct wait_pair *atoms = pair(r, WAIT_ATOMS), *sums = pair(r, WAIT_SUMS);
    if (sums->counted && !r->moving && sums->moved != atoms->moved)
        return guilty(LOST, flow(r, WAIT_SUMS)->ordinal, "has got %" PRIu64 " atoms and given %" PRIu64 " sums",
                      atoms->moved, sums->moved);
    if (!r->moving && pair(r, WAIT_ROWS)->moved != pair(r, WAIT_SUM_ROWS)->moved)
        return guilty(LOST, flow(r, WAIT_SUMS)->ordinal,
                      "has got %" PRIu64 " atoms that complete a row and given %" PRIu64 " such sums",
                      pair(r, WAIT_ROWS)->moved, pair(r, WAIT_SUM_ROWS)->moved);
    if (missing(r, WAIT_SUMS, NVDLA_CMAC_A))
        return waits_for_input(r, E_CSC, WAIT_ATOMS);
    for (enum nvdla_unit unit = NVDLA_CMAC_A; unit <= NVDLA_CMAC_B; unit++)
        if (jobs(r, unit) > 0)
            return guilty(COMPLETE, current(r, unit), "%s has given all its sums, and does not end its layer",
                          nvdla_unit_names[unit]);
    return nothing("has given all its sums");
}

static struct finding_of judge_cacc(const struct reasoning *r) {
    const uint64_t beats = row_results(r->config) / (uint64_t)r->config->sdp_bs_throughput;
    const uint64_t rows = rows_of(r, pair(r, WAIT_SUM_ROWS)->moved), results = pair(r, WAIT_RESULTS)->moved;
    const int ordinal = flow(r, WAIT_RESULTS)->ordinal;
    const bool counts = r->waits->inside && !r->moving;
    if (counts && pair(r, WAIT_CREDITS)->moved != results / beats)
        return guilty(LOST, ordinal, "SDP has taken %" PRIu64 " rows and %" PRIu64 " credits have gone back",
                      results / beats, pair(r, WAIT_CREDITS)->moved);
    if (counts && results > rows * beats)
        return guilty(LOST, ordinal, "has given %" PRIu64 " results for %" PRIu64 " rows of %" PRIu64, results, rows,
                      beats);
    if (refused(r, WAIT_RESULTS))
        return waits_for_output(r, E_SDP, WAIT_RESULTS);
    /* With batches rows wait for those of the next column. */
    if (counts && results < rows * beats && (conv_now(r).batches == 1 || !missing(r, WAIT_SUMS, NVDLA_CACC)))
        return guilty(LOST, ordinal, "has got all sums of %" PRIu64 " rows and given %" PRIu64 " results of %" PRIu64,
                      rows, results, rows * beats);
    if (missing(r, WAIT_SUMS, NVDLA_CACC))
        return waits_for_input(r, E_CMAC, WAIT_SUMS);
    if (owed(r, WAIT_RESULTS))
        return owes(r, WAIT_RESULTS);
    if (jobs(r, NVDLA_CACC) > 0 || owed(r, WAIT_INTR_CACC))
        return does_not_end(r, NVDLA_CACC);
    return nothing("has given all its results");
}

/* One of the readers of SDP_RDMA, PDP_RDMA, CDP_RDMA: what comes from memory goes on to the engine behind. */
struct reader {
    size_t client;
    enum wait_index out;
    enum engine to;
};

/* An engine of which only the ports are seen, which writes an atom for each that it reads: it holds more than what a
 * memory interface without buffers would leave in it, so the stop is in it or behind it. */
static bool judge_holding(const struct reasoning *r, enum wait_index input, const struct client_links *out,
                          struct finding_of *f) {
    enum { INSIDE = 2 }; /* atoms that it may hold when it is not stopped */
    const struct flow *in = flow(r, input), *written = flow(r, out->data);
    if (owed(r, out->data) && blocked(r, out->client))
        *f = waits_for(E_TRACE, waited(r, out->data), "writes as %s, whose arbiter weight is 0",
                       nvdla_clients[out->client].name);
    else if (in->known && in->owed && owed(r, out->data) && in->moved_of > written->moved_of + INSIDE)
        *f = guilty(IDLE, written->ordinal, "has read %" PRIu64 " atoms of %" PRIu64 " and written %" PRIu64,
                    in->moved_of, in->required_of, written->moved_of);
    else
        return false;
    return true;
}

static struct finding_of judge_rdma(const struct reasoning *r, enum nvdla_unit unit, const struct reader *readers,
                                    int count) {
    struct finding_of f = nothing("has given all its data");
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++) {
            const struct client_links *c = &client_links[readers[i].client];
            const enum wait_index out = readers[i].out;
            if (pass == 0) {
                if (flow(r, c->ask)->beyond || flow(r, out)->beyond)
                    return too_many(r, flow(r, c->ask)->beyond ? c->ask : out);
                continue;
            }
            if (!r->waits->inside) {
                if (owed(r, c->data) && judge_reading(r, c, &f))
                    return f;
                continue;
            }
            if (refused(r, out) && f.kind != GUILTY) {
                f = waits_for_output(r, readers[i].to, out);
                continue;
            }
            if (refused(r, c->take) && !refused(r, out))
                return guilty(COMPLETE, flow(r, c->ask)->ordinal, "does not take the atoms that have come");
            if (judge_asking(r, c->ask, c->take, unit, &f))
                return f;
            if (owed(r, c->ask))
                return guilty(IDLE, flow(r, c->ask)->ordinal, "asks for no more after %" PRIu64 " of %" PRIu64 " atoms",
                              flow(r, c->ask)->moved_of, flow(r, c->ask)->required_of);
            if (owed(r, out) && !refused(r, out))
                return owes(r, out);
        }
    if (f.kind == NOTHING && r->waits->inside && jobs(r, unit) > 0)
        return does_not_end(r, unit);
    return f;
}

static struct finding_of judge_sdp_rdma(const struct reasoning *r) {
    static const struct reader readers[] = {{L_SDP, WAIT_SDP_MAIN, E_SDP},
                                            {L_SDP_B, WAIT_SDP_BS, E_SDP},
                                            {L_SDP_N, WAIT_SDP_BN, E_SDP},
                                            {L_SDP_E, WAIT_SDP_EW, E_SDP}};
    return judge_rdma(r, NVDLA_SDP_RDMA, readers, 4);
}

/* The end of an engine that writes: its commands and atoms, its interrupt. True if that explains its stop. */
static bool judge_writing(const struct reasoning *r, size_t client, bool input_complete, struct finding_of *f) {
    const struct client_links *c = &client_links[client];
    if (flow(r, c->ask)->beyond || flow(r, c->take)->beyond)
        *f = too_many(r, flow(r, c->ask)->beyond ? c->ask : c->take);
    else if (refused(r, c->take) && !refused(r, c->ask) && pair(r, c->take)->moved > pair(r, c->ask)->moved)
        *f =
            guilty(COMPLETE, flow(r, c->ask)->ordinal, "has given %" PRIu64 " atoms to write and commands for %" PRIu64,
                   pair(r, c->take)->moved, pair(r, c->ask)->moved);
    else if (refused(r, c->take))
        *f = waits_for_output(r, E_MCIF, c->take);
    else if (refused(r, c->ask) && !owed(r, c->take))
        *f = waits_for_output(r, E_MCIF, c->ask);
    else if (!input_complete)
        return false;
    else if (owed(r, c->take))
        *f = owes(r, c->take);
    else if (owed(r, c->ask))
        *f = owes(r, c->ask);
    else if (owed(r, c->last))
        *f = guilty(COMPLETE, flow(r, c->last)->ordinal, "has not marked the last command of its layer");
    else if (pair(r, c->last)->moved > pair(r, c->done)->moved && owed(r, c->interrupt))
        *f = waits_for(E_MCIF, waited(r, c->acknowledged), "has written everything and waits for the acknowledge");
    else
        return false;
    return true;
}

/* Launches of a unit up to one of them that have a bit of a register at a value. */
static int launches_with(const struct reasoning *r, enum nvdla_unit unit, int last, uint32_t offset, uint32_t mask,
                         bool set) {
    int count = 0;
    for (int ordinal = 0; ordinal <= last; ordinal++) {
        const struct launch *launch = launch_of(r, unit, ordinal);
        count += launch && !(launch_register(launch, offset) & mask) == !set;
    }
    return count;
}

static struct finding_of judge_sdp(const struct reasoning *r) {
    struct finding_of f;
    const int ordinal = current(r, NVDLA_SDP);
    const struct launch *launch = ordinal < 0 ? NULL : launch_of(r, NVDLA_SDP, ordinal);
    const bool flying =
        launch && REGISTER_FIELD(launch_register(launch, SDP_D_FEATURE_MODE_CFG), SDP_D_FEATURE_MODE_CFG__FLYING_MODE);
    const enum wait_index input = flying ? WAIT_RESULTS : WAIT_SDP_MAIN;
    if (!r->waits->inside) {
        if (jobs(r, NVDLA_SDP) == 0)
            return nothing("has ended its layers");
        if (judge_holding(r, WAIT_DATA_SDP, &client_links[L_SDP_W], &f))
            return f;
        if (flying && !pair(r, WAIT_RESULTS)->counted) {
            if (missing(r, WAIT_DATA_CDMA_DAT, NVDLA_SDP))
                return waits_for_input(r, E_CDMA_DAT, WAIT_DATA_CDMA_DAT);
            if (missing(r, WAIT_DATA_CDMA_WT, NVDLA_SDP))
                return waits_for_input(r, E_CDMA_WT, WAIT_DATA_CDMA_WT);
            if (cdma_does_not_end(r))
                return waits_for(E_CDMA_DAT, waited(r, WAIT_DATA_CDMA_DAT),
                                 "waits for CSC, CMAC and CACC, and these for CDMA");
            if (owed(r, WAIT_BEAT_SDP))
                return guilty(IDLE, ordinal,
                              "or CSC, CMAC or CACC before it: CDMA has read everything and SDP has written %" PRIu64
                              " of %" PRIu64 " atoms",
                              flow(r, WAIT_BEAT_SDP)->moved_of, flow(r, WAIT_BEAT_SDP)->required_of);
        }
        if (flying && missing(r, WAIT_RESULTS, NVDLA_SDP))
            return waits_for_input(r, E_CACC, WAIT_RESULTS);
        if (!flying && missing(r, WAIT_DATA_SDP, NVDLA_SDP))
            return waits_for_input(r, E_SDP_RDMA, WAIT_DATA_SDP);
        static const enum wait_index operands[] = {WAIT_DATA_SDP_B, WAIT_DATA_SDP_N, WAIT_DATA_SDP_E};
        for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++)
            if (missing(r, operands[i], NVDLA_SDP))
                return waits_for_input(r, E_SDP_RDMA, operands[i]);
        if (owed(r, WAIT_BEAT_SDP))
            return owes(r, WAIT_BEAT_SDP);
        return does_not_end(r, NVDLA_SDP);
    }
    if (flow(r, WAIT_SDP_SOURCE)->beyond)
        return too_many(r, WAIT_SDP_SOURCE);
    if (flow(r, WAIT_SDP_OUT)->beyond)
        return too_many(r, WAIT_SDP_OUT);
    /* Where precisions differ between layers an atom has now one beat, now two. */
    const bool fixed = !nvdla_has_16_bits(r->config);
    const uint64_t beats = (uint64_t)(r->config->mem_atom / r->config->sdp_bs_throughput);
    if (fixed && pair(r, WAIT_PUT_SDP)->moved * beats > pair(r, WAIT_SDP_OUT)->moved)
        return guilty(LOST, ordinal, "has made %" PRIu64 " atoms of %" PRIu64 " beats", pair(r, WAIT_PUT_SDP)->moved,
                      pair(r, WAIT_SDP_OUT)->moved);
    /* An atom counts with its last beat; one beat stands behind the source. */
    const uint64_t taken = pair(r, WAIT_SDP_MAIN)->moved * beats + pair(r, WAIT_RESULTS)->moved;
    const uint64_t passed = pair(r, WAIT_SDP_SOURCE)->moved;
    if (fixed && !r->moving && (passed + 1 < taken || passed > taken + beats))
        return guilty(LOST, ordinal, "has taken %" PRIu64 " beats of input and passed %" PRIu64 " to X1", taken,
                      passed);
    if (refused(r, WAIT_FLY))
        return waits_for_output(r, E_PDP, WAIT_FLY);
    if (!flying && refused(r, WAIT_RESULTS) && flow(r, WAIT_RESULTS)->ordinal >= 0 &&
        launches_with(r, NVDLA_SDP, (ordinal < 0 ? launch_count(r, NVDLA_SDP) : ordinal) - 1, SDP_D_FEATURE_MODE_CFG,
                      SDP_D_FEATURE_MODE_CFG__FLYING_MODE_MASK, true) > flow(r, WAIT_RESULTS)->ordinal)
        return guilty(COMPLETE, ordinal, "has ended an earlier layer after %" PRIu64 " of %" PRIu64 " %s",
                      flow(r, WAIT_RESULTS)->moved_of, flow(r, WAIT_RESULTS)->required_of, pair(r, WAIT_RESULTS)->name);
    if (judge_writing(r, L_SDP_W, !owed(r, WAIT_SDP_OUT), &f))
        return f;
    if (owed(r, WAIT_SDP_OUT) && jobs(r, NVDLA_SDP) == 0)
        return ended_early(r, WAIT_SDP_OUT);
    if (refused(r, WAIT_SDP_OUT))
        return guilty(IDLE, ordinal, "does not take its own results, with the way out free");
    /* A stage that needs operands takes data and operands together. */
    if (refused(r, WAIT_SDP_X2) && !pair(r, WAIT_SDP_EW)->valid && missing(r, WAIT_SDP_EW, NVDLA_SDP))
        return waits_for_input(r, E_SDP_RDMA, WAIT_SDP_EW);
    if (refused(r, WAIT_SDP_X1) && !pair(r, WAIT_SDP_BN)->valid && missing(r, WAIT_SDP_BN, NVDLA_SDP))
        return waits_for_input(r, E_SDP_RDMA, WAIT_SDP_BN);
    if (refused(r, WAIT_SDP_SOURCE) && !pair(r, WAIT_SDP_BS)->valid && missing(r, WAIT_SDP_BS, NVDLA_SDP))
        return waits_for_input(r, E_SDP_RDMA, WAIT_SDP_BS);
    const char *behind_x2 = nvdla_has(r->config, FEATURE_EW) ? "EW" : "the convertor";
    if (refused(r, WAIT_SDP_Y) || refused(r, WAIT_SDP_X2) || refused(r, WAIT_SDP_X1) || refused(r, WAIT_SDP_SOURCE))
        return guilty(IDLE, ordinal, "%s does not take its input, with its operands there and its output free",
                      refused(r, WAIT_SDP_Y)    ? "the convertor"
                      : refused(r, WAIT_SDP_X2) ? behind_x2
                      : refused(r, WAIT_SDP_X1) ? "X2"
                                                : "X1");
    if (owed(r, WAIT_SDP_SOURCE)) {
        if (refused(r, input))
            return guilty(IDLE, ordinal, "does not take %s, with nothing in its way", pair(r, input)->name);
        if (missing(r, input, NVDLA_SDP))
            return waits_for_input(r, flying ? E_CACC : E_SDP_RDMA, input);
        const enum nvdla_unit unit = flying ? NVDLA_CACC : NVDLA_SDP_RDMA;
        const struct flow *source = flow(r, WAIT_SDP_SOURCE);
        return waits_for(E_TRACE, waited(r, input),
                         "has got %" PRIu64 " of %" PRIu64 " beats of input, and no armed launch of %s gives more",
                         source->moved_of, source->required_of, nvdla_unit_names[unit]);
    }
    if (owed(r, WAIT_SDP_OUT))
        return owes(r, WAIT_SDP_OUT);
    if (jobs(r, NVDLA_SDP) > 0 || owed(r, WAIT_INTR_SDP))
        return does_not_end(r, NVDLA_SDP);
    return nothing("has ended its layers");
}

static struct finding_of judge_pdp_rdma(const struct reasoning *r) {
    static const struct reader reader = {L_PDP, WAIT_PDP_MAIN, E_PDP};
    return judge_rdma(r, NVDLA_PDP_RDMA, &reader, 1);
}

static struct finding_of judge_cdp_rdma(const struct reasoning *r) {
    static const struct reader reader = {L_CDP, WAIT_CDP_MAIN, E_CDP};
    return judge_rdma(r, NVDLA_CDP_RDMA, &reader, 1);
}

/* PDP and CDP: input, something in between, output to memory. */
static struct finding_of judge_plane(const struct reasoning *r, enum nvdla_unit unit, enum engine from,
                                     enum wait_index input, enum wait_index port, enum wait_index out, size_t writer) {
    struct finding_of f;
    const int ordinal = current(r, unit);
    const enum wait_index interrupt = client_links[writer].interrupt;
    if (!r->waits->inside) {
        if (jobs(r, unit) == 0)
            return nothing("has ended its layers");
        if (from == E_SDP && !pair(r, port)->counted && jobs(r, NVDLA_SDP) > 0)
            return waits_for(E_SDP, 0, "has written %" PRIu64 " of %" PRIu64 " atoms, and SDP has not ended",
                             flow(r, client_links[writer].data)->moved_of,
                             flow(r, client_links[writer].data)->required_of);
        if (port != WAIT_DATA_PDP && judge_holding(r, port, &client_links[writer], &f))
            return f;
        if (missing(r, port, unit))
            return waits_for_input(r, from, port);
        const struct flow *written = flow(r, client_links[writer].data);
        if (owed(r, client_links[writer].data) && from == E_SDP && !pair(r, port)->counted)
            return guilty(IDLE, ordinal,
                          "or SDP before it: SDP has ended and PDP has written %" PRIu64 " of %" PRIu64 " atoms",
                          written->moved_of, written->required_of);
        if (owed(r, client_links[writer].data))
            return owes(r, client_links[writer].data);
        return does_not_end(r, unit);
    }
    if (flow(r, out)->beyond)
        return too_many(r, out);
    const bool wants = missing(r, input, unit), input_complete = flow(r, input)->known && !wants;
    if (judge_writing(r, writer, input_complete && !owed(r, out), &f))
        return f;
    if (jobs(r, unit) == 0 && owed(r, out))
        return ended_early(r, out);
    if (jobs(r, unit) == 0 && refused(r, input))
        return guilty(COMPLETE, launch_count(r, unit) - 1, "has ended its layers and not taken all its input");
    if (wants && !pair(r, input)->valid)
        return waits_for_input(r, from, input);
    if (wants && refused(r, input))
        return guilty(IDLE, ordinal, "does not take %s, with nothing in its way", pair(r, input)->name);
    if (owed(r, out) && input_complete) {
        if (pair(r, input)->moved == 0 && flow(r, input)->ordinal < 0)
            return waits_for(E_TRACE, 0, "waits for %s, which has not been armed", engine_facts[from].name);
        return owes(r, out);
    }
    if (jobs(r, unit) > 0 || owed(r, interrupt))
        return does_not_end(r, unit);
    return nothing("has ended its layers");
}

static struct finding_of judge_pdp(const struct reasoning *r) {
    const int now = current(r, NVDLA_PDP), ordinal = now < 0 ? launch_count(r, NVDLA_PDP) - 1 : now;
    const struct launch *launch = launch_of(r, NVDLA_PDP, ordinal);
    const bool from_memory = !launch || REGISTER_FIELD(launch_register(launch, PDP_D_OPERATION_MODE_CFG),
                                                       PDP_D_OPERATION_MODE_CFG__FLYING_MODE);
    return judge_plane(r, NVDLA_PDP, from_memory ? E_PDP_RDMA : E_SDP, from_memory ? WAIT_PDP_MAIN : WAIT_FLY,
                       from_memory ? WAIT_DATA_PDP : WAIT_FLY, WAIT_PDP_OUT, L_PDP_W);
}

static struct finding_of judge_cdp(const struct reasoning *r) {
    return judge_plane(r, NVDLA_CDP, E_CDP_RDMA, WAIT_CDP_MAIN, WAIT_DATA_CDP, WAIT_CDP_OUT, L_CDP_W);
}

/* BDMA and RUBIK: from memory to memory. */
static struct finding_of judge_mover(const struct reasoning *r, enum nvdla_unit unit, enum client_place reader,
                                     enum client_place writer) {
    const struct client_links *in = &client_links[reader], *out = &client_links[writer];
    struct finding_of f;
    if (!r->waits->inside) {
        if (jobs(r, unit) == 0)
            return nothing("has ended its layers");
        if (owed(r, in->data) && judge_reading(r, in, &f))
            return f;
        return owed(r, out->data) ? owes(r, out->data) : does_not_end(r, unit);
    }
    if (judge_writing(r, writer, !owed(r, in->ask) && !owed(r, in->take), &f))
        return f;
    if (judge_asking(r, in->ask, in->take, unit, &f))
        return f;
    if (refused(r, in->take))
        return guilty(IDLE, flow(r, in->ask)->ordinal, "does not take the atoms that have come");
    if (owed(r, in->ask))
        return guilty(IDLE, flow(r, in->ask)->ordinal, "asks for no more after %" PRIu64 " of %" PRIu64 " atoms",
                      flow(r, in->ask)->moved_of, flow(r, in->ask)->required_of);
    if (jobs(r, unit) > 0 || owed(r, out->interrupt))
        return does_not_end(r, unit);
    return nothing("has ended its layers");
}

static struct finding_of judge_mcif(const struct reasoning *r) {
    struct finding_of best = nothing("has answered everything that it was asked for");
    if (!r->waits->inside)
        return best;
    for (size_t i = 0; i < r->waits->burst_count; i++) {
        const struct wait_burst *burst = &r->waits->bursts[i];
        if (nvdla_client_find(burst->id, burst->write) == NVDLA_CLIENT_COUNT)
            return guilty(EXCESS, -1, "uses AXI ID %d to %s, which no client has", burst->id,
                          burst->write ? "write" : "read");
    }
    for (size_t i = 0; i < CLIENTS; i++) {
        const struct finding_of f = judge_client(r, &client_links[i]);
        if (f.kind == GUILTY && (best.kind != GUILTY || f.strength > best.strength))
            best = f;
        else if (f.kind == WAITS && best.kind == NOTHING)
            best = f;
    }
    return best;
}

static struct finding_of judge_glb(const struct reasoning *r) {
    const uint32_t unmasked = r->hang->intr_status & ~r->hang->intr_mask;
    if (r->hang->answers && (unmasked != 0) != r->hang->intr_line)
        return guilty(LOST, -1, "has interrupts 0x%08x that are not masked, and dla_intr is %d", unmasked,
                      r->hang->intr_line);
    if (r->hang->answers && r->hang->intr_status)
        return waits_for(E_TRACE, 0, "has interrupts 0x%08x that nobody serves", r->hang->intr_status);
    return nothing("has no interrupt");
}

/* The unit works together with one that the program has not armed: it waits for the program. */
static bool without_partner(const struct reasoning *r, enum nvdla_unit unit, struct finding_of *f) {
    static const struct {
        enum nvdla_unit unit, partner;
        uint32_t offset, mask; /* only launches that have this bit need it; mask 0: all */
        bool set;
    } partners[] = {
        {NVDLA_CDMA, NVDLA_CSC, 0, 0, false},
        {NVDLA_CSC, NVDLA_CDMA, 0, 0, false},
        {NVDLA_CSC, NVDLA_CMAC_A, 0, 0, false},
        {NVDLA_CSC, NVDLA_CMAC_B, 0, 0, false},
        {NVDLA_CSC, NVDLA_CACC, 0, 0, false},
        {NVDLA_CMAC_A, NVDLA_CSC, 0, 0, false},
        {NVDLA_CACC, NVDLA_CSC, 0, 0, false},
        {NVDLA_SDP, NVDLA_CACC, SDP_D_FEATURE_MODE_CFG, SDP_D_FEATURE_MODE_CFG__FLYING_MODE_MASK, true},
        {NVDLA_SDP, NVDLA_SDP_RDMA, SDP_D_FEATURE_MODE_CFG, SDP_D_FEATURE_MODE_CFG__FLYING_MODE_MASK, false},
        {NVDLA_SDP, NVDLA_PDP, SDP_D_FEATURE_MODE_CFG, SDP_D_FEATURE_MODE_CFG__OUTPUT_DST_MASK, true},
        {NVDLA_PDP, NVDLA_PDP_RDMA, PDP_D_OPERATION_MODE_CFG, PDP_D_OPERATION_MODE_CFG__FLYING_MODE_MASK, true},
        {NVDLA_PDP, NVDLA_SDP, PDP_D_OPERATION_MODE_CFG, PDP_D_OPERATION_MODE_CFG__FLYING_MODE_MASK, false},
        {NVDLA_CDP, NVDLA_CDP_RDMA, 0, 0, false},
        {NVDLA_CDP_RDMA, NVDLA_CDP, 0, 0, false},
        {NVDLA_PDP_RDMA, NVDLA_PDP, 0, 0, false},
        {NVDLA_SDP_RDMA, NVDLA_SDP, 0, 0, false},
    };
    const int ordinal = current(r, unit);
    for (size_t i = 0; ordinal >= 0 && i < sizeof partners / sizeof partners[0]; i++) {
        if (partners[i].unit != unit)
            continue;
        const uint32_t offset = partners[i].offset, mask = partners[i].mask;
        const struct launch *launch = launch_of(r, unit, ordinal);
        if (!launch || (mask && !(launch_register(launch, offset) & mask) == partners[i].set))
            continue;
        const int needed = mask ? launches_with(r, unit, ordinal, offset, mask, partners[i].set) : ordinal + 1;
        if (launch_count(r, partners[i].partner) >= needed)
            continue;
        *f = waits_for(E_TRACE, launch->tag, "works with %s, which has not been armed",
                       nvdla_unit_names[partners[i].partner]);
        return true;
    }
    return false;
}

static struct finding_of judge(const struct reasoning *r, enum engine engine) {
    struct finding_of f;
    if (engine_facts[engine].unit != NVDLA_UNIT_COUNT && without_partner(r, engine_facts[engine].unit, &f))
        return f;
    switch (engine) {
    case E_MCIF:
        return judge_mcif(r);
    case E_CDMA_DAT:
        return judge_cdma_data(r);
    case E_CDMA_WT:
        return judge_cdma_weights(r);
    case E_CSC:
        return judge_csc(r);
    case E_CMAC:
        return judge_cmac(r);
    case E_CACC:
        return judge_cacc(r);
    case E_SDP_RDMA:
        return judge_sdp_rdma(r);
    case E_SDP:
        return judge_sdp(r);
    case E_PDP_RDMA:
        return judge_pdp_rdma(r);
    case E_PDP:
        return judge_pdp(r);
    case E_CDP_RDMA:
        return judge_cdp_rdma(r);
    case E_CDP:
        return judge_cdp(r);
    case E_BDMA:
        return judge_mover(r, NVDLA_BDMA, L_BDMA, L_BDMA_W);
    case E_RUBIK:
        return judge_mover(r, NVDLA_RBK, L_RUBIK, L_RUBIK_W);
    case E_GLB:
        return judge_glb(r);
    case E_MEMORY:
        return nothing(r->waits->burst_count ? "owes answers" : "owes nothing");
    default:
        return nothing("%s", "");
    }
}

/* ---- the chain ---- */

/* The memory interface as the engine that waits for it sees it. */
static struct finding_of judge_for(const struct reasoning *r, enum engine engine, enum engine asker) {
    struct finding_of best = judge(r, engine);
    if (engine != E_MCIF || !r->waits->inside)
        return best;
    struct finding_of own = nothing("has answered everything that %s asked for", engine_facts[asker].name);
    for (size_t i = 0; i < CLIENTS; i++) {
        if (client_links[i].engine != asker)
            continue;
        const struct finding_of f = judge_client(r, &client_links[i]);
        if (f.kind == GUILTY && (own.kind != GUILTY || f.strength > own.strength))
            own = f;
        else if (f.kind == WAITS && own.kind == NOTHING)
            own = f;
    }
    return own.kind == NOTHING ? best : own;
}

/* The engine whose end does not come: of those that write memory and have not ended, the one that was armed first; else
 * the first of the others on the data path. NOBODY: all have ended. */
static enum engine find_start(const struct reasoning *r) {
    static const struct {
        enum engine engine;
        enum wait_index interrupt;
    } ends[] = {{E_PDP, WAIT_INTR_PDP},
                {E_CDP, WAIT_INTR_CDP},
                {E_SDP, WAIT_INTR_SDP},
                {E_BDMA, WAIT_INTR_BDMA},
                {E_RUBIK, WAIT_INTR_RUBIK}};
    enum engine start = NOBODY;
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const enum nvdla_unit unit = engine_facts[ends[i].engine].unit;
        int ordinal = current(r, unit);
        if (ordinal < 0 && owed(r, ends[i].interrupt))
            ordinal = launch_count(r, unit) - 1;
        const struct launch *launch = ordinal < 0 ? NULL : launch_of(r, unit, ordinal);
        if (launch && launch->tag < first) {
            start = ends[i].engine;
            first = launch->tag;
        }
    }
    for (enum engine engine = E_FIRST; start == NOBODY && engine <= E_LAST; engine++) {
        const bool works = jobs(r, engine_facts[engine].unit) > 0 || (engine == E_CMAC && jobs(r, NVDLA_CMAC_B) > 0);
        if (works && judge(r, engine).kind != NOTHING)
            start = engine;
    }
    return start;
}

/* Two engines that wait for each other's accounts of CBUF: who holds back what the other may have? */
static enum engine break_tie(const struct reasoning *r, enum engine cdma) {
    if (cdma == E_CDMA_DAT) {
        const uint64_t held = pair(r, WAIT_SLICES)->moved - pair(r, WAIT_FREE_SLICES)->moved;
        return held > counter(r, WAIT_COUNTER_SLICES) ? E_CSC : E_CDMA_DAT;
    }
    const struct launch *launch = launch_of(r, NVDLA_CDMA, current(r, NVDLA_CDMA));
    if (!launch)
        return E_CDMA_WT;
    const struct registers_view view = launch_view(r->config, launch);
    const uint64_t held = pair(r, WAIT_WT_ENTRIES)->moved - pair(r, WAIT_FREE_WEIGHTS)->moved;
    const uint64_t need = ceil_div(counter(r, WAIT_COUNTER_KERNELS) * (size_t)cdma_cubes(&view).kernel_bytes,
                                   (size_t)r->config->cbuf_bank_bytes * (nvdla_has_16_bits(r->config) ? 2 : 1));
    return held > need + 1 ? E_CSC : E_CDMA_WT;
}

static void add_step(struct hang_triage *t, enum engine engine, const struct finding_of *f) {
    struct hang_step *step = &t->chain[t->chain_count++];
    *step = (struct hang_step){.engine = &t->engines[engine], .since = f->since};
    snprintf(step->text, sizeof step->text, "%s", f->text);
}

static void blame(struct hang_triage *t, enum engine engine, const struct finding_of *f, const char *text) {
    /* What is not seen may be otherwise. */
    const char *how = t->inside || engine == E_TRACE ? "" : " (as far as links and ports show)";
    char launch[32] = "";
    t->engine = engine_facts[engine].folder;
    t->unit = engine_facts[engine].name;
    t->ordinal = f ? f->ordinal : -1;
    if (t->ordinal >= 0)
        snprintf(launch, sizeof launch, " (launch %d)", t->ordinal);
    snprintf(t->sentence, sizeof t->sentence, "%s%s %s%s; nothing has moved since cycle %" PRIu64, t->unit, launch,
             text, how, t->cycle);
}

/* Who raises interrupts. */
static const struct {
    enum engine engine;
    enum wait_index interrupt;
    const char *names[2]; /* of groups 0 and 1 */
} sources[] = {
    {E_CDMA_DAT, WAIT_INTR_CDMA_DAT, {"CDMA_DAT_0", "CDMA_DAT_1"}},
    {E_CDMA_WT, WAIT_INTR_CDMA_WT, {"CDMA_WT_0", "CDMA_WT_1"}},
    {E_CACC, WAIT_INTR_CACC, {"CACC_0", "CACC_1"}},
    {E_SDP, WAIT_INTR_SDP, {"SDP_0", "SDP_1"}},
    {E_PDP, WAIT_INTR_PDP, {"PDP_0", "PDP_1"}},
    {E_CDP, WAIT_INTR_CDP, {"CDP_0", "CDP_1"}},
    {E_BDMA, WAIT_INTR_BDMA, {"BDMA_0", "BDMA_1"}},
    {E_RUBIK, WAIT_INTR_RUBIK, {"RUBIK_0", "RUBIK_1"}},
};

/* An interrupt that was raised more often than layers were armed, or for a group that was not. NOBODY: none. */
static enum engine find_false_interrupt(const struct reasoning *r, struct finding_of *f) {
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        const enum nvdla_unit unit = engine_facts[sources[i].engine].unit;
        bool armed[2] = {false, false};
        const struct launch *launch;
        for (int ordinal = 0; (launch = launch_of(r, unit, ordinal)); ordinal++)
            armed[launch->group & 1] = true;
        if (flow(r, sources[i].interrupt)->beyond) {
            *f = guilty(EXCESS, launch_count(r, unit) - 1, "has raised its interrupt %" PRIu64 " times for %d layers",
                        pair(r, sources[i].interrupt)->moved, launch_count(r, unit));
            return sources[i].engine;
        }
        for (int bit = 0; bit < 32; bit++)
            for (int group = 0; group < 2; group++) {
                const char *name = r->hang->intr_status >> bit & 1 ? nvdla_interrupt_name(bit) : NULL;
                if (!name || strcmp(name, sources[i].names[group]) != 0 || armed[group] ||
                    (pair(r, sources[i].interrupt)->counted && !pair(r, sources[i].interrupt)->moved))
                    continue; /* counted, but never raised: GLB has made it up */
                *f = guilty(LOST, launch_count(r, unit) - 1, "has raised interrupt %s, of a group that was not armed",
                            name);
                return sources[i].engine;
            }
    }
    return NOBODY;
}

/* An engine that gave too much, or less than it took, is the guilty one wherever the chain leads: those behind it only
 * show what it did. NOBODY: none. */
static enum engine find_lost(const struct reasoning *r, struct finding_of *f) {
    for (enum strength strength = EXCESS; strength >= LOST; strength--)
        for (enum engine engine = E_MCIF; engine <= E_LAST; engine++) {
            *f = judge(r, engine);
            if (f->kind == GUILTY && f->strength == strength)
                return engine;
        }
    return find_false_interrupt(r, f);
}

/* A stream polls a register of an engine that has nothing to do: the engine does not answer as it should. */
static bool blame_polled(const struct reasoning *r, struct hang_triage *t) {
    for (size_t i = 0; i < r->hang->stream_count; i++) {
        const struct op *op = &r->hang->prog->ops[r->hang->streams[i].op];
        const struct nvdla_register *reg =
            op->kind == OP_POLL && !r->hang->streams[i].unit_absent ? nvdla_register_at(r->config, op->address) : NULL;
        for (enum engine engine = E_FIRST; reg && engine <= E_LAST; engine++) {
            if (engine_facts[engine].unit != reg->unit || jobs(r, reg->unit) > 0)
                continue;
            const struct finding_of f =
                guilty(COMPLETE, -1, "is polled for %s.%s, has no layer, and does not show what is expected",
                       nvdla_unit_names[reg->unit], reg->name);
            add_step(t, engine, &f);
            blame(t, engine, &f, f.text);
            return true;
        }
    }
    return false;
}

/* How many interrupts of that bit the trace has taken, and whether it waits for one more. */
static int interrupts_taken(const struct hang *hang, int bit, bool *waits) {
    int taken = 0;
    for (size_t i = 0; i < hang->prog->count; i++) {
        const struct op *op = &hang->prog->ops[i];
        if (op->kind != OP_INTR_NOTIFY || op->bit != bit)
            continue;
        bool outstanding = false;
        for (size_t k = 0; k < hang->event_count; k++)
            outstanding = outstanding || hang->events[k] == op->event;
        *waits = *waits || outstanding;
        taken += !outstanding;
    }
    return taken;
}

/* The trace waits for the interrupt of a layer that has ended without one. */
static bool blame_silent(const struct reasoning *r, struct hang_triage *t) {
    for (int bit = 0; bit < 32; bit++) {
        const char *name = nvdla_interrupt_name(bit);
        for (size_t i = 0; name && i < sizeof sources / sizeof sources[0]; i++) {
            const enum nvdla_unit unit = engine_facts[sources[i].engine].unit;
            const int group = !strcmp(name, sources[i].names[1]);
            if (strcmp(name, sources[i].names[group]) != 0 || jobs(r, unit) > 0 || (r->hang->intr_status >> bit & 1))
                continue;
            int armed = 0, last = -1;
            const struct launch *launch;
            for (int ordinal = 0; (launch = launch_of(r, unit, ordinal)); ordinal++)
                if (launch->group == group) {
                    armed++;
                    last = ordinal;
                }
            bool waits = false;
            if (armed <= interrupts_taken(r->hang, bit, &waits) || !waits)
                continue;
            const struct finding_of f =
                guilty(COMPLETE, last, "has ended its layer, and its interrupt %s has not come", name);
            add_step(t, sources[i].engine, &f);
            blame(t, sources[i].engine, &f, f.text);
            return true;
        }
    }
    return false;
}

static void follow(const struct reasoning *r, struct hang_triage *t) {
    bool seen[ENGINES] = {false};
    enum engine at = find_start(r), asker = NOBODY, last = NOBODY;
    struct finding_of f = {0}, lost;
    t->chain = xcalloc(ENGINES + 1, sizeof *t->chain);
    if (at == NOBODY) {
        const enum engine culprit = find_lost(r, &f);
        if (culprit != NOBODY) {
            add_step(t, culprit, &f);
            blame(t, culprit, &f, f.text);
            return;
        }
        if (blame_polled(r, t) || blame_silent(r, t))
            return;
        f = judge_glb(r);
        add_step(t, E_GLB, &f);
        if (f.kind == GUILTY)
            blame(t, E_GLB, &f, f.text);
        else
            blame(t, E_TRACE, NULL, "waits for what it has not started, or what is done: no unit is at work");
        return;
    }
    for (; at != NOBODY && !seen[at]; asker = at, at = f.on) {
        f = judge_for(r, at, asker);
        last = at;
        seen[at] = true;
        add_step(t, at, &f);
        if (f.kind != WAITS)
            break;
    }
    const bool circle = f.kind == WAITS;
    const enum engine culprit = find_lost(r, &lost);
    if (culprit != NOBODY) {
        if (culprit != last || circle) {
            lost.since = 0;
            add_step(t, culprit, &lost);
        }
        blame(t, culprit, &lost, lost.text);
    } else if (f.kind == GUILTY) {
        blame(t, last, &f, f.text);
    } else if (circle && (seen[E_CDMA_DAT] || seen[E_CDMA_WT]) && seen[E_CSC]) {
        const enum engine held = break_tie(r, seen[E_CDMA_WT] ? E_CDMA_WT : E_CDMA_DAT);
        blame(t, held, &f,
              held == E_CSC ? "does not give back what it has used up in CBUF"
                            : "has room in CBUF and does not use it");
    } else if (last == E_TRACE && blame_polled(r, t)) {
        return;
    } else if (last == E_TRACE && t->chain_count > 1) {
        const struct hang_step *step = &t->chain[t->chain_count - 2];
        char text[280];
        snprintf(text, sizeof text, "does not go on: %s %s", step->engine->name, step->text);
        blame(t, E_TRACE, NULL, text);
    } else if (last == E_MEMORY) {
        blame(t, E_MEMORY, NULL, "owes answers");
    } else if (asker != NOBODY && f.kind == NOTHING) {
        /* The last one has given all that it has to give: the one before it wants too much. */
        const struct hang_step *step = &t->chain[t->chain_count - 2];
        const struct finding_of wants = {.kind = GUILTY, .ordinal = current(r, engine_facts[asker].unit)};
        blame(t, asker, &wants, step->text);
    } else if (circle && (at == E_MCIF ? asker : at) <= E_LAST) {
        char text[280];
        snprintf(text, sizeof text, "waits in a circle: %s", f.text);
        blame(t, at == E_MCIF ? asker : at, &f, text);
    } else {
        snprintf(t->sentence, sizeof t->sentence,
                 "the engines wait for each other in a circle; nothing has moved since cycle %" PRIu64, t->cycle);
    }
}

/* ---- all of it ---- */

static void describe_engines(const struct reasoning *r, struct hang_triage *t) {
    t->engines = xcalloc(ENGINES, sizeof *t->engines);
    t->engine_count = ENGINES;
    for (enum engine engine = 0; engine < ENGINES; engine++) {
        const struct finding_of f = judge(r, engine);
        struct hang_engine *e = &t->engines[engine];
        *e = (struct hang_engine){
            .name = engine_facts[engine].name,
            .folder = engine_facts[engine].folder,
            .armed = jobs(r, engine_facts[engine].unit),
            .waits_for = f.kind == WAITS ? engine_facts[f.on].name : NULL,
        };
        e->seen = engine_facts[engine].unit == NVDLA_UNIT_COUNT ? engine != E_TRACE
                                                                : launch_count(r, engine_facts[engine].unit) > 0;
        e->running = e->armed > 0;
        snprintf(e->text, sizeof e->text, "%s", f.text);
    }
}

static void describe_links(const struct reasoning *r, struct hang_triage *t) {
    t->links = xcalloc(WAIT_COUNT, sizeof *t->links);
    for (int i = 0; i < WAIT_COUNT; i++) {
        const struct wait_pair *p = &r->waits->pairs[i];
        const struct flow *f = &r->flows[i];
        if (!p->counted || (!p->moved && !p->valid && !f->owed))
            continue;
        t->links[t->link_count++] = (struct hang_link){
            .pair = p,
            .ordinal = f->ordinal,
            .counted = f->known,
            .moved = f->moved_of,
            .required = f->required_of,
            .owed = f->owed,
            .beyond = (int64_t)f->beyond,
            .stuck = (p->seen && p->valid && !p->ready) || (f->known && f->owed),
        };
    }
}

struct hang_triage *hang_triage_new(const struct hang *hang) {
    if (!hang->waits || !hang->waits->launches)
        return NULL;
    struct reasoning r = {.hang = hang, .waits = hang->waits, .config = hang->prog->config};
    r.moving = r.waits->cycle - r.waits->moved < STILL_CLOCKS;
    struct hang_triage *t = xcalloc(1, sizeof *t);
    *t = (struct hang_triage){
        .waits = hang->waits, .inside = hang->waits->inside, .ordinal = -1, .cycle = hang->waits->moved};
    for (int i = 0; i < WAIT_COUNT; i++)
        r.flows[i] = flow_find(&r, (enum wait_index)i);
    describe_engines(&r, t);
    describe_links(&r, t);
    follow(&r, t);
    return t;
}

void hang_triage_free(struct hang_triage *triage) {
    if (!triage)
        return;
    free(triage->chain);
    free(triage->engines);
    free(triage->links);
    free(triage);
}
