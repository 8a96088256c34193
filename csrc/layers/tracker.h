/* Launches: what software armed, in order, seen from the register writes alone.
 *
 * A launch is one D_OP_ENABLE = 1 of one unit (BDMA: one CFG_LAUNCH0 or 1 = 1); it carries the unit's D registers as
 * they stood. The tracker is fed with every register write, by the trace reader (statically, in file order) and by the
 * testbench (as they go out), and so gives both the same (unit, ordinal) for the same layer. It does not know when
 * layers end: every arming is taken as accepted, also one that the hardware drops because the group is still armed.
 */
#ifndef LAYERS_TRACKER_H
#define LAYERS_TRACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layers/view.h"
#include "nvdla/registers.h"
#include "nvdla_offsets.h"

/* Registers that a descriptor of BDMA takes (64-bdma section 4). */
enum { LAUNCH_BLOCK_WORDS = BDMA_CFG_OP / 4 };

struct launch {
    enum nvdla_unit unit;
    int ordinal;       /* n-th launch of this unit, from 0 */
    int group;         /* ping-pong group */
    size_t tag;        /* when it was armed, in the unit of the caller of layer_tracker_write: index of the operation in
                        * the program (trace/launches.h), core clock (tb/provenance.c) */
    size_t word_count; /* words of registers[] */
    uint32_t *registers; /* window words: S_ registers and the group's D_ registers as armed; index = offset / 4 */
    /* CDP only, it has no sizes: the registers of CDP_RDMA's launch of the same ordinal, which may come later. Until
     * then those that CDP_RDMA has in the same group. */
    uint32_t *rdma;
    size_t rdma_word_count;
    /* CDMA only: false if the layer reuses what the layer before it left in CBUF. */
    bool fetches_data, fetches_weights;
    size_t block_count; /* BDMA only: descriptors pushed for this launch; what is lost in a full queue does not count */
    uint32_t *blocks;   /* the registers of one after the other; see launch_block */
};

struct layer_tracker;

/* Creates a tracker for a configuration. */
struct layer_tracker *layer_tracker_new(const struct nvdla_config *config);
void layer_tracker_free(struct layer_tracker *tracker);

/* The configuration that the tracker was made for. */
const struct nvdla_config *layer_tracker_config(const struct layer_tracker *tracker);

/* Feeds one register write. Returns the launch if the write armed a group, else NULL. The pointer stays valid until the
 * next launch is recorded; launches can be reached again by layer_tracker_launch. */
const struct launch *layer_tracker_write(struct layer_tracker *tracker, uint32_t address, uint32_t value, size_t tag);

/* True if a register write arms a group of a unit (of BDMA: launches its descriptors). */
bool register_write_arms(const struct nvdla_config *config, uint32_t address, uint32_t value);

/* Number of launches so far (all units), and the i-th of them in order of arming. */
size_t layer_tracker_count(const struct layer_tracker *tracker);
const struct launch *layer_tracker_launch(const struct layer_tracker *tracker, size_t index);

/* The n-th launch of a unit, NULL if it has not been armed yet. */
const struct launch *layer_tracker_find(const struct layer_tracker *tracker, enum nvdla_unit unit, int ordinal);

/* Lets go of the registers of all launches but the last `keep` of each unit: of those before, launch.word_count is 0.
 * For traces of any length. */
void layer_tracker_trim(struct layer_tracker *tracker, size_t keep);

/* Whose turn it is when a unit runs what was armed: its groups take turns, whichever was armed first. All zero: the
 * first launch after reset. */
struct launch_turn {
    int group;
    int next_of[2]; /* lowest ordinal that the next launch of a group may have */
};

/* The launch whose turn it is, NULL if it has not been armed yet. Moves *turn behind it. */
const struct launch *layer_tracker_turn(const struct layer_tracker *tracker, enum nvdla_unit unit,
                                        struct launch_turn *turn);

/* Value of the register of that in-window byte offset (constants of nvdla_offsets.h) as the launch has it. */
uint32_t launch_register(const struct launch *launch, uint32_t offset);

/* A view of a launch, which must stay: its registers, of CDP those of CDP_RDMA too. launch_view_add puts one more
 * launch into a view; NULL adds nothing. */
struct registers_view launch_view(const struct nvdla_config *config, const struct launch *launch);
void launch_view_add(struct registers_view *view, const struct launch *launch);

/* Value of a register as that descriptor took it, of registers that descriptors do not take as the launch has it. */
uint32_t launch_block_register(const struct launch *launch, size_t index, uint32_t offset);

#endif
