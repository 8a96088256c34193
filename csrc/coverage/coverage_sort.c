/* The bins: values of aspects, crosses, and what a configuration cannot do. See coverage_sort.h. */
#include "coverage/coverage_sort.h"

#include "coverage/coverage_engines.h"
#include "layers/pairing.h"
#include "nvdla/config_text.h"

unsigned coverage_features(const struct nvdla_config *config) {
    unsigned needs =
        (config->atomic_c >= 16 ? COVERAGE_NEEDS_WIDE : 0) | (config->atomic_c >= 64 ? COVERAGE_NEEDS_C64 : 0) |
        (config->atomic_k >= 16 ? COVERAGE_NEEDS_K16 : 0) | (config->atomic_k >= 32 ? COVERAGE_NEEDS_K32 : 0) |
        (config->mem_atom >= 16 ? COVERAGE_NEEDS_A16 : 0) | (config->mem_atom >= 32 ? COVERAGE_NEEDS_A32 : 0);
    for (enum nvdla_feature feature = 0; feature < FEATURE_COUNT; feature++)
        if (nvdla_has(config, feature))
            needs |= 1u << feature;
    return needs;
}

/* ---- the whole trace ------------------------------------------------------------------------- */

/* clang-format off */
#define TRACE_ASPECTS(A) \
    A(TRACE_CONFIG, ASPECT("config", NULL)) \
    A(TRACE_ORDER, ASPECT("order", "streams sequential")) \
    A(TRACE_LAYERS, ASPECT("chains", "0..1 2..4 5..")) \
    A(TRACE_GROUPS, ASPECT("groups", "one both")) \
    A(TRACE_CDP_LUT_WRITE, ASPECT("cdp_lut_write", "none some")) \
    A(TRACE_CDP_LUT_READ, ASPECT("cdp_lut_read", "none some")) \
    A(TRACE_SDP_LUT_WRITE, ASPECT_IF("sdp_lut_write", "none some", COVERAGE_NEEDS_LUT)) \
    A(TRACE_SDP_LUT_READ, ASPECT_IF("sdp_lut_read", "none some", COVERAGE_NEEDS_LUT))
/* clang-format on */

enum { TRACE_ASPECTS(ASPECT_INDEX) };

static const struct coverage_aspect trace_aspects[] = {TRACE_ASPECTS(ASPECT_ROW)};

static const struct coverage_engine coverage_trace = {
    .name = "trace", .what = "trace", .aspects = trace_aspects, .aspect_count = COUNT(trace_aspects)};

/* ---- chains ---------------------------------------------------------------------------------- */

enum { KIND_SDP, KIND_SDP_PDP, KIND_CONV_SDP, KIND_CONV_SDP_PDP, KIND_PDP, KIND_CDP, KIND_BDMA, KIND_RUBIK };
enum { CHAIN_KIND, CHAIN_INPUT, CHAIN_PRECISION, CHAIN_AFTER };
static const struct coverage_aspect chain_aspects[] = {
    [CHAIN_KIND] = ASPECT("kind", "sdp sdp>pdp conv>sdp conv>sdp>pdp pdp cdp bdma@bdma rubik@rubik"),
    [CHAIN_INPUT] = ASPECT("conv_input", "feature image winograd@winograd"),
    [CHAIN_PRECISION] = ASPECT("precision", PRECISION),
    [CHAIN_AFTER] = ASPECT("after", "nothing same_kind other_kind"),
};

static bool begins_with_conv(int kind) {
    return kind == KIND_CONV_SDP || kind == KIND_CONV_SDP_PDP;
}

/* Winograd cannot continue to PDP (chapter 50, illegal programming). */
static unsigned input_of_conv(const int *values) {
    return !begins_with_conv(values[0]) || (values[0] == KIND_CONV_SDP_PDP && values[1] == 2) ? COVERAGE_IMPOSSIBLE : 0;
}

/* BDMA has none. */
static unsigned precision_of_kind(const int *values) {
    return values[0] == KIND_BDMA ? COVERAGE_IMPOSSIBLE : 0;
}

static const struct coverage_cross chain_crosses[] = {
    {CROSS(CHAIN_KIND, CHAIN_INPUT), input_of_conv},
    {CROSS(CHAIN_KIND, CHAIN_PRECISION), precision_of_kind},
    {CROSS(CHAIN_KIND, CHAIN_AFTER)},
};

static const struct coverage_engine coverage_chain = {ENGINE("chain", "chain", chain)};

/* ---- the engines ----------------------------------------------------------------------------- */

const struct coverage_engine *const coverage_engines[COVERAGE_ENGINES] = {
    [COVERAGE_TRACE] = &coverage_trace,     [COVERAGE_CHAIN] = &coverage_chain,
    [COVERAGE_CONV] = &coverage_conv,       [COVERAGE_SDP] = &coverage_sdp,
    [COVERAGE_SDP_LUT] = &coverage_sdp_lut, [COVERAGE_SDP_RDMA] = &coverage_sdp_rdma,
    [COVERAGE_PDP] = &coverage_pdp,         [COVERAGE_CDP] = &coverage_cdp,
    [COVERAGE_BDMA] = &coverage_bdma,       [COVERAGE_BDMA_BLOCK] = &coverage_bdma_block,
    [COVERAGE_RUBIK] = &coverage_rubik,     [COVERAGE_VALUES] = &coverage_values,
};

/* ---- sorting --------------------------------------------------------------------------------- */

/* State while a trace is counted. */
struct count_walk {
    const struct program *prog;
    const struct layer_tracker *launches;
    void (*take)(void *context, const struct coverage_sample *sample);
    void *context;
    struct conv_launch conv;   /* the last one */
    const struct launch *bdma; /* likewise, NULL before the first */
    struct launch_block block; /* likewise, of BDMA */
    int chains, kind;          /* chains so far; kind of the last one, -1 before the first */
};

static struct coverage_sample new_sample(int engine) {
    struct coverage_sample sample = {.engine = engine};
    for (int i = 0; i < COVERAGE_ASPECTS_MAX; i++)
        sample.values[i] = -1;
    return sample;
}

/* Kind of the chain (KIND_...) that a launch represents, -1 if none: SDP represents itself and what is fused to it, the
 * others only where they read memory. */
static int chain_kind(const struct registers_view *view, enum nvdla_unit unit) {
    switch (unit) {
    case NVDLA_CDP:
        return KIND_CDP;
    case NVDLA_BDMA:
        return KIND_BDMA;
    case NVDLA_RBK:
        return KIND_RUBIK;
    case NVDLA_PDP:
        return FIELD(view, PDP, D_OPERATION_MODE_CFG, FLYING_MODE) ? KIND_PDP : -1;
    case NVDLA_SDP: {
        const bool conv = FIELD(view, SDP, D_FEATURE_MODE_CFG, FLYING_MODE) != 0;
        const bool pdp = FIELD(view, SDP, D_FEATURE_MODE_CFG, OUTPUT_DST) != 0;
        return conv ? (pdp ? KIND_CONV_SDP_PDP : KIND_CONV_SDP) : pdp ? KIND_SDP_PDP : KIND_SDP;
    }
    default:
        return -1;
    }
}

static int chain_precision(const struct registers_view *view, enum nvdla_unit unit) {
    const struct nvdla_config *config = view->config;
    switch (unit) {
    case NVDLA_SDP:
        return precision_class(config, FIELD(view, SDP, D_DATA_FORMAT, PROC_PRECISION));
    case NVDLA_PDP:
        return precision_class(config, FIELD(view, PDP, D_DATA_FORMAT, INPUT_DATA));
    case NVDLA_CDP:
        return precision_class(config, FIELD(view, CDP, D_DATA_FORMAT, INPUT_DATA_TYPE));
    case NVDLA_RBK:
        return precision_class(config, FIELD(view, RBK, D_MISC_CFG, IN_PRECISION));
    default:
        return -1;
    }
}

static void take_chain(struct count_walk *walk, const struct launch *launch, int kind) {
    const struct nvdla_config *config = walk->prog->config;
    const struct launch *csc = layer_tracker_feeder(walk->launches, launch, NVDLA_CSC);
    struct coverage_sample sample = new_sample(COVERAGE_CHAIN);
    sample.values[CHAIN_KIND] = kind;
    sample.values[CHAIN_AFTER] = walk->kind < 0 ? 0 : walk->kind == kind ? 1 : 2;
    struct registers_view view = launch_view(config, launch);
    sample.values[CHAIN_PRECISION] = chain_precision(&view, launch->unit);
    if (begins_with_conv(kind) && csc) {
        launch_view_add(&view, csc);
        const bool winograd = nvdla_has(config, FEATURE_WINOGRAD) && FIELD(&view, CSC, D_MISC_CFG, CONV_MODE) != 0;
        sample.values[CHAIN_INPUT] = winograd ? 2 : (int)FIELD(&view, CSC, D_DATAIN_FORMAT, DATAIN_FORMAT);
    }
    walk->chains++;
    walk->kind = kind;
    walk->take(walk->context, &sample);
}

/* A group and its descriptors. */
static void take_bdma(struct count_walk *walk, const struct launch *launch) {
    const struct nvdla_config *config = walk->prog->config;
    struct coverage_sample sample = new_sample(COVERAGE_BDMA);
    struct launch_block block;
    sort_bdma(config, launch, walk->bdma, sample.values);
    walk->take(walk->context, &sample);
    walk->bdma = launch;
    for (size_t i = 0; launch_block(config, launch, i, &block); i++) {
        sample = new_sample(COVERAGE_BDMA_BLOCK);
        sort_bdma_block(&block, walk->block.source.width ? &walk->block : NULL, sample.values);
        walk->take(walk->context, &sample);
        walk->block = block;
    }
}

static void take_sdp(struct count_walk *walk, const struct launch *launch) {
    const struct nvdla_config *config = walk->prog->config;
    struct registers_view view = launch_view(config, launch);
    struct coverage_sample sample = new_sample(COVERAGE_SDP);
    launch_view_add(&view, layer_tracker_feeder(walk->launches, launch, NVDLA_SDP_RDMA));
    sort_sdp(&view, launch->group, sample.values);
    walk->take(walk->context, &sample);
    sample = new_sample(COVERAGE_SDP_LUT);
    if (sort_sdp_lut(&view, sample.values))
        walk->take(walk->context, &sample);
}

static void take_conv(struct count_walk *walk, const struct launch *csc) {
    const struct launch *cdma = layer_tracker_find(walk->launches, NVDLA_CDMA, csc->ordinal);
    const struct launch *cacc = layer_tracker_find(walk->launches, NVDLA_CACC, csc->ordinal);
    if (!cdma || !cacc)
        return;
    struct conv_launch conv = {csc, launch_view(walk->prog->config, csc)};
    launch_view_add(&conv.view, cdma);
    launch_view_add(&conv.view, cacc);
    struct coverage_sample sample = new_sample(COVERAGE_CONV);
    sort_conv(walk->prog, &conv, &walk->conv, sample.values);
    walk->take(walk->context, &sample);
    walk->conv = conv;
}

/* Counts a launch; some launches are counted with another one. */
static void take_launch(struct count_walk *walk, const struct launch *launch) {
    struct registers_view view = launch_view(walk->prog->config, launch);
    const struct launch *rdma;
    struct coverage_sample sample;
    switch (launch->unit) {
    case NVDLA_CSC:
        take_conv(walk, launch);
        return;
    case NVDLA_SDP:
        take_sdp(walk, launch);
        return;
    case NVDLA_BDMA:
        take_bdma(walk, launch);
        return;
    case NVDLA_SDP_RDMA:
        sample = new_sample(COVERAGE_SDP_RDMA);
        sort_sdp_rdma(&view, launch->group, sample.values);
        break;
    case NVDLA_PDP:
        sample = new_sample(COVERAGE_PDP);
        launch_view_add(&view, layer_tracker_feeder(walk->launches, launch, NVDLA_PDP_RDMA));
        sort_pdp(&view, launch->group, sample.values);
        break;
    case NVDLA_CDP:
        sample = new_sample(COVERAGE_CDP);
        rdma = layer_tracker_feeder(walk->launches, launch, NVDLA_CDP_RDMA);
        launch_view_add(&view, rdma);
        sort_cdp(&view, launch->group, rdma != NULL, sample.values);
        break;
    case NVDLA_RBK:
        sample = new_sample(COVERAGE_RUBIK);
        sort_rubik(&view, launch->group, sample.values);
        break;
    default:
        return;
    }
    walk->take(walk->context, &sample);
}

/* Sets *written and *read to 1 if the program writes or reads that register. */
static void find_accesses(const struct program *prog, uint32_t address, int *written, int *read) {
    *written = *read = 0;
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        if (op->kind == OP_WRITE && op->address == address)
            *written = 1;
        if ((op->kind == OP_READ || op->kind == OP_READ_CHECK || op->kind == OP_POLL) && op->address == address)
            *read = 1;
    }
}

/* The trace as a whole. */
static void take_trace(const struct count_walk *walk) {
    const struct program *prog = walk->prog;
    struct coverage_sample sample = new_sample(COVERAGE_TRACE);
    int *v = sample.values;
    bool second_group = false;
    for (size_t i = 0; i < layer_tracker_count(walk->launches); i++)
        second_group = second_group || layer_tracker_launch(walk->launches, i)->group == 1;
    v[TRACE_CONFIG] = (int)(nvdla_config_base(prog->config) - nvdla_configs);
    v[TRACE_ORDER] = prog->sequential;
    v[TRACE_LAYERS] = walk->chains < 2 ? 0 : walk->chains < 5 ? 1 : 2;
    v[TRACE_GROUPS] = second_group;
    find_accesses(prog, nvdla_unit_base(prog->config, NVDLA_CDP) + CDP_S_LUT_ACCESS_DATA, &v[TRACE_CDP_LUT_WRITE],
                  &v[TRACE_CDP_LUT_READ]);
    find_accesses(prog, nvdla_unit_base(prog->config, NVDLA_SDP) + SDP_S_LUT_ACCESS_DATA, &v[TRACE_SDP_LUT_WRITE],
                  &v[TRACE_SDP_LUT_READ]);
    walk->take(walk->context, &sample);
}

void coverage_sort(const struct program *prog, const struct layer_tracker *launches,
                   void (*take)(void *context, const struct coverage_sample *sample), void *context) {
    struct count_walk walk = {.prog = prog, .launches = launches, .take = take, .context = context, .kind = -1};
    for (size_t i = 0; i < layer_tracker_count(launches); i++) {
        const struct launch *launch = layer_tracker_launch(launches, i);
        take_launch(&walk, launch);
        const struct registers_view view = launch_view(prog->config, launch);
        const int kind = chain_kind(&view, launch->unit);
        if (kind >= 0)
            take_chain(&walk, launch, kind);
    }
    take_trace(&walk);
}
