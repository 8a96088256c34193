/* Shared by all types of layers: accesses, pointers, arming, tables. See emit.h. */
#include "loadable/emit.h"

#include "nvdla/registers.h"

enum { PRECISION_FP16 = 2 };

void emit_write(const struct emitter *emitter, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    struct op op = op_make(OP_WRITE, 0);
    op.address = nvdla_unit_base(emitter->config, unit) + offset;
    op.value = value;
    program_append(emitter->prog, &op);
}

void emit_size(const struct emitter *emitter, enum nvdla_unit unit, uint32_t first, const struct data_cube *cube) {
    const unsigned sizes[] = {cube->width, cube->height, cube->channel};
    for (uint32_t i = 0; i < 3; i++)
        emit_write(emitter, unit, first + 4 * i, BITS(SDP_D_DATA_CUBE_WIDTH__WIDTH, sizes[i] - 1));
}

void emit_cube(const struct emitter *emitter, enum nvdla_unit unit, uint32_t first, const struct data_cube *cube) {
    emit_write(emitter, unit, first, low_word(cube->address));
    emit_write(emitter, unit, first + 4, high_word(cube->address));
    emit_write(emitter, unit, first + 8, cube->line_stride);
    emit_write(emitter, unit, first + 12, cube->surface_stride);
}

void emit_poll(const struct emitter *emitter, enum nvdla_unit unit, uint32_t offset, uint32_t mask,
               enum relation relation, uint32_t value) {
    struct op op = op_make(OP_POLL, 0);
    op.address = nvdla_unit_base(emitter->config, unit) + offset;
    op.mask = mask;
    op.relation = relation;
    op.value = value;
    program_append(emitter->prog, &op);
}

/* The read-modify-write of the mask, which is always 0 before and after. */
static void emit_mask(const struct emitter *emitter) {
    PUT(GLB, S_INTR_MASK, 0);
}

/* ---- pointers and arming ---- */

/* The units of each type in the order of the driver: from the end of the pipeline to its beginning. */
static const struct armed_unit {
    enum op_type type;
    bool is_rdma; /* with groups of its own, armed if the layer reads through it */
    enum nvdla_unit unit;
    uint32_t pointer, enable; /* offsets */
} armed_units[] = {
    {TYPE_CONV, false, NVDLA_CACC, CACC_S_POINTER, CACC_D_OP_ENABLE},
    {TYPE_CONV, false, NVDLA_CMAC_A, CMAC_A_S_POINTER, CMAC_A_D_OP_ENABLE},
    {TYPE_CONV, false, NVDLA_CMAC_B, CMAC_B_S_POINTER, CMAC_B_D_OP_ENABLE},
    {TYPE_CONV, false, NVDLA_CSC, CSC_S_POINTER, CSC_D_OP_ENABLE},
    {TYPE_CONV, false, NVDLA_CDMA, CDMA_S_POINTER, CDMA_D_OP_ENABLE},
    {TYPE_SDP, false, NVDLA_SDP, SDP_S_POINTER, SDP_D_OP_ENABLE},
    {TYPE_SDP, true, NVDLA_SDP_RDMA, SDP_RDMA_S_POINTER, SDP_RDMA_D_OP_ENABLE},
    {TYPE_PDP, false, NVDLA_PDP, PDP_S_POINTER, PDP_D_OP_ENABLE},
    {TYPE_PDP, true, NVDLA_PDP_RDMA, PDP_RDMA_S_POINTER, PDP_RDMA_D_OP_ENABLE},
    {TYPE_CDP, false, NVDLA_CDP, CDP_S_POINTER, CDP_D_OP_ENABLE},
    {TYPE_CDP, false, NVDLA_CDP_RDMA, CDP_RDMA_S_POINTER, CDP_RDMA_D_OP_ENABLE},
    {TYPE_RUBIK, false, NVDLA_RBK, RBK_S_POINTER, RBK_D_OP_ENABLE},
};
enum { ARMED_UNITS = sizeof armed_units / sizeof *armed_units };

static void emit_pointers(const struct emitter *emitter, const struct operation *op, struct layer_groups groups) {
    for (int i = 0; i < ARMED_UNITS; i++)
        if (armed_units[i].type == op->type)
            emit_write(emitter, armed_units[i].unit, armed_units[i].pointer,
                       armed_units[i].is_rdma ? groups.rdma : groups.group);
}

void emit_program(const struct emitter *emitter, const struct operation *op, struct layer_groups groups) {
    static void (*const emit[TYPE_COUNT])(const struct emitter *emitter, const struct operation *op) = {
        [TYPE_BDMA] = emit_bdma, [TYPE_CONV] = emit_conv, [TYPE_SDP] = emit_sdp,
        [TYPE_PDP] = emit_pdp,   [TYPE_CDP] = emit_cdp,   [TYPE_RUBIK] = emit_rubik};
    emit_pointers(emitter, op, groups);
    if (op->type != TYPE_CONV && op->type != TYPE_BDMA)
        emit_mask(emitter);
    emit[op->type](emitter, op);
    if (op->type == TYPE_BDMA)
        emit_mask(emitter);
}

void emit_arm(const struct emitter *emitter, const struct operation *op, struct layer_groups groups) {
    emit_pointers(emitter, op, groups);
    if (op->type == TYPE_BDMA)
        emit_write(emitter, NVDLA_BDMA, groups.group ? BDMA_CFG_LAUNCH1 : BDMA_CFG_LAUNCH0, 1);
    if (op->type == TYPE_CONV)
        emit_poll(emitter, NVDLA_CDMA, CDMA_S_CBUF_FLUSH_STATUS, 1, RELATION_EQUAL, 1);
    /* Convolutions are armed in that order, the others with their RDMA first. */
    for (int i = 0; i < ARMED_UNITS; i++) {
        const struct armed_unit *unit = &armed_units[op->type == TYPE_CONV ? i : ARMED_UNITS - 1 - i];
        if (unit->type == op->type && (!unit->is_rdma || operation_needs_rdma(op)))
            emit_write(emitter, unit->unit, unit->enable, 1);
    }
}

/* ---- tables ---- */

_Static_assert(SDP_S_LUT_ACCESS_CFG == CDP_S_LUT_ACCESS_CFG && SDP_S_LUT_INFO == CDP_S_LUT_INFO &&
                   SDP_S_LUT_LO_SLOPE_SHIFT == SDP_S_LUT_LE_START + 28 &&
                   CDP_S_LUT_LO_SLOPE_SHIFT == CDP_S_LUT_LE_START_LOW + 44,
               "the registers of tables have one order; each bound of CDP is followed by a high word");

enum { WRITE_LE = 0x20000, WRITE_LO = 0x30000 }; /* ACCESS_CFG: write, which table, from entry 0 on */

/* The slopes of a table's two ends: scale, and in the next register shift. */
static void emit_slopes(const struct emitter *emitter, enum nvdla_unit unit, uint32_t scale, bool fp16,
                        const struct lut_slope *under, const struct lut_slope *over) {
    const uint32_t low = fp16 ? under->fp16 : (uint16_t)under->scale, high = fp16 ? over->fp16 : (uint16_t)over->scale;
    emit_write(emitter, unit, scale, low | high << 16);
    if (!fp16)
        emit_write(emitter, unit, scale + 4, ((uint32_t)under->shift & 31) | ((uint32_t)over->shift & 31) << 5);
}

void emit_table(const struct emitter *emitter, enum nvdla_unit unit, const struct lut_param *lut, unsigned precision) {
    const uint64_t bounds[] = {lut->le_start, lut->le_end, lut->lo_start, lut->lo_end};
    const bool fp16 = precision == PRECISION_FP16;
    emit_write(emitter, unit, SDP_S_LUT_ACCESS_CFG, WRITE_LE);
    for (int i = 0; i < 65; i++)
        emit_write(emitter, unit, SDP_S_LUT_ACCESS_DATA, (uint32_t)lut->le[i]);
    emit_write(emitter, unit, SDP_S_LUT_ACCESS_CFG, WRITE_LO);
    for (int i = 0; i < 257; i++)
        emit_write(emitter, unit, SDP_S_LUT_ACCESS_DATA, (uint32_t)lut->lo[i]);
    emit_write(emitter, unit, SDP_S_LUT_CFG, lut->method | lut->underflow << 4 | lut->overflow << 5 | lut->hybrid << 6);
    const uint32_t le_offset = (uint8_t)lut->le_offset;
    emit_write(emitter, unit, SDP_S_LUT_INFO,
               (lut->method ? le_offset << 8 : le_offset) | (uint32_t)(uint8_t)lut->lo_select << 16);
    uint32_t at = SDP_S_LUT_LE_START;
    for (int i = 0; i < 4; i++, at += 4) {
        emit_write(emitter, unit, at, low_word(bounds[i]));
        if (unit == NVDLA_CDP)
            emit_write(emitter, unit, at += 4, high_word(bounds[i]));
    }
    emit_slopes(emitter, unit, at, fp16, &lut->le_underflow, &lut->le_overflow);
    emit_slopes(emitter, unit, at + 8, fp16, &lut->lo_underflow, &lut->lo_overflow);
}
