/* Spans of bytes, in the order of their addresses, for each launch that is done; see journal.h. */
#include "replay/journal.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

/* Contiguous bytes of a launch. */
struct byte_span {
    uint64_t first, last; /* addresses */
    size_t at;            /* index of the first byte among those of the entry */
    int space;            /* enum memory_space */
};

/* The writes of a launch, or the reads of a client for it. */
struct entry {
    uint64_t moved[SPACE_COUNT]; /* bytes */
    struct byte_span *spans;     /* in order of access; once done, ascending by space and address, merged */
    size_t span_count;
    struct byte_span *runs; /* the same in order of access; for writes NULL */
    size_t run_count;
    uint8_t *bytes;    /* final values; for reads NULL */
    uint8_t *overlaps; /* a bit for each byte that is accessed more than once; NULL: none */
    size_t byte_count;
};

/* Entries of a unit's launches: their writes, or the reads of one client. */
struct entry_list {
    struct entry *entries; /* by ordinal */
    size_t count;
    int *done; /* ordinals, in order of completion */
    size_t done_count;
};

/* One memory of the model. */
struct ear {
    struct journal *journal;
    struct memory *memory;
    int space;
};

struct journal {
    struct ear ears[SPACE_COUNT];
    struct entry_list writes[NVDLA_UNIT_COUNT], reads[NVDLA_CLIENT_COUNT];
};

static void clear_entry(struct entry *entry) {
    free(entry->spans);
    free(entry->runs);
    free(entry->bytes);
    free(entry->overlaps);
    *entry = (struct entry){.span_count = 0};
}

static void clear_list(struct entry_list *list) {
    for (size_t i = 0; i < list->count; i++)
        clear_entry(&list->entries[i]);
    free(list->entries);
    free(list->done);
    *list = (struct entry_list){.count = 0};
}

static void clear(void *context) {
    struct journal *journal = context;
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        clear_list(&journal->writes[unit]);
    for (int client = 0; client < NVDLA_CLIENT_COUNT; client++)
        clear_list(&journal->reads[client]);
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

/* ---- recording ---- */

static struct entry *entry_of(struct entry_list *list, int ordinal) {
    while (list->count <= (size_t)ordinal)
        *xadd(list->entries, list->count) = (struct entry){.span_count = 0};
    return &list->entries[ordinal];
}

static uint64_t length(const struct byte_span *span) {
    return span->last - span->first + 1;
}

static void add_span(struct entry *entry, int space, uint64_t address, uint64_t n) {
    struct byte_span *last = entry->span_count > 0 ? &entry->spans[entry->span_count - 1] : NULL;
    if (last && last->space == space && last->last + 1 == address) {
        last->last += n;
        return;
    }
    *xadd(entry->spans, entry->span_count) =
        (struct byte_span){.first = address, .last = address + (n - 1), .space = space};
}

static void moved(const struct ear *ear, struct entry_list *list, int ordinal, uint64_t address, size_t n) {
    struct entry *entry = entry_of(list, ordinal);
    add_span(entry, ear->space, address, n);
    entry->moved[ear->space] += n;
}

/* The model has written n bytes, at least one. */
static void written(void *context, uint64_t address, size_t n, const struct memory_origin *origin) {
    const struct ear *ear = context;
    if (origin->unit >= 0 && origin->ordinal >= 0)
        moved(ear, &ear->journal->writes[origin->unit], origin->ordinal, address, n);
}

/* The model has read n bytes, at least one. */
static void has_read(void *context, uint64_t address, size_t n, const struct memory_origin *origin) {
    const struct ear *ear = context;
    const enum nvdla_client client = nvdla_client_find(origin->axi_id, false);
    if (client != NVDLA_CLIENT_COUNT && origin->ordinal >= 0)
        moved(ear, &ear->journal->reads[client], origin->ordinal, address, n);
}

void journal_watch(struct journal *journal, const struct device *model) {
    for (int space = 0; space < SPACE_COUNT; space++) {
        struct ear *ear = &journal->ears[space];
        *ear = (struct ear){.journal = journal, .memory = model->memory[space], .space = space};
        if (ear->memory)
            memory_listen(ear->memory, (struct memory_listener){.written = written, .read = has_read, .context = ear});
    }
}

static int span_order(const void *left, const void *right) {
    const struct byte_span *a = left, *b = right;
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* Merges spans that touch. Their overlaps go to the separate list `twice`. */
static void join_spans(struct entry *entry, struct entry *twice) {
    size_t kept = 0;
    qsort(entry->spans, entry->span_count, sizeof *entry->spans, span_order);
    for (size_t i = 0; i < entry->span_count; i++) {
        const struct byte_span next = entry->spans[i];
        struct byte_span *open = kept > 0 ? &entry->spans[kept - 1] : NULL;
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
        const struct byte_span *span = &entry->spans[middle];
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
        const struct byte_span *span = &twice->spans[i];
        size_t at = 0;
        if (find_byte(entry, span->space, span->first, &at))
            for (uint64_t n = length(span); n > 0; n--, at++)
                entry->overlaps[at / 8] |= (uint8_t)(1u << at % 8);
    }
}

/* Records a launch. runs: keep them in order. Returns its entry; NULL: no accesses. */
static struct entry *close_entry(struct entry_list *list, int ordinal, bool runs) {
    struct entry twice = {.span_count = 0};
    struct entry *entry = entry_of(list, ordinal);
    *xadd(list->done, list->done_count) = ordinal;
    if (entry->span_count == 0)
        return NULL;
    if (runs) {
        entry->run_count = entry->span_count;
        entry->runs = xmalloc(entry->run_count * sizeof *entry->runs);
        memcpy(entry->runs, entry->spans, entry->run_count * sizeof *entry->runs);
    }
    join_spans(entry, &twice);
    mark_overlaps(entry, &twice);
    clear_entry(&twice);
    return entry;
}

static void launch_done(void *context, enum nvdla_unit unit, int ordinal, unsigned group) {
    struct journal *journal = context;
    (void)group;
    if (ordinal < 0)
        return;
    for (int client = 0; client < NVDLA_CLIENT_COUNT; client++)
        if (nvdla_clients[client].unit == unit && !nvdla_clients[client].write)
            close_entry(&journal->reads[client], ordinal, true);
    struct entry *entry = close_entry(&journal->writes[unit], ordinal, false);
    if (!entry)
        return;
    entry->bytes = xmalloc(entry->byte_count);
    for (size_t i = 0; i < entry->span_count; i++) {
        const struct byte_span *span = &entry->spans[i];
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

/* ---- queries ---- */

static int next_of(const struct entry_list *list, enum memory_space space, size_t *next, uint64_t *bytes) {
    while (*next < list->done_count) {
        const int ordinal = list->done[(*next)++];
        *bytes = list->entries[ordinal].moved[space];
        if (*bytes > 0)
            return ordinal;
    }
    return -1;
}

int journal_next(const struct journal *journal, enum nvdla_unit unit, enum memory_space space, size_t *next,
                 uint64_t *bytes) {
    return next_of(&journal->writes[unit], space, next, bytes);
}

int journal_next_read(const struct journal *journal, enum nvdla_client client, enum memory_space space, size_t *next,
                      uint64_t *bytes) {
    return next_of(&journal->reads[client], space, next, bytes);
}

static bool overlaps(const struct entry *entry, size_t at) {
    return entry->overlaps && (entry->overlaps[at / 8] >> at % 8 & 1);
}

enum journal_byte journal_look(const struct journal *journal, enum nvdla_unit unit, int ordinal,
                               enum memory_space space, uint64_t address, uint8_t *value) {
    const struct entry *entry = &journal->writes[unit].entries[ordinal];
    size_t at;
    if (!find_byte(entry, (int)space, address, &at))
        return JOURNAL_OUTSIDE;
    *value = entry->bytes[at];
    return overlaps(entry, at) ? JOURNAL_OVERLAPS : JOURNAL_LEAVES;
}

enum journal_read journal_look_read(const struct journal *journal, enum nvdla_client client, int ordinal,
                                    enum memory_space space, uint64_t address, size_t *at) {
    const struct entry *entry = &journal->reads[client].entries[ordinal];
    if (!find_byte(entry, (int)space, address, at))
        return JOURNAL_NEVER;
    return overlaps(entry, *at) ? JOURNAL_OFTEN : JOURNAL_ONCE;
}

size_t journal_read_bytes(const struct journal *journal, enum nvdla_client client, int ordinal) {
    return journal->reads[client].entries[ordinal].byte_count;
}

bool journal_walk_read(const struct journal *journal, enum nvdla_client client, int ordinal, enum memory_space space,
                       struct journal_walk *walk, size_t n, uint64_t *address) {
    const struct entry *entry = &journal->reads[client].entries[ordinal];
    while (walk->run < entry->run_count &&
           (entry->runs[walk->run].space != (int)space || walk->offset >= length(&entry->runs[walk->run])))
        *walk = (struct journal_walk){.run = walk->run + 1};
    if (walk->run == entry->run_count)
        return false;
    *address = entry->runs[walk->run].first + walk->offset;
    walk->offset += n;
    return true;
}

bool journal_reads(const struct journal *journal, enum nvdla_client client, enum memory_space space, uint64_t address) {
    const struct entry_list *list = &journal->reads[client];
    size_t at;
    for (size_t i = 0; i < list->done_count; i++)
        if (find_byte(&list->entries[list->done[i]], (int)space, address, &at))
            return true;
    return false;
}

/* Memory use of a list, and its number of launches with accesses. */
static size_t list_size(const struct entry_list *list, size_t *launches) {
    size_t size = list->count * sizeof(struct entry);
    for (size_t i = 0; i < list->count; i++) {
        const struct entry *entry = &list->entries[i];
        size +=
            (entry->span_count + entry->run_count) * sizeof(struct byte_span) + (entry->bytes ? entry->byte_count : 0);
        size += entry->overlaps ? entry->byte_count / 8 + 1 : 0;
        *launches += entry->span_count > 0;
    }
    return size;
}

size_t journal_size(const struct journal *journal, size_t *launches) {
    size_t size = 0, readers = 0;
    *launches = 0;
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        size += list_size(&journal->writes[unit], launches);
    for (int client = 0; client < NVDLA_CLIENT_COUNT; client++)
        size += list_size(&journal->reads[client], &readers);
    return size;
}
