/* Registers of a convolution, from CACC to CDMA. Spec: 87-loadables section 6.1. */
#include "loadable/emit.h"
#include "loadable/loadable.h"

enum { WINOGRAD = 1 };

static uint32_t sizes(unsigned width, unsigned height) {
    return BITS(CACC_D_DATAOUT_SIZE_0__DATAOUT_WIDTH, width - 1) |
           BITS(CACC_D_DATAOUT_SIZE_0__DATAOUT_HEIGHT, height - 1);
}

static bool is_pixels(const struct conv_op *conv) {
    return conv->data_format < PIXEL_FEATURE;
}

static void emit_cacc(const struct emitter *emitter, const struct operation *op) {
    const struct conv_op *conv = &op->conv;
    const struct data_cube *dst = &op->dst;
    const bool point = dst->width == 1 && dst->height == 1;
    const uint32_t misc =
        BITS(CACC_D_MISC_CFG__CONV_MODE, conv->mode) | BITS(CACC_D_MISC_CFG__PROC_PRECISION, conv->out_precision);
    PUT(CACC, D_MISC_CFG, misc);
    PUT(CACC, D_DATAOUT_SIZE_0, sizes(dst->width, dst->height));
    FIELDS(CACC, D_DATAOUT_SIZE_1, DATAOUT_CHANNEL, dst->channel - 1);
    PUT(CACC, D_DATAOUT_ADDR, low_word(dst->address));
    FIELDS(CACC, D_BATCH_NUMBER, BATCHES, conv->batch - 1);
    PUT(CACC, D_LINE_STRIDE, dst->line_stride);
    PUT(CACC, D_SURF_STRIDE, dst->surface_stride);
    FIELDS(CACC, D_DATAOUT_MAP, LINE_PACKED, point, SURF_PACKED, point);
    FIELDS(CACC, D_CLIP_CFG, CLIP_TRUNCATE, conv->out_cvt.truncate);
    PUT(CMAC_A, D_MISC_CFG, misc);
    PUT(CMAC_B, D_MISC_CFG, misc);
}

/* D_MISC_CFG of CSC and CDMA. */
static uint32_t misc_cfg(const struct conv_op *conv, unsigned in_precision) {
    return BITS(CDMA_D_MISC_CFG__CONV_MODE, conv->mode) | BITS(CDMA_D_MISC_CFG__IN_PRECISION, in_precision) |
           BITS(CDMA_D_MISC_CFG__PROC_PRECISION, conv->out_precision) |
           BITS(CDMA_D_MISC_CFG__DATA_REUSE, conv->data_reuse) |
           BITS(CDMA_D_MISC_CFG__WEIGHT_REUSE, conv->weight_reuse) |
           BITS(CDMA_D_MISC_CFG__SKIP_DATA_RLS, conv->skip_data_rls) |
           BITS(CDMA_D_MISC_CFG__SKIP_WEIGHT_RLS, conv->skip_weight_rls);
}

static uint32_t bank(const struct conv_op *conv) {
    return BITS(CDMA_D_BANK__DATA_BANK, conv->data_bank - 1) | BITS(CDMA_D_BANK__WEIGHT_BANK, conv->weight_bank - 1);
}

static uint32_t strides(const struct conv_op *conv) {
    return BITS(CDMA_D_CONV_STRIDE__CONV_X_STRIDE, conv->stride_x - 1) |
           BITS(CDMA_D_CONV_STRIDE__CONV_Y_STRIDE, conv->stride_y - 1);
}

static void emit_csc(const struct emitter *emitter, const struct operation *op) {
    const struct conv_op *conv = &op->conv;
    const struct data_cube *dst = &op->dst;
    const bool winograd = conv->mode == WINOGRAD;
    PUT(CSC, D_MISC_CFG, misc_cfg(conv, conv->out_precision));
    FIELDS(CSC, D_DATAIN_FORMAT, DATAIN_FORMAT, is_pixels(conv));
    PUT(CSC, D_DATAIN_SIZE_EXT_0, sizes(conv->w_csc, conv->h_csc));
    FIELDS(CSC, D_DATAIN_SIZE_EXT_1, DATAIN_CHANNEL_EXT, conv->c_csc - 1);
    FIELDS(CSC, D_BATCH_NUMBER, BATCHES, conv->batch - 1);
    FIELDS(CSC, D_POST_Y_EXTENSION, Y_EXTENSION, conv->post_extension);
    FIELDS(CSC, D_ENTRY_PER_SLICE, ENTRIES, conv->entry_per_slice - 1);
    FIELDS(CSC, D_WEIGHT_FORMAT, WEIGHT_FORMAT, conv->weight_format);
    FIELDS(CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_WIDTH_EXT, conv->kw_csc - 1, WEIGHT_HEIGHT_EXT, conv->kh_csc - 1);
    FIELDS(CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_CHANNEL_EXT, conv->kc_csc - 1, WEIGHT_KERNEL, dst->channel - 1);
    PUT(CSC, D_WEIGHT_BYTES, conv->weight.size);
    FIELDS(CSC, D_WMB_BYTES, WMB_BYTES, conv->wmb.size);
    PUT(CSC, D_DATAOUT_SIZE_0, sizes(conv->w_cmac, conv->h_cmac));
    FIELDS(CSC, D_DATAOUT_SIZE_1, DATAOUT_CHANNEL, dst->channel - 1);
    FIELDS(CSC, D_ATOMICS, ATOMICS, dst->width * dst->height - 1);
    FIELDS(CSC, D_RELEASE, RLS_SLICES, conv->release - 1);
    PUT(CSC, D_CONV_STRIDE_EXT, winograd ? 0 : strides(conv));
    FIELDS(CSC, D_DILATION_EXT, X_DILATION_EXT, conv->dilation_x - 1, Y_DILATION_EXT, conv->dilation_y - 1);
    PUT(CSC, D_ZERO_PADDING,
        winograd
            ? 0
            : BITS(CSC_D_ZERO_PADDING__PAD_LEFT, conv->pad_left) | BITS(CSC_D_ZERO_PADDING__PAD_TOP, conv->pad_top));
    FIELDS(CSC, D_ZERO_PADDING_VALUE, PAD_VALUE, conv->pad_value);
    PUT(CSC, D_BANK, bank(conv));
    FIELDS(CSC, D_PRA_CFG, PRA_TRUNCATE, conv->pra_truncate);
}

static void emit_cdma_input(const struct emitter *emitter, const struct operation *op) {
    const struct conv_op *conv = &op->conv;
    const struct data_cube *src = &op->src;
    const uint64_t second = src->address + (uint64_t)conv->u_offset, atom = (uint64_t)emitter->config->mem_atom;
    PUT(CDMA, D_MISC_CFG, misc_cfg(conv, conv->in_precision));
    FIELDS(CDMA, D_DATAIN_FORMAT, DATAIN_FORMAT, is_pixels(conv), PIXEL_FORMAT, is_pixels(conv) ? conv->data_format : 0,
           PIXEL_MAPPING, conv->pixel_mapping, PIXEL_SIGN_OVERRIDE, conv->pixel_override);
    PUT(CDMA, D_DATAIN_SIZE_0, sizes(src->width, src->height));
    FIELDS(CDMA, D_DATAIN_SIZE_1, DATAIN_CHANNEL, src->channel - 1);
    PUT(CDMA, D_DATAIN_SIZE_EXT_0, sizes(conv->w_csc, conv->h_csc));
    FIELDS(CDMA, D_DAIN_RAM_TYPE, DATAIN_RAM_TYPE, ram_type(src));
    PUT(CDMA, D_DAIN_ADDR_HIGH_0, high_word(src->address));
    PUT(CDMA, D_DAIN_ADDR_LOW_0, low_word(src->address));
    PUT(CDMA, D_DAIN_ADDR_HIGH_1, high_word(second));
    PUT(CDMA, D_DAIN_ADDR_LOW_1, low_word(second));
    PUT(CDMA, D_LINE_STRIDE, src->line_stride);
    PUT(CDMA, D_SURF_STRIDE, src->surface_stride);
    PUT(CDMA, D_LINE_UV_STRIDE, conv->uv_line_stride);
    FIELDS(CDMA, D_DAIN_MAP, LINE_PACKED, src->line_stride == src->width * atom, SURF_PACKED,
           src->surface_stride == (uint64_t)src->width * src->height * atom);
    FIELDS(CDMA, D_BATCH_NUMBER, BATCHES, conv->batch - 1);
    PUT(CDMA, D_BATCH_STRIDE, conv->batch_stride);
    FIELDS(CDMA, D_ENTRY_PER_SLICE, ENTRIES, conv->entry_per_slice - 1);
    FIELDS(CDMA, D_FETCH_GRAIN, GRAINS, conv->fetch_grain - 1);
}

static void emit_cdma_weights(const struct emitter *emitter, const struct operation *op) {
    const struct conv_op *conv = &op->conv;
    FIELDS(CDMA, D_WEIGHT_FORMAT, WEIGHT_FORMAT, conv->weight_format);
    FIELDS(CDMA, D_WEIGHT_SIZE_0, BYTE_PER_KERNEL, conv->bytes_per_kernel - 1);
    FIELDS(CDMA, D_WEIGHT_SIZE_1, WEIGHT_KERNEL, op->dst.channel - 1);
    FIELDS(CDMA, D_WEIGHT_RAM_TYPE, WEIGHT_RAM_TYPE, ram_type(&conv->weight));
    PUT(CDMA, D_WEIGHT_ADDR_HIGH, high_word(conv->weight.address));
    PUT(CDMA, D_WEIGHT_ADDR_LOW, low_word(conv->weight.address));
    PUT(CDMA, D_WEIGHT_BYTES, conv->weight.size);
    if (!conv->weight_format)
        return;
    PUT(CDMA, D_WGS_ADDR_HIGH, high_word(conv->wgs.address));
    PUT(CDMA, D_WGS_ADDR_LOW, low_word(conv->wgs.address));
    PUT(CDMA, D_WMB_ADDR_HIGH, high_word(conv->wmb.address));
    PUT(CDMA, D_WMB_ADDR_LOW, low_word(conv->wmb.address));
    FIELDS(CDMA, D_WMB_BYTES, WMB_BYTES, conv->wmb.size);
}

static void emit_cdma_convertor(const struct emitter *emitter, const struct operation *op) {
    const struct conv_op *conv = &op->conv;
    const struct cvt_param *cvt = &conv->in_cvt;
    FIELDS(CDMA, D_MEAN_FORMAT, MEAN_FORMAT, conv->mean_format);
    if (conv->mean_format) {
        FIELDS(CDMA, D_MEAN_GLOBAL_0, MEAN_RY, conv->mean_ry, MEAN_GU, conv->mean_gu);
        FIELDS(CDMA, D_MEAN_GLOBAL_1, MEAN_BV, conv->mean_bv, MEAN_AX, conv->mean_ax);
    }
    PUT(CDMA, D_CVT_CFG,
        cvt->enable ? BITS(CDMA_D_CVT_CFG__CVT_EN, 1) | BITS(CDMA_D_CVT_CFG__CVT_TRUNCATE, cvt->truncate) : 0);
    if (cvt->enable) {
        FIELDS(CDMA, D_CVT_OFFSET, CVT_OFFSET, cvt->offset);
        FIELDS(CDMA, D_CVT_SCALE, CVT_SCALE, cvt->scale);
    }
    PUT(CDMA, D_CONV_STRIDE, strides(conv));
    FIELDS(CDMA, D_ZERO_PADDING, PAD_LEFT, conv->pad_left, PAD_RIGHT, conv->pad_right, PAD_TOP, conv->pad_top,
           PAD_BOTTOM, conv->pad_bottom);
    FIELDS(CDMA, D_ZERO_PADDING_VALUE, PAD_VALUE, conv->pad_value);
    PUT(CDMA, D_BANK, bank(conv));
}

void emit_conv(const struct emitter *emitter, const struct operation *op) {
    emit_cacc(emitter, op);
    emit_csc(emitter, op);
    emit_cdma_input(emitter, op);
    emit_cdma_weights(emitter, op);
    emit_cdma_convertor(emitter, op);
}
