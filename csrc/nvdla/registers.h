/* The register map as data: units, registers, fields, enumerated values. scripts/gen_tables.py generates it from
 * registers.csv; nvdla_offsets.h has the same as C constants.
 *
 * Addresses are byte offsets from the start of NVDLA's register space, 0 .. 0x3fffc, multiples of 4. Spec: 10-system
 * sections 4.3 and 6. */
#pragma once

#include "nvdla/config.h"
#include "nvdla_names.h" /* enum nvdla_unit; enum nvdla_access, the access codes of chapter 10 */

struct nvdla_enum {
    const char *name;
    uint32_t value;
};

struct nvdla_field {
    const char *name;
    uint8_t msb, lsb;
    enum nvdla_access access;
    uint32_t reset; /* of the field, right-aligned */
    const struct nvdla_enum *enums;
    size_t enum_count;
    const char *text; /* one line of description */
};

/* Kinds of registers, several of which may apply. */
enum nvdla_register_kind {
    REGISTER_ADDRESS = 1,      /* an address, or its lower half */
    REGISTER_ADDRESS_HIGH = 2, /* the upper half of one */
    REGISTER_TABLE_PORT = 4,   /* access to the entries of a look-up table */
    REGISTER_WEIGHT = 8,       /* of the arbiters of a memory interface */
    REGISTER_WAIT = 16,        /* counter of clocks in which a memory client waits */
};

struct nvdla_register {
    enum nvdla_unit unit;
    const char *name;                  /* without unit, e.g. "D_CVT_SCALE" */
    uint32_t address;                  /* byte offset from the NVDLA base */
    bool grouped;                      /* exists once per ping-pong group */
    uint32_t reset;                    /* of the whole register */
    uint32_t stored_mask;              /* bits that keep the written value (RW, RWT) */
    uint32_t volatile_mask;            /* bits whose value depends on time: 80-trace-formats section 9.3 */
    unsigned kinds;                    /* of enum nvdla_register_kind */
    const struct nvdla_register *high; /* REGISTER_ADDRESS: with the upper half, NULL: none */
    const struct nvdla_field *fields;
    size_t field_count;
};

struct nvdla_register_map {
    const char *name;
    const struct nvdla_register *registers; /* by address */
    size_t count;
};

extern const struct nvdla_register_map nvdla_register_maps[NVDLA_MAP_COUNT];
extern const char *const nvdla_unit_names[NVDLA_UNIT_COUNT]; /* "SDP_RDMA", ... */

/* True if the configuration decodes this unit's window. It does not decode a full map's GEC, or an absent CVIF or
 * RUBIK. */
bool nvdla_has_unit(const struct nvdla_config *config, enum nvdla_unit unit);

/* The register at a byte address, NULL if the configuration has none there. */
const struct nvdla_register *nvdla_register_at(const struct nvdla_config *config, uint32_t address);

/* The register by unit and name ("D_CVT_SCALE"), NULL if the configuration has none of that name. */
const struct nvdla_register *nvdla_register_find(const struct nvdla_config *config, enum nvdla_unit unit,
                                                 const char *name);

/* Bits of a register of the configuration that keep the written value. Where atoms or entries of CBUF are smaller than
 * those of full, the fields of its map have the bits of the map small too. Spec: 10-system section 1.1. */
uint32_t nvdla_stored_mask(const struct nvdla_config *config, const struct nvdla_register *reg);

/* The unit of that name ("SDP_RDMA", upper or lower case), NVDLA_UNIT_COUNT if there is none. RUBIK means RBK. */
enum nvdla_unit nvdla_unit_find(const char *name);

/* Unit whose 4-KiB window holds the address, NVDLA_UNIT_COUNT for windows that the configuration does not decode. */
enum nvdla_unit nvdla_unit_at(const struct nvdla_config *config, uint32_t address);

/* Base address of the unit's window in this configuration's map; the unit must exist in the map. */
uint32_t nvdla_unit_base(const struct nvdla_config *config, enum nvdla_unit unit);

/* Writes "UNIT.REGISTER" (or "0x01234" for an address without register) to text. Returns text. */
char *nvdla_register_name(const struct nvdla_config *config, uint32_t address, char *text, size_t size);

/* Writes the decoded fields of a register value, "WIDTH=7 HEIGHT=0x1f" with enum names where they exist
 * ("POOLING_METHOD=AVERAGE"), "" for an unknown register. Cut at size. Returns text. */
char *nvdla_register_decode(const struct nvdla_register *reg, uint32_t value, char *text, size_t size);

/* The same for the fields with a bit in `of`. */
char *nvdla_register_decode_bits(const struct nvdla_register *reg, uint32_t value, uint32_t of, char *text,
                                 size_t size);

/* One field of a register value, by the names of nvdla_offsets.h: REGISTER_FIELD(value, SDP_D_CVT_SHIFT__CVT_SHIFT). */
#define REGISTER_FIELD(value, name) (((value) & name##_MASK) >> name##_LSB)

/* The same for an entry of the register table: the bits of the field in its register, and its value. */
static inline uint32_t nvdla_field_mask(const struct nvdla_field *field) {
    return UINT32_MAX >> (31 - (field->msb - field->lsb)) << field->lsb;
}

static inline uint32_t nvdla_field_value(const struct nvdla_field *field, uint32_t value) {
    return (value & nvdla_field_mask(field)) >> field->lsb;
}

/* The bits of a value read at that address that no field of the register has; 0 where there is no register. */
uint32_t nvdla_register_excess(const struct nvdla_config *config, uint32_t address, uint32_t value);

/* Bits of GLB.S_INTR_STATUS: source names as traces write them, "SDP_0", "cdma_wt_1", "CACC_0" (any case).
 * Returns the bit number, -1 if there is no such interrupt. */
int nvdla_interrupt_bit(const char *name);

/* Name of an interrupt bit, NULL if the bit has no source. */
const char *nvdla_interrupt_name(int bit);

/* True if the register at the address has a bit of the mask whose value depends on time. */
bool nvdla_register_volatile(const struct nvdla_config *config, uint32_t address, uint32_t mask);

/* True if the register at the address is of the kind. */
bool nvdla_register_is(const struct nvdla_config *config, uint32_t address, enum nvdla_register_kind kind);
