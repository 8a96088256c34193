/* RUBIK. */
#include "coverage/coverage_engines.h"

/* clang-format off */
#define RUBIK_ASPECTS(A) \
    A(RUBIK_GROUP, ASPECT("group", GROUP)) \
    A(RUBIK_MODE, ASPECT("mode", "contract split merge")) \
    A(RUBIK_PRECISION, ASPECT("precision", PRECISION)) \
    A(RUBIK_WIDTH, ASPECT("width", "1 2..7 8..63 64 65..")) /* planar lines are cut into 64 columns */ \
    A(RUBIK_HEIGHT, ASPECT("height", SIZE)) \
    A(RUBIK_CHANNELS, ASPECT("channels", BLOCK)) \
    A(RUBIK_TAIL, ASPECT("planar_line", "whole_atoms tail")) \
    A(RUBIK_STRIDE_X, ASPECT("deconv_x", "1 2..8 9..")) /* up to 8 phases are written together */ \
    A(RUBIK_STRIDE_Y, ASPECT("deconv_y", "1 2..8 9..")) \
    A(RUBIK_COLUMNS, ASPECT("contract_columns", "part whole ragged")) /* groups of 8 are read together */ \
    A(RUBIK_LAST_CHANNELS, ASPECT("last_channels", LAST_32("a16", "a32"))) \
    A(RUBIK_LAST_COLUMNS, ASPECT("last_columns", LAST_8)) /* of contract's groups */ \
    A(RUBIK_LAST_ELEMENTS, ASPECT("last_elements", LAST_32("a16", "a32"))) /* of a planar line's last atom */ \
    A(RUBIK_LINES, ASPECT("lines", PACKING)) \
    A(RUBIK_SURFACES, ASPECT("surfaces", PACKING)) \
    A(RUBIK_SOURCE_MEMORY, ASPECT("source_memory", MEMORY)) \
    A(RUBIK_MEMORY, ASPECT("memory", MEMORY)) \
    A(RUBIK_COUNTERS, ASPECT("counters", OFF_ON))
/* clang-format on */

enum { RUBIK_ASPECTS(ASPECT_INDEX) };

static const struct coverage_aspect rubik_aspects[] = {RUBIK_ASPECTS(ASPECT_ROW)};

/* Contract moves atoms of feature cubes only. */
static unsigned planar(const int *values) {
    return values[0] == RUBIK_CONTRACT ? COVERAGE_IMPOSSIBLE : 0;
}

static const struct coverage_cross rubik_crosses[] = {
    {CROSS(RUBIK_MODE, RUBIK_GROUP)},
    {CROSS(RUBIK_MODE, RUBIK_PRECISION)},
    {CROSS(RUBIK_MODE, RUBIK_CHANNELS)},
    {CROSS(RUBIK_MODE, RUBIK_WIDTH)},
    {CROSS(RUBIK_MODE, RUBIK_TAIL), planar},
    {CROSS(RUBIK_MODE, RUBIK_LINES, RUBIK_SURFACES)},
    {CROSS(RUBIK_MODE, RUBIK_SOURCE_MEMORY, RUBIK_MEMORY)},
    {CROSS(RUBIK_STRIDE_X, RUBIK_STRIDE_Y)},
    {CROSS(RUBIK_STRIDE_X, RUBIK_COLUMNS)},
};

const struct coverage_engine coverage_rubik = {ENGINE("rubik", "layer", rubik), .needs = COVERAGE_NEEDS_RUBIK};

static int deconv_class(int stride) {
    return stride == 1 ? 0 : stride <= 8 ? 1 : 2;
}

void sort_rubik(const struct registers_view *view, int group, int *v) {
    const struct nvdla_config *config = view->config;
    const struct rubik_cubes rubik = rubik_cubes(view);
    const int width = rubik.width;
    v[RUBIK_GROUP] = group;
    v[RUBIK_MODE] = rubik.mode != RUBIK_UNDEFINED ? (int)rubik.mode : -1;
    v[RUBIK_PRECISION] = precision_class(config, FIELD(view, RBK, D_MISC_CFG, IN_PRECISION));
    v[RUBIK_WIDTH] = width == 1 ? 0 : width < 8 ? 1 : width < 64 ? 2 : width == 64 ? 3 : 4;
    v[RUBIK_HEIGHT] = size_class(rubik.height);
    v[RUBIK_CHANNELS] = block_class(rubik.out_channels, (int)rubik.lanes);
    if (rubik.mode == RUBIK_CONTRACT) {
        v[RUBIK_STRIDE_X] = deconv_class(rubik.x_stride);
        v[RUBIK_STRIDE_Y] = deconv_class(rubik.y_stride);
        v[RUBIK_COLUMNS] = width < 8 ? 0 : width % 8 == 0 ? 1 : 2;
        v[RUBIK_LAST_COLUMNS] = last_class(width, 8);
    } else {
        v[RUBIK_TAIL] = width % (int)rubik.lanes != 0;
        v[RUBIK_LAST_ELEMENTS] = last_class(width, (int)rubik.lanes);
    }
    v[RUBIK_LAST_CHANNELS] = last_class(rubik.out_channels, (int)rubik.lanes);
    if (rubik.mode != RUBIK_UNDEFINED)
        sort_cube(&rubik.destination.cube, &v[RUBIK_LINES], &v[RUBIK_SURFACES]);
    v[RUBIK_SOURCE_MEMORY] = memory_class(config, rubik.source.primary);
    v[RUBIK_MEMORY] = memory_class(config, rubik.destination.primary);
    v[RUBIK_COUNTERS] = (int)FIELD(view, RBK, D_PERF_ENABLE, PERF_EN);
}
