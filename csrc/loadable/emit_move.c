/* Registers of PDP, CDP, RUBIK and BDMA. Spec: 87-loadables sections 6.3 to 6.6, reciprocals 85-driver-sequences
 * section 5.3. */
#include "loadable/emit.h"

enum { ATOM = 32 /* of the configurations with RUBIK and BDMA */ };

/* n - 1 for a width that may be absent. */
static uint32_t less_one(unsigned n) {
    return n ? n - 1 : 0;
}

static uint32_t partial_in(const struct pdp_op *pdp) {
    return BITS(PDP_D_PARTIAL_WIDTH_IN__PARTIAL_WIDTH_IN_FIRST, less_one(pdp->in_first)) |
           BITS(PDP_D_PARTIAL_WIDTH_IN__PARTIAL_WIDTH_IN_LAST, less_one(pdp->in_last)) |
           BITS(PDP_D_PARTIAL_WIDTH_IN__PARTIAL_WIDTH_IN_MID, less_one(pdp->in_mid));
}

static void emit_pdp_rdma(const struct emitter *emitter, const struct operation *op) {
    const struct pdp_op *pdp = &op->pdp;
    const struct data_cube *src = &op->src;
    const enum nvdla_unit unit = NVDLA_PDP_RDMA;
    emit_size(emitter, unit, PDP_RDMA_D_DATA_CUBE_IN_WIDTH, src);
    emit_write(emitter, unit, PDP_RDMA_D_SRC_BASE_ADDR_HIGH, high_word(src->address));
    emit_write(emitter, unit, PDP_RDMA_D_SRC_BASE_ADDR_LOW, low_word(src->address));
    emit_write(emitter, unit, PDP_RDMA_D_SRC_LINE_STRIDE, src->line_stride);
    emit_write(emitter, unit, PDP_RDMA_D_SRC_SURFACE_STRIDE, src->surface_stride);
    EMIT_FIELD(emitter, unit, PDP_RDMA_D_DATA_FORMAT, INPUT_DATA, pdp->precision);
    EMIT_FIELD(emitter, unit, PDP_RDMA_D_SRC_RAM_CFG, SRC_RAM_TYPE, ram_type(src));
    EMIT_FIELD(emitter, unit, PDP_RDMA_D_OPERATION_MODE_CFG, SPLIT_NUM, pdp->split - 1);
    emit_write(emitter, unit, PDP_RDMA_D_POOLING_KERNEL_CFG,
               BITS(PDP_RDMA_D_POOLING_KERNEL_CFG__KERNEL_WIDTH, pdp->pool_width) |
                   BITS(PDP_RDMA_D_POOLING_KERNEL_CFG__KERNEL_STRIDE_WIDTH, pdp->stride_x - 1));
    EMIT_FIELD(emitter, unit, PDP_RDMA_D_POOLING_PADDING_CFG, PAD_WIDTH, pdp->pad_left);
    emit_write(emitter, unit, PDP_RDMA_D_PARTIAL_WIDTH_IN, partial_in(pdp));
}

static uint32_t reciprocal(const struct pdp_op *pdp, unsigned size_less_one) {
    static const uint32_t integer[8] = {0x10000, 0x8000, 0x5555, 0x4000, 0x3333, 0x2aaa, 0x2492, 0x2000};
    static const uint32_t fp16[8] = {0x7c00, 0x7800, 0x7555, 0x7400, 0x7266, 0x7155, 0x7092, 0x7000};
    return (pdp->precision == NVDLA_FP16 ? fp16 : integer)[size_less_one & 7];
}

static void emit_pdp_windows(const struct emitter *emitter, const struct operation *op) {
    const struct pdp_op *pdp = &op->pdp;
    const enum nvdla_unit unit = NVDLA_PDP;
    emit_write(emitter, unit, PDP_D_OPERATION_MODE_CFG,
               BITS(PDP_D_OPERATION_MODE_CFG__POOLING_METHOD, pdp->mode) |
                   BITS(PDP_D_OPERATION_MODE_CFG__FLYING_MODE, op->src.type != CUBE_ON_THE_FLY) |
                   BITS(PDP_D_OPERATION_MODE_CFG__SPLIT_NUM, pdp->split - 1));
    emit_write(emitter, unit, PDP_D_PARTIAL_WIDTH_IN, partial_in(pdp));
    emit_write(emitter, unit, PDP_D_PARTIAL_WIDTH_OUT,
               BITS(PDP_D_PARTIAL_WIDTH_OUT__PARTIAL_WIDTH_OUT_FIRST, less_one(pdp->out_first)) |
                   BITS(PDP_D_PARTIAL_WIDTH_OUT__PARTIAL_WIDTH_OUT_LAST, less_one(pdp->out_last)) |
                   BITS(PDP_D_PARTIAL_WIDTH_OUT__PARTIAL_WIDTH_OUT_MID, less_one(pdp->out_mid)));
    emit_write(emitter, unit, PDP_D_POOLING_KERNEL_CFG,
               BITS(PDP_D_POOLING_KERNEL_CFG__KERNEL_WIDTH, pdp->pool_width) |
                   BITS(PDP_D_POOLING_KERNEL_CFG__KERNEL_HEIGHT, pdp->pool_height) |
                   BITS(PDP_D_POOLING_KERNEL_CFG__KERNEL_STRIDE_WIDTH, pdp->stride_x - 1) |
                   BITS(PDP_D_POOLING_KERNEL_CFG__KERNEL_STRIDE_HEIGHT, pdp->stride_y - 1));
    emit_write(emitter, unit, PDP_D_RECIP_KERNEL_WIDTH, reciprocal(pdp, pdp->pool_width));
    emit_write(emitter, unit, PDP_D_RECIP_KERNEL_HEIGHT, reciprocal(pdp, pdp->pool_height));
    emit_write(emitter, unit, PDP_D_POOLING_PADDING_CFG,
               BITS(PDP_D_POOLING_PADDING_CFG__PAD_LEFT, pdp->pad_left) |
                   BITS(PDP_D_POOLING_PADDING_CFG__PAD_TOP, pdp->pad_top) |
                   BITS(PDP_D_POOLING_PADDING_CFG__PAD_RIGHT, pdp->pad_right) |
                   BITS(PDP_D_POOLING_PADDING_CFG__PAD_BOTTOM, pdp->pad_bottom));
    for (uint32_t i = 0; i < 7; i++)
        emit_write(emitter, unit, PDP_D_POOLING_PADDING_VALUE_1_CFG + 4 * i,
                   BITS(PDP_D_POOLING_PADDING_VALUE_1_CFG__PAD_VALUE_1X, pdp->padding_value[i]));
}

_Static_assert(PDP_D_POOLING_PADDING_VALUE_7_CFG == PDP_D_POOLING_PADDING_VALUE_1_CFG + 24,
               "padding values follow each other");

void emit_pdp(const struct emitter *emitter, const struct operation *op) {
    const struct data_cube *src = &op->src, *dst = &op->dst;
    const bool from_memory = src->type != CUBE_ON_THE_FLY;
    if (from_memory)
        emit_pdp_rdma(emitter, op);
    emit_size(emitter, NVDLA_PDP, PDP_D_DATA_CUBE_IN_WIDTH, src);
    emit_size(emitter, NVDLA_PDP, PDP_D_DATA_CUBE_OUT_WIDTH, dst);
    emit_pdp_windows(emitter, op);
    if (from_memory) {
        emit_write(emitter, NVDLA_PDP, PDP_D_SRC_LINE_STRIDE, src->line_stride);
        emit_write(emitter, NVDLA_PDP, PDP_D_SRC_SURFACE_STRIDE, src->surface_stride);
    }
    emit_cube(emitter, NVDLA_PDP, PDP_D_DST_BASE_ADDR_LOW, dst);
    EMIT_FIELD(emitter, NVDLA_PDP, PDP_D_DST_RAM_CFG, DST_RAM_TYPE, ram_type(dst));
    EMIT_FIELD(emitter, NVDLA_PDP, PDP_D_DATA_FORMAT, INPUT_DATA, op->pdp.precision);
}

static void emit_cdp_rdma(const struct emitter *emitter, const struct operation *op) {
    const struct data_cube *src = &op->src;
    const enum nvdla_unit unit = NVDLA_CDP_RDMA;
    emit_size(emitter, unit, CDP_RDMA_D_DATA_CUBE_WIDTH, src);
    emit_cube(emitter, unit, CDP_RDMA_D_SRC_BASE_ADDR_LOW, src);
    EMIT_FIELD(emitter, unit, CDP_RDMA_D_SRC_DMA_CFG, SRC_RAM_TYPE, ram_type(src));
    EMIT_FIELD(emitter, unit, CDP_RDMA_D_DATA_FORMAT, INPUT_DATA, op->cdp.in_precision);
}

void emit_cdp(const struct emitter *emitter, const struct dla_task *task, const struct operation *op) {
    const struct cdp_op *cdp = &op->cdp;
    const struct data_cube *dst = &op->dst;
    const enum nvdla_unit unit = NVDLA_CDP;
    emit_cdp_rdma(emitter, op);
    if (cdp->lut >= 0)
        emit_table(emitter, NVDLA_CDP, &task->tables[cdp->lut], cdp->in_precision);
    emit_cube(emitter, unit, CDP_D_DST_BASE_ADDR_LOW, dst);
    EMIT_FIELD(emitter, unit, CDP_D_DST_DMA_CFG, DST_RAM_TYPE, ram_type(dst));
    EMIT_FIELD(emitter, unit, CDP_D_DATA_FORMAT, INPUT_DATA_TYPE, cdp->in_precision);
    EMIT_FIELD(emitter, unit, CDP_D_LRN_CFG, NORMALZ_LEN, (cdp->local_size - 1) / 2 - 1);
    EMIT_FIELD(emitter, unit, CDP_D_DATIN_OFFSET, DATIN_OFFSET, cdp->in_cvt.offset);
    EMIT_FIELD(emitter, unit, CDP_D_DATIN_SCALE, DATIN_SCALE, cdp->in_cvt.scale);
    EMIT_FIELD(emitter, unit, CDP_D_DATIN_SHIFTER, DATIN_SHIFTER, cdp->in_cvt.truncate);
    EMIT_FIELD(emitter, unit, CDP_D_DATOUT_OFFSET, DATOUT_OFFSET, cdp->out_cvt.offset);
    EMIT_FIELD(emitter, unit, CDP_D_DATOUT_SCALE, DATOUT_SCALE, cdp->out_cvt.scale);
    EMIT_FIELD(emitter, unit, CDP_D_DATOUT_SHIFTER, DATOUT_SHIFTER, cdp->out_cvt.truncate);
    emit_write(emitter, unit, CDP_D_FUNC_BYPASS,
               BITS(CDP_D_FUNC_BYPASS__SQSUM_BYPASS, cdp->bypass_sqsum) |
                   BITS(CDP_D_FUNC_BYPASS__MUL_BYPASS, cdp->bypass_mul));
}

void emit_rubik(const struct emitter *emitter, const struct operation *op) {
    enum { CONTRACT, SPLIT, MERGE };
    const struct rubik_op *rubik = &op->rubik;
    const struct data_cube *src = &op->src, *dst = &op->dst;
    const enum nvdla_unit unit = NVDLA_RBK;
    const uint32_t bytes = (uint32_t)nvdla_element_bytes((enum nvdla_precision)rubik->precision);
    emit_write(emitter, unit, RBK_D_MISC_CFG,
               BITS(RBK_D_MISC_CFG__RUBIK_MODE, rubik->mode) | BITS(RBK_D_MISC_CFG__IN_PRECISION, rubik->precision));
    EMIT_FIELD(emitter, unit, RBK_D_DAIN_RAM_TYPE, DATAIN_RAM_TYPE, ram_type(src));
    emit_write(emitter, unit, RBK_D_DATAIN_SIZE_0,
               BITS(RBK_D_DATAIN_SIZE_0__DATAIN_WIDTH, src->width - 1) |
                   BITS(RBK_D_DATAIN_SIZE_0__DATAIN_HEIGHT, src->height - 1));
    EMIT_FIELD(emitter, unit, RBK_D_DATAIN_SIZE_1, DATAIN_CHANNEL, src->channel - 1);
    emit_write(emitter, unit, RBK_D_DAIN_ADDR_LOW, low_word(src->address));
    emit_write(emitter, unit, RBK_D_DAIN_ADDR_HIGH, high_word(src->address));
    if (rubik->mode == MERGE)
        emit_write(emitter, unit, RBK_D_DAIN_PLANAR_STRIDE, src->plane_stride);
    else
        emit_write(emitter, unit, RBK_D_DAIN_SURF_STRIDE, src->surface_stride);
    emit_write(emitter, unit, RBK_D_DAIN_LINE_STRIDE, src->line_stride);
    EMIT_FIELD(emitter, unit, RBK_D_DAOUT_RAM_TYPE, DATAOUT_RAM_TYPE, ram_type(dst));
    EMIT_FIELD(emitter, unit, RBK_D_DATAOUT_SIZE_1, DATAOUT_CHANNEL, dst->channel - 1);
    emit_write(emitter, unit, RBK_D_DAOUT_ADDR_LOW, low_word(dst->address));
    emit_write(emitter, unit, RBK_D_DAOUT_ADDR_HIGH, high_word(dst->address));
    emit_write(emitter, unit, RBK_D_DAOUT_LINE_STRIDE, dst->line_stride);
    if (rubik->mode == SPLIT)
        emit_write(emitter, unit, RBK_D_DAOUT_PLANAR_STRIDE, dst->plane_stride);
    else
        emit_write(emitter, unit, RBK_D_DAOUT_SURF_STRIDE, dst->surface_stride);
    if (rubik->mode != CONTRACT)
        return;
    emit_write(emitter, unit, RBK_D_CONTRACT_STRIDE_0, (dst->channel * bytes + ATOM - 1) / ATOM * src->surface_stride);
    emit_write(emitter, unit, RBK_D_CONTRACT_STRIDE_1, rubik->stride_y * dst->line_stride);
    emit_write(emitter, unit, RBK_D_DECONV_STRIDE,
               BITS(RBK_D_DECONV_STRIDE__DECONV_X_STRIDE, rubik->stride_x - 1) |
                   BITS(RBK_D_DECONV_STRIDE__DECONV_Y_STRIDE, rubik->stride_y - 1));
}

void emit_bdma(const struct emitter *emitter, const struct operation *op) {
    const struct bdma_op *bdma = &op->bdma;
    const enum nvdla_unit unit = NVDLA_BDMA;
    for (unsigned i = 0; i < bdma->transfer_count; i++) {
        const struct bdma_transfer *transfer = &bdma->transfers[i];
        emit_poll(emitter, unit, BDMA_STATUS, BDMA_STATUS__FREE_SLOT_MASK, RELATION_GREATER_EQUAL, 1);
        emit_write(emitter, unit, BDMA_CFG_SRC_ADDR_LOW, low_word(transfer->source_address));
        emit_write(emitter, unit, BDMA_CFG_SRC_ADDR_HIGH, high_word(transfer->source_address));
        emit_write(emitter, unit, BDMA_CFG_DST_ADDR_LOW, low_word(transfer->destination_address));
        emit_write(emitter, unit, BDMA_CFG_DST_ADDR_HIGH, high_word(transfer->destination_address));
        EMIT_FIELD(emitter, unit, BDMA_CFG_LINE, SIZE, transfer->line / ATOM - 1);
        emit_write(emitter, unit, BDMA_CFG_CMD,
                   BITS(BDMA_CFG_CMD__SRC_RAM_TYPE, bdma->source_type == CUBE_MEMORY) |
                       BITS(BDMA_CFG_CMD__DST_RAM_TYPE, bdma->destination_type == CUBE_MEMORY));
        EMIT_FIELD(emitter, unit, BDMA_CFG_LINE_REPEAT, NUMBER, transfer->line_repeat - 1);
        emit_write(emitter, unit, BDMA_CFG_SRC_LINE, transfer->source_line);
        emit_write(emitter, unit, BDMA_CFG_DST_LINE, transfer->destination_line);
        EMIT_FIELD(emitter, unit, BDMA_CFG_SURF_REPEAT, NUMBER, transfer->surface_repeat - 1);
        emit_write(emitter, unit, BDMA_CFG_SRC_SURF, transfer->source_surface);
        emit_write(emitter, unit, BDMA_CFG_DST_SURF, transfer->destination_surface);
        EMIT_FIELD(emitter, unit, BDMA_CFG_OP, EN, 1);
    }
}
