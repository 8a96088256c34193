/* CDP layers, with the look-up tables they need. Spec: 62-cdp, 55-lut. */
#include "gen/engine.h"
#include "nvdla/fixed.h"
#include "nvdla/lut.h"
#include "nvdla_offsets.h"

enum { ACCESS_WRITE_LE = 0x20000, ACCESS_WRITE_LO = 0x30000 };

/* ---- shape ---------------------------------------------------------------------------------------------------------
 */

bool gen_cdp_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    struct gen_shape *shape = &shapes[index];
    bool loaded = layer->lut != 0;
    for (int i = 0; i < index; i++)
        loaded = loaded || (gen->layers[i].cdp && gen->layers[i].lut);
    if (!loaded)
        return error_set(err, "no CDP layer has loaded the tables yet");
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

/* ---- registers -----------------------------------------------------------------------------------------------------
 */

static void write_lut(struct gen_lut_writes *writes, uint32_t offset, uint32_t value) {
    writes->list[writes->count].offset = offset;
    writes->list[writes->count].value = value;
    writes->count++;
}

static void write_table(struct gen_lut_writes *writes, uint32_t access, size_t entries, int64_t style,
                        struct rng *rng) {
    uint8_t bytes[2 * LUT_LO_ENTRIES];
    gen_fill(bytes, entries, NVDLA_INT16, style, rng);
    write_lut(writes, CDP_S_LUT_ACCESS_CFG, access);
    for (size_t i = 0; i < entries; i++)
        write_lut(writes, CDP_S_LUT_ACCESS_DATA, (uint32_t)(bytes[2 * i] | bytes[2 * i + 1] << 8));
}

/* A signed number of 38 bits over a low and a high register. */
static void write_wide(struct gen_lut_writes *writes, uint32_t low, int64_t value) {
    write_lut(writes, low, (uint32_t)value);
    write_lut(writes, low + 4, (uint32_t)((uint64_t)value >> 32) & 0x3f);
}

static uint32_t pair(int64_t low, int64_t high, int bits) {
    uint32_t mask = (1u << bits) - 1;
    return ((uint32_t)low & mask) | ((uint32_t)high & mask) << bits;
}

void gen_cdp_lut(const struct gen_layer *layer, struct gen_lut_writes *writes) {
    struct rng rng = rng_make((uint64_t)layer->seed, NVDLA_CDP);
    writes->count = 0;
    write_table(writes, ACCESS_WRITE_LE, LUT_LE_ENTRIES, layer->le_data, &rng);
    write_table(writes, ACCESS_WRITE_LO, LUT_LO_ENTRIES, layer->lo_data, &rng);
    write_lut(writes, CDP_S_LUT_CFG,
              (uint32_t)layer->le_linear | (uint32_t)layer->under_lo << 4 | (uint32_t)layer->over_lo << 5 |
                  (uint32_t)layer->hybrid_lo << 6);
    write_lut(writes, CDP_S_LUT_INFO,
              ((uint32_t)layer->le_offset & 0xff) | ((uint32_t)layer->le_select & 0xff) << 8 |
                  ((uint32_t)layer->lo_select & 0xff) << 16);
    write_wide(writes, CDP_S_LUT_LE_START_LOW, layer->le_start);
    write_wide(writes, CDP_S_LUT_LE_END_LOW, layer->le_end);
    write_wide(writes, CDP_S_LUT_LO_START_LOW, layer->lo_start);
    write_wide(writes, CDP_S_LUT_LO_END_LOW, layer->lo_end);
    write_lut(writes, CDP_S_LUT_LE_SLOPE_SCALE, pair(layer->le_under_scale, layer->le_over_scale, 16));
    write_lut(writes, CDP_S_LUT_LE_SLOPE_SHIFT, pair(layer->le_under_shift, layer->le_over_shift, 5));
    write_lut(writes, CDP_S_LUT_LO_SLOPE_SCALE, pair(layer->lo_under_scale, layer->lo_over_scale, 16));
    write_lut(writes, CDP_S_LUT_LO_SLOPE_SHIFT, pair(layer->lo_under_shift, layer->lo_over_shift, 5));
}

void gen_cdp_registers(const struct gen_case *gen, int index, const struct gen_shape *shapes,
                       struct gen_registers *units) {
    const struct gen_layer *layer = &gen->layers[index];
    const struct gen_shape *shape = &shapes[index];
    struct gen_registers *regs = &units[NVDLA_CDP], *rdma = &units[NVDLA_CDP_RDMA];
    struct rng noise = rng_make((uint64_t)layer->noise, NVDLA_CDP);
    gen_put(regs, CDP_D_FUNC_BYPASS, (uint32_t)layer->sqsum_bypass | (uint32_t)layer->mul_bypass << 1);
    gen_put_address(gen, index, &noise, regs, CDP_D_DST_BASE_ADDR_LOW, CDP_D_DST_BASE_ADDR_HIGH, shape->out.base);
    gen_put(regs, CDP_D_DST_LINE_STRIDE, shape->out.line_stride);
    gen_put(regs, CDP_D_DST_SURFACE_STRIDE, shape->out.surface_stride);
    gen_put(regs, CDP_D_DST_DMA_CFG, shape->out_secondary ? 0 : 1);
    gen_put(regs, CDP_D_DATA_FORMAT, 0);
    gen_put(regs, CDP_D_NAN_FLUSH_TO_ZERO, gen_noise(layer, &noise, 1));
    gen_put(regs, CDP_D_LRN_CFG, (uint32_t)(layer->length - 3) / 2);
    gen_put(regs, CDP_D_DATIN_OFFSET, (uint32_t)layer->in_offset & 0xffff);
    gen_put(regs, CDP_D_DATIN_SCALE, (uint32_t)layer->in_scale & 0xffff);
    gen_put(regs, CDP_D_DATIN_SHIFTER, (uint32_t)layer->in_shift);
    gen_put(regs, CDP_D_DATOUT_OFFSET, (uint32_t)layer->out_offset);
    gen_put(regs, CDP_D_DATOUT_SCALE, (uint32_t)layer->out_scale & 0xffff);
    gen_put(regs, CDP_D_DATOUT_SHIFTER, (uint32_t)layer->out_shift);
    gen_put(regs, CDP_D_PERF_ENABLE, layer->perf ? 3 : 0);
    gen_put(regs, CDP_D_CYA, gen_noise(layer, &noise, UINT32_MAX));
    gen_put(rdma, CDP_RDMA_D_DATA_CUBE_WIDTH, (uint32_t)layer->w - 1);
    gen_put(rdma, CDP_RDMA_D_DATA_CUBE_HEIGHT, (uint32_t)layer->h - 1);
    gen_put(rdma, CDP_RDMA_D_DATA_CUBE_CHANNEL, (uint32_t)layer->c - 1);
    gen_put_address(gen, index, &noise, rdma, CDP_RDMA_D_SRC_BASE_ADDR_LOW, CDP_RDMA_D_SRC_BASE_ADDR_HIGH,
                    shape->in.base);
    gen_put(rdma, CDP_RDMA_D_SRC_LINE_STRIDE, shape->in.line_stride);
    gen_put(rdma, CDP_RDMA_D_SRC_SURFACE_STRIDE, shape->in.surface_stride);
    gen_put(rdma, CDP_RDMA_D_SRC_DMA_CFG, shape->in_secondary ? 0 : 1);
    gen_put(rdma, CDP_RDMA_D_DATA_FORMAT, 0);
    gen_put(rdma, CDP_RDMA_D_PERF_ENABLE, layer->perf ? 1 : 0);
    gen_put(rdma, CDP_RDMA_D_CYA, gen_noise(layer, &noise, UINT32_MAX));
}

/* ---- drawing -------------------------------------------------------------------------------------------------------
 */

/* Bits of a converted element without its sign. */
static int element_bits(const struct gen_layer *layer) {
    int64_t bits = 7;
    for (int64_t scale = layer->in_scale < 0 ? -layer->in_scale : layer->in_scale; scale > 1; scale /= 2)
        bits++;
    bits -= layer->in_shift;
    return bits < 1 ? 1 : bits > 8 ? 8 : (int)bits;
}

/* A linear table of `entries` steps of 2^select over inputs of `bits` bits: START, END (mostly the one that fits). */
static void draw_range(struct rng *rng, int bits, int64_t entries, int64_t *select, int64_t *start, int64_t *end) {
    int steps = entries == LUT_LE_ENTRIES - 1 ? 6 : 8;
    *select = rng_chance(rng, 85) ? bits - steps + rng_range(rng, -2, 2) : rng_range(rng, -31, 31);
    *select = *select < -31 ? -31 : *select > 31 ? 31 : *select;
    *start = rng_chance(rng, 40)   ? 0
             : rng_chance(rng, 80) ? rng_range(rng, -((int64_t)1 << bits), (int64_t)1 << (bits - 1))
                                   : rng_signed(rng, 22);
    int64_t width = *select >= 0 ? entries << *select : entries >> -*select;
    *end = rng_chance(rng, 75) ? *start + width : rng_signed(rng, rng_chance(rng, 50) ? 22 : 38);
}

static void draw_slope(struct rng *rng, int64_t *scale, int64_t *shift) {
    *scale = rng_chance(rng, 25) ? 0 : rng_signed(rng, 16);
    *shift = rng_chance(rng, 60) ? rng_range(rng, 0, 15) : rng_range(rng, -16, 15);
}

/* Output convertor for products of table values of `bits` bits: about eight bits are left. */
static void draw_output(struct rng *rng, struct gen_layer *layer, int bits) {
    if (rng_chance(rng, 10)) {
        layer->out_scale = rng_signed(rng, 16);
        layer->out_shift = rng_range(rng, 0, 63);
        layer->out_offset = rng_signed(rng, 25);
        return;
    }
    int scale_bits = (int)rng_range(rng, 1, 15);
    layer->out_scale = rng_range(rng, (int64_t)1 << (scale_bits - 1), ((int64_t)1 << scale_bits) - 1);
    if (rng_chance(rng, 20))
        layer->out_scale = -layer->out_scale;
    int64_t shift = scale_bits + bits - rng_range(rng, 6, 10);
    layer->out_shift = shift < 0 ? 0 : shift;
    layer->out_offset = rng_chance(rng, 40) ? 0 : rng_range(rng, -((int64_t)1 << (bits - 1)), (int64_t)1 << (bits - 1));
}

static void draw_lut(struct rng *rng, struct gen_layer *layer) {
    static const int64_t styles[] = {STYLE_UNIFORM, STYLE_UNIFORM, STYLE_RAMP, STYLE_EXTREME, STYLE_MIXED, STYLE_SMALL};
    int element = element_bits(layer);
    int bits = layer->sqsum_bypass ? element : 2 * element + 1; /* of what is looked up */
    layer->lut = 1;
    layer->le_data = rng_pick(rng, styles, sizeof styles / sizeof styles[0]);
    layer->lo_data = rng_pick(rng, styles, sizeof styles / sizeof styles[0]);
    layer->le_linear = rng_chance(rng, 50);
    layer->under_lo = rng_chance(rng, 50);
    layer->over_lo = rng_chance(rng, 50);
    layer->hybrid_lo = rng_chance(rng, 50);
    layer->le_offset = rng_chance(rng, 75) ? rng_range(rng, -6, bits) : rng_range(rng, -64, 39);
    draw_range(rng, bits, LUT_LE_ENTRIES - 1, &layer->le_select, &layer->le_start, &layer->le_end);
    draw_range(rng, bits, LUT_LO_ENTRIES - 1, &layer->lo_select, &layer->lo_start, &layer->lo_end);
    draw_slope(rng, &layer->le_under_scale, &layer->le_under_shift);
    draw_slope(rng, &layer->le_over_scale, &layer->le_over_shift);
    draw_slope(rng, &layer->lo_under_scale, &layer->lo_under_shift);
    draw_slope(rng, &layer->lo_over_scale, &layer->lo_over_shift);
    int table = gen_style_bits(rng_chance(rng, 50) ? layer->le_data : layer->lo_data, 15);
    draw_output(rng, layer, layer->mul_bypass ? table : table + element - 1);
}

static struct lut_settings settings_of(const struct gen_layer *layer) {
    return (struct lut_settings){
        .le_linear = layer->le_linear != 0,
        .under_first_lo = layer->under_lo != 0,
        .over_first_lo = layer->over_lo != 0,
        .hybrid_first_lo = layer->hybrid_lo != 0,
        .le_index_offset = (int)layer->le_offset,
        .range = {{.start = layer->le_start,
                   .end = layer->le_end,
                   .select = (int)layer->le_select,
                   .under = {(int16_t)layer->le_under_scale, (int)layer->le_under_shift},
                   .over = {(int16_t)layer->le_over_scale, (int)layer->le_over_shift}},
                  {.start = layer->lo_start,
                   .end = layer->lo_end,
                   .select = (int)layer->lo_select,
                   .under = {(int16_t)layer->lo_under_scale, (int)layer->lo_under_shift},
                   .over = {(int16_t)layer->lo_over_scale, (int)layer->lo_over_shift}}},
    };
}

/* The tables as gen_cdp_lut() writes them. */
static void fill_tables(const struct gen_layer *layer, struct lut_entries *entries) {
    struct rng rng = rng_make((uint64_t)layer->seed, NVDLA_CDP);
    uint8_t bytes[2 * LUT_LO_ENTRIES];
    gen_fill(bytes, LUT_LE_ENTRIES, NVDLA_INT16, layer->le_data, &rng);
    for (int i = 0; i < LUT_LE_ENTRIES; i++)
        entries->le[i] = (int16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
    gen_fill(bytes, LUT_LO_ENTRIES, NVDLA_INT16, layer->lo_data, &rng);
    for (int i = 0; i < LUT_LO_ENTRIES; i++)
        entries->lo[i] = (int16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
}

/* True if elements of any value make enough different results. */
static bool is_lively(struct rng rng, const struct gen_layer *layer) {
    enum { SAMPLES = 32, WANTED = 8 };
    struct lut_settings settings = settings_of(layer);
    struct lut_entries entries;
    bool seen[256] = {false};
    int count = 0;
    fill_tables(layer, &entries);
    for (int i = 0; i < SAMPLES; i++) {
        int64_t own = 0, sum = 0;
        for (int64_t k = 0; k < layer->length; k++) {
            own = (rng_range(&rng, -128, 127) - layer->in_offset) * layer->in_scale;
            own = fixed_saturate(fixed_round_shift(own, (unsigned)layer->in_shift), 9);
            sum += own * own;
        }
        int64_t value = lut_look_up(&lut_cdp_int8, &settings, &entries, layer->sqsum_bypass ? own : sum).value;
        value = ((layer->mul_bypass ? value : value * own) - layer->out_offset) * layer->out_scale;
        value = fixed_saturate(fixed_round_shift(value, (unsigned)layer->out_shift), 8) & 0xff;
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
    layer->c = rng_size(rng, surfaces < 1 ? atom : surfaces > 10 ? 10 * atom : surfaces * atom, atom);
    if (rng_chance(rng, 4)) { /* many channels */
        layer->w = rng_range(rng, 1, 2);
        layer->h = 1;
        layer->c = rng_size(rng, atoms / 2 * atom < GEN_SIZE_LIMIT ? atoms / 2 * atom : GEN_SIZE_LIMIT, atom);
    }
    layer->in_place = layer->source == 0 && rng_chance(rng, 10);
    layer->sqsum_bypass = rng_chance(rng, 25);
    layer->mul_bypass = rng_chance(rng, 30);
    layer->length = 3 + 2 * rng_range(rng, 0, 3);
    layer->in_offset = rng_chance(rng, 60) ? 0 : rng_range(rng, -128, 127);
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
}
