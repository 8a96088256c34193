/* Rules of PDP and PDP_RDMA. Spec: 60-pdp section 13 and the sections it refers to. */
#include "model/overlap.h"
#include "model/pdp.h"
#include "model/rules.h"
#include "model/rules_table.h"

enum { MOST_WINDOW = 8 }; /* rows and columns */

static struct pdp_layer layer_of(const struct registers_view *view) {
    struct pdp_layer layer;
    pdp_layer_decode(&layer, view);
    return layer;
}

/* ---- windows along one axis ---- */

struct axis {
    int size, before, after, kernel, stride, result;
};

static struct axis columns_of(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    return (struct axis){l.width,        l.kernel.pad_left,     l.kernel.pad_right,
                         l.kernel.width, l.kernel.stride_width, l.out_width};
}

static struct axis rows_of(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    return (struct axis){l.height,        l.kernel.pad_top,       l.kernel.pad_bottom,
                         l.kernel.height, l.kernel.stride_height, l.out_height};
}

/* Strips have their own widths. */
CONDITION(split, layer_of(view).in.count > 1)

/* True if the rows, or the columns of a layer without strips, meet the condition. */
static bool any_axis(const struct registers_view *view, bool (*condition)(struct axis axis)) {
    return condition(rows_of(view)) || (!split(view) && condition(columns_of(view)));
}

static int reach(struct axis axis) {
    return axis.size + axis.before + axis.after - axis.kernel;
}

/* Columns or rows beyond the last step. */
static int remainder_of(struct axis axis) {
    return reach(axis) < 0 ? 0 : reach(axis) % axis.stride;
}

static bool is_padding(struct axis axis) {
    return axis.before >= axis.kernel || (axis.result - 1) * axis.stride - axis.before >= axis.size;
}

static bool has_other_result(struct axis axis) {
    return reach(axis) < 0 || axis.result != reach(axis) / axis.stride + 1;
}

/* The table of section 4, first line. */
static bool loses_a_window(struct axis axis) {
    int rest = remainder_of(axis), exact = axis.after > rest ? axis.after - rest : 0;
    return axis.after / axis.stride != exact / axis.stride;
}

/* Second line. */
static bool first_window_passes_end(struct axis axis) {
    int rest = remainder_of(axis);
    return rest > 0 && rest <= axis.after && axis.result >= 2 && axis.kernel - axis.before > axis.size;
}

/* ---- PDP ---- */

CONDITION(method_unknown, FIELD(view, PDP, D_OPERATION_MODE_CFG, POOLING_METHOD) == 3)

CONDITION(precision_unknown,
          rules_wide(view) && !nvdla_has_precision(view->config, FIELD(view, PDP, D_DATA_FORMAT, INPUT_DATA)))

CONDITION(window_too_large, columns_of(view).kernel > MOST_WINDOW || rows_of(view).kernel > MOST_WINDOW)

CONDITION(window_in_padding, any_axis(view, is_padding))

CONDITION(other_geometry, any_axis(view, has_other_result))

/* Section 7. */
static bool strips_inconsistent(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    int middle = l.in.count - 2, stride = l.kernel.stride_width;
    return l.in.count > 1 && (l.in.first != (l.out.first - 1) * stride + l.kernel.width - l.kernel.pad_left ||
                              (middle > 0 && l.in.middle != l.out.middle * stride) ||
                              l.out.first + middle * l.out.middle + l.out.last != l.out_width ||
                              (l.out.last - 1) * stride + stride - l.kernel.pad_right > l.in.last ||
                              (l.out.last + 1) * stride - l.kernel.pad_right <= l.in.last); /* one more fits */
}

CONDITION(inexact_wrong, any_axis(view, loses_a_window))

CONDITION(inexact_hang, any_axis(view, first_window_passes_end))

CONDITION(unused_rows, remainder_of(rows_of(view)) > rows_of(view).after)

/* Three spoil the next layer always, two do at times, one does not. */
CONDITION(many_unused_columns, remainder_of(columns_of(view)) > columns_of(view).after + 1)

CONDITION(unused_columns, !layer_of(view).from_memory && remainder_of(columns_of(view)) > columns_of(view).after)

static int widest_strip(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    if (l.in.count == 1)
        return l.out_width;
    int widest = l.out.first > l.out.last ? l.out.first : l.out.last;
    return l.in.count > 2 && l.out.middle > widest ? l.out.middle : widest;
}

static bool too_wide(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    return widest_strip(view) > pdp_line_buffer_columns(&l.kernel);
}

static bool too_wide_wrong(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    return too_wide(view) && pdp_waiting_lines(&l.kernel) == 1;
}

CONDITION(too_wide_hang, too_wide(view) && !too_wide_wrong(view))

static bool last_strip_empty(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    int overlap = l.kernel.width - l.kernel.stride_width;
    return l.in.count > 1 && (l.in.last + overlap < 1 || (l.in.count > 2 && l.in.middle + overlap < 1));
}

CONDITION(flying_split, !layer_of(view).from_memory && split(view))

static bool surfaces_differ(const struct registers_view *view) {
    uint32_t lanes = (uint32_t)layer_of(view).lanes;
    return VALUE(view, PDP, D_DATA_CUBE_IN_CHANNEL) / lanes != VALUE(view, PDP, D_DATA_CUBE_OUT_CHANNEL) / lanes;
}

CONDITION(destination_port, rules_no_port(view, FIELD(view, PDP, D_DST_RAM_CFG, DST_RAM_TYPE)))

static bool is_infinite_fp17(uint32_t value) {
    return (value & 0xffff) == 0xfc00;
}

static bool infinite_constant(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    if (l.kernel.precision != NVDLA_FP16 || l.kernel.method != PDP_AVERAGE)
        return false;
    bool infinite = is_infinite_fp17(l.kernel.reciprocal_width) || is_infinite_fp17(l.kernel.reciprocal_height);
    for (int n = 1; n < PDP_PADS; n++)
        infinite = infinite || is_infinite_fp17((uint32_t)l.kernel.pad[n]);
    return infinite;
}

static struct extent destination_of(const struct pdp_layer *l) {
    return extent_of(&l->destination, (uint64_t)l->out_width * l->atom, (uint64_t)l->out_height, (uint64_t)l->surfaces);
}

static bool destination_overlaps(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    struct extent destination = destination_of(&l);
    return extent_overlaps_itself(&destination);
}

static bool destination_misaligned(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    const struct cube *to = &l.destination.cube;
    uint64_t strides = (l.out_height > 1 ? to->line_stride : 0) | (l.surfaces > 1 ? to->surface_stride : 0);
    return rules_misaligned(view, to->base | strides);
}

static const struct rule pdp_list[] = {
    RULE(REFUSED, method_unknown, "there is no POOLING_METHOD 3", "60-pdp section 13",
         SHOWN(PDP, D_OPERATION_MODE_CFG)),
    RULE(REFUSED, precision_unknown, "the configuration has no such data type", "60-pdp section 13",
         SHOWN(PDP, D_DATA_FORMAT)),
    RULE(REFUSED, window_too_large, "windows have at most 8 rows and columns", "60-pdp section 13",
         SHOWN(PDP, D_POOLING_KERNEL_CFG)),
    RULE(REFUSED, window_in_padding, "a window lies completely in padding", "60-pdp section 4",
         SHOWN(PDP, D_POOLING_PADDING_CFG), SHOWN(PDP, D_POOLING_KERNEL_CFG)),
    RULE(REFUSED, other_geometry, "the output size is not that of the windows", "60-pdp section 4",
         SHOWN(PDP, D_DATA_CUBE_OUT_WIDTH), SHOWN(PDP, D_DATA_CUBE_OUT_HEIGHT), SHOWN(PDP, D_POOLING_KERNEL_CFG)),
    RULE(REFUSED, strips_inconsistent, "the widths of the strips are not those of their windows", "60-pdp section 7",
         SHOWN(PDP, D_PARTIAL_WIDTH_IN), SHOWN(PDP, D_PARTIAL_WIDTH_OUT), SHOWN(PDP, D_POOLING_KERNEL_CFG)),
    RULE(REFUSED, inexact_wrong,
         "the windows do not divide the cube exactly, and without the rest the padding makes fewer of them",
         "60-pdp section 4", SHOWN(PDP, D_POOLING_PADDING_CFG), SHOWN(PDP, D_POOLING_KERNEL_CFG)),
    RULE(HANGS, inexact_hang, "the windows do not divide the cube exactly, and even the first one passes its end",
         "60-pdp section 4", SHOWN(PDP, D_POOLING_PADDING_CFG), SHOWN(PDP, D_POOLING_KERNEL_CFG)),
    {RULE_WARNS, unused_rows, "rows that no window uses remain in PDP: the next layer of PDP hangs or is wrong",
     "60-pdp section 4", .shown = {SHOWN(PDP, D_DATA_CUBE_IN_HEIGHT), SHOWN(PDP, D_POOLING_KERNEL_CFG)},
     .spoils = unused_rows},
    {RULE_WARNS, unused_columns, "columns that no window uses, on the fly: the next layer of PDP can hang or be wrong",
     "99-illegal-programming section 4", .shown = {SHOWN(PDP, D_DATA_CUBE_IN_WIDTH), SHOWN(PDP, D_POOLING_KERNEL_CFG)},
     .spoils = many_unused_columns},
    RULE(REFUSED, too_wide_wrong, "the line buffer holds fewer output columns", "60-pdp section 9",
         SHOWN(PDP, D_DATA_CUBE_OUT_WIDTH), SHOWN(PDP, D_POOLING_KERNEL_CFG)),
    RULE(HANGS, too_wide_hang, "the line buffer holds fewer output columns", "60-pdp section 9",
         SHOWN(PDP, D_DATA_CUBE_OUT_WIDTH), SHOWN(PDP, D_POOLING_KERNEL_CFG)),
    RULE(HANGS, last_strip_empty, "a strip without input columns", "60-pdp section 7", SHOWN(PDP, D_PARTIAL_WIDTH_IN),
         SHOWN(PDP, D_POOLING_KERNEL_CFG)),
    RULE(REFUSED, flying_split, "there are no strips on the fly: the layer mostly hangs, or writes other bytes",
         "99-illegal-programming section 1", SHOWN(PDP, D_OPERATION_MODE_CFG)),
    RULE(REFUSED, surfaces_differ,
         "input and output must have the same surfaces: with more in the output the layer hangs, with fewer it ends "
         "and spoils the next one",
         "99-illegal-programming section 1", SHOWN(PDP, D_DATA_CUBE_IN_CHANNEL), SHOWN(PDP, D_DATA_CUBE_OUT_CHANNEL)),
    {RULE_HANGS, destination_port, RULE_NO_PORT, .shown = {SHOWN(PDP, D_DST_RAM_CFG)}},
    RULE(REFUSED, infinite_constant, "pad values and reciprocals of FP16 layers must be finite", "60-pdp section 6",
         SHOWN(PDP, D_RECIP_KERNEL_WIDTH), SHOWN(PDP, D_RECIP_KERNEL_HEIGHT),
         SHOWN(PDP, D_POOLING_PADDING_VALUE_1_CFG)),
    RULE(WARNS, destination_overlaps, RULE_OVERLAPS, "60-pdp section 13", SHOWN(PDP, D_DST_LINE_STRIDE),
         SHOWN(PDP, D_DST_SURFACE_STRIDE)),
    {RULE_WARNS, destination_misaligned, RULE_MISALIGNED,
     .shown = {SHOWN(PDP, D_DST_BASE_ADDR_LOW), SHOWN(PDP, D_DST_LINE_STRIDE)}},
};

const struct rule_set rules_pdp = {.units = {NVDLA_PDP}, .unit_count = 1, RULE_LIST(pdp_list)};

/* ---- PDP_RDMA ---- */

CONDITION(source_port, rules_no_port(view, FIELD(view, PDP_RDMA, D_SRC_RAM_CFG, SRC_RAM_TYPE)))

static bool source_misaligned(const struct registers_view *view) {
    uint32_t used = VALUE(view, PDP_RDMA, D_SRC_BASE_ADDR_LOW);
    used |= VALUE(view, PDP_RDMA, D_DATA_CUBE_IN_HEIGHT) > 0 ? VALUE(view, PDP_RDMA, D_SRC_LINE_STRIDE) : 0;
    used |= VALUE(view, PDP_RDMA, D_DATA_CUBE_IN_CHANNEL) >= (uint32_t)view->config->mem_atom
                ? VALUE(view, PDP_RDMA, D_SRC_SURFACE_STRIDE)
                : 0;
    return rules_misaligned(view, used);
}

static const struct rule pdp_rdma_list[] = {
    {RULE_HANGS, source_port, RULE_NO_PORT, .shown = {SHOWN(PDP_RDMA, D_SRC_RAM_CFG)}},
    {RULE_WARNS, source_misaligned, RULE_MISALIGNED,
     .shown = {SHOWN(PDP_RDMA, D_SRC_BASE_ADDR_LOW), SHOWN(PDP_RDMA, D_SRC_LINE_STRIDE)}},
};

const struct rule_set rules_pdp_rdma = {.units = {NVDLA_PDP_RDMA}, .unit_count = 1, RULE_LIST(pdp_rdma_list)};

/* ---- PDP with PDP_RDMA ---- */

CONDITION(from_memory, layer_of(view).from_memory)

static bool sizes_differ(const struct registers_view *view) {
    uint32_t lanes = (uint32_t)layer_of(view).lanes;
    return VALUE(view, PDP, D_DATA_CUBE_IN_HEIGHT) != VALUE(view, PDP_RDMA, D_DATA_CUBE_IN_HEIGHT) ||
           (!split(view) && VALUE(view, PDP, D_DATA_CUBE_IN_WIDTH) != VALUE(view, PDP_RDMA, D_DATA_CUBE_IN_WIDTH)) ||
           VALUE(view, PDP, D_DATA_CUBE_IN_CHANNEL) / lanes != VALUE(view, PDP_RDMA, D_DATA_CUBE_IN_CHANNEL) / lanes;
}

/* Too little hangs, too much ends: 99-illegal-programming section 1. PDP needs as many surfaces as it writes, and not
 * always what no window uses. */
static bool reads_less(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    const uint64_t surfaces = VALUE(view, PDP_RDMA, D_DATA_CUBE_IN_CHANNEL) / (uint32_t)l.lanes + 1;
    const uint64_t needed = VALUE(view, PDP, D_DATA_CUBE_OUT_CHANNEL) / (uint32_t)l.lanes + 1;
    const uint64_t height = (uint64_t)VALUE(view, PDP_RDMA, D_DATA_CUBE_IN_HEIGHT) + 1;
    const uint64_t width = split(view) ? (uint64_t)l.width : (uint64_t)VALUE(view, PDP_RDMA, D_DATA_CUBE_IN_WIDTH) + 1;
    return sizes_differ(view) && remainder_of(rows_of(view)) == 0 && remainder_of(columns_of(view)) == 0 &&
           width * height * surfaces < (uint64_t)l.width * (uint64_t)l.height * needed;
}

CONDITION(reads_more, sizes_differ(view) && !reads_less(view))

/* Nothing reads the width of the middle strips if there are only two. */
static uint32_t strip_widths(const struct registers_view *view, uint32_t widths) {
    return layer_of(view).in.count > 2 ? widths : widths & ~PDP_D_PARTIAL_WIDTH_IN__PARTIAL_WIDTH_IN_MID_MASK;
}

static bool strips_differ(const struct registers_view *view) {
    uint32_t shape = VALUE(view, PDP_RDMA, D_POOLING_KERNEL_CFG);
    return FIELD(view, PDP, D_OPERATION_MODE_CFG, SPLIT_NUM) !=
               FIELD(view, PDP_RDMA, D_OPERATION_MODE_CFG, SPLIT_NUM) ||
           (split(view) && (strip_widths(view, VALUE(view, PDP, D_PARTIAL_WIDTH_IN)) !=
                                strip_widths(view, VALUE(view, PDP_RDMA, D_PARTIAL_WIDTH_IN)) ||
                            FIELD(view, PDP, D_POOLING_KERNEL_CFG, KERNEL_WIDTH) !=
                                REGISTER_FIELD(shape, PDP_RDMA_D_POOLING_KERNEL_CFG__KERNEL_WIDTH) ||
                            FIELD(view, PDP, D_POOLING_KERNEL_CFG, KERNEL_STRIDE_WIDTH) !=
                                REGISTER_FIELD(shape, PDP_RDMA_D_POOLING_KERNEL_CFG__KERNEL_STRIDE_WIDTH)));
}

CONDITION(type_differs, rules_wide(view) && FIELD(view, PDP, D_DATA_FORMAT, INPUT_DATA) !=
                                                FIELD(view, PDP_RDMA, D_DATA_FORMAT, INPUT_DATA))

/* A strip's overlap with the previous one reaches to the left of column 0. */
static bool strip_before_line(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    return l.in.count > 1 && l.in.first < l.kernel.width - l.kernel.stride_width;
}

/* In place is legal only without a change of size. */
static bool overwrites_input(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    struct extent destination = destination_of(&l);
    struct extent source = extent_of(&l.source, (uint64_t)l.width * l.atom, (uint64_t)l.height, (uint64_t)l.surfaces);
    return extent_overwrites(&destination, &source);
}

#define SHOWN_CUBES                                                                                                    \
    SHOWN(PDP, D_DATA_CUBE_IN_WIDTH), SHOWN(PDP_RDMA, D_DATA_CUBE_IN_WIDTH), SHOWN(PDP, D_DATA_CUBE_IN_HEIGHT),        \
        SHOWN(PDP_RDMA, D_DATA_CUBE_IN_HEIGHT), SHOWN(PDP, D_DATA_CUBE_IN_CHANNEL),                                    \
        SHOWN(PDP_RDMA, D_DATA_CUBE_IN_CHANNEL)

static const struct rule pdp_layer_list[] = {
    RULE(HANGS, reads_less, "PDP and PDP_RDMA must have the same cube", "60-pdp section 2", SHOWN_CUBES),
    RULE(REFUSED, reads_more,
         "PDP_RDMA reads another cube than PDP takes: the layer mostly ends, and the rest spoils the next "
         "layer or makes it hang",
         "99-illegal-programming section 1", SHOWN_CUBES),
    RULE(REFUSED, strips_differ,
         "PDP and PDP_RDMA must have the same strips: the layer hangs, or ends with other bytes and spoils the next",
         "99-illegal-programming section 1", SHOWN(PDP, D_OPERATION_MODE_CFG), SHOWN(PDP_RDMA, D_OPERATION_MODE_CFG),
         SHOWN(PDP, D_PARTIAL_WIDTH_IN), SHOWN(PDP_RDMA, D_PARTIAL_WIDTH_IN), SHOWN(PDP_RDMA, D_POOLING_KERNEL_CFG)),
    RULE(HANGS, type_differs, "PDP and PDP_RDMA must have the same data type", "60-pdp section 13",
         SHOWN(PDP, D_DATA_FORMAT), SHOWN(PDP_RDMA, D_DATA_FORMAT)),
    RULE(WARNS, strip_before_line,
         "the overlap of strips reaches to the left of column 0: PDP_RDMA reads what lies before the line",
         "60-pdp section 13", SHOWN(PDP, D_PARTIAL_WIDTH_IN), SHOWN(PDP, D_POOLING_KERNEL_CFG)),
    RULE(REFUSED, overwrites_input, "the destination overlaps the input without being the same", "60-pdp section 13",
         SHOWN(PDP, D_DST_BASE_ADDR_LOW), SHOWN(PDP_RDMA, D_SRC_BASE_ADDR_LOW)),
};

const struct rule_set rules_pdp_layer = {.moment = RULES_AT_START,
                                         .units = {NVDLA_PDP, NVDLA_PDP_RDMA},
                                         .unit_count = 2,
                                         .applies = from_memory,
                                         RULE_LIST(pdp_layer_list)};
