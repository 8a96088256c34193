/* PDP. */
#include "coverage/coverage_engines.h"

#define POOL_KERNEL "1 2 3 4 5 6 7 8"

/* Windows relative to each other along one axis, by the stride. */
#define POOL_STEP "overlap touch apart"
static int pool_step(uint32_t stride, uint32_t kernel) {
    return stride < kernel ? 0 : stride == kernel ? 1 : 2;
}

/* clang-format off */
#define PDP_ASPECTS(A) \
    A(PDP_GROUP, ASPECT("group", GROUP)) \
    A(PDP_SOURCE, ASPECT("source", "sdp memory")) \
    A(PDP_METHOD, ASPECT("method", "average max min")) \
    A(PDP_PRECISION, ASPECT("precision", PRECISION)) \
    A(PDP_WIDTH, ASPECT("width", SIZE)) \
    A(PDP_HEIGHT, ASPECT("height", SIZE)) \
    A(PDP_OUT_WIDTH, ASPECT("out_width", SIZE)) \
    A(PDP_CHANNELS, ASPECT("channels", BLOCK)) \
    A(PDP_LAST_CHANNELS, ASPECT("last_channels", LAST_32("a16", "a32"))) \
    A(PDP_LAST_STRIP, ASPECT("last_strip", LAST_8 " 9..")) \
    A(PDP_KERNEL_WIDTH, ASPECT("kernel_width", POOL_KERNEL)) \
    A(PDP_KERNEL_HEIGHT, ASPECT("kernel_height", POOL_KERNEL)) \
    A(PDP_STEP_X, ASPECT("windows_x", POOL_STEP)) \
    A(PDP_STEP_Y, ASPECT("windows_y", POOL_STEP)) \
    A(PDP_PAD_LEFT, ASPECT("pad_left", OFF_ON)) \
    A(PDP_PAD_RIGHT, ASPECT("pad_right", OFF_ON)) \
    A(PDP_PAD_TOP, ASPECT("pad_top", OFF_ON)) \
    A(PDP_PAD_BOTTOM, ASPECT("pad_bottom", OFF_ON)) \
    A(PDP_PADDING, ASPECT("padding", "none horizontal vertical both")) \
    A(PDP_PAD_VALUE, ASPECT("pad_value", SIGN)) \
    A(PDP_STRIPS, ASPECT("strips", STEPS)) \
    A(PDP_NAN, ASPECT_IF("nan_to_zero", OFF_ON, COVERAGE_NEEDS_FP16)) \
    A(PDP_LINES, ASPECT("lines", PACKING)) \
    A(PDP_SURFACES, ASPECT("surfaces", PACKING)) \
    A(PDP_SOURCE_MEMORY, ASPECT("source_memory", MEMORY)) \
    A(PDP_MEMORY, ASPECT("memory", MEMORY)) \
    A(PDP_COUNTERS, ASPECT("counters", OFF_ON))
/* clang-format on */

enum { PDP_ASPECTS(ASPECT_INDEX) };

static const struct coverage_aspect pdp_aspects[] = {PDP_ASPECTS(ASPECT_ROW)};

static const struct coverage_cross pdp_crosses[] = {
    {CROSS(PDP_SOURCE, PDP_METHOD)},
    {CROSS(PDP_SOURCE, PDP_GROUP)},
    {CROSS(PDP_SOURCE, PDP_PRECISION, PDP_METHOD)},
    {CROSS(PDP_SOURCE, PDP_NAN)},
    {CROSS(PDP_METHOD, PDP_KERNEL_WIDTH)},
    {CROSS(PDP_METHOD, PDP_KERNEL_HEIGHT)},
    {CROSS(PDP_METHOD, PDP_PADDING)},
    {CROSS(PDP_METHOD, PDP_PAD_VALUE)},
    {CROSS(PDP_METHOD, PDP_STRIPS)},
    {CROSS(PDP_PRECISION, PDP_CHANNELS)},
    {CROSS(PDP_PRECISION, PDP_PADDING)},
    {CROSS(PDP_PRECISION, PDP_PAD_VALUE)},
    {CROSS(PDP_PRECISION, PDP_STRIPS)},
    {CROSS(PDP_STEP_X, PDP_STEP_Y)},
    {CROSS(PDP_STRIPS, PDP_STEP_X)},
    {CROSS(PDP_STRIPS, PDP_PAD_LEFT, PDP_PAD_RIGHT)},
    {CROSS(PDP_SOURCE_MEMORY, PDP_MEMORY)},
};

const struct coverage_engine coverage_pdp = {ENGINE("pdp", "layer", pdp), .needs = COVERAGE_NEEDS_PDP};

void sort_pdp(const struct registers_view *view, int group, int *v) {
    const struct nvdla_config *config = view->config;
    const struct pdp_cubes pdp = pdp_cubes(view);
    const struct cube *cube = &pdp.destination.cube;
    const uint32_t kernel_width = FIELD(view, PDP, D_POOLING_KERNEL_CFG, KERNEL_WIDTH);
    const uint32_t kernel_height = FIELD(view, PDP, D_POOLING_KERNEL_CFG, KERNEL_HEIGHT);
    const uint32_t method = FIELD(view, PDP, D_OPERATION_MODE_CFG, POOLING_METHOD);
    const int precision = precision_class(config, FIELD(view, PDP, D_DATA_FORMAT, INPUT_DATA));
    v[PDP_GROUP] = group;
    v[PDP_SOURCE] = pdp.from_memory;
    v[PDP_METHOD] = method < 3 ? (int)method : -1;
    v[PDP_PRECISION] = precision;
    if (pdp.in.count == 1)
        v[PDP_WIDTH] = size_class(pdp.in_width);
    v[PDP_HEIGHT] = size_class(pdp.in_height);
    v[PDP_CHANNELS] = block_class(pdp.in_channels, atom_elements(config, precision));
    v[PDP_LAST_CHANNELS] = last_class(pdp.in_channels, atom_elements(config, precision));
    if (pdp.out.count > 1) /* output columns */
        v[PDP_LAST_STRIP] = pdp.out.last < 9 ? pdp.out.last - 1 : 8;
    v[PDP_KERNEL_WIDTH] = kernel_width < 8 ? (int)kernel_width : -1;
    v[PDP_KERNEL_HEIGHT] = kernel_height < 8 ? (int)kernel_height : -1;
    v[PDP_STEP_X] = pool_step(FIELD(view, PDP, D_POOLING_KERNEL_CFG, KERNEL_STRIDE_WIDTH), kernel_width);
    v[PDP_STEP_Y] = pool_step(FIELD(view, PDP, D_POOLING_KERNEL_CFG, KERNEL_STRIDE_HEIGHT), kernel_height);
    v[PDP_PAD_LEFT] = FIELD(view, PDP, D_POOLING_PADDING_CFG, PAD_LEFT) != 0;
    v[PDP_PAD_RIGHT] = FIELD(view, PDP, D_POOLING_PADDING_CFG, PAD_RIGHT) != 0;
    v[PDP_PAD_TOP] = FIELD(view, PDP, D_POOLING_PADDING_CFG, PAD_TOP) != 0;
    v[PDP_PAD_BOTTOM] = FIELD(view, PDP, D_POOLING_PADDING_CFG, PAD_BOTTOM) != 0;
    v[PDP_PADDING] = (v[PDP_PAD_LEFT] || v[PDP_PAD_RIGHT]) + 2 * (v[PDP_PAD_TOP] || v[PDP_PAD_BOTTOM]);
    if (v[PDP_PADDING]) /* FP16: an FP17 pattern */
        v[PDP_PAD_VALUE] = sign_class(FIELD(view, PDP, D_POOLING_PADDING_VALUE_1_CFG, PAD_VALUE_1X),
                                      precision == NVDLA_FP16 ? 17 : 19);
    v[PDP_STRIPS] = step_class(pdp.in.count);
    if (precision == NVDLA_FP16)
        v[PDP_NAN] = (int)FIELD(view, PDP, D_NAN_FLUSH_TO_ZERO, NAN_TO_ZERO);
    v[PDP_OUT_WIDTH] = size_class(cube->width);
    v[PDP_MEMORY] = memory_class(config, pdp.destination.primary);
    sort_cube(cube, &v[PDP_LINES], &v[PDP_SURFACES]);
    if (view->units[NVDLA_PDP_RDMA].count > 0)
        v[PDP_SOURCE_MEMORY] = memory_class(config, pdp_rdma_cubes(view).source.primary);
    v[PDP_COUNTERS] = (int)FIELD(view, PDP, D_PERF_ENABLE, DMA_EN);
}
