/* Sets of ranges of addresses. See ranges.h. */
#include "memory/ranges.h"

#include <stdlib.h>

#include "memory/memory.h"
#include "nvdla/xalloc.h"

enum { ROOM_FIRST = 1024 };

void ranges_free(struct ranges *ranges) {
    free(ranges->list);
    *ranges = (struct ranges){0};
}

static int range_order(const void *left, const void *right) {
    const struct range *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

static uint64_t range_end(const struct range *range) {
    return range->start + range->size;
}

void ranges_sort(struct ranges *ranges) {
    size_t kept = 0;
    if (ranges->count == 0)
        return;
    qsort(ranges->list, ranges->count, sizeof *ranges->list, range_order);
    for (size_t i = 1; i < ranges->count; i++) {
        struct range *last = &ranges->list[kept];
        const struct range *next = &ranges->list[i];
        if (next->start > range_end(last))
            ranges->list[++kept] = *next;
        else if (range_end(next) > range_end(last))
            last->size = range_end(next) - last->start;
    }
    ranges->count = kept + 1;
}

/* If full, sorts the ranges first; doubles the capacity only if that frees less than half of it. */
static void append(struct ranges *ranges, uint64_t start, uint64_t size) {
    if (ranges->count == ranges->room) {
        ranges_sort(ranges);
        if (ranges->count >= ranges->room / 2) {
            ranges->room = ranges->room ? 2 * ranges->room : ROOM_FIRST;
            ranges->list = xrealloc(ranges->list, ranges->room * sizeof *ranges->list);
        }
    }
    ranges->list[ranges->count++] = (struct range){start, size};
}

void ranges_add(struct ranges *ranges, uint64_t start, uint64_t size) {
    if (size > UINT64_MAX - start)
        size = UINT64_MAX - start;
    struct range *last = ranges->count ? &ranges->list[ranges->count - 1] : NULL;
    if (size == 0)
        return;
    if (last && start >= last->start && start <= range_end(last)) {
        if (start + size > range_end(last))
            last->size = start + size - last->start;
        return;
    }
    append(ranges, start, size);
}

struct ranges ranges_pages(const struct ranges *ranges, uint64_t around) {
    const uint64_t page = MEMORY_PAGE, wide = around * page;
    struct ranges pages = {0};
    for (size_t i = 0; i < ranges->count; i++) {
        const struct range *range = &ranges->list[i];
        const uint64_t first = range->start / page * page, start = first > wide ? first - wide : 0;
        const uint64_t last = (range_end(range) - 1) / page * page, rest = UINT64_MAX - last;
        ranges_add(&pages, start, last - start + (rest > wide + page ? wide + page : rest));
    }
    ranges_sort(&pages);
    return pages;
}
