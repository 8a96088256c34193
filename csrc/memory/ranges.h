/* Sets of ranges of bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of bytes. */
struct range {
    uint64_t start, size;
};

/* Ranges, in the order of ranges_add() until ranges_sort(). Zero-initialise. */
struct ranges {
    struct range *list;
    size_t count, room;
};

void ranges_free(struct ranges *ranges);
/* Adds [start, start + size), cut off at the end of the address space. */
void ranges_add(struct ranges *ranges, uint64_t start, uint64_t size);
/* Makes the ranges disjoint, ascending, and not adjacent. */
void ranges_sort(struct ranges *ranges);

/* A copy with each range widened to whole pages plus a number of pages at both ends; sorted. */
struct ranges ranges_pages(const struct ranges *ranges, uint64_t around);
