/* BDMA's descriptor queue and its copies. See bdma.h. */
#include "model/bdma.h"

#include <stdlib.h>

#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"

void bdma_reset(struct bdma *bdma) {
    *bdma = (struct bdma){.launches = 0};
}

struct extent bdma_extent(const struct bdma_cubes *descriptor, const struct memory_cube *cube) {
    return extent_of(cube, (uint64_t)descriptor->atoms * (uint64_t)cube->cube.atom, descriptor->lines,
                     descriptor->surfaces);
}

/* CFG_OP: a push into the full queue loses its contents, but counts. Spec: 64-bdma section 4. */
static void push(struct bdma_batch *queue, struct bdma_cubes descriptor) {
    if (queue->count < BDMA_DESCRIPTORS)
        queue->descriptors[queue->count++] = descriptor;
    else
        queue->lost++;
}

/* The idle load engine takes what has been pushed. A launch of nothing is forgotten, but its GRPn_BUSY stays. */
static void take(struct bdma *bdma, unsigned group, int ordinal) {
    bdma->loading = bdma->queue;
    bdma->queue.count = 0;
    bdma->queue.lost = 0;
    bdma->group = group;
    bdma->ordinal = ordinal;
}

/* CFG_LAUNCHn. A launch that still waits is overwritten: its descriptors move to the new number. Spec: 64-bdma section
 * 5. */
static void launch(struct bdma *bdma, unsigned group) {
    int ordinal = bdma->launches++;
    bdma->busy[group] = true;
    if (bdma->loading.count == 0) {
        take(bdma, group, ordinal);
        return;
    }
    bdma->waiting = true;
    bdma->waiting_group = group;
    bdma->waiting_ordinal = ordinal;
}

void bdma_write(struct bdma *bdma, const struct nvdla_config *config, const struct register_group *regs,
                uint32_t offset, uint32_t value) {
    struct registers_view view;
    if ((value & 1) == 0)
        return;
    switch (offset) {
    case BDMA_CFG_OP:
        view = register_group_view(regs, config);
        push(&bdma->queue, bdma_cubes(&view));
        break;
    case BDMA_CFG_LAUNCH0:
        launch(bdma, 0);
        break;
    case BDMA_CFG_LAUNCH1:
        launch(bdma, 1);
        break;
    default:
        break;
    }
}

uint32_t bdma_status(const struct bdma *bdma) {
    /* The first descriptor is in the output register. */
    size_t queued = bdma->queue.count > 0 ? bdma->queue.count - 1 : 0;
    uint32_t free_slots = BDMA_DESCRIPTORS - 1 - (uint32_t)queued;
    uint32_t idle = bdma->queue.count == 0 && bdma->loading.count == 0;
    return free_slots << BDMA_STATUS__FREE_SLOT_LSB | idle << BDMA_STATUS__IDLE_LSB |
           (uint32_t)bdma->busy[0] << BDMA_STATUS__GRP0_BUSY_LSB |
           (uint32_t)bdma->busy[1] << BDMA_STATUS__GRP1_BUSY_LSB;
}

bool bdma_can_run(const struct bdma *bdma, const struct bdma_served *served) {
    for (size_t i = 0; i < bdma->loading.count; i++) {
        const struct bdma_cubes *descriptor = &bdma->loading.descriptors[i];
        if (descriptor->lines > BDMA_REPEATS || descriptor->surfaces > BDMA_REPEATS ||
            !served->read[descriptor->source.primary] || !served->write[descriptor->destination.primary])
            return false;
    }
    return bdma->loading.count > 0;
}

/* Read and written. */
static uint64_t atoms_of(const struct bdma_cubes *descriptor) {
    return 2 * (uint64_t)descriptor->atoms * descriptor->lines * descriptor->surfaces;
}

uint64_t bdma_atoms(const struct bdma *bdma) {
    const struct bdma_batch *batch = &bdma->loading;
    uint64_t atoms = 0, again = 0;
    for (size_t i = 0; i < batch->count; i++)
        atoms += atoms_of(&batch->descriptors[i]);
    if (batch->lost > 0 &&
        (__builtin_mul_overflow(atoms_of(&batch->descriptors[batch->count - 1]), batch->lost, &again) ||
         __builtin_add_overflow(atoms, again, &atoms)))
        return UINT64_MAX;
    return atoms;
}

/* One request each way per line. Spec: 64-bdma section 3. */
static void copy(const struct bdma_cubes *descriptor, struct bdma_clients *clients, uint8_t *line) {
    struct dma *read = &clients->read[descriptor->source.primary];
    struct dma *write = &clients->write[descriptor->destination.primary];
    const struct cube *source = &descriptor->source.cube, *destination = &descriptor->destination.cube;
    for (uint64_t z = 0; z < descriptor->surfaces; z++) {
        uint64_t from = source->base + z * source->surface_stride;
        uint64_t to = destination->base + z * destination->surface_stride;
        for (uint32_t y = 0; y < descriptor->lines; y++) {
            dma_read(read, from, line, descriptor->atoms);
            dma_write(write, to, line, descriptor->atoms);
            from += source->line_stride;
            to += destination->line_stride;
        }
    }
    dma_flush(write);
}

void bdma_run(const struct bdma *bdma, struct bdma_clients *clients) {
    const struct bdma_batch *batch = &bdma->loading;
    uint32_t atoms = 0;
    for (size_t i = 0; i < batch->count; i++)
        atoms = batch->descriptors[i].atoms > atoms ? batch->descriptors[i].atoms : atoms;
    autofree uint8_t *line = xmalloc(atoms * clients->read[batch->descriptors[0].source.primary].atom);
    for (size_t i = 0; i < batch->count; i++)
        copy(&batch->descriptors[i], clients, line);
    for (uint64_t i = 0; i < batch->lost; i++)
        copy(&batch->descriptors[batch->count - 1], clients, line);
}

bool bdma_done(struct bdma *bdma, unsigned *group) {
    *group = bdma->group;
    bool raised = bdma->busy[bdma->group];
    bdma->busy[bdma->group] = false;
    bdma->loading.count = 0;
    if (bdma->waiting) {
        bdma->waiting = false;
        take(bdma, bdma->waiting_group, bdma->waiting_ordinal);
    }
    return raised;
}
