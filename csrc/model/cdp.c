/* Local response normalisation: window of squares, table, multiplication, convertors, counters. See cdp.h. */
#include "model/cdp.h"

#include <stdlib.h>
#include <string.h>

#include "layers/lut_registers.h"
#include "nvdla/bytes.h"
#include "nvdla/fixed.h"
#include "nvdla/fp.h"
#include "nvdla/wide.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"

enum { MOST_REACH = 4 };

/* Lanes that go through the pipeline together. */
enum { CHUNK = 256 };

/* Columns of a request. */
enum { COLUMNS = 8 };

/* ---- integers ---- */

/* Widths of the pipeline: sections 4 and 8. */
struct widths {
    int input_bits, input_offset_bits, output_bits, output_offset_bits;
};

static inline struct widths widths_of(enum nvdla_precision precision) {
    return precision == NVDLA_INT8 ? (struct widths){9, 8, 8, 25} : (struct widths){17, 16, 16, 32};
}

static inline int64_t convert(const struct cdp_convertor *convertor, int64_t value, int bits) {
    return fixed_convert(value, convertor->offset, convertor->scale, convertor->shift, bits);
}

/* The convertor's own criterion: further from the product than rounding explains. */
static inline bool clipped(const struct cdp_convertor *convertor, int64_t product, int bits) {
    int64_t scaled = (product - convertor->offset) * convertor->scale;
    int64_t away = convert(convertor, product, bits) - (scaled >> convertor->shift);
    return away > 1 || away < -1;
}

/* Square sums of `count` <= CHUNK elements; v[-reach] to v[count + reach - 1] exist. */
static void square_sums(const int32_t *v, int64_t *sum, size_t count, size_t reach) {
    int64_t padded[MOST_REACH + CHUNK + MOST_REACH];
    const int64_t *square = padded + reach;
    const int32_t *from = v - reach;
    for (size_t i = 0; i < count + 2 * reach; i++)
        padded[i] = (int64_t)from[i] * from[i];
    memcpy(sum, square, count * sizeof *sum);
    for (size_t k = 1; k <= reach; k++) {
        const int64_t *below = square - k, *above = square + k;
        for (size_t i = 0; i < count; i++)
            sum[i] += below[i] + above[i];
    }
}

/* ---- what the taps inside the pipeline get ---- */

/* The values that they get, by index. */
enum inside { SUM, ANSWER, FACTOR, PRODUCT, INSIDE };

/* The values of a block in hardware order: surface, column, lane. */
struct inside_block {
    size_t columns, lanes; /* atoms of the block; lanes of an atom */
    size_t column;         /* column in the pipeline */
    struct inside_values {
        const struct tap_out *tap;
        size_t bytes;    /* of an element */
        uint8_t *values; /* NULL: no listener */
    } of[INSIDE];
};

/* Stores the tap's values from channel `channel` on. block: NULL without listener. */
static inline void keep(const struct inside_block *block, enum inside where, size_t channel, int64_t value) {
    const struct inside_values *inside = &block->of[where];
    const size_t atom = channel / block->lanes * block->columns + block->column;
    if (inside->values)
        memcpy(inside->values + (atom * block->lanes + channel % block->lanes) * inside->bytes, &value, inside->bytes);
}

static void inside_new(struct inside_block *block, const struct cdp_layer *layer) {
    const struct tap_out *const taps[INSIDE] = {&layer->taps.sum, &layer->taps.answer, &layer->taps.factor,
                                                &layer->taps.convertor};
    *block = (struct inside_block){.lanes = layer->lanes};
    for (int i = 0; i < INSIDE; i++) {
        struct inside_values *inside = &block->of[i];
        *inside = (struct inside_values){.tap = taps[i], .bytes = tap_element_bytes(taps[i]->stream.format)};
        if (taps[i]->count > 0)
            inside->values = xmalloc((size_t)layer->surfaces * COLUMNS * layer->lanes * inside->bytes);
    }
}

static void inside_free(struct inside_block *block) {
    for (int i = 0; i < INSIDE; i++)
        free(block->of[i].values);
}

static inline bool anybody_listens(const struct inside_block *block) {
    return block->of[SUM].values || block->of[ANSWER].values || block->of[FACTOR].values || block->of[PRODUCT].values;
}

/* ---- the pipeline ---- */

/* The settings and tables of a column, and its place for the values of taps; NULL without listeners. */
struct cdp_column {
    const struct cdp_kernel *kernel;
    const struct lut_entries *entries;
    const struct inside_block *block;
    size_t channels, lanes; /* channels from `channels` on count as 0; channels <= lanes <= CDP_MAX_LANES */
};

/* The pipeline from the square sum to the multiplication for `count` <= CHUNK elements, from a channel on. */
static void products(const struct cdp_column *of, const struct lut_arithmetic *arithmetic, const int32_t *v,
                     int64_t *product, size_t count, struct lut_counters *counters, size_t channel) {
    const struct cdp_kernel *kernel = of->kernel;
    const struct lut_entries *entries = of->entries;
    const struct inside_block *block = of->block;
    int64_t q[CHUNK];
    int32_t factor[CHUNK];
    if (kernel->square_sum_bypass)
        for (size_t i = 0; i < count; i++)
            q[i] = v[i];
    else
        square_sums(v, q, count, kernel->reach);
    lut_apply(arithmetic, &kernel->lut, entries, q, factor, count, counters);
    for (size_t i = 0; i < count; i++)
        product[i] = kernel->multiply_bypass ? factor[i] : (int64_t)factor[i] * v[i];
    for (size_t i = 0; block && i < count; i++) {
        const struct lut_result result = lut_look_up(arithmetic, &kernel->lut, entries, q[i]);
        keep(block, SUM, channel + i, q[i]);
        keep(block, ANSWER, channel + i, lut_flags(&result));
        keep(block, FACTOR, channel + i, factor[i]);
        keep(block, PRODUCT, channel + i, product[i]);
    }
}

static void count_clipped(const struct cdp_kernel *kernel, const int64_t *product, size_t count, int bits,
                          struct cdp_counts *counts) {
    if (kernel->count_saturation)
        for (size_t i = 0; i < count; i++)
            counts->saturated += clipped(&kernel->output, product[i], bits);
}

static inline int32_t load(const uint8_t *bytes, size_t i, enum nvdla_precision precision) {
    /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.UndefReturn): a layer has a surface, so all are gathered */
    return precision == NVDLA_INT8 ? (int8_t)bytes[i] : (int16_t)load_16(bytes + 2 * i);
}

static inline void store(uint8_t *bytes, size_t i, enum nvdla_precision precision, int64_t element) {
    if (precision == NVDLA_INT8)
        bytes[i] = (uint8_t)element;
    else
        store_16(bytes + 2 * i, (uint16_t)element);
}

/* A column, with the precision as a constant: one loop for each. idle: NULL, or receives the answers of INT8. */
static inline void column_integer(const struct cdp_column *of, enum nvdla_precision precision,
                                  const struct lut_arithmetic *arithmetic, uint8_t *bytes, struct cdp_idle_units *idle,
                                  struct cdp_counts *counts) {
    const struct cdp_kernel *kernel = of->kernel;
    const size_t channels = of->channels, lanes = of->lanes;
    const struct widths widths = widths_of(precision);
    int32_t padded[MOST_REACH + CDP_MAX_LANES + MOST_REACH];
    int32_t *v = padded + MOST_REACH;
    int64_t product[CHUNK];
    memset(padded, 0, MOST_REACH * sizeof *padded);
    for (size_t i = 0; i < channels; i++)
        v[i] = (int32_t)convert(&kernel->input, load(bytes, i, precision), widths.input_bits);
    memset(v + channels, 0, (lanes - channels + MOST_REACH) * sizeof *v);
    for (size_t at = 0; at < lanes; at += CHUNK) {
        size_t count = lanes - at < CHUNK ? lanes - at : CHUNK;
        products(of, arithmetic, v + at, product, count, &counts->lut, at);
        for (size_t i = 0; i < count; i++)
            store(bytes, at + i, precision, convert(&kernel->output, product[i], widths.output_bits));
        count_clipped(kernel, product, count, widths.output_bits, counts);
    }
    if (idle) {
        const struct cdp_column last = {kernel, of->entries, NULL, channels, lanes};
        idle->answers = (struct lut_counters){0};
        for (size_t unit = 0; unit < idle->units; unit++)
            products(&last, arithmetic, v + lanes - 1 - 2 * unit, product, 1, &idle->answers, 0);
    }
}

/* ---- FP16 ---- */

/* FP32 a + b for squares of FP17 numbers and sums of them: these are 0, NaN or between 2^-62 and 2^70, so nothing
 * saturates or underflows, and float adds like the hardware. */
INLINED uint32_t add_squares(uint32_t a, uint32_t b) {
    const uint32_t sum = fp_bits(fp_float(a) + fp_float(b));
    const uint32_t number = (b & FP32_MAGNITUDE) > FP32_NAN ? b : sum;
    return (a & FP32_MAGNITUDE) > FP32_NAN ? a : number;
}

/* The sums have the order of the hardware: section 5. */
WIDE static void square_sums_fp16(const uint32_t *v, uint32_t *sum, size_t count, size_t reach) {
    uint32_t padded[MOST_REACH + CHUNK + MOST_REACH];
    const uint32_t *square = padded + reach, *from = v - reach;
    for (size_t i = 0; i < count + 2 * reach; i++) {
        const uint32_t w = fp17_to_fp32(from[i]), product = fp_bits(fp_float(w) * fp_float(w));
        padded[i] = (w & FP32_MAGNITUDE) > FP32_NAN ? w : product;
    }
    const uint32_t *below = square - 1, *above = square + 1;
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): reach is at least 1 */
    for (size_t i = 0; i < count; i++)
        sum[i] = add_squares(add_squares(below[i], above[i]), square[i]);
    for (size_t k = 2; k <= reach; k++) {
        below--;
        above++;
        for (size_t i = 0; i < count; i++)
            sum[i] = add_squares(sum[i], add_squares(below[i], above[i]));
    }
}

WIDE static void multiply_fp17(const uint32_t *v, uint32_t *product, size_t count) {
    for (size_t i = 0; i < count; i++)
        product[i] = fp17_mul(v[i], product[i]);
}

/* FP16 elements as FP17. */
WIDE static void load_fp17(const uint8_t *bytes, bool nan_to_zero, uint32_t *v, size_t count) {
    for (size_t i = 0; i < count; i++)
        v[i] = fp16_to_fp17(load_16(bytes + 2 * i));
    for (size_t i = 0; nan_to_zero && i < count; i++)
        v[i] = (v[i] & (FP17_SIGN - 1)) > FP17_NAN ? 0 : v[i];
}

WIDE static void store_fp17(const uint32_t *v, uint8_t *bytes, size_t count, struct cdp_counts *counts) {
    uint32_t nans = 0, saturated = 0;
    for (size_t i = 0; i < count; i++) {
        const uint16_t element = fp17_to_fp16(v[i]);
        store_16(bytes + 2 * i, element);
        nans += (element & FP16_MAGNITUDE) > FP16_INFINITY;
        saturated += (element & FP16_MAGNITUDE) == FP16_LARGEST;
    }
    counts->nan_outputs += nans;
    counts->saturated += saturated;
}

/* The pipeline from the square sum to the multiplication, in FP17. */
static void products_fp16(const struct cdp_column *of, const uint32_t *v, uint32_t *product, size_t count,
                          struct lut_counters *counters, size_t channel) {
    const struct cdp_kernel *kernel = of->kernel;
    const struct lut_entries *entries = of->entries;
    const struct inside_block *block = of->block;
    uint32_t q[CHUNK];
    if (kernel->square_sum_bypass)
        for (size_t i = 0; i < count; i++)
            q[i] = fp17_to_fp32(v[i]);
    else
        square_sums_fp16(v, q, count, kernel->reach);
    lut_apply_cdp_fp16(&kernel->lut, entries, q, product, count, counters);
    for (size_t i = 0; block && i < count; i++) {
        const struct lut_result result = lut_look_up_cdp_fp16(&kernel->lut, entries, q[i]);
        keep(block, SUM, channel + i, q[i]);
        keep(block, ANSWER, channel + i, lut_flags(&result));
        keep(block, FACTOR, channel + i, fp17_to_fp32(product[i]));
    }
    if (kernel->multiply_bypass)
        for (size_t i = 0; i < count; i++)
            product[i] = fp17_is_nan(v[i]) ? v[i] : product[i];
    else
        multiply_fp17(v, product, count);
    for (size_t i = 0; block && i < count; i++)
        keep(block, PRODUCT, channel + i, fp17_to_fp32(product[i]));
}

static void column_fp16(const struct cdp_column *of, uint8_t *bytes, struct cdp_counts *counts) {
    const size_t channels = of->channels, lanes = of->lanes;
    uint32_t padded[MOST_REACH + CDP_MAX_LANES + MOST_REACH];
    uint32_t *v = padded + MOST_REACH;
    uint32_t product[CHUNK];
    memset(padded, 0, MOST_REACH * sizeof *padded);
    load_fp17(bytes, of->kernel->nan_to_zero, v, channels);
    memset(v + channels, 0, (lanes - channels + MOST_REACH) * sizeof *v);
    for (size_t at = 0; at < lanes; at += CHUNK) {
        size_t count = lanes - at < CHUNK ? lanes - at : CHUNK;
        products_fp16(of, v + at, product, count, &counts->lut, at);
        store_fp17(product, bytes + 2 * at, count, counts);
    }
}

/* Processes one column in place: element c is channel c. idle: NULL, or receives the answers of the idle units from the
 * last beat. */
static void run_column(const struct cdp_column *of, uint8_t *bytes, struct cdp_idle_units *idle,
                       struct cdp_counts *counts) {
    switch (of->kernel->precision) {
    case NVDLA_INT8:
        column_integer(of, NVDLA_INT8, &lut_cdp_int8, bytes, idle, counts);
        break;
    case NVDLA_INT16:
        column_integer(of, NVDLA_INT16, &lut_cdp_int16, bytes, NULL, counts);
        break;
    case NVDLA_FP16:
        column_fp16(of, bytes, counts);
        break;
    }
}

/* ---- access port ---- */

struct lut_access {
    uint32_t cfg; /* S_LUT_ACCESS_CFG */
    uint32_t address, last;
    bool lo, write;
};

static struct lut_access access_of(const struct register_group *cdp) {
    uint32_t cfg = register_group_value(cdp, CDP_S_LUT_ACCESS_CFG);
    bool lo = REGISTER_FIELD(cfg, CDP_S_LUT_ACCESS_CFG__LUT_TABLE_ID);
    return (struct lut_access){
        .cfg = cfg,
        .address = REGISTER_FIELD(cfg, CDP_S_LUT_ACCESS_CFG__LUT_ADDR),
        .last = (lo ? LUT_LO_ENTRIES : LUT_LE_ENTRIES) - 1,
        .lo = lo,
        .write = REGISTER_FIELD(cfg, CDP_S_LUT_ACCESS_CFG__LUT_ACCESS_TYPE),
    };
}

static void step(struct register_group *cdp, const struct lut_access *access) {
    uint32_t next = access->address < access->last ? access->address + 1 : access->last;
    uint32_t cfg = (access->cfg & ~CDP_S_LUT_ACCESS_CFG__LUT_ADDR_MASK) | next << CDP_S_LUT_ACCESS_CFG__LUT_ADDR_LSB;
    register_group_write(cdp, CDP_S_LUT_ACCESS_CFG, cfg);
}

void cdp_lut_write(struct register_group *cdp, struct lut_entries *entries, uint32_t value) {
    struct lut_access access = access_of(cdp);
    if (!access.write)
        return;
    if (access.address <= access.last) {
        int16_t *table = access.lo ? entries->lo : entries->le;
        table[access.address] = (int16_t)REGISTER_FIELD(value, CDP_S_LUT_ACCESS_DATA__LUT_DATA);
    }
    step(cdp, &access);
}

uint32_t cdp_lut_read(struct register_group *cdp, const struct lut_entries *entries) {
    struct lut_access access = access_of(cdp);
    const int16_t *table = access.lo ? entries->lo : entries->le;
    uint32_t value = access.address <= access.last ? (uint16_t)table[access.address] : 0;
    if (!access.write)
        step(cdp, &access);
    return value;
}

/* ---- registers ---- */

static struct cdp_kernel decode_kernel(const struct registers_view *view, enum nvdla_precision precision, bool count) {
    uint32_t bypass = VALUE(view, CDP, D_FUNC_BYPASS);
    uint32_t lrn = VALUE(view, CDP, D_LRN_CFG);
    uint32_t flush = VALUE(view, CDP, D_NAN_FLUSH_TO_ZERO);
    const struct widths widths = widths_of(precision);
    return (struct cdp_kernel){
        .precision = precision,
        .nan_to_zero = REGISTER_FIELD(flush, CDP_D_NAN_FLUSH_TO_ZERO__NAN_TO_ZERO),
        .square_sum_bypass = REGISTER_FIELD(bypass, CDP_D_FUNC_BYPASS__SQSUM_BYPASS),
        .multiply_bypass = REGISTER_FIELD(bypass, CDP_D_FUNC_BYPASS__MUL_BYPASS),
        .count_saturation = count,
        .reach = REGISTER_FIELD(lrn, CDP_D_LRN_CFG__NORMALZ_LEN) + 1,
        .input = {(int32_t)fixed_sign_extend(VALUE(view, CDP, D_DATIN_OFFSET), widths.input_offset_bits),
                  (int16_t)VALUE(view, CDP, D_DATIN_SCALE), VALUE(view, CDP, D_DATIN_SHIFTER)},
        .output = {(int32_t)fixed_sign_extend(VALUE(view, CDP, D_DATOUT_OFFSET), widths.output_offset_bits),
                   (int16_t)VALUE(view, CDP, D_DATOUT_SCALE), VALUE(view, CDP, D_DATOUT_SHIFTER)},
        .lut = lut_of(view, NVDLA_CDP),
    };
}

void cdp_layer_decode(struct cdp_layer *layer, const struct registers_view *view) {
    const struct cdp_cubes cubes = cdp_cubes(view);
    int lanes = view->config->mem_atom / nvdla_element_bytes(cubes.precision);
    *layer = (struct cdp_layer){
        .valid = cubes.precision <= NVDLA_FP16 && cubes.precision == cubes.rdma_precision,
        .kernel = decode_kernel(view, cubes.precision, nvdla_has_16_bits(view->config)),
        .width = cubes.width,
        .height = cubes.height,
        .channels = cubes.channels,
        .surfaces = (cubes.channels - 1) / lanes + 1,
        .atom = (size_t)view->config->mem_atom,
        .lanes = (size_t)lanes,
        .source = cubes.source,
        .destination = cubes.destination,
    };
}

uint64_t cdp_layer_atoms(const struct cdp_layer *layer) {
    return 2 * (uint64_t)layer->width * (uint64_t)layer->height * (uint64_t)layer->surfaces;
}

void cdp_counts_load(const struct cdp_counts *counts, struct register_group *cdp) {
    register_group_load(cdp, CDP_D_NAN_OUTPUT_NUM, counts->nan_outputs);
    register_group_load(cdp, CDP_D_OUT_SATURATION, counts->saturated);
    register_group_load(cdp, CDP_D_PERF_LUT_UFLOW, counts->lut.underflow);
    register_group_load(cdp, CDP_D_PERF_LUT_OFLOW, counts->lut.overflow);
    register_group_load(cdp, CDP_D_PERF_LUT_HYBRID, counts->lut.hybrid);
    register_group_load(cdp, CDP_D_PERF_LUT_LE_HIT, counts->lut.le_hit);
    register_group_load(cdp, CDP_D_PERF_LUT_LO_HIT, counts->lut.lo_hit);
}

/* ---- execution ---- */

/* Shared by the clients of a running layer. */
struct cdp_run {
    const struct cdp_layer *layer;
    const struct lut_entries *entries;
    struct cdp_idle_units *idle;
    struct dma *input, *output;
    struct cdp_counts *counts;
    uint8_t *block; /* 8 columns of all surfaces */
    struct inside_block inside;
};

/* Copies one column of a block between atoms (surface after surface, `columns` atoms each) and lanes. */
static void gather(const struct cdp_layer *layer, const uint8_t *block, size_t columns, size_t x, uint8_t *bytes) {
    for (size_t surface = 0; surface < (size_t)layer->surfaces; surface++)
        memcpy(bytes + surface * layer->atom, block + (surface * columns + x) * layer->atom, layer->atom);
}

static void scatter(const struct cdp_layer *layer, uint8_t *block, size_t columns, size_t x, const uint8_t *bytes) {
    for (size_t surface = 0; surface < (size_t)layer->surfaces; surface++)
        memcpy(block + (surface * columns + x) * layer->atom, bytes + surface * layer->atom, layer->atom);
}

/* Sends a block of elements of `size` bytes to a tap: surface after surface, `columns` atoms each. */
static void show_block(const struct cdp_layer *layer, const struct tap_out *tap, int line, int left, size_t columns,
                       const uint8_t *elements, size_t size) {
    for (size_t surface = 0; tap->count > 0 && surface < (size_t)layer->surfaces; surface++) {
        const struct tap_place place = {.channel = (int32_t)(surface * layer->lanes), .y = line, .x = left};
        tap_send(tap, place, elements + surface * columns * layer->lanes * size, columns,
                 tap_lanes((size_t)layer->channels, layer->lanes, surface), layer->lanes);
    }
}

/* One line of at most COLUMNS columns from column `left` on, in all surfaces. */
static void run_block(struct cdp_run *run, int line, int left) {
    const struct cdp_layer *layer = run->layer;
    uint8_t bytes[2 * CDP_MAX_LANES];
    size_t columns = (size_t)(layer->width - left < COLUMNS ? layer->width - left : COLUMNS);
    uint64_t column = (uint64_t)left * layer->atom;
    const struct cube *from = &layer->source.cube, *to = &layer->destination.cube;
    uint64_t source = from->base + (uint64_t)line * from->line_stride + column;
    uint64_t destination = to->base + (uint64_t)line * to->line_stride + column;
    size_t size = columns * layer->atom;
    for (size_t surface = 0; surface < (size_t)layer->surfaces; surface++)
        dma_read(run->input, source + surface * from->surface_stride, run->block + surface * size, columns);
    const size_t element = layer->atom / layer->lanes;
    show_block(layer, &layer->taps.input, line, left, columns, run->block, element);
    run->inside.columns = columns;
    const struct cdp_column of = {
        .kernel = &layer->kernel,
        .entries = run->entries,
        .block = anybody_listens(&run->inside) ? &run->inside : NULL,
        .channels = (size_t)layer->channels,
        .lanes = (size_t)layer->surfaces * layer->lanes,
    };
    for (size_t x = 0; x < columns; x++) {
        bool last = line == layer->height - 1 && left + (int)x == layer->width - 1;
        gather(layer, run->block, columns, x, bytes);
        run->inside.column = x;
        run_column(&of, bytes, last ? run->idle : NULL, run->counts);
        scatter(layer, run->block, columns, x, bytes);
    }
    for (int i = 0; i < INSIDE; i++)
        show_block(layer, run->inside.of[i].tap, line, left, columns, run->inside.of[i].values,
                   run->inside.of[i].bytes);
    show_block(layer, &layer->taps.output, line, left, columns, run->block, element);
    for (size_t surface = 0; surface < (size_t)layer->surfaces; surface++)
        dma_write(run->output, destination + surface * to->surface_stride, run->block + surface * size, columns);
}

void cdp_idle_units_reset(struct cdp_idle_units *idle, const struct nvdla_config *config) {
    const size_t units = (size_t)config->cdp_throughput / 2;
    *idle = (struct cdp_idle_units){.units = units, .answers = {.hybrid = units}};
}

/* Adds the counts of the idle units in a layer of a 16-bit type. */
static void count_idle_units(struct lut_counters *counters, const struct cdp_layer *layer,
                             const struct cdp_idle_units *idle) {
    if (layer->kernel.precision == NVDLA_INT8)
        return;
    const uint64_t beats = cdp_layer_atoms(layer) / 2 * (layer->atom / (2 * idle->units));
    if (layer->kernel.precision == NVDLA_FP16) {
        counters->hybrid += idle->units * beats;
    } else {
        counters->underflow += idle->answers.underflow * beats;
        counters->overflow += idle->answers.overflow * beats;
        counters->le_hit += idle->answers.le_hit * beats;
        counters->lo_hit += idle->answers.lo_hit * beats;
        counters->hybrid += idle->answers.hybrid * beats;
    }
}

void cdp_run(const struct cdp_layer *layer, const struct lut_entries *entries, struct cdp_idle_units *idle,
             struct dma *input, struct dma *output, struct cdp_counts *counts) {
    autofree uint8_t *block = xmalloc((size_t)layer->surfaces * COLUMNS * layer->atom);
    *counts = (struct cdp_counts){0};
    struct cdp_run run = {.layer = layer,
                          .entries = entries,
                          .idle = idle,
                          .input = input,
                          .output = output,
                          .counts = counts,
                          .block = block};
    inside_new(&run.inside, layer);
    for (int line = 0; line < layer->height; line++)
        for (int left = 0; left < layer->width; left += COLUMNS)
            run_block(&run, line, left);
    count_idle_units(&counts->lut, layer, idle);
    dma_flush(output);
    inside_free(&run.inside);
}
