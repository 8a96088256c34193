/* BDMA: copies blocks of atoms between and within the two memories.
 *
 * Software pushes descriptors (CFG_OP) and launches all it has pushed as group 0 or 1 (CFG_LAUNCHn). The load engine
 * takes one group after another; a launched group waits until the group before it is done. The registers are shared
 * ones of a register_group; what writing them does is here. Spec: 64-bdma.
 */
#ifndef MODEL_BDMA_H
#define MODEL_BDMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layers/cubes.h"
#include "model/dma.h"
#include "model/overlap.h"
#include "model/register_group.h"

enum { BDMA_DESCRIPTORS = 21 }; /* that fit: a queue of 20 and the output register behind it */

/* The store engine counts repeats in 13 bits, the load engine in 24: beyond they never meet. Spec: 64-bdma section 8.
 */
enum { BDMA_REPEATS = 8192 };

/* Descriptors that were pushed for one group. */
struct bdma_batch {
    struct bdma_cubes descriptors[BDMA_DESCRIPTORS];
    size_t count;
    uint64_t lost; /* pushed into the full queue: the last descriptor is carried out once more for each */
};

/* Which clients are answered, by RAM_TYPE: [0] CV, [1] MC. */
struct bdma_served {
    bool read[2], write[2];
};

/* The clients of a group; those that are not answered stay untouched. */
struct bdma_clients {
    struct dma read[2], write[2];
};

struct bdma {
    struct bdma_batch queue;   /* pushed, not taken by the load engine */
    struct bdma_batch loading; /* the group that the load engine has taken; count 0: none */
    unsigned group;            /* as which it was launched */
    int ordinal;               /* by which launch since reset */
    bool waiting;              /* a launch that the load engine has not taken */
    unsigned waiting_group;
    int waiting_ordinal;
    bool busy[2]; /* GRPn_BUSY */
    int launches; /* since reset */
};

void bdma_reset(struct bdma *bdma);

/* The bytes of a cube of a descriptor. */
struct extent bdma_extent(const struct bdma_cubes *descriptor, const struct memory_cube *cube);

/* What a register write does beyond storage; to be called behind register_group_write() of the same access. */
void bdma_write(struct bdma *bdma, const struct nvdla_config *config, const struct register_group *regs,
                uint32_t offset, uint32_t value);

/* STATUS: FREE_SLOT, IDLE, GRPn_BUSY, as they are when nothing moves. */
uint32_t bdma_status(const struct bdma *bdma);

/* True if a group has been launched and all that it needs is there. */
bool bdma_can_run(const struct bdma *bdma, const struct bdma_served *served);

/* Atoms that the launched group reads and writes; UINT64_MAX if there are more. */
uint64_t bdma_atoms(const struct bdma *bdma);

/* Copies the group that can run. */
void bdma_run(const struct bdma *bdma, struct bdma_clients *clients);

/* Ends the group that has run, and lets the load engine take the launch that waits. Returns true if the interrupt of
 * *group is raised: not if an earlier one has already ended what software launched under that number. */
bool bdma_done(struct bdma *bdma, unsigned *group);

#endif
