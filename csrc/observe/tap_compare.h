/* Compares two recorded files: the first element that differs between model and RTL shows where an engine goes wrong.
 *
 * Elements are compared in order, row by row, lane by lane, with their places as far as both are known, without clocks.
 * If model and RTL know the same about each element, their files differ in the clocks only, and comparing them costs
 * little more than reading them. */
#pragma once

#include "observe/tap_reader.h"

struct tap_difference {
    uint64_t compared; /* equal elements before it, or all */
    bool differs;
    bool a_ended, b_ended;    /* one stream is longer */
    int skipped_a, skipped_b; /* launches skipped because the other file begins later */
    struct tap_element a, b;  /* the elements; for a stream that has ended, its last */
};

/* Compares two files element by element, and launches if both know them. If one file begins with a later launch, the
 * comparison begins there. False with a message if one cannot be read. */
bool tap_compare(const char *a, const char *b, struct tap_difference *difference, struct error *err);

/* Place of an element, for the user: "launch 0, channel 3, y 1, x 2", "launch 1, kernel 7, y 0, x 3, atomic operation
 * 5", "launch 0, address 0x80000010", and the cycle if known. Returns text. */
char *tap_element_text(const struct tap_element *element, char *text, size_t size);

/* The value of an element, for the user: an integer, or a number and its pattern, "-0.25 (0xb400)"; partial sums of
 * FP16 with exponent and mantissa. Returns text. */
enum { TAP_VALUE_TEXT = 64 };
char *tap_value_text(const struct tap_element *element, char text[TAP_VALUE_TEXT]);

/* A difference, for the user: place of the first element that differs, and both values. name_a, name_b: sources of the
 * files. Returns text. */
char *tap_difference_text(const struct tap_difference *difference, const char *name_a, const char *name_b, char *text,
                          size_t size);

/* Calls `each` for every stream with a file in one of two folders, in the order of the data path. name: file name
 * without its ending. */
struct tap_pair {
    const char *name;
    char *a, *b; /* paths; NULL: not in that folder */
};
void tap_pairs(const char *folder_a, const char *folder_b, void (*each)(void *context, const struct tap_pair *pair),
               void *context);
