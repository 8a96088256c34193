/* Reads the lists of a loadable from its container and links them. See loadable.h. */
#include "loadable/loadable.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "loadable/flat.h"
#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

enum {
    ROOT_VERSION,
    ROOT_TASKS,
    ROOT_MEMORIES,
    ROOT_ADDRESSES,
    ROOT_EVENTS,
    ROOT_BLOBS,
    ROOT_TENSORS,
    ROOT_RELOCATIONS,
    ROOT_SUBMITS
};

enum { IDS = 65536, ALIGNMENT = 4096 };

/* Index + 1 by 16-bit id of a list's entry; 0: no such id. */
struct ids {
    int *behind;
};

static struct ids ids_new(void) {
    return (struct ids){.behind = xcalloc(IDS, sizeof(int))};
}

/* Stores the id of an entry. */
static void ids_add(struct flat *flat, struct ids *ids, const struct flat_table *entry, unsigned id) {
    if (!flat->failed && ids->behind[id] != 0)
        flat_fail(flat, entry->at, "%s %zu: found id %u, which %s %d has too; expected each once", entry->what,
                  entry->index, id, entry->what, ids->behind[id] - 1);
    ids->behind[id] = (int)entry->index + 1;
}

/* The index of the entry with that id. */
static int ids_find(struct flat *flat, const struct ids *ids, const struct flat_table *entry, uint64_t id,
                    const char *kind) {
    if (flat->failed)
        return 0;
    if (ids->behind[id] == 0)
        flat_fail(flat, entry->at, "%s %zu: found %s %" PRIu64 ", expected the id of one in the loadable's list",
                  entry->what, entry->index, kind, id);
    return ids->behind[id] - 1;
}

/* A list of the root; no more entries than ids can distinguish. */
static struct flat_vector list_of(struct flat *flat, const struct flat_table *root, unsigned field, const char *name) {
    struct flat_vector list = flat_vector(flat, root, field, 4, name);
    if (list.count > IDS) {
        flat_fail(flat, list.at, "found %zu entries in the list of %s, expected at most %d", list.count, name, IDS);
        list.count = 0;
    }
    return list;
}

static unsigned number(struct flat *flat, const struct flat_table *table, unsigned k, size_t bytes, const char *field) {
    return (unsigned)flat_number(flat, table, k, bytes, field);
}

static void version_of(struct flat *flat, const struct flat_table *table, unsigned k, uint8_t version[3]) {
    const uint64_t packed = flat_has(flat, table, k) ? flat_number(flat, table, k, 3, "version") : 0;
    for (int i = 0; i < 3; i++)
        version[i] = (uint8_t)(packed >> 8 * i);
}

/* Text as it may be shown; names are only printed. */
static char *name_of(struct flat_text text) {
    char shown[64];
    return xstrdup(text_shown_bytes(text.text, text.n, shown, sizeof shown));
}

/* ---- blobs, found by name ---- */

struct blob_name {
    struct flat_text text;
    int index;
};

static int text_order(struct flat_text a, struct flat_text b) {
    const int order = memcmp(a.text, b.text, a.n < b.n ? a.n : b.n);
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int blob_order(const void *left, const void *right) {
    const struct blob_name *a = left, *b = right;
    const int order = text_order(a->text, b->text);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* The first blob of that name, LOADABLE_NONE if there is none. */
static int blob_find(const struct blob_name *names, size_t count, struct flat_text text) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (text_order(names[middle].text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && text_order(names[low].text, text) == 0 ? names[low].index : LOADABLE_NONE;
}

static struct blob_name *read_blobs(struct flat *flat, const struct flat_table *root, struct loadable *loadable) {
    const struct flat_vector list = list_of(flat, root, ROOT_BLOBS, "blobs");
    struct blob_name *names = xcalloc(list.count, sizeof *names);
    loadable->blobs = xcalloc(list.count, sizeof *loadable->blobs);
    for (; loadable->blob_count < list.count && !flat->failed; loadable->blob_count++) {
        const size_t i = loadable->blob_count;
        struct loadable_blob *blob = &loadable->blobs[i];
        const struct flat_table entry = flat_entry(flat, &list, i, "blob");
        names[i] = (struct blob_name){.text = flat_text(flat, &entry, 0, "name"), .index = (int)i};
        const uint64_t size = flat_number(flat, &entry, 1, 8, "size");
        blob->interface = number(flat, &entry, 2, 4, "interface");
        blob->sub_interface = number(flat, &entry, 3, 4, "sub-interface");
        version_of(flat, &entry, 4, blob->version);
        const struct flat_vector data = flat_vector(flat, &entry, 5, 1, "data");
        if (size > data.count)
            flat_fail(flat, entry.at,
                      "blob %zu: found a size of %" PRIu64 " bytes, expected at most the %zu of its data", i, size,
                      data.count);
        blob->bytes = flat->bytes + data.at;
        blob->n = data.count;
        blob->name = name_of(names[i].text);
    }
    if (loadable->blob_count)
        qsort(names, loadable->blob_count, sizeof *names, blob_order);
    return names;
}

/* ---- memories and addresses ---- */

static void read_contents(struct flat *flat, const struct flat_table *entry, struct loadable_memory *memory,
                          const struct loadable *loadable, const struct blob_name *names, uint64_t *total) {
    const struct flat_vector contents = flat_vector(flat, entry, 5, 4, "contents");
    const struct flat_vector offsets = flat_vector(flat, entry, 6, 8, "offsets");
    if (flat->failed || !(memory->flags & MEMORY_CONTENT))
        return;
    if (contents.count != offsets.count) {
        flat_fail(flat, entry->at, "memory %zu: found %zu contents with %zu offsets, expected as many", entry->index,
                  contents.count, offsets.count);
        return;
    }
    memory->contents = xcalloc(contents.count, sizeof *memory->contents);
    for (size_t i = 0; i < contents.count && !flat->failed; i++) {
        const struct flat_text name = flat_entry_text(flat, &contents, i, "content");
        const struct loadable_content content = {.blob = blob_find(names, loadable->blob_count, name),
                                                 .offset = flat_element(flat, &offsets, i, 8)};
        if (flat->failed || content.blob == LOADABLE_NONE)
            continue;
        const struct loadable_blob *blob = &loadable->blobs[content.blob];
        if (content.offset > memory->size || blob->n > memory->size - content.offset)
            flat_fail(flat, entry->at,
                      "memory %zu: found blob %s of %zu bytes at 0x%" PRIx64 " of it, expected it inside its 0x%" PRIx64
                      " bytes",
                      entry->index, blob->name, blob->n, content.offset, memory->size);
        *total += blob->n;
        if (*total > LOADABLE_MEMORY_MAX)
            flat_fail(flat, entry->at,
                      "memory %zu: found more than %" PRIu64 " bytes of content in all, expected no more", entry->index,
                      LOADABLE_MEMORY_MAX);
        memory->contents[memory->content_count++] = content;
    }
}

static void check_memory(struct flat *flat, const struct flat_table *entry, const struct loadable_memory *memory) {
    const uint64_t most = memory->flags & (MEMORY_INPUT | MEMORY_OUTPUT) ? LOADABLE_BOUND_MAX : LOADABLE_MEMORY_MAX;
    if (memory->domain > 1)
        flat_fail(flat, entry->at, "memory %zu: found domain %u, expected 0 (system memory) or 1 (on-chip RAM)",
                  entry->index, memory->domain);
    else if (memory->size > most)
        flat_fail(flat, entry->at, "memory %zu: found a size of 0x%" PRIx64 " bytes, expected at most 0x%" PRIx64,
                  entry->index, memory->size, most);
    else if (memory->alignment & (memory->alignment - 1) || memory->alignment > LOADABLE_MEMORY_MAX)
        flat_fail(flat, entry->at,
                  "memory %zu: found an alignment of 0x%" PRIx32 " bytes, expected a power of two up to 0x%" PRIx64,
                  entry->index, memory->alignment, LOADABLE_MEMORY_MAX);
}

static void read_memories(struct flat *flat, const struct flat_table *root, struct loadable *loadable,
                          const struct blob_name *names, struct ids *ids) {
    const struct flat_vector list = list_of(flat, root, ROOT_MEMORIES, "memories");
    uint64_t total = 0, contents = 0;
    loadable->memories = xcalloc(list.count, sizeof *loadable->memories);
    for (; loadable->memory_count < list.count && !flat->failed; loadable->memory_count++) {
        struct loadable_memory *memory = &loadable->memories[loadable->memory_count];
        const struct flat_table entry = flat_entry(flat, &list, loadable->memory_count, "memory");
        memory->id = number(flat, &entry, 0, 2, "id");
        memory->domain = number(flat, &entry, 1, 1, "domain");
        memory->flags = number(flat, &entry, 2, 2, "flags");
        memory->size = flat_number(flat, &entry, 3, 8, "size");
        memory->alignment = number(flat, &entry, 4, 4, "alignment");
        memory->bind = number(flat, &entry, 7, 2, "bind id");
        memory->tensor_id = number(flat, &entry, 8, 2, "tensor id");
        memory->tensor = LOADABLE_NONE;
        ids_add(flat, ids, &entry, memory->id);
        if (flat->failed)
            continue;
        check_memory(flat, &entry, memory);
        total += memory->size;
        if (total > LOADABLE_MEMORY_MAX)
            flat_fail(flat, entry.at,
                      "memory %zu: found memories of more than 0x%" PRIx64 " bytes in all, expected no more",
                      entry.index, LOADABLE_MEMORY_MAX);
        read_contents(flat, &entry, memory, loadable, names, &contents);
    }
}

static void read_addresses(struct flat *flat, const struct flat_table *root, struct loadable *loadable,
                           const struct ids *memories, struct ids *ids) {
    const struct flat_vector list = list_of(flat, root, ROOT_ADDRESSES, "addresses");
    loadable->addresses = xcalloc(list.count, sizeof *loadable->addresses);
    for (; loadable->address_count < list.count && !flat->failed; loadable->address_count++) {
        struct loadable_address *address = &loadable->addresses[loadable->address_count];
        const struct flat_table entry = flat_entry(flat, &list, loadable->address_count, "address");
        address->id = number(flat, &entry, 0, 2, "id");
        address->offset = flat_number(flat, &entry, 2, 8, "offset");
        address->size = flat_number(flat, &entry, 3, 8, "size");
        address->memory = ids_find(flat, memories, &entry, flat_number(flat, &entry, 1, 2, "memory id"), "memory");
        ids_add(flat, ids, &entry, address->id);
        if (flat->failed)
            continue;
        const uint64_t size = loadable->memories[address->memory].size;
        if (address->offset > size)
            flat_fail(flat, entry.at,
                      "address %zu: found offset 0x%" PRIx64 ", expected it inside the 0x%" PRIx64
                      " bytes of memory %u",
                      entry.index, address->offset, size, loadable->memories[address->memory].id);
    }
}

/* ---- tensors ---- */

static void read_tensor(struct flat *flat, const struct flat_table *entry, struct loadable_tensor *tensor) {
    tensor->id = number(flat, entry, 1, 2, "id");
    tensor->memory_id = number(flat, entry, 2, 2, "memory id");
    tensor->size = flat_number(flat, entry, 3, 8, "size");
    tensor->offset = flat_number(flat, entry, 4, 8, "offset");
    tensor->data_format = number(flat, entry, 5, 1, "data format");
    tensor->data_type = number(flat, entry, 6, 1, "data type");
    tensor->category = number(flat, entry, 7, 1, "category");
    tensor->pixel_format = number(flat, entry, 8, 1, "pixel format");
    tensor->pixel_mapping = number(flat, entry, 9, 1, "pixel mapping");
    tensor->n = (int)number(flat, entry, 10, 4, "n");
    tensor->c = (int)number(flat, entry, 11, 4, "c");
    tensor->h = (int)number(flat, entry, 12, 4, "h");
    tensor->w = (int)number(flat, entry, 13, 4, "w");
    for (unsigned i = 0; i < LOADABLE_STRIDES; i++)
        tensor->stride[i] = number(flat, entry, 14 + i, 4, "stride");
    tensor->name = name_of(flat_text(flat, entry, 0, "name"));
}

static void read_tensors(struct flat *flat, const struct flat_table *root, struct loadable *loadable,
                         const struct ids *memories) {
    const struct flat_vector list = list_of(flat, root, ROOT_TENSORS, "tensors");
    loadable->tensors = xcalloc(list.count, sizeof *loadable->tensors);
    for (; loadable->tensor_count < list.count && !flat->failed; loadable->tensor_count++) {
        const struct flat_table entry = flat_entry(flat, &list, loadable->tensor_count, "tensor");
        read_tensor(flat, &entry, &loadable->tensors[loadable->tensor_count]);
        ids_find(flat, memories, &entry, loadable->tensors[loadable->tensor_count].memory_id, "memory");
    }
    if (flat->failed)
        return;
    for (size_t i = 0; i < loadable->memory_count; i++) {
        struct loadable_memory *memory = &loadable->memories[i];
        for (size_t k = 0; memory->flags & (MEMORY_INPUT | MEMORY_OUTPUT) && k < loadable->tensor_count; k++)
            if (memory->tensor == LOADABLE_NONE && loadable->tensors[k].id == memory->tensor_id &&
                loadable->tensors[k].memory_id == memory->id)
                memory->tensor = (int)k;
    }
}

/* ---- tasks ---- */

static void read_tasks(struct flat *flat, const struct flat_table *root, struct loadable *loadable,
                       const struct ids *addresses, struct ids *ids) {
    const struct flat_vector list = list_of(flat, root, ROOT_TASKS, "tasks");
    loadable->tasks = xcalloc(list.count, sizeof *loadable->tasks);
    for (; loadable->task_count < list.count && !flat->failed; loadable->task_count++) {
        struct loadable_task *task = &loadable->tasks[loadable->task_count];
        const struct flat_table entry = flat_entry(flat, &list, loadable->task_count, "task");
        const unsigned interface = number(flat, &entry, 1, 4, "interface");
        const struct flat_vector positions = flat_vector(flat, &entry, 3, 2, "address list");
        task->id = number(flat, &entry, 0, 2, "id");
        ids_add(flat, ids, &entry, task->id);
        if (!flat->failed && interface != INTERFACE_DLA && interface != INTERFACE_CPU)
            flat_fail(flat, entry.at, "task %zu: found interface %u, expected 1 (DLA) or 2 (CPU)", entry.index,
                      interface);
        if (!flat->failed && positions.count == 0)
            flat_fail(flat, entry.at, "task %zu: found an empty address list, expected the network's descriptor in it",
                      entry.index);
        if (flat->failed)
            continue;
        task->interface = interface;
        task->addresses = xcalloc(positions.count, sizeof *task->addresses);
        for (; task->address_count < positions.count && !flat->failed; task->address_count++)
            task->addresses[task->address_count] =
                ids_find(flat, addresses, &entry, flat_element(flat, &positions, task->address_count, 2), "address");
    }
}

static void read_submits(struct flat *flat, const struct flat_table *root, struct loadable *loadable,
                         const struct ids *tasks) {
    const struct flat_vector list = list_of(flat, root, ROOT_SUBMITS, "submits");
    for (size_t i = 0; i < list.count && !flat->failed; i++) {
        const struct flat_table entry = flat_entry(flat, &list, i, "submit");
        const struct flat_vector members = flat_vector(flat, &entry, 1, 2, "tasks");
        for (size_t k = 0; k < members.count && !flat->failed; k++) {
            *xadd(loadable->order, loadable->order_count) =
                ids_find(flat, tasks, &entry, flat_element(flat, &members, k, 2), "task");
        }
    }
    if (!flat->failed && loadable->order_count == 0)
        flat_fail(flat, list.at, "found no task that is submitted, expected at least one; it is not a loadable");
}

/* Events and relocations have no effect here, but they must be intact. */
static void check_rest(struct flat *flat, const struct flat_table *root) {
    static const struct {
        unsigned field;
        const char *list, *entry;
    } rest[] = {{ROOT_EVENTS, "events", "event"}, {ROOT_RELOCATIONS, "relocations", "relocation"}};
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) {
        const struct flat_vector list = list_of(flat, root, rest[i].field, rest[i].list);
        for (size_t k = 0; k < list.count && !flat->failed; k++)
            flat_entry(flat, &list, k, rest[i].entry);
    }
}

struct loadable *loadable_parse(const char *path, const void *bytes, size_t n, struct error *err) {
    struct flat flat = flat_open(path, bytes, n, err);
    struct loadable *loadable = xcalloc(1, sizeof *loadable);
    struct ids memories = ids_new(), addresses = ids_new(), tasks = ids_new();
    loadable->path = xstrdup(path);
    const struct flat_table root = flat_root(&flat, "loadable");
    version_of(&flat, &root, ROOT_VERSION, loadable->version);
    autofree struct blob_name *names = read_blobs(&flat, &root, loadable);
    read_memories(&flat, &root, loadable, names, &memories);
    read_addresses(&flat, &root, loadable, &memories, &addresses);
    read_tensors(&flat, &root, loadable, &memories);
    read_tasks(&flat, &root, loadable, &addresses, &tasks);
    read_submits(&flat, &root, loadable, &tasks);
    check_rest(&flat, &root);
    free(memories.behind);
    free(addresses.behind);
    free(tasks.behind);
    if (!flat.failed)
        return loadable;
    loadable_free(loadable);
    return NULL;
}

bool loadable_has_atoms(const char *path, const struct nvdla_config *config, struct error *err) {
    return config->mem_atom == 8 || config->mem_atom == 32 ||
           error_set(err,
                     "%s: found configuration %s with atoms of %d bytes, expected one of 8 or 32: loadables have no "
                     "format for others",
                     path, config->name, config->mem_atom);
}

struct loadable *loadable_read(const char *path, struct error *err) {
    char *bytes;
    size_t n;
    if (!file_read(path, &bytes, &n, err))
        return NULL;
    struct loadable *loadable = loadable_parse(path, bytes, n, err);
    if (loadable)
        loadable->file = bytes;
    else
        free(bytes);
    return loadable;
}

void loadable_free(struct loadable *loadable) {
    if (!loadable)
        return;
    for (size_t i = 0; i < loadable->blob_count; i++)
        free(loadable->blobs[i].name);
    for (size_t i = 0; i < loadable->memory_count; i++)
        free(loadable->memories[i].contents);
    for (size_t i = 0; i < loadable->tensor_count; i++)
        free(loadable->tensors[i].name);
    for (size_t i = 0; i < loadable->task_count; i++)
        free(loadable->tasks[i].addresses);
    free(loadable->blobs);
    free(loadable->memories);
    free(loadable->addresses);
    free(loadable->tensors);
    free(loadable->tasks);
    free(loadable->order);
    free(loadable->path);
    free(loadable->file);
    free(loadable);
}

/* ---- memory ---- */

bool loadable_place(struct loadable *loadable, uint64_t base, uint64_t secondary, int address_bits, struct error *err) {
    uint64_t next[SPACE_COUNT] = {[SPACE_PRIMARY] = base, [SPACE_SECONDARY] = secondary};
    const uint64_t last = UINT64_MAX >> (64 - address_bits);
    for (size_t i = 0; i < loadable->memory_count; i++) {
        struct loadable_memory *memory = &loadable->memories[i];
        const uint64_t alignment = memory->alignment > ALIGNMENT ? memory->alignment : ALIGNMENT;
        memory->space = memory->domain == 0 ? SPACE_PRIMARY : SPACE_SECONDARY;
        const uint64_t at = next[memory->space];
        memory->base = (at + alignment - 1) & ~(alignment - 1);
        if (memory->base < at || memory->base > last || loadable_reserved(memory) > last - memory->base)
            return error_set(err,
                             "%s: memory %u of 0x%" PRIx64 " bytes begins at 0x%" PRIx64 " and ends past 0x%" PRIx64
                             ", the last address of %d bits; choose a smaller --base",
                             loadable->path, memory->id, memory->size, memory->base, last, address_bits);
        next[memory->space] = memory->base + loadable_reserved(memory);
    }
    return true;
}

void loadable_content(const struct loadable *loadable, const struct loadable_memory *memory, uint64_t offset,
                      void *bytes, size_t n) {
    uint8_t *to = bytes;
    memset(to, 0, n);
    for (size_t i = 0; i < memory->content_count; i++) {
        const struct loadable_content *content = &memory->contents[i];
        const struct loadable_blob *blob = &loadable->blobs[content->blob];
        const uint64_t first = content->offset > offset ? content->offset : offset;
        const uint64_t blob_end = content->offset + blob->n, end = blob_end < offset + n ? blob_end : offset + n;
        if (first < end)
            memcpy(to + (first - offset), blob->bytes + (first - content->offset), (size_t)(end - first));
    }
}

const struct loadable_blob *loadable_blob_named(const struct loadable *loadable, const char *name) {
    for (size_t i = 0; i < loadable->blob_count; i++)
        if (strcmp(loadable->blobs[i].name, name) == 0)
            return &loadable->blobs[i];
    return NULL;
}
