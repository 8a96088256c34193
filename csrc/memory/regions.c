/* The declared regions of a memory. See memory.h. */
#include <string.h>

#include "memory/image.h"
#include "nvdla/xalloc.h"

/* Index of the first region that ends at or after the address; region_count if there is none. */
static size_t first_region(const struct memory *mem, uint64_t address) {
    size_t low = 0, high = mem->region_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (mem->regions[middle].last < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Replaces `count` regions from index `at` with `with` (0..2 of them). */
static void replace_regions(struct memory *mem, size_t at, size_t count, const struct region *with, size_t with_count) {
    if (mem->region_count + with_count - count > mem->region_room) {
        mem->region_room = (mem->region_count + with_count) * 2;
        mem->regions = xrealloc(mem->regions, mem->region_room * sizeof *mem->regions);
    }
    const size_t tail = mem->region_count - at - count;
    if (tail > 0)
        memmove(&mem->regions[at + with_count], &mem->regions[at + count], tail * sizeof *mem->regions);
    for (size_t i = 0; i < with_count; i++)
        mem->regions[at + i] = with[i];
    mem->region_count = mem->region_count + with_count - count;
}

void memory_declare(struct memory *mem, uint64_t address, uint64_t n) {
    n = clamp_length(address, n);
    if (n == 0)
        return;
    struct region merged = {address, address + (n - 1)};
    const size_t at = first_region(mem, address ? address - 1 : 0); /* one that ends just before it is a neighbour */
    size_t end = at;
    while (end < mem->region_count && (merged.last == UINT64_MAX || mem->regions[end].first <= merged.last + 1)) {
        if (mem->regions[end].first < merged.first)
            merged.first = mem->regions[end].first;
        if (mem->regions[end].last > merged.last)
            merged.last = mem->regions[end].last;
        end++;
    }
    replace_regions(mem, at, end - at, &merged, 1);
}

void memory_undeclare(struct memory *mem, uint64_t address, uint64_t n) {
    n = clamp_length(address, n);
    if (n == 0)
        return;
    const uint64_t last = address + (n - 1);
    const size_t at = first_region(mem, address);
    struct region rest[2];
    size_t rest_count = 0, end = at;
    while (end < mem->region_count && mem->regions[end].first <= last) {
        if (mem->regions[end].first < address)
            rest[rest_count++] = (struct region){mem->regions[end].first, address - 1};
        if (mem->regions[end].last > last)
            rest[rest_count++] = (struct region){last + 1, mem->regions[end].last};
        end++;
    }
    if (end > at)
        replace_regions(mem, at, end - at, rest, rest_count);
}

bool memory_all_declared(const struct memory *mem, uint64_t address, size_t n) {
    if (n == 0)
        return true;
    if (mem->base)
        return memory_all_declared(mem->base, address, n);
    const size_t i = first_region(mem, address);
    return i < mem->region_count && mem->regions[i].first <= address && mem->regions[i].last - address >= n - 1;
}

bool memory_any_declared(const struct memory *mem, uint64_t address, size_t n) {
    const uint64_t count = clamp_length(address, n);
    if (count == 0)
        return false;
    if (mem->base)
        return memory_any_declared(mem->base, address, n);
    const size_t i = first_region(mem, address);
    return i < mem->region_count && mem->regions[i].first <= address + (count - 1);
}

size_t memory_region_count(const struct memory *mem) {
    return mem->region_count;
}

void memory_region(const struct memory *mem, size_t index, uint64_t *address, uint64_t *n) {
    const struct region *region = &mem->regions[index];
    const uint64_t above_first = region->last - region->first;
    *address = region->first;
    *n = above_first == UINT64_MAX ? UINT64_MAX : above_first + 1;
}
