/* Finds the layer output that contains an address. See writers.h. */
#include "report/writers.h"

#include <stdlib.h>

#include "layers/cubes.h"
#include "nvdla/xalloc.h"

enum { WALK_MAX = 1 << 16 }; /* maximum bytes covered by one answer of a walk */

struct writers {
    const struct layer_tracker *launches;
    struct launch_output *outputs; /* in order of arming, descriptors of one launch in their order */
    size_t count;
    size_t *by_first; /* indices into outputs, by space, then by first */
    /* The walk: its address, and the outputs around that, the last armed first. */
    enum memory_space space;
    uint64_t address;
    size_t next;      /* index into by_first of the first output that the walk has not reached */
    size_t *in_reach; /* indices into outputs */
    size_t in_reach_count;
    uint64_t first_end; /* smallest `last` of those in reach */
};

static void add(struct writers *writers, const struct launch *launch, int block, bool primary,
                const struct cube *cube) {
    struct launch_output output = {.launch = launch,
                                   .block = block,
                                   .space = primary ? SPACE_PRIMARY : SPACE_SECONDARY,
                                   .cube = *cube,
                                   .first = cube_atom_address(cube, 0, 0, 0)};
    const uint64_t extent = cube_extent(cube);
    if (extent == 0)
        return;
    output.last = extent - 1 > UINT64_MAX - output.first ? UINT64_MAX : output.first + (extent - 1);
    *xadd(writers->outputs, writers->count) = output;
}

static int order_of(const struct launch_output *a, const struct launch_output *b) {
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static int first_order(const void *left, const void *right, void *context) {
    const struct launch_output *outputs = context;
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    const int order = order_of(&outputs[a], &outputs[b]);
    return order ? order : (a > b) - (a < b);
}

static void restart(struct writers *writers, enum memory_space space) {
    writers->space = space;
    writers->address = 0;
    writers->in_reach_count = 0;
    writers->first_end = UINT64_MAX;
    writers->next = 0;
    while (writers->next < writers->count && writers->outputs[writers->by_first[writers->next]].space < space)
        writers->next++;
}

struct writers *writers_new(const struct layer_tracker *launches) {
    struct writers *writers = xcalloc(1, sizeof *writers);
    const struct nvdla_config *config = layer_tracker_config(launches);
    writers->launches = launches;
    for (size_t i = 0; i < layer_tracker_count(launches); i++) {
        const struct launch *launch = layer_tracker_launch(launches, i);
        struct cube cube;
        struct launch_block block;
        bool primary;
        if (launch_output_cube(config, launch, &cube, &primary))
            add(writers, launch, -1, primary, &cube);
        for (size_t b = 0; b < launch->block_count && launch_block(config, launch, b, &block); b++)
            add(writers, launch, (int)b, block.destination_primary, &block.destination);
    }
    writers->by_first = xmalloc(writers->count * sizeof *writers->by_first);
    writers->in_reach = xmalloc(writers->count * sizeof *writers->in_reach);
    for (size_t i = 0; i < writers->count; i++)
        writers->by_first[i] = i;
    if (writers->count > 0)
        qsort_r(writers->by_first, writers->count, sizeof *writers->by_first, first_order, writers->outputs);
    restart(writers, SPACE_PRIMARY);
    return writers;
}

void writers_free(struct writers *writers) {
    if (!writers)
        return;
    free(writers->outputs);
    free(writers->by_first);
    free(writers->in_reach);
    free(writers);
}

const struct launch_output *writers_outputs(const struct writers *writers, size_t *count) {
    *count = writers->count;
    return writers->outputs;
}

/* Index of the first output of a launch, or of the next launch that has any. */
static size_t first_output(const struct writers *writers, const struct launch *launch) {
    size_t low = 0, high = writers->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (writers->outputs[middle].launch->tag < launch->tag)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* True if the output has the byte; *run is limited to bytes with the same answer. */
static bool has_byte(const struct launch_output *output, enum memory_space space, uint64_t address, uint64_t *run) {
    uint64_t same;
    if (output->space != space)
        return false;
    const bool found = cube_run(&output->cube, address, &same);
    if (same < *run)
        *run = same;
    return found;
}

/* Limits *run to bytes written by the same launch, or by none, according to the memory. */
static void same_writer(const struct memory *mem, uint64_t address, uint64_t *run) {
    struct memory_origin origin = {.unit = -1}, other;
    uint64_t same, more;
    if (!memory_origin_run(mem, address, *run, &origin, &same))
        origin.unit = -1;
    for (; same < *run; same += more) {
        if (!memory_origin_run(mem, address + same, *run - same, &other, &more))
            other.unit = -1;
        if (other.unit != origin.unit || (origin.unit >= 0 && other.ordinal != origin.ordinal))
            break;
    }
    if (same < *run)
        *run = same;
}

/* The output of the launch (NULL: of none) that has the byte, or NULL. */
static const struct launch_output *find_of_launch(const struct writers *writers, const struct launch *launch,
                                                  enum memory_space space, uint64_t address, uint64_t *run) {
    size_t first = launch ? first_output(writers, launch) : writers->count, end = first;
    while (end < writers->count && writers->outputs[end].launch == launch)
        end++;
    while (end-- > first)
        if (has_byte(&writers->outputs[end], space, address, run))
            return &writers->outputs[end];
    return NULL;
}

const struct launch_output *writers_of_launch(const struct writers *writers, const struct launch *launch,
                                              enum memory_space space, uint64_t address) {
    uint64_t run = 1;
    return find_of_launch(writers, launch, space, address, &run);
}

/* The same for the launch that wrote the byte according to the memory. */
static const struct launch_output *find_by_origin(const struct writers *writers, enum memory_space space,
                                                  uint64_t address, const struct memory *mem, uint64_t *run) {
    struct memory_origin origin;
    if (!memory_origin_of(mem, address, &origin) || origin.unit < 0)
        return NULL;
    return find_of_launch(writers, layer_tracker_find(writers->launches, (enum nvdla_unit)origin.unit, origin.ordinal),
                          space, address, run);
}

/* The same over all memories; if they name different launches, that of the one armed last. */
static const struct launch_output *find_by_origins(const struct writers *writers, enum memory_space space,
                                                   uint64_t address, const struct memory *const *memories,
                                                   int memory_count, uint64_t *run) {
    const struct launch_output *found = NULL;
    for (int m = 0; m < memory_count; m++) {
        const struct launch_output *named = find_by_origin(writers, space, address, memories[m], run);
        if (named && (!found || named->launch->tag > found->launch->tag))
            found = named;
    }
    return found;
}

const struct launch_output *writers_find(const struct writers *writers, enum memory_space space, uint64_t address,
                                         const struct memory *const *memories, int memory_count) {
    uint64_t run = 1;
    const struct launch_output *found = find_by_origins(writers, space, address, memories, memory_count, &run);
    for (size_t i = writers->count; i-- > 0 && !found;)
        if (has_byte(&writers->outputs[i], space, address, &run))
            found = &writers->outputs[i];
    return found;
}

/* Puts an output into its place among those in reach. */
static void reach(struct writers *writers, size_t index) {
    size_t at = writers->in_reach_count++;
    for (; at > 0 && writers->in_reach[at - 1] < index; at--)
        writers->in_reach[at] = writers->in_reach[at - 1];
    writers->in_reach[at] = index;
}

/* Advances the walk to the address: drops outputs that end before it, adds those that begin at or before it. */
static void move_to(struct writers *writers, enum memory_space space, uint64_t address) {
    if (writers->space != space || address < writers->address)
        restart(writers, space);
    writers->address = address;
    bool changed = writers->first_end < address;
    while (writers->next < writers->count) {
        const size_t index = writers->by_first[writers->next];
        const struct launch_output *output = &writers->outputs[index];
        if (output->space != space || output->first > address)
            break;
        writers->next++;
        if (output->last >= address)
            reach(writers, index);
        changed = true;
    }
    if (!changed)
        return;
    size_t kept = 0;
    writers->first_end = UINT64_MAX;
    for (size_t i = 0; i < writers->in_reach_count; i++) {
        const struct launch_output *output = &writers->outputs[writers->in_reach[i]];
        if (output->last < address)
            continue;
        if (output->last < writers->first_end)
            writers->first_end = output->last;
        writers->in_reach[kept++] = writers->in_reach[i];
    }
    writers->in_reach_count = kept;
}

const struct launch_output *writers_walk(struct writers *writers, enum memory_space space, uint64_t address,
                                         const struct memory *const *memories, int memory_count, uint64_t *run) {
    move_to(writers, space, address);
    *run = UINT64_MAX - address < WALK_MAX ? UINT64_MAX - address + 1 : WALK_MAX;
    if (writers->next < writers->count) {
        const struct launch_output *coming = &writers->outputs[writers->by_first[writers->next]];
        if (coming->space == space && coming->first - address < *run)
            *run = coming->first - address;
    }
    const struct launch_output *found = find_by_origins(writers, space, address, memories, memory_count, run);
    for (size_t i = 0; i < writers->in_reach_count && !found; i++)
        if (has_byte(&writers->outputs[writers->in_reach[i]], space, address, run))
            found = &writers->outputs[writers->in_reach[i]];
    for (int m = 0; m < memory_count; m++)
        same_writer(memories[m], address, run);
    return found;
}
