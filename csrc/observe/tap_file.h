/* The file format of element streams, private to csrc/observe. A file is a line of text that names the stream, the byte
 * order, and blocks. A block holds elements of one launch, up to a fixed number of bytes, in three parts: the places of
 * the elements, in rectangles as large as possible; the elements, each in as few bytes as the largest of the block
 * needs; the clocks of the beats. Each part is an LZ4 block: incompressible data, such as sums of noise, must cost
 * little more than a copy, and deflate takes ten times as long. The first two parts do not depend on how the elements
 * were batched, so model and RTL write the same bytes for the same elements: blocks are compared packed, and unpacked
 * only where they differ. */
#pragma once

#include <lz4.h>
#include <string.h>

#include "observe/tap.h"

#define TAP_FILE_LINE "nvcosim tap 6 %d %d %d" /* unit, tap, client */
#define TAP_FILE_ENDING ".tap"

enum { BYTE_ORDER_MARK = 0x01020304 };

enum { BLOCK_BYTES = 1 << 16 /* of a full block's elements, unpacked */ };

/* The header of a block, 32-bit words. */
enum {
    ELEMENTS,
    ORDINAL,
    KIND,          /* enum tap_format; from bit 8 the bytes of an element in this block, from bit 16 the width */
    PLACES,        /* bytes of the rectangles */
    PLACES_HELD,   /* compressed; they follow the header */
    ELEMENTS_HELD, /* then the elements */
    CLOCKS,        /* bytes of the clocks */
    CLOCKS_HELD,   /* compressed, at the end */
    CHECK,         /* check_of() of the words above and of all that follows */
    HEAD_WORDS,
};

/* A rectangle: a mask of the numbers that have changed, in two bytes, then these, each as the difference to the
 * previous rectangle of the block. */
enum { BATCH, CHANNEL, LINE, COLUMN, REDUCTION, ADDRESS, FLAGS, ROWS, LANES, RECORD_FIELDS };

enum { MASK_BYTES = 2 };

enum { NUMBER_BYTES = 10 /* of a number, at most */ };

/* Beats of `elements` elements each, `step` clocks apart. */
struct beats {
    uint64_t count, elements, step;
};

/* Integers take as many bytes as the largest of the block needs, other elements all of theirs. */
static inline bool is_integer(enum tap_format format) {
    return format != TAP_FP16 && format != TAP_FP32;
}

/* Most bytes that `size` bytes take when packed. */
static inline size_t bound_of(size_t size) {
    return (size_t)LZ4_COMPRESSBOUND(size);
}

/* Sums of 64-bit words, as adler32 has them of bytes: at a tenth of its time. */
struct check_sums {
    uint64_t words[4], sums[4];
};

static inline void check_words(struct check_sums *check, const uint8_t *bytes) {
    for (int i = 0; i < 4; i++) {
        uint64_t word;
        memcpy(&word, bytes + 8 * i, sizeof word);
        check->words[i] += word;
        check->sums[i] += check->words[i];
    }
}

static inline void check_bytes(struct check_sums *check, const uint8_t *bytes, size_t size) {
    uint8_t last[sizeof check->words] = {0};
    for (; size >= sizeof last; bytes += sizeof last, size -= sizeof last)
        check_words(check, bytes);
    memcpy(last, bytes, size);
    check_words(check, last);
}

static inline uint32_t check_of(const uint32_t head[HEAD_WORDS], const uint8_t *packed, size_t size) {
    struct check_sums check = {{1}, {0}};
    uint64_t all = 0;
    check_bytes(&check, (const uint8_t *)head, CHECK * sizeof head[0]);
    check_bytes(&check, packed, size);
    for (int i = 0; i < 4; i++) {
        all = (all ^ check.words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        all = (all ^ check.sums[i]) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return (uint32_t)(all >> 32);
}

/* Bytes after the header that do not depend on clocks, and all bytes. */
static inline size_t content_held(const uint32_t head[HEAD_WORDS]) {
    return head[PLACES_HELD] + head[ELEMENTS_HELD];
}

static inline size_t all_held(const uint32_t head[HEAD_WORDS]) {
    return content_held(head) + head[CLOCKS_HELD];
}
