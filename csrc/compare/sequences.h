/* Pairs the elements of two sequences in their order, so that what is missing or inserted leaves a gap. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* partners[] of elements that the second sequence has not. */
#define NO_PARTNER ((size_t)-1)

/* Two sequences of counts[0] and counts[1] elements. cost: how different element i of the first is from element k of
 * the second, 0 if they are equal; gap: cost of an element without a partner, 1 to 1000. */
struct sequences {
    size_t counts[2];
    unsigned gap;
    unsigned (*cost)(const void *context, size_t i, size_t k);
    const void *context;
};

/* Sets partners[i] for each element of the first sequence, with the least sum of costs. False if the sequences are too
 * long for that (16 million pairs without their equal beginnings and ends): then they are paired by number. */
bool sequences_pair(const struct sequences *sequences, size_t *partners);
