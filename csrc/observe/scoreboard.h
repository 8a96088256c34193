/* What the scoreboards of the testbench find: a passage of an RTL that hands on what it was given, and did not. They
 * need no model. Plain data.
 */
#ifndef OBSERVE_SCOREBOARD_H
#define OBSERVE_SCOREBOARD_H

#include <stddef.h>
#include <stdint.h>

enum { SCOREBOARD_BYTES = 128 /* most of an entry of CBUF */ };

/* A scoreboard's first difference. */
struct scoreboard_difference {
    const char *port; /* where it was seen: "dat_rd", ...; NULL: there is none */
    uint64_t cycle;   /* clock in which the wrong value was there */
    uint64_t address; /* of CBUF: entry */
    size_t bytes;
    uint8_t expected[SCOREBOARD_BYTES], got[SCOREBOARD_BYTES];
};

/* A scoreboard. `compared` tells whether it saw anything. */
struct scoreboard {
    uint64_t compared; /* reads that were compared */
    struct scoreboard_difference first;
};

/* The first thing that is reported, released or given back between CDMA, CSC and CACC and is not covered by what was
 * written, reported or taken. */
struct account {
    uint64_t entries;   /* accounted for */
    const char *engine; /* whose entry is wrong, folder under rtl/; NULL: none is */
    uint64_t cycle;
    char expected[64], got[64], text[200]; /* "at most 4 lines", "5 lines"; the whole as words */
};

/* Bytes [from, to) as a number, the highest first, as waves show it: the lowest that fit. Returns text. */
char *scoreboard_number(const uint8_t *bytes, size_t from, size_t to, char *text, size_t size);

#endif
