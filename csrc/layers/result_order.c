/* Blocks of columns, bands of lines, batches. See result_order.h. */
#include "layers/result_order.h"

#include "layers/cubes.h"
#include "nvdla_offsets.h"

struct result_order result_order_cacc(const struct registers_view *view) {
    const struct nvdla_config *config = view->config;
    const bool wide = nvdla_precision_of(config, FIELD(view, CACC, D_MISC_CFG, PROC_PRECISION)) != NVDLA_INT8;
    const size_t atom = (size_t)config->mem_atom;
    return (struct result_order){
        .columns = FIELD(view, CACC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1,
        .lines = FIELD(view, CACC, D_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1,
        .channels = VALUE(view, CACC, D_DATAOUT_SIZE_1) + 1,
        .batches = nvdla_has(config, FEATURE_BATCHES) ? VALUE(view, CACC, D_BATCH_NUMBER) + 1 : 1,
        .lanes = (size_t)config->atomic_k / (wide ? 2 : 1),
        .odd_base = VALUE(view, CACC, D_DATAOUT_ADDR) / atom & 1,
        .odd_line = VALUE(view, CACC, D_LINE_STRIDE) / atom & 1,
        .odd_surface = VALUE(view, CACC, D_SURF_STRIDE) / atom & 1,
        .winograd = nvdla_has(config, FEATURE_WINOGRAD) && FIELD(view, CACC, D_MISC_CFG, CONV_MODE) != 0,
    };
}

struct result_order result_order_sdp(const struct registers_view *view) {
    const struct sdp_cubes sdp = sdp_cubes(view);
    const struct cube *to = &sdp.destination.cube;
    const size_t atom = (size_t)view->config->mem_atom;
    return (struct result_order){
        .columns = (size_t)sdp.shape.width,
        .lines = (size_t)sdp.shape.height,
        .channels = (size_t)sdp.shape.channels,
        .batches = (size_t)sdp.shape.batches,
        .lanes = (size_t)sdp.shape.lanes,
        .odd_base = to->base / atom & 1,
        .odd_line = to->line_stride / atom & 1,
        .odd_surface = to->surface_stride / atom & 1,
        .winograd = sdp.shape.winograd,
    };
}

size_t result_order_block(const struct result_order *order) {
    const size_t odd =
        order->odd_base ^ (order->x & 1) ^ (order->y & order->odd_line) ^ (order->surface & order->odd_surface);
    const bool pair = order->winograd || (order->batches > 1 && !odd);
    return pair && order->x + 1 < order->columns ? 2 : 1;
}

/* Counts up; true if a loop of `count` turns has finished. */
static bool through(size_t *index, size_t count) {
    if (++*index < count)
        return false;
    *index = 0;
    return true;
}

bool result_order_next(struct result_order *order) {
    const size_t columns = result_order_block(order), rows = order->winograd ? RESULT_BAND : 1;
    if (!through(&order->column, columns) || !through(&order->batch, order->batches) || !through(&order->row, rows))
        return true;
    order->x += columns;
    if (order->x < order->columns)
        return true;
    order->x = 0;
    order->y += rows;
    if (order->y < order->lines)
        return true;
    order->y = 0;
    return ++order->surface * order->lanes < order->channels;
}
