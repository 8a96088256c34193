/* Derives memory contents: which bytes are known, and what wrote them. See lift_memory.h. */
#include "import/lift_memory.h"

#include <stdlib.h>
#include <string.h>

#include "import/access.h"
#include "import/lift_known.h"
#include "nvdla/xalloc.h"

enum { WINDOW = 512 /* launches searched for an output */ };

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
            if (!memory->finished)
                blob_free(memory->slots[i].blobs[space]);
    }
    for (size_t i = 0; i < memory->image_count; i++)
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

int lift_memory_writer(const struct lift_memory *memory, enum memory_space space, uint64_t address, uint64_t *run,
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
        const int writer = lift_memory_writer(memory, space, address, &run, &is_known);
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
        const int last = lift_memory_writer(memory, space, address, &run, &is_known);
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
