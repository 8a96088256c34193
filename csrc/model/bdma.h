/* BDMA: copies blocks of atoms between and within the two memories.
 *
 * Software pushes descriptors (CFG_OP) and launches all of them as group 0 or 1 (CFG_LAUNCHn). The load engine takes
 * one group at a time; a launched group waits until the previous one is done. The registers are shared ones of a
 * register_group; the effects of writing them are here. Spec: 64-bdma. */
#pragma once

#include "layers/cubes.h"
#include "model/dma.h"
#include "model/overlap.h"
#include "model/register_group.h"

enum { BDMA_DESCRIPTORS = 21 }; /* capacity: a queue of 20 and its output register */

/* The store engine counts repeats in 13 bits, the load engine in 24; beyond 13 bits the copy never ends. Spec: 64-bdma
 * section 8. */
enum { BDMA_REPEATS = 8192 };

/* Descriptors pushed for one group. */
struct bdma_batch {
    struct bdma_cubes descriptors[BDMA_DESCRIPTORS];
    size_t count;
    uint64_t lost; /* pushes into the full queue: the last descriptor is executed once more for each */
};

/* Whether clients are answered, by RAM_TYPE: [0] CV, [1] MC. */
struct bdma_served {
    bool read[2], write[2];
};

/* The clients of a group; unanswered ones stay unused. */
struct bdma_clients {
    struct dma read[2], write[2];
};

struct bdma {
    struct bdma_batch queue;   /* pushed, not yet taken by the load engine */
    struct bdma_batch loading; /* group taken by the load engine; count 0: none */
    unsigned group;            /* number it was launched with */
    int ordinal;               /* number of that launch since reset */
    bool waiting;              /* a launch not yet taken by the load engine */
    unsigned waiting_group;
    int waiting_ordinal;
    bool busy[2]; /* GRPn_BUSY */
    int launches; /* since reset */
};

void bdma_reset(struct bdma *bdma);

/* The bytes of a descriptor's cube. */
struct extent bdma_extent(const struct bdma_cubes *descriptor, const struct memory_cube *cube);

/* Effects of a register write beyond storage; call it after register_group_write() of the same access. */
void bdma_write(struct bdma *bdma, const struct nvdla_config *config, const struct register_group *regs,
                uint32_t offset, uint32_t value);

/* STATUS: FREE_SLOT, IDLE, GRPn_BUSY, when nothing moves. */
uint32_t bdma_status(const struct bdma *bdma);

/* True if a group has been launched and everything it needs is available. */
bool bdma_can_run(const struct bdma *bdma, const struct bdma_served *served);

/* Atoms that the launched group reads and writes; UINT64_MAX if too many to count. */
uint64_t bdma_atoms(const struct bdma *bdma);

/* Copies the group that can run. */
void bdma_run(const struct bdma *bdma, struct bdma_clients *clients);

/* Ends the group that has run, and lets the load engine take the waiting launch. Returns true if the interrupt of
 * *group is raised: not if an earlier group has already ended the launches with that number. */
bool bdma_done(struct bdma *bdma, unsigned *group);
