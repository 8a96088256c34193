/* The pattern of a wrong output: what the bytes that differ from the right ones have in common. Each pattern has a
 * share: how many of the wrong bytes it explains. A pattern fits by chance as well, above all in a small output; the
 * shares are evidence, not proof. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pattern_kind {
    PATTERN_ZEROS,     /* found 0 */
    PATTERN_STALE,     /* found what was there before the run */
    PATTERN_SHIFTED,   /* found the right bytes `distance` bytes further on, or (negative) further back */
    PATTERN_EXCHANGED, /* found the right bytes with pieces of `distance` bytes exchanged, for example halves of a word
                        */
    PATTERN_REVERSED,  /* found the right bytes in reverse order inside words of `distance` bytes */
    PATTERN_SATURATED, /* found the largest or smallest integer where it is not right */
    PATTERN_HALF,      /* wrong only in the lower or (phase 1) upper half of each block of 2 * `distance` bytes */
    PATTERN_PERIODIC,  /* wrong in every `distance`-th beat, from beat `phase` on, and in no other */
    PATTERN_KINDS
};

struct output_pattern {
    enum pattern_kind kind;
    double share;     /* of the wrong bytes, 0 to 1 */
    int64_t distance; /* 0 if the kind has none */
    unsigned phase;
};

/* An output and what it should be: n bytes each. */
struct output_bytes {
    const uint8_t *found, *expected;
    const uint8_t *before; /* content before the run; NULL: unknown */
    size_t n;
    unsigned element;           /* bytes of an integer: 1 or 2; 0: not integers, or unknown */
    unsigned beat;              /* bytes of a beat of the memory port, at least 1 */
    size_t atom, line, surface; /* bytes; 0: unknown */
};

/* How many bytes are wrong, and the first of them. */
size_t output_wrong(const struct output_bytes *bytes, size_t *first);

/* The best fit of each kind, in the order of the kinds; all shares are 0 if nothing is wrong. */
void output_patterns(const struct output_bytes *bytes, struct output_pattern patterns[PATTERN_KINDS]);

/* Share of the wrong atoms that occur in the bytes of another cube. Atoms of equal bytes do not count, nor do more than
 * the first ELSEWHERE_ATOMS; 0 if none remains or the size of an atom is unknown. */
enum { ELSEWHERE_ATOMS = 256 };
double output_elsewhere(const struct output_bytes *bytes, const uint8_t *other, size_t n);

/* One phrase, for example "shifted by a line (128 bytes) to higher addresses". */
enum { PATTERN_TEXT = 160 };
char *output_pattern_text(const struct output_bytes *bytes, const struct output_pattern *pattern,
                          char text[PATTERN_TEXT]);
