/* The memory that a piece reads and writes. */
#ifndef SPLIT_TOUCHED_H
#define SPLIT_TOUCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of bytes. */
struct range {
    uint64_t start, size;
};

/* Ranges, in the order of touched_add() until touched_sort(). Zero-initialise. */
struct touched {
    struct range *ranges;
    size_t count, room;
};

void touched_free(struct touched *touched);
/* Adds [start, start + size), cut off at the end of the address space. */
void touched_add(struct touched *touched, uint64_t start, uint64_t size);
/* Makes the ranges disjoint, ascending, and not adjacent. */
void touched_sort(struct touched *touched);

/* A copy with each range widened to whole pages plus a number of pages at both ends; sorted. */
struct touched touched_pages(const struct touched *touched, uint64_t around);

#endif
