/* A layer of PDP and PDP_RDMA: strips, lines in, windows, lines out. See pdp.h. */
#include "model/pdp.h"

#include <limits.h>
#include <stdlib.h>

#include "nvdla/fixed.h"
#include "nvdla/fp.h"
#include "nvdla/sizes.h"
#include "nvdla/xalloc.h"

enum { KEPT_ROWS = 16 }; /* a window is not higher */

enum { PAD_BITS = 19 };

/* Strip 0 .. strips-1 of the layer. */
static struct pdp_strip strip_of(const struct pdp_layer *layer, int index) {
    return pdp_strip(&layer->in, &layer->out, layer->kernel.width - layer->kernel.stride_width, index);
}

/* ---- registers ---- */

static int surfaces_of(int channels, size_t lanes) {
    return (int)ceil_div((size_t)channels, lanes);
}

static struct pdp_kernel decode_kernel(const struct registers_view *view) {
    uint32_t mode = VALUE(view, PDP, D_OPERATION_MODE_CFG);
    uint32_t shape = VALUE(view, PDP, D_POOLING_KERNEL_CFG);
    uint32_t pads = VALUE(view, PDP, D_POOLING_PADDING_CFG);
    struct pdp_kernel kernel = {
        .width = (int)REGISTER_FIELD(shape, PDP_D_POOLING_KERNEL_CFG__KERNEL_WIDTH) + 1,
        .height = (int)REGISTER_FIELD(shape, PDP_D_POOLING_KERNEL_CFG__KERNEL_HEIGHT) + 1,
        .stride_width = (int)REGISTER_FIELD(shape, PDP_D_POOLING_KERNEL_CFG__KERNEL_STRIDE_WIDTH) + 1,
        .stride_height = (int)REGISTER_FIELD(shape, PDP_D_POOLING_KERNEL_CFG__KERNEL_STRIDE_HEIGHT) + 1,
        .pad_left = (int)REGISTER_FIELD(pads, PDP_D_POOLING_PADDING_CFG__PAD_LEFT),
        .pad_right = (int)REGISTER_FIELD(pads, PDP_D_POOLING_PADDING_CFG__PAD_RIGHT),
        .pad_top = (int)REGISTER_FIELD(pads, PDP_D_POOLING_PADDING_CFG__PAD_TOP),
        .pad_bottom = (int)REGISTER_FIELD(pads, PDP_D_POOLING_PADDING_CFG__PAD_BOTTOM),
        .reciprocal_width = VALUE(view, PDP, D_RECIP_KERNEL_WIDTH),
        .reciprocal_height = VALUE(view, PDP, D_RECIP_KERNEL_HEIGHT),
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
        uint32_t value = view_value(view, NVDLA_PDP, PDP_D_POOLING_PADDING_VALUE_1_CFG + 4 * (n - 1));
        kernel.pad[n] = (int32_t)fixed_sign_extend(value, PAD_BITS);
    }
    return kernel;
}

/* Two strips have no middle one, and nothing reads its width. */
static bool same_strips(const struct pdp_strips *a, const struct pdp_strips *b) {
    return a->count == b->count && a->first == b->first && (a->middle == b->middle || a->count <= 2) &&
           a->last == b->last;
}

/* True if PDP_RDMA reads what PDP takes. */
static bool rdma_fits(const struct pdp_layer *layer, const struct pdp_cubes *pdp, const struct pdp_rdma_cubes *rdma) {
    const struct cube *source = &rdma->source.cube;
    return pdp->precision == rdma->precision && surfaces_of(source->channels, layer->lanes) == layer->surfaces &&
           source->height == layer->height && same_strips(&pdp->in, &rdma->in) &&
           (layer->in.count == 1 ||
            (rdma->kernel_width == layer->kernel.width && rdma->stride_width == layer->kernel.stride_width));
}

int pdp_waiting_lines(const struct pdp_kernel *kernel) {
    int height = kernel->height, stride = kernel->stride_height;
    if (stride >= height)
        return 1;
    if (stride == 1)
        return height;
    if (stride == 2)
        return (height + 1) / 2;
    return stride == 3 && height > 6 ? 3 : 2;
}

int pdp_line_buffer_columns(const struct pdp_kernel *kernel) {
    int lines = pdp_waiting_lines(kernel);
    return kernel->height == 1 ? INT_MAX : lines == 1 ? 128 : lines == 2 ? 64 : lines <= 4 ? 32 : 16;
}

/* True if lines of this width wait for ever for room in the line buffer. A single waiting line that is too long does
 * not hang: its data is wrong on the hardware. Spec: 60-pdp section 9. */
static bool line_buffer_hangs(const struct pdp_kernel *kernel, int out_width) {
    return pdp_waiting_lines(kernel) > 1 && out_width > pdp_line_buffer_columns(kernel);
}

/* True if windows that do not divide the cube exactly hang: the remainder is in the padding, and the first window
 * already passes the end. Sizes are along one axis. Spec: 60-pdp section 4, second row of the table. */
static bool remainder_hangs(int size, int before, int after, int kernel, int stride, int out) {
    int rest = size + before + after - kernel;
    return rest > 0 && rest % stride > 0 && rest % stride <= after && out >= 2 && kernel - before > size;
}

/* True if the hardware finishes the layer; what it then computes wrongly is computed by the formulas here. */
static bool windows_finish(const struct pdp_layer *layer) {
    const struct pdp_kernel *kernel = &layer->kernel;
    if (remainder_hangs(layer->height, kernel->pad_top, kernel->pad_bottom, kernel->height, kernel->stride_height,
                        layer->out_height))
        return false;
    if (layer->in.count == 1 && remainder_hangs(layer->width, kernel->pad_left, kernel->pad_right, kernel->width,
                                                kernel->stride_width, layer->out_width))
        return false;
    for (int i = 0; i < layer->in.count; i++) {
        struct pdp_strip strip = strip_of(layer, i);
        if (strip.width < 1 || line_buffer_hangs(kernel, strip.out_width))
            return false;
    }
    return true;
}

void pdp_layer_decode(struct pdp_layer *layer, const struct registers_view *view) {
    const struct pdp_cubes pdp = pdp_cubes(view);
    const struct pdp_rdma_cubes rdma = pdp_rdma_cubes(view);
    const struct cube *destination = &pdp.destination.cube;
    size_t atom = (size_t)view->config->mem_atom, lanes = atom / (size_t)nvdla_element_bytes(pdp.precision);
    *layer = (struct pdp_layer){
        .from_memory = pdp.from_memory,
        .flush_nans =
            pdp.from_memory && pdp.precision == NVDLA_FP16 && FIELD(view, PDP, D_NAN_FLUSH_TO_ZERO, NAN_TO_ZERO),
        .kernel = decode_kernel(view),
        .width = pdp.in_width,
        .out_width = pdp.out_width,
        .height = pdp.in_height,
        .surfaces = surfaces_of(pdp.in_channels, lanes),
        .channels = (size_t)destination->channels,
        .out_height = destination->height,
        .atom = atom,
        .lanes = lanes,
        .in = pdp.in,
        .out = pdp.out,
        .source = rdma.source,
        .destination = pdp.destination,
    };
    layer->kernel.precision = pdp.precision;
    layer->kernel.wide_total = !nvdla_has_16_bits(view->config); /* 60-pdp section 5.3: the generations differ */
    bool source_fits = layer->from_memory ? rdma_fits(layer, &pdp, &rdma) : layer->in.count == 1;
    layer->valid = source_fits && pdp.precision <= NVDLA_FP16 &&
                   layer->surfaces == surfaces_of(destination->channels, lanes) && windows_finish(layer);
}

uint64_t pdp_layer_atoms(const struct pdp_layer *layer) {
    uint64_t in = 0, out = 0;
    for (int i = 0; i < layer->in.count; i++) {
        struct pdp_strip strip = strip_of(layer, i);
        in += strip.width > 0 ? (uint64_t)strip.width : 0;
        out += (uint64_t)strip.out_width;
    }
    return (uint64_t)layer->surfaces * (in * (uint64_t)layer->height + out * (uint64_t)layer->out_height);
}

/* ---- execution ---- */

struct buffers {
    uint8_t *line;    /* input line */
    uint8_t *rows;    /* ring of KEPT_ROWS pooled rows */
    int32_t *total;   /* scratch of the 2-D stage */
    uint8_t *out;     /* output line */
    size_t row_bytes; /* of the widest strip */
};

static void buffers_free(struct buffers *buffers) {
    free(buffers->line);
    free(buffers->rows);
    free(buffers->total);
    free(buffers->out);
}

static void buffers_new(struct buffers *buffers, const struct pdp_layer *layer) {
    int width = 0, out_width = 0;
    for (int i = 0; i < layer->in.count; i++) {
        struct pdp_strip strip = strip_of(layer, i);
        width = strip.width > width ? strip.width : width;
        out_width = strip.out_width > out_width ? strip.out_width : out_width;
    }
    size_t elements = (size_t)out_width * layer->lanes;
    size_t row_bytes = elements * pdp_row_element(layer->kernel.precision);
    *buffers = (struct buffers){
        .line = xmalloc((size_t)width * layer->atom),
        .rows = xmalloc(KEPT_ROWS * row_bytes),
        .total = xmalloc(elements * sizeof *buffers->total),
        .out = xmalloc((size_t)out_width * layer->atom),
        .row_bytes = row_bytes,
    };
}

static uint8_t *kept_row(const struct buffers *buffers, int y) {
    return buffers->rows + (size_t)(y % KEPT_ROWS) * buffers->row_bytes;
}

/* Last input row that output row oy needs; windows that extend past the bottom edge end with the cube. */
static int last_row(const struct pdp_layer *layer, int oy) {
    int last = oy * layer->kernel.stride_height - layer->kernel.pad_top + layer->kernel.height - 1;
    return last < layer->height - 1 ? last : layer->height - 1;
}

/* Computes output line oy of a surface from the stored rows and writes it. */
static void write_line(const struct pdp_layer *layer, const struct pdp_strip *strip, int surface, int oy,
                       struct buffers *buffers, struct dma *output, struct fp16_specials *specials) {
    const void *rows[KEPT_ROWS];
    int count = 0;
    int top = oy * layer->kernel.stride_height - layer->kernel.pad_top;
    for (int y = top > 0 ? top : 0; y <= last_row(layer, oy); y++)
        rows[count++] = kept_row(buffers, y);
    size_t atoms = (size_t)strip->out_width, elements = atoms * layer->lanes;
    // cppcheck-suppress uninitvar ; count are there
    pdp_pool_height(&layer->kernel, rows, count, elements, buffers->total, buffers->out);
    const struct tap_place place = {.channel = surface * (int)layer->lanes, .y = oy, .x = strip->out_column};
    tap_send(&layer->taps.output, place, buffers->out, atoms,
             tap_lanes((size_t)layer->channels, layer->lanes, (size_t)surface), layer->lanes);
    const struct cube *to = &layer->destination.cube;
    uint64_t at = to->base + (uint64_t)surface * to->surface_stride + (uint64_t)oy * to->line_stride +
                  (uint64_t)strip->out_column * layer->atom;
    dma_write(output, at, buffers->out, atoms);
    if (layer->kernel.precision == NVDLA_FP16)
        fp16_count_specials(buffers->out, elements, specials);
}

static void run_surface(const struct pdp_layer *layer, const struct pdp_strip *strip, int surface,
                        struct pdp_source source, struct buffers *buffers, struct dma *output,
                        struct fp16_specials *specials) {
    const struct pdp_kernel *kernel = &layer->kernel;
    const size_t lanes = tap_lanes((size_t)layer->channels, layer->lanes, (size_t)surface);
    const int pad_left = strip->out_column == 0 ? kernel->pad_left : 0; /* of the first strip */
    int oy = 0;
    for (int y = 0; y < layer->height; y++) {
        source.next_line(source.context, buffers->line);
        if (layer->flush_nans)
            fp16_flush_nans(buffers->line, (size_t)strip->width * layer->lanes);
        struct tap_place place = {.channel = surface * (int)layer->lanes, .y = y, .x = strip->column};
        tap_send(&layer->taps.input, place, buffers->line, (size_t)strip->width, lanes, layer->lanes);
        pdp_pool_width(kernel, buffers->line, strip->width, pad_left, kept_row(buffers, y), strip->out_width,
                       layer->lanes);
        place.x = strip->out_column;
        if (pdp_line_counts(y, kernel->height, kernel->stride_height, kernel->pad_top, layer->out_height))
            tap_send(&layer->taps.row, place, kept_row(buffers, y), (size_t)strip->out_width, lanes, layer->lanes);
        while (oy < layer->out_height && last_row(layer, oy) <= y) {
            write_line(layer, strip, surface, oy, buffers, output, specials);
            oy++;
        }
    }
}

void pdp_run(const struct pdp_layer *layer, struct pdp_source source, struct dma *output, uint64_t *nan_outputs) {
    struct buffers buffers;
    struct fp16_specials specials = {.nan = 0};
    buffers_new(&buffers, layer);
    for (int i = 0; i < layer->in.count; i++) {
        struct pdp_strip strip = strip_of(layer, i);
        for (int surface = 0; surface < layer->surfaces; surface++)
            run_surface(layer, &strip, surface, source, &buffers, output, &specials);
    }
    dma_flush(output);
    buffers_free(&buffers);
    *nan_outputs = specials.nan;
}

/* PDP_RDMA: one request per line of a strip. */
struct pdp_reader {
    const struct pdp_layer *layer;
    struct dma *input;
    int strip, surface, line; /* the next one */
};

static void read_line(void *context, uint8_t *bytes) {
    struct pdp_reader *reader = context;
    const struct pdp_layer *layer = reader->layer;
    struct pdp_strip strip = strip_of(layer, reader->strip);
    const struct cube *from = &layer->source.cube;
    uint64_t at = from->base + (uint64_t)reader->surface * from->surface_stride +
                  (uint64_t)reader->line * from->line_stride + (uint64_t)strip.column * layer->atom;
    dma_read(reader->input, at, bytes, (size_t)strip.width);
    if (++reader->line == layer->height) {
        reader->line = 0;
        if (++reader->surface == layer->surfaces) {
            reader->surface = 0;
            reader->strip++;
        }
    }
}

void pdp_run_from_memory(const struct pdp_layer *layer, struct dma *input, struct dma *output, uint64_t *nan_outputs) {
    struct pdp_reader reader = {.layer = layer, .input = input};
    pdp_run(layer, (struct pdp_source){read_line, &reader}, output, nan_outputs);
}
