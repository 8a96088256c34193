/* RUBIK. */
#include "coverage/coverage_engines.h"

enum {
    RUBIK_GROUP,
    RUBIK_MODE,
    RUBIK_PRECISION,
    RUBIK_WIDTH,
    RUBIK_HEIGHT,
    RUBIK_CHANNELS,
    RUBIK_TAIL,
    RUBIK_STRIDE_X,
    RUBIK_STRIDE_Y,
    RUBIK_COLUMNS,
    RUBIK_LINES,
    RUBIK_SURFACES,
    RUBIK_SOURCE_MEMORY,
    RUBIK_MEMORY,
    RUBIK_COUNTERS,
};

enum { CONTRACT }; /* the first value of RUBIK_MODE */

static const struct coverage_aspect rubik_aspects[] = {
    [RUBIK_GROUP] = ASPECT("group", GROUP),
    [RUBIK_MODE] = ASPECT("mode", "contract split merge"),
    [RUBIK_PRECISION] = ASPECT("precision", PRECISION),
    [RUBIK_WIDTH] = ASPECT("width", "1 2..7 8..63 64 65.."), /* planar lines are cut into 64 columns */
    [RUBIK_HEIGHT] = ASPECT("height", SIZE),
    [RUBIK_CHANNELS] = ASPECT("channels", BLOCK),
    [RUBIK_TAIL] = ASPECT("planar_line", "whole_atoms tail"),
    [RUBIK_STRIDE_X] = ASPECT("deconv_x", "1 2..8 9.."), /* up to 8 phases are written together */
    [RUBIK_STRIDE_Y] = ASPECT("deconv_y", "1 2..8 9.."),
    [RUBIK_COLUMNS] = ASPECT("contract_columns", "part whole ragged"), /* groups of 8 are read together */
    [RUBIK_LINES] = ASPECT("lines", PACKING),
    [RUBIK_SURFACES] = ASPECT("surfaces", PACKING),
    [RUBIK_SOURCE_MEMORY] = ASPECT("source_memory", MEMORY),
    [RUBIK_MEMORY] = ASPECT("memory", MEMORY),
    [RUBIK_COUNTERS] = ASPECT("counters", OFF_ON),
};

/* Contract moves atoms of feature cubes only. */
static unsigned planar(const int *values) {
    return values[0] == CONTRACT ? COVERAGE_IMPOSSIBLE : 0;
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

static int deconv_class(uint32_t stride) {
    return stride == 1 ? 0 : stride <= 8 ? 1 : 2;
}

void sort_rubik(const struct nvdla_config *config, const struct launch *launch, int *v) {
    const int mode = (int)FIELD(launch, RBK_D_MISC_CFG, RUBIK_MODE);
    const int width = (int)FIELD(launch, RBK_D_DATAIN_SIZE_0, DATAIN_WIDTH) + 1;
    const int height = (int)FIELD(launch, RBK_D_DATAIN_SIZE_0, DATAIN_HEIGHT) + 1;
    const int precision = precision_class(config, FIELD(launch, RBK_D_MISC_CFG, IN_PRECISION));
    const int elements = atom_elements(config, precision);
    struct cube cube;
    bool primary;
    v[RUBIK_GROUP] = launch->group;
    v[RUBIK_MODE] = mode < 3 ? mode : -1;
    v[RUBIK_PRECISION] = precision;
    v[RUBIK_WIDTH] = width == 1 ? 0 : width < 8 ? 1 : width < 64 ? 2 : width == 64 ? 3 : 4;
    v[RUBIK_HEIGHT] = size_class(height);
    v[RUBIK_CHANNELS] = block_class(size_at(launch, RBK_D_DATAOUT_SIZE_1), elements);
    if (mode == CONTRACT) {
        v[RUBIK_STRIDE_X] = deconv_class(FIELD(launch, RBK_D_DECONV_STRIDE, DECONV_X_STRIDE) + 1);
        v[RUBIK_STRIDE_Y] = deconv_class(FIELD(launch, RBK_D_DECONV_STRIDE, DECONV_Y_STRIDE) + 1);
        v[RUBIK_COLUMNS] = width < 8 ? 0 : width % 8 == 0 ? 1 : 2;
    } else {
        v[RUBIK_TAIL] = width % elements != 0;
    }
    if (launch_output_cube(config, launch, &cube, &primary))
        sort_cube(&cube, &v[RUBIK_LINES], &v[RUBIK_SURFACES]);
    v[RUBIK_SOURCE_MEMORY] = memory_class(config, FIELD(launch, RBK_D_DAIN_RAM_TYPE, DATAIN_RAM_TYPE));
    v[RUBIK_MEMORY] = memory_class(config, FIELD(launch, RBK_D_DAOUT_RAM_TYPE, DATAOUT_RAM_TYPE));
    v[RUBIK_COUNTERS] = (int)FIELD(launch, RBK_D_PERF_ENABLE, PERF_EN);
}
