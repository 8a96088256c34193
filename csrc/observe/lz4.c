/* A greedy search with one table of what was seen where; see lz4.h. A block is a row of sequences: a token with two
 * lengths of four bits, which bytes of 255 make longer; literals; the distance of what is to be repeated.
 */
#include "observe/lz4.h"

#include <string.h>

enum {
    LEAST = 4,         /* bytes of a repetition */
    LAST_LITERALS = 5, /* a block ends with at least so many literals */
    LAST_SEARCH = 12,  /* no repetition begins so close to the end */
    MOST_DISTANCE = 65535,
    HASH_BITS = 13,
    PATIENCE = 5, /* after 2^5 places without a repetition the search goes on in larger steps */
    MORE = 15,    /* a length of a token that goes on in further bytes */
};

static uint32_t word_at(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static size_t hash(uint32_t word) {
    return word * UINT32_C(2654435761) >> (32 - HASH_BITS);
}

static uint8_t *put_length(uint8_t *to, size_t length) {
    for (; length >= 255; length -= 255)
        *to++ = 255;
    *to++ = (uint8_t)length;
    return to;
}

/* Literals, then a repetition; distance 0: none. */
static uint8_t *put_sequence(uint8_t *to, const uint8_t *literals, size_t count, size_t distance, size_t length) {
    const size_t more = distance ? length - LEAST : 0;
    *to++ = (uint8_t)((count < MORE ? count : MORE) << 4 | (more < MORE ? more : MORE));
    if (count >= MORE)
        to = put_length(to, count - MORE);
    memcpy(to, literals, count);
    to += count;
    if (!distance)
        return to;
    *to++ = (uint8_t)distance;
    *to++ = (uint8_t)(distance >> 8);
    return more >= MORE ? put_length(to, more - MORE) : to;
}

/* How many bytes from two places on are equal, before `end`. */
static size_t equal_bytes(const uint8_t *a, const uint8_t *b, const uint8_t *end) {
    const uint8_t *const start = a;
    while (end - a >= 8 && memcmp(a, b, 8) == 0) {
        a += 8;
        b += 8;
    }
    while (a < end && *a == *b) {
        a++;
        b++;
    }
    return (size_t)(a - start);
}

size_t lz4_compress(uint8_t *to, const uint8_t *from, size_t size) {
    uint32_t seen[1 << HASH_BITS] = {0}; /* where a word with that hash was seen last */
    uint8_t *out = to;
    size_t done = 0, at = 1, misses = 0; /* nothing can be repeated at the first byte */
    while (size > LAST_SEARCH && at < size - LAST_SEARCH) {
        const uint32_t word = word_at(from + at);
        const size_t slot = hash(word);
        size_t earlier = seen[slot];
        seen[slot] = (uint32_t)at;
        if (at - earlier > MOST_DISTANCE || word_at(from + earlier) != word) {
            at += 1 + (misses++ >> PATIENCE);
            continue;
        }
        while (at > done && earlier > 0 && from[at - 1] == from[earlier - 1]) {
            at--;
            earlier--;
        }
        const size_t length =
            LEAST + equal_bytes(from + at + LEAST, from + earlier + LEAST, from + size - LAST_LITERALS);
        out = put_sequence(out, from + done, at - done, at - earlier, length);
        done = at += length;
        misses = 0;
    }
    return (size_t)(put_sequence(out, from + done, size - done, 0, 0) - to);
}

/* The rest of a length whose token is full. */
static bool get_length(const uint8_t **from, const uint8_t *end, size_t *length) {
    uint8_t byte = 255;
    while (byte == 255) {
        if (*from == end)
            return false;
        byte = *(*from)++;
        *length += byte;
    }
    return true;
}

bool lz4_decompress(uint8_t *to, size_t size, const uint8_t *from, size_t packed) {
    const uint8_t *const end = from + packed;
    size_t done = 0;
    while (from < end) {
        const uint8_t token = *from++;
        size_t literals = token >> 4, length = token & MORE;
        if (literals == MORE && !get_length(&from, end, &literals))
            return false;
        if (literals > (size_t)(end - from) || literals > size - done)
            return false;
        memcpy(to + done, from, literals);
        from += literals;
        done += literals;
        if (from == end)
            return done == size && length == 0; /* the last sequence has no repetition */
        if (end - from < 2)
            return false;
        const size_t distance = from[0] | (size_t)from[1] << 8;
        from += 2;
        if ((length == MORE && !get_length(&from, end, &length)) || distance == 0 || distance > done)
            return false;
        length += LEAST;
        if (length > size - done)
            return false;
        for (size_t i = 0; i < length; i++, done++)
            to[done] = to[done - distance];
    }
    return false;
}
