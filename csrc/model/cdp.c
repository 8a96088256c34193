#include "model/cdp.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/fixed.h"
#include "nvdla_offsets.h"

/* Widths of the INT8 pipeline. */
enum { INPUT_BITS = 9, INPUT_OFFSET_BITS = 8, OUTPUT_BITS = 8, OUTPUT_OFFSET_BITS = 25, RANGE_BITS = 38 };

enum { MOST_REACH = 4 };

/* Lanes that go through the pipeline at a time. */
enum { CHUNK = 256 };

/* Columns of a request. */
enum { COLUMNS = 8 };

/* ---- arithmetic ---- */

static inline int64_t convert(const struct cdp_convertor *convertor, int64_t value, int bits) {
    int64_t product = (value - convertor->offset) * convertor->scale;
    return fixed_saturate(fixed_round_shift(product, convertor->shift), bits);
}

int32_t cdp_convert_input(const struct cdp_convertor *convertor, int8_t element) {
    return (int32_t)convert(convertor, element, INPUT_BITS);
}

int8_t cdp_convert_output(const struct cdp_convertor *convertor, int32_t product) {
    return (int8_t)convert(convertor, product, OUTPUT_BITS);
}

/* Square sums of `count` elements; v[-reach] to v[count + reach - 1] exist. */
static void square_sums(const int16_t *v, int32_t *sum, size_t count, size_t reach) {
    for (size_t i = 0; i < count; i++) {
        sum[i] = v[i] * v[i];
    }
    for (size_t k = 1; k <= reach; k++) {
        const int16_t *below = v - k, *above = v + k;
        for (size_t i = 0; i < count; i++) {
            sum[i] += below[i] * below[i] + above[i] * above[i];
        }
    }
}

/* The pipeline behind the input convertor for `count` <= CHUNK elements. */
static void process(const struct cdp_kernel *kernel, const struct lut_entries *entries, const int16_t *v, int8_t *out,
                    size_t count, struct lut_counters *counters) {
    int32_t q[CHUNK], factor[CHUNK];
    if (kernel->square_sum_bypass) {
        for (size_t i = 0; i < count; i++) {
            q[i] = v[i];
        }
    } else {
        square_sums(v, q, count, kernel->reach);
    }
    lut_apply(&lut_cdp_int8, &kernel->lut, entries, q, factor, count, counters);
    if (!kernel->multiply_bypass) {
        for (size_t i = 0; i < count; i++) {
            factor[i] *= v[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = (int8_t)convert(&kernel->output, factor[i], OUTPUT_BITS);
    }
}

void cdp_column(const struct cdp_kernel *kernel, const struct lut_entries *entries, const int8_t *in, int8_t *out,
                size_t channels, size_t lanes, struct lut_counters *counters) {
    int16_t padded[MOST_REACH + CDP_MAX_LANES + MOST_REACH];
    int16_t *v = padded + MOST_REACH;
    memset(padded, 0, MOST_REACH * sizeof *padded);
    for (size_t i = 0; i < channels; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): a layer has a surface, so all channels are gathered */
        v[i] = (int16_t)convert(&kernel->input, in[i], INPUT_BITS);
    }
    memset(v + channels, 0, (lanes - channels + MOST_REACH) * sizeof *v);
    for (size_t at = 0; at < lanes; at += CHUNK) {
        size_t count = lanes - at < CHUNK ? lanes - at : CHUNK;
        process(kernel, entries, v + at, out + at, count, counters);
    }
}

/* ---- access port ---- */

struct access {
    uint32_t cfg; /* S_LUT_ACCESS_CFG */
    uint32_t address, last;
    bool lo, write;
};

static struct access access_of(const struct register_group *cdp) {
    uint32_t cfg = register_group_value(cdp, CDP_S_LUT_ACCESS_CFG);
    bool lo = REGISTER_FIELD(cfg, CDP_S_LUT_ACCESS_CFG__LUT_TABLE_ID);
    return (struct access){
        .cfg = cfg,
        .address = REGISTER_FIELD(cfg, CDP_S_LUT_ACCESS_CFG__LUT_ADDR),
        .last = (lo ? LUT_LO_ENTRIES : LUT_LE_ENTRIES) - 1,
        .lo = lo,
        .write = REGISTER_FIELD(cfg, CDP_S_LUT_ACCESS_CFG__LUT_ACCESS_TYPE),
    };
}

static void step(struct register_group *cdp, const struct access *access) {
    uint32_t next = access->address < access->last ? access->address + 1 : access->last;
    uint32_t cfg = (access->cfg & ~CDP_S_LUT_ACCESS_CFG__LUT_ADDR_MASK) | next << CDP_S_LUT_ACCESS_CFG__LUT_ADDR_LSB;
    register_group_write(cdp, CDP_S_LUT_ACCESS_CFG, cfg);
}

void cdp_lut_write(struct register_group *cdp, struct lut_entries *entries, uint32_t value) {
    struct access access = access_of(cdp);
    if (!access.write) {
        return;
    }
    if (access.address <= access.last) {
        int16_t *table = access.lo ? entries->lo : entries->le;
        table[access.address] = (int16_t)REGISTER_FIELD(value, CDP_S_LUT_ACCESS_DATA__LUT_DATA);
    }
    step(cdp, &access);
}

uint32_t cdp_lut_read(struct register_group *cdp, const struct lut_entries *entries) {
    struct access access = access_of(cdp);
    const int16_t *table = access.lo ? entries->lo : entries->le;
    uint32_t value = access.address <= access.last ? (uint16_t)table[access.address] : 0;
    if (!access.write) {
        step(cdp, &access);
    }
    return value;
}

/* ---- registers ---- */

static int sign_extend(uint32_t value, int bits) {
    return (int)fixed_sign_extend(value, bits);
}

/* A pair of 32 and 6 bits. */
static int64_t wide(const struct register_group *cdp, uint32_t low, uint32_t high) {
    uint64_t value = (uint64_t)register_group_value(cdp, high) << 32 | register_group_value(cdp, low);
    return fixed_sign_extend((int64_t)value, RANGE_BITS);
}

/* LE and LO have the same layout in SLOPE_SCALE and SLOPE_SHIFT. */
static void decode_slopes(struct lut_range *range, uint32_t scale, uint32_t shift) {
    range->under.scale = (int16_t)REGISTER_FIELD(scale, CDP_S_LUT_LE_SLOPE_SCALE__LUT_LE_SLOPE_UFLOW_SCALE);
    range->over.scale = (int16_t)REGISTER_FIELD(scale, CDP_S_LUT_LE_SLOPE_SCALE__LUT_LE_SLOPE_OFLOW_SCALE);
    range->under.shift = sign_extend(REGISTER_FIELD(shift, CDP_S_LUT_LE_SLOPE_SHIFT__LUT_LE_SLOPE_UFLOW_SHIFT), 5);
    range->over.shift = sign_extend(REGISTER_FIELD(shift, CDP_S_LUT_LE_SLOPE_SHIFT__LUT_LE_SLOPE_OFLOW_SHIFT), 5);
}

static struct lut_settings decode_lut(const struct register_group *cdp) {
    uint32_t cfg = register_group_value(cdp, CDP_S_LUT_CFG);
    uint32_t info = register_group_value(cdp, CDP_S_LUT_INFO);
    struct lut_settings lut = {
        .le_linear = REGISTER_FIELD(cfg, CDP_S_LUT_CFG__LUT_LE_FUNCTION),
        .under_first_lo = REGISTER_FIELD(cfg, CDP_S_LUT_CFG__LUT_UFLOW_PRIORITY),
        .over_first_lo = REGISTER_FIELD(cfg, CDP_S_LUT_CFG__LUT_OFLOW_PRIORITY),
        .hybrid_first_lo = REGISTER_FIELD(cfg, CDP_S_LUT_CFG__LUT_HYBRID_PRIORITY),
        .le_index_offset = sign_extend(REGISTER_FIELD(info, CDP_S_LUT_INFO__LUT_LE_INDEX_OFFSET), 8),
    };
    struct lut_range *le = &lut.range[LUT_LE], *lo = &lut.range[LUT_LO];
    le->start = wide(cdp, CDP_S_LUT_LE_START_LOW, CDP_S_LUT_LE_START_HIGH);
    le->end = wide(cdp, CDP_S_LUT_LE_END_LOW, CDP_S_LUT_LE_END_HIGH);
    le->select = sign_extend(REGISTER_FIELD(info, CDP_S_LUT_INFO__LUT_LE_INDEX_SELECT), 8);
    lo->start = wide(cdp, CDP_S_LUT_LO_START_LOW, CDP_S_LUT_LO_START_HIGH);
    lo->end = wide(cdp, CDP_S_LUT_LO_END_LOW, CDP_S_LUT_LO_END_HIGH);
    lo->select = sign_extend(REGISTER_FIELD(info, CDP_S_LUT_INFO__LUT_LO_INDEX_SELECT), 8);
    decode_slopes(le, register_group_value(cdp, CDP_S_LUT_LE_SLOPE_SCALE),
                  register_group_value(cdp, CDP_S_LUT_LE_SLOPE_SHIFT));
    decode_slopes(lo, register_group_value(cdp, CDP_S_LUT_LO_SLOPE_SCALE),
                  register_group_value(cdp, CDP_S_LUT_LO_SLOPE_SHIFT));
    return lut;
}

static struct cdp_kernel decode_kernel(const struct register_group *cdp) {
    uint32_t bypass = register_group_value(cdp, CDP_D_FUNC_BYPASS);
    uint32_t lrn = register_group_value(cdp, CDP_D_LRN_CFG);
    return (struct cdp_kernel){
        .square_sum_bypass = REGISTER_FIELD(bypass, CDP_D_FUNC_BYPASS__SQSUM_BYPASS),
        .multiply_bypass = REGISTER_FIELD(bypass, CDP_D_FUNC_BYPASS__MUL_BYPASS),
        .reach = REGISTER_FIELD(lrn, CDP_D_LRN_CFG__NORMALZ_LEN) + 1,
        .input = {sign_extend(register_group_value(cdp, CDP_D_DATIN_OFFSET), INPUT_OFFSET_BITS),
                  (int16_t)register_group_value(cdp, CDP_D_DATIN_SCALE),
                  register_group_value(cdp, CDP_D_DATIN_SHIFTER)},
        .output = {sign_extend(register_group_value(cdp, CDP_D_DATOUT_OFFSET), OUTPUT_OFFSET_BITS),
                   (int16_t)register_group_value(cdp, CDP_D_DATOUT_SCALE),
                   register_group_value(cdp, CDP_D_DATOUT_SHIFTER)},
        .lut = decode_lut(cdp),
    };
}

void cdp_layer_decode(struct cdp_layer *layer, const struct nvdla_config *config, const struct register_group *cdp,
                      const struct register_group *rdma) {
    int channel = (int)register_group_value(rdma, CDP_RDMA_D_DATA_CUBE_CHANNEL);
    *layer = (struct cdp_layer){
        .source_primary =
            REGISTER_FIELD(register_group_value(rdma, CDP_RDMA_D_SRC_DMA_CFG), CDP_RDMA_D_SRC_DMA_CFG__SRC_RAM_TYPE),
        .destination_primary =
            REGISTER_FIELD(register_group_value(cdp, CDP_D_DST_DMA_CFG), CDP_D_DST_DMA_CFG__DST_RAM_TYPE),
        .kernel = decode_kernel(cdp),
        .width = (int)register_group_value(rdma, CDP_RDMA_D_DATA_CUBE_WIDTH) + 1,
        .height = (int)register_group_value(rdma, CDP_RDMA_D_DATA_CUBE_HEIGHT) + 1,
        .channels = channel + 1,
        .surfaces = channel / config->mem_atom + 1,
        .atom = (size_t)config->mem_atom,
        .source = dma_address(config, rdma, CDP_RDMA_D_SRC_BASE_ADDR_LOW, CDP_RDMA_D_SRC_BASE_ADDR_HIGH),
        .source_line = register_group_value(rdma, CDP_RDMA_D_SRC_LINE_STRIDE),
        .source_surface = register_group_value(rdma, CDP_RDMA_D_SRC_SURFACE_STRIDE),
        .destination = dma_address(config, cdp, CDP_D_DST_BASE_ADDR_LOW, CDP_D_DST_BASE_ADDR_HIGH),
        .destination_line = register_group_value(cdp, CDP_D_DST_LINE_STRIDE),
        .destination_surface = register_group_value(cdp, CDP_D_DST_SURFACE_STRIDE),
    };
}

uint64_t cdp_layer_atoms(const struct cdp_layer *layer) {
    return 2 * (uint64_t)layer->width * (uint64_t)layer->height * (uint64_t)layer->surfaces;
}

/* ---- execution ---- */

/* Copies one column of a block between atoms (surface after surface, `columns` atoms each) and lanes. */
static void gather(const struct cdp_layer *layer, const uint8_t *block, size_t columns, size_t x, int8_t *lanes) {
    for (size_t surface = 0; surface < (size_t)layer->surfaces; surface++) {
        memcpy(lanes + surface * layer->atom, block + (surface * columns + x) * layer->atom, layer->atom);
    }
}

static void scatter(const struct cdp_layer *layer, uint8_t *block, size_t columns, size_t x, const int8_t *lanes) {
    for (size_t surface = 0; surface < (size_t)layer->surfaces; surface++) {
        memcpy(block + (surface * columns + x) * layer->atom, lanes + surface * layer->atom, layer->atom);
    }
}

/* One line of at most COLUMNS columns from column `left` on, in all surfaces. */
static void run_block(const struct cdp_layer *layer, const struct lut_entries *entries, int line, int left,
                      uint8_t *block, struct dma *input, struct dma *output, struct lut_counters *counters) {
    int8_t lanes[CDP_MAX_LANES];
    size_t columns = (size_t)(layer->width - left < COLUMNS ? layer->width - left : COLUMNS);
    uint64_t column = (uint64_t)left * layer->atom;
    uint64_t source = layer->source + (uint64_t)line * layer->source_line + column;
    uint64_t destination = layer->destination + (uint64_t)line * layer->destination_line + column;
    size_t size = columns * layer->atom;
    for (size_t surface = 0; surface < (size_t)layer->surfaces; surface++) {
        dma_read(input, source + surface * layer->source_surface, block + surface * size, columns);
    }
    for (size_t x = 0; x < columns; x++) {
        gather(layer, block, columns, x, lanes);
        cdp_column(&layer->kernel, entries, lanes, lanes, (size_t)layer->channels,
                   (size_t)layer->surfaces * layer->atom, counters);
        scatter(layer, block, columns, x, lanes);
    }
    for (size_t surface = 0; surface < (size_t)layer->surfaces; surface++) {
        dma_write(output, destination + surface * layer->destination_surface, block + surface * size, columns);
    }
}

bool cdp_run(const struct cdp_layer *layer, const struct lut_entries *entries, struct dma *input, struct dma *output,
             struct lut_counters *counters) {
    uint8_t *block = malloc((size_t)layer->surfaces * COLUMNS * layer->atom);
    if (!block) {
        return false;
    }
    *counters = (struct lut_counters){0};
    for (int line = 0; line < layer->height; line++) {
        for (int left = 0; left < layer->width; left += COLUMNS) {
            run_block(layer, entries, line, left, block, input, output, counters);
        }
    }
    dma_flush(output);
    free(block);
    return true;
}
