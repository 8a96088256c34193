/* The contents of memory at the end of a capture: reservations, loads and checks of the trace. See lift_memory.h. */
#include <inttypes.h>

#include "import/lift_known.h"
#include "import/lift_memory.h"
#include "nvdla/xalloc.h"

static void check_at_end(struct lift_memory *memory, enum memory_space space, uint64_t base, const struct blob *blob) {
    struct op *op = xadd(memory->rest, memory->rest_count);
    *op = op_make(OP_MEM_CHECK, 0);
    op->space = space;
    op->base = base;
    op->blob = blob;
    op->at_end = true;
}

static void append(struct program *head, enum op_kind kind, enum memory_space space, uint64_t base, uint64_t size,
                   const struct blob *blob) {
    struct op op = op_make(kind, 0);
    op.space = space;
    op.base = base;
    op.size = size;
    op.blob = blob;
    op.pattern = PATTERN_RANDOM;
    program_append(head, &op);
}

struct ordered {
    struct blob *blob;
    uint64_t base; /* start of its content */
};

static void append_ordered(void *context, uint64_t offset, const uint8_t *bytes, size_t n, bool first) {
    struct ordered *ordered = context;
    if (first && ordered->blob->chunk_count == 0)
        ordered->base = offset;
    blob_append(ordered->blob, offset - ordered->base, bytes, n);
}

/* Chunks in ascending order, none touching the next, from the lowest address on, which is returned. */
static uint64_t put_in_order(struct blob **blob) {
    struct ordered ordered = {.blob = blob_new(NULL)};
    blob_ranges(*blob, append_ordered, &ordered);
    blob_free(*blob);
    *blob = ordered.blob;
    return ordered.base;
}

/* Removes bytes from a check that were overwritten later, by another launch or by something else. */
static void keep_last(const struct lift_memory *memory, enum memory_space space, struct blob **blob, int output) {
    struct blob *kept = blob_new(NULL);
    for (size_t i = 0; i < (*blob)->chunk_count; i++) {
        const struct blob_chunk *chunk = &(*blob)->chunks[i];
        for (uint64_t at = 0, run; at < chunk->size; at += run) {
            bool is_known;
            run = chunk->size - at;
            if (lift_memory_writer(memory, space, chunk->offset + at, &run, &is_known) == output)
                blob_append(kept, chunk->offset + at, (*blob)->bytes + chunk->start + at, (size_t)run);
        }
    }
    blob_free(*blob);
    *blob = kept;
    if (kept->size == 0) {
        blob_free(kept);
        *blob = NULL;
    }
}

/* Moves the blob of a place to the program. */
static void hand_over(const struct lift_memory *memory, struct slot *slot, enum memory_space space,
                      struct program *head, struct lift_summary *summary) {
    if (slot->blobs[space] && slot->kind == OP_MEM_CHECK && !slot->placed)
        keep_last(memory, space, &slot->blobs[space], slot->output);
    if (!slot->blobs[space])
        return;
    slot->base[space] = put_in_order(&slot->blobs[space]);
    *(slot->kind == OP_MEM_CHECK ? &summary->golden_bytes : &summary->loaded_bytes) += slot->blobs[space]->size;
    program_blob(head, slot->blobs[space]);
}

static void append_regions(struct program *head, enum op_kind kind, enum memory_space space,
                           const struct memory *regions) {
    for (size_t i = 0; i < memory_region_count(regions); i++) {
        uint64_t start, size;
        memory_region(regions, i, &start, &size);
        append(head, kind, space, start, size, NULL);
    }
}

/* Fills inputs without any known byte; if some bytes are known, the capture is assumed to have all that matter. */
static void append_fills(struct lift_memory *memory, struct program *head, struct lift_summary *summary) {
    for (int space = 0; space < SPACE_COUNT; space++) {
        struct memory *fills = memory_new();
        for (size_t i = 0; i < memory->unknown_count; i++) {
            const struct input_range *range = &memory->unknown[i];
            if ((int)range->space == space && !memory_any_declared(memory->known[space], range->start, range->size))
                memory_declare(fills, range->start, range->size);
        }
        append_regions(head, OP_MEM_FILL, (enum memory_space)space, fills);
        for (size_t i = 0; i < memory_region_count(fills); i++) {
            uint64_t start, size;
            memory_region(fills, i, &start, &size);
            summary->seeded_bytes += size;
            words_add(&summary->guessed,
                      "0x%" PRIx64 " bytes of %s memory at 0x%08" PRIx64
                      ": their content is unknown, they are filled at random (--seed of the run)",
                      size, memory_space_name((enum memory_space)space), start);
        }
        memory_free(fills);
    }
}

/* Loads the initial content: nearby regions as one load with gaps. */
static void append_initial(struct lift_memory *memory, enum memory_space space, struct program *head,
                           struct lift_summary *summary) {
    const struct memory *initial = memory->initial[space];
    const size_t count = memory_region_count(initial);
    struct blob *blob = NULL;
    uint64_t base = 0, end = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t start, size;
        uint8_t page[MEMORY_PAGE];
        memory_region(initial, i, &start, &size);
        if (blob && start - end >= sizeof page) {
            append(head, OP_MEM_LOAD, space, base, end - base, program_blob(head, blob));
            blob = NULL;
        }
        if (!blob) {
            blob = blob_new(NULL);
            base = start;
        }
        end = start + size;
        for (uint64_t at = 0; at < size; at += sizeof page) {
            const size_t n = size - at < sizeof page ? (size_t)(size - at) : sizeof page;
            memory_read(initial, start + at, page, n);
            blob_append(blob, start + at - base, page, n);
        }
        summary->loaded_bytes += size;
    }
    if (blob)
        append(head, OP_MEM_LOAD, space, base, end - base, program_blob(head, blob));
}

void lift_memory_finish(struct lift_memory *memory, struct program *head, struct lift_summary *summary) {
    memory->finished = true;
    for (int space = 0; space < SPACE_COUNT; space++) {
        struct memory *reserved = memory->inputs[space];
        for (size_t i = 0; i < memory_region_count(memory->written[space]); i++) {
            uint64_t start, size;
            memory_region(memory->written[space], i, &start, &size);
            memory_declare(reserved, start, size);
        }
        append_regions(head, OP_MEM_RESERVE, (enum memory_space)space, reserved);
    }
    append_fills(memory, head, summary);
    for (size_t i = 0; i < memory->image_count; i++) {
        struct image *image = &memory->images[i];
        if (image->golden)
            continue;
        append(head, OP_MEM_LOAD, image->space, image->base, image->blob->size, program_blob(head, image->blob));
        summary->loaded_bytes += image->blob->size;
        image->blob = NULL;
    }
    for (int space = 0; space < SPACE_COUNT; space++) {
        append_initial(memory, (enum memory_space)space, head, summary);
        for (size_t i = 0; i < memory->slot_count; i++)
            hand_over(memory, &memory->slots[i], (enum memory_space)space, head, summary);
    }
    if (memory->changed > 0)
        words_add(&summary->guessed,
                  "%" PRIu64 " bytes, the first at 0x%08" PRIx64
                  ", differ from what was written or read there before: something other than NVDLA changed them; they "
                  "are loaded before the launch that reads them",
                  memory->changed, memory->changed_at);
    for (size_t i = 0; i < memory->slot_count; i++) {
        const struct slot *slot = &memory->slots[i];
        if (slot->kind != OP_MEM_CHECK || slot->placed)
            continue;
        for (int space = 0; space < SPACE_COUNT; space++)
            if (slot->blobs[space])
                check_at_end(memory, (enum memory_space)space, slot->base[space], slot->blobs[space]);
    }
    if (memory->rest_count > 0)
        words_add(&summary->guessed,
                  "%zu memory checks are at the end of the trace: the capture shows no interrupt of their launches, or "
                  "no launch writes there",
                  memory->rest_count);
    for (size_t i = 0; i < memory->image_count; i++) {
        struct image *image = &memory->images[i];
        if (!image->golden)
            continue;
        check_at_end(memory, image->space, image->base, program_blob(head, image->blob));
        summary->golden_bytes += image->blob->size;
        image->blob = NULL;
    }
}

size_t lift_memory_slot(const struct lift_memory *memory, int slot, struct op ops[2]) {
    size_t count = 0;
    const struct slot *at = &memory->slots[slot];
    for (int space = 0; space < SPACE_COUNT; space++)
        if (at->blobs[space]) {
            ops[count] = op_make(at->kind, 0);
            ops[count].space = (enum memory_space)space;
            ops[count].base = at->base[space];
            ops[count++].blob = at->blobs[space];
        }
    return count;
}

size_t lift_memory_rest(const struct lift_memory *memory, struct op **ops) {
    *ops = memory->rest;
    return memory->rest_count;
}
