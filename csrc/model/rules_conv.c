/* Rules of CDMA and of the convolution core. Spec: 20-data-formats, 30-cdma-cbuf and 40-convolution-core, "Illegal or
 * undefined programming"; 98-measured-rules section 3. */
#include "layers/image_errata.h"
#include "model/cbuf.h"
#include "model/cdma_layer.h"
#include "model/csc.h"
#include "model/rules.h"
#include "model/rules_table.h"
#include "nvdla/pixel.h"
#include "nvdla/sizes.h"

/* ---- shared ---- */

enum { WEIGHT_ATOM = 8 };

static struct cdma_layer cdma_of(const struct registers_view *view) {
    struct cdma_layer layer;
    cdma_layer_decode(&layer, view);
    return layer;
}

static struct csc_layer csc_of(const struct registers_view *view) {
    struct csc_layer layer;
    csc_layer_decode(&layer, view);
    return layer;
}

/* The geometry of CBUF, without its contents. */
static struct cbuf cbuf_of(const struct registers_view *view) {
    struct cbuf cbuf;
    cbuf_geometry(&cbuf, view->config);
    return cbuf;
}

/* Bytes of an element of a precision code. */
static size_t bytes_of(const struct registers_view *view, uint32_t precision) {
    return wide(view) && precision != NVDLA_INT8 ? 2 : 1;
}

/* ---- CDMA ---- */

static uint32_t in_precision(const struct registers_view *view) {
    return FIELD(view, CDMA, D_MISC_CFG, IN_PRECISION);
}

static uint32_t proc_precision(const struct registers_view *view) {
    return FIELD(view, CDMA, D_MISC_CFG, PROC_PRECISION);
}

CONDITION(image, FIELD(view, CDMA, D_DATAIN_FORMAT, DATAIN_FORMAT) != 0)
CONDITION(winograd, has(view, FEATURE_WINOGRAD) && FIELD(view, CDMA, D_MISC_CFG, CONV_MODE) != 0)
CONDITION(feature, !image(view) && !winograd(view))

/* NULL: not an image, or a format that the configuration does not have. */
static const struct nvdla_pixel_format *pixel_format(const struct registers_view *view) {
    return image(view) ? nvdla_pixel_format(view->config, FIELD(view, CDMA, D_DATAIN_FORMAT, PIXEL_FORMAT)) : NULL;
}

/* The convertor takes integers only. */
CONDITION(pixels_copied, wide(view) && image(view) && in_precision(view) != proc_precision(view) &&
                             (in_precision(view) == NVDLA_FP16 || FIELD(view, CDMA, D_CVT_CFG, CVT_EN) == 0))

CONDITION(pixels_copied_in_other_width,
          pixels_copied(view) && bytes_of(view, in_precision(view)) != bytes_of(view, proc_precision(view)))

static bool x_offset_beyond_atom(const struct registers_view *view) {
    const struct nvdla_pixel_format *format = pixel_format(view);
    return format && (size_t)FIELD(view, CDMA, D_PIXEL_OFFSET, PIXEL_X_OFFSET) * (size_t)format->pixel_bytes[0] >=
                         (size_t)view->config->mem_atom;
}

CONDITION(winograd_size, winograd(view) && ((FIELD(view, CDMA, D_DATAIN_SIZE_EXT_0, DATAIN_WIDTH_EXT) & 3) != 3 ||
                                            (FIELD(view, CDMA, D_DATAIN_SIZE_EXT_0, DATAIN_HEIGHT_EXT) & 3) != 3))

static bool winograd_padded_size(const struct registers_view *view) {
    struct cdma_layer layer = cdma_of(view);
    size_t bottom = FIELD(view, CDMA, D_ZERO_PADDING, PAD_BOTTOM);
    return winograd(view) && !winograd_size(view) &&
           (layer.extended_width * layer.cubes.stride_x !=
                layer.cubes.pad_left + layer.cubes.width + layer.cubes.pad_right ||
            layer.extended_height * layer.cubes.stride_y != layer.cubes.pad_top + layer.cubes.height + bottom);
}

static bool too_many_banks(const struct registers_view *view) {
    struct cdma_layer layer = cdma_of(view);
    return layer.data_banks + layer.weight_banks + layer.cubes.compressed > (size_t)view->config->cbuf_banks;
}

static size_t data_entries(const struct registers_view *view, size_t data_banks) {
    struct cbuf cbuf = cbuf_of(view);
    return cbuf_data_ring(&cbuf, data_banks).entries;
}

static bool grain_never_fits(const struct registers_view *view) {
    struct cdma_layer layer = cdma_of(view);
    size_t lines = layer.grain < cdma_layer_lines(&layer) ? layer.grain : cdma_layer_lines(&layer);
    return lines * layer.slice_entries * layer.cubes.batches > data_entries(view, layer.data_banks);
}

/* Entries that a line of the layer fills. Spec: 30-cdma-cbuf section 5. */
static size_t entries_needed(const struct registers_view *view) {
    struct cdma_layer layer = cdma_of(view);
    struct cbuf cbuf = cbuf_of(view);
    if (layer.cubes.mode == CDMA_WINOGRAD)
        return layer.extended_width / CBUF_SUPERSLICE * layer.surfaces * layer.cubes.stride_x * layer.cubes.stride_y;
    if (layer.cubes.mode == CDMA_FEATURE)
        return cbuf_slice_size(&cbuf, layer.cubes.width, layer.surfaces) / cbuf.entry;
    size_t pixels = layer.cubes.pad_left + layer.cubes.width + layer.cubes.pad_right;
    size_t components = layer.cubes.pixel ? (size_t)layer.cubes.pixel->components : 1;
    return ceil_div(pixels * components * bytes_of(view, proc_precision(view)), cbuf.entry);
}

CONDITION(entries_missing, cdma_of(view).slice_entries < entries_needed(view))

/* The order in which surfaces arrive decides which of them stays. */
CONDITION(surfaces_overlap, entries_missing(view) && feature(view) && cdma_of(view).surfaces > 1)

/* Uncompressed bytes of the first `kernels` kernels, and whether CDMA fetches them; if they are compressed, whether it
 * fetches their mask bits. */
static bool weights_end_before(const struct registers_view *view, uint64_t kernels) {
    struct cdma_layer layer = cdma_of(view);
    uint64_t bytes = kernels * layer.cubes.kernel_bytes, atom = (uint64_t)view->config->mem_atom;
    if (layer.weight_reuse)
        return false;
    return layer.cubes.compressed ? layer.cubes.mask_atoms * atom * 8 < bytes / bytes_of(view, proc_precision(view))
                                  : layer.cubes.weight_atoms * atom < bytes;
}

/* Kernels of all groups except the last, which takes the rest. */
static uint64_t kernels_before_last(const struct registers_view *view) {
    struct cdma_layer layer = cdma_of(view);
    return (layer.cubes.kernels - 1) / layer.cubes.kernel_group * layer.cubes.kernel_group;
}

/* Without any weights, images end. */
CONDITION(group_never_complete,
          cdma_of(view).cubes.weight_atoms > 0 && weights_end_before(view, kernels_before_last(view)))

CONDITION(no_weights, cdma_of(view).cubes.weight_atoms == 0 && weights_end_before(view, cdma_of(view).cubes.kernels))

/* Measured with atoms of 8 bytes. */
static bool part_of_atom(const struct registers_view *view) {
    return view->config->mem_atom == WEIGHT_ATOM && !cdma_of(view).weight_reuse &&
           VALUE(view, CDMA, D_WEIGHT_BYTES) % WEIGHT_ATOM != 0;
}

static bool mean_of_others(const struct registers_view *view) {
    const struct nvdla_pixel_format *format = pixel_format(view);
    return format && FIELD(view, CDMA, D_MEAN_FORMAT, MEAN_FORMAT) != 0 &&
           FIELD(view, CDMA, D_DATAIN_SIZE_1, DATAIN_CHANNEL) + 1 != (uint32_t)format->components;
}

CONDITION(last_group_short,
          !group_never_complete(view) && !no_weights(view) && weights_end_before(view, cdma_of(view).cubes.kernels))

static bool cdma_misaligned(const struct registers_view *view) {
    struct cdma_layer layer = cdma_of(view);
    const struct nvdla_pixel_format *format = pixel_format(view);
    uint64_t used = VALUE(view, CDMA, D_DAIN_ADDR_LOW_0) | VALUE(view, CDMA, D_WEIGHT_ADDR_LOW);
    if (layer.cubes.height > 1) {
        used |= VALUE(view, CDMA, D_LINE_STRIDE);
        used |= format && format->planes > 1 ? VALUE(view, CDMA, D_LINE_UV_STRIDE) : 0;
    }
    used |= format && format->planes > 1 ? VALUE(view, CDMA, D_DAIN_ADDR_LOW_1) : 0;
    used |= !image(view) && layer.surfaces > 1 ? VALUE(view, CDMA, D_SURF_STRIDE) : 0;
    return rules_misaligned(view, used);
}

/* ---- CSC ---- */

CONDITION(csc_image, FIELD(view, CSC, D_DATAIN_FORMAT, DATAIN_FORMAT) != 0)
CONDITION(csc_winograd, csc_of(view).mode == CSC_WINOGRAD)
CONDITION(extension_unknown, csc_image(view) && FIELD(view, CSC, D_POST_Y_EXTENSION, Y_EXTENSION) == 3)

static bool extension_too_wide(const struct registers_view *view) {
    struct csc_layer layer = csc_of(view);
    size_t lanes = (size_t)view->config->atomic_c / layer.extension;
    return csc_image(view) && !extension_unknown(view) && layer.extension > 1 &&
           (layer.channels > lanes || layer.stride_x * layer.pixel > lanes);
}

/* Sizes of the output from D_DATAOUT_SIZE_0. */
static size_t out_width(const struct registers_view *view) {
    return (size_t)FIELD(view, CSC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1;
}

static size_t out_height(const struct registers_view *view) {
    return (size_t)FIELD(view, CSC, D_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1;
}

CONDITION(other_atomics,
          !csc_image(view) && (size_t)VALUE(view, CSC, D_ATOMICS) + 1 != out_width(view) * out_height(view))

CONDITION(feature_atomics, !csc_winograd(view) && other_atomics(view))
CONDITION(groups_of_other_lines, feature_atomics(view) && csc_of(view).kernels > csc_of(view).kernel_group)

/* Without SKIP_WEIGHT_RLS the groups pass through the banks one by one. */
static bool weights_never_fit(const struct registers_view *view) {
    struct csc_layer layer = csc_of(view);
    struct cbuf cbuf = cbuf_of(view);
    size_t kernels = layer.skip_weights ? layer.kernels : csc_layer_group_kernels(&layer, 0);
    size_t elements = kernels * csc_layer_kernel_elements(&layer);
    if (layer.compressed)
        return ceil_div(ceil_div(elements, 8), cbuf.entry) > cbuf_mask_ring(&cbuf).entries;
    size_t bytes = elements * bytes_of(view, layer.precision);
    return ceil_div(bytes, cbuf.entry) > cbuf_weight_ring(&cbuf, layer.data_banks, layer.weight_banks).entries;
}

/* The previous launch, if its registers are unchanged. */
static bool layer_before(const struct registers_view *view, struct csc_layer *before) {
    if (!view->before || view->before->units[NVDLA_CSC].count == 0)
        return false;
    *before = csc_of(view->before);
    return true;
}

/* Lines stay only while mode and banks stay. */
static bool kept_lines_differ(const struct registers_view *view) {
    struct csc_layer layer = csc_of(view), before;
    bool kept = layer_before(view, &before) && layer.data_reuse && layer.mode == before.mode &&
                layer.data_banks == before.data_banks && (before.skip_data || before.release < before.height);
    return kept && (layer.slice_entries != before.slice_entries || layer.batches != before.batches ||
                    layer.precision != before.precision || layer.width != before.width ||
                    VALUE(view, CSC, D_DATAIN_SIZE_EXT_1) != VALUE(view->before, CSC, D_DATAIN_SIZE_EXT_1));
}

static bool kept_weights_differ(const struct registers_view *view) {
    struct csc_layer layer = csc_of(view), before;
    bool kept = layer_before(view, &before) && layer.weight_reuse && before.skip_weights &&
                layer.data_banks == before.data_banks && layer.weight_banks == before.weight_banks;
    return kept && (csc_layer_kernel_elements(&layer) != csc_layer_kernel_elements(&before) ||
                    layer.precision != before.precision || layer.kernels > before.kernels);
}

/* ---- CSC with CDMA, CMAC and CACC ---- */

/* CONV_MODE and PROC_PRECISION are at the same bits in every unit of the core. */
#define MODE_AND_PRECISION (CSC_D_MISC_CFG__CONV_MODE_MASK | CSC_D_MISC_CFG__PROC_PRECISION_MASK)

static bool differs(const struct registers_view *view, uint32_t other) {
    return wide(view) && ((VALUE(view, CSC, D_MISC_CFG) ^ other) & MODE_AND_PRECISION) != 0;
}

static bool channels_differ(const struct registers_view *view) {
    const struct nvdla_pixel_format *format = pixel_format(view);
    return format && csc_image(view) && (size_t)format->components != csc_of(view).pixel;
}

CONDITION(four_of_one, channels_differ(view) && pixel_format(view)->components == 1 && csc_of(view).pixel == 4)
CONDITION(slices_differ, cdma_of(view).slice_entries != csc_of(view).slice_entries)

/* All slices of the layer, which CSC waits for, in CDMA's entry count. */
static bool input_never_fits(const struct registers_view *view) {
    struct cdma_layer layer = cdma_of(view);
    return csc_of(view).height * layer.slice_entries * layer.cubes.batches > data_entries(view, layer.data_banks);
}

/* With reuse CBUF holds lines of the previous layer. */
CONDITION(lines_reused, csc_of(view).data_reuse || cdma_of(view).data_reuse)

static size_t fetched_lines(const struct registers_view *view) {
    struct cdma_layer layer = cdma_of(view);
    return cdma_layer_lines(&layer);
}

static bool fewer_kernels(const struct registers_view *view) {
    struct csc_layer layer = csc_of(view);
    struct cdma_layer fetched = cdma_of(view);
    return !layer.weight_reuse && !fetched.weight_reuse && fetched.cubes.kernels < layer.kernels;
}

/* SDP may need no more than the groups that are complete. */
CONDITION(groups_missing, fewer_kernels(view) && cdma_of(view).cubes.kernels >= csc_of(view).kernel_group)

/* Bytes of a kernel in CSC. */
static uint64_t kernel_taken(const struct registers_view *view) {
    struct csc_layer layer = csc_of(view);
    return csc_layer_kernel_elements(&layer) * bytes_of(view, layer.precision);
}

/* More entries than the kernels of the launch before take are in CBUF before the weights of this one. */
static bool weights_left(const struct registers_view *view) {
    const struct registers_view *earlier = view->before;
    struct csc_layer layer = csc_of(view), before;
    if (!layer_before(view, &before) || earlier->units[NVDLA_CDMA].count == 0)
        return false;
    const struct cdma_layer fetched = cdma_of(earlier);
    const size_t entry = cbuf_of(view).entry;
    const bool kept = layer.weight_reuse || before.weight_reuse || before.skip_weights || fetched.weight_reuse;
    return !kept && !before.compressed && !fetched.cubes.compressed && layer.data_banks == before.data_banks &&
           layer.weight_banks == before.weight_banks &&
           ceil_div(fetched.cubes.weight_atoms * (uint64_t)view->config->mem_atom, entry) >
               ceil_div(before.kernels * kernel_taken(earlier), entry);
}

CONDITION(kernels_larger, kernel_taken(view) > cdma_of(view).cubes.kernel_bytes)

CONDITION(csc_keeps_more, VALUE(view, CSC, D_WEIGHT_BYTES) > VALUE(view, CDMA, D_WEIGHT_BYTES))

/* What follows a line in CBUF is not known. */
static bool windows_pass_line(const struct registers_view *view) {
    struct csc_layer layer = csc_of(view);
    struct cdma_cubes input = cdma_of(view).cubes;
    const size_t lane = (size_t)view->config->atomic_c;
    const size_t line = (input.pad_left + input.width + input.pad_right) * layer.pixel;
    const size_t last = (layer.out_width - 1) * layer.stride_x * layer.pixel + layer.channels;
    return csc_image(view) && image(view) && layer.extension == 1 && ceil_div(last, lane) > ceil_div(line, lane);
}

/* CSC waits for what CDMA counts, and that fits. */
CONDITION(larger_kernels_do_not_fit, weights_never_fit(view) && kernels_larger(view))

#include "rules_conv.inc"
