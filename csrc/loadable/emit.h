/* Appends the register accesses of a layer to a program in the order of the driver. Spec: 87-loadables sections 6 and
 * 7. */
#pragma once

#include "loadable/dla_task.h"
#include "nvdla_offsets.h"
#include "trace/program.h"

struct emitter {
    struct program *prog;
    const struct dla_task *task; /* of the layers, for their tables */
    const struct nvdla_config *config;
};

/* A field of a register value, by the names of nvdla_offsets.h: BITS(SDP_D_CVT_SHIFT__CVT_SHIFT, 3). Bits that do not
 * fit are cut off, as in the driver. */
#define BITS(name, value) ((uint32_t)(value) << name##_LSB & name##_MASK)

/* A write or a poll of the register at an offset of a unit's window, which the configuration must have. */
void emit_write(const struct emitter *emitter, enum nvdla_unit unit, uint32_t offset, uint32_t value);
/* The same by names, for an `emitter`: of a value, and of up to seven fields and their values, the others 0:
 * PUT(CSC, D_WEIGHT_BYTES, size), FIELDS(CSC, D_BANK, DATA_BANK, 3, WEIGHT_BANK, 5). */
#define PUT(unit, reg, value) emit_write(emitter, NVDLA_##unit, unit##_##reg, value)
#define FIELDS(unit, reg, ...)                                                                                         \
    emit_write(emitter, NVDLA_##unit, unit##_##reg,                                                                    \
               FIELDS_CHOSEN(__VA_ARGS__, 7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, )(unit##_##reg##__, __VA_ARGS__))
#define FIELDS_CHOSEN(a, b, c, d, e, f, g, h, i, j, k, l, m, n, count, ...) FIELDS_##count
#define FIELDS_1(prefix, field, value) BITS(prefix##field, value)
#define FIELDS_2(prefix, field, value, ...) BITS(prefix##field, value) | FIELDS_1(prefix, __VA_ARGS__)
#define FIELDS_3(prefix, field, value, ...) BITS(prefix##field, value) | FIELDS_2(prefix, __VA_ARGS__)
#define FIELDS_4(prefix, field, value, ...) BITS(prefix##field, value) | FIELDS_3(prefix, __VA_ARGS__)
#define FIELDS_5(prefix, field, value, ...) BITS(prefix##field, value) | FIELDS_4(prefix, __VA_ARGS__)
#define FIELDS_6(prefix, field, value, ...) BITS(prefix##field, value) | FIELDS_5(prefix, __VA_ARGS__)
#define FIELDS_7(prefix, field, value, ...) BITS(prefix##field, value) | FIELDS_6(prefix, __VA_ARGS__)
/* Width, height and channels of a cube; its address and strides: in every unit such registers follow each other. */
void emit_size(const struct emitter *emitter, enum nvdla_unit unit, uint32_t first, const struct data_cube *cube);
void emit_cube(const struct emitter *emitter, enum nvdla_unit unit, uint32_t first, const struct data_cube *cube);
/* Waits until (read & mask) relation value. */
void emit_poll(const struct emitter *emitter, enum nvdla_unit unit, uint32_t offset, uint32_t mask,
               enum relation relation, uint32_t value);

/* The groups of a layer: in its unit, and in its RDMA. */
struct layer_groups {
    unsigned group, rdma;
};

/* The driver's writes to program a layer, and to arm it. */
void emit_program(const struct emitter *emitter, const struct operation *op, struct layer_groups groups);
void emit_arm(const struct emitter *emitter, const struct operation *op, struct layer_groups groups);

/* Parts of emit_program, one per type; pointers are already written. */
void emit_conv(const struct emitter *emitter, const struct operation *op);
void emit_sdp(const struct emitter *emitter, const struct operation *op);
void emit_pdp(const struct emitter *emitter, const struct operation *op);
void emit_cdp(const struct emitter *emitter, const struct operation *op);
void emit_rubik(const struct emitter *emitter, const struct operation *op);
void emit_bdma(const struct emitter *emitter, const struct operation *op);

/* Loads a table into SDP or CDP. precision: of the operation's source. */
void emit_table(const struct emitter *emitter, enum nvdla_unit unit, const struct lut_param *lut, unsigned precision);

static inline uint32_t low_word(uint64_t address) {
    return (uint32_t)address;
}

static inline uint32_t high_word(uint64_t address) {
    return (uint32_t)(address >> 32);
}

/* The driver's value of a RAM_TYPE field: 1 primary memory, 0 secondary or none. */
static inline uint32_t ram_type(const struct data_cube *cube) {
    return cube->type == CUBE_MEMORY;
}
