#include "model/sdp.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/fixed.h"
#include "nvdla_offsets.h"

/* ---- arithmetic ---- */

/* The ALU operand behind its left shift. From 47 places on the result is the same: 0 or one of the limits. */
static inline int64_t alu_operand(int16_t operand, unsigned shift) {
    return fixed_saturate((int64_t)operand * (INT64_C(1) << (shift > 47 ? 47 : shift)), 32);
}

/* One element through an X stage. Written for inlining into loops in which the settings are constant. */
static inline int32_t stage_element(const struct sdp_stage *stage, int32_t element, int16_t alu, int16_t mul) {
    int64_t d = element;
    if (!stage->alu_bypass) {
        int64_t operand = alu_operand(alu, stage->alu_shift);
        switch (stage->algorithm) {
        case SDP_MAX:
            d = d > operand ? d : operand;
            break;
        case SDP_MIN:
            d = d < operand ? d : operand;
            break;
        case SDP_SUM:
        case SDP_EQUAL:
            d += operand;
            break;
        }
    }
    if (!stage->mul_bypass && stage->prelu && d >= 0) {
        d = fixed_sign_extend(d, 32);
    } else {
        int64_t product = stage->mul_bypass ? d : d * mul;
        d = fixed_saturate(fixed_round_shift(product, stage->mul_shift), 32);
    }
    return (int32_t)(stage->relu && d < 0 ? 0 : d);
}

void sdp_stage_apply(const struct sdp_stage *stage, int32_t *data, const int16_t *alu, const int16_t *mul,
                     size_t count) {
    if (stage->bypass) {
        return;
    }
    const struct sdp_stage settings = *stage;
    if (settings.alu_bypass && settings.mul_bypass) {
        for (size_t i = 0; i < count; i++) {
            data[i] = stage_element(&settings, data[i], 0, 0);
        }
    } else if (settings.alu_bypass) {
        for (size_t i = 0; i < count; i++) {
            data[i] = stage_element(&settings, data[i], 0, mul[i]);
        }
    } else if (settings.mul_bypass) {
        for (size_t i = 0; i < count; i++) {
            data[i] = stage_element(&settings, data[i], alu[i], 0);
        }
    } else {
        for (size_t i = 0; i < count; i++) {
            data[i] = stage_element(&settings, data[i], alu[i], mul[i]);
        }
    }
}

uint64_t sdp_convert(const struct sdp_convertor *convertor, const int32_t *data, int8_t *out, size_t count) {
    const struct sdp_convertor settings = *convertor;
    uint64_t flagged = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t product = ((int64_t)data[i] - settings.offset) * settings.scale;
        int64_t floor = fixed_floor_shift(product, settings.shift);
        int64_t rounded = fixed_round_shift(product, settings.shift);
        flagged += fixed_saturate(floor, 17) != floor || fixed_saturate(rounded, 17) != rounded;
        /* The clamp to 17 bits and the one to 8 bits behind it are the clamp to 8 bits. */
        out[i] = (int8_t)fixed_saturate(rounded, 8);
    }
    return flagged;
}

/* ---- registers ---- */

/* BN has the layouts of BS at other offsets. */
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
};

static struct sdp_stage decode_stage(const struct register_group *sdp, int index) {
    uint32_t config = register_group_value(sdp, stage_registers[index].config);
    uint32_t alu = register_group_value(sdp, stage_registers[index].alu_config);
    uint32_t mul = register_group_value(sdp, stage_registers[index].mul_config);
    struct sdp_stage stage = {
        .bypass = REGISTER_FIELD(config, SDP_D_DP_BS_CFG__BS_BYPASS),
        .alu_bypass = REGISTER_FIELD(config, SDP_D_DP_BS_CFG__BS_ALU_BYPASS),
        .mul_bypass = REGISTER_FIELD(config, SDP_D_DP_BS_CFG__BS_MUL_BYPASS),
        .prelu = REGISTER_FIELD(config, SDP_D_DP_BS_CFG__BS_MUL_PRELU),
        .relu = !REGISTER_FIELD(config, SDP_D_DP_BS_CFG__BS_RELU_BYPASS),
        .algorithm = REGISTER_FIELD(config, SDP_D_DP_BS_CFG__BS_ALU_ALGO),
        .alu_shift = REGISTER_FIELD(alu, SDP_D_DP_BS_ALU_CFG__BS_ALU_SHIFT_VALUE),
        /* Eight bits are stored, six are used. */
        .mul_shift = REGISTER_FIELD(mul, SDP_D_DP_BS_MUL_CFG__BS_MUL_SHIFT_VALUE) & 63,
        .alu_operand = (int16_t)register_group_value(sdp, stage_registers[index].alu_value),
        .mul_operand = (int16_t)register_group_value(sdp, stage_registers[index].mul_value),
    };
    bool alu_memory = REGISTER_FIELD(alu, SDP_D_DP_BS_ALU_CFG__BS_ALU_SRC);
    bool mul_memory = REGISTER_FIELD(mul, SDP_D_DP_BS_MUL_CFG__BS_MUL_SRC);
    stage.alu_from_memory = !stage.bypass && !stage.alu_bypass && alu_memory;
    stage.mul_from_memory = !stage.bypass && !stage.mul_bypass && mul_memory;
    return stage;
}

/* Values of DATA_USE. */
enum { USE_MUL, USE_ALU, USE_BOTH };

/* Addresses and strides of SDP lose their low bits before anything is added. Spec: 20-data-formats section 9. */
static uint64_t aligned(const struct nvdla_config *config, uint64_t bytes) {
    return bytes & ~((uint64_t)config->mem_atom - 1);
}

static uint64_t address(const struct nvdla_config *config, const struct register_group *group, uint32_t low,
                        uint32_t high) {
    return aligned(config, dma_address(config, group, low, high));
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
        .line_stride = aligned(config, register_group_value(rdma, stage_registers[index].line_stride)),
        .surface_stride = aligned(config, register_group_value(rdma, stage_registers[index].surface_stride)),
    };
}

static size_t operand_atom(const struct sdp_layer *layer, const struct sdp_operands *operands) {
    return layer->atom * (size_t)operands->components * operands->component_bytes;
}

/* Surfaces of a cube whose CHANNEL register holds C - 1. */
static int surfaces_of(uint32_t channel, int atom) {
    return (int)channel / atom + 1;
}

/* Checks that what a stage takes from memory is what its DMA fetches. Sets valid and leftover. */
static void match_operands(struct sdp_layer *layer, int index) {
    const struct sdp_stage *stage = &layer->stage[index];
    const struct sdp_operands *operands = &layer->operands[index];
    bool alu = operands->enabled && operands->has_alu;
    bool mul = operands->enabled && operands->has_mul;
    if (!stage->alu_from_memory && !stage->mul_from_memory) {
        layer->leftover |= operands->enabled;
    } else if (stage->alu_from_memory != alu || stage->mul_from_memory != mul) {
        layer->valid = false;
    }
}

void sdp_layer_decode(struct sdp_layer *layer, const struct nvdla_config *config, const struct register_group *sdp,
                      const struct register_group *rdma) {
    uint32_t mode = register_group_value(sdp, SDP_D_FEATURE_MODE_CFG);
    uint32_t rdma_mode = register_group_value(rdma, SDP_RDMA_D_FEATURE_MODE_CFG);
    uint32_t ew = register_group_value(sdp, SDP_D_DP_EW_CFG);
    uint32_t width = register_group_value(sdp, SDP_D_DATA_CUBE_WIDTH);
    uint32_t height = register_group_value(sdp, SDP_D_DATA_CUBE_HEIGHT);
    uint32_t channel = register_group_value(sdp, SDP_D_DATA_CUBE_CHANNEL);
    uint32_t rdma_channel = register_group_value(rdma, SDP_RDMA_D_DATA_CUBE_CHANNEL);
    uint32_t perf = register_group_value(sdp, SDP_D_PERF_ENABLE);
    int atom = config->mem_atom;

    *layer = (struct sdp_layer){
        .flying = REGISTER_FIELD(mode, SDP_D_FEATURE_MODE_CFG__FLYING_MODE),
        .to_pdp = REGISTER_FIELD(mode, SDP_D_FEATURE_MODE_CFG__OUTPUT_DST),
        .compare = !REGISTER_FIELD(ew, SDP_D_DP_EW_CFG__EW_BYPASS) &&
                   !REGISTER_FIELD(ew, SDP_D_DP_EW_CFG__EW_ALU_BYPASS) &&
                   REGISTER_FIELD(ew, SDP_D_DP_EW_CFG__EW_ALU_ALGO) == SDP_EQUAL,
        .count_saturation = REGISTER_FIELD(perf, SDP_D_PERF_ENABLE__PERF_SAT_EN),
        .source_primary =
            REGISTER_FIELD(register_group_value(rdma, SDP_RDMA_D_SRC_DMA_CFG), SDP_RDMA_D_SRC_DMA_CFG__SRC_RAM_TYPE),
        .destination_primary =
            REGISTER_FIELD(register_group_value(sdp, SDP_D_DST_DMA_CFG), SDP_D_DST_DMA_CFG__DST_RAM_TYPE),
        .width = (int)width + 1,
        .height = (int)height + 1,
        .surfaces = surfaces_of(channel, atom),
        .atom = (size_t)atom,
        .source = address(config, rdma, SDP_RDMA_D_SRC_BASE_ADDR_LOW, SDP_RDMA_D_SRC_BASE_ADDR_HIGH),
        .source_line = aligned(config, register_group_value(rdma, SDP_RDMA_D_SRC_LINE_STRIDE)),
        .source_surface = aligned(config, register_group_value(rdma, SDP_RDMA_D_SRC_SURFACE_STRIDE)),
        .destination = address(config, sdp, SDP_D_DST_BASE_ADDR_LOW, SDP_D_DST_BASE_ADDR_HIGH),
        .destination_line = aligned(config, register_group_value(sdp, SDP_D_DST_LINE_STRIDE)),
        .destination_surface = aligned(config, register_group_value(sdp, SDP_D_DST_SURFACE_STRIDE)),
        .convertor = {.offset = (int32_t)register_group_value(sdp, SDP_D_CVT_OFFSET),
                      .scale = (int16_t)register_group_value(sdp, SDP_D_CVT_SCALE),
                      .shift = register_group_value(sdp, SDP_D_CVT_SHIFT)},
    };
    layer->uses_rdma = !layer->flying;
    for (int i = 0; i < SDP_STAGES; i++) {
        layer->stage[i] = decode_stage(sdp, i);
        layer->uses_rdma |= layer->stage[i].alu_from_memory || layer->stage[i].mul_from_memory;
    }
    layer->valid = true;
    if (layer->uses_rdma) {
        layer->valid = width == register_group_value(rdma, SDP_RDMA_D_DATA_CUBE_WIDTH) &&
                       height == register_group_value(rdma, SDP_RDMA_D_DATA_CUBE_HEIGHT) &&
                       layer->surfaces == surfaces_of(rdma_channel, atom) &&
                       layer->flying == (REGISTER_FIELD(rdma_mode, SDP_RDMA_D_FEATURE_MODE_CFG__FLYING_MODE) != 0);
        for (int i = 0; i < SDP_STAGES; i++) {
            layer->operands[i] = decode_operands(config, rdma, i);
            match_operands(layer, i);
        }
    }
    if (width == 0 && height == 0) { /* 1x1 cubes are packed, strides ignored: section 8.1 */
        layer->source_surface = layer->atom;
        layer->destination_surface = layer->atom;
        for (int i = 0; i < SDP_STAGES; i++) {
            layer->operands[i].per_element = false;
        }
    }
}

bool sdp_rdma_busy(const struct register_group *rdma) {
    uint32_t mode = register_group_value(rdma, SDP_RDMA_D_FEATURE_MODE_CFG);
    bool busy = !REGISTER_FIELD(mode, SDP_RDMA_D_FEATURE_MODE_CFG__FLYING_MODE);
    for (int i = 0; i < SDP_STAGES; i++) {
        uint32_t operands = register_group_value(rdma, stage_registers[i].rdma_config);
        busy |= !REGISTER_FIELD(operands, SDP_RDMA_D_BRDMA_CFG__BRDMA_DISABLE);
    }
    return busy;
}

uint64_t sdp_layer_atoms(const struct sdp_layer *layer) {
    return (uint64_t)layer->width * (uint64_t)layer->height * (uint64_t)layer->surfaces;
}

/* ---- execution ---- */

/* Operands of one stage, one per element of the line; NULL where the stage takes none. */
struct operand_line {
    int16_t *alu, *mul;
    uint8_t *bytes; /* as read: a line of operand atoms, or one */
};

struct sdp_run {
    struct sdp_layer layer;
    struct sdp_clients *clients;
    int surface, line; /* the next one */
    size_t elements;   /* of a line */
    int32_t *data;     /* the line inside the pipe */
    struct operand_line operands[SDP_STAGES];
    uint8_t *input; /* line as read, or as it is written */
    struct sdp_result result;
};

/* A 1x1xC cube is one contiguous run of atoms, in memory and in the operands: process it as one line. */
static void flatten(struct sdp_layer *layer) {
    layer->width = layer->surfaces;
    layer->surfaces = 1;
    for (int i = 0; i < SDP_STAGES; i++) {
        layer->operands[i].per_element = true;
    }
}

static void fill(int16_t *line, int16_t value, size_t count) {
    for (size_t i = 0; i < count; i++) {
        line[i] = value;
    }
}

/* Makes the operand lines of a stage; those that come from registers get their value for the whole layer. */
static bool operands_new(struct sdp_run *run, int index) {
    const struct sdp_stage *stage = &run->layer.stage[index];
    const struct sdp_operands *operands = &run->layer.operands[index];
    struct operand_line *line = &run->operands[index];
    if (!stage->bypass && !stage->alu_bypass) {
        line->alu = malloc(run->elements * sizeof *line->alu);
        if (!line->alu) {
            return false;
        }
        fill(line->alu, stage->alu_operand, run->elements);
    }
    if (!stage->bypass && !stage->mul_bypass) {
        line->mul = malloc(run->elements * sizeof *line->mul);
        if (!line->mul) {
            return false;
        }
        fill(line->mul, stage->mul_operand, run->elements);
    }
    if (operands->enabled) {
        size_t atoms = operands->per_element ? (size_t)run->layer.width : 1;
        line->bytes = malloc(atoms * operand_atom(&run->layer, operands));
        return line->bytes != NULL;
    }
    return true;
}

struct sdp_run *sdp_run_new(const struct sdp_layer *layer, struct sdp_clients *clients) {
    struct sdp_run *run = calloc(1, sizeof *run);
    if (!run) {
        return NULL;
    }
    run->layer = *layer;
    run->clients = clients;
    if (layer->width == 1 && layer->height == 1 && !layer->to_pdp) {
        flatten(&run->layer);
    }
    run->elements = (size_t)run->layer.width * run->layer.atom;
    run->data = malloc(run->elements * sizeof *run->data);
    run->input = malloc(run->elements);
    if (!run->data || !run->input || !operands_new(run, 0) || !operands_new(run, 1)) {
        sdp_run_free(run);
        return NULL;
    }
    return run;
}

void sdp_run_free(struct sdp_run *run) {
    if (!run) {
        return;
    }
    for (int i = 0; i < SDP_STAGES; i++) {
        free(run->operands[i].alu);
        free(run->operands[i].mul);
        free(run->operands[i].bytes);
    }
    free(run->data);
    free(run->input);
    free(run);
}

/* Takes component `index` of `count` elements out of operand bytes, sign-extended. */
static void unpack(const struct sdp_operands *operands, const uint8_t *bytes, int index, int16_t *out, size_t count) {
    size_t step = (size_t)operands->components * operands->component_bytes;
    const uint8_t *at = bytes + (size_t)index * operands->component_bytes;
    if (operands->component_bytes == 1) {
        for (size_t i = 0; i < count; i++) {
            out[i] = (int8_t)at[i * step];
        }
    } else {
        for (size_t i = 0; i < count; i++) {
            out[i] = (int16_t)(uint16_t)(at[i * step] | at[i * step + 1] << 8);
        }
    }
}

/* Repeats the first `atom` operands over the whole line. */
static void repeat(int16_t *line, size_t atom, size_t count) {
    for (size_t i = atom; i < count; i += atom) {
        memcpy(line + i, line, atom * sizeof *line);
    }
}

/* Fetches the operands of the current line: per element every line, per kernel on the first line of a surface. */
static void fetch_operands(struct sdp_run *run, int index) {
    const struct sdp_layer *layer = &run->layer;
    const struct sdp_operands *operands = &layer->operands[index];
    if (!operands->enabled || (!operands->per_element && run->line > 0)) {
        return;
    }
    struct operand_line *line = &run->operands[index];
    size_t bytes = operand_atom(layer, operands);
    uint64_t at = operands->base;
    if (operands->per_element) {
        at += (uint64_t)run->surface * operands->surface_stride + (uint64_t)run->line * operands->line_stride;
        bytes *= (size_t)layer->width;
    } else {
        at += (uint64_t)run->surface * bytes;
    }
    dma_read(&run->clients->operands[index], at, line->bytes, bytes / layer->atom);

    size_t count = operands->per_element ? run->elements : layer->atom;
    if (layer->stage[index].alu_from_memory) {
        unpack(operands, line->bytes, 0, line->alu, count);
        repeat(line->alu, count, run->elements);
    }
    if (layer->stage[index].mul_from_memory) {
        unpack(operands, line->bytes, operands->components - 1, line->mul, count);
        repeat(line->mul, count, run->elements);
    }
}

static bool any_set(const uint8_t *bytes, size_t count) {
    uint8_t seen = 0;
    for (size_t i = 0; i < count; i++) {
        seen |= bytes[i];
    }
    return seen != 0;
}

void sdp_run_line(struct sdp_run *run, uint8_t *out) {
    const struct sdp_layer *layer = &run->layer;
    if (layer->flying) {
        run->clients->results(run->clients->context, run->data, (size_t)layer->width);
    } else {
        uint64_t at =
            layer->source + (uint64_t)run->surface * layer->source_surface + (uint64_t)run->line * layer->source_line;
        dma_read(&run->clients->main, at, run->input, (size_t)layer->width);
        for (size_t i = 0; i < run->elements; i++) {
            run->data[i] = (int8_t)run->input[i];
        }
    }
    for (int i = 0; i < SDP_STAGES; i++) {
        fetch_operands(run, i);
        sdp_stage_apply(&layer->stage[i], run->data, run->operands[i].alu, run->operands[i].mul, run->elements);
    }
    if (layer->compare) {
        for (size_t i = 0; i < run->elements; i++) {
            out[i] = (uint8_t)run->data[i];
        }
    } else {
        run->result.saturated += sdp_convert(&layer->convertor, run->data, (int8_t *)out, run->elements);
    }
    run->result.unequal = run->result.unequal || any_set(out, run->elements);
    if (++run->line == layer->height) {
        run->line = 0;
        run->surface++;
    }
}

void sdp_run_to_memory(struct sdp_run *run) {
    const struct sdp_layer *layer = &run->layer;
    for (int surface = 0; surface < layer->surfaces; surface++) {
        for (int line = 0; line < layer->height; line++) {
            sdp_run_line(run, run->input);
            if (!layer->compare) {
                uint64_t at = layer->destination + (uint64_t)surface * layer->destination_surface +
                              (uint64_t)line * layer->destination_line;
                dma_write(&run->clients->output, at, run->input, (size_t)layer->width);
            }
        }
    }
    if (!layer->compare) {
        dma_flush(&run->clients->output);
    }
}

struct sdp_result sdp_run_result(const struct sdp_run *run) {
    return run->result;
}
