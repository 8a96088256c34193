/* From the registers of SDP and SDP_RDMA to a layer. See sdp_layer.h. */
#include "model/sdp_layer.h"

#include "model/dma.h"
#include "model/sdp_table.h"
#include "nvdla_offsets.h"

bool sdp_has_ew(const struct nvdla_config *config) {
    return config->sdp_ew_throughput > 0 && config->sdp_lut && config->map == NVDLA_MAP_FULL;
}

/* The stages have the same layouts at other offsets. EW has a register more for each of its operand convertors, and
 * LUT_BYPASS in the place of RELU_BYPASS. */
static const struct {
    uint32_t config, alu_config, alu_value, mul_config, mul_value;          /* SDP */
    uint32_t rdma_config, base_low, base_high, line_stride, surface_stride; /* SDP_RDMA */
} stage_registers[SDP_STAGES] = {
    {SDP_D_DP_BS_CFG, SDP_D_DP_BS_ALU_CFG, SDP_D_DP_BS_ALU_SRC_VALUE, SDP_D_DP_BS_MUL_CFG, SDP_D_DP_BS_MUL_SRC_VALUE,
     SDP_RDMA_D_BRDMA_CFG, SDP_RDMA_D_BS_BASE_ADDR_LOW, SDP_RDMA_D_BS_BASE_ADDR_HIGH, SDP_RDMA_D_BS_LINE_STRIDE,
     SDP_RDMA_D_BS_SURFACE_STRIDE},
    {SDP_D_DP_BN_CFG, SDP_D_DP_BN_ALU_CFG, SDP_D_DP_BN_ALU_SRC_VALUE, SDP_D_DP_BN_MUL_CFG, SDP_D_DP_BN_MUL_SRC_VALUE,
     SDP_RDMA_D_NRDMA_CFG, SDP_RDMA_D_BN_BASE_ADDR_LOW, SDP_RDMA_D_BN_BASE_ADDR_HIGH, SDP_RDMA_D_BN_LINE_STRIDE,
     SDP_RDMA_D_BN_SURFACE_STRIDE},
    {SDP_D_DP_EW_CFG, SDP_D_DP_EW_ALU_CFG, SDP_D_DP_EW_ALU_SRC_VALUE, SDP_D_DP_EW_MUL_CFG, SDP_D_DP_EW_MUL_SRC_VALUE,
     SDP_RDMA_D_ERDMA_CFG, SDP_RDMA_D_EW_BASE_ADDR_LOW, SDP_RDMA_D_EW_BASE_ADDR_HIGH, SDP_RDMA_D_EW_LINE_STRIDE,
     SDP_RDMA_D_EW_SURFACE_STRIDE},
};

/* An operand convertor of EW. */
struct convertor_registers {
    uint32_t offset, scale, truncate;
};

static const struct convertor_registers alu_convertor = {
    SDP_D_DP_EW_ALU_CVT_OFFSET_VALUE, SDP_D_DP_EW_ALU_CVT_SCALE_VALUE, SDP_D_DP_EW_ALU_CVT_TRUNCATE_VALUE};
static const struct convertor_registers mul_convertor = {
    SDP_D_DP_EW_MUL_CVT_OFFSET_VALUE, SDP_D_DP_EW_MUL_CVT_SCALE_VALUE, SDP_D_DP_EW_MUL_CVT_TRUNCATE_VALUE};

/* Values of DATA_USE. */
enum { USE_MUL, USE_ALU, USE_BOTH };

/* Lines in a band of Winograd order. */
enum { WINOGRAD_LINES = 4 };

/* Stages of the configuration. */
static int stages_of(const struct nvdla_config *config) {
    return sdp_has_ew(config) ? SDP_STAGES : SDP_EW;
}

/* ---- stages ---- */

static struct sdp_operand_format fp16_format(bool flush_nans) {
    return (struct sdp_operand_format){.form = flush_nans ? SDP_FP16_WITHOUT_NAN : SDP_FP16};
}

/* A register operand of 16 bits in the form of the pipe. */
static int32_t prepared(const struct sdp_operand_format *format, uint32_t value) {
    int16_t operand = (int16_t)value;
    int32_t result;
    sdp_prepare_operands(format, &operand, &result, 1);
    return result;
}

/* BS and BN. */
static struct sdp_stage decode_x(const struct sdp_layer *layer, const struct register_group *sdp,
                                 enum sdp_stage_index index) {
    uint32_t config = register_group_value(sdp, stage_registers[index].config);
    uint32_t alu = register_group_value(sdp, stage_registers[index].alu_config);
    uint32_t mul = register_group_value(sdp, stage_registers[index].mul_config);
    bool floating_point = layer->proc == NVDLA_FP16;
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
    stage.alu.value = prepared(&stage.alu.format, register_group_value(sdp, stage_registers[index].alu_value));
    stage.mul.value = prepared(&stage.mul.format, register_group_value(sdp, stage_registers[index].mul_value));
    return stage;
}

/* How EW takes the operands of one of its halves from memory. */
static struct sdp_operand_format ew_format(const struct sdp_layer *layer, const struct register_group *sdp,
                                           const struct convertor_registers *registers, bool bypass) {
    if (layer->proc == NVDLA_FP16) {
        return fp16_format(layer->flush_nans);
    }
    return (struct sdp_operand_format){.form = bypass ? SDP_SIGNED : SDP_CONVERTED,
                                       .shift = register_group_value(sdp, registers->truncate),
                                       .offset = (int32_t)register_group_value(sdp, registers->offset),
                                       .scale = (int16_t)register_group_value(sdp, registers->scale)};
}

static struct sdp_stage decode_ew(const struct sdp_layer *layer, const struct register_group *sdp) {
    uint32_t config = register_group_value(sdp, SDP_D_DP_EW_CFG);
    uint32_t alu = register_group_value(sdp, SDP_D_DP_EW_ALU_CFG);
    uint32_t mul = register_group_value(sdp, SDP_D_DP_EW_MUL_CFG);
    return (struct sdp_stage){
        .bypass = REGISTER_FIELD(config, SDP_D_DP_EW_CFG__EW_BYPASS),
        .alu_bypass = REGISTER_FIELD(config, SDP_D_DP_EW_CFG__EW_ALU_BYPASS),
        .mul_bypass = REGISTER_FIELD(config, SDP_D_DP_EW_CFG__EW_MUL_BYPASS),
        .prelu = REGISTER_FIELD(config, SDP_D_DP_EW_CFG__EW_MUL_PRELU),
        .ew = true,
        .floating_point = layer->proc == NVDLA_FP16,
        .algorithm = REGISTER_FIELD(config, SDP_D_DP_EW_CFG__EW_ALU_ALGO),
        .shift = register_group_value(sdp, SDP_D_DP_EW_TRUNCATE_VALUE),
        .alu = {.from_memory = REGISTER_FIELD(alu, SDP_D_DP_EW_ALU_CFG__EW_ALU_SRC),
                .format =
                    ew_format(layer, sdp, &alu_convertor, REGISTER_FIELD(alu, SDP_D_DP_EW_ALU_CFG__EW_ALU_CVT_BYPASS)),
                .value = (int32_t)register_group_value(sdp, SDP_D_DP_EW_ALU_SRC_VALUE)},
        .mul = {.from_memory = REGISTER_FIELD(mul, SDP_D_DP_EW_MUL_CFG__EW_MUL_SRC),
                .format =
                    ew_format(layer, sdp, &mul_convertor, REGISTER_FIELD(mul, SDP_D_DP_EW_MUL_CFG__EW_MUL_CVT_BYPASS)),
                .value = (int32_t)register_group_value(sdp, SDP_D_DP_EW_MUL_SRC_VALUE)},
    };
}

static void decode_stages(struct sdp_layer *layer, const struct nvdla_config *config,
                          const struct register_group *sdp) {
    layer->stage[SDP_BS] = decode_x(layer, sdp, SDP_BS);
    layer->stage[SDP_BN] = decode_x(layer, sdp, SDP_BN);
    layer->stage[SDP_EW] = sdp_has_ew(config) ? decode_ew(layer, sdp) : (struct sdp_stage){.bypass = true};
    for (int i = 0; i < SDP_STAGES; i++) {
        struct sdp_stage *stage = &layer->stage[i];
        stage->alu.from_memory = stage->alu.from_memory && !stage->bypass && !stage->alu_bypass;
        stage->mul.from_memory = stage->mul.from_memory && !stage->bypass && !stage->mul_bypass;
        layer->uses_rdma |= stage->alu.from_memory || stage->mul.from_memory;
    }
    uint32_t ew = register_group_value(sdp, SDP_D_DP_EW_CFG);
    layer->table = !layer->stage[SDP_EW].bypass && !REGISTER_FIELD(ew, SDP_D_DP_EW_CFG__EW_LUT_BYPASS);
    if (layer->table) {
        layer->lut = sdp_table_settings(sdp);
    }
    /* The registers make it so, in configurations without EW too: section 9. */
    layer->compare = !REGISTER_FIELD(ew, SDP_D_DP_EW_CFG__EW_BYPASS) &&
                     !REGISTER_FIELD(ew, SDP_D_DP_EW_CFG__EW_ALU_BYPASS) &&
                     REGISTER_FIELD(ew, SDP_D_DP_EW_CFG__EW_ALU_ALGO) == SDP_EQUAL;
}

/* ---- operands ---- */

static uint64_t address(const struct nvdla_config *config, const struct register_group *group, uint32_t low,
                        uint32_t high) {
    return dma_aligned(config, dma_address(config, group, low, high));
}

static struct sdp_operands decode_operands(const struct nvdla_config *config, const struct register_group *rdma,
                                           int index) {
    uint32_t value = register_group_value(rdma, stage_registers[index].rdma_config);
    uint32_t use = REGISTER_FIELD(value, SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_USE);
    return (struct sdp_operands){
        .enabled = !REGISTER_FIELD(value, SDP_RDMA_D_BRDMA_CFG__BRDMA_DISABLE),
        .components = use == USE_BOTH ? 2 : 1,
        .has_alu = use == USE_ALU || use == USE_BOTH,
        .has_mul = use == USE_MUL || use == USE_BOTH,
        .component_bytes = REGISTER_FIELD(value, SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_SIZE) ? 2 : 1,
        .per_element = REGISTER_FIELD(value, SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_MODE),
        .primary = REGISTER_FIELD(value, SDP_RDMA_D_BRDMA_CFG__BRDMA_RAM_TYPE),
        .base = address(config, rdma, stage_registers[index].base_low, stage_registers[index].base_high),
        .line_stride = dma_aligned(config, register_group_value(rdma, stage_registers[index].line_stride)),
        .surface_stride = dma_aligned(config, register_group_value(rdma, stage_registers[index].surface_stride)),
    };
}

size_t sdp_operand_atom(const struct sdp_layer *layer, const struct sdp_operands *operands) {
    return layer->lanes * (size_t)operands->components * operands->component_bytes;
}

/* Checks that what a stage takes from memory is what its DMA fetches. Sets valid and leftover. */
static void match_operands(struct sdp_layer *layer, int index) {
    const struct sdp_stage *stage = &layer->stage[index];
    const struct sdp_operands *operands = &layer->operands[index];
    bool alu = operands->enabled && operands->has_alu;
    bool mul = operands->enabled && operands->has_mul;
    if (!stage->alu.from_memory && !stage->mul.from_memory) {
        layer->leftover |= operands->enabled;
    } else if (stage->alu.from_memory != alu || stage->mul.from_memory != mul) {
        layer->valid = false;
    }
    if (operands->enabled && operands->component_bytes == 1 && layer->proc != NVDLA_INT8) {
        layer->valid = false;
    }
    /* Measured, section 8.3. */
    if (layer->batches > 1 && layer->width == 1 && layer->height == 1 && layer->surfaces > 1 && operands->enabled &&
        operands->per_element) {
        layer->valid = false;
    }
}

/* ---- layers ---- */

/* Surfaces of a cube whose CHANNEL register holds C - 1. */
static int surfaces_of(uint32_t channel, size_t lanes) {
    return (int)(channel / lanes) + 1;
}

/* Surfaces in memory per surface of the pipe. */
static int memory_surfaces(const struct sdp_layer *layer, enum nvdla_precision precision) {
    return nvdla_element_bytes(precision) > nvdla_element_bytes(layer->proc) ? 2 : 1;
}

/* Precisions, batches and order, in configurations that have a choice. */
static void decode_mode(struct sdp_layer *layer, const struct nvdla_config *config, const struct register_group *sdp,
                        const struct register_group *rdma) {
    uint32_t mode = register_group_value(sdp, SDP_D_FEATURE_MODE_CFG);
    uint32_t rdma_mode = register_group_value(rdma, SDP_RDMA_D_FEATURE_MODE_CFG);
    uint32_t format = register_group_value(sdp, SDP_D_DATA_FORMAT);
    layer->flying = REGISTER_FIELD(mode, SDP_D_FEATURE_MODE_CFG__FLYING_MODE);
    layer->to_pdp = REGISTER_FIELD(mode, SDP_D_FEATURE_MODE_CFG__OUTPUT_DST);
    layer->batches = 1;
    if (config->batch_max > 1) {
        layer->batches += (int)REGISTER_FIELD(mode, SDP_D_FEATURE_MODE_CFG__BATCH_NUMBER);
    }
    if (config->winograd) {
        layer->winograd = REGISTER_FIELD(mode, SDP_D_FEATURE_MODE_CFG__WINOGRAD);
    }
    if (nvdla_has_16_bits(config)) {
        layer->proc = REGISTER_FIELD(format, SDP_D_DATA_FORMAT__PROC_PRECISION);
        layer->flush_nans = layer->proc == NVDLA_FP16 && REGISTER_FIELD(mode, SDP_D_FEATURE_MODE_CFG__NAN_TO_ZERO);
        layer->out = REGISTER_FIELD(format, SDP_D_DATA_FORMAT__OUT_PRECISION);
        layer->in = layer->flying ? layer->proc : REGISTER_FIELD(rdma_mode, SDP_RDMA_D_FEATURE_MODE_CFG__IN_PRECISION);
    }
}

/* Section 7: what the combinations that finish have in common. INT8 processing to FP16 is one of them, though the
 * hardware scrambles the image; so are 16-bit types that do not match, whose patterns are reinterpreted. */
static bool precisions_fit(const struct sdp_layer *layer) {
    bool known = layer->in <= NVDLA_FP16 && layer->proc <= NVDLA_FP16 && layer->out <= NVDLA_FP16;
    if (layer->proc == NVDLA_INT8) {
        return known && layer->in != NVDLA_FP16;
    }
    return known && layer->in != NVDLA_INT8 && layer->out != NVDLA_INT8;
}

/* Sections 7, 8.2, 8.3 and 9: what does not go together, batches and Winograd order being special. */
static bool mode_fits(const struct sdp_layer *layer) {
    bool special = layer->batches > 1 || layer->winograd;
    bool whole_bands = layer->width % 2 == 0 && layer->height % WINOGRAD_LINES == 0;
    return !(layer->out != layer->proc && (layer->to_pdp || layer->compare || special)) &&
           !(special && (!layer->flying || layer->to_pdp || layer->compare)) &&
           !(layer->winograd && (layer->batches > 1 || !whole_bands));
}

/* True if the registers of SDP_RDMA agree with those of SDP. */
static bool units_agree(const struct sdp_layer *layer, const struct nvdla_config *config,
                        const struct register_group *sdp, const struct register_group *rdma) {
    uint32_t mode = register_group_value(rdma, SDP_RDMA_D_FEATURE_MODE_CFG);
    uint32_t channel = register_group_value(rdma, SDP_RDMA_D_DATA_CUBE_CHANNEL);
    bool same_types = !nvdla_has_16_bits(config) ||
                      (layer->proc == REGISTER_FIELD(mode, SDP_RDMA_D_FEATURE_MODE_CFG__PROC_PRECISION) &&
                       layer->out == REGISTER_FIELD(mode, SDP_RDMA_D_FEATURE_MODE_CFG__OUT_PRECISION));
    bool same_batches = config->batch_max <= 1 ||
                        layer->batches == (int)REGISTER_FIELD(mode, SDP_RDMA_D_FEATURE_MODE_CFG__BATCH_NUMBER) + 1;
    bool same_order =
        !config->winograd || layer->winograd == (REGISTER_FIELD(mode, SDP_RDMA_D_FEATURE_MODE_CFG__WINOGRAD) != 0);
    return register_group_value(sdp, SDP_D_DATA_CUBE_WIDTH) == register_group_value(rdma, SDP_RDMA_D_DATA_CUBE_WIDTH) &&
           register_group_value(sdp, SDP_D_DATA_CUBE_HEIGHT) ==
               register_group_value(rdma, SDP_RDMA_D_DATA_CUBE_HEIGHT) &&
           layer->surfaces == surfaces_of(channel, layer->lanes) &&
           layer->flying == (REGISTER_FIELD(mode, SDP_RDMA_D_FEATURE_MODE_CFG__FLYING_MODE) != 0) && same_types &&
           same_batches && same_order;
}

/* Sizes of the cube, and where it lies. */
static void decode_cube(struct sdp_layer *layer, const struct nvdla_config *config, const struct register_group *sdp,
                        const struct register_group *rdma) {
    layer->width = (int)register_group_value(sdp, SDP_D_DATA_CUBE_WIDTH) + 1;
    layer->height = (int)register_group_value(sdp, SDP_D_DATA_CUBE_HEIGHT) + 1;
    layer->atom = (size_t)config->mem_atom;
    layer->lanes = layer->atom / (size_t)nvdla_element_bytes(layer->proc);
    layer->channels = (size_t)register_group_value(sdp, SDP_D_DATA_CUBE_CHANNEL) + 1;
    layer->surfaces = surfaces_of(register_group_value(sdp, SDP_D_DATA_CUBE_CHANNEL), layer->lanes);
    layer->source_surfaces = memory_surfaces(layer, layer->in);
    layer->destination_surfaces = memory_surfaces(layer, layer->out);
    layer->source_primary =
        REGISTER_FIELD(register_group_value(rdma, SDP_RDMA_D_SRC_DMA_CFG), SDP_RDMA_D_SRC_DMA_CFG__SRC_RAM_TYPE);
    layer->destination_primary =
        REGISTER_FIELD(register_group_value(sdp, SDP_D_DST_DMA_CFG), SDP_D_DST_DMA_CFG__DST_RAM_TYPE);
    layer->source = address(config, rdma, SDP_RDMA_D_SRC_BASE_ADDR_LOW, SDP_RDMA_D_SRC_BASE_ADDR_HIGH);
    layer->source_line = dma_aligned(config, register_group_value(rdma, SDP_RDMA_D_SRC_LINE_STRIDE));
    layer->source_surface = dma_aligned(config, register_group_value(rdma, SDP_RDMA_D_SRC_SURFACE_STRIDE));
    layer->destination = address(config, sdp, SDP_D_DST_BASE_ADDR_LOW, SDP_D_DST_BASE_ADDR_HIGH);
    layer->destination_line = dma_aligned(config, register_group_value(sdp, SDP_D_DST_LINE_STRIDE));
    layer->destination_surface = dma_aligned(config, register_group_value(sdp, SDP_D_DST_SURFACE_STRIDE));
    layer->destination_batch = dma_aligned(config, register_group_value(sdp, SDP_D_DST_BATCH_STRIDE));
}

/* Sections 4 and 8.1: 1x1 cubes are packed, strides ignored; the outputs of batches are not. */
static void pack(struct sdp_layer *layer) {
    if (layer->width > 1 || layer->height > 1) {
        return;
    }
    for (int i = 0; i < SDP_STAGES; i++) {
        layer->operands[i].per_element = false;
    }
    layer->source_surface = layer->atom;
    if (layer->batches == 1) {
        layer->destination_surface = layer->atom;
    }
}

void sdp_layer_decode(struct sdp_layer *layer, const struct nvdla_config *config, const struct register_group *sdp,
                      const struct register_group *rdma) {
    bool small = config->map == NVDLA_MAP_SMALL;
    uint32_t perf = register_group_value(sdp, SDP_D_PERF_ENABLE);
    uint32_t rdma_perf = register_group_value(rdma, SDP_RDMA_D_PERF_ENABLE);
    *layer = (struct sdp_layer){
        .count_saturation = REGISTER_FIELD(perf, SDP_D_PERF_ENABLE__PERF_SAT_EN),
        .count_table = REGISTER_FIELD(perf, SDP_D_PERF_ENABLE__PERF_LUT_EN),
        .compare_flags = !small,
    };
    decode_mode(layer, config, sdp, rdma);
    decode_cube(layer, config, sdp, rdma);
    layer->convertor = (struct sdp_convertor){
        .proc = layer->proc,
        .out = layer->out,
        .offset = (int32_t)register_group_value(sdp, SDP_D_CVT_OFFSET),
        .scale = (int16_t)register_group_value(sdp, SDP_D_CVT_SCALE),
        .shift = register_group_value(sdp, SDP_D_CVT_SHIFT),
        .flags_any_clamp = small,
    };
    layer->count_specials = !layer->flying && layer->in == NVDLA_FP16 &&
                            REGISTER_FIELD(rdma_perf, SDP_RDMA_D_PERF_ENABLE__PERF_NAN_INF_COUNT_EN);
    layer->uses_rdma = !layer->flying;
    decode_stages(layer, config, sdp);
    layer->valid = precisions_fit(layer) && mode_fits(layer);
    if (layer->uses_rdma) {
        layer->valid = layer->valid && units_agree(layer, config, sdp, rdma);
        for (int i = 0; i < stages_of(config); i++) {
            layer->operands[i] = decode_operands(config, rdma, i);
            match_operands(layer, i);
        }
    }
    pack(layer);
}

bool sdp_rdma_busy(const struct nvdla_config *config, const struct register_group *rdma) {
    uint32_t mode = register_group_value(rdma, SDP_RDMA_D_FEATURE_MODE_CFG);
    bool busy = !REGISTER_FIELD(mode, SDP_RDMA_D_FEATURE_MODE_CFG__FLYING_MODE);
    for (int i = 0; i < stages_of(config); i++) {
        uint32_t operands = register_group_value(rdma, stage_registers[i].rdma_config);
        busy |= !REGISTER_FIELD(operands, SDP_RDMA_D_BRDMA_CFG__BRDMA_DISABLE);
    }
    return busy;
}

uint64_t sdp_layer_atoms(const struct sdp_layer *layer) {
    return (uint64_t)layer->width * (uint64_t)layer->height * (uint64_t)layer->surfaces * (uint64_t)layer->batches;
}
