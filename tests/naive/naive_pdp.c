/* PDP as mathematics: every output element from its window (chapter 60). */
#include "naive.h"
#include "naive_fp.h"

enum { AVERAGE, MAX, MIN };

struct pdp {
    enum nvdla_precision precision;
    int method, height, surfaces, lanes;
    int kernel_w, kernel_h, stride_w, stride_h, pad_left, pad_top, pad_right, pad_bottom;
    uint32_t recip_w, recip_h, pad_value[8];
    bool nan_to_zero;
    bool configurable; /* the generation of small: its own rule for totals of INT8 averages */
    int out_height;
    unsigned seen; /* bits of enum naive_average */
};

/* The input of one strip: column x, row y of a lane is v[(y * width + x) * lanes + lane]. */
struct strip {
    int width, out_width, out_start, pad_left;
    int32_t *v;
};

/* Chapter 60 section 5.3. */
static int64_t round_product(wide product, int bits) {
    const wide q = product >> 16;
    const uint32_t fraction = (uint32_t)(product & 0xffff);
    if (product < 0)
        return naive_sign_extend((uint64_t)(q + (fraction > 0x8000)), bits);
    return naive_sign_extend((uint64_t)(q & (((wide)1 << (bits - 1)) - 1)) + (fraction >> 15), bits);
}

/* The two-operand function of chapter 60 section 5.2. */
static int32_t extreme_fp16(int method, int32_t d0, int32_t d1) {
    if (naive_fp16_is_nan((uint32_t)d0))
        return d0;
    if (naive_fp16_is_nan((uint32_t)d1))
        return d1;
    const int32_t a = d0 & 0x8000 ? -1 - (d0 & 0x7fff) : d0, b = d1 & 0x8000 ? -1 - (d1 & 0x7fff) : d1;
    return (method == MAX ? a >= b : a <= b) ? d0 : d1;
}

static int32_t extreme(const struct pdp *pdp, int32_t d0, int32_t d1) {
    if (pdp->precision == NVDLA_FP16)
        return extreme_fp16(pdp->method, d0, d1);
    return (pdp->method == MAX ? d0 > d1 : d0 < d1) ? d0 : d1;
}

struct window {
    int x0, x1, y0, y1; /* valid columns and rows, ends exclusive */
};

static int32_t pool_extreme(const struct pdp *pdp, const struct strip *strip, const struct window *w, int lane) {
    int32_t total = 0;
    for (int y = w->y0; y < w->y1; y++) {
        int32_t row = 0;
        for (int x = w->x0; x < w->x1; x++) {
            const int32_t v = strip->v[(y * strip->width + x) * pdp->lanes + lane];
            row = x == w->x0 ? v : extreme(pdp, row, v);
        }
        total = y == w->y0 ? row : extreme(pdp, row, total);
    }
    return total;
}

static void see(struct pdp *pdp, enum naive_average kind, bool happens) {
    pdp->seen |= (unsigned)happens << kind;
}

/* INT8: a rounded product that does not fit. */
static bool rounds_beyond(int64_t product, int bits) {
    const int64_t magnitude = product < 0 ? -product : product, rounded = (magnitude + 0x8000) >> 16;
    return (product < 0 ? -rounded : rounded) != round_product(product, bits);
}

static int32_t pool_average(struct pdp *pdp, const struct strip *strip, const struct window *w, int lane) {
    const bool byte = pdp->precision == NVDLA_INT8;
    const int row_bits = byte ? 11 : 22, total_bits = byte ? 14 : 22;
    const int nx = pdp->kernel_w - (w->x1 - w->x0), ny = pdp->kernel_h - (w->y1 - w->y0);
    int64_t total = 0;
    for (int y = w->y0; y < w->y1; y++) {
        int64_t row = naive_sign_extend(pdp->pad_value[nx], 19);
        for (int x = w->x0; x < w->x1; x++)
            row += strip->v[(y * strip->width + x) * pdp->lanes + lane];
        see(pdp, NAIVE_ROW_WRAPS, row != naive_sign_extend((uint64_t)row, row_bits));
        total += naive_sign_extend((uint64_t)row, row_bits);
    }
    const int64_t pad = naive_sign_extend((uint64_t)(naive_sign_extend(pdp->pad_value[ny], 19) * pdp->kernel_w), 22);
    int64_t product;
    if (byte && pdp->configurable) {
        total = naive_sign_extend((uint64_t)total, 14) + naive_sign_extend((uint64_t)pad, 14);
        product = naive_sign_extend((uint64_t)(total * pdp->recip_w), 31);
        see(pdp, NAIVE_PRODUCT_WRAPS, product != total * pdp->recip_w);
    } else {
        total += pad;
        product = naive_sign_extend((uint64_t)total, total_bits) * pdp->recip_w;
    }
    see(pdp, NAIVE_PAD_WRAPS, pad != naive_sign_extend((uint64_t)pad, 14));
    see(pdp, NAIVE_TOTAL_PASSES, total != naive_sign_extend((uint64_t)total, 14));
    const int64_t a = round_product(product, byte ? 11 : 19);
    see(pdp, NAIVE_FIRST_WRAPS, rounds_beyond(product, 11));
    see(pdp, NAIVE_RESULT_WRAPS, rounds_beyond(a * pdp->recip_h, 8));
    return (int32_t)round_product((wide)a * pdp->recip_h, byte ? 8 : 16);
}

static int32_t pool_average_fp16(const struct pdp *pdp, const struct strip *strip, const struct window *w, int lane) {
    static const uint32_t widths[9] = {0, 0x07C00, 0x08000, 0x08200, 0x08400, 0x08500, 0x08600, 0x08700, 0x08800};
    const struct naive_format *f = &naive_fp17;
    const int nx = pdp->kernel_w - (w->x1 - w->x0), ny = pdp->kernel_h - (w->y1 - w->y0);
    uint32_t total = 0;
    for (int y = w->y0; y < w->y1; y++) {
        uint32_t row = 0;
        for (int x = w->x0; x < w->x1; x++) {
            const uint32_t v = naive_from_fp16(f, (uint32_t)strip->v[(y * strip->width + x) * pdp->lanes + lane]);
            row = x == w->x0 ? v : naive_add(f, row, v);
        }
        row = naive_add(f, row, pdp->pad_value[nx] & 0x1ffff);
        total = y == w->y0 ? row : naive_add(f, row, total);
    }
    total = naive_add(f, total, naive_mul(f, pdp->pad_value[ny] & 0x1ffff, widths[pdp->kernel_w]));
    return (int32_t)naive_fp17_to_fp16(naive_mul(f, naive_mul(f, total, pdp->recip_w), pdp->recip_h));
}

/* Pools one strip of one surface into atoms at address + row * stride + column * atom. */
static bool pool(struct naive *m, struct pdp *pdp, const struct strip *strip, struct memory *mem, uint64_t surface_base,
                 uint64_t line_stride) {
    uint8_t atom[64];
    for (int oy = 0; oy < pdp->out_height; oy++)
        for (int ox = 0; ox < strip->out_width; ox++) {
            const int x = ox * pdp->stride_w - strip->pad_left, y = oy * pdp->stride_h - pdp->pad_top;
            struct window w = {x < 0 ? 0 : x, x + pdp->kernel_w, y < 0 ? 0 : y, y + pdp->kernel_h};
            w.x1 = w.x1 > strip->width ? strip->width : w.x1;
            w.y1 = w.y1 > pdp->height ? pdp->height : w.y1;
            if (w.x1 <= w.x0 || w.y1 <= w.y0)
                return naive_unsupported(m, "PDP: window (%d, %d) lies in the padding", ox, oy);
            for (int lane = 0; lane < pdp->lanes; lane++) {
                const int32_t v = pdp->method != AVERAGE         ? pool_extreme(pdp, strip, &w, lane)
                                  : pdp->precision == NVDLA_FP16 ? pool_average_fp16(pdp, strip, &w, lane)
                                                                 : pool_average(pdp, strip, &w, lane);
                naive_put(atom, lane, pdp->precision, v);
            }
            const uint64_t line = naive_align(m, surface_base + (uint64_t)oy * line_stride +
                                                     (uint64_t)strip->out_start * (uint64_t)m->config->mem_atom);
            naive_store(m, mem, NVDLA_PDP, line + (uint64_t)(ox * m->config->mem_atom), atom,
                        (size_t)m->config->mem_atom);
        }
    return true;
}

static void read_layer(const struct naive *m, struct pdp *pdp) {
    pdp->precision =
        naive_has_16(m) ? (enum nvdla_precision)NAIVE_FIELD(m, PDP, D_DATA_FORMAT, INPUT_DATA) : NVDLA_INT8;
    pdp->configurable = m->config->map != NVDLA_MAP_FULL;
    pdp->method = NAIVE_FIELD(m, PDP, D_OPERATION_MODE_CFG, POOLING_METHOD);
    pdp->height = NAIVE_FIELD(m, PDP, D_DATA_CUBE_IN_HEIGHT, CUBE_IN_HEIGHT) + 1;
    pdp->out_height = NAIVE_FIELD(m, PDP, D_DATA_CUBE_OUT_HEIGHT, CUBE_OUT_HEIGHT) + 1;
    pdp->lanes = m->config->mem_atom / naive_element_bytes(pdp->precision);
    pdp->surfaces = naive_divide_up(NAIVE_FIELD(m, PDP, D_DATA_CUBE_IN_CHANNEL, CUBE_IN_CHANNEL) + 1, pdp->lanes);
    pdp->kernel_w = NAIVE_FIELD(m, PDP, D_POOLING_KERNEL_CFG, KERNEL_WIDTH) + 1;
    pdp->kernel_h = NAIVE_FIELD(m, PDP, D_POOLING_KERNEL_CFG, KERNEL_HEIGHT) + 1;
    pdp->stride_w = NAIVE_FIELD(m, PDP, D_POOLING_KERNEL_CFG, KERNEL_STRIDE_WIDTH) + 1;
    pdp->stride_h = NAIVE_FIELD(m, PDP, D_POOLING_KERNEL_CFG, KERNEL_STRIDE_HEIGHT) + 1;
    pdp->pad_left = NAIVE_FIELD(m, PDP, D_POOLING_PADDING_CFG, PAD_LEFT);
    pdp->pad_top = NAIVE_FIELD(m, PDP, D_POOLING_PADDING_CFG, PAD_TOP);
    pdp->pad_right = NAIVE_FIELD(m, PDP, D_POOLING_PADDING_CFG, PAD_RIGHT);
    pdp->pad_bottom = NAIVE_FIELD(m, PDP, D_POOLING_PADDING_CFG, PAD_BOTTOM);
    pdp->recip_w = (uint32_t)NAIVE_FIELD(m, PDP, D_RECIP_KERNEL_WIDTH, RECIP_KERNEL_WIDTH);
    pdp->recip_h = (uint32_t)NAIVE_FIELD(m, PDP, D_RECIP_KERNEL_HEIGHT, RECIP_KERNEL_HEIGHT);
    pdp->nan_to_zero = NAIVE_FIELD(m, PDP, D_NAN_FLUSH_TO_ZERO, NAN_TO_ZERO);
    for (uint32_t n = 1; n < 8; n++)
        pdp->pad_value[n] = naive_register(m, NVDLA_PDP, PDP_D_POOLING_PADDING_VALUE_1_CFG + 4 * (n - 1)) & 0x7ffff;
}

static bool sizes_agree(struct naive *m, const struct pdp *pdp, int width, int out_width) {
    /* Chapter 60 section 4: the output sizes follow from the windows. */
    if (out_width != (width + pdp->pad_left + pdp->pad_right - pdp->kernel_w) / pdp->stride_w + 1 ||
        pdp->out_height != (pdp->height + pdp->pad_top + pdp->pad_bottom - pdp->kernel_h) / pdp->stride_h + 1)
        return naive_unsupported(m, "PDP: output %d x %d does not follow from input %d x %d", out_width,
                                 pdp->out_height, width, pdp->height);
    if (naive_divide_up(NAIVE_FIELD(m, PDP, D_DATA_CUBE_OUT_CHANNEL, CUBE_OUT_CHANNEL) + 1, pdp->lanes) !=
        pdp->surfaces)
        return naive_unsupported(m, "PDP: channels of input and output differ");
    return pdp->method <= MIN && pdp->kernel_w <= 8 && pdp->kernel_h <= 8
               ? true
               : naive_unsupported(m, "PDP: POOLING_METHOD %d, kernel %d x %d", pdp->method, pdp->kernel_w,
                                   pdp->kernel_h);
}

bool naive_pdp(struct naive *m, const struct naive_stream *in) {
    struct pdp pdp = {0};
    read_layer(m, &pdp);
    const int atom = m->config->mem_atom;
    const int splits = in ? 1 : NAIVE_FIELD(m, PDP, D_OPERATION_MODE_CFG, SPLIT_NUM) + 1;
    const int full_width = NAIVE_FIELD(m, PDP, D_DATA_CUBE_IN_WIDTH, CUBE_IN_WIDTH) + 1;
    const int full_out = NAIVE_FIELD(m, PDP, D_DATA_CUBE_OUT_WIDTH, CUBE_OUT_WIDTH) + 1;
    if (pdp.precision > NVDLA_FP16)
        return naive_unsupported(m, "PDP: INPUT_DATA 3");
    if (splits == 1 && !sizes_agree(m, &pdp, full_width, full_out))
        return false;
    if (in && (in->surfaces != pdp.surfaces || in->positions != full_width * pdp.height || in->lanes != pdp.lanes))
        return naive_unsupported(m, "PDP takes %d surfaces of %d positions, SDP gives %d of %d", pdp.surfaces,
                                 full_width * pdp.height, in->surfaces, in->positions);
    struct memory *dst = naive_memory(m, NAIVE_FIELD(m, PDP, D_DST_RAM_CFG, DST_RAM_TYPE)), *src = NULL;
    if (!in) {
        src = naive_memory(m, NAIVE_FIELD(m, PDP_RDMA, D_SRC_RAM_CFG, SRC_RAM_TYPE));
        const bool same =
            NAIVE_FIELD(m, PDP_RDMA, D_DATA_CUBE_IN_HEIGHT, CUBE_IN_HEIGHT) + 1 == pdp.height &&
            naive_divide_up(NAIVE_FIELD(m, PDP_RDMA, D_DATA_CUBE_IN_CHANNEL, CUBE_IN_CHANNEL) + 1, pdp.lanes) ==
                pdp.surfaces &&
            NAIVE_FIELD(m, PDP_RDMA, D_OPERATION_MODE_CFG, SPLIT_NUM) + 1 == splits &&
            (splits > 1 || NAIVE_FIELD(m, PDP_RDMA, D_DATA_CUBE_IN_WIDTH, CUBE_IN_WIDTH) + 1 == full_width) &&
            (splits == 1 ||
             (naive_register(m, NVDLA_PDP_RDMA, PDP_RDMA_D_PARTIAL_WIDTH_IN) ==
                  naive_register(m, NVDLA_PDP, PDP_D_PARTIAL_WIDTH_IN) &&
              NAIVE_FIELD(m, PDP_RDMA, D_POOLING_KERNEL_CFG, KERNEL_WIDTH) + 1 == pdp.kernel_w &&
              NAIVE_FIELD(m, PDP_RDMA, D_POOLING_KERNEL_CFG, KERNEL_STRIDE_WIDTH) + 1 == pdp.stride_w)) &&
            (!naive_has_16(m) || NAIVE_FIELD(m, PDP_RDMA, D_DATA_FORMAT, INPUT_DATA) == (int)pdp.precision);
        if (!same)
            return naive_unsupported(m, "PDP and PDP_RDMA are programmed differently");
        if (!src)
            return false;
    }
    if (!dst)
        return false;
    const uint64_t dst_base = naive_address(m, NVDLA_PDP, PDP_D_DST_BASE_ADDR_LOW, PDP_D_DST_BASE_ADDR_HIGH);
    const uint64_t dst_line = naive_register(m, NVDLA_PDP, PDP_D_DST_LINE_STRIDE);
    const uint64_t dst_surface = naive_register(m, NVDLA_PDP, PDP_D_DST_SURFACE_STRIDE);
    const uint64_t src_base =
        naive_address(m, NVDLA_PDP_RDMA, PDP_RDMA_D_SRC_BASE_ADDR_LOW, PDP_RDMA_D_SRC_BASE_ADDR_HIGH);
    const uint64_t src_line = naive_register(m, NVDLA_PDP_RDMA, PDP_RDMA_D_SRC_LINE_STRIDE);
    const uint64_t src_surface = naive_register(m, NVDLA_PDP_RDMA, PDP_RDMA_D_SRC_SURFACE_STRIDE);
    /* Chapter 60 section 7; without splits one strip is everything. */
    const int in_first = NAIVE_FIELD(m, PDP, D_PARTIAL_WIDTH_IN, PARTIAL_WIDTH_IN_FIRST) + 1;
    const int in_mid = NAIVE_FIELD(m, PDP, D_PARTIAL_WIDTH_IN, PARTIAL_WIDTH_IN_MID) + 1;
    const int in_last = NAIVE_FIELD(m, PDP, D_PARTIAL_WIDTH_IN, PARTIAL_WIDTH_IN_LAST) + 1;
    const int out_first = NAIVE_FIELD(m, PDP, D_PARTIAL_WIDTH_OUT, PARTIAL_WIDTH_OUT_FIRST) + 1;
    const int out_mid = NAIVE_FIELD(m, PDP, D_PARTIAL_WIDTH_OUT, PARTIAL_WIDTH_OUT_MID) + 1;
    const int out_last = NAIVE_FIELD(m, PDP, D_PARTIAL_WIDTH_OUT, PARTIAL_WIDTH_OUT_LAST) + 1;
    const int overlap = pdp.kernel_w - pdp.stride_w;
    bool done = true;
    for (int n = 0; done && n < splits; n++) {
        struct strip strip = {full_width, full_out, 0, pdp.pad_left, NULL};
        int start = 0;
        if (splits > 1) {
            const bool first = n == 0, last = n == splits - 1;
            start = first ? 0 : in_first + (n - 1) * in_mid - overlap;
            strip.width = first ? in_first : (last ? in_last : in_mid) + overlap;
            strip.out_width = first ? out_first : last ? out_last : out_mid;
            strip.out_start = first ? 0 : out_first + (n - 1) * out_mid;
            strip.pad_left = first ? pdp.pad_left : 0;
            if (start < 0 || strip.width < 1)
                return naive_unsupported(m, "PDP: strip %d starts at column %d, %d columns", n, start, strip.width);
        }
        strip.v = xmalloc((size_t)strip.width * (size_t)pdp.height * (size_t)pdp.lanes * sizeof(int32_t));
        for (int s = 0; done && s < pdp.surfaces; s++) {
            for (int y = 0; y < pdp.height; y++)
                for (int x = 0; x < strip.width; x++)
                    for (int l = 0; l < pdp.lanes; l++) {
                        const size_t i = (size_t)((y * strip.width + x) * pdp.lanes + l);
                        if (in) {
                            strip.v[i] = in->values[((size_t)s * (size_t)in->positions) * (size_t)in->lanes + i];
                            continue;
                        }
                        const uint64_t line =
                            naive_align(m, src_base + (uint64_t)s * src_surface + (uint64_t)y * src_line +
                                               (uint64_t)start * (uint64_t)atom);
                        strip.v[i] = naive_load(
                            src, line + (uint64_t)(x * atom + l * naive_element_bytes(pdp.precision)), pdp.precision);
                        if (pdp.precision == NVDLA_FP16 && pdp.nan_to_zero && naive_fp16_is_nan((uint32_t)strip.v[i]))
                            strip.v[i] = 0;
                    }
            done = pool(m, &pdp, &strip, dst, dst_base + (uint64_t)s * dst_surface, dst_line);
        }
        free(strip.v);
    }
    if (pdp.method == AVERAGE && pdp.precision == NVDLA_INT8) {
        see(&pdp, NAIVE_AVERAGES, true);
        see(&pdp, NAIVE_SUM_WRAPS,
            pdp.seen >> NAIVE_ROW_WRAPS & 1 || pdp.seen >> NAIVE_PAD_WRAPS & 1 || pdp.seen >> NAIVE_TOTAL_PASSES & 1 ||
                pdp.seen >> NAIVE_PRODUCT_WRAPS & 1);
        see(&pdp, NAIVE_PADDED, pdp.pad_left || pdp.pad_right || pdp.pad_top || pdp.pad_bottom);
        for (int kind = 0; kind < NAIVE_AVERAGE_KINDS; kind++)
            m->averages[kind] += pdp.seen >> kind & 1;
    }
    return done;
}
