/* Rules of SDP and SDP_RDMA. Spec: 50-sdp and 55-lut, "Illegal or undefined programming"; 98-measured-rules section 3.
 */
#include "model/csc.h"
#include "model/overlap.h"
#include "model/pdp.h"
#include "model/rules.h"
#include "model/rules_table.h"
#include "model/sdp_layer.h"
#include "nvdla/fp.h"

enum { SELECT_BITS = 32 }; /* INDEX_SELECT shifts values of this many bits */

/* The layer of both units; SDP_RDMA's part is valid only in sets that include it. */
static struct sdp_layer layer_of(const struct registers_view *view) {
    struct sdp_layer layer;
    sdp_layer_decode(&layer, view);
    return layer;
}

CONDITION(uses_rdma, layer_of(view).uses_rdma)

/* ---- SDP ---- */

static uint32_t proc(const struct registers_view *view) {
    return rules_wide(view) ? FIELD(view, SDP, D_DATA_FORMAT, PROC_PRECISION) : NVDLA_INT8;
}

static uint32_t out(const struct registers_view *view) {
    return rules_wide(view) ? FIELD(view, SDP, D_DATA_FORMAT, OUT_PRECISION) : NVDLA_INT8;
}

CONDITION(to_pdp, FIELD(view, SDP, D_FEATURE_MODE_CFG, OUTPUT_DST) != 0)
CONDITION(batch, layer_of(view).shape.batches > 1)
CONDITION(winograd, layer_of(view).shape.winograd)

/* Compare mode, if the configuration has it. */
CONDITION(compare, nvdla_has(view->config, FEATURE_EW) && layer_of(view).compare)
CONDITION(to_memory, !to_pdp(view) && !layer_of(view).compare)
CONDITION(single_pixel, VALUE(view, SDP, D_DATA_CUBE_WIDTH) == 0 && VALUE(view, SDP, D_DATA_CUBE_HEIGHT) == 0)
CONDITION(sdp_precision_unknown,
          !nvdla_has_precision(view->config, proc(view)) || !nvdla_has_precision(view->config, out(view)))
CONDITION(narrows_to_int8, out(view) == NVDLA_INT8 && (proc(view) == NVDLA_INT16 || proc(view) == NVDLA_FP16))
CONDITION(int8_to_fp16, proc(view) == NVDLA_INT8 && out(view) == NVDLA_FP16)
CONDITION(special_from_memory, (batch(view) || winograd(view)) && !layer_of(view).shape.flying)
CONDITION(special_not_to_memory, (batch(view) || winograd(view)) && (to_pdp(view) || compare(view)))
CONDITION(batch_and_winograd, batch(view) && winograd(view))
CONDITION(special_converts, proc(view) != out(view) && (batch(view) || winograd(view) || to_pdp(view) || compare(view)))

CONDITION(winograd_size, winograd(view) && ((VALUE(view, SDP, D_DATA_CUBE_WIDTH) & 1) != 1 ||
                                            (VALUE(view, SDP, D_DATA_CUBE_HEIGHT) & 3) != 3))

CONDITION(compare_with_table_or_pdp,
          compare(view) && (to_pdp(view) || FIELD(view, SDP, D_DP_EW_CFG, EW_LUT_BYPASS) == 0))

CONDITION(sdp_port, to_memory(view) && rules_no_port(view, FIELD(view, SDP, D_DST_DMA_CFG, DST_RAM_TYPE)))

CONDITION(ew_missing, !nvdla_has(view->config, FEATURE_EW) && FIELD(view, SDP, D_DP_EW_CFG, EW_BYPASS) == 0 &&
                          !layer_of(view).compare)

CONDITION(bs_missing, !sdp_has_stage(view->config, SDP_BS) && FIELD(view, SDP, D_DP_BS_CFG, BS_BYPASS) == 0)

CONDITION(bn_missing, !sdp_has_stage(view->config, SDP_BN) && FIELD(view, SDP, D_DP_BN_CFG, BN_BYPASS) == 0)

CONDITION(pdp_missing, !nvdla_has(view->config, FEATURE_PDP) && to_pdp(view))

CONDITION(sdp_has_int8_only, !rules_wide(view) && VALUE(view, SDP, D_DATA_FORMAT) != 0)
CONDITION(compares_nothing, !nvdla_has(view->config, FEATURE_EW) && layer_of(view).compare)

static bool prelu_with_alu(const struct registers_view *view) {
    struct sdp_layer layer = layer_of(view);
    for (int i = 0; i < SDP_STAGES; i++) {
        const struct sdp_stage *stage = &layer.stage[i];
        if (!stage->bypass && !stage->alu_bypass && !stage->mul_bypass && stage->prelu && i != SDP_EW)
            return true;
    }
    return false;
}

static bool is_infinite(uint32_t fp32) {
    return (fp32 & 0x7fffffff) == 0x7f800000;
}

static bool infinite_operand(const struct registers_view *view) {
    struct sdp_layer layer = layer_of(view);
    const struct sdp_stage *ew = &layer.stage[SDP_EW];
    return layer.shape.proc == NVDLA_FP16 && !ew->bypass &&
           ((!ew->alu_bypass && !ew->alu.from_memory && is_infinite((uint32_t)ew->alu.value)) ||
            (!ew->mul_bypass && !ew->mul.from_memory && is_infinite((uint32_t)ew->mul.value)));
}

static bool batch_unaligned(const struct registers_view *view) {
    uint32_t low = VALUE(view, SDP, D_DST_BASE_ADDR_LOW) | VALUE(view, SDP, D_DST_LINE_STRIDE) |
                   VALUE(view, SDP, D_DST_SURFACE_STRIDE);
    return batch(view) && low % (2 * (uint32_t)view->config->mem_atom) != 0;
}

static bool sdp_misaligned(const struct registers_view *view) {
    uint32_t used = VALUE(view, SDP, D_DST_BASE_ADDR_LOW);
    if (!single_pixel(view))
        used |= VALUE(view, SDP, D_DST_LINE_STRIDE) | VALUE(view, SDP, D_DST_SURFACE_STRIDE);
    return to_memory(view) && rules_misaligned(view, used);
}

static bool sdp_overlaps(const struct registers_view *view) {
    struct sdp_layer layer = layer_of(view);
    if (!to_memory(view) || single_pixel(view) || layer.compare || layer.shape.batches != 1 || layer.shape.winograd)
        return false;
    struct extent lines =
        extent_of(&layer.destination, (uint64_t)layer.shape.width * layer.atom, (uint64_t)layer.shape.height,
                  (uint64_t)(layer.shape.surfaces * layer.destination_surfaces));
    return extent_overlaps_itself(&lines);
}

static bool sdp_stride_ignored(const struct registers_view *view) {
    struct sdp_layer layer = layer_of(view);
    return to_memory(view) && single_pixel(view) && layer.shape.batches == 1 && layer.shape.surfaces > 1 &&
           VALUE(view, SDP, D_DST_SURFACE_STRIDE) != (uint32_t)layer.atom;
}

static const struct rule sdp_list[] = {
    RULE(REFUSED, sdp_precision_unknown, "the configuration has no such precision", "50-sdp section 7",
         SHOWN(SDP, D_DATA_FORMAT)),
    RULE(HANGS, narrows_to_int8, "processing of 16 bits has no INT8 output", "50-sdp section 7",
         SHOWN(SDP, D_DATA_FORMAT)),
    RULE(REFUSED, int8_to_fp16, "INT8 processing has no FP16 output", "50-sdp section 7", SHOWN(SDP, D_DATA_FORMAT)),
    RULE(REFUSED, special_from_memory, "batches and Winograd order come from CACC only", "50-sdp section 8",
         SHOWN(SDP, D_FEATURE_MODE_CFG)),
    RULE(REFUSED, special_not_to_memory, "batches and Winograd order go to memory only", "50-sdp section 8",
         SHOWN(SDP, D_FEATURE_MODE_CFG), SHOWN(SDP, D_DP_EW_CFG)),
    RULE(REFUSED, batch_and_winograd, "batches and Winograd order exclude each other", "50-sdp section 8",
         SHOWN(SDP, D_FEATURE_MODE_CFG)),
    RULE(REFUSED, special_converts, "PDP, compare mode, batches and Winograd order take no conversion of the precision",
         "50-sdp section 7", SHOWN(SDP, D_DATA_FORMAT), SHOWN(SDP, D_FEATURE_MODE_CFG)),
    RULE(REFUSED, winograd_size, "Winograd order needs an even width and a height that is a multiple of 4",
         "50-sdp section 8.2", SHOWN(SDP, D_DATA_CUBE_WIDTH), SHOWN(SDP, D_DATA_CUBE_HEIGHT)),
    RULE(REFUSED, compare_with_table_or_pdp, "compare mode excludes the table and PDP", "50-sdp section 9",
         SHOWN(SDP, D_DP_EW_CFG), SHOWN(SDP, D_FEATURE_MODE_CFG)),
    {RULE_HANGS, sdp_port, RULE_NO_PORT, .shown = {SHOWN(SDP, D_DST_DMA_CFG)}},
    RULE(WARNS, ew_missing, "the configuration has no EW stage: the data passes unchanged", "50-sdp section 12",
         SHOWN(SDP, D_DP_EW_CFG)),
    RULE(WARNS, bs_missing, "the configuration has no BS stage: the data passes unchanged", "10-system section 1.1",
         SHOWN(SDP, D_DP_BS_CFG)),
    RULE(WARNS, bn_missing, "the configuration has no BN stage: the data passes unchanged", "10-system section 1.1",
         SHOWN(SDP, D_DP_BN_CFG)),
    RULE(HANGS, pdp_missing, "the configuration has no PDP, which would take the data", "10-system section 1.1",
         SHOWN(SDP, D_FEATURE_MODE_CFG)),
    RULE(REFUSED, sdp_has_int8_only, "the configuration has INT8 only: NVIDIA's hardware hangs or writes other bytes",
         "99-illegal-programming section 4", SHOWN(SDP, D_DATA_FORMAT)),
    RULE(REFUSED, compares_nothing,
         "the configuration cannot compare: NVIDIA's hardware writes as without, this project's RTL nothing",
         "99-illegal-programming section 2", SHOWN(SDP, D_DP_EW_CFG)),
    RULE(WARNS, prelu_with_alu, "PReLU acts on the result of the ALU, and a sum of 33 bits wraps", "50-sdp section 5.1",
         SHOWN(SDP, D_DP_BS_CFG), SHOWN(SDP, D_DP_BN_CFG)),
    RULE(WARNS, infinite_operand,
         "an FP32 operand with the pattern of infinity counts as a number above the largest one", "50-sdp section 6.2",
         SHOWN(SDP, D_DP_EW_ALU_SRC_VALUE), SHOWN(SDP, D_DP_EW_MUL_SRC_VALUE)),
    RULE(WARNS, batch_unaligned,
         "batches whose destination or strides are no multiples of two atoms begin lines with a single column",
         "50-sdp section 8.3", SHOWN(SDP, D_DST_BASE_ADDR_LOW), SHOWN(SDP, D_DST_LINE_STRIDE)),
    RULE(WARNS, sdp_overlaps, RULE_OVERLAPS, "50-sdp section 8.1", SHOWN(SDP, D_DST_LINE_STRIDE),
         SHOWN(SDP, D_DST_SURFACE_STRIDE)),
    {RULE_WARNS, sdp_misaligned, RULE_MISALIGNED,
     .shown = {SHOWN(SDP, D_DST_BASE_ADDR_LOW), SHOWN(SDP, D_DST_LINE_STRIDE)}},
    RULE(WARNS, sdp_stride_ignored, "the surfaces of 1x1 cubes are packed, whatever the stride says",
         "50-sdp section 8.1", SHOWN(SDP, D_DST_SURFACE_STRIDE)),
};

const struct rule_set rules_sdp = {.units = {NVDLA_SDP}, .unit_count = 1, RULE_LIST(sdp_list)};

/* ---- SDP_RDMA ---- */

/* The operand DMAs: their registers have the same layout. */
static const struct {
    uint32_t config, base, line_stride, surface_stride;
} operand_registers[SDP_STAGES] = {
    {SDP_RDMA_D_BRDMA_CFG, SDP_RDMA_D_BS_BASE_ADDR_LOW, SDP_RDMA_D_BS_LINE_STRIDE, SDP_RDMA_D_BS_SURFACE_STRIDE},
    {SDP_RDMA_D_NRDMA_CFG, SDP_RDMA_D_BN_BASE_ADDR_LOW, SDP_RDMA_D_BN_LINE_STRIDE, SDP_RDMA_D_BN_SURFACE_STRIDE},
    {SDP_RDMA_D_ERDMA_CFG, SDP_RDMA_D_EW_BASE_ADDR_LOW, SDP_RDMA_D_EW_LINE_STRIDE, SDP_RDMA_D_EW_SURFACE_STRIDE}};

#define OPERAND(value, field) REGISTER_FIELD(value, SDP_RDMA_D_BRDMA_CFG__BRDMA_##field)

/* True if any enabled operand DMA meets the condition. */
static bool any_operand(const struct registers_view *view,
                        bool (*condition)(const struct registers_view *view, int stage)) {
    for (int i = 0; i < SDP_STAGES; i++) {
        uint32_t config = view_value(view, NVDLA_SDP_RDMA, operand_registers[i].config);
        if (sdp_has_stage(view->config, (enum sdp_stage_index)i) && OPERAND(config, DISABLE) == 0 && condition(view, i))
            return true;
    }
    return false;
}

static uint32_t operand_config(const struct registers_view *view, int stage) {
    return view_value(view, NVDLA_SDP_RDMA, operand_registers[stage].config);
}

static bool use_is_3(const struct registers_view *view, int stage) {
    return OPERAND(operand_config(view, stage), DATA_USE) == 3;
}

static bool is_short(const struct registers_view *view, int stage) {
    return rules_wide(view) && FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, PROC_PRECISION) != NVDLA_INT8 &&
           OPERAND(operand_config(view, stage), DATA_SIZE) == 0;
}

static bool per_element(const struct registers_view *view, int stage) {
    return OPERAND(operand_config(view, stage), DATA_MODE) != 0;
}

CONDITION(rdma_single_pixel,
          VALUE(view, SDP_RDMA, D_DATA_CUBE_WIDTH) == 0 && VALUE(view, SDP_RDMA, D_DATA_CUBE_HEIGHT) == 0)

static bool is_misaligned(const struct registers_view *view, int stage) {
    uint32_t used = view_value(view, NVDLA_SDP_RDMA, operand_registers[stage].base);
    if (per_element(view, stage) && !rdma_single_pixel(view)) {
        used |= view_value(view, NVDLA_SDP_RDMA, operand_registers[stage].line_stride) |
                view_value(view, NVDLA_SDP_RDMA, operand_registers[stage].surface_stride);
    }
    return rules_misaligned(view, used);
}

CONDITION(data_use_unknown, any_operand(view, use_is_3))
CONDITION(operands_too_short, any_operand(view, is_short))
CONDITION(operands_misaligned, any_operand(view, is_misaligned))
CONDITION(reads_cube, FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, FLYING_MODE) == 0)
CONDITION(rdma_port, reads_cube(view) && rules_no_port(view, FIELD(view, SDP_RDMA, D_SRC_DMA_CFG, SRC_RAM_TYPE)))

static bool rdma_misaligned(const struct registers_view *view) {
    uint32_t used = VALUE(view, SDP_RDMA, D_SRC_BASE_ADDR_LOW);
    if (!rdma_single_pixel(view))
        used |= VALUE(view, SDP_RDMA, D_SRC_LINE_STRIDE) | VALUE(view, SDP_RDMA, D_SRC_SURFACE_STRIDE);
    return reads_cube(view) && rules_misaligned(view, used);
}

CONDITION(rdma_stride_ignored, reads_cube(view) && rdma_single_pixel(view) &&
                                   VALUE(view, SDP_RDMA, D_DATA_CUBE_CHANNEL) >= (uint32_t)view->config->mem_atom &&
                                   VALUE(view, SDP_RDMA, D_SRC_SURFACE_STRIDE) != (uint32_t)view->config->mem_atom)

#define SHOWN_OPERANDS SHOWN(SDP_RDMA, D_BRDMA_CFG), SHOWN(SDP_RDMA, D_NRDMA_CFG), SHOWN(SDP_RDMA, D_ERDMA_CFG)

static const struct rule sdp_rdma_list[] = {
    RULE(REFUSED, data_use_unknown, "there is no DATA_USE 3", "50-sdp section 2.3", SHOWN_OPERANDS),
    RULE(REFUSED, operands_too_short, "processing of 16 bits takes operands of two bytes", "50-sdp section 4",
         SHOWN_OPERANDS),
    {RULE_HANGS, rdma_port, RULE_NO_PORT, .shown = {SHOWN(SDP_RDMA, D_SRC_DMA_CFG)}},
    {RULE_WARNS, rdma_misaligned, RULE_MISALIGNED,
     .shown = {SHOWN(SDP_RDMA, D_SRC_BASE_ADDR_LOW), SHOWN(SDP_RDMA, D_SRC_LINE_STRIDE)}},
    {RULE_WARNS, operands_misaligned, RULE_MISALIGNED,
     .shown = {SHOWN(SDP_RDMA, D_BS_BASE_ADDR_LOW), SHOWN(SDP_RDMA, D_BN_BASE_ADDR_LOW)}},
    RULE(WARNS, rdma_stride_ignored, "the surfaces of 1x1 cubes are packed, whatever the stride says",
         "50-sdp section 3.2", SHOWN(SDP_RDMA, D_SRC_SURFACE_STRIDE)),
};

const struct rule_set rules_sdp_rdma = {.units = {NVDLA_SDP_RDMA}, .unit_count = 1, RULE_LIST(sdp_rdma_list)};

/* ---- SDP with SDP_RDMA ---- */

static uint32_t in(const struct registers_view *view) {
    return FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, IN_PRECISION);
}

/* IN precision counts. */
CONDITION(converts_input, rules_wide(view) && !layer_of(view).shape.flying)

static bool sizes_differ(const struct registers_view *view) {
    uint32_t lanes = (uint32_t)layer_of(view).shape.lanes;
    return VALUE(view, SDP, D_DATA_CUBE_WIDTH) != VALUE(view, SDP_RDMA, D_DATA_CUBE_WIDTH) ||
           VALUE(view, SDP, D_DATA_CUBE_HEIGHT) != VALUE(view, SDP_RDMA, D_DATA_CUBE_HEIGHT) ||
           VALUE(view, SDP, D_DATA_CUBE_CHANNEL) / lanes != VALUE(view, SDP_RDMA, D_DATA_CUBE_CHANNEL) / lanes;
}

/* Too little hangs, too much ends: 99-illegal-programming section 1. */
static bool reads_less(const struct registers_view *view) {
    struct sdp_layer layer = layer_of(view);
    const uint64_t surfaces = VALUE(view, SDP_RDMA, D_DATA_CUBE_CHANNEL) / (uint32_t)layer.shape.lanes + 1;
    const uint64_t pixels = ((uint64_t)VALUE(view, SDP_RDMA, D_DATA_CUBE_WIDTH) + 1) *
                            ((uint64_t)VALUE(view, SDP_RDMA, D_DATA_CUBE_HEIGHT) + 1);
    return sizes_differ(view) && pixels * surfaces < sdp_layer_atoms(&layer) / (uint64_t)layer.shape.batches;
}

CONDITION(reads_more, sizes_differ(view) && !reads_less(view))
CONDITION(rdma_flies, FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, FLYING_MODE) != 0)
CONDITION(only_rdma_flies, rdma_flies(view) && !layer_of(view).shape.flying)
CONDITION(only_sdp_flies, !rdma_flies(view) && layer_of(view).shape.flying)

CONDITION(rdma_has_int8_only, !rules_wide(view) && (FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, IN_PRECISION) != 0 ||
                                                    FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, PROC_PRECISION) != 0))

CONDITION(precision_differs,
          rules_wide(view) && (proc(view) != FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, PROC_PRECISION) ||
                               out(view) != FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, OUT_PRECISION)))

CONDITION(mode_differs,
          (nvdla_has(view->config, FEATURE_WINOGRAD) &&
           FIELD(view, SDP, D_FEATURE_MODE_CFG, WINOGRAD) != FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, WINOGRAD)) ||
              (nvdla_has(view->config, FEATURE_BATCHES) && FIELD(view, SDP, D_FEATURE_MODE_CFG, BATCH_NUMBER) !=
                                                               FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, BATCH_NUMBER)))

CONDITION(input_unknown, converts_input(view) && !nvdla_has_precision(view->config, in(view)))
CONDITION(widens_input, converts_input(view) && in(view) == NVDLA_INT8 && proc(view) != NVDLA_INT8)

CONDITION(fp16_to_int8,
          converts_input(view) && in(view) == NVDLA_FP16 && proc(view) == NVDLA_INT8 && out(view) != NVDLA_FP16)

CONDITION(reinterprets,
          converts_input(view) && in(view) != proc(view) && in(view) != NVDLA_INT8 && proc(view) != NVDLA_INT8)

/* What a stage takes from memory, and what its DMA fetches for it. */
struct operand_flow {
    bool taken, alu_taken, mul_taken, alu_fetched, mul_fetched;
};

static struct operand_flow flow_of(const struct registers_view *view, int stage) {
    struct sdp_layer layer = layer_of(view);
    const struct sdp_operands *operands = &layer.operands[stage];
    return (struct operand_flow){.taken = layer.stage[stage].alu.from_memory || layer.stage[stage].mul.from_memory,
                                 .alu_taken = layer.stage[stage].alu.from_memory,
                                 .mul_taken = layer.stage[stage].mul.from_memory,
                                 .alu_fetched = operands->enabled && operands->has_alu,
                                 .mul_fetched = operands->enabled && operands->has_mul};
}

static bool not_fetched(const struct registers_view *view, int stage) {
    struct operand_flow flow = flow_of(view, stage);
    return (flow.alu_taken && !flow.alu_fetched) || (flow.mul_taken && !flow.mul_fetched);
}

static bool half_taken(const struct registers_view *view, int stage) {
    struct operand_flow flow = flow_of(view, stage);
    return !not_fetched(view, stage) && flow.taken &&
           (flow.alu_taken != flow.alu_fetched || flow.mul_taken != flow.mul_fetched);
}

/* Operands that no stage takes do not stop this layer. */
static bool taken_without_port(const struct registers_view *view, int stage) {
    return rules_no_port(view, OPERAND(operand_config(view, stage), RAM_TYPE)) && flow_of(view, stage).taken;
}

CONDITION(operands_without_port, any_operand(view, taken_without_port))

static bool not_taken(const struct registers_view *view, int stage) {
    return layer_of(view).operands[stage].enabled && !flow_of(view, stage).taken;
}

#define STAGE_RULE(condition, name, stage)                                                                             \
    static bool condition##_##name(const struct registers_view *view) {                                                \
        return condition(view, stage);                                                                                 \
    }
STAGE_RULE(not_fetched, bs, SDP_BS)
STAGE_RULE(not_fetched, bn, SDP_BN)
STAGE_RULE(not_fetched, ew, SDP_EW)
STAGE_RULE(half_taken, bs, SDP_BS)
STAGE_RULE(half_taken, bn, SDP_BN)
STAGE_RULE(half_taken, ew, SDP_EW)
STAGE_RULE(not_taken, bs, SDP_BS)
STAGE_RULE(not_taken, bn, SDP_BN)
STAGE_RULE(not_taken, ew, SDP_EW)

CONDITION(batch_operands_unaligned, batch_unaligned(view) && any_operand(view, per_element))

CONDITION(batch_operands_of_one_pixel,
          batch(view) && single_pixel(view) && layer_of(view).shape.surfaces > 1 && any_operand(view, per_element))

static struct extent source_of(const struct sdp_layer *layer) {
    return extent_of(&layer->source, (uint64_t)layer->shape.width * layer->atom, (uint64_t)layer->shape.height,
                     (uint64_t)layer->shape.surfaces * (uint64_t)layer->source_surfaces);
}

static struct extent destination_of(const struct sdp_layer *layer) {
    return extent_of(&layer->destination, (uint64_t)layer->shape.width * layer->atom, (uint64_t)layer->shape.height,
                     (uint64_t)layer->shape.surfaces * (uint64_t)layer->destination_surfaces);
}

/* Operands per kernel are one line of operand atoms. */
static struct extent operands_of(const struct sdp_layer *layer, const struct sdp_operands *operands) {
    uint64_t atom = sdp_operand_atom(layer, operands), surfaces = (uint64_t)layer->shape.surfaces;
    struct extent extent = {.primary = operands->primary, .base = operands->base, .lines = 1, .surfaces = 1};
    extent.line_bytes = operands->per_element ? (uint64_t)layer->shape.width * atom : surfaces * atom;
    if (operands->per_element) {
        extent.lines = (uint64_t)layer->shape.height;
        extent.line_stride = operands->line_stride;
        extent.surfaces = surfaces;
        extent.surface_stride = operands->surface_stride;
    }
    return extent;
}

/* In place is legal if reads and writes are the same bytes. */
static bool overwrites_input(const struct registers_view *view) {
    struct sdp_layer layer = layer_of(view);
    struct extent destination = destination_of(&layer), source = source_of(&layer);
    if (!to_memory(view) || layer.shape.batches > 1)
        return false;
    if (!layer.shape.flying && extent_overwrites(&destination, &source))
        return true;
    for (int i = 0; i < SDP_STAGES; i++) {
        struct extent operands = operands_of(&layer, &layer.operands[i]);
        if (layer.operands[i].enabled && extent_overwrites(&destination, &operands))
            return true;
    }
    return false;
}

#define SHOWN_CUBES                                                                                                    \
    SHOWN(SDP, D_DATA_CUBE_WIDTH), SHOWN(SDP_RDMA, D_DATA_CUBE_WIDTH), SHOWN(SDP, D_DATA_CUBE_HEIGHT),                 \
        SHOWN(SDP_RDMA, D_DATA_CUBE_HEIGHT), SHOWN(SDP, D_DATA_CUBE_CHANNEL), SHOWN(SDP_RDMA, D_DATA_CUBE_CHANNEL)

#define NOT_FETCHED "the stage takes operands from memory that SDP_RDMA does not fetch", "50-sdp section 4"
#define HALF_TAKEN                                                                                                     \
    "SDP_RDMA fetches a component that the stage does not take from memory: the layer hangs, or it ends and the next " \
    "one hangs",                                                                                                       \
        "99-illegal-programming section 1"
#define NOT_TAKEN                                                                                                      \
    "SDP_RDMA fetches operands that the stage does not take: SDP finishes, SDP_RDMA does not, and the next layer "     \
    "that needs it hangs or is wrong",                                                                                 \
        "50-sdp section 4"

static const struct rule sdp_operands_list[] = {
    RULE(HANGS, reads_less, "SDP and SDP_RDMA must have the same cube", "50-sdp section 2.3", SHOWN_CUBES),
    RULE(REFUSED, reads_more,
         "SDP_RDMA reads a larger cube than SDP takes: the layer ends, and the rest spoils the next layer or "
         "makes it hang",
         "99-illegal-programming section 1", SHOWN_CUBES),
    RULE(HANGS, only_rdma_flies, "SDP and SDP_RDMA must have the same FLYING_MODE", "50-sdp section 2.3",
         SHOWN(SDP, D_FEATURE_MODE_CFG), SHOWN(SDP_RDMA, D_FEATURE_MODE_CFG)),
    RULE(REFUSED, only_sdp_flies,
         "SDP_RDMA reads a cube that SDP, on the fly, does not take: the layer ends, the next one mostly hangs",
         "99-illegal-programming section 1", SHOWN(SDP, D_FEATURE_MODE_CFG), SHOWN(SDP_RDMA, D_FEATURE_MODE_CFG)),
    RULE(REFUSED, rdma_has_int8_only, "the configuration has INT8 only: NVIDIA's hardware writes other bytes",
         "99-illegal-programming section 4", SHOWN(SDP_RDMA, D_FEATURE_MODE_CFG)),
    RULE(REFUSED, precision_differs, "SDP and SDP_RDMA must have the same PROC and OUT precision", "50-sdp section 2.3",
         SHOWN(SDP, D_DATA_FORMAT), SHOWN(SDP_RDMA, D_FEATURE_MODE_CFG)),
    RULE(REFUSED, mode_differs, "SDP and SDP_RDMA must agree on Winograd order and batches", "50-sdp section 2.3",
         SHOWN(SDP, D_FEATURE_MODE_CFG), SHOWN(SDP_RDMA, D_FEATURE_MODE_CFG)),
    RULE(REFUSED, input_unknown, "the configuration has no such precision", "50-sdp section 7",
         SHOWN(SDP_RDMA, D_FEATURE_MODE_CFG)),
    RULE(REFUSED, widens_input, "INT8 input has no processing of 16 bits", "50-sdp section 7",
         SHOWN(SDP_RDMA, D_FEATURE_MODE_CFG)),
    RULE(HANGS, fp16_to_int8, "FP16 input has no INT8 processing", "50-sdp section 7",
         SHOWN(SDP_RDMA, D_FEATURE_MODE_CFG)),
    RULE(WARNS, reinterprets, "INT16 data is interpreted as FP16 or the reverse", "50-sdp section 7",
         SHOWN(SDP_RDMA, D_FEATURE_MODE_CFG)),
    {RULE_HANGS, operands_without_port, RULE_NO_PORT, .shown = {SHOWN_OPERANDS}},
    {RULE_HANGS, not_fetched_bs, NOT_FETCHED, .shown = {SHOWN(SDP, D_DP_BS_CFG), SHOWN(SDP_RDMA, D_BRDMA_CFG)}},
    {RULE_HANGS, not_fetched_bn, NOT_FETCHED, .shown = {SHOWN(SDP, D_DP_BN_CFG), SHOWN(SDP_RDMA, D_NRDMA_CFG)}},
    {RULE_HANGS, not_fetched_ew, NOT_FETCHED, .shown = {SHOWN(SDP, D_DP_EW_CFG), SHOWN(SDP_RDMA, D_ERDMA_CFG)}},
    {RULE_REFUSED, half_taken_bs, HALF_TAKEN, .shown = {SHOWN(SDP, D_DP_BS_CFG), SHOWN(SDP_RDMA, D_BRDMA_CFG)}},
    {RULE_REFUSED, half_taken_bn, HALF_TAKEN, .shown = {SHOWN(SDP, D_DP_BN_CFG), SHOWN(SDP_RDMA, D_NRDMA_CFG)}},
    {RULE_REFUSED, half_taken_ew, HALF_TAKEN, .shown = {SHOWN(SDP, D_DP_EW_CFG), SHOWN(SDP_RDMA, D_ERDMA_CFG)}},
    {RULE_WARNS, not_taken_bs, NOT_TAKEN, .shown = {SHOWN(SDP, D_DP_BS_CFG), SHOWN(SDP_RDMA, D_BRDMA_CFG)}},
    {RULE_WARNS, not_taken_bn, NOT_TAKEN, .shown = {SHOWN(SDP, D_DP_BN_CFG), SHOWN(SDP_RDMA, D_NRDMA_CFG)}},
    {RULE_WARNS, not_taken_ew, NOT_TAKEN, .shown = {SHOWN(SDP, D_DP_EW_CFG), SHOWN(SDP_RDMA, D_ERDMA_CFG)}},
    RULE(REFUSED, batch_operands_unaligned,
         "batches with operands per element need a destination and strides of multiples of two atoms",
         "50-sdp section 8.3", SHOWN(SDP, D_DST_BASE_ADDR_LOW), SHOWN(SDP, D_DST_LINE_STRIDE)),
    RULE(HANGS, batch_operands_of_one_pixel, "batches of 1x1 cubes of several surfaces take no operands per element",
         "50-sdp section 8.3", SHOWN(SDP, D_DATA_CUBE_CHANNEL), SHOWN(SDP, D_FEATURE_MODE_CFG)),
    RULE(REFUSED, overwrites_input, "the destination overlaps the input or the operands without being the same",
         "50-sdp, illegal programming", SHOWN(SDP, D_DST_BASE_ADDR_LOW), SHOWN(SDP_RDMA, D_SRC_BASE_ADDR_LOW)),
};

const struct rule_set rules_sdp_operands = {.moment = RULES_AT_START,
                                            .units = {NVDLA_SDP, NVDLA_SDP_RDMA},
                                            .unit_count = 2,
                                            .applies = uses_rdma,
                                            RULE_LIST(sdp_operands_list)};

/* ---- SDP after the convolution core ---- */

static struct csc_layer convolution_of(const struct registers_view *view) {
    struct csc_layer layer;
    csc_layer_decode(&layer, view);
    return layer;
}

CONDITION(is_flying, layer_of(view).shape.flying)
CONDITION(results_differ_in_type, rules_wide(view) && proc(view) != FIELD(view, CSC, D_MISC_CFG, PROC_PRECISION))

static bool results_differ_in_order(const struct registers_view *view) {
    struct csc_layer convolution = convolution_of(view);
    struct sdp_layer layer = layer_of(view);
    bool by_lines = layer.shape.batches > 1 || layer.shape.winograd;
    return (convolution.mode == CSC_WINOGRAD) != layer.shape.winograd ||
           convolution.batches != (size_t)layer.shape.batches ||
           (by_lines && convolution.out_width != (size_t)layer.shape.width);
}

/* Atoms that the convolution core delivers for a batch, and those that SDP takes. */
static uint64_t delivered(const struct registers_view *view) {
    struct csc_layer convolution = convolution_of(view);
    return (uint64_t)convolution.positions * csc_layer_groups(&convolution);
}

static uint64_t taken(const struct registers_view *view) {
    struct sdp_layer layer = layer_of(view);
    return sdp_layer_atoms(&layer) / (uint64_t)layer.shape.batches;
}

CONDITION(results_missing, delivered(view) < taken(view))
CONDITION(results_left, delivered(view) > taken(view))

static bool results_in_other_shape(const struct registers_view *view) {
    struct csc_layer convolution = convolution_of(view);
    return delivered(view) == taken(view) && csc_layer_groups(&convolution) != (size_t)layer_of(view).shape.surfaces;
}

#define SHOWN_RESULTS                                                                                                  \
    SHOWN(CSC, D_ATOMICS), SHOWN(CSC, D_WEIGHT_SIZE_EXT_1), SHOWN(SDP, D_DATA_CUBE_WIDTH),                             \
        SHOWN(SDP, D_DATA_CUBE_HEIGHT), SHOWN(SDP, D_DATA_CUBE_CHANNEL)

static const struct rule sdp_flying_list[] = {
    RULE(REFUSED, results_differ_in_type, "after a convolution PROC precision is that of the convolution",
         "50-sdp section 3.1", SHOWN(SDP, D_DATA_FORMAT), SHOWN(CSC, D_MISC_CFG)),
    RULE(REFUSED, results_differ_in_order, "SDP and CSC must agree on Winograd, batches and the width of their lines",
         "50-sdp section 8", SHOWN(SDP, D_FEATURE_MODE_CFG), SHOWN(CSC, D_MISC_CFG), SHOWN(CSC, D_BATCH_NUMBER)),
    RULE(HANGS, results_missing, "the convolution does not deliver the cube that SDP takes", "50-sdp section 3.1",
         SHOWN_RESULTS),
    RULE(WARNS, results_left,
         "the convolution delivers more than SDP takes: the layer ends, its units may stay RUNNING, and the next "
         "convolution takes the rest",
         "99-illegal-programming section 1", SHOWN_RESULTS),
    RULE(REFUSED, results_in_other_shape,
         "the convolution does not deliver the surfaces that SDP takes, though as many results in all",
         "50-sdp section 3.1", SHOWN_RESULTS),
};

const struct rule_set rules_sdp_flying = {.moment = RULES_AT_START,
                                          .units = {NVDLA_SDP, NVDLA_CSC},
                                          .unit_count = 2,
                                          .applies = is_flying,
                                          RULE_LIST(sdp_flying_list)};

/* ---- SDP before PDP ---- */

static struct pdp_layer pooling_of(const struct registers_view *view) {
    struct pdp_layer layer;
    pdp_layer_decode(&layer, view);
    return layer;
}

CONDITION(is_fused, to_pdp(view) && !pooling_of(view).from_memory)
CONDITION(pooled_type_differs, rules_wide(view) && out(view) != FIELD(view, PDP, D_DATA_FORMAT, INPUT_DATA))

/* Surfaces that PDP writes: it needs as many. */
static uint64_t written_surfaces(const struct registers_view *view) {
    return VALUE(view, PDP, D_DATA_CUBE_OUT_CHANNEL) / (uint32_t)pooling_of(view).lanes + UINT64_C(1);
}

static bool pooled_cube_differs(const struct registers_view *view) {
    struct sdp_layer layer = layer_of(view);
    struct pdp_layer pooling = pooling_of(view);
    return !pooled_type_differs(view) && (layer.shape.width != pooling.width || layer.shape.height != pooling.height ||
                                          layer.shape.surfaces != pooling.surfaces);
}

/* Every row and column is in a window. */
static bool layer_is_exact(const struct pdp_layer *pooling) {
    const struct pdp_kernel *kernel = &pooling->kernel;
    return (pooling->width + kernel->pad_left + kernel->pad_right - kernel->width) % kernel->stride_width == 0 &&
           (pooling->height + kernel->pad_top + kernel->pad_bottom - kernel->height) % kernel->stride_height == 0;
}

static bool pooled_cube_is_short(const struct registers_view *view) {
    struct pdp_layer pooling = pooling_of(view);
    return pooled_cube_differs(view) && layer_is_exact(&pooling) &&
           taken(view) < (uint64_t)pooling.width * (uint64_t)pooling.height * written_surfaces(view);
}

CONDITION(pooled_cube_is_other, pooled_cube_differs(view) && !pooled_cube_is_short(view))

#define SHOWN_POOLED                                                                                                   \
    SHOWN(SDP, D_DATA_CUBE_WIDTH), SHOWN(PDP, D_DATA_CUBE_IN_WIDTH), SHOWN(SDP, D_DATA_CUBE_HEIGHT),                   \
        SHOWN(PDP, D_DATA_CUBE_IN_HEIGHT), SHOWN(SDP, D_DATA_CUBE_CHANNEL), SHOWN(PDP, D_DATA_CUBE_IN_CHANNEL)

static const struct rule sdp_to_pdp_list[] = {
    RULE(REFUSED, pooled_type_differs, "OUT precision of SDP must be the data type of PDP", "60-pdp section 8",
         SHOWN(SDP, D_DATA_FORMAT), SHOWN(PDP, D_DATA_FORMAT)),
    RULE(HANGS, pooled_cube_is_short, "SDP does not deliver the cube that PDP takes", "60-pdp section 8", SHOWN_POOLED),
    RULE(REFUSED, pooled_cube_is_other,
         "SDP delivers another cube than PDP takes: PDP mostly ends, SDP and SDP_RDMA stay RUNNING, and the next layer "
         "is wrong",
         "99-illegal-programming section 1", SHOWN_POOLED),
};

const struct rule_set rules_sdp_to_pdp = {.moment = RULES_AT_START,
                                          .units = {NVDLA_SDP, NVDLA_PDP},
                                          .unit_count = 2,
                                          .applies = is_fused,
                                          RULE_LIST(sdp_to_pdp_list)};

/* ---- the table of EW ---- */

CONDITION(uses_table, layer_of(view).table)

static bool select_too_large(const struct registers_view *view) {
    struct sdp_layer layer = layer_of(view);
    return layer.shape.proc != NVDLA_FP16 && ((layer.lut.le_linear && layer.lut.range[LUT_LE].select >= SELECT_BITS) ||
                                              layer.lut.range[LUT_LO].select >= SELECT_BITS);
}

static bool any_range(const struct registers_view *view, bool (*condition)(uint32_t fp32)) {
    return condition(VALUE(view, SDP, S_LUT_LE_START)) || condition(VALUE(view, SDP, S_LUT_LE_END)) ||
           condition(VALUE(view, SDP, S_LUT_LO_START)) || condition(VALUE(view, SDP, S_LUT_LO_END));
}

CONDITION(range_infinite, layer_of(view).shape.proc == NVDLA_FP16 && any_range(view, is_infinite))
CONDITION(range_nan, layer_of(view).shape.proc == NVDLA_FP16 && any_range(view, fp32_is_nan))

static bool offset_infinite(const struct registers_view *view) {
    struct sdp_layer layer = layer_of(view);
    return layer.shape.proc == NVDLA_FP16 && !layer.lut.le_linear && layer.lut.le_index_offset == -128;
}

static const struct rule sdp_table_list[] = {
    RULE(WARNS, range_infinite, "START or END with the pattern of infinity counts as a number above the largest one",
         "55-lut, illegal programming", SHOWN(SDP, S_LUT_LE_START), SHOWN(SDP, S_LUT_LE_END),
         SHOWN(SDP, S_LUT_LO_START), SHOWN(SDP, S_LUT_LO_END)),
    RULE(WARNS, offset_infinite, "LE_INDEX_OFFSET -128 makes the base of underflows the pattern of infinity",
         "55-lut, illegal programming", SHOWN(SDP, S_LUT_INFO)),
    RULE(WARNS, range_nan, "a NaN as START or END makes every value an underflow or a NaN", "55-lut section 4.2",
         SHOWN(SDP, S_LUT_LE_START), SHOWN(SDP, S_LUT_LE_END), SHOWN(SDP, S_LUT_LO_START), SHOWN(SDP, S_LUT_LO_END)),
    RULE(WARNS, select_too_large, "INDEX_SELECT above 31 leaves no bit for the index", "55-lut section 4.1",
         SHOWN(SDP, S_LUT_INFO)),
};

const struct rule_set rules_sdp_table = {
    .moment = RULES_AT_START, .units = {NVDLA_SDP}, .unit_count = 1, .applies = uses_table, RULE_LIST(sdp_table_list)};
