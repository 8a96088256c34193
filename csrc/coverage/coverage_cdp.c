/* CDP with its table. */
#include "coverage/coverage_engines.h"

/* clang-format off */
#define CDP_ASPECTS(A) \
    A(CDP_GROUP, ASPECT("group", GROUP)) \
    A(CDP_PRECISION, ASPECT("precision", PRECISION)) \
    A(CDP_LENGTH, ASPECT("length", "3 5 7 9")) \
    A(CDP_SUM, ASPECT("square_sum", OFF_ON)) \
    A(CDP_MULTIPLY, ASPECT("multiply", OFF_ON)) \
    A(CDP_WIDTH, ASPECT("width", SIZE)) \
    A(CDP_HEIGHT, ASPECT("height", SIZE)) \
    A(CDP_CHANNELS, ASPECT("channels", BLOCK)) \
    A(CDP_LAST_CHANNELS, ASPECT("last_channels", LAST_32("a16", "a32"))) \
    A(CDP_LAST_COLUMNS, ASPECT("last_columns", LAST_8)) /* columns go through the pipeline in groups of 8 */ \
    A(CDP_IN_OFFSET, ASPECT("in_offset", SIGN)) \
    A(CDP_IN_SCALE, ASPECT("in_scale", SCALE)) \
    A(CDP_IN_SHIFT, ASPECT("in_shift", SHIFT)) \
    A(CDP_OUT_OFFSET, ASPECT("out_offset", SIGN)) \
    A(CDP_OUT_SCALE, ASPECT("out_scale", SCALE)) \
    A(CDP_OUT_SHIFT, ASPECT("out_shift", SHIFT)) \
    A(CDP_NAN, ASPECT_IF("nan_to_zero", OFF_ON, COVERAGE_NEEDS_FP16)) \
    A(CDP_PLACE, ASPECT("destination", "elsewhere in_place")) \
    A(CDP_LINES, ASPECT("lines", PACKING)) \
    A(CDP_SURFACES, ASPECT("surfaces", PACKING)) \
    A(CDP_SOURCE_MEMORY, ASPECT("source_memory", MEMORY)) \
    A(CDP_MEMORY, ASPECT("memory", MEMORY)) \
    A(CDP_COUNTERS, ASPECT("counters", OFF_ON))
/* clang-format on */

enum { CDP_ASPECTS(ASPECT_INDEX) CDP_LUT };

#define CDP_LUT_ROW(index, ...) [CDP_LUT + (index)] = __VA_ARGS__,
static const struct coverage_aspect cdp_aspects[] = {CDP_ASPECTS(ASPECT_ROW) FOR_LUT_ASPECTS(CDP_LUT_ROW)};

static const struct coverage_cross cdp_crosses[] = {
    {CROSS(CDP_LENGTH, CDP_SUM, CDP_MULTIPLY)},
    {CROSS(CDP_LENGTH, CDP_CHANNELS)},
    {CROSS(CDP_WIDTH, CDP_CHANNELS)},
    {CROSS(CDP_PRECISION, CDP_LENGTH)},
    {CROSS(CDP_PRECISION, CDP_SUM, CDP_MULTIPLY)},
    {CROSS(CDP_PRECISION, CDP_CHANNELS)},
    {CROSS(CDP_LUT + LUT_FUNCTION, CDP_SUM)},
    LUT_CROSSES(CDP_LUT, CDP_PRECISION),
    {CROSS(CDP_SOURCE_MEMORY, CDP_MEMORY)},
};

const struct coverage_engine coverage_cdp = {ENGINE("cdp", "layer", cdp), .needs = COVERAGE_NEEDS_CDP};

/* FP16 has no convertors. */
static void sort_convertors(const struct registers_view *view, int precision, int *v) {
    if (precision == NVDLA_FP16)
        return;
    v[CDP_IN_OFFSET] = sign_class(VALUE(view, CDP, D_DATIN_OFFSET), precision == NVDLA_INT16 ? 16 : 8);
    v[CDP_IN_SCALE] = scale_class(FIELD(view, CDP, D_DATIN_SCALE, DATIN_SCALE));
    v[CDP_IN_SHIFT] = shift_class(FIELD(view, CDP, D_DATIN_SHIFTER, DATIN_SHIFTER));
    v[CDP_OUT_OFFSET] = sign_class(VALUE(view, CDP, D_DATOUT_OFFSET), precision == NVDLA_INT16 ? 32 : 25);
    v[CDP_OUT_SCALE] = scale_class(FIELD(view, CDP, D_DATOUT_SCALE, DATOUT_SCALE));
    v[CDP_OUT_SHIFT] = shift_class(FIELD(view, CDP, D_DATOUT_SHIFTER, DATOUT_SHIFTER));
}

void sort_cdp(const struct registers_view *view, int group, bool fed, int *v) {
    const struct nvdla_config *config = view->config;
    const struct cdp_cubes cdp = cdp_cubes(view);
    const struct cube *in = &cdp.source.cube, *out = &cdp.destination.cube;
    const int precision = precision_class(config, FIELD(view, CDP, D_DATA_FORMAT, INPUT_DATA_TYPE));
    const struct lut_settings lut = lut_of(view, NVDLA_CDP);
    v[CDP_GROUP] = group;
    v[CDP_PRECISION] = precision;
    v[CDP_LENGTH] = (int)FIELD(view, CDP, D_LRN_CFG, NORMALZ_LEN);
    v[CDP_SUM] = FIELD(view, CDP, D_FUNC_BYPASS, SQSUM_BYPASS) == 0;
    v[CDP_MULTIPLY] = FIELD(view, CDP, D_FUNC_BYPASS, MUL_BYPASS) == 0;
    v[CDP_WIDTH] = size_class(cdp.width);
    v[CDP_HEIGHT] = size_class(cdp.height);
    v[CDP_CHANNELS] = block_class(cdp.channels, atom_elements(config, precision));
    v[CDP_LAST_CHANNELS] = last_class(cdp.channels, atom_elements(config, precision));
    v[CDP_LAST_COLUMNS] = last_class(cdp.width, 8);
    sort_convertors(view, precision, v);
    sort_lut(&lut, precision, &v[CDP_LUT]);
    if (precision == NVDLA_FP16)
        v[CDP_NAN] = (int)FIELD(view, CDP, D_NAN_FLUSH_TO_ZERO, NAN_TO_ZERO);
    sort_cube(out, &v[CDP_LINES], &v[CDP_SURFACES]);
    v[CDP_MEMORY] = memory_class(config, cdp.destination.primary);
    if (fed) {
        v[CDP_SOURCE_MEMORY] = memory_class(config, cdp.source.primary);
        v[CDP_PLACE] = in->base == out->base && v[CDP_SOURCE_MEMORY] == v[CDP_MEMORY];
    }
    v[CDP_COUNTERS] = VALUE(view, CDP, D_PERF_ENABLE) != 0;
}
