/* Rules of SDP, PDP, CDP, their RDMA units, and RUBIK. Spec: 50-sdp, 60-pdp, 62-cdp and 66-rubik, "Illegal or undefined
 * programming". */
#include "model/rules_table.h"

/* ---- SDP ---- */

static bool has_ew(const struct rules_view *view) {
    return view->config->map == NVDLA_MAP_FULL && view->config->sdp_ew_throughput > 0;
}

static uint32_t proc(const struct rules_view *view) {
    return rules_wide(view) ? FIELD(view, SDP, D_DATA_FORMAT, PROC_PRECISION) : NVDLA_INT8;
}

static uint32_t out(const struct rules_view *view) {
    return rules_wide(view) ? FIELD(view, SDP, D_DATA_FORMAT, OUT_PRECISION) : NVDLA_INT8;
}

static bool flying(const struct rules_view *view) {
    return FIELD(view, SDP, D_FEATURE_MODE_CFG, FLYING_MODE) != 0;
}

static bool to_pdp(const struct rules_view *view) {
    return FIELD(view, SDP, D_FEATURE_MODE_CFG, OUTPUT_DST) != 0;
}

static bool batch(const struct rules_view *view) {
    return view->config->batch_max > 1 && FIELD(view, SDP, D_FEATURE_MODE_CFG, BATCH_NUMBER) != 0;
}

static bool sdp_winograd(const struct rules_view *view) {
    return view->config->winograd && FIELD(view, SDP, D_FEATURE_MODE_CFG, WINOGRAD) != 0;
}

static bool compare(const struct rules_view *view) {
    return FIELD(view, SDP, D_DP_EW_CFG, EW_BYPASS) == 0 && FIELD(view, SDP, D_DP_EW_CFG, EW_ALU_BYPASS) == 0 &&
           FIELD(view, SDP, D_DP_EW_CFG, EW_ALU_ALGO) == 3;
}

static bool converts(const struct rules_view *view) {
    return proc(view) != out(view);
}

static bool sdp_precision_unknown(const struct rules_view *view) {
    return proc(view) > NVDLA_FP16 || out(view) > NVDLA_FP16;
}

static bool narrows_to_int8(const struct rules_view *view) {
    return out(view) == NVDLA_INT8 && (proc(view) == NVDLA_INT16 || proc(view) == NVDLA_FP16);
}

static bool int8_to_fp16(const struct rules_view *view) {
    return proc(view) == NVDLA_INT8 && out(view) == NVDLA_FP16;
}

static bool special_from_memory(const struct rules_view *view) {
    return !flying(view) && (batch(view) || sdp_winograd(view));
}

static bool special_with_pdp_or_compare(const struct rules_view *view) {
    return (batch(view) || sdp_winograd(view)) && (to_pdp(view) || (has_ew(view) && compare(view)));
}

static bool batch_and_winograd(const struct rules_view *view) {
    return batch(view) && sdp_winograd(view);
}

static bool special_converts(const struct rules_view *view) {
    return converts(view) && (batch(view) || sdp_winograd(view) || to_pdp(view) || (has_ew(view) && compare(view)));
}

static bool sdp_winograd_size(const struct rules_view *view) {
    return sdp_winograd(view) && ((FIELD(view, SDP, D_DATA_CUBE_WIDTH, WIDTH) & 1) != 1 ||
                                  (FIELD(view, SDP, D_DATA_CUBE_HEIGHT, HEIGHT) & 3) != 3);
}

static bool compare_with_table_or_pdp(const struct rules_view *view) {
    return has_ew(view) && compare(view) &&
           (to_pdp(view) || (view->config->sdp_lut && FIELD(view, SDP, D_DP_EW_CFG, EW_LUT_BYPASS) == 0));
}

static bool sdp_port(const struct rules_view *view) {
    return !to_pdp(view) && !compare(view) && rules_no_port(view, FIELD(view, SDP, D_DST_DMA_CFG, DST_RAM_TYPE));
}

static bool infinite_operand(const struct rules_view *view) {
    bool alu = FIELD(view, SDP, D_DP_EW_CFG, EW_ALU_BYPASS) == 0 && FIELD(view, SDP, D_DP_EW_ALU_CFG, EW_ALU_SRC) == 0;
    bool mul = FIELD(view, SDP, D_DP_EW_CFG, EW_MUL_BYPASS) == 0 && FIELD(view, SDP, D_DP_EW_MUL_CFG, EW_MUL_SRC) == 0;
    return has_ew(view) && FIELD(view, SDP, D_DP_EW_CFG, EW_BYPASS) == 0 && proc(view) == NVDLA_FP16 &&
           ((alu && (VALUE(view, SDP, D_DP_EW_ALU_SRC_VALUE) & 0x7fffffff) == 0x7f800000) ||
            (mul && (VALUE(view, SDP, D_DP_EW_MUL_SRC_VALUE) & 0x7fffffff) == 0x7f800000));
}

static const struct rule sdp_rules[] = {
    {RULE_REFUSED,
     sdp_precision_unknown,
     {{NVDLA_SDP, SDP_D_DATA_FORMAT}},
     "precision 3 does not exist (50-sdp section 5.3)"},
    {RULE_HANGS,
     narrows_to_int8,
     {{NVDLA_SDP, SDP_D_DATA_FORMAT}},
     "16-bit processing has no INT8 output (50-sdp section 7)"},
    {RULE_REFUSED,
     int8_to_fp16,
     {{NVDLA_SDP, SDP_D_DATA_FORMAT}},
     "INT8 processing has no FP16 output (50-sdp section 7)"},
    {RULE_REFUSED,
     special_from_memory,
     {{NVDLA_SDP, SDP_D_FEATURE_MODE_CFG}},
     "batches and Winograd come from CACC only (50-sdp section 8)"},
    {RULE_REFUSED,
     special_with_pdp_or_compare,
     {{NVDLA_SDP, SDP_D_FEATURE_MODE_CFG}},
     "batches and Winograd go to memory only (50-sdp section 8)"},
    {RULE_REFUSED,
     batch_and_winograd,
     {{NVDLA_SDP, SDP_D_FEATURE_MODE_CFG}},
     "batches and Winograd exclude each other (50-sdp section 8)"},
    {RULE_REFUSED,
     special_converts,
     {{NVDLA_SDP, SDP_D_DATA_FORMAT}, {NVDLA_SDP, SDP_D_FEATURE_MODE_CFG}},
     "no precision conversion to PDP, in compare mode, with batches or Winograd (50-sdp section 7)"},
    {RULE_REFUSED,
     sdp_winograd_size,
     {{NVDLA_SDP, SDP_D_DATA_CUBE_WIDTH}, {NVDLA_SDP, SDP_D_DATA_CUBE_HEIGHT}},
     "Winograd needs an even width and a height of a multiple of 4 (50-sdp section 8.2)"},
    {RULE_REFUSED,
     compare_with_table_or_pdp,
     {{NVDLA_SDP, SDP_D_DP_EW_CFG}, {NVDLA_SDP, SDP_D_FEATURE_MODE_CFG}},
     "compare mode goes without table and PDP (50-sdp section 9)"},
    {RULE_HANGS,
     sdp_port,
     {{NVDLA_SDP, SDP_D_DST_DMA_CFG}},
     "the configuration has no secondary memory (70-memory-interface section 7)"},
    {RULE_WARNS,
     infinite_operand,
     {{NVDLA_SDP, SDP_D_DP_EW_ALU_SRC_VALUE}, {NVDLA_SDP, SDP_D_DP_EW_MUL_SRC_VALUE}},
     "an FP32 operand with the pattern of infinity counts as a number above the largest one (50-sdp section 6.2)"},
};

/* ---- SDP_RDMA ---- */

/* The operand DMAs: their configuration registers have the same fields. */
static const uint32_t operand_configs[] = {SDP_RDMA_D_BRDMA_CFG, SDP_RDMA_D_NRDMA_CFG, SDP_RDMA_D_ERDMA_CFG};

#define OPERAND(value, field)                                                                                          \
    (((value)&SDP_RDMA_D_BRDMA_CFG__BRDMA_##field##_MASK) >> SDP_RDMA_D_BRDMA_CFG__BRDMA_##field##_LSB)

static size_t operand_dmas(const struct rules_view *view) {
    return has_ew(view) ? 3 : 2;
}

/* True if any enabled operand DMA fulfils the condition. */
static bool any_operand(const struct rules_view *view,
                        bool (*condition)(const struct rules_view *view, uint32_t config)) {
    for (size_t i = 0; i < operand_dmas(view); i++) {
        uint32_t config = rules_value(view, NVDLA_SDP_RDMA, operand_configs[i]);
        if (OPERAND(config, DISABLE) == 0 && condition(view, config)) {
            return true;
        }
    }
    return false;
}

static bool use_is_3(const struct rules_view *view, uint32_t config) {
    (void)view;
    return OPERAND(config, DATA_USE) == 3;
}

static bool short_operand(const struct rules_view *view, uint32_t config) {
    return rules_wide(view) && FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, PROC_PRECISION) != NVDLA_INT8 &&
           OPERAND(config, DATA_SIZE) == 0;
}

static bool operand_port(const struct rules_view *view, uint32_t config) {
    return rules_no_port(view, OPERAND(config, RAM_TYPE));
}

static bool per_element(const struct rules_view *view, uint32_t config) {
    (void)view;
    return OPERAND(config, DATA_MODE) != 0;
}

static bool data_use_unknown(const struct rules_view *view) {
    return any_operand(view, use_is_3);
}

static bool operands_too_short(const struct rules_view *view) {
    return any_operand(view, short_operand);
}

static bool operands_without_port(const struct rules_view *view) {
    return any_operand(view, operand_port);
}

static bool rdma_port(const struct rules_view *view) {
    return FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, FLYING_MODE) == 0 &&
           rules_no_port(view, FIELD(view, SDP_RDMA, D_SRC_DMA_CFG, SRC_RAM_TYPE));
}

static const struct rule sdp_rdma_rules[] = {
    {RULE_REFUSED,
     data_use_unknown,
     {{NVDLA_SDP_RDMA, SDP_RDMA_D_BRDMA_CFG}, {NVDLA_SDP_RDMA, SDP_RDMA_D_NRDMA_CFG}},
     "DATA_USE 3 does not exist (50-sdp section 2.3)"},
    {RULE_REFUSED,
     operands_too_short,
     {{NVDLA_SDP_RDMA, SDP_RDMA_D_BRDMA_CFG}, {NVDLA_SDP_RDMA, SDP_RDMA_D_NRDMA_CFG}},
     "16-bit processing has operands of two bytes (50-sdp section 4)"},
    {RULE_HANGS,
     operands_without_port,
     {{NVDLA_SDP_RDMA, SDP_RDMA_D_BRDMA_CFG}, {NVDLA_SDP_RDMA, SDP_RDMA_D_NRDMA_CFG}},
     "the configuration has no secondary memory (70-memory-interface section 7)"},
    {RULE_HANGS,
     rdma_port,
     {{NVDLA_SDP_RDMA, SDP_RDMA_D_SRC_DMA_CFG}},
     "the configuration has no secondary memory (70-memory-interface section 7)"},
};

/* ---- SDP with SDP_RDMA ---- */

static uint32_t in(const struct rules_view *view) {
    return FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, IN_PRECISION);
}

static bool sizes_differ(const struct rules_view *view) {
    return VALUE(view, SDP, D_DATA_CUBE_WIDTH) != VALUE(view, SDP_RDMA, D_DATA_CUBE_WIDTH) ||
           VALUE(view, SDP, D_DATA_CUBE_HEIGHT) != VALUE(view, SDP_RDMA, D_DATA_CUBE_HEIGHT);
}

static bool flying_differs(const struct rules_view *view) {
    return flying(view) != (FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, FLYING_MODE) != 0);
}

static bool precision_differs(const struct rules_view *view) {
    return rules_wide(view) && (proc(view) != FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, PROC_PRECISION) ||
                                out(view) != FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, OUT_PRECISION));
}

static bool mode_differs(const struct rules_view *view) {
    return (view->config->winograd &&
            FIELD(view, SDP, D_FEATURE_MODE_CFG, WINOGRAD) != FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, WINOGRAD)) ||
           (view->config->batch_max > 1 && FIELD(view, SDP, D_FEATURE_MODE_CFG, BATCH_NUMBER) !=
                                               FIELD(view, SDP_RDMA, D_FEATURE_MODE_CFG, BATCH_NUMBER));
}

static bool input_unknown(const struct rules_view *view) {
    return rules_wide(view) && !flying(view) && in(view) > NVDLA_FP16;
}

static bool widens_input(const struct rules_view *view) {
    return rules_wide(view) && !flying(view) && in(view) == NVDLA_INT8 && proc(view) != NVDLA_INT8;
}

static bool fp16_to_int8(const struct rules_view *view) {
    return rules_wide(view) && !flying(view) && in(view) == NVDLA_FP16 && proc(view) == NVDLA_INT8 &&
           out(view) != NVDLA_FP16;
}

static bool reinterprets(const struct rules_view *view) {
    return rules_wide(view) && !flying(view) && in(view) != proc(view) && in(view) != NVDLA_INT8 &&
           proc(view) != NVDLA_INT8;
}

static bool batch_operand_unaligned(const struct rules_view *view) {
    uint32_t low = VALUE(view, SDP, D_DST_BASE_ADDR_LOW) | VALUE(view, SDP, D_DST_LINE_STRIDE) |
                   VALUE(view, SDP, D_DST_SURFACE_STRIDE);
    return batch(view) && any_operand(view, per_element) && (low & 63) != 0;
}

static bool batch_operand_single(const struct rules_view *view) {
    uint32_t lanes = (uint32_t)view->config->mem_atom / (proc(view) == NVDLA_INT8 ? 1 : 2);
    return batch(view) && any_operand(view, per_element) && VALUE(view, SDP, D_DATA_CUBE_WIDTH) == 0 &&
           VALUE(view, SDP, D_DATA_CUBE_HEIGHT) == 0 && VALUE(view, SDP, D_DATA_CUBE_CHANNEL) >= lanes;
}

static const struct rule sdp_layer_rules[] = {
    {RULE_HANGS,
     sizes_differ,
     {{NVDLA_SDP, SDP_D_DATA_CUBE_WIDTH}, {NVDLA_SDP_RDMA, SDP_RDMA_D_DATA_CUBE_WIDTH}},
     "SDP and SDP_RDMA must have the same cube size (50-sdp section 2.3)"},
    {RULE_HANGS,
     flying_differs,
     {{NVDLA_SDP, SDP_D_FEATURE_MODE_CFG}, {NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG}},
     "SDP and SDP_RDMA must have the same FLYING_MODE (50-sdp section 2.3)"},
    {RULE_REFUSED,
     precision_differs,
     {{NVDLA_SDP, SDP_D_DATA_FORMAT}, {NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG}},
     "SDP and SDP_RDMA must have the same precisions (50-sdp section 2.3)"},
    {RULE_REFUSED,
     mode_differs,
     {{NVDLA_SDP, SDP_D_FEATURE_MODE_CFG}, {NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG}},
     "SDP and SDP_RDMA must agree on Winograd and batches (50-sdp section 2.3)"},
    {RULE_REFUSED,
     input_unknown,
     {{NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG}},
     "precision 3 does not exist (50-sdp section 7)"},
    {RULE_REFUSED,
     widens_input,
     {{NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG}},
     "INT8 input has no 16-bit processing (50-sdp section 7)"},
    {RULE_HANGS,
     fp16_to_int8,
     {{NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG}},
     "FP16 input has no INT8 processing (50-sdp section 7)"},
    {RULE_WARNS,
     reinterprets,
     {{NVDLA_SDP_RDMA, SDP_RDMA_D_FEATURE_MODE_CFG}},
     "INT16 data with FP16 processing or the reverse: the 32-bit pattern is reinterpreted (50-sdp section 7)"},
    {RULE_REFUSED,
     batch_operand_unaligned,
     {{NVDLA_SDP, SDP_D_DST_BASE_ADDR_LOW}, {NVDLA_SDP, SDP_D_DST_LINE_STRIDE}},
     "batches with per-element operands need a destination aligned to 64 bytes (50-sdp section 8.3)"},
    {RULE_HANGS,
     batch_operand_single,
     {{NVDLA_SDP, SDP_D_DATA_CUBE_CHANNEL}, {NVDLA_SDP, SDP_D_FEATURE_MODE_CFG}},
     "batches of 1x1 cubes of several surfaces take no per-element operands (50-sdp section 8.3)"},
};

/* ---- PDP ---- */

/* Geometry of one direction, true values. */
struct axis {
    int64_t size, before, after, kernel, stride, result;
};

static struct axis pdp_axis(const struct rules_view *view, bool vertical) {
    uint32_t shape = VALUE(view, PDP, D_POOLING_KERNEL_CFG), pads = VALUE(view, PDP, D_POOLING_PADDING_CFG);
    if (vertical) {
        return (struct axis){.size = (int64_t)VALUE(view, PDP, D_DATA_CUBE_IN_HEIGHT) + 1,
                             .before = pads >> PDP_D_POOLING_PADDING_CFG__PAD_TOP_LSB & 7,
                             .after = pads >> PDP_D_POOLING_PADDING_CFG__PAD_BOTTOM_LSB & 7,
                             .kernel = (shape >> PDP_D_POOLING_KERNEL_CFG__KERNEL_HEIGHT_LSB & 15) + 1,
                             .stride = (shape >> PDP_D_POOLING_KERNEL_CFG__KERNEL_STRIDE_HEIGHT_LSB & 15) + 1,
                             .result = (int64_t)VALUE(view, PDP, D_DATA_CUBE_OUT_HEIGHT) + 1};
    }
    return (struct axis){.size = (int64_t)VALUE(view, PDP, D_DATA_CUBE_IN_WIDTH) + 1,
                         .before = pads >> PDP_D_POOLING_PADDING_CFG__PAD_LEFT_LSB & 7,
                         .after = pads >> PDP_D_POOLING_PADDING_CFG__PAD_RIGHT_LSB & 7,
                         .kernel = (shape >> PDP_D_POOLING_KERNEL_CFG__KERNEL_WIDTH_LSB & 15) + 1,
                         .stride = (shape >> PDP_D_POOLING_KERNEL_CFG__KERNEL_STRIDE_WIDTH_LSB & 15) + 1,
                         .result = (int64_t)VALUE(view, PDP, D_DATA_CUBE_OUT_WIDTH) + 1};
}

/* Strips have sizes of their own; their pads are those of the layer. */
static bool split(const struct rules_view *view) {
    return FIELD(view, PDP, D_OPERATION_MODE_CFG, SPLIT_NUM) != 0;
}

/* Columns or rows behind the last window of an exact division. */
static int64_t remainder_of(struct axis axis) {
    int64_t reach = axis.size + axis.before + axis.after - axis.kernel;
    return reach < 0 ? reach : reach % axis.stride;
}

static bool method_unknown(const struct rules_view *view) {
    return FIELD(view, PDP, D_OPERATION_MODE_CFG, POOLING_METHOD) == 3;
}

static bool pdp_precision_unknown(const struct rules_view *view) {
    return rules_wide(view) && FIELD(view, PDP, D_DATA_FORMAT, INPUT_DATA) > NVDLA_FP16;
}

static bool kernel_too_large(const struct rules_view *view) {
    return pdp_axis(view, false).kernel > 8 || pdp_axis(view, true).kernel > 8;
}

static bool window_of_pads(struct axis axis) {
    return axis.before >= axis.kernel || (axis.result - 1) * axis.stride - axis.before >= axis.size;
}

static bool window_in_padding(const struct rules_view *view) {
    return window_of_pads(pdp_axis(view, true)) || (!split(view) && window_of_pads(pdp_axis(view, false)));
}

static bool other_result(struct axis axis) {
    int64_t reach = axis.size + axis.before + axis.after - axis.kernel;
    return reach < 0 || axis.result != reach / axis.stride + 1;
}

static bool other_geometry(const struct rules_view *view) {
    return other_result(pdp_axis(view, true)) || (!split(view) && other_result(pdp_axis(view, false)));
}

/* The first two lines of the table of 60-pdp section 4. */
static bool loses_a_window(struct axis axis) {
    int64_t rest = remainder_of(axis);
    int64_t exact = axis.after > rest ? axis.after - rest : 0;
    return rest > 0 && axis.after / axis.stride != exact / axis.stride;
}

static bool inexact_wrong(const struct rules_view *view) {
    return loses_a_window(pdp_axis(view, true)) || (!split(view) && loses_a_window(pdp_axis(view, false)));
}

static bool first_window_passes_end(struct axis axis) {
    int64_t rest = remainder_of(axis);
    return rest > 0 && rest <= axis.after && axis.result >= 2 && axis.kernel - axis.before > axis.size;
}

static bool inexact_hang(const struct rules_view *view) {
    return first_window_passes_end(pdp_axis(view, true)) ||
           (!split(view) && first_window_passes_end(pdp_axis(view, false)));
}

static bool unused_rows(const struct rules_view *view) {
    struct axis axis = pdp_axis(view, true);
    return remainder_of(axis) > axis.after;
}

/* Widest strip in output columns, and what the line buffer holds of it. Spec: 60-pdp section 9. */
static int64_t widest_strip(const struct rules_view *view) {
    if (!split(view)) {
        return pdp_axis(view, false).result;
    }
    int64_t first = (int64_t)FIELD(view, PDP, D_PARTIAL_WIDTH_OUT, PARTIAL_WIDTH_OUT_FIRST) + 1;
    int64_t last = (int64_t)FIELD(view, PDP, D_PARTIAL_WIDTH_OUT, PARTIAL_WIDTH_OUT_LAST) + 1;
    int64_t mid = (int64_t)FIELD(view, PDP, D_PARTIAL_WIDTH_OUT, PARTIAL_WIDTH_OUT_MID) + 1;
    int64_t widest = first > last ? first : last;
    return FIELD(view, PDP, D_OPERATION_MODE_CFG, SPLIT_NUM) > 1 && mid > widest ? mid : widest;
}

static int64_t overlapping_lines(struct axis rows) {
    if (rows.stride >= rows.kernel) {
        return 1;
    }
    switch (rows.stride) {
    case 1:
        return rows.kernel;
    case 2:
        return (rows.kernel + 1) / 2;
    case 3:
        return rows.kernel <= 6 ? 2 : 3;
    default:
        return 2;
    }
}

static int64_t line_buffer_columns(const struct rules_view *view) {
    struct axis rows = pdp_axis(view, true);
    int64_t lines = overlapping_lines(rows);
    if (rows.kernel == 1) {
        return INT64_MAX;
    }
    return lines == 1 ? 128 : lines == 2 ? 64 : lines <= 4 ? 32 : 16;
}

static bool too_wide_wrong(const struct rules_view *view) {
    return widest_strip(view) > line_buffer_columns(view) && overlapping_lines(pdp_axis(view, true)) == 1;
}

static bool too_wide_hang(const struct rules_view *view) {
    return widest_strip(view) > line_buffer_columns(view) && overlapping_lines(pdp_axis(view, true)) > 1;
}

static bool flying_split(const struct rules_view *view) {
    return FIELD(view, PDP, D_OPERATION_MODE_CFG, FLYING_MODE) == 0 && split(view);
}

static bool pdp_port(const struct rules_view *view) {
    return rules_no_port(view, FIELD(view, PDP, D_DST_RAM_CFG, DST_RAM_TYPE));
}

static const struct rule pdp_rules[] = {
    {RULE_REFUSED,
     method_unknown,
     {{NVDLA_PDP, PDP_D_OPERATION_MODE_CFG}},
     "POOLING_METHOD 3 does not exist (60-pdp section 13)"},
    {RULE_REFUSED,
     pdp_precision_unknown,
     {{NVDLA_PDP, PDP_D_DATA_FORMAT}},
     "precision 3 does not exist (60-pdp section 13)"},
    {RULE_REFUSED,
     kernel_too_large,
     {{NVDLA_PDP, PDP_D_POOLING_KERNEL_CFG}},
     "windows have at most 8 rows and columns (60-pdp section 2.1)"},
    {RULE_REFUSED,
     window_in_padding,
     {{NVDLA_PDP, PDP_D_POOLING_PADDING_CFG}, {NVDLA_PDP, PDP_D_POOLING_KERNEL_CFG}},
     "a window lies completely in padding (60-pdp section 4)"},
    {RULE_REFUSED,
     other_geometry,
     {{NVDLA_PDP, PDP_D_DATA_CUBE_OUT_WIDTH}, {NVDLA_PDP, PDP_D_DATA_CUBE_OUT_HEIGHT}},
     "the output size is not that of the windows (60-pdp section 4)"},
    {RULE_REFUSED,
     inexact_wrong,
     {{NVDLA_PDP, PDP_D_POOLING_PADDING_CFG}, {NVDLA_PDP, PDP_D_POOLING_KERNEL_CFG}},
     "inexact division: pads behind the last window that make a window of their own (60-pdp section 4)"},
    {RULE_HANGS,
     inexact_hang,
     {{NVDLA_PDP, PDP_D_POOLING_PADDING_CFG}, {NVDLA_PDP, PDP_D_POOLING_KERNEL_CFG}},
     "inexact division, and even the first window passes the end of the cube (60-pdp section 4)"},
    {RULE_WARNS,
     unused_rows,
     {{NVDLA_PDP, PDP_D_DATA_CUBE_IN_HEIGHT}, {NVDLA_PDP, PDP_D_POOLING_KERNEL_CFG}},
     "rows that no window uses stay behind: the next layer of the hardware hangs or is wrong (60-pdp section 4)"},
    {RULE_REFUSED,
     too_wide_wrong,
     {{NVDLA_PDP, PDP_D_DATA_CUBE_OUT_WIDTH}, {NVDLA_PDP, PDP_D_POOLING_KERNEL_CFG}},
     "more output columns than the line buffer holds (60-pdp section 9)"},
    {RULE_HANGS,
     too_wide_hang,
     {{NVDLA_PDP, PDP_D_DATA_CUBE_OUT_WIDTH}, {NVDLA_PDP, PDP_D_POOLING_KERNEL_CFG}},
     "more output columns than the line buffer holds (60-pdp section 9)"},
    {RULE_HANGS, flying_split, {{NVDLA_PDP, PDP_D_OPERATION_MODE_CFG}}, "no width split on the fly (60-pdp section 8)"},
    {RULE_HANGS,
     pdp_port,
     {{NVDLA_PDP, PDP_D_DST_RAM_CFG}},
     "the configuration has no secondary memory (70-memory-interface section 7)"},
};

static bool pdp_rdma_port(const struct rules_view *view) {
    return rules_no_port(view, FIELD(view, PDP_RDMA, D_SRC_RAM_CFG, SRC_RAM_TYPE));
}

static const struct rule pdp_rdma_rules[] = {
    {RULE_HANGS,
     pdp_rdma_port,
     {{NVDLA_PDP_RDMA, PDP_RDMA_D_SRC_RAM_CFG}},
     "the configuration has no secondary memory (70-memory-interface section 7)"},
};

static bool pdp_size_differs(const struct rules_view *view) {
    return VALUE(view, PDP, D_DATA_CUBE_IN_HEIGHT) != VALUE(view, PDP_RDMA, D_DATA_CUBE_IN_HEIGHT) ||
           (!split(view) && VALUE(view, PDP, D_DATA_CUBE_IN_WIDTH) != VALUE(view, PDP_RDMA, D_DATA_CUBE_IN_WIDTH));
}

static bool pdp_split_differs(const struct rules_view *view) {
    return FIELD(view, PDP, D_OPERATION_MODE_CFG, SPLIT_NUM) !=
               FIELD(view, PDP_RDMA, D_OPERATION_MODE_CFG, SPLIT_NUM) ||
           (split(view) && VALUE(view, PDP, D_PARTIAL_WIDTH_IN) != VALUE(view, PDP_RDMA, D_PARTIAL_WIDTH_IN));
}

static bool pdp_format_differs(const struct rules_view *view) {
    return rules_wide(view) && VALUE(view, PDP, D_DATA_FORMAT) != VALUE(view, PDP_RDMA, D_DATA_FORMAT);
}

/* A strip's overlap with the one before it reaches to the left of column 0. */
static bool strip_before_line(const struct rules_view *view) {
    struct axis columns = pdp_axis(view, false);
    int64_t first = (int64_t)FIELD(view, PDP, D_PARTIAL_WIDTH_IN, PARTIAL_WIDTH_IN_FIRST) + 1;
    return split(view) && first < columns.kernel - columns.stride;
}

static const struct rule pdp_layer_rules[] = {
    {RULE_HANGS,
     pdp_size_differs,
     {{NVDLA_PDP, PDP_D_DATA_CUBE_IN_WIDTH}, {NVDLA_PDP_RDMA, PDP_RDMA_D_DATA_CUBE_IN_WIDTH}},
     "PDP and PDP_RDMA must have the same cube size (60-pdp section 2.2)"},
    {RULE_HANGS,
     pdp_split_differs,
     {{NVDLA_PDP, PDP_D_OPERATION_MODE_CFG}, {NVDLA_PDP_RDMA, PDP_RDMA_D_OPERATION_MODE_CFG}},
     "PDP and PDP_RDMA must have the same strips (60-pdp section 7)"},
    {RULE_HANGS,
     pdp_format_differs,
     {{NVDLA_PDP, PDP_D_DATA_FORMAT}, {NVDLA_PDP_RDMA, PDP_RDMA_D_DATA_FORMAT}},
     "PDP and PDP_RDMA must have the same data type (60-pdp section 2.2)"},
    {RULE_WARNS,
     strip_before_line,
     {{NVDLA_PDP, PDP_D_PARTIAL_WIDTH_IN}, {NVDLA_PDP, PDP_D_POOLING_KERNEL_CFG}},
     "the overlap of strips reaches bytes before the line (60-pdp section 13)"},
};

/* ---- CDP ---- */

static bool cdp_precision_unknown(const struct rules_view *view) {
    return rules_wide(view) && FIELD(view, CDP, D_DATA_FORMAT, INPUT_DATA_TYPE) > NVDLA_FP16;
}

static bool cdp_select_undefined(const struct rules_view *view) {
    uint32_t le = FIELD(view, CDP, S_LUT_INFO, LUT_LE_INDEX_SELECT) & 0x7f;
    uint32_t lo = FIELD(view, CDP, S_LUT_INFO, LUT_LO_INDEX_SELECT) & 0x7f;
    return rules_wide(view) && FIELD(view, CDP, D_DATA_FORMAT, INPUT_DATA_TYPE) == NVDLA_INT16 &&
           (le == 0x40 || lo == 0x40);
}

static bool cdp_port(const struct rules_view *view) {
    return rules_no_port(view, FIELD(view, CDP, D_DST_DMA_CFG, DST_RAM_TYPE));
}

static const struct rule cdp_rules[] = {
    {RULE_REFUSED,
     cdp_precision_unknown,
     {{NVDLA_CDP, CDP_D_DATA_FORMAT}},
     "precision 3 does not exist (62-cdp section 12)"},
    {RULE_REFUSED,
     cdp_select_undefined,
     {{NVDLA_CDP, CDP_S_LUT_INFO}},
     "INDEX_SELECT -64 of INT16 layers is undefined (55-lut)"},
    {RULE_HANGS,
     cdp_port,
     {{NVDLA_CDP, CDP_D_DST_DMA_CFG}},
     "the configuration has no secondary memory (70-memory-interface section 7)"},
};

static bool cdp_rdma_port(const struct rules_view *view) {
    return rules_no_port(view, FIELD(view, CDP_RDMA, D_SRC_DMA_CFG, SRC_RAM_TYPE));
}

static const struct rule cdp_rdma_rules[] = {
    {RULE_HANGS,
     cdp_rdma_port,
     {{NVDLA_CDP_RDMA, CDP_RDMA_D_SRC_DMA_CFG}},
     "the configuration has no secondary memory (70-memory-interface section 7)"},
};

static bool cdp_format_differs(const struct rules_view *view) {
    return rules_wide(view) &&
           FIELD(view, CDP, D_DATA_FORMAT, INPUT_DATA_TYPE) != FIELD(view, CDP_RDMA, D_DATA_FORMAT, INPUT_DATA);
}

static const struct rule cdp_layer_rules[] = {
    {RULE_HANGS,
     cdp_format_differs,
     {{NVDLA_CDP, CDP_D_DATA_FORMAT}, {NVDLA_CDP_RDMA, CDP_RDMA_D_DATA_FORMAT}},
     "CDP and CDP_RDMA must have the same data type (62-cdp section 12)"},
};

/* ---- RUBIK ---- */

enum { CONTRACT, SPLIT, MERGE };

static bool rubik_mode_unknown(const struct rules_view *view) {
    return FIELD(view, RBK, D_MISC_CFG, RUBIK_MODE) == 3;
}

static bool merge_more_channels(const struct rules_view *view) {
    return FIELD(view, RBK, D_MISC_CFG, RUBIK_MODE) == MERGE &&
           FIELD(view, RBK, D_DATAOUT_SIZE_1, DATAOUT_CHANNEL) > FIELD(view, RBK, D_DATAIN_SIZE_1, DATAIN_CHANNEL);
}

static bool channels_disagree(const struct rules_view *view) {
    return FIELD(view, RBK, D_MISC_CFG, RUBIK_MODE) != CONTRACT &&
           FIELD(view, RBK, D_DATAOUT_SIZE_1, DATAOUT_CHANNEL) != FIELD(view, RBK, D_DATAIN_SIZE_1, DATAIN_CHANNEL);
}

static bool contract_too_wide(const struct rules_view *view) {
    return FIELD(view, RBK, D_MISC_CFG, RUBIK_MODE) == CONTRACT &&
           (FIELD(view, RBK, D_DATAIN_SIZE_0, DATAIN_WIDTH) + 1) *
                   (FIELD(view, RBK, D_DECONV_STRIDE, DECONV_X_STRIDE) + 1) >
               8192;
}

static const struct rule rubik_rules[] = {
    {RULE_HANGS,
     rubik_mode_unknown,
     {{NVDLA_RBK, RBK_D_MISC_CFG}},
     "RUBIK_MODE 3 never completes (66-rubik section 9)"},
    {RULE_HANGS,
     merge_more_channels,
     {{NVDLA_RBK, RBK_D_DATAIN_SIZE_1}, {NVDLA_RBK, RBK_D_DATAOUT_SIZE_1}},
     "merge to more channels than there are planes (66-rubik section 9)"},
    {RULE_WARNS,
     channels_disagree,
     {{NVDLA_RBK, RBK_D_DATAIN_SIZE_1}, {NVDLA_RBK, RBK_D_DATAOUT_SIZE_1}},
     "split and merge need the same number of channels on both sides (66-rubik section 9)"},
    {RULE_REFUSED,
     contract_too_wide,
     {{NVDLA_RBK, RBK_D_DATAIN_SIZE_0}, {NVDLA_RBK, RBK_D_DECONV_STRIDE}},
     "contract to more than 8192 columns (66-rubik section 9)"},
};

/* ---- tables ---- */

struct rule_table rules_of_post_processing(enum nvdla_unit unit) {
    switch (unit) {
    case NVDLA_SDP:
        return RULE_TABLE(sdp_rules);
    case NVDLA_SDP_RDMA:
        return RULE_TABLE(sdp_rdma_rules);
    case NVDLA_PDP:
        return RULE_TABLE(pdp_rules);
    case NVDLA_PDP_RDMA:
        return RULE_TABLE(pdp_rdma_rules);
    case NVDLA_CDP:
        return RULE_TABLE(cdp_rules);
    case NVDLA_CDP_RDMA:
        return RULE_TABLE(cdp_rdma_rules);
    case NVDLA_RBK:
        return RULE_TABLE(rubik_rules);
    default:
        return (struct rule_table){NULL, 0};
    }
}

struct rule_table rules_of_post_processing_layer(enum nvdla_unit leader) {
    switch (leader) {
    case NVDLA_SDP:
        return RULE_TABLE(sdp_layer_rules);
    case NVDLA_PDP:
        return RULE_TABLE(pdp_layer_rules);
    case NVDLA_CDP:
        return RULE_TABLE(cdp_layer_rules);
    default:
        return (struct rule_table){NULL, 0};
    }
}
