/* Bytes of a sparse image: its pages, their origins, the memory of callers. See image.h and memory.h. */
#include "memory/image.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

static void grow_slots(struct memory *mem) {
    free(mem->slots);
    mem->slot_bits++;
    const size_t count = (size_t)1 << mem->slot_bits;
    mem->slots = xcalloc(count, sizeof *mem->slots);
    mem->chunks = xrealloc(mem->chunks, count / 2 * sizeof(struct chunk *));
    for (size_t i = 0; i < mem->chunk_count; i++)
        *find_slot(mem, mem->chunks[i]->number) = (struct chunk_slot){mem->chunks[i]->number, mem->chunks[i]};
}

static struct chunk *make_chunk(struct memory *mem, uint64_t number) {
    if (mem->chunk_count == (size_t)1 << (mem->slot_bits - 1))
        grow_slots(mem);
    struct chunk *chunk = xcalloc(1, sizeof *chunk);
    chunk->number = number;
    *find_slot(mem, number) = (struct chunk_slot){number, chunk};
    const size_t at = first_chunk(mem, number);
    memmove(&mem->chunks[at + 1], &mem->chunks[at], (mem->chunk_count - at) * sizeof(struct chunk *));
    mem->chunks[at] = chunk;
    mem->chunk_count++;
    return chunk;
}

/* Where the page of that number is, or will be. */
static struct page **page_place(struct memory *mem, uint64_t number) {
    struct chunk *chunk = find_slot(mem, number / CHUNK_PAGES)->chunk;
    if (!chunk)
        chunk = make_chunk(mem, number / CHUNK_PAGES);
    return &chunk->pages[number % CHUNK_PAGES];
}

static struct page *new_page(struct memory *mem) {
    if (!mem->slab_left) {
        struct slab *slab = xcalloc(1, sizeof *slab);
        slab->next = mem->slabs;
        mem->slabs = slab;
        mem->slab_left = SLAB_PAGES;
    }
    return &mem->slabs->pages[--mem->slab_left];
}

static bool is_shared(const struct memory *mem, const struct page *page) {
    return page == mem->filled[page->bytes[0]];
}

static struct page *filled_page(struct memory *mem, uint8_t value) {
    struct page **page = &mem->filled[value];
    if (!*page) {
        *page = new_page(mem);
        (*page)->uniform = ORIGIN_BACK_DOOR;
        memset((*page)->bytes, value, PAGE);
    }
    return *page;
}

/* The page of that number, to be written. */
static struct page *make_page(struct memory *mem, uint64_t number) {
    struct page **page = page_place(mem, number), *before = *page;
    if (!before || is_shared(mem, before)) {
        *page = new_page(mem);
        if (before)
            **page = *before;
    }
    return *page;
}

struct memory *memory_new(void) {
    struct memory *mem = xcalloc(1, sizeof *mem);
    mem->slots = xcalloc(FIRST_SLOTS, sizeof *mem->slots);
    mem->chunks = xmalloc(FIRST_SLOTS / 2 * sizeof(struct chunk *));
    for (size_t count = FIRST_SLOTS; count > 1; count /= 2)
        mem->slot_bits++;
    return mem;
}

void memory_free(struct memory *mem) {
    if (!mem)
        return;
    while (mem->slabs) {
        struct slab *next = mem->slabs->next;
        for (size_t i = 0; i < SLAB_PAGES; i++) {
            free(mem->slabs->pages[i].granules);
            free(mem->slabs->pages[i].indices);
        }
        free(mem->slabs);
        mem->slabs = next;
    }
    for (size_t i = 0; i < mem->chunk_count; i++)
        free(mem->chunks[i]);
    free(mem->slots);
    free(mem->chunks);
    free(mem->origins);
    free(mem->regions);
    free(mem->mappings);
    free(mem);
}

/* Reads bytes that exist of a copy-on-write image. */
static void read_over(const struct memory *mem, uint64_t address, uint8_t *to, size_t n) {
    for (uint64_t run; n > 0; address += run, to += run, n -= (size_t)run)
        if (memory_origin_run(mem, address, n, NULL, &run))
            memcpy(to, find_page(mem, page_number(address))->bytes + address % PAGE, (size_t)run);
        else
            memory_read(mem->base, address, to, (size_t)run);
}

void memory_read(const struct memory *mem, uint64_t address, void *bytes, size_t n) {
    uint8_t *to = bytes;
    size_t left = (size_t)clamp_length(address, n);
    if (left < n)
        memset(to + left, 0, n - left);
    if (mem->base) {
        read_over(mem, address, to, left);
        return;
    }
    while (left > 0) {
        const size_t piece = piece_length(address, left);
        const uint64_t number = page_number(address);
        memcpy(to, page_bytes(mem, number, find_page(mem, number)) + address % PAGE, piece);
        to += piece;
        address += piece;
        left -= piece;
    }
}

/* Index of an origin; equal ones in a row share an entry. */
static uint32_t origin_index(struct memory *mem, const struct memory_origin *origin) {
    if (!origin)
        return ORIGIN_BACK_DOOR;
    if (mem->origin_count > 0) {
        const struct memory_origin *last = &mem->origins[mem->origin_count - 1];
        if (last->cycle == origin->cycle && last->unit == origin->unit && last->axi_id == origin->axi_id &&
            last->ordinal == origin->ordinal)
            return (uint32_t)(mem->origin_count - 1 + ORIGIN_FIRST);
    }
    if (mem->origin_count == mem->origin_room) {
        if (mem->origin_room >= UINT32_MAX / 2)
            abort();
        mem->origin_room = mem->origin_room ? mem->origin_room * 2 : 256;
        mem->origins = xrealloc(mem->origins, mem->origin_room * sizeof *mem->origins);
    }
    mem->origins[mem->origin_count++] = *origin;
    return (uint32_t)(mem->origin_count - 1 + ORIGIN_FIRST);
}

static uint32_t index_at(const struct page *page, size_t offset) {
    if (page->indices)
        return page->indices[offset];
    if (page->granules)
        return page->granules[offset / GRANULE];
    return page->loaded >> (offset / GRANULE) & 1 ? ORIGIN_BACK_DOOR : page->uniform;
}

/* An array of count indices, all with the page's current index. */
static uint32_t *spread_indices(const struct page *page, size_t count) {
    uint32_t *indices = xmalloc(count * sizeof *indices);
    for (size_t i = 0; i < count; i++)
        indices[i] = index_at(page, i * (PAGE / count));
    return indices;
}

static void set_origin(struct page *page, size_t offset, size_t n, uint32_t index) {
    if (n == PAGE) {
        free(page->granules);
        free(page->indices);
        page->granules = page->indices = NULL;
        page->loaded = 0;
        page->uniform = index;
        return;
    }
    const bool aligned = (offset | n) % GRANULE == 0;
    if (!page->granules && !page->indices) {
        if (page->uniform == index && (!page->loaded || index == ORIGIN_BACK_DOOR))
            return;
        if (aligned && index == ORIGIN_BACK_DOOR) {
            page->loaded |= (((uint64_t)1 << n / GRANULE) - 1) << offset / GRANULE;
            return;
        }
    }
    if (!page->indices && aligned) {
        if (!page->granules)
            page->granules = spread_indices(page, PAGE / GRANULE);
        for (size_t i = offset / GRANULE; i < (offset + n) / GRANULE; i++)
            page->granules[i] = index;
        return;
    }
    if (!page->indices)
        page->indices = spread_indices(page, PAGE);
    for (size_t i = 0; i < n; i++)
        page->indices[offset + i] = index;
}

/* Writes n bytes with the same index; if from is NULL, n times value. The range must exist. */
static void write_run(struct memory *mem, uint64_t address, const uint8_t *from, uint8_t value, uint64_t n,
                      uint32_t index) {
    while (n > 0) {
        const size_t piece = piece_length(address, n);
        const size_t offset = (size_t)(address % PAGE);
        const struct mapping *mapping = mem->mapping_count ? find_mapping(mem, page_number(address)) : NULL;
        if (!mapping || mapping->writable) {
            struct page *page = make_page(mem, page_number(address));
            uint8_t *to = (mapping ? mapped_bytes(mapping, page_number(address)) : page->bytes) + offset;
            if (from)
                memcpy(to, from, piece);
            else
                memset(to, value, piece);
            set_origin(page, offset, piece, index);
        }
        if (from)
            from += piece;
        address += piece;
        n -= piece;
    }
}

static bool strobed(const uint8_t *strobe, size_t i) {
    return (strobe[i / 8] >> (i % 8) & 1) != 0;
}

void memory_listen(struct memory *mem, struct memory_listener listener) {
    mem->listener = listener;
}

void memory_read_for(const struct memory *mem, uint64_t address, void *bytes, size_t n,
                     const struct memory_origin *origin) {
    memory_read(mem, address, bytes, n);
    if (mem->listener.read)
        mem->listener.read(mem->listener.context, address, n, origin);
}

/* Writes a run of bytes, all enabled. */
static void write_bytes(struct memory *mem, uint64_t address, const uint8_t *from, size_t n, uint32_t index,
                        const struct memory_origin *origin) {
    write_run(mem, address, from, 0, n, index);
    if (origin && mem->listener.written)
        mem->listener.written(mem->listener.context, address, n, origin);
}

/* Writes those granules that are declared whole. */
static void write_declared(struct memory *mem, uint64_t address, const uint8_t *from, size_t n, const uint8_t *strobe,
                           const struct memory_origin *origin) {
    for (size_t at = 0; at < n; at += GRANULE) {
        const size_t part = n - at < GRANULE ? n - at : GRANULE;
        if (memory_all_declared(mem, address + at, part))
            memory_write(mem, address + at, from + at, part, strobe ? strobe + at / 8 : NULL, origin);
    }
}

void memory_write(struct memory *mem, uint64_t address, const void *bytes, size_t n, const uint8_t *strobe,
                  const struct memory_origin *origin) {
    const uint8_t *from = bytes;
    const size_t count = (size_t)clamp_length(address, n);
    if (count == 0)
        return;
    if (mem->confined && origin && !memory_all_declared(mem, address, count)) {
        write_declared(mem, address, from, count, strobe, origin);
        return;
    }
    const uint32_t index = origin_index(mem, origin);
    if (!strobe) {
        write_bytes(mem, address, from, count, index, origin);
        return;
    }
    for (size_t i = 0; i < count;) {
        if (!strobed(strobe, i)) {
            i++;
            continue;
        }
        size_t end = i + 1;
        while (end < count && strobed(strobe, end))
            end++;
        write_bytes(mem, address + i, from + i, end - i, index, origin);
        i = end;
    }
}

void memory_fill(struct memory *mem, uint64_t address, uint64_t n, uint8_t value) {
    for (n = clamp_length(address, n); n > 0;) {
        const size_t piece = piece_length(address, n);
        struct page **page = page_place(mem, page_number(address));
        if (piece == PAGE && !find_mapping(mem, page_number(address)) && (!*page || is_shared(mem, *page)))
            *page = filled_page(mem, value);
        else
            write_run(mem, address, NULL, value, piece, ORIGIN_BACK_DOOR);
        address += piece;
        n -= piece;
    }
}

bool memory_origin_run(const struct memory *mem, uint64_t address, uint64_t n, struct memory_origin *origin,
                       uint64_t *run) {
    const struct page *page = find_page(mem, page_number(address));
    const size_t offset = (size_t)(address % PAGE), piece = piece_length(address, n);
    *run = piece;
    if (!page)
        return false;
    const uint32_t index = index_at(page, offset);
    if (page->granules || page->indices || page->loaded) {
        size_t same = 1;
        while (same < piece && index_at(page, offset + same) == index)
            same++;
        *run = same;
    }
    if (index == ORIGIN_NONE)
        return false;
    if (origin) {
        if (index == ORIGIN_BACK_DOOR)
            *origin = (struct memory_origin){.cycle = 0, .unit = -1, .axi_id = -1, .ordinal = -1};
        else
            *origin = mem->origins[index - ORIGIN_FIRST];
    }
    return true;
}

bool memory_origin_of(const struct memory *mem, uint64_t address, struct memory_origin *origin) {
    uint64_t run;
    return memory_origin_run(mem, address, 1, origin, &run);
}

/* ---- memory of the caller ---- */

bool memory_map(struct memory *mem, uint64_t address, uint64_t n, void *bytes, bool writable) {
    const struct mapping mapping = {page_number(address), page_number(address + (n - 1)), bytes, writable};
    size_t at = 0;
    if (n == 0 || (address | n) % MEMORY_PAGE != 0 || n - 1 > UINT64_MAX - address)
        return false;
    while (at < mem->mapping_count && mem->mappings[at].last < mapping.first)
        at++;
    if (at < mem->mapping_count && mem->mappings[at].first <= mapping.last)
        return false;
    mem->mappings = xgrow(mem->mappings, mem->mapping_count, sizeof *mem->mappings);
    memmove(&mem->mappings[at + 1], &mem->mappings[at], (mem->mapping_count - at) * sizeof *mem->mappings);
    mem->mappings[at] = mapping;
    mem->mapping_count++;
    memory_declare(mem, address, n);
    return true;
}

bool memory_unmap(struct memory *mem, uint64_t address) {
    for (size_t i = 0; i < mem->mapping_count; i++) {
        const struct mapping mapping = mem->mappings[i];
        if (mapping.first * PAGE != address)
            continue;
        mem->mapping_count--;
        memmove(&mem->mappings[i], &mem->mappings[i + 1], (mem->mapping_count - i) * sizeof *mem->mappings);
        struct page *page;
        for (uint64_t number = mapping.first; (page = next_page(mem, &number)) && number <= mapping.last; number++) {
            if (is_shared(mem, page))
                page = make_page(mem, number);
            memset(page->bytes, 0, PAGE);
            set_origin(page, 0, PAGE, ORIGIN_NONE);
        }
        memory_undeclare(mem, address, (mapping.last - mapping.first + 1) * PAGE);
        return true;
    }
    return false;
}

bool memory_writable(const struct memory *mem, uint64_t address) {
    if (mem->base)
        return memory_writable(mem->base, address);
    const struct mapping *mapping = mem->mapping_count ? find_mapping(mem, page_number(address)) : NULL;
    return !mapping || mapping->writable;
}

void memory_confine(struct memory *mem) {
    mem->confined = true;
}

void memory_over(struct memory *mem, const struct memory *base) {
    mem->base = base;
}

void memory_drop(struct memory *mem, uint64_t address, uint64_t n) {
    n = clamp_length(address, n);
    for (size_t piece; n > 0; address += piece, n -= piece) {
        piece = piece_length(address, n);
        if (find_page(mem, page_number(address)))
            set_origin(make_page(mem, page_number(address)), (size_t)(address % PAGE), piece, ORIGIN_NONE);
    }
}

void memory_hold(struct memory *mem, bool held) {
    mem->held = held;
}

bool memory_held(const struct memory *mem) {
    return mem->held;
}

size_t memory_origins(const struct memory *mem) {
    return mem->origin_count;
}

void memory_forget_origins(struct memory *mem) {
    struct page *page;
    for (uint64_t number = 0; (page = next_page(mem, &number)); number++)
        if (!is_shared(mem, page))
            set_origin(page, 0, PAGE, ORIGIN_BACK_DOOR);
    mem->origin_count = 0;
}
