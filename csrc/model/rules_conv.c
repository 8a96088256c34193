/* Rules of CDMA, CSC, CMAC and CACC. Spec: 20-data-formats, 30-cdma-cbuf and 40-convolution-core, "Illegal or undefined
 * programming". */
#include "model/rules_table.h"
#include "nvdla/pixel.h"

/* ---- helpers ---- */

static bool image(const struct rules_view *view) {
    return FIELD(view, CDMA, D_DATAIN_FORMAT, DATAIN_FORMAT) != 0;
}

static bool winograd(const struct rules_view *view) {
    return view->config->winograd && FIELD(view, CDMA, D_MISC_CFG, CONV_MODE) != 0;
}

static bool csc_image(const struct rules_view *view) {
    return FIELD(view, CSC, D_DATAIN_FORMAT, DATAIN_FORMAT) != 0;
}

static bool csc_winograd(const struct rules_view *view) {
    return view->config->winograd && FIELD(view, CSC, D_MISC_CFG, CONV_MODE) != 0;
}

/* Bytes of an element of a precision code. */
static size_t bytes_of(const struct rules_view *view, uint32_t precision) {
    return rules_wide(view) && precision != NVDLA_INT8 ? 2 : 1;
}

/* Entries of a ring whose D_BANK field is banks - 1. */
static size_t ring_entries(const struct rules_view *view, uint32_t banks) {
    const struct nvdla_config *config = view->config;
    size_t entry = (size_t)config->atomic_c * (rules_wide(view) ? 2 : 1);
    return ((size_t)banks + 1) * (size_t)config->cbuf_bank_bytes * (size_t)config->cbuf_bank_depth / entry;
}

static size_t cdma_batches(const struct rules_view *view) {
    return view->config->batch_max > 1 && !image(view) && !winograd(view)
               ? (size_t)FIELD(view, CDMA, D_BATCH_NUMBER, BATCHES) + 1
               : 1;
}

static const struct nvdla_pixel_format *pixel_format(const struct rules_view *view) {
    return nvdla_pixel_format(view->config, FIELD(view, CDMA, D_DATAIN_FORMAT, PIXEL_FORMAT));
}

/* ---- CDMA ---- */

static bool cdma_precision_unknown(const struct rules_view *view) {
    return rules_wide(view) && (FIELD(view, CDMA, D_MISC_CFG, IN_PRECISION) > NVDLA_FP16 ||
                                FIELD(view, CDMA, D_MISC_CFG, PROC_PRECISION) > NVDLA_FP16);
}

static bool feature_converted(const struct rules_view *view) {
    return rules_wide(view) && !image(view) &&
           FIELD(view, CDMA, D_MISC_CFG, IN_PRECISION) != FIELD(view, CDMA, D_MISC_CFG, PROC_PRECISION);
}

static bool unknown_format(const struct rules_view *view) {
    return image(view) && !pixel_format(view);
}

static bool format_precision(const struct rules_view *view) {
    const struct nvdla_pixel_format *format = pixel_format(view);
    return rules_wide(view) && image(view) && format &&
           FIELD(view, CDMA, D_MISC_CFG, IN_PRECISION) != (uint32_t)format->precision;
}

static bool image_not_converted(const struct rules_view *view) {
    uint32_t in = FIELD(view, CDMA, D_MISC_CFG, IN_PRECISION), proc = FIELD(view, CDMA, D_MISC_CFG, PROC_PRECISION);
    return rules_wide(view) && image(view) && bytes_of(view, in) != bytes_of(view, proc) &&
           (in == NVDLA_FP16 || FIELD(view, CDMA, D_CVT_CFG, CVT_EN) == 0);
}

static bool x_offset_beyond_atom(const struct rules_view *view) {
    const struct nvdla_pixel_format *format = pixel_format(view);
    return image(view) && format &&
           (size_t)FIELD(view, CDMA, D_PIXEL_OFFSET, PIXEL_X_OFFSET) * (size_t)format->pixel_bytes[0] >=
               (size_t)view->config->mem_atom;
}

static bool winograd_missing(const struct rules_view *view) {
    return !view->config->winograd && FIELD(view, CDMA, D_MISC_CFG, CONV_MODE) != 0;
}

static bool winograd_image(const struct rules_view *view) {
    return winograd(view) && image(view);
}

static bool winograd_size(const struct rules_view *view) {
    return winograd(view) && ((FIELD(view, CDMA, D_DATAIN_SIZE_EXT_0, DATAIN_WIDTH_EXT) & 3) != 3 ||
                              (FIELD(view, CDMA, D_DATAIN_SIZE_EXT_0, DATAIN_HEIGHT_EXT) & 3) != 3);
}

static bool compression_missing(const struct rules_view *view) {
    return !view->config->weight_compression && FIELD(view, CDMA, D_WEIGHT_FORMAT, WEIGHT_FORMAT) != 0;
}

static bool csc_compression_missing(const struct rules_view *view) {
    return !view->config->weight_compression && FIELD(view, CSC, D_WEIGHT_FORMAT, WEIGHT_FORMAT) != 0;
}

static bool too_many_banks(const struct rules_view *view) {
    bool masks = view->config->weight_compression && FIELD(view, CDMA, D_WEIGHT_FORMAT, WEIGHT_FORMAT) != 0;
    return FIELD(view, CDMA, D_BANK, DATA_BANK) + FIELD(view, CDMA, D_BANK, WEIGHT_BANK) + 2 + masks >
           (uint32_t)view->config->cbuf_banks;
}

static bool grain_never_fits(const struct rules_view *view) {
    size_t lines = 1, height = (size_t)FIELD(view, CDMA, D_DATAIN_SIZE_0, DATAIN_HEIGHT) + 1;
    if (winograd(view)) {
        lines = 4;
    } else if (!image(view) && FIELD(view, CDMA, D_DAIN_MAP, LINE_PACKED) != 0) {
        size_t grain = (size_t)FIELD(view, CDMA, D_FETCH_GRAIN, GRAINS) + 1;
        lines = grain < height ? grain : height;
    }
    size_t slice = (size_t)FIELD(view, CDMA, D_ENTRY_PER_SLICE, ENTRIES) + 1;
    return lines * slice * cdma_batches(view) > ring_entries(view, FIELD(view, CDMA, D_BANK, DATA_BANK));
}

static bool data_port(const struct rules_view *view) {
    return rules_no_port(view, FIELD(view, CDMA, D_DAIN_RAM_TYPE, DATAIN_RAM_TYPE));
}

static bool weight_port(const struct rules_view *view) {
    return rules_no_port(view, FIELD(view, CDMA, D_WEIGHT_RAM_TYPE, WEIGHT_RAM_TYPE));
}

static bool grains_not_packed(const struct rules_view *view) {
    uint32_t width = FIELD(view, CDMA, D_DATAIN_SIZE_0, DATAIN_WIDTH) + 1;
    return !image(view) && !winograd(view) && FIELD(view, CDMA, D_DAIN_MAP, LINE_PACKED) != 0 &&
           FIELD(view, CDMA, D_FETCH_GRAIN, GRAINS) != 0 && FIELD(view, CDMA, D_DATAIN_SIZE_0, DATAIN_HEIGHT) != 0 &&
           VALUE(view, CDMA, D_LINE_STRIDE) != width * (uint32_t)view->config->mem_atom;
}

static bool weights_too_few(const struct rules_view *view) {
    uint64_t bytes = ((uint64_t)FIELD(view, CDMA, D_WEIGHT_SIZE_0, BYTE_PER_KERNEL) + 1) *
                     ((uint64_t)FIELD(view, CDMA, D_WEIGHT_SIZE_1, WEIGHT_KERNEL) + 1);
    bool compressed = view->config->weight_compression && FIELD(view, CDMA, D_WEIGHT_FORMAT, WEIGHT_FORMAT) != 0;
    return !compressed && FIELD(view, CDMA, D_MISC_CFG, WEIGHT_REUSE) == 0 && VALUE(view, CDMA, D_WEIGHT_BYTES) < bytes;
}

static const struct rule cdma_rules[] = {
    {RULE_REFUSED,
     cdma_precision_unknown,
     {{NVDLA_CDMA, CDMA_D_MISC_CFG}},
     "precision 3 does not exist (30-cdma-cbuf section 2)"},
    {RULE_REFUSED,
     feature_converted,
     {{NVDLA_CDMA, CDMA_D_MISC_CFG}},
     "IN and PROC precision of a feature cube must be the same (20-data-formats section 10)"},
    {RULE_REFUSED,
     unknown_format,
     {{NVDLA_CDMA, CDMA_D_DATAIN_FORMAT}},
     "the configuration has no such pixel format (20-data-formats section 4)"},
    {RULE_REFUSED,
     format_precision,
     {{NVDLA_CDMA, CDMA_D_DATAIN_FORMAT}, {NVDLA_CDMA, CDMA_D_MISC_CFG}},
     "IN precision must be that of the pixel format (20-data-formats section 4.2)"},
    {RULE_REFUSED,
     image_not_converted,
     {{NVDLA_CDMA, CDMA_D_MISC_CFG}, {NVDLA_CDMA, CDMA_D_CVT_CFG}},
     "pixels of another width than PROC precision need the convertor, and FP16 ones have none (20-data-formats section "
     "4.2)"},
    {RULE_REFUSED,
     x_offset_beyond_atom,
     {{NVDLA_CDMA, CDMA_D_PIXEL_OFFSET}, {NVDLA_CDMA, CDMA_D_DATAIN_FORMAT}},
     "PIXEL_X_OFFSET must lie in the first atom (20-data-formats section 4)"},
    {RULE_REFUSED,
     winograd_missing,
     {{NVDLA_CDMA, CDMA_D_MISC_CFG}},
     "the configuration has no Winograd (30-cdma-cbuf section 1)"},
    {RULE_REFUSED,
     winograd_image,
     {{NVDLA_CDMA, CDMA_D_MISC_CFG}, {NVDLA_CDMA, CDMA_D_DATAIN_FORMAT}},
     "Winograd takes no image input (40-convolution-core section 12)"},
    {RULE_REFUSED,
     winograd_size,
     {{NVDLA_CDMA, CDMA_D_DATAIN_SIZE_EXT_0}},
     "extended sizes of Winograd are multiples of 4 (30-cdma-cbuf section 5.5)"},
    {RULE_REFUSED,
     compression_missing,
     {{NVDLA_CDMA, CDMA_D_WEIGHT_FORMAT}},
     "the configuration has no weight compression (30-cdma-cbuf section 1)"},
    {RULE_WAITS,
     grain_never_fits,
     {{NVDLA_CDMA, CDMA_D_ENTRY_PER_SLICE}, {NVDLA_CDMA, CDMA_D_BANK}},
     "what CDMA fetches at a time never fits the data banks (30-cdma-cbuf section 5.3)"},
    {RULE_WAITS,
     data_port,
     {{NVDLA_CDMA, CDMA_D_DAIN_RAM_TYPE}},
     "the configuration has no secondary memory (70-memory-interface section 7)"},
    {RULE_WAITS,
     weight_port,
     {{NVDLA_CDMA, CDMA_D_WEIGHT_RAM_TYPE}},
     "the configuration has no secondary memory (70-memory-interface section 7)"},
    {RULE_WARNS,
     too_many_banks,
     {{NVDLA_CDMA, CDMA_D_BANK}},
     "data, weight and mask banks are more than CBUF has; the areas overlap (30-cdma-cbuf section 4.2)"},
    {RULE_WARNS,
     grains_not_packed,
     {{NVDLA_CDMA, CDMA_D_DAIN_MAP}, {NVDLA_CDMA, CDMA_D_LINE_STRIDE}},
     "LINE_PACKED with another line stride than width * atom: the lines of a grain are read as one run "
     "(98-measured-rules "
     "section 3)"},
    {RULE_WARNS,
     weights_too_few,
     {{NVDLA_CDMA, CDMA_D_WEIGHT_BYTES}, {NVDLA_CDMA, CDMA_D_WEIGHT_SIZE_0}},
     "fewer bytes than the kernels have; the last ones are what CBUF holds (20-data-formats)"},
};

/* ---- CSC ---- */

static bool csc_precision_unknown(const struct rules_view *view) {
    return rules_wide(view) && FIELD(view, CSC, D_MISC_CFG, PROC_PRECISION) > NVDLA_FP16;
}

static bool extension_unknown(const struct rules_view *view) {
    return csc_image(view) && FIELD(view, CSC, D_POST_Y_EXTENSION, Y_EXTENSION) == 3;
}

static bool extension_without_image(const struct rules_view *view) {
    return !csc_image(view) && FIELD(view, CSC, D_POST_Y_EXTENSION, Y_EXTENSION) != 0;
}

static bool extension_too_wide(const struct rules_view *view) {
    uint32_t extension = FIELD(view, CSC, D_POST_Y_EXTENSION, Y_EXTENSION);
    if (!csc_image(view) || extension == 0 || extension == 3) {
        return false;
    }
    uint32_t lanes = (uint32_t)view->config->atomic_c >> extension;
    uint32_t channel = FIELD(view, CSC, D_DATAIN_SIZE_EXT_1, DATAIN_CHANNEL_EXT) & 3;
    uint32_t pixel = channel < 2 ? 1 : channel + 1;
    return FIELD(view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_CHANNEL_EXT) + 1 > lanes ||
           (FIELD(view, CSC, D_CONV_STRIDE_EXT, CONV_X_STRIDE_EXT) + 1) * pixel > lanes;
}

static bool csc_winograd_missing(const struct rules_view *view) {
    return !view->config->winograd && FIELD(view, CSC, D_MISC_CFG, CONV_MODE) != 0;
}

static bool csc_winograd_image(const struct rules_view *view) {
    return csc_winograd(view) && csc_image(view);
}

static bool csc_winograd_size(const struct rules_view *view) {
    return csc_winograd(view) && ((FIELD(view, CSC, D_DATAIN_SIZE_EXT_0, DATAIN_WIDTH_EXT) & 3) != 3 ||
                                  (FIELD(view, CSC, D_DATAIN_SIZE_EXT_0, DATAIN_HEIGHT_EXT) & 3) != 3 ||
                                  (FIELD(view, CSC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) & 3) != 3 ||
                                  (FIELD(view, CSC, D_DATAOUT_SIZE_0, DATAOUT_HEIGHT) & 3) != 3);
}

static bool releases_too_much(const struct rules_view *view) {
    return FIELD(view, CSC, D_MISC_CFG, SKIP_DATA_RLS) == 0 &&
           FIELD(view, CSC, D_RELEASE, RLS_SLICES) > FIELD(view, CSC, D_DATAIN_SIZE_EXT_0, DATAIN_HEIGHT_EXT);
}

static bool input_never_fits(const struct rules_view *view) {
    size_t slices = (size_t)FIELD(view, CSC, D_DATAIN_SIZE_EXT_0, DATAIN_HEIGHT_EXT) + 1;
    size_t entries = (size_t)FIELD(view, CSC, D_ENTRY_PER_SLICE, ENTRIES) + 1;
    bool batch = view->config->batch_max > 1 && !csc_image(view) && !csc_winograd(view);
    size_t batches = batch ? (size_t)FIELD(view, CSC, D_BATCH_NUMBER, BATCHES) + 1 : 1;
    return slices * entries * batches > ring_entries(view, FIELD(view, CSC, D_BANK, DATA_BANK));
}

static bool image_dilated(const struct rules_view *view) {
    return csc_image(view) && VALUE(view, CSC, D_DILATION_EXT) != 0;
}

static bool batches_ignored(const struct rules_view *view) {
    return FIELD(view, CSC, D_BATCH_NUMBER, BATCHES) != 0 &&
           (view->config->batch_max == 1 || csc_image(view) || csc_winograd(view));
}

static const struct rule csc_rules[] = {
    {RULE_REFUSED,
     csc_precision_unknown,
     {{NVDLA_CSC, CSC_D_MISC_CFG}},
     "precision 3 does not exist (40-convolution-core section 12)"},
    {RULE_REFUSED,
     extension_unknown,
     {{NVDLA_CSC, CSC_D_POST_Y_EXTENSION}},
     "Y_EXTENSION 3 does not exist (40-convolution-core section 3.2)"},
    {RULE_REFUSED,
     extension_without_image,
     {{NVDLA_CSC, CSC_D_POST_Y_EXTENSION}, {NVDLA_CSC, CSC_D_DATAIN_FORMAT}},
     "only image input has post-extension (40-convolution-core section 7.1)"},
    {RULE_REFUSED,
     extension_too_wide,
     {{NVDLA_CSC, CSC_D_POST_Y_EXTENSION}, {NVDLA_CSC, CSC_D_WEIGHT_SIZE_EXT_1}},
     "kernel row or stride is wider than the lanes of one line (40-convolution-core section 3.2)"},
    {RULE_REFUSED,
     csc_winograd_missing,
     {{NVDLA_CSC, CSC_D_MISC_CFG}},
     "the configuration has no Winograd (40-convolution-core section 12)"},
    {RULE_REFUSED,
     csc_winograd_image,
     {{NVDLA_CSC, CSC_D_MISC_CFG}, {NVDLA_CSC, CSC_D_DATAIN_FORMAT}},
     "Winograd takes no image input (40-convolution-core section 12)"},
    {RULE_REFUSED,
     csc_winograd_size,
     {{NVDLA_CSC, CSC_D_DATAIN_SIZE_EXT_0}, {NVDLA_CSC, CSC_D_DATAOUT_SIZE_0}},
     "sizes of Winograd are multiples of 4 (40-convolution-core section 12)"},
    {RULE_REFUSED,
     csc_compression_missing,
     {{NVDLA_CSC, CSC_D_WEIGHT_FORMAT}},
     "the configuration has no weight compression (40-convolution-core section 12)"},
    {RULE_REFUSED,
     releases_too_much,
     {{NVDLA_CSC, CSC_D_RELEASE}, {NVDLA_CSC, CSC_D_DATAIN_SIZE_EXT_0}},
     "more slices released than the layer has (40-convolution-core section 12)"},
    {RULE_WAITS,
     input_never_fits,
     {{NVDLA_CSC, CSC_D_ENTRY_PER_SLICE}, {NVDLA_CSC, CSC_D_BANK}},
     "the whole input must fit the data banks (30-cdma-cbuf section 9.2)"},
    {RULE_WARNS,
     image_dilated,
     {{NVDLA_CSC, CSC_D_DILATION_EXT}},
     "image input ignores dilation (40-convolution-core section 3.2)"},
    {RULE_WARNS,
     batches_ignored,
     {{NVDLA_CSC, CSC_D_BATCH_NUMBER}},
     "the layer ignores batches (40-convolution-core section 7.1)"},
};

struct rule_table rules_of_convolution(enum nvdla_unit unit) {
    switch (unit) {
    case NVDLA_CDMA:
        return RULE_TABLE(cdma_rules);
    case NVDLA_CSC:
        return RULE_TABLE(csc_rules);
    default:
        return (struct rule_table){NULL, 0};
    }
}

/* ---- the units of a layer ---- */

/* CONV_MODE and PROC_PRECISION stand at the same bits in every unit of the core. */
#define MODE_AND_PRECISION (CSC_D_MISC_CFG__CONV_MODE_MASK | CSC_D_MISC_CFG__PROC_PRECISION_MASK)

static bool differs(const struct rules_view *view, uint32_t other) {
    return rules_wide(view) && ((VALUE(view, CSC, D_MISC_CFG) ^ other) & MODE_AND_PRECISION) != 0;
}

static bool cdma_differs(const struct rules_view *view) {
    return differs(view, VALUE(view, CDMA, D_MISC_CFG));
}

static bool cmac_a_differs(const struct rules_view *view) {
    return differs(view, VALUE(view, CMAC_A, D_MISC_CFG));
}

static bool cmac_b_differs(const struct rules_view *view) {
    return differs(view, VALUE(view, CMAC_B, D_MISC_CFG));
}

static bool cacc_differs(const struct rules_view *view) {
    return differs(view, VALUE(view, CACC, D_MISC_CFG));
}

static bool format_differs(const struct rules_view *view) {
    return csc_image(view) != image(view);
}

static bool banks_differ(const struct rules_view *view) {
    return VALUE(view, CSC, D_BANK) != VALUE(view, CDMA, D_BANK);
}

static bool channels_differ(const struct rules_view *view) {
    const struct nvdla_pixel_format *format = pixel_format(view);
    uint32_t channel = FIELD(view, CSC, D_DATAIN_SIZE_EXT_1, DATAIN_CHANNEL_EXT) & 3;
    return image(view) && format && format->components != (channel < 2 ? 1 : (int)channel + 1);
}

static const struct rule convolution_rules[] = {
    {RULE_REFUSED,
     cdma_differs,
     {{NVDLA_CSC, CSC_D_MISC_CFG}, {NVDLA_CDMA, CDMA_D_MISC_CFG}},
     "CONV_MODE and PROC_PRECISION must be the same in CDMA and CSC (40-convolution-core section 12)"},
    {RULE_REFUSED,
     cmac_a_differs,
     {{NVDLA_CSC, CSC_D_MISC_CFG}, {NVDLA_CMAC_A, CMAC_A_D_MISC_CFG}},
     "CONV_MODE and PROC_PRECISION must be the same in CSC and CMAC_A (40-convolution-core section 12)"},
    {RULE_REFUSED,
     cmac_b_differs,
     {{NVDLA_CSC, CSC_D_MISC_CFG}, {NVDLA_CMAC_B, CMAC_B_D_MISC_CFG}},
     "CONV_MODE and PROC_PRECISION must be the same in CSC and CMAC_B (40-convolution-core section 12)"},
    {RULE_REFUSED,
     cacc_differs,
     {{NVDLA_CSC, CSC_D_MISC_CFG}, {NVDLA_CACC, CACC_D_MISC_CFG}},
     "CONV_MODE and PROC_PRECISION must be the same in CSC and CACC (40-convolution-core section 12)"},
    {RULE_REFUSED,
     format_differs,
     {{NVDLA_CSC, CSC_D_DATAIN_FORMAT}, {NVDLA_CDMA, CDMA_D_DATAIN_FORMAT}},
     "CDMA and CSC must agree on feature or image input (30-cdma-cbuf)"},
    {RULE_WARNS,
     banks_differ,
     {{NVDLA_CSC, CSC_D_BANK}, {NVDLA_CDMA, CDMA_D_BANK}},
     "CDMA and CSC must be programmed with the same banks (30-cdma-cbuf section 3)"},
    {RULE_WARNS,
     channels_differ,
     {{NVDLA_CSC, CSC_D_DATAIN_SIZE_EXT_1}, {NVDLA_CDMA, CDMA_D_DATAIN_FORMAT}},
     "CSC steps through pixels of another number of components than the format's (20-data-formats)"},
};

struct rule_table rules_of_convolution_layer(void) {
    return RULE_TABLE(convolution_rules);
}
