/* CDP layers. Spec: 62-cdp. */
#include "gen/engine.h"
#include "nvdla/fixed.h"
#include "nvdla/lut.h"
#include "nvdla_offsets.h"

/* ---- shape ----------------------------------------------------------------------------------- */

bool gen_cdp_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    struct gen_shape *shape = &shapes[index];
    if (!gen_lut_shape(gen, index, err))
        return false;
    if (layer->length % 2 == 0)
        return error_set(err, "a window of %d channels, expected 3, 5, 7 or 9", (int)layer->length);
    if (!gen_input_shape(gen, index, shapes, layer->h, err))
        return false;
    gen_output_shape(gen, index, shapes, layer->w, layer->h, layer->c, false);
    shape->units |= 1u << NVDLA_CDP | 1u << NVDLA_CDP_RDMA;
    shape->cycles =
        layer->w * layer->h * cube_surfaces(&shape->in) * cdiv(gen->config->mem_atom, gen->config->cdp_throughput) +
        (layer->lut ? 900 : 0);
    return true;
}

/* ---- registers ------------------------------------------------------------------------------- */

void gen_cdp_registers(struct gen_writer *regs) {
    const struct gen_layer *layer = regs->layer;
    const struct gen_shape *shape = regs->shape;
    gen_engine(regs, NVDLA_CDP);
    gen_put(regs, CDP_D_FUNC_BYPASS, layer->sqsum_bypass | layer->mul_bypass << 1);
    gen_put_cube(regs, CDP_D_DST_BASE_ADDR_LOW, &shape->out);
    gen_put(regs, CDP_D_DST_DMA_CFG, shape->out_secondary ? 0 : 1);
    gen_put(regs, CDP_D_DATA_FORMAT, layer->precision);
    gen_put(regs, CDP_D_NAN_FLUSH_TO_ZERO, layer->precision == NVDLA_FP16 ? layer->nan_to_zero : gen_noise(regs, 1));
    gen_put(regs, CDP_D_LRN_CFG, (layer->length - 3) / 2);
    gen_put(regs, CDP_D_DATIN_OFFSET, layer->in_offset & 0xffff);
    gen_put(regs, CDP_D_DATIN_SCALE, layer->in_scale & 0xffff);
    gen_put(regs, CDP_D_DATIN_SHIFTER, layer->in_shift);
    gen_put(regs, CDP_D_DATOUT_OFFSET, layer->out_offset);
    gen_put(regs, CDP_D_DATOUT_SCALE, layer->out_scale & 0xffff);
    gen_put(regs, CDP_D_DATOUT_SHIFTER, layer->out_shift);
    gen_put(regs, CDP_D_PERF_ENABLE, layer->perf & 3);
    gen_put(regs, CDP_D_CYA, gen_noise(regs, UINT32_MAX));
    gen_unit(regs, NVDLA_CDP_RDMA);
    gen_put_size(regs, CDP_RDMA_D_DATA_CUBE_WIDTH, layer->w, layer->h, layer->c);
    gen_put_cube(regs, CDP_RDMA_D_SRC_BASE_ADDR_LOW, &shape->in);
    gen_put(regs, CDP_RDMA_D_SRC_DMA_CFG, shape->in_secondary ? 0 : 1);
    gen_put(regs, CDP_RDMA_D_DATA_FORMAT, layer->precision);
    gen_put(regs, CDP_RDMA_D_PERF_ENABLE, layer->perf & 1);
    gen_put(regs, CDP_RDMA_D_CYA, gen_noise(regs, UINT32_MAX));
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Bits of a converted element without its sign. */
static int element_bits(const struct gen_layer *layer) {
    int64_t bits = 8 * nvdla_element_bytes((enum nvdla_precision)layer->precision) - 1, most = bits + 1;
    if (layer->precision == NVDLA_FP16)
        return 7; /* log2 of magnitudes */
    for (int64_t scale = layer->in_scale < 0 ? -layer->in_scale : layer->in_scale; scale > 1; scale /= 2)
        bits++;
    bits -= layer->in_shift;
    return bits < 1 ? 1 : bits > most ? (int)most : (int)bits;
}

/* Output convertor for products of table values of `bits` bits: leaves about eight bits, sixteen for INT16. */
static void draw_output(struct rng *rng, struct gen_layer *layer, int bits) {
    const bool wide = layer->precision != NVDLA_INT8;
    if (rng_chance(rng, 10)) {
        layer->out_scale = rng_signed(rng, 16);
        layer->out_shift = rng_range(rng, 0, 63);
        layer->out_offset = rng_signed(rng, wide ? 32 : 25);
        return;
    }
    int scale_bits = (int)rng_range(rng, 1, 15);
    layer->out_scale = rng_range(rng, (int64_t)1 << (scale_bits - 1), ((int64_t)1 << scale_bits) - 1);
    if (rng_chance(rng, 20))
        layer->out_scale = -layer->out_scale;
    int64_t shift = scale_bits + bits - rng_range(rng, 6, 10) - (wide ? 8 : 0);
    layer->out_shift = shift < 0 ? 0 : shift;
    layer->out_offset = rng_chance(rng, 40) ? 0 : rng_range(rng, -((int64_t)1 << (bits - 1)), (int64_t)1 << (bits - 1));
}

static void draw_lut(struct rng *rng, struct gen_layer *layer) {
    int element = element_bits(layer);
    gen_lut_draw(rng, layer, layer->sqsum_bypass ? element : 2 * element + 1);
    int table = gen_style_bits(rng_chance(rng, 50) ? layer->le_data : layer->lo_data, 15);
    draw_output(rng, layer, layer->mul_bypass ? table : table + element - 1);
}

/* True if elements of any value give enough different results. */
static bool is_lively(struct rng rng, const struct gen_layer *layer) {
    enum { SAMPLES = 32, WANTED = 8 };
    const bool wide = layer->precision == NVDLA_INT16;
    const int64_t high = wide ? INT16_MAX : INT8_MAX;
    struct lut_settings settings = gen_lut_settings(layer);
    struct lut_entries entries;
    bool seen[256] = {false};
    int count = 0;
    if (layer->precision == NVDLA_FP16)
        return true;
    gen_lut_entries(layer, &entries);
    for (int i = 0; i < SAMPLES; i++) {
        int64_t own = 0, sum = 0;
        for (int64_t k = 0; k < layer->length; k++) {
            own = (rng_range(&rng, -high - 1, high) - layer->in_offset) * layer->in_scale;
            own = fixed_saturate(fixed_round_shift(own, (unsigned)layer->in_shift), wide ? 17 : 9);
            sum += own * own;
        }
        int64_t value =
            lut_look_up(wide ? &lut_cdp_int16 : &lut_cdp_int8, &settings, &entries, layer->sqsum_bypass ? own : sum)
                .value;
        value = ((layer->mul_bypass ? value : value * own) - layer->out_offset) * layer->out_scale;
        value = fixed_saturate(fixed_round_shift(value, (unsigned)layer->out_shift), wide ? 16 : 8) & 0xff;
        count += !seen[value];
        seen[value] = true;
    }
    return count >= WANTED;
}

void gen_cdp_draw_lut(struct rng *rng, struct gen_layer *layer) {
    enum { TRIES = 40 };
    bool wild = rng_chance(rng, 12);
    for (int i = 0; i < TRIES; i++) {
        draw_lut(rng, layer);
        if (wild || is_lively(*rng, layer))
            return;
    }
}

void gen_cdp_draw(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, int64_t cycles) {
    layer->cdp = 1;
    int64_t atom = config->mem_atom, atoms = cycles / cdiv(atom, config->cdp_throughput);
    layer->w = rng_chance(rng, 30) ? 8 * rng_range(rng, 1, 2) + rng_range(rng, -1, 1) : rng_size(rng, 30, 8);
    int64_t lines = atoms / layer->w;
    layer->h = rng_size(rng, lines < 1 ? 1 : lines > 12 ? 12 : lines, 4);
    int64_t surfaces = atoms / (layer->w * layer->h);
    int64_t lanes = atom / nvdla_element_bytes((enum nvdla_precision)layer->precision);
    layer->c = rng_size(rng, surfaces < 1 ? lanes : surfaces > 10 ? 10 * lanes : surfaces * lanes, lanes);
    if (rng_chance(rng, 4)) { /* many channels */
        layer->w = rng_range(rng, 1, 2);
        layer->h = 1;
        layer->c = rng_size(rng, atoms / 2 * lanes < GEN_SIZE_LIMIT ? atoms / 2 * lanes : GEN_SIZE_LIMIT, lanes);
    }
    layer->in_place = layer->source == 0 && rng_chance(rng, 10);
    layer->sqsum_bypass = rng_chance(rng, 25);
    layer->mul_bypass = rng_chance(rng, 30);
    layer->length = 3 + 2 * rng_range(rng, 0, 3);
    layer->in_offset = rng_chance(rng, 60)              ? 0
                       : layer->precision == NVDLA_INT8 ? rng_range(rng, -128, 127)
                                                        : rng_signed(rng, 16);
    if (rng_chance(rng, 40)) {
        layer->in_scale = 1;
        layer->in_shift = 0;
    } else if (rng_chance(rng, 85)) { /* factors of 1/8 to 2 */
        layer->in_shift = rng_range(rng, 3, 14);
        layer->in_scale = rng_range(rng, ((int64_t)1 << layer->in_shift) / 8, (int64_t)2 << layer->in_shift);
        if (rng_chance(rng, 20))
            layer->in_scale = -layer->in_scale;
    } else {
        layer->in_shift = rng_range(rng, 0, 31);
        layer->in_scale = rng_signed(rng, 16);
    }
    if (layer->in_scale > INT16_MAX)
        layer->in_scale = INT16_MAX;
    draw_output(rng, layer, layer->mul_bypass ? 15 : 15 + element_bits(layer) - 1);
    layer->nan_to_zero = layer->precision == NVDLA_FP16 && rng_chance(rng, 50);
}
