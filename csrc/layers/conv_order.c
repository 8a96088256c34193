/* The loops of a convolution in the order of the hardware. See conv_order.h. */
#include "layers/conv_order.h"

#include "layers/cubes.h"
#include "nvdla/sizes.h"

bool conv_order_known(const struct nvdla_config *config) {
    return !nvdla_has_16_bits(config);
}

/* ---- CSC ---- */

struct conv_order conv_order(const struct registers_view *view) {
    const bool image = FIELD(view, CSC, D_DATAIN_FORMAT, DATAIN_FORMAT);
    const unsigned extension = FIELD(view, CSC, D_POST_Y_EXTENSION, Y_EXTENSION);
    struct conv_order order = {
        .atomic_c = (size_t)view->config->atomic_c,
        .atomic_k = (size_t)view->config->atomic_k,
        .kernels = (size_t)FIELD(view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_KERNEL) + 1,
        .channels = (size_t)FIELD(view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_CHANNEL_EXT) + 1,
        .rows = (size_t)FIELD(view, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_HEIGHT_EXT) + 1,
        .columns = image ? 1 : (size_t)FIELD(view, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_WIDTH_EXT) + 1,
        .rows_together = image ? (size_t)1 << (extension > 2 ? 2 : extension) : 1,
        .out_width = (size_t)FIELD(view, CSC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1,
        .positions = (size_t)VALUE(view, CSC, D_ATOMICS) + 1,
        .runs = 1,
    };
    if (image) {
        const size_t lines = (size_t)FIELD(view, CSC, D_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1;
        /* Neighbours on a line share what is read of several input lines: such stripes end with the line, if it is
         * long enough for the weights to come meanwhile. */
        const bool by_line = order.rows_together > 1 && order.out_width >= order.atomic_k;
        order.runs = by_line ? lines : 1;
        order.positions = order.out_width * (by_line ? 1 : lines);
    }
    return order;
}

/* Positions of the next stripe of a run when `left` are not covered yet. The sums do not depend on it; the chapter's
 * lengths are those of NVIDIA's design, this is nvdla_conv_pkg.sv's. Section 4.2. */
static size_t stripe(const struct conv_order *order, size_t left) {
    if (left <= 2 * order->atomic_k)
        return left;
    return left >= 3 * order->atomic_k ? 2 * order->atomic_k : order->atomic_k;
}

/* Fills in what follows from the loops' counters. */
static void finish(const struct conv_order *order, struct conv_operation *operation) {
    const size_t run_end = (operation->first / order->positions + 1) * order->positions;
    operation->kernels = lesser(order->kernels - operation->kernel, order->atomic_k);
    operation->positions = stripe(order, run_end - operation->first);
    operation->channels = lesser(order->channels - operation->channel, order->atomic_c);
    operation->lines = lesser(order->rows - operation->row, order->rows_together);
    operation->channel_end = operation->column + 1 == order->columns &&
                             operation->row + operation->lines == order->rows &&
                             operation->channel + operation->channels == order->channels;
    operation->layer_end = operation->channel_end &&
                           operation->first + operation->positions == order->positions * order->runs &&
                           operation->kernel + operation->kernels == order->kernels;
}

struct conv_operation conv_order_first(const struct conv_order *order) {
    struct conv_operation operation = {.group_first = true};
    finish(order, &operation);
    return operation;
}

struct conv_operation conv_order_next(const struct conv_order *order, const struct conv_operation *operation) {
    struct conv_operation next = *operation;
    next.group_first = false;
    next.index++;
    if (++next.column == order->columns) {
        next.column = 0;
        next.row += next.lines;
    }
    if (next.row == order->rows) {
        next.row = 0;
        next.channel += next.channels;
    }
    if (operation->channel_end) {
        next.channel = 0;
        next.index = 0;
        next.first += next.positions;
    }
    if (next.first == order->positions * order->runs) {
        next.first = 0;
        next.kernel += next.kernels;
        next.group_first = true;
    }
    finish(order, &next);
    return next;
}

unsigned conv_operation_flags(const struct conv_operation *operation, size_t atom) {
    return (atom == 0 ? CONV_STRIPE_START : 0u) | (atom + 1 == operation->positions ? CONV_STRIPE_END : 0u) |
           (operation->channel_end ? CONV_CHANNEL_END : 0u) | (operation->layer_end ? CONV_LAYER_END : 0u);
}

/* ---- CDMA ---- */

size_t conv_image_atoms(const struct registers_view *view) {
    const struct cdma_cubes cubes = cdma_cubes(view);
    const size_t pixels = cubes.pad_left + cubes.width + cubes.pad_right;
    return cubes.pixel ? ceil_div(pixels * (size_t)cubes.pixel->components, (size_t)view->config->mem_atom) : 0;
}

struct conv_atoms conv_atoms(const struct registers_view *view) {
    const struct cdma_cubes cubes = cdma_cubes(view);
    const size_t surfaces = cubes.mode == CDMA_IMAGE ? 0 : ceil_div(cubes.channels, (size_t)view->config->mem_atom);
    return (struct conv_atoms){
        .data = cubes.height * (cubes.mode == CDMA_IMAGE ? conv_image_atoms(view) : cubes.width * surfaces),
        .weights = cubes.weight_atoms,
        .masks = cubes.mask_atoms,
    };
}
