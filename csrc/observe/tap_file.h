/* The format of the files of element streams, inside csrc/observe. A file is a line of text that names the stream, its
 * byte order, then blocks. A block holds elements of one launch, up to a fixed number of bytes, in three parts: where
 * the elements stand, in rectangles as large as they can be; the elements, each in as few bytes as the block's largest
 * needs; the clocks of the beats. Each part is an LZ4 block: what cannot be made smaller, such as sums of noise, must
 * cost hardly more than copying it, and deflate takes ten times as long for that. The first two parts do not depend on
 * the batches in which the elements were heard, so that model and RTL leave the same bytes for the same elements:
 * blocks are compared as they are in the files, and taken apart only where they differ.
 */
#ifndef OBSERVE_TAP_FILE_H
#define OBSERVE_TAP_FILE_H

#include <lz4.h>
#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

#include "observe/tap.h"

#define TAP_FILE_LINE "nvcosim tap 5 %d %d %d" /* unit, tap, client */
#define TAP_FILE_ENDING ".tap"

enum { BYTE_ORDER_MARK = 0x01020304 };

enum { BLOCK_BYTES = 1 << 16 /* of a full block's elements, before they are packed */ };

/* The head of a block, a word of 32 bits each. */
enum {
    ELEMENTS,
    ORDINAL,
    KIND,          /* enum tap_format, from bit 8 on the bytes of an element here, from bit 16 on the width */
    PLACES,        /* bytes of the rectangles */
    PLACES_HELD,   /* compressed, as they follow the head */
    ELEMENTS_HELD, /* then the elements */
    CLOCKS,        /* bytes of the clocks */
    CLOCKS_HELD,   /* compressed, at the end */
    CHECK,         /* adler32 of the words above and of all that follows */
    HEAD_WORDS,
};

/* What is said of a rectangle: a number each, given as the difference to the one before in the block, and first which
 * of them are not zero. */
enum { BATCH, CHANNEL, LINE, COLUMN, REDUCTION, ADDRESS, FLAGS, ROWS, LANES, RECORD_FIELDS };

enum { NUMBER_BYTES = 10 /* of a number at most */ };

/* Beats of `elements` elements each, `step` clocks apart. */
struct beats {
    uint64_t count, elements, step;
};

/* Integers stand in a block in as many bytes as its largest one needs, other elements in all of theirs. */
static inline bool is_integer(enum tap_format format) {
    return format != TAP_FP16 && format != TAP_FP32;
}

/* Bytes that `size` bytes take at most. */
static inline size_t bound_of(size_t size) {
    return (size_t)LZ4_COMPRESSBOUND(size);
}

static inline uint32_t check_of(const uint32_t head[HEAD_WORDS], const uint8_t *packed, size_t size) {
    return (uint32_t)adler32(adler32(1, (const Bytef *)head, CHECK * sizeof head[0]), packed, (uInt)size);
}

/* Bytes behind the head that do not depend on clocks, and all. */
static inline size_t content_held(const uint32_t head[HEAD_WORDS]) {
    return head[PLACES_HELD] + head[ELEMENTS_HELD];
}

static inline size_t all_held(const uint32_t head[HEAD_WORDS]) {
    return content_held(head) + head[CLOCKS_HELD];
}

#endif
