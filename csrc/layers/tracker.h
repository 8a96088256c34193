/* Launches: what software armed, in order, derived from register writes alone.
 *
 * A launch is one D_OP_ENABLE = 1 of one unit (BDMA: one CFG_LAUNCH0 or 1 = 1), with the unit's D registers at that
 * moment. The trace reader feeds the tracker every register write statically, in file order; the testbench, as they are
 * sent. So both get the same (unit, ordinal) for the same layer. The tracker does not know when layers end: every
 * arming counts, also one that the hardware drops because the group is still armed. */
#pragma once

#include "layers/view.h"
#include "nvdla/registers.h"
#include "nvdla_offsets.h"

/* Registers stored with a BDMA descriptor (64-bdma section 4). */
enum { LAUNCH_BLOCK_WORDS = BDMA_CFG_OP / 4 };

struct launch {
    enum nvdla_unit unit;
    int ordinal;         /* number of the launch of this unit, from 0 */
    int group;           /* ping-pong group */
    size_t tag;          /* when it was armed, as given to layer_tracker_write: index of the operation in the program
                            (trace/launches.h), core clock (tb/provenance.c) */
    size_t word_count;   /* words of registers[] */
    uint32_t *registers; /* S_ registers and the group's D_ registers when armed; index = offset / 4 */
    /* CDP only, which has no sizes: the registers of CDP_RDMA's launch of the same ordinal, which may come later. Until
     * then, CDP_RDMA's current ones of the same group. */
    uint32_t *rdma;
    size_t rdma_word_count;
    /* CDMA only: false if the layer reuses data that the previous layer left in CBUF. */
    bool fetches_data, fetches_weights;
    size_t block_count; /* BDMA only: descriptors pushed for this launch, without those lost in a full queue */
    uint32_t *blocks;   /* registers of one after the other; see launch_block */
};

struct layer_tracker;

/* Creates a tracker for a configuration. */
struct layer_tracker *layer_tracker_new(const struct nvdla_config *config);
void layer_tracker_free(struct layer_tracker *tracker);

/* The tracker's configuration. */
const struct nvdla_config *layer_tracker_config(const struct layer_tracker *tracker);

/* Feeds one register write. Returns the launch if the write armed a group, otherwise NULL. The pointer is valid until
 * the next launch is recorded; layer_tracker_launch gives it again. */
const struct launch *layer_tracker_write(struct layer_tracker *tracker, uint32_t address, uint32_t value, size_t tag);

/* True if a register write arms a group of a unit (BDMA: launches its descriptors). */
bool register_write_arms(const struct nvdla_config *config, uint32_t address, uint32_t value);

/* Number of launches so far (all units), and the i-th in order of arming. */
size_t layer_tracker_count(const struct layer_tracker *tracker);
const struct launch *layer_tracker_launch(const struct layer_tracker *tracker, size_t index);

/* The n-th launch of a unit, NULL if it has not been armed yet. */
const struct launch *layer_tracker_find(const struct layer_tracker *tracker, enum nvdla_unit unit, int ordinal);

/* Frees the registers of all launches except the last `keep` of each unit, for traces of any length; freed launches
 * have a word_count of 0. */
void layer_tracker_trim(struct layer_tracker *tracker, size_t keep);

/* The order in which a unit runs its launches: its groups alternate, whichever was armed first. All zero: the first
 * launch after reset. */
struct launch_turn {
    int group;
    int next_of[2]; /* lowest ordinal of the next launch of a group */
};

/* The launch that is next, NULL if it has not been armed yet. Moves *turn past it. */
const struct launch *layer_tracker_turn(const struct layer_tracker *tracker, enum nvdla_unit unit,
                                        struct launch_turn *turn);

/* The launch's value of the register at that in-window byte offset (constants of nvdla_offsets.h). */
uint32_t launch_register(const struct launch *launch, uint32_t offset);

/* A view of a launch, which must stay valid: its registers; for CDP also those of CDP_RDMA. launch_view_add adds one
 * more launch to a view; NULL adds nothing. */
struct registers_view launch_view(const struct nvdla_config *config, const struct launch *launch);
void launch_view_add(struct registers_view *view, const struct launch *launch);

/* A register's value for that descriptor; for registers not stored with descriptors, the launch's value. */
uint32_t launch_block_register(const struct launch *launch, size_t index, uint32_t offset);
