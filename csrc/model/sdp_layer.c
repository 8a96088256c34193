/* From the registers of SDP and SDP_RDMA to a layer. See sdp_layer.h. */
#include "model/sdp_layer.h"

#include "layers/lut_registers.h"
#include "nvdla_offsets.h"

/* The stages have the same layout at different offsets. EW has one more register for each of its operand convertors,
 * and LUT_BYPASS instead of RELU_BYPASS. */
static const struct {
    uint32_t config, alu_config, alu_value, mul_config, mul_value;
} stage_registers[SDP_STAGES] = {
    {SDP_D_DP_BS_CFG, SDP_D_DP_BS_ALU_CFG, SDP_D_DP_BS_ALU_SRC_VALUE, SDP_D_DP_BS_MUL_CFG, SDP_D_DP_BS_MUL_SRC_VALUE},
    {SDP_D_DP_BN_CFG, SDP_D_DP_BN_ALU_CFG, SDP_D_DP_BN_ALU_SRC_VALUE, SDP_D_DP_BN_MUL_CFG, SDP_D_DP_BN_MUL_SRC_VALUE},
    {SDP_D_DP_EW_CFG, SDP_D_DP_EW_ALU_CFG, SDP_D_DP_EW_ALU_SRC_VALUE, SDP_D_DP_EW_MUL_CFG, SDP_D_DP_EW_MUL_SRC_VALUE},
};

/* An operand convertor of EW. */
struct convertor_registers {
    uint32_t offset, scale, truncate;
};

static const struct convertor_registers alu_convertor = {
    SDP_D_DP_EW_ALU_CVT_OFFSET_VALUE, SDP_D_DP_EW_ALU_CVT_SCALE_VALUE, SDP_D_DP_EW_ALU_CVT_TRUNCATE_VALUE};
static const struct convertor_registers mul_convertor = {
    SDP_D_DP_EW_MUL_CVT_OFFSET_VALUE, SDP_D_DP_EW_MUL_CVT_SCALE_VALUE, SDP_D_DP_EW_MUL_CVT_TRUNCATE_VALUE};

/* Lines in a band of Winograd order. */
enum { WINOGRAD_LINES = 4 };

/* ---- stages ---- */

static struct sdp_operand_format fp16_format(bool flush_nans) {
    return (struct sdp_operand_format){.form = flush_nans ? SDP_FP16_WITHOUT_NAN : SDP_FP16};
}

/* A 16-bit register operand, prepared. */
static int32_t prepared(const struct sdp_operand_format *format, uint32_t value) {
    int16_t operand = (int16_t)value;
    int32_t result;
    sdp_prepare_operands(format, &operand, &result, 1);
    return result;
}

/* BS and BN. */
static struct sdp_stage decode_x(const struct sdp_layer *layer, const struct registers_view *view,
                                 enum sdp_stage_index index) {
    uint32_t config = view_value(view, NVDLA_SDP, stage_registers[index].config);
    uint32_t alu = view_value(view, NVDLA_SDP, stage_registers[index].alu_config);
    uint32_t mul = view_value(view, NVDLA_SDP, stage_registers[index].mul_config);
    bool floating_point = layer->shape.proc == NVDLA_FP16;
    struct sdp_stage stage = {
        .bypass = REGISTER_FIELD(config, SDP_D_DP_BS_CFG__BS_BYPASS),
        .alu_bypass = REGISTER_FIELD(config, SDP_D_DP_BS_CFG__BS_ALU_BYPASS),
        .mul_bypass = REGISTER_FIELD(config, SDP_D_DP_BS_CFG__BS_MUL_BYPASS),
        .prelu = REGISTER_FIELD(config, SDP_D_DP_BS_CFG__BS_MUL_PRELU),
        .relu = !REGISTER_FIELD(config, SDP_D_DP_BS_CFG__BS_RELU_BYPASS),
        .floating_point = floating_point,
        .algorithm = REGISTER_FIELD(config, SDP_D_DP_BS_CFG__BS_ALU_ALGO),
        /* Eight bits are stored, six are used. */
        .shift = REGISTER_FIELD(mul, SDP_D_DP_BS_MUL_CFG__BS_MUL_SHIFT_VALUE) & 63,
        .alu.format = {.form = SDP_SHIFTED, .shift = REGISTER_FIELD(alu, SDP_D_DP_BS_ALU_CFG__BS_ALU_SHIFT_VALUE)},
        .mul.format = {.form = SDP_SIGNED},
        .alu.from_memory = REGISTER_FIELD(alu, SDP_D_DP_BS_ALU_CFG__BS_ALU_SRC),
        .mul.from_memory = REGISTER_FIELD(mul, SDP_D_DP_BS_MUL_CFG__BS_MUL_SRC),
    };
    if (floating_point) {
        stage.alu.format = fp16_format(layer->flush_nans);
        stage.mul.format = fp16_format(layer->flush_nans);
    }
    stage.alu.value = prepared(&stage.alu.format, view_value(view, NVDLA_SDP, stage_registers[index].alu_value));
    stage.mul.value = prepared(&stage.mul.format, view_value(view, NVDLA_SDP, stage_registers[index].mul_value));
    return stage;
}

/* How EW takes the operands of one of its halves from memory. */
static struct sdp_operand_format ew_format(const struct sdp_layer *layer, const struct registers_view *view,
                                           const struct convertor_registers *registers, bool bypass) {
    if (layer->shape.proc == NVDLA_FP16)
        return fp16_format(layer->flush_nans);
    return (struct sdp_operand_format){.form = bypass ? SDP_SIGNED : SDP_CONVERTED,
                                       .shift = view_value(view, NVDLA_SDP, registers->truncate),
                                       .offset = (int32_t)view_value(view, NVDLA_SDP, registers->offset),
                                       .scale = (int16_t)view_value(view, NVDLA_SDP, registers->scale)};
}

static struct sdp_stage decode_ew(const struct sdp_layer *layer, const struct registers_view *view) {
    uint32_t config = view_value(view, NVDLA_SDP, SDP_D_DP_EW_CFG);
    uint32_t alu = view_value(view, NVDLA_SDP, SDP_D_DP_EW_ALU_CFG);
    uint32_t mul = view_value(view, NVDLA_SDP, SDP_D_DP_EW_MUL_CFG);
    return (struct sdp_stage){
        .bypass = REGISTER_FIELD(config, SDP_D_DP_EW_CFG__EW_BYPASS),
        .alu_bypass = REGISTER_FIELD(config, SDP_D_DP_EW_CFG__EW_ALU_BYPASS),
        .mul_bypass = REGISTER_FIELD(config, SDP_D_DP_EW_CFG__EW_MUL_BYPASS),
        .prelu = REGISTER_FIELD(config, SDP_D_DP_EW_CFG__EW_MUL_PRELU),
        .ew = true,
        .floating_point = layer->shape.proc == NVDLA_FP16,
        .algorithm = REGISTER_FIELD(config, SDP_D_DP_EW_CFG__EW_ALU_ALGO),
        .shift = view_value(view, NVDLA_SDP, SDP_D_DP_EW_TRUNCATE_VALUE),
        .alu = {.from_memory = REGISTER_FIELD(alu, SDP_D_DP_EW_ALU_CFG__EW_ALU_SRC),
                .format =
                    ew_format(layer, view, &alu_convertor, REGISTER_FIELD(alu, SDP_D_DP_EW_ALU_CFG__EW_ALU_CVT_BYPASS)),
                .value = (int32_t)view_value(view, NVDLA_SDP, SDP_D_DP_EW_ALU_SRC_VALUE)},
        .mul = {.from_memory = REGISTER_FIELD(mul, SDP_D_DP_EW_MUL_CFG__EW_MUL_SRC),
                .format =
                    ew_format(layer, view, &mul_convertor, REGISTER_FIELD(mul, SDP_D_DP_EW_MUL_CFG__EW_MUL_CVT_BYPASS)),
                .value = (int32_t)view_value(view, NVDLA_SDP, SDP_D_DP_EW_MUL_SRC_VALUE)},
    };
}

static void decode_stages(struct sdp_layer *layer, const struct registers_view *view) {
    for (enum sdp_stage_index i = SDP_BS; i < SDP_STAGES; i++) {
        struct sdp_stage *stage = &layer->stage[i];
        *stage = !sdp_has_stage(view->config, i) ? (struct sdp_stage){.bypass = true}
                 : i == SDP_EW                   ? decode_ew(layer, view)
                                                 : decode_x(layer, view, i);
        stage->alu.from_memory = stage->alu.from_memory && !stage->bypass && !stage->alu_bypass;
        stage->mul.from_memory = stage->mul.from_memory && !stage->bypass && !stage->mul_bypass;
        layer->uses_rdma |= stage->alu.from_memory || stage->mul.from_memory;
    }
    layer->table = !layer->stage[SDP_EW].bypass && !FIELD(view, SDP, D_DP_EW_CFG, EW_LUT_BYPASS);
    if (layer->table)
        layer->lut = lut_of(view, NVDLA_SDP);
}

/* ---- operands ---- */

size_t sdp_operand_atom(const struct sdp_layer *layer, const struct sdp_operands *operands) {
    return (size_t)layer->shape.lanes * (size_t)operands->components * operands->component_bytes;
}

/* Checks that a stage takes from memory what its DMA fetches. Sets valid and leftover. */
static void match_operands(struct sdp_layer *layer, int index) {
    const struct sdp_stage *stage = &layer->stage[index];
    const struct sdp_operands *operands = &layer->operands[index];
    bool alu = operands->enabled && operands->has_alu;
    bool mul = operands->enabled && operands->has_mul;
    if (!stage->alu.from_memory && !stage->mul.from_memory)
        layer->leftover |= operands->enabled;
    else if (stage->alu.from_memory != alu || stage->mul.from_memory != mul)
        layer->valid = false;
    if (operands->enabled && operands->component_bytes == 1 && layer->shape.proc != NVDLA_INT8)
        layer->valid = false;
    /* Measured, section 8.3. */
    if (layer->shape.batches > 1 && layer->shape.width == 1 && layer->shape.height == 1 && layer->shape.surfaces > 1 &&
        operands->enabled && operands->per_element)
        layer->valid = false;
}

/* ---- layers ---- */

/* Section 7: what the combinations that finish have in common. INT8 processing to FP16 is one of them, though the
 * hardware scrambles the image, as are mismatched 16-bit types, whose patterns are reinterpreted. */
static bool precisions_fit(const struct sdp_layer *layer) {
    bool known = layer->shape.in <= NVDLA_FP16 && layer->shape.proc <= NVDLA_FP16 && layer->shape.out <= NVDLA_FP16;
    if (layer->shape.proc == NVDLA_INT8)
        return known && layer->shape.in != NVDLA_FP16;
    return known && layer->shape.in != NVDLA_INT8 && layer->shape.out != NVDLA_INT8;
}

/* Sections 7, 8.2, 8.3 and 9: combinations that are not possible, with batches and Winograd order as special cases. */
static bool mode_fits(const struct sdp_layer *layer) {
    bool special = layer->shape.batches > 1 || layer->shape.winograd;
    bool whole_bands = layer->shape.width % 2 == 0 && layer->shape.height % WINOGRAD_LINES == 0;
    return !(layer->shape.out != layer->shape.proc && (layer->to_pdp || layer->compare || special)) &&
           !(special && (!layer->shape.flying || layer->to_pdp || layer->compare)) &&
           !(layer->shape.winograd && (layer->shape.batches > 1 || !whole_bands));
}

/* True if the registers of SDP_RDMA agree with those of SDP. */
static bool units_agree(const struct sdp_shape *sdp, const struct sdp_shape *rdma) {
    return sdp->width == rdma->width && sdp->height == rdma->height &&
           sdp->surfaces == (rdma->channels - 1) / sdp->lanes + 1 && sdp->flying == rdma->flying &&
           sdp->proc == rdma->proc && sdp->out == rdma->out && sdp->batches == rdma->batches &&
           sdp->winograd == rdma->winograd;
}

/* Sections 4 and 8.1: 1x1 cubes are packed, strides ignored; the outputs of batches are not. */
static void pack(struct sdp_layer *layer) {
    if (layer->shape.width > 1 || layer->shape.height > 1)
        return;
    for (int i = 0; i < SDP_STAGES; i++)
        layer->operands[i].per_element = false;
    layer->source.cube.surface_stride = (uint32_t)layer->atom;
    if (layer->shape.batches == 1)
        layer->destination.cube.surface_stride = (uint32_t)layer->atom;
}

void sdp_layer_decode(struct sdp_layer *layer, const struct registers_view *view) {
    const struct nvdla_config *config = view->config;
    const struct sdp_cubes sdp = sdp_cubes(view);
    const struct sdp_rdma_cubes rdma = sdp_rdma_cubes(view);
    const struct sdp_shape *shape = &sdp.shape;
    const bool int8_only = !nvdla_has_16_bits(config);
    *layer = (struct sdp_layer){
        .shape = *shape,
        .uses_rdma = !shape->flying,
        .to_pdp = sdp.to_pdp,
        .compare = sdp.compare, /* from the registers, also in configurations without EW: section 9 */
        .flush_nans = shape->proc == NVDLA_FP16 && FIELD(view, SDP, D_FEATURE_MODE_CFG, NAN_TO_ZERO),
        .count_saturation = FIELD(view, SDP, D_PERF_ENABLE, PERF_SAT_EN),
        .count_table = FIELD(view, SDP, D_PERF_ENABLE, PERF_LUT_EN),
        .compare_flags = !int8_only,
        .atom = (size_t)config->mem_atom,
        .source = rdma.source,
        .destination = sdp.destination,
        .convertor = {.proc = shape->proc,
                      .out = shape->out,
                      .offset = (int32_t)VALUE(view, SDP, D_CVT_OFFSET),
                      .scale = (int16_t)VALUE(view, SDP, D_CVT_SCALE),
                      .shift = VALUE(view, SDP, D_CVT_SHIFT),
                      .flags_any_clamp = int8_only},
    };
    if (!shape->flying)
        layer->shape.in = rdma.shape.in;
    layer->source_surfaces = sdp_memory_surfaces(shape, layer->shape.in);
    layer->destination_surfaces = sdp_memory_surfaces(shape, layer->shape.out);
    layer->count_specials = !layer->shape.flying && layer->shape.in == NVDLA_FP16 &&
                            FIELD(view, SDP_RDMA, D_PERF_ENABLE, PERF_NAN_INF_COUNT_EN);
    decode_stages(layer, view);
    layer->valid = precisions_fit(layer) && mode_fits(layer);
    if (layer->uses_rdma) {
        layer->valid = layer->valid && units_agree(shape, &rdma.shape);
        for (int i = 0; i < SDP_STAGES; i++) {
            layer->operands[i] = rdma.operands[i];
            match_operands(layer, i);
        }
    }
    pack(layer);
}

bool sdp_rdma_busy(const struct registers_view *view) {
    const struct sdp_rdma_cubes rdma = sdp_rdma_cubes(view);
    bool busy = !rdma.shape.flying;
    for (int i = 0; i < SDP_STAGES; i++)
        busy |= rdma.operands[i].enabled;
    return busy;
}

uint64_t sdp_layer_atoms(const struct sdp_layer *layer) {
    return (uint64_t)layer->shape.width * (uint64_t)layer->shape.height * (uint64_t)layer->shape.surfaces *
           (uint64_t)layer->shape.batches;
}
