/* The lists of a loadable as tables of its container. See loadable_write.h. */
#include "loadable/loadable_write.h"

#include <stdlib.h>
#include <string.h>

#include "loadable/flat_write.h"
#include "nvdla/xalloc.h"

/* Records that live until the file is written. */
struct records {
    struct flat_record *records;
    size_t count;
};

#define RECORD(...)                                                                                                    \
    (const struct flat_field[]){__VA_ARGS__},                                                                          \
        sizeof((const struct flat_field[]){__VA_ARGS__}) / sizeof(struct flat_field)

static void add(struct records *to, const struct flat_field *fields, size_t count) {
    struct flat_field *copy = xcalloc(count, sizeof *copy);
    memcpy(copy, fields, count * sizeof *copy);
    *xadd(to->records, to->count) = (struct flat_record){copy, count};
}

static void add_memory(struct records *memories, const struct loadable *loadable,
                       const struct loadable_memory *memory) {
    static const uint64_t start = 0; /* contents fill their memory */
    const size_t contents = memory->content_count;
    char *const *name = contents ? &loadable->blobs[memory->contents[0].blob].name : NULL;
    add(memories,
        RECORD(flat_of_number(2, memory->id), flat_of_number(1, memory->domain), flat_of_number(2, memory->flags),
               flat_of_number(8, memory->size), flat_of_number(4, memory->alignment), flat_of_texts(name, contents),
               flat_of_vector(8, &start, contents), flat_of_number(2, memory->bind),
               flat_of_number(2, memory->tensor_id)));
}

static uint64_t packed_version(const uint8_t version[3]) {
    return version[0] | (uint64_t)version[1] << 8 | (uint64_t)version[2] << 16;
}

static void add_blob(struct records *blobs, const struct loadable_blob *blob) {
    add(blobs, RECORD(flat_of_text(blob->name), flat_of_number(8, blob->n), flat_of_number(4, blob->interface),
                      flat_of_number(4, blob->sub_interface), flat_of_number(3, packed_version(blob->version)),
                      flat_of_vector(1, blob->bytes, blob->n)));
}

static void add_tensor(struct records *tensors, const struct loadable_tensor *t) {
    struct flat_field fields[14 + LOADABLE_STRIDES] = {
        flat_of_text(t->name),
        flat_of_number(2, t->id),
        flat_of_number(2, t->memory_id),
        flat_of_number(8, t->size),
        flat_of_number(8, t->offset),
        flat_of_number(1, t->data_format),
        flat_of_number(1, t->data_type),
        flat_of_number(1, t->category),
        flat_of_number(1, t->pixel_format),
        flat_of_number(1, t->pixel_mapping),
        flat_of_number(4, (uint64_t)t->n),
        flat_of_number(4, (uint64_t)t->c),
        flat_of_number(4, (uint64_t)t->h),
        flat_of_number(4, (uint64_t)t->w),
    };
    for (int i = 0; i < LOADABLE_STRIDES; i++)
        fields[14 + i] = flat_of_number(4, t->stride[i]);
    add(tensors, fields, sizeof fields / sizeof *fields);
}

static void add_event(struct records *events, size_t number, uint64_t value, bool signals) {
    add(events, RECORD(flat_of_number(2, number), flat_of_number(1, 0), flat_of_number(2, 0), flat_of_number(4, value),
                       flat_of_number(1, signals)));
}

/* ids: room for those of the task's addresses, the events that it waits for and signals, and itself. A task signals
 * event 2 * its number, and the next one waits for the event after it. */
static void add_task(const struct loadable *loadable, size_t number, uint16_t *ids, struct records *tasks,
                     struct records *events, struct records *submits) {
    const struct loadable_task *task = &loadable->tasks[number];
    uint16_t *const others = ids + task->address_count;
    for (size_t i = 0; i < task->address_count; i++)
        ids[i] = (uint16_t)loadable->addresses[task->addresses[i]].id;
    others[0] = (uint16_t)(2 * number - 1);
    others[1] = (uint16_t)(2 * number);
    others[2] = (uint16_t)number;
    add(tasks, RECORD(flat_of_number(2, number), flat_of_number(4, task->interface), flat_of_number(2, UINT16_MAX),
                      flat_of_vector(2, ids, task->address_count), flat_of_vector(2, others, number > 0),
                      flat_of_vector(2, others + 1, 1)));
    if (number > 0)
        add_event(events, others[0], number, false);
    add_event(events, others[1], number + 1, true);
    add(submits, RECORD(flat_of_number(2, number), flat_of_vector(2, others + 2, 1)));
}

struct text loadable_write(const struct loadable *loadable) {
    enum { TASKS, MEMORIES, ADDRESSES, EVENTS, BLOBS, TENSORS, RELOCATIONS, SUBMITS, LISTS };
    struct records lists[LISTS] = {{0}};
    autofree uint16_t **ids = xcalloc(loadable->task_count, sizeof *ids);
    for (size_t i = 0; i < loadable->blob_count; i++)
        add_blob(&lists[BLOBS], &loadable->blobs[i]);
    for (size_t i = 0; i < loadable->memory_count; i++)
        add_memory(&lists[MEMORIES], loadable, &loadable->memories[i]);
    for (size_t i = 0; i < loadable->address_count; i++) {
        const struct loadable_address *address = &loadable->addresses[i];
        add(&lists[ADDRESSES],
            RECORD(flat_of_number(2, address->id), flat_of_number(2, loadable->memories[address->memory].id),
                   flat_of_number(8, address->offset), flat_of_number(8, address->size)));
    }
    for (size_t i = 0; i < loadable->tensor_count; i++)
        add_tensor(&lists[TENSORS], &loadable->tensors[i]);
    for (size_t i = 0; i < loadable->task_count; i++) {
        ids[i] = xcalloc(loadable->tasks[i].address_count + 3, sizeof **ids);
        add_task(loadable, i, ids[i], &lists[TASKS], &lists[EVENTS], &lists[SUBMITS]);
    }
    struct flat_field root[1 + LISTS] = {flat_of_number(3, packed_version(loadable->version))};
    for (int i = 0; i < LISTS; i++)
        root[1 + i] = flat_of_tables(lists[i].records, lists[i].count);
    struct text file = flat_write((struct flat_record){root, 1 + LISTS}, "NVDA");
    for (int i = 0; i < LISTS; i++) {
        for (size_t k = 0; k < lists[i].count; k++)
            free((void *)lists[i].records[k].fields);
        free(lists[i].records);
    }
    for (size_t i = 0; i < loadable->task_count; i++)
        free(ids[i]);
    return file;
}
