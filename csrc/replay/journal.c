/* Spans of bytes, in the order of their addresses, for each launch that is done; see journal.h. */
#include "replay/journal.h"

#include <stdlib.h>

#include "nvdla/xalloc.h"

/* Bytes of a launch that follow one another in memory. */
struct span {
    uint64_t first, last; /* addresses */
    size_t at;            /* index of the first in entry.bytes */
    int space;            /* enum memory_space */
};

struct entry {
    uint64_t written[SPACE_COUNT]; /* bytes */
    struct span *spans;            /* as they are written; once done ascending by space and address, none touch */
    size_t span_count;
    uint8_t *bytes;
    uint8_t *overlaps; /* a bit for each byte that is written more than once; NULL: none is */
    size_t byte_count;
};

/* One memory of the model. */
struct ear {
    struct journal *journal;
    struct memory *memory;
    int space;
};

struct journal {
    struct ear ears[SPACE_COUNT];
    struct entry *entries[NVDLA_UNIT_COUNT]; /* by ordinal */
    size_t counts[NVDLA_UNIT_COUNT];
    int *done[NVDLA_UNIT_COUNT]; /* ordinals, as they were done */
    size_t done_counts[NVDLA_UNIT_COUNT];
};

static void clear_entry(struct entry *entry) {
    free(entry->spans);
    free(entry->bytes);
    free(entry->overlaps);
    *entry = (struct entry){.span_count = 0};
}

static void clear(void *context) {
    struct journal *journal = context;
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        for (size_t i = 0; i < journal->counts[unit]; i++)
            clear_entry(&journal->entries[unit][i]);
        free(journal->entries[unit]);
        free(journal->done[unit]);
        journal->entries[unit] = NULL;
        journal->done[unit] = NULL;
        journal->counts[unit] = journal->done_counts[unit] = 0;
    }
}

struct journal *journal_new(void) {
    return xcalloc(1, sizeof(struct journal));
}

void journal_free(struct journal *journal) {
    if (!journal)
        return;
    clear(journal);
    free(journal);
}

/* ---- in ---- */

static struct entry *entry_of(struct journal *journal, int unit, int ordinal) {
    while (journal->counts[unit] <= (size_t)ordinal) {
        journal->entries[unit] = xgrow(journal->entries[unit], journal->counts[unit], sizeof *journal->entries[unit]);
        journal->entries[unit][journal->counts[unit]++] = (struct entry){.span_count = 0};
    }
    return &journal->entries[unit][ordinal];
}

static uint64_t length(const struct span *span) {
    return span->last - span->first + 1;
}

static void add_span(struct entry *entry, int space, uint64_t address, uint64_t n) {
    struct span *last = entry->span_count > 0 ? &entry->spans[entry->span_count - 1] : NULL;
    if (last && last->space == space && last->last + 1 == address) {
        last->last += n;
        return;
    }
    entry->spans = xgrow(entry->spans, entry->span_count, sizeof *entry->spans);
    entry->spans[entry->span_count++] = (struct span){.first = address, .last = address + (n - 1), .space = space};
}

/* The model has written n bytes, at least one. */
static void written(void *context, uint64_t address, size_t n, const struct memory_origin *origin) {
    const struct ear *ear = context;
    if (origin->unit < 0 || origin->ordinal < 0)
        return;
    struct entry *entry = entry_of(ear->journal, origin->unit, origin->ordinal);
    add_span(entry, ear->space, address, n);
    entry->written[ear->space] += n;
}

void journal_watch(struct journal *journal, const struct device *model) {
    for (int space = 0; space < SPACE_COUNT; space++) {
        struct ear *ear = &journal->ears[space];
        *ear = (struct ear){.journal = journal, .memory = model->memory[space], .space = space};
        if (ear->memory)
            memory_listen(ear->memory, (struct memory_listener){.written = written, .context = ear});
    }
}

static int span_order(const void *left, const void *right) {
    const struct span *a = left, *b = right;
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
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
            add_span(twice, next.space, next.first, end - next.first + 1);
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
static bool find_byte(const struct entry *entry, int space, uint64_t address, size_t *at) {
    size_t low = 0, high = entry->span_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct span *span = &entry->spans[middle];
        if (span->space < space || (span->space == space && span->last < address))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == entry->span_count || entry->spans[low].space != space || entry->spans[low].first > address)
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
        if (find_byte(entry, span->space, span->first, &at))
            for (uint64_t n = length(span); n > 0; n--, at++)
                entry->overlaps[at / 8] |= (uint8_t)(1u << at % 8);
    }
}

static void launch_done(void *context, enum nvdla_unit unit, int ordinal, unsigned group) {
    struct journal *journal = context;
    struct entry twice = {.span_count = 0};
    (void)group;
    if (ordinal < 0)
        return;
    struct entry *entry = entry_of(journal, (int)unit, ordinal);
    journal->done[unit] = xgrow(journal->done[unit], journal->done_counts[unit], sizeof *journal->done[unit]);
    journal->done[unit][journal->done_counts[unit]++] = ordinal;
    if (entry->span_count == 0)
        return;
    join_spans(entry, &twice);
    mark_overlaps(entry, &twice);
    clear_entry(&twice);
    entry->bytes = xmalloc(entry->byte_count);
    for (size_t i = 0; i < entry->span_count; i++) {
        const struct span *span = &entry->spans[i];
        memory_read(journal->ears[span->space].memory, span->first, entry->bytes + span->at, (size_t)length(span));
    }
}

static struct tap_sink hear_nothing(void *context, const struct tap_stream *stream) {
    (void)context;
    (void)stream;
    return (struct tap_sink){.elements = NULL};
}

struct tap_listener journal_listener(struct journal *journal) {
    return (struct tap_listener){.context = journal, .open = hear_nothing, .done = launch_done, .reset = clear};
}

/* ---- out ---- */

int journal_next(const struct journal *journal, enum nvdla_unit unit, enum memory_space space, size_t *next,
                 uint64_t *bytes) {
    while (*next < journal->done_counts[unit]) {
        const int ordinal = journal->done[unit][(*next)++];
        *bytes = journal->entries[unit][ordinal].written[space];
        if (*bytes > 0)
            return ordinal;
    }
    return -1;
}

enum journal_byte journal_look(const struct journal *journal, enum nvdla_unit unit, int ordinal,
                               enum memory_space space, uint64_t address, uint8_t *value) {
    const struct entry *entry = &journal->entries[unit][ordinal];
    size_t at;
    if (!find_byte(entry, (int)space, address, &at))
        return JOURNAL_OUTSIDE;
    *value = entry->bytes[at];
    return entry->overlaps && (entry->overlaps[at / 8] >> at % 8 & 1) ? JOURNAL_OVERLAPS : JOURNAL_LEAVES;
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
