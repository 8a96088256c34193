/* The two tables of CDP and of SDP's EW stage: legality, loading, drawing. Spec: 55-lut. */
#include "gen/engine.h"
#include "nvdla/fp.h"
#include "nvdla_offsets.h"

enum { ACCESS_WRITE_LE = 0x20000, ACCESS_WRITE_LO = 0x30000 };

/* Bits that a unit's tables use of START and END (signed bits) and of INDEX_SELECT (-limit .. limit). Spec: 55-lut 4,
 * 7.1. */
struct lut_limits {
    int start_bits, end_bits, select;
};

static struct lut_limits limits_of(const struct gen_layer *layer) {
    if (!layer->cdp)
        return (struct lut_limits){32, 32, 31};
    return layer->precision == NVDLA_INT8 ? (struct lut_limits){22, 38, 31} : (struct lut_limits){38, 38, 63};
}

/* ---- shape ----------------------------------------------------------------------------------- */

static bool fits(int64_t value, int bits) {
    return value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1);
}

static bool float_legal(const struct gen_layer *tables, struct error *err) {
    const int64_t points[] = {tables->le_start, tables->le_end, tables->lo_start, tables->lo_end};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        if (points[i] < 0 || points[i] > UINT32_MAX || (points[i] >> 23 & 0xff) == 0xff)
            return error_set(err, "START and END are patterns of finite FP32 numbers");
    return tables->le_offset != -128 || error_set(err, "LE_INDEX_OFFSET -128 in an FP16 layer");
}

static bool integer_legal(const struct gen_layer *layer, const struct gen_layer *tables, struct error *err) {
    struct lut_limits limits = limits_of(layer);
    if (!fits(tables->le_start, limits.start_bits) || !fits(tables->lo_start, limits.start_bits))
        return error_set(err, "START has more than %d bits", limits.start_bits);
    if (!fits(tables->le_end, limits.end_bits) || !fits(tables->lo_end, limits.end_bits))
        return error_set(err, "END has more than %d bits", limits.end_bits);
    return (tables->le_select >= -limits.select && tables->le_select <= limits.select &&
            tables->lo_select >= -limits.select && tables->lo_select <= limits.select) ||
           error_set(err, "INDEX_SELECT beyond %d", limits.select);
}

const struct gen_layer *gen_lut_loaded(const struct gen_case *gen, int index, bool cdp) {
    const struct gen_layer *loaded = NULL;
    for (int i = 0; i <= index && i < gen->count; i++)
        if (gen_uses_table(&gen->layers[i]) && gen->layers[i].lut && (gen->layers[i].cdp != 0) == cdp)
            loaded = &gen->layers[i];
    return loaded;
}

bool gen_lut_shape(const struct gen_case *gen, int index, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    const struct gen_layer *tables = layer->lut ? layer : gen_lut_loaded(gen, index, layer->cdp != 0);
    if (!tables)
        return error_set(err, "no %s layer has loaded the tables yet", layer->cdp ? "CDP" : "SDP");
    if ((tables->precision == NVDLA_FP16) != (layer->precision == NVDLA_FP16))
        return error_set(err, "tables of integers in an FP16 layer, or the reverse");
    return layer->precision == NVDLA_FP16 ? float_legal(tables, err) : integer_legal(layer, tables, err);
}

/* ---- loading --------------------------------------------------------------------------------- */

static void write_lut(struct gen_lut_writes *writes, uint32_t offset, uint32_t value) {
    writes->list[writes->count].offset = offset;
    writes->list[writes->count].value = value;
    writes->count++;
}

/* The access port has the same offsets in both units. */
static void write_table(struct gen_lut_writes *writes, uint32_t access, size_t entries, const int16_t *table) {
    write_lut(writes, CDP_S_LUT_ACCESS_CFG, access);
    for (size_t i = 0; i < entries; i++)
        write_lut(writes, CDP_S_LUT_ACCESS_DATA, (uint16_t)table[i]);
}

/* A signed 38-bit number in a low and a high register. */
static void write_wide(struct gen_lut_writes *writes, uint32_t low, int64_t value) {
    write_lut(writes, low, (uint32_t)value);
    write_lut(writes, low + 4, (uint32_t)((uint64_t)value >> 32) & 0x3f);
}

static uint32_t pair(int64_t low, int64_t high, int bits) {
    uint32_t mask = (1u << bits) - 1;
    return ((uint32_t)low & mask) | ((uint32_t)high & mask) << bits;
}

static void fill_table(const struct gen_layer *layer, int16_t *table, size_t entries, int64_t style, struct rng *rng) {
    uint8_t bytes[2 * LUT_LO_ENTRIES];
    gen_fill(bytes, entries, layer->precision == NVDLA_FP16 ? NVDLA_FP16 : NVDLA_INT16, style, rng);
    for (size_t i = 0; i < entries; i++)
        table[i] = (int16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
}

void gen_lut_entries(const struct gen_layer *layer, struct lut_entries *entries) {
    struct rng rng = rng_make((uint64_t)layer->seed, NVDLA_CDP);
    fill_table(layer, entries->le, LUT_LE_ENTRIES, layer->le_data, &rng);
    fill_table(layer, entries->lo, LUT_LO_ENTRIES, layer->lo_data, &rng);
}

void gen_lut(const struct gen_layer *layer, struct gen_lut_writes *writes) {
    struct lut_entries entries;
    gen_lut_entries(layer, &entries);
    writes->count = 0;
    write_table(writes, ACCESS_WRITE_LE, LUT_LE_ENTRIES, entries.le);
    write_table(writes, ACCESS_WRITE_LO, LUT_LO_ENTRIES, entries.lo);
    write_lut(writes, CDP_S_LUT_CFG,
              (uint32_t)layer->le_linear | (uint32_t)layer->under_lo << 4 | (uint32_t)layer->over_lo << 5 |
                  (uint32_t)layer->hybrid_lo << 6);
    write_lut(writes, CDP_S_LUT_INFO,
              ((uint32_t)layer->le_offset & 0xff) | ((uint32_t)layer->le_select & 0xff) << 8 |
                  ((uint32_t)layer->lo_select & 0xff) << 16);
    uint32_t slopes = CDP_S_LUT_LE_SLOPE_SCALE;
    if (layer->cdp) {
        write_wide(writes, CDP_S_LUT_LE_START_LOW, layer->le_start);
        write_wide(writes, CDP_S_LUT_LE_END_LOW, layer->le_end);
        write_wide(writes, CDP_S_LUT_LO_START_LOW, layer->lo_start);
        write_wide(writes, CDP_S_LUT_LO_END_LOW, layer->lo_end);
    } else {
        slopes = SDP_S_LUT_LE_SLOPE_SCALE;
        write_lut(writes, SDP_S_LUT_LE_START, (uint32_t)layer->le_start);
        write_lut(writes, SDP_S_LUT_LE_END, (uint32_t)layer->le_end);
        write_lut(writes, SDP_S_LUT_LO_START, (uint32_t)layer->lo_start);
        write_lut(writes, SDP_S_LUT_LO_END, (uint32_t)layer->lo_end);
    }
    write_lut(writes, slopes, pair(layer->le_under_scale, layer->le_over_scale, 16));
    write_lut(writes, slopes + 4, pair(layer->le_under_shift, layer->le_over_shift, 5));
    write_lut(writes, slopes + 8, pair(layer->lo_under_scale, layer->lo_over_scale, 16));
    write_lut(writes, slopes + 12, pair(layer->lo_under_shift, layer->lo_over_shift, 5));
}

struct lut_settings gen_lut_settings(const struct gen_layer *layer) {
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

/* ---- drawing --------------------------------------------------------------------------------- */

static int steps_of(int64_t entries) { /* log2 */
    return entries == LUT_LE_ENTRIES - 1 ? 6 : 8;
}

/* A linear table of `entries` steps of 2^select over inputs of `bits` bits: START, END (mostly the fitting one). */
static void draw_range(struct rng *rng, const struct gen_layer *layer, int bits, int64_t entries, int64_t *select,
                       int64_t *start, int64_t *end) {
    struct lut_limits limits = limits_of(layer);
    *select = rng_chance(rng, 85) ? bits - steps_of(entries) + rng_range(rng, -2, 2)
                                  : rng_range(rng, -limits.select, limits.select);
    *select = *select < -limits.select ? -limits.select : *select > limits.select ? limits.select : *select;
    *start = rng_chance(rng, 40)   ? 0
             : rng_chance(rng, 80) ? rng_range(rng, -((int64_t)1 << bits), (int64_t)1 << (bits - 1))
                                   : rng_signed(rng, limits.start_bits);
    int64_t width = *select > 38 ? 0 : *select >= 0 ? entries << *select : entries >> -*select;
    *end = rng_chance(rng, 75) ? *start + width
                               : rng_signed(rng, rng_chance(rng, 50) ? limits.start_bits : limits.end_bits);
    if (layer->cdp && layer->precision == NVDLA_INT8)
        return;                       /* illegal values are drawn again */
    if (!fits(*end, limits.end_bits)) /* "the largest number of the type": 55-lut section 8 */
        *end = ((int64_t)1 << (limits.end_bits - 1)) - 1;
    if (!fits(*start, limits.start_bits))
        *start = rng_signed(rng, limits.start_bits);
}

/* A finite FP32 number: mostly of a magnitude up to 2^bits, otherwise any, including exponent 0. */
static uint32_t fp32_point(struct rng *rng, int bits) {
    uint32_t sign = (uint32_t)rng_range(rng, 0, 1) << 31, mantissa = (uint32_t)rng_range(rng, 0, 0x7fffff);
    int64_t exponent = rng_chance(rng, 80) ? 127 + bits - rng_range(rng, 0, 9) : rng_range(rng, 0, 254);
    return sign | (uint32_t)(exponent < 0 ? 0 : exponent > 254 ? 254 : exponent) << 23 | mantissa;
}

static uint32_t fp32_power(int64_t exponent) {
    return (uint32_t)(exponent < -126 ? 1 : exponent > 127 ? 254 : exponent + 127) << 23;
}

/* The same for FP16 layers, inputs of magnitudes up to about 2^bits. */
static void draw_float_range(struct rng *rng, int bits, int64_t entries, int64_t *select, int64_t *start,
                             int64_t *end) {
    *select = rng_chance(rng, 85) ? bits - steps_of(entries) + rng_range(rng, -2, 2) : rng_range(rng, -128, 121);
    *start = rng_chance(rng, 40) ? 0 : fp32_point(rng, bits);
    *end = rng_chance(rng, 75) ? fp32_add((uint32_t)*start, fp32_power(*select + steps_of(entries)))
                               : fp32_point(rng, bits + 2);
}

static void draw_slope(struct rng *rng, const struct gen_layer *layer, int64_t *scale, int64_t *shift) {
    uint8_t bytes[2];
    *scale = rng_chance(rng, 25) ? 0 : rng_signed(rng, 16);
    *shift = rng_chance(rng, 60) ? rng_range(rng, 0, 15) : rng_range(rng, -16, 15);
    if (layer->precision != NVDLA_FP16)
        return;
    gen_fill(bytes, 1, NVDLA_FP16, gen_draw_style(rng, NVDLA_INT16), rng);
    *scale = (int16_t)(bytes[0] | bytes[1] << 8);
}

void gen_lut_draw(struct rng *rng, struct gen_layer *layer, int bits) {
    static const int64_t styles[] = {STYLE_UNIFORM, STYLE_UNIFORM, STYLE_RAMP, STYLE_EXTREME, STYLE_MIXED, STYLE_SMALL};
    layer->lut = 1;
    layer->le_data = rng_pick(rng, styles, sizeof styles / sizeof styles[0]);
    layer->lo_data = rng_pick(rng, styles, sizeof styles / sizeof styles[0]);
    layer->le_linear = rng_chance(rng, 50);
    layer->under_lo = rng_chance(rng, 50);
    layer->over_lo = rng_chance(rng, 50);
    layer->hybrid_lo = rng_chance(rng, 50);
    if (layer->precision == NVDLA_FP16) {
        if (rng_chance(rng, 5))
            layer->le_data = layer->lo_data = STYLE_SPECIAL;
        layer->le_offset = rng_chance(rng, 75) ? bits - rng_range(rng, 0, 66) : rng_range(rng, -127, 127);
        draw_float_range(rng, bits, LUT_LE_ENTRIES - 1, &layer->le_select, &layer->le_start, &layer->le_end);
        draw_float_range(rng, bits, LUT_LO_ENTRIES - 1, &layer->lo_select, &layer->lo_start, &layer->lo_end);
    } else {
        layer->le_offset = rng_chance(rng, 75) ? rng_range(rng, -6, bits) : rng_range(rng, -64, 39);
        draw_range(rng, layer, bits, LUT_LE_ENTRIES - 1, &layer->le_select, &layer->le_start, &layer->le_end);
        draw_range(rng, layer, bits, LUT_LO_ENTRIES - 1, &layer->lo_select, &layer->lo_start, &layer->lo_end);
    }
    draw_slope(rng, layer, &layer->le_under_scale, &layer->le_under_shift);
    draw_slope(rng, layer, &layer->le_over_scale, &layer->le_over_shift);
    draw_slope(rng, layer, &layer->lo_under_scale, &layer->lo_under_shift);
    draw_slope(rng, layer, &layer->lo_over_scale, &layer->lo_over_shift);
}
