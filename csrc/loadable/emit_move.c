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
    emit_size(emitter, NVDLA_PDP_RDMA, PDP_RDMA_D_DATA_CUBE_IN_WIDTH, src);
    PUT(PDP_RDMA, D_SRC_BASE_ADDR_HIGH, high_word(src->address));
    PUT(PDP_RDMA, D_SRC_BASE_ADDR_LOW, low_word(src->address));
    PUT(PDP_RDMA, D_SRC_LINE_STRIDE, src->line_stride);
    PUT(PDP_RDMA, D_SRC_SURFACE_STRIDE, src->surface_stride);
    FIELDS(PDP_RDMA, D_DATA_FORMAT, INPUT_DATA, pdp->precision);
    FIELDS(PDP_RDMA, D_SRC_RAM_CFG, SRC_RAM_TYPE, ram_type(src));
    FIELDS(PDP_RDMA, D_OPERATION_MODE_CFG, SPLIT_NUM, pdp->split - 1);
    FIELDS(PDP_RDMA, D_POOLING_KERNEL_CFG, KERNEL_WIDTH, pdp->pool_width, KERNEL_STRIDE_WIDTH, pdp->stride_x - 1);
    FIELDS(PDP_RDMA, D_POOLING_PADDING_CFG, PAD_WIDTH, pdp->pad_left);
    PUT(PDP_RDMA, D_PARTIAL_WIDTH_IN, partial_in(pdp));
}

static uint32_t reciprocal(const struct pdp_op *pdp, unsigned size_less_one) {
    static const uint32_t integer[8] = {0x10000, 0x8000, 0x5555, 0x4000, 0x3333, 0x2aaa, 0x2492, 0x2000};
    static const uint32_t fp16[8] = {0x7c00, 0x7800, 0x7555, 0x7400, 0x7266, 0x7155, 0x7092, 0x7000};
    return (pdp->precision == NVDLA_FP16 ? fp16 : integer)[size_less_one & 7];
}

static void emit_pdp_windows(const struct emitter *emitter, const struct operation *op) {
    const struct pdp_op *pdp = &op->pdp;
    const enum nvdla_unit unit = NVDLA_PDP;
    FIELDS(PDP, D_OPERATION_MODE_CFG, POOLING_METHOD, pdp->mode, FLYING_MODE, op->src.type != CUBE_ON_THE_FLY,
           SPLIT_NUM, pdp->split - 1);
    PUT(PDP, D_PARTIAL_WIDTH_IN, partial_in(pdp));
    FIELDS(PDP, D_PARTIAL_WIDTH_OUT, PARTIAL_WIDTH_OUT_FIRST, less_one(pdp->out_first), PARTIAL_WIDTH_OUT_LAST,
           less_one(pdp->out_last), PARTIAL_WIDTH_OUT_MID, less_one(pdp->out_mid));
    FIELDS(PDP, D_POOLING_KERNEL_CFG, KERNEL_WIDTH, pdp->pool_width, KERNEL_HEIGHT, pdp->pool_height,
           KERNEL_STRIDE_WIDTH, pdp->stride_x - 1, KERNEL_STRIDE_HEIGHT, pdp->stride_y - 1);
    PUT(PDP, D_RECIP_KERNEL_WIDTH, reciprocal(pdp, pdp->pool_width));
    PUT(PDP, D_RECIP_KERNEL_HEIGHT, reciprocal(pdp, pdp->pool_height));
    FIELDS(PDP, D_POOLING_PADDING_CFG, PAD_LEFT, pdp->pad_left, PAD_TOP, pdp->pad_top, PAD_RIGHT, pdp->pad_right,
           PAD_BOTTOM, pdp->pad_bottom);
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
        PUT(PDP, D_SRC_LINE_STRIDE, src->line_stride);
        PUT(PDP, D_SRC_SURFACE_STRIDE, src->surface_stride);
    }
    emit_cube(emitter, NVDLA_PDP, PDP_D_DST_BASE_ADDR_LOW, dst);
    FIELDS(PDP, D_DST_RAM_CFG, DST_RAM_TYPE, ram_type(dst));
    FIELDS(PDP, D_DATA_FORMAT, INPUT_DATA, op->pdp.precision);
}

static void emit_cdp_rdma(const struct emitter *emitter, const struct operation *op) {
    const struct data_cube *src = &op->src;
    emit_size(emitter, NVDLA_CDP_RDMA, CDP_RDMA_D_DATA_CUBE_WIDTH, src);
    emit_cube(emitter, NVDLA_CDP_RDMA, CDP_RDMA_D_SRC_BASE_ADDR_LOW, src);
    FIELDS(CDP_RDMA, D_SRC_DMA_CFG, SRC_RAM_TYPE, ram_type(src));
    FIELDS(CDP_RDMA, D_DATA_FORMAT, INPUT_DATA, op->cdp.in_precision);
}

void emit_cdp(const struct emitter *emitter, const struct operation *op) {
    const struct cdp_op *cdp = &op->cdp;
    const struct data_cube *dst = &op->dst;
    emit_cdp_rdma(emitter, op);
    if (cdp->lut >= 0)
        emit_table(emitter, NVDLA_CDP, &emitter->task->tables[cdp->lut], cdp->in_precision);
    emit_cube(emitter, NVDLA_CDP, CDP_D_DST_BASE_ADDR_LOW, dst);
    FIELDS(CDP, D_DST_DMA_CFG, DST_RAM_TYPE, ram_type(dst));
    FIELDS(CDP, D_DATA_FORMAT, INPUT_DATA_TYPE, cdp->in_precision);
    FIELDS(CDP, D_LRN_CFG, NORMALZ_LEN, (cdp->local_size - 1) / 2 - 1);
    FIELDS(CDP, D_DATIN_OFFSET, DATIN_OFFSET, cdp->in_cvt.offset);
    FIELDS(CDP, D_DATIN_SCALE, DATIN_SCALE, cdp->in_cvt.scale);
    FIELDS(CDP, D_DATIN_SHIFTER, DATIN_SHIFTER, cdp->in_cvt.truncate);
    FIELDS(CDP, D_DATOUT_OFFSET, DATOUT_OFFSET, cdp->out_cvt.offset);
    FIELDS(CDP, D_DATOUT_SCALE, DATOUT_SCALE, cdp->out_cvt.scale);
    FIELDS(CDP, D_DATOUT_SHIFTER, DATOUT_SHIFTER, cdp->out_cvt.truncate);
    FIELDS(CDP, D_FUNC_BYPASS, SQSUM_BYPASS, cdp->bypass_sqsum, MUL_BYPASS, cdp->bypass_mul);
}

void emit_rubik(const struct emitter *emitter, const struct operation *op) {
    enum { CONTRACT, SPLIT, MERGE };
    const struct rubik_op *rubik = &op->rubik;
    const struct data_cube *src = &op->src, *dst = &op->dst;
    const uint32_t bytes = (uint32_t)nvdla_element_bytes((enum nvdla_precision)rubik->precision);
    FIELDS(RBK, D_MISC_CFG, RUBIK_MODE, rubik->mode, IN_PRECISION, rubik->precision);
    FIELDS(RBK, D_DAIN_RAM_TYPE, DATAIN_RAM_TYPE, ram_type(src));
    FIELDS(RBK, D_DATAIN_SIZE_0, DATAIN_WIDTH, src->width - 1, DATAIN_HEIGHT, src->height - 1);
    FIELDS(RBK, D_DATAIN_SIZE_1, DATAIN_CHANNEL, src->channel - 1);
    PUT(RBK, D_DAIN_ADDR_LOW, low_word(src->address));
    PUT(RBK, D_DAIN_ADDR_HIGH, high_word(src->address));
    if (rubik->mode == MERGE)
        PUT(RBK, D_DAIN_PLANAR_STRIDE, src->plane_stride);
    else
        PUT(RBK, D_DAIN_SURF_STRIDE, src->surface_stride);
    PUT(RBK, D_DAIN_LINE_STRIDE, src->line_stride);
    FIELDS(RBK, D_DAOUT_RAM_TYPE, DATAOUT_RAM_TYPE, ram_type(dst));
    FIELDS(RBK, D_DATAOUT_SIZE_1, DATAOUT_CHANNEL, dst->channel - 1);
    PUT(RBK, D_DAOUT_ADDR_LOW, low_word(dst->address));
    PUT(RBK, D_DAOUT_ADDR_HIGH, high_word(dst->address));
    PUT(RBK, D_DAOUT_LINE_STRIDE, dst->line_stride);
    if (rubik->mode == SPLIT)
        PUT(RBK, D_DAOUT_PLANAR_STRIDE, dst->plane_stride);
    else
        PUT(RBK, D_DAOUT_SURF_STRIDE, dst->surface_stride);
    if (rubik->mode != CONTRACT)
        return;
    PUT(RBK, D_CONTRACT_STRIDE_0, (dst->channel * bytes + ATOM - 1) / ATOM * src->surface_stride);
    PUT(RBK, D_CONTRACT_STRIDE_1, rubik->stride_y * dst->line_stride);
    FIELDS(RBK, D_DECONV_STRIDE, DECONV_X_STRIDE, rubik->stride_x - 1, DECONV_Y_STRIDE, rubik->stride_y - 1);
}

void emit_bdma(const struct emitter *emitter, const struct operation *op) {
    const struct bdma_op *bdma = &op->bdma;
    for (unsigned i = 0; i < bdma->transfer_count; i++) {
        const struct bdma_transfer *transfer = &bdma->transfers[i];
        emit_poll(emitter, NVDLA_BDMA, BDMA_STATUS, BDMA_STATUS__FREE_SLOT_MASK, RELATION_GREATER_EQUAL, 1);
        PUT(BDMA, CFG_SRC_ADDR_LOW, low_word(transfer->source_address));
        PUT(BDMA, CFG_SRC_ADDR_HIGH, high_word(transfer->source_address));
        PUT(BDMA, CFG_DST_ADDR_LOW, low_word(transfer->destination_address));
        PUT(BDMA, CFG_DST_ADDR_HIGH, high_word(transfer->destination_address));
        FIELDS(BDMA, CFG_LINE, SIZE, transfer->line / ATOM - 1);
        FIELDS(BDMA, CFG_CMD, SRC_RAM_TYPE, bdma->source_type == CUBE_MEMORY, DST_RAM_TYPE,
               bdma->destination_type == CUBE_MEMORY);
        FIELDS(BDMA, CFG_LINE_REPEAT, NUMBER, transfer->line_repeat - 1);
        PUT(BDMA, CFG_SRC_LINE, transfer->source_line);
        PUT(BDMA, CFG_DST_LINE, transfer->destination_line);
        FIELDS(BDMA, CFG_SURF_REPEAT, NUMBER, transfer->surface_repeat - 1);
        PUT(BDMA, CFG_SRC_SURF, transfer->source_surface);
        PUT(BDMA, CFG_DST_SURF, transfer->destination_surface);
        FIELDS(BDMA, CFG_OP, EN, 1);
    }
}
