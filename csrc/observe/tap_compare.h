/* Compares two files of a recorder: the first element that differs between model and RTL says where an engine goes
 * wrong.
 *
 * Elements are compared in their order, row by row, lane by lane, with their places as far as both are known, clocks
 * apart. Where model and RTL know the same of each element their files differ in the clocks only, and comparing them
 * costs little more than reading them.
 */
#ifndef OBSERVE_TAP_COMPARE_H
#define OBSERVE_TAP_COMPARE_H

#include "observe/tap_reader.h"

struct tap_difference {
    uint64_t compared; /* elements that are equal before it, or all */
    bool differs;
    bool a_ended, b_ended;    /* one stream is longer */
    int skipped_a, skipped_b; /* launches before the one that the other file begins with */
    struct tap_element a, b;  /* the elements; that of a stream that has ended is its last */
};

/* Compares two files element by element; where both know their launches, those too. A file that begins with a later
 * launch than the other one is compared from there on. False with a message if one cannot be read. */
bool tap_compare(const char *a, const char *b, struct tap_difference *difference, struct error *err);

/* Where an element stands, for people: "launch 0, channel 3, y 1, x 2", "launch 1, kernel 7, y 0, x 3, atomic operation
 * 5", "launch 0, address 0x80000010"; with the cycle if it is known. Returns text. */
char *tap_element_text(const struct tap_element *element, char *text, size_t size);

/* The value of an element, for people: an integer, or the number and its pattern: "-0.25 (0xb400)"; partial sums of
 * FP16 with exponent and mantissa. Returns text. */
enum { TAP_VALUE_TEXT = 64 };
char *tap_value_text(const struct tap_element *element, char text[TAP_VALUE_TEXT]);

/* What a difference is, for people: where the first element stands that differs, and both values. name_a, name_b: whose
 * the files are. Returns text. */
char *tap_difference_text(const struct tap_difference *difference, const char *name_a, const char *name_b, char *text,
                          size_t size);

/* Calls `each` for every stream that has a file in one of two folders, in the order of the data path. name: of the file
 * without its ending. */
struct tap_pair {
    const char *name;
    char *a, *b; /* paths; NULL: that folder does not have it */
};
void tap_pairs(const char *folder_a, const char *folder_b, void (*each)(void *context, const struct tap_pair *pair),
               void *context);

#endif
