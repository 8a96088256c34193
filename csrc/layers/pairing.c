/* Which launches of different units make one layer, found by counting launches of each kind. See pairing.h. */
#include "layers/pairing.h"

#include "layers/view.h"

/* cfg, alu, mul: registers of one SDP stage, whose common fields are at the same places. True if the stage takes an
 * operand from memory. */
static bool stage_reads(uint32_t cfg, uint32_t alu, uint32_t mul) {
    return (cfg & SDP_D_DP_BS_CFG__BS_BYPASS_MASK) == 0 &&
           (((cfg & SDP_D_DP_BS_CFG__BS_ALU_BYPASS_MASK) == 0 && (alu & SDP_D_DP_BS_ALU_CFG__BS_ALU_SRC_MASK)) ||
            ((cfg & SDP_D_DP_BS_CFG__BS_MUL_BYPASS_MASK) == 0 && (mul & SDP_D_DP_BS_MUL_CFG__BS_MUL_SRC_MASK)));
}

static bool sdp_flies(const struct registers_view *view) {
    return FIELD(view, SDP, D_FEATURE_MODE_CFG, FLYING_MODE) != 0;
}

bool sdp_uses_rdma(const struct registers_view *view) {
    return !sdp_flies(view) ||
           stage_reads(VALUE(view, SDP, D_DP_BS_CFG), VALUE(view, SDP, D_DP_BS_ALU_CFG),
                       VALUE(view, SDP, D_DP_BS_MUL_CFG)) ||
           stage_reads(VALUE(view, SDP, D_DP_BN_CFG), VALUE(view, SDP, D_DP_BN_ALU_CFG),
                       VALUE(view, SDP, D_DP_BN_MUL_CFG)) ||
           (nvdla_has(view->config, FEATURE_EW) &&
            stage_reads(VALUE(view, SDP, D_DP_EW_CFG), VALUE(view, SDP, D_DP_EW_ALU_CFG),
                        VALUE(view, SDP, D_DP_EW_MUL_CFG)));
}

static bool sdp_feeds_pdp(const struct registers_view *view) {
    return FIELD(view, SDP, D_FEATURE_MODE_CFG, OUTPUT_DST) != 0;
}

static bool pdp_reads(const struct registers_view *view) {
    return FIELD(view, PDP, D_OPERATION_MODE_CFG, FLYING_MODE) != 0;
}

static bool pdp_flies(const struct registers_view *view) {
    return !pdp_reads(view);
}

static bool always(const struct registers_view *view) {
    (void)view;
    return true;
}

typedef bool chosen_function(const struct registers_view *view);

static bool is_chosen(const struct layer_tracker *tracker, const struct launch *launch, chosen_function *chosen) {
    const struct registers_view view = launch_view(layer_tracker_config(tracker), launch);
    return chosen(&view);
}

/* n if launch is the n-th chosen one of its unit, otherwise -1. */
static int rank(const struct layer_tracker *tracker, const struct launch *launch, chosen_function *chosen) {
    int n = 0;
    if (!is_chosen(tracker, launch, chosen))
        return -1;
    for (int i = 0; i < launch->ordinal; i++)
        n += is_chosen(tracker, layer_tracker_find(tracker, launch->unit, i), chosen);
    return n;
}

/* The n-th chosen launch of a unit. */
static const struct launch *ranked(const struct layer_tracker *tracker, enum nvdla_unit unit, int n,
                                   chosen_function *chosen) {
    const struct launch *launch = n < 0 ? NULL : layer_tracker_find(tracker, unit, 0);
    for (int i = 0; launch; launch = layer_tracker_find(tracker, unit, ++i))
        if (is_chosen(tracker, launch, chosen) && n-- == 0)
            break;
    return launch;
}

const struct launch *layer_tracker_feeder(const struct layer_tracker *tracker, const struct launch *launch,
                                          enum nvdla_unit unit) {
    const bool conv = unit >= NVDLA_CDMA && unit <= NVDLA_CACC;
    if (launch->unit == NVDLA_SDP && (conv || unit == NVDLA_SDP_RDMA))
        return ranked(tracker, unit, rank(tracker, launch, conv ? sdp_flies : sdp_uses_rdma), always);
    if (launch->unit == NVDLA_CDP && unit == NVDLA_CDP_RDMA)
        return layer_tracker_find(tracker, unit, launch->ordinal);
    if (launch->unit != NVDLA_PDP)
        return NULL;
    if (unit == NVDLA_PDP_RDMA)
        return ranked(tracker, unit, rank(tracker, launch, pdp_reads), always);
    const struct launch *sdp = ranked(tracker, NVDLA_SDP, rank(tracker, launch, pdp_flies), sdp_feeds_pdp);
    return !sdp || unit == NVDLA_SDP ? sdp : layer_tracker_feeder(tracker, sdp, unit);
}

bool launch_ends_chain(const struct nvdla_config *config, const struct launch *launch) {
    switch (launch->unit) {
    case NVDLA_SDP: {
        const struct registers_view view = launch_view(config, launch);
        return !sdp_feeds_pdp(&view);
    }
    case NVDLA_PDP:
    case NVDLA_CDP:
    case NVDLA_BDMA:
    case NVDLA_RBK:
        return true;
    default:
        return false;
    }
}
