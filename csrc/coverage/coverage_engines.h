/* Shared by the files of coverage_bins.h: the table of each engine, the function that sorts one layer into it, and
 * classes of values used by several engines: their names, and functions that find the index of a value. */
#pragma once

#include "coverage/coverage_bins.h"
#include "layers/cubes.h"
#include "layers/lut_registers.h"
#include "layers/view.h"
#include "trace/program.h"

#define CROSS(...) .aspects = {__VA_ARGS__}, .aspect_count = (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int))
#define ASPECT(title, list) {.name = title, .values = list}
#define ASPECT_IF(title, list, features) {.name = title, .values = list, .needs = (features)}

/* Of a list of aspects, FOR(A) A(index, aspect) ...: its indices and its table. */
#define ASPECT_INDEX(index, ...) index,
#define ASPECT_ROW(index, ...) [index] = __VA_ARGS__,
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Initialiser of a coverage_engine that counts `unit`s, with the tables STEM_aspects and STEM_crosses. */
#define ENGINE(title, unit, stem)                                                                                      \
    .name = (title), .what = (unit), .aspects = stem##_aspects, .aspect_count = COUNT(stem##_aspects),                 \
    .crosses = stem##_crosses, .cross_count = COUNT(stem##_crosses)

/* A convolution: its launch of CSC, NULL: none; the registers of CDMA, CSC and CACC. */
struct conv_launch {
    const struct launch *csc;
    struct registers_view view;
};

extern const struct coverage_engine coverage_conv, coverage_sdp, coverage_sdp_lut, coverage_sdp_rdma, coverage_pdp,
    coverage_cdp, coverage_bdma, coverage_bdma_block, coverage_rubik, coverage_values;

/* Each fills sample->values; v[] of aspects that do not apply stay -1. view: the registers of the unit and of the
 * layer's read DMA launch, if any. group: of the launch. prog: for the sizes of compressed kernel groups, which are in
 * memory. before: the previous convolution, launch or descriptor. */
void sort_conv(const struct program *prog, const struct conv_launch *conv, const struct conv_launch *before, int *v);
void sort_sdp(const struct registers_view *view, int group, int *v);
/* False if the layer does not use a table. */
bool sort_sdp_lut(const struct registers_view *view, int *v);
void sort_sdp_rdma(const struct registers_view *view, int group, int *v);
void sort_pdp(const struct registers_view *view, int group, int *v);
/* fed: the launch of CDP_RDMA is known; its sizes always are. */
void sort_cdp(const struct registers_view *view, int group, bool fed, int *v);
void sort_bdma(const struct nvdla_config *config, const struct launch *launch, const struct launch *before, int *v);
void sort_bdma_block(const struct launch_block *block, const struct launch_block *before, int *v);
void sort_rubik(const struct registers_view *view, int group, int *v);

/* ---- classes --------------------------------------------------------------------------------- */

#define OFF_ON "off on"
#define GROUP "0 1"
#define MEMORY "primary secondary@secondary"

#define PRECISION "int8 int16@int16 fp16@fp16"
static inline int precision_class(const struct nvdla_config *config, uint32_t code) {
    if (!nvdla_has_16_bits(config))
        return NVDLA_INT8;
    return nvdla_has_precision(config, code) ? (int)code : -1;
}

#define SIGN "zero positive negative"
static inline int sign_class(uint32_t value, int bits) {
    value &= bits < 32 ? (1u << bits) - 1 : UINT32_MAX;
    return value == 0 ? 0 : value >> (bits - 1) ? 2 : 1;
}

#define SIZE "1 2..7 8 9..31 32.."
static inline int size_class(int n) {
    return n == 1 ? 0 : n < 8 ? 1 : n == 8 ? 2 : n < 32 ? 3 : 4;
}

/* Channels or kernels relative to the number processed or stored together. */
#define BLOCK "1 part whole multiple ragged"
static inline int block_class(int n, int block) {
    return n == 1 ? 0 : n < block ? 1 : n == block ? 2 : n % block == 0 ? 3 : 4;
}

/* The length of the last one of blocks that have `block` each; f: the feature of blocks of more than 8 and so on. */
#define LAST_8 "1 2 3 4 5 6 7 8"
#define LAST_16(f) LAST_8 " 9@" f " 10@" f " 11@" f " 12@" f " 13@" f " 14@" f " 15@" f " 16@" f
#define LAST_32(f, g) LAST_16(f) LAST_17(g)
#define LAST_17(f)                                                                                                     \
    " 17@" f " 18@" f " 19@" f " 20@" f " 21@" f " 22@" f " 23@" f " 24@" f " 25@" f " 26@" f " 27@" f " 28@" f        \
    " 29@" f " 30@" f " 31@" f " 32@" f
#define LAST_33(f)                                                                                                     \
    " 33@" f " 34@" f " 35@" f " 36@" f " 37@" f " 38@" f " 39@" f " 40@" f " 41@" f " 42@" f " 43@" f " 44@" f        \
    " 45@" f " 46@" f " 47@" f " 48@" f " 49@" f " 50@" f " 51@" f " 52@" f " 53@" f " 54@" f " 55@" f " 56@" f        \
    " 57@" f " 58@" f " 59@" f " 60@" f " 61@" f " 62@" f " 63@" f " 64@" f
static inline int last_class(int n, int block) {
    return (n - 1) % block;
}

#define SHIFT "0 1..15 16.."
static inline int shift_class(uint32_t shift) {
    return shift == 0 ? 0 : shift < 16 ? 1 : 2;
}

#define SCALE "one positive other_negative"
static inline int scale_class(uint32_t scale) {
    scale &= 0xffff;
    return scale == 1 ? 0 : scale >> 15 ? 2 : 1;
}

#define STEPS "1 2 3.."
static inline int step_class(int n) {
    return n == 1 ? 0 : n == 2 ? 1 : 2;
}

/* For a RAM_TYPE field. */
static inline int memory_class(const struct nvdla_config *config, uint32_t ram_type) {
    return nvdla_has(config, FEATURE_SECONDARY_MEMORY) && ram_type == 0;
}

/* Elements of a memory atom. */
static inline int atom_elements(const struct nvdla_config *config, int precision) {
    return config->mem_atom / (precision > NVDLA_INT8 ? 2 : 1);
}

/* Whether units of `size` bytes are contiguous at this stride. A stride has no meaning for a single unit. */
#define PACKING "packed gap"
static inline int packing_class(uint32_t stride, int64_t size, int units) {
    return units == 1 ? -1 : (int64_t)stride != size;
}

/* The same for the lines and surfaces of a cube in memory. */
static inline void sort_cube(const struct cube *cube, int *lines, int *surfaces) {
    if (cube->packed_1x1)
        return;
    *lines = packing_class(cube->line_stride, (int64_t)cube_columns(cube) * cube->atom, cube->height);
    *surfaces = packing_class(cube->surface_stride, (int64_t)cube->line_stride * cube->height, cube_surfaces(cube));
}

/* ---- tables of SDP and CDP (chapter 55) ------------------------------------------------------ */

/* clang-format off */
#define FOR_LUT_ASPECTS(A) \
    A(LUT_FUNCTION, ASPECT("le_function", "exponent linear")) \
    A(LUT_OFFSET, ASPECT("le_index_offset", SIGN)) \
    A(LUT_LE_SELECT, ASPECT("le_index_select", SIGN)) \
    A(LUT_LO_SELECT, ASPECT("lo_index_select", SIGN)) \
    A(LUT_BELOW_PRIORITY, ASPECT("underflow_priority", "LE LO")) \
    A(LUT_ABOVE_PRIORITY, ASPECT("overflow_priority", "LE LO")) \
    A(LUT_HYBRID_PRIORITY, ASPECT("hybrid_priority", "LE LO")) \
    A(LUT_LE_BELOW_SLOPE, ASPECT("le_underflow_scale", SIGN)) \
    A(LUT_LE_ABOVE_SLOPE, ASPECT("le_overflow_scale", SIGN)) \
    A(LUT_LO_BELOW_SLOPE, ASPECT("lo_underflow_scale", SIGN)) \
    A(LUT_LO_ABOVE_SLOPE, ASPECT("lo_overflow_scale", SIGN)) \
    A(LUT_LE_BELOW_SHIFT, ASPECT("le_underflow_shift", SIGN)) \
    A(LUT_LE_ABOVE_SHIFT, ASPECT("le_overflow_shift", SIGN)) \
    A(LUT_LO_BELOW_SHIFT, ASPECT("lo_underflow_shift", SIGN)) \
    A(LUT_LO_ABOVE_SHIFT, ASPECT("lo_overflow_shift", SIGN))

#define LUT_CROSSES(first, precision)                                                                                  \
    {CROSS((first) + LUT_FUNCTION, (first) + LUT_BELOW_PRIORITY)},                                                     \
    {CROSS((first) + LUT_FUNCTION, (first) + LUT_ABOVE_PRIORITY)},                                                     \
    {CROSS((first) + LUT_FUNCTION, (first) + LUT_HYBRID_PRIORITY)},                                                    \
    {CROSS(precision, (first) + LUT_FUNCTION)},                                                                        \
    {CROSS(precision, (first) + LUT_BELOW_PRIORITY)},                                                                  \
    {CROSS(precision, (first) + LUT_ABOVE_PRIORITY)},                                                                  \
    {CROSS(precision, (first) + LUT_HYBRID_PRIORITY)}
/* clang-format on */

enum { FOR_LUT_ASPECTS(ASPECT_INDEX) LUT_ASPECTS };

/* v: the first of LUT_ASPECTS. FP16 has no shifts. */
static inline void sort_lut(const struct lut_settings *lut, int precision, int *v) {
    v[LUT_FUNCTION] = lut->le_linear;
    if (lut->le_linear)
        v[LUT_LE_SELECT] = sign_class((uint32_t)lut->range[LUT_LE].select, 8);
    else
        v[LUT_OFFSET] = sign_class((uint32_t)lut->le_index_offset, 8);
    v[LUT_LO_SELECT] = sign_class((uint32_t)lut->range[LUT_LO].select, 8);
    v[LUT_BELOW_PRIORITY] = lut->under_first_lo;
    v[LUT_ABOVE_PRIORITY] = lut->over_first_lo;
    v[LUT_HYBRID_PRIORITY] = lut->hybrid_first_lo;
    for (int table = LUT_LE; table <= LUT_LO; table++) {
        const struct lut_range *range = &lut->range[table];
        const int lo = 2 * (table == LUT_LO);
        v[LUT_LE_BELOW_SLOPE + lo] = sign_class((uint32_t)range->under.scale, 16);
        v[LUT_LE_ABOVE_SLOPE + lo] = sign_class((uint32_t)range->over.scale, 16);
        if (precision != NVDLA_FP16) {
            v[LUT_LE_BELOW_SHIFT + lo] = sign_class((uint32_t)range->under.shift, 5);
            v[LUT_LE_ABOVE_SHIFT + lo] = sign_class((uint32_t)range->over.shift, 5);
        }
    }
}
