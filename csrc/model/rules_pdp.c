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

struct pdp_axis {
    int size, before, after, kernel, stride, result;
};

static struct pdp_axis columns_of(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    return (struct pdp_axis){l.width,        l.kernel.pad_left,     l.kernel.pad_right,
                             l.kernel.width, l.kernel.stride_width, l.out_width};
}

static struct pdp_axis rows_of(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    return (struct pdp_axis){l.height,        l.kernel.pad_top,       l.kernel.pad_bottom,
                             l.kernel.height, l.kernel.stride_height, l.out_height};
}

/* Strips have their own widths. */
CONDITION(split, layer_of(view).in.count > 1)

/* True if the rows, or the columns of a layer without strips, meet the condition. */
static bool any_axis(const struct registers_view *view, bool (*condition)(struct pdp_axis axis)) {
    return condition(rows_of(view)) || (!split(view) && condition(columns_of(view)));
}

static int reach(struct pdp_axis axis) {
    return axis.size + axis.before + axis.after - axis.kernel;
}

/* Columns or rows beyond the last step. */
static int remainder_of(struct pdp_axis axis) {
    return reach(axis) < 0 ? 0 : reach(axis) % axis.stride;
}

static bool is_padding(struct pdp_axis axis) {
    return axis.before >= axis.kernel || (axis.result - 1) * axis.stride - axis.before >= axis.size;
}

static bool has_other_result(struct pdp_axis axis) {
    return reach(axis) < 0 || axis.result != reach(axis) / axis.stride + 1;
}

/* The table of section 4, first line. */
static bool loses_a_window(struct pdp_axis axis) {
    int rest = remainder_of(axis), exact = axis.after > rest ? axis.after - rest : 0;
    return axis.after / axis.stride != exact / axis.stride;
}

/* Second line. */
static bool first_window_passes_end(struct pdp_axis axis) {
    int rest = remainder_of(axis);
    return rest > 0 && rest <= axis.after && axis.result >= 2 && axis.kernel - axis.before > axis.size;
}

/* ---- PDP ---- */

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

CONDITION(unused_rows, remainder_of(rows_of(view)) > rows_of(view).after)

CONDITION(unused_columns, !layer_of(view).from_memory && remainder_of(columns_of(view)) > columns_of(view).after)

/* Three spoil the next layer always, two do at times, one does not. */
CONDITION(many_unused_columns, remainder_of(columns_of(view)) > columns_of(view).after + 1)

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

static bool last_strip_empty(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    int overlap = l.kernel.width - l.kernel.stride_width;
    return l.in.count > 1 && (l.in.last + overlap < 1 || (l.in.count > 2 && l.in.middle + overlap < 1));
}

static bool surfaces_differ(const struct registers_view *view) {
    uint32_t lanes = (uint32_t)layer_of(view).lanes;
    return VALUE(view, PDP, D_DATA_CUBE_IN_CHANNEL) / lanes != VALUE(view, PDP, D_DATA_CUBE_OUT_CHANNEL) / lanes;
}

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

/* ---- PDP_RDMA ---- */

static bool source_misaligned(const struct registers_view *view) {
    uint32_t used = VALUE(view, PDP_RDMA, D_SRC_BASE_ADDR_LOW);
    used |= VALUE(view, PDP_RDMA, D_DATA_CUBE_IN_HEIGHT) > 0 ? VALUE(view, PDP_RDMA, D_SRC_LINE_STRIDE) : 0;
    used |= VALUE(view, PDP_RDMA, D_DATA_CUBE_IN_CHANNEL) >= (uint32_t)view->config->mem_atom
                ? VALUE(view, PDP_RDMA, D_SRC_SURFACE_STRIDE)
                : 0;
    return rules_misaligned(view, used);
}

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

/* In place is legal only without a change of size. */
static bool overwrites_input(const struct registers_view *view) {
    struct pdp_layer l = layer_of(view);
    struct extent destination = destination_of(&l);
    struct extent source = extent_of(&l.source, (uint64_t)l.width * l.atom, (uint64_t)l.height, (uint64_t)l.surfaces);
    return extent_overwrites(&destination, &source);
}

#include "rules_pdp.inc"
