/* Reads the files of a recorder, element by element or block by block. */
#pragma once

#include "nvdla/error.h"
#include "observe/tap.h"

struct tap_element {
    struct tap_position at; /* of this element, as far as known for its batch */
    int64_t value;          /* integers; FP16 and FP32: the pattern */
};

struct tap_reader;

/* Opens a recorded file; NULL with a message if it is not one. */
struct tap_reader *tap_reader_open(const char *path, struct error *err);
void tap_reader_close(struct tap_reader *reader);

enum tap_read { TAP_READ_ELEMENT, TAP_READ_END, TAP_READ_FAILED };

/* The next element in the file. */
enum tap_read tap_reader_next(struct tap_reader *reader, struct tap_element *element, struct error *err);

/* Moves to the next element without reading it; its launch is then known. */
enum tap_read tap_reader_reach(struct tap_reader *reader, struct error *err);

/* The launch of the current block; -1: unknown. */
int tap_reader_ordinal(const struct tap_reader *reader);

/* Skips the rest of the block. Returns the number of its elements. */
uint32_t tap_reader_pass(struct tap_reader *reader);

/* True if both are at the beginning of a block and these are equal, except for clocks. */
bool tap_reader_same_block(const struct tap_reader *a, const struct tap_reader *b);

/* The last element of a stream that has ended: TAP_READ_END with it, unless that fails. */
enum tap_read tap_reader_last(struct tap_reader *reader, struct tap_element *element, struct error *err);
