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
    return wide(view) ? FIELD(view, SDP, D_DATA_FORMAT, PROC_PRECISION) : NVDLA_INT8;
}

static uint32_t out(const struct registers_view *view) {
    return wide(view) ? FIELD(view, SDP, D_DATA_FORMAT, OUT_PRECISION) : NVDLA_INT8;
}

CONDITION(to_pdp, FIELD(view, SDP, D_FEATURE_MODE_CFG, OUTPUT_DST) != 0)
CONDITION(batch, layer_of(view).shape.batches > 1)
CONDITION(winograd, layer_of(view).shape.winograd)

/* Compare mode, if the configuration has it. */
CONDITION(compare, has(view, FEATURE_EW) && layer_of(view).compare)
CONDITION(to_memory, !to_pdp(view) && !layer_of(view).compare)
CONDITION(single_pixel, VALUE(view, SDP, D_DATA_CUBE_WIDTH) == 0 && VALUE(view, SDP, D_DATA_CUBE_HEIGHT) == 0)

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
    return wide(view) && FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, PROC_PRECISION) != NVDLA_INT8 &&
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

CONDITION(reads_cube, FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, FLYING_MODE) == 0)

static bool rdma_misaligned(const struct registers_view *view) {
    uint32_t used = VALUE(view, SDP_RDMA, D_SRC_BASE_ADDR_LOW);
    if (!rdma_single_pixel(view))
        used |= VALUE(view, SDP_RDMA, D_SRC_LINE_STRIDE) | VALUE(view, SDP_RDMA, D_SRC_SURFACE_STRIDE);
    return reads_cube(view) && rules_misaligned(view, used);
}

/* ---- SDP with SDP_RDMA ---- */

static uint32_t in(const struct registers_view *view) {
    return FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, IN_PRECISION);
}

/* IN precision counts. */
CONDITION(converts_input, wide(view) && !layer_of(view).shape.flying)

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

CONDITION(rdma_flies, FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, FLYING_MODE) != 0)

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
    return no_port(view, OPERAND(operand_config(view, stage), RAM_TYPE)) && flow_of(view, stage).taken;
}

static bool not_taken(const struct registers_view *view, int stage) {
    return layer_of(view).operands[stage].enabled && !flow_of(view, stage).taken;
}

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

/* ---- SDP after the convolution core ---- */

static struct csc_layer convolution_of(const struct registers_view *view) {
    struct csc_layer layer;
    csc_layer_decode(&layer, view);
    return layer;
}

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

static bool results_in_other_shape(const struct registers_view *view) {
    struct csc_layer convolution = convolution_of(view);
    return delivered(view) == taken(view) && csc_layer_groups(&convolution) != (size_t)layer_of(view).shape.surfaces;
}

/* ---- SDP before PDP ---- */

static struct pdp_layer pooling_of(const struct registers_view *view) {
    struct pdp_layer layer;
    pdp_layer_decode(&layer, view);
    return layer;
}

CONDITION(pooled_type_differs, wide(view) && out(view) != FIELD(view, PDP, D_DATA_FORMAT, INPUT_DATA))

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

/* ---- the table of EW ---- */

static bool select_too_large(const struct registers_view *view) {
    struct sdp_layer layer = layer_of(view);
    return layer.shape.proc != NVDLA_FP16 && ((layer.lut.le_linear && layer.lut.range[LUT_LE].select >= SELECT_BITS) ||
                                              layer.lut.range[LUT_LO].select >= SELECT_BITS);
}

static bool any_range(const struct registers_view *view, bool (*condition)(uint32_t fp32)) {
    return condition(VALUE(view, SDP, S_LUT_LE_START)) || condition(VALUE(view, SDP, S_LUT_LE_END)) ||
           condition(VALUE(view, SDP, S_LUT_LO_START)) || condition(VALUE(view, SDP, S_LUT_LO_END));
}

#include "rules_sdp.inc"
