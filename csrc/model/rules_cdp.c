/* Rules of CDP and CDP_RDMA. Spec: 62-cdp section 12, 55-lut "Illegal or undefined programming"; 98-measured-rules
 * section 3. */
#include "model/cdp.h"
#include "model/overlap.h"
#include "model/rules.h"
#include "model/rules_table.h"
#include "nvdla/fp.h"

static struct cdp_layer layer_of(const struct registers_view *view) {
    struct cdp_layer layer;
    cdp_layer_decode(&layer, view);
    return layer;
}

/* ---- CDP ---- */

static uint32_t format(const struct registers_view *view) {
    return wide(view) ? FIELD(view, CDP, D_DATA_FORMAT, INPUT_DATA_TYPE) : NVDLA_INT8;
}

/* Eight bits, as a signed or as an unsigned number. */
static bool offset_too_long(const struct registers_view *view) {
    uint32_t offset = FIELD(view, CDP, D_DATIN_OFFSET, DATIN_OFFSET);
    return format(view) == NVDLA_INT8 && offset > 0xff && offset < 0xff80;
}

/* ---- CDP with CDP_RDMA and the tables ---- */

static bool overwrites_input(const struct registers_view *view) {
    struct cdp_layer l = layer_of(view);
    uint64_t line = (uint64_t)l.width * l.atom, lines = (uint64_t)l.height, surfaces = (uint64_t)l.surfaces;
    struct extent source = extent_of(&l.source, line, lines, surfaces);
    struct extent destination = extent_of(&l.destination, line, lines, surfaces);
    return extent_overwrites(&destination, &source);
}

static bool destination_overlaps(const struct registers_view *view) {
    struct cdp_layer l = layer_of(view);
    struct extent destination =
        extent_of(&l.destination, (uint64_t)l.width * l.atom, (uint64_t)l.height, (uint64_t)l.surfaces);
    return extent_overlaps_itself(&destination);
}

static bool misaligned(const struct registers_view *view) {
    struct cdp_layer l = layer_of(view);
    const struct cube *from = &l.source.cube, *to = &l.destination.cube;
    uint64_t used = from->base | to->base;
    used |= l.height > 1 ? from->line_stride | to->line_stride : 0;
    used |= l.surfaces > 1 ? from->surface_stride | to->surface_stride : 0;
    return rules_misaligned(view, used);
}

/* The bits of INDEX_SELECT that CDP uses: 6 for INT8, 7 for INT16. */
static bool select_is(const struct registers_view *view, uint32_t bits, uint32_t value) {
    uint32_t mask = (UINT32_C(1) << bits) - 1, info = VALUE(view, CDP, S_LUT_INFO);
    bool le_linear = FIELD(view, CDP, S_LUT_CFG, LUT_LE_FUNCTION) != 0;
    return (le_linear && (REGISTER_FIELD(info, CDP_S_LUT_INFO__LUT_LE_INDEX_SELECT) & mask) == value) ||
           (REGISTER_FIELD(info, CDP_S_LUT_INFO__LUT_LO_INDEX_SELECT) & mask) == value;
}

static bool is_infinite(uint32_t fp32) {
    return (fp32 & 0x7fffffff) == 0x7f800000;
}

static bool any_range(const struct registers_view *view, bool (*condition)(uint32_t fp32)) {
    return condition(VALUE(view, CDP, S_LUT_LE_START_LOW)) || condition(VALUE(view, CDP, S_LUT_LE_END_LOW)) ||
           condition(VALUE(view, CDP, S_LUT_LO_START_LOW)) || condition(VALUE(view, CDP, S_LUT_LO_END_LOW));
}

static bool not_finite(uint32_t fp16) {
    return (fp16 & 0x7c00) == 0x7c00;
}

static bool slope_not_finite(const struct registers_view *view) {
    uint32_t le = VALUE(view, CDP, S_LUT_LE_SLOPE_SCALE), lo = VALUE(view, CDP, S_LUT_LO_SLOPE_SCALE);
    return format(view) == NVDLA_FP16 &&
           (not_finite(le) || not_finite(le >> 16) || not_finite(lo) || not_finite(lo >> 16));
}

#include "rules_cdp.inc"
