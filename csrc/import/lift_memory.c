/* Derives memory contents: which bytes are known, and what wrote them. See lift_memory.h. */
#include "import/lift_memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/access.h"
#include "layers/cubes.h"
#include "layers/extents.h"
#include "memory/memory.h"
#include "nvdla/xalloc.h"

enum {
    WINDOW = 512,   /* launches searched for an output */
    BACK_DOOR = -1, /* unit of an origin: initial content, or loaded by something other than the design */
    BY_DESIGN = 0,  /* result of a launch; the ordinal is the index of the output */
    NO_OUTPUT = -1,
};

/* Content for a place in the program; blob offsets are absolute addresses until the end. */
struct slot {
    enum op_kind kind;
    bool placed; /* it has a place in the program */
    int output;  /* output that it checks, or NO_OUTPUT */
    struct blob *blobs[SPACE_COUNT];
    uint64_t base[SPACE_COUNT];
};

struct output_cube {
    struct cube cube;
    enum memory_space space;
    uint64_t start, end; /* bounding range */
};

/* The output of a launch. */
struct output {
    enum nvdla_unit unit;
    int group, slot;
    bool completed;
    struct output_cube *cubes;
    size_t count;
};

/* A launch that reads memory. */
struct reader {
    enum nvdla_unit unit;
    enum nvdla_unit ends; /* unit whose interrupt signals its end */
    int group, slot;      /* place before its arming */
    size_t sequence;      /* number in the order of all armings */
    bool done;
    struct memory_extent *extents;
    size_t count;
};

/* A launch that signals its end by an interrupt. */
struct run {
    enum nvdla_unit unit;
    int group;
    size_t sequence;
    bool done;
};

struct input_range {
    enum memory_space space;
    uint64_t start, size;
};

struct image {
    enum memory_space space;
    struct blob *blob;
    uint64_t base;
    bool golden;
};

struct lift_memory {
    const struct nvdla_config *config;
    struct memory *seen[SPACE_COUNT];    /* known bytes and their origins */
    struct memory *known[SPACE_COUNT];   /* the same as regions */
    struct memory *initial[SPACE_COUNT]; /* initial content, and its regions */
    struct memory *written[SPACE_COUNT]; /* regions: outputs of launches so far */
    struct memory *inputs[SPACE_COUNT];  /* regions: all reads */
    struct slot *slots;
    size_t slot_count;
    struct output *outputs;
    size_t output_count;
    struct reader *readers;
    size_t reader_count;
    struct run *runs;
    size_t run_count;
    size_t armings;
    int last_load;             /* place before the latest arming, -1: no arming yet */
    struct input_range *asked; /* inputs named by launches, sorted */
    size_t asked_count;
    struct input_range *unknown; /* parts of them not written by an earlier launch */
    size_t unknown_count;
    struct image *images;
    size_t image_count;
    int stray;        /* place of bytes that no launch writes, -1: none */
    uint64_t changed; /* bytes changed by something other than the design */
    uint64_t changed_at;
    bool finished; /* blobs are the program's */
    struct op *rest;
    size_t rest_count;
};

struct lift_memory *lift_memory_new(const struct nvdla_config *config) {
    struct lift_memory *memory = xcalloc(1, sizeof *memory);
    memory->config = config;
    memory->last_load = memory->stray = -1;
    for (int space = 0; space < SPACE_COUNT; space++) {
        memory->seen[space] = memory_new();
        memory->known[space] = memory_new();
        memory->initial[space] = memory_new();
        memory->written[space] = memory_new();
        memory->inputs[space] = memory_new();
    }
    return memory;
}

/* lift_memory_finish() moves the blobs to the program. */
void lift_memory_free(struct lift_memory *memory) {
    if (!memory)
        return;
    for (int space = 0; space < SPACE_COUNT; space++) {
        memory_free(memory->seen[space]);
        memory_free(memory->known[space]);
        memory_free(memory->initial[space]);
        memory_free(memory->written[space]);
        memory_free(memory->inputs[space]);
        for (size_t i = 0; i < memory->slot_count; i++)
            if (memory->slots[i].blobs[space] && !memory->finished)
                blob_free(memory->slots[i].blobs[space]);
    }
    for (size_t i = 0; i < memory->image_count; i++)
        if (memory->images[i].blob)
            blob_free(memory->images[i].blob);
    for (size_t i = 0; i < memory->output_count; i++)
        free(memory->outputs[i].cubes);
    for (size_t i = 0; i < memory->reader_count; i++)
        free(memory->readers[i].extents);
    free(memory->readers);
    free(memory->runs);
    free(memory->images);
    free(memory->slots);
    free(memory->outputs);
    free(memory->asked);
    free(memory->unknown);
    free(memory->rest);
    free(memory);
}

/* ---- places ---- */

static int add_slot(struct lift_memory *memory, enum op_kind kind) {
    *xadd(memory->slots, memory->slot_count) = (struct slot){.kind = kind, .output = NO_OUTPUT};
    return (int)memory->slot_count - 1;
}

static void add_bytes(struct lift_memory *memory, int slot, enum memory_space space, uint64_t address,
                      const uint8_t *bytes, size_t n) {
    struct blob **blob = &memory->slots[slot].blobs[space];
    if (!*blob)
        *blob = blob_new(NULL);
    blob_append(*blob, address, bytes, n);
}

/* ---- what launches read and write ---- */

static enum memory_space space_of(bool primary) {
    return primary ? SPACE_PRIMARY : SPACE_SECONDARY;
}

/* A configuration without secondary memory has no port that would answer. */
static bool answered(const struct lift_memory *memory, bool primary) {
    return primary || memory->config->secondary_memory;
}

static void add_cube(struct lift_memory *memory, struct output *output, const struct cube *cube, bool primary) {
    if (!answered(memory, primary))
        return;
    const uint64_t start = cube_atom_address(cube, 0, 0, 0), size = cube_extent(cube);
    *xadd(output->cubes, output->count) =
        (struct output_cube){.cube = *cube, .space = space_of(primary), .start = start, .end = start + size};
    memory_declare(memory->written[space_of(primary)], start, size);
}

static struct output output_of(struct lift_memory *memory, const struct launch *launch) {
    struct output output = {.unit = launch->unit, .group = launch->group};
    struct cube cube;
    struct launch_block block;
    bool primary;
    if (launch_output_cube(memory->config, launch, &cube, &primary))
        add_cube(memory, &output, &cube, primary);
    for (size_t i = 0; launch_block(memory->config, launch, i, &block); i++)
        add_cube(memory, &output, &block.destination, block.destination_primary);
    return output;
}

static int compare_ranges(const struct input_range *a, const struct input_range *b) {
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->size < b->size ? -1 : a->size > b->size;
}

/* Adds a range to the inputs; false if it already exists. */
static bool ask(struct lift_memory *memory, const struct input_range *range) {
    size_t low = 0, high = memory->asked_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = compare_ranges(range, &memory->asked[middle]);
        if (order == 0)
            return false;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    memory->asked = xgrow(memory->asked, memory->asked_count, sizeof *memory->asked);
    memmove(&memory->asked[low + 1], &memory->asked[low], (memory->asked_count - low) * sizeof *memory->asked);
    memory->asked[low] = *range;
    memory->asked_count++;
    return true;
}

static void add_unknown(struct lift_memory *memory, enum memory_space space, uint64_t start, uint64_t end) {
    if (start >= end)
        return;
    *xadd(memory->unknown, memory->unknown_count) = (struct input_range){space, start, end - start};
}

/* A launch reads this range: bytes that no earlier launch has written are initial content. */
static void note_input(struct lift_memory *memory, const struct memory_extent *extent) {
    if (!answered(memory, extent->primary))
        return;
    const struct input_range range = {space_of(extent->primary), extent->start, extent->size};
    if (!ask(memory, &range))
        return;
    memory_declare(memory->inputs[range.space], range.start, range.size);
    const struct memory *written = memory->written[range.space];
    uint64_t at = range.start;
    const uint64_t end = range.start + range.size;
    for (size_t i = 0; i < memory_region_count(written) && at < end; i++) {
        uint64_t start, size;
        memory_region(written, i, &start, &size);
        if (start + size <= at || start >= end)
            continue;
        add_unknown(memory, range.space, at, start);
        at = start + size;
    }
    add_unknown(memory, range.space, at, end);
}

static size_t window_start(size_t count) {
    return count > WINDOW ? count - WINDOW : 0;
}

static void add_reader(struct lift_memory *memory, const struct launch *launch, const struct memory_extent *extents,
                       size_t count) {
    const enum nvdla_unit unit = launch->unit;
    for (size_t i = window_start(memory->reader_count); i < memory->reader_count; i++)
        if (memory->readers[i].unit == unit && memory->readers[i].group == launch->group)
            memory->readers[i].done = true;
    struct reader *reader = xadd(memory->readers, memory->reader_count);
    *reader = (struct reader){.unit = unit,
                              .ends = unit == NVDLA_CDMA       ? NVDLA_CACC
                                      : unit == NVDLA_SDP_RDMA ? NVDLA_SDP
                                      : unit == NVDLA_PDP_RDMA ? NVDLA_PDP
                                      : unit == NVDLA_CDP_RDMA ? NVDLA_CDP
                                                               : unit,
                              .group = launch->group,
                              .slot = memory->last_load,
                              .sequence = memory->armings,
                              .count = count};
    reader->extents = xmalloc(count * sizeof *extents);
    memcpy(reader->extents, extents, count * sizeof *extents);
}

/* The readers that end with a launch: for a convolution that of its group, else those armed before it, because the
 * groups of an RDMA alternate independently. */
static void end_readers(struct lift_memory *memory, const struct run *run) {
    for (size_t i = window_start(memory->reader_count); i < memory->reader_count; i++) {
        struct reader *reader = &memory->readers[i];
        if (reader->done || reader->ends != run->unit)
            continue;
        if (reader->unit == NVDLA_CDMA ? reader->group == run->group : reader->sequence <= run->sequence)
            reader->done = true;
    }
}

static void end_run(struct lift_memory *memory, enum nvdla_unit unit, int group) {
    for (size_t i = window_start(memory->run_count); i < memory->run_count; i++) {
        struct run *run = &memory->runs[i];
        if (!run->done && run->unit == unit && run->group == group) {
            run->done = true;
            end_readers(memory, run);
            return;
        }
    }
}

/* The place to load content that a launch reads: before the arming of the first launch that may read it now. */
static int place_to_load(struct lift_memory *memory, enum memory_space space, uint64_t address) {
    for (size_t i = window_start(memory->reader_count); i < memory->reader_count; i++) {
        const struct reader *reader = &memory->readers[i];
        for (size_t e = 0; !reader->done && e < reader->count; e++)
            if (space_of(reader->extents[e].primary) == space && address >= reader->extents[e].start &&
                address - reader->extents[e].start < reader->extents[e].size)
                return reader->slot;
    }
    if (memory->last_load < 0)
        memory->last_load = add_slot(memory, OP_MEM_LOAD);
    return memory->last_load;
}

void lift_memory_armed(struct lift_memory *memory, const struct launch *launch, int *load, int *check) {
    struct memory_extent extents[LAUNCH_EXTENTS];
    const size_t reads = launch_reads(memory->config, launch, extents);
    for (size_t i = 0; i < reads; i++)
        note_input(memory, &extents[i]);
    *load = memory->last_load = add_slot(memory, OP_MEM_LOAD);
    *check = -1;
    memory->armings++;
    if (reads > 0)
        add_reader(memory, launch, extents, reads);
    *xadd(memory->runs, memory->run_count) =
        (struct run){.unit = launch->unit, .group = launch->group, .sequence = memory->armings};
    struct output output = output_of(memory, launch);
    if (output.count == 0)
        return;
    *check = output.slot = add_slot(memory, OP_MEM_CHECK);
    memory->slots[output.slot].output = (int)memory->output_count;
    *xadd(memory->outputs, memory->output_count) = output;
}

int lift_memory_completed(struct lift_memory *memory, enum nvdla_unit unit, int group) {
    end_run(memory, unit, group);
    for (size_t i = window_start(memory->output_count); i < memory->output_count; i++) {
        struct output *output = &memory->outputs[i];
        if (output->unit == unit && output->group == group && !output->completed) {
            output->completed = true;
            memory->slots[output->slot].placed = true;
            return output->slot;
        }
    }
    return -1;
}

/* True if the output has the byte; *run is cut to the bytes for which the answer holds. */
static bool contains(const struct output *output, enum memory_space space, uint64_t address, uint64_t *run) {
    for (size_t i = 0; i < output->count; i++) {
        const struct output_cube *cube = &output->cubes[i];
        if (cube->space != space)
            continue;
        if (address < cube->start || address >= cube->end) {
            if (address < cube->start && cube->start - address < *run)
                *run = cube->start - address;
            continue;
        }
        uint64_t length;
        const bool inside = cube_run(&cube->cube, address, &length);
        if (length < *run)
            *run = length;
        if (inside)
            return true;
    }
    return false;
}

/* The launch whose result a byte is: the last one done that writes it. */
static int find_source(const struct lift_memory *memory, enum memory_space space, uint64_t address, uint64_t *run) {
    if (!memory_any_declared(memory->written[space], address, (size_t)*run))
        return NO_OUTPUT;
    for (size_t i = memory->output_count; i-- > window_start(memory->output_count);)
        if (memory->outputs[i].completed && contains(&memory->outputs[i], space, address, run))
            return (int)i;
    return NO_OUTPUT;
}

/* The launch that writes a byte now: the first one not done that has not written it; else the one that has, which
 * writes again; else the last one done. */
static int find_writer(const struct lift_memory *memory, enum memory_space space, uint64_t address, int last,
                       uint64_t *run) {
    if (!memory_any_declared(memory->written[space], address, (size_t)*run))
        return NO_OUTPUT;
    for (size_t i = window_start(memory->output_count); i < memory->output_count; i++)
        if (!memory->outputs[i].completed && (int)i != last && contains(&memory->outputs[i], space, address, run))
            return (int)i;
    return last != NO_OUTPUT ? last : find_source(memory, space, address, run);
}

/* ---- accesses ---- */

static void set_seen(struct lift_memory *memory, enum memory_space space, uint64_t address, const uint8_t *bytes,
                     size_t n, int output) {
    const struct memory_origin origin = {
        .unit = output == NO_OUTPUT ? BACK_DOOR : BY_DESIGN, .axi_id = -1, .ordinal = output};
    memory_write(memory->seen[space], address, bytes, n, NULL, &origin);
    memory_declare(memory->known[space], address, n);
}

/* The output that a byte is known to be part of, or NO_OUTPUT; *is_known: its value is known. Limits *run. */
static int known_writer(const struct lift_memory *memory, enum memory_space space, uint64_t address, uint64_t *run,
                        bool *is_known) {
    struct memory_origin origin;
    uint64_t length;
    *is_known = memory_origin_run(memory->seen[space], address, *run, &origin, &length);
    if (length < *run)
        *run = length;
    return *is_known && origin.unit == BY_DESIGN ? origin.ordinal : NO_OUTPUT;
}

/* Bytes that changed without a known write: something other than the design wrote them. */
static void take_change(struct lift_memory *memory, enum memory_space space, uint64_t address, const uint8_t *bytes,
                        size_t n) {
    uint8_t before[ACCESS_BYTES];
    memory_read(memory->seen[space], address, before, n);
    if (memcmp(before, bytes, n) == 0)
        return;
    if (memory->changed == 0)
        memory->changed_at = address;
    memory->changed += n;
    add_bytes(memory, place_to_load(memory, space, address), space, address, bytes, n);
    set_seen(memory, space, address, bytes, n, NO_OUTPUT);
}

void lift_memory_read(struct lift_memory *memory, enum memory_space space, uint64_t address, const uint8_t *bytes,
                      size_t n) {
    while (n > 0) {
        uint64_t run = n;
        bool is_known;
        const int writer = known_writer(memory, space, address, &run, &is_known);
        const int source = find_source(memory, space, address, &run);
        const size_t length = (size_t)run;
        if (source != NO_OUTPUT && source > writer) {
            add_bytes(memory, memory->outputs[source].slot, space, address, bytes, length);
            set_seen(memory, space, address, bytes, length, source);
        } else if (is_known) {
            take_change(memory, space, address, bytes, length);
        } else {
            memory_write(memory->initial[space], address, bytes, length, NULL, NULL);
            memory_declare(memory->initial[space], address, length);
            set_seen(memory, space, address, bytes, length, NO_OUTPUT);
        }
        address += length;
        bytes += length;
        n -= length;
    }
}

static void write_run(struct lift_memory *memory, enum memory_space space, uint64_t address, const uint8_t *bytes,
                      size_t n) {
    while (n > 0) {
        uint64_t run = n;
        bool is_known;
        const int last = known_writer(memory, space, address, &run, &is_known);
        const int writer = find_writer(memory, space, address, last, &run);
        const size_t length = (size_t)run;
        if (writer == NO_OUTPUT && memory->stray < 0)
            memory->stray = add_slot(memory, OP_MEM_CHECK);
        add_bytes(memory, writer == NO_OUTPUT ? memory->stray : memory->outputs[writer].slot, space, address, bytes,
                  length);
        set_seen(memory, space, address, bytes, length, writer);
        address += length;
        bytes += length;
        n -= length;
    }
}

void lift_memory_write(struct lift_memory *memory, enum memory_space space, uint64_t address, const uint8_t *bytes,
                       const uint8_t *enabled, size_t n) {
    for (size_t at = 0; at < n;) {
        size_t end = at;
        while (end < n && (!enabled || enabled[end]))
            end++;
        write_run(memory, space, address + at, bytes + at, end - at);
        at = end + 1;
    }
}

int lift_memory_put(struct lift_memory *memory, enum op_kind kind, enum memory_space space, uint64_t address,
                    const uint8_t *bytes, size_t n) {
    const int slot = add_slot(memory, kind);
    memory->slots[slot].placed = true;
    add_bytes(memory, slot, space, address, bytes, n);
    if (kind == OP_MEM_LOAD)
        set_seen(memory, space, address, bytes, n, NO_OUTPUT);
    return slot;
}

void lift_memory_image(struct lift_memory *memory, enum memory_space space, uint64_t address, const uint8_t *bytes,
                       size_t n, bool golden) {
    struct image *image = xadd(memory->images, memory->image_count);
    *image = (struct image){.space = space, .blob = blob_new(NULL), .base = address, .golden = golden};
    blob_append(image->blob, 0, bytes, n);
    if (!golden)
        set_seen(memory, space, address, bytes, n, NO_OUTPUT);
}

/* ---- the end ---- */

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
            if (known_writer(memory, space, chunk->offset + at, &run, &is_known) == output)
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
