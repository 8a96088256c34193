/* The registers of one unit: storage, masks and reset values from the register table and, if the unit has them, the two
 * ping-pong groups with PRODUCER, CONSUMER and OP_EN.
 *
 * The same code serves all units. A unit without D_OP_ENABLE (GLB, MCIF, CVIF, CFGROM) has only shared registers here;
 * model.c implements the effects of GLB's interrupt registers. Spec: 10-system section 6. */
#pragma once

#include "layers/view.h"
#include "nvdla/config.h"
#include "nvdla/registers.h"

struct register_word {
    uint32_t stored; /* bits that keep the written value */
    uint32_t reset;  /* value after reset */
    bool counter;    /* read-only D register: cleared when the group is armed, loaded when the layer is done */
};

struct register_group {
    enum nvdla_unit unit;
    struct register_word *words; /* index = in-window byte offset / 4 */
    uint32_t *value[2];          /* per group; shared registers are the same in both */
    size_t word_count;
    size_t first_d;    /* word of D_OP_ENABLE, the first grouped register; word_count if the unit has no groups */
    unsigned producer; /* group that software reads and writes */
    unsigned consumer; /* group that the engine uses */
    bool op_en[2];
    int ordinal[2]; /* launch whose registers the group holds: n-th of this unit since reset, from 0; -1: none, or they
                       have changed since */
    int launches;   /* since reset */
};

/* Builds the registers of a unit of the configuration, in their reset state. */
void register_group_init(struct register_group *group, const struct nvdla_config *config, enum nvdla_unit unit);
void register_group_free(struct register_group *group);

/* Restores the state after dla_reset_rstn. */
void register_group_reset(struct register_group *group);

/* Effect of a write. */
enum register_write {
    REGISTER_STORED, /* or ignored: no register, bits that do not exist */
    REGISTER_ARMED,  /* group PRODUCER */
    REGISTER_DROPPED /* the group is armed */
};

/* Software's view: 32-bit access at a byte offset of the window, 0 .. 0xffc. Offsets without a register read 0 and
 * ignore writes. D registers are those of group PRODUCER; while that group is armed, writes to them are dropped. */
uint32_t register_group_read(const struct register_group *group, uint32_t offset);
enum register_write register_group_write(struct register_group *group, uint32_t offset, uint32_t value);

/* Value of a register of group 0 or 1, or shared. */
uint32_t register_group_of(const struct register_group *group, unsigned g, uint32_t offset);

/* The registers of group 0 or 1, and those of group CONSUMER, which the engine sees. */
struct view_unit register_group_words(const struct register_group *group, unsigned g);
struct registers_view register_group_view(const struct register_group *group, const struct nvdla_config *config);

/* The engine's view: true if group CONSUMER is armed; its registers are then the layer's. */
bool register_group_running(const struct register_group *group);

/* Value of a register as the engine sees it: of group CONSUMER, or shared. */
uint32_t register_group_value(const struct register_group *group, uint32_t offset);

/* Launch ordinal of group CONSUMER, which must be armed. */
int register_group_ordinal(const struct register_group *group);

/* Sets a counter of group CONSUMER to its final value, saturated to 32 bits. To be called just before
 * register_group_done(). */
void register_group_load(struct register_group *group, uint32_t offset, uint64_t value);

/* Ends the layer of group CONSUMER: the group is released and CONSUMER toggles. Returns the released group. */
unsigned register_group_done(struct register_group *group);
