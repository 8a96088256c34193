/* The queue of descriptors and their copies. See bdma.h. */
#include "model/bdma.h"

#include <stdlib.h>

#include "nvdla_offsets.h"

void bdma_reset(struct bdma *bdma) {
    *bdma = (struct bdma){.launches = 0};
}

struct bdma_descriptor bdma_descriptor(const struct nvdla_config *config, const struct register_group *regs) {
    uint32_t command = register_group_value(regs, BDMA_CFG_CMD);
    return (struct bdma_descriptor){
        .source = dma_address(config, regs, BDMA_CFG_SRC_ADDR_LOW, BDMA_CFG_SRC_ADDR_HIGH),
        .destination = dma_address(config, regs, BDMA_CFG_DST_ADDR_LOW, BDMA_CFG_DST_ADDR_HIGH),
        .source_line = register_group_value(regs, BDMA_CFG_SRC_LINE),
        .source_surface = register_group_value(regs, BDMA_CFG_SRC_SURF),
        .destination_line = register_group_value(regs, BDMA_CFG_DST_LINE),
        .destination_surface = register_group_value(regs, BDMA_CFG_DST_SURF),
        .source_primary = REGISTER_FIELD(command, BDMA_CFG_CMD__SRC_RAM_TYPE),
        .destination_primary = REGISTER_FIELD(command, BDMA_CFG_CMD__DST_RAM_TYPE),
        .atoms = register_group_value(regs, BDMA_CFG_LINE) + 1,
        .lines = register_group_value(regs, BDMA_CFG_LINE_REPEAT) + 1,
        .surfaces = register_group_value(regs, BDMA_CFG_SURF_REPEAT) + 1,
    };
}

struct extent bdma_source(const struct bdma_descriptor *descriptor, size_t atom) {
    return (struct extent){.primary = descriptor->source_primary,
                           .base = descriptor->source,
                           .line_bytes = descriptor->atoms * atom,
                           .lines = descriptor->lines,
                           .line_stride = descriptor->source_line,
                           .surfaces = descriptor->surfaces,
                           .surface_stride = descriptor->source_surface};
}

struct extent bdma_destination(const struct bdma_descriptor *descriptor, size_t atom) {
    struct extent destination = bdma_source(descriptor, atom);
    destination.primary = descriptor->destination_primary;
    destination.base = descriptor->destination;
    destination.line_stride = descriptor->destination_line;
    destination.surface_stride = descriptor->destination_surface;
    return destination;
}

/* CFG_OP: the contents of a push into the full queue are lost, but it counts. Spec: 64-bdma section 4. */
static void push(struct bdma_batch *queue, struct bdma_descriptor descriptor) {
    if (queue->count < BDMA_DESCRIPTORS) {
        queue->descriptors[queue->count++] = descriptor;
    } else {
        queue->lost++;
    }
}

/* The load engine, which has nothing, takes what has been pushed. A launch of nothing is forgotten, only its GRPn_BUSY
 * stays. */
static void take(struct bdma *bdma, unsigned group, int ordinal) {
    bdma->loading = bdma->queue;
    bdma->queue.count = 0;
    bdma->queue.lost = 0;
    bdma->group = group;
    bdma->ordinal = ordinal;
}

/* CFG_LAUNCHn. A launch that still waits is overtaken: its descriptors go under the new number. Spec: 64-bdma section
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
    if ((value & 1) == 0) {
        return;
    }
    switch (offset) {
    case BDMA_CFG_OP:
        push(&bdma->queue, bdma_descriptor(config, regs));
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
    /* The first descriptor stands in the output register. */
    size_t queued = bdma->queue.count > 0 ? bdma->queue.count - 1 : 0;
    uint32_t free_slots = BDMA_DESCRIPTORS - 1 - (uint32_t)queued;
    uint32_t idle = bdma->queue.count == 0 && bdma->loading.count == 0;
    return free_slots << BDMA_STATUS__FREE_SLOT_LSB | idle << BDMA_STATUS__IDLE_LSB |
           (uint32_t)bdma->busy[0] << BDMA_STATUS__GRP0_BUSY_LSB |
           (uint32_t)bdma->busy[1] << BDMA_STATUS__GRP1_BUSY_LSB;
}

bool bdma_can_run(const struct bdma *bdma, const struct bdma_served *served) {
    for (size_t i = 0; i < bdma->loading.count; i++) {
        const struct bdma_descriptor *descriptor = &bdma->loading.descriptors[i];
        if (descriptor->lines > BDMA_REPEATS || descriptor->surfaces > BDMA_REPEATS ||
            !served->read[descriptor->source_primary] || !served->write[descriptor->destination_primary]) {
            return false;
        }
    }
    return bdma->loading.count > 0;
}

/* Read and written. */
static uint64_t atoms_of(const struct bdma_descriptor *descriptor) {
    return 2 * (uint64_t)descriptor->atoms * descriptor->lines * descriptor->surfaces;
}

uint64_t bdma_atoms(const struct bdma *bdma) {
    const struct bdma_batch *batch = &bdma->loading;
    uint64_t atoms = 0, again = 0;
    for (size_t i = 0; i < batch->count; i++) {
        atoms += atoms_of(&batch->descriptors[i]);
    }
    if (batch->lost > 0 &&
        (__builtin_mul_overflow(atoms_of(&batch->descriptors[batch->count - 1]), batch->lost, &again) ||
         __builtin_add_overflow(atoms, again, &atoms))) {
        return UINT64_MAX;
    }
    return atoms;
}

/* One request each way per line. Spec: 64-bdma section 3. */
static void copy(const struct bdma_descriptor *descriptor, struct bdma_clients *clients, uint8_t *line) {
    struct dma *read = &clients->read[descriptor->source_primary];
    struct dma *write = &clients->write[descriptor->destination_primary];
    for (uint64_t z = 0; z < descriptor->surfaces; z++) {
        uint64_t from = descriptor->source + z * descriptor->source_surface;
        uint64_t to = descriptor->destination + z * descriptor->destination_surface;
        for (uint32_t y = 0; y < descriptor->lines; y++) {
            dma_read(read, from, line, descriptor->atoms);
            dma_write(write, to, line, descriptor->atoms);
            from += descriptor->source_line;
            to += descriptor->destination_line;
        }
    }
    dma_flush(write);
}

bool bdma_run(const struct bdma *bdma, struct bdma_clients *clients) {
    const struct bdma_batch *batch = &bdma->loading;
    uint32_t atoms = 0;
    for (size_t i = 0; i < batch->count; i++) {
        atoms = batch->descriptors[i].atoms > atoms ? batch->descriptors[i].atoms : atoms;
    }
    uint8_t *line = malloc(atoms * clients->read[batch->descriptors[0].source_primary].atom);
    if (!line) {
        return false;
    }
    for (size_t i = 0; i < batch->count; i++) {
        copy(&batch->descriptors[i], clients, line);
    }
    for (uint64_t i = 0; i < batch->lost; i++) {
        copy(&batch->descriptors[batch->count - 1], clients, line);
    }
    free(line);
    return true;
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
