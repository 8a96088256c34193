/* Launches: what software armed, in order, seen from the register writes alone.
 *
 * A launch is one D_OP_ENABLE = 1 of one unit (BDMA: one CFG_LAUNCH0 or 1 = 1); it carries the unit's D registers as
 * they stood. The tracker is fed with every register write, by the trace reader (statically, in file order) and by the
 * testbench (as they go out), and so gives both the same (unit, ordinal) for the same layer. It does not know when
 * layers end: every arming is taken as accepted, also one that the hardware drops because the group is still armed.
 */
#ifndef LAYERS_LAYERS_H
#define LAYERS_LAYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/cube.h"
#include "nvdla/registers.h"

enum { NVDLA_WINDOW_WORDS = 1024 };

struct launch {
    enum nvdla_unit unit;
    int ordinal;         /* n-th launch of this unit, from 0 */
    int group;           /* ping-pong group */
    size_t tag;          /* what the caller passed to layer_tracker_write: operation index or cycle */
    size_t word_count;   /* words of registers[] */
    uint32_t *registers; /* window words: S_ registers and the group's D_ registers as armed; index = offset / 4 */
    /* CDP only, it has no sizes: D_DATA_CUBE_WIDTH, HEIGHT, CHANNEL of CDP_RDMA's launch of the same ordinal, which may
     * come later. Until then those of its registers in the same group. */
    uint32_t cube_size[3];
    /* CDMA only: false if the layer reuses what the layer before it left in CBUF. */
    bool fetches_data, fetches_weights;
    size_t block_count; /* BDMA only: descriptors pushed for this launch; what is lost in a full queue does not count */
    uint32_t *blocks;   /* the registers of one after the other; see launch_block */
};

struct layer_tracker;

/* Creates a tracker for a configuration; NULL only when memory is exhausted. */
struct layer_tracker *layer_tracker_new(const struct nvdla_config *config);
void layer_tracker_free(struct layer_tracker *tracker);

/* Feeds one register write. Returns the launch if the write armed a group, else NULL. The pointer stays valid until the
 * next launch is recorded; launches can be reached again by layer_tracker_launch. */
const struct launch *layer_tracker_write(struct layer_tracker *tracker, uint32_t address, uint32_t value, size_t tag);

/* Number of launches so far (all units), and the i-th of them in order of arming. */
size_t layer_tracker_count(const struct layer_tracker *tracker);
const struct launch *layer_tracker_launch(const struct layer_tracker *tracker, size_t index);

/* The n-th launch of a unit, NULL if it has not been armed yet. */
const struct launch *layer_tracker_find(const struct layer_tracker *tracker, enum nvdla_unit unit, int ordinal);

/* The launch of `unit` that gives `launch` its input in the same layer, NULL if none does: SDP_RDMA, CDMA, CSC, CMAC_A,
 * CMAC_B and CACC for SDP, PDP_RDMA and all those of SDP for PDP, CDP_RDMA for CDP. Legal layers pair by their order:
 * the n-th launch of CACC belongs to the n-th one of SDP in flying mode, the n-th of SDP_RDMA to the n-th that reads
 * memory. Spec: 50-sdp sections 3, 4 and 11, 60-pdp section 2, 62-cdp section 1. */
const struct launch *layer_tracker_feeder(const struct layer_tracker *tracker, const struct launch *launch,
                                          enum nvdla_unit unit);

/* Value of the register of that in-window byte offset (constants of nvdla_offsets.h) as the launch has it. */
uint32_t launch_register(const struct launch *launch, uint32_t offset);

/* The cube that a launch writes to memory. Returns false if it writes none (RDMA units, SDP to PDP, compare mode) or
 * many (BDMA: launch_block). Units: SDP (with its batches), PDP (with split width), CDP, RUBIK (split: a planar cube).
 * Spec: 50-sdp section 8, 60-pdp section 3, 66-rubik section 2. */
bool launch_output_cube(const struct nvdla_config *config, const struct launch *launch, struct cube *cube,
                        bool *primary);

/* The main cube that a launch reads from memory (CDMA feature input with its batches, SDP_RDMA MRDMA, PDP_RDMA,
 * CDP_RDMA, RUBIK); false if it reads none. */
bool launch_input_cube(const struct nvdla_config *config, const struct launch *launch, struct cube *cube,
                       bool *primary);

/* What a descriptor of BDMA copies, as cubes of one-byte elements: columns are atoms of a line. Spec: 64-bdma sections
 * 2 and 3. */
struct launch_block {
    struct cube source, destination;
    bool source_primary, destination_primary;
};

/* The index-th descriptor of a launch; false if it has none of that number. */
bool launch_block(const struct nvdla_config *config, const struct launch *launch, size_t index,
                  struct launch_block *block);

/* Value of a register as that descriptor took it, of registers that descriptors do not take as the launch has it. */
uint32_t launch_block_register(const struct launch *launch, size_t index, uint32_t offset);

/* Atoms that the launch moves on one AXI ID of chapter 70 section 3 (reads: SDP_RDMA 1, 5, 6, 7; PDP_RDMA 2; CDP_RDMA
 * 3; CDMA 8 data, 9 weights with WMB and WGS; writes: SDP 1, PDP 2, CDP 3; both: RUBIK 4). 0 if the client is idle in
 * this launch. BDMA: 0, its descriptors choose a memory each. */
uint64_t launch_atoms(const struct nvdla_config *config, const struct launch *launch, int axi_id, bool write);

/* Multiplications that the layer of a CSC launch needs: output positions x kernels x channels x kernel size, without
 * what padding or partial groups add. Winograd layers count as the direct convolution on 4x4 tiles that the hardware
 * does. 0 for other units. Spec: 40-convolution-core section 10. */
uint64_t launch_macs(const struct launch *launch);

#endif
