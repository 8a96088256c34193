/* The loops of a convolution in hardware order. See conv_order.h. */
#include "layers/conv_order.h"

#include "nvdla/buffer_sizes.h"
#include "nvdla/sizes.h"

/* ---- CSC ---- */

/* Runs of stripes. In an image whose lines share the data of several input lines, stripes end with the line if it is
 * long enough to load the weights meanwhile. */
static void set_image(const struct registers_view *view, struct conv_order *order, size_t loads, bool specified) {
    const unsigned extension = FIELD(view, CSC, D_POST_Y_EXTENSION, Y_EXTENSION);
    const size_t lines = (size_t)FIELD(view, CSC, D_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1;
    order->columns = 1;
    order->rows_together = (size_t)1 << (extension > 2 ? 2 : extension);
    const bool by_line = specified || (order->rows_together > 1 && order->out_width >= loads);
    order->runs = by_line ? lines : 1;
    order->positions = order->out_width * (by_line ? 1 : lines);
}

static void set_winograd(struct conv_order *order) {
    order->winograd = true;
    order->block = order->lanes / CONV_TILE;
    order->rows = order->columns = 1;
    order->positions = (order->positions - 1) / CONV_OUTPUTS + 1;
    order->stripe_most /= 2;
}

/* Stripes as section 4.2 has them. Its table names small and full; other configurations without 16-bit types follow
 * small. */
static void set_specified(const struct nvdla_config *config, struct conv_order *order, size_t loads, bool image) {
    size_t least = loads;
    for (size_t batches = order->batches; batches > 1 && least > 1; batches /= 2)
        least /= 2;
    order->stripe_least = least;
    order->stripe_most = order->batches < loads ? 2 * least : 1;
    if (image)
        order->stripe_least = order->stripe_most = order->lanes > 2 * loads ? order->lanes : 2 * loads;
    order->stripe_enough = nvdla_has_16_bits(config) ? SIZE_MAX : 2 * order->stripe_most;
}

static enum nvdla_precision precision_of(const struct registers_view *view) {
    const enum nvdla_precision precision =
        nvdla_precision_of(view->config, FIELD(view, CSC, D_MISC_CFG, PROC_PRECISION));
    return precision <= NVDLA_FP16 ? precision : NVDLA_INT8;
}

struct conv_order conv_order(const struct registers_view *view, bool specified) {
    const struct nvdla_config *config = view->config;
    const bool winograd = config->winograd && FIELD(view, CSC, D_MISC_CFG, CONV_MODE);
    const bool image = FIELD(view, CSC, D_DATAIN_FORMAT, DATAIN_FORMAT) && !winograd;
    const bool batches = config->batch_max > 1 && !image && !winograd;
    const size_t kernels = (size_t)config->atomic_k, widths = nvdla_has_16_bits(config) ? 2 : 1;
    const size_t loads = kernels / widths; /* clocks in which both CMAC units get their weights */
    struct conv_order order = {
        .precision = precision_of(view),
        .lanes = (size_t)config->atomic_c,
        .block = (size_t)config->atomic_c,
        .kernels = (size_t)FIELD(view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_KERNEL) + 1,
        .channels = (size_t)FIELD(view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_CHANNEL_EXT) + 1,
        .rows = (size_t)FIELD(view, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_HEIGHT_EXT) + 1,
        .columns = (size_t)FIELD(view, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_WIDTH_EXT) + 1,
        .rows_together = 1,
        .out_width = (size_t)FIELD(view, CSC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1,
        .batches = batches ? (size_t)FIELD(view, CSC, D_BATCH_NUMBER, BATCHES) + 1 : 1,
        .positions = (size_t)VALUE(view, CSC, D_ATOMICS) + 1,
        .runs = 1,
    };
    order.group = kernels / (size_t)nvdla_element_bytes(order.precision);
    order.cell = order.group / loads;
    order.stripe_most = 2 * kernels / order.batches;
    order.stripe_least = ceil_div(loads, order.batches);
    if (image)
        set_image(view, &order, loads, specified);
    else if (winograd)
        set_winograd(&order);
    order.stripe_enough = order.stripe_most + order.stripe_least;
    if (specified)
        set_specified(config, &order, loads, image);
    return order;
}

/* Positions of the next stripe of a run with `left` positions remaining. Sums do not depend on it. */
static size_t stripe(const struct conv_order *order, size_t left) {
    if (left <= order->stripe_most)
        return left;
    return left >= order->stripe_enough ? order->stripe_most : order->stripe_least;
}

/* Derives the rest from the loop counters. */
static void finish(const struct conv_order *order, struct conv_operation *operation) {
    const size_t run_end = (operation->first / order->positions + 1) * order->positions;
    operation->kernels = lesser(order->kernels - operation->kernel, order->group);
    operation->positions = stripe(order, run_end - operation->first);
    operation->channels = lesser(order->channels - operation->channel, order->block);
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

struct conv_operation conv_order_next_stripe(const struct conv_order *order, const struct conv_operation *operation) {
    struct conv_operation next = {.kernel = operation->kernel, .first = operation->first + operation->positions};
    if (next.first == order->positions * order->runs) {
        next.first = 0;
        next.kernel += operation->kernels;
        next.group_first = true;
    }
    finish(order, &next);
    return next;
}

unsigned conv_operation_flags(const struct conv_order *order, const struct conv_operation *operation, size_t atom) {
    return (atom == 0 ? CONV_STRIPE_START : 0u) |
           (atom + 1 == conv_operation_atoms(order, operation) ? CONV_STRIPE_END : 0u) |
           (operation->channel_end ? CONV_CHANNEL_END : 0u) | (operation->layer_end ? CONV_LAYER_END : 0u);
}

struct conv_place conv_operation_place(const struct conv_order *order, const struct conv_operation *operation,
                                       size_t atom) {
    /* Every beat of several streams comes here: divisions of 32 bits are the fast ones. */
    const uint32_t batches = (uint32_t)order->batches, index = batches == 1 ? (uint32_t)atom : (uint32_t)atom / batches;
    const uint32_t position = (uint32_t)operation->first + index, width = (uint32_t)order->out_width;
    struct conv_place place = {.batch = atom - (size_t)index * batches, .y = position / width, .x = position % width};
    if (order->winograd) { /* as many tiles in a band of four lines as columns */
        place.y = place.y * 4 + place.x % 2 * 2;
        place.x -= place.x % 2;
    }
    return place;
}

/* ---- CDMA ---- */

size_t conv_image_elements(const struct cdma_cubes *cubes) {
    return cubes->pixel ? (cubes->pad_left + cubes->width + cubes->pad_right) * (size_t)cubes->pixel->components : 0;
}

size_t conv_image_atoms(const struct registers_view *view) {
    const struct nvdla_config *config = view->config;
    const struct cdma_cubes cubes = cdma_cubes(view);
    const size_t fill = cdma_fill_elements(config, cubes.proc);
    size_t elements = conv_image_elements(&cubes);
    if (nvdla_has_16_bits(config)) /* written in whole chunks */
        elements = ceil_div(elements, fill) * fill;
    return ceil_div(elements * (size_t)nvdla_element_bytes(cubes.proc), (size_t)config->mem_atom);
}

struct conv_atoms conv_atoms(const struct registers_view *view) {
    const struct cdma_cubes cubes = cdma_cubes(view);
    const size_t bytes = cubes.channels * (size_t)nvdla_element_bytes(cubes.proc);
    const size_t surfaces = ceil_div(bytes, (size_t)view->config->mem_atom);
    struct conv_atoms atoms = {.weights = cubes.weight_atoms, .masks = cubes.mask_atoms};
    switch (cubes.mode) {
    case CDMA_FEATURE:
        atoms.data = cubes.height * cubes.width * surfaces * cubes.batches;
        break;
    case CDMA_IMAGE:
        atoms.data = cubes.height * conv_image_atoms(view);
        break;
    case CDMA_WINOGRAD: /* a step of the strides is a channel of the extended cube */
        atoms.data =
            cubes.extended_width * cubes.extended_height * surfaces * (size_t)(cubes.stride_x * cubes.stride_y);
        break;
    }
    return atoms;
}
