#include "model/pdp.h"

#include <stdlib.h>

#include "nvdla/fixed.h"
#include "nvdla_offsets.h"

/* Widths of the INT8 average: row sum, window sum, behind the first and the second multiplication. */
enum { ROW_BITS = 11, PAD_PRODUCT_BITS = 22, TOTAL_BITS = 14, FIRST_BITS = 11, RESULT_BITS = 8, PAD_BITS = 19 };

enum { KEPT_ROWS = 16 }; /* no window is higher */

/* A vertical strip: where it lies in the input and in the output. */
struct strip {
    int column, width; /* input columns that are read; column may be negative in illegal programs */
    int out_column, out_width;
    int pad_left;
};

/* Strip 0 .. strips-1 of the layer. Spec: 60-pdp section 7. */
static struct strip strip_of(const struct pdp_layer *layer, int index) {
    int overlap = layer->kernel.width - layer->kernel.stride_width;
    if (layer->strips == 1) {
        return (struct strip){.width = layer->width, .out_width = layer->out_width, .pad_left = layer->kernel.pad_left};
    }
    if (index == 0) {
        return (struct strip){
            .width = layer->first_in, .out_width = layer->first_out, .pad_left = layer->kernel.pad_left};
    }
    bool last = index == layer->strips - 1;
    return (struct strip){
        .column = layer->first_in + (index - 1) * layer->mid_in - overlap,
        .width = (last ? layer->last_in : layer->mid_in) + overlap,
        .out_column = layer->first_out + (index - 1) * layer->mid_out,
        .out_width = last ? layer->last_out : layer->mid_out,
        .pad_left = 0,
    };
}

/* ---- arithmetic ---- */

static inline int32_t wrap(int32_t value, int bits) {
    uint32_t sign = UINT32_C(1) << (bits - 1);
    uint32_t low = (uint32_t)value & (sign | (sign - 1));
    return (int32_t)((low ^ sign) - sign);
}

static inline int32_t round_wrap(int32_t product, int bits) {
    int32_t quotient = product >> 16;
    int32_t fraction = product & 0xffff;
    int32_t up = product < 0 ? fraction > 0x8000 : fraction >> 15;
    int32_t kept = product < 0 ? quotient : quotient & ((1 << (bits - 1)) - 1);
    return wrap(kept + up, bits);
}

int32_t pdp_round(int32_t product, int bits) {
    return round_wrap(product, bits);
}

/* T(n): windows with more pads than the table has entries exist only in illegal programs and take the last one. */
static int32_t pad_value(const struct pdp_kernel *kernel, int pads) {
    return kernel->pad[pads < PDP_PADS ? pads : PDP_PADS - 1];
}

/* The value that max and min start from. */
static int16_t neutral(enum pdp_method method) {
    return method == PDP_AVERAGE ? 0 : method == PDP_MIN ? INT8_MAX : INT8_MIN;
}

/* Folds one atom of input into a row accumulator. */
static inline void fold_input(enum pdp_method method, int16_t *row, const int8_t *in, size_t atom) {
    if (method == PDP_AVERAGE) {
        for (size_t i = 0; i < atom; i++) {
            row[i] = (int16_t)(row[i] + in[i]);
        }
    } else if (method == PDP_MIN) {
        for (size_t i = 0; i < atom; i++) {
            row[i] = in[i] < row[i] ? in[i] : row[i];
        }
    } else {
        for (size_t i = 0; i < atom; i++) {
            row[i] = in[i] > row[i] ? in[i] : row[i];
        }
    }
}

/* 1-D pooling of one line: row gets strip->out_width atoms. `atom` is a constant where this is inlined. */
static inline void pool_row(const struct pdp_kernel *kernel, const struct strip *strip, const int8_t *in, int16_t *row,
                            size_t atom) {
    for (int ox = 0; ox < strip->out_width; ox++) {
        int first = ox * kernel->stride_width - strip->pad_left;
        int end = first + kernel->width < strip->width ? first + kernel->width : strip->width;
        int begin = first > 0 ? first : 0;
        int16_t *out = row + (size_t)ox * atom;
        for (size_t i = 0; i < atom; i++) {
            out[i] = neutral(kernel->method);
        }
        for (int x = begin; x < end; x++) {
            fold_input(kernel->method, out, in + (size_t)x * atom, atom);
        }
        if (kernel->method == PDP_AVERAGE) {
            int32_t pad = pad_value(kernel, kernel->width - (end > begin ? end - begin : 0));
            for (size_t i = 0; i < atom; i++) {
                out[i] = (int16_t)wrap(out[i] + pad, ROW_BITS);
            }
        }
    }
}

/* 2-D pooling: combines `rows` pooled rows of `count` elements to one output line. */
static void pool_rows(const struct pdp_kernel *kernel, const int16_t *const *rows, int row_count, size_t count,
                      int32_t *total, int8_t *out) {
    int32_t start = neutral(kernel->method);
    if (kernel->method == PDP_AVERAGE) {
        start = wrap(pad_value(kernel, kernel->height - row_count) * kernel->width, PAD_PRODUCT_BITS);
    }
    for (size_t i = 0; i < count; i++) {
        total[i] = start;
    }
    for (int r = 0; r < row_count; r++) {
        const int16_t *row = rows[r];
        if (kernel->method == PDP_AVERAGE) {
            for (size_t i = 0; i < count; i++) {
                total[i] += row[i];
            }
        } else if (kernel->method == PDP_MIN) {
            for (size_t i = 0; i < count; i++) {
                total[i] = row[i] < total[i] ? row[i] : total[i];
            }
        } else {
            for (size_t i = 0; i < count; i++) {
                total[i] = row[i] > total[i] ? row[i] : total[i];
            }
        }
    }
    if (kernel->method == PDP_AVERAGE) {
        for (size_t i = 0; i < count; i++) {
            int32_t mean = round_wrap(wrap(total[i], TOTAL_BITS) * kernel->reciprocal_width, FIRST_BITS);
            out[i] = (int8_t)round_wrap(mean * kernel->reciprocal_height, RESULT_BITS);
        }
    } else {
        for (size_t i = 0; i < count; i++) {
            out[i] = (int8_t)total[i];
        }
    }
}

/* ---- registers ---- */

static int surfaces_of(uint32_t channel, int atom) {
    return (int)channel / atom + 1;
}

static struct pdp_kernel decode_kernel(const struct register_group *pdp) {
    uint32_t mode = register_group_value(pdp, PDP_D_OPERATION_MODE_CFG);
    uint32_t shape = register_group_value(pdp, PDP_D_POOLING_KERNEL_CFG);
    uint32_t pads = register_group_value(pdp, PDP_D_POOLING_PADDING_CFG);
    struct pdp_kernel kernel = {
        .width = (int)REGISTER_FIELD(shape, PDP_D_POOLING_KERNEL_CFG__KERNEL_WIDTH) + 1,
        .height = (int)REGISTER_FIELD(shape, PDP_D_POOLING_KERNEL_CFG__KERNEL_HEIGHT) + 1,
        .stride_width = (int)REGISTER_FIELD(shape, PDP_D_POOLING_KERNEL_CFG__KERNEL_STRIDE_WIDTH) + 1,
        .stride_height = (int)REGISTER_FIELD(shape, PDP_D_POOLING_KERNEL_CFG__KERNEL_STRIDE_HEIGHT) + 1,
        .pad_left = (int)REGISTER_FIELD(pads, PDP_D_POOLING_PADDING_CFG__PAD_LEFT),
        .pad_top = (int)REGISTER_FIELD(pads, PDP_D_POOLING_PADDING_CFG__PAD_TOP),
        .reciprocal_width = (int32_t)register_group_value(pdp, PDP_D_RECIP_KERNEL_WIDTH),
        .reciprocal_height = (int32_t)register_group_value(pdp, PDP_D_RECIP_KERNEL_HEIGHT),
    };
    switch (REGISTER_FIELD(mode, PDP_D_OPERATION_MODE_CFG__POOLING_METHOD)) {
    case PDP_AVERAGE:
        kernel.method = PDP_AVERAGE;
        break;
    case PDP_MIN:
        kernel.method = PDP_MIN;
        break;
    default: /* PDP_MAX, and the undefined method 3 */
        kernel.method = PDP_MAX;
        break;
    }
    for (uint32_t n = 1; n < PDP_PADS; n++) {
        uint32_t value = register_group_value(pdp, PDP_D_POOLING_PADDING_VALUE_1_CFG + 4 * (n - 1));
        kernel.pad[n] = wrap((int32_t)value, PAD_BITS);
    }
    return kernel;
}

void pdp_layer_decode(struct pdp_layer *layer, const struct nvdla_config *config, const struct register_group *pdp,
                      const struct register_group *rdma) {
    uint32_t mode = register_group_value(pdp, PDP_D_OPERATION_MODE_CFG);
    uint32_t width = register_group_value(pdp, PDP_D_DATA_CUBE_IN_WIDTH);
    uint32_t height = register_group_value(pdp, PDP_D_DATA_CUBE_IN_HEIGHT);
    uint32_t channel = register_group_value(pdp, PDP_D_DATA_CUBE_IN_CHANNEL);
    uint32_t partial_in = register_group_value(pdp, PDP_D_PARTIAL_WIDTH_IN);
    uint32_t partial_out = register_group_value(pdp, PDP_D_PARTIAL_WIDTH_OUT);
    int atom = config->mem_atom;

    *layer = (struct pdp_layer){
        .from_memory = REGISTER_FIELD(mode, PDP_D_OPERATION_MODE_CFG__FLYING_MODE),
        .source_primary =
            REGISTER_FIELD(register_group_value(rdma, PDP_RDMA_D_SRC_RAM_CFG), PDP_RDMA_D_SRC_RAM_CFG__SRC_RAM_TYPE),
        .destination_primary =
            REGISTER_FIELD(register_group_value(pdp, PDP_D_DST_RAM_CFG), PDP_D_DST_RAM_CFG__DST_RAM_TYPE),
        .kernel = decode_kernel(pdp),
        .width = (int)width + 1,
        .out_width = (int)register_group_value(pdp, PDP_D_DATA_CUBE_OUT_WIDTH) + 1,
        .height = (int)height + 1,
        .surfaces = surfaces_of(channel, atom),
        .out_height = (int)register_group_value(pdp, PDP_D_DATA_CUBE_OUT_HEIGHT) + 1,
        .atom = (size_t)atom,
        .strips = (int)REGISTER_FIELD(mode, PDP_D_OPERATION_MODE_CFG__SPLIT_NUM) + 1,
        .first_in = (int)REGISTER_FIELD(partial_in, PDP_D_PARTIAL_WIDTH_IN__PARTIAL_WIDTH_IN_FIRST) + 1,
        .mid_in = (int)REGISTER_FIELD(partial_in, PDP_D_PARTIAL_WIDTH_IN__PARTIAL_WIDTH_IN_MID) + 1,
        .last_in = (int)REGISTER_FIELD(partial_in, PDP_D_PARTIAL_WIDTH_IN__PARTIAL_WIDTH_IN_LAST) + 1,
        .first_out = (int)REGISTER_FIELD(partial_out, PDP_D_PARTIAL_WIDTH_OUT__PARTIAL_WIDTH_OUT_FIRST) + 1,
        .mid_out = (int)REGISTER_FIELD(partial_out, PDP_D_PARTIAL_WIDTH_OUT__PARTIAL_WIDTH_OUT_MID) + 1,
        .last_out = (int)REGISTER_FIELD(partial_out, PDP_D_PARTIAL_WIDTH_OUT__PARTIAL_WIDTH_OUT_LAST) + 1,
        .source = dma_address(config, rdma, PDP_RDMA_D_SRC_BASE_ADDR_LOW, PDP_RDMA_D_SRC_BASE_ADDR_HIGH),
        .source_line = register_group_value(rdma, PDP_RDMA_D_SRC_LINE_STRIDE),
        .source_surface = register_group_value(rdma, PDP_RDMA_D_SRC_SURFACE_STRIDE),
        .destination = dma_address(config, pdp, PDP_D_DST_BASE_ADDR_LOW, PDP_D_DST_BASE_ADDR_HIGH),
        .destination_line = register_group_value(pdp, PDP_D_DST_LINE_STRIDE),
        .destination_surface = register_group_value(pdp, PDP_D_DST_SURFACE_STRIDE),
    };
    uint32_t out_channel = register_group_value(pdp, PDP_D_DATA_CUBE_OUT_CHANNEL);
    layer->valid = layer->surfaces == surfaces_of(out_channel, atom);
    if (!layer->from_memory) {
        layer->valid = layer->valid && layer->strips == 1;
        return;
    }
    uint32_t rdma_mode = register_group_value(rdma, PDP_RDMA_D_OPERATION_MODE_CFG);
    uint32_t rdma_shape = register_group_value(rdma, PDP_RDMA_D_POOLING_KERNEL_CFG);
    uint32_t rdma_channel = register_group_value(rdma, PDP_RDMA_D_DATA_CUBE_IN_CHANNEL);
    int rdma_strips = (int)REGISTER_FIELD(rdma_mode, PDP_RDMA_D_OPERATION_MODE_CFG__SPLIT_NUM) + 1;
    layer->valid = layer->valid && layer->surfaces == surfaces_of(rdma_channel, atom) &&
                   height == register_group_value(rdma, PDP_RDMA_D_DATA_CUBE_IN_HEIGHT) && layer->strips == rdma_strips;
    if (layer->strips == 1) {
        layer->valid = layer->valid && width == register_group_value(rdma, PDP_RDMA_D_DATA_CUBE_IN_WIDTH);
        return;
    }
    int rdma_kernel = (int)REGISTER_FIELD(rdma_shape, PDP_RDMA_D_POOLING_KERNEL_CFG__KERNEL_WIDTH) + 1;
    int rdma_stride = (int)REGISTER_FIELD(rdma_shape, PDP_RDMA_D_POOLING_KERNEL_CFG__KERNEL_STRIDE_WIDTH) + 1;
    layer->valid = layer->valid && partial_in == register_group_value(rdma, PDP_RDMA_D_PARTIAL_WIDTH_IN) &&
                   rdma_kernel == layer->kernel.width && rdma_stride == layer->kernel.stride_width;
    for (int i = 0; i < layer->strips; i++) {
        layer->valid = layer->valid && strip_of(layer, i).width >= 1;
    }
}

uint64_t pdp_layer_atoms(const struct pdp_layer *layer) {
    uint64_t in = 0, out = 0;
    for (int i = 0; i < layer->strips; i++) {
        struct strip strip = strip_of(layer, i);
        in += strip.width > 0 ? (uint64_t)strip.width : 0;
        out += (uint64_t)strip.out_width;
    }
    return (uint64_t)layer->surfaces * (in * (uint64_t)layer->height + out * (uint64_t)layer->out_height);
}

/* ---- execution ---- */

struct buffers {
    uint8_t *line; /* input line */
    int16_t *rows; /* ring of KEPT_ROWS pooled rows */
    int32_t *total;
    int8_t *out;         /* output line */
    size_t row_elements; /* of the widest strip */
};

static void buffers_free(struct buffers *buffers) {
    free(buffers->line);
    free(buffers->rows);
    free(buffers->total);
    free(buffers->out);
}

static bool buffers_new(struct buffers *buffers, const struct pdp_layer *layer) {
    int width = 0, out_width = 0;
    for (int i = 0; i < layer->strips; i++) {
        struct strip strip = strip_of(layer, i);
        width = strip.width > width ? strip.width : width;
        out_width = strip.out_width > out_width ? strip.out_width : out_width;
    }
    size_t elements = (size_t)out_width * layer->atom;
    *buffers = (struct buffers){
        .line = malloc((size_t)width * layer->atom),
        .rows = malloc(KEPT_ROWS * elements * sizeof *buffers->rows),
        .total = malloc(elements * sizeof *buffers->total),
        .out = malloc(elements),
        .row_elements = elements,
    };
    if (!buffers->line || !buffers->rows || !buffers->total || !buffers->out) {
        buffers_free(buffers);
        return false;
    }
    return true;
}

static void pool_line(const struct pdp_layer *layer, const struct strip *strip, const uint8_t *line, int16_t *row) {
    const int8_t *in = (const int8_t *)line;
    switch (layer->atom) {
    case 8:
        pool_row(&layer->kernel, strip, in, row, 8);
        break;
    case 16:
        pool_row(&layer->kernel, strip, in, row, 16);
        break;
    case 32:
        pool_row(&layer->kernel, strip, in, row, 32);
        break;
    default:
        pool_row(&layer->kernel, strip, in, row, layer->atom);
        break;
    }
}

/* Last input row that output row oy needs; windows that hang over the bottom edge end with the cube. */
static int last_row(const struct pdp_layer *layer, int oy) {
    int last = oy * layer->kernel.stride_height - layer->kernel.pad_top + layer->kernel.height - 1;
    return last < layer->height - 1 ? last : layer->height - 1;
}

/* Makes output line oy of a surface from the kept rows and writes it. */
static void write_line(const struct pdp_layer *layer, const struct strip *strip, int surface, int oy,
                       struct buffers *buffers, struct dma *output) {
    const int16_t *rows[KEPT_ROWS];
    int count = 0;
    int top = oy * layer->kernel.stride_height - layer->kernel.pad_top;
    for (int y = top > 0 ? top : 0; y <= last_row(layer, oy); y++) {
        rows[count++] = buffers->rows + (size_t)(y % KEPT_ROWS) * buffers->row_elements;
    }
    size_t atoms = (size_t)strip->out_width;
    pool_rows(&layer->kernel, rows, count, atoms * layer->atom, buffers->total, buffers->out);
    uint64_t at = layer->destination + (uint64_t)surface * layer->destination_surface +
                  (uint64_t)oy * layer->destination_line + (uint64_t)strip->out_column * layer->atom;
    dma_write(output, at, buffers->out, atoms);
}

static void run_surface(const struct pdp_layer *layer, const struct strip *strip, int surface, struct pdp_source source,
                        struct buffers *buffers, struct dma *output) {
    int oy = 0;
    for (int y = 0; y < layer->height; y++) {
        source.next_line(source.context, buffers->line);
        pool_line(layer, strip, buffers->line, buffers->rows + (size_t)(y % KEPT_ROWS) * buffers->row_elements);
        while (oy < layer->out_height && last_row(layer, oy) <= y) {
            write_line(layer, strip, surface, oy, buffers, output);
            oy++;
        }
    }
}

bool pdp_run(const struct pdp_layer *layer, struct pdp_source source, struct dma *output) {
    struct buffers buffers;
    if (!buffers_new(&buffers, layer)) {
        return false;
    }
    for (int i = 0; i < layer->strips; i++) {
        struct strip strip = strip_of(layer, i);
        for (int surface = 0; surface < layer->surfaces; surface++) {
            run_surface(layer, &strip, surface, source, &buffers, output);
        }
    }
    dma_flush(output);
    buffers_free(&buffers);
    return true;
}

/* PDP_RDMA: one request per line of a strip. */
struct reader {
    const struct pdp_layer *layer;
    struct dma *input;
    int strip, surface, line; /* the next one */
};

static void read_line(void *context, uint8_t *bytes) {
    struct reader *reader = context;
    const struct pdp_layer *layer = reader->layer;
    struct strip strip = strip_of(layer, reader->strip);
    uint64_t at = layer->source + (uint64_t)reader->surface * layer->source_surface +
                  (uint64_t)reader->line * layer->source_line + (uint64_t)strip.column * layer->atom;
    dma_read(reader->input, at, bytes, (size_t)strip.width);
    if (++reader->line == layer->height) {
        reader->line = 0;
        if (++reader->surface == layer->surfaces) {
            reader->surface = 0;
            reader->strip++;
        }
    }
}

bool pdp_run_from_memory(const struct pdp_layer *layer, struct dma *input, struct dma *output) {
    struct reader reader = {.layer = layer, .input = input};
    return pdp_run(layer, (struct pdp_source){read_line, &reader}, output);
}
