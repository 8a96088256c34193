/* Registers of SDP and SDP_RDMA. Spec: 87-loadables section 6.2. */
#include "loadable/emit.h"

/* Registers of the units x1, x2 and y: BS, BN and EW have the same fields at the same places. */
struct unit_registers {
    uint32_t rdma_cfg, base_low; /* of SDP_RDMA */
    uint32_t cfg, alu_cfg, alu_value, mul_cfg, mul_value;
};

static const struct unit_registers units[SDP_UNITS] = {
    [SDP_X1] = {SDP_RDMA_D_BRDMA_CFG, SDP_RDMA_D_BS_BASE_ADDR_LOW, SDP_D_DP_BS_CFG, SDP_D_DP_BS_ALU_CFG,
                SDP_D_DP_BS_ALU_SRC_VALUE, SDP_D_DP_BS_MUL_CFG, SDP_D_DP_BS_MUL_SRC_VALUE},
    [SDP_X2] = {SDP_RDMA_D_NRDMA_CFG, SDP_RDMA_D_BN_BASE_ADDR_LOW, SDP_D_DP_BN_CFG, SDP_D_DP_BN_ALU_CFG,
                SDP_D_DP_BN_ALU_SRC_VALUE, SDP_D_DP_BN_MUL_CFG, SDP_D_DP_BN_MUL_SRC_VALUE},
    [SDP_Y] = {SDP_RDMA_D_ERDMA_CFG, SDP_RDMA_D_EW_BASE_ADDR_LOW, SDP_D_DP_EW_CFG, SDP_D_DP_EW_ALU_CFG,
               SDP_D_DP_EW_ALU_SRC_VALUE, SDP_D_DP_EW_MUL_CFG, SDP_D_DP_EW_MUL_SRC_VALUE},
};

enum { TYPE_MUL = 1, TYPE_ADD = 2, TYPE_BOTH = 3, ACT_RELU = 1, ACT_TABLE = 2, ACT_PRELU = 3, PER_KERNEL = 1 };

static bool adds(const struct sdp_unit *unit) {
    return unit->type == TYPE_ADD || unit->type == TYPE_BOTH;
}

static bool multiplies(const struct sdp_unit *unit) {
    return unit->type == TYPE_MUL || unit->type == TYPE_BOTH;
}

static unsigned proc_precision(const struct sdp_op *sdp) {
    if (sdp->src_precision == NVDLA_FP16)
        return NVDLA_FP16;
    return sdp->src_precision == NVDLA_INT16 && sdp->dst_precision != NVDLA_INT8 ? NVDLA_INT16 : NVDLA_INT8;
}

static unsigned batches(const struct sdp_op *sdp) {
    return sdp->batch - 1;
}

/* ---- SDP_RDMA ---- */

static void emit_operands(const struct emitter *emitter, int index, const struct sdp_unit *unit) {
    static const uint8_t uses[] = {[0] = 0, [TYPE_MUL] = 0, [TYPE_ADD] = 1, [TYPE_BOTH] = 2};
    const struct unit_registers *regs = &units[index];
    const bool on = sdp_unit_reads(unit);
    emit_write(emitter, NVDLA_SDP_RDMA, regs->rdma_cfg,
               BITS(SDP_RDMA_D_BRDMA_CFG__BRDMA_DISABLE, !on) |
                   BITS(SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_USE, uses[unit->type & 3]) |
                   BITS(SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_SIZE, unit->precision != NVDLA_INT8) |
                   BITS(SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_MODE, unit->mode != PER_KERNEL) |
                   BITS(SDP_RDMA_D_BRDMA_CFG__BRDMA_RAM_TYPE, ram_type(&unit->cube)));
    if (!on)
        return;
    emit_cube(emitter, NVDLA_SDP_RDMA, regs->base_low, &unit->cube);
}

static void emit_sdp_rdma(const struct emitter *emitter, const struct operation *op) {
    const struct sdp_op *sdp = &op->sdp;
    const struct data_cube *src = &op->src;
    const bool flying = src->type == CUBE_ON_THE_FLY;
    PUT(SDP_RDMA, D_FEATURE_MODE_CFG, 0);
    for (int i = 0; i < SDP_UNITS; i++)
        emit_write(emitter, NVDLA_SDP_RDMA, units[i].rdma_cfg, 0);
    FIELDS(SDP_RDMA, D_FEATURE_MODE_CFG, FLYING_MODE, flying, WINOGRAD, sdp->mode, IN_PRECISION, sdp->src_precision,
           PROC_PRECISION, proc_precision(sdp), OUT_PRECISION, sdp->dst_precision, BATCH_NUMBER, batches(sdp));
    if (!operation_needs_rdma(op))
        return;
    emit_size(emitter, NVDLA_SDP_RDMA, SDP_RDMA_D_DATA_CUBE_WIDTH, src);
    if (!flying) {
        emit_cube(emitter, NVDLA_SDP_RDMA, SDP_RDMA_D_SRC_BASE_ADDR_LOW, src);
        FIELDS(SDP_RDMA, D_SRC_DMA_CFG, SRC_RAM_TYPE, ram_type(src));
    }
    for (int i = 0; i < SDP_UNITS; i++)
        emit_operands(emitter, i, &sdp->units[i]);
}

/* ---- the stages ---- */

/* D_DP_BS_CFG, D_DP_BN_CFG; in EW bit 6 bypasses the table, not ReLU. */
static uint32_t stage_cfg(const struct sdp_unit *unit, unsigned act) {
    return BITS(SDP_D_DP_BS_CFG__BS_BYPASS, !unit->enable) | BITS(SDP_D_DP_BS_CFG__BS_ALU_BYPASS, !adds(unit)) |
           BITS(SDP_D_DP_BS_CFG__BS_ALU_ALGO, unit->alu_type) |
           BITS(SDP_D_DP_BS_CFG__BS_MUL_BYPASS, !multiplies(unit)) |
           BITS(SDP_D_DP_BS_CFG__BS_MUL_PRELU, unit->act == ACT_PRELU) |
           BITS(SDP_D_DP_BS_CFG__BS_RELU_BYPASS, unit->act != act);
}

static void emit_stage(const struct emitter *emitter, const struct unit_registers *regs, const struct sdp_unit *unit) {
    emit_write(emitter, NVDLA_SDP, regs->cfg, stage_cfg(unit, ACT_RELU));
    if (!unit->enable)
        return;
    if (adds(unit))
        emit_write(emitter, NVDLA_SDP, regs->alu_cfg,
                   BITS(SDP_D_DP_BS_ALU_CFG__BS_ALU_SRC, unit->mode != 0) |
                       BITS(SDP_D_DP_BS_ALU_CFG__BS_ALU_SHIFT_VALUE, unit->shift));
    if (unit->mode == 0) {
        emit_write(emitter, NVDLA_SDP, regs->alu_value,
                   BITS(SDP_D_DP_BS_ALU_SRC_VALUE__BS_ALU_OPERAND, unit->alu_operand));
        emit_write(emitter, NVDLA_SDP, regs->mul_value,
                   BITS(SDP_D_DP_BS_MUL_SRC_VALUE__BS_MUL_OPERAND, unit->mul_operand));
    }
    emit_write(emitter, NVDLA_SDP, regs->mul_cfg,
               BITS(SDP_D_DP_BS_MUL_CFG__BS_MUL_SRC, unit->mode != 0) |
                   BITS(SDP_D_DP_BS_MUL_CFG__BS_MUL_SHIFT_VALUE, unit->truncate));
}

/* One operand of EW: from a register, or through its convertor. offset: of the register that precedes the convertor's
 * scale and truncation. */
static void emit_ew_operand(const struct emitter *emitter, uint32_t cfg, uint32_t value, uint32_t offset,
                            bool from_memory, int32_t operand, const struct cvt_param *cvt) {
    emit_write(emitter, NVDLA_SDP, cfg,
               BITS(SDP_D_DP_EW_ALU_CFG__EW_ALU_SRC, from_memory) |
                   BITS(SDP_D_DP_EW_ALU_CFG__EW_ALU_CVT_BYPASS, !cvt->enable));
    if (!from_memory) {
        emit_write(emitter, NVDLA_SDP, value, BITS(SDP_D_DP_EW_ALU_SRC_VALUE__EW_ALU_OPERAND, operand));
        return;
    }
    emit_write(emitter, NVDLA_SDP, offset, BITS(SDP_D_DP_EW_ALU_CVT_OFFSET_VALUE__EW_ALU_CVT_OFFSET, cvt->offset));
    emit_write(emitter, NVDLA_SDP, offset + 4, BITS(SDP_D_DP_EW_ALU_CVT_SCALE_VALUE__EW_ALU_CVT_SCALE, cvt->scale));
    emit_write(emitter, NVDLA_SDP, offset + 8,
               BITS(SDP_D_DP_EW_ALU_CVT_TRUNCATE_VALUE__EW_ALU_CVT_TRUNCATE, cvt->truncate));
}

_Static_assert(SDP_D_DP_EW_ALU_CVT_TRUNCATE_VALUE == SDP_D_DP_EW_ALU_CVT_OFFSET_VALUE + 8 &&
                   SDP_D_DP_EW_MUL_CVT_TRUNCATE_VALUE == SDP_D_DP_EW_MUL_CVT_OFFSET_VALUE + 8,
               "the values of a convertor follow each other");

static void emit_ew(const struct emitter *emitter, const struct sdp_unit *unit) {
    PUT(SDP, D_DP_EW_CFG, stage_cfg(unit, ACT_TABLE));
    if (!unit->enable)
        return;
    if (adds(unit))
        emit_ew_operand(emitter, SDP_D_DP_EW_ALU_CFG, SDP_D_DP_EW_ALU_SRC_VALUE, SDP_D_DP_EW_ALU_CVT_OFFSET_VALUE,
                        unit->mode != 0, unit->alu_operand, &unit->alu_cvt);
    if (multiplies(unit))
        emit_ew_operand(emitter, SDP_D_DP_EW_MUL_CFG, SDP_D_DP_EW_MUL_SRC_VALUE, SDP_D_DP_EW_MUL_CVT_OFFSET_VALUE,
                        unit->mode != 0, unit->mul_operand, &unit->mul_cvt);
    FIELDS(SDP, D_DP_EW_TRUNCATE_VALUE, EW_TRUNCATE, unit->truncate);
}

void emit_sdp(const struct emitter *emitter, const struct operation *op) {
    const struct sdp_op *sdp = &op->sdp;
    const struct data_cube *src = &op->src, *dst = &op->dst;
    const bool to_memory = dst->type != CUBE_ON_THE_FLY;
    emit_sdp_rdma(emitter, op);
    if (sdp->lut >= 0)
        emit_table(emitter, NVDLA_SDP, &emitter->task->tables[sdp->lut], sdp->src_precision);
    emit_size(emitter, NVDLA_SDP, SDP_D_DATA_CUBE_WIDTH, src);
    if (to_memory) {
        PUT(SDP, D_DST_BASE_ADDR_HIGH, high_word(dst->address));
        PUT(SDP, D_DST_BASE_ADDR_LOW, low_word(dst->address));
        PUT(SDP, D_DST_LINE_STRIDE, dst->line_stride);
        PUT(SDP, D_DST_SURFACE_STRIDE, dst->surface_stride);
    }
    emit_stage(emitter, &units[SDP_X1], &sdp->units[SDP_X1]);
    emit_stage(emitter, &units[SDP_X2], &sdp->units[SDP_X2]);
    emit_ew(emitter, &sdp->units[SDP_Y]);
    FIELDS(SDP, D_FEATURE_MODE_CFG, FLYING_MODE, src->type == CUBE_ON_THE_FLY, OUTPUT_DST, !to_memory, WINOGRAD,
           sdp->mode, BATCH_NUMBER, batches(sdp));
    FIELDS(SDP, D_DST_DMA_CFG, DST_RAM_TYPE, ram_type(dst));
    if (sdp->batch > 1)
        PUT(SDP, D_DST_BATCH_STRIDE, sdp->batch_stride);
    FIELDS(SDP, D_DATA_FORMAT, PROC_PRECISION, proc_precision(sdp), OUT_PRECISION, sdp->dst_precision);
    FIELDS(SDP, D_CVT_OFFSET, CVT_OFFSET, sdp->out_cvt.offset);
    FIELDS(SDP, D_CVT_SCALE, CVT_SCALE, sdp->out_cvt.scale);
    FIELDS(SDP, D_CVT_SHIFT, CVT_SHIFT, sdp->out_cvt.truncate);
}
