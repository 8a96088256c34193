/* Convolution layers with feature, image or Winograd input, always followed by SDP: legality and registers. Spec:
 * 30-cdma-cbuf, 40-convolution-core, 20-data-formats sections 2, 4, 5 and 6, 98-measured-rules section 8. */
#include <inttypes.h>

#include "gen/conv_sizes.h"
#include "gen/engine.h"
#include "nvdla/pixel.h"
#include "nvdla_offsets.h"

enum {
    BURST_ATOMS = 8,            /* of a weight request, issued once there is room for all of it */
    WEIGHT_UNIT = 128,          /* documented multiple of WEIGHT_BYTES and of the sizes of WMB and WGS */
    GROUP_SIZE_BYTES = 4,       /* of WGS */
    KERNEL_LIMIT = 1 << 18,     /* bytes of one kernel */
    COMPRESSED_LIMIT = 1 << 21, /* elements of a layer whose mask bits are drawn */
    ENTRIES_LIMIT = 1 << 14,    /* of a slice */
    ATOMICS_LIMIT = 1 << 21,    /* output positions */
};

/* ---- shape ----------------------------------------------------------------------------------- */

static int64_t conv_kernel_bytes(const struct nvdla_config *config, const struct gen_layer *layer) {
    return conv_kernel_elements(config, layer) * conv_element_bytes(layer);
}

/* Output size along one dimension; 0 with a message. reach: elements from the first to the last one of a kernel. */
static int64_t window_size(const char *name, int64_t size, int64_t reach, int64_t stride, int64_t before, int64_t after,
                           struct error *err) {
    if (before >= reach || after >= reach || size + before + after < reach)
        return error_set(err,
                         "%s: a kernel that reaches over %" PRId64 " on %" PRId64 " with pads %" PRId64 " and %" PRId64,
                         name, reach, size, before, after);
    return (size + before + after - reach) / stride + 1;
}

/* The same for Winograd: the extended cube has whole tiles, the output is one tile smaller. 40-convolution-core
 * sections 5, 7.1 and 12. */
static int64_t winograd_size(const char *name, int64_t size, int64_t stride, int64_t before, int64_t after,
                             struct error *err) {
    int64_t padded = before + size + after;
    if (before >= GEN_WINOGRAD_TAPS * stride || padded % (GEN_TILE * stride) != 0 || padded < 2 * GEN_TILE * stride)
        return error_set(err,
                         "%s: %" PRId64 " with pads %" PRId64 " and %" PRId64
                         " is not two or more Winograd tiles of %" PRId64
                         ", or the first pad is larger than a kernel reaches",
                         name, size, before, after, GEN_TILE * stride);
    return padded / stride - GEN_TILE;
}

static bool image_legal(const struct nvdla_config *config, const struct gen_layer *layer, struct error *err) {
    const struct nvdla_pixel_format *format = nvdla_pixel_format(config, (uint32_t)layer->format);
    if (!format)
        return error_set(err, "configuration %s does not read format %d", config->name, (int)layer->format);
    if (layer->c != format->components)
        return error_set(err, "format %s has %d components", format->name, format->components);
    if (layer->x_offset >= config->mem_atom / format->pixel_bytes[0])
        return error_set(err, "x_offset %d: the pixel lies in the next atom", (int)layer->x_offset);
    if (format->precision == NVDLA_FP16 && layer->precision != NVDLA_FP16)
        return error_set(err, "format %s is for FP16", format->name);
    if (format->precision != (enum nvdla_precision)layer->precision && !layer->cvt)
        return error_set(err, "format %s needs the convertor for another precision", format->name);
    if (!layer->sign && !layer->cvt)
        return error_set(err, "unsigned pixels need the convertor");
    if (layer->source)
        return error_set(err, "images lie in memory of their own");
    int64_t part = config->atomic_c / layer->post;
    if (layer->post == 3 || (layer->post > 1 && (layer->s * layer->c > part || layer->stride_x * layer->c > part)))
        return error_set(err, "post-extension %d: %" PRId64 " elements of a line, stride %" PRId64 ", at most %" PRId64,
                         (int)layer->post, layer->s * layer->c, layer->stride_x * layer->c, part);
    return layer->s * layer->c <= GEN_SIZE_LIMIT || error_set(err, "kernel line too long");
}

static bool mode_legal(const struct nvdla_config *config, const struct gen_layer *layer, struct error *err) {
    if (layer->conv == GEN_WINOGRAD && !nvdla_has(config, FEATURE_WINOGRAD))
        return error_set(err, "configuration %s has no Winograd", config->name);
    if (layer->compressed && !nvdla_has(config, FEATURE_COMPRESSION))
        return error_set(err, "configuration %s has no compressed weights", config->name);
    if (layer->batches > config->batch_max)
        return error_set(err, "%d batches, configuration %s has at most %d", (int)layer->batches, config->name,
                         config->batch_max);
    if (layer->batches > 1 && (layer->conv != GEN_FEATURE || layer->source))
        return error_set(err, "batches are for feature cubes in memory of their own");
    if (layer->conv != GEN_FEATURE && (layer->dilation_x != 1 || layer->dilation_y != 1))
        return error_set(err, "%s no dilation", layer->conv == GEN_IMAGE ? "images have" : "Winograd has");
    if (layer->conv != GEN_IMAGE && layer->post != 1)
        return error_set(err, "post-extension is for images");
    if (config->map == NVDLA_MAP_FULL && layer->eps_extra)
        return error_set(err, "entries per slice are exact"); /* larger values are measured in the small map only */
    return layer->conv != GEN_IMAGE || image_legal(config, layer, err);
}

/* The layer and the convolution before, whose data stays in CBUF, have equal data except for the height. */
static bool same_data(const struct gen_layer *last, const struct gen_layer *layer) {
    bool same = last->conv == layer->conv && last->precision == layer->precision && last->batches == layer->batches &&
                last->w == layer->w && last->c == layer->c;
    if (layer->conv == GEN_IMAGE)
        same = same && last->format == layer->format;
    if (layer->conv == GEN_WINOGRAD)
        same = same && last->stride_x == layer->stride_x && last->stride_y == layer->stride_y;
    if (layer->conv != GEN_FEATURE)
        same = same && last->pad_left == layer->pad_left && last->pad_right == layer->pad_right;
    return same;
}

/* A convolution and what it leaves in CBUF. */
struct legacy {
    const struct gen_layer *layer; /* NULL: nothing remains, the banks changed */
    const struct gen_shape *shape;
};

/* Lines: what the previous layer left in CBUF, and what this one leaves. */
static bool data_legal(const struct nvdla_config *config, const struct gen_layer *layer, struct legacy last,
                       struct gen_shape *shape, struct error *err) {
    int64_t unit = layer->conv == GEN_WINOGRAD ? GEN_TILE : 1, slices = conv_slices(layer);

    if (last.layer && last.shape->unfit)
        return error_set(err, "lines that CSC does not know of are left in the same banks");
    shape->lines = layer->h;
    shape->fetch = true;
    if (layer->reuse_data) {
        if (!last.layer || last.shape->kept == 0 || last.shape->entries != shape->entries ||
            !same_data(last.layer, layer))
            return error_set(err, "reuse_data: the convolution before left no such lines");
        if (layer->source)
            return error_set(err, "reuse_data: lines of another layer's output");
        shape->fetch = !last.layer->skip_data;
        shape->lines = layer->h - last.shape->kept * (layer->conv == GEN_WINOGRAD ? layer->stride_y : 1);
        if (shape->fetch ? shape->lines < 1 || slices <= last.shape->kept : slices > last.shape->kept)
            return error_set(err, "reuse_data: %" PRId64 " lines are kept, %" PRId64 " are used", last.shape->kept,
                             slices);
        if (shape->fetch && layer->conv == GEN_WINOGRAD && layer->pad_top)
            return error_set(err, "reuse_data: the lines of the top pad are kept ones");
    }
    shape->unfit = !shape->fetch && last.layer && slices < last.shape->kept;
    if (!layer->skip_data && layer->keep >= slices)
        return error_set(err, "keep: at least one of %" PRId64 " lines is released", slices);
    if (!layer->skip_data && layer->keep % unit != 0)
        return error_set(err, "keep: whole tiles of Winograd");
    shape->kept = layer->skip_data ? slices : layer->keep;
    if (slices * shape->entries * layer->batches > shape->data_banks * conv_bank_entries(config))
        return error_set(err, "%" PRId64 " lines of %" PRId64 " entries do not fit into %" PRId64 " banks",
                         slices * layer->batches, shape->entries, shape->data_banks);
    return true;
}

/* Weights likewise. */
static bool weights_legal(const struct nvdla_config *config, const struct gen_layer *layer, struct legacy last,
                          struct gen_shape *shape, struct error *err) {
    int64_t entry = conv_entry_bytes(config), bank = conv_bank_entries(config) * entry;
    int64_t burst = BURST_ATOMS * (int64_t)config->mem_atom;
    if (layer->compressed && layer->k * conv_kernel_elements(config, layer) > COMPRESSED_LIMIT)
        return error_set(err, "too many compressed weights");
    if (layer->reuse_weights &&
        (!last.layer || !last.layer->skip_weights || last.layer->k != layer->k ||
         last.layer->precision != layer->precision ||
         conv_kernel_bytes(config, last.layer) != conv_kernel_bytes(config, layer) ||
         last.layer->compressed != layer->compressed || last.layer->weight_pad != layer->weight_pad))
        return error_set(err, "reuse_weights: the convolution before left no such weights");

    struct conv_weight_sizes sizes = conv_weight_sizes(config, layer);
    /* CDMA fetches at least an entry, even if no element is present */
    int64_t used = round_up(sizes.bytes, entry), fetched = used ? used : entry;
    shape->weight_size[GEN_WEIGHTS] = (uint64_t)(layer->weight_pad ? round_up(fetched, WEIGHT_UNIT) : fetched);
    shape->weight_size[GEN_WEIGHT_MASKS] = (uint64_t)round_up(sizes.mask_bytes, entry);
    if (layer->compressed)
        shape->weight_size[GEN_WEIGHT_GROUPS] = (uint64_t)round_up(sizes.groups * GROUP_SIZE_BYTES, WEIGHT_UNIT);
    shape->weights_used = used;
    if (layer->reuse_weights) { /* those of the previous layer, regardless of this one's seed */
        for (int i = 0; i < GEN_WEIGHT_SURFACES; i++)
            shape->weight_size[i] = last.shape->weight_size[i];
        shape->weights_used = last.shape->weights_used;
    }
    shape->stale = last.layer ? last.shape->stale : 0;
    shape->fetch_weights = !layer->reuse_weights;
    bool whole = layer->skip_weights || layer->reuse_weights;
    if (whole && shape->stale)
        return error_set(err, "weights of an earlier layer lie in front of those to be kept");
    int64_t all = (int64_t)shape->weight_size[GEN_WEIGHTS], masks = (int64_t)shape->weight_size[GEN_WEIGHT_MASKS];
    int64_t need = sizes.largest_group + 2 * entry + burst, mask_need = sizes.largest_mask_group + 2 * entry + burst;
    if (whole || need > all)
        need = all;
    if (whole || mask_need > masks)
        mask_need = masks;
    if (shape->stale * entry + need > shape->weight_banks * bank)
        return error_set(err, "%" PRId64 " bytes of weights do not fit into %" PRId64 " banks",
                         shape->stale * entry + need, shape->weight_banks);
    if (mask_need > bank - entry)
        return error_set(err, "%" PRId64 " bytes of mask bits do not fit into the last bank", mask_need);
    if (!layer->skip_weights)
        shape->stale += (all - shape->weights_used) / entry;
    return true;
}

/* Lines and weights left by the previous convolution, unless a change of banks drops them. */
static bool buffer_legal(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    struct gen_shape *shape = &shapes[index];
    struct legacy data = {NULL, NULL}, weights = {NULL, NULL};
    int last = shape->previous_conv;
    if (last >= 0 && shapes[last].data_banks == shape->data_banks)
        data = (struct legacy){&gen->layers[last], &shapes[last]};
    if (last >= 0 && shapes[last].weight_banks == shape->weight_banks)
        weights = data;
    return data_legal(gen->config, layer, data, shape, err) && weights_legal(gen->config, layer, weights, shape, err);
}

/* Clocks, roughly: the fetch, then the stripes, at least as long as the output takes. */
static int64_t conv_cycles(const struct nvdla_config *config, const struct gen_layer *layer,
                           const struct gen_shape *shape, int64_t positions) {
    int64_t groups = cdiv(layer->k, conv_kernel_group(config, layer)), channels = conv_channels(config, layer);
    int64_t steps = cdiv(channels, config->atomic_c) * layer->r * layer->s;
    if (layer->conv == GEN_IMAGE)
        steps = cdiv(channels, config->atomic_c) * cdiv(layer->r, layer->post);
    if (layer->conv == GEN_WINOGRAD)
        steps = cdiv(channels, GEN_TILE);
    positions *= layer->batches;
    int64_t stripe = positions < 8 ? 8 : positions;
    int64_t atoms = layer->h * layer->w * cdiv(layer->c * conv_element_bytes(layer), config->mem_atom);
    int64_t weights = (int64_t)(shape->weight_size[GEN_WEIGHTS] + shape->weight_size[GEN_WEIGHT_MASKS]);
    int64_t fetch = atoms * layer->batches + weights / config->mem_atom + layer->h * 10;
    return 400 + fetch + groups * steps * stripe;
}

/* Planes of an image as they are read from memory. */
static void image_shape(const struct nvdla_config *config, const struct gen_layer *layer, struct gen_shape *shape) {
    const struct nvdla_pixel_format *format = nvdla_pixel_format(config, (uint32_t)layer->format);
    for (int plane = 0; plane < format->planes; plane++) {
        int64_t pixel = format->pixel_bytes[plane], atom = config->mem_atom;
        int64_t offset = plane == 0 ? layer->x_offset : layer->x_offset % (atom / pixel);
        int64_t bytes = round_up((offset + layer->w) * pixel, atom);
        int64_t slack = plane == 0 ? layer->in_line : layer->uv_line;
        shape->plane_line[plane] = (uint64_t)(bytes + slack * atom);
        shape->plane_size[plane] = (uint64_t)(shape->lines - 1) * shape->plane_line[plane] + (uint64_t)bytes;
    }
    shape->pixel_precision = format->precision;
    shape->in_secondary = layer->in_space != 0;
}

/* Cubes of batches are contiguous, also those of the output (gen_output_shape). Spec: 50-sdp section 8.3. */
static bool batch_shape(const struct nvdla_config *config, const struct gen_layer *layer, struct gen_shape *shape,
                        struct error *err) {
    bool element = false;
    for (int i = 0; i < GEN_STAGES; i++) {
        const struct gen_stage *stage = gen_stage_of(layer, i);
        element = element || (stage->on && stage->element &&
                              ((stage->alu && stage->alu_memory) || (stage->mul && stage->mul_memory)));
    }
    if (element && shape->middle.width == 1 && shape->middle.height == 1 && cube_surfaces(&shape->middle) > 1)
        return error_set(err, "operands for each element of batches of one column, line and more than one surface");
    /* SDP writes pairs of columns into one aligned block each; readers of operands per element depend on it */
    shape->out_align = layer->batches > 1 ? 2 * (uint64_t)config->mem_atom : 0;
    if (shape->fetch)
        shape->in_batch_stride = cube_extent(&shape->in) + (uint64_t)(layer->in_batch * config->mem_atom);
    return true;
}

bool gen_conv_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    const struct nvdla_config *config = gen->config;
    struct gen_shape *shape = &shapes[index];
    int64_t w = 0, h = 0;
    bool sized =
        layer->conv == GEN_WINOGRAD
            ? (w = winograd_size("width", layer->w, layer->stride_x, layer->pad_left, layer->pad_right, err)) &&
                  (h = winograd_size("height", layer->h, layer->stride_y, layer->pad_top, layer->pad_bottom, err))
            : (w = window_size("width", layer->w, (layer->s - 1) * layer->dilation_x + 1, layer->stride_x,
                               layer->pad_left, layer->pad_right, err)) &&
                  (h = window_size("height", layer->h, (layer->r - 1) * layer->dilation_y + 1, layer->stride_y,
                                   layer->pad_top, layer->pad_bottom, err));
    if (!sized || !mode_legal(config, layer, err))
        return false;
    if (w * h > ATOMICS_LIMIT || w > GEN_SIZE_LIMIT || h > GEN_SIZE_LIMIT)
        return error_set(err, "output of %" PRId64 "x%" PRId64, w, h);
    if (conv_kernel_bytes(config, layer) > KERNEL_LIMIT || conv_channels(config, layer) > GEN_SIZE_LIMIT)
        return error_set(err, "kernels of %" PRId64 " bytes", conv_kernel_bytes(config, layer));
    int64_t banks = config->cbuf_banks - layer->compressed; /* the last bank holds mask bits */
    shape->data_banks = layer->data_banks ? layer->data_banks : config->cbuf_banks / 2;
    shape->weight_banks = layer->weight_banks ? layer->weight_banks : config->cbuf_banks / 2 - layer->compressed;
    if (shape->data_banks + shape->weight_banks > banks)
        return error_set(err, "%" PRId64 " + %" PRId64 " banks, there are %" PRId64, shape->data_banks,
                         shape->weight_banks, banks);
    shape->entries = conv_slice_entries(config, layer);
    if (shape->entries > ENTRIES_LIMIT)
        return error_set(err, "%" PRId64 " entries per slice", shape->entries);
    if (!buffer_legal(gen, index, shapes, err))
        return false;
    if (layer->conv == GEN_IMAGE && shape->fetch)
        image_shape(config, layer, shape);
    else if (shape->fetch && !gen_input_shape(gen, index, shapes, shape->lines, err))
        return false;
    shape->middle = (struct cube){.width = (int)w,
                                  .height = (int)h,
                                  .channels = (int)layer->k,
                                  .atom = config->mem_atom,
                                  .element_bytes = (int)conv_element_bytes(layer)};
    if (layer->batches > 1 && !batch_shape(config, layer, shape, err))
        return false;
    shape->units |= 1u << NVDLA_CDMA | 1u << NVDLA_CSC | 1u << NVDLA_CMAC_A | 1u << NVDLA_CMAC_B | 1u << NVDLA_CACC;
    shape->cycles = conv_cycles(config, layer, shape, w * h);
    return true;
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint32_t sizes(int64_t low, int64_t high) {
    return ((uint32_t)low - 1) | ((uint32_t)high - 1) << 16;
}

static uint32_t two(int64_t low, int64_t high) {
    return ((uint32_t)low & 0xffff) | (uint32_t)high << 16;
}

/* Mode and precisions for the D_MISC_CFG of all units, without reuse. */
static int64_t mode(const struct gen_layer *layer, enum nvdla_precision in) {
    return (layer->conv == GEN_WINOGRAD ? 1 : 0) | (uint32_t)in << 8 | layer->precision << 12;
}

static int64_t reuse_flags(const struct gen_layer *layer) {
    return layer->reuse_data << 16 | layer->reuse_weights << 20 | layer->skip_data << 24 | layer->skip_weights << 28;
}

static void put_cdma_image(struct gen_writer *regs) {
    const struct gen_layer *layer = regs->layer;
    const struct gen_shape *shape = regs->shape;
    gen_put(regs, CDMA_D_DATAIN_FORMAT, 1 | layer->format << 8 | layer->sign << 20);
    gen_put(regs, CDMA_D_PIXEL_OFFSET, layer->x_offset);
    gen_put_address(regs, CDMA_D_DAIN_ADDR_LOW_0, CDMA_D_DAIN_ADDR_HIGH_0, shape->plane_base[0]);
    gen_put_address(regs, CDMA_D_DAIN_ADDR_LOW_1, CDMA_D_DAIN_ADDR_HIGH_1, shape->plane_base[1]);
    gen_put(regs, CDMA_D_LINE_STRIDE, (uint32_t)shape->plane_line[0]);
    gen_put(regs, CDMA_D_LINE_UV_STRIDE, (uint32_t)shape->plane_line[1]);
    gen_put(regs, CDMA_D_SURF_STRIDE, gen_noise(regs, UINT32_MAX));
    gen_put(regs, CDMA_D_DAIN_MAP, 0);
}

static void put_cdma_cube(struct gen_writer *regs) {
    const struct gen_layer *layer = regs->layer;
    const struct gen_shape *shape = regs->shape;
    const struct cube *in = &shape->in;
    int64_t lines = !layer->unpacked && in->line_stride == layer->w * regs->gen->config->mem_atom;
    int64_t surface = layer->w == 1 && shape->lines == 1 ? in->atom : shape->lines * (int64_t)in->line_stride;
    int64_t surfaces = !layer->unpacked && in->surface_stride == surface;
    gen_put(regs, CDMA_D_DATAIN_FORMAT, gen_noise(regs, 0x103f00));
    gen_put(regs, CDMA_D_PIXEL_OFFSET, gen_noise(regs, 0x1f));
    gen_put_address(regs, CDMA_D_DAIN_ADDR_LOW_0, CDMA_D_DAIN_ADDR_HIGH_0, in->base);
    gen_put(regs, CDMA_D_DAIN_ADDR_LOW_1, gen_noise(regs, UINT32_MAX));
    gen_put(regs, CDMA_D_DAIN_ADDR_HIGH_1, gen_noise(regs, UINT32_MAX));
    gen_put(regs, CDMA_D_LINE_STRIDE, in->line_stride);
    gen_put(regs, CDMA_D_LINE_UV_STRIDE, gen_noise(regs, UINT32_MAX));
    gen_put(regs, CDMA_D_SURF_STRIDE, in->surface_stride);
    gen_put(regs, CDMA_D_DAIN_MAP, lines | surfaces << 16);
}

static void put_cdma_input(struct gen_writer *regs) {
    const struct gen_layer *layer = regs->layer;
    const struct gen_shape *shape = regs->shape;
    int64_t lines = shape->fetch ? shape->lines : layer->h, w = layer->w, h = layer->h;
    if (layer->conv == GEN_IMAGE)
        put_cdma_image(regs);
    else
        put_cdma_cube(regs);
    if (layer->conv == GEN_WINOGRAD) {
        w = conv_extended(layer->pad_left, layer->w, layer->pad_right, layer->stride_x);
        h = conv_extended(layer->pad_top, lines, layer->pad_bottom, layer->stride_y);
    }
    gen_put(regs, CDMA_D_DATAIN_SIZE_0, sizes(layer->w, lines));
    gen_put(regs, CDMA_D_DATAIN_SIZE_1, layer->c - 1);
    gen_put(regs, CDMA_D_DATAIN_SIZE_EXT_0, sizes(w, h));
    gen_put(regs, CDMA_D_DAIN_RAM_TYPE, shape->in_secondary ? 0 : 1);
    gen_put(regs, CDMA_D_FETCH_GRAIN, layer->grain - 1);
}

/* Compressed weights have two more surfaces; otherwise these registers do not matter. */
static void put_cdma_masks(struct gen_writer *regs) {
    const struct gen_shape *shape = regs->shape;
    if (regs->layer->compressed) {
        gen_put_address(regs, CDMA_D_WGS_ADDR_LOW, CDMA_D_WGS_ADDR_HIGH, shape->weight_base[GEN_WEIGHT_GROUPS]);
        gen_put_address(regs, CDMA_D_WMB_ADDR_LOW, CDMA_D_WMB_ADDR_HIGH, shape->weight_base[GEN_WEIGHT_MASKS]);
        gen_put(regs, CDMA_D_WMB_BYTES, (uint32_t)shape->weight_size[GEN_WEIGHT_MASKS]);
        return;
    }
    gen_put_noise(regs, CDMA_D_WGS_ADDR_HIGH, CDMA_D_WMB_BYTES);
}

static void put_cdma(struct gen_writer *regs) {
    const struct gen_layer *layer = regs->layer;
    const struct gen_shape *shape = regs->shape;
    bool convert = layer->cvt != 0, mean = convert && layer->conv == GEN_IMAGE && layer->mean;
    gen_put(regs, CDMA_D_MISC_CFG, mode(layer, conv_in_precision(regs->gen->config, layer)) | reuse_flags(layer));
    put_cdma_input(regs);
    gen_put(regs, CDMA_D_BATCH_NUMBER, layer->batches - 1);
    gen_put(regs, CDMA_D_BATCH_STRIDE,
            layer->batches > 1 ? (uint32_t)shape->in_batch_stride : gen_noise(regs, UINT32_MAX));
    gen_put(regs, CDMA_D_ENTRY_PER_SLICE, shape->entries - 1);
    gen_put(regs, CDMA_D_WEIGHT_FORMAT, layer->compressed);
    gen_put(regs, CDMA_D_WEIGHT_SIZE_0, conv_kernel_bytes(regs->gen->config, layer) - 1);
    gen_put(regs, CDMA_D_WEIGHT_SIZE_1, layer->k - 1);
    gen_put(regs, CDMA_D_WEIGHT_RAM_TYPE, layer->weight_space ? 0 : 1);
    gen_put_address(regs, CDMA_D_WEIGHT_ADDR_LOW, CDMA_D_WEIGHT_ADDR_HIGH, shape->weight_base[GEN_WEIGHTS]);
    gen_put(regs, CDMA_D_WEIGHT_BYTES, (uint32_t)shape->weight_size[GEN_WEIGHTS]);
    put_cdma_masks(regs);
    gen_put(regs, CDMA_D_MEAN_FORMAT, mean);
    gen_put(regs, CDMA_D_MEAN_GLOBAL_0, mean ? two(layer->mean_0, layer->mean_1) : gen_noise(regs, UINT32_MAX));
    gen_put(regs, CDMA_D_MEAN_GLOBAL_1, mean ? two(layer->mean_2, layer->mean_3) : gen_noise(regs, UINT32_MAX));
    gen_put(regs, CDMA_D_CVT_CFG,
            convert ? 1 | layer->cvt_shift << 4 : gen_noise(regs, CDMA_D_CVT_CFG__CVT_TRUNCATE_MASK));
    gen_put(regs, CDMA_D_CVT_OFFSET, convert ? layer->cvt_offset & 0xffff : gen_noise(regs, 0xffff));
    gen_put(regs, CDMA_D_CVT_SCALE, convert ? layer->cvt_scale & 0xffff : gen_noise(regs, 0xffff));
    gen_put(regs, CDMA_D_CONV_STRIDE, sizes(layer->stride_x, layer->stride_y));
    gen_put(regs, CDMA_D_ZERO_PADDING,
            layer->pad_left | layer->pad_right << 8 | layer->pad_top << 16 | layer->pad_bottom << 24);
    gen_put(regs, CDMA_D_ZERO_PADDING_VALUE, layer->pad & 0xffff);
    gen_put(regs, CDMA_D_BANK, sizes(shape->data_banks, shape->weight_banks));
    gen_put(regs, CDMA_D_NAN_FLUSH_TO_ZERO, layer->nan_to_zero);
    gen_put(regs, CDMA_D_PERF_ENABLE, layer->perf & 1);
    gen_put(regs, CDMA_D_CYA, gen_noise(regs, UINT32_MAX));
}

/* CSC sees the extended cube of Winograd, which has no strides and pads. */
static void put_csc(struct gen_writer *regs) {
    const struct gen_layer *layer = regs->layer;
    const struct gen_shape *shape = regs->shape;
    bool image = layer->conv == GEN_IMAGE, winograd = layer->conv == GEN_WINOGRAD;
    int64_t w = shape->middle.width, h = shape->middle.height, slices = conv_slices(layer);
    int64_t channels = conv_channels(regs->gen->config, layer);
    int64_t in_w = winograd ? conv_extended(layer->pad_left, layer->w, layer->pad_right, layer->stride_x) : layer->w;
    uint32_t post = layer->post == 4 ? 2 : layer->post == 2 ? 1 : 0;
    gen_put(regs, CSC_D_MISC_CFG, mode(layer, (enum nvdla_precision)layer->precision) | reuse_flags(layer));
    gen_put(regs, CSC_D_DATAIN_FORMAT, image);
    gen_put(regs, CSC_D_DATAIN_SIZE_EXT_0, sizes(in_w, slices));
    gen_put(regs, CSC_D_DATAIN_SIZE_EXT_1, (winograd ? channels : layer->c) - 1);
    gen_put(regs, CSC_D_BATCH_NUMBER, layer->batches - 1);
    gen_put(regs, CSC_D_POST_Y_EXTENSION, post);
    gen_put(regs, CSC_D_ENTRY_PER_SLICE, shape->entries - 1);
    gen_put(regs, CSC_D_WEIGHT_FORMAT, layer->compressed);
    gen_put(regs, CSC_D_WEIGHT_SIZE_EXT_0,
            winograd ? sizes(GEN_TILE, GEN_TILE) : sizes(image ? 1 : layer->s, layer->r));
    gen_put(regs, CSC_D_WEIGHT_SIZE_EXT_1, sizes(channels, layer->k));
    gen_put(regs, CSC_D_WEIGHT_BYTES, (uint32_t)shape->weight_size[GEN_WEIGHTS]);
    gen_put(regs, CSC_D_WMB_BYTES,
            layer->compressed ? (uint32_t)shape->weight_size[GEN_WEIGHT_MASKS] : gen_noise(regs, 0x0fffffff));
    gen_put(regs, CSC_D_DATAOUT_SIZE_0, sizes(w, h));
    gen_put(regs, CSC_D_DATAOUT_SIZE_1, layer->k - 1);
    gen_put(regs, CSC_D_ATOMICS, w * h - 1);
    gen_put(regs, CSC_D_RELEASE, (layer->skip_data ? slices : slices - layer->keep) - 1);
    gen_put(regs, CSC_D_CONV_STRIDE_EXT, winograd ? 0 : sizes(layer->stride_x, layer->stride_y));
    gen_put(regs, CSC_D_DILATION_EXT, sizes(layer->dilation_x, layer->dilation_y));
    gen_put(regs, CSC_D_ZERO_PADDING, winograd ? 0 : two(layer->pad_left, layer->pad_top));
    gen_put(regs, CSC_D_ZERO_PADDING_VALUE, layer->pad & 0xffff);
    gen_put(regs, CSC_D_BANK, sizes(shape->data_banks, shape->weight_banks));
    gen_put(regs, CSC_D_PRA_CFG, layer->pra);
    gen_put(regs, CSC_D_CYA, gen_noise(regs, UINT32_MAX));
}

void gen_conv_registers(struct gen_writer *regs) {
    const struct gen_layer *layer = regs->layer;
    const struct gen_shape *shape = regs->shape;
    bool single = shape->middle.width == 1 && shape->middle.height == 1, batches = layer->batches > 1;
    gen_engine(regs, NVDLA_CDMA);
    put_cdma(regs);
    gen_unit(regs, NVDLA_CSC);
    put_csc(regs);
    gen_unit(regs, NVDLA_CMAC_A);
    gen_put(regs, CMAC_A_D_MISC_CFG, mode(layer, NVDLA_INT8));
    gen_unit(regs, NVDLA_CMAC_B);
    gen_put(regs, CMAC_B_D_MISC_CFG, mode(layer, NVDLA_INT8));
    gen_unit(regs, NVDLA_CACC);
    gen_put(regs, CACC_D_MISC_CFG, mode(layer, NVDLA_INT8));
    gen_put(regs, CACC_D_DATAOUT_SIZE_0, sizes(shape->middle.width, shape->middle.height));
    gen_put(regs, CACC_D_DATAOUT_SIZE_1, layer->k - 1);
    gen_put(regs, CACC_D_DATAOUT_ADDR, batches ? (uint32_t)shape->out.base : gen_noise(regs, UINT32_MAX));
    gen_put(regs, CACC_D_BATCH_NUMBER, layer->batches - 1);
    gen_put(regs, CACC_D_LINE_STRIDE, layer->pdp ? 0 : shape->out.line_stride & 0xffffff);
    gen_put(regs, CACC_D_SURF_STRIDE, layer->pdp ? 0 : shape->out.surface_stride & 0xffffff);
    gen_put(regs, CACC_D_DATAOUT_MAP, single ? 0x10001 : 0);
    gen_put(regs, CACC_D_CLIP_CFG, layer->clip);
    gen_put(regs, CACC_D_CYA, gen_noise(regs, UINT32_MAX));
}
