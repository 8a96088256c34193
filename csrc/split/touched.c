/* Sets of ranges of addresses. See touched.h. */
#include "split/touched.h"

#include <stdlib.h>

#include "memory/memory.h"
#include "nvdla/xalloc.h"

enum { ROOM_FIRST = 1024 };

void touched_free(struct touched *touched) {
    free(touched->ranges);
    *touched = (struct touched){0};
}

static int range_order(const void *left, const void *right) {
    const struct range *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

static uint64_t range_end(const struct range *range) {
    return range->start + range->size;
}

void touched_sort(struct touched *touched) {
    size_t kept = 0;
    if (touched->count == 0)
        return;
    qsort(touched->ranges, touched->count, sizeof *touched->ranges, range_order);
    for (size_t i = 1; i < touched->count; i++) {
        struct range *last = &touched->ranges[kept];
        const struct range *next = &touched->ranges[i];
        if (next->start > range_end(last))
            touched->ranges[++kept] = *next;
        else if (range_end(next) > range_end(last))
            last->size = range_end(next) - last->start;
    }
    touched->count = kept + 1;
}

/* If full, sorts the ranges first; doubles the capacity only if that frees less than half of it. */
static void append(struct touched *touched, uint64_t start, uint64_t size) {
    if (touched->count == touched->room) {
        touched_sort(touched);
        if (touched->count >= touched->room / 2) {
            touched->room = touched->room ? 2 * touched->room : ROOM_FIRST;
            touched->ranges = xrealloc(touched->ranges, touched->room * sizeof *touched->ranges);
        }
    }
    touched->ranges[touched->count++] = (struct range){start, size};
}

void touched_add(struct touched *touched, uint64_t start, uint64_t size) {
    if (size > UINT64_MAX - start)
        size = UINT64_MAX - start;
    struct range *last = touched->count ? &touched->ranges[touched->count - 1] : NULL;
    if (size == 0)
        return;
    if (last && start >= last->start && start <= range_end(last)) {
        if (start + size > range_end(last))
            last->size = start + size - last->start;
        return;
    }
    append(touched, start, size);
}

struct touched touched_pages(const struct touched *touched, uint64_t around) {
    const uint64_t page = MEMORY_PAGE, wide = around * page;
    struct touched pages = {0};
    for (size_t i = 0; i < touched->count; i++) {
        const struct range *range = &touched->ranges[i];
        const uint64_t first = range->start / page * page, start = first > wide ? first - wide : 0;
        const uint64_t last = (range_end(range) - 1) / page * page, rest = UINT64_MAX - last;
        touched_add(&pages, start, last - start + (rest > wide + page ? wide + page : rest));
    }
    touched_sort(&pages);
    return pages;
}
