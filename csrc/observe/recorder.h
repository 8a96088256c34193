/* Keeps every element of the streams that it hears, each tap in a compressed file of its own, and compares two such
 * files: the first element that differs between model and RTL says where an engine goes wrong.
 *
 * A file holds the launches of a tap in the order in which they were heard, each element with its place and clock.
 * The batches in which elements came leave no trace: elements are compared in their order, row by row, lane by lane,
 * with their places as far as both are known, clocks apart. Where model and RTL know the same of each element their
 * files differ in the clocks only, and comparing them costs little more than reading them.
 */
#ifndef OBSERVE_RECORDER_H
#define OBSERVE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "nvdla/error.h"
#include "observe/tap.h"

struct recorder;

/* Records into a folder, which exists. Files are made when their tap is first heard. */
struct recorder *recorder_new(const char *directory);

/* Records the streams of these units only (bit enum nvdla_unit); of all otherwise. */
void recorder_units(struct recorder *recorder, uint32_t units);

/* Records only launches of the unit from this ordinal on; from the first one on otherwise. */
void recorder_from(struct recorder *recorder, enum nvdla_unit unit, int ordinal);

/* What hears for the recorder, which outlives it. A reset of the device empties the files. */
struct tap_listener recorder_listener(struct recorder *recorder);

/* Ends the recording and frees the recorder. False, with a message that names the file, if something could not be
 * written. */
bool recorder_close(struct recorder *recorder, struct error *err);

/* Name of a stream's file: "SDP.SDP_OUT.tap", "CDMA.AXI_READ.8.tap" with the client's ID. Returns text. */
char *recorder_file_name(const struct tap_stream *stream, char *text, size_t size);

struct tap_element {
    struct tap_position at; /* of this element, as far as its batch's is known */
    int64_t value;          /* integers; FP16 and FP32: the pattern */
};

struct tap_reader;

/* Opens a recorded file; NULL with a message if it is none. */
struct tap_reader *tap_reader_open(const char *path, struct error *err);
void tap_reader_close(struct tap_reader *reader);

enum tap_read { TAP_READ_ELEMENT, TAP_READ_END, TAP_READ_FAILED };

/* The next element in the file. */
enum tap_read tap_reader_next(struct tap_reader *reader, struct tap_element *element, struct error *err);

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
