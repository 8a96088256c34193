/* The registers of a layer's units as a value, wherever they are stored: in launches of the tracker (trace, coverage,
 * reports) or in register groups of the model. Layers are decoded from views only, so the decoding exists once
 * (layers/cubes.h). */
#pragma once

#include "nvdla/config.h"
#include "nvdla/registers.h"
#include "nvdla_offsets.h"

/* The registers of one unit; the words are borrowed. */
struct view_unit {
    const uint32_t *words; /* S_ registers and the D_ registers of one group; index = in-window byte offset / 4 */
    size_t count;          /* 0: the unit is not in the view, its registers read 0 */
};

struct registers_view {
    const struct nvdla_config *config;
    struct view_unit units[NVDLA_UNIT_COUNT];
    const struct registers_view *before; /* the launches before these, if known; may be NULL */
};

/* Value of the register at an in-window byte offset (constants of nvdla_offsets.h), 0 if there is none. */
static inline uint32_t view_value(const struct registers_view *view, enum nvdla_unit unit, uint32_t offset) {
    const struct view_unit *registers = &view->units[unit];
    return offset / 4 < registers->count ? registers->words[offset / 4] : 0;
}

/* A register, and one field of it, by the names of nvdla_offsets.h: FIELD(view, SDP, D_CVT_SHIFT, CVT_SHIFT). */
#define VALUE(view, unit, reg) view_value(view, NVDLA_##unit, unit##_##reg)
#define FIELD(view, unit, reg, field) REGISTER_FIELD(VALUE(view, unit, reg), unit##_##reg##__##field)

/* The byte address in a pair of registers; HIGH counts only with more than 32 address bits. */
static inline uint64_t view_address(const struct registers_view *view, enum nvdla_unit unit, uint32_t low,
                                    uint32_t high) {
    const uint64_t upper = view->config->addr_bits > 32 ? view_value(view, unit, high) : 0;
    return upper << 32 | view_value(view, unit, low);
}
