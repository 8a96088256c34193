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
    return rules_wide(view) && precision != NVDLA_INT8 ? 2 : 1;
}

/* ---- CDMA ---- */

static uint32_t in_precision(const struct registers_view *view) {
    return FIELD(view, CDMA, D_MISC_CFG, IN_PRECISION);
}

static uint32_t proc_precision(const struct registers_view *view) {
    return FIELD(view, CDMA, D_MISC_CFG, PROC_PRECISION);
}

CONDITION(image, FIELD(view, CDMA, D_DATAIN_FORMAT, DATAIN_FORMAT) != 0)
CONDITION(winograd, nvdla_has(view->config, FEATURE_WINOGRAD) && FIELD(view, CDMA, D_MISC_CFG, CONV_MODE) != 0)
CONDITION(feature, !image(view) && !winograd(view))

/* NULL: not an image, or a format that the configuration does not have. */
static const struct nvdla_pixel_format *pixel_format(const struct registers_view *view) {
    return image(view) ? nvdla_pixel_format(view->config, FIELD(view, CDMA, D_DATAIN_FORMAT, PIXEL_FORMAT)) : NULL;
}

CONDITION(cdma_precision_unknown, rules_wide(view) && (!nvdla_has_precision(view->config, in_precision(view)) ||
                                                       !nvdla_has_precision(view->config, proc_precision(view))))

CONDITION(feature_converted, rules_wide(view) && !image(view) && in_precision(view) != proc_precision(view))
CONDITION(format_unknown, image(view) && !pixel_format(view))

static bool format_precision(const struct registers_view *view) {
    const struct nvdla_pixel_format *format = pixel_format(view);
    return rules_wide(view) && format && in_precision(view) != (uint32_t)format->precision;
}

/* The convertor takes integers only. */
CONDITION(pixels_copied, rules_wide(view) && image(view) && in_precision(view) != proc_precision(view) &&
                             (in_precision(view) == NVDLA_FP16 || FIELD(view, CDMA, D_CVT_CFG, CVT_EN) == 0))

CONDITION(pixels_copied_in_other_width,
          pixels_copied(view) && bytes_of(view, in_precision(view)) != bytes_of(view, proc_precision(view)))

CONDITION(pixels_reinterpreted, pixels_copied(view) && !pixels_copied_in_other_width(view))

static bool x_offset_beyond_atom(const struct registers_view *view) {
    const struct nvdla_pixel_format *format = pixel_format(view);
    return format && (size_t)FIELD(view, CDMA, D_PIXEL_OFFSET, PIXEL_X_OFFSET) * (size_t)format->pixel_bytes[0] >=
                         (size_t)view->config->mem_atom;
}

CONDITION(winograd_missing, !nvdla_has(view->config, FEATURE_WINOGRAD) && FIELD(view, CDMA, D_MISC_CFG, CONV_MODE) != 0)

CONDITION(compression_missing,
          !nvdla_has(view->config, FEATURE_COMPRESSION) && FIELD(view, CDMA, D_WEIGHT_FORMAT, WEIGHT_FORMAT) != 0)

CONDITION(batches_missing, !nvdla_has(view->config, FEATURE_BATCHES) && FIELD(view, CDMA, D_BATCH_NUMBER, BATCHES) != 0)

CONDITION(batches_unused,
          nvdla_has(view->config, FEATURE_BATCHES) && !feature(view) && FIELD(view, CDMA, D_BATCH_NUMBER, BATCHES) != 0)

CONDITION(winograd_image, winograd(view) && image(view))

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

CONDITION(data_port, rules_no_port(view, FIELD(view, CDMA, D_DAIN_RAM_TYPE, DATAIN_RAM_TYPE)))
CONDITION(weight_port, rules_no_port(view, FIELD(view, CDMA, D_WEIGHT_RAM_TYPE, WEIGHT_RAM_TYPE)))

static bool grains_not_packed(const struct registers_view *view) {
    struct cdma_layer layer = cdma_of(view);
    return feature(view) && layer.packed_lines && layer.grain > 1 && layer.cubes.height > 1 &&
           layer.cubes.line_stride[0] != layer.cubes.width * (size_t)view->config->mem_atom;
}

static bool surfaces_not_packed(const struct registers_view *view) {
    struct cdma_layer layer = cdma_of(view);
    return feature(view) && layer.cubes.width == 1 && layer.cubes.height == 1 && layer.surfaces > 1 &&
           FIELD(view, CDMA, D_DAIN_MAP, SURF_PACKED) != 0 &&
           VALUE(view, CDMA, D_SURF_STRIDE) != (uint32_t)view->config->mem_atom;
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
CONDITION(slice_too_short, entries_missing(view) && !surfaces_overlap(view))

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

static bool image_precision(const struct registers_view *view) {
    return !rules_wide(view) && image(view) && FIELD(view, CDMA, D_CVT_CFG, CVT_EN) != 0 && proc_precision(view) != 0;
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

static const struct rule cdma_list[] = {
    RULE(REFUSED, cdma_precision_unknown, "the configuration has no such precision", "30-cdma-cbuf section 2",
         SHOWN(CDMA, D_MISC_CFG)),
    RULE(REFUSED, feature_converted, "IN and PROC precision of a feature cube must be the same",
         "20-data-formats section 10", SHOWN(CDMA, D_MISC_CFG), SHOWN(CDMA, D_DATAIN_FORMAT)),
    RULE(REFUSED, format_unknown, "the configuration has no such pixel format", "20-data-formats section 4",
         SHOWN(CDMA, D_DATAIN_FORMAT)),
    RULE(REFUSED, format_precision, "IN precision must be that of the pixel format", "20-data-formats section 4.2",
         SHOWN(CDMA, D_MISC_CFG), SHOWN(CDMA, D_DATAIN_FORMAT)),
    RULE(REFUSED, pixels_copied_in_other_width,
         "pixels of another width than PROC precision need the convertor, and FP16 pixels have none",
         "20-data-formats section 10", SHOWN(CDMA, D_MISC_CFG), SHOWN(CDMA, D_CVT_CFG)),
    RULE(WARNS, pixels_reinterpreted, "pixels are copied unchanged and interpreted in PROC precision",
         "20-data-formats section 10", SHOWN(CDMA, D_MISC_CFG), SHOWN(CDMA, D_CVT_CFG)),
    RULE(REFUSED, x_offset_beyond_atom, "PIXEL_X_OFFSET must lie in the first atom", "20-data-formats section 4",
         SHOWN(CDMA, D_PIXEL_OFFSET), SHOWN(CDMA, D_DATAIN_FORMAT)),
    RULE(REFUSED, winograd_missing, "the configuration has no Winograd convolution", "30-cdma-cbuf section 1",
         SHOWN(CDMA, D_MISC_CFG)),
    RULE(REFUSED, compression_missing, "the configuration has no weight compression", "30-cdma-cbuf section 1",
         SHOWN(CDMA, D_WEIGHT_FORMAT)),
    RULE(REFUSED, batches_missing, "the configuration has no batches", "30-cdma-cbuf section 1",
         SHOWN(CDMA, D_BATCH_NUMBER)),
    RULE(WARNS, batches_unused, "only layers with feature input have batches", "40-convolution-core section 12",
         SHOWN(CDMA, D_BATCH_NUMBER), SHOWN(CDMA, D_MISC_CFG)),
    RULE(REFUSED, winograd_image, "Winograd takes no image input", "40-convolution-core section 12",
         SHOWN(CDMA, D_MISC_CFG), SHOWN(CDMA, D_DATAIN_FORMAT)),
    RULE(REFUSED, winograd_size, "the extended sizes of Winograd are multiples of 4", "30-cdma-cbuf section 5.5",
         SHOWN(CDMA, D_DATAIN_SIZE_EXT_0)),
    RULE(REFUSED, winograd_padded_size, "extended size times stride must be the padded size",
         "30-cdma-cbuf section 5.5", SHOWN(CDMA, D_DATAIN_SIZE_EXT_0), SHOWN(CDMA, D_ZERO_PADDING)),
    RULE(HANGS, grain_never_fits, "what CDMA fetches at a time never fits the data banks", "30-cdma-cbuf section 5.3",
         SHOWN(CDMA, D_ENTRY_PER_SLICE), SHOWN(CDMA, D_BANK)),
    {RULE_HANGS, data_port, RULE_NO_PORT, .shown = {SHOWN(CDMA, D_DAIN_RAM_TYPE)}},
    {RULE_HANGS, weight_port, RULE_NO_PORT, .shown = {SHOWN(CDMA, D_WEIGHT_RAM_TYPE)}},
    RULE(HANGS, group_never_complete, "the weights end before the last kernel group, CSC waits for the group before it",
         "20-data-formats section 5", SHOWN(CDMA, D_WEIGHT_BYTES), SHOWN(CDMA, D_WMB_BYTES)),
    {RULE_WARNS, last_group_short,
     "the weights end inside the last kernel group, CSC takes what CBUF holds for the rest, and the next convolution "
     "hangs or is wrong",
     "99-illegal-programming section 2", .shown = {SHOWN(CDMA, D_WEIGHT_BYTES), SHOWN(CDMA, D_WMB_BYTES)},
     .spoils = last_group_short},
    RULE(REFUSED, no_weights, "there are no weights, and CSC does not wait for them in every mode",
         "99-illegal-programming, table", SHOWN(CDMA, D_WEIGHT_BYTES)),
    RULE(HANGS, part_of_atom, "WEIGHT_BYTES is not a multiple of 8", "99-illegal-programming section 4",
         SHOWN(CDMA, D_WEIGHT_BYTES)),
    RULE(REFUSED, image_precision, "the configuration has INT8 only, and the convertor of an image no other precision",
         "99-illegal-programming section 4", SHOWN(CDMA, D_MISC_CFG), SHOWN(CDMA, D_CVT_CFG)),
    RULE(REFUSED, mean_of_others, "with a mean DATAIN_CHANNEL must be that of the pixel format",
         "99-illegal-programming section 4", SHOWN(CDMA, D_DATAIN_SIZE_1), SHOWN(CDMA, D_MEAN_FORMAT)),
    RULE(REFUSED, too_many_banks,
         "CBUF has fewer banks than data, weights and mask bits take: their areas overlap, and the result depends on "
         "timing",
         "99-illegal-programming section 2", SHOWN(CDMA, D_BANK), SHOWN(CDMA, D_WEIGHT_FORMAT)),
    RULE(REFUSED, surfaces_overlap,
         "a line fills more entries than that, and its surfaces overwrite those of the next line in CBUF",
         "99-illegal-programming section 2", SHOWN(CDMA, D_ENTRY_PER_SLICE), SHOWN(CDMA, D_DATAIN_SIZE_1)),
    RULE(WARNS, slice_too_short,
         "a line fills more entries than that, lines overwrite each other in CBUF, also those of the next layer",
         "30-cdma-cbuf section 5", SHOWN(CDMA, D_ENTRY_PER_SLICE)),
    RULE(WARNS, grains_not_packed,
         "LINE_PACKED with another line stride than width * atom: the lines of a grain are read as one run",
         "98-measured-rules section 3", SHOWN(CDMA, D_DAIN_MAP), SHOWN(CDMA, D_LINE_STRIDE)),
    RULE(WARNS, surfaces_not_packed, "SURF_PACKED with spread surfaces: those of a 1x1 cube are read as one run",
         "98-measured-rules section 3", SHOWN(CDMA, D_DAIN_MAP), SHOWN(CDMA, D_SURF_STRIDE)),
    {RULE_WARNS, cdma_misaligned, RULE_MISALIGNED,
     .shown = {SHOWN(CDMA, D_DAIN_ADDR_LOW_0), SHOWN(CDMA, D_LINE_STRIDE)}},
};

const struct rule_set rules_cdma = {.units = {NVDLA_CDMA}, .unit_count = 1, RULE_LIST(cdma_list)};

/* ---- CSC ---- */

CONDITION(csc_image, FIELD(view, CSC, D_DATAIN_FORMAT, DATAIN_FORMAT) != 0)
CONDITION(csc_winograd, csc_of(view).mode == CSC_WINOGRAD)
CONDITION(csc_precision_unknown,
          rules_wide(view) && !nvdla_has_precision(view->config, FIELD(view, CSC, D_MISC_CFG, PROC_PRECISION)))
CONDITION(extension_unknown, csc_image(view) && FIELD(view, CSC, D_POST_Y_EXTENSION, Y_EXTENSION) == 3)
CONDITION(extension_without_image, !csc_image(view) && FIELD(view, CSC, D_POST_Y_EXTENSION, Y_EXTENSION) != 0)

static bool extension_too_wide(const struct registers_view *view) {
    struct csc_layer layer = csc_of(view);
    size_t lanes = (size_t)view->config->atomic_c / layer.extension;
    return csc_image(view) && !extension_unknown(view) && layer.extension > 1 &&
           (layer.channels > lanes || layer.stride_x * layer.pixel > lanes);
}

CONDITION(csc_winograd_missing,
          !nvdla_has(view->config, FEATURE_WINOGRAD) && FIELD(view, CSC, D_MISC_CFG, CONV_MODE) != 0)

CONDITION(csc_compression_missing,
          !nvdla_has(view->config, FEATURE_COMPRESSION) && FIELD(view, CSC, D_WEIGHT_FORMAT, WEIGHT_FORMAT) != 0)

CONDITION(csc_winograd_image, csc_winograd(view) && csc_image(view))

/* Sizes of the output from D_DATAOUT_SIZE_0. */
static size_t out_width(const struct registers_view *view) {
    return (size_t)FIELD(view, CSC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1;
}

static size_t out_height(const struct registers_view *view) {
    return (size_t)FIELD(view, CSC, D_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1;
}

static bool csc_winograd_size(const struct registers_view *view) {
    struct csc_layer layer = csc_of(view);
    return layer.mode == CSC_WINOGRAD && (out_width(view) % 4 != 0 || out_height(view) % 4 != 0 ||
                                          layer.width != out_width(view) + 4 || layer.height != out_height(view) + 4);
}

static bool csc_winograd_channels(const struct registers_view *view) {
    struct csc_layer layer = csc_of(view);
    return layer.mode == CSC_WINOGRAD &&
           layer.channels * bytes_of(view, layer.precision) % (size_t)view->config->mem_atom != 0;
}

CONDITION(other_atomics,
          !csc_image(view) && (size_t)VALUE(view, CSC, D_ATOMICS) + 1 != out_width(view) * out_height(view))

CONDITION(winograd_atomics, csc_winograd(view) && other_atomics(view))
CONDITION(feature_atomics, !csc_winograd(view) && other_atomics(view))
CONDITION(groups_of_other_lines, feature_atomics(view) && csc_of(view).kernels > csc_of(view).kernel_group)
CONDITION(group_of_other_lines, feature_atomics(view) && !groups_of_other_lines(view))

static bool releases_too_much(const struct registers_view *view) {
    struct csc_layer layer = csc_of(view);
    return !layer.skip_data && layer.release > layer.height;
}

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

CONDITION(image_dilated, csc_image(view) && VALUE(view, CSC, D_DILATION_EXT) != 0)

CONDITION(winograd_geometry,
          csc_winograd(view) && (VALUE(view, CSC, D_DILATION_EXT) != 0 || VALUE(view, CSC, D_CONV_STRIDE_EXT) != 0))

CONDITION(batches_ignored, FIELD(view, CSC, D_BATCH_NUMBER, BATCHES) != 0 &&
                               (!nvdla_has(view->config, FEATURE_BATCHES) || csc_of(view).mode != CSC_FEATURE))

static bool pads_pass_kernel(const struct registers_view *view) {
    struct csc_layer layer = csc_of(view);
    return layer.pad_left > (layer.kernel_width - 1) * layer.dilation_x ||
           layer.pad_top > (layer.kernel_height - 1) * layer.dilation_y;
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

static const struct rule csc_list[] = {
    RULE(REFUSED, csc_precision_unknown, "the configuration has no such precision", "40-convolution-core section 12",
         SHOWN(CSC, D_MISC_CFG)),
    RULE(REFUSED, extension_unknown, "there is no Y_EXTENSION 3", "40-convolution-core section 3.2",
         SHOWN(CSC, D_POST_Y_EXTENSION)),
    RULE(REFUSED, extension_without_image, "only image input has a post-extension", "40-convolution-core section 12",
         SHOWN(CSC, D_POST_Y_EXTENSION), SHOWN(CSC, D_DATAIN_FORMAT)),
    RULE(REFUSED, extension_too_wide, "with a post-extension a kernel row and a step must fit the lanes of one line",
         "40-convolution-core section 3.2", SHOWN(CSC, D_POST_Y_EXTENSION), SHOWN(CSC, D_WEIGHT_SIZE_EXT_1)),
    RULE(REFUSED, csc_winograd_missing, "the configuration has no Winograd convolution",
         "40-convolution-core section 12", SHOWN(CSC, D_MISC_CFG)),
    RULE(REFUSED, csc_compression_missing, "the configuration has no weight compression",
         "40-convolution-core section 12", SHOWN(CSC, D_WEIGHT_FORMAT)),
    RULE(REFUSED, csc_winograd_image, "Winograd takes no image input", "40-convolution-core section 12",
         SHOWN(CSC, D_MISC_CFG), SHOWN(CSC, D_DATAIN_FORMAT)),
    RULE(REFUSED, csc_winograd_size, "the output sizes of Winograd are multiples of 4, its input is 4 larger",
         "40-convolution-core section 12", SHOWN(CSC, D_DATAIN_SIZE_EXT_0), SHOWN(CSC, D_DATAOUT_SIZE_0)),
    RULE(REFUSED, csc_winograd_channels, "the channels of Winograd fill whole atoms", "40-convolution-core section 12",
         SHOWN(CSC, D_WEIGHT_SIZE_EXT_1)),
    RULE(REFUSED, winograd_atomics, "ATOMICS must be the outputs of the layer - 1", "40-convolution-core section 12",
         SHOWN(CSC, D_ATOMICS), SHOWN(CSC, D_DATAOUT_SIZE_0)),
    RULE(REFUSED, releases_too_much, "the layer has fewer slices to release", "40-convolution-core section 12",
         SHOWN(CSC, D_RELEASE), SHOWN(CSC, D_DATAIN_SIZE_EXT_0)),
    RULE(WARNS, group_of_other_lines,
         "CSC makes ATOMICS + 1 outputs in lines of DATAOUT_WIDTH + 1, whatever the height",
         "40-convolution-core section 12", SHOWN(CSC, D_ATOMICS), SHOWN(CSC, D_DATAOUT_SIZE_0)),
    RULE(REFUSED, groups_of_other_lines, "with several kernel groups ATOMICS must be the outputs of the layer - 1",
         "99-illegal-programming section 2", SHOWN(CSC, D_ATOMICS), SHOWN(CSC, D_DATAOUT_SIZE_0)),
    RULE(WARNS, image_dilated, "image input ignores dilation", "40-convolution-core section 3.2",
         SHOWN(CSC, D_DILATION_EXT)),
    RULE(WARNS, winograd_geometry, "Winograd ignores stride and dilation", "40-convolution-core section 3.3",
         SHOWN(CSC, D_CONV_STRIDE_EXT), SHOWN(CSC, D_DILATION_EXT)),
    RULE(WARNS, batches_ignored, "the layer ignores batches", "40-convolution-core section 12",
         SHOWN(CSC, D_BATCH_NUMBER)),
    RULE(WARNS, pads_pass_kernel, "windows lie completely in the left or top padding", "40-convolution-core section 12",
         SHOWN(CSC, D_ZERO_PADDING), SHOWN(CSC, D_WEIGHT_SIZE_EXT_0)),
    RULE(WARNS, kept_lines_differ, "the lines kept by the layer before it have another layout",
         "30-cdma-cbuf section 9.3", SHOWN(CSC, D_MISC_CFG), SHOWN(CSC, D_DATAIN_SIZE_EXT_0)),
    RULE(WARNS, kept_weights_differ, "the weights kept by the layer before it are not those of this one",
         "30-cdma-cbuf section 9.3", SHOWN(CSC, D_MISC_CFG), SHOWN(CSC, D_WEIGHT_SIZE_EXT_1)),
};

const struct rule_set rules_csc = {.units = {NVDLA_CSC}, .unit_count = 1, RULE_LIST(csc_list)};

/* ---- CSC with CDMA, CMAC and CACC ---- */

/* CONV_MODE and PROC_PRECISION are at the same bits in every unit of the core. */
#define MODE_AND_PRECISION (CSC_D_MISC_CFG__CONV_MODE_MASK | CSC_D_MISC_CFG__PROC_PRECISION_MASK)

static bool differs(const struct registers_view *view, uint32_t other) {
    return rules_wide(view) && ((VALUE(view, CSC, D_MISC_CFG) ^ other) & MODE_AND_PRECISION) != 0;
}

CONDITION(cdma_differs, differs(view, VALUE(view, CDMA, D_MISC_CFG)))
CONDITION(cmac_a_differs, differs(view, VALUE(view, CMAC_A, D_MISC_CFG)))
CONDITION(cmac_b_differs, differs(view, VALUE(view, CMAC_B, D_MISC_CFG)))
CONDITION(cacc_differs, differs(view, VALUE(view, CACC, D_MISC_CFG)))
CONDITION(format_differs, csc_image(view) != image(view))
CONDITION(compression_differs, cdma_of(view).cubes.compressed != csc_of(view).compressed)
CONDITION(batches_differ, cdma_of(view).cubes.batches != csc_of(view).batches)
CONDITION(banks_differ, VALUE(view, CSC, D_BANK) != VALUE(view, CDMA, D_BANK))

CONDITION(winograd_widths_differ, winograd(view) && FIELD(view, CSC, D_DATAIN_SIZE_EXT_0, DATAIN_WIDTH_EXT) !=
                                                        FIELD(view, CDMA, D_DATAIN_SIZE_EXT_0, DATAIN_WIDTH_EXT))

static bool channels_differ(const struct registers_view *view) {
    const struct nvdla_pixel_format *format = pixel_format(view);
    return format && csc_image(view) && (size_t)format->components != csc_of(view).pixel;
}

CONDITION(four_of_one, channels_differ(view) && pixel_format(view)->components == 1 && csc_of(view).pixel == 4)
CONDITION(fewer_channels, channels_differ(view) && !four_of_one(view))
CONDITION(slices_differ, cdma_of(view).slice_entries != csc_of(view).slice_entries)
CONDITION(image_slices_differ, csc_image(view) && slices_differ(view))
CONDITION(feature_slices_differ, !csc_image(view) && slices_differ(view))

/* All slices of the layer, which CSC waits for, in CDMA's entry count. */
static bool input_never_fits(const struct registers_view *view) {
    struct cdma_layer layer = cdma_of(view);
    return csc_of(view).height * layer.slice_entries * layer.cubes.batches > data_entries(view, layer.data_banks);
}

static bool input_wraps_twice(const struct registers_view *view) {
    struct csc_layer layer = csc_of(view);
    return !input_never_fits(view) &&
           layer.height * layer.slice_entries * layer.batches > data_entries(view, layer.data_banks);
}

/* With reuse CBUF holds lines of the previous layer. */
CONDITION(lines_reused, csc_of(view).data_reuse || cdma_of(view).data_reuse)

static size_t fetched_lines(const struct registers_view *view) {
    struct cdma_layer layer = cdma_of(view);
    return cdma_layer_lines(&layer);
}

CONDITION(lines_missing, !lines_reused(view) && fetched_lines(view) < csc_of(view).height)
CONDITION(lines_left, !lines_reused(view) && fetched_lines(view) > csc_of(view).height)
CONDITION(width_differs, feature(view) && !csc_image(view) && cdma_of(view).cubes.width != csc_of(view).width)

static bool fewer_kernels(const struct registers_view *view) {
    struct csc_layer layer = csc_of(view);
    struct cdma_layer fetched = cdma_of(view);
    return !layer.weight_reuse && !fetched.weight_reuse && fetched.cubes.kernels < layer.kernels;
}

/* SDP may need no more than the groups that are complete. */
CONDITION(groups_missing, fewer_kernels(view) && cdma_of(view).cubes.kernels >= csc_of(view).kernel_group)
CONDITION(kernels_missing, fewer_kernels(view) && !groups_missing(view))

static bool kernels_left(const struct registers_view *view) {
    struct csc_layer layer = csc_of(view);
    struct cdma_layer fetched = cdma_of(view);
    return !layer.weight_reuse && !fetched.weight_reuse && fetched.cubes.kernels > layer.kernels;
}

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
CONDITION(kernels_smaller, kernel_taken(view) < cdma_of(view).cubes.kernel_bytes)

static bool kept_bytes_differ(const struct registers_view *view) {
    struct csc_layer layer = csc_of(view);
    return layer.skip_weights &&
           (VALUE(view, CSC, D_WEIGHT_BYTES) != VALUE(view, CDMA, D_WEIGHT_BYTES) ||
            (layer.compressed && VALUE(view, CSC, D_WMB_BYTES) != VALUE(view, CDMA, D_WMB_BYTES)));
}

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
CONDITION(kernels_do_not_fit, weights_never_fit(view) && !kernels_larger(view))

#define AGREE(unit)                                                                                                    \
    "CONV_MODE and PROC_PRECISION must be the same in CSC and " unit "", "40-convolution-core section 12"

static const struct rule core_list[] = {
    {RULE_REFUSED, cdma_differs, AGREE("CDMA"), .shown = {SHOWN(CSC, D_MISC_CFG), SHOWN(CDMA, D_MISC_CFG)}},
    {RULE_REFUSED, cmac_a_differs, AGREE("CMAC_A"), .shown = {SHOWN(CSC, D_MISC_CFG), SHOWN(CMAC_A, D_MISC_CFG)}},
    {RULE_REFUSED, cmac_b_differs, AGREE("CMAC_B"), .shown = {SHOWN(CSC, D_MISC_CFG), SHOWN(CMAC_B, D_MISC_CFG)}},
    {RULE_REFUSED, cacc_differs, AGREE("CACC"), .shown = {SHOWN(CSC, D_MISC_CFG), SHOWN(CACC, D_MISC_CFG)}},
    RULE(REFUSED, format_differs, "CDMA and CSC must agree on feature or image input", "30-cdma-cbuf section 9",
         SHOWN(CSC, D_DATAIN_FORMAT), SHOWN(CDMA, D_DATAIN_FORMAT)),
    RULE(REFUSED, compression_differs, "CDMA and CSC must agree on the format of the weights",
         "40-convolution-core section 4.5", SHOWN(CSC, D_WEIGHT_FORMAT), SHOWN(CDMA, D_WEIGHT_FORMAT)),
    RULE(REFUSED, batches_differ, "CDMA and CSC must have the same batches", "40-convolution-core section 3.4",
         SHOWN(CSC, D_BATCH_NUMBER), SHOWN(CDMA, D_BATCH_NUMBER)),
    RULE(REFUSED, banks_differ, "CDMA and CSC must have the same banks", "30-cdma-cbuf section 3", SHOWN(CSC, D_BANK),
         SHOWN(CDMA, D_BANK)),
    RULE(REFUSED, winograd_widths_differ, "CDMA and CSC must have the same extended width", "30-cdma-cbuf section 5.5",
         SHOWN(CSC, D_DATAIN_SIZE_EXT_0), SHOWN(CDMA, D_DATAIN_SIZE_EXT_0)),
    RULE(REFUSED, input_wraps_twice, "the slices of the layer are more than the data banks hold",
         "40-convolution-core section 12", SHOWN(CSC, D_ENTRY_PER_SLICE), SHOWN(CSC, D_BANK)),
    RULE(HANGS, kernels_do_not_fit, "the weight banks must hold a kernel group, with SKIP_WEIGHT_RLS all groups",
         "40-convolution-core section 12", SHOWN(CSC, D_BANK), SHOWN(CSC, D_WEIGHT_SIZE_EXT_1)),
    RULE(REFUSED, larger_kernels_do_not_fit, "the weight banks must hold a kernel group of CSC's size",
         "99-illegal-programming, table", SHOWN(CSC, D_BANK), SHOWN(CSC, D_WEIGHT_SIZE_EXT_1)),
    RULE(HANGS, input_never_fits, "the data banks must hold the whole input", "30-cdma-cbuf section 9.2",
         SHOWN(CDMA, D_ENTRY_PER_SLICE), SHOWN(CDMA, D_BANK)),
    RULE(HANGS, lines_missing, "CSC waits for more lines than CDMA fetches", "30-cdma-cbuf section 9.2",
         SHOWN(CSC, D_DATAIN_SIZE_EXT_0), SHOWN(CDMA, D_DATAIN_SIZE_0)),
    RULE(HANGS, kernels_missing, "CSC waits for more kernels than CDMA fetches", "40-convolution-core section 6",
         SHOWN(CSC, D_WEIGHT_SIZE_EXT_1), SHOWN(CDMA, D_WEIGHT_SIZE_1)),
    RULE(REFUSED, groups_missing,
         "CSC waits for more kernel groups than CDMA fetches: the layer hangs, unless SDP takes only the others",
         "99-illegal-programming, table", SHOWN(CSC, D_WEIGHT_SIZE_EXT_1), SHOWN(CDMA, D_WEIGHT_SIZE_1)),
    RULE(WARNS, lines_left, "CDMA fetches more lines than CSC takes, the next layer finds them in CBUF",
         "30-cdma-cbuf section 9.2", SHOWN(CSC, D_DATAIN_SIZE_EXT_0), SHOWN(CDMA, D_DATAIN_SIZE_0)),
    RULE(WARNS, kernels_left, "CDMA fetches more kernels than CSC takes, the next layer finds them in CBUF",
         "40-convolution-core section 6", SHOWN(CSC, D_WEIGHT_SIZE_EXT_1), SHOWN(CDMA, D_WEIGHT_SIZE_1)),
    {RULE_WARNS, weights_left,
     "WEIGHT_BYTES is more than the kernels take: the next convolution, with the same banks, begins with the rest",
     "98-measured-rules section 8",
     .shown = {SHOWN(CDMA, D_WEIGHT_BYTES), SHOWN(CSC, D_WEIGHT_SIZE_EXT_1), SHOWN(CDMA, D_BANK)}, .of_before = true},
    RULE(WARNS, width_differs, "CSC reads lines of another width than CDMA writes", "30-cdma-cbuf section 5",
         SHOWN(CSC, D_DATAIN_SIZE_EXT_0), SHOWN(CDMA, D_DATAIN_SIZE_0)),
    RULE(REFUSED, windows_pass_line, "windows reach behind the right end of the image's lines",
         "99-illegal-programming section 4", SHOWN(CSC, D_DATAOUT_SIZE_0), SHOWN(CDMA, D_DATAIN_SIZE_0),
         SHOWN(CSC, D_CONV_STRIDE_EXT)),
    RULE(WARNS, feature_slices_differ,
         "CSC reads the slices elsewhere than CDMA writes them, and the next convolution mostly does, too",
         "30-cdma-cbuf section 5", SHOWN(CSC, D_ENTRY_PER_SLICE), SHOWN(CDMA, D_ENTRY_PER_SLICE)),
    RULE(REFUSED, image_slices_differ, "CSC reads the slices elsewhere than CDMA writes them",
         "99-illegal-programming section 2", SHOWN(CSC, D_ENTRY_PER_SLICE), SHOWN(CDMA, D_ENTRY_PER_SLICE)),
    {RULE_WARNS, kernels_larger,
     "kernels of CSC have another size than BYTE_PER_KERNEL, by which CDMA counts them: CSC takes more, and the next "
     "convolution mostly hangs or is wrong",
     "99-illegal-programming section 2", .shown = {SHOWN(CDMA, D_WEIGHT_SIZE_0), SHOWN(CSC, D_WEIGHT_SIZE_EXT_1)},
     .spoils = kernels_larger},
    RULE(WARNS, kernels_smaller,
         "kernels of CSC have another size than BYTE_PER_KERNEL, by which CDMA counts them: CSC takes fewer, and the "
         "next convolution may be wrong",
         "99-illegal-programming section 2", SHOWN(CDMA, D_WEIGHT_SIZE_0), SHOWN(CSC, D_WEIGHT_SIZE_EXT_1)),
    {RULE_WARNS, kept_bytes_differ,
     "kept weights must have the same size in CDMA and CSC: their places in CBUF differ otherwise, and the next "
     "convolution is wrong, or hangs if CSC has more",
     "99-illegal-programming section 2", .shown = {SHOWN(CSC, D_WEIGHT_BYTES), SHOWN(CDMA, D_WEIGHT_BYTES)},
     .spoils = csc_keeps_more},
    RULE(WARNS, fewer_channels, "CSC expects another number of components per pixel than the format has",
         "20-data-formats section 4", SHOWN(CSC, D_DATAIN_SIZE_EXT_1), SHOWN(CDMA, D_DATAIN_FORMAT)),
    RULE(REFUSED, four_of_one, "CSC expects four components per pixel, the format has one",
         "99-illegal-programming section 2", SHOWN(CSC, D_DATAIN_SIZE_EXT_1), SHOWN(CDMA, D_DATAIN_FORMAT)),
    RULE(ERRATUM, image_takes_others,
         "NVIDIA's hardware computes this layer wrongly: it takes other elements for the end of a kernel row (E1)",
         "99-illegal-programming section 5", SHOWN(CSC, D_WEIGHT_SIZE_EXT_1), SHOWN(CSC, D_DATAOUT_SIZE_0)),
    RULE(ERRATUM, image_pads_are_lost,
         "NVIDIA's hardware computes this layer wrongly: its wide padding is incomplete (E2, likely)",
         "99-illegal-programming section 5", SHOWN(CDMA, D_ZERO_PADDING), SHOWN(CDMA, D_DATAIN_SIZE_0)),
};

const struct rule_set rules_core = {
    .units = {NVDLA_CSC, NVDLA_CDMA, NVDLA_CMAC_A, NVDLA_CMAC_B, NVDLA_CACC}, .unit_count = 5, RULE_LIST(core_list)};
