/* The sparse image.
 *
 * A page holds 512 bytes: surfaces of cubes are far apart, and touching larger pages would cost more than computing the
 * layer. Pages are allocated in slabs. All pages that a fill covers whole are one shared page until something else is
 * written to them: traces fill megabytes for a layer of some kilobytes. 512 pages (256 KiB) form a chunk. Chunks are in
 * an open-addressing hash table with their numbers in the slots, so finding a byte takes one multiplication, one
 * compare (more only on collisions) and one table read. A second array holds the chunks in ascending order, for walks
 * and comparisons.
 *
 * Provenance is one index per byte, stored as coarsely as the writes allow: one per page if all bytes share it, except
 * for granules of 8 bytes that were loaded; one per granule while writes are aligned to granules, as AXI beats are; one
 * per byte otherwise. So loads and fills cost nothing.
 *
 * A mapped range has its bytes elsewhere, and pages of the image only for their origins, made when they are written.
 *
 * Addresses do not wrap: bytes of an access beyond the last address 2^64 - 1 read as 0 and are not written. */
#pragma once

#include "memory/memory.h"

enum { PAGE = 512, CHUNK_PAGES = 512, SLAB_PAGES = 32, FIRST_SLOTS = 16, GRANULE = 8 };

/* Meaning of a byte's index: ORIGIN_NONE never written, ORIGIN_BACK_DOOR loader or fill, others origins[index -
 * ORIGIN_FIRST]. */
enum { ORIGIN_NONE = 0, ORIGIN_BACK_DOOR = 1, ORIGIN_FIRST = 2 };

struct page {
    uint32_t uniform;   /* index of all bytes except those in loaded, while granules and indices are NULL */
    uint64_t loaded;    /* one bit per granule whose index is ORIGIN_BACK_DOOR, while granules and indices are NULL */
    uint32_t *granules; /* one index per granule while indices is NULL */
    uint32_t *indices;  /* one per byte */
    uint8_t bytes[PAGE];
};

struct slab {
    struct slab *next;
    struct page pages[SLAB_PAGES];
};

struct chunk {
    uint64_t number; /* address / (CHUNK_PAGES * PAGE) */
    struct page *pages[CHUNK_PAGES];
};

struct chunk_slot {
    uint64_t number;
    struct chunk *chunk; /* NULL: free */
};

/* Declared bytes first..last, both inclusive, so that a region can reach the end of the address space. */
struct region {
    uint64_t first, last;
};

/* Bytes that belong to the caller: pages `first` to `last`. */
struct mapping {
    uint64_t first, last;
    uint8_t *bytes;
    bool writable;
};

_Static_assert(PAGE / GRANULE == 64, "a bit of page.loaded for each granule");

struct memory {
    struct chunk_slot *slots; /* 2^slot_bits of them, at most half in use */
    int slot_bits;
    struct chunk **chunks; /* ascending; room for as many as the slots may hold */
    size_t chunk_count;
    struct slab *slabs;                 /* newest first */
    size_t slab_left;                   /* free pages in it */
    struct page *filled[UINT8_MAX + 1]; /* by value: the shared, never written page of that fill; or NULL */
    struct memory_origin *origins;
    size_t origin_count, origin_room;
    struct memory_listener listener;
    struct region *regions; /* ascending, at least one byte between neighbours */
    size_t region_count, region_room;
    struct mapping *mappings; /* ascending */
    size_t mapping_count;
    bool confined, held;
    const struct memory *base; /* of a copy-on-write image; else NULL */
};

static const uint8_t zero_page[PAGE];

static inline uint64_t page_number(uint64_t address) {
    return address / PAGE;
}

/* Bytes of [address, address + n) that exist. */
static inline uint64_t clamp_length(uint64_t address, uint64_t n) {
    return n != 0 && n - 1 > UINT64_MAX - address ? UINT64_MAX - address + 1 : n;
}

static inline size_t slot_of(const struct memory *mem, uint64_t number) {
    return (size_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - mem->slot_bits));
}

/* The slot of that chunk, or the free slot where it would go. */
static inline struct chunk_slot *find_slot(const struct memory *mem, uint64_t number) {
    const size_t mask = ((size_t)1 << mem->slot_bits) - 1;
    size_t i = slot_of(mem, number);
    while (mem->slots[i].chunk && mem->slots[i].number != number)
        i = (i + 1) & mask;
    return &mem->slots[i];
}

/* The page of that number (address / PAGE), NULL if nothing was written to it. */
static inline struct page *find_page(const struct memory *mem, uint64_t number) {
    const struct chunk *chunk = find_slot(mem, number / CHUNK_PAGES)->chunk;
    return chunk ? chunk->pages[number % CHUNK_PAGES] : NULL;
}

/* Index in chunks[] of the first chunk with at least that number; chunk_count if there is none. */
static inline size_t first_chunk(const struct memory *mem, uint64_t number) {
    size_t low = 0, high = mem->chunk_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (mem->chunks[middle]->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The mapping of a page, NULL if it is in none. */
static inline const struct mapping *find_mapping(const struct memory *mem, uint64_t number) {
    size_t low = 0, high = mem->mapping_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (mem->mappings[middle].last < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < mem->mapping_count && mem->mappings[low].first <= number ? &mem->mappings[low] : NULL;
}

static inline uint8_t *mapped_bytes(const struct mapping *mapping, uint64_t number) {
    return mapping->bytes + (number - mapping->first) * PAGE;
}

/* The bytes of a page; page: NULL if nothing was written to it. */
static inline const uint8_t *page_bytes(const struct memory *mem, uint64_t number, const struct page *page) {
    const struct mapping *mapping = mem->mapping_count ? find_mapping(mem, number) : NULL;
    return mapping ? mapped_bytes(mapping, number) : page ? page->bytes : zero_page;
}

/* The first page whose number is at least *number, and its number; NULL if there is none. */
static inline struct page *next_page(const struct memory *mem, uint64_t *number) {
    uint64_t from = *number;
    for (size_t i = first_chunk(mem, from / CHUNK_PAGES); i < mem->chunk_count; i++) {
        const struct chunk *chunk = mem->chunks[i];
        size_t k = chunk->number == from / CHUNK_PAGES ? (size_t)(from % CHUNK_PAGES) : 0;
        for (; k < CHUNK_PAGES; k++)
            if (chunk->pages[k]) {
                *number = chunk->number * CHUNK_PAGES + k;
                return chunk->pages[k];
            }
    }
    return NULL;
}

/* Bytes from an offset inside a page to the page's end, at most n. */
static inline size_t piece_length(uint64_t address, uint64_t n) {
    const size_t room = PAGE - (size_t)(address % PAGE);
    return n < room ? (size_t)n : room;
}
