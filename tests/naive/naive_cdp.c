/* CDP as mathematics: one column of channels after the other (chapter 62). */
#include "naive.h"
#include "naive_fp.h"
#include "naive_lut.h"

struct cdp {
    enum nvdla_precision precision;
    int width, height, channels, lanes, reach; /* lanes: of all surfaces; reach: h of section 5 */
    bool sqsum_bypass, mul_bypass, nan_to_zero;
    int64_t in_offset, in_scale, out_offset, out_scale;
    int in_shift, out_shift;
    struct naive_lut lut;
};

/* Chapter 62 section 4: INT9, INT17 or FP17. */
static int64_t input(const struct cdp *cdp, int32_t x) {
    if (cdp->precision == NVDLA_FP16)
        return naive_from_fp16(&naive_fp17, cdp->nan_to_zero && naive_fp16_is_nan((uint32_t)x) ? 0 : (uint32_t)x);
    const bool byte = cdp->precision == NVDLA_INT8;
    const int64_t offset = byte ? (int8_t)cdp->in_offset : (int16_t)cdp->in_offset;
    return (int64_t)naive_saturate(naive_round_shift(((wide)x - offset) * cdp->in_scale, cdp->in_shift), byte ? 9 : 17);
}

/* Chapter 62 section 5: the table's argument for one channel. */
static int64_t square_sum(const struct cdp *cdp, const int64_t *v, int channel) {
    if (cdp->precision != NVDLA_FP16) {
        if (cdp->sqsum_bypass)
            return v[channel];
        int64_t sum = 0;
        for (int k = channel - cdp->reach; k <= channel + cdp->reach; k++)
            sum += k >= 0 && k < cdp->lanes ? v[k] * v[k] : 0;
        return sum;
    }
    const struct naive_format *f = &naive_fp32;
    if (cdp->sqsum_bypass)
        return naive_fp17_to_fp32((uint32_t)v[channel]);
    uint32_t q = 0;
    for (int k = 1; k <= cdp->reach; k++) {
        uint32_t squares[2] = {0, 0};
        for (int side = 0; side < 2; side++) {
            const int c = side ? channel + k : channel - k;
            if (c >= 0 && c < cdp->lanes) {
                const uint32_t w = naive_fp17_to_fp32((uint32_t)v[c]);
                squares[side] = naive_mul(f, w, w);
            }
        }
        const uint32_t pair = naive_add(f, squares[0], squares[1]);
        if (k == 1) {
            const uint32_t w = naive_fp17_to_fp32((uint32_t)v[channel]);
            q = naive_add(f, pair, naive_mul(f, w, w));
        } else {
            q = naive_add(f, q, pair);
        }
    }
    return q;
}

/* The table counter that a look-up counts in (chapter 62 section 9). */
static uint32_t counter(const struct naive_lookup *lookup) {
    const enum naive_answer le = lookup->answers[0], lo = lookup->answers[1];
    if (le == NAIVE_UNDER && lo == NAIVE_UNDER)
        return CDP_D_PERF_LUT_UFLOW;
    if (le == NAIVE_OVER && lo == NAIVE_OVER)
        return CDP_D_PERF_LUT_OFLOW;
    if (le == NAIVE_HIT && lo != NAIVE_HIT)
        return CDP_D_PERF_LUT_LE_HIT;
    return lo == NAIVE_HIT && le != NAIVE_HIT ? CDP_D_PERF_LUT_LO_HIT : CDP_D_PERF_LUT_HYBRID;
}

static void add_to_counter(struct naive *m, uint32_t offset, uint32_t n) {
    naive_set_register(m, NVDLA_CDP, offset, naive_register(m, NVDLA_CDP, offset) + n);
}

static struct naive_lookup look_up(struct naive *m, const struct cdp *cdp, int64_t q) {
    struct naive_lookup lookup;
    if (cdp->precision == NVDLA_FP16)
        lookup = naive_look_up_cdp_fp16(&cdp->lut, (uint32_t)q);
    else
        lookup =
            naive_look_up_cdp_integer(&cdp->lut, q, cdp->precision, naive_has_16(m) && cdp->precision == NVDLA_INT8);
    if (lookup.unsupported)
        naive_unsupported(m, "CDP: table programming without a defined result");
    add_to_counter(m, counter(&lookup), 1);
    return lookup;
}

/* Lanes without an element count as well: half of the look-up lanes, once in each beat of a 16-bit layer. */
static void count_idle_lanes(struct naive *m, const struct cdp *cdp, int surfaces) {
    const int lanes = m->config->cdp_throughput;
    const uint32_t beats = (uint32_t)(cdp->width * cdp->height * surfaces * (m->config->mem_atom / lanes));
    for (int i = 0; cdp->precision != NVDLA_INT8 && i < lanes / 2; i++) {
        const uint32_t offset = cdp->precision == NVDLA_INT16 ? m->counters.cdp_idle[i] : 0;
        add_to_counter(m, offset ? offset : CDP_D_PERF_LUT_HYBRID, beats);
    }
}

static int32_t result(const struct cdp *cdp, int64_t v, int64_t looked_up) {
    if (cdp->precision == NVDLA_FP16) {
        const uint32_t lut = (uint32_t)looked_up;
        if (!cdp->mul_bypass)
            return (int32_t)naive_fp17_to_fp16(naive_mul(&naive_fp17, (uint32_t)v, lut));
        return (int32_t)naive_fp17_to_fp16(naive_is_nan(&naive_fp17, (uint32_t)v) ? (uint32_t)v : lut);
    }
    const bool byte = cdp->precision == NVDLA_INT8;
    const wide product = cdp->mul_bypass ? looked_up : (wide)looked_up * v;
    const int64_t offset = byte ? naive_sign_extend((uint64_t)cdp->out_offset, 25) : cdp->out_offset;
    return (int32_t)naive_saturate(naive_round_shift((product - offset) * cdp->out_scale, cdp->out_shift),
                                   byte ? 8 : 16);
}

bool naive_cdp(struct naive *m) {
    struct cdp cdp = {
        .precision =
            naive_has_16(m) ? (enum nvdla_precision)NAIVE_FIELD(m, CDP, D_DATA_FORMAT, INPUT_DATA_TYPE) : NVDLA_INT8,
        .width = NAIVE_FIELD(m, CDP_RDMA, D_DATA_CUBE_WIDTH, WIDTH) + 1,
        .height = NAIVE_FIELD(m, CDP_RDMA, D_DATA_CUBE_HEIGHT, HEIGHT) + 1,
        .channels = NAIVE_FIELD(m, CDP_RDMA, D_DATA_CUBE_CHANNEL, CHANNEL) + 1,
        .reach = NAIVE_FIELD(m, CDP, D_LRN_CFG, NORMALZ_LEN) + 1,
        .sqsum_bypass = NAIVE_FIELD(m, CDP, D_FUNC_BYPASS, SQSUM_BYPASS),
        .mul_bypass = NAIVE_FIELD(m, CDP, D_FUNC_BYPASS, MUL_BYPASS),
        .nan_to_zero = NAIVE_FIELD(m, CDP, D_NAN_FLUSH_TO_ZERO, NAN_TO_ZERO),
        .in_offset = (int16_t)NAIVE_FIELD(m, CDP, D_DATIN_OFFSET, DATIN_OFFSET),
        .in_scale = (int16_t)NAIVE_FIELD(m, CDP, D_DATIN_SCALE, DATIN_SCALE),
        .in_shift = NAIVE_FIELD(m, CDP, D_DATIN_SHIFTER, DATIN_SHIFTER),
        .out_offset = (int32_t)naive_register(m, NVDLA_CDP, CDP_D_DATOUT_OFFSET),
        .out_scale = (int16_t)NAIVE_FIELD(m, CDP, D_DATOUT_SCALE, DATOUT_SCALE),
        .out_shift = NAIVE_FIELD(m, CDP, D_DATOUT_SHIFTER, DATOUT_SHIFTER),
        .lut = naive_lut_cdp(m),
    };
    if (cdp.precision > NVDLA_FP16 ||
        (naive_has_16(m) && NAIVE_FIELD(m, CDP_RDMA, D_DATA_FORMAT, INPUT_DATA) != (int)cdp.precision))
        return naive_unsupported(m, "CDP: INPUT_DATA_TYPE %d, of CDP_RDMA %d", (int)cdp.precision,
                                 NAIVE_FIELD(m, CDP_RDMA, D_DATA_FORMAT, INPUT_DATA));
    const struct memory *src = naive_memory(m, NAIVE_FIELD(m, CDP_RDMA, D_SRC_DMA_CFG, SRC_RAM_TYPE));
    struct memory *dst = naive_memory(m, NAIVE_FIELD(m, CDP, D_DST_DMA_CFG, DST_RAM_TYPE));
    if (!src || !dst)
        return false;
    const int atom = m->config->mem_atom, bytes = naive_element_bytes(cdp.precision), per_atom = atom / bytes;
    const int surfaces = naive_divide_up(cdp.channels, per_atom);
    cdp.lanes = surfaces * per_atom;
    const uint64_t src_base =
        naive_address(m, NVDLA_CDP_RDMA, CDP_RDMA_D_SRC_BASE_ADDR_LOW, CDP_RDMA_D_SRC_BASE_ADDR_HIGH);
    const uint64_t src_line = naive_register(m, NVDLA_CDP_RDMA, CDP_RDMA_D_SRC_LINE_STRIDE);
    const uint64_t src_surface = naive_register(m, NVDLA_CDP_RDMA, CDP_RDMA_D_SRC_SURFACE_STRIDE);
    const uint64_t dst_base = naive_address(m, NVDLA_CDP, CDP_D_DST_BASE_ADDR_LOW, CDP_D_DST_BASE_ADDR_HIGH);
    const uint64_t dst_line = naive_register(m, NVDLA_CDP, CDP_D_DST_LINE_STRIDE);
    const uint64_t dst_surface = naive_register(m, NVDLA_CDP, CDP_D_DST_SURFACE_STRIDE);
    autofree int64_t *v = xcalloc((size_t)cdp.lanes, sizeof *v);
    uint8_t out[64];
    for (int y = 0; y < cdp.height; y++)
        for (int x = 0; x < cdp.width; x++) {
            for (int c = 0; c < cdp.lanes; c++) {
                const uint64_t line =
                    naive_align(m, src_base + (uint64_t)(c / per_atom) * src_surface + (uint64_t)y * src_line);
                v[c] = c < cdp.channels
                           ? input(&cdp,
                                   naive_load(src, line + (uint64_t)(x * atom + c % per_atom * bytes), cdp.precision))
                           : 0;
            }
            for (int s = 0; s < surfaces; s++) {
                for (int l = 0; l < per_atom; l++) {
                    const int c = s * per_atom + l;
                    const struct naive_lookup lookup = look_up(m, &cdp, square_sum(&cdp, v, c));
                    /* What 16-bit layers leave idle keeps the class of these lanes of the last column. */
                    const int idle = c - (cdp.lanes - m->config->cdp_throughput + 1);
                    if (cdp.precision == NVDLA_INT8 && idle >= 0 && idle % 2 == 0)
                        m->counters.cdp_idle[idle / 2] = counter(&lookup);
                    naive_put(out, l, cdp.precision, result(&cdp, v[c], lookup.value));
                }
                const uint64_t line = naive_align(m, dst_base + (uint64_t)s * dst_surface + (uint64_t)y * dst_line);
                naive_store(m, dst, NVDLA_CDP, line + (uint64_t)(x * atom), out, (size_t)atom);
            }
        }
    count_idle_lanes(m, &cdp, surfaces);
    return !m->failed;
}
