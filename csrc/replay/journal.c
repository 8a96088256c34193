/* Spans of bytes, in the order of their addresses, for each launch that is done; see journal.h. */
#include "replay/journal.h"

#include <stdlib.h>
#include <string.h>

#include "layers/cubes.h"
#include "nvdla/xalloc.h"

/* Bytes of a launch that follow one another in memory. */
struct span {
    uint64_t first, last; /* addresses */
    size_t at;            /* index of the first in entry.bytes */
    int space;            /* enum memory_space */
};

struct entry {
    bool done;
    struct span *spans; /* ascending by space and address, none touch */
    size_t span_count;
    uint8_t *bytes;
    uint8_t *overlaps; /* a bit for each byte that is written more than once; NULL: none is */
    size_t byte_count;
};

struct journal {
    const struct layer_tracker *launches;
    const struct device *model;
    struct entry *entries[NVDLA_UNIT_COUNT]; /* by ordinal */
    size_t counts[NVDLA_UNIT_COUNT];
};

struct journal *journal_new(const struct layer_tracker *launches) {
    struct journal *journal = xcalloc(1, sizeof *journal);
    journal->launches = launches;
    return journal;
}

static void clear_entry(struct entry *entry) {
    free(entry->spans);
    free(entry->bytes);
    free(entry->overlaps);
    *entry = (struct entry){.done = false};
}

static void clear(struct journal *journal) {
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        for (size_t i = 0; i < journal->counts[unit]; i++)
            clear_entry(&journal->entries[unit][i]);
        free(journal->entries[unit]);
        journal->entries[unit] = NULL;
        journal->counts[unit] = 0;
    }
}

void journal_free(struct journal *journal) {
    if (!journal)
        return;
    clear(journal);
    free(journal);
}

void journal_watch(struct journal *journal, const struct device *model) {
    journal->model = model;
}

/* ---- in ---- */

static void add_span(struct entry *entry, enum memory_space space, uint64_t address, uint64_t n) {
    if (n == 0 || n - 1 > UINT64_MAX - address)
        return; /* what lies beyond the last address is not written */
    entry->spans = xgrow(entry->spans, entry->span_count, sizeof *entry->spans);
    entry->spans[entry->span_count++] = (struct span){.first = address, .last = address + (n - 1), .space = (int)space};
}

static void add_cube(struct entry *entry, const struct cube *cube, bool primary) {
    const enum memory_space space = primary ? SPACE_PRIMARY : SPACE_SECONDARY;
    const uint64_t line_bytes = (uint64_t)cube_columns(cube) * (uint64_t)cube->atom;
    const int batches = cube->batches > 1 ? cube->batches : 1;
    struct cube one = *cube;
    for (int batch = 0; batch < batches; batch++, one.base += cube->batch_stride)
        for (int surface = 0; surface < cube_surfaces(cube); surface++)
            for (int line = 0; line < cube->height; line++)
                add_span(entry, space, cube_atom_address(&one, surface, line, 0), line_bytes);
}

static int span_order(const void *left, const void *right) {
    const struct span *a = left, *b = right;
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static uint64_t length(const struct span *span) {
    return span->last - span->first + 1;
}

/* Joins spans that touch. What two of them have in common goes to `twice`, a list of its own. */
static void join_spans(struct entry *entry, struct entry *twice) {
    size_t kept = 0;
    qsort(entry->spans, entry->span_count, sizeof *entry->spans, span_order);
    for (size_t i = 0; i < entry->span_count; i++) {
        const struct span next = entry->spans[i];
        struct span *open = kept > 0 ? &entry->spans[kept - 1] : NULL;
        if (!open || open->space != next.space || (next.first > open->last && next.first - open->last > 1)) {
            entry->spans[kept++] = next;
            continue;
        }
        if (next.first <= open->last) {
            const uint64_t end = next.last < open->last ? next.last : open->last;
            add_span(twice, (enum memory_space)next.space, next.first, end - next.first + 1);
        }
        if (next.last > open->last)
            open->last = next.last;
    }
    entry->span_count = kept;
    entry->spans = xrealloc(entry->spans, kept * sizeof *entry->spans);
    for (size_t i = 0; i < kept; i++) {
        entry->spans[i].at = entry->byte_count;
        entry->byte_count += length(&entry->spans[i]);
    }
}

/* The index of a byte in entry.bytes; false if the launch does not write it. */
static bool find_byte(const struct entry *entry, enum memory_space space, uint64_t address, size_t *at) {
    size_t low = 0, high = entry->span_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct span *span = &entry->spans[middle];
        if (span->space < (int)space || (span->space == (int)space && span->last < address))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == entry->span_count || entry->spans[low].space != (int)space || entry->spans[low].first > address)
        return false;
    *at = entry->spans[low].at + (size_t)(address - entry->spans[low].first);
    return true;
}

static void mark_overlaps(struct entry *entry, const struct entry *twice) {
    if (twice->span_count == 0)
        return;
    entry->overlaps = xcalloc(entry->byte_count / 8 + 1, 1);
    for (size_t i = 0; i < twice->span_count; i++) {
        const struct span *span = &twice->spans[i];
        size_t at = 0;
        if (find_byte(entry, (enum memory_space)span->space, span->first, &at))
            for (uint64_t n = length(span); n > 0; n--, at++)
                entry->overlaps[at / 8] |= (uint8_t)(1u << at % 8);
    }
}

static void write_down(struct journal *journal, const struct launch *launch, struct entry *entry) {
    const struct nvdla_config *config = layer_tracker_config(journal->launches);
    struct entry twice = {.done = false};
    struct launch_block block;
    struct cube cube;
    bool primary;
    if (launch_output_cube(config, launch, &cube, &primary))
        add_cube(entry, &cube, primary);
    for (size_t i = 0; launch_block(config, launch, i, &block); i++)
        add_cube(entry, &block.destination, block.destination_primary);
    if (entry->span_count > 0)
        join_spans(entry, &twice);
    mark_overlaps(entry, &twice);
    clear_entry(&twice);
    entry->bytes = xmalloc(entry->byte_count + 1);
    for (size_t i = 0; i < entry->span_count; i++) {
        const struct span *span = &entry->spans[i];
        memory_read(journal->model->memory[span->space], span->first, entry->bytes + span->at, (size_t)length(span));
    }
    entry->done = true;
}

static void launch_done(void *context, enum nvdla_unit unit, int ordinal, unsigned group) {
    struct journal *journal = context;
    const struct launch *launch = layer_tracker_find(journal->launches, unit, ordinal);
    (void)group;
    if (!launch || !journal->model)
        return;
    while (journal->counts[unit] <= (size_t)ordinal) {
        journal->entries[unit] = xgrow(journal->entries[unit], journal->counts[unit], sizeof *journal->entries[unit]);
        journal->entries[unit][journal->counts[unit]++] = (struct entry){.done = false};
    }
    struct entry *entry = &journal->entries[unit][ordinal];
    clear_entry(entry);
    write_down(journal, launch, entry);
}

static struct tap_sink hear_nothing(void *context, const struct tap_stream *stream) {
    (void)context;
    (void)stream;
    return (struct tap_sink){.elements = NULL};
}

static void reset_journal(void *context) {
    clear(context);
}

struct tap_listener journal_listener(struct journal *journal) {
    return (struct tap_listener){.context = journal, .open = hear_nothing, .done = launch_done, .reset = reset_journal};
}

/* ---- out ---- */

static enum journal_byte look(const struct entry *entry, enum memory_space space, uint64_t address, uint8_t *value) {
    size_t at;
    if (!find_byte(entry, space, address, &at))
        return JOURNAL_OUTSIDE;
    *value = entry->bytes[at];
    return entry->overlaps && (entry->overlaps[at / 8] >> at % 8 & 1) ? JOURNAL_OVERLAPS : JOURNAL_LEAVES;
}

enum journal_byte journal_look(const struct journal *journal, enum nvdla_unit unit, int ordinal,
                               enum memory_space space, uint64_t address, uint8_t *value) {
    if (ordinal < 0 || (size_t)ordinal >= journal->counts[unit] || !journal->entries[unit][ordinal].done)
        return JOURNAL_UNWRITTEN;
    return look(&journal->entries[unit][ordinal], space, address, value);
}

bool journal_any(const struct journal *journal, enum nvdla_unit unit, enum memory_space space, uint64_t address,
                 uint8_t value) {
    for (size_t i = 0; i < journal->counts[unit]; i++) {
        const struct entry *entry = &journal->entries[unit][i];
        uint8_t left = 0;
        const enum journal_byte found = entry->done ? look(entry, space, address, &left) : JOURNAL_OUTSIDE;
        if (found == JOURNAL_OVERLAPS || (found == JOURNAL_LEAVES && left == value))
            return true;
    }
    return false;
}

size_t journal_size(const struct journal *journal, size_t *launches) {
    size_t size = 0;
    *launches = 0;
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        size += journal->counts[unit] * sizeof(struct entry);
        for (size_t i = 0; i < journal->counts[unit]; i++) {
            const struct entry *entry = &journal->entries[unit][i];
            size += entry->span_count * sizeof(struct span) + entry->byte_count;
            size += entry->overlaps ? entry->byte_count / 8 + 1 : 0;
            *launches += entry->span_count > 0;
        }
    }
    return size;
}
