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
    return rules_wide(view) ? FIELD(view, CDP, D_DATA_FORMAT, INPUT_DATA_TYPE) : NVDLA_INT8;
}

CONDITION(precision_unknown, !nvdla_has_precision(view->config, format(view)))
CONDITION(destination_port, rules_no_port(view, FIELD(view, CDP, D_DST_DMA_CFG, DST_RAM_TYPE)))

/* Eight bits, as a signed or as an unsigned number. */
static bool offset_too_long(const struct registers_view *view) {
    uint32_t offset = FIELD(view, CDP, D_DATIN_OFFSET, DATIN_OFFSET);
    return format(view) == NVDLA_INT8 && offset > 0xff && offset < 0xff80;
}

static const struct rule cdp_list[] = {
    RULE(REFUSED, precision_unknown, "the configuration has no such data type", "62-cdp section 12",
         SHOWN(CDP, D_DATA_FORMAT)),
    {RULE_HANGS, destination_port, RULE_NO_PORT, .shown = {SHOWN(CDP, D_DST_DMA_CFG)}},
    RULE(WARNS, offset_too_long, "INT8 layers use only the low 8 bits of the input offset", "62-cdp section 4",
         SHOWN(CDP, D_DATIN_OFFSET)),
};

const struct rule_set rules_cdp = {.units = {NVDLA_CDP}, .unit_count = 1, RULE_LIST(cdp_list)};

/* ---- CDP_RDMA ---- */

CONDITION(source_port, rules_no_port(view, FIELD(view, CDP_RDMA, D_SRC_DMA_CFG, SRC_RAM_TYPE)))

static const struct rule cdp_rdma_list[] = {
    {RULE_HANGS, source_port, RULE_NO_PORT, .shown = {SHOWN(CDP_RDMA, D_SRC_DMA_CFG)}},
};

const struct rule_set rules_cdp_rdma = {.units = {NVDLA_CDP_RDMA}, .unit_count = 1, RULE_LIST(cdp_rdma_list)};

/* ---- CDP with CDP_RDMA and the tables ---- */

CONDITION(type_differs, rules_wide(view) && format(view) != FIELD(view, CDP_RDMA, D_DATA_FORMAT, INPUT_DATA))

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

CONDITION(select_undefined, format(view) == NVDLA_INT16 && select_is(view, 7, 0x40))
CONDITION(select_odd, format(view) == NVDLA_INT8 && select_is(view, 6, 0x20))

static bool is_infinite(uint32_t fp32) {
    return (fp32 & 0x7fffffff) == 0x7f800000;
}

static bool any_range(const struct registers_view *view, bool (*condition)(uint32_t fp32)) {
    return condition(VALUE(view, CDP, S_LUT_LE_START_LOW)) || condition(VALUE(view, CDP, S_LUT_LE_END_LOW)) ||
           condition(VALUE(view, CDP, S_LUT_LO_START_LOW)) || condition(VALUE(view, CDP, S_LUT_LO_END_LOW));
}

CONDITION(range_infinite, format(view) == NVDLA_FP16 && any_range(view, is_infinite))
CONDITION(range_nan, format(view) == NVDLA_FP16 && any_range(view, fp32_is_nan))

static bool not_finite(uint32_t fp16) {
    return (fp16 & 0x7c00) == 0x7c00;
}

static bool slope_not_finite(const struct registers_view *view) {
    uint32_t le = VALUE(view, CDP, S_LUT_LE_SLOPE_SCALE), lo = VALUE(view, CDP, S_LUT_LO_SLOPE_SCALE);
    return format(view) == NVDLA_FP16 &&
           (not_finite(le) || not_finite(le >> 16) || not_finite(lo) || not_finite(lo >> 16));
}

#define SHOWN_RANGE                                                                                                    \
    SHOWN(CDP, S_LUT_LE_START_LOW), SHOWN(CDP, S_LUT_LE_END_LOW), SHOWN(CDP, S_LUT_LO_START_LOW),                      \
        SHOWN(CDP, S_LUT_LO_END_LOW)

static const struct rule cdp_layer_list[] = {
    RULE(REFUSED, type_differs, "CDP and CDP_RDMA must have the same data type", "62-cdp section 12",
         SHOWN(CDP, D_DATA_FORMAT), SHOWN(CDP_RDMA, D_DATA_FORMAT)),
    RULE(REFUSED, overwrites_input, "the destination overlaps the input without being the same", "62-cdp section 12",
         SHOWN(CDP, D_DST_BASE_ADDR_LOW), SHOWN(CDP_RDMA, D_SRC_BASE_ADDR_LOW)),
    RULE(REFUSED, select_undefined, "INDEX_SELECT -64 of an INT16 layer", "55-lut, illegal programming",
         SHOWN(CDP, S_LUT_INFO)),
    RULE(WARNS, select_odd, "INDEX_SELECT -32 of an INT8 layer: LE shifts left by 32, LO does not shift",
         "55-lut, illegal programming", SHOWN(CDP, S_LUT_INFO)),
    RULE(REFUSED, range_infinite, "START and END of FP16 layers must be finite", "62-cdp section 12", SHOWN_RANGE),
    RULE(WARNS, range_nan, "a NaN as START or END propagates", "62-cdp section 12", SHOWN_RANGE),
    RULE(WARNS, slope_not_finite, "a slope that is NaN propagates, an infinite one acts as the largest value",
         "62-cdp section 12", SHOWN(CDP, S_LUT_LE_SLOPE_SCALE), SHOWN(CDP, S_LUT_LO_SLOPE_SCALE)),
    RULE(WARNS, destination_overlaps, RULE_OVERLAPS, "62-cdp section 12", SHOWN(CDP, D_DST_LINE_STRIDE),
         SHOWN(CDP, D_DST_SURFACE_STRIDE)),
    {RULE_WARNS, misaligned, RULE_MISALIGNED,
     .shown = {SHOWN(CDP, D_DST_BASE_ADDR_LOW), SHOWN(CDP, D_DST_LINE_STRIDE), SHOWN(CDP_RDMA, D_SRC_BASE_ADDR_LOW),
               SHOWN(CDP_RDMA, D_SRC_LINE_STRIDE)}},
};

const struct rule_set rules_cdp_layer = {
    .moment = RULES_AT_START, .units = {NVDLA_CDP, NVDLA_CDP_RDMA}, .unit_count = 2, RULE_LIST(cdp_layer_list)};
