/* PDP layers: from memory, whole or in strips, or after SDP. Spec: 60-pdp. */
#include <inttypes.h>

#include "gen/engine.h"
#include "nvdla/buffer_sizes.h"
#include "nvdla/fp.h"
#include "nvdla_offsets.h"

enum { METHOD_AVERAGE };

/* Output columns that the line buffer holds for a kernel of kernel_h lines, step_y apart. */
static int64_t line_buffer_columns(int64_t kernel_h, int64_t step_y) {
    return kernel_h == 1 ? GEN_SIZE_LIMIT : pdp_buffer_columns(kernel_h, step_y);
}

/* ---- shape ----------------------------------------------------------------------------------- */

/* Windows along one dimension. loose: some columns may be in no window, if there is no pad there. They spoil the next
 * layer of PDP on some hardware (60-pdp section 4), so none may follow. */
static bool pool_size(const char *name, int64_t size, int64_t kernel, int64_t step, int64_t before, int64_t after,
                      bool loose, int64_t *result, struct error *err) {
    int64_t room = size + before + after - kernel;
    if (before >= kernel || after >= kernel || room < 0)
        return error_set(
            err, "%s: a window of %" PRId64 " over %" PRId64 " with pads %" PRId64 " and %" PRId64 " has no element",
            name, kernel, size, before, after);
    if (room % step != 0 && !(loose && after == 0))
        return error_set(err, "%s: %" PRId64 " does not divide by the step %" PRId64, name, room, step);
    *result = room / step + 1;
    return *result <= GEN_SIZE_LIMIT || error_set(err, "%s: output of %" PRId64, name, *result);
}

static bool split_shape(const struct gen_layer *layer, struct gen_shape *shape, struct error *err) {
    int64_t n = layer->splits, overlap = layer->kernel_w - layer->step_x;
    int64_t first = layer->first_out, mid = n > 2 ? layer->mid_out : 1, last = shape->pool_w - first - (n - 2) * mid;
    if (first < 1 || mid < 1 || last < 1)
        return error_set(err, "strips of %" PRId64 ", %" PRId64 " and %" PRId64 " output columns", first, mid, last);
    shape->first_in = (first - 1) * layer->step_x + layer->kernel_w - layer->pool_left;
    shape->mid_in = mid * layer->step_x;
    shape->last_in = layer->w - shape->first_in - (n - 2) * shape->mid_in;
    shape->last_out = last;
    if (shape->first_in < overlap || shape->first_in < 1 || shape->last_in < 1 || shape->last_in + overlap < 1)
        return error_set(err, "a strip reaches outside the input");
    int64_t limit = line_buffer_columns(layer->kernel_h, layer->step_y);
    if (limit > GEN_POOL_LIMIT)
        limit = GEN_POOL_LIMIT;
    if (first > limit || mid > limit || last > limit)
        return error_set(err, "a strip has more than %" PRId64 " output columns", limit);
    return (shape->first_in <= GEN_POOL_LIMIT && shape->mid_in <= GEN_POOL_LIMIT && shape->last_in <= GEN_POOL_LIMIT) ||
           error_set(err, "a strip has more than %d columns", GEN_POOL_LIMIT);
}

/* FP17 patterns that never occur are undefined (60-pdp section 6). */
static bool fp17_legal(int64_t pattern) {
    return (pattern & 0xffff) != 0xfc00;
}

static bool constants_legal(const struct gen_layer *layer, struct error *err) {
    const int64_t patterns[] = {layer->recip_w,    layer->recip_h,    layer->pool_pad_1,
                                layer->pool_pad_2, layer->pool_pad_3, layer->pool_pad_4,
                                layer->pool_pad_5, layer->pool_pad_6, layer->pool_pad_7};
    for (size_t i = 0; layer->precision == NVDLA_FP16 && i < sizeof patterns / sizeof patterns[0]; i++)
        if (!fp17_legal(patterns[i]))
            return error_set(err, "an FP17 pattern with exponent 63 and mantissa 0");
    return true;
}

/* Whether an earlier layer has columns that no window takes. */
static bool columns_remain(const struct gen_case *gen, int index, const struct gen_shape *shapes) {
    for (int i = 0; i < index; i++) {
        const struct gen_layer *layer = &gen->layers[i];
        const int64_t width = layer->sdp ? shapes[i].middle.width : layer->w;
        if (layer->pdp && (width + layer->pool_left + layer->pool_right - layer->kernel_w) % layer->step_x != 0)
            return true;
    }
    return false;
}

bool gen_pdp_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    struct gen_shape *shape = &shapes[index];
    int64_t w = layer->w, h = layer->h, c = layer->c;
    if (layer->sdp) {
        w = shape->middle.width;
        h = shape->middle.height;
        c = shape->middle.channels;
    } else if (!gen_input_shape(gen, index, shapes, h, err)) {
        return false;
    }
    if (layer->method == METHOD_AVERAGE && !constants_legal(layer, err))
        return false;
    if (columns_remain(gen, index, shapes))
        return error_set(err, "an earlier pooling layer has columns that no window takes: none may follow it");
    if (layer->sdp && layer->splits > 1)
        return error_set(err, "no strips after SDP");
    if (!pool_size("width", w, layer->kernel_w, layer->step_x, layer->pool_left, layer->pool_right, layer->splits == 1,
                   &shape->pool_w, err) ||
        !pool_size("height", h, layer->kernel_h, layer->step_y, layer->pool_top, layer->pool_bottom, false,
                   &shape->pool_h, err))
        return false;
    if (layer->splits > 1) {
        if (!split_shape(layer, shape, err))
            return false;
    } else if (shape->pool_w > line_buffer_columns(layer->kernel_h, layer->step_y)) {
        return error_set(err, "%" PRId64 " output columns, the line buffer holds %" PRId64, shape->pool_w,
                         line_buffer_columns(layer->kernel_h, layer->step_y));
    }
    gen_output_shape(gen, index, shapes, shape->pool_w, shape->pool_h, c, false);
    shape->units |= 1u << NVDLA_PDP;
    int64_t surfaces = cube_surfaces(&shape->out), words = cdiv(gen->config->mem_atom, gen->config->pdp_throughput);
    if (!layer->sdp) {
        shape->units |= 1u << NVDLA_PDP_RDMA;
        shape->cycles += w * h * surfaces * words;
    }
    shape->cycles += shape->pool_w * shape->pool_h * surfaces * words;
    return true;
}

/* ---- registers ------------------------------------------------------------------------------- */

static int64_t strips(struct gen_writer *regs, int64_t first, int64_t mid, int64_t last) {
    if (regs->layer->splits == 1)
        return gen_noise(regs, 0x3fffffff);
    int64_t middle = regs->layer->splits > 2 ? mid - 1 : gen_noise(regs, 0x3ff);
    return (first - 1) | (last - 1) << 10 | middle << 20;
}

static void put_rdma(struct gen_writer *regs, int64_t partial_in) {
    const struct gen_layer *layer = regs->layer;
    const struct cube *in = &regs->shape->in;
    gen_put_size(regs, PDP_RDMA_D_DATA_CUBE_IN_WIDTH, in->width, in->height, in->channels);
    gen_put(regs, PDP_RDMA_D_FLYING_MODE, 1);
    gen_put_cube(regs, PDP_RDMA_D_SRC_BASE_ADDR_LOW, in);
    gen_put(regs, PDP_RDMA_D_SRC_RAM_CFG, regs->shape->in_secondary ? 0 : 1);
    gen_put(regs, PDP_RDMA_D_DATA_FORMAT, layer->precision);
    gen_put(regs, PDP_RDMA_D_OPERATION_MODE_CFG, layer->splits - 1);
    gen_put(regs, PDP_RDMA_D_POOLING_KERNEL_CFG, (layer->kernel_w - 1) | (layer->step_x - 1) << 4);
    gen_put(regs, PDP_RDMA_D_POOLING_PADDING_CFG, gen_noise(regs, 0xf));
    gen_put(regs, PDP_RDMA_D_PARTIAL_WIDTH_IN, partial_in);
    gen_put(regs, PDP_RDMA_D_PERF_ENABLE, layer->perf & 1);
    gen_put(regs, PDP_RDMA_D_CYA, gen_noise(regs, UINT32_MAX));
}

void gen_pdp_registers(struct gen_writer *regs) {
    const struct gen_layer *layer = regs->layer;
    const struct gen_shape *shape = regs->shape;
    const struct cube *in = layer->sdp ? &shape->middle : &shape->in;
    gen_engine(regs, NVDLA_PDP);
    int64_t partial_in = strips(regs, shape->first_in, shape->mid_in, shape->last_in);
    int64_t partial_out = strips(regs, layer->first_out, layer->mid_out, shape->last_out);
    bool average = layer->method == METHOD_AVERAGE;
    const int64_t pads[] = {layer->pool_pad_1, layer->pool_pad_2, layer->pool_pad_3, layer->pool_pad_4,
                            layer->pool_pad_5, layer->pool_pad_6, layer->pool_pad_7};
    gen_put_size(regs, PDP_D_DATA_CUBE_IN_WIDTH, in->width, in->height, in->channels);
    gen_put_size(regs, PDP_D_DATA_CUBE_OUT_WIDTH, shape->pool_w, shape->pool_h, in->channels);
    gen_put(regs, PDP_D_OPERATION_MODE_CFG, layer->method | (layer->sdp ? 0 : 0x10u) | (layer->splits - 1) << 8);
    gen_put(regs, PDP_D_NAN_FLUSH_TO_ZERO, layer->precision == NVDLA_FP16 ? layer->nan_to_zero : gen_noise(regs, 1));
    gen_put(regs, PDP_D_PARTIAL_WIDTH_IN, partial_in);
    gen_put(regs, PDP_D_PARTIAL_WIDTH_OUT, partial_out);
    gen_put(regs, PDP_D_POOLING_KERNEL_CFG,
            (layer->kernel_w - 1) | (layer->kernel_h - 1) << 8 | (layer->step_x - 1) << 16 | (layer->step_y - 1) << 20);
    gen_put(regs, PDP_D_RECIP_KERNEL_WIDTH, average ? layer->recip_w : gen_noise(regs, 0x1ffff));
    gen_put(regs, PDP_D_RECIP_KERNEL_HEIGHT, average ? layer->recip_h : gen_noise(regs, 0x1ffff));
    gen_put(regs, PDP_D_POOLING_PADDING_CFG,
            layer->pool_left | layer->pool_top << 4 | layer->pool_right << 8 | layer->pool_bottom << 12);
    for (uint32_t i = 0; i < 7; i++)
        gen_put(regs, PDP_D_POOLING_PADDING_VALUE_1_CFG + 4 * i,
                average ? pads[i] & 0x7ffff : gen_noise(regs, 0x7ffff));
    gen_put_noise(regs, PDP_D_SRC_BASE_ADDR_LOW, PDP_D_SRC_SURFACE_STRIDE);
    gen_put_cube(regs, PDP_D_DST_BASE_ADDR_LOW, &shape->out);
    gen_put(regs, PDP_D_DST_RAM_CFG, shape->out_secondary ? 0 : 1);
    gen_put(regs, PDP_D_DATA_FORMAT, layer->precision);
    gen_put(regs, PDP_D_PERF_ENABLE, layer->perf & 1);
    gen_put(regs, PDP_D_CYA, gen_noise(regs, UINT32_MAX));
    gen_unit(regs, NVDLA_PDP_RDMA);
    if (!layer->sdp)
        put_rdma(regs, partial_in);
}

/* ---- drawing --------------------------------------------------------------------------------- */

static int64_t draw_fp17(struct rng *rng) {
    int64_t any = rng_range(rng, 0, 0x1ffff);
    return fp17_legal(any) ? any : 0;
}

enum { PADS = 7 };

/* The constants of an FP16 average: mostly those of 60-pdp section 5.5, with the pads of a padded cube. */
static void draw_float_constants(struct rng *rng, struct gen_layer *layer, int64_t *const pads[PADS]) {
    static const int64_t reciprocals[] = {0x7c00, 0x7800, 0x7555, 0x7400, 0x7266, 0x7155, 0x7092, 0x7000};
    const bool wild = rng_chance(rng, 25);
    layer->recip_w = wild ? draw_fp17(rng) : reciprocals[layer->kernel_w - 1];
    layer->recip_h = wild ? draw_fp17(rng) : reciprocals[layer->kernel_h - 1];
    int32_t zero = (int32_t)rng_range(rng, -128, 127);
    uint32_t pad = rng_chance(rng, 60) ? fp16_to_fp17(fp16_from_integer(zero)) : 0;
    for (int i = 0; i < PADS; i++)
        *pads[i] = wild ? draw_fp17(rng) : fp17_mul(pad, fp16_to_fp17(fp16_from_integer(i + 1)));
}

/* RECIP of a kernel of k: that of 60-pdp section 5.5; large values, for which the product wraps; small values, which
 * let the high bits of the total through. */
static int64_t draw_reciprocal(struct rng *rng, int64_t k, bool usual) {
    static const int64_t driver[] = {0x10000, 0x8000, 0x5555, 0x4000, 0x3333, 0x2aaa, 0x2492, 0x2000};
    if (usual)
        return driver[k - 1];
    switch (rng_range(rng, 0, 4)) {
    case 0:
        return rng_range(rng, 0, 0x1ffff);
    case 1:
        return rng_range(rng, 0x10000, 0x1ffff);
    case 2:
        return rng_range(rng, 1, 0x1000);
    default:
        return rng_range(rng, 0x1f000, 0x1ffff);
    }
}

/* T(n) for which sums of an average wrap: added to the elements of a window it overflows a row sum, or T(n) * kernel
 * width overflows the total. sign: of all of them except some. Spec: 60-pdp section 5.3. */
static int64_t draw_edge_pad(struct rng *rng, const struct gen_layer *layer, int64_t sign) {
    const bool byte = layer->precision == NVDLA_INT8;
    const int64_t row = byte ? 1 << 10 : 1 << 21, total = byte ? 1 << 13 : 1 << 21, element = byte ? 1 << 5 : 1 << 13;
    int64_t value, kind = rng_range(rng, 0, 9);
    if (kind == 0)
        return rng_signed(rng, 19);
    if (kind < 4) {
        value = row - rng_range(rng, 0, 2 * element * layer->kernel_w);
    } else {
        int64_t sum = element * layer->kernel_w * layer->kernel_h;
        value = (total + rng_range(rng, -sum, sum / 4)) / layer->kernel_w;
    }
    if (rng_chance(rng, 20))
        sign = -sign;
    return value > 0x3ffff ? sign * 0x3ffff : sign * value;
}

/* The constants of an integer average: pads of a padded cube, the same but not sign-extended, any, or at the edges. */
static void draw_integer_constants(struct rng *rng, struct gen_layer *layer, int64_t *const pads[PADS]) {
    int64_t kind = rng_range(rng, 0, 9), zero = rng_range(rng, -128, 127), sign = rng_chance(rng, 50) ? 1 : -1;
    layer->recip_w = draw_reciprocal(rng, layer->kernel_w, rng_chance(rng, kind < 4 ? 70 : 35));
    layer->recip_h = draw_reciprocal(rng, layer->kernel_h, rng_chance(rng, 50));
    for (int i = 0; i < PADS; i++)
        *pads[i] = kind < 3    ? (i + 1) * zero
                   : kind == 3 ? (i + 1) * zero & 0x7ff
                   : kind == 4 ? rng_signed(rng, 19)
                               : draw_edge_pad(rng, layer, sign);
}

static void draw_constants(struct rng *rng, struct gen_layer *layer) {
    int64_t *const pads[PADS] = {&layer->pool_pad_1, &layer->pool_pad_2, &layer->pool_pad_3, &layer->pool_pad_4,
                                 &layer->pool_pad_5, &layer->pool_pad_6, &layer->pool_pad_7};
    if (layer->precision == NVDLA_FP16)
        draw_float_constants(rng, layer, pads);
    else
        draw_integer_constants(rng, layer, pads);
}

static void draw_windows(struct rng *rng, struct gen_layer *layer) {
    layer->pdp = 1;
    layer->method = rng_chance(rng, 50) ? METHOD_AVERAGE : rng_range(rng, 1, 2);
    bool average = layer->method == METHOD_AVERAGE;
    layer->kernel_w = rng_chance(rng, 20) ? 1 : rng_range(rng, 1, 8);
    layer->kernel_h = rng_chance(rng, average ? 5 : 20) ? 1 : rng_range(rng, 1, 8);
    layer->step_x = rng_chance(rng, 60) ? rng_range(rng, 1, 3) : rng_range(rng, 1, rng_chance(rng, 60) ? 8 : 16);
    layer->step_y = rng_chance(rng, 60) ? rng_range(rng, 1, 3) : rng_range(rng, 1, rng_chance(rng, 60) ? 8 : 16);
    /* 0: none; 1: all as large as possible; otherwise any. Averages are more interesting with pads */
    int pads = (int)rng_range(rng, average && rng_chance(rng, 60), 3);
    int64_t *const pad[] = {&layer->pool_left, &layer->pool_right, &layer->pool_top, &layer->pool_bottom};
    for (int i = 0; i < 4; i++) {
        int64_t most = (i < 2 ? layer->kernel_w : layer->kernel_h) - 1;
        *pad[i] = pads == 0 ? 0 : pads == 1 ? most : rng_range(rng, 0, most);
    }
}

/* Strips for `columns` output columns, at most `limit` each, at times more strips than needed. */
static void draw_strips(struct rng *rng, struct gen_layer *layer, int64_t columns, int64_t limit) {
    if (columns < 2)
        return;
    int64_t least = cdiv(columns, limit);
    int64_t n = least + (rng_chance(rng, 50) ? 0 : rng_range(rng, 1, 4));
    n = n < 2 ? 2 : n > columns ? columns : n > 64 ? 64 : n;
    int64_t each = columns / n; /* the last strip takes the rest */
    layer->splits = n;
    layer->mid_out = each;
    layer->first_out = each;
    int64_t last = columns - (n - 1) * each;
    if (last > limit) {
        layer->mid_out = layer->first_out = cdiv(columns, n);
        last = columns - (n - 1) * layer->first_out;
    }
    int64_t moved = rng_range(rng, 0, last - 1); /* to the first */
    if (layer->first_out + moved <= limit)
        layer->first_out += moved;
}

void gen_pdp_draw(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, int64_t cycles) {
    draw_windows(rng, layer);
    int64_t atom = config->mem_atom, atoms = cycles / cdiv(atom, config->pdp_throughput);
    int64_t limit = line_buffer_columns(layer->kernel_h, layer->step_y);
    int64_t widest = rng_chance(rng, 20) ? limit : limit < 20 ? limit : 20;
    bool split = rng_chance(rng, 25);
    if (split && rng_chance(rng, 50))
        widest = 3 * limit;
    if (widest > atoms / layer->kernel_h / layer->step_x)
        widest = atoms / layer->kernel_h / layer->step_x;
    int64_t columns = rng_size(rng, widest < 1 ? 1 : widest, 16);
    /* pads that leave no input element are removed */
    layer->w = (columns - 1) * layer->step_x + layer->kernel_w - layer->pool_left - layer->pool_right;
    if (layer->w < 1) {
        layer->pool_left = layer->pool_right = 0;
        layer->w = (columns - 1) * layer->step_x + layer->kernel_w;
    }
    int64_t tallest = atoms / layer->w / layer->step_y;
    int64_t lines = rng_size(rng, tallest < 1 ? 1 : tallest > 20 ? 20 : tallest, 4);
    layer->h = (lines - 1) * layer->step_y + layer->kernel_h - layer->pool_top - layer->pool_bottom;
    if (layer->h < 1) {
        layer->pool_top = layer->pool_bottom = 0;
        layer->h = (lines - 1) * layer->step_y + layer->kernel_h;
    }
    int64_t surfaces = atoms / (layer->w * layer->h);
    int64_t lanes = atom / nvdla_element_bytes((enum nvdla_precision)layer->precision);
    layer->c = rng_size(rng, surfaces < 1 ? lanes : surfaces > 8 ? 8 * lanes : surfaces * lanes, lanes);
    if (split)
        draw_strips(rng, layer, columns, limit < GEN_POOL_LIMIT ? limit : GEN_POOL_LIMIT);
    else if (layer->pool_right == 0 && layer->step_x > 1 && rng_chance(rng, 10))
        layer->w += rng_range(rng, 1, layer->step_x - 1); /* columns that no window reaches */
    draw_constants(rng, layer);
}

/* A window and pads that fit into `size`: after some tries, the smallest. */
static void fit(struct rng *rng, int64_t size, int64_t *kernel, int64_t *step, int64_t *before, int64_t *after) {
    for (int i = 0; i < 40; i++) {
        int64_t room = size + *before + *after - *kernel;
        if (room >= 0 && room % *step == 0)
            return;
        *kernel = rng_range(rng, 1, 8);
        *step = rng_range(rng, 1, 4);
        *before = rng_range(rng, 0, *kernel - 1);
        *after = rng_range(rng, 0, *kernel - 1);
    }
    *kernel = *step = 1;
    *before = *after = 0;
}

void gen_pdp_draw_behind(struct rng *rng, struct gen_layer *layer, int64_t w, int64_t h) {
    draw_windows(rng, layer);
    fit(rng, w, &layer->kernel_w, &layer->step_x, &layer->pool_left, &layer->pool_right);
    fit(rng, h, &layer->kernel_h, &layer->step_y, &layer->pool_top, &layer->pool_bottom);
    if ((w + layer->pool_left + layer->pool_right - layer->kernel_w) / layer->step_x + 1 >
        line_buffer_columns(layer->kernel_h, layer->step_y)) {
        layer->kernel_h = layer->step_y = 1;
        layer->pool_top = layer->pool_bottom = 0;
    }
    draw_constants(rng, layer);
}
